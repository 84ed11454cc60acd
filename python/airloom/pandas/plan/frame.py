"""Frames and vectors: columns and labels over rows, as pandas would have them, before anything is computed."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import pandas

from airloom import ir
from airloom.pandas.dtypes import types
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.recipe import Recipe, Snapshot, column_at
from airloom.pandas.plan.rows import Addition, DataSlot, Filtered, Projected, Rows, Sliced, space_of
from airloom.pandas.refusals import Refused


class Question:
    """A question about rows, answered when somebody needs to know: whether an expression is true for any of them."""

    __slots__ = ("answer", "expression", "rows")

    def __init__(self, rows: Rows, expression: Expression) -> None:
        self.rows = rows
        self.expression = expression
        self.answer: bool | None = None


class DeferredDtype:
    """A dtype that depends on the data: `widened` where the test is true, else `plain`. As integers beside a row without a partner become floats.

    With `wide` the values stand in the widened dtype, and go back to the plain one: as sums of narrow integers do, where all of them fit. `missing` is what stands
    for what is missing where the widened dtype is that of objects.
    """

    __slots__ = ("missing", "plain", "test", "wide", "widened")

    def __init__(self, plain: Any, widened: Any, test: Question, *, wide: bool = False, missing: Any = float("nan")) -> None:
        self.plain = plain
        self.widened = widened
        self.test = test
        self.wide = wide
        self.missing = missing


class ObjectView:
    """Objects of Python that are values of a dtype: what they are, and what stands where one is missing (as the dtype itself has it, unless said)."""

    __slots__ = ("dtype", "missing")

    def __init__(self, dtype: Any, missing: Any = ...) -> None:
        self.dtype = dtype
        self.missing = missing


class Column:
    """One column: its values, its dtype, and, where only positions of values go through the engine, what pandas holds.

    With `shown` the dtype is that of objects, and the values are of another, of which the objects are made in the end. With `copied` it is a copy: an object that is
    made of it has memory of its own.
    """

    __slots__ = ("copied", "dtype", "expression", "held", "shown")

    def __init__(self, expression: Expression, dtype: Any, held: Any = None, shown: ObjectView | None = None, *, copied: bool = False) -> None:
        self.expression = expression
        self.dtype = dtype
        self.held = held
        self.shown = shown
        self.copied = copied

    @property
    def unsupported(self) -> bool:
        """Whether operations that know dtypes cannot look into it."""
        return self.held is not None or self.shown is not None

    @property
    def by_position(self) -> bool:
        """Whether the engine knows only which value stands where."""
        return self.held is not None

    def at(self, expression: Expression) -> Column:
        """The same kind of column with other values."""
        return Column(expression, self.dtype, self.held, self.shown)

    def copy(self) -> Column:
        """A copy of it."""
        return Column(self.expression, self.dtype, self.held, self.shown, copied=True)

    def unwrapped(self) -> Column:
        """The values themselves, where they are shown as objects."""
        return self if self.shown is None else Column(self.expression, self.shown.dtype)


class RangeLabels:
    """Labels that count rows: pandas' `RangeIndex`. `identity` is what views of it have in common, as pandas has it: of labels that are one object it asks but once."""

    __slots__ = ("identity", "name", "start", "step")

    def __init__(self, start: int = 0, step: int = 1, name: Hashable = None, identity: Any = None) -> None:
        self.start = start
        self.step = step
        self.name = name
        self.identity = object() if identity is None else identity

    @property
    def names(self) -> tuple[Hashable, ...]:
        return (self.name,)

    def renamed(self, names: Sequence[Hashable]) -> RangeLabels:
        return RangeLabels(self.start, self.step, names[0], self.identity)


class Counted:
    """What labels count: rows, from the label of the first of them on, by steps."""

    __slots__ = ("origin", "start", "step")

    def __init__(self, origin: Rows, start: int, step: int) -> None:
        self.origin = origin
        self.start = start
        self.step = step


