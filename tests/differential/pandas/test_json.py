"""Files of JSON records: every file and every argument reads as pandas reads it, to the bit."""

from __future__ import annotations

import io
import json
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check

import airloom
import airloom.pandas
from airloom import _report as report
from airloom.pandas.dispatch import choice
from airloom.pandas.files import json_reader
from airloom.pandas.interface.checking import same

#: Records that the engine reads.
RECORDS: dict[str, list[str]] = {
    "plain": ['{"a":1,"b":"x","c":2.5,"d":true}', '{"a":2,"b":"y","c":-0.0,"d":false}'],
    "spaces": [' { "a" : 1 , "b" :\t"x" } ', '{"a":2,"b":"y"}\r'],
    "missing": ['{"a":1,"b":null,"c":null,"d":true}', '{"a":null,"b":"y","c":null,"d":null}'],
    "absent": ['{"a":1}', '{"b":"y"}', '{"c":true,"a":2}', '{"d":null}'],
    "order": ['{"b":1,"a":2}', '{"c":0,"a":1,"b":3}'],
    "empty-record": ['{"a":1}', "{}", '{"a":3}'],
    "truths": ['{"a":true}', '{"a":false}'],
    "truths-and-null": ['{"a":true,"b":null}', '{"a":null,"b":null}', '{"a":false}'],
    "whole-then-float": ['{"a":1}', '{"a":2.5}', '{"a":3}'],
    "float-that-is-whole": ['{"a":1.0}', '{"a":2.0}'],
    "float-that-is-whole-and-null": ['{"a":1.0}', '{"a":null}'],
    "extremes": ['{"a":9223372036854775807,"b":-9223372036854775808}', '{"a":0,"b":-0}'],
    "large-and-missing": ['{"a":9007199254740993}', '{"a":null}'],
    "not-numbers": ['{"a":NaN,"b":Infinity,"c":-Infinity}', '{"a":1,"b":1.5,"c":2}'],
    "digits": ['{"a":"1","b":"1.5","c":"x","d":"01"}', '{"a":"2","b":"2","c":"1","d":"2"}'],
    "digits-later": ['{"a":null,"b":"x","date":"x"}', '{"a":"x","b":"1","date":"y"}', '{"a":"1","b":"2","date":"1"}'],
    "words-of-numbers": ['{"a":"nan","b":" 1 ","c":"1_0","d":"inf"}', '{"a":"1","b":"2","c":"3","d":null}'],
    "text-only": ['{"a":"x","b":"y"}', '{"a":"z","b":null}'],
    "no-text": ['{"a":null,"b":"x"}', '{"a":null,"b":null}'],
    "digits-and-null": ['{"a":"1"}', '{"a":null}'],
    "escaped": [r'{"a":"\"\\\/\b\f\n\r\t","b":"\u00e4\ud83d\ude00","\u0061b\"":1}', r'{"a":"","b":"ä😀","\u0061b\"":2}'],
    "unicode": ['{"größe":"ä","日本":"\U0001f600"}', '{"größe":"€","日本":""}'],
    "dates": ['{"date":"2020-01-01","at":"2020-01-01"}', '{"date":"2020-01-02T10:00:00","at":null}'],
    "date-numbers": ['{"created_at":1577836800,"timestamp":1577836800000,"modified":5}', '{"created_at":1577836801,"timestamp":1,"modified":6}'],
    "no-dates": ['{"date":"x","datetime":"2020-13-01"}', '{"date":"y","datetime":"z"}'],
    "names-that-are-numbers": ['{"1":1,"2":2}', '{"1":3,"2":4}'],
    "names-that-are-dates": ['{"2020-01-01":1,"2020-01-02":2}', '{"2020-01-01":3,"2020-01-02":4}'],
    "no-name": ['{"":1}', '{"":2}'],
    "one": ['{"a":1}'],
    "wide": ["{" + ",".join(f'"c{at}":{at}' for at in range(300)) + "}"],
    "long-text": ['{"a":"' + "x" * 5000 + '"}', '{"a":"},{"}'],
    "exponents": ['{"a":1e5,"b":1.5E-3,"c":1e+2,"d":1e-400}', '{"a":0e0,"b":123.456e10,"c":2,"d":1e400}'],
}

