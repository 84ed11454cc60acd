"""Types, as functions and constants: what a node's value is, known before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from airloom._native import Type

Unit: TypeAlias = Literal["s", "ms", "us", "ns"]

#: A type, or anything that tells its Arrow schema: a schema or data type of pyarrow, or a table.
TypeLike: TypeAlias = Any

bool_ = Type.parse("bool")
i8 = Type.parse("i8")
i16 = Type.parse("i16")
i32 = Type.parse("i32")
i64 = Type.parse("i64")
u8 = Type.parse("u8")
u16 = Type.parse("u16")
u32 = Type.parse("u32")
u64 = Type.parse("u64")
f32 = Type.parse("f32")
f64 = Type.parse("f64")
str_ = Type.parse("str")
bytes_ = Type.parse("bytes")
date = Type.parse("date")
time = Type.parse("time")
token_ = Type.parse("token")


def decimal(precision: int, scale: int = 0) -> Type:
    """Exact numbers of at most `precision` digits, of which `scale` stand after the point."""
    return Type.decimal(precision, scale)


def timestamp(unit: Unit = "us", zone: str | None = None) -> Type:
    """A point in time (with a zone) or a wall-clock reading (without), counted in a unit since 1970-01-01."""
    return Type.timestamp(unit, zone)


def duration(unit: Unit = "us") -> Type:
    """A duration, counted in a unit."""
    return Type.duration(unit)


def optional(inner: TypeLike) -> Type:
    """`T?`: a value, or null."""
    return Type.optional(inner)


def dictionary(inner: TypeLike) -> Type:
    """The same values, each stored once."""
    return Type.dictionary(inner)


def category(names: Sequence[str], *, ordered: bool = False) -> Type:
    """One of a fixed list of names; ordered by their positions, where that is said."""
    return Type.category(names, ordered)


def list_(element: TypeLike) -> Type:
    """Any number of values of one type."""
    return Type.list(element)


def struct(fields: Mapping[str, TypeLike]) -> Type:
    """Named values: also the type of a row."""
    return Type.struct_(fields)


def rel(fields: Mapping[str, TypeLike]) -> Type:
    """A sequence of rows: order is part of its meaning."""
    return Type.rel(fields)


def arr(element: TypeLike, *extents: int | str | None) -> Type:
    """An array: each extent is a number, a name that equal extents share, or `None` where nothing is known."""
    return Type.arr(element, extents or (None,))


def tuple_of(*parts: TypeLike) -> Type:
    """Several values at once."""
    return Type.tuple(parts)


def fn(params: Sequence[TypeLike], result: TypeLike) -> Type:
    """A function from parameters to a result."""
    return Type.function(params, result)


def type_of(source: Any) -> Type:
    """The type of a node, of a table, or of anything that tells its Arrow schema."""
    found = getattr(source, "type", None)
    # A tuple of one names the type that its part is read as.
    return found if isinstance(found, Type) else Type.tuple((source,)).parts[0]


__all__ = [
    "Type",
    "TypeLike",
    "Unit",
    "arr",
    "bool_",
    "bytes_",
    "category",
    "date",
    "decimal",
    "dictionary",
    "duration",
    "f32",
    "f64",
    "fn",
    "i16",
    "i32",
    "i64",
    "i8",
    "list_",
    "optional",
    "rel",
    "str_",
    "struct",
    "time",
    "timestamp",
    "token_",
    "tuple_of",
    "type_of",
    "u16",
    "u32",
    "u64",
    "u8",
]
