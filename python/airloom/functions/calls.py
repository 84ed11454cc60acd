"""Calls that are compiled: functions of Python's, of `math` and of NumPy's that have the bits of the original."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from airloom.functions import complexes, elements, library
from airloom.functions.arithmetic import binary, cast, compare, constant_of, over, to_float, to_int
from airloom.functions.creation import CREATION, copied
from airloom.functions.kinds import BOOL, FLOAT, INT, KINDS, Array, Known, Scalar, Several, Value, View, type_of
from airloom.functions.reduce import REDUCTIONS, along, count_nonzero, fold
from airloom.functions.refusals import NotCompiled
from airloom.functions.views import as_view, extents
from airloom.functions.writer import Writer

if TYPE_CHECKING:
    from airloom.functions.translate import Translator

Compiled = Callable[[Writer, list[Value], ast.AST], Value]


def add(compiled: dict[Any, Compiled]) -> None:
    """More functions that have code of their own."""
    _CALLS.update(compiled)


def is_known(function: Any) -> bool:
    """Whether a function that is written in Python is one that has code of its own."""
    return function in CREATION or function in _REDUCED or function in _CALLS or library.is_known(function)


def called(t: Translator, function: Any, args: list[Value], named: dict[str, Value], node: ast.AST) -> Value | None:
    """What a call of a function gives, where it is compiled."""
    w = t.writer
    try:
        if function in CREATION:
            return CREATION[function](w, (args, named, t.key(node)), node)
        if function in _REDUCED and args and elements.is_array(args[0]):
            return reduced(t, _REDUCED[function], args, named, node)
        if library.is_known(function) and not named:
            return library.called(t, function, args, node)
        compiled = _CALLS.get(function)
    except TypeError:
        return None
    if compiled is None:
        return None
    if named:
        raise NotCompiled(f"`{getattr(function, '__name__', function)}` with arguments by name", node)
    if any(map(elements.is_array, args)) and (isinstance(function, numpy.ufunc) or function in _OF_ELEMENTS):
        return elements.mapped(w, args, lambda inner, given: compiled(inner, given, node), node)
    if isinstance(function, numpy.ufunc):
        return over(w, args, node, lambda given: compiled(w, _as_numpys(w, given, node), node))
    return compiled(w, args, node)


def _as_numpys(w: Writer, args: list[Value], node: ast.AST) -> list[Value]:
    """Numbers of Python's alone, as NumPy takes them: of 64 bits, all of one kind."""
    if not all(isinstance(value.kind, Scalar) and value.kind.weak and value.kind.kind != "bool" for value in args):
        return args
    if FLOAT in (value.kind for value in args):
        return [Value(Scalar("f64", False), (to_float(w, value, node),)) for value in args]
    return [Value(Scalar("i64", False), value.nodes) for value in args]


def reduced(t: Translator, name: str, args: list[Value], named: dict[str, Value], node: ast.AST) -> Value:
    """An array as one number."""
    axis = named.pop("axis", None) or (args[1] if len(args) == 2 else None)
    if len(args) > 2 or named:
        raise NotCompiled(f"`{name}` with arguments that are not compiled", node)
    if axis is not None and not (isinstance(axis.kind, Known) and axis.kind.value is None):
        known = constant_of(t.writer, axis.node) if axis.kind == INT else None
        axes = elements.lazy(t.writer, args[0]).axes
        if known is None or not -axes <= known < axes or axes > 2:
            raise NotCompiled(f"`{name}` along an axis that is not a constant, or of an array of more than two", node, "write the loop over the others")
        if axes == 2:
            return along(t.writer, name, args[0], known % 2, t.key(node), node)
    work = count_nonzero if name == "count_nonzero" else REDUCTIONS[name]
    return work(t.writer, args[0], t.key(node), node)


