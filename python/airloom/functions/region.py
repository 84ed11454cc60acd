"""A part of a function: compiled for what it is given, or left to Python with the reason."""

from __future__ import annotations

import ast
import os
import time
import types
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from airloom._native import Function
from airloom.errors import IllTypedError
from airloom.functions import parallel, records, waiting
from airloom.functions.kinds import UNBOUND, Array, Complex, Either, Kind, Known, Never, Object, Record, Scalar, Several, Unbound, Value, View, observed, references, type_of, words
from airloom.functions.records import Shape
from airloom.functions.refusals import NotCompiled
from airloom.functions.syntax import returning, walk
from airloom.functions.translate import JUMP, VALUE, Translator
from airloom.functions.writer import FIRST_MADE, Scope, Site, StoredTo, Writer, array_word

if TYPE_CHECKING:
    from airloom.functions.driver import Jitted


#: How the reason begins where the compiler is wrong.
DEFECT = "a defect of airloom's"


@dataclass
class Written:
    """A part as a graph: its function, what the code is given and gives, and where its nodes stand in the program."""

    writer: Writer
    function: int
    takes: list[int]
    layouts: list[str]
    gives: tuple[Any, ...]
    guards: list[tuple[dict[str, Any], str, Any]]
    kinds: list[Kind]
    names: list[str]
    shapes: tuple[Shape, ...]
    loop: parallel.Loop | None = None
    #: Which item of the function's result each array is, by its number; and by the word in `gives` that stands for it.
    arrays: dict[int, int] = field(default_factory=dict)
    words: dict[int, int] = field(default_factory=dict)

    @property
    def sites(self) -> list[Site]:
        return self.writer.sites

    def as_function(self, name: str = "part") -> Function:
        """The function of the graph, which can be printed and run."""
        given = [name.strip("%") for name in self.names] + (["first_turn", "last_turn"] if self.loop else [])
        return self.writer.graph.function(self.function, name, given)


