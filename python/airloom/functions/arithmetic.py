"""Operators as Python and NumPy have them: Python's integers do not wrap, and what its floats divide by is not zero; NumPy's scalars wrap, and divide by zero."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy

from airloom.functions.kinds import BOOL, DTYPES, FLOAT, INT, KINDS, Either, Known, Never, Scalar, Unbound, Value, type_of
from airloom.functions.refusals import NotCompiled, form_of
from airloom.functions.writer import Writer

#: Up to here, and down to its negative, every integer is a float.
_EXACT = 1 << 53

_UFUNCS: dict[type[ast.AST], Any] = {
    ast.Add: numpy.add,
    ast.Sub: numpy.subtract,
    ast.Mult: numpy.multiply,
    ast.Div: numpy.true_divide,
    ast.FloorDiv: numpy.floor_divide,
    ast.Mod: numpy.remainder,
    ast.Pow: numpy.power,
    ast.BitAnd: numpy.bitwise_and,
    ast.BitOr: numpy.bitwise_or,
    ast.BitXor: numpy.bitwise_xor,
    ast.LShift: numpy.left_shift,
    ast.RShift: numpy.right_shift,
}
_OPS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "floordiv",
    ast.Mod: "floormod",
    ast.BitAnd: "bitand",
    ast.BitOr: "bitor",
    ast.BitXor: "bitxor",
    ast.LShift: "shl",
    ast.RShift: "shr",
}
_COMPARED: dict[type[ast.AST], str] = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
_SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
}  # fmt: skip


def over(writer: Writer, values: list[Value], node: ast.AST, work: Callable[[list[Value]], Value]) -> Value:
    """What is made of values, each of which may be one of several kinds."""
    if any(isinstance(value.kind, Never) for value in values):
        return Value(Never())
    for at, value in enumerate(values):
        if isinstance(value.kind, Unbound):
            return writer.never("a name is read that has no value", node)
        if isinstance(value.kind, Either):
            rest = values[:at] + values[at + 1 :]
            return writer.each_choice(value, lambda own, others: over(writer, [*others[:at], own, *others[at:]], node, work), rest, node)
    return work(values)


def binary(writer: Writer, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
    """An operator between two values."""
    from airloom.functions import elements

    if (elements.is_array(left) and elements.is_number(right)) or (elements.is_array(right) and elements.is_number(left)):
        return _arrays(writer, type(op), left, right, node)
    return over(writer, [left, right], node, lambda given: _binary(writer, type(op), given[0], given[1], node))


def _binary(w: Writer, op: type[ast.operator], left: Value, right: Value, node: ast.AST) -> Value:
    from airloom.functions import complexes, elements

    x, y = left.kind, right.kind
    if elements.is_array(left) or elements.is_array(right):
        return _arrays(w, op, left, right, node)
    if complexes.is_complex(left, right):
        return complexes.binary(w, op, left, right, node)
    if not isinstance(x, Scalar) or not isinstance(y, Scalar):
        other = x if not isinstance(x, Scalar) else y
        raise NotCompiled(f"`{_SYMBOLS.get(op, '?')}` of {other}", node)
    if op not in _UFUNCS:
        raise NotCompiled(f"the operator `{_SYMBOLS.get(op, '?')}` of numbers", node)
    if x.weak and y.weak:
        if x.kind == y.kind == "bool" and op in (ast.BitAnd, ast.BitOr, ast.BitXor):
            return Value(BOOL, (w.make({ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}[op], left.node, right.node),))
        if "f64" in (x.kind, y.kind):
            return _floats(w, op, to_float(w, left, node), to_float(w, right, node), node)
        return _integers(w, op, to_int(w, left), to_int(w, right), node)
    return _numpy(w, op, left, right, node)


def _arrays(w: Writer, op: type[ast.operator], left: Value, right: Value, node: ast.AST) -> Value:
    """An operator between arrays, or an array and a number: that of their elements."""
    from airloom.functions import elements

    if op not in _UFUNCS:
        raise NotCompiled(f"the operator `{_SYMBOLS.get(op, '?')}` of arrays", node)
    if op is ast.Pow:
        return _power(w, left, right, node)
    return elements.mapped(w, [left, right], lambda inner, given: over(inner, given, node, lambda own: _binary(inner, op, own[0], own[1], node)), node)


def _power(w: Writer, base: Value, exponent: Value, node: ast.AST) -> Value:
    """A power of an array. NumPy has functions of its own for some exponents, and its own loop for the others."""
    from airloom.functions import elements

    known = w.floats.get(exponent.node) if exponent.kind == FLOAT else constant_of(w, exponent.node) if exponent.kind == INT else None
    if known == 2:
        return elements.mapped(w, [base], lambda inner, given: _binary(inner, ast.Mult, given[0], given[0], node), node)
    raise NotCompiled("a power of an array whose exponent is not 2", node, "write it as a product, or use `math.pow` element by element")


def to_int(w: Writer, value: Value) -> int:
    """Python's integer, or boolean, as a node of `i64`."""
    assert isinstance(value.kind, Scalar)
    return w.make("cast", value.node, to=type_of("i64")) if value.kind.kind == "bool" else value.node


