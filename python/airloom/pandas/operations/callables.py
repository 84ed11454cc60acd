"""Functions of Python, applied to each value or to each row."""

from __future__ import annotations

from typing import Any

from airloom.pandas.plan.frame import Refused, Vector


def mapped(vector: Vector, function: Any, na_action: Any, keywords: dict[str, Any]) -> Vector:
    raise Refused("a function of Python")
