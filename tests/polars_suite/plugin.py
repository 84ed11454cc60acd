"""A plugin of pytest: Polars' own tests, whose queries are collected by our engine, and for each test what became of them.

    python -m pytest -p plugin --airloom-log log.jsonl tests/unit/operations

Lazy queries and those that a `DataFrame` makes of its operations go to the engine alike. What it refuses, or fails to run, Polars does as it does without us.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest

ON = os.environ.get("AIRLOOM_SUITE", "1") != "0"

#: What became of the plans of a test, and why some were left to Polars.
PLANS: Counter[str] = Counter()
REASONS: Counter[str] = Counter()

#: What reasons say of parts of a plan that no engine but Polars' own is shown.
NOT_SHOWN = "Polars does not show this"

if ON:
    from airloom.polars import Engine, Refusal, translate
    from airloom.polars import running

    COLLECT, EAGER, COLLECT_ALL = pl.LazyFrame.collect, pl.LazyFrame._collect_eager, pl.collect_all
    RUN = running.run
    DEFAULT = pl.QueryOptFlags()

    class CountedEngine(Engine):
        """The engine, which counts the plans that are given to it."""

        def _leave(self, refusals: Any) -> None:
            PLANS["left"] += 1
            REASONS.update({str(one) for one in refusals})
            if any(NOT_SHOWN in one.reason for one in refusals):
                PLANS["unseen"] += 1

        def _failed(self, error: Exception) -> None:
            PLANS["left"] += 1
            REASONS.update([f"run: the engine failed with `{type(error).__name__}`: {str(error).splitlines()[0] if str(error) else ''}"])

    ENGINE = CountedEngine()

    def counted_run(*given: Any) -> pl.DataFrame:
        """Runs a program, and counts it."""
        made = RUN(*given)
        PLANS["run"] += 1
        return made

    #: Whether the engine is at work: what it asks of Polars itself is Polars' to do.
    WORKING = [False]

    def judged(before: Counter[str]) -> None:
        """Counts a plan as native, hidden from engines, in part native, or refused, by what was counted since."""
        left, ran, unseen = (PLANS[word] - before[word] for word in ("left", "run", "unseen"))
        PLANS["native" if not left else "hidden" if unseen else "part" if ran else "refused"] += 1

    def forget(before: Counter[str]) -> None:
        """Takes the reasons back of a plan that Polars does not run either: it has no result, and is not counted."""
        REASONS.clear()
        REASONS.update(before)

    def collect(self: pl.LazyFrame, *, engine: Any = "auto", background: bool = False, optimizations: Any = DEFAULT, **more: Any) -> Any:
        """As `LazyFrame.collect`, by our engine where no other object is asked for."""
        if WORKING[0] or background or more or engine not in ("auto", "in-memory", "cpu", "streaming"):
            return COLLECT(self, engine=engine, background=background, optimizations=optimizations, **more)
        before, reasons = PLANS.copy(), REASONS.copy()
        WORKING[0] = True
        try:
            made = COLLECT(self, engine=ENGINE, optimizations=optimizations)
        except BaseException:
            forget(reasons)
            raise
        finally:
            WORKING[0] = False
        judged(before)
        return made

    def eager(self: pl.LazyFrame, *, optimizations: Any = DEFAULT) -> pl.DataFrame:
        """As an operation of a `DataFrame`: what is refused is done by the engine that Polars has for these."""
        if WORKING[0]:
            return EAGER(self, optimizations=optimizations)
        before, reasons = PLANS.copy(), REASONS.copy()
        WORKING[0] = True
        try:
            made = by_program(self, optimizations)
        finally:
            WORKING[0] = False
        if made is None:
            try:
                made = EAGER(self, optimizations=optimizations)
            except BaseException:
                forget(reasons)
                raise
        judged(before)
        return made

    def by_program(lf: pl.LazyFrame, optimizations: Any) -> pl.DataFrame | None:
        """The frame of a query that is translated as a whole."""
        translation = translate(lf, optimizations=optimizations)
        if translation.function is None:
            ENGINE._leave(translation.refusals or [Refusal("plan", "no reason was told")])
            return None
        try:
            return running.run(translation, {})
        except Exception as error:
            ENGINE._failed(error)
            return None

    def collect_all(lazy_frames: Any, *, engine: Any = "auto", **more: Any) -> Any:
        """As `pl.collect_all`, by our engine."""
        return COLLECT_ALL(lazy_frames, engine=ENGINE if engine in ("auto", "in-memory", "streaming") and set(more) <= {"optimizations"} else engine, **more)


def pytest_configure(config: pytest.Config) -> None:
    if ON:
        running.run = counted_run
        pl.LazyFrame.collect = collect  # type: ignore[method-assign, assignment]
        pl.LazyFrame._collect_eager = eager  # type: ignore[method-assign]
        pl.collect_all = collect_all  # type: ignore[assignment]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--airloom-log", default=None, help="where one line for each test is written")
    parser.addoption("--airloom-every", type=int, default=1, help="run only every n-th test")
    parser.addoption("--airloom-offset", type=int, default=0, help="of these, from which on")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    every = config.getoption("--airloom-every")
    if every > 1:
        items[:] = items[config.getoption("--airloom-offset") :: every]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    PLANS.clear()
    REASONS.clear()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    outcome: Any = yield
    found = outcome.get_result()
    path = item.config.getoption("--airloom-log")
    if path is None or (call.when != "call" and found.outcome == "passed"):
        return
    line: dict[str, Any] = {"test": item.nodeid, "outcome": found.outcome, "seconds": round(call.duration, 4), "plans": dict(PLANS), "reasons": dict(REASONS)}
    if found.outcome == "failed":
        line["message"] = str(found.longrepr)[-1500:]
    with open(path, "a") as file:
        file.write(json.dumps(line) + "\n")
