"""Running the text of a program, on pandas or on airloom, and noting what is seen of it."""

from __future__ import annotations

import ast
import hashlib
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

import numpy as np
import pandas

import airloom.pandas
from airloom.pandas.dispatch.choice import settings
from airloom.pandas.internals import state
from programs.folder import own_folder
from programs.generate import LARGE
from programs.watch import Outcome, Watch

#: Whether the engine of this process is made to fail: then its errors are pandas' to mend, as users have it.
ENGINE_FAILS = False
#: Looking only at the end, as a script does, or after each statement, as in a notebook.
LOOKS = ("end", "each")


@contextmanager
def as_tests_have_it(large: bool) -> Iterator[None]:
    """Small frames go to the engine too, and a mistake of ours is an error; large programs run as users have it."""
    before = (settings.threshold, settings.raise_errors, state.WORTH_KEEPING)
    if not large:
        settings.threshold, settings.raise_errors, state.WORTH_KEEPING = 0, not ENGINE_FAILS, 0
    try:
        yield
    finally:
        settings.threshold, settings.raise_errors, state.WORTH_KEEPING = before


def parsed(text: str) -> list[ast.stmt]:
    """The statements of a program; imports are given."""
    return [node for node in ast.parse(text).body if not isinstance(node, (ast.Import, ast.ImportFrom))]


def is_large(text: str) -> bool:
    """Whether a program is to run as users have it."""
    return f"n = {LARGE}" in text


def run(text: str, looks: str, module: Any) -> Outcome:
    """Runs a program over `module`, whose name in it is `pd`."""
    large = is_large(text)
    with own_folder() as folder, as_tests_have_it(large or module is pandas), np.errstate(all="warn"):
        # Functions are read where they stand: each text has a file of its own, and so has no other's lines.
        path = os.path.join(folder, f"program_{hashlib.sha256(text.encode()).hexdigest()[:16]}.py")
        with open(path, "w") as file:
            file.write(text)
        return _run(_code(text, path), looks, module)


@dataclass(frozen=True)
class _Code:
    """A program as Python runs it: statement by statement, and as a whole, each statement telling when it begins and what it raises."""

    statements: list[ast.stmt]
    each: list[CodeType]
    whole: CodeType


@lru_cache(maxsize=8)
def _code(text: str, path: str) -> _Code:
    statements = parsed(text)
    each = [compile(ast.Module([node], []), path, "exec") for node in statements]
    # One code for the whole program: by what it still loads the engine decides what to keep.
    whole = ast.Module([part for at, node in enumerate(statements) for part in _guarded(at, node)], [])
    return _Code(statements, each, compile(whole, path, "exec"))


def _run(code: _Code, looks: str, module: Any) -> Outcome:
    names: dict[str, Any] = {"pd": module, "np": np, "os": os}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        watch = Watch(names, heard)
        if looks == "end":
            names.update(_begin=watch.begin, _raised=watch.raised)
            exec(code.whole, names)
            watch.hear()
        else:
            for at, (node, part) in enumerate(zip(code.statements, code.each, strict=True)):
                watch.begin(at)
                try:
                    exec(part, names)
                except Exception as error:
                    watch.raised(error)
                watch.hear()
                watch.look(at, node)
        watch.look(len(code.statements), None)
    names.clear()
    return watch.outcome()


def _guarded(at: int, node: ast.stmt) -> list[ast.stmt]:
    """A statement that tells when it begins, and what it raises."""
    begin, guarded = ast.parse(f"_begin({at})\ntry:\n    pass\nexcept Exception as error:\n    _raised(error)").body
    assert isinstance(guarded, ast.Try)
    guarded.body = [node]
    return [begin, guarded]


def ours() -> Any:
    return airloom.pandas
