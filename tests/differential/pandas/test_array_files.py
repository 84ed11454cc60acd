"""Arrays of `.npy`, `.npz` and HDF5 files as columns: shared or copied as pandas has them, and computed with by the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from compare import check

import airloom
import airloom.pandas

VALUES: dict[str, Any] = {
    "floats": np.array([1.5, np.nan, -0.0, 0.0, np.inf, 2.5]),
    "integers": np.array([3, -(2**63), 2**63 - 1, 0, 1, 3]),
    "narrow": np.array([1, -128, 127, 0, 5, 1], dtype="int8"),
    "unsigned": np.array([0, 2**64 - 1, 1, 2, 3, 3], dtype="uint64"),
    "singles": np.array([0.1, -0.0, np.nan, 3e38, 1, 2], dtype="float32"),
    "booleans": np.array([True, False, True, True, False, False]),
    "timestamps": np.array(["2020-02-29", "NaT", "1969-12-31T23:59:59", "2020-01-01", "2020-01-01", "1900-01-01"], dtype="M8[us]"),
    "timedeltas": np.array([1, -1, 0, 10**15, 7, 7], dtype="m8[ns]"),
    "text": np.array(["a", "", "größe", "b", "a", "日本"]),
    "big-endian": np.array([1.5, 2.5, 3.5, 4.5, 5.5, 6.5], dtype=">f8"),
    "every-other": np.arange(12)[::2],
}
MODES = [None, "r", "r+", "c"]


def _frame(pd: Any, values: Any, **options: Any) -> Any:
    return pd.DataFrame({"v": values, "k": np.arange(len(values)) % 2}, **options)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", VALUES)
def test_npy(name: str, mode: str | None, tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, VALUES[name])

    def made(pd: Any, **options: Any) -> Any:
        frame = _frame(pd, np.load(path, mmap_mode=mode), **options)
        return frame, frame[frame["k"] == 1], frame.groupby("k")["v"].max(), frame["v"].count()

    native = name not in ("big-endian", "text")
    check(made, native=native)
    check(lambda pd: made(pd, copy=False), native=native)
    check(lambda pd: pd.Series(np.load(path, mmap_mode=mode), copy=False).sort_values(ascending=False, kind="stable"), native=native)


@pytest.mark.parametrize("mode", MODES)
def test_tables(mode: str | None, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(60.0).reshape(20, 3))
    np.save(tmp_path / "y.npy", np.asfortranarray(np.arange(60).reshape(20, 3)))
    for name in ("x.npy", "y.npy"):
        check(lambda pd, name=name: pd.DataFrame(np.load(tmp_path / name, mmap_mode=mode), columns=list("abc")).sum())
        check(lambda pd, name=name: pd.DataFrame(np.load(tmp_path / name, mmap_mode=mode), columns=list("abc")).query("a > 9 and b < 40"))


@pytest.mark.parametrize("copy", [None, False])
def test_a_mapped_file_is_written_to(copy: bool | None, tmp_path: Path) -> None:
    """What was made before the write has the old values, as in pandas, which computes at the call."""
    path = tmp_path / "x.npy"

    def run(pd: Any) -> Any:
        np.save(path, np.arange(6.0))
        values = np.load(path, mmap_mode="r+")
        series = pd.Series(values, copy=copy)
        before = series * 2
        values[0] = 99.0
        return before, series * 2, series, np.load(path)

    check(run)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(save: Any, tmp_path: Path) -> None:
    save(tmp_path / "x.npz", v=VALUES["floats"], k=VALUES["narrow"], t=VALUES["timestamps"])
    check(lambda pd: pd.DataFrame(dict(np.load(tmp_path / "x.npz"))).sort_values("v"))
    with np.load(tmp_path / "x.npz") as found:
        check(lambda pd: pd.DataFrame({name: found[name] for name in found.files}).groupby("k")["v"].sum())


def test_hdf5_arrays(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for name in ("floats", "integers", "narrow", "booleans"):
            file[name] = VALUES[name]
    with h5py.File(tmp_path / "x.h5") as file:
        for name in ("floats", "integers", "narrow", "booleans"):
            check(lambda pd, name=name: _frame(pd, file[name][:]).groupby("k")["v"].max())
            check(lambda pd, name=name: _frame(pd, file[name]).sort_values("v"))
            check(lambda pd, name=name: pd.Series(file[name]).count())


def test_hdf5_tables(tmp_path: Path) -> None:
    # PyTables brings numexpr, with which pandas itself computes otherwise: it is not among the requirements of the tests, and whoever has it runs this one.
    pytest.importorskip("tables", reason="PyTables is not installed")
    frame = airloom.pandas.DataFrame({"v": VALUES["floats"], "k": VALUES["integers"], "t": VALUES["timestamps"]})
    for kind in ("fixed", "table"):
        frame.to_hdf(tmp_path / f"{kind}.h5", key="t", format=kind)
        check(lambda pd, kind=kind: pd.read_hdf(tmp_path / f"{kind}.h5", "t"), native=False)
        with airloom.strict():
            found = airloom.pandas.read_hdf(tmp_path / f"{kind}.h5", "t")
            assert isinstance(found, airloom.pandas.DataFrame) and found[found["k"] == 3]["v"].sum() == 4.0
    check(lambda pd: pd.read_hdf(tmp_path / "table.h5", "t", start=1, stop=3), native=False)
    check(lambda pd: list(pd.read_hdf(tmp_path / "table.h5", "t", chunksize=2)), native=False)
