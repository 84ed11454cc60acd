"""What is compiled of a function, line by line."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airloom._recording import Part, note
from airloom.functions.dependence import independent, loops_of
from airloom.functions.kinds import Complex, observed
from airloom.functions.parallel import LEAST
from airloom.functions.records import taken_apart
from airloom.functions.refusals import NotCompiled

if TYPE_CHECKING:
    from airloom.functions.driver import Jitted


def explained(jitted: Jitted) -> str:
    """The lines of a function, each compiled or Python's, and the reasons for the latter."""
    code = jitted.__wrapped__.__code__
    states: dict[int, str] = {}
    reasons: list[str] = []
    loops = [node for part in jitted.parts for statement in part.statements for node in ast.walk(statement)] + [statement for statement, _ in jitted.remaining]
    lines = [node.lineno for node in loops if hasattr(node, "lineno")]
    first = code.co_firstlineno
    last = max([first, *(getattr(node, "end_lineno", first) or first for node in loops), *(line for _, _, line in code.co_lines() if line)])
    for part in sorted(jitted.parts, key=lambda part: -len(part.statements)):
        if part.compiled:
            word = "parallel" if part.compiled[-1].loop is not None else "compiled"
            for statement in part.statements:
                for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
                    states[line] = word
        reasons += [f"given ({kinds}): {jitted.described(why)}" for kinds, why in part.refusals if not (part.compiled and part.whole)]
    reasons += [jitted.described(why) for _, why in jitted.remaining]
    text = [f"{jitted.__qualname__}  ({code.co_filename.rsplit('/', 1)[-1]})"]
    for line in range(first, last + 1):
        state = states.get(line, "Python" if line in lines else "")
        text.append(f"{line:5}  {state:8}  {linecache.getline(code.co_filename, line).rstrip()}".rstrip())
    if reasons:
        text += ["", "left to Python:", *(f"  {reason}" for reason in dict.fromkeys(reasons))]
    serial = list(_serial_loops(jitted))
    if serial:
        text += ["", "on one core:", *(f"  {reason}" for reason in serial)]
    for part in jitted.parts:
        for made in part.compiled:
            head = f"lines {part.statements[0].lineno} to {part.statements[-1].end_lineno}, given ({', '.join(map(str, made.kinds))}):"
            text += ["", head, made.as_function().text()]
    return "\n".join(text)


def _serial_loops(jitted: Jitted) -> Iterator[str]:
    """Why each compiled loop that does not run on every core does not."""
    parallel = {id(part.statements[0]) for part in jitted.parts if part.compiled and part.compiled[-1].loop is not None}
    refused = {id(part.statements[0]): part.serial for part in jitted.parts if part.serial is not None and part.is_automatic}
    compiled = {id(node) for part in jitted.parts if part.compiled for statement in part.statements for node in ast.walk(statement)}
    root = next((part.root for part in jitted.parts if part.root is not None), None)
    if root is None:
        return
    for loop, around in loops_of(getattr(root, "body", [])):
        if id(loop) not in compiled or id(loop) in parallel:
            continue
        if around is not None:
            yield f"line {loop.lineno}: it is inside of the loop of line {around.lineno}"
        elif isinstance(loop, ast.While):
            yield f"line {loop.lineno}: how often a `while` turns is not known before"
        else:
            yield f"line {loop.lineno}: {_why_serial(loop, root, refused.get(id(loop)))}"


def _why_serial(loop: ast.For, root: ast.AST, refused: NotCompiled | None) -> str:
    try:
        independent(loop, root)
    except NotCompiled as why:
        refused = why
    if refused is None:
        return f"its turns are independent, and fewer than {LEAST:,} would be run"
    return f"{refused.reason}; hint: {refused.hint}" if refused.hint else refused.reason


def recorded(jitted: Jitted, args: tuple[Any, ...], named: dict[str, Any], result: Any) -> None:
    """Notes a call of a function that is compiled as a whole: its graph, what that was given, and the arrays that it made or stored to."""
    bound = inspect.signature(jitted.__wrapped__).bind(*args, **named)
    bound.apply_defaults()
    space = vars(builtins) | jitted.__wrapped__.__globals__ | bound.arguments
    part = next((part for part in jitted.parts if part.whole), None)
    if part is None:
        return
    values, shapes = taken_apart([space.get(name) for name in part.given])
    kinds = [observed(value, number) for number, value in enumerate(values)]
    if any(isinstance(kind, Complex) for kind in kinds):
        return
    try:
        # Its loops may have been parts of their own, on every core: what they compute is the same.
        written = next((written for written in part.compiled if written.kinds == kinds), None) or part.written(kinds, None, shapes)
    except NotCompiled:
        return
    made: list[tuple[Any, tuple[str | int, ...]]] = [(values[number], (at,)) for number, at in written.arrays.items() if number < len(values)]
    made += _returned(written.gives[1][0], result, written.words)
    note(Part("native code", written.as_function(jitted.__name__), tuple(values[number] for number in written.takes), {}, made))


def _returned(how: tuple[Any, ...], result: Any, items: dict[int, int]) -> list[tuple[Any, tuple[str | int, ...]]]:
    """The arrays in what a function has returned, each with its item of the graph's result."""
    if how[0] == "array":
        return [(result, (items[how[2]],))]
    return [found for part, own in zip(how[1], result, strict=True) for found in _returned(part, own, items)] if how[0] == "tuple" else []
