"""Statements of Python's as nodes of the graph: names have values, loops and branches pass on what they change."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Sequence
from typing import Any

from airloom._native import Type
from airloom.functions import arithmetic
from airloom.functions.arithmetic import cast, fitting
from airloom.functions.expressions import axes, expression, indices, names_in, positions
from airloom.functions.iterate import Turns, turns_of
from airloom.functions.kinds import BOOL, INT, Array, Kind, Known, Never, Scalar, Several, Unbound, Value, item, join, type_of, words
from airloom.functions.refusals import NotCompiled, form_of
from airloom.functions.source import written
from airloom.functions.writer import Writer, array_word

#: What is to be done next: nothing else than what comes, the next turn, what comes after the loop, or leaving the function.
JUMP, VALUE = "%jump", "%value"
_CONTINUE, _BREAK, RETURN = 1, 2, 3

#: How deep functions that are called are written in place of their calls.
_MOST_CALLS = 16


def jumps(*nodes: ast.AST, loops: bool = True) -> set[type[ast.AST]]:
    """The jumps out of statements: `return`, and what speaks of a loop around them."""
    found: set[type[ast.AST]] = set()
    stack: list[tuple[ast.AST, bool]] = [(node, loops) for node in nodes]
    while stack:
        node, free = stack.pop()
        if isinstance(node, ast.Return) or (isinstance(node, (ast.Break, ast.Continue)) and free):
            found.add(type(node))
        inner = free and not isinstance(node, (ast.For, ast.While))
        stack.extend((child, inner) for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))
    return found


def assigned(*nodes: ast.AST) -> list[str]:
    """Names that are assigned in statements, in their order."""
    return list(dict.fromkeys(part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)))


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
        self.solved: dict[tuple[ast.AST, tuple[Kind, ...]], list[Kind]] = {}
        self.may_store = True

    # Statements.

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Statements one after the other; what follows one that may jump depends on whether it did."""
        for at, statement in enumerate(statements):
            rest = statements[at + 1 :]
            if rest and isinstance(statement, ast.If) and (_ends(statement.body) or _ends(statement.orelse)):
                # What follows is of the other branch, and what is known there holds.
                condition = self.writer.truth(expression(self, statement.test), statement.test)
                then, otherwise = list(statement.body), list(statement.orelse)
                (otherwise if _ends(then) else then).extend(rest)
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
                made = expression(self, value)
                for target in targets:
                    self.assign(target, made)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign(target, expression(self, value))
            case ast.AugAssign(target=target, op=op, value=value):
                self._augmented(target, op, value, node)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=value):
                expression(self, value)
            case ast.If(test=test, body=body, orelse=orelse):
                self.conditional(w.truth(expression(self, test), test), body, orelse)
            case ast.For():
                self._for(node)
            case ast.While():
                self._while(node)
            case ast.Return(value=value):
                w.scope.names[VALUE] = Value(Known(None)) if value is None else expression(self, value)
                self._jump(RETURN)
            case ast.Break():
                self._jump(_BREAK)
            case ast.Continue():
                self._jump(_CONTINUE)
            case ast.Assert(test=test, msg=None | ast.Constant() as message):
                said = message.value if isinstance(message, ast.Constant) else None
                holds = w.truth(expression(self, test), test)
                w.check(holds, holds, "an assertion does not hold", node, lambda: _fail(AssertionError(*([] if said is None else [said]))))
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
        self.writer.check(false, false, "raised", node, lambda: _fail(error(*args)))

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
                array, own = self._element(target)
                self._store(array, positions(self, array, own, target), value, target)
            case _:
                raise NotCompiled("an assignment to what is neither a name nor an element", target)

    def _element(self, node: ast.Subscript) -> tuple[Array, list[ast.expr]]:
        owner, own = indices(self, node)
        if not isinstance(owner.kind, Array):
            raise NotCompiled(f"a store to {owner.kind}", node)
        return owner.kind, own

    def _store(self, array: Array, where: list[int], value: Value, node: ast.Subscript) -> None:
        w = self.writer
        if not self.may_store:
            raise NotCompiled("a store inside of `try` or `with`", node, "compiled code that raises would leave names as they were before")
        made = arithmetic.over(w, [value], node, lambda given: self._stored(given[0], array, node))
        if not isinstance(made.kind, Never):
            w.store(array, w.make("arr.put", w.version(array), made.node, *where, site=w.site(node, axes=axes(node))))

    def _stored(self, value: Value, array: Array, node: ast.AST) -> Value:
        if not isinstance(value.kind, Scalar):
            raise NotCompiled(f"a store of {value.kind}", node)
        # NumPy stores an integer that does not fit into an unsigned element, and refuses to store it into a signed one.
        if value.kind.kind[0] in "iu" and value.kind.kind != array.kind and array.kind[0] == "i":
            return Value(Scalar(array.kind, False), (fitting(self.writer, value, array.kind, node),))
        return Value(Scalar(array.kind, False), (cast(self.writer, value, array.kind, node),))

    def _augmented(self, target: ast.expr, op: ast.operator, value: ast.expr, node: ast.AST) -> None:
        w = self.writer
        if isinstance(target, ast.Name):
            old = expression(self, ast.copy_location(ast.Name(target.id, ast.Load()), target))
            if isinstance(old.kind, Array):
                raise NotCompiled(f"`{arithmetic.symbol(op)}=` of an array", node, "write the loop over its elements")
            self.assign(target, arithmetic.binary(w, op, old, expression(self, value), node))
            return
        if not isinstance(target, ast.Subscript):
            raise NotCompiled("an assignment to what is neither a name nor an element", node)
        array, own = self._element(target)
        where = positions(self, array, own, target)
        old = Value(Scalar(array.kind, False), (w.make("arr.at", w.version(array), *where, site=w.site(target, axes=axes(target))),))
        self._store(array, where, arithmetic.binary(w, op, old, expression(self, value), node), target)

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
        names = self.changed([*then, *otherwise], loops=True)

        def run(statements: Sequence[ast.stmt]) -> Callable[[list[Value]], list[Value]]:
            def write(_: list[Value]) -> list[Value]:
                self.block(statements)
                return [self.value(name) for name in names]

            return write

        seen = [*names_in(*then, *otherwise), *names, JUMP, VALUE]
        for name, value in zip(names, self.writer.branch(condition, run(then), run(otherwise), seen), strict=True):
            self.keep(name, value)

    def _for(self, node: ast.For) -> None:
        if node.orelse:
            raise NotCompiled("`else` of a loop", node)
        turns = turns_of(self, node.iter)
        out = jumps(*node.body)
        names = list(dict.fromkeys([*assigned(node.target), *self.changed(node.body, loops=True)]))
        if out - {ast.Continue}:
            self._for_until(node, turns, names)
        else:
            self._counted(node, turns, names)

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
        if node.orelse:
            raise NotCompiled("`else` of a loop", node)
        w = self.writer
        names = self.changed(node.body, loops=True)

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

    def _until(self, node: ast.stmt, names: list[str], seen: list[str], test: Callable[[list[int]], int], step: Callable[[list[int]], None]) -> None:
        def make(state: int, lambdas: list[int], captures: list[int]) -> int:
            made: int = self.writer.graph.make("seq.while", [state], 0, None, lambdas, captures)
            return made

        self._loop(node, names, seen, [([], test), ([], step)], make)
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
        kinds = self.solved.get((node, entry), list(entry))
        stored = sorted(w.stored & set(outer.arrays))
        others = w.captured(name for name in seen if name not in names)
        arrays = [number for number in outer.arrays if number not in stored]
        for _ in range(8):
            w.enter(outer)
            before = [w.convert(self.value(name), kind) for name, kind in zip(names, kinds, strict=True)]
            types = [word for kind in kinds for word in words(kind)] + [array_word(w.kinds[number]) for number in stored]
            state_type = Type.tuple(tuple(type_of(word) for word in types))
            state = w.gather(before, stored)
            lambdas: list[int] = []
            captures: list[int] = []
            after = list(kinds)
            for leading, write in bodies:
                w.enter(outer)
                scope, first, _, captures = self._begin(leading, state_type, others, arrays)
                w.enter(scope)
                parts = w.spread(first[-1], len(types))
                for name, kind in zip(names, kinds, strict=True):
                    scope.names[name] = w.take(kind, parts)
                scope.arrays.update(zip(stored, parts, strict=True))
                # A turn begins with nothing to be done but what comes.
                scope.names.setdefault(JUMP, w.integer(0))
                scope.names.setdefault(VALUE, Value(Known(None)))
                made = write(first)
                if made is None:
                    results = [self.value(name) for name in names]
                    after = [join(kind, value.kind) for kind, value in zip(kinds, results, strict=True)]
                    if after != kinds:
                        w.graph.abandon(w.scope.body)
                        break
                    made = w.gather([w.convert(value, kind) for value, kind in zip(results, kinds, strict=True)], stored)
                lambdas.append(w.graph.end(w.scope.body, made))
            if after == kinds:
                break
            kinds = after
        else:
            raise NotCompiled("a loop in which the kinds of names do not settle", node)
        self.solved[node, entry] = kinds
        w.enter(outer)
        nodes = w.spread(make(state, lambdas, captures), len(types))
        for name, kind in zip(names, kinds, strict=True):
            self.keep(name, w.take(kind, nodes))
        outer.arrays.update(zip(stored, nodes, strict=True))

    def _begin(self, leading: list[str], state: Any, others: list[str], arrays: list[int]) -> Any:
        w = self.writer
        held = [w.scope.names[name] for name in others]
        outer = [node for value in held for node in value.nodes] + [w.scope.arrays[number] for number in arrays]
        types = [word for value in held for word in words(value.kind)] + [array_word(w.kinds[number]) for number in arrays]
        body, params = w.graph.begin([*map(type_of, leading), state, *map(type_of, types)])
        count = len(leading) + 1
        first, rest = params[:count], params[count:]
        from airloom.functions.writer import Scope

        scope = Scope(body)
        scope.names = {name: w.take(value.kind, rest) for name, value in zip(others, held, strict=True)}
        scope.arrays = dict(zip(arrays, rest, strict=True))
        return scope, first, [], outer

    def bind(self, target: ast.expr, turns: Turns, number: int) -> None:
        """Gives the names of a loop their values in a turn."""
        self.assign(target, turns.bound(self, number, target))

    # Calls of functions of the user's.

    def inlined(self, function: types.FunctionType, args: list[Value], node: ast.AST) -> Value:
        """A function that is called, written in place of the call."""
        name = function.__qualname__
        if function in self.callers or len(self.callers) >= _MOST_CALLS:
            raise NotCompiled(f"`{name}` calls too deep, or itself", node)
        found = written(function)
        if not isinstance(found, ast.FunctionDef):
            raise NotCompiled(f"the text of `{name}` is not known", node)
        own = found.args
        if own.vararg or own.kwarg or own.kwonlyargs or len(args) != len(own.posonlyargs) + len(own.args):
            raise NotCompiled(f"a call of `{name}` with other than its positional arguments", node)
        code = function.__code__
        if code.co_freevars or code.co_cellvars or code.co_flags & 0x20:
            raise NotCompiled(f"`{name}`, which has names of a function around it, or is a generator", node)
        w = self.writer
        outer = w.scope.names
        inner = Translator(w, set(code.co_varnames), function.__globals__, self.guards, (*self.callers, function))
        inner.solved, inner.may_store = self.solved, self.may_store
        w.scope.names = {arg.arg: value for arg, value in zip([*own.posonlyargs, *own.args], args, strict=True)}
        w.scope.names |= {JUMP: w.integer(0), VALUE: Value(Known(None))}
        scope = w.scope
        inner.block(found.body)
        value = scope.names[VALUE]
        scope.names = outer
        return value


def _ends(statements: Sequence[ast.stmt]) -> bool:
    """Whether nothing comes after statements, whichever way they go."""
    if not statements:
        return False
    last = statements[-1]
    return isinstance(last, (ast.Return, ast.Break, ast.Continue, ast.Raise)) or (isinstance(last, ast.If) and _ends(last.body) and _ends(last.orelse))


def _fail(error: Exception) -> None:
    raise error
