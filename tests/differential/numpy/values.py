"""Awkward arrays: every dtype, no element, one, several; strides of all kinds; NaN, zeros of both signs, and the ends of every type."""

from __future__ import annotations

from typing import Any

import numpy
from hypothesis import strategies as st

INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
FLOATS = ("f4", "f8")
COMPILED = ("?", *INTEGERS, *FLOATS)
#: Dtypes that are NumPy's alone.
OTHERS = ("f2", "c16", ">f8", "U3", "O", "M8[ns]")


def awkward(word: str) -> Any:
    """The values of a dtype that go wrong."""
    dtype = numpy.dtype(word)
    if dtype.kind == "b":
        return [False, True, True, False]
    if dtype.kind in "iu":
        ends = numpy.iinfo(dtype)
        return [ends.min, ends.min + 1, 0, 1, 2, 7, ends.max - 1, ends.max, 100]
    if dtype.kind == "f":
        ends = numpy.finfo(dtype)
        return [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 3.5, numpy.nan, numpy.inf, -numpy.inf, ends.max, ends.min, ends.tiny, ends.smallest_subnormal, 1e4]
    if dtype.kind == "c":
        return [0j, 1 + 2j, complex(numpy.nan, 1), complex(numpy.inf, -1)]
    return {"U": ["", "a", "é"], "O": [1, "x", None], "M": numpy.array([0, 1], "M8[ns]")}[dtype.kind]


def array(word: str, count: int = 0) -> numpy.ndarray[Any, Any]:
    """All awkward values of a dtype, repeated."""
    values = numpy.array(awkward(word), dtype=word)
    return numpy.resize(values, count) if count else values


LAYOUTS = ("plain", "every second", "backwards", "columns", "rows of more", "turned", "broadcast")


def laid_out(values: numpy.ndarray[Any, Any], layout: str) -> numpy.ndarray[Any, Any]:
    """Two axes of these values, of shape (3, n)."""
    count = values.size
    rows = numpy.stack([numpy.roll(values, by) for by in range(3)])
    wide = numpy.repeat(numpy.repeat(rows, 2, 0), 2, 1)
    return {
        "plain": rows,
        "every second": wide[::2, ::2],
        "backwards": numpy.ascontiguousarray(rows[::-1, ::-1])[::-1, ::-1],
        "columns": numpy.asfortranarray(rows),
        "rows of more": numpy.concatenate([rows, rows], 1)[:, :count],
        "turned": numpy.ascontiguousarray(rows.T).T,
        "broadcast": numpy.broadcast_to(values, (3, count)),
    }[layout]


words = st.sampled_from(COMPILED)
layouts = st.sampled_from(LAYOUTS)


@st.composite
def arrays(draw: st.DrawFn, shape: tuple[int, ...]) -> numpy.ndarray[Any, Any]:
    """An array of a shape, of any dtype that is compiled, whose elements are awkward."""
    word = draw(words)
    size = int(numpy.prod(shape))
    values = awkward(word)
    picked = draw(st.lists(st.sampled_from(range(len(values))), min_size=size, max_size=size))
    return numpy.array([values[at] for at in picked], dtype=word).reshape(shape)
