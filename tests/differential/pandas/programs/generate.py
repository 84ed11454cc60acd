"""Writing programs: statement by statement, each run on pandas at once, so that the next is chosen by what is there."""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from programs.differences import of_parts
from programs.folder import own_folder
from programs.seen import Seen, seen
from programs.templates import columns, functions, levels, making, more, rows, sequences, tables, windows, writing
from programs.watch import Outcome, Watch
from programs.world import Unsuitable, World

#: How many rows the frames of a program have: small awkward numbers, and more than a frame needs to leave pandas' hands.
SMALL = (0, 1, 2, 3, 5, 8, 12, 12, 12, 20)
LARGE = 25_000
#: One program in this number is a large one.
EVERY = 20
#: Of statements that raise this part is kept.
RAISING = 0.25

#: Statements that write to memory that pandas does not know to be written to.
_WRITES_TO_MEMORY = re.compile(r"^(a\d+\[|.*\.(array|values)\[.*\] = )")
#: Statements that give a new object a name.
_ONLY_NAMES = re.compile(r"^\w+ = ")
#: What a statement writes to.
_TARGET = re.compile(r"^(\w+)[.\[]|^(?:for|del) ")
#: Statements that make what shares memory with what it is made of.
_IS_VIEW = re.compile(r"= (pd\.(Series|DataFrame)\(.*\)|[afs]\d+|\w+\.copy\(deep=False\)|\w+\[:\]|\w+\.iloc\[[^\]]*:[^\]]*\]|\w+\['\w+'\]|\w+\.(head|tail)\(-?\d+\))$")

TEMPLATES = [*making.TEMPLATES, *rows.TEMPLATES, *columns.TEMPLATES, *tables.TEMPLATES, *writing.TEMPLATES, *functions.TEMPLATES, *sequences.TEMPLATES, *windows.TEMPLATES, *levels.TEMPLATES, *more.TEMPLATES]


def is_large(seed: int) -> bool:
    return seed % EVERY == EVERY - 1


def program(seed: int) -> list[str]:
    """The statements of the program of a seed: always the same."""
    return written(seed)[0]


def written(seed: int) -> tuple[list[str], Outcome | None]:
    """The same, and what was seen on pandas while it was written; nothing where statements that were not taken may have left something behind."""
    large = is_large(seed)
    world = World(seed, 0, large)
    world.rows = LARGE if large else world.one_of(SMALL)
    with own_folder(), warnings.catch_warnings(record=True) as heard, np.errstate(all="warn"):
        warnings.simplefilter("always")
        writer = _Writer(world, Watch(world.names, heard))
        statements = writer.written()
        # The last one that was tried need not have been taken.
        del writer.watch.told[writer.nodes :]
        writer.watch.look(writer.nodes, None)
        return statements, writer.watch.outcome() if writer.is_clean else None


