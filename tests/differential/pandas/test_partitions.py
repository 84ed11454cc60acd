"""Parquet files in partitions, and filters of rows: read and written as pandas and pyarrow have them."""

from __future__ import annotations

import datetime
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow.dataset
import pytest
from compare import check
from frames import FRAMES, mixed

import airloom
import airloom.pandas
from airloom.pandas.dispatch import choice
from airloom.pandas.files import partitions
from airloom.pandas.internals import descriptors, state


def _frame() -> pandas.DataFrame:
    return pandas.DataFrame(
        {
            "i": np.arange(12),
            "n": [1.0, None, 3.0, np.nan, -0.0, 0.0, 7.5, 1e300, None, 2.0, 3.0, 1.0],
            "f": [1.5, 2.0] * 6,
            "w": pandas.array([1, None, 3, 4, None, 6, 7, 8, 9, 10, 11, -12], dtype="Int64").to_numpy(dtype=object, na_value=None),
            "s": ["x", "y", None, "ä", "", "x", "日本", "y", "z", "x", None, "w"],
            "b": [True, False] * 6,
            "t": pandas.date_range("2020-01-01", periods=12),
            "number": [2, 10, 2, 1, 1, 10, 2, 2, -5, -5, 1, 2],
            "word": list("bbaacccbabca"),
            "day": [datetime.date(2020, 1, 1 + at % 2).isoformat() for at in range(12)],
            "odd": ["a b", "c/d", "e=f", "ä%"] * 3,
        }
    )


KEYS: dict[str, list[str]] = {
    "number": ["number"],
    "word": ["word"],
    "two": ["number", "word"],
    "three": ["day", "odd", "number"],
    "boolean": ["b"],
    "float": ["f"],
}


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "größe"
    _frame().assign(w=lambda d: d["w"].astype(float)).to_parquet(path, partition_cols=KEYS[request.param])
    return path


@pytest.mark.parametrize("folder", KEYS, indirect=True)
def test_folders(folder: Path, configuration: str) -> None:
    check(lambda pd: pd.read_parquet(folder))
    check(lambda pd: pd.read_parquet(str(folder) + "/"))
    check(lambda pd: pd.read_parquet(folder, columns=["t", "i"]))
    check(lambda pd: pd.read_parquet(folder)[lambda d: d["i"] > 5].reset_index(drop=True))
    check(lambda pd: pd.read_parquet(folder).sort_values("i", ignore_index=True))
    check(lambda pd: pd.read_parquet(folder, columns=["nothing"]), native=False)
    check(lambda pd: pd.read_parquet(folder, dtype_backend="pyarrow"), native=False)
    check(lambda pd: pd.read_parquet(folder, filters=[("i", ">", 3), ("i", "<=", 9)]))


@pytest.mark.parametrize("folder", ["number", "word", "two"], indirect=True)
def test_keys(folder: Path, configuration: str) -> None:
    key = "word" if (folder / "word=a").exists() else "number"
    check(lambda pd: pd.read_parquet(folder, columns=[key, "i"]))
    check(lambda pd: pd.read_parquet(folder, columns=[key]))
    check(lambda pd: pd.read_parquet(folder).groupby(key, observed=True)["i"].sum())
    check(lambda pd: pd.read_parquet(folder)[lambda d: d[key] == ("a" if key == "word" else 2)])
    check(lambda pd: pd.read_parquet(folder)[key].cat.codes)


