"""Characters of text that become others, text in a normal form, and all matches of a pattern; and why some of the accessors' methods are pandas' own."""

from __future__ import annotations

import string
from typing import Any

import compare
import frames
import numpy as np
import pandas as pd
import pytest
from compare import check
from frames import FRAMES
from test_text import TEXTS, odd, plain

from airloom.pandas.dispatch import reasons

ALL = {**FRAMES, **TEXTS}

TABLES: dict[str, Any] = {
    "removed": str.maketrans("", "", string.punctuation),
    "removed-some": str.maketrans("", "", "ab"),
    "changed": str.maketrans("ab", "xy"),
    "longer": str.maketrans({"a": "aa", "b": "", "ä": "ae", "日": "$1"}),
    "in-a-row": str.maketrans({"a": "b", "b": "c", "c": "d"}),
    "with-itself": str.maketrans({"a": "a", "b": "-"}),
    "special": str.maketrans({"-": "^", "]": "[", "^": "\\", ".": "$0"}),
    "none": {},
    "all-of-them": {ord(letter): None for letter in string.printable},
}


@pytest.mark.parametrize("frame", ALL)
@pytest.mark.parametrize("table", TABLES)
def test_translate(table: str, frame: str, configuration: str) -> None:
    check(lambda pd, df: df["s"].str.translate(TABLES[table]), ALL[frame]())


#: Tables that pandas must read, or complains about.
STRANGE: dict[str, Any] = {
    "exchanged": str.maketrans("ab", "ba"),
    "text": "".join(map(chr, range(128, 256))),
    "list": list(range(50)),
    "keys-of-text": {"a": "b"},
    "negative": {-1: "a"},
    "beyond": {97: 0x110000},
    "number": {97: 1.5},
    "half": {0xD800: "a", 97: "b"},
    "many": {ord(letter): letter * 2 for letter in string.ascii_letters},
}


@pytest.mark.parametrize("frame", ["mixed", "plain", "empty", "all-missing", "odd"])
@pytest.mark.parametrize("table", STRANGE)
def test_translate_left_to_pandas(table: str, frame: str) -> None:
    check(lambda pd, df: df["s"].str.translate(STRANGE[table]), ALL[frame](), native=False)


KINDS = {
    "string": lambda frame: frame.astype({"s": "string"}),
    "object": lambda frame: frame.astype({"s": object}),
    "category": lambda frame: frame.astype({"s": "category"}),
    "arrow": lambda frame: frame.astype({"s": "string[pyarrow]"}),
    "python": lambda frame: frame.astype({"s": pd.StringDtype("python", na_value=np.nan)}),
}
OTHERS: dict[str, Any] = {
    "translate": lambda pd, df: df["s"].str.translate(TABLES["longer"]),
    "normalize": lambda pd, df: df["s"].str.normalize("NFKC"),
    "extractall": lambda pd, df: df["s"].str.extractall("([a-z])([0-9])?"),
    "extractall-nothing": lambda pd, df: df["s"].str.extractall("(qqq)"),
}


