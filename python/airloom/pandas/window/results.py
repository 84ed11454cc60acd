"""What is made of windows that move along the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.groupby.grouping import Grouping
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, call, fold
from airloom.pandas.plan.frame import Column, Frame
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.window.bounds import Ahead, Fixed, Partition, SoFar
from airloom.pandas.window.floats import stores_negative_zero
from airloom.pandas.window.rolling import Moving, along

NAN = Literal(float("nan"), ir.f64)


def finite(value: Expression) -> Expression:
    """A value, null where it is missing: infinities are taken for missing too."""
    return call("select", call("is_finite", value), call("nan_to_null", value), Literal(None, ir.f64))


_RUNNING = {"sum": ("cumsum", 0.0), "mean": ("cumsum", 0.0), "min": ("cummin", float("inf")), "max": ("cummax", float("-inf"))}


def _so_far(moving: Moving, op: str, column: Column, partition: Partition) -> Expression:
    """A running result is that of all rows so far."""
    running, start = _RUNNING[op]
    value = finite(column.expression)
    count = Over(fold("cumcount", value, skip="null"), partition)
    found: Expression = Over(fold(running, call("coalesce", value, Literal(start, ir.f64))), partition)
    least = moving.minimum
    if op == "mean":
        found = call("div", found, call("cast", count, to=ir.f64))
    if op != "sum":
        least = max(1, least)
    return call("select", call("ge", count, Literal(least, ir.i64)), found, NAN)


def no_engine(engine: Any, engine_kwargs: Any) -> None:
    """Refuses an engine of pandas' own."""
    if engine is not None or engine_kwargs is not None:
        raise Refused(f"`engine={value_text(engine)}` or `engine_kwargs`")


