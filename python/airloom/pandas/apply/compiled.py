"""Functions of Python, applied to each value or to each row."""

from __future__ import annotations

import types as python
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
from pandas.api.types import is_hashable, is_list_like
from pandas.core.internals.managers import interleaved_dtype

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.apply import columnwise
from airloom.pandas.categorical import codes
from airloom.pandas.dispatch.calls import invoke
from airloom.pandas.dispatch.registry import OPERATIONS, driving, operation
from airloom.pandas.dispatch.wrapping import wrap
from airloom.pandas.dtypes import types
from airloom.pandas.dtypes.kinds import distinct
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.udf import calls, loops, rows
from airloom.pandas.udf.engine import Engine
from airloom.pandas.udf.translate import Leaf, Translation
from airloom.pandas.udf.values import MOST_PARTS, Constant, Operand, Row, Value, parts, to_float, typed

_DTYPES = {"int": types.INT64, "float": types.FLOAT64, "bool": types.BOOL, "str": types.STR}


@operation("Series.apply")
@driving(lambda func, *args, by_row="compat", **kwargs: isinstance(func, str) or is_list_like(func) or by_row == "_compat")
def apply_vector(vector: Vector, func: Any, args: Any = (), *, by_row: Any = "compat", **kwargs: Any) -> Any:
    if isinstance(args, tuple) and (isinstance(func, (str, np.ufunc)) or (by_row is False and callable(func))):
        if run.count(vector.rows) == 0:
            raise Refused("a function of an empty Series")
        if isinstance(func, np.ufunc):
            return columnwise.silently(func, wrap(vector), *args, **kwargs)
        return columnwise.by_name(vector, func, 0, args, kwargs) if isinstance(func, str) else invoke(func, wrap(vector), *args, **kwargs)
    if by_row != "compat" or not isinstance(args, tuple):
        raise Refused(f"`by_row={value_text(by_row)}`")
    if types.is_category(vector.dtype) and callable(func) and run.count(vector.rows):
        return codes.mapped(vector, lambda value: invoke(func, value, *args, **kwargs), None)
    return mapped(vector, func, None, kwargs, args)


