"""From the source of a function to expressions.

A function is run on values of all rows at once, along every path. Each `return` is a leaf with the condition under which it is reached. What would raise, in some row that
reaches it, is noted and looked for when the whole is known: then pandas runs the function, and raises what it raises.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import Any

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.refusals import Refused
from airloom.pandas.udf import numbers
from airloom.pandas.udf.expressions import Environment, Evaluation
from airloom.pandas.udf.source import definition
from airloom.pandas.udf.values import Constant, Operand, Row, Value, chosen, conjunction, typed

Leaf = tuple[Expression, Operand]
#: A branch that goes on: its path, the condition that chose it, and its locals.
Going = tuple[Expression, Expression, Environment]
_UNSET = object()

_MOST_CALLS = 6
_MOST_LEAVES = 64


class Translation:
    """What is known of all rows so far: under which condition we are, and what must not hold."""

    def __init__(self) -> None:
        self.path: Expression = elementwise.TRUE
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
            return elementwise.TRUE if operand.value else elementwise.FALSE
        value = self.known(operand)
        if value.kind in ("bool", "match"):
            return value.expression
        if value.kind in ("int", "float"):
            return call("ne", value.expression, Literal(0 if value.kind == "int" else 0.0, ir.i64 if value.kind == "int" else ir.f64))
        if value.kind == "str":
            return call("ne", value.expression, Literal("", ir.str_))
        raise Refused(f"{value.kind} as a condition")

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
            raise Refused(f"functions that call each other more than {_MOST_CALLS} deep")
        node = definition(function)
        environment = _bound(function, node, arguments, keywords)
        body = _Body(self, function)
        self.depth += 1
        if isinstance(node, ast.Lambda):
            body.leave(node.body, environment)
        else:
            body.run_through(node.body, environment)
        self.depth -= 1
        if not body.leaves:
            raise Refused("a function that returns nothing")
        return body.leaves


def present(value: Value) -> Expression:
    """The expression of a value that is not missing, as one that is never null."""
    fillers: dict[str, Any] = {"str": Literal("", ir.str_), "int": Literal(0, ir.i64)}
    return call("coalesce", value.expression, fillers[value.kind]) if value.kind in fillers else value.expression


def _bound(function: types.FunctionType, node: Any, arguments: Sequence[Operand], keywords: dict[str, Operand]) -> Environment:
    given = node.args
    if given.vararg or given.kwarg or given.kwonlyargs:
        raise Refused("a function with `*args`, `**kwargs` or keyword-only arguments")
    names = [one.arg for one in (*given.posonlyargs, *given.args)]
    if len(arguments) > len(names) or not set(keywords) <= set(names[len(arguments) :]):
        raise Refused("arguments that the function does not have")
    bound: Environment = dict(zip(names, arguments, strict=False))
    bound.update(keywords)
    defaults = function.__defaults__ or ()
    for name, value in zip(names[len(names) - len(defaults) :], defaults, strict=True):
        bound.setdefault(name, Constant(value))
    if set(bound) != set(names):
        raise Refused("fewer arguments than the function has")
    return bound


class _Body(Evaluation):
    """The body of one function, with its leaves."""

    def __init__(self, translation: Translation, function: types.FunctionType) -> None:
        super().__init__(translation, function)
        self.leaves: list[Leaf] = []

    def leave(self, node: ast.expr, environment: Environment) -> None:
        """Notes a return. A conditional expression is two, so that each may be of its own kind."""
        translation = self.translation
        if isinstance(node, ast.IfExp):
            condition = translation.truth(self.value(node.test, environment))
            if isinstance(condition, Literal):
                self.leave(node.body if condition.value else node.orelse, environment)
                return
            before = translation.path
            for taken, part in ((condition, node.body), (elementwise.negated(condition), node.orelse)):
                translation.path = conjunction(before, taken)
                self.leave(part, environment)
            translation.path = before
            return
        if not self._leave_extreme(node, environment):
            self.leaves.append((translation.path, self.value(node, environment)))

    def _leave_extreme(self, node: ast.expr, environment: Environment) -> bool:
        """Notes a return of `min` or `max` of an integer and a float as two: which of them it is tells the kind."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 2 or node.keywords:
            return False
        target = self.name(node.func.id, environment)
        if not isinstance(target, Constant) or (target.value is not min and target.value is not max):
            return False
        translation = self.translation
        first, second = (self.value(one, environment) for one in node.args)
        if isinstance(first, Row) or isinstance(second, Row) or {typed(first).kind, typed(second).kind} != {"int", "float"}:
            return False
        beyond = numbers.compared(translation, "lt" if target.value is min else "gt", second, first)
        self.leaves.append((conjunction(translation.path, beyond), second))
        self.leaves.append((conjunction(translation.path, elementwise.negated(beyond)), first))
        return True

    def run_through(self, statements: Sequence[ast.stmt], environment: Environment) -> None:
        """Runs the statements of a function to their end. Where branches leave a local of different kinds, each goes on by itself."""
        translation = self.translation
        if len(self.leaves) > _MOST_LEAVES:
            raise Refused(f"a function of more than {_MOST_LEAVES} paths")
        for at, statement in enumerate(statements):
            if isinstance(statement, ast.If):
                going = self._branches(statement, environment)
                merged = self._together(going)
                if merged is None or any(value is None for name, value in merged.items() if environment.get(name, _UNSET) is not None):
                    for path, _, one in going:
                        translation.path = path
                        self.run_through(statements[at + 1 :], one)
                    return
                environment = merged
                continue
            after = self.run([statement], environment)
            if after is None:
                return
            environment = after
        # It returns None here.
        translation.never(elementwise.TRUE)

    def run(self, statements: Sequence[ast.stmt], environment: Environment) -> Environment | None:
        """Runs statements; returns the locals after them, or none where every path has returned. The path is then what goes on."""
        for statement in statements:
            if isinstance(statement, ast.Return):
                if statement.value is None:
                    raise Refused("`return` without a value")
                self.leave(statement.value, environment)
                return None
            if isinstance(statement, ast.If):
                after = self._together(self._branches(statement, environment))
                if after is None:
                    return None
                environment = after
            elif isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
                environment[statement.targets[0].id] = self.value(statement.value, environment)
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value is not None:
                environment[statement.target.id] = self.value(statement.value, environment)
            elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
                left = self.name(statement.target.id, environment)
                environment[statement.target.id] = self.binary(type(statement.op), left, self.value(statement.value, environment))
            elif isinstance(statement, ast.Pass) or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                continue
            else:
                raise Refused(f"`{type(statement).__name__}` in a function")
        return environment

    def _branches(self, statement: ast.If, environment: Environment) -> list[Going]:
        """The branches of a condition that go on after it: each with its path, the condition for it among both, and its locals."""
        translation = self.translation
        condition = translation.truth(self.value(statement.test, environment))
        before = translation.path
        if isinstance(condition, Literal):
            after = self.run(statement.body if condition.value else statement.orelse, dict(environment))
            return [] if after is None else [(translation.path, elementwise.TRUE, after)]
        going: list[Going] = []
        for taken, statements in ((condition, statement.body), (elementwise.negated(condition), statement.orelse)):
            translation.path = conjunction(before, taken)
            after = self.run(statements, dict(environment))
            if after is not None:
                going.append((translation.path, taken, after))
        return going

    def _together(self, going: Sequence[Going]) -> Environment | None:
        """The locals after branches that go on, and the path; none where none does."""
        if not going:
            return None
        path, condition, environment = going[0]
        self.translation.path = path
        if len(going) == 1:
            return environment
        self.translation.path = elementwise.either(path, going[1][0])
        other = going[1][2]
        return {name: _merged(condition, environment.get(name), other.get(name)) for name in {**environment, **other}}

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
