"""Functions in CPython, compiled, and on the oracle."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from airloom.functions import waiting

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def code_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compared is compiled code, also where Python would be done before it is there."""
    monkeypatch.setattr(waiting, "enabled", False)
