"""What a value is among the rows around it: running results, neighbours, ranks. Over all rows, or over those that share a key."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.api.extensions import no_default

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dispatch.registry import OPERATIONS, operation
from airloom.pandas.dispatch.wrapping import wrap
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_column
from airloom.pandas.internals.shared_array import DeferredShift
from airloom.pandas.ops import masked
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, call, fold
from airloom.pandas.plan.frame import Column, DeferredDtype, Frame, Question, Vector
from airloom.pandas.plan.rows import MemoryRows, Rows, space_of
from airloom.pandas.refusals import Refused, value_text

#: The keys whose rows a window looks at; none is all rows.
Partition = tuple[Expression, ...]


def graph_type(column: Column) -> ir.Type:
    """The type of a column's values."""
    type = types.type_of(column.dtype)
    if type is None:
        raise Refused(f"window functions of dtype `{column.dtype}`")
    return type


def null_where_missing(column: Column) -> Expression:
    """A column's values, null where they are missing."""
    value = column.expression
    if types.is_float(column.dtype):
        return call("nan_to_null", value)
    if types.is_category(column.dtype):
        width = graph_type(column)
        return call("select", call("lt", value, Literal(0, width)), Literal(None, width), value)
    return value


def missing_where_null(expression: Expression, dtype: Any) -> Expression:
    """Values that may be null, as columns of a dtype have them."""
    if types.is_float(dtype):
        return call("null_to_nan", expression)
    if types.is_category(dtype):
        width = types.type_of(dtype)
        assert width is not None
        return call("coalesce", expression, Literal(-1, width))
    return expression


_STARTS = {"cumsum": 0.0, "cumprod": 1.0, "cummin": float("inf"), "cummax": float("-inf")}


def running(name: str, column: Column, partition: Partition, skipna: bool, *, grouped: bool) -> Column:
    """A running sum, product, least or greatest."""
    dtype = column.dtype
    adds = name in ("cumsum", "cumprod")
    if types.is_float(dtype):
        type = graph_type(column)
        value = column.expression
        if skipna:
            value = call("select", call("is_nan", value), Literal(_STARTS[name], type), value)
        made: Expression = Over(fold(name, value), partition)
        if grouped and adds:
            if dtype != types.FLOAT64:
                raise Refused(f"cumulative sums of `{dtype}`")
            if name == "cumsum":
                # It begins with zero, which takes the sign off another one; and what pandas corrects sums by is no number once a sum is infinite.
                before = Over(Fold("arr_shift", (made,), (Literal(1, ir.i64), Literal(0.0, type))), partition)
                made = call("select", call("is_finite", before), call("add", made, Literal(0.0, type)), Literal(float("nan"), type))
        if not adds and not grouped:
            # Of zeros with different signs, which are equal, the last one stands.
            last = call("select", call("eq", value, made), call("nan_to_null", value), Literal(None, type))
            made = call("select", call("is_nan", made), made, call("null_to_nan", Over(fold("fill_forward", last), partition)))
        if skipna:
            made = call("select", call("is_nan", column.expression), Literal(float("nan"), type), made)
        return Column(made, dtype)
    if types.is_number(dtype):
        if adds:
            whole = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
            return Column(Over(fold(name, column.expression), partition), whole)
        return Column(Over(fold(name, column.expression), partition), dtype)
    if types.is_masked(dtype):
        return _running_nullable(name, column, partition, skipna, grouped)
    if types.is_duration(dtype) and name != "cumprod" or types.is_time(dtype) and not adds:
        if not skipna:
            raise Refused("`skipna=False` of timestamps or timedeltas")
        made = Over(fold(name, column.expression, skip="null"), partition)
        return Column(call("select", call("is_null", column.expression), literals.missing(dtype), made), dtype)
    raise Refused(f"`{name}` of `{dtype}`")


def _running_nullable(name: str, column: Column, partition: Partition, skipna: bool, grouped: bool) -> Column:
    plain = masked.number_of(column.dtype)
    if not skipna or plain.kind not in ("iu" if grouped else "iuf") or plain == np.float32:
        raise Refused(f"`{name}` of `{column.dtype}`")
    adds = name in ("cumsum", "cumprod")
    wide = np.dtype({"i": "i8", "u": "u8", "f": "f8"}[plain.kind]) if adds else plain
    made = Over(fold(name, masked.cast(column.expression, plain, wide), skip="null"), partition)
    type = types.type_of(wide)
    assert type is not None
    return Column(call("select", call("is_null", column.expression), Literal(None, type), made), masked.nullable(wide))


