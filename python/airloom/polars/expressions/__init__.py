"""Values of Polars' expressions. A family of expressions is a module; importing it registers what it makes."""

from airloom.polars.expressions import aggregates, bits, bounds, calendar, casts, categories, functions, list_elements, lists, logic, longer, numbers, parsing, patterns, picking, plain, ranges, replacing, rolling, sequences, shorter, slices, sorting, statistics, steps, strings, structs, temporal, time_ranges, zones
from airloom.polars.expressions.making import Maker, make_values
from airloom.polars.expressions.registry import MAKERS

#: The modules that register makers.
FAMILIES = (aggregates, bits, bounds, calendar, casts, categories, functions, list_elements, lists, logic, longer, numbers, parsing, patterns, picking, plain, ranges, replacing, rolling, sequences, shorter, slices, sorting, statistics, steps, strings, structs, temporal, time_ranges, zones)

__all__ = ["FAMILIES", "MAKERS", "Maker", "make_values"]
