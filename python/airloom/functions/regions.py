"""Finding the largest parts of a function that may be compiled, and writing the function with calls of them.

What is left is the user's own function: loops, `try` and `with` around a part are Python's, and each part has, beside the call, the statements it stands for, with the parts inside of them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from airloom.functions.dependence import independent
from airloom.functions.object_mode import is_region, names_beside, outside
from airloom.functions.object_mode import unsupported as not_called
from airloom.functions.pieces import Pieces
from airloom.functions.refusals import NotCompiled, form_of
from airloom.functions.region import Part
from airloom.functions.syntax import assigned, jumps, names_in, walk, walk_once

if TYPE_CHECKING:
    from airloom.functions.driver import Jitted

_STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Pass, ast.If, ast.For, ast.While, ast.Return, ast.Break, ast.Continue, ast.Assert, ast.Raise)
_EXPRESSIONS = (
    ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Tuple, ast.List, ast.Subscript, ast.Attribute, ast.Call, ast.Slice,
    ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop,
)  # fmt: skip
_LOOPS = (ast.For, ast.While)
#: Names of what the written function is given besides its own.
PREFIX = "airloom_part_"
NOTHING = "airloom_unbound"
LARGE = "airloom_is_large"
_MADE = "airloom_made"


def unsupported(statement: ast.stmt) -> NotCompiled | None:
    """Why a statement is not compiled, whatever its names stand for."""
    for node in outside(statement):
        if is_region(node):
            assert isinstance(node, ast.With)
            if (why := not_called(node)) is not None:
                return why
            continue
        if isinstance(node, ast.Name) and node.id.startswith("__"):
            return NotCompiled(f"the private name `{node.id}`", node)
        if isinstance(node, ast.Call) and (any(word.arg is None for word in node.keywords) or any(isinstance(arg, ast.Starred) for arg in node.args)):
            return NotCompiled(f"`{ast.unparse(node.func)}` with `*`", node)
        if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
            return NotCompiled(f"{form_of(node)} is not compiled", node)
        if isinstance(node, ast.expr) and not isinstance(node, _EXPRESSIONS):
            return NotCompiled(f"{form_of(node)} is not compiled", node)
    return None


class Rewriting:
    """One function, written with calls of its parts."""

    def __init__(self, owner: Jitted, definition: ast.FunctionDef) -> None:
        self.owner = owner
        self.definition = definition
        self.parts: list[Part] = []
        code = owner.__wrapped__.__code__
        self.local = set(code.co_varnames)
        #: Names that other functions see too are not passed round.
        self.shared = set(code.co_cellvars)
        for node in walk(definition):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                self.shared.update(node.names)
        #: Why statements are not compiled, by their identity, as far as somebody asked.
        self._unsupported: dict[int, NotCompiled | None] = {}
        own = definition.args
        self.arguments = [arg.arg for arg in (*own.posonlyargs, *own.args, *own.kwonlyargs, *filter(None, (own.vararg, own.kwarg)))]

    def rewritten(self) -> ast.FunctionDef:
        made = copy.copy(self.definition)
        made.decorator_list = []
        made.returns = None
        body = list(self.definition.body)
        start = 1 if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str) else 0
        rest = body[start:]
        if rest and all(self._may_be(statement) for statement in rest) and not any(map(self._holds_prange, rest)) and self._works(rest):
            part = self._part(rest, True, True, False, False)
            whole = self._called(part, inside := list(self._inside(rest, True, False)))
            made.body = body[:start] + (self._chosen(inside, whole) if any(own.is_automatic for own in self.parts) else whole)
        else:
            made.body = body[:start] + list(self._inside(rest, True, False))
        return made

    def _chosen(self, apart: list[ast.stmt], whole: list[ast.stmt]) -> list[ast.stmt]:
        """Loops that may run on every core are parts of their own where there is much to do; else all of the function is one part, which is entered once."""
        (test,) = ast.parse(f"if {LARGE}({', '.join(self.arguments)}):\n    pass\nelse:\n    pass").body
        assert isinstance(test, ast.If)
        first = whole[0]
        for node in walk_once(test):
            if hasattr(node, "lineno"):
                node.lineno = node.end_lineno = first.lineno  # type: ignore[attr-defined]
                node.col_offset, node.end_col_offset = first.col_offset, first.col_offset  # type: ignore[attr-defined]
        test.body, test.orelse = apart, whole
        return [test]

    def _is_independent(self, statement: ast.stmt) -> bool:
        if not isinstance(statement, ast.For):
            return False
        try:
            independent(statement, self.definition)
        except NotCompiled:
            return False
        return True

    # Finding.

    def _may_be(self, statement: ast.stmt) -> bool:
        return self._why(statement) is None and not self.shared.intersection(assigned(statement)) and not jumps(statement) & {ast.Break, ast.Continue}

    def _why(self, statement: ast.stmt) -> NotCompiled | None:
        if id(statement) not in self._unsupported:
            why = self._unsupported[id(statement)] = unsupported(statement)
            if why is None:
                # Nor is there anything in it.
                self._unsupported.update((id(part), None) for part in walk(statement) if isinstance(part, ast.stmt))
        return self._unsupported[id(statement)]

    def _works(self, statements: Sequence[ast.stmt]) -> bool:
        """Whether there is a loop in it: without one, Python is as fast."""
        return any(isinstance(node, _LOOPS) for statement in statements for node in walk(statement))

    def _is_prange(self, node: ast.AST) -> bool:
        return isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and getattr(node.iter.func, "attr", getattr(node.iter.func, "id", "")) == "prange"

    def _holds_prange(self, statement: ast.AST) -> bool:
        return any(self._is_prange(node) for node in walk(statement))

    def _inside(self, statements: Sequence[ast.stmt], may_store: bool, within_loop: bool) -> Iterator[ast.stmt]:
        """Statements with the parts among them, each loop for itself."""
        for statement in statements:
            if isinstance(statement, _LOOPS):
                why = self._why(statement)
                fits = self._may_be(statement) and (self._is_prange(statement) or not self._holds_prange(statement))
                if fits:
                    part = self._part([statement], False, may_store, self._is_prange(statement), within_loop)
                    part.is_automatic = may_store and not within_loop and self._is_independent(statement)
                    yield from self._called(part, [self._opened(statement, may_store, True)])
                    continue
                if why is not None:
                    self.owner.left(statement, why)
                elif self.shared.intersection(assigned(statement)):
                    self.owner.left(statement, NotCompiled("a loop that changes a name which other functions see", statement))
            yield self._opened(statement, may_store, within_loop or isinstance(statement, _LOOPS))

    def _opened(self, statement: ast.stmt, may_store: bool, within_loop: bool) -> ast.stmt:
        """A statement with the parts inside of it."""
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return statement
        made = copy.copy(statement)
        guarded = isinstance(statement, (ast.Try, ast.With, ast.AsyncWith)) or type(statement).__name__ == "TryStar"
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if isinstance(inner, list) and inner:
                setattr(made, name, list(self._inside(inner, may_store and not guarded, within_loop)))
        if isinstance(statement, ast.Try):
            made.handlers = [copy.copy(handler) for handler in statement.handlers]  # type: ignore[attr-defined]
            for handler in made.handlers:  # type: ignore[attr-defined]
                handler.body = list(self._inside(handler.body, may_store, within_loop))
        if isinstance(statement, ast.Match):
            made.cases = [copy.copy(case) for case in statement.cases]  # type: ignore[attr-defined]
            for case in made.cases:  # type: ignore[attr-defined]
                case.body = list(self._inside(case.body, may_store, within_loop))
        return made

    def _part(self, statements: list[ast.stmt], whole: bool, may_store: bool, is_parallel: bool, within_loop: bool) -> Part:
        changes = assigned(*statements)
        read = names_in(*statements)
        elsewhere = set(self.arguments)
        if not whole:
            inside = {id(node) for statement in statements for node in walk(statement)}
            for node in walk(self.definition):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in inside:
                    elsewhere.add(node.id)
                elif isinstance(node, (ast.ExceptHandler, ast.alias, ast.MatchAs, ast.MatchStar)):
                    elsewhere.add(getattr(node, "asname", None) or node.name or "")
        # A name that is given a value here alone has none before, unless a loop around has come by already.
        beside = names_beside(statements, self.local | set(self.owner.__wrapped__.__code__.co_freevars), changes)
        given = [name for name in read if (name not in changes or name in elsewhere or within_loop) and name not in beside]
        part = Part(self.owner, statements, given, changes, bool(jumps(*statements) & {ast.Return}), whole, may_store, is_parallel, self.definition)
        part.beside = beside
        self.parts.append(part)
        return part

    # Writing.

    def _called(self, part: Part, otherwise: list[ast.stmt]) -> list[ast.stmt]:
        """The call of a part, and what is run where there is no code."""
        first = part.statements[0]
        number = len(self.parts) - 1 if self.parts[-1] is part else self.parts.index(part)
        write = Pieces(first)
        lines: list[ast.stmt] = []
        args = []
        for name in (*part.given, *part.beside):
            # A local name may have no value yet.
            if name in self.local and name not in self.arguments:
                own = f"airloom_given_{name}"
                lines.append(write.where_named(write.assign(own, write.name(name)), write.assign(own, write.name(NOTHING))))
                args.append(own)
            else:
                args.append(name)
        call = write.assign(_MADE, write.called(f"{PREFIX}{number}", args))
        # A name outside that has no value is Python's to complain of.
        is_outside = any(name not in self.local for name in (*part.given, *part.beside))
        lines.append(write.where_named(call, write.assign(_MADE, write.constant(None))) if is_outside else call)
        done: list[ast.stmt] = []
        if part.whole:
            done.append(write.left(write.item(_MADE, 0)))
        else:
            targets = [*part.changes, *(["airloom_jump", "airloom_value"] if part.returns else [])]
            done.append(write.unpack(targets, write.name(_MADE)) if targets else write.nothing())
            done.extend(write.where_is(name, write.name(NOTHING), [write.unbound(name)], []) for name in part.changes)
            if part.returns:
                done.append(write.where_equal("airloom_jump", 3, [write.left(write.name("airloom_value"))]))
        gave_up = write.where_is(_MADE, write.constant(...), list(part.statements), done)
        lines.append(write.where_is(_MADE, write.constant(None), otherwise, [gave_up]))
        return lines