class ColumnLabels:
    """Labels that are columns, one for each level.

    `ranged` are the rows at which pandas looked whether labels are evenly spaced, and so are a `RangeIndex`; empty where it never did. At the first of them, with
    `numbers`, they came from a column of integers, and otherwise from a range.
    `made` are the labels themselves, where they are known: pandas' own object, with all that it knows. `origin` are labels of pandas' and the positions in them
    that these were taken from: taking them gives all that pandas gives. Those with a frequency are looked at for even spacing too.
    `counting` is the level, among several, that was taken from a range: it is one still where its labels are evenly spaced, and were at `ranged`.
    `counted` is what labels count, where rows that counted were filtered, sorted or cut.
    `grouped` tells, of labels that are keys of groups, whether levels are sorted, and whether what is missing is none of their labels; none of others. `groups` are the rows and labels
    that had several levels first, where these are some of them: rows that are left out or moved leave levels as they are, and pandas unstacks in another order where
    a level has values that are no labels any more. `levels` are those of the first, once they are known.
    """

    __slots__ = ("columns", "counted", "counting", "grouped", "groups", "levels", "made", "names", "numbers", "origin", "ranged")

    def __init__(
        self,
        columns: Sequence[Column],
        names: Sequence[Hashable],
        ranged: Sequence[Rows] = (),
        made: pandas.Index | None = None,
        origin: tuple[pandas.Index, Expression] | None = None,
        numbers: bool = False,
        counting: int | None = None,
        grouped: tuple[bool, bool] | None = None,
        counted: Counted | None = None,
        groups: tuple[Rows, ColumnLabels] | None = None,
    ) -> None:
        self.columns = tuple(columns)
        self.grouped = grouped
        self.groups = groups
        self.levels: Sequence[pandas.Index] | None = None
        self.counted = counted
        self.counting = counting
        self.names = tuple(names)
        self.ranged = tuple(ranged)
        self.made = made
        self.origin = origin
        self.numbers = numbers

    def renamed(self, names: Sequence[Hashable]) -> ColumnLabels:
        made = None if self.made is None else self.made.set_names(list(names))
        origin = None if self.origin is None else (self.origin[0].set_names(list(names)), self.origin[1])
        return ColumnLabels(self.columns, names, self.ranged, made, origin, self.numbers, self.counting, self.grouped, self.counted, self.groups)


Index = RangeLabels | ColumnLabels


class Frame:
    """A table: columns over the same rows, their labels, and the index labels."""

    __slots__ = ("columns", "index", "labels", "recipe", "rows")

    def __init__(self, rows: Rows, columns: Sequence[Column], labels: pandas.Index, index: Index) -> None:
        #: How pandas makes it, where an operation made it.
        self.recipe: Recipe | None = None
        self.rows = rows
        self.columns = tuple(columns)
        self.labels = labels
        self.index = index

    def with_columns(self, columns: Sequence[Column], labels: pandas.Index | None = None, rows: Rows | None = None) -> Frame:
        """Other columns over the same rows."""
        return Frame(self.rows if rows is None else rows, columns, self.labels if labels is None else labels, self.index)

    def position(self, label: Hashable) -> int:
        """Where the one column of a label stands; refused where there are several or it is not a plain label."""
        found = self.labels.get_loc(label)
        if not isinstance(found, int):
            raise Refused("duplicate column labels")
        return found

    def column(self, label: Hashable) -> Column:
        return self.columns[self.position(label)]

    def vector(self, position: int) -> Vector:
        """One column by itself."""
        made = Vector(self.rows, self.columns[position], self.labels[position], self.index)
        if self.recipe is not None:
            made.recipe = Recipe("DataFrame.__getitem__", column_at, Snapshot(self), (position,))
        return made

    def moved(self, make: Callable[[Rows], Rows], *, ranges: bool = True) -> Frame:
        """The same columns over some of the rows, or over rows in another order: `make` says which."""
        rows, columns, index = moved(self.rows, self.columns, self.index, make, ranges)
        return Frame(rows, columns, self.labels, index)

    def filtered(self, predicate: Expression) -> Frame:
        return self.moved(lambda rows: Filtered(rows, predicate))

    def sliced(self, offset: int, length: int | None) -> Frame:
        rows, columns, index = sliced(self.rows, self.columns, self.index, offset, length)
        return Frame(rows, columns, self.labels, index)


