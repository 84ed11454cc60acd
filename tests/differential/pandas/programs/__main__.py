"""Runs random programs on pandas and on airloom, and tells where they differ.

    python -m programs --programs 1000 --first 0
    python -m programs --programs 100000 --state fuzz-pandas.json --workers 2
    python -m programs --faults
    python -m programs --file programs/kept/0001-values.py
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from programs import campaign
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
    parser.add_argument("--programs", type=int, default=None, help="how many programs to run in all, those before `--state` went on included (default: 1000, or as many as there is time for)")
    parser.add_argument("--seconds", type=float, default=None, help="how long to run")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--state", type=Path, default=None, help="a file that says where the last run stopped: this one goes on from there, and writes it anew")
    parser.add_argument("--workers", type=int, default=1, help="how many processes run programs (default: 1)")
    parser.add_argument("--keep", action="store_true", help="keep what is found as files in programs/kept")
    parser.add_argument("--no-shrink", action="store_true", help="do not make programs small that differ")
    parser.add_argument("--faults", nargs="*", default=None, metavar="NAME", help=f"put faults back, all or these, and tell within how many programs each is found (at most {MOST})")
    parser.add_argument("--engine-fails", action="store_true", help="let the engine fail at random: pandas must answer in its place")
    parser.add_argument("--file", type=Path, default=None, help="run this one program")
    given = parser.parse_args()
    if given.file is not None:
        return _of_file(given.file)
    if given.faults is not None:
        return _of_faults(given.faults or list(FAULTS), given.first)
    return _of_seeds(given)


def _of_seeds(given: argparse.Namespace) -> int:
    state = campaign.State.read(given.state, given.first)
    most = given.programs if given.programs is not None else 1_000 if given.seconds is None else sys.maxsize
    with Worker(engine_fails=given.engine_fails) as worker:
        campaign.run(
            state,
            given.state,
            most,
            given.seconds if given.seconds is not None else float("inf"),
            given.workers,
            lambda: Worker(engine_fails=given.engine_fails),
            lambda seed, text, differences: _tell(seed, text, differences, worker, given),
        )
    print(state)
    return 1 if state.found else 0


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
