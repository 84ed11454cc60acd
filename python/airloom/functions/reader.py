"""The one reader of Python's syntax: statements in their order, expressions as Python evaluates them. What they come to is said by who reads.

`@airloom.jit` reads numbers and arrays as nodes of the graph; the pandas front end reads values of rows, series of groups, and columns of `eval` and `query`. Each is a
subclass that says what its values are: what a name or a constant stands for, what operators, items and calls make of values, and how branches come together. Whatever it says
nothing of is refused.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from typing import Any, Generic, NoReturn, TypeVar

from airloom.functions.refusals import NotCompiled, form_of
from airloom.functions.source import Definition

V = TypeVar("V")

#: Pieces of syntax as they are handed on to be read, which is all that others do with them.
Node = ast.expr
Statement = ast.stmt
Syntax = ast.AST

IfNode = ast.If | ast.Return
ChoiceNode = ast.IfExp
CallNode = ast.Call

#: Operators by what the module `operator` calls them, with the signs that people write.
_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("add", "+"), ast.Sub: ("sub", "-"), ast.Mult: ("mul", "*"), ast.Div: ("truediv", "/"), ast.FloorDiv: ("floordiv", "//"), ast.Mod: ("mod", "%"), ast.Pow: ("pow", "**"),
    ast.MatMult: ("matmul", "@"), ast.BitAnd: ("and_", "&"), ast.BitOr: ("or_", "|"), ast.BitXor: ("xor", "^"), ast.LShift: ("lshift", "<<"), ast.RShift: ("rshift", ">>"),
    ast.Eq: ("eq", "=="), ast.NotEq: ("ne", "!="), ast.Lt: ("lt", "<"), ast.LtE: ("le", "<="), ast.Gt: ("gt", ">"), ast.GtE: ("ge", ">="),
    ast.In: ("in", "in"), ast.NotIn: ("not in", "not in"), ast.Is: ("is_", "is"), ast.IsNot: ("is_not", "is not"),
    ast.USub: ("neg", "-"), ast.UAdd: ("pos", "+"), ast.Invert: ("invert", "~"), ast.Not: ("not_", "not"),
}  # fmt: skip


def word(op: Syntax) -> str:
    """The name of an operator, as the module `operator` has it; `in` and `not in` as they are written."""
    return _OPERATORS[type(op)][0]


def sign(op: Syntax) -> str:
    """An operator as it is written."""
    return _OPERATORS[type(op)][1]


class Reader(Generic[V]):
    """Reads statements and expressions. Whoever reads overrides what his values have a meaning for."""

    #: The forms that there are, by the names of their classes, where not all that are read here.
    forms: frozenset[str] | None = None
    #: Whether a conditional expression that is returned is two returns, each of which may be of its own kind.
    returns_apart = False

    def refusal(self, reason: str, node: Syntax | None = None, hint: str = "") -> Exception:
        """What is raised where something is not read."""
        return NotCompiled(reason, node, hint)

    def unread(self, node: Syntax) -> NoReturn:
        """A form that has no meaning here."""
        raise self.refusal(f"{form_of(node)} is not compiled", node)

    def _check(self, node: Syntax) -> None:
        if self.forms is not None and type(node).__name__ not in self.forms:
            self.unread(node)

    # Statements.

    def block(self, statements: Sequence[Statement]) -> None:
        """Statements one after the other, until one does not go on to the next."""
        for at, statement in enumerate(statements):
            if not self.statement(statement, statements[at + 1 :]):
                return

    def statement(self, node: Statement, rest: Sequence[Statement]) -> bool:
        """One statement, before the rest of its block; whether the rest is still to be read."""
        try:
            self._check(node)
            return self._statement(node, rest)
        except NotCompiled as error:
            raise error.at(node) from None

    def _statement(self, node: Statement, rest: Sequence[Statement]) -> bool:
        match node:
            case ast.Assign(targets=targets, value=value):
                made = self.named(targets, value)
                for target in targets:
                    self.assign(target, made)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign(target, self.named([target], value))
            case ast.AugAssign(target=target, op=op, value=value):
                self.augmented(target, op, value, node)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=value):
                self.discarded(value)
            case ast.If(test=test, body=body, orelse=orelse):
                return self.branch(self.expression(test), body, orelse, rest, node)
            case ast.For() | ast.While():
                return self.loop(node, rest)
            case ast.With():
                self.within(node)
            case ast.Return(value=ast.IfExp(test=test, body=then, orelse=otherwise)) if self.returns_apart:
                ways = [[ast.copy_location(ast.Return(part), part)] for part in (then, otherwise)]
                self.branch(self.expression(test), ways[0], ways[1], (), node)
                return False
            case ast.Return(value=value):
                self.leave(value, node)
                return False
            case ast.Break() | ast.Continue():
                self.jump(node)
                return False
            case ast.Assert(test=test, msg=message):
                self.asserted(test, message, node)
            case ast.Raise():
                self.raised(node)
                return False
            case _:
                self.unread(node)
        return True

    def assign(self, target: Node, value: V) -> None:
        """Gives what stands on the left of `=` a value."""
        match target:
            case ast.Name(id=name):
                self.bind(name, value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                if any(isinstance(part, ast.Starred) for part in parts):
                    raise self.refusal("a `*` among names that are assigned", target)
                for part, item in zip(parts, self.unpacked(value, len(parts), target) or (), strict=False):
                    self.assign(part, item)
            case ast.Subscript():
                self.store(target, value)
            case _:
                raise self.refusal("an assignment to what is neither a name nor an element", target)

    def named(self, targets: Sequence[Node], value: Node) -> V:
        """The value of an expression that is assigned."""
        return self.settled(self.expression(value), value)

    def augmented(self, target: Node, op: ast.operator, value: Node, node: Statement) -> None:
        """`+=` and its like: of a name, where nothing more is said."""
        if not isinstance(target, ast.Name):
            raise self.refusal("an assignment to what is neither a name nor an element", node)
        self.bind(target.id, self.settled(self.in_place(op, self.name(target.id, target), self.expression(value), node), node))

    def discarded(self, value: Node) -> None:
        """An expression as a statement: what it comes to is nobody's."""
        self.settled(self.expression(value), value)

    def bind(self, name: str, value: V) -> None:
        """Gives a name a value."""
        raise self.refusal("an assignment")

    def unpacked(self, value: V, count: int, node: Node) -> Sequence[V] | None:
        """As many items as there are names for them; nothing, where this is never reached."""
        raise self.refusal(f"an assignment to {count} names", node)

    def store(self, target: ast.Subscript, value: V) -> None:
        raise self.refusal("an assignment to an element", target)

    def branch(self, condition: V, then: Sequence[Statement], otherwise: Sequence[Statement], rest: Sequence[Statement], node: IfNode) -> bool:
        """`if`, with what comes after it; whether that is still to be read. A `return` of a conditional expression may be one."""
        self.unread(node)

    def loop(self, node: ast.For | ast.While, rest: Sequence[Statement]) -> bool:
        """`for` and `while`, with what comes after; whether that is still to be read."""
        self.unread(node)

    def within(self, node: ast.With) -> None:
        """`with`."""
        self.unread(node)

    def leave(self, value: Node | None, node: Statement) -> None:
        """`return`, with an expression or without."""
        self.unread(node)

    def jump(self, node: ast.Break | ast.Continue) -> None:
        self.unread(node)

    def asserted(self, test: Node, message: Node | None, node: Statement) -> None:
        self.unread(node)

    def raised(self, node: ast.Raise) -> None:
        self.unread(node)

    # Expressions.

    def expression(self, node: Node) -> V:
        """The value of an expression."""
        try:
            self._check(node)
            match node:
                case ast.Constant(value=value):
                    return self.constant(value, node)
                case ast.Name(id=name):
                    return self.name(name, node)
                case ast.BinOp(left=left, op=op, right=right):
                    first = self.kept(self.expression(left), left, [right])
                    return self.binary(op, first, self.expression(right), node)
                case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if not isinstance(value, bool):
                    return self.constant(-value, node)
                case ast.UnaryOp(op=ast.Not(), operand=operand):
                    return self.negation(self.expression(operand), operand)
                case ast.UnaryOp(op=op, operand=operand):
                    return self.unary(op, self.expression(operand), node)
                case ast.Compare(left=left, ops=ops, comparators=others):
                    return self._comparison(self.expression(left), ops, others, node)
                case ast.BoolOp(op=op, values=values):
                    return self.connective(isinstance(op, ast.And), values, node)
                case ast.IfExp(test=test, body=body, orelse=orelse):
                    return self.choice(self.expression(test), body, orelse, node)
                case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                    return self.collection({ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)], parts, node)
                case ast.Dict(keys=keys, values=values):
                    if any(key is None for key in keys):
                        raise self.refusal("`**` in a dictionary", node)
                    return self.dictionary([(key, value) for key, value in zip(keys, values, strict=True) if key is not None], node)
                case ast.JoinedStr(values=parts):
                    return self.joined([self._piece(part) for part in parts], node)
                case ast.Subscript():
                    return self.subscript(node)
                case ast.Attribute(value=owner, attr=name):
                    return self.attribute(self.expression(owner), name, node)
                case ast.Call():
                    return self._call(node)
            self.unread(node)
        except NotCompiled as error:
            raise error.at(node) from None

    def _comparison(self, left: V, ops: Sequence[ast.cmpop], others: Sequence[Node], node: Node) -> V:
        right = self.expression(others[0])
        if len(ops) == 1:
            return self.compare(ops[0], left, right, node)
        right = self.settled(right, others[0])
        first = self.compare(ops[0], left, right, node)
        return self.chained(first, right, lambda middle: self._comparison(middle, ops[1:], others[1:], node), others[1:], node)

    def _piece(self, part: Node) -> str | tuple[V, str]:
        """A piece of an f-string: text, or a value with its format."""
        if isinstance(part, ast.Constant):
            return str(part.value)
        assert isinstance(part, ast.FormattedValue)
        spec = part.format_spec.values if isinstance(part.format_spec, ast.JoinedStr) else []
        if not all(isinstance(one, ast.Constant) for one in spec):
            raise self.refusal("a format that is computed", part)
        if part.conversion not in (-1, ord("s")):
            raise self.refusal("a conversion in a format", part)
        return self.expression(part.value), "".join(str(one.value) for one in spec if isinstance(one, ast.Constant))

    def _call(self, node: ast.Call) -> V:
        if any(isinstance(arg, ast.Starred) for arg in node.args) or any(keyword.arg is None for keyword in node.keywords):
            raise self.refusal(f"`{ast.unparse(node.func)}` with `*`", node)
        if isinstance(node.func, ast.Attribute):
            owner = self.expression(node.func.value)
            found = self.method(owner, node.func.attr, node)
            return self.call(self.attribute(owner, node.func.attr, node.func), node) if found is None else found
        return self.call(self.expression(node.func), node)

    def arguments(self, node: ast.Call) -> tuple[list[V], dict[str, V]]:
        """What a call is given, by position and by name."""
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        values = [self.kept(self.expression(part), part, parts[at + 1 :]) for at, part in enumerate(parts)]
        count = len(node.args)
        return values[:count], {keyword.arg or "": value for keyword, value in zip(node.keywords, values[count:], strict=True)}

    def subscript(self, node: ast.Subscript) -> V:
        """An item, or a slice."""
        owner = self.expression(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = [None if bound is None else self.expression(bound) for bound in (node.slice.lower, node.slice.upper, node.slice.step)]
            return self.sliced(owner, bounds, node)
        return self.item(owner, self.expression(node.slice), node)

    # What values mean.

    def settled(self, value: V, node: Syntax) -> V:
        """A value that is named, or used more than once."""
        return value

    def kept(self, value: V, node: Node, later: Sequence[Node]) -> V:
        """A value that is used after other expressions were evaluated."""
        return value

    def constant(self, value: Any, node: Node) -> V:
        self.unread(node)

    def name(self, name: str, node: Node) -> V:
        """What a name stands for."""
        self.unread(node)

    def binary(self, op: ast.operator, left: V, right: V, node: Syntax) -> V:
        raise self.refusal(f"`{sign(op)}` is not compiled", node)

    def in_place(self, op: ast.operator, left: V, right: V, node: Syntax) -> V:
        """`+=` and its like, of values that do not change: other names for them keep what they have."""
        return self.binary(op, left, right, node)

    def unary(self, op: ast.unaryop, value: V, node: Node) -> V:
        raise self.refusal(f"`{sign(op)}` is not compiled", node)

    def negation(self, value: V, node: Node) -> V:
        """`not`."""
        self.unread(node)

    def compare(self, op: ast.cmpop, left: V, right: V, node: Node) -> V:
        raise self.refusal(f"`{sign(op)}` is not compiled", node)

    def chained(self, first: V, middle: V, others: Callable[[V], V], nodes: Sequence[Node], node: Node) -> V:
        """Where a comparison holds, the next ones, whose left side is its right one."""
        raise self.refusal("chained comparisons", node)

    def connective(self, conjoined: bool, values: Sequence[Node], node: Node) -> V:
        """`and` and `or`."""
        self.unread(node)

    def choice(self, condition: V, then: Node, otherwise: Node, node: ChoiceNode) -> V:
        """A conditional expression."""
        self.unread(node)

    def collection(self, kind: type, parts: Sequence[Node], node: Node) -> V:
        """A tuple, a list or a set."""
        self.unread(node)

    def dictionary(self, pairs: Sequence[tuple[Node, Node]], node: Node) -> V:
        self.unread(node)

    def joined(self, pieces: Sequence[str | tuple[V, str]], node: Node) -> V:
        """An f-string."""
        self.unread(node)

    def item(self, owner: V, key: V, node: Node) -> V:
        self.unread(node)

    def sliced(self, owner: V, bounds: Sequence[V | None], node: Node) -> V:
        raise self.refusal("a slice", node)

    def attribute(self, owner: V, name: str, node: Node) -> V:
        self.unread(node)

    def method(self, owner: V, name: str, node: ast.Call) -> V | None:
        """What a method makes of its owner; nothing, where the attribute of that name is what is called."""
        return None

    def call(self, function: V, node: ast.Call) -> V:
        self.unread(node)

    # Functions.

    def parameters(self, function: types.FunctionType, found: Definition, given: Sequence[V], named: dict[str, V], default: Callable[[Any], V]) -> dict[str, V]:
        """What each parameter of a function stands for."""
        own, name = found.args, function.__name__
        if own.vararg or own.kwarg or own.kwonlyargs:
            raise self.refusal("a function with `*args`, `**kwargs` or keyword-only arguments")
        names = [arg.arg for arg in (*own.posonlyargs, *own.args)]
        if len(given) > len(names) or set(named) & set(names[: len(given)]) or not set(named) <= {arg.arg for arg in own.args}:
            raise self.refusal(f"arguments that `{name}` does not have")
        bound = dict(zip(names, given, strict=False)) | named
        defaults = function.__defaults__ or ()
        for parameter, value in zip(names[len(names) - len(defaults) :], defaults, strict=True):
            if parameter not in bound:
                bound[parameter] = default(value)
        if len(bound) != len(names):
            raise self.refusal(f"fewer arguments than `{name}` has")
        return {parameter: bound[parameter] for parameter in names}


__all__ = ["CallNode", "ChoiceNode", "IfNode", "Node", "Reader", "Statement", "Syntax", "sign", "word"]