class Vector:
    """A column by itself, with its name and the labels of its rows."""

    __slots__ = ("column", "index", "name", "recipe", "rows")

    def __init__(self, rows: Rows, column: Column, name: Hashable, index: Index) -> None:
        #: How pandas makes it, where an operation made it.
        self.recipe: Recipe | None = None
        self.rows = rows
        self.column = column
        self.name = name
        self.index = index

    @property
    def dtype(self) -> Any:
        return self.column.dtype

    @property
    def expression(self) -> Expression:
        return self.column.expression

    def with_column(self, expression: Expression, dtype: Any, rows: Rows | None = None) -> Vector:
        """Other values over the same rows."""
        return Vector(self.rows if rows is None else rows, Column(expression, dtype), self.name, self.index)

    def named(self, name: Hashable) -> Vector:
        made = Vector(self.rows, self.column, name, self.index)
        made.recipe = self.recipe
        return made

    def moved(self, make: Callable[[Rows], Rows], *, ranges: bool = True) -> Vector:
        rows, (column,), index = moved(self.rows, (self.column,), self.index, make, ranges)
        return Vector(rows, column, self.name, index)

    def filtered(self, predicate: Expression, *, by_mask: bool = False) -> Vector:
        return self.moved(lambda rows: Filtered(rows, predicate, by_mask=by_mask))

    def sliced(self, offset: int, length: int | None) -> Vector:
        rows, (column,), index = sliced(self.rows, (self.column,), self.index, offset, length)
        return Vector(rows, column, self.name, index)

    def framed(self, label: Hashable) -> Frame:
        """A frame of this one column."""
        return Frame(self.rows, (self.column,), pandas.Index([label]), self.index)


def label_columns(rows: Rows, index: Index) -> tuple[Column, ...]:
    """The index labels as columns."""
    if isinstance(index, ColumnLabels):
        return index.columns
    position = Ref(space_of(rows).position)
    labels: Expression = position
    if index.step != 1:
        labels = call("mul", labels, Literal(index.step, ir.i64))
    if index.start != 0:
        labels = call("add", labels, Literal(index.start, ir.i64))
    return (Column(labels, types.INT64),)


def evaluate_windows(rows: Rows, columns: Iterable[Column]) -> tuple[Rows, list[Column]]:
    """The same columns, computed here where they look at other rows: above, those may be gone."""
    columns = list(columns)
    fresh: dict[Slot, Expression] = {}
    made: dict[int, Slot] = {}
    for at, column in enumerate(columns):
        if column.expression.windowed:
            slot = made.get(id(column.expression))
            if slot is None:
                slot = made[id(column.expression)] = Slot("value")
                fresh[slot] = column.expression
            columns[at] = column.at(Ref(slot))
    return (Projected(rows, fresh) if fresh else rows), columns


#: Expressions within expressions to this depth are computed in one piece; beyond, what they are made of is a column first. Programs made by loops are deep, and each
#: expression says which slots it reads.
DEEPEST = 40
_DEPTH = operator.attrgetter("expression.depth")


def shallow(plan: Any) -> Any:
    """The same plan without expressions that are very deep."""
    if isinstance(plan, Vector):
        if plan.column.expression.depth <= DEEPEST:
            return plan
        slot = Slot("value")
        made: Any = Vector(Projected(plan.rows, {slot: plan.column.expression}), plan.column.at(Ref(slot)), plan.name, plan.index)
        made.recipe = plan.recipe
        return made
    if not isinstance(plan, Frame) or max(map(_DEPTH, plan.columns), default=0) <= DEEPEST:
        return plan
    fresh: dict[Slot, Expression] = {}
    columns = []
    for column in plan.columns:
        if column.expression.depth > DEEPEST:
            slot = Slot("value")
            fresh[slot] = column.expression
            column = column.at(Ref(slot))
        columns.append(column)
    made = Frame(Projected(plan.rows, fresh), columns, plan.labels, plan.index)
    made.recipe = plan.recipe
    return made


