"""What the report tells of functions that are called with whole columns, and of objects without rows."""

from __future__ import annotations

from typing import Any

import pytest

import airloom
import airloom.pandas as pd
from airloom import _report
from airloom.errors import RefusedError

pytestmark = pytest.mark.usefixtures("no_small_frames")


def entries(operation: str) -> dict[str, Any]:
    """Where an operation ran, and why."""
    return {item.where: item.reason for item in _report.report() if item.operation == operation}


def test_functions_of_columns_are_calls_of_python() -> None:
    frame = pd.DataFrame({"x": [1, 2, 3], "y": [0.5, 1.5, 2.5]})
    _report.LOG.clear()
    with airloom.strict():
        made = frame.agg({"x": ["sum", "max"], "y": ["min"]})
    assert made.loc["sum", "x"] == 6 and made.loc["min", "y"] == 0.5
    assert list(entries("DataFrame.agg")) == ["host"]
    assert list(entries("Series.agg")) == ["native"]


def test_what_a_function_does_is_refused_by_itself() -> None:
    frame = pd.DataFrame({"x": ["a", "b"]})
    _report.LOG.clear()
    with airloom.strict(), pytest.raises(RefusedError, match=r"`Series\.str\.wrap`"):
        frame.agg([lambda column: column.str.wrap(1).max()])


def test_nothing_is_refused_of_objects_without_rows() -> None:
    empty = pd.DataFrame({"x": ["a"]}).iloc[:0]
    empty._mgr  # noqa: B018
    _report.LOG.clear()
    with airloom.strict():
        assert empty["x"].str.wrap(3).empty
        assert len(empty.T.columns) == 0
    assert not [item for item in _report.report() if item.where == "pandas"]
    with airloom.strict(), pytest.raises(RefusedError, match="wrap"):
        pd.Series(["a b"]).str.wrap(1)
