"""Columns under construction: what a node of the plan computes for each row, before it stands in a body of the graph.

A value is made of other values of the same row, of a column, or of a fold: what is computed over many rows at once, a sum or a rank. Folds are placed before
the row that uses them, so that everything else is a function of one row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.ir import SortWord
from airloom.polars import dtypes
from airloom.polars.refusals import Refused


@dataclass(eq=False, slots=True)
class Value:
    """A value for each row; where it is `single`, the same for all of them, so that a frame of single values has one row."""

    dtype: pl.DataType
    single: bool
    #: Makes the node from those of the arguments.
    make: Callable[..., Node] | None = None
    arguments: tuple[Value, ...] = ()
    column: str | None = None
    fold: Fold | None = None
    #: Of a literal, what it is; as a tuple, since it may be None.
    literal: tuple[Any] | None = None
    #: Where only some rows have a value at all, as after `filter`: which. In the end only aggregates take such values.
    mask: Mask | None = None


@dataclass(eq=False, slots=True)
class Mask:
    """Which rows a column still has. Values of one mask are of the same rows."""

    keep: Value
    #: Whether the first and the last row are among them, where there are rows at all.
    first: bool = False
    last: bool = False
    #: Where it keeps rows by their position among those taken together: from which on, counted from the end where it is negative, and how many.
    span: tuple[int, int] | None = None


@dataclass(eq=False, slots=True)
class Over:
    """The rows that a fold takes together, and in which order: all of them, in their order, where there are no keys."""

    keys: tuple[Value, ...] = ()
    order: tuple[Value, ...] = ()
    by: tuple[SortWord, ...] = ()
    #: Where each row has rows of its own around it: which.
    windows: Windows | None = None


@dataclass(eq=False, slots=True)
class Windows:
    """A window of rows for each row, by a column that is in order: `bounds` makes of its array where windows begin, and where they end."""

    index: Value
    bounds: Callable[[Node], tuple[Node, Node]]


#: All rows of a frame.
WHOLE = Over()


@dataclass(eq=False, slots=True)
class Fold:
    """What is computed over the rows of `over` from arrays of the operands: one value where it `reduces`, else one for each row."""

    over: Over
    operands: tuple[Value, ...]
    make: Callable[..., Node]
    reduces: bool
    #: An array that stands beside the rows, and must be as long as they are: then nothing is computed.
    beside: Node | None = None


def column(name: str, dtype: pl.DataType) -> Value:
    """A column of the relation that is read."""
    return Value(dtype, False, column=name)


def literal(value: Any, dtype: pl.DataType) -> Value:
    """A value that is written in the query."""
    kind = dtypes.type_of(dtype)

    def make() -> Node:
        return ir.null(kind) if value is None else ir.const(value, kind)

    return Value(dtype, True, make, literal=(value,))


def rowwise(dtype: pl.DataType, make: Callable[..., Node], *arguments: Value) -> Value:
    """A function of values of the same row."""
    columns = [argument for argument in arguments if not argument.single]
    for one in arguments:
        if one.single and one.mask is not None:
            raise Refused("a function of one value that `filter` keeps or not is not translated")
    mask = columns[0].mask if columns else None
    for one in columns:
        if one.mask is not mask:
            raise Refused("a function of columns that `filter`, `drop_nulls` or `slice` made shorter, each in its own way, is not translated")
    return Value(dtype, not columns, make, arguments, mask=mask)


def folded(dtype: pl.DataType, over: Over, make: Callable[..., Node], *operands: Value, reduces: bool = True) -> Value:
    """A value that is computed over many rows. To Polars one value for all rows is a column of one row, whatever the rows around it are."""
    if operands and all(operand.single for operand in operands):
        return rowwise(dtype, lambda *nodes: _over_one(make, nodes, reduces), *operands)
    if any(operand.single for operand in operands):
        raise Refused("a function over rows of a column and of a value that is the same for all of them is not translated")
    if over.windows is not None:
        if not reduces or len(operands) > 1:
            raise Refused("in windows around each row only aggregates of one column are translated")
        if any(fold.over.windows is not None for fold in outer_folds(operands)):
            raise Refused("an aggregate of aggregates in windows around each row is not translated")
    return Value(dtype, reduces, fold=Fold(over, operands, make, reduces))


def _over_one(make: Callable[..., Node], nodes: Sequence[Node], reduces: bool) -> Node:
    """What is computed over arrays of one element each."""
    made = make(*(ir.list_array(ir.list_of(node, element=node.type)) for node in nodes))
    return made if reduces else ir.at(made, 0)


def beside(dtype: pl.DataType, array: Node) -> Value:
    """An array of values, one for each row of a frame."""
    return Value(dtype, False, fold=Fold(WHOLE, (), lambda rows: array, False, array))


#: Where folds have been placed: the name of a field, or a node that is the same for all rows.
Placed = Mapping[Fold, str | Node]


def emit(values: Iterable[Value], row: Node | None, placed: Placed) -> list[Node]:
    """The nodes of values in a body that sees a row; what they share is made once."""
    wanted = list(values)
    if all(value.column is not None for value in wanted):
        return [_field(row, value.column) for value in wanted if value.column is not None]
    made: dict[int, Node] = {}
    stack: list[tuple[Value, bool]] = [(value, False) for value in reversed(wanted)]
    while stack:
        value, opened = stack.pop()
        if id(value) in made:
            continue
        if value.column is not None:
            made[id(value)] = _field(row, value.column)
        elif value.fold is not None:
            where = placed[value.fold]
            made[id(value)] = _field(row, where) if isinstance(where, str) else where
        elif opened or not value.arguments:
            assert value.make is not None
            made[id(value)] = value.make(*(made[id(argument)] for argument in value.arguments))
        else:
            stack.append((value, True))
            stack.extend((argument, False) for argument in reversed(value.arguments))
    return [made[id(value)] for value in wanted]


def _field(row: Node | None, name: str) -> Node:
    assert row is not None, "a body without a row reads no column"
    return ir.get(row, name)


def outer_folds(values: Sequence[Value]) -> list[Fold]:
    """The folds that values are made of, without those that these folds are made of."""
    if all(value.fold is None and not value.arguments for value in values):
        return []
    found: dict[Fold, None] = {}
    seen: set[int] = set()
    stack = list(reversed(values))
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if value.fold is not None:
            found[value.fold] = None
        else:
            stack.extend(reversed(value.arguments))
    return list(found)


def own_arrays(values: Sequence[Value]) -> list[Node] | None:
    """The arrays that stand beside the rows, where values are made of these alone, and of no column and no number of rows: such values bring their own rows."""
    found: dict[Fold, Node] = {}
    seen: set[int] = set()
    stack = list(values)
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if value.column is not None:
            return None
        stack.extend(value.arguments)
        if value.mask is not None:
            stack.append(value.mask.keep)
        fold = value.fold
        if fold is None:
            continue
        if fold.beside is not None:
            found[fold] = fold.beside
            continue
        if not fold.operands or fold.over.windows is not None:
            return None
        stack.extend((*fold.operands, *fold.over.keys, *fold.over.order))
    return list(found.values()) or None


def by_level(values: Sequence[Value]) -> list[list[Fold]]:
    """All folds that values are made of, those of one level at a time: a fold is made of folds of lower levels only."""
    outer = outer_folds(values)
    if not outer:
        return []
    levels: dict[Fold, int] = {}
    stack: list[tuple[Fold, bool]] = [(fold, False) for fold in reversed(outer)]
    while stack:
        fold, opened = stack.pop()
        if fold in levels:
            continue
        index = [] if fold.over.windows is None else [fold.over.windows.index]
        below = outer_folds([*fold.operands, *fold.over.keys, *fold.over.order, *index])
        if opened or not below:
            levels[fold] = 1 + max((levels[one] for one in below), default=-1)
        else:
            stack.append((fold, True))
            stack.extend((one, False) for one in reversed(below))
    return [[fold for fold, level in levels.items() if level == number] for number in range(max(levels.values(), default=-1) + 1)]
