"""What the engine fails to compute is pandas' to do: each plan keeps the operation that made it, and what that was given."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from airloom import _report as report
from airloom.errors import Error, OptionError, RefusedError, WorldError
from airloom.pandas.dispatch.choice import settings, within
from airloom.pandas.dispatch.lazy import from_manager
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, classes
from airloom.pandas.internals import materialize, state
from airloom.pandas.plan.frame import Frame, Vector
from airloom.pandas.plan.recipe import Recipe, Snapshot

#: Where groups, windows and spans keep how pandas makes them.
RECIPE = "_airloom_recipe"


def failure(error: BaseException) -> str | None:
    """What is said where the engine failed; nothing where it was the world, or what the user asked for, or a mistake of the front end."""
    if isinstance(error, (WorldError, RefusedError, OptionError)) or not isinstance(error, (Error, MemoryError)):
        return None
    if error.__cause__ is not None and not isinstance(error.__cause__, Exception):
        # An interrupt in the middle of a function of Python's, which the engine called.
        raise error.__cause__
    # After the first lines there is a hint, with the name of a file that is another in every run.
    return f"the engine failed: {str(error).partition(chr(10))[0] or type(error).__name__}"


def _why(error: Exception) -> str | None:
    """The same for what fails while a plan is computed: a mistake of the front end is one of the engine's to whoever looks."""
    if isinstance(error, (WorldError, RefusedError, OptionError, RecursionError)):
        return None
    return failure(error) or f"the engine failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}"


def taken(value: Any, depth: int = 0) -> Any:
    """A value as an operation is given it now: what may be written to later is kept as it is, in lists within lists as far as pandas itself looks into them."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind in state.OURS:
        own = value.__dict__
        manager = own.get(state.MANAGER)
        return Snapshot(state.plan_of(value)) if manager is None else Snapshot(None, manager.copy(deep=False), own.get("_name"))
    if isinstance(value, (BaseDataFrame, BaseSeries)):
        return value.copy(deep=False)
    if isinstance(value, np.ndarray):
        if value.nbytes > _MOST_BYTES:
            raise _TooLarge
        return value.copy()
    if depth < _DEEPEST and (kind is list or kind is tuple):
        # Long lists are of plain values.
        return kind(value) if _PLAIN.issuperset(map(type, value)) else kind([taken(item, depth + 1) for item in value])
    if depth < _DEEPEST and kind is dict:
        return {key: taken(item, depth + 1) for key, item in value.items()}
    found = getattr(value, "__dict__", None)
    return found.get(RECIPE, value) if type(found) is dict else value


class _TooLarge(Exception):
    """An array that would take too much memory to be kept for what hardly ever happens."""


#: Larger arrays are not copied: what is made of them has no recipe, and an engine that fails is an error.
_MOST_BYTES = 1 << 24
#: How far lists within lists are looked into.
_DEEPEST = 3
#: Types whose values cannot be written to.
_PLAIN = frozenset((str, int, float, bool, type(None), slice, type))


def remembered(result: Any, label: str, base: Callable[..., Any], value: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, changes: bool = False, record: Any = None) -> Any:
    """What an operation made; where that is a plan, or objects with plans, one that keeps how pandas makes it."""
    if type(result) is Frame or type(result) is Vector:
        if label == "DataFrame.__getitem__" and result.recipe is None and materialize.is_in_memory(result):
            # Columns that are chosen of those in memory are there: nothing is left that could fail, and a snapshot of a frame of many blocks takes longer than the choice.
            return result
        try:
            recipe = Recipe(label, base, taken(value), taken(args), taken(kwargs), changes=changes, record=record)
        except _TooLarge:
            return result
        if isinstance(recipe.value, Snapshot) and recipe.value.plan is result:
            # What is as it was before needs no operation.
            return result
        # A plan that has a recipe already is that of an object, which keeps its own; and so does one whose data are there.
        made = result if result.recipe is None and getattr(value, "__dict__", {}).get(state.PLAN) is not result else _alike(result)
        made.recipe = recipe
        return made
    if type(result) is tuple:
        for at, item in enumerate(result):
            keep(item, label, lambda value, *args, at=at, **kwargs: base(value, *args, **kwargs)[at], taken(value), args, kwargs)
    return result


def keep(made: Any, label: str, base: Callable[..., Any], value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Keeps how pandas makes an object with its plan, where it has one."""
    plan = made.__dict__[state.PLAN] if type(made) in state.OURS and state.is_lazy(made) else None
    if plan is not None and plan.recipe is None:
        with contextlib.suppress(_TooLarge):
            plan.recipe = Recipe(label, base, value, taken(args), taken(kwargs))


