"""The accessors of a series: pandas' own, whose methods are tried on the engine first.

One of ours is made without looking at the data, where the dtype alone tells that pandas would allow it. What the engine refuses, pandas' own accessor does, which is made
then.
"""

from __future__ import annotations

from typing import Any

import pandas
from pandas.core.arrays.arrow.accessors import ListAccessor, StructAccessor
from pandas.core.arrays.categorical import CategoricalAccessor
from pandas.core.arrays.sparse.accessor import SparseAccessor
from pandas.core.indexes.accessors import ArrowTemporalProperties, CombinedDatetimelikeProperties, DatetimeProperties, TimedeltaProperties
from pandas.core.strings.accessor import StringMethods

from airloom import _report as report
from airloom.pandas.dispatch import choice, methods, registry, wrapping
from airloom.pandas.dtypes import types
from airloom.pandas.internals import state
from airloom.pandas.plan.frame import DeferredDtype
from airloom.pandas.refusals import Refused
from airloom.pandas.strings import object_strings
from airloom.pandas.strings import methods as string_methods
from airloom.pandas.strings.by_value import by_value
from airloom.pandas.strings.missing import over_missing


class _Ours:
    """What accessors of ours have in common: a series, and no more."""

    _data: Any
    _freeze: Any
    #: What makes pandas' own accessor of a series.
    _own: Any

    def __init__(self, data: Any) -> None:
        object.__setattr__(self, "_data", data)
        self._freeze()

    def __getattr__(self, name: str) -> Any:
        # What pandas' own methods look at, where one is called with this.
        if name in _INNER:
            return getattr(self._own(self._data), name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _plan(self) -> Any:
        """What operations are given, where that is not the plan of the series."""
        return None


class TextMethods(_Ours, StringMethods):
    """The accessor `str`."""

    def _plan(self) -> Any:
        dtype = _dtype(self._data)
        if isinstance(dtype, pandas.StringDtype) or types.is_arrow_text(dtype):
            return None
        try:
            return object_strings.read(wrapping.plan_of(self._data))
        except Refused:
            return None


class TimestampMethods(_Ours, DatetimeProperties):
    """The accessor `dt` of timestamps."""


class ArrowTimeMethods(_Ours, ArrowTemporalProperties):
    """The accessor `dt` of Arrow's timestamps and dates."""


class TimedeltaMethods(_Ours, TimedeltaProperties):
    """The accessor `dt` of timedeltas."""


class CategoryMethods(_Ours, CategoricalAccessor):
    """The accessor `cat`."""


#: The attributes of pandas' own accessors.
_INNER = frozenset("_inferred_dtype _is_categorical _is_string _index _name _parent _orig orig".split())


class Accessor:
    """An attribute of a series that is an accessor."""

    def __init__(self, owner: str, base: Any, choose: Any = lambda series: None) -> None:
        self._label = f"Series.{owner}"
        self._base = base
        self._choose = choose

    def __get__(self, object: Any, cls: Any) -> Any:
        if object is None:
            return self._base
        if not wrapping.is_ours(object) or choice.stays(object):
            return self._base(object)
        chosen = self._choose(object)
        if chosen is not None:
            return chosen(object)
        # First: pandas says where there is no such accessor, whoever would have done the work.
        found = self._base(object)
        if choice.within.depth == 0 and not choice.from_asserters(1) and not choice.from_pandas(1) and not choice.stays(object):
            reason = f"the accessor of dtype `{object.dtype}`"
            report.refused(self._label, reason)
            report.LOG.add(self._label, "pandas", reason)
        return found


def _dtype(series: Any) -> Any:
    dtype = state.plan_of(series).column.dtype
    return None if isinstance(dtype, DeferredDtype) else dtype


def _text(series: Any) -> Any:
    dtype = _dtype(series)
    if isinstance(dtype, pandas.StringDtype) or types.is_arrow_text(dtype):
        return TextMethods
    if types.is_category(dtype) and types.is_text(dtype.categories.dtype) and len(dtype.categories):
        return TextMethods
    if dtype == types.OBJECT and state.is_lazy(series):
        allowed = string_methods.of_objects(state.plan_of(series))
        if allowed is not None and allowed():
            return TextMethods
    if (types.is_category(dtype) or dtype == types.OBJECT) and not choice.within.depth and not choice.from_pandas(2):
        # pandas says whether there is such an accessor, and then each method whether the values are text.
        StringMethods(series)
        return TextMethods
    return None


def _category(series: Any) -> Any:
    return CategoryMethods if types.is_category(_dtype(series)) else None


def _time(series: Any) -> Any:
    dtype = _dtype(series)
    if types.type_of(dtype) is None:
        return None
    if types.is_arrow_time(dtype):
        return ArrowTimeMethods
    return TimestampMethods if types.is_time(dtype) else TimedeltaMethods if types.is_duration(dtype) else None


#: The accessors, by the owner under which operations are registered.
ACCESSORS = {
    "str": Accessor("str", StringMethods, _text),
    "dt": Accessor("dt", CombinedDatetimelikeProperties, _time),
    "cat": Accessor("cat", CategoricalAccessor, _category),
}
#: Those whose every method is pandas' own.
_OTHERS = {"sparse": SparseAccessor, "list": ListAccessor, "struct": StructAccessor}
_CLASSES = {
    "str": ((TextMethods, StringMethods),),
    "dt": ((TimestampMethods, DatetimeProperties), (TimedeltaMethods, TimedeltaProperties), (ArrowTimeMethods, ArrowTemporalProperties)),
    "cat": ((CategoryMethods, CategoricalAccessor),),
}


def attach(series: Any) -> None:
    """Puts the accessors on a class, and on them every method: the operation where there is one, and else pandas' own."""
    for owner, accessor in ACCESSORS.items():
        for cls, base in _CLASSES[owner]:
            cls._own = staticmethod(accessor._base)
            cls.__name__, cls.__qualname__, cls.__module__ = base.__name__, base.__qualname__, base.__module__
            for name in dir(base):
                if (name.startswith("_") and name not in ("__getitem__", "__iter__")) or name == "__iter__" and owner == "dt":
                    continue
                function = registry.OPERATIONS[owner].get(name)
                if owner == "str" and function is not None:
                    function = over_missing(name, by_value(name, function))
                found = getattr(base, name)
                run = methods.accessor_method(owner, name, accessor._base, function, property=not callable(found))
                setattr(cls, name, property(run, _setter(name, accessor._base)) if not callable(found) else run)
        setattr(series, owner, accessor)
    for owner, base in _OTHERS.items():
        setattr(series, owner, Accessor(owner, base))


def _setter(name: str, base: Any) -> Any:
    """What setting a property does: pandas says that there is no such thing."""

    def put(self: Any, value: Any) -> None:
        setattr(base(self._data), name, value)

    return put
