"""Groups: pandas' own classes, which group when somebody asks for what the engine does not do."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from pandas.core.groupby.generic import DataFrameGroupBy as BaseDataFrameGroupBy
from pandas.core.groupby.generic import SeriesGroupBy as BaseSeriesGroupBy

from airloom import _report as report
from airloom.pandas.dispatch import attempt, recovery
from airloom.pandas.dispatch.attributes import ATTRS, of
from airloom.pandas.refusals import Refused

GROUPING = "_airloom_grouping"
SOURCE = "_airloom_source"
_ITEMS = "DataFrameGroupBy.__getitem__"


class _Lazy:
    """What both classes of groups share: pandas' own state is made when it is first asked for."""

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if name in ("obj", "_grouper", "exclusions") and SOURCE in own:
            settle(self)
            return own[name]
        if name.startswith("_"):
            return super().__getattr__(name)  # type: ignore[misc]
        grouping = own.get(GROUPING)
        if grouping is not None and not grouping.vector and name in grouping.frame.labels:
            return self[name]  # type: ignore[index]
        return super().__getattr__(name)  # type: ignore[misc]


class DataFrameGroupBy(_Lazy, BaseDataFrameGroupBy):
    """The groups of a frame."""

    def __getitem__(self, key: Any) -> Any:
        grouping = self.__dict__.get(GROUPING)
        if grouping is None or SOURCE not in self.__dict__ or grouping.selection is not None:
            return super().__getitem__(key)
        labels = grouping.frame.labels
        try:
            if isinstance(key, list):
                if not key or not all(_plain(label) and label in labels for label in key) or not labels.is_unique:
                    raise Refused("a list with labels that are not columns, or duplicate column labels")
                chosen = grouping.chosen(list(key))
            elif _plain(key) and key in labels and isinstance(labels.get_loc(key), int):
                chosen = grouping.chosen(key)
            else:
                raise Refused("a key that is not a column")
        except Refused as refusal:
            return attempt.left_to_pandas(_ITEMS, str(refusal), BaseDataFrameGroupBy.__getitem__, self, (key,), {})
        report.LOG.add(_ITEMS, "native")
        made = make(chosen, lambda: super(DataFrameGroupBy, self).__getitem__(key), self)
        return recovery.marked(made, _ITEMS, operator.getitem, self, (key,), {})


class SeriesGroupBy(_Lazy, BaseSeriesGroupBy):
    """The groups of a series."""


class Nth:
    """`nth`: pandas calls it, and takes slices of it."""

    def __init__(self, groups: Any, call: Callable[..., Any], original: Any) -> None:
        self._groups = groups
        self._call = call
        self._original = original

    def __call__(self, n: Any, dropna: Any = None) -> Any:
        return self._call(self._groups, n, dropna)

    def __getitem__(self, n: Any) -> Any:
        groups = self._groups
        settle(groups)
        return attempt.left_to_pandas(f"{type(groups).__name__}.nth", "a slice of positions", lambda groups, n: self._original(groups)[n], groups, (n,), {})


def positions_of(owner: str, original: Any, function: Callable[..., Any]) -> property:
    """The property `nth` of a class of groups."""
    call = method(owner, "nth", lambda groups, n, dropna=None: original(groups)(n, dropna), function)
    return property(lambda groups: Nth(groups, call, original))


def _plain(label: Any) -> bool:
    return isinstance(label, (str, int)) and not isinstance(label, bool)


def make(grouping: Any, source: Callable[[], Any], like: Any = None) -> Any:
    """Groups of a plan; `source` makes pandas' own, should it be needed."""
    cls = SeriesGroupBy if grouping.vector else DataFrameGroupBy
    made = object.__new__(cls)
    own = made.__dict__
    own[GROUPING] = grouping
    own[SOURCE] = source
    for name in ("as_index", "sort", "dropna", "observed", "group_keys"):
        own[name] = getattr(grouping, name)
    own["keys"] = None if like is None else like.keys
    own["_selection"] = grouping.selection
    if like is not None:
        own[ATTRS] = of(like)
    return made


def settle(groups: Any) -> None:
    """Makes groups pandas' own."""
    own = groups.__dict__
    source = own.pop(SOURCE, None)
    if source is not None:
        own.update(source().__dict__)
        own.pop(GROUPING, None)


def method(owner: str, name: str, base: Callable[..., Any], function: Callable[..., Any] | None) -> Callable[..., Any]:
    """A method of groups: the operation, where there is one, and pandas' own otherwise."""
    label = f"{owner}.{name}"

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        grouping = self.__dict__.get(GROUPING)
        if grouping is None:
            return base(self, *args, **kwargs)
        if function is None:
            settle(self)
            return attempt.left_to_pandas(label, "no native version", base, self, args, kwargs)

        def pandas_own(value: Any, *args: Any, **kwargs: Any) -> Any:
            settle(value)
            return base(value, *args, **kwargs)

        return attempt.attempt(label, self, function, pandas_own, args, kwargs, grouping)

    return run
