"""Arithmetic and comparison: of columns with values, with each other, and of whole frames."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
from pandas.core.ops.common import _maybe_match_name

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.align import aligned, has_rows, united, vector_of
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plain, plan_of, wrap
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals import materialize
from airloom.pandas.ops import arrow, compared_by_parts, comparison, division, masked, object_operands, operands
from airloom.pandas.ops.offset_values import is_offset, moved
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, DeferredDtype, Frame, ObjectView, Vector
from airloom.pandas.plan.nullness import may_be_null
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused, Stays, value_text

#: How comparisons turn round when their sides are swapped.
_TURNED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def binary(op: str, left: Column, right: Column | Any, rows: Rows | None = None, *, framed: bool = False) -> Column:
    """A column of two, or of one and a value; `op` as Python names it. Arithmetic of time looks at the rows, and is refused without.

    With `framed` these are columns of a frame: pandas has objects of theirs beside one another also where they are one beside one.
    """
    if op in _TURNED and _narrow(left) and (type(right) is float or (type(right) is int and abs(right) < 2**100)):
        # Floats hold all of these, so that nobody need look whether pandas has them as floats.
        value = call("cast", left.expression, to=ir.optional(ir.f64))
        return comparison.known(op, value, Literal(float(right), ir.f64))
    left = elementwise.understood(materialize.decided(left))
    if isinstance(right, Column):
        right = elementwise.understood(materialize.decided(right))
    if left.shown is not None or (isinstance(right, Column) and right.shown is not None):
        return _objects(op, left, right, rows, framed)
    if isinstance(right, Column) and rows is not None:
        if object_operands.is_held(right) and object_operands.are_timed(left):
            return object_operands.beside(op, left, right, rows, lambda value: binary(op, left, value, rows), framed=framed)
        if object_operands.is_held(left) and object_operands.are_timed(right) and op in _SWAPPED:
            turned = _SWAPPED[op]
            return object_operands.beside(turned, right, left, rows, lambda value: binary(turned, right, value, rows), framed=framed)
    if op in ("eq", "ne") and isinstance(right, Column) and not left.unsupported and _timed(left) and isinstance(right.dtype, (pandas.PeriodDtype, pandas.IntervalDtype)):
        return comparison.never(op)
    if op in _TURNED and compared_by_parts.applies(left, right) and not isinstance(right, (np.dtype, pandas.api.extensions.ExtensionDtype)):
        return compared_by_parts.compared(op, left, right, rows)
    if left.unsupported or (isinstance(right, Column) and right.unsupported):
        if op in _TURNED and isinstance(right, (np.dtype, pandas.api.extensions.ExtensionDtype)):
            raise Stays("a comparison with a dtype")
        raise Refused(f"dtype `{left.dtype if left.unsupported else right.dtype}` has no native type")
    if op in _TURNED:
        return comparison.compared(op, left, right, rows)
    if op in ("and_", "or_", "xor"):
        return _logical(op, left, right)
    return _arithmetic(op, left, right, rows)


#: Sums and differences of which the left side is to be the right one.
_SWAPPED = {"add": "radd", "radd": "add", "rsub": "sub"}


def _objects(op: str, left: Column, right: Any, rows: Rows | None, framed: bool) -> Column:
    """Objects of which the values are known: as these are, where Python has no rules of its own for them."""
    if elementwise.are_dates(left) and op in _TURNED:
        return _dates(op, left, right, rows)
    other = right.unwrapped() if isinstance(right, Column) else right
    dtype = left.unwrapped().dtype
    if not isinstance(right, Column) and (literals.is_missing(right) or (op in _TURNED and types.is_number(dtype) and not literals.is_number(right))):
        raise Refused("objects beside a missing value")
    if dtype == types.INT64 and (isinstance(right, (float, np.floating)) or (isinstance(other, Column) and other.dtype != types.INT64)):
        raise Refused("integers of dtype `object` beside floats")
    if op in ("add", "radd") and types.is_text(dtype):
        return _object_text(op, left, right)
    made = binary(op, left.unwrapped(), other, rows)
    if op in _TURNED:
        if made.dtype != types.BOOL:
            raise Refused("a comparison of objects of different types")
        return made
    timed = types.is_time(dtype) or types.is_duration(dtype)
    if op.removeprefix("r") not in ("add", "sub") or not (timed or dtype == types.FLOAT64) or not _is_as_fine(made.dtype, dtype, getattr(other, "dtype", None)):
        raise Refused("arithmetic of dtype `object`")
    if rows is None or not has_rows(rows):
        raise Refused("arithmetic of dtype `object` without rows")
    if timed and isinstance(right, Column):
        taken_away = right if op == "sub" else left
        if op in ("sub", "rsub") and taken_away.shown is None:
            raise Refused("timestamps or timedeltas taken from objects")
        return object_operands.between(left, right, made, rows, framed=framed)
    return Column(made.expression, types.OBJECT, shown=ObjectView(made.dtype))


def _is_as_fine(made: Any, left: Any, right: Any) -> bool:
    """Whether a result is of the dtype of one side, or the timedelta between timestamps that are counted in the same unit: objects of Python know no other."""
    if any(kinds.same(made, one) for one in (left, right) if one is not None):
        return True
    return types.is_time(left) and right is not None and types.is_time(right) and types.is_duration(made) and types.unit_of(left) == types.unit_of(right)


def _object_text(op: str, left: Column, right: Any) -> Column:
    """Text that pandas holds as objects, put together: missing where either is, in the way in which both are, where that is NA, and else as NaN."""
    kinds_of_missing = []
    for one in (left, right):
        if isinstance(one, Column):
            if one.shown is None or not types.is_text(one.shown.dtype):
                raise Refused(f"strings of dtype `object` and `{one.dtype}`")
            kinds_of_missing.append(one.shown.missing is pandas.NA)
    if len(set(kinds_of_missing)) > 1:
        raise Refused("objects of which some are `NA` beside others")
    if not isinstance(right, (Column, str)):
        raise Refused(f"strings of dtype `object` and a value of type `{type(right).__name__}`")
    other = right.expression if isinstance(right, Column) else Literal(str(right), ir.str_)
    pair = (other, left.expression) if op == "radd" else (left.expression, other)
    return Column(call("str_concat", *pair), types.OBJECT, shown=ObjectView(types.STR, pandas.NA if kinds_of_missing[0] else np.nan))


def _dates(op: str, left: Column, right: Any, rows: Rows | None) -> Column:
    """Dates of Python, compared with one, or with others."""
    if isinstance(right, Column):
        if not elementwise.are_dates(right):
            raise Refused(f"dates beside `{right.dtype}`")
        other: Expression = right.expression
    elif type(right) is datetime.date:
        other = Literal(right, ir.date)
    else:
        raise Refused(f"dates beside a value of type `{type(right).__name__}`")
    found = [column for column in (left, right) if isinstance(column, Column)]
    if op not in ("eq", "ne") and (rows is None or any(may_be_null(rows, column.expression) for column in found)):
        raise Refused("dates of which some may be missing, which Python does not compare")
    return comparison.known(op, left.expression, other)


def _narrow(column: Column) -> bool:
    """Whether a column is of integers of 32 bits, or of floats where any is missing: which, is not known yet."""
    dtype = column.dtype
    return isinstance(dtype, DeferredDtype) and dtype.test.answer is None and dtype.plain == np.int32 and dtype.widened == types.FLOAT64


def _arithmetic(op: str, left: Column, right: Any, rows: Rows | None) -> Column:
    # pandas takes scalars of NumPy for Python's, which have no width of their own.
    if isinstance(right, np.floating):
        right = float(right)
    elif isinstance(right, np.integer) and not isinstance(right, np.timedelta64):
        right = int(right)
    reflected = op.startswith("r") and op != "round"
    name = op[1:] if reflected else op
    from airloom.pandas.ops import timedeltas

    if _timed(left) or (_timed(right) if isinstance(right, Column) else timedeltas.is_span(right) and types.is_number(left.dtype)):
        if rows is None:
            raise Refused("arithmetic of timestamps or timedeltas over rows that are not known")
        return timedeltas.arithmetic(name, reflected, left, right, rows)
    if isinstance(left.dtype, pandas.StringDtype):
        return _text(name, reflected, left, right)
    if types.is_arrow(left.dtype):
        return arrow.arithmetic(name, reflected, left, right, rows)
    if isinstance(right, Column) and types.is_arrow(right.dtype):
        return arrow.arithmetic(name, not reflected, right, left, rows)
    if types.is_masked(left.dtype):
        return masked.arithmetic(name, reflected, left, right, rows)
    if isinstance(right, Column) and types.is_masked(right.dtype) and types.is_number(left.dtype):
        return masked.arithmetic(name, not reflected, right, left, rows)
    divisor = left if reflected else right
    if name in ("floordiv", "mod") and isinstance(divisor, Column) and types.is_bool(divisor.dtype):
        # pandas puts nothing in for what is divided by False.
        raise Refused(f"`{name}` by booleans")
    if name == "pow" and any(isinstance(one, Column) and types.is_bool(one.dtype) for one in (left, right)):
        # NumPy has them as integers of 8 bits.
        raise Refused("powers of booleans")
    dtype, a, b = operands.numbers(left, right)
    if dtype.kind == "b":
        if name not in ("add", "mul"):
            raise Refused(f"`{name}` of booleans")
        return Column(call("or_" if name == "add" else "and_", a, b), dtype)
    if reflected:
        a, b = b, a
    if name in ("add", "sub", "mul"):
        return Column(call(name, a, b), dtype)
    if name == "truediv":
        wide = dtype if dtype.kind == "f" else types.FLOAT64
        return Column(call("div", literals.cast(a, dtype, wide), literals.cast(b, dtype, wide)), wide)
    if name == "floordiv":
        return division.quotient(a, b, dtype, rows)
    if name == "mod":
        return division.remainder(a, b, dtype, rows)
    if name == "pow":
        return division.power(a, b, dtype, rows)
    raise Refused(f"`{name}`")


def _timed(column: Column) -> bool:
    return types.is_time(column.dtype) or types.is_duration(column.dtype)


def _text(name: str, reflected: bool, left: Column, right: Any) -> Column:
    if name != "add":
        raise Refused(f"`{name}` of strings")
    if isinstance(right, Column):
        if not kinds.same(right.dtype, left.dtype):
            raise Refused(f"strings and `{right.dtype}`")
        other: Expression = right.expression
    elif isinstance(right, str):
        other = Literal(right, ir.str_)
    elif literals.is_missing(right) and (types.is_text(left.dtype) or right is pandas.NA):
        other = Literal(None, ir.str_)
    else:
        raise Refused(f"strings and a value of type `{type(right).__name__}`")
    pair = (other, left.expression) if reflected else (left.expression, other)
    return Column(call("str_concat", *pair), left.dtype)


def _logical(op: str, left: Column, right: Any) -> Column:
    if types.is_nullable(left.dtype):
        return masked.logical(op, left, right)
    if isinstance(right, Column):
        if types.is_nullable(right.dtype):
            return masked.logical(op, right, left)
        if types.is_bool(left.dtype) and types.is_bool(right.dtype):
            return Column(call(op, left.expression, right.expression), types.BOOL)
        if types.is_integer(left.dtype) and kinds.same(left.dtype, right.dtype):
            return Column(call(_BITS[op], left.expression, right.expression), left.dtype)
        raise Refused(f"logical operators of `{left.dtype}` and `{right.dtype}`")
    if types.is_bool(left.dtype) and isinstance(right, (bool, np.bool_)):
        return Column(call(op, left.expression, Literal(bool(right), ir.bool_)), types.BOOL)
    raise Refused(f"logical operators of `{left.dtype}` and a value of type `{type(right).__name__}`")


_BITS = {"and_": "bitand", "or_": "bitor", "xor": "bitxor"}


def common_name(left: Vector, right: Vector) -> Any:
    """The name of a result: the one that both have."""
    return _maybe_match_name(left, right)


def _vector(op: str, vector: Vector, other: Any) -> Any:
    if isinstance(other, BaseDataFrame):
        return NotImplemented
    far = vector_of(other)
    if far is not None:
        rows, column, vector = _beside(op, vector, far)
        made = binary(op, vector.column, column, rows)
        return Vector(rows, made, common_name(vector, far), vector.index)
    name = vector.name
    if isinstance(other, np.ndarray) and other.ndim == 0:
        other = other[()]
    if isinstance(other, tuple):
        if materialize.decided(vector.column).dtype == types.OBJECT:
            raise Refused("dtype `object` and a tuple")
        made = _vector(op, vector, list(other))
        # pandas warns of tuples, whatever stands in them.
        getattr(BaseSeries([1]), f"__{op.strip('_')}__")((1,))
        return made
    if isinstance(other, (np.ndarray, list, pandas.Index, pandas.api.extensions.ExtensionArray)):
        if isinstance(other, list) and op in ("and_", "or_", "xor"):
            raise Refused("logical operators with a list: use an array")
        if isinstance(other, pandas.Index):
            name = _maybe_match_name(vector, other)
        beside = materialize.decided(vector.column).dtype
        made = binary(op, vector.column, operands.array(vector.rows, other, beside if op in _TURNED or not isinstance(beside, pandas.StringDtype) else None), vector.rows)
    elif is_offset(other):
        rows, made = _moved(op, vector.rows, vector.column, other)
        return Vector(rows, made, name, vector.index)
    else:
        made = binary(op, vector.column, other, vector.rows)
    return Vector(vector.rows, made, name, vector.index)


def _moved(op: str, rows: Rows, column: Column, offset: Any) -> tuple[Rows, Column]:
    """A column and an offset of the calendar: by the engine's arithmetic, or value by value."""
    try:
        return rows, binary(op, column, offset, rows)
    except Refused:
        return moved(op, rows, column, offset)


