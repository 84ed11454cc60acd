"""One value of a whole column, or one for each column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.relocate import bare, in_memory
from airloom.pandas.algorithms.take import row
from airloom.pandas.dispatch.registry import classes, operation
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import convert, materialize
from airloom.pandas.ops.aggregates import aggregate
from airloom.pandas.ops.cumulative import not_too_long
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, Frame, RangeLabels, Vector
from airloom.pandas.plan.rows import Grouped, Rows
from airloom.pandas.reductions.axis1 import across, folded
from airloom.pandas.refusals import Refused, value_text


def reduced(rows: Rows, columns: Sequence[Column]) -> list[Any]:
    """The value of each of some folds over all rows, as pandas has values of their dtypes; all of them by one program."""
    slots = [Slot(f"value{at}") for at in range(len(columns))]
    aggregates: dict[Slot, Expression] = {slot: column.expression for slot, column in zip(slots, columns, strict=True)}
    table = run.table(Grouped(rows, {}, aggregates), {f"c{at}": Ref(slot) for at, slot in enumerate(slots)})
    return [convert.to_array(table, f"c{at}", column.dtype)[0] for at, column in enumerate(columns)]


def check_zeros(rows: Rows, name: str, columns: Sequence[Column], values: Sequence[Any]) -> None:
    """Refuses a least, a greatest or a middle that is zero where there are zeros of both signs: which of them NumPy finds depends on the order in which its loops compare."""
    if name in ("min", "max", "median", "quantile"):
        for column, value in zip(columns, values, strict=True):
            if isinstance(value, np.floating) and value == 0 and elementwise.has_negative_zero(rows, column):
                raise Refused(f"`{name}` among zeros of both signs")


def _whole_of_none(vector_columns: Sequence[Column], rows: Rows, name: str) -> None:
    """Refuses what has no answer among integers: the least of none."""
    if name in ("min", "max", "first", "last") and any(types.is_number(c.dtype) and not types.is_float(c.dtype) for c in vector_columns):
        if run.count(rows) == 0:
            raise Refused(f"`{name}` of no rows")


def reduce_vector(vector: Vector, name: str, **options: Any) -> Any:
    column = materialize.decided(vector.column) if name != "count" else vector.column
    _whole_of_none([column], vector.rows, name)
    if name == "skew" and types.is_number(column.dtype) and column.dtype.itemsize == 8 and not column.expression.windowed:
        # Numbers far from zero and close to one another are brought near it first, as they would lose their differences.
        (mean,) = reduced(vector.rows, [aggregate("mean", column, grouped=False, **options)])
        if np.isfinite(mean):
            value = column.expression if types.is_float(column.dtype) else call("cast", column.expression, to=ir.f64)
            column = Column(call("sub", value, Literal(float(mean), ir.f64)), types.FLOAT64)
    if name == "sum":
        not_too_long(vector.rows, column)
    (value,) = reduced(vector.rows, [aggregate(name, column, grouped=False, **options)])
    check_zeros(vector.rows, name, [column], [value])
    if name == "sem" and value != value and run.count(vector.rows) == 0:
        return np.float64("nan")
    if name not in ("sum", "prod", "product", "skew", "sem", "quantile") and isinstance(value, np.floating) and value != value:
        # Of nothing pandas returns Python's own NaN, of something NumPy's.
        if run.count(vector.rows) == 0 or (name == "mean" and options.get("skipna", True) and reduced(vector.rows, [aggregate("count", column, grouped=False)])[0] == 0):
            return float("nan")
    return value


#: Reductions of columns without rows that have the dtype which they have with some.
_KEEP_NO_WIDTH = frozenset(("count", "nunique", "sum", "prod", "product", "any", "all", "skew"))


def reduce_frame(frame: Frame, name: str, numeric_only: bool, **options: Any) -> Any:
    """One value for each column, as a series."""
    columns = list(frame.columns) if name == "count" else [materialize.decided(column) for column in frame.columns]
    labels = frame.labels.view()
    if numeric_only:
        positions = [at for at, column in enumerate(columns) if types.is_numeric(column.dtype)]
        columns, labels = [columns[at] for at in positions], labels.take(positions)
    if not columns:
        raise Refused("no columns")
    if name not in _KEEP_NO_WIDTH and any(types.is_float(column.dtype) and column.dtype.itemsize == 4 for column in columns) and run.count(frame.rows) == 0:
        raise Refused(f"`{name}` of no rows of `float32`, which pandas widens")
    if name not in ("count", "nunique") and all(types.is_arrow(column.dtype) for column in columns):
        return _of_arrow(frame.rows, name, [aggregate(name, column, grouped=False, **options) for column in columns], labels)
    nullable = all(types.is_masked(column.dtype) for column in columns)
    _whole_of_none(columns, frame.rows, name)
    made = [aggregate(name, column, grouped=False, **options) for column in columns]
    if not nullable and not all(types.is_number(column.dtype) for column in (*made, *(columns if name not in ("count", "nunique") else ()))):
        if name == "sum" and any(types.is_duration(column.dtype) for column in made):
            raise Refused("sums of timedeltas, which may overflow")
        if name in ("any", "all") and any(types.is_masked(column.dtype) or types.is_arrow(column.dtype) for column in columns):
            raise Refused(f"`{name}` of nullable columns beside others, which is nullable")
        return _of_several_kinds(frame, made, labels)
    values = reduced(frame.rows, made)
    check_zeros(frame.rows, name, columns, values)
    dtypes = kinds.distinct(column.dtype for column in made)
    if len(dtypes) == 1:
        dtype = dtypes[0]
    else:
        if types.BOOL in dtypes or nullable:
            raise Refused("booleans beside numbers in one result")
        dtype = np.result_type(*dtypes)
    if types.is_masked(dtype):
        return classes.Series(pandas.array(values, dtype=dtype), index=labels)
    if nullable and dtype == types.BOOL:
        return classes.Series(pandas.array(values, dtype="boolean"), index=labels)
    return classes.Series(np.array(values, dtype=dtype), index=labels)


def _of_arrow(rows: Rows, name: str, made: Sequence[Column], labels: Any) -> Any:
    """Values of Arrow's columns that have one dtype."""
    if len(kinds.distinct(column.dtype for column in made)) > 1:
        raise Refused("columns of different dtypes")
    grouped, columns = _one_row(rows, made)
    table = run.table(grouped, {f"c{at}": column.expression for at, column in enumerate(columns)})
    if made[0].dtype == types.ARROW_BOOL and name in ("any", "all"):
        return classes.Series(np.concatenate([table.numpy(f"c{at}", "bool") for at in range(len(columns))]), index=labels)
    arrays = [convert.to_array(table, f"c{at}", column.dtype) for at, column in enumerate(columns)]
    return classes.Series(type(arrays[0])._concat_same_type(arrays), index=labels)


