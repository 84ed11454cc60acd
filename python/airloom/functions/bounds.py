"""What is known of the indices of a loop when it is entered: between which numbers each is, and so whether any could be outside of its array."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy

from airloom.functions.dependence import is_range, loops_of
from airloom.functions.syntax import walk

#: The greatest number that code holds, and one bit less.
_MOST = 1 << 62

#: From the least to the greatest number that something may be.
Span = tuple[int, int]


class Unknown(Exception):
    """Nothing is known of a number before the loop runs."""


class Bounds:
    """The numbers in a loop, for what it is given."""

    def __init__(self, loop: ast.For, given: Mapping[str, Any], turns: range) -> None:
        self.given = given
        stores = [node.id for statement in loop.body for node in walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        self.changed = set(stores)
        numbers = Counter(node.target.id for node, _ in loops_of(loop.body) if isinstance(node, ast.For) and isinstance(node.target, ast.Name))
        #: Names that are given values by loops alone.
        self.numbers = {name for name, count in Counter(stores).items() if count == numbers[name]}
        assert isinstance(loop.target, ast.Name)
        self.spans: dict[str, Span] = {loop.target.id: (min(turns[0], turns[-1]), max(turns[0], turns[-1]))}
        #: How often the innermost statements run, at most.
        self.work = len(turns)
        for statement in loop.body:
            self._loops(statement, len(turns))

    def _loops(self, node: ast.AST, times: int) -> None:
        if isinstance(node, ast.For):
            if not isinstance(node.target, ast.Name) or not is_range(node.iter) or node.target.id not in self.numbers:
                raise Unknown
            assert isinstance(node.iter, ast.Call)
            first, last = self._range([self.span(arg) for arg in node.iter.args])
            before = self.spans.get(node.target.id, (first, last))
            self.spans[node.target.id] = (min(first, before[0]), max(last, before[1]))
            times *= max(0, last - first + 1)
            self.work = max(self.work, times)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self._loops(child, times)

    def _range(self, args: list[Span]) -> Span:
        (start, stop), step = ((0, 0), args[0]) if len(args) == 1 else (args[0], args[1]), args[2][0] if len(args) == 3 else 1
        if len(args) == 3 and args[2][0] != args[2][1]:
            raise Unknown
        return (start[0], stop[1] - 1) if step > 0 else (stop[0] + 1, start[1])

    def span(self, node: ast.expr) -> Span:
        """Between which numbers an expression is. Each is one that code holds: what has more bits on the way is unknown."""
        low, high = self._span(node)
        if low < -_MOST or high > _MOST:
            raise Unknown
        return low, high

    def _span(self, node: ast.expr) -> Span:
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return value, value
            case ast.Name(id=name) if name in self.spans:
                return self.spans[name]
            case ast.Name(id=name) if name not in self.changed:
                found: Any = self.given.get(name)
                # The narrower integers of NumPy's wrap.
                if type(found) in (int, numpy.int64):
                    return int(found), int(found)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                low, high = self.span(operand)
                return -high, -low
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
                (a, b), (c, d) = self.span(left), self.span(right)
                if isinstance(op, ast.Add):
                    return a + c, b + d
                if isinstance(op, ast.Sub):
                    return a - d, b - c
                ends = (a * c, a * d, b * c, b * d)
                return min(ends), max(ends)
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]) if self.given.get("len") is len:
                return self._extent(name, 0)
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=ast.Constant(value=int() as axis)):
                return self._extent(name, axis)
            case ast.Attribute(value=ast.Name(id=name), attr="size"):
                array = self._array(name)
                return array.size, array.size
        raise Unknown

    def _array(self, name: str) -> Any:
        array = self.given.get(name)
        if name in self.changed or not isinstance(array, numpy.ndarray):
            raise Unknown
        return array

    def _extent(self, name: str, axis: int) -> Span:
        shape = self._array(name).shape
        if not -len(shape) <= axis < len(shape):
            raise Unknown
        return shape[axis], shape[axis]

    def holds(self, node: ast.Subscript) -> bool:
        """Whether a subscript of an array is inside of it in every turn, and none of its indices is counted from the end."""
        indices: list[ast.expr] = []
        owner: ast.expr = node
        while isinstance(owner, ast.Subscript):
            indices = (list(owner.slice.elts) if isinstance(owner.slice, ast.Tuple) else [owner.slice]) + indices
            owner = owner.value
        if not isinstance(owner, ast.Name):
            return False
        try:
            array = self._array(owner.id)
            spans = [self.span(index) for index in indices]
        except Unknown:
            return False
        return len(indices) <= array.ndim and all(0 <= low and high < extent or low > high for (low, high), extent in zip(spans, array.shape, strict=False))


__all__ = ["Bounds", "Unknown"]
