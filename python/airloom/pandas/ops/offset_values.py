"""Timestamps moved by offsets that the engine has no arithmetic for: pandas moves each value once, and rows look up what it made.

pandas moves every row by itself, as Python objects; where timestamps stand in many rows each, as days do, that is most of its time.
"""

from __future__ import annotations

from typing import Any

import pandas
from pandas.tseries.offsets import BaseOffset, Tick

from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.prototypes import heard
from airloom.pandas.dispatch.registry import BaseSeries
from airloom.pandas.dtypes import types
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Ref, Slot
from airloom.pandas.plan.frame import Column, RangeLabels, Vector, evaluate_windows
from airloom.pandas.plan.rows import Distinct, Filtered, LookupJoin, MemoryRows, Rows
from airloom.pandas.refusals import Refused


def is_offset(value: Any) -> bool:
    """Whether a value is an offset of the calendar, and no plain timedelta."""
    return isinstance(value, BaseOffset) and not isinstance(value, Tick)


def moved(op: str, rows: Rows, column: Column, offset: Any) -> tuple[Rows, Column]:
    """A column of timestamps after an operator with an offset, and the rows that it is of."""
    known = elementwise.known(column)
    if op not in ("add", "radd", "sub") or not types.is_time(known.dtype) or types.is_arrow(known.dtype):
        raise Refused(f"`{op}` of `{known.dtype}` and a date offset")
    rows, (known,) = evaluate_windows(rows, [known])
    there = Filtered(rows, elementwise.negated(elementwise.missing(known)))
    values, _ = materialize.restored_vector(Vector(Distinct(there, [known.expression], "first"), known, None, RangeLabels()))
    found = BaseSeries(values.blocks[0].values)
    if not len(found):
        raise Refused("a date offset and no timestamps")
    answer = heard(lambda: getattr(found, f"__{op}__")(offset))
    if not isinstance(answer, BaseSeries) or not types.is_time(answer.dtype) or answer.isna().any():
        raise Refused(f"a date offset that makes `{answer.dtype}` of timestamps")
    space = MemoryRows(len(found))
    before, after = (captured_array(space, one.array if isinstance(one.dtype, pandas.DatetimeTZDtype) else one.to_numpy(), "value") for one in (found, answer))
    slot = Slot("moved")
    looked = LookupJoin(rows, [known.expression], space, [before.expression], {slot: after.expression}, Slot("found"), any_of=False)
    return looked, after.at(Ref(slot))
