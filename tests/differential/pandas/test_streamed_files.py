"""Parquet files whose rows are written as they are computed: the same files as those of frames that are held."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow.parquet
import pytest
from compare import check
from frames import FRAMES, mixed

import airloom
import airloom.pandas
from airloom.pandas.files import parquet_stream

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "all": lambda df: df.assign(z=df["i"] * 2),
    "some": lambda df: df[df["k"] > 1],
    "none": lambda df: df[df["k"] > 10**9],
    "evenly spaced": lambda df: df[df["k"] >= df["k"].min()],
    "sorted": lambda df: df.sort_values(["s", "f"]),
    "own labels": lambda df: df.set_index("s"),
    "two levels": lambda df: df.set_index(["k", "s"]),
    "a name": lambda df: df.rename_axis("row"),
    "groups": lambda df: df.groupby(["k", "b"]).agg(most=("i", "max"), n=("f", "count")),
    "a slice": lambda df: df.iloc[2:].assign(z=1.5),
    "joined": lambda df: df.merge(df[["k", "f"]].drop_duplicates("k"), on="k", how="left"),
}


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """What became of frames that were to be streamed: all are large enough here."""
    found: list[bool] = []
    write = parquet_stream.ParquetRows.write

    def watched(rows: parquet_stream.ParquetRows, *args: Any) -> bool:
        found.append(write(rows, *args))
        return found[-1]

    monkeypatch.setattr(parquet_stream, "is_large", lambda rows, columns: True)
    monkeypatch.setattr(parquet_stream.ParquetRows, "write", watched)
    return found


def content(path: Path) -> Any:
    """Everything that readers see of a file, but who wrote it."""
    file = pyarrow.parquet.ParquetFile(path)
    rows = file.read()
    return pandas.read_parquet(path), file.schema_arrow.to_string(), file.schema_arrow.metadata, rows.to_pydict().__repr__(), file.num_row_groups


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("options", [{}, {"index": False}, {"index": True}, {"compression": "zstd"}], ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_streamed(name: str, options: dict[str, Any], frame: str, tmp_path: Path, written: list[bool], configuration: str) -> None:
    FRAMES[frame]().drop(columns=["c", "d"]).to_parquet(tmp_path / "in.parquet")

    def program(pd: Any, _: Any) -> Any:
        PROGRAMS[name](pd.read_parquet(tmp_path / "in.parquet")).to_parquet(tmp_path / "out.parquet", **options)
        return content(tmp_path / "out.parquet")

    check(program, pandas.DataFrame({"x": [1]}), native=False)


def test_rows_are_streamed(tmp_path: Path, written: list[bool]) -> None:
    mixed(5000).drop(columns=["c", "d"]).to_parquet(tmp_path / "in.parquet")
    source = airloom.pandas.read_parquet(tmp_path / "in.parquet")
    source[source["k"] > 1].to_parquet(tmp_path / "out.parquet")
    assert written == [True]
    source[source["k"] > 1].sort_values("f").to_parquet(tmp_path / "out.parquet")
    assert written == [True, True]


@pytest.mark.parametrize("rows", [0, 1, 2, 999, 1000, 5000])
def test_labels_that_are_evenly_spaced(rows: int, tmp_path: Path, written: list[bool]) -> None:
    """They are a range, which is known in the end only: the first rows tell what is tried first."""
    n = np.arange(rows)
    pandas.DataFrame({"n": n, "late": np.where(n < 3000, n, n * 7 % 13), "early": np.where(n < 1500, n * 7 % 13, 20)}).to_parquet(tmp_path / "in.parquet")
    masks: dict[str, Callable[[Any], Any]] = {
        "all": lambda df: df[df["n"] >= 0],
        "the last": lambda df: df[df["n"] >= 3],
        "every third": lambda df: df[df["n"] % 3 == 1],
        "uneven at last": lambda df: df[(df["n"] < 3000) | (df["late"] > 5)],
        "even at last": lambda df: df[df["early"] > 5],
        "twice": lambda df: df[df["n"] % 2 == 0][lambda some: some["n"] % 4 == 0],
        "uneven, then even": lambda df: df[df["late"] != 4][lambda some: some["n"] > 10],
        "sorted": lambda df: df[df["n"] > 3].sort_values("n"),
        "backwards": lambda df: df[df["n"] > 3].sort_values("n", ascending=False),
        "named": lambda df: df.rename_axis("row")[df["n"].to_numpy() > 3],
    }
    for name, some in masks.items():
        for options in ({}, {"index": False}):
            for pd, path in ((pandas, tmp_path / "expected.parquet"), (airloom.pandas, tmp_path / "found.parquet")):
                some(pd.read_parquet(tmp_path / "in.parquet")).to_parquet(path, **options)
            expected, found = content(tmp_path / "expected.parquet"), content(tmp_path / "found.parquet")
            pandas.testing.assert_frame_equal(found[0], expected[0])
            assert found[1:4] == expected[1:4], name
    if rows == 5000:
        # Only those are held of which pandas looks at the labels of several filters.
        assert written.count(False) <= 4 < written.count(True)


def test_dtypes(tmp_path: Path, written: list[bool], configuration: str) -> None:
    frame = pandas.DataFrame(
        {
            "n": pandas.array([1, None, 3, 4], dtype="Int16"),
            "f": pandas.array([1.5, None, np.nan, -0.0], dtype="Float64"),
            "g": np.array([np.nan, -0.0, np.inf, 1.0], dtype=np.float32),
            "b": pandas.array([True, None, False, True], dtype="boolean"),
            "s": pandas.array(["a", None, "", "ä€𝄞"], dtype="string"),
            "t": np.array(["2020-01-01", "NaT", "1960-05-05", "2262-04-11"], "M8[ns]"),
            "z": pandas.DatetimeIndex(np.array([1, "NaT", 3, 4], "M8[ns]")).tz_localize("Europe/Rome"),
            "u": np.array([0, 2**64 - 1, 5, 7], dtype=np.uint64),
            "k": [1, 2, 3, 4],
        }
    )
    frame.to_parquet(tmp_path / "in.parquet")

    def program(pd: Any, _: Any) -> Any:
        df = pd.read_parquet(tmp_path / "in.parquet")
        df[df["k"] != 2].to_parquet(tmp_path / "out.parquet")
        return content(tmp_path / "out.parquet")

    check(program, pandas.DataFrame({"x": [1]}), native=False)


def test_what_raises_leaves_the_file_that_was_there(tmp_path: Path, written: list[bool]) -> None:
    """An error in the middle of the rows: the file before is whole, and nothing else is left."""
    path = tmp_path / "out.parquet"
    pandas.DataFrame({"x": [1, 2]}).to_parquet(path)
    pandas.DataFrame({"s": ["1", "2", "x"] * 500}).to_parquet(tmp_path / "in.parquet")
    before = path.read_bytes()
    source = airloom.pandas.read_parquet(tmp_path / "in.parquet")
    with pytest.raises(ValueError, match="x"):
        source.assign(n=source["s"].astype("int64")).to_parquet(path)
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["in.parquet", "out.parquet"]


def test_large_frames_are_streamed(tmp_path: Path) -> None:
    """How large a frame may get decides, and the memory that there is."""
    pandas.DataFrame({"x": np.arange(200_000) * 7 % 1000, "y": np.arange(200_000) * 0.5}).to_parquet(tmp_path / "in.parquet")
    source = airloom.pandas.read_parquet(tmp_path / "in.parquet")
    frame = source[source["x"] > 10]
    plan = frame.__dict__["_airloom_plan"]
    with airloom.options(memory_limit="16MB"):
        assert parquet_stream.streamed(plan, None) is not None
    with airloom.options(memory_limit="1GB"):
        assert parquet_stream.streamed(plan, None) is None
