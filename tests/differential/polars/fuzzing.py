"""Random queries on Polars and on airloom's engine: `python -m fuzzing --count 1000 --seed 0` runs a thousand. A query that differs is made small, and told with its seed."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import compare
import polars as pl
from polars.exceptions import PanicException
from queries import query, written

#: Polars holds a column of one value only once, and some of its functions then make one row of it.
MISTAKE = "zip node received non-equal length inputs"


#: After how many queries it is written down how far a run came.
SAVED = 100


def difference(frame: pl.DataFrame, steps: list[str]) -> str | None:
    """What is wrong with a query; none where both say the same. A query that Polars does not take is no query."""
    lazy = taken(frame, steps)
    return None if lazy is None else difference_of(lazy)


def difference_of(lazy: pl.LazyFrame) -> str | None:
    """What is wrong with a query that Polars takes; none where both say the same."""
    try:
        compare.same(lazy, close=True)
    except PanicException:
        # Polars itself broke, and there is no answer to compare with.
        return None
    except Exception as error:
        return None if MISTAKE in str(error) or undecided(lazy) else f"{type(error).__name__}: {error}"
    return None


def taken(frame: pl.DataFrame, steps: list[str]) -> pl.LazyFrame | None:
    """The query of some steps, where Polars takes it."""
    try:
        lazy = query(frame, steps)
        lazy.collect_schema()
    except Exception:
        return None
    return lazy


def undecided(lazy: pl.LazyFrame) -> bool:
    """Whether Polars itself gives several answers: some of its joins keep an order only most of the time, and one of its engines may fail where the other does not."""
    answers = [answer(lazy, engine) for engine in ("streaming", "in-memory") for _ in range(6)]
    first = answers[0]
    if first is None:
        return any(other is not None for other in answers)
    return any(other is None or not other.equals(first) for other in answers)


def answer(lazy: pl.LazyFrame, engine: Literal["streaming", "in-memory"]) -> pl.DataFrame | None:
    """What an engine of Polars makes of a query; none where it fails."""
    try:
        return lazy.collect(engine=engine)
    except Exception:
        return None


def shrunk(frame: pl.DataFrame, steps: list[str]) -> tuple[pl.DataFrame, list[str]]:
    """A smaller query that is wrong too."""
    again = True
    while again:
        again = False
        for at in range(len(steps)):
            fewer = steps[:at] + steps[at + 1 :]
            if difference(frame, fewer) is not None:
                steps, again = fewer, True
                break
        for part in (frame.head(frame.height // 2), frame.tail(frame.height // 2), frame.head(frame.height - 1), frame.tail(frame.height - 1)):
            if part.height < frame.height and difference(part, steps) is not None:
                frame, again = part, True
                break
    return frame, steps


def wrong(seeds: Iterator[int]) -> Iterator[str]:
    """Texts of those of these queries that are wrong, made small."""
    for seed in seeds:
        frame, steps = written(seed)
        lazy = taken(frame, steps)
        told = None if lazy is None else difference_of(lazy)
        if told is not None:
            yield from told_small(seed, frame, steps)


def told_small(seed: int, frame: pl.DataFrame, steps: list[str]) -> Iterator[str]:
    """The text of a query that is wrong, made small; none where it differs no more: then it is one of those that Polars itself answers in several ways."""
    small, fewer = shrunk(frame, steps)
    told = difference(small, fewer)
    if told is not None:
        yield f"seed {seed}:\nf = {small.to_dict(as_series=False)}\n" + "\n".join(f"f = {step}" for step in fewer) + f"\n{told}\n"


def seeds(first: int, count: int, seconds: float | None) -> Iterator[int]:
    """Numbers from a first one, as many as asked for, or as time allows."""
    ends = None if seconds is None else time.monotonic() + seconds
    for seed in range(first, first + count):
        if ends is not None and time.monotonic() > ends:
            return
        yield seed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="how many queries (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="the first one (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=None, help="when to stop, whatever the count")
    parser.add_argument("--state", type=Path, default=None, help="a file that says how far earlier runs came: this one goes on there")
    asked = parser.parse_args()
    before = json.loads(asked.state.read_text()) if asked.state is not None and asked.state.exists() else {"next": asked.seed, "compared": 0, "differ": 0}
    compared, found = before["compared"], before["differ"]
    last = before["next"]
    for seed in seeds(before["next"], asked.count, asked.seconds):
        frame, steps = written(seed)
        lazy = taken(frame, steps)
        compared += lazy is not None
        if lazy is not None and difference_of(lazy) is not None:
            for text in told_small(seed, frame, steps):
                found += 1
                print(text, flush=True)
        last = seed + 1
        if asked.state is not None and last % SAVED == 0:
            asked.state.write_text(json.dumps({"next": last, "compared": compared, "differ": found}))
    if asked.state is not None:
        asked.state.write_text(json.dumps({"next": last, "compared": compared, "differ": found}))
    print(f"{found} of {compared} queries that Polars takes differ", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
