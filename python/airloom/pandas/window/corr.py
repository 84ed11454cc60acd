"""What is made of two columns in windows: `cov` and `corr`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas
from pandas.api.types import is_bool_dtype

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.align import aligned, has_rows, united
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plan_of
from airloom.pandas.dtypes import types
from airloom.pandas.groupby.grouping import Grouping
from airloom.pandas.groupby.transform_rows import partition_of
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array, captured_levels
from airloom.pandas.ops.arithmetic import common_name
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, call
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Vector
from airloom.pandas.plan.rows import MemoryRows, Rows
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.window.bounds import Partition
from airloom.pandas.window.rolling import Moving, by_group

#: What is made of two columns of floats, null where either is missing, and the keys whose rows windows stay within.
Make = Callable[[Expression, Expression, Partition], Expression]
#: Frames of more columns have too many pairs.
MOST_COLUMNS = 24


@operation("Rolling.cov")
def cov(moving: Moving, other: Any = None, pairwise: Any = None, ddof: Any = 1, numeric_only: Any = False) -> Any:
    if not isinstance(ddof, int) or isinstance(ddof, bool) or not -(2**31) <= ddof < 2**31:
        raise Refused(f"`ddof={value_text(ddof)}` is not an integer")
    return paired(moving, other, pairwise, numeric_only, _in_windows(moving, {"ddof": ddof}))


@operation("Rolling.corr")
def corr(moving: Moving, other: Any = None, pairwise: Any = None, ddof: Any = 1, numeric_only: Any = False) -> Any:
    return paired(moving, other, pairwise, numeric_only, _in_windows(moving, {"scaled": True}))


def _in_windows(moving: Moving, how: dict[str, Any]) -> Make:
    attributes = {"min_count": max(1, moving.minimum), "reassoc": True, **how}

    def make(x: Expression, y: Expression, partition: Partition) -> Expression:
        positions = moving.bounds.positions(x, partition)
        return call("null_to_nan", Over(Fold("arr_windows_cov", (x, y, *positions), (), None, attributes), partition))

    return make


def paired(windows: Any, other: Any, pairwise: Any, numeric_only: Any, make: Make) -> Any:
    """The results of a column and another, of the columns of frames by their labels, or of every column and every other."""
    if not isinstance(numeric_only, bool) or not (pairwise is None or isinstance(pairwise, bool)):
        raise Refused("`pairwise` or `numeric_only` is not boolean")
    if windows.on is not None or windows.step is not None:
        raise Refused("pairs with `on` or `step`")
    plan = windows.plan
    if isinstance(plan, Grouping):
        return _of_groups(plan, other, pairwise, numeric_only, make)
    if other is not None and not isinstance(other, (BaseSeries, BaseDataFrame)):
        raise Refused(f"`other` of type `{type(other).__name__}`")
    first = _numbers(plan, numeric_only)
    second = first if other is None else plan_of(other)
    if isinstance(second, Frame) and other is not None and numeric_only:
        second = _numbers(second, numeric_only)
    if isinstance(first, Vector) and isinstance(second, Vector):
        return _pair(windows, first, second, make)
    if isinstance(first, Vector):
        first, second = second, first
    if not first.columns:
        raise Refused("no columns")
    if isinstance(second, Vector):
        rows, beside = _over(first, [second])
        return first.with_columns([_made(column, beside[0], make) for column in first.columns], rows=rows)
    if pairwise or (pairwise is None and other is None):
        return _every(first, second, make)
    return _by_label(first, second, make)


def _numbers(plan: Any, numeric_only: bool) -> Any:
    """A plan with its columns of numbers, where only those are wanted."""
    if not numeric_only:
        return plan
    columns = plan.columns if isinstance(plan, Frame) else (plan.column,)
    dtypes = [elementwise.known(column).dtype for column in columns]
    kept = [at for at, dtype in enumerate(dtypes) if types.is_numeric(dtype) and not is_bool_dtype(dtype)]
    if isinstance(plan, Frame):
        return plan.with_columns([columns[at] for at in kept], plan.labels.take(kept))
    if not kept:
        raise Refused("`numeric_only=True` on columns that are not numbers")
    return plan


def _pair(windows: Any, first: Vector, second: Vector, make: Make) -> Vector:
    """Two columns brought together by their labels."""
    try:
        rows, beside = aligned(first.rows, first.index, second)
    except Refused:
        if isinstance(windows, Moving) and windows.bounds.tied:
            raise Refused("different indexes with windows of one of them") from None
        one, two = united(first, second)
        if not all(materialize.restored_index(side.rows, side.index).is_unique for side in (first, second)):
            raise Refused("duplicate index labels, and different indexes") from None
        return Vector(one.rows, _made(one.column, two.column, make), common_name(first, second), one.index)
    return Vector(rows, _made(first.column, beside, make), common_name(first, second), first.index)


def _made(first: Column, second: Column, make: Make, partition: Partition = ()) -> Column:
    values = [elementwise.as_floats(column) for column in (first, second)]
    there = elementwise.both(*(call("is_finite", value) for value in values))
    x, y = (call("select", there, call("nan_to_null", value), Literal(None, ir.f64)) for value in values)
    return Column(make(x, y, partition), types.FLOAT64)


def _over(frame: Frame, others: Sequence[Vector]) -> tuple[Rows, list[Column]]:
    """Columns of the same labels over the rows of a frame."""
    rows, columns = frame.rows, []
    for other in others:
        rows, column = aligned(rows, frame.index, other)
        columns.append(column)
    return rows, columns


def _by_label(first: Frame, second: Frame, make: Make) -> Frame:
    """Columns of the same label; what stands on one side only has no results."""
    if second is first:
        return first.with_columns([_made(column, column, make) for column in first.columns])
    if not first.labels.is_unique or not second.labels.is_unique:
        raise Refused("duplicate column labels")
    labels = ask_pandas(lambda: first.labels.union(second.labels))
    shared = [label for label in labels if label in first.labels and label in second.labels]
    rows, beside = _over(first, [second.vector(second.position(label)) for label in shared])
    found = {label: _made(first.column(label), column, make) for label, column in zip(shared, beside, strict=True)}
    nothing = Column(Literal(float("nan"), ir.f64), types.FLOAT64)
    return Frame(rows, [found.get(label, nothing) for label in labels], labels, first.index)


def _every(first: Frame, second: Frame, make: Make) -> Frame:
    """Every column of one frame and every column of another."""
    if isinstance(first.index, ColumnLabels) and len(first.index.columns) > 1:
        raise Refused("`pairwise=True` with a MultiIndex")
    if not has_rows(first.rows):
        raise Refused("`pairwise=True` without rows")
    rows, beside = (first.rows, list(first.columns)) if second is first else _over(first, [second.vector(at) for at in range(len(second.columns))])
    columns = _products(first.columns, beside, make, second is first, ())
    return _crossed(Frame(rows, columns, pandas.RangeIndex(len(columns)), first.index), first.labels, second.labels)


def _products(first: Sequence[Column], second: Sequence[Column], make: Make, same: bool, partition: Partition) -> list[Column]:
    """The results of every pair, those of one column of the second after the other."""
    if not second or len(first) * len(second) > MOST_COLUMNS**2:
        raise Refused(f"no columns, or more than {MOST_COLUMNS**2} pairs")
    found: dict[tuple[int, int], Column] = {}
    for two in range(len(second)):
        for one in range(len(first)):
            # A pair goes together as it does the other way round.
            found[one, two] = found[two, one] if same and one < two else _made(first[one], second[two], make, partition)
    return [found[one, two] for two in range(len(second)) for one in range(len(first))]


def _crossed(frame: Frame, mine: pandas.Index, theirs: pandas.Index) -> Frame:
    """The results of pairs, for each row one row of each partner, the partners' labels beside those of the rows. They are computed now."""
    if isinstance(mine, pandas.MultiIndex) or isinstance(theirs, pandas.MultiIndex):
        raise Refused("MultiIndex columns")
    manager, _ = materialize.restored_frame(frame)
    index = _with_partners(manager.axes[1], theirs)
    space = MemoryRows(len(index))
    columns = []
    for one in range(len(mine)):
        found = [np.asarray(manager.iget_values(two * len(mine) + one)) for two in range(len(theirs))]
        columns.append(captured_array(space, np.stack(found, axis=1).reshape(-1), "value"))
    return Frame(space, columns, mine, captured_levels(space, index))


