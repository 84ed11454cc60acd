"""Which names a turn of a loop reads from the turn before."""

from __future__ import annotations

import ast
import weakref

from airloom.functions.syntax import stored, walk


def read_first(loop: ast.For | ast.While) -> set[str]:
    """Names that a turn may read before it has given them a value."""
    found = _FIRST.get(loop)
    if found is None:
        found = _FIRST[loop] = _read_first(loop)
    return found


_FIRST: weakref.WeakKeyDictionary[ast.AST, set[str]] = weakref.WeakKeyDictionary()


def _read_first(loop: ast.For | ast.While) -> set[str]:
    first: set[str] = set()

    def visit(statements: list[ast.stmt], known: set[str]) -> set[str]:
        for statement in statements:
            match statement:
                case ast.If(test=test, body=body, orelse=orelse):
                    look(test, known)
                    known = visit(body, set(known)) & visit(orelse, set(known))
                case ast.For(target=target, iter=over, body=body, orelse=orelse):
                    look(over, known)
                    # It may not turn at all.
                    visit(body, known | names(target))
                    known = visit(orelse, set(known)) & known
                case ast.While(test=test, body=body, orelse=orelse):
                    look(test, known)
                    visit(body, set(known))
                    known = visit(orelse, set(known)) & known
                case ast.AugAssign(target=target, value=value):
                    look(value, known)
                    look(target, known)
                    if isinstance(target, ast.Name) and target.id not in known:
                        first.add(target.id)
                    known = known | names(target)
                case _:
                    look(statement, known)
                    known = known | names(statement)
        return known

    def look(node: ast.AST, known: set[str]) -> None:
        first.update(part.id for part in walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id not in known)

    def names(node: ast.AST) -> set[str]:
        return set(stored(node))

    known: set[str] = set()
    if isinstance(loop, ast.For):
        known = names(loop.target)
    else:
        look(loop.test, known)
    visit(loop.body, known)
    return first