def _beside(op: str, vector: Vector, far: Vector) -> tuple[Rows, Column, Vector]:
    """Two vectors over the same rows: as they are, or over the union of their labels."""
    try:
        rows, column = aligned(vector.rows, vector.index, far)
        return rows, column, vector
    except Refused:
        if op in _TURNED or op in ("and_", "or_", "xor"):
            raise
    vector, far = united(vector, far)
    return vector.rows, far.column, vector


def _frame(op: str, frame: Frame, other: Any) -> Any:
    if isinstance(other, BaseDataFrame):
        rows, frame, columns = operands.frames(frame, plan_of(other), unite=op not in _TURNED and op not in ("and_", "or_", "xor"))
        made = [binary(op, mine, theirs, rows, framed=True) for mine, theirs in zip(frame.columns, columns, strict=True)]
        if op not in _TURNED:
            object_operands.warn_of_frames(frame.columns, columns)
        return frame.with_columns(_alike(op, frame.columns, columns, made), rows=rows)
    objects = _objects_of_row(frame, other)
    if objects is not None:
        return frame.with_columns(object_operands.of_row(op, frame.columns, objects, frame.rows, lambda column, value: binary(op, column, value, frame.rows)))
    if isinstance(other, pandas.Index) and types.is_number(other.dtype):
        other = other.to_numpy()
    timed = isinstance(other, (pandas.DatetimeIndex, pandas.TimedeltaIndex, pandas.arrays.DatetimeArray, pandas.arrays.TimedeltaArray))
    if isinstance(other, (BaseSeries, list)) or (isinstance(other, np.ndarray) and other.ndim) or timed:
        if op not in _TURNED and op not in ("and_", "or_", "xor"):
            frame, other = operands.united_row(frame, other)
        # A value of an array has the width of the array, where a value by itself has none.
        values = [_wide(value) for value in operands.row(frame, other)]
        made = [binary(op, column, value, frame.rows) for column, value in zip(frame.columns, values, strict=True)]
        return frame.with_columns(_alike(op, frame.columns, values, made))
    if isinstance(other, np.ndarray) and other.ndim == 0:
        other = other[()]
    if pandas.api.types.is_list_like(other) or isinstance(other, pandas.api.extensions.ExtensionDtype):
        raise Refused(f"a DataFrame and a value of type `{type(other).__name__}`")
    if is_offset(other) and len(frame.columns) == 1:
        rows, column = _moved(op, frame.rows, frame.columns[0], other)
        return frame.with_columns([column], rows=rows)
    made = [binary(op, column, other, frame.rows) for column in frame.columns]
    return frame.with_columns(_alike(op, frame.columns, [other] * len(made), made))


