"""What operations on each value by itself are written with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import literals
from airloom.pandas.algorithms.align import aligned, array_column, vector_of
from airloom.pandas.dispatch import registry
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import loading, run
from airloom.pandas.internals import convert, materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Call, Expression, Literal, Ref, call, fold
from airloom.pandas.plan.frame import Column, DeferredDtype, Frame, ObjectView, Question, Vector
from airloom.pandas.plan.rows import DataSlot, FileScan, MemoryRows, Rows, space_of
from airloom.pandas.plan.zeros import may_be_negative_zero
from airloom.pandas.refusals import Refused

#: A frame or a vector: what comes of one is the same.
Plan = TypeVar("Plan", Frame, Vector)

TRUE = Literal(True, ir.bool_)
FALSE = Literal(False, ir.bool_)


def known(column: Column) -> Column:
    """A column whose values the engine knows, and whose dtype is decided."""
    column = materialize.decided(column)
    if column.unsupported:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    return column


def each(plan: Plan, change: Callable[[Column], Column]) -> Plan:
    """A vector with its column changed, or a frame with each of its columns."""
    if isinstance(plan, Vector):
        return Vector(plan.rows, change(known(plan.column)), plan.name, plan.index)
    assert isinstance(plan, Frame)
    return plan.with_columns([change(known(column)) for column in plan.columns])


def any_row(rows: Rows, predicate: Expression) -> bool:
    """Whether something is true of any row. It is looked at now."""
    if isinstance(predicate, Literal) and not predicate.value:
        return False
    return bool(run.value(rows, fold("any", predicate)))


def tells_zeros_apart(rows: Rows, column: Column) -> bool:
    """Whether a column is one of Arrow's floats with a negative zero: as keys and labels they tell it from zero, which the engine does not. It is looked at now."""
    return types.is_arrow(column.dtype) and has_negative_zero(rows, column)


def has_negative_zero(rows: Rows, column: Column) -> bool:
    """Whether a column of floats has a negative zero. It is looked at now."""
    if column.unsupported or types.type_of(column.dtype) is None or column.dtype.kind != "f":
        return False

    def look(over: Rows, expression: Expression) -> bool:
        return _finds_negative_zero(over, expression, column.dtype)

    return may_be_negative_zero(rows, column.expression, look) and look(rows, column.expression)


def _finds_negative_zero(rows: Rows, expression: Expression, dtype: Any) -> bool:
    type = types.type_of(dtype)
    assert type is not None
    zero, one = Literal(0.0, type.required), Literal(1.0, type.required)
    return any_row(rows, call("is_true", both(call("eq", expression, zero), call("lt", call("copysign", one, expression), zero))))


def may_hold_negative_zero(rows: Rows, column: Column) -> bool:
    """Whether a column of floats may have a negative zero. Only what is in memory is looked at, and once: of all else it is not known."""

    def look(over: Rows, expression: Expression) -> bool:
        return not isinstance(over, MemoryRows) or _finds_negative_zero(over, expression, column.dtype)

    return may_be_negative_zero(rows, column.expression, look)


def stores_negative_zero(rows: Rows, column: Column) -> bool:
    """Whether a column in memory is of floats and has a negative zero, in whichever of its rows."""
    stored = isinstance(column.expression, Ref) and isinstance(column.expression.slot, DataSlot) and not column.unsupported
    return stored and getattr(column.dtype, "kind", "") == "f" and types.type_of(column.dtype) is not None and may_hold_negative_zero(rows, column)


def checked(rows: Rows, expression: Expression, dtype: Any, bad: Expression, reason: str) -> Column:
    """A column that is refused where something is true of any row. What is in memory, or in a file that fits there, is computed now, once, with what is looked for."""
    base = space_of(rows)
    space = base if isinstance(base, MemoryRows) else loading.space_in_memory(base) if isinstance(base, FileScan) else None
    if space is None:
        if any_row(rows, bad):
            raise Refused(reason)
        return Column(expression, dtype)
    found = run.table(rows, {"value": expression, "bad": bad})
    if found.numpy("bad", "bool").any():
        raise Refused(reason)
    made = captured_array(space, convert.to_array(found, "value", dtype), "value")
    if space is base:
        return made
    assert isinstance(base, FileScan) and isinstance(made.expression, Ref)
    return Column(Ref(loading.added(base, made.expression.slot)), dtype)


