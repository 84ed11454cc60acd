"""Timestamps moved by offsets of the calendar: months, quarters, years, weeks and working days."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.core.dtypes.dtypes import DatetimeTZDtype
from pandas.tseries import offsets

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused

#: The day of the month that offsets of each kind go to.
_MONTHS = {
    offsets.MonthBegin: "start",
    offsets.MonthEnd: "end",
    offsets.BusinessMonthBegin: "business start",
    offsets.BusinessMonthEnd: "business end",
}
_QUARTERS = {
    offsets.QuarterBegin: "start",
    offsets.QuarterEnd: "end",
    offsets.BQuarterBegin: "business start",
    offsets.BQuarterEnd: "business end",
}
_YEARS = {offsets.YearBegin: "start", offsets.YearEnd: "end", offsets.BYearBegin: "business start", offsets.BYearEnd: "business end"}
#: Working days of a calendar of one's own, by what they are without holidays.
_CUSTOM = {
    offsets.CustomBusinessDay: offsets.BusinessDay,
    offsets.CustomBusinessMonthBegin: offsets.BusinessMonthBegin,
    offsets.CustomBusinessMonthEnd: offsets.BusinessMonthEnd,
}
#: Offsets that pandas adds to all timestamps at once.
_VECTORIZED = frozenset((*_MONTHS, *_QUARTERS, *_YEARS, offsets.SemiMonthBegin, offsets.SemiMonthEnd, offsets.Day, offsets.Week, offsets.BusinessDay, offsets.DateOffset))
#: What a plain offset may be made of, and in what it is counted.
_STEPS = {"years": 12, "months": 1}
_SPANS = frozenset(("weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds"))
#: Offsets go no further than this, so that nothing leaves the years that every unit has.
_FARTHEST = 1000


def is_warned_of(value: Any) -> bool:
    """Whether pandas goes through timestamps one by one to add this, and warns of it."""
    return isinstance(value, offsets.BaseOffset) and (type(value) in _CUSTOM or not _is_vectorized(value))


def _is_vectorized(offset: Any) -> bool:
    return isinstance(offset, offsets.Tick) or type(offset) in _VECTORIZED


def shifted(column: Column, offset: Any, rows: Rows) -> Column:
    """Timestamps moved by an offset, on the wall clock of their zone."""
    dtype = column.dtype
    kind = type(offset)
    if abs(offset.n) > _FARTHEST:
        raise Refused(f"an offset of more than {_FARTHEST} steps")
    _within_years(column, rows)
    zone = dtype.tz if isinstance(dtype, DatetimeTZDtype) else None
    if kind is offsets.DateOffset:
        return _plain(column, offset, rows)
    custom = kind in _CUSTOM
    if custom and (offset.offset or offset.holidays or offset.weekmask != "Mon Tue Wed Thu Fri"):
        raise Refused("business days with another calendar")
    kind = _CUSTOM.get(kind, kind)
    wall = call("dt_wall", column.expression) if zone is not None else column.expression
    made = _moved(wall, offset, kind)
    if offset.normalize:
        made = call("dt_step", made, unit="day")
    by_position = _localized(column, made, dtype, rows)
    if custom and run.count(rows):
        # pandas goes through these one by one, and warns of it.
        pandas.DatetimeIndex(["2000-06-15"], dtype=dtype) + offset
    return by_position


def _localized(column: Column, made: Expression, dtype: Any, rows: Rows) -> Column:
    """A wall clock's reading in the zone of a column: refused where it stands there twice, or not at all."""
    if not isinstance(dtype, DatetimeTZDtype):
        return Column(made, dtype)
    by_position = call("dt_localize", made, zone=types.zone_name(dtype.tz), ambiguous="null", nonexistent="null")
    if types.zone_name(dtype.tz) != "UTC" and elementwise.any_row(rows, elementwise.both(call("is_null", by_position), elementwise.negated(elementwise.missing(column)))):
        raise Refused(f"timestamps that are ambiguous or do not exist in `{dtype.tz}`")
    return Column(by_position, dtype)


