"""Labels of rows made of columns and arrays of any kind, and labels made columns again where pandas must say how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas
from pandas.api.extensions import no_default

from airloom.pandas.algorithms.by_key import columns_asked
from airloom.pandas.algorithms.prototypes import ask_pandas, heard
from airloom.pandas.algorithms.relocate import bare, in_memory
from airloom.pandas.algorithms.take import relabelled
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.calls import items_of
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.frame import Frame
from airloom.pandas.plan.rows import MemoryRows, space_of
from airloom.pandas.refusals import Refused


def set_labels(frame: Frame, keys: Any, drop: bool, append: bool, verify: Any) -> Frame:
    """`set_index` by keys of any kind: labels are made of the columns that are named, and of arrays as they are."""
    chosen = keys if isinstance(keys, list) else [keys]
    chosen = [items_of(key) if isinstance(key, Iterator) else key for key in chosen]
    frame = in_memory(frame)
    named = [key for key in chosen if not isinstance(key, (pandas.Index, BaseSeries, list)) and not hasattr(key, "__array__")]
    positions = [_position(frame, key) for key in named]
    index = materialize.restored_index(frame.rows, frame.index)
    model = BaseDataFrame({at: _values(frame, position, index) for at, position in enumerate(positions)}, index=index)
    model.columns = frame.labels.take(positions)
    model = adopted(model)
    # A name that is given twice is one column.
    once = adopted(ask_pandas(lambda: model.loc[:, ~model.columns.duplicated()]))
    options = {} if verify is no_default else {"verify_integrity": verify}
    made = heard(lambda: once.set_index(chosen, drop=False, append=append, **options))
    labelled = relabelled(frame, made.index)
    if not drop or not named:
        return labelled
    return columns_asked(labelled, lambda columns: columns.iloc[:, [at for at in range(len(frame.columns)) if at not in positions]])


def _position(frame: Frame, key: Any) -> int:
    try:
        found = frame.labels.get_loc(key)
    except (KeyError, TypeError, ValueError) as error:
        raise Refused("a key that is not a column") from error
    if not isinstance(found, int):
        raise Refused("duplicate column labels")
    return found


def _values(frame: Frame, position: int, index: pandas.Index) -> Any:
    """A column as a series with these labels: of an array, pandas would make something else of objects that are all of one kind."""
    array = materialize.restored_vector(frame.vector(position))[0].array
    return BaseSeries(array, index=index, dtype=array.dtype, copy=False)


def labels_as_columns(frame: Frame, level: Any, options: dict[str, Any]) -> Any:
    """`reset_index`, where pandas must say how columns are named and where labels of several levels go."""
    frame = in_memory(frame)
    empty = bare(frame)
    if empty is not None:
        return ask_pandas(lambda: empty.reset_index(level, **options))
    # One value read everywhere: only labels and their positions are asked for.
    index = materialize.restored_index(frame.rows, frame.index)
    zeros = np.broadcast_to(np.zeros(1, np.int8), (len(index), len(frame.columns)))
    model = adopted(BaseDataFrame(zeros, index=index, columns=frame.labels, copy=False))
    made = ask_pandas(lambda: model.reset_index(level, **options))
    count = len(made.columns) - len(frame.columns)
    labelled = relabelled(frame, made.index)
    space = space_of(labelled.rows)
    assert isinstance(space, MemoryRows)
    put = [captured_array(space, _array(made.iloc[:, at]), "label") for at in range(count)]
    return Frame(labelled.rows, [*put, *labelled.columns], made.columns, labelled.index)


def _array(series: Any) -> Any:
    values = series.array
    return values.to_numpy() if type(values) is pandas.arrays.NumpyExtensionArray else values