FILTERS: dict[str, Any] = {
    "equal": [("number", "==", 2)],
    "one-sign": [("number", "=", 2)],
    "not-equal": [("number", "!=", 2)],
    "less": [("number", "<", 2)],
    "more": [("number", ">=", 2)],
    "in": [("number", "in", [2, 10])],
    "in-set": [("number", "in", {2, 10})],
    "not-in": [("number", "not in", [2, 10])],
    "words": [("word", ">", "a")],
    "words-in": [("word", "in", ("a", "q"))],
    "both": [("number", "==", 2), ("i", ">", 3)],
    "either": [[("number", "==", 2)], [("i", ">", 9)]],
    "either-of-both": [[("number", "==", 2), ("word", "==", "b")], [("number", "==", -5), ("i", "<", 9)]],
    "stored": [("i", "==", 3)],
    "stored-in": [("i", "in", [3, 4, 99])],
    "stored-not-in": [("i", "not in", [3, 4, 99])],
    "whole-with-nulls": [("w", ">", 5)],
    "floats": [("n", "<", 3.0)],
    "floats-and-whole": [("n", ">=", 2)],
    "floats-not-equal": [("n", "!=", 0.0)],
    "zeros": [("n", "==", -0.0)],
    "text": [("s", "==", "x")],
    "text-not-equal": [("s", "!=", "x")],
    "text-in": [("s", "in", ["x", "ä"])],
    "text-not-in": [("s", "not in", ["x", "ä"])],
    "text-order": [("s", "<", "y")],
    "boolean": [("b", "==", True)],
    "not-boolean": [("b", "!=", True)],
    "time": [("t", ">", datetime.datetime(2020, 1, 5))],
}
#: What pyarrow casts before it compares, or complains about.
FILTERS_LEFT: dict[str, Any] = {
    "nothing": [("number", "==", 77)],
    "nothing-stored": [("i", "==", 77)],
    "nothing-of-some": [("number", "==", 2), ("i", "==", 3)],
    "no-filters": [],
    "tuple": ("i", "==", 3),
    "tuple-of-tuples": (("i", "==", 3),),
    "no-operator": [("i", "~", 3)],
    "no-value": [("i", "==")],
    "no-column": [("nothing", "==", 3)],
    "none": [("i", "==", None)],
    "none-in": [("s", "in", ["x", None])],
    "none-not-in": [("s", "not in", ["x", None])],
    "empty-in": [("i", "in", [])],
    "fraction": [("i", ">", 2.5)],
    "too-large": [("i", "<", 1 << 70)],
    "text-beside-numbers": [("i", "==", "3")],
    "number-beside-text": [("s", "==", 3)],
    "key-of-another-kind": [("number", "==", "2")],
    "key-and-fraction": [("number", "<", 2.5)],
    "not-a-number": [("n", "==", float("nan"))],
    "floats-in": [("n", "in", [0.0, 3.0])],
    "boolean-order": [("b", "<", True)],
    "truth-as-number": [("i", "==", True)],
    "timestamp": [("t", ">", pandas.Timestamp("2020-01-05"))],
    "date": [("t", ">", datetime.date(2020, 1, 5))],
    "time-as-text": [("t", ">", "2020-01-05")],
    "nanoseconds": [("t", "<=", np.datetime64("2020-01-05T00:00:00.000000000"))],
    "zoned": [("t", ">", datetime.datetime(2020, 1, 5, tzinfo=datetime.UTC))],
    "expression": pyarrow.dataset.field("i") > 3,
}


@pytest.mark.parametrize("folder", ["two"], indirect=True)
@pytest.mark.parametrize("filters", {**FILTERS, **FILTERS_LEFT})
def test_filters(filters: str, folder: Path, tmp_path: Path, configuration: str) -> None:
    given = {**FILTERS, **FILTERS_LEFT}[filters]
    native = filters in FILTERS
    if filters == "zoned":
        # pyarrow names the two dtypes now in this order, now in that.
        for library in (pandas, airloom.pandas):
            with pytest.raises(pyarrow.ArrowInvalid, match="Cannot compare timestamp with timezone to timestamp without timezone"):
                library.read_parquet(folder, filters=given)
        return
    check(lambda pd: pd.read_parquet(folder, filters=given), native=native)
    check(lambda pd: pd.read_parquet(folder, filters=given, columns=["t", "word"]), native=native)
    one = tmp_path / "one.parquet"
    # Objects are integers with nulls there.
    _frame().to_parquet(one)
    check(lambda pd: pd.read_parquet(one, filters=given), native=native)
    check(lambda pd: pd.read_parquet(one, filters=given, columns=["w"]), native=native)
    check(lambda pd: pd.read_parquet(one, filters=given)[lambda d: d["i"] > 4]["w"].sum(), native=native)
    _frame().set_index(pandas.Index([f"r{at}" for at in range(12)], name="label")).to_parquet(one)
    check(lambda pd: pd.read_parquet(one, filters=given, columns=["n"]), native=native)