def method(t: Translator, owner: Value, name: str, args: list[Value], named: dict[str, Value], node: ast.AST) -> Value:
    """A call of a method of an array."""
    w = t.writer
    if name in REDUCTIONS:
        return reduced(t, name, [owner, *args], named, node)
    if name == "dot" and len(args) == 1 and not named:
        return library.product(t, owner, args[0], node)
    if name == "copy" and not args and not named:
        return copied(w, ([owner], {}, t.key(node)), node)
    if name == "fill" and len(args) == 1 and not named and isinstance(owner.kind, (Array, View)):
        t.store_elements(as_view(owner), args[0], node)
        return Value(Known(None))
    if name == "astype" and len(args) == 1 and not named and isinstance(args[0].kind, Known):
        to = elements.dtype_of(args[0].kind.value, node)
        if to == "bool" or (to[0] in "iu" and elements.lazy(w, owner).kind[0] == "f"):
            raise NotCompiled(f"`astype` of floats to {to}", node)
        return elements.mapped(w, [owner], lambda inner, given: Value(Scalar(to, False), (cast(inner, given[0], to, node),)), node)
    if name == "item" and not args and not named:
        raise NotCompiled("`.item()` of an array", node)
    raise NotCompiled(f"`.{name}()` of an array", node)


def hint(function: Any) -> str:
    """What is compiled in place of a function that is not."""
    name = getattr(function, "__name__", "")
    if isinstance(function, numpy.ufunc) and getattr(math, name, None) in _CALLS:
        return f"`math.{name}` is compiled"
    return ""


def _scalars(w: Writer, args: list[Value], node: ast.AST, work: Callable[[list[Value]], Value], absolute: bool = False) -> Value:
    def checked(given: list[Value]) -> Value:
        if len(given) == 1 and complexes.is_complex(given[0]) and absolute:
            return complexes.absolute(w, given[0], node)
        for value in given:
            if not isinstance(value.kind, Scalar):
                raise NotCompiled(f"a call with {value.kind}", node)
        return work(given)

    return over(w, args, node, checked)


def _one(name: str, work: Callable[[Writer, Value, ast.AST], Value]) -> Compiled:
    def call(w: Writer, args: list[Value], node: ast.AST) -> Value:
        if len(args) != 1:
            raise NotCompiled(f"`{name}` of {len(args)} arguments", node)
        return _scalars(w, args, node, lambda given: work(w, given[0], node), absolute=name == "abs")

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
        kind = _kind(value)
        given = {"i64": int, "f64": float}.get(kind.kind, kind.dtype) if kind.weak else kind.dtype
        try:
            first, out = ufunc.resolve_dtypes((given, None))
        except TypeError as error:
            raise NotCompiled(f"`numpy.{ufunc.__name__}` of {kind}", node) from error
        if first not in KINDS or out not in KINDS or KINDS[first][0] != "f":
            if ufunc is numpy.absolute and not kind.weak and kind.kind[0] == "i":
                return Value(kind, (w.make("abs", value.node),))
            raise NotCompiled(f"`numpy.{ufunc.__name__}` of {kind}", node)
        return Value(Scalar(KINDS[out], False), (w.make(op, cast(w, value, KINDS[first], node)),))

    return call


def _scalar_of(dtype: Any) -> Callable[[Writer, Value, ast.AST], Value]:
    """`numpy.float64(x)` and the like."""
    to = KINDS[numpy.dtype(dtype)]

    def call(w: Writer, value: Value, node: ast.AST) -> Value:
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
    if len(args) == 1 and isinstance(args[0].kind, (Array, View)):
        return Value(INT, (extents(w, args[0])[0],))
    if len(args) == 1 and isinstance(args[0].kind, Several) and args[0].kind.is_tuple:
        return w.integer(len(args[0].kind.items))
    raise NotCompiled("`len` of what is no array", node)


def _divmod(w: Writer, args: list[Value], node: ast.AST) -> Value:
    if len(args) != 2 or not all(isinstance(arg.kind, Scalar) for arg in args):
        raise NotCompiled("`divmod` of what are no two numbers", node)
    parts = [binary(w, op, args[0], args[1], node) for op in (ast.FloorDiv(), ast.Mod())]
    return Value(Several(tuple(part.kind for part in parts)), tuple(n for part in parts for n in part.nodes))


