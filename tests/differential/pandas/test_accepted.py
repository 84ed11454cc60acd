"""What is accepted of differences from pandas is what its reason says: a real difference that looks alike is told."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pytest
from programs import accepted
from programs.differences import Difference, of_parts
from programs.seen import seen

Made = Callable[[], Any]


def told(program: str, variable: str, found: Any, expected: Any, made: tuple[Any, Any] | None = None) -> str | None:
    """The name of what accepts that a variable is one thing in place of another at the end of a program; none where it is told."""
    statements = ast.parse(program).body
    sides = seen(found), seen(expected)
    between = of_parts(*sides)
    assert between is not None
    before = (None, None) if made is None else (seen(made[0]), seen(made[1]))
    why = accepted.reason(Difference(between[0], "end", len(statements) - 1, variable, between[1], sides, before), statements, waiting=False)
    return None if why is None else why.name


def said(sort: str, detail: str, program: str = "s = f.sum()") -> str | None:
    """The same of what a statement said."""
    why = accepted.reason(Difference(sort, "end", 0, "", detail), ast.parse(program).body, waiting=False)
    return None if why is None else why.name


def counts(values: list[Any], groups: list[str], numbers: list[int]) -> Any:
    return pandas.Series(numbers, index=pandas.MultiIndex.from_arrays([groups, values]))


COUNTED = "s = f.groupby('k')['v'].value_counts()"


def test_equal_counts_stand_in_any_order_within_their_group() -> None:
    expected = counts([1, 2, 3, 4], ["a", "a", "b", "b"], [2, 2, 2, 1])
    assert told(COUNTED, "s", counts([2, 1, 3, 4], ["a", "a", "b", "b"], [2, 2, 2, 1]), expected) == "tied-counts"
    # Groups that changed positions, other values, and values of other counts.
    assert told(COUNTED, "s", counts([3, 2, 1, 4], ["b", "a", "a", "b"], [2, 2, 2, 1]), expected) is None
    assert told(COUNTED, "s", counts([2, 5, 3, 4], ["a", "a", "b", "b"], [2, 2, 2, 1]), expected) is None
    assert told(COUNTED, "s", counts([1, 2, 4, 3], ["a", "a", "b", "b"], [2, 2, 2, 1]), expected) is None


def test_equal_counts_of_frames() -> None:
    program = "f2 = f.groupby('k', as_index=False)['v'].value_counts()"
    expected = pandas.DataFrame({"k": [1, 1, 2], "v": [5, 6, 7], "count": [1, 1, 1]})
    assert told(program, "f2", expected.assign(v=[6, 5, 7]), expected) == "tied-counts"
    assert told(program, "f2", expected.assign(v=[5, 7, 6]), expected) is None
    assert told(program, "f2", expected.assign(v=[5, 5, 7]), expected) is None


ALMOST = 1.0 + 2**-50


def sorted_rows(x: list[float], y: list[int], labels: str) -> Any:
    return pandas.DataFrame({"x": x, "y": y}, index=list(labels))


def test_values_that_are_almost_equal_are_sorted_in_any_order() -> None:
    program = "f2 = f.assign(x=f['v'].rolling(3).std()).sort_values('x')"
    expected = sorted_rows([1.0, ALMOST, 2.0], [7, 8, 9], "abc")
    assert told(program, "f2", sorted_rows([1.0, ALMOST, 2.0], [8, 7, 9], "bac"), expected) == "sorted-sums"
    # Rows that are not equal at all, other rows, and rows that are equal to the bit, which stay in their order.
    assert told(program, "f2", sorted_rows([1.0, 2.0, ALMOST], [7, 9, 8], "acb"), expected) is None
    assert told(program, "f2", sorted_rows([1.0, ALMOST, 2.0], [7, 7, 9], "bac"), expected) is None
    equal = sorted_rows([1.0, 1.0, 2.0], [7, 8, 9], "abc")
    assert told(program, "f2", sorted_rows([1.0, 1.0, 2.0], [8, 7, 9], "bac"), equal) is None


def dated(freq: str | None) -> Any:
    index = pandas.date_range("2020-01-01", periods=3)
    return pandas.Series([1, 2, 3], index=index if freq else index._with_freq(None))


def test_frequencies_that_are_taken_in_place() -> None:
    whole, stripped = dated("D"), dated(None)
    joined = "s1 = f['a']\ns2 = s1 + f2['b']"
    assert told(joined, "s1", whole, stripped, (whole, whole)) == "stripped-frequencies"
    # It was not there when the variable was made, or nothing brought its labels together with others.
    assert told(joined, "s1", whole, stripped, (whole, stripped)) is None
    assert told("s1 = f['a']\ns2 = s1.head(2)", "s1", whole, stripped, (whole, whole)) is None
    assert told("s1 = f['a']\ns2 = g1['x'] + g2['x']", "s1", whole, stripped, (whole, whole)) is None


def test_arrays_that_are_written_to() -> None:
    one, other = np.array([1, 2]), np.array([1, 5])
    assert told("a1 = np.arange(2)\nf2 = pd.DataFrame({'k': a1}, copy=False)\nf2.loc[1, 'k'] = 5", "a1", one, other) == "written-arrays"
    # Nothing is written, or to something else.
    assert told("a1 = np.where(f['k'] > 1, 1, 5)", "a1", one, other) is None
    assert told("a1 = np.arange(2)\nf2 = pd.DataFrame({'k': a1}, copy=False)\nf3.loc[1, 'k'] = 5", "a1", one, other) is None


def test_numbers_that_become_those_of_arrow() -> None:
    program = "f3 = pd.concat([f1, f2])\nf1.iloc[0, 0] = 4.0"
    one, other = (pandas.DataFrame({"d": pandas.array([value, 2.0], dtype="double[pyarrow]")}) for value in (4.0, 1.0))
    assert told(program, "f3", one, other) == "arrow-memory"
    # Nothing that it was made of is written to, or nothing is brought together, or the numbers are NumPy's, or text.
    assert told("f3 = pd.concat([f1, f2])\nf9.iloc[0, 0] = 4.0", "f3", one, other) is None
    assert told("f3 = f1.merge(f2)\nf1.iloc[0, 0] = 4.0", "f3", one, other) is None
    assert told(program, "f3", one.astype("float64"), other.astype("float64")) is None
    assert told(program, "f3", one.astype("string[pyarrow]"), other.astype("string[pyarrow]")) is None


def test_names_that_are_shared() -> None:
    named, other = pandas.Series([1], index=pandas.Index([3], name="x")), pandas.Series([1], index=pandas.Index([3], name="y"))
    assert told("s1 = f['a']\ns2 = s1.sort_index()\ns1.index.name = 'x'", "s2", other, named) == "shared-names"
    assert told("s1 = f['a']\ns2 = s1.sort_index()\ns1.index.name = 'z'", "s2", other, named) is None


def test_zeros_of_levels() -> None:
    expected = pandas.Series([1, 2], index=pandas.Index([-0.0, 1.5]))
    assert told("s = f.set_index('k')['v']", "s", pandas.Series([1, 2], index=pandas.Index([0.0, 1.5])), expected) == "zeros-of-levels"
    assert told("s = f.set_index('k')['v']", "s", pandas.Series([1, 2], index=pandas.Index([0.0, 1.5 + 2**-50])), expected) is None


@pytest.mark.parametrize(
    ("found", "expected", "name"),
    [
        ([], [("RuntimeWarning", "divide by zero encountered in divide")], "numpy-warnings"),
        ([("RuntimeWarning", "divide by zero encountered in divide")], [], None),
        ([], [("RuntimeWarning", "the index is not sorted")], None),
        ([("RuntimeWarning", "x"), ("RuntimeWarning", "x")], [("RuntimeWarning", "x")], "repeated-warnings"),
        ([("UserWarning", "x"), ("UserWarning", "x")], [("UserWarning", "x")], None),
    ],
)
def test_warnings(found: list[tuple[str, str]], expected: list[tuple[str, str]], name: str | None) -> None:
    assert said("warnings", f"{found} in place of {expected}") == name


def differences(program: str, *made: tuple[str, Any, Any]) -> list[Difference]:
    statements = ast.parse(program).body
    found = []
    for variable, one, other in made:
        sides = seen(one), seen(other)
        between = of_parts(*sides)
        assert between is not None
        found.append(Difference(between[0], "end", len(statements) - 1, variable, between[1], sides))
    return accepted.left(found, statements, waiting=False)


def test_what_follows_from_another_order_has_the_same_rows() -> None:
    program = COUNTED + "\nf3 = s.to_frame()"
    groups, numbers = ["a", "a"], [2, 2]
    order = ("s", counts([2, 1], groups, numbers), counts([1, 2], groups, numbers))
    frames = [counts(values, groups, numbers).to_frame() for values in ([2, 1], [1, 2], [2, 5])]
    assert differences(program, order, ("f3", frames[0], frames[1])) == []
    assert [one.variable for one in differences(program, order, ("f3", frames[2], frames[1]))] == ["f3"]


def test_what_is_told_from_almost_equal_values() -> None:
    """What compares sums follows from their last bits, and what does not is told."""
    sums = ("s1", pandas.Series([ALMOST]), pandas.Series([1.0]))
    found = ("s2", pandas.Series([False]), pandas.Series([True]))
    assert differences("s1 = f['a'].rolling(2).sum()\ns2 = s1 == 1.0", sums, found) == []
    assert [one.variable for one in differences("s1 = f['a'].rolling(2).sum()\ns2 = s1.isna()", sums, found)] == ["s2"]