@dataclass
class Part:
    """Statements of a function that may be compiled together: the names they are given, and those that they change."""

    owner: Jitted
    statements: list[ast.stmt]
    given: list[str]
    changes: list[str]
    #: Whether it may leave the function, and whether it is all of it.
    returns: bool
    whole: bool
    may_store: bool = True
    is_parallel: bool = False
    #: The function that it is of.
    root: ast.AST | None = None
    #: Whether it is a loop that is run on every core where its turns are found to be independent; and why they are not.
    is_automatic: bool = False
    serial: NotCompiled | None = None
    #: Names that regions of `objmode` alone read: they are handed to those, and code does not know them.
    beside: list[str] = field(default_factory=list)
    #: What was refused, by what the part was given.
    refusals: list[tuple[str, NotCompiled]] = field(default_factory=list)
    compiled: list[Written] = field(default_factory=list)
    #: Code that is being made.
    _pending: dict[Any, Future[Any]] = field(default_factory=dict)

    def specialise(self, args: tuple[Any, ...], said: tuple[Any, ...] | None = None) -> Any:
        """Code for what the part is given, `None` where Python runs it, or `...` where it does so while code is made. `said` tells where tuples and objects were taken apart, whose parts are given in their places."""
        shapes = records.shapes(said, len(self.given))
        kinds = [observed(value, number) for number, value in enumerate(args)]
        # A forked process has none of its parent's threads.
        key = (os.getpid(), tuple(kinds), shapes)
        pending = self._pending.get(key)
        if pending is None:
            if not self.owner.in_background or not waiting.may_wait(self.statements, args):
                return self._specialised(kinds, shapes)
            pending = self._pending[key] = waiting.start(lambda: self._specialised(kinds, shapes))
        if not pending.done() and self.owner.in_background and waiting.may_wait(self.statements, args):
            return ...
        made = pending.result()
        self._pending.pop(key, None)
        return made

    def _specialised(self, kinds: list[Kind], shapes: tuple[Shape, ...]) -> Any:
        from airloom import _native

        begin = time.perf_counter()
        try:
            made = self._parallel_or_serial(kinds, shapes)
            if not hasattr(_native, "Kernel"):
                raise NotCompiled("airloom was built without native code")
            kernel = self._compiled(made)
        except Exception as found:
            # A defect of the compiler's is told as what it is, and the function runs.
            error = found if isinstance(found, NotCompiled) else NotCompiled(f"{DEFECT}: {type(found).__name__}: {found}", self.statements[0])
            self.owner.refused(self, error)
            self.refusals.append((", ".join(map(str, kinds)), error))
            return None
        self.compiled.append(made)
        self.owner.compiled(self, time.perf_counter() - begin)
        return kernel

    def told(self, reason: str) -> None:
        """Why Python runs the part this time, though there is code for it."""
        self.owner.refused(self, NotCompiled(reason, self.statements[0]))

    def _compiled(self, made: Written) -> Any:
        from airloom._native import Kernel

        raises = _Raises(self.owner, made.sites)
        try:
            drives = parallel.Drives(self, made.loop, made.shapes) if made.loop else None
            kernel = Kernel(made.writer.graph, made.function, made.layouts, made.takes, made.gives, made.guards, raises, drives)
        except IllTypedError as error:
            raise NotCompiled(str(error), self.statements[0]) from error
        if drives is not None:
            drives.kernel = kernel
        return kernel

    def _parallel_or_serial(self, kinds: list[Kind], shapes: tuple[Shape, ...]) -> Written:
        if self.is_parallel:
            try:
                return self.written(kinds, parallel.loop_of(self), shapes)
            except NotCompiled as error:
                self.owner.refused(self, NotCompiled(f"run on one core: {error.reason}", error.node, error.hint))
        elif self.is_automatic:
            try:
                return self.written(kinds, parallel.found_in(self), shapes)
            except NotCompiled as error:
                self.serial = error
        return self.written(kinds, None, shapes)

    def written(self, kinds: list[Kind], loop: parallel.Loop | None, shapes: tuple[Shape, ...]) -> Written:
        """The graph of the part for what it is given."""
        given = _Given(self.given, shapes)
        stored = self._stored(kinds, given)
        while True:
            try:
                return self._written(kinds, stored, loop, given)
            except StoredTo as error:
                stored = stored | {error.number}
            except IllTypedError as error:
                raise NotCompiled(f"a node that the graph does not take: {error}", self.statements[0]) from error

    def _stored(self, kinds: list[Kind], given: _Given) -> set[int]:
        """The arrays that are stored to by name: others are found when the part is written, which is written again then."""
        targets = (node for statement in self.statements for node in walk(statement) if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store))
        names = {node.value.id for node in targets if isinstance(node.value, ast.Name)} - set(self.changes)
        return {number for number, name in enumerate(given.flat) if name in names and isinstance(kinds[number], Array)} if self.may_store else set()

    def _written(self, kinds: list[Kind], stored: set[int], loop: parallel.Loop | None, names_given: _Given) -> Written:
        arrays = {number: kind for number, kind in enumerate(kinds) if isinstance(kind, Array)}
        w = Writer(arrays, stored)
        guards: list[tuple[dict[str, Any], str, Any]] = []
        function = self.owner.__wrapped__
        t = Translator(w, set(function.__code__.co_varnames), function.__globals__, guards, (function,))
        t.may_store, t.part = self.may_store, self
        t.root = self.root
        # A complex number is two parameters, one after the other.
        takes = [number for number, kind in enumerate(kinds) for _ in range(1 if isinstance(kind, Array) else len(words(kind)))]
        types_of = [array_word(kind) if isinstance(kind, Array) else words(kind)[0] for kind in (kinds[number] for number in takes)]
        body, nodes = w.graph.begin([type_of(word) for word in [*types_of, *(["i64", "i64"] if loop else [])]])
        scope = Scope(body)
        given: dict[int, tuple[int, ...]] = {}
        for number, own in zip(takes, nodes, strict=False):
            given[number] = (*given.get(number, ()), own)
        for number, kind in enumerate(kinds):
            if isinstance(kind, Array):
                (scope.arrays[number],) = given.pop(number)
        for name, number, shape in names_given.names:
            inside = range(number, number + shape.count)
            value = Value(shape.kind([kinds[at] for at in inside]), tuple(n for at in inside for n in given.get(at, ())))
            if not isinstance(value.kind, Unbound):
                scope.names[name] = value
        w.enter(scope)
        t.keep(JUMP, w.integer(0))
        t.keep(VALUE, Value(Never()))
        if loop is not None:
            parallel.write(t, loop, nodes[-2], nodes[-1])
            if loop.stored is not None:
                parallel.check(loop, w, dict(enumerate(names_given.flat)))
        else:
            t.block(returning(self.statements) if self.whole else self.statements)
        names = [VALUE] if self.whole else [*self.changes, *([JUMP, VALUE] if self.returns else [])]
        values = [t.value(name) for name in names]
        numbers = sorted((w.stored & set(w.scope.arrays) if not loop else stored) | {number for value in values for number in references(value.kind) if number >= FIRST_MADE})
        result = w.graph.end(body, w.gather(values, numbers))
        # Arrays come after all single values: which one each is, and its extents.
        at = sum(len(words(value.kind)) for value in values)
        positions = {}
        for number in numbers:
            positions[number] = at
            at += 1 + w.kinds[number].axes
        counter = [0]
        gives = ("tuple", [_made(value.kind, counter, positions) for value in values])
        layouts = [kind.layout if isinstance(kind, Array) else "rows" for kind in (kinds[number] for number in takes)] + (["rows", "rows"] if loop else [])
        single = sum(len(words(value.kind)) for value in values)
        items = {number: single + at for at, number in enumerate(numbers)}
        named = [names_given.flat[number] for number in takes]
        return Written(w, result, takes, layouts, gives, guards, kinds, named, names_given.shapes, loop, items, {positions[number]: at for number, at in items.items()})


