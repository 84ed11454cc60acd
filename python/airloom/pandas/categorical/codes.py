"""Values as categories, and categories as values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.core.dtypes.dtypes import CategoricalDtype, DatetimeTZDtype

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.take import present
from airloom.pandas.dispatch.registry import BaseSeries
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import convert
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.ops.cumulative import null_where_missing
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, Vector, evaluate_windows
from airloom.pandas.plan.rows import Distinct, Filtered, LookupJoin, MemoryRows, Rows
from airloom.pandas.refusals import Refused


def categorized(rows: Rows, column: Column, target: CategoricalDtype) -> tuple[Rows, Column]:
    """Values by their position among categories: those given, or the values themselves in their order. The values are looked at now."""
    if column.unsupported or types.is_category(column.dtype):
        raise Refused(f"casting `{column.dtype}` to categories")
    if types.is_masked(column.dtype) or types.is_arrow(column.dtype) or isinstance(column.dtype, DatetimeTZDtype):
        raise Refused(f"casting `{column.dtype}` to categories")
    rows, (column,) = evaluate_windows(rows, [column])
    value = null_where_missing(column)
    dtype = target
    if target.categories is None:
        once = Distinct(Filtered(rows, call("not_", call("is_null", value))), [value], "first")
        found = convert.to_array(run.table(once, {"value": column.expression}), "value", column.dtype)
        dtype = pandas.Categorical(found, ordered=target.ordered).dtype
    categories = dtype.categories
    if not kinds.same(categories.dtype, column.dtype):
        raise Refused(f"casting `{column.dtype}` to categories of `{categories.dtype}`")
    width = types.type_of(dtype)
    assert width is not None
    if not len(categories):
        if target.categories is not None:
            raise Refused("no categories")
        return rows, Column(Literal(-1, width), dtype)
    space = MemoryRows(len(categories))
    array = categories.array
    names = captured_array(space, array.to_numpy() if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf" else array, "category")
    position, found_slot = Slot("position"), Slot("found")
    looked = LookupJoin(rows, [_key(value, column)], space, [_key(null_where_missing(names), names)], {position: Ref(space.position)}, found_slot, any_of=False)
    code = call("coalesce", call("cast", Ref(position), to=ir.optional(width)), Literal(-1, width))
    if target.categories is not None and run.value(looked, _any(call("and_", call("not_", Ref(found_slot)), call("not_", call("is_null", value))))):
        raise Refused("values that are not among the categories, of which pandas warns")
    return looked, Column(code, dtype)


def _key(value: Expression, column: Column) -> Expression:
    """What is looked up: zeros of both signs are one value."""
    if not types.is_float(column.dtype):
        return value
    type = types.type_of(column.dtype)
    assert type is not None
    return call("add", value, Literal(0.0, type))


def recoded(rows: Rows, column: Column, target: CategoricalDtype) -> tuple[Rows, Column]:
    """Categories among others: a value that is not among them is missing."""
    have = column.dtype
    if target.categories is None:
        dtype = CategoricalDtype(have.categories, target.ordered)
    else:
        dtype = target
    width = types.type_of(dtype)
    assert width is not None
    if dtype.categories.equals(have.categories) and kinds.same(dtype.categories.dtype, have.categories.dtype):
        return rows, Column(column.expression, dtype)
    positions = dtype.categories.get_indexer(have.categories)
    if not len(positions):
        return rows, Column(Literal(-1, width), dtype)
    if (positions < 0).any():
        raise Refused("categories that are left out, of which pandas may warn")
    rows, (column,) = evaluate_windows(rows, [column])
    space = MemoryRows(len(positions))
    code, slot = captured_array(space, np.ascontiguousarray(positions, dtype=np.int64), "position"), Slot("code")
    sought = call("cast", column.expression, to=ir.i64)
    looked = LookupJoin(rows, [sought], space, [Ref(space.position)], {slot: code.expression}, Slot("found"), any_of=False)
    return looked, Column(call("coalesce", call("cast", Ref(slot), to=ir.optional(width)), Literal(-1, width)), dtype)


def values_of(rows: Rows, column: Column) -> tuple[Rows, Column]:
    """The values that categories are."""
    categories = column.dtype.categories
    if types.type_of(categories.dtype) is None or types.is_category(categories.dtype):
        raise Refused(f"categories of dtype `{categories.dtype}`")
    rows, (column,) = evaluate_windows(rows, [column])
    space = MemoryRows(len(categories))
    array = categories.array
    plain = types.is_number(categories.dtype)
    names = captured_array(space, array.to_numpy() if plain else array, "category")
    name = Slot("name")
    code = call("cast", column.expression, to=ir.i64)
    looked = LookupJoin(rows, [code], space, [Ref(space.position)], {name: names.expression}, Slot("found"), any_of=False)
    found: Expression = Ref(name)
    if types.is_float(categories.dtype):
        found = call("null_to_nan", found)
    elif plain:
        type = types.type_of(categories.dtype)
        assert type is not None
        missing = call("lt", column.expression, Literal(0, types.type_of(column.dtype)))  # type: ignore[arg-type]
        if run.value(looked, _any(missing)):
            raise Refused("missing values among categories of numbers")
        found = call("coalesce", found, Literal(False if types.is_bool(categories.dtype) else 0, type))
    return looked, Column(found, categories.dtype)


def mapped(vector: Vector, mapper: Any, na_action: Any) -> Vector:
    """What a mapping or a function makes of categories: pandas asks it of each category once, and so it is asked here."""
    column = elementwise.known(vector.column)
    count = len(column.dtype.categories)
    if not count:
        raise Refused("no categories")
    missing = elementwise.has_missing(vector.rows, column)
    model = pandas.Categorical.from_codes([*range(count), *([-1] if missing else [])], dtype=column.dtype)
    made = ask_pandas(lambda: BaseSeries(model).map(mapper, na_action=na_action))
    if types.is_category(made.dtype):
        if not (made.cat.codes.to_numpy() == model.codes).all():
            raise Refused("categories that become missing")
        return vector.with_column(column.expression, made.dtype)
    if made.dtype == types.OBJECT:
        raise Refused("categories that become dtype `object`")
    rows, (column,) = evaluate_windows(vector.rows, [column])
    space = MemoryRows(len(made))
    array = made.array
    values = captured_array(space, array.to_numpy() if isinstance(array, pandas.arrays.NumpyExtensionArray) else array, "value")
    code = call("cast", column.expression, to=ir.i64)
    position = elementwise.select(call("lt", code, Literal(0, ir.i64)), Literal(count, ir.i64), code) if missing else code
    slot = Slot("value")
    looked = LookupJoin(rows, [position], space, [Ref(space.position)], {slot: values.expression}, Slot("found"), any_of=False)
    return Vector(looked, present(values, Ref(slot)), vector.name, vector.index)


def _any(predicate: Expression) -> Any:
    from airloom.pandas.plan.expression import fold

    return fold("any", predicate)
