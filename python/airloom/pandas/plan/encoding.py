"""Text of few values: which of them each row has.

Keys of text cost several times what keys of integers do, and a function of text need only be computed for each value once. A column in memory is looked at when a program
first groups, sorts or changes it; what is found is kept with it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute

from airloom import ir
from airloom._native import Column
from airloom.pandas.plan.expression import Expression, Literal, Ref, call
from airloom.pandas.plan.rows import DataSlot, MemoryRows


class Limits:
    """When a column is encoded."""

    #: How many rows are looked at first, and how many different values they may have: encoding many values takes longer than it saves.
    sample = 16_384
    of_keys = 7_000
    of_calls = 500
    #: There must be at least this many rows for each value, unless there are few values: few rows may be joined to many.
    share = 16
    few = 512


limits = Limits()


class Encoding:
    """The values of a column in their order, and after them the missing one: `text` is a column of them, over rows of its own."""

    __slots__ = ("missing", "space", "text", "type", "values")

    def __init__(self, values: pyarrow.Array) -> None:
        self.values = values
        #: The code of what is missing.
        self.missing = len(values)
        self.type = ir.i8 if self.missing < 2**7 else ir.i16 if self.missing < 2**15 else ir.i32
        self.space = MemoryRows(len(values) + 1)
        self.text = DataSlot("text", self.space, ir.optional(ir.str_), None, partial(_text, values))

    def literal(self, code: int) -> Literal:
        return Literal(code, self.type)

    def code_of(self, value: str) -> int:
        """The code of a value; one that no row has where it is none of them."""
        found: int = pyarrow.compute.index(self.values, pyarrow.scalar(value, self.values.type)).as_py()
        return found


class Code:
    """The codes of some rows: integers, none of which is null. With `weak` some may be that of what is missing."""

    __slots__ = ("encoding", "expression", "weak")

    def __init__(self, expression: Expression, encoding: Encoding, *, weak: bool) -> None:
        self.expression = expression
        self.encoding = encoding
        self.weak = weak

    def or_null(self) -> Expression:
        """The codes, null where the text is missing."""
        if not self.weak:
            return self.expression
        encoding = self.encoding
        return call("select", self.is_missing(), Literal(None, encoding.type), self.expression)

    def is_missing(self) -> Expression:
        return call("eq", self.expression, self.encoding.literal(self.encoding.missing)) if self.weak else Literal(False, ir.bool_)


def _text(values: pyarrow.Array) -> Column:
    return Column.of_arrow(pyarrow.concat_arrays([values, pyarrow.nulls(1, values.type)]), nullable=True)


def sorted_values(array: pyarrow.Array) -> tuple[Encoding, Any]:
    """The values of an array of text, and the code of each element."""
    coded = array.dictionary_encode()
    order = pyarrow.compute.array_sort_indices(coded.dictionary).to_numpy()
    encoding = Encoding(coded.dictionary.take(pyarrow.array(order)).cast(pyarrow.large_string()))
    ranks = np.empty(len(order) + 1, _width(encoding))
    ranks[order] = np.arange(len(order))
    ranks[-1] = encoding.missing
    positions = coded.indices.fill_null(len(order)) if coded.null_count else coded.indices
    return encoding, ranks[positions.to_numpy()]


def _width(encoding: Encoding) -> str:
    return f"int{str(encoding.type)[1:]}"


def encoded(slot: DataSlot, *, as_key: bool) -> Code | None:
    """The codes of a column of text in memory, where it has few values; none where it has many, or somebody else may write to it."""
    if slot.code is not None:
        return slot.code
    count = slot.space.count
    most = limits.of_keys if as_key else limits.of_calls
    if slot.values_seen is not None and slot.values_seen > most:
        return None
    array = _array(slot)
    if array is None:
        slot.values_seen = count + limits.sample
        return None
    if slot.values_seen is None:
        step = max(1, count // limits.sample)
        slot.values_seen = pyarrow.compute.count_distinct(array.take(pyarrow.array(np.arange(0, count, step)))).as_py()
        if slot.values_seen > most:
            return None
    found, codes = sorted_values(array.combine_chunks())
    if found.missing * limits.share > count and found.missing > limits.few:
        slot.values_seen = count + limits.sample
        return None
    slot.code = coded_slot(slot.space, found, partial(Column.of_numpy, codes), weak=array.null_count > 0)
    return slot.code


def _array(slot: DataSlot) -> pyarrow.ChunkedArray | None:
    """The text of a column as Arrow has it; none where it is held in another way, or somebody else may write to it."""
    if slot.owner is None:
        return None if slot.arrow is None else slot.arrow()
    if slot.owner.foreign:
        return None
    held = slot.owner.array
    if hasattr(held, "_pa_array"):
        return held._pa_array if held._pa_array.type in _TEXTS else None
    # Text that pandas holds as objects of Python.
    return pyarrow.chunked_array([pyarrow.array(held._ndarray, pyarrow.large_string(), from_pandas=True)])


#: Arrow's types of text of which it can take elements.
_TEXTS = (pyarrow.string(), pyarrow.large_string())


def coded_slot(space: MemoryRows, encoding: Encoding, make: Any, *, weak: bool) -> Code:
    """Codes in memory."""
    return Code(Ref(DataSlot("code", space, encoding.type, None, make)), encoding, weak=weak)


def decoded(numbers: Any, code: Code) -> pyarrow.Array:
    """The text that numbers are codes of, as one array."""
    return code.encoding.values.take(pyarrow.array(numbers, mask=numbers == code.encoding.missing if code.weak else None))
