"""The accessor `str` beside pandas'."""

from __future__ import annotations

import random
from typing import Any

import pandas
import pytest
from compare import check
from frames import FRAMES


def plain() -> pandas.DataFrame:
    """Text of ASCII, with what is missing, and what looks like numbers, words, fields and lines."""
    text = ["Hello World", "", None, "a,b,c", "  pad ", "-12", "+7.5", "x1y22", "they're", "A.B", "tab\tend", "ab" * 5, "$1", "a", "2020-01-05", "ABC"]
    return pandas.DataFrame({"s": pandas.array(text, dtype="str"), "u": pandas.array(text[::-1], dtype="str"), "k": range(len(text))})


def odd() -> pandas.DataFrame:
    """Random text, in and beyond ASCII."""
    draw = random.Random(5)
    letters = ["ä", "日", "a", "B", " ", "1", "-", "é", "\t", ",", "Я", "я"]
    text = ["".join(draw.choice(letters) for _ in range(draw.randrange(7))) for _ in range(300)]
    return pandas.DataFrame({"s": pandas.array(text, dtype="str"), "u": pandas.array(text[::-1], dtype="str"), "k": range(300)})


TEXTS = {"plain": plain, "odd": odd, "plain-masked": lambda: plain()[plain()["k"] % 3 != 1], "plain-empty": lambda: plain().iloc[:0]}
ALL = {**FRAMES, **TEXTS}

#: On any text at all.
NATIVE: dict[str, Any] = {
    "len": lambda pd, df: df["s"].str.len(),
    "len-known": lambda pd, df: df["s"].fillna("x").str.len(),
    "len-used": lambda pd, df: df[df["s"].str.len() > 1],
    "strip": lambda pd, df: df["s"].str.strip(),
    "lstrip": lambda pd, df: df["s"].str.lstrip(),
    "rstrip": lambda pd, df: df["s"].str.rstrip("bc "),
    "strip-characters": lambda pd, df: df["s"].str.strip("ab"),
    "contains": lambda pd, df: df["s"].str.contains("b"),
    "contains-na": lambda pd, df: df["s"].str.contains("b", na=True),
    "contains-literal": lambda pd, df: df["s"].str.contains(".", regex=False),
    "contains-pattern": lambda pd, df: df["s"].str.contains("^[a-c]|B"),
    "contains-dot": lambda pd, df: df["s"].str.contains("a.b"),
    "contains-repeat": lambda pd, df: df["s"].str.contains("(?:ab){2,3}"),
    "contains-escaped": lambda pd, df: df["s"].str.contains(r"\."),
    "contains-not": lambda pd, df: df["s"].str.contains("[^a-z]"),
    "contains-mask": lambda pd, df: df[~df["s"].str.contains("a|b")],
    "startswith": lambda pd, df: df["s"].str.startswith("a"),
    "startswith-several": lambda pd, df: df["s"].str.startswith(("a", "b", "日")),
    "endswith": lambda pd, df: df["s"].str.endswith("b", na=False),
    "match": lambda pd, df: df["s"].str.match("[ab]"),
    "fullmatch": lambda pd, df: df["s"].str.fullmatch("a|ab|b"),
    "replace": lambda pd, df: df["s"].str.replace("b", "xx"),
    "replace-once": lambda pd, df: df["s"].str.replace("b", "$0", n=1),
    "replace-pattern": lambda pd, df: df["s"].str.replace("[ab]+", "$1", regex=True),
    "replace-special": lambda pd, df: df["s"].str.replace(".", "-"),
    "replace-dict": lambda pd, df: df["s"].str.replace({"a": "b", "b": "c"}),
    "slice": lambda pd, df: df["s"].str.slice(1, 3),
    "slice-item": lambda pd, df: df["s"].str[:2] + df["s"].str[-2:],
    "slice-negative": lambda pd, df: df["s"].str[-3:-1],
    "slice-past": lambda pd, df: df["s"].str[2:1],
    "item": lambda pd, df: df["s"].str[0],
    "item-last": lambda pd, df: df["s"].str[-1],
    "get": lambda pd, df: df["s"].str.get(1),
    "find": lambda pd, df: df["s"].str.find("b"),
    "rfind": lambda pd, df: df["s"].str.rfind("b"),
    "find-empty": lambda pd, df: df["s"].str.find(""),
    "count": lambda pd, df: df["s"].str.count("b"),
    "count-pattern": lambda pd, df: df["s"].str.count("[ab]"),
    "pad": lambda pd, df: df["s"].str.pad(6),
    "pad-both": lambda pd, df: df["s"].str.pad(7, side="both", fillchar="*"),
    "center": lambda pd, df: df["s"].str.center(6, "-"),
    "ljust": lambda pd, df: df["s"].str.ljust(5, "."),
    "rjust": lambda pd, df: df["s"].str.rjust(5),
    "zfill": lambda pd, df: df["s"].str.zfill(5),
    "repeat": lambda pd, df: df["s"].str.repeat(2),
    "repeat-none": lambda pd, df: df["s"].str.repeat(0),
    "removeprefix": lambda pd, df: df["s"].str.removeprefix("a"),
    "removesuffix": lambda pd, df: df["s"].str.removesuffix("b"),
    "cat": lambda pd, df: df["s"].str.cat(df["s"], sep="-"),
    "cat-rep": lambda pd, df: df["s"].str.cat(df["s"].str[:1], na_rep="?"),
    "cat-several": lambda pd, df: df["s"].str.cat([df["s"], df["s"].str.strip()], sep="/"),
    "extract-series": lambda pd, df: df["s"].str.extract("([ab])", expand=False),
    "extract-named": lambda pd, df: df["s"].str.extract("(?P<letter>[ab])", expand=False),
    "chain": lambda pd, df: df["s"].str.strip().str.replace("a", "b").str.len(),
    "assign": lambda pd, df: df.assign(n=df["s"].str.len(), first=df["s"].str[0]),
}

