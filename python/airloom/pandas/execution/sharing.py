"""What is computed once, though it is needed again: intermediates that a program will come back to.

A frame that nobody has looked at yet is a plan. When one is computed, others may be planned over the same joins or groups; where the program still goes on to use
them, those rows are kept in memory, as far as they were needed now. Whether it does is read off the code that runs: the names that it may still load.
"""

from __future__ import annotations

import dis
import sys
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from airloom.pandas.plan.rows import Concatenated, Distinct, Exploded, FileScan, Filtered, Grouped, Joined, LookupJoin, Rows, Sorted, space_of


class _Objects:
    """Objects, as long as somebody else holds them. They need not be hashable."""

    def __init__(self) -> None:
        self._found: dict[int, weakref.ref[Any]] = {}

    def add(self, value: Any) -> None:
        key = id(value)
        if key not in self._found:
            self._found[key] = weakref.ref(value, lambda _: self._found.pop(key, None))

    def discard(self, value: Any) -> None:
        self._found.pop(id(value), None)

    def __iter__(self) -> Iterator[Any]:
        for reference in list(self._found.values()):
            value = reference()
            if value is not None:
                yield value


#: Objects of users whose data are not computed.
LAZY = _Objects()

#: Modules whose variables are not the user's.
_NOT_THE_USERS = ("airloom", "pandas")


class _Active(threading.local):
    """Objects of which something is just being computed, in this thread."""

    def __init__(self) -> None:
        self.values: list[Any] = []


ACTIVE = _Active()


def shared(roots: Sequence[Rows], below: Rows | None = None) -> tuple[list[Rows], list[Any]]:
    """The rows below these that are worth keeping, since something else is planned over them that the program may still use, and those plans.

    Rows come after those they are made of. With `below`, those rows are worth it too.
    """
    kept, plans = _shared(_costly(_below(roots)))
    if below is not None and below not in kept and isinstance(below, _COSTLY) and below.kept is None:
        kept = sorted([*kept, below], key=lambda rows: len(_below([rows])))
    return kept, plans


def _shared(own: list[Rows]) -> tuple[list[Rows], list[Any]]:
    if not own:
        return [], []
    wanted: list[tuple[Any, dict[Rows, None]]] = []
    for value in LAZY:
        plan = value.__dict__["_airloom_plan"]
        below = _below([plan.rows])
        if any(rows in below for rows in own) and _may_be_used(value):
            wanted.append((plan, below))
    if not wanted:
        return [], []
    needed_again = set().union(*(below for _, below in wanted))
    common = [rows for rows in own if rows in needed_again]

    def is_covered(rows: Rows) -> bool:
        """Whether whoever needs rows needs others that are made of them, which are kept in their place."""
        above = [other for other in common if other is not rows and rows in _below([other])]
        return any(all(other in below for _, below in wanted if rows in below) for other in above)

    found = [rows for rows in common if not is_covered(rows)]
    kept = sorted(found, key=lambda rows: sum(other in _below([rows]) for other in found))
    # Of a frame that is these rows itself nobody knows which columns will be used; what is made of them will be. Of groups there are few, and all that is known of
    # them comes from one look at their rows, so that all of it is kept.
    plans = [plan for plan, _ in wanted if (base := space_of(plan.rows)) not in kept or _are_groups(base)]
    return kept, plans


def _below(roots: Iterable[Rows]) -> dict[Rows, None]:
    """All rows that these are made of, and they themselves; not what is in memory already. In an order that is the same for the same program."""
    found: dict[Rows, None] = {}
    stack = list(roots)
    while stack:
        rows = stack.pop()
        if rows not in found:
            found[rows] = None
            if rows.kept is None:
                stack.extend(rows.inputs)
    return found


_COSTLY = (Joined, Grouped, Distinct, Exploded, Sorted, LookupJoin, Concatenated)


