"""Numbers of Python's as NumPy's own, kept: where an operation has few elements, NumPy takes as long to make one as for the operation."""

from __future__ import annotations

import math
from typing import Any

import numpy

#: How many numbers are kept for each dtype.
_MOST = 256
#: Integers of fewer bits than this are the same number in every float.
_EXACT = 1 << 24
#: Floats between these have a normal number of each dtype beside them: nothing is raised when they are made one.
_LEAST, _GREATEST = 1e-30, 1e30

_Numbers = dict[Any, dict[Any, Any]]

#: By the type of the number and by the dtype of the array: arrays without axes, which nobody is given. Zero is no float here, because it has a sign that a dictionary does not see.
NUMBERS: dict[Any, _Numbers] = {
    int: {numpy.dtype(word): {} for word in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")},
    float: {numpy.dtype(word): {} for word in ("f4", "f8")},
}


def keep(number: int | float, dtype: numpy.dtype[Any], kept: dict[Any, Any]) -> Any:
    """A number as an array of a dtype; the number itself where NumPy must say what it is there."""
    if isinstance(number, float):
        if not _LEAST < math.fabs(number) < _GREATEST:
            return number
    elif dtype.kind == "f":
        if not -_EXACT < number < _EXACT:
            return number
    elif not numpy.iinfo(dtype).min <= number <= numpy.iinfo(dtype).max:
        return number
    if len(kept) >= _MOST:
        kept.clear()
    made = kept[number] = numpy.array(number, dtype)
    made.flags.writeable = False
    return made
