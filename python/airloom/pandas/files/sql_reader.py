"""Rows of databases: asked for by the connection of the program, and made columns of as they come. The engine has no connection of its own to a file of SQLite
that Python has open, since two libraries that have one file open release the locks of each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
from pandas.api.extensions import no_default
from pandas.core.arrays.string_arrow import ArrowStringArray
from pandas.core.internals.construction import convert_object_array
from pandas.io import sql

from airloom import _native
from airloom.pandas.dispatch.registry import BaseDataFrame
from airloom.pandas.dtypes import types
from airloom.pandas.files.text_files import check_text
from airloom.pandas.refusals import Failed, Refused

#: Rows that are fetched at a time.
ROWS = 1 << 14


def check(given: dict[str, Any]) -> None:
    """Refuses what the engine does not read, before anything is asked of the database."""
    # Where nobody has a connection, nobody waits for the module either.
    import sqlite3

    connection = given["con"]
    if type(connection) is not sqlite3.Connection or connection.row_factory is not None:
        raise Refused("a connection other than `sqlite3.Connection` without a `row_factory`")
    if given["chunksize"] is not None or given["dtype_backend"] is not no_default:
        raise Refused("`chunksize` or `dtype_backend`")
    check_text()


def sql_frame(given: dict[str, Any], small: int) -> tuple[pandas.DataFrame, bool]:
    """The frame of a query, as `pandas.read_sql_query` would have it of these arguments, all of them, and whether it has more than a few rows. What goes wrong is
    told as it is, since a query that did something is not to be sent again."""
    try:
        cursor = sql.SQLiteDatabase(given["con"]).execute(given["sql"], given["params"])
        names = [column[0] for column in cursor.description]
        rows = cursor.fetchmany(max(small, ROWS))
        few = len(rows) < small
        if few or not names:
            frame = sql._convert_arrays_to_dataframe(rows + cursor.fetchall(), names, given["coerce_float"])
        else:
            frame = _fetched(cursor, rows, names, given["coerce_float"])
        cursor.close()
        if given["dtype"]:
            frame = frame.astype(given["dtype"])
        frame = sql._parse_date_columns(frame, given["parse_dates"])
        return frame if given["index_col"] is None else frame.set_index(given["index_col"]), not few
    except Exception as error:
        raise Failed(error) from error


def _fetched(cursor: Any, rows: list[tuple[Any, ...]], names: Sequence[str], coerce_float: bool) -> pandas.DataFrame:
    """The frame of these rows, and of all that come after them."""
    fetched = _native.Fetched(len(names))
    while rows:
        fetched.add(rows)
        rows = cursor.fetchmany(ROWS)
    arrays = [_array(kind, values, coerce_float) for kind, values in fetched.columns()]
    made: pandas.DataFrame = BaseDataFrame._from_arrays(arrays, columns=names, index=range(fetched.num_rows), verify_integrity=False)
    return made


def _array(kind: str, values: Any, coerce_float: bool) -> Any:
    if kind == "text":
        return ArrowStringArray(values, dtype=types.STR)
    if kind != "objects":
        return values
    # What pandas makes of objects it makes here too.
    content = np.empty(len(values), object)
    content[:] = values
    return convert_object_array([content], dtype=None, coerce_float=coerce_float)[0]
