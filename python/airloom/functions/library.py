"""Functions whose bits are those of NumPy's own loops, and of the C library: code calls them."""

from __future__ import annotations

import ast
import functools
import math
from typing import TYPE_CHECKING, Any

import numpy

from airloom.functions import elements, views
from airloom.functions.arithmetic import cast, constant_of, over, to_float
from airloom.functions.foreign import Kernel
from airloom.functions.kinds import DTYPES, FLOAT, Array, Scalar, Value, View, type_of
from airloom.functions.refusals import NotCompiled
from airloom.functions.writer import Writer, array_word

if TYPE_CHECKING:
    from airloom.functions.translate import Translator

_CODES = {"f64": "d", "f32": "f", "i64": "l", "i32": "i"}

#: Functions of one number, and of two.
_ONE = tuple(
    getattr(numpy, name)
    for name in "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt deg2rad rad2deg degrees radians".split()
)
_TWO = (numpy.power, numpy.arctan2, numpy.hypot, numpy.logaddexp, numpy.float_power, numpy.fmod)
_LIBM = {math.erf: "erf", math.erfc: "erfc"}


def is_known(function: Any) -> bool:
    return isinstance(function, Kernel) or any(function is known for known in (*_ONE, *_TWO, *_LIBM, numpy.dot, numpy.matmul, numpy.linalg.norm))


@functools.cache
def _registered(ufunc: Any, types: str, name: str) -> bool:
    """Makes a loop of NumPy's known to code."""
    from airloom._native import register_loops

    if types not in ufunc.types:
        return False
    register_loops(ufunc, [(name, ufunc.types.index(types))])
    return True


def _call(w: Writer, name: str, ty: str, *args: int, node: ast.AST | None) -> int:
    found: int = w.graph.make("host.call", list(args), w.site(node), {"name": name, "ty": type_of(ty), "effect": "pure"})
    return found


def called(t: Translator, function: Any, args: list[Value], node: ast.AST) -> Value:
    """A call of one of these functions."""
    w = t.writer
    if function in _LIBM:
        if len(args) != 1:
            raise NotCompiled("a function of `math` of several arguments", node)
        return over(w, args, node, lambda given: Value(FLOAT, (_call(w, f"libm.{_LIBM[function]}", "f64", to_float(w, _number(given[0], node), node), node=node),)))
    if isinstance(function, Kernel):
        return _of_kernel(t, function, args, node)
    if function is numpy.linalg.norm:
        if len(args) != 1 or not elements.is_array(args[0]) or elements.lazy(w, args[0]).axes != 1 or elements.lazy(w, args[0]).kind[0] != "f":
            raise NotCompiled("`numpy.linalg.norm` of what is no vector of floats", node)
        vector = t.settled(args[0], node)
        square = product(t, vector, vector, node)
        return Value(square.kind, (w.make("sqrt", square.node),))
    if function in (numpy.dot, numpy.matmul):
        if len(args) != 2:
            raise NotCompiled("a product of other than two arrays", node)
        return product(t, args[0], args[1], node)
    if len(args) != function.nin:
        raise NotCompiled(f"`numpy.{function.__name__}` of {len(args)} arguments", node)
    if any(map(elements.is_array, args)):
        return _of_array(t, function, args, node)
    return over(w, args, node, lambda given: _of_numbers(w, function, given, node))


def _of_kernel(t: Translator, kernel: Kernel, args: list[Value], node: ast.AST) -> Value:
    """A call of a function of another library's, which a user has made known."""
    if kernel.effect != "pure" or kernel.threads != "any" or kernel.layout is not None or kernel.ufunc.nout != 1:
        raise NotCompiled(f"a call of the kernel `{kernel.__name__}`, which has state, a layout, several results, or one thread", node)
    if len(args) != kernel.ufunc.nin:
        raise NotCompiled(f"the kernel `{kernel.__name__}` of {len(args)} arguments", node)
    _KERNELS[kernel.ufunc] = kernel.key
    if any(map(elements.is_array, args)):
        return _of_array(t, kernel.ufunc, args, node)
    return over(t.writer, args, node, lambda given: _of_numbers(t.writer, kernel.ufunc, given, node))


#: The names of ufuncs that are kernels of users'.
_KERNELS: dict[Any, str] = {}


def _number(value: Value, node: ast.AST) -> Value:
    if not isinstance(value.kind, Scalar):
        raise NotCompiled(f"a call with {value.kind}", node)
    return value


def _of_numbers(w: Writer, ufunc: Any, given: list[Value], node: ast.AST) -> Value:
    kinds = [_number(value, node).kind for value in given]
    *takes, out = elements.resolved(ufunc, kinds, node)  # type: ignore[arg-type]
    name = _loop(ufunc, [*takes, out], node)
    nodes = [cast(w, value, to, node) for value, to in zip(given, takes, strict=True)]
    return Value(Scalar(out, False), (_call(w, name, out, *nodes, node=node),))


