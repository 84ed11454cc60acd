"""What every run of pytest has: an interrupt that is heard, an end for tests that wait for ever, temporary files that go, and a list of what was skipped."""

from __future__ import annotations

import faulthandler
import os
import shutil
import signal
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

#: How many seconds a test may take: after them the stacks of all threads are written out, and the run ends.
LIMIT = 600

STDERR = pytest.StashKey[int]()

#: Where `tests/run.py` collects what was skipped, which it says at the end of the run.
SKIPPED = Path(tempfile.gettempdir()) / "airloom-skipped.txt"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # A process started in the background of a shell, or by nohup, ignores Ctrl-C, and so do its children: tests that interrupt themselves would wait for ever.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # pytest captures the error stream while tests run: what is said of one that hangs goes where it went before.
    config.stash[STDERR] = os.dup(2)
    if config.option.basetemp is None and not hasattr(config, "workerinput"):
        folder = tempfile.mkdtemp(prefix="airloom-pytest-")
        config.option.basetemp = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    faulthandler.dump_traceback_later(LIMIT, exit=True, file=item.config.stash[STDERR])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and call.excinfo is not None and SKIPPED.exists():
        name, why = item.nodeid.partition("[")[0], call.excinfo.value
        with SKIPPED.open("a") as file:
            file.write(f"{name}: {why}\n")
    return report
