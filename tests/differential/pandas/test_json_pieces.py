"""Lines of JSON in pieces: each piece, and what is said of a file that goes wrong in one of them, is as pandas has it."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import compare
import pytest

import airloom
import airloom.pandas
from airloom import _report as report

ROWS = [{"a": at, "b": at * 0.1, "c": f"x{at % 7} ä", "date": 1_577_836_800 + at, "t": at % 2 == 0} for at in range(500)]
LONG = "".join(json.dumps(row) + "\n" for row in ROWS)
TEXTS = {
    "long": LONG,
    "ascii": "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in ROWS),
    "blank": LONG.replace("\n", "\n\n", 20),
    "uneven": '{"a": 1}\n{"b": "x"}\n{"a": null, "b": "2020-01-01"}\n{"c": [1, 2]}\n{"c": {"d": 1}}\n',
    "changing": '{"a": 1}\n{"a": 1.5}\n{"a": "x"}\n{"a": true}\n{"a": null}\n',
    "broken": '{"a": 1}\n{"a": 2}\n{"a": \n',
    "empty": "",
}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "rows": {"nrows": 120},
    "no-dates": {"convert_dates": False},
    "dtypes": {"dtype": {"a": "float32", "c": "category"}},
    "as-it-is": {"dtype": False},
    "precise": {"precise_float": True},
    "unit": {"date_unit": "s"},
    "records": {"orient": "records"},
}


def _pieces(pd: Any, source: Any, size: int, **options: Any) -> list[Any]:
    """All pieces, and what ends them where that is an error."""
    found: list[Any] = []
    try:
        with pd.read_json(source, lines=True, chunksize=size, **options) as reader:
            found.extend(reader)
    except Exception as error:
        found.append((type(error).__name__, str(error)))
    return found


@pytest.mark.parametrize("size", [1, 2, 100, 1000])
@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str, size: int, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(TEXTS[name], encoding="utf-8")
    compare.check(lambda pd: _pieces(pd, path, size), native=False)


@pytest.mark.parametrize("size", [64, 500, 501])
@pytest.mark.parametrize("name", OPTIONS)
def test_options(name: str, size: int, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(LONG, encoding="utf-8")
    compare.check(lambda pd: _pieces(pd, path, size, **OPTIONS[name]))


def test_compressed_files_and_open_ones(tmp_path: Path) -> None:
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(LONG.encode()))
    compare.check(lambda pd: _pieces(pd, path, 200))
    compare.check(lambda pd: _pieces(pd, io.StringIO(LONG), 200))
    compare.check(lambda pd: pd.read_json(path, lines=True, chunksize=200).read())


def test_each_piece_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(LONG, encoding="utf-8")
    report.LOG.clear()
    pieces = _pieces(airloom.pandas, path, 100)
    assert [len(piece) for piece in pieces] == [100] * 5
    assert all(type(piece) is airloom.pandas.DataFrame for piece in pieces)
    assert "read_json" in str(airloom.report())


@pytest.mark.parametrize("size", [0, -1, 1.5, "2"])
def test_sizes_that_are_none(size: Any) -> None:
    compare.check(lambda pd: _pieces(pd, io.StringIO(LONG), size), native=False)
