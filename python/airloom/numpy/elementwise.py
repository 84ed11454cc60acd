"""Functions of elements that the engine has ops for, with NumPy's bits: which they are, and what they are in the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from airloom import ir
from airloom._native import Node, Type

#: The graph's types of NumPy's dtypes. A boolean is a byte, as NumPy has it.
TYPES = {numpy.dtype(word): word for word in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")}
NAMES = {"i1": "i8", "i2": "i16", "i4": "i32", "i8": "i64", "u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64", "f4": "f32", "f8": "f64"}
BOOL = numpy.dtype(bool)

#: What makes a node of the nodes of the inputs; booleans are nodes of type `bool`.
Build = Callable[..., Node]


def type_of(dtype: numpy.dtype[Any]) -> str | None:
    """The type of the graph whose values are those of a dtype, or none."""
    if dtype == BOOL:
        return "bool"
    word = TYPES.get(dtype) if dtype.isnative else None
    return None if word is None else NAMES[word]


def _ties_go_to_the_second() -> bool:
    """Whether NumPy's `minimum` and `maximum` give the second of two zeros, in vectors and in what is left over of them: it depends on the processor."""
    left, right = numpy.array([0.0, -0.0] * 19), numpy.array([-0.0, 0.0] * 19)
    kinds = [(left.astype(kind), right.astype(kind)) for kind in ("f4", "f8")]
    return all(numpy.array_equal(numpy.signbit(pick(x, y)), numpy.signbit(y)) for x, y in kinds for pick in (numpy.minimum, numpy.maximum))


_ZEROS_KNOWN = _ties_go_to_the_second()


def _is_float(dtype: numpy.dtype[Any]) -> bool:
    return dtype.kind == "f"


def _least(x: Node, y: Node) -> Node:
    return ir.select(ir.or_(ir.lt(x, y), ir.is_nan(x)), x, y)


def _greatest(x: Node, y: Node) -> Node:
    return ir.select(ir.or_(ir.gt(x, y), ir.is_nan(x)), x, y)


def _nonzero(x: Node, dtype: numpy.dtype[Any]) -> Node:
    return x if dtype == BOOL else ir.ne(x, ir.const(dtype.type(0)))


_ARITHMETIC: dict[str, Build] = {"add": ir.add, "subtract": ir.sub, "multiply": ir.mul}
_COMPARISONS: dict[str, Build] = {"less": ir.lt, "less_equal": ir.le, "greater": ir.gt, "greater_equal": ir.ge, "equal": ir.eq, "not_equal": ir.ne}
_BITS: dict[str, Build] = {"bitwise_and": ir.bitand, "bitwise_or": ir.bitor, "bitwise_xor": ir.bitxor}
_LOGIC: dict[str, Build] = {"logical_and": ir.and_, "logical_or": ir.or_, "logical_xor": ir.xor}
_BOOLEAN_BITS: dict[str, Build] = {"bitwise_and": ir.and_, "bitwise_or": ir.or_, "bitwise_xor": ir.xor, "add": ir.or_, "multiply": ir.and_, "maximum": ir.or_, "minimum": ir.and_}
_FLOATS: dict[str, Build] = {"sqrt": ir.sqrt, "floor": ir.floor, "ceil": ir.ceil, "trunc": ir.trunc, "rint": ir.round}
_TESTS: dict[str, Build] = {"isnan": ir.is_nan, "isfinite": ir.is_finite, "isinf": ir.is_infinite}

#: Those that may raise a floating-point exception which NumPy warns of. A comparison may raise one for a NaN, which NumPy does not.
RAISING = frozenset(("add", "subtract", "multiply", "divide", "sqrt", "square", "reciprocal", "astype", "sum", "prod"))


def build(name: str, inputs: tuple[numpy.dtype[Any], ...], result: numpy.dtype[Any]) -> Build | None:
    """What a function of this name is in the graph for inputs that have been cast to these dtypes; none where it is left to NumPy."""
    if any(type_of(dtype) is None for dtype in (*inputs, result)):
        return None
    first = inputs[0]
    same = all(dtype == first for dtype in inputs)
    if name in _COMPARISONS:
        return _COMPARISONS[name] if same else None
    if name in _LOGIC and same:
        logic = _LOGIC[name]
        return lambda x, y: logic(_nonzero(x, first), _nonzero(y, first))
    if name == "logical_not":
        return lambda x: ir.not_(_nonzero(x, first))
    if name in _TESTS:
        return _TESTS[name] if _is_float(first) else None
    if name == "where":
        return lambda condition, x, y: ir.select(_nonzero(condition, first), x, y)
    if name == "astype":
        return _cast(first, result)
    if not same or first != result:
        return None
    return _of_one_dtype(name, first)


def _of_one_dtype(name: str, dtype: numpy.dtype[Any]) -> Build | None:
    if dtype == BOOL:
        return ir.not_ if name == "invert" else _BOOLEAN_BITS.get(name)
    if name in _ARITHMETIC:
        return _ARITHMETIC[name]
    if name == "square":
        return lambda x: ir.mul(x, x)
    if name in ("negative", "absolute"):
        return ir.neg if name == "negative" else ir.abs
    if name == "positive":
        return lambda x: x
    if _is_float(dtype):
        if name in ("minimum", "maximum"):
            return (_least if name == "minimum" else _greatest) if _ZEROS_KNOWN else None
        if name == "divide":
            return ir.div
        if name == "reciprocal":
            return lambda x: ir.div(ir.const(dtype.type(1)), x)
        return _FLOATS.get(name)
    if name in ("minimum", "maximum"):
        return ir.least if name == "minimum" else ir.greatest
    if name == "invert":
        return ir.bitnot
    return _BITS.get(name)


def _cast(source: numpy.dtype[Any], target: numpy.dtype[Any]) -> Build | None:
    if source == target:
        return lambda x: x
    if target == BOOL:
        return lambda x: _nonzero(x, source)
    if source.kind == "f" and target.kind != "f":
        # What does not fit is the processor's, and NumPy warns of it.
        return None
    to = Type.parse(str(type_of(target)))
    if source == BOOL:
        one, zero = target.type(1), target.type(0)
        return lambda x: ir.select(x, ir.const(one), ir.const(zero))
    return lambda x: ir.cast(x, to, mode="wrap")
