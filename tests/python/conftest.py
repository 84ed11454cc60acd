"""What all tests share."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import airloom

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def nothing_stays_registered() -> Iterator[None]:
    """Rules and backends are of the process: a test leaves none behind."""
    yield
    for rule in airloom.rules.list(added=True):
        airloom.rules.remove(rule.name)
    for backend in airloom.backends.list():
        airloom.backends.remove(backend)


def pytest_report_header() -> str:
    """Which libraries are here: some tests are about them."""
    found = []
    for name in ("numpy", "pyarrow", "pandas", "polars", "nanoarrow"):
        try:
            found.append(f"{name} {__import__(name).__version__}")
        except ImportError:
            found.append(f"no {name}")
    return f"airloom from {Path(airloom.__file__).parent}, python {sys.version.split()[0]}, {', '.join(found)}"
