"""The text of a function, where that is what runs."""

from __future__ import annotations

import __future__

import ast
import functools
import linecache
import operator
import types
import warnings
from typing import Any

from airloom.functions.syntax import walk_once

Definition = ast.Lambda | ast.FunctionDef


def written(function: types.FunctionType) -> Definition | None:
    """The definition of a function in its file, where that is what runs: the whole text is compiled again, and must give the same code.

    A file that was edited since, or is another one of the same name, is not taken for the function.
    """
    code = function.__code__
    for attempt in range(2):
        text = "".join(linecache.getlines(code.co_filename, function.__globals__))
        if not text:
            return None
        for piece in (_alone(text, code.co_firstlineno), text):
            for node, again in _definitions(piece, code.co_flags & _FUTURES).get(code.co_firstlineno, ()):
                # Of several that are equal any will do: they do the same.
                if _same(again, code):
                    return node
        if attempt == 0:
            # The text may be older than the function.
            linecache.checkcache(code.co_filename)
    return None


def statements_in(text: str) -> list[ast.stmt]:
    """The statements of a text that stands by itself."""
    return ast.parse(text).body


def _alone(text: str, first: int) -> str:
    """The lines of a function that stands in no other, where it begins at this line, after the imports before it and as many empty lines: a long file need not be read for it. Where they are not all of it, they do not give its code."""
    lines = text.splitlines(keepends=True)
    last = first
    # It ends before the next line that begins without a space, once its own head, with decorators, has ended.
    is_head = True
    while last < len(lines) and (is_head or lines[last][:1].isspace() or lines[last][:1] in ("#", ")")):
        is_head = is_head and not (lines[last - 1].startswith("def ") or lines[last][:1].isspace())
        last += 1
    # Python compiles calls of what an imported name has otherwise than those of what other names have.
    before = [line if line.startswith(("import ", "from ")) and "(" not in line and not line.rstrip().endswith("\\") else "\n" for line in lines[: first - 1]]
    return "".join([*before, *lines[first - 1 : last]])


#: The flags by which `from __future__ import` changes how text is compiled.
_FUTURES = functools.reduce(operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))


@functools.lru_cache(maxsize=128)
def _definitions(text: str, flags: int) -> dict[int, list[tuple[Definition, types.CodeType]]]:
    """The functions of a text by the line they begin at, which is that of their first decorator, each with its code."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            nodes = [node for node in walk_once(tree) if isinstance(node, (ast.Lambda, ast.FunctionDef))]
            heads = [node.decorator_list[0] if isinstance(node, ast.FunctionDef) and node.decorator_list else node for node in nodes]
            lines = [(head.lineno, head.end_lineno, node.lineno, node.end_lineno) for node, head in zip(nodes, heads, strict=True)]
            # Each is given a line of its own, which tells the code of one lambda from that of another beside it. It is in no instruction that is compared.
            for at, (node, head) in enumerate(zip(nodes, heads, strict=True)):
                node.lineno = node.end_lineno = head.lineno = head.end_lineno = _APART + at
            module = compile(tree, "<again>", "exec", flags, dont_inherit=True)
            for node, head, (first, first_end, line, end) in zip(nodes, heads, lines, strict=True):
                head.lineno, head.end_lineno = first, first_end
                node.lineno, node.end_lineno = line, end
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
    for at, (node, (first, *_rest)) in enumerate(zip(nodes, lines, strict=True)):
        # What the compiler sees that nobody reaches has no code.
        if _APART + at in codes:
            found.setdefault(first, []).append((node, codes[_APART + at]))
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
