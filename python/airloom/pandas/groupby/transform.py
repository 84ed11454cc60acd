"""`transform` of groups: what a group comes to, beside each of its rows."""

from __future__ import annotations

from typing import Any

from airloom.pandas.algorithms.take import absent
from airloom.pandas.algorithms.take import present as there
from airloom.pandas.dispatch.registry import OPERATIONS, operation
from airloom.pandas.dtypes import types
from airloom.pandas.groupby.grouping import Coded, Grouping
from airloom.pandas.groupby.transform_rows import beside, keyless, left_out, partition_of, without_key
from airloom.pandas.internals import materialize
from airloom.pandas.ops.aggregates import aggregate_of, is_aggregate
from airloom.pandas.ops.deferred import Narrowed
from airloom.pandas.plan.expression import Ref, Slot
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Vector, evaluate_windows
from airloom.pandas.plan.rows import LookupJoin
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.udf.groups import over_groups

#: Reductions that are no folds of one column.
_REDUCING = frozenset("sum prod mean median min max first last count size nunique std var sem any all skew kurt quantile idxmin idxmax".split())


def _reduced_beside(groups: Grouping, func: str, args: Any, kwargs: Any) -> Any:
    """What a reduction makes of each group, beside each of its rows."""
    frame = groups.frame
    if func not in _REDUCING or func not in OPERATIONS["GroupBy"] or groups.spans is not None:
        raise Refused(f"`transform` by `{func}`")
    plain = groups.chosen(groups.selection)
    plain.vector, plain.as_index, plain.sort, plain.observed, plain.whole = groups.vector, True, True, True, False
    made = OPERATIONS["GroupBy"][func](plain, *args, **kwargs)
    if not isinstance(made, (Frame, Vector)) or not isinstance(made.index, ColumnLabels) or len(made.index.columns) != len(groups.keys):
        raise Refused(f"`transform` by `{func}`")
    found = [materialize.decided(column) for column in (made.columns if isinstance(made, Frame) else [made.column])]
    below, found = evaluate_windows(made.rows, found)
    mine = [key.as_labels().expression if isinstance(key, Coded) else key.expression for key in groups.keys]
    slots = [Slot("value") for _ in found]
    sought = {slot: column.expression for slot, column in zip(slots, found, strict=True)}
    theirs = [key.expression for key in made.index.columns]
    rows = LookupJoin(frame.rows, mine, below, theirs, sought, Slot("found"), any_of=False)
    put = absent if keyless(groups) is not None else there
    columns = [put(column, Ref(slot)) for column, slot in zip(found, slots, strict=True)]
    if isinstance(made, Vector):
        return Vector(rows, columns[0], groups.selection if groups.vector else None, frame.index)
    return Frame(rows, columns, made.labels, frame.index)


#: Results that stand row for row already: `transform` is the method itself.
_ROWWISE = {"cumsum", "cumprod", "cummin", "cummax", "cumcount", "ngroup", "shift", "diff", "pct_change", "rank", "ffill", "bfill"}


def _any_time(groups: Grouping) -> bool:
    dtypes = [materialize.decided(groups.frame.columns[position]).dtype for position in groups.positions]
    return any(types.is_time(dtype) or types.is_duration(dtype) for dtype in dtypes)


@operation("GroupBy.transform")
def transform(groups: Grouping, func: Any, *args: Any, engine: Any = None, engine_kwargs: Any = None, **kwargs: Any) -> Any:
    if engine is not None or engine_kwargs is not None:
        raise Refused(f"`engine={value_text(engine)}` or `engine_kwargs`")
    if not isinstance(func, str):
        from airloom.pandas.groupby.apply import transformed

        return transformed(groups, func, args, kwargs)
    if func in _ROWWISE:
            return OPERATIONS["GroupBy"][func](groups, *args, **kwargs)
    if args or kwargs or func == "skew" or not is_aggregate(func) or (func in ("mean", "median") and _any_time(groups)):
        return _reduced_beside(groups, func, args, kwargs)
    rows = groups.frame.rows
    partition = partition_of(groups)
    gone = without_key(groups)

    def beside_each(column: Column) -> Column:
        made = aggregate_of(rows, func, column)
        value = over_groups(made.expression, partition)
        if not isinstance(made.dtype, Narrowed):
            return left_out(Column(value, made.dtype), gone, rows)
        if gone is not None:
            raise Refused("sums of a narrow integer dtype beside rows with missing keys")
        return Column(value, made.dtype.over(rows, value))

    if func == "size":
        if groups.vector:
            column = groups.frame.columns[groups.positions[0]]
            if column.unsupported or types.is_nullable(column.dtype):
                raise Refused(f"`size` of dtype `{column.dtype}`")
        else:
            made = beside_each(groups.keys[0])
            return Vector(rows, made, None, groups.frame.index)
    narrow = [materialize.decided(groups.frame.columns[position]).dtype for position in groups.positions]
    narrow = [dtype for dtype in narrow if types.is_integer(dtype) and dtype.itemsize < 8]
    if len(set(narrow)) < len(narrow) and func in ("sum", "prod"):
        raise Refused("sums of several columns of one narrow integer dtype")
    return beside(groups, beside_each)
