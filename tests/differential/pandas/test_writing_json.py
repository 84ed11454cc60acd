"""Frames and series as JSON: byte for byte what pandas writes."""

from __future__ import annotations

import io
import random
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES, mixed

import airloom
import airloom.pandas
from airloom.pandas.dispatch import wrapping
from airloom.pandas.internals import state

pytestmark = pytest.mark.filterwarnings("ignore:The default formatting of datetime", "ignore:'epoch' date format")

ORIENTS = ("records", "columns", "index", "split", "values")

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "iso": {"date_format": "iso"},
    "epoch": {"date_format": "epoch"},
    "seconds": {"date_unit": "s"},
    "micro-iso": {"date_unit": "us", "date_format": "iso"},
    "seconds-iso": {"date_unit": "s", "date_format": "iso"},
    "letters": {"force_ascii": False},
    "digits": {"double_precision": 3},
    "no-digits": {"double_precision": 0},
    "all-digits": {"double_precision": 15},
    "indented": {"indent": 2},
    "not-indented": {"indent": 0},
}


def plain(rows: int = 12) -> pandas.DataFrame:
    """Columns of which nothing is left to pandas."""
    texts = ["a", 'q"\\/', "", None, "größe", "日本\U0001f600", "\x00\x1f\x7f\n\t\b\f\r", "</a>&'"]
    floats = [0.1, -0.0, np.nan, np.inf, -np.inf, 1e16, 1e17, -1e-16, 123456.123456789, -1e-12, 0.5, 2.5]
    return pandas.DataFrame(
        {
            "n": np.arange(rows) * 7 - 3,
            "s": [texts[at % len(texts)] for at in range(rows)],
            "f": [floats[at % len(floats)] for at in range(rows)],
            "b": [at % 3 == 0 for at in range(rows)],
            "größe/": np.arange(rows, dtype="uint8"),
            "t": pandas.date_range("1969-12-31 23:59:58", periods=rows, freq="333333us"),
        }
    )


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("orient", ORIENTS)
@pytest.mark.parametrize("rows", [0, 1, 12])
def test_frames(rows: int, orient: str, options: str, configuration: str) -> None:
    check(lambda pd, df: df.to_json(orient=orient, **OPTIONS[options]), plain(rows))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("orient", [*ORIENTS, "table"])
def test_frames_of_all_kinds(orient: str, frame: str, configuration: str) -> None:
    check(lambda pd, df: df.to_json(orient=orient), FRAMES[frame](), native=False)
    check(lambda pd, df: df[["k", "f", "s"]].reset_index(drop=True).to_json(orient=orient), FRAMES[frame](), native=orient != "table")


@pytest.mark.parametrize("rows", [0, 1, 12])
def test_lines(rows: int, configuration: str) -> None:
    check(lambda pd, df: df.to_json(orient="records", lines=True), plain(rows))
    check(lambda pd, df: df.to_json(orient="records", lines=True, force_ascii=False, date_format="iso"), plain(rows))
    check(lambda pd, df: df[df["n"] > 5].assign(m=lambda d: d["n"] / 3).to_json(orient="records", lines=True), plain(rows))
    check(lambda pd, df: df.to_json(orient="records", lines=True, indent=1), plain(rows), native=False)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("orient", [None, "records", "index", "split", "values"])
def test_series(orient: str | None, options: str, configuration: str) -> None:
    for name in ("n", "s", "f", "b", "t"):
        check(lambda pd, s: s.to_json(orient=orient, **OPTIONS[options]), plain()[name])
    check(lambda pd, s: s.to_json(orient=orient, **OPTIONS[options]), plain()["n"].rename(None))
    check(lambda pd, s: s.to_json(orient=orient, **OPTIONS[options]), plain()["n"].rename(5))


LABELS: dict[str, tuple[Any, bool]] = {
    "text": (["x", "ö/", '"', ""], True),
    "numbers": ([4, -3, 2, 1], True),
    "narrow": (np.array([1, 2, 3, 4], "uint8"), True),
    "range": (pandas.RangeIndex(10, 2, -2), True),
    "twice": (["x", "y", "x", "z"], False),
    "missing": (["x", None, "y", "z"], False),
    "floats": ([1.5, 2.0, 3.0, 4.0], False),
    "days": (pandas.date_range("2020-01-01", periods=4), False),
    "lengths": (pandas.to_timedelta([1, 2, 3, 4], unit="D"), False),
    "truths": ([True, False, True, False], False),
    "two": (pandas.MultiIndex.from_product([["a", "b"], [1, 2]]), False),
    "categories": (pandas.CategoricalIndex(["x", "y", "z", "w"]), False),
}


@pytest.mark.parametrize("orient", ORIENTS)
@pytest.mark.parametrize("labels", LABELS)
def test_labels_of_rows(labels: str, orient: str, configuration: str) -> None:
    index, native = LABELS[labels]
    frame = plain(4)[["n", "s"]].set_axis(index)
    check(lambda pd, df: df.to_json(orient=orient), frame, native=native)
    check(lambda pd, df: df.to_json(orient=orient, indent=1), frame, native=native)
    check(lambda pd, df: df[df["n"] > 0].to_json(orient=orient), frame, native=False)
    if orient != "columns":
        check(lambda pd, df: df["n"].to_json(orient=orient), frame, native=native)


