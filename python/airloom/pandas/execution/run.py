"""Running what a plan asks for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow

from airloom import _native, _recording, ir
from airloom import _report as report
from airloom._native import Column, ParquetStream, Table
from airloom._options import options
from airloom.pandas.execution import sharing
from airloom.pandas.plan import coded as coding
from airloom.pandas.plan import walk
from airloom.pandas.plan.coded_expressions import values_found
from airloom.pandas.plan.encoding import Code, coded_slot, decoded
from airloom.pandas.plan.expression import Expression, Ref, Slot
from airloom.pandas.plan.frame import Vector
from airloom.pandas.plan.lower import Lowered, Output, columns_read, in_order, lower, missing_slots
from airloom.pandas.plan.rows import DataSlot, Grouped, MemoryRows, Rows, space_of


#: Rows that a program comes back to are not kept where they may take more than this share of the memory.
_SHARE = 8
#: How many bytes a value takes, at least.
_COLUMN = 8


def run(outputs: Sequence[Output], *, coded: bool = False, below: Rows | None = None) -> list[Any]:
    """The tables that are asked for, all computed by one program; after the rows that others are made of too, which are kept. With `coded`, columns of text may be codes.

    With `below`, those are rows that several of the tables are made of: they are computed once too.
    """
    started = time.perf_counter()
    kept, plans = sharing.shared([rows for rows, _ in outputs], below)
    asked = [*outputs, *map(_output, plans)]
    if kept:
        coding.encode_keys(asked)
    for rows in kept:
        slots = missing_slots(rows, asked)
        if slots:
            standing = _standing(rows)
            slots = [slot for slot in slots if slot not in standing]
            if rows is not below and _may_be_large(rows, len(slots)):
                continue
            names = {slot: f"s{at}" for at, slot in enumerate(slots)}
            (found,) = _run([(rows, {name: Ref(slot) for slot, name in names.items()})], coded=True)
            _keep(rows, names, found)
    tables = _run(outputs, coded=coded)
    report.LOG.add("run", "run", "", time.perf_counter() - started)
    return tables


def _may_be_large(rows: Rows, columns: int) -> bool:
    """Whether columns of rows may take more of the memory than what is kept may: they are then computed again by whoever else needs them. Where nobody knows how many rows there are, they are kept."""
    most: Rows | None = rows
    while most is not None and most.count is None:
        most = most.passes
    return most is not None and most.count is not None and most.count * columns * _COLUMN > options.resolved()["memory_limit"] // _SHARE


def _run(outputs: Sequence[Output], *, coded: bool) -> list[Any]:
    recoded, codes = coding.recoded(outputs, _evaluated, in_output=coded)
    tables = _run_as_it_is(recoded)
    return [CodedTable(table, own) if own else table for table, own in zip(tables, codes, strict=True)]


def _run_as_it_is(outputs: Sequence[Output]) -> list[Table]:
    result = _lowered(outputs, _ran)
    return [result] if len(outputs) == 1 else list(result)


def _ran(function: Any, sources: dict[str, Any]) -> Any:
    result = _native.run(function, (), sources, {}, options.resolved())
    if _recording.ACTIVE:
        _recording.ran(function, sources, result)
    return result


def lowered_as_run(outputs: Sequence[Output]) -> Lowered:
    """The program that computes these results for whoever makes arrays of them."""
    return lower(coding.recoded(outputs, _evaluated, in_output=True)[0])


def unshared(rows: Rows, columns: Mapping[str, Expression]) -> Table:
    """One table, for which nothing is kept that others need too."""
    (table,) = _run_as_it_is([(rows, columns)])
    return table


def _evaluated(rows: Rows, expressions: Sequence[Expression], space: MemoryRows) -> Any:
    """What expressions over the values of a column come to."""
    (table,) = _run_as_it_is([(rows, {f"v{at}": expression for at, expression in enumerate(expressions)})])
    return values_found(table, len(expressions), space)


class CodedTable:
    """A table of which some columns of text are codes of few values."""

    __slots__ = ("coded", "table")

    def __init__(self, table: Table, coded: Mapping[str, Code]) -> None:
        self.table = table
        self.coded = coded

    @property
    def num_rows(self) -> int:
        return self.table.num_rows

    def codes(self, name: str) -> Any:
        """The codes of a column."""
        return self.table.numpy(name, f"int{str(self.coded[name].encoding.type)[1:]}")

    def numpy(self, name: str, dtype: Any = None) -> Any:
        return self.table.numpy(name, dtype)

    def null_count(self, name: str) -> int:
        return self.column(name).null_count if name in self.coded else self.table.null_count(name)

    def column(self, name: str) -> Any:
        return decoded(self.codes(name), self.coded[name]) if name in self.coded else self.table.column(name)

    def large_strings(self, name: str) -> Any:
        return pyarrow.chunked_array([self.column(name)]) if name in self.coded else self.table.large_strings(name)


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


def stream(rows: Rows, columns: Mapping[str, Expression]) -> Iterator[Table]:
    """One table, some rows at a time, while they are computed. Nothing is kept for others that are made of the same rows: there may be too many."""
    started = time.perf_counter()
    lowered = lower([(rows, columns)])
    _check(lowered.files)
    try:
        yield from _native.stream(lowered.function, (), lowered.sources, {}, options.resolved())
    finally:
        _check(lowered.files)
    report.LOG.add("run", "run", "", time.perf_counter() - started)


def _check(files: Sequence[Any]) -> None:
    for file in files:
        file.check()


def arrays_read(plan: Any) -> list[Any]:
    """What pandas holds that a plan is made of, or may be made of where only a part of it is asked for, or where what is kept of its rows is kept no more."""
    columns = [plan.column] if isinstance(plan, Vector) else plan.columns
    slots = columns_read([_output(plan)])
    kept = [rows.kept[1] for rows in walk.reached([plan.rows], lambda rows: rows.inputs) if rows.kept is not None]
    if kept:
        slots.extend(_columns_below(plan))
        slots.extend(slot for positions in kept for slot in positions.values())
    owners = [slot.owner for slot in slots]
    return [owner for owner in (*owners, *(column.held for column in columns)) if owner is not None]


def _columns_below(plan: Any) -> list[DataSlot]:
    """The columns in memory that a plan is made of, whatever is kept of the rows between."""
    rows, columns = _output(plan)
    needed: dict[Rows, set[Slot]] = {rows: set().union(*(column.slots for column in columns.values()))}
    for above in reversed(in_order([rows])):
        for below, slots in zip(above.inputs, above.wants(needed[above]), strict=True) if above in needed else ():
            needed.setdefault(below, set()).update(slots)
    return [slot for below, slots in needed.items() if isinstance(below, MemoryRows) for slot in slots if isinstance(slot, DataSlot)]


def _output(plan: Any) -> Output:
    """All that a plan computes."""
    columns = [*([plan.column] if isinstance(plan, Vector) else plan.columns), *getattr(plan.index, "columns", ())]
    return plan.rows, {f"c{at}": column.expression for at, column in enumerate(columns)}


def _standing(rows: Rows) -> dict[Slot, DataSlot]:
    """What is kept of rows and belongs to nobody else: who owns an array may write to it, and what is kept beside it would be of other rows then."""
    kept = {} if rows.kept is None else dict(rows.kept[1])
    return kept if all(slot.owner is None for slot in kept.values()) else {}


def _keep(rows: Rows, names: Mapping[Slot, str], found: Table | CodedTable) -> None:
    """Remembers computed rows, as far as they were: with what is kept of them already."""
    table, codes = (found.table, found.coded) if isinstance(found, CodedTable) else (found, {})
    positions = _standing(rows)
    space = rows.kept[0] if positions and rows.kept is not None else MemoryRows(table.num_rows)
    assert space.count == table.num_rows, "rows that are computed again are the same ones"
    types = table.type.fields
    columns = pyarrow.table(table)
    for slot, name in names.items():
        if name in codes:
            assert isinstance(found, CodedTable)
            positions[slot] = DataSlot(slot.name, space, ir.optional(ir.str_), None, partial(_text, found, name))
            positions[slot].code = coded_slot(space, codes[name].encoding, partial(_column, columns, name), weak=codes[name].weak)
        else:
            # Text is that of any column in memory, also where none of it is missing: it may have codes.
            is_text = types[name].required == ir.str_
            positions[slot] = DataSlot(slot.name, space, ir.optional(ir.str_) if is_text else types[name], None, partial(_column, columns, name, nullable=is_text or None))
            positions[slot].arrow = partial(_strings, table, name)
    rows.kept = (space, positions)
    space_of(rows).count = table.num_rows


def _strings(table: Table, name: str) -> pyarrow.ChunkedArray:
    return pyarrow.chunked_array(table.large_strings(name), pyarrow.large_string())


def _text(found: CodedTable, name: str) -> Column:
    return Column.of_arrow(found.column(name), nullable=True)


def table(rows: Rows, columns: Mapping[str, Expression], *, coded: bool = False) -> Any:
    """One table."""
    (found,) = run([(rows, columns)], coded=coded)
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


def _column(table: Any, name: str, *, nullable: bool | None = None) -> Column:
    return Column.of_arrow(table.column(name), nullable=nullable)
