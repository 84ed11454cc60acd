"""Where two runs of a program differ: in which variable, after which statement, in what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from programs.seen import Seen

#: How far floats may be apart where only the order of additions differs, in parts of the larger; and where numbers of 32 bits are added.
TOLERANCE, TOLERANCE_32 = 1e-9, 1e-5


@dataclass(frozen=True)
class Difference:
    """One difference. `sort` says in what: it is what stays the same when a program is made smaller."""

    sort: str
    #: Where somebody looked: only at the end, or after each statement.
    looks: str
    statement: int
    variable: str
    detail: str
    #: All that was seen of the variable, on airloom and on pandas. It is looked at where the runs are compared, and is not told on.
    sides: tuple[Seen, Seen] | None = field(default=None, compare=False, repr=False)
    #: What was seen of the variable when it was last given a value, where somebody looked then.
    made: tuple[Seen | None, Seen | None] = field(default=(None, None), compare=False, repr=False)

    def as_dict(self) -> dict[str, Any]:
        return {"sort": self.sort, "looks": self.looks, "statement": self.statement, "variable": self.variable, "detail": self.detail}


def of_parts(found: Seen, expected: Seen, tolerance: float = TOLERANCE) -> tuple[str, str] | None:
    """In what two variables differ, and how; nothing where they do not."""
    for name in [*expected, *(name for name in found if name not in expected)]:
        if name not in found or name not in expected:
            return name, f"{found.get(name)!r} in place of {expected.get(name)!r}"
        sort = of_values(found[name], expected[name], tolerance)
        if sort is not None:
            last = name in ("values", "index values") and sort == "last bits"
            return ("last bits" if last else name), f"{_shown(found[name])} in place of {_shown(expected[name])}"
    return None


def of_values(found: Any, expected: Any, tolerance: float) -> str | None:
    """Whether two parts differ, and whether only in the last bits of floats."""
    if isinstance(expected, np.ndarray) and isinstance(found, np.ndarray):
        return _of_arrays(found, expected, tolerance)
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        if len(found) != len(expected):
            return "other"
        # Columns are all arrays or lists, and values none of them.
        if not (expected and isinstance(expected[0], (np.ndarray, list))) and _are_equal(found, expected):
            return None
        if _is_float(expected) and _is_float(found) and found != expected:
            return "last bits" if expected[0] == found[0] and _is_near(found[1], expected[1], tolerance) else "other"
        sorts = {of_values(one, other, tolerance) for one, other in zip(found, expected, strict=True)} - {None}
        return None if not sorts else "last bits" if sorts == {"last bits"} else "other"
    if type(found) is type(expected) and found == expected:
        return None
    if isinstance(found, str) and isinstance(expected, str) and _is_near_text(found, expected, tolerance):
        return "last bits"
    return "other"


def _is_near_text(found: str, expected: str, tolerance: float) -> bool:
    """Whether two texts are floats as they were written to a file, equal but for their last bits."""
    try:
        return "." in found + expected and bool(np.isclose(float(found), float(expected), rtol=tolerance, atol=tolerance))
    except ValueError:
        return False


def _are_equal(found: Any, expected: Any) -> bool:
    """Whether two lists of values are equal; not, where arrays are among them."""
    try:
        return bool(found == expected)
    except ValueError:
        return False


def _is_float(token: Any) -> bool:
    return isinstance(token, tuple) and len(token) == 2 and token[0] in ("float", "float64", "float32") and isinstance(token[1], str)


def _is_near(found: str, expected: str, tolerance: float) -> bool:
    if "nan" in (found, expected):
        return False
    one, other = float.fromhex(found), float.fromhex(expected)
    return bool(np.isclose(one, other, rtol=tolerance, atol=tolerance))


def _of_arrays(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], tolerance: float) -> str | None:
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return "other"
    if found.tobytes() == expected.tobytes():
        # Most are the same to the bit.
        return None
    if expected.dtype.kind != "f":
        return None if (found == expected).all() else "other"
    missing = np.isnan(expected)
    if (np.isnan(found) != missing).any():
        return "other"
    one, other = found[~missing], expected[~missing]
    # Zeros of both signs are equal, but not the same.
    if ((one == other) & (np.signbit(one) == np.signbit(other))).all():
        return None
    near = TOLERANCE_32 if expected.dtype.itemsize == 4 else tolerance
    return "last bits" if np.isclose(one, other, rtol=near, atol=near).all() else "other"


def _shown(part: Any) -> str:
    text = repr(part)
    return text if len(text) < 400 else f"{text[:400]}…"
