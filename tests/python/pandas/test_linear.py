"""Programs made by loops cost time in proportion to their length: what expressions share is looked at once."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pytest

import airloom.pandas as pd
from airloom import ir
from airloom.pandas.plan import walk
from airloom.pandas.plan.expression import Call, Expression, Literal, Ref, Slot, call


ROWS = 50
#: Far more than is needed, far less than a walk takes that visits shared parts again and again, or one that is quadratic.
SECONDS = 25.0

Program = Callable[[Any, int], Any]


def doubled(pd: Any, n: int) -> Any:
    series = pd.Series(np.zeros(ROWS))
    for _ in range(n):
        series = series + series
    return series.sum()


def newton(pd: Any, n: int) -> Any:
    wanted = pd.Series(np.arange(1.0, ROWS + 1))
    found = wanted
    for _ in range(n):
        found = found - (found * found - wanted) / (2 * found)
    return found.sum()


def statements(pd: Any, n: int) -> Any:
    frame = pd.DataFrame({"a": np.arange(ROWS, dtype="float64"), "b": 1.0})
    for _ in range(n):
        frame["a"] = frame["a"] * 0.5 + frame["b"]
    return frame["a"].sum()


def chosen(pd: Any, n: int) -> Any:
    series = pd.Series(np.arange(ROWS, dtype="float64"))
    for at in range(n):
        series = series.where(series > at, series + 1).fillna(0)
    return series.sum()


def integers(pd: Any, n: int) -> Any:
    series = pd.Series(np.arange(ROWS) % 7)
    for _ in range(n):
        series = (series + series) % 11
    return series.sum()


def text(pd: Any, n: int) -> Any:
    series = pd.Series(["a", "bc"] * (ROWS // 2))
    for _ in range(n):
        series = (series + series).str[:3]
    return series.str.len().sum()


def running(pd: Any, n: int) -> Any:
    series = pd.Series(np.ones(ROWS))
    for _ in range(n):
        series = series.cumsum() * 0.5 + series
        series = series / series.max()
    return series.sum()


def filtered(pd: Any, n: int) -> Any:
    frame = pd.DataFrame({"a": np.arange(ROWS, dtype="float64")})
    for at in range(n):
        frame = frame[frame["a"] * 3 > at % ROWS]
    return frame["a"].sum()


def grouped(pd: Any, n: int) -> Any:
    frame = pd.DataFrame({"k": np.arange(ROWS) % 3, "v": np.arange(ROWS, dtype="float64")})
    value = frame["v"]
    for _ in range(n):
        value = (value + value) * 0.5
    return frame.assign(v=value).groupby("k")["v"].sum().sum()


def assigned(pd: Any, n: int) -> Any:
    frame = pd.DataFrame({"a": np.arange(ROWS, dtype="float64")})
    frame = frame.assign(**{f"c{at}": frame["a"] + at for at in range(n)})
    return frame.iloc[3:].sum().sum()


def wide(pd: Any, n: int) -> Any:
    frame = pd.DataFrame(np.ones((ROWS, n)), columns=[f"c{at}" for at in range(n)]) * 2
    return frame[frame["c1"] > 0].sum().sum()


def shared_by_columns(pd: Any, n: int) -> Any:
    series = pd.Series(np.zeros(ROWS))
    for _ in range(30):
        series = series + series
    return pd.concat([(series + at).rename(f"c{at}") for at in range(n)], axis=1).sum().sum()


def appended(pd: Any, n: int) -> Any:
    frame = pd.DataFrame({"a": np.arange(ROWS, dtype="float64")})
    piece = pd.DataFrame({"a": np.arange(10, dtype="float64")})
    for _ in range(n):
        frame = pd.concat([frame, piece])
    return frame["a"].sum()


def pieces(pd: Any, n: int) -> Any:
    made = [pd.DataFrame({"a": np.arange(10, dtype="float64")}) for _ in range(n)]
    return pd.concat(made, ignore_index=True)["a"].sum()


def to_and_fro(pd: Any, n: int) -> Any:
    """Two frames of rows that are found by their labels, each computed of the other in turn."""
    first, second = (pd.DataFrame({name: np.arange(ROWS, dtype="float64") + at for at, name in enumerate("abcdef")}, index=np.roll(np.arange(ROWS), by)) for by in (3, 11))
    first, second = first[first["a"] > 4], second[second["a"] > 9]
    for _ in range(n):
        first, second = (first + second) * 0.5, second * 0.5 - first * 0.25
    return first.sum().sum() + second.sum().sum()


def beside_a_column(pd: Any, n: int) -> Any:
    """A frame and the columns of another in turn, by the labels of their rows."""
    first, second = (pd.DataFrame({name: np.arange(ROWS, dtype="float64") + at for at, name in enumerate("abcdef")}, index=np.roll(np.arange(ROWS), by)) for by in (3, 11))
    first, second = first[first["a"] > 4], second[second["a"] > 9]
    for at in range(n):
        first = first.mul(0.5).add(second["abcdef"[at % 6]], axis=0)
        second[f"c{at}"] = first["a"]
    return first.sum().sum() + second.sum().sum()


PROGRAMS: list[tuple[Program, int]] = [
    (doubled, 22),
    (doubled, 1000),
    (newton, 9),
    (newton, 300),
    (statements, 1000),
    (chosen, 200),
    (integers, 300),
    (text, 200),
    (running, 40),
    (filtered, 100),
    (grouped, 500),
    (assigned, 1500),
    (wide, 5000),
    (shared_by_columns, 1000),
    (appended, 400),
    (pieces, 400),
    (to_and_fro, 40),
    (beside_a_column, 60),
]


@pytest.mark.usefixtures("no_small_frames")
@pytest.mark.parametrize(("program", "n"), PROGRAMS, ids=[f"{program.__name__}-{n}" for program, n in PROGRAMS])
def test_loops_cost_linear_time(program: Program, n: int) -> None:
    with warnings.catch_warnings():
        # pandas warns of frames of many columns.
        warnings.simplefilter("ignore")
        expected = program(pandas, n)
        started = time.perf_counter()
        found = program(pd, n)
        taken = time.perf_counter() - started
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert taken < SECONDS


@pytest.mark.usefixtures("no_small_frames")
def test_functions_that_double_are_compiled_in_linear_time() -> None:
    def function(x: Any) -> Any:
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        x = x + x
        return x + x

    values = np.arange(ROWS, dtype="float64")
    started = time.perf_counter()
    assert pd.Series(values).map(function).sum() == pandas.Series(values).map(function).sum()
    window = pd.Series(values).rolling(3).apply(lambda w: (w.max() - w.min()) * (w.max() - w.min()) + (w.max() - w.min()))
    expected = pandas.Series(values).rolling(3).apply(lambda w: (w.max() - w.min()) * (w.max() - w.min()) + (w.max() - w.min()))
    np.testing.assert_allclose(window.to_numpy(), expected.to_numpy())
    assert time.perf_counter() - started < SECONDS


def test_a_walk_visits_each_part_once_at_any_depth() -> None:
    expression: Expression = Ref(Slot("x"))
    for _ in range(20_000):
        expression = call("add", expression, expression)
    visits = 0

    def visit(part: Expression, below: list[int]) -> int:
        nonlocal visits
        visits += 1
        return 1 + max(below, default=0)

    assert walk.fold(expression, walk.children, visit, {}) == 20_001
    assert visits == 20_001
    assert len(walk.reached([expression, expression], walk.children)) == 20_001


def test_what_is_rebuilt_shares_as_before() -> None:
    old, new = Ref(Slot("old")), Ref(Slot("new"))
    part = call("add", old, Literal(1, ir.i64))
    expression = call("mul", part, part)
    made = walk.fold(expression, walk.children, lambda e, parts: new if e is old else walk.rebuilt(e, parts), {})
    assert isinstance(made, Call)
    assert made.arguments[0] is made.arguments[1]
    assert made.slots == frozenset((new.slot,))
    untouched = walk.fold(expression, walk.children, walk.rebuilt, {})
    assert untouched is expression


