"""Casts, where the graph converts exactly as Polars does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.categories import category, codes_of_names, names_of_codes
from airloom.polars.expressions.parsing import parsed
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.expressions.temporal import formatted
from airloom.polars.expressions.wide import wide_cast
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused
from airloom.polars.values import Value, literal, rowwise

#: How the graph names all digits of a fraction of a second.
_FRACTIONS = {"ms": "%L", "us": "%f", "ns": "%N"}
#: What becomes of values that do not convert, by Polars' number for it.
_MODES = {0: "strict", 1: "lenient", 2: "wrap"}


@expression("cast")
def _cast(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = arguments[0]
    before, after = value.dtype, one.dtype
    (number,) = one.parameters
    if before == after:
        return value
    if dtypes.is_of(before, pl.Null) and value.literal is not None:
        return literal(None, after)
    mode = _MODES.get(number)
    if dtypes.is_of(before, pl.Null):
        kind = dtypes.type_of(after)
        return rowwise(after, lambda _node: ir.null(kind), value)
    dtypes.type_of(after)
    if dtypes.is_of(before, *dtypes.WIDE) or dtypes.is_of(after, *dtypes.WIDE):
        return wide_cast(value, after, mode)
    if dtypes.is_of(before, pl.Float16) and dtypes.is_of(after, *dtypes.FLOATS, pl.Boolean):
        return rowwise(after, lambda node: ir.cast(node, dtypes.type_of(after)), value)
    if mode in ("strict", "lenient") and dtypes.is_of(before, *dtypes.INTEGERS) and dtypes.is_of(after, pl.Date) and not dtypes.is_of(before, pl.Int32):
        return rowwise(after, lambda node: ir.cast(ir.cast(node, ir.i32, mode=mode), ir.date), value)  # type: ignore[arg-type]
    if dtypes.is_of(before, pl.Enum, pl.Categorical) and dtypes.is_of(after, pl.String):
        return names_of_codes(value, after)
    if dtypes.is_of(after, pl.Enum, pl.Categorical) and dtypes.is_of(before, pl.String) and mode in ("strict", "lenient"):
        return category(value.literal[0], after) if value.literal is not None and mode == "strict" else codes_of_names(value, after, mode == "strict")
    if all(dtypes.is_of(dtype, *dtypes.FLOATS) for dtype in (before, after)) or all(isinstance(dtype, pl.Decimal) for dtype in (before, after)):
        # A float too great for a narrower one is infinite, whatever the mode, and decimals are translated only where they fit.
        mode = "strict"
    if dtypes.is_of(before, pl.String) and value.literal is None:
        if mode not in ("strict", "lenient"):
            raise Refused(f"`cast` from {before} to {after} that wraps is not translated")
        return parsed(value, after, mode == "strict")
    if mode in ("strict", "lenient") and isinstance(after, (pl.List, pl.Array, pl.Struct)):
        return rowwise(after, _nested(before, after, mode), value)
    if dtypes.is_of(before, pl.Boolean) and dtypes.is_of(after, pl.String):
        return rowwise(after, _named, value)
    if dtypes.is_of(before, pl.Date) and dtypes.is_of(after, pl.String):
        return rowwise(after, formatted("%Y-%m-%d"), value)
    if isinstance(before, pl.Datetime) and before.time_zone is None and dtypes.is_of(after, pl.String):
        return rowwise(after, formatted(f"%Y-%m-%d %H:%M:%S.{_FRACTIONS[before.time_unit]}"), value)
    if isinstance(before, pl.Datetime) and dtypes.is_of(after, pl.Time) and before.time_zone is None:
        return rowwise(after, ir.dt_time, value)
    if mode is None or not _exact(before, after, mode):
        raise Refused(f"`cast` from {before} to {after}{' that wraps' if mode == 'wrap' else ''} is not translated")
    if value.literal is not None and dtypes.is_of(before, pl.String):
        # Polars reads the text of a literal itself: its rules are its own.
        try:
            return literal(pl.Series([value.literal[0]], dtype=before).cast(after, strict=mode == "strict").item(), after)
        except pl.exceptions.PolarsError as error:
            raise Refused(f"`cast` of a literal from {before} to {after} fails") from error
    kind = dtypes.type_of(after)

    def make(node: Node) -> Node:
        return ir.cast(node, kind, mode=mode)  # type: ignore[arg-type]

    return rowwise(after, make, value)


def _named(node: Node) -> Node:
    """A boolean as text."""
    return ir.select(ir.is_null(node), ir.null(ir.str_), ir.select(node, ir.const("true"), ir.const("false")))


def _nested(before: pl.DataType, after: pl.DataType, mode: str) -> Callable[[Node], Node]:
    """What converts lists by their elements, and structs by their fields; refused where the elements are not converted exactly."""
    if before == after:
        return lambda node: node
    kind = dtypes.type_of(after)
    same_lists = isinstance(before, pl.Array) and isinstance(after, pl.Array) and before.size == after.size
    if same_lists or (isinstance(before, (pl.List, pl.Array)) and isinstance(after, pl.List)):
        assert isinstance(before, (pl.List, pl.Array)) and isinstance(after, (pl.List, pl.Array))
        inner = _nested(dtypes.inner_of(before), dtypes.inner_of(after), mode)
        return lambda node: ir.select(ir.is_null(node), ir.null(kind), ir.cast(ir.arr_list(ir.map((ir.list_array(node),), inner)), kind))
    if isinstance(before, pl.Struct) and isinstance(after, pl.Struct) and [one.name for one in before.fields] == [one.name for one in after.fields] and before.fields:
        names = [one.name for one in before.fields]
        parts = {name: _nested(dtypes.field_of(before, name), dtypes.field_of(after, name), mode) for name in names}
        return lambda node: ir.select(ir.is_null(node), ir.null(kind), ir.cast(ir.row({name: part(ir.get(node, name)) for name, part in parts.items()}), kind))
    if isinstance(after, (pl.List, pl.Array, pl.Struct)) or dtypes.is_of(before, pl.String) or not _exact(before, after, mode):
        raise Refused(f"`cast` from {before} to {after} is not translated")
    return lambda node: ir.cast(node, kind, mode=mode)  # type: ignore[arg-type]


def _exact(before: pl.DataType, after: pl.DataType, mode: str) -> bool:
    """Whether the graph converts every value as Polars does; what raises is done again by Polars, which then raises its own error."""
    integers, floats = dtypes.INTEGERS, dtypes.FLOATS
    if mode == "wrap":
        return dtypes.is_of(before, *integers) and dtypes.is_of(after, *integers)
    if dtypes.is_of(before, pl.Int64) and dtypes.is_of(after, pl.Time):
        return mode == "strict"
    if (dtypes.is_of(before, pl.Int32) and dtypes.is_of(after, pl.Date)) or (dtypes.is_of(before, pl.Int64) and dtypes.is_of(after, pl.Datetime, pl.Duration)):
        return getattr(after, "time_zone", None) is None
    if dtypes.is_of(before, *integers, pl.Boolean):
        if dtypes.is_of(after, pl.Decimal):
            return dtypes.is_of(before, *integers)
        return dtypes.is_of(after, *integers, *floats, pl.Boolean) or (dtypes.is_of(after, pl.String) and dtypes.is_of(before, *integers))
    if dtypes.is_of(before, *floats):
        return dtypes.is_of(after, *floats, *integers, pl.Boolean)
    if isinstance(before, pl.Decimal):
        if isinstance(after, pl.Decimal):
            # No digit may be lost, before the point or after it.
            return after.scale >= before.scale and (after.precision or 38) - after.scale >= (before.precision or 38) - before.scale
        return dtypes.is_of(after, pl.Float64)
    if dtypes.is_of(before, pl.Date):
        return dtypes.is_of(after, pl.Datetime, pl.Int32) and getattr(after, "time_zone", None) is None
    if isinstance(before, pl.Datetime):
        if isinstance(after, pl.Datetime):
            return before.time_zone == after.time_zone
        return dtypes.is_of(after, pl.Int64) or (dtypes.is_of(after, pl.Date) and before.time_zone is None)
    if isinstance(before, pl.Duration):
        return dtypes.is_of(after, pl.Int64)
    if dtypes.is_of(before, pl.String):
        return dtypes.is_of(after, pl.Decimal, *integers, *floats) and mode != "wrap"
    return False
