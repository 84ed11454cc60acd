"""Finding the source of a function, or what its code says where there is none."""

from __future__ import annotations

import __future__

import ast
import builtins
import functools
import linecache
import operator
import types
import warnings
from typing import Any

from airloom.pandas.refusals import Refused
from airloom.pandas.udf import bytecode

Definition = ast.Lambda | ast.FunctionDef


def definition(function: types.FunctionType) -> Definition:
    """The definition of a function in its file, where that is what runs: the whole text is compiled again, and must give the same code.

    A file that was edited since, or is another one of the same name, is not taken for the function. Then, and where there is no file, its code is read instead.
    """
    code = function.__code__
    for attempt in range(2):
        text = "".join(linecache.getlines(code.co_filename, function.__globals__))
        if not text:
            break
        for node, again in _definitions(text, code.co_flags & _FUTURES).get(code.co_firstlineno, ()):
            # Of several that are equal any will do: they do the same.
            if _same(again, code):
                return _checked(node)
        if attempt == 0:
            # The text may be older than the function.
            linecache.checkcache(code.co_filename)
    return bytecode.definition(code)


#: The flags by which `from __future__ import` changes how text is compiled.
_FUTURES = functools.reduce(operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))


@functools.lru_cache(maxsize=32)
def _definitions(text: str, flags: int) -> dict[int, list[tuple[Definition, types.CodeType]]]:
    """The functions of a text by the line they begin at, each with its code; those with decorators are left out."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Lambda, ast.FunctionDef)) and not getattr(node, "decorator_list", ())]
            lines = [node.lineno for node in nodes]
            # Each is given a line of its own, which tells the code of one lambda from that of another beside it. It is in no instruction that is compared.
            for at, node in enumerate(nodes):
                node.lineno = node.end_lineno = _APART + at
            module = compile(tree, "<again>", "exec", flags, dont_inherit=True)
            for node, line in zip(nodes, lines, strict=True):
                node.lineno = node.end_lineno = line
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    codes: dict[int, types.CodeType] = {}
    stack = [module]
    while stack:
        for constant in stack.pop().co_consts:
            if isinstance(constant, types.CodeType):
                codes[constant.co_firstlineno] = constant
                stack.append(constant)
    found: dict[int, list[tuple[Definition, types.CodeType]]] = {}
    for at, (node, line) in enumerate(zip(nodes, lines, strict=True)):
        # What the compiler sees that nobody reaches has no code.
        if _APART + at in codes:
            found.setdefault(line, []).append((node, codes[_APART + at]))
    return found


#: More lines than any file has.
_APART = 1 << 28


def _same(first: types.CodeType, second: types.CodeType) -> bool:
    """Whether two codes do the same: all but where they stand is equal, those within them likewise."""
    return all(getattr(first, name, None) == getattr(second, name, None) for name in _COMPARED) and (
        len(first.co_consts) == len(second.co_consts) and all(map(_same_constant, first.co_consts, second.co_consts))
    )


_COMPARED = tuple(
    f"co_{name}"
    for name in "code name qualname names varnames freevars cellvars flags argcount posonlyargcount kwonlyargcount stacksize exceptiontable".split()
)


def _same_constant(first: Any, second: Any) -> bool:
    if type(first) is not type(second):
        return False
    if isinstance(first, types.CodeType):
        return _same(first, second)
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(_same_constant, first, second))
    if isinstance(first, frozenset):
        return first == second and {(type(item), repr(item)) for item in first} == {(type(item), repr(item)) for item in second}
    # Text tells `-0.0` from `0.0`, and finds NaN equal.
    return repr(first) == repr(second)


def _checked(node: Definition) -> Definition:
    for part in ast.walk(node):
        name = getattr(part, "id", None) or getattr(part, "attr", None) or getattr(part, "arg", None)
        # In a class such names are others than the text says.
        if isinstance(name, str) and name.startswith("__") and not name.endswith("__"):
            raise Refused(f"the private name `{name}`")
    return node


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
