"""The Polars front end stands on the graph alone: nothing of it is pandas-shaped, and nothing writes programs as text."""

from __future__ import annotations

import ast
from pathlib import Path

import airloom.polars

ROOT = Path(airloom.polars.__file__).parent


def imported(path: Path) -> set[str]:
    """The modules that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module)
    return found


def test_nothing_of_pandas_is_imported() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        for module in imported(path):
            assert not module.startswith(("airloom.pandas", "pandas")), f"{path.name} imports {module}"


def test_only_the_reader_knows_what_polars_calls_its_parts() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path.parent.name != "reading":
            assert "view_current_node" not in text and "view_expression" not in text, path.name


def test_no_program_is_written_as_text() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert "ir.parse" not in text and "Graph.parse" not in text, path.name


def test_files_are_short() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path.name
