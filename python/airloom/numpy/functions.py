"""Functions of NumPy's namespace on arrays of ours: those that are captured, and the way to NumPy for all others."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy

from airloom.numpy import fallback, ordering
from airloom.numpy.capture import NotCaptured, applied, elementwise_call, looked
from airloom.numpy.elementwise import type_of
from airloom.numpy.expressions import Pieces
from airloom.numpy.lazy import cast, ndarray
from airloom.numpy.memory import leaf
from airloom.numpy.operators import expression_of, fresh, made_of, small

_BOOL = numpy.dtype(bool)

#: Functions that keep none of their arguments, and give none of them back: of few elements NumPy makes at once what they make.
AT_ONCE = frozenset(
    getattr(numpy, name)
    for name in (
        "zeros ones empty full arange eye identity tri zeros_like ones_like empty_like full_like dot vdot inner outer trace concatenate stack hstack vstack column_stack "
        "argsort argmax argmin count_nonzero searchsorted cumsum cumprod diff ptp median average percentile quantile repeat bincount interp convolve correlate "
        "nansum nanmean nanmin nanmax nanstd nanvar allclose array_equal"
    ).split()
)

#: Those that make a new array of numbers alone.
CREATING: frozenset[Any] = frozenset((numpy.zeros, numpy.ones, numpy.empty, numpy.arange, numpy.full, numpy.eye, numpy.identity))

#: What a function of NumPy's is on arrays of ours.
_CAPTURED: dict[Callable[..., Any], Callable[..., Any]] = {}


def _captures(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(own: Callable[..., Any]) -> Callable[..., Any]:
        _CAPTURED[function] = own
        return own

    return register


def call_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy's that was given an array of ours."""
    if function in AT_ONCE:
        made = fallback.at_once(function, args, kwargs)
        if made is not None:
            return made
    own = _CAPTURED.get(function)
    reason = ""
    if own is not None:
        try:
            return own(*args, **kwargs)
        except NotCaptured as refused:
            reason = str(refused)
        except TypeError:
            # Another signature than that of the captured call: NumPy says whether it is wrong.
            pass
    made = fallback.call(function.__name__, function, args, kwargs, reason or f"`{function.__name__}` is NumPy's")
    out = kwargs.get("out")
    return out if isinstance(out, ndarray) else made


