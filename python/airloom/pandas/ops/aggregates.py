"""What one value is made of many: shared by reductions of whole columns and of groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals import materialize
from airloom.pandas.ops import arrow, masked
from airloom.pandas.ops.deferred import Counted, Narrowed
from airloom.pandas.plan.expression import Expression, Fold, Literal, call, fold
from airloom.pandas.plan.frame import Column, DeferredDtype, Question
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused, value_text


def aggregate_of(rows: Rows, name: str, column: Column, **options: Any) -> Column:
    """An aggregate of groups of rows, with the zero that pandas chooses of several: the first of those that are least or greatest."""
    made = aggregate(name, column, grouped=True, **options)
    column = materialize.decided(column)
    if column.unsupported or name not in ("min", "max", "median", "quantile") or column.dtype.kind != "f" or not elementwise.may_hold_negative_zero(rows, column):
        return made
    if name in ("median", "quantile"):
        if elementwise.stores_negative_zero(rows, column):
            raise Refused(f"`{name}` of negative zeros, among which pandas chooses by the order of rows")
        return made
    type = types.type_of(column.dtype)
    assert type is not None
    zero = Literal(0.0, type.required)
    zeros = call("select", call("is_true", call("eq", column.expression, zero)), column.expression, Literal(None, type.required))
    first: Expression = fold("first", zeros, skip="null")
    return Column(call("select", call("is_true", call("eq", made.expression, zero)), _floated(first) if types.is_float(made.dtype) else first, made.expression), made.dtype)


def aggregate(name: str, column: Column, *, grouped: bool, **options: Any) -> Column:
    """A column's aggregate by its name: a fold, and the dtype that pandas gives it. Whole columns and groups differ in the dtypes of sums."""
    made = _AGGREGATES.get(name)
    if made is None:
        raise Refused(f"the aggregate `{name}`")
    if name not in ("count", "size") or not _is_counted_alike(column.dtype):
        column = materialize.decided(column)
    elif isinstance(column.dtype, DeferredDtype):
        column = Column(column.expression, column.dtype.plain, column.held, column.shown)
    if name in ("any", "all") and not grouped and column.by_position and column.dtype == types.OBJECT:
        return Column(fold(name, elementwise.object_truth(column, missing=(name == "all") if options.get("skipna", True) else None), skip="none"), types.BOOL)
    if column.unsupported and name not in ("count", "size"):
        raise Refused(f"`{name}` of dtype `{column.dtype}`, which has no native type")
    if grouped and name not in ("count", "size", "nunique") and elementwise.are_objects(column):
        raise Refused(f"`{name}` of dtype `object`")
    if grouped and not options.get("skipna", True) and name not in ("first", "last", "any", "all") and not types.is_number(column.dtype):
        raise Refused(f"`skipna=False` of dtype `{column.dtype}`")
    if types.is_masked(column.dtype) or (types.is_arrow(column.dtype) and not column.unsupported):
        nullable = (masked if types.is_masked(column.dtype) else arrow).aggregate(name, column, grouped, options)
        if nullable is not None:
            return nullable
    return made(column, grouped, options)


def _is_counted_alike(dtype: Any) -> bool:
    """Whether values of a dtype are counted in numbers of the same dtype, whatever the data decide that it is."""
    return not isinstance(dtype, DeferredDtype) or all(ask(dtype.plain) == ask(dtype.widened) for ask in (types.is_masked, types.is_arrow))


def _enough(column: Column, value: Column, minimum: int) -> Column:
    """A value of a group, missing where fewer values than this are there."""
    dtype = value.dtype
    few = call("lt", fold("count", _known_or_null(column), skip="all"), Literal(minimum, ir.i64))
    if types.is_number(dtype) and not types.is_float(dtype):
        if types.is_bool(dtype) or dtype.itemsize < 8:
            raise Refused("`min_count` of narrow numbers")
        return Column(call("select", few, Literal(None, types.type_of(dtype)), value.expression), Counted(dtype))  # type: ignore[arg-type]
    return Column(call("select", few, literals.missing(dtype), value.expression), dtype)


def _known_or_null(column: Column) -> Expression:
    if not types.is_category(column.dtype):
        return column.expression
    width = types.type_of(column.dtype)
    assert width is not None
    return call("select", call("lt", column.expression, Literal(0, width)), Literal(None, width), column.expression)


def is_aggregate(name: Any) -> bool:
    return isinstance(name, str) and name in _AGGREGATES


def _skip(options: dict[str, Any]) -> str:
    return "all" if options.get("skipna", True) else "none"


def _number(column: Column, name: str) -> Any:
    if not types.is_number(column.dtype):
        raise Refused(f"`{name}` of `{column.dtype}`")
    return column.dtype


