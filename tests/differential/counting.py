"""Many random cases by their seeds, in several processes: how many there were, what they came to, and which differ. A file keeps the count, so that a later run goes on where this one stopped."""

from __future__ import annotations

import argparse
import faulthandler
import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

#: One case: what it came to, in a word. It raises an `AssertionError` where there is a difference.
Case = Callable[[int], str]

#: How many seeds a process takes at once.
PIECE = 25
#: How many seconds the seeds of a piece may take together.
LONGEST = 1800
#: How many pieces a process takes before another one is started in its stead: compiled code is never given back.
PIECES = 80


@dataclass
class State:
    """How far a run has come: all seeds below `next` have been run."""

    next: int = 0
    ends: dict[str, int] = field(default_factory=dict)
    differ: list[int] = field(default_factory=list)

    @staticmethod
    def read(path: Path | None, first: int) -> State:
        return State(**json.loads(path.read_text())) if path is not None and path.exists() else State(first)

    def write(self, path: Path | None) -> None:
        if path is not None:
            # A run that is ended while it writes leaves the old count.
            beside = path.with_suffix(".new")
            beside.write_text(json.dumps(asdict(self)))
            beside.replace(path)


def _piece(case: Case, seeds: range) -> tuple[Counter[str], list[tuple[int, str]]]:
    """What some cases came to, and the differences among them."""
    ends: Counter[str] = Counter()
    differ = []
    # Code that never ends cannot be interrupted: the process ends then, and says where it was. Each watch is a thread, so that there is one for all of a piece.
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    try:
        for seed in seeds:
            try:
                ends[case(seed)] += 1
            except AssertionError as error:
                differ.append((seed, str(error)))
    finally:
        faulthandler.cancel_dump_traceback_later()
    return ends, differ


def _pieces(case: Case, first: int, last: int, workers: int) -> Iterator[tuple[range, Counter[str], list[tuple[int, str]]]]:
    """All pieces, in order."""
    pieces = [range(at, min(at + PIECE, last)) for at in range(first, last, PIECE)]
    if workers == 1 and len(pieces) <= PIECES:
        for piece in pieces:
            yield (piece, *_piece(case, piece))
        return
    # A process that is forked has none of the engine's threads.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), max_tasks_per_child=PIECES) as pool:
        waiting: dict[int, Future[Any]] = {}
        begun = 0
        for at, piece in enumerate(pieces):
            while begun < len(pieces) and begun < at + 4 * workers:
                waiting[begun] = pool.submit(_piece, case, pieces[begun])
                begun += 1
            wait([waiting[at]], return_when=FIRST_COMPLETED)
            try:
                yield (piece, *waiting.pop(at).result())
            except BrokenProcessPool:
                raise SystemExit(f"a process ended while it ran seeds from {piece.start} to {piece.start + 4 * workers * PIECE}") from None


def main(doc: str | None, kinds: dict[str, Case]) -> None:
    """The command: the first kind, where none is named."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=tuple(kinds), default=next(iter(kinds)), help="what is run (default: %(default)s)")
    parser.add_argument("--count", type=int, default=1000, help="how many, those of the state included (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="that of the first (default: %(default)s)")
    parser.add_argument("--state", type=Path, help="a file that keeps the count: a later run goes on there")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: %(default)s)")
    asked = parser.parse_args()
    state = State.read(asked.state, asked.seed)
    begun, first = time.monotonic(), state.next
    for piece, ends, differ in _pieces(kinds[asked.kind], state.next, asked.seed + asked.count, asked.workers):
        for seed, text in differ:
            state.differ.append(seed)
            print(f"seed {seed}\n{text}", file=sys.stderr, flush=True)
        state.ends = dict(Counter(state.ends) + ends)
        state.next = piece.stop
        state.write(asked.state)
    told = ", ".join(f"{count} {end}" for end, count in sorted(state.ends.items()))
    print(f"{state.next - asked.seed} {asked.kind} ({told}): {len(state.differ)} differ {state.differ[:20]}; {state.next - first} of them now, in {time.monotonic() - begun:.0f} s")
    sys.exit(bool(state.differ))
