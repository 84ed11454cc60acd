"""What is asked of a piece of Python's syntax again and again: found once, and kept as long as the piece is there. Nobody changes a definition that was read."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Sequence

_BELOW: weakref.WeakKeyDictionary[ast.AST, tuple[ast.AST, ...]] = weakref.WeakKeyDictionary()
_READ: weakref.WeakKeyDictionary[ast.AST, tuple[str, ...]] = weakref.WeakKeyDictionary()
_JUMPS: weakref.WeakKeyDictionary[ast.AST, tuple[frozenset[type[ast.AST]], frozenset[type[ast.AST]]]] = weakref.WeakKeyDictionary()
_LOADS: weakref.WeakKeyDictionary[ast.AST, dict[str, int]] = weakref.WeakKeyDictionary()
_RETURNED: weakref.WeakKeyDictionary[ast.AST, ast.Return] = weakref.WeakKeyDictionary()
_STORED: weakref.WeakKeyDictionary[ast.AST, tuple[str, ...]] = weakref.WeakKeyDictionary()


def walk(node: ast.AST) -> tuple[ast.AST, ...]:
    """A node and all below it, level by level, as `ast.walk` gives them, but for what says whether a name is read or stored to."""
    found = _BELOW.get(node)
    if found is None:
        # What is kept for a node must not hold it.
        found = _BELOW[node] = tuple(walk_once(node)[1:])
    return (node, *found)


def walk_once(node: ast.AST) -> list[ast.AST]:
    """As `walk`, of what will not be asked for again."""
    nodes: list[ast.AST] = [node]
    for above in nodes:
        for field in above._fields:
            child = getattr(above, field, None)
            if type(child) is list:
                nodes.extend([part for part in child if isinstance(part, ast.AST)])
            elif isinstance(child, ast.AST) and type(child) not in _CONTEXTS:
                nodes.append(child)
    return nodes


_CONTEXTS = (ast.Load, ast.Store, ast.Del)


def names(node: ast.AST) -> tuple[str, ...]:
    """All names in a node, in their order, each once."""
    found = _READ.get(node)
    if found is None:
        found = _READ[node] = tuple(dict.fromkeys(part.id for part in walk(node) if isinstance(part, ast.Name)))
    return found


def stored(node: ast.AST) -> tuple[str, ...]:
    """The names in a node that are given a value, in their order, each once."""
    found = _STORED.get(node)
    if found is None:
        found = _STORED[node] = tuple(dict.fromkeys(part.id for part in walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)))
    return found


def labels_in(*nodes: ast.AST) -> set[str]:
    """What may be the label of something: the texts and the names of attributes in a piece of the program."""
    parts = [part for node in nodes for part in walk(node)]
    return {part.attr for part in parts if isinstance(part, ast.Attribute)} | {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def private_name(node: ast.AST) -> str | None:
    """A name in a node that stands for another one where the node is in a class."""
    for part in walk(node):
        name = getattr(part, "id", None) or getattr(part, "attr", None) or getattr(part, "arg", None)
        if isinstance(name, str) and name.startswith("__") and not name.endswith("__"):
            return name
    return None


def assigned(*nodes: ast.AST) -> list[str]:
    """Names that are assigned in statements, in their order."""
    return list(dict.fromkeys(name for node in nodes for name in stored(node)))


def names_in(*nodes: ast.AST) -> list[str]:
    """All names in a piece of the program, in their order."""
    return list(dict.fromkeys(name for node in nodes for name in names(node)))


def jumps(*nodes: ast.AST, loops: bool = True) -> set[type[ast.AST]]:
    """The jumps out of statements: `return`, and what speaks of a loop around them."""
    found: set[type[ast.AST]] = set()
    for node in nodes:
        known = _JUMPS.get(node)
        if known is None:
            known = _JUMPS[node] = (_jumps(node, False), _jumps(node, True))
        found |= known[loops]
    return found


def _jumps(root: ast.AST, loops: bool) -> frozenset[type[ast.AST]]:
    found: set[type[ast.AST]] = set()
    stack: list[tuple[ast.AST, bool]] = [(root, loops)]
    while stack:
        node, free = stack.pop()
        if isinstance(node, ast.Return) or (isinstance(node, (ast.Break, ast.Continue)) and free):
            found.add(type(node))
        inner = free and not isinstance(node, (ast.For, ast.While))
        stack.extend((child, inner) for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))
    return frozenset(found)


def loads(root: ast.AST) -> dict[str, int]:
    """How often each name is read, or may be."""
    found = _LOADS.get(root)
    if found is None:
        found = {}
        for part in walk(root):
            names = [part] if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store) else [part.target] if isinstance(part, ast.AugAssign) else []
            for name in names:
                if isinstance(name, ast.Name):
                    found[name.id] = found.get(name.id, 0) + 1
        _LOADS[root] = found
    return found


def returning(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The body of a function, which returns `None` where it ends otherwise."""
    last = ast.copy_location(ast.Return(None), statements[-1])
    return list(statements) if ends(statements) else [*statements, last]


def statements_of(definition: ast.FunctionDef | ast.Lambda) -> list[ast.stmt]:
    """What a function does, as statements that return: those of a `lambda` are one, and the same whenever it is asked for."""
    if isinstance(definition, ast.FunctionDef):
        return returning(definition.body)
    found = _RETURNED.get(definition)
    if found is None:
        found = _RETURNED[definition] = ast.copy_location(ast.Return(definition.body), definition.body)
    return [found]


def ends(statements: Sequence[ast.stmt]) -> bool:
    """Whether nothing comes after statements, whichever way they go."""
    if not statements:
        return False
    last = statements[-1]
    return isinstance(last, (ast.Return, ast.Break, ast.Continue, ast.Raise)) or (isinstance(last, ast.If) and ends(last.body) and ends(last.orelse))


__all__ = ["assigned", "ends", "jumps", "labels_in", "loads", "names", "names_in", "private_name", "returning", "statements_of", "stored", "walk", "walk_once"]
