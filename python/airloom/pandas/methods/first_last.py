"""Where values stand: the first and the last that are there, those that were there before; the order of values, the most frequent ones, and their codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.relocate import in_memory
from airloom.pandas.algorithms.sorting import sort_key
from airloom.pandas.algorithms.take import at_positions, row
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.registry import OPERATIONS, BaseDataFrame, BaseSeries, operation
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import convert, materialize
from airloom.pandas.plan.expression import Expression, Literal, Over, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, Frame, Vector, evaluate_windows, is_data
from airloom.pandas.plan.rows import Distinct, Filtered, LookupJoin, Sliced, Sorted, space_of
from airloom.pandas.refusals import Refused, value_text


def _there(plan: Any) -> Expression:
    """Whether any value of a row is there."""
    columns = plan.columns if isinstance(plan, Frame) else (plan.column,)
    made: Expression = elementwise.FALSE
    for column in columns:
        there = elementwise.negated(elementwise.missing(materialize.decided(column)))
        made = there if made is elementwise.FALSE else elementwise.either(made, there)
    return made


def _register_valid(name: str, op: str) -> None:
    @operation(f"Series.{name}", f"DataFrame.{name}")
    def find(plan: Any) -> Any:
        position = Ref(space_of(plan.rows).position)
        rows, (there,) = evaluate_windows(plan.rows, [Column(_there(plan), types.BOOL)])
        kept = Sliced(Filtered(rows, there.expression), 0 if op == "min" else -1, 1)
        table = run.table(kept, {"position": position})
        found = int(table.numpy("position", "int64")[0]) if table.num_rows else None
        return None if found is None else materialize.restored_index(plan.rows, plan.index)[found]


_register_valid("first_valid_index", "min")
_register_valid("last_valid_index", "max")


@operation("Series.argsort")
def argsort(vector: Vector, axis: Any = 0, kind: Any = "quicksort", order: Any = None, stable: Any = None) -> Vector:
    column = materialize.decided(vector.column)
    if axis not in (0, -1, "index") or kind not in ("mergesort", "stable") or order is not None or stable is not None:
        raise Refused(f"`axis={value_text(axis)}`, `kind={value_text(kind)}`, `order` or `stable`: use `kind='stable'`")
    if column.unsupported or types.is_category(column.dtype) or types.is_arrow(column.dtype) or types.is_nullable_text(column.dtype):
        raise Refused(f"`argsort` of dtype `{column.dtype}`")
    return vector.with_column(Over(fold("argsort", sort_key(column), by=["asc.last"])), types.INT64)


@operation("DataFrame.mode")
def mode(frame: Frame, axis: Any = 0, numeric_only: Any = False, dropna: Any = True) -> Any:
    if axis not in (0, "index") or not isinstance(numeric_only, bool) or not frame.columns or not run.count(frame.rows):
        raise Refused(f"`axis={value_text(axis)}`, or an empty frame")
    positions = [at for at, column in enumerate(frame.columns) if not numeric_only or types.is_numeric(materialize.decided(column).dtype)]
    if not positions:
        raise Refused("no columns of numbers")
    found = {}
    for at, position in enumerate(positions):
        made = OPERATIONS["Series"]["mode"](frame.vector(position), dropna=dropna)
        manager, _ = materialize.restored_vector(made)
        found[at] = BaseSeries._from_mgr(manager, manager.axes)
    together = BaseDataFrame(found)
    together.columns = frame.labels.take(positions)
    if together.empty:
        together.index = pandas.RangeIndex(0)
    return adopted(together)


@operation("Series.factorize", "pandas.factorize")
def factorize(vector: Vector, sort: Any = False, use_na_sentinel: Any = True) -> Any:
    column = elementwise.known(vector.column)
    if not isinstance(sort, bool) or use_na_sentinel is not True:
        raise Refused(f"`sort={value_text(sort)}`, or `use_na_sentinel={value_text(use_na_sentinel)}`")
    if types.is_category(column.dtype) or types.is_nullable(column.dtype) or not run.count(vector.rows):
        raise Refused(f"`factorize` of dtype `{column.dtype}`, or of no values")
    if types.is_text(column.dtype) and is_data(column):
        raise Refused("`factorize` of strings in memory, which Arrow does")
    rows, (value,) = evaluate_windows(vector.rows, [column])
    gone = elementwise.missing(value)
    kept = rows if isinstance(gone, Literal) else Filtered(rows, elementwise.negated(gone))
    once: Any = Distinct(kept, [value.expression], "first")
    if sort:
        once = Sorted(once, [sort_key(value)], ["asc.last"])
    position, found = Slot("position"), Slot("found")
    looked = LookupJoin(rows, [value.expression], once, [value.expression], {position: Ref(once.position)}, found, any_of=False)
    codes, uniques = run.run([(looked, {"code": call("coalesce", Ref(position), Literal(-1, ir.i64))}), (once, {"value": value.expression})])
    values = convert.to_array(uniques, "value", value.dtype)
    return codes.numpy("code", "int64"), pandas.Index(values, dtype=value.dtype, copy=False)


@operation("DataFrame.asof", "Series.asof")
def asof(plan: Any, where: Any, subset: Any = None) -> Any:
    several = pandas.api.types.is_list_like(where)
    if isinstance(where, str):
        where = pandas.Timestamp(where)
    plan = in_memory(plan)
    index = materialize.restored_index(plan.rows, plan.index)
    strange = isinstance(index, (pandas.PeriodIndex, pandas.MultiIndex)) or (isinstance(plan, Vector) and subset is not None)
    if strange or not len(index) or not index.is_monotonic_increasing:
        raise Refused("an index that is not sorted, is empty, or is a MultiIndex")
    missing = _any_missing(plan, subset)
    table = run.table(plan.rows, {"there": elementwise.negated(missing)})
    there = table.numpy("there", "bool")
    if not there.any():
        raise Refused("missing values only")
    sought = ask_pandas(lambda: where if isinstance(where, pandas.Index) else pandas.Index(where) if several else pandas.Index([where]))
    positions = ask_pandas(lambda: index.asof_locs(sought, there))
    if not several:
        return _single(plan, int(positions[0]), where, index)
    if (positions < 0).any() and not all(_takes_nan(column) for column in (plan.columns if isinstance(plan, Frame) else (plan.column,))):
        raise Refused("rows before the first, of a dtype without missing values")
    return at_positions(plan, positions, sought)


def _single(plan: Any, position: int, where: Any, index: pandas.Index) -> Any:
    if position < 0:
        raise Refused("a row before the first")
    found = row(plan, position)
    if isinstance(plan, Vector):
        return found
    return found.rename(ask_pandas(lambda: pandas.Index([where]))[0])


def _any_missing(plan: Any, subset: Any) -> Expression:
    columns: Sequence[Column]
    if isinstance(plan, Vector):
        columns = (plan.column,)
    elif subset is None:
        columns = plan.columns
    else:
        labels = subset if isinstance(subset, list) else [subset]
        if not all(label in plan.labels for label in labels) or not plan.labels.is_unique:
            raise Refused("`subset` with labels that are not columns, or duplicate column labels")
        columns = [plan.column(label) for label in labels]
    made: Expression = elementwise.FALSE
    for column in columns:
        gone = elementwise.missing(materialize.decided(column))
        if not isinstance(gone, Literal):
            made = gone if made is elementwise.FALSE else elementwise.either(made, gone)
    return made


def _takes_nan(column: Column) -> bool:
    dtype = materialize.decided(column).dtype
    return types.is_float(dtype) or types.is_text(dtype) or types.is_time(dtype) or types.is_duration(dtype)
