"""Spans of time: pandas' own classes, which look at data when somebody asks for what the engine does not do."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import pandas
from pandas.core import resample as base_module

from airloom import _report as report
from airloom.pandas.dispatch import attempt, choice, lazy, recovery, wrapping
from airloom.pandas.dispatch.attributes import ATTRS, of
from airloom.pandas.dispatch.reasons import why
from airloom.pandas.interface import groupby
from airloom.pandas.resample import by_group, grouper
from airloom.pandas.resample.methods import SPANS

GROUPING = "_airloom_grouping"
SOURCE = "_airloom_source"


class _Lazy:
    """What all classes of spans share: pandas' own state is made when it is first asked for."""

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if SOURCE not in own:
            return super().__getattr__(name)  # type: ignore[misc]
        grouping = own[GROUPING]
        if not name.startswith("_") and not grouping.vector and name in grouping.frame.labels:
            return self[name]
        settle(self)
        return getattr(self, name)

    def __getitem__(self, key: Any) -> Any:
        own = self.__dict__
        grouping = own.get(GROUPING)

        def source() -> Any:
            return super(_Lazy, self).__getitem__(key)  # type: ignore[misc]

        if grouping is None:
            return source()
        labels = grouping.frame.labels
        chosen = key if isinstance(key, list) else [key]
        if grouping.selection is not None or not chosen or not labels.is_unique or not all(isinstance(label, str) and label in labels for label in chosen):
            return attempt.left_to_pandas("Resampler.__getitem__", "a key that is not a column", lambda _: source(), self, (), {})
        report.LOG.add("Resampler.__getitem__", "native")
        return recovery.marked(self._of_columns(grouping.chosen(key), source), "Resampler.__getitem__", operator.getitem, self, (key,), {})

    def _of_columns(self, grouping: Any, source: Callable[[], Any]) -> Any:
        # pandas gives plain groups for columns of spans.
        made = groupby.make(grouping, source)
        made.__dict__[ATTRS] = of(self)
        return made


class DatetimeIndexResampler(_Lazy, base_module.DatetimeIndexResampler):
    """Spans of timestamps as groups."""


class TimedeltaIndexResampler(_Lazy, base_module.TimedeltaIndexResampler):
    """Spans of timedeltas as groups."""


class PeriodIndexResampler(_Lazy, base_module.PeriodIndexResampler):
    """Spans of periods as groups."""


class DatetimeIndexResamplerGroupBy(_Lazy, base_module.DatetimeIndexResamplerGroupBy):
    """Spans of timestamps within groups."""

    def _of_columns(self, grouping: Any, source: Callable[[], Any]) -> Any:
        return _make(DatetimeIndexResamplerGroupBy, grouping, source, self)


#: What else pandas can be asked for of spans.
_OTHERS = ("interpolate",)
_CLASSES = (DatetimeIndexResampler, TimedeltaIndexResampler, PeriodIndexResampler)


def make(grouping: Any, source: Callable[[], Any], like: Any) -> Any:
    """Spans of a plan; `source` makes pandas' own, should they be needed."""
    kinds = {pandas.TimedeltaIndex: TimedeltaIndexResampler, pandas.PeriodIndex: PeriodIndexResampler}
    return _make(kinds.get(type(grouping.spans), DatetimeIndexResampler), grouping, source, like)


def _make(cls: type, grouping: Any, source: Callable[[], Any], like: Any) -> Any:
    made: Any = object.__new__(cls)
    made.__dict__[GROUPING] = grouping
    made.__dict__[SOURCE] = source
    made.__dict__[ATTRS] = of(like)
    return made


def settle(spans: Any) -> None:
    """Makes spans pandas' own."""
    own = spans.__dict__
    source = own.pop(SOURCE, None)
    if source is not None:
        own.pop(GROUPING, None)
        own.update(source().__dict__)


def _method(name: str, base: Callable[..., Any], function: Callable[..., Any] | None) -> Callable[..., Any]:
    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        grouping = self.__dict__.get(GROUPING)
        if grouping is None:
            return base(self, *args, **kwargs)

        def pandas_own(value: Any, *args: Any, **kwargs: Any) -> Any:
            settle(value)
            return base(value, *args, **kwargs)

        if function is None:
            return attempt.left_to_pandas(f"Resampler.{name}", why(f"Resampler.{name}"), pandas_own, self, args, kwargs)
        return attempt.attempt(f"Resampler.{name}", self, function, pandas_own, args, kwargs, grouping)

    return run


def resample(base: Any, owner: str) -> Any:
    """`resample` of a class."""
    given = lazy.options_of(base)

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        def source() -> Any:
            return base(self, *args, **kwargs)

        if not wrapping.is_ours(self) or choice.stays(self) or (options := given(self, *args, **kwargs)) is None:
            return source()
        made, reason = attempt.planned(self, grouper.resampled, (options,), {})
        if reason is not None:
            return attempt.left_to_pandas(f"{owner}.resample", reason, lambda _: source(), self, (), {})
        report.LOG.add(f"{owner}.resample", "native")
        return recovery.marked(make(made, source, self), f"{owner}.resample", base, self, args, kwargs)

    return run


def within_groups(base: Any) -> Any:
    """`resample` of groups."""
    given = lazy.options_of(base)

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        def source() -> Any:
            groupby.settle(self)
            return base(self, *args, **kwargs)

        grouping = self.__dict__.get(groupby.GROUPING)
        if grouping is None or (options := given(self, *args, **kwargs)) is None:
            return source()
        made, reason = attempt.planned(self, by_group.resampled, (options,), {}, grouping)
        if reason is not None:
            return attempt.left_to_pandas(f"{type(self).__name__}.resample", reason, lambda _: source(), self, (), {})
        report.LOG.add(f"{type(self).__name__}.resample", "native")
        return recovery.marked(_make(DatetimeIndexResamplerGroupBy, made, source, self), f"{type(self).__name__}.resample", base, self, args, kwargs)

    return run


def attach(classes: Any, groups: Any) -> None:
    """Puts the operations of groups on spans, and spans on frames, series and groups."""
    for cls in (*_CLASSES, DatetimeIndexResamplerGroupBy):
        (base,) = cls.__bases__[1:]
        operations = by_group.GROUP_SPANS if cls is DatetimeIndexResamplerGroupBy else SPANS
        for name in (*operations, *_OTHERS):
            setattr(cls, name, _method(name, getattr(base, name), operations.get(name)))
        cls.pipe = lazy.handed_on("Resampler", base.pipe, GROUPING)
        cls.__module__ = base.__module__
    for owner, cls, base in classes:
        cls.resample = resample(base.resample, owner)
    for cls in groups:
        cls.resample = within_groups(cls.resample)
