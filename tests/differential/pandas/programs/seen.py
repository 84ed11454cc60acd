"""What can be seen of a variable, as something that shares no memory with it and can be compared."""

from __future__ import annotations

import datetime
import re
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries

#: From this many values on arrays of Arrow are compared as such.
MANY = 1_000

#: A part of what is seen: its sort, and what it is. Arrays of numbers are arrays; anything else is text and tuples.
Seen = dict[str, Any]


def seen(value: Any) -> Seen:
    """All that a user can see of a value, part by part."""
    if isinstance(value, (BaseDataFrame, BaseSeries)):
        return _in_order(_of_table(value))
    if isinstance(value, pd.Index):
        return _in_order({"class": type(value).__name__, **_labels(value, "index")})
    if isinstance(value, (np.ndarray, pd.api.extensions.ExtensionArray)):
        return {"class": type(value).__name__, "dtype": dtype(value.dtype), "shape": np.shape(value), "values": array(value)}
    return {"class": type(value).__name__, "values": token(value)}


def _in_order(found: Seen) -> Seen:
    """Ranges last: what else differs is told before them."""
    for name in [name for name in found if name.endswith("range")]:
        found[name] = found.pop(name)
    return found


def _of_table(value: Any) -> Seen:
    """A frame or a series by what its manager holds: methods of its own make objects for each column, which takes many times as long, and would be what is tested."""
    manager = value._mgr
    is_frame = isinstance(value, BaseDataFrame)
    found: Seen = {"class": "DataFrame" if is_frame else "Series", "shape": manager.shape[::-1], "attrs": token(value.attrs), "flags": value.flags.allows_duplicate_labels}
    found.update(_labels(manager.axes[-1], "index"))
    if not is_frame:
        held = manager.blocks[0].values
        return {**found, "name": token(value.name), "dtype": dtype(held.dtype), "values": array(held)}
    found.update(_labels(manager.axes[0], "columns"))
    columns = [manager.iget_values(at) for at in range(manager.shape[0])]
    found["dtype"] = tuple(dtype(column.dtype) for column in columns)
    found["values"] = [array(column) for column in columns]
    return found


def _labels(index: pd.Index, what: str) -> Seen:
    found: Seen = {f"{what} class": type(index).__name__, f"{what} names": token(list(index.names))}
    if isinstance(index, pd.RangeIndex):
        # The end of a range, and the step of one label, are seen by who asks for them alone.
        return {**found, f"{what} values": (index[0] if len(index) else None, len(index), index.step if len(index) > 1 else None), f"{what} range": (index.start, index.stop, index.step)}
    if isinstance(index, pd.MultiIndex):
        levels = [index.get_level_values(at) for at in range(index.nlevels)]
        return {**found, f"{what} dtype": tuple(dtype(level.dtype) for level in levels), f"{what} values": [array(level._data) for level in levels]}
    if isinstance(index, (pd.DatetimeIndex, pd.TimedeltaIndex)):
        found[f"{what} frequency"] = repr(index.freq)
    return {**found, f"{what} dtype": dtype(index.dtype), f"{what} values": array(index._data)}


#: NumPy's dtypes as they are seen: there are few, and each is asked for again and again.
_NUMPY: dict[np.dtype[Any], Any] = {}


def dtype(found: Any) -> Any:
    """A dtype with all its parameters: categories in their order, the very zone, the storage of text."""
    if isinstance(found, np.dtype):
        known = _NUMPY.get(found)
        if known is None:
            known = _NUMPY[found] = (type(found).__name__, str(found))
        return known
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
    if isinstance(values, pd.arrays.NumpyExtensionArray) and not isinstance(values.dtype, pd.StringDtype):
        values = values.to_numpy()
    if type(values) is np.ndarray:
        kind = values.dtype.kind
        if kind in "biuf":
            return values.copy()
        if kind in "mM":
            return values.view("int64").copy()
        return [token(item) for item in (values if values.ndim == 1 else values.ravel())]
    if isinstance(values, pd.Categorical):
        return np.array(values.codes)
    if isinstance(values.dtype, pd.StringDtype):
        if values.dtype.storage == "python":
            return values.to_numpy(dtype=object, na_value=None).tolist()
        # Of many rows Arrow's own array, which nobody can write to, is compared sooner than as many objects.
        held = values._pa_array
        return held.to_pylist() if len(held) < MANY else held.cast(pa.large_string()).combine_chunks()
    if isinstance(values, (pd.arrays.DatetimeArray, pd.arrays.TimedeltaArray)):
        return np.array(values.asi8)
    if isinstance(values, pd.arrays.PeriodArray):
        return np.array(values.asi8)
    if isinstance(values, pd.arrays.IntervalArray):
        return [array(values._left), array(values._right)]
    if isinstance(values, pd.arrays.ArrowExtensionArray):
        return _of_arrow(values._pa_array)
    if isinstance(values, (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)):
        # What stands under what is missing is not seen.
        return [np.where(values._mask, values._data.dtype.type(0), values._data), values._mask.copy()]
    return [token(item) for item in values]


def _of_arrow(held: pa.ChunkedArray) -> Any:
    """The values of Arrow's array. In floats what is missing is told from what is no number."""
    floats = pa.types.is_floating(held.type)
    if len(held) < MANY:
        return [token(item) for item in held.to_pylist()] if floats else held.to_pylist()
    if floats:
        missing = held.is_null().to_numpy()
        return [np.where(missing, held.type.to_pandas_dtype()(0), held.to_numpy()), missing]
    return held.combine_chunks()


#: What is seen of values of the most common types: they are asked for first, as columns of objects have many.
_PLAIN: dict[type, Callable[[Any], Any]] = {
    str: lambda value: ("str", value),
    int: lambda value: ("int", repr(value)),
    bool: lambda value: ("bool", repr(value)),
    float: lambda value: ("float", "nan" if value != value else value.hex()),
    type(None): lambda value: ("NoneType", "None"),
    list: lambda value: ("list", *map(token, value)),
    tuple: lambda value: ("tuple", *map(token, value)),
}


def token(value: Any) -> Any:
    """A single value as something that compares as what a user sees: classes count, all that is not a number is equal to itself, zeros have signs."""
    plain = _PLAIN.get(type(value))
    if plain is not None:
        return plain(value)
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
    if isinstance(value, (str, int, bool, bytes, complex, np.generic, datetime.date, datetime.time, pd.Period, pd.Interval, pd.offsets.BaseOffset)) or value is pd.NaT or value is pd.NA:
        return (type(value).__name__, repr(value))
    if isinstance(value, types.FunctionType):
        return ("function", value.__name__)
    if isinstance(value, pd.api.typing.DataFrameGroupBy | pd.api.typing.SeriesGroupBy):
        # Groups are seen by what is asked of them.
        return (type(value).__name__,)
    return (type(value).__name__, re.sub(r"0x[0-9a-f]+", "0x", repr(value)))
