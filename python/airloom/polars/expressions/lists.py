"""Functions of lists, and of arrays, which are lists to the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.ir import SortWord
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.expressions.logic import COMPARED, literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.expressions.wide_arithmetic import wide_sum
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, literal, rowwise


def element_of(one: Expression, value: Value) -> pl.DataType:
    """The dtype of the elements of a list or an array."""
    if not isinstance(value.dtype, (pl.List, pl.Array)):
        raise Refused(f"`{one.name}` of {value.dtype} is not translated")
    return dtypes.inner_of(value.dtype)


def kept(make: Callable[..., Node]) -> Callable[..., Node]:
    """A function of a list that is null where the list is."""

    def of_list(found: Node, *more: Node) -> Node:
        made = make(found, *more)
        return ir.select(ir.is_null(found), ir.null(made.type.required), made)

    return of_list


def _converted(node: Node, dtype: pl.DataType) -> Node:
    kind = dtypes.type_of(dtype)
    return node if node.type.required == kind else ir.cast(node, kind, mode="wrap")


@expression("list.Length", "array.Length")
def _length(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    element_of(one, arguments[0])
    return rowwise(one.dtype, lambda found: _converted(ir.list_len(found), one.dtype), arguments[0])


@expression("list.Get", "array.Get")
def _get(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    element_of(one, arguments[0])
    (null_on_oob,) = one.parameters
    if not dtypes.is_of(arguments[1].dtype, *dtypes.SIGNED, pl.UInt8, pl.UInt16, pl.UInt32):
        raise unsupported(one, arguments)

    def make(found: Node, at: Node) -> Node:
        position = ir.cast(at, ir.i64)
        element = ir.list_at(found, position)
        if null_on_oob:
            return element
        length = ir.list_len(found)
        return fail_where(ir.or_(ir.ge(position, length), ir.lt(position, ir.neg(length))), element, "a position outside of its list")

    return rowwise(one.dtype, make, *arguments)


@expression("list.Contains", "array.Contains")
def _contains(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    inner = element_of(one, arguments[0])
    (nulls_equal,) = one.parameters
    if arguments[1].dtype != inner or not dtypes.is_of(inner, *COMPARED):
        raise unsupported(one, arguments)
    if not nulls_equal and (arguments[1].literal is None or arguments[1].literal[0] is None):
        raise Refused(f"`{one.name}` with `nulls_equal` False is translated only for a literal that is not null")
    if arguments[1].literal is not None and arguments[1].literal[0] is not None:
        return rowwise(one.dtype, kept(ir.list_contains), *arguments)
    return rowwise(one.dtype, kept(lambda found, wanted: ir.any(ir.map((ir.list_array(found),), lambda element: ir.same(element, wanted)))), *arguments)


@expression("list.Slice", "array.Slice")
def _slice(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    element_of(one, arguments[0])
    if isinstance(one.dtype, pl.Array):
        offset, length = one.parameters
        if type(length) is int and length < 0:
            # All but some at an end: as many as the dtype says.
            length = one.dtype.size
    else:
        offset = literal_of(arguments[1], "`list.slice` with an `offset`")
        length = literal_of(arguments[2], "`list.slice` with a `length`")
    if not isinstance(offset, int) or not (length is None or isinstance(length, int)) or (length or 0) < 0:
        raise Refused(f"`list.slice` from {value_text(offset)} with `length` {value_text(length)} is not translated")
    # No list is as long, and sums of such numbers do not wrap.
    offset, length = max(-_LONGEST, min(offset, _LONGEST)), None if length is None else min(length, _LONGEST)
    if isinstance(one.dtype, pl.Array) and len(_positions(arguments[0].dtype, offset, length)) != one.dtype.size:
        raise unsupported(one, arguments)

    def make(found: Node) -> Node:
        count = ir.list_len(found)
        begin = ir.add(count, ir.const(offset)) if offset < 0 else ir.const(offset)
        end = count if length is None else ir.least(ir.add(begin, ir.const(length)), count)
        return ir.list_slice(found, ir.greatest(begin, ir.const(0)), ir.greatest(end, ir.const(0)))

    return rowwise(one.dtype, make, arguments[0])


#: More elements than any list has.
_LONGEST = 2**61


def _positions(dtype: pl.DataType, offset: int, length: int | None) -> range:
    """Which elements of an array a slice has."""
    assert isinstance(dtype, pl.Array)
    begin = dtype.size + offset if offset < 0 else offset
    end = dtype.size if length is None else begin + length
    return range(max(begin, 0), min(max(end, 0), dtype.size))


@expression("list.Sort", "array.Sort")
def _sort(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    inner = element_of(one, arguments[0])
    descending, nulls_last = one.parameters[:2]
    if not dtypes.is_of(inner, *COMPARED):
        raise unsupported(one, arguments)
    word: SortWord = f"{'desc' if descending else 'asc'}.{'last' if nulls_last else 'first'}"  # type: ignore[assignment]
    return rowwise(one.dtype, kept(lambda found: ir.arr_list(ir.arr_sort(ir.list_array(found), [word]))), arguments[0])


@expression("list.DropNulls")
def _drop_nulls(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    element_of(one, arguments[0])
    return rowwise(one.dtype, kept(lambda found: ir.arr_list(ir.list_array(found), skip="null")), arguments[0])


@expression("list.Join", "array.Join")
def _join(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    inner = element_of(one, arguments[0])
    (ignore_nulls,) = one.parameters
    if not dtypes.is_of(inner, pl.String) or not dtypes.is_of(arguments[1].dtype, pl.String):
        raise unsupported(one, arguments)

    def make(found: Node, separator: Node) -> Node:
        joined = ir.str_join(found, separator)
        if ignore_nulls:
            return joined
        array = ir.list_array(found)
        known = ir.eq(ir.count(array, skip="null"), ir.count(array, skip="none"))
        return ir.select(known, joined, ir.null(ir.str_))

    return rowwise(one.dtype, kept(make), *arguments)


@expression("list.Concat")
def _concat(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    assert isinstance(one.dtype, pl.List)
    inner = dtypes.inner_of(one.dtype)
    element = dtypes.nullable(inner)
    for argument in arguments:
        if argument.dtype not in (inner, one.dtype):
            raise unsupported(one, arguments)
    lists = [argument.dtype == one.dtype for argument in arguments]

    def make(*values: Node) -> Node:
        made = [value if is_list else ir.list_of(value, element=element) for value, is_list in zip(values, lists, strict=True)]
        whole = made[0]
        for more in made[1:]:
            whole = ir.list_concat(whole, more)
        return whole

    return rowwise(one.dtype, make, *arguments)


@expression("array.ToList", "list.ToArray")
def _same(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if dtypes.inner_of(one.dtype) != element_of(one, arguments[0]):  # type: ignore[arg-type]
        raise unsupported(one, arguments)
    if isinstance(one.dtype, pl.List):
        return rowwise(one.dtype, lambda found: found, arguments[0])
    assert isinstance(one.dtype, pl.Array)
    # A list of another length is an error of Polars'.
    width = ir.const(one.dtype.size)
    return rowwise(one.dtype, lambda found: fail_where(ir.is_true(ir.ne(ir.list_len(found), width)), found, "a list of another length than the array"), arguments[0])


@expression("array.Concat")
def _concat_arrays(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    assert isinstance(one.dtype, pl.Array)
    inner, kind = dtypes.inner_of(one.dtype), dtypes.type_of(one.dtype)
    arrays = [isinstance(argument.dtype, pl.Array) and dtypes.inner_of(argument.dtype) == inner for argument in arguments]
    if any(not is_array and argument.dtype != inner for argument, is_array in zip(arguments, arrays, strict=True)):
        raise unsupported(one, arguments)
    if sum(argument.dtype.size if isinstance(argument.dtype, pl.Array) and is_array else 1 for argument, is_array in zip(arguments, arrays, strict=True)) != one.dtype.size:
        raise unsupported(one, arguments)

    def make(*values: Node) -> Node:
        missing, whole = ir.const(False), None
        for value, is_array in zip(values, arrays, strict=True):
            missing = ir.or_(missing, ir.is_null(value)) if is_array else missing
            one_list = value if is_array else ir.list_of(value, element=dtypes.nullable(inner))
            whole = one_list if whole is None else ir.list_concat(whole, one_list)
        assert whole is not None, "there is something to put together"
        return ir.select(missing, ir.null(kind), whole)

    return rowwise(one.dtype, make, *arguments)


_REDUCTIONS: dict[str, Callable[[Node], Node]] = {
    "Sum": lambda array: ir.sum(array, skip="null"),
    # NaN is passed over, but where there is nothing else it is the result.
    "Min": lambda array: ir.coalesce(ir.min(array, skip="all"), ir.min(array, skip="null")),
    "Max": lambda array: ir.coalesce(ir.max(array, skip="all"), ir.max(array, skip="null")),
    "ArgMin": lambda array: ir.argmin(array, skip="null"),
    "ArgMax": lambda array: ir.argmax(array, skip="null"),
    "Any": lambda array: ir.any(array, skip="null"),
    "All": lambda array: ir.all(array, skip="null"),
    "Mean": lambda array: ir.mean(array, skip="null"),
}
_REDUCED: dict[str, tuple[type[pl.DataType], ...]] = {
    "Sum": (*dtypes.NUMBERS, pl.Boolean),
    "Min": (*dtypes.NUMBERS, pl.Date, pl.Datetime, pl.Duration),
    "Max": (*dtypes.NUMBERS, pl.Date, pl.Datetime, pl.Duration),
    "ArgMin": dtypes.INTEGERS,
    "ArgMax": dtypes.INTEGERS,
    "Any": (pl.Boolean,),
    "All": (pl.Boolean,),
    "Mean": (*dtypes.INTEGERS, pl.Float64),
}


@expression(*(f"{family}.{word}" for family in ("list", "array") for word in _REDUCTIONS))
def _reduced(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    inner = element_of(one, arguments[0])
    word = one.name.partition(".")[2]
    if word == "Sum" and dtypes.is_of(inner, *dtypes.WIDE) and one.dtype == inner:
        return rowwise(one.dtype, kept(lambda found: wide_sum(one.dtype)(ir.list_array(found))), arguments[0])
    if not dtypes.is_of(inner, *_REDUCED[word]):
        raise unsupported(one, arguments)
    wide = dtypes.is_of(inner, pl.Boolean) and word == "Sum"

    def make(found: Node) -> Node:
        array = ir.list_array(found)
        made = _REDUCTIONS[word](ir.map((array,), lambda element: ir.cast(element, ir.i64)) if wide else array)
        return _converted(made, one.dtype)

    return rowwise(one.dtype, kept(make), arguments[0])


@expression("list.CountMatches", "array.CountMatches")
def _count_matches(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    inner = element_of(one, arguments[0])
    wanted = _as_element(arguments[1], inner)
    if wanted.dtype != inner or not dtypes.is_of(inner, *COMPARED):
        raise unsupported(one, arguments)

    def make(found: Node, item: Node) -> Node:
        return _converted(ir.sum(ir.map((ir.list_array(found),), lambda element: ir.cast(ir.same(element, item), ir.i64))), one.dtype)

    return rowwise(one.dtype, kept(make), arguments[0], wanted)


def _as_element(value: Value, inner: pl.DataType) -> Value:
    """A literal in the dtype of the elements it is looked for among."""
    if value.literal is None or value.dtype == inner:
        return value
    given = value.literal[0]
    if given is None or (type(given) is int and dtypes.is_of(inner, pl.Int64)):
        return literal(given, inner)
    return value
