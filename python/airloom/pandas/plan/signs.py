"""Whether floats can be below zero: NumPy warns of their roots."""

from __future__ import annotations

from airloom.pandas.plan import walk
from airloom.pandas.plan.expression import Call, Expression, Literal

#: Ops of which the result is not below zero where none of the operands is.
_KEEPING = frozenset(("add", "mul", "div", "floor", "ceil", "trunc", "round"))


def cannot_be_negative(expression: Expression) -> bool:
    """Whether no value of an expression of floats is below zero, as can be seen from how it is made. Products of integers may wrap, and nothing is said of what is cast."""

    def visit(part: Expression, found: list[bool]) -> bool:
        if isinstance(part, Literal):
            return isinstance(part.value, float) and part.value >= 0
        if not isinstance(part, Call):
            return False
        if part.op in ("abs", "sqrt"):
            return True
        if part.op == "mul" and part.arguments[0] is part.arguments[1]:
            return True
        if part.op == "pow" and isinstance(part.arguments[1], Literal):
            exponent = part.arguments[1].value
            return found[0] or (isinstance(exponent, float) and exponent % 2 == 0)
        if part.op == "select":
            return all(found[1:])
        return part.op in _KEEPING and all(found)

    return bool(walk.fold(expression, walk.children, visit, {}))
