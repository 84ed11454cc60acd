"""A plugin of pytest: pandas' own tests with our classes in place of pandas', and for each test what the engine did of it.

    python -m pytest -p plugin --airloom-log log.jsonl --pyargs pandas.tests.frame
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

ON = os.environ.get("AIRLOOM_SUITE", "1") != "0"

if ON:
    import pandas._testing as testing

    import airloom.pandas
    from airloom import _callers
    from airloom import _report as report
    from airloom.pandas.dispatch import choice

    choice.settings.threshold = 0
    # The tests stand below pandas, and are programs all the same.
    _callers.programs = ("pandas.tests",)
    airloom.install()
    # pandas' own examples of subclasses are subclasses of what its names stand for.
    testing.SubclassedDataFrame.__bases__ = (airloom.pandas.DataFrame,)
    testing.SubclassedSeries.__bases__ = (airloom.pandas.Series,)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--airloom-log", default=None, help="where one line for each test is written")
    parser.addoption("--airloom-every", type=int, default=1, help="run only every n-th test")
    parser.addoption("--airloom-offset", type=int, default=0, help="which of the first n is the first to run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    every = config.getoption("--airloom-every")
    if every > 1:
        items[:] = items[config.getoption("--airloom-offset") :: every]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    outcome: Any = yield
    found = outcome.get_result()
    path = item.config.getoption("--airloom-log")
    if path is None or (call.when != "call" and found.outcome == "passed"):
        return
    line: dict[str, Any] = {"test": item.nodeid, "when": call.when, "outcome": found.outcome, "seconds": round(call.duration, 4)}
    if ON:
        native = sorted({key[0] for key in report.LOG.entries if key[1] == "native"})
        left = sorted({(key[0], key[2]) for key in report.LOG.entries if key[1] == "pandas"})
        line["native"], line["pandas"] = native, left
    if found.outcome == "failed":
        line["message"] = str(found.longrepr)[-1500:]
    with open(path, "a") as file:
        file.write(json.dumps(line) + "\n")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if ON:
        report.LOG.clear()
