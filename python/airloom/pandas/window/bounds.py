"""Where windows that move along the rows begin and end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from airloom import ir
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, call, fold

#: The keys whose rows windows stay within.
Partition = tuple[Expression, ...]
#: What is made of the elements of a window.
Body = Callable[[Any], Any]


class Bounds(ABC):
    """Where windows begin and end."""

    #: How many elements a window needs, where nobody says.
    minimum: int
    #: Whether positions are those of some rows, and mean nothing along others.
    tied = False

    @abstractmethod
    def positions(self, value: Expression, partition: Partition) -> tuple[Expression, Expression]:
        """The positions at which the window of each row begins, and before which it ends; some lie outside the rows."""

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        """What a body makes of each window: null where there are too few elements."""
        return Over(Fold("arr_windows", (value, *self.positions(value, partition)), (), body, {"min_count": minimum}), partition)


#: More rows than there are.
_ALL = 2**62


class Fixed(Bounds):
    """`n` rows."""

    def __init__(self, width: int, centred: bool, closed: str) -> None:
        self.width = self.minimum = width
        self.centred = centred
        self.closed = closed

    def positions(self, value: Expression, partition: Partition) -> tuple[Expression, Expression]:
        width = min(self.width, _ALL)
        after = 1 + ((width - 1) // 2 if self.centred else 0)
        first = after - width - (self.closed in ("left", "both"))
        last = after - (self.closed in ("left", "neither"))
        position = _position(value, partition)
        return call("add", position, Literal(first, ir.i64)), call("add", position, Literal(last, ir.i64))

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        attributes = {"min_count": minimum, "centred": self.centred, "closed": self.closed}
        return Over(Fold("arr_rolling", (value,), (Literal(self.width, ir.i64),), body, attributes), partition)


class SoFar(Bounds):
    """All rows up to this one."""

    minimum = 1

    def positions(self, value: Expression, partition: Partition) -> tuple[Expression, Expression]:
        position = _position(value, partition)
        return call("mul", position, Literal(0, ir.i64)), call("add", position, Literal(1, ir.i64))


class Ahead(Bounds):
    """`n` rows from this one on."""

    def __init__(self, width: int) -> None:
        self.width = self.minimum = width

    def positions(self, value: Expression, partition: Partition) -> tuple[Expression, Expression]:
        position = _position(value, partition)
        return position, call("add", position, Literal(self.width, ir.i64))


class Given(Bounds):
    """From and up to positions that somebody gave for each row."""

    tied = True

    def __init__(self, starts: Expression, ends: Expression, minimum: int) -> None:
        self.starts = starts
        self.ends = ends
        self.minimum = minimum

    def positions(self, value: Expression, partition: Partition) -> tuple[Expression, Expression]:
        return self.starts, self.ends


class Around(Bounds):
    """The rows of a span of time with this one in the middle; times rise from row to row."""

    tied = True
    minimum = 1

    def __init__(self, times: Expression, ticks: int, closed: str) -> None:
        self.times = times
        self.half = ticks // 2
        # Half a tick is neither in nor out: both ends then belong to the window.
        self.closed = "both" if ticks % 2 else closed

    def positions(self, value: Expression, partition: Partition) -> tuple[Expression, Expression]:
        begin, finish = (call(op, self.times, Literal(self.half, ir.i64)) for op in ("sub", "add"))
        if self.closed in ("left", "both"):
            begin = call("sub", begin, Literal(1, ir.i64))
        start = Over(Fold("arr_search", (self.times, begin), (), None, {"right": True}), partition)
        end = Over(Fold("arr_search", (self.times, finish), (), None, {"right": self.closed in ("right", "both")}), partition)
        return start, end


class Lately(Bounds):
    """The rows of a span of time that ends with this one; times rise from row to row."""

    tied = True
    minimum = 1

    def __init__(self, times: Expression, ticks: int, closed: str) -> None:
        self.times = times
        self.ticks = ticks
        self.closed = closed

    def positions(self, value: Expression, partition: Partition) -> tuple[Expression, Expression]:
        # The tick before belongs to the window where its left end does.
        back = self.ticks + (self.closed in ("left", "both"))
        begin = call("sub", self.times, Literal(back, ir.i64))
        start = Over(Fold("arr_search", (self.times, begin), (), None, {"right": True}), partition)
        if self.closed in ("right", "both"):
            return start, call("add", _position(value, partition), Literal(1, ir.i64))
        # Rows of the same time do not belong to it either.
        return start, Over(Fold("arr_search", (self.times, self.times), (), None, {"right": False}), partition)


def _position(value: Expression, partition: Partition) -> Expression:
    return Over(fold("row_number", value), partition)