@operation("Series.transform")
@driving(lambda func, *args, **kwargs: True)
def transform_vector(vector: Vector, func: Any, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
    if axis not in (0, "index"):
        raise Refused(f"`axis={value_text(axis)}`")
    if not callable(func):
        return columnwise.transformed(vector, func, args, kwargs)
    if isinstance(func, np.ufunc):
        return columnwise.silently(func, wrap(vector), *args, **kwargs)
    return mapped(vector, func, None, kwargs, args)


@operation("DataFrame.map")
def map_frame(frame: Frame, func: Any, na_action: Any = None, **kwargs: Any) -> Frame:
    if na_action not in (None, "ignore") or not callable(func):
        raise Refused(f"`na_action={value_text(na_action)}`, or `func` is not callable")
    columns = [mapped(Vector(frame.rows, column, None, frame.index), func, na_action, kwargs).column for column in frame.columns]
    return frame.with_columns(columns)


def is_own_engine(engine: Any) -> bool:
    """Whether functions may be compiled here: no engine is asked for, or this one."""
    return engine is None or isinstance(engine, Engine)


def _is_elsewhere(engine: Any) -> bool:
    """Whether a user has chosen who calls a function."""
    return engine is not None and not isinstance(engine, (str, Engine))


@operation("DataFrame.apply")
@driving(lambda func, *args, engine=None, **kwargs: _is_elsewhere(engine) or isinstance(func, str) or is_list_like(func))
def apply_frame(
    frame: Frame, func: Any, axis: Any = 0, raw: bool = False, result_type: Any = None, args: Any = (), by_row: Any = "compat", engine: Any = None, engine_kwargs: Any = None, **kwargs: Any
) -> Any:
    if not (engine == "python" or is_own_engine(engine)) or engine_kwargs is not None:
        raise Refused(f"an `engine` of type `{type(engine).__name__}`, or `engine_kwargs`")
    if not raw and result_type is None and isinstance(args, tuple):
        if isinstance(func, str):
            return columnwise.by_name(frame, func, axis, args, kwargs)
        if callable(func) and (axis in (0, "index") or isinstance(func, np.ufunc)):
            return columnwise.whole_columns(frame, func, args, kwargs)
        if isinstance(func, (list, dict)) and axis in (0, "index") and columnwise.are_names(func):
            return OPERATIONS["DataFrame"]["agg"](frame, func, 0, *args, **kwargs)
    # A value for each row is neither expanded nor reduced.
    if axis not in (1, "columns") or raw or result_type not in (None, "expand", "reduce") or by_row != "compat":
        raise Refused("a function of whole columns, `raw=True`, `result_type` or `by_row`")
    func = loops.unwrapped(func)
    of_rows = is_hashable(func) and func in rows.FUNCTIONS and not args and not kwargs
    if not (isinstance(func, python.FunctionType) or of_rows) or not isinstance(args, tuple):
        raise Refused(f"a callable of type `{type(func).__name__}`, which has no source")
    if not frame.labels.is_unique or isinstance(frame.labels, pandas.MultiIndex):
        raise Refused("duplicate column labels, or MultiIndex columns")
    columns = [materialize.decided(column) for column in frame.columns]
    if len(distinct(column.dtype for column in columns)) > 1:
        if any(types.is_masked(column.dtype) for column in columns):
            # A row is of one nullable dtype then, in which integers may be floats, and NaN is NA.
            raise Refused("rows of nullable columns beside others")
        if any(types.is_arrow_number(column.dtype) for column in columns) and interleaved_dtype([column.dtype for column in columns]) != types.OBJECT:
            raise Refused("rows of Arrow's numbers beside others")
    row = Row(_row_values(frame, columns))
    given: list[Operand] = [row, *map(Constant, args)]
    named: dict[str, Operand] = {name: Constant(value) for name, value in kwargs.items()}

    def translated() -> Column:
        translation = Translation()
        leaves: list[Leaf]
        if of_rows:
            leaves = [(elementwise.TRUE, rows.reduced(translation, row, rows.FUNCTIONS[func]))]
        else:
            leaves = translation.leaves(func, given, named)
        return _result(frame.rows, translation, leaves)

    return Vector(frame.rows, loops.otherwise(translated, frame.rows, func, given, named), None, frame.index)


@operation("DataFrame.transform")
@driving(lambda func, *args, **kwargs: True)
def transform_frame(frame: Frame, func: Any, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
    if axis not in (0, "index"):
        raise Refused(f"`axis={value_text(axis)}`")
    return columnwise.transformed(frame, func, args, kwargs)


def _row_values(frame: Frame, columns: Sequence[Column]) -> dict[Any, Any]:
    """What a row holds: values of NumPy's common dtype, where all columns have one, and else of Python's. For those not known, why."""
    common = interleaved_dtype([column.dtype for column in columns])
    values: dict[Any, Any] = {}
    for label, column in zip(frame.labels, columns, strict=True):
        try:
            if column.unsupported:
                raise Refused(f"dtype `{column.dtype}` has no native type")
            value = value_of(column)
            if types.is_number(common):
                if common not in (types.INT64, types.FLOAT64, types.BOOL):
                    raise Refused(f"a function of rows of dtype `{common}`")
                if common == types.FLOAT64:
                    value = Value("float", to_float(value))
                value.numpy = True
            values[label] = value
        except Refused as refusal:
            values[label] = str(refusal)
    return values


def value_of(column: Column) -> Value:
    """A value of a column as Python has it."""
    dtype = column.dtype
    if types.is_bool(dtype):
        return Value("bool", column.expression)
    if types.is_integer(dtype):
        if dtype == np.uint64:
            raise Refused("a function of `uint64` values")
        return Value("int", column.expression if dtype == types.INT64 else call("cast", column.expression, to=ir.i64))
    if types.is_float(dtype):
        return Value("float", column.expression if dtype == types.FLOAT64 else call("cast", column.expression, to=ir.f64))
    if types.is_text(dtype):
        return Value("str", column.expression, elementwise.missing(column))
    if types.is_time(dtype):
        return Value("timestamp", column.expression, elementwise.missing(column))
    raise Refused(f"a function of dtype `{dtype}`")


def mapped(vector: Vector, function: Any, na_action: Any, keywords: dict[str, Any], args: tuple[Any, ...] = ()) -> Vector:
    """What a function makes of each value."""
    function = loops.unwrapped(function)
    column = elementwise.known(vector.column)
    value = value_of(column)
    named: dict[str, Operand] = {name: Constant(one) for name, one in keywords.items()}
    leaves: list[Leaf] = []
    translation = Translation()
    skips = na_action == "ignore" and elementwise.has_missing(vector.rows, column)
    if skips:
        gone = elementwise.missing(column)
        translation.path = elementwise.negated(gone)
        leaves.append((gone, Value("missing", Literal(None, ir.f64))))
        value = Value(value.kind, value.expression, None)
        if value.kind == "str":
            value = Value("str", call("coalesce", value.expression, Literal("", ir.str_)))
    given: list[Operand] = [value, *map(Constant, args)]

    def translated() -> Column:
        return _result(vector.rows, translation, leaves + _leaves(translation, function, given, named))

    made = translated() if skips else loops.otherwise(translated, vector.rows, function, given, named)
    # A function that returns what it is given makes a copy.
    return Vector(vector.rows, made.copy(), vector.name, vector.index)


def _leaves(translation: Translation, function: Any, given: list[Operand], named: dict[str, Operand]) -> list[Leaf]:
    """What a function of Python's, or one that is built in, makes of values."""
    if isinstance(function, python.FunctionType):
        return translation.leaves(function, given, named)
    if function in (str, int, float, bool, len, abs, round) or isinstance(function, (python.MethodDescriptorType, python.BuiltinFunctionType, python.BuiltinMethodType)):
        return [(translation.path, calls.called(translation, function, given, named))]
    raise Refused(f"a callable of type `{type(function).__name__}`, which has no source")


def combined(rows: Rows, function: Any, values: Sequence[Column | Constant]) -> Column:
    """What a function makes of the values of columns in each row, which it gets as NumPy has them."""
    given: list[Operand] = []
    for value in values:
        if isinstance(value, Constant):
            given.append(value)
            continue
        if types.is_number(value.dtype) and value.dtype not in (types.INT64, types.FLOAT64, types.BOOL):
            raise Refused(f"a function of dtype `{value.dtype}`")
        operand = value_of(value)
        operand.numpy = types.is_number(value.dtype)
        given.append(operand)
    function = loops.unwrapped(function)

    def translated() -> Column:
        translation = Translation()
        return _result(rows, translation, _leaves(translation, function, given, {}))

    return loops.otherwise(translated, rows, function, given, {})


def _result(rows: Rows, translation: Translation, leaves: Sequence[Leaf]) -> Column:
    """The column of what a function returns: its dtype is what pandas makes of such values."""
    values = [(condition, typed(operand)) for condition, operand in leaves]
    kinds = {value.kind for _, value in values}
    if not kinds <= {"int", "float", "bool", "str", "missing"}:
        raise Refused(f"a function that returns {' and '.join(sorted(kinds))}")
    everything = [expression for condition, value in values for expression in (condition, value.expression)]
    if parts([*everything, *translation.raises]) > MOST_PARTS:
        raise Refused(f"a function of more than {MOST_PARTS} operations")
    if run.count(rows) == 0:
        raise Refused("a function of an empty Series")
    if len(kinds) > 1:
        values, kinds = _occurring(rows, values)
    made = _column(rows, values, kinds)
    if not translation.raises:
        return made
    return elementwise.checked(rows, made.expression, made.dtype, _any_of(translation.raises), "a function that raises, or meets missing values")


def _any_of(raises: Sequence[Expression]) -> Expression:
    """What must not hold, as one predicate."""
    found: Expression = call("is_true", raises[0])
    for predicate in raises[1:]:
        found = elementwise.either(found, call("is_true", predicate))
    return found


def _occurring(rows: Rows, values: list[tuple[Expression, Value]]) -> tuple[list[tuple[Expression, Value]], set[str]]:
    """Only the leaves of kinds that some row reaches: the others do not count for the dtype."""
    reached = set()
    for kind in {value.kind for _, value in values}:
        some: Expression | None = None
        for condition, value in values:
            if value.kind == kind:
                some = condition if some is None else elementwise.either(some, condition)
        assert some is not None
        if elementwise.any_row(rows, some):
            reached.add(kind)
    return [(condition, value) for condition, value in values if value.kind in reached], reached


def _column(rows: Rows, values: Sequence[tuple[Expression, Value]], kinds: set[str]) -> Column:
    if kinds <= {"int", "float", "missing"} and kinds != {"int"}:
        made = [(condition, Literal(float("nan"), ir.f64) if value.kind == "missing" else to_float(value)) for condition, value in values]
        return Column(_chosen(made), types.FLOAT64)
    if kinds <= {"str", "missing"}:
        made = [(condition, Literal(None, ir.str_) if value.kind == "missing" else value.expression) for condition, value in values]
        text = _chosen(made)
        nullable = "missing" in kinds or any(value.missing is not None for _, value in values)
        if nullable and not elementwise.any_row(rows, elementwise.negated(call("is_null", text))):
            raise Refused("a function that returns missing values only")
        return Column(text, types.STR)
    if len(kinds) > 1:
        raise Refused(f"a function that returns {' and '.join(sorted(kinds))}")
    (kind,) = kinds
    return Column(_chosen([(condition, value.expression) for condition, value in values]), _DTYPES[kind])


def _chosen(values: Sequence[tuple[Expression, Expression]]) -> Expression:
    *others, (_, made) = values
    for condition, expression in reversed(others):
        made = elementwise.select(condition, expression, made)
    return made
