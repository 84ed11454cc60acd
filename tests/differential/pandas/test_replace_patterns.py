"""`replace` by regular expressions."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

PROGRAMS: dict[str, Any] = {
    "one": lambda x: x.replace("b", "X", regex=True),
    "class": lambda x: x.replace(r"[a-c]+", "-", regex=True),
    "groups": lambda x: x.replace(r"(a)(b)", r"\2\1", regex=True),
    "nan": lambda x: x.replace(r"^\s*$", np.nan, regex=True),
    "dict": lambda x: x.replace({r"^a": "q", r"c$": "r", "b": "a"}, regex=True),
    "lists": lambda x: x.replace(["a", "b"], ["b", "c"], regex=True),
    "compiled": lambda x: x.replace(re.compile("A", re.I), "_", regex=True),
    "keyword": lambda x: x.replace(regex="b", value="Y"),
    "keyword-dict": lambda x: x.replace(regex={"b": "Y"}),
    "dollar": lambda x: x.replace(r"\$", "", regex=True),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", ["str", "string"])
def test_patterns(dtype: str, name: str, configuration: str) -> None:
    text = pd.Series(["abc", "", "  ", "bca", None, "a$b", "xyz"], dtype=dtype)
    check(lambda pd, s: PROGRAMS[name](s), text, native=name != "nan" or dtype == "str")
    frame = pd.DataFrame({"t": text, "n": np.arange(7), "f": np.arange(7) / 2, "b": [True] * 7})
    check(lambda pd, df: PROGRAMS[name](df), frame, native=name != "nan" or dtype == "str")


def test_patterns_left_to_pandas(configuration: str) -> None:
    text = pd.Series(["abc", "", "b\nc", None, "é"], dtype="str")
    for program in (
        lambda s: s.replace("", "x", regex=True),
        lambda s: s.replace("a*", "x", regex=True),
        lambda s: s.replace(r"\w", "x", regex=True),
        lambda s: s.replace("b$", "x", regex=True),
        lambda s: s.replace("a", 1, regex=True),
        lambda s: s.replace("a", None, regex=True),
        lambda s: s.replace({"a": "b", "b": np.nan}, regex=True),
        lambda s: s.replace(["a", "b"], "c", regex=True),
        lambda s: s.replace("(", "c", regex=True),
        lambda s: s.astype(object).replace("a", "c", regex=True),
        lambda s: s.astype("category").replace("a", "c", regex=True),
    ):
        check(lambda pd, s, program=program: program(s), text, native=False)
    check(lambda pd, df: df.replace("2020", "x", regex=True), pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])}), native=False)
    check(lambda pd, df: df.replace({"t": "a"}, {"t": "b"}, regex=True), text.to_frame("t"), native=False)
    check(lambda pd, df: df.replace({"t": {"a": "b"}}, regex=True), text.to_frame("t"), native=False)
