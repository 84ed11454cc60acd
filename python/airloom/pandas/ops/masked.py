"""Arithmetic, comparison and reduction of pandas' nullable dtypes: what is missing on either side is missing in the result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas._config import is_nan_na

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.ops.deferred import Narrowed
from airloom.pandas.plan.expression import Expression, Fold, Literal, call, fold
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused

INT64 = pandas.Int64Dtype()
BOOLEAN = pandas.BooleanDtype()


def nullable(dtype: np.dtype[Any]) -> Any:
    """The nullable dtype that stands above one of NumPy's."""
    if dtype.kind == "b":
        return BOOLEAN
    if dtype.kind == "f":
        return pandas.Float32Dtype() if dtype.itemsize == 4 else pandas.Float64Dtype()
    return pandas.array([], dtype=f"{'U' if dtype.kind == 'u' else ''}Int{dtype.itemsize * 8}").dtype


def number_of(dtype: Any) -> np.dtype[Any]:
    """The dtype of NumPy's that stands below a nullable one."""
    return dtype.numpy_dtype if types.is_masked(dtype) else dtype


def without_nan(expression: Expression) -> Expression:
    """Floats in which NaN is missing, as pandas has it unless told otherwise."""
    if not is_nan_na():
        raise Refused("NaN beside NA")
    return call("nan_to_null", expression)


def _operands(left: Column, right: Any) -> tuple[np.dtype[Any], Expression, Expression]:
    mine = number_of(left.dtype)
    if isinstance(right, Column):
        if not (types.is_masked(right.dtype) or types.is_number(right.dtype)):
            raise Refused(f"arithmetic of `{left.dtype}` and `{right.dtype}`")
        theirs = number_of(right.dtype)
        common = np.result_type(mine, theirs)
        if types.type_of(common) is None:
            raise Refused(f"numbers of dtype `{common}`")
        if types.is_float(right.dtype) and not is_nan_na():
            raise Refused("NaN beside NA")
        other = call("nan_to_null", right.expression) if types.is_float(right.dtype) else right.expression
        return common, cast(left.expression, mine, common), cast(other, theirs, common)
    if isinstance(right, (np.floating, np.integer)) and not isinstance(right, np.timedelta64):
        right = right.item()
    if not literals.is_number(right) or literals.is_missing(right):
        raise Refused(f"arithmetic of `{left.dtype}` and a value of type `{type(right).__name__}`")
    common = np.result_type(mine, right)
    if types.type_of(common) is None:
        raise Refused(f"numbers of dtype `{common}`")
    if common.kind in "iu" and not np.iinfo(common).min <= int(right) <= np.iinfo(common).max:
        raise Refused(f"a number out of bounds of `{common}`")
    return common, cast(left.expression, mine, common), literals.number(right, common)


def cast(expression: Expression, have: np.dtype[Any], want: np.dtype[Any]) -> Expression:
    """A number that may be missing, as NumPy casts it."""
    if have == want:
        return expression
    type = types.type_of(want)
    assert type is not None
    return call("cast", expression, to=ir.optional(type), mode="wrap")


def arithmetic(name: str, reflected: bool, left: Column, right: Any, rows: Rows | None) -> Column:
    """A sum, difference, product, quotient or power."""
    if right is pandas.NA:
        return _of_nothing(name, left)
    common, a, b = _operands(left, right)
    if common.kind == "b":
        if name not in ("add", "mul"):
            raise Refused(f"`{name}` of booleans")
        return Column(elementwise.select(call("is_null", call("xor", a, b)), Literal(None, ir.bool_), call("or_" if name == "add" else "and_", a, b)), BOOLEAN)
    if number_of(left.dtype).kind == "b" and name not in ("add", "sub", "mul", "truediv"):
        raise Refused(f"`{name}` of booleans")
    if reflected:
        a, b = b, a
    if name in ("add", "sub", "mul"):
        return _made(call(name, a, b), common)
    if name == "truediv":
        wide = common if common.kind == "f" else types.FLOAT64
        return _made(call("div", cast(a, common, wide), cast(b, common, wide)), wide)
    if name in ("floordiv", "mod"):
        return _divided(name, reflected, a, b, common, rows)
    if name == "pow":
        return _power(a, b, common, rows)
    raise Refused(f"`{name}` of `{left.dtype}`")


