"""`agg` of groups, in all its spellings: a name, a function that has one, several, by column, or under new names."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import pandas

from airloom.pandas.data import restore, types
from airloom.pandas.face.dispatch import OPERATIONS, operation
from airloom.pandas.operations import masked
from airloom.pandas.operations.aggregates import aggregate, is_aggregate
from airloom.pandas.operations.group_functions import aggregate_by, of_nothing
from airloom.pandas.operations.group_times import particular
from airloom.pandas.operations.groups import Grouping, group_result
from airloom.pandas.plan.frame import Column, Refused

def value_of(groups: Grouping, function: Any, column: Column) -> tuple[str, Column]:
    """An aggregate of a column, by its name or by a function; and the name."""
    if not callable(function):
        name = name_of(function)
        value = particular(groups, name, column, {}) or aggregate(name, column, grouped=True)
        # The size of a group of a nullable column is nullable too, but for text that is held as objects.
        if name == "size" and types.is_nullable(column.dtype) and getattr(column.dtype, "storage", "") != "python":
            value = Column(value.expression, masked.INT64)
        return name, value
    column = restore.decided(column)
    if column.opaque:
        raise Refused("values that only pandas knows")
    value = aggregate_by(groups, function, column)
    return of_nothing(groups, function, column), value


def name_of(function: Any) -> str:
    """The name of an aggregate, however it is given."""
    if is_aggregate(function):
        return str(function)
    if isinstance(function, Callable):  # type: ignore[arg-type]
        raise Refused("an aggregate written in Python")
    raise Refused(f"the aggregate `{function}`")


@operation("GroupBy.agg", "GroupBy.aggregate")
def agg(groups: Grouping, func: Any = None, *args: Any, engine: Any = None, engine_kwargs: Any = None, **kwargs: Any) -> Any:
    if engine is not None or engine_kwargs is not None:
        raise Refused("an engine of its own")
    if isinstance(func, str):
        return by_name(groups, func, args, kwargs)
    if func is None:
        if args:
            raise Refused("arguments for the aggregate")
        return _named(groups, kwargs)
    if (args or kwargs) and (not callable(func) or not groups.vector):
        # With arguments, functions are given frames.
        raise Refused("arguments for the aggregate")
    if isinstance(func, (list, tuple)):
        return _listed(groups, list(func))
    if isinstance(func, dict):
        return _by_column(groups, func)
    if not callable(func):
        raise Refused("an aggregate that is none")
    places = groups.places
    columns = [restore.decided(groups.frame.columns[place]) for place in places]
    values = [aggregate_by(groups, func, column, args, kwargs) for column in columns]
    names = [of_nothing(groups, func, column, args, kwargs) for column in columns]
    return group_result(groups, values, groups.frame.labels.take(places), names, series=groups.vector)


def by_name(groups: Grouping, name: str, args: Any, kwargs: Any) -> Any:
    """What a method of this name does."""
    if name not in OPERATIONS["GroupBy"] or name in ("agg", "aggregate", "apply", "pipe", "transform", "filter", "nth"):
        raise Refused(f"the aggregate `{name}`")
    return OPERATIONS["GroupBy"][name](groups, *args, **kwargs)


def _column_of(groups: Grouping, label: Hashable) -> Column:
    """A column that may be aggregated."""
    if groups.selection is not None and label not in (groups.selection if isinstance(groups.selection, list) else [groups.selection]):
        raise Refused("a label that is not chosen")
    if label not in groups.frame.labels:
        raise Refused("a label that is no column")
    return groups.frame.column(label)


def _named(groups: Grouping, named: dict[str, Any]) -> Any:
    """`agg(total=("price", "sum"))`, and of one column `agg(total="sum")`."""
    if not named:
        raise Refused("no aggregates")
    values, names = [], []
    for given in named.values():
        if groups.vector:
            function, column = given, groups.frame.columns[groups.places[0]]
        else:
            if not isinstance(given, tuple) or len(given) != 2:
                raise Refused("an aggregate that names no column")
            label, function = given
            column = _column_of(groups, label)
        name, value = value_of(groups, function, column)
        names.append(name)
        values.append(value)
    return group_result(groups, values, pandas.Index(list(named)), names)


def _listed(groups: Grouping, functions: list[Any]) -> Any:
    """Several aggregates of every column."""
    titles = _titles(functions)
    places = groups.places
    found = [value_of(groups, function, groups.frame.columns[place]) for place in places for function in functions]
    names, values = [name for name, _ in found], [value for _, value in found]
    if groups.vector:
        return group_result(groups, values, pandas.Index(titles), names)
    if isinstance(groups.frame.labels, pandas.MultiIndex):
        raise Refused("columns of several levels")
    pairs = [(groups.frame.labels[place], title) for place in places for title in titles]
    return group_result(groups, values, pandas.MultiIndex.from_tuples(pairs, names=[groups.frame.labels.name, None]), names)


def _titles(functions: list[Any]) -> list[str]:
    """The labels under which several aggregates of a column stand."""
    lambdas = [function for function in functions if getattr(function, "__name__", "") == "<lambda>"]
    titles = [function if isinstance(function, str) else getattr(function, "__name__", None) for function in functions]
    if lambdas and len(functions) > 1:
        numbers = iter(range(len(lambdas)))
        titles = [f"<lambda_{next(numbers)}>" if title == "<lambda>" else title for title in titles]
    if not titles or None in titles or len(set(titles)) != len(titles):
        raise Refused("an aggregate that is a duplicate, or has no name")
    return [str(title) for title in titles]


def _by_column(groups: Grouping, functions: dict[Any, Any]) -> Any:
    """`agg({"price": "sum", "count": ["min", "max"]})`."""
    if groups.vector or not functions:
        raise Refused("aggregates by label of one column")
    if isinstance(groups.frame.labels, pandas.MultiIndex):
        raise Refused("columns of several levels")
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
