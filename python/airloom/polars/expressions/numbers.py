"""Arithmetic: Polars' own rules for overflow, division by zero, and dtypes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.dates import between_dates, date_and_duration, duration_and_integer
from airloom.polars.expressions.list_arithmetic import array_and_array, list_and_number, quotient_of_arrays
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.expressions.struct_arithmetic import field_by_field
from airloom.polars.expressions.time_statistics import of_nothing
from airloom.polars.expressions.wide import wide_cast
from airloom.polars.expressions.wide_arithmetic import is_wide, wide_arithmetic, wide_quotient
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, rowwise


def same_dtype(one: Expression, arguments: Sequence[Value]) -> pl.DataType:
    """The dtype that all arguments have. Polars casts them before; where it did not, its rules are not these."""
    first = arguments[0].dtype
    for argument in arguments[1:]:
        if argument.dtype != first:
            raise Refused(f"`{one.name}` of {first} and {argument.dtype} is not translated")
    return first


def unsupported(one: Expression, arguments: Sequence[Value]) -> Refused:
    """Why an expression of these dtypes is left to Polars."""
    return Refused(f"`{one.name}` of {' and '.join(str(argument.dtype) for argument in arguments)} is not translated")


@expression("binary.Plus")
def _plus(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    left, right = (argument.dtype for argument in arguments)
    if dtypes.is_of(left, pl.Datetime) and dtypes.is_of(right, pl.Duration) and one.dtype == left and left.time_unit == right.time_unit:  # type: ignore[attr-defined]
        return rowwise(one.dtype, lambda at, by: ir.dt_add(at, by, overflow="wrap"), *arguments)
    if dtypes.is_of(left, pl.Date) and dtypes.is_of(right, pl.Duration) and dtypes.is_of(one.dtype, pl.Date):
        return date_and_duration(one, arguments, later=True)
    if dtypes.is_of(left, pl.String) and dtypes.is_of(right, pl.String):
        return rowwise(one.dtype, ir.str_concat, *arguments)
    return _arithmetic(one, arguments, context, ir.add)


@expression("binary.Minus")
def _minus(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    left, right = (argument.dtype for argument in arguments)
    if dtypes.is_of(left, pl.Date) and dtypes.is_of(right, pl.Duration) and dtypes.is_of(one.dtype, pl.Date):
        return date_and_duration(one, arguments, later=False)
    if dtypes.is_of(left, pl.Date) and dtypes.is_of(right, pl.Date) and dtypes.is_of(one.dtype, pl.Duration):
        return between_dates(one, arguments)
    if dtypes.is_of(left, pl.Datetime) and left == right and dtypes.is_of(one.dtype, pl.Duration):
        return rowwise(one.dtype, lambda later, earlier: ir.dt_since(later, earlier, overflow="wrap"), *arguments)
    if dtypes.is_of(left, pl.Datetime) and dtypes.is_of(right, pl.Duration) and one.dtype == left and left.time_unit == right.time_unit:  # type: ignore[attr-defined]
        return rowwise(one.dtype, lambda at, by: ir.dt_add(at, ir.neg(by), overflow="wrap"), *arguments)
    return _arithmetic(one, arguments, context, ir.sub)


@expression("binary.Multiply")
def _multiply(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if isinstance(one.dtype, pl.Decimal) and all(isinstance(argument.dtype, pl.Decimal) for argument in arguments):
        # The exact product, rounded to Polars' scale: halves to even.
        kind = dtypes.type_of(one.dtype)
        return rowwise(one.dtype, lambda left, right: ir.cast(ir.mul(left, right), kind), *arguments)
    of_duration = duration_and_integer(one, arguments, ir.mul)
    if of_duration is not None:
        return of_duration
    if not isinstance(one.dtype, (pl.List, pl.Array)) and not dtypes.is_of(same_dtype(one, arguments), *dtypes.NUMBERS, *dtypes.WIDE, pl.Null, pl.Struct):
        raise unsupported(one, arguments)
    return _arithmetic(one, arguments, context, ir.mul)


def _arithmetic(one: Expression, arguments: Sequence[Value], context: Context, make: Callable[..., Node]) -> Value:
    if isinstance(one.dtype, pl.Decimal):
        if any(not isinstance(argument.dtype, pl.Decimal) or argument.dtype.scale != one.dtype.scale for argument in arguments):
            raise unsupported(one, arguments)
        kind = dtypes.type_of(one.dtype)
        return rowwise(one.dtype, lambda left, right: ir.cast(make(left, right), kind), *arguments)
    of_list = list_and_number(one, arguments, make) or array_and_array(one, arguments, make, *dtypes.NUMBERS)
    if of_list is not None:
        return of_list
    same = same_dtype(one, arguments)
    if dtypes.is_of(same, *dtypes.NUMBERS, pl.Duration) and one.dtype == same:
        return rowwise(one.dtype, make, *arguments)
    if is_wide(arguments, one.dtype):
        return wide_arithmetic(one.name.partition(".")[2], arguments, one.dtype)
    other = of_nothing(one, arguments) or field_by_field(one, arguments, context)
    if other is None:
        raise unsupported(one, arguments)
    return other


@expression("binary.TrueDivide")
def _true_divide(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if isinstance(arguments[0].dtype, pl.Duration):
        # Parts of a unit are rounded down.
        of_duration = duration_and_integer(one, arguments, lambda left, right: ir.floordiv(left, right, zero="null"))
        if of_duration is not None:
            return of_duration
    if dtypes.is_of(one.dtype, pl.Float64):
        arguments = [wide_cast(argument, one.dtype, "strict") if dtypes.is_of(argument.dtype, *dtypes.WIDE) else argument for argument in arguments]
    of_arrays = quotient_of_arrays(one, arguments)
    if of_arrays is not None:
        return of_arrays
    if not dtypes.is_of(one.dtype, *dtypes.FLOATS) or not all(dtypes.is_of(argument.dtype, *dtypes.NUMBERS) for argument in arguments):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)
    if _by_one_value(arguments):
        # Polars multiplies by the reciprocal of what is the same for all rows, which may differ from the quotient in the last digit.
        return rowwise(one.dtype, lambda left, right: ir.mul(_as(left, kind), ir.div(ir.const(1.0, kind), _as(right, kind))), *arguments)
    return rowwise(one.dtype, lambda left, right: ir.div(_as(left, kind), _as(right, kind)), *arguments)


def _by_one_value(arguments: Sequence[Value]) -> bool:
    """Whether a column is divided by a value that is the same for all rows."""
    return arguments[1].single and not arguments[0].single


def _check_divisor(one: Expression, arguments: Sequence[Value]) -> None:
    if _by_one_value(arguments) and not _has_exact_reciprocal(arguments[1]):
        # By its reciprocal, where there are several rows: `49.0 // 49.0` is 0.0 then, and 1.0 for one row.
        raise Refused(f"`{one.name}` of floats by a value that is the same for all rows depends in Polars on how many rows there are")


def _has_exact_reciprocal(value: Value) -> bool:
    """Whether a literal is a power of two, so that dividing by it and multiplying by its reciprocal are the same."""
    given = value.literal[0] if value.literal is not None else None
    return isinstance(given, (int, float)) and math.isfinite(given) and abs(math.frexp(given)[0]) == 0.5 and 2.0**-500 < abs(given) < 2.0**500


def _as(node: Node, kind: ir.Type) -> Node:
    return node if node.type.required == kind else ir.cast(node, kind)


@expression("binary.FloorDivide")
def _floor_divide(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    of_arrays = array_and_array(one, arguments, lambda left, right: ir.floordiv(left, right, zero="null"), *dtypes.INTEGERS)
    if of_arrays is not None:
        return of_arrays
    same = same_dtype(one, arguments)
    if dtypes.is_of(same, *dtypes.INTEGERS) and one.dtype == same:
        return rowwise(one.dtype, lambda left, right: ir.floordiv(left, right, zero="null"), *arguments)
    if dtypes.is_of(same, *dtypes.FLOATS) and one.dtype == same:
        _check_divisor(one, arguments)
        return rowwise(one.dtype, lambda left, right: ir.floor(ir.div(left, right)), *arguments)
    if is_wide(arguments, one.dtype):
        return wide_quotient("FloorDivide", arguments, one.dtype)
    other = field_by_field(one, arguments, context)
    if other is None:
        raise unsupported(one, arguments)
    return other


@expression("binary.Divide")
def _divide(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    """The division of SQL: of integers it is rounded down."""
    return _true_divide(one, arguments, context) if dtypes.is_of(one.dtype, *dtypes.FLOATS) else _floor_divide(one, arguments, context)


@expression("function.trunc_int_div")
def _truncated_quotient(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if not dtypes.is_of(same_dtype(one, arguments), *dtypes.INTEGERS) or one.dtype != arguments[0].dtype:
        raise unsupported(one, arguments)
    return rowwise(one.dtype, lambda left, right: ir.truncdiv(left, right, zero="null"), *arguments)


@expression("binary.Modulus")
def _modulus(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    of_arrays = array_and_array(one, arguments, lambda left, right: ir.floormod(left, right, zero="null"), *dtypes.INTEGERS)
    if of_arrays is not None:
        return of_arrays
    same = same_dtype(one, arguments)
    if dtypes.is_of(same, *dtypes.INTEGERS) and one.dtype == same:
        return rowwise(one.dtype, lambda left, right: ir.floormod(left, right, zero="null"), *arguments)
    if dtypes.is_of(same, *dtypes.FLOATS) and one.dtype == same:
        _check_divisor(one, arguments)
        # What is left when the quotient is rounded down, each step rounded as Polars rounds it.
        return rowwise(one.dtype, lambda left, right: ir.sub(left, ir.mul(ir.floor(ir.div(left, right)), right)), *arguments)
    if is_wide(arguments, one.dtype):
        return wide_quotient("Modulus", arguments, one.dtype)
    other = of_nothing(one, arguments) or field_by_field(one, arguments, context)
    if other is None:
        raise unsupported(one, arguments)
    return other


@expression("function.fused")
def _fused(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    word = one.parameters[0]
    if not dtypes.is_of(same_dtype(one, arguments), *dtypes.NUMBERS) or word not in _FUSED:
        raise Refused(f"`{one.name}` {value_text(word)} of {arguments[0].dtype} is not translated")
    return rowwise(one.dtype, _FUSED[word], *arguments)


#: A product and a sum in one step; each is rounded, as it is where they stand alone.
_FUSED: dict[str, Callable[..., Node]] = {
    "fma": lambda a, b, c: ir.add(ir.mul(a, b), c),
    "fsm": lambda a, b, c: ir.sub(a, ir.mul(b, c)),
    "fms": lambda a, b, c: ir.sub(ir.mul(a, b), c),
}


@expression("function.negate")
def _negate(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    return _one_number(one, arguments, ir.neg, *dtypes.SIGNED, *dtypes.FLOATS, pl.Duration)


@expression("function.abs")
def _absolute(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if isinstance(one.dtype, pl.Duration) and arguments[0].dtype == one.dtype:
        kind = dtypes.type_of(one.dtype)
        return rowwise(one.dtype, lambda node: ir.cast(ir.abs(ir.cast(node, ir.i64)), kind), arguments[0])
    return _one_number(one, arguments, ir.abs, *dtypes.SIGNED, *dtypes.FLOATS)


@expression("function.floor", "function.ceil")
def _float_function(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if dtypes.is_of(one.dtype, *dtypes.INTEGERS) and one.dtype == arguments[0].dtype:
        return arguments[0]
    makes = {"function.floor": ir.floor, "function.ceil": ir.ceil}
    return _one_number(one, arguments, makes[one.name], *dtypes.FLOATS)


@expression("function.sign")
def _sign(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if dtypes.is_of(arguments[0].dtype, *dtypes.FLOATS):
        return _one_number(one, arguments, _sign_of_float, *dtypes.FLOATS)
    return _one_number(one, arguments, ir.sign, *dtypes.SIGNED)


def _sign_of_float(value: Node) -> Node:
    """NaN and zeros of both signs are their own signs."""
    kind = value.type.required
    sign = ir.select(ir.gt(value, ir.const(0.0, kind)), ir.const(1.0, kind), ir.const(-1.0, kind))
    return ir.select(ir.or_(ir.is_null(value), ir.or_(ir.is_nan(value), ir.eq(value, ir.const(0.0, kind)))), value, sign)


def _one_number(one: Expression, arguments: Sequence[Value], make: Callable[..., Node], *classes: type[pl.DataType]) -> Value:
    if not dtypes.is_of(arguments[0].dtype, *classes) or arguments[0].dtype != one.dtype:
        raise unsupported(one, arguments)
    return rowwise(one.dtype, make, arguments[0])
