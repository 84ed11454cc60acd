"""Text read as numbers and dates, where Polars' rules leave no doubt; text that leaves one makes the program fail, and Polars reads it."""

from __future__ import annotations

import re
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
        reason = "text that is no number" if strict else "text that readers of numbers take differently"
        return fail_where(ir.and_(wrong, ir.not_(ir.is_null(text))), read, reason)

    return rowwise(after, make, value)


#: Codes that take a fixed number of digits, and codes that stand for several.
_DIGITS = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2}
_SEVERAL = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%R": "%H:%M", "%D": "%m/%d/%y"}
#: The codes that a format must have, each once: those of a day, and those of a time of day, of which the last may be missing.
_DAY, _CLOCK = ("Y", "m", "d"), ("H", "M", "S")
_FRACTION = {"ms": 3, "us": 6, "ns": 9}


def _of_form(form: str, dtype: pl.DataType) -> tuple[str, str] | None:
    """The pattern of text that a format reads without doubt, and the format as the graph has it."""
    for short, long in _SEVERAL.items():
        form = form.replace(short, long)
    parts = re.findall(r"%\.?[0-9]?[A-Za-z]|%.|[^%]", form)
    pattern, written, codes = "", "", []
    for part in parts:
        fraction = re.fullmatch(r"%\.([369]?)f", part)
        if part[0] != "%":
            # White space may be any to Polars, or none: here it is what the format has.
            pattern, written = pattern + re.escape(part), written + part
        elif part[1:] in _DIGITS:
            pattern, written = f"{pattern}[0-9]{{{_DIGITS[part[1:]]}}}", written + part
            codes.append(part[1:])
        elif fraction is not None and codes[-1:] == ["S"]:
            most = _FRACTION[dtype.time_unit] if isinstance(dtype, pl.Datetime) else 9
            if fraction[1] and int(fraction[1]) > most:
                return None
            pattern, written = pattern + rf"\.[0-9]{{{fraction[1] or f'1,{most}'}}}", f"{written}.%f"
            codes.append("f")
        else:
            return None
    clock = [code for code in codes if code not in _DAY]
    day = [code for code in codes if code in _DAY]
    clocks = [list(_CLOCK[:2]), list(_CLOCK), [*_CLOCK, "f"]]
    has_day, has_clock = sorted(day) == sorted(_DAY), clock in clocks
    fits = {pl.Date: has_day and not clock, pl.Datetime: has_day and (has_clock or not clock), pl.Time: not day and has_clock}
    return (f"^{pattern}$", written) if fits.get(type(dtype), False) else None


@expression("string.Strptime")
def _strptime(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    form, strict, exact, _cache = one.parameters
    plain = getattr(one.dtype, "time_zone", None) is None
    found = _of_form(form, one.dtype) if isinstance(form, str) and plain and exact else None
    if found is None:
        raise Refused(f"text read as {one.dtype} by the format {value_text(form)} with `exact` {value_text(exact)} is not translated")
    if not dtypes.is_of(arguments[0].dtype, pl.String):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)
    pattern, written = found

    def make(text: Node) -> Node:
        sure = ir.str_matches(text, ir.const(pattern))
        read = ir.dt_parse(ir.select(sure, text, ir.null(ir.str_)), written, kind, mode="lenient")
        wrong = ir.is_null(read) if strict else ir.and_(ir.not_(sure), ir.str_matches(text, ir.const("[0-9]")))
        reason = "text that is not of the format" if strict else "text that readers of times take differently"
        return fail_where(ir.and_(wrong, ir.not_(ir.is_null(text))), read, reason)

    return rowwise(one.dtype, make, arguments[0])