@pytest.mark.parametrize("backend", ["pyarrow", "numpy_nullable"])
def test_filters_and_backends(backend: str, tmp_path: Path, configuration: str) -> None:
    _frame().to_parquet(tmp_path / "x")
    for filters in FILTERS.values():
        check(lambda pd, filters=filters: pd.read_parquet(tmp_path / "x", filters=filters, dtype_backend=backend))


def test_partitions_that_are_left_out_are_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "x"
    _frame().drop(columns="w").to_parquet(path, partition_cols=["number"])
    for file in (path / "number=2").iterdir():
        file.write_bytes(b"nothing of the kind")
    assert airloom.pandas.read_parquet(path, filters=[("number", "==", 1)])["i"].tolist() == [3, 4, 10]
    assert [entry.where for entry in airloom.report() if entry.operation == "read_parquet"] == ["native"]


def test_reading_is_lazy(tmp_path: Path) -> None:
    _frame().drop(columns="w").to_parquet(tmp_path / "x", partition_cols=["number"])
    found = airloom.pandas.read_parquet(tmp_path / "x", filters=[("number", "!=", 1)])
    assert state.is_lazy(found)
    shutil.rmtree(tmp_path / "x")
    assert found["i"].sum() == 66 - 17


def test_more_files_than_are_held_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _frame().drop(columns="w").to_parquet(tmp_path / "x", partition_cols=["number", "word"])
    monkeypatch.setattr(descriptors, "MOST", 0)
    found = airloom.pandas.read_parquet(tmp_path / "x")
    assert not state.is_lazy(found)
    check(lambda pd: pd.read_parquet(tmp_path / "x"))
    monkeypatch.setattr(partitions, "MOST", 2)
    check(lambda pd: pd.read_parquet(tmp_path / "x"), native=False)


def test_other_folders(tmp_path: Path, configuration: str) -> None:
    frame = mixed()[["k", "s", "f", "t"]]
    path = tmp_path / "x"
    (path / "a=1").mkdir(parents=True)
    (path / "a=2").mkdir()
    check(lambda pd: pd.read_parquet(path), native=False)
    for at, part in enumerate(("a=1", "a=1", "a=2")):
        frame.iloc[at * 4 : at * 4 + 4].reset_index(drop=True).to_parquet(path / part / f"part{at}.parquet")
    check(lambda pd: pd.read_parquet(path))
    (path / "_SUCCESS").write_text("")
    (path / ".hidden").mkdir()
    check(lambda pd: pd.read_parquet(path))
    # A file without the key.
    frame.to_parquet(path / "z.parquet", index=False)
    check(lambda pd: pd.read_parquet(path))
    check(lambda pd: pd.read_parquet(path, filters=[("a", "not in", [1])]))
    check(lambda pd: pd.read_parquet(path, filters=[("a", "!=", 1)]))
    # Folders that are no keys.
    (path / "deeper" / "still").mkdir(parents=True)
    frame.to_parquet(path / "deeper" / "still" / "x.parquet", index=False)
    check(lambda pd: pd.read_parquet(path))
    # The key is a column too.
    frame.assign(a=5).to_parquet(path / "a=1" / "x.parquet")
    check(lambda pd: pd.read_parquet(path), native=False)
    (path / "a=1" / "x.parquet").unlink()
    # Other columns.
    frame[["s"]].to_parquet(path / "a=2" / "x.parquet")
    check(lambda pd: pd.read_parquet(path), native=False)
    (path / "a=2" / "x.parquet").write_text("what is this")
    check(lambda pd: pd.read_parquet(path), native=False)
    check(lambda pd: pd.read_parquet(tmp_path / "nothing"), native=False)


def test_keys_without_a_value(tmp_path: Path, configuration: str) -> None:
    frame = _frame().drop(columns="w")
    for key in ("s", "n"):
        frame.to_parquet(tmp_path / key, partition_cols=[key])
        check(lambda pd, key=key: pd.read_parquet(tmp_path / key), native=False)
        check(lambda pd, key=key: pd.read_parquet(tmp_path / key, columns=["i"]), native=False)
        check(lambda pd, key=key: pd.read_parquet(tmp_path / key, filters=[("i", ">", 3)]), native=False)


