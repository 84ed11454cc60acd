"""Labels of rows: putting columns there, and taking them away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.api.extensions import no_default

from airloom import ir
from airloom.pandas.algorithms.align import array_column, has_rows, vector_of
from airloom.pandas.algorithms.by_key import columns_asked
from airloom.pandas.algorithms.prototypes import ask_pandas, labelled, settled
from airloom.pandas.algorithms.relocate import in_memory, relocated
from airloom.pandas.algorithms.sorting import renumbered
from airloom.pandas.algorithms.take import gathered, rearranged, relabelled, row
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plain
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.indexes.from_columns import labels_as_columns, set_labels
from airloom.pandas.indexing.getitem import columns_at
from airloom.pandas.indexing.loc import taken
from airloom.pandas.internals import materialize
from airloom.pandas.ops import cast
from airloom.pandas.plan.expression import Literal, call
from airloom.pandas.plan.frame import Column, ColumnLabels, DeferredDtype, Frame, Index, RangeLabels, Vector, label_columns, together
from airloom.pandas.plan.rows import MemoryRows, Rows, space_of
from airloom.pandas.refusals import Refused, value_text


@operation("DataFrame.reset_index")
def reset_index(
    frame: Frame,
    level: Any = None,
    *,
    drop: bool = False,
    inplace: bool = False,
    col_level: Any = 0,
    col_fill: Any = "",
    allow_duplicates: Any = no_default,
    names: Any = None,
) -> Any:
    if inplace or not isinstance(drop, bool):
        raise Refused(f"`inplace=True`, or `drop={value_text(drop)}` is not boolean")
    try:
        return _reset(frame, level, drop, allow_duplicates is not no_default, names)
    except Refused:
        # pandas says what labels become.
        pass
    options = {"drop": drop, "col_level": col_level, "col_fill": col_fill, "names": names}
    return labels_as_columns(frame, level, options if allow_duplicates is no_default else {**options, "allow_duplicates": allow_duplicates})


def _reset(frame: Frame, level: Any, drop: bool, duplicates: bool, names: Any) -> Frame:
    if duplicates or isinstance(frame.labels, pandas.MultiIndex) and not drop:
        raise Refused("`allow_duplicates=True`, or MultiIndex columns")
    if isinstance(frame.index, ColumnLabels) and len(frame.index.names) == 1 and any(isinstance(one, pandas.MultiIndex) for one in (frame.index.made, *(frame.index.origin or ()))):
        raise Refused("a MultiIndex of one level")
    gone = _levels(frame.index, level)
    kept = [at for at in range(len(frame.index.names)) if at not in gone]
    index = _of_levels(frame, kept)
    if drop:
        return Frame(frame.rows, frame.columns, frame.labels, index)
    put = _put_names(frame, gone, names)
    keys = label_columns(frame.rows, frame.index)
    if any(_are_objects(keys[at]) for at in gone):
        raise Refused("index labels of dtype `object`, of which pandas infers another dtype")
    labels = frame.labels
    for at, name in enumerate(put):
        labels = labels.insert(at, name)
    return Frame(frame.rows, [*(keys[at] for at in gone), *frame.columns], labels, index)


def _are_objects(column: Column) -> bool:
    """Whether a column is of objects, or may turn out to be."""
    return (column.dtype.widened if isinstance(column.dtype, DeferredDtype) else column.dtype) == types.OBJECT


def _levels(index: Any, level: Any) -> list[int]:
    """The positions of levels, by number or by name, in the order in which they stand."""
    if level is None:
        return list(range(len(index.names)))
    found = set()
    for item in level if isinstance(level, (list, tuple)) else [level]:
        if item in index.names and list(index.names).count(item) == 1:
            found.add(list(index.names).index(item))
        elif isinstance(item, (int, np.integer)) and not isinstance(item, bool) and -len(index.names) <= item < len(index.names):
            found.add(int(item) % len(index.names))
        else:
            raise Refused(f"{value_text(item)} is not an index level")
    return sorted(found)


def _of_levels(frame: Any, kept: list[int]) -> Any:
    """The labels of some levels, in this order."""
    if not kept:
        return RangeLabels()
    index = frame.index
    if isinstance(index, RangeLabels):
        return index
    if len(kept) == 1 and len(index.columns) == 1:
        return index
    columns = [index.columns[at] for at in kept]
    made = None
    if index.made is not None:
        gone = [at for at in range(index.made.nlevels) if at not in kept]
        made = index.made.droplevel(gone) if gone else index.made
        if len(kept) > 1:
            made = made.reorder_levels([sorted(kept).index(at) for at in kept])
    # A level that counts is a range by itself, where it still does.
    steps = (*index.ranged, frame.rows) if kept == [index.counting] and made is None else ()
    return ColumnLabels(columns, [index.names[at] for at in kept], steps, made)


def _put_names(frame: Frame, gone: list[int], names: Any) -> list[Any]:
    """The labels under which levels become columns."""
    if names is not None:
        given = list(names) if isinstance(names, (list, tuple)) and len(frame.index.names) > 1 else [names] if isinstance(names, (str, int)) else None
        if given is None or len(given) != len(frame.index.names):
            raise Refused("`names` is not one name for each level")
        put = [given[at] for at in gone]
    else:
        put = []
        for at in gone:
            name = frame.index.names[at]
            if name is None:
                name = ("index" if "index" not in frame.labels else "level_0") if len(frame.index.names) == 1 else f"level_{at}"
            put.append(name)
    if any(name in frame.labels for name in put) or len(set(put)) != len(put):
        raise Refused("an index level with the name of a column")
    return put


@operation("Series.reset_index")
def vector_reset_index(
    vector: Vector, level: Any = None, *, drop: bool = False, name: Any = no_default, inplace: bool = False, allow_duplicates: bool = False
) -> Any:
    if inplace or allow_duplicates:
        raise Refused("`inplace=True`, or `allow_duplicates=True`")
    if drop:
        index = _of_levels(vector, [at for at in range(len(vector.index.names)) if at not in _levels(vector.index, level)])
        return Vector(vector.rows, vector.column, vector.name, index)
    label = vector.name if name is no_default else name
    if name is no_default and label is None:
        label = 0
    return reset_index(Frame(vector.rows, (vector.column,), pandas.Index([label]), vector.index), level)


@operation("DataFrame.set_index")
def set_index(frame: Frame, keys: Any, *, drop: bool = True, append: bool = False, inplace: bool = False, verify_integrity: Any = no_default) -> Frame:
    if inplace:
        raise Refused("`inplace=True`")
    try:
        return _set(frame, keys, drop, append, verify_integrity)
    except Refused:
        return set_labels(frame, keys, drop, append, verify_integrity)


def _set(frame: Frame, keys: Any, drop: bool, append: bool, verify_integrity: Any) -> Frame:
    if verify_integrity is not no_default:
        raise Refused("`verify_integrity`")
    chosen = keys if isinstance(keys, list) else [keys]
    if isinstance(frame.labels, pandas.MultiIndex) or not chosen or not frame.labels.is_unique:
        raise Refused("no keys, duplicate column labels, or MultiIndex columns")
    rows = frame.rows
    columns: list[Column] = []
    names: list[Any] = []
    positions: list[int] = []
    if append:
        if _may_count(frame.index):
            raise Refused("`append=True` to a `RangeIndex`")
        assert isinstance(frame.index, ColumnLabels)
        known = frame.index.made if frame.index.made is not None else frame.index.origin[0] if frame.index.origin is not None else None
        if getattr(known, "freq", None) is not None:
            raise Refused("`append=True` to an index with a frequency, which its level keeps")
        columns.extend(label_columns(frame.rows, frame.index))
        names.extend(frame.index.names)
    for key in chosen:
        vector = vector_of(key)
        if vector is not None:
            # Not by labels, but as the values stand.
            rows, column = _as_it_stands(rows, vector)
            columns.append(column)
            names.append(vector.name)
        elif isinstance(key, np.ndarray) and len(chosen) + append > 1:
            columns.append(array_column(rows, key))
            names.append(None)
        elif isinstance(key, (str, int, np.integer)) and key in frame.labels:
            positions.append(frame.position(key))
            columns.append(frame.columns[positions[-1]])
            names.append(key)
        else:
            raise Refused("a key that is not a column")
    if len(columns) > 1 and any(_are_objects(column) for column in columns):
        raise Refused("a level of dtype `object`, of which pandas infers another dtype")
    if len(columns) == 1:
        columns = [materialize.decided(columns[0])]
    # pandas makes a range of one column of integers, where they are evenly spaced.
    numbers = len(columns) == 1 and columns[0].dtype == types.INT64
    if len(columns) == 1 and types.is_integer(columns[0].dtype) and columns[0].dtype.kind == "i" and not numbers:
        raise Refused(f"an index of dtype `{columns[0].dtype}`, which is `int64` where it is a range")
    index = ColumnLabels(columns, names, (rows,) if numbers else (), numbers=numbers)
    if not drop:
        return Frame(rows, frame.columns, frame.labels, index)
    kept = [at for at in range(len(frame.columns)) if at not in positions]
    return Frame(rows, [frame.columns[at] for at in kept], frame.labels.take(kept), index)


def _may_count(index: Index) -> bool:
    """Whether labels, or a level of them, are a range, or may turn out to be one."""
    if isinstance(index, RangeLabels) or index.counting is not None or (index.made is None and index.ranged):
        return True
    known = index.made if index.made is not None else index.origin[0] if index.origin is not None else None
    levels = known.levels if isinstance(known, pandas.MultiIndex) else [known]
    return any(isinstance(level, pandas.RangeIndex) for level in levels)


def _as_it_stands(rows: Rows, vector: Vector) -> tuple[Rows, Column]:
    """The column of a vector beside rows, row for row and whatever its labels are."""
    over = together(rows, vector.rows)
    if over is not None:
        return over, vector.column
    base = space_of(rows)
    if not isinstance(base, MemoryRows) or space_of(vector.rows).count != base.count:
        raise Refused("a Series of another length")
    over, (column,) = gathered(rows, base, vector.rows, (vector.column,), None)
    return over, column


@operation("DataFrame.rename_axis")
def rename_axis(frame: Any, mapper: Any = no_default, *, index: Any = no_default, columns: Any = no_default, axis: Any = 0, inplace: bool = False) -> Any:
    if inplace:
        raise Refused("`inplace=True`")
    given = {name: value for name, value in (("index", index), ("columns", columns)) if value is not no_default}
    if mapper is not no_default:
        given.update(mapper=mapper, axis=axis)
    model = ask_pandas(lambda: labelled(settled(frame)).rename_axis(**given))
    renamed = frame.index.renamed(list(model.index.names))
    return Frame(frame.rows, frame.columns, model.columns, renamed)


@operation("Series.rename_axis")
def vector_rename_axis(vector: Any, mapper: Any = no_default, *, index: Any = no_default, axis: Any = 0, inplace: bool = False) -> Any:
    if inplace:
        raise Refused("`inplace=True`")
    given = {name: value for name, value in (("mapper", mapper), ("index", index)) if value is not no_default}
    model = ask_pandas(lambda: labelled(settled(vector)).rename_axis(**given, axis=axis))
    return Vector(vector.rows, vector.column, vector.name, vector.index.renamed(list(model.index.names)))


def _with_levels(frame: Any, kept: list[int]) -> Any:
    index = _of_levels(frame, kept)
    return Frame(frame.rows, frame.columns, frame.labels, index) if isinstance(frame, Frame) else Vector(frame.rows, frame.column, frame.name, index)


@operation("DataFrame.droplevel", "Series.droplevel")
def droplevel(frame: Any, level: Any, axis: Any = 0) -> Any:
    if isinstance(frame, Frame) and axis in (1, "columns"):
        return columns_asked(frame, lambda model: model.droplevel(level, axis=1))
    if axis not in (0, "index"):
        raise Refused(f"`axis={value_text(axis)}`")
    gone = _levels(frame.index, level)
    kept = [at for at in range(len(frame.index.names)) if at not in gone]
    if not kept:
        raise Refused("`level` with all levels")
    return _with_levels(frame, kept)


@operation("DataFrame.swaplevel", "Series.swaplevel")
def swaplevel(frame: Any, i: Any = -2, j: Any = -1, axis: Any = 0) -> Any:
    if isinstance(frame, Frame) and axis in (1, "columns"):
        return columns_asked(frame, lambda model: model.swaplevel(i, j, axis=1))
    if axis not in (0, "index") or len(frame.index.names) < 2:
        raise Refused(f"`axis={value_text(axis)}`, or an index of one level")
    (first,), (second,) = _levels(frame.index, [i]), _levels(frame.index, [j])
    order = list(range(len(frame.index.names)))
    order[first], order[second] = order[second], order[first]
    return _with_levels(frame, order)


@operation("DataFrame.reorder_levels", "Series.reorder_levels")
def reorder_levels(frame: Any, order: Any, axis: Any = 0) -> Any:
    if isinstance(frame, Frame) and axis in (1, "columns"):
        return columns_asked(frame, lambda model: model.reorder_levels(order, axis=1))
    if axis not in (0, "index") or not isinstance(order, (list, tuple)):
        raise Refused(f"`axis={value_text(axis)}`, or `order` is not a list")
    positions = [_levels(frame.index, [item])[0] for item in order]
    if sorted(positions) != list(range(len(frame.index.names))) or len(positions) < 2:
        raise Refused("`order` does not have every level once")
    return _with_levels(frame, positions)


@operation("DataFrame.take", "Series.take")
def take(frame: Any, indices: Any, axis: Any = 0, **kwargs: Any) -> Any:
    if kwargs or not isinstance(indices, (list, np.ndarray)):
        raise Refused("`indices` is not a list or an array")
    positions = np.asarray(indices)
    if positions.ndim != 1 or (len(positions) and positions.dtype.kind not in "iu"):
        raise Refused("`indices` is not a list of integers")
    if isinstance(frame, Frame) and axis in (1, "columns"):
        return ask_pandas(lambda: columns_at(frame, np.arange(len(frame.columns)).take(positions.astype(np.intp)).tolist()))
    if axis not in (0, "index"):
        raise Refused(f"`axis={value_text(axis)}`")
    return taken(frame, positions.astype(np.int64))


@operation("DataFrame.sample", "Series.sample")
def sample(
    frame: Any, n: Any = None, frac: Any = None, replace: bool = False, weights: Any = None, random_state: Any = None, axis: Any = None, ignore_index: bool = False
) -> Any:
    if weights is not None or axis not in (None, 0, "index"):
        raise Refused(f"`weights`, or `axis={value_text(axis)}`")
    # What cannot be taken is refused before anything is drawn.
    taken(frame.sliced(0, 0), np.empty(0, np.int64))
    series = BaseSeries(np.arange(run.count(frame.rows)))
    if n is not None and frac is not None or (frac is not None and frac > 1 and not replace) or (not replace and n is not None and n > len(series)) or (n or 0) < 0:
        raise Refused(f"`n={value_text(n)}`, or `frac={value_text(frac)}`")
    positions = series.sample(n=n, frac=frac, replace=replace, random_state=random_state).to_numpy()
    made = taken(frame, positions)
    return renumbered(made) if ignore_index else made


@operation("DataFrame.truncate", "Series.truncate")
def truncate(frame: Any, before: Any = None, after: Any = None, axis: Any = None, copy: Any = no_default) -> Any:
    if copy is not no_default:
        raise Refused("the `copy` argument")
    if isinstance(frame, Frame) and axis in (1, "columns"):
        return columns_asked(frame, lambda model: model.truncate(before, after, axis=1))
    return rearranged(frame, lambda series: series.truncate(before, after, axis))


@operation("DataFrame.xs", "Series.xs")
def xs(frame: Any, key: Any, axis: Any = 0, level: Any = None, drop_level: bool = True) -> Any:
    if isinstance(frame, Frame) and axis in (1, "columns"):
        return columns_asked(frame, lambda model: model.xs(key, axis=1, level=level, drop_level=drop_level))
    if isinstance(frame, Frame) and drop_level is not True:
        return relocated(frame, lambda model: model.xs(key, axis, level, drop_level))
    return rearranged(frame, lambda series: series.xs(key, axis, level, drop_level))


@operation("DataFrame.squeeze")
def squeeze(frame: Frame, axis: Any = None) -> Any:
    if len(frame.columns) == 1 and axis in (1, "columns"):
        return frame.vector(0)
    if run.count(frame.rows) == 1 and axis in (None, 0, "index"):
        if axis is None and len(frame.columns) == 1:
            return relocated(frame, lambda model: model.squeeze(axis))
        return row(frame, 0)
    if axis not in (None, 0, 1, "index", "columns"):
        raise Refused(f"`axis={value_text(axis)}`")
    return frame.vector(0) if len(frame.columns) == 1 and axis is None else frame


@operation("DataFrame.add_prefix", "Series.add_prefix")
def add_prefix(plan: Any, prefix: Any, axis: Any = None) -> Any:
    return _relabelled(plan, axis, prefix, "")


@operation("DataFrame.add_suffix", "Series.add_suffix")
def add_suffix(plan: Any, suffix: Any, axis: Any = None) -> Any:
    return _relabelled(plan, axis, "", suffix)


def _relabelled(plan: Any, axis: Any, prefix: Any, suffix: Any) -> Any:
    """A plan with something before and after each label: of columns, or of rows, which a series has only."""

    def changed(empty: Any) -> Any:
        return empty.rename(lambda label: f"{prefix}{label}{suffix}", axis=0)

    if axis in (0, "index") or (axis is None and isinstance(plan, Vector)):
        written = _written_labels(plan, f"{prefix}", f"{suffix}")
        if written is not None:
            return Frame(plan.rows, plan.columns, plan.labels, written) if isinstance(plan, Frame) else Vector(plan.rows, plan.column, plan.name, written)
        plan = in_memory(plan)
        return relabelled(plan, ask_pandas(lambda: changed(BaseDataFrame(index=materialize.restored_index(plan.rows, plan.index)))).index)
    if axis not in (None, 1, "columns") or isinstance(plan, Vector):
        raise Refused(f"`axis={value_text(axis)}`")
    return plan.with_columns(plan.columns, changed(BaseDataFrame(index=plan.labels)).index)


def _written_labels(plan: Any, prefix: str, suffix: str) -> ColumnLabels | None:
    """Labels of rows with text before and after them, which the engine writes; none where pandas must say what labels are as text."""
    if len(plan.index.names) > 1 or not has_rows(plan.rows):
        return None
    (key,) = (materialize.decided(column) for column in label_columns(plan.rows, plan.index))
    if key.unsupported or not (types.is_text(key.dtype) or types.is_integer(key.dtype) or types.is_bool(key.dtype) or key.dtype == types.FLOAT64):
        return None
    text = key.expression if types.is_text(key.dtype) else cast.written(key)
    if not types.is_integer(key.dtype) and not types.is_bool(key.dtype):
        # What is missing is written as Python writes it.
        text = call("coalesce", text, Literal("nan", ir.str_))
    return ColumnLabels([Column(call("str_concat", Literal(prefix, ir.str_), text, Literal(suffix, ir.str_)), types.STR)], plan.index.names)


@operation("DataFrame.set_axis", "Series.set_axis")
def set_axis(frame: Any, labels: Any, *, axis: Any = 0, copy: Any = no_default) -> Any:
    if copy is not no_default:
        raise Refused("the `copy` argument")
    made = pandas.core.indexes.base.ensure_index(plain(labels))
    if isinstance(frame, Frame) and axis in (1, "columns"):
        if len(made) != len(frame.columns):
            raise Refused(f"{len(made)} labels for {len(frame.columns)} columns")
        return frame.with_columns(frame.columns, made)
    if axis not in (0, "index"):
        raise Refused(f"`axis={value_text(axis)}`")
    return relabelled(frame, made)
