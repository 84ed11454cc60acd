"""What is noted of a run: what each statement said, and what is seen of the variables."""

from __future__ import annotations

import ast
import random
import re
import warnings
from dataclasses import dataclass, field
from typing import Any

from programs.seen import Seen, seen

#: What stands in a program's names beside its variables.
GIVEN = frozenset(("pd", "np", "os", "_begin", "_raised"))


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


class Watch:
    """Notes what is seen while a program runs in `names`; `heard` are the warnings of now."""

    def __init__(self, names: dict[str, Any], heard: list[warnings.WarningMessage]) -> None:
        self.names = names
        self.heard = heard
        self.told: list[Told] = []
        self.variables: dict[int, dict[str, Seen]] = {}
        self.order = random.Random(0)

    def begin(self, at: int) -> None:
        """A statement begins; warnings until now are those of the one before."""
        self.hear()
        del self.told[at:]
        self.told.append(Told())

    def raised(self, error: Exception) -> None:
        self.told[-1].error = type(error).__name__
        self.told[-1].message = normal(str(error))

    def hear(self) -> None:
        """Warnings belong to the statement that ran."""
        if self.told:
            self.told[-1].warnings += [(one.category.__name__, normal(str(one.message))) for one in self.heard]
        self.heard.clear()

    def look(self, at: int, node: ast.stmt | None) -> None:
        """Looks at variables, in any order: after a statement at those that it names, and at all in the end."""
        names = sorted(name for name in self.names if name not in GIVEN and not name.startswith("__"))
        if node is not None:
            # What else a statement changed is seen in the end, where it is there still: all after each statement would take most of the time.
            used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            names = [name for name in names if name in used]
        self.order.shuffle(names)
        found: dict[str, Seen] = {}
        for name in names:
            try:
                found[name] = seen(self.names[name])
            except Exception as error:
                found[name] = {"error": f"{type(error).__name__}: {normal(str(error))}"}
        self.variables[at] = found
        # Looking is no statement.
        self.heard.clear()

    def outcome(self) -> Outcome:
        return Outcome(self.told, self.variables)


def normal(text: str) -> str:
    """A message without what differs from run to run."""
    return re.sub(r"0x[0-9a-f]+|airloom-programs?-\w+", "…", text)
