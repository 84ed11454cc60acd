"""Choosing among values: by a condition, by bounds, by what they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas
from pandas._config import is_nan_na
from pandas.api.types import is_list_like

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals, lookups
from airloom.pandas.algorithms.align import aligned, array_column
from airloom.pandas.algorithms.prototypes import ask_pandas, one
from airloom.pandas.dispatch.calls import invoke
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plan_of, wrap
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals import materialize
from airloom.pandas.methods import replace_regex
from airloom.pandas.ops import arithmetic, masked
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.rows import MemoryRows, Rows, space_of
from airloom.pandas.refusals import Refused, value_text

NO_DEFAULT = pandas.api.extensions.no_default
#: At most this many values are looked up one after the other; beyond, a table is better.
MOST = 100
#: At most this many values are written into a program.
MOST_ITEMS = 2000


@operation("Series.isin")
def isin_vector(vector: Vector, values: Any) -> Vector:
    zero = not isinstance(values, (list, tuple, set)) or any(isinstance(value, (int, float, np.number)) and value == 0 for value in values)
    if zero and elementwise.tells_zeros_apart(vector.rows, elementwise.known(vector.column)):
        raise Refused("`isin` of Arrow's floats with negative zeros, which are none of zeros there")
    if lookups.is_many(values):
        return lookups.found_in(vector, values)
    return elementwise.each(vector, lambda column: is_in(column, values))


@operation("DataFrame.isin")
def isin_frame(frame: Frame, values: Any) -> Frame:
    if isinstance(values, (BaseDataFrame, BaseSeries)):
        raise Refused("`values` is a DataFrame or a Series, which is aligned")
    if not isinstance(values, dict):
        return elementwise.each(frame, lambda column: is_in(column, values))
    if not frame.labels.is_unique:
        raise Refused("duplicate column labels")
    columns = [
        is_in(elementwise.known(column), values[label]) if label in values else Column(elementwise.FALSE, types.BOOL)
        for column, label in zip(frame.columns, frame.labels, strict=True)
    ]
    return frame.with_columns(columns)


def is_in(column: Column, values: Any) -> Column:
    """Whether each value is one of these."""
    if not is_list_like(values) or isinstance(values, (BaseDataFrame, dict, pandas.MultiIndex)):
        raise Refused(f"values of type `{type(values).__name__}`")
    dtype = column.dtype
    if isinstance(values, (BaseSeries, pandas.Index, np.ndarray, pandas.api.extensions.ExtensionArray)):
        if values.ndim != 1:
            raise Refused(f"`values` is an array of {values.ndim} dimensions")
        kind = getattr(values.dtype, "kind", "O")
        if types.is_number(dtype) and kind != dtype.kind and values.dtype != object:
            raise Refused(f"values of `{dtype}` looked up among `{values.dtype}`")
        if types.is_integer(dtype) and values.dtype == object:
            raise Refused("integers looked up among objects")
    items = values.tolist() if hasattr(values, "tolist") else list(values)
    if len(items) > MOST_ITEMS:
        raise Refused(f"`values` of more than {MOST_ITEMS} items")
    found = _items(column, items, values)
    if not found:
        return Column(elementwise.FALSE, masked.BOOLEAN if types.is_masked(dtype) else types.BOOL)
    value = call("cast", column.expression, to=types.type_of(types.FLOAT64)) if dtype == np.float32 else column.expression
    return Column(call("is_in", value, *found, nulls="equal"), masked.BOOLEAN if types.is_masked(dtype) else types.BOOL)


def _items(column: Column, items: list[Any], values: Any) -> list[Literal]:
    """The items that a value of the column may equal."""
    dtype = column.dtype
    if types.is_arrow(dtype):
        ask_pandas(lambda: BaseSeries(one(dtype)).isin(values))
        return [literals.literal(item, dtype) for item in items]
    if types.is_masked(dtype):
        # Of what is missing, NA alone is found: NaN is another value.
        if not all(item is pandas.NA or (not literals.is_missing(item) and elementwise.fits(item, dtype) is not None) for item in items):
            raise Refused(f"`values` that are not of dtype `{dtype}`")
        return [literals.literal(item, dtype) for item in items]
    if isinstance(dtype, pandas.StringDtype):
        if not all(isinstance(item, (str, int, float)) or item is None or (item is pandas.NA and not types.is_text(dtype)) for item in items):
            raise Refused("`values` that are not strings")
        return [literals.literal(item, dtype) for item in items if isinstance(item, str) or literals.is_missing(item)]
    if types.is_category(dtype):
        type = types.type_of(dtype)
        assert type is not None
        # A value that is no category stands nowhere.
        array = pandas.array(items, dtype=object) if len(items) else np.empty(0, object)
        positions = dtype.categories.get_indexer_for(array)
        gone = pandas.isna(array)
        return [Literal(int(position), type) for position, none in zip(positions, gone, strict=True) if position >= 0 or none]
    if types.is_bool(dtype):
        if not all(isinstance(item, (bool, np.bool_)) for item in items):
            raise Refused("`values` of booleans beside others")
        return [literals.literal(item, dtype) for item in items]
    if types.is_integer(dtype):
        fractions = any(isinstance(item, (float, np.floating)) for item in items)
        if fractions and any(isinstance(item, (int, np.integer)) and abs(int(item)) >= 2**53 for item in items):
            raise Refused("`values` of integers that floats beside them round")
        return [made for item in items if (made := _whole(item, dtype, values)) is not None]
    if types.is_float(dtype):
        if not all(isinstance(item, (int, float, np.integer, np.floating)) and not isinstance(item, bool) for item in items):
            raise Refused("`values` of numbers beside others")
        if any(isinstance(item, (int, np.integer)) and abs(int(item)) > 2**53 for item in items):
            raise Refused("an integer that a float rounds")
        return [literals.number(item, types.FLOAT64) for item in items]
    if types.is_time(dtype) or types.is_duration(dtype):
        wanted = pandas.Timestamp if types.is_time(dtype) else pandas.Timedelta
        if not all(isinstance(item, wanted) or item is pandas.NaT for item in items):
            raise Refused("`values` of timestamps or timedeltas beside others")
        return [literals.literal(item, dtype) for item in items]
    raise Refused(f"`isin` of `{dtype}`")


def _whole(item: Any, dtype: Any, values: Any) -> Literal | None:
    """An integer that the column may hold."""
    if item is None or isinstance(item, str):
        return None
    if isinstance(item, (bool, np.bool_)) or not isinstance(item, (int, float, np.integer, np.floating)):
        raise Refused(f"a value of type `{type(item).__name__}` among integers")
    if isinstance(item, (float, np.floating)):
        if not abs(float(item)) < 2**53 and not np.isnan(item):
            raise Refused("a float beyond 2**53 among integers")
        if not float(item).is_integer():
            return None
    limits = np.iinfo(dtype)
    return literals.number(item, dtype) if limits.min <= int(item) <= limits.max else None


@operation("Series.between")
def between(vector: Vector, left: Any, right: Any, inclusive: str = "both") -> Vector:
    words = {"both": ("ge", "le"), "left": ("ge", "lt"), "right": ("gt", "le"), "neither": ("gt", "lt")}
    if inclusive not in words:
        raise Refused(f"`inclusive={value_text(inclusive)}`")
    rows, name = vector.rows, vector.name
    found: Expression = elementwise.TRUE
    dtype: Any = types.BOOL
    for word, bound in zip(words[inclusive], (left, right), strict=True):
        beside = elementwise.operand(vector, rows, bound)
        if isinstance(bound, BaseSeries):
            name = arithmetic.common_name(Vector(rows, vector.column, name, vector.index), plan_of(bound))
        if beside is not None:
            rows, bound = beside
        one = arithmetic.binary(word, vector.column, bound, rows)
        dtype = one.dtype if types.is_nullable(one.dtype) else dtype
        found = one.expression if found is elementwise.TRUE else elementwise.both(found, one.expression)
    return Vector(rows, Column(found, dtype), name, vector.index)


def _condition(plan: Any, rows: Rows, condition: Any, *, otherwise: bool) -> tuple[Rows, Callable[[int], Expression]]:
    """A condition over the rows, for each column: `otherwise` where it has no such label."""
    if callable(condition):
        condition = invoke(condition, wrap(plan))
    if isinstance(plan, Frame):
        return _conditions(plan, rows, condition, otherwise)
    if isinstance(condition, (list, tuple)) and condition and all(isinstance(item, (bool, np.bool_)) for item in condition):
        condition = np.array(condition)
    if isinstance(condition, BaseSeries):
        condition = _fitted(plan, condition, otherwise)
    beside = elementwise.operand(plan, rows, condition)
    if beside is None:
        raise Refused("a condition that is a scalar")
    rows, column = beside
    truth = _truth(rows, column, otherwise)
    return rows, lambda position: truth


def _conditions(plan: Frame, rows: Rows, condition: Any, otherwise: bool) -> tuple[Rows, Callable[[int], Expression]]:
    """A condition for each column of a frame: a frame by its labels, or an array by position."""
    found = []
    if isinstance(condition, np.ndarray) and condition.ndim == 2:
        if condition.dtype != bool or condition.shape[1] != len(plan.columns):
            raise Refused("a condition of another shape")
        found = [array_column(rows, np.ascontiguousarray(condition[:, at])).expression for at in range(len(plan.columns))]
        return rows, lambda position: found[position]
    if not isinstance(condition, BaseDataFrame):
        raise Refused(f"a condition of type `{type(condition).__name__}` for a DataFrame")
    far = plan_of(_fitted(plan, condition, otherwise))
    for theirs in far.columns:
        rows, column = aligned(rows, plan.index, Vector(far.rows, theirs, None, far.index))
        found.append(_truth(rows, elementwise.known(column), otherwise))
    return rows, lambda position: found[position]


def _fitted(plan: Any, condition: Any, otherwise: bool) -> Any:
    """A condition with the labels of what it is for."""
    far = plan_of(condition)
    if isinstance(plan, Frame) and not (far.labels.equals(plan.labels) and plan.labels.is_unique):
        if not all(types.is_bool(column.dtype) for column in far.columns):
            raise Refused("a condition that is not boolean")
        return condition.reindex(index=wrap(plan).index, columns=plan.labels, fill_value=otherwise)
    try:
        aligned(plan.rows, plan.index, far if isinstance(far, Vector) else Vector(far.rows, far.columns[0], None, far.index))
        return condition
    except Refused:
        if isinstance(far, Vector) and not types.is_bool(far.dtype):
            raise
    index = wrap(plan).index
    if isinstance(far, Vector):
        return condition.reindex(index, fill_value=otherwise)
    return condition.reindex(index=index, fill_value=otherwise)


def _truth(rows: Rows, column: Column, otherwise: bool) -> Expression:
    if column.dtype == masked.BOOLEAN and isinstance(space_of(rows), MemoryRows):
        raise Refused("a nullable condition over data in memory, which pandas shares where nothing changes")
    if column.dtype in (masked.BOOLEAN, types.ARROW_BOOL):
        # Where it is missing, something else is put in.
        return call("coalesce", column.expression, Literal(otherwise, ir.bool_))
    if not types.is_bool(column.dtype):
        raise Refused("a condition that is not boolean")
    return column.expression


@operation("Series.where", "DataFrame.where")
def where(plan: Any, cond: Any, other: Any = np.nan, *, inplace: bool = False, axis: Any = None, level: Any = None) -> Any:
    return _where(plan, cond, other, inplace, axis, level, kept=True)


@operation("Series.mask", "DataFrame.mask")
def mask(plan: Any, cond: Any, other: Any = NO_DEFAULT, *, inplace: bool = False, axis: Any = None, level: Any = None) -> Any:
    return _where(plan, cond, other, inplace, axis, level, kept=False)


def _where(plan: Any, cond: Any, other: Any, inplace: bool, axis: Any, level: Any, *, kept: bool) -> Any:
    if inplace or axis is not None or level is not None:
        raise Refused("`inplace=True`, `axis` or `level`")
    rows, condition = _condition(plan, plan.rows, cond, otherwise=not kept)
    if callable(other):
        other = invoke(other, wrap(plan))
    other = np.nan if other is NO_DEFAULT else other
    beside = None
    others: list[Any] | None = None
    if isinstance(plan, Vector):
        if isinstance(other, (list, tuple, np.ndarray)) and len(other) == 1 and literals.is_number(other[0]) and types.is_float(materialize.decided(plan.column).dtype):
            # One value is one for every row.
            other = float(other[0])
        beside = elementwise.operand(plan, rows, other)
    elif isinstance(other, BaseDataFrame):
        rows, others = _others(plan, rows, plan_of(other))
    elif is_list_like(other):
        raise Refused("`other` is a list for a DataFrame")
    if beside is not None:
        rows, other = beside
    columns = [plan.column] if isinstance(plan, Vector) else plan.columns
    made = []
    for position, column in enumerate(columns):
        truth = condition(position)
        gone = elementwise.negated(truth) if kept else truth
        put = other if others is None else others[position]
        made.append(_left_out(column, gone) if _is_left_out(column, put) else replaced_where(elementwise.known(column), rows, gone, put))
    if isinstance(plan, Vector):
        return Vector(rows, made[0], plan.name, plan.index)
    return plan.with_columns(made, rows=rows)


def _others(plan: Frame, rows: Rows, far: Frame) -> tuple[Rows, list[Any]]:
    """What another frame has for each column."""
    if not far.labels.equals(plan.labels) or not plan.labels.is_unique:
        raise Refused("`other` has other columns")
    found = []
    for theirs in far.columns:
        rows, column = aligned(rows, plan.index, Vector(far.rows, theirs, None, far.index))
        found.append(elementwise.known(column))
    return rows, found


def _is_left_out(column: Column, other: Any) -> bool:
    """Whether values without a native type are missing afterwards, in a dtype that has missing values."""
    kept = isinstance(column.dtype, (pandas.PeriodDtype, pandas.DatetimeTZDtype))
    return column.unsupported and isinstance(other, float) and np.isnan(other) and kept


def _left_out(column: Column, gone: Expression) -> Column:
    return column.at(elementwise.select(gone, Literal(-1, ir.i64), column.expression))


def replaced_where(column: Column, rows: Rows, gone: Expression, other: Any) -> Column:
    """A column with something else in some rows."""
    dtype = column.dtype
    if isinstance(other, Column):
        return column.at(elementwise.select(gone, _beside(column, other), column.expression))
    literal = elementwise.fits(other, dtype)
    if literal is not None:
        return column.at(elementwise.select(gone, literal, column.expression))
    if isinstance(other, float) and np.isnan(other) and types.is_number(dtype):
        return elementwise.widened(column, rows, gone)
    if types.is_integer(dtype) and isinstance(other, float) and not other.is_integer():
        # A fraction makes floats of all, but only where it is put in.
        if not elementwise.any_row(rows, gone):
            return column
        wide = literals.cast(column.expression, dtype, types.FLOAT64)
        return Column(elementwise.select(gone, literals.number(other, types.FLOAT64), wide), types.FLOAT64)
    raise Refused(f"a value of type `{type(other).__name__}` in `{dtype}`")


def _beside(column: Column, other: Column) -> Expression:
    if types.is_category(column.dtype):
        raise Refused(f"values of another column in `{column.dtype}`")
    if kinds.same(column.dtype, other.dtype):
        return other.expression
    small = types.is_integer(other.dtype) and other.dtype.itemsize <= 4
    if column.dtype == types.FLOAT64 and small:
        return literals.cast(other.expression, other.dtype, types.FLOAT64)
    raise Refused(f"values of `{other.dtype}` in `{column.dtype}`")


@operation("Series.clip", "DataFrame.clip")
def clip(plan: Any, lower: Any = None, upper: Any = None, *, axis: Any = None, inplace: bool = False) -> Any:
    if inplace or axis not in (None, 0):
        raise Refused(f"`inplace=True`, or `axis={value_text(axis)}`")
    bounds = [bound for bound in (lower, upper) if bound is not None]
    if not all(isinstance(bound, (int, float, np.integer, np.floating)) and not isinstance(bound, bool) and bound == bound for bound in bounds):
        raise Refused("`lower` or `upper` is not a number")
    if len(bounds) == 2:
        lower, upper = min(lower, upper), max(lower, upper)

    def change(column: Column) -> Column:
        if not (types.is_number(column.dtype) or types.is_masked(column.dtype)) or types.is_bool(column.dtype) or column.dtype == masked.BOOLEAN:
            raise Refused(f"`clip` of dtype `{column.dtype}`")
        for word, bound in (("ge", lower), ("le", upper)):
            if bound is None:
                continue
            within = elementwise.either(elementwise.missing(column), arithmetic.binary(word, column, bound).expression)
            column = replaced_where(column, plan.rows, elementwise.negated(call("is_true", within)), bound)
        return column

    return elementwise.each(plan, change)


@operation("Series.replace", "DataFrame.replace")
def replace(plan: Any, to_replace: Any = None, value: Any = NO_DEFAULT, *, inplace: bool = False, regex: Any = False) -> Any:
    if inplace:
        raise Refused("`inplace=True`")
    if regex is not False:
        return replace_regex.by_patterns(plan, to_replace, value, regex)
    if isinstance(to_replace, BaseSeries) and value is NO_DEFAULT:
        if len(to_replace) > MOST:
            raise Refused(f"`to_replace` of more than {MOST} values")
        # As a mapping from labels to values.
        to_replace = to_replace.to_dict()
    if isinstance(to_replace, dict):
        if value is not NO_DEFAULT:
            raise Refused("both a mapping and `value`")
        if any(isinstance(one, (dict, BaseSeries)) for one in to_replace.values()):
            return _replace_by_column(plan, to_replace)
        pairs = list(to_replace.items())
    else:
        pairs = _pairs(to_replace, value)
    return elementwise.each(plan, lambda column: replaced(column, plan.rows, pairs))


def _replace_by_column(plan: Any, mappings: dict[Any, Any]) -> Any:
    if not isinstance(plan, Frame) or not all(isinstance(one, dict) for one in mappings.values()) or not plan.labels.is_unique:
        raise Refused("a mapping of mappings")
    columns = list(plan.columns)
    for label, mapping in mappings.items():
        if label in plan.labels:
            position = plan.position(label)
            columns[position] = replaced(elementwise.known(columns[position]), plan.rows, list(mapping.items()))
    return plan.with_columns(columns)


def _pairs(found: Any, value: Any) -> list[tuple[Any, Any]]:
    if value is NO_DEFAULT or found is None:
        raise Refused("no `value`, or `to_replace=None`")
    if isinstance(found, list):
        if isinstance(value, list):
            if len(found) != len(value):
                raise Refused("`to_replace` and `value` of different lengths")
            return list(zip(found, value, strict=True))
        if is_list_like(value):
            raise Refused("several values for one")
        return [(one, value) for one in found]
    if is_list_like(found) or is_list_like(value):
        raise Refused("several values for one")
    return [(found, value)]


def replaced(column: Column, rows: Rows, pairs: Sequence[tuple[Any, Any]]) -> Column:
    """A column with some values replaced by others, all at once."""
    dtype = column.dtype
    if types.is_category(dtype) or dtype in (masked.BOOLEAN, types.OBJECT) or types.is_arrow(dtype) or len(pairs) > MOST:
        raise Refused(f"`replace` in dtype `{dtype}`, or of more than {MOST} values")
    hits: list[tuple[Expression, Any]] = []
    seen = set()
    for old, new in pairs:
        if is_list_like(old) or is_list_like(new) or new is None or old is None or old is pandas.NA:
            raise Refused("`to_replace` or `value` with lists, `None` or `NA`")
        if (types.is_time(dtype) or types.is_duration(dtype)) and not isinstance(old, (pandas.Timestamp, pandas.Timedelta)):
            raise Refused(f"a value of type `{type(old).__name__}` beside timestamps or timedeltas")
        if types.is_masked(dtype) and (not literals.is_number(old) or (old != old and not is_nan_na())):
            raise Refused(f"a value of type `{type(old).__name__}` beside numbers")
        if isinstance(dtype, pandas.StringDtype) and not isinstance(old, str):
            raise Refused(f"a value of type `{type(old).__name__}` beside strings")
        literal = elementwise.fits(old, dtype)
        if literal is None:
            # No value of the column equals it.
            continue
        key = literal.value if literal.value == literal.value else None
        if key in seen:
            raise Refused("a value that is replaced more than once")
        seen.add(key)
        gone = elementwise.missing(column) if key is None else call("eq", column.expression, literal)
        hits.append((call("is_true", gone) if not types.is_number(dtype) else gone, new))
    if not hits:
        return column
    return _put(column, rows, hits)


def _put(column: Column, rows: Rows, hits: Sequence[tuple[Expression, Any]]) -> Column:
    dtype = column.dtype
    made = column.expression
    if types.is_integer(dtype) and all(isinstance(new, float) and np.isnan(new) for _, new in hits):
        gone = hits[0][0]
        for hit, _ in hits[1:]:
            gone = elementwise.either(gone, hit)
        return elementwise.widened(column, rows, gone)
    for hit, new in hits:
        literal = elementwise.fits(new, dtype)
        if literal is None or (types.is_time(dtype) and isinstance(new, str)):
            raise Refused(f"a value of type `{type(new).__name__}` in `{dtype}`")
        made = elementwise.select(hit, literal, made)
    return column.at(made)
