"""Values go to rows by their labels, however the labels of both came about: counted, cut, filtered, sorted, counted anew, or shifted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

from airloom.pandas.dispatch import choice
from airloom.pandas.internals import state

#: What is done to the rows of a frame, or to its labels.
WAYS = {
    "whole": lambda p, f: f,
    "cut": lambda p, f: f.iloc[3:],
    "cut-below": lambda p, f: f.iloc[:-4],
    "cut-twice": lambda p, f: f.iloc[2:].iloc[1:7],
    "filtered": lambda p, f: f[f.x % 2 == 0],
    "filtered-twice": lambda p, f: f[f.x % 2 == 0][lambda g: g.x > 4],
    "cut-and-filtered": lambda p, f: f.iloc[3:][lambda g: g.x % 2 == 0],
    "filtered-and-cut": lambda p, f: f[f.x % 2 == 0].iloc[1:4],
    "sorted": lambda p, f: f.sort_values("k", kind="stable"),
    "sorted-and-cut": lambda p, f: f.sort_values("k", kind="stable").iloc[2:8],
    "every-second": lambda p, f: f.iloc[::2],
    "turned": lambda p, f: f.iloc[::-1],
    "counted-anew": lambda p, f: f.iloc[3:].reset_index(drop=True),
    "filtered-and-counted-anew": lambda p, f: f[f.x % 2 == 0].reset_index(drop=True),
    "shifted": lambda p, f: f.set_axis(pd.RangeIndex(1, len(f) + 1)),
    "stepped": lambda p, f: f.set_axis(pd.RangeIndex(0, 2 * len(f), 2)),
    "downwards": lambda p, f: f.set_axis(pd.RangeIndex(len(f) - 1, -1, -1)),
    "shifted-and-filtered": lambda p, f: f.set_axis(pd.RangeIndex(1, len(f) + 1))[lambda g: g.x % 2 == 0],
    "shifted-and-cut": lambda p, f: f.set_axis(pd.RangeIndex(-3, len(f) - 3)).iloc[3:],
    "by-column": lambda p, f: f.set_index("u", drop=False),
    "by-column-and-filtered": lambda p, f: f.set_index("u", drop=False)[lambda g: g.x % 2 == 0],
    "by-even-column": lambda p, f: f.set_index("x", drop=False),
    "without-duplicates": lambda p, f: f.drop_duplicates("k"),
    "added-to": lambda p, f: f.assign(w=f.x * 3),
    "looked-up": lambda p, f: f.assign(w=f.k.map({1: 10, 2: 20, 3: 30})).query("w > 10"),
}


def _frame(rows: int) -> pd.DataFrame:
    numbers = np.arange(rows)
    return pd.DataFrame({"x": numbers, "k": np.resize([3, 1, 2, 2, 1], rows), "u": np.roll(numbers, 5), "f": numbers * 1.5})


def _put(p: Any, target: Any, source: Any) -> Any:
    made = target.copy()
    made["y"] = source["x"]
    return made


def _put_computed(p: Any, target: Any, source: Any) -> Any:
    made = target.copy()
    made["y"] = source["x"] * 2 + source["f"]
    return made


def _put_shifted(p: Any, target: Any, source: Any) -> Any:
    made = target.copy()
    made["y"] = source["f"].shift(1)
    return made


USES = {
    "put": _put,
    "put-computed": _put_computed,
    "put-windowed": _put_shifted,
    "add": lambda p, target, source: target["x"] + source["x"],
    "fillna": lambda p, target, source: target["f"].where(target["x"] > 5).fillna(source["f"]),
    "where": lambda p, target, source: target["f"].where(target["x"] > 5, source["f"]),
    "concat": lambda p, target, source: p.concat([target["x"], source["f"]], axis=1),
}


#: Ways that stand for all others, beside the most common use.
FEW = ("whole", "cut-and-filtered", "sorted", "counted-anew", "shifted", "by-column-and-filtered")


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("way", WAYS)
def test_labels_of_one_frame(way: str, use: str) -> None:
    for other in WAYS.values() if use == "put" else [WAYS[name] for name in FEW]:
        check(lambda p, f, mine=WAYS[way], theirs=other: USES[use](p, mine(p, f), theirs(p, f)), _frame(10), native=False)


@pytest.mark.parametrize("other", WAYS)
def test_labels_of_many_rows(other: str) -> None:
    """The same with the rows that users have, below which pandas does the work itself."""
    choice.settings.threshold, state.WORTH_KEEPING = 20_000, 20_000
    for mine in ("cut-and-filtered", "shifted-and-filtered", "by-column-and-filtered", "sorted"):
        check(lambda p, f, mine=WAYS[mine]: _put(p, mine(p, f), WAYS[other](p, f)), _frame(60_000), native=False)


def test_exploded_rows() -> None:
    """Labels that occur several times are found for each row, and not to be aligned to."""
    frame = pd.DataFrame({"x": np.arange(4), "l": pd.Series([["a", "b"], ["c"], [], ["d", "e"]])})
    for program in (
        lambda p, f: _put(p, f.explode("l"), f),
        lambda p, f: _put(p, f, f.explode("l")),
        lambda p, f: _put(p, f.explode("l")[lambda g: g.x > 0], f.explode("l")),
    ):
        check(program, frame, native=False)


#: Labels of the same rows, of some of which the engine knows only where they stand.
HELD: dict[str, Any] = {
    "periods": pd.period_range("2020-01", periods=4, freq="M"),
    "later-periods": pd.period_range("2020-03", periods=4, freq="M"),
    "missing-periods": pd.PeriodIndex(["2020-01", "NaT", "2020-02", "2020-03"], freq="M"),
    "days": pd.period_range("2020-01-01", periods=4, freq="D"),
    "intervals": pd.IntervalIndex.from_breaks(range(5)),
    "other-intervals": pd.IntervalIndex.from_breaks(range(2, 7)),
    "objects": pd.Index([(1, 2), "x", None, 1.5], dtype=object),
    "other-objects": pd.Index(["x", (1, 2), 1.5, None], dtype=object),
    "categories": pd.CategoricalIndex(["b", "a", "d", "c"]),
    "codes": pd.Index(np.array([1, 0, 3, 2], dtype=np.int8)),
    "complex": pd.Index([1j, 2j, 1.5, 0]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("right", HELD)
@pytest.mark.parametrize("left", HELD)
def test_labels_that_pandas_holds(left: str, right: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice.settings, "threshold", 0)
    monkeypatch.setattr(state, "WORTH_KEEPING", 0)
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "y": [0.5, np.nan, -0.0, 2.0]})
    for many in (4, 1):
        pair = (HELD[left][:many], HELD[right][:many])
        check(lambda pd, f: pd.concat([f.set_axis(pair[0]), f.set_axis(pair[1])], axis=1, join="inner"), frame.iloc[:many], native=False)
        check(lambda pd, f: f.set_axis(pair[0])["y"] + f.set_axis(pair[1])["y"], frame.iloc[:many], native=False)
        check(lambda pd, f: f.set_axis(pair[0]).assign(z=f.set_axis(pair[1])["x"]), frame.iloc[:many], native=False)
