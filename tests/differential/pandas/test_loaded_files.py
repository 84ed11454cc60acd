"""Files of which values are parsed while a program is planned: what is parsed is kept, and the rest is read into memory beside it, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import airloom
import airloom.pandas
import numpy
import pandas
import pytest
from airloom import _native
from airloom.errors import ChangedFileError
from airloom.pandas.execution import loading
from airloom.pandas.interface.checking import same

DAYS = ["2024-02-29 23:59:59", "0001-01-01 00:00:00", "9999-12-31 23:59:59", None, "2024-02-29 23:59:59", "1970-01-01 00:00:00"]


def table(rows: int) -> pandas.DataFrame:
    """Rows of awkward values: missing ones, zeros of both signs, NaN, extreme integers, duplicates, and text beyond ASCII."""

    def some(values: list[Any]) -> list[Any]:
        return [values[at % len(values)] for at in range(rows)]

    return pandas.DataFrame({
        "at": pandas.array(some(DAYS), "str"),
        "key": pandas.array(some(["é", "b", "", "b", None]), "str"),
        "number": numpy.array(some([-(2**63), 2**63 - 1, 0, 7]), "int64"),
        "value": numpy.array(some([0.0, -0.0, numpy.nan, 1.5, -numpy.inf]), "float64"),
        "digits": pandas.array(some(["1", "22", "-3"]), "str"),
    })


def parsed(pd: Any, frame: Any) -> Any:
    frame["when"] = pd.to_datetime(frame["at"], format="%Y-%m-%d %H:%M:%S")
    return frame


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "all": parsed,
    "parsed alone": lambda pd, frame: parsed(pd, frame)["when"],
    "filtered": lambda pd, frame: parsed(pd, frame)[frame["value"] > -1],
    "by the parsed": lambda pd, frame: parsed(pd, frame).loc[lambda made: made["when"] > "1999"],
    "sorted": lambda pd, frame: parsed(pd, frame).sort_values(["when", "number"], kind="stable"),
    "grouped": lambda pd, frame: parsed(pd, frame).groupby("key", dropna=False).agg(first=("when", "min"), n=("value", "count"), most=("number", "max")),
    "grouped by the parsed": lambda pd, frame: parsed(pd, frame).groupby("when")["value"].sum(),
    "parts": lambda pd, frame: parsed(pd, frame).assign(year=frame["when"].dt.year, hour=frame["when"].dt.hour)[["year", "hour", "key"]],
    "two parsed": lambda pd, frame: parsed(pd, frame).assign(n=pd.to_numeric(frame["digits"]), day=frame["when"].dt.normalize()),
    "joined to itself": lambda pd, frame: parsed(pd, frame).drop_duplicates("when").merge(frame[["when", "number"]], on="when"),
    "by position": lambda pd, frame: parsed(pd, frame).iloc[1:3],
    "labels": lambda pd, frame: parsed(pd, frame).set_index("when")["number"],
    "dropped": lambda pd, frame: parsed(pd, frame).dropna().reset_index(),
    "written to": lambda pd, frame: written(pd, frame),
}


def written(pd: Any, frame: Any) -> Any:
    made = parsed(pd, frame)
    made.loc[made["number"] > 0, "when"] = pd.Timestamp("2000-01-01")
    made["key"] = made["key"].fillna("none").str.upper()
    return made


@pytest.mark.parametrize("rows", [0, 1, 4, 31])
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_parsed_of_a_file(program: str, rows: int, tmp_path: Path, configuration: str) -> None:
    path = tmp_path / "file.parquet"
    table(rows).to_parquet(path)
    found = PROGRAMS[program](airloom.pandas, airloom.pandas.read_parquet(path))
    same(found, PROGRAMS[program](pandas, pandas.read_parquet(path)), 0.0)


@pytest.mark.parametrize("share", [1, 1 << 60], ids=["fits", "too large"])
def test_nothing_is_parsed_twice(share: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.parquet"
    table(12).to_parquet(path)
    expected = parsed(pandas, pandas.read_parquet(path))
    monkeypatch.setattr(loading, "_SHARE", share)
    programs: list[str] = []
    run = _native.run

    def ran(function: Any, *args: Any) -> Any:
        programs.append(function.text())
        return run(function, *args)

    monkeypatch.setattr(_native, "run", ran)
    frame = parsed(airloom.pandas, airloom.pandas.read_parquet(path))
    same(frame.groupby("key")["when"].min(), expected.groupby("key")["when"].min(), 0.0)
    same(frame[frame["number"] > 0], expected[expected["number"] > 0], 0.0)
    times = sum("dt.parse" in program for program in programs)
    assert times == 1 if share == 1 else times > 1


def test_a_file_that_is_removed_after_something_was_parsed_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    table(12).to_parquet(path)
    expected = parsed(pandas, pandas.read_parquet(path))
    frame = parsed(airloom.pandas, airloom.pandas.read_parquet(path))
    path.unlink()
    same(frame, expected, 0.0)


def test_a_file_that_is_written_to_after_something_was_parsed_gives_no_other_values(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    table(12).to_parquet(path)
    frame = parsed(airloom.pandas, airloom.pandas.read_parquet(path))
    with path.open("r+b") as file:
        file.write(b"other bytes")
    with pytest.raises(ChangedFileError):
        frame["value"].tolist()


def test_rows_that_are_kept_are_computed_once_for_each_column(tmp_path: Path, configuration: str) -> None:
    path = tmp_path / "file.parquet"
    table(31).to_parquet(path)

    def program(pd: Any) -> list[Any]:
        frame = pd.read_parquet(path)
        joined = frame.merge(pd.DataFrame({"key": ["b", "é"], "weight": [2, 3]}), on="key")
        first = joined.groupby("key")["number"].max()
        second = joined.groupby("weight")["value"].count()
        third = joined.assign(text=joined["key"] + joined["digits"]).groupby("text").size()
        return [list(first.items()), list(second.items()), list(third.items()), joined.sort_values(["number", "digits"], kind="stable")]

    for found, expected in zip(program(airloom.pandas), program(pandas), strict=True):
        same(found, expected, 0.0) if isinstance(expected, pandas.DataFrame) else None
        assert isinstance(expected, pandas.DataFrame) or found == expected
