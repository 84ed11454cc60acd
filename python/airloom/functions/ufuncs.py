"""Functions of numbers, and of short arrays, applied to all elements of arrays: `vectorize` and `guvectorize`."""

from __future__ import annotations

import ast
import functools
import itertools
import linecache
import re
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from airloom.functions.driver import Jitted, jit
from airloom.functions.iterate import prange
from airloom.functions.kinds import KINDS, Either, Kind, Scalar, Value, type_of
from airloom.functions.refusals import NotCompiled

_NAMES: dict[str, str] = {
    "boolean": "?", "bool_": "?", "bool": "?", "b1": "?", "double": "f8", "float_": "f8", "single": "f4", "intp": "i8", "int_": "i8", "long_": "i8", "int": "i8", "float": "f8",
    "char": "i1", "uchar": "u1", "short": "i2", "intc": "i4", "uintc": "u4", "uintp": "u8",
}  # fmt: skip
_COUNTER = itertools.count()


def dtype_of(word: str) -> numpy.dtype[Any]:
    plain = re.sub(r"\[.*\]|Array.*", "", word).strip()
    try:
        return numpy.dtype(_NAMES.get(plain, plain))
    except TypeError:
        raise TypeError(f"`{word}` is no type of a signature: write it as `float64`, or `float64[:]`") from None


def _signature(text: Any) -> tuple[list[numpy.dtype[Any]], list[numpy.dtype[Any]]]:
    """The dtypes that `float64(float64, int64)` takes and gives; `void(…)` gives none."""
    written = str(text).strip()
    arrow = re.fullmatch(r"\((.*)\)\s*->\s*(\S+)", written)
    called = re.fullmatch(r"(\w+)\s*\((.*)\)", written)
    if arrow is None and called is None:
        raise TypeError(f"`{written}` is no signature: write it as `float64(float64, float64)`")
    given, result = (arrow[1], arrow[2]) if arrow is not None else (called[2], called[1])  # type: ignore[index]
    depth_free = re.sub(r"\[[^\]]*\]", "", given)
    takes = [dtype_of(word) for word in depth_free.split(",") if word.strip()]
    return takes, [] if result in ("void", "none") else [dtype_of(result)]


def compiled_text(lines: Sequence[str], space: dict[str, Any]) -> Jitted:
    """A function of this text, compiled."""
    text = "\n".join(lines) + "\n"
    file = f"<airloom loop {next(_COUNTER)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"prange": prange, "__name__": "airloom.functions.loops", **space}
    exec(compile(text, file, "exec"), names)
    made = jit(names["loop"])
    made.in_background = False
    return made


def result_of(function: types.FunctionType, dtypes: Sequence[numpy.dtype[Any]]) -> numpy.dtype[Any] | None:
    """The dtype of what a function gives for scalars of these dtypes, where its text tells."""
    from airloom.functions.translate import Translator
    from airloom.functions.writer import Scope, Writer

    if any(dtype not in KINDS for dtype in dtypes):
        return None
    w = Writer({}, set())
    kinds = [Scalar(KINDS[dtype], False) for dtype in dtypes]
    body, nodes = w.graph.begin([type_of(kind.kind) for kind in kinds])
    w.enter(Scope(body))
    t = Translator(w, set(), function.__globals__, [], ())
    try:
        made = t.inlined(function, [Value(kind, (node,)) for kind, node in zip(kinds, nodes, strict=True)], {}, ast.Pass())
    except NotCompiled:
        return None
    found = _dtypes(made.kind)
    return functools.reduce(numpy.promote_types, found) if found else None


def _dtypes(kind: Kind) -> list[numpy.dtype[Any]]:
    if isinstance(kind, Scalar):
        return [kind.dtype]
    if isinstance(kind, Either):
        parts = [_dtypes(choice) for choice in kind.choices]
        return [dtype for part in parts for dtype in part] if all(parts) else []
    return []


class _Elementwise:
    """What both kinds have in common: a function, its signatures, and loops that were compiled for it."""

    __wrapped__: Any
    __name__: str
    __qualname__: str

    def __init__(self, function: Callable[..., Any], signatures: Sequence[Any], is_parallel: bool) -> None:
        if isinstance(function, Jitted):
            function = function.__wrapped__
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"`airloom.vectorize` takes a function that is written in Python, not `{type(function).__name__}`")
        functools.update_wrapper(self, function)  # type: ignore[arg-type]
        self.function = function
        self.signatures = [_signature(signature) for signature in signatures]
        self.range = "prange" if is_parallel else "range"
        self.loops: dict[Any, Jitted] = {}

    def __repr__(self) -> str:
        return f"<airloom ufunc '{self.__name__}'>"

    def _chosen(self, dtypes: Sequence[numpy.dtype[Any]]) -> tuple[list[numpy.dtype[Any]], list[numpy.dtype[Any]]] | None:
        """The first signature that dtypes can be cast to without loss."""
        if not self.signatures:
            return None
        for takes, gives in self.signatures:
            if all(numpy.can_cast(dtype, take, "safe") for dtype, take in zip(dtypes, takes, strict=False)):
                return takes, gives
        told = ", ".join(dtype.name for dtype in dtypes)
        raise TypeError(f"`{self.__name__}` has no signature for ({told})")


