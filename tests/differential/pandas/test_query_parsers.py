"""`query` and `eval` with the parsers and engines that pandas has."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from compare import check
from frames import FRAMES

#: Text that both parsers read, and what the engine does of it with Python's own.
TEXTS: dict[str, bool] = {
    "k > 1": True,
    "(k > 1) & (f < 2)": True,
    "(k > 1) | ~(b)": True,
    "k > 1 & f < 2": False,
    "k > 1 and f < 2": False,
    "not b": False,
    "0 < k < 3": False,
    "s == 'b'": False,
    "s > 'a'": True,
    "k in [1, 2]": False,
    "k == [1, 2]": False,
    "`k` > 1": False,
    "t > '2000-01-01'": True,
    "k + small > 2": True,
}


@pytest.mark.parametrize("frame", ["mixed", "empty", "one", "labelled", "dated"])
@pytest.mark.parametrize("text", TEXTS)
def test_parsers(text: str, frame: str, configuration: str) -> None:
    check(lambda pd, df: df.query(text, parser="python"), FRAMES[frame](), native=TEXTS[text])
    check(lambda pd, df: df.query(text, engine="python"), FRAMES[frame](), native=False)
    check(lambda pd, df: df.query(text, engine="python", parser="pandas"), FRAMES[frame](), native=False)
    check(lambda pd, df: df.query(text, engine="python", parser="python"), FRAMES[frame](), native=TEXTS[text])


def test_parsers_of_eval(configuration: str) -> None:
    frame = pandas.DataFrame({"x": [1, 2, 3], "y": [0.5, 1.5, 2.5], "b": [True, False, True]})
    limit: Any = 2
    for options in ({"parser": "python"}, {"engine": "python"}, {"engine": "python", "parser": "python"}):
        check(lambda pd, df, options=options: df.eval("x + y * 2", **options), frame)
        check(lambda pd, df, options=options: df.eval("(x > 1) & (y < 2)", **options), frame)
        check(lambda pd, df, options=options: df.eval("(x > 1) & b", **options), frame)
        check(lambda pd, df, options=options: df.eval("x > @limit", **options), frame, native=False)
    assert limit == 2


#: pandas looks a string up among the values of a column, as it is: no timestamp is equal to one.
LOOKED_UP = [
    "t == '2020-02-29'", "t != '2020-02-29'", "'2020-02-29' == t", "d == '1 days'", "k == '1'", "f != '1.5'", "b == 'True'", "c == 'x'", "c != 'q'", "s != ''", "t == @day", "t.dt.year == '2020'",
]


@pytest.mark.parametrize("frame", ["mixed", "empty", "one", "all-missing", "labelled"])
@pytest.mark.parametrize("text", LOOKED_UP)
def test_strings_are_looked_up(text: str, frame: str, configuration: str) -> None:
    day = "2020-02-29"
    check(lambda pd, df: df.query(text), FRAMES[frame](), native=False)
    assert day


def test_periods_beside_strings(configuration: str) -> None:
    frame = pandas.DataFrame({"a": pandas.array(["2020-01-01", "2020-01-02"], dtype="period[D]")})
    check(lambda pd, df: [df.query("a == '2020-01-01'"), df.query("a != '2020-01-01'")], frame, native=False)
