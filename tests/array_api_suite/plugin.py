"""One line for each test of the Array API's suite: its name, what became of it, and the end of what it said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--airloom-log", required=True, help="where one line for each test is written")
    parser.addoption("--airloom-large", action="store_true", help="leave nothing to NumPy for being small")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--airloom-large"):
        from airloom.numpy import sizes

        sizes.SMALL = sizes.WORK = 0


def pytest_collection_finish(session: pytest.Session) -> None:
    # A test that ends the process, or never begins, is seen by having a line here and no other.
    _write(session.config, [{"test": item.nodeid, "outcome": "missing"} for item in session.items])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    outcome: Any = yield
    found = outcome.get_result()
    if call.when == "call" or found.outcome != "passed":
        message = str(found.longrepr)[-1500:] if found.outcome == "failed" else ""
        _write(item.config, [{"test": item.nodeid, "outcome": found.outcome, "message": message}])


def _write(config: pytest.Config, lines: list[dict[str, str]]) -> None:
    with open(config.getoption("--airloom-log"), "a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
