"""Writes the graph of a part of a function: bodies, branches and loops over names that have values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from airloom._native import RegionGraph
from airloom.functions.kinds import BOOL, INT, Array, Either, Kind, Known, Never, Scalar, Several, Unbound, Value, choice, item, join, type_of, words
from airloom.functions.refusals import NotCompiled


#: More than this many nodes take too long to compile. Those that are written again, since a loop changes kinds, are counted again.
_MOST_NODES = 60_000


class StoredTo(Exception):
    """An array turns out to be stored to: all loops and branches pass it on from now on, and the part is written again."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass
class Site:
    """Where a node that may raise stands in the user's program, and what it raises."""

    node: ast.AST | None
    #: What Python would do there, which raises by itself.
    again: Callable[[], Any] | None = None
    #: The dtype that does not hold an integer.
    holds: str = ""
    #: For each index, which axis NumPy would name: the second of `a[i][j]` is of the first axis of a row.
    axes: tuple[int, ...] = ()


@dataclass
class Scope:
    """What is known in the body that is being written: its number, the values of names, the versions of arrays."""

    body: int
    names: dict[str, Value] = field(default_factory=dict)
    arrays: dict[int, int] = field(default_factory=dict)


class Writer:
    """A graph, and the scope in which nodes are added to it."""

    def __init__(self, arrays: dict[int, Array], stored: set[int]) -> None:
        self.graph = RegionGraph()
        self.kinds = arrays
        self.stored = stored
        self.sites: list[Site] = [Site(None)]
        self.scope = Scope(0)
        self.made = 0
        self._constants: dict[tuple[str, str], int] = {}

    # Nodes.

    def make(self, op: str, *args: int, site: int = 0, **attrs: Any) -> int:
        self.made += 1
        if self.made > _MOST_NODES:
            raise NotCompiled(f"it has more than {_MOST_NODES} nodes, functions that are called included")
        found: int = self.graph.make(op, list(args), site, attrs or None)
        return found

    def constant(self, value: Any, word: str) -> int:
        key = (repr(value), word)
        if key not in self._constants:
            self._constants[key] = self.graph.constant(value, type_of(word))
        return self._constants[key]

    def site(self, node: ast.AST | None, again: Callable[[], Any] | None = None, axes: tuple[int, ...] = (), holds: str = "") -> int:
        self.sites.append(Site(node, again, holds, axes))
        return len(self.sites) - 1

    def check(self, condition: int, value: int, message: str, node: ast.AST | None, again: Callable[[], Any] | None = None) -> int:
        """The value, where a condition holds; else the code gives up, or raises what Python would."""
        return self.make("seq.check", condition, value, site=self.site(node, again), message=message)

    def never(self, message: str, node: ast.AST | None) -> Value:
        """What is not reached, since the code gives up."""
        false = self.constant(False, "bool")
        self.check(false, false, message, node)
        return Value(Never())

    # Values of one kind as values of another.

    def zero(self, kind: Kind) -> tuple[int, ...]:
        return tuple(self.constant(False if word == "bool" else 0.0 if word[0] == "f" else 0, word) for word in words(kind))

    def convert(self, value: Value, to: Kind) -> Value:
        """A value as one of a kind that it was joined into."""
        if value.kind == to:
            return value
        if isinstance(value.kind, Never):
            return Value(to, self.zero(to))
        if isinstance(to, Several):
            assert isinstance(value.kind, Several)
            parts = [self.convert(item(value, at), kind) for at, kind in enumerate(to.items)]
            return Value(to, tuple(node for part in parts for node in part.nodes))
        assert isinstance(to, Either), f"{value.kind} is no {to}"
        if isinstance(value.kind, Either):
            own = value.kind.choices
            tag = value.nodes[0]
            numbers = [to.choices.index(kind) for kind in own]
            if numbers != list(range(len(own))):
                moved = self.constant(numbers[-1], "i64")
                for at in range(len(own) - 1):
                    is_it = self.make("eq", tag, self.constant(at, "i64"))
                    moved = self.make("select", is_it, self.constant(numbers[at], "i64"), moved)
                tag = moved
            held = {kind: choice(value, at) for at, kind in enumerate(own)}
        else:
            tag = self.constant(to.choices.index(value.kind), "i64")
            held = {value.kind: value}
        nodes = [tag]
        for kind in to.choices:
            nodes.extend(held[kind].nodes if kind in held else self.zero(kind))
        return Value(to, tuple(nodes))

    # Bodies.

    def version(self, array: Array) -> int:
        return self.scope.arrays[array.number]

    def store(self, array: Array, version: int) -> None:
        if array.number not in self.stored:
            raise StoredTo(array.number)
        self.scope.arrays[array.number] = version

    def captured(self, names: Iterable[str]) -> list[str]:
        """Those of some names that have values here."""
        return [name for name in dict.fromkeys(names) if name in self.scope.names]

    def begin(self, leading: Sequence[str], names: Sequence[str], extra: Sequence[Value] = (), arrays: Iterable[int] | None = None) -> tuple[Scope, list[int], list[Value], list[int]]:
        """Begins a body that captures names, other values and arrays: its scope, its leading parameters, the other values in it, and what is captured."""
        held = [self.scope.names[name] for name in names]
        numbers = list(self.scope.arrays if arrays is None else arrays)
        outer = [node for value in (*held, *extra) for node in value.nodes] + [self.scope.arrays[number] for number in numbers]
        types = [word for value in (*held, *extra) for word in words(value.kind)] + [array_word(self.kinds[number]) for number in numbers]
        body, params = self.graph.begin([type_of(word) for word in (*leading, *types)])
        first, rest = params[: len(leading)], params[len(leading) :]
        scope = Scope(body)
        scope.names = {name: self.take(value.kind, rest) for name, value in zip(names, held, strict=True)}
        others = [self.take(value.kind, rest) for value in extra]
        scope.arrays = dict(zip(numbers, rest, strict=True))
        return scope, first, others, outer

    def take(self, kind: Kind, nodes: list[int]) -> Value:
        """The next nodes, as a value of a kind."""
        count = len(words(kind))
        found = Value(kind, tuple(nodes[:count]))
        del nodes[:count]
        return found

    def enter(self, scope: Scope) -> None:
        self.scope = scope
        self.graph.enter(scope.body)

    def gather(self, values: Iterable[Value], arrays: Iterable[int]) -> int:
        """Values and versions of arrays as one tuple."""
        nodes = [node for value in values for node in value.nodes] + [self.scope.arrays[number] for number in arrays]
        return self.make("tuple", *nodes)

    def spread(self, tuple_node: int, count: int) -> list[int]:
        return [self.make("item", tuple_node, number=at) for at in range(count)]

    def branch(
        self,
        condition: int,
        then: Callable[[list[Value]], list[Value]],
        otherwise: Callable[[list[Value]], list[Value]],
        names: Sequence[str],
        extra: Sequence[Value] = (),
    ) -> list[Value]:
        """What one of two bodies gives; both are given the other values, and see the names. The kinds of what they give are joined."""
        outer = self.scope
        names = self.captured(names)
        bodies: list[tuple[Scope, list[Value]]] = []
        captures: list[int] = []
        for write in (then, otherwise):
            self.enter(outer)
            scope, _, others, captures = self.begin((), names, extra)
            self.enter(scope)
            bodies.append((scope, write(others)))
        (first, then_values), (second, other_values) = bodies
        kinds = [join(x.kind, y.kind) for x, y in zip(then_values, other_values, strict=True)]
        stored = sorted(self.stored & set(outer.arrays))
        lambdas = []
        for scope, values in bodies:
            self.enter(scope)
            result = self.gather([self.convert(value, kind) for value, kind in zip(values, kinds, strict=True)], stored)
            lambdas.append(self.graph.end(scope.body, result))
        self.enter(outer)
        made = self.graph.make("seq.if", [condition], 0, None, lambdas, captures)
        nodes = self.spread(made, sum(len(words(kind)) for kind in kinds) + len(stored))
        found = [self.take(kind, nodes) for kind in kinds]
        outer.arrays.update(zip(stored, nodes, strict=True))
        return found

    def each_choice(self, value: Value, work: Callable[[Value, list[Value]], Value], extra: Sequence[Value], node: ast.AST | None) -> Value:
        """What is made of a value that is one of several kinds: `work` is called for each of them, with it and the other values."""
        assert isinstance(value.kind, Either)
        kinds = value.kind.choices

        def at(number: int, given: list[Value]) -> Value:
            own, rest = given[0], given[1:]
            if number == len(kinds) - 1:
                return self._one(choice(own, number), work, rest, node)
            is_it = self.make("eq", own.nodes[0], self.constant(number, "i64"))
            (found,) = self.branch(
                is_it,
                lambda inner: [self._one(choice(inner[0], number), work, inner[1:], node)],
                lambda inner: [at(number + 1, inner)],
                (),
                given,
            )
            return found

        return at(0, [value, *extra])

    def _one(self, value: Value, work: Callable[[Value, list[Value]], Value], rest: list[Value], node: ast.AST | None) -> Value:
        if isinstance(value.kind, Unbound):
            return self.never("a name is read that has no value", node)
        return work(value, rest)

    # Truth.

    def truth(self, value: Value, node: ast.AST) -> int:
        """Whether a value is true, as a node."""
        kind = value.kind
        if isinstance(kind, Either):
            found = self.each_choice(value, lambda own, _: Value(BOOL, (self.truth(own, node),)), (), node)
            return self.constant(False, "bool") if isinstance(found.kind, Never) else found.node
        if isinstance(kind, Never):
            return self.constant(False, "bool")
        if isinstance(kind, Several):
            return self.constant(bool(kind.items), "bool")
        if isinstance(kind, Known) and kind.value is None:
            return self.constant(False, "bool")
        if not isinstance(kind, Scalar):
            raise NotCompiled(f"the truth of {kind}", node)
        if kind.kind == "bool":
            return value.node
        return self.make("ne", value.node, self.constant(0.0 if kind.kind[0] == "f" else 0, kind.kind))

    def is_pure(self, node: int) -> bool:
        found: bool = self.graph.is_pure(node)
        return found

    def integer(self, value: int) -> Value:
        return Value(INT, (self.constant(value, "i64"),))


def array_word(array: Array) -> str:
    return f"arr<{array.kind}; {', '.join('?' * array.axes)}>"
