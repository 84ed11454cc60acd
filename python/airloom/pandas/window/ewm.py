"""Running results in which older rows count less: `ewm`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pandas
from pandas.core.window.ewm import get_center_of_mass

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dispatch.registry import BaseSeries, operation
from airloom.pandas.dispatch.wrapping import is_ours, plan_of
from airloom.pandas.dtypes import types
from airloom.pandas.groupby.grouping import Grouping
from airloom.pandas.internals import state
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, call, fold
from airloom.pandas.plan.frame import Column, Vector, together
from airloom.pandas.plan.rows import MemoryRows, space_of
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.window.bounds import Partition
from airloom.pandas.window.results import finite, no_engine
from airloom.pandas.window.rolling import along


class Decaying:
    """A frame, a vector or groups of one, and how fast what is older fades."""

    __slots__ = ("adjust", "alpha", "ignore_missing", "minimum", "partition", "plan", "steps")

    #: There is a result of every row, and no column of times among them.
    step = on = times = None

    def __init__(
        self, plan: Any, alpha: float, minimum: int, adjust: bool, ignore_missing: bool, steps: Expression | None = None, partition: Partition = ()
    ) -> None:
        self.plan = plan
        self.alpha = alpha
        self.minimum = minimum
        self.adjust = adjust
        self.ignore_missing = ignore_missing
        #: How many half-lives lie between a row and the one before, where that is not the same everywhere.
        self.steps = steps
        #: The keys whose rows results of one column of groups stay within.
        self.partition = partition

    def over(self, plan: Any, partition: Partition = ()) -> Decaying:
        """The same along something else."""
        return Decaying(plan, self.alpha, self.minimum, self.adjust, self.ignore_missing, self.steps, partition)

    def whole(self) -> Decaying:
        """The same, with a result of every row."""
        return self


def decaying(
    plan: Any, com: Any, span: Any, halflife: Any, alpha: Any, min_periods: Any, adjust: Any, ignore_na: Any, times: Any, method: Any
) -> Decaying:
    """What `ewm` is given, checked."""
    if method != "single" or not isinstance(adjust, bool) or not isinstance(ignore_na, bool):
        raise Refused(f"`method={value_text(method)}`, or `adjust` or `ignore_na` is not boolean")
    if min_periods is not None and (not isinstance(min_periods, int) or isinstance(min_periods, bool)):
        raise Refused(f"`min_periods={value_text(min_periods)}`")
    steps = None
    given = [value for value in (com, span, alpha) if value is not None]
    if times is not None:
        plan, steps = _steps(plan, times, halflife)
        if given and not adjust:
            raise Refused("`halflife` with `times` beside other decays, or `adjust=False`")
    elif halflife is not None:
        given.append(halflife)
    if len(given) > 1 or (times is None and not given) or not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in given):
        raise Refused("`com`, `span`, `halflife` or `alpha` is not one number")
    try:
        center = get_center_of_mass(com, span, None if times is not None else halflife, alpha) if given else 1.0
    except ValueError as error:
        raise Refused("`com`, `span`, `halflife` or `alpha` out of bounds") from error
    return Decaying(plan, 1.0 / (1.0 + center), max(min_periods or 0, 1), adjust, ignore_na, steps)


def _steps(plan: Any, times: Any, halflife: Any) -> tuple[Any, Expression]:
    """The rows with times beside them, and how many half-lives lie between each and the one before."""
    if isinstance(plan, Grouping) or not isinstance(halflife, (str, timedelta, np.timedelta64)):
        raise Refused("`times` along groups, or `halflife` is not a timedelta")
    if isinstance(times, BaseSeries) and is_ours(times) and state.is_lazy(times):
        vector = plan_of(times)
        rows = together(plan.rows, vector.rows)
        if rows is None:
            raise Refused("`times` with another index")
        column = elementwise.known(vector.column)
        plan = Vector(rows, plan.column, plan.name, plan.index) if isinstance(plan, Vector) else plan.with_columns(plan.columns, rows=rows)
    else:
        space = space_of(plan.rows)
        if not isinstance(space, MemoryRows) or not isinstance(times, (np.ndarray, pandas.DatetimeIndex, BaseSeries)) or len(times) != space.count:
            raise Refused("`times` beside rows that are not computed yet, or of another length")
        if times.dtype.kind != "M":
            raise Refused(f"`times` of dtype `{times.dtype}`")
        column = elementwise.known(captured_array(space, pandas.DatetimeIndex(times).copy().array, "times"))
    if not types.is_time(column.dtype) or types.unit_of(column.dtype) not in ("s", "ms", "us", "ns"):
        raise Refused(f"`times` of dtype `{column.dtype}`")
    if elementwise.has_missing(plan.rows, column):
        raise Refused("missing `times`")
    try:
        life = float(pandas.Timedelta(halflife).as_unit(types.unit_of(column.dtype))._value)
    except ValueError as error:
        raise Refused(f"`halflife={value_text(halflife)}`") from error
    if not life:
        raise Refused("`halflife` of zero")
    now = call("cast", call("coalesce", call("cast", column.expression, to=ir.optional(ir.i64)), Literal(0, ir.i64)), to=ir.f64)
    before = Over(Fold("arr_shift", (call("cast", now, to=ir.optional(ir.f64)),), (Literal(1, ir.i64), Literal(None, ir.f64))), ())
    steps = call("div", call("sub", now, before), Literal(life, ir.f64))
    return plan, call("coalesce", steps, Literal(1.0, ir.f64))


def enough(how: Decaying, value: Expression, found: Expression, partition: Partition) -> Expression:
    """A result, NaN where too few values came before."""
    count = Over(fold("cumcount", value, skip="null"), partition)
    return call("select", call("ge", count, Literal(how.minimum, ir.i64)), call("null_to_nan", found), Literal(float("nan"), ir.f64))


def _register(name: str, total: bool) -> None:
    @operation(f"Decaying.{name}")
    def run(how: Decaying, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        no_engine(engine, engine_kwargs)
        if total and (not how.adjust or how.steps is not None):
            raise Refused("`sum` with `adjust=False` or `times`")
        attributes = {"adjust": how.adjust, "ignore_nulls": how.ignore_missing, "total": total}

        def make(column: Column, partition: Partition) -> Expression:
            value = finite(column.expression)
            steps = how.steps
            if steps is None:
                steps = call("select", call("is_null", value), Literal(1.0, ir.f64), Literal(1.0, ir.f64))
            found = Over(Fold("arr_decay", (value, steps), (Literal(how.alpha, ir.f64),), None, attributes), partition)
            return enough(how, value, found, partition)

        return along(how, numeric_only, make)


_register("mean", False)
_register("sum", True)


def _spread(how: Decaying, bias: Any, numeric_only: Any, root: bool) -> Any:
    if not isinstance(bias, bool) or how.steps is not None:
        raise Refused("`bias` is not boolean, or `times`")
    attributes = {"adjust": how.adjust, "ignore_nulls": how.ignore_missing, "biased": bias}

    def make(column: Column, partition: Partition) -> Expression:
        value = finite(column.expression)
        found: Expression = Over(Fold("arr_decay_cov", (value, value), (Literal(how.alpha, ir.f64),), None, attributes), partition)
        if root:
            # What rounding has put below zero has the root zero.
            found = call("sqrt", call("greatest", found, Literal(0.0, ir.f64)))
        return enough(how, value, found, partition)

    return along(how, numeric_only, make)


@operation("Decaying.var")
def variance(how: Decaying, bias: Any = False, numeric_only: Any = False) -> Any:
    return _spread(how, bias, numeric_only, False)


@operation("Decaying.std")
def deviation(how: Decaying, bias: Any = False, numeric_only: Any = False) -> Any:
    return _spread(how, bias, numeric_only, True)
