"""Windows that move along the rows: pandas' own classes, which look at data when somebody asks for what the engine does not do."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from pandas.core.window.ewm import ExponentialMovingWindow as BaseExponentialMovingWindow
from pandas.core.window.ewm import ExponentialMovingWindowGroupBy as BaseExponentialMovingWindowGroupBy
from pandas.core.window.expanding import Expanding as BaseExpanding
from pandas.core.window.expanding import ExpandingGroupBy as BaseExpandingGroupBy
from pandas.core.window.rolling import Rolling as BaseRolling
from pandas.core.window.rolling import RollingGroupBy as BaseRollingGroupBy
from pandas.core.window.rolling import Window as BaseWindow

from airloom import _report as report
from airloom.pandas.dispatch import attempt, choice, lazy, recovery, registry, wrapping
from airloom.pandas.groupby.grouping import Grouping
from airloom.pandas.indexing.getitem import frame_columns
from airloom.pandas.plan.frame import Frame, Vector
from airloom.pandas.refusals import Refused
from airloom.pandas.window import ewm, rolling, weighted

MOVING = "_airloom_moving"
SOURCE = "_airloom_source"


class _Lazy:
    """What all windows share: pandas' own state is made when it is first asked for."""

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if SOURCE in own:
            plan = own[MOVING].plan
            if not name.startswith("_") and isinstance(plan, Frame) and name in plan.labels:
                return self[name]
            settle(self)
            return getattr(self, name)
        return super().__getattr__(name)  # type: ignore[misc]

    def __getitem__(self, key: Any) -> Any:
        own = self.__dict__
        windows = own.get(MOVING)
        name = f"{type(self).__name__}.__getitem__"

        def source() -> Any:
            return super(_Lazy, self).__getitem__(key)  # type: ignore[misc]

        if windows is None or SOURCE not in own or isinstance(windows.plan, Vector):
            return source()
        try:
            along = _chosen(windows, key) if isinstance(windows.plan, Grouping) else windows.over(_columns(windows.plan, key))
        except Refused as refusal:
            return attempt.left_to_pandas(name, str(refusal), lambda _: source(), self, (), {})
        report.LOG.add(name, "native")
        return recovery.marked(make(type(self), along, source), name, operator.getitem, self, (key,), {})

    def __dir__(self) -> list[str]:
        settle(self)
        return list(super().__dir__())


class Rolling(_Lazy, BaseRolling):
    """Windows of `n` rows."""


class Window(_Lazy, BaseWindow):
    """Windows of `n` rows, of which each counts by its position."""


class Expanding(_Lazy, BaseExpanding):
    """Windows of all rows so far."""


class RollingGroupBy(_Lazy, BaseRollingGroupBy):
    """Windows of `n` rows of each group."""


class ExpandingGroupBy(_Lazy, BaseExpandingGroupBy):
    """Windows of all rows so far of each group."""


class ExponentialMovingWindow(_Lazy, BaseExponentialMovingWindow):
    """All rows so far, of which older ones count less."""


class ExponentialMovingWindowGroupBy(_Lazy, BaseExponentialMovingWindowGroupBy):
    """All rows so far of each group, of which older ones count less."""


def _columns(frame: Frame, key: Any) -> Frame | Vector:
    """Some of the columns of a frame."""
    if isinstance(key, list) and key and all(isinstance(label, str) and label in frame.labels for label in key):
        return frame_columns(frame, key)
    if isinstance(key, str) and key in frame.labels:
        return frame.vector(frame.position(key))
    raise Refused("a key that is not a column")


def _chosen(windows: Any, key: Any) -> Any:
    """Some of the columns of groups, with the same windows."""
    groups = windows.plan
    labels = groups.frame.labels
    known = [label for at, label in enumerate(labels) if at not in groups.exclusions]
    wanted = key if isinstance(key, list) else [key]
    plain = bool(wanted) and labels.is_unique and all(isinstance(item, str) and item in known for item in wanted)
    if groups.vector or groups.selection is not None or not plain:
        raise Refused("a key that is not a column")
    return windows.over(groups.chosen(key))


def make(cls: type, windows: rolling.Moving | ewm.Decaying | weighted.Weighted, source: Callable[[], Any]) -> Any:
    """Windows along a plan; `source` makes pandas' own, should they be needed."""
    made: Any = object.__new__(cls)
    made.__dict__[MOVING] = windows
    made.__dict__[SOURCE] = source
    return made


