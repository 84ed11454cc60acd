"""Stores: of a number into an element, of elements into a part of an array, and `+=` and its like."""

from __future__ import annotations

import ast
import platform
from typing import TYPE_CHECKING, Any

import numpy

from airloom.functions import arithmetic, elements, masks, records
from airloom.functions.arithmetic import cast, fitting
from airloom.functions.expressions import indices, subscripted
from airloom.functions.kinds import DTYPES, Array, Never, Scalar, Value, View, choices, type_of
from airloom.functions.refusals import NotCompiled
from airloom.functions.views import as_view

if TYPE_CHECKING:
    from airloom.functions.translate import Translator


def _place(t: Translator, node: ast.Subscript) -> tuple[Value, list[int], tuple[int, ...]]:
    owner, own = indices(t, node)
    if not elements.is_array(owner):
        raise NotCompiled(f"a store to {owner.kind}", node)
    if isinstance(owner.kind, elements.Lazy):
        raise NotCompiled("a store to an array that has no name", node)
    if not t.may_store:
        raise NotCompiled("a store inside of `try` or `with`", node, "compiled code that raises would leave names as they were before")
    return subscripted(t, owner, own, node)


def element(t: Translator, target: ast.Subscript, value: Value) -> None:
    owner, own = indices(t, target)
    if elements.is_array(owner) and (chosen := masks.chosen_by(t, own)) is not None:
        masks.store(t, owner, chosen, value, target)
        return
    found, where, named = _place(t, target)
    assert isinstance(found.kind, View)
    if found.kind.axes:
        elements_of(t, found, value, target)
    else:
        _store(t, found.kind.array, where, named, value, target)


def _store(t: Translator, array: Array, where: list[int], named: tuple[int, ...], value: Value, node: ast.Subscript) -> None:
    w = t.writer
    if array.kind[0] in "iu" and any(kind != Scalar(array.kind, False) for kind in choices(value.kind)):
        # NumPy looks at the position first, and then whether the number fits.
        w.make("arr.at", w.version(array), *where, site=w.site(node, axes=named))
    made = arithmetic.over(w, [value], node, lambda given: _stored(t, given[0], array, node))
    if not isinstance(made.kind, Never):
        w.store(array, w.make("arr.put", w.version(array), made.node, *where, site=w.site(node, axes=named)))


def _stored(t: Translator, value: Value, array: Array, node: ast.AST) -> Value:
    kind = value.kind
    if not isinstance(kind, Scalar):
        raise NotCompiled(f"a store of {kind} to an element", node)
    # NumPy stores an integer that does not fit into an unsigned element, and refuses to store it into a signed one.
    if kind.kind[0] in "iu" and kind.kind != array.kind and array.kind[0] == "i":
        return Value(Scalar(array.kind, False), (fitting(t.writer, value, array.kind, node),))
    if kind.kind[0] == "f" and array.kind[0] == "i":
        value = _integer_of(t, value, node)
        return Value(Scalar(array.kind, False), (fitting(t.writer, value, array.kind, node),))
    if kind.kind[0] == "f" and array.kind[0] == "u":
        return Value(Scalar(array.kind, False), (_unsigned_of(t, value, array.kind, node),))
    return Value(Scalar(array.kind, False), (cast(t.writer, value, array.kind, node),))


def _integer_of(t: Translator, value: Value, node: ast.AST) -> Value:
    """The integer of a float that is stored as one, or what NumPy raises."""
    w = t.writer
    number = arithmetic.to_float(w, value, node)
    w.demand(w.make("not", w.make("is_nan", number)), "a NaN is no integer", node, lambda: int(float("nan")))
    w.demand(w.make("not", w.make("is_infinite", number)), "an infinity is no integer", node, lambda: int(float("inf")))
    within = w.make("and", w.make("ge", number, w.constant(-(2.0**63), "f64")), w.make("lt", number, w.constant(2.0**63, "f64")))
    w.demand(within, "an integer of more than 64 bits", node, _too_large)
    return Value(Scalar("i64", False), (w.make("cast", number, site=w.site(node), to=type_of("i64")),))


#: On these machines C casts floats to integers of 32 or of 64 bits, and takes the lower bits of those; others stop at the ends of the dtype.
_WRAPS = platform.machine() in ("x86_64", "AMD64")