def _operator(op: ast.operator) -> Compiled:
    """A function of NumPy's that is an operator; of numbers of Python's it is another one."""

    def call(w: Writer, args: list[Value], node: ast.AST) -> Value:
        if len(args) != 2 or all(isinstance(arg.kind, Scalar) and arg.kind.weak for arg in args):
            raise NotCompiled("a function of NumPy's of numbers of Python's", node)
        return binary(w, op, args[0], args[1], node)

    return call


def _choice(w: Writer, args: list[Value], node: ast.AST) -> Value:
    """`numpy.where` of three: of elements, or of numbers."""
    if len(args) != 3:
        raise NotCompiled("`numpy.where` of other than three arguments", node)
    if not any(map(elements.is_array, args)):
        raise NotCompiled("`numpy.where` of numbers", node, "write `x if c else y`")

    def work(inner: Writer, given: list[Value]) -> Value:
        first, second = given[1].kind, given[2].kind
        assert isinstance(first, Scalar) and isinstance(second, Scalar)
        if first.weak and second.weak:
            to = "f64" if "f64" in (first.kind, second.kind) else first.kind if first.kind == second.kind else "i64"
        elif first.weak or second.weak:
            to = elements.resolved(numpy.add, (first, second), node)[-1] if "bool" not in (first.kind, second.kind) else ""
        else:
            dtype = numpy.result_type(first.dtype, second.dtype)
            to = KINDS.get(dtype, "")
        if not to:
            raise NotCompiled(f"`numpy.where` of {first} and {second}", node)
        # Python's integers are arrays of 64 bits first, and wrap like those.
        wide = [Value(Scalar("i64", False), value.nodes) if value.kind == INT else value for value in given[1:]]
        chosen = [cast(inner, value, to, node) for value in wide]
        return Value(Scalar(to, False), (inner.make("select", inner.truth(given[0], node), *chosen),))

    return elements.mapped(w, args, lambda inner, given: over(inner, given, node, lambda own: work(inner, own)), node)


def _extremes(word: str, ufunc: Any) -> Compiled:
    """`numpy.minimum` and `numpy.maximum`: NaN where there is one. Which of two zeros it is depends on NumPy's vectors: then code gives up."""

    def work(w: Writer, given: list[Value], node: ast.AST) -> Value:
        kinds = [_kind(value) for value in given]
        first, second, out = elements.resolved(ufunc, kinds, node)
        x, y = cast(w, given[0], first, node), cast(w, given[1], second, node)
        better = w.make(word, x, y)
        if out == "bool":
            raise NotCompiled(f"`numpy.{ufunc.__name__}` of booleans", node)
        if out[0] == "f":
            zero = w.zero(Scalar(out, False))[0]
            zeros = w.make("and", w.make("eq", x, zero), w.make("eq", y, zero))
            one = w.constant(1.0, out)
            apart = w.make("ne", w.make("copysign", one, x), w.make("copysign", one, y))
            x = w.check(w.make("not", w.make("and", zeros, apart)), x, "zeros of both signs", node)
            better = w.make("or", better, w.make("is_nan", x))
        return Value(Scalar(out, False), (w.make("select", better, x, y),))

    def call(w: Writer, args: list[Value], node: ast.AST) -> Value:
        if len(args) != 2:
            raise NotCompiled(f"`numpy.{ufunc.__name__}` of {len(args)} arguments", node)
        return _scalars(w, args, node, lambda given: work(w, given, node))

    return call


def _sign(w: Writer, value: Value, node: ast.AST) -> Value:
    kind = _kind(value)
    if kind.kind == "bool" or kind.kind[0] == "u" or kind.weak:
        raise NotCompiled(f"`numpy.sign` of {kind}", node)
    zero = w.zero(kind)[0]
    one, less = (w.constant(number if kind.kind[0] == "f" else int(number), kind.kind) for number in (1.0, -1.0))
    below = w.make("select", w.make("lt", value.node, zero), less, w.make("select", w.make("eq", value.node, zero), zero, value.node))
    return Value(kind, (w.make("select", w.make("gt", value.node, zero), one, below),))


