"""Functions that make arrays, inside of compiled code."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy

from airloom.functions import arithmetic, views
from airloom.functions.elements import Lazy, dtype_of, is_array, lazy, nest, settled
from airloom.functions.kinds import FLOAT, INT, Array, Known, Scalar, Several, Value, item, type_of
from airloom.functions.refusals import NotCompiled
from airloom.functions.writer import Writer

#: What a call has: its arguments by position and by name, and a key for what it makes.
Arguments = tuple[list[Value], dict[str, Value], Any]


def _given(args: Arguments, names: tuple[str, ...], node: ast.AST) -> dict[str, Value]:
    values, named, _ = args
    if len(values) > len(names) or not set(named) <= set(names) or set(names[: len(values)]) & set(named):
        raise NotCompiled("a call with other arguments than are compiled", node)
    return dict(zip(names, values, strict=False)) | named


def _dtype(found: dict[str, Value], default: str, node: ast.AST) -> str:
    asked = found.get("dtype")
    if asked is None:
        return default
    if not isinstance(asked.kind, Known):
        raise NotCompiled("a dtype that is computed", node)
    return default if asked.kind.value is None else dtype_of(asked.kind.value, node)


def _shape(w: Writer, value: Value, node: ast.AST) -> list[int]:
    parts = [item(value, at) for at in range(len(value.kind.items))] if isinstance(value.kind, Several) else [value]
    if not parts:
        raise NotCompiled("an array without axes", node)
    found = []
    for part in parts:
        made = arithmetic.over(w, [part], node, lambda given: views.index_of(w, given[0], node))
        size = made.node if made.nodes else w.constant(0, "i64")
        if (arithmetic.constant_of(w, size) or 0) <= 0:
            checked = w.make("ge", size, w.constant(0, "i64"))
            size = w.check(checked, size, "a negative extent", node, lambda: numpy.zeros(-1))
        found.append(size)
    return found


def _filled(number: float | None) -> Callable[[Writer, Arguments, ast.AST], Value]:
    def call(w: Writer, args: Arguments, node: ast.AST) -> Value:
        names = ("shape", "dtype") if number is not None else ("shape", "fill_value", "dtype")
        found = _given(args, names, node)
        if "shape" not in found or (number is None and "fill_value" not in found):
            raise NotCompiled("an array without a shape", node)
        extents = _shape(w, found["shape"], node)
        if number is not None:
            kind = _dtype(found, "f64", node)
            fill = w.constant(bool(number) if kind == "bool" else float(number) if kind[0] == "f" else int(number), kind)
        else:
            fill, kind = _fill_value(w, found["fill_value"], _dtype(found, "", node), node)
        return w.fill(w.new(kind, len(extents), args[2]), fill, extents, node)

    return call


def _fill_value(w: Writer, value: Value, kind: str, node: ast.AST) -> tuple[int, str]:
    if not isinstance(value.kind, Scalar):
        raise NotCompiled(f"an array filled with {value.kind}", node)
    kind = kind or value.kind.kind
    if value.kind.kind == kind:
        return value.node, kind
    if kind == "bool" or value.kind.kind == "bool" or (kind[0] in "iu" and (value.kind.kind[0] == "f" or not value.kind.weak)):
        raise NotCompiled(f"an array of {kind} filled with {value.kind}", node)
    return arithmetic.cast(w, value, kind, node), kind


def _like(number: float | None) -> Callable[[Writer, Arguments, ast.AST], Value]:
    def call(w: Writer, args: Arguments, node: ast.AST) -> Value:
        names = ("a", "dtype") if number is not None else ("a", "fill_value", "dtype")
        found = _given(args, names, node)
        if "a" not in found or not is_array(found["a"]) or (number is None and "fill_value" not in found):
            raise NotCompiled("an array like what is no array", node)
        other = lazy(w, found["a"])
        if other.axes > 1 and _layout(found["a"]) != "rows":
            raise NotCompiled("an array like one that does not lie row by row", node)
        kind = _dtype(found, other.kind, node)
        if number is not None:
            fill = w.constant(bool(number) if kind == "bool" else float(number) if kind[0] == "f" else int(number), kind)
        else:
            fill, kind = _fill_value(w, found["fill_value"], kind, node)
        return w.fill(w.new(kind, other.axes, args[2]), fill, other.extents, node)

    return call


def _layout(value: Value) -> str:
    kind: Any = value.kind
    if isinstance(kind, Lazy):
        return "rows" if all(_layout(leaf) == "rows" for leaf in kind.leaves) else "other"
    return "rows" if isinstance(kind, Scalar) else kind.layout if isinstance(kind, Array) else kind.array.layout


def copied(w: Writer, args: Arguments, node: ast.AST) -> Value:
    """A copy, row by row: NumPy's method makes one; its function keeps the order in memory."""
    found = _given(args, ("a",), node)
    if "a" not in found or not is_array(found["a"]):
        raise NotCompiled("a copy of what is no array", node)
    source = lazy(w, found["a"])
    if source.axes == 0 or (source.axes > 1 and _layout(found["a"]) != "rows"):
        raise NotCompiled("a copy of an array that does not lie row by row", node)
    return settled(w, Value(Lazy(source.kind, source.extents, source.leaves, source.make)), args[2], node)  # type: ignore[arg-type]


