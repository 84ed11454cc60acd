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

from airloom._arrays import CLASSES
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


def result_of(function: types.FunctionType, dtypes: Sequence[numpy.dtype[Any]]) -> tuple[numpy.dtype[Any] | None, bool]:
    """The dtype of what a function gives for scalars of these dtypes, where its text tells; and whether it may raise."""
    from airloom.functions.translate import Translator
    from airloom.functions.writer import Scope, Writer

    if any(dtype not in KINDS for dtype in dtypes):
        return None, True
    w = Writer({}, set())
    kinds = [Scalar(KINDS[dtype], False) for dtype in dtypes]
    body, nodes = w.graph.begin([type_of(kind.kind) for kind in kinds])
    w.enter(Scope(body))
    t = Translator(w, set(), function.__globals__, [], ())
    try:
        made = t.inlined(function, [Value(kind, (node,)) for kind, node in zip(kinds, nodes, strict=True)], {}, ast.Pass())
    except NotCompiled:
        return None, True
    found = _dtypes(made.kind)
    return functools.reduce(numpy.promote_types, found) if found else None, bool(w.raising or w.scope.demands)


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
        self._gives: dict[tuple[Any, ...], tuple[numpy.dtype[Any] | None, bool]] = {}
        #: By what plans of lazy arrays know it.
        self._key = f"vectorized.{self.__name__}.{next(_COUNTER)}"

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
        if out is None and any(type(arg) in CLASSES for arg in args) and (captured := self._captured(args)) is not None:
            return captured
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

    def _known(self, dtypes: Sequence[numpy.dtype[Any]]) -> tuple[numpy.dtype[Any] | None, bool]:
        key = tuple(dtypes)
        if key not in self._gives:
            self._gives[key] = result_of(self.function, key)
        return self._gives[key]

    def _captured(self, args: Sequence[Any]) -> Any:
        """A lazy array, whose elements are computed with what is around them; none where the dtype is not known before, or where the function may raise, which it does at the call."""
        from airloom.numpy.capture import NotCaptured, applied
        from airloom.numpy.operators import expression_of, made_of

        try:
            parts = tuple(expression_of(arg if type(arg) in CLASSES else numpy.asarray(arg)[()]) for arg in args)
            chosen = self._chosen([part.dtype for part in parts])
            takes = chosen[0] if chosen is not None else [part.dtype for part in parts]
            found, raises = self._known(takes)
            if raises or (found is None and chosen is None):
                return None
            return made_of(applied(self._key, self, parts, tuple(takes), chosen[1][0] if chosen is not None else found))  # type: ignore[arg-type]
        except NotCaptured:
            return None

    def _dtype(self, arrays: list[numpy.ndarray[Any, Any]], shape: tuple[int, ...]) -> numpy.dtype[Any]:
        """The dtype of the result: what the text of the function tells, else that of the first element."""
        found, _ = self._known([array.dtype for array in arrays])
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

    def _closed(self, dtype: numpy.dtype[Any], other: numpy.dtype[Any]) -> bool:
        """Whether what it gives for two dtypes is of the first one, so that a loop goes on with it."""
        chosen = self._chosen([dtype, other])
        if chosen is not None:
            return chosen[0] == [dtype, other] and chosen[1] == [dtype]
        return self._known([dtype, other])[0] == dtype

    def _loop(self, kind: str, lines: Sequence[str]) -> Jitted:
        if kind not in self.loops:
            self.loops[kind] = compiled_text(lines, {"function": self.function})
        return self.loops[kind]

    def reduce(self, array: Any, axis: int = 0) -> Any:
        """The elements along an axis combined one after the other, from the first one on."""
        self._of_two("reduce")
        moved = numpy.moveaxis(numpy.asarray(array), axis, 0)
        if not len(moved):
            raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
        if self._closed(moved.dtype, moved.dtype):
            made = numpy.array(moved[0])
            loop = self._loop("reduce", ["def loop(x, out):", "    for i in range(1, x.shape[0]):", "        for j in range(x.shape[1]):", "            out[j] = function(out[j], x[i, j])"])
            loop(moved.reshape(len(moved), made.size), made.reshape(-1))
            return made if made.shape else made[()]
        made = moved[0]
        for part in moved[1:]:
            made = self(made, part)
        return made

    def accumulate(self, array: Any, axis: int = 0) -> Any:
        """As `reduce`, with all that comes between."""
        self._of_two("accumulate")
        moved = numpy.moveaxis(numpy.asarray(array), axis, 0)
        if len(moved) and self._closed(moved.dtype, moved.dtype):
            found = numpy.array(moved, order="C")
            loop = self._loop("accumulate", ["def loop(x):", "    for i in range(1, x.shape[0]):", "        for j in range(x.shape[1]):", "            x[i, j] = function(x[i - 1, j], x[i, j])"])
            loop(found.reshape(len(found), found[0].size))
            return numpy.moveaxis(found, 0, axis)
        parts = list(itertools.accumulate(moved, self))
        return numpy.moveaxis(numpy.stack(parts), 0, axis) if parts else moved.copy()

    def at(self, array: Any, indices: Any, other: Any = None) -> None:
        """Elements at some positions replaced by what the function makes of them, and of others, one position after the other: one that is there twice is replaced twice."""
        if self.nin > 2 or (self.nin == 2) != (other is not None):
            raise ValueError(f"{self.__name__}.at() takes an array, indices{', and the second operand' if self.nin == 2 else ''}")
        if not isinstance(array, numpy.ndarray):
            raise TypeError("first operand must be array")
        positions = numpy.arange(array.size).reshape(array.shape)[indices]
        flat = array.reshape(-1)
        others = [] if other is None else [numpy.broadcast_to(numpy.asarray(other), positions.shape).reshape(-1)]
        numbers = numpy.ravel(positions)
        if (self._closed(flat.dtype, others[0].dtype) if others else self._known([flat.dtype])[0] == flat.dtype) and array.flags.writeable:
            args = "x[p[i]], y[i]" if others else "x[p[i]]"
            loop = self._loop("at", [f"def loop(x, p{', y' if others else ''}):", "    for i in range(len(p)):", f"        x[p[i]] = function({args})"])
            loop(flat, numbers, *others)
            if not numpy.shares_memory(flat, array):
                array[...] = flat.reshape(array.shape)
            return
        for at, number in enumerate(numbers):
            one = numpy.unravel_index(number, array.shape)
            array[one] = self(array[one], *(part[at] for part in others))

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
