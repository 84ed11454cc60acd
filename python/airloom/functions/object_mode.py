"""Regions of compiled code that are Python's: `with airloom.objmode(y=float):`.

Code calls back: a region is a function of the names that it reads, and gives those that were declared. It is given the very arrays that the part was given; an array that code has made is handed over as a copy, and
what the region stores to it is written back.
"""

from __future__ import annotations

import ast
import ctypes
import itertools
import struct
import sys
import threading
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from airloom._native import Type
from airloom.functions.kinds import BOOL, DTYPES, FLOAT, INT, KINDS, UNBOUND, Array, Complex, Either, Kind, Known, Record, Scalar, Several, Unbound, Value, View, references, type_of, words
from airloom.functions.records import taken_apart
from airloom.functions.refusals import NotCompiled
from airloom.functions.syntax import walk
from airloom.functions.writer import FIRST_MADE, array_word

if TYPE_CHECKING:
    from airloom.functions.region import Part
    from airloom.functions.translate import Translator


class objmode:
    """Within compiled code, statements that Python runs: `with airloom.objmode(y=float, n="int64"): ...`.

    Each name that is assigned in it and read after it is declared, with the type that it has then: `float`, `int` and `bool` are Python's numbers and NumPy's of the same width, other dtypes of NumPy's are their scalars. A value of
    another type is a `TypeError`.
    """

    def __init__(self, **declared: Any) -> None:
        self._declared = {name: _kinds(name, kind) for name, kind in declared.items()}

    def __enter__(self) -> None:
        return None

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None and self._declared:
            names = sys._getframe(1).f_locals
            for name, kinds in self._declared.items():
                _choice(name, kinds, names.get(name, UNBOUND))


_OWN = {"f64": FLOAT, "i64": INT, "bool": BOOL}


def _kinds(name: str, declared: Any) -> tuple[Scalar, ...]:
    """What a value of a declared type may be."""
    try:
        word = KINDS[numpy.dtype(declared)]
    except (KeyError, TypeError):
        raise TypeError(f"objmode: `{name}` is declared as {declared!r}, which is no number: say `float`, `int`, `bool`, or a dtype of NumPy's") from None
    strong = Scalar(word, False)
    return (_OWN[word], strong) if word in _OWN else (strong,)


def _class_of(kind: Scalar) -> type:
    return {"f64": float, "i64": int, "bool": bool}[kind.kind] if kind.weak else kind.dtype.type


def _choice(name: str, kinds: Sequence[Scalar], value: Any) -> int:
    """Which of the kinds a value is of."""
    if value is UNBOUND:
        raise UnboundLocalError(f"objmode: `{name}` was declared, and has no value at the end of the region")
    for at, kind in enumerate(kinds):
        if type(value) is _class_of(kind) and _fits(kind, value):
            return at
    raise TypeError(f"objmode: `{name}` is `{type(value).__name__}` at the end of the region, and was declared as {' or '.join(map(str, kinds))}")


def _fits(kind: Scalar, value: Any) -> bool:
    return kind != INT or -(1 << 63) <= value < 1 << 63


# Finding regions.


