"""Spans of time: pandas' own class, which looks at data when somebody asks for what the engine does not do."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pandas.core.resample import DatetimeIndexResampler as BaseResampler

from airloom.pandas.face import dispatch, groupby
from airloom.pandas.operations import bins
from airloom.pandas.plan.frame import Refused

GROUPING = "_airloom_grouping"
SOURCE = "_airloom_source"

#: The operations of groups that spans have too.
NAMES = ("sum", "prod", "mean", "min", "max", "first", "last", "count", "size", "nunique", "std", "var", "median", "agg", "aggregate")


class DatetimeIndexResampler(BaseResampler):
    """Spans of time as groups."""

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if SOURCE not in own:
            return super().__getattr__(name)
        grouping = own[GROUPING]
        if not name.startswith("_") and not grouping.vector and name in grouping.frame.labels:
            return self[name]
        settle(self)
        return getattr(self, name)

    def __getitem__(self, key: Any) -> Any:
        own = self.__dict__
        grouping = own.get(GROUPING)

        def source() -> Any:
            return super(DatetimeIndexResampler, self).__getitem__(key)

        if grouping is None or grouping.selection is not None:
            return source()
        labels = grouping.frame.labels
        chosen = key if isinstance(key, list) else [key]
        if not chosen or not labels.is_unique or not all(isinstance(label, str) and label in labels for label in chosen):
            return source()
        # pandas gives plain groups for columns of spans.
        return groupby.make(grouping.chosen(key), source)


def make(grouping: Any, source: Callable[[], Any]) -> Any:
    """Spans of a plan; `source` makes pandas' own, should they be needed."""
    made = object.__new__(DatetimeIndexResampler)
    made.__dict__[GROUPING] = grouping
    made.__dict__[SOURCE] = source
    return made


def settle(spans: Any) -> None:
    """Makes spans pandas' own."""
    own = spans.__dict__
    source = own.pop(SOURCE, None)
    if source is not None:
        own.pop(GROUPING, None)
        own.update(source().__dict__)


def _method(name: str, base: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        grouping = self.__dict__.get(GROUPING)
        if grouping is None:
            return base(self, *args, **kwargs)

        def pandas_own(value: Any, *args: Any, **kwargs: Any) -> Any:
            settle(value)
            return base(value, *args, **kwargs)

        return dispatch.attempt(f"Resampler.{name}", self, function, pandas_own, args, kwargs, grouping)

    return run


def resample(base: Any, owner: str) -> Any:
    """`resample` of a class."""

    @functools.wraps(base)
    def run(
        self: Any,
        rule: Any,
        closed: Any = None,
        label: Any = None,
        convention: Any = "start",
        on: Any = None,
        level: Any = None,
        origin: Any = "start_day",
        offset: Any = None,
        group_keys: Any = False,
    ) -> Any:
        options = (rule, closed, label, convention, on, level, origin, offset, group_keys)

        def source() -> Any:
            return base(self, *options)

        if not dispatch.is_ours(self) or dispatch.stays(self):
            return source()
        try:
            made = bins.resampled(dispatch.plan_of(self), *options)
        except Refused as refusal:
            return dispatch.left_to_pandas(f"{owner}.resample", str(refusal), lambda _: source(), self, (), {})
        return make(made, source)

    return run


def attach(classes: Any) -> None:
    """Puts the operations of groups on spans, and spans on frames and series."""
    for name in NAMES:
        setattr(DatetimeIndexResampler, name, _method(name, getattr(BaseResampler, name), dispatch.OPERATIONS["GroupBy"][name]))
    DatetimeIndexResampler.__module__ = BaseResampler.__module__
    for owner, cls, base in classes:
        cls.resample = resample(base.resample, owner)
