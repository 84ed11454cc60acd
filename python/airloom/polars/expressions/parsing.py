"""Text read as numbers and dates, where Polars' rules leave no doubt; text that leaves one makes the program fail, and Polars reads it."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, rowwise

#: Numbers that every reader reads alike.
_INTEGER = r"^-?[0-9]{1,19}$"
_FLOAT = r"^-?[0-9]{1,300}(\.[0-9]{1,300})?$"
#: What may be a number to one reader and none to another.
_DOUBTFUL = r"[0-9]|(?i:inf|nan)"


def parsed(value: Value, after: pl.DataType, strict: bool) -> Value:
    """Text as a number: null where it is none, or the program fails where the cast is strict."""
    if not dtypes.is_of(after, *dtypes.SIGNED, pl.Float64):
        raise Refused(f"`cast` from {value.dtype} to {after} is translated only for literals: Polars reads text by rules of its own")
    kind = dtypes.type_of(after)
    plain = _FLOAT if dtypes.is_of(after, pl.Float64) else _INTEGER

    def make(text: Node) -> Node:
        sure = ir.str_matches(text, ir.const(plain))
        read = ir.cast(ir.select(sure, text, ir.null(ir.str_)), kind, mode="lenient")
        wrong = ir.is_null(read) if strict else ir.and_(ir.not_(sure), ir.str_matches(text, ir.const(_DOUBTFUL)))
        return fail_where(ir.and_(wrong, ir.not_(ir.is_null(text))), read)

    return rowwise(after, make, value)


#: Formats whose codes all have a fixed number of digits, with the pattern of what they read.
_DATES = {"%Y-%m-%d": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "%d/%m/%Y": r"^[0-9]{2}/[0-9]{2}/[0-9]{4}$", "%m/%d/%Y": r"^[0-9]{2}/[0-9]{2}/[0-9]{4}$", "%Y/%m/%d": r"^[0-9]{4}/[0-9]{2}/[0-9]{2}$", "%Y%m%d": r"^[0-9]{8}$"}
_TIMES = {"%H:%M:%S": r"[0-9]{2}:[0-9]{2}:[0-9]{2}", "%H:%M": r"[0-9]{2}:[0-9]{2}"}


def _of_form(form: str, dtype: pl.DataType) -> str | None:
    """The pattern of text that a format reads without doubt."""
    form = form.replace("%F", "%Y-%m-%d").replace("%T", "%H:%M:%S")
    if isinstance(dtype, pl.Date):
        return _DATES.get(form)
    for between in (" ", "T"):
        day, found, clock = form.partition(between)
        if found and day in _DATES and clock in _TIMES:
            return f"{_DATES[day][:-1]}{between}{_TIMES[clock]}$"
    return None


@expression("string.Strptime")
def _strptime(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    form, strict, exact, _cache = one.parameters
    plain = isinstance(one.dtype, pl.Date) or (isinstance(one.dtype, pl.Datetime) and one.dtype.time_zone is None)
    pattern = _of_form(form, one.dtype) if isinstance(form, str) and plain and exact else None
    if pattern is None:
        raise Refused(f"text read as {one.dtype} by the format {value_text(form)} with `exact` {value_text(exact)} is not translated")
    if not dtypes.is_of(arguments[0].dtype, pl.String):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)

    def make(text: Node) -> Node:
        sure = ir.str_matches(text, ir.const(pattern))
        read = ir.dt_parse(ir.select(sure, text, ir.null(ir.str_)), form, kind, mode="lenient")
        wrong = ir.is_null(read) if strict else ir.and_(ir.not_(sure), ir.str_matches(text, ir.const("[0-9]")))
        return fail_where(ir.and_(wrong, ir.not_(ir.is_null(text))), read)

    return rowwise(one.dtype, make, arguments[0])
