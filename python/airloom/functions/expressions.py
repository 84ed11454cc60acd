"""What expressions of Python's come to, as nodes of the graph."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from airloom.functions import arithmetic, calls, complexes, creation, elements, extensions, library, masks, records, views
from airloom.functions.faces import Face
from airloom.functions.iterate import chosen
from airloom.functions.kinds import BOOL, DTYPES, FLOAT, INT, KINDS, Array, Complex, Either, Known, Never, Object, Scalar, Several, Unbound, Value, View, item, observed, references
from airloom.functions.refusals import NotCompiled
from airloom.functions.syntax import names_in, walk

if TYPE_CHECKING:
    from airloom.functions.translate import Translator


def settled_expression(t: Translator, node: ast.expr) -> Value:
    """The value of an expression that is named, or given to a function: an array is computed."""
    return t.settled(t.expression(node), node)


def may_store(*nodes: ast.AST) -> bool:
    """Whether something is called that may store to an array, so that what was read before must have been computed."""
    called = (part.func for node in nodes for part in walk(node) if isinstance(part, ast.Call))
    return any(not (isinstance(func, ast.Name) and func.id in _HARMLESS) and not (isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in _MODULES) for func in called)


#: What modules are called whose functions store to nothing that they are given.
_MODULES = ("np", "numpy", "math")
_HARMLESS = frozenset((*_MODULES, *dir(builtins)))


def constant(t: Translator, value: Any, node: ast.AST) -> Value:
    w = t.writer
    match value:
        case bool():
            return Value(BOOL, (w.constant(value, "bool"),))
        case int():
            if not -(1 << 63) <= value < 1 << 63:
                raise NotCompiled("an integer of more than 64 bits", node)
            return w.integer(value)
        case float():
            return Value(FLOAT, (w.constant(value, "f64"),))
        case complex():
            return complexes.of_parts(w.constant(value.real, "f64"), w.constant(value.imag, "f64"))
        case None:
            return Value(Known(None))
    return Value(Known(value))


def read(t: Translator, name: str, node: ast.AST) -> Value:
    """The value of a name: a local one, or one outside of the function, which is guarded where the code is not given it."""
    found = t.writer.scope.names.get(name)
    if found is None:
        if name in t.locals:
            return t.writer.never("a name is read that has no value", node)
        return outside(t, name, node)
    if isinstance(found.kind, Unbound):
        return t.writer.never("a name is read that has no value", node)
    if isinstance(found.kind, Either) and any(isinstance(kind, Unbound) for kind in found.kind.choices):
        return t.writer.each_choice(found, lambda own, _: own, (), node)
    return found


def outside(t: Translator, name: str, node: ast.AST) -> Value:
    """A global name of a function that was called: code is made for what it stands for now."""
    space = t.globals
    if name in space:
        value = space[name]
        t.guards.append((space, name, value))
    elif hasattr(builtins, name):
        value = getattr(builtins, name)
        t.guards.append((vars(builtins), name, value))
    else:
        raise NotCompiled(f"`{name}`, which is not known", node)
    kind = observed(value, -1)
    if isinstance(kind, Array):
        raise NotCompiled(f"the array `{name}`, which the function that is called finds outside", node, "pass it as an argument")
    return of_object(t, value, node)


def of_object(t: Translator, value: Any, node: ast.AST) -> Value:
    """A number of Python's or NumPy's as a constant; another object as itself."""
    kind = observed(value, -1)
    if isinstance(kind, Scalar) and (kind.weak or kind.kind):
        if kind == INT and not -(1 << 63) <= value < 1 << 63:
            raise NotCompiled("an integer of more than 64 bits", node)
        plain = bool(value) if kind.kind == "bool" else float(value) if kind.kind[0] == "f" else int(value)
        return Value(kind, (t.writer.constant(plain, kind.kind),))
    if isinstance(kind, Complex):
        return constant(t, value, node)
    return Value(Known(value))


def chained(t: Translator, first: Value, middle: Value, others: Callable[[Value], Value], nodes: Sequence[ast.expr], node: ast.AST) -> Value:
    """A comparison, and where it holds, those that go on from its right side."""
    w = t.writer
    (found,) = w.branch(w.truth(first, node), lambda given: [t.settled(others(given[0]), node)], lambda given: [given[1]], names_in(*nodes), [middle, first])
    return found


def boolean(t: Translator, is_and: bool, values: Sequence[ast.expr], node: ast.AST) -> Value:
    """`and` and `or`, which give one of their operands."""
    w = t.writer
    first = settled_expression(t, values[0])
    if len(values) == 1:
        return first
    condition = w.truth(first, values[0])
    rest, first_value = values[1:], first
    own, other = (lambda given: [given[0]]), (lambda _: [boolean(t, is_and, rest, node)])
    (found,) = w.branch(condition, other if is_and else own, own if is_and else other, names_in(*rest), [first_value])
    return found


def conditional(t: Translator, condition: int, then: ast.expr, otherwise: ast.expr) -> Value:
    """A conditional expression."""
    (found,) = t.writer.branch(condition, lambda _: [settled_expression(t, then)], lambda _: [settled_expression(t, otherwise)], names_in(then, otherwise))
    return found


def several(t: Translator, parts: Sequence[ast.expr]) -> Value:
    """A tuple."""
    found = [settled_expression(t, part) for part in parts]
    return Value(Several(tuple(part.kind for part in found)), tuple(n for part in found for n in part.nodes))


def indices(t: Translator, node: ast.Subscript) -> tuple[Value, list[ast.expr]]:
    """The array that is indexed, and its indices: `a[i][j]` is `a[i, j]`, where `j` raises nothing. Else `a[i]` raises before `j` does."""
    own = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if isinstance(node.value, ast.Subscript):
        plain = all(map(_raises_nothing, own))
        owner, before = indices(t, node.value)
        if isinstance(owner.kind, Array) and before:
            if plain and len(before) + len(own) == owner.kind.axes and not any(isinstance(part, (ast.Slice, ast.Constant)) and getattr(part, "value", ...) in (None, ...) for part in before + own):
                return owner, before + own
        if before:
            return _element_of(t, owner, before, node.value), own
    return t.expression(node.value), own


def _raises_nothing(node: ast.expr) -> bool:
    """Whether an index is a sum, a difference or a product of names and constants."""
    return all(isinstance(part, (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Add, ast.Sub, ast.Mult, ast.USub)) for part in walk(node))


def axes(node: ast.Subscript) -> tuple[int, ...]:
    """The axis that NumPy names for each index of `indices`."""
    own = tuple(range(len(node.slice.elts))) if isinstance(node.slice, ast.Tuple) else (0,)
    return (*axes(node.value), *own) if isinstance(node.value, ast.Subscript) else own


def subscript(t: Translator, node: ast.Subscript) -> Value:
    owner, own = indices(t, node)
    return _element_of(t, owner, own, node)


def _element_of(t: Translator, owner: Value, own: list[ast.expr], node: ast.Subscript) -> Value:
    w = t.writer
    if isinstance(owner.kind, Several) and owner.kind.is_tuple:
        index = own[0]
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub) and isinstance(index.operand, ast.Constant):
            number: Any = -index.operand.value  # type: ignore[operator]
        else:
            number = index.value if isinstance(index, ast.Constant) else None
        if len(own) == 1 and type(number) is int and -len(owner.kind.items) <= number < len(owner.kind.items):
            return item(owner, number % len(owner.kind.items))
        if len(own) != 1 or len(set(owner.kind.items)) != 1 or references(owner.kind) or isinstance(index, ast.Slice):
            raise NotCompiled("an index of a tuple of several kinds, or of arrays, that is not a constant", node)
        return _item_at(t, owner, settled_expression(t, index), node)
    if isinstance(owner.kind, Object):
        if len(own) != 1 or isinstance(own[0], ast.Slice):
            raise NotCompiled(f"a slice of {owner.kind}", node)
        return owner.kind.face.item(t, owner, t.expression(own[0]), node)
    if (chosen := masks.chosen_by(t, own)) is not None:
        return masks.read(t, t.settled(owner, node.value), chosen, node)
    found: Value
    found, where, named = subscripted(t, owner, own, node)
    assert isinstance(found.kind, View)
    if found.kind.axes:
        return found
    return Value(Scalar(found.kind.kind, False), (w.make("arr.at", w.version(found.kind.array), *where, site=w.site(node, axes=named)),))


def _item_at(t: Translator, items: Value, index: Value, node: ast.AST) -> Value:
    """The item of a tuple at a position that is computed; all are of one kind."""
    w = t.writer
    assert isinstance(items.kind, Several)
    at = views.index_of(w, index, node).node
    size = w.constant(len(items.kind.items), "i64")
    counted = w.make("select", w.make("lt", at, w.constant(0, "i64")), w.make("add", at, size), at)
    inside = w.make("and", w.make("ge", counted, w.constant(0, "i64")), w.make("lt", counted, size))
    found = chosen(w, items, counted)
    site = w.site(node)
    w.sites[site].error = lambda *_: IndexError("tuple index out of range")
    checked = w.make("seq.check", inside, w.make("tuple", *found.nodes), site=site, message="an index is outside of a tuple")
    return Value(found.kind, tuple(w.spread(checked, len(found.nodes))))


def subscripted(t: Translator, owner: Value, own: list[ast.expr], node: ast.Subscript) -> tuple[Value, list[int], tuple[int, ...]]:
    """What a subscript of an array stands for: a view, or, where it has no axes, the position of an element, with the axis that NumPy names for each index."""
    w = t.writer
    owner = t.settled(owner, node.value)
    if not isinstance(owner.kind, (Array, View)):
        raise NotCompiled(f"an element of {owner.kind}", node)
    plain = not any(isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and part.value in (None, Ellipsis)) or views._is_new(part) for part in own)
    if plain and len(own) == owner.kind.axes:
        indices_of = []
        for part in own:
            value = arithmetic.over(w, [t.expression(part)], part, lambda given, part=part: views.index_of(w, given[0], part))  # type: ignore[misc]
            indices_of.append(w.constant(0, "i64") if isinstance(value.kind, Never) else value.node)
        if isinstance(owner.kind, Array):
            return Value(View(owner.kind, ("at",) * owner.kind.axes), tuple(indices_of)), indices_of, axes(node)
        where, named = views.element(w, owner, indices_of, node)
        return Value(View(owner.kind.array, ("at",) * owner.kind.array.axes), tuple(where)), where, named
    found = views.narrowed(t, owner, own, node)
    return found, views.positions(w, found, []) if not found.kind.axes else [], ()  # type: ignore[union-attr]


def attribute(t: Translator, owner: Value, name: str, node: ast.AST) -> Value:
    w, kind = t.writer, owner.kind
    if elements.is_array(owner):
        sizes = elements.lazy(w, owner).extents
        if name == "shape":
            return Value(Several((INT,) * len(sizes)), tuple(sizes))
        if name == "ndim":
            return w.integer(len(sizes))
        if name == "size":
            size = sizes[0]
            for extent in sizes[1:]:
                size = w.make("mul", size, extent, site=w.site(node), overflow="raise")
            return Value(INT, (size,))
        if name == "dtype":
            return Value(Known(DTYPES[elements.lazy(w, owner).kind]))
        raise NotCompiled(f"`.{name}` of an array", node)
    if isinstance(kind, Object):
        return kind.face.attribute(t, owner, name, node)
    if records.is_record(owner):
        return records.attribute(t, owner, name, node)
    if complexes.is_complex(owner):
        return complexes.attribute(w, owner, name, node)
    if isinstance(kind, Known) and isinstance(kind.value, types.ModuleType):
        space = vars(kind.value)
        # Some modules find what they have when they are asked for it.
        if name not in space and not hasattr(kind.value, name):
            raise NotCompiled(f"`{kind.value.__name__}.{name}`", node)
        found = getattr(kind.value, name)
        if name in space:
            t.guards.append((space, name, found))
        return of_object(t, found, node)
    raise NotCompiled(f"`.{name}` of {kind}", node)


def method(t: Translator, owner: Value, name: str, node: ast.Call) -> Value | None:
    """What a method of an array, or of an object of a user's, makes."""
    if elements.is_array(owner):
        return calls.method(t, owner, name, *t.arguments(node), node)
    if isinstance(owner.kind, Object):
        return owner.kind.face.method(t, owner, name, *_settled_arguments(t, node), node)
    if records.is_record(owner):
        return records.method(t, owner, name, *_settled_arguments(t, node), node)
    return None


