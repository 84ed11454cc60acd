"""Rows of groups by their positions, and the values of groups, each once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.core.arrays.categorical import factorize_from_iterable

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.relocate import in_memory
from airloom.pandas.algorithms.take import at_positions
from airloom.pandas.dispatch.registry import OPERATIONS, BaseSeries, operation
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.groupby.grouping import Grouping
from airloom.pandas.groupby.unobserved import grouper_of, observed
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Literal, call
from airloom.pandas.plan.frame import Vector
from airloom.pandas.reductions.value_counts import series_of
from airloom.pandas.refusals import Refused


def _check(groups: Grouping) -> None:
    if not groups.as_index or groups.whole or groups.spans is not None:
        raise Refused("`as_index=False`, unobserved categories or groups by time")


@operation("GroupBy.unique")
def unique(groups: Grouping) -> Any:
    _check(groups)
    if not groups.vector:
        raise Refused("`unique` of several columns")
    column = elementwise.known(groups.frame.columns[groups.positions[0]])
    # Of equal values the first stands for all, in the order in which they come.
    *keys, values = observed(groups, [column])
    grouper = grouper_of(groups, keys)
    labels, numbers = grouper.result_index, np.asarray(grouper.ids, np.int64)
    if not len(labels):
        raise Refused("no groups")
    order = np.argsort(numbers, kind="stable")
    ends = np.searchsorted(numbers[order], np.arange(len(labels) + 1))
    if types.is_time(column.dtype) or types.is_duration(column.dtype):
        values = BaseSeries(values, copy=False).array
    values = values[order]
    made = np.empty(len(labels), object)
    for at in range(len(labels)):
        made[at] = values[ends[at] : ends[at + 1]].copy()
    return series_of(made, labels, groups.selection)


@operation("GroupBy.take")
def take(groups: Grouping, indices: Any, **kwargs: Any) -> Any:
    _check(groups)
    wanted = np.asarray(indices)
    if kwargs or not isinstance(indices, (list, np.ndarray)) or wanted.ndim != 1 or not len(wanted) or wanted.dtype.kind != "i":
        raise Refused("`indices` is not a list of integers")
    if not groups.vector and groups.selection is None and not groups.exclusions:
        raise Refused("groups by keys that are not columns")
    numbers = OPERATIONS["GroupBy"]["ngroup"](groups)
    code = call("coalesce", call("cast", numbers.column.expression, to=ir.optional(ir.i64)), Literal(-1, ir.i64))
    codes = run.table(numbers.rows, {"code": code}).numpy("code", "int64")
    order = np.argsort(codes, kind="stable")[np.count_nonzero(codes < 0) :]
    if not len(order):
        raise Refused("no groups")
    counts = np.bincount(codes[order])
    if wanted.max() >= counts.min() or wanted.min() < -counts.min():
        raise Refused("a position is out of bounds of a group")
    begins = np.cumsum(counts) - counts
    within = np.where(wanted >= 0, wanted, counts[:, None] + wanted)
    positions = order[(begins[:, None] + within).reshape(-1)]
    frame = in_memory(groups.frame)
    index = materialize.restored_index(frame.rows, frame.index).take(positions)
    if groups.group_keys:
        index = _beneath(groups, index, np.repeat(np.arange(len(counts)), len(wanted)))
    if groups.vector:
        return at_positions(Vector(frame.rows, frame.columns[groups.positions[0]], groups.selection, frame.index), positions, index)
    return at_positions(frame.with_columns([frame.columns[at] for at in groups.positions], frame.labels.take(groups.positions)), positions, index)


def _beneath(groups: Grouping, index: pandas.Index, numbers: Any) -> pandas.MultiIndex:
    """Labels of rows with those of their groups before them."""
    labels = grouper_of(groups, observed(groups)).result_index
    several = isinstance(labels, pandas.MultiIndex)
    levels, codes = (list(labels.levels), [code[numbers] for code in labels.codes]) if several else ([labels.rename(None)], [numbers])
    if isinstance(index, pandas.MultiIndex):
        levels.extend(index.levels)
        codes.extend(index.codes)
    else:
        code, level = factorize_from_iterable(index)
        levels.append(level)
        codes.append(code)
    return pandas.MultiIndex(levels, codes, names=[*groups.names, *index.names], verify_integrity=False)
