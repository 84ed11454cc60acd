"""Functions with loops, unpacked tuples and functions of NumPy's, compiled as loops over the rows: beside pandas, which calls them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check, writes
from test_callables import usual
from test_random_functions import NUMBERS, Writer, check_functions

import airloom
from airloom.functions import rows


@pytest.fixture(autouse=True)
def any_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "LEAST", 0)
    monkeypatch.setattr(rows, "LEAST_WITH_LOOPS", 0)


def halvings(n: Any) -> Any:
    n = abs(n) + 1
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


def is_prime(n: Any) -> Any:
    if n < 2:
        return False
    for i in range(2, n):
        if n % i == 0:
            return False
    return True


def root(x: Any) -> Any:
    guess = abs(x) + 1.0
    for _ in range(20):
        guess = 0.5 * (guess + abs(x) / guess)
    return guess


def added(x: Any) -> Any:
    s = 0
    for k in range(4):
        s += x * k
    return s


def sometimes_a_float(x: Any) -> Any:
    s = 0
    for _ in range(int(abs(x)) % 3):
        s += x
    return s


def fibonacci(x: Any) -> Any:
    a, b = 0, 1
    for _ in range(abs(int(x)) % 90):
        a, b = b, a + b
    return a


def too_long(x: Any) -> Any:
    a = 1
    for k in range(1, 30):
        a = a * k
    return a + x


def divides(x: Any) -> Any:
    s = 0.0
    for k in range(3):
        s += 1 / (x - k)
    return s


def helped(x: Any, times: int = 2) -> Any:
    for _ in range(times):
        x = added(x) + math.floor(x)
    return x


def bounded(x: Any) -> Any:
    return np.minimum(x, 3.0) + np.sign(x) * np.sqrt(np.abs(x))


def nothing(x: Any) -> Any:
    for k in range(3):
        if x > k:
            return k


def text(x: Any) -> Any:
    s = ""
    for _ in range(2):
        s = s + "a"
    return s


def asserted(x: Any) -> Any:
    for k in range(2):
        assert x != k
    return x


@airloom.jit
def decorated(x: Any) -> Any:
    t, u = x, 1
    for _ in range(3):
        t, u = u, t + u
    return u


COMPILED = [halvings, root, added, sometimes_a_float, fibonacci, helped, bounded, decorated]


#: Loops that end for integers of moderate size alone.
ENDING = (halvings, is_prime)


@pytest.mark.parametrize(("function", "column"), [(function, column) for function in COMPILED for column in ("i", "f", "b") if function not in ENDING or column != "f"])
def test_values(function: Any, column: str) -> None:
    # NumPy makes numbers of 16 bits of booleans; and what a loop may leave as it is, is one.
    check(lambda pd, frame: frame[column].map(function), usual(), native=not (function in (bounded, helped) and column == "b"))


AWKWARD: list[Any] = [*NUMBERS, [], [1 << 60, 3], [2.0**70, 1.0], np.array([1, 2, 200], "u1"), np.array([1.5, 0.1], "f4"), np.array([3], "u8")]


def does_end(function: Any, values: Any) -> bool:
    """Whether a loop ends for all of some values."""
    return function not in ENDING or all(abs(value) <= 1e6 and value == int(value) for value in values)


@pytest.mark.parametrize(
    ("function", "values"),
    [(function, values) for function in [is_prime, too_long, divides, nothing, text, asserted, *COMPILED] for values in AWKWARD if does_end(function, values)],
)
@pytest.mark.filterwarnings("ignore")
def test_awkward_values(function: Any, values: Any) -> None:
    for method in ("map", "apply", "transform"):
        check(lambda pd, series, method=method: getattr(series, method)(function), pandas.Series(values), native=False)


def of_a_row(row: Any, times: int = 3) -> Any:
    total = 0
    for k in range(times):
        total += row["i"] * k - row.f
    return total


def whole_row(row: Any) -> Any:
    total = 0
    for value in row:
        total += value
    return total


def local_row(row: Any) -> Any:
    column_0 = row["i"]
    for _ in range(2):
        column_0, other = column_0 + row["k"], row["b"]
    return column_0 if other else 1.5


def of_a_part(row: Any, k: int) -> Any:
    return row["i"] * k + row.k


def given_on(row: Any) -> Any:
    total = 0
    same = row
    for k in range(3):
        total += of_a_part(same, k)
    return total


def written_row(row: Any) -> Any:
    for k in range(3):
        row["i"] = k
    return row["i"]


def computed_label(row: Any) -> Any:
    total = 0
    for label in ("i", "k"):
        total += row[label]
    return total


def two_rows(row: Any, column: int = 2, column_0: int = 3) -> Any:
    total = column + column_0
    for k in range(2):
        total += (row if k else row)["i"]
    return total


@pytest.mark.parametrize("function", [of_a_row, whole_row, local_row, given_on, computed_label, two_rows], ids=lambda function: function.__name__)
@pytest.mark.parametrize("columns", [["i", "f", "k", "b", "s"], ["i", "k"], ["i", "f"], ["f", "i", "k", "b"]], ids=str)
@pytest.mark.filterwarnings("ignore")
def test_rows(function: Any, columns: list[str]) -> None:
    check(lambda pd, frame: frame[columns].apply(function, axis=1), usual(), native=False)
    check(lambda pd, frame: frame[frame["i"] > 0][columns].apply(function, axis=1), usual(), native=False)


def test_rows_that_are_written_to() -> None:
    check(lambda pd, frame: frame.apply(written_row, axis=1), usual(), native=False)


def test_arguments_and_names_around() -> None:
    factor, shift = 3, 0.5

    def scaled(x: Any, more: Any = 1, times: int = 2) -> Any:
        for _ in range(times):
            x = x * factor + shift * more
        return x

    check(lambda pd, frame: frame["f"].apply(scaled, args=(2,)), usual())
    check(lambda pd, frame: frame["f"].apply(scaled, more=5, times=1), usual())
    check(lambda pd, frame: frame.apply(lambda row: scaled(row["i"]), axis=1), usual(), native=False)
    factor = 4
    check(lambda pd, frame: frame["f"].apply(scaled), usual())


def test_missing_values_are_what_they_are() -> None:
    frame = pandas.DataFrame({"f": [1.0, float("nan"), 3.0], "m": pandas.array([1, None, 3], dtype="Int64")})
    for action in (None, "ignore"):
        check(lambda pd, frame, action=action: frame["f"].map(root, na_action=action), frame, native=False)
        check(lambda pd, frame, action=action: frame["m"].map(added, na_action=action), frame, native=False)


def test_many_rows_run_compiled() -> None:
    frame = pandas.DataFrame({"i": np.arange(5_000), "f": np.arange(5_000) / 7})
    check(lambda pd, frame: frame["i"].map(halvings), frame)
    check(lambda pd, frame: frame.apply(of_a_row, axis=1), frame)
    check(lambda pd, frame: frame.apply(given_on, axis=1), frame.assign(k=1, s="text"))
    check(lambda pd, frame: frame.apply(two_rows, axis=1), frame)
    check(lambda pd, frame: frame.apply(two_rows, axis=1), frame.assign(s="text"))
    check(lambda pd, frame: frame.map(added), frame)


class Looping(Writer):
    """Writes functions of numbers with loops."""

    def function(self, name: str) -> tuple[str, list[list[Any]]]:
        both = ["x", "y"]
        head = self.draw.choice(["for k in range(3):", "for k in range(2, 5):", "for k in (1, 2):", "while y < 5 and k < 4:"])
        lines = [f"def {name}(x):", f"    y = {self.number(1, ['x'])}", "    k = 0", f"    {head}"]
        lines += ["        k += 1"] if head.startswith("while") else []
        inside = [*both, "k"]
        lines.append(self.draw.choice([f"        y = {self.number(2, inside)}", f"        x, y = y, {self.number(1, inside)}", f"        y += {self.number(1, inside)}"]))
        if self.draw.random() < 0.5:
            lines += [f"        if {self.condition(1, inside)}:", f"            {self.draw.choice(['break', 'continue', f'return {self.number(1, inside)}'])}"]
        lines.append(f"    return {self.draw.choice([self.number(1, both), self.condition(1, both), 'y'])}")
        return "\n".join(lines) + "\n", NUMBERS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
def test_random_functions_with_loops(seed: int, tmp_path: Path) -> None:
    writer = Looping(seed)
    check_functions([writer.function(f"f{number}") for number in range(25)], tmp_path / f"functions_{seed}.py")


def weighted(window: Any, factor: float = 1.0) -> Any:
    total, weight = 0.0, 0
    for value in window:
        weight += 1
        total += value * weight * factor
    return total / weight


def crossings(window: Any) -> Any:
    count = 0
    for k in range(1, len(window)):
        if (window[k] > 0) != (window[k - 1] > 0):
            count += 1
    return count


def rising(window: Any) -> Any:
    for k in range(1, len(window)):
        if window[k] < window[k - 1]:
            return False
    return True


def written_to(window: Any) -> Any:
    for k in range(len(window)):
        window[k] = 1.0
    return window.sum()


def spread(window: Any) -> Any:
    return np.sum((window - window.mean()) ** 2) / len(window)


def outside(window: Any) -> Any:
    total = 0.0
    for k in range(3):
        total += window[k]
    return total


WINDOWED = [weighted, crossings, rising, spread]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", [*WINDOWED, written_to, outside, nothing], ids=lambda function: function.__name__)
@pytest.mark.parametrize("options", [{"window": 3}, {"window": 3, "min_periods": 1}, {"window": 4, "center": True}, {"window": 3, "closed": "left"}, {"window": 2, "step": 2}], ids=str)
@pytest.mark.parametrize("values", [[1.5, -0.25, 2.5, 1e3, 0.1, -7.0, 4.0], [1.0, float("nan"), 3.0, float("inf"), 5.0, 6.0], [3, -1, 7, 12], []], ids=str)
def test_windows(function: Any, options: dict[str, Any], values: list[Any]) -> None:
    # What writes to a window writes to the Series.
    check(writes(lambda pd, series: series.rolling(**options).apply(function, raw=True)), pandas.Series(values), native=False)


def test_windows_run_compiled() -> None:
    frame = pandas.DataFrame({"i": np.arange(4_000) % 17, "f": np.sin(np.arange(4_000.0))})
    for function in WINDOWED:
        check(lambda pd, frame, function=function: frame.rolling(5).apply(function, raw=True), frame)
    check(lambda pd, frame: frame["f"].rolling(5).apply(weighted, raw=True, args=(2.5,)), frame)
    check(lambda pd, frame: frame["f"].rolling(5).apply(weighted, raw=True, kwargs={"factor": 3}), frame)
    check(lambda pd, frame: frame["f"].head(200).expanding().apply(crossings, raw=True), frame)
    times = pandas.Series(np.cos(np.arange(500.0)), index=pandas.date_range("2020", periods=500, freq="min"))
    check(lambda pd, series: series.rolling("10min").apply(crossings, raw=True), times)
