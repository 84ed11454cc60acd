"""Moments of one column and of two: skewness, kurtosis, covariance, correlation, entropy."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.expressions.aggregates import known
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, folded, rowwise


def _wide(value: Value) -> Value:
    return rowwise(pl.Float64(), lambda node: node if node.type.required == ir.f64 else ir.cast(node, ir.f64), value)


def _count(array: Node) -> Node:
    """How many elements are not null."""
    return ir.cast(ir.count(array, skip="null"), ir.f64)


def _of_something(count: Node, value: Node) -> Node:
    """A value of some elements. What it is of none depends on which of Polars' engines is asked: the program fails."""
    return fail_where(ir.eq(count, ir.const(0.0)), value, "a statistic of no values")


def _mean(array: Node) -> Node:
    """The mean; that of equal values is their value, which a sum of many of them may miss."""
    least, greatest = ir.min(array, skip="null"), ir.max(array, skip="null")
    return ir.select(ir.is_true(ir.eq(least, greatest)), least, ir.mean(array, skip="null", reassoc=True))


def _unless(wrong: Node, array: Node, reason: str) -> Node:
    """An array, unless something is wrong: then the program stops."""
    return ir.map((array,), lambda element: fail_where(wrong, element, reason))


def _power_mean(array: Node, mean: Node, power: int) -> Node:
    """The mean of a power of distances from the mean."""

    def distance(element: Node) -> Node:
        apart = ir.sub(element, mean)
        made = apart
        for _ in range(power - 1):
            made = ir.mul(made, apart)
        return made

    return ir.mean(ir.map((array,), distance), skip="null", reassoc=True)


@expression("function.skew")
def _skew(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (bias,) = one.parameters
    return _standardized(one, arguments, context, bias, 3, lambda third, second: ir.div(third, ir.mul(second, ir.sqrt(second))))


@expression("function.kurtosis")
def _kurtosis(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    fisher, bias = one.parameters

    def make(fourth: Node, second: Node) -> Node:
        made = ir.div(fourth, ir.mul(second, second))
        return ir.sub(made, ir.const(3.0)) if fisher else made

    return _standardized(one, arguments, context, bias, 4, make)


def _standardized(one: Expression, arguments: Sequence[Value], context: Context, bias: bool, power: int, make: Callable[[Node, Node], Node]) -> Value:
    """What is made of the mean of a power of the distances from the mean, and of the mean of their squares."""
    operand = known(arguments[0])
    if not bias or not dtypes.is_of(operand.dtype, *dtypes.NUMBERS):
        raise Refused(f"`{one.name.partition('.')[2]}` of {operand.dtype} with `bias` {value_text(bias)} is not translated")

    def over(array: Node) -> Node:
        mean = _mean(array)
        # Distances of no more than the last digit of the mean are none to Polars.
        second, digit = _power_mean(array, mean, 2), ir.mul(mean, ir.const(sys.float_info.epsilon))
        none = ir.is_true(ir.le(second, ir.mul(digit, digit)))
        return make(_power_mean(array, mean, power), ir.select(none, ir.const(math.nan), second))

    return folded(one.dtype, context.over, over, _wide(operand))


@expression("function.corr")
def _corr(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    method, *more = one.parameters
    if method not in ("pearson", "covariance", "spearman_rank") or any(not dtypes.is_of(argument.dtype, *dtypes.NUMBERS) for argument in arguments):
        raise Refused(f"`corr` with `method` {value_text(method)} of {' and '.join(str(argument.dtype) for argument in arguments)} is not translated")
    if any(argument.single or argument.mask is not None for argument in arguments) or not dtypes.is_of(one.dtype, pl.Float64):
        raise unsupported(one, arguments)
    unknown = ir.null(ir.f64)
    left, right = (_wide(argument) for argument in arguments)
    # Pairs of which either is null are passed over.
    first = rowwise(pl.Float64(), lambda x, y: ir.select(ir.is_null(y), unknown, x), left, right)
    second = rowwise(pl.Float64(), lambda x, y: ir.select(ir.is_null(x), unknown, y), left, right)

    def make(x: Node, y: Node) -> Node:
        count = _count(x)
        if method == "spearman_rank":
            # How NaN is ranked Polars knows.
            strange = ir.is_true(ir.any(ir.map((x, y), lambda a, b: ir.is_true(ir.or_(ir.is_nan(a), ir.is_nan(b))))))
            x, y = (_unless(strange, ir.rank(array, method="average"), "ranks of NaN in a correlation") for array in (x, y))
        x_mean, y_mean = (ir.mean(array, skip="null", reassoc=True) for array in (x, y))
        products = ir.map((x, y), lambda a, b: ir.mul(ir.sub(a, x_mean), ir.sub(b, y_mean)))
        total = ir.sum(products, skip="null", reassoc=True)
        if method == "covariance":
            freedom = ir.sub(count, ir.const(float(more[0])))
            return ir.select(ir.gt(freedom, ir.const(0.0)), ir.div(total, freedom), unknown)
        squares = [ir.sum(ir.map((array,), lambda a, mean=mean: ir.mul(ir.sub(a, mean), ir.sub(a, mean))), skip="null", reassoc=True) for array, mean in ((x, x_mean), (y, y_mean))]
        return _of_something(count, ir.div(total, ir.sqrt(ir.mul(*squares))))

    return folded(one.dtype, context.over, make, first, second)


@expression("function.entropy")
def _entropy(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    base, normalize = one.parameters
    operand = known(arguments[0])
    if not dtypes.is_of(operand.dtype, pl.Float64) or base <= 0 or base == 1:
        raise unsupported(one, arguments)

    def make(array: Node) -> Node:
        total = ir.sum(array, skip="null", reassoc=True)

        def part(element: Node) -> Node:
            share = ir.div(element, total) if normalize else element
            return ir.mul(share, ir.div(ir.log(share), ir.const(math.log(base))))

        return _of_something(_count(array), ir.neg(ir.sum(ir.map((array,), part), skip="null", reassoc=True)))

    return folded(one.dtype, context.over, make, _wide(operand))