def arange(w: Writer, args: Arguments, node: ast.AST) -> Value:
    """Integers from one up to another. Those of floats are computed by NumPy as their lengths are."""
    values, named, _ = args
    kind = _dtype(named, "i64", node)
    if not set(named) <= {"dtype"} or not 1 <= len(values) <= 3 or any(value.kind != INT for value in values) or kind[0] == "u" or kind == "bool":
        raise NotCompiled("`numpy.arange` of what is not Python's integers", node)
    zero, one = w.constant(0, "i64"), w.constant(1, "i64")
    nodes = [value.node for value in values]
    start, stop, step = (zero, nodes[0], one) if len(nodes) == 1 else (nodes[0], nodes[1], one) if len(nodes) == 2 else nodes
    by = arithmetic.constant_of(w, step)
    if by is None or by <= 0 or kind not in ("i64", "f64"):
        raise NotCompiled("`numpy.arange` by a step that is not a positive constant, or of a narrow dtype", node)
    span = w.make("sub", stop, start, site=w.site(node), overflow="raise")
    if by > 1:
        span = w.make("floordiv", w.make("add", span, w.constant(by - 1, "i64"), site=w.site(node), overflow="raise"), step)
    count = w.make("greatest", span, zero)
    if kind == "f64":
        if len(nodes) != 1:
            raise NotCompiled("`numpy.arange` of floats that does not begin at 0", node)

        def whole(inner: Writer, indices: list[int], _: list[Value]) -> Value:
            return Value(Scalar("f64", False), (inner.make("cast", indices[0], to=type_of("f64")),))

        return Value(Lazy("f64", [count], [], whole))  # type: ignore[arg-type]

    def number(inner: Writer, indices: list[int], leaves: list[Value]) -> Value:
        far = inner.make("mul", indices[0], leaves[1].node)
        return Value(Scalar("i64", False), (inner.make("add", leaves[0].node, far),))

    return Value(Lazy("i64", [count], [Value(INT, (start,)), Value(INT, (step,))], number))  # type: ignore[arg-type]


def cumulative(w: Writer, args: Arguments, node: ast.AST) -> Value:
    """`numpy.cumsum` of an array of one axis."""
    found = _given(args, ("a",), node)
    if "a" not in found or not is_array(found["a"]) or lazy(w, found["a"]).axes != 1:
        raise NotCompiled("`numpy.cumsum` of what is no array of one axis", node)
    source = lazy(w, found["a"])
    kind = source.kind if source.kind[0] == "f" else "u64" if source.kind[0] == "u" else "i64"
    array = w.new(kind, 1, args[2])
    made = w.fill(array, w.zero(Scalar(kind, False))[0], source.extents, node)

    def write(indices: list[int], leaves: list[Value]) -> None:
        zero, one = w.constant(0, "i64"), w.constant(1, "i64")
        own = source.make(w, indices, leaves).node
        own = own if source.kind == kind else w.make("cast", own, to=type_of(kind))
        before = w.make("arr.at", w.version(array), w.make("greatest", w.make("sub", indices[0], one), zero))
        total = w.make("select", w.make("eq", indices[0], zero), own, w.make("add", before, own))
        w.scope.arrays[array.number] = w.make("arr.put", w.version(array), total, indices[0])

    nest(w, source.extents, array.number, source.leaves, write)
    return made


