"""Random numbers by key and position: the same for the same arguments, so that turns of a loop may draw them in any order and on any core."""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy

from airloom.functions import calls
from airloom.functions.arithmetic import over
from airloom.functions.kinds import FLOAT, Scalar, Value, type_of
from airloom.functions.refusals import NotCompiled
from airloom.functions.writer import Writer

_WORD = (1 << 64) - 1
_TIMES = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
_STEPS = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
#: The distance of neighbours among the numbers that 53 bits are.
_UNIT = 2.0**-53


def random_bits(key: Any, position: Any) -> numpy.uint64:
    """64 random bits: the draw at a position, counted from 0, of `numpy.random.Philox(key=key)`. Both are integers, modulo two to the power of 64."""
    first, at = operator.index(key) & _WORD, operator.index(position) & _WORD
    counter, keys = [(at >> 2) + 1, 0, 0, 0], [first, 0]
    for _ in range(10):
        low, high = counter[0] * _TIMES[0], counter[2] * _TIMES[1]
        counter = [high >> 64 ^ counter[1] ^ keys[0], high & _WORD, low >> 64 ^ counter[3] ^ keys[1], low & _WORD]
        keys = [keys[0] + _STEPS[0] & _WORD, keys[1] + _STEPS[1] & _WORD]
    return numpy.uint64(counter[at & 3])


def random_unit(key: Any, position: Any) -> float:
    """A random float from 0 up to, and without, 1: the one at a position of `numpy.random.Generator(numpy.random.Philox(key=key)).random()`."""
    return float(random_bits(key, position) >> numpy.uint64(11)) * _UNIT


def _word(w: Writer, value: Value, node: ast.AST) -> int:
    kind = value.kind
    if not isinstance(kind, Scalar) or kind.kind[0] == "f" or (kind.kind == "bool" and not kind.weak):
        raise NotCompiled(f"a random number by {kind}", node)
    return value.node if kind.kind == "u64" else w.make("cast", value.node, to=type_of("u64"), mode="wrap")


def _bits(w: Writer, args: list[Value], node: ast.AST) -> Value:
    if len(args) != 2:
        raise NotCompiled("a random number without a key and a position", node)
    return over(w, args, node, lambda given: Value(Scalar("u64", False), (w.make("rand.bits", *(_word(w, value, node) for value in given)),)))


def _unit(w: Writer, args: list[Value], node: ast.AST) -> Value:
    def made(given: list[Value]) -> Value:
        bits = w.make("shr", w.make("rand.bits", *(_word(w, value, node) for value in given)), w.constant(11, "i64"))
        return Value(FLOAT, (w.make("mul", w.make("cast", bits, to=type_of("f64")), w.constant(_UNIT, "f64")),))

    if len(args) != 2:
        raise NotCompiled("a random number without a key and a position", node)
    return over(w, args, node, made)


calls.add({random_bits: _bits, random_unit: _unit})


__all__ = ["random_bits", "random_unit"]
