"""What is compiled of a function, line by line."""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING

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
