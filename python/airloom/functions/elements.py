"""Operations on whole arrays: an expression is put off until it is stored, named or reduced, and is one loop over its elements then."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from airloom._native import Type
from airloom.functions import views
from airloom.functions.kinds import DTYPES, INT, KINDS, Array, Either, Kind, Scalar, Value, View, choices, references, type_of, words
from airloom.functions.refusals import NotCompiled
from airloom.functions.writer import Scope, Writer, array_word


@dataclass(eq=False)
class Lazy:
    """Elements that were asked for and not computed yet: of which dtype, of how many axes, and how one of them is made of what the expression reads."""

    kind: str
    extents: list[int]
    #: What is read: arrays, views and numbers, as they are where the expression stands.
    leaves: list[Value]
    #: The element at some indices, of the leaves as they are where it is computed.
    make: Callable[[Writer, list[int], list[Value]], Value]
    #: Whether an element may raise.
    raises: bool = False
    #: Whether it may have one element where there is room for many.
    repeats: bool = False
    #: The array or view of one axis whose elements these are, as it is where the expression stands.
    view: Value | None = None
    #: What is known of an element, where nobody need write one to find out.
    element: Scalar | None = None

    @property
    def axes(self) -> int:
        return len(self.extents)

    def __str__(self) -> str:
        return f"array of {DTYPES[self.kind].name}, {self.axes} axes"


def is_array(value: Value) -> bool:
    return isinstance(value.kind, (Array, View, Lazy))


def is_number(value: Value) -> bool:
    """Whether a value is a number of one kind or another."""
    kind = value.kind
    return isinstance(kind, Scalar) or (isinstance(kind, Either) and all(isinstance(choice, Scalar) for choice in kind.choices))


def lazy(w: Writer, value: Value) -> Lazy:
    """An array, a view, or a number, as elements."""
    kind: Any = value.kind
    if isinstance(kind, Lazy):
        return kind
    if is_number(value):
        return Lazy(kind.kind if isinstance(kind, Scalar) else "", [], [value], lambda _w, _indices, leaves: leaves[0])
    if not isinstance(kind, (Array, View)):
        raise NotCompiled(f"an operation on an array and {kind}")
    is_plain = kind.axes == 1 and not (isinstance(kind, View) and "new" in kind.parts)
    return Lazy(kind.kind, views.extents(w, value), [value], lambda inner, indices, leaves: views.read_element(inner, leaves[0], indices), view=value if is_plain else None, element=Scalar(kind.kind, False))


def mapped(w: Writer, operands: Sequence[Value], work: Callable[[Writer, list[Value]], Value], node: ast.AST) -> Value:
    """What a function of numbers makes of the elements of several arrays and numbers, broadcast to one another."""
    parts = [lazy(w, value) for value in operands]
    _look_at_integers(w, operands, parts, work)
    axes = max(part.axes for part in parts)
    extents = [_common(w, [part.extents[axis - axes] for part in parts if part.axes >= axes - axis], node) for axis in range(axes)]
    one = w.constant(1, "i64")
    single = [[extent == one for extent in part.extents] for part in parts]

    def make(inner: Writer, indices: list[int], leaves: list[Value]) -> Value:
        given, left = [], list(leaves)
        for part, ones in zip(parts, single, strict=True):
            own = indices[axes - part.axes :]
            zero = inner.constant(0, "i64")
            own = [zero if is_one else index for is_one, index in zip(ones, own, strict=True)]
            given.append(part.make(inner, own, left[: len(part.leaves)]))
            del left[: len(part.leaves)]
        return work(inner, given)

    leaves = [leaf for part in parts for leaf in part.leaves]
    kinds = [part.element if part.axes else part.leaves[0].kind for part in parts]
    # What is made of a few operands need not be written again for each operation that reads it.
    element, raises = _tried(w, make, axes, leaves) if None in kinds else _tried_once(w, kinds, work)  # type: ignore[arg-type]
    return Value(Lazy(element.kind, extents, leaves, make, raises or any(part.raises for part in parts), element=element))  # type: ignore[arg-type]


def _look_at_integers(w: Writer, operands: Sequence[Value], parts: list[Lazy], work: Callable[[Writer, list[Value]], Value]) -> None:
    """Computes one element that nobody reads, where an integer of Python's meets an array of narrow ones: NumPy raises where it does not fit, however many elements there are."""
    narrow = any(part.axes and part.kind[0] in "iu" and part.kind != "i64" for part in parts)
    weak = [value for value in operands if is_number(value) and any(choice == INT for choice in choices(value.kind)) and value.nodes[0] not in w.numbers]
    constants = [value for value in operands if value.kind == INT and value.nodes[0] in w.numbers and not 0 <= w.numbers[value.nodes[0]][0] < 128]
    if narrow and (weak or constants):
        work(w, [value if is_number(value) else Value(Scalar(part.kind, False), w.zero(Scalar(part.kind, False))) for value, part in zip(operands, parts, strict=True)])


