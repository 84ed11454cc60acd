"""What a program of several front ends runs, part by part, put together to one graph: what one part makes and another reads, in the same memory, is one node."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from airloom import _native, ir
from airloom._native import Function, Node, Table, Type
from airloom._options import options


@dataclass
class Part:
    """A function of the graph that was run: what it was given, and the arrays that it made."""

    by: str
    function: Function
    args: tuple[Any, ...]
    sources: Mapping[str, Any]
    #: Arrays of NumPy's, each with the way to it from the result: names of columns, or numbers of items.
    made: list[tuple[Any, tuple[str | int, ...]]] = field(default_factory=list)


#: What is being recorded, the innermost last.
ACTIVE: list[list[Part]] = []


def ran(function: Function, sources: Mapping[str, Any], result: Any) -> None:
    """Notes a run of the engine that made tables."""
    tables = list(result) if isinstance(result, (tuple, list)) else [result]
    part = Part("engine", function, (), dict(sources))
    for at, table in enumerate(tables):
        if isinstance(table, Table):
            way: tuple[str | int, ...] = (at,) if len(tables) > 1 else ()
            for name in table.columns:
                kind = table.type.fields[name].required
                if kind.kind in _NUMBERS and table.num_rows and table.null_count(name) == 0:
                    part.made.append((_Column(table, name), (*way, name)))
    note(part)


class _Column:
    """A column of a table, known by where its first piece lies and by how many elements it has."""

    def __init__(self, table: Table, name: str) -> None:
        self._held = table.to_pyarrow().column(name)
        first = next(chunk for chunk in self._held.chunks if len(chunk)).to_numpy(zero_copy_only=True)
        self.__array_interface__ = first.__array_interface__
        self.dtype, self.size = first.dtype, len(self._held)


def note(part: Part) -> None:
    """Notes a part that was run."""
    for parts in ACTIVE:
        parts.append(part)


#: The kinds of numbers that lie in a column as in an array.
_NUMBERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64")


def explained(program: Callable[..., Any], args: Sequence[Any], format: Literal["text", "json"]) -> str:
    """Calls a program; tells what ran as one graph, of which parts it is, and how many arrays pass between them in the memory that they were made in."""
    parts: list[Part] = []
    ACTIVE.append(parts)
    try:
        result = program(*args)
        # What nobody has looked at yet is a part of the program.
        computed = getattr(result, "__array__", None)
        if computed is not None:
            computed()
    finally:
        ACTIVE.remove(parts)
    if not parts:
        return "nothing ran" if format == "text" else json.dumps({"parts": [], "shared": 0, "graph": "", "plan": None})
    joined = Joined(parts)
    plan = _native.explain(joined.function, (), joined.sources, {}, options.resolved(), False, format)
    names = [{"by": part.by, "name": part.function.name} for part in parts]
    if format == "json":
        return json.dumps({"parts": names, "shared": joined.shared, "graph": joined.function.graph.text(), "plan": json.loads(plan)})
    head = f"{len(parts)} {'part' if len(parts) == 1 else 'parts'}, {joined.shared} {'array passes' if joined.shared == 1 else 'arrays pass'} between them without a copy"
    return "\n".join([head, *(f"{at + 1}. {one['name']}: {one['by']}" for at, one in enumerate(names)), "", plan])


class Joined:
    """Parts as one function of no arguments."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.sources: dict[str, Any] = {}
        #: How many arrays a part reads that another has made.
        self.shared = 0
        self._readers: set[int] = set()
        self.function = _native.make_function(self._built, "program", [], None)

    def _built(self) -> Node:
        known: dict[tuple[int, int, str], tuple[int, Node]] = {}
        results: list[Node] = []
        for at, part in enumerate(self.parts):
            given = tuple(self._argument(part, value, kind, known) for value, kind in zip(part.args, part.function.params, strict=True))
            made = _renamed(ir.inline(part.function, *given), {name: self._source(name, data) for name, data in part.sources.items()})
            results.append(made)
            for array, way in part.made:
                known[_memory(array)] = (at, _item(made, way))
        left = [result for at, result in enumerate(results) if at not in self._readers]
        return left[0] if len(left) == 1 else ir.tuple_(*left)

    def _argument(self, part: Part, value: Any, kind: Type, known: dict[tuple[int, int, str], tuple[int, Node]]) -> Node:
        if kind.kind != "arr":
            return ir.const(value, kind)
        found = known.get(_memory(value))
        if found is not None:
            at, node = found
            element = kind.element
            own = node.type.element
            if own is not None and element is not None and own.required == element and node.type.shape is not None and len(node.type.shape) == len(kind.shape or ()):
                self.shared += 1
                self._readers.add(at)
                # A column may have nulls, and this one has none.
                return ir.arr_map(node, lambda one: ir.coalesce(one, ir.const(0, element))) if own.nullable else node
        return ir.source(self._source("array", value), kind)

    def _source(self, name: str, data: Any) -> str:
        """A name for data that no other data have."""
        for own, known in self.sources.items():
            if known is data:
                return own
        own, count = name, 1
        while own in self.sources:
            count += 1
            own = f"{name}_{count}"
        self.sources[own] = data
        return own


def _renamed(result: Node, names: Mapping[str, str]) -> Node:
    """A result whose sources have other names."""
    names = {old: new for old, new in names.items() if old != new}
    if not names:
        return result

    def renamed(node: Node) -> Node | None:
        new = names.get(node.attrs["name"]) if node.op == "source" else None
        return None if new is None else ir.source(new, node.type)

    return ir.rewrite(result, renamed)


def _memory(array: Any) -> tuple[int, int, str]:
    """Where an array lies, how many elements it has, and of which type they are."""
    return array.__array_interface__["data"][0], array.size, array.dtype.str


def _item(node: Node, way: Sequence[str | int]) -> Node:
    """What is found in a result: a column of a relation, or an item of a tuple."""
    for step in way:
        node = ir.rel_columns(node)[step] if isinstance(step, str) else node[step]
    return node
