"""Arrays as one number: sums by NumPy's own order, extremes, positions, and counts."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy

from airloom._native import Type
from airloom.functions import arithmetic, views
from airloom.functions.elements import Lazy, _open, lazy, mapped, settled
from airloom.functions.kinds import BOOL, DTYPES, INT, Array, Scalar, Value, View, references, type_of, words
from airloom.functions.refusals import NotCompiled
from airloom.functions.writer import Scope, Writer, array_word

#: NumPy casts an array piece by piece where it adds up elements of another dtype; within one piece the order is as ever.
_PIECE = 8192


def flat(w: Writer, value: Value, key: Any, node: ast.AST, ordered: bool = True) -> Lazy:
    """The elements in NumPy's order, as those of an array of one axis."""
    found = lazy(w, value)
    if found.axes == 1:
        return found
    if isinstance(value.kind, (Array, View)) and found.kind[0] == "f" and not _is_packed(value):
        raise NotCompiled("a sum of all elements of an array of several axes that may not be contiguous", node, "add up its rows")
    if ordered and found.kind[0] == "f" and any(_order(leaf) for leaf in found.leaves):
        raise NotCompiled("a sum of all elements of arrays of several axes that do not lie row by row", node, "add up the rows")
    size = w.constant(1, "i64")
    for extent in found.extents:
        size = extent if arithmetic.constant_of(w, size) == 1 else w.make("mul", size, extent)
    from airloom.functions.elements import nest

    array = w.new(found.kind, 1, (key, "flat"))
    w.fill(array, w.zero(Scalar(found.kind, False))[0], [size], node)
    counts = [Value(INT, (extent,)) for extent in found.extents[1:]]

    def write(indices: list[int], leaves: list[Value]) -> None:
        sizes, own = leaves[: len(counts)], leaves[len(counts) :]
        position = indices[0]
        for index, extent in zip(indices[1:], sizes, strict=True):
            position = w.make("add", w.make("mul", position, extent.node), index)
        w.scope.arrays[array.number] = w.make("arr.put", w.version(array), found.make(w, indices, own).node, position)

    nest(w, found.extents, array.number, [*counts, *found.leaves], write)
    return lazy(w, Value(array))


def _order(leaf: Value) -> bool:
    """Whether elements made of an array may lie in another order than its rows."""
    array = leaf.kind if isinstance(leaf.kind, Array) else leaf.kind.array if isinstance(leaf.kind, View) else None
    axes = leaf.kind.axes if isinstance(leaf.kind, (Array, View)) else 0
    return array is not None and axes > 1 and (array.layout != "rows" or (axes > 2 and array.number < 1 << 20))


def _is_packed(value: Value) -> bool:
    kind = value.kind
    return isinstance(kind, Array) and kind.layout == "rows" and kind.number >= 1 << 20


def fold(w: Writer, found: Lazy, initial: list[Value], step: Callable[[list[Value], Value, int], list[Value]]) -> list[Value]:
    """The elements of one axis one after the other: `step` is given the state, the element and its position."""
    outer = w.scope
    state_type = Type.tuple(tuple(type_of(word) for value in initial for word in words(value.kind)))
    state = w.make("tuple", *(node for value in initial for node in value.nodes))
    arrays = sorted({number for leaf in found.leaves for number in references(leaf.kind)})
    types = [type_of(word) for leaf in found.leaves for word in words(leaf.kind)] + [type_of(array_word(w.kinds[number])) for number in arrays]
    captures = [node for leaf in found.leaves for node in leaf.nodes] + [outer.arrays[number] for number in arrays]
    body, params = w.graph.begin([type_of("i64"), state_type, *types])
    scope, rest = Scope(body), params[2:]
    leaves = [w.take(leaf.kind, rest) for leaf in found.leaves]
    scope.arrays = dict(zip(arrays, rest, strict=True))
    w.enter(scope)
    parts = w.spread(params[1], len(initial))
    inner = [w.take(value.kind, parts) for value in initial]
    after = step(inner, found.make(w, [params[0]], leaves), params[0])
    closed = w.graph.end(body, w.result([node for value in after for node in value.nodes]))
    w.enter(outer)
    zero, one = w.constant(0, "i64"), w.constant(1, "i64")
    made = w.graph.make("seq.for", [state, zero, found.extents[0], one], 0, None, [closed], captures)
    nodes = w.spread(made, len(initial))
    return [w.take(value.kind, nodes) for value in initial]


