"""Paths through the code of a function: the values on the stack, the names of locals, and the statements so far.

Values are expressions of the syntax. Each local that is stored is a new name, so that an expression means the same wherever it stands afterwards.
"""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass


class Unknown(Exception):
    """An instruction of which nothing is known where it stands."""


class Null(ast.expr):
    """What the interpreter puts beside a function that is no method."""


NULL = Null()


@dataclass(frozen=True)
class Fork:
    """A conditional jump: what it asks, where it goes to and for which answer, and whether the path that goes on loses its last value."""

    test: ast.expr
    target: int
    jumps_if: bool
    dropped: bool


class Path:
    """One way through a function: where it is, the values on the stack, what locals are called, and the statements so far."""

    def __init__(self, at: int, stack: list[ast.expr], names: dict[str, str], statements: list[ast.stmt], made: int) -> None:
        self.at = at
        self.stack = stack
        self.names = names
        self.statements = statements
        #: How many names were made on the way.
        self.made = made
        #: Where the last instruction jumps to, or what it decides by.
        self.jump: int | None = None
        self.fork: Fork | None = None
        self.ended = False
        #: The names of arguments, for the call that follows.
        self.keywords: tuple[str, ...] = ()

    def pop(self) -> ast.expr:
        """The last value of the stack."""
        value = self.stack.pop()
        if value is NULL:
            raise Unknown
        return value

    def take(self, count: int) -> list[ast.expr]:
        """The last values of the stack, in their order."""
        if count > len(self.stack):
            raise Unknown
        values = [self.pop() for _ in range(count)]
        return values[::-1]

    def assign(self, value: ast.expr) -> ast.Name:
        """A new name for a value."""
        name = f"#{self.made}"
        self.made += 1
        self.statements.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return ast.Name(name, ast.Load())

    def store(self, local: str, value: ast.expr) -> None:
        """Stores a local. A name always means the same, and stands for whatever it is stored as."""
        self.names[local] = value.id if isinstance(value, ast.Name) else self.assign(value).id

    def load(self, local: str) -> None:
        """Puts a local on the stack."""
        if local not in self.names:
            raise Unknown
        self.stack.append(ast.Name(self.names[local], ast.Load()))

    def name_of(self, depth: int) -> ast.expr:
        """The value at a depth of the stack, as something that may be repeated."""
        value = self.stack[-depth]
        if value is NULL or depth < 1:
            raise Unknown
        if not isinstance(value, (ast.Name, ast.Constant)):
            value = self.stack[-depth] = self.assign(value)
        return value


class Code:
    """The code that is read: which names are whose."""

    def __init__(self, code: types.CodeType) -> None:
        self.constants = code.co_consts
        self.locals = frozenset(code.co_varnames)
        self.outer = frozenset(code.co_freevars)
