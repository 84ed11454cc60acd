"""Dtypes that pandas' `==` takes for equal and that are not the same: categories in another order, and zones of several classes."""

from __future__ import annotations

import datetime
import zoneinfo
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import pytest
from compare import check

from airloom.pandas.dtypes import kinds

CODES = np.resize([0, 1, 2, -1, 1, 0, 0], 20)


def _pair() -> Any:
    """Two frames with the same categories in another order, and a key."""
    mine = pd.Categorical.from_codes(CODES, categories=["yes", "no", "maybe"])
    theirs = pd.Categorical.from_codes(np.roll(CODES, 3), categories=["no", "maybe", "yes"])
    numbers = np.arange(len(CODES))
    return pd.DataFrame({"c": mine, "x": numbers, "b": numbers % 3 == 0}), pd.DataFrame({"c": theirs, "x": numbers, "z": numbers * 2})


def _put(df: pd.DataFrame, key: Any, value: Any) -> pd.DataFrame:
    df = df.copy()
    df.loc[key, "c"] = value
    return df


def _put_column(df: pd.DataFrame, value: Any) -> pd.DataFrame:
    df = df.copy()
    df["c"] = value
    return df


PROGRAMS = {
    "map": lambda p, a, b: a.c.map({"yes": "no", "no": "yes", "maybe": "maybe"}),
    "map-back": lambda p, a, b: a.c.map({"yes": "no", "no": "yes", "maybe": "maybe"}).map({"yes": "no", "no": "yes", "maybe": "maybe"}),
    "rename-categories": lambda p, a, b: a.c.cat.rename_categories({"yes": "no", "no": "yes"}),
    "reorder-categories": lambda p, a, b: a.c.cat.reorder_categories(["maybe", "no", "yes"]),
    "set-categories": lambda p, a, b: a.c.cat.set_categories(["maybe", "no", "yes"]),
    "rename-by-position": lambda p, a, b: a.c.cat.set_categories(["maybe", "no", "yes"], rename=True),
    "astype": lambda p, a, b: a.c.astype(b.c.dtype),
    "compare": lambda p, a, b: a.c == b.c,
    "where": lambda p, a, b: a.c.where(a.b, b.c),
    "mask": lambda p, a, b: a.c.mask(a.b, b.c),
    "fillna": lambda p, a, b: a.c.fillna(b.c),
    "combine-first": lambda p, a, b: a.c.combine_first(b.c),
    "loc-by-mask": lambda p, a, b: _put(a, a.b, b.c),
    "loc-by-slice": lambda p, a, b: _put(a, slice(2, 9), b.c),
    "put-column": lambda p, a, b: _put_column(a, b.c),
    "concat": lambda p, a, b: p.concat([a.c, b.c]),
    "concat-frames": lambda p, a, b: p.concat([a, b], ignore_index=True),
    "transpose": lambda p, a, b: p.DataFrame({"a": a.c, "b": b.c}).T,
    "stack": lambda p, a, b: p.DataFrame({"a": a.c, "b": b.c}).stack(),
    "melt": lambda p, a, b: p.DataFrame({"a": a.c, "b": b.c}).melt(),
    "isin": lambda p, a, b: a.c.isin(b.c),
    "merge-by": lambda p, a, b: a.merge(b, on="c"),
    "merge-beside": lambda p, a, b: a.merge(b, on="x", how="left"),
    "group-by-both": lambda p, a, b: a.assign(d=b.c).groupby(["c", "d"], observed=True).x.sum(),
    "sort": lambda p, a, b: b.assign(d=a.c).sort_values(["c", "d"], kind="stable"),
    "reindex": lambda p, a, b: p.DataFrame({"a": a.c, "b": b.c}).reindex(range(5, 30)),
    "shift": lambda p, a, b: p.DataFrame({"a": a.c, "b": b.c}).shift(2),
    "update": lambda p, a, b: a.c.case_when([(a.b, b.c)]),
    "duplicated": lambda p, a, b: p.DataFrame({"a": a.c, "b": b.c}).drop_duplicates(),
    "compare-frames": lambda p, a, b: a.c.compare(b.c),
    "equals": lambda p, a, b: a.c.equals(b.c),
    "set-index": lambda p, a, b: a.set_index("c").index,
}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_categories_in_another_order(program: Any, turned: bool) -> None:
    mine, theirs = _pair()
    check(program, *((theirs, mine) if turned else (mine, theirs)), native=False)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_ordered_categories_in_another_order(program: Any) -> None:
    mine, theirs = (frame.assign(c=frame.c.cat.as_ordered()) for frame in _pair())
    check(program, mine, theirs, native=False)


