"""Tables of groups: `pivot_table` and `crosstab`. The engine makes the groups, and pandas arranges what is left, which is as small as the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas import concat as pandas_concat
from pandas.core.reshape.pivot import _normalize

from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plain, plan_of, wrap
from airloom.pandas.indexing.getitem import frame_columns, with_column
from airloom.pandas.plan.frame import Frame, Vector
from airloom.pandas.refusals import Refused
from airloom.pandas.reshape.concat import concat
from airloom.pandas.reshape.margins import margined

_NAMES = frozenset("sum mean min max count size first last median std var nunique any all prod sem".split())


@operation("DataFrame.pivot_table", "pandas.pivot_table")
def pivot_table(
    frame: Frame,
    values: Any = None,
    index: Any = None,
    columns: Any = None,
    aggfunc: Any = "mean",
    fill_value: Any = None,
    margins: bool = False,
    dropna: bool = True,
    margins_name: Any = "All",
    observed: bool = True,
    sort: bool = True,
    **kwargs: Any,
) -> Any:
    if not isinstance(margins, bool) or kwargs or dropna is not True or not isinstance(observed, bool) or not isinstance(sort, bool):
        raise Refused("`dropna=False`, further arguments, or options that are not boolean")
    down, across = _labels(frame, index), _labels(frame, columns)
    if not down or len({*down, *across}) != len(down) + len(across):
        raise Refused("no `index`, or duplicate keys")
    chosen = None if values is None else _labels(frame, values)
    given = {"fill_value": fill_value, "observed": observed, "sort": sort, "margins": (margins_name,) if margins else None}
    several = isinstance(values, (list, tuple))
    if isinstance(aggfunc, list):
        if not all(isinstance(name, str) for name in aggfunc):
            raise Refused("a Python function as `aggfunc`")
        pieces = [_table(frame, chosen, several, down, across, name, given) for name in aggfunc]
        return pandas_concat(pieces, keys=aggfunc, axis=1)
    return _table(frame, chosen, several, down, across, aggfunc, given)


def _labels(frame: Frame, given: Any) -> list[Any]:
    labels = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
    if isinstance(frame.labels, pandas.MultiIndex) or not frame.labels.is_unique:
        raise Refused("MultiIndex columns, or duplicate column labels")
    if not all(isinstance(label, (str, int, np.integer)) and label in frame.labels for label in labels):
        raise Refused("keys that are not columns")
    return labels


def _named(function: Any) -> bool:
    if isinstance(function, dict):
        return all(_named(item) if not isinstance(item, list) else all(map(_named, item)) for item in function.values())
    return isinstance(function, str) and function in _NAMES


def _table(frame: Frame, values: Any, several: bool, down: list[Any], across: list[Any], function: Any, given: dict[str, Any]) -> Any:
    if not _named(function):
        raise Refused("a Python function as `aggfunc`")
    keys = down + across
    if values is None and len(frame.columns) == len(keys):
        raise Refused("no values")
    cut = frame if values is None else frame_columns(frame, [*keys, *(value for value in values if value not in keys)])
    if values is not None and set(values) & set(keys):
        raise Refused("a column that is both key and value")
    groups = wrap(cut).groupby(keys, observed=given["observed"], sort=given["sort"], dropna=True)
    if values is not None:
        groups = groups[values]
    made = plain(groups.agg(function))
    if isinstance(made, BaseDataFrame) and len(made.columns):
        made = made.dropna(how="all")
    add = None
    if given["margins"] is not None:
        columns = [label for label in cut.labels if label not in keys] if values is None else values
        add = margined(cut, columns, down, across, function, given)
    return arranged(made, len(down), len(keys), values is not None and not several, given, add)


def arranged(made: Any, down: int, count: int, single: bool, given: dict[str, Any], add: Any = None) -> Any:
    """The groups as a table: the first keys are its rows, the others its columns."""
    fill_value = given["fill_value"]
    if made.index.nlevels > 1:
        names = list(made.index.names)
        levels = [at if names[at] is None or names[at] in names[:down] else names[at] for at in range(down, count)]
        made = made.unstack(levels, fill_value=fill_value)
    if given["sort"] and isinstance(made, BaseDataFrame):
        made = made.sort_index(axis=1)
    if fill_value is not None:
        made = made.fillna(fill_value)
    if add is not None:
        made = add(made)
    if single and made.columns.nlevels > 1:
        made.columns = made.columns.droplevel(0)
    return made.dropna(how="all", axis=1) if isinstance(made, BaseDataFrame) else made


@operation("pandas.crosstab")
def crosstab(
    vector: Any,
    columns: Any,
    values: Any = None,
    rownames: Any = None,
    colnames: Any = None,
    aggfunc: Any = None,
    margins: bool = False,
    margins_name: Any = "All",
    dropna: bool = True,
    normalize: Any = False,
) -> Any:
    if not isinstance(vector, Vector) or values is not None or aggfunc is not None or margins or dropna is not True:
        raise Refused("`values`, `aggfunc`, `margins` or `dropna=False`")
    across = columns if isinstance(columns, list) else [columns]
    if not across or not all(isinstance(item, BaseSeries) for item in across):
        raise Refused("keys that are not Series")
    shown = [*_names([vector.name], rownames, "row"), *_names([item.name for item in across], colnames, "col")]
    if len(set(shown)) != len(shown) or "__dummy__" in shown:
        raise Refused("duplicate names")
    # Names of its own, as pandas has them: a key named 0 would be taken for the level at that position.
    names = ["row_0", *(f"col_{at}" for at in range(len(across)))]
    beside = concat([wrap(vector.named(names[0])), *(wrap(plan_of(item).named(name)) for item, name in zip(across, names[1:], strict=True))], axis=1, join="inner")
    if any(name in beside.index.names for name in (*names, *shown)):
        raise Refused("keys named like index labels")
    made = wrap(with_column(beside, "__dummy__", 0)).groupby(names, observed=True, sort=True, dropna=True)["__dummy__"].size()
    table = arranged(plain(made).to_frame("__dummy__"), 1, len(names), True, {"fill_value": 0, "sort": True})
    if normalize is not False:
        table = _normalize(table, normalize=normalize, margins=False, margins_name=margins_name)
    renamed = dict(zip(names, shown, strict=True))
    table = table.rename_axis(index=renamed, axis=0).rename_axis(columns=renamed, axis=1)
    return table


def _names(found: list[Any], given: Any, word: str) -> list[Any]:
    if given is not None:
        if not isinstance(given, list) or len(given) != len(found):
            raise Refused("names that are not one for each key")
        return given
    return [f"{word}_{at}" if name is None else name for at, name in enumerate(found)]