def total(w: Writer, value: Value, key: Any, node: ast.AST) -> Value:
    """The sum of all elements."""
    found = flat(w, value, key, node)
    if found.kind[0] == "f":
        return Value(Scalar(found.kind, False), (pairwise(w, found),))
    word = "u64" if found.kind[0] == "u" else "i64"

    def step(state: list[Value], element: Value, _: int) -> list[Value]:
        wide = element.node if element.kind.kind == word else w.make("cast", element.node, to=type_of(word))  # type: ignore[union-attr]
        return [Value(state[0].kind, (w.make("add", state[0].node, wide),))]

    return fold(w, found, [Value(Scalar(word, False), (w.constant(0, word),))], step)[0]


def pairwise(w: Writer, found: Lazy) -> int:
    """A sum of floats, in NumPy's order."""
    outer = w.scope
    if found.view is not None:
        view = views.as_view(found.view)
        assert isinstance(view.kind, View)
        name = f"numpy.sum:{found.kind}:{'.'.join(view.kind.parts)}"
        own: int = w.graph.make("host.call", [w.version(view.kind.array), *view.nodes], w.site(None), {"name": name, "ty": type_of(found.kind), "effect": "pure"})
        return own
    arrays = sorted({number for leaf in found.leaves for number in references(leaf.kind)})
    captures = [node for leaf in found.leaves for node in leaf.nodes] + [outer.arrays[number] for number in arrays]
    scope, indices, leaves = _open(w, found.leaves, 1, [])
    w.enter(scope)
    element = w.graph.end(scope.body, found.make(w, indices, leaves).node)
    w.enter(outer)
    types = [type_of(word) for leaf in found.leaves for word in words(leaf.kind)] + [type_of(array_word(w.kinds[number])) for number in arrays]
    body, params = w.graph.begin([type_of(found.kind), type_of(found.kind), *types])
    w.enter(Scope(body))
    combine = w.graph.end(body, w.make("add", params[0], params[1]))
    w.enter(outer)
    zero = w.constant(0.0, found.kind)
    extent = w.make("tuple", found.extents[0])
    made: int = w.graph.make("par.reduce", [zero, extent], w.site(None), {"order": "pairwise"}, [element, combine], captures)
    return made


def product(w: Writer, value: Value, key: Any, node: ast.AST) -> Value:
    found = lazy(w, value)
    if found.axes != 1:
        raise NotCompiled("a product of an array of several axes", node)
    word = found.kind if found.kind[0] == "f" else "u64" if found.kind[0] == "u" else "i64"

    def step(state: list[Value], element: Value, _: int) -> list[Value]:
        wide = element.node if element.kind.kind == word else w.make("cast", element.node, to=type_of(word))  # type: ignore[union-attr]
        return [Value(state[0].kind, (w.make("mul", state[0].node, wide),))]

    return fold(w, found, [Value(Scalar(word, False), (w.constant(1.0 if word[0] == "f" else 1, word),))], step)[0]


def mean(w: Writer, value: Value, key: Any, node: ast.AST) -> Value:
    """The mean of all elements: a sum, and one division."""
    found = flat(w, value, key, node)
    size = found.extents[0]
    size = w.check(w.make("gt", size, w.constant(0, "i64")), size, "the mean of no elements", node)
    if found.kind[0] != "f":
        size = w.check(w.make("le", size, w.constant(_PIECE, "i64")), size, "the mean of many integers", node)
        found = _as_float(w, found)
    count = w.make("cast", size, to=type_of("f64"))
    if found.kind == "f32":
        count = w.make("cast", count, to=type_of("f32"))
    return Value(Scalar(found.kind, False), (w.make("div", pairwise(w, found), count),))


def _as_float(w: Writer, found: Lazy) -> Lazy:
    def make(inner: Writer, indices: list[int], leaves: list[Value]) -> Value:
        return Value(Scalar("f64", False), (inner.make("cast", found.make(inner, indices, leaves).node, to=type_of("f64")),))

    return Lazy("f64", found.extents, found.leaves, make, found.raises)


