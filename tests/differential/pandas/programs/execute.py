"""Running the text of a program, on pandas or on airloom, and noting what is seen of it."""

from __future__ import annotations

import ast
import linecache
import os
import random
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas

import airloom.pandas
from airloom.pandas.dispatch.choice import settings
from airloom.pandas.internals import state
from programs.folder import own_folder
from programs.generate import LARGE
from programs.seen import Seen, seen

#: What stands in a program's names beside its variables.
GIVEN = frozenset(("pd", "np", "os", "_begin", "_raised"))
#: Looking only at the end, as a script does, or after each statement, as in a notebook.
LOOKS = ("end", "each")


@dataclass
class Told:
    """What a statement said beside what it made."""

    error: str | None = None
    message: str = ""
    warnings: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Outcome:
    """What was seen of a run: what each statement said, and the variables after some of them."""

    told: list[Told]
    variables: dict[int, dict[str, Seen]]


@contextmanager
def as_tests_have_it(large: bool) -> Iterator[None]:
    """Small frames go to the engine too, and a mistake of ours is an error; large programs run as users have it."""
    before = (settings.threshold, settings.raise_errors, state.WORTH_KEEPING)
    if not large:
        settings.threshold, settings.raise_errors, state.WORTH_KEEPING = 0, True, 0
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
        path = os.path.join(folder, "program.py")
        with open(path, "w") as file:
            file.write(text)
        linecache.checkcache(path)
        return _Run(parsed(text), path, looks, module, large).outcome()


class _Run:
    def __init__(self, statements: list[ast.stmt], path: str, looks: str, module: Any, large: bool) -> None:
        self.statements = statements
        self.path = path
        self.looks = looks
        self.large = large
        self.told = [Told() for _ in statements]
        self.variables: dict[int, dict[str, Seen]] = {}
        self.order = random.Random(len(statements))
        self.heard: list[warnings.WarningMessage] = []
        self.at = 0
        self.names: dict[str, Any] = {"pd": module, "np": np, "os": os, "_begin": self._begin, "_raised": self._raised}

    def outcome(self) -> Outcome:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            self.heard = heard
            if self.looks == "end":
                # One code for the whole program: by what it still loads the engine decides what to keep.
                tree = ast.Module([part for at, node in enumerate(self.statements) for part in _guarded(at, node)], [])
                exec(compile(ast.fix_missing_locations(tree), self.path, "exec"), self.names)
                self._hear()
            else:
                for at, node in enumerate(self.statements):
                    tree = ast.Module(_guarded(at, node), [])
                    exec(compile(ast.fix_missing_locations(tree), self.path, "exec"), self.names)
                    self._hear()
                    self._look(at, node)
            self._look(len(self.statements), None)
        self.names.clear()
        return Outcome(self.told, self.variables)

    def _begin(self, at: int) -> None:
        self._hear()
        self.at = at

    def _raised(self, error: Exception) -> None:
        self.told[self.at].error = type(error).__name__
        self.told[self.at].message = _normal(str(error))

    def _hear(self) -> None:
        """Warnings belong to the statement that ran."""
        if not self.told:
            return
        self.told[self.at].warnings += [(one.category.__name__, _normal(str(one.message))) for one in self.heard]
        self.heard.clear()

    def _look(self, at: int, node: ast.stmt | None) -> None:
        names = sorted(name for name in self.names if name not in GIVEN and not name.startswith("__"))
        if node is not None and self.large:
            # All of many rows after each statement would take too long.
            used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            names = [name for name in names if name in used]
        self.order.shuffle(names)
        found: dict[str, Seen] = {}
        for name in names:
            try:
                found[name] = seen(self.names[name])
            except Exception as error:
                found[name] = {"error": f"{type(error).__name__}: {_normal(str(error))}"}
        self.variables[at] = found
        # Looking is no statement.
        self.heard.clear()


def _guarded(at: int, node: ast.stmt) -> list[ast.stmt]:
    """A statement that tells when it begins, and what it raises."""
    guard = ast.parse(f"_begin({at})\ntry:\n    pass\nexcept Exception as error:\n    _raised(error)").body
    assert isinstance(guard[1], ast.Try)
    guard[1].body = [node]
    return guard


def _normal(text: str) -> str:
    """A message without what differs from run to run."""
    return re.sub(r"0x[0-9a-f]+|airloom-programs?-\w+", "…", text)


def ours() -> Any:
    return airloom.pandas
