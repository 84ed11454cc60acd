"""Objects of Python beside timestamps or timedeltas: pandas adds them up one by one, and the results are objects too.

Objects of which few are different, as an array of offsets, are looked at once each: every row takes what its own object makes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas
from pandas.tseries.offsets import BaseOffset

from airloom import ir
from airloom.pandas.algorithms import literals
from airloom.pandas.algorithms.elementwise import select
from airloom.pandas.algorithms.prototypes import heard
from airloom.pandas.dispatch.registry import BaseSeries
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import convert
from airloom.pandas.ops import offsets
from airloom.pandas.plan.expression import Expression, Literal, Ref, call
from airloom.pandas.plan.frame import Column, DeferredDtype, ObjectView
from airloom.pandas.plan.rows import DataSlot, Rows
from airloom.pandas.refusals import Refused

#: Objects of more different values than these are pandas' to go through.
MOST = 16
_OPERATORS = frozenset(("add", "radd", "sub"))
_CODES = np.dtype(np.int8)


def are_timed(column: Column) -> bool:
    """Whether these are timestamps or timedeltas that NumPy holds, to which pandas adds objects one by one."""
    return not column.unsupported and (types.is_time(column.dtype) or types.is_duration(column.dtype))


def is_held(column: Any) -> bool:
    """Whether this is a column of objects of which nothing is known but where each stands."""
    return isinstance(column, Column) and column.by_position and column.dtype == types.OBJECT


def beside(op: str, column: Column, objects: Column, rows: Rows, by_value: Callable[[Any], Column], *, framed: bool) -> Column:
    """A column and objects beside it, row by row; `by_value` is what one object makes of the whole column."""
    space = objects.held.space
    if op not in _OPERATORS or space is None or not isinstance(objects.expression, Ref) or objects.expression.slot is not space._position:
        raise Refused("dtype `object` has no native type")
    codes, found = _distinct(objects.held.array)
    if not found:
        raise Refused("objects beside no timestamps or timedeltas")
    if len(codes) == 1 and not framed:
        # One object beside one value is no array to pandas.
        return by_value(found[0])
    which = Ref(DataSlot("which", space, ir.i8, None, lambda: convert.to_column(codes, _CODES)))
    made: Expression | None = None
    for code, value in enumerate(found):
        one = taken(column, value, by_value)
        made = one if made is None else select(call("eq", which, Literal(code, ir.i8)), one, made)
    assert made is not None
    if not framed:
        warn(column)
    return Column(made, types.OBJECT, shown=ObjectView(column.dtype))


def taken(column: Column, value: Any, by_value: Callable[[Any], Column]) -> Expression:
    """What one object makes of a column, which stands in the dtype of the column still."""
    _check(value)
    if value is pandas.NaT:
        return literals.missing(column.dtype)
    made = by_value(value)
    if not kinds.same(made.dtype, column.dtype):
        raise Refused(f"a value of type `{type(value).__name__}` that makes `{made.dtype}` of `{column.dtype}`")
    return made.expression


def _check(value: Any) -> None:
    known = isinstance(value, (BaseOffset, pandas.Timedelta)) or value is pandas.NaT
    if not known or offsets.is_warned_of(value):
        raise Refused(f"objects of type `{type(value).__name__}`")


def _distinct(array: Any) -> tuple[Any, list[Any]]:
    """Which of the different objects each one is, and these."""
    found: dict[Any, int] = {}
    values: list[Any] = []
    codes = np.empty(len(array), _CODES)
    for at, value in enumerate(array):
        _check(value)
        # Timedeltas are equal whatever they are counted in.
        key = type(value), value if value is not pandas.NaT else None, getattr(value, "unit", None)
        code = found.setdefault(key, len(values))
        if code == len(values):
            if code == MOST:
                raise Refused(f"more than {MOST} different objects")
            values.append(value)
        codes[at] = code
    if values and all(value is pandas.NaT for value in values):
        raise Refused("objects that are all missing")
    return codes, values


def warn(column: Column) -> None:
    """Warns as pandas does, which goes through objects one by one."""
    kind = pandas.DatetimeIndex(["2000-06-15"] * 2) if types.is_time(column.dtype) else pandas.TimedeltaIndex([0, 0])
    heard(lambda: BaseSeries(kind) + np.array([pandas.Timedelta(0)] * 2, object))


def of_row(op: str, columns: Sequence[Column], values: Sequence[Any], rows: Rows, by_value: Callable[[Column, Any], Column]) -> list[Column]:
    """Columns of timestamps or timedeltas and one object for each of them."""
    if op not in _OPERATORS or not columns or not all(map(are_timed, columns)) or not _are_one_array(columns) or not run.count(rows):
        raise Refused("a row of dtype `object`")
    there = [value for value in values if value is not pandas.NaT]
    if not there:
        raise Refused("objects that are all missing")
    made = [
        Column(taken(column, value, lambda one, column=column: by_value(column, one)), types.OBJECT, shown=ObjectView(column.dtype))  # type: ignore[misc]
        for column, value in zip(columns, values, strict=True)
    ]
    warn(columns[0])
    return made


def warn_of_frames(lefts: Sequence[Column], rights: Sequence[Column]) -> None:
    """Warns of the columns of two frames; refused where time stands beside objects in several arrays, of each of which pandas warns."""
    pairs = [(one, other) if are_timed(one) else (other, one) for one, other in zip(lefts, rights, strict=True) if are_timed(one) != are_timed(other) and (_is_object(one) or _is_object(other))]
    if not pairs:
        return
    if not (_are_one_array([one for one, _ in pairs]) and _are_one_array([other for _, other in pairs])):
        raise Refused("timestamps or timedeltas beside objects in several columns")
    warn(pairs[0][0])


def _is_object(column: Column) -> bool:
    return not isinstance(column.dtype, DeferredDtype) and column.dtype == types.OBJECT


def _are_one_array(columns: Sequence[Column]) -> bool:
    """Whether columns stand in one array of pandas'."""
    owners = [column.held if column.by_position else _owner(column.expression) for column in columns]
    return len(columns) == 1 or (owners[0] is not None and all(owners[0].stands_beside(owner) for owner in owners))


def _owner(expression: Expression) -> Any:
    slot = expression.slot if isinstance(expression, Ref) else None
    return slot.owner if isinstance(slot, DataSlot) else None


def between(left: Column, right: Column, made: Column, rows: Rows, *, framed: bool) -> Column:
    """The sum or difference of time and objects that are time too: objects themselves, but where they are one beside one."""
    plain = [one for one in (left, right) if one.shown is None]
    if plain and not framed:
        if run.count(rows) == 1:
            return made
        warn(plain[0])
    return Column(made.expression, types.OBJECT, shown=ObjectView(made.dtype))
