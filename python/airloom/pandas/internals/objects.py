"""Objects of Python that are all of one kind, as values of it."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas
import pyarrow

from airloom.pandas.dtypes import types

_NUMBERS = {int: types.INT64, float: types.FLOAT64, bool: types.BOOL}


def read(array: Any) -> tuple[Any, Any, Any] | None:
    """An array of the values, its dtype, and what stands where one is missing (as the dtype itself has it, where that is `...`)."""
    if not isinstance(array, np.ndarray) or array.dtype != object or array.ndim != 1 or not len(array):
        return None
    kinds = set(map(type, array))
    if len(kinds) == 1 and (dtype := _NUMBERS.get(next(iter(kinds)))) is not None:
        try:
            return array.astype(dtype), dtype, ...
        except OverflowError:
            return None
    there = kinds & {str, int, bool, datetime.date}
    if len(there) != 1 or len(kinds) > 2:
        return None
    missing: Any = np.nan
    if datetime.date in there:
        return _dates(array, kinds - there)
    for other in kinds - there:
        if other is type(None):
            missing = None
        elif other is type(pandas.NA):
            missing = pandas.NA
        elif other is not float or set(map(type, array[~pandas.isna(array)])) != there:
            return None
        elif any(value is not np.nan for value in array[pandas.isna(array)]):
            # Another NaN than pandas': some of its code tells them apart.
            missing = float("nan")
    if str not in there:
        gone = pandas.isna(array)
        try:
            values = np.where(gone, 1, array).astype(np.int64 if int in there else bool)
        except OverflowError:
            return None
        made = pandas.arrays.IntegerArray(values, gone) if int in there else pandas.arrays.BooleanArray(values, gone)
        return made, made.dtype, missing
    try:
        text = pyarrow.chunked_array([pyarrow.array(array, pyarrow.large_string(), from_pandas=True)])
    except (pyarrow.ArrowInvalid, UnicodeEncodeError):
        return None
    return types.STR.construct_array_type()(text, dtype=types.STR), types.STR, missing


def read_text(array: Any) -> Any:
    """The text among numbers and booleans, which are missing in it; none where there is none, or where something else stands beside it.

    What is missing already must be pandas' NaN: that is what its methods for text make of all that is no text.
    """
    if not isinstance(array, np.ndarray) or array.dtype != object or array.ndim != 1:
        return None
    kinds = set(map(type, array))
    if str not in kinds or not kinds <= {str, int, float, bool} or any(value != value and value is not np.nan for value in array):
        return None
    try:
        text = pyarrow.chunked_array([pyarrow.array([value if type(value) is str else None for value in array], pyarrow.large_string())])
    except (pyarrow.ArrowInvalid, UnicodeEncodeError):
        return None
    return types.STR.construct_array_type()(text, dtype=types.STR)


def _dates(array: Any, others: set[Any]) -> tuple[Any, Any, Any] | None:
    """Dates, and one kind of what is missing beside them."""
    missing: Any = np.nan
    gone = pandas.isna(array)
    for other in others:
        if other is type(None):
            missing = None
        elif other is type(pandas.NaT):
            missing = pandas.NaT
        elif other is not float or not all(value is np.nan for value in array[gone]) or set(map(type, array[~gone])) != {datetime.date}:
            return None
    values = pyarrow.array(array, pyarrow.date32(), mask=gone)
    return types.DATE.construct_array_type()(values), types.DATE, missing
