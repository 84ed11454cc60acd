"""Which keys make views, and slices of what is not computed yet."""

from __future__ import annotations

from typing import Any

import numpy

from airloom.numpy import sizes
from airloom.numpy.expressions import Apply, Expression, Slice


def slice_of(expression: Expression, key: Any) -> Slice | None:
    """A slice of an expression that is not computed yet, where it has some of its rows, forwards."""
    if not isinstance(expression, Apply) or expression.span <= sizes.SMALL or not expression.shape or not is_basic(key):
        return None
    if type(key) is slice:
        start, stop, step = key.indices(expression.shape[0])
        count = len(range(start, stop, step))
        return Slice(expression, (key,), (count, *expression.shape[1:])) if step > 0 and count and expression.size else None
    parts = list(key) if type(key) is tuple else [key]
    if Ellipsis in parts:
        at = parts.index(Ellipsis)
        named = sum(part is not None for part in parts) - 1
        parts[at : at + 1] = [slice(None)] * (len(expression.shape) - named)
    if not parts or type(parts[0]) is not slice or (parts[0].step or 1) < 1 or Ellipsis in parts:
        return None
    # NumPy says which shape it has, or what is wrong.
    shape = numpy.broadcast_to(numpy.empty(1, expression.dtype), expression.shape)[tuple(parts)].shape
    return Slice(expression, tuple(parts), shape) if 0 not in shape else None


def is_basic(key: Any) -> bool:
    """Whether a key makes a view, or one element."""
    parts = key if type(key) is tuple else (key,)
    return all(part is None or part is Ellipsis or type(part) in (int, slice) or isinstance(part, numpy.integer) for part in parts)
