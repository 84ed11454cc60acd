"""Rows: where the columns of a frame come from.

A node of rows brings slots into being, or passes on those of the rows it is made of. An expression is good over all rows in which its slots can be seen.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from airloom import ir
from airloom.pandas.plan.expression import Expression, Ref, Slot, slots_of


_TEXT = ir.optional(ir.str_)


class DataSlot(Slot):
    """A column in memory, owned by whoever `owner` is. `column` makes what the engine reads, when it is first asked for."""

    __slots__ = ("_column", "_make", "arrow", "ascii", "code", "is_text", "owner", "space", "transient", "type", "values_seen")

    def __init__(self, name: str, space: MemoryRows, type: ir.Type, owner: Any, make: Callable[[], Any]) -> None:
        super().__init__(name)
        self.space = space
        self.type = type
        #: It stays here even when the engine has its column: pandas writes to an array in place once nobody else holds it.
        self.owner = owner
        self._make: Callable[[], Any] | None = make
        self._column: Any = None
        #: Whether its text has nothing but ASCII, once somebody has looked.
        self.ascii: bool | None = None
        #: Which of its few values each row has, where it is text of which that is known; and how many values a look at some rows found.
        self.is_text = type.nullable and type == _TEXT
        self.code: Any = None
        #: Whether it is made anew for each operation, so that nothing can be kept with it.
        self.transient = False
        #: What makes Arrow's array of it, where nobody owns it.
        self.arrow: Callable[[], Any] | None = None
        self.values_seen: int | None = None

    @property
    def column(self) -> Any:
        """The column as the engine reads it; made once."""
        if self._make is not None:
            if getattr(self.owner, "foreign", False):
                # Somebody else may write to it: it is read anew each time.
                return self._make()
            self._column = self._make()
            self._make = None
        return self._column


class PositionSlot(Slot):
    """The number of each row, from 0."""

    __slots__ = ()


class Rows(ABC):
    """A sequence of rows."""

    __slots__ = ("__weakref__", "_position", "count", "kept")

    #: The rows that this is made of.
    inputs: tuple[Rows, ...] = ()

    def __init__(self) -> None:
        #: How many there are, where that is known.
        self.count: int | None = None
        #: The same rows in memory, where they have been computed: a space, and where in it slots of these rows stand.
        self.kept: tuple[MemoryRows, Mapping[Slot, DataSlot]] | None = None
        self._position: PositionSlot | None = None

    @property
    def position(self) -> PositionSlot:
        """The number of each row, as a slot that can be seen from here on."""
        if self._position is None:
            self._position = PositionSlot("position")
        return self._position

    def makes(self, slot: Slot) -> bool:
        """Whether this node brings the slot into being."""
        return slot is self._position

    @property
    def passes(self) -> Rows | None:
        """The rows whose slots can be seen here too, where there are such."""
        return None

    @abstractmethod
    def wants(self, needed: Iterable[Slot]) -> Sequence[frozenset[Slot]]:
        """What it needs of each input, to give these slots."""


def sees(rows: Rows, slots: Iterable[Slot]) -> bool:
    """Whether all these slots can be seen in the rows."""
    left = set(slots)
    node: Rows | None = rows
    while node is not None and left:
        left = {slot for slot in left if not node.makes(slot)}
        node = node.passes
    return not left


def maker_of(rows: Rows, slot: Slot) -> Rows | None:
    """The node that makes a slot of rows, looked for through those that pass it on."""
    node: Rows | None = rows
    while node is not None and not node.makes(slot):
        node = node.passes
    return node


def space_of(rows: Rows) -> Rows:
    """The node whose rows these are, row for row: additions of columns set aside."""
    node = rows
    while isinstance(node, Addition):
        node = node.input
    return node


class MemoryRows(Rows):
    """Rows in memory: as many as there are, each column by itself, held by whoever reads it."""

    __slots__ = ()

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count: int = count

    def makes(self, slot: Slot) -> bool:
        return (isinstance(slot, DataSlot) and slot.space is self) or super().makes(slot)

    def wants(self, needed: Iterable[Slot]) -> Sequence[frozenset[Slot]]:
        return ()


class FileScan(Rows):
    """Rows in files or in a database, read as far as a program asks."""

    __slots__ = ("columns", "files", "loaded", "stored")

    def __init__(self, stored: Any, columns: Mapping[Slot, tuple[str, ir.Type]], count: int | None, files: Sequence[Any] = ()) -> None:
        super().__init__()
        #: Whether all of its columns are kept in memory, each from when it is first needed on; then columns that are computed of them may be kept beside them.
        self.loaded = False
        self.stored = stored
        #: The files that are held open for it.
        self.files = tuple(files)
        #: The name and the type of each column there.
        self.columns = columns
        self.count = count

    def makes(self, slot: Slot) -> bool:
        return slot in self.columns or (self.loaded and self.kept is not None and slot in self.kept[1]) or super().makes(slot)

    def wants(self, needed: Iterable[Slot]) -> Sequence[frozenset[Slot]]:
        return ()


class _Passing(Rows):
    """Rows that are some of others, or the same ones in another order."""

    __slots__ = ("input",)

    def __init__(self, input: Rows) -> None:
        super().__init__()
        self.input = input

    @property
    def inputs(self) -> tuple[Rows, ...]:  # type: ignore[override]
        return (self.input,)

    @property
    def passes(self) -> Rows | None:
        return self.input

    def reads(self) -> frozenset[Slot]:
        """The slots that it reads itself."""
        return frozenset()

    def wants(self, needed: Iterable[Slot]) -> Sequence[frozenset[Slot]]:
        return (frozenset(slot for slot in needed if not self.makes(slot)) | self.reads(),)


class Addition(_Passing):
    """The same rows, all of them and in their order, with further columns."""

    __slots__ = ("copied",)

    def __init__(self, input: Rows) -> None:
        super().__init__(input)
        #: The addition to other rows of which this is a copy, or a copy of a copy, and which slot here stands for which there; none of what is no copy.
        self.copied: tuple[Addition, Mapping[Slot, Slot]] | None = None

    @property
    @abstractmethod
    def adds(self) -> Sequence[Slot]:
        """The slots of its columns."""

    @property
    def source(self) -> tuple[Addition, Mapping[Slot, Slot]]:
        """What this is a copy of in the end, and which slot here stands for which there: itself, where it is none."""
        return (self, {slot: slot for slot in self.adds}) if self.copied is None else self.copied

    @abstractmethod
    def over(self, input: Rows) -> Addition:
        """The same columns added to other rows, which are the same row for row."""


class Projected(Addition):
    """The same rows with further columns, which are computed here and nowhere above."""

    __slots__ = ("columns",)

    def __init__(self, input: Rows, columns: Mapping[Slot, Expression]) -> None:
        super().__init__(input)
        self.columns = columns
        self.count = input.count

    @property
    def adds(self) -> Sequence[Slot]:
        return tuple(self.columns)

    def over(self, input: Rows) -> Projected:
        made = Projected(input, self.columns)
        made.copied = self.copied
        return made

    def makes(self, slot: Slot) -> bool:
        return slot in self.columns or super().makes(slot)

    def wants(self, needed: Iterable[Slot]) -> Sequence[frozenset[Slot]]:
        needed = frozenset(needed)
        computed = slots_of(self.columns[slot] for slot in needed if slot in self.columns)
        return (frozenset(slot for slot in needed if not self.makes(slot)) | computed,)


class LookupJoin(Addition):
    """The same rows with columns of others, found by a key that stands there once; and whether it was found.

    With `any_of` keys may stand there several times, and only whether they do is asked.
    """

    __slots__ = ("any_of", "columns", "found", "keys", "other", "other_keys")

    def __init__(
        self,
        input: Rows,
        keys: Sequence[Expression],
        other: Rows,
        other_keys: Sequence[Expression],
        columns: Mapping[Slot, Expression],
        found: Slot,
        *,
        any_of: bool,
    ) -> None:
        super().__init__(input)
        self.keys = tuple(keys)
        self.other = other
        self.other_keys = tuple(other_keys)
        self.columns = columns
        self.found = found
        self.any_of = any_of
        self.count = input.count

    @property
    def inputs(self) -> tuple[Rows, ...]:  # type: ignore[override]
        return (self.input, self.other)

    @property
    def adds(self) -> Sequence[Slot]:
        return (*self.columns, self.found)

    def over(self, input: Rows) -> LookupJoin:
        made = LookupJoin(input, self.keys, self.other, self.other_keys, self.columns, self.found, any_of=self.any_of)
        made.copied = self.copied
        return made

    def makes(self, slot: Slot) -> bool:
        return slot is self.found or slot in self.columns or super().makes(slot)

    def wants(self, needed: Iterable[Slot]) -> Sequence[frozenset[Slot]]:
        needed = frozenset(needed)
        passed = frozenset(slot for slot in needed if not self.makes(slot))
        return (passed | slots_of(self.keys), slots_of(self.other_keys) | slots_of(self.columns[slot] for slot in needed if slot in self.columns))


def looked_up_beside(over: Rows, keys: Sequence[Expression], other: Rows, other_keys: Sequence[Expression], wanted: Sequence[Expression]) -> tuple[Rows, LookupJoin, list[Slot]]:
    """Rows with columns of others, found by a key that stands there once; the node that finds it, and the slots of the columns. What was looked up there by the same key already is not looked up again."""
    known: dict[Any, Slot] = {}
    node, found = over, None
    while isinstance(node, Addition):
        if isinstance(node, LookupJoin) and node.other is other and not node.any_of and _are_same(node.keys, keys) and _are_same(node.other_keys, other_keys):
            found = node if found is None else found
            known.update((_identity(expression), slot) for slot, expression in node.columns.items() if _identity(expression) not in known)
        node = node.input
    slots = [known.get(_identity(expression)) or Slot("value") for expression in wanted]
    fresh = {slot: expression for slot, expression in zip(slots, wanted, strict=True) if _identity(expression) not in known}
    if found is not None and not fresh:
        return over, found, slots
    if isinstance(over, LookupJoin) and over is found and over.kept is None:
        # Columns of one frame are asked for one after the other: one join finds them all.
        made = LookupJoin(over.input, over.keys, other, over.other_keys, {**over.columns, **fresh}, over.found, any_of=False)
    else:
        made = LookupJoin(over, keys, other, other_keys, fresh, Slot("found"), any_of=False)
    return made, made, slots


def _identity(expression: Expression) -> Any:
    """What two expressions have in common that are one and the same."""
    return expression.slot if isinstance(expression, Ref) else expression


def _are_same(first: Sequence[Expression], second: Sequence[Expression]) -> bool:
    return len(first) == len(second) and all(_identity(one) is _identity(other) for one, other in zip(first, second, strict=True))


class Filtered(_Passing):
    """The rows for which a predicate is true."""

    __slots__ = ("by_mask", "predicate")

    def __init__(self, input: Rows, predicate: Expression, *, by_mask: bool = False) -> None:
        super().__init__(input)
        self.predicate = predicate
        #: Whether pandas looks the labels up by a mask, as it does for a series: a frame takes them by position, and keeps a frequency more often.
        self.by_mask = by_mask

    def reads(self) -> frozenset[Slot]:
        return self.predicate.slots


class Sorted(_Passing):
    """The rows in the order of keys; equal ones stay as they stand. With `limit`, only the first of them. With `by_array`, pandas takes labels by an array of positions, which leaves no frequency."""

    __slots__ = ("by", "by_array", "keys", "limit")

    def __init__(self, input: Rows, keys: Sequence[Expression], by: Sequence[str], limit: int | None = None, *, by_array: bool = False) -> None:
        super().__init__(input)
        self.by_array = by_array
        self.keys = tuple(keys)
        self.by: tuple[Any, ...] = tuple(by)
        self.limit = limit
        if input.count is not None:
            self.count = input.count if limit is None else min(limit, input.count)

    def reads(self) -> frozenset[Slot]:
        return slots_of(self.keys)


class Sliced(_Passing):
    """The rows at some positions. A negative offset counts from the end."""

    __slots__ = ("length", "offset")

    def __init__(self, input: Rows, offset: int, length: int | None) -> None:
        super().__init__(input)
        self.offset = offset
        self.length = length


class Distinct(_Passing):
    """The rows whose key stands nowhere before, after, or else, by `keep`."""

    __slots__ = ("by_mask", "keep", "keys")

    def __init__(self, input: Rows, keys: Sequence[Expression], keep: str, *, by_mask: bool = False) -> None:
        super().__init__(input)
        self.keys = tuple(keys)
        self.keep = keep
        #: As of rows that are filtered.
        self.by_mask = by_mask

    def reads(self) -> frozenset[Slot]:
        return slots_of(self.keys)


class Exploded(_Passing):
    """A row for each element of lists, which are equally long in each row; one without an element, where a list is empty or missing."""

    __slots__ = ("lists",)

    def __init__(self, input: Rows, lists: Mapping[Slot, Expression]) -> None:
        super().__init__(input)
        #: The slot of the elements of each list.
        self.lists = lists

    def makes(self, slot: Slot) -> bool:
        return slot in self.lists or super().makes(slot)

    def reads(self) -> frozenset[Slot]:
        return slots_of(self.lists.values())


class Grouped(Rows):
    """One row for each distinct key, in the order in which keys first stand."""

    __slots__ = ("aggregates", "input", "keys")

    def __init__(self, input: Rows, keys: Mapping[Slot, Expression], aggregates: Mapping[Slot, Expression]) -> None:
        super().__init__()
        self.input = input
        self.keys = keys
        self.aggregates = aggregates
        if not keys:
            self.count = 1

    @property
    def inputs(self) -> tuple[Rows, ...]:  # type: ignore[override]
        return (self.input,)

    def makes(self, slot: Slot) -> bool:
        return slot in self.keys or slot in self.aggregates or super().makes(slot)

    def wants(self, needed: Iterable[Slot]) -> Sequence[frozenset[Slot]]:
        used = [self.aggregates[slot] for slot in needed if slot in self.aggregates]
        return (slots_of(self.keys.values()) | slots_of(used),)


class Joined(Rows):
    """Pairs of rows by equal keys. All slots are new, since those of a side may be missing here."""

    __slots__ = ("how", "left", "left_columns", "left_keys", "major", "nulls", "right", "right_columns", "right_keys")

    def __init__(
        self,
        left: Rows,
        right: Rows,
        how: str,
        left_keys: Sequence[Expression],
        right_keys: Sequence[Expression],
        left_columns: Mapping[Slot, Expression],
        right_columns: Mapping[Slot, Expression],
        *,
        nulls: str = "equal",
        major: str = "left",
    ) -> None:
        super().__init__()
        self.left = left
        self.right = right
        self.how = how
        self.left_keys = tuple(left_keys)
        self.right_keys = tuple(right_keys)
        self.left_columns = left_columns
        self.right_columns = right_columns
        self.nulls = nulls
        self.major = major

    @property
    def inputs(self) -> tuple[Rows, ...]:  # type: ignore[override]
        return (self.left, self.right)

    def makes(self, slot: Slot) -> bool:
        return slot in self.left_columns or slot in self.right_columns or super().makes(slot)

    def wants(self, needed: Iterable[Slot]) -> Sequence[frozenset[Slot]]:
        needed = frozenset(needed)
        sides = ((self.left_keys, self.left_columns), (self.right_keys, self.right_columns))
        return [slots_of(keys) | slots_of(columns[slot] for slot in needed if slot in columns) for keys, columns in sides]


class Concatenated(Rows):
    """The rows of one after those of the other. Each part says what it has for each slot."""

    __slots__ = ("parts", "slots")

    def __init__(self, slots: Sequence[Slot], parts: Sequence[tuple[Rows, Sequence[Expression]]]) -> None:
        super().__init__()
        self.slots = tuple(slots)
        self.parts = tuple((rows, dict(zip(self.slots, expressions, strict=True))) for rows, expressions in parts)
        counts = [rows.count for rows, _ in parts]
        if all(count is not None for count in counts):
            self.count = sum(count for count in counts if count is not None)

    @property
    def inputs(self) -> tuple[Rows, ...]:  # type: ignore[override]
        return tuple(rows for rows, _ in self.parts)

    def makes(self, slot: Slot) -> bool:
        return slot in self.slots or super().makes(slot)

    def wants(self, needed: Iterable[Slot]) -> Sequence[frozenset[Slot]]:
        needed = frozenset(needed)
        return [slots_of(columns[slot] for slot in needed if slot in columns) for _, columns in self.parts]


class Derived(Rows):
    """Rows that an op of the graph makes of others, for which there is no class here: `make` is given a node for each input, and the names of the slots it needs.

    `make(nodes, names)` gets, for each input, the relation of the columns in `reads` under the names of their slots in `names`, and returns a relation whose columns
    are named as `slots` says.
    """

    __slots__ = ("_inputs", "make", "reads", "slots")

    def __init__(
        self, inputs: Sequence[Rows], reads: Sequence[Mapping[Slot, Expression]], slots: Mapping[Slot, str], make: Callable[..., Any]
    ) -> None:
        super().__init__()
        self._inputs = tuple(inputs)
        self.reads = tuple(reads)
        self.slots = slots
        self.make = make

    @property
    def inputs(self) -> tuple[Rows, ...]:  # type: ignore[override]
        return self._inputs

    def makes(self, slot: Slot) -> bool:
        return slot in self.slots or super().makes(slot)

    def wants(self, needed: Iterable[Slot]) -> Sequence[frozenset[Slot]]:
        return [slots_of(columns.values()) for columns in self.reads]
