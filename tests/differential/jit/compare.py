"""A function in CPython, compiled, and its graphs on the oracle: what comes of it must be the same to the bit."""

from __future__ import annotations

import copy
import linecache
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy

import airloom
from airloom.functions.driver import Jitted
from airloom.functions.kinds import Array, Scalar, observed
from airloom.functions.records import taken_apart
from airloom.functions.refusals import NotCompiled
from airloom.functions.region import DEFECT

#: What code says where it cannot go on, and cannot begin again.
_STUCK = "compiled code met a number that it does not hold"


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a call gives, or raises, and what it leaves in its arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            given = ("gave", seen(function(*args)))
        except Exception as error:
            given = ("raised", (type(error).__name__, str(error)))
    return (*given, tuple(seen(arg) for arg in args))


def seen(value: Any) -> Any:
    """A value by its type and its bits. Which NaN a NaN is does not matter: that depends on the order of operands, which compilers are free in."""
    if isinstance(value, numpy.ndarray):
        if value.dtype.kind == "f":
            value = numpy.where(value != value, value.dtype.type(numpy.nan), value)
        return ("array", value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, tuple):
        return ("tuple", tuple(map(seen, value)))
    if isinstance(value, (float, numpy.floating)):
        nan = value != value
        return (type(value).__name__, "nan" if nan else numpy.asarray(value).tobytes())
    return (type(value).__name__, repr(value))


def check(jitted: Jitted, args: tuple[Any, ...], *, compiled: bool = True, oracle: bool = True) -> str:
    """Calls a function both ways; tells what it came to: `same`, `raised`, or `stuck` where code could not begin again."""
    return compared(jitted, args, outcome(jitted.__wrapped__, copied(args)), compiled=compiled, oracle=oracle)


def compared(jitted: Jitted, args: tuple[Any, ...], wanted: tuple[Any, ...], *, compiled: bool = True, oracle: bool = True) -> str:
    """Calls a function compiled, beside what came of it in CPython: as `check`."""
    found = outcome(jitted, copied(args))
    if found[0] == "raised" and found[1][0] == "OverflowError" and found[1][1].startswith(_STUCK):
        return "stuck"
    if found != wanted:
        raise AssertionError(f"{jitted.__name__}{args}:\n  Python   {_told(wanted, found)}\n  compiled {_told(found, wanted)}")
    broken = [why.reason for part in jitted.parts for _, why in part.refusals if why.reason.startswith(DEFECT)]
    if broken:
        raise AssertionError(f"{jitted.__name__}{args}: {broken[0]}")
    if compiled:
        assert any(part.compiled for part in jitted.parts), "\n".join(jitted.described(why) for part in jitted.parts for _, why in part.refusals)
    # What raises and is not used is not in the graph's result.
    if oracle and wanted[0] == "gave":
        on_oracle(jitted, args)
    return "same" if wanted[0] == "gave" else "raised"


def copied(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments anew: arrays that share memory share that of the copies."""
    owners: dict[int, numpy.ndarray[Any, Any]] = {}
    made = []
    for arg in args:
        if isinstance(arg, numpy.ndarray) and arg.size:
            owner = arg
            while isinstance(owner.base, numpy.ndarray) or hasattr(owner.base, "base"):
                owner = owner.base
            if id(owner) not in owners:
                owners[id(owner)] = owner.copy(order="K")
            again = owners[id(owner)]
            assert again.strides == owner.strides, "what owns memory is laid out without gaps"
            distance = arg.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
            view = numpy.ndarray(arg.shape, arg.dtype, again.reshape(-1, order="A").view(numpy.uint8).data, distance, arg.strides)
            view.flags.writeable = arg.flags.writeable
            made.append(view)
        else:
            made.append(copy.deepcopy(arg))
    return tuple(made)


def _told(own: tuple[Any, ...], other: tuple[Any, ...]) -> Any:
    return [x for x, y in zip(own, other, strict=True) if x != y][0]


def on_oracle(jitted: Jitted, args: tuple[Any, ...]) -> None:
    """The graph of a function that is compiled whole, on the oracle and as code, for the same arguments."""
    whole = [part for part in jitted.parts if part.whole and part.compiled]
    if not whole:
        return
    part = whole[0]
    names = dict(zip(jitted.__wrapped__.__code__.co_varnames, args, strict=False))
    space = jitted.__wrapped__.__globals__ | vars(__import__("builtins")) | airloom_names()
    flat, shapes = taken_apart([_copied(names[name]) if name in names else space[name] for name in part.given])
    given = tuple(flat)
    kinds = [observed(value, number) for number, value in enumerate(given)]
    try:
        made = part.written(kinds, None, shapes)
    except NotCompiled:
        return
    taken = tuple(given[number] for number in made.takes)
    if any(kind.weak and kind.kind == "i64" and not -(1 << 63) <= value < 1 << 63 for kind, value in zip(kinds, given, strict=True) if isinstance(kind, Scalar)):
        return
    function = made.as_function()
    kernel = part._compiled(made)
    native = kernel.words_of(tuple(_copied(value) for value in given))
    with airloom.options(oracle=True):
        try:
            result = airloom.run(function, *(_plain(value, kinds[number]) for number, value in zip(made.takes, taken, strict=True)))
        except airloom.RaisedError:
            assert native is None, f"the oracle raised, and code did not: {jitted.__name__}{args}"
            return
    if native is None:
        # Code gives up on an integer that nothing comes of, too, which the oracle does not compute.
        return
    words = [_word(item) for item in _flat(result) if not isinstance(item, airloom.Array)]
    assert words == [_nan(word, item) for word, item in zip(native, [i for i in _flat(result) if not isinstance(i, airloom.Array)], strict=True)], f"the oracle differs: {jitted.__name__}{args}"


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, numpy.ndarray) else value


def airloom_names() -> dict[str, Any]:
    return {"numpy": numpy, "np": numpy, "airloom": airloom}


def _plain(value: Any, kind: Any) -> Any:
    if isinstance(kind, Array):
        return numpy.ascontiguousarray(value) if value.size else numpy.zeros(value.shape, value.dtype)
    return value


def _flat(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


def _word(item: Any) -> Any:
    if isinstance(item, float):
        return "nan" if item != item else numpy.float64(item).tobytes()
    return int(item)


def _nan(word: tuple[str, int], item: Any) -> Any:
    kind, bits = word
    if kind == "f64":
        value = numpy.uint64(bits).view(numpy.float64)
    elif kind == "f32":
        value = numpy.uint32(bits & 0xFFFFFFFF).view(numpy.float32)
    else:
        return bits if kind[0] == "u" else bits & 1 if kind == "bool" else numpy.uint64(bits).view(numpy.int64).item()
    return "nan" if value != value else numpy.float64(value).tobytes()


def function_of(text: str, name: str, number: int) -> types.FunctionType:
    """A function of a text that has no file."""
    file = f"<random function {number}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {"np": numpy, "math": __import__("math"), "__name__": "random_functions"}
    exec(compile(text, file, "exec"), space)
    found: types.FunctionType = space[name]
    return found
