"""`concat` of pieces of any shape: pandas is asked with pieces of positions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pandas import concat as pandas_concat
from pandas.api.extensions import no_default

from airloom.pandas.algorithms.prototypes import ask_pandas, one_row
from airloom.pandas.algorithms.relocate import Source, coded, in_memory, rebuilt, sources
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dispatch.wrapping import plan_of
from airloom.pandas.dtypes import types
from airloom.pandas.internals import materialize
from airloom.pandas.plan.frame import Frame
from airloom.pandas.plan.rows import space_of
from airloom.pandas.refusals import Refused
from airloom.pandas.reshape import concat as stacking


def concat(objs: Any, **options: Any) -> Any:
    """What `pandas.concat` makes: as columns stacked, or side by side, where pieces are alike; else by positions."""
    try:
        return stacking.concat(objs, **options)
    except Refused:
        return _by_positions(objs, options)


def _by_positions(objs: Any, options: dict[str, Any]) -> Any:
    if isinstance(objs, Mapping):
        keys = options.get("keys")
        options = {**options, "keys": list(objs) if keys is None else keys}
        objs = [objs[key] for key in options["keys"]]
    objs = list(objs)
    if options.get("copy", no_default) is not no_default or options.get("union_categories"):
        raise Refused("`union_categories` or the `copy` argument")
    if not objs or not all(isinstance(item, (BaseDataFrame, BaseSeries)) for item in objs):
        raise Refused("objects that are neither DataFrame nor Series")
    if any(item.attrs for item in objs):
        raise Refused("`attrs`")
    plans = [in_memory(plan_of(item)) for item in objs]
    start = 0
    codes = []
    for plan, index in zip(plans, materialize.restored_indexes(plans), strict=True):
        codes.append(coded(plan, start, index))
        start += codes[-1].size
    found = sources(plans)
    result = ask_pandas(lambda: pandas_concat(codes, **options))
    if not found:
        # Nothing but labels.
        return result
    if options.get("axis", 0) in (1, "columns"):
        return rebuilt(found, result, lambda at: _beside(found, result, at))
    return rebuilt(found, result, _below(plans, result, options))


def _beside(found: list[Source], result: Any, at: int) -> Any:
    """The dtype of a column that stands beside others: its own, unless no label of it is left."""
    codes = result.iloc[:, at].to_numpy()
    if (codes >= 0).any():
        return None
    own = found[at].column.dtype
    if not len(codes):
        return own
    return types.FLOAT64 if types.is_integer(own) else types.OBJECT if types.is_bool(own) else own


def _model(plan: Any) -> Any:
    made = one_row(plan)
    return made if space_of(plan.rows).count else adopted(ask_pandas(lambda: made.iloc[:0]))


def _below(plans: list[Any], result: Any, options: dict[str, Any]) -> Any:
    """The dtypes of columns of which the pieces have parts: pandas' own, of pieces with a row each, or none."""
    models = [_model(plan) for plan in plans]
    given = {name: value for name, value in options.items() if name in ("join", "sort", "ignore_index", "keys", "names")}
    if any(isinstance(plan, Frame) and not plan.columns for plan in plans):
        raise Refused("a frame without columns")
    model = ask_pandas(lambda: pandas_concat(models, **{**given, "ignore_index": True, "keys": None, "names": None}))
    dtypes = [model.dtype] if isinstance(model, BaseSeries) else list(model.dtypes)
    if types.OBJECT in dtypes and any(types.is_masked(source.column.dtype) for source in sources(plans)):
        raise Refused("nullable columns that become objects, in which what is missing is NA, and what is not there NaN")
    if isinstance(result, BaseDataFrame) and not model.columns.equals(result.columns):
        raise Refused("columns in an order of their own")
    return lambda at: dtypes[at]
