"""The array that users hold: NumPy's, but computed when somebody looks."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from airloom._arrays import CLASSES
from airloom.numpy import execution, fallback, sizes
from airloom.numpy.capture import NotCaptured, applied, elementwise_call
from airloom.numpy.expressions import Apply, Expression, Slice, known
from airloom.numpy.memory import Leaf, leaf
from airloom.numpy.reductions import Reducible
from airloom.numpy.slicing import is_basic, slice_of

#: What stands for elements by itself.
_WEAK = (int, float)


def expression_of(given: Any) -> Any:
    """An operand: an expression, a scalar of NumPy's, or a number of Python's."""
    if isinstance(given, ndarray):
        return known(given._expression)
    if type(given) in _WEAK or isinstance(given, numpy.generic):
        return given
    if type(given) is bool:
        return numpy.bool_(given)
    if type(given) is numpy.ndarray:
        return leaf(given)
    raise NotCaptured(f"`{type(given).__name__}` is made an array by NumPy")


def call_ufunc(function: numpy.ufunc, inputs: tuple[Any, ...], plain: Callable[..., Any] | None = None) -> Any:
    """A function of NumPy's over elements, or NumPy's own answer: that of the operator, where it was one."""
    given = small(inputs)
    if given is not None:
        return fresh((plain or function)(*given))
    try:
        return made_of(elementwise_call(function, tuple(expression_of(part) for part in inputs)))
    except NotCaptured as refused:
        return fallback.call(function.__name__, plain or function, inputs, {}, str(refused))


def fresh(made: Any) -> Any:
    """What a function of elements has just made: an array that nobody else has, or a scalar."""
    if type(made) is _ARRAY and made.base is None:
        array = _new(ndarray)
        array._own = made
        return array
    return fallback.wrapped(made)


def _view(found: Leaf, made: numpy.ndarray[Any, Any]) -> ndarray:
    """What NumPy has made of the memory of a leaf: a view of it, or a copy."""
    return ndarray._from(Leaf(made, found.buffer)) if made.base is found.buffer.owner else ndarray._of(made)


def _small(array: ndarray) -> numpy.ndarray[Any, Any] | None:
    """The memory of an array with few elements, for reading; none where it has many, or is not computed yet."""
    own = array._own
    if own is None:
        found = array._expression
        if type(found) is not Leaf:
            return None
        own = found.array
    return own if own.size <= sizes.SMALL else None


_new = object.__new__
_ARRAY = numpy.ndarray


def small(inputs: tuple[Any, ...]) -> list[Any] | None:
    """Arrays of NumPy's in the stead of ours, where all have few elements: NumPy is done before a plan would be made."""
    given = []
    for part in inputs:
        if isinstance(part, ndarray):
            own = part._own
            found = None if own is not None else known(part._expression)
            if type(found) is Leaf:
                own = found.array
            if own is None or own.size > sizes.SMALL:
                return None
            given.append(own)
        elif _is_operand(part) and (type(part) is not numpy.ndarray or part.size <= sizes.SMALL):
            given.append(part)
        else:
            # What another library makes of an array is not known: it may keep it.
            return None
    return given


def made_of(made: Apply) -> Any:
    """An array; a scalar where there are no axes, as NumPy gives it."""
    return execution.value(made)[()] if made.shape == () else ndarray._from(made)


#: Operators that take NumPy hardly longer than reading the elements. Where there are few, NumPy is done with one before it would be written down; what is done with the result may still be a plan.
_CHEAP = frozenset((numpy.add, numpy.subtract, numpy.multiply, numpy.divide, numpy.less, numpy.less_equal, numpy.greater, numpy.greater_equal, numpy.equal, numpy.not_equal))


