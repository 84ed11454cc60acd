"""What is known of a value before it is computed: Python's and NumPy's scalars, arrays, objects known by who they are, and names that may have one of several."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy

from airloom._native import Type
from airloom.functions.refusals import NotCompiled

if TYPE_CHECKING:
    from airloom.functions.faces import Face


@dataclass(frozen=True)
class Scalar:
    """A number: `weak` where it is Python's own, which takes the dtype of what it meets."""

    kind: str
    weak: bool

    def __str__(self) -> str:
        return {"i64": "int", "f64": "float", "bool": "bool"}[self.kind] if self.weak else self.dtype.name

    @property
    def dtype(self) -> numpy.dtype[Any]:
        return DTYPES[self.kind]


@dataclass(frozen=True)
class Complex:
    """A complex number of Python's."""

    def __str__(self) -> str:
        return "complex"


@dataclass(frozen=True)
class Array:
    """An array that the part was given, or made, by number; which version of it is in memory is known where it is read."""

    kind: str
    axes: int
    layout: str
    number: int

    @property
    def dtype(self) -> numpy.dtype[Any]:
        return DTYPES[self.kind]

    def __str__(self) -> str:
        return f"array of {DTYPES[self.kind].name}, {self.axes} axes"


@dataclass(frozen=True)
class View:
    """A part of an array: for each axis all of it (`whole`), one position (`at`) or some of them (`slice`: where it begins, by which step, how many); and axes that the array does not have (`new`)."""

    array: Array
    parts: tuple[str, ...]

    @property
    def axes(self) -> int:
        return sum(part != "at" for part in self.parts)

    @property
    def kind(self) -> str:
        return self.array.kind

    def __str__(self) -> str:
        return f"view of an array of {DTYPES[self.kind].name}, {self.axes} axes"


@dataclass(frozen=True)
class Unbound:
    """A name without a value."""

    def __str__(self) -> str:
        return "nothing"


@dataclass(frozen=True)
class Never:
    """What is never reached."""

    def __str__(self) -> str:
        return "nothing"


class Known:
    """An object that code is made for."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)

    def __str__(self) -> str:
        return f"`{getattr(self.value, '__name__', type(self.value).__name__)}`"


@dataclass(frozen=True)
class Several:
    """A tuple; with a class and names, a named tuple, or an object of a dataclass."""

    items: tuple[Kind, ...]
    cls: type | None = None
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        items = ", ".join(map(str, self.items))
        return f"({items})" if self.cls is None else f"`{self.cls.__name__}` of ({items})"

    @property
    def is_tuple(self) -> bool:
        return self.cls is None or issubclass(self.cls, tuple)


@dataclass(frozen=True)
class Record:
    """An object of a type of a user's: numbers with names, and what makes an object of them."""

    cls: type
    names: tuple[str, ...]
    items: tuple[Scalar, ...]
    box: Any

    def __str__(self) -> str:
        return f"`{self.cls.__name__}`"


@dataclass(frozen=True)
class Object:
    """An object of a front end's over some values; what it can do, its face says."""

    face: Face
    items: tuple[Kind, ...]

    def __str__(self) -> str:
        return str(self.face)


@dataclass(frozen=True)
class Either:
    """One of several kinds, which is known when the code runs: Python's `0` before a loop that makes it a float of NumPy's, say."""

    choices: tuple[Kind, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.choices))


Kind: TypeAlias = Scalar | Complex | Array | View | Unbound | Never | Known | Several | Record | Object | Either

INT = Scalar("i64", True)
FLOAT = Scalar("f64", True)
BOOL = Scalar("bool", True)

#: The dtype of each type of the graph.
DTYPES: dict[str, numpy.dtype[Any]] = {
    "bool": numpy.dtype("bool"),
    **{f"i{8 * size}": numpy.dtype(f"i{size}") for size in (1, 2, 4, 8)},
    **{f"u{8 * size}": numpy.dtype(f"u{size}") for size in (1, 2, 4, 8)},
    "f32": numpy.dtype("f4"),
    "f64": numpy.dtype("f8"),
}
KINDS: dict[numpy.dtype[Any], str] = {dtype: kind for kind, dtype in DTYPES.items()}

#: The most kinds that a name may have.
_MOST_CHOICES = 4


@functools.cache
def type_of(word: str) -> Type:
    return Type.parse(word)


@dataclass(frozen=True)
class Value:
    """A value of a part that is being compiled: what is known of it, and its nodes, as many as its kind has words."""

    kind: Kind
    nodes: tuple[int, ...] = ()

    @property
    def node(self) -> int:
        (found,) = self.nodes
        return found


