"""One value of each row, across columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from pandas.core.dtypes.cast import find_common_type

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.casting.astype import nullable
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_index
from airloom.pandas.ops.aggregates import aggregate, present
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, DeferredDtype, Frame, Question, RangeLabels, Vector
from airloom.pandas.plan.rows import Concatenated, Grouped, MemoryRows, space_of
from airloom.pandas.reductions import axis1_masked
from airloom.pandas.refusals import Refused

def _of_one_dtype(frame: Frame, columns: Sequence[Column]) -> list[Column]:
    """Nullable columns, and numbers beside them, as the dtype that pandas makes of them before it looks across."""
    found = kinds.distinct(column.dtype for column in columns)
    if len(found) == 1:
        return list(columns)
    common = find_common_type(found)
    if not types.is_masked(common):
        raise Refused(f"columns of `{found[0]}` and `{found[1]}` with `axis=1`")
    return [nullable(column, frame.rows, common) for column in columns]


_NAN = Literal(float("nan"), ir.f64)


class Options:
    """How values of a row are brought together."""

    __slots__ = ("ddof", "least", "skipna")

    def __init__(self, skipna: bool, least: int, ddof: int) -> None:
        self.skipna = skipna
        self.least = least
        self.ddof = ddof


def across(frame: Frame, name: str, numeric_only: bool, skipna: bool, min_count: int, ddof: int) -> Vector:
    """What `axis=1` asks for: an expression over the row."""
    columns = list(frame.columns) if name == "count" and not numeric_only else [elementwise.known(column) for column in frame.columns]
    if numeric_only:
        columns = [column for column in columns if types.is_numeric(column.dtype)]
    if not columns:
        raise Refused("no columns")
    if name == "count":
        found = _total([call("cast", present(column), to=ir.i64) for column in columns])
        return Vector(frame.rows, Column(found, types.INT64), None, frame.index)
    if any(types.is_masked(column.dtype) for column in columns):
        columns = _of_one_dtype(frame, columns)
        if name not in axis1_masked.FLOATING:
            return axis1_masked.across(frame, columns, name, skipna, min_count)
        return axis1_masked.from_floats(across(Frame(frame.rows, axis1_masked.floats(columns), frame.labels, frame.index), name, False, skipna, min_count, ddof))
    make = _ACROSS.get(name)
    if make is None:
        if name not in _FOLDED:
            raise Refused(f"`{name}` with `axis=1`")
        return folded(frame, columns, name, {"skipna": skipna})
    made = make(columns, Options(skipna, min_count, ddof))
    if name == "kurt" and elementwise.any_row(frame.rows, _too_close(columns, Options(skipna, min_count, ddof))):
        raise Refused("values of a row that lie too close together, or far apart, for the same digits")
    if name in ("min", "max") and (types.is_integer(made.dtype) or types.is_bool(made.dtype)):
        # Of no rows pandas makes floats.
        made = Column(made.expression, DeferredDtype(types.FLOAT64, made.dtype, Question(frame.rows, elementwise.TRUE), wide=True))
    return Vector(frame.rows, made, None, frame.index)


#: What is folded row by row, as there is no expression for it.
_FOLDED = frozenset(("median", "skew", "nunique", "quantile"))


def folded(frame: Frame, columns: Sequence[Column], name: str, options: dict[str, Any]) -> Vector:
    """What a fold makes of the values of each row: all columns one below the other, grouped by the row they stand in."""
    if name == "nunique" and axis1_masked.are_masked(columns):
        values, dtype = [column.expression for column in columns], axis1_masked.one_dtype(columns)
    else:
        values, dtype = in_common(columns)
    if types.is_bool(dtype):
        raise Refused(f"`{name}` of booleans with `axis=1`")
    if name == "nunique" and run.count(frame.rows) == 0:
        raise Refused(f"`{name}` of a frame without rows")
    position, value, key, slot = Slot("position"), Slot("value"), Slot("row"), Slot("found")
    own = Ref(space_of(frame.rows).position)
    stacked = Concatenated([position, value], [(frame.rows, [own, one]) for one in values])
    made = aggregate(name, Column(Ref(value), dtype), grouped=False, **options)
    grouped = Grouped(stacked, {key: Ref(position)}, {slot: made.expression})
    _, kept = materialize.restored_vector(Vector(grouped, Column(Ref(slot), made.dtype), None, RangeLabels()))
    index = materialize.restored_index(frame.rows, frame.index)
    if space_of(kept.rows).count != len(index):
        raise Refused("an index of another length")
    space = space_of(kept.rows)
    assert isinstance(space, MemoryRows)
    return Vector(kept.rows, kept.column, None, captured_index(space, index))


def _total(values: Sequence[Expression]) -> Expression:
    return reduce(lambda total, value: call("add", total, value), values)


def in_common(columns: Sequence[Column], *, truth: bool = False) -> tuple[list[Expression], Any]:
    """The columns in the dtype that all of them go into, as pandas has them in one array. Booleans beside numbers are objects there, but for some with `truth`."""
    dtypes = kinds.distinct(column.dtype for column in columns)
    if types.BOOL in dtypes and len(dtypes) > 1 and not truth:
        raise Refused("booleans beside numbers with `axis=1`")
    if not all(types.is_number(dtype) and dtype != np.float32 for dtype in dtypes):
        raise Refused("columns that are not numbers, or `float32`, with `axis=1`")
    if len({dtype.kind for dtype in dtypes} - {"f", "b"}) > 1:
        raise Refused("signed beside unsigned integers with `axis=1`")
    common = np.result_type(*dtypes)
    return [literals.cast(column.expression, column.dtype, common) for column in columns], common


def _there(value: Expression, otherwise: float, options: Options) -> Expression:
    """A value, or something in its place where it is missing and passed over."""
    return call("select", call("is_nan", value), Literal(otherwise, ir.f64), value) if options.skipna else value


def _sum(columns: Sequence[Column], options: Options, op: str = "add", start: float = 0.0) -> Column:
    values, dtype = in_common(columns, truth=True)
    if types.is_float(dtype):
        shown = [_there(value, start, options) for value in values]
    else:
        wide = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
        shown, dtype = [literals.cast(value, dtype, wide) for value in values], wide
    made = reduce(lambda total, value: call(op, total, value), shown)
    if types.is_float(dtype) and op == "add":
        made = call("add", made, Literal(0.0, ir.f64))
    if options.least <= 0 or (len(values) >= options.least and not (types.is_float(dtype) and options.skipna)):
        return Column(made, dtype)
    if not types.is_float(dtype):
        raise Refused("`min_count` of integers")
    few = call("lt", _counted(values, options), Literal(float(options.least), ir.f64))
    return Column(call("select", few, _NAN, made), dtype)


def _product(columns: Sequence[Column], options: Options) -> Column:
    return _sum(columns, options, "mul", 1.0)


def _mean(columns: Sequence[Column], options: Options) -> Column:
    values, dtype = in_common(columns, truth=True)
    if not types.is_float(dtype):
        total = _total([call("cast", literals.cast(value, dtype, types.INT64) if types.is_bool(dtype) else value, to=ir.f64) for value in values])
        return Column(call("div", total, Literal(float(len(values)), ir.f64)), types.FLOAT64)
    total = call("add", _total([_there(value, 0.0, options) for value in values]), Literal(0.0, ir.f64))
    return Column(call("div", total, _counted(values, options)), types.FLOAT64)


def _counted(values: Sequence[Expression], options: Options) -> Expression:
    """How many values of the row count, as a float."""
    if not options.skipna:
        return Literal(float(len(values)), ir.f64)
    return _total([call("select", call("is_nan", value), Literal(0.0, ir.f64), Literal(1.0, ir.f64)) for value in values])


def _extreme(op: str, logic: str, edge: float) -> Any:
    def made(columns: Sequence[Column], options: Options) -> Column:
        values, dtype = in_common(columns, truth=True)
        if not types.is_float(dtype):
            return Column(reduce(lambda found, value: call(logic if types.is_bool(dtype) else op, found, value), values), dtype)
        gone: list[Expression] = [call("is_nan", value) for value in values]
        shown = [call("select", missing, Literal(edge, ir.f64), value) for missing, value in zip(gone, values, strict=True)]
        found = reduce(lambda found, value: call(op, found, value), shown)
        nothing = reduce(lambda found, value: call("and_" if options.skipna else "or_", found, value), gone)
        return Column(call("select", nothing, _NAN, found), dtype)

    return made


def _variance(columns: Sequence[Column], options: Options) -> Column:
    values, dtype = in_common(columns)
    if types.is_bool(dtype):
        raise Refused("the variance of booleans")
    values = [literals.cast(value, dtype, types.FLOAT64) for value in values]
    count = _counted(values, options)
    mean = call("div", _total([_there(value, 0.0, options) for value in values]), count)
    squares = []
    for value in values:
        far = call("sub", value, mean)
        square = call("mul", far, far)
        squares.append(call("select", call("is_nan", value), Literal(0.0, ir.f64), square) if options.skipna else square)
    left = call("sub", count, Literal(float(options.ddof), ir.f64))
    made = call("div", _total(squares), left)
    return Column(call("select", call("gt", left, Literal(0.0, ir.f64)), made, _NAN), types.FLOAT64)


def _powers(columns: Sequence[Column], options: Options) -> tuple[Expression, Expression, Expression, Expression]:
    """How many values of the row count, their mean, and the sums of the second and the fourth power of the distances from it."""
    values, dtype = in_common(columns)
    if types.is_bool(dtype):
        raise Refused("the kurtosis of booleans")
    values = [literals.cast(value, dtype, types.FLOAT64) for value in values]
    count = _counted(values, options)
    mean = call("div", _total([_there(value, 0.0, options) for value in values]), count)
    seconds, fourths = [], []
    for value in values:
        far = call("sub", value, mean)
        square = call("mul", far, far)
        if options.skipna:
            square = call("select", call("is_nan", value), Literal(0.0, ir.f64), square)
        seconds.append(square)
        fourths.append(call("mul", square, square))
    return count, mean, _total(seconds), _total(fourths)


def _kurtosis(columns: Sequence[Column], options: Options) -> Column:
    """The excess kurtosis of the row, corrected for bias: of fewer than four values there is none."""

    def less(value: Expression, by: float) -> Expression:
        return call("sub", value, Literal(by, ir.f64))

    count, _, second, fourth = _powers(columns, options)
    rest = call("mul", less(count, 2.0), less(count, 3.0))
    above = call("mul", call("mul", call("mul", count, call("add", count, Literal(1.0, ir.f64))), less(count, 1.0)), fourth)
    below = call("mul", rest, call("mul", second, second))
    excess = call("div", call("mul", Literal(3.0, ir.f64), call("mul", less(count, 1.0), less(count, 1.0))), rest)
    known = elementwise.both(call("ge", count, Literal(4.0, ir.f64)), call("gt", second, Literal(0.0, ir.f64)))
    return Column(call("select", known, call("sub", call("div", above, below), excess), _NAN), types.FLOAT64)


def _too_close(columns: Sequence[Column], options: Options) -> Expression:
    """Whether the digits of a kurtosis hang on the order in which it is computed."""
    count, mean, second, _ = _powers(columns, options)
    scale = call("mul", call("mul", Literal(1e-10, ir.f64), count), call("mul", mean, mean))
    near = elementwise.either(call("lt", second, scale), call("lt", second, Literal(1e-100, ir.f64)))
    odd = elementwise.either(near, call("gt", second, Literal(1e100, ir.f64)))
    return elementwise.both(elementwise.both(call("ge", count, Literal(4.0, ir.f64)), call("gt", second, Literal(0.0, ir.f64))), odd)


def _spread(columns: Sequence[Column], options: Options) -> Column:
    found = _variance(columns, options)
    return Column(call("sqrt", found.expression), found.dtype)


def _error(columns: Sequence[Column], options: Options) -> Column:
    values, dtype = in_common(columns)
    count = _counted([literals.cast(value, dtype, types.FLOAT64) for value in values], options)
    return Column(call("div", _spread(columns, options).expression, call("sqrt", count)), types.FLOAT64)


def _truth(op: str) -> Any:
    def made(columns: Sequence[Column], options: Options) -> Column:
        found = []
        for column in columns:
            if not types.is_number(column.dtype):
                raise Refused(f"`any` and `all` of dtype `{column.dtype}`")
            value = column.expression
            if not types.is_bool(column.dtype):
                value = call("ne", value, literals.number(0, column.dtype))
            if types.is_float(column.dtype) and options.skipna:
                # NaN is true, and passed over it decides nothing.
                value = call("select", call("is_nan", column.expression), Literal(op == "and_", ir.bool_), value)
            found.append(value)
        return Column(reduce(lambda before, value: call(op, before, value), found), types.BOOL)

    return made


_ACROSS = {
    "sum": _sum,
    "prod": _product,
    "product": _product,
    "mean": _mean,
    "min": _extreme("least", "and_", float("inf")),
    "max": _extreme("greatest", "or_", float("-inf")),
    "var": _variance,
    "std": _spread,
    "sem": _error,
    "kurt": _kurtosis,
    "any": _truth("or_"),
    "all": _truth("and_"),
}
