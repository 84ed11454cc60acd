"""Puts operations on the classes."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
from pandas.compat import CHAINED_WARNING_DISABLED
from pandas.compat._constants import REF_COUNT
from pandas.core import common
from pandas.errors import ChainedAssignmentError
from pandas.errors.cow import _chained_assignment_msg
from pandas.util import _exceptions

from airloom import _report as report
from airloom.pandas.dispatch import attempt, attributes, choice, lazy, methods, recovery, wrapping
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.calls import Record
from airloom.pandas.dispatch.registry import OPERATIONS, BaseDataFrame, BaseSeries
from airloom.pandas.files import atomic_write
from airloom.pandas.groupby.grouper import grouping_of
from airloom.pandas.indexing import setitem
from airloom.pandas.interface import accessors, groupby, indexers, resample, window
from airloom.pandas.interface.frame import DataFrame
from airloom.pandas.interface.series import Series
from airloom.pandas.internals import state
from airloom.pandas.methods import numpy_functions

#: Methods that write a file.
_WRITERS = frozenset(("to_csv", "to_feather", "to_json", "to_parquet"))

#: The families of operations: each module registers its own.
FAMILIES = (
    "indexing.getitem",
    "ops.arithmetic",
    "methods.missing",
    "methods.where",
    "methods.mapping",
    "ops.cast",
    "casting.astype",
    "ops.ufuncs",
    "strings.methods",
    "strings.split",
    "categorical.accessor",
    "strings.find",
    "datetimes.accessor",
    "casting.parse",
    "apply.compiled",
    "algorithms.sorting",
    "indexes.set_index",
    "apply.eval",
    "algorithms.duplicates",
    "ops.aggregates",
    "reductions.reductions",
    "reductions.kurtosis",
    "reshape.merge",
    "reshape.asof",
    "groupby.grouping",
    "ops.cumulative",
    "groupby.transform_rows",
    "groupby.transform",
    "groupby.take",
    "groupby.summaries",
    "reductions.value_counts",
    "reductions.quantiles",
    "reductions.describe",
    "window.results",
    "window.ewm",
    "window.corr",
    "window.ewm_corr",
    "window.apply",
    "window.agg",
    "window.weighted",
    "reshape.pivot_table",
    "reshape.melt",
    "reshape.pivot",
    "algorithms.reindex",
    "reductions.idxminmax",
    "indexes.rearrange",
    "methods.interpolate",
    "methods.combine",
    "indexing.select",
    "groupby.agg",
    "groupby.skew",
    "groupby.apply",
    "resample.by_index",
    "resample.methods",
    "reshape.explode",
    "reductions.corr",
    "groupby.corr",
    "methods.first_last",
    "methods.update",
    "methods.case_when",
    "files.to_csv",
    "files.to_parquet",
    "files.to_feather",
    "files.to_json",
)


#: Methods that look at data, or hand them on: data are computed for them, but nothing is left to pandas that we would do.
LOOKS = frozenset(
    """attrs boxplot equals get_group hist info item items iterrows itertuples keys memory_usage plot set_flags style tolist to_list to_numpy to_dict to_records
    to_string to_html to_latex to_markdown to_clipboard to_pickle to_excel to_hdf to_orc to_sql to_xarray to_stata to_xml
    to_iceberg from_dict from_records from_arrow searchsorted view""".split()
)


def attach() -> None:
    """Loads all families, and makes each operation a method."""
    _tell_warnings_of_us()
    _take_classes_for_equal()
    for family in FAMILIES:
        importlib.import_module(f"airloom.pandas.{family}")
    for owner, cls, base in (("DataFrame", DataFrame, BaseDataFrame), ("Series", Series, BaseSeries)):
        for name, function in OPERATIONS[owner].items():
            original = _writer(getattr(base, name)) if name in _WRITERS else getattr(base, name)
            setattr(cls, name, methods.method(owner, name, original, function))
        for name in sorted(_public(base) - set(OPERATIONS[owner]) - set(vars(cls)) - LOOKS):
            setattr(cls, name, methods.method(owner, name, getattr(base, name), None))
        indexers.attach(cls)
        cls.T = _turned(owner, base)
        cls._check_inplace_deprecation = methods.check_inplace_deprecation
    # One for both, as in pandas: a series does not ask a frame that has the same one.
    DataFrame.__array_ufunc__ = Series.__array_ufunc__ = methods.method(None, "__array_ufunc__", _ufunc, OPERATIONS["Series"]["__array_ufunc__"])
    DataFrame.__array_function__ = Series.__array_function__ = numpy_functions.array_function
    for cls in (groupby.DataFrameGroupBy, groupby.SeriesGroupBy):
        for name, function in OPERATIONS["GroupBy"].items():
            original = getattr(cls, name, None)
            if original is None:
                continue
            if isinstance(original, property):
                assert original.fget is not None
                setattr(cls, name, groupby.positions_of(cls.__name__, original.fget, function))
                continue
            setattr(cls, name, groupby.method(cls.__name__, name, original, function))
        cls.pipe = lazy.handed_on(cls.__name__, cls.pipe, groupby.GROUPING)
        cls.__module__ = cls.__mro__[2].__module__
    for name in ("query", "eval"):
        setattr(DataFrame, name, _asking(name, getattr(BaseDataFrame, name)))
    accessors.attach(Series)
    classes = (("DataFrame", DataFrame, BaseDataFrame), ("Series", Series, BaseSeries))
    groups = (groupby.DataFrameGroupBy, groupby.SeriesGroupBy)
    resample.attach(classes, groups)
    window.attach(classes, groups)
    DataFrame.groupby = _grouped("DataFrame", BaseDataFrame.groupby)
    Series.groupby = _grouped("Series", BaseSeries.groupby)


def _writer(base: Callable[..., Any]) -> Callable[..., Any]:
    """pandas' own method that writes a file: after what is still to be read of it."""

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        for argument in (*args, *kwargs.values()):
            if isinstance(argument, (str, os.PathLike)):
                atomic_write.compute_readers(os.path.realpath(argument))
        return base(self, *args, **kwargs)

    return run


