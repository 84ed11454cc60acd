"""Runs random programs on pandas and on airloom, and tells where they differ.

    python -m programs --programs 1000 --first 0
    python -m programs --seconds 600 --state fuzz-pandas.json
    python -m programs --faults
    python -m programs --file programs/kept/0001-values.py
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from programs.check import shown
from programs.differences import Difference
from programs.faults import FAULTS
from programs.keep import keep
from programs.shrink import shows, shrunk
from programs.worker import LIMIT, Worker

#: Within how many programs a fault must be found.
MOST = 3_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m programs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=None, help="how many programs to run (default: 1000, or as many as there is time for)")
    parser.add_argument("--seconds", type=float, default=None, help="how long to run")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--state", type=Path, default=None, help="a file that says where the last run stopped: this one goes on from there, and writes it anew")
    parser.add_argument("--keep", action="store_true", help="keep what is found as files in programs/kept")
    parser.add_argument("--no-shrink", action="store_true", help="do not make programs small that differ")
    parser.add_argument("--faults", nargs="*", default=None, metavar="NAME", help=f"put faults back, all or these, and tell within how many programs each is found (at most {MOST})")
    parser.add_argument("--file", type=Path, default=None, help="run this one program")
    given = parser.parse_args()
    if given.file is not None:
        return _of_file(given.file)
    if given.faults is not None:
        return _of_faults(given.faults or list(FAULTS), given.first)
    return _of_seeds(given)


def _of_seeds(given: argparse.Namespace) -> int:
    first = given.first
    if given.state is not None and given.state.exists():
        first = json.loads(given.state.read_text())["next"]
    most = given.programs if given.programs is not None else 1_000 if given.seconds is None else sys.maxsize
    until = time.monotonic() + (given.seconds if given.seconds is not None else float("inf"))
    found: Counter[str] = Counter()
    seed = first
    with Worker() as worker:
        while seed < first + most and time.monotonic() < until:
            text, differences = worker.of_seed(seed)
            if differences:
                found[differences[0].sort] += 1
                _tell(seed, text, differences, worker, given)
            seed += 1
            if given.state is not None:
                given.state.write_text(json.dumps({"next": seed}) + "\n")
    kinds = ", ".join(f"{count} in {sort}" for sort, count in found.most_common()) or "none"
    print(f"programs: {seed - first}, seeds {first} to {seed - 1}; with differences: {sum(found.values())} ({kinds})")
    return 1 if found else 0


def _tell(seed: int, text: str, differences: list[Difference], worker: Worker, given: argparse.Namespace) -> None:
    one = differences[0]
    print(f"seed {seed}: {one.sort}, looking {one.looks or 'at all'}, statement {one.statement}, `{one.variable}`: {one.detail}", flush=True)
    if not given.no_shrink:
        looks = [one.looks] if one.looks else ["end", "each"]
        text = shrunk(text, shows(one.sort, lambda smaller: worker.differences(smaller, looks)))
        for after in worker.differences(text, looks)[:1]:
            print(f"  {after.sort}, statement {after.statement}, `{after.variable}`: {after.detail}")
    print("    " + shown(text).replace("\n", "\n    "), flush=True)
    if given.keep:
        print(f"  kept as {keep(text, one.sort, seed).name}", flush=True)


def _of_file(path: Path) -> int:
    with Worker() as worker:
        found = worker.differences(path.read_text(), limit=2 * LIMIT)
    for one in found:
        print(f"{one.sort}, looking {one.looks}, statement {one.statement}, `{one.variable}`: {one.detail}")
    return 1 if found else 0


def _of_faults(names: list[str], first: int) -> int:
    """Tells for each fault which program finds it first: one that has no difference without it."""
    missed = 0
    with Worker() as sound:
        for name in names:
            with Worker(fault=name) as worker:
                for seed in range(first, first + MOST):
                    text, differences = worker.of_seed(seed)
                    if differences and differences[0].sort != "hang" and not sound.differences(text):
                        print(f"{name}: seed {seed}, {differences[0].sort}: {differences[0].detail[:200]}", flush=True)
                        break
                else:
                    missed += 1
                    print(f"{name}: not found within {MOST} programs", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
