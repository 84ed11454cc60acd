"""Functions of the module that read columns as something else: `to_datetime`, `to_numeric`, `to_timedelta`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas
from pandas.core.dtypes.dtypes import DatetimeTZDtype
from pandas.core.tools.datetimes import guess_datetime_format

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dispatch.registry import OPERATIONS, operation
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.ops import cast
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, Vector
from airloom.pandas.plan.rows import Filtered, Sliced
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.strings.regex import Pattern

NO_DEFAULT = pandas.api.extensions.no_default
TIMESTAMP = np.dtype("M8[us]")
#: How parts of a timestamp are written where nobody can doubt it.
_WRITTEN = {
    "Y": "[0-9]{4}",
    "m": "(?:0[1-9]|1[0-2])",
    "d": "(?:0[1-9]|[12][0-9]|3[01])",
    "H": "(?:[01][0-9]|2[0-3])",
    "M": "[0-5][0-9]",
    "S": "[0-5][0-9]",
    "f": "[0-9]{1,6}",
}
#: Numbers of so few digits that every way of reading them gives the same.
_WHOLE = "[+-]?[0-9]{1,15}"
_FRACTION = "[+-]?(?:[0-9]{1,8}[.][0-9]{0,7}|[.][0-9]{1,14})"


@operation("pandas.to_datetime")
def to_datetime(
    vector: Vector,
    errors: str = "raise",
    dayfirst: bool = False,
    yearfirst: bool = False,
    utc: bool = False,
    format: Any = None,
    exact: Any = NO_DEFAULT,
    unit: Any = None,
    origin: Any = "unix",
    cache: bool = True,
) -> Vector:
    if not isinstance(vector, Vector):
        raise Refused("`to_datetime` of a DataFrame")
    if utc is True:
        made = to_datetime(vector, errors, dayfirst, yearfirst, False, format, exact, unit, origin, cache)
        return OPERATIONS["dt"]["tz_convert" if isinstance(made.dtype, DatetimeTZDtype) else "tz_localize"](made, "UTC")
    if errors not in ("raise", "coerce") or yearfirst or utc or exact not in (NO_DEFAULT, True) or origin != "unix":
        raise Refused(f"`errors={value_text(errors)}`, `yearfirst`, `utc`, `exact` or `origin`")
    column = elementwise.known(vector.column)
    if types.is_time(column.dtype):
        return vector
    if types.is_integer(column.dtype) and column.dtype.kind == "i" and format is None and unit in ("s", "ms", "us", "ns"):
        return Vector(vector.rows, _counted(vector, column, "M8", unit), vector.name, vector.index)
    if not types.is_text(column.dtype) or unit is not None:
        raise Refused(f"timestamps of dtype `{column.dtype}`")
    if format is None:
        format = _guessed(vector, column, dayfirst)
    if not isinstance(format, str):
        raise Refused("`format` is not a string")
    return Vector(vector.rows, _parsed(vector, column, format, errors), vector.name, vector.index)


def _guessed(vector: Vector, column: Column, dayfirst: bool) -> Any:
    """The format of the first text, by which pandas reads all."""
    some = Sliced(Filtered(vector.rows, elementwise.negated(call("is_null", column.expression))), 0, 1)
    found = run.table(some, {"c": column.expression}).column("c").to_pylist()
    if not found:
        raise Refused("no value from which to guess the `format`")
    return guess_datetime_format(found[0], dayfirst=dayfirst)


def _parsed(vector: Vector, column: Column, format: str, errors: str) -> Column:
    text = column.expression
    plainly = call("is_true", call("str_matches", text, Literal(_plain_pattern(format), ir.str_), anchor="full"))
    # What is not written plainly may be read all the same; only text without a digit surely is not.
    doubtful = elementwise.both(elementwise.negated(call("is_null", text)), elementwise.negated(plainly))
    made: Expression = call("dt_parse", text, format=format, to=ir.timestamp("us"), mode="lenient")
    made = elementwise.select(plainly, made, Literal(None, ir.timestamp("us")))
    if errors == "coerce":
        digits = call("str_matches", text, Literal(r"[0-9]|\A(?i:now|today)\z", ir.str_), anchor="search")
        doubtful = elementwise.both(doubtful, call("is_true", digits))
    else:
        doubtful = elementwise.both(elementwise.negated(call("is_null", text)), call("is_null", made))
    result = elementwise.checked(vector.rows, made, TIMESTAMP, doubtful, "strings that are not plainly of the `format`")
    if not elementwise.any_row(vector.rows, elementwise.negated(call("is_null", result.expression))):
        raise Refused("no value from which to infer the unit")
    return result


def _plain_pattern(format: str) -> str:
    codes = re.findall("%(.?)", format, re.S)
    if not set(codes) <= set(_WRITTEN) or not {"Y", "m", "d"} <= set(codes) or len(set(codes)) != len(codes) or not format.isascii():
        raise Refused("a `format` with directives other than `%Y-%m-%d %H:%M:%S.%f`")
    if ("M" in codes and "H" not in codes) or ("S" in codes and "M" not in codes) or ("f" in codes and "S" not in codes):
        raise Refused("a `format` that leaves out hours or minutes")
    parts = re.split("(%.)", format)
    if any(a.startswith("%") and b.startswith("%") for a, b in zip(parts[1::2], parts[2::2], strict=False) if b):
        raise Refused("a `format` without separators")
    if re.search(r"%[a-zA-Z]%", format) or re.search(r"\s", format.replace(" ", "")):
        raise Refused("a `format` without separators")
    return "".join(_WRITTEN[part[1]] if part.startswith("%") else Pattern(re.escape(part)).text for part in parts)


def _counted(vector: Vector, column: Column, kind: str, unit: str) -> Column:
    """Numbers as counts of a unit, in microseconds or finer."""
    out = "ns" if unit == "ns" else "us"
    made = ir.timestamp if kind == "M8" else ir.duration
    wide = call("cast", column.expression, to=ir.i64, mode="wrap")
    value = call("cast", wide, to=made(unit))  # type: ignore[arg-type]
    target = np.dtype(f"{kind}[{out}]")
    type = types.type_of(target)
    assert type is not None
    result = call("cast", value, to=type, mode="lenient")
    # The least number is what is missing.
    lost = elementwise.either(call("is_null", result), call("eq", wide, Literal(-(2**63), ir.i64)))
    if elementwise.any_row(vector.rows, lost):
        raise Refused("a number out of bounds of timestamps")
    return Column(result, target)


@operation("pandas.to_timedelta")
def to_timedelta(vector: Vector, unit: Any = None, errors: str = "raise") -> Vector:
    if not isinstance(vector, Vector) or errors not in ("raise", "coerce"):
        raise Refused(f"`errors={value_text(errors)}`, or `to_timedelta` of a DataFrame")
    column = elementwise.known(vector.column)
    if types.is_duration(column.dtype) and unit is None:
        return vector
    raise Refused(f"timedeltas of dtype `{column.dtype}`")


@operation("pandas.to_numeric")
def to_numeric(vector: Vector, errors: str = "raise", downcast: Any = None, dtype_backend: Any = NO_DEFAULT) -> Vector:
    if not isinstance(vector, Vector) or errors not in ("raise", "coerce") or downcast is not None or dtype_backend is not NO_DEFAULT:
        raise Refused(f"`errors={value_text(errors)}`, `downcast` or `dtype_backend`")
    column = elementwise.known(vector.column)
    if types.is_number(column.dtype):
        return vector
    if not types.is_text(column.dtype):
        raise Refused(f"`to_numeric` of dtype `{column.dtype}`")
    return Vector(vector.rows, _numbers(vector, column, errors), vector.name, vector.index)


def _numbers(vector: Vector, column: Column, errors: str) -> Column:
    text = column.expression

    def matches(pattern: str, anchor: str = "full") -> Expression:
        return call("is_true", call("str_matches", text, Literal(pattern, ir.str_), anchor=anchor))

    missing = call("is_null", text)
    whole, plainly = matches(_WHOLE), matches(f"{_WHOLE}|{_FRACTION}")
    doubtful = elementwise.both(elementwise.negated(missing), elementwise.negated(plainly))
    if errors == "coerce":
        # Text that has a digit, or names an infinity or NaN, may be read all the same.
        doubtful = elementwise.both(doubtful, matches("[0-9]|[iI][nN][fF]|[nN][aA][nN]|^$", "search"))
    reason = "strings that are not plain numbers"
    if not elementwise.any_row(vector.rows, elementwise.negated(whole)):
        read = call("cast", text, to=ir.optional(ir.i64), mode="lenient")
        return elementwise.checked(vector.rows, call("coalesce", read, Literal(0, ir.i64)), types.INT64, doubtful, reason)
    made = elementwise.select(plainly, cast.number_of(text, types.FLOAT64), Literal(None, ir.f64))
    return elementwise.checked(vector.rows, call("null_to_nan", made), types.FLOAT64, doubtful, reason)
