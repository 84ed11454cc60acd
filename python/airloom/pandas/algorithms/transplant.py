"""Columns over rows in memory, moved to other rows in memory of which there are as many, with equal labels: row for row they have the same values there."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from functools import partial

from airloom.pandas.plan import walk
from airloom.pandas.plan.expression import Expression, Ref, Slot
from airloom.pandas.plan.frame import Column, Vector
from airloom.pandas.plan.rows import Addition, DataSlot, LookupJoin, MemoryRows, Projected, Rows, sees
from airloom.pandas.refusals import Refused

#: What an expression is over other rows in memory, as long as somebody needs it there. A program that goes to and fro between two frames would else copy copies of
#: copies: its length would double with each step.
_COPIES: weakref.WeakKeyDictionary[Expression, weakref.WeakKeyDictionary[Rows, weakref.ref[Expression]]] = weakref.WeakKeyDictionary()


def transplanted(rows: Rows, other: Vector, far: MemoryRows, base: MemoryRows) -> tuple[Rows, Column]:
    """The column of a vector elsewhere in memory over these rows, with what was added to its rows on the way: of each addition there is one copy."""
    copies: dict[Addition, Mapping[Slot, Slot]] = {}
    above = rows
    while isinstance(above, Addition):
        copies.setdefault(*above.source)
        above = above.input
    added: list[Addition] = []
    node = other.rows
    while node is not far:
        if not isinstance(node, (LookupJoin, Projected)):
            raise Refused("indexes not known to be equal")
        added.append(node)
        node = node.input
    moving = _Moving(rows, far, base)
    for addition in reversed(added):
        source, standing = addition.source
        if source in copies:
            moving.slots.update((standing[slot], copy) for slot, copy in copies[source].items() if slot in standing)
            continue
        slots = {slot: Slot(slot.name) for slot in addition.adds}
        copy: Addition
        if isinstance(addition, LookupJoin):
            keys = [moving.moved(key) for key in addition.keys]
            columns = {slots[slot]: expression for slot, expression in addition.columns.items()}
            copy = LookupJoin(moving.rows, keys, addition.other, addition.other_keys, columns, slots[addition.found], any_of=addition.any_of)
        else:
            assert isinstance(addition, Projected)
            copy = Projected(moving.rows, {slots[slot]: moving.moved(expression) for slot, expression in addition.columns.items()})
        copy.copied = (source, {slot: slots[own] for slot, own in standing.items()})
        moving.slots.update(slots)
        moving.rows = copy
    return moving.rows, other.column.at(moving.moved(other.column.expression))


class _Moving:
    """Moves expressions over one space to other rows, which are as many: `slots` are those of additions, and what stands for them there."""

    def __init__(self, rows: Rows, far: MemoryRows, base: MemoryRows) -> None:
        self.rows = rows
        self.far = far
        self.base = base
        self.slots: dict[Slot, Slot] = {far.position: base.position}

    def moved(self, expression: Expression) -> Expression:
        known: dict[Expression, Expression] = {}

        def below(part: Expression) -> Sequence[Expression]:
            there = self._known(part)
            if there is None:
                return walk.children(part)
            known[part] = there
            return ()

        def visit(part: Expression, parts: list[Expression]) -> Expression:
            if part in known:
                return known[part]
            made = self._leaf(part) if isinstance(part, Ref) else walk.rebuilt(part, parts)
            if made is not part:
                _COPIES.setdefault(part, weakref.WeakKeyDictionary())[self.base] = weakref.ref(made)
                # What goes back is what it was.
                _COPIES.setdefault(made, weakref.WeakKeyDictionary())[self.far] = weakref.ref(part)
            return made

        made: Expression = walk.fold(expression, below, visit, {})
        return made

    def _known(self, part: Expression) -> Expression | None:
        """What an expression is over these rows, where it was moved before, and can be seen."""
        elsewhere = _COPIES.get(part)
        there = None if elsewhere is None else elsewhere.get(self.base)
        found = None if there is None else there()
        return found if found is not None and sees(self.rows, found.slots) else None

    def _leaf(self, part: Ref) -> Ref:
        slot = part.slot
        if slot in self.slots:
            return Ref(self.slots[slot])
        return Ref(DataSlot(slot.name, self.base, slot.type, slot.owner, partial(getattr, slot, "column"))) if isinstance(slot, DataSlot) else part
