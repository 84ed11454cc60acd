"""Types of users: objects that are a few numbers with names, which compiled code has in registers."""

from __future__ import annotations

import ast
import dataclasses
import gc
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from airloom.functions.kinds import BOOL, FLOAT, INT, KINDS, Record, Scalar, Value, item
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

    def values(self, given: Any) -> list[Any] | None:
        """The numbers of an object; none where they are not what was said of them."""
        found = list(self.unbox(given))
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
    return any(isinstance(value.kind, Record) for value in values)


def attribute(t: Translator, owner: Value, name: str, node: ast.AST) -> Value:
    """A number of an object, what a property gives, or what its class has."""
    from airloom.functions.expressions import of_object

    kind = owner.kind
    assert isinstance(kind, Record)
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
    assert isinstance(owner.kind, Record)
    found = _of_class(t, owner.kind, name, node)
    if isinstance(found, staticmethod) and isinstance(found.__func__, types.FunctionType):
        return t.inlined(found.__func__, args, named, node)
    if not isinstance(found, types.FunctionType):
        raise NotCompiled(f"`.{name}()` of {owner.kind}, which is no method that is written in Python", node)
    return t.inlined(found, [owner, *args], named, node)


def operation(t: Translator, op: ast.AST, values: list[Value], node: ast.AST) -> Value:
    """An operator, by the method of the class: of the first object, or of the second where the first is a number."""
    word = _METHODS.get(type(op))
    first = next(value for value in values if isinstance(value.kind, Record))
    swapped = first is not values[0]
    if word is None or (swapped and isinstance(op, ast.cmpop)):
        raise NotCompiled(f"an operator of {first.kind}", node)
    return method(t, first, f"__{'r' if swapped else ''}{word}__", values[:1] if swapped else values[1:], {}, node)


def made(t: Translator, own: UserType, args: list[Value], named: dict[str, Value], node: ast.AST) -> Value:
    """An object of a class: its numbers, in their order or by name."""
    names = own.record.names
    if own.box is not own.cls or len(args) > len(names):
        raise NotCompiled(f"a call of `{own.cls.__name__}`, whose objects are made in a way of their own", node)
    _plainly_made(own, node)
    given = dict(zip(names, args, strict=False))
    if set(given) & set(named) or {*given, *named} != set(names):
        raise NotCompiled(f"a call of `{own.cls.__name__}` without all of its numbers", node)
    given |= named
    for name, kind in own.fields.items():
        if given[name].kind != kind:
            raise NotCompiled(f"`{name}` of `{own.cls.__name__}` is {kind}, and is given {given[name].kind}", node, f"convert it: `{kind}(…)`")
    return Value(own.record, tuple(n for name in names for n in given[name].nodes))


def _plainly_made(own: UserType, node: ast.AST) -> None:
    """Only what Python itself has written does nothing but keep its arguments."""
    cls: Any = own.cls
    name = "__init__" if dataclasses.is_dataclass(cls) and not hasattr(cls, "__post_init__") else "__new__" if issubclass(cls, tuple) and hasattr(cls, "_fields") else ""
    code = getattr(getattr(cls, name, None), "__code__", None)
    if code is None or code.co_filename != "<string>":
        raise NotCompiled(f"a call of `{cls.__name__}`, which is no dataclass and no named tuple", node, "objects that are given are compiled; make new ones of dataclasses")


def _of_class(t: Translator, kind: Record, name: str, node: ast.AST) -> Any:
    """What a class has under a name. Code is made for what it is now, and is not used when it is another."""
    for cls in kind.cls.__mro__:
        if name in vars(cls):
            # The dictionary of a class is behind a view that cannot be written to.
            spaces = [found for found in gc.get_referents(vars(cls)) if isinstance(found, dict)]
            if cls is not object and len(spaces) == 1:
                t.guards.append((spaces[0], name, vars(cls)[name]))
            return vars(cls)[name]
    raise NotCompiled(f"`.{name}` of {kind}", node)


class Entrance:
    """A part that may be given objects of types of users': code takes their numbers in their place."""

    def __init__(self, region: Callable[[tuple[UserType | None, ...] | None], Any], told: Callable[[str], None]) -> None:
        self._region, self._told = region, told
        self._plain = region(None)
        self._regions: dict[tuple[UserType | None, ...], Any] = {}

    def __call__(self, *args: Any) -> Any:
        owners = tuple(TYPES.get(type(arg)) for arg in args)
        if not any(owners):
            return self._plain(*args)
        region = self._regions.get(owners)
        if region is None:
            region = self._regions[owners] = self._region(owners)
        flat: list[Any] = []
        for arg, own in zip(args, owners, strict=True):
            if own is None:
                flat.append(arg)
                continue
            values = own.values(arg)
            if values is None:
                self._told(f"an object of `{own.cls.__name__}` whose numbers are of other types than was said")
                return None
            flat.extend(values)
        return region(*flat)


__all__ = ["TYPES", "Entrance", "UserType", "attribute", "is_record", "made", "method", "operation", "register_type"]
