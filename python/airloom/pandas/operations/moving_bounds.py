"""Where windows that move along the rows begin and end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from airloom import ir
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, call, fold

#: The keys whose rows windows stay within.
Partition = tuple[Expression, ...]
#: What is made of the elements of a window.
Body = Callable[[Any], Any]


class Bounds(Protocol):
    """Where windows begin and end."""

    #: How many elements a window needs, where nobody says.
    minimum: int

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        """What a body makes of each window: null where there are too few elements."""


class Fixed:
    """So many rows."""

    def __init__(self, width: int, centred: bool, closed: str) -> None:
        self.width = self.minimum = width
        self.centred = centred
        self.closed = closed

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        attributes = {"min_count": minimum, "centred": self.centred, "closed": self.closed}
        return Over(Fold("arr_rolling", (value,), (Literal(self.width, ir.i64),), body, attributes), partition)


class SoFar:
    """All rows up to this one."""

    minimum = 1

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        place = _place(value, partition)
        return _between(value, call("mul", place, Literal(0, ir.i64)), call("add", place, Literal(1, ir.i64)), partition, body, minimum)


class Ahead:
    """So many rows from this one on."""

    def __init__(self, width: int) -> None:
        self.width = self.minimum = width

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        place = _place(value, partition)
        return _between(value, place, call("add", place, Literal(self.width, ir.i64)), partition, body, minimum)


class Given:
    """From and up to places that somebody gave for each row."""

    def __init__(self, starts: Expression, ends: Expression, minimum: int) -> None:
        self.starts = starts
        self.ends = ends
        self.minimum = minimum

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        return _between(value, self.starts, self.ends, partition, body, minimum)


class Around:
    """The rows of a span of time with this one in the middle; times rise from row to row."""

    minimum = 1

    def __init__(self, times: Expression, ticks: int, closed: str) -> None:
        self.times = times
        self.half = ticks // 2
        # Half a tick is neither in nor out: both ends then belong to the window.
        self.closed = "both" if ticks % 2 else closed

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        begin, finish = (call(op, self.times, Literal(self.half, ir.i64)) for op in ("sub", "add"))
        if self.closed in ("left", "both"):
            begin = call("sub", begin, Literal(1, ir.i64))
        start = Over(Fold("arr_search", (self.times, begin), (), None, {"right": True}), partition)
        end = Over(Fold("arr_search", (self.times, finish), (), None, {"right": self.closed in ("right", "both")}), partition)
        return _between(value, start, end, partition, body, minimum)


class Lately:
    """The rows of a span of time that ends with this one; times rise from row to row."""

    minimum = 1

    def __init__(self, times: Expression, ticks: int, closed: str) -> None:
        self.times = times
        self.ticks = ticks
        self.closed = closed

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        # The tick before belongs to the window where its left end does.
        back = self.ticks + (self.closed in ("left", "both"))
        begin = call("sub", self.times, Literal(back, ir.i64))
        start = Over(Fold("arr_search", (self.times, begin), (), None, {"right": True}), partition)
        if self.closed in ("right", "both"):
            end: Expression = call("add", _place(value, partition), Literal(1, ir.i64))
        else:
            # Rows of the same time do not belong to it either.
            end = Over(Fold("arr_search", (self.times, self.times), (), None, {"right": False}), partition)
        return _between(value, start, end, partition, body, minimum)


def _place(value: Expression, partition: Partition) -> Expression:
    return Over(fold("row_number", value), partition)


def _between(value: Expression, start: Expression, end: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
    return Over(Fold("arr_windows", (value, start, end), (), body, {"min_count": minimum}), partition)