@functools.wraps(BaseDataFrame.__array_ufunc__)
def _ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """A function of NumPy's by pandas' own rule, which tells frames and series apart by their very class: both together must be what it takes for its own."""
    if method == "at" and isinstance(inputs[0], BaseSeries) and wrapping.is_ours(inputs[0]):
        # It writes to the array of the series, past all that pandas knows of who shares it.
        state.hand_out(inputs[0])
    mixed = any(isinstance(one, BaseDataFrame) for one in inputs) and any(isinstance(one, BaseSeries) for one in inputs)
    # Objects of pandas' own class have another rule for these functions, to which it would leave the work.
    theirs = any(type(one) in (BaseDataFrame, BaseSeries) for one in inputs) and any(map(wrapping.is_ours, inputs))
    if (mixed or theirs) and pandas.core.frame.DataFrame is BaseDataFrame:
        return adopted(getattr(ufunc, method)(*map(wrapping.plain, inputs), **kwargs))
    return BaseDataFrame.__array_ufunc__(self, ufunc, method, *inputs, **kwargs)


def _tell_warnings_of_us() -> None:
    """Warnings of pandas name the line of the user's program: the first that is not pandas', and not ours either."""
    # A tuple of folders is what `str.startswith` takes as well.
    package = str(Path(pandas.__file__).parent) + "/"
    _exceptions._pkg_dir = (package, str(Path(__file__).parents[1]) + "/")
    _exceptions._test_dir = package + "tests/"


def _take_classes_for_equal() -> None:
    """pandas' functions for tests compare the classes of series: ours is that of pandas' own there."""
    from pandas._testing import asserters

    compare = asserters.assert_class_equal
    twins = {DataFrame: BaseDataFrame, Series: BaseSeries}

    @functools.wraps(compare)
    def run(left: Any, right: Any, *args: Any, **kwargs: Any) -> None:
        if twins.get(type(left), type(left)) is not twins.get(type(right), type(right)):
            compare(left, right, *args, **kwargs)

    asserters.assert_class_equal = run


def _public(base: type) -> set[str]:
    """The names of methods that users call."""
    members: dict[str, Any] = {}
    for cls in reversed(base.__mro__):
        members.update(vars(cls))
    found = {name for name, member in members.items() if not name.startswith("_") and inspect.isfunction(member)}
    return found | {"__matmul__", "__rmatmul__", "__divmod__", "__rdivmod__", "__round__"} & members.keys()


def _turned(owner: str, base: type) -> property:
    """`T`: a property that does what `transpose` does."""
    inner = inspect.getattr_static(base, "T")

    def original(self: Any) -> Any:
        return inner.__get__(self, type(self))

    def get(self: Any) -> Any:
        if not wrapping.is_ours(self) or choice.stays(self) or choice.from_asserters(1) or choice.from_pandas(1):
            return original(self)
        return attempt.attempt(f"{owner}.T", self, OPERATIONS[owner]["transpose"], original, (), {})

    return property(get, doc=inner.__doc__)