def _loop(ufunc: Any, kinds: list[str], node: ast.AST) -> str:
    """The name under which code knows a loop."""
    name = f"{_KERNELS.get(ufunc, f'numpy.{ufunc.__name__}')}:{kinds[-1]}"
    if len(set(kinds)) != 1 or kinds[0] not in ("f64", "f32"):
        raise NotCompiled(f"`numpy.{ufunc.__name__}` of {' and '.join(kinds[:-1])}", node)
    code = _CODES[kinds[0]]
    if not _registered(ufunc, f"{code * ufunc.nin}->{code}", name):
        raise NotCompiled(f"`numpy.{ufunc.__name__}`", node)
    return name


def _of_array(t: Translator, ufunc: Any, args: list[Value], node: ast.AST) -> Value:
    """A function of all elements of an array, which are made to lie one after the other."""
    w = t.writer
    if ufunc.nin != 1:
        raise NotCompiled(f"`numpy.{ufunc.__name__}` of arrays", node, "call it element by element")
    source = elements.lazy(w, args[0])
    takes, out = elements.resolved(ufunc, [Scalar(source.kind, False)], node)
    name = _loop(ufunc, [takes, out], node)
    if source.kind == takes and _may_lie_backwards(w, args[0]) and _depends_on_direction(ufunc, takes):
        raise NotCompiled(f"`numpy.{ufunc.__name__}` of an array that may lie backwards in memory, for which NumPy has other last bits", node, "copy it before")
    given = elements.mapped(w, args, lambda inner, own: Value(Scalar(takes, False), (cast(inner, own[0], takes, node),)), node)
    array = elements.settled(w, given, (t.key(node), "given"), node)
    assert isinstance(array.kind, Array)
    found = w.new(out, source.axes, (t.key(node), "made"))
    w.name(found, _call(w, name, array_word(found), w.version(array.kind), node=node), node)
    return Value(found)


def _may_lie_backwards(w: Writer, value: Value) -> bool:
    """Whether NumPy may be given elements whose addresses fall. What an expression makes lies forwards, and so do the rows of an array."""
    kind: Any = value.kind
    if not isinstance(kind, (Array, View)):
        return False
    base = kind.array if isinstance(kind, View) else kind
    if base.axes == 1 and base.layout == "strided":
        return True
    steps = [nodes[1] for part, nodes in views.axis_words(value) if part == "slice"] if isinstance(kind, View) else []
    return any((constant_of(w, step) or -1) < 0 for step in steps)


@functools.cache
def _depends_on_direction(ufunc: Any, word: str) -> bool:
    """Whether a loop of NumPy's has other bits where it goes backwards: on some processors it computes several elements at once, but only forwards."""
    given = numpy.linspace(0.01, 0.99, 500, dtype=DTYPES[word]) + (ufunc is numpy.arccosh)
    forwards, backwards = ufunc(given), ufunc(given[::-1])[::-1]
    return bool((forwards != backwards).any())


def product(t: Translator, left: Value, right: Value, node: ast.AST) -> Value:
    """A product of vectors and matrices, by NumPy's own loop, which has its bits for any strides."""
    w = t.writer
    sides = [views.as_view(elements.settled(w, side, (t.key(node), at), node)) for at, side in enumerate((left, right))]
    kinds = [side.kind for side in sides]
    if not all(isinstance(kind, View) and 1 <= kind.axes <= 2 and "new" not in kind.parts for kind in kinds):
        raise NotCompiled(f"a product of {left.kind} and {right.kind}", node)
    word = kinds[0].kind  # type: ignore[union-attr]
    if kinds[1].kind != word or word not in _CODES:  # type: ignore[union-attr]
        raise NotCompiled("a product of arrays of different dtypes, or of narrow ones", node)
    if any(not _lies_well(w, side) for side in sides):
        raise NotCompiled("a product of a view whose rows are not contiguous", node, "copy it before")
    code = _CODES[word]
    _registered(numpy.matmul, f"{code}{code}->{code}", f"numpy.matmul:{word}")
    specs = ":".join(".".join(kind.parts) for kind in kinds)  # type: ignore[union-attr]
    args = [node_ for side in sides for node_ in (w.version(side.kind.array), *side.nodes)]  # type: ignore[union-attr]
    axes = sum(kind.axes - 1 for kind in kinds if isinstance(kind, View))
    name = f"numpy.matmul:{word}:{specs}"
    if axes == 0:
        return Value(Scalar(word, False), (_call(w, name, word, *args, node=node),))
    found = w.new(word, axes, (t.key(node), "product"))
    w.name(found, _call(w, name, array_word(found), *args, node=node), node)
    return Value(found)


def _lies_well(w: Writer, side: Value) -> bool:
    """Whether NumPy's functions of products all take a view as it lies: neighbours along its last axis are neighbours in memory."""
    assert isinstance(side.kind, View)
    last = side.kind.parts[-1]
    return side.kind.array.layout == "rows" and (last == "whole" or (last == "slice" and side.nodes[-2] == w.constant(1, "i64")))


__all__ = ["called", "is_known", "product"]
