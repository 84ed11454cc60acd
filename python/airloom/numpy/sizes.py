"""From how many elements on something is worth the engine's while. The figures were measured on two cores; NumPy is the better choice as long as its arrays stay in the cache."""

from __future__ import annotations

#: Arrays of up to this many elements are computed by NumPy at once: a loop of the engine takes a tenth of a millisecond to begin, in which NumPy has done a few operations on as many.
SMALL = 1 << 15
#: Operators and functions of elements of arrays of up to this many elements are computed by NumPy at once: as long as arrays stay in the cache, writing an operation down takes as long as a loop could save.
CACHED = 1 << 17
#: Expressions over at least this many elements do not stay in the cache: one loop is the better choice, whatever they are made of.
LARGE = 1 << 21
#: Between the two, an expression is worth a loop from this much work on: bytes of the result times the weight of its operations, but for a few.
WORK = 8_000_000
#: The operations that NumPy is done with while a loop reads its arrays and writes its result.
_FEW = 3
#: How many times as much work is worth a loop over tiles, in each of which NumPy's functions are called by Python; and from how many bytes on any work is.
_TILED, _TILED_BYTES = 750, 15_000_000

#: How much longer than an addition NumPy takes for an operation.
_WEIGHTS = {"where": 60, "divide": 4, "sqrt": 4, "sum": 1, "prod": 2, "clip": 2, "min": 1, "max": 1, "any": 1, "all": 1}
#: An operation that NumPy's own loop computes: an elementary function, or a reduction of rows.
_OTHERS = 20


def declare(name: str, cost: int) -> None:
    """How much work an operation of a user's is, for each element."""
    _WEIGHTS[name] = cost


def weight(name: str, compiled: bool) -> int:
    """How much work an operation is, for each element."""
    return _WEIGHTS.get(name, 1 if compiled else _OTHERS)


def is_little(size: int, work: int, itemsize: int) -> bool:
    """Whether NumPy computes an expression of this many elements, of as many bytes as an item has, and this much work for each, before a loop of the engine would be done."""
    return size <= max(SMALL, 1) or (size < LARGE and size * itemsize * (work - _FEW) < WORK and WORK > 0)


def is_little_for_tiles(size: int, work: int, itemsize: int) -> bool:
    """Whether NumPy computes an expression, operation by operation, before a loop over tiles would be done."""
    return size <= max(SMALL, 1) or (size * itemsize < _TILED_BYTES and size * itemsize * work < _TILED * WORK)
