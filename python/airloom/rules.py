"""Rules: local rewrites that keep the meaning, to the bit. Add your own, and check them against the oracle."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from airloom import _native
from airloom._native import Match
from airloom.errors import RuleError

_Rule = TypeVar("_Rule", bound=Callable[[Match], object])


@dataclass(frozen=True)
class Rule:
    """What is known of a rule. One that is code has no sides."""

    name: str
    stage: str
    doc: str
    left: str | None
    right: str | None
    when: str | None
    added: bool

    def __str__(self) -> str:
        lines = [f"{self.name}  ({self.stage})", "", *(f"    {line}" for line in self.doc.splitlines())]
        if self.left is not None:
            lines += ["", f"    {self.left}", f"    → {self.right}"]
        if self.when is not None:
            lines.append(f"    when {self.when}")
        return "\n".join(lines)


def add(name: str, left: str, right: str, *, stage: str, doc: str, when: str | None = None) -> None:
    """Adds a rule of text: where `left` matches, and `when` is true of its constants, it becomes `right`.

    The notation is that of the text form, with variables: `?x` stands for any node, `?x:float` for one of a class of types, `?x:int!` for
    one that is never null, `..?rest` for the arguments that are left. The doc begins with a sentence.
    """
    _native.add_rule(name, left, right, stage, doc, when)


def rule(name: str, *, stage: str, left: str, doc: str | None = None) -> Callable[[_Rule], _Rule]:
    """Makes a rule of a function: it is called with a match of `left`, and returns the better node, or `None`.

    Without `doc`, the function's own is taken.
    """

    def decorate(function: _Rule) -> _Rule:
        told = doc or function.__doc__
        if told is None:
            raise RuleError(f"rule `{name}`: it needs a doc; hint: `doc=`, or a docstring that begins with a sentence")
        _native.add_python_rule(name, left, stage, told.strip(), function)
        return function

    return decorate


def remove(name: str) -> None:
    """Takes away a rule that was added here. Those of airloom's own are left out by the option ``without_rules``."""
    _native.remove_rule(name)


def check(name: str, *, cases: int = 500, seed: int = 7) -> int:
    """Computes what stood there and what the rule makes of it, on about `cases` random cases, and says how many were found the same.

    A case that differs raises `RuleError`, which shows it.
    """
    return _native.check_rule(name, cases, seed)


def list(*, stage: str | None = None, added: bool | None = None) -> builtins.list[Rule]:
    """All rules in the order they are tried; those of one stage, or those that were added here, where that is asked."""
    rules = (Rule(*row) for row in _native.list_rules())
    return [rule for rule in rules if (stage is None or rule.stage == stage) and (added is None or rule.added == added)]


def show(name: str) -> str:
    """What a rule does, for people."""
    for known in list():
        if known.name == name:
            return str(known)
    raise RuleError(f"there is no rule `{name}`")


def stages() -> builtins.list[str]:
    """The stages, in the order they run."""
    return _native.list_stages()


__all__ = ["Match", "Rule", "add", "check", "list", "remove", "rule", "show", "stages"]
