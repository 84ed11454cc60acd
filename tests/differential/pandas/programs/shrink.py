"""Making a program small while it still shows the same sort of difference."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

import pandas

from programs.differences import Difference
from programs.execute import parsed, run

#: How many seconds are spent on one program.
SECONDS = 20.0


def shrunk(text: str, fails: Callable[[str], bool], seconds: float = SECONDS) -> str:
    """A smaller program for which `fails` holds, as it does for this one: without statements, rows, columns and constants that nobody needs."""
    until = time.monotonic() + seconds
    best = _spelled(parsed(text))
    best = best if fails(best) else text
    changed = True
    while changed and time.monotonic() < until:
        changed = False
        for smaller in _smaller(best):
            if time.monotonic() > until:
                break
            if len(smaller) < len(best) and fails(smaller):
                best, changed = smaller, True
                break
    return best


def shows(sort: str, ask: Callable[[str], list[Difference]]) -> Callable[[str], bool]:
    """Whether a program shows a difference of this sort."""
    return lambda text: any(one.sort == sort for one in ask(text))


def _smaller(text: str) -> Iterator[str]:
    """Programs that are a little smaller: first those without many statements, then those with simpler ones."""
    statements = parsed(text)
    size = len(statements) // 2
    while size:
        for start in range(len(statements) - size, -1, -size):
            yield _without_dependants(statements[:start] + statements[start + size :])
        size //= 2
    for fewer in (12, 6, 3, 2, 1):
        if statements and ast.unparse(statements[0]).startswith("n = ") and ast.unparse(statements[0]) != f"n = {fewer}":
            yield _spelled([ast.parse(f"n = {fewer}").body[0], *statements[1:]])
    for at, node in enumerate(statements):
        for simpler in _simpler(node):
            yield _spelled([*statements[:at], simpler, *statements[at + 1 :]])


def _without_dependants(statements: list[ast.stmt]) -> str:
    """A program without the statements that want a name that is not there any more."""
    text = _spelled(statements)
    told = run(text, "end", pandas).told
    return _spelled([node for node, one in zip(statements, told, strict=True) if one.error not in ("NameError", "UnboundLocalError")])


def _simpler(node: ast.stmt) -> Iterator[ast.stmt]:
    """A statement without an item of a list or a dict, without an argument, or without the last method of a chain."""
    parts = list(ast.walk(node))
    for number, part in enumerate(parts):
        for edit in _edits(part):
            made = copy.deepcopy(node)
            edit(list(ast.walk(made))[number])
            yield made
        inner = _inner(part)
        if inner is not None:
            replaced = _Replacing(number, parts, inner).visit(copy.deepcopy(node))
            assert isinstance(replaced, ast.stmt)
            yield replaced


def _edits(part: ast.AST) -> Iterator[Callable[[ast.AST], None]]:
    if isinstance(part, ast.Dict) and len(part.keys) > 1:
        for at in range(len(part.keys)):
            yield lambda found, at=at: (found.keys.pop(at), found.values.pop(at))  # type: ignore[misc]
    if isinstance(part, (ast.List, ast.Tuple)) and len(part.elts) > 1:
        for at in range(len(part.elts)):
            yield lambda found, at=at: found.elts.pop(at)  # type: ignore[misc]
    if isinstance(part, ast.Call):
        for at in range(len(part.keywords)):
            yield lambda found, at=at: found.keywords.pop(at)  # type: ignore[misc]
    if isinstance(part, ast.Constant) and isinstance(part.value, float):
        yield lambda found: setattr(found, "value", int(found.value) if abs(found.value) < 1e9 else 1)  # type: ignore[attr-defined]
    if isinstance(part, ast.Constant) and isinstance(part.value, str) and len(part.value) > 1:
        yield lambda found: setattr(found, "value", found.value[:1])  # type: ignore[attr-defined]


def _inner(part: ast.AST) -> ast.expr | None:
    """What a method is called of, or what an operator begins with."""
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and not isinstance(part.func.value, ast.Name):
        return part.func.value
    if isinstance(part, ast.BinOp):
        return part.left
    return None


class _Replacing(ast.NodeTransformer):
    """Puts a part in the place of another, found by its text and position."""

    def __init__(self, number: int, parts: list[ast.AST], inner: ast.expr) -> None:
        self.old = parts[number]
        self.new = inner

    def visit(self, node: ast.AST) -> ast.AST:
        if type(node) is type(self.old) and ast.dump(node) == ast.dump(self.old):
            return copy.deepcopy(self.new)
        return self.generic_visit(node)


def _spelled(statements: list[ast.stmt]) -> str:
    return "\n".join(map(ast.unparse, statements)) + "\n"
