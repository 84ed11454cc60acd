"""The accessor `cat`: categories under other names, in another order, more or fewer of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.dispatch.calls import recorded
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, Vector, evaluate_windows
from airloom.pandas.plan.rows import Distinct, LookupJoin, MemoryRows
from airloom.pandas.refusals import Refused


def _categories(vector: Vector) -> Column:
    column = materialize.decided(vector.column)
    if column.unsupported or not types.is_category(column.dtype) or types.type_of(column.dtype) is None:
        raise Refused(f"categories of dtype `{column.dtype}`")
    return column


def _width(dtype: Any) -> np.dtype[Any]:
    """The dtype of codes."""
    return np.dtype({ir.i8: "int8", ir.i16: "int16", ir.i32: "int32"}[types.type_of(dtype)])  # type: ignore[index]


@operation("cat.categories")
def categories(vector: Vector) -> Any:
    return _categories(vector).dtype.categories


@operation("cat.ordered")
def ordered(vector: Vector) -> Any:
    return _categories(vector).dtype.ordered


@operation("cat.codes")
def codes(vector: Vector) -> Vector:
    column = _categories(vector)
    return Vector(vector.rows, Column(column.expression, _width(column.dtype)), None, vector.index)


def _register_change(name: str) -> None:
    @operation(f"cat.{name}")
    def change(vector: Vector, *args: Any, **kwargs: Any) -> Vector:
        column = _categories(vector)
        every = np.arange(len(column.dtype.categories))
        given = {key: recorded(item) for key, item in kwargs.items()}
        return _changed(vector, column, every, name, recorded(args), given)


for _name in ("rename_categories", "reorder_categories", "add_categories", "remove_categories", "set_categories", "as_ordered", "as_unordered"):
    _register_change(_name)


@operation("cat.remove_unused_categories")
def remove_unused(vector: Vector) -> Vector:
    column = _categories(vector)
    rows, (column,) = evaluate_windows(vector.rows, [column])
    used = run.table(Distinct(rows, [column.expression], "first"), {"code": column.expression}).numpy("code", _width(column.dtype).name)
    return _changed(Vector(rows, column, vector.name, vector.index), column, np.sort(used[used >= 0]).astype(np.int64), "remove_unused_categories", (), {})


def _changed(vector: Vector, column: Column, used: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Vector:
    """What pandas makes of one value of each category that is used, looked up for every row."""
    few = pandas.Categorical.from_codes(used, dtype=column.dtype)
    made = ask_pandas(lambda: getattr(few, name)(*args, **kwargs))
    if not isinstance(made, pandas.Categorical):
        raise Refused("categories for which pandas raises")
    if not kinds.same(made.codes.dtype, _width(made.dtype)):
        raise Refused("codes that are wider than the number of categories needs")
    positions = np.full(len(column.dtype.categories), -1, np.int64)
    positions[used] = made.codes
    width = types.type_of(made.dtype)
    assert width is not None
    if (positions[used] == used).all():
        return vector.with_column(call("cast", column.expression, to=width, mode="wrap"), made.dtype)
    rows, (column,) = evaluate_windows(vector.rows, [column])
    space, slot = MemoryRows(len(positions)), Slot("code")
    code = captured_array(space, positions, "position")
    sought = call("cast", column.expression, to=ir.i64)
    looked = LookupJoin(rows, [sought], space, [Ref(space.position)], {slot: code.expression}, Slot("found"), any_of=False)
    found = call("coalesce", call("cast", Ref(slot), to=ir.optional(width), mode="wrap"), Literal(-1, width))
    return vector.with_column(found, made.dtype, rows=looked)
