"""Reading and writing files: what is read is ours, and the same as pandas reads."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path
from typing import Any

import airloom.pandas
import pandas
import pytest
from airloom.pandas.interface.checking import same
from compare import check
from frames import FRAMES

CSV = "a,b,c,d\n1,x,2020-01-01,1.5\n2,,2020-01-02,\n3,z,2020-01-03,2.5\n"

TEXTS: dict[str, Any] = {
    "plain": lambda pd: pd.read_csv(io.StringIO(CSV)),
    "dates": lambda pd: pd.read_csv(io.StringIO(CSV), parse_dates=["c"]),
    "index": lambda pd: pd.read_csv(io.StringIO(CSV), index_col="a"),
    "some": lambda pd: pd.read_csv(io.StringIO(CSV), usecols=["b", "d"], nrows=2),
    "types": lambda pd: pd.read_csv(io.StringIO(CSV), dtype={"a": "float32", "b": "category"}),
    "names": lambda pd: pd.read_csv(io.StringIO(CSV), header=None, names=list("wxyz"), skiprows=1, na_values=["x"]),
    "table": lambda pd: pd.read_table(io.StringIO(CSV.replace(",", "\t"))),
    "fixed": lambda pd: pd.read_fwf(io.StringIO("a  b\n1  2\n3  4\n")),
    "pieces": lambda pd: list(pd.read_csv(io.StringIO(CSV), chunksize=2)),
    "lines": lambda pd: pd.read_json(io.StringIO('{"a": 1, "b": "x"}\n{"a": 2, "b": null}\n'), lines=True),
    "pieces-of-lines": lambda pd: list(pd.read_json(io.StringIO('{"a": 1}\n{"a": 2}\n'), lines=True, chunksize=1)),
    "nested": lambda pd: pd.json_normalize([{"a": 1, "b": {"c": 2}}]),
}


def _ours(value: Any) -> None:
    for item in value if isinstance(value, list) else [value]:
        assert type(item) is airloom.pandas.DataFrame, type(item)


@pytest.mark.parametrize("program", TEXTS)
def test_text(program: str) -> None:
    found, expected = TEXTS[program](airloom.pandas), TEXTS[program](pandas)
    _ours(found)
    same(found, expected, 0.0)


@pytest.mark.parametrize("frame", ["mixed", "empty", "labelled", "range", "dated", "shuffled"])
@pytest.mark.parametrize("form", ["parquet", "feather", "pickle", "csv"])
def test_files(frame: str, form: str, tmp_path: Path) -> None:
    made = FRAMES[frame]()
    if form == "feather":
        made = made.reset_index(drop=True)
    ours = airloom.pandas.DataFrame(made)
    lazy = ours[ours["k"] > 0].assign(z=lambda d: d["k"] * 2)
    plain = made[made["k"] > 0].assign(z=lambda d: d["k"] * 2)
    if form == "feather":
        lazy, plain = lazy.reset_index(drop=True), plain.reset_index(drop=True)
    getattr(lazy, f"to_{form}")(tmp_path / "ours")
    getattr(plain, f"to_{form}")(tmp_path / "plain")
    read = getattr(airloom.pandas, f"read_{form}")(tmp_path / "ours")
    _ours(read) if form != "pickle" else None
    same(read, getattr(pandas, f"read_{form}")(tmp_path / "plain"), 0.0)
    if form == "csv":
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "plain").read_bytes()


@pytest.mark.parametrize("chosen", [None, ["s", "k"], ["k"]])
@pytest.mark.parametrize("index", ["range", "text", "numbers", "days", "two"])
def test_labels_in_parquet(index: str, chosen: Any, tmp_path: Path, configuration: str) -> None:
    frame = FRAMES["mixed"]()[["k", "s", "f", "c", "t"]]
    labels = {
        "range": frame.index,
        "text": pandas.Index([f"r{at}" for at in range(len(frame))], name="label"),
        "numbers": pandas.Index(range(len(frame), 0, -1), dtype="int64"),
        "days": pandas.date_range("2020-01-01", periods=len(frame)),
        "two": pandas.MultiIndex.from_product([["a", "b"], range(len(frame) // 2)], names=["one", None]),
    }
    frame.index = labels[index]
    frame.to_parquet(tmp_path / "file")
    found = airloom.pandas.read_parquet(tmp_path / "file", columns=chosen)
    expected = pandas.read_parquet(tmp_path / "file", columns=chosen)
    same(found[found["k"] > 1], expected[expected["k"] > 1], 0.0)
    same(found, expected, 0.0)


#: What is asked of a file besides its name.
PARQUET: dict[str, dict[str, Any]] = {
    "all": {},
    "columns": {"columns": ["s", "k"]},
    "engine": {"engine": "pyarrow"},
    "filters": {"filters": [("k", ">", 1)]},
}
PARQUET_LEFT: dict[str, dict[str, Any]] = {
    "categories": {},
    "backend": {"dtype_backend": "numpy_nullable"},
    "wrong-column": {"columns": ["nothing"]},
    "wrong-engine": {"engine": "nothing"},
}


@pytest.mark.parametrize("options", {**PARQUET, **PARQUET_LEFT})
@pytest.mark.parametrize("frame", ["mixed", "empty", "one", "labelled", "several"])
def test_parquet(frame: str, options: str, tmp_path: Path, configuration: str) -> None:
    kept = ["k", "s", "f", "t", *(["c"] if options == "categories" else [])]
    FRAMES[frame]()[kept].to_parquet(tmp_path / "file")
    given = {**PARQUET, **PARQUET_LEFT}[options]
    check(lambda pd: pd.read_parquet(tmp_path / "file", **given), native=options in PARQUET)


def test_folder_of_parquet(tmp_path: Path, configuration: str) -> None:
    frame = FRAMES["mixed"]()[["k", "s", "f", "t"]]
    for at in range(3):
        frame.iloc[at * 4 : at * 4 + 4].reset_index(drop=True).to_parquet(tmp_path / f"part{at}.parquet")
    same(airloom.pandas.read_parquet(tmp_path), pandas.read_parquet(tmp_path), 0.0)


def test_database(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "base")
    FRAMES["mixed"]()[["k", "s", "f"]].to_sql("t", connection, index=False)
    found, expected = (module.read_sql("select * from t", connection) for module in (airloom.pandas, pandas))
    _ours(found)
    same(found, expected, 0.0)
    connection.close()


def test_what_functions_make_of_plain_values_is_ours() -> None:
    pd = airloom.pandas
    assert type(pd.get_dummies(["a", "b"])) is pd.DataFrame
    assert type(pd.crosstab([1, 2], [3, 4])) is pd.DataFrame
    assert type(pd.concat([pandas.Series([1]), pandas.Series([2])])) is pd.Series
