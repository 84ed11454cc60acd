"""NumPy's functions of each value by NumPy's own loops.

The exponential and its like are rounded otherwise by every library, and all of NumPy's functions warn of what they cannot compute. Their operands are computed by the engine, in one program; NumPy
then makes the result of the arrays, at once, as pandas has it. It stands in memory, beside the rows of the operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from airloom.pandas.algorithms import literals
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dispatch.wrapping import is_ours, plain, plan_of, wrap
from airloom.pandas.dtypes import types
from airloom.pandas.internals import materialize, state
from airloom.pandas.internals.capture import captured_column
from airloom.pandas.internals.shared_array import SharedArray
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.index import Relation, relation
from airloom.pandas.plan.rows import MemoryRows, Rows, space_of
from airloom.pandas.refusals import Refused

#: Keywords that say how values are computed, and not where they are put.
_KEYWORDS = frozenset(("dtype", "casting"))
#: Methods that make one value of each.
_METHODS = frozenset(("__call__", "accumulate"))


def computed(ufunc: np.ufunc, method: str, inputs: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """What a function makes of its operands."""
    name = ufunc.__name__
    if method not in _METHODS:
        raise Refused(f"`{name}.{method}`")
    if not _KEYWORDS.issuperset(keywords):
        raise Refused(f"`{name}` with `{'`, `'.join(sorted(keywords.keys() - _KEYWORDS))}`")
    if ufunc.signature is not None or all("O" in loop for loop in ufunc.types):
        raise Refused(f"`{name}`, which is not computed for each number by itself")
    tables = [one for one in inputs if isinstance(one, (BaseDataFrame, BaseSeries))]
    if len({one.ndim for one in tables}) > 1:
        raise Refused("a DataFrame and a Series in a NumPy function")
    plans = [plan_of(one) for one in tables]
    for plan in plans:
        for column in plan.columns if isinstance(plan, Frame) else (plan.column,):
            _check(name, plan.rows, column)
    for other in inputs:
        if not isinstance(other, (BaseDataFrame, BaseSeries)) and not _is_plain(other, tables[0].ndim):
            raise Refused(f"`{name}` with a value of type `{type(other).__name__}`")
    first = plans[0]
    for plan in plans[1:]:
        if relation(first.rows, first.index, plan.rows, plan.index) not in (Relation.SAME, Relation.EQUAL):
            raise Refused("indexes not known to be equal")
        if isinstance(plan, Frame) and not plan.labels.equals(first.labels):
            raise Refused("DataFrames with other columns")
    lazy = [is_ours(one) and state.is_lazy(one) for one in tables]
    state.force_together(one for one in tables if is_ours(one))
    if not isinstance(space_of(first.rows), MemoryRows):
        # The rows are in memory now, by themselves.
        first = plan_of(tables[0])
    twins = iter([_twin(one, lately) for one, lately in zip(tables, lazy, strict=True)])
    operands = [next(twins) if isinstance(one, (BaseDataFrame, BaseSeries)) else one for one in inputs]
    try:
        made = getattr(ufunc, method)(*operands, **keywords)
    except Exception as error:
        raise Refused(f"`{name}`, which raises {type(error).__name__}") from error
    if isinstance(made, tuple):
        return tuple(wrap(_beside(first, one)) for one in made)
    return _beside(first, made)


def _check(name: str, rows: Rows, column: Column) -> None:
    """Refuses what is not numbers, and numbers of which NumPy would see more than the engine knows."""
    dtype = materialize.decided(column).dtype
    if types.is_number(dtype) or (isinstance(dtype, np.dtype) and dtype.kind in "fc"):
        return
    if types.is_masked(dtype) and materialize.standing(space_of(rows), column) is None:
        raise Refused(f"`{name}` of `{dtype}`: NumPy computes, and warns of, what stands under the mask")
    if not types.is_masked(dtype) and not (types.is_arrow(dtype) and dtype.kind in "biuf"):
        raise Refused(f"`{name}` of `{dtype}`")


def _is_plain(value: Any, ndim: int) -> bool:
    """Whether a value is a number or, beside a series, an array or a list of numbers."""
    if literals.is_number(value):
        return True
    if ndim == 1 and type(value) is list:
        return all(map(literals.is_number, value))
    return type(value) is np.ndarray and value.dtype.kind in "biuf" and value.ndim <= (1 if ndim == 1 else 0)


def _twin(value: Any, lately: bool) -> Any:
    """The same as an object of pandas' own class. Columns that were computed just now stand by themselves, where pandas has those of one dtype together and warns of them once."""
    made = plain(value)
    if lately and made.ndim == 2 and len(made._mgr.blocks) > 1:
        made = BaseDataFrame._from_mgr(made._mgr.consolidate(), made.axes)
    return made


def _beside(plan: Any, made: Any) -> Any:
    """What NumPy made of a frame or a vector, over its rows."""
    space = space_of(plan.rows)
    assert isinstance(space, MemoryRows)
    if not isinstance(made, (BaseDataFrame, BaseSeries)) or made.ndim != (2 if isinstance(plan, Frame) else 1) or len(made) != space.count:
        raise Refused("a result of another shape")
    manager = made._mgr
    if isinstance(plan, Vector):
        return Vector(space, captured_column(space, SharedArray(manager.blocks[0], 0), "value"), made.name, plan.index)
    columns = [
        captured_column(space, SharedArray(manager.blocks[number], position), str(label))
        for number, position, label in zip(manager.blknos.tolist(), manager.blklocs.tolist(), made.columns, strict=True)
    ]
    return Frame(space, columns, made.columns, plan.index)
