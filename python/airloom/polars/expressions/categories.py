"""Categories and enums. The engine has their codes: those of an enum stand in the order of its categories, those of a categorical only tell values apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.physical import physical
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused
from airloom.polars.values import Value, rowwise

#: More categories than these are not written out in a program.
_MOST = 64


def code_of(text: Any, dtype: pl.DataType) -> int | None:
    """The code of a category; none where there is no such category."""
    if not isinstance(dtype, pl.Enum):
        # Asking for the code of a text that is not there would add it.
        raise Refused(f"a text among the categories of {dtype} is not translated")
    names = dtype.categories.to_list()
    return names.index(text) if text in names else None


def category(text: Any, dtype: pl.DataType) -> Value:
    """A literal of a dtype of categories."""
    kind = dtypes.type_of(dtype)
    code = None if text is None else code_of(text, dtype)
    if text is not None and code is None:
        raise Refused(f"a literal that is no category of {dtype} is not translated")
    return Value(dtype, True, lambda: ir.null(kind) if code is None else ir.const(code, kind), literal=(text,))


def as_category(value: Value, dtype: pl.DataType) -> Value:
    """A literal text as one of the categories that it is compared with."""
    if value.literal is not None and dtypes.is_of(value.dtype, pl.String):
        return category(value.literal[0], dtype)
    return value


def names_of_codes(value: Value, after: pl.DataType) -> Value:
    """The texts of an enum."""
    names = _names(value.dtype)
    kind = ir.list_(ir.str_)
    return rowwise(after, lambda code: ir.list_at(ir.const(names, kind), ir.cast(code, ir.i64)), value)


def codes_of_names(value: Value, after: pl.DataType, strict: bool) -> Value:
    """Texts as an enum: null where there is no such category, or the program fails where the cast is strict."""
    names, kind = _names(after), dtypes.type_of(after)

    def make(text: Node) -> Node:
        found = ir.null(kind)
        for code in reversed(range(len(names))):
            found = ir.select(ir.eq(text, ir.const(names[code])), ir.const(code, kind), found)
        return fail_where(ir.and_(ir.is_null(found), ir.not_(ir.is_null(text))), found) if strict else found

    return rowwise(after, make, value)


def _names(dtype: pl.DataType) -> list[str]:
    if not isinstance(dtype, pl.Enum) or not 0 < len(dtype.categories) <= _MOST:
        raise Refused(f"text of {dtype if isinstance(dtype, pl.Categorical) else f'an Enum of more than {_MOST} categories, or of none,'} is not translated")
    return dtype.categories.to_list()


@expression("function.to_physical")
def _to_physical(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    before = arguments[0].dtype
    if isinstance(before, (pl.Enum, pl.Categorical)) and physical(before) == one.dtype:
        return rowwise(one.dtype, lambda code: code, arguments[0])
    if before == one.dtype and dtypes.is_of(before, *dtypes.NUMBERS, pl.Boolean, pl.String, pl.Binary):
        return arguments[0]
    if dtypes.is_of(before, pl.Date, pl.Datetime, pl.Duration) and dtypes.is_of(one.dtype, *dtypes.INTEGERS):
        kind = dtypes.type_of(one.dtype)
        make: Callable[[Node], Node] = lambda node: ir.cast(node, kind)
        return rowwise(one.dtype, make, arguments[0])
    raise unsupported(one, arguments)
