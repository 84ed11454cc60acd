"""Methods for text that pandas does for each of few values once: what rows look up is what it makes of all of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

DTYPES: dict[str, Any] = {
    "str": "str",
    "string": "string[pyarrow]",
    "python": "string[python]",
    "object": object,
    "objects-of-str": pd.StringDtype("python", na_value=np.nan),
}
VALUES: dict[str, list[Any]] = {
    "plain": ["ab", "ac", "ab", "b"],
    "missing": ["ab", None, "ac", None, "", "ab"],
    "one": ["abab"],
    "unicode": ["äb", "日本 ab", "aä b", "\u2003", "x\ny\n", None],
}
METHODS: dict[str, Callable[[Any], Any]] = {
    "ahead": lambda s: s.str.contains("a(?=b)"),
    "not-ahead": lambda s: s.str.contains("a(?!b)", na=False),
    "behind": lambda s: s.str.match("(?<!b)a"),
    "whole": lambda s: s.str.fullmatch(r"[\w\s]+(?<!b)"),
    "classes": lambda s: s.str.contains(r"\w\W"),
    "lines": lambda s: s.str.contains("y$"),
    "compiled": lambda s: s.str.contains(re.compile("A(?=b)", re.I)),
    "replaced": lambda s: s.str.replace("a(?=b)", "x", regex=True),
    "replaced-empty": lambda s: s.str.replace("a*", "-", regex=True),
    "replaced-none": lambda s: s.str.replace("a", "x", n=0),
    "counted": lambda s: s.str.count(""),
    "counted-ahead": lambda s: s.str.count("a(?=b)"),
    "parted": lambda s: s.str.partition("b", expand=False),
    "parted-from-the-end": lambda s: s.str.rpartition("b", expand=False),
    "extracted": lambda s: s.str.extract("(a(?=b))(.)"),
    "extracted-one": lambda s: s.str.extract("(a(?!b))", expand=False),
    "split": lambda s: s.str.split("(a)(?=b)", regex=True, expand=True),
    "split-to-lists": lambda s: s.str.split("a(?=b)", regex=True),
    "upper": lambda s: s.str.upper(),
    "found": lambda s: s.str.find("b", -2),
    "not-found": lambda s: s.str.index("a"),
    "broken": lambda s: s.str.contains("(?P<"),
    "with-groups": lambda s: s.str.contains("(a)(?=b)"),
    "then-grouped": lambda s: s.groupby(s.str.replace("a(?=b)", "x", regex=True)).size(),
    "of-some": lambda s: s[s.notna()].str.count("a(?=b)"),
}


def _series(values: list[Any], dtype: Any, rows: int) -> pd.DataFrame:
    return pd.DataFrame({"s": pd.Series([values[at % len(values)] for at in range(rows)], dtype=dtype)}).rename_axis("label")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("method", METHODS)
def test_methods_by_value(method: str, values: str, dtype: str, configuration: str) -> None:
    check(lambda pd, df: METHODS[method](df["s"]), _series(VALUES[values], DTYPES[dtype], 13), native=False)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", ["ahead", "not-ahead", "behind", "replaced", "replaced-empty", "counted-ahead", "parted", "extracted", "extracted-one", "split"])
def test_methods_by_value_are_native(method: str, dtype: str) -> None:
    check(lambda pd, df: METHODS[method](df["s"]), _series(VALUES["missing"], DTYPES[dtype], 13))


def test_functions_are_called_for_each_row() -> None:
    calls = []

    def replaced(match: Any) -> str:
        calls.append(match.group())
        return "x"

    check(lambda pd, df: df["s"].str.replace("a(?=b)", replaced, regex=True), _series(["ab", "ab", "ac"], "str", 6), native=False)
    assert len(calls) == 8
