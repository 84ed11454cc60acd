"""All elements as one value, or those along some of the axes: sums by NumPy's own order, so that they have its bits."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy

from airloom.numpy import execution, fallback, forms, sizes
from airloom.numpy.capture import NotCaptured, applied, elementwise_call, looked
from airloom.numpy.elementwise import BOOL, type_of
from airloom.numpy.expressions import Along, Apply, Expression, Slice, known, read
from airloom.numpy.kernels import Reduction
from airloom.numpy.memory import Leaf
from airloom.numpy.operators import at_hand, fresh

_I8, _U8 = numpy.dtype("i8"), numpy.dtype("u8")

#: The reason that is given where some of the axes are left over.
AXES = "a reduction along some of the axes is NumPy's"


class Little(NotCaptured):
    """Work that is NumPy's by choice: nothing is refused, and nothing reported."""


def whole(name: str, expression: Expression) -> Any:
    """A reduction of all elements, as a scalar of NumPy's. `NotCaptured` leaves it to NumPy."""
    dtype = expression.dtype
    found = known(expression)
    if type_of(dtype) is None:
        raise NotCaptured(f"arrays of {dtype} are NumPy's")
    if _is_little(found):
        raise Little("NumPy is done before a loop of the engine would be")
    if isinstance(found, Leaf) and not (found.array.flags.c_contiguous or found.array.flags.f_contiguous):
        # NumPy adds the elements of such an array row by row, in an order that depends on its strides.
        raise NotCaptured("the elements of an array that is not contiguous are reduced by NumPy")
    match name:
        case "sum" | "prod":
            result = dtype if dtype.kind == "f" else _U8 if dtype.kind == "u" else _I8
        case "any" | "all":
            result = BOOL
        case "min" | "max":
            if dtype == BOOL:
                raise NotCaptured("the extremes of booleans are NumPy's")
            result = dtype
        case _:
            raise NotCaptured("it has no op")
    made = execution.reduce(expression, Reduction(name, result))
    if made is None:
        raise NotCaptured("NumPy warns of what is raised")
    if name in ("min", "max") and dtype.kind == "f" and made == 0:
        raise NotCaptured("which of two zeros is the extreme depends on NumPy's vectors")
    return result.type(made)


def _is_little(found: Expression) -> bool:
    if isinstance(found, Apply):
        formed = None if isinstance(found, Slice) else forms.form_of(found)
        return execution.is_left_to_numpy(found, None if formed is None else formed[0], 1)
    return sizes.is_little(found.size, 1, found.dtype.itemsize)


def mean(expression: Expression) -> Any:
    """The mean of all elements: NumPy's sum, and one division."""
    if expression.dtype.kind != "f":
        raise NotCaptured("the mean of integers is added up in pieces, by NumPy")
    total = whole("sum", expression)
    return total.dtype.type(total / expression.size)


def variance(expression: Expression, ddof: float) -> Any:
    """The variance of all elements, by NumPy's two passes: the mean, then the sum of the squares."""
    count = expression.size
    divisor = max(count - ddof, 0)
    if divisor <= 0:
        raise NotCaptured("NumPy warns of the degrees of freedom")
    middle = mean(expression)
    # The mean is an array to NumPy: its dtype is not weak.
    distances = elementwise_call(numpy.subtract, (expression, middle))
    total = whole("sum", elementwise_call(numpy.multiply, (distances, distances)))
    return total.dtype.type(total / divisor)


def along(name: str, expression: Expression, axes: tuple[int, ...], keepdims: bool) -> Apply:
    """A reduction along some of the axes. `NotCaptured` leaves it to NumPy."""
    found = known(expression)
    if type_of(found.dtype) is None:
        raise NotCaptured(f"arrays of {found.dtype} are NumPy's")
    if isinstance(found, numpy.generic):
        raise NotCaptured("a number has no axes")
    if isinstance(found, Leaf) and 0 in axes and found.buffer.streams():
        found = read(found)
    if 0 in axes and (isinstance(found, Leaf) or axes != (0,) or math.prod(found.shape[1:]) < 2):
        # What is in memory already is read once by NumPy too; and it adds the elements of a column up in another order where that is all there is.
        raise NotCaptured(AXES)
    if name == "mean":
        _only_floats(found)
        total = along("sum", found, axes, keepdims)
        means = elementwise_call(numpy.true_divide, (total, numpy.intp(_count(found, axes))))
        return means if means.dtype == found.dtype else _cast(means, found.dtype)
    return Along(name, found, axes, keepdims, _dtype_of(name, found.dtype))


@lru_cache(256)
def _dtype_of(name: str, dtype: numpy.dtype[Any]) -> numpy.dtype[Any]:
    """The dtype of a reduction along an axis, as NumPy says."""
    found: numpy.dtype[Any] = getattr(numpy, name)(numpy.ones((1, 1), dtype), axis=0).dtype
    return found


def variance_along(expression: Expression, axes: tuple[int, ...], keepdims: bool, ddof: Any) -> Apply:
    """The variance along some of the axes, by NumPy's two passes."""
    _only_floats(expression)
    divisor = _count(expression, axes) - ddof
    if type(ddof) not in (int, float) or divisor <= 0:
        raise NotCaptured("NumPy warns of the degrees of freedom")
    distances = elementwise_call(numpy.subtract, (expression, along("mean", expression, axes, True)))
    total = along("sum", elementwise_call(numpy.square, (distances,)), axes, keepdims)
    spread = elementwise_call(numpy.true_divide, (total, numpy.intp(divisor) if type(ddof) is int else numpy.float64(divisor)))
    return spread if spread.dtype == expression.dtype else _cast(spread, expression.dtype)


