"""`agg` of groups, in all its spellings: a name, a function that has one, several, by column, or under new names."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pandas

from airloom.pandas.data import restore, types
from airloom.pandas.face.dispatch import operation
from airloom.pandas.operations.aggregates import aggregate, is_aggregate
from airloom.pandas.operations.groups import Grouping, each_column, group_result, size
from airloom.pandas.plan import run
from airloom.pandas.plan.frame import Column, Refused

#: Functions that call a method of the series they are given: that of the same name, with `ddof` none.
_CALLABLES: dict[Any, str] = {np.sum: "sum", np.mean: "mean", np.min: "min", np.max: "max", np.prod: "prod"}
#: Functions that go through values of a series. Among whole numbers they come to the same.
_BUILTINS: dict[Any, str] = {sum: "sum", min: "min", max: "max"}


def meant(groups: Grouping, function: Any, column: Column) -> str:
    """The name of an aggregate of a column."""
    if not callable(function):
        return name_of(function)
    dtype = restore.decided(column).dtype
    try:
        name = _CALLABLES.get(function) or _BUILTINS.get(function) if dtype == types.INT64 else _CALLABLES.get(function)
    except TypeError:
        name = None
    # Functions are called for each group, and what they return is looked at: of no groups that is nothing.
    if name is None or dtype not in (types.INT64, types.FLOAT64) or groups.whole or groups.spans is not None or run.count(groups.rows_with_keys()) == 0:
        raise Refused("an aggregate written in Python")
    return name


def name_of(function: Any) -> str:
    """The name of an aggregate, however it is given."""
    if is_aggregate(function):
        return str(function)
    if isinstance(function, Callable):  # type: ignore[arg-type]
        raise Refused("an aggregate written in Python")
    raise Refused(f"the aggregate `{function}`")


@operation("GroupBy.agg", "GroupBy.aggregate")
def agg(groups: Grouping, func: Any = None, *args: Any, engine: Any = None, engine_kwargs: Any = None, **kwargs: Any) -> Any:
    if args or engine is not None or engine_kwargs is not None:
        raise Refused("arguments for the aggregate")
    if func is None:
        return _named(groups, kwargs)
    if kwargs:
        raise Refused("arguments for the aggregate")
    if isinstance(func, str):
        if func == "size":
            return size(groups)
        return each_column(groups, name_of(func))
    if isinstance(func, (list, tuple)):
        return _listed(groups, list(func))
    if isinstance(func, dict):
        return _by_column(groups, func)
    places = groups.places
    columns = [groups.frame.columns[place] for place in places]
    names = [meant(groups, func, column) for column in columns]
    values = [aggregate(name, column, grouped=True) for name, column in zip(names, columns, strict=True)]
    return group_result(groups, values, groups.frame.labels.take(places), names, series=groups.vector)


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
        names.append(meant(groups, function, column))
        values.append(aggregate(names[-1], column, grouped=True))
    return group_result(groups, values, pandas.Index(list(named)), names)


def _listed(groups: Grouping, functions: list[Any]) -> Any:
    """Several aggregates of every column."""
    names = [name_of(function) for function in functions]
    if len(set(names)) != len(names) or not names:
        raise Refused("an aggregate that stands twice")
    if groups.vector:
        column = groups.frame.columns[groups.places[0]]
        return group_result(groups, [aggregate(name, column, grouped=True) for name in names], pandas.Index(names), names)
    places = groups.places
    values = [aggregate(name, groups.frame.columns[place], grouped=True) for place in places for name in names]
    labels = pandas.MultiIndex.from_tuples([(groups.frame.labels[place], name) for place in places for name in names], names=[groups.frame.labels.name, None])
    return group_result(groups, values, labels, names * len(places))


def _by_column(groups: Grouping, functions: dict[Any, Any]) -> Any:
    """`agg({"price": "sum", "count": ["min", "max"]})`."""
    if groups.vector or not functions:
        raise Refused("aggregates by label of one column")
    several = any(isinstance(function, (list, tuple)) for function in functions.values())
    values, labels, names = [], [], []
    for label, given in functions.items():
        column = _column_of(groups, label)
        for function in given if isinstance(given, (list, tuple)) else [given]:
            name = name_of(function) if several else meant(groups, function, column)
            names.append(name)
            values.append(aggregate(name, column, grouped=True))
            labels.append((label, name) if several else label)
    made = pandas.MultiIndex.from_tuples(labels) if several else pandas.Index(labels)
    return group_result(groups, values, made, names)