def to_float(w: Writer, value: Value, node: ast.AST) -> int:
    """Any number as a node of `f64`, as Python's `float` makes it."""
    assert isinstance(value.kind, Scalar)
    return value.node if value.kind.kind == "f64" else w.make("cast", value.node, to=type_of("f64"))


def constant_of(w: Writer, node: int) -> int | None:
    """The integer that a node is, where it is a constant."""
    found = w.numbers.get(node)
    return found[0] if found is not None and found[1] == "i64" else None


def _integers(w: Writer, op: type[ast.operator], x: int, y: int, node: ast.AST) -> Value:
    """Operators of Python's integers, which give up where they do not fit 64 bits."""

    def number(value: int) -> int:
        return w.constant(value, "i64")

    if op in (ast.Add, ast.Sub, ast.Mult):
        return Value(INT, (w.make(_OPS[op], x, y, site=w.site(node), overflow="raise"),))
    if op in (ast.BitAnd, ast.BitOr, ast.BitXor):
        return Value(INT, (w.make(_OPS[op], x, y),))
    known = constant_of(w, y)
    if op in (ast.FloorDiv, ast.Mod):
        again = (lambda: 1 // 0) if op is ast.FloorDiv else (lambda: 1 % 0)
        if op is ast.FloorDiv and known in (None, -1):
            # The least number by -1 does not fit.
            fits = w.make("or", w.make("ne", y, number(-1)), w.make("ne", x, number(-(1 << 63))))
            x = w.check(fits, x, "an integer leaves 64 bits", node)
        return Value(INT, (w.make(_OPS[op], x, y, site=w.site(node, again), zero="raise"),))
    if op is ast.Div:
        x, y = (_exactly(w, part, node) for part in (x, y))
        return _floats(w, op, w.make("cast", x, to=type_of("f64")), w.make("cast", y, to=type_of("f64")), node, lambda: 1 / 0)
    if op is ast.RShift:
        y = w.check(w.make("ge", y, number(0)), y, "a negative shift", node, lambda: 1 >> -1)
        return Value(INT, (w.make("shr", x, y),))
    if op is ast.LShift:
        within = w.make("and", w.make("ge", y, number(0)), w.make("lt", y, number(63)))
        y = w.check(within, y, "an integer leaves 64 bits", node)
        moved = w.make("shl", x, y)
        return Value(INT, (w.check(w.make("eq", w.make("shr", moved, y), x), moved, "an integer leaves 64 bits", node),))
    if known is not None and 0 <= known <= 16:
        result = number(1)
        for _ in range(known):
            result = x if result == number(1) else w.make("mul", result, x, site=w.site(node), overflow="raise")
        return Value(INT, (result,))
    raise NotCompiled("a power of integers whose exponent is not a small constant", node, "write the exponent as a number, or make the base a float")


def _exactly(w: Writer, x: int, node: ast.AST) -> int:
    """An integer that is a float too; else the code gives up."""

    def number(value: int) -> int:
        return w.constant(value, "i64")

    within = w.make("and", w.make("le", x, number(_EXACT)), w.make("ge", x, number(-_EXACT)))
    return w.check(within, x, "an integer of more than 53 bits meets a float", node)


def _floats(w: Writer, op: type[ast.operator], x: int, y: int, node: ast.AST, again: Callable[[], Any] | None = None) -> Value:
    """Operators of Python's floats."""
    zero = w.constant(0.0, "f64")
    if op in (ast.Add, ast.Sub, ast.Mult):
        return Value(FLOAT, (w.make(_OPS[op], x, y),))
    if op in (ast.Div, ast.FloorDiv, ast.Mod):
        own: dict[type[ast.operator], Callable[[], Any]] = {ast.Div: lambda: 1.0 / 0.0, ast.FloorDiv: lambda: 1.0 // 0.0, ast.Mod: lambda: 1.0 % 0.0}
        y = w.check(w.make("ne", y, zero), y, "division by zero", node, again or own[op])
        return Value(FLOAT, (w.make("div" if op is ast.Div else _OPS[op], x, y),))
    if op is ast.Pow:
        made = w.make("pow", x, y)
        whole = w.make("and", w.make("eq", w.make("floor", y), y), w.make("ne", x, zero))
        real = w.make("or", w.make("gt", x, zero), whole)
        finite = w.make("and", w.make("is_finite", made), w.make("and", w.make("is_finite", x), w.make("is_finite", y)))
        return Value(FLOAT, (w.check(w.make("and", real, finite), made, "a power that is no finite float", node),))
    raise NotCompiled(f"the operator `{_SYMBOLS[op]}` of floats", node)


def _numpy(w: Writer, op: type[ast.operator], left: Value, right: Value, node: ast.AST) -> Value:
    """Operators of which one side at least is a scalar of NumPy's."""
    first, second, out = _resolved(_UFUNCS[op], left.kind, right.kind, node, 3)
    if "bool" in (first, second, out) and not (op in (ast.BitAnd, ast.BitOr, ast.BitXor) and out == "bool"):
        raise NotCompiled(f"the operator `{_SYMBOLS[op]}` of booleans of NumPy's", node)
    x, y = cast(w, left, first, node), cast(w, right, second, node)
    strong = Scalar(out, False)
    if out == "bool":
        return Value(strong, (w.make({ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}[op], x, y),))
    if op is ast.Div:
        return Value(strong, (w.make("div", x, y),))
    if op in (ast.FloorDiv, ast.Mod):
        made = w.make(_OPS[op], x, y) if out[0] == "f" else w.make(_OPS[op], x, y, zero="zero")
        return Value(strong, (made,))
    if op is ast.Pow:
        if out[0] == "f":
            return Value(strong, (w.make("pow", x, y),))
        return Value(strong, (w.make("pow", x, y, site=w.site(node, lambda: numpy.int64(2) ** numpy.int64(-1))),))
    if op in (ast.LShift, ast.RShift):
        y = w.make("cast", y, to=type_of("i64"), mode="wrap") if second != "i64" else y
        if op is ast.RShift:
            # A negative shift, taken without its sign, is greater than any width; and so is an unsigned one that is negative when it is taken with a sign.
            return Value(strong, (w.make("shr", x, y),))
    return Value(strong, (w.make(_OPS[op], x, y),))


def _resolved(ufunc: Any, first: Any, second: Any, node: ast.AST, count: int) -> tuple[str, ...]:
    def weak(kind: Scalar) -> Any:
        return {"i64": int, "f64": float}.get(kind.kind, kind.dtype) if kind.weak else kind.dtype

    try:
        found = ufunc.resolve_dtypes((weak(first), weak(second), None))
    except TypeError as error:
        raise NotCompiled(f"`{ufunc.__name__}` of {first} and {second}", node) from error
    if any(dtype not in KINDS for dtype in found[:count]):
        raise NotCompiled(f"`{ufunc.__name__}` of {first} and {second}, which is of {found[-1]}", node)
    return tuple(KINDS[dtype] for dtype in found[:count])


def cast(w: Writer, value: Value, to: str, node: ast.AST) -> int:
    """A scalar as another dtype of NumPy's, where it meets one: Python's integers must fit it."""
    kind = value.kind
    assert isinstance(kind, Scalar)
    if kind.kind == to:
        return value.node
    if kind.weak and kind.kind == "i64" and to[0] in "iu":
        return fitting(w, value, to, node)
    if to == "f32" and kind.kind[0] in "iu" and kind.weak:
        # By way of Python's float.
        return w.make("cast", w.make("cast", value.node, to=type_of("f64")), to=type_of("f32"))
    if to[0] in "iu" and kind.kind[0] == "f":
        return w.make("cast", value.node, site=w.site(node), to=type_of(to))
    if to == "bool":
        return w.make("cast", value.node, to=type_of("bool"))
    return w.make("cast", value.node, to=type_of(to), mode="wrap")


def fitting(w: Writer, value: Value, to: str, node: ast.AST) -> int:
    """An integer as one of another dtype, which must hold it."""
    kind = value.kind
    assert isinstance(kind, Scalar)
    if kind.kind == "u64":
        return w.make("cast", value.node, site=w.site(node), to=type_of(to))
    known = constant_of(w, value.node) if kind.kind == "i64" else None
    if known is not None and numpy.iinfo(DTYPES[to]).min <= known <= numpy.iinfo(DTYPES[to]).max:
        return w.constant(known, to)
    wide = value.node if kind.kind == "i64" else w.make("cast", value.node, to=type_of("i64"))
    return wide if to == "i64" else w.make("cast", wide, site=w.site(node, holds=DTYPES[to].name), to=type_of(to))


def compare(writer: Writer, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    """A comparison of two values."""
    from airloom.functions import elements

    if (elements.is_array(left) and elements.is_number(right)) or (elements.is_array(right) and elements.is_number(left)):
        return elements.mapped(writer, [left, right], lambda inner, given: compare(inner, op, given[0], given[1], node), node)
    return over(writer, [left, right], node, lambda given: _compare(writer, op, given[0], given[1], node))


def _compare(w: Writer, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    from airloom.functions import complexes, elements

    x, y = left.kind, right.kind
    if isinstance(op, (ast.Is, ast.IsNot)) and isinstance(x, Known | Scalar) and isinstance(y, Known) and y.value is None:
        same = isinstance(x, Known) and x.value is None
        return Value(BOOL, (w.constant(same == isinstance(op, ast.Is), "bool"),))
    if isinstance(x, Known) and isinstance(y, Known) and isinstance(x.value, str) and isinstance(y.value, str) and isinstance(op, (ast.Eq, ast.NotEq)):
        return Value(BOOL, (w.constant((x.value == y.value) == isinstance(op, ast.Eq), "bool"),))
    if type(op) not in _COMPARED:
        raise NotCompiled(f"the comparison by {form_of(op)}", node)
    word = _COMPARED[type(op)]
    if elements.is_array(left) or elements.is_array(right):
        return elements.mapped(w, [left, right], lambda inner, given: _compare(inner, op, given[0], given[1], node), node)
    if complexes.is_complex(left, right):
        return complexes.compare(w, op, left, right, node)
    if not isinstance(x, Scalar) or not isinstance(y, Scalar):
        raise NotCompiled(f"a comparison of {x if not isinstance(x, Scalar) else y}", node)
    if x.weak and y.weak:
        if "f64" in (x.kind, y.kind):
            # Python compares integers with floats exactly.
            sides = [value.node if value.kind == FLOAT else w.make("cast", _exactly(w, to_int(w, value), node), to=type_of("f64")) for value in (left, right)]
        else:
            sides = [to_int(w, left), to_int(w, right)]
        return Value(BOOL, (w.make(word, *sides),))
    both = {x.kind, y.kind}
    strong = Scalar("bool", False)
    if all(kind[0] in "iu" for kind in both) and ((x.weak or y.weak) or "u64" not in both):
        if "u64" in both:
            weak = left if x.weak else right
            checked = w.check(w.make("ge", weak.node, w.constant(0, "i64")), weak.node, "a negative integer meets an unsigned one", node)
            sides = [w.make("cast", checked, to=type_of("u64"), mode="wrap") if value is weak else value.node for value in (left, right)]
        else:
            sides = [w.make("cast", value.node, to=type_of("i64")) if value.kind.kind != "i64" else value.node for value in (left, right)]  # type: ignore[union-attr]
        return Value(strong, (w.make(word, *sides),))
    if "u64" in both and any(kind[0] == "i" for kind in both):
        raise NotCompiled("a comparison of signed and unsigned numbers of 64 bits", node)
    ufunc = {"eq": numpy.equal, "ne": numpy.not_equal, "lt": numpy.less, "le": numpy.less_equal, "gt": numpy.greater, "ge": numpy.greater_equal}[word]
    first, second = _resolved(ufunc, x, y, node, 2)
    if "bool" in (first, second):
        sides = [w.make("cast", cast(w, value, to, node), to=type_of("i64")) for value, to in ((left, first), (right, second))]
    else:
        sides = [cast(w, left, first, node), cast(w, right, second, node)]
    return Value(strong, (w.make(word, *sides),))


def unary(writer: Writer, op: ast.unaryop, value: Value, node: ast.AST) -> Value:
    """`-x`, `+x`, `~x`; `not` is of all values."""
    return over(writer, [value], node, lambda given: _unary(writer, op, given[0], node))


def _unary(w: Writer, op: ast.unaryop, value: Value, node: ast.AST) -> Value:
    from airloom.functions import complexes, elements

    kind = value.kind
    if elements.is_array(value):
        return elements.mapped(w, [value], lambda inner, given: _unary(inner, op, given[0], node), node)
    if complexes.is_complex(value):
        return complexes.unary(w, op, value, node)
    if not isinstance(kind, Scalar):
        raise NotCompiled(f"a sign before {kind}", node)
    if kind.kind == "bool":
        if kind.weak:
            value, kind = Value(INT, (to_int(w, value),)), INT
        elif isinstance(op, ast.Invert):
            return Value(kind, (w.make("not", value.node),))
        else:
            raise NotCompiled("a sign before a boolean of NumPy's", node)
    if isinstance(op, ast.UAdd):
        return value
    if isinstance(op, ast.Invert):
        if kind.kind[0] == "f":
            raise NotCompiled("`~` of a float", node)
        return Value(kind, (w.make("bitnot", value.node),))
    if kind == INT:
        return Value(INT, (w.make("neg", value.node, site=w.site(node), overflow="raise"),))
    return Value(kind, (w.make("neg", value.node),))


def symbol(op: ast.operator) -> str:
    return _SYMBOLS.get(type(op), "?")
