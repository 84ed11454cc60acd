"""Which loops may be run on every core: no turn reads or stores what another one stores. The same words say why another loop is not.

All that is looked at is syntax: names, subscripts that are the number of a turn plus a constant, and what is called. What depends on values (where arrays end, how often a loop turns) is looked at when the loop is entered.
"""

from __future__ import annotations

import ast
import weakref
from collections.abc import Iterator
from dataclasses import dataclass

from airloom.functions.liveness import read_first
from airloom.functions.refusals import NotCompiled
from airloom.functions.syntax import assigned, jumps, loads, walk

#: Functions that store to nothing that they are given.
_PURE = frozenset(("abs", "bool", "float", "int", "len", "max", "min", "range", "round"))
#: Modules all of whose functions that are compiled store to nothing that they are given.
_MODULES = frozenset(("math", "np", "numpy"))


@dataclass(frozen=True)
class Independent:
    """A loop whose turns do not depend on one another: the name of its number, and the arrays that it stores to, with the axis along which turns have elements of their own."""

    number: str
    stored: dict[str, int]


_FOUND: weakref.WeakKeyDictionary[ast.AST, Independent | NotCompiled] = weakref.WeakKeyDictionary()


def independent(loop: ast.For, root: ast.AST) -> Independent:
    """What makes the turns of a loop independent; `NotCompiled` says what does not. `root` is the function around it."""
    found = _FOUND.get(loop)
    if found is None:
        try:
            found = _independent(loop, root)
        except NotCompiled as why:
            found = why
        _FOUND[loop] = found
    if isinstance(found, NotCompiled):
        raise found
    return found


def _independent(loop: ast.For, root: ast.AST) -> Independent:
    number = loop.target.id if isinstance(loop.target, ast.Name) else ""
    if not number or not is_range(loop.iter):
        raise NotCompiled("it goes over something else than `range`", loop)
    if loop.orelse or jumps(*loop.body):
        raise NotCompiled("it may be left before its end" if jumps(*loop.body) & {ast.Break, ast.Return} else "it has `continue` or `else`", loop)
    if any(isinstance(inner, ast.With) for inner in walk(loop)):
        raise NotCompiled("it has a region of `objmode`", loop)
    if number in assigned(*loop.body):
        raise NotCompiled(f"it assigns to its number `{number}`", loop)
    _only_pure_calls(loop)
    _names(loop, root)
    return Independent(number, _arrays(loop, number))


def is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range" and 1 <= len(node.args) <= 3 and not node.keywords


def _only_pure_calls(loop: ast.For) -> None:
    for node in walk(loop):
        if isinstance(node, ast.Call):
            function = node.func
            of_module = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id in _MODULES
            if not of_module and not (isinstance(function, ast.Name) and function.id in _PURE):
                raise NotCompiled(f"`{ast.unparse(function)}` is called in it, which may store to an array", node)
        if isinstance(node, (ast.While, ast.Assert, ast.Raise)):
            raise NotCompiled("there is a `while` in it" if isinstance(node, ast.While) else "it may raise", node)


def _names(loop: ast.For, root: ast.AST) -> None:
    """Each name that the loop gives values to is one turn's own, and what it has after the loop is what the last turn gave it."""
    carried = read_first(loop)
    always = {name for statement in loop.body if isinstance(statement, ast.Assign) for name in assigned(statement)}
    for name in assigned(*loop.body):
        if name in carried:
            sums = any(isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name for node in walk(loop))
            hint = "`airloom.prange` combines in another order, on every core" if sums else ""
            raise NotCompiled(f"a turn reads `{name}` from the turn before", loop, hint)
        if name not in always and _is_read_outside(name, loop, root):
            raise NotCompiled(f"`{name}` is read after it, and may be of any turn", loop)


def _is_read_outside(name: str, loop: ast.For, root: ast.AST) -> bool:
    """Whether a name may be read outside of a loop, with a value that the loop gave it. The turns of other loops that give it one before they read it do not ask for it; what those go over does."""
    others = [node for node in walk(root) if isinstance(node, ast.For) and node is not loop and name in assigned(node) and name not in read_first(node) and loop not in walk(node)]
    outermost = [node for node in others if not any(node is not other and node in walk(other) for other in others)]
    elsewhere = [statement for node in outermost if node not in walk(loop) for statement in node.body]
    return loads(root).get(name, 0) > loads(loop).get(name, 0) + sum(loads(statement).get(name, 0) for statement in elsewhere)


