"""Expressions of a function's source: what each is worth in every row."""

from __future__ import annotations

import ast
import operator
import re
import types
from typing import TYPE_CHECKING, Any

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.refusals import Refused
from airloom.pandas.udf import calls, items, methods, numbers
from airloom.pandas.udf.source import lookup
from airloom.pandas.udf.values import Constant, Operand, TypeOf, Value, chosen, conjunction

if TYPE_CHECKING:
    from airloom.pandas.udf.translate import Translation

#: Locals by name; none where one is of several kinds, or not always set.
Environment = dict[str, Operand | None]

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARISONS = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
_OPERATORS: dict[Any, Any] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class Evaluation:
    """Expressions in the body of one function."""

    def __init__(self, translation: Translation, function: types.FunctionType) -> None:
        self.translation = translation
        self.function = function
        # A name that is stored anywhere in the body is a local everywhere in it.
        self.locals = set(function.__code__.co_varnames)

    def value(self, node: ast.expr, environment: Environment) -> Operand:
        """What an expression is worth."""
        translation = self.translation
        if isinstance(node, ast.Constant):
            return Constant(node.value)
        if isinstance(node, ast.Name):
            return self.name(node.id, environment)
        if isinstance(node, ast.BinOp):
            return self.binary(type(node.op), self.value(node.left, environment), self.value(node.right, environment))
        if isinstance(node, ast.UnaryOp):
            return self._unary(node, environment)
        if isinstance(node, ast.Compare):
            return self._comparison(node, environment)
        if isinstance(node, ast.BoolOp):
            return self._connected(node, environment)
        if isinstance(node, ast.IfExp):
            return self._conditional(node, environment)
        if isinstance(node, ast.JoinedStr):
            return self._joined(node, environment)
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            listed = [self.value(item, environment) for item in node.elts]
            if not all(isinstance(item, Constant) for item in listed):
                raise Refused("a list of computed values")
            return Constant(tuple(item.value for item in listed))  # type: ignore[union-attr]
        if isinstance(node, ast.Dict):
            pairs = [(self.value(key, environment), self.value(value, environment)) for key, value in zip(node.keys, node.values, strict=True) if key is not None]
            if len(pairs) != len(node.keys) or not all(isinstance(one, Constant) for pair in pairs for one in pair):
                raise Refused("a dict of computed values")
            return Constant({key.value: value.value for key, value in pairs})  # type: ignore[union-attr]
        if isinstance(node, ast.Attribute):
            return items.attribute(translation, self.value(node.value, environment), node.attr)
        if isinstance(node, ast.Subscript):
            return self._item(node, environment)
        if isinstance(node, ast.Call):
            return self._call(node, environment)
        raise Refused(f"`{type(node).__name__}` in a function")

    def name(self, name: str, environment: Environment) -> Operand:
        if name in environment:
            found = environment[name]
            if found is None:
                raise Refused(f"`{name}`, which has several types or is not always set")
            return found
        if name in self.locals:
            raise Refused(f"`{name}`, which is not always set")
        return Constant(lookup(self.function, name))

    def binary(self, op: type[ast.operator], left: Operand, right: Operand) -> Operand:
        if op not in _BINARY:
            raise Refused(f"`{op.__name__}` in a function")
        if isinstance(left, Constant) and isinstance(right, Constant):
            return folded(lambda: _BINARY[op](left.value, right.value), left, right)
        return numbers.binary(self.translation, op.__name__, left, right)

    def _unary(self, node: ast.UnaryOp, environment: Environment) -> Operand:
        operand = self.value(node.operand, environment)
        if isinstance(node.op, ast.Not):
            return Value("bool", elementwise.negated(self.translation.truth(operand)))
        if isinstance(operand, Constant):
            return folded(lambda: operator.neg(operand.value) if isinstance(node.op, ast.USub) else operator.pos(operand.value), operand)
        if isinstance(node.op, ast.USub):
            return numbers.negative(self.translation, operand)
        raise Refused(f"`{type(node.op).__name__}` in a function")

    def _comparison(self, node: ast.Compare, environment: Environment) -> Operand:
        translation = self.translation
        before = translation.path
        left = self.value(node.left, environment)
        result: Expression = elementwise.TRUE
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part, environment)
            one = self._compared(op, left, right)
            result = conjunction(result, one)
            translation.path = conjunction(translation.path, one)
            left = right
        translation.path = before
        return Value("bool", result)

    def _compared(self, op: ast.cmpop, left: Operand, right: Operand) -> Expression:
        if isinstance(op, (ast.In, ast.NotIn)):
            found = items.contained(self.translation, left, right)
            return found if isinstance(op, ast.In) else elementwise.negated(found)
        if isinstance(op, (ast.Is, ast.IsNot)) and not isinstance(left, TypeOf):
            if isinstance(left, Value) and left.kind == "match" and isinstance(right, Constant) and right.value is None:
                return elementwise.negated(left.expression) if isinstance(op, ast.Is) else left.expression
            if isinstance(left, Value) and isinstance(right, Constant) and right.value is None:
                # No value of a row is None: what is missing is NaN.
                return elementwise.FALSE if isinstance(op, ast.Is) else elementwise.TRUE
            raise Refused("`is` in a function")
        if isinstance(left, TypeOf):
            found = self._of_class(left, right)
            return found if isinstance(op, (ast.Eq, ast.Is)) else elementwise.negated(found)
        if isinstance(left, Constant) and isinstance(right, Constant):
            made = folded(lambda: _OPERATORS[type(op)](left.value, right.value), left, right)
            return elementwise.TRUE if made.value else elementwise.FALSE
        return numbers.compared(self.translation, _COMPARISONS[type(op)], left, right)

    def _of_class(self, left: TypeOf, right: Operand) -> Expression:
        """Whether the class of a value is this one. What is missing is a float."""
        value = left.of
        usual = {"int": int, "float": float, "bool": bool, "str": str}.get(value.kind)
        if usual is None or value.numpy or not isinstance(right, Constant) or right.value not in (int, float, bool, str):
            raise Refused("`type` of such a value")
        found = elementwise.TRUE if right.value is usual else elementwise.FALSE
        if value.missing is None:
            return found
        return elementwise.select(value.missing, elementwise.TRUE if right.value is float else elementwise.FALSE, found)

    def _connected(self, node: ast.BoolOp, environment: Environment) -> Operand:
        translation = self.translation
        before = translation.path
        conjoined = isinstance(node.op, ast.And)
        values: list[tuple[Operand, Expression]] = []
        for part in node.values:
            operand = self.value(part, environment)
            truth = translation.truth(operand)
            values.append((operand, truth))
            translation.path = conjunction(translation.path, truth if conjoined else elementwise.negated(truth))
        translation.path = before
        if all(isinstance(operand, Value) and operand.kind == "bool" for operand, _ in values):
            result = values[0][1]
            for _, truth in values[1:]:
                result = elementwise.both(result, truth) if conjoined else elementwise.either(result, truth)
            return Value("bool", result)
        result_operand = values[-1][0]
        for operand, truth in reversed(values[:-1]):
            result_operand = chosen(truth, result_operand, operand) if conjoined else chosen(truth, operand, result_operand)
        return result_operand

    def _conditional(self, node: ast.IfExp, environment: Environment) -> Operand:
        translation = self.translation
        condition = translation.truth(self.value(node.test, environment))
        if isinstance(condition, Literal):
            return self.value(node.body if condition.value else node.orelse, environment)
        before = translation.path
        translation.path = conjunction(before, condition)
        then = self.value(node.body, environment)
        translation.path = conjunction(before, elementwise.negated(condition))
        otherwise = self.value(node.orelse, environment)
        translation.path = before
        return chosen(condition, then, otherwise)

    def _joined(self, node: ast.JoinedStr, environment: Environment) -> Operand:
        pieces: list[Expression] = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                pieces.append(Literal(str(part.value), ir.str_))
                continue
            assert isinstance(part, ast.FormattedValue)
            spec = ""
            if part.format_spec is not None:
                assert isinstance(part.format_spec, ast.JoinedStr)
                if not all(isinstance(one, ast.Constant) for one in part.format_spec.values):
                    raise Refused("a format that is computed")
                spec = "".join(str(one.value) for one in part.format_spec.values)  # type: ignore[attr-defined]
            if part.conversion not in (-1, 115):
                raise Refused("a conversion in a format")
            pieces.append(methods.formatted(self.translation, self.value(part.value, environment), spec))
        if not pieces:
            return Constant("")
        return Value("str", call("str_concat", *pieces) if len(pieces) > 1 else pieces[0])

    def _item(self, node: ast.Subscript, environment: Environment) -> Operand:
        container = self.value(node.value, environment)
        if isinstance(node.slice, ast.Slice):
            bounds = [None if bound is None else self.value(bound, environment) for bound in (node.slice.lower, node.slice.upper, node.slice.step)]
            return items.cut(self.translation, container, bounds)
        return items.item(self.translation, container, self.value(node.slice, environment))

    def _call(self, node: ast.Call, environment: Environment) -> Operand:
        if any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords):
            raise Refused("`*` or `**` in a call")
        arguments = [self.value(one, environment) for one in node.args]
        keywords = {str(one.arg): self.value(one.value, environment) for one in node.keywords}
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value, environment)
            if not isinstance(owner, Constant) or isinstance(owner.value, (dict, str, re.Pattern)):
                return methods.method(self.translation, owner, node.func.attr, arguments, keywords)
            target = items.attribute(self.translation, owner, node.func.attr)
        else:
            target = self.value(node.func, environment)
        if not isinstance(target, Constant):
            raise Refused("a function that is computed")
        return calls.called(self.translation, target.value, arguments, keywords)


def folded(compute: Any, *constants: Constant) -> Constant:
    """What constants make, computed now."""
    if not all(isinstance(one.value, (bool, int, float, str, tuple)) for one in constants):
        raise Refused("constants that are not scalars")
    try:
        return Constant(compute())
    except Exception as error:
        raise Refused("constants for which Python raises") from error
