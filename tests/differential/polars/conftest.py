"""Every translated node and expression beside Polars: the same query on the same frames, in every configuration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import airloom

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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "configuration" in metafunc.fixturenames:
        asked = metafunc.config.getoption("--configuration")
        metafunc.parametrize("configuration", list(CONFIGURATIONS) if asked == "all" else [asked], indirect=True)


@pytest.fixture(autouse=True)
def configuration(request: pytest.FixtureRequest) -> Iterator[None]:
    """How the engine runs during a test."""
    with airloom.options(**CONFIGURATIONS[getattr(request, "param", "plain")]):
        yield
