"""The accessor `str` of objects and of categories, and the accessor `cat`, beside pandas'."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

WORDS = ["a", "Bb cc", "x_b", "", "12", "a,b", "ÄÖ日"]
MISSING = {"nan": np.nan, "none": None, "na": pd.NA}

#: Native on objects, whatever stands for what is missing, and on categories.
METHODS: dict[str, Any] = {
    "upper": lambda s: s.str.upper(),
    "title": lambda s: s.str.title(),
    "casefold": lambda s: s.str.casefold(),
    "isalpha": lambda s: s.str.isalpha(),
    "isascii": lambda s: s.str.isascii(),
    "isspace": lambda s: s.str.isspace(),
    "contains": lambda s: s.str.contains("b"),
    "contains-na": lambda s: s.str.contains("b", na=False),
    "contains-nan": lambda s: s.str.contains("b", na=np.nan),
    "startswith": lambda s: s.str.startswith(("a", "x")),
    "endswith": lambda s: s.str.endswith("b", na=True),
    "match": lambda s: s.str.match("a"),
    "fullmatch": lambda s: s.str.fullmatch("a.*"),
    "slice": lambda s: s.str[1:3],
    "strip": lambda s: s.str.strip("a"),
    "zfill": lambda s: s.str.zfill(4),
    "center": lambda s: s.str.center(6, "*"),
    "repeat": lambda s: s.str.repeat(2),
    "replace": lambda s: s.str.replace("b", "x"),
    "replace-pattern": lambda s: s.str.replace("[bB]", "x", regex=True),
    "split": lambda s: s.str.split("b"),
    "findall": lambda s: s.str.findall("b"),
    "extract": lambda s: s.str.extract("(?P<one>b)(?P<two>.)?"),
    "removeprefix": lambda s: s.str.removeprefix("a"),
    "slice-replace": lambda s: s.str.slice_replace(0, 1, "z"),
    "cat": lambda s: s.str.cat(),
    "cat-sep": lambda s: s.str.cat(sep=",", na_rep="-"),
    "startswith-nothing": lambda s: s.str.startswith(()),
    "swapped": lambda s: s.str.replace(r"(?P<one>[a-z])(_|,)([a-z])", r"\3$\g<one>\\", regex=True),
    "grouped": lambda s: s.str.replace("(B)|(c)", r"<\1\2>", regex=True, n=1),
    "reversed": lambda s: s.str[::-1],
    "split-pattern": lambda s: s.str.split("[b,]+"),
    "split-compiled": lambda s: s.str.split(re.compile("B|_")),
    "joined": lambda s: s.str.split("b").str.join("-"),
    "chain": lambda s: s.str.upper().str.replace("B", "q").str.lower() if s.dtype != "category" else s.str.upper(),
}
#: Native where what is missing is NaN, or nothing is.
OTHERS: dict[str, Any] = {
    "len": lambda s: s.str.len(),
    "find": lambda s: s.str.find("b"),
    "find-between": lambda s: s.str.find("b", 1, 3),
    "find-after": lambda s: s.str.rfind("c", 2),
    "count": lambda s: s.str.count("b"),
    "get": lambda s: s.str.get(0),
    "partition": lambda s: s.str.partition("b"),
    "rpartition": lambda s: s.str.rpartition("b"),
    "extract-one": lambda s: s.str.extract("(b)", expand=False),
}
#: Left to pandas in some of the cases.
SOMETIMES: dict[str, Any] = {
    "split-expanded": lambda s: s.str.split("b", expand=True),
    "rsplit-once": lambda s: s.str.rsplit("b", n=1, expand=True),
    "split-pattern-expanded": lambda s: s.str.split("[b,]+", expand=True),
    "repeat-each": lambda s: s.str.repeat([2] * len(s)),
    "rsplit-expanded": lambda s: s.str.rsplit("_", expand=True),
    "contains-none": lambda s: s.str.contains("b", na=None),
    "dummies": lambda s: s.str.get_dummies("_"),
    "index-between": lambda s: s[s.str.len() > 3].str.rindex("c", 2, 9),
    "index": lambda s: s.str.index("a"),
    "get-far": lambda s: s.str.get(3),
    "nothing": lambda s: s.str.get(99),
    "private": lambda s: pd.Series.str.strip(s.str),
}
EVERY = {**METHODS, **OTHERS, **SOMETIMES}


def objects(missing: Any) -> pd.Series:
    return pd.Series([*WORDS[:3], missing, *WORDS[3:]], dtype=object, name="words", index=list("hgfedcba"))


def of_categories(dtype: Any, *, whole: bool = False) -> pd.Series:
    codes = [0, 2, 1 if whole else -1, 4, 4, 3, 6]
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index([*WORDS, "unused"], dtype=dtype)), name="words")


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("method", EVERY)
def test_objects(method: str, missing: str, configuration: str) -> None:
    native = method in METHODS or (method in OTHERS and missing == "nan")
    series = objects(MISSING[missing])
    check(lambda pd, s: EVERY[method](s), series, native=native)
    check(lambda pd, s: EVERY[method](s[s != "a"]), series, native=False)
    check(lambda pd, s: EVERY[method](s.dropna()), series, native=False)
    check(lambda pd, s: EVERY[method](s), series.dropna(), native=method in METHODS or method in OTHERS)


@pytest.mark.parametrize("dtype", ["str", "object", "string", pd.StringDtype("python", na_value=np.nan)], ids=str)
@pytest.mark.parametrize("method", EVERY)
def test_categories(method: str, dtype: Any, configuration: str) -> None:
    native = method in (*METHODS, *OTHERS) and dtype != "string"
    check(lambda pd, s: EVERY[method](s), of_categories(dtype), native=native)
    check(lambda pd, s: EVERY[method](s), of_categories(dtype, whole=True), native=native)
    check(lambda pd, s: EVERY[method](s), of_categories(dtype).iloc[2:3], native=False)
    check(lambda pd, s: EVERY[method](s), of_categories(dtype).iloc[:0], native=False)


@pytest.mark.parametrize("method", EVERY)
def test_objects_that_are_no_text(method: str, configuration: str) -> None:
    for values in ([], [np.nan, None], [None], ["a", 1], [b"a", b"b"], [1, 2], [float("nan"), "a", "a_b"], ["a", None, np.nan]):
        check(lambda pd, s: EVERY[method](s), pd.Series(values, dtype=object), native=False)


def test_text_beside_text(configuration: str) -> None:
    series = objects(None)
    check(lambda pd, s: s.str.cat(s, sep="-"), series)
    check(lambda pd, s: s.str.cat([s, s.str.upper()], na_rep="?"), series)
    check(lambda pd, s: s.str.cat(s.astype("str"), sep="-"), series, native=False)


CHANGES: dict[str, Any] = {
    "codes": lambda s: s.cat.codes,
    "categories": lambda s: s.cat.categories,
    "ordered": lambda s: s.cat.ordered,
    "rename": lambda s: s.cat.rename_categories(["q", "w", "e", "r"]),
    "rename-dict": lambda s: s.cat.rename_categories({"a": "z", "nowhere": 1}),
    "rename-function": lambda s: s.cat.rename_categories(lambda name: f"{name}!"),
    "reorder": lambda s: s.cat.reorder_categories(list(s.cat.categories)[::-1], ordered=True),
    "add": lambda s: s.cat.add_categories(["new", "newer"]),
    "remove": lambda s: s.cat.remove_categories(list(s.cat.categories)[1]),
    "remove-several": lambda s: s.cat.remove_categories(list(s.cat.categories)[:2]),
    "remove-unused": lambda s: s.cat.remove_unused_categories(),
    "set": lambda s: s.cat.set_categories(["new", *list(s.cat.categories)[::2]]),
    "set-renamed": lambda s: s.cat.set_categories(["x", "y"], rename=True),
    "set-many": lambda s: s.cat.set_categories([*range(300), *s.cat.categories]),
    "ordered-then": lambda s: s.cat.as_ordered(),
    "unordered-then": lambda s: s.cat.as_unordered(),
    "used": lambda s: s[s.cat.codes > 0].cat.remove_unused_categories().cat.codes,
    "wrong": lambda s: s.cat.rename_categories(["a"]),
    "wrong-name": lambda s: s.cat.remove_categories("nowhere"),
    "written": lambda s: setattr(s.cat, "categories", ["a"]),
    "added": lambda s: setattr(s.cat, "anything", 1),
    "none": lambda s: s.cat.nothing,
}


@pytest.mark.parametrize("method", CHANGES)
def test_changed_categories(method: str, configuration: str) -> None:
    plain = pd.Series(pd.Categorical.from_codes([0, 2, -1, 1, 0], categories=list("abcd")), name="n", index=list("vwxyz"))
    numbers = pd.Series(pd.Categorical.from_codes([3, 2, -1, 3, 0], categories=[5, 3, 4, 9], ordered=True))
    many = pd.Series(pd.Categorical.from_codes([0, 150, -1, 199], categories=range(200)))
    for series in (plain, numbers, many, plain.iloc[:0], numbers.iloc[2:3]):
        check(lambda pd, s: CHANGES[method](s), series, native=method != "set-renamed" or series is not many)


def test_no_categories(configuration: str) -> None:
    check(lambda pd, s: s.cat.codes, pd.Series([1, 2]))
    check(lambda pd, s: s.cat.remove_unused_categories(), pd.Series([None], dtype="category"))


@pytest.mark.parametrize("dtype", ["uint8", "float32", "bool", "Int8", "boolean", "Float64", "int16[pyarrow]", "bool[pyarrow]", "str", object])
def test_parts_as_numbers(dtype: Any, configuration: str) -> None:
    for text in (objects(None), objects(None).dropna().astype("str"), objects(None).astype("string[python]")):
        check(lambda pd, s: s.str.get_dummies("_", dtype=dtype), text[text != ""], native=dtype not in ("str", object))


RANKED: dict[str, Any] = {
    "floats": [1.5, np.nan, float("inf"), -0.0, 0.0, 1.5],
    "whole": [3, 1, 3, 2],
    "text": ["b", None, "a", "é", "b"],
}


@pytest.mark.parametrize("values", RANKED)
@pytest.mark.parametrize("method", ["average", "min", "max", "first", "dense"])
def test_ranks_of_objects(method: str, values: str, configuration: str) -> None:
    for options in ({}, {"ascending": False}, {"na_option": "top"}, {"na_option": "bottom", "pct": True}):
        check(lambda pd, s: s.rank(method=method, **options), pd.Series(RANKED[values], dtype=object))


@pytest.mark.parametrize("values", [["a", None], ["a", "b"], [["a"], None], [1, "a", None], [1, None], [True, None, False], [True, False], [1, 2], [1.5, np.nan], [None, None], [(1, 2), np.nan]], ids=str)
def test_what_is_missing_otherwise(values: Any, configuration: str) -> None:
    series = pd.Series(values, dtype=object)
    check(lambda pd, s: s.fillna(np.nan), series)
    check(lambda pd, s: s.fillna(pd.NA), series, native=False)
    check(lambda pd, s: s.fillna(None), series, native=False)


def test_mixed_objects_stay(configuration: str) -> None:
    check(lambda pd, s: s.convert_dtypes(), pd.Series(["h", 1, None], dtype=object))
    check(lambda pd, s: s.convert_dtypes(convert_string=False), pd.Series([1, "h"], dtype=object))


def test_parts_that_are_not_there(configuration: str) -> None:
    check(lambda pd, s: s.dropna().str.get(3), objects(None))
    check(lambda pd, s: s.dropna().str.extract("(b)", expand=False), objects(None))
    check(lambda pd, s: s.dropna().str.split("b").str.get(1), objects(None))


def test_text_of_python_as_objects(configuration: str) -> None:
    for dtype in ("string[python]", pd.StringDtype("python", na_value=np.nan)):
        text = pd.Series(["b", None, "a_b", "c"], dtype=dtype, index=list("wxyz"))
        check(lambda pd, s: s.astype(object), text)
        check(lambda pd, s: s.astype(object).str.upper(), text)
        check(lambda pd, s: s[s != "c"].astype(object).str.len(), text, native=dtype != "string[python]")
        check(lambda pd, s: s.to_frame("t").astype(object), text)
        check(lambda pd, s: s.str.upper().astype(object), text, native=False)
        check(lambda pd, s: (s + "x").astype(object), text)
        check(lambda pd, s: (s + "x").astype(object).str.upper(), text)


@pytest.mark.parametrize("dtype", ["str", "string"])
def test_text_of_arrow_as_objects(dtype: str, configuration: str) -> None:
    text = pd.Series(["b", None, "a_b", "c"], dtype=dtype, index=list("wxyz"))
    for program in (lambda s: s.str.upper(), lambda s: s.str.contains("b"), lambda s: s.str.split("b"), lambda s: s.str.len(), lambda s: s.isna()):
        check(lambda pd, s, program=program: program(s.astype(object)), text, native=False)
        check(lambda pd, s, program=program: program(s.astype(object).dropna()), text, native=False)


def test_lists_of_text(configuration: str) -> None:
    for dtype in ("str", "string"):
        text = pd.Series(["b c", None, "a_b  é", ""], dtype=dtype)
        check(lambda pd, s: s.str.split().str.join("--"), text)
        check(lambda pd, s: s.str.split("[ _]+").str.join("--").str.upper(), text, native=dtype == "str")
        check(lambda pd, s: s.str.split("[ _]+").str.len(), text, native=dtype == "str")
        check(lambda pd, s: s.str.split("[ _]+").str[1], text, native=dtype == "str")
        check(lambda pd, s: s.dropna().str.split("[ _]+").str[1], text)
        check(lambda pd, s: s.str.rsplit("b", n=1, expand=True), text)
        check(lambda pd, s: s.str.rsplit(" ", n=1, expand=True)[1], text)
        check(lambda pd, s: s.str.repeat([1, 2, -1, 3]), text)
        check(lambda pd, s: s.str[::-1], text)
