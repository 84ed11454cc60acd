"""Running results in which older rows count less: `ewm`."""

from __future__ import annotations

from typing import Any

from pandas.core.window.ewm import get_center_of_mass

from airloom import ir
from airloom.pandas.face.dispatch import operation
from airloom.pandas.operations.moving import Partition, along
from airloom.pandas.operations.moving_results import finite, no_engine
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, call, fold
from airloom.pandas.plan.frame import Column, Refused


class Decaying:
    """A frame, a vector or groups of one, and how fast what is older fades."""

    __slots__ = ("adjust", "alpha", "ignore_missing", "minimum", "plan")

    #: There is a result of every row, and no column of times.
    step = on = None

    def __init__(self, plan: Any, alpha: float, minimum: int, adjust: bool, ignore_missing: bool) -> None:
        self.plan = plan
        self.alpha = alpha
        self.minimum = minimum
        self.adjust = adjust
        self.ignore_missing = ignore_missing

    def over(self, plan: Any) -> Decaying:
        """The same along something else."""
        return Decaying(plan, self.alpha, self.minimum, self.adjust, self.ignore_missing)


def decaying(
    plan: Any, com: Any, span: Any, halflife: Any, alpha: Any, min_periods: Any, adjust: Any, ignore_na: Any, times: Any, method: Any
) -> Decaying:
    """What `ewm` is given, checked."""
    if times is not None or method != "single" or not isinstance(adjust, bool) or not isinstance(ignore_na, bool):
        raise Refused("times, or a table")
    given = [value for value in (com, span, halflife, alpha) if value is not None]
    if len(given) != 1 or not isinstance(given[0], (int, float)) or isinstance(given[0], bool):
        raise Refused("how fast what is older fades")
    if min_periods is not None and (not isinstance(min_periods, int) or isinstance(min_periods, bool)):
        raise Refused("a least number of periods that is none")
    try:
        center = get_center_of_mass(com, span, halflife, alpha)
    except ValueError as error:
        raise Refused("what pandas complains about") from error
    return Decaying(plan, 1.0 / (1.0 + center), max(min_periods or 0, 1), adjust, ignore_na)


def _enough(how: Decaying, value: Expression, found: Expression, partition: Partition) -> Expression:
    count = Over(fold("cumcount", value, skip="null"), partition)
    return call("select", call("ge", count, Literal(how.minimum, ir.i64)), call("null_to_nan", found), Literal(float("nan"), ir.f64))


def _register(name: str, total: bool) -> None:
    @operation(f"Decaying.{name}")
    def run(how: Decaying, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        no_engine(engine, engine_kwargs)
        if total and not how.adjust:
            raise Refused("sums that are not adjusted")
        attributes = {"adjust": how.adjust, "ignore_nulls": how.ignore_missing, "total": total}

        def make(column: Column, partition: Partition) -> Expression:
            value = finite(column.expression)
            steps = call("select", call("is_null", value), Literal(1.0, ir.f64), Literal(1.0, ir.f64))
            found = Over(Fold("arr_decay", (value, steps), (Literal(how.alpha, ir.f64),), None, attributes), partition)
            return _enough(how, value, found, partition)

        return along(how, numeric_only, make)


_register("mean", False)
_register("sum", True)


def _spread(how: Decaying, bias: Any, numeric_only: Any, root: bool) -> Any:
    if not isinstance(bias, bool):
        raise Refused("a bias that is no truth value")
    attributes = {"adjust": how.adjust, "ignore_nulls": how.ignore_missing, "biased": bias}

    def make(column: Column, partition: Partition) -> Expression:
        value = finite(column.expression)
        found: Expression = Over(Fold("arr_decay_cov", (value, value), (Literal(how.alpha, ir.f64),), None, attributes), partition)
        if root:
            # What rounding has put below zero has the root zero.
            found = call("sqrt", call("greatest", found, Literal(0.0, ir.f64)))
        return _enough(how, value, found, partition)

    return along(how, numeric_only, make)


@operation("Decaying.var")
def variance(how: Decaying, bias: Any = False, numeric_only: Any = False) -> Any:
    return _spread(how, bias, numeric_only, False)


@operation("Decaying.std")
def deviation(how: Decaying, bias: Any = False, numeric_only: Any = False) -> Any:
    return _spread(how, bias, numeric_only, True)
