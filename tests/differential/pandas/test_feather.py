"""Arrow files: every file reads as pandas reads it, whoever wrote it, and what is written reads back in plain pandas."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pyarrow.feather
import pyarrow.ipc
import pytest
from compare import check
from frames import FRAMES

import airloom
import airloom.pandas
from airloom import _report as report
from airloom.pandas.dispatch import choice, wrapping
from airloom.pandas.interface.checking import same
from airloom.pandas.internals import state

COMPRESSIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "lz4": {"compression": "lz4"},
    "zstd": {"compression": "zstd"},
    "uncompressed": {"compression": "uncompressed"},
    "pieces": {"chunksize": 2},
}


def wide() -> pandas.DataFrame:
    """A column of each dtype that a file holds, with and without what is missing."""
    made: dict[str, Any] = {"name": ["a", None, "ö", ""], "truth": [True, False, True, True], "float": [0.5, np.nan, np.inf, -0.0]}
    for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        limits = np.iinfo(dtype)
        made[dtype] = np.array([limits.min, limits.max, 0, 1], dtype)
    made["float32"] = np.array([0.1, np.nan, -np.inf, 1], "float32")
    for unit in ("s", "ms", "us", "ns"):
        made[f"at_{unit}"] = pandas.to_datetime(["2020-01-01", None, "1969-12-31 23:59:59", "2262-01-01"], format="ISO8601").as_unit(unit)
        made[f"for_{unit}"] = pandas.to_timedelta([1, None, -1, 0], unit="D").as_unit(unit)
    made["zoned"] = pandas.to_datetime(["2020-01-01", None, "1969-12-31", "2262-01-01"]).tz_localize("Europe/Berlin")
    return pandas.DataFrame(made)


def reads(program: Any, *, native: bool = True) -> None:
    """Runs a program that reads, on both, and compares."""
    check(program, native=native)


@pytest.mark.parametrize("options", COMPRESSIONS)
def test_columns(options: str, tmp_path: Path, configuration: str) -> None:
    path = tmp_path / "x"
    wide().to_feather(path, **COMPRESSIONS[options])
    programs: list[Any] = [
        lambda pd: pd.read_feather(path),
        lambda pd: pd.read_feather(str(path), columns=["zoned", "name"]),
        lambda pd: pd.read_feather(path, ["int8"], True),
        lambda pd: pd.read_feather(path, columns=("float",), use_threads=False),
        lambda pd: pd.read_feather(path)[lambda d: d["int8"] > 0][["name", "at_us"]],
        lambda pd: pd.read_feather(path)["uint64"].max(),
    ]
    for program in programs:
        reads(program)


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(rows: int, tmp_path: Path, configuration: str) -> None:
    path = tmp_path / "x"
    wide().iloc[:rows].to_feather(path)
    reads(lambda pd: pd.read_feather(path))


def test_numbers_with_nulls(tmp_path: Path, configuration: str) -> None:
    """Integers that miss some are floats, booleans objects; and only where they do."""
    table = pyarrow.table(
        {
            "n": pyarrow.array([1, None, 3]),
            "all": pyarrow.array([None, None, None], pyarrow.int16()),
            "b": pyarrow.array([True, None, False]),
            "full": pyarrow.array([2**63 - 1, 1, -(2**63)]),
            "s": pyarrow.array(["a", None, ""]),
            "large": pyarrow.array(["a", None, ""], pyarrow.large_string()),
        }
    )
    path = tmp_path / "x"
    pyarrow.feather.write_feather(table, path)
    reads(lambda pd: pd.read_feather(path))
    reads(lambda pd: pd.read_feather(path, columns=["n", "full"])["full"] + 1)
    with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_file(file, table.schema) as writer:
        # Only a later piece has nulls.
        writer.write_table(table.slice(0, 1))
        writer.write_table(table.slice(1))
    reads(lambda pd: pd.read_feather(path))


LABELS: dict[str, Any] = {
    "text": pandas.Index(["x", "y", None, "ö"], name="label"),
    "numbers": pandas.Index([4, 3, 2, 1]),
    "floats": pandas.Index([4.5, np.nan, 2, 1], name="at"),
    "days": pandas.date_range("2020-01-01", periods=4),
    "two": pandas.MultiIndex.from_product([["a", "b"], [1, 2]], names=["one", None]),
}


@pytest.mark.parametrize("index", LABELS)
def test_labels(index: str, tmp_path: Path, configuration: str) -> None:
    path = tmp_path / "x"
    wide().set_axis(LABELS[index]).to_feather(path)
    reads(lambda pd: pd.read_feather(path))
    reads(lambda pd: pd.read_feather(path).query("int8 > 0"))
    # Without the columns that are labels.
    reads(lambda pd: pd.read_feather(path, columns=["int8"]), native=False)


def test_what_pandas_reads(tmp_path: Path, configuration: str) -> None:
    """Files of frames with dtypes without a native type, and files that are not valid."""
    path, missing = tmp_path / "x", tmp_path / "missing"
    frames: dict[str, Any] = {
        "category": pandas.DataFrame({"c": pandas.Categorical(["a", None, "b"], ["b", "a", "z"])}),
        "nullable": pandas.DataFrame({"n": pandas.array([1, None], "Int8"), "s": pandas.array(["x", None], "string")}),
        "arrow": pandas.DataFrame({"n": pandas.array([1, None], "int64[pyarrow]")}),
        "objects": pandas.DataFrame({"o": [b"x", None]}),
        "lists": pandas.DataFrame({"o": [[1], None]}),
        "numbered": pandas.DataFrame({1: [1], 2: [2]}),
        "levels": pandas.DataFrame({("a", "b"): [1]}),
        "named": pandas.DataFrame({"a": [1]}).rename_axis(columns="name"),
        "range": pandas.DataFrame({"a": [1, 2]}, index=pandas.RangeIndex(3, 7, 2)),
        "named-range": pandas.DataFrame({"a": [1, 2]}).rename_axis("i"),
        "period": pandas.DataFrame({"p": pandas.period_range("2020", periods=2, freq="D")}),
        "nothing": pandas.DataFrame(),
    }
    for frame in frames.values():
        frame.to_feather(path)
        reads(lambda pd: pd.read_feather(path), native=False)
    content = path.read_bytes()
    for program in (
        lambda pd: pd.read_feather(io.BytesIO(content)),
        lambda pd: pd.read_feather(path, dtype_backend="numpy_nullable"),
        lambda pd: pd.read_feather(path, dtype_backend="pyarrow"),
        lambda pd: pd.read_feather(path, dtype_backend="x"),
        lambda pd: pd.read_feather(missing),
        lambda pd: pd.read_feather(tmp_path),
        lambda pd: pd.read_feather(),
        lambda pd: pd.read_feather(path, more=1),
    ):
        reads(program, native=False)
    wide().to_feather(path)
    for columns in ([], ["nothing"], [0, 1], ["int8", "int8"], "int8", ["int8", 1], {"int8"}):
        reads(lambda pd, columns=columns: pd.read_feather(path, columns=columns), native=False)
    table = pyarrow.table({"a": [1]})
    with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    reads(lambda pd: pd.read_feather(path), native=False)
    for content in (b"", b"ARROW1", b"x" * 100, (tmp_path / "x").read_bytes()[:-7]):
        path.write_bytes(content)
        reads(lambda pd: pd.read_feather(path), native=False)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("options", COMPRESSIONS)
def test_writing(options: str, frame: str, tmp_path: Path, configuration: str) -> None:
    """What plain pandas reads is the same, whoever wrote it, to the schema."""

    def program(pd: Any, df: Any) -> Any:
        path = tmp_path / "x"
        answer = df.to_feather(path, **COMPRESSIONS[options])
        with pyarrow.ipc.open_file(str(path)) as file:
            return answer, pandas.read_feather(path), file.schema.metadata, str(file.schema), file.num_record_batches

    check(program, FRAMES[frame]())


def test_writing_what_was_computed(tmp_path: Path, configuration: str) -> None:
    def program(pd: Any, df: Any) -> Any:
        path = tmp_path / "x"
        made = df[df["int8"] >= 0].assign(more=lambda d: d["int16"] * 2)
        made.to_feather(str(path))
        return pandas.read_feather(path), made

    check(program, wide())


def test_writing_what_is_wrong(tmp_path: Path, configuration: str) -> None:
    path = tmp_path / "x"
    frame = wide()[["int8", "name"]]
    programs: list[Any] = [
        lambda pd, df: df.to_feather(path, compression="gzip"),
        lambda pd, df: df.to_feather(path, compression=5),
        lambda pd, df: df.to_feather(path, chunksize=-1),
        lambda pd, df: df.to_feather(path, chunksize="x"),
        lambda pd, df: df.to_feather(path, version=3),
        lambda pd, df: df.to_feather(path, compression="zstd", compression_level=5),
        lambda pd, df: df.to_feather(path, nothing=5),
        lambda pd, df: df.to_feather(),
        lambda pd, df: df.to_feather(tmp_path / "none" / "x"),
        lambda pd, df: df.to_feather(tmp_path),
        lambda pd, df: df.set_axis(["a", "a"], axis=1).to_feather(path),
        lambda pd, df: df.set_axis([1, 2], axis=1).to_feather(path),
        lambda pd, df: df.assign(o=[1, "x", None, 2.5]).to_feather(path),
    ]
    for program in programs:
        check(program, frame, native=False)

    def to_memory(pd: Any, df: Any) -> Any:
        target = io.BytesIO()
        df.to_feather(target)
        return pandas.read_feather(io.BytesIO(target.getvalue()))

    check(to_memory, frame, native=False)

    def with_notes(pd: Any, df: Any) -> Any:
        noted = df.copy()
        noted.attrs = {"a": 1}
        noted.to_feather(path)
        return pandas.read_feather(path), pandas.read_feather(path).attrs, pd.read_feather(path).attrs

    check(with_notes, frame, native=False)


def test_a_file_that_is_still_to_be_read(tmp_path: Path) -> None:
    """A frame over a file is computed before that becomes another, whoever writes it."""
    path = tmp_path / "x"
    source = wide()[["int8", "name"]]
    source.to_feather(path)
    whole = airloom.pandas.read_feather(path)
    assert state.is_lazy(whole)
    some = whole[whole["int8"] > 0]
    some.to_feather(path)
    expected = source[source["int8"] > 0]
    pandas.testing.assert_frame_equal(pandas.read_feather(path), expected)
    pandas.testing.assert_frame_equal(wrapping.plain(whole), source)
    again = airloom.pandas.read_feather(path)
    other = again["int8"] + 1
    assert state.is_lazy(other)
    airloom.pandas.DataFrame({"c": [1.5]}).to_feather(path, compression="zstd", compression_level=1)
    pandas.testing.assert_series_equal(wrapping.plain(other), expected["int8"] + 1)
    assert os.listdir(tmp_path) == ["x"]


def test_small_files_stay(tmp_path: Path) -> None:
    path = tmp_path / "x"
    wide().to_feather(path)
    choice.settings.threshold = 100
    report.LOG.clear()
    found = airloom.pandas.read_feather(path)
    assert type(found) is airloom.pandas.DataFrame and not state.is_lazy(found) and not report.LOG.entries
    same(found, wide(), 0.0)


def test_only_what_is_asked_for_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x"
    wide().to_feather(path)
    with airloom.strict():
        found = airloom.pandas.read_feather(path)
        assert state.is_lazy(found) and list(found.columns) == list(wide().columns) and found["int8"].dtype == "int8"
        assert found["int8"].sum() == wide()["int8"].sum()
        assert state.is_lazy(found)
