"""Random programs of array statements, each the same for its seed, on NumPy and on ours: expressions, views, stores, arrays that others hold, reductions.

`python tests/differential/numpy/random_programs.py --programs 100000 --state FILE` runs many, goes on where the last run stopped, and prints how many there were in all and which differ.
Every fourth program runs as users have it; the others with nothing left to NumPy for being small, in several tiles, or with results in files.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

import numpy
from test_programs import told

import airloom
import airloom.numpy
from airloom.numpy import mapped, sizes, tiles

#: How programs run: the elements that are left to NumPy, the work, the bytes of a tile, the share of the memory limit above which results lie in files.
MANNERS: tuple[tuple[int, int, int, int], ...] = (
    (sizes.SMALL, sizes.WORK, tiles.CACHE, mapped.SHARE),
    (0, 0, 1 << 11, mapped.SHARE),
    (0, 0, 64, mapped.SHARE),
    (0, 0, 1 << 11, 1 << 60),
)


def program(seed: int) -> list[tuple[int, int, int, int]]:
    """The statements of a program."""
    choice = random.Random(seed)
    return [(choice.randint(0, 15), *(choice.randint(0, 40) for _ in range(3))) for _ in range(choice.randint(1, 16))]  # type: ignore[misc]


def run(seed: int) -> None:
    """One program on both."""
    sizes.SMALL, sizes.WORK, tiles.CACHE, mapped.SHARE = MANNERS[seed % len(MANNERS)]
    statements = program(seed)
    found, expected = told(airloom.numpy, statements), told(numpy, statements)
    assert found == expected, f"seed {seed}: {statements}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=1000, help="in all, those of the state included")
    parser.add_argument("--state", type=Path, help="a file that counts")
    asked = parser.parse_args()
    state: dict[str, Any] = {"next": 0, "differ": []}
    if asked.state is not None and asked.state.exists():
        state = json.loads(asked.state.read_text())
    while state["next"] < asked.programs:
        try:
            run(state["next"])
        except AssertionError as error:
            state["differ"].append(state["next"])
            print(error, file=sys.stderr, flush=True)
        state["next"] += 1
        if state["next"] % 100 == 0:
            airloom.report(clear=True)
            if asked.state is not None:
                asked.state.write_text(json.dumps(state))
    if asked.state is not None:
        asked.state.write_text(json.dumps(state))
    print(f"{state['next']} programs of array statements; {len(state['differ'])} differ {state['differ'][:20]}")
    sys.exit(bool(state["differ"]))


if __name__ == "__main__":
    main()
