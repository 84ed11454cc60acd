"""From the source of a function to expressions.

A function is run on values of all rows at once, along every path. Each `return` is a leaf with the condition under which it is reached. What would raise, in some row that
reaches it, is noted and looked for when the whole is known: then pandas runs the function, and raises what it raises.
"""

from __future__ import annotations

import ast
import operator
import types
from collections.abc import Sequence
from typing import Any

from airloom import ir
from airloom.pandas.compile import calls, items, methods, numbers
from airloom.pandas.compile.source import definition, lookup
from airloom.pandas.compile.values import Constant, Operand, Row, Value, chosen, typed
from airloom.pandas.operations import elements
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Refused

Environment = dict[str, Operand | None]
Leaf = tuple[Expression, Operand]

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
_MOST_CALLS = 6


class Translation:
    """What is known of all rows so far: under which condition we are, and what must not hold."""

    def __init__(self) -> None:
        self.path: Expression = elements.TRUE
        self.raises: list[Expression] = []
        self.depth = 0

    def never(self, predicate: Expression) -> None:
        """Notes that something raises, or is not known, for the rows here of which the predicate is true."""
        self.raises.append(conjunction(self.path, predicate))

    def known(self, operand: Operand) -> Value:
        """A value that is used as its kind says: refused later if it is missing in a row."""
        value = typed(operand)
        if value.missing is not None:
            self.never(value.missing)
            return Value(value.kind, present(value), numpy=value.numpy)
        return value

    def truth(self, operand: Operand) -> Expression:
        """Whether a value counts as true."""
        if isinstance(operand, Constant):
            return elements.TRUE if operand.value else elements.FALSE
        value = self.known(operand)
        if value.kind == "bool":
            return value.expression
        if value.kind in ("int", "float"):
            return call("ne", value.expression, Literal(0 if value.kind == "int" else 0.0, ir.i64 if value.kind == "int" else ir.f64))
        if value.kind == "str":
            return call("ne", value.expression, Literal("", ir.str_))
        raise Refused(f"`{value.kind}` as a condition")

    def call_function(self, function: types.FunctionType, arguments: Sequence[Operand], keywords: dict[str, Operand]) -> Operand:
        """What a function returns, as one value; refused where it is of several kinds."""
        before = self.path
        leaves = self.leaves(function, arguments, keywords)
        self.path = before
        *others, (_, result) = leaves
        for condition, value in reversed(others):
            result = chosen(condition, value, result)
        return result

    def leaves(self, function: types.FunctionType, arguments: Sequence[Operand], keywords: dict[str, Operand]) -> list[Leaf]:
        """Every return of a function, with the condition under which it is reached."""
        if self.depth >= _MOST_CALLS:
            raise Refused("functions that call each other too deeply")
        node = definition(function)
        environment = _bound(function, node, arguments, keywords)
        body = _Body(self, function)
        self.depth += 1
        if isinstance(node, ast.Lambda):
            body.leave(node.body, environment)
        else:
            rest = body.run(node.body, environment)
            if rest is not None:
                # It returns None there.
                self.never(elements.TRUE)
        self.depth -= 1
        if not body.leaves:
            raise Refused("a function that returns nothing")
        return body.leaves


def present(value: Value) -> Expression:
    """The expression of a value that is not missing, as one that is never null."""
    fillers: dict[str, Any] = {"str": Literal("", ir.str_), "int": Literal(0, ir.i64)}
    return call("coalesce", value.expression, fillers[value.kind]) if value.kind in fillers else value.expression


def conjunction(first: Expression, second: Expression) -> Expression:
    if first is elements.TRUE:
        return second
    return first if second is elements.TRUE else elements.both(first, second)


def _bound(function: types.FunctionType, node: Any, arguments: Sequence[Operand], keywords: dict[str, Operand]) -> Environment:
    given = node.args
    if given.vararg or given.kwarg or given.kwonlyargs:
        raise Refused("a function of any number of arguments")
    names = [one.arg for one in (*given.posonlyargs, *given.args)]
    if len(arguments) > len(names) or not set(keywords) <= set(names[len(arguments) :]):
        raise Refused("other arguments than the function has")
    bound: Environment = dict(zip(names, arguments, strict=False))
    bound.update(keywords)
    defaults = function.__defaults__ or ()
    for name, value in zip(names[len(names) - len(defaults) :], defaults, strict=True):
        bound.setdefault(name, Constant(value))
    if set(bound) != set(names):
        raise Refused("fewer arguments than the function has")
    return bound


