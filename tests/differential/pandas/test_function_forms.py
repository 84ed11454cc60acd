"""Forms of Python's syntax in functions of values and rows: beside pandas, which calls them."""

from __future__ import annotations

from typing import Any

import pytest
from compare import check
from frames import FRAMES
from test_callables import usual


def swapped(x: Any) -> Any:
    a, b = x, x * 2
    a, b = b, a
    return a - b


def unpacked_constants(x: Any) -> Any:
    low, high = 1, 50
    return low if x < low else high if x > high else x


def unpacked_list(x: Any) -> Any:
    [first, (second, third)] = x, (2, x + 1)
    return first * second + third


def several_targets(x: Any) -> Any:
    a = b = x + 1
    a += 1
    return a * b


def annotated(x: Any) -> Any:
    y: float = x * 2
    return y


def named_extreme(x: Any) -> Any:
    m = max(x, 2.5)
    return m


def extreme_of_branches(x: Any) -> Any:
    m = x
    if x > 10:
        m = min(x, 50.0)
    return m


def complement(x: Any) -> Any:
    return x + ~5


def ends_without_a_value(x: Any) -> Any:
    if x > 10**12:
        return
    return x + 1


def by_the_type(x: Any) -> Any:
    return 1 if type(x) is int else 2 if type(x) != float else 3


def rows_swapped(row: Any) -> Any:
    a, b = row["i"], row["k"]
    if a > b:
        a, b = b, a
    return b - a


def chains(x: Any) -> Any:
    return -1 < x <= 7 < 12 != x


def many_ways(x: Any) -> Any:
    return 0 if x == 0 else 1 if x == 1 else 2 if x == 2 else 3.5 if x == 3 else 4 if x == 4 else "more" if x < -99 else 6


#: Functions that are compiled for any row of usual values.
OF_NUMBERS = [swapped, unpacked_constants, unpacked_list, several_targets, annotated, named_extreme, extreme_of_branches, complement, ends_without_a_value, by_the_type, chains]


@pytest.mark.parametrize("function", OF_NUMBERS, ids=lambda function: function.__name__)
def test_forms(function: Any, configuration: str) -> None:
    check(lambda pd, df: df["i"].map(function), usual())
    check(lambda pd, df: df["f"].apply(function), usual())
    check(lambda pd, df: df[["i", "k"]].apply(lambda row: function(row["i"]), axis=1), usual(), native=False)


def test_forms_of_rows(configuration: str) -> None:
    check(lambda pd, df: df[["i", "k"]].apply(rows_swapped, axis=1), usual())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("function", [*OF_NUMBERS, many_ways], ids=lambda function: function.__name__)
def test_forms_on_awkward_data(function: Any, frame: str) -> None:
    for label in ("i", "f", "k", "b", "s"):
        check(lambda pd, df, label=label: df[label].map(function), FRAMES[frame](), native=False)
    check(lambda pd, df: df[["i", "f"]].apply(lambda row: function(row["f"]), axis=1), FRAMES[frame](), native=False)


def star(x: Any) -> Any:
    first, *others = x, 1, 2
    return first


def too_few(x: Any) -> Any:
    a, b = 1, 2, 3
    return a + b + x


def compared_tuples(x: Any) -> Any:
    return (x, 1) == (3, 1)


def extreme_in_arithmetic(x: Any) -> Any:
    return min(x, 2.5) + 1


def extreme_compared(x: Any) -> Any:
    m = min(x, 2.5)
    return 1 if m == 2.5 else 2


def matrix_product(x: Any) -> Any:
    return x @ x


def falls_through(x: Any) -> Any:
    if x > 5:
        return


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", [star, too_few, compared_tuples, extreme_in_arithmetic, extreme_compared, matrix_product, falls_through], ids=lambda function: function.__name__)
def test_forms_left_to_pandas(function: Any, configuration: str) -> None:
    for label in ("i", "f", "b", "s"):
        check(lambda pd, df, label=label: df[label].map(function), usual(), native=False)
