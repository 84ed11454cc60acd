"""Arrays of ours beside NumPy's: the same program on the same data, with nothing left to NumPy for being small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import airloom
from airloom.numpy import sizes

#: How the engine runs: as users have it, on the oracle, without rules, and on more threads than cores.
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "oracle": {"oracle": True},
    "unoptimized": {"optimize": False},
    "threads": {"threads": 7},
    "compiled": {"native": "always"},
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


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays of a few elements are computed by the engine."""
    monkeypatch.setattr(sizes, "SMALL", 0)
    monkeypatch.setattr(sizes, "WORK", 0)
