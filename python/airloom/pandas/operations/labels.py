"""Labels of rows: putting columns there, and taking them away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.api.extensions import no_default

from airloom.pandas.data import types
from airloom.pandas.face.dispatch import BaseDataFrame, operation
from airloom.pandas.operations.sorting import renumbered
from airloom.pandas.plan.frame import Column, Frame, Keys, Positions, Refused, Vector, label_columns


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
) -> Frame:
    if inplace or names is not None or allow_duplicates is not no_default or isinstance(frame.labels, pandas.MultiIndex) and not drop:
        raise Refused("in place, names, or columns of several levels")
    if level is not None:
        raise Refused("a level")
    if drop:
        return renumbered(frame)
    put = []
    names_ = frame.index.names
    if isinstance(frame.index, Keys) and frame.index.origin is None and len(names_) == 1 and frame.index.made is not None and frame.index.made.nlevels > 1:
        raise Refused("levels")
    for at, name in enumerate(names_):
        if name is None:
            name = ("index" if "index" not in frame.labels else "level_0") if len(names_) == 1 else f"level_{at}"
        if name in frame.labels or name in put:
            raise Refused("a level with the name of a column")
        put.append(name)
    columns: list[Column] = [*label_columns(frame.rows, frame.index), *frame.columns]
    labels = frame.labels
    for at, name in enumerate(put):
        labels = labels.insert(at, name)
    return Frame(frame.rows, columns, labels, Positions())


@operation("Series.reset_index")
def vector_reset_index(
    vector: Vector, level: Any = None, *, drop: bool = False, name: Any = no_default, inplace: bool = False, allow_duplicates: bool = False
) -> Any:
    if inplace or level is not None or allow_duplicates:
        raise Refused("in place, a level, or duplicates")
    if drop:
        return renumbered(vector)
    label = vector.name if name is no_default else name
    if name is no_default and label is None:
        label = 0
    return reset_index(Frame(vector.rows, (vector.column,), pandas.Index([label]), vector.index))


@operation("DataFrame.set_index")
def set_index(frame: Frame, keys: Any, *, drop: bool = True, append: bool = False, inplace: bool = False, verify_integrity: bool = False) -> Frame:
    if append or inplace or verify_integrity:
        raise Refused("appending, in place, or a check for duplicates")
    chosen = keys if isinstance(keys, list) else [keys]
    if isinstance(frame.labels, pandas.MultiIndex) or not chosen or not all(isinstance(key, (str, int, np.integer)) for key in chosen):
        raise Refused("keys that are no labels")
    if not all(key in frame.labels for key in chosen) or not frame.labels.is_unique:
        raise Refused("a label that is no column")
    places = [frame.place(key) for key in chosen]
    columns = [frame.columns[place] for place in places]
    # pandas makes a range of one column of whole numbers, where they are evenly spaced.
    numbers = len(columns) == 1 and columns[0].dtype == types.INT64
    index = Keys(columns, chosen, (frame.rows,) if numbers else (), numbers=numbers)
    if not drop:
        return Frame(frame.rows, frame.columns, frame.labels, index)
    kept = [at for at in range(len(frame.columns)) if at not in places]
    return Frame(frame.rows, [frame.columns[at] for at in kept], frame.labels.take(kept), index)


@operation("DataFrame.rename_axis", "Series.rename_axis")
def rename_axis(frame: Any, mapper: Any = no_default, *, index: Any = no_default, columns: Any = no_default, axis: Any = 0, inplace: bool = False) -> Any:
    if inplace or axis not in (0, "index") or index is not no_default or columns is not no_default:
        raise Refused("in place, or names of columns")
    if isinstance(mapper, dict) or callable(mapper) or mapper is no_default:
        raise Refused("a mapping of names")
    names = list(mapper) if isinstance(mapper, (list, tuple)) else [mapper]
    if len(names) != len(frame.index.names):
        raise Refused("as many names as levels")
    renamed = frame.index.renamed(names)
    return Frame(frame.rows, frame.columns, frame.labels, renamed) if isinstance(frame, Frame) else Vector(frame.rows, frame.column, frame.name, renamed)


@operation("DataFrame.add_prefix")
def add_prefix(frame: Frame, prefix: str, axis: Any = None) -> Frame:
    return _relabelled(frame, axis, lambda empty: BaseDataFrame.add_prefix(empty, prefix))


@operation("DataFrame.add_suffix")
def add_suffix(frame: Frame, suffix: str, axis: Any = None) -> Frame:
    return _relabelled(frame, axis, lambda empty: BaseDataFrame.add_suffix(empty, suffix))


def _relabelled(frame: Frame, axis: Any, change: Any) -> Frame:
    if axis not in (None, 1, "columns"):
        raise Refused("labels of rows")
    return frame.with_columns(frame.columns, change(BaseDataFrame(columns=frame.labels)).columns)


@operation("DataFrame.set_axis")
def set_axis(frame: Frame, labels: Any, *, axis: Any = 0, copy: Any = no_default) -> Frame:
    if copy is not no_default or axis not in (1, "columns"):
        raise Refused("labels of rows")
    made = pandas.core.indexes.base.ensure_index(labels)
    if len(made) != len(frame.columns):
        raise Refused("labels that are not one for each column")
    return frame.with_columns(frame.columns, made)
