"""Polars' optimised plans, read into values of our own that do not change with its versions."""

from airloom.polars.reading.plan import AsOf, Dynamic, Expression, PlanNode, Rolling, Span
from airloom.polars.reading.versions import VERSIONS, UnknownVersion, read

__all__ = ["VERSIONS", "AsOf", "Dynamic", "Expression", "PlanNode", "Rolling", "Span", "UnknownVersion", "read"]
