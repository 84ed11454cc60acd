"""Statements of Python's as nodes of the graph: names have values, loops and branches pass on what they change."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from airloom.functions import arithmetic, elements, masks, records
from airloom.functions.arithmetic import cast, fitting
from airloom.functions.expressions import expression, indices, may_store, of_object, subscripted
from airloom.functions.iterate import Turns, items_of, turns_of
from airloom.functions.kinds import BOOL, DTYPES, INT, Array, Kind, Known, Never, Scalar, Several, Unbound, Value, View, choices, item, observed, references, type_of
from airloom.functions.liveness import read_first
from airloom.functions.refusals import NotCompiled, form_of
from airloom.functions.rounds import Round
from airloom.functions.source import Definition, written
from airloom.functions.syntax import assigned, ends, jumps, loads, names_in, statements_of
from airloom.functions.views import as_view
from airloom.functions.writer import Writer

#: What is to be done next: nothing else than what comes, the next turn, what comes after the loop, or leaving the function.
JUMP, VALUE = "%jump", "%value"
_CONTINUE, _BREAK, RETURN = 1, 2, 3

#: How deep functions that are called are written in place of their calls.
_MOST_CALLS = 16


class Translator:
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
        #: The function that is being written, and the calls on the way to it.
        self.root: ast.AST | None = None
        self.path: tuple[int, ...] = ()

    # Statements.

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Statements one after the other; what follows one that may jump depends on whether it did."""
        for at, statement in enumerate(statements):
            rest = statements[at + 1 :]
            if rest and isinstance(statement, ast.If) and (ends(statement.body) or ends(statement.orelse)):
                # What follows is of the other branch, and what is known there holds.
                condition = self.writer.truth(expression(self, statement.test), statement.test)
                then, otherwise = list(statement.body), list(statement.orelse)
                (otherwise if ends(then) else then).extend(rest)
                self.conditional(condition, then, otherwise)
                return
            self.statement(statement)
            if isinstance(statement, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
                return
            if rest and jumps(statement):
                goes_on = self.writer.make("eq", self.writer.scope.names[JUMP].node, self.writer.constant(0, "i64"))
                self.conditional(goes_on, rest, ())
                return

    def statement(self, node: ast.stmt) -> None:
        try:
            self._statement(node)
        except NotCompiled as error:
            raise error.at(node) from None

    def _statement(self, node: ast.stmt) -> None:
        w = self.writer
        match node:
            case ast.Assign(targets=targets, value=value):
                w.target = targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""
                made = expression(self, value)
                # Elements that are stored at once need not be computed before.
                if not (len(targets) == 1 and isinstance(targets[0], ast.Subscript) and not may_store(targets[0])):
                    made = self.settled(made, value)
                w.target = ""
                for target in targets:
                    self.assign(target, made)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                w.target = target.id if isinstance(target, ast.Name) else ""
                made = self.settled(expression(self, value), value)
                w.target = ""
                self.assign(target, made)
            case ast.AugAssign(target=target, op=op, value=value):
                self._augmented(target, op, value, node)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=value):
                self.settled(expression(self, value), value)
            case ast.If(test=test, body=body, orelse=orelse):
                self.conditional(w.truth(expression(self, test), test), body, orelse)
            case ast.For():
                self._for(node)
            case ast.While():
                self._while(node)
            case ast.Return(value=value):
                w.scope.names[VALUE] = Value(Known(None)) if value is None else self.settled(expression(self, value), value)
                self._jump(RETURN)
            case ast.Break():
                self._jump(_BREAK)
            case ast.Continue():
                self._jump(_CONTINUE)
            case ast.Assert(test=test, msg=None | ast.Constant() as message):
                said = message.value if isinstance(message, ast.Constant) else None
                holds = w.truth(expression(self, test), test)
                w.demand(holds, "an assertion does not hold", node, lambda: _fail(AssertionError(*([] if said is None else [said]))))
            case ast.Raise():
                self._raise(node)
            case _:
                raise NotCompiled(f"{form_of(node)} is not compiled", node)

    def _jump(self, to: int) -> None:
        self.writer.scope.names[JUMP] = self.writer.integer(to)

    def _raise(self, node: ast.Raise) -> None:
        made = node.exc
        name = made.func if isinstance(made, ast.Call) else made
        plain = isinstance(made, ast.Name) or (isinstance(made, ast.Call) and not made.keywords and all(isinstance(arg, ast.Constant) for arg in made.args))
        error = getattr(builtins, name.id, None) if isinstance(name, ast.Name) and name.id not in self.globals and name.id not in self.locals else None
        if node.cause is not None or not plain or not (isinstance(error, type) and issubclass(error, Exception)):
            raise NotCompiled("`raise` of what is not one of Python's own exceptions with a constant text", node)
        args = [arg.value for arg in made.args if isinstance(arg, ast.Constant)] if isinstance(made, ast.Call) else []
        false = self.writer.constant(False, "bool")
        self.writer.demand(false, "raised", node, lambda: _fail(error(*args)))

    def assign(self, target: ast.expr, value: Value) -> None:
        w = self.writer
        match target:
            case ast.Name(id=name):
                w.scope.names[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                if not isinstance(value.kind, Several) or len(value.kind.items) != len(parts) or any(isinstance(part, ast.Starred) for part in parts):
                    if isinstance(value.kind, Never):
                        return
                    raise NotCompiled(f"{value.kind} assigned to {len(parts)} names", target)
                for at, part in enumerate(parts):
                    self.assign(part, item(value, at))
            case ast.Subscript():
                self._assign_element(target, value)
            case _:
                raise NotCompiled("an assignment to what is neither a name nor an element", target)

    def settled(self, value: Value, node: ast.AST) -> Value:
        """A value that can be named: the elements of an array are computed."""
        return elements.settled(self.writer, value, self.key(node), node)

    def key(self, node: ast.AST) -> Any:
        """Where in the program a node stands, the calls on the way to it included."""
        return (self.path, id(node))

    def _place(self, node: ast.Subscript) -> tuple[Value, list[int], tuple[int, ...]]:
        owner, own = indices(self, node)
        if not elements.is_array(owner):
            raise NotCompiled(f"a store to {owner.kind}", node)
        if isinstance(owner.kind, elements.Lazy):
            raise NotCompiled("a store to an array that has no name", node)
        if not self.may_store:
            raise NotCompiled("a store inside of `try` or `with`", node, "compiled code that raises would leave names as they were before")
        return subscripted(self, owner, own, node)

    def _assign_element(self, target: ast.Subscript, value: Value) -> None:
        owner, own = indices(self, target)
        if elements.is_array(owner) and (chosen := masks.chosen_by(self, own)) is not None:
            masks.store(self, owner, chosen, value, target)
            return
        found, where, named = self._place(target)
        assert isinstance(found.kind, View)
        if found.kind.axes:
            self.store_elements(found, value, target)
        else:
            self._store(found.kind.array, where, named, value, target)

    def _store(self, array: Array, where: list[int], named: tuple[int, ...], value: Value, node: ast.Subscript) -> None:
        w = self.writer
        if array.kind[0] in "iu" and any(kind != Scalar(array.kind, False) for kind in choices(value.kind)):
            # NumPy looks at the position first, and then whether the number fits.
            w.make("arr.at", w.version(array), *where, site=w.site(node, axes=named))
        made = arithmetic.over(w, [value], node, lambda given: self._stored(given[0], array, node))
        if not isinstance(made.kind, Never):
            w.store(array, w.make("arr.put", w.version(array), made.node, *where, site=w.site(node, axes=named)))

    def _stored(self, value: Value, array: Array, node: ast.AST) -> Value:
        if not isinstance(value.kind, Scalar):
            raise NotCompiled(f"a store of {value.kind} to an element", node)
        # NumPy stores an integer that does not fit into an unsigned element, and refuses to store it into a signed one.
        if value.kind.kind[0] in "iu" and value.kind.kind != array.kind and array.kind[0] == "i":
            return Value(Scalar(array.kind, False), (fitting(self.writer, value, array.kind, node),))
        if value.kind.kind[0] == "f" and array.kind[0] == "i":
            value = self._integer_of(value, node)
            return Value(Scalar(array.kind, False), (fitting(self.writer, value, array.kind, node),))
        return Value(Scalar(array.kind, False), (cast(self.writer, value, array.kind, node),))

    def _integer_of(self, value: Value, node: ast.AST) -> Value:
        """The integer of a float that is stored as one, or what NumPy raises."""
        w = self.writer
        number = arithmetic.to_float(w, value, node)
        w.demand(w.make("not", w.make("is_nan", number)), "a NaN is no integer", node, lambda: int(float("nan")))
        w.demand(w.make("not", w.make("is_infinite", number)), "an infinity is no integer", node, lambda: int(float("inf")))
        within = w.make("and", w.make("ge", number, w.constant(-(2.0**63), "f64")), w.make("lt", number, w.constant(2.0**63, "f64")))
        w.demand(within, "an integer of more than 64 bits", node, lambda: _fail(OverflowError("Python int too large to convert to C long")))
        return Value(Scalar("i64", False), (w.make("cast", number, site=w.site(node), to=type_of("i64")),))

    def store_elements(self, target: Value, value: Value, node: ast.AST, in_place: bool = False) -> None:
        """Stores a number, or the elements of an array, into a view."""
        w = self.writer
        assert isinstance(target.kind, View)
        to = target.kind.kind
        if not self.may_store:
            raise NotCompiled("a store inside of `try` or `with`", node, "compiled code that raises would leave names as they were before")

        def converted(given: Value) -> Value:
            return arithmetic.over(w, [given], node, lambda own: self._element_of_kind(own[0], to, node))

        if not elements.is_number(value) and not elements.is_array(value):
            raise NotCompiled(f"elements that are {value.kind}", node)
        if elements.is_number(value):
            for kind in choices(value.kind):
                assert isinstance(kind, Scalar)
                if not in_place and not kind.weak and kind.kind[0] in "iu" and kind.kind != to and to[0] in "iu":
                    raise NotCompiled(f"elements of {to} that are all {kind}", node)
            value = converted(value)
        if not isinstance(value.kind, Never):
            elements.store(w, target, value, converted, self.key(node), node)

    def _element_of_kind(self, given: Value, to: str, node: ast.AST) -> Value:
        kind = given.kind
        assert isinstance(kind, Scalar)
        if kind.kind == to:
            return Value(Scalar(to, False), given.nodes)
        if to == "bool" or kind.kind == "bool" or (to[0] in "iu" and kind.kind[0] == "f"):
            raise NotCompiled(f"elements of {to} that are {kind}", node)
        return Value(Scalar(to, False), (cast(self.writer, given, to, node),))

    def _augmented(self, target: ast.expr, op: ast.operator, value: ast.expr, node: ast.AST) -> None:
        w = self.writer
        if isinstance(target, ast.Name):
            old = expression(self, ast.copy_location(ast.Name(target.id, ast.Load()), target))
            if isinstance(old.kind, (Array, View)):
                self._in_place(as_view(old), op, expression(self, value), node)
                return
            other = expression(self, value)
            made = records.operation(self, op, [old, other], node) if records.is_record(old, other) else arithmetic.binary(w, op, old, other, node)
            w.target = target.id
            made = self.settled(made, node)
            w.target = ""
            self.assign(target, made)
            return
        if not isinstance(target, ast.Subscript):
            raise NotCompiled("an assignment to what is neither a name nor an element", node)
        owner, own = indices(self, target)
        if elements.is_array(owner) and (chosen := masks.chosen_by(self, own)) is not None:
            masks.augment(self, owner, chosen, op, expression(self, value), node)
            return
        found, where, named = self._place(target)
        assert isinstance(found.kind, View)
        if found.kind.axes:
            self._in_place(found, op, expression(self, value), node)
            return
        array = found.kind.array
        old = Value(Scalar(array.kind, False), (w.make("arr.at", w.version(array), *where, site=w.site(target, axes=named)),))
        self._store(array, where, named, arithmetic.binary(w, op, old, expression(self, value), node), target)

    def _in_place(self, target: Value, op: ast.operator, value: Value, node: ast.AST) -> None:
        """`+=` and its like of an array: NumPy computes into it, where the dtype of the result may be cast to its own."""
        w = self.writer
        assert isinstance(target.kind, View)
        made = arithmetic.binary(w, op, target, value, node)
        result: Any = made.kind
        if not isinstance(result, elements.Lazy) or result.axes != target.kind.axes:
            raise NotCompiled("an operation in place whose result has other axes", node)
        if not numpy.can_cast(DTYPES[result.kind], DTYPES[target.kind.kind], "same_kind"):
            raise NotCompiled(f"an operation in place of {target.kind}, whose result is of {DTYPES[result.kind].name}", node)
        self.store_elements(target, made, node, in_place=True)

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
        return isinstance(node, ast.Name) and isinstance(self.value(node.id).kind, Several)

    def _for_each(self, node: ast.For) -> None:
        """A loop over the items of a tuple: by their number where they are of one kind, else its body once for each."""
        items = self.settled(expression(self, node.iter), node.iter)
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
            self.bind(node.target, turns, first[0])
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
        turn, count = f"%turn{len(w.scope.names)}", f"%count{len(w.scope.names)}"
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
            self.bind(node.target, turns, w.make("add", start, w.make("mul", own, by)))
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
                return w.truth(expression(self, node.test), node.test)
            goes_on = w.make("eq", w.scope.names[JUMP].node, w.constant(0, "i64"))
            false = w.constant(False, "bool")
            seen = names_in(node.test)
            (found,) = w.branch(goes_on, lambda _: [Value(BOOL, (w.truth(expression(self, node.test), node.test),))], lambda _: [Value(BOOL, (false,))], seen)
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

    def bind(self, target: ast.expr, turns: Turns, number: int) -> None:
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
        given = self._bound(function, found, args, named, node)
        code = function.__code__
        if code.co_freevars or code.co_cellvars or code.co_flags & 0x20:
            raise NotCompiled(f"`{name}`, which has names of a function around it, or is a generator", node)
        w = self.writer
        outer = w.scope.names
        inner = Translator(w, set(code.co_varnames), function.__globals__, self.guards, (*self.callers, function))
        inner.solved, inner.may_store = self.solved, self.may_store
        inner.root, inner.path = found, (*self.path, id(node))
        w.scope.names = given | {JUMP: w.integer(0), VALUE: Value(Never())}
        scope = w.scope
        scope.around.append(outer)
        inner.block(statements_of(found))
        scope.around.pop()
        value = scope.names[VALUE]
        scope.names = outer
        return value

    def _bound(self, function: types.FunctionType, found: Definition, args: list[Value], named: dict[str, Value], node: ast.AST) -> dict[str, Value]:
        """The parameters of a function that is called, with their values."""
        own, name = found.args, function.__qualname__
        parameters = [arg.arg for arg in (*own.posonlyargs, *own.args)]
        if own.vararg or own.kwarg or own.kwonlyargs or len(args) > len(parameters):
            raise NotCompiled(f"a call of `{name}`, which takes more than arguments by position", node)
        given = dict(zip(parameters, args, strict=False))
        if set(named) & set(given) or not set(named) <= {arg.arg for arg in own.args}:
            raise NotCompiled(f"a call of `{name}` with arguments that it does not take", node)
        given |= named
        defaults = function.__defaults__ or ()
        for parameter, value in zip(parameters[len(parameters) - len(defaults) :], defaults, strict=True):
            if parameter not in given:
                if isinstance(observed(value, -1), Array):
                    raise NotCompiled(f"a default of `{name}` that is an array", node)
                given[parameter] = of_object(self, value, node)
        if len(given) != len(parameters):
            raise NotCompiled(f"a call of `{name}` without all of its arguments", node)
        return given


def _fail(error: Exception) -> None:
    raise error
