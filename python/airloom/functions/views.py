"""Views of arrays: what subscripts with slices, and with fewer indices than there are axes, stand for. Nothing is computed for one but where it begins."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from airloom.functions import arithmetic
from airloom.functions.kinds import INT, Array, Known, Never, Scalar, Value, View, type_of, words
from airloom.functions.refusals import NotCompiled
from airloom.functions.writer import Writer

if TYPE_CHECKING:
    from airloom.functions.translate import Translator


def whole(array: Array) -> Value:
    """An array as a view of all of itself."""
    return Value(View(array, ("whole",) * array.axes))


def as_view(value: Value) -> Value:
    return whole(value.kind) if isinstance(value.kind, Array) else value


def axis_words(view: Value) -> list[tuple[str, tuple[int, ...]]]:
    """The parts of a view, each with its nodes."""
    assert isinstance(view.kind, View)
    found, at = [], 0
    for part in view.kind.parts:
        count = {"at": 1, "slice": 3}.get(part, 0)
        found.append((part, view.nodes[at : at + count]))
        at += count
    return found


def extents(w: Writer, value: Value) -> list[int]:
    """How long the axes of an array, or of a view, are."""
    if isinstance(value.kind, Array):
        return [w.make("arr.dim", w.version(value.kind), axis=axis) for axis in range(value.kind.axes)]
    assert isinstance(value.kind, View)
    found, axis = [], 0
    for part, nodes in axis_words(value):
        if part == "new":
            found.append(w.constant(1, "i64"))
            continue
        if part == "whole":
            found.append(w.make("arr.dim", w.version(value.kind.array), axis=axis))
        elif part == "slice":
            found.append(nodes[2])
        axis += 1
    return found


def positions(w: Writer, view: Value, indices: list[int]) -> list[int]:
    """Where in the array an element of a view is; the indices are within it, and not negative."""
    found, left = [], list(indices)
    for part, nodes in axis_words(view):
        if part == "new":
            left.pop(0)
        elif part == "at":
            found.append(nodes[0])
        elif part == "whole":
            found.append(left.pop(0))
        else:
            found.append(_moved(w, nodes[0], nodes[1], left.pop(0)))
    return found


def _moved(w: Writer, start: int, step: int, index: int) -> int:
    scaled = index if step == w.constant(1, "i64") else w.make("mul", index, step)
    return scaled if start == w.constant(0, "i64") else w.make("add", start, scaled)


def narrowed(t: Translator, base: Value, own: list[ast.expr], node: ast.AST) -> Value:
    """The view that a subscript is. With an index for each axis it has no axes: an element."""
    w = t.writer
    base = as_view(base)
    assert isinstance(base.kind, View)
    visible = base.kind.axes
    given = [part for part in own if not _is_new(part)]
    dots = [at for at, part in enumerate(own) if isinstance(part, ast.Constant) and part.value is Ellipsis]
    if len(dots) > 1:
        raise NotCompiled("two `...`", node)
    missing = visible - len(given) + len(dots)
    if missing < 0:
        raise NotCompiled(f"{len(given)} indices of an array of {visible} axes", node)
    full = ast.Slice(None, None, None)
    filled = own[: dots[0]] + [full] * missing + own[dots[0] + 1 :] if dots else own + [full] * missing
    parts: list[str] = []
    nodes: list[int] = []
    sizes = extents(w, base)
    # Python computes all of what stands between the brackets before NumPy looks at any of it.
    asked = [_asked(t, part) for part in filled]
    axis = 0

    def keep(part: str, *own_nodes: int) -> None:
        parts.append(part)
        nodes.extend(own_nodes)

    for part, own_nodes in axis_words(base):
        if part == "at":
            keep(part, *own_nodes)
            continue
        while asked and asked[0] is None:
            asked.pop(0)
            keep("new")
        one = asked.pop(0)
        size = sizes[axis]
        if isinstance(one, Value):
            index = _within(w, one.node, size, axis, node)
            if part == "whole":
                keep("at", index)
            elif part == "slice":
                keep("at", _moved(w, own_nodes[0], own_nodes[1], index))
        elif one == (None, None, None):
            keep(part, *own_nodes)
        else:
            assert one is not None
            if part == "new":
                raise NotCompiled("a slice of a new axis", node)
            start, step, count = _bounds(w, one, size, node)
            if part == "slice":
                start, step = _moved(w, own_nodes[0], own_nodes[1], start), w.make("mul", own_nodes[1], step)
            keep("slice", start, step, count)
        axis += 1
    while asked:
        asked.pop(0)
        keep("new")
    return Value(View(base.kind.array, tuple(parts)), tuple(nodes))


def _is_new(part: ast.expr) -> bool:
    return (isinstance(part, ast.Constant) and part.value is None) or (isinstance(part, ast.Attribute) and part.attr == "newaxis")


def _asked(t: Translator, part: ast.expr) -> Value | tuple[int | None, int | None, int | None] | None:
    """An index, the bounds of a slice, or nothing for a new axis."""
    w = t.writer
    if _is_new(part):
        return None

    def number(inner: ast.expr | None) -> int | None:
        if inner is None or (isinstance(inner, ast.Constant) and inner.value is None):
            return None
        value = arithmetic.over(w, [t.expression(inner)], inner, lambda given: index_of(w, given[0], inner))
        return w.constant(0, "i64") if isinstance(value.kind, Never) else value.node

    if isinstance(part, ast.Slice):
        return number(part.lower), number(part.upper), number(part.step)
    found = number(part)
    assert found is not None
    return Value(INT, (found,))


def index_of(w: Writer, value: Value, node: ast.AST) -> Value:
    """A number that may be an index, as a node of `i64`."""
    kind = value.kind
    if isinstance(kind, (Array, View)) or (not isinstance(kind, (Scalar, Known))):
        raise NotCompiled(f"an index that is {kind}", node, "indices that are arrays are not compiled")
    if not isinstance(kind, Scalar) or kind.kind == "bool" or kind.kind[0] == "f":
        raise NotCompiled(f"an index that is {kind}", node)
    if kind.kind == "i64":
        return Value(INT, value.nodes)
    return Value(INT, (w.make("cast", value.node, site=w.site(node), to=type_of("i64")),))


def _within(w: Writer, index: int, size: int, axis: int, node: ast.AST) -> int:
    """An index counted from the beginning; outside of its axis it raises."""
    known = arithmetic.constant_of(w, index)
    if known is not None and known < 0:
        counted = w.make("add", index, size)
    elif known is not None:
        counted = index
    else:
        counted = w.make("select", w.make("lt", index, w.constant(0, "i64")), w.make("add", index, size), index)
    inside = w.make("and", w.make("ge", counted, w.constant(0, "i64")), w.make("lt", counted, size))
    return w.outside(inside, counted, index, size, axis, node)


def element(w: Writer, view: Value, indices: list[int], node: ast.AST) -> tuple[list[int], tuple[int, ...]]:
    """Where in the array an element of a view is, for indices that may be negative or outside; and the axis that NumPy names for each."""
    found: list[int] = []
    names: list[int] = []
    left, sizes, axis = list(indices), extents(w, view), 0
    for part, nodes in axis_words(view):
        if part == "at":
            found.append(nodes[0])
            names.append(0)
            continue
        index = left.pop(0)
        if part == "whole":
            found.append(index)
            names.append(axis)
        else:
            counted = _within(w, index, sizes[axis], axis, node)
            if part == "slice":
                found.append(_moved(w, nodes[0], nodes[1], counted))
                names.append(axis)
        axis += 1
    return found, tuple(names)


def _bounds(w: Writer, asked: tuple[int | None, int | None, int | None], size: int, node: ast.AST) -> tuple[int, int, int]:
    """Where a slice begins, by which step, and how many elements it has."""
    zero, one = w.constant(0, "i64"), w.constant(1, "i64")
    lower, upper, step = asked
    by = 1 if step is None else arithmetic.constant_of(w, step)
    if by == 0:
        raise NotCompiled("a slice with a step of zero", node)
    if by is None:
        assert step is not None
        step = w.check(w.make("gt", step, zero), step, "a step that is not positive", node)
        # A longer one takes the first element alone, too.
        step = w.make("least", step, w.make("add", size, one))
    elif not -(1 << 31) < by < 1 << 31:
        raise NotCompiled("a slice with such a long step", node)
    if by is not None and by < 0:
        last = w.make("sub", size, one)
        less = w.constant(-1, "i64")
        start = last if lower is None else w.make("least", w.make("greatest", _counted(w, lower, size), less), last)
        stop = less if upper is None else w.make("least", w.make("greatest", _counted(w, upper, size), less), last)
        span = w.make("sub", start, stop)
        count = w.make("greatest", _pieces(w, span, w.constant(-by, "i64"), -by), zero)
        return start, w.constant(by, "i64"), count
    start = zero if lower is None else _clamped(w, lower, size)
    stop = size if upper is None else _clamped(w, upper, size)
    by_node = one if step is None else step
    span = stop if start == zero else w.make("sub", stop, start)
    if by == 1:
        return start, one, span if start == zero else w.make("greatest", span, zero)
    return start, by_node, w.make("greatest", _pieces(w, span, by_node, by), zero)


def _pieces(w: Writer, span: int, step: int, by: int | None) -> int:
    """How many steps a span has room for."""
    if by == 1:
        return span
    return w.make("floordiv", w.make("add", span, w.make("sub", step, w.constant(1, "i64"))), step, zero="zero")


def _counted(w: Writer, bound: int, size: int) -> int:
    known = arithmetic.constant_of(w, bound)
    if known is not None:
        return w.make("add", bound, size) if known < 0 else bound
    return w.make("select", w.make("lt", bound, w.constant(0, "i64")), w.make("add", bound, size), bound)


def _clamped(w: Writer, bound: int, size: int) -> int:
    """A bound as Python takes it: from the end where it is negative, and not outside."""
    known = arithmetic.constant_of(w, bound)
    counted = _counted(w, bound, size)
    if known is not None and known >= 0:
        return w.constant(0, "i64") if known == 0 else w.make("least", counted, size)
    above = w.make("greatest", counted, w.constant(0, "i64"))
    return above if known is not None else w.make("least", above, size)


def read_element(w: Writer, view: Value, indices: list[int]) -> Value:
    """An element of an array or a view, at indices that are within it."""
    array = view.kind if isinstance(view.kind, Array) else view.kind.array  # type: ignore[union-attr]
    where = indices if isinstance(view.kind, Array) else positions(w, view, indices)
    return Value(Scalar(array.kind, False), (w.make("arr.at", w.version(array), *where),))


__all__ = ["as_view", "axis_words", "element", "extents", "index_of", "narrowed", "positions", "read_element", "whole", "words"]
