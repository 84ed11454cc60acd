"""Comparisons, boolean logic, and questions about one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.categories import as_category, code_of, ordered
from airloom.polars.expressions.numbers import same_dtype, unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.expressions.wide import wide_compared
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, rowwise

COMPARED = dtypes.COMPARED
# To Polars NaN equals NaN, and is greater than every other number.
_COMPARED: dict[str, Callable[..., Node]] = {"Eq": ir.eq, "NotEq": ir.ne, "Lt": ir.lt, "LtEq": ir.le, "Gt": ir.gt, "GtEq": ir.ge}


def _compares(word: str, left: Node, right: Node) -> Node:
    if left.type.required.kind == "struct":
        return wide_compared(word, left, right)
    return _COMPARED[word](left, right, nan="total")


COMPARISONS: dict[str, Callable[..., Node]] = {
    **{f"binary.{word}": partial(_compares, word) for word in _COMPARED},
    "binary.EqValidity": ir.same,
    "binary.NotEqValidity": lambda left, right: ir.not_(ir.same(left, right)),
}


_EQUALITIES = ("binary.Eq", "binary.NotEq", "binary.EqValidity", "binary.NotEqValidity")


@expression(*COMPARISONS)
def _comparison(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    return compared(one, arguments, COMPARISONS[one.name])


def compared(one: Expression, arguments: Sequence[Value], make: Callable[..., Node]) -> Value:
    """What values of the same dtype, or decimals in the widest scale, are compared to."""
    if all(isinstance(argument.dtype, pl.Decimal) for argument in arguments):
        kind = _common_decimal(arguments)
        return rowwise(one.dtype, lambda *values: make(*(_widened(value, kind) for value in values)), *arguments)
    categories = next((argument.dtype for argument in arguments if dtypes.is_of(argument.dtype, pl.Enum, pl.Categorical)), None)
    if categories is not None:
        arguments = [as_category(argument, categories) for argument in arguments]
    same = same_dtype(one, arguments)
    if dtypes.is_of(same, pl.Categorical) and one.name not in _EQUALITIES:
        return rowwise(one.dtype, make, *(ordered(argument) for argument in arguments))
    if one.name in _EQUALITIES and dtypes.is_of(same, pl.List, pl.Array, pl.Struct):
        return rowwise(one.dtype, lambda left, right: _nested_equality(one.name, same, left, right), *arguments)
    if not dtypes.is_of(same, *(dtypes.EQUATED if one.name in _EQUALITIES else dtypes.SORTED)):
        raise unsupported(one, arguments)
    return rowwise(one.dtype, make, *arguments)


def _common_decimal(values: Sequence[Value]) -> ir.Type:
    """The narrowest type that holds all of these decimals: columns that have it are compared as they are."""
    scale, digits = 0, 1
    for value in values:
        assert isinstance(value.dtype, pl.Decimal)
        scale = max(scale, value.dtype.scale)
        known = value.literal[0] if value.literal is not None else None
        # Of a literal it is known how many digits stand before its point.
        digits = max(digits, len(str(abs(int(known)))) if isinstance(known, Decimal) else 0 if value.literal is not None else (value.dtype.precision or 38) - value.dtype.scale)
    return ir.decimal(min(38, digits + scale), scale)


def _nested_equality(name: str, dtype: pl.DataType, left: Node, right: Node) -> Node:
    """Whether two lists or structs are the same: inside of them null equals null."""
    found = is_same(dtype, left, right)
    found = ir.not_(found) if name in ("binary.NotEq", "binary.NotEqValidity") else found
    return found if name.endswith("Validity") else ir.select(ir.or_(ir.is_null(left), ir.is_null(right)), ir.null(ir.bool_), found)


def is_same(dtype: pl.DataType, left: Node, right: Node) -> Node:
    """Whether two values are the same, where null equals null."""
    found = ir.same(*(_all_nullable(dtype, side) for side in (left, right)))
    # A null is no struct, not even one of nulls.
    return ir.and_(found, ir.same(ir.is_null(left), ir.is_null(right))) if isinstance(dtype, pl.Struct) else found


def _all_nullable(dtype: pl.DataType, node: Node) -> Node:
    """A struct whose fields may all be null: what is known of one side of a comparison may not be of the other."""
    if not isinstance(dtype, pl.Struct):
        return node
    wanted = {field.name: dtypes.nullable(dtypes.field_of(dtype, field.name)) for field in dtype.fields}
    fields = {name: ir.get(node, name) for name in wanted}
    return ir.row({name: field if field.type == wanted[name] else ir.cast(field, wanted[name]) for name, field in fields.items()})


def _widened(node: Node, kind: ir.Type) -> Node:
    return node if node.type.required == kind else ir.cast(node, kind)


@expression("binary.And", "binary.LogicalAnd", "binary.Or", "binary.LogicalOr", "binary.Xor")
def _logic(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    word = one.name.partition(".")[2]
    same = same_dtype(one, arguments)
    if dtypes.is_of(same, pl.Boolean):
        booleans = {"And": ir.and_, "LogicalAnd": ir.and_, "Or": ir.or_, "LogicalOr": ir.or_, "Xor": ir.xor}
        return rowwise(one.dtype, booleans[word], *arguments)
    bits = {"And": ir.bitand, "Or": ir.bitor, "Xor": ir.bitxor}
    if word in bits and dtypes.is_of(same, *dtypes.INTEGERS) and one.dtype == same:
        return rowwise(one.dtype, bits[word], *arguments)
    raise unsupported(one, arguments)


@expression("boolean.Not")
def _not(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if dtypes.is_of(arguments[0].dtype, pl.Boolean):
        return rowwise(one.dtype, ir.not_, *arguments)
    raise unsupported(one, arguments)


@expression("boolean.IsNull", "boolean.IsNotNull")
def _is_null(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if one.name == "boolean.IsNull":
        return rowwise(one.dtype, ir.is_null, *arguments)
    return rowwise(one.dtype, lambda value: ir.not_(ir.is_null(value)), *arguments)


@expression("boolean.IsNan", "boolean.IsNotNan", "boolean.IsFinite", "boolean.IsInfinite")
def _is_nan(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if dtypes.is_of(arguments[0].dtype, *dtypes.INTEGERS):
        # All integers are finite numbers.
        truth = ir.const(one.name in ("boolean.IsNotNan", "boolean.IsFinite"))
        return rowwise(one.dtype, lambda value: ir.select(ir.is_null(value), ir.null(ir.bool_), truth), *arguments)
    if not dtypes.is_of(arguments[0].dtype, *dtypes.FLOATS):
        raise unsupported(one, arguments)
    makes: dict[str, Callable[..., Node]] = {
        "boolean.IsNan": ir.is_nan,
        "boolean.IsNotNan": lambda value: ir.not_(ir.is_nan(value)),
        "boolean.IsFinite": ir.is_finite,
        "boolean.IsInfinite": ir.is_infinite,
    }
    return rowwise(one.dtype, makes[one.name], *arguments)


@expression("boolean.IsBetween")
def _is_between(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    closed = one.parameters[0]
    if closed not in _CLOSED:
        raise Refused(f"`is_between` with `closed` {value_text(closed)} is not translated")
    after, before = _CLOSED[closed]

    def make(value: Node, low: Node, high: Node) -> Node:
        return ir.and_(COMPARISONS[after](value, low), COMPARISONS[before](value, high))

    return compared(one, arguments, make)


_CLOSED = {
    "both": ("binary.GtEq", "binary.LtEq"),
    "left": ("binary.GtEq", "binary.Lt"),
    "right": ("binary.Gt", "binary.LtEq"),
    "none": ("binary.Gt", "binary.Lt"),
}


@expression("boolean.IsIn")
def _is_in(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value, items = arguments
    (nulls_equal,) = one.parameters
    texts = dtypes.is_of(value.dtype, pl.Enum, pl.Categorical) and isinstance(items.dtype, pl.List) and items.dtype.inner == pl.String() and items.literal is not None
    if not isinstance(items.dtype, pl.List) or (items.dtype.inner != value.dtype and not texts) or (items.literal is None and (items.single or nulls_equal)):
        raise Refused(f"`is_in` of {value.dtype} in {items.dtype} with `nulls_equal` {value_text(nulls_equal)} is translated only for literal lists of that dtype")
    if not dtypes.is_of(value.dtype, *dtypes.NUMBERS, pl.Boolean, pl.String, pl.Date, pl.Enum, pl.Categorical):
        raise unsupported(one, arguments)
    if items.literal is None:
        unknown = ir.null(ir.bool_)
        return rowwise(one.dtype, lambda node, found: ir.select(ir.or_(ir.is_null(node), ir.is_null(found)), unknown, ir.list_contains(found, node)), value, items)
    given = list(items.literal[0])
    if dtypes.is_of(value.dtype, pl.Enum, pl.Categorical):
        codes = [None if item is None else code_of(item, value.dtype) for item in given]
        if None in [code for code, item in zip(codes, given, strict=True) if item is not None]:
            raise Refused(f"`is_in` of {value.dtype} in a list with a text that is no category is not translated")
        given = codes
    kind = dtypes.type_of(value.dtype)
    known = [item for item in given if item is not None]
    has_null = len(known) < len(given)

    def make(node: Node) -> Node:
        # A null in the list is no reason for a null in the result: what is not found is not there.
        found = ir.is_in(node, *(ir.const(item, kind) for item in known), nulls="equal") if known else ir.const(False)
        if nulls_equal:
            return ir.or_(found, ir.is_null(node)) if has_null else found
        return ir.select(ir.is_null(node), ir.null(ir.bool_), found)

    return rowwise(one.dtype, make, value)


def literal_of(value: Value, what: str) -> Any:
    """What a literal is; refused where it is computed."""
    if value.literal is None:
        raise Refused(f"{what} that is not a literal is not translated")
    return value.literal[0]
