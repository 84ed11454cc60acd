"""Expressions over one row, and over the rows around it.

An expression is immutable and names what it reads by slots. It is built while a pandas program runs, and lowered to the graph when somebody looks at the result.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from airloom import ir


_NUMBERS = itertools.count()


class Slot:
    """A column of some rows. Two slots are the same column only where they are the same object: names are hints for whoever reads the program."""

    __slots__ = ("__weakref__", "name", "number")

    def __init__(self, name: str) -> None:
        self.name = name
        #: Slots are numbered as they are made, so that the same program is the same graph each time it is built.
        self.number = next(_NUMBERS)

    def __repr__(self) -> str:
        return f"<slot {self.name}>"


class Expression:
    """A value of each row."""

    __slots__ = ("__weakref__", "depth", "folds", "slots", "windowed")

    #: How many calls stand within each other in it.
    depth: int
    #: Whether it is made of what folds come to, and is no column.
    folds: bool
    #: The slots that it reads.
    slots: frozenset[Slot]
    #: Whether it looks at other rows than its own: then it means something else once rows are left out or moved.
    windowed: bool


class Ref(Expression):
    """A column as it stands."""

    __slots__ = ("slot",)

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.slots = frozenset((slot,))
        self.windowed = False
        self.folds = False
        self.depth = 0


class Literal(Expression):
    """The same value in every row, of a type of the graph."""

    __slots__ = ("type", "value")

    def __init__(self, value: Any, type: ir.Type) -> None:
        self.value = value
        self.type = type
        self.slots = frozenset()
        self.windowed = False
        self.folds = False
        self.depth = 0


class Call(Expression):
    """An op of the graph, by the name that `airloom.ir` has for it."""

    __slots__ = ("arguments", "attributes", "op")

    def __init__(self, op: str, arguments: tuple[Expression, ...], attributes: Mapping[str, Any]) -> None:
        self.op = op
        self.arguments = arguments
        self.attributes = attributes
        self.slots = slots_of(arguments)
        self.windowed = any(argument.windowed for argument in arguments)
        self.folds = any(argument.folds for argument in arguments)
        self.depth = 1 + max((argument.depth for argument in arguments), default=0)


class Fold(Expression):
    """An op of the graph over all rows of a group: a reduction, or a running result.

    `arguments` are columns of the group, or folds of them; `scalars` are further arguments, the same for all groups. `body`, where the op has one, is what it makes of
    the arrays that it is given.
    """

    __slots__ = ("arguments", "attributes", "body", "op", "scalars")

    def __init__(
        self, op: str, arguments: tuple[Expression, ...], scalars: tuple[Any, ...] = (), body: Any = None, attributes: Mapping[str, Any] | None = None
    ) -> None:
        self.op = op
        self.arguments = arguments
        self.scalars = scalars
        self.body = body
        self.attributes = attributes or {}
        self.slots = slots_of(arguments)
        self.windowed = True
        self.folds = True
        self.depth = 1 + max((argument.depth for argument in arguments), default=0)

    @property
    def reduces(self) -> bool:
        """Whether it makes one value of a group, not one for each row."""
        return self.op in REDUCTIONS


class Over(Expression):
    """A fold of the rows that share a key with this one, in an order, as a column: what SQL calls a window."""

    __slots__ = ("fold", "order", "partition")

    def __init__(self, fold: Fold, partition: tuple[Expression, ...] = (), order: tuple[tuple[Expression, str], ...] = ()) -> None:
        self.fold = fold
        self.partition = partition
        self.order: tuple[tuple[Expression, Any], ...] = order
        self.slots = fold.slots | slots_of(partition) | slots_of(key for key, _ in order)
        self.windowed = True
        self.folds = False
        self.depth = 1 + max(part.depth for part in (fold, *partition, *(key for key, _ in order)))


#: The ops that make one value of an array.
REDUCTIONS = frozenset(
    f"arr_{name}"
    for name in "sum product mean min max count nunique first last nth var std skew kurt median quantile any all argmin argmax list".split()
)


def slots_of(expressions: Iterable[Expression]) -> frozenset[Slot]:
    """All slots that any of these reads."""
    found: frozenset[Slot] = frozenset()
    for expression in expressions:
        # Most expressions of a loop read the same slots: they share one set.
        if not expression.slots <= found:
            found = expression.slots if found <= expression.slots else found | expression.slots
    return found


def call(op: str, *arguments: Expression, **attributes: Any) -> Call:
    """A call of an op."""
    return Call(op, arguments, attributes)


def fold(op: str, *arguments: Expression, **attributes: Any) -> Fold:
    """A reduction or a running result of columns."""
    return Fold(f"arr_{op}", arguments, attributes=attributes)
