"""Rows as columns and columns as rows: `T`, `stack`, `unstack` and `pivot`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
from pandas._libs.internals import BlockPlacement
from pandas.api.extensions import ExtensionDtype, no_default
from pandas.core.dtypes.cast import find_common_type
from pandas.core.internals.blocks import new_block

from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.prototypes import ask_pandas, heard, one_row
from airloom.pandas.algorithms.relocate import FILLED, bare, coded, in_memory, rebuilt, sources
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_column, captured_index
from airloom.pandas.internals.shared_array import DeferredTake, SharedArray
from airloom.pandas.plan.expression import Expression, Ref
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.rows import DataSlot, MemoryRows, space_of
from airloom.pandas.refusals import Refused

#: At most this many rows become columns.
MOST_COLUMNS = 4096


@operation("DataFrame.transpose")
def transpose(frame: Frame, *args: Any, copy: Any = no_default) -> Frame:
    if args or copy is not no_default:
        raise Refused("further arguments, or the `copy` argument")
    frame = in_memory(frame)
    count = space_of(frame.rows).count
    if count is None or count > MOST_COLUMNS or not frame.columns:
        raise Refused(f"more than {MOST_COLUMNS} rows that become columns, or no columns")
    empty = bare(frame)
    if empty is not None:
        return ask_pandas(lambda: empty.T)
    turned = _turned(frame, count)
    if turned is not None:
        return turned
    dtypes = kinds.unequal(column.dtype for column in frame.columns)
    _check_sparse(dtypes)
    target = types.OBJECT if not dtypes else find_common_type(dtypes)
    if len(dtypes) > 1 and isinstance(target, ExtensionDtype):
        target = types.OBJECT
    return rebuilt(sources([frame]), ask_pandas(lambda: coded(frame).T), lambda at: target)


def _check_sparse(dtypes: Sequence[Any]) -> None:
    """Refuses sparse columns beside others: pandas warns of what becomes of their values."""
    if len(dtypes) > 1 and any(map(types.is_sparse, dtypes)):
        raise Refused("sparse columns beside others")


def _turned(frame: Frame, count: int) -> Frame | None:
    """The same values read the other way, where they are one block of NumPy's."""
    block = None
    for at, column in enumerate(frame.columns):
        slot = column.expression.slot if isinstance(column.expression, Ref) else None
        held = column.held if column.unsupported else slot.owner if isinstance(slot, DataSlot) else None
        if not isinstance(held, SharedArray) or isinstance(held, DeferredTake) or held._position != at or held._block.ndim != 2 or (block is not None and held._block is not block):
            return None
        if column.unsupported and slot is not space_of(frame.rows)._position:
            return None
        block = held._block
    if block is None or block.values.ndim != 2 or block.values.shape != (len(frame.columns), count) or not count:
        return None
    turned = new_block(block.values.T, BlockPlacement(slice(0, count)), ndim=2, refs=block.refs)
    space = MemoryRows(len(frame.columns))
    columns = [captured_column(space, SharedArray(turned, at), "values") for at in range(count)]
    return Frame(space, columns, materialize.restored_index(frame.rows, frame.index), captured_index(space, frame.labels))


@operation("DataFrame.stack")
def stack(frame: Frame, level: Any = -1, dropna: Any = no_default, sort: Any = no_default, future_stack: bool = True) -> Any:
    frame = in_memory(frame)
    _check_sparse(kinds.unequal(column.dtype for column in frame.columns))
    given: dict[str, Any] = {name: value for name, value in (("dropna", dropna), ("sort", sort)) if value is not no_default}
    given.update(level=level, future_stack=future_stack)
    empty = bare(frame)
    if empty is not None:
        return heard(lambda: empty.stack(**given))
    whole = given if future_stack else {**given, "dropna": False}
    codes = coded(frame)
    result = heard(lambda: codes.stack(**whole))
    target = _stacked_dtypes(frame, result, whole)
    made = rebuilt(sources([frame]), result, target)
    if future_stack or dropna is False:
        return made
    return _without_missing(made)


def _stacked_dtypes(frame: Frame, result: Any, given: dict[str, Any]) -> Any:
    """The dtypes of what is stacked, as pandas finds them for one row of each."""
    if len(kinds.unequal(column.dtype for column in frame.columns)) == 1 and not (_codes(result) < 0).any():
        kept = frame.columns[0].dtype
        return lambda at: kept
    if given["future_stack"] and not isinstance(frame.labels, pandas.MultiIndex) and _becomes_objects(frame):
        return lambda at: types.OBJECT
    model = _quietly(lambda: one_row(frame).stack(**given))
    dtypes = [model.dtype] if isinstance(model, BaseSeries) else list(model.dtypes)
    return lambda at: dtypes[at]


def _becomes_objects(frame: Frame) -> bool:
    """Whether columns of several dtypes are objects on the way to one. pandas takes those for text or timestamps where all that are not missing are such.

    One number is enough that they stay objects: `1.5` beside `"x"`, but not `nan` beside `"x"`.
    """
    if _quietly(lambda: one_row(frame)._values.dtype) != types.OBJECT:
        return False
    if not any(types.is_numeric(column.dtype) and _has_values(frame, column) for column in frame.columns):
        raise Refused("columns of several dtypes and no number, whose values decide the dtype")
    return True


def _has_values(frame: Frame, column: Column) -> bool:
    """Whether any value of a column is not missing. It is looked at now."""
    if not column.unsupported:
        return elementwise.any_row(frame.rows, elementwise.negated(elementwise.missing(column)))
    held = materialize.standing(space_of(frame.rows), column)
    if held is None:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    return not bool(held.missing.all())


