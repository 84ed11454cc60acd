"""Compiled code that is kept on disk: found by another process, and only slower where the folder or an entry is of no use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from airloom import _native

pytestmark = pytest.mark.skipif(not hasattr(_native, "keep_code_in"), reason="airloom was built without native code")

_PROGRAM = '''
import json, sys
import numpy as np
import airloom
from airloom import _native

@airloom.jit
def smooth(a, steps):
    b = a.copy()
    for _ in range(steps):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a, b = b, a
    return a

smooth.in_background = False
if len(sys.argv) > 1:
    _native.keep_code_in(sys.argv[1], int(sys.argv[2]))
made = smooth(np.arange(12.0) % 5, 4)
assert made.tobytes() == smooth.__wrapped__(np.arange(12.0) % 5, 4).tobytes()
print(json.dumps([made.tolist(), _native.code_on_disk(), [part.compiled != [] for part in smooth.parts]]))
'''


def begun(folder: Path, tmp_path: Path, *args: str) -> subprocess.Popen[str]:
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM)
    return subprocess.Popen([sys.executable, str(program), *args], env={**os.environ, "AIRLOOM_CODE_CACHE": str(folder)}, stdout=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[list[float], list[int]]:
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    found: Any = json.loads(output)
    assert any(found[2])
    return found[0], found[1]


def test_another_process_finds_it(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    # Two at once write the same entries.
    answers = [ended(process) for process in [begun(folder, tmp_path) for _ in range(2)]]
    assert sum(counts[1] for _, counts in answers) >= 1
    entries = sorted(folder.iterdir())
    assert entries and all(path.suffix == ".code" for path in entries)
    again, counts = ended(begun(folder, tmp_path))
    assert again == answers[0][0] == answers[1][0]
    assert counts[0] >= 1 and counts[1:] == [0, 0]
    # What is damaged is compiled again, and replaced.
    for number, path in enumerate(entries):
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2] if number % 2 == 0 else whole[:-1] + bytes([whole[-1] ^ 1]))
    mended, counts = ended(begun(folder, tmp_path))
    assert mended == again and counts[0] == 0 and counts[2] >= 1 and counts[1] >= 1
    assert ended(begun(folder, tmp_path))[1][0] >= 1


def test_a_folder_that_cannot_be_is_only_slower(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    _, counts = ended(begun(in_the_way / "code", tmp_path))
    assert counts == [0, 0, 0]


def test_there_is_no_more_than_may_be(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    old = folder / f"{'0' * 32}.code"
    old.write_bytes(b"x" * 10_000)
    os.utime(old, (1, 1))
    other = folder / "notes.txt"
    other.write_text("nothing of ours")
    ended(begun(folder, tmp_path, str(folder), "5000"))
    assert not old.exists() and other.exists()
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 20_000
