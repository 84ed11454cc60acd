"""Loops over `prange`: their turns are cut into blocks, which do not depend on how many threads there are, and run on every core."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from airloom._options import options
from airloom.functions.bounds import Bounds, Unknown
from airloom.functions.dependence import independent
from airloom.functions.kinds import INT, UNBOUND, Value
from airloom.functions.liveness import read_first
from airloom.functions.refusals import NotCompiled
from airloom.functions.syntax import jumps, walk

if TYPE_CHECKING:
    from airloom.functions.records import Shape
    from airloom.functions.region import Part
    from airloom.functions.translate import Translator
    from airloom.functions.writer import Writer

#: A loop whose innermost statements run fewer times is run on one core, unless its user asks for more.
LEAST = 1 << 15
#: How many blocks the turns are cut into, at most.
BLOCKS = 64

_COMBINED: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "min": lambda x, y: min(x, y),
    "max": lambda x, y: max(x, y),
}


@dataclass
class Loop:
    """A loop over `prange`, and the names in which its turns are combined."""

    node: ast.For
    #: Names by how they are combined.
    reductions: dict[str, str]
    #: The arrays that it stores to, where nobody has said that its turns are independent, and they were found to be.
    stored: frozenset[str] | None = None
    #: Subscripts that may raise in such a loop: it is run on several cores where none of them does.
    subscripts: list[ast.Subscript] = field(default_factory=list)


def loop_of(part: Part) -> Loop:
    """How the turns of a part's loop are combined; it is refused where they depend on one another."""
    (node,) = part.statements
    assert isinstance(node, ast.For)
    if part.returns or any(isinstance(inner, ast.Return) for inner in walk(node)):
        raise NotCompiled("`return` in a loop over `prange`", node)

    if ast.Break in jumps(*node.body):
        raise NotCompiled("`break` in a loop over `prange`", node)
    if any(isinstance(inner, ast.With) for inner in walk(node)):
        raise NotCompiled("a region of `objmode` in a loop over `prange`", node)
    reductions: dict[str, str] = {}
    for name in part.changes:
        how = _reduction(node, name)
        if how is not None:
            reductions[name] = how
        elif name in read_first(node):
            raise NotCompiled(f"`{name}`, which a turn of a loop over `prange` reads from the turn before", node, "combine by `+=`, `*=`, `min` or `max`")
    return Loop(node, reductions)


def found_in(part: Part) -> Loop:
    """A loop over `range` whose turns are found to be independent; `NotCompiled` says why they are not."""
    (node,) = part.statements
    assert isinstance(node, ast.For) and part.root is not None
    return Loop(node, {}, frozenset(independent(node, part.root).stored))


def check(loop: Loop, writer: Writer, names: dict[int, str]) -> None:
    """Refuses a loop that was found to be independent and whose code may raise anything but an index that can be looked at before: turns that come later would have stored by then. `names` are those of the arrays that it is given, by number."""
    if not loop.stored or not all(names.get(number) in loop.stored for number in writer.stored):
        raise NotCompiled("it stores to arrays that it makes, or in a function that is called", loop.node)
    of_indices = {id(inner) for node in walk(loop.node) if isinstance(node, ast.Subscript) for inner in walk(node.slice)}
    of_ranges = {id(inner) for node in walk(loop.node) if isinstance(node, ast.For) for inner in walk(node.iter)}
    seen: dict[int, ast.Subscript] = {}
    for op, site in writer.raising:
        node = writer.sites[site].node
        if op in ("arr.at", "arr.put") and isinstance(node, ast.Subscript):
            seen[id(node)] = node
        elif op not in ("add", "sub", "mul", "neg") or id(node) not in of_indices | of_ranges:
            raise NotCompiled(f"line {getattr(node, 'lineno', loop.node.lineno)} may raise in one turn, after others have stored", node)
    loop.subscripts = list(seen.values())


