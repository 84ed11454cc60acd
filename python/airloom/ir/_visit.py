"""Going through graphs: every node once, results that are kept, and nodes that are reused where nothing changed.

Nodes are immutable, and equal nodes of one graph are one node: `node.identity` tells it from every other, and can be hashed. What is found out about a node is therefore found
out once, however many other nodes read it. No function here calls itself: programs that loops have made are deeper than Python's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from airloom import _native
from airloom._native import Node

_Any = TypeVar("_Any")
_State = TypeVar("_State")
_Result = TypeVar("_Result")


def inputs(node: Node) -> list[Node]:
    """What a node reads: its arguments, then what its bodies capture."""
    return [*node.args, *node.captures]


def identity(node: Node) -> Hashable:
    """What tells a node from every other, and can be hashed."""
    return node.identity


def walk(root: _Any, inputs: Callable[[_Any], Sequence[_Any]] = inputs, identity: Callable[[_Any], Hashable] = identity) -> Iterator[_Any]:  # type: ignore[assignment]
    """Every node that a node is made of, itself last: each once, and after those that it reads. Bodies are functions of their own: `walk(body.result)` goes through one.

    With ``inputs`` and ``identity`` it goes through any graph without cycles: plans of Polars' are gone through with it.
    """
    seen: set[Hashable] = set()
    stack: list[tuple[_Any, bool]] = [(root, False)]
    while stack:
        node, opened = stack.pop()
        if opened:
            yield node
            continue
        key = identity(node)
        if key in seen:
            continue
        seen.add(key)
        stack.append((node, True))
        stack.extend((below, False) for below in reversed(inputs(node)))


class Visitor(Generic[_State, _Result]):
    """A function of nodes that is called once for each, with the results of what it reads and a state of the user's; results are kept, also from one call to the next::

        def depth(node, below, state):
            return 1 + max(below, default=0)

        visitor = ir.Visitor(depth, None)
        visitor(function.result)
    """

    def __init__(
        self,
        visit: Callable[[Any, Sequence[_Result], _State], _Result],
        state: _State,
        *,
        inputs: Callable[[Any], Sequence[Any]] = inputs,
        identity: Callable[[Any], Hashable] = identity,
    ) -> None:
        self.visit = visit
        self.state = state
        self._inputs = inputs
        self._identity = identity
        # The nodes are held as well: an identity is that of a node only as long as somebody has it.
        self._kept: dict[Hashable, tuple[Any, _Result]] = {}

    def __call__(self, root: Any) -> _Result:
        """The result of a node."""
        stack: list[tuple[Any, Hashable, Sequence[Any] | None]] = [(root, self._identity(root), None)]
        while stack:
            node, key, below = stack.pop()
            if key in self._kept:
                continue
            if below is None:
                below = self._inputs(node)
                stack.append((node, key, below))
                stack.extend((one, self._identity(one), None) for one in reversed(below))
                continue
            self._kept[key] = node, self.visit(node, [self._kept[self._identity(one)][1] for one in below], self.state)
        return self._kept[self._identity(root)][1]

    def __len__(self) -> int:
        return len(self._kept)


def rebuild(node: Node, inputs: Sequence[Node]) -> Node:
    """The same node over other inputs, as `inputs` lists them; the node itself where they are those that it has."""
    args, captures = node.args, node.captures
    if len(inputs) != len(args) + len(captures):
        raise ValueError(f"`{node.op}` reads {len(args) + len(captures)} nodes, found {len(inputs)}")
    if all(new.identity == old.identity for new, old in zip(inputs, [*args, *captures], strict=True)):
        return node
    given = tuple(inputs[: len(args)])
    return _native.build(node.op, given, (), tuple(body.node for body in node.bodies), node.attrs, list(inputs[len(args) :]))


def rewrite(root: Node, change: Callable[[Node], Node | None]) -> Node:
    """A graph in which nodes are replaced, those that are read before those that read them: `change` is given each node over what became of its inputs, and returns another, or
    None to keep it. Where nothing changes, the result is the node that was given.
    """

    def visit(node: Node, below: Sequence[Node], _state: None) -> Node:
        kept = rebuild(node, below)
        made = change(kept)
        return kept if made is None else made

    return Visitor(visit, None)(root)


__all__ = ["Visitor", "identity", "inputs", "rebuild", "rewrite", "walk"]
