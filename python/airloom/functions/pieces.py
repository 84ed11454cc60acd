"""Pieces of syntax that are written into a function: built as they are, since reading them as text takes longer than all else that is done for a part."""

from __future__ import annotations

import ast
from collections.abc import Sequence


class Pieces:
    """Makes statements that stand where another one does."""

    def __init__(self, at: ast.stmt) -> None:
        self._where = {"lineno": at.lineno, "end_lineno": at.lineno, "col_offset": at.col_offset, "end_col_offset": at.col_offset}

    def name(self, name: str) -> ast.expr:
        return ast.Name(name, _LOAD, **self._where)

    def constant(self, value: object) -> ast.expr:
        return ast.Constant(value, None, **self._where)  # type: ignore[arg-type]

    def item(self, name: str, at: int) -> ast.expr:
        return ast.Subscript(self.name(name), self.constant(at), _LOAD, **self._where)

    def called(self, name: str, args: Sequence[str]) -> ast.expr:
        return ast.Call(self.name(name), [self.name(arg) for arg in args], [], **self._where)

    def assign(self, target: str, value: ast.expr) -> ast.stmt:
        return ast.Assign([ast.Name(target, _STORE, **self._where)], value, None, **self._where)

    def unpack(self, targets: Sequence[str], value: ast.expr) -> ast.stmt:
        names: list[ast.expr] = [ast.Name(target, _STORE, **self._where) for target in targets]
        return ast.Assign([ast.Tuple(names, _STORE, **self._where)], value, None, **self._where)

    def unbound(self, name: str) -> ast.stmt:
        """Takes the value of a name."""
        return ast.Delete([ast.Name(name, ast.Del(), **self._where)], **self._where)

    def left(self, value: ast.expr) -> ast.stmt:
        return ast.Return(value, **self._where)

    def nothing(self) -> ast.stmt:
        return ast.Pass(**self._where)

    def where_is(self, name: str, value: ast.expr, then: list[ast.stmt], otherwise: list[ast.stmt]) -> ast.If:
        """`if name is value`."""
        return ast.If(ast.Compare(self.name(name), [ast.Is()], [value], **self._where), then, otherwise, **self._where)

    def where_equal(self, name: str, value: object, then: list[ast.stmt]) -> ast.If:
        return ast.If(ast.Compare(self.name(name), [ast.Eq()], [self.constant(value)], **self._where), then, [], **self._where)

    def where_named(self, statement: ast.stmt, otherwise: ast.stmt) -> ast.stmt:
        """A statement, or another one where a name in it has no value."""
        handler = ast.ExceptHandler(self.name("NameError"), None, [otherwise], **self._where)
        return ast.Try([statement], [handler], [], [], **self._where)


_LOAD, _STORE = ast.Load(), ast.Store()


__all__ = ["Pieces"]
