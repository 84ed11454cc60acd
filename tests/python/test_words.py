"""The words of the package are the field's: what was once called otherwise stays out of `python/`, and of what tests say about it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: The folders whose words are checked.
FOLDERS = ("python/airloom", "tests/python/pandas", "tests/differential/pandas", "tests/python/polars", "tests/differential/polars", "tests/differential/numpy")
#: Written by the table of ops, whose words are those of the language's manual.
GENERATED = ROOT / "python" / "airloom" / "ir" / "_ops"

#: What is not said, as a pattern, and what is said in its stead.
PHRASES = {
    r"only pandas knows": "has no native type",
    r"that (is|are) none\b": "the parameter and its value, such as `axis={axis!r}`",
    r"truth values?": "boolean",
    r"whole[- ]numbers?": "integer",
    r"\binstants?\b": "timestamp",
    r"lengths? of time": "timedelta",
    r"stands? twice": "duplicate",
    r"\bso many\b": "`n`",
    r"(?<!\bin )(?<!\bin its )(?<!\bin the )(?<!\bin their )(?<!\bin-)(?<!\btake the )\bplaces?\b": "position",
}
#: Names of classes and functions that were replaced.
NAMES = {
    "Held": "SharedArray",
    "HeldLabels": "SharedLabels",
    "Taken": "DeferredTake",
    "Positions": "RangeLabels",
    "Keys": "ColumnLabels",
    "Undecided": "DeferredDtype",
    "Shown": "ObjectView",
    "Witness": "ManagerStamp",
    "Space": "MemoryRows",
    "StoredRows": "FileScan",
    "Extended": "Projected",
    "Looked": "LookupJoin",
    "Stacked": "Concatenated",
    "opaque": "unsupported",
    "pinned": "evaluate_windows",
    "is_whole": "is_integer",
}
#: Words of the extension, by which a writer is told how a column is written, and names of its parts.
OF_THE_EXTENSION = re.compile(r"def place\(self\)")


def sources() -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py*")) if path.suffix in (".py", ".pyi") and GENERATED not in path.parents]


def test_phrases_stay_out() -> None:
    search = re.compile("|".join(f"(?:{phrase})" for phrase in PHRASES), re.IGNORECASE)
    found = []
    for path in sources():
        text = OF_THE_EXTENSION.sub("", path.read_text(encoding="utf-8"))
        for match in search.finditer(text):
            word = next(word for phrase, word in PHRASES.items() if re.compile(phrase, re.IGNORECASE).match(text, match.start()))
            found.append(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: for `{match[0]}` it is: {word}")
    assert not found, "\n".join(found)


def test_names_stay_out() -> None:
    found = [f"{path.relative_to(ROOT)}:{line}: the name for `{name}` is `{NAMES[name]}`" for path in sources() for line, name in names(ast.parse(path.read_text(encoding="utf-8"))) if name in NAMES]
    assert not found, "\n".join(found)


def test_the_search_finds_words() -> None:
    for wrong in ("A column of instants.", "The place of a row.", "a whole number", "an axis that is none", "Every so many-th row."):
        assert any(re.search(phrase, wrong, re.IGNORECASE) for phrase in PHRASES), wrong
    for fine in ("It writes in place.", "One in place of the other.", "replaced", "A value, or something in its place."):
        assert not any(re.search(phrase, fine, re.IGNORECASE) for phrase in PHRASES), fine
    assert "Held" in [name for _, name in names(ast.parse("from a import Held"))]


def names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The names in a program, and the lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((node.lineno, alias.name) for alias in node.names)
