"""Which columns of text a program has, and whether it is worth having their codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from airloom.pandas.plan import walk
from airloom.pandas.plan.encoding import Code, encoded
from airloom.pandas.plan.expression import Call, Expression, Fold, Literal, Over, Ref, Slot
from airloom.pandas.plan.lower import Output
from airloom.pandas.plan.rows import DataSlot, Distinct, Filtered, Grouped, Joined, LookupJoin, Projected, Rows, Sorted

#: A choice among more literals than this is left as it is.
_MOST_LITERALS = 64


def literal_choice(expression: Expression) -> set[Any] | None:
    """The literals that an expression chooses among; none where it is anything else than a choice of text."""
    if type(expression) is not Call or expression.op != "select":
        return None
    found: set[Any] = set()
    stack: list[Expression] = [expression]
    while stack:
        part = stack.pop()
        if type(part) is Literal and (part.value is None or type(part.value) is str):
            found.add(part.value)
        elif type(part) is Call and part.op == "select":
            stack.extend(part.arguments[1:])
        else:
            return None
        if len(found) > _MOST_LITERALS:
            return None
    return found if any(value is not None for value in found) else None


class Survey:
    """Which columns of text a program has, and whether it is worth having their codes."""

    def __init__(self, order: Sequence[Rows], outputs: Sequence[Output], in_output: bool) -> None:
        #: The columns in memory that a slot of text is, of which one may be rows that were computed before; or the choice that it is.
        self.origins: dict[Slot, tuple[DataSlot | Expression, ...]] = {}
        self.codes: dict[DataSlot, Code] = {}
        self.worth = False
        self.windows: set[Expression] = set()
        for rows in order:
            self._look(rows)
        for _, columns in outputs:
            for expression in columns.values():
                self._call(expression)
                if in_output and type(expression) is Ref:
                    self._shown(expression.slot)

    def _look(self, rows: Rows) -> None:
        if isinstance(rows, Projected):
            self._named(rows.columns)
        elif isinstance(rows, LookupJoin):
            self._named(rows.columns)
            for key in rows.keys:
                self._call(key)
        elif isinstance(rows, Joined):
            self._named(rows.left_columns)
            self._named(rows.right_columns)
        elif isinstance(rows, Filtered):
            self._call(rows.predicate)
        elif isinstance(rows, (Distinct, Sorted)):
            for key in rows.keys:
                self._key(key)
        elif isinstance(rows, Grouped):
            self._named(rows.keys)
            for key in rows.keys.values():
                self._key(key)
            for value in rows.aggregates.values():
                for part in walk.reached([value], walk.children):
                    if type(part) is Fold and part.op == "arr_nunique":
                        self._key(part.arguments[0])
                    elif type(part) is Call:
                        self._call(part)
        if rows.kept is not None:
            for slot, stored in rows.kept[1].items():
                if stored.is_text:
                    self.origins[slot] = (*self.origins.get(slot, ()), stored)

    def _named(self, columns: Mapping[Slot, Expression]) -> None:
        for slot, expression in columns.items():
            if type(expression) is Ref:
                found = self._origins(expression.slot)
                if found:
                    self.origins[slot] = found
            elif literal_choice(expression) is not None:
                self.origins[slot] = (expression,)
            else:
                self._call(expression)

    def _origins(self, slot: Slot) -> tuple[DataSlot | Expression, ...]:
        if isinstance(slot, DataSlot):
            return (slot,) if slot.is_text else ()
        return self.origins.get(slot, ())

    def _key(self, expression: Expression) -> None:
        if type(expression) is not Ref:
            self._call(expression)
            if literal_choice(expression) is not None:
                self.worth = True
            return
        for origin in self._origins(expression.slot):
            if isinstance(origin, DataSlot):
                self._encode(origin, as_key=True)
            else:
                self.worth = True

    def _call(self, expression: Expression) -> None:
        self._windows(expression)
        if type(expression) is Call:
            for slot in expression.slots:
                for origin in self._origins(slot):
                    if isinstance(origin, DataSlot):
                        self._encode(origin, as_key=False)

    def _windows(self, expression: Expression) -> None:
        """What windows are by is only told apart. Expressions share parts, each of which is looked at once."""
        for part in walk.reached([expression], lambda part: [below for below in walk.children(part) if below.windowed and below not in self.windows]):
            if type(part) is Over and part not in self.windows:
                for key in part.partition:
                    self._key(key)
            self.windows.add(part)

    def _shown(self, slot: Slot) -> None:
        """Text that is only passed on is so by its codes, where these are there."""
        for origin in self._origins(slot):
            if not isinstance(origin, DataSlot):
                self.worth = True
            elif origin.code is not None and slot is not origin:
                self.codes[origin] = origin.code
                self.worth = True

    def _encode(self, slot: DataSlot, *, as_key: bool) -> None:
        if slot not in self.codes:
            found = None if slot.transient else encoded(slot, as_key=as_key)
            if found is None:
                return
            self.codes[slot] = found
        self.worth = True