def _codes(result: Any) -> Any:
    found = result.to_numpy()
    return np.where(np.isnan(found), -1, found) if found.dtype.kind == "f" else found


def _quietly(question: Any) -> Any:
    def ask() -> Any:
        warnings.simplefilter("ignore")
        return question()

    return ask_pandas(ask)


def _without_missing(made: Any) -> Any:
    """Without rows in which every value is missing."""
    columns = [elementwise.known(column) for column in (made.columns if isinstance(made, Frame) else (made.column,))]
    gone: Expression = elementwise.TRUE
    for column in columns:
        here = elementwise.missing(column)
        gone = here if gone is elementwise.TRUE else elementwise.both(gone, here)
    return made.filtered(elementwise.negated(gone))


@operation("DataFrame.unstack", "Series.unstack")
def unstack(plan: Any, level: Any = -1, fill_value: Any = None, sort: bool = True) -> Any:
    plan = in_memory(plan)
    empty = bare(plan)
    if empty is not None:
        return ask_pandas(lambda: empty.unstack(level, fill_value, sort))
    fills = fill_value is not None and not (literals.is_missing(fill_value) and fill_value is not pandas.NA)
    codes = coded(plan)
    result = ask_pandas(lambda: codes.unstack(level, FILLED if fills else None, sort))
    return _spread(plan, codes, result, fill_value if fills else None)


def _spread(plan: Any, codes: Any, result: Any, fill: Any) -> Any:
    """The values where pandas put their positions: where any is missing, all columns have a dtype in which one can be."""
    found = sources([plan])
    numbers = _codes(result)
    holes = bool((numbers < 0).any())
    if not len(codes) or not holes:
        dtypes = kinds.unequal(source.column.dtype for source in found)
        if len(dtypes) == 1:
            (one,) = dtypes
            return rebuilt(found, result, lambda at: one)
        return rebuilt(found, result)
    if fill is not None:
        # Where a value does not fit, pandas warns.
        if not all(elementwise.fits(fill, source.column.dtype) is not None for source in found):
            raise Refused("a `fill_value` of another dtype")
        return rebuilt(found, result, fill=fill)
    if isinstance(result, BaseSeries):
        return rebuilt(found, result)
    starts = np.array([source.start for source in found])
    return rebuilt(found, result, lambda at: _widened(found[int(np.searchsorted(starts, numbers[:, at].max(), side="right")) - 1].column))


def _widened(column: Column) -> Any:
    """The dtype of a column in which values may be missing."""
    dtype = column.dtype
    if types.is_integer(dtype):
        return types.FLOAT64
    return types.OBJECT if types.is_bool(dtype) else dtype


@operation("DataFrame.pivot", "pandas.pivot")
def pivot(frame: Frame, *, columns: Any, index: Any = no_default, values: Any = no_default) -> Any:
    frame = in_memory(frame)
    if isinstance(frame.labels, pandas.MultiIndex) or not frame.labels.is_unique:
        raise Refused("MultiIndex columns, or duplicate column labels")
    keys = [label for given in (columns, index) if given is not no_default for label in (given if isinstance(given, (list, tuple)) else [given])]
    if not keys or not all(_is_label(frame, label) for label in keys):
        raise Refused("keys that are not columns")
    chosen = [] if values is no_default else values if isinstance(values, list) else [values]
    if set(chosen) & set(keys):
        raise Refused("a column that is both key and value")
    if any(_is_label(frame, label) and frame.column(label).dtype == types.OBJECT for label in chosen):
        raise Refused("values of dtype `object`, of which pandas infers another dtype")
    given = {name: value for name, value in (("index", index), ("values", values)) if value is not no_default}
    empty = bare(frame)
    if empty is not None:
        return ask_pandas(lambda: empty.pivot(columns=columns, **given))
    if isinstance(values, list):
        frame = _alike(frame, values)
    codes = coded(frame)
    numbers = codes.to_numpy()
    arrays = {at: numbers[:, at] for at in range(len(frame.columns))}
    for label in dict.fromkeys(keys):
        position = frame.position(label)
        manager, _ = materialize.restored_vector(frame.vector(position))
        # As a series: of an array, pandas would make something else of objects that are all of one kind.
        arrays[position] = BaseSeries(manager.array, index=codes.index, dtype=manager.array.dtype, copy=False)
    model = BaseDataFrame(arrays, index=codes.index)
    model.columns = frame.labels
    turned = adopted(model)
    result = ask_pandas(lambda: turned.pivot(columns=columns, **given))
    return _spread(frame, codes, result, None)


def _alike(frame: Frame, values: list[Any]) -> Frame:
    """The frame with several values in the one dtype in which pandas brings them together."""
    if not all(_is_label(frame, label) for label in values):
        raise Refused("`values` with labels that are not columns")
    dtypes = kinds.unequal(frame.column(label).dtype for label in values)
    if len(dtypes) == 1 and isinstance(dtypes[0], np.dtype):
        return frame
    common = find_common_type(dtypes)
    if not types.is_number(common) or not all(types.is_number(dtype) for dtype in dtypes):
        raise Refused("values of different dtypes")
    columns = list(frame.columns)
    for label in values:
        position = frame.position(label)
        columns[position] = Column(literals.cast(columns[position].expression, columns[position].dtype, common), common)
    return frame.with_columns(columns)


def _is_label(frame: Frame, label: Any) -> bool:
    try:
        return label is not None and label in frame.labels
    except TypeError:
        return False


@operation("Series.transpose")
def vector_transpose(vector: Vector, *args: Any) -> Vector:
    if args:
        raise Refused("further arguments")
    return vector
