"""Functions of Python that groups are given: `apply`, `filter`, `transform`, and aggregates that are no names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.compile.groups import Body, Many, One, Record, Table, Thing
from airloom.pandas.compile.values import Constant
from airloom.pandas.data import types
from airloom.pandas.face.dispatch import operation
from airloom.pandas.operations import elements, scalars
from airloom.pandas.operations.group_rows import chosen_rows, left_out, partition_of, without_key
from airloom.pandas.operations.groups import Grouping, group_result
from airloom.pandas.plan import run
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, fold
from airloom.pandas.plan.frame import Column, Frame, Refused, Vector
from airloom.pandas.plan.rows import Grouped


def body_of(groups: Grouping) -> Body:
    """What runs functions over the rows of groups; refused where some group has no rows, or there is none."""
    if groups.whole or groups.spans is not None:
        _all_have_rows(groups)
    if run.count(groups.rows_with_keys()) == 0:
        raise Refused("a function of Python, and no groups")
    return Body(groups.frame.rows, tuple(key.expression for key in groups.keys), ordered=groups.time is None)


def _all_have_rows(groups: Grouping) -> None:
    """Refuses groups without rows: what a function makes of nothing only Python knows."""
    every = groups.labels()
    slots = {Slot("key"): key.expression for key in groups.keys}
    if every is None or groups.nothing or run.count(Grouped(groups.rows_with_keys(), slots, {})) != len(every):
        raise Refused("a function of Python, and groups without rows")


def settled(groups: Grouping, body: Body) -> None:
    """Refuses functions that would warn or raise for some group."""
    if not body.never:
        return
    found: Expression = elements.FALSE
    for predicate in body.never:
        found = predicate if found is elements.FALSE else elements.either(found, predicate)
    slot = Slot("never")
    made = Grouped(groups.rows_with_keys(), {Slot("key"): key.expression for key in groups.keys}, {slot: found})
    if run.value(made, fold("any", Ref(slot), skip="null")):
        raise Refused("a function that warns, or has numbers too large")


def _series(groups: Grouping, place: int) -> Many:
    return Many(elements.known(groups.frame.columns[place]))


def _table(groups: Grouping, places: list[int]) -> Table:
    labels = groups.frame.labels
    if not labels.is_unique or isinstance(labels, pandas.MultiIndex):
        raise Refused("labels that stand for several columns")
    return Table({labels[place]: elements.known(groups.frame.columns[place]) for place in places})


def _one(result: Thing) -> Column:
    """What a function made of the group, as a column of plain numbers."""
    if isinstance(result, Constant):
        if not scalars.is_number(result.value) or isinstance(result.value, np.generic):
            raise Refused("a constant that is no number")
        dtype = types.BOOL if isinstance(result.value, bool) else types.INT64 if isinstance(result.value, int) else types.FLOAT64
        return Column(scalars.number(result.value, dtype), dtype)
    if not isinstance(result, One) or result.column.dtype not in (types.INT64, types.FLOAT64, types.BOOL):
        raise Refused("a function that returns no number")
    return result.column


def aggregate_by(groups: Grouping, function: Any, column: Column, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Column:
    """What a function of Python makes of a column of each group."""
    body = body_of(groups)
    if column.dtype not in (types.INT64, types.FLOAT64, types.BOOL):
        # Narrow numbers come back as such where they fit.
        raise Refused(f"an aggregate written in Python of `{column.dtype}`")
    made = _one(body.call(function, Many(elements.known(column)), args, kwargs))
    settled(groups, body)
    return made


@operation("GroupBy.apply")
def apply(groups: Grouping, func: Any, *args: Any, include_groups: Any = False, **kwargs: Any) -> Any:
    if include_groups is not False:
        raise Refused("groups with their keys")
    if isinstance(func, str):
        from airloom.pandas.operations.group_agg import by_name

        return by_name(groups, func, args, kwargs)
    body = body_of(groups)
    subject: Thing = _series(groups, groups.places[0]) if groups.vector else _table(groups, groups.places)
    result = body.call(func, subject, args, kwargs)
    if isinstance(result, Record) and groups.as_index:
        return _records(groups, body, result)
    if isinstance(result, Many) and groups.vector and not groups.group_keys:
        return _beside(groups, body, [result.column])
    column = _one(result)
    settled(groups, body)
    if not groups.vector and not groups.as_index:
        raise Refused("keys as columns beside a column without a name")
    label = groups.selection if groups.vector else None
    return group_result(groups, [column], pandas.Index([label], dtype=object), ["apply"], series=groups.as_index)


def _records(groups: Grouping, body: Body, result: Record) -> Frame:
    """A frame of what each column came to: all of one dtype, as the rows that pandas makes of them are."""
    columns = [_one(value) for value in result.values.values()]
    dtypes = {column.dtype for column in columns}
    if not columns or (len(dtypes) > 1 and types.BOOL in dtypes):
        raise Refused("truth values and numbers in one row")
    common = np.result_type(*dtypes)
    values = [Column(scalars.cast(column.expression, column.dtype, common), common) for column in columns]
    settled(groups, body)
    labels = groups.frame.labels
    places = [labels.get_loc(label) for label in result.values]
    made: Frame = group_result(groups, values, labels.take(places), ["apply"] * len(values))
    return made


def _beside(groups: Grouping, body: Body, columns: list[Column]) -> Any:
    """Columns of the same rows, missing where a row belongs to no group."""
    partition_of(groups)
    settled(groups, body)
    frame = groups.frame
    gone = without_key(groups)
    made = [left_out(column, gone, frame.rows) for column in columns]
    if groups.vector:
        return Vector(frame.rows, made[0], groups.selection, frame.index)
    return Frame(frame.rows, made, frame.labels.take(groups.places), frame.index)


def transformed(groups: Grouping, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function of Python makes of each column of each group, beside its rows."""
    body = body_of(groups)
    columns, scalar = [], []
    for place in groups.places:
        result = body.call(func, _series(groups, place), args, kwargs)
        if isinstance(result, Many):
            columns.append(result.column)
        else:
            found = _one(result)
            scalar.append(found.dtype)
            columns.append(body.lifted(One(found)))
    if not columns or (len(set(scalar)) > 1 or (scalar and len(scalar) != len(columns))):
        raise Refused("values of several dtypes, which are one row")
    return _beside(groups, body, columns)


@operation("GroupBy.filter")
def filter_groups(groups: Grouping, func: Any, dropna: Any = True, *args: Any, **kwargs: Any) -> Any:
    if dropna is not True:
        raise Refused("groups that are left out in place")
    body = body_of(groups)
    every = list(range(len(groups.frame.columns))) if groups.selection is None else groups.places
    subject: Thing = _series(groups, groups.places[0]) if groups.vector else _table(groups, every)
    result = body.call(func, subject, args, kwargs)
    if isinstance(result, Constant) and isinstance(result.value, bool):
        return chosen_rows(groups, Literal(result.value, ir.bool_))
    if not isinstance(result, One) or not types.is_bool(result.column.dtype):
        raise Refused("a function that returns no truth value")
    settled(groups, body)
    return chosen_rows(groups, body.lifted(result).expression)
