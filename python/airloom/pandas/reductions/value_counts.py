"""Summaries of columns: counts of values, the most frequent ones, quantiles, where extremes stand, how columns go together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.sorting import sort_key
from airloom.pandas.apply import columnwise
from airloom.pandas.dispatch.calls import invoke
from airloom.pandas.dispatch.lazy import from_manager
from airloom.pandas.dispatch.registry import OPERATIONS, BaseDataFrame, BaseSeries, classes, driving, operation
from airloom.pandas.dispatch.wrapping import wrap
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.ops.aggregates import is_aggregate
from airloom.pandas.plan.expression import Expression, Literal, Over, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, RangeLabels, Vector, evaluate_windows
from airloom.pandas.plan.rows import Filtered, Grouped, Projected, Rows, Sorted
from airloom.pandas.reductions import comoments
from airloom.pandas.refusals import Refused, value_text


def series_of(values: Any, index: Any, name: Any, dtype: Any = None) -> Any:
    """A series of few values."""
    return classes.Series(values, index=index, name=name, dtype=dtype)


def _counts(rows: Rows, columns: Sequence[Column], dropna: bool) -> tuple[Rows, list[Column], Slot]:
    """Each combination of values that stands there, in the order in which they first do, and how often."""
    rows, columns = evaluate_windows(rows, columns)
    if dropna:
        for column in columns:
            there = elementwise.negated(elementwise.missing(column))
            if not isinstance(there, Literal):
                rows = Filtered(rows, there)
    slots = [Slot("value") for _ in columns]
    count = Slot("count")
    keys = {slot: column.expression for slot, column in zip(slots, columns, strict=True)}
    made = Grouped(rows, keys, {count: fold("count", columns[0].expression, skip="none")})
    return made, [column.at(Ref(slot)) for slot, column in zip(slots, columns, strict=True)], count


def _counted(rows: Rows, columns: Sequence[Column], names: Sequence[Any], normalize: Any, sort: Any, ascending: Any, dropna: Any) -> Vector:
    if not all(isinstance(item, (bool, np.bool_)) for item in (normalize, sort, ascending, dropna)):
        raise Refused("`normalize`, `sort`, `ascending` or `dropna` is not boolean")
    for column in columns:
        several = types.is_nullable(column.dtype) and (len(columns) > 1 or not dropna)
        if types.is_category(column.dtype) or several or types.is_arrow(column.dtype):
            raise Refused(f"`value_counts` of dtype `{column.dtype}`")
    made, keys, count = _counts(rows, columns, bool(dropna))
    nullable = any(types.is_nullable(column.dtype) for column in columns)
    arrow = types.is_nullable_text(columns[0].dtype) and columns[0].dtype.storage == "pyarrow"
    result = Column(Ref(count), types.ARROW_INT64 if arrow else pandas.Int64Dtype() if nullable else types.INT64)
    if arrow and normalize:
        raise Refused(f"`normalize=True` of dtype `{column.dtype}`")
    if normalize:
        share = Slot("share")
        total = Over(fold("sum", Ref(count)))
        made = Projected(made, {share: call("div", call("cast", Ref(count), to=ir.f64), call("cast", total, to=ir.f64))})
        result = Column(Ref(share), pandas.Float64Dtype() if nullable else types.FLOAT64)
    if sort:
        made = Sorted(made, [Ref(count)], ["asc.last" if ascending else "desc.last"])
    # Levels are those of groups in the order in which values stand: those of rows of which something is missing are among them.
    first = (rows, ColumnLabels(columns, names, grouped=(False, bool(dropna)))) if len(columns) > 1 else None
    return Vector(made, result, "proportion" if normalize else "count", ColumnLabels(keys, names, groups=first))


@operation("Series.value_counts")
def value_counts(vector: Vector, normalize: Any = False, sort: Any = True, ascending: Any = False, bins: Any = None, dropna: Any = True) -> Any:
    if bins is not None:
        raise Refused("`bins`")
    column = elementwise.known(vector.column)
    if types.is_category(column.dtype):
        return _category_counts(vector, column, normalize, sort, ascending, dropna)
    return _counted(vector.rows, [column], [vector.name], normalize, sort, ascending, dropna)


def _category_counts(vector: Vector, column: Column, normalize: Any, sort: Any, ascending: Any, dropna: Any) -> Any:
    """How often each category stands there, with those that do not: the engine counts, and pandas puts the few counts in order."""
    if not all(isinstance(item, (bool, np.bool_)) for item in (normalize, sort, ascending, dropna)):
        raise Refused("`normalize`, `sort`, `ascending` or `dropna` is not boolean")
    made, (value,), count = _counts(vector.rows, [column], dropna=False)
    table = run.table(made, {"code": call("cast", value.expression, to=ir.i64), "count": Ref(count)})
    found = dict(zip(table.numpy("code", "int64").tolist(), table.numpy("count", "int64").tolist(), strict=True))
    codes = [*range(len(column.dtype.categories)), *([-1] if -1 in found and not dropna else [])]
    model = BaseSeries(pandas.Categorical.from_codes(codes, dtype=column.dtype), name=vector.name)
    labels = ask_pandas(lambda: model.value_counts(sort=False, dropna=bool(dropna))).index
    counts = BaseSeries([found.get(code, 0) for code in codes], index=labels, name="proportion" if normalize else "count", dtype=types.INT64)
    ordered = ask_pandas(lambda: counts.sort_values(ascending=bool(ascending), kind="stable")) if sort else counts
    return ask_pandas(lambda: ordered / counts.sum()) if normalize else ordered


@operation("DataFrame.value_counts")
def frame_value_counts(frame: Frame, subset: Any = None, normalize: Any = False, sort: Any = True, ascending: Any = False, dropna: Any = True) -> Vector:
    labels = list(frame.labels) if subset is None else subset
    if not isinstance(labels, list) or len(labels) < 2 or len(set(labels)) < len(labels) or not all(label in frame.labels for label in labels):
        raise Refused("`subset` of one column, or with unknown labels")
    if isinstance(frame.labels, pandas.MultiIndex):
        raise Refused("MultiIndex columns")
    columns = [elementwise.known(frame.column(label)) for label in labels]
    return _counted(frame.rows, columns, labels, normalize, sort, ascending, dropna)


@operation("Series.mode")
def mode(vector: Vector, dropna: Any = True) -> Vector:
    column = elementwise.known(vector.column)
    if not isinstance(dropna, bool) or ((types.is_masked(column.dtype) or types.is_category(column.dtype)) and not dropna):
        raise Refused("`dropna=False` of `mode`")
    if column.dtype == types.OBJECT and column.shown is None and not column.unsupported:
        raise Refused("`mode` of lists, which have no order")
    made, (value,), count = _counts(vector.rows, [column], dropna)
    most = Over(fold("max", Ref(count)))
    kept = Filtered(made, call("eq", Ref(count), call("coalesce", most, Literal(0, ir.i64))))
    # What is missing among timestamps is the least of them.
    timed = types.is_time(column.dtype) or types.is_duration(column.dtype)
    return Vector(Sorted(kept, [sort_key(value)], ["asc.first" if timed else "asc.last"]), value, vector.name, RangeLabels())


def _register_position(name: str, op: str, *, label: bool) -> None:
    @operation(f"Series.{name}")
    def of_vector(vector: Vector, axis: Any = 0, skipna: Any = True, *args: Any, **kwargs: Any) -> Any:
        if axis not in (0, None, "index") or skipna is not True or args or kwargs:
            raise Refused(f"`axis={value_text(axis)}`, `skipna={value_text(skipna)}` or further arguments")
        column = elementwise.known(vector.column)
        timed = types.is_time(column.dtype) or types.is_duration(column.dtype)
        if not types.is_number(column.dtype) and not timed:
            raise Refused(f"`idxmin` and `idxmax` of dtype `{column.dtype}`")
        value = column.expression
        if timed or types.is_bool(column.dtype):
            value = call("cast", value, to=ir.optional(ir.i64) if timed else ir.i8)
        position = run.value(vector.rows, fold(op, value, skip="all"))
        if position is None:
            raise Refused("no values")
        return materialize.restored_index(vector.rows, vector.index)[position] if label else np.int64(position)


for _name in ("argmin", "argmax"):
    _register_position(_name, _name, label=False)
    _register_position(_name.replace("arg", "idx"), _name, label=True)


def frame_of(columns: Sequence[Sequence[Any]], index: Any, labels: Any) -> Any:
    """A frame of few rows, by its columns."""
    made = BaseDataFrame(dict(enumerate(np.array(column) for column in columns)), index=index)
    made.columns = labels
    return _ours(made)


def _ours(made: BaseDataFrame) -> Any:
    """The same frame as one of our class."""
    return from_manager(classes.DataFrame, made._mgr)


def _by_name(owner: str, plan: Any, function: Any) -> Any:
    if not isinstance(function, str) or not is_aggregate(function) or function in ("first", "last", "size") or function not in OPERATIONS[owner]:
        raise Refused(f"the aggregate `{function if isinstance(function, str) else getattr(function, '__name__', type(function).__name__)}`")
    return OPERATIONS[owner][function](plan)


def _values_by_name(vector: Vector, functions: Sequence[Any]) -> list[Any]:
    if len(set(functions)) < len(functions) or not functions:
        raise Refused("duplicate aggregates, or none")
    values = [_by_name("Series", vector, function) for function in functions]
    if not all(isinstance(value, (np.number, float, int)) and not isinstance(value, np.unsignedinteger) for value in values):
        raise Refused("aggregates that are not signed numbers")
    return values


@operation("Series.agg", "Series.aggregate")
@driving(lambda *args, **kwargs: True)
def agg(vector: Vector, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
    if axis not in (0, "index"):
        raise Refused(f"`axis={value_text(axis)}`")
    if isinstance(func, str):
        return columnwise.by_name(vector, func, 0, args, kwargs)
    if callable(func):
        return invoke(func, wrap(vector), *args, **kwargs)
    if args or kwargs:
        raise Refused("arguments of an aggregate")
    if not isinstance(func, list) or not all(isinstance(item, str) for item in func):
        raise Refused("a Python function as aggregate")
    return series_of(_values_by_name(vector, func), pandas.Index(func), vector.name)


@operation("DataFrame.agg", "DataFrame.aggregate")
@driving(lambda *args, **kwargs: True)
def frame_agg(frame: Frame, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
    if isinstance(func, str):
        return columnwise.by_name(frame, func, axis, args, kwargs)
    if callable(func) and axis in (0, "index"):
        return columnwise.whole_columns(frame, func, args, kwargs)
    if args or kwargs or axis not in (0, "index") or isinstance(frame.labels, pandas.MultiIndex):
        raise Refused(f"arguments of an aggregate, `axis={value_text(axis)}`, or MultiIndex columns")
    if isinstance(func, dict) and func and all(isinstance(item, str) for item in func.values()) and all(label in frame.labels for label in func):
        found = []
        for label, name in func.items():
            vector = frame.vector(frame.position(label))
            found.extend(_values_by_name(vector, [name]))
        return series_of(found, pandas.Index(list(func)), None)
    if not isinstance(func, list) or not all(isinstance(item, str) for item in func) or not frame.labels.is_unique or not frame.columns:
        raise Refused("a Python function as aggregate, duplicate column labels, or no columns")
    if any(types.is_nullable(column.dtype) for column in frame.columns):
        raise Refused("several aggregates of nullable columns")
    columns = [_values_by_name(frame.vector(at), func) for at in range(len(frame.columns))]
    made = BaseDataFrame({at: BaseSeries(column, index=pandas.Index(func)) for at, column in enumerate(columns)})
    made.columns = frame.labels
    return _ours(made)


def _pairs(frame: Frame, numeric_only: Any, *, finite: bool, ranks: bool = False) -> tuple[list[Expression], list[tuple[int, int]], pandas.Index]:
    """The columns of numbers of a frame, each two of them, and their labels."""
    if not isinstance(numeric_only, bool):
        raise Refused(f"`numeric_only={value_text(numeric_only)}` is not boolean")
    columns = [materialize.decided(column) for column in frame.columns]
    positions = [at for at, column in enumerate(columns) if not numeric_only or types.is_numeric(column.dtype)]
    if not positions:
        raise Refused("no columns of numbers")
    values = [elementwise.as_floats(columns[at]) for at in positions]
    return values, [(one, two) for one in range(len(values)) for two in range(one + 1)], frame.labels.take(positions)


@operation("DataFrame.cov")
def cov(frame: Frame, min_periods: Any = None, ddof: Any = 1, numeric_only: Any = False) -> Any:
    least = comoments.least_of(min_periods)
    if not isinstance(ddof, int) or isinstance(ddof, bool):
        raise Refused(f"`ddof={value_text(ddof)}` is not an integer")
    if numeric_only and any(getattr(materialize.decided(column).dtype, "kind", "") in "mM" for column in frame.columns):
        # pandas complains about them before it leaves them out.
        raise Refused("`cov` with timestamps or timedeltas, and `numeric_only=True`")
    values, wanted, labels = _pairs(frame, numeric_only, finite=False)
    found, count = comoments.together(frame.rows, values, wanted)
    complete = all(pair.many == count for pair in found)
    if complete and (count <= max(ddof, 1) or count < least):
        raise Refused("not more rows than `ddof` or `min_periods`")

    def covariance(pair: comoments.Pair) -> float:
        if not complete and (pair.many < least or pair.many < 2):
            return float("nan")
        return pair.both / (pair.many - (ddof if complete else 1))

    return _square(dict(zip(wanted, map(covariance, found), strict=True)), labels)


@operation("DataFrame.corr")
def corr(frame: Frame, method: Any = "pearson", min_periods: Any = 1, numeric_only: Any = False) -> Any:
    least = comoments.least_of(min_periods)
    if method not in ("pearson", "spearman"):
        raise Refused(f"`method={value_text(method)}` of `corr`")
    values, wanted, labels = _pairs(frame, numeric_only, finite=True)
    found, _ = comoments.together(frame.rows, values, wanted, finite=True, ranks=method == "spearman")
    correlations = [pair.correlation() if pair.many >= least else float("nan") for pair in found]
    return _square(dict(zip(wanted, correlations, strict=True)), labels)


def _square(values: dict[tuple[int, int], float], labels: pandas.Index) -> Any:
    made = np.empty((len(labels), len(labels)))
    for (one, two), value in values.items():
        made[one, two] = made[two, one] = value
    return _ours(BaseDataFrame(made, index=labels, columns=labels))