def neighbour(column: Column, periods: int, partition: Partition, fill: Expression | None = None) -> Expression:
    """The value some rows before (after, when negative): null where there is none, or what is given."""
    type = graph_type(column)
    value = column.expression
    if fill is None:
        if not type.nullable:
            value = call("cast", value, to=ir.optional(type))
        fill = Literal(None, type.required)
    return Over(Fold("arr_shift", (value,), (Literal(periods, ir.i64), fill)), partition)


def integer_of(value: Any, what: str) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise Refused(f"`{what}={value_text(value)}` is not an integer")
    return int(value)


def ranked(column: Column, partition: Partition, method: Any, ascending: Any, na_option: Any, pct: Any) -> Expression:
    """The rank of each value, as a float."""
    methods = {"average": "average", "min": "min", "max": "max", "dense": "dense", "first": "ordinal"}
    positions = {"keep": "keep", "top": "first", "bottom": "last"}
    if method not in methods or na_option not in positions or not isinstance(ascending, (bool, np.bool_)) or not isinstance(pct, (bool, np.bool_)):
        raise Refused(f"`method={value_text(method)}`, `na_option={value_text(na_option)}`, or `ascending` or `pct` is not boolean")
    ordered = types.is_category(column.dtype) and column.dtype.ordered and bool(partition)
    if (types.is_category(column.dtype) and not ordered) or types.is_arrow(column.dtype) or types.type_of(column.dtype) is None:
        raise Refused(f"`rank` of dtype `{column.dtype}`")
    value = null_where_missing(column)
    if types.is_bool(column.dtype) or column.dtype == masked.BOOLEAN:
        value = call("cast", value, to=ir.optional(ir.i8) if types.is_masked(column.dtype) else ir.i8)
    made: Expression = Over(fold("rank", value, method=methods[method], descending=not ascending, nulls=positions[na_option], percent=bool(pct)), partition)
    return call("null_to_nan", call("cast", made, to=ir.optional(ir.f64)))


def filled(column: Column, partition: Partition, op: str, limit: Any) -> Expression:
    """Values with what is missing taken from the row before, or after."""
    if types.is_number(column.dtype) and not types.is_float(column.dtype):
        return column.expression
    graph_type(column)
    if limit is None:
        count = -1
    else:
        count = integer_of(limit, "limit")
        if count <= 0:
            raise Refused("`limit` below 1")
    made = Over(fold(op, null_where_missing(column), limit=count), partition)
    return missing_where_null(made, column.dtype)


def difference(column: Column, periods: int, partition: Partition) -> tuple[Expression, Any]:
    """A value less the one some rows before, null or NaN where there is none; and the dtype that pandas has for it."""
    dtype = column.dtype
    if types.is_float(dtype):
        before = call("null_to_nan", neighbour(column, periods, partition))
        return call("sub", column.expression, before), dtype
    raise Refused(f"`diff` of dtype `{dtype}`")


def _rows_axis(axis: Any) -> None:
    if axis not in (0, "index", None, no_default):
        raise Refused(f"`axis={value_text(axis)}`")


def not_too_long(rows: Rows, column: Column) -> None:
    """Refuses timedeltas that may be too long together: pandas complains."""
    if isinstance(column.dtype, DeferredDtype) or not types.is_duration(column.dtype):
        return
    count = call("cast", call("cast", column.expression, to=ir.optional(ir.i64)), to=ir.optional(ir.f64))
    if not (run.value(rows, fold("sum", call("abs", count), skip="null", reassoc=True)) or 0.0) < 2.0**62:
        raise Refused("timedelta overflow")


def _register_running(name: str) -> None:
    @operation(f"Series.{name}", f"DataFrame.{name}")
    def run(plan: Any, axis: Any = 0, skipna: Any = True, numeric_only: Any = False) -> Any:
        _rows_axis(axis)
        if not isinstance(skipna, bool) or numeric_only is not False:
            raise Refused("`skipna` is not boolean, or `numeric_only=True`")
        if name == "cumsum":
            for column in plan.columns if isinstance(plan, Frame) else (plan.column,):
                not_too_long(plan.rows, column)
        return elementwise.each(plan, lambda column: running(name, column, (), skipna, grouped=False))


