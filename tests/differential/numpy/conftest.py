"""Arrays of ours beside NumPy's: the same program on the same data, with nothing left to NumPy for being small."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from airloom.numpy import sizes, tiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import configurations  # noqa: E402

#: How the engine runs: as users have it, on the oracle, without rules, and on more threads than cores.
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "oracle": {"oracle": True},
    "unoptimized": {"optimize": False},
    "threads": {"threads": 7},
    "compiled": {"native": "always"},
}


def pytest_addoption(parser: pytest.Parser) -> None:
    configurations.add_option(parser, CONFIGURATIONS)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    configurations.parametrize(metafunc, CONFIGURATIONS)


@pytest.fixture(autouse=True)
def configuration(request: pytest.FixtureRequest) -> Iterator[None]:
    """How the engine runs during a test."""
    with configurations.configured(request, CONFIGURATIONS):
        yield


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays of a few elements are computed by the engine, or in several tiles."""
    monkeypatch.setattr(sizes, "SMALL", 0)
    monkeypatch.setattr(sizes, "CACHED", 0)
    monkeypatch.setattr(sizes, "WORK", 0)
    monkeypatch.setattr(tiles, "CACHE", 1 << 11)
