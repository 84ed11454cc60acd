"""A function of Python's as a loop over the rows of columns, or over the windows of one: compiled as `@airloom.jit` compiles it, on every core.

What the function is given in a row is what pandas would give it: numbers of Python's, or of NumPy's. Nothing but its result is stored, so that whatever is raised leaves nothing behind: whoever asked calls the function itself then.
"""

from __future__ import annotations

import ast
import functools
import linecache
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from airloom._options import options
from airloom.functions import calls
from airloom.functions.arithmetic import cast, over, to_float
from airloom.functions.faces import Face
from airloom.functions.iterate import prange
from airloom.functions.kinds import BOOL, FLOAT, INT, Scalar, Value
from airloom.functions.records import UNBOXERS
from airloom.functions.refusals import NotCompiled
from airloom.functions.region import Part
from airloom.functions.source import Definition, written
from airloom.functions.syntax import names_in, walk
from airloom.functions.writer import Writer

#: From how many rows on code is there before Python would be done, by whether the function has loops of its own.
LEAST = 20_000
LEAST_WITH_LOOPS = 2_000

#: What a row gives the function: a number of Python's, or of NumPy's.
PLAIN = {"int": "int({}[i])", "float": "float({}[i])", "bool": "bool({}[i])"}
NUMPYS = "{}[i]"
#: What a window gives it: elements from one position up to another.
WINDOW = "{}[given_starts[i]:given_ends[i]]"