class Vectorized(_Elementwise):
    """A function of numbers that is applied to the elements of arrays, broadcast to one another."""

    def __init__(self, function: Callable[..., Any], signatures: Sequence[Any] = (), is_parallel: bool = False) -> None:
        super().__init__(function, signatures, is_parallel)
        self.nin = self.function.__code__.co_argcount
        self.nout = 1
        self.nargs = self.nin + 1
        self.identity = None
        self._gives: dict[tuple[Any, ...], numpy.dtype[Any] | None] = {}

    @property
    def types(self) -> list[str]:
        """The signatures, by the characters of dtypes."""
        return ["".join(dtype.char for dtype in takes) + "->" + "".join(dtype.char for dtype in gives) for takes, gives in self.signatures]

    def __call__(self, *args: Any, out: Any = None) -> Any:
        if len(args) == self.nin + 1 and out is None:
            *args, out = args  # type: ignore[assignment]
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} arrays and `out`, but {len(args)} were given")
        if isinstance(out, tuple):
            (out,) = out
        arrays = [numpy.asarray(arg) for arg in args]
        shape = numpy.broadcast_shapes(*(array.shape for array in arrays)) if arrays else ()
        chosen = self._chosen([array.dtype for array in arrays])
        if chosen is not None:
            arrays = [array.astype(dtype, copy=False) for array, dtype in zip(arrays, chosen[0], strict=True)]
        dtype = chosen[1][0] if chosen is not None else self._dtype(arrays, shape)
        made = numpy.empty(shape, dtype)
        self._run(arrays, made)
        if out is not None:
            numpy.copyto(out, made, casting="same_kind")
            return out
        return made if shape else made[()]

    def _dtype(self, arrays: list[numpy.ndarray[Any, Any]], shape: tuple[int, ...]) -> numpy.dtype[Any]:
        """The dtype of the result: what the text of the function tells, else that of the first element."""
        key = tuple(array.dtype for array in arrays)
        if key not in self._gives:
            self._gives[key] = result_of(self.function, key)
        found = self._gives[key]
        if found is not None:
            return found
        if 0 in shape:
            raise ValueError(f"the dtype of `{self.__name__}` of no elements is not known: give it a signature")
        first = self.function(*(numpy.broadcast_to(array, shape)[(0,) * len(shape)][()] for array in arrays))
        return numpy.asarray(first).dtype

    def _run(self, arrays: list[numpy.ndarray[Any, Any]], out: numpy.ndarray[Any, Any]) -> None:
        single = tuple(array.size == 1 for array in arrays)
        if single not in self.loops:
            names = [f"x{at}" for at in range(self.nin)]
            args = ", ".join(name if is_single else f"{name}[i]" for name, is_single in zip(names, single, strict=True))
            lines = [f"def loop({', '.join([*names, 'out'])}):", f"    for i in {self.range}(len(out)):", f"        out[i] = function({args})"]
            self.loops[single] = compiled_text(lines, {"function": self.function})
        flat = [array.reshape(-1)[0] if is_single else numpy.ascontiguousarray(numpy.broadcast_to(array, out.shape)).reshape(-1) for array, is_single in zip(arrays, single, strict=True)]
        self.loops[single](*flat, out.reshape(-1))

    # What ufuncs of two arguments have.

    def _of_two(self, name: str) -> None:
        if self.nin != 2:
            raise ValueError(f"{name} only supported for functions of two arguments")

    def reduce(self, array: Any, axis: int = 0) -> Any:
        """The elements along an axis combined one after the other, from the first one on."""
        self._of_two("reduce")
        moved = numpy.moveaxis(numpy.asarray(array), axis, 0)
        if not len(moved):
            raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
        made = moved[0]
        for part in moved[1:]:
            made = self(made, part)
        return made

    def accumulate(self, array: Any, axis: int = 0) -> Any:
        """As `reduce`, with all that comes between."""
        self._of_two("accumulate")
        moved = numpy.moveaxis(numpy.asarray(array), axis, 0)
        parts = list(itertools.accumulate(moved, self))
        return numpy.moveaxis(numpy.stack(parts), 0, axis) if parts else moved.copy()

    def outer(self, first: Any, second: Any) -> Any:
        """The function of each element of the one with each of the other."""
        self._of_two("outer")
        x, y = numpy.asarray(first), numpy.asarray(second)
        return self(x.reshape(x.shape + (1,) * y.ndim), y)


