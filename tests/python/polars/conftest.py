"""Tests of the Polars front end: each sees its own entries of the report."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from airloom import _report


@pytest.fixture(autouse=True)
def clean_report() -> Iterator[None]:
    """Each test sees its own operations."""
    _report.LOG.clear()
    yield
