"""Subscripts that are arrays: booleans that choose elements, and positions of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from airloom.functions import elements, reduce, views
from airloom.functions.elements import Lazy, lazy, nest
from airloom.functions.kinds import INT, Array, Scalar, Value, View, type_of
from airloom.functions.refusals import NotCompiled
from airloom.functions.writer import Writer

if TYPE_CHECKING:
    from airloom.functions.translate import Translator


def chosen_by(t: Translator, own: list[ast.expr]) -> Value | None:
    """The array that a subscript is, where it is one."""
    if len(own) != 1:
        return None
    (node,) = own
    is_named = isinstance(node, ast.Name) and isinstance(t.value(node.id).kind, (Array, View))
    is_test = isinstance(node, ast.Compare) or (isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr))) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert))
    if not is_named and not is_test:
        return None
    found = t.expression(node)
    return found if elements.is_array(found) else None


def read(t: Translator, owner: Value, chosen: Value, node: ast.AST) -> Value:
    """The elements that an array chooses of another one, both of one axis."""
    w = t.writer
    source, by = lazy(w, owner), lazy(w, chosen)
    if source.axes != 1 or by.axes != 1:
        raise NotCompiled("a subscript that is an array, of an array of several axes", node)
    if by.kind != "bool":
        return _gathered(w, owner, by, node)
    both = _same_length(w, source, by, node)
    count = reduce.fold(w, both, [w.integer(0)], lambda state, element, _: [Value(INT, (w.make("add", state[0].node, w.make("cast", element.node, to=type_of("i64"))),))])[0].node
    # The first element of the array counts those that were stored: it has one position more than elements, and the last is cut off.
    array = w.new(source.kind, 1, (t.key(node), "chosen"))
    where = w.new("i64", 1, (t.key(node), "count"))
    one = w.constant(1, "i64")
    w.fill(where, w.constant(0, "i64"), [by.extents[0]], node)
    _number(w, where, by)
    w.fill(array, w.zero(Scalar(source.kind, False))[0], [w.make("add", count, one)], node)
    leaves = [Value(where), Value(INT, (count,)), *both.leaves]

    def write(indices: list[int], given: list[Value]) -> None:
        is_chosen = both.make(w, indices, given[2:]).node
        position = views.read_element(w, given[0], indices).node
        element = source.make(w, indices, given[2 + len(by.leaves) :]).node
        to = w.make("select", is_chosen, w.make("sub", position, w.constant(1, "i64")), given[1].node)
        w.scope.arrays[array.number] = w.make("arr.put", w.version(array), element, to)

    nest(w, by.extents, array.number, leaves, write)
    zero = w.constant(0, "i64")
    view = Value(View(array, ("slice",)), (zero, one, count))
    return elements.settled(w, Value(lazy(w, view)), (t.key(node), "found"), node)  # type: ignore[arg-type]


def _number(w: Writer, where: Array, by: Lazy) -> None:
    """For each position, how many elements are chosen up to it."""

    def write(indices: list[int], given: list[Value]) -> None:
        zero, one = w.constant(0, "i64"), w.constant(1, "i64")
        before = w.make("arr.at", w.version(where), w.make("greatest", w.make("sub", indices[0], one), zero))
        before = w.make("select", w.make("eq", indices[0], zero), zero, before)
        own = w.make("cast", by.make(w, indices, given).node, to=type_of("i64"))
        w.scope.arrays[where.number] = w.make("arr.put", w.version(where), w.make("add", before, own), indices[0])

    nest(w, by.extents, where.number, by.leaves, write)


def _same_length(w: Writer, source: Lazy, by: Lazy, node: ast.AST) -> Lazy:
    """The choice, with what is chosen from among what it reads."""
    _fits(w, source, by, node)
    return Lazy("bool", by.extents, [*by.leaves, *source.leaves], lambda inner, indices, given: by.make(inner, indices, given[: len(by.leaves)]), by.raises)


def _fits(w: Writer, source: Lazy, by: Lazy, node: ast.AST) -> None:
    for axis, (size, own) in enumerate(zip(source.extents, by.extents, strict=True)):
        if size != own:
            site = w.site(node)
            text = f"boolean index did not match indexed array along axis {axis}; size of axis is"
            w.sites[site].error = lambda x, y, _, text=text: IndexError(f"{text} {x} but size of corresponding boolean axis is {y}")
            w.demand(w.make("eq", size, own), "booleans that are more or fewer than elements", node, values=(size, own), site=site)


def _gathered(w: Writer, owner: Value, by: Lazy, node: ast.AST) -> Value:
    if by.kind[0] not in "iu" or by.kind == "u64" or not isinstance(owner.kind, (Array, View)):
        raise NotCompiled(f"a subscript that is an array of {by.kind}", node)
    kind = owner.kind.kind

    def make(inner: Writer, indices: list[int], given: list[Value]) -> Value:
        index = by.make(inner, indices, given[1:]).node
        index = index if by.kind == "i64" else inner.make("cast", index, to=type_of("i64"))
        view = views.as_view(given[0])
        where, named = views.element(inner, view, [index], node)
        array: Any = view.kind
        return Value(Scalar(kind, False), (inner.make("arr.at", inner.version(array.array), *where, site=inner.site(node, axes=named)),))

    return Value(Lazy(kind, by.extents, [owner, *by.leaves], make, True))  # type: ignore[arg-type]


def store(t: Translator, owner: Value, chosen: Value, value: Value, node: ast.AST) -> None:
    """A number stored to the elements that booleans choose."""
    w = t.writer
    if not isinstance(owner.kind, (Array, View)) or not isinstance(value.kind, Scalar) or lazy(w, chosen).kind != "bool":
        raise NotCompiled("a store to elements that an array chooses, of more than one number or by positions", node)
    target = views.as_view(owner)
    to = owner.kind.kind
    kind = value.kind
    if kind.kind != to and (to == "bool" or kind.kind == "bool" or (to[0] in "iu" and (kind.kind[0] == "f" or not kind.weak))):
        raise NotCompiled(f"elements of {to} that are {kind}", node)
    from airloom.functions.arithmetic import cast

    given = Value(Scalar(to, False), (cast(w, value, to, node),))
    source, by = lazy(w, target), lazy(w, chosen)
    if source.axes != by.axes:
        raise NotCompiled("booleans of other axes than what they choose from", node)
    _fits(w, source, by, node)
    made = elements.mapped(w, [chosen, given, target], lambda inner, own: Value(Scalar(to, False), (inner.make("select", own[0].node, own[1].node, own[2].node),)), node)
    t.store_elements(target, made, node)


def augment(t: Translator, owner: Value, chosen: Value, op: ast.operator, value: Value, node: ast.AST) -> None:
    """`a[chosen] += x`, of a number."""
    w = t.writer
    if not isinstance(owner.kind, (Array, View)) or not isinstance(value.kind, Scalar) or lazy(w, chosen).kind != "bool" or lazy(w, chosen).axes != owner.kind.axes:
        raise NotCompiled("an operation on elements that an array chooses, with more than one number or by positions", node)
    from airloom.functions.arithmetic import binary

    target, to = views.as_view(owner), owner.kind.kind
    _fits(w, lazy(w, target), lazy(w, chosen), node)

    def work(inner: Writer, own: list[Value]) -> Value:
        made = binary(inner, op, own[1], own[2], node)
        if made.kind != Scalar(to, False):
            raise NotCompiled(f"elements of {to} that become {made.kind}", node)
        return Value(made.kind, (inner.make("select", own[0].node, made.node, own[1].node),))

    t.store_elements(target, elements.mapped(w, [chosen, target, value], work, node), node)
