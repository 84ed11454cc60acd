"""The option `--configuration`, by which tests choose how the engine runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

import airloom

#: Options of airloom, by the name of a configuration.
Configurations = Mapping[str, Mapping[str, Any]]


def add_option(parser: pytest.Parser, configurations: Configurations) -> None:
    """Lets a run choose one of these, or all."""
    parser.addoption("--configuration", choices=[*configurations, "all"], default="plain", help="how the engine runs (default: %(default)s)")


def parametrize(metafunc: pytest.Metafunc, configurations: Configurations) -> None:
    """Runs a test in each configuration that was chosen."""
    if "configuration" in metafunc.fixturenames:
        asked = metafunc.config.getoption("--configuration")
        metafunc.parametrize("configuration", list(configurations) if asked == "all" else [asked], indirect=True)


@contextmanager
def configured(request: pytest.FixtureRequest, configurations: Configurations) -> Iterator[None]:
    """The engine runs so during a test."""
    with airloom.options(**configurations[getattr(request, "param", "plain")]):
        yield
