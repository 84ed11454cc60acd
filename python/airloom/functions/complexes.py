"""Python's complex numbers, as two floats."""

from __future__ import annotations

import ast
import sys

from airloom.functions.arithmetic import constant_of, to_float
from airloom.functions.kinds import BOOL, FLOAT, INT, Complex, Kind, Scalar, Value, type_of
from airloom.functions.refusals import NotCompiled
from airloom.functions.writer import Writer


def is_complex(*values: Value) -> bool:
    return any(isinstance(value.kind, Complex) for value in values)


def of_parts(real: int, imaginary: int) -> Value:
    return Value(Complex(), (real, imaginary))


def _as_complex(w: Writer, value: Value, node: ast.AST) -> tuple[int, int]:
    kind: Kind = value.kind
    if isinstance(kind, Complex):
        return value.nodes[0], value.nodes[1]
    if not isinstance(kind, Scalar) or not kind.weak:
        raise NotCompiled(f"a complex number and {kind}", node)
    return to_float(w, value, node), w.constant(0.0, "f64")


def binary(w: Writer, op: type[ast.operator], left: Value, right: Value, node: ast.AST) -> Value:
    """An operator of which one side at least is complex, by the formulas of CPython's. Since 3.14 a float is no complex number before it is added."""
    if sys.version_info >= (3, 14) and not (isinstance(left.kind, Complex) and isinstance(right.kind, Complex)):
        raise NotCompiled("a complex number and a float", node)
    (a, b), (c, d) = _as_complex(w, left, node), _as_complex(w, right, node)

    def times(x: int, y: int) -> int:
        return w.make("mul", x, y)

    if op is ast.Add:
        return of_parts(w.make("add", a, c), w.make("add", b, d))
    if op is ast.Sub:
        return of_parts(w.make("sub", a, c), w.make("sub", b, d))
    if op is ast.Mult:
        return of_parts(w.make("sub", times(a, c), times(b, d)), w.make("add", times(a, d), times(b, c)))
    known = constant_of(w, right.node) if right.kind == INT else None
    if op is ast.Pow and known is not None and 0 < known <= 16:
        return _power(w, (a, b), known, node)
    raise NotCompiled("an operator of complex numbers that is not `+`, `-`, `*` or a small power", node)


def _power(w: Writer, base: tuple[int, int], exponent: int, node: ast.AST) -> Value:
    """A power by squares, beginning with one, as CPython computes it. Where it is not finite, CPython raises."""
    made, square = of_parts(w.constant(1.0, "f64"), w.constant(0.0, "f64")), of_parts(*base)
    bit = 1
    while exponent >= bit:
        if exponent & bit:
            made = binary(w, ast.Mult, made, square, node)
        bit <<= 1
        square = binary(w, ast.Mult, square, square, node)
    finite = w.make("and", *(w.make("is_finite", part) for part in made.nodes))
    return of_parts(*(w.check(finite, part, "a power of a complex number that is not finite", node) for part in made.nodes))


def compare(w: Writer, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    (a, b), (c, d) = _as_complex(w, left, node), _as_complex(w, right, node)
    if not isinstance(op, (ast.Eq, ast.NotEq)) or INT in (left.kind, right.kind):
        raise NotCompiled("a comparison of complex numbers", node)
    same = w.make("and", w.make("eq", a, c), w.make("eq", b, d))
    return Value(BOOL, (same if isinstance(op, ast.Eq) else w.make("not", same),))


def unary(w: Writer, op: ast.unaryop, value: Value, node: ast.AST) -> Value:
    if isinstance(op, ast.UAdd):
        return value
    if isinstance(op, ast.USub):
        return of_parts(*(w.make("neg", part) for part in value.nodes))
    raise NotCompiled("`~` of a complex number", node)


def attribute(w: Writer, value: Value, name: str, node: ast.AST) -> Value:
    if name in ("real", "imag"):
        return Value(FLOAT, (value.nodes[name == "imag"],))
    raise NotCompiled(f"`.{name}` of a complex number", node)


def absolute(w: Writer, value: Value, node: ast.AST) -> Value:
    """`abs`: by the C library's `hypot`, where all is finite."""
    made: int = w.graph.make("host.call", list(value.nodes), w.site(node), {"name": "libm.hypot", "ty": type_of("f64"), "effect": "pure"})
    return Value(FLOAT, (w.check(w.make("is_finite", made), made, "the length of a complex number that is not finite", node),))


def made(w: Writer, args: list[Value], node: ast.AST) -> Value:
    """`complex(x)`, `complex(x, y)` of floats."""
    if not 1 <= len(args) <= 2 or any(not isinstance(arg.kind, Scalar) for arg in args):
        raise NotCompiled("`complex` of what is not one or two numbers", node)
    parts = [to_float(w, arg, node) for arg in args]
    return of_parts(parts[0], parts[1] if len(parts) == 2 else w.constant(0.0, "f64"))
