"""Sorting arrays that do not fit in memory: sorted pieces in a file, cut at the same values, and put together one range of values after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy

from airloom._options import options
from airloom.numpy import mapped


def sort(array: numpy.ndarray[Any, Any], axis: int, kind: Any) -> numpy.ndarray[Any, Any]:
    """A sorted copy along the only axis, or the last one of several, which lies in a file where it is large."""
    result = mapped.empty(array.shape, array.dtype)
    threads: int = options.resolved()["threads"]
    # Each thread has a range, what it was put together of, and what a stable sort needs besides: all of them take less than half of the limit.
    piece = max(1, mapped.limit() // (10 * threads) // array.itemsize)
    with ThreadPoolExecutor(threads, thread_name_prefix="airloom-numpy") as pool:
        if array.ndim > 1:
            rows = max(1, piece // math.prod(array.shape[1:]))
            _each(pool, _spans(len(array), rows), lambda first, last: _write(result, first, _sorted(_read(array, first, last), axis, kind)))
            return result
        pieces = _spans(len(array), piece)
        runs = mapped.empty(array.shape, array.dtype)
        _each(pool, pieces, lambda first, last: _write(runs, first, _sorted(_read(array, first, last), 0, kind)))
        _put_together(pool, runs, pieces, result, kind)
    return result


def copy(array: numpy.ndarray[Any, Any], to: numpy.ndarray[Any, Any]) -> None:
    """Copies an array to another of its shape, a part after the other."""
    rows = max(1, mapped.limit() // 16 // max(1, array[:1].nbytes))
    for first, last in _spans(len(array), rows):
        _write(to, first, _read(array, first, last))


def _put_together(pool: ThreadPoolExecutor, runs: numpy.ndarray[Any, Any], pieces: list[tuple[int, int]], result: numpy.ndarray[Any, Any], kind: Any) -> None:
    """Ranges of values, each taken from all sorted pieces. What equals a value at which ranges are cut is a range by itself, which needs no sorting: so no range is larger than about a piece, whatever the values are."""
    ranges = 2 * len(pieces)
    # As many values of each piece as there are ranges: a range has at most twice the mean number of elements that equal no cut.
    looks = numpy.concatenate([_looked(runs, first, last, ranges) for first, last in pieces])
    looks.sort()
    # NaN is the greatest, and one of them stands for all.
    cuts = numpy.unique(looks[numpy.linspace(0, len(looks) - 1, ranges + 1, dtype=numpy.intp)[1:-1]])
    edges = []
    for first, last in pieces:
        both = [numpy.searchsorted(runs[first:last], cuts, side) + first for side in ("left", "right")]
        edges.append([first, *numpy.stack(both, axis=1).reshape(-1).tolist(), last])
        _forget(runs, first, last)
    begins = [0]
    for at in range(len(edges[0]) - 1):
        begins.append(begins[-1] + sum(own[at + 1] - own[at] for own in edges))

    def put(at: int, _: int) -> None:
        to = begins[at]
        is_equal = at % 2 == 1
        if is_equal:
            for own in edges:
                for first, last in _spans(own[at + 1] - own[at], len(runs) // ranges + 1):
                    _write(result, to, _read(runs, own[at] + first, own[at] + last))
                    to += last - first
            return
        _write(result, to, _sorted(numpy.concatenate([_read(runs, own[at], own[at + 1]) for own in edges]), 0, kind))

    _each(pool, [(at, at + 1) for at in range(len(begins) - 1) if begins[at] < begins[at + 1]], put)


def _looked(runs: numpy.ndarray[Any, Any], first: int, last: int, count: int) -> numpy.ndarray[Any, Any]:
    """Values of a sorted piece, at equal distances."""
    found = runs[first:last][numpy.linspace(0, last - first - 1, min(count, last - first), dtype=numpy.intp)]
    _forget(runs, first, last)
    return found


def _sorted(elements: numpy.ndarray[Any, Any], axis: int, kind: Any) -> numpy.ndarray[Any, Any]:
    elements.sort(axis, kind)
    return elements


def _spans(count: int, most: int) -> list[tuple[int, int]]:
    return [(first, min(first + most, count)) for first in range(0, count, most)]


def _each(pool: ThreadPoolExecutor, spans: Sequence[tuple[int, int]], work: Callable[[int, int], None]) -> None:
    for done in [pool.submit(work, first, last) for first, last in spans]:
        done.result()


def _read(array: numpy.ndarray[Any, Any], first: int, last: int) -> numpy.ndarray[Any, Any]:
    """Some of the elements, in memory."""
    found = array[first:last].copy()
    _forget(array, first, last)
    return found


def _write(result: numpy.ndarray[Any, Any], first: int, elements: numpy.ndarray[Any, Any]) -> None:
    result[first : first + len(elements)] = elements
    _forget(result, first, first + len(elements))


def _forget(array: numpy.ndarray[Any, Any], first: int, last: int) -> None:
    file = mapped.file_of(array)
    if file is not None:
        mapped.forget(file, array[first:last])