def words(kind: Kind) -> list[str]:
    """The types of the nodes of a value of a kind. An array has none: its version is passed for itself."""
    match kind:
        case Scalar():
            return [kind.kind]
        case Complex():
            return ["f64", "f64"]
        case Several() | Record() | Object():
            return [word for item in kind.items for word in words(item)]
        case View():
            return ["i64"] * sum({"at": 1, "slice": 3}.get(part, 0) for part in kind.parts)
        case Either():
            return ["i64", *(word for choice in kind.choices for word in words(choice))]
    return []


def choices(kind: Kind) -> tuple[Kind, ...]:
    return kind.choices if isinstance(kind, Either) else (kind,)


def join(first: Kind, second: Kind) -> Kind:
    """What is known of a value that is one of two."""
    if first == second or isinstance(second, Never):
        return first
    if isinstance(first, Never):
        return second
    if isinstance(first, Several) and isinstance(second, Several) and len(first.items) == len(second.items) and first.cls is second.cls:
        return replace(first, items=tuple(map(join, first.items, second.items)))
    if isinstance(first, Object) or isinstance(second, Object):
        raise NotCompiled(f"a name that stands for {first} or {second}")
    found = list(choices(first))
    found.extend(choice for choice in choices(second) if choice not in found)
    if len(found) > _MOST_CHOICES:
        raise NotCompiled(f"a name that is one of {len(found)} kinds: {', '.join(map(str, found))}")
    if sum(isinstance(choice, (Array, View)) for choice in found) > 1:
        raise NotCompiled("a name that stands for one array or another")
    return Either(tuple(found))


def references(kind: Kind) -> set[int]:
    """The numbers of the arrays that a value of a kind stands for."""
    match kind:
        case Array():
            return {kind.number}
        case View():
            return {kind.array.number}
        case Several() | Object():
            return {number for part in kind.items for number in references(part)}
        case Either():
            return {number for part in kind.choices for number in references(part)}
    return set()


def renumbered(kind: Kind, numbers: dict[int, int]) -> Kind:
    """A kind whose arrays have other numbers."""
    match kind:
        case Array():
            return replace(kind, number=numbers.get(kind.number, kind.number))
        case View():
            return replace(kind, array=replace(kind.array, number=numbers.get(kind.array.number, kind.array.number)))
        case Several():
            return replace(kind, items=tuple(renumbered(part, numbers) for part in kind.items))
        case Object():
            return Object(kind.face, tuple(renumbered(part, numbers) for part in kind.items))
        case Either():
            return Either(tuple(renumbered(part, numbers) for part in kind.choices))
    return kind


def item(value: Value, at: int) -> Value:
    """One item of a tuple, or one number of an object."""
    assert isinstance(value.kind, (Several, Record, Object))
    first = sum(len(words(kind)) for kind in value.kind.items[:at])
    kind = value.kind.items[at]
    return Value(kind, value.nodes[first : first + len(words(kind))])


def choice(value: Value, at: int) -> Value:
    """A value as one of its choices."""
    assert isinstance(value.kind, Either)
    first = 1 + sum(len(words(kind)) for kind in value.kind.choices[:at])
    kind = value.kind.choices[at]
    return Value(kind, value.nodes[first : first + len(words(kind))])


def observed(value: Any, number: int) -> Kind:
    """What is known of what a part is given."""
    if value is UNBOUND:
        return Unbound()
    kind = type(value)
    if kind is float:
        return FLOAT
    if kind is int:
        return INT
    if kind is bool:
        return BOOL
    if kind is complex:
        return Complex()
    if kind is numpy.ndarray:
        if value.dtype not in KINDS or not value.dtype.isnative or value.dtype.char in "qQ" or not 1 <= value.ndim <= 6:
            return Known(value)
        last, first = value.strides[-1] == value.itemsize, value.strides[0] == value.itemsize
        return Array(KINDS[value.dtype], value.ndim, "rows" if last else "columns" if first else "strided", number)
    if issubclass(kind, numpy.generic) and numpy.dtype(kind) in KINDS and kind is numpy.dtype(kind).type and numpy.dtype(kind).char not in "qQ":
        return Scalar(KINDS[numpy.dtype(kind)], False)
    return Known(value)


class _Nothing:
    def __repr__(self) -> str:
        return "<no value>"


#: Stands for a name that has no value.
UNBOUND: Any = _Nothing()