def _common(w: Writer, sizes: list[int], node: ast.AST) -> int:
    """The extent of an axis of several arrays: those that are known to be 1 are repeated, the others are equal."""
    one = w.constant(1, "i64")
    longer = list(dict.fromkeys(size for size in sizes if size != one))
    if not longer:
        return one
    found = longer[0]
    for other in longer[1:]:
        found = w.check(w.make("eq", found, other), found, "shapes that differ", node)
    return found


def _tried(w: Writer, make: Callable[[Writer, list[int], list[Value]], Value], axes: int, leaves: list[Value]) -> tuple[Scalar, bool]:
    """What is known of an element, found by writing one that is thrown away, and whether it may raise."""
    outer = w.scope
    scope, indices, inner = _open(w, leaves, axes, [])
    w.enter(scope)
    before = len(w.sites)
    try:
        return _scalar(make(w, indices, inner)), len(w.sites) > before
    finally:
        w.graph.abandon(scope.body)
        w.enter(outer)


def _tried_once(w: Writer, kinds: Sequence[Kind], work: Callable[[Writer, list[Value]], Value]) -> tuple[Scalar, bool]:
    """As `_tried`, of one operation, whose operands are known."""
    outer = w.scope
    body, params = w.graph.begin([type_of(word) for kind in kinds for word in words(kind)])
    operands = [w.take(kind, params) for kind in kinds]
    w.enter(Scope(body))
    before = len(w.sites)
    try:
        return _scalar(work(w, operands)), len(w.sites) > before
    finally:
        w.graph.abandon(body)
        w.enter(outer)


def _scalar(made: Value) -> Scalar:
    if not isinstance(made.kind, Scalar):
        raise NotCompiled(f"an operation on elements that gives {made.kind}")
    return made.kind


def _open(w: Writer, leaves: list[Value], numbers: int, stored: list[int]) -> tuple[Scope, list[int], list[Value]]:
    """A body of indices and of what is read."""
    arrays = sorted({number for leaf in leaves for number in references(leaf.kind)} - set(stored))
    types = ["i64"] * numbers + [word for leaf in leaves for word in words(leaf.kind)] + [array_word(w.kinds[number]) for number in (*arrays, *stored)]
    body, params = w.graph.begin([type_of(word) for word in types])
    indices, rest = params[:numbers], params[numbers:]
    inner = [w.take(leaf.kind, rest) for leaf in leaves]
    scope = Scope(body)
    scope.arrays = dict(zip((*arrays, *stored), rest, strict=True))
    return scope, indices, inner


