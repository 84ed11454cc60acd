"""Runs the commands of `make test` one after another, and says at the end what failed, what was skipped and why, and what was left behind.

Temporary files of the tests go into a folder of this run: what is still there afterwards was left behind by a test, and fails the run.

    python3 tests/run.py COMMAND [-- COMMAND]...
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

#: Tests that skip themselves add a line to this file below the temporary folder, where it is there.
SKIPPED = "airloom-skipped.txt"


def commands(arguments: list[str]) -> list[list[str]]:
    """The commands, which `--` parts."""
    found: list[list[str]] = [[]]
    for argument in arguments:
        if argument == "--":
            found.append([])
        else:
            found[-1].append(argument)
    return [command for command in found if command]


def left_behind(folder: Path) -> list[str]:
    """What is in the folder, but for the list of what was skipped."""
    return sorted(path.name for path in folder.iterdir() if path.name != SKIPPED)


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="airloom-run-"))
    # Servers that tests start run as another user, who must be able to pass through.
    folder.chmod(0o755)
    (folder / SKIPPED).touch()
    environment = {**os.environ, "TMPDIR": str(folder)}
    # Ctrl-C ends the command that runs; where it is ignored (in the background of a shell), tests still hear their own.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Whoever ends this run by a signal finds no folder either.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    failures, lines = [], []
    try:
        for command in commands(sys.argv[1:]):
            shown = " ".join(command)
            began = time.monotonic()
            print(f"$ {shown}", flush=True)
            code = subprocess.run(command, env=environment, check=False).returncode
            lines.append(f"{'passed' if code == 0 else f'failed ({code})'} in {time.monotonic() - began:.0f} s: {shown}")
            if code != 0:
                failures.append(shown)
        left = left_behind(folder)
        skipped = sorted(set((folder / SKIPPED).read_text().splitlines()))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\nSummary", *(f"  {line}" for line in lines), sep="\n")
    print(*(f"  skipped: {why}" for why in skipped) if skipped else ["  skipped: nothing"], sep="\n")
    if left:
        print(f"  left behind in the temporary folder: {len(left)}: {', '.join(left[:20])}")
    else:
        print("  left behind in the temporary folder: nothing")
    return 1 if failures or left else 0


if __name__ == "__main__":
    sys.exit(main())
