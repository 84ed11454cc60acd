"""`attrs` and flags of results, for every operation: what pandas keeps of those on the left, on the right, and on both."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas
import pytest

import airloom.pandas
from airloom.pandas.dispatch.registry import OPERATIONS, BaseDataFrame, BaseSeries

DAYS = pandas.date_range("2020-01-01", periods=4, freq="D")


class Inputs:
    """Small objects of a module: `frame` and `series` are the left side, `other` and `another` the right one."""

    def __init__(self, module: Any, left: dict[str, int], right: dict[str, int]) -> None:
        self.pd = module
        self._left, self._right = left, right

    def _made(self, cls: Any, data: Any, attrs: dict[str, int], **options: Any) -> Any:
        made = cls(data, **options)
        made.attrs = dict(attrs)
        return made

    @property
    def frame(self) -> Any:
        return self._made(self.pd.DataFrame, {"a": [1, 2, 2, 4], "b": [1.0, 3.0, 2.0, 0.5]}, self._left)

    @property
    def other(self) -> Any:
        return self._made(self.pd.DataFrame, {"a": [1, 2, 3, 4], "b": [1.0, 1.0, 2.0, 0.5]}, self._right)

    @property
    def booleans(self) -> Any:
        return self._made(self.pd.DataFrame, {"a": [True, False, True, True], "b": [False, False, True, True]}, self._left)

    @property
    def masks(self) -> Any:
        return self._made(self.pd.DataFrame, {"a": [True, True, False, True], "b": [False, True, True, True]}, self._right)

    @property
    def lists(self) -> Any:
        return self._made(self.pd.DataFrame, {"a": [1, 2], "b": [["x", "y"], ["z"]]}, self._left)

    @property
    def gaps(self) -> Any:
        return self._made(self.pd.DataFrame, {"a": [1.0, np.nan, 3.0, np.nan], "b": [np.nan, 1.0, np.nan, 2.0]}, self._left)

    @property
    def dated(self) -> Any:
        return self._made(self.pd.DataFrame, {"a": [1, 2, 3, 4], "b": [1.0, 3.0, 2.0, 0.5]}, self._left, index=DAYS)

    @property
    def zoned(self) -> Any:
        return self._made(self.pd.DataFrame, {"a": [1, 2, 3, 4]}, self._left, index=DAYS.tz_localize("UTC"))

    @property
    def levels(self) -> Any:
        index = pandas.MultiIndex.from_product([["x", "y"], [1, 2]], names=["p", "q"])
        return self._made(self.pd.DataFrame, {"a": [1, 2, 3, 4], "b": [1.0, 3.0, 2.0, 0.5]}, self._left, index=index)

    @property
    def keyed(self) -> Any:
        return self._made(self.pd.DataFrame, {"k": [1, 1, 2, 2], "l": ["x", "y", "x", "y"], "v": [1.0, 3.0, 2.0, 0.5]}, self._left)

    def alone(self, name: str) -> Any:
        """A column of one of these with the same attrs."""
        frame = getattr(self, name)
        made = frame.iloc[:, frame.shape[1] - 1].rename("s")
        made.attrs = dict(frame.attrs)
        return made

    @property
    def text(self) -> Any:
        return self._made(self.pd.Series, ["ab c", "b", None, "10"], self._left, dtype="str")

    @property
    def texts(self) -> Any:
        return self._made(self.pd.Series, ["x", "y", "z", "w"], self._right, dtype="str")

    @property
    def times(self) -> Any:
        return self._made(self.pd.Series, DAYS, self._left)

    @property
    def spans(self) -> Any:
        return self._made(self.pd.Series, DAYS - DAYS[0], self._left)

    @property
    def categories(self) -> Any:
        return self._made(self.pd.Series, ["x", "y", "x"], self._left, dtype="category")


_BINARY = "add sub mul div truediv floordiv mod pow radd rsub rmul rdiv rtruediv rfloordiv rmod rpow multiply subtract divide eq ne lt le gt ge".split()
_OPERATORS = "add sub mul truediv floordiv mod pow radd rsub rmul rtruediv rfloordiv rmod rpow eq ne lt le gt ge".split()
#: Ways to call operations for which their name and no argument would not do: what they are called on, and how.
_FRAMES: dict[str, tuple[str, Callable[[Any, Inputs], Any]]] = {
    **{name: ("frame", lambda f, i, name=name: getattr(f, name)(i.other)) for name in _BINARY},
    **{f"__{name}__": ("frame", lambda f, i, name=name: getattr(f, f"__{name}__")(i.other)) for name in _OPERATORS},
    **{f"__{name}__": ("booleans", lambda f, i, name=name: getattr(f, f"__{name}__")(i.masks)) for name in "and or xor rand ror rxor".split()},
    "__array_ufunc__": ("frame", lambda f, i: [np.maximum(f, i.other), np.add(f, i.other), np.less(f, i.other), np.add(1, f)]),
    "__invert__": ("booleans", lambda f, i: ~f),
    "__getitem__": ("frame", lambda f, i: [f["a"], f[["a"]], f[f.a > 1], f[1:3]]),
    "__matmul__": ("frame", lambda f, i: f @ i.other.T),
    "add_prefix": ("frame", lambda f, i: f.add_prefix("p")),
    "add_suffix": ("frame", lambda f, i: f.add_suffix("p")),
    "agg": ("frame", lambda f, i: [f.agg("sum"), f.agg(["sum", "min"]), f.agg({"a": "sum"})]),
    "aggregate": ("frame", lambda f, i: f.aggregate("sum")),
    "align": ("frame", lambda f, i: list(f.align(i.other.iloc[1:]))),
    "apply": ("frame", lambda f, i: [f.apply(lambda c: c + 1), f.apply("sum"), f.apply(lambda c: c.sum())]),
    "asfreq": ("dated", lambda f, i: f.asfreq("12h")),
    "asof": ("dated", lambda f, i: f.asof(DAYS[1:3])),
    "assign": ("frame", lambda f, i: [f.assign(c=i.other.a), f.assign(c=1)]),
    "astype": ("frame", lambda f, i: f.astype("float64")),
    "at_time": ("dated", lambda f, i: f.at_time("00:00")),
    "between_time": ("dated", lambda f, i: f.between_time("00:00", "01:00")),
    "bfill": ("gaps", lambda f, i: f.bfill()),
    "ffill": ("gaps", lambda f, i: f.ffill()),
    "clip": ("frame", lambda f, i: [f.clip(1, 2), f.clip(i.other, axis=0)]),
    "combine": ("frame", lambda f, i: f.combine(i.other, lambda a, b: a + b)),
    "combine_first": ("gaps", lambda f, i: f.combine_first(i.other)),
    "compare": ("frame", lambda f, i: f.compare(i.other)),
    "corrwith": ("frame", lambda f, i: f.corrwith(i.other)),
    "dot": ("frame", lambda f, i: f.dot(i.other.T)),
    "drop": ("frame", lambda f, i: [f.drop(columns="a"), f.drop(index=1)]),
    "droplevel": ("levels", lambda f, i: f.droplevel("p")),
    "eval": ("frame", lambda f, i: [f.eval("a + b"), f.eval("c = a + b")]),
    "explode": ("lists", lambda f, i: f.explode("b")),
    "fillna": ("gaps", lambda f, i: [f.fillna(0.0), f.fillna(i.other)]),
    "filter": ("frame", lambda f, i: f.filter(items=["a"])),
    "get": ("frame", lambda f, i: [f.get("a"), f.get(["a"])]),
    "interpolate": ("gaps", lambda f, i: f.interpolate()),
    "isin": ("frame", lambda f, i: [f.isin([1]), f.isin(i.other)]),
    "join": ("frame", lambda f, i: f.join(i.other.rename(columns=str.upper))),
    "map": ("frame", lambda f, i: f.map(lambda x: x + 1)),
    "mask": ("frame", lambda f, i: [f.mask(f > 1, i.other), f.mask(i.other > 1)]),
    "where": ("frame", lambda f, i: [f.where(f > 1, i.other), f.where(i.other > 1)]),
    "merge": ("frame", lambda f, i: [f.merge(i.other, on="a", how=how) for how in ("inner", "left", "right", "outer")]),
    "nlargest": ("frame", lambda f, i: f.nlargest(2, "a")),
    "nsmallest": ("frame", lambda f, i: f.nsmallest(2, "a")),
    "pipe": ("frame", lambda f, i: f.pipe(lambda g: g)),
    "pivot": ("keyed", lambda f, i: [f.pivot(index="k", columns="l", values="v"), f.pivot(index="k", columns="l"), f.pivot(columns="v")]),
    "pivot_table": ("keyed", lambda f, i: f.pivot_table(index="k", columns="l", values="v")),
    "quantile": ("frame", lambda f, i: [f.quantile(0.5), f.quantile([0.2, 0.5])]),
    "query": ("frame", lambda f, i: f.query("a > 1")),
    "reindex": ("frame", lambda f, i: [f.reindex([1, 9]), f.reindex(columns=["a"])]),
    "reindex_like": ("frame", lambda f, i: f.reindex_like(i.other.iloc[1:])),
    "rename": ("frame", lambda f, i: [f.rename(columns={"a": "c"}), f.rename(index={1: 7})]),
    "rename_axis": ("frame", lambda f, i: f.rename_axis("n")),
    "reorder_levels": ("levels", lambda f, i: f.reorder_levels(["q", "p"])),
    "replace": ("frame", lambda f, i: f.replace(1, 2)),
    "reset_index": ("frame", lambda f, i: [f.reset_index(), f.reset_index(drop=True)]),
    "sample": ("frame", lambda f, i: f.sample(2, random_state=1)),
    "select": ("frame", lambda f, i: f.select("a")),
    "select_dtypes": ("frame", lambda f, i: f.select_dtypes("float")),
    "set_axis": ("frame", lambda f, i: f.set_axis([4, 3, 2, 1])),
    "set_index": ("frame", lambda f, i: f.set_index("a")),
    "sort_values": ("frame", lambda f, i: f.sort_values("a")),
    "stack": ("frame", lambda f, i: f.stack()),
    "unstack": ("levels", lambda f, i: f.unstack("q")),
    "swaplevel": ("levels", lambda f, i: f.swaplevel()),
    "take": ("frame", lambda f, i: f.take([1, 0])),
    "to_period": ("dated", lambda f, i: f.to_period()),
    "to_timestamp": ("dated", lambda f, i: f.to_period("D").to_timestamp()),
    "transform": ("frame", lambda f, i: f.transform(lambda c: c + 1)),
    "truncate": ("frame", lambda f, i: f.truncate(1, 2)),
    "tz_convert": ("zoned", lambda f, i: f.tz_convert("Europe/Berlin")),
    "tz_localize": ("dated", lambda f, i: f.tz_localize("UTC")),
    "update": ("frame", lambda f, i: [f.update(i.other), f][1:]),
    "xs": ("levels", lambda f, i: f.xs("x")),
}
_ALONE = {
    **{name: (of, call) for name, (of, call) in _FRAMES.items()},
    **{name: ("frame", lambda s, i, name=name: getattr(s, name)(i.alone("other"))) for name in [*_BINARY, "divmod", "rdivmod"]},
    **{f"__{name}__": ("frame", lambda s, i, name=name: getattr(s, f"__{name}__")(i.alone("other"))) for name in [*_OPERATORS, "divmod", "rdivmod"]},
    **{f"__{name}__": ("booleans", lambda s, i, name=name: getattr(s, f"__{name}__")(i.alone("masks"))) for name in "and or xor rand ror rxor".split()},
    "__array_ufunc__": ("frame", lambda s, i: [np.maximum(s, i.alone("other")), np.add(s, i.alone("other")), np.less(s, i.alone("other")), np.add(1, s)]),
    "__getitem__": ("frame", lambda s, i: [s[s > 1], s[1:3], s[[1, 2]]]),
    "__matmul__": ("frame", lambda s, i: s @ i.alone("other")),
    "agg": ("frame", lambda s, i: [s.agg("sum"), s.agg(["sum", "min"])]),
    "align": ("frame", lambda s, i: list(s.align(i.alone("other").iloc[1:]))),
    "apply": ("frame", lambda s, i: s.apply(lambda x: x + 1)),
    "between": ("frame", lambda s, i: [s.between(1, 2), s.between(i.alone("other"), 3)]),
    "case_when": ("frame", lambda s, i: s.case_when([(s > 1, 0.0)])),
    "clip": ("frame", lambda s, i: [s.clip(1, 2), s.clip(i.alone("other"))]),
    "combine": ("frame", lambda s, i: s.combine(i.alone("other"), lambda a, b: a + b)),
    "combine_first": ("gaps", lambda s, i: s.combine_first(i.alone("other"))),
    "compare": ("frame", lambda s, i: s.compare(i.alone("other"))),
    "corr": ("frame", lambda s, i: s.corr(i.alone("other"))),
    "cov": ("frame", lambda s, i: s.cov(i.alone("other"))),
    "dot": ("frame", lambda s, i: s.dot(i.alone("other"))),
    "drop": ("frame", lambda s, i: s.drop(1)),
    "explode": ("lists", lambda s, i: s.explode()),
    "fillna": ("gaps", lambda s, i: [s.fillna(0.0), s.fillna(i.alone("other"))]),
    "filter": ("frame", lambda s, i: s.filter(items=[1])),
    "get": ("frame", lambda s, i: s.get([1, 2])),
    "isin": ("frame", lambda s, i: [s.isin([1.0]), s.isin(i.alone("other"))]),
    "map": ("frame", lambda s, i: [s.map({1.0: 2.0}), s.map(lambda x: x + 1)]),
    "mask": ("frame", lambda s, i: [s.mask(s > 1, i.alone("other")), s.mask(i.alone("other") > 1)]),
    "where": ("frame", lambda s, i: [s.where(s > 1, i.alone("other")), s.where(i.alone("other") > 1)]),
    "nlargest": ("frame", lambda s, i: s.nlargest(2)),
    "nsmallest": ("frame", lambda s, i: s.nsmallest(2)),
    "reindex": ("frame", lambda s, i: s.reindex([1, 9])),
    "reindex_like": ("frame", lambda s, i: s.reindex_like(i.alone("other").iloc[1:])),
    "rename": ("frame", lambda s, i: [s.rename("n"), s.rename({1: 7})]),
    "repeat": ("frame", lambda s, i: s.repeat(2)),
    "sort_values": ("frame", lambda s, i: s.sort_values()),
    "update": ("frame", lambda s, i: [s.update(i.alone("other")), s][1:]),
}
_GROUPS: dict[str, Callable[[Any, Inputs], Any]] = {
    "agg": lambda g, i: [g.agg("sum"), g.agg(["sum", "min"])],
    "aggregate": lambda g, i: g.aggregate("sum"),
    "apply": lambda g, i: g.apply(lambda x: x.sum()),
    "corrwith": lambda g, i: g.corrwith(i.other),
    "filter": lambda g, i: g.filter(lambda x: len(x) > 1),
    "nth": lambda g, i: g.nth(0),
    "quantile": lambda g, i: [g.quantile(0.5), g.quantile([0.2, 0.5])],
    "sample": lambda g, i: g.sample(1, random_state=1),
    "take": lambda g, i: g.take([0]),
    "transform": lambda g, i: [g.transform("sum"), g.transform(lambda x: x + 1)],
}
_WINDOWS: dict[str, Callable[[Any, Inputs], Any]] = {
    "agg": lambda w, i: [w.agg("sum"), w.agg(["sum", "mean"])],
    "aggregate": lambda w, i: w.aggregate("sum"),
    "apply": lambda w, i: w.apply(lambda x: x.sum(), raw=True),
    "quantile": lambda w, i: w.quantile(0.5),
}
_STR: dict[str, Callable[[Any, Inputs], Any]] = {
    "__getitem__": lambda s, i: s.str[0],
    "cat": lambda s, i: [s.str.cat(i.texts), s.str.cat(["x"] * 4)],
    **{name: lambda s, i, name=name: getattr(s.str, name)("b") for name in "contains count endswith find findall fullmatch match removeprefix removesuffix rfind startswith join".split()},
    **{name: lambda s, i, name=name: getattr(s.str, name)("") for name in ("index", "rindex")},
    **{name: lambda s, i, name=name: getattr(s.str, name)(5) for name in ("center", "ljust", "pad", "rjust", "zfill", "repeat")},
    "extract": lambda s, i: [s.str.extract("(.)", expand=True), s.str.extract("(.)", expand=False)],
    "extractall": lambda s, i: s.str.extractall("(.)"),
    "get": lambda s, i: s.str.get(0),
    "get_dummies": lambda s, i: s.str.get_dummies(" "),
    "normalize": lambda s, i: s.str.normalize("NFC"),
    "replace": lambda s, i: s.str.replace("b", "c"),
    "slice": lambda s, i: s.str.slice(1),
    "slice_replace": lambda s, i: s.str.slice_replace(0, 1, "x"),
    "split": lambda s, i: [s.str.split(), s.str.split(expand=True)],
    "rsplit": lambda s, i: [s.str.rsplit(), s.str.rsplit(expand=True)],
    "translate": lambda s, i: s.str.translate({97: "x"}),
}
_DT: dict[str, Callable[[Any, Inputs], Any]] = {
    **{name: lambda s, i, name=name: getattr(s.dt, name)("h") for name in ("ceil", "floor", "round")},
    "as_unit": lambda s, i: s.dt.as_unit("ms"),
    "strftime": lambda s, i: s.dt.strftime("%Y"),
    "tz_localize": lambda s, i: s.dt.tz_localize("UTC"),
    "tz_convert": lambda s, i: i._made(i.pd.Series, s.dt.tz_localize("UTC"), i._left).dt.tz_convert("Europe/Berlin"),
}
_OF_SPANS = ("components", "days", "microseconds", "nanoseconds", "seconds", "total_seconds")
_CAT: dict[str, Callable[[Any, Inputs], Any]] = {
    "add_categories": lambda s, i: s.cat.add_categories(["z"]),
    "remove_categories": lambda s, i: s.cat.remove_categories(["y"]),
    "rename_categories": lambda s, i: s.cat.rename_categories(["p", "q"]),
    "reorder_categories": lambda s, i: s.cat.reorder_categories(["y", "x"]),
    "set_categories": lambda s, i: s.cat.set_categories(["y", "x"]),
}
_MODULE: dict[str, Callable[[Inputs], Any]] = {
    "crosstab": lambda i: i.pd.crosstab(i.keyed.k, i.keyed.l),
    "cut": lambda i: i.pd.cut(i.alone("frame"), 2),
    "qcut": lambda i: i.pd.qcut(i.alone("frame"), 2),
    "factorize": lambda i: 0,
    "unique": lambda i: 0,
    "get_dummies": lambda i: [i.pd.get_dummies(i.keyed), i.pd.get_dummies(i.text)],
    **{name: lambda i, name=name: [getattr(i.pd, name)(i.gaps), getattr(i.pd, name)(i.alone("gaps"))] for name in ("isna", "isnull", "notna", "notnull")},
    "melt": lambda i: i.pd.melt(i.frame),
    "merge": lambda i: i.pd.merge(i.frame, i.other, on="a"),
    "merge_asof": lambda i: i.pd.merge_asof(i.frame, i.other, on="a"),
    "concat": lambda i: [i.pd.concat([i.frame, i.other], axis=axis) for axis in (0, 1)],
    "pivot": lambda i: [i.pd.pivot(i.keyed, index="k", columns="l", values="v"), i.pd.pivot(i.keyed, index="k", columns="l")],
    "pivot_table": lambda i: i.pd.pivot_table(i.keyed, index="k", columns="l", values="v"),
    "to_datetime": lambda i: i.pd.to_datetime(i.alone("frame"), unit="s"),
    "to_timedelta": lambda i: i.pd.to_timedelta(i.alone("frame"), unit="s"),
    "to_numeric": lambda i: i.pd.to_numeric(i.alone("frame")),
}


def _named(name: str) -> Callable[[Any, Any], Any]:
    def call(value: Any, inputs: Any) -> Any:
        found = getattr(value, name)
        return found() if callable(found) else found

    return call


def _programs() -> Iterator[tuple[str, Callable[[Inputs], Any]]]:
    """A program for every operation that is registered, and for the ways of indexing."""
    skipped = ("to_csv", "to_feather", "to_json", "to_parquet")
    for name in OPERATIONS["DataFrame"]:
        if name not in skipped:
            of, call = _FRAMES.get(name, ("frame", _named(name)))
            yield f"DataFrame.{name}", lambda i, of=of, call=call: call(getattr(i, of), i)
    for name in OPERATIONS["Series"]:
        if name not in skipped:
            of, call = _ALONE.get(name, ("frame", _named(name)))
            yield f"Series.{name}", lambda i, of=of, call=call: call(i.alone(of), i)
    for name in OPERATIONS["GroupBy"]:
        call = _GROUPS.get(name, _named(name))
        yield f"DataFrameGroupBy.{name}", lambda i, call=call: call(i.keyed[["k", "v"]].groupby("k") if call is not _GROUPS["apply"] else i.keyed.groupby("k")[["v"]], i)
        if name in ("corr", "cov"):
            yield f"SeriesGroupBy.{name}", lambda i, name=name: getattr(i.keyed.groupby("k").v, name)(i.alone("other"))
        else:
            yield f"SeriesGroupBy.{name}", lambda i, call=call: call(i.keyed.groupby("k").v, i)
    for owner, make in (("Rolling", lambda f: f.rolling(2)), ("Decaying", lambda f: f.ewm(1)), ("Weighted", lambda f: f.rolling(2, win_type="triang"))):
        for name in OPERATIONS[owner]:
            call = _WINDOWS.get(name, _named(name))
            yield f"{owner}.{name}", lambda i, call=call, make=make: [call(make(i.frame), i), call(make(i.alone("frame")), i)]
    for name in OPERATIONS["str"]:
        yield f"str.{name}", lambda i, call=_STR.get(name), name=name: call(i.text, i) if call else _named(name)(i.text.str, i)
    for name in OPERATIONS["dt"]:
        of = "spans" if name in _OF_SPANS else "times"
        yield f"dt.{name}", lambda i, call=_DT.get(name), name=name, of=of: call(getattr(i, of), i) if call else _named(name)(getattr(i, of).dt, i)
    for name in OPERATIONS["cat"]:
        yield f"cat.{name}", lambda i, call=_CAT.get(name), name=name: call(i.categories, i) if call else _named(name)(i.categories.cat, i)
    for name in sorted({*OPERATIONS["pandas"], "concat", "merge"}):
        yield f"pandas.{name}", _MODULE[name]
    yield "loc", lambda i: [i.frame.loc[1:2], i.frame.loc[[1, 2]], i.frame.loc[:, "a"], i.frame.loc[1], i.frame.loc[i.frame.a > 1], i.alone("frame").loc[1:2]]
    yield "iloc", lambda i: [i.frame.iloc[1:2], i.frame.iloc[[1, 2]], i.frame.iloc[:, 0], i.frame.iloc[1], i.alone("frame").iloc[1:2]]
    yield "resample", lambda i: [i.dated.resample("2D").sum(), i.dated.resample("2D").a.sum(), i.dated.resample("12h").ffill()]
    yield "agg-by-dict", lambda i: [i.keyed.groupby("l").agg({"k": one, "v": other}) for one, other in itertools.product(["sum", "count"], repeat=2)]
    yield "agg-by-name", lambda i: [i.keyed.groupby("l").agg(x=("k", "sum")), i.keyed.groupby("l").agg({"k": ["sum", "min"]}), i.keyed.groupby("l").v.agg(x="sum")]
    yield "agg-by-function", lambda i: [i.keyed.groupby("l").agg(lambda x: x.sum()), i.keyed.groupby("l").v.agg(lambda x: x.sum()), i.frame.agg(lambda x: x.sum())]
    yield "groups-as-columns", lambda i: [i.keyed.groupby("l", as_index=False).sum(), i.keyed.groupby("l", as_index=False).size(), i.keyed.groupby("l").v.sum().reset_index()]
    yield "transform-by-name", lambda i: [i.keyed.groupby("l").transform(name) for name in ("sum", "count", "cumsum", "rank")]
    yield "resample-others", lambda i: [getattr(i.dated.resample("2D"), name)() for name in ("count", "size", "nunique", "ohlc", "mean")]
    yield "default", lambda i: [i.frame.get("none", i.other), i.alone("frame").get("none", i.other)]
    yield "attribute", lambda i: i.frame.a
    yield "setitem", lambda i: _after(i.frame, lambda f: f.__setitem__("c", i.other.a))
    yield "insert", lambda i: _after(i.frame, lambda f: f.insert(0, "c", i.other.a))
    yield "pop", lambda i: [f := i.frame, f.pop("a")]
    yield "T", lambda i: i.frame.T
    yield "inplace", lambda i: _after(i.gaps, lambda f: f.fillna(0, inplace=True))
    yield "chained", lambda i: i.frame[i.frame.a > 1].assign(c=i.other.a).groupby("a").sum()


def _after(value: Any, change: Callable[[Any], Any]) -> Any:
    change(value)
    return value


PROGRAMS = dict(_programs())
ATTRS = [({"of": 1}, {}), ({}, {"of": 2}), ({"of": 1}, {"of": 2}), ({"of": 3}, {"of": 3}), ({"p": 1}, {"q": 2})]


def _kept(result: Any) -> Any:
    """The attrs of all frames and series in a result."""
    if isinstance(result, (list, tuple)):
        return [_kept(item) for item in result]
    return result.attrs if isinstance(result, (BaseDataFrame, BaseSeries)) else None


def _outcome(program: Callable[[Inputs], Any], module: Any, left: dict[str, int], right: dict[str, int]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _kept(program(Inputs(module, left, right)))
        except Exception as error:
            return type(error)


@pytest.mark.parametrize("name", PROGRAMS)
def test_attrs(name: str) -> None:
    for left, right in ATTRS:
        expected = _outcome(PROGRAMS[name], pandas, left, right)
        assert not isinstance(expected, type) or not issubclass(expected, TypeError), "the program itself is wrong"
        assert _outcome(PROGRAMS[name], airloom.pandas, left, right) == expected, (left, right)


def test_attrs_are_copied() -> None:
    for module in (pandas, airloom.pandas):
        frame = module.DataFrame({"a": [1, 2]})
        frame.attrs["of"] = [1]
        made = frame + 1
        made.attrs["of"].append(2)
        assert frame.attrs == {"of": [1]}


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name.partition(".")[0] in ("DataFrame", "Series")])
def test_flags(name: str) -> None:
    """What forbids duplicate labels does so in results too."""

    class Flagged(Inputs):
        def _made(self, cls: Any, data: Any, attrs: dict[str, int], **options: Any) -> Any:
            made = super()._made(cls, data, {}, **options)
            return made.set_flags(allows_duplicate_labels=not attrs)

    def flags(module: Any, left: dict[str, int], right: dict[str, int]) -> Any:
        def each(result: Any) -> Any:
            if isinstance(result, (list, tuple)):
                return [each(item) for item in result]
            return result.flags.allows_duplicate_labels if isinstance(result, (BaseDataFrame, BaseSeries)) else None

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return each(PROGRAMS[name](Flagged(module, left, right)))
            except Exception as error:
                return type(error)

    for left, right in itertools.product([{}, {"of": 1}], repeat=2):
        assert flags(airloom.pandas, left, right) == flags(pandas, left, right), (left, right)
