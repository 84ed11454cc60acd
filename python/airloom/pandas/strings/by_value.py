"""Methods for text that the engine has no function for: pandas does them for each of few values once, and rows look up what it made."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.take import present
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dtypes import types
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.encoding import Code, encoded
from airloom.pandas.plan.expression import Ref, Slot, call
from airloom.pandas.plan.frame import Column, Frame, ObjectView, Vector
from airloom.pandas.plan.rows import DataSlot, LookupJoin, MemoryRows, space_of
from airloom.pandas.refusals import Refused

#: Methods whose result for a text depends on that text alone, and on which texts there are.
_ELEMENTWISE = frozenset(
    """contains match fullmatch replace count split rsplit partition rpartition extract find rfind index rindex slice slice_replace get startswith endswith
    removeprefix removesuffix strip lstrip rstrip pad ljust rjust center zfill repeat lower upper title capitalize swapcase casefold
    isalpha isalnum isdigit isdecimal isnumeric isspace islower isupper istitle isascii len""".split()
)
#: Arguments that no function of the user's is among.
_PLAIN = (str, int, float, bool, re.Pattern, type(None), type(pandas.NA), type(pandas.api.extensions.no_default))
#: Objects that may stand in several rows: nobody can write to them.
_FIXED = (str, bytes, bool, int, float, type(None), type(pandas.NA))


def by_value(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A method for text that is asked of pandas for each value where the engine cannot do it."""
    if name not in _ELEMENTWISE:
        return function

    @functools.wraps(function)
    def run(vector: Vector, *args: Any, **kwargs: Any) -> Any:
        try:
            return function(vector, *args, **kwargs)
        except Refused:
            try:
                found = _asked(vector, name, args, kwargs)
            except Refused:
                # pandas complains of these arguments, which it does to the user too.
                found = None
            if found is None:
                raise
            return found

    return run


def _asked(vector: Vector, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What pandas makes of each value, for every row; none where it is not asked."""
    if not all(isinstance(one, _PLAIN) for one in (*args, *kwargs.values())):
        return None
    column = elementwise.understood(materialize.decided(vector.column))
    code = _code_of(vector, column)
    if code is None:
        return None
    values = _values(column, code)
    model = BaseSeries(values, dtype=values.dtype)
    answer = ask_pandas(lambda: getattr(model.str, name)(*args, **kwargs))
    if not isinstance(answer, (BaseSeries, BaseDataFrame)) or len(answer) != len(model):
        return None
    made = [answer.iloc[:, at] for at in range(answer.shape[1])] if isinstance(answer, BaseDataFrame) else [answer]
    if not all(map(_can_be_shared, made)):
        return None
    space = MemoryRows(len(model))
    columns = [_column(space, one) for one in made]
    slots = [Slot("value") for _ in columns]
    position = call("cast", code.expression, to=ir.i64)
    looked = LookupJoin(vector.rows, [position], space, [Ref(space.position)], {slot: one.expression for slot, one in zip(slots, columns, strict=True)}, Slot("found"), any_of=False)
    shown = [present(one, Ref(slot)) if one.shown is None else one.at(Ref(slot)) for one, slot in zip(columns, slots, strict=True)]
    if isinstance(answer, BaseDataFrame):
        return Frame(looked, shown, answer.columns, vector.index)
    return Vector(looked, shown[0], vector.name, vector.index)


def _code_of(vector: Vector, column: Column) -> Code | None:
    """The codes of text of few values, where every one of these is in some row: what others have may decide about dtypes."""
    text = column.expression
    if not isinstance(text, Ref) or not isinstance(text.slot, DataSlot) or not text.slot.is_text or space_of(vector.rows) is not text.slot.space:
        return None
    if column.shown is None and (column.unsupported or not isinstance(column.dtype, pandas.StringDtype)):
        return None
    if column.shown is not None and type(column.shown) is not ObjectView:
        return None
    code = encoded(text.slot, as_key=True)
    return code if code is not None and code.encoding.missing else None


def _values(column: Column, code: Code) -> Any:
    """The values, and what is missing where any row has that."""
    values = [*code.encoding.values.to_pylist(), *([None] if code.weak else [])]
    if column.shown is None:
        return pandas.array(values, dtype=column.dtype)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    if code.weak:
        found[-1] = np.nan if column.shown.missing is ... else column.shown.missing
    return found


def _can_be_shared(answer: Any) -> bool:
    if answer.dtype != types.OBJECT:
        return types.type_of(answer.dtype) is not None and not types.is_category(answer.dtype)
    return all(isinstance(value, _FIXED) or (type(value) is tuple and all(isinstance(item, _FIXED) for item in value)) for value in answer)


def _column(space: MemoryRows, answer: Any) -> Column:
    """What pandas made of the values; text that it holds as objects as text."""
    array = answer.array
    # Text of pandas' own is a subclass, and stays what it is.
    made = captured_array(space, array.to_numpy() if type(array) is pandas.arrays.NumpyExtensionArray else array, "value")
    known = elementwise.understood(made)
    return known if known.shown is not None and types.is_text(known.shown.dtype) else made
