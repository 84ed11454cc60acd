"""Values of Polars' expressions. A family of expressions is a module; importing it registers what it makes."""

from airloom.polars.expressions import aggregates, calendar, casts, logic, numbers, plain, sequences, strings, temporal
from airloom.polars.expressions.making import Maker, make_values
from airloom.polars.expressions.registry import MAKERS

#: The modules that register makers.
FAMILIES = (aggregates, calendar, casts, logic, numbers, plain, sequences, strings, temporal)

__all__ = ["FAMILIES", "MAKERS", "Maker", "make_values"]