class _Writer:
    def __init__(self, world: World, watch: Watch) -> None:
        self.world = world
        self.watch = watch
        self.statements: list[str] = []
        self.makers: dict[str, str] = {}
        #: How many statements of Python's there are: a template may have several.
        self.nodes = 0
        #: Whether all that is seen comes from statements that were taken.
        self.is_clean = True

    def written(self) -> list[str]:
        world = self.world
        world.names["os"] = os
        length = world.draw.randint(5, 14 if world.large else 25)
        self._try(f"n = {world.rows}")
        self._try("calls = []")
        self._add(making.frame)
        if world.chance(0.6):
            self._add(making.frame)
        for _ in range(60):
            if len(self.statements) >= length:
                break
            self._add(world.weighted(TEMPLATES))
        return self.statements

    def _add(self, template: Callable[[World], str]) -> None:
        try:
            text = template(self.world)
        except (Unsuitable, AttributeError, IndexError, KeyError, ValueError, TypeError, SyntaxError):
            return
        if not self.world.large or not self._pairs_up(text):
            self._try(text)

    def _pairs_up(self, text: str) -> bool:
        """Whether duplicate labels of two objects may meet, each with each, which takes minutes with many rows."""
        words = re.findall(r"\w+", text)
        held = [value for name, value in self.world.names.items() if name in words and isinstance(value, (pd.DataFrame, pd.Series)) and not value.index.is_unique]
        several = len(held) > 1 and not all(value.index.equals(held[0].index) for value in held)
        return several or (bool(held) and any(words.count(name) > 1 for name in words if name[0] == "f") and bool(re.search(r"iloc|set_axis|sort_values|head", text)))

    def _try(self, text: str) -> None:
        """Runs a statement, and keeps it where it is fit to be one: what raises now and then, what grows without end never."""
        names = self.world.names
        before = dict(names)
        calls = len(names.get("calls", ()))
        shared = self._shown() if _WRITES_TO_MEMORY.match(text) else None
        nodes = ast.parse(text).body
        raised = self._ran(nodes)
        names.pop("__builtins__", None)
        made = [value for name, value in names.items() if value is not before.get(name)]
        if (raised and not self.world.chance(RAISING)) or any(map(self._is_too_much, made)) or (shared is not None and not self._only_views_change(text, shared)):
            names.clear()
            names.update(before)
            # What only gives a name to a new object leaves nothing behind when it is not taken.
            self.is_clean = self.is_clean and len(nodes) == 1 and bool(_ONLY_NAMES.match(text)) and len(names.get("calls", ())) == calls
            return
        self.statements.append(text)
        self.nodes += len(nodes)
        written = _TARGET.match(text)
        for name in names:
            # What was written to by pandas' own means may have its own memory since.
            if shared is None and written is not None and written[1] == name:
                self.makers[name] = "written"
            elif names[name] is not before.get(name):
                self.makers[name] = text

    def _ran(self, nodes: list[ast.stmt]) -> bool:
        """Runs statements until one raises, and looks after each. Whether one raised."""
        for at, node in enumerate(nodes, self.nodes):
            self.watch.heard.clear()
            self.watch.begin(at)
            try:
                exec(compile(ast.Module([node], []), "<program>", "exec"), self.world.names)
            except Exception as error:
                self.watch.raised(error)
                # The program itself goes on after it.
                self.is_clean = self.is_clean and node is nodes[-1]
            self.watch.hear()
            self.watch.look(at, node)
            if self.watch.told[-1].error is not None:
                return True
        return False

    def _shown(self) -> dict[str, Seen]:
        return {name: seen(value) for name, value in self.world.names.items() if isinstance(value, (pd.DataFrame, pd.Series))}

    def _only_views_change(self, text: str, before: dict[str, Seen]) -> bool:
        """Whether a write past pandas reaches only what is made of the very array, or is a view by what pandas says of its methods.

        Others share memory by chance: a sort of what is sorted already returns the same memory in pandas, and its own in the engine; of rows one after the other it is the other way round.
        """
        changed = [name for name, part in self._shown().items() if of_parts(part, before[name]) is not None]
        target = _TARGET.match(text)
        if target is not None and target[1] in self.world.names and not target[1].startswith("a"):
            changed.append(target[1])
            if target[1].startswith("f") and " = pd.DataFrame(" not in self.makers.get(target[1], ""):
                # A column is a view of what is in memory alone.
                return False
        return all(_IS_VIEW.search(self.makers.get(name, "")) for name in changed)

    def _is_too_much(self, value: Any) -> bool:
        if isinstance(value, pd.DataFrame):
            return len(value) > 8 * max(self.world.rows, 20) or value.shape[1] > 60
        return isinstance(value, pd.Series) and len(value) > 8 * max(self.world.rows, 20)


def statements_of(text: str) -> list[str]:
    """The statements of a file, without its imports, and what is said of it at its top."""
    tree = ast.parse(text)
    found = [node for node in tree.body if not isinstance(node, (ast.Import, ast.ImportFrom)) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    return [ast.get_source_segment(text, node) or "" for node in found]
