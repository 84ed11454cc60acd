"""The one reader of Python's syntax: that there is no other, and what it does for who says nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import airloom
from airloom.functions.reader import Node, Reader, word
from airloom.functions.refusals import NotCompiled
from airloom.functions.source import statements_in

ROOT = Path(airloom.__file__).parent
#: Modules outside of `functions` that name classes of the syntax, and why.
MAKERS = {
    "pandas/udf/bytecode.py": "makes the syntax of functions that have no text, of their code",
    "pandas/udf/opcodes.py": "makes the syntax of functions that have no text, of their code",
    "pandas/udf/paths.py": "makes the syntax of functions that have no text, of their code",
}
#: Forms that only who reads all of the syntax has to tell apart; and who has to, besides the reader.
TELLING = frozenset({"AnnAssign", "BoolOp", "Dict", "Expr", "JoinedStr", "Set"})
READERS = {"functions/reader.py": "the reader", "functions/regions.py": "finds the statements of a function that may be compiled at all"}


def test_no_module_outside_reads_the_syntax() -> None:
    found = {path for path in sources() if forms(ROOT / path) and not path.startswith("functions/")}
    assert found == set(MAKERS), "what values mean is said by a subclass of `Reader`"


def test_there_is_one_reader() -> None:
    assert {path for path in sources() if forms(ROOT / path) & TELLING} - set(MAKERS) == set(READERS)


def test_the_search_finds_forms(tmp_path: Path) -> None:
    for wrong in (
        "import ast\nisinstance(x, ast.BoolOp)",
        "import ast as syntax\nisinstance(x, syntax.BoolOp)",
        "from ast import BoolOp, Name",
        "import ast\nclass V(ast.NodeVisitor):\n    def visit_BoolOp(self, node): pass",
        "def visit(node):\n    return getattr(self, f'_{type(node).__name__.lower()}')",
    ):
        module = tmp_path / "module.py"
        module.write_text(wrong)
        assert forms(module), wrong


def sources() -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.rglob("*.py"))]


def forms(path: Path) -> set[str]:
    """The classes of the syntax that a module names, whatever it calls the module they are of; `?` where it asks for the name of a class to find a method by."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    modules = {alias.asname or "ast" for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names if alias.name == "ast"}
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in modules:
                found.add(name)
            case ast.ImportFrom(module="ast", names=names):
                found.update(alias.name for alias in names)
            case ast.FunctionDef(name=name) if name.startswith("visit_"):
                found.add(name.removeprefix("visit_"))
            case ast.Attribute(value=ast.Attribute(attr="__name__"), attr="lower"):
                found.add("?")
    return {name for name in found if name == "?" or (isinstance(getattr(ast, name, None), type) and issubclass(getattr(ast, name), ast.AST)) or name.startswith("Node")}


class Numbers(Reader[int]):
    """Whole numbers with names, in Python's order."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.order: list[str] = []

    def bind(self, name: str, value: int) -> None:
        self.names[name] = value

    def unpacked(self, value: int, count: int, node: Node) -> Sequence[int]:
        return [value] * count

    def constant(self, value: Any, node: Node) -> int:
        return int(value)

    def name(self, name: str, node: Node) -> int:
        self.order.append(name)
        return self.names[name]

    def binary(self, op: Any, left: int, right: int, node: Any) -> int:
        self.order.append(word(op))
        return {"add": left + right, "mul": left * right}[word(op)]


def test_statements_and_expressions_in_their_order() -> None:
    reader = Numbers()
    reader.block(statements_in("a = b = 2\nc: int = a + b * -3\na += c\n(d, [e, f]) = a\npass\n'text'"))
    assert reader.names == {"a": -2, "b": 2, "c": -4, "d": -2, "e": -2, "f": -2}
    assert reader.order == ["a", "b", "mul", "add", "a", "c", "add", "a"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("for i in x: pass", "a `for` loop is not compiled"),
        ("a = 1 < 2", "`<` is not compiled"),
        ("a = [1]", "a list is not compiled"),
        ("a = f(*x)", "`f` with `*`"),
        ("a = {**x}", "`**` in a dictionary"),
        ("a, *b = 1", "a `*` among names that are assigned"),
        ("a.b = 1", "an assignment to what is neither a name nor an element"),
        ("a[0] = 1", "an assignment to an element"),
        ("a.b += 1", "an assignment to what is neither a name nor an element"),
        ("return 1", "`return` is not compiled"),
        ("a = (yield)", "`yield` is not compiled"),
        ("import x", "`import` is not compiled"),
    ],
)
def test_what_nobody_says_the_meaning_of_is_refused(text: str, reason: str) -> None:
    with pytest.raises(NotCompiled) as error:
        Numbers().block(statements_in(text))
    assert error.value.reason == reason
    assert error.value.node is not None
