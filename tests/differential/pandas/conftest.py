"""Every native operation beside pandas: the same program on the same frames, in every configuration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import compare
import pytest

import airloom
import airloom.pandas
from airloom import _report as report
from airloom.pandas.dispatch import choice
from airloom.pandas.internals import state

#: How the engine runs: as users have it, on the oracle, with a row at a time, without rules, and on more threads than cores.
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "oracle": {"oracle": True},
    "one-row": {"batch_rows": 1},
    "unoptimized": {"optimize": False},
    "threads": {"threads": 7, "batch_rows": 3},
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--configuration", choices=[*CONFIGURATIONS, "all"], default="plain", help="how the engine runs (default: %(default)s)")
    parser.addoption("--reference", choices=["write", "check"], default=None, help="write docs/reference/pandas.md, or check that it is fresh")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """What a worker's tests have shown goes to who started it."""
    shown = node.workeroutput
    compare.NATIVE.update(shown["native"])
    for operation, reasons in shown["left"].items():
        compare.LEFT.setdefault(operation, set()).update(reasons)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """The page of what is native is made of what the tests have shown."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["native"] = sorted(compare.NATIVE)
        session.config.workeroutput["left"] = {operation: sorted(reasons) for operation, reasons in compare.LEFT.items()}
        return
    asked = session.config.getoption("--reference")
    if asked is None or exitstatus != 0:
        return
    import reference

    missing = reference.untested()
    if missing:
        print(f"\nregistered, but never compared with pandas: {', '.join(missing)}")
        session.exitstatus = 1
    page = reference.page()
    if asked == "write":
        reference.PATH.write_text(page)
    elif not reference.PATH.exists() or reference.PATH.read_text() != page:
        print("\ndocs/reference/pandas.md is stale: run `make manual`")
        session.exitstatus = 1


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "configuration" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--configuration")
        names = list(CONFIGURATIONS) if chosen == "all" else [chosen]
        metafunc.parametrize("configuration", names, indirect=True)


@pytest.fixture(autouse=True)
def configuration(request: pytest.FixtureRequest) -> Iterator[str]:
    """Small frames go to the engine too, and a mistake of ours is an error."""
    name = getattr(request, "param", "plain")
    settings = choice.settings
    before = (settings.threshold, settings.raise_errors, state.WORTH_KEEPING)
    settings.threshold, settings.raise_errors, state.WORTH_KEEPING = 0, True, 0
    report.LOG.clear()
    with airloom.options(**CONFIGURATIONS[name]):
        yield name
    settings.threshold, settings.raise_errors, state.WORTH_KEEPING = before
