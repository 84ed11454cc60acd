"""What a loop goes over: numbers, or the elements of arrays."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airloom.functions.expressions import expression
from airloom.functions.kinds import INT, Array, Known, Scalar, Several, Value
from airloom.functions.refusals import NotCompiled

if TYPE_CHECKING:
    from airloom.functions.translate import Translator
    from airloom.functions.writer import Writer


class Prange:
    """`prange(stop)` is `range(stop)`; in a compiled function the turns of its loop are run on every core, by the word of whoever writes it that they do not depend on one another."""

    __name__ = "prange"

    def __call__(self, *args: Any) -> range:
        return range(*args)

    def __repr__(self) -> str:
        return "<function airloom.prange>"


prange = Prange()


@dataclass
class Turns:
    """Numbers that a loop goes over, and what it makes of each."""

    start: int
    stop: int
    step: int
    #: The step, where it is a constant.
    by: int | None
    #: The arrays whose elements are read, one after the other; none where the number itself is meant.
    arrays: Sequence[Array] = ()
    numbered: bool = False
    names: Sequence[str] = ()

    @property
    def bounds(self) -> tuple[int, int]:
        return self.start, self.step

    def count(self, w: Writer, node: ast.AST) -> int:
        """How many turns there are."""
        if self.by is None:
            raise NotCompiled("a loop that may be left before its end, whose step is not a constant", node)
        first, last = (self.start, self.stop) if self.by > 0 else (self.stop, self.start)
        span = w.make("sub", last, first, site=w.site(node), overflow="raise")
        size = abs(self.by)
        if size > 1:
            rounded = w.make("add", span, w.constant(size - 1, "i64"), site=w.site(node), overflow="raise")
            span = w.make("floordiv", rounded, w.constant(size, "i64"))
        return w.make("greatest", span, w.constant(0, "i64"))

    def bound(self, t: Translator, number: int, node: ast.AST) -> Value:
        """What the names of the loop stand for in a turn."""
        w = t.writer
        own = Value(INT, (number,))
        if not self.arrays:
            return own
        items = [Value(Scalar(array.kind, False), (w.make("arr.at", w.version(array), number, site=w.site(node)),)) for array in self.arrays]
        found = [own, *items] if self.numbered else items
        return found[0] if len(found) == 1 else Value(Several(tuple(item.kind for item in found)), tuple(item.node for item in found))


def turns_of(t: Translator, node: ast.expr) -> Turns:
    """What a loop goes over, looked at once, before it."""
    w = t.writer
    if isinstance(node, ast.Call) and not node.keywords:
        called = expression(t, node.func)
        function = called.kind.value if isinstance(called.kind, Known) else None
        if function is builtins.range or function is prange:
            return _numbers(t, node)
        if function is builtins.enumerate and len(node.args) == 1 or function is builtins.zip and node.args:
            arrays = [_array(t, arg) for arg in node.args]
            stop = w.make("arr.dim", w.version(arrays[0]))
            for array in arrays[1:]:
                other = w.make("arr.dim", w.version(array))
                stop = w.make("least", stop, other)
            zero, one = w.constant(0, "i64"), w.constant(1, "i64")
            if function is builtins.zip and len(arrays) == 1:
                raise NotCompiled("`zip` of one array", node)
            return Turns(zero, stop, one, 1, arrays, function is builtins.enumerate)
        raise NotCompiled(f"a loop over `{ast.unparse(node.func)}(…)`", node, "loops over `range`, arrays, `enumerate` and `zip` of arrays are compiled")
    array = _array(t, node)
    return Turns(w.constant(0, "i64"), w.make("arr.dim", w.version(array)), w.constant(1, "i64"), 1, [array])


def _array(t: Translator, node: ast.expr) -> Array:
    found = expression(t, node).kind
    if not isinstance(found, Array) or found.axes != 1:
        raise NotCompiled(f"a loop over {found}", node, "loops over `range` and over arrays of one axis are compiled")
    return found


def _numbers(t: Translator, node: ast.Call) -> Turns:
    from airloom.functions.arithmetic import over
    from airloom.functions.expressions import _index

    w = t.writer
    if not 1 <= len(node.args) <= 3:
        raise NotCompiled("`range` without arguments", node)
    args = []
    for part in node.args:
        value = over(w, [expression(t, part)], part, lambda given, part=part: _index(t, given[0], part))  # type: ignore[misc]
        args.append(value.node if value.nodes else w.constant(0, "i64"))
    zero, one = w.constant(0, "i64"), w.constant(1, "i64")
    start, stop, step = (zero, args[0], one) if len(args) == 1 else (args[0], args[1], one) if len(args) == 2 else args
    by = 1 if step == one else next((int(text) for (text, word), known in w._constants.items() if known == step and word == "i64"), None)
    if by == 0:
        raise NotCompiled("a step of zero", node)
    return Turns(start, stop, step, by)