def _of_several_kinds(frame: Frame, made: Sequence[Column], labels: Any) -> Any:
    """Values of columns that are not all numbers, in the dtype that pandas has for a row of them."""
    if any(types.is_category(column.dtype) or types.is_text(column.dtype) for column in made):
        raise Refused("columns that are not numbers")
    if len(kinds.distinct(column.dtype for column in made)) > 1 and not all(isinstance(column.dtype, np.dtype) for column in made):
        raise Refused("columns of different dtypes")
    if len(kinds.distinct(column.dtype for column in made)) > 1 and any(types.is_bool(column.dtype) for column in made):
        raise Refused("booleans beside other dtypes")
    _, kept = materialize.restored_frame(Frame(*_one_row(frame.rows, made), labels, RangeLabels()))
    return row(kept, 0).rename(None)


def _one_row(rows: Rows, columns: Sequence[Column]) -> tuple[Rows, list[Column]]:
    slots = [Slot("value") for _ in columns]
    grouped = Grouped(rows, {}, {slot: column.expression for slot, column in zip(slots, columns, strict=True)})
    return grouped, [Column(Ref(slot), column.dtype) for slot, column in zip(slots, columns, strict=True)]


def _of_nothing(frame: Frame, name: str, given: dict[str, Any]) -> Any:
    """What a frame without columns is reduced to: there is nothing to reduce, and pandas says what that is."""
    empty = bare(in_memory(frame))
    return ask_pandas(lambda: getattr(empty, name)(**given))


def _boolean(given: Any) -> bool:
    if not isinstance(given, bool):
        raise Refused("`skipna` or `numeric_only` is not boolean")
    return given


def _plain_axis(axis: Any, allowed: Sequence[Any] = (0, "index", None)) -> None:
    if not any(axis is a or axis == a for a in allowed):
        raise Refused(f"`axis={value_text(axis)}`")


#: The option that some reductions have, and what it is when nobody says anything.
_OPTIONS: dict[str, tuple[str, int]] = {
    **dict.fromkeys(("sum", "prod", "product"), ("min_count", 0)),
    **dict.fromkeys(("std", "var", "sem"), ("ddof", 1)),
}


