"""Values looked up in a mapping."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pandas

from airloom.pandas.algorithms import elementwise, literals, take
from airloom.pandas.algorithms.duplicates import equal_key
from airloom.pandas.apply import compiled
from airloom.pandas.categorical import codes
from airloom.pandas.dispatch.calls import recorded
from airloom.pandas.dispatch.registry import BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plan_of
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.methods.where import MOST
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, Vector, evaluate_windows, label_columns
from airloom.pandas.plan.rows import LookupJoin, Rows
from airloom.pandas.refusals import Refused, value_text


@operation("Series.map")
def map_values(vector: Vector, func: Any = None, na_action: Any = None, engine: Any = None, **kwargs: Any) -> Vector:
    if not compiled.is_own_engine(engine) or na_action not in (None, "ignore"):
        raise Refused(f"an `engine` of type `{type(engine).__name__}`, or `na_action={value_text(na_action)}`")
    if types.is_category(vector.dtype) and engine is None and func is not None:
        return codes.mapped(vector, functools.partial(recorded(func), **kwargs) if callable(func) else func, na_action)
    if type(func) is dict:
        if not func:
            raise Refused("an empty mapping")
        mapper = BaseSeries(func.values(), index=pandas.Index(func.keys(), tupleize_cols=False))
    elif isinstance(func, BaseSeries):
        mapper = func
    else:
        return compiled.mapped(vector, func, na_action, kwargs)
    if kwargs or not len(mapper):
        raise Refused("an empty mapping")
    if na_action == "ignore":
        mapper = mapper[mapper.index.notna()]
    column = elementwise.known(vector.column)
    if len(mapper) > MOST or types.is_time(column.dtype) or types.is_duration(column.dtype):
        return _joined(vector, column, mapper)
    return Vector(vector.rows, looked_up(column, vector.rows, mapper), vector.name, vector.index)


def _joined(vector: Vector, column: Column, mapper: Any) -> Vector:
    """The value that a mapping of many has for each of a column's: found by a join."""
    labels = mapper.index
    if labels.nlevels > 1 or not labels.is_unique:
        raise Refused("a mapping with duplicate keys, or a MultiIndex")
    far = plan_of(mapper)
    (key,), value = label_columns(far.rows, far.index), elementwise.known(far.column)
    key = elementwise.known(key)
    timed = types.is_time(value.dtype) or types.is_duration(value.dtype)
    if not (types.is_number(value.dtype) or types.is_text(value.dtype) or timed):
        raise Refused(f"a mapping to dtype `{value.dtype}`")
    if not types.is_number(column.dtype) and not (types.is_text(value.dtype) or value.dtype in (types.INT64, types.FLOAT64, types.BOOL)):
        raise Refused(f"a mapping of `{column.dtype}` to `{value.dtype}`")
    if not types.is_number(column.dtype) and not types.is_text(value.dtype) and run.count(vector.rows) == 0:
        raise Refused("a mapping of no values, which keep their dtype")
    rows, (mine,) = evaluate_windows(vector.rows, [column])
    other, (theirs, value) = evaluate_windows(far.rows, [key, value])
    slot, keys = Slot("value"), _equal_keys(mine, theirs, labels)
    looked = LookupJoin(rows, [keys[0]], other, [keys[1]], {slot: value.expression}, Slot("found"), any_of=False)
    if types.is_bool(value.dtype) and not types.is_number(column.dtype) and elementwise.any_row(looked, call("is_null", Ref(slot))):
        raise Refused("booleans with missing values")
    return Vector(looked, take.looked_up(value, slot, looked), vector.name, vector.index)


def _equal_keys(mine: Column, theirs: Column, labels: Any) -> tuple[Expression, Expression]:
    """Values and labels as what they are equal by, where pandas finds one among the others by nothing else."""
    have, want = mine.dtype, theirs.dtype
    if kinds.same(have, want) and not types.is_category(have):
        return equal_key(mine), equal_key(theirs)
    if types.is_integer(have) and types.is_integer(want) and np.uint64 not in (have, want):
        return literals.cast(mine.expression, have, types.INT64), literals.cast(theirs.expression, want, types.INT64)
    if have == types.FLOAT64 and types.is_integer(want) and -(2**53) < labels.min() <= labels.max() < 2**53:
        return equal_key(mine), literals.cast(theirs.expression, want, types.FLOAT64)
    raise Refused(f"values of `{have}` looked up among `{want}`")


def looked_up(column: Column, rows: Rows, mapper: Any) -> Column:
    """The value that a mapping has for each of a column's."""
    dtype = column.dtype
    if not mapper.index.is_unique or isinstance(mapper.index, pandas.MultiIndex):
        raise Refused("a mapping with duplicate keys, or a MultiIndex")
    results = mapper.dtype
    type = types.type_of(results)
    if type is None or types.is_category(results) or types.is_masked(results):
        raise Refused(f"a mapping to dtype `{results}`")
    keys = mapper.index.tolist()
    if types.is_text(dtype):
        fine = types.is_text(mapper.index.dtype) and results in (types.INT64, types.FLOAT64, types.BOOL, types.STR)
        if not types.is_text(results) and run.count(rows) == 0:
            raise Refused("a mapping of no values, which keep their dtype")
    elif types.is_bool(dtype):
        fine = mapper.index.dtype == bool
    elif types.is_number(dtype):
        fine = types.is_number(mapper.index.dtype) and not types.is_bool(mapper.index.dtype) and all(abs(key) < 2**53 or key != key for key in keys)
        if types.is_integer(dtype) and dtype.itemsize == 8 and types.is_float(mapper.index.dtype):
            fine = False
    else:
        fine = False
    if not fine:
        raise Refused(f"values of `{dtype}` looked up among `{mapper.index.dtype}`")
    hits = []
    for key, value in zip(keys, mapper.array, strict=True):
        literal = elementwise.fits(key, dtype)
        if literal is None:
            continue
        gone = literals.is_missing(key)
        hit = elementwise.missing(column) if gone else call("eq", column.expression, literal)
        hits.append((hit, literals.literal(value, results)))
    made: Expression = Literal(None, type.required) if not types.is_float(results) else literals.missing(results)
    for hit, literal in reversed(hits):
        made = elementwise.select(hit, literal, made)
    if types.is_bool(results) and types.is_text(dtype) and elementwise.any_row(rows, call("is_null", made)):
        raise Refused("booleans with missing values")
    if types.is_number(results) and not types.is_float(results):
        return elementwise.nullable(made, results, rows)
    return Column(made, results)