def _within_years(column: Column, rows: Rows) -> None:
    """Refuses timestamps so early or late that an offset may lead out of what their unit holds."""
    year = call("dt_part", column.expression, part="year")
    first, last = (1700, 2240) if types.unit_of(column.dtype) == "ns" else (1001, 8999)
    outside = elementwise.either(call("lt", year, Literal(first, ir.i32)), call("gt", year, Literal(last, ir.i32)))
    if elementwise.any_row(rows, call("is_true", outside)):
        raise Refused("timestamps near the bounds of their dtype")


def _plain(column: Column, offset: Any, rows: Rows) -> Column:
    """`n` years and months, and then some time."""
    given = offset.kwds or {"days": 1}
    if not set(given) <= set(_STEPS) | _SPANS or not all(type(value) is int for value in given.values()):
        raise Refused("an offset of other parts than months and time")
    # What the result is measured in is pandas' own rule, which looks at no value.
    sample = pandas.DatetimeIndex(["2000-06-15"], dtype=column.dtype)
    if not kinds.same((sample + offset).dtype, column.dtype):
        raise Refused(f"an offset finer than the unit of `{column.dtype}`")
    months = offset.n * sum(_STEPS[name] * value for name, value in given.items() if name in _STEPS)
    time = pandas.Timedelta(0)
    for name, value in given.items():
        if name in _SPANS:
            time += offset.n * pandas.Timedelta(**{name: value})
    if abs(months) > 12 * _FARTHEST // 2 or abs(time) > pandas.Timedelta(days=36500):
        raise Refused("an offset of more than a hundred years")
    zoned = isinstance(column.dtype, DatetimeTZDtype)
    passing = zoned and not offset._use_relativedelta
    made = call("dt_wall", column.expression) if zoned and not passing else column.expression
    if months:
        made = call("dt_shift", made, Literal(months, ir.i64), unit="month")
    unit = types.unit_of(column.dtype)
    if time != pandas.Timedelta(0):
        count = time.as_unit(unit)
        made = call("dt_add", made, Literal(np.int64(count._value).view(f"m8[{unit}]"), ir.duration(unit)))  # type: ignore[arg-type]
    if offset.normalize:
        made = call("dt_step", made, unit="day")
    return Column(made, column.dtype) if passing or not zoned else _localized(column, made, column.dtype, rows)


def _moved(wall: Expression, offset: Any, kind: Any) -> Expression:
    if kind in _MONTHS:
        return _to_day(wall, _MONTHS[kind], _rolled(_part(wall, "day"), offset.n, _day(_month(wall), _MONTHS[kind])))
    if kind in _QUARTERS:
        return _quarters(wall, offset.n, offset.startingMonth, 3, _QUARTERS[kind])
    if kind in _YEARS:
        return _quarters(wall, offset.n, offset.month, 12, _YEARS[kind])
    if kind in (offsets.SemiMonthBegin, offsets.SemiMonthEnd):
        return _half_months(wall, offset.n, offset.day_of_month, begins=kind is offsets.SemiMonthBegin)
    if kind is offsets.Day:
        return _days(wall, _number(offset.n))
    if kind is offsets.Week:
        if offset.weekday is None:
            return _days(wall, _number(7 * offset.n))
        ahead = call("floormod", call("sub", _number(offset.weekday + 7), _part(wall, "weekday")), _number(7), zero="null")
        on = call("eq", ahead, _number(0))
        weeks = 7 * (offset.n - 1) if offset.n > 0 else 7 * offset.n
        return _days(wall, elementwise.select(on, _number(7 * offset.n), call("add", ahead, _number(weeks))))
    if kind is offsets.BusinessDay and not offset.offset:
        return _days(wall, _working_days(_part(wall, "weekday"), offset.n))
    raise Refused(f"an offset of type `{kind.__name__}`")


def _quarters(wall: Expression, n: int, month: int, every: int, day: str) -> Expression:
    since = call("floormod", call("sub", _part(wall, "month"), _number(month)), _number(every), zero="null")
    here = call("eq", since, _number(0))
    first = _day(_month(wall), day)
    if n > 0:
        before = elementwise.both(here, call("lt", _part(wall, "day"), first))
        count = elementwise.select(before, _number(n - 1), _number(n))
    else:
        after = elementwise.either(call("gt", since, _number(0)), elementwise.both(here, call("gt", _part(wall, "day"), first)))
        count = elementwise.select(after, _number(n + 1), _number(n))
    return _to_day(wall, day, call("sub", call("mul", count, _number(every)), since))