def _options(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The options of a reduction; refused where it has no such, as pandas does, or where NumPy's own function asks for more."""
    # NumPy's own functions pass these, and nothing in them.
    given = {option: value for option, value in given.items() if option not in ("dtype", "out") or value is not None}
    allowed, default = _OPTIONS.get(name, ("", 0))
    if set(given) - {allowed}:
        raise Refused("unexpected options")
    return {allowed: given.get(allowed, default)} if allowed else {}


def _register(name: str) -> None:
    @operation(f"Series.{name}")
    def of_vector(vector: Vector, *, axis: Any = None, skipna: bool = True, numeric_only: bool = False, **given: Any) -> Any:
        options = _options(name, given)
        _plain_axis(axis)
        if _boolean(numeric_only) and not types.is_number(materialize.decided(vector.column).dtype):
            raise Refused(f"`numeric_only=True` on `{vector.dtype}`")
        return reduce_vector(vector, name, skipna=_boolean(skipna), **options)

    @operation(f"DataFrame.{name}")
    def of_frame(frame: Frame, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **given: Any) -> Any:
        options = _options(name, given)
        if not frame.columns and not options.get("min_count") and axis in (0, 1, "index", "columns"):
            return _of_nothing(frame, name, {"axis": axis, "skipna": skipna, "numeric_only": numeric_only})
        if axis in (1, "columns"):
            return across(frame, name, _boolean(numeric_only), _boolean(skipna), options.get("min_count", 0), options.get("ddof", 1))
        _plain_axis(axis, (0, "index"))
        return reduce_frame(frame, name, _boolean(numeric_only), skipna=_boolean(skipna), **options)


for _name in ("sum", "prod", "product", "mean", "min", "max", "std", "var", "sem", "median", "skew"):
    _register(_name)


def _register_truth(name: str) -> None:
    @operation(f"Series.{name}")
    def of_vector(vector: Vector, *, axis: Any = 0, bool_only: bool = False, skipna: bool = True, **given: Any) -> Any:
        _plain_axis(axis)
        _options(name, given)
        if bool_only:
            raise Refused("`bool_only=True`")
        return reduce_vector(vector, name, skipna=_boolean(skipna))

    @operation(f"DataFrame.{name}")
    def of_frame(frame: Frame, *, axis: Any = 0, bool_only: bool = False, skipna: bool = True, **given: Any) -> Any:
        _options(name, given)
        if not isinstance(bool_only, bool):
            raise Refused(f"`bool_only={value_text(bool_only)}`")
        if bool_only:
            kept = [at for at, column in enumerate(frame.columns) if types.is_bool(materialize.decided(column).dtype)]
            if any(types.is_masked(column.dtype) or column.unsupported for column in frame.columns):
                raise Refused("`bool_only=True` with nullable columns")
            frame = Frame(frame.rows, [frame.columns[at] for at in kept], frame.labels.take(kept), frame.index)
        if not frame.columns and axis in (0, 1, "index", "columns"):
            return _of_nothing(frame, name, {"axis": axis, "skipna": skipna})
        if axis is None:
            across(frame, name, False, True, 0, 1)
            return np.bool_(getattr(np, name)(reduce_frame(frame, name, False, skipna=_boolean(skipna)).to_numpy()))
        if axis in (1, "columns"):
            return across(frame, name, False, _boolean(skipna), 0, 1)
        _plain_axis(axis, (0, "index"))
        return reduce_frame(frame, name, False, skipna=_boolean(skipna))


_register_truth("any")
_register_truth("all")


@operation("Series.count")
def count(vector: Vector) -> Any:
    return reduce_vector(vector, "count")


@operation("DataFrame.count")
def frame_count(frame: Frame, axis: Any = 0, numeric_only: bool = False) -> Any:
    if axis in (1, "columns"):
        return across(frame, "count", _boolean(numeric_only), True, 0, 1)
    _plain_axis(axis, (0, "index"))
    return reduce_frame(frame, "count", _boolean(numeric_only))


@operation("Series.nunique")
def nunique(vector: Vector, dropna: bool = True) -> Any:
    return int(reduce_vector(vector, "nunique", dropna=bool(dropna)))


@operation("DataFrame.nunique")
def frame_nunique(frame: Frame, axis: Any = 0, dropna: bool = True) -> Any:
    if axis in (1, "columns"):
        return folded(frame, [elementwise.known(column) for column in frame.columns], "nunique", {"dropna": bool(dropna)})
    _plain_axis(axis, (0, "index"))
    return reduce_frame(frame, "nunique", False, dropna=bool(dropna))
