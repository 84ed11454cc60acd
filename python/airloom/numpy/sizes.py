"""From how many elements on something is worth the engine's while."""

from __future__ import annotations

#: Arrays of up to this many elements are computed by NumPy at once: a loop of the engine takes a tenth of a millisecond to begin, in which NumPy has done a few operations on as many.
SMALL = 1 << 15