def _cast(expression: Expression, dtype: numpy.dtype[Any]) -> Apply:
    return applied("astype", lambda array: array.astype(dtype), (expression,), (expression.dtype,), dtype)


def _only_floats(expression: Expression) -> None:
    if expression.dtype.kind != "f":
        raise NotCaptured("the mean of integers is added up in pieces, by NumPy")


def _count(expression: Expression, axes: tuple[int, ...]) -> int:
    return math.prod(expression.shape[axis] for axis in axes)


def named_axes(count: int, axis: Any) -> tuple[int, ...] | None:
    """The axes that are named, where they are some of an array's."""
    named = axis if isinstance(axis, tuple) else (axis,)
    if not named or not all(type(one) is int and -count <= one < count for one in named):
        return None
    found = tuple(sorted(one % count for one in named))
    return found if len(set(found)) == len(found) < count else None


def along_all(axes: int, axis: Any) -> bool:
    """Whether an array of this many axes is reduced along all of them."""
    if axis is None:
        return True
    named = axis if isinstance(axis, tuple) else (axis,)
    if not all(isinstance(one, int) and -axes <= one < axes for one in named):
        return False
    return sorted(one % axes for one in named) == list(range(axes))


class Reducible:
    """The reductions of an array."""

    __slots__ = ()
    _expression: Expression
    shape: Any

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Any:
        """The sum of the elements."""
        return self._reduced("sum", axis, dtype, out, keepdims, others)

    def prod(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Any:
        """The product of the elements."""
        return self._reduced("prod", axis, dtype, out, keepdims, others)

    def min(self, axis: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Any:
        """The least element."""
        return self._reduced("min", axis, None, out, keepdims, others)

    def max(self, axis: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Any:
        """The greatest element."""
        return self._reduced("max", axis, None, out, keepdims, others)

    def any(self, axis: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Any:
        """Whether any element is true."""
        return self._reduced("any", axis, None, out, keepdims, others)

    def all(self, axis: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Any:
        """Whether all elements are true."""
        return self._reduced("all", axis, None, out, keepdims, others)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Any:
        """The mean of the elements."""
        return self._reduced("mean", axis, dtype, out, keepdims, others)

    def var(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, **others: Any) -> Any:
        """The variance of the elements."""
        return self._reduced("var", axis, dtype, out, keepdims, {"ddof": ddof, **others})

    def std(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, **others: Any) -> Any:
        """The standard deviation of the elements."""
        return self._reduced("std", axis, dtype, out, keepdims, {"ddof": ddof, **others})

    def _reduced(self, name: str, axis: Any, dtype: Any, out: Any, keepdims: Any, others: dict[str, Any]) -> Any:
        if dtype is None and out is None and (not others or tuple(others) == ("ddof",)):
            own = at_hand(self)
            if own is not None:
                made = getattr(own, name)(axis=axis, keepdims=keepdims, **others) if axis is not None or keepdims or others else getattr(own, name)()
                return fresh(made) if isinstance(made, numpy.ndarray) else made
            del own
        reason = AXES
        found = known(self._expression)
        if along_all(self.ndim, axis) and dtype is None and out is None and keepdims is False and set(others) <= {"ddof"}:
            try:
                return self._whole(name, others.get("ddof", 0))
            except Little:
                return getattr(numpy, name)(execution.value(found), **others)
            except NotCaptured as refused:
                reason = str(refused)
        named = named_axes(self.ndim, axis)
        if named is not None and dtype is None and out is None and type(keepdims) is bool and set(others) <= {"ddof"} and found.size > sizes.SMALL:
            try:
                return self._along(name, named, keepdims, others.get("ddof", 0))
            except NotCaptured as refused:
                reason = str(refused)
        given = {key: part for key, part in (("dtype", dtype), ("out", out)) if part is not None}
        made = fallback.call(name, getattr(numpy, name), (self, axis), {**given, "keepdims": keepdims, **others}, reason)
        return made if out is None else out

    def _whole(self, name: str, ddof: Any) -> Any:
        found = known(self._expression)
        if name == "mean":
            return mean(found)
        if name in ("var", "std"):
            if type(ddof) not in (int, float):
                raise NotCaptured("the degrees of freedom are no number of Python's")
            found = execution.compute(found) if isinstance(found, Apply) and found.count > 4 else found
            spread = variance(found, ddof)
            return spread if name == "var" else spread.dtype.type(numpy.sqrt(spread))
        return whole(name, found)

    def _along(self, name: str, axes: tuple[int, ...], keepdims: bool, ddof: Any) -> Any:
        from airloom.numpy.lazy import ndarray

        found = known(self._expression)
        if name not in ("var", "std"):
            return ndarray._from(looked(along(name, found, axes, keepdims)))
        spread = variance_along(found, axes, keepdims, ddof)
        return ndarray._from(looked(spread if name == "var" else elementwise_call(numpy.sqrt, (spread,))))