COLUMNS: dict[str, tuple[Any, bool]] = {
    "numbers": ([5, -1], True),
    "twice": (["a", "a"], False),
    "floats": ([1.5, 2.0], False),
    "tuples": (pandas.MultiIndex.from_tuples([("a", 1), ("b", 2)]), False),
    "mixed": (["a", 1], True),
    "missing": (["a", None], False),
    "days": (pandas.date_range("2020-01-01", periods=2), False),
    "truths": ([True, False], False),
}


@pytest.mark.parametrize("orient", ORIENTS)
@pytest.mark.parametrize("columns", COLUMNS)
def test_labels_of_columns(columns: str, orient: str, configuration: str) -> None:
    labels, native = COLUMNS[columns]
    check(lambda pd, df: df.to_json(orient=orient), plain()[["n", "s"]].set_axis(labels, axis=1), native=native)


def kinds() -> pandas.DataFrame:
    moments = pandas.to_datetime(["2020-01-01 10:11:12.123456789", "1969-12-31 23:59:59.999999999", None, "9999-12-31"], format="ISO8601", errors="coerce")
    made: dict[str, Any] = {
        "Int64": pandas.array([1, None, -(2**63), 2**63 - 1], "Int64"),
        "UInt8": pandas.array([1, None, 0, 255], "UInt8"),
        "Float64": pandas.array([1.5, None, np.nan, -0.0], "Float64"),
        "boolean": pandas.array([True, None, False, True], "boolean"),
        "string": pandas.array(["a", None, "ö", ""], "string"),
        "str": pandas.array(["a", None, "ö", ""], "str"),
        "arrow": pandas.array([1, None, 2, 3], "int64[pyarrow]"),
        "arrow-text": pandas.array(["a", None, "ö", ""], "string[pyarrow]"),
        "category": pandas.Categorical(["a", None, "ö/", "a"]),
        "uint64": np.array([2**64 - 1, 2**63, 0, 1], "uint64"),
        "int64": np.array([-(2**63), 2**63 - 1, 0, 1]),
        "int8": np.array([-128, 127, 0, 1], "int8"),
        "float32": np.array([0.1, 1 / 3, np.nan, np.inf], "float32"),
        "all-missing": [np.nan] * 4,
        "zoned": pandas.to_datetime(["2020-01-01", "2020-07-01", None, "1969-12-31"]).tz_localize("Europe/Berlin"),
    }
    for unit in ("s", "ms", "us", "ns"):
        made[f"at-{unit}"] = moments.where(moments.year < 2200).as_unit(unit)
        made[f"for-{unit}"] = pandas.to_timedelta([1, -1, None, 0], unit="D").as_unit(unit)
    return pandas.DataFrame(made)


@pytest.mark.parametrize("column", kinds().columns)
def test_columns(column: str, configuration: str) -> None:
    frame = kinds()[[column]]
    for orient in ORIENTS:
        check(lambda pd, df, orient=orient: df.to_json(orient=orient), frame)
    for unit in ("s", "ms", "us", "ns"):
        check(lambda pd, df, unit=unit: df.to_json(orient="records", date_unit=unit), frame)
        check(lambda pd, df, unit=unit: df.to_json(orient="values", date_unit=unit, date_format="iso"), frame, native=not column.startswith("for"))
    check(lambda pd, df: df[column].to_json(), frame)


OTHERS: dict[str, Any] = {
    "mixed": ["x", 1, None, 2.5],
    "lists": [[1], {"a": 2}, None, (3,)],
    "truths": np.array([True, None, False, np.nan], object),
    "whole": np.array([1, 2, None, 3], object),
    "texts": np.array(["a", "b", None, "/"], object),
    "days": np.array(pandas.date_range("2020-01-01", periods=4).date),
    "category-of-numbers": pandas.Categorical([1, None, -1, 1]),
    "category-of-floats": pandas.Categorical([1.5, 2.5, 1.5, None]),
    "period": pandas.period_range("2020", periods=4, freq="D"),
    "far": pandas.to_datetime(["2020-01-01", "12000-01-01"] * 2, errors="coerce").as_unit("s"),
    "complex": [1j, 2, 3, 4],
    "interval": pandas.interval_range(0, 4),
}


@pytest.mark.parametrize("column", OTHERS)
def test_other_columns(column: str, configuration: str) -> None:
    for orient in ORIENTS:
        check(lambda pd, df, orient=orient: df.to_json(orient=orient), pandas.DataFrame({"a": OTHERS[column]}), native=False)


def test_finer_units_that_do_not_fit(configuration: str) -> None:
    frame = pandas.DataFrame({"t": np.array(["2020-01-01", "2500-01-01", "NaT"], "M8[s]")})
    check(lambda pd, df: df.to_json(orient="records", date_unit="ns"), frame, native=False)
    check(lambda pd, df: df.to_json(orient="records", date_unit="us"), frame)
    check(lambda pd, df: df.to_json(orient="records", date_unit="ns", date_format="iso"), frame, native=False)


