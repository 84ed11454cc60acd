"""What is compiled of a function, line by line."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
from typing import TYPE_CHECKING, Any

from airloom._recording import Part, note
from airloom.functions.kinds import Complex, observed

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
    for part in jitted.parts:
        for made in part.compiled:
            head = f"lines {part.statements[0].lineno} to {part.statements[-1].end_lineno}, given ({', '.join(map(str, made.kinds))}):"
            text += ["", head, made.as_function().text()]
    return "\n".join(text)


def recorded(jitted: Jitted, args: tuple[Any, ...], named: dict[str, Any], result: Any) -> None:
    """Notes a call of a function that is compiled as a whole: its graph, what that was given, and the arrays that it made or stored to."""
    bound = inspect.signature(jitted.__wrapped__).bind(*args, **named)
    bound.apply_defaults()
    space = vars(builtins) | jitted.__wrapped__.__globals__ | bound.arguments
    for part in (part for part in jitted.parts if part.whole):
        values = [space.get(name) for name in part.given]
        kinds = [observed(value, number) for number, value in enumerate(values)]
        for written in part.compiled:
            if written.kinds == kinds and written.loop is None and not any(isinstance(kind, Complex) for kind in kinds):
                function = written.as_function(jitted.__name__)
                made: list[tuple[Any, tuple[str | int, ...]]] = [(values[number], (at,)) for number, at in written.arrays.items() if number < len(values)]
                made += _returned(written.gives[1][0], result, written.words)
                note(Part("native code", function, tuple(values[number] for number in written.takes), {}, made))
                return


def _returned(how: tuple[Any, ...], result: Any, items: dict[int, int]) -> list[tuple[Any, tuple[str | int, ...]]]:
    """The arrays in what a function has returned, each with its item of the graph's result."""
    if how[0] == "array":
        return [(result, (items[how[2]],))]
    return [found for part, own in zip(how[1], result, strict=True) for found in _returned(part, own, items)] if how[0] == "tuple" else []