def _unsigned_of(t: Translator, value: Value, to: str, node: ast.AST) -> int:
    """A float as an unsigned integer. One of Python's own must fit; of one of NumPy's the lower bits are stored. Where NumPy warns besides, compiled code does not."""
    w = t.writer
    assert isinstance(value.kind, Scalar)
    if value.kind.weak and to in ("u8", "u16"):
        # By way of a C `long`.
        return fitting(w, _integer_of(t, value, node), to, node)
    number = w.make("trunc", arithmetic.to_float(w, value, node))

    def within(least: float, end: float) -> int:
        return w.make("and", w.make("ge", number, w.constant(least, "f64")), w.make("lt", number, w.constant(end, "f64")))

    if value.kind.weak:
        w.demand(w.make("not", w.make("is_nan", number)), "a NaN is no integer", node, lambda: int(float("nan")))
        w.demand(w.make("not", w.make("is_infinite", number)), "an infinity is no integer", node, lambda: int(float("inf")))
        w.demand(within(-(2.0**63), 2.0**64), "an integer of more than 64 bits", node, _too_large)
    elif not _WRAPS:
        w.demand(within(0.0, 2.0 ** int(to[1:])), "a cast of what does not fit", node, _invalid_cast)
    else:
        least, end = {"u8": (-(2.0**31), 2.0**31), "u16": (-(2.0**31), 2.0**31), "u32": (-(2.0**63), 2.0**63), "u64": (-(2.0**63), 2.0**64)}[to]
        # What the processor has for what does not fit, of which NumPy stores the lower bits.
        invalid = w.constant(-(2.0**63), "f64") if to == "u64" else w.constant(0.0, "f64")
        if to == "u64":
            invalid = w.make("select", w.make("ge", number, w.constant(end, "f64")), w.constant(0.0, "f64"), invalid)
        number = w.make("select", within(least, end), number, invalid)
    is_high = w.make("ge", number, w.constant(2.0**63, "f64"))
    # Floats from here on are multiples of 2048, of which the difference is exact: it has the same 64 bits.
    bits = w.make("cast", w.make("select", is_high, w.make("sub", number, w.constant(2.0**64, "f64")), number), to=type_of("i64"))
    if value.kind.weak:
        site = w.site(node)
        w.sites[site].error = lambda x, high, _: OverflowError(f"Python integer {x + (high << 64)} out of bounds for {DTYPES[to].name}")
        w.demand(within(0.0, 2.0 ** int(to[1:])), "an integer that does not fit", node, None, [bits, w.make("cast", is_high, to=type_of("i64"))], site)
    return w.make("cast", bits, to=type_of(to), mode="wrap")


def _invalid_cast() -> None:
    raise FloatingPointError("invalid value encountered in cast")


def elements_of(t: Translator, target: Value, value: Value, node: ast.AST, in_place: bool = False) -> None:
    """Stores a number, or the elements of an array, into a view."""
    w = t.writer
    assert isinstance(target.kind, View)
    to = target.kind.kind
    if not t.may_store:
        raise NotCompiled("a store inside of `try` or `with`", node, "compiled code that raises would leave names as they were before")

    def converted(given: Value) -> Value:
        return arithmetic.over(w, [given], node, lambda own: _element_of_kind(t, own[0], to, node))

    if not elements.is_number(value) and not elements.is_array(value):
        raise NotCompiled(f"elements that are {value.kind}", node)
    if elements.is_number(value):
        for kind in choices(value.kind):
            assert isinstance(kind, Scalar)
            if not in_place and not kind.weak and kind.kind[0] in "iu" and kind.kind != to and to[0] in "iu":
                raise NotCompiled(f"elements of {to} that are all {kind}", node)
        value = converted(value)
    if not isinstance(value.kind, Never):
        elements.store(w, target, value, converted, t.key(node), node)


def _element_of_kind(t: Translator, given: Value, to: str, node: ast.AST) -> Value:
    kind = given.kind
    assert isinstance(kind, Scalar)
    if kind.kind == to:
        return Value(Scalar(to, False), given.nodes)
    if to == "bool" or kind.kind == "bool" or (to[0] in "iu" and kind.kind[0] == "f"):
        raise NotCompiled(f"elements of {to} that are {kind}", node)
    return Value(Scalar(to, False), (cast(t.writer, given, to, node),))


def augmented(t: Translator, target: ast.expr, op: ast.operator, value: ast.expr, node: ast.AST) -> None:
    w = t.writer
    if isinstance(target, ast.Name):
        old = t.expression(ast.copy_location(ast.Name(target.id, ast.Load()), target))
        if isinstance(old.kind, (Array, View)):
            _in_place(t, as_view(old), op, t.expression(value), node)
            return
        other = t.expression(value)
        made = records.operation(t, op, [old, other], node) if records.is_record(old, other) else arithmetic.binary(w, op, old, other, node)
        w.target = target.id
        made = t.settled(made, node)
        w.target = ""
        t.assign(target, made)
        return
    if not isinstance(target, ast.Subscript):
        raise NotCompiled("an assignment to what is neither a name nor an element", node)
    owner, own = indices(t, target)
    if elements.is_array(owner) and (chosen := masks.chosen_by(t, own)) is not None:
        masks.augment(t, owner, chosen, op, t.expression(value), node)
        return
    found, where, named = _place(t, target)
    assert isinstance(found.kind, View)
    if found.kind.axes:
        _in_place(t, found, op, t.expression(value), node)
        return
    array = found.kind.array
    old = Value(Scalar(array.kind, False), (w.make("arr.at", w.version(array), *where, site=w.site(target, axes=named)),))
    _store(t, array, where, named, arithmetic.binary(w, op, old, t.expression(value), node), target)


def _in_place(t: Translator, target: Value, op: ast.operator, value: Value, node: ast.AST) -> None:
    """`+=` and its like of an array: NumPy computes into it, where the dtype of the result may be cast to its own."""
    w = t.writer
    assert isinstance(target.kind, View)
    made = arithmetic.binary(w, op, target, value, node)
    result: Any = made.kind
    if not isinstance(result, elements.Lazy) or result.axes != target.kind.axes:
        raise NotCompiled("an operation in place whose result has other axes", node)
    if not numpy.can_cast(DTYPES[result.kind], DTYPES[target.kind.kind], "same_kind"):
        raise NotCompiled(f"an operation in place of {target.kind}, whose result is of {DTYPES[result.kind].name}", node)
    elements_of(t, target, made, node, in_place=True)


def _too_large() -> None:
    raise OverflowError("Python int too large to convert to C long")
