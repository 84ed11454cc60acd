"""Memory that somebody else may write to, past pandas: arrays that were taken over without a copy, and arrays that were handed out.

pandas computes at the call, so that whatever is written afterwards is not seen. A plan that reads such memory is therefore computed before the call returns, and
nothing that was made of the memory is kept for later. The mark stands on what blocks share (`refs`): views have it too, and a copy sheds it.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np


class _Marks:
    """Sets of blocks that share their memory, as long as there are such blocks."""

    def __init__(self) -> None:
        self._found: dict[int, Any] = {}
        self._prune_at = 64
        #: How often anything was added, and when each was last: what was made of memory before somebody else could write to it is worth nothing after.
        self.added = 0
        self._last: dict[int, tuple[Any, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def __contains__(self, refs: Any) -> bool:
        return id(refs) in self._found

    def discard(self, refs: Any) -> None:
        self._found.pop(id(refs), None)

    def add(self, refs: Any) -> None:
        # They cannot be referred to weakly, so that they are held, and let go of when all their blocks are gone.
        self._found[id(refs)] = refs
        self.added += 1
        self._last[id(refs)] = (refs, self.added)
        if len(self._last) >= self._prune_at:
            for number, (old, _) in list(self._last.items()):
                if all(block() is None for block in old.referenced_blocks):
                    del self._last[number]
                    self._found.pop(number, None)
            self._prune_at = max(64, 2 * len(self._last))

    def last_added(self, refs: Any) -> int:
        """When this was last added, counted by all that were; 0 where it never was."""
        known = self._last.get(id(refs))
        return 0 if known is None else known[1]


#: Where arrays of pandas' own hold those of NumPy's that they stand on.
_PARTS = ("_ndarray", "_data", "_mask")

#: Memory that somebody else may write to.
FOREIGN = _Marks()


def is_foreign(block: Any) -> bool:
    """Whether somebody else may write to a block. Once nobody holds its arrays any more, it is pandas' own."""
    refs = block.refs
    if refs not in FOREIGN:
        return False
    if _is_held_elsewhere(block):
        return True
    FOREIGN.discard(refs)
    return False


def has_foreign_blocks(manager: Any) -> bool:
    """Whether any block of a manager is foreign."""
    return bool(FOREIGN) and any(map(is_foreign, manager.blocks))


def is_read_only(manager: Any) -> bool:
    """Whether an object stands on memory that must not be written to. What is computed never does: it was given."""
    return any(not array.flags.writeable for block in manager.blocks for array in _arrays(block.values))


def mark_shared(manager: Any, given: Any) -> None:
    """Marks the blocks of a new object that share memory with what it was made of."""
    if hasattr(given, "_mgr"):
        mark_held_elsewhere(manager)
        return
    arrays = list(_arrays(given))
    for block in manager.blocks:
        if any(np.may_share_memory(mine, theirs) for mine in _arrays(block.values) for theirs in arrays) or _is_among(block.values, given):
            FOREIGN.add(block.refs)


def mark_held_elsewhere(manager: Any) -> None:
    """Marks the blocks of an object of pandas' own whose arrays somebody holds besides its blocks: the array that it was made of without a copy, or one of a file."""
    for block in manager.blocks:
        if block.refs not in FOREIGN and _is_held_elsewhere(block):
            FOREIGN.add(block.refs)


def _is_held_elsewhere(block: Any) -> bool:
    """Whether an array that a block stands on has other holders than the blocks that share it, and the arrays that stand between."""
    nodes: dict[int, Any] = {}
    holders: dict[int, int] = {}
    stack: list[Any] = []

    def hold(array: Any) -> None:
        holders[id(array)] = holders.get(id(array), 0) + 1
        if id(array) not in nodes:
            nodes[id(array)] = array
            stack.append(array)

    for reference in block.refs.referenced_blocks:
        found = reference()
        if found is not None:
            # Labels may share the memory too.
            hold(found.values if hasattr(found, "mgr_locs") else found._data)
        del found
    while stack:
        array = stack.pop()
        if not isinstance(array, np.ndarray):
            for name in _PARTS:
                if isinstance(getattr(array, name, None), np.ndarray):
                    hold(getattr(array, name))
        elif isinstance(array.base, np.ndarray):
            hold(array.base)
        elif array.flags.writeable and (isinstance(array.base, (mmap.mmap, memoryview, bytearray)) or (array.base is not None and block.refs in FOREIGN)):
            # A file that is mapped, or memory of something else, which somebody has.
            return True
        del array
    # The mapping here holds each of them too, and so do its name and the question itself.
    return any(sys.getrefcount(array) > holders[id(array)] + 3 for array in nodes.values())


def apart(manager: Any, foreign: Iterable[Any]) -> bool:
    """Sees to it that what was computed has its own memory, where it is no view that pandas knows of. Whether anything was copied."""
    arrays = [array for values in foreign for array in _arrays(values)]
    blocks = tuple(
        block.copy(deep=True)
        if not is_foreign(block) and any(np.may_share_memory(mine, theirs) for mine in _arrays(block.values) for theirs in arrays)
        else block
        for block in manager.blocks
    )
    changed = any(new is not old for new, old in zip(blocks, manager.blocks, strict=True))
    if changed:
        manager.blocks = blocks
    return changed


def _arrays(value: Any) -> Iterable[np.ndarray[Any, Any]]:
    """The arrays of NumPy's that a value stands in, as far as it can be written to by them."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, np.ndarray):
            yield item
        elif isinstance(item, (list, tuple)):
            # Lists of values are no arrays: pandas copies them.
            stack.extend(part for part in item if _is_array(part))
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif hasattr(item, "_mgr"):
            stack.extend(block.values for block in item._mgr.blocks)
        else:
            stack.extend(getattr(item, name) for name in _PARTS if isinstance(getattr(item, name, None), np.ndarray))


def _is_among(values: Any, given: Any) -> bool:
    """Whether the values of a block are the very array that was given: those of Arrow are changed as a whole, and have no memory to write to."""
    if isinstance(values, np.ndarray):
        return False
    if isinstance(given, (list, tuple, dict)):
        items = given.values() if isinstance(given, dict) else given
        return any(values is item for item in items)
    return values is given or (hasattr(given, "_mgr") and any(values is block.values for block in given._mgr.blocks))


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or hasattr(value, "_mgr") or hasattr(value, "dtype")
