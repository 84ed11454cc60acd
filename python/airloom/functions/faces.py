"""Objects of a front end's in compiled code: a row of a frame, or a series. What each may be asked for is said by who made it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from airloom.functions import arithmetic, views
from airloom.functions.kinds import Object, Scalar, Value, View, item
from airloom.functions.refusals import NotCompiled

if TYPE_CHECKING:
    from airloom.functions.translate import Translator


class Face:
    """What an object can do. A call of it, which only code that a front end writes has, makes the object of values. Whatever a face says nothing of is not compiled."""

    #: What people call such an object.
    noun = "an object"
    #: Whether its first value is an array of what a loop over it gives, as numbers of Python's own.
    iterates = False

    def __str__(self) -> str:
        return self.noun

    def key(self) -> Any:
        """What tells code for this object from code for others of its kind."""
        return None

    def made(self, values: list[Value]) -> Value:
        return Value(Object(self, tuple(value.kind for value in values)), tuple(node for value in values for node in value.nodes))

    def attribute(self, t: Translator, owner: Value, name: str, node: ast.AST) -> Value:
        raise NotCompiled(f"`.{name}` of {self}", node)

    def method(self, t: Translator, owner: Value, name: str, args: list[Value], named: dict[str, Value], node: ast.AST) -> Value:
        raise NotCompiled(f"`{name}` of {self}", node)

    def item(self, t: Translator, owner: Value, key: Value, node: ast.AST) -> Value:
        raise NotCompiled(f"an item of {self}", node)

    def given_to(self, t: Translator, function: Any, owner: Value, node: ast.AST) -> Value:
        """What a function that is given the object alone makes of it."""
        raise NotCompiled(f"`{getattr(function, '__name__', function)}` of {self}", node)


def elements_of(value: Value) -> Value:
    """The array that a loop over a value goes over."""
    return item(value, 0) if isinstance(value.kind, Object) and value.kind.face.iterates else value


def element_at(t: Translator, array: Value, key: Value, node: ast.AST) -> Value:
    """An element of an array of one axis by its position, as NumPy's number."""
    w = t.writer
    view = views.as_view(array)
    assert isinstance(view.kind, View)
    kind = view.kind

    def one(given: list[Value]) -> Value:
        where, named = views.element(w, view, [views.index_of(w, given[0], node).node], node)
        return Value(Scalar(kind.kind, False), (w.make("arr.at", w.version(kind.array), *where, site=w.site(node, axes=named)),))

    return arithmetic.over(w, [key], node, one)


__all__ = ["Face", "element_at", "elements_of"]
