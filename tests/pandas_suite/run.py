"""Runs pandas' own tests as they are, then with our classes in place of pandas', and tells what that shows.

    python tests/pandas_suite/run.py [--directories frame,series] [--every 1 [--offset 0]]

Small frames are planned too, messages and warnings are compared, and no test is left out but those that pandas itself marks as slow, or as needing a network or a database.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pandas

HERE = Path(__file__).resolve().parent
DIRECTORIES = "frame series groupby reshape indexing window resample strings reductions apply copy_view computation arithmetic".split()


def run(directories: list[str], every: int, offset: int, ours: bool, log: Path) -> None:
    """One run over some directories of tests."""
    log.unlink(missing_ok=True)
    tests = Path(pandas.__file__).parent / "tests"
    environment = {**os.environ, "AIRLOOM_SUITE": "1" if ours else "0", "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    for directory in directories:
        command = [sys.executable, "-m", "pytest", "-p", "plugin", "-n", "auto", "-q", "-p", "no:cacheprovider", "--airloom-log", str(log)]
        command += ["--airloom-every", str(every), "--airloom-offset", str(offset), "-m", "not slow and not single_cpu and not db and not network", str(tests / directory)]
        # Another folder, so that nothing of ours is taken for a part of the tests.
        ran = subprocess.run(command, env=environment, cwd=log.parent, capture_output=True, text=True, check=False)
        print(f"{'airloom' if ours else 'pandas'} {directory}: {ran.stdout.strip().splitlines()[-1]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--directories", default=",".join(DIRECTORIES), help="of pandas' tests (default: %(default)s)")
    parser.add_argument("--every", type=int, default=1, help="run only every n-th test (default: all)")
    parser.add_argument("--offset", type=int, default=0, help="which of the first n is the first to run (default: %(default)s)")
    parser.add_argument("--logs", type=Path, default=None, help="the folder for one line for each test (default: one in the cache)")
    parser.add_argument("--reasons", type=int, default=30, help="how many of the most frequent reasons to show (default: %(default)s)")
    arguments = parser.parse_args()
    folder = arguments.logs or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "airloom" / "pandas-suite"
    folder.mkdir(parents=True, exist_ok=True)
    chosen = arguments.directories.split(",")
    plain, ours = folder / "plain.jsonl", folder / "ours.jsonl"
    run(chosen, arguments.every, arguments.offset, False, plain)
    run(chosen, arguments.every, arguments.offset, True, ours)
    some = ["--some"] if arguments.every > 1 or set(chosen) != set(DIRECTORIES) else []
    told = subprocess.run([sys.executable, str(HERE / "summary.py"), str(ours), str(plain), "--reasons", str(arguments.reasons), *some], check=False)
    sys.exit(told.returncode)


if __name__ == "__main__":
    main()
