"""The statements and expressions of a function over the rows of a group."""

from __future__ import annotations

import types as python
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import pandas

from airloom.functions.reader import CallNode, Node, Reader, Statement, Syntax, sign, word
from airloom.functions.refusals import form_of
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dtypes import types
from airloom.pandas.plan.expression import Literal, call, fold
from airloom.pandas.plan.frame import Column
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.udf.group_things import Many, Method, One, Some, Table, Thing
from airloom.pandas.udf.source import lookup
from airloom.pandas.udf.values import Constant, folded

if TYPE_CHECKING:
    from airloom.pandas.udf.groups import Body

_ARITHMETIC = frozenset({"add", "sub", "mul", "truediv", "floordiv", "mod", "pow"})
_ORDER = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
_PLAIN = (types.INT64, types.FLOAT64, types.BOOL)


class Run(Reader[Thing]):
    """The statements of one function, from the first to the return."""

    def __init__(self, body: Body, function: python.FunctionType) -> None:
        self.body = body
        self.function = function
        self.local: dict[str, Thing] = {}
        self.names = set(function.__code__.co_varnames)
        self.result: Thing | None = None

    def refusal(self, reason: str, node: Syntax | None = None, hint: str = "") -> Refused:
        return Refused(reason)

    def unread(self, node: Syntax) -> NoReturn:
        raise Refused(f"{form_of(node)} in a function")

    def bind(self, name: str, value: Thing) -> None:
        self.local[name] = value

    def leave(self, value: Node | None, node: Statement) -> None:
        if value is None:
            raise Refused("a function that returns nothing")
        self.result = self.expression(value)

    def constant(self, value: Any, node: Node) -> Thing:
        return Constant(value)

    def name(self, name: str, node: Node) -> Thing:
        if name in self.local:
            return self.local[name]
        if name in self.names:
            raise Refused(f"`{name}`, which is not set")
        return Constant(lookup(self.function, name))

    def collection(self, kind: type, parts: Sequence[Node], node: Node) -> Thing:
        if kind is not list:
            self.unread(node)
        items = [self.expression(part) for part in parts]
        if not all(isinstance(item, Constant) for item in items):
            raise Refused("a list of computed values")
        return Constant([item.value for item in items if isinstance(item, Constant)])

    def binary(self, op: Syntax, left: Thing, right: Thing, node: Syntax) -> Thing:
        if word(op) not in _ARITHMETIC:
            raise Refused(f"`{sign(op)}` in a function")
        return self.body.binary(word(op), left, right)

    def in_place(self, op: Syntax, left: Thing, right: Thing, node: Syntax) -> Thing:
        if not isinstance(left, One) and not (isinstance(left, Constant) and literals.is_number(left.value)):
            # A series changes under all of its names.
            raise Refused(f"`{sign(op)}=` of a value that is not a number")
        return self.binary(op, left, right, node)

    def unary(self, op: Syntax, value: Thing, node: Node) -> Thing:
        if isinstance(value, Constant) and word(op) == "neg":
            return folded(lambda: -value.value, value)
        if isinstance(value, Many) and word(op) == "invert" and types.is_bool(value.column.dtype):
            return Many(value.column.at(elementwise.negated(value.column.expression)))
        raise Refused(f"`{sign(op)}` of such a value")

    def negation(self, value: Thing, node: Node) -> Thing:
        if isinstance(value, One) and types.is_bool(value.column.dtype):
            return One(value.column.at(elementwise.negated(value.column.expression)), python=True)
        raise Refused("`not` of a value that is not boolean")

    def compare(self, op: Syntax, left: Thing, right: Thing, node: Node) -> Thing:
        if word(op) not in _ORDER:
            raise Refused(f"`{sign(op)}` in a function")
        return self.body.binary(word(op), left, right)

    def connective(self, conjoined: bool, values: Sequence[Node], node: Node) -> Thing:
        parts = [part for part in map(self.expression, values) if isinstance(part, One) and types.is_bool(part.column.dtype)]
        if len(parts) < len(values):
            raise Refused("`and` or `or` of values that are not boolean")
        made = parts[0].column.expression
        for part in parts[1:]:
            made = call("and_" if conjoined else "or_", made, part.column.expression)
        return One(Column(made, types.BOOL))

    def attribute(self, owner: Thing, name: str, node: Node) -> Thing:
        if isinstance(owner, Constant) and isinstance(owner.value, python.ModuleType) and hasattr(owner.value, name):
            return Constant(getattr(owner.value, name))
        if isinstance(owner, Table) and name in owner.columns and not hasattr(pandas.DataFrame, name):
            return Many(owner.columns[name])
        if isinstance(owner, Many) and name == "size":
            return One(Column(self.body.size(owner), types.INT64), python=True)
        if isinstance(owner, Many) and name == "iloc" and not self.body.by_position:
            return Method(owner, "iloc")
        raise Refused(f"the attribute `{name}`")

    def item(self, owner: Thing, key: Thing, node: Node) -> Thing:
        if isinstance(owner, Many) and self.body.by_position:
            owner = Method(owner, "iloc")
        if isinstance(owner, Method) and owner.name == "iloc" and isinstance(owner.owner, Many) and isinstance(key, Constant) and key.value in (0, -1):
            column = owner.owner.column
            if not self.body.ordered or column.dtype not in _PLAIN:
                raise Refused("a value by its position")
            type = types.type_of(column.dtype)
            assert type is not None
            found = fold("first" if key.value == 0 else "last", column.expression, skip="none")
            nothing = Literal(float("nan") if types.is_float(column.dtype) else False if types.is_bool(column.dtype) else 0, type)
            return One(column.at(call("coalesce", found, nothing)))
        if isinstance(owner, Table) and isinstance(key, Many) and types.is_bool(key.column.dtype):
            made = Some(owner.columns)
            made.predicate = key.column.expression
            return made
        if not isinstance(owner, Table) or not isinstance(key, Constant):
            raise Refused("an item of a value that is not a frame")
        if isinstance(key.value, list):
            if not key.value or not all(label in owner.columns for label in key.value) or len(set(key.value)) < len(key.value):
                raise Refused("a list with labels that are not columns")
            return Table({label: owner.columns[label] for label in key.value})
        if not isinstance(key.value, (str, int)) or key.value not in owner.columns:
            raise Refused(f"{value_text(key.value)} is not a column")
        return Many(owner.columns[key.value])

    def method(self, owner: Thing, name: str, node: CallNode) -> Thing | None:
        return None if isinstance(owner, Constant) else self.body.method(owner, name, *self.arguments(node))

    def call(self, function: Thing, node: CallNode) -> Thing:
        arguments, keywords = self.arguments(node)
        if isinstance(function, Method):
            return self.body.method(function.owner, function.name, arguments, keywords)
        if not isinstance(function, Constant):
            raise Refused("a function that is computed")
        return self.body.called(function.value, arguments, keywords)
