"""Running what a plan asks for."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from airloom import _native
from airloom._native import Table
from airloom._options import options
from airloom import _report as report
from airloom.pandas.plan.expression import Expression
from airloom.pandas.plan.lower import Output, lower
from airloom.pandas.plan.rows import Rows, space_of


def run(outputs: Sequence[Output]) -> list[Table]:
    """The tables that are asked for, all computed by one program."""
    started = time.perf_counter()
    function, sources = lower(outputs)
    result = _native.run(function, (), sources, {}, options.resolved())
    report.LOG.add("run", "run", "", time.perf_counter() - started)
    return list(result) if len(outputs) > 1 else [result]


def table(rows: Rows, columns: Mapping[str, Expression]) -> Table:
    """One table."""
    (found,) = run([(rows, columns)])
    return found


def value(rows: Rows, folded: Expression) -> Any:
    """What a fold makes of all rows: a value of Python, or none."""
    from airloom.pandas.plan.expression import Ref, Slot
    from airloom.pandas.plan.rows import Grouped

    slot = Slot("value")
    found = table(Grouped(rows, {}, {slot: folded}), {"value": Ref(slot)})
    return found.column("value").to_pylist()[0]


def count(rows: Rows) -> int:
    """How many rows there are; computed where it is not known."""
    base = space_of(rows)
    if base.count is None:
        base.count = table(base, {}).num_rows if base.kept is None else base.kept[0].count
    return base.count
