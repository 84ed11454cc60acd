"""Finding the source of a function."""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import linecache
import types
from typing import Any

from airloom.pandas.plan.frame import Refused

Definition = ast.Lambda | ast.FunctionDef


def definition(function: types.FunctionType) -> Definition:
    """The definition of a function in its file. It is compiled again and compared, so that a file that was changed since is not taken for what runs."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise Refused("a function without source")
    found = [node for node in _definitions("".join(lines)) if node.lineno == code.co_firstlineno and _same(node, code)]
    if not found:
        raise Refused("a function whose source is not found")
    if any(ast.dump(node) != ast.dump(found[0]) for node in found):
        raise Refused("several functions on one line that look alike")
    return found[0]


@functools.lru_cache(maxsize=32)
def _definitions(text: str) -> tuple[Definition, ...]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, (ast.Lambda, ast.FunctionDef)))


def _same(node: Definition, code: types.CodeType) -> bool:
    """Whether a definition compiles to this code: the same names, constants and lengths."""
    if isinstance(node, ast.FunctionDef):
        if node.name != code.co_name or node.decorator_list:
            return False
        bare = copy.copy(node)
        bare.args, bare.returns = _without_defaults(node.args), None
        tree = ast.Module([bare], [])
    else:
        if code.co_name != "<lambda>":
            return False
        tree = ast.Module([ast.Expr(ast.Lambda(args=_without_defaults(node.args), body=node.body))], [])
    try:
        made = compile(ast.fix_missing_locations(tree), "<again>", "exec")
    except (SyntaxError, ValueError, TypeError):
        return False
    inner = [constant for constant in made.co_consts if isinstance(constant, types.CodeType)]
    if not inner:
        return False
    again = inner[0]
    return (
        _plain(again.co_consts) == _plain(code.co_consts)
        and set(again.co_names) | set(again.co_freevars) == set(code.co_names) | set(code.co_freevars)
        and again.co_varnames == code.co_varnames
    )


def _without_defaults(arguments: ast.arguments) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[ast.arg(arg=one.arg) for one in arguments.posonlyargs],
        args=[ast.arg(arg=one.arg) for one in arguments.args],
        vararg=arguments.vararg,
        kwonlyargs=arguments.kwonlyargs,
        kw_defaults=[None for _ in arguments.kw_defaults],
        kwarg=arguments.kwarg,
        defaults=[],
    )


def _plain(constants: tuple[Any, ...]) -> list[Any]:
    return [(type(constant), repr(constant)) for constant in constants if not isinstance(constant, types.CodeType)]


def lookup(function: types.FunctionType, name: str) -> Any:
    """What a name that is no local stands for, now."""
    code = function.__code__
    if name in code.co_freevars and function.__closure__ is not None:
        try:
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        except ValueError as error:
            raise Refused(f"`{name}`, which has no value yet") from error
    if name in function.__globals__:
        return function.__globals__[name]
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise Refused(f"`{name}`, which is not known")
