"""Types of users: objects that are a few numbers with names, which compiled code has in registers."""

from __future__ import annotations

import ast
import dataclasses
import gc
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from airloom.functions.kinds import BOOL, FLOAT, INT, KINDS, Kind, Record, Scalar, Several, Value, item
from airloom.functions.refusals import NotCompiled

if TYPE_CHECKING:
    from airloom.functions.translate import Translator

_PYTHONS: dict[Any, Scalar] = {float: FLOAT, int: INT, bool: BOOL}
_METHODS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and",
    ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip


class UserType:
    """A class, and the numbers that its objects are."""

    def __init__(self, cls: type, fields: dict[str, Scalar], box: Callable[..., Any], unbox: Callable[[Any], Sequence[Any]]) -> None:
        self.cls, self.fields, self.box, self.unbox = cls, fields, box, unbox
        self.record = Record(cls, tuple(fields), tuple(fields.values()), box)
        self._types = [_type_of(kind) for kind in fields.values()]

    def values(self, given: Any) -> tuple[Any, ...] | None:
        """The numbers of an object; none where they are not what was said of them."""
        found = tuple(self.unbox(given))
        fits = len(found) == len(self._types) and all(type(value) is kind for value, kind in zip(found, self._types, strict=True))
        return found if fits else None


#: The types that were registered.
TYPES: dict[type, UserType] = {}


def register_type(
    cls: type | None = None, *, storage: Mapping[str, Any] | None = None, box: Callable[..., Any] | None = None, unbox: Callable[[Any], Sequence[Any]] | None = None
) -> Any:
    """Says which numbers objects of a class are: compiled functions take them, compute with them and give them.

    `storage` names the numbers and their types: `float`, `int`, `bool`, or a dtype of NumPy's. Without it, it is what the annotations of a dataclass or of a named tuple say. `unbox` gives the numbers of an object, and `box` makes one
    of them; without them they are attributes of these names, and arguments of the class. Methods and operators are those of the class, and are compiled where they are used. It may be written as a decorator.
    """
    if cls is None:
        return lambda found: register_type(found, storage=storage, box=box, unbox=unbox)
    if not isinstance(cls, type):
        raise TypeError(f"`register_type` takes a class, not `{type(cls).__name__}`")
    fields = {name: _scalar(cls, name, kind) for name, kind in (storage if storage is not None else _annotated(cls)).items()}
    if not fields:
        raise TypeError(f"`{cls.__name__}` has no numbers: `storage` names them")
    names = tuple(fields)
    TYPES[cls] = UserType(cls, fields, box or cls, unbox or (lambda given: [getattr(given, name) for name in names]))
    UNBOXERS.pop(cls, None)
    return cls


def _annotated(cls: type) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    if dataclasses.is_dataclass(cls):
        return {field.name: hints[field.name] for field in dataclasses.fields(cls)}
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return {name: hints.get(name) for name in cls._fields}
    raise TypeError(f"`{cls.__name__}` is neither a dataclass nor a named tuple: `storage` says which numbers it is")


def _scalar(cls: type, name: str, kind: Any) -> Scalar:
    if kind in _PYTHONS:
        return _PYTHONS[kind]
    try:
        return Scalar(KINDS[numpy.dtype(kind)], False)
    except (KeyError, TypeError):
        raise TypeError(f"`{name}` of `{cls.__name__}` is no number that is compiled: {kind!r}") from None


def _type_of(kind: Scalar) -> type:
    return {"i64": int, "f64": float, "bool": bool}[kind.kind] if kind.weak else kind.dtype.type


def is_record(*values: Value) -> bool:
    """Whether one of some values is an object of a class of a user's."""
    return any(isinstance(value.kind, Record) or (isinstance(value.kind, Several) and value.kind.cls is not None) for value in values)


def attribute(t: Translator, owner: Value, name: str, node: ast.AST) -> Value:
    """A number of an object, what a property gives, or what its class has."""
    from airloom.functions.expressions import of_object

    kind = owner.kind
    assert isinstance(kind, (Record, Several))
    if name in kind.names:
        return item(owner, kind.names.index(name))
    found = _of_class(t, kind, name, node)
    if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
        return t.inlined(found.fget, [owner], {}, node)
    if isinstance(found, (types.FunctionType, classmethod, staticmethod)):
        raise NotCompiled(f"the method `{name}` that is not called", node)
    return of_object(t, found, node)


