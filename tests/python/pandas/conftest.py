"""Tests of the pandas front end on frames that are large enough to leave pandas' own hands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from airloom import _report
from airloom.pandas.face import dispatch


@pytest.fixture(autouse=True)
def clean_report() -> Iterator[None]:
    """Each test sees its own operations."""
    _report.LOG.clear()
    yield
    assert dispatch.within.depth == 0


@pytest.fixture
def no_small_frames() -> Iterator[None]:
    """Frames of any size are planned."""
    before = dispatch.settings.threshold
    dispatch.settings.threshold = 0
    yield
    dispatch.settings.threshold = before
