"""Ops of users: a name, and how it is lowered to the ops that there are."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from airloom._native import Function, Node, Type
from airloom.errors import IllTypedError


class Op:
    """An op that a program has defined: called with nodes, it gives a node. What it means is what it is lowered to, by types: a function of the graph for each combination of them, which the stage `normalize` writes out."""

    def __init__(self, name: str, lower: Callable[..., Any]) -> None:
        functools.update_wrapper(self, lower)
        self.__name__ = name
        self._lower = lower
        self._names = list(inspect.signature(lower).parameters)
        self._lowered: dict[tuple[str, ...], Function] = {}

    def __repr__(self) -> str:
        return f"<airloom op '{self.__name__}'>"

    def __call__(self, *args: Any) -> Node:
        from airloom import ir

        if len(args) != len(self._names):
            raise IllTypedError(f"`{self.__name__}` takes {len(self._names)} arguments ({', '.join(self._names)}), and is given {len(args)}")
        nodes = [arg if isinstance(arg, Node) else ir.const(arg) for arg in args]
        return ir.call(self.lowered(*(node.type for node in nodes)), *nodes)

    def lowered(self, *types: Type) -> Function:
        """What it is lowered to for these types, as a function that can be printed, run and checked."""
        from airloom import ir

        key = tuple(map(str, types))
        if key not in self._lowered:
            self._lowered[key] = ir.function(dict(zip(self._names, types, strict=True)), name=self.__name__)(self._lower)
        return self._lowered[key]


def op(name: str) -> Callable[[Callable[..., Any]], Op]:
    """Makes an op of a function of nodes, which says what the op is lowered to. It is asked once for each combination of types, and may look at those: they are what `.type` of its nodes says."""
    return lambda lower: Op(name, lower)


__all__ = ["Op", "op"]
