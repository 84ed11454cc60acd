"""Files of text: every file and every argument reads as pandas reads it, to the bit."""

from __future__ import annotations

import random
import struct
import warnings
from pathlib import Path
from typing import Any

import compare
import numpy as np
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas._libs import parsers

import airloom
import airloom.pandas
from airloom import _report as report
from airloom.pandas.dispatch import choice
from airloom.pandas.files import csv_reader

#: Files that the engine reads without being told anything.
TEXTS: dict[str, str] = {
    "numbers": "a,b,c\n1,2.5,-3\n4,-0.0,6\n",
    "missing": "a,b,c,d\n1,,x,True\n,2.5,,\n3,nan,NA,False\n",
    "nulls": "a\n#N/A\n-1.#IND\n<NA>\nn/a\nnull\nNone\n-nan\n1\n",
    "truths": "a,b,c,d\nTrue,TRUE,true,tRuE\nFalse,FALSE,false,fALSe\n",
    "truths-and-numbers": "a,b\nTrue,1\n1,True\n",
    "text": "a,b\nx,1\n y ,2\nz,x\n",
    "unsigned": "a,b\n18446744073709551615,9223372036854775807\n1,-9223372036854775808\n",
    "spaces": "a,b,c\n 1, 2.5 ,x\n2 ,\t3, y\n",
    "signs": "a,b,c\n+1,+1.5,- 1\n-1,-1.5,+-1\n",
    "forms": "a,b,c,d,e\n1_000,0x10,1e400,.5,1.\n2,1,1e-400,5e5,1.E5\n",
    "infinity": "a,b\ninf,Infinity\n-inf,+INFINITY\n1,2.5\n",
    "quoted": 'a,b,c\n"1","x,y","2.5"\n"2","he said ""no""",""\n3,"two\nlines",NA\n',
    "quotes-inside": 'a,b\nx"y,1\n"x"y,2\n"x" y,3\n"x"",y",4\n',
    "quoted-missing": 'a,b\n"NA","nan"\n"x","1"\n',
    "empty-column": "a,b,c\n1,,\n2,,\n",
    "empty-lines": "\n\na,b\n\n1,2\n\n  \n\t\n3,4\n\n",
    "blank-fields": "a,b\n 1,x\n  ,y\n",
    "short": "a,b,c\n1,2,3\n4\n5,6\n",
    "repeated": "a,a,a.1,a\n1,2,3,4\n",
    "unnamed": ",b,\n1,2,3\n",
    "implicit": "a,b\nx,1,2\ny,3,4\n",
    "implicit-two": "a\nx,1,2\ny,3,4\n",
    "trailing": "a,b\n1,2,\n3,4,\n",
    "mark": "\ufeffa,b\n1,2\n",
    "windows": "a,b\r\n1,x\r\n\r\n2,y\r\n",
    "old": "a,b\r1,x\r2,y\r",
    "old-empty": "a,b\r\r1,x\r\r,y\r",
    "no-end": "a,b\n1,2\n3,4",
    "no-end-empty": "a,b\n1,2\n3,",
    "unicode": "größe,b\nä,日本\n€,\U0001f600\n",
    "zero": "a,b\nx\0y,1\n2\0,2\n",
    "header-only": "a,b,c\n",
    "one-column": "a\n1\n\n2\n",
    "wide": ",".join(f"c{at}" for at in range(300)) + "\n" + ",".join(str(at) for at in range(300)) + "\n",
    "days": "a,b,c\n2020-01-01,x,1\n2020-02-29,,2\n,y,3\n",
    "text-after-numbers": "a,b,c\n1,1.5,True\n2,2.5,False\nx,y,z\n",
}
#: What pandas complains about, or reads by ways of its own.
OTHERS: dict[str, str] = {
    "nothing": "",
    "blank": "\n\n",
    "long-line": "a,b\n1,2\n3,4,5\n",
    "open-quote": 'a,b\n1,"x\n2,3\n',
    "long-numbers": "a,b,c\n123456789012345678901234,1,18446744073709551615\n1,1.5,-1\n",
    "long-and-text": "a,b\n99999999999999999999,NA\nx,1\n,2\n",
    "long-and-missing": "a\n18446744073709551615\n\nNA\n",
}

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no-header": {"header": None},
    "later-header": {"header": 1},
    "names": {"names": ["x", "y", "z"]},
    "names-in-place": {"names": ["x", "y", "z"], "header": 0},
    "one-name": {"names": ["x"], "header": 0},
    "index": {"index_col": 0},
    "two-indexes": {"index_col": [0, 1]},
    "no-index": {"index_col": False},
    "some": {"usecols": [0]},
    "some-last": {"usecols": [1, 0]},
    "by-function": {"usecols": lambda name: name in ("a", "c", "größe")},
    "text": {"dtype": str},
    "float": {"dtype": "float64"},
    "one-float": {"dtype": {"a": "float32"}},
    "one-text": {"dtype": {"b": str}},
    "category": {"dtype": "category"},
    "one-int": {"dtype": {"a": "int8"}},
    "dates": {"parse_dates": [0]},
    "date-index": {"parse_dates": True, "index_col": 0},
    "nulls": {"na_values": ["x", "1"]},
    "null-numbers": {"na_values": [2.5, 3]},
    "nulls-of-one": {"na_values": {"a": ["1", 4], "b": "x"}},
    "own-nulls": {"keep_default_na": False, "na_values": ["NA"]},
    "no-default-nulls": {"keep_default_na": False},
    "no-nulls": {"na_filter": False},
    "skipped": {"skiprows": 1},
    "skipped-two": {"skiprows": 2, "header": None},
    "some-rows": {"nrows": 1},
    "no-rows": {"nrows": 0},
    "thousands": {"thousands": "_"},
    "comma": {"decimal": ","},
    "comment": {"comment": "x"},
    "quote": {"quotechar": "x"},
    "no-quotes": {"quoting": 3},
    "spaces": {"skipinitialspace": True},
    "truths": {"true_values": ["x", "1"], "false_values": ["y", "z"]},
    "at-once": {"low_memory": False},
    "other-separator": {"sep": " "},
    "left-lines": {"on_bad_lines": "skip"},
}


