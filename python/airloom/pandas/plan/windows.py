"""Which parts of expressions look at groups and at windows, and which windows are computed together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from airloom.pandas.plan import walk
from airloom.pandas.plan.expression import Call, Expression, Fold, Over, Ref


def over_groups(expression: Expression) -> list[Expression]:
    """What an expression over groups is made of that is one itself: not the columns that folds are of."""
    if type(expression) is Fold:
        return [argument for argument in expression.arguments if argument.folds]
    return list(expression.arguments) if type(expression) is Call else []


def looking_at_rows(expression: Expression) -> list[Expression]:
    """The parts of a column that look at other rows, down to the windows."""
    return [argument for argument in expression.arguments if argument.windowed] if type(expression) is Call else []


def columns_of_folds(expressions: Iterable[Expression]) -> list[Expression]:
    """The columns that folds in these expressions are of."""
    folds = [e for e in walk.reached(expressions, over_groups) if type(e) is Fold]
    return list(dict.fromkeys(argument for one in folds for argument in one.arguments if not argument.folds))


def alike(overs: Sequence[Over]) -> list[list[Over]]:
    """Windows with the same keys and order, together."""
    groups: dict[Any, list[Over]] = {}
    for over in overs:
        key = (tuple(map(_same, over.partition)), tuple((_same(key), word) for key, word in over.order))
        groups.setdefault(key, []).append(over)
    return list(groups.values())


def _same(expression: Expression) -> Any:
    return expression.slot if type(expression) is Ref else id(expression)
