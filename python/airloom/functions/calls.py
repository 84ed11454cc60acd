"""Calls that are compiled: functions of Python's, of `math` and of NumPy's that have the bits of the original."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy

from airloom.functions.arithmetic import compare, over, to_float, to_int
from airloom.functions.kinds import BOOL, FLOAT, INT, KINDS, Array, Scalar, Several, Value, type_of
from airloom.functions.refusals import NotCompiled
from airloom.functions.writer import Writer

Compiled = Callable[[Writer, list[Value], ast.AST], Value]


def found(function: Any) -> Compiled | None:
    """How a call of a function is compiled, where it is."""
    try:
        return _CALLS.get(function)
    except TypeError:
        return None


def hint(function: Any) -> str:
    """What is compiled in place of a function that is not."""
    name = getattr(function, "__name__", "")
    if isinstance(function, numpy.ufunc) and getattr(math, name, None) in _CALLS:
        return f"`math.{name}` is compiled"
    return ""


def _scalars(w: Writer, args: list[Value], node: ast.AST, work: Callable[[list[Value]], Value]) -> Value:
    def checked(given: list[Value]) -> Value:
        for value in given:
            if not isinstance(value.kind, Scalar):
                raise NotCompiled(f"a call with {value.kind}", node)
        return work(given)

    return over(w, args, node, checked)


def _one(name: str, work: Callable[[Writer, Value, ast.AST], Value]) -> Compiled:
    def call(w: Writer, args: list[Value], node: ast.AST) -> Value:
        if len(args) != 1:
            raise NotCompiled(f"`{name}` of {len(args)} arguments", node)
        return _scalars(w, args, node, lambda given: work(w, given[0], node))

    return call


def _kind(value: Value) -> Scalar:
    assert isinstance(value.kind, Scalar)
    return value.kind


def _absolute(w: Writer, value: Value, node: ast.AST) -> Value:
    kind = _kind(value)
    if kind.kind == "bool":
        if not kind.weak:
            return value
        return Value(INT, (to_int(w, value),))
    if kind == INT:
        return Value(INT, (w.make("abs", value.node, site=w.site(node), overflow="raise"),))
    return value if kind.kind[0] == "u" else Value(kind, (w.make("abs", value.node),))


def _int(w: Writer, value: Value, node: ast.AST) -> Value:
    kind = _kind(value)
    if kind.kind == "i64":
        return Value(INT, value.nodes)
    if kind.kind == "bool":
        return Value(INT, (to_int(w, value),))
    return Value(INT, (w.make("cast", value.node, site=w.site(node), to=type_of("i64")),))


def _float(w: Writer, value: Value, node: ast.AST) -> Value:
    return Value(FLOAT, (to_float(w, value, node),))


def _rounded(op: str) -> Callable[[Writer, Value, ast.AST], Value]:
    def call(w: Writer, value: Value, node: ast.AST) -> Value:
        kind = _kind(value)
        if kind.kind[0] != "f":
            if not kind.weak:
                raise NotCompiled(f"`{op}` of {kind}", node)
            return _int(w, value, node)
        # A float that no integer of 64 bits holds gives up.
        return Value(INT, (w.make("cast", w.make(op, to_float(w, value, node)), site=w.site(node), to=type_of("i64")),))

    return call


def _round(w: Writer, value: Value, node: ast.AST) -> Value:
    if _kind(value).kind == "f32":
        raise NotCompiled("`round` of float32", node)
    return _rounded("round")(w, value, node)


def _mathematics(op: str) -> Callable[[Writer, Value, ast.AST], Value]:
    """A function of `math`: where the result is not finite though the argument is, or is no number, Python raises."""

    def call(w: Writer, value: Value, node: ast.AST) -> Value:
        x = to_float(w, value, node)
        made = w.make(op, x)
        known = w.make("or", w.make("is_nan", x), w.make("and", w.make("is_infinite", x), w.make("is_infinite", made)))
        return Value(FLOAT, (w.check(w.make("or", w.make("is_finite", made), known), made, f"`math.{op}` has no finite value", node),))

    return call


def _two(op: str) -> Compiled:
    def call(w: Writer, args: list[Value], node: ast.AST) -> Value:
        if len(args) != 2:
            raise NotCompiled(f"`math.{op}` of {len(args)} arguments", node)
        return _scalars(w, args, node, lambda given: Value(FLOAT, (w.make(op, *(to_float(w, value, node) for value in given)),)))

    return call


def _copysign(w: Writer, args: list[Value], node: ast.AST) -> Value:
    """NaN has a sign in Python, and none in the graph."""
    if len(args) != 2:
        raise NotCompiled("`math.copysign` of one argument", node)

    def work(given: list[Value]) -> Value:
        x, y = (to_float(w, value, node) for value in given)
        y = w.check(w.make("not", w.make("is_nan", y)), y, "the sign of NaN", node)
        return Value(FLOAT, (w.make("copysign", x, y),))

    return _scalars(w, args, node, work)


def _math_pow(w: Writer, args: list[Value], node: ast.AST) -> Value:
    def work(given: list[Value]) -> Value:
        x, y = (to_float(w, value, node) for value in given)
        made = w.make("pow", x, y)
        finite = w.make("and", w.make("is_finite", made), w.make("and", w.make("is_finite", x), w.make("is_finite", y)))
        return Value(FLOAT, (w.check(finite, made, "`math.pow` has no finite value", node),))

    if len(args) != 2:
        raise NotCompiled("`math.pow` takes two arguments", node)
    return _scalars(w, args, node, work)


def _test(op: str, weak: bool) -> Callable[[Writer, Value, ast.AST], Value]:
    def call(w: Writer, value: Value, node: ast.AST) -> Value:
        kind = _kind(value)
        x = value.node if kind.kind[0] == "f" else to_float(w, value, node)
        return Value(BOOL if weak else Scalar("bool", False), (w.make(op, x),))

    return call


def _elementwise(op: str, ufunc: Any) -> Callable[[Writer, Value, ast.AST], Value]:
    """A function of NumPy's whose bits are those of the processor's own instruction."""

    def call(w: Writer, value: Value, node: ast.AST) -> Value:
        from airloom.functions.arithmetic import cast

        kind = _kind(value)
        given = {"i64": int, "f64": float}.get(kind.kind, kind.dtype) if kind.weak else kind.dtype
        try:
            first, out = ufunc.resolve_dtypes((given, None))
        except TypeError as error:
            raise NotCompiled(f"`numpy.{ufunc.__name__}` of {kind}", node) from error
        if first not in KINDS or out not in KINDS or KINDS[first][0] != "f":
            if op == "abs" and not kind.weak and kind.kind[0] == "i":
                return Value(kind, (w.make("abs", value.node),))
            raise NotCompiled(f"`numpy.{ufunc.__name__}` of {kind}", node)
        return Value(Scalar(KINDS[out], False), (w.make(op, cast(w, value, KINDS[first], node)),))

    return call


def _scalar_of(dtype: Any) -> Callable[[Writer, Value, ast.AST], Value]:
    """`numpy.float64(x)` and the like."""
    to = KINDS[numpy.dtype(dtype)]

    def call(w: Writer, value: Value, node: ast.AST) -> Value:
        from airloom.functions.arithmetic import cast

        return Value(Scalar(to, False), (cast(w, value, to, node),))

    return call


def _least(word: ast.cmpop) -> Compiled:
    """`min` and `max` of numbers: the first of those that are equal."""

    def call(w: Writer, args: list[Value], node: ast.AST) -> Value:
        if len(args) < 2:
            raise NotCompiled("`min` or `max` of one argument", node)
        best = args[0]
        for other in args[1:]:
            better = w.truth(compare(w, word, other, best, node), node)
            if isinstance(best.kind, Scalar) and best.kind == other.kind:
                best = Value(best.kind, (w.make("select", better, other.node, best.node),))
                continue
            (best,) = w.branch(better, lambda given: [given[1]], lambda given: [given[0]], (), [best, other])
        return best

    return call


def _length(w: Writer, args: list[Value], node: ast.AST) -> Value:
    if len(args) == 1 and isinstance(args[0].kind, Array):
        return Value(INT, (w.make("arr.dim", w.version(args[0].kind)),))
    if len(args) == 1 and isinstance(args[0].kind, Several):
        return w.integer(len(args[0].kind.items))
    raise NotCompiled("`len` of what is no array", node)


_CALLS: dict[Any, Compiled] = {
    builtins.abs: _one("abs", _absolute),
    builtins.int: _one("int", _int),
    builtins.float: _one("float", _float),
    builtins.bool: _one("bool", lambda w, value, node: Value(BOOL, (w.truth(value, node),))),
    builtins.round: _one("round", _round),
    builtins.min: _least(ast.Lt()),
    builtins.max: _least(ast.Gt()),
    builtins.len: _length,
    math.floor: _one("floor", _rounded("floor")),
    math.ceil: _one("ceil", _rounded("ceil")),
    math.trunc: _one("trunc", _rounded("trunc")),
    math.fabs: _one("fabs", lambda w, value, node: Value(FLOAT, (w.make("abs", to_float(w, value, node)),))),
    math.isnan: _one("isnan", _test("is_nan", True)),
    math.isinf: _one("isinf", _test("is_infinite", True)),
    math.isfinite: _one("isfinite", _test("is_finite", True)),
    math.atan2: _two("atan2"),
    math.copysign: _copysign,
    math.pow: _math_pow,
    **{
        getattr(math, name): _one(name, _mathematics(op))
        for name, op in {
            "sqrt": "sqrt", "exp": "exp", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10", "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan",
            "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
        }.items()
    },
    **{
        ufunc: _one(ufunc.__name__, _elementwise(op, ufunc))
        for ufunc, op in ((numpy.sqrt, "sqrt"), (numpy.absolute, "abs"), (numpy.fabs, "abs"), (numpy.floor, "floor"), (numpy.ceil, "ceil"), (numpy.trunc, "trunc"))
    },
    numpy.isnan: _one("isnan", _test("is_nan", False)),
    numpy.isinf: _one("isinf", _test("is_infinite", False)),
    numpy.isfinite: _one("isfinite", _test("is_finite", False)),
    **{dtype.type: _one(dtype.name, _scalar_of(dtype)) for dtype in KINDS},
}  # fmt: skip
