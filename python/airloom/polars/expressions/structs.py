"""Structs: made of columns, and taken apart."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, rowwise


@expression("function.as_struct")
def _as_struct(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    assert isinstance(one.dtype, pl.Struct)
    names = [field.name for field in one.dtype.fields]
    if len(names) != len(arguments):
        raise Refused(f"`struct` of {len(arguments)} columns with {len(names)} fields is not translated")
    return rowwise(one.dtype, lambda *values: ir.row(dict(zip(names, values, strict=True))), *arguments)


@expression("struct.FieldByName")
def _field(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (name,) = one.parameters
    dtype = arguments[0].dtype
    if not isinstance(dtype, pl.Struct) or name not in [field.name for field in dtype.fields]:
        raise Refused(f"the field {value_text(name)} of {dtype} is not translated")
    return rowwise(one.dtype, lambda struct: ir.get(struct, name), arguments[0])


@expression("structeval")
def _with_fields(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    names, variant = one.parameters
    struct = arguments[0].dtype
    if variant != "with_fields" or not isinstance(struct, pl.Struct) or not isinstance(one.dtype, pl.Struct):
        raise Refused(f"an expression over the fields of {struct} is not translated")
    before = [field.name for field in struct.fields]

    def make(given: Node, *made: Node) -> Node:
        fields = {**{name: ir.get(given, name) for name in before}, **dict(zip(names, made, strict=True))}
        row = ir.row(fields)
        return ir.select(ir.is_null(given), ir.null(row.type.required), row)

    return rowwise(one.dtype, make, *arguments)


@expression("struct.RenameFields")
def _rename(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    before, after = arguments[0].dtype, one.dtype
    if not isinstance(before, pl.Struct) or not isinstance(after, pl.Struct) or len(before.fields) != len(after.fields):
        raise unsupported(one, arguments)
    pairs = [(old.name, new.name) for old, new in zip(before.fields, after.fields, strict=True)]

    def make(struct: Node) -> Node:
        made = ir.row({new: ir.get(struct, old) for old, new in pairs})
        return ir.select(ir.is_null(struct), ir.null(made.type.required), made)

    return rowwise(one.dtype, make, arguments[0])
