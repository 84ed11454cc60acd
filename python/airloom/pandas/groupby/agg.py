"""`agg` of groups, in all its spellings: a name, a function that has one, several, by column, or under new names."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import pandas

from airloom.pandas.dispatch.registry import OPERATIONS, operation
from airloom.pandas.dtypes import types
from airloom.pandas.groupby.apply import aggregate_by, of_nothing
from airloom.pandas.groupby.datetimes import particular
from airloom.pandas.groupby.grouping import Grouping, group_result
from airloom.pandas.internals import materialize
from airloom.pandas.ops import masked
from airloom.pandas.ops.aggregates import aggregate_of, is_aggregate
from airloom.pandas.plan.frame import Column
from airloom.pandas.refusals import Refused, value_text

def value_of(groups: Grouping, function: Any, column: Column) -> tuple[str, Column]:
    """An aggregate of a column, by its name or by a function; and the name."""
    if not callable(function):
        name = name_of(function)
        if name == "size":
            column = materialize.decided(column)
        value = particular(groups, name, column, {}) or aggregate_of(groups.frame.rows, name, column)
        # The size of a group of a nullable column is nullable too, but for text that is held as objects.
        if name == "size" and types.is_nullable(column.dtype) and getattr(column.dtype, "storage", "") != "python":
            value = Column(value.expression, types.ARROW_INT64 if types.is_arrow(column.dtype) else masked.INT64)
        return name, value
    column = materialize.decided(column)
    if column.unsupported:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    value = aggregate_by(groups, function, column)
    return of_nothing(groups, function, column), value


def name_of(function: Any) -> str:
    """The name of an aggregate, however it is given."""
    if is_aggregate(function):
        return str(function)
    if isinstance(function, Callable):  # type: ignore[arg-type]
        raise Refused("a Python function as aggregate")
    raise Refused(f"the aggregate `{function}`")


@operation("GroupBy.agg", "GroupBy.aggregate")
def agg(groups: Grouping, func: Any = None, *args: Any, engine: Any = None, engine_kwargs: Any = None, **kwargs: Any) -> Any:
    if engine is not None or engine_kwargs is not None:
        raise Refused(f"`engine={value_text(engine)}` or `engine_kwargs`")
    if isinstance(func, str):
        return by_name(groups, func, args, kwargs)
    if func is None:
        if args:
            raise Refused("arguments of an aggregate")
        return _named(groups, kwargs)
    if (args or kwargs) and (not callable(func) or not groups.vector):
        # With arguments, functions are given frames.
        raise Refused("arguments of an aggregate")
    if isinstance(func, (list, tuple)):
        return _listed(groups, list(func))
    if isinstance(func, dict):
        return _by_column(groups, func)
    if not callable(func):
        raise Refused(f"an aggregate of type `{type(func).__name__}`")
    positions = groups.positions
    columns = [materialize.decided(groups.frame.columns[position]) for position in positions]
    values = [aggregate_by(groups, func, column, args, kwargs) for column in columns]
    names = [of_nothing(groups, func, column, args, kwargs) for column in columns]
    return group_result(groups, values, groups.frame.labels.take(positions), names, series=groups.vector)


def by_name(groups: Grouping, name: str, args: Any, kwargs: Any) -> Any:
    """What a method of this name does."""
    if name not in OPERATIONS["GroupBy"] or name in ("agg", "aggregate", "apply", "pipe", "transform", "filter", "nth"):
        raise Refused(f"the aggregate `{name}`")
    return OPERATIONS["GroupBy"][name](groups, *args, **kwargs)


def _column_of(groups: Grouping, label: Hashable) -> Column:
    """A column that may be aggregated."""
    if groups.selection is not None and label not in (groups.selection if isinstance(groups.selection, list) else [groups.selection]):
        raise Refused(f"{value_text(label)} is not among the selected columns")
    if label not in groups.frame.labels:
        raise Refused(f"{value_text(label)} is not a column")
    return groups.frame.column(label)


def _named(groups: Grouping, named: dict[str, Any]) -> Any:
    """`agg(total=("price", "sum"))`, and of one column `agg(total="sum")`."""
    if not named:
        raise Refused("no aggregates")
    values, names = [], []
    for given in named.values():
        if groups.vector:
            function, column = given, groups.frame.columns[groups.positions[0]]
        else:
            if not isinstance(given, tuple) or len(given) != 2:
                raise Refused("a named aggregate that is not a pair of column and function")
            label, function = given
            column = _column_of(groups, label)
        name, value = value_of(groups, function, column)
        names.append(name)
        values.append(value)
    return group_result(groups, values, pandas.Index(list(named)), names)


def _listed(groups: Grouping, functions: list[Any]) -> Any:
    """Several aggregates of every column."""
    titles = _titles(functions)
    positions = groups.positions
    found = [value_of(groups, function, groups.frame.columns[position]) for position in positions for function in functions]
    names, values = [name for name, _ in found], [value for _, value in found]
    if groups.vector:
        return group_result(groups, values, pandas.Index(titles), names)
    if isinstance(groups.frame.labels, pandas.MultiIndex):
        raise Refused("MultiIndex columns")
    pairs = [(groups.frame.labels[position], title) for position in positions for title in titles]
    return group_result(groups, values, pandas.MultiIndex.from_tuples(pairs, names=[groups.frame.labels.name, None]), names)


def _titles(functions: list[Any]) -> list[str]:
    """The labels under which several aggregates of a column stand."""
    lambdas = [function for function in functions if getattr(function, "__name__", "") == "<lambda>"]
    titles = [function if isinstance(function, str) else getattr(function, "__name__", None) for function in functions]
    if lambdas and len(functions) > 1:
        numbers = iter(range(len(lambdas)))
        titles = [f"<lambda_{next(numbers)}>" if title == "<lambda>" else title for title in titles]
    if not titles or None in titles or len(set(titles)) != len(titles):
        raise Refused("duplicate aggregates, or one without a name")
    return [str(title) for title in titles]


def _by_column(groups: Grouping, functions: dict[Any, Any]) -> Any:
    """`agg({"price": "sum", "count": ["min", "max"]})`."""
    if groups.vector or not functions:
        raise Refused("aggregates by column of a Series")
    if isinstance(groups.frame.labels, pandas.MultiIndex):
        raise Refused("MultiIndex columns")
    several = any(isinstance(function, (list, tuple)) for function in functions.values())
    values, labels, names = [], [], []
    for label, given in functions.items():
        column = _column_of(groups, label)
        listed = list(given) if isinstance(given, (list, tuple)) else [given]
        for title, function in zip(_titles(listed) if several else [""], listed, strict=True):
            name, value = value_of(groups, function, column)
            names.append(name)
            values.append(value)
            labels.append((label, title) if several else label)
    name = groups.frame.labels.name
    made = pandas.MultiIndex.from_tuples(labels, names=[name, None]) if several else pandas.Index(labels, name=name)
    return group_result(groups, values, made, names)
