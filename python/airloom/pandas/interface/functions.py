"""The functions of pandas' module that make frames."""

from __future__ import annotations

import functools
import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas
from pandas.api.extensions import no_default

from airloom import _report as report
from airloom.pandas.dispatch import attempt, choice, recovery, registry, wrapping
from airloom.pandas.dispatch.adopting import adopted, adopted_tables
from airloom.pandas.files import csv_reader, json_reader, scan, sql_reader, streams
from airloom.pandas.internals import state
from airloom.pandas.plan import walk
from airloom.pandas.plan.frame import Frame
from airloom.pandas.plan.rows import FileScan
from airloom.pandas.refusals import Failed, Refused, Stays, value_text
from airloom.pandas.reshape import concat_by_position as stacking

#: Functions by name, to stand in place of pandas' own.
FUNCTIONS: dict[str, Callable[..., Any]] = {}


def function(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers what `pandas.name` is."""

    def register(made: Callable[..., Any]) -> Callable[..., Any]:
        FUNCTIONS[name] = functools.wraps(getattr(pandas, name))(made)
        return made

    return register


#: Files stay with pandas with this many times fewer rows than frames in memory: to read one takes it as long as a query of the engine's, which reads what is asked for alone.
_FEWER = 20
_READ_PARQUET = pandas.read_parquet
_PARQUET = inspect.signature(pandas.read_parquet)
_READ_FEATHER = pandas.read_feather
_FEATHER = inspect.signature(pandas.read_feather)
_MERGE = pandas.merge
_CONCAT = pandas.concat


@function("read_parquet")
def read_parquet(path: Any, *args: Any, **kwargs: Any) -> Any:
    def native() -> Any:
        given = dict(_PARQUET.bind(path, *args, **kwargs).arguments)
        given.pop("path")
        columns = given.pop("columns", None)
        backend = given.pop("dtype_backend", no_default)
        filters = given.pop("filters", None)
        if given.pop("engine", "pyarrow") not in ("pyarrow", no_default) or any(item not in (None, no_default) for item in given.values()):
            raise Refused("`engine`, `storage_options` or `filesystem`")
        return _whole(scan.parquet_frame(path, columns, _backend(backend), filters, choice.settings.threshold // _FEWER))

    return _read("read_parquet", native, _READ_PARQUET, path, args, kwargs)


@function("read_feather")
def read_feather(path: Any, *args: Any, **kwargs: Any) -> Any:
    def native() -> Any:
        given = dict(_FEATHER.bind(path, *args, **kwargs).arguments)
        columns = given.get("columns")
        if not isinstance(given.get("use_threads", True), bool) or given.get("storage_options") is not None:
            raise Refused("`use_threads` is not boolean, or `storage_options`")
        return _whole(scan.feather_frame(path, columns, _backend(given.get("dtype_backend", no_default))))

    return _read("read_feather", native, _READ_FEATHER, path, args, kwargs)


def _backend(given: Any) -> str | None:
    """Whose dtypes a reader is asked for."""
    if given is no_default:
        return None
    if given not in ("pyarrow", "numpy_nullable"):
        raise Refused(f"`dtype_backend={value_text(given)}`")
    return str(given)


def _whole(plan: Frame) -> Any:
    """A frame whose rows stand in files, unless they are few."""
    if plan.rows.count is not None and plan.rows.count < choice.settings.threshold // _FEWER:
        raise Stays("a small file")
    made = wrapping.wrap(plan)
    if any(isinstance(rows, FileScan) and not rows.files for rows in walk.reached([plan.rows], lambda rows: rows.inputs)):
        # What is not held open is read now: later it may be another file.
        state.force(made)
    return made


def _read_text(name: str, delimiter: str) -> None:
    """Makes a reader of files of text whose fields a delimiter separates."""
    base = getattr(pandas, name)
    signature = inspect.signature(base)

    @function(name)
    def read(filepath_or_buffer: Any, *args: Any, **kwargs: Any) -> Any:
        filepath_or_buffer, kwargs = streams.fetched(filepath_or_buffer, kwargs)

        def native() -> Any:
            bound = signature.bind(filepath_or_buffer, *args, **kwargs)
            bound.apply_defaults()
            given = dict(bound.arguments)
            return adopted(csv_reader.csv_frame(given.pop("filepath_or_buffer"), given, delimiter, choice.settings.threshold))

        return _read(name, native, base, filepath_or_buffer, args, kwargs)


_read_text("read_csv", ",")
_read_text("read_table", "\t")


_READ_JSON = pandas.read_json
_JSON = inspect.signature(pandas.read_json)


@function("read_json")
def read_json(path_or_buf: Any, *args: Any, **kwargs: Any) -> Any:
    path_or_buf, kwargs = streams.fetched(path_or_buf, kwargs)

    def native() -> Any:
        bound = _JSON.bind(path_or_buf, *args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        return adopted(json_reader.json_frame(given.pop("path_or_buf"), given, choice.settings.threshold, _READ_JSON))

    return _read("read_json", native, _READ_JSON, path_or_buf, args, kwargs)


def _read_database(name: str) -> None:
    """Makes a reader of what a database answers."""
    base = getattr(pandas, name)
    signature = inspect.signature(base)

    @function(name)
    def read(sql: Any, con: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(sql, con, *args, **kwargs)
            bound.apply_defaults()
            sql_reader.check(bound.arguments)
        except (Refused, TypeError) as refusal:
            return _left(name, str(refusal), base, sql, (con, *args), kwargs)
        changes = getattr(con, "total_changes", None)
        try:
            frame, many = sql_reader.sql_frame(bound.arguments, choice.settings.threshold, or_table=name == "read_sql")
        except Refused as refusal:
            return _left(name, str(refusal), base, sql, (con, *args), kwargs)
        except Failed as failure:
            report.LOG.add(name, "raised", "")
            raise failure.error from failure.error.__cause__
        made = adopted(frame)
        if many:
            report.LOG.add(name, "native", "")
            # Only a query that changes nothing can be asked twice.
            if choice.settings.check is not None and changes is not None and con.total_changes == changes:
                attempt.compare(name, made, base, sql, (con, *args), kwargs)
        return made


_read_database("read_sql")
_read_database("read_sql_query")


def _read(name: str, native: Callable[[], Any], base: Callable[..., Any], path: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a reader reads: by the engine, or by pandas, which also complains where there is something to complain about."""
    made = None
    put_back = streams.bookmark(path)
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            made = native()
    except Stays:
        put_back()
    except Exception as refusal:
        put_back()
        reason = str(refusal) if isinstance(refusal, Refused) else recovery.failure(refusal) or f"{type(refusal).__name__}: {refusal}"
        return _left(name, reason, base, path, args, kwargs)
    if made is None:
        return adopted(base(path, *args, **kwargs))
    for warning in told:
        # What asked stands above this, and above the reader that called it.
        warnings.warn(warning.message, warning.category, stacklevel=3)
    report.LOG.add(name, "native", "")
    _keep(made, name, base, path, args, kwargs)
    if choice.settings.check is not None and wrapping.is_ours(made):
        put_back()
        attempt.compare(name, made, base, path, args, kwargs)
    return made


def _keep(made: Any, name: str, base: Callable[..., Any], path: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Keeps with a frame whose rows stand in files how pandas reads them: a file that is held open may be gone by then."""
    if not wrapping.is_ours(made) or not state.is_lazy(made):
        return
    below = walk.reached([made.__dict__[state.PLAN].rows], lambda rows: rows.inputs)
    files = [file for rows in below if isinstance(rows, FileScan) for file in rows.files]
    held = files[0] if len(files) == 1 and os.path.isfile(path) else None
    recovery.keep(made, name, lambda file, *args, **kwargs: base(path if file is None else file.path, *args, **kwargs), held, args, kwargs)


def _left(name: str, reason: str, base: Callable[..., Any], path: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Lets pandas read."""
    if not choice.within.depth:
        report.refused(name, reason)
    where = "raised"
    try:
        made = adopted_tables(base(path, *args, **kwargs))
        where = "pandas"
        return made
    finally:
        report.LOG.add(name, where, reason)


@function("merge")
def merge(left: Any, right: Any, *args: Any, **kwargs: Any) -> Any:
    if choice.within.depth or not wrapping.is_ours(left) or not isinstance(left, registry.BaseDataFrame):
        return adopted(_MERGE(left, right, *args, **kwargs))
    return adopted(left.merge(right, *args, **kwargs))


def _all_stay(values: Any) -> bool:
    """Whether none of these is work for the engine."""
    return all(not wrapping.is_ours(value) or choice.stays(value) for value in values)


@function("concat")
def concat(objs: Any, **options: Any) -> Any:
    if not isinstance(objs, (list, tuple, Mapping)) and isinstance(objs, Iterable) and not isinstance(objs, (str, registry.BaseDataFrame, registry.BaseSeries)):
        objs = list(objs)
    pieces = list(objs.values()) if isinstance(objs, Mapping) else objs if isinstance(objs, (list, tuple)) else []
    if choice.within.depth or _all_stay(pieces):
        return adopted(_CONCAT(objs, **options))
    value = next(piece for piece in pieces if wrapping.is_ours(piece) and not choice.stays(piece))
    return attempt.attempt(
        "pandas.concat",
        value,
        lambda _, objs, **options: stacking.concat(objs, **options),
        lambda _, objs, **options: adopted(_CONCAT(objs, **options)),
        (objs,),
        options,
        stacking,
    )


def _reading(name: str) -> None:
    """Makes a reader of pandas' one whose frames are ours."""
    base = getattr(pandas, name)

    @function(name)
    def read(*args: Any, **kwargs: Any) -> Any:
        return adopted_tables(base(*args, **kwargs))


for _name in sorted(name for name in dir(pandas) if name.startswith("read_") or name in ("json_normalize", "from_dummies", "merge_ordered", "wide_to_long")):
    if _name not in FUNCTIONS:
        _reading(_name)
