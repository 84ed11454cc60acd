"""One column of several pieces, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from airloom import ir
from airloom.pandas.algorithms import literals
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals.shared_array import SharedArray, vector_block
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column
from airloom.pandas.refusals import Refused


def stacked_column(parts: Sequence[Column | None], target: Any, slot: Slot) -> tuple[Column, list[Expression]]:
    """One column of the result, and what each piece has for it."""
    there = [part for part in parts if part is not None]
    if any(part.unsupported for part in there):
        return _held(parts, target, slot)
    if target == types.OBJECT and all(types.is_bool(part.dtype) for part in there):
        absent = Literal(None, ir.bool_)
        return Column(Ref(slot), target), [absent if part is None else call("cast", part.expression, to=ir.optional(ir.bool_)) for part in parts]
    type = types.type_of(target)
    if type is None:
        raise Refused(f"columns that become dtype `{target}`")
    values: list[Expression] = []
    for part in parts:
        if part is None:
            values.append(literals.missing(target))
        elif types.is_category(target) and kinds.equal(part.dtype, target):
            values.append(_coded(part, target))
        elif kinds.same(part.dtype, target):
            values.append(part.expression)
        elif types.is_number(part.dtype) and types.is_number(target):
            values.append(literals.cast(part.expression, part.dtype, target))
        else:
            raise Refused(f"values of `{part.dtype}` that become `{target}`")
    return Column(Ref(slot), target), values


#: At most this many categories in another order are told apart one by one.
MOST_CATEGORIES = 64


def _coded(part: Column, target: Any) -> Expression:
    """The numbers of categories in the order of another dtype: without an order of their own, dtypes are the same in whatever order they stand."""
    if part.dtype.categories.equals(target.categories):
        return part.expression
    if len(target.categories) > MOST_CATEGORIES:
        raise Refused(f"more than {MOST_CATEGORIES} categories in another order")
    width = types.type_of(target)
    assert width is not None
    made: Expression = Literal(-1, width)
    for code, position in enumerate(target.categories.get_indexer(part.dtype.categories).tolist()):
        made = call("select", call("eq", part.expression, Literal(code, width)), Literal(position, width), made)
    return made


def _held(parts: Sequence[Column | None], target: Any, slot: Slot) -> tuple[Column, list[Expression]]:
    """Values without a native type: those of all pieces held together, each found by its position there."""
    there = [part for part in parts if part is not None]
    if not all(part.by_position and kinds.same(part.dtype, target) for part in there):
        raise Refused(f"dtype `{target}` has no native type, and the pieces are of other dtypes")
    arrays = [part.held.array for part in there]
    together = np.concatenate(arrays) if isinstance(arrays[0], np.ndarray) else arrays[0]._concat_same_type(arrays)
    values: list[Expression] = []
    offset = 0
    for part in parts:
        if part is None:
            values.append(Literal(-1, ir.i64))
            continue
        position = part.expression
        moved = call("add", position, Literal(offset, ir.i64)) if offset else position
        values.append(call("select", call("lt", position, Literal(0, ir.i64)), Literal(-1, ir.i64), moved) if offset else position)
        offset += len(part.held.array)
    return Column(Ref(slot), target, SharedArray(vector_block(together), 0)), values