class _Body:
    """The body of one function, with its leaves."""

    def __init__(self, translation: Translation, function: types.FunctionType) -> None:
        self.translation = translation
        self.function = function
        self.leaves: list[Leaf] = []
        # A name that is stored anywhere in the body is a local everywhere in it.
        self.locals = set(function.__code__.co_varnames)

    def leave(self, node: ast.expr, environment: Environment) -> None:
        """Notes a return. A conditional expression is two, so that each may be of its own kind."""
        translation = self.translation
        if isinstance(node, ast.IfExp):
            condition = translation.truth(self.value(node.test, environment))
            if isinstance(condition, Literal):
                self.leave(node.body if condition.value else node.orelse, environment)
                return
            before = translation.path
            for taken, part in ((condition, node.body), (elements.negated(condition), node.orelse)):
                translation.path = conjunction(before, taken)
                self.leave(part, environment)
            translation.path = before
            return
        if not self._leave_extreme(node, environment):
            self.leaves.append((translation.path, self.value(node, environment)))

    def _leave_extreme(self, node: ast.expr, environment: Environment) -> bool:
        """Notes a return of `min` or `max` of a whole number and a float as two: which of them it is tells the kind."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 2 or node.keywords:
            return False
        target = self._name(node.func.id, environment)
        if not isinstance(target, Constant) or (target.value is not min and target.value is not max):
            return False
        translation = self.translation
        first, second = (self.value(one, environment) for one in node.args)
        if isinstance(first, Row) or isinstance(second, Row) or {typed(first).kind, typed(second).kind} != {"int", "float"}:
            return False
        beyond = numbers.compared(translation, "lt" if target.value is min else "gt", second, first)
        self.leaves.append((conjunction(translation.path, beyond), second))
        self.leaves.append((conjunction(translation.path, elements.negated(beyond)), first))
        return True

    def run(self, statements: Sequence[ast.stmt], environment: Environment) -> Environment | None:
        """Runs statements; returns the locals after them, or none where every path has returned. The path is then what goes on."""
        for statement in statements:
            if isinstance(statement, ast.Return):
                if statement.value is None:
                    raise Refused("a return of nothing")
                self.leave(statement.value, environment)
                return None
            if isinstance(statement, ast.If):
                after = self._branch(statement, environment)
                if after is None:
                    return None
                environment = after
            elif isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
                environment[statement.targets[0].id] = self.value(statement.value, environment)
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value is not None:
                environment[statement.target.id] = self.value(statement.value, environment)
            elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
                left = self._name(statement.target.id, environment)
                environment[statement.target.id] = self._binary(type(statement.op), left, self.value(statement.value, environment))
            elif isinstance(statement, ast.Pass) or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                continue
            else:
                raise Refused(f"`{type(statement).__name__}` in a function")
        return environment

    def _branch(self, statement: ast.If, environment: Environment) -> Environment | None:
        translation = self.translation
        condition = translation.truth(self.value(statement.test, environment))
        if isinstance(condition, Literal):
            return self.run(statement.body if condition.value else statement.orelse, environment)
        before = translation.path
        translation.path = conjunction(before, condition)
        then = self.run(statement.body, dict(environment))
        then_path = translation.path
        translation.path = conjunction(before, elements.negated(condition))
        otherwise = self.run(statement.orelse, dict(environment))
        if then is None:
            return otherwise
        if otherwise is None:
            translation.path = then_path
            return then
        translation.path = elements.either(then_path, translation.path)
        return {name: _merged(condition, then.get(name), otherwise.get(name)) for name in {**then, **otherwise}}

    def value(self, node: ast.expr, environment: Environment) -> Operand:
        """What an expression is worth."""
        translation = self.translation
        if isinstance(node, ast.Constant):
            return Constant(node.value)
        if isinstance(node, ast.Name):
            return self._name(node.id, environment)
        if isinstance(node, ast.BinOp):
            return self._binary(type(node.op), self.value(node.left, environment), self.value(node.right, environment))
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
                raise Refused("a list of values")
            return Constant(tuple(item.value for item in listed))  # type: ignore[union-attr]
        if isinstance(node, ast.Dict):
            pairs = [(self.value(key, environment), self.value(value, environment)) for key, value in zip(node.keys, node.values, strict=True) if key is not None]
            if len(pairs) != len(node.keys) or not all(isinstance(one, Constant) for pair in pairs for one in pair):
                raise Refused("a dict of values")
            return Constant({key.value: value.value for key, value in pairs})  # type: ignore[union-attr]
        if isinstance(node, ast.Attribute):
            return items.attribute(translation, self.value(node.value, environment), node.attr)
        if isinstance(node, ast.Subscript):
            return self._item(node, environment)
        if isinstance(node, ast.Call):
            return self._call(node, environment)
        raise Refused(f"`{type(node).__name__}` in a function")

    def _name(self, name: str, environment: Environment) -> Operand:
        if name in environment:
            found = environment[name]
            if found is None:
                raise Refused(f"`{name}`, which is of several kinds or not always set")
            return found
        if name in self.locals:
            raise Refused(f"`{name}`, which is not always set")
        return Constant(lookup(self.function, name))

    def _binary(self, op: type[ast.operator], left: Operand, right: Operand) -> Operand:
        if op not in _BINARY:
            raise Refused(f"`{op.__name__}` in a function")
        if isinstance(left, Constant) and isinstance(right, Constant):
            return folded(lambda: _BINARY[op](left.value, right.value), left, right)
        return numbers.binary(self.translation, op.__name__, left, right)

    def _unary(self, node: ast.UnaryOp, environment: Environment) -> Operand:
        operand = self.value(node.operand, environment)
        if isinstance(node.op, ast.Not):
            return Value("bool", elements.negated(self.translation.truth(operand)))
        if isinstance(operand, Constant):
            return folded(lambda: operator.neg(operand.value) if isinstance(node.op, ast.USub) else operator.pos(operand.value), operand)
        if isinstance(node.op, ast.USub):
            return numbers.negative(self.translation, operand)
        raise Refused(f"`{type(node.op).__name__}` in a function")

    def _comparison(self, node: ast.Compare, environment: Environment) -> Operand:
        translation = self.translation
        before = translation.path
        left = self.value(node.left, environment)
        result: Expression = elements.TRUE
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
            return found if isinstance(op, ast.In) else elements.negated(found)
        if isinstance(op, (ast.Is, ast.IsNot)):
            if isinstance(left, Value) and isinstance(right, Constant) and right.value is None:
                # No value of a row is None: what is missing is NaN.
                return elements.FALSE if isinstance(op, ast.Is) else elements.TRUE
            raise Refused("the identity of values")
        if isinstance(left, Constant) and isinstance(right, Constant):
            made = folded(lambda: _OPERATORS[type(op)](left.value, right.value), left, right)
            return elements.TRUE if made.value else elements.FALSE
        return numbers.compared(self.translation, _COMPARISONS[type(op)], left, right)

    def _connected(self, node: ast.BoolOp, environment: Environment) -> Operand:
        translation = self.translation
        before = translation.path
        conjoined = isinstance(node.op, ast.And)
        values: list[tuple[Operand, Expression]] = []
        for part in node.values:
            operand = self.value(part, environment)
            truth = translation.truth(operand)
            values.append((operand, truth))
            translation.path = conjunction(translation.path, truth if conjoined else elements.negated(truth))
        translation.path = before
        if all(isinstance(operand, Value) and operand.kind == "bool" for operand, _ in values):
            result = values[0][1]
            for _, truth in values[1:]:
                result = elements.both(result, truth) if conjoined else elements.either(result, truth)
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
        translation.path = conjunction(before, elements.negated(condition))
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
            pieces.append(calls.formatted(self.translation, self.value(part.value, environment), spec))
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
            raise Refused("arguments that are spread")
        arguments = [self.value(one, environment) for one in node.args]
        keywords = {str(one.arg): self.value(one.value, environment) for one in node.keywords}
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value, environment)
            if not isinstance(owner, Constant) or isinstance(owner.value, (dict, str)):
                return methods.method(self.translation, owner, node.func.attr, arguments, keywords)
            target = items.attribute(self.translation, owner, node.func.attr)
        else:
            target = self.value(node.func, environment)
        if not isinstance(target, Constant):
            raise Refused("a function that is computed")
        return calls.called(self.translation, target.value, arguments, keywords)


_OPERATORS: dict[Any, Any] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def folded(compute: Any, *constants: Constant) -> Constant:
    """What constants make, computed now."""
    if not all(isinstance(one.value, (bool, int, float, str, tuple)) for one in constants):
        raise Refused("constants that are not plain")
    try:
        return Constant(compute())
    except Exception as error:
        raise Refused("constants that raise") from error


def _merged(condition: Expression, then: Operand | None, otherwise: Operand | None) -> Operand | None:
    """A local after two branches; none where it is of several kinds, which matters only if it is used."""
    if then is otherwise:
        return then
    if then is None or otherwise is None or isinstance(then, Row) or isinstance(otherwise, Row):
        return None
    try:
        return chosen(condition, then, otherwise)
    except Refused:
        return None
