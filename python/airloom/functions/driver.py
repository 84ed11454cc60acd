"""The decorator: a function whose loops are compiled for what they are given, and which is the user's own everywhere else."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable
from typing import Any, overload

import numpy

from airloom._arrays import CLASSES, plain
from airloom._recording import ACTIVE
from airloom._report import LOG, refused
from airloom._options import options
from airloom.functions import object_mode, parallel
from airloom.functions.explaining import explained, recorded
from airloom.functions.kinds import UNBOUND
from airloom.functions.records import UNBOXERS
from airloom.functions.refusals import NotCompiled
from airloom.functions.region import Part
from airloom.functions.regions import LARGE, NOTHING, PREFIX, Rewriting
from airloom.functions.source import written
from airloom.functions.syntax import walk


class Jitted:
    """A function with compiled parts. `__wrapped__` is the function as it was written."""

    __wrapped__: Any
    __name__: str
    __qualname__: str

    def __init__(self, function: types.FunctionType) -> None:
        functools.update_wrapper(self, function)
        self.parts: list[Part] = []
        #: Loops that are not compiled whatever they are given, and why.
        self.remaining: list[tuple[ast.stmt, NotCompiled]] = []
        self._told: set[tuple[int, int, str]] = set()
        self._run: Callable[..., Any] | None = None
        #: Whether Python may run parts that are given little while their code is made.
        self.in_background = True

    def __call__(self, *args: Any, **named: Any) -> Any:
        run = self._run or self._ready()
        if ACTIVE or CLASSES:
            return self._called(run, args, named)
        return run(*args, **named)

    def _called(self, run: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """A call that may be given arrays of ours, or is recorded."""
        ours = any(type(arg) in CLASSES for arg in args) or any(type(arg) in CLASSES for arg in named.values())
        if ours:
            args, named = tuple(map(plain, args)), {name: plain(arg) for name, arg in named.items()}
        made = run(*args, **named)
        if ACTIVE:
            recorded(self, args, named, made)
        if not ours:
            return made
        from airloom.numpy.fallback import wrapped

        return wrapped(made)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def __repr__(self) -> str:
        return f"<airloom.jit {self.__qualname__}>"

    def explain(self, *args: Any, **named: Any) -> str:
        """What is compiled and what Python runs, line by line, for these arguments, with which the function is called. It waits for code."""
        before, self.in_background = self.in_background, False
        try:
            self(*args, **named)
        finally:
            self.in_background = before
        return explained(self)

    def clear(self) -> None:
        """Forgets all code."""
        self._run = None
        self.parts, self.remaining, self._told = [], [], set()

    # What happens, told once.

    def left(self, statement: ast.stmt, why: NotCompiled) -> None:
        """A loop that is never compiled."""
        self.remaining.append((statement, why.at(statement)))

    def refused(self, part: Part, why: NotCompiled) -> None:
        self._tell(why.at(part.statements[0]))

    def compiled(self, part: Part, seconds: float) -> None:
        first, last = part.statements[0], part.statements[-1]
        LOG.add(f"jit `{self.__name__}`", "native", f"lines {first.lineno} to {last.end_lineno} compiled", seconds)

    def _tell(self, why: NotCompiled) -> None:
        line, column = getattr(why.node, "lineno", 0), getattr(why.node, "col_offset", 0)
        key = (line, column, why.reason)
        if key in self._told:
            return
        self._told.add(key)
        name = f"jit `{self.__name__}`"
        reason = self.described(why)
        refused(name, reason, "Python")
        LOG.add(name, "host", reason)

    def described(self, why: NotCompiled) -> str:
        """A reason, where it stands, and what would be compiled."""
        line, column = getattr(why.node, "lineno", 0), getattr(why.node, "col_offset", 0)
        file = self.__wrapped__.__code__.co_filename.rsplit("/", 1)[-1]
        text = f"{why.reason} ({file}:{line}:{column + 1}, in `{self.__name__}`)"
        return f"{text}; hint: {why.hint}" if why.hint else text

    # Making it ready.

    def _ready(self) -> Callable[..., Any]:
        run = self._made()
        self._run = run
        for statement, why in self.remaining:
            self._tell(why.at(statement))
        return run

    def _made(self) -> Callable[..., Any]:
        function: types.FunctionType = self.__wrapped__
        definition = written(function)
        if not isinstance(definition, ast.FunctionDef):
            self._tell(NotCompiled("the text of the function is not known, or is not what runs"))
            return function
        for node in walk(definition):
            name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "arg", None)
            if isinstance(name, str) and ((name.startswith("__") and not name.endswith("__")) or (isinstance(node, ast.Name) and name in _LOOKING)):
                # In a class such a name is another one; and what looks at all names would see some of ours.
                self._tell(NotCompiled(f"a function that uses `{name}`", node))
                return function
        rewriting = Rewriting(self, definition)
        made = rewriting.rewritten()
        self.parts = rewriting.parts
        try:
            from airloom._native import Region
        except ImportError:
            self._tell(NotCompiled("airloom was built without native code"))
            return function
        extra: dict[str, Any] = {NOTHING: UNBOUND}
        if any(part.is_automatic for part in self.parts):
            extra[LARGE] = _is_large
        extra |= {f"{PREFIX}{number}": _entered(part, Region) for number, part in enumerate(self.parts)}
        return _function(function, made, extra)


def _is_large(*args: Any) -> bool:
    """Whether a function is given so much that loops may be worth several cores."""
    for arg in args:
        if (type(arg) is numpy.ndarray and arg.size >= parallel.LEAST) or (type(arg) is int and arg >= parallel.LEAST):
            return options.threads != 1
    return False


def _entered(part: Part, region: Callable[..., Any]) -> Any:
    """How a part is entered: regions of `objmode` know what it is given."""
    enter = region(part.specialise, part.told, UNBOXERS)
    return object_mode.Entrance(part, enter) if any(object_mode.is_region(node) for statement in part.statements for node in walk(statement)) else enter


def _function(function: types.FunctionType, made: ast.FunctionDef, extra: dict[str, Any]) -> types.FunctionType:
    """A function of another text, with the names of the old one, and some more that are known to it alone."""
    code = function.__code__
    free = [*code.co_freevars, *extra]
    # By its own name it would be a name of the factory's, and a function that calls itself means the global one.
    made.name = "airloom_function"
    module = ast.parse(f"def airloom_factory({', '.join(free)}):\n    pass\n    return {made.name}")
    factory = module.body[0]
    assert isinstance(factory, ast.FunctionDef)
    # Defaults and annotations are those of the function itself.
    made.args = _without_defaults(made.args)
    factory.body[0] = made
    flags = code.co_flags & _FUTURES
    outer = compile(module, code.co_filename, "exec", flags, dont_inherit=True)
    space: dict[str, Any] = {}
    exec(outer, space)
    inner = next(c for c in space["airloom_factory"].__code__.co_consts if isinstance(c, types.CodeType) and c.co_name == made.name)
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True)) | {name: types.CellType(value) for name, value in extra.items()}
    inner = inner.replace(co_name=code.co_name, co_qualname=code.co_qualname)
    found = types.FunctionType(inner, function.__globals__, function.__name__, function.__defaults__, tuple(cells[name] for name in inner.co_freevars))
    found.__kwdefaults__ = function.__kwdefaults__
    return found


def _without_defaults(args: ast.arguments) -> ast.arguments:
    plain = ast.arguments(
        posonlyargs=[_plain(arg) for arg in args.posonlyargs],
        args=[_plain(arg) for arg in args.args],
        vararg=_plain(args.vararg) if args.vararg else None,
        kwonlyargs=[_plain(arg) for arg in args.kwonlyargs],
        kw_defaults=[None for _ in args.kwonlyargs],
        kwarg=_plain(args.kwarg) if args.kwarg else None,
        defaults=[],
    )
    return plain


def _plain(arg: ast.arg) -> ast.arg:
    return ast.copy_location(ast.arg(arg.arg), arg)


#: What looks at the names of a function.
_LOOKING = ("locals", "eval", "exec", "vars", "dir")

#: The flags by which `from __future__ import` changes how text is compiled.
_FUTURES = 0x1FE0000


@overload
def jit(function: Callable[..., Any]) -> Jitted: ...
@overload
def jit(*, nogil: bool = True) -> Callable[[Callable[..., Any]], Jitted]: ...


def jit(function: Callable[..., Any] | None = None, *, nogil: bool = True) -> Jitted | Callable[[Callable[..., Any]], Jitted]:
    """Compiles the loops of a function for what they are given; what is not compiled is Python's, with the reason in `airloom.report()`.

    Compiled code always runs without Python's lock: `nogil` is there for those who are used to write it.
    """
    if function is None:
        return lambda found: jit(found)
    if isinstance(function, Jitted):
        return function
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"`airloom.jit` takes a function that is written in Python, not `{type(function).__name__}`")
    return Jitted(function)