#: On text whose letters everybody agrees on, of which there is some.
COMMON: dict[str, Any] = {
    "lower": lambda pd, df: df["s"].str.lower(),
    "upper": lambda pd, df: df["s"].str.upper(),
    "title": lambda pd, df: df["s"].str.title(),
    "capitalize": lambda pd, df: df["s"].str.capitalize(),
    "swapcase": lambda pd, df: df["s"].str.swapcase(),
    "casefold": lambda pd, df: df["s"].str.casefold(),
    "isalpha": lambda pd, df: df["s"].str.isalpha(),
    "isalnum": lambda pd, df: df["s"].str.isalnum(),
    "isdigit": lambda pd, df: df["s"].str.isdigit(),
    "isdecimal": lambda pd, df: df["s"].str.isdecimal(),
    "isspace": lambda pd, df: df["s"].str.isspace(),
    "islower": lambda pd, df: df["s"].str.islower(),
    "isupper": lambda pd, df: df["s"].str.isupper(),
    "istitle": lambda pd, df: df["s"].str.istitle(),
}

#: On text of ASCII, of which there is some.
ASCII: dict[str, Any] = {
    **COMMON,
    "isnumeric": lambda pd, df: df["s"].str.isnumeric(),
    "digits": lambda pd, df: df["s"].str.contains(r"\d"),
    "words": lambda pd, df: df["s"].str.contains(r"\bb\b|\w\s\w"),
    "spaces": lambda pd, df: df["s"].str.replace(r"\s+", "_", regex=True),
    "any-case": lambda pd, df: df["s"].str.contains("hello|B", case=False),
    "end": lambda pd, df: df["s"].str.contains(r"\d$"),
    "match-digits": lambda pd, df: df["s"].str.match(r"[+-]?\d+"),
    "fullmatch-digits": lambda pd, df: df["s"].str.fullmatch(r"[+-]?\d+(\.\d+)?"),
    "count-words": lambda pd, df: df["s"].str.count(r"\w+"),
    "split": lambda pd, df: df["s"].str.split(","),
    "split-words": lambda pd, df: df["s"].str.split(),
    "split-limit": lambda pd, df: df["s"].str.split("b", n=1),
    "split-longer": lambda pd, df: df["s"].str.split("ab"),
    "split-expand": lambda pd, df: df["s"].str.split(",", expand=True),
    "split-expand-limit": lambda pd, df: df["s"].str.split(" ", n=1, expand=True),
    "split-item": lambda pd, df: df["s"].str.split(",").str[0],
    "split-last": lambda pd, df: df["s"].str.split(",").str.get(-1),
    "split-far": lambda pd, df: df["s"].str.split(",").str[2],
    "split-strip": lambda pd, df: df["s"].str.split(",").str[0].str.strip(),
    "split-chain": lambda pd, df: df["s"].str.split(",").str[0].str.replace("a", "b").str[0:2].str.zfill(4),
    "split-length": lambda pd, df: df["s"].str.split(" ").str[0].str.len(),
    "split-find": lambda pd, df: df["s"].str.split(" ").str[0].str.find("l"),
    "split-contains": lambda pd, df: df["s"].str.split(" ").str[0].str.contains("a|l"),
    "split-starts": lambda pd, df: df["s"].fillna("z").str.split(" ").str[0].str.startswith("a"),
    "split-letter": lambda pd, df: df["s"].str.split(" ").str[0].str[0],
    "split-text": lambda pd, df: df["s"].str.split(" ").str[0].astype(str),
    "split-number": lambda pd, df: df["k"].astype(str).str.split(".").str[0].astype(int),
    "split-again": lambda pd, df: df[df["s"].notna()]["s"].str.split("-").str[-1].str.pad(5),
    "split-len": lambda pd, df: df["s"].str.split(",").str.len(),
    "partition": lambda pd, df: df["s"].str.partition(","),
    "extract": lambda pd, df: df["s"].str.extract(r"(\d+)"),
    "extract-two": lambda pd, df: df["s"].str.extract(r"(?P<year>\d{4})-(?P<month>\d\d)"),
    "extract-some": lambda pd, df: df["s"].str.extract(r"(?P<a>[a-z])(\d)"),
}

