"""The array that users hold: NumPy's, but computed when somebody looks."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy

from airloom._arrays import CLASSES
from airloom.numpy import execution, fallback, operators, sizes
from airloom.numpy.capture import NotCaptured, applied, elementwise_call
from airloom.numpy.expressions import Apply, Expression, Slice, known
from airloom.numpy.memory import Leaf, leaf
from airloom.numpy.operators import at_hand, binary, call_ufunc, expression_of, few, fresh, inplace, is_operand, made_of, unary
from airloom.numpy.reductions import Reducible
from airloom.numpy.slicing import is_basic, slice_of

_new = object.__new__
_ARRAY = numpy.ndarray

#: What a key is made of that makes a view, or gives one element.
_BASIC = frozenset((int, slice, type(None), type(Ellipsis)))


def _view(found: Leaf, made: numpy.ndarray[Any, Any]) -> ndarray:
    """What NumPy has made of the memory of a leaf: a view of it, or a copy."""
    return ndarray._from(Leaf(made, found.buffer)) if made.base is found.buffer.owner else ndarray._of(made)


def _plain(given: Any) -> Any:
    """A key or a value for NumPy: memory in the stead of an array of ours; none where there are many elements, and for what may hold arrays."""
    kind = type(given)
    if kind is ndarray:
        return few(given)
    return given if kind in _BASIC or kind in fallback.PLAIN else None


def _same(made: numpy.ndarray[Any, Any]) -> ndarray:
    """What NumPy has made of memory that no expression reads: whoever asks later who holds it finds both arrays."""
    array = _new(ndarray)
    array._own = made
    return array


class ndarray(Reducible):
    """An array of any number of axes. Operations on elements are captured, and computed together when somebody looks; everything else is NumPy's.

    Views share memory with what they are views of, as NumPy's do; a result that was asked for before something is written has the values from before.
    """

    __slots__ = ("__weakref__", "_held", "_own")
    __hash__ = None  # type: ignore[assignment]
    #: What it is made of, where it is not memory alone.
    _held: Expression
    #: Memory that no expression reads; none where there is an expression. Who else holds it is not counted: when there is an expression, it is computed at once as long as somebody does.
    _own: numpy.ndarray[Any, Any] | None

    def __new__(cls, *args: Any, **kwargs: Any) -> ndarray:
        return cls._of(numpy.ndarray(*args, **kwargs))

    @classmethod
    def _of(cls, array: numpy.ndarray[Any, Any]) -> ndarray:
        return cls._from(leaf(array))

    @classmethod
    def _from(cls, expression: Expression) -> ndarray:
        made = object.__new__(cls)
        made._held = expression
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
        return few(self)

    def _memory(self) -> numpy.ndarray[Any, Any]:
        """Its memory, for reading."""
        own = self._own
        return self._leaf().array if own is None else own

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
        own = self._own
        if own is not None and own.size <= sizes.CACHED:
            return own.view()
        del own
        found = self._leaf()
        # Nothing reads memory that was not looked for.
        if found.known is not None:
            found.known.settle()
        return found.array.view()

    @property
    def _expression(self) -> Expression:
        """What it is made of: memory is a leaf from now on."""
        own = self._own
        if own is not None:
            self._held = Leaf(own)
            self._own = None
        return self._held

    @_expression.setter
    def _expression(self, made: Expression) -> None:
        self._held = made
        self._own = None

    @property
    def shape(self) -> tuple[int, ...]:
        own = self._own
        return self._held.shape if own is None else own.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        changed = self.shared()
        changed.shape = shape
        self._expression = leaf(changed)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        own = self._own
        return self._held.dtype if own is None else own.dtype

    @property
    def size(self) -> int:
        own = self._own
        return self._held.size if own is None else own.size

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
        return self._memory().flags

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
        found = self.shared()
        return found if dtype is None and not copy else numpy.array(found, dtype=dtype, copy=copy)

    def __buffer__(self, flags: int) -> memoryview:
        exported: Any = self.shared()
        return memoryview(exported)

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
        exported: Any = self.shared()
        return exported.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> Any:
        return self._memory().__dlpack_device__()

    def __array_ufunc__(self, function: numpy.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if not kwargs and method == "__call__":
            own = self._own
            if own is not None and (own.size <= sizes.SMALL or operators.is_at_once(function, own)):
                if len(inputs) == 1:
                    made = function(own)
                    return _same(made) if type(made) is _ARRAY else fresh(made)
                if len(inputs) == 2 and self is inputs[0] and type(inputs[1]) is ndarray:
                    theirs = inputs[1]._own
                    if theirs is not None and own.shape == theirs.shape and function.signature is None:
                        made = function(own, theirs)
                        return _same(made) if type(made) is _ARRAY else fresh(made)
                    del theirs
            del own
            return operators.call(function, inputs)
        from airloom.numpy.functions import call_with_outputs

        return call_with_outputs(function, method, inputs, kwargs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from airloom.numpy.functions import call_function

        return call_function(function, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        kind = type(key)
        own = self._own
        if own is not None and own.size <= sizes.CACHED:
            if kind is int:
                return own[key] if own.ndim == 1 else _same(own[key])
            if kind is slice:
                array = _new(ndarray)
                array._own = own[key]
                return array
            if not own.dtype.hasobject:
                if kind is ndarray:
                    positions = few(key)
                    made: Any = None if positions is None else own[positions]
                    if type(made) is not _ARRAY or made.base is None:
                        if made is not None:
                            return _same(made) if type(made) is _ARRAY else made
                    del positions, made
                elif kind is tuple and _BASIC.issuperset(map(type, key)):
                    made = own[key]
                    return _same(made) if type(made) is _ARRAY else made
        del own
        if kind is int:
            own = few(self)
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
        own = self._own
        if own is not None:
            kind = type(value)
            if kind is float or kind is int:
                if type(key) is int or type(key) is slice:
                    own[key] = value
                    return
            if not own.dtype.hasobject:
                at, given = _plain(key), _plain(value)
                if at is not None and given is not None:
                    own[at] = given
                    return
                del at, given
        del own
        value = value.shared() if isinstance(value, ndarray) else value
        key = key if is_basic(key) else fallback.unwrapped(key)
        self._leaf().buffer.settle()
        self._leaf().array[key] = value

    def __delitem__(self, key: Any) -> None:
        del self.shared()[key]  # type: ignore[attr-defined]

    def _updated(self, function: numpy.ufunc, plain: Callable[[Any, Any], Any], other: Any) -> Any:
        """The array after an operator such as `+=`. Where nobody else sees its memory the new elements are captured like any others."""
        found = known(self._expression)
        unseen = (isinstance(found, Apply) and not isinstance(found, Slice) and not found.is_sliced()) or (isinstance(found, Leaf) and found.buffer.exclusive() and found.buffer.leaves == 1 and found.array.flags.writeable)
        if unseen and found.size > sizes.CACHED and is_operand(other):
            try:
                made = elementwise_call(function, (found, expression_of(other)))
                if made.shape == found.shape and (made.dtype is found.dtype or numpy.can_cast(made.dtype, found.dtype, "same_kind")):
                    self._expression = made if made.dtype == found.dtype else cast(made, found.dtype)
                    return self
            except NotCaptured:
                pass
        other = other.shared() if isinstance(other, ndarray) else other
        found = self._leaf()
        found.buffer.settle()
        made = plain(found.array if is_operand(other) else found.array.view(), other)
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
        return bool(self._memory())

    def __int__(self) -> int:
        return int(self._memory())

    def __float__(self) -> float:
        return float(self._memory())

    def __complex__(self) -> complex:
        return complex(self._memory())

    def __index__(self) -> int:
        return operator.index(self._memory())

    def __repr__(self) -> str:
        return repr(self._memory())

    def __str__(self) -> str:
        return str(self._memory())

    def __format__(self, form: str) -> str:
        return format(self._memory(), form)

    def __reduce__(self) -> tuple[Any, ...]:
        return ndarray._of, (self._memory().copy(),)

    def __copy__(self) -> ndarray:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> ndarray:
        return self.copy()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def copy(self, order: Any = "C") -> ndarray:
        """A copy, laid out in an order."""
        own = self._memory()
        return _same(own.copy() if order == "C" else own.copy(order))

    def to_device(self, device: Any, /, *, stream: Any = None) -> ndarray:
        """The array on a device, of which there is one."""
        checked: Any = numpy.empty(0)
        checked.to_device(device, stream=stream)
        return self

    def item(self, *args: Any) -> Any:
        """An element as a number of Python's."""
        return self._memory().item(*args)

    def tolist(self) -> Any:
        """The elements as numbers of Python's, in nested lists."""
        return self._memory().tolist()

    def astype(self, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True) -> ndarray:
        """The elements as another dtype."""
        if order == "K" and casting == "unsafe" and copy is True:
            own = few(self)
            if own is not None:
                return _same(own.astype(dtype))
            del own
        wanted = numpy.dtype(dtype)
        if order == "K" and casting == "unsafe" and copy:
            try:
                return ndarray._from(cast(known(self._expression), wanted))
            except NotCaptured:
                pass
        if not copy and wanted == self.dtype and order in ("K", "A"):
            return self
        made: ndarray = fallback.call("astype", numpy.ndarray.astype, (self, wanted, order, casting, subok, copy), {}, f"casts from {self.dtype} to {wanted} are NumPy's")
        return made

    def reshape(self, *shape: Any, order: Any = "C", copy: bool | None = None) -> ndarray:
        """The elements in another shape: a view where the layout allows it."""
        own = self._own
        if own is not None and own.size <= sizes.CACHED:
            return _same(own.reshape(*shape) if order == "C" and copy is None else own.reshape(*shape, order=order, copy=copy))
        del own
        found = self._leaf()
        return _view(found, found.array.reshape(*shape, order=order, copy=copy))

    def transpose(self, *axes: Any) -> ndarray:
        """A view with its axes in another order."""
        own = self._own
        if own is not None and own.size <= sizes.CACHED:
            return _same(own.transpose(*axes))
        del own
        found = self._leaf()
        return _view(found, found.array.transpose(*axes))

    __add__, __radd__ = binary(numpy.add, operator.add)
    __sub__, __rsub__ = binary(numpy.subtract, operator.sub)
    __mul__, __rmul__ = binary(numpy.multiply, operator.mul)
    __truediv__, __rtruediv__ = binary(numpy.divide, operator.truediv)
    __floordiv__, __rfloordiv__ = binary(numpy.floor_divide, operator.floordiv)
    __mod__, __rmod__ = binary(numpy.remainder, operator.mod)
    __lshift__, __rlshift__ = binary(numpy.left_shift, operator.lshift)
    __rshift__, __rrshift__ = binary(numpy.right_shift, operator.rshift)
    __and__, __rand__ = binary(numpy.bitwise_and, operator.and_)
    __or__, __ror__ = binary(numpy.bitwise_or, operator.or_)
    __xor__, __rxor__ = binary(numpy.bitwise_xor, operator.xor)
    __lt__, _ = binary(numpy.less, operator.lt)
    __le__, _ = binary(numpy.less_equal, operator.le)
    __gt__, _ = binary(numpy.greater, operator.gt)
    __ge__, _ = binary(numpy.greater_equal, operator.ge)
    __eq__, _ = binary(numpy.equal, operator.eq)
    __ne__, _ = binary(numpy.not_equal, operator.ne)
    __neg__ = unary(numpy.negative)
    __pos__ = unary(numpy.positive)
    __abs__ = unary(numpy.absolute)
    __invert__ = unary(numpy.invert)
    __iadd__ = inplace(numpy.add, operator.iadd)
    __isub__ = inplace(numpy.subtract, operator.isub)
    __imul__ = inplace(numpy.multiply, operator.imul)
    __itruediv__ = inplace(numpy.divide, operator.itruediv)
    __ifloordiv__ = inplace(numpy.floor_divide, operator.ifloordiv)
    __imod__ = inplace(numpy.remainder, operator.imod)
    __ilshift__ = inplace(numpy.left_shift, operator.ilshift)
    __irshift__ = inplace(numpy.right_shift, operator.irshift)
    __iand__ = inplace(numpy.bitwise_and, operator.iand)
    __ior__ = inplace(numpy.bitwise_or, operator.ior)
    __ixor__ = inplace(numpy.bitwise_xor, operator.ixor)
    del _

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is None and (type(other) is int or type(other) is float):
            own = at_hand(self)
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

    __ipow__ = inplace(numpy.power, operator.ipow)

    def __matmul__(self, other: Any) -> Any:
        return fallback.call("matmul", operator.matmul, (self, other), {}, "products of matrices are NumPy's")

    def __rmatmul__(self, other: Any) -> Any:
        return fallback.call("matmul", operator.matmul, (other, self), {}, "products of matrices are NumPy's")

    def __divmod__(self, other: Any) -> Any:
        return fallback.call("divmod", divmod, (self, other), {}, "`divmod` is NumPy's")

    def __rdivmod__(self, other: Any) -> Any:
        return fallback.call("divmod", divmod, (other, self), {}, "`divmod` is NumPy's")


def _is_numpys(name: str) -> Any:
    """An attribute or a method of NumPy's arrays that is NumPy's here too."""
    of_numpy = getattr(numpy.ndarray, name)
    if not callable(of_numpy):
        return property(lambda array: fallback.wrapped(getattr(array.shared(), name)), doc=of_numpy.__doc__)

    def method(self: ndarray, *args: Any, **kwargs: Any) -> Any:
        return fallback.call(name, of_numpy, (self, *args), kwargs, f"`{name}` is NumPy's")

    method.__name__, method.__qualname__, method.__doc__ = name, f"ndarray.{name}", of_numpy.__doc__
    return method


# Not by `__getattr__`: NumPy asks an array for several attributes that it does not have before it asks for its memory.
for _name in dir(numpy.ndarray):
    if not _name.startswith("__") and not hasattr(ndarray, _name):
        setattr(ndarray, _name, _is_numpys(_name))

CLASSES.add(ndarray)
fallback.ours = operators.ours = ndarray


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
