"""Functions as decisions: what is asked, and what is returned, in the same form whether it was read from a text or from code.

Locals stand for what they were given, `and`, `or`, `not`, chained comparisons and conditional expressions are decisions, and what Python computes while it compiles is
computed. What was decided before is not asked again.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

#: A decision: what is asked, and what comes of either answer; or the value that is returned.
Decision = tuple[str, "Decision", "Decision"] | str
Locals = dict[str, ast.expr]
Answers = dict[str, bool]
Then = Callable[[ast.expr, Answers], Decision]

_FOLDED: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
}
_OPPOSITE: dict[type, type[ast.cmpop]] = {ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is}


def decisions(node: ast.Lambda | ast.FunctionDef) -> Decision:
    """What a function decides, from its first question on."""
    if isinstance(node, ast.Lambda):
        return _value(node.body, {}, {}, _returned)
    return _statements(node.body, {}, {}, lambda local, answers: "nothing")


def _returned(value: ast.expr, answers: Answers) -> Decision:
    return ast.dump(value)


def _statements(statements: list[ast.stmt], local: Locals, answers: Answers, after: Callable[[Locals, Answers], Decision]) -> Decision:
    if not statements:
        return after(local, answers)
    first, rest = statements[0], statements[1:]
    if isinstance(first, ast.Return):
        assert first.value is not None
        return _value(first.value, local, answers, _returned)
    if isinstance(first, ast.Pass):
        return _statements(rest, local, answers, after)
    if isinstance(first, ast.Assign):
        (target,) = first.targets
        assert isinstance(target, ast.Name)
        return _value(first.value, local, answers, lambda value, known: _statements(rest, {**local, target.id: value}, known, after))
    assert isinstance(first, ast.If), ast.dump(first)

    def go_on(changed: Locals, known: Answers) -> Decision:
        return _statements(rest, changed, known, after)

    def branch(value: ast.expr, known: Answers) -> Decision:
        return _asked(value, known, lambda known: _statements(first.body, local, known, go_on), lambda known: _statements(first.orelse, local, known, go_on))

    return _value(first.test, local, answers, branch)


def _asked(test: ast.expr, answers: Answers, yes: Callable[[Answers], Decision], no: Callable[[Answers], Decision]) -> Decision:
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, yes, no = test.operand, no, yes
    if isinstance(test, ast.Constant):
        return (yes if test.value else no)(answers)
    text = ast.dump(test)
    if text in answers:
        return (yes if answers[text] else no)(answers)
    return (text, yes({**answers, text: True}), no({**answers, text: False}))


def _value(node: ast.expr, local: Locals, answers: Answers, then: Then) -> Decision:
    """Goes on with what an expression is, for each answer to what it asks."""
    if isinstance(node, ast.Name):
        return then(local.get(node.id, node), answers)
    if isinstance(node, ast.IfExp):
        return _value(
            node.test, local, answers,
            lambda test, known: _asked(test, known, lambda known: _value(node.body, local, known, then), lambda known: _value(node.orelse, local, known, then)),
        )  # fmt: skip
    if isinstance(node, ast.BoolOp):
        return _connected(node, 0, local, answers, then)
    if isinstance(node, ast.Compare):
        return _value(node.left, local, answers, lambda left, known: _compared(node, 0, left, local, known, then))
    if isinstance(node, (ast.Tuple, ast.List)):
        return _parts(node.elts, local, answers, lambda parts, known: then(_listed(node, parts), known))
    if isinstance(node, ast.BinOp):
        return _parts([node.left, node.right], local, answers, lambda parts, known: then(_folded(node.op, parts, ast.BinOp(parts[0], node.op, parts[1])), known))
    if isinstance(node, ast.UnaryOp):
        return _value(node.operand, local, answers, lambda part, known: then(_negated(node.op, part), known))
    if isinstance(node, ast.Call):
        return _parts([node.func, *node.args], local, answers, lambda parts, known: then(ast.Call(parts[0], parts[1:], []), known))
    if isinstance(node, ast.Attribute):
        return _value(node.value, local, answers, lambda part, known: then(ast.Attribute(part, node.attr, ast.Load()), known))
    if isinstance(node, ast.Subscript):
        return _parts([node.value, node.slice], local, answers, lambda parts, known: then(_item(parts[0], parts[1]), known))
    if isinstance(node, ast.Slice):
        bounds = [bound or ast.Constant(None) for bound in (node.lower, node.upper, node.step)]
        return _parts(bounds, local, answers, lambda parts, known: then(ast.Slice(*parts), known))
    assert isinstance(node, ast.Constant), ast.dump(node)
    return then(node, answers)


def _parts(nodes: list[ast.expr], local: Locals, answers: Answers, then: Callable[[list[ast.expr], Answers], Decision]) -> Decision:
    def one(at: int, made: list[ast.expr], known: Answers) -> Decision:
        if at == len(nodes):
            return then(made, known)
        return _value(nodes[at], local, known, lambda part, known: one(at + 1, [*made, part], known))

    return one(0, [], answers)


def _connected(node: ast.BoolOp, at: int, local: Locals, answers: Answers, then: Then) -> Decision:
    def decide(value: ast.expr, known: Answers) -> Decision:
        if at == len(node.values) - 1:
            return then(value, known)

        def further(known: Answers) -> Decision:
            return _connected(node, at + 1, local, known, then)

        def enough(known: Answers) -> Decision:
            return then(value, known)

        return _asked(value, known, further, enough) if isinstance(node.op, ast.And) else _asked(value, known, enough, further)

    return _value(node.values[at], local, answers, decide)


def _compared(node: ast.Compare, at: int, left: ast.expr, local: Locals, answers: Answers, then: Then) -> Decision:
    def decide(right: ast.expr, known: Answers) -> Decision:
        made = ast.Compare(left, [node.ops[at]], [right])
        if at == len(node.ops) - 1:
            return then(made, known)
        return _asked(made, known, lambda known: _compared(node, at + 1, right, local, known, then), lambda known: then(made, known))

    return _value(node.comparators[at], local, answers, decide)


def _listed(node: ast.Tuple | ast.List, parts: list[ast.expr]) -> ast.expr:
    if isinstance(node, ast.Tuple) and all(isinstance(part, ast.Constant) for part in parts):
        return ast.Constant(tuple(part.value for part in parts if isinstance(part, ast.Constant)))
    return type(node)(parts, ast.Load())


def _item(container: ast.expr, key: ast.expr) -> ast.expr:
    if isinstance(container, ast.Constant) and isinstance(key, ast.Constant) and isinstance(container.value, str):
        try:
            return ast.Constant(container.value[key.value])
        except IndexError:
            pass
    return ast.Subscript(container, key, ast.Load())


def _negated(op: ast.unaryop, part: ast.expr) -> ast.expr:
    if isinstance(op, ast.Not) and isinstance(part, ast.Compare) and type(part.ops[0]) in _OPPOSITE:
        return ast.Compare(part.left, [_OPPOSITE[type(part.ops[0])]()], part.comparators)
    return _folded(op, [part], ast.UnaryOp(op, part))


def _folded(op: ast.AST, parts: list[ast.expr], otherwise: ast.expr) -> ast.expr:
    """What Python computes while it compiles."""
    if type(op) in _FOLDED and all(isinstance(part, ast.Constant) for part in parts):
        try:
            return ast.Constant(_FOLDED[type(op)](*(part.value for part in parts if isinstance(part, ast.Constant))))
        except (ZeroDivisionError, TypeError):
            return otherwise
    return otherwise
