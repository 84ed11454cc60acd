"""Columns in order, positions in them, and rows chosen by another column."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.ir import SortWord
from airloom.polars import dtypes
from airloom.polars.expressions.categories import ordered
from airloom.polars.expressions.logic import COMPARED, is_same, literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.expressions.sequences import sequence
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused
from airloom.polars.values import WHOLE, Value, folded, rowwise


def sort_word(descending: bool, nulls_last: bool) -> SortWord:
    """How the graph names an order."""
    words: dict[tuple[bool, bool], SortWord] = {(False, False): "asc.first", (False, True): "asc.last", (True, False): "desc.first", (True, True): "desc.last"}
    return words[descending, nulls_last]


@expression("sort")
def _sort(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    _maintain_order, nulls_last, descending = one.parameters
    if not dtypes.is_of(arguments[0].dtype, *COMPARED, pl.Categorical):
        raise unsupported(one, arguments)
    if dtypes.is_of(arguments[0].dtype, pl.Categorical):
        return sequence(one, context, lambda array, texts: ir.take(array, ir.argsort(texts, [sort_word(descending, nulls_last)])), arguments[0], ordered(arguments[0]))
    return sequence(one, context, lambda array: ir.arr_sort(array, [sort_word(descending, nulls_last)]), arguments[0])


@expression("sort_by")
def _sort_by(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    _maintain_order, nulls_last, descending = one.parameters
    keys = [ordered(key) for key in arguments[1:]]
    if any(not dtypes.is_of(key.dtype, *COMPARED) for key in keys):
        raise unsupported(one, arguments)
    descending = list(descending) * (len(keys) if len(descending) == 1 else 1)
    nulls_last = list(nulls_last) * (len(keys) if len(nulls_last) == 1 else 1)
    if len(descending) != len(keys) or len(nulls_last) != len(keys):
        raise Refused(f"`sort_by` {len(keys)} keys with {len(descending)} of `descending` and {len(nulls_last)} of `nulls_last` is not translated")
    words = [sort_word(*pair) for pair in zip(descending, nulls_last, strict=True)]

    def make(array: Node, *by: Node) -> Node:
        # By the last key first: each further order is stable.
        order = ir.argsort(by[-1], [words[-1]])
        for key, word in zip(reversed(by[:-1]), reversed(words[:-1]), strict=True):
            order = ir.take(order, ir.argsort(ir.take(key, order), [word]))
        return ir.take(array, order)

    return sequence(one, context, make, arguments[0], *keys)


@expression("function.arg_sort")
def _arg_sort(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    descending, nulls_last = one.parameters
    if not dtypes.is_of(arguments[0].dtype, *COMPARED, pl.Categorical):
        raise unsupported(one, arguments)
    return sequence(one, context, lambda array: ir.argsort(array, [sort_word(descending, nulls_last)]), ordered(arguments[0]))


@expression("function.index_of")
def _index_of(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = arguments[0]
    wanted = literal_of(arguments[1], "`index_of` a value")
    if value.mask is not None or not dtypes.is_equated(value.dtype) or (wanted is not None and arguments[1].dtype != value.dtype):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)
    element = dtypes.type_of(value.dtype)

    def make(array: Node) -> Node:
        item = ir.null(element) if wanted is None else arguments[1].make()  # type: ignore[misc]
        positions = ir.map((array, ir.row_number(array)), lambda each, at: ir.select(is_same(value.dtype, each, item), at, ir.null(ir.i64)))
        return ir.cast(ir.min(positions, skip="null"), kind, mode="wrap")

    return folded(one.dtype, context.over, make, value)


@expression("function.shuffle")
def _shuffle(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (seed,) = one.parameters
    if seed is not None:
        raise Refused("`shuffle` with a `seed` is not translated: which order a seed stands for Polars knows")
    if arguments[0].single:
        return arguments[0]
    # As random as Polars is, and the same again where `pl.set_random_seed` was called before.
    drawn = pl.Series(range(2**16)).sample(2).to_list()
    # Rows have numbers of the whole frame, so that no two groups are put in the same order.
    number = folded(pl.Int64(), WHOLE, ir.row_number, reduces=False)
    key = rowwise(pl.UInt64(), lambda at: ir.hash(at, seed=drawn[0] * 2**16 + drawn[1]), number)
    return sequence(one, context, lambda array, keys: ir.take(array, ir.argsort(keys, ["asc.first"])), arguments[0], key)