def _costly(found: Iterable[Rows]) -> list[Rows]:
    """Those of which computing them again costs more than keeping them: filters, where something below them does, or is read from a file."""
    known: dict[Rows, bool] = {}

    def is_over_costly(rows: Rows) -> bool:
        walked = []
        node: Rows | None = rows
        while node is not None and node not in known:
            walked.append(node)
            node = node.passes
        for one in reversed(walked):
            below = one.passes
            known[one] = below is not None and (isinstance(below, (FileScan, *_COSTLY)) or known[below])
        return known[rows]

    return [rows for rows in found if isinstance(rows, _COSTLY) or (isinstance(rows, Filtered) and is_over_costly(rows))]


def _are_groups(rows: Rows) -> bool:
    """Whether rows are groups, in some order."""
    while isinstance(rows, Sorted):
        rows = rows.input
    return isinstance(rows, Grouped)


def _may_be_used(value: Any) -> bool:
    """Whether the program may still use an object: it is held by something else than variables, or by one that the code may still load."""
    held = False
    frame: Any = sys._getframe(2)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.partition(".")[0] not in _NOT_THE_USERS:
            scope = frame.f_locals
            names = [name for name, item in scope.items() if item is value]
            if names:
                held = True
                later = names_loaded_after(frame.f_code, frame.f_lasti)
                # In a notebook any name may be used by what is typed next.
                if scope is frame.f_globals and "get_ipython" in scope:
                    return True
                if any(name in later for name in names):
                    return True
        frame = frame.f_back
    # What no variable holds is held by something else, or by nothing but an expression that is just being computed.
    return not held and not any(value is active for active in ACTIVE.values)


@lru_cache(maxsize=4096)
def names_loaded_after(code: CodeType, position: int) -> frozenset[str]:
    """The names that code may load after a position in it, whatever way it takes; those of functions within it too."""
    instructions, targets = _instructions(code)
    found: set[str] = set()
    stack = [position + 2]
    seen: set[int] = set()
    while stack:
        at = stack.pop()
        while at in instructions and at not in seen:
            seen.add(at)
            name, argument, following = instructions[at]
            found.update(_loaded(name, argument))
            if isinstance(argument, CodeType):
                found |= names_loaded_after(argument, -2)
            target = targets.get(at)
            if target is not None:
                stack.append(target)
            if name in ("RETURN_VALUE", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "RETURN_CONST"):
                break
            at = following
    # What handles an exception may run after any line, and whatever stands below it: the first handler has all that the others have.
    last = max(seen, default=position)
    handlers = [entry.target for entry in getattr(dis, "_parse_exception_table", lambda _: ())(code) if entry.start <= last and entry.target not in seen]
    handler = min(handlers, default=-1)
    while handler in instructions:
        name, argument, handler = instructions[handler]
        found.update(_loaded(name, argument))
    # A function that is called later may read variables of the module.
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= names_loaded_after(constant, -2)
    return frozenset(found)


def _loaded(name: str, argument: Any) -> tuple[str, ...]:
    """The names that an instruction loads: newer versions of Python load two at once."""
    if "LOAD_" not in name:
        return ()
    return (argument,) if isinstance(argument, str) else tuple(part for part in argument if isinstance(part, str)) if isinstance(argument, tuple) else ()


@lru_cache(maxsize=256)
def _instructions(code: CodeType) -> tuple[dict[int, tuple[str, Any, int]], dict[int, int]]:
    """Instructions by position: name, argument and the position of the next one; and where jumps go."""
    found = list(dis.get_instructions(code))
    following = [instruction.offset for instruction in found[1:]] + [-1]
    by_position = {i.offset: (i.opname, i.argval, after) for i, after in zip(found, following, strict=True)}
    # Between an instruction and the next there may be room for caches: they lead on to it.
    for at, instruction in enumerate(found):
        for gap in range(instruction.offset + 2, following[at], 2):
            by_position[gap] = ("NOP", None, following[at])
    jumps = {i.offset: i.argval for i in found if i.opcode in dis.hasjrel or i.opcode in dis.hasjabs}
    return by_position, jumps
