"""A process that runs programs for another: one that hangs is ended, one that crashes is a finding, and the next program has a new process."""

from __future__ import annotations

import gc
import json
import os
import select
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from programs.differences import Difference
from programs.folder import memory

#: How many seconds a program may compute; one that waits, or has to on a machine that is busy with others, may take four times as long by the clock.
LIMIT = 30.0
PATIENCE = 4.0
#: How many seconds a process may take to begin.
BEGIN = 60.0
#: How many programs a process runs before a new one takes over, so that what one left behind is not what the others find.
MOST = 2_000


class Worker:
    """A process that is there when something is asked of it."""

    def __init__(self, fault: str | None = None, configuration: dict[str, Any] | None = None, engine_fails: bool = False) -> None:
        self._given = {"fault": fault, "configuration": configuration or {}, "engine_fails": engine_fails}
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._held = b""
        self._asked = 0

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
        if self._folder is not None:
            self._folder.cleanup()
        self._process = self._folder = None

    def differences(self, text: str, looks: Sequence[str] = ("end", "each"), limit: float = LIMIT, waiting: bool = True) -> list[Difference]:
        return self._ask({"text": text, "looks": list(looks), "waiting": waiting}, limit)[1]

    def of_seed(self, seed: int) -> tuple[str, list[Difference]]:
        """The program of a seed, and its differences."""
        from programs.generate import program

        text, found = self._ask({"seed": seed, "looks": ["end", "each"], "waiting": True}, LIMIT)
        return (text or "\n".join(program(seed)) + "\n"), found

    def _ask(self, question: dict[str, Any], limit: float) -> tuple[str, list[Difference]]:
        if self._process is None or self._asked >= MOST:
            self._begin()
        self._asked += 1
        process = self._process
        assert process is not None and process.stdin is not None
        try:
            process.stdin.write(json.dumps(question).encode() + b"\n")
            process.stdin.flush()
            line = self._line(limit)
        except BrokenPipeError:
            line = b""
        if line:
            answer = json.loads(line)
            return answer["text"], [Difference(**one) for one in answer["differences"]]
        sort = "hang" if line is None else "crash"
        code = "" if line is None else f" (status {process.wait()})"
        self.end()
        return "", [Difference(sort, "", 0, "", f"no answer within {limit:g} s" if line is None else f"the process ended{code}")]

    def _begin(self) -> None:
        self.end()
        root = Path(__file__).resolve().parents[1]
        package = root.parents[2] / "python"
        path = os.pathsep.join([str(root), str(package), os.environ.get("PYTHONPATH", "")])
        # A process that is killed removes nothing: its temporary files go into a folder that is removed with it.
        self._folder = tempfile.TemporaryDirectory(prefix="airloom-programs-", dir=memory())
        environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": self._folder.name}
        self._process = subprocess.Popen([sys.executable, "-m", "programs.worker", json.dumps(self._given)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self._held, self._asked = b"", 0
        if not self._line(BEGIN):
            raise RuntimeError("the process that runs programs does not begin")

    def _line(self, limit: float) -> bytes | None:
        """The next line of the process: nothing where none comes in time, and an empty one where the process has ended."""
        assert self._process is not None and self._process.stdout is not None
        until = time.monotonic() + PATIENCE * limit
        before = _computed(self._process.pid)
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._held:
            ready, _, _ = select.select([pipe], [], [], 0.25)
            if not ready:
                if time.monotonic() > until or _computed(self._process.pid) - before > limit:
                    return None
                continue
            more = os.read(pipe, 1 << 20)
            if not more:
                return b""
            self._held += more
        line, _, self._held = self._held.partition(b"\n")
        return line


def _computed(process: int) -> float:
    """How many seconds a process has computed; where that is not told, how late it is."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    # Programs may print: answers go where nobody else writes.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import airloom
    from programs import execute, failures
    from programs.check import differences, of_seed
    from programs.faults import FAULTS
    from programs.folder import keep_folder

    keep_folder()
    given = json.loads(sys.argv[1])
    if given["fault"] is not None:
        FAULTS[given["fault"]].put()
    if given["engine_fails"]:
        failures.put()
        execute.ENGINE_FAILS = True
    # What is there by now stays: looking through it for what nobody holds takes a fifth of the time.
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    with airloom.options(**given["configuration"]):
        print("ready", file=answers, flush=True)
        for line in sys.stdin:
            question = json.loads(line)
            text = question.get("text", "")
            failures.begin(line)
            try:
                if "seed" in question:
                    text, found = of_seed(question["seed"], question["looks"], question["waiting"])
                else:
                    found = differences(text, question["looks"], question["waiting"])
            except Exception:
                # A mistake of the harness is told as such, with where it was made.
                found = [Difference("harness", "", 0, "", traceback.format_exc()[-1500:])]
            print(json.dumps({"text": text, "differences": [one.as_dict() for one in found]}), file=answers, flush=True)


if __name__ == "__main__":
    main()
