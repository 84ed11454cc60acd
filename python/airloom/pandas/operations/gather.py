"""Rows at places that are known: some of others, several times, or none where a place is -1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.data import restore, types
from airloom.pandas.data.capture import captured_array, captured_column, captured_index
from airloom.pandas.data.held import Taken
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, Frame, Refused, Vector, pinned
from airloom.pandas.plan.rows import Looked, Rows, Space, space_of


def at_places(frame: Any, places: Any, index: pandas.Index) -> Any:
    """A frame or a vector of the rows at places, with these labels."""
    space = Space(len(places))
    columns = frame.columns if isinstance(frame, Frame) else (frame.column,)
    rows, made = gathered(space, space, frame.rows, columns, places)
    labels = captured_index(space, index)
    return Frame(rows, made, frame.labels, labels) if isinstance(frame, Frame) else Vector(rows, made[0], frame.name, labels)


def gathered(over: Rows, space: Space, rows: Rows, columns: Sequence[Column], places: Any) -> tuple[Rows, list[Column]]:
    """Columns of some rows, at places, beside others that are `space` row for row."""
    places = np.ascontiguousarray(places, dtype=np.int64)
    missing = bool(len(places)) and bool(places.min() < 0)
    columns = [restore.decided(column) for column in columns]
    base = space_of(rows)
    made: list[Column | None] = []
    for column in columns:
        held = restore.standing(base, column)
        made.append(None if held is None else captured_column(space, Taken(held, places, missing), "value"))
    rest = [at for at, column in enumerate(made) if column is None]
    if rest:
        below, found = pinned(rows, [columns[at] for at in rest])
        slots = [Slot("value") for _ in rest]
        place = captured_array(space, places, "place").expression
        sought = {slot: column.expression for slot, column in zip(slots, found, strict=True)}
        over = Looked(over, [place], below, [Ref(space_of(below).position)], sought, Slot("found"), any_of=False)
        for at, slot in zip(rest, slots, strict=True):
            made[at] = absent(columns[at], Ref(slot)) if missing else present(columns[at], Ref(slot))
    return over, made  # type: ignore[return-value]


def present(column: Column, found: Expression) -> Column:
    """A column of another side that is there in all rows, though its type says that it may not be."""
    if column.opaque:
        return column.at(call("coalesce", found, Literal(-1, ir.i64)))
    type = types.type_of(column.dtype)
    if type is None:
        raise Refused(f"`{column.dtype}` at places")
    if type.nullable:
        return column.at(found)
    zero = Literal(False if types.is_bool(column.dtype) else 0.0 if types.is_float(column.dtype) else 0, type)
    return column.at(call("coalesce", found, zero))


def absent(column: Column, found: Expression) -> Column:
    """A column of another side that is missing in some rows: with the dtype that pandas then has."""
    dtype = column.dtype
    if column.opaque:
        if isinstance(dtype, np.dtype) and dtype != types.OBJECT:
            raise Refused(f"`{dtype}` with missing values")
        return column.at(call("coalesce", found, Literal(-1, ir.i64)))
    if types.is_float(dtype):
        return column.at(call("null_to_nan", found))
    if types.is_category(dtype):
        width = types.type_of(dtype)
        assert width is not None
        return column.at(call("coalesce", found, Literal(-1, width)))
    if types.is_whole(dtype):
        return Column(call("null_to_nan", call("cast", found, to=ir.optional(ir.f64))), types.FLOAT64)
    if types.is_bool(dtype):
        return Column(found, types.OBJECT)
    if types.type_of(dtype) is None:
        raise Refused(f"`{dtype}` with missing values")
    return column.at(found)