for _name in _STARTS:
    _register_running(_name)


@operation("Series.shift", "DataFrame.shift")
def shift(plan: Any, periods: Any = 1, freq: Any = None, axis: Any = 0, fill_value: Any = no_default, suffix: Any = None) -> Any:
    _rows_axis(axis)
    if freq is not None or suffix is not None:
        raise Refused("`freq` or `suffix`")
    positions = integer_of(periods, "periods")
    if positions == 0 or isinstance(plan, Frame) and plan.rows.count == 0:
        return plan
    if isinstance(plan, Vector):
        return Vector(plan.rows, _moved(plan.rows, plan.column, positions, fill_value), plan.name, plan.index)
    if fill_value is not no_default and len(plan.columns) > 1:
        raise Refused("`fill_value` for several columns")
    columns = [_moved(plan.rows, column, positions, fill_value) for column in plan.columns]
    # A frame without rows is left as it is, and a series is not. Looking for dtypes may have told how many rows there are.
    if plan.rows.count == 0:
        return plan
    if plan.rows.count is None and fill_value is no_default:
        columns = [_unless_empty(before, after, plan.rows) for before, after in zip(plan.columns, columns, strict=True)]
    return plan.with_columns(columns)


def _unless_empty(before: Column, after: Column, rows: Rows) -> Column:
    plain = elementwise.known(before).dtype
    return after if kinds.same(plain, after.dtype) else Column(after.expression, DeferredDtype(plain, after.dtype, Question(rows, elementwise.TRUE), wide=True))


def _moved(rows: Rows, column: Column, positions: int, fill: Any) -> Column:
    column = elementwise.known(column)
    dtype = column.dtype
    if fill is not no_default and not literals.is_missing(fill):
        given = elementwise.fits(fill, dtype)
        if given is None or types.is_category(dtype):
            raise Refused(f"a `fill_value` that is not of dtype `{dtype}`")
        return Column(neighbour(column, positions, (), given), dtype)
    if fill is not no_default and fill is not None and not isinstance(fill, float):
        raise Refused("a `fill_value` that is `NA` or `NaT`")
    if (in_memory := _moved_in_memory(rows, column, positions)) is not None:
        return in_memory
    made = neighbour(column, positions, ())
    if types.is_bool(dtype):
        return Column(made, types.OBJECT)
    if types.is_integer(dtype):
        return Column(call("null_to_nan", call("cast", made, to=ir.optional(ir.f64))), types.FLOAT64)
    return Column(missing_where_null(made, dtype), dtype)


def _moved_in_memory(rows: Rows, column: Column, positions: int) -> Column | None:
    """Numbers that are in memory, moved there: it costs less than looking at the rows around each row. Nothing where they are something else, or elsewhere."""
    base = space_of(rows)
    if not isinstance(base, MemoryRows) or not (types.is_integer(column.dtype) or types.is_float(column.dtype)):
        return None
    held = materialize.standing(base, column)
    return None if held is None else captured_column(base, DeferredShift(held, positions, column.dtype if types.is_float(column.dtype) else types.FLOAT64), "shifted")


@operation("Series.diff", "DataFrame.diff")
def diff(plan: Any, periods: Any = 1, axis: Any = 0) -> Any:
    _rows_axis(axis)
    positions = integer_of(periods, "periods")

    def change(column: Column) -> Column:
        dtype = column.dtype
        if types.is_integer(dtype):
            # Integers are taken from one another, and the difference is a float.
            narrow = dtype.name in ("int8", "int16")
            # Without a sign they go on from the greatest number below zero: 3 less 5 is 254 in eight bits.
            wide = column if dtype.kind == "u" else Column(call("cast", column.expression, to=ir.i64), types.INT64)
            found = call("sub", wide.expression, neighbour(wide, positions, ()))
            made = call("null_to_nan", call("cast", found, to=ir.optional(ir.f32 if narrow else ir.f64)))
            return Column(made, np.dtype(np.float32) if narrow else types.FLOAT64)
        if types.is_time(dtype) or types.is_duration(dtype):
            return _apart(column, positions)
        if types.is_float(dtype) and (before := _moved_in_memory(plan.rows, column, positions)) is not None:
            return Column(call("sub", column.expression, before.expression), dtype)
        return Column(*difference(column, positions, ()))

    def _apart(column: Column, positions: int) -> Column:
        """How far timestamps stand apart, as far as timedeltas reach."""
        before = Vector(plan.rows, column.at(neighbour(column, positions, ())), None, plan.index)
        made = OPERATIONS["Series"]["__sub__"](Vector(plan.rows, column, None, plan.index), wrap(before))
        if made.rows is not plan.rows:
            raise Refused(f"`diff` of dtype `{column.dtype}`")
        return made.column

    return elementwise.each(plan, change)


