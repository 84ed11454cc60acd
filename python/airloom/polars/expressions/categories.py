"""Categories and enums. The engine has their codes: those of an enum stand in the order of its categories, those of a categorical only tell values apart.

Which code a text has in a categorical Polars alone knows, and gives out anew for texts that it has not seen: it is asked for those of a column when the program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
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
from airloom.polars.working import at_work

#: More categories than these are not written out in a program.
_MOST = 64


def code_of(text: Any, dtype: pl.DataType) -> int | None:
    """The code of a category; none where there is no such category. A text that no categorical of this dtype has had yet gets its code now: a column may have it later."""
    if not isinstance(dtype, pl.Enum):
        with at_work():
            return int(pl.Series([text], dtype=pl.String).cast(dtype).to_physical().item())
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
    """The texts of categories."""
    if value.literal is not None:
        text = value.literal[0]
        return Value(after, True, lambda: ir.null(ir.str_) if text is None else ir.const(text, ir.str_), literal=(text,))
    if _is_written_out(value.dtype):
        names, kind = _names(value.dtype), ir.list_(ir.str_)
        return rowwise(after, lambda code: ir.list_at(ir.const(names, kind), ir.cast(code, ir.i64)), value)
    asked = _texts(value.dtype)
    return rowwise(after, lambda code: ir.host_call(asked, [code], ty=ir.optional(ir.str_), effect="pure", vectorized=True), value)


def codes_of_names(value: Value, after: pl.DataType, strict: bool) -> Value:
    """Texts as categories: of an enum null where there is no such category, or the program fails where the cast is strict."""
    kind = dtypes.type_of(after)
    asked = None if _is_written_out(after) else _codes(after)
    names = [] if asked is not None else _names(after)

    def make(text: Node) -> Node:
        if asked is not None:
            found = ir.host_call(asked, [text], ty=ir.optional(kind), effect="raises", vectorized=True)
        else:
            found = ir.null(kind)
            for code in reversed(range(len(names))):
                found = ir.select(ir.eq(text, ir.const(names[code])), ir.const(code, kind), found)
        return fail_where(ir.and_(ir.is_null(found), ir.not_(ir.is_null(text))), found, "text that is no category of the enum") if strict and isinstance(after, pl.Enum) else found

    return rowwise(after, make, value)


def ordered(value: Value) -> Value:
    """What values are put in order by, as they are compared: a categorical by its texts."""
    return names_of_codes(value, pl.String()) if dtypes.is_of(value.dtype, pl.Categorical) else value


def _is_written_out(dtype: pl.DataType) -> bool:
    return isinstance(dtype, pl.Enum) and 0 < len(dtype.categories) <= _MOST


def _names(dtype: pl.DataType) -> list[str]:
    assert isinstance(dtype, pl.Enum)
    return dtype.categories.to_list()


@lru_cache(maxsize=64)
def _texts(dtype: pl.DataType) -> Callable[[Any], pl.Series]:
    """What asks Polars for the texts of codes."""

    def texts_of_categories(codes: Any) -> pl.Series:
        with at_work():
            return pl.Series(codes).cat.to(dtype).cast(pl.String)

    return texts_of_categories


@lru_cache(maxsize=64)
def _codes(dtype: pl.DataType) -> Callable[[Any], pl.Series]:
    """What asks Polars for the codes of texts."""

    def codes_of_categories(texts: Any) -> pl.Series:
        with at_work():
            return pl.Series(texts).cast(dtype, strict=False).to_physical()

    return codes_of_categories


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