def _reduction(loop: ast.For, name: str) -> str | None:
    """How a name is combined, where all that the loop does with it is to combine it, in one way."""
    found: set[str] = set()
    counted = 0
    for statement in (inner for outer in loop.body for inner in walk(outer)):
        match statement:
            case ast.AugAssign(target=ast.Name(id=own), op=ast.Add() | ast.Sub(), value=value) if own == name and not _reads(value, name):
                found.add("+")
                counted += 1
            case ast.AugAssign(target=ast.Name(id=own), op=ast.Mult(), value=value) if own == name and not _reads(value, name):
                found.add("*")
                counted += 1
            case ast.Assign(targets=[ast.Name(id=own)], value=ast.Call(func=ast.Name(id="min" | "max" as how), args=[ast.Name(id=again), other], keywords=[])) if own == again == name and not _reads(other, name):
                found.add(how)
                counted += 2
    seen = sum(isinstance(node, ast.Name) and node.id == name for node in walk(loop))
    return found.pop() if len(found) == 1 and seen == counted else None


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in walk(node))


def write(t: Translator, loop: Loop, first: int, last: int) -> None:
    """The turns of a block, from one number up to another; what is combined begins anew."""
    from airloom.functions.iterate import turns_of

    w = t.writer
    turns = turns_of(t, loop.node.iter)
    t.keep("%start", Value(INT, (turns.start,)))
    t.keep("%step", Value(INT, (turns.step,)))
    for name, how in loop.reductions.items():
        if how in "+*":
            t.keep(name, w.integer(0 if how == "+" else 1))
    inner = _Block(turns, first, last, w.constant(1, "i64"))
    t._counted(loop.node, inner, list(dict.fromkeys([*_targets(loop.node), *t.changed(loop.node.body, loops=True)])))  # type: ignore[arg-type]


def _targets(node: ast.For) -> list[str]:
    return [part.id for part in walk(node.target) if isinstance(part, ast.Name)]


class _Block:
    """Turns by their numbers: each is a step further than the one before."""

    names = ("%start", "%step")

    def __init__(self, turns: Any, start: int, stop: int, step: int) -> None:
        self.turns, self.start, self.stop, self.step = turns, start, stop, step

    def bound(self, t: Translator, number: int, node: ast.AST) -> Value:
        w = t.writer
        start, step = w.scope.names["%start"].node, w.scope.names["%step"].node
        own = w.make("add", start, w.make("mul", number, step))
        found: Value = self.turns.bound(t, own, node)
        return found


class Drives:
    """Runs the blocks of a loop, and combines what they give, two by two."""

    def __init__(self, part: Part, loop: Loop, shapes: tuple[Shape, ...]) -> None:
        self.part, self.loop, self.shapes = part, loop, shapes
        self.kernel: Any = None

    def __call__(self, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        part = self.part
        rest = iter(args)
        given = {name: shape.made(rest) for name, shape in zip(part.given, self.shapes, strict=True)}
        count = len(self._range(given))
        changes = part.changes
        if any(given.get(name, UNBOUND) is UNBOUND for name in self.loop.reductions):
            return None
        if count == 0:
            return tuple(given.get(name, UNBOUND) for name in changes)
        size = max(1, -(-count // BLOCKS)) if self.loop.stored is None or self._is_safe(given) else count
        bounds = [(at, min(at + size, count)) for at in range(0, count, size)]
        blocks = self.kernel.blocks(args, bounds, options.resolved()["threads"])
        if blocks is None:
            return None
        made = []
        for at, name in enumerate(changes):
            how = self.loop.reductions.get(name)
            if how is None:
                made.append(blocks[-1][at])
                continue
            combine = _COMBINED[how]
            items = [block[at] for block in blocks]
            while len(items) > 1:
                items = [combine(*items[i : i + 2]) if i + 1 < len(items) else items[i] for i in range(0, len(items), 2)]
            made.append(combine(given[name], items[0]))
        return tuple(made)

    def _is_safe(self, given: dict[str, Any]) -> bool:
        """Whether the turns of a loop that was found to be independent are worth several cores, and none of them raises: then none is run that would not have been."""
        try:
            bounds = Bounds(self.loop.node, given, self._range(given))
        except Unknown:
            return False
        return bounds.work >= LEAST and all(map(bounds.holds, self.loop.subscripts))

    def _range(self, given: dict[str, Any]) -> range:
        """The numbers of the loop, by Python's own `range`."""
        node = self.loop.node.iter
        assert isinstance(node, ast.Call)
        code = compile(ast.fix_missing_locations(ast.Expression(ast.Tuple(list(node.args), ast.Load()))), "<prange>", "eval")
        return range(*eval(code, {"__builtins__": {}}, given))