def _floated(value: Expression) -> Expression:
    return call("null_to_nan", value)


def _known(value: Expression, dtype: Any) -> Expression:
    """A value that is there: groups have rows, and integers are never missing."""
    type = types.type_of(dtype)
    assert type is not None
    return call("coalesce", value, Literal(False if types.is_bool(dtype) else 0, type))


def _sum(column: Column, grouped: bool, options: dict[str, Any], op: str = "sum") -> Column:
    minimum = int(options.get("min_count", 0))
    if types.is_text(column.dtype) and op == "sum" and grouped and minimum <= 0 and options.get("skipna", True):
        joined = call("str_join", fold("list", column.expression, skip="null"), Literal("", ir.str_))
        return Column(call("coalesce", joined, Literal("", ir.str_)), column.dtype)
    if types.is_duration(column.dtype) and op == "sum" and minimum <= 0:
        return Column(fold(op, column.expression, skip=_skip(options)), column.dtype)
    dtype = _number(column, op)
    if types.is_float(dtype):
        # The sum in `float64`, as NumPy's pairwise sum of narrow floats is no less exact than theirs.
        value = column.expression if dtype == types.FLOAT64 else call("cast", column.expression, to=ir.f64)
        made: Expression = fold(op, value, skip="nan" if options.get("skipna", True) else "none", min_count=max(0, minimum), reassoc=True)
        if minimum > 0:
            made = _floated(made)
        return Column(made if dtype == types.FLOAT64 else call("cast", made, to=ir.f32), dtype)
    if minimum > 0:
        if not grouped or dtype not in (types.INT64, np.uint64):
            raise Refused("`min_count` of integers")
        return _enough(column, _sum(column, grouped, {**options, "min_count": 0}, op), minimum)
    whole = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    total = fold(op, column.expression, skip="none")
    return Column(total, Narrowed(dtype, whole) if grouped and dtype.kind in "iu" and not kinds.same(dtype, whole) else whole)