def _square(w: Writer, value: Value, node: ast.AST) -> Value:
    if _kind(value).weak or _kind(value).kind == "bool":
        raise NotCompiled(f"`numpy.square` of {value.kind}", node)
    return binary(w, ast.Mult(), value, value, node)


def _clip(w: Writer, args: list[Value], node: ast.AST) -> Value:
    if len(args) != 3:
        raise NotCompiled("`numpy.clip` of other than three arguments", node)

    def work(inner: Writer, given: list[Value]) -> Value:
        kinds = {_kind(value).kind for value in given if not _kind(value).weak}
        if len(kinds) != 1 or _kind(given[0]).weak or ("f64" in {_kind(value).kind for value in given} and kinds != {"f64"} and kinds != {"f32"}):
            raise NotCompiled("`numpy.clip` between bounds of other dtypes", node)
        above = _extremes("gt", numpy.maximum)(inner, given[:2], node)
        return _extremes("lt", numpy.minimum)(inner, [above, given[2]], node)

    if any(map(elements.is_array, args)):
        return elements.mapped(w, args, lambda inner, given: over(inner, given, node, lambda own: work(inner, own)), node)
    return _scalars(w, args, node, lambda given: work(w, given))


def _sum(w: Writer, args: list[Value], node: ast.AST) -> Value:
    """Python's `sum` of the elements of an array, one after the other."""
    if len(args) != 1 or not elements.is_array(args[0]) or elements.lazy(w, args[0]).axes != 1:
        raise NotCompiled("`sum` of what is no array of one axis", node)
    found = elements.lazy(w, args[0])
    if found.kind == "bool":
        raise NotCompiled("`sum` of booleans", node, "`numpy.sum` is compiled")
    kind = Scalar(found.kind, False)
    w.demand(w.make("gt", found.extents[0], w.constant(0, "i64")), "`sum` of no elements", node)
    return fold(w, found, [Value(kind, w.zero(kind))], lambda state, element, _: [Value(kind, (w.make("add", state[0].node, element.node),))])[0]


#: Functions that are no ufuncs, and are computed element by element all the same.
_OF_ELEMENTS = (builtins.abs,)
_REDUCED: dict[Any, str] = {getattr(numpy, name): name for name in (*REDUCTIONS, "count_nonzero")} | {numpy.amin: "min", numpy.amax: "max"}

_CALLS: dict[Any, Compiled] = {
    builtins.abs: _one("abs", _absolute),
    builtins.int: _one("int", _int),
    builtins.float: _one("float", _float),
    builtins.bool: _one("bool", lambda w, value, node: Value(BOOL, (w.truth(value, node),))),
    builtins.round: _one("round", _round),
    builtins.min: _least(ast.Lt()),
    builtins.max: _least(ast.Gt()),
    builtins.len: _length,
    builtins.divmod: _divmod,
    builtins.complex: complexes.made,
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
    numpy.where: _choice,
    numpy.clip: _clip,
    numpy.sign: _one("sign", _sign),
    numpy.square: _one("square", _square),
    builtins.sum: _sum,
    numpy.minimum: _extremes("lt", numpy.minimum),
    numpy.maximum: _extremes("gt", numpy.maximum),
    **{
        ufunc: _operator(op)
        for ufunc, op in (
            (numpy.add, ast.Add()), (numpy.subtract, ast.Sub()), (numpy.multiply, ast.Mult()), (numpy.true_divide, ast.Div()), (numpy.floor_divide, ast.FloorDiv()),
            (numpy.remainder, ast.Mod()), (numpy.bitwise_and, ast.BitAnd()), (numpy.bitwise_or, ast.BitOr()), (numpy.bitwise_xor, ast.BitXor()),
        )
    },
    numpy.isnan: _one("isnan", _test("is_nan", False)),
    numpy.isinf: _one("isinf", _test("is_infinite", False)),
    numpy.isfinite: _one("isfinite", _test("is_finite", False)),
    **{dtype.type: _one(dtype.name, _scalar_of(dtype)) for dtype in KINDS},
}  # fmt: skip