#: Records that pandas reads itself, or complains about.
LEFT: dict[str, list[str]] = {
    "nested": ['{"a":{"b":1}}', '{"a":[1,2]}'],
    "mixed": ['{"a":1}', '{"a":"x"}'],
    "mixed-truths": ['{"a":true}', '{"a":1}'],
    "twice": ['{"a":1,"a":2}'],
    "huge": ['{"a":18446744073709551615}', '{"a":1}'],
    "too-huge": ['{"a":123456789012345678901234567890}'],
    "many-digits": ['{"a":12345678901234567890.5}'],
    "no-records": ["1", "2"],
    "lists": ["[1,2]", "[3,4]"],
    "nothing": [],
    "empty": ["{}", "{}"],
    "leading-zero": ['{"a":01}'],
    "no-fraction": ['{"a":1.}'],
    "half": [r'{"a":"\ud83d"}'],
    "wrong-escape": [r'{"a":"\x"}'],
    "no-quote": ['{"a":"x}'],
    "no-key": ["{1:2}"],
    "no-value": ['{"a":}'],
    "no-brace": ['{"a":1'],
    "trailing-comma": ['{"a":1,}'],
    "word": ['{"a":nope}'],
    "minus": ['{"a":-}'],
    "two": ['{"a":1},{"a":2}'],
    "zero": ['{"a":"x\0y"}'],
    "line-in-text": ['{"a":"x\ny"}', '{"a":"z"}'],
    "line-in-record": ['{"a":1,\n"b":2}'],
    "mark": ['\ufeff{"a":1}'],
    "other-space": ['{"a":1}\x0b'],
}


@pytest.fixture(params=[1, 20, 1 << 21])
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """About how many bytes are read at a time."""
    monkeypatch.setattr(json_reader, "PIECE", request.param)
    return int(request.param)


def texts(records: list[str]) -> list[tuple[str, bool]]:
    """A file with a line for each, files without a last line end, and an array of them."""
    return [
        ("\n".join(records) + "\n", True),
        ("\n\n".join(records), True),
        ("[" + ",".join(records) + "]", False),
        (" [\n" + " ,\n".join(records) + "\n]\n", False),
    ]


@pytest.mark.parametrize("name", RECORDS)
def test_records(name: str, tmp_path: Path, piece: int) -> None:
    path = tmp_path / "x.json"
    for text, lines in texts(RECORDS[name]):
        path.write_text(text, encoding="utf-8", newline="")
        check(lambda pd, lines=lines: pd.read_json(path, lines=lines))
        check(lambda pd, lines=lines: pd.read_json(str(path), orient="records", lines=lines, precise_float=True), native="exponents" not in name)
        check(lambda pd, lines=lines: pd.read_json(path, lines=lines, dtype=False, convert_axes=False))


@pytest.mark.parametrize("name", LEFT)
def test_what_pandas_reads(name: str, tmp_path: Path, piece: int) -> None:
    path = tmp_path / "x.json"
    for text, lines in texts(LEFT[name]):
        path.write_text(text, encoding="utf-8", newline="")
        check(lambda pd, lines=lines: pd.read_json(path, lines=lines), native=False)
        check(lambda pd, lines=lines: pd.read_json(path, lines=lines, precise_float=True), native=False)


ARGUMENTS: dict[str, dict[str, Any]] = {
    "records": {"orient": "records"},
    "columns": {"orient": "columns"},
    "values": {"orient": "values"},
    "dtypes": {"dtype": {"a": "float64", "b": "string"}},
    "one-dtype": {"dtype": "object"},
    "wrong-dtype": {"dtype": {"b": "int64"}},
    "axes": {"convert_axes": False},
    "precise": {"precise_float": True},
    "unit": {"date_unit": "s"},
    "encoding": {"encoding": "UTF8"},
    "no-compression": {"compression": None},
}


