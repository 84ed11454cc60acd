"""Text methods on every kind of text: with NaN and with NA, held by Arrow, by Python, and as objects."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

KINDS: dict[str, Any] = {
    "str": pd.StringDtype("pyarrow", na_value=np.nan),
    "str-python": pd.StringDtype("python", na_value=np.nan),
    "string": pd.StringDtype("pyarrow"),
    "string-python": pd.StringDtype("python"),
}
WORDS = ["b", None, "x", "aB c", "a-b", "12", "ab-c-d", " x ", "cab"]

METHODS: dict[str, Any] = {
    **{name: lambda s, name=name: getattr(s.str, name)() for name in "len upper lower title isalpha isdigit isspace isupper isascii strip".split()},
    "contains": lambda s: s.str.contains("a"),
    "contains-pattern": lambda s: s.str.contains("a|b", na=False),
    "contains-none": lambda s: s.str.contains("a", na=None),
    "contains-flags": lambda s: s.str.contains("A", flags=re.IGNORECASE),
    "contains-compiled": lambda s: s.str.contains(re.compile("a.")),
    "contains-compiled-flags": lambda s: s.str.contains(re.compile("B", re.IGNORECASE)),
    "starts": lambda s: s.str.startswith("a"),
    "ends": lambda s: s.str.endswith(("b", "c")),
    "match": lambda s: s.str.match("a"),
    "match-beginning": lambda s: s.str.match("^a"),
    "match-end": lambda s: s.str.match("a.*b$"),
    "match-compiled": lambda s: s.str.match(re.compile("A", re.IGNORECASE)),
    "fullmatch": lambda s: s.str.fullmatch("a.*"),
    "fullmatch-positions": lambda s: s.str.fullmatch("^a.b$"),
    "find": lambda s: s.str.find("b"),
    "count": lambda s: s.str.count("b"),
    "index": lambda s: s[s.str.contains("a", na=False)].str.index("a"),
    "rindex": lambda s: s[s.str.contains("b", na=False)].str.rindex("b"),
    "replace": lambda s: s.str.replace("a", "z"),
    "replace-pattern": lambda s: s.str.replace("a.", "z", regex=True),
    "slice": lambda s: s.str[1:3],
    "get": lambda s: s.str[0],
    "slice-replace": lambda s: s.str.slice_replace(1, 2, "Q"),
    "slice-replace-start": lambda s: s.str.slice_replace(start=1, repl="Q"),
    "slice-replace-stop": lambda s: s.str.slice_replace(stop=2, repl="Q"),
    "slice-replace-empty": lambda s: s.str.slice_replace(2, 1, "Q"),
    "slice-replace-end": lambda s: s.str.slice_replace(-1, None, ""),
    "pad": lambda s: s.str.pad(5),
    "zfill": lambda s: s.str.zfill(4),
    "repeat": lambda s: s.str.repeat(2),
    "cat": lambda s: s.str.cat(s, sep="-"),
    "split": lambda s: s.str.split("-"),
    "split-columns": lambda s: s.str.split("-", expand=True),
    "rsplit": lambda s: s.str.rsplit("-", expand=True),
    "partition": lambda s: s.str.partition("-"),
    "rpartition": lambda s: s.str.rpartition("-"),
    "extract": lambda s: s.str.extract("(a)(.)"),
    "extract-either": lambda s: s.str.extract("(a)|(b)"),
    "extract-perhaps": lambda s: s.str.extract("(?P<letter>[ab])(?P<dash>-)?"),
    "extract-flags": lambda s: s.str.extract("(B)", flags=re.IGNORECASE, expand=False),
    "findall": lambda s: s.str.findall("[ab]"),
    "dummies": lambda s: s.str.get_dummies("-"),
    "dummies-truth": lambda s: s.str.get_dummies("-", dtype=bool),
    "dummies-small": lambda s: s.str.get_dummies("-", dtype="int8"),
    "isin": lambda s: s.isin(["b", "x"]),
    "added": lambda s: s + "!",
    "equal": lambda s: s == "b",
    "less": lambda s: s < "b",
    "masked": lambda s: s[s == "b"],
    "not-masked": lambda s: s[~(s == "b")],
    "and": lambda s: (s == "b") & (s != "c"),
    "filled": lambda s: s.fillna("q"),
    "replaced": lambda s: s.replace("b", "c"),
    "greatest": lambda s: s.max(),
    "number": lambda s: s.nunique(),
    "category": lambda s: s.astype("category"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_text_of_every_kind(method: str, kind: str, configuration: str) -> None:
    text = pd.Series(WORDS, dtype=KINDS[kind], name="text")
    left = (kind == "str-python" and method in ("isin",)) or (kind.startswith("string") and method in ("isin",))
    check(lambda pd, s: METHODS[method](s), text, native=not left)
    check(lambda pd, s: METHODS[method](s), text.iloc[:0], native=False)
    check(lambda pd, s: METHODS[method](s), text.iloc[1:2], native=False)


@pytest.mark.parametrize("method", METHODS)
def test_text_as_objects(method: str, configuration: str) -> None:
    check(lambda pd, s: METHODS[method](s), pd.Series(WORDS, dtype=object), native=False)


ARROW: dict[str, Any] = {
    "equal": lambda s: s == 3,
    "less": lambda s: s < s.shift(),
    "sorted": lambda s: s.sort_values(kind="stable"),
    "missing": lambda s: s.isna(),
    "dropna": lambda s: s.dropna(),
    "once": lambda s: s.drop_duplicates(),
    "masked": lambda s: s[s == 3],
    "objects": lambda s: s.astype(object),
    "forward": lambda s: s.ffill(),
    "count": lambda s: s.count(),
}


@pytest.mark.parametrize("method", ARROW)
def test_numbers_of_arrow(method: str, configuration: str) -> None:
    numbers = pd.Series([1, None, 3, 3], dtype="int64[pyarrow]")
    check(lambda pd, s: ARROW[method](s), numbers)
    check(lambda pd, s: ARROW[method](s), numbers.iloc[:0])


@pytest.mark.parametrize("by", [3, 0, 2.5])
def test_both_parts_of_a_division(by: Any, configuration: str) -> None:
    numbers = pd.Series([1, -7, 0, 5])
    check(lambda pd, s: divmod(s, by), numbers)
    check(lambda pd, s: divmod(by, s), numbers)
    check(lambda pd, s: divmod(s, s), numbers)
    check(lambda pd, s: np.divmod(s, by), numbers)
    check(lambda pd, s: s.to_frame("x") * pd.Index([by]), numbers)


REPLACEMENTS: dict[str, Any] = {
    "compiled": lambda s: s.str.replace(re.compile("a."), "Z", regex=True),
    "compiled-flags": lambda s: s.str.replace(re.compile("A.", re.IGNORECASE), "Z", regex=True),
    "flags": lambda s: s.str.replace("A.", "Z", regex=True, flags=re.IGNORECASE),
    "case": lambda s: s.str.replace("A.", "Z", regex=True, case=False),
}


@pytest.mark.parametrize("method", REPLACEMENTS)
def test_replacements_by_patterns(method: str, configuration: str) -> None:
    check(lambda pd, s: REPLACEMENTS[method](s), pd.Series(WORDS, dtype="str"))
