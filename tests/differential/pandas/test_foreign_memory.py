"""Memory that others write to: results are those of the time of the call, as in pandas, and views are views."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import airloom.pandas as ours
from airloom.pandas.internals import state
from airloom.pandas.internals.foreign import FOREIGN

ROWS = 12

#: Arrays of every kind that can be written to.
ARRAYS: dict[str, Callable[[], Any]] = {
    "float64": lambda: np.arange(ROWS, dtype="float64"),
    "float32": lambda: np.arange(ROWS, dtype="float32"),
    "int64": lambda: np.arange(ROWS),
    "int8": lambda: np.arange(ROWS, dtype="int8"),
    "uint64": lambda: np.arange(ROWS, dtype="uint64"),
    "bool": lambda: np.arange(ROWS) % 3 == 1,
    "datetime64": lambda: np.arange(ROWS).astype("M8[s]"),
    "timedelta64": lambda: np.arange(ROWS).astype("m8[ns]"),
    "object": lambda: np.array([f"w{at}" if at % 2 else at for at in range(ROWS)], dtype=object),
    "strided": lambda: np.arange(2.0 * ROWS)[::2],
    "Int64": lambda: pandas.arrays.IntegerArray(np.arange(ROWS), np.arange(ROWS) == 5),
    "Float64": lambda: pandas.arrays.FloatingArray(np.arange(ROWS, dtype="float64"), np.arange(ROWS) == 5),
    "boolean": lambda: pandas.arrays.BooleanArray(np.arange(ROWS) % 3 == 1, np.arange(ROWS) == 5),
    "datetimes": lambda: pandas.array(np.arange(ROWS).astype("M8[ns]")),
    "zone": lambda: pandas.date_range("2020", periods=ROWS, tz="UTC").array.copy(),
    "categories": lambda: pandas.Categorical.from_codes(np.arange(ROWS) % 3, ["p", "q", "r"]),
}

#: An object of the array that shares it, where pandas shares it, given as a series.
TAKING: dict[str, Callable[[Any, Any], Any]] = {
    "series": lambda pd, a: pd.Series(a, copy=False),
    "series that is a copy": lambda pd, a: pd.Series(a),
    "named series": lambda pd, a: pd.Series(data=a, name="x", copy=False),
    "frame of a dict": lambda pd, a: pd.DataFrame({"x": a, "y": 1}, copy=False)["x"],
    "frame of a dict that is a copy": lambda pd, a: pd.DataFrame({"x": a, "y": 1})["x"],
    "series of a series": lambda pd, a: pd.Series(pd.Series(a, copy=False)),
    "series of pandas' own": lambda pd, a: pd.Series(pandas.Series(a, copy=False)),
    "frame of pandas' own": lambda pd, a: pd.DataFrame(pandas.DataFrame({"x": a}, copy=False))["x"],
    "slice": lambda pd, a: pd.Series(a, copy=False).iloc[0:9],
    "renamed": lambda pd, a: pd.Series(a, copy=False).rename("z"),
    "in a frame": lambda pd, a: pd.Series(a, copy=False).to_frame("x")["x"],
}

#: What is made of a series before the array is written to.
OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "equal": lambda s: s == s.iloc[1],
    "missing": lambda s: s.isna(),
    "filtered": lambda s: s[s == s.iloc[0]],
    "sorted": lambda s: s.sort_values(ascending=False, kind="stable"),
    "copy": lambda s: s.copy(),
    "shallow copy": lambda s: s.copy(deep=False),
    "head": lambda s: s.head(3),
    "shifted": lambda s: s.shift(1),
    "where": lambda s: s.where(s == s.iloc[0]),
    "counted": lambda s: s.value_counts(),
    "joined": lambda s: s.to_frame("x").merge(s.iloc[:1].to_frame("x"), on="x"),
    "frame of it": lambda s: s.to_frame("x").assign(y=1),
    "grouped": lambda s: s.to_frame("x").groupby("x").size(),
    "concatenated": lambda s: __import__("pandas").concat([s, s]),
    "text": lambda s: s.astype("str"),
    "twice": lambda s: (s == s.iloc[0], s == s.iloc[0])[1],
    "itself": lambda s: s,
}


def shown(value: Any) -> str:
    return f"{value!r} {getattr(value, 'dtype', '')}"


def outcome(pd: Any, make: Callable[[], Any], take: Callable[[Any, Any], Any], operate: Callable[[Any], Any]) -> str:
    array = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            series = take(pd, array)
            made = operate(series)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        array[0] = array[7]
        return shown(made)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("taking", TAKING)
def test_results_are_those_of_the_call(taking: str, operation: str) -> None:
    for name, make in ARRAYS.items():
        expected = outcome(pandas, make, TAKING[taking], OPERATIONS[operation])
        assert outcome(ours, make, TAKING[taking], OPERATIONS[operation]) == expected, name


@pytest.mark.parametrize("arithmetic", ["add", "mul", "sub", "truediv", "floordiv", "pow"])
def test_arithmetic_is_that_of_the_call(arithmetic: str) -> None:
    for name in ("float64", "float32", "int64", "uint64", "strided", "Int64", "Float64"):
        for taking in TAKING.values():
            expected = outcome(pandas, ARRAYS[name], taking, lambda s: getattr(s, arithmetic)(2))
            assert outcome(ours, ARRAYS[name], taking, lambda s: getattr(s, arithmetic)(2)) == expected, name


@pytest.mark.parametrize("dtype", ["str", "string", "string[python]", "int64[pyarrow]"])
def test_arrays_that_are_no_memory_but_can_be_changed(dtype: str) -> None:
    def program(pd: Any, hand_out: bool) -> list[str]:
        array = pandas.array([f"{at}" for at in range(ROWS)], dtype="str").astype(dtype)
        series = pd.Series(array, copy=hand_out)
        array = series.array if hand_out else array
        made = [series == series.iloc[0], series + series, series[series == series.iloc[0]], series.copy(), series.sort_values()]
        array[0] = array[7]
        return [*map(shown, made), shown(series), shown(series + series)]

    for hand_out in (False, True):
        assert program(ours, hand_out) == program(pandas, hand_out)


def test_arrays_of_two_axes() -> None:
    def program(pd: Any, copy: Any) -> list[str]:
        array = np.arange(2.0 * ROWS).reshape(ROWS, 2)
        frame = pd.DataFrame(array, columns=["a", "b"], copy=copy)
        made = [frame * 2, frame["a"] + frame["b"], frame[frame["a"] > 3], frame.sum(axis=1), frame.copy(), frame[["b"]] - 1, frame.head(2)]
        array[:] = -1
        return [*map(shown, made), shown(frame), shown(frame["a"] * 2)]

    for copy in (False, True, None):
        assert program(ours, copy) == program(pandas, copy)


def test_a_mapped_file(tmp_path: Path) -> None:
    def program(pd: Any, name: str) -> list[str]:
        array = np.memmap(tmp_path / name, dtype="float64", mode="w+", shape=(ROWS,))
        array[:] = np.arange(ROWS)
        series = pd.Series(array, copy=False)
        made = [series * 2, series.cumsum(), series[series > 3]]
        array[:] = -1
        return [*map(shown, made), shown(series * 3)]

    assert program(ours, "ours") == program(pandas, "theirs")


#: How an array of a series comes into the hands of others.
HANDING_OUT: dict[str, Callable[[Any], Any]] = {"array": lambda s: s.array, "values": lambda s: s.values}


@pytest.mark.parametrize("early", [False, True], ids=["plan-after", "plan-before"])
@pytest.mark.parametrize("way", HANDING_OUT)
def test_arrays_that_are_handed_out(way: str, early: bool) -> None:
    def program(pd: Any, make: Callable[[], Any], operate: Callable[[Any], Any], start: Callable[[Any], Any]) -> str:
        series = start(pd.Series(make()))
        made = operate(series) if early else None
        array = HANDING_OUT[way](series)
        made = made if early else operate(series)
        try:
            array[0] = array[7]
        except ValueError as error:
            return str(error)
        return shown(made) + shown(series) + shown(operate(series))

    starts: list[Callable[[Any], Any]] = [lambda s: s, lambda s: s[s == s].reset_index(drop=True), lambda s: s.to_frame("x")["x"]]
    for name, make in ARRAYS.items():
        for label in ("equal", "missing", "filtered", "copy", "sorted", "shifted", "counted"):
            for start in starts:
                if (name, label) != ("object", "sorted"):
                    expected = program(pandas, make, OPERATIONS[label], start)
                    assert program(ours, make, OPERATIONS[label], start) == expected, (name, label)


def test_views_of_what_was_handed_out_are_views() -> None:
    def program(pd: Any) -> list[str]:
        frame = pd.DataFrame({"a": pandas.array(range(ROWS), dtype="Int64"), "b": np.arange(ROWS)})
        column = frame["a"]
        doubled = column * 2
        column.array[0] = 9
        return [shown(doubled), shown(column), shown(frame), shown(frame["a"] + 1)]

    assert program(ours) == program(pandas)


def test_copies_do_not_see_what_is_written_to_the_array() -> None:
    def program(pd: Any) -> list[str]:
        series = pd.Series(np.arange(ROWS, dtype="float64"))
        before, looked = series.copy(), series.copy()
        shown(looked)
        series.array[0] = 9
        after = series.copy()
        series.array[1] = 9
        return list(map(shown, (series, before, looked, after, series * 2)))

    assert program(ours) == program(pandas)


def test_writing_by_pandas_reaches_the_array() -> None:
    def program(pd: Any) -> tuple[str, str]:
        array = np.arange(ROWS, dtype="float64")
        series = pd.Series(array, copy=False)
        made = series + 1
        series.iloc[0] = 7.0
        return shown(array), shown(made)

    assert program(ours) == program(pandas)


def test_the_rest_stays_lazy() -> None:
    array = np.arange(ROWS, dtype="float64")
    foreign = ours.Series(array, copy=False)
    assert FOREIGN
    assert not state.is_lazy(foreign * 2)
    own = ours.Series(array)
    frame = ours.DataFrame({"x": array, "y": array})
    assert state.is_lazy(own * 2)
    assert state.is_lazy(frame["x"] + frame["y"])
    assert state.is_lazy(frame[frame["x"] > 3])
    del array
    assert state.is_lazy(foreign * 2)
    own.array[0] = 3
    assert state.is_lazy(own * 2)
    kept = own.array
    assert not state.is_lazy(own * 2)
    text = ours.DataFrame({"s": ["a", "b"] * ROWS, "n": range(2 * ROWS)})
    assert state.is_lazy(text["s"] + "x")
    assert len(text["s"].values) == 2 * ROWS
    assert state.is_lazy(text[text["s"] == "a"])
    del kept
    assert state.is_lazy(own * 2)
    array = np.arange(ROWS, dtype="float64")
    foreign = ours.Series(array, copy=False)
    # What was computed of foreign memory is no foreign memory.
    assert state.is_lazy((foreign * 2) + 1)
    assert state.is_lazy(foreign.copy() * 2)
