"""Writes the graph of a part of a function: bodies, branches and loops over names that have values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from airloom._native import RegionGraph
from airloom.functions.kinds import BOOL, INT, Array, Either, Kind, Known, Never, Scalar, Several, Unbound, Value, choice, item, join, references, type_of, words
from airloom.functions.refusals import NotCompiled


#: More than this many nodes take too long to compile. Those that are written again, since a loop changes kinds, are counted again.
_MOST_NODES = 60_000


#: The number of the first array that a part makes: those that it is given have smaller ones.
FIRST_MADE = 1 << 20


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
    #: What is raised, of the first numbers that were checked.
    error: Callable[[int, int, int], BaseException] | None = None


@dataclass
class Scope:
    """What is known in the body that is being written: its number, the values of names, the versions of arrays."""

    body: int
    names: dict[str, Value] = field(default_factory=dict)
    arrays: dict[int, int] = field(default_factory=dict)
    #: Conditions that were looked at, and that nothing else reads.
    demands: list[int] = field(default_factory=list)
    #: The names of the functions around the one that is being written in place of a call.
    around: list[dict[str, Value]] = field(default_factory=list)


class Writer:
    """A graph, and the scope in which nodes are added to it."""

    def __init__(self, arrays: dict[int, Array], stored: set[int]) -> None:
        self.graph = RegionGraph()
        self.kinds = arrays
        self.stored = stored
        self.sites: list[Site] = [Site(None)]
        #: Ops that may raise, each with its site.
        self.raising: list[tuple[str, int]] = []
        self.scope = Scope(0)
        self.made = 0
        #: The name that is being assigned to.
        self.target = ""
        self._constants: dict[tuple[str, str], int] = {}
        #: Constants that are integers, by their nodes.
        self.numbers: dict[int, tuple[int, str]] = {}
        self.floats: dict[int, float] = {}
        #: Arrays that the part makes, by where they are made.
        self._made_at: dict[Any, int] = {}
        #: Arrays that are known by another number now, since a loop hands them round.
        self.gone: set[int] = set()

    # Nodes.

    def make(self, op: str, *args: int, site: int = 0, **attrs: Any) -> int:
        self.made += 1
        if self.made > _MOST_NODES:
            raise NotCompiled(f"it has more than {_MOST_NODES} nodes, functions that are called included")
        if site:
            self.raising.append((op, site))
        found: int = self.graph.make(op, list(args), site, attrs or None)
        return found

    def constant(self, value: Any, word: str) -> int:
        key = (repr(value), word)
        if key not in self._constants:
            self._constants[key] = self.graph.constant(value, type_of(word))
            if word == "f64":
                self.floats[self._constants[key]] = float(value)
            if word[0] in "iu":
                self.numbers[self._constants[key]] = (int(value), word)
        return self._constants[key]

    def site(self, node: ast.AST | None, again: Callable[[], Any] | None = None, axes: tuple[int, ...] = (), holds: str = "") -> int:
        self.sites.append(Site(node, again, holds, axes))
        return len(self.sites) - 1

    def check(self, condition: int, value: int, message: str, node: ast.AST | None, again: Callable[[], Any] | None = None) -> int:
        """The value, where a condition holds; else the code gives up, or raises what Python would."""
        return self.make("seq.check", condition, value, site=self.site(node, again), message=message)

    def demand(self, condition: int, message: str, node: ast.AST | None, again: Callable[[], Any] | None = None, values: Sequence[int] = (), site: int = 0) -> None:
        """Raises where a condition does not hold. Nothing reads it; the result of the body does, so that two bodies are not taken for one where one of them raises."""
        value = self.make("tuple", *values, condition) if values else condition
        made = self.make("seq.check", condition, value, site=site or self.site(node, again), message=message)
        self.scope.demands.append(self.make("item", made, number=len(values)) if values else made)

    def result(self, nodes: Sequence[int]) -> int:
        """The result of a body: a tuple."""
        made = self.make("tuple", *nodes)
        for condition in self.scope.demands:
            made = self.make("seq.check", condition, made, message="what was looked at holds")
        return made

    def outside(self, inside: int, value: int, index: int, size: int, axis: int, node: ast.AST | None) -> int:
        """The value, where an index is inside of its axis; else NumPy's error."""
        site = self.site(node)
        self.sites[site].error = lambda x, y, _: IndexError(f"index {x} is out of bounds for axis {axis} with size {y}")
        checked = self.make("seq.check", inside, self.make("tuple", index, size, value), site=site, message="an index is outside")
        return self.make("item", checked, number=2)

    def never(self, message: str, node: ast.AST | None) -> Value:
        """What is not reached, since the code gives up."""
        false = self.constant(False, "bool")
        self.demand(false, message, node)
        return Value(Never())

    # Arrays that are made.

    def new(self, kind: str, axes: int, key: Any, layout: str = "rows") -> Array:
        """An array that is made at a position of the program, which is the same one when that is written again."""
        if key not in self._made_at:
            self._made_at[key] = FIRST_MADE + len(self._made_at)
        found = Array(kind, axes, layout, self._made_at[key])
        self.kinds[found.number] = found
        self.stored = self.stored | {found.number}
        return found

    def fill(self, array: Array, item: int, extents: Sequence[int], node: ast.AST | None) -> Value:
        """Makes an array, every element the same."""
        return self.name(array, self._filled(array, item, extents, node), node)

    def name(self, array: Array, version: int, node: ast.AST | None) -> Value:
        """Knows an array that is made from here on."""
        for name, value in [*self.scope.names.items(), *(pair for names in self.scope.around for pair in names.items())]:
            if array.number in references(value.kind) and name != self.target:
                raise NotCompiled(f"`{name}` is an array that was made here in the turn before", node, "copy it into one that was made before the loop")
        self.gone.discard(array.number)
        self.scope.arrays[array.number] = version
        return Value(array)

    def _filled(self, array: Array, item: int, extents: Sequence[int], node: ast.AST | None) -> int:
        # Two arrays of equal elements would be one node of the graph, and one in memory.
        first = self.make("seq.check", self.constant(True, "bool"), extents[0], message=f"array {array.number}")
        return self.make("arr.fill", item, first, *extents[1:], site=self.site(node))

    def nothing(self, number: int) -> int:
        """A version of an array that nobody reads."""
        array = self.kinds[number]
        return self._filled(array, self.zero(Scalar(array.kind, False))[0], [self.constant(0, "i64")] * array.axes, None)

    def versions(self, numbers: Iterable[int]) -> list[int]:
        numbers = list(numbers)
        if self.gone.intersection(number for number in numbers if number not in self.scope.arrays):
            raise NotCompiled("an array that a loop hands round from name to name has another name, too")
        return [self.scope.arrays[number] if number in self.scope.arrays else self.nothing(number) for number in numbers]

    # Values of one kind as values of another.

    def zero(self, kind: Kind) -> tuple[int, ...]:
        return tuple(self.constant(False if word == "bool" else 0.0 if word[0] == "f" else 0, word) for word in words(kind))

    def convert(self, value: Value, to: Kind) -> Value:
        """A value as one of a kind that it was joined into."""
        if value.kind == to:
            return value
        if isinstance(value.kind, Never):
            return Value(to, self.zero(to))
        if isinstance(value.kind, Array) and isinstance(to, Array):
            return Value(to)
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
        if array.number not in self.scope.arrays:
            raise NotCompiled("an array that a loop hands round from name to name has another name, too")
        return self.scope.arrays[array.number]

    def store(self, array: Array, version: int) -> None:
        if array.number not in self.stored:
            raise StoredTo(array.number)
        self.version(array)
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
        scope.around = self.scope.around
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
        return self.result([node for value in values for node in value.nodes] + self.versions(arrays))

    def spread(self, tuple_node: int, count: int) -> list[int]:
        return [self.make("item", tuple_node, number=at) for at in range(count)]

    def branch(
        self,
        condition: int,
        then: Callable[[list[Value]], list[Value]],
        otherwise: Callable[[list[Value]], list[Value]],
        names: Sequence[str],
        extra: Sequence[Value] = (),
        key: Any = None,
    ) -> list[Value]:
        """What one of two bodies gives; both are given the other values, and see the names. The kinds of what they give are joined. With a key, an array that is made in the one and another that is made in the other
        may be one array after it."""
        outer = self.scope
        names = self.captured(names)
        bodies: list[tuple[Scope, list[Value]]] = []
        captures: list[int] = []
        for write in (then, otherwise):
            self.enter(outer)
            scope, _, others, captures = self.begin((), names, extra)
            self.enter(scope)
            values = write(others)
            if not all(isinstance(value.kind, Kind) for value in values):
                raise NotCompiled("an operation on a whole array, with what may be of several kinds")
            bodies.append((scope, values))
        (first, then_values), (second, other_values) = bodies
        met = [] if key is None else self._meeting(then_values, other_values, set(outer.arrays), key)
        kinds = [join(x.kind, y.kind) for x, y in zip(then_values, other_values, strict=True)]
        own = {number for kind in kinds for number in references(kind)}
        stored = sorted((self.stored & set(outer.arrays)) | (own - set(outer.arrays)))
        lambdas = []
        for side, (scope, values) in enumerate(bodies):
            self.enter(scope)
            scope.arrays.update({number: scope.arrays[sides[side]] for number, sides in met})
            result = self.gather([self.convert(value, kind) for value, kind in zip(values, kinds, strict=True)], stored)
            lambdas.append(self.graph.end(scope.body, result))
        self.enter(outer)
        made = self.graph.make("seq.if", [condition], 0, None, lambdas, captures)
        nodes = self.spread(made, sum(len(words(kind)) for kind in kinds) + len(stored))
        found = [self.take(kind, nodes) for kind in kinds]
        outer.arrays.update(zip(stored, nodes, strict=True))
        return found

    def _meeting(self, first: list[Value], second: list[Value], around: set[int], key: Any) -> list[tuple[int, tuple[int, int]]]:
        """Arrays that are made in both of two bodies, as one: its number, and those that it has there."""
        found = []
        for at, (x, y) in enumerate(zip(first, second, strict=True)):
            own, other = x.kind, y.kind
            if not isinstance(own, Array) or not isinstance(other, Array) or own.number == other.number or {own.number, other.number} & around:
                continue
            if (own.kind, own.axes, own.layout) == (other.kind, other.axes, other.layout):
                made = self.new(own.kind, own.axes, (key, at), own.layout)
                found.append((made.number, (own.number, other.number)))
                first[at], second[at] = Value(made), Value(made)
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
        if isinstance(kind, Several) and kind.is_tuple:
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
