"""Windows that move with the rows: over a number of rows, or over a span of a column that is in order; and means in which older rows count less."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.quantiles import quantile
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.expressions.sequences import sequence
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused
from airloom.polars.spans import windows
from airloom.polars.values import Value, folded, rowwise

Reduction = Callable[[Node], Node]


def _reduction(one: Expression, parameters: tuple[object, ...], dtype: pl.DataType) -> Reduction:
    """What is computed of a window, by the last word of the function's name."""
    word = one.name.rpartition(".")[2].removesuffix("By")
    integers = dtypes.is_of(dtype, *dtypes.INTEGERS, pl.Boolean)
    match word:
        case "Sum":
            return lambda array: ir.sum(array, skip="null", reassoc=not integers)
        case "Mean":
            return lambda array: ir.mean(array, skip="null", reassoc=True)
        case "Min" | "Max":
            extreme = ir.min if word == "Min" else ir.max
            return lambda array: extreme(array, skip="null")
        case "Var" | "Std":
            (ddof,) = parameters
            reduce = ir.var if word == "Var" else ir.std
            return lambda array: reduce(array, skip="null", ddof=ddof, reassoc=True)  # type: ignore[arg-type]
        case "Quantile":
            share, interpolation = parameters
            assert isinstance(share, float) and isinstance(interpolation, str)
            return quantile(share, interpolation)
    raise Refused(f"`{one.name}` of {dtype} is not translated")


_WORDS = ("Sum", "Mean", "Min", "Max", "Var", "Std", "Quantile")


@expression(*(f"rolling.{word}" for word in _WORDS))
def _rolling(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    width, least, weights, centred, parameters = one.parameters
    if weights is not None:
        raise Refused(f"`{one.name}` with `weights` is not translated")
    operand, wide = _operand(one, arguments)
    reduce = _reduction(one, tuple(parameters), operand.dtype)
    kind = dtypes.type_of(one.dtype)

    def window(part: Node) -> Node:
        made = reduce(part)
        return made if made.type.required == kind else ir.cast(made, kind, mode="wrap")

    return sequence(one, context, lambda array: ir.rolling(array, ir.const(width), window, min_count=least, centred=centred), wide)


@expression(*(f"rolling_by.{word}By" for word in _WORDS))
def _rolling_by(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    period, least, closed, parameters = one.parameters
    operand, wide = _operand(one, arguments)
    index = arguments[1]
    if not dtypes.is_of(index.dtype, pl.Int32, pl.Int64, pl.Date, pl.Datetime):
        raise unsupported(one, arguments)
    reduce = _reduction(one, tuple(parameters), operand.dtype)
    kind = dtypes.type_of(one.dtype)
    around = windows(index, period, replace(period, negative=True), closed, f"`{one.name}`")

    def window(part: Node) -> Node:
        made = reduce(part)
        return made if made.type.required == kind else ir.cast(made, kind, mode="wrap")

    def make(array: Node, by: Node, known: Node) -> Node:
        ordered = ir.map((by, ir.shift(by, 1, ir.null(ir.i64))), lambda now, last: ir.is_true(ir.ge(now, ir.coalesce(last, now))))
        # Polars sorts what is not in order, and leaves out what is null.
        wrong = ir.not_(ir.and_(ir.all(ordered), ir.all(known)))
        made = ir.windows(array, *around.bounds(by), window, min_count=least)
        return ir.map((made,), lambda element: fail_where(wrong, element, "an index of windows that is null or out of order"))

    known = rowwise(pl.Boolean(), lambda at: ir.not_(ir.is_null(at)), index)
    return sequence(one, context, make, wide, around.index, known)


def _operand(one: Expression, arguments: Sequence[Value]) -> tuple[Value, Value]:
    """The operand, and what windows are taken of: variances and quantiles are computed in `f64`."""
    operand = arguments[0]
    extreme = one.name.rpartition(".")[2].removesuffix("By") in ("Min", "Max")
    if not dtypes.is_of(operand.dtype, *dtypes.NUMBERS) and not (extreme and dtypes.is_of(operand.dtype, pl.Date, pl.Datetime, pl.Duration, pl.Time)):
        raise unsupported(one, arguments)
    if one.name.rpartition(".")[2].removesuffix("By") in ("Mean", "Var", "Std", "Quantile") and not dtypes.is_of(operand.dtype, pl.Float64):
        return operand, rowwise(pl.Float64(), lambda node: ir.cast(node, ir.f64), operand)
    return operand, operand


@expression("ewm.Mean")
def _ewm_mean(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    alpha, adjust, bias, least, ignore_nulls = one.parameters
    if not adjust and not ignore_nulls:
        # Polars weighs what comes after a null in its own way.
        raise Refused("`ewm_mean` with `adjust` False and `ignore_nulls` False is not translated")
    if not dtypes.is_of(arguments[0].dtype, pl.Float64):
        raise unsupported(one, arguments)

    def make(array: Node) -> Node:
        steps = ir.map((array,), lambda _element: ir.const(1.0))
        return ir.decay(array, steps, ir.const(float(alpha)), adjust=adjust, ignore_nulls=ignore_nulls)

    made = sequence(one, context, make, arguments[0])

    count = folded(pl.Int64(), context.over, lambda array: ir.cumcount(array, skip="null"), arguments[0], reduces=False)

    def shown(mean: Node, value: Node, values: Node) -> Node:
        # Where there is no value, or were too few, there is no mean. After an infinity Polars goes on in its own way.
        unknown = ir.or_(ir.is_null(value), ir.lt(values, ir.const(least)))
        return fail_where(ir.is_infinite(value), ir.select(unknown, ir.null(ir.f64), mean), "an infinity in `ewm_mean`")

    return rowwise(one.dtype, shown, made, arguments[0], count)