def call(t: Translator, called: Value, node: ast.Call) -> Value:
    """What a function makes of the arguments of a call."""
    if not isinstance(called.kind, Known):
        raise NotCompiled(f"a call of {called.kind}", node)
    function = called.kind.value
    from airloom.functions.driver import Jitted
    from airloom.functions.reducers import Reducer

    if isinstance(function, Jitted):
        function = function.__wrapped__
    if extensions.is_overloaded(function):
        return _overloaded(t, function, node)
    if isinstance(function, Reducer) and len(node.args) == 1 and not node.keywords:
        return _reduced(t, function, settled_expression(t, node.args[0]), node)
    if isinstance(function, type) and function in records.TYPES:
        return records.made(t, records.TYPES[function], *_settled_arguments(t, node), node)
    if isinstance(function, type) and issubclass(function, tuple) and hasattr(function, "_fields"):
        return records.tuple_of(t, function, *_settled_arguments(t, node), node)
    if isinstance(function, types.FunctionType) and not calls.is_known(function):
        return t.inlined(function, *_settled_arguments(t, node), node)
    if function is numpy.array and len(node.args) == 1 and not node.keywords and isinstance(node.args[0], (ast.List, ast.Tuple)):
        return _array_of(t, node.args[0], node)
    args, named = t.arguments(node)
    if isinstance(function, Face):
        return function.made(args)
    if len(args) == 1 and not named and isinstance(args[0].kind, Object):
        return args[0].kind.face.given_to(t, function, args[0], node)
    made = calls.called(t, function, args, named, node)
    if made is None:
        raise NotCompiled(f"`{ast.unparse(node.func)}` is not compiled", node, calls.hint(function))
    return made


