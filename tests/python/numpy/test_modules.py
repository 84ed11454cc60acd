"""The modules of the front end for arrays: which may import which, and that none hides a name of NumPy's."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import ModuleType

import numpy

import airloom.numpy

ROOT = Path(airloom.numpy.__file__).parent
PAGE = Path(__file__).resolve().parents[3] / "ARCHITECTURE.md"


def modules() -> list[str]:
    section = PAGE.read_text(encoding="utf-8").partition("## Modules of the front end for arrays")[2].partition("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \| [^|]+ \|$", section, re.MULTILINE)


def test_every_module_has_its_row() -> None:
    packages = [path.parent.name for path in ROOT.glob("*/__init__.py")]
    assert sorted(modules()) == sorted([*packages, *(path.stem for path in ROOT.glob("*.py") if path.stem != "__init__")])


def test_modules_import_those_above() -> None:
    order = modules()
    for name in order:
        path = ROOT / f"{name}.py"
        tree = ast.parse((path if path.exists() else ROOT / name / "__init__.py").read_text(encoding="utf-8"))
        # What is imported when a function is called, or for types alone, is no dependence of the module.
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("airloom.numpy"):
                found = [node.module.removeprefix("airloom.numpy.")] if node.module != "airloom.numpy" else [alias.name for alias in node.names]
                for other in found:
                    assert order.index(other) < order.index(name), f"`{name}` imports `{other}`"


def test_no_module_hides_a_name_of_numpy() -> None:
    # Namespaces of NumPy's are namespaces of ours.
    hidden = [name for name in modules() if hasattr(numpy, name)]
    assert all(isinstance(getattr(numpy, name), ModuleType) for name in hidden)
