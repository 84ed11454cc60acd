"""Every translated node and expression beside Polars: the same query on the same frames, in every configuration."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import configurations  # noqa: E402

#: How the engine runs: as users have it, on the oracle, with a row at a time, without rules, and on more threads than cores.
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "oracle": {"oracle": True},
    "one-row": {"batch_rows": 1},
    "unoptimized": {"optimize": False},
    "threads": {"threads": 7, "batch_rows": 3},
}


def pytest_addoption(parser: pytest.Parser) -> None:
    configurations.add_option(parser, CONFIGURATIONS)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    configurations.parametrize(metafunc, CONFIGURATIONS)


@pytest.fixture(autouse=True, scope="session")
def polars_folder() -> Iterator[None]:
    """A folder for what Polars keeps of files that are read by their address: it leaves it behind."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLARS_TEMP_DIR", folder)
        yield


@pytest.fixture(autouse=True)
def configuration(request: pytest.FixtureRequest) -> Iterator[None]:
    """How the engine runs during a test."""
    with configurations.configured(request, CONFIGURATIONS):
        yield
