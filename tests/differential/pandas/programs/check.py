"""Comparing the runs of one program."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pandas

from programs import accepted
from programs.differences import TOLERANCE, TOLERANCE_32, Difference, of_parts
from programs.execute import LOOKS, ours, parsed, run
from programs.generate import written
from programs.watch import Outcome


def of_seed(seed: int, looks: Sequence[str] = LOOKS, waiting: bool = True) -> tuple[str, list[Difference]]:
    """The program of a seed, and its differences."""
    statements, expected = written(seed)
    text = "\n".join(statements) + "\n"
    found = differences(text, looks, waiting, expected)
    # What pandas made while the program was written may have seen statements that were not taken: only a run of its own can tell.
    return text, differences(text, looks, waiting) if found and expected is not None else found


def differences(text: str, looks: Sequence[str] = LOOKS, waiting: bool = True, expected: Outcome | None = None) -> list[Difference]:
    """All differences between a program on pandas, as it is `expected` where that is known, and on airloom; those that are accepted are left out, and where `waiting` says so those that wait."""
    expected = run(text, "each", pandas) if expected is None else expected
    statements = parsed(text)
    found: list[Difference] = []
    for way in looks:
        found += between(run(text, way, ours()), expected, way, TOLERANCE_32 if "loat32" in text else TOLERANCE, statements)
    return accepted.left(found, statements, waiting)


def between(found: Outcome, expected: Outcome, looks: str, tolerance: float, statements: Sequence[ast.stmt] = ()) -> list[Difference]:
    """Where two runs differ, accepted or not."""
    made: list[Difference] = []
    for at, (mine, theirs) in enumerate(zip(found.told, expected.told, strict=True)):
        if mine.error != theirs.error:
            made.append(Difference("exception", looks, at, "", f"{mine.error}: {mine.message} in place of {theirs.error}: {theirs.message}"))
        elif mine.message != theirs.message:
            made.append(Difference("message", looks, at, "", f"{mine.message!r} in place of {theirs.message!r}"))
        if mine.warnings != theirs.warnings:
            made.append(Difference("warnings", looks, at, "", f"{mine.warnings} in place of {theirs.warnings}"))
    for at, variables in found.variables.items():
        others = expected.variables[at]
        for name in sorted({*variables, *others}):
            if name not in variables or name not in others:
                made.append(Difference("variable", looks, at, name, "is there on one side only"))
                continue
            between = of_parts(variables[name], others[name], tolerance)
            if between is not None:
                last = max((number for number, node in enumerate(statements[: at + 1]) if name in accepted.stored(node)), default=at)
                first = found.variables.get(last, {}).get(name), expected.variables.get(last, {}).get(name)
                made.append(Difference(between[0], looks, at, name, between[1], (variables[name], others[name]), first))
    return made


def shown(text: str) -> str:
    """The text of a program, with the numbers of its statements."""
    return "\n".join(f"{at:3}  {ast.unparse(node)}" for at, node in enumerate(parsed(text)))
