"""What crosses to the engine and back: arrays of pandas as columns, columns of results as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pyarrow
from pandas._config import is_nan_na
from pandas.core.algorithms import take
from pandas.core.arrays import Categorical, DatetimeArray, TimedeltaArray
from pandas.core.arrays.arrow import ArrowExtensionArray
from pandas.core.arrays.string_arrow import ArrowStringArray
from pandas.core.dtypes.dtypes import DatetimeTZDtype

from airloom._native import Column, Table
from airloom.pandas.dtypes import kinds, types


def to_column(array: Any, dtype: Any) -> Column:
    """The column of an array whose dtype has a type in the graph."""
    if isinstance(array, np.ndarray):
        return Column.of_numpy(array, nullable=array.dtype.kind in "mM")
    if isinstance(dtype, pandas.StringDtype):
        held = array._pa_array if dtype.storage == "pyarrow" else pyarrow.array(array._ndarray, pyarrow.large_string(), from_pandas=True)
        return Column.of_arrow(held, nullable=True)
    if types.is_arrow(dtype):
        return Column.of_arrow(array._pa_array, nullable=True)
    if types.is_category(dtype):
        return Column.of_numpy(array.codes)
    if isinstance(dtype, DatetimeTZDtype):
        counts = pyarrow.array(array._ndarray)
        return Column.of_arrow(counts.cast(pyarrow.timestamp(dtype.unit, types.zone_name(dtype.tz))), nullable=True)
    if types.is_time(dtype) or types.is_duration(dtype):
        return Column.of_numpy(array._ndarray, nullable=True)
    assert types.is_masked(dtype)
    return Column.of_arrow(pyarrow.array(array._data, mask=array._mask), nullable=True)


def to_array(table: Table, name: str, dtype: Any, held: Any = None) -> Any:
    """A column of a result as pandas has it."""
    if held is not None:
        positions = table.numpy(name, "int64")
        missing = bool(len(positions)) and positions.min() < 0
        values = held.array
        if isinstance(values, np.ndarray):
            return take(values, positions, allow_fill=missing)
        return values.take(positions, allow_fill=missing)
    if isinstance(dtype, pandas.StringDtype):
        if dtype.storage != "pyarrow":
            return dtype.__from_arrow__(pyarrow.chunked_array(table.large_strings(name)))
        text = table.large_strings(name)
        # Without rows there is no piece, and pandas' joins want one.
        return ArrowStringArray(text if len(text) else pyarrow.chunked_array([pyarrow.array([], pyarrow.large_string())]), dtype=dtype)
    if types.is_category(dtype):
        width = types.type_of(dtype)
        return Categorical.from_codes(table.numpy(name, str(np.dtype(f"int{str(width)[1:]}"))), dtype=dtype, validate=False)
    if isinstance(dtype, DatetimeTZDtype):
        return DatetimeArray._simple_new(table.numpy(name, f"datetime64[{dtype.unit}]"), dtype=dtype)
    if types.is_arrow(dtype):
        values = _arrow(table, name).cast(dtype.pyarrow_dtype)
        if pyarrow.types.is_primitive(values.type):
            # A result may share the memory of an array of NumPy's that it was computed from, which pandas writes to in place.
            values = values.copy_to(pyarrow.default_cpu_memory_manager())
        return ArrowExtensionArray(values)
    if types.is_masked(dtype):
        return _masked(table, name, dtype)
    if dtype == types.OBJECT:
        # Booleans with some missing, or text, or lists of it, as Python has them.
        found = np.empty(table.num_rows, object)
        for at, value in enumerate(table.column(name).to_pylist()):
            found[at] = np.nan if value is None else value
        return found
    values = table.numpy(name, dtype.str[1:] if dtype.kind in "mM" else dtype.name)
    if dtype.kind == "M":
        return DatetimeArray._simple_new(values, dtype=dtype)
    if dtype.kind == "m":
        return TimedeltaArray._simple_new(values, dtype=dtype)
    return values


def _arrow(table: Table, name: str) -> pyarrow.Array:
    """One column, in one piece: handing over a whole table for each of its columns takes longer than joining the pieces of one."""
    return pyarrow.array(table.column(name))


def _masked(table: Table, name: str, dtype: Any) -> Any:
    """A nullable array: values and a mask that are its own, and may be written to. Of pandas' own way, which asks Arrow to unpack the bits, they take a fifth of the time."""
    plain = dtype.numpy_dtype
    if not table.null_count(name):
        values = table.numpy(name, plain.name)
        missing = np.zeros(len(values), bool)
    else:
        array = _arrow(table, name)
        wanted = pyarrow.from_numpy_dtype(plain)
        if array.type != wanted:
            array = array.cast(wanted)
        validity, data = array.buffers()
        if plain.kind == "b":
            values = _bits(data, array).view(bool)
        else:
            values = np.frombuffer(data, plain, len(array), array.offset * plain.itemsize).copy()
        missing = _bits(validity, array) == 0
        if plain.kind != "b":
            # What stands where a number is missing is 1, or NaN, as pandas puts it there: a quotient by 0 makes `float64` of all of them, missing or not.
            np.putmask(values, missing, np.nan if plain.kind == "f" else 1)
    if plain.kind == "f" and is_nan_na():
        missing |= np.isnan(values)
    return dtype.construct_array_type()(values, missing)


def _bits(buffer: pyarrow.Buffer, array: pyarrow.Array) -> Any:
    """The bits of a buffer that are of an array, one byte for each."""
    end = array.offset + len(array)
    return np.unpackbits(np.frombuffer(buffer, np.uint8), count=end, bitorder="little")[array.offset :]


def objects(table: Table, name: str, shown: Any) -> Any:
    """A column of a result as objects of Python, as pandas makes them of its dtype."""
    if shown.dtype == types.OBJECT:
        found = np.empty(table.num_rows, object)
        for at, value in enumerate(table.column(name).to_pylist()):
            found[at] = shown.missing if value is None else value
        return found
    if kinds.same(shown.dtype, types.DATE):
        found = _arrow(table, name).cast(pyarrow.date32()).to_pandas(date_as_object=True).to_numpy(copy=True)
        if shown.missing is not None and len(found):
            found[pandas.isna(found)] = pandas.NA if shown.missing is ... else shown.missing
        return found
    array = to_array(table, name, shown.dtype)
    if shown.missing is ...:
        return array.astype(object)
    return array.to_numpy(dtype=object, na_value=shown.missing)
