"""The functions of pandas' module that make frames."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas
from pandas.api.extensions import no_default

from airloom import _report as report
from airloom.pandas.face import dispatch
from airloom.pandas.face.adopting import adopted, adopted_tables
from airloom.pandas.operations import files
from airloom.pandas.operations import joined_places as stacking
from airloom.pandas.plan.frame import Refused, Stays

#: Functions by name, to stand in place of pandas' own.
FUNCTIONS: dict[str, Callable[..., Any]] = {}


def function(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers what `pandas.name` is."""

    def register(made: Callable[..., Any]) -> Callable[..., Any]:
        FUNCTIONS[name] = functools.wraps(getattr(pandas, name))(made)
        return made

    return register


_READ_PARQUET = pandas.read_parquet
_PARQUET = inspect.signature(pandas.read_parquet)
_MERGE = pandas.merge
_CONCAT = pandas.concat


@function("read_parquet")
def read_parquet(path: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        given = dict(_PARQUET.bind(path, *args, **kwargs).arguments)
        given.pop("path")
        columns = given.pop("columns", None)
        if given.pop("engine", "pyarrow") not in ("pyarrow", no_default) or any(item not in (None, no_default) for item in given.values()):
            raise Refused("an engine, a file system, filters or dtypes of its own")
        plan = files.parquet_frame(path, columns)
        if plan.rows.count is not None and plan.rows.count < dispatch.settings.threshold:
            raise Stays("a small file")
        report.LOG.add("read_parquet", "native", "")
        return dispatch.wrap(plan)
    except Stays:
        pass
    except (Refused, OSError, TypeError) as refusal:
        report.LOG.add("read_parquet", "pandas", str(refusal))
    return adopted(_READ_PARQUET(path, *args, **kwargs))


@function("merge")
def merge(left: Any, right: Any, *args: Any, **kwargs: Any) -> Any:
    if dispatch.within.depth or not dispatch.is_ours(left) or not isinstance(left, dispatch.BaseDataFrame):
        return adopted(_MERGE(left, right, *args, **kwargs))
    return adopted(left.merge(right, *args, **kwargs))


def _all_stay(values: Any) -> bool:
    """Whether none of these is work for the engine."""
    return all(not dispatch.is_ours(value) or dispatch.stays(value) for value in values)


@function("concat")
def concat(objs: Any, **options: Any) -> Any:
    if not isinstance(objs, (list, tuple, Mapping)) and isinstance(objs, Iterable) and not isinstance(objs, (str, dispatch.BaseDataFrame, dispatch.BaseSeries)):
        objs = list(objs)
    pieces = list(objs.values()) if isinstance(objs, Mapping) else objs if isinstance(objs, (list, tuple)) else []
    if dispatch.within.depth or _all_stay(pieces):
        return adopted(_CONCAT(objs, **options))
    value = next(piece for piece in pieces if dispatch.is_ours(piece) and not dispatch.stays(piece))
    return dispatch.attempt(
        "pandas.concat",
        value,
        lambda _, **options: stacking.concat(objs, **options),
        lambda _, **options: adopted(_CONCAT(objs, **options)),
        (),
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
