"""Values looked up in a mapping."""

from __future__ import annotations

from typing import Any

import pandas

from airloom.pandas.data import restore, types
from airloom.pandas.face.dispatch import BaseSeries, operation, plan_of
from airloom.pandas.operations import callables, elements, gather, scalars
from airloom.pandas.operations.distinct import equal_key
from airloom.pandas.operations.values import MOST
from airloom.pandas.plan import run
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, Refused, Vector, label_columns, pinned
from airloom.pandas.plan.rows import Looked, Rows


@operation("Series.map")
def map_values(vector: Vector, func: Any = None, na_action: Any = None, engine: Any = None, **kwargs: Any) -> Vector:
    if not callables.is_own_engine(engine) or na_action not in (None, "ignore"):
        raise Refused("another engine, or an unknown `na_action`")
    if type(func) is dict:
        if not func:
            raise Refused("an empty mapping")
        mapper = BaseSeries(func.values(), index=pandas.Index(func.keys(), tupleize_cols=False))
    elif isinstance(func, BaseSeries):
        mapper = func
    else:
        return callables.mapped(vector, func, na_action, kwargs)
    if kwargs or not len(mapper):
        raise Refused("an empty mapping, or arguments for it")
    if not mapper.index.is_unique or isinstance(mapper.index, pandas.MultiIndex):
        raise Refused("labels that stand for several values")
    if na_action == "ignore":
        mapper = mapper[mapper.index.notna()]
    if len(mapper) > MOST:
        return _by_table(vector, mapper)
    return elements.each(vector, lambda column: looked_up(column, vector.rows, mapper))


def _by_table(vector: Vector, mapper: Any) -> Vector:
    """The values of many labels: they are looked up by a join."""
    column = elements.known(vector.column)
    plan = plan_of(mapper)
    (label,) = (restore.decided(key) for key in label_columns(plan.rows, plan.index))
    value = restore.decided(plan.column)
    if column.opaque or label.opaque or value.opaque or types.is_category(value.dtype) or types.is_masked(value.dtype):
        raise Refused(f"a mapping of `{column.dtype}` to `{value.dtype}`")
    if types.is_text(column.dtype):
        _check_text(vector.rows, value.dtype)
    elif not types.is_number(column.dtype) or types.is_bool(column.dtype):
        raise Refused(f"many values of `{column.dtype}`")
    if label.dtype == types.INT64 and types.is_whole(column.dtype) and column.dtype.kind == "i":
        column = Column(scalars.cast(column.expression, column.dtype, label.dtype), label.dtype)
    if label.dtype != column.dtype:
        raise Refused(f"`{column.dtype}` looked up among `{label.dtype}`")
    other, (label, value) = pinned(plan.rows, [label, value])
    rows, (sought,) = pinned(vector.rows, [column])
    slot, found = Slot("value"), Slot("found")
    looked = Looked(rows, [equal_key(sought)], other, [equal_key(label)], {slot: value.expression}, found, any_of=False)
    if types.is_bool(value.dtype) and types.is_text(column.dtype) and elements.anywhere(looked, call("not_", Ref(found))):
        raise Refused("truth values with some missing")
    return Vector(looked, gather.looked_up(value, slot, looked), vector.name, vector.index)


def _check_text(rows: Rows, results: Any) -> None:
    """Refuses what text does not come to."""
    if results not in (types.INT64, types.FLOAT64, types.BOOL, types.STR):
        raise Refused(f"a mapping of text to `{results}`")
    if not types.is_text(results) and run.count(rows) == 0:
        raise Refused("a mapping of no text, which stays text")


def looked_up(column: Column, rows: Rows, mapper: Any) -> Column:
    """The value that a mapping has for each of a column's."""
    dtype = column.dtype
    results = mapper.dtype
    type = types.type_of(results)
    if type is None or types.is_category(results) or types.is_masked(results):
        raise Refused(f"a mapping to `{results}`")
    keys = mapper.index.tolist()
    if types.is_text(dtype):
        _check_text(rows, results)
        fine = types.is_text(mapper.index.dtype)
    elif types.is_bool(dtype):
        fine = mapper.index.dtype == bool
    elif types.is_number(dtype):
        fine = types.is_number(mapper.index.dtype) and not types.is_bool(mapper.index.dtype) and all(abs(key) < 2**53 or key != key for key in keys)
        if types.is_whole(dtype) and dtype.itemsize == 8 and types.is_float(mapper.index.dtype):
            fine = False
    else:
        fine = False
    if not fine:
        raise Refused(f"`{dtype}` looked up among `{mapper.index.dtype}`")
    hits = []
    for key, value in zip(keys, mapper.array, strict=True):
        literal = elements.fits(key, dtype)
        if literal is None:
            continue
        gone = scalars.is_missing(key)
        hit = elements.missing(column) if gone else call("eq", column.expression, literal)
        hits.append((hit, scalars.literal(value, results)))
    made: Expression = Literal(None, type.required) if not types.is_float(results) else scalars.missing(results)
    for hit, literal in reversed(hits):
        made = elements.select(hit, literal, made)
    if types.is_bool(results) and types.is_text(dtype) and elements.anywhere(rows, call("is_null", made)):
        raise Refused("truth values with some missing")
    if types.is_number(results) and not types.is_float(results):
        return elements.nullable(made, results, rows)
    return Column(made, results)