def missing(column: Column) -> Expression:
    """Whether each value is missing."""
    if column.by_position:
        return _absent(column)
    column = column.unwrapped()
    dtype = column.dtype
    if types.is_float(dtype):
        return call("is_nan", column.expression)
    if types.is_number(dtype):
        return FALSE
    if types.is_category(dtype):
        type = types.type_of(dtype)
        assert type is not None
        return call("lt", column.expression, Literal(0, type))
    return call("is_null", column.expression)


def _absent(column: Column) -> Expression:
    """Which of the values that pandas holds are missing: pandas is asked once, of all of them."""
    space = column.held.space
    if space is None or not isinstance(column.expression, Ref) or column.expression.slot is not space._position:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    held = column.held
    slot = DataSlot("missing", space, ir.bool_, held, lambda: convert.to_column(held.missing, types.BOOL))
    # Not the slot alone: a column that is a slot and has the dtype of its owner is what the owner holds, and as objects these booleans would be the values.
    return call("is_true", Ref(slot))


def object_truth(column: Column, *, missing: bool | None) -> Expression:
    """Whether Python takes each of the objects that pandas holds for true: it is asked once, of all of them. What is missing is `missing`, unless it is to be asked too."""
    space = column.held.space
    if space is None or not isinstance(column.expression, Ref) or column.expression.slot is not space._position:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    array = column.held.array
    try:
        truth = (array if missing is None else np.where(column.held.missing, missing, array)).astype(bool)
    except Exception as error:
        raise Refused("objects that are neither true nor false") from error
    return call("is_true", Ref(DataSlot("truth", space, ir.bool_, None, lambda: convert.to_column(truth, types.BOOL))))


def understood(column: Column) -> Column:
    """A column with its values, where pandas holds it as objects that are all of one kind."""
    if not column.by_position or column.dtype != types.OBJECT:
        return column
    space = column.held.space
    if space is None or not isinstance(column.expression, Ref) or column.expression.slot is not space._position or column.held.read is None:
        return column
    array, dtype, missing = column.held.read
    type = types.type_of(dtype)
    assert type is not None
    slot = DataSlot("value", space, type, None, lambda: convert.to_column(array, dtype))
    if slot.is_text:
        slot.transient = True
        slot.arrow = lambda: array._pa_array
    return Column(Ref(slot), types.OBJECT, shown=ObjectView(dtype, missing))


#: What numbers of periods are taken for: their missing value is that of timestamps.
NUMBERED = np.dtype("M8[ns]")


def ordered(column: Column) -> Column:
    """Periods as what they are ordered by: their numbers, as timestamps, of which the same one is missing. Anything else as it is."""
    if not column.by_position or not isinstance(column.dtype, pandas.PeriodDtype):
        return column
    space = column.held.space
    if space is None or not isinstance(column.expression, Ref) or column.expression.slot is not space._position:
        return column
    held, type = column.held, types.type_of(NUMBERED)
    assert type is not None
    slot = DataSlot("period", space, type, None, lambda: convert.to_column(held.array.asi8.view(NUMBERED), NUMBERED))
    return Column(Ref(slot), NUMBERED)


def are_dates(column: Column) -> bool:
    """Whether objects are all dates, and are held as such."""
    return column.shown is not None and kinds.same(column.shown.dtype, types.DATE)


def object_text(column: Column) -> Expression | None:
    """Text that pandas holds as objects, such as the parts of what was split; none for anything else."""
    made = column.expression
    if column.shown is not None:
        return made if types.is_text(column.shown.dtype) else None
    if column.unsupported or column.dtype != types.OBJECT or not isinstance(made, Call):
        return None
    return made if made.op in _MAKING_TEXT else None


