"""What a loop goes over: numbers, or the elements of arrays."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from airloom.functions.arithmetic import constant_of
from airloom.functions.faces import elements_of
from airloom.functions.kinds import INT, Array, Known, Object, Scalar, Several, Value, View, item
from airloom.functions.refusals import NotCompiled
from airloom.functions.views import as_view, axis_words, extents, positions

if TYPE_CHECKING:
    from airloom.functions.translate import Translator
    from airloom.functions.writer import Writer


class Prange:
    """`prange(stop)` is `range(stop)`; in a compiled function the turns of its loop are run on every core, by the word of whoever writes it that they do not depend on one another."""

    __name__ = "prange"

    def __call__(self, *args: Any) -> range:
        return range(*args)

    def __repr__(self) -> str:
        return "<function airloom.prange>"


prange = Prange()


@dataclass
class Turns:
    """Numbers that a loop goes over, and what it makes of each."""

    start: int
    stop: int
    step: int
    #: The step, where it is a constant.
    by: int | None
    #: The names of arrays whose elements are read, one after the other; none where the number itself is meant.
    arrays: Sequence[str] = ()
    numbered: bool = False
    #: Whether the elements are a tuple beside the number: `enumerate(zip(a, b))`.
    paired: bool = False
    first: int = 0
    #: The name of a tuple whose items are taken by number.
    items: str = ""

    @property
    def names(self) -> Sequence[str]:
        return [*self.arrays, *([self.items] if self.items else [])]

    @property
    def bounds(self) -> tuple[int, int]:
        return self.start, self.step

    def count(self, w: Writer, node: ast.AST) -> int:
        """How many turns there are."""
        if self.by is None:
            raise NotCompiled("a loop that may be left before its end, whose step is not a constant", node)
        first, last = (self.start, self.stop) if self.by > 0 else (self.stop, self.start)
        span = w.make("sub", last, first, site=w.site(node), overflow="raise")
        size = abs(self.by)
        if size > 1:
            rounded = w.make("add", span, w.constant(size - 1, "i64"), site=w.site(node), overflow="raise")
            span = w.make("floordiv", rounded, w.constant(size, "i64"))
        return w.make("greatest", span, w.constant(0, "i64"))

    def bound(self, t: Translator, number: int, node: ast.AST) -> Value:
        """What the names of the loop stand for in a turn."""
        w = t.writer
        own = Value(INT, (number,))
        if self.items:
            return chosen(w, w.scope.names[self.items], number)
        if not self.arrays:
            return own
        if self.first:
            own = Value(INT, (w.make("add", number, w.constant(self.first, "i64")),))
        parts = [_given(w, w.scope.names[array], number, node) for array in self.arrays]
        if self.paired:
            parts = [_together(parts)]
        found = [own, *parts] if self.numbered else parts
        if len(found) == 1:
            return found[0]
        return _together(found)


def _together(parts: list[Value]) -> Value:
    return Value(Several(tuple(part.kind for part in parts)), tuple(node for part in parts for node in part.nodes))


def _given(w: Writer, over: Value, number: int, node: ast.AST) -> Value:
    """What a loop is given in a turn: NumPy's number of an array, and Python's own of an object that goes over one."""
    found = _item(w, elements_of(over), number, node)
    return Value(replace(found.kind, weak=True), found.nodes) if isinstance(over.kind, Object) and isinstance(found.kind, Scalar) else found


def _item(w: Writer, array: Value, number: int, node: ast.AST) -> Value:
    """An element of an array, or a row of it."""
    view = as_view(array)
    assert isinstance(view.kind, View)
    if view.kind.axes == 1:
        site = w.site(node)
        where = positions(w, view, [number])
        return Value(Scalar(view.kind.kind, False), (w.make("arr.at", w.version(view.kind.array), *where, site=site),))
    parts = axis_words(view)
    first = next(at for at, (part, _) in enumerate(parts) if part != "at")
    word, nodes = parts[first]
    if word == "new":
        raise NotCompiled("a loop over a new axis", node)
    at = number if word == "whole" else positions(w, Value(View(view.kind.array, ("slice",)), nodes), [number])[0]
    parts[first] = ("at", (at,))
    return Value(View(view.kind.array, tuple(part for part, _ in parts)), tuple(n for _, own in parts for n in own))


def chosen(w: Writer, items: Value, number: int) -> Value:
    """The item of a tuple with a number; all are of one kind."""
    assert isinstance(items.kind, Several)
    found = item(items, 0)
    for at in range(1, len(items.kind.items)):
        is_it = w.make("eq", number, w.constant(at, "i64"))
        other = item(items, at)
        found = Value(found.kind, tuple(w.make("select", is_it, x, y) for x, y in zip(other.nodes, found.nodes, strict=True)))
    return found


def items_of(t: Translator, items: Value, node: ast.AST) -> Turns:
    """The items of a tuple, by their number."""
    assert isinstance(items.kind, Several)
    w, name = t.writer, f"%items{id(node)}"
    t.keep(name, items)
    return Turns(w.constant(0, "i64"), w.constant(len(items.kind.items), "i64"), w.constant(1, "i64"), 1, items=name)


def turns_of(t: Translator, node: ast.expr) -> Turns:
    """What a loop goes over, looked at once, before it."""
    w = t.writer
    if isinstance(node, ast.Call) and not node.keywords:
        called = t.expression(node.func)
        function = called.kind.value if isinstance(called.kind, Known) else None
        if function is builtins.range or function is prange:
            return _numbers(t, node)
        if function is builtins.reversed and len(node.args) == 1:
            return _backwards(t, node)
        if function is builtins.enumerate and 1 <= len(node.args) <= 2 or function is builtins.zip and node.args:
            first = 0
            over = node.args
            if function is builtins.enumerate and len(node.args) == 2:
                begins = t.expression(node.args[1])
                known = constant_of(w, begins.node) if begins.kind == INT else None
                if known is None or abs(known) > 1 << 32:
                    raise NotCompiled("`enumerate` from what is no constant", node)
                first, over = known, node.args[:1]
            paired = function is builtins.enumerate and _is_zip(t, over[0])
            if paired:
                assert isinstance(over[0], ast.Call)
                over = over[0].args
            arrays = [_array(t, arg) for arg in over]
            stop = extents(w, elements_of(arrays[0]))[0]
            for array in arrays[1:]:
                stop = w.make("least", stop, extents(w, elements_of(array))[0])
            zero, one = w.constant(0, "i64"), w.constant(1, "i64")
            if (function is builtins.zip or paired) and len(arrays) == 1:
                raise NotCompiled("`zip` of one array", node)
            return Turns(zero, stop, one, 1, _held(t, arrays, node), function is builtins.enumerate, paired, first)
        raise NotCompiled(f"a loop over `{ast.unparse(node.func)}(…)`", node, "loops over `range`, arrays, `enumerate` and `zip` of arrays are compiled")
    array = _array(t, node)
    return Turns(w.constant(0, "i64"), extents(w, elements_of(array))[0], w.constant(1, "i64"), 1, _held(t, [array], node))


def _is_zip(t: Translator, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or node.keywords or not isinstance(node.func, (ast.Name, ast.Attribute)) or not node.args:
        return False
    called = t.expression(node.func).kind
    return isinstance(called, Known) and called.value is builtins.zip


def _held(t: Translator, arrays: list[Value], node: ast.AST) -> list[str]:
    """Names for what a loop goes over, by which its body finds it."""
    names = [f"%over{id(node)}.{at}" for at in range(len(arrays))]
    for name, array in zip(names, arrays, strict=True):
        t.keep(name, array)
    return names


def _array(t: Translator, node: ast.expr) -> Value:
    found = t.settled(t.expression(node), node)
    inner = elements_of(found).kind
    if not isinstance(inner, (Array, View)) or inner.axes == 0:
        raise NotCompiled(f"a loop over {found.kind}", node, "loops over `range` and over arrays are compiled")
    return found


def _backwards(t: Translator, node: ast.Call) -> Turns:
    """`reversed(range(…))`."""
    (inner,) = node.args
    w = t.writer
    called = t.expression(inner.func) if isinstance(inner, ast.Call) and not inner.keywords else None
    if called is None or not isinstance(called.kind, Known) or called.kind.value is not builtins.range:
        raise NotCompiled("`reversed` of what is no `range`", node)
    assert isinstance(inner, ast.Call)
    found = _numbers(t, inner)
    if found.by != 1:
        raise NotCompiled("`reversed` of a `range` with a step", node)
    one = w.constant(1, "i64")
    first, last = (w.make("sub", bound, one, site=w.site(node), overflow="raise") for bound in (found.stop, found.start))
    return Turns(first, last, w.constant(-1, "i64"), -1)


def _numbers(t: Translator, node: ast.Call) -> Turns:
    from airloom.functions.arithmetic import over
    from airloom.functions.views import index_of

    w = t.writer
    if not 1 <= len(node.args) <= 3:
        raise NotCompiled("`range` without arguments", node)
    args = []
    for part in node.args:
        value = over(w, [t.expression(part)], part, lambda given, part=part: index_of(w, given[0], part))  # type: ignore[misc]
        args.append(value.node if value.nodes else w.constant(0, "i64"))
    zero, one = w.constant(0, "i64"), w.constant(1, "i64")
    start, stop, step = (zero, args[0], one) if len(args) == 1 else (args[0], args[1], one) if len(args) == 2 else args
    by = 1 if step == one else constant_of(w, step)
    if by == 0:
        raise NotCompiled("a step of zero", node)
    return Turns(start, stop, step, by)
