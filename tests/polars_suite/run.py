"""Runs Polars' own tests as they are, then with our engine in place of Polars', and tells what that shows.

    python tests/polars_suite/run.py TESTS [--directories operations,lazyframe] [--every 1] [--offset 0] [--workers 1]

TESTS is the folder `py-polars/tests` of a checkout of Polars, best of the version that is installed: the tests are not in its wheel.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIRECTORIES = "operations lazyframe functions expr dataframe datatypes series sql streaming constructors io interop meta testing utils".split()
#: Tests that Polars itself runs apart from the others.
MARKS = "not slow and not write_disk and not release and not docs and not hypothesis and not benchmark and not ci_only and not debug"


def run(tests: Path, directory: str, every: int, offset: int, workers: int, ours: bool, log: Path) -> str:
    """One run over a directory of tests; the last line that it printed."""
    environment = {**os.environ, "AIRLOOM_SUITE": "1" if ours else "0", "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "pytest", "-o", "addopts=", "--import-mode=importlib", "-p", "plugin", "-p", "no:cacheprovider", "-q", "--tb=short", "-W", "ignore"]
    command += ["--continue-on-collection-errors", "-m", MARKS, "--airloom-log", str(log), "--airloom-every", str(every), "--airloom-offset", str(offset)]
    command += ["-n", str(workers)] if workers > 1 else []
    ran = subprocess.run([*command, str(tests / "unit" / directory)], env=environment, cwd=tests.parent, capture_output=True, text=True, check=False)
    lines = (ran.stdout.strip() or ran.stderr.strip()).splitlines()
    return lines[-1] if lines else f"exit {ran.returncode}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", type=Path, help="the folder `py-polars/tests` of a checkout of Polars")
    parser.add_argument("--directories", default=",".join(DIRECTORIES), help="of its folder `unit` (default: %(default)s)")
    parser.add_argument("--every", type=int, default=1, help="run only every n-th test (default: all)")
    parser.add_argument("--offset", type=int, default=0, help="which of every n tests, from 0 (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="how many processes (default: %(default)s)")
    parser.add_argument("--logs", type=Path, default=None, help="the folder for one line for each test (default: one in the cache)")
    parser.add_argument("--reasons", type=int, default=30, help="how many of the most frequent reasons to show (default: %(default)s)")
    parser.add_argument("--ours-only", action="store_true", help="take what Polars does without us from the logs of an earlier run")
    asked = parser.parse_args()
    folder = asked.logs or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "airloom" / "polars-suite"
    folder.mkdir(parents=True, exist_ok=True)
    chosen = asked.directories.split(",")
    for ours, log in ((False, folder / "plain.jsonl"), (True, folder / "ours.jsonl")):
        if not ours and asked.ours_only:
            continue
        log.unlink(missing_ok=True)
        for directory in chosen:
            print(f"{'airloom' if ours else 'Polars'} {directory}: {run(asked.tests.resolve(), directory, asked.every, asked.offset, asked.workers, ours, log)}", flush=True)
    some = ["--some"] if asked.every > 1 or set(chosen) != set(DIRECTORIES) else []
    told = subprocess.run([sys.executable, str(HERE / "summary.py"), str(folder / "ours.jsonl"), str(folder / "plain.jsonl"), "--reasons", str(asked.reasons), *some], check=False)
    sys.exit(told.returncode)


if __name__ == "__main__":
    main()
