"""Types of the package: checked strictly, and stubs against the module they are of."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def checked(*command: str) -> None:
    ran = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_package_is_typed() -> None:
    checked("mypy", "--strict", "python/airloom")


def test_users_see_the_types(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        """
import airloom
from airloom import ir

t: ir.Node = ir.source("t", ir.rel({"a": ir.i64}))
kept: ir.Node = ir.filter(t, lambda r: r.a > 1)
joined: ir.Node = ir.join(t, kept, lambda l: {}, lambda r: {}, lambda l, r: True, how="left")
f: ir.Function = ir.function(x=ir.i64)(lambda x: x + 1)
airloom.options.threads = 4
checked: int = airloom.rules.check("merge-filters", cases=1)
"""
    )
    checked("mypy", "--strict", str(program))
    program.write_text('from airloom import ir\nir.join(ir.const(1), ir.const(2), lambda l: {}, lambda r: {}, lambda l, r: True, how="sideways")\n')
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(program)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 1 and "sideways" in ran.stdout


def test_stubs_say_what_the_module_is() -> None:
    checked("mypy.stubtest", "airloom._native", "--allowlist", "tests/python/stubtest-allowlist.txt")