def linspace(w: Writer, args: Arguments, node: ast.AST) -> Value:
    """`numpy.linspace(start, stop, n)` of numbers of Python's, by NumPy's own steps."""
    found = _given(args, ("start", "stop", "num"), node)
    if set(found) != {"start", "stop", "num"} or found["num"].kind != INT or any(found[name].kind not in (INT, FLOAT) for name in ("start", "stop")):
        raise NotCompiled("`numpy.linspace` of what is not numbers of Python's", node)
    start, stop = (arithmetic.to_float(w, found[name], node) for name in ("start", "stop"))
    count = w.check(w.make("gt", found["num"].node, w.constant(1, "i64")), found["num"].node, "a `numpy.linspace` of less than two", node)
    last = w.make("sub", count, w.constant(1, "i64"))
    step = w.make("div", w.make("sub", stop, start), w.make("cast", last, to=type_of("f64")))
    step = w.check(w.make("ne", step, w.constant(0.0, "f64")), step, "a `numpy.linspace` whose step is zero", node)
    leaves = [Value(FLOAT, (start,)), Value(FLOAT, (stop,)), Value(FLOAT, (step,)), Value(INT, (last,))]

    def make(inner: Writer, indices: list[int], given: list[Value]) -> Value:
        far = inner.make("mul", inner.make("cast", indices[0], to=type_of("f64")), given[2].node)
        own = inner.make("add", far, given[0].node)
        return Value(Scalar("f64", False), (inner.make("select", inner.make("eq", indices[0], given[3].node), given[1].node, own),))

    return Value(Lazy("f64", [count], leaves, make))  # type: ignore[arg-type]


def eye(w: Writer, args: Arguments, node: ast.AST) -> Value:
    """`numpy.eye(n)`."""
    found = _given(args, ("N",), node)
    if "N" not in found:
        raise NotCompiled("`numpy.eye` without a size", node)
    (size,) = _shape(w, found["N"], node)[:1]

    def make(inner: Writer, indices: list[int], _: list[Value]) -> Value:
        same = inner.make("eq", indices[0], indices[1])
        return Value(Scalar("f64", False), (inner.make("select", same, inner.constant(1.0, "f64"), inner.constant(0.0, "f64")),))

    return Value(Lazy("f64", [size, size], [], make))  # type: ignore[arg-type]


def outer(w: Writer, args: Arguments, node: ast.AST) -> Value:
    """`numpy.outer` of two arrays of one axis."""
    found = _given(args, ("a", "b"), node)
    if set(found) != {"a", "b"} or any(not is_array(value) or lazy(w, value).axes != 1 for value in found.values()):
        raise NotCompiled("`numpy.outer` of what is no arrays of one axis", node)
    left, right = lazy(w, found["a"]), lazy(w, found["b"])
    column = Lazy(left.kind, [left.extents[0], w.constant(1, "i64")], left.leaves, lambda inner, indices, leaves: left.make(inner, indices[:1], leaves))
    return arithmetic.binary(w, ast.Mult(), Value(column), Value(right), node)  # type: ignore[arg-type]


def of_items(w: Writer, rows: list[list[Value]], is_table: bool, key: Any, node: ast.AST) -> Value:
    """`numpy.array` of numbers that are written out."""
    kinds = {value.kind for row in rows for value in row}
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows) or not all(isinstance(kind, Scalar) for kind in kinds):
        raise NotCompiled("`numpy.array` of what is not numbers, as many in each row", node)
    named = {kind.kind for kind in kinds if isinstance(kind, Scalar)}
    if not named <= {"i64", "f64"}:
        raise NotCompiled("`numpy.array` of numbers of narrow dtypes", node)
    kind = "f64" if "f64" in named else "i64"
    sizes = [len(rows), len(rows[0])] if is_table else [len(rows[0])]
    array = w.new(kind, len(sizes), key)
    nodes = [[value.node if value.kind.kind == kind else w.make("cast", value.node, to=type_of(kind)) for value in row] for row in rows]  # type: ignore[union-attr]
    made = w.fill(array, w.zero(Scalar(kind, False))[0], [w.constant(size, "i64") for size in sizes], node)
    for at, row in enumerate(nodes):
        for number, item_node in enumerate(row):
            where = [w.constant(at, "i64"), w.constant(number, "i64")] if is_table else [w.constant(number, "i64")]
            w.scope.arrays[array.number] = w.make("arr.put", w.version(array), item_node, *where)
    return made


CREATION: dict[Any, Callable[[Writer, Arguments, ast.AST], Value]] = {
    numpy.zeros: _filled(0),
    numpy.empty: _filled(0),
    numpy.ones: _filled(1),
    numpy.full: _filled(None),
    numpy.zeros_like: _like(0),
    numpy.empty_like: _like(0),
    numpy.ones_like: _like(1),
    numpy.full_like: _like(None),
    numpy.copy: copied,
    numpy.arange: arange,
    numpy.cumsum: cumulative,
    numpy.linspace: linspace,
    numpy.eye: eye,
    numpy.outer: outer,
}

__all__ = ["CREATION", "arange", "copied", "of_items"]
