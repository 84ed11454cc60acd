"""Rows of databases: asked for by the connection of the program, and made columns of as they come. The engine has no connection of its own: what a query answers may
depend on the transaction that it is in and on the settings of its session, and two libraries that have one file of SQLite open release the locks of each other."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas
from pandas.api.extensions import no_default
from pandas.compat._optional import import_optional_dependency
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
    plain = type(connection) is sqlite3.Connection and connection.row_factory is None
    if not plain and not _is_of_sqlalchemy(connection):
        raise Refused("a connection other than SQLAlchemy's, or `sqlite3.Connection` without a `row_factory`")
    if given["chunksize"] is not None or given["dtype_backend"] is not no_default:
        raise Refused("`chunksize` or `dtype_backend`")
    check_text()


def _is_of_sqlalchemy(connection: Any) -> bool:
    """Whether this is a connection of SQLAlchemy's, what makes one, or the address of a database, of which pandas makes one by it."""
    if not isinstance(connection, str) and not type(connection).__module__.startswith("sqlalchemy."):
        return False
    library = import_optional_dependency("sqlalchemy", errors="ignore")
    return library is not None and isinstance(connection, (str, library.engine.Connectable))


def sql_frame(given: dict[str, Any], small: int, *, or_table: bool) -> tuple[pandas.DataFrame, bool]:
    """The frame of a query, as `pandas.read_sql_query` would have it of these arguments, all of them, and whether it has more than a few rows. What goes wrong is
    told as it is, since a query that did something is not to be sent again. With `or_table` it is refused where it is the name of a table."""
    try:
        with contextlib.ExitStack() as stack:
            database = sql.pandasSQL_builder(given["con"])
            if isinstance(database, sql.SQLDatabase):
                stack.enter_context(database)
                if or_table and _is_table(database, given["sql"]):
                    raise Refused("the name of a table")
            cursor = database.execute(given["sql"], given["params"])
            frame, few = _of_cursor(cursor, small, given["coerce_float"])
            cursor.close()
        if given["dtype"]:
            frame = frame.astype(given["dtype"])
        frame = sql._parse_date_columns(frame, given["parse_dates"])
        return frame if given["index_col"] is None else frame.set_index(given["index_col"]), not few
    except Refused:
        raise
    except Exception as error:
        raise Failed(error) from error


def _is_table(database: Any, name: Any) -> bool:
    """Whether a table has this name, as pandas asks it."""
    try:
        return bool(database.has_table(name))
    except Exception:
        return False


def _of_cursor(cursor: Any, small: int, coerce_float: bool) -> tuple[pandas.DataFrame, bool]:
    """The frame of the rows of a cursor, and whether they are few."""
    if hasattr(cursor, "description"):
        names, fetch = [column[0] for column in cursor.description], cursor.fetchmany
    else:
        # Rows of SQLAlchemy's are sequences of another class.
        names, fetch = list(cursor.keys()), lambda count: [tuple(row) for row in cursor.fetchmany(count)]
    rows = fetch(max(small, ROWS))
    few = len(rows) < small
    if few or not names:
        while more := fetch(ROWS):
            rows += more
        return sql._convert_arrays_to_dataframe(rows, names, coerce_float), few
    return _fetched(fetch, rows, names, coerce_float), few


def _fetched(fetch: Callable[[int], list[tuple[Any, ...]]], rows: list[tuple[Any, ...]], names: Sequence[str], coerce_float: bool) -> pandas.DataFrame:
    """The frame of these rows, and of all that come after them."""
    fetched = _native.Fetched(len(names))
    while rows:
        fetched.add(rows)
        rows = fetch(ROWS)
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
