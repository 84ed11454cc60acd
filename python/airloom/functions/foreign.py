"""Functions of other libraries, by their addresses: what they are given and give, what they may do, and what may be done with them."""

from __future__ import annotations

import ctypes
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy

Effect = Literal["pure", "state"]
Convention = Literal["c", "numpy"]
Threads = Literal["any", "one"]

_NUMBERS = itertools.count()
#: Where NumPy's interface for ufuncs has what; it has not changed since the first version.
_MAKE = 31
_LOOPS = {"d->d": 5, "f->f": 6, "dd->d": 15, "ff->f": 14}


class Kernel:
    """A function of another library as one of arrays: a ufunc of NumPy's, with what was said of it."""

    def __init__(self, name: str, implementations: Mapping[str, Any], layout: str | None, convention: Convention, effect: Effect, threads: Threads, cost: int, doc: str) -> None:
        if effect not in ("pure", "state") or threads not in ("any", "one") or convention not in ("c", "numpy"):
            raise ValueError(f"kernel `{name}`: the effect is `pure` or `state`, the threads are `any` or `one`, the convention is `c` or `numpy`")
        if not implementations:
            raise ValueError(f"kernel `{name}` has no implementation")
        self.__name__ = self.__qualname__ = name
        self.__doc__ = doc
        self.effect, self.threads, self.cost, self.layout = effect, threads, cost, layout
        #: A name that no other kernel has.
        self.key = f"kernel.{name}.{next(_NUMBERS)}"
        self._kept: list[Any] = [*implementations.values()]
        self.ufunc = self._made({_codes(text): _address(pointer) for text, pointer in implementations.items()}, convention)
        from airloom.numpy import capture, sizes, tiles

        capture.NAMES[self.ufunc] = self.key
        sizes.declare(self.key, cost)
        if threads == "one":
            tiles.SERIAL.add(self.ufunc)

    def __repr__(self) -> str:
        return f"<airloom kernel '{self.__name__}' {', '.join(self.ufunc.types)}>"

    @property
    def types(self) -> list[str]:
        """The signatures, by the characters of dtypes."""
        return list(self.ufunc.types)

    def __call__(self, *args: Any, out: Any = None) -> Any:
        from airloom.numpy import fallback

        if self.effect != "pure":
            # It is called once, and now.
            made = self.ufunc(*fallback.unwrapped(args), **({} if out is None else {"out": fallback.unwrapped(out)}))
            ours = any(type(arg).__module__.startswith("airloom.numpy") for arg in args)
            return out if out is not None else fallback.wrapped(made) if ours else made
        return self.ufunc(*args) if out is None else self.ufunc(*args, out=out)

    def _made(self, implementations: dict[str, int], convention: Convention) -> numpy.ufunc:
        shapes = {(len(codes.split("->")[0]), len(codes.split("->")[1])) for codes in implementations}
        if len(shapes) != 1:
            raise ValueError(f"kernel `{self.__name__}`: all signatures take and give the same number of values")
        ((nin, nout),) = shapes
        interface = _interface()
        functions, data = [], []
        for codes, address in implementations.items():
            if convention == "numpy":
                functions.append(address)
                data.append(0)
            elif codes in _LOOPS and self.layout is None:
                # NumPy's own loop calls a function of C's for each element.
                functions.append(interface[_LOOPS[codes]])
                data.append(address)
            else:
                raise ValueError(f"kernel `{self.__name__}`: functions of C's take one or two `float64`, or `float32`, and give one; give others as loops, by NumPy's convention")
        count = len(implementations)
        characters = b"".join(bytes(numpy.dtype(code).num for code in codes.replace("->", "")) for codes in implementations)
        name, doc, layout = self.__name__.encode(), (self.__doc__ or "").encode(), self.layout.encode() if self.layout else None
        arrays = ((ctypes.c_void_p * count)(*functions), (ctypes.c_void_p * count)(*data), ctypes.create_string_buffer(characters, len(characters)))
        # NumPy keeps no copies.
        _ALIVE.append((self._kept, arrays, name, doc, layout))
        make = ctypes.PYFUNCTYPE(
            ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p
        )(interface[_MAKE])
        made: numpy.ufunc = make(arrays[0], arrays[1], arrays[2], count, nin, nout, -1, name, doc, 0, layout)
        _ALIVE.append(made)
        return made


#: What code may call for as long as the process lives.
_ALIVE: list[Any] = []


def _interface() -> Sequence[Any]:
    """The table of NumPy's C interface for ufuncs."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(_multiarray_umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    return [table[at] for at in range(_MAKE + 1)]


def _address(pointer: Any) -> int:
    """An address, given as one, as a function of `ctypes`, or as something that has one."""
    is_pointer = isinstance(pointer, (*_POINTERS, ctypes.c_void_p))
    found: Any = ctypes.cast(pointer, ctypes.c_void_p).value or 0 if is_pointer else pointer if type(pointer) is int else getattr(pointer, "address", None)
    if type(found) is not int:
        raise TypeError(f"`{type(pointer).__name__}` has no address: give a number, a function of `ctypes`, or what has `address`")
    if not found:
        raise ValueError("the address of a kernel is not zero")
    return int(found)


#: The class of all functions of `ctypes`.
_POINTERS = ctypes.CFUNCTYPE(None).__mro__[1:2]


def _codes(text: str) -> str:
    """The characters of `float64(float64, float64)`: `dd->d`. Several results are written as a tuple."""
    from airloom.functions.ufuncs import dtype_of

    found = re.fullmatch(r"\s*(\w+|\([\w,\s]*\))\s*\((.*)\)\s*", text)
    if found is None:
        raise TypeError(f"`{text}` is no signature: write it as `float64(float64, float64)`")
    gives, takes = ([dtype_of(word).char for word in part.strip("() ").split(",") if word.strip()] for part in found.groups())
    return f"{''.join(takes)}->{''.join(gives)}"


def kernel(
    name: str,
    implementations: Mapping[str, Any],
    *,
    layout: str | None = None,
    convention: Convention = "c",
    effect: Effect = "pure",
    threads: Threads = "any",
    cost: int = 1,
    doc: str = "",
) -> Kernel:
    """A function of another library, by its address, for arrays, lazy arrays and compiled functions alike.

    - `implementations`: an address for each signature, such as `{"float64(float64)": pointer}`. NumPy's rules choose the first one that arguments can be cast to without loss.
    - `convention`: `c` for functions of one or two floats; `numpy` for loops as ufuncs have them, `void(char **args, intp *extents, intp *steps, void *data)`, of any dtypes. A result never shares memory with an argument, but where `out` is one.
    - `layout`: the axes that one call is given and gives, such as `(n),(n)->()`; without it, a call is of elements.
    - `effect`: `pure` may be put off, left out where nobody looks, and computed again; `state` is called once for each call in the program, in its order.
    - `threads`: `any` where several threads may call it at a time, each for a part of the elements; else `one`.
    - `cost`: how many additions the work for one element is worth: little work is not worth a loop of its own.
    """
    return Kernel(name, implementations, layout, convention, effect, threads, cost, doc)


__all__ = ["Kernel", "kernel"]
