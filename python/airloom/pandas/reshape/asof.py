"""Joining each row with the nearest one of another frame: `merge_asof`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas
from pandas import merge_asof as pandas_merge_asof

from airloom import ir
from airloom.pandas.algorithms import prototypes
from airloom.pandas.algorithms.elementwise import any_row, either, missing
from airloom.pandas.dispatch.registry import BaseDataFrame, operation
from airloom.pandas.dispatch.wrapping import plan_of
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Call, Expression, Fold, Literal, Over, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, Frame, Question, RangeLabels
from airloom.pandas.plan.rows import Derived, Sorted
from airloom.pandas.refusals import Refused
from airloom.pandas.reshape.merge_sides import missing_side


@operation("pandas.merge_asof")
def merge_asof(
    left: Frame,
    right: Any,
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    left_index: bool = False,
    right_index: bool = False,
    by: Any = None,
    left_by: Any = None,
    right_by: Any = None,
    suffixes: Any = ("_x", "_y"),
    tolerance: Any = None,
    allow_exact_matches: bool = True,
    direction: str = "backward",
) -> Frame:
    if left_index or right_index or not isinstance(right, BaseDataFrame) or not isinstance(left, Frame):
        raise Refused("`left_index` or `right_index`, or an operand that is not a DataFrame")
    far = prototypes.settled(plan_of(right))
    left = prototypes.settled(left)
    for frame in (left, far):
        if isinstance(frame.labels, pandas.MultiIndex) or not frame.labels.is_unique:
            raise Refused("MultiIndex columns, or duplicate column labels")
    options = {
        "on": on,
        "left_on": left_on,
        "right_on": right_on,
        "by": by,
        "left_by": left_by,
        "right_by": right_by,
        "suffixes": suffixes,
        "tolerance": tolerance,
        "allow_exact_matches": allow_exact_matches,
        "direction": direction,
    }
    mine_model, theirs_model = prototypes.one_row(left), prototypes.one_row(far)
    model = prototypes.ask_pandas(lambda: pandas_merge_asof(mine_model, theirs_model, **options))
    mine, theirs = (_labels(on if given is None else given) for given in (left_on, right_on))
    mine_by, theirs_by = (_labels(by if given is None else given) for given in (left_by, right_by))
    for frame, label in ((left, mine[0]), (far, theirs[0])):
        _check_sorted(frame, frame.column(label), subtracts=direction == "nearest" or tolerance is not None)
    for frame, labels in ((left, mine_by), (far, theirs_by)):
        for label in labels:
            column = materialize.decided(frame.column(label))
            if column.unsupported or types.is_category(column.dtype) or any_row(frame.rows, missing(column)):
                raise Refused("`by` with categories or missing values")
    shared = {a for a, b in zip((*mine, *mine_by), (*theirs, *theirs_by), strict=True) if a == b}
    return _nearest(left, far, mine[0], theirs[0], list(zip(mine_by, theirs_by, strict=True)), shared, model, options)


def _labels(given: Any) -> list[Hashable]:
    labels = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
    if not all(isinstance(label, (str, int, np.integer)) for label in labels):
        raise Refused("keys that are not column labels")
    return labels


def _check_sorted(frame: Frame, key: Column, *, subtracts: bool) -> None:
    """Refuses keys that are not sorted, or missing: pandas complains. With `subtracts`, also those whose differences are no numbers, or wrap: -inf is NaN away from itself."""
    if key.unsupported or not (types.is_number(key.dtype) or types.is_time(key.dtype)) or types.is_bool(key.dtype):
        raise Refused(f"`merge_asof` on dtype `{key.dtype}`")
    type = types.type_of(key.dtype)
    assert type is not None
    before = Over(Fold("arr_shift", (call("cast", key.expression, to=ir.optional(type.required)),), (1, Literal(None, type.required))))
    falls = call("is_true", call("lt", key.expression, before))
    if any_row(frame.rows, missing(key) if _was_sorted(frame, key) else either(missing(key), falls)):
        raise Refused("keys that are not sorted, or missing: sort by them before")
    if not subtracts or types.is_time(key.dtype):
        return
    if types.is_float(key.dtype) and any_row(frame.rows, call("is_infinite", key.expression)):
        raise Refused("infinite keys, with `direction='nearest'` or `tolerance`")
    most = 2**62
    if types.is_integer(key.dtype) and key.dtype.itemsize == 8:
        wraps = call("gt", key.expression, Literal(most, type))
        below = call("lt", key.expression, Literal(-most, type))
        if any_row(frame.rows, wraps if key.dtype.kind == "u" else either(wraps, below)):
            raise Refused(f"keys beyond {most}, whose differences may wrap")


def _was_sorted(frame: Frame, key: Column) -> bool:
    """Whether rows were just put into the order of a key, so that nobody need look at them."""
    rows = frame.rows
    if not isinstance(rows, Sorted) or not rows.by[0].startswith("asc"):
        return False
    first = rows.keys[0]
    if isinstance(first, Call) and first.op == "nan_to_null":
        (first,) = first.arguments
    return isinstance(first, Ref) and isinstance(key.expression, Ref) and first.slot is key.expression.slot


def _nearest(
    left: Frame, right: Frame, mine: Hashable, theirs: Hashable, pairs: list[tuple[Hashable, Hashable]], shared: set[Hashable], model: Any, options: dict[str, Any]
) -> Frame:
    reads: list[dict[Slot, Expression]] = [{}, {}]
    names: dict[tuple[int, Hashable], Slot] = {}
    for side, frame in enumerate((left, right)):
        for at, (label, column) in enumerate(zip(frame.labels, frame.columns, strict=True)):
            slot = names[side, label] = Slot(f"{'lr'[side]}{at}")
            reads[side][slot] = column.expression
    mark = Slot("found")
    reads[1][mark] = Literal(True, ir.bool_)
    within = _tolerance(options["tolerance"], left.column(mine).dtype)

    def make(one: Any, other: Any) -> Any:
        return ir.asof(
            one,
            other,
            within(),
            lambda row: row[names[0, mine].name],
            lambda row: row[names[1, theirs].name],
            lambda row: {f"k{at}": row[names[0, a].name] for at, (a, _) in enumerate(pairs)},
            lambda row: {f"k{at}": row[names[1, b].name] for at, (_, b) in enumerate(pairs)},
            direction=options["direction"],
            exact=options["allow_exact_matches"],
        )

    slots = {slot: slot.name for side in reads for slot in side}
    rows = Derived([left.rows, right.rows], reads, slots, make)
    rows.count = left.rows.count
    test = None if pairs else _unmatched(left, right, left.column(mine), right.column(theirs), options)
    test = test or Question(rows, call("is_null", Ref(mark)))
    columns = [column.at(Ref(names[0, label])) for label, column in zip(left.labels, left.columns, strict=True)]
    for label, column in zip(right.labels, right.columns, strict=True):
        if label not in shared:
            columns.append(missing_side(column, names[1, label], test))
    return Frame(rows, columns, model.columns, RangeLabels())


def _unmatched(left: Frame, right: Frame, mine: Column, theirs: Column, options: dict[str, Any]) -> Question | None:
    """Whether any row finds no other, as the first or the last of the other side tells; none where it tells too little. Nobody need join the rows to know."""
    if options["tolerance"] is not None or options["direction"] == "nearest" or not (types.is_integer(mine.dtype) and kinds.same(mine.dtype, theirs.dtype)):
        return None
    backward = options["direction"] == "backward"
    end = run.value(right.rows, fold("min" if backward else "max", theirs.expression))
    if end is None:
        return None
    type = types.type_of(mine.dtype)
    assert type is not None
    beyond = ("lt" if backward else "gt") if options["allow_exact_matches"] else ("le" if backward else "ge")
    return Question(left.rows, call("is_true", call(beyond, mine.expression, Literal(end, type.required))))


def _tolerance(value: Any, dtype: Any) -> Any:
    type = types.type_of(dtype)
    assert type is not None
    if types.is_time(dtype):
        span = ir.duration(types.unit_of(dtype))  # type: ignore[arg-type]
        if value is None:
            return lambda: ir.null(span)
        exact = np.int64(pandas.Timedelta(value).as_unit(types.unit_of(dtype))._value).view(f"m8[{types.unit_of(dtype)}]")
        return lambda: ir.const(exact, span)
    if value is None:
        return lambda: ir.null(type.required)
    if types.is_float(dtype):
        return lambda: ir.const(float(value), type)
    if not 0 <= int(value) <= np.iinfo(dtype).max:
        raise Refused(f"a `tolerance` out of bounds of `{dtype}`")
    return lambda: ir.const(int(value), type)