#: What pandas does, but must be the same.
LEFT: dict[str, Any] = {
    "split": lambda pd, df: df["s"].str.split("b"),
    "split-words": lambda pd, df: df["s"].str.split(),
    "numbers": lambda pd, df: df["k"].str.len(),
    "contains-groups": lambda pd, df: df["s"].str.contains("(a)"),
    "contains-wrong": lambda pd, df: df["s"].str.contains("("),
    "contains-ahead": lambda pd, df: df["s"].str.contains("a(?=b)"),
    "contains-na": lambda pd, df: df["s"].str.contains("a", na=None),
    "lower": lambda pd, df: df["s"].str.lower(),
    "upper": lambda pd, df: df["s"].str.upper(),
    "title": lambda pd, df: df["s"].str.title(),
    "isalpha": lambda pd, df: df["s"].str.isalpha(),
    "isnumeric": lambda pd, df: df["s"].str.isnumeric(),
    "spaces": lambda pd, df: df["s"].str.replace(r"\s+", "_", regex=True),
    "end": lambda pd, df: df["s"].str.contains("b$"),
    "replace-groups": lambda pd, df: df["s"].str.replace("(a)(b)", r"\2\1", regex=True),
    "replace-empty": lambda pd, df: df["s"].str.replace("", "-"),
    "replace-callable": lambda pd, df: df["s"].str.replace("a", lambda m: "x", regex=True),
    "replace-wrong": lambda pd, df: df["s"].str.replace("a", 3),
    "startswith-wrong": lambda pd, df: df["s"].str.startswith(3),
    "slice-step": lambda pd, df: df["s"].str[::-1],
    "find-from": lambda pd, df: df["s"].str.find("b", 1),
    "pad-wrong": lambda pd, df: df["s"].str.pad(5, fillchar="ab"),
    "cat-alone": lambda pd, df: df["s"].str.cat(sep=","),
    "cat-list": lambda pd, df: df["s"].str.cat(["x"] * len(df)),
    "split-pattern": lambda pd, df: df["s"].str.split("[ab]", regex=True),
    "split-expand": lambda pd, df: df["s"].str.split(expand=True),
    "split-item": lambda pd, df: df["s"].str.split(",").str[1],
    "split-text": lambda pd, df: df["s"].str.split(",").str[0].str.upper(),
    "split-strip": lambda pd, df: df["s"].str.split("b").str[0].str.strip(),
    "split-strip-some": lambda pd, df: df["s"].str.split("b").str[1].str.strip().str.len(),
    "split-number": lambda pd, df: df["s"].str.split("b").str[0].astype(float),
    "split-equals": lambda pd, df: df["s"].str.split("b").str[0] == "a",
    "split-contains": lambda pd, df: df["s"].str.split("b").str[0].str.contains("a", na=False),
    "split-none-left": lambda pd, df: df["s"].str.split("b").str[0][df["s"].isna()].str.strip(),
    "split-missing": lambda pd, df: df["s"].str.split("b").str[0].isna(),
    "split-filled": lambda pd, df: df["s"].str.split("b").str[1].fillna("none"),
    "split-upper": lambda pd, df: df["s"].str.split("b").str[0].str.upper(),
    "split-put": lambda pd, df: df.assign(x=df["s"].str.split("b").str[0]).dropna(subset=["x"]),
    "rsplit": lambda pd, df: df["s"].str.rsplit("b", n=1),
    "partition": lambda pd, df: df["s"].str.partition("b"),
    "extract": lambda pd, df: df["s"].str.extract("(a)?(b)"),
    "extract-none": lambda pd, df: df["s"].str.extract("a"),
    "extract-plain": lambda pd, df: df["s"].str.extract("([ab])(.)"),
    "get-dummies": lambda pd, df: df["s"].str.get_dummies(),
    "iterate": lambda pd, df: list(df["s"].str),
    "encode": lambda pd, df: df["s"].str.encode("utf-8"),
    "wrong": lambda pd, df: df["s"].str.nothing(),
    "categories": lambda pd, df: df["s"].astype("category").str.upper(),
    "repeat-each": lambda pd, df: df["s"].str.repeat([1] * len(df)),
}


@pytest.mark.parametrize("frame", ALL)
@pytest.mark.parametrize("program", NATIVE)
def test_text(program: str, frame: str, configuration: str) -> None:
    check(NATIVE[program], ALL[frame]())


@pytest.mark.parametrize("frame", ["plain", "odd", "plain-masked"])
@pytest.mark.parametrize("program", COMMON)
def test_common_text(program: str, frame: str, configuration: str) -> None:
    check(COMMON[program], ALL[frame]())


@pytest.mark.parametrize("frame", ["plain", "plain-masked"])
@pytest.mark.parametrize("program", ASCII)
def test_ascii_text(program: str, frame: str, configuration: str) -> None:
    check(ASCII[program], ALL[frame]())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", ["mixed", "empty", "all-missing", "labelled", "plain", "odd"])
@pytest.mark.parametrize("program", LEFT)
def test_text_left_to_pandas(program: str, frame: str) -> None:
    check(LEFT[program], ALL[frame](), native=False)