@dataclass(frozen=True)
class Given:
    """A column that the function is given a value or a window of: its name among the parameters, and how that is written."""

    name: str
    form: str
    #: An object that holds what is given, and what else it holds.
    face: Face | None = None
    parts: tuple[Given, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of what is in memory."""
        return [self.name] if self.face is None else [name for part in self.parts for name in part.names]

    def written(self) -> str:
        if self.face is None:
            return self.form.format(f"given_{self.name}")
        return f"face_{self.name}({', '.join(part.written() for part in self.parts)})"

    @property
    def is_window(self) -> bool:
        return self.form == WINDOW or any(part.is_window for part in self.parts)


def held(name: str, face: Face, parts: Sequence[Given]) -> Given:
    """An object that the function is given, over columns."""
    return Given(name, "", face, tuple(parts))


@dataclass
class Made:
    """What a function makes of all rows: its results, and whether each is a float, where only some are."""

    values: numpy.ndarray[Any, Any]
    floats: numpy.ndarray[Any, Any] | None


def whole(value: Any) -> Any:
    """An integer as it is; another number is not compiled."""
    raise TypeError("it is called by compiled code alone")


def truth(value: Any) -> Any:
    """A boolean as it is; another value is not compiled."""
    raise TypeError("it is called by compiled code alone")


def number(value: Any) -> Any:
    """An integer or a float, as a float."""
    raise TypeError("it is called by compiled code alone")


def real(value: Any) -> Any:
    """Any number as a float, booleans too."""
    raise TypeError("it is called by compiled code alone")


def is_float(value: Any) -> Any:
    """Whether a number is a float."""
    raise TypeError("it is called by compiled code alone")


def _as(kinds: str, to: Scalar) -> calls.Compiled:
    def call(w: Writer, args: list[Value], node: ast.AST) -> Value:
        def one(given: list[Value]) -> Value:
            kind = given[0].kind
            if not isinstance(kind, Scalar) or kind.kind[0] not in kinds or kind.kind == "u64":
                raise NotCompiled(f"a result that is {kind}", node)
            if to == FLOAT:
                return Value(FLOAT, (to_float(w, given[0], node),))
            return Value(to, (cast(w, given[0], to.kind, node),))

        return over(w, args, node, one)

    return call


def _is_float(w: Writer, args: list[Value], node: ast.AST) -> Value:
    return over(w, args, node, lambda given: Value(BOOL, (w.constant(isinstance(given[0].kind, Scalar) and given[0].kind.kind[0] == "f", "bool"),)))


#: The kinds of results, by the function that takes them, and their dtypes; and the one of windows.
_RESULTS: dict[str, Any] = {"whole": numpy.int64, "truth": numpy.bool_, "number": numpy.float64}
_FLOATS: dict[str, Any] = {"real": numpy.float64}
#: What the loop over rows names.
_NAMES = {"prange": prange, "whole": whole, "truth": truth, "number": number, "real": real, "is_float": is_float, "int": int, "float": float, "bool": bool}

calls.add({whole: _as("iu", INT), truth: _as("b", BOOL), number: _as("iuf", FLOAT), real: _as("iufb", FLOAT), is_float: _is_float})


def definition(function: types.FunctionType) -> Definition:
    """The text of a function that may be written anew with other parameters."""
    found = written(function)
    if found is None:
        raise NotCompiled("the text of the function is not known, or is not what runs")
    if function.__code__.co_flags & 0x20 or function.__code__.co_cellvars:
        raise NotCompiled("a generator, or a function whose names others see")
    args = found.args
    if args.vararg or args.kwarg or args.kwonlyargs:
        raise NotCompiled("a function with `*args`, `**kwargs` or keyword-only arguments")
    return found


def parameters(function: types.FunctionType, found: Definition, given: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
    """What each parameter of a function is given, those of the functions around it included."""
    names = [arg.arg for arg in (*found.args.posonlyargs, *found.args.args)]
    if len(given) > len(names) or not set(named) <= set(names[len(given) :]):
        raise NotCompiled("arguments that the function does not have")
    bound = dict(zip(names, given, strict=False)) | named
    defaults = function.__defaults__ or ()
    for name, value in zip(names[len(names) - len(defaults) :], defaults, strict=True):
        bound.setdefault(name, value)
    if set(bound) != set(names):
        raise NotCompiled("fewer arguments than the function has")
    bound = {name: bound[name] for name in names}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            bound[name] = cell.cell_contents
        except ValueError as error:
            raise NotCompiled(f"`{name}`, which has no value yet") from error
    return bound


def uses_numpy(function: types.FunctionType) -> bool:
    """Whether a function names NumPy, by whichever name: what it computes may warn then."""
    code = function.__code__
    return any(getattr(function.__globals__.get(name), "__name__", "").split(".")[0] == "numpy" or isinstance(function.__globals__.get(name), numpy.ufunc) for name in code.co_names)


class Rows:
    """One function over the rows of columns of some kinds. `body` and `names` are its text and parameters; `columns` says which of those are columns.

    Where a column is given by its windows, `starts`, `ends` and `enough` are given beside them, and the function is called where there are enough elements.
    """

    def __init__(self, function: types.FunctionType, body: Sequence[ast.stmt], names: Sequence[str], columns: Sequence[Given | None], *, as_floats: bool = False) -> None:
        (own,) = ast.parse(f"def function({', '.join(names)}): pass").body
        assert isinstance(own, ast.FunctionDef)
        own.body = list(body)
        self.function = _compiled(ast.unparse(own), "function", function.__globals__)
        self.names, self.columns = list(names), list(columns)
        self.faces = {f"face_{column.name}": column.face for column in self.columns if column is not None and column.face is not None}
        self.has_windows = any(column is not None and column.is_window for column in columns)
        #: Whether every result is a float, whatever the function gives, and NaN where it is not called.
        self.as_floats = as_floats
        #: How each kind of result would be computed, by the kinds of what is given: those that it is not of are left out.
        self._regions: dict[tuple[Any, ...], list[tuple[str, Any, Part]]] = {}

    def computed(self, count: int, given: dict[str, Any]) -> Made:
        """The results, for columns and constants by their names. Whatever is raised is the function's own to raise."""
        key = tuple(value.dtype if isinstance(value, numpy.ndarray) else type(value) for value in given.values())
        regions = self._regions.setdefault(key, [])
        if not regions:
            regions += [self._region(word) for word in (_FLOATS if self.as_floats else _RESULTS)]
        while regions:
            word, region, part = regions[0]
            made = Made(numpy.full(count, numpy.nan) if self.as_floats else numpy.empty(count, _RESULTS[word]), numpy.empty(count, numpy.bool_) if word == "number" else None)
            space: dict[str, Any] = {"out": made.values, "floats": made.floats, "n": count, "function": self.function, **self.faces, **_NAMES, **{f"given_{name}": value for name, value in given.items()}}
            try:
                done = region(*(space[name] for name in part.given))
            except Exception as error:
                raise NotCompiled(f"a function that raises `{type(error).__name__}`") from error
            if done is not None and done is not ...:
                return made
            if not part.refusals:
                raise NotCompiled("a function that raises, or meets numbers of more than 64 bits")
            # Its results are of another kind.
            regions.pop(0)
        raise part.refusals[-1][1]

    def _region(self, word: str) -> tuple[str, Any, Part]:
        from airloom._native import Region

        values = [f"given_{name}" if column is None else column.written() for name, column in zip(self.names, self.columns, strict=True)]
        beside = ["starts", "ends", "enough"] if self.has_windows else []
        columns = [f"given_{given}" for name, column in zip(self.names, self.columns, strict=True) for given in ([name] if column is None else column.names)]
        lines = [f"def rows({', '.join(['out', 'floats', 'n', 'function', *self.faces, *columns, *(f'given_{name}' for name in beside)])}):", "    for i in prange(n):"]
        inside = " " * 8
        if self.has_windows:
            lines.append(f"{inside}if given_enough[i]:")
            inside += "    "
        lines += [f"{inside}made = function({', '.join(values)})", f"{inside}out[i] = {word}(made)"]
        if word == "number":
            lines.append(f"{inside}floats[i] = is_float(made)")
        text = "\n".join(lines) + "\n"
        driver = _compiled(text, "rows", {})
        root = written(driver)
        assert isinstance(root, ast.FunctionDef)
        part = Part(_Owner(driver), list(root.body), names_in(*root.body), ["i", "made"], False, False, is_parallel=True, root=root)  # type: ignore[arg-type]
        part.given = [name for name in part.given if name not in ("i", "made")]
        return word, Region(part.specialise, part.told, UNBOXERS), part


class _Owner:
    """What a part asks of its function: nothing is told, as whoever asks tells of it."""

    in_background = False

    def __init__(self, function: types.FunctionType) -> None:
        self.__wrapped__ = function
        self.__name__ = function.__name__

    def refused(self, part: Part, why: NotCompiled) -> None:
        pass

    def compiled(self, part: Part, seconds: float) -> None:
        pass


@functools.cache
def _file(text: str) -> str:
    """A name for a text that has no file."""
    file = f"<rows {_file.cache_info().currsize}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return file


def _compiled(text: str, name: str, space: dict[str, Any]) -> types.FunctionType:
    """A function of a text, with the global names of another."""
    made: dict[str, Any] = {}
    exec(compile(text, _file(text), "exec", dont_inherit=True), made)
    return types.FunctionType(made[name].__code__, space, name)


def is_worth(function: types.FunctionType, count: int) -> bool:
    """Whether code is there before Python would be done with the rows."""
    if options.strict or options.native in ("always", "verify"):
        return True
    found = written(function)
    loops = found is not None and any(isinstance(node, (ast.For, ast.While)) for node in walk(found))
    return count >= (LEAST_WITH_LOOPS if loops else LEAST)
