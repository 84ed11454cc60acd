"""Groups that no row belongs to: every category, or every span of time, is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import take
from airloom.pandas.dispatch.registry import BaseSeries
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import convert, materialize
from airloom.pandas.internals.capture import captured_array, captured_levels
from airloom.pandas.ops.deferred import Counted, Narrowed
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, Question
from airloom.pandas.plan.rows import Grouped, LookupJoin, MemoryRows, Rows
from airloom.pandas.refusals import Refused
from airloom.pandas.reshape.merge_sides import missing_side

if TYPE_CHECKING:
    from airloom.pandas.groupby.grouping import Grouping


class OfNothing(str):
    """The name of an aggregate that makes this value of no rows."""

    __slots__ = ("value",)

    value: Any


#: What aggregates make of no rows; of others it is missing.
_OF_NOTHING = {"sum": 0, "prod": 1, "product": 1, "count": 0, "size": 0, "nunique": 0, "any": False, "all": True}


def observed(groups: Grouping, beside: Sequence[Column] = ()) -> list[Any]:
    """The keys of groups that have rows, in the order in which they first stand: an array for each. With columns beside them, for each of their values that a group has."""
    columns = [*groups.keys, *beside]
    slots = [Slot("key") for _ in columns]
    distinct = Grouped(groups.frame.rows, {slot: column.expression for slot, column in zip(slots, columns, strict=True)}, {})
    found = (column.at(Ref(slot)) for column, slot in zip(columns, slots, strict=True))
    shown = [column.as_labels() if hasattr(column, "as_labels") else column for column in found]
    table = run.table(distinct, {f"k{at}": column.expression for at, column in enumerate(shown)})
    return [convert.to_array(table, f"k{at}", column.dtype, column.held) for at, column in enumerate(shown)]


def grouper_of(groups: Grouping, keys: Sequence[Any], **options: Any) -> Any:
    """What pandas makes of these keys: the labels of groups, and the number of each. It is asked with one row for each."""
    named = [pandas.Index(key, name=name, copy=False) for key, name in zip(keys, groups.names, strict=False)]
    return BaseSeries(np.empty(len(keys[0]), np.int8)).groupby(named, sort=groups.sort, dropna=groups.dropna, **options)._grouper


def labels_of(groups: Grouping) -> tuple[pandas.Index, Any]:
    """The labels of all groups; and for each that has rows, in the order in which they first stand, which of the labels is its own."""
    if groups.whole_labels is None:
        grouper = grouper_of(groups, observed(groups), observed=groups.observed)
        groups.whole_labels = grouper.result_index.set_names(list(groups.names)), np.asarray(grouper.ids, np.int64)
    labels, positions = groups.whole_labels
    return labels, positions


def every_category(groups: Grouping, made: Rows, values: Sequence[Column], names: Sequence[str]) -> tuple[Rows, list[Column], list[Column]]:
    """A row for every combination of categories, with what its group came to."""
    if len(names) != len(values):
        raise Refused("`as_index=False` with unobserved categories")
    labels, positions = labels_of(groups)
    space = MemoryRows(len(labels))
    found = np.full(len(labels), -1)
    found[positions[positions >= 0]] = np.flatnonzero(positions >= 0)
    keys = list(captured_levels(space, labels).columns) if isinstance(labels, pandas.MultiIndex) else [captured_array(space, _array(labels), "key")]
    slots = [Slot("value") for _ in values]
    columns = {slot: value.expression for slot, value in zip(slots, values, strict=True)}
    position = captured_array(space, found, "position")
    rows = LookupJoin(space, [position.expression], made, [Ref(made.position)], columns, Slot("found"), any_of=False)
    some_missing = bool(len(found)) and bool(found.min() < 0)
    return rows, keys, [_filled(name, value, slot, some_missing) for name, value, slot in zip(names, values, slots, strict=True)]


def _array(labels: pandas.Index) -> Any:
    array = labels.array
    return array.to_numpy() if type(array) is pandas.arrays.NumpyExtensionArray else array


def _filled(name: str, value: Column, slot: Slot, some_missing: bool) -> Column:
    """What groups came to, with what no rows come to where there are such groups."""
    if isinstance(value.dtype, Counted):
        raise Refused("`min_count` with unobserved categories")
    value = materialize.decided(value)
    dtype = value.dtype.wide if isinstance(value.dtype, Narrowed) else value.dtype
    plain = Column(value.expression, dtype, value.held)
    if not some_missing:
        return Column(take.present(plain, Ref(slot)).expression, value.dtype, value.held)
    if isinstance(name, OfNothing):
        return _with_nothing(name, plain, Ref(slot))
    if name in _OF_NOTHING and types.is_number(dtype):
        return Column(call("coalesce", Ref(slot), _nothing(name, dtype)), value.dtype)
    if types.is_bool(dtype) or name in _OF_NOTHING or (name == "quantile" and types.is_integer(dtype)):
        raise Refused(f"`{name}` of unobserved categories")
    return take.absent(plain, Ref(slot))


def _with_nothing(name: OfNothing, value: Column, found: Expression) -> Column:
    """What a function came to, with what it makes of no rows: floats, where that is one."""
    if types.is_float(value.dtype) and isinstance(name.value, (float, np.floating)):
        return value.at(call("coalesce", found, Literal(float(name.value), ir.f64)))
    if value.dtype == types.INT64 and isinstance(name.value, (float, np.floating)):
        wide = call("cast", found, to=ir.optional(ir.f64))
        return Column(call("coalesce", wide, Literal(float(name.value), ir.f64)), types.FLOAT64)
    if value.dtype == types.INT64 and isinstance(name.value, (int, np.integer)) and not isinstance(name.value, bool):
        return value.at(call("coalesce", found, Literal(int(name.value), ir.i64)))
    if types.is_bool(value.dtype) and isinstance(name.value, (bool, np.bool_)):
        return value.at(call("coalesce", found, Literal(bool(name.value), ir.bool_)))
    raise Refused("a Python function with unobserved categories")


def _nothing(name: str, dtype: Any) -> Literal:
    type = types.type_of(dtype)
    assert type is not None
    nothing = _OF_NOTHING[name]
    return Literal(float(nothing) if types.is_float(dtype) else nothing, type)


def plain_category(groups: Grouping) -> bool:
    """Whether the only key is a category whose groups stand in the order of categories: these are known without a look at the rows."""
    return groups.whole and len(groups.keys) == 1 and groups.sort and groups.dropna


def every_one(groups: Grouping, made: Rows, key: Column, values: Sequence[Column], names: Sequence[str]) -> tuple[Rows, list[Column], list[Column]]:
    """A row for every span of time, or every category, in their order, with what its group came to."""
    if len(names) != len(values):
        raise Refused("`as_index=False` with groups without rows")
    labels = groups.labels()
    assert labels is not None
    space = MemoryRows(len(labels))
    label = captured_array(space, _array(labels), "key")
    numbers = np.arange(len(labels))
    # Categories are their own numbers.
    number = label if groups.spans is None else captured_array(space, numbers if key.dtype == types.INT64 else pandas.array(numbers, dtype="Int64"), "number")
    slots = [Slot("value") for _ in values]
    found = Slot("found")
    columns = {slot: value.expression for slot, value in zip(slots, values, strict=True)}
    rows = LookupJoin(space, [number.expression], made, [key.expression], columns, found, any_of=False)
    test = Question(rows, call("not_", Ref(found)))
    results = []
    for name, slot, value in zip(names, slots, values, strict=True):
        if isinstance(value.dtype, Counted):
            raise Refused("`min_count` with groups without rows")
        dtype = value.dtype.wide if isinstance(value.dtype, Narrowed) else value.dtype
        if isinstance(name, OfNothing):
            results.append(_with_nothing(name, value, Ref(slot)))
        elif name in _OF_NOTHING and types.is_number(dtype):
            results.append(Column(call("coalesce", Ref(slot), _nothing(name, dtype)), value.dtype))
        elif types.is_bool(dtype) or name in _OF_NOTHING or (name == "quantile" and types.is_integer(dtype)):
            raise Refused(f"`{name}` of groups without rows")
        else:
            results.append(missing_side(value, slot, test))
    return rows, [label], results