def moved(
    rows: Rows, columns: Sequence[Column], index: Index, make: Callable[[Rows], Rows], ranges: bool
) -> tuple[Rows, list[Column], Index]:
    """Columns and labels over other rows, made of these."""
    keys = label_columns(rows, index)
    base, together = evaluate_windows(rows, [*columns, *keys])
    above = make(base)
    steps: tuple[Rows, ...] = ()
    origin, numbers, groups = None, False, None
    if isinstance(index, RangeLabels):
        steps = (above,)
        counted: Counted | None = Counted(space_of(rows), index.start, index.step)
    else:
        origin, numbers, counted = index.origin, index.numbers, index.counted
        groups = (rows, index) if len(index.columns) > 1 and index.groups is None and index.made is None else index.groups
        counts = isinstance(index.made, pandas.RangeIndex)
        if counts:
            # Taking from a range looks for even spacing anew, at each of the rows: a single take from the first range would pass over those between.
            origin, numbers = None, False
        elif index.made is not None:
            origin = (index.made, Ref(space_of(rows).position))
        if counts or getattr(index.made, "freq", None) is not None:
            steps = (above,)
        elif index.ranged and index.made is None and len(index.columns) == 1:
            steps = (*index.ranged, above) if ranges else index.ranged
    return above, together[: len(columns)], ColumnLabels(together[len(columns) :], index.names, steps, None, origin, numbers, counted=counted, groups=groups)


def sliced(rows: Rows, columns: Sequence[Column], index: Index, offset: int, length: int | None) -> tuple[Rows, list[Column], Index]:
    """The rows at some positions: labels that count stay so, where it is known from where."""
    if rows.count is not None and offset < 0:
        start = max(rows.count + offset, 0)
        length = length if length is None else max(0, length - max(0, -(rows.count + offset)))
        offset = start
    if isinstance(index, RangeLabels) and offset >= 0 and not any(column.expression.windowed for column in columns):
        above = Sliced(rows, offset, length)
        above.count = slice_count(rows.count, offset, length)
        # An empty slice of a range counts from where the slice began, but never past the end.
        start = offset if rows.count is None else min(offset, rows.count)
        return above, list(columns), RangeLabels(index.start + index.step * start, index.step, index.name)

    def make(below: Rows) -> Rows:
        above = Sliced(below, offset, length)
        above.count = slice_count(below.count, offset, length)
        return above

    cut, kept, keys = moved(rows, columns, index, make, isinstance(index, RangeLabels))
    if isinstance(index, ColumnLabels) and index.made is not None and offset >= 0:
        assert isinstance(keys, ColumnLabels)
        keys.made = index.made[offset : None if length is None else offset + length]
    return cut, kept, keys


def slice_count(count: int | None, offset: int, length: int | None) -> int | None:
    if count is None or offset < 0:
        return None
    left = max(0, count - offset)
    return left if length is None else min(left, length)


def together(first: Rows, second: Rows) -> Rows | None:
    """Rows in which the columns of both can be seen, where both are the same rows, row for row."""
    if first is second:
        return first
    if space_of(first) is not space_of(second):
        return None
    seen = set()
    node = first
    while isinstance(node, Addition):
        seen.add(node)
        node = node.input
    missing = []
    node = second
    while isinstance(node, Addition) and node not in seen:
        missing.append(node)
        node = node.input
    made = first
    for addition in reversed(missing):
        made = addition.over(made)
    return made


def is_data(column: Column) -> bool:
    """Whether a column stands in memory as it is."""
    return isinstance(column.expression, Ref) and isinstance(column.expression.slot, DataSlot)