def nest(w: Writer, extents: Sequence[int], number: int, leaves: list[Value], write: Callable[[list[int], list[Value]], None]) -> None:
    """Loops over all positions of a shape, which store to one array: `write` is called where the innermost one is, with the indices and with what is read there."""

    def level(axis: int, indices: list[int], sizes: list[int], own: list[Value]) -> None:
        if not sizes:
            write(indices, own)
            return
        outer = w.scope
        held = [*own, *(Value(INT, (node,)) for node in (*indices, *sizes[1:]))]
        arrays = sorted({n for leaf in own for n in references(leaf.kind)} - {number})
        state_type = Type.tuple((type_of(array_word(w.kinds[number])),))
        types = [type_of(word) for value in held for word in words(value.kind)] + [type_of(array_word(w.kinds[n])) for n in arrays]
        state = w.make("tuple", outer.arrays[number])
        captures = [node for value in held for node in value.nodes] + [outer.arrays[n] for n in arrays]
        body, params = w.graph.begin([type_of("i64"), state_type, *types])
        scope = Scope(body)
        rest = params[2:]
        inner = [w.take(value.kind, rest) for value in held]
        scope.arrays = dict(zip(arrays, rest, strict=True))
        w.enter(scope)
        scope.arrays[number] = w.make("item", params[1], number=0)
        before = [value.node for value in inner[len(own) : len(own) + len(indices)]]
        after = [value.node for value in inner[len(own) + len(indices) :]]
        level(axis + 1, [*before, params[0]], after, inner[: len(own)])
        closed = w.graph.end(body, w.result([scope.arrays[number]]))
        w.enter(outer)
        zero, one = w.constant(0, "i64"), w.constant(1, "i64")
        made = w.graph.make("seq.for", [state, zero, sizes[0], one], 0, None, [closed], captures)
        outer.arrays[number] = w.make("item", made, number=0)

    level(0, [], list(extents), leaves)


def settled(w: Writer, value: Value, key: Any, node: ast.AST) -> Value:
    """A value that can be named: elements that were put off are computed."""
    if not isinstance(value.kind, Lazy):
        return value
    found: Lazy = value.kind
    array = w.new(found.kind, found.axes, key)
    if found.axes == 0:
        raise NotCompiled("an array without axes", node)
    made = w.fill(array, w.zero(Scalar(found.kind, False))[0], found.extents, node)

    def write(indices: list[int], leaves: list[Value]) -> None:
        element = found.make(w, indices, leaves)
        w.scope.arrays[array.number] = w.make("arr.put", w.version(array), element.node, *indices)

    nest(w, found.extents, array.number, found.leaves, write)
    return made


def store(w: Writer, target: Value, value: Value, convert: Callable[[Value], Value], key: Any, node: ast.AST) -> None:
    """Stores elements into a view. NumPy computes all of them before it stores one, which is seen where the array that is stored to is read at other positions."""
    assert isinstance(target.kind, View)
    array, extents = target.kind.array, views.extents(w, target)
    w.store(array, w.version(array))
    source = lazy(w, value)
    one = w.constant(1, "i64")
    if isinstance(value.kind, (Array, View)) and len(extents) == 1 and array.number in references(value.kind) and not _lie_alike(w, target, value):
        raise NotCompiled("a store of a part of an array to a part that lies otherwise: NumPy may store to an element before it reads it", node, "copy it before")
    if isinstance(value.kind, (Array, View)) and source.axes == 1 and extents and source.extents[0] not in (extents[-1], one):
        source = _repeatable(w, source)
    while source.axes > len(extents):
        if source.extents[0] != one:
            raise NotCompiled("more axes than there is room for", node)
        source = _without_first(source)
    offset = len(extents) - source.axes
    for size, room in zip(source.extents, extents[offset:], strict=True):
        if size not in (room, one) and not source.repeats:
            # One element for many, which is known as code runs alone, is left to NumPy.
            w.demand(w.make("or", w.make("ne", size, one), w.make("eq", room, one)), "one element for many", node)
            site = w.site(node)
            if len(extents) == 1 and source.axes == 1:
                w.sites[site].error = lambda x, y, _: ValueError(f"could not broadcast input array from shape ({x},) into shape ({y},)")
            w.demand(w.make("eq", size, room), "shapes that differ", node, values=(size, room), site=site)
        elif source.repeats:
            site = w.site(node)
            if len(extents) == 1:
                w.sites[site].error = lambda x, y, _: ValueError(f"could not broadcast input array from shape ({x},) into shape ({y},)")
            fits = w.make("or", w.make("eq", size, room), w.make("eq", size, one))
            w.demand(fits, "shapes that differ", node, values=(size, room), site=site)
    same = [leaf for leaf in source.leaves if array.number in references(leaf.kind)]
    apart = all(views.as_view(leaf) == target for leaf in same) and (not same or source.axes == len(extents))
    if source.raises or not apart or _may_raise(w, source, convert):
        repeats = source.repeats
        source = lazy(w, settled(w, Value(source), key, node) if source.axes else value)  # type: ignore[arg-type]
        source = _repeatable(w, source) if repeats else source
    ones = [size == one for size in source.extents]

    def write(indices: list[int], leaves: list[Value]) -> None:
        zero = w.constant(0, "i64")
        own = [zero if is_one else index for is_one, index in zip(ones, indices[offset:], strict=True)]
        element = convert(source.make(w, own, leaves[1:]))
        where = views.positions(w, leaves[0], indices)
        w.scope.arrays[array.number] = w.make("arr.put", w.version(array), element.node, *where)

    nest(w, extents, array.number, [target, *source.leaves], write)