def _grouped(owner: str, base: Any) -> Any:
    """`groupby` of a class: keys are looked up at once, so that wrong ones are errors here."""

    @functools.wraps(base)
    def run(
        self: Any,
        by: Any = None,
        level: Any = None,
        as_index: bool = True,
        sort: bool = True,
        group_keys: bool = True,
        observed: bool = True,
        dropna: bool = True,
    ) -> Any:
        options = {"as_index": as_index, "sort": sort, "group_keys": group_keys, "observed": observed, "dropna": dropna}

        def source() -> Any:
            return base(self, by, level, **options)

        if not wrapping.is_ours(self) or choice.stays(self):
            return source()
        with Record() as record:
            made, reason = attempt.planned(self, grouping_of, (by, level, options), {})
        # What keys are functions has been asked of them: pandas is told the same, should it group by them too.
        by = record.replayed(by)
        if reason is not None:
            return attempt.left_to_pandas(f"{owner}.groupby", reason, base, self, (by, level), options)
        result = groupby.make(made, source)
        result.__dict__["keys"] = by
        result.__dict__["level"] = level
        result.__dict__[attributes.ATTRS] = attributes.of(self)
        report.LOG.add(f"{owner}.groupby", "native")
        return recovery.marked(result, f"{owner}.groupby", base, self, (by, level), options)

    return run


def functions() -> dict[str, Any]:
    """The functions of the module that the engine can do."""
    return {name: methods.module_function(name, getattr(pandas, name), function) for name, function in OPERATIONS["pandas"].items()}


def _setter(cls: Any, base: Any, putting: Callable[..., Any], native: Callable[[Any], bool]) -> Any:
    """`__setitem__` of a class: keys for which `native` is true are tried on the engine."""
    label = f"{cls.__name__}.__setitem__"

    @functools.wraps(base)
    def run(self: Any, key: Any, value: Any) -> None:
        # pandas tells a chained assignment by who else holds the object: that is asked here, before more hold it.
        if (
            not CHAINED_WARNING_DISABLED
            and sys.getrefcount(self) <= REF_COUNT
            and not common.is_local_in_caller_frame(self)
            and common.is_setitem_syntax_in_caller_frame()
        ):
            warnings.warn(_chained_assignment_msg, ChainedAssignmentError, stacklevel=2)
        if type(self) is not cls or choice.writes_in_place(self) or choice.from_pandas(1) or not native(key):
            if type(self) is cls:
                state.forget_plan(self)
            choice.by_itself(base, self, key, value)
        else:
            attempt.written(label, self, putting, base, (key, value), {})

    return run


def _changing(name: str, base: Any) -> Any:
    """A method that changes a frame in place: what it makes of the plan, and what it returns."""
    function = getattr(setitem, name.strip("_"))

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if type(self) is not DataFrame or choice.writes_in_place(self) or choice.from_pandas(1):
            return base(self, *args, **kwargs)
        left, answer = attempt.written(f"DataFrame.{name}", self, function, base, args, kwargs)
        if left or answer is None:
            return answer
        return attributes.given(wrapping.wrap(answer), attributes.of(self))

    return run


def _asking(name: str, base: Any) -> Any:
    """`query` or `eval`: variables are those of whoever calls, so that pandas must be told how far away that is."""
    label = f"DataFrame.{name}"

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        level = kwargs.get("level", 0)
        if not wrapping.is_ours(self) or choice.stays(self):
            return base(self, *args, **{**kwargs, "level": level + 1})
        made: Any = None
        reason: str | None = "`inplace=True`"
        if kwargs.get("inplace", False) is False:
            rest = {key: item for key, item in kwargs.items() if key != "inplace"}
            made, reason = attempt.planned(self, OPERATIONS["DataFrame"][name], args, rest)
        if reason is not None:
            return attempt.left_to_pandas(label, reason, base, self, args, {**kwargs, "level": level + 2})
        report.LOG.add(label, "native")
        if "inplace" in kwargs:
            self._check_inplace_deprecation(False, name)
        # Variables are those of now, whoever should ask pandas later.
        made = recovery.remembered(made, label, base, self, args, {**rest, "local_dict": _variables(str((args, rest)), sys._getframe(1))})
        return attributes.given(wrapping.wrap(made), attributes.of(self))

    return run


def _variables(text: str, frame: Any) -> dict[str, Any]:
    """The variables of a caller that a text names."""
    names = set(re.findall(r"@(\w+)", text))
    return {name: value for space in (frame.f_globals, frame.f_locals) for name, value in space.items() if name in names}


DataFrame.__setitem__ = _setter(DataFrame, BaseDataFrame.__setitem__, setitem.put, lambda key: True)
# Single values are written in place, which nobody does better.
Series.__setitem__ = _setter(Series, BaseSeries.__setitem__, setitem.put_vector, lambda key: isinstance(key, BaseSeries))
for _name in ("insert", "__delitem__", "isetitem", "pop"):
    setattr(DataFrame, _name, _changing(_name, getattr(BaseDataFrame, _name)))