def growth(column: Column, positions: int, partition: Partition) -> Column:
    """A value over the one some rows before, less one."""
    dtype = column.dtype
    if not types.is_number(dtype) or types.is_bool(dtype):
        raise Refused(f"`pct_change` of dtype `{dtype}`")
    value = column if types.is_float(dtype) else Column(call("cast", column.expression, to=ir.f64), types.FLOAT64)
    before = call("null_to_nan", neighbour(value, positions, partition))
    return Column(call("sub", call("div", value.expression, before), Literal(1.0, graph_type(value))), value.dtype)


@operation("Series.pct_change", "DataFrame.pct_change")
def pct_change(plan: Any, periods: Any = 1, fill_method: Any = None, freq: Any = None, **kwargs: Any) -> Any:
    if fill_method is not None or freq is not None or kwargs:
        raise Refused("`fill_method` or `freq`")
    positions = integer_of(periods, "periods")
    return elementwise.each(plan, lambda column: growth(column, positions, ()))


def _ranked_as(column: Column) -> Column:
    """Objects that are all numbers, or text, as such, and periods as what they are ordered by."""
    values = elementwise.understood(column)
    return values.unwrapped() if values.shown is not None and values.shown.dtype in (types.INT64, types.FLOAT64, types.STR) else elementwise.ordered(column)


@operation("Series.rank", "DataFrame.rank")
def rank(plan: Any, axis: Any = 0, method: Any = "average", numeric_only: Any = False, na_option: Any = "keep", ascending: Any = True, pct: Any = False) -> Any:
    _rows_axis(axis)
    if not isinstance(numeric_only, bool) or (numeric_only and not isinstance(plan, Frame)):
        raise Refused(f"`numeric_only={value_text(numeric_only)}`")
    if numeric_only:
        kept = [at for at, column in enumerate(plan.columns) if types.is_numeric(materialize.decided(column).dtype)]
        if not kept:
            raise Refused("no columns of numbers")
        plan = plan.with_columns([plan.columns[at] for at in kept], plan.labels.take(kept))
    if isinstance(plan, Frame) and any(types.is_masked(dtype) or types.is_nullable_text(dtype) for dtype in (materialize.decided(column).dtype for column in plan.columns)):
        # pandas ranks one array of all columns, whose ranks are plain floats.
        raise Refused("`rank` of a frame with nullable columns: rank one column at a time")
    columns = [_ranked_as(materialize.decided(column)) for column in (plan.columns if isinstance(plan, Frame) else (plan.column,))]
    plan = plan.with_columns(columns) if isinstance(plan, Frame) else Vector(plan.rows, columns[0], plan.name, plan.index)

    def change(column: Column) -> Column:
        made = ranked(column, (), method, ascending, na_option, pct)
        dtype = column.dtype
        if types.is_masked(dtype) and method != "average" and not pct:
            return Column(call("cast", call("nan_to_null", made), to=ir.optional(ir.u64)), pandas.UInt64Dtype())
        if types.is_masked(dtype) or (types.is_nullable_text(dtype) and dtype.storage == "pyarrow"):
            return Column(call("nan_to_null", made), pandas.Float64Dtype())
        return Column(made, types.FLOAT64)

    return elementwise.each(plan, change)


def _register_fill(name: str, op: str) -> None:
    @operation(f"Series.{name}", f"DataFrame.{name}")
    def run(plan: Any, *, axis: Any = None, inplace: bool = False, limit: Any = None, limit_area: Any = None) -> Any:
        _rows_axis(axis)
        if inplace or limit_area is not None:
            raise Refused("`inplace=True` or `limit_area`")

        def change(column: Column) -> Column:
            return column.at(filled(column, (), op, limit))

        return elementwise.each(plan, change)


_register_fill("ffill", "fill_forward")
_register_fill("bfill", "fill_backward")

__all__ = ["Frame", "Partition", "difference", "filled", "growth", "neighbour", "null_where_missing", "ranked", "running"]
