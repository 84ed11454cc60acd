"""Frames as Arrow files: columns as pyarrow makes them of what pandas holds, and writes them."""

from __future__ import annotations

import os
import warnings
from typing import Any

from airloom.pandas.dispatch.registry import operation
from airloom.pandas.files import atomic_write
from airloom.pandas.files.to_parquet import arrow_table
from airloom.pandas.plan.frame import Frame
from airloom.pandas.refusals import Refused, value_text


@operation("DataFrame.to_feather")
def to_feather(
    frame: Frame, path: Any, *, compression: Any = None, compression_level: Any = None, chunksize: Any = None, version: Any = 2, storage_options: Any = None
) -> None:
    if storage_options is not None:
        raise Refused("`storage_options`")
    name = atomic_write.local_path(path)
    if not name or os.path.isdir(name):
        raise Refused("a path that is not a file")
    if version != 2 or compression not in (None, "lz4", "zstd", "uncompressed"):
        raise Refused(f"`version={value_text(version)}`, or `compression={value_text(compression)}`")
    if compression_level is not None or not (chunksize is None or (type(chunksize) is int and chunksize > 0)):
        raise Refused("`compression_level` or `chunksize`")
    from pyarrow import feather

    table = arrow_table(frame, None)
    with atomic_write.opened(name, "w") as descriptor, open(descriptor, "wb", closefd=False) as file, warnings.catch_warnings():
        # As pandas has it, which writes by the same function.
        warnings.filterwarnings("ignore", "pyarrow.feather.write_feather is deprecated", FutureWarning)
        feather.write_feather(table, file, compression=compression, chunksize=chunksize)
