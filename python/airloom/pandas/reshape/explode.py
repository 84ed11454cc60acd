"""A row for each element of lists: `explode`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
import pyarrow
from pandas._libs import reshape

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.relocate import in_memory
from airloom.pandas.algorithms.take import at_positions
from airloom.pandas.dispatch.registry import BaseSeries, operation
from airloom.pandas.dtypes import types
from airloom.pandas.internals import convert, materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Call, Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Index, RangeLabels, Vector, moved
from airloom.pandas.plan.rows import DataSlot, Exploded, MemoryRows, Rows, space_of
from airloom.pandas.refusals import Refused
from airloom.pandas.strings.methods import lists_of, whole


class _Lists:
    """Lists that the engine knows, and the dtype that their elements have."""

    def __init__(self, expression: Expression, dtype: Any) -> None:
        self.expression = expression
        self.dtype = dtype


@operation("Series.explode")
def explode(vector: Vector, ignore_index: Any = False) -> Vector:
    column = materialize.decided(vector.column)
    if column.dtype != types.OBJECT and isinstance(column.dtype, np.dtype):
        return Vector(vector.rows, column.copy(), vector.name, RangeLabels() if ignore_index else vector.index)
    vector = Vector(vector.rows, column, vector.name, vector.index)
    lists = _known_lists(vector)
    if lists is not None:
        slot = Slot("element")
        rows, _, index = moved(vector.rows, (), vector.index, lambda below: Exploded(below, {slot: lists.expression}), False)
        return Vector(rows, Column(Ref(slot), lists.dtype), vector.name, RangeLabels() if ignore_index else _repeated(index))
    vector = in_memory(vector)
    array = _array(vector.rows, vector.column)
    if array is not None and (len(array) or not isinstance(array, np.ndarray)):
        values, counts = _flattened(array)
    elif column.dtype == types.OBJECT:
        vector = materialize.restored_vector(vector)[1]
        return Vector(vector.rows, vector.column, vector.name, RangeLabels()) if ignore_index else vector
    else:
        count = space_of(vector.rows).count
        assert count is not None
        values, counts = None, np.ones(count, dtype=np.int64)
    labels = materialize.restored_index(vector.rows, vector.index)
    made = at_positions(vector, np.repeat(np.arange(len(labels)), counts), labels.repeat(counts))
    if ignore_index:
        made = Vector(made.rows, made.column, made.name, RangeLabels())
    return made if values is None else Vector(made.rows, _column(made.rows, values), made.name, made.index)


@operation("DataFrame.explode")
def explode_frame(frame: Frame, column: Any, ignore_index: Any = False) -> Frame:
    wanted = column if isinstance(column, list) else [column]
    if not wanted or not frame.labels.is_unique or not all(pandas.api.types.is_scalar(label) and label in frame.labels for label in wanted):
        raise Refused("keys that are not columns, or duplicate column labels")
    positions = [frame.position(label) for label in wanted]
    if len(set(positions)) != len(positions):
        raise Refused("duplicate columns")
    frame = frame.with_columns([materialize.decided(one) if at in positions else one for at, one in enumerate(frame.columns)])
    if all(_is_plain(frame.columns[position].dtype) for position in positions):
        return Frame(frame.rows, frame.columns, frame.labels, RangeLabels()) if ignore_index else frame
    lists = [_known_lists(frame.vector(position)) for position in positions]
    if all(one is not None for one in lists):
        return _by_engine(frame, positions, [one for one in lists if one is not None], bool(ignore_index))
    return _by_position(frame, positions, bool(ignore_index))


def _is_plain(dtype: Any) -> bool:
    """Whether values of a dtype are no lists."""
    return dtype != types.OBJECT and not (types.is_arrow(dtype) and pyarrow.types.is_nested(dtype.pyarrow_dtype))


def _by_engine(frame: Frame, positions: Sequence[int], lists: Sequence[_Lists], counted: bool) -> Frame:
    expressions = [one.expression for one in lists]
    if len(lists) > 1:
        lengths = [call("greatest", call("coalesce", call("list_len", one), whole(0)), whole(1)) for one in expressions]
        for length in lengths[1:]:
            if elementwise.any_row(frame.rows, call("ne", lengths[0], length)):
                raise Refused("lists of different lengths in one row")
        # What has no element has one that is missing.
        expressions = [_not_empty(one) for one in lists]
    slots = [Slot("element") for _ in positions]
    below = {slot: expression for slot, expression in zip(slots, expressions, strict=True)}
    rest = [column for at, column in enumerate(frame.columns) if at not in positions]
    rows, others, index = moved(frame.rows, rest, frame.index, lambda rows: Exploded(rows, below), True)
    made = iter(others)
    exploded = {position: Column(Ref(slot), one.dtype) for position, slot, one in zip(positions, slots, lists, strict=True)}
    columns = [exploded[at] if at in exploded else next(made) for at in range(len(frame.columns))]
    return Frame(rows, columns, frame.labels, RangeLabels() if counted else index)


def _not_empty(lists: _Lists) -> Expression:
    element = types.type_of(lists.dtype)
    assert element is not None
    found = call("cast", lists.expression, to=ir.optional(ir.list_(ir.optional(element))))
    none = call("list_of", Literal(None, element), element=ir.optional(element))
    return elementwise.select(call("is_true", call("gt", call("list_len", found), whole(0))), found, none)


def _by_position(frame: Frame, positions: Sequence[int], counted: bool) -> Frame:
    """Lists that pandas holds: their elements are taken out, and the rows beside them repeated."""
    frame = in_memory(frame)
    count = space_of(frame.rows).count
    assert count is not None
    values: dict[int, Any] = {}
    counts: Any = None
    for position in positions:
        array = _array(frame.rows, frame.columns[position])
        many = np.ones(count, dtype=np.int64)
        if array is not None and (len(array) or not isinstance(array, np.ndarray)):
            values[position], many = _flattened(array)
        if counts is not None and not np.array_equal(counts, many):
            raise Refused("lists of different lengths in one row")
        counts = many
    if not values:
        # No rows: what the engine would have known as lists are objects.
        frame = materialize.restored_frame(frame)[1]
        return Frame(frame.rows, frame.columns, frame.labels, RangeLabels()) if counted else frame
    repeated = np.repeat(np.arange(count), counts)
    rest = [at for at in range(len(frame.columns)) if at not in values]
    index = pandas.RangeIndex(len(repeated)) if counted else materialize.restored_index(frame.rows, frame.index).take(repeated)
    made = at_positions(frame.with_columns([frame.columns[at] for at in rest], frame.labels.take(rest)), repeated, index)
    beside = dict(zip(rest, made.columns, strict=True))
    columns = [beside[at] if at in beside else _column(made.rows, values[at]) for at in range(len(frame.columns))]
    return Frame(made.rows, columns, frame.labels, made.index)


def _array(rows: Rows, column: Column) -> Any:
    """The objects, or lists of Arrow's, that pandas holds of a column in memory; none of what is no such."""
    if _is_plain(column.dtype):
        return None
    held = materialize.standing(space_of(rows), column)
    if held is None:
        held = materialize.restored_vector(Vector(rows, column, None, RangeLabels()))[1].column.held
    if held is None:
        raise Refused(f"lists of dtype `{column.dtype}`")
    return held.array


