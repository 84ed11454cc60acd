"""Running results of two columns in which older rows count less: `cov` and `corr` of `ewm`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from airloom import ir
from airloom.pandas.data import types
from airloom.pandas.face.dispatch import OPERATIONS, BaseDataFrame, BaseSeries, operation, plan_of, wrap
from airloom.pandas.operations import elements
from airloom.pandas.operations.decaying import Decaying, enough
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, call
from airloom.pandas.plan.frame import Column, Frame, Refused, Vector, together
from airloom.pandas.plan.rows import Rows

#: What is made of two columns of floats, null where either is missing.
Pair = Callable[[Expression, Expression], Expression]


@operation("Decaying.cov")
def cov(how: Decaying, other: Any = None, pairwise: Any = None, bias: Any = False, numeric_only: Any = False) -> Any:
    if not isinstance(bias, bool):
        raise Refused("a bias that is no truth value")
    return _pairs(how, other, pairwise, numeric_only, lambda x, y: enough(how, x, _covariance(how, x, y, bias), ()))


@operation("Decaying.corr")
def corr(how: Decaying, other: Any = None, pairwise: Any = None, numeric_only: Any = False) -> Any:
    def make(x: Expression, y: Expression) -> Expression:
        both, one, two = (enough(how, x, _covariance(how, *pair, True), ()) for pair in ((x, y), (x, x), (y, y)))
        product = call("mul", one, two)
        # What rounding has put below zero has the root zero.
        root = call("sqrt", call("select", call("lt", product, Literal(0.0, ir.f64)), Literal(0.0, ir.f64), product))
        return call("div", both, root)

    return _pairs(how, other, pairwise, numeric_only, make)


def _covariance(how: Decaying, x: Expression, y: Expression, biased: bool) -> Expression:
    attributes = {"adjust": how.adjust, "ignore_nulls": how.ignore_missing, "biased": biased}
    return Over(Fold("arr_decay_cov", (x, y), (Literal(how.alpha, ir.f64),), None, attributes), ())


def _pairs(how: Decaying, other: Any, pairwise: Any, numeric_only: Any, make: Pair) -> Any:
    """The results of a column and another, or of the columns of frames that have the same labels."""
    plan = how.plan
    if not isinstance(plan, (Vector, Frame)) or numeric_only is not False or how.steps is not None:
        raise Refused("pairs of groups, numbers only, or along times")
    if pairwise not in (None, False) or (isinstance(plan, Frame) and other is None and pairwise is None):
        raise Refused("every column with every other")
    if other is None:
        other = wrap(plan)
    if isinstance(plan, Vector):
        if not isinstance(other, BaseSeries):
            raise Refused("a column with several")
        return Vector(*_pair(plan, other, make))
    second = plan_of(other)
    if isinstance(other, BaseDataFrame) and not (plan.labels.is_unique and plan.labels.identical(second.labels)):
        raise Refused("frames with other columns")
    if not plan.columns:
        raise Refused("no columns")
    rows: Rows | None = None
    columns, index = [], plan.index
    for at in range(len(plan.columns)):
        beside = wrap(second.vector(at)) if isinstance(second, Frame) else other
        found, column, _, index = _pair(plan.vector(at), beside, make)
        rows = found if rows is None else together(rows, found)
        if rows is None:
            raise Refused("labels that are not the same")
        columns.append(column)
    assert rows is not None
    return Frame(rows, columns, plan.labels, index)


def _pair(first: Vector, other: Any, make: Pair) -> tuple[Rows, Column, Any, Any]:
    """Two columns brought together by their labels: each is missing where the other is."""
    plus, times = OPERATIONS["Series"]["__add__"], OPERATIONS["Series"]["__mul__"]
    x = plus(first, wrap(times(plan_of(other), 0)))
    y = plus(plan_of(other), wrap(times(first, 0)))
    rows = together(x.rows, y.rows)
    if rows is None:
        raise Refused("labels that are not the same")
    known = [elements.known(side.column) for side in (x, y)]
    if not all(types.is_number(column.dtype) for column in known):
        raise Refused("pairs of what is no number")
    values = [column.expression if column.dtype == types.FLOAT64 else call("cast", column.expression, to=ir.f64) for column in known]
    there = call("and_", *(call("is_finite", value) for value in values))
    sides = [call("select", there, call("nan_to_null", value), Literal(None, ir.f64)) for value in values]
    return rows, Column(make(*sides), types.FLOAT64), x.name, x.index