def method(t: Translator, owner: Value, name: str, args: list[Value], named: dict[str, Value], node: ast.AST) -> Value:
    """A call of a method."""
    assert isinstance(owner.kind, (Record, Several))
    found = _of_class(t, owner.kind, name, node)
    if isinstance(found, staticmethod) and isinstance(found.__func__, types.FunctionType):
        return t.inlined(found.__func__, args, named, node)
    if not isinstance(found, types.FunctionType):
        raise NotCompiled(f"`.{name}()` of {owner.kind}, which is no method that is written in Python", node)
    return t.inlined(found, [owner, *args], named, node)


def operation(t: Translator, op: ast.AST, values: list[Value], node: ast.AST) -> Value:
    """An operator, by the method of the class: of the first object, or of the second where the first is a number."""
    word = _METHODS.get(type(op))
    first = next(value for value in values if is_record(value))
    swapped = first is not values[0]
    if word is None or (swapped and isinstance(op, ast.cmpop)):
        raise NotCompiled(f"an operator of {first.kind}", node)
    return method(t, first, f"__{'r' if swapped else ''}{word}__", values[:1] if swapped else values[1:], {}, node)


def made(t: Translator, own: UserType, args: list[Value], named: dict[str, Value], node: ast.AST) -> Value:
    """An object of a class: its numbers, in their order or by name."""
    names = own.record.names
    if own.box is not own.cls or len(args) > len(names):
        raise NotCompiled(f"a call of `{own.cls.__name__}`, whose objects are made in a way of their own", node)
    _plainly_made(own.cls, node)
    given = dict(zip(names, args, strict=False))
    if set(given) & set(named) or {*given, *named} != set(names):
        raise NotCompiled(f"a call of `{own.cls.__name__}` without all of its numbers", node)
    given |= named
    for name, kind in own.fields.items():
        if given[name].kind != kind:
            raise NotCompiled(f"`{name}` of `{own.cls.__name__}` is {kind}, and is given {given[name].kind}", node, f"convert it: `{kind}(…)`")
    return Value(own.record, tuple(n for name in names for n in given[name].nodes))


def tuple_of(t: Translator, cls: Any, args: list[Value], named: dict[str, Value], node: ast.AST) -> Value:
    """A named tuple of what it is given, by position and by name."""
    from airloom.functions.expressions import of_object

    _plainly_made(cls, node)
    names = cls._fields
    given = dict(zip(names, args, strict=False))
    if len(args) > len(names) or set(given) & set(named) or not set(named) <= set(names):
        raise NotCompiled(f"a call of `{cls.__name__}` with other arguments than it has", node)
    given |= named
    for name, value in cls._field_defaults.items():
        given.setdefault(name, of_object(t, value, node))
    if set(given) != set(names):
        raise NotCompiled(f"a call of `{cls.__name__}` without all of its items", node)
    parts = [given[name] for name in names]
    return Value(Several(tuple(part.kind for part in parts), cls, tuple(names)), tuple(n for part in parts for n in part.nodes))


def _plainly_made(cls: Any, node: ast.AST) -> None:
    """Only what Python itself has written does nothing but keep its arguments."""
    name = "__init__" if dataclasses.is_dataclass(cls) and not hasattr(cls, "__post_init__") else "__new__" if issubclass(cls, tuple) and hasattr(cls, "_fields") else ""
    code = getattr(getattr(cls, name, None), "__code__", None)
    if code is None or code.co_filename != "<string>":
        raise NotCompiled(f"a call of `{cls.__name__}`, which is no dataclass and no named tuple", node, "objects that are given are compiled; make new ones of dataclasses")


