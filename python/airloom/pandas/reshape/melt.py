"""Columns as rows and values as columns: `melt`, `get_dummies`, `cut`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas import cut as pandas_cut
from pandas import get_dummies as pandas_get_dummies
from pandas.api.types import is_list_like

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals, prototypes
from airloom.pandas.algorithms.stack import stacked_column
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.registry import OPERATIONS, BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plain, wrap
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.ops.comparison import known as compared
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, Frame, RangeLabels, Vector
from airloom.pandas.plan.rows import Concatenated, Grouped, MemoryRows, Rows, space_of
from airloom.pandas.refusals import Refused, value_text

#: At most this many edges are compared one by one.
MOST_EDGES = 64
#: At most this many values become a column each.
MOST_VALUES = 512


@operation("DataFrame.melt", "pandas.melt")
def melt(
    frame: Frame, id_vars: Any = None, value_vars: Any = None, var_name: Any = None, value_name: Any = "value", col_level: Any = None, ignore_index: bool = True
) -> Frame:
    if col_level is not None or ignore_index is not True or isinstance(frame.labels, pandas.MultiIndex) or not frame.labels.is_unique:
        raise Refused("`col_level`, `ignore_index=False`, MultiIndex columns, or duplicate column labels")
    frame = prototypes.settled(frame)
    model = prototypes.ask_pandas(lambda: prototypes.one_row(frame).melt(id_vars, value_vars, var_name, value_name))
    ids = [] if id_vars is None else list(id_vars) if is_list_like(id_vars) else [id_vars]
    chosen = [label for label in frame.labels if label not in ids] if value_vars is None else list(value_vars) if is_list_like(value_vars) else [value_vars]
    if not chosen or len(model.columns) != len(ids) + 2 or not all(label in frame.labels for label in (*ids, *chosen)):
        raise Refused("no `value_vars`, or labels that are not columns")
    if any(label in ids for label in chosen):
        raise Refused("a column in both `id_vars` and `value_vars`")
    frame, dtype = _of_objects(frame, ids, chosen, model.dtypes.iloc[-1])
    slots = [Slot(str(label)) for label in model.columns]
    columns: list[Column] = []
    values: list[list[Expression]] = []
    for at, label in enumerate(ids):
        column, found = stacked_column([frame.column(label)] * len(chosen), frame.column(label).dtype, slots[at])
        columns.append(column)
        values.append(found)
    kind = model.dtypes.iloc[len(ids)]
    if types.type_of(kind) is None or types.is_category(kind):
        raise Refused(f"column labels of dtype `{kind}`")
    columns.append(Column(Ref(slots[-2]), kind))
    values.append([literals.literal(label, kind) for label in chosen])
    column, found = stacked_column([frame.column(label) for label in chosen], dtype, slots[-1])
    columns.append(column)
    values.append(found)
    rows = Concatenated(slots, [(frame.rows, [of_column[at] for of_column in values]) for at in range(len(chosen))])
    return Frame(rows, columns, model.columns, RangeLabels())


def _of_objects(frame: Frame, ids: list[Any], chosen: list[Any], dtype: Any) -> tuple[Frame, Any]:
    """The frame with objects that are all values of one dtype as such, and the dtype of all values: pandas makes a new frame of arrays, and looks into objects."""
    held = {label for label in (*ids, *chosen) if frame.column(label).dtype == types.OBJECT}
    if not held:
        return frame, dtype
    base = space_of(frame.rows)
    columns = list(frame.columns)
    for label in held:
        found = materialize.standing(base, frame.column(label))
        if found is None or not isinstance(base, MemoryRows):
            raise Refused("columns of dtype `object`, of which pandas infers another dtype")
        inferred = BaseDataFrame({0: found.array}, copy=False).iloc[:, 0]
        if inferred.dtype != types.OBJECT:
            columns[frame.position(label)] = captured_array(base, inferred.array, str(label))
    made = frame.with_columns(columns)
    if not held & set(chosen):
        return made, dtype
    dtypes = kinds.distinct(made.column(label).dtype for label in chosen)
    if len(chosen) > 1 and dtypes != [types.STR]:
        raise Refused("columns of dtype `object` beside others, of which pandas infers another dtype")
    return made, dtypes[0]


@operation("pandas.get_dummies")
def get_dummies(
    plan: Any, prefix: Any = None, prefix_sep: Any = "_", dummy_na: bool = False, columns: Any = None, sparse: bool = False, drop_first: bool = False, dtype: Any = None
) -> Frame:
    if sparse or not isinstance(dummy_na, bool):
        raise Refused(f"`sparse=True`, or `dummy_na={value_text(dummy_na)}` is not boolean")
    plan = prototypes.settled(plan)
    alone = isinstance(plan, Vector)
    frame = plan.framed("value" if plan.name is None else plan.name) if alone else plan
    if isinstance(frame.labels, pandas.MultiIndex) or not frame.labels.is_unique:
        raise Refused("MultiIndex columns, or duplicate column labels")
    if columns is not None and (alone or not isinstance(columns, list) or not all(label in frame.labels for label in columns)):
        raise Refused("`columns` with labels that are not columns")
    chosen = columns
    if chosen is None:
        chosen = [frame.labels[0]] if alone else [label for label in frame.labels if _is_encoded(frame.column(label).dtype)]
    levels = {label: _levels(frame.rows, frame.column(label)) for label in chosen}
    options = {"prefix": prefix, "prefix_sep": prefix_sep, "dummy_na": dummy_na, "columns": columns, "drop_first": drop_first, "dtype": dtype}
    if dummy_na and (not all(levels.values()) or any(column.unsupported or isinstance(column.dtype, pandas.ArrowDtype) for column in frame.columns)):
        raise Refused("`dummy_na=True` of columns without values")
    model = prototypes.ask_pandas(lambda: pandas_get_dummies(_sample(frame, levels, alone, plan.name if alone else None), **options))
    made = [] if alone else [column for label, column in zip(frame.labels, frame.columns, strict=True) if label not in levels]
    for label in chosen:
        column = frame.column(label)
        for at, level in enumerate(levels[label]):
            if at or not drop_first:
                found = _is_level(column, level, at)
                target = model.dtypes.iloc[len(made)]
                made.append(Column(found if types.is_bool(target) else literals.cast(found, types.BOOL, target), target))
        if dummy_na:
            target = model.dtypes.iloc[len(made)]
            gone = elementwise.missing(column)
            made.append(Column(gone if types.is_bool(target) else literals.cast(gone, types.BOOL, target), target))
    if len(made) != len(model.columns) or any(types.type_of(column.dtype) is None and not column.unsupported for column in made):
        raise Refused("indicator columns of another dtype")
    return Frame(frame.rows, made, model.columns, frame.index)


def _is_encoded(dtype: Any) -> bool:
    if dtype == types.OBJECT:
        raise Refused("dtype `object` has no native type")
    return isinstance(dtype, (pandas.StringDtype, pandas.CategoricalDtype))


def _levels(rows: Rows, column: Column) -> list[Any]:
    """The values that become columns: computed now."""
    if column.unsupported:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    if types.is_category(column.dtype):
        return list(column.dtype.categories)
    if not (types.is_text(column.dtype) or types.is_number(column.dtype)):
        raise Refused(f"`get_dummies` of dtype `{column.dtype}`")
    key = Slot("level")
    distinct = wrap(Vector(Grouped(rows, {key: column.expression}, {}), column.at(Ref(key)), None, RangeLabels()))
    levels = plain(distinct).dropna()
    if len(levels) > MOST_VALUES:
        raise Refused(f"more than {MOST_VALUES} different values")
    return list(levels.sort_values().array)


def _is_level(column: Column, level: Any, position: int) -> Expression:
    if types.is_category(column.dtype):
        width = types.type_of(column.dtype)
        assert width is not None
        return call("eq", column.expression, Literal(position, width))
    return compared("eq", column.expression, literals.literal(level, column.dtype)).expression


def _sample(frame: Frame, levels: dict[Any, list[Any]], alone: bool, name: Any) -> Any:
    """A frame of pandas in which every value that becomes a column stands once at least."""
    count = max([1, *map(len, levels.values())])
    columns = {}
    for at, (label, column) in enumerate(zip(frame.labels, frame.columns, strict=True)):
        if label in levels:
            found = [*levels[label], *([levels[label][0]] if levels[label] else [None]) * count][:count]
            columns[at] = BaseSeries(found, dtype=None if not levels[label] and types.is_number(column.dtype) else column.dtype)
        else:
            columns[at] = BaseSeries(prototypes.one(column.dtype)).reindex([0] * count).reset_index(drop=True)
    made = BaseDataFrame(columns)
    made.columns = frame.labels
    return adopted(prototypes.ask_pandas(lambda: made.iloc[:, 0].rename(name))) if alone else adopted(made)


@operation("pandas.cut")
def cut(
    vector: Vector,
    bins: Any,
    right: bool = True,
    labels: Any = None,
    retbins: bool = False,
    precision: int = 3,
    include_lowest: bool = False,
    duplicates: str = "raise",
    ordered: bool = True,
) -> Any:
    if retbins is True:
        made, edges = _cut(vector, bins, right, labels, precision, include_lowest, duplicates, ordered)
        return wrap(made), edges
    return _cut(vector, bins, right, labels, precision, include_lowest, duplicates, ordered)[0]


@operation("pandas.qcut")
def qcut(vector: Vector, q: Any, labels: Any = None, retbins: bool = False, precision: int = 3, duplicates: str = "raise") -> Any:
    if not isinstance(vector, Vector) or elementwise.known(vector.column).dtype not in (types.INT64, types.FLOAT64):
        raise Refused("`qcut` of dtypes other than `int64` and `float64`")
    if isinstance(q, (int, np.integer)) and not isinstance(q, bool) and q >= 1:
        shares = np.linspace(0, 1, q + 1)
        # As pandas has them: rounded up where a share is no fraction of two.
        shares = np.where(q * shares != np.arange(q + 1), np.nextafter(shares, 1), shares)
    elif is_list_like(q):
        shares = np.asarray(prototypes.ask_pandas(lambda: BaseSeries(list(q), dtype=np.float64)))
    else:
        raise Refused("`q` is neither an integer nor a list")
    held = materialize.standing(space_of(vector.rows), vector.column)
    if held is None:
        edges = OPERATIONS["Series"]["quantile"](vector, shares).to_numpy()
    else:
        # NumPy sorts what is in memory once for all shares; the engine looks for each by itself.
        edges = prototypes.ask_pandas(lambda: BaseSeries(held.array).dropna().quantile(shares)).to_numpy()
    if not np.isfinite(edges).all():
        raise Refused("`qcut` of no or infinite values")
    return cut(vector, edges, True, labels, retbins, precision, True, duplicates)


def _cut(vector: Vector, bins: Any, right: bool, labels: Any, precision: int, include_lowest: bool, duplicates: str, ordered: bool) -> tuple[Vector, Any]:
    if not isinstance(vector, Vector) or isinstance(bins, (str, pandas.IntervalIndex)):
        raise Refused("`bins` is an IntervalIndex")
    column = elementwise.known(vector.column)
    if not types.is_number(column.dtype) or types.is_bool(column.dtype):
        raise Refused(f"`cut` of dtype `{column.dtype}`")
    if is_list_like(bins):
        some = BaseSeries([], dtype=column.dtype)
    else:
        some = _extremes(vector.rows, column)
    given = {"right": right, "labels": labels, "precision": precision, "include_lowest": include_lowest, "duplicates": duplicates, "ordered": ordered}
    model, given_edges = prototypes.ask_pandas(lambda: pandas_cut(some, bins, retbins=True, **given))
    edges = np.asarray(given_edges)
    if edges.dtype.kind not in "iuf" or not 2 <= len(edges) <= MOST_EDGES:
        raise Refused(f"`bins` are not numbers, or more than {MOST_EDGES}")
    position, outside = _piece(column, edges, right, include_lowest)
    if labels is False:
        found = elementwise.widened(Column(call("cast", position, to=ir.i64), types.INT64), vector.rows, outside)
        return Vector(vector.rows, found, vector.name, vector.index), given_edges
    dtype = model.dtype
    if not types.is_category(dtype) or len(dtype.categories) != len(edges) - 1:
        raise Refused("duplicate `labels`")
    width = types.type_of(dtype)
    assert width is not None
    if isinstance(labels, (list, np.ndarray, pandas.Index)) and list(dtype.categories) != list(labels):
        raise Refused("`labels` in an order of their own")
    code = elementwise.select(outside, Literal(-1, width), call("cast", position, to=width, mode="wrap"))
    return Vector(vector.rows, Column(code, dtype), vector.name, vector.index), given_edges


def _extremes(rows: Rows, column: Column) -> Any:
    """The least and the greatest value, of which pandas makes edges."""
    value = call("nan_to_null", column.expression) if types.is_float(column.dtype) else column.expression
    low, high = (run.value(rows, fold(op, value)) for op in ("min", "max"))
    if low is None or high is None:
        raise Refused("`cut` of no values")
    return BaseSeries([low, high], dtype=column.dtype)


def _piece(column: Column, edges: Any, right: bool, include_lowest: bool) -> tuple[Expression, Expression]:
    """The number of the piece of each value, and whether it is in none."""
    common = np.result_type(column.dtype, edges.dtype)
    if common.kind not in "iuf" or (common.kind == "f" and common.itemsize < 8):
        common = types.FLOAT64
    value = literals.cast(column.expression, column.dtype, common)
    limits = [literals.number(edge, common) for edge in edges]
    # Values at an edge belong to the piece before it, or to the one after.
    op = "gt" if right else "ge"
    passed: Expression = Literal(-1, ir.i32)
    for limit in limits:
        passed = call("add", passed, call("cast", call(op, value, limit), to=ir.i32))
    if right and include_lowest:
        passed = elementwise.select(call("eq", value, limits[0]), Literal(0, ir.i32), passed)
    outside = elementwise.either(call("lt", passed, Literal(0, ir.i32)), call("ge", passed, Literal(len(edges) - 1, ir.i32)))
    if types.is_float(column.dtype):
        outside = elementwise.either(outside, call("is_nan", column.expression))
    return passed, outside

