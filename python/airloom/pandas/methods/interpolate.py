"""What lies between values: `interpolate` along a straight line, by positions or by labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import types
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, Ref, call, fold
from airloom.pandas.plan.frame import Column, label_columns
from airloom.pandas.plan.rows import Rows, space_of
from airloom.pandas.refusals import Refused, value_text

_NAN = Literal(float("nan"), ir.f64)


@operation("Series.interpolate", "DataFrame.interpolate")
def interpolate(
    plan: Any,
    method: Any = "linear",
    *,
    axis: Any = 0,
    limit: Any = None,
    inplace: bool = False,
    limit_direction: Any = None,
    limit_area: Any = None,
    **kwargs: Any,
) -> Any:
    direction = "forward" if limit_direction is None else limit_direction
    if method not in ("linear", "time", "index", "values") or axis not in (0, "index") or inplace or kwargs or direction not in ("forward", "backward", "both"):
        raise Refused(f"`method={value_text(method)}`, `axis={value_text(axis)}`, `inplace=True` or `limit_direction`")
    if limit_area not in (None, "inside", "outside") or not (limit is None or (isinstance(limit, (int, np.integer)) and not isinstance(limit, bool) and limit > 0)):
        raise Refused(f"`limit={value_text(limit)}`, or `limit_area={value_text(limit_area)}`")
    along = None if method == "linear" else _labels(plan, method)
    return elementwise.each(plan, lambda column: _filled(plan.rows, column, limit, direction, limit_area, along))


def _labels(plan: Any, method: str) -> Expression:
    """The index labels as floats: pandas measures with those."""
    labels = label_columns(plan.rows, plan.index)
    if len(labels) != 1:
        raise Refused("a MultiIndex")
    label = elementwise.known(labels[0])
    timed = types.is_time(label.dtype)
    if not (timed if method == "time" else timed or types.is_duration(label.dtype) or label.dtype in (types.INT64, types.FLOAT64)):
        raise Refused(f"`method={value_text(method)}` along an index of dtype `{label.dtype}`")
    if elementwise.has_missing(plan.rows, label):
        raise Refused("missing index labels")
    number = label.expression
    if not types.is_float(label.dtype):
        number = call("cast", call("coalesce", call("cast", number, to=ir.optional(ir.i64)), Literal(0, ir.i64)), to=ir.f64)
    before = Over(Fold("arr_shift", (call("cast", number, to=ir.optional(ir.f64)),), (Literal(1, ir.i64), Literal(None, ir.f64))), ())
    if elementwise.any_row(plan.rows, call("is_true", call("le", number, before))):
        raise Refused("an index that is not increasing")
    return number


def _filled(rows: Rows, column: Column, limit: Any, direction: str, area: Any, along: Expression | None) -> Column:
    dtype = column.dtype
    if types.is_integer(dtype) or types.is_bool(dtype):
        return column
    if not types.is_float(dtype):
        raise Refused(f"`interpolate` of dtype `{dtype}`")
    value = literals.cast(column.expression, dtype, types.FLOAT64)
    here: Expression = call("cast", Ref(space_of(rows).position), to=ir.f64)
    gone = call("is_nan", value)
    present, position, mark = (call("select", gone, Literal(None, ir.f64), one) for one in (value, here, here if along is None else along))
    before, since, after, until = (_carried(op, one) for op in ("fill_forward", "fill_backward") for one in (present, position))
    if along is None:
        at, low, high = here, since, until
    else:
        at, low, high = along, *(_carried(op, mark) for op in ("fill_forward", "fill_backward"))
    slope = call("div", call("sub", after, before), call("sub", high, low))
    made = _on_line(slope, at, low, before, high, after)
    first, last = call("is_nan", before), call("is_nan", after)
    inside = elementwise.negated(elementwise.either(first, last))
    found = elementwise.select(first, after, elementwise.select(last, before, made))
    near = _near(call("sub", here, since), limit), _near(call("sub", until, here), limit)
    if direction == "forward":
        allowed = elementwise.both(elementwise.negated(first), near[0])
    elif direction == "backward":
        allowed = elementwise.both(elementwise.negated(last), near[1])
    else:
        allowed = elementwise.either(near[0], near[1])
    if area is not None:
        allowed = elementwise.both(allowed, inside if area == "inside" else elementwise.negated(inside))
    made = elementwise.select(elementwise.both(gone, allowed), found, value)
    return Column(literals.cast(made, types.FLOAT64, dtype), dtype)


def _carried(op: str, value: Expression) -> Expression:
    return call("null_to_nan", Over(fold(op, value, limit=-1)))


def _near(distance: Expression, limit: Any) -> Expression:
    """Whether a value is near enough. The distance from where there is none is no number, and never near."""
    return elementwise.TRUE if limit is None else call("le", distance, Literal(float(limit), ir.f64))


def _on_line(slope: Expression, here: Expression, since: Expression, before: Expression, until: Expression, after: Expression) -> Expression:
    """The value at a position between two others: from the first of them; from the second, where that is no number, as beside an infinity."""
    made = call("add", call("mul", slope, call("sub", here, since)), before)
    other = call("add", call("mul", slope, call("sub", here, until)), after)
    level = elementwise.select(call("eq", before, after), before, _NAN)
    return elementwise.select(call("is_nan", made), elementwise.select(call("is_nan", other), level, other), made)
