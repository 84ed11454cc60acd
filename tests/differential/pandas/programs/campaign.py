"""A long run of random programs: on several processes, and over several days."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from programs.differences import Difference
from programs.worker import Worker

#: After this many programs it is told how far the run is.
TOLD = 1_000


@dataclass
class State:
    """How far a run is: its seeds so far, and those that showed a difference, each with its sort. `templates` are what seeds stand for."""

    first: int
    next: int
    templates: str
    found: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path | None, first: int) -> State:
        """The state that a run stopped in; a new one where there is none, or where seeds stand for other programs by now."""
        if path is not None and path.exists():
            held = cls(**json.loads(path.read_text()))
            if held.templates == templates():
                return held
            print(f"seeds stand for other programs than those of {path.name}: it begins again with seed {first}", flush=True)
        return cls(first, first, templates())

    def write(self, path: Path | None) -> None:
        if path is not None:
            path.write_text(json.dumps(asdict(self)) + "\n")

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} in {sort}" for sort, count in Counter(self.found.values()).most_common()) or "none"
        return f"programs: {self.next - self.first}, seeds {self.first} to {self.next - 1}; with differences: {len(self.found)} ({kinds})"


def templates() -> str:
    """What says whether seeds stand for the same programs: all that programs are written by."""
    here = Path(__file__).parent
    sources = [here / "generate.py", here / "world.py", *sorted((here / "templates").glob("*.py"))]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]


class Pool:
    """Processes that run programs, asked by a thread each."""

    def __init__(self, workers: int, make: Callable[[], Worker]) -> None:
        self._make = make
        self._own = threading.local()
        self._made: list[Worker] = []
        self._threads = ThreadPoolExecutor(workers)
        self._ahead = 4 * workers

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)
        for worker in self._made:
            worker.end()

    def of_seeds(self, seeds: Iterator[int]) -> Iterator[tuple[int, str, list[Difference]]]:
        """The programs of seeds and their differences, in the order of the seeds."""
        waiting: deque[tuple[int, Future[tuple[str, list[Difference]]]]] = deque()
        for seed in seeds:
            waiting.append((seed, self._threads.submit(self._asked, seed)))
            if len(waiting) >= self._ahead:
                done, answer = waiting.popleft()
                yield done, *answer.result()
        while waiting:
            done, answer = waiting.popleft()
            yield done, *answer.result()

    def _asked(self, seed: int) -> tuple[str, list[Difference]]:
        worker = getattr(self._own, "worker", None)
        if worker is None:
            worker = self._own.worker = self._make()
            self._made.append(worker)
        return worker.of_seed(seed)


def run(state: State, path: Path | None, programs: int, seconds: float, workers: int, make: Callable[[], Worker], tell: Callable[[int, str, list[Difference]], None]) -> None:
    """Goes on until there are `programs` in all, or the time is over; `tell` is given each program that shows a difference."""
    until = time.monotonic() + seconds

    def seeds() -> Iterator[int]:
        at = state.next
        while at < state.first + programs and time.monotonic() < until:
            yield at
            at += 1

    with Pool(workers, make) as pool:
        for seed, text, differences in pool.of_seeds(seeds()):
            if differences:
                state.found[str(seed)] = differences[0].sort
                tell(seed, text, differences)
            state.next = seed + 1
            state.write(path)
            if (state.next - state.first) % TOLD == 0:
                print(state, flush=True)