def _objects_of_row(frame: Frame, other: Any) -> list[Any] | None:
    """The objects that stand beside the columns of a frame, one for each; none where a row is no objects."""
    if not isinstance(other, (BaseSeries, np.ndarray, pandas.Index, list)) or getattr(other, "dtype", types.OBJECT) != types.OBJECT or getattr(other, "ndim", 1) != 1:
        return None
    if isinstance(other, list) and not any(map(is_offset, other)):
        # Of anything else pandas makes an array of another dtype.
        return None
    if isinstance(other, BaseSeries):
        other = plain(other)
        if not other.index.equals(frame.labels):
            return None
    return list(other) if len(other) == len(frame.columns) else None


def _alike(op: str, columns: Sequence[Column], others: Sequence[Any], made: Sequence[Column]) -> Sequence[Column]:
    """Quotients and remainders of columns. Those of one dtype stand in one array with pandas: where one of them becomes floats, all do, unless they were put in apart."""
    if op.removeprefix("r") not in ("floordiv", "mod") or len(made) < 2:
        return made
    decided = [materialize.decided(one) for one in made]
    found: dict[Any, Any] = {}
    for column, other, one in zip(columns, others, decided, strict=True):
        pair = kinds.Kind(materialize.decided(column).dtype), kinds.Kind(materialize.decided(other).dtype) if isinstance(other, Column) else type(other)
        if not kinds.same(found.setdefault(pair, one.dtype), one.dtype):
            raise Refused("columns of one dtype of which some become floats")
    return decided