def _flattened(array: Any) -> tuple[Any, Any]:
    """All elements one after the other, and how many rows there are of each value."""
    values, counts = array._explode() if not isinstance(array, np.ndarray) else reshape.explode(array)
    return values, np.asarray(counts, dtype=np.int64)


def _column(rows: Rows, values: Any) -> Column:
    """Elements as a column, of the dtype that pandas finds in them."""
    space = space_of(rows)
    assert isinstance(space, MemoryRows)
    array = BaseSeries(values, copy=False).array
    return captured_array(space, array.to_numpy() if isinstance(array, pandas.arrays.NumpyExtensionArray) else array, "element")


def _repeated(index: Index) -> Index:
    """Labels of repeated rows: never a range, and without a frequency."""
    assert isinstance(index, ColumnLabels)
    origin = index.origin
    if origin is not None and getattr(origin[0], "freq", None) is not None and not isinstance(origin[0], pandas.PeriodIndex):
        origin = (origin[0]._with_freq(None), origin[1])
    return ColumnLabels(index.columns, index.names, origin=origin)


def _known_lists(vector: Vector) -> _Lists | None:
    """The lists of a vector, where the engine knows them."""
    column = vector.column
    if types.is_arrow(column.dtype):
        return _arrow_lists(vector)
    lists = lists_of(vector)
    if lists is None:
        return None
    # Of nothing but missing values pandas makes objects.
    cut = lists.arguments[1] if isinstance(lists, Call) and lists.op == "str_split" else None
    text = lists.arguments[0] if isinstance(lists, Call) and isinstance(cut, Literal) and cut.value else None
    some = elementwise.negated(call("is_null", text)) if text is not None else call("is_true", call("gt", call("list_len", lists), whole(0)))
    if not elementwise.any_row(vector.rows, some):
        return None
    return _Lists(lists, types.STR)


def _arrow_lists(vector: Vector) -> _Lists | None:
    """Lists of Arrow's, of elements that the engine knows."""
    column = vector.column
    kind = column.dtype.pyarrow_dtype
    if not (pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind)) or column.held is None:
        return None
    dtype = pandas.ArrowDtype(kind.value_type)
    element, space, held = types.type_of(dtype), column.held.space, column.held
    if element is None or space is None or not isinstance(column.expression, Ref) or column.expression.slot is not space._position:
        return None
    slot = DataSlot("list", space, ir.optional(ir.list_(element)), None, lambda: convert.to_column(held.array, column.dtype))
    return _Lists(Ref(slot), dtype)