@pytest.fixture(params=[3, 1 << 19])
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many bytes are read at a time: a few, or all of them."""
    monkeypatch.setattr(csv_reader, "PIECE", request.param)
    return int(request.param)


def _check(path: Path, text: str | bytes, native: bool = False, **options: Any) -> None:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare.check(lambda pd: pd.read_csv(path, **options), native=native)


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str, tmp_path: Path, piece: int) -> None:
    _check(tmp_path / "file", TEXTS[name], True)


@pytest.mark.parametrize("name", OTHERS)
def test_others(name: str, tmp_path: Path, piece: int) -> None:
    _check(tmp_path / "file", OTHERS[name])


@pytest.mark.parametrize("options", OPTIONS)
def test_options(options: str, tmp_path: Path, piece: int) -> None:
    for text in (TEXTS | OTHERS).values():
        _check(tmp_path / "file", text, **OPTIONS[options])


NATIVE: dict[str, tuple[str, dict[str, Any]]] = {
    "tab": ("a\tb\n1\tx\n", {"sep": "\t"}),
    "semicolon": ("a;b\n1,5;x\n", {"sep": ";", "decimal": ","}),
    "delimiter": ("a|b\n1|x\n", {"delimiter": "|"}),
    "thousands": ('a,b\n"1,234","1,234.5"\n"12","1,234,567.25"\n', {"thousands": ","}),
    "long-thousands": ('a\n"1,234,567.123456789012345"\n"0.1"\n', {"thousands": ","}),
    "comment": ("# first\na,b # names\n1,2 # a row\n#3,4\n5,6\n", {"comment": "#"}),
    "comment-windows": ("# first\r\na,b # names\r\n1,2 # a row\r\n#3,4\r\n5,6\r\n", {"comment": "#"}),
    "header-named": ("a,b\n1,2\n", {"header": 0, "names": ["x", "y"]}),
    "names": ("1,2\n3,4\n", {"names": ["x", "y"]}),
    "no-header": ("1,x\n3,y\n", {"header": None}),
    "later-header": ("one\ntwo\na,b\n1,2\n", {"header": 2}),
    "skipped": ('one,"two\nlines"\nthree\na,b\n1,2\n', {"skiprows": 2}),
    "index": ("a,b\nx,1\ny,2\n", {"index_col": "a"}),
    "numbered-index": ("a,b\n3,1\n4,2\n", {"index_col": 0}),
    "two-indexes": ("a,b,c\nx,1,2\ny,3,4\n", {"index_col": ["a", "b"]}),
    "some": ("a,b,c\n1,2,3\n", {"usecols": ["c", "a"]}),
    "some-positions": ("a,b,c\n1,2,3\n", {"usecols": [0, 2]}),
    "some-of-long": ("a,b,c\n1,2,3\n1,2,3,4\n1\n", {"usecols": [0, 2]}),
    "some-index": ("a,b,c\n1,2,3\n", {"usecols": ["a", "c"], "index_col": "c"}),
    "by-function": ("a,b,c\n1,2,3\n", {"usecols": lambda name: name != "b"}),
    "types": ("a,b,c,d,e\n1,2,3,x,True\n4,5,6,,False\n", {"dtype": {"a": "int32", "b": "float32", "c": str, "d": "category", "e": bool}}),
    "one-type": ("a,b\n1,2\n", {"dtype": "float64"}),
    "text": ("a,b\n1,NA\n01,x\n", {"dtype": str}),
    "nullable-text": ("a,b\n1,NA\n01,x\n", {"dtype": "string"}),
    "numbers-as-categories": ("a,b\n3,x\n1,\n3,y\n", {"dtype": "category"}),
    "small": ("a\n300\n", {"dtype": "int8"}),
    "days": ("a,b\n2020-01-01,1\n2020-02-29,2\n,3\n", {"parse_dates": ["a"]}),
    "times": ("a,b\n2020-01-01 10:00:00,1\n2020-02-29 23:59:59,2\n,3\n", {"parse_dates": [0]}),
    "times-t": ("a\n2020-01-01T10:00:00\n0001-01-01T00:00:00\n9999-12-31T23:59:59\n", {"parse_dates": ["a"]}),
    "fractions": ("a,b,c\n2020-01-01 10:00:00.5,2020-01-01 10:00:00.123456,2020-01-01 10:00:00.123456789\n", {"parse_dates": ["a", "b", "c"]}),
    "minutes": ("a\n2020-01-01 10:00\n1969-01-01 10:01\n", {"parse_dates": ["a"]}),
    "utc": ("a,b\n2020-01-01T10:00:00Z,2020-01-01 10:00:00.123456789Z\n,\n", {"parse_dates": ["a", "b"]}),
    "other-days": ("a,b\n01/02/2020,1\n03/04/2020,2\n", {"parse_dates": ["a"]}),
    "mixed-days": ("a,b\n2020-01-01,1\n2020-01-02 10:00:00,2\n", {"parse_dates": ["a"]}),
    "wrong-days": ("a,b\n2020-01-01,1\n2020-02-30,2\n", {"parse_dates": ["a"]}),
    "no-days": ("a,b\nx,1\n,2\n", {"parse_dates": ["a"]}),
    "zoned-days": ("a\n2020-01-01T10:00:00+02:00\n2020-01-02T10:00:00+02:00\n", {"parse_dates": ["a"]}),
    "missing-days": ("a,b\n,1\n,2\n", {"parse_dates": ["a"]}),
    "day-form": ("a\n20200101\n20200102\n", {"parse_dates": ["a"], "date_format": "%Y%m%d"}),
    "day-index": ("a,b\n2020-01-01,1\n2020-01-02,2\n", {"parse_dates": True, "index_col": 0}),
    "day-first": ("a,b\n01/02/2020,1\n13/04/2020,2\n", {"parse_dates": ["a"], "dayfirst": True}),
    "nulls": ("a,b,c\n1,x,-\n-,2.5,y\n", {"na_values": "-"}),
    "null-numbers": ("a,b\n999,999.0\n1,2.5\n", {"na_values": [999]}),
    "nulls-of-one": ("a,b\n-,-\n1,2\n", {"na_values": {"a": ["-"]}}),
    "own-nulls": ("a,b\nNA,-\n1,\n", {"keep_default_na": False, "na_values": ["-"]}),
    "no-nulls": ("a,b\nNA,1\n,2\n", {"na_filter": False}),
    "rows": ("a,b\n1,x\n2,y\n3,4,5\n", {"nrows": 2}),
    "truths": ("a,b\nyes,y\nno,n\n", {"true_values": ["yes", "y"], "false_values": ["no", "n"]}),
    "spaces": ('a, b\n1, "x, y"\n2,  z\n', {"skipinitialspace": True}),
    "no-quotes": ('a,b\n"x,1\ny",2\n', {"quoting": 3}),
    "quote": ("a,b\n'x,y',1\n", {"quotechar": "'"}),
    "encoding": ("a\nä\n", {"encoding": "UTF8"}),
    "at-once": ("a\n1\nx\n", {"low_memory": False}),
}


@pytest.mark.parametrize("name", NATIVE)
def test_native(name: str, tmp_path: Path, piece: int) -> None:
    text, options = NATIVE[name]
    _check(tmp_path / "file", text, True, **options)


LEFT: dict[str, tuple[str, dict[str, Any], str]] = {
    "regex": ("a  b\n1 2\n", {"sep": r"\s+"}, "`sep`"),
    "several-headers": ("a,b\nc,d\n1,2\n", {"header": [0, 1]}, "header"),
    "some-lines": ("a,b\n1,2\n3,4\n", {"skiprows": [1]}, "skiprows"),
    "converters": ("a\n1\n", {"converters": {"a": int}}, "converters"),
    "python": ("a\n1\n", {"engine": "python"}, "engine"),
    "nullable": ("a\n1\n", {"dtype": "Int64"}, "Int64"),
    "backend": ("a\n1\n", {"dtype_backend": "pyarrow"}, "dtype_backend"),
    "skip-bad": ("a\n1\n2,3\n", {"on_bad_lines": "skip"}, "on_bad_lines"),
    "escape": ("a\n1\n", {"escapechar": "\\"}, "escapechar"),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_to_pandas(name: str, tmp_path: Path) -> None:
    text, options, reason = LEFT[name]
    _check(tmp_path / "file", text, **options)
    assert [entry.where for entry in airloom.report()] == ["pandas"]
    with airloom.strict(), pytest.raises(airloom.RefusedError, match=reason):
        airloom.pandas.read_csv(tmp_path / "file", **options)


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_types_by_parts(size: int, tmp_path: Path, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """pandas looks at types anew every few rows: what it puts together is what we read."""
    monkeypatch.setattr(parsers, "DEFAULT_BUFFER_HEURISTIC", size * 2)
    columns = [
        ["1", "2", "3", "4", "5", "6"],
        ["1", "2", "3", "4.5", "5", ""],
        ["x", "2", "3", "4", "5", "6"],
        ["x", "2", "y", "4", "z", "6"],
        ["", "", "", "", "x", "y"],
        ["True", "False", "True", "False", "True", "True"],
        ["True", "False", "", "False", "True", "True"],
        ["True", "False", "1", "False", "True", "x"],
        ["1", "2", "18446744073709551615", "4", "5", "6"],
        ["x", "NA", "99999999999999999999", "NA", "y", "z"],
        ["9007199254740993", "2", "3", "4.5", "5", "6"],
    ]
    for column in columns:
        _check(tmp_path / "file", "a\n" + "\n".join(column).replace("\n\n", '\n""\n') + "\n", skip_blank_lines=True)
        _check(tmp_path / "file", "a,b\n" + "".join(f"{value},{at}\n" for at, value in enumerate(column)))


def test_floats_are_pandas_own(tmp_path: Path) -> None:
    """Decimal texts of all lengths and exponents, and all bits."""
    source = random.Random(1)
    texts = [repr(struct.unpack("<d", source.randbytes(8))[0]) for _ in range(3000)]
    for _ in range(9000):
        digits = "".join(source.choices("0123456789", k=source.randint(1, 25)))
        point = source.randint(0, len(digits))
        exponent = source.choice(["", "", f"e{source.randint(-340, 320)}", f"E+{source.randint(0, 30)}"])
        texts.append(source.choice(["", "-", "+", " ", " +"]) + digits[:point] + source.choice([".", "."]) + digits[point:] + exponent)
    (tmp_path / "file").write_text("a\n" + "\n".join(texts) + "\n")
    for options in ({}, {"thousands": "_"}):
        found, expected = airloom.pandas.read_csv(tmp_path / "file", **options), pandas.read_csv(tmp_path / "file", **options)
        assert found["a"].dtype == expected["a"].dtype == np.float64
        assert (found["a"].to_numpy().view(np.int64) == expected["a"].to_numpy().view(np.int64)).all()
    assert all(entry.where == "native" for entry in airloom.report() if entry.operation == "read_csv")


_FIELDS = st.one_of(
    st.text(st.sampled_from(list('ab,"\n\r \t\'é€1.-#;')), max_size=6),
    st.integers(-(10**6), 10**6).map(str),
    st.floats(allow_nan=False).map(repr),
    st.sampled_from(["", "NA", "nan", "True", "False", "inf", "1e5", "2020-01-01", "0"]),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    rows=st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(_FIELDS, min_size=width, max_size=width), min_size=1, max_size=12)),
    always=st.booleans(),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    size=st.sampled_from([1, 2, 5, 17, 1 << 19]),
    header=st.sampled_from([None, 0]),
)
def test_random_tables(rows: list[list[str]], always: bool, end: str, size: int, header: int | None, tmp_path: Path) -> None:
    def written(field: str) -> str:
        return '"' + field.replace('"', '""') + '"' if always or set(field) & set(',"\n\r') else field

    text = "".join(",".join(map(written, row)) + end for row in rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_reader, "PIECE", size)
        _check(tmp_path / "file", text, header=header)


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(st.sampled_from(list('a1,,,"\n\n\r #.é')), max_size=60),
    size=st.sampled_from([1, 2, 5, 1 << 19]),
    options=st.sampled_from([{}, {"comment": "#"}, {"header": None}, {"skipinitialspace": True}, {"skiprows": 1}, {"usecols": [0]}, {"index_col": False}, {"names": ["x", "y"]}]),
)
def test_random_texts(text: str, size: int, options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_reader, "PIECE", size)
        _check(tmp_path / "file", text, **options)


def test_text_that_is_not_unicode(tmp_path: Path) -> None:
    _check(tmp_path / "file", b"a,b\n\xff,1\n")
    _check(tmp_path / "file", b"a,b\n\xc3,1\n\xa9,2\n")
    _check(tmp_path / "file", b"a,b\n\xff,1\n", True, usecols=["b"])


def test_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", None]})
    for name in ("file.csv", "file.csv.gz"):
        frame.to_csv(tmp_path / name, index=False)
        compare.check(lambda pd, name=name: pd.read_csv(str(tmp_path / name)))
    monkeypatch.setenv("HOME", str(tmp_path))
    compare.check(lambda pd: pd.read_csv("~/file.csv"))
    compare.check(lambda pd: pd.read_csv(tmp_path / "none.csv"))
    compare.check(lambda pd: pd.read_csv(tmp_path))
    with open(tmp_path / "file.csv") as file:
        assert type(airloom.pandas.read_csv(file)) is airloom.pandas.DataFrame
    compare.check(lambda pd: pd.read_table(tmp_path / "file.csv"))
    compare.check(lambda pd: pd.read_table(tmp_path / "file.csv", sep=","))


def test_a_file_that_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    pandas.DataFrame({"a": range(100), "b": list("xyzw") * 25}).to_csv(path, index=False)
    expected = pandas.read_csv(path)
    frame = airloom.pandas.read_csv(path)
    kept = frame[frame["a"] > 50]
    kept.to_csv(path, index=False)
    assert kept["a"].sum() == expected["a"][51:].sum()
    path.unlink()
    assert frame["b"].tolist() == expected["b"].tolist()


def test_small_files_stay_with_pandas(tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_text("a\n1\n")
    choice.settings.threshold = 20_000
    found = airloom.pandas.read_csv(tmp_path / "file.csv")
    assert type(found) is airloom.pandas.DataFrame and found["a"].tolist() == [1]
    assert not any(entry.operation == "read_csv" for entry in report.report())


def test_warnings_are_of_the_line_that_asked(tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_text("a\nx\ny\n")
    with pytest.warns(UserWarning, match="Could not infer format") as told:
        airloom.pandas.read_csv(tmp_path / "file.csv", parse_dates=["a"])
    assert [warning.filename for warning in told] == [__file__]
