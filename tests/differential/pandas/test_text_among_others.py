"""The accessor `str` of objects that are not all text, or all missing; and patterns with flags."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check
from test_text_shown import METHODS

#: Text among what methods for text make NaN of.
MIXED: dict[str, list[Any]] = {
    "numbers": ["a", np.nan, 2, "Bb cc", 2.5, "x_b"],
    "booleans": [True, "ab", "a,b", np.nan, ""],
    "one": [1, "b"],
}
#: Methods that make something else of it, or complain.
OF_ALL = ("cat", "cat-sep")


@pytest.mark.parametrize("values", MIXED)
@pytest.mark.parametrize("method", METHODS)
def test_text_among_numbers(method: str, values: str, configuration: str) -> None:
    series = pd.Series(MIXED[values], dtype=object, name="n", index=range(3, 3 + len(MIXED[values])))
    # Lists and parts that nobody has at all are not known to be objects.
    native = method not in (*OF_ALL, "split-compiled", "extract", "findall", "chain")
    check(lambda pd, s: METHODS[method](s), series, native=native)


def test_numbers_among_text_elsewhere(configuration: str) -> None:
    series = pd.Series(MIXED["numbers"], dtype=object)
    check(lambda pd, s: s.str.len(), series)
    check(lambda pd, s: s.str.count("b"), series)
    check(lambda pd, s: s.str.contains("b", na=False), series)
    check(lambda pd, s: s.str.get_dummies("_"), series, native=False)
    check(lambda pd, s: s.str.repeat([1] * 6), series, native=False)
    check(lambda pd, s: s.str.split("b", expand=True), series, native=False)
    check(lambda pd, s: s.str.upper(), pd.Series(["a", 1, None], dtype=object), native=False)
    check(lambda pd, s: s.str.upper(), pd.Series(["a", b"b"], dtype=object), native=False)
    check(lambda pd, s: s.str.len(), pd.Series(["a", [1, 2], (3,)], dtype=object), native=False)


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA], ids=["nan", "none", "na"])
@pytest.mark.parametrize("method", METHODS)
def test_nothing_but_what_is_missing(method: str, missing: Any, configuration: str) -> None:
    series = pd.Series([missing] * 3, dtype=object, name="n", index=list("xyz"))
    check(lambda pd, s: METHODS[method](s), series, native=not method.startswith("cat") and method != "joined")
    categories = pd.Series(pd.Categorical.from_codes([-1, -1], categories=["b", "a"]))
    check(lambda pd, s: METHODS[method](s), categories, native=False)


@pytest.mark.parametrize("dtype", ["str", "string", object, "category", "large_string[pyarrow]"])
def test_characters_joined(dtype: Any, configuration: str) -> None:
    text = pd.Series(["abc", "", "é日", None, "a$b"], dtype=dtype)
    for separator in ("-", "", "$1", ", "):
        check(lambda pd, s, separator=separator: s.str.join(separator), text)


LINES = ["a\nB", "b", "xa\n", "a b c", "", None, "A"]
FLAGS = {"i": re.I, "m": re.M, "s": re.S, "im": re.I | re.M, "x": re.X, "a": re.A, "u": re.U}
PATTERNS = ["^b", "a$", "a.b", "a  b", r"\w b", "^a", "b|c$", r"\Aa", r"a\Z"]


@pytest.mark.parametrize("dtype", ["str", object])
@pytest.mark.parametrize("flags", FLAGS)
def test_flags_of_patterns(flags: str, dtype: Any, configuration: str) -> None:
    text = pd.Series(LINES, dtype=dtype)
    for pattern in PATTERNS:
        check(lambda pd, s, pattern=pattern: s.str.contains(pattern, flags=FLAGS[flags]), text, native=False)
        check(lambda pd, s, pattern=pattern: s.str.match(pattern, flags=FLAGS[flags]), text, native=False)
        check(lambda pd, s, pattern=pattern: s.str.count(pattern, flags=FLAGS[flags]), text, native=False)
        check(lambda pd, s, pattern=pattern: s.str.findall(pattern, flags=FLAGS[flags]), text, native=False)
        check(lambda pd, s, pattern=pattern: s.str.extract(f"({pattern})", flags=FLAGS[flags]), text, native=False)
        check(lambda pd, s, pattern=pattern: s.str.replace(pattern, "_", flags=FLAGS[flags], regex=True), text, native=False)
        check(lambda pd, s, pattern=pattern: s.str.contains(re.compile(pattern, FLAGS[flags])), text, native=False)
        if flags in ("i", "m", "s", "im"):
            check(lambda pd, s, pattern=pattern: s.str.contains(f"(?{flags}){pattern}"), text, native=False)
            check(lambda pd, s, pattern=pattern: s.str.replace(f"(?{flags}){pattern}", "_", regex=True), text, native=False)


@pytest.mark.parametrize("dtype", ["str", object])
def test_flags_are_native(dtype: Any, configuration: str) -> None:
    text = pd.Series(["ab\ncd", "AB", "x", None], dtype=dtype)
    check(lambda pd, s: s.str.contains("(?i)ab"), text)
    check(lambda pd, s: s.str.contains("^c", flags=re.MULTILINE), text)
    check(lambda pd, s: s.str.contains("b.c", flags=re.DOTALL), text)
    check(lambda pd, s: s.str.match("a  b  # two", flags=re.VERBOSE), text)
    check(lambda pd, s: s.str.count(re.compile("B", re.I)), text)
    check(lambda pd, s: s.str.replace("(?s)b.c", "-", regex=True), text)


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA], ids=["nan", "none", "na"])
def test_objects_put_together(missing: Any, configuration: str) -> None:
    text = pd.Series(["b", "a", missing, "c d"], dtype=object, name="n")
    whole = pd.Series(["b", "a", "c"], dtype=object)
    for series in (text, whole):
        check(lambda pd, s: s + "x", series)
        check(lambda pd, s: "x" + s, series)
        check(lambda pd, s: s + " " + s, series)
        check(lambda pd, s: (s + "é").str.upper(), series)
        check(lambda pd, s: s.astype("category"), series)
        check(lambda pd, s: s.astype(pd.CategoricalDtype(["a", "b", "c", "c d"], ordered=True)), series)
        check(lambda pd, s: s + 1, series)
        check(lambda pd, s: s * 2, series, native=False)
        check(lambda pd, s: s + s.fillna("z").astype("str"), series, native=False)


@pytest.mark.parametrize("dtype", ["str", "string", object])
def test_slices_backwards(dtype: Any, configuration: str) -> None:
    text = pd.Series(["abcdef", "", "é日", None, "a"], dtype=dtype)
    positions = (None, 0, 1, 3, 9, -1, -2, -9)
    for start in positions:
        for stop in positions:
            check(lambda pd, s, start=start, stop=stop: s.str.slice(start, stop, -1), text)
    check(lambda pd, s: s.str[4:1:-1], text)
    check(lambda pd, s: s.str[::2], text, native=False)


@pytest.mark.parametrize("dtype", ["str", "string", object])
def test_text_put_together_with_others(dtype: Any, configuration: str) -> None:
    text = pd.Series(["a", None, "c"], dtype=dtype, index=list("xyz"), name="n")
    frame = pd.DataFrame({"p": pd.array(["1", "2", None], dtype="str"), "q": pd.array(["u", "v", "w"], dtype="str")}, index=list("xyz"))
    for options in ({}, {"sep": "-"}, {"sep": "-", "na_rep": "?"}):
        check(lambda pd, s, df, options=options: s.str.cat(df, **options), text, frame)
        check(lambda pd, s, df, options=options: s.str.cat(df["p"], **options), text, frame)
        check(lambda pd, s, df, options=options: s.str.cat([df["q"], df["p"]], **options), text, frame)
        check(lambda pd, s, options=options: s.str.cat(["d", "e", "f"], **options), text)
        check(lambda pd, s, options=options: s.str.cat(np.array(["d", "e", "f"], dtype=object), **options), text)
        check(lambda pd, s, options=options: s.str.cat(pd.Index(["d", "e", "f"]), **options), text)
        check(lambda pd, s, df, options=options: s.str.cat([df["q"], np.array(["d", "e", "f"], dtype=object)], **options), text, frame)
        check(lambda pd, s, df, options=options: s.str.cat(df["q"].iloc[::-1], **options), text, frame)
        check(lambda pd, s, df, options=options: s.str.cat(df["q"].iloc[:2], **options), text, frame)
        for join in ("left", "outer", "inner", "right"):
            check(lambda pd, s, df, options=options, join=join: s.str.cat(df["q"].iloc[1:], join=join, **options), text, frame, native=False)
    check(lambda pd, s: s.str.cat([1, 2, 3]), text, native=False)
    check(lambda pd, s: s.str.cat(["d", "e"]), text, native=False)
    check(lambda pd, s: s.str.cat(["d", None, "f"]), text, native=False)
    check(lambda pd, s: s.str.cat("d"), text, native=False)
    check(lambda pd, s: s.str.cat(np.array([["d", "e"]] * 3, dtype=object)), text, native=False)