class _Given:
    """The names that a part is given: a tuple, or an object of a user's, is as many values as it has parts."""

    def __init__(self, names: list[str], shapes: tuple[Shape, ...]) -> None:
        self.shapes = shapes
        #: Each name, the number of its first value, and how it is made of values.
        self.names: list[tuple[str, int, Shape]] = []
        #: The name of each value.
        self.flat: list[str] = []
        for name, shape in zip(names, shapes, strict=True):
            self.names.append((name, len(self.flat), shape))
            self.flat.extend(shape.labels(name))


def _made(kind: Kind, counter: list[int], positions: dict[int, int]) -> tuple[Any, ...]:
    """How an object is made of the words of a result."""

    def word() -> int:
        counter[0] += 1
        return counter[0] - 1

    match kind:
        case Scalar():
            at = word()
            return ({"i64": "int", "f64": "float", "bool": "bool"}[kind.kind], at) if kind.weak else ("numpy", kind.dtype.type, kind.kind, at)
        case Complex():
            return ("complex", word(), word())
        case Array():
            return ("given", kind.number) if kind.number < FIRST_MADE else ("array", kind.dtype, positions[kind.number], kind.axes)
        case View():
            base = _made(kind.array, counter, positions)
            return ("view", base, [("at", word()) if part == "at" else ("slice", word(), word(), word()) if part == "slice" else (part,) for part in kind.parts])
        case Known():
            return ("object", kind.value)
        case Unbound() | Never():
            return ("object", UNBOUND)
        case Several():
            if not kind.is_tuple:
                raise NotCompiled(f"a result that is {kind}", None, "register its class by `airloom.register_type`")
            made = ("tuple", [_made(item, counter, positions) for item in kind.items])
            return made if kind.cls is None else ("called", kind.cls._make, [made])  # type: ignore[attr-defined]
        case Record():
            return ("called", kind.box, [_made(item, counter, positions) for item in kind.items])
        case Object():
            raise NotCompiled(f"a result that is {kind}")
        case Either():
            at = word()
            return ("either", at, [_made(choice, counter, positions) for choice in kind.choices])


class _Raises:
    """Raises what Python would have raised, after code has stored: on the user's line."""

    def __init__(self, owner: Jitted, sites: list[Site]) -> None:
        self.owner = owner
        self.sites = sites

    def __call__(self, site: int, kind: str, x: int, y: int, z: int) -> None:
        found = self.sites[site]
        error: BaseException
        if kind == "index":
            error = IndexError(f"index {x} is out of bounds for axis {found.axes[y] if found.axes else y} with size {z}")
        elif found.error is not None:
            error = found.error(x, y, z)
        elif found.holds:
            error = OverflowError(f"Python integer {x} out of bounds for {found.holds}")
        elif found.again is not None:
            try:
                found.again()
                raise AssertionError("invariant `what is done again raises`")
            except Exception as raised:
                error = raised.with_traceback(None)
        else:
            text = "compiled code met a number that it does not hold (an integer of more than 64 bits, for one) after it had stored to an array, so Python cannot begin again"
            error = OverflowError(f"{text}; hint: use floats or NumPy's integers there, or call `{self.owner.__name__}.__wrapped__`")
        raise_at(error, self.owner.__wrapped__, getattr(found.node, "lineno", self.owner.__wrapped__.__code__.co_firstlineno))


def raise_at(error: BaseException, function: types.FunctionType, line: int) -> None:
    """Raises an exception in a frame that looks like a line of the function's."""
    statement = ast.Raise(exc=ast.Name("error", ast.Load()), cause=None)
    module = ast.Module([statement], [])
    for node in ast.walk(module):
        if isinstance(node, (ast.stmt, ast.expr)):
            node.lineno = node.end_lineno = line
            node.col_offset = node.end_col_offset = 0
    code = compile(module, function.__code__.co_filename, "exec").replace(co_name=function.__name__, co_qualname=function.__qualname__)
    exec(code, {"error": error})
