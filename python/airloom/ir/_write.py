"""What builders are written with by hand: functions, constants, rows, sources, and calls into Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, overload

from airloom import _native
from airloom._native import Function, Graph, Node, Type
from airloom.errors import IllTypedError
from airloom.ir._types import TypeLike

#: Whatever may stand for a node: nodes, functions, values of Python and NumPy, and tuples and dicts of them.
Value: TypeAlias = Any
#: A function of nodes, or a closed function of the graph.
Body: TypeAlias = Callable[..., Any] | Node | Function
SortWord: TypeAlias = Literal["asc.last", "asc.first", "desc.last", "desc.first"]


class _Decorator(Protocol):
    def __call__(self, callable: Callable[..., Any], /) -> Function: ...


def const(value: Any, ty: TypeLike | None = None) -> Node:
    """A constant, of a type where one is said: else `int` is `i64`, `float` is `f64`, and NumPy's scalars are what they are."""
    return _native.constant(value, ty)


def null(ty: TypeLike) -> Node:
    """No value, of a type."""
    return _native.constant(None, Type.optional(ty))


def row(fields: Mapping[str, Value] | None = None, /, **named: Value) -> Node:
    """A row, or any struct, from its fields: `ir.row(a=x, b=y)`, or a dict where a name is no word."""
    fields = {**(fields or {}), **named}
    return _native.build("row", (), tuple(fields.values()), (), {"names": list(fields)}, ())


def tuple_(*parts: Value) -> Node:
    """Several values as one."""
    return _native.build("tuple", (), parts, (), {}, ())


def source(name: str, ty: TypeLike) -> Node:
    """Data that the session owns under this name: the graph holds the name and the type, never the data."""
    return _native.build("source", (), (), (), {"name": name, "ty": ty}, ())


def host_call(
    function: Callable[..., Any],
    args: Sequence[Value] | Value = (),
    *,
    ty: TypeLike,
    effect: Literal["pure", "raises", "effectful"] = "raises",
    vectorized: bool = False,
) -> Node:
    """Calls a function of Python, which gives a value of type `ty`.

    It is called with one value of each argument or, where it is `vectorized`, with an `Array` of each, and then returns as many values.
    Where the effect is `effectful` it runs exactly once: the first argument is a token, and the result a tuple of the next token and the value.
    """
    given = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    return _native.host_call(function, given, ty, effect, vectorized)


def inline(function: Function | Node, *args: Value) -> Node:
    """The result of a function for these arguments, written out instead of called."""
    return _native.inline(function, args)


def parse(text: str, file: str | None = None) -> Graph:
    """The program of a text. `graph["name"]` is one of its functions."""
    return Graph.parse(text, file)


def loads(data: bytes) -> Graph:
    """The program of bytes that `dumps` wrote."""
    return Graph.loads(data)


def dumps(program: Graph | Function) -> bytes:
    """A program as bytes: versioned, and read with distrust."""
    return (program.graph if isinstance(program, Function) else program).dumps()


@overload
def function(params: Callable[..., Any], /) -> Function: ...
@overload
def function(
    params: Mapping[str, TypeLike] | Sequence[TypeLike] | None = None,
    /,
    *,
    name: str | None = None,
    returns: TypeLike | None = None,
    **named: TypeLike,
) -> _Decorator: ...
def function(
    params: Any = None,
    /,
    *,
    name: str | None = None,
    returns: TypeLike | None = None,
    **named: TypeLike,
) -> Function | _Decorator:
    """Makes a function of the program of one of Python.

    It is called once, with a node for each parameter, and returns the node that it computes. The types stand in the call, or in annotations::

        @ir.function(t=ir.rel({"city": ir.str_, "temp": ir.f64}), limit=ir.f64)
        def warm(t, limit):
            return ir.filter(t, lambda r: r.temp > limit)
    """
    if callable(params) and not isinstance(params, Type):
        return _make(params, None, None, None)

    given = {**params, **named} if isinstance(params, Mapping) else named if params is None else params

    def decorate(callable: Callable[..., Any], /) -> Function:
        return _make(callable, given, name, returns)

    return decorate


def _make(
    callable: Callable[..., Any], params: Mapping[str, TypeLike] | Sequence[TypeLike] | None, name: str | None, returns: TypeLike | None
) -> Function:
    names = [p.name for p in inspect.signature(callable).parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    own = name or str(getattr(callable, "__name__", "f"))
    own = own if own.isidentifier() else "f"
    if not params and names:
        hints = inspect.get_annotations(callable, eval_str=True)
        params = {n: hints[n] for n in names if n in hints}
        returns = returns if returns is not None else hints.get("return")
    params = {} if params is None else params
    if isinstance(params, Mapping):
        if list(params) != names:
            raise IllTypedError(f"function `{own}`: it has the parameters {', '.join(names) or 'none'}, but types of {', '.join(params) or 'none'}")
        typed = list(params.items())
    else:
        typed = list(zip(names, params, strict=False))
        if len(names) != len(params):
            raise IllTypedError(f"function `{own}`: it has {len(names)} parameters, but {len(params)} types")
    return _native.make_function(callable, own, typed, returns)


__all__ = [
    "Body",
    "SortWord",
    "Value",
    "const",
    "dumps",
    "function",
    "host_call",
    "inline",
    "loads",
    "null",
    "parse",
    "row",
    "source",
    "tuple_",
]