def _wide(value: Any) -> Any:
    if isinstance(value, np.number) and types.type_of(value.dtype) is not None and not isinstance(value, np.timedelta64):
        return Column(literals.number(value, value.dtype), value.dtype)
    return value


def _register(method: str, op: str) -> None:
    @operation(f"Series.{method}")
    def of_vector(vector: Vector, other: Any) -> Any:
        return _vector(op, vector, other)

    @operation(f"DataFrame.{method}")
    def of_frame(frame: Frame, other: Any) -> Any:
        return _frame(op, frame, other)


#: Quotients that are rounded down, and what they leave.
_ROUNDED = frozenset(("floordiv", "mod", "rfloordiv", "rmod"))


def _divided(op: str, vector: Vector, other: Any, far: Vector | None, fill_value: Any = None) -> Vector:
    """A quotient or a remainder by a method that is given a series, an array or a list: NumPy's own, in which integers divided by zero are 0. Only operators put in what pandas has for those."""
    rows, name = vector.rows, vector.name
    if far is None:
        column = operands.array(rows, other, None)
    else:
        name = common_name(vector, far)
        rows, column, vector = _beside(op, vector, far)
    mine, theirs = (vector.column, column) if fill_value is None else operands.filled_pair(vector.column, column, fill_value)
    mine, theirs = materialize.decided(mine), materialize.decided(theirs)
    if not all(types.is_number(one.dtype) and not one.unsupported for one in (mine, theirs)):
        return Vector(rows, binary(op, mine, theirs, rows), name, vector.index)
    dtype, a, b = operands.numbers(mine, theirs)
    if dtype.kind == "b":
        raise Refused(f"`{op}` of booleans")
    if op.startswith("r"):
        a, b = b, a
    by_zero = {} if dtype.kind == "f" else {"zero": "zero"}
    return Vector(rows, Column(call("floordiv" if op.endswith("floordiv") else "floormod", a, b, **by_zero), dtype), name, vector.index)


