"""Whether a column of floats holds a negative zero, which Arrow's keys tell from zero and the engine's do not."""

from __future__ import annotations

import math
from collections.abc import Callable
from weakref import WeakKeyDictionary

from airloom.pandas.plan import walk
from airloom.pandas.plan.expression import Call, Expression, Fold, Literal, Ref, Slot
from airloom.pandas.plan.nullness import Part, made_of
from airloom.pandas.plan.rows import DataSlot, FileScan, Grouped, MemoryRows, Rows, maker_of


#: Reductions that give one of the values that they are given.
_CHOOSING = frozenset(("arr_min", "arr_max", "arr_first", "arr_last"))


#: Whether a column in memory or in a file has one, once somebody has looked.
_SEEN: WeakKeyDictionary[Slot, bool] = WeakKeyDictionary()


def may_be_negative_zero(rows: Rows, expression: Expression, look: Callable[[Rows, Expression], bool]) -> bool:
    """Whether any value of an expression over rows may be one. `look` looks at a column in memory or in a file, which is remembered; what is computed may be."""

    def below(part: Part) -> list[Part]:
        over, asked = part
        if isinstance(asked, Call) and asked.op in ("select", "coalesce", "nan_to_null"):
            return [(over, argument) for argument in (asked.arguments[1:] if asked.op == "select" else asked.arguments)]
        if not isinstance(asked, Ref):
            return []
        node = maker_of(over, asked.slot)
        if isinstance(node, Grouped) and isinstance(made := node.aggregates.get(asked.slot), Fold) and made.op in _CHOOSING:
            return [(node.input, made.arguments[0])]
        return made_of(over, asked.slot)[1]

    def visit(part: Part, found: list[bool]) -> bool:
        over, asked = part
        if found:
            return any(found)
        if isinstance(asked, Literal):
            return isinstance(asked.value, float) and asked.value == 0 and math.copysign(1, asked.value) < 0
        if not isinstance(asked, Ref):
            return True
        slot = asked.slot
        source = slot.space if isinstance(slot, DataSlot) else maker_of(over, slot)
        if not isinstance(source, (MemoryRows, FileScan)):
            return True
        # What somebody else may write to is looked at each time.
        if slot not in _SEEN or (isinstance(slot, DataSlot) and getattr(slot.owner, "foreign", False)):
            _SEEN[slot] = look(source, asked)
        return _SEEN[slot]

    return bool(walk.fold((rows, expression), below, visit, {}))
