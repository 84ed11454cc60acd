"""From the source of a function to expressions.

A function is run on values of all rows at once, along every path. Each `return` is a leaf with the condition under which it is reached. What would raise, in some row that
reaches it, is noted and looked for when the whole is known: then pandas runs the function, and raises what it raises.
"""

from __future__ import annotations

import operator
import re
import types
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from airloom import ir
from airloom.functions.reader import CallNode, ChoiceNode, IfNode, Node, Reader, Statement, Syntax, sign, word
from airloom.functions.refusals import form_of
from airloom.functions.syntax import statements_of
from airloom.pandas.algorithms import elementwise
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.refusals import Refused
from airloom.pandas.udf import calls, items, methods, numbers
from airloom.pandas.udf.source import definition, lookup
from airloom.pandas.udf.values import Constant, Extreme, Operand, Row, Several, TypeOf, Value, chosen, conjunction, folded, typed

Leaf = tuple[Expression, Operand]
#: Locals by name; none where one is of several kinds, or not always set.
Environment = dict[str, Operand | None]
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
        body = _Body(self, function)
        body.environment = dict(body.parameters(function, node, arguments, keywords, Constant))
        self.depth += 1
        body.block(statements_of(node))
        self.depth -= 1
        if not body.leaves:
            raise Refused("a function that returns nothing")
        return body.leaves


def present(value: Value) -> Expression:
    """The expression of a value that is not missing, as one that is never null."""
    fillers: dict[str, Any] = {"str": Literal("", ir.str_), "int": Literal(0, ir.i64)}
    return call("coalesce", value.expression, fillers[value.kind]) if value.kind in fillers else value.expression