def _made(expression: Expression, dtype: np.dtype[Any]) -> Column:
    return Column(without_nan(expression) if dtype.kind == "f" else expression, nullable(dtype))


def _of_nothing(name: str, left: Column) -> Column:
    """With what is missing, all is."""
    dtype = number_of(left.dtype)
    if dtype.kind == "b" or name == "pow":
        raise Refused(f"`{name}` of `{left.dtype}` and a missing value")
    if name == "truediv" and dtype.kind != "f":
        dtype = types.FLOAT64
    type = types.type_of(dtype)
    assert type is not None
    return Column(Literal(None, type), nullable(dtype))


def _divided(name: str, reflected: bool, a: Expression, b: Expression, dtype: np.dtype[Any], rows: Rows | None) -> Column:
    op = "floordiv" if name == "floordiv" else "floormod"
    if dtype.kind == "f":
        if dtype != types.FLOAT64:
            raise Refused(f"`{name}` of `{dtype}`")
        return _made(call(op, a, b), dtype)
    if reflected:
        zero = call("eq", b, literals.number(0, dtype))
        if rows is None or elementwise.any_row(rows, elementwise.either(call("is_null", b), call("is_true", zero))):
            raise Refused("a divisor that is zero or missing")
    return Column(call(op, a, b, zero="zero"), nullable(dtype))


def _power(a: Expression, b: Expression, dtype: np.dtype[Any], rows: Rows | None) -> Column:
    if dtype.kind == "i":
        if rows is None or elementwise.any_row(rows, call("is_true", call("lt", b, literals.number(0, dtype)))):
            raise Refused("a negative power of integers")
    if dtype == np.float32:
        raise Refused("powers of `float32`")
    one = literals.number(1, dtype)
    made: Expression = call("pow", a, b)
    # One to any power, and anything to the power of nothing, are known whatever is missing.
    made = elementwise.select(call("is_true", call("eq", a, one)), one, made)
    made = elementwise.select(call("is_true", call("eq", b, literals.number(0, dtype))), one, made)
    return _made(made, dtype)


def comparison(op: str, left: Column, right: Any) -> Column:
    """A comparison, which is missing where either side is."""
    if right is pandas.NA:
        return Column(Literal(None, ir.bool_), BOOLEAN)
    mine = number_of(left.dtype)
    theirs = number_of(right.dtype) if isinstance(right, Column) else None
    if isinstance(theirs, np.dtype) and {mine.kind, theirs.kind} == {"i", "u"} and 8 in (mine.itemsize, theirs.itemsize):
        raise Refused("comparing signed with unsigned integers of 64 bits")
    _, a, b = _operands(left, right)
    return Column(call(op, a, b), BOOLEAN)


def logical(op: str, left: Column, right: Any) -> Column:
    """Logic of three values."""
    dtype = left.dtype
    if dtype not in (BOOLEAN, types.ARROW_BOOL):
        raise Refused(f"`{op}` of `{dtype}`")
    if isinstance(right, Column):
        # In the other order pandas wants the truth of what is missing.
        beside = dtype == types.ARROW_BOOL and right.dtype == BOOLEAN
        if not kinds.same(right.dtype, dtype) and not types.is_bool(right.dtype) and not beside:
            raise Refused(f"logical operators of `{dtype}` and `{right.dtype}`")
        return Column(call(op, left.expression, right.expression), dtype)
    if right is pandas.NA:
        return Column(call(op, left.expression, Literal(None, ir.bool_)), dtype)
    if not isinstance(right, (bool, np.bool_)):
        raise Refused(f"logical operators of `{dtype}` and a value of type `{type(right).__name__}`")
    return Column(call(op, left.expression, Literal(bool(right), ir.bool_)), dtype)