def settle(windows: Any) -> None:
    """Makes windows pandas' own."""
    own = windows.__dict__
    source = own.pop(SOURCE, None)
    if source is not None:
        own.pop(MOVING, None)
        own.update(source().__dict__)


def method(owner: str, name: str, base: Callable[..., Any], function: Callable[..., Any] | None) -> Callable[..., Any]:
    """A method of windows: the operation where there is one, and pandas' own otherwise."""
    label = f"{owner}.{name}"

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        windows = self.__dict__.get(MOVING)
        if windows is None:
            return base(self, *args, **kwargs)

        def pandas_own(value: Any, *args: Any, **kwargs: Any) -> Any:
            settle(value)
            return base(value, *args, **kwargs)

        if function is None:
            return attempt.left_to_pandas(label, "no native version", pandas_own, self, args, kwargs)
        return attempt.attempt(label, self, function, pandas_own, args, kwargs, windows)

    return run


def _rolling(plan: Any, **options: Any) -> Any:
    return (rolling.rolling if options["win_type"] is None else weighted.weighted)(plan, **options)


def of_class(base: Any, owner: str, name: str, cls: type, parse: Callable[..., Any]) -> Any:
    """`rolling`, `expanding` or `ewm` of a class."""
    given = lazy.options_of(base)

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        def source() -> Any:
            return base(self, *args, **kwargs)

        if not wrapping.is_ours(self) or choice.stays(self) or (options := given(self, *args, **kwargs)) is None:
            return source()
        made, reason = attempt.planned(self, parse, (), options)
        if reason is not None:
            return attempt.left_to_pandas(f"{owner}.{name}", reason, lambda _: source(), self, (), {})
        report.LOG.add(f"{owner}.{name}", "native")
        return recovery.marked(make(Window if isinstance(made, weighted.Weighted) else cls, made, source), f"{owner}.{name}", base, self, args, kwargs)

    return run


def of_groups(base: Any, name: str, cls: type, parse: Callable[..., Any]) -> Any:
    """`rolling`, `expanding` or `ewm` of groups."""
    given = lazy.options_of(base)

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        from airloom.pandas.interface import groupby

        def source() -> Any:
            groupby.settle(self)
            return base(self, *args, **kwargs)

        grouping = self.__dict__.get(groupby.GROUPING)
        if grouping is None or (options := given(self, *args, **kwargs)) is None:
            return source()
        made, reason = attempt.planned(self, parse, (), options, grouping)
        if reason is not None:
            return attempt.left_to_pandas(f"{type(self).__name__}.{name}", reason, lambda _: source(), self, (), {})
        report.LOG.add(f"{type(self).__name__}.{name}", "native")
        return recovery.marked(make(cls, made, source), f"{type(self).__name__}.{name}", base, self, args, kwargs)

    return run


#: What pandas can be asked for of windows, whether or not there is an operation.
_RESULTS = frozenset("agg aggregate apply corr count cov first kurt last max mean median min nunique quantile rank sem skew std sum var".split())


def attach(classes: Any, groups: Any) -> None:
    """Puts the operations on windows, and windows on frames, series and groups."""
    for cls in (Window, Rolling, Expanding, RollingGroupBy, ExpandingGroupBy, ExponentialMovingWindow, ExponentialMovingWindowGroupBy):
        base = cls.__mro__[2]
        kind = "Decaying" if issubclass(cls, BaseExponentialMovingWindow) else "Weighted" if cls is Window else "Rolling"
        operations = registry.OPERATIONS[kind]
        for name in sorted({*operations, *(name for name in _RESULTS if hasattr(base, name))}):
            setattr(cls, name, method(cls.__name__, name, getattr(base, name), operations.get(name)))
        if hasattr(base, "pipe"):
            cls.pipe = lazy.handed_on(cls.__name__, base.pipe, MOVING)
        cls.__module__ = base.__module__
    for owner, cls, base in classes:
        cls.rolling = of_class(base.rolling, owner, "rolling", Rolling, _rolling)
        cls.expanding = of_class(base.expanding, owner, "expanding", Expanding, rolling.expanding)
        cls.ewm = of_class(base.ewm, owner, "ewm", ExponentialMovingWindow, ewm.decaying)
    for cls in groups:
        cls.rolling = of_groups(cls.rolling, "rolling", RollingGroupBy, rolling.rolling)
        cls.expanding = of_groups(cls.expanding, "expanding", ExpandingGroupBy, rolling.expanding)
        cls.ewm = of_groups(cls.ewm, "ewm", ExponentialMovingWindowGroupBy, ewm.decaying)