def _reduced(t: Translator, reducer: Any, array: Value, node: ast.Call) -> Value:
    """An array of one axis by a reduction that a user has written."""
    w = t.writer
    if not isinstance(array.kind, (Array, View)) or array.kind.axes != 1:
        raise NotCompiled(f"the reducer `{reducer.__name__}` of {array.kind}", node)
    loop, dtype = reducer.loop_for(DTYPES[array.kind.kind])
    if dtype not in KINDS:
        raise NotCompiled(f"the reducer `{reducer.__name__}`, which gives {dtype}", node)
    begin = of_object(t, dtype.type(reducer.identity), node)
    made = t.inlined(loop.__wrapped__, [array, begin], {}, node)
    to = KINDS[dtype]
    return arithmetic.over(w, [made], node, lambda given: Value(Scalar(to, False), (arithmetic.cast(w, given[0], to, node),)))


def _overloaded(t: Translator, function: Any, node: ast.Call) -> Value:
    """A call of a function of which a user has said how it is compiled."""
    args, named = _settled_arguments(t, node)
    body = extensions.chosen(function, [arg.kind for arg in args], {name: value.kind for name, value in named.items()})
    if body is not None:
        return t.inlined(body, args, named, node)
    if isinstance(function, types.FunctionType) and not calls.is_known(function):
        return t.inlined(function, args, named, node)
    made = calls.called(t, function, args, named, node)
    if made is None:
        raise NotCompiled(f"`{ast.unparse(node.func)}` is not compiled, and no overload takes these arguments", node, calls.hint(function))
    return made


def _array_of(t: Translator, items: ast.List | ast.Tuple, node: ast.AST) -> Value:
    is_table = bool(items.elts) and all(isinstance(item, (ast.List, ast.Tuple)) for item in items.elts)
    rows = [row.elts for row in items.elts if isinstance(row, (ast.List, ast.Tuple))] if is_table else [items.elts]
    return creation.of_items(t.writer, [[t.expression(item) for item in row] for row in rows], is_table, t.key(node), node)


def _settled_arguments(t: Translator, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
    return [settled_expression(t, arg) for arg in node.args], {word.arg or "": settled_expression(t, word.value) for word in node.keywords}