def are_objects(column: Column) -> bool:
    """Whether pandas has values that the engine knows, and that are no text, as objects: such as booleans beside a row without a partner."""
    return not column.unsupported and not isinstance(column.dtype, DeferredDtype) and column.dtype == types.OBJECT and object_text(column) is None


#: The ops that make text of text.
_MAKING_TEXT = frozenset(
    "list_at str_at str_slice str_strip str_replace str_replace_regex str_pad str_zfill str_repeat str_strip_prefix str_strip_suffix".split()
)


def has_missing(rows: Rows, column: Column) -> bool:
    """Whether any value is missing. It is looked at now."""
    return any_row(rows, missing(column))


def negated(predicate: Expression) -> Expression:
    if isinstance(predicate, Literal):
        return FALSE if predicate.value else TRUE
    return call("not_", predicate)


def both(first: Expression, second: Expression) -> Expression:
    return call("and_", first, second)


def either(first: Expression, second: Expression) -> Expression:
    return call("or_", first, second)


def select(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    return call("select", condition, then, otherwise)


def as_floats(column: Column) -> Expression:
    """Numbers as floats, NaN where they are missing."""
    column = known(column)
    if types.is_masked(column.dtype):
        return call("null_to_nan", call("cast", column.expression, to=ir.optional(ir.f64)))
    if not types.is_number(column.dtype):
        raise Refused(f"dtype `{column.dtype}` as floats")
    return column.expression if column.dtype == types.FLOAT64 else call("cast", column.expression, to=ir.f64)


def fits(value: Any, dtype: Any) -> Literal | None:
    """A value as one of a column's, where a column of the dtype can hold it as it is: what is missing too, where the dtype has missing values."""
    if types.is_time(dtype) and isinstance(value, str):
        return None
    if literals.is_missing(value) and not can_be_missing(value, dtype):
        return None
    if isinstance(value, (int, np.integer)) and types.is_float(dtype) and abs(int(value)) > 2**24:
        # Beyond this a float may round it.
        if int(np.float64(value)) != int(value) or dtype.itemsize < 8:
            return None
    try:
        return literals.literal(value, dtype)
    except Refused:
        return None


def can_be_missing(value: Any, dtype: Any) -> bool:
    """Whether a dtype has this kind of missing value."""
    if value is pandas.NaT:
        return types.is_time(dtype) or types.is_duration(dtype)
    if types.is_nullable(dtype):
        return value is None or value is pandas.NA or isinstance(value, float)
    if value is pandas.NA:
        return False
    return types.is_float(dtype) or types.is_text(dtype) or types.is_time(dtype) or types.is_duration(dtype) or types.is_category(dtype)


def widened(column: Column, rows: Rows, gone: Expression) -> Column:
    """A column without the values of some rows: missing there, with the dtype that pandas then has for all."""
    dtype = column.dtype
    type = types.type_of(dtype)
    assert type is not None
    if types.is_number(dtype) and not types.is_float(dtype):
        left = select(gone, Literal(None, type), column.expression)
        wide = types.OBJECT if types.is_bool(dtype) else types.FLOAT64
        return Column(left, DeferredDtype(dtype, wide, Question(rows, gone)))
    return Column(select(gone, literals.missing(dtype), column.expression), dtype)


def nullable(expression: Expression, plain: Any, rows: Rows) -> Column:
    """A column of integers or booleans, null where they are missing: pandas then widens it."""
    wide = types.OBJECT if types.is_bool(plain) else types.FLOAT64
    return Column(expression, DeferredDtype(plain, wide, Question(rows, call("is_null", expression))))


def operand(plan: Any, rows: Rows, value: Any) -> tuple[Rows, Column] | None:
    """A series by its labels, or an array by position, as a column beside a plan; none for a value by itself."""
    vector = vector_of(value)
    if vector is not None:
        rows, column = aligned(rows, plan.index, vector)
        return rows, known(column)
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return rows, known(array_column(rows, value))
    if isinstance(value, registry.BaseDataFrame) or pandas.api.types.is_list_like(value):
        raise Refused(f"an operand of type `{type(value).__name__}`")
    return None
