"""Expressions of Python's as nodes of the graph, evaluated in Python's order."""

from __future__ import annotations

import ast
import builtins
import types
from typing import TYPE_CHECKING, Any

from airloom.functions import arithmetic, calls
from airloom.functions.kinds import BOOL, FLOAT, INT, Array, Either, Known, Never, Scalar, Several, Unbound, Value, item, observed
from airloom.functions.refusals import NotCompiled, form_of

if TYPE_CHECKING:
    from airloom.functions.translate import Translator


def names_in(*nodes: ast.AST) -> list[str]:
    """All names in a piece of the program, in their order."""
    return list(dict.fromkeys(part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)))


def expression(t: Translator, node: ast.expr) -> Value:
    """The value of an expression."""
    try:
        return _expression(t, node)
    except NotCompiled as error:
        raise error.at(node) from None


def _expression(t: Translator, node: ast.expr) -> Value:
    w = t.writer
    match node:
        case ast.Constant(value=value):
            return constant(t, value, node)
        case ast.Name(id=name):
            return read(t, name, node)
        case ast.BinOp(left=left, op=op, right=right):
            x = expression(t, left)
            return arithmetic.binary(w, op, x, expression(t, right), node)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if not isinstance(value, bool):
            return constant(t, -value, node)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Value(BOOL, (w.make("not", w.truth(expression(t, operand), operand)),))
        case ast.UnaryOp(op=op, operand=operand):
            return arithmetic.unary(w, op, expression(t, operand), node)
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _comparison(t, expression(t, left), list(ops), list(others), node)
        case ast.BoolOp(op=op, values=values):
            return _boolean(t, isinstance(op, ast.And), list(values), node)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition = w.truth(expression(t, test), test)
            names = names_in(body, orelse)
            (found,) = w.branch(condition, lambda _: [expression(t, body)], lambda _: [expression(t, orelse)], names)
            return found
        case ast.Tuple(elts=parts):
            found_parts = [expression(t, part) for part in parts]
            return Value(Several(tuple(part.kind for part in found_parts)), tuple(n for part in found_parts for n in part.nodes))
        case ast.Subscript():
            return _subscript(t, node)
        case ast.Attribute(value=owner, attr=name):
            return _attribute(t, expression(t, owner), name, node)
        case ast.Call():
            return _call(t, node)
    raise NotCompiled(f"{form_of(node)} is not compiled", node)


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
    return Value(Known(value))


def _comparison(t: Translator, left: Value, ops: list[ast.cmpop], others: list[ast.expr], node: ast.AST) -> Value:
    w = t.writer
    right = expression(t, others[0])
    first = arithmetic.compare(w, ops[0], left, right, node)
    if len(ops) == 1:
        return first
    names = names_in(*others[1:])
    (found,) = w.branch(
        w.truth(first, node),
        lambda given: [_comparison(t, given[0], ops[1:], others[1:], node)],
        lambda given: [given[1]],
        names,
        [right, first],
    )
    return found


def _boolean(t: Translator, is_and: bool, values: list[ast.expr], node: ast.AST) -> Value:
    """`and` and `or`, which give one of their operands."""
    w = t.writer
    first = expression(t, values[0])
    if len(values) == 1:
        return first
    condition = w.truth(first, values[0])
    rest, first_value = values[1:], first
    own, other = (lambda given: [given[0]]), (lambda _: [_boolean(t, is_and, rest, node)])
    (found,) = w.branch(condition, other if is_and else own, own if is_and else other, names_in(*rest), [first_value])
    return found


def indices(t: Translator, node: ast.Subscript) -> tuple[Value, list[ast.expr]]:
    """The array that is indexed, and its indices: `a[i][j]` is `a[i, j]`."""
    own = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if isinstance(node.value, ast.Subscript):
        owner, before = indices(t, node.value)
        if isinstance(owner.kind, Array) and before:
            return owner, before + own
    return expression(t, node.value), own


def axes(node: ast.Subscript) -> tuple[int, ...]:
    """The axis that NumPy names for each index of `indices`."""
    own = tuple(range(len(node.slice.elts))) if isinstance(node.slice, ast.Tuple) else (0,)
    return (*axes(node.value), *own) if isinstance(node.value, ast.Subscript) else own


