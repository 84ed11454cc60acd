"""Functions of NumPy's over blocks of large arrays, on every thread: their bits are NumPy's own, because its loops compute them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy

from airloom._options import options

#: How many elements a thread takes at once. A multiple of the widest vector, so that every block begins as the whole does.
_BLOCK = 1 << 16
#: Arrays of fewer elements are not worth a second thread.
_PARALLEL = 1 << 17

_POOL: dict[tuple[int, int], ThreadPoolExecutor] = {}


def apply(function: Callable[..., Any], inputs: Sequence[Any], dtype: numpy.dtype[Any], shape: tuple[int, ...]) -> Any:
    """What a function of elements makes of arrays and scalars."""
    arrays = [part for part in inputs if isinstance(part, numpy.ndarray)]
    size = max((part.size for part in arrays), default=0)
    threads = options.resolved()["threads"]
    plain = isinstance(function, numpy.ufunc) and function.nout == 1 and function.signature is None
    together = all(part.flags.c_contiguous and part.shape == shape for part in arrays)
    if threads < 2 or size < _PARALLEL or not plain or not together:
        return function(*inputs)
    raised: list[str] = []
    made = numpy.empty(shape, dtype)
    flat = [part.reshape(-1) if isinstance(part, numpy.ndarray) else part for part in inputs]
    result = made.reshape(-1)

    def block(start: int) -> None:
        own = slice(start, start + _BLOCK)
        given = [part[own] if isinstance(part, numpy.ndarray) else part for part in flat]
        # What is raised here would be warned of once a block, by a thread that has its own settings.
        with numpy.errstate(all="call", call=lambda kind, _flag: raised.append(kind)):
            function(*given, out=result[own])

    list(_pool(threads).map(block, range(0, size, _BLOCK)))
    if any(_matters(kind) for kind in raised):
        return function(*inputs)
    return made


def _matters(kind: str) -> bool:
    """Whether the settings of this thread say that an exception is told."""
    modes: dict[str, object] = {**numpy.geterr()}
    name = {"divide by zero": "divide", "overflow": "over", "underflow": "under", "invalid value": "invalid"}[kind]
    return modes[name] != "ignore"


def _pool(threads: int) -> ThreadPoolExecutor:
    key = (os.getpid(), threads)
    if key not in _POOL:
        # A forked process has none of its parent's threads.
        for old in [old for old in _POOL if old[0] != key[0]]:
            del _POOL[old]
        _POOL[key] = ThreadPoolExecutor(threads, thread_name_prefix="airloom-numpy")
    return _POOL[key]