def _product(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
    if types.is_duration(column.dtype):
        raise Refused("the product of timedeltas")
    return _sum(column, grouped, options, "product")


def _mean(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
    dtype = _number(column, "mean")
    if grouped and dtype == np.float32:
        raise Refused("the mean of `float32` in groups, whose dtype depends on the order of rows")
    value = column.expression
    if dtype == np.float32:
        value = call("cast", value, to=ir.f64)
    made = _floated(fold("mean", value, skip=_skip(options), reassoc=True))
    if dtype == np.float32:
        return Column(call("cast", made, to=ir.f32), dtype)
    return Column(made, types.FLOAT64)


def _least(op: str) -> Callable[[Column, bool, dict[str, Any]], Column]:
    def made(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
        dtype = column.dtype
        if int(options.get("min_count", -1)) > 1:
            if not grouped or types.is_masked(dtype) or not options.get("skipna", True):
                raise Refused("`min_count` above 1")
            return _enough(column, made(column, grouped, {**options, "min_count": -1}), int(options["min_count"]))
        if types.is_category(dtype) and grouped and dtype.ordered:
            return _position_of_category(op, column, options)
        if types.is_category(dtype) or (types.is_masked(dtype) and not grouped):
            raise Refused(f"`{op}` of `{dtype}`")
        value: Expression = fold(op, column.expression, skip=_skip(options))
        if types.is_float(dtype):
            value = _floated(value)
        elif types.is_number(dtype):
            value = _known(value, dtype)
        return Column(value, dtype)

    return made


def _edge(op: str) -> Callable[[Column, bool, dict[str, Any]], Column]:
    def made(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
        dtype = column.dtype
        if int(options.get("min_count", -1)) > 1 or (types.is_masked(dtype) and not grouped):
            if not grouped or types.is_masked(dtype) or not options.get("skipna", True):
                raise Refused("`min_count` above 1")
            return _enough(column, made(column, grouped, {**options, "min_count": -1}), int(options["min_count"]))
        value: Expression
        if types.is_category(dtype):
            return _position_of_category(op, column, options)
        value = fold(op, column.expression, skip=_skip(options))
        if types.is_float(dtype):
            value = _floated(value)
        elif types.is_number(dtype):
            value = _known(value, dtype)
        return Column(value, dtype)

    return made


def _position_of_category(op: str, column: Column, options: dict[str, Any]) -> Column:
    """A category that is chosen by its position: -1 where all are missing."""
    width = types.type_of(column.dtype)
    assert width is not None
    there = call("select", call("lt", column.expression, Literal(0, width)), Literal(None, width), column.expression)
    return Column(call("coalesce", fold(op, there, skip=_skip(options)), Literal(-1, width)), column.dtype)


def present(column: Column) -> Expression:
    """Whether a value is there."""
    if column.unsupported:
        return elementwise.negated(elementwise.missing(column))
    if types.is_category(column.dtype):
        width = types.type_of(column.dtype)
        assert width is not None
        return call("ge", column.expression, Literal(0, width))
    if types.is_float(column.dtype):
        return call("not_", call("is_nan", column.expression))
    return call("not_", call("is_null", column.expression))


def _count(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
    if grouped and types.is_sparse(column.dtype):
        raise Refused(f"`count` of dtype `{column.dtype}`")
    if types.is_category(column.dtype) or column.unsupported:
        counted = fold("sum", call("cast", present(column), to=ir.i64), skip="none")
    else:
        counted = fold("count", column.expression, skip="all")
    # Groups of nullable values are counted in nullable numbers.
    return Column(counted, types.ARROW_INT64 if grouped and types.is_arrow(column.dtype) else pandas.Int64Dtype() if grouped and types.is_masked(column.dtype) else types.INT64)


def _size(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
    return Column(fold("count", column.expression, skip="none"), types.INT64)


def _nunique(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
    value = column.expression
    if column.dtype == types.OBJECT:
        raise Refused("`nunique` of lists, which pandas cannot tell apart")
    if types.is_category(column.dtype):
        width = types.type_of(column.dtype)
        assert width is not None
        value = call("select", call("lt", value, Literal(0, width)), Literal(None, width), value)
    return Column(fold("nunique", value, skip="all" if options.get("dropna", True) else "none"), types.INT64)


def _spread(op: str) -> Callable[[Column, bool, dict[str, Any]], Column]:
    def made(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
        dtype = _number(column, op)
        if types.is_bool(dtype):
            raise Refused(f"`{op}` of booleans")
        value = call("cast", column.expression, to=ir.f64) if dtype != types.FLOAT64 else column.expression
        found = _floated(fold(op, value, skip=_skip(options), ddof=int(options.get("ddof", 1)), reassoc=True))
        return Column(call("cast", found, to=ir.f32), dtype) if dtype == np.float32 else Column(found, types.FLOAT64)

    return made


def _sem(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
    dtype = _number(column, "sem")
    wide = Column(call("cast", column.expression, to=ir.f64), types.FLOAT64) if dtype == np.float32 else column
    spread = _spread("std")(wide, grouped, options)
    count = call("cast", _count(column, grouped, options).expression, to=ir.f64)
    found = call("div", spread.expression, call("sqrt", count))
    return Column(call("cast", found, to=ir.f32), dtype) if dtype == np.float32 else Column(found, types.FLOAT64)


def _middle(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
    dtype = _number(column, "median")
    if types.is_bool(dtype):
        raise Refused(f"the median of `{dtype}`")
    value = call("cast", column.expression, to=ir.f64) if dtype != types.FLOAT64 else column.expression
    found = _floated(fold("median", value, skip=_skip(options)))
    return Column(call("cast", found, to=ir.f32), dtype) if dtype == np.float32 else Column(found, types.FLOAT64)


def _quantile(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
    dtype = _number(column, "quantile")
    if types.is_bool(dtype):
        raise Refused(f"quantiles of `{dtype}`")
    q = options.get("q", 0.5)
    if not isinstance(q, (int, float)) or not 0 <= q <= 1:
        raise Refused(f"`q={value_text(q)}`")
    between = options.get("interpolation", "linear")
    stays_whole = types.is_integer(dtype) and between in ("lower", "higher", "nearest")
    if stays_whole and not grouped:
        raise Refused(f"`interpolation={value_text(between)}` of integers")
    value = call("cast", column.expression, to=ir.f64) if dtype != types.FLOAT64 else column.expression
    if dtype == np.float32 and not grouped and between != "linear":
        raise Refused(f"`interpolation={value_text(between)}` of narrow floats")
    if between == "linear" and not grouped:
        return _quantile_of_all(value, float(q), is_narrow=dtype == np.float32)
    if grouped and between in ("linear", "midpoint"):
        return _quantile_of_group(value, float(q), between)
    made = Fold("arr_quantile", (value,), (Literal(float(q), ir.f64),), attributes={"skip": "all", "between": between})
    if stays_whole:
        # Integers go through floats, and come back as wide ones.
        return Column(call("cast", call("coalesce", made, Literal(0.0, ir.f64)), to=ir.i64, mode="wrap"), types.INT64)
    return Column(_floated(made), types.FLOAT64)


def _neighbours(value: Expression, q: float) -> tuple[Expression, Expression, Expression]:
    """The values below and above a quantile, and which share of the way from one to the other it is at."""

    def neighbour(word: str) -> Expression:
        return Fold("arr_quantile", (value,), (Literal(q, ir.f64),), attributes={"skip": "all", "between": word})

    last = call("sub", call("cast", fold("count", value, skip="all"), to=ir.f64), Literal(1.0, ir.f64))
    position = call("mul", last, Literal(q, ir.f64))
    return neighbour("lower"), neighbour("higher"), call("sub", position, call("floor", position))


def _quantile_of_group(value: Expression, q: float, between: str) -> Column:
    """A quantile as pandas' groups have it: it goes from the lower neighbour on, where NumPy goes from the nearer one, and so do last bits and infinities."""
    low, high, share = _neighbours(value, q)
    if between == "linear":
        found = call("add", low, call("mul", call("sub", high, low), share))
    else:
        found = call("div", call("add", low, high), Literal(2.0, ir.f64))
    return Column(_floated(call("select", call("eq", share, Literal(0.0, ir.f64)), low, found)), types.FLOAT64)


def _quantile_of_all(value: Expression, q: float, is_narrow: bool) -> Column:
    """A quantile as NumPy has it, from the nearer neighbour; of narrow floats the distance between two of them is a narrow one."""
    low, high, share = _neighbours(value, q)
    distance = call("sub", high, low)
    if is_narrow:
        distance = call("cast", call("cast", distance, to=ir.optional(ir.f32)), to=ir.optional(ir.f64))
    below = call("add", low, call("mul", distance, share))
    above = call("sub", high, call("mul", distance, call("sub", Literal(1.0, ir.f64), share)))
    return Column(_floated(call("select", call("lt", share, Literal(0.5, ir.f64)), below, above)), types.FLOAT64)


def _skew(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
    dtype = _number(column, "skew")
    # In groups, integers come back as such where all results are whole: see `group_moments`.
    if dtype.kind not in "iuf" or dtype == np.float32 or (grouped and dtype.kind != "f"):
        raise Refused(f"the skew of `{dtype}`")
    value = call("cast", column.expression, to=ir.f64) if dtype != types.FLOAT64 else column.expression
    return Column(_floated(fold("skew", value, skip=_skip(options))), types.FLOAT64)


def _truth(op: str) -> Callable[[Column, bool, dict[str, Any]], Column]:
    def made(column: Column, grouped: bool, options: dict[str, Any]) -> Column:
        if grouped and (types.is_text(column.dtype) or types.is_category(column.dtype) or types.is_duration(column.dtype)):
            return Column(fold(op, _truth_of(column, op, options), skip="none"), types.BOOL)
        dtype = _number(column, op)
        value = column.expression
        if not types.is_bool(dtype):
            if types.is_float(dtype):
                # NaN is true, and passed over where missing values are: then it must decide nothing.
                value = call("ne", value, Literal(0.0, types.type_of(dtype)))  # type: ignore[arg-type]
                if options.get("skipna", True):
                    neutral = Literal(op == "all", ir.bool_)
                    value = call("select", call("is_nan", column.expression), neutral, value)
            else:
                value = call("ne", value, Literal(0, types.type_of(dtype)))  # type: ignore[arg-type]
        return Column(fold(op, value, skip="none"), types.BOOL)

    return made


def _truth_of(column: Column, op: str, options: dict[str, Any]) -> Expression:
    """Whether a text, a category or a timedelta is true. What is missing is, or decides nothing where it is passed over."""
    if types.is_category(column.dtype):
        width = types.type_of(column.dtype)
        assert width is not None
        false = [Literal(at, width) for at, category in enumerate(column.dtype.categories) if not category]
        value: Expression = call("not_", call("is_in", column.expression, *false)) if false else Literal(True, ir.bool_)
    elif types.is_text(column.dtype):
        value = call("ne", call("coalesce", column.expression, Literal("x", ir.str_)), Literal("", ir.str_))
    else:
        whole = call("cast", column.expression, to=ir.optional(ir.i64))
        value = call("ne", call("coalesce", whole, Literal(1, ir.i64)), Literal(0, ir.i64))
    return call("select", present(column), value, Literal(op == "all" if options.get("skipna", True) else True, ir.bool_))


_AGGREGATES: dict[str, Callable[[Column, bool, dict[str, Any]], Column]] = {
    "sum": _sum,
    "prod": _product,
    "product": _product,
    "mean": _mean,
    "min": _least("min"),
    "max": _least("max"),
    "first": _edge("first"),
    "last": _edge("last"),
    "count": _count,
    "size": _size,
    "nunique": _nunique,
    "std": _spread("std"),
    "var": _spread("var"),
    "sem": _sem,
    "median": _middle,
    "quantile": _quantile,
    "skew": _skew,
    "any": _truth("any"),
    "all": _truth("all"),
}