def _binary(function: numpy.ufunc, plain: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    times = sizes.CHEAP if function in _CHEAP else 1

    def forward(self: ndarray, other: Any) -> Any:
        # Little is done here, by NumPy: every call on the way costs as much as an operation of few elements.
        own = self._own
        if own is None and type(self._expression) is Leaf:
            own = self._expression.array
        if own is not None:
            kind = type(other)
            made = None
            if kind is ndarray:
                theirs = other._own
                if theirs is None and type(other._expression) is Leaf:
                    theirs = other._expression.array
                # Of two shapes a large result may be made.
                if theirs is not None and (own.size * theirs.size <= sizes.SMALL or (own.size <= sizes.SMALL * times and own.shape == theirs.shape)):
                    made = plain(own, theirs)
                del theirs
            elif (kind is float or kind is int) and own.size <= sizes.SMALL * times:
                made = plain(own, other)
            if type(made) is _ARRAY:
                array = _new(ndarray)
                array._own = made
                return array
            if made is not None:
                return made
        # Who else holds the memory is counted below.
        del own
        if _is_operand(other):
            return call_ufunc(function, (self, other), plain)
        return fallback.wrapped(plain(self.shared(), other))

    def backward(self: ndarray, other: Any) -> Any:
        if type(other) is float or type(other) is int:
            own = _small(self)
            if own is not None:
                return fresh(plain(other, own))
            del own
        if _is_operand(other):
            return call_ufunc(function, (other, self), plain)
        return fallback.wrapped(plain(other, self.shared()))

    return forward, backward


def _inplace(function: numpy.ufunc, plain: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def update(self: ndarray, other: Any) -> Any:
        own = self._own
        if own is not None and own.size <= sizes.SMALL:
            kind = type(other)
            theirs = other if kind is float or kind is int else _small(other) if kind is ndarray else None
            if theirs is not None:
                plain(own, theirs)
                return self
            del theirs
        del own
        return self._updated(function, plain, other)

    return update


def _unary(function: numpy.ufunc) -> Callable[[ndarray], Any]:
    def apply(self: ndarray) -> Any:
        own = self._own
        if own is None or own.size > sizes.SMALL:
            own = None
            own = _small(self)
        # It is none where there are many: nothing holds the memory then.
        return call_ufunc(function, (self,)) if own is None else fresh(function(own))

    return apply


def _is_operand(other: Any) -> bool:
    return isinstance(other, (ndarray, int, float, complex, numpy.generic, list, tuple)) or type(other) is numpy.ndarray


class ndarray(Reducible):
    """An array of any number of axes. Operations on elements are captured, and computed together when somebody looks; everything else is NumPy's.

    Views share memory with what they are views of, as NumPy's do; a result that was asked for before something is written has the values from before.
    """

    __slots__ = ("__weakref__", "_expression", "_own")
    __hash__ = None  # type: ignore[assignment]
    #: What it is made of. Of memory that nobody but this object knows it is made when somebody asks, by `__getattr__`.
    _expression: Expression
    #: Memory that nobody but this object knows; none where there is an expression.
    _own: numpy.ndarray[Any, Any] | None

    def __new__(cls, *args: Any, **kwargs: Any) -> ndarray:
        return cls._of(numpy.ndarray(*args, **kwargs))

    @classmethod
    def _of(cls, array: numpy.ndarray[Any, Any]) -> ndarray:
        return cls._from(leaf(array))

    @classmethod
    def _from(cls, expression: Expression) -> ndarray:
        made = object.__new__(cls)
        made._expression = expression
        made._own = None
        return made

    @classmethod
    def of_new(cls, array: numpy.ndarray[Any, Any]) -> ndarray:
        """Of memory that nobody else knows."""
        made = _new(cls)
        made._own = array
        return made

    def few(self) -> numpy.ndarray[Any, Any] | None:
        """Its memory, for reading, where it has few elements."""
        return _small(self)

    def _leaf(self) -> Leaf:
        """Its memory, which it has from now on."""
        found = known(self._expression)
        if isinstance(found, Apply):
            found = execution.compute(found)
        assert isinstance(found, Leaf)
        self._expression = found
        return found

    def shared(self) -> numpy.ndarray[Any, Any]:
        """A view of its memory for somebody else, who may write to it: what reads it is computed before."""
        found = self._leaf()
        found.buffer.settle()
        return found.array.view()

    @property
    def shape(self) -> tuple[int, ...]:
        own = self._own
        return self._expression.shape if own is None else own.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        changed = self.shared()
        changed.shape = shape
        self._expression = leaf(changed)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        own = self._own
        return self._expression.dtype if own is None else own.dtype

    @property
    def size(self) -> int:
        own = self._own
        return self._expression.size if own is None else own.size

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def T(self) -> ndarray:
        return self.transpose()

    @property
    def flags(self) -> Any:
        return self._leaf().array.flags

    @property
    def device(self) -> str:
        return "cpu"

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        from airloom.numpy import array_api

        if api_version != array_api.__array_api_version__:
            # NumPy says which others there are.
            versions: Any = numpy.empty(0)
            versions.__array_namespace__(api_version=api_version)
        return array_api

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray[Any, Any]:
        return numpy.array(self.shared(), dtype=dtype, copy=copy)

    def __buffer__(self, flags: int) -> memoryview:
        exported: Any = self.shared()
        return memoryview(exported)

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
        exported: Any = self.shared()
        return exported.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> Any:
        return self._leaf().array.__dlpack_device__()

    def __array_ufunc__(self, function: numpy.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__" and not kwargs:
            own = self._own
            if own is not None and own.size <= sizes.SMALL:
                if len(inputs) == 1:
                    return fresh(function(own))
                first, second = inputs[0], inputs[-1]
                if len(inputs) == 2 and type(first) is ndarray and type(second) is ndarray:
                    x, y = first._own, second._own
                    if x is not None and y is not None and x.size * y.size <= sizes.SMALL:
                        return fresh(function(x, y))
                    del x, y
            del own
            return call_ufunc(function, inputs)
        from airloom.numpy.functions import call_with_outputs

        return call_with_outputs(function, method, inputs, kwargs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from airloom.numpy.functions import call_function

        return call_function(function, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        kind = type(key)
        if kind is int:
            own = self._own
            if own is None:
                own = _small(self)
            if own is not None and own.ndim == 1:
                return own[key]
            del own
        elif kind is ndarray:
            made = fallback.at_once(operator.getitem, (self, key), {})
            if made is not None:
                return made
        found = known(self._expression)
        if kind is slice and type(found) is Leaf:
            return _view(found, found.array[key])
        cut = slice_of(found, key)
        if cut is not None:
            return ndarray._from(cut)
        del found
        leaf_of = self._leaf()
        if is_basic(key):
            made = leaf_of.array[key]
            # A view shares its memory, which is known from now on.
            return ndarray._from(Leaf(made, leaf_of.buffer)) if isinstance(made, numpy.ndarray) else made
        return fallback.call("getitem", operator.getitem, (self, key), {}, "elements at the positions of an index array are taken by NumPy")

    def __setitem__(self, key: Any, value: Any) -> None:
        if (type(value) is float or type(value) is int) and (type(key) is int or type(key) is slice):
            own = self._own
            if own is not None:
                own[key] = value
                return
        value = value.shared() if isinstance(value, ndarray) else value
        key = key if is_basic(key) else fallback.unwrapped(key)
        self._leaf().buffer.settle()
        self._leaf().array[key] = value

    def __delitem__(self, key: Any) -> None:
        del self.shared()[key]  # type: ignore[attr-defined]

    def _updated(self, function: numpy.ufunc, plain: Callable[[Any, Any], Any], other: Any) -> Any:
        """The array after an operator such as `+=`. Where nobody else sees its memory the new elements are captured like any others."""
        if self._own is not None and self._own.size <= sizes.SMALL and type(other) in _WEAK:
            plain(self._own, other)
            return self
        found = known(self._expression)
        unseen = (isinstance(found, Apply) and not isinstance(found, Slice) and not found.is_sliced()) or (isinstance(found, Leaf) and found.buffer.exclusive() and found.buffer.leaves == 1 and found.array.flags.writeable)
        if unseen and self.size > sizes.SMALL and _is_operand(other):
            try:
                made = elementwise_call(function, (found, expression_of(other)))
                if made.shape == self.shape and numpy.can_cast(made.dtype, self.dtype, "same_kind"):
                    self._expression = made if made.dtype == self.dtype else cast(made, self.dtype)
                    return self
            except NotCaptured:
                pass
        other = other.shared() if isinstance(other, ndarray) else other
        found = self._leaf()
        found.buffer.settle()
        made = plain(found.array if _is_operand(other) else found.array.view(), other)
        # The other may have made something of its own.
        return self if isinstance(made, numpy.ndarray) and numpy.shares_memory(made, found.array) else fallback.wrapped(made)

    def __len__(self) -> int:
        own = self._own
        if own is not None:
            return len(own)
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iteration over a 0-d array")
        return (self[at] for at in range(self.shape[0]))

    def __contains__(self, item: Any) -> bool:
        return item in self.shared()

    def __bool__(self) -> bool:
        return bool(self._leaf().array)

    def __int__(self) -> int:
        return int(self._leaf().array)

    def __float__(self) -> float:
        return float(self._leaf().array)

    def __complex__(self) -> complex:
        return complex(self._leaf().array)

    def __index__(self) -> int:
        return operator.index(self._leaf().array)

    def __repr__(self) -> str:
        return repr(self._leaf().array)

    def __str__(self) -> str:
        return str(self._leaf().array)

    def __format__(self, form: str) -> str:
        return format(self._leaf().array, form)

    def __reduce__(self) -> tuple[Any, ...]:
        return ndarray._of, (self._leaf().array.copy(),)

    def __copy__(self) -> ndarray:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> ndarray:
        return self.copy()

    def __getattr__(self, name: str) -> Any:
        if name == "_expression":
            assert self._own is not None, "an array is made of memory or of an expression"
            self._expression = Leaf(self._own)
            self._own = None
            return self._expression
        if name.startswith("__"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        # Where NumPy's array has none, this is NumPy's own error.
        if not callable(getattr(numpy.ndarray, name)):
            return fallback.wrapped(getattr(self.shared(), name))

        def method(*args: Any, **kwargs: Any) -> Any:
            return fallback.call(name, getattr(numpy.ndarray, name), (self, *args), kwargs, f"`{name}` is NumPy's")

        method.__name__ = name
        return method

    def copy(self, order: Any = "C") -> ndarray:
        """A copy, laid out in an order."""
        own = self._own
        made: ndarray = fresh((self._leaf().array if own is None else own).copy(order))
        return made

    def to_device(self, device: Any, /, *, stream: Any = None) -> ndarray:
        """The array on a device, of which there is one."""
        checked: Any = numpy.empty(0)
        checked.to_device(device, stream=stream)
        return self

    def item(self, *args: Any) -> Any:
        """An element as a number of Python's."""
        return self._leaf().array.item(*args)

    def tolist(self) -> Any:
        """The elements as numbers of Python's, in nested lists."""
        return self._leaf().array.tolist()

    def astype(self, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True) -> ndarray:
        """The elements as another dtype."""
        if order == "K" and casting == "unsafe" and copy is True:
            own = _small(self)
            if own is not None:
                made: ndarray = fresh(own.astype(dtype))
                return made
            del own
        wanted = numpy.dtype(dtype)
        if order == "K" and casting == "unsafe" and copy:
            try:
                return ndarray._from(cast(known(self._expression), wanted))
            except NotCaptured:
                pass
        if not copy and wanted == self.dtype and order in ("K", "A"):
            return self
        made = fallback.call("astype", numpy.ndarray.astype, (self, wanted, order, casting, subok, copy), {}, f"casts from {self.dtype} to {wanted} are NumPy's")
        return made

    def reshape(self, *shape: Any, order: Any = "C", copy: bool | None = None) -> ndarray:
        """The elements in another shape: a view where the layout allows it."""
        found = self._leaf()
        return _view(found, found.array.reshape(*shape, order=order, copy=copy))

    def transpose(self, *axes: Any) -> ndarray:
        """A view with its axes in another order."""
        found = self._leaf()
        return _view(found, found.array.transpose(*axes))

    __add__, __radd__ = _binary(numpy.add, operator.add)
    __sub__, __rsub__ = _binary(numpy.subtract, operator.sub)
    __mul__, __rmul__ = _binary(numpy.multiply, operator.mul)
    __truediv__, __rtruediv__ = _binary(numpy.divide, operator.truediv)
    __floordiv__, __rfloordiv__ = _binary(numpy.floor_divide, operator.floordiv)
    __mod__, __rmod__ = _binary(numpy.remainder, operator.mod)
    __lshift__, __rlshift__ = _binary(numpy.left_shift, operator.lshift)
    __rshift__, __rrshift__ = _binary(numpy.right_shift, operator.rshift)
    __and__, __rand__ = _binary(numpy.bitwise_and, operator.and_)
    __or__, __ror__ = _binary(numpy.bitwise_or, operator.or_)
    __xor__, __rxor__ = _binary(numpy.bitwise_xor, operator.xor)
    __lt__, _ = _binary(numpy.less, operator.lt)
    __le__, _ = _binary(numpy.less_equal, operator.le)
    __gt__, _ = _binary(numpy.greater, operator.gt)
    __ge__, _ = _binary(numpy.greater_equal, operator.ge)
    __eq__, _ = _binary(numpy.equal, operator.eq)
    __ne__, _ = _binary(numpy.not_equal, operator.ne)
    __neg__ = _unary(numpy.negative)
    __pos__ = _unary(numpy.positive)
    __abs__ = _unary(numpy.absolute)
    __invert__ = _unary(numpy.invert)
    __iadd__ = _inplace(numpy.add, operator.iadd)
    __isub__ = _inplace(numpy.subtract, operator.isub)
    __imul__ = _inplace(numpy.multiply, operator.imul)
    __itruediv__ = _inplace(numpy.divide, operator.itruediv)
    __ifloordiv__ = _inplace(numpy.floor_divide, operator.ifloordiv)
    __imod__ = _inplace(numpy.remainder, operator.imod)
    __ilshift__ = _inplace(numpy.left_shift, operator.ilshift)
    __irshift__ = _inplace(numpy.right_shift, operator.irshift)
    __iand__ = _inplace(numpy.bitwise_and, operator.iand)
    __ior__ = _inplace(numpy.bitwise_or, operator.ior)
    __ixor__ = _inplace(numpy.bitwise_xor, operator.ixor)
    del _

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is None and (type(other) is int or type(other) is float):
            own = _small(self)
            if own is not None:
                return fresh(operator.pow(own, other))
            del own
        # NumPy's operator squares for this exponent.
        if type(other) is int and other == 2 and self.dtype.kind in "iuf":
            return call_ufunc(numpy.square, (self,))
        if modulus is None and self.size > sizes.SMALL and (type(other) is float or (type(other) is int and (other >= 0 or self.dtype.kind == "f"))):
            try:
                return made_of(power(known(self._expression), other))
            except NotCaptured:
                pass
        return fallback.call("power", operator.pow, (self, other), {}, "powers are NumPy's")

    def __rpow__(self, other: Any) -> Any:
        return fallback.call("power", operator.pow, (other, self), {}, "powers are NumPy's")

    __ipow__ = _inplace(numpy.power, operator.ipow)

    def __matmul__(self, other: Any) -> Any:
        return fallback.call("matmul", operator.matmul, (self, other), {}, "products of matrices are NumPy's")

    def __rmatmul__(self, other: Any) -> Any:
        return fallback.call("matmul", operator.matmul, (other, self), {}, "products of matrices are NumPy's")

    def __divmod__(self, other: Any) -> Any:
        return fallback.call("divmod", divmod, (self, other), {}, "`divmod` is NumPy's")

    def __rdivmod__(self, other: Any) -> Any:
        return fallback.call("divmod", divmod, (other, self), {}, "`divmod` is NumPy's")


CLASSES.add(ndarray)
fallback.ours = ndarray


def cast(expression: Expression, dtype: numpy.dtype[Any]) -> Apply:
    """The elements of an expression as another dtype, whatever becomes of them."""
    return applied("astype", lambda array: array.astype(dtype), (expression,), (expression.dtype,), dtype)


def power(expression: Expression, exponent: int | float) -> Apply:
    """The elements to the power of a number of Python's, by NumPy's operator: it has functions of its own for some exponents."""
    if expression.dtype.kind not in "iuf":
        raise NotCaptured(f"powers of {expression.dtype} are NumPy's")
    try:
        dtype = operator.pow(numpy.ones(1, expression.dtype), exponent).dtype
    except OverflowError:
        raise NotCaptured("a number of Python's does not fit the dtype") from None
    return applied("power", lambda array: operator.pow(array, exponent), (expression,), (expression.dtype,), dtype)