def _lie_alike(w: Writer, target: Value, source: Value) -> bool:
    """Whether the elements of two views of one array are equally far from one another, or lie in opposite directions: NumPy copies both kinds right, whatever they have in common."""
    (axis, step), (other_axis, other_step) = _direction(w, target), _direction(w, views.as_view(source))
    known, other = w.numbers.get(step), w.numbers.get(other_step)
    return axis == other_axis and (step == other_step or (known is not None and other is not None and known[0] * other[0] < 0))


def _direction(w: Writer, view: Value) -> tuple[int, int]:
    """The axis of its array that a view goes along, and by which step; none where it goes along several."""
    assert isinstance(view.kind, View)
    axes = [part for part in view.kind.parts if part != "new"]
    along = [at for at, part in enumerate(axes) if part != "at"]
    steps = [nodes[1] if part == "slice" else w.constant(1, "i64") for part, nodes in views.axis_words(view) if part in ("whole", "slice")]
    return (along[0], steps[0]) if len(along) == 1 else (-1, -1)


def _repeatable(w: Writer, source: Lazy) -> Lazy:
    """An array of one axis that may have one element, which is stored many times."""
    step = w.make("select", w.make("eq", source.extents[0], w.constant(1, "i64")), w.constant(0, "i64"), w.constant(1, "i64"))

    def make(inner: Writer, indices: list[int], leaves: list[Value]) -> Value:
        return source.make(inner, [inner.make("mul", indices[0], leaves[0].node)], leaves[1:])

    return Lazy(source.kind, source.extents, [Value(INT, (step,)), *source.leaves], make, source.raises, repeats=True)


def _without_first(source: Lazy) -> Lazy:
    def make(w: Writer, indices: list[int], leaves: list[Value]) -> Value:
        return source.make(w, [w.constant(0, "i64"), *indices], leaves)

    return Lazy(source.kind, source.extents[1:], source.leaves, make, source.raises)


def _may_raise(w: Writer, source: Lazy, convert: Callable[[Value], Value]) -> bool:
    """Whether storing an element may raise, when others have been stored already."""

    def make(inner: Writer, indices: list[int], leaves: list[Value]) -> Value:
        return convert(source.make(inner, indices, leaves))

    return _tried(w, make, source.axes, source.leaves)[1] and source.axes > 0


def resolved(ufunc: Any, kinds: Sequence[Scalar], node: ast.AST) -> tuple[str, ...]:
    """The dtypes that NumPy computes with, and gives."""
    weak = [{"i64": int, "f64": float}.get(kind.kind, kind.dtype) if kind.weak else kind.dtype for kind in kinds]
    try:
        found = ufunc.resolve_dtypes((*weak, *[None] * ufunc.nout))
    except TypeError as error:
        raise NotCompiled(f"`numpy.{ufunc.__name__}` of {', '.join(map(str, kinds))}", node) from error
    if any(dtype not in KINDS for dtype in found):
        raise NotCompiled(f"`numpy.{ufunc.__name__}` of {', '.join(map(str, kinds))}", node)
    return tuple(KINDS[dtype] for dtype in found)


def dtype_of(value: Any, node: ast.AST) -> str:
    """A dtype that was written: `np.float64`, `"f8"`, `float`."""
    try:
        found = numpy.dtype(value)
    except TypeError as error:
        raise NotCompiled("a dtype that is not known", node) from error
    if found not in KINDS or not found.isnative or found.char in "qQ":
        raise NotCompiled(f"arrays of {found}", node)
    return KINDS[found]