def _arrays(loop: ast.For, number: str) -> dict[str, int]:
    """The arrays that are stored to: all that is done with each is done at the number of the turn plus one constant, along one axis."""
    accesses: dict[str, list[tuple[ast.Subscript, list[ast.expr]]]] = {}
    stored: list[str] = []
    parts: set[int] = set()
    for node in walk(loop):
        if isinstance(node, ast.Subscript) and id(node) not in parts:
            owner, indices, inner = _access(node)
            parts.update(map(id, inner))
            is_store = isinstance(node.ctx, ast.Store)
            if owner is None:
                if is_store:
                    raise NotCompiled("it stores to something that has no name", node)
                continue
            accesses.setdefault(owner.id, []).append((node, indices))
            parts.add(id(owner))
            if is_store and owner.id not in stored:
                stored.append(owner.id)
    if not stored:
        raise NotCompiled("it stores to no array", loop)
    found: dict[str, int] = {}
    inside = assigned(*loop.body)
    for name in stored:
        if name in inside:
            raise NotCompiled(f"`{name}`, which it stores to, is another array in each turn", loop)
        _only_measured(loop, name, parts)
        found[name] = _axis(name, accesses[name], number)
    return found


def _access(node: ast.Subscript) -> tuple[ast.Name | None, list[ast.expr], list[ast.AST]]:
    """The name that is subscripted, all its indices (`a[i][j]` is `a[i, j]`), and the subscripts inside of this one."""
    indices: list[ast.expr] = []
    inner: list[ast.AST] = []
    found: ast.expr = node
    while isinstance(found, ast.Subscript):
        own = list(found.slice.elts) if isinstance(found.slice, ast.Tuple) else [found.slice]
        if indices and any(isinstance(part, ast.Slice) for part in own):
            # What is taken of a slice is not where the index says.
            return None, [], []
        if any(isinstance(part, ast.Constant) and type(part.value) is not int for part in own):
            # After `...` and `None` an index is of another axis than its position says.
            return None, [], []
        indices = own + indices
        found = found.value
        inner.append(found)
    return (found if isinstance(found, ast.Name) else None), indices, inner


def _only_measured(loop: ast.For, name: str, subscripted: set[int]) -> None:
    """No array that is stored to is used as a whole, but for its extents."""
    measured = {id(node.value) for node in walk(loop) if isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "ndim")}
    measured |= {id(arg) for node in walk(loop) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" for arg in node.args}
    for node in walk(loop):
        if isinstance(node, ast.Name) and node.id == name and id(node) not in subscripted | measured:
            raise NotCompiled(f"`{name}`, which it stores to, is used as a whole", node)


def _axis(name: str, accesses: list[tuple[ast.Subscript, list[ast.expr]]], number: str) -> int:
    """The axis at which every access of an array is the number of the turn plus the same constant."""
    axes = min(len(indices) for _, indices in accesses)
    first = next(node for node, _ in accesses if isinstance(node.ctx, ast.Store))
    for axis in range(axes):
        offsets = [offset_of(indices[axis], number) for _, indices in accesses]
        if offsets[0] is not None and all(offset == offsets[0] for offset in offsets):
            return axis
    own = _form(first)
    for node, _ in accesses:
        if _form(node) != own:
            word = "stores to" if isinstance(node.ctx, ast.Store) else "reads"
            raise NotCompiled(f"line {node.lineno} {word} `{ast.unparse(node)}`, and another turn may store there (line {first.lineno}: `{ast.unparse(first)}`)", node)
    raise NotCompiled(f"`{ast.unparse(first)}` may be stored to by several turns", first)


def _form(node: ast.AST) -> list[tuple[type, object]]:
    """What an expression of subscripts is, wherever it stands."""
    return [(type(part), (type(part.value), part.value) if isinstance(part, ast.Constant) else getattr(part, "id", getattr(part, "attr", None))) for part in walk(node)]


def offset_of(index: ast.expr, number: str) -> int | None:
    """The constant that is added to the number of the turn."""
    match index:
        case ast.Name(id=name) if name == number:
            return 0
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=ast.Constant(value=int() as value)) if name == number:
            return value
        case ast.BinOp(left=ast.Constant(value=int() as value), op=ast.Add(), right=ast.Name(id=name)) if name == number:
            return value
        case ast.BinOp(left=ast.Name(id=name), op=ast.Sub(), right=ast.Constant(value=int() as value)) if name == number:
            return -value
    return None


def loops_of(statements: list[ast.stmt]) -> Iterator[tuple[ast.For | ast.While, ast.For | ast.While | None]]:
    """All loops, each with the one around it."""
    stack: list[tuple[ast.AST, ast.For | ast.While | None]] = [(statement, None) for statement in reversed(statements)]
    while stack:
        node, around = stack.pop()
        if isinstance(node, (ast.For, ast.While)):
            yield node, around
            around = node
        stack.extend((child, around) for child in reversed(list(ast.iter_child_nodes(node))) if isinstance(child, ast.stmt))


__all__ = ["Independent", "independent", "is_range", "loops_of", "offset_of"]
