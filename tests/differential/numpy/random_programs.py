"""Random programs of array statements, each the same for its seed, on NumPy and on ours: expressions, views, stores, arrays that others hold, reductions.

`python tests/differential/numpy/random_programs.py --count 100000 --state FILE` runs many, goes on where the last run stopped, and prints how many there were in all and which differ.
Every sixth program runs as users have it; the others with nothing left to NumPy for being small, in several tiles, with results in files, with everything left to NumPy when somebody looks, or with some of it.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[1])]

import counting
import numpy
from test_programs import told

import airloom
import airloom.numpy
from airloom.numpy import mapped, sizes, tiles

#: How programs run: the elements that are left to NumPy, those that operators leave to it, the work, the bytes of a tile, the share of the memory limit above which results lie in files.
MANNERS: tuple[tuple[int, int, int, int, int], ...] = (
    (sizes.SMALL, sizes.CACHED, sizes.WORK, tiles.CACHE, mapped.SHARE),
    (0, 0, 0, 1 << 11, mapped.SHARE),
    (0, 0, 0, 64, mapped.SHARE),
    (0, 0, 0, 1 << 11, 1 << 60),
    # Written down, but left to NumPy when somebody looks.
    (0, 0, sizes.WORK, tiles.CACHE, mapped.SHARE),
    # Arrays of three elements are small here, those of six stay in the cache, and of those of twelve some expressions are worth a loop.
    (3, 6, 300, 1 << 11, mapped.SHARE),
)


def program(seed: int) -> list[tuple[int, int, int, int]]:
    """The statements of a program."""
    choice = random.Random(seed)
    return [(choice.randint(0, 15), *(choice.randint(0, 40) for _ in range(3))) for _ in range(choice.randint(1, 16))]  # type: ignore[misc]


def run(seed: int) -> str:
    """One program on both."""
    sizes.SMALL, sizes.CACHED, sizes.WORK, tiles.CACHE, mapped.SHARE = MANNERS[seed % len(MANNERS)]
    statements = program(seed)
    found, expected = told(airloom.numpy, statements), told(numpy, statements)
    if seed % 100 == 0:
        airloom.report(clear=True)
    assert found == expected, str(statements)
    return "same"


if __name__ == "__main__":
    counting.main(__doc__, {"programs": run})
