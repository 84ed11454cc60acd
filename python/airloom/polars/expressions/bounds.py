"""Powers, rounding to digits, bounds, and values across the columns of a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, literal, rowwise


@expression("function.pow")
def _power(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    exponent = arguments[1].literal
    if exponent is not None and exponent[0] == 2 and one.dtype == arguments[0].dtype and dtypes.is_of(one.dtype, *dtypes.NUMBERS):
        return rowwise(one.dtype, lambda base: ir.mul(base, base), arguments[0])
    if dtypes.is_of(one.dtype, pl.Float64) and all(dtypes.is_of(argument.dtype, *dtypes.NUMBERS) for argument in arguments) and exponent is not None and exponent[0] is not None:
        power = float(exponent[0])
        if power == 0.5:
            return rowwise(one.dtype, lambda base: ir.sqrt(_wide(base)), arguments[0])
        if power in (3, 4):
            return rowwise(one.dtype, lambda base: _times(_wide(base), int(power)), arguments[0])
        if 4 < power < 10 and power == int(power):
            # Polars multiplies as often as its compiler likes best.
            raise Refused(f"`pow` with the exponent {value_text(exponent[0])} is not translated")
        return rowwise(one.dtype, lambda base: ir.pow(_wide(base), ir.const(power)), arguments[0])
    if one.dtype == arguments[0].dtype and all(dtypes.is_of(argument.dtype, *dtypes.INTEGERS) for argument in arguments):
        # Exponents that are negative, or beyond 32 bits, are an error of Polars': the program fails.
        kind = dtypes.type_of(one.dtype)
        return rowwise(one.dtype, lambda base, power: ir.pow(base, ir.cast(ir.cast(power, ir.u32), kind)), *arguments)
    raise Refused(f"`pow` of {arguments[0].dtype} with {'an exponent of dtype ' + str(arguments[1].dtype) if exponent is None else 'the exponent ' + value_text(exponent[0])} is not translated")


def _times(base: Node, count: int) -> Node:
    made = base
    for _ in range(count - 1):
        made = ir.mul(made, base)
    return made


def _wide(node: Node) -> Node:
    return node if node.type.required == ir.f64 else ir.cast(node, ir.f64)


_ROUNDED: dict[str, Callable[[Node], Node]] = {
    "half_to_even": lambda value: ir.round(value, half="half_even"),
    "half_away_from_zero": lambda value: ir.round(value, half="half_away"),
    "to_zero": ir.trunc,
}


@expression("function.round", "function.truncate")
def _round(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    digits, mode = one.parameters if one.name == "function.round" else (*one.parameters, "to_zero")
    # Greater powers of ten are no floats, and Polars makes them in its own way.
    if mode not in _ROUNDED or digits > 22:
        raise Refused(f"`round` to {digits} digits with `mode` {value_text(mode)} is not translated")
    if dtypes.is_of(one.dtype, *dtypes.INTEGERS) and one.dtype == arguments[0].dtype:
        return arguments[0]
    if one.dtype != arguments[0].dtype or not dtypes.is_of(one.dtype, *dtypes.FLOATS):
        raise unsupported(one, arguments)
    if digits == 0:
        return rowwise(one.dtype, _ROUNDED[mode], arguments[0])
    scale = float(10**digits)

    def make(given: Node) -> Node:
        # Floats of 32 bits are rounded as wider ones, and then to their own digits.
        made = ir.div(_ROUNDED[mode](ir.mul(_wide(given), ir.const(scale))), ir.const(scale))
        made = made if given.type.required == ir.f64 else ir.cast(made, ir.f32)
        # What is too great for that stays as it is.
        return ir.select(ir.is_finite(made), made, given)

    return rowwise(one.dtype, make, arguments[0])


@expression("function.clip")
def _clip(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    has_low, has_high = one.parameters
    if not dtypes.is_of(one.dtype, *dtypes.NUMBERS, pl.Date, pl.Datetime, pl.Duration) or arguments[0].dtype != one.dtype:
        raise unsupported(one, arguments)
    bounds = [_bound(argument, one.dtype) if argument.literal is not None or argument.dtype != one.dtype else argument for argument in arguments[1:]]
    low = bounds[0] if has_low else None
    high = bounds[-1] if has_high else None
    if low is not None and high is not None and low.literal is not None and high.literal is not None and low.literal[0] > high.literal[0]:
        raise Refused("`clip` with a lower bound above the upper one is not translated")
    values = [bound for bound in (low, high) if bound is not None]

    def make(value: Node, *given: Node) -> Node:
        # NaN is within all bounds, and a null is no bound. What is below the lower bound becomes that, even where the upper one is less.
        made = ir.select(ir.gt(value, given[-1]), given[-1], value) if high is not None else value
        return ir.select(ir.lt(value, given[0]), given[0], made) if low is not None else made

    return rowwise(one.dtype, make, arguments[0], *values)


def _bound(value: Value, dtype: pl.DataType) -> Value:
    """A literal bound in the dtype of what it bounds."""
    if value.literal is None or value.literal[0] is None:
        raise Refused("`clip` by a bound that is not a literal, or null, is not translated")
    if value.dtype == dtype:
        return value
    given = value.literal[0]
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not dtypes.is_of(dtype, *dtypes.NUMBERS):
        raise Refused(f"`clip` of {dtype} by a bound of dtype {value.dtype} is not translated")
    if dtypes.is_of(dtype, *dtypes.FLOATS):
        return literal(float(given), dtype)
    if not isinstance(given, int) or not _holds(dtype, given):
        raise Refused(f"`clip` of {dtype} by {value_text(given)} is not translated")
    return literal(given, dtype)


def _holds(dtype: pl.DataType, number: int) -> bool:
    """Whether a dtype of integers has a number."""
    return bool(pl.Series([number], dtype=pl.Int128).cast(dtype, strict=False).item() == number)


@expression("function.sum_horizontal")
def _sum_horizontal(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (ignore_nulls,) = one.parameters
    if any(argument.dtype != one.dtype for argument in arguments) or not dtypes.is_of(one.dtype, *dtypes.NUMBERS):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)
    zero = 0.0 if dtypes.is_of(one.dtype, *dtypes.FLOATS) else 0

    def make(*values: Node) -> Node:
        known = [ir.coalesce(value, ir.const(zero, kind)) if ignore_nulls else value for value in values]
        return _in_halves(known)

    return rowwise(one.dtype, make, *arguments)


def _in_halves(values: Sequence[Node]) -> Node:
    """A sum of halves, and of their halves, as Polars takes it."""
    made = list(values)
    if len(made) == 1:
        return made[0]
    half = len(made) // 2
    return ir.add(_in_halves(made[:half]), _in_halves(made[half:]))


@expression("function.mean_horizontal")
def _mean_horizontal(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (ignore_nulls,) = one.parameters
    if not ignore_nulls or not dtypes.is_of(one.dtype, pl.Float64) or not all(dtypes.is_of(argument.dtype, *dtypes.NUMBERS) for argument in arguments):
        raise unsupported(one, arguments)

    def make(*values: Node) -> Node:
        total = _in_halves([ir.coalesce(_wide(value), ir.const(0.0)) for value in values])
        count = _in_halves([ir.select(ir.is_null(value), ir.const(0.0), ir.const(1.0)) for value in values])
        return ir.select(ir.eq(count, ir.const(0.0)), ir.null(ir.f64), ir.div(total, count))

    return rowwise(one.dtype, make, *arguments)


@expression("function.min_horizontal", "function.max_horizontal")
def _extreme_horizontal(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if any(argument.dtype != one.dtype for argument in arguments) or not dtypes.is_of(one.dtype, *dtypes.NUMBERS, pl.Date, pl.Datetime, pl.Duration, pl.String):
        raise unsupported(one, arguments)
    least = one.name == "function.min_horizontal"
    floats = dtypes.is_of(one.dtype, *dtypes.FLOATS)
    choose: Callable[[Node, Node], Node] = ir.least if least else ir.greatest
    if floats:
        choose = _least_number if least else _greatest_number

    def make(*values: Node) -> Node:
        best = values[0]
        for value in values[1:]:
            # Nulls are passed over.
            best = ir.coalesce(choose(best, value), best, value)
        return best

    return rowwise(one.dtype, make, *arguments)


def _least_number(left: Node, right: Node) -> Node:
    """The least of two numbers, the second where they are equal, as zeros of both signs are; NaN is passed over where there is another."""
    return ir.select(ir.or_(ir.lt(left, right), ir.is_nan(right)), left, right)


def _greatest_number(left: Node, right: Node) -> Node:
    """The greatest of two numbers, the second where they are equal; NaN is passed over where there is another."""
    return ir.select(ir.or_(ir.gt(left, right), ir.is_nan(right)), left, right)
