"""Columns as arrays without being held: their values are written to a file as they are computed, and the array lies in it."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np

from airloom._options import options
from airloom.pandas.execution import run
from airloom.pandas.files.parquet_stream import is_large
from airloom.pandas.internals import materialize, state
from airloom.pandas.plan.frame import Vector


def streamed(series: Any) -> np.ndarray[Any, Any] | None:
    """The values of a series of numbers that are not computed yet and may take much of the memory; none where they are better held."""
    from airloom.numpy.mapped import Scratch, is_large as lies_in_file

    plan = state.plan_of(series) if state.is_lazy(series) else None
    if not isinstance(plan, Vector):
        return None
    column = materialize.decided(plan.column)
    dtype = column.dtype
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iufb" or not is_large(plan.rows, [column]):
        return None
    with tempfile.TemporaryFile(dir=options.resolved()["spill_directory"], prefix="airloom-") as file:
        count = 0
        for table in run.stream(plan.rows, {"c": column.expression}):
            values = np.ascontiguousarray(table.numpy("c", dtype.name))
            file.write(values.view(np.uint8).data)
            count += len(values)
        file.flush()
        if not lies_in_file(count * dtype.itemsize):
            file.seek(0)
            return np.frombuffer(bytearray(file.read()), dtype)
        return np.ndarray((count,), dtype, buffer=Scratch(file.fileno(), count * dtype.itemsize))


__all__ = ["streamed"]