class _Body(Reader[Operand]):
    """The body of one function, with its leaves."""

    returns_apart = True

    def __init__(self, translation: Translation, function: types.FunctionType) -> None:
        self.translation = translation
        self.function = function
        # A name that is stored anywhere in the body is a local everywhere in it.
        self.locals = set(function.__code__.co_varnames)
        self.environment: Environment = {}
        self.leaves: list[Leaf] = []
        #: Whether a path goes on from here, and under how many conditions the statements stand that are read.
        self.goes_on = True
        self.nested = 0

    def refusal(self, reason: str, node: Syntax | None = None, hint: str = "") -> Refused:
        return Refused(reason)

    def unread(self, node: Syntax) -> NoReturn:
        raise Refused(f"{form_of(node)} in a function")

    # Statements.

    def bind(self, name: str, value: Operand) -> None:
        self.environment[name] = value

    def unpacked(self, value: Operand, count: int, node: Node) -> Sequence[Operand]:
        found: Sequence[Operand] = ()
        if isinstance(value, Several):
            found = value.items
        elif isinstance(value, Constant) and isinstance(value.value, tuple):
            found = [Constant(item) for item in value.value]
        if len(found) != count:
            raise Refused(f"an assignment to {count} names of something else than {count} values")
        return found

    def leave(self, value: Node | None, node: Statement) -> None:
        translation = self.translation
        if value is None:
            # It returns None here.
            translation.never(elementwise.TRUE)
        else:
            made = self.expression(value)
            if isinstance(made, Extreme):
                # Which of them it is tells the kind.
                self.leaves.append((conjunction(translation.path, made.condition), made.then))
                self.leaves.append((conjunction(translation.path, elementwise.negated(made.condition)), made.otherwise))
            else:
                self.leaves.append((translation.path, made))
        self.goes_on = False

    def branch(self, condition: Operand, then: Sequence[Statement], otherwise: Sequence[Statement], rest: Sequence[Statement], node: IfNode) -> bool:
        """Where branches leave a local of different kinds, each goes on by itself."""
        translation, before = self.translation, self.environment
        going = self._branches(translation.truth(condition), then, otherwise)
        self.goes_on = bool(going)
        if not going:
            return False
        merged = self._together(going)
        if self.nested == 0 and any(value is None for name, value in merged.items() if before.get(name, _UNSET) is not None):
            for path, _, environment in going:
                if len(self.leaves) > _MOST_LEAVES:
                    raise Refused(f"a function of more than {_MOST_LEAVES} paths")
                translation.path, self.environment, self.goes_on = path, environment, True
                self.block(rest)
            return False
        self.environment = merged
        return True

    def _branches(self, condition: Expression, then: Sequence[Statement], otherwise: Sequence[Statement]) -> list[Going]:
        """The branches of a condition that go on after it: each with its path, the condition for it among both, and its locals."""
        translation, before, environment = self.translation, self.translation.path, self.environment
        ways = [(condition, then), (elementwise.negated(condition), otherwise)]
        if isinstance(condition, Literal):
            ways = [(elementwise.TRUE, then if condition.value else otherwise)]
        going: list[Going] = []
        self.nested += 1
        for taken, statements in ways:
            translation.path = conjunction(before, taken)
            self.environment, self.goes_on = dict(environment), True
            self.block(statements)
            if self.goes_on:
                going.append((translation.path, taken, self.environment))
        self.nested -= 1
        return going

    def _together(self, going: Sequence[Going]) -> Environment:
        """The locals after branches that go on, and the path."""
        path, condition, environment = going[0]
        self.translation.path = path
        if len(going) == 1:
            return environment
        self.translation.path = elementwise.either(path, going[1][0])
        other = going[1][2]
        return {name: _merged(condition, environment.get(name), other.get(name)) for name in {**environment, **other}}

    # Expressions.

    def constant(self, value: Any, node: Node) -> Operand:
        return Constant(value)

    def name(self, name: str, node: Node) -> Operand:
        if name in self.environment:
            found = self.environment[name]
            if found is None:
                raise Refused(f"`{name}`, which has several types or is not always set")
            return found
        if name in self.locals:
            raise Refused(f"`{name}`, which is not always set")
        return Constant(lookup(self.function, name))

    def binary(self, op: Syntax, left: Operand, right: Operand, node: Syntax) -> Operand:
        if word(op) not in numbers.OPERATORS:
            raise Refused(f"`{sign(op)}` in a function")
        if isinstance(left, Constant) and isinstance(right, Constant):
            return folded(lambda: getattr(operator, word(op))(left.value, right.value), left, right)
        return numbers.binary(self.translation, word(op), left, right)

    def in_place(self, op: Syntax, left: Operand, right: Operand, node: Syntax) -> Operand:
        if isinstance(left, Constant) and isinstance(left.value, tuple):
            # It may be a list, which changes under all of its names.
            raise Refused(f"`{sign(op)}=` of a list or a tuple")
        return self.binary(op, left, right, node)

    def unary(self, op: Syntax, value: Operand, node: Node) -> Operand:
        if isinstance(value, Constant) and type(value.value) is not bool:
            return folded(lambda: getattr(operator, word(op))(value.value), value)
        if word(op) == "neg":
            return numbers.negative(self.translation, value)
        raise Refused(f"`{sign(op)}` in a function")

    def negation(self, value: Operand, node: Node) -> Operand:
        return Value("bool", elementwise.negated(self.translation.truth(value)))

    def compare(self, op: Syntax, left: Operand, right: Operand, node: Node) -> Operand:
        return Value("bool", self._compared(word(op), left, right))

    def chained(self, first: Operand, middle: Operand, others: Callable[[Operand], Operand], nodes: Sequence[Node], node: Node) -> Operand:
        translation, before = self.translation, self.translation.path
        holds = typed(first).expression
        translation.path = conjunction(before, holds)
        further = typed(others(middle)).expression
        translation.path = before
        return Value("bool", conjunction(holds, further))

    def _compared(self, op: str, left: Operand, right: Operand) -> Expression:
        if op in ("in", "not in"):
            found = items.contained(self.translation, left, right)
            return found if op == "in" else elementwise.negated(found)
        if op in ("is_", "is_not") and not isinstance(left, TypeOf):
            if isinstance(left, Value) and left.kind == "match" and isinstance(right, Constant) and right.value is None:
                return elementwise.negated(left.expression) if op == "is_" else left.expression
            if isinstance(left, Value) and isinstance(right, Constant) and right.value is None:
                # No value of a row is None: what is missing is NaN.
                return elementwise.FALSE if op == "is_" else elementwise.TRUE
            raise Refused("`is` in a function")
        if isinstance(left, TypeOf):
            if op not in ("eq", "is_", "ne", "is_not"):
                raise Refused("an order of types")
            found = self._of_class(left, right)
            return found if op in ("eq", "is_") else elementwise.negated(found)
        if isinstance(left, Constant) and isinstance(right, Constant):
            made = folded(lambda: getattr(operator, op)(left.value, right.value), left, right)
            return elementwise.TRUE if made.value else elementwise.FALSE
        return numbers.compared(self.translation, op, left, right)

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

    def connective(self, conjoined: bool, values: Sequence[Node], node: Node) -> Operand:
        translation = self.translation
        before = translation.path
        read: list[tuple[Operand, Expression]] = []
        for part in values:
            operand = self.expression(part)
            truth = translation.truth(operand)
            read.append((operand, truth))
            translation.path = conjunction(translation.path, truth if conjoined else elementwise.negated(truth))
        translation.path = before
        if all(isinstance(operand, Value) and operand.kind == "bool" for operand, _ in read):
            result = read[0][1]
            for _, truth in read[1:]:
                result = elementwise.both(result, truth) if conjoined else elementwise.either(result, truth)
            return Value("bool", result)
        result_operand = read[-1][0]
        for operand, truth in reversed(read[:-1]):
            result_operand = chosen(truth, result_operand, operand) if conjoined else chosen(truth, operand, result_operand)
        return result_operand

    def choice(self, condition: Operand, then: Node, otherwise: Node, node: ChoiceNode) -> Operand:
        translation = self.translation
        holds = translation.truth(condition)
        if isinstance(holds, Literal):
            return self.expression(then if holds.value else otherwise)
        before = translation.path
        translation.path = conjunction(before, holds)
        first = self.expression(then)
        translation.path = conjunction(before, elementwise.negated(holds))
        second = self.expression(otherwise)
        translation.path = before
        return chosen(holds, first, second)

    def collection(self, kind: type, parts: Sequence[Node], node: Node) -> Operand:
        listed = [self.expression(part) for part in parts]
        if all(isinstance(item, Constant) for item in listed):
            return Constant(tuple(item.value for item in listed if isinstance(item, Constant)))
        if kind is set:
            raise Refused("a set of computed values")
        return Several(listed)

    def dictionary(self, pairs: Sequence[tuple[Node, Node]], node: Node) -> Operand:
        read = [(self.expression(key), self.expression(value)) for key, value in pairs]
        if not all(isinstance(one, Constant) for pair in read for one in pair):
            raise Refused("a dict of computed values")
        return Constant({key.value: value.value for key, value in read if isinstance(key, Constant) and isinstance(value, Constant)})

    def joined(self, pieces: Sequence[str | tuple[Operand, str]], node: Node) -> Operand:
        made = [Literal(piece, ir.str_) if isinstance(piece, str) else methods.formatted(self.translation, *piece) for piece in pieces]
        if not made:
            return Constant("")
        return Value("str", call("str_concat", *made) if len(made) > 1 else made[0])

    def item(self, owner: Operand, key: Operand, node: Node) -> Operand:
        return items.item(self.translation, owner, key)

    def sliced(self, owner: Operand, bounds: Sequence[Operand | None], node: Node) -> Operand:
        return items.cut(self.translation, owner, bounds)

    def attribute(self, owner: Operand, name: str, node: Node) -> Operand:
        return items.attribute(self.translation, owner, name)

    def method(self, owner: Operand, name: str, node: CallNode) -> Operand | None:
        if isinstance(owner, Constant) and not isinstance(owner.value, (dict, str, re.Pattern)):
            return None
        return methods.method(self.translation, owner, name, *self.arguments(node))

    def call(self, function: Operand, node: CallNode) -> Operand:
        if not isinstance(function, Constant):
            raise Refused("a function that is computed")
        return calls.called(self.translation, function.value, *self.arguments(node))


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