def _with_partners(index: pandas.Index, theirs: pandas.Index) -> pandas.MultiIndex:
    """Each label with each of the partners'."""
    names = [*index.names, *theirs.names]
    if not isinstance(index, pandas.MultiIndex):
        return pandas.MultiIndex.from_product([index, theirs], names=names)
    partners = pandas.MultiIndex.from_product([[0], theirs])
    codes = [*(np.repeat(code, len(theirs)) for code in index.codes), np.tile(partners.codes[1], len(index))]
    return pandas.MultiIndex([*index.levels, partners.levels[1]], codes, names=names, verify_integrity=False)


def _of_groups(groups: Grouping, other: Any, pairwise: Any, numeric_only: bool, make: Make) -> Any:
    if other is not None or numeric_only:
        raise Refused("`other` or `numeric_only` with groups")
    columns = [groups.frame.columns[position] for position in groups.positions]
    partition = partition_of(groups)
    if groups.vector:
        return by_group(groups, [_made(columns[0], columns[0], make, partition)], None)
    labels = groups.frame.labels.take(groups.positions)
    if pairwise is False or any(name in labels for name in groups.names):
        raise Refused("`pairwise=False`, or keys among the columns")
    if isinstance(groups.frame.index, ColumnLabels) and len(groups.frame.index.columns) > 1:
        raise Refused("`pairwise=True` with a MultiIndex")
    results = _products(columns, columns, make, True, partition)
    return _crossed(by_group(groups, results, pandas.RangeIndex(len(results))), labels, labels)
