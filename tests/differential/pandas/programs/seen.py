"""What can be seen of a variable, as something that shares no memory with it and can be compared."""

from __future__ import annotations

import datetime
import re
import types
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dispatch.wrapping import plain

#: A part of what is seen: its sort, and what it is. Arrays of numbers are arrays; anything else is text and tuples.
Seen = dict[str, Any]


def seen(value: Any) -> Seen:
    """All that a user can see of a value, part by part."""
    if isinstance(value, (BaseDataFrame, BaseSeries)):
        return _in_order(_of_table(plain(value)))
    if isinstance(value, pd.Index):
        return _in_order({"class": type(value).__name__, **_labels(value, "index")})
    if isinstance(value, (np.ndarray, pd.api.extensions.ExtensionArray)):
        return {"class": type(value).__name__, "dtype": dtype(value.dtype), "shape": np.shape(value), "values": array(value)}
    return {"class": type(value).__name__, "values": token(value)}


def _in_order(found: Seen) -> Seen:
    """Ranges last: what else differs is told before them."""
    return dict(sorted(found.items(), key=lambda item: item[0].endswith("range")))


def _of_table(value: Any) -> Seen:
    found: Seen = {"class": "DataFrame" if value.ndim == 2 else "Series", "shape": value.shape, "attrs": token(value.attrs), "flags": value.flags.allows_duplicate_labels}
    found.update(_labels(value.index, "index"))
    if value.ndim == 1:
        return {**found, "name": token(value.name), "dtype": dtype(value.dtype), "values": array(value.array)}
    found.update(_labels(value.columns, "columns"))
    columns = [value.iloc[:, at] for at in range(value.shape[1])]
    found["dtype"] = tuple(dtype(column.dtype) for column in columns)
    found["values"] = [array(column.array) for column in columns]
    return found


def _labels(index: pd.Index, what: str) -> Seen:
    found: Seen = {f"{what} class": type(index).__name__, f"{what} names": token(list(index.names))}
    if isinstance(index, pd.RangeIndex):
        # The end of a range, and the step of one label, are seen by who asks for them alone.
        return {**found, f"{what} values": (index[0] if len(index) else None, len(index), index.step if len(index) > 1 else None), f"{what} range": (index.start, index.stop, index.step)}
    if isinstance(index, pd.MultiIndex):
        levels = [index.get_level_values(at) for at in range(index.nlevels)]
        return {**found, f"{what} dtype": tuple(dtype(level.dtype) for level in levels), f"{what} values": [array(level.array) for level in levels]}
    if isinstance(index, (pd.DatetimeIndex, pd.TimedeltaIndex)):
        found[f"{what} frequency"] = repr(index.freq)
    return {**found, f"{what} dtype": dtype(index.dtype), f"{what} values": array(index.array)}


def dtype(found: Any) -> Any:
    """A dtype with all its parameters: categories in their order, the very zone, the storage of text."""
    if isinstance(found, pd.CategoricalDtype):
        return ("category", bool(found.ordered), None if found.categories is None else tuple(sorted((name, _frozen(part)) for name, part in _labels(found.categories, "categories").items())))
    if isinstance(found, pd.DatetimeTZDtype):
        return ("zone", found.unit, type(found.tz).__name__, repr(found.tz))
    if isinstance(found, pd.StringDtype):
        return ("text", found.storage, repr(found.na_value))
    return (type(found).__name__, str(found))


def _frozen(part: Any) -> Any:
    if isinstance(part, np.ndarray):
        return token(list(part))
    return tuple(map(_frozen, part)) if isinstance(part, (list, tuple)) else part


def array(values: Any) -> Any:
    """The values of an array: a copy of the memory where that is all there is to see, else a tuple for each value."""
    if isinstance(values, pd.Categorical):
        return np.array(values.codes)
    if isinstance(values.dtype, pd.StringDtype):
        return values.to_numpy(dtype=object, na_value=None).tolist()
    if isinstance(values, pd.arrays.NumpyExtensionArray):
        values = values.to_numpy()
    if isinstance(values, (pd.arrays.DatetimeArray, pd.arrays.TimedeltaArray)):
        return np.array(values.asi8)
    if isinstance(values, pd.arrays.ArrowExtensionArray):
        held = values._pa_array.to_pylist()
        return [token(item) for item in held] if str(values.dtype).startswith(("double", "float")) else held
    if isinstance(values, (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)):
        # What stands under what is missing is not seen.
        return [np.where(values._mask, values._data.dtype.type(0), values._data), np.array(values._mask)]
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        return np.array(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        return np.array(values.view("int64"))
    return [token(item) for item in (values.ravel() if isinstance(values, np.ndarray) else values)]


def token(value: Any) -> Any:
    """A single value as something that compares as what a user sees: classes count, all that is not a number is equal to itself, zeros have signs."""
    if type(value) is str:
        return ("str", value)
    if isinstance(value, (BaseDataFrame, BaseSeries, pd.Index, np.ndarray, pd.api.extensions.ExtensionArray)):
        return tuple((name, _frozen(part)) for name, part in seen(value).items())
    if isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(map(repr, value)) if isinstance(value, (set, frozenset)) else value
        return (type(value).__name__, *map(token, items))
    if isinstance(value, Mapping):
        return (type(value).__name__, *((token(key), token(item)) for key, item in value.items()))
    if isinstance(value, (float, np.floating)):
        # A subnormal, an infinity or a zero with its sign; all that is not a number looks the same.
        return (type(value).__name__, "nan" if value != value else float(value).hex())
    if isinstance(value, (pd.Timestamp, pd.Timedelta)) and value is not pd.NaT:
        return (type(value).__name__, repr(value), value.unit)
    if isinstance(value, (np.dtype, pd.api.extensions.ExtensionDtype)):
        return dtype(value)
    if isinstance(value, (str, int, bool, bytes, complex, np.generic, datetime.date, datetime.time, pd.Period, pd.Interval, pd.offsets.BaseOffset)) or value is None or value is pd.NaT or value is pd.NA:
        return (type(value).__name__, repr(value))
    if isinstance(value, types.FunctionType):
        return ("function", value.__name__)
    if isinstance(value, pd.api.typing.DataFrameGroupBy | pd.api.typing.SeriesGroupBy):
        # Groups are seen by what is asked of them.
        return (type(value).__name__,)
    return (type(value).__name__, re.sub(r"0x[0-9a-f]+", "0x", repr(value)))
