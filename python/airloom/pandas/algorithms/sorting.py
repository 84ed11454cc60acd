"""The order of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
from pandas import Index
from pandas.api.extensions import ExtensionArray

from airloom.pandas.algorithms.align import aligned, array_column
from airloom.pandas.algorithms.by_key import columns_asked
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.take import rearranged
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.calls import invoke, recorded
from airloom.pandas.dispatch.registry import BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plain, plan_of, wrap
from airloom.pandas.dtypes import types
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, RangeLabels, Vector, evaluate_windows, label_columns
from airloom.pandas.plan.rows import Rows, Sorted
from airloom.pandas.refusals import Refused, value_text


def sort_key(column: Column) -> Expression:
    """What rows are sorted by: missing is null, so that it goes where `na_position` says."""
    from airloom.pandas.algorithms import elementwise

    column = elementwise.ordered(elementwise.understood(materialize.decided(column)).unwrapped())
    if column.unsupported:
        raise Refused(f"sorting by dtype `{column.dtype}`, which has no native type")
    if types.is_float(column.dtype):
        return call("nan_to_null", column.expression)
    if types.is_category(column.dtype):
        width = types.type_of(column.dtype)
        assert width is not None
        return call("select", call("lt", column.expression, Literal(0, width)), Literal(None, width), column.expression)
    return column.expression


def words(ascending: Any, count: int, na_position: str) -> list[str]:
    """The direction of each key, as the graph says it."""
    if na_position not in ("first", "last"):
        raise Refused(f"`na_position={value_text(na_position)}`")
    given = list(ascending) if isinstance(ascending, (list, tuple, np.ndarray)) else [ascending] * count
    if len(given) != count or not all(isinstance(item, (bool, np.bool_, int)) for item in given):
        raise Refused("`ascending` is not one boolean for each key")
    return [f"{'asc' if item else 'desc'}.{na_position}" for item in given]


def sorted_by(frame: Any, keys: Sequence[Column], by: Sequence[str], limit: int | None = None, *, by_array: bool = False) -> Any:
    """A frame or a vector in the order of keys over its rows."""
    parts = [sort_key(key) for key in keys]
    dtype = materialize.decided(keys[0]).dtype
    if len(keys) == 1 and types.is_arrow(dtype) and dtype.kind == "f":
        # NaN, which is a value among Arrow's floats, stands beside what is missing, but only where it is the one key.
        parts, by = [call("is_nan", parts[0]), *parts], ["desc.first" if by[0].endswith("first") else "asc.last", *by]
    base, settled = evaluate_windows(frame.rows, [Column(part, None) for part in parts])
    moved = _over(frame, base)
    return moved.moved(lambda rows: Sorted(rows, [key.expression for key in settled], by, limit, by_array=by_array))


def _over(frame: Any, rows: Rows) -> Any:
    if isinstance(frame, Frame):
        return frame.with_columns(frame.columns, rows=rows)
    return Vector(rows, frame.column, frame.name, frame.index)


def renumbered(frame: Any) -> Any:
    """The same rows with labels that count them."""
    if isinstance(frame, Frame):
        return Frame(frame.rows, frame.columns, frame.labels, RangeLabels())
    return Vector(frame.rows, frame.column, frame.name, RangeLabels())


def by_columns(frame: Frame, by: Any) -> list[Column]:
    """The columns of labels, or the levels of the index of these names."""
    labels = list(by) if isinstance(by, list) else [by]
    found = []
    for label in labels:
        if label in frame.labels:
            if label in [name for name in frame.index.names if name is not None]:
                raise Refused(f"{value_text(label)} is both a column and an index level")
            found.append(frame.column(label))
        elif label is not None and label in frame.index.names:
            found.append(label_columns(frame.rows, frame.index)[list(frame.index.names).index(label)])
        else:
            raise Refused(f"{value_text(label)} is not a column")
    return found


@operation("DataFrame.sort_values")
def sort_values(
    frame: Frame,
    by: Any,
    *,
    axis: Any = 0,
    ascending: Any = True,
    inplace: bool = False,
    kind: str = "quicksort",
    na_position: str = "last",
    ignore_index: bool = False,
    key: Any = None,
) -> Frame:
    if axis not in (0, "index", 1, "columns") or inplace:
        raise Refused(f"`axis={value_text(axis)}`, or `inplace=True`")
    if axis in (1, "columns"):
        return _columns_by_rows(frame, by, {"ascending": ascending, "kind": kind, "na_position": na_position}, ignore_index, key)
    keys = by_columns(frame, by)
    if not keys:
        raise Refused("an empty `by`")
    if key is not None:
        frame, keys = _by_key(frame, keys, list(by) if isinstance(by, list) else [by], key)
    by_words = words(ascending, len(keys), na_position)
    if len(keys) > 1 and na_position == "first":
        keys = [_before_all(materialize.decided(key), word) for key, word in zip(keys, by_words, strict=True)]
    made = sorted_by(frame, keys, by_words)
    return renumbered(made) if ignore_index else made


def _by_key(plan: Any, keys: Sequence[Column], names: Sequence[Any], key: Any) -> tuple[Any, list[Column]]:
    """What a function makes of the keys, in their place, and the plan over rows in which it can be seen."""
    rows, made = plan.rows, []
    for column, name in zip(keys, names, strict=True):
        given = Vector(plan.rows, column, name, plan.index)
        given.recipe = plan.recipe if isinstance(plan, Vector) else plan.vector(plan.position(name)).recipe if name in plan.labels else None
        found = invoke(key, wrap(given))
        if isinstance(found, BaseSeries):
            rows, changed = aligned(rows, plan.index, plan_of(found))
        elif isinstance(found, (np.ndarray, ExtensionArray, Index)):
            changed = array_column(rows, found.array if isinstance(found, Index) else found)
        else:
            raise Refused(f"a `key` function that returns a value of type `{type(found).__name__}`")
        made.append(changed)
    return _over(plan, rows), made


def _before_all(column: Column, word: str) -> Column:
    """A key among several, with missing ones first: pandas puts an infinity in place of NaN, and so does not tell the two apart."""
    if not types.is_float(column.dtype):
        return column
    type = types.type_of(column.dtype)
    assert type is not None
    edge = Literal(float("-inf") if word.startswith("asc") else float("inf"), type)
    return column.at(call("select", call("is_nan", column.expression), edge, column.expression))


def _columns_by_rows(frame: Frame, by: Any, options: dict[str, Any], ignore_index: bool, key: Any) -> Frame:
    """Columns in the order of values that some rows have: pandas says in which, given these rows alone."""
    labels = by if isinstance(by, list) else [by]
    if key is not None or not frame.columns or not labels or not all(isinstance(label, (str, int, np.integer)) for label in labels):
        raise Refused("`key`, or a `by` that is not of labels, with `axis=1`")
    try:
        rows = plain(wrap(frame).loc[labels])
    except KeyError as error:
        raise Refused("a `by` that is not in the index") from error
    if len(rows) != len(labels):
        raise Refused("duplicate index labels")
    rows.columns = range(len(frame.columns))
    order = np.asarray(ask_pandas(lambda: adopted(rows).sort_values(by, axis=1, **options)).columns, dtype=np.intp)
    chosen = pandas.RangeIndex(len(order)) if ignore_index else frame.labels.take(order)
    return frame.with_columns([frame.columns[at] for at in order], chosen)


@operation("Series.sort_values")
def vector_sort_values(
    vector: Vector,
    *,
    axis: Any = 0,
    ascending: Any = True,
    inplace: bool = False,
    kind: str = "quicksort",
    na_position: str = "last",
    ignore_index: bool = False,
    key: Any = None,
) -> Vector:
    if inplace or axis not in (0, "index"):
        raise Refused(f"`axis={value_text(axis)}`, or `inplace=True`")
    if materialize.decided(vector.column).dtype == types.OBJECT:
        raise Refused("sorting dtype `object`")
    keys = [vector.column]
    if key is not None:
        vector, keys = _by_key(vector, keys, [vector.name], key)
    made = sorted_by(vector, keys, words(ascending, 1, na_position), by_array=True)
    return renumbered(made) if ignore_index else made


@operation("DataFrame.sort_index", "Series.sort_index")
def sort_index(
    frame: Any,
    *,
    axis: Any = 0,
    level: Any = None,
    ascending: Any = True,
    inplace: bool = False,
    kind: str = "quicksort",
    na_position: str = "last",
    sort_remaining: bool = True,
    ignore_index: bool = False,
    key: Any = None,
) -> Any:
    if inplace:
        raise Refused("`inplace=True`")
    given = {"level": level, "ascending": ascending, "kind": kind, "na_position": na_position, "sort_remaining": sort_remaining, "ignore_index": ignore_index, "key": recorded(key)}
    if isinstance(frame, Frame) and axis in (1, "columns"):
        return columns_asked(frame, lambda model: model.sort_index(axis=1, **given))
    if axis not in (0, "index"):
        raise Refused(f"`axis={value_text(axis)}`")
    if key is not None or level is not None or _may_name_what_is_missing(frame.index) or _has_unsorted_levels(frame.index):
        return rearranged(frame, lambda series: series.sort_index(**given))
    if isinstance(frame.index, RangeLabels):
        rising = frame.index.step > 0
        if bool(ascending) == rising:
            return renumbered(frame) if ignore_index else frame
    elif frame.index.made is not None and frame.index.made.is_monotonic_increasing and ascending is True and frame.index.made.nlevels == 1:
        return renumbered(frame) if ignore_index else frame
    keys = label_columns(frame.rows, frame.index)
    made = sorted_by(frame, keys, words(ascending, len(keys), na_position))
    return renumbered(made) if ignore_index else made


def _has_unsorted_levels(index: Any) -> bool:
    """Whether the values of a level are known to stand in no order: pandas sorts them too, unless the labels are sorted already."""
    if not isinstance(index, ColumnLabels) or len(index.columns) < 2:
        return False
    known = index.made if index.made is not None else index.origin[0] if index.origin is not None else None
    return isinstance(known, pandas.MultiIndex) and not all(level.is_monotonic_increasing for level in known.levels)


def _may_name_what_is_missing(index: Any) -> bool:
    """Whether what is missing may be a value of a level, as of groups with `dropna=False`: it is sorted as the greatest one then, and not put last."""
    if not isinstance(index, ColumnLabels) or len(index.columns) < 2:
        return False
    if index.made is not None:
        return any(level.hasnans for level in index.made.levels)
    grouped = index.grouped if index.groups is None else index.groups[1].grouped
    return grouped is not None and not grouped[1]


def _extreme(frame: Any, keys: Sequence[Column], n: Any, keep: str, word: str) -> Any:
    if keep != "first" or not isinstance(n, (int, np.integer)) or n <= 0:
        raise Refused(f"`keep={value_text(keep)}`, or `n={value_text(n)}`")
    for key in keys:
        dtype = materialize.decided(key).dtype
        if types.is_bool(dtype) or getattr(dtype, "name", None) == "boolean" or not (types.is_number(dtype) or types.is_masked(dtype) or types.is_time(dtype) or types.is_duration(dtype)):
            raise Refused(f"`nlargest` and `nsmallest` of dtype `{dtype}`")
    return sorted_by(frame, keys, [word] * len(keys), int(n))


@operation("DataFrame.nlargest")
def nlargest(frame: Frame, n: int, columns: Any, keep: str = "first") -> Frame:
    return _extreme(frame, by_columns(frame, columns), n, keep, "desc.last")


@operation("DataFrame.nsmallest")
def nsmallest(frame: Frame, n: int, columns: Any, keep: str = "first") -> Frame:
    return _extreme(frame, by_columns(frame, columns), n, keep, "asc.last")


@operation("Series.nlargest")
def vector_nlargest(vector: Vector, n: int = 5, keep: str = "first") -> Vector:
    return _extreme(vector, [vector.column], n, keep, "desc.last")


@operation("Series.nsmallest")
def vector_nsmallest(vector: Vector, n: int = 5, keep: str = "first") -> Vector:
    return _extreme(vector, [vector.column], n, keep, "asc.last")