def unary(op: str, column: Column) -> Column:
    """A column of one."""
    kind = number_of(column.dtype).kind
    if op == "neg" and kind == "b":
        op = "not"
    if (op == "not" and kind == "b") or (op == "not" and kind in "iu"):
        return column.at(call("not_" if kind == "b" else "bitnot", column.expression))
    if op == "pos" or (op == "abs" and kind in "ub"):
        return column.copy()
    if op in ("neg", "abs") and kind in "if":
        return column.at(call(op, column.expression))
    raise Refused(f"`{op}` of `{column.dtype}`")


def aggregate(name: str, column: Column, grouped: bool, options: dict[str, Any]) -> Column | None:
    """One value of many, which may be missing; none where others know what to do."""
    if name in ("count", "size", "nunique"):
        return None
    if not is_nan_na():
        raise Refused("NaN beside NA")
    dtype = number_of(column.dtype)
    skip = options.get("skipna", True)
    value = column.expression
    made: Expression
    if name in ("min", "max", "first", "last"):
        if int(options.get("min_count", -1)) > 1:
            raise Refused("`min_count` above 1")
        return Column(fold(name, value, skip="all" if skip else "none"), column.dtype)
    if name in ("any", "all"):
        found = _truth(name, value, dtype)
        if skip:
            return Column(found, BOOLEAN if grouped else types.BOOL)
        if grouped:
            raise Refused("`any` and `all` of nullable booleans in groups")
        # What decides stands, whatever is missing; and else nobody knows.
        unknown = fold("any", call("is_null", value), skip="none")
        decided = found if name == "any" else call("not_", found)
        return Column(elementwise.select(decided, found, elementwise.select(unknown, Literal(None, ir.bool_), found)), BOOLEAN)
    if name in ("sum", "prod", "product"):
        least = int(options.get("min_count", 0))
        wide = np.dtype({"f": "f8", "u": "u8"}.get(dtype.kind, "i8"))
        # Sums of narrow numbers are wide by themselves.
        terms = value if name == "sum" and dtype.kind in "biu" else cast(value, dtype, wide)
        made = fold("sum" if name == "sum" else "product", terms, skip="null" if skip else "none", min_count=max(0, least))
        if dtype.kind == "f":
            # Opposite infinities come to NaN, which is missing in groups.
            return Column(cast(call("nan_to_null", made) if grouped else made, wide, dtype), nullable(dtype))
        return Column(made, Narrowed(nullable(dtype), nullable(wide)) if grouped and dtype.kind in "iu" and dtype.itemsize < 8 else nullable(wide))
    if name not in ("mean", "var", "std", "median") or (dtype == np.float32 and name != "mean") or (dtype.kind == "b" and name != "mean"):
        raise Refused(f"`{name}` of `{column.dtype}`")
    extra = {"ddof": int(options.get("ddof", 1))} if name in ("var", "std") else {}
    again = {} if name == "median" else {"reassoc": True}
    made = Fold(f"arr_{name}", (cast(value, dtype, types.FLOAT64),), attributes={"skip": "null" if skip else "none", **extra, **again})
    result = dtype if dtype.kind == "f" else types.FLOAT64
    return Column(call("nan_to_null", cast(made, types.FLOAT64, result)), nullable(result))


def _truth(name: str, value: Expression, dtype: np.dtype[Any]) -> Expression:
    truth = value if dtype.kind == "b" else call("ne", value, literals.number(0, dtype))
    return fold(name, call("coalesce", truth, Literal(name == "all", ir.bool_)), skip="none")


def holds(dtype: Any, value: Any) -> bool:
    """Whether a value can be put among nullable ones as it is: NA, or one of their own kind."""
    if value is pandas.NA or value is None:
        return True
    kind = number_of(dtype).kind
    if isinstance(value, (bool, np.bool_)) or kind == "b":
        return isinstance(value, (bool, np.bool_)) and kind == "b"
    if isinstance(value, (int, np.integer)):
        return kind == "f" and abs(int(value)) <= 2**24 or kind in "iu" and np.iinfo(number_of(dtype)).min <= int(value) <= np.iinfo(number_of(dtype)).max
    return isinstance(value, float) and kind == "f" and number_of(dtype).itemsize == 8 and value == value