def _of_class(t: Translator, kind: Record | Several, name: str, node: ast.AST) -> Any:
    """What a class has under a name. Code is made for what it is now, and is not used when it is another."""
    for cls in kind.cls.__mro__ if kind.cls is not None else ():
        if name in vars(cls):
            # The dictionary of a class is behind a view that cannot be written to.
            spaces = [found for found in gc.get_referents(vars(cls)) if isinstance(found, dict)]
            if cls is not object and len(spaces) == 1:
                t.guards.append((spaces[0], name, vars(cls)[name]))
            return vars(cls)[name]
    raise NotCompiled(f"`.{name}` of {kind}", node)


class _Unboxers(dict[type, Any]):
    """What objects of a class are taken apart by where a part is given one: tuples, dataclasses, and types that were registered. `None` stands for what is known by who it is."""

    def __missing__(self, cls: type) -> Any:
        self[cls] = found = _unboxer(cls)
        return found


def _unboxer(cls: type) -> Callable[[Any], Any] | None:
    if cls in TYPES:
        return TYPES[cls].values
    if cls is tuple or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return tuple
    if dataclasses.is_dataclass(cls):
        names = [field.name for field in dataclasses.fields(cls)]
        return lambda given: tuple([getattr(given, name) for name in names])
    return None


UNBOXERS = _Unboxers()


@dataclasses.dataclass(frozen=True)
class Shape:
    """How an argument of a part is made of values, one after the other: one value, or the parts of an object of a class."""

    cls: type | None = None
    parts: tuple[Shape, ...] = ()

    @property
    def count(self) -> int:
        return 1 if self.cls is None else sum(part.count for part in self.parts)

    def kind(self, kinds: Sequence[Kind]) -> Kind:
        """What is known of the argument, from what is known of its values."""
        if self.cls is None:
            return kinds[0]
        if self.cls in TYPES:
            return TYPES[self.cls].record
        items, at = [], 0
        for part in self.parts:
            items.append(part.kind(kinds[at : at + part.count]))
            at += part.count
        names = [field.name for field in dataclasses.fields(self.cls)] if dataclasses.is_dataclass(self.cls) else getattr(self.cls, "_fields", ())
        return Several(tuple(items), None if self.cls is tuple else self.cls, tuple(names))

    def made(self, values: Iterator[Any]) -> Any:
        """The argument again, from its values; an object of a user's is a tuple of its parts."""
        if self.cls is None:
            return next(values)
        found = tuple([part.made(values) for part in self.parts])
        return self.cls._make(found) if hasattr(self.cls, "_make") else found

    def labels(self, name: str) -> list[str]:
        """A name for each of the values."""
        return [name] if self.cls is None else [label for at, part in enumerate(self.parts) for label in part.labels(f"{name}_{at}")]


_SINGLE = Shape()


def shapes(said: Sequence[Any] | None, count: int) -> tuple[Shape, ...]:
    """The shapes of arguments, as whoever has taken them apart says them."""
    return (_SINGLE,) * count if said is None else tuple(map(_shape, said))


def _shape(said: Any) -> Shape:
    return _SINGLE if said is None else Shape(said[0], tuple(map(_shape, said[1])))


def taken_apart(args: Sequence[Any]) -> tuple[list[Any], tuple[Shape, ...]]:
    """Values that a part is given, with the items of tuples and the parts of objects in their places, and the shapes of both."""
    flat: list[Any] = []
    found = tuple(_apart(arg, flat) for arg in args)
    return flat, found


#: Tuples of more items than this, and tuples within tuples deeper than this, are known by who they are: `region.rs` has the same numbers.
_MOST_ITEMS, _DEEPEST = 64, 8


def _apart(arg: Any, flat: list[Any], depth: int = 0) -> Shape:
    unbox = None if isinstance(arg, (int, float, complex, numpy.generic, numpy.ndarray)) or depth >= _DEEPEST else UNBOXERS[type(arg)]
    parts = None if unbox is None else unbox(arg)
    if parts is None or len(parts) > _MOST_ITEMS:
        flat.append(arg)
        return _SINGLE
    return Shape(type(arg), tuple(_apart(part, flat, depth + 1) for part in parts))


__all__ = ["TYPES", "UNBOXERS", "Shape", "UserType", "attribute", "is_record", "made", "method", "operation", "register_type", "shapes", "taken_apart", "tuple_of"]