def _register(op: str) -> None:
    # Sums and means of wide windows are carried from one to the next.
    attributes = {"reassoc": True} if op in ("sum", "mean") else {}

    @operation(f"Rolling.{op}")
    def run(moving: Moving, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        no_engine(engine, engine_kwargs)
        if op in ("min", "max"):
            _no_negative_zeros(moving)

        def make(column: Column, partition: Partition) -> Expression:
            if isinstance(moving.bounds, SoFar):
                return _so_far(moving, op, column, partition)
            return moving.rolled(finite(column.expression), partition, lambda window: getattr(ir, f"arr_{op}")(window, skip="null", **attributes))

        return along(moving, numeric_only, make)


def _no_negative_zeros(moving: Moving) -> None:
    """Refuses columns in memory with negative zeros: which of two zeros is the least depends on the order in which pandas looks at them."""
    plan = moving.plan
    if isinstance(plan, Grouping):
        rows, columns = plan.frame.rows, [plan.frame.columns[at] for at in plan.positions]
    else:
        rows, columns = plan.rows, list(plan.columns) if isinstance(plan, Frame) else [plan.column]
    if any(stores_negative_zero(rows, column) for column in columns):
        raise Refused("negative zeros in windows, among which pandas chooses by the order of rows")


for _name in _RUNNING:
    _register(_name)


def _spread(moving: Moving, op: str, ddof: Any) -> Callable[[Column, Partition], Expression]:
    if not isinstance(ddof, int) or isinstance(ddof, bool):
        raise Refused(f"`ddof={value_text(ddof)}` is not an integer")
    body = lambda window: getattr(ir, f"arr_{op}")(window, skip="null", ddof=ddof, reassoc=True)  # noqa: E731
    # Of no elements there is no spread, however few are enough.
    return lambda column, partition: moving.rolled(finite(column.expression), partition, body, max(1, moving.minimum))


def _register_spread(op: str) -> None:
    @operation(f"Rolling.{op}")
    def run(moving: Moving, ddof: Any = 1, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        no_engine(engine, engine_kwargs)
        return along(moving, numeric_only, _spread(moving, op, ddof))


_register_spread("std")
_register_spread("var")


def _register_shape(name: str) -> None:
    @operation(f"Rolling.{name}")
    def run(moving: Moving, numeric_only: Any = False) -> Any:
        body = lambda window: getattr(ir, f"arr_{name}")(window, skip="null", reassoc=True)  # noqa: E731
        return along(moving, numeric_only, lambda column, keys: moving.rolled(finite(column.expression), keys, body))


_register_shape("skew")
_register_shape("kurt")


@operation("Rolling.sem")
def standard_error(moving: Moving, ddof: Any = 1, numeric_only: Any = False) -> Any:
    spread = _spread(moving, "std", ddof)
    return along(moving, numeric_only, lambda column, keys: call("div", spread(column, keys), call("sqrt", _count(moving, column, keys))))


@operation("Rolling.median")
def median(moving: Moving, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
    no_engine(engine, engine_kwargs)
    _no_negative_zeros(moving)
    body = lambda window: ir.arr_median(window, skip="null")  # noqa: E731
    return along(moving, numeric_only, lambda column, keys: moving.rolled(finite(column.expression), keys, body, max(1, moving.minimum)))


_BETWEEN = ("linear", "lower", "higher", "midpoint", "nearest")


@operation("Rolling.quantile")
def quantile(moving: Moving, q: Any, interpolation: Any = "linear", numeric_only: Any = False) -> Any:
    if not isinstance(q, (int, float)) or isinstance(q, bool) or not 0 <= q <= 1 or interpolation not in _BETWEEN:
        raise Refused(f"`q={value_text(q)}`, or `interpolation={value_text(interpolation)}`")
    if interpolation == "nearest":
        raise Refused("`interpolation='nearest'`")
    _no_negative_zeros(moving)
    body = lambda window: ir.arr_quantile(window, ir.const(float(q), ir.f64), skip="null", between=interpolation)  # noqa: E731
    return along(moving, numeric_only, lambda column, keys: moving.rolled(finite(column.expression), keys, body, max(1, moving.minimum)))


def _there(column: Column) -> Expression:
    """NaN where a value of any kind is missing, and 1 where it is there."""
    gone = elementwise.missing(column)
    return Literal(1.0, ir.f64) if isinstance(gone, Literal) and not gone.value else call("select", gone, NAN, Literal(1.0, ir.f64))


def _count(moving: Moving, column: Column, partition: Partition) -> Expression:
    # The least number of periods is one of rows, with a value or without.
    there = call("select", call("is_nan", column.expression), Literal(0.0, ir.f64), Literal(1.0, ir.f64))
    if not isinstance(moving.bounds, SoFar):
        # Ones add up to the same in any order.
        return moving.rolled(there, partition, lambda window: ir.arr_sum(window, reassoc=True))
    rows = Over(fold("row_number", there), partition)
    enough = call("ge", rows, Literal(moving.minimum - 1, ir.i64))
    return call("select", enough, Over(fold("cumsum", there), partition), NAN)


@operation("Rolling.count")
def count(moving: Moving, numeric_only: Any = False) -> Any:
    return along(moving, numeric_only, lambda column, keys: _count(moving, column, keys), _there)


def _register_end(name: str) -> None:
    @operation(f"Rolling.{name}")
    def run(moving: Moving, numeric_only: Any = False) -> Any:
        body = lambda window: getattr(ir, f"arr_{name}")(window, skip="null")  # noqa: E731
        return along(moving, numeric_only, lambda column, keys: moving.rolled(finite(column.expression), keys, body, max(1, moving.minimum)))


_register_end("first")
_register_end("last")


#: Windows of which every element is looked at again for each row are no wider.
NARROW = 64


def _narrow(moving: Moving) -> None:
    if not isinstance(moving.bounds, (Fixed, Ahead)) or moving.bounds.width > NARROW:
        raise Refused(f"an aggregate computed anew for each window, with windows wider than {NARROW}")


@operation("Rolling.nunique")
def nunique(moving: Moving, numeric_only: Any = False) -> Any:
    _narrow(moving)
    body = lambda window: ir.cast(ir.arr_nunique(window, skip="null"), to=ir.f64)  # noqa: E731
    return along(moving, numeric_only, lambda column, keys: moving.rolled(finite(column.expression), keys, body))


#: Ranks are counted in windows of no more rows: each is compared with each of the others.
RANKED = 8


@operation("Rolling.rank")
def rank(moving: Moving, method: Any = "average", ascending: Any = True, pct: Any = False, numeric_only: Any = False) -> Any:
    if method not in ("average", "min", "max") or not isinstance(ascending, bool) or not isinstance(pct, bool):
        raise Refused(f"`method={value_text(method)}`, or `ascending` or `pct` is not boolean")
    bounds = moving.bounds
    if not isinstance(bounds, Fixed) or bounds.centred:
        raise Refused("`rank` in windows other than a fixed number of rows up to this one")
    if bounds.width > RANKED:
        raise Refused(f"`rank` in windows wider than {RANKED}")
    nearest = 1 if bounds.closed in ("left", "neither") else 0
    farthest = bounds.width if bounds.closed in ("left", "both") else bounds.width - 1

    def make(column: Column, partition: Partition) -> Expression:
        value = finite(column.expression)
        back = [
            value if by == 0 else Over(Fold("arr_shift", (value,), (Literal(by, ir.i64), Literal(None, ir.f64))), partition)
            for by in range(nearest, farthest + 1)
        ]
        if not back:
            return NAN
        # The last element of a window is the one that is ranked.
        last = back[0]
        below = _many([call("lt" if ascending else "gt", one, last) for one in back[1:]])
        same = _many([call("eq", one, last) for one in back[1:]])
        there = _many([elementwise.negated(call("is_null", one)) for one in back])
        found = below
        if method == "average":
            found = call("add", found, call("mul", same, Literal(0.5, ir.f64)))
        elif method == "max":
            found = call("add", found, same)
        found = call("add", found, Literal(1.0, ir.f64))
        if pct:
            found = call("div", found, there)
        enough = elementwise.both(call("ge", there, Literal(float(moving.minimum), ir.f64)), elementwise.negated(call("is_null", last)))
        return call("select", enough, found, NAN)

    return along(moving, numeric_only, make)


def _many(truths: list[Expression]) -> Expression:
    """How many of these are true, as a float: added up two by two, so that many are not deep."""
    one, none = Literal(1.0, ir.f64), Literal(0.0, ir.f64)
    terms: list[Expression] = [call("select", call("is_true", truth), one, none) for truth in truths]
    while len(terms) > 1:
        terms = [call("add", *terms[at : at + 2]) if at + 1 < len(terms) else terms[at] for at in range(0, len(terms), 2)]
    return terms[0] if terms else none