WRONG: dict[str, dict[str, Any]] = {
    "orient": {"orient": "nothing"},
    "lines": {"lines": True},
    "index": {"orient": "records", "index": True},
    "no-index": {"orient": "index", "index": False},
    "mode": {"mode": "x"},
    "append": {"mode": "a"},
    "unit": {"date_unit": "weeks"},
    "digits": {"double_precision": 16},
    "less-digits": {"double_precision": -1},
    "digits-of-text": {"double_precision": "x"},
    "indent": {"indent": -1},
    "indent-of-text": {"indent": "x"},
    "format": {"date_format": "nothing"},
    "handler": {"default_handler": str},
    "split-without-index": {"orient": "split", "index": False},
    "table": {"orient": "table"},
    "more": {"nothing": 1},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_left(wrong: str, configuration: str) -> None:
    check(lambda pd, df: df.to_json(**WRONG[wrong]), plain(), native=False)
    check(lambda pd, df: df["n"].to_json(**WRONG[wrong]), plain(), native=False)


def test_nothing(configuration: str) -> None:
    for orient in ORIENTS:
        check(lambda pd, df, orient=orient: df.to_json(orient=orient), pandas.DataFrame(index=[1, 2]), native=False)
        check(lambda pd, df, orient=orient: df.to_json(orient=orient), pandas.DataFrame(), native=False)


def test_files(tmp_path: Path, configuration: str) -> None:
    """Files, what is put behind one, compressed ones, and what takes text or bytes."""

    def written(name: str, **words: Any) -> Any:
        def program(pd: Any, df: Any) -> Any:
            path = tmp_path / name
            answers = [df.to_json(path, orient="records", lines=True, **words), df.to_json(str(path), orient="records", lines=True, mode="a", **words)]
            content = path.read_bytes()
            path.unlink()
            return answers, content

        return program

    check(written("x.json"), plain())
    check(written("x.json", force_ascii=False), plain())
    check(written("x.json", compression=None), plain())
    check(lambda pd, df: (df.to_json(tmp_path / "y.json"), (tmp_path / "y.json").read_bytes()), plain())
    check(lambda pd, df: (df.to_json(tmp_path / "y.json.gz"), pandas.read_json(tmp_path / "y.json.gz")), plain())
    check(lambda pd, df: df.to_json(tmp_path / "none" / "y.json"), plain(), native=False)
    for make in (io.StringIO, io.BytesIO):

        def program(pd: Any, df: Any, make: Any = make) -> Any:
            target = make()
            df.to_json(target, force_ascii=False)
            return target.getvalue()

        check(program, plain())


def test_a_file_that_is_still_to_be_read(tmp_path: Path) -> None:
    path = tmp_path / "x"
    source = plain()
    source.to_parquet(path)
    whole = airloom.pandas.read_parquet(path)
    assert state.is_lazy(whole)
    whole[whole["n"] > 0].to_json(path)
    assert path.read_text() == source[source["n"] > 0].to_json()
    pandas.testing.assert_frame_equal(wrapping.plain(whole), source)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("words", [{}, {"date_format": "epoch"}, {"date_format": "iso"}])
def test_warnings(words: dict[str, Any]) -> None:
    frames = [plain(), plain()[["n"]], plain()[["n"]].set_axis(pandas.date_range("2020-01-01", periods=12))]
    for frame in frames:
        with warnings.catch_warnings(record=True) as expected:
            warnings.simplefilter("always")
            frame.to_json(orient="records", **words)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            with airloom.strict():
                airloom.pandas.DataFrame(frame).to_json(orient="records", **words)
        assert [(str(w.message), w.category, w.filename) for w in told] == [(str(w.message), w.category, w.filename) for w in expected]


@pytest.mark.parametrize("digits", [0, 1, 5, 10, 14, 15])
def test_floats_to_the_last_digit(digits: int) -> None:
    chance = random.Random(digits)
    floats = [struct.unpack("<d", chance.randbytes(8))[0] for _ in range(5_000)]
    floats += [chance.gauss(0, 10 ** chance.randrange(-18, 19)) for _ in range(20_000)]
    floats += [round(chance.uniform(-1000, 1000), chance.randrange(17)) for _ in range(20_000)]
    floats += [chance.randrange(10**6) / 2 ** chance.randrange(20) for _ in range(20_000)]
    frame = pandas.DataFrame({"f": floats, "g": np.array(floats).astype("float32", casting="unsafe")})
    with airloom.strict():
        found = airloom.pandas.DataFrame(frame).to_json(orient="values", double_precision=digits)
    assert found == frame.to_json(orient="values", double_precision=digits)


def test_many_rows() -> None:
    frame = pandas.concat([mixed()[["k", "f", "s"]]] * 5_000, ignore_index=True)
    with airloom.strict():
        ours = airloom.pandas.DataFrame(frame)
        for orient in ORIENTS:
            assert ours.to_json(orient=orient) == frame.to_json(orient=orient)  # type: ignore[arg-type]
