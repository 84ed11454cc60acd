"""Functions of numbers that are not arithmetic: logarithms, powers, angles, bits, rounding to digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, rowwise

_OF_FLOATS: dict[str, Callable[[Node], Node]] = {
    "function.exp": ir.exp,
    "function.sqrt": ir.sqrt,
    "function.log1p": ir.log1p,
    "function.cbrt": ir.cbrt,
    "function.sin": ir.sin,
    "function.cos": ir.cos,
    "function.tan": ir.tan,
    "function.arcsin": ir.asin,
    "function.arccos": ir.acos,
    "function.arctan": ir.atan,
    "function.sinh": ir.sinh,
    "function.cosh": ir.cosh,
    "function.tanh": ir.tanh,
    "function.arctanh": ir.atanh,
    "function.arcsinh": ir.asinh,
    "function.arccosh": ir.acosh,
    "function.cot": lambda value: ir.div(ir.const(1.0, value.type.required), ir.tan(value)),
    "function.degrees": lambda value: ir.mul(value, ir.const(180.0 / math.pi, value.type.required)),
    "function.radians": lambda value: ir.mul(value, ir.const(math.pi / 180.0, value.type.required)),
}


@expression(*_OF_FLOATS)
def _of_floats(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    narrow = dtypes.is_of(one.dtype, pl.Float32) and one.dtype == arguments[0].dtype
    if not narrow and (not dtypes.is_of(one.dtype, pl.Float64) or not dtypes.is_of(arguments[0].dtype, *dtypes.NUMBERS)):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)
    return rowwise(one.dtype, lambda value: _OF_FLOATS[one.name](value if value.type.required == kind else ir.cast(value, kind)), arguments[0])


@expression("function.atan2")
def _atan2(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if any(not dtypes.is_of(argument.dtype, pl.Float64) for argument in arguments):
        raise unsupported(one, arguments)
    return rowwise(one.dtype, ir.atan2, *arguments)


@expression("function.reinterpret")
def _reinterpret(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if not all(dtypes.is_of(dtype, *dtypes.INTEGERS) for dtype in (one.dtype, arguments[0].dtype)):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)
    return rowwise(one.dtype, lambda value: ir.cast(value, kind, mode="wrap"), arguments[0])


@expression("function.log")
def _log(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if dtypes.is_of(one.dtype, pl.Float32) and all(dtypes.is_of(argument.dtype, *dtypes.NUMBERS) for argument in arguments):
        return rowwise(one.dtype, lambda *given: ir.div(*(ir.log(node if node.type.required == ir.f32 else ir.cast(node, ir.f32)) for node in given)), *arguments)
    if not dtypes.is_of(one.dtype, pl.Float64) or not all(dtypes.is_of(argument.dtype, *dtypes.NUMBERS) for argument in arguments):
        raise unsupported(one, arguments)
    if arguments[1].literal is not None and arguments[1].literal[0] == math.e:
        return rowwise(one.dtype, lambda value: ir.log(_wide(value)), arguments[0])
    return rowwise(one.dtype, lambda value, base: ir.div(ir.log(_wide(value)), ir.log(_wide(base))), *arguments)


def _wide(value: Node) -> Node:
    return value if value.type.required == ir.f64 else ir.cast(value, ir.f64)


@expression("boolean.IsClose")
def _is_close(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    absolute, relative, nans_equal = one.parameters
    if not all(dtypes.is_of(argument.dtype, pl.Float64, *dtypes.INTEGERS) for argument in arguments):
        raise unsupported(one, arguments)
    if absolute < 0 or not 0 <= relative < 1:
        raise Refused(f"`is_close` with `abs_tol` {value_text(absolute)} and `rel_tol` {value_text(relative)} is not translated")

    def make(one_side: Node, other_side: Node) -> Node:
        left, right = _wide(one_side), _wide(other_side)
        apart = ir.abs(ir.sub(left, right))
        allowed = ir.greatest(ir.mul(ir.const(float(relative)), ir.greatest(ir.abs(left), ir.abs(right))), ir.const(float(absolute)))
        near = ir.or_(ir.eq(left, right), ir.and_(ir.le(apart, allowed), ir.and_(ir.is_finite(left), ir.is_finite(right))))
        return ir.or_(near, ir.and_(ir.is_nan(left), ir.is_nan(right))) if nans_equal else near

    return rowwise(one.dtype, make, *arguments)
