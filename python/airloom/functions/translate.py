"""Statements of Python's as nodes of the graph: names have values, loops and branches pass on what they change."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from airloom.functions import arithmetic, elements, expressions, library, object_mode, records, stores
from airloom.functions.expressions import may_store
from airloom.functions.iterate import Turns, items_of, turns_of
from airloom.functions.kinds import BOOL, DTYPES, INT, Array, Kind, Known, Never, Scalar, Several, Unbound, Value, View, choices, item, observed, references, type_of
from airloom.functions.liveness import read_first
from airloom.functions.reader import Reader
from airloom.functions.refusals import NotCompiled
from airloom.functions.rounds import Round
from airloom.functions.source import written
from airloom.functions.syntax import assigned, ends, jumps, loads, names_in, statements_of
from airloom.functions.writer import Writer

if TYPE_CHECKING:
    from airloom.functions.region import Part

#: What is to be done next: nothing else than what comes, the next turn, what comes after the loop, or leaving the function.
JUMP, VALUE = "%jump", "%value"
_CONTINUE, _BREAK, RETURN = 1, 2, 3

#: How deep functions that are called are written in place of their calls.
_MOST_CALLS = 16


class Translator(Reader[Value]):
    """Writes statements of one function; those of a function that it calls are written by another."""

    def __init__(self, writer: Writer, local: set[str], space: dict[str, Any], guards: list[tuple[dict[str, Any], str, Any]], callers: tuple[Any, ...]) -> None:
        self.writer = writer
        self.locals = local
        self.globals = space
        self.guards = guards
        #: The functions that are being written, the innermost last.
        self.callers = callers
        #: The kinds of what loops change, as far as they are known.
        self.solved: dict[tuple[ast.AST, tuple[int, ...], tuple[Kind, ...]], list[Kind]] = {}
        self.may_store = True
        #: The part that it is of.
        self.part: Part | None = None
        #: The function that is being written, and the calls on the way to it.
        self.root: ast.AST | None = None
        self.path: tuple[int, ...] = ()

    # Statements.

    def named(self, targets: Sequence[ast.expr], value: ast.expr) -> Value:
        w = self.writer
        w.target = targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""
        made = self.expression(value)
        # Elements that are stored at once need not be computed before.
        if not (len(targets) == 1 and isinstance(targets[0], ast.Subscript) and not may_store(targets[0])):
            made = self.settled(made, value)
        w.target = ""
        return made

    def branch(self, condition: Value, then: Sequence[ast.stmt], otherwise: Sequence[ast.stmt], rest: Sequence[ast.stmt], node: ast.If | ast.Return) -> bool:
        assert isinstance(node, ast.If)
        holds = self.writer.truth(condition, node.test)
        if rest and (ends(then) or ends(otherwise)):
            # What follows is of the other branch, and what is known there holds.
            self.conditional(holds, then if ends(then) else [*then, *rest], [*otherwise, *rest] if ends(then) else otherwise)
            return False
        self.conditional(holds, then, otherwise)
        return self._after(node, rest)

    def loop(self, node: ast.For | ast.While, rest: Sequence[ast.stmt]) -> bool:
        if isinstance(node, ast.For):
            self._for(node)
        else:
            self._while(node)
        return self._after(node, rest)

    def _after(self, node: ast.stmt, rest: Sequence[ast.stmt]) -> bool:
        """What follows a statement that may jump depends on whether it did."""
        if not rest or not jumps(node):
            return True
        self.conditional(self.writer.make("eq", self.writer.scope.names[JUMP].node, self.writer.constant(0, "i64")), rest, ())
        return False

    def within(self, node: ast.With) -> None:
        object_mode.written(self, node)

    def leave(self, value: ast.expr | None, node: ast.stmt) -> None:
        self.writer.scope.names[VALUE] = Value(Known(None)) if value is None else self.settled(self.expression(value), value)
        self._jump(RETURN)

    def jump(self, node: ast.Break | ast.Continue) -> None:
        self._jump(_BREAK if isinstance(node, ast.Break) else _CONTINUE)

    def _jump(self, to: int) -> None:
        self.writer.scope.names[JUMP] = self.writer.integer(to)

    def asserted(self, test: ast.expr, message: ast.expr | None, node: ast.stmt) -> None:
        if message is not None and not isinstance(message, ast.Constant):
            raise NotCompiled("`assert` with a text that is computed", node)
        said = () if message is None else (message.value,)
        holds = self.writer.truth(self.expression(test), test)
        self.writer.demand(holds, "an assertion does not hold", node, lambda: _fail(AssertionError(*said)))

    def raised(self, node: ast.Raise) -> None:
        made = node.exc
        name = made.func if isinstance(made, ast.Call) else made
        plain = isinstance(made, ast.Name) or (isinstance(made, ast.Call) and not made.keywords and all(isinstance(arg, ast.Constant) for arg in made.args))
        error = getattr(builtins, name.id, None) if isinstance(name, ast.Name) and name.id not in self.globals and name.id not in self.locals else None
        if node.cause is not None or not plain or not (isinstance(error, type) and issubclass(error, Exception)):
            raise NotCompiled("`raise` of what is not one of Python's own exceptions with a constant text", node)
        args = [arg.value for arg in made.args if isinstance(arg, ast.Constant)] if isinstance(made, ast.Call) else []
        false = self.writer.constant(False, "bool")
        self.writer.demand(false, "raised", node, lambda: _fail(error(*args)))

    def bind(self, name: str, value: Value) -> None:
        self.writer.scope.names[name] = value

    def unpacked(self, value: Value, count: int, node: ast.expr) -> list[Value] | None:
        if isinstance(value.kind, Never):
            return None
        if not isinstance(value.kind, Several) or not value.kind.is_tuple or len(value.kind.items) != count:
            raise NotCompiled(f"{value.kind} assigned to {count} names", node)
        return [item(value, at) for at in range(count)]

    def settled(self, value: Value, node: ast.AST) -> Value:
        """A value that can be named: the elements of an array are computed."""
        return elements.settled(self.writer, value, self.key(node), node)

    def key(self, node: ast.AST) -> Any:
        """Where in the program a node stands, the calls on the way to it included."""
        return (self.path, id(node))

    def store(self, target: ast.Subscript, value: Value) -> None:
        stores.element(self, target, value)

    def store_elements(self, target: Value, value: Value, node: ast.AST, in_place: bool = False) -> None:
        """Stores a number, or the elements of an array, into a view."""
        stores.elements_of(self, target, value, node, in_place)

    def augmented(self, target: ast.expr, op: ast.operator, value: ast.expr, node: ast.stmt) -> None:
        stores.augmented(self, target, op, value, node)

    # Expressions.

    def kept(self, value: Value, node: ast.expr, later: Sequence[ast.expr]) -> Value:
        return self.settled(value, node) if may_store(*later) else value

    def constant(self, value: Any, node: ast.expr) -> Value:
        return expressions.constant(self, value, node)

    def name(self, name: str, node: ast.expr) -> Value:
        return expressions.read(self, name, node)

    def binary(self, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
        if isinstance(op, ast.MatMult) and elements.is_array(left) and elements.is_array(right):
            return library.product(self, left, right, node)
        return records.operation(self, op, [left, right], node) if records.is_record(left, right) else arithmetic.binary(self.writer, op, left, right, node)

    def unary(self, op: ast.unaryop, value: Value, node: ast.expr) -> Value:
        return records.operation(self, op, [value], node) if records.is_record(value) else arithmetic.unary(self.writer, op, value, node)

    def negation(self, value: Value, node: ast.expr) -> Value:
        return Value(BOOL, (self.writer.make("not", self.writer.truth(value, node)),))

    def compare(self, op: ast.cmpop, left: Value, right: Value, node: ast.expr) -> Value:
        return records.operation(self, op, [left, right], node) if records.is_record(left, right) else arithmetic.compare(self.writer, op, left, right, node)

    def chained(self, first: Value, middle: Value, others: Callable[[Value], Value], nodes: Sequence[ast.expr], node: ast.expr) -> Value:
        return expressions.chained(self, first, middle, others, nodes, node)

    def connective(self, conjoined: bool, values: Sequence[ast.expr], node: ast.expr) -> Value:
        return expressions.boolean(self, conjoined, values, node)

    def choice(self, condition: Value, then: ast.expr, otherwise: ast.expr, node: ast.IfExp) -> Value:
        return expressions.conditional(self, self.writer.truth(condition, node.test), then, otherwise)

    def collection(self, kind: type, parts: Sequence[ast.expr], node: ast.expr) -> Value:
        return expressions.several(self, parts) if kind is tuple else self.unread(node)

    def subscript(self, node: ast.Subscript) -> Value:
        return expressions.subscript(self, node)

    def attribute(self, owner: Value, name: str, node: ast.expr) -> Value:
        return expressions.attribute(self, owner, name, node)

    def method(self, owner: Value, name: str, node: ast.Call) -> Value | None:
        return expressions.method(self, owner, name, node)

    def call(self, function: Value, node: ast.Call) -> Value:
        return expressions.call(self, function, node)

    # Branches and loops.

    def changed(self, statements: Sequence[ast.AST], loops: bool) -> list[str]:
        """What statements may change: names, and what is to be done next."""
        found = assigned(*statements)
        out = jumps(*statements, loops=loops)
        return found + ([JUMP] if out else []) + ([VALUE] if ast.Return in out else [])

    def value(self, name: str) -> Value:
        return self.writer.scope.names.get(name, Value(Unbound()))

    def keep(self, name: str, value: Value) -> None:
        self.writer.scope.names[name] = value

    def conditional(self, condition: int, then: Sequence[ast.stmt], otherwise: Sequence[ast.stmt]) -> None:
        if len(then) == 1 and not otherwise and self._counts(condition, then[0]):
            return
        names = self.changed([*then, *otherwise], loops=True)

        def run(statements: Sequence[ast.stmt]) -> Callable[[list[Value]], list[Value]]:
            def write(_: list[Value]) -> list[Value]:
                self.block(statements)
                return [self.value(name) for name in names]

            return write

        seen = [*names_in(*then, *otherwise), *names, JUMP, VALUE]
        for name, value in zip(names, self.writer.branch(condition, run(then), run(otherwise), seen, key=self.key((then or otherwise)[0])), strict=True):
            self.keep(name, value)

    def _counts(self, condition: int, node: ast.stmt) -> bool:
        """`if c: k += 1` adds one or zero: the sum is checked as ever, and nothing waits for which way a branch goes."""
        match node:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add() | ast.Sub() as op, value=ast.Constant(value=int() as value)) if type(value) is int and abs(value) < 1 << 62 and self.value(name).kind == INT:
                w = self.writer
                by = w.make("select", condition, w.integer(value).node, w.constant(0, "i64"))
                self.keep(name, arithmetic.binary(w, op, self.value(name), Value(INT, (by,)), node))
                return True
        return False

    def _for(self, node: ast.For) -> None:
        if isinstance(node.iter, ast.Tuple) or self._is_tuple(node.iter):
            self._for_each(node)
            return
        self._turns(node, turns_of(self, node.iter))

    def _turns(self, node: ast.For, turns: Turns) -> None:
        out = jumps(*node.body)
        names = self._carried(node, list(dict.fromkeys([*assigned(node.target), *self.changed(node.body, loops=True)])))
        if out - {ast.Continue}:
            self._for_until(node, turns, names)
        else:
            self._counted(node, turns, names)
            self.block(node.orelse)

    def _is_tuple(self, node: ast.expr) -> bool:
        kind = self.value(node.id).kind if isinstance(node, ast.Name) else None
        return isinstance(kind, Several) and kind.is_tuple

    def _for_each(self, node: ast.For) -> None:
        """A loop over the items of a tuple: by their number where they are of one kind, else its body once for each."""
        items = self.settled(self.expression(node.iter), node.iter)
        if not isinstance(items.kind, Several) or not 1 <= len(items.kind.items) <= 64:
            raise NotCompiled("a loop over a tuple without items, or with many", node)
        if len(set(items.kind.items)) == 1 and not references(items.kind):
            self._turns(node, items_of(self, items, node.iter))
            return
        if jumps(*node.body) or node.orelse:
            raise NotCompiled("`break`, `continue`, `return` or `else` in a loop over a tuple of several kinds", node)
        path = self.path
        for at in range(len(items.kind.items)):
            self.path = (*path, at)
            self.assign(node.target, item(items, at))
            self.block(node.body)
        self.path = path

    def _carried(self, node: ast.For | ast.While, names: list[str]) -> list[str]:
        """Those of the names that a loop changes whose values reach another turn, or what comes after it."""
        if self.root is None:
            return names
        inside = loads(node)
        outside = {name for name, count in loads(self.root).items() if count > inside.get(name, 0)}
        first = read_first(node)
        return [name for name in names if name[0] == "%" or name in outside or name in first]

    def _counted(self, node: ast.For, turns: Turns, names: list[str]) -> None:
        """A loop that is not left before its end."""

        def step(first: list[int]) -> None:
            self._bind_turn(node.target, turns, first[0])
            self.block(node.body)
            self._next_turn()

        def make(state: int, lambdas: list[int], captures: list[int]) -> int:
            made: int = self.writer.graph.make("seq.for", [state, turns.start, turns.stop, turns.step], self.writer.site(node.iter), None, lambdas, captures)
            return made

        self._loop(node, names, [*names_in(*node.body), *turns.names], [(["i64"], step)], make)

    def _otherwise(self, node: ast.For | ast.While) -> None:
        """`else` of a loop, where it was not left by `break`."""
        w = self.writer
        if node.orelse:
            goes_on = w.make("eq", w.scope.names[JUMP].node, w.constant(0, "i64"))
            self.conditional(goes_on, node.orelse, ())

    def _next_turn(self) -> None:
        """`continue` ends here."""
        if JUMP in self.writer.scope.names:
            self.writer.scope.names[JUMP] = self._without(self.writer.scope.names[JUMP], _CONTINUE)

    def _without(self, jump: Value, gone: int) -> Value:
        w = self.writer
        is_it = w.make("eq", jump.node, w.constant(gone, "i64"))
        return Value(INT, (w.make("select", is_it, w.constant(0, "i64"), jump.node),))

    def _for_until(self, node: ast.For, turns: Turns, names: list[str]) -> None:
        """A loop that may be left before its end: the number of its turn is one more thing that it changes."""
        w = self.writer
        # Loops within one another have their own.
        turn, count = f"%turn{id(node)}", f"%count{id(node)}"
        self.keep(turn, w.integer(0))
        self.keep(count, Value(INT, (turns.count(w, node),)))
        for at, bound in enumerate(turns.bounds):
            self.keep(f"{turn}.{at}", Value(INT, (bound,)))

        def test(_: list[int]) -> int:
            more = w.make("lt", w.scope.names[turn].node, w.scope.names[count].node)
            return w.make("and", more, w.make("eq", w.scope.names[JUMP].node, w.constant(0, "i64")))

        def step(_: list[int]) -> None:
            own = w.scope.names[turn].node
            start, by = w.scope.names[f"{turn}.0"].node, w.scope.names[f"{turn}.1"].node
            self._bind_turn(node.target, turns, w.make("add", start, w.make("mul", own, by)))
            self.keep(turn, Value(INT, (w.make("add", own, w.constant(1, "i64")),)))
            self.block(node.body)
            self._next_turn()

        seen = [*names_in(*node.body), *turns.names, count, f"{turn}.0", f"{turn}.1"]
        self._until(node, [*names, turn], seen, test, step)

    def _while(self, node: ast.While) -> None:
        w = self.writer
        names = self._carried(node, self.changed(node.body, loops=True))

        def test(_: list[int]) -> int:
            if JUMP not in names:
                return w.truth(self.expression(node.test), node.test)
            goes_on = w.make("eq", w.scope.names[JUMP].node, w.constant(0, "i64"))
            false = w.constant(False, "bool")
            seen = names_in(node.test)
            (found,) = w.branch(goes_on, lambda _: [Value(BOOL, (w.truth(self.expression(node.test), node.test),))], lambda _: [Value(BOOL, (false,))], seen)
            return found.node

        def step(_: list[int]) -> None:
            self.block(node.body)
            self._next_turn()

        self._until(node, names, names_in(node.test, *node.body), test, step)

    def _until(self, node: ast.For | ast.While, names: list[str], seen: list[str], test: Callable[[list[int]], int], step: Callable[[list[int]], None]) -> None:
        def make(state: int, lambdas: list[int], captures: list[int]) -> int:
            made: int = self.writer.graph.make("seq.while", [state], 0, None, lambdas, captures)
            return made

        self._loop(node, names, seen, [([], test), ([], step)], make)
        self._otherwise(node)
        if JUMP in names:
            self.keep(JUMP, self._without(self.writer.scope.names[JUMP], _BREAK))

    def _loop(
        self,
        node: ast.stmt,
        names: list[str],
        seen: list[str],
        bodies: list[tuple[list[str], Callable[[list[int]], Any]]],
        make: Callable[[int, list[int], list[int]], int],
    ) -> None:
        """A loop whose state are some names and all arrays that are stored to. The last body makes the next state; it is written again until the kinds of the names are what they are after it."""
        w = self.writer
        outer = w.scope
        entry = tuple(self.value(name).kind for name in names)
        kinds = self.solved.get((node, self.path, entry), list(entry))
        for _ in range(8):
            w.enter(outer)
            round_ = Round(self, node, names, kinds, others=w.captured(name for name in seen if name not in names))
            after = list(kinds)
            for leading, write in bodies:
                w.enter(outer)
                first = round_.begin(leading)
                # A turn begins with nothing to be done but what comes.
                w.scope.names.setdefault(JUMP, w.integer(0))
                w.scope.names.setdefault(VALUE, Value(Never()))
                made = write(first)
                if made is None:
                    after = round_.after()
                    if after != kinds:
                        w.graph.abandon(w.scope.body)
                        break
                    made = round_.next()
                round_.lambdas.append(w.graph.end(w.scope.body, made))
            if after == kinds:
                break
            kinds = after
        else:
            raise NotCompiled("a loop in which the kinds of names do not settle", node)
        self.solved[node, self.path, entry] = kinds
        w.enter(outer)
        round_.end(make(round_.state, round_.lambdas, round_.captures))

    def _bind_turn(self, target: ast.expr, turns: Turns, number: int) -> None:
        """Gives the names of a loop their values in a turn."""
        self.assign(target, turns.bound(self, number, target))

    # Calls of functions of the user's.

    def inlined(self, function: types.FunctionType, args: list[Value], named: dict[str, Value], node: ast.AST) -> Value:
        """A function that is called, written in place of the call."""
        name = function.__name__
        if function in self.callers or len(self.callers) >= _MOST_CALLS:
            raise NotCompiled(f"`{name}` calls too deep, or itself", node)
        found = written(function)
        if found is None:
            raise NotCompiled(f"the text of `{name}` is not known", node)
        given = self.parameters(function, found, args, named, lambda value: self._default(function, value, node))
        code = function.__code__
        if code.co_freevars or code.co_cellvars or code.co_flags & 0x20:
            raise NotCompiled(f"`{name}`, which has names of a function around it, or is a generator", node)
        w = self.writer
        outer = w.scope.names
        inner = Translator(w, set(code.co_varnames), function.__globals__, self.guards, (*self.callers, function))
        inner.solved, inner.may_store, inner.part = self.solved, self.may_store, self.part
        inner.root, inner.path = found, (*self.path, id(node))
        w.scope.names = given | {JUMP: w.integer(0), VALUE: Value(Never())}
        scope = w.scope
        scope.around.append(outer)
        inner.block(statements_of(found))
        scope.around.pop()
        value = scope.names[VALUE]
        scope.names = outer
        return value

    def _default(self, function: types.FunctionType, value: Any, node: ast.AST) -> Value:
        if isinstance(observed(value, -1), Array):
            raise NotCompiled(f"a default of `{function.__qualname__}` that is an array", node)
        return expressions.of_object(self, value, node)


def _fail(error: Exception) -> None:
    raise error