def _register_flexible(method: str, op: str) -> None:
    @operation(f"Series.{method}")
    def of_vector(vector: Vector, other: Any, level: Any = None, fill_value: Any = None, axis: Any = 0) -> Any:
        if level is not None or isinstance(other, BaseDataFrame) or (isinstance(other, tuple) and fill_value is not None) or axis not in (0, "index", None):
            raise Refused(f"`level`, `axis={value_text(axis)}`, or a DataFrame as `other`")
        if isinstance(other, tuple):
            made = _divided(op, vector, list(other), None) if op in _ROUNDED else _vector(op, vector, list(other))
            getattr(BaseSeries([1]), method)((1,))
            return made
        far = vector_of(other)
        if op in _ROUNDED and (far is not None or (isinstance(other, (np.ndarray, list)) and fill_value is None)):
            return _divided(op, vector, other, far, fill_value)
        if far is not None and op in _TURNED:
            # These align, where the operators complain.
            rows, column, vector = _beside("add", vector, far)
            if fill_value is not None:
                raise Refused("a comparison with `fill_value`")
            return Vector(rows, binary(op, vector.column, column, rows), common_name(vector, far), vector.index)
        if fill_value is None:
            return _vector(op, vector, other)
        if far is None:
            return _vector(op, operands.filled(vector, fill_value), operands.number(other))
        rows, column, vector = _beside(op, vector, far)
        mine, theirs = operands.filled_pair(vector.column, column, fill_value)
        return Vector(rows, binary(op, mine, theirs, rows), common_name(vector, far), vector.index)

    @operation(f"DataFrame.{method}")
    def of_frame(frame: Frame, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Any:
        if level is not None:
            raise Refused("`level`")
        far = vector_of(other)
        if far is not None and axis in (0, "index"):
            if fill_value is not None:
                raise Refused("`fill_value`")
            if not frame.columns:
                raise Refused("no columns")
            rows, columns = frame.rows, []
            others = []
            for mine in frame.columns:
                rows, column = aligned(rows, frame.index, far)
                others.append(column)
                columns.append(binary(op, mine, column, rows, framed=True))
            if op not in _TURNED:
                object_operands.warn_of_frames(frame.columns, others)
            return frame.with_columns(columns, rows=rows)
        if axis in (0, "index") and isinstance(other, (np.ndarray, list)):
            raise Refused(f"an array with `axis={value_text(axis)}`")
        if fill_value is None:
            return _frame(op, frame, other)
        if isinstance(other, BaseDataFrame):
            rows, frame, columns = operands.frames(frame, plan_of(other), unite=True)
            pairs = [operands.filled_pair(mine, theirs, fill_value) for mine, theirs in zip(frame.columns, columns, strict=True)]
            return frame.with_columns([binary(op, mine, theirs, rows) for mine, theirs in pairs], rows=rows)
        return _frame(op, operands.filled(frame, fill_value), operands.number(other))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    _register(f"__{_name}__", _name)
    _register(f"__r{_name}__", f"r{_name}")
    _register_flexible(_name, _name)
    _register_flexible(f"r{_name}", f"r{_name}")
def _register_both(method: str, reflected: bool) -> None:
    quotient, remainder = ("rfloordiv", "rmod") if reflected else ("floordiv", "mod")

    @operation(f"Series.{method}")
    def of_vector(vector: Vector, other: Any) -> Any:
        if isinstance(other, (BaseDataFrame, tuple)) or types.is_nullable(materialize.decided(vector.column).dtype):
            raise Refused("`divmod` of nullable numbers, or with a DataFrame")
        far = vector_of(other)
        if far is not None:
            aligned(vector.rows, vector.index, far)
        return wrap(_vector(quotient, vector, other)), wrap(_vector(remainder, vector, other))


_register_both("__divmod__", False)
_register_both("__rdivmod__", True)
for _name, _op in (("div", "truediv"), ("divide", "truediv"), ("rdiv", "rtruediv"), ("multiply", "mul"), ("subtract", "sub")):
    _register_flexible(_name, _op)
for _name in _TURNED:
    _register(f"__{_name}__", _name)
    _register_flexible(_name, _name)
for _name, _op in (("and", "and_"), ("or", "or_"), ("xor", "xor")):
    _register(f"__{_name}__", _op)
    _register(f"__r{_name}__", _op)


def unary(op: str, column: Column, rows: Rows | None = None) -> Column:
    """A column of one."""
    column = materialize.decided(column)
    if column.unsupported:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    dtype = column.dtype
    if types.is_arrow(dtype):
        return arrow.unary(op, column, rows)
    if types.is_masked(dtype):
        return masked.unary(op, column)
    if types.is_bool(dtype) and op in ("pos", "abs"):
        return column.copy()
    if types.is_bool(dtype) and op == "neg":
        # pandas takes it for the opposite.
        op = "not"
    if op == "not":
        if types.is_bool(dtype):
            return Column(call("not_", column.expression), dtype)
        if types.is_integer(dtype):
            return Column(call("bitnot", column.expression), dtype)
    elif op == "pos" and (types.is_duration(dtype) or (types.is_number(dtype) and not types.is_bool(dtype))):
        return column.copy()
    elif op in ("neg", "abs") and types.is_duration(dtype):
        return Column(call(op, column.expression), dtype)
    elif op in ("neg", "abs") and types.is_number(dtype) and not types.is_bool(dtype):
        if op == "abs" and dtype.kind == "u":
            return column.copy()
        if not (op == "neg" and dtype.kind == "u"):
            return Column(call(op, column.expression), dtype)
    raise Refused(f"`{op}` of `{dtype}`")


def _register_unary(method: str, op: str) -> None:
    @operation(f"Series.{method}")
    def of_vector(vector: Vector) -> Vector:
        made = unary(op, vector.column, vector.rows)
        return Vector(vector.rows, made, vector.name, vector.index)

    @operation(f"DataFrame.{method}")
    def of_frame(frame: Frame) -> Frame:
        return frame.with_columns([unary(op, column, frame.rows) for column in frame.columns])


for _name, _op in (("__invert__", "not"), ("__neg__", "neg"), ("__pos__", "pos"), ("__abs__", "abs"), ("abs", "abs")):
    _register_unary(_name, _op)