@pytest.mark.parametrize("name", ["plain", "missing", "dates", "date-numbers", "digits"])
@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_arguments(arguments: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text, lines in texts(RECORDS[name]):
        path.write_text(text, encoding="utf-8", newline="")
        check(lambda pd, lines=lines: pd.read_json(path, lines=lines, **ARGUMENTS[arguments]))


def test_arguments_that_are_left(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("\n".join(RECORDS["plain"]))
    array = tmp_path / "array.json"
    array.write_text("[" + ",".join(RECORDS["plain"]) + "]")
    programs: list[Any] = [
        lambda pd: pd.read_json(path, lines=True, nrows=1),
        lambda pd: list(pd.read_json(path, lines=True, chunksize=1)),
        lambda pd: pd.read_json(path, lines=True, dtype_backend="numpy_nullable"),
        lambda pd: pd.read_json(path, lines=True, engine="pyarrow"),
        lambda pd: pd.read_json(path, lines=True, encoding="latin-1"),
        lambda pd: pd.read_json(path, lines=True, encoding="no-such"),
        lambda pd: pd.read_json(path, lines=True, orient="index"),
        lambda pd: pd.read_json(path, lines=True, orient="split"),
        lambda pd: pd.read_json(path, lines=True, orient="nothing"),
        lambda pd: pd.read_json(path, lines=True, date_unit="weeks"),
        lambda pd: pd.read_json(path, lines=1),
        lambda pd: pd.read_json(path, lines=True, typ="series"),
        lambda pd: pd.read_json(path, lines=True, compression="gzip"),
        lambda pd: pd.read_json(path, nothing=1),
        lambda pd: pd.read_json(array, orient="table"),
        lambda pd: pd.read_json(array, "records"),
        lambda pd: pd.read_json(path),
        lambda pd: pd.read_json(array, lines=True),
        lambda pd: pd.read_json(tmp_path / "none.json"),
        lambda pd: pd.read_json(tmp_path),
        lambda pd: pd.read_json(io.StringIO(array.read_text())),
        lambda pd: pd.read_json('{"a": 1}'),
    ]
    for program in programs:
        check(program, native=False)
    for orient in ("split", "index", "columns", "values", "table"):
        pandas.DataFrame({"a": [1, 2], "b": ["x", None]}).to_json(array, orient=orient)  # type: ignore[arg-type]
        check(lambda pd, orient=orient: pd.read_json(array, orient=orient), native=False)
    path.write_bytes('{"a":"ä"}'.encode("latin-1"))
    check(lambda pd: pd.read_json(path, lines=True), native=False)


@pytest.mark.parametrize("words", [{"convert_dates": False}, {"convert_dates": ["a"]}, {"keep_default_dates": False}, {"convert_dates": True}])
def test_warnings(words: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a":1577836800,"date":1577836800}\n')
    with pytest.warns(Warning) as expected:
        wanted = pandas.read_json(path, lines=True, **words)
    with pytest.warns(Warning) as told:
        found = airloom.pandas.read_json(path, lines=True, **words)
    same(found, wanted, 0.0)
    assert [(str(w.message), w.category, w.filename) for w in told] == [(str(w.message), w.category, w.filename) for w in expected]
    assert ("read_json", "native") in {entry[:2] for entry in report.LOG.entries}


def _numbers(count: int) -> list[str]:
    """Numbers in many forms."""
    chance = random.Random(5)
    found = []
    for _ in range(count):
        kind = chance.randrange(6)
        if kind == 0:
            value = struct.unpack("<d", chance.randbytes(8))[0]
            found.append(repr(value) if np.isfinite(value) else "0.5")
        elif kind == 1:
            found.append(f"{chance.uniform(-1e6, 1e6):.{chance.randrange(1, 18)}f}")
        elif kind == 2:
            found.append(f"{chance.uniform(-10, 10):.{chance.randrange(0, 17)}e}")
        elif kind == 3:
            found.append(repr(chance.gauss(0, 1)))
        elif kind == 4:
            found.append(f"{chance.randrange(10 ** chance.randrange(1, 18))}.{chance.randrange(10 ** chance.randrange(1, 25)):0{chance.randrange(1, 20)}d}")
        else:
            found.append(f"{chance.randrange(-1000, 1000)}e{chance.choice(['', '+', '-'])}{chance.randrange(330)}")
    return found


@pytest.mark.parametrize("precise", [False, True])
def test_floats_to_the_bit(precise: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    numbers = _numbers(20_000)
    if precise:
        # Those that no float is near to pandas complains about.
        numbers = [text for text in numbers if 1e-300 < abs(float(text)) < 1e300]
    path.write_text("".join(f'{{"a":{text}}}\n' for text in numbers))
    expected = pandas.read_json(path, lines=True, precise_float=precise)
    with airloom.strict():
        found = airloom.pandas.read_json(path, lines=True, precise_float=precise)
    assert ("read_json", "native") in {entry[:2] for entry in report.LOG.entries}
    assert found["a"].to_numpy().tobytes() == expected["a"].to_numpy().tobytes()


def test_many_rows(tmp_path: Path, piece: int) -> None:
    path = tmp_path / "x.json"
    chance = random.Random(7)
    rows = []
    for at in range(500):
        row: dict[str, Any] = {"n": at, "f": chance.random(), "s": chance.choice(["x", "yy", "ä\"\\/", None]), "b": chance.random() < 0.5}
        if at > 400 and chance.random() < 0.5:
            row["late"] = at
        rows.append(row)
    path.write_text("\n".join(json.dumps(row, ensure_ascii=chance.random() < 0.5) for row in rows))
    check(lambda pd: pd.read_json(path, lines=True))
    check(lambda pd: pd.read_json(path, lines=True)[lambda d: d["n"] > 450].groupby("s")["late"].sum())
    path.write_text(json.dumps(rows, indent=1))
    check(lambda pd: pd.read_json(path))


def test_small_files_stay(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("\n".join(RECORDS["plain"]))
    choice.settings.threshold = 100
    report.LOG.clear()
    found = airloom.pandas.read_json(path, lines=True)
    assert type(found) is airloom.pandas.DataFrame and not report.LOG.entries
