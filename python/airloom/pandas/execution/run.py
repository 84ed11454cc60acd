"""Running what a plan asks for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow

from airloom import _native
from airloom import _report as report
from airloom._native import Column, ParquetStream, Table
from airloom._options import options
from airloom.pandas.execution import sharing
from airloom.pandas.plan import walk
from airloom.pandas.plan.expression import Expression, Ref, Slot
from airloom.pandas.plan.frame import Vector
from airloom.pandas.plan.lower import Output, columns_read, lower, missing_slots
from airloom.pandas.plan.rows import DataSlot, Grouped, MemoryRows, Rows, space_of


def run(outputs: Sequence[Output]) -> list[Table]:
    """The tables that are asked for, all computed by one program; after the rows that others are made of too, which are kept."""
    started = time.perf_counter()
    kept, plans = sharing.shared([rows for rows, _ in outputs])
    asked = [*outputs, *map(_output, plans)]
    for rows in kept:
        slots = missing_slots(rows, asked)
        if slots:
            names = {slot: f"s{at}" for at, slot in enumerate(slots)}
            (found,) = _run([(rows, {name: Ref(slot) for slot, name in names.items()})])
            _keep(rows, names, found)
    tables = _run(outputs)
    report.LOG.add("run", "run", "", time.perf_counter() - started)
    return tables


def _run(outputs: Sequence[Output]) -> list[Table]:
    result = _lowered(outputs, lambda function, sources: _native.run(function, (), sources, {}, options.resolved()))
    return [result] if len(outputs) == 1 else list(result)


def _lowered(outputs: Sequence[Output], ask: Callable[[Any, dict[str, Any]], Any]) -> Any:
    """What is asked of a program and its sources."""
    lowered = lower(outputs)
    _check(lowered.files)
    try:
        return ask(lowered.function, lowered.sources)
    finally:
        # A file that was written to in between is the reason for whatever went wrong, and makes the result worthless.
        _check(lowered.files)


def stream_parquet(
    rows: Rows, columns: Mapping[str, Expression], schema: pyarrow.Schema, nan_is_null: Sequence[bool], labels: int | None, way: tuple[str, int], descriptor: int
) -> ParquetStream:
    """One table, written to a file as it is computed; what is left is to finish the file. Nothing is kept for others that are made of the same rows: there may be too many."""
    started = time.perf_counter()
    outputs = [(rows, columns)]
    write = partial(_native.stream_parquet, schema=schema, nan_is_null=nan_is_null, labels=labels, compression=way[0], level=way[1], descriptor=descriptor)
    stream: ParquetStream = _lowered(outputs, lambda function, sources: write(function, sources, options=options.resolved()))
    report.LOG.add("run", "run", "", time.perf_counter() - started)
    return stream


def _check(files: Sequence[Any]) -> None:
    for file in files:
        file.check()


def arrays_read(plan: Any) -> list[Any]:
    """What pandas holds that a plan is made of, or may be made of where only a part of it is asked for."""
    columns = [plan.column] if isinstance(plan, Vector) else plan.columns
    slots = columns_read([_output(plan)])
    for rows in walk.reached([plan.rows], lambda rows: rows.inputs):
        if rows.kept is not None:
            slots.extend(rows.kept[1].values())
    owners = [slot.owner for slot in slots]
    return [owner for owner in (*owners, *(column.held for column in columns)) if owner is not None]


def _output(plan: Any) -> Output:
    """All that a plan computes."""
    columns = [*([plan.column] if isinstance(plan, Vector) else plan.columns), *getattr(plan.index, "columns", ())]
    return plan.rows, {f"c{at}": column.expression for at, column in enumerate(columns)}


def _keep(rows: Rows, names: Mapping[Slot, str], table: Table) -> None:
    """Remembers computed rows, as far as they were."""
    space = MemoryRows(table.num_rows)
    types = table.type.fields
    columns = pyarrow.table(table)
    positions = {slot: DataSlot(slot.name, space, types[name], None, partial(_column, columns, name)) for slot, name in names.items()}
    rows.kept = (space, positions)
    space_of(rows).count = table.num_rows


def table(rows: Rows, columns: Mapping[str, Expression]) -> Table:
    """One table."""
    (found,) = run([(rows, columns)])
    return found


def value(rows: Rows, folded: Expression) -> Any:
    """What a fold makes of all rows: a value of Python, or none."""
    slot = Slot("value")
    found = table(Grouped(rows, {}, {slot: folded}), {"value": Ref(slot)})
    return found.column("value").to_pylist()[0]


def count(rows: Rows) -> int:
    """How many rows there are; computed where it is not known."""
    base = space_of(rows)
    if base.count is None:
        base.count = table(base, {}).num_rows if base.kept is None else base.kept[0].count
    return base.count


def _column(table: Any, name: str) -> Column:
    return Column.of_arrow(table.column(name))
