"""Queries of Polars on airloom's engine.

    import airloom.polars
    lf.collect(engine=airloom.polars.Engine())

Polars optimises the query; its plan is translated to a program of the graph and run. What is refused runs on Polars, and `airloom.report` says why.
"""

from airloom.polars.engine import Engine, translate
from airloom.polars.programs import scan_program
from airloom.polars.refusals import PerformanceWarning, Refusal
from airloom.polars.translation import Translation

__all__ = ["Engine", "PerformanceWarning", "Refusal", "Translation", "scan_program", "translate"]