def marked(made: Any, label: str, base: Callable[..., Any], value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Groups, windows or spans that keep how pandas makes them."""
    with contextlib.suppress(_TooLarge):
        made.__dict__[RECIPE] = Recipe(label, base, taken(value), taken(args), taken(kwargs))
    return made


def _alike(plan: Any) -> Any:
    return Frame(plan.rows, plan.columns, plan.labels, plan.index) if isinstance(plan, Frame) else Vector(plan.rows, plan.column, plan.name, plan.index)


def recovered(plan: Any, error: Exception) -> Any:
    """The manager of what a plan stands for, made by pandas, where the engine failed."""
    reason = _why(error)
    if reason is None or plan.recipe is None or settings.raise_errors:
        raise error
    report.refused(plan.recipe.label, reason)
    started = time.perf_counter()
    made = _Recovery().object_of(plan)
    report.LOG.add(plan.recipe.label, "pandas", reason, time.perf_counter() - started)
    return made._mgr


def by_recipes(plan: Any) -> Any:
    """The manager of what a plan stands for, made by pandas of what is in memory: nothing is left to the engine that has a recipe."""
    recovery = _Recovery()
    recovery.failed = _TRIES
    return recovery.object_of(plan)._mgr


#: At most this many inputs may the engine fail to compute before pandas is left all that has a recipe: of a long chain each is a program of its own.
_TRIES = 8


class _Recovery:
    """Makes what plans stand for by their recipes, one after the other. What the engine can still compute of their inputs it computes."""

    def __init__(self) -> None:
        #: Objects by the recipe, or the plan, that they were made of.
        self.made: dict[int, Any] = {}
        self.failed = 0

    def object_of(self, plan: Any) -> Any:
        """An object of pandas' data for a plan that the engine fails to compute."""
        stack = [plan.recipe]
        while stack:
            recipe = stack[-1]
            waiting = [found for found in _parts((recipe.value, recipe.args, recipe.kwargs)) if not self._is_ready(found)]
            if waiting:
                stack.extend(part.plan.recipe if isinstance(part, Snapshot) else part for part in waiting)
                continue
            stack.pop()
            if id(recipe) not in self.made:
                self.made[id(recipe)] = self._done(recipe)
        return self._as_planned(plan)

    def _is_ready(self, part: Snapshot | Recipe) -> bool:
        """Whether an input is there, or can be computed."""
        if isinstance(part, Recipe):
            return id(part) in self.made
        if part.manager is not None or id(part.plan) in self.made or (part.plan.recipe is not None and id(part.plan.recipe) in self.made):
            return True
        plan = part.plan
        if self.failed >= _TRIES and plan.recipe is not None and not materialize.is_in_memory(plan):
            return False
        try:
            manager = (materialize.restored_frame(plan) if isinstance(plan, Frame) else materialize.restored_vector(plan))[0]
        except Exception as error:
            if _why(error) is None or plan.recipe is None:
                raise
            self.failed += 1
            return False
        self.made[id(plan)] = _object(manager, getattr(plan, "name", None))
        return True

    def _done(self, recipe: Recipe) -> Any:
        value, args, kwargs = self._argument(recipe.value), self._argument(recipe.args), self._argument(recipe.kwargs)
        if recipe.record is not None:
            args, kwargs = recipe.record.replayed_anew((args, kwargs))
        within.asking += 1
        within.depth += 1
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                # What pandas warns of, it would have warned of at the call.
                warnings.simplefilter("ignore")
                made = recipe.base(value, *args, **kwargs)
        finally:
            within.asking -= 1
            within.depth -= 1
        return value if recipe.changes else made

    def _argument(self, part: Any) -> Any:
        """An argument with objects in the place of snapshots; each is the operation's own, which may write to it."""
        if isinstance(part, Recipe):
            return self.made[id(part)]
        if isinstance(part, Snapshot):
            if part.manager is not None:
                return _object(part.manager.copy(deep=False), part.name)
            found = self.made.get(id(part.plan))
            found = self._as_planned(part.plan) if found is None else found
            return _object(found._mgr.copy(deep=False), getattr(part.plan, "name", None))
        if type(part) is list or type(part) is tuple:
            return type(part)(map(self._argument, part))
        return {key: self._argument(item) for key, item in part.items()} if type(part) is dict else part

    def _as_planned(self, plan: Any) -> Any:
        """What a recipe made, with the names that the plan has: they may have been set since."""
        made = self.made[id(plan.recipe)]
        manager = made._mgr.copy(deep=False)
        if tuple(manager.axes[-1].names) != tuple(plan.index.names):
            manager.axes[-1] = manager.axes[-1].set_names(list(plan.index.names))
        if isinstance(plan, Frame):
            manager.axes[0] = plan.labels.view()
        return _object(manager, getattr(plan, "name", None))


def _parts(value: Any) -> Iterator[Snapshot | Recipe]:
    """The snapshots among arguments."""
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, (Snapshot, Recipe)):
            yield part
        elif type(part) is list or type(part) is tuple:
            stack.extend(part)
        elif type(part) is dict:
            stack.extend(part.values())


def _object(manager: Any, name: Any) -> Any:
    made = from_manager(classes.DataFrame if manager.ndim == 2 else classes.Series, manager)
    if manager.ndim == 1:
        made.__dict__["_name"] = name
    return made


state.fallback.recovered = recovered