def variance(w: Writer, value: Value, key: Any, node: ast.AST) -> Value:
    """The variance of all elements, by NumPy's two passes."""
    found = lazy(w, value)
    if found.axes != 1 or found.kind[0] != "f":
        raise NotCompiled("the variance of what is no array of floats of one axis", node)
    value = settled(w, value, (key, "values"), node)
    middle = mean(w, value, key, node)

    def square(inner: Writer, given: list[Value]) -> Value:
        away = arithmetic.binary(inner, ast.Sub(), given[0], given[1], node)
        return arithmetic.binary(inner, ast.Mult(), away, away, node)

    squares = lazy(w, mapped(w, [value, middle], square, node))
    count = w.make("cast", squares.extents[0], to=type_of("f64"))
    if found.kind == "f32":
        count = w.make("cast", count, to=type_of("f32"))
    return Value(Scalar(found.kind, False), (w.make("div", pairwise(w, squares), count),))


def deviation(w: Writer, value: Value, key: Any, node: ast.AST) -> Value:
    found = variance(w, value, key, node)
    return Value(found.kind, (w.make("sqrt", found.node),))


def extreme(word: str) -> Callable[[Writer, Value, Any, ast.AST], Value]:
    """The least or the greatest element: NaN where there is one; which of two zeros it is depends on NumPy's vectors, so then code gives up."""

    def call(w: Writer, value: Value, key: Any, node: ast.AST) -> Value:
        found = _along(w, value, key, node)
        text = "minimum" if word == "lt" else "maximum"
        w.demand(_some(w, found), "an extreme of no elements", node, lambda: getattr(numpy, text).reduce(numpy.zeros(0)))
        best = Value(Scalar(found.kind, False), w.zero(Scalar(found.kind, False)))
        if found.kind == "bool":
            raise NotCompiled("the extreme of booleans", node)
        is_float = found.kind[0] == "f"
        false = Value(BOOL, (w.constant(False, "bool"),))
        signs = [false, false] if is_float else []

        def step(state: list[Value], element: Value, position: int) -> list[Value]:
            first = w.make("eq", position, w.constant(0, "i64"))
            better = w.make(word, element.node, state[0].node)
            if not is_float:
                better = w.make("or", first, better)
                return [Value(state[0].kind, (w.make("select", better, element.node, state[0].node),))]
            better = w.make("or", w.make("or", first, w.make("is_nan", element.node)), w.make("and", better, w.make("not", w.make("is_nan", state[0].node))))
            zero = w.make("eq", element.node, w.zero(element.kind)[0])
            one = w.constant(1.0, found.kind)
            negative = w.make("lt", w.make("copysign", one, element.node), w.zero(element.kind)[0])
            plus = w.make("or", state[1].node, w.make("and", zero, w.make("not", negative)))
            minus = w.make("or", state[2].node, w.make("and", zero, negative))
            return [Value(state[0].kind, (w.make("select", better, element.node, state[0].node),)), Value(BOOL, (plus,)), Value(BOOL, (minus,))]

        made = fold(w, found, [best, *signs], step)
        if not is_float:
            return made[0]
        both = w.make("and", made[1].node, made[2].node)
        known = w.make("not", w.make("and", both, w.make("eq", made[0].node, w.zero(made[0].kind)[0])))
        return Value(made[0].kind, (w.check(known, made[0].node, "an extreme that is zero, of both signs", node),))

    return call


def position(word: str) -> Callable[[Writer, Value, Any, ast.AST], Value]:
    """Where the first of the least or greatest elements is."""

    def call(w: Writer, value: Value, key: Any, node: ast.AST) -> Value:
        found = _along(w, value, key, node)
        name = "argmin" if word == "lt" else "argmax"
        w.demand(_some(w, found), "an extreme of no elements", node, lambda: getattr(numpy, name)(numpy.zeros(0)))
        if found.kind == "bool":
            raise NotCompiled(f"`{name}` of booleans", node)
        best = Value(Scalar(found.kind, False), w.zero(Scalar(found.kind, False)))

        def step(state: list[Value], element: Value, at: int) -> list[Value]:
            better = w.make("or", w.make("eq", at, w.constant(0, "i64")), w.make(word, element.node, state[0].node))
            if found.kind[0] == "f":
                sees = w.make("and", w.make("is_nan", element.node), w.make("not", w.make("is_nan", state[0].node)))
                better = w.make("or", better, sees)
            chosen = [w.make("select", better, x, y) for x, y in ((element.node, state[0].node), (at, state[1].node))]
            return [Value(state[0].kind, (chosen[0],)), Value(INT, (chosen[1],))]

        made = fold(w, found, [best, w.integer(0)], step)
        return Value(Scalar("i64", False), made[1].nodes)

    return call