def test_one_answer_is_not_given_for_other_categories() -> None:
    """Questions that pandas was asked before are told apart by the order of categories."""
    mine, theirs = _pair()
    for left, right in ((mine, mine), (mine, theirs), (theirs, mine), (theirs, theirs)):
        check(lambda p, a, b: a.merge(b, on="x", how="outer"), left, right, native=False)


@pytest.mark.parametrize("first", [datetime.timezone.utc, zoneinfo.ZoneInfo("UTC"), datetime.timezone(datetime.timedelta(0), "here")])
@pytest.mark.parametrize("second", [datetime.timezone.utc, zoneinfo.ZoneInfo("UTC"), datetime.timezone(datetime.timedelta(0), "here")])
def test_zones_of_several_classes(first: Any, second: Any) -> None:
    times = pd.Series(pd.date_range("2020", periods=6, freq="h"))
    a, b = pd.DataFrame({"t": times.dt.tz_localize(first)}), pd.DataFrame({"t": times.dt.tz_localize(second)})
    for program in (
        lambda p, a, b: a.t.where(a.t.dt.hour > 2, b.t),
        lambda p, a, b: a.t == b.t,
        lambda p, a, b: a.t.astype(b.t.dtype).dt.tz,
        lambda p, a, b: p.concat([a, b]).t.dt.tz,
        lambda p, a, b: _put_column(a, b.t).c.dt.tz,
        lambda p, a, b: a.merge(b, on="t"),
        lambda p, a, b: a.t.fillna(b.t).dt.tz,
    ):
        check(program, a, b, native=False)


DTYPES = [
    np.dtype("int64"),
    np.dtype("float64"),
    np.dtype("float32"),
    np.dtype(object),
    np.dtype("M8[us]"),
    np.dtype("M8[ns]"),
    pd.Int64Dtype(),
    pd.Float64Dtype(),
    pd.BooleanDtype(),
    pd.StringDtype("pyarrow", np.nan),
    pd.StringDtype("pyarrow", pd.NA),
    pd.StringDtype("python", np.nan),
    pd.StringDtype("python", pd.NA),
    pd.ArrowDtype(pyarrow.string()),
    pd.ArrowDtype(pyarrow.large_string()),
    pd.ArrowDtype(pyarrow.timestamp("us", "UTC")),
    pd.DatetimeTZDtype("us", datetime.timezone.utc),
    pd.DatetimeTZDtype("us", zoneinfo.ZoneInfo("UTC")),
    pd.DatetimeTZDtype("us", datetime.timezone(datetime.timedelta(0), "here")),
    pd.CategoricalDtype(["a", "b"]),
    pd.CategoricalDtype(["b", "a"]),
    pd.CategoricalDtype(["a", "b"], ordered=True),
    pd.CategoricalDtype(pd.Index(["a", "b"], dtype=object)),
    pd.CategoricalDtype(pd.Index([1, "b"], dtype=object)),
    pd.CategoricalDtype(pd.Index([True, "b"], dtype=object)),
    pd.CategoricalDtype(pd.Index([0.0, 1.0])),
    pd.CategoricalDtype(pd.Index([-0.0, 1.0])),
    pd.CategoricalDtype(pd.Index([0, 1])),
    pd.CategoricalDtype(pd.Index(["a", "b"], name="n")),
    pd.CategoricalDtype(),
    pd.PeriodDtype("D"),
    pd.PeriodDtype("M"),
    pd.IntervalDtype("int64", "left"),
    pd.IntervalDtype("int64", "right"),
    pd.SparseDtype("int64"),
]


def test_only_what_is_the_same_is() -> None:
    for at, first in enumerate(DTYPES):
        for other, second in enumerate(DTYPES):
            assert kinds.same(first, second) == (at == other), (first, second)
    assert len(kinds.distinct(DTYPES + DTYPES)) == len(DTYPES)


def test_what_is_made_twice_is_the_same() -> None:
    import pickle

    for dtype in DTYPES:
        again = pickle.loads(pickle.dumps(dtype))
        assert kinds.same(dtype, again), dtype
        assert kinds.Kind(dtype) == kinds.Kind(again)
        assert hash(kinds.Kind(dtype)) == hash(kinds.Kind(again))
