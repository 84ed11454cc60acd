"""Polars' optimised plans, read into values of our own that do not change with its versions."""

from airloom.polars.reading.plan import Expression, PlanNode
from airloom.polars.reading.versions import VERSIONS, UnknownVersion, read

__all__ = ["VERSIONS", "Expression", "PlanNode", "UnknownVersion", "read"]