def call_with_outputs(function: numpy.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a function of elements with keywords, or of one of its methods, by NumPy."""
    outputs = kwargs.get("out", ())
    name = function.__name__ if method == "__call__" else f"{function.__name__}.{method}"
    if method == "reduce" and set(kwargs) <= {"axis"} and len(inputs) in (1, 2):
        whole = {"add": "sum", "multiply": "prod"}.get(function.__name__)
        axis = inputs[1] if len(inputs) == 2 else kwargs.get("axis", 0)
        if whole is not None and isinstance(inputs[0], ndarray):
            return getattr(inputs[0], whole)(axis)
    made = fallback.call(name, getattr(function, method), inputs, kwargs, "calls with keywords are NumPy's" if method == "__call__" else f"`{method}` is NumPy's")
    if any(isinstance(out, ndarray) for out in outputs):
        return outputs[0] if len(outputs) == 1 else outputs
    return made


@_captures(numpy.where)
def where(condition: Any, x: Any, y: Any, /) -> Any:
    """The elements of one array where a condition holds, else those of another."""
    given = small((condition, x, y))
    if given is not None:
        return fresh(numpy.where(*given))
    chosen, then, otherwise = expression_of(condition), expression_of(x), expression_of(y)
    chosen = numpy.bool_(bool(chosen)) if type(chosen) in (int, float) else chosen
    # Numbers of Python's are weak here too.
    dtype = numpy.result_type(*(part if type(part) in (int, float) else part.dtype for part in (then, otherwise)))
    try:
        parts = tuple(dtype.type(part) if type(part) in (int, float) else part for part in (then, otherwise))
    except OverflowError:
        raise NotCaptured("a number of Python's does not fit the dtype") from None
    return ndarray._from(applied("where", numpy.where, (chosen, *parts), (chosen.dtype, dtype, dtype), dtype))


@_captures(numpy.clip)
def clip(a: Any, a_min: Any = None, a_max: Any = None, /) -> Any:
    """The elements, but none below one bound or above another."""
    given = small((a, a_min, a_max)) if isinstance(a, ndarray) else None
    if given is not None:
        return fresh(numpy.clip(*given))
    made = expression_of(a)
    for bound in (a_min, a_max):
        if type(bound) not in (int, float):
            raise NotCaptured("`clip` with other bounds than numbers of Python's is NumPy's")
        if numpy.result_type(made.dtype, bound) != made.dtype or (made.dtype.kind in "iu" and not numpy.iinfo(made.dtype).min <= bound <= numpy.iinfo(made.dtype).max):
            raise NotCaptured("`clip` to another dtype is NumPy's")
    # One loop of NumPy's goes over the elements once; its bits are NumPy's, whichever zero or NaN a bound is.
    return made_of(applied("clip", lambda array: numpy.clip(array, a_min, a_max), (made,), (made.dtype,), made.dtype))


def _method(name: str) -> Callable[..., Any]:
    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(a, ndarray):
            raise NotCaptured("the array is NumPy's")
        return getattr(a, name)(*args, **kwargs)

    return call


def _register_methods() -> None:
    names = ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "transpose", "copy")
    for name in (*names, "amin", "amax"):
        _CAPTURED[getattr(numpy, name)] = _method({"amin": "min", "amax": "max"}.get(name, name))


_register_methods()


@_captures(numpy.sort)
def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """A sorted copy; that of an array that lies in a file a part of it after the other."""
    given = a.few() if type(a) is ndarray else None
    if given is not None:
        return fresh(numpy.sort(given, axis, kind, order, stable=stable))
    del given
    found = a._leaf() if isinstance(a, ndarray) else None
    if found is None or order is not None or not found.buffer.streams():
        raise NotCaptured("`sort` is NumPy's")
    array = found.array
    if axis is None and array.flags.c_contiguous:
        array, axis = array.reshape(-1), -1
    if axis not in (-1, array.ndim - 1) or (kind is not None and stable is not None):
        raise NotCaptured("`sort` along other axes than the last is NumPy's")
    return ndarray._from(leaf(ordering.sort(array, array.ndim - 1, "stable" if stable else kind), ours=True))


@_captures(numpy.save)
def save(file: Any, arr: Any, /, **others: Any) -> None:
    """Writes an array that lies in a file to another one, a part after the other."""
    found = arr._leaf() if isinstance(arr, ndarray) else None
    if found is None or others or not isinstance(file, (str, os.PathLike)) or not found.buffer.streams() or not found.array.flags.c_contiguous:
        raise NotCaptured("`save` is NumPy's")
    name = os.fspath(file)
    ordering.copy(found.array, numpy.lib.format.open_memmap(name if name.endswith(".npy") else f"{name}.npy", "w+", found.dtype, found.shape))


@_captures(numpy.reshape)
def reshape(a: Any, /, shape: Any, order: Any = "C", *, copy: bool | None = None) -> Any:
    """The elements in another shape."""
    if not isinstance(a, ndarray):
        raise NotCaptured("the array is NumPy's")
    return a.reshape(shape, order=order, copy=copy)


@_captures(numpy.astype)
def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """The elements as another dtype."""
    if not isinstance(x, ndarray) or device not in (None, "cpu"):
        raise NotCaptured("it is NumPy's to say")
    return x.astype(dtype, copy=copy)


def asarray(a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: bool | None = None, like: Any = None) -> ndarray:
    """An array of anything that NumPy makes an array of.

    An array of NumPy's is shared, not copied. As long as somebody else holds it, who may write to it, operations on it are computed at once; what nobody else
    holds, and what is copied (`copy=True`), is computed with everything around it.
    """
    if isinstance(a, ndarray) and dtype is None and order is None and copy is not True:
        return a
    if isinstance(a, ndarray) and dtype is not None and order is None and copy is not False:
        wanted = numpy.dtype(dtype)
        return a.astype(wanted) if wanted != a.dtype or copy else a
    # Who has a series of ours has imported what makes it; its class says that it is pandas' own, and that pandas' are of it.
    frames = sys.modules.get("airloom.pandas")
    if frames is not None and frames.Series in type(a).__mro__ and dtype is None and order is None and copy is not True:
        from airloom.pandas.files.column_stream import streamed

        if (values := streamed(a)) is not None:
            return ndarray._from(leaf(values, ours=True))
    pieces = _pieces(a) if dtype is None and order is None and copy is not True else []
    if len(pieces) > 1:
        return ndarray._from(looked(Pieces(pieces)))
    given = fallback.unwrapped(a)
    made = numpy.asarray(given, dtype, order, device=device, copy=copy)
    # The memory of a column of Arrow's is never written to.
    frozen = _is_arrow(a) and not made.flags.writeable
    return ndarray._from(leaf(made, frozen=frozen))


def _is_arrow(given: Any) -> bool:
    return type(given).__module__.startswith(("polars.", "pyarrow."))


def _pieces(given: Any) -> list[numpy.ndarray[Any, Any]]:
    """The pieces of memory of a column of Polars' or of Arrow's, where it is numbers without nulls."""
    nulls = getattr(given, "null_count", 0)
    if not _is_arrow(given) or (nulls() if callable(nulls) else nulls):
        return []
    chunks = given.get_chunks() if hasattr(given, "get_chunks") else getattr(given, "chunks", [])
    found = [numpy.asarray(chunk) for chunk in chunks if len(chunk)]
    return [] if any(type_of(part.dtype) in (None, "bool") or part.ndim != 1 for part in found) else found


def array(object: Any, dtype: Any = None, *, copy: bool | None = True, order: Any = "K", subok: bool = False, ndmin: int = 0, like: Any = None) -> ndarray:
    """A new array of anything that NumPy makes an array of."""
    if dtype is None and copy is True and order == "K" and ndmin == 0 and type(object) is list and fallback.PLAIN.issuperset(map(type, object)):
        return ndarray.of_new(numpy.array(object))
    made = numpy.array(fallback.unwrapped(object), dtype, copy=copy, order=order, ndmin=ndmin)
    return ndarray.of_new(made) if copy is True and made.base is None else ndarray._from(leaf(made))


__all__ = ["array", "asarray", "astype", "call_function", "call_with_outputs", "cast", "clip", "reshape", "save", "sort", "where"]
