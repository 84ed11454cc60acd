"""Files of text in pieces: each piece, and what is said of a file that goes wrong in one of them, is as pandas has it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import compare
import pandas
import pytest
from test_csv import TEXTS

import airloom
import airloom.pandas
from airloom import _report as report

ROWS = "".join(f"{at},{at * 0.1!r},x{at % 7},2020-01-{1 + at % 28:02}\n" for at in range(500))
LONG = "a,b,c,d\n" + ROWS
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "labels": {"index_col": "a"},
    "labels-of-two": {"index_col": [0, 2]},
    "no-labels": {"index_col": False},
    "some": {"usecols": ["b", "d"]},
    "dates": {"parse_dates": ["d"]},
    "dtypes": {"dtype": {"a": "float32", "c": "category"}},
    "text": {"dtype": str},
    "no-header": {"header": None},
    "names": {"names": ["p", "q", "r", "s"], "header": 0},
    "skipped": {"skiprows": 3},
    "rows": {"nrows": 120},
    "slow": {"low_memory": False},
    "missing": {"na_values": ["x3", 7]},
}


def _pieces(pd: Any, path: Path, size: int, **options: Any) -> list[Any]:
    """All pieces, and what ends them where that is an error."""
    found: list[Any] = []
    try:
        with pd.read_csv(path, chunksize=size, **options) as reader:
            found.extend(reader)
    except Exception as error:
        found.append((type(error).__name__, str(error)))
    return found


@pytest.mark.parametrize("size", [1, 2, 1000])
@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str, size: int, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(TEXTS[name].encode())
    compare.check(lambda pd: _pieces(pd, path, size), native=False)


@pytest.mark.parametrize("size", [1, 64, 100, 499, 500, 501])
@pytest.mark.parametrize("name", OPTIONS)
def test_options(name: str, size: int, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(LONG)
    # A piece in which all numbers are what is missing, or lines between those that are skipped, may be pandas' to read.
    compare.check(lambda pd: _pieces(pd, path, size, **OPTIONS[name]), native=name != "missing")


def test_pieces_of_other_sizes(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(LONG)

    def read(pd: Any) -> list[Any]:
        with pd.read_csv(path, chunksize=100) as reader:
            return [reader.get_chunk(7), next(reader), reader.get_chunk(0), reader.get_chunk(1), reader.read(), type(reader).__mro__[-4].__name__]

    compare.check(read)


@pytest.mark.parametrize("at", [0, 99, 100, 250, 499])
@pytest.mark.parametrize("line", ["1,2,3,4,5\n", '1,"2\n', "x,y,z,\n", "9223372036854775808,1,1,1\n", ",,,\n"])
def test_what_changes_within_the_file(line: str, at: int, tmp_path: Path) -> None:
    """Later pieces may have other dtypes, or be pandas' to read, or to complain about: those before stay what they were."""
    rows = LONG.splitlines(keepends=True)
    path = tmp_path / "x.csv"
    path.write_text("".join([*rows[: at + 1], line, *rows[at + 1 :]]))
    compare.check(lambda pd: _pieces(pd, path, 100), native=False)


@pytest.mark.parametrize("change", ["removed", "replaced", "appended"])
def test_file_changes_between_pieces(change: str, tmp_path: Path) -> None:
    """The file is held open, as pandas holds it."""
    path = tmp_path / "x.csv"

    def read(pd: Any) -> list[Any]:
        path.write_text(LONG)
        reader = pd.read_csv(path, chunksize=100)
        first = next(reader)
        if change == "removed":
            path.unlink()
        elif change == "replaced":
            (tmp_path / "y.csv").write_text("z\n1\n")
            os.replace(tmp_path / "y.csv", path)
        else:
            with open(path, "a") as file:
                file.write(ROWS)
        rest = list(reader)
        # How much of a file that grows is read already is the reader's own affair.
        return [first, *(rest if change != "appended" else rest[:4])]

    compare.check(read)


def test_who_reads_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(LONG + "1,2,3,4,5\n")
    report.LOG.clear()
    with pytest.raises(pandas.errors.ParserError):
        for piece in airloom.pandas.read_csv(path, chunksize=100):
            assert isinstance(piece, airloom.pandas.DataFrame)
    told = [(entry.where, entry.reason) for entry in airloom.report() if entry.operation == "read_csv"]
    assert ("native", "") in told and ("raised", "a line with too many fields") in told
    with airloom.strict(), pytest.raises(airloom.RefusedError, match="a line with too many fields"):
        list(airloom.pandas.read_csv(path, chunksize=100))
