"""Values as other dtypes, and rounded ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
from pandas.core.dtypes.dtypes import DatetimeTZDtype

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals, prototypes
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused, value_text

#: Integers as everybody writes them: what else Python reads is left to it.
WHOLE = r"[ \t\n]*[+-]?[0-9]{1,18}[ \t\n]*"
FRACTION = r"[ \t\n]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?[ \t\n]*"


def converted(column: Column, rows: Rows, target: Any) -> Column:
    """A column as another dtype: refused where any of its values would raise."""
    have = column.dtype
    if kinds.same(have, target):
        return column
    if elementwise.object_text(column) is not None:
        if types.is_text(target):
            return Column(column.expression, target)
        if types.is_number(target):
            return _read(column, rows, target)
        raise Refused(f"casting `{have}` to `{target}`")
    if types.is_number(have):
        if types.is_number(target):
            return Column(_number(column, rows, target), target)
        if types.is_text(target):
            return Column(written(column), target)
    elif types.is_text(have) and types.is_number(target):
        return _read(column, rows, target)
    elif types.is_time(have) and not isinstance(have, DatetimeTZDtype) and types.is_time(target):
        return Column(in_unit(column, rows, target), target)
    elif types.is_duration(have) and types.is_duration(target):
        return Column(in_unit(column, rows, target), target)
    elif (types.is_time(have) or types.is_duration(have)) and target == types.INT64:
        count = call("cast", column.expression, to=ir.optional(ir.i64))
        return Column(call("coalesce", count, Literal(-(2**63), ir.i64)), target)
    elif types.is_category(have) and types.is_text(target):
        return Column(_names(column), target)
    raise Refused(f"casting `{have}` to `{target}`")


def _number(column: Column, rows: Rows, target: Any) -> Expression:
    have = column.dtype
    if types.is_float(have) and types.is_integer(target):
        limits = np.iinfo(target)
        # The greatest number plus one is a power of two, which a float holds as it is.
        low, high = (literals.number(bound, have) for bound in (float(limits.min), float(limits.max) if target.itemsize < 4 else 2.0 ** _bits(target)))
        value = column.expression
        fine = elementwise.both(call("ge", value, low), call("le" if target.itemsize < 4 else "lt", value, high))
        if elementwise.any_row(rows, elementwise.negated(fine)):
            raise Refused(f"casting floats that are not integers, or out of bounds, to `{target}`")
        return call("cast", value, to=types.type_of(target), mode="wrap")
    if types.is_bool(target) and not types.is_bool(have):
        zero = literals.number(0, have)
        return call("ne", column.expression, zero)
    return literals.cast(column.expression, have, target)


def _bits(target: Any) -> int:
    return int(target.itemsize * 8 - (1 if target.kind == "i" else 0))


def written(column: Column) -> Expression:
    """Numbers as Python writes them; NaN stays missing."""
    value = column.expression
    if types.is_bool(column.dtype):
        return elementwise.select(value, Literal("True", ir.str_), Literal("False", ir.str_))
    if types.is_integer(column.dtype):
        return call("cast", value, to=ir.str_)
    if column.dtype != types.FLOAT64:
        raise Refused(f"casting `{column.dtype}` to strings")
    return elementwise.select(call("is_nan", value), Literal(None, ir.str_), call("str_format", value, spec=""))


def _read(column: Column, rows: Rows, target: Any) -> Column:
    """Text as numbers: refused where any text is not plainly one."""
    if types.is_bool(target) or target == np.float32:
        raise Refused(f"casting strings to `{target}`")
    made = number_of(column.expression, target)
    unread: Expression = call("is_null", made)
    if types.is_integer(target):
        reason = f"strings that are not plain integers of `{target}`"
        return elementwise.checked(rows, call("coalesce", made, literals.number(0, target)), target, unread, reason)
    unread = elementwise.both(unread, elementwise.negated(elementwise.missing(column)))
    return elementwise.checked(rows, call("null_to_nan", made), target, unread, "strings that are not plain numbers")


def number_of(text: Expression, target: Any) -> Expression:
    """Text as a number; null where it is missing or not surely one."""
    pattern = WHOLE if types.is_integer(target) else FRACTION
    type = types.type_of(target)
    assert type is not None
    plainly = call("is_true", call("str_matches", text, Literal(pattern, ir.str_), anchor="full"))
    return elementwise.select(plainly, call("cast", text, to=ir.optional(type), mode="lenient"), Literal(None, type))


def in_unit(column: Column, rows: Rows, target: Any) -> Expression:
    """A timestamp or a timedelta in another unit."""
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
    have, want = per[types.unit_of(column.dtype)], per[types.unit_of(target)]
    type = types.type_of(target)
    assert type is not None
    value = column.expression
    if want > have:
        made = call("cast", value, to=type, mode="lenient")
        if elementwise.any_row(rows, elementwise.both(call("is_null", made), elementwise.negated(elementwise.missing(column)))):
            raise Refused(f"timestamps out of bounds of `{target}`")
        return made
    return call("cast", value, to=type)


def _names(column: Column) -> Expression:
    """The names of categories that are text."""
    categories = column.dtype.categories
    if not types.is_text(categories.dtype) or len(categories) > 100:
        raise Refused("casting categories that are not strings, or more than 100 of them")
    type = types.type_of(column.dtype)
    assert type is not None
    made: Expression = Literal(None, ir.str_)
    for position, name in enumerate(categories):
        made = elementwise.select(call("eq", column.expression, Literal(position, type)), Literal(str(name), ir.str_), made)
    return made


@operation("Series.round")
def round_vector(vector: Vector, decimals: Any = 0) -> Vector:
    if not isinstance(decimals, int) or isinstance(decimals, bool):
        raise Refused(f"`decimals={value_text(decimals)}` is not an integer")
    return elementwise.each(vector, lambda column: rounded(column, decimals))


@operation("DataFrame.round")
def round_frame(frame: Frame, decimals: Any = 0) -> Frame:
    def change(column: Column, digits: Any) -> Column:
        column = elementwise.known(column)
        if types.is_masked(column.dtype) or types.is_arrow(column.dtype):
            raise Refused(f"rounding `{column.dtype}`")
        return rounded(column, digits) if types.is_number(column.dtype) and not types.is_bool(column.dtype) else column

    if isinstance(decimals, int) and not isinstance(decimals, bool):
        made = frame.with_columns([change(column, decimals) for column in frame.columns])
        _warned(made, range(len(made.columns)), decimals)
        return made
    if isinstance(decimals, dict) and frame.labels.is_unique and all(isinstance(one, int) and not isinstance(one, bool) for one in decimals.values()):
        columns = [
            change(column, decimals[label]) if label in decimals else column for column, label in zip(frame.columns, frame.labels, strict=True)
        ]
        made = frame.with_columns(columns)
        _warned(made, [at for at, label in enumerate(made.labels) if label in decimals], 0)
        return made
    raise Refused("`decimals` of values that are not integers")


def _warned(frame: Frame, positions: Sequence[int], decimals: int) -> None:
    """Warns, as pandas does, of timestamps, which are not rounded."""
    timestamps = [at for at in positions if isinstance(frame.columns[at].dtype, (DatetimeTZDtype, pandas.PeriodDtype)) or getattr(frame.columns[at].dtype, "kind", "") in "mM"]
    if timestamps:
        some = Frame(frame.rows, [frame.columns[at] for at in timestamps], frame.labels.take(timestamps), frame.index)
        prototypes.heard(lambda: prototypes.one_row(some).round(decimals))


def rounded(column: Column, digits: int) -> Column:
    """A column rounded to `n` digits, as NumPy rounds."""
    if types.is_integer(column.dtype) and digits >= 0:
        return column.copy()
    if not types.is_float(column.dtype) or abs(digits) > 20:
        raise Refused(f"`round` of dtype `{column.dtype}`")
    return column.at(call("round", column.expression, digits=digits))
