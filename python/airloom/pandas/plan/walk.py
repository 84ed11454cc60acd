"""Walks over what expressions are made of. Expressions share parts, so that each part is visited once, however many others read it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from airloom.pandas.plan.expression import Call, Expression, Fold, Over

Node = TypeVar("Node", bound=Hashable)


def children(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that one is made of."""
    if isinstance(expression, (Call, Fold)):
        return expression.arguments
    if isinstance(expression, Over):
        return (expression.fold, *expression.partition, *(key for key, _ in expression.order))
    return ()


def calls(expression: Expression) -> tuple[Expression, ...]:
    """The arguments of a call: folds and windows are taken for whole."""
    return expression.arguments if isinstance(expression, Call) else ()


def fold(root: Node, below: Callable[[Node], Sequence[Node]], visit: Callable[[Node, list[Any]], Any], memo: dict[Node, Any]) -> Any:
    """What `visit` makes of a node and of what it made of those `below` it.

    `memo` has what was found already, by identity for expressions; a walk from another root goes on from there. The stack is explicit: programs made by loops are deep.
    """
    stack = [root]
    while stack:
        node = stack[-1]
        if node in memo:
            stack.pop()
            continue
        parts = below(node)
        waiting = [part for part in parts if part not in memo]
        if waiting:
            # The first one is visited first, as whoever reads the program expects.
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        memo[node] = visit(node, [memo[part] for part in parts])
    return memo[root]


def reached(roots: Iterable[Node], below: Callable[[Node], Iterable[Node]]) -> list[Node]:
    """All nodes that can be reached from some, each once."""
    found: dict[Node, None] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in found:
            found[node] = None
            stack.extend(below(node))
    return list(found)


def rebuilt(expression: Expression, parts: Sequence[Expression]) -> Expression:
    """The same expression, made of other parts."""
    if all(new is old for new, old in zip(parts, children(expression), strict=True)):
        return expression
    if isinstance(expression, Call):
        return Call(expression.op, tuple(parts), expression.attributes)
    if isinstance(expression, Fold):
        return Fold(expression.op, tuple(parts), expression.scalars, expression.body, expression.attributes)
    assert isinstance(expression, Over)
    folded, *keys = parts
    assert isinstance(folded, Fold)
    count = len(expression.partition)
    order = tuple((key, word) for key, (_, word) in zip(keys[count:], expression.order, strict=True))
    return Over(folded, tuple(keys[:count]), order)