def is_region(node: ast.AST) -> bool:
    """Whether a statement looks like a region; what its name stands for is seen when it is compiled."""
    if not isinstance(node, ast.With) or len(node.items) != 1 or node.items[0].optional_vars is not None:
        return False
    call = node.items[0].context_expr
    if not isinstance(call, ast.Call) or call.args or any(word.arg is None for word in call.keywords):
        return False
    return (call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")) == "objmode"


def outside(root: ast.AST) -> Iterator[ast.AST]:
    """All pieces of a statement but what stands in regions."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend([node.items[0].context_expr] if is_region(node) else ast.iter_child_nodes(node))  # type: ignore[attr-defined]


def unsupported(node: ast.With) -> NotCompiled | None:
    """Why a region is not called by code."""
    inside = [part for statement in node.body for part in ast.walk(statement)]
    for part in inside:
        if isinstance(part, (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)):
            return NotCompiled("a region of `objmode` that leaves the function, or has names of other functions", part)
        if isinstance(part, (ast.Break, ast.Continue)) and not any(isinstance(loop, (ast.For, ast.While)) and part in ast.walk(loop) for loop in inside):
            return NotCompiled("a region of `objmode` that leaves the loop around it", part)
    return None


def names_beside(statements: Sequence[ast.stmt], local: set[str], changes: Sequence[str]) -> list[str]:
    """Names of the function that regions alone read, and nothing in the part gives a value to: code need not know what they are."""
    if not any(is_region(node) for statement in statements for node in walk(statement)):
        return []
    plain = {node.id for statement in statements for node in outside(statement) if isinstance(node, ast.Name)}
    read = [node.id for statement in statements for node in walk(statement) if isinstance(node, ast.Name)]
    return [name for name in dict.fromkeys(read) if name in local and name not in plain and name not in changes]


# Entering parts.

_LOCAL = threading.local()


class Entrance:
    """A part with regions: what it is given is known to them while it runs."""

    def __init__(self, part: Part, enter: Callable[..., Any]) -> None:
        self._part, self._enter = part, enter

    def __call__(self, *args: Any) -> Any:
        stack = _LOCAL.__dict__.setdefault("calls", [])
        count = len(args) - len(self._part.beside)
        stack.append((self._part, args[:count], dict(zip(self._part.beside, args[count:], strict=True))))
        try:
            return self._enter(*args[:count])
        finally:
            stack.pop()


# Compiling.


class Region:
    """A region, as a function of the names that it reads."""

    def __init__(self, part: Part, function: types.FunctionType, node: ast.With, given: dict[str, Kind], gives: dict[str, tuple[Scalar, ...]], arrays: list[Array]) -> None:
        self.part, self.given, self.gives, self.arrays = part, given, gives, arrays
        self.names = [*given, *(name for name in part.beside if name not in given)]
        self.code = _function(function, node, self.names, list(gives))
        self.results: list[Kind] = [Either(kinds) if len(kinds) > 1 else kinds[0] for kinds in gives.values()]

    def raised(self, *_: int) -> BaseException:
        """What the region has just raised. The code that has left holds its regions by this."""
        error: BaseException = _LOCAL.__dict__.pop("error")
        return error

    def run(self, room: Any) -> None:
        """Runs it for the words of what it is given, and writes those of what it gives over them."""
        count = sum(len(words(kind)) for kind in self.given.values()) + sum(1 + 2 * array.axes for array in self.arrays)
        taken = iter([room[at] for at in range(count)])
        plain = {name: [next(taken) for _ in words(kind)] for name, kind in self.given.items()}
        calls = _LOCAL.__dict__.get("calls", ())
        _, args, beside = calls[-1] if calls and calls[-1][0] is self.part else (None, None, {})
        held, copies = {}, []
        flat = [] if args is None or not self.arrays else taken_apart(args)[0]
        for array in self.arrays:
            seen = _memory(array, [next(taken) for _ in range(1 + 2 * array.axes)])
            if array.number < FIRST_MADE and args is not None:
                held[array.number] = flat[array.number]
            else:
                copies.append((seen, seen.copy()))
                held[array.number] = copies[-1][1]
        values = {name: _object(kind, iter(plain[name]), held) for name, kind in self.given.items()} | beside
        found = self.code(**{name: values.get(name, UNBOUND) for name in self.names})
        for seen, copy in copies:
            seen[...] = copy
        at = 0
        for value, (name, kinds) in zip(found, self.gives.items(), strict=True):
            which = _choice(name, kinds, value)
            if len(kinds) > 1:
                room[at] = which
                at += 1
            for number, kind in enumerate(kinds):
                room[at] = _word(kind, value) if number == which else 0
                at += 1


def written(t: Translator, node: ast.With) -> None:
    """A region in code: a call of the host, which may raise, and may store to the arrays that it is given."""
    w = t.writer
    call = node.items[0].context_expr
    assert isinstance(call, ast.Call)
    called = t.expression(call.func).kind
    why = unsupported(node)
    if not isinstance(called, Known) or called.value is not objmode or t.part is None:
        raise why or NotCompiled("a `with` of what is not `airloom.objmode`", node)
    if why is not None:
        raise why
    declared: dict[str, tuple[Scalar, ...]] = {}
    for keyword in call.keywords:
        kind = t.expression(keyword.value).kind
        if not isinstance(kind, Known):
            raise NotCompiled("a type of `objmode` that is not known before", keyword.value)
        declared[str(keyword.arg)] = _kinds(str(keyword.arg), kind.value)
    inside = [part for statement in node.body for part in walk(statement) if isinstance(part, ast.Name)]
    own = {id(part) for part in inside}
    for part in inside:
        if isinstance(part.ctx, ast.Store) and part.id not in declared and t.root is not None:
            if any(isinstance(other, ast.Name) and other.id == part.id and id(other) not in own and isinstance(other.ctx, ast.Load) for other in walk(t.root)):
                raise NotCompiled(f"`{part.id}`, which a region of `objmode` assigns and the code around it reads", part, f"declare it: `objmode({part.id}=float)`")
    values: dict[str, Value] = {}
    for name in dict.fromkeys(part.id for part in inside):
        value = w.scope.names.get(name)
        if value is not None and name in t.locals and not isinstance(value.kind, Unbound):
            _passes(value.kind, node)
            values[name] = value
    numbers = sorted({number for value in values.values() for number in references(value.kind)})
    arrays = [w.kinds[number] for number in numbers]
    region = Region(t.part, t.callers[-1], node, {name: value.kind for name, value in values.items()}, declared, arrays)
    number = next(_NUMBERS)
    _REGIONS[number] = region
    outs = [word for kind in region.results for word in words(kind)]
    gives = Type.tuple(tuple(type_of(word) for word in ["i64", *outs, *map(array_word, arrays)]))
    site = w.site(node)
    # What raised is kept until code has left.
    w.sites[site].error = region.raised
    args = [n for value in values.values() for n in value.nodes] + [w.version(array) for array in arrays]
    made: int = w.graph.make("host.call", args, site, {"name": f"objmode:{number}", "ty": gives, "effect": "raises"})
    w.raising.append(("host.call", site))
    nodes = w.spread(made, 1 + len(outs) + len(arrays))
    w.demand(w.make("eq", nodes[0], w.constant(0, "i64")), "a region raised", node, site=site)
    rest = nodes[1 : 1 + len(outs)]
    for name, kind in zip(declared, region.results, strict=True):
        t.bind(name, w.take(kind, rest))
    for array, version in zip(arrays, nodes[1 + len(outs) :], strict=True):
        w.store(array, version)


def _passes(kind: Kind, node: ast.AST) -> None:
    """Whether a value can be handed to a region."""
    match kind:
        case Scalar() | Complex() | Array() | Known() | Record():
            return
        case Several() if kind.is_tuple:
            for part in kind.items:
                _passes(part, node)
        case Either():
            for part in kind.choices:
                _passes(part, node)
        case View() if "new" not in kind.parts:
            return
        case Unbound():
            return
        case _:
            raise NotCompiled(f"{kind} in a region of `objmode`", node)


def _function(function: types.FunctionType, node: ast.With, names: Sequence[str], gives: Sequence[str]) -> Callable[..., Any]:
    """The statements of a region as a function of names, which finds others where the function around it does."""
    where = {"lineno": node.lineno, "end_lineno": node.lineno, "col_offset": 0, "end_col_offset": 0}
    missing = "airloom_missing"
    body: list[ast.stmt] = []
    for name in names:
        # A name without a value has none here either.
        test = ast.Compare(ast.Name(name, ast.Load(), **where), [ast.Is()], [ast.Name(missing, ast.Load(), **where)], **where)
        body.append(ast.If(test, [ast.Delete([ast.Name(name, ast.Del(), **where)], **where)], [], **where))
    body += node.body
    items: list[ast.expr] = [ast.Name(name, ast.Load(), **where) for name in gives]
    body.append(ast.Return(ast.Tuple(items, ast.Load(), **where), **where))
    free = [name for name in function.__code__.co_freevars if name not in names]
    inner = ast.parse(f"def region({', '.join(names)}): pass").body[0]
    assert isinstance(inner, ast.FunctionDef)
    inner.body = body
    module = ast.parse(f"def factory({', '.join([missing, *free])}):\n    pass\n    return region")
    outer = module.body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.body[0] = inner
    space: dict[str, Any] = {}
    exec(compile(module, function.__code__.co_filename, "exec", function.__code__.co_flags & 0x1FE0000, dont_inherit=True), space)
    code = next(found for found in space["factory"].__code__.co_consts if isinstance(found, types.CodeType))
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)) | {missing: types.CellType(UNBOUND)}
    made = types.FunctionType(code.replace(co_name=function.__name__), function.__globals__, function.__name__, None, tuple(cells[name] for name in code.co_freevars))
    return made


# Running.

_NUMBERS = itertools.count(1)
#: Regions by the number that code knows them under: the code of a part holds its own.
_REGIONS: weakref.WeakValueDictionary[int, Region] = weakref.WeakValueDictionary()

_FORMS = {"f64": "d", "f32": "f", "i64": "q", "i32": "q", "i16": "q", "i8": "q", "u64": "Q", "u32": "Q", "u16": "Q", "u8": "Q", "bool": "Q"}


def _run(number: int, address: int) -> int:
    region = _REGIONS.get(number)
    try:
        if region is None:
            raise AssertionError("invariant `code holds its regions`")
        region.run((ctypes.c_uint64 * (1 << 20)).from_address(address))
    except BaseException as error:
        # Code leaves before anything else of Python's is run; then it is raised.
        _LOCAL.error = error
        return 1
    return 0


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_uint64)(_run)


def _registered() -> None:
    from airloom import _native

    if hasattr(_native, "register_object_mode"):
        _native.register_object_mode(ctypes.cast(_CALLBACK, ctypes.c_void_p).value or 0)


_registered()


def _memory(array: Array, found: list[int]) -> Any:
    """An array of code's, where it lies."""
    pointer, extents = found[0], found[1 : 1 + array.axes]
    strides = [step - (1 << 64) if step >> 63 else step for step in found[1 + array.axes :]]
    dtype = DTYPES[array.kind]
    if 0 in extents:
        return numpy.empty(extents, dtype)
    # From the first byte to the last one.
    below = sum(min(0, (extent - 1) * step) for extent, step in zip(extents, strides, strict=True))
    above = sum(max(0, (extent - 1) * step) for extent, step in zip(extents, strides, strict=True)) + dtype.itemsize
    block = (ctypes.c_char * (above - below)).from_address(pointer + below)
    return numpy.ndarray(extents, dtype, memoryview(block), -below, strides)


def _object(kind: Kind, found: Iterator[int], arrays: dict[int, Any]) -> Any:
    """The object of Python's that a value of code is, by its words."""
    match kind:
        case Scalar():
            word = next(found)
            if kind.kind == "f32":
                value: Any = struct.unpack("f", struct.pack("I", word & 0xFFFFFFFF))[0]
            else:
                (value,) = struct.unpack(_FORMS[kind.kind], struct.pack("Q", word))
            return _class_of(kind)(value)
        case Complex():
            return complex(_object(FLOAT, found, arrays), _object(FLOAT, found, arrays))
        case Several():
            items = [_object(part, found, arrays) for part in kind.items]
            return tuple(items) if kind.cls is None else kind.cls._make(items)  # type: ignore[attr-defined]
        case Record():
            return kind.box(*[_object(part, found, arrays) for part in kind.items])
        case Either():
            at = next(found)
            return [_object(part, found, arrays) for part in kind.choices][at]
        case Array():
            return arrays[kind.number]
        case View():
            index: list[Any] = []
            for part in kind.parts:
                if part == "slice":
                    start, step, count = (_object(INT, found, arrays) for _ in range(3))
                    stop = start + step * count
                    index.append(slice(start, stop if stop >= 0 else None, step) if count else slice(0, 0))
                else:
                    index.append(_object(INT, found, arrays) if part == "at" else slice(None))
            return arrays[kind.array.number][tuple(index)]
        case Known():
            return kind.value
    return UNBOUND


def _word(kind: Scalar, value: Any) -> int:
    if kind.kind == "f32":
        return int(struct.unpack("I", struct.pack("f", value))[0])
    form = _FORMS[kind.kind]
    return int(struct.unpack("Q", struct.pack(form, value if form == "d" else int(value)))[0])


__all__ = ["Entrance", "is_region", "names_beside", "objmode", "outside", "unsupported", "written"]