def test_no_rows(tmp_path: Path, configuration: str) -> None:
    for name in ("a=1", "a=2"):
        (tmp_path / name).mkdir()
        mixed()[["k", "s"]].iloc[:0].to_parquet(tmp_path / name / "x.parquet")
    check(lambda pd: pd.read_parquet(tmp_path), native=False)
    check(lambda pd: pd.read_parquet(tmp_path, columns=["s"]))


def test_several_files(tmp_path: Path, configuration: str) -> None:
    frame = mixed()[["k", "s", "f", "t"]]
    names = []
    for at in range(3):
        names.append(str(tmp_path / f"part{2 - at}.parquet"))
        frame.iloc[at * 4 : at * 4 + 4].reset_index(drop=True).to_parquet(names[-1])
    check(lambda pd: pd.read_parquet(names))
    check(lambda pd: pd.read_parquet(names, columns=["s"], filters=[("k", ">", 1)]))
    check(lambda pd: pd.read_parquet([]), native=False)
    check(lambda pd: pd.read_parquet([*names, str(tmp_path / "nothing")]), native=False)
    check(lambda pd: pd.read_parquet([tmp_path / "part0.parquet"]), native=False)


def test_stored_indexes(tmp_path: Path, configuration: str) -> None:
    frame = mixed()[["k", "s", "f", "t"]].assign(a=lambda d: d["k"] > 1)
    frame.set_axis([f"r{at}" for at in range(len(frame))]).to_parquet(tmp_path / "x", partition_cols=["a"])
    check(lambda pd: pd.read_parquet(tmp_path / "x"), native=False)
    frame.iloc[2:].to_parquet(tmp_path / "y", partition_cols=["a"])
    check(lambda pd: pd.read_parquet(tmp_path / "y"), native=False)


def test_small_folders_stay(tmp_path: Path) -> None:
    _frame().drop(columns="w").to_parquet(tmp_path / "x", partition_cols=["number"])
    choice.settings.threshold = 20_000
    with airloom.strict():
        for filters in (None, [("i", ">", 3)]):
            airloom.pandas.read_parquet(tmp_path / "x", filters=filters)
    assert not list(airloom.report())


@pytest.mark.parametrize("frame", FRAMES)
def test_writing(frame: str, tmp_path: Path, configuration: str) -> None:
    def program(pd: Any, df: Any, **options: Any) -> Any:
        path = tmp_path / "x"
        shutil.rmtree(path, ignore_errors=True)
        df.to_parquet(path, **options)
        folders = sorted(str(Path(at).relative_to(path)) for at, _, _ in os.walk(path))
        schemas = [pyarrow.parquet.read_schema(file).metadata for file in sorted(path.rglob("*.parquet"))]
        return pandas.read_parquet(path), folders, schemas

    made = FRAMES[frame]()
    check(lambda pd, df: program(pd, df, partition_cols=["k"]), made)
    check(lambda pd, df: program(pd, df, partition_cols="k", compression="gzip", index=False), made)
    check(lambda pd, df: program(pd, df[df["k"] > 1], partition_cols=["k", "i"]), made)
    check(lambda pd, df: program(pd, df, partition_cols=["nothing"]), made, native=False)
    check(lambda pd, df: program(pd, df, partition_cols=list(df.columns)), made, native=False)
    check(lambda pd, df: program(pd, df, partition_cols=[]), made, native=False)
    check(lambda pd, df: df.to_parquet(partition_cols=["k"]), made, native=False)


def test_writing_into_a_folder_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "x"
    frame = airloom.pandas.DataFrame(_frame().drop(columns="w"))
    with airloom.strict():
        frame.to_parquet(path, partition_cols=["number"])
        again = airloom.pandas.read_parquet(path)
        again.to_parquet(path, partition_cols=["number"])
    assert len(pandas.read_parquet(path)) == 24 and len(again) == 12
    (tmp_path / "file").write_text("")
    # Of one partition: folders of several are made on several threads, and which of them an error names is chance.
    one = _frame().drop(columns="w").assign(number=2)
    check(lambda pd, df: df.to_parquet(tmp_path / "file", partition_cols=["number"]), one, native=False)