def positions(t: Translator, array: Array, own: list[ast.expr], node: ast.AST) -> list[int]:
    """Indices as nodes, one for each axis."""
    if any(isinstance(part, ast.Slice) for part in own):
        raise NotCompiled("a slice", node, "write the loop over its elements")
    if len(own) != array.axes:
        raise NotCompiled(f"{len(own)} indices of an array of {array.axes} axes, which is an array", node, "write an index for each axis")
    found = []
    for part in own:
        value = arithmetic.over(t.writer, [expression(t, part)], part, lambda given, part=part: _index(t, given[0], part))  # type: ignore[misc]
        found.append(t.writer.constant(0, "i64") if isinstance(value.kind, Never) else value.node)
    return found


def _index(t: Translator, value: Value, node: ast.AST) -> Value:
    w, kind = t.writer, value.kind
    if not isinstance(kind, Scalar) or kind.kind == "bool" or kind.kind[0] == "f":
        raise NotCompiled(f"an index that is {kind}", node)
    if kind.kind == "i64":
        return Value(INT, value.nodes)
    from airloom.functions.kinds import type_of

    return Value(INT, (w.make("cast", value.node, site=w.site(node), to=type_of("i64")),))


def _subscript(t: Translator, node: ast.Subscript) -> Value:
    w = t.writer
    owner, own = indices(t, node)
    if isinstance(owner.kind, Several):
        index = own[0]
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub) and isinstance(index.operand, ast.Constant):
            number: Any = -index.operand.value  # type: ignore[operator]
        else:
            number = index.value if isinstance(index, ast.Constant) else None
        if len(own) != 1 or type(number) is not int or not -len(owner.kind.items) <= number < len(owner.kind.items):
            raise NotCompiled("an index of a tuple that is not a constant", node)
        return item(owner, number % len(owner.kind.items))
    if not isinstance(owner.kind, Array):
        raise NotCompiled(f"an element of {owner.kind}", node)
    where = positions(t, owner.kind, own, node)
    return Value(Scalar(owner.kind.kind, False), (w.make("arr.at", w.version(owner.kind), *where, site=w.site(node, axes=axes(node))),))


def _attribute(t: Translator, owner: Value, name: str, node: ast.AST) -> Value:
    w, kind = t.writer, owner.kind
    if isinstance(kind, Array):
        if name == "shape":
            extents = [w.make("arr.dim", w.version(kind), axis=axis) for axis in range(kind.axes)]
            return Value(Several((INT,) * kind.axes), tuple(extents))
        if name == "ndim":
            return w.integer(kind.axes)
        if name == "size":
            size = w.make("arr.dim", w.version(kind))
            for axis in range(1, kind.axes):
                size = w.make("mul", size, w.make("arr.dim", w.version(kind), axis=axis), site=w.site(node), overflow="raise")
            return Value(INT, (size,))
        raise NotCompiled(f"`.{name}` of an array", node)
    if isinstance(kind, Known) and isinstance(kind.value, types.ModuleType):
        space = vars(kind.value)
        if name not in space:
            raise NotCompiled(f"`{kind.value.__name__}.{name}`", node)
        t.guards.append((space, name, space[name]))
        return of_object(t, space[name], node)
    raise NotCompiled(f"`.{name}` of {kind}", node)


def _call(t: Translator, node: ast.Call) -> Value:
    called = expression(t, node.func)
    if not isinstance(called.kind, Known):
        raise NotCompiled(f"a call of {called.kind}", node)
    function = called.kind.value
    text = ast.unparse(node.func)
    if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
        raise NotCompiled(f"`{text}` with arguments by name, or `*`", node)
    if (compiled := calls.found(function)) is not None:
        return compiled(t.writer, [expression(t, arg) for arg in node.args], node)
    from airloom.functions.driver import Jitted

    if isinstance(function, Jitted):
        function = function.__wrapped__
    if isinstance(function, types.FunctionType):
        return t.inlined(function, [expression(t, arg) for arg in node.args], node)
    raise NotCompiled(f"`{text}` is not compiled", node, calls.hint(function))