@pytest.mark.parametrize("text", [plain, odd, lambda: plain().iloc[:0], lambda: plain().iloc[2:3]], ids=["plain", "odd", "empty", "missing"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", OTHERS)
def test_other_kinds_of_text(program: str, kind: str, text: Any) -> None:
    check(OTHERS[program], KINDS[kind](text()), native=False)


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD", "NFX", 3])
@pytest.mark.parametrize("frame", [*TEXTS, "mixed", "empty", "all-missing", "labelled"])
def test_normal_forms(form: Any, frame: str) -> None:
    check(lambda pd, df: df["s"].str.normalize(form), ALL[frame](), native=frame.startswith("plain") and isinstance(form, str) and form != "NFX")


def test_composed_letters_are_composed() -> None:
    check(lambda pd, df: df["s"].str.normalize("NFC"), pd.DataFrame({"s": ["é", "ä日本", "Яя", None, "plain"]}))


def test_letters_that_are_not() -> None:
    check(lambda pd, df: df["s"].str.normalize("NFC"), pd.DataFrame({"s": ["e\u0301", "ﬁ", None, "plain"]}), native=False)


PATTERNS: dict[str, Any] = {
    "one": "([a-z])",
    "two": "([a-zA-Z])([0-9])?",
    "named": "(?P<letter>[a-zA-Z])(?P<digit>[0-9]?)",
    "some-named": "(?P<letter>[a-zA-Z])(,)?",
    "part-of-it": "[a-zA-Z]([a-z]+)",
    "either": "(a)|(b)",
    "lazy": "([a-zA-Z]+?)([bcB])",
    "greedy": "([a-zA-Z]*)(b|B)",
}


@pytest.mark.parametrize("frame", ["plain", "odd", "plain-masked"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_extractall(pattern: str, frame: str, configuration: str) -> None:
    check(lambda pd, df: df["s"].str.extractall(PATTERNS[pattern]), ALL[frame]())


LABELS: dict[str, Any] = {
    "text": lambda pd, df: df.set_index("u")["s"].str.extractall("([a-z])"),
    "whole": lambda pd, df: df.set_index(df["k"].rename("position") * 2)["s"].str.extractall("([a-z])"),
    "narrow": lambda pd, df: df.set_index(df["k"].astype("int16"))["s"].str.extractall("([a-z])"),
    "lazy": lambda pd, df: (df["s"] + "x").str.extractall("([a-z])"),
    "used": lambda pd, df: df["s"].str.extractall("([a-z])")[0].groupby(level=0).count(),
    "unstacked": lambda pd, df: df["s"].str.extractall("([a-z])").reset_index(),
    "compiled": lambda pd, df: df["s"].str.extractall(__import__("re").compile("([a-z])")),
    "letters-of-any-case": lambda pd, df: df["s"].str.extractall("([a-z])", flags=2),
}


@pytest.mark.parametrize("program", LABELS)
def test_extractall_by_labels(program: str) -> None:
    check(LABELS[program], plain())


EXTRACTALL_LEFT: dict[str, Any] = {
    "no-groups": lambda pd, df: df["s"].str.extractall("a"),
    "nothing": lambda pd, df: df["s"].str.extractall("(qqq)"),
    "empty": lambda pd, df: df["s"].str.extractall("(a*)"),
    "boundary": lambda pd, df: df["s"].str.extractall(r"\b(a)"),
    "end": lambda pd, df: df["s"].str.extractall("(a)$"),
    "repeated": lambda pd, df: df["s"].str.extractall("(?:(a)|b)+"),
    "flags": lambda pd, df: df["s"].str.extractall("(a)", flags=8),
    "two-levels": lambda pd, df: df.set_index(["k", "u"])["s"].str.extractall("([a-z])"),
    "timestamps": lambda pd, df: df.set_index(pandas_days(len(df)))["s"].str.extractall("([a-z])"),
    "wrong": lambda pd, df: df["s"].str.extractall("(a"),
}


def pandas_days(count: int) -> Any:
    return pd.date_range("2020-01-01", periods=count)


@pytest.mark.parametrize("frame", ["plain", "odd", "plain-empty", "mixed", "all-missing"])
@pytest.mark.parametrize("program", EXTRACTALL_LEFT)
def test_extractall_left_to_pandas(program: str, frame: str) -> None:
    frame = ALL[frame]()
    frame["u"] = frame["s"]
    check(EXTRACTALL_LEFT[program], frame, native=False)


PANDAS_OWN: dict[str, Any] = {
    "Series.str.wrap": lambda pd, df: df["s"].str.wrap(3),
    "Series.str.encode": lambda pd, df: df["s"].str.encode("utf-8"),
    "Series.str.decode": lambda pd, df: df["s"].str.encode("utf-8").str.decode("utf-8"),
    "Series.dt.time": lambda pd, df: df["t"].dt.time,
    "Series.dt.timetz": lambda pd, df: df["t"].dt.timetz,
    "Series.dt.to_pydatetime": lambda pd, df: df["t"].dt.to_pydatetime(),
    "Series.dt.to_pytimedelta": lambda pd, df: df["d"].dt.to_pytimedelta(),
    "Series.dt.to_period": lambda pd, df: df["t"].dt.to_period("D"),
    "Series.dt.freq": lambda pd, df: df["t"].dt.freq,
    "Series.pop": lambda pd, df: (df["f"] + 1).pop(3),
}
#: Those of periods: the whole accessor is pandas'.
OF_PERIODS = {"Series.dt.asfreq", "Series.dt.to_timestamp"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PANDAS_OWN)
def test_what_is_pandas_own_says_why(name: str) -> None:
    check(PANDAS_OWN[name], frames.mixed(), native=False)
    assert compare.LEFT[name] == {reasons.why(name)} != {"no native version"}


def test_every_reason_is_tested() -> None:
    assert reasons.REASONS.keys() == PANDAS_OWN.keys() | OF_PERIODS
