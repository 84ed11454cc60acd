"""Functions of Python beside pandas', which calls them for each value."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES

RATE = 1.25
CODES = {1: "one", 2: "two", 3: "three"}
PRICES = {"a": 1.5, "b": 2.5}


def usual() -> pandas.DataFrame:
    """Values that no function stumbles over."""
    return pandas.DataFrame(
        {
            "i": [3, -1, 0, 12, 7, 100],
            "f": [1.5, -0.0, 2.675, -3.25, 1e10, 0.125],
            "s": pandas.array(["b", "Hello World", "a,b", "12", " pad ", "x"], dtype="str"),
            "b": [True, False, True, True, False, False],
            "t": np.array(["2020-02-29", "2019-12-31T23:59:59", "2020-01-01", "1969-07-20T20:17:40", "2021-03-31", "2000-01-01"], dtype="M8[us]"),
            "k": [1, 2, 3, 1, 2, 3],
        }
    )


def grade(x: Any) -> Any:
    """A function with branches."""
    if x > 50:
        return "high"
    elif x > 5:
        return "middle"
    label = "low"
    if x < 0:
        label = "negative"
    return label


def steps(x: Any) -> Any:
    total = x * 2
    if total > 10:
        total = total - 10
    else:
        total += 1
    total -= 3
    return total


def rated(x: Any, rate: float = RATE, more: float = 0.0) -> Any:
    return x * rate + more


def some_kinds(x: Any) -> Any:
    if x > 5:
        return 0.5
    return x


def inner(x: Any) -> Any:
    return grade(x) + "!"


def by_row(row: Any) -> Any:
    if row["k"] == 1:
        return row["f"] * 2
    return row["f"] + row["i"]


def falls_off(x: Any) -> Any:
    if x > 1000:
        return 1


def by_parts(x: Any) -> Any:
    if x > 5:
        result = 0
    elif x < 0:
        result = 1.5
    else:
        result = x * 0.5
    return result


def in_order(x: Any) -> Any:
    label = ""
    if x > 5:
        label = label + "big"
    if x % 2 == 0:
        if x > 50:
            return "even and great"
        label += " even"
    else:
        label += " odd"
    return label.strip()


DIGITS = re.compile("[0-9]+")


def found(x: Any) -> Any:
    match = re.search(r"([A-Za-z]+) ([A-Z])", x)
    if match:
        return match.group(2)
    return "none"


def found_or_not(x: Any) -> Any:
    match = DIGITS.search(x)
    return match.group() if match is not None else x


def closed(limit: int) -> Any:
    return lambda x: x > limit


USUAL: dict[str, Any] = {
    "add": lambda pd, df: df["i"].apply(lambda x: x + 1),
    "map": lambda pd, df: df["i"].map(lambda x: x * 2 - 1),
    "divide": lambda pd, df: df["i"].apply(lambda x: x / 4),
    "floor-divide": lambda pd, df: df["i"].apply(lambda x: x // 5),
    "modulo": lambda pd, df: df["i"].apply(lambda x: x % 5),
    "modulo-negative": lambda pd, df: df["i"].apply(lambda x: x % -5),
    "float-modulo": lambda pd, df: df["f"].apply(lambda x: x % 0.3),
    "float-floor": lambda pd, df: df["f"].apply(lambda x: x // 0.3),
    "power": lambda pd, df: df["i"].apply(lambda x: x**2),
    "power-float": lambda pd, df: df["f"].apply(lambda x: x**2),
    "negative": lambda pd, df: df["i"].apply(lambda x: -x),
    "global": lambda pd, df: df["f"].apply(lambda x: x * RATE),
    "closure": lambda pd, df: df["i"].map(closed(5)),
    "condition": lambda pd, df: df["i"].apply(lambda x: "even" if x % 2 == 0 else "odd"),
    "conditions": lambda pd, df: df["i"].apply(lambda x: 2 if x > 10 else 1 if x > 0 else 0),
    "chained": lambda pd, df: df["i"].apply(lambda x: 0 < x <= 7),
    "and-or": lambda pd, df: df["i"].apply(lambda x: x > 0 and x < 10 or x == 100),
    "or-value": lambda pd, df: df["i"].apply(lambda x: x or 5),
    "not": lambda pd, df: df["b"].apply(lambda x: not x),
    "bool-add": lambda pd, df: df["b"].apply(lambda x: x + 1),
    "branches": lambda pd, df: df["i"].apply(grade),
    "locals": lambda pd, df: df["i"].apply(steps),
    "nested": lambda pd, df: df["i"].map(inner),
    "defaults": lambda pd, df: df["f"].apply(rated),
    "arguments": lambda pd, df: df["f"].apply(rated, args=(2.0,), more=1.0),
    "kinds": lambda pd, df: df["i"].apply(some_kinds),
    "kinds-not": lambda pd, df: df["k"].apply(some_kinds),
    "mixed-numbers": lambda pd, df: df["i"].apply(lambda x: 0.5 if x > 5 else 1),
    "nan": lambda pd, df: df["i"].apply(lambda x: np.nan if x < 0 else x),
    "in-tuple": lambda pd, df: df["i"].apply(lambda x: x in (3, 7)),
    "not-in-list": lambda pd, df: df["s"].apply(lambda x: x not in ["b", "x"]),
    "in-text": lambda pd, df: df["s"].apply(lambda x: "b" in x),
    "in-dict": lambda pd, df: df["s"].apply(lambda x: x in PRICES),
    "dict": lambda pd, df: df["k"].apply(lambda x: CODES[x]),
    "dict-get": lambda pd, df: df["s"].apply(lambda x: PRICES.get(x, 0.0)),
    "dict-literal": lambda pd, df: df["k"].apply(lambda x: {1: 10, 2: 20}.get(x, 0)),
    "f-string": lambda pd, df: df["i"].apply(lambda x: f"n{x}!"),
    "f-string-format": lambda pd, df: df["f"].apply(lambda x: f"{x:.2f}"),
    "f-string-int": lambda pd, df: df["i"].apply(lambda x: f"{x:05d}|{x:,}"),
    "len": lambda pd, df: df["s"].apply(lambda x: len(x)),
    "len-itself": lambda pd, df: df["s"].apply(len),
    "str-itself": lambda pd, df: df["i"].map(str),
    "str-float": lambda pd, df: df["f"].map(str),
    "str-lower": lambda pd, df: df["s"].map(str.lower),
    "float-itself": lambda pd, df: df["i"].map(float),
    "int-of-float": lambda pd, df: df["f"].map(int),
    "int-of-text": lambda pd, df: df["i"].map(str).map(lambda x: int(x) + 1),
    "float-of-text": lambda pd, df: df["f"].map(str).map(float),
    "bool-itself": lambda pd, df: df["f"].map(bool),
    "abs": lambda pd, df: df["i"].apply(abs),
    "min-max": lambda pd, df: df["i"].apply(lambda x: min(max(x, 0), 10)),
    "round": lambda pd, df: df["f"].apply(lambda x: round(x, 2)),
    "round-whole": lambda pd, df: df["f"].apply(lambda x: round(x)),
    "lower": lambda pd, df: df["s"].apply(lambda x: x.lower()),
    "methods": lambda pd, df: df["s"].apply(lambda x: x.strip().replace("b", "c").upper()),
    "startswith": lambda pd, df: df["s"].apply(lambda x: x.startswith(("a", "b"))),
    "split": lambda pd, df: df["s"].apply(lambda x: x.split(",")[0]),
    "split-len": lambda pd, df: df["s"].apply(lambda x: len(x.split(","))),
    "slice": lambda pd, df: df["s"].apply(lambda x: x[:2] + x[-1:]),
    "item": lambda pd, df: df["s"].apply(lambda x: x[0]),
    "concat": lambda pd, df: df["s"].apply(lambda x: "<" + x + ">"),
    "isdigit": lambda pd, df: df["s"].apply(lambda x: x.isdigit()),
    "truth-of-text": lambda pd, df: df["s"].apply(lambda x: 1 if x else 0),
    "sqrt": lambda pd, df: df["k"].apply(lambda x: math.sqrt(x)),
    "sqrt-itself": lambda pd, df: df["k"].apply(math.sqrt),
    "log": lambda pd, df: df["k"].apply(lambda x: math.log(x) + math.pi),
    "exp": lambda pd, df: df["k"].apply(lambda x: math.exp(-x)),
    "floor": lambda pd, df: df["f"].apply(lambda x: math.floor(x)),
    "isnan": lambda pd, df: df["f"].apply(lambda x: math.isnan(x)),
    "isna": lambda pd, df: df["s"].apply(lambda x: pandas.isna(x)),
    "is-none": lambda pd, df: df["s"].apply(lambda x: x is None),
    "year": lambda pd, df: df["t"].apply(lambda x: x.year),
    "weekday": lambda pd, df: df["t"].apply(lambda x: x.weekday() >= 5),
    "strftime": lambda pd, df: df["t"].apply(lambda x: x.strftime("%Y-%m")),
    "instance": lambda pd, df: df["s"].apply(lambda x: isinstance(x, str)),
    "rows": lambda pd, df: df.apply(by_row, axis=1),
    "rows-lambda": lambda pd, df: df.apply(lambda row: row["i"] + row["k"], axis=1),
    "rows-attribute": lambda pd, df: df.apply(lambda row: row.f > row.k and row.b, axis=1),
    "rows-text": lambda pd, df: df.apply(lambda r: r["s"] + "-" + str(r["k"]), axis=1),
    "rows-numbers": lambda pd, df: df[["i", "f"]].apply(lambda r: r["i"] * r["f"], axis=1),
    "rows-whole": lambda pd, df: df[["i", "k"]].apply(lambda r: r["i"] - r["k"], axis=1),
    "rows-divide": lambda pd, df: df[["i", "k"]].apply(lambda r: r["i"] / r["k"] if r["k"] > 1 else 0.0, axis=1),
    "rows-round": lambda pd, df: df[["i", "f"]].apply(lambda r: round(r["f"], 1), axis=1),
    "rows-condition": lambda pd, df: df.apply(lambda r: "yes" if r["k"] == 1 and r["s"].startswith("b") else "no", axis=1),
    "rows-arguments": lambda pd, df: df.apply(lambda r, n: r["i"] + n, axis=1, args=(5,)),
    "rows-assigned": lambda pd, df: df.assign(x=lambda d: d.apply(lambda r: r["i"] + 1, axis=1)),
    "guarded-division": lambda pd, df: df["i"].apply(lambda x: 10 / x if x != 0 else 0.0),
    "max-mixed": lambda pd, df: df["f"].apply(lambda x: max(x, 0)),
    "min-mixed": lambda pd, df: df["f"].apply(lambda x: min(0, x)),
    "max-never": lambda pd, df: df["f"].apply(lambda x: max(x, 10**12)),
    "constants": lambda pd, df: df["f"].apply(lambda x: x * abs(-2) + round(2.567, 1)),
    "frame-map": lambda pd, df: df[["i", "f"]].map(lambda x: x * 2),
    "frame-map-text": lambda pd, df: df[["s"]].map(str.upper),
    "parts": lambda pd, df: df["i"].apply(by_parts),
    "in-order": lambda pd, df: df["i"].apply(in_order),
    "re-sub": lambda pd, df: df["s"].apply(lambda x: re.sub("[ab,]", "-", x)),
    "re-sub-compiled": lambda pd, df: df["s"].apply(lambda x: DIGITS.sub("#", x)),
    "re-search": lambda pd, df: df["s"].apply(found),
    "re-search-compiled": lambda pd, df: df["s"].apply(found_or_not),
    "re-truth": lambda pd, df: df["s"].apply(lambda x: bool(re.match(r"\w", x))),
    "join": lambda pd, df: df["s"].apply(lambda x: "-".join(x.split())),
    "template": lambda pd, df: df["f"].apply(lambda x: "${:.2f}!".format(x)),
    "template-itself": lambda pd, df: df["f"].map("{:.1f}".format),
    "template-two": lambda pd, df: df["i"].apply(lambda x: "{}-{:03d}".format(x, x)),
    "type": lambda pd, df: df["s"].apply(lambda x: type(x) == str),
    "notnull": lambda pd, df: df["s"].apply(lambda x: x if pd.notnull(x) else "none"),
    "transform": lambda pd, df: df["i"].transform(lambda x: x + 1),
    "assigned": lambda pd, df: df.assign(x=df["i"].apply(lambda x: x + 1), y=df["s"].map(lambda x: x.upper())),
    "masked": lambda pd, df: df[df["s"].apply(lambda x: len(x) > 1)],
}

#: On awkward data: native only where no row stumbles.
ANY: dict[str, Any] = {
    "add": lambda pd, df: df["i"].apply(lambda x: x + 1),
    "double": lambda pd, df: df["i"].map(lambda x: x * 2),
    "half": lambda pd, df: df["i"].map(lambda x: x / 2),
    "float": lambda pd, df: df["f"].apply(lambda x: x + 1 if x > 0 else -x),
    "narrow": lambda pd, df: df["small"].apply(lambda x: x * 100),
    "narrow-float": lambda pd, df: df["g"].apply(lambda x: x * 2),
    "int-of-float": lambda pd, df: df["f"].map(int),
    "round": lambda pd, df: df["f"].map(lambda x: round(x, 1)),
    "text": lambda pd, df: df["s"].apply(lambda x: x + "!"),
    "text-lower": lambda pd, df: df["s"].apply(lambda x: x.lower()),
    "text-equals": lambda pd, df: df["s"].apply(lambda x: 1 if x == "b" else 0),
    "text-guarded": lambda pd, df: df["s"].apply(lambda x: "none" if pandas.isna(x) else x.strip()),
    "text-guarded-kind": lambda pd, df: df["s"].apply(lambda x: len(x) if isinstance(x, str) else 0),
    "text-kept": lambda pd, df: df["s"].apply(lambda x: x),
    "text-ignored": lambda pd, df: df["s"].map(lambda x: x * 1 if False else x + "?", na_action="ignore"),
    "text-ignored-length": lambda pd, df: df["s"].map(len, na_action="ignore"),
    "text-first": lambda pd, df: df["s"].map(lambda x: x[0], na_action="ignore"),
    "text-int": lambda pd, df: df["s"].map(lambda x: int(x), na_action="ignore"),
    "text-in": lambda pd, df: df["s"].apply(lambda x: x in ("a", "b")),
    "text-get": lambda pd, df: df["s"].apply(lambda x: PRICES.get(x, -1.0)),
    "text-key": lambda pd, df: df["s"].apply(lambda x: PRICES[x]),
    "float-ignored": lambda pd, df: df["f"].map(lambda x: x > 0, na_action="ignore"),
    "year": lambda pd, df: df["t"].apply(lambda x: x.year),
    "year-guarded": lambda pd, df: df["t"].apply(lambda x: 0 if pandas.isna(x) else x.year),
    "divide": lambda pd, df: df["i"].apply(lambda x: 10 / x),
    "modulo": lambda pd, df: df["i"].apply(lambda x: 10 % x if x else x),
    "sqrt": lambda pd, df: df["f"].apply(lambda x: math.sqrt(x)),
    "exp": lambda pd, df: df["f"].apply(lambda x: math.exp(x)),
    "falls-off": lambda pd, df: df["k"].apply(falls_off),
    "none": lambda pd, df: df["k"].apply(lambda x: None if x == 1 else x),
    "kinds": lambda pd, df: df["k"].apply(lambda x: "a" if x == 1 else x),
    "bool-or-number": lambda pd, df: df["k"].apply(lambda x: x > 1 or 5),
    "reversed": lambda pd, df: df["s"].apply(lambda x: str(x)[::-1]),
    "category": lambda pd, df: df["c"].apply(lambda x: x),
    "unsigned": lambda pd, df: df["unsigned"].apply(lambda x: x + 1),
    "duration": lambda pd, df: df["d"].apply(lambda x: x),
    "name": lambda pd, df: df["f"].apply("sum"),
    "ufunc": lambda pd, df: df["f"].apply(np.sqrt),
    "list": lambda pd, df: df["k"].apply([lambda x: x + 1]),
    "series": lambda pd, df: df["k"].apply(lambda x: pandas.Series([x])),
    "raises": lambda pd, df: df["k"].apply(lambda x: x.lower()),
    "unknown-name": lambda pd, df: df["k"].apply(lambda x: x + nothing),  # noqa: F821
    "columns": lambda pd, df: df[["k", "i"]].apply(lambda column: column.max()),
    "frame-map": lambda pd, df: df[["k", "f", "s"]].map(lambda x: x == 1),
    "frame-map-ignore": lambda pd, df: df[["f", "s"]].map(lambda x: str(x), na_action="ignore"),
    "parts": lambda pd, df: df["k"].apply(by_parts),
    "in-order": lambda pd, df: df["k"].apply(in_order),
    "re-sub": lambda pd, df: df["s"].apply(lambda x: re.sub(r"\s", "-", x)),
    "re-search": lambda pd, df: df["s"].map(found, na_action="ignore"),
    "re-group": lambda pd, df: df["s"].map(lambda x: re.search("(b)", x).group(1), na_action="ignore"),
    "join": lambda pd, df: df["s"].map(lambda x: " ".join(x.split()), na_action="ignore"),
    "type": lambda pd, df: df["s"].apply(lambda x: 0 if type(x) == float else 1),
    "type-is": lambda pd, df: df["f"].apply(lambda x: 0 if type(x) is not float else 1),
    "template": lambda pd, df: df["s"].apply("<{}>".format),
    "template-wrong": lambda pd, df: df["s"].map("{:d}".format, na_action="ignore"),
    "notnull": lambda pd, df: df["s"].apply(lambda x: x if pd.notnull(x) else "none"),
    "max": lambda pd, df: df["f"].apply(lambda x: max(x, 0)),
    "rows": lambda pd, df: df.apply(lambda r: r["k"] + 1, axis=1),
    "rows-text": lambda pd, df: df.apply(lambda r: r["s"] == "b", axis=1),
    "rows-missing": lambda pd, df: df.apply(lambda r: r["nothing"], axis=1),
    "rows-list": lambda pd, df: df.apply(lambda r: [r["k"]], axis=1),
    "rows-wrap": lambda pd, df: df[["i", "k"]].apply(lambda r: r["i"] * 2, axis=1),
    "rows-zero": lambda pd, df: df[["i", "f"]].apply(lambda r: r["f"] / r["i"], axis=1),
    "rows-len": lambda pd, df: df.apply(lambda r: len(r), axis=1),
    "rows-sum": lambda pd, df: df[["k", "f"]].apply(lambda r: r.sum(), axis=1),
}


@pytest.mark.parametrize("program", USUAL)
def test_callables(program: str, configuration: str) -> None:
    check(USUAL[program], usual())


@pytest.mark.parametrize("labels", ["masked", "labelled"])
@pytest.mark.parametrize("program", USUAL)
def test_callables_of_some_rows(program: str, labels: str) -> None:
    frame = usual()
    check(USUAL[program], frame[frame["k"] > 1] if labels == "masked" else frame.set_axis(list("xaxbcd")))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", ANY)
def test_callables_on_awkward_data(program: str, frame: str) -> None:
    check(ANY[program], FRAMES[frame](), native=False)


WITHOUT_TEXT = {
    "arithmetic": ("i", "lambda x: x * 2 + 1"),
    "choice": ("i", "lambda x: 'high' if x > 50 else 'low' if x < 5 else 'middle'"),
    "connected": ("i", "lambda x: (x > 3 and x < 20) or x == 100"),
    "chained": ("f", "lambda x: 0 < x <= 2"),
    "text": ("s", "lambda x: x.upper()[1:] + '!'"),
    "format": ("f", "lambda x: f'{x:.2f}-{x}'"),
    "member": ("k", "lambda x: x in (1, 3)"),
    "function": ("i", "lambda x: max(abs(x), 5)"),
    "dict": ("k", "lambda x: {1: 'one', 2: 'two', 3: 'three'}[x]"),
    "swapped": ("i", "def f(x):\n    a, b = x, 3\n    a, b = b, a\n    b -= a\n    return a - b\n"),
    "branches": ("i", "def f(x):\n    y = x\n    if x > 5:\n        y = x - 5\n    elif x < 0:\n        return -x\n    return y * 2\n"),
    "decorated": ("i", "def same(f):\n    return f\n\n@same\ndef f(x):\n    return x + 1\n"),
}


def without_text(source: str) -> Any:
    """A function whose text nobody finds."""
    names: dict[str, Any] = {}
    if source.startswith("lambda"):
        return eval(source, names)
    exec(source, names)
    return names["f"]


@pytest.mark.parametrize("name", WITHOUT_TEXT)
def test_functions_without_text(name: str, configuration: str) -> None:
    column, source = WITHOUT_TEXT[name]
    function = without_text(source)
    check(lambda pd, df: df[column].map(function), usual())
    check(lambda pd, df: df[column].apply(function), usual())


def test_rows_by_functions_without_text(configuration: str) -> None:
    check(lambda pd, df: df.apply(without_text("lambda row: row['i'] * 2 if row['b'] else row['f']"), axis=1), usual())
    check(lambda pd, df: df.groupby("k")["i"].agg(without_text("lambda g: g.max() - g.min()")), usual())
    # What changes in place what it is given is left to Python.
    check(lambda pd, df: df.groupby("k")["i"].apply(without_text("def f(g):\n    g += 1\n    return g.sum()\n")), usual(), native=False)
    check(lambda pd, df: df["i"].map(without_text("def f(x):\n    total = 0\n    for n in range(3):\n        total += x\n    return total\n")), usual(), native=False)
    check(lambda pd, df: df["i"].map(without_text("def f(x):\n    [].append(x)\n    return x\n")), usual(), native=False)


WHOLE = {
    "list": lambda s: s.agg(["sum", "max"]),
    "functions": lambda s: s.agg([np.sum, lambda x: x.max() - x.min()]),
    "dict": lambda s: s.agg({"a": "sum", "b": "mean"}),
    "named": lambda s: s.agg(low="min", high="max"),
    "applied": lambda s: s.apply(["sum", "mean"]),
    "applied-dict": lambda s: s.apply({"x": "sum", "y": "cumsum"}),
    "whole": lambda s: s.apply(lambda x: x + x.max(), by_row=False),
}


@pytest.mark.parametrize("name", WHOLE)
def test_functions_of_whole_columns(name: str, configuration: str) -> None:
    check(lambda pd, df: WHOLE[name](df["i"]), usual())
    check(lambda pd, df: WHOLE[name](df["f"]), usual(), rtol=1e-12)


FRAMES_AGGREGATED = {
    "dict-of-lists": lambda df: df.agg({"i": ["sum", "max"], "f": ["min", "max"]}),
    "lambda-list": lambda df: df.agg([lambda x: x.max() - x.min(), "max"]),
    "relabelled": lambda df: df.agg(total=("i", "sum"), least=("f", "min")),
    "apply-list": lambda df: df.apply(["sum", "max"]),
    "apply-dict": lambda df: df.apply({"i": "sum", "f": "max"}),
    "transform-dict": lambda df: df.transform({"i": "cumsum", "f": ["cummax", "cummin"]}),
}


@pytest.mark.parametrize("name", FRAMES_AGGREGATED)
def test_functions_of_several_columns(name: str, configuration: str) -> None:
    check(lambda pd, df: FRAMES_AGGREGATED[name](df[["i", "f"]]), usual(), rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_functions_of_numpy_are_silent_where_they_are_applied(configuration: str) -> None:
    for values in ([4.0, -1.0, np.nan], [4, -1]):
        frame = pandas.DataFrame({"x": values})
        check(lambda pd, df: df["x"].apply(np.sqrt), frame)
        check(lambda pd, df: df["x"].transform(np.sqrt), frame)
        check(lambda pd, df: df.apply(np.sqrt), frame)
        check(lambda pd, df: df.transform(np.log), frame)


ROWS_REDUCED = {
    "sum": lambda row: row.sum(),
    "mean": lambda row: row.mean(),
    "range": lambda row: row.max() - row.min(),
    "share": lambda row: row["a"] / row.sum(),
    "numpy": lambda row: np.max(row) + np.min(row),
    "decided": lambda row: "big" if row.sum() > 3 else "small",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ROWS_REDUCED)
def test_reductions_of_rows(name: str, configuration: str) -> None:
    whole = pandas.DataFrame({"a": [3, -1, 2**62], "b": [0, 5, 2**62], "c": [1, 1, 1]})
    parts = pandas.DataFrame({"a": [1.5, np.nan, -0.0], "b": [0.25, 2.5, np.inf], "c": [1, 2, 3]}, index=list("xyz"))
    # Integers beyond those that floats hold are divided by Python.
    check(lambda pd, df: df.apply(ROWS_REDUCED[name], axis=1), whole, native=name != "share")
    check(lambda pd, df: df.apply(ROWS_REDUCED[name], axis=1), parts)
    check(lambda pd, df: df.apply(ROWS_REDUCED[name], axis=1), parts.assign(c=np.nan, a=np.nan), native=name != "mean")
    check(lambda pd, df: df.apply(ROWS_REDUCED[name], axis=1), parts.assign(a=np.nan, b=np.nan, c=np.nan), native=False)
    check(lambda pd, df: df.apply(ROWS_REDUCED[name], axis=1), parts.assign(c="x"), native=False)
    check(lambda pd, df: df.apply(ROWS_REDUCED[name], axis=1), parts.assign(c=True), native=False)
    wide = pandas.DataFrame(np.random.default_rng(3).normal(size=(20, 12)), columns=list("abcdefghijkl"))
    check(lambda pd, df: df.apply(ROWS_REDUCED[name], axis=1), wide, native=False, rtol=1e-12)


def test_functions_of_numpy_of_rows(configuration: str) -> None:
    frame = pandas.DataFrame({"a": [1.5, np.nan], "b": [0.25, 2.5]})
    for function in (np.sum, np.mean, np.max, np.min):
        check(lambda pd, df, function=function: df.apply(function, axis=1), frame)
    check(lambda pd, df: df.apply(np.std, axis=1), frame, native=False)
    check(lambda pd, df: df.apply(lambda row: row.sum(skipna=False), axis=1), frame, native=False)


@pytest.mark.parametrize("result_type", ["expand", "reduce", "broadcast"])
def test_result_types_of_rows(result_type: str, configuration: str) -> None:
    native = result_type != "broadcast"
    check(lambda pd, df: df[["i", "f"]].apply(lambda row: row["i"] + row["f"], axis=1, result_type=result_type), usual(), native=native)
    check(lambda pd, df: df[["i", "s"]].apply(lambda row: row["s"] * 2 if row["i"] > 3 else "x", axis=1, result_type=result_type), usual(), native=False)
    check(lambda pd, df: df[["i", "f"]].apply(lambda row: [row["i"], row["f"]], axis=1, result_type=result_type), usual(), native=False)
    check(lambda pd, df: df[["i", "f"]].iloc[:0].apply(lambda row: row["i"] + 1, axis=1, result_type=result_type), usual(), native=False)