def truth(word: str) -> Callable[[Writer, Value, Any, ast.AST], Value]:
    """Whether any, or all, elements are true."""

    def call(w: Writer, value: Value, key: Any, node: ast.AST) -> Value:
        found = _along(w, value, key, node)

        def step(state: list[Value], element: Value, _: int) -> list[Value]:
            return [Value(state[0].kind, (w.make(word, state[0].node, w.truth(element, node)),))]

        return fold(w, found, [Value(Scalar("bool", False), (w.constant(word == "and", "bool"),))], step)[0]

    return call


def count_nonzero(w: Writer, value: Value, key: Any, node: ast.AST) -> Value:
    found = _along(w, value, key, node)

    def step(state: list[Value], element: Value, _: int) -> list[Value]:
        return [Value(INT, (w.make("add", state[0].node, w.make("cast", w.truth(element, node), to=type_of("i64"))),))]

    return Value(Scalar("i64", False), fold(w, found, [w.integer(0)], step)[0].nodes)


def _some(w: Writer, found: Lazy) -> int:
    return w.make("gt", found.extents[0], w.constant(0, "i64"))


def _along(w: Writer, value: Value, key: Any, node: ast.AST) -> Lazy:
    """The elements in rows, whatever their order in memory: what does not depend on it."""
    found = lazy(w, value)
    if found.axes == 1:
        return found
    if found.axes == 0:
        raise NotCompiled("a reduction of a number", node)
    return flat(w, Value(Lazy(found.kind, found.extents, found.leaves, found.make, found.raises)), key, node, ordered=False)  # type: ignore[arg-type]


def along(w: Writer, name: str, value: Value, axis: int, key: Any, node: ast.AST) -> Value:
    """A reduction of an array of two axes along one of them. NumPy adds up rows one after the other, and the elements of a row by halves."""
    found = lazy(w, value)
    if any(_order(leaf) for leaf in found.leaves):
        raise NotCompiled(f"`{name}` along an axis of an array that does not lie row by row", node)
    if name in ("var", "std", "prod") or (found.kind[0] != "f" and name == "mean"):
        raise NotCompiled(f"`{name}` along an axis", node)

    def element(inner: Writer, indices: list[int], leaves: list[Value]) -> Value:
        other, count, own = Value(INT, (indices[0],)), leaves[0], leaves[1:]

        def make(w: Writer, at: list[int], given: list[Value]) -> Value:
            position = [at[0], given[0].node] if axis == 0 else [given[0].node, at[0]]
            return found.make(w, position, given[1:])

        row = Lazy(found.kind, [count.node], [other, *own], make)
        if axis == 0 and found.kind[0] == "f" and name in ("sum", "mean"):
            return _in_order(inner, row, name, node)
        return REDUCTIONS[name](inner, Value(row), (key, "row"), node)  # type: ignore[arg-type]

    leaves = [Value(INT, (found.extents[axis],)), *found.leaves]
    from airloom.functions.elements import _tried

    made, _ = _tried(w, element, 1, leaves)
    return Value(Lazy(made.kind, [found.extents[1 - axis]], leaves, element, True))  # type: ignore[arg-type]


def _in_order(w: Writer, row: Lazy, name: str, node: ast.AST) -> Value:
    """A sum, or a mean, of floats one after the other."""
    kind = Scalar(row.kind, False)

    def step(state: list[Value], element: Value, _: int) -> list[Value]:
        return [Value(kind, (w.make("add", state[0].node, element.node),))]

    total_of = fold(w, row, [Value(kind, w.zero(kind))], step)[0]
    if name == "sum":
        return total_of
    size = w.check(_some(w, row), row.extents[0], "the mean of no elements", node)
    count = w.make("cast", size, to=type_of("f64"))
    count = w.make("cast", count, to=type_of("f32")) if row.kind == "f32" else count
    return Value(kind, (w.make("div", total_of.node, count),))


#: Reductions by their functions; methods of arrays have the same names.
REDUCTIONS: dict[str, Callable[[Writer, Value, Any, ast.AST], Value]] = {
    "sum": total, "prod": product, "mean": mean, "var": variance, "std": deviation, "min": extreme("lt"), "max": extreme("gt"), "argmin": position("lt"),
    "argmax": position("gt"), "any": truth("or"), "all": truth("and"),
}  # fmt: skip

__all__ = ["DTYPES", "REDUCTIONS", "count_nonzero", "fold", "pairwise", "total", "views"]