class Generalized(_Elementwise):
    """A function of short arrays, which stores its results to its last arguments; it is applied to all of longer ones."""

    def __init__(self, function: Callable[..., Any], signatures: Sequence[Any], layout: str, is_parallel: bool = False) -> None:
        super().__init__(function, signatures, is_parallel)
        self.signature = layout.replace(" ", "")
        sides = self.signature.split("->")
        if len(sides) != 2 or not all(re.fullmatch(r"\(([\w,]*)\)(,\([\w,]*\))*", side) for side in sides):
            raise ValueError(f"`{layout}` is no layout: write it as `(n),(n)->()`")
        self.inputs, self.outputs = ([tuple(filter(None, part.split(","))) for part in re.findall(r"\(([\w,]*)\)", side)] for side in sides)
        self.nin, self.nout = len(self.inputs), len(self.outputs)
        self.nargs = self.nin + self.nout

    def __call__(self, *args: Any, out: Any = None) -> Any:
        given = list(args[self.nin :]) or ([] if out is None else list(out) if isinstance(out, tuple) else [out])
        if not (self.nin <= len(args) <= self.nargs) or len(given) not in (0, self.nout):
            raise TypeError(f"{self.__name__}() takes {self.nin} arrays and {self.nout} to store to")
        arrays = [numpy.asarray(arg) for arg in args[: self.nin]]
        sizes: dict[str, int] = {}
        for array, core in zip(arrays, self.inputs, strict=True):
            self._measure(array, core, sizes)
        for array, core in zip(given, self.outputs, strict=False):
            self._measure(array, core, sizes)
        missing = {name for core in self.outputs for name in core} - set(sizes)
        if missing:
            raise ValueError(f"{self.__name__}: the extent of `{min(missing)}` is not known: pass the array to store to")
        outer = numpy.broadcast_shapes(*(array.shape[: array.ndim - len(core)] for array, core in zip(arrays, self.inputs, strict=True)))
        chosen = self._chosen([array.dtype for array in arrays])
        takes = chosen[0] if chosen is not None else [array.dtype for array in arrays] + [array.dtype for array in given] or []
        results = []
        for at, core in enumerate(self.outputs):
            dtype = takes[self.nin + at] if len(takes) > self.nin + at else numpy.result_type(*arrays)
            results.append(numpy.empty(outer + tuple(sizes[name] for name in core), dtype))
            if given:
                # What is there already may be read.
                results[-1][...] = given[at]
        inputs = [self._stacked(array.astype(dtype, copy=False), core, outer) for array, dtype, core in zip(arrays, takes, self.inputs, strict=False)]
        stores = [result.reshape(-1, *(tuple(sizes[name] for name in core) or (1,))) if outer or core else result.reshape(1, 1) for result, core in zip(results, self.outputs, strict=True)]
        self._loop()(*inputs, *stores)
        for array, result in zip(given, results, strict=False):
            numpy.copyto(array, result, casting="same_kind")
        made = [result if result.shape else result[()] for result in (given or results)]
        return made[0] if self.nout == 1 else tuple(made)

    def _measure(self, array: numpy.ndarray[Any, Any], core: tuple[str, ...], sizes: dict[str, int]) -> None:
        if array.ndim < len(core):
            raise ValueError(f"{self.__name__}: an array has {array.ndim} axes, and ({','.join(core)}) wants {len(core)}")
        for name, size in zip(core, array.shape[array.ndim - len(core) :], strict=True):
            if sizes.setdefault(name, size) != size:
                raise ValueError(f"{self.__name__}: `{name}` is {sizes[name]} and {size}")

    def _stacked(self, array: numpy.ndarray[Any, Any], core: tuple[str, ...], outer: tuple[int, ...]) -> numpy.ndarray[Any, Any]:
        inner = array.shape[array.ndim - len(core) :]
        return numpy.ascontiguousarray(numpy.broadcast_to(array, outer + inner)).reshape(-1, *inner)

    def _loop(self) -> Jitted:
        if () not in self.loops:
            names = [f"x{at}" for at in range(self.nargs)]
            args = ", ".join(f"{name}[i]" for name in names)
            lines = [f"def loop({', '.join(names)}):", f"    for i in {self.range}(x{self.nin}.shape[0]):", f"        function({args})"]
            self.loops[()] = compiled_text(lines, {"function": self.function})
        return self.loops[()]


def vectorize(signatures: Any = None, *, target: str = "cpu", nopython: bool = True, cache: bool = False) -> Any:
    """A function of numbers as one of arrays. The signatures, `["float64(float64, float64)"]`, say what elements are cast to; without them, elements are as they are.

    `target="parallel"` uses every core. The other words are there for those who are used to write them.
    """
    if callable(signatures) and not isinstance(signatures, (str, list, tuple)):
        return Vectorized(signatures)
    listed = [signatures] if isinstance(signatures, str) else list(signatures or ())
    return lambda function: Vectorized(function, listed, target == "parallel")


def guvectorize(signatures: Any, layout: str | None = None, *, target: str = "cpu", nopython: bool = True, cache: bool = False) -> Any:
    """A function of short arrays as one of longer ones: the layout, `"(n),(n)->()"`, names the axes that it is given. It stores to its last arguments."""
    if layout is None:
        signatures, layout = [], signatures
    listed = [signatures] if isinstance(signatures, str) else list(signatures)
    return lambda function: Generalized(function, listed, layout, target == "parallel")


__all__ = ["Generalized", "Vectorized", "guvectorize", "vectorize"]
