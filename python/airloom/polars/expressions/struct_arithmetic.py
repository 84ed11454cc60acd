"""Arithmetic on each field of a struct."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.registry import MAKERS, Context
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused
from airloom.polars.values import Value, rowwise


def field_by_field(one: Expression, arguments: Sequence[Value], context: Context) -> Value | None:
    """An operation on the fields of two structs of one dtype; none where these are others."""
    left, right = arguments
    if not isinstance(one.dtype, pl.Struct) or not one.dtype.fields or left.dtype != right.dtype or not isinstance(left.dtype, pl.Struct):
        return None
    names = [field.name for field in one.dtype.fields]
    if [field.name for field in left.dtype.fields] != names:
        return None
    parts = []
    for name in names:
        sides = [_field(side, name) for side in (left, right)]
        made = MAKERS[one.name](Expression(one.name, dtypes.field_of(one.dtype, name)), sides, context)
        if made.make is None or made.arguments[: len(sides)] != tuple(sides):
            raise Refused(f"`{one.name}` of fields of {left.dtype} is not translated")
        parts.append(made)
    kind = dtypes.type_of(one.dtype)

    def make(first: Node, second: Node, *fields: Node) -> Node:
        row = ir.cast(ir.row(dict(zip(names, fields, strict=True))), kind)
        return ir.select(ir.or_(ir.is_null(first), ir.is_null(second)), ir.null(kind), row)

    return rowwise(one.dtype, make, left, right, *parts)


def _field(value: Value, name: str) -> Value:
    assert isinstance(value.dtype, pl.Struct)
    return rowwise(dtypes.field_of(value.dtype, name), lambda node: ir.get(node, name), value)
