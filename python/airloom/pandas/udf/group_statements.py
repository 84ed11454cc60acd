"""The statements and expressions of a function over the rows of a group."""

from __future__ import annotations

import ast
import types as python
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas

from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dtypes import types
from airloom.pandas.plan.expression import Literal, call, fold
from airloom.pandas.plan.frame import Column
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.udf.group_things import Many, Method, One, Some, Table, Thing
from airloom.pandas.udf.source import lookup
from airloom.pandas.udf.values import Constant

if TYPE_CHECKING:
    from airloom.pandas.udf.groups import Body

_BINARY: dict[Any, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow"}
_COMPARISONS: dict[Any, str] = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
_PLAIN = (types.INT64, types.FLOAT64, types.BOOL)


class Run:
    """The statements of one function, from the first to the return."""

    def __init__(self, body: Body, function: python.FunctionType, local: dict[str, Thing]) -> None:
        self.body = body
        self.function = function
        self.local = local
        self.names = set(function.__code__.co_varnames)

    def result(self, node: Any) -> Thing:
        if isinstance(node, ast.Lambda):
            return self.value(node.body)
        for statement in node.body:
            if isinstance(statement, ast.Return) and statement.value is not None:
                return self.value(statement.value)
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
                self.local[statement.targets[0].id] = self.value(statement.value)
            elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                raise Refused(f"`{type(statement).__name__}` in a function")
        raise Refused("a function that returns nothing")

    def value(self, node: ast.expr) -> Thing:
        handle: Callable[[Any], Thing] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handle is None:
            raise Refused(f"`{type(node).__name__}` in a function")
        return handle(node)

    def _constant(self, node: ast.Constant) -> Thing:
        return Constant(node.value)

    def _name(self, node: ast.Name) -> Thing:
        if node.id in self.local:
            return self.local[node.id]
        if node.id in self.names:
            raise Refused(f"`{node.id}`, which is not set")
        return Constant(lookup(self.function, node.id))

    def _list(self, node: ast.List) -> Thing:
        items = [self.value(item) for item in node.elts]
        if not all(isinstance(item, Constant) for item in items):
            raise Refused("a list of computed values")
        return Constant([item.value for item in items if isinstance(item, Constant)])

    def _binop(self, node: ast.BinOp) -> Thing:
        if type(node.op) not in _BINARY:
            raise Refused(f"`{type(node.op).__name__}` in a function")
        return self.body.binary(_BINARY[type(node.op)], self.value(node.left), self.value(node.right))

    def _unaryop(self, node: ast.UnaryOp) -> Thing:
        operand = self.value(node.operand)
        if isinstance(operand, Constant) and isinstance(node.op, ast.USub) and literals.is_number(operand.value):
            return Constant(-operand.value)
        if isinstance(operand, One) and isinstance(node.op, ast.Not) and types.is_bool(operand.column.dtype):
            return One(operand.column.at(elementwise.negated(operand.column.expression)), python=True)
        if isinstance(operand, Many) and isinstance(node.op, ast.Invert) and types.is_bool(operand.column.dtype):
            return Many(operand.column.at(elementwise.negated(operand.column.expression)))
        raise Refused(f"`{type(node.op).__name__}` in a function")

    def _compare(self, node: ast.Compare) -> Thing:
        if len(node.ops) != 1 or type(node.ops[0]) not in _COMPARISONS:
            raise Refused("chained comparisons")
        return self.body.binary(_COMPARISONS[type(node.ops[0])], self.value(node.left), self.value(node.comparators[0]))

    def _boolop(self, node: ast.BoolOp) -> Thing:
        parts = [self.value(part) for part in node.values]
        if not all(isinstance(part, One) and types.is_bool(part.column.dtype) for part in parts):
            raise Refused("`and` or `or` of values that are not boolean")
        made = parts[0].column.expression  # type: ignore[union-attr]
        for part in parts[1:]:
            made = call("and_" if isinstance(node.op, ast.And) else "or_", made, part.column.expression)  # type: ignore[union-attr]
        return One(Column(made, types.BOOL))

    def _attribute(self, node: ast.Attribute) -> Thing:
        owner = self.value(node.value)
        if isinstance(owner, Constant) and isinstance(owner.value, python.ModuleType) and hasattr(owner.value, node.attr):
            return Constant(getattr(owner.value, node.attr))
        if isinstance(owner, Table) and node.attr in owner.columns and not hasattr(pandas.DataFrame, node.attr):
            return Many(owner.columns[node.attr])
        if isinstance(owner, Many) and node.attr == "size":
            return One(Column(self.body.size(owner), types.INT64), python=True)
        if isinstance(owner, Many) and node.attr == "iloc" and not self.body.by_position:
            return Method(owner, "iloc")
        raise Refused(f"the attribute `{node.attr}`")

    def _subscript(self, node: ast.Subscript) -> Thing:
        owner = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            raise Refused("a slice")
        key = self.value(node.slice)
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

    def _call(self, node: ast.Call) -> Thing:
        if any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords):
            raise Refused("`*` or `**` in a call")
        arguments = [self.value(one) for one in node.args]
        keywords = {str(one.arg): self.value(one.value) for one in node.keywords}
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            if not isinstance(owner, Constant):
                return self.body.method(owner, node.func.attr, arguments, keywords)
        target = self.value(node.func)
        if isinstance(target, Method):
            return self.body.method(target.owner, target.name, arguments, keywords)
        if not isinstance(target, Constant):
            raise Refused("a function that is computed")
        return self.body.called(target.value, arguments, keywords)