def _half_months(wall: Expression, n: int, anchor: int, *, begins: bool) -> Expression:
    """`n` halves of months, which end or begin at a day in the middle."""
    day = _part(wall, "day")
    count = _rolled(day, n, _number(anchor))
    if begins and n <= 0:
        count = elementwise.select(call("eq", day, _number(1)), call("sub", count, _number(1)), count)
    elif not begins and n > 0:
        count = elementwise.select(call("eq", day, _part(wall, "days_in_month")), call("add", count, _number(1)), count)
    odd = call("floormod", count, _number(2), zero="null")
    months = call("floordiv", count, _number(2), zero="null")
    if begins:
        months = call("add", months, odd)
    month = call("dt_shift", _month(wall), months, unit="month")
    edge = _number(1) if begins else _part(month, "days_in_month")
    last = call("least", elementwise.select(call("eq", odd, _number(1)), edge, _number(anchor)), _part(month, "days_in_month"))
    start = _days(month, call("sub", last, _number(1)))
    return call("dt_add", start, call("dt_since", wall, call("dt_step", wall, unit="day")))


def _rolled(day: Expression, n: int, compared: Expression) -> Expression:
    """How many months to go: one fewer where the day of this one is still to come, or one more where it has been."""
    if n > 0:
        return elementwise.select(call("lt", day, compared), _number(n - 1), _number(n))
    return elementwise.select(call("gt", day, compared), _number(n + 1), _number(n))


def _to_day(wall: Expression, day: str, months: Expression) -> Expression:
    """`n` months on, at a day of the month, at the same time of day."""
    month = call("dt_shift", _month(wall), months, unit="month")
    start = _days(month, call("sub", _day(month, day), _number(1)))
    return call("dt_add", start, call("dt_since", wall, call("dt_step", wall, unit="day")))


def _day(month: Expression, day: str) -> Expression:
    """A day of the month that begins at a timestamp."""
    if day == "start":
        return _number(1)
    length = _part(month, "days_in_month")
    if day == "end":
        return length
    weekday = _part(month, "weekday")
    if day == "business start":
        return elementwise.select(call("eq", weekday, _number(5)), _number(3), elementwise.select(call("eq", weekday, _number(6)), _number(2), _number(1)))
    last = call("floormod", call("add", weekday, call("sub", length, _number(1))), _number(7), zero="null")
    return call("sub", length, call("greatest", call("sub", last, _number(4)), _number(0)))


def _working_days(weekday: Expression, n: int) -> Expression:
    """How many days `n` working days are, from a day of the week."""
    if n == 0:
        return elementwise.select(call("gt", weekday, _number(4)), call("sub", _number(7), weekday), _number(0))
    weeks, left = divmod(abs(n), 5)
    if n > 0:
        # From a weekend one goes on from the Friday before.
        back = call("greatest", call("sub", weekday, _number(4)), _number(0))
        from_day: Expression = call("least", weekday, _number(4))
        over = elementwise.select(call("gt", call("add", from_day, _number(left)), _number(4)), _number(2), _number(0))
        return call("sub", call("add", _number(7 * weeks + left), over), back)
    weekend = call("gt", weekday, _number(4))
    ahead = elementwise.select(weekend, call("sub", _number(7), weekday), _number(0))
    from_day = elementwise.select(weekend, _number(0), weekday)
    over = elementwise.select(call("lt", from_day, _number(left)), _number(2), _number(0))
    return call("sub", ahead, call("add", _number(7 * weeks + left), over))


def _month(wall: Expression) -> Expression:
    return call("dt_step", wall, unit="month")


def _part(wall: Expression, part: str) -> Expression:
    return call("cast", call("dt_part", wall, part=part), to=ir.optional(ir.i64))


def _days(wall: Expression, count: Expression) -> Expression:
    return call("dt_shift", wall, count, unit="day")


def _number(value: int) -> Literal:
    return Literal(value, ir.i64)
