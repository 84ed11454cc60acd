"""Tests of the pandas front end on frames that are large enough to leave pandas' own hands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from airloom import _report
from airloom.pandas.dispatch import choice


@pytest.fixture(autouse=True)
def clean_report() -> Iterator[None]:
    """Each test sees its own operations."""
    _report.LOG.clear()
    yield
    assert choice.within.depth == 0


@pytest.fixture
def no_small_frames() -> Iterator[None]:
    """Frames of any size are planned."""
    before = choice.settings.threshold
    choice.settings.threshold = 0
    yield
    choice.settings.threshold = before
