"""The state of a loop while it is written: names that it changes, and arrays that it stores to or hands round from name to name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from airloom._native import Type
from airloom.functions.kinds import Array, Either, Kind, Value, choices, join, references, renumbered, type_of, words
from airloom.functions.refusals import NotCompiled
from airloom.functions.syntax import walk
from airloom.functions.writer import Scope, array_word

if TYPE_CHECKING:
    from airloom.functions.translate import Translator


class Round:
    """One attempt to write a loop, for what is known of the names that it changes.

    A name whose array is another one after a turn has a position of its own in the state: what it stands for before the loop is handed in there, and what it stands for after a turn is handed on. The array that was handed in
    is not to be found under another name any more.
    """

    def __init__(self, t: Translator, node: ast.stmt, names: list[str], kinds: list[Kind], others: list[str]) -> None:
        w = t.writer
        self.t, self.node, self.names, self.kinds, self.others = t, node, names, kinds, others
        self.outer = w.scope
        self.values = [t.value(name) for name in names]
        #: The arrays with a position of their own: which array each is before the loop, where it is one.
        self.slots: dict[int, int | None] = {}
        for name, kind, value in zip(names, kinds, self.values, strict=True):
            for number in references(kind):
                if number == self._slot_number(name, kind):
                    before = _array(value.kind)
                    self.slots[number] = None if before is None else before.number
        handed = {number for number in self.slots.values() if number is not None}
        self._only_names(handed)
        made = {number for kind in kinds for number in references(kind)} - set(self.outer.arrays) - set(self.slots)
        self.stored = sorted(((w.stored & set(self.outer.arrays)) - handed) | made)
        self.arrays = [number for number in self.outer.arrays if number not in self.stored and number not in handed]
        before_loop = [self._entered(value, kind, name) for name, kind, value in zip(names, kinds, self.values, strict=True)]
        entries = [self.outer.arrays[number] if number is not None else w.nothing(slot) for slot, number in self.slots.items()]
        nodes = [n for value in before_loop for n in value.nodes] + w.versions(self.stored) + entries
        self.types = [word for kind in kinds for word in words(kind)] + [array_word(w.kinds[number]) for number in (*self.stored, *self.slots)]
        self.state = w.make("tuple", *nodes)
        self.lambdas: list[int] = []
        self.captures: list[int] = []

    def _key(self, name: str) -> Any:
        return (self.t.path, id(self.node), "position", name)

    def _slot_number(self, name: str, kind: Kind) -> int | None:
        array = _array(kind)
        return None if array is None else self.t.writer._made_at.get(self._key(name))

    def _only_names(self, handed: set[int]) -> None:
        """No other name may stand for an array that is handed round."""
        outer = self.outer
        for names in (outer.names, *outer.around):
            for name, value in list(names.items()):
                if handed & references(value.kind) and (names is not outer.names or name not in self.names):
                    if names is outer.names and not self._is_read(name):
                        del names[name]
                        continue
                    raise NotCompiled(f"`{name}` stands for an array that a loop hands round from name to name", self.node, "copy it")

    def _is_read(self, name: str) -> bool:
        """Whether a name may be read in the loop, or after it."""
        if self.t.root is None or name[0] == "%":
            return True
        first = self.node.lineno
        parts = walk(self.t.root)
        again = any(isinstance(part, (ast.For, ast.While)) and part is not self.node and self.node in walk(part) for part in walk(self.t.root))
        return any(isinstance(part, ast.Name) and part.id == name and not isinstance(part.ctx, ast.Store) and (again or part.lineno >= first) for part in parts)

    def _entered(self, value: Value, kind: Kind, name: str) -> Value:
        return self.t.writer.convert(self._renamed(value, name), kind)

    def _renamed(self, value: Value, name: str) -> Value:
        """A value as it is called in the state."""
        slot = self.t.writer._made_at.get(self._key(name))
        array = _array(value.kind)
        if slot is None or slot not in self.slots or array is None:
            return value
        return Value(renumbered(value.kind, {array.number: slot}), value.nodes)

    def begin(self, leading: list[str]) -> list[int]:
        """Begins a body: its leading parameters."""
        w = self.t.writer
        held = [w.scope.names[name] for name in self.others]
        self.captures = [node for value in held for node in value.nodes] + [w.scope.arrays[number] for number in self.arrays]
        types = [word for value in held for word in words(value.kind)] + [array_word(w.kinds[number]) for number in self.arrays]
        state = Type.tuple(tuple(type_of(word) for word in self.types))
        body, params = w.graph.begin([*map(type_of, leading), state, *map(type_of, types)])
        first, rest = params[: len(leading) + 1], params[len(leading) + 1 :]
        scope = Scope(body)
        scope.around = w.scope.around
        scope.names = {name: w.take(value.kind, rest) for name, value in zip(self.others, held, strict=True)}
        scope.arrays = dict(zip(self.arrays, rest, strict=True))
        w.enter(scope)
        parts = w.spread(first[-1], len(self.types))
        for name, kind in zip(self.names, self.kinds, strict=True):
            scope.names[name] = w.take(kind, parts)
        scope.arrays.update(zip((*self.stored, *self.slots), parts, strict=True))
        return first

    def after(self) -> list[Kind]:
        """The kinds of the names after a turn, together with those before."""
        return [self._joined(name, kind, self.t.value(name).kind) for name, kind in zip(self.names, self.kinds, strict=True)]

    def _joined(self, name: str, before: Kind, after: Kind) -> Kind:
        w = self.t.writer
        old, new = _array(before), _array(after)
        slot = w._made_at.get(self._key(name))
        if new is None:
            return join(before, after)
        if slot is not None and old is not None and old.number == slot:
            self._suits(name, old, new)
            return join(before, renumbered(after, {new.number: slot}))
        if (old is not None and old.number != new.number) or (old is None and new.number not in self.outer.arrays):
            position = w.new(new.kind, new.axes, self._key(name), new.layout)
            if old is not None:
                self._suits(name, old, new)
                before = renumbered(before, {old.number: position.number})
            return join(before, renumbered(after, {new.number: position.number}))
        return join(before, after)

    def _suits(self, name: str, old: Array, new: Array) -> None:
        if (old.kind, old.axes, old.layout) != (new.kind, new.axes, new.layout):
            raise NotCompiled(f"`{name}` stands for arrays of several kinds", self.node)

    def next(self) -> int:
        """The state of the next turn."""
        w, scope = self.t.writer, self.t.writer.scope
        values = [self.t.value(name) for name in self.names]
        converted = [self._entered(value, kind, name) for name, kind, value in zip(self.names, self.kinds, values, strict=True)]
        handed = []
        for slot in self.slots:
            name = next(name for name in self.names if w._made_at.get(self._key(name)) == slot)
            array = _array(self.t.value(name).kind)
            handed.append(w.nothing(slot) if array is None else w.version(array))
        nodes = [n for value in converted for n in value.nodes] + [w.version(w.kinds[number]) if number in scope.arrays else w.nothing(number) for number in self.stored] + handed
        return w.result(nodes)

    def end(self, made: int) -> None:
        """Goes on after the loop."""
        w = self.t.writer
        nodes = w.spread(made, len(self.types))
        for name, kind in zip(self.names, self.kinds, strict=True):
            self.t.keep(name, w.take(kind, nodes))
        for number in self.slots.values():
            if number is not None:
                del self.outer.arrays[number]
                w.gone.add(number)
        self.outer.arrays.update(zip((*self.stored, *self.slots), nodes, strict=True))
        w.gone.difference_update(self.slots)


def _array(kind: Kind) -> Array | None:
    """The array that a value may be."""
    found = [choice for choice in choices(kind) if isinstance(choice, Array)]
    return found[0] if len(found) == 1 else None


__all__ = ["Either", "Round"]
