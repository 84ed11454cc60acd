"""Running results of two columns in which older rows count less: `cov` and `corr` of `ewm`."""

from __future__ import annotations

from typing import Any

from airloom import ir
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, call
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.window.bounds import Partition
from airloom.pandas.window.corr import paired
from airloom.pandas.window.ewm import Decaying, enough


@operation("Decaying.cov")
def cov(how: Decaying, other: Any = None, pairwise: Any = None, bias: Any = False, numeric_only: Any = False) -> Any:
    _without_times(how)
    if not isinstance(bias, bool):
        raise Refused(f"`bias={value_text(bias)}` is not boolean")
    return paired(how, other, pairwise, numeric_only, lambda x, y, keys: enough(how, x, _covariance(how, x, y, bias, keys), keys))


@operation("Decaying.corr")
def corr(how: Decaying, other: Any = None, pairwise: Any = None, numeric_only: Any = False) -> Any:
    _without_times(how)

    def make(x: Expression, y: Expression, keys: Partition) -> Expression:
        both, one, two = (enough(how, x, _covariance(how, *pair, True, keys), keys) for pair in ((x, y), (x, x), (y, y)))
        product = call("mul", one, two)
        # What rounding has put below zero has the root zero.
        root = call("sqrt", call("select", call("lt", product, Literal(0.0, ir.f64)), Literal(0.0, ir.f64), product))
        return call("div", both, root)

    return paired(how, other, pairwise, numeric_only, make)


def _without_times(how: Decaying) -> None:
    if how.steps is not None:
        raise Refused("pairs with `times`")


def _covariance(how: Decaying, x: Expression, y: Expression, biased: bool, keys: Partition) -> Expression:
    attributes = {"adjust": how.adjust, "ignore_nulls": how.ignore_missing, "biased": biased}
    return Over(Fold("arr_decay_cov", (x, y), (Literal(how.alpha, ir.f64),), None, attributes), keys)
