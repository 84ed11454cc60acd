"""The accessor `cat`: categories themselves, their numbers, and other categories in their place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.data import types
from airloom.pandas.data.capture import captured_array
from airloom.pandas.face.dispatch import BaseSeries, operation
from airloom.pandas.operations.models import heard
from airloom.pandas.plan import run
from airloom.pandas.plan.expression import Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, Refused, Vector, pinned
from airloom.pandas.plan.rows import Distinct, Looked, Space


@operation("cat.categories")
def categories(vector: Vector) -> Any:
    return vector.dtype.categories


@operation("cat.ordered")
def ordered(vector: Vector) -> Any:
    return vector.dtype.ordered


@operation("cat.codes")
def codes(vector: Vector) -> Vector:
    width = np.dtype(pandas.Categorical.from_codes([], dtype=vector.dtype).codes.dtype)
    return Vector(vector.rows, Column(vector.expression, width), None, vector.index)


def _register(name: str) -> None:
    @operation(f"cat.{name}")
    def change(vector: Vector, *args: Any, **kwargs: Any) -> Vector:
        count = len(vector.dtype.categories)
        return _changed(vector, np.arange(count), name, args, kwargs)


for _name in ("rename_categories", "reorder_categories", "add_categories", "remove_categories", "set_categories", "as_ordered", "as_unordered"):
    _register(_name)


@operation("cat.remove_unused_categories")
def remove_unused_categories(vector: Vector) -> Vector:
    rows, (column,) = pinned(vector.rows, [vector.column])
    found = run.table(Distinct(rows, [column.expression], "first"), {"code": column.expression})
    used = np.sort(np.asarray(found.column("code").to_pylist(), dtype=np.int64))
    return _changed(Vector(rows, column, vector.name, vector.index), used[used >= 0], "remove_unused_categories", (), {})


def _changed(vector: Vector, present: Any, name: str, args: Any, kwargs: Any) -> Vector:
    """What pandas makes of one value of each category tells where every value of it stands afterwards."""
    model = BaseSeries(pandas.Categorical.from_codes(present, dtype=vector.dtype))
    found = heard(lambda: getattr(model.cat, name)(*args, **kwargs))
    if not isinstance(found, BaseSeries) or not types.is_category(found.dtype):
        raise Refused("categories that are none any more")
    dtype = found.dtype
    width = types.type_of(dtype)
    assert width is not None
    if found.cat.codes.dtype != pandas.Categorical.from_codes([], dtype=dtype).codes.dtype:
        raise Refused("numbers of categories that are wider than they need to be")
    places = np.full(len(vector.dtype.categories), -1, np.int64)
    places[present] = found.cat.codes.to_numpy()
    if np.array_equal(places, np.arange(len(places))):
        code = vector.expression if width == types.type_of(vector.dtype) else call("cast", vector.expression, to=width)
        return vector.with_column(code, dtype)
    if not len(places):
        return vector.with_column(Literal(-1, width), dtype)
    rows, (column,) = pinned(vector.rows, [vector.column])
    space, slot = Space(len(places)), Slot("code")
    code = captured_array(space, places, "place").expression
    looked = Looked(rows, [call("cast", column.expression, to=ir.i64)], space, [Ref(space.position)], {slot: code}, Slot("found"), any_of=False)
    return vector.with_column(call("coalesce", call("cast", Ref(slot), to=ir.optional(width)), Literal(-1, width)), dtype, looked)
