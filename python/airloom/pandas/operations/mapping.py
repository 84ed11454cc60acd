"""Values looked up in a mapping."""

from __future__ import annotations

from typing import Any

import pandas

from airloom.pandas.data import types
from airloom.pandas.face.dispatch import BaseSeries, operation
from airloom.pandas.operations import callables, elements, scalars
from airloom.pandas.operations.values import MOST
from airloom.pandas.plan import run
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, Refused, Vector
from airloom.pandas.plan.rows import Rows


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
    if kwargs or len(mapper) > MOST or not len(mapper):
        raise Refused("a mapping of many values")
    if na_action == "ignore":
        mapper = mapper[mapper.index.notna()]
    return elements.each(vector, lambda column: looked_up(column, vector.rows, mapper))


def looked_up(column: Column, rows: Rows, mapper: Any) -> Column:
    """The value that a mapping has for each of a column's."""
    dtype = column.dtype
    if not mapper.index.is_unique or isinstance(mapper.index, pandas.MultiIndex):
        raise Refused("labels that stand for several values")
    results = mapper.dtype
    type = types.type_of(results)
    if type is None or types.is_category(results) or types.is_masked(results):
        raise Refused(f"a mapping to `{results}`")
    keys = mapper.index.tolist()
    if types.is_text(dtype):
        fine = types.is_text(mapper.index.dtype) and results in (types.INT64, types.FLOAT64, types.BOOL, types.STR)
        if not types.is_text(results) and run.count(rows) == 0:
            raise Refused("a mapping of no text, which stays text")
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
