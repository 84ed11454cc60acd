"""Arithmetic, comparison and reduction of Arrow's dtypes: what is null on either side is null in the result, integers that overflow are an error, and NaN is a value.

NaN stands in such columns only where a file or an array of Arrow's had it: arithmetic makes null of it, as pandas does.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pandas
import pyarrow
from pandas._config import is_nan_na

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.arrow_literals import number_of, scalar
from airloom.pandas.algorithms.prototypes import ask_pandas_once, one
from airloom.pandas.dispatch.registry import BaseSeries
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.ops import masked
from airloom.pandas.ops.deferred import Narrowed
from airloom.pandas.plan.expression import Expression, Fold, Literal, call, fold
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused

#: Integers up to this one are floats as they are: Arrow refuses to make floats of others.
_EXACT = 2**53


def of_numpy(dtype: np.dtype[Any]) -> Any:
    """Arrow's dtype of a number or boolean of NumPy's."""
    return pandas.ArrowDtype(pyarrow.from_numpy_dtype(dtype))


def of_nullable(dtype: Any) -> Any:
    """Arrow's dtype in place of one of pandas' nullable ones; others stay."""
    return of_numpy(dtype.numpy_dtype) if types.is_masked(dtype) else dtype


def _is_number(dtype: Any) -> bool:
    return types.is_arrow_number(dtype) or types.is_masked(dtype) or types.is_number(dtype)


def _operand(column: Column) -> Expression:
    """The values of the other side. What is NaN among NumPy's numbers is null among Arrow's."""
    if types.is_float(column.dtype):
        if not is_nan_na():
            raise Refused("NaN beside NA")
        return call("nan_to_null", column.expression)
    return column.expression


def _result(name: str, reflected: bool, left: Any, right: Any) -> Any:
    """The dtype that pandas gives a result: it is asked, of one row."""
    method = f"__{'r' if reflected else ''}{name}__"
    if isinstance(right, Column):
        key: Any = kinds.Kind(right.dtype)
        far: Any = BaseSeries(one(right.dtype))
    else:
        # Of numbers the type alone decides; time has units.
        key, far = (type(right), getattr(right, "unit", None)), right
    found = ask_pandas_once(("arrow", method, kinds.Kind(left), key), lambda: getattr(BaseSeries(one(left)), method)(far))
    if not isinstance(found, BaseSeries) or not types.is_arrow(found.dtype):
        raise Refused(f"`{name}` of `{left}` and `{getattr(right, 'dtype', type(right).__name__)}`")
    return found.dtype


def _cast(expression: Expression, have: np.dtype[Any], want: np.dtype[Any]) -> Expression:
    return masked.cast(expression, have, want)


def _inexact(expression: Expression, have: np.dtype[Any], want: np.dtype[Any]) -> list[Expression]:
    """Whether an integer is none of the floats that it becomes: Arrow complains."""
    if have.kind not in "iu" or want.kind != "f" or (have.itemsize < 8 and (want.itemsize == 8 or have.itemsize < 4)):
        return []
    bound = _EXACT if want.itemsize == 8 else 2**24
    outside: Expression = call("gt", expression, literals.number(bound, have))
    if have.kind == "i":
        outside = elementwise.either(outside, call("lt", expression, literals.number(-bound, have)))
    return [call("is_true", outside)]


def arithmetic(name: str, reflected: bool, left: Column, right: Any, rows: Rows | None) -> Column:
    """A sum, difference, product, quotient or power."""
    if not isinstance(right, Column):
        right = scalar(right)
    if types.is_arrow_text(left.dtype):
        return _concatenated(name, reflected, left, right)
    known = _is_number(right.dtype) if isinstance(right, Column) else literals.is_number(right) and not literals.is_missing(right)
    if not types.is_arrow_number(left.dtype) or not known:
        raise Refused(f"arithmetic of `{left.dtype}` and `{getattr(right, 'dtype', type(right).__name__)}`")
    if name not in ("add", "sub", "mul", "truediv", "floordiv", "pow"):
        raise Refused(f"`{name}` of `{left.dtype}`")
    dtype = _result(name, reflected, left.dtype, right)
    made = number_of(dtype)
    mine = number_of(left.dtype)
    theirs = number_of(right.dtype) if isinstance(right, Column) else np.dtype(type(right))
    if made.kind not in "iuf" or "b" in (mine.kind, theirs.kind):
        raise Refused(f"`{name}` of booleans")
    a = left.expression
    b = _operand(right) if isinstance(right, Column) else literals.number(right, theirs)
    # Quotients of integers are made of floats, however these round; what else becomes a float must not be rounded.
    rounds = name == "truediv" and mine.kind in "iu" and theirs.kind in "iu"
    bad = [] if rounds else [*_inexact(a, mine, made), *(_inexact(b, theirs, made) if isinstance(right, Column) else ())]
    if not isinstance(right, Column) and theirs.kind == "i" and made.kind == "f" and abs(right) > (_EXACT if made.itemsize == 8 else 2**24):
        raise Refused("an integer that no float is")
    if made.kind in "iu" and any(have.kind != made.kind and have.itemsize == 8 for have in (mine, theirs)):
        raise Refused(f"`{name}` of signed and unsigned integers of 64 bits")
    a, b = _cast(a, mine, made), _cast(b, theirs, made)
    if reflected:
        a, b = b, a
    if made.kind == "f":
        return _checked(rows, _without_nan(_floats(name, a, b)), dtype, bad)
    if name == "floordiv":
        if reflected or isinstance(right, Column) or right == 0:
            raise Refused("integer division by a column, which may have zeros")
        return Column(call("floordiv", a, b, zero="null"), dtype)
    if name == "pow":
        raise Refused("powers of integers, which may overflow")
    if name == "mul" and not isinstance(right, Column) and right in (0, 1):
        return Column(call(name, a, b), dtype)
    value = call(name, a, b, overflow="null")
    if not isinstance(right, Column) and _never_overflows(name, reflected, mine, right, made):
        return Column(value, dtype)
    there = elementwise.negated(elementwise.either(call("is_null", a), call("is_null", b)))
    return _checked(rows, value, dtype, [elementwise.both(call("is_null", value), there)])


def _floats(name: str, a: Expression, b: Expression) -> Expression:
    if name == "truediv":
        return call("div", a, b)
    if name == "floordiv":
        return call("floor", call("div", a, b))
    return call(name, a, b)


def _without_nan(expression: Expression) -> Expression:
    return call("nan_to_null", expression) if is_nan_na() else expression


def _never_overflows(name: str, reflected: bool, mine: np.dtype[Any], value: int, made: np.dtype[Any]) -> bool:
    """Whether no integer of a dtype, with this one beside it, leads past the bounds of the result."""
    low, high = int(np.iinfo(mine).min), int(np.iinfo(mine).max)
    ends = {"add": (low + value, high + value), "sub": (value - high, value - low) if reflected else (low - value, high - value), "mul": (low * value, high * value)}[name]
    limits = np.iinfo(made)
    return limits.min <= min(ends) and max(ends) <= limits.max


def _checked(rows: Rows | None, value: Expression, dtype: Any, bad: list[Expression]) -> Column:
    """A column, refused where any of its rows is one of which Arrow complains."""
    if not bad:
        return Column(value, dtype)
    if rows is None:
        raise Refused("integers that may overflow, over rows that are not known")
    return elementwise.checked(rows, value, dtype, functools.reduce(elementwise.either, bad), "integers that overflow, or that no float is")


def _concatenated(name: str, reflected: bool, left: Column, right: Any) -> Column:
    if name != "add":
        raise Refused(f"`{name}` of strings")
    if isinstance(right, Column):
        if not kinds.same(left.dtype, right.dtype):
            raise Refused(f"strings and `{right.dtype}`")
        other = right.expression
    elif isinstance(right, str):
        other = Literal(right, ir.str_)
    else:
        raise Refused(f"strings and a value of type `{type(right).__name__}`")
    pair = (other, left.expression) if reflected else (left.expression, other)
    return Column(call("str_concat", *pair), left.dtype)


def comparison(op: str, left: Column, right: Any) -> Column:
    """A comparison, which is null where either side is."""
    if right is pandas.NA:
        return Column(Literal(None, ir.bool_), types.ARROW_BOOL)
    if isinstance(right, Column):
        if kinds.same(left.dtype, right.dtype):
            return Column(call(op, left.expression, right.expression), types.ARROW_BOOL)
        if not (types.is_arrow_number(left.dtype) and _is_number(right.dtype)):
            raise Refused(f"comparing `{left.dtype}` with `{right.dtype}`")
        return _compared(op, left, _operand(right), number_of(right.dtype))
    if types.is_arrow_number(left.dtype):
        value = scalar(right)
        if not literals.is_number(value) or literals.is_missing(value):
            raise Refused(f"comparing `{left.dtype}` with a value of type `{type(right).__name__}`")
        return _compared_value(op, left, value)
    return Column(call(op, left.expression, literals.literal(right, left.dtype)), types.ARROW_BOOL)


def _compared(op: str, left: Column, b: Expression, theirs: np.dtype[Any]) -> Column:
    mine = number_of(left.dtype)
    if "b" in (mine.kind, theirs.kind):
        raise Refused("comparing booleans with numbers")
    common = np.result_type(mine, theirs)
    if common.kind == "f" and any(have.kind in "iu" and have.itemsize == 8 for have in (mine, theirs)):
        raise Refused("comparing integers of 64 bits with floats")
    if types.type_of(common) is None:
        raise Refused(f"numbers of dtype `{common}`")
    return Column(call(op, _cast(left.expression, mine, common), _cast(b, theirs, common)), types.ARROW_BOOL)


def _compared_value(op: str, left: Column, value: Any) -> Column:
    mine = number_of(left.dtype)
    if mine.kind == "b" or isinstance(value, bool):
        if mine.kind != "b" or not isinstance(value, bool):
            raise Refused("comparing booleans with numbers")
        return Column(call(op, left.expression, Literal(value, ir.bool_)), types.ARROW_BOOL)
    if mine.kind in "iu":
        if isinstance(value, float):
            if not value.is_integer() or abs(value) > _EXACT:
                raise Refused("comparing integers with a fraction")
            value = int(value)
        return Column(call(op, left.expression, literals.fitting(value, mine)), types.ARROW_BOOL)
    if isinstance(value, int) and abs(value) > 2**24:
        raise Refused("comparing floats with an integer that may be none of them")
    # Arrow compares narrow floats with a value as floats of 64 bits.
    return Column(call(op, _cast(left.expression, mine, types.FLOAT64), Literal(float(value), ir.f64)), types.ARROW_BOOL)


def unary(op: str, column: Column, rows: Rows | None) -> Column:
    """A column of one."""
    kind = number_of(column.dtype).kind
    if op == "not" and kind in "biu":
        return column.at(call("not_" if kind == "b" else "bitnot", column.expression))
    if op == "pos" or (op == "abs" and kind == "u"):
        return column
    if op in ("neg", "abs") and kind == "f":
        return column.at(call(op, column.expression))
    if op in ("neg", "abs") and kind == "i":
        made = call(op, column.expression, overflow="null")
        return _checked(rows, made, column.dtype, [elementwise.both(call("is_null", made), elementwise.negated(call("is_null", column.expression)))])
    raise Refused(f"`{op}` of `{column.dtype}`")


def aggregate(name: str, column: Column, grouped: bool, options: dict[str, Any]) -> Column | None:
    """One value of many, which may be null; none where others know what to do."""
    if name in ("count", "size", "nunique"):
        return _counted(name, column, grouped, options)
    if not is_nan_na():
        raise Refused("NaN beside NA")
    skip = options.get("skipna", True)
    value = column.expression
    if name in ("first", "last"):
        if int(options.get("min_count", -1)) > 1:
            raise Refused("`min_count` above 1")
        return Column(fold(name, value, skip="null" if skip else "none"), column.dtype)
    if name in ("min", "max"):
        return _extreme(name, column, grouped, options)
    if not types.is_arrow_number(column.dtype):
        raise Refused(f"`{name}` of `{column.dtype}`")
    return _grouped(name, column, options) if grouped else _whole(name, column, options)


def _counted(name: str, column: Column, grouped: bool, options: dict[str, Any]) -> Column | None:
    if name == "count" and grouped:
        return Column(fold("count", column.expression, skip="null"), types.ARROW_INT64)
    if name == "count":
        return Column(fold("count", column.expression, skip="null"), types.INT64)
    if name == "nunique":
        found: Expression = fold("nunique", column.expression, skip="null" if options.get("dropna", True) else "none")
        if types.is_arrow_number(column.dtype) and number_of(column.dtype).kind == "f":
            # Zeros of both signs are two values.
            number = number_of(column.dtype)
            zero = call("eq", column.expression, literals.number(0.0, number))
            sign = call("copysign", literals.number(1.0, number), column.expression)
            signs = [fold("any", call("is_true", elementwise.both(zero, call(side, sign, literals.number(0.0, number)))), skip="none") for side in ("lt", "gt")]
            found = call("add", found, call("cast", elementwise.both(*signs), to=ir.i64))
        return Column(found, types.INT64)
    return None


def _extreme(name: str, column: Column, grouped: bool, options: dict[str, Any]) -> Column:
    """The least or greatest. NaN is neither, unless there is nothing else: pandas then has the end of all floats for a group, and NaN for a column."""
    skip = options.get("skipna", True)
    if int(options.get("min_count", -1)) > 1:
        raise Refused("`min_count` above 1")
    value = column.expression
    kind = column.dtype.pyarrow_dtype
    if pyarrow.types.is_duration(kind) or (pyarrow.types.is_boolean(kind) and not skip):
        raise Refused(f"`{name}` of `{column.dtype}`")
    if not types.is_arrow_number(column.dtype) or number_of(column.dtype).kind != "f":
        return Column(fold(name, value, skip="null" if skip else "none"), column.dtype)
    if not skip:
        raise Refused(f"`skipna=False` of `{column.dtype}`")
    number = number_of(column.dtype)
    end = literals.number(float("inf") if name == "min" else float("-inf"), number)
    if grouped:
        return Column(fold(name, elementwise.select(call("is_true", call("is_nan", value)), end, value), skip="null"), column.dtype)
    found = fold(name, value, skip="all")
    nothing = elementwise.both(call("is_null", found), call("gt", fold("count", value, skip="null"), Literal(0, ir.i64)))
    return Column(elementwise.select(nothing, literals.number(float("nan"), number), found), column.dtype)


def _grouped(name: str, column: Column, options: dict[str, Any]) -> Column:
    """As of pandas' nullable numbers, which is how pandas reduces groups of Arrow's."""
    # Of NaN too there is no median.
    value = call("nan_to_null", column.expression) if name == "median" and number_of(column.dtype).kind == "f" else column.expression
    found = masked.aggregate(name, Column(value, masked.nullable(number_of(column.dtype))), True, options)
    assert found is not None
    return Column(found.expression, found.dtype.changed(of_nullable) if isinstance(found.dtype, Narrowed) else of_nullable(found.dtype))


def _whole(name: str, column: Column, options: dict[str, Any]) -> Column:
    """As Arrow reduces a column."""
    number = number_of(column.dtype)
    skip = "null" if options.get("skipna", True) else "none"
    value = column.expression
    if name in ("sum", "prod", "product"):
        wide = np.dtype({"f": "f8", "u": "u8", "b": "u8"}.get(number.kind, "i8"))
        if number.kind == "b" and name == "sum":
            return Column(call("cast", fold("sum", value, skip=skip, min_count=max(0, int(options.get("min_count", 0)))), to=ir.optional(ir.u64)), of_numpy(wide))
        terms = value if name == "sum" and number.kind in "iu" else _cast(value, number, wide)
        made = fold("sum" if name == "sum" else "product", terms, skip=skip, min_count=max(0, int(options.get("min_count", 0))))
        return Column(made, of_numpy(wide))
    if name in ("any", "all"):
        if skip == "none" or number == np.uint64:
            raise Refused(f"`{name}` of `{column.dtype}`, or with `skipna=False`")
        truth = value if number.kind == "b" else call("ne", value, literals.number(0, number))
        return Column(fold(name, call("coalesce", truth, Literal(name == "all", ir.bool_)), skip="none"), types.ARROW_BOOL)
    if name not in ("mean", "var", "std") or (number.kind == "b" and name != "mean"):
        raise Refused(f"`{name}` of `{column.dtype}`")
    extra = {"ddof": int(options.get("ddof", 1))} if name in ("var", "std") else {}
    return Column(Fold(f"arr_{name}", (_cast(value, number, types.FLOAT64),), attributes={"skip": skip, "reassoc": True, **extra}), types.ARROW_FLOAT64)
