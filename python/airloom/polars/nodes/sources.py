"""Where rows come from: frames in memory, and files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node, Table
from airloom._session import scan_parquet
from airloom.errors import Error, ProgramError
from airloom.polars import dtypes, rows
from airloom.polars.nodes.order import sliced
from airloom.polars.nodes.registry import Building, plan_node
from airloom.polars.nodes.reshaping import map_function, numbered, uniform
from airloom.polars.nodes.text import lazy_text
from airloom.polars.physical import frame_to_table
from airloom.polars.programs import Program
from airloom.polars.reading import PlanNode
from airloom.polars.refusals import Refusal, Refused, value_text
from airloom.polars.values import literal

#: Options of a scan that change what is read, and the only value that is translated.
_PLAIN = {"deletion_files": None, "column_mapping": None, "default_values": None, "row_count": None, "missing_columns_policy": "raise", "extra_columns_policy": "raise"}


@plan_node("DataFrameScan")
def _frame_scan(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    if node.parameters["selection"] is not None:
        raise Refused("a frame in memory with a predicate of its own is not translated")
    return _memory(building, node.parameters["frame"], node.schema)


def _memory(building: Building, frame: pl.DataFrame, schema: Mapping[str, pl.DataType]) -> Node:
    if not schema:
        # A frame of no columns has no rows to Arrow; one that nobody asked for keeps their number.
        table = Table(pl.DataFrame({f"{rows.PREFIX}row": pl.repeat(True, frame.height, eager=True)}))
        return ir.source(building.source(table), table.type)
    # Columns that are not read may have been taken out of the frame.
    return ir.source(building.source(InMemory(frame, tuple(schema))), dtypes.relation(schema))


@plan_node("Scan")
def _scan(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    given = node.parameters
    kind = given["scan_type"][0]
    for option, plain in _PLAIN.items():
        if given.get(option) != plain:
            raise Refused(f"a scan with `{option}` {value_text(given.get(option))} is not translated")
    paths = _local(given["paths"])
    predicate = building.value(node, "predicate")
    index = given["row_index"]
    added = _added(node)
    wanted = [name for name in (given["with_columns"] or node.schema) if name not in added and (index is None or name != index[0])]
    if added and kind != "parquet":
        raise Refused(f"a scan of kind {value_text(kind)} with columns of paths is not translated")
    match kind:
        case "parquet":
            relation = _parts(building, node, wanted, added) if added else _parquet(building, node, wanted, paths)
        case "csv" | "ndjson":
            relation = _read_by_polars(building, node, kind, wanted, paths)
        case _:
            raise Refused(f"a scan of kind {value_text(kind)} is not translated")
    if index is not None and index[0] in node.schema:
        # Rows have the numbers that they have in the file.
        relation = numbered(relation, node.schema, index[0], index[1])
    if given["n_rows"] is not None:
        relation = sliced(relation, given["n_rows"])
    if predicate is not None:
        relation = rows.keep(relation, predicate, building.names)
    return rows.pick(relation, list(node.schema)) if node.schema else relation


@plan_node("MapFunction")
def _map_function(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    return counted_text(building, node) if node.parameters["function"] == "fast_count" else map_function(node, inputs[0])


@plan_node("PythonScan")
def _python_scan(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    given = node.parameters
    source = given["source"]
    if given["kind"] != "io_plugin" or not callable(source) or not node.schema:
        raise Refused(f"a scan of rows that a function of Python makes, of kind {value_text(given['kind'])}, is not translated")
    predicate = building.value(node, "predicate")
    if not isinstance(source, Program):
        return _generated(building, node, predicate is not None)
    relation = _program(building, source)
    if given["n_rows"] is not None:
        relation = sliced(relation, (0, given["n_rows"]))
    if predicate is not None:
        relation = rows.keep(relation, predicate, building.names)
    return rows.pick(relation, list(node.schema))


def _program(building: Building, program: Program) -> Node:
    """The relation of another program, in this one. Where both have other data under one name, its sources have other names here."""
    taken = [name for name, data in program.sources.items() if building.sources.get(name, data) is not data]
    building.sources.update({name: data for name, data in program.sources.items() if name not in taken})
    if not taken:
        return ir.inline(program.function)
    names = {name: building.source(program.sources[name]) for name in taken}

    def renamed(node: Node) -> Node | None:
        new = names.get(node.attrs["name"]) if node.op == "source" else None
        return None if new is None else ir.source(new, node.type)

    made = ir.rewrite(ir.inline(program.function), renamed)
    # Bodies are functions of their own, and are not rewritten.
    if any(node.op == "source" and node.attrs["name"] in names for node in ir.walk(made, _with_bodies)):
        raise Refused("a program that reads inside of a body what another has other data for under the same name is not translated")
    return made


def _with_bodies(node: Node) -> list[Node]:
    return [*ir.inputs(node), *(body.result for body in node.bodies)]


def _generated(building: Building, node: PlanNode, filtered: bool) -> Node:
    """Rows that a user's generator makes when the program runs."""
    source, columns = node.parameters["source"], dict(node.schema)
    wanted, n_rows = node.parameters["with_columns"], node.parameters["n_rows"]
    if filtered:
        # Polars hands it the predicate, and takes whatever comes.
        raise Refused("a scan of rows that a function of Python makes and filters is not translated")

    def read() -> pl.DataFrame:
        frames = list(source(None if wanted is None else list(wanted), None, n_rows, None))
        return pl.concat(frames).select(list(columns)) if frames else pl.DataFrame(schema=columns)

    building.read_by_polars.append(Refusal("PythonScan", "a function of Python makes the rows, and the engine reads them"))
    return ir.source(building.source(Deferred(read, columns)), dtypes.relation(columns))


def names_of_programs(plan: Iterable[PlanNode]) -> frozenset[str]:
    """The names of sources of all programs that nodes of a plan read."""
    found = (node.parameters.get("source") for node in plan if node.name == "PythonScan")
    return frozenset(name for program in found if isinstance(program, Program) for name in program.sources)


#: More files than these are not put together one by one.
_FILES = 256


def _added(node: PlanNode) -> dict[str, pl.Series]:
    """Columns that have one value for each file: parts of its path, or all of it."""
    given = node.parameters
    made: dict[str, pl.Series] = {}
    if given["hive_parts"] is not None:
        frame = given["hive_parts"]
        made.update({name: frame.get_column(name) for name in frame.columns if name in node.schema})
    elif given.get("hive_options") is not None and given["hive_options"].get("enabled") and any("=" in part for path in given["paths"] for part in PurePath(path).parts[:-1]):
        raise Refused("a scan with `hive_partitioning` of which Polars tells no parts is not translated")
    if given["include_file_paths"] is not None and given["include_file_paths"] in node.schema:
        made[given["include_file_paths"]] = pl.Series(given["paths"], dtype=pl.String)
    for name, column in made.items():
        if column.len() != len(given["paths"]) or column.dtype != node.schema[name] or not dtypes.is_of(column.dtype, *dtypes.INTEGERS, pl.String, pl.Boolean, pl.Date, pl.Float64):
            raise Refused(f"a column of paths of dtype {column.dtype} is not translated (column {name!r})")
    return made


def _parts(building: Building, node: PlanNode, wanted: Sequence[str], added: Mapping[str, pl.Series]) -> Node:
    """File after file, each with its values."""
    paths = _local(node.parameters["paths"])
    if not 0 < len(paths) <= _FILES or not wanted:
        raise Refused(f"a scan of {len(paths)} files with columns of paths, and {len(wanted)} others, is not translated")
    schema = {name: node.schema[name] for name in [*wanted, *added] if name in node.schema}
    made = []
    for at, path in enumerate(paths):
        values = {name: literal(column[at], column.dtype) for name, column in added.items()}
        relation = rows.extend(_parquet(building, node, wanted, [path]), values, building.names)
        made.append(uniform(rows.pick(relation, list(schema)), schema))
    return made[0] if len(made) == 1 else ir.concat(*made)


def _parquet(building: Building, node: PlanNode, wanted: Sequence[str], paths: Sequence[str]) -> Node:
    try:
        stored = scan_parquet(list(paths))
    except Error as error:
        raise Refused(f"the Parquet files are left to Polars: {type(error).__name__}") from error
    kinds = stored.type.fields
    missing = [name for name in wanted if name not in kinds]
    if missing:
        raise Refused(f"the Parquet files have no column {missing[0]!r}")
    for name in wanted:
        if name in node.schema and kinds[name].required != dtypes.type_of(node.schema[name]):
            raise Refused(f"a Parquet column of dtype {node.schema[name]} is read as `{kinds[name].required}` by the engine (column {name!r})")
    return ir.source(building.source(stored), stored.type)


def _local(paths: Sequence[str]) -> list[str]:
    """Paths of files on this machine."""
    plain = [path.removeprefix("file://") if path.startswith("file:///") and "%" not in path else path for path in paths]
    if any("://" in path for path in plain):
        raise Refused("a scan of files that are not on this machine is not translated")
    return plain


def _read_by_polars(building: Building, node: PlanNode, kind: str, wanted: Sequence[str], paths: Sequence[str]) -> Node:
    """Text is read by Polars, whose rules for numbers, quotes and nulls are its own; its frame is a source."""
    if any(name not in node.schema for name in wanted):
        raise Refused(f"a scan of kind {value_text(kind)} of a column that it does not show is not translated")
    lazy = lazy_text(kind, json.loads(node.parameters["scan_type"][1]), paths)
    columns = {name: node.schema[name] for name in wanted}
    building.read_by_polars.append(Refusal("Scan", f"text of kind {kind} is read by Polars, and its frame by the engine"))
    if not columns:
        # Of columns that nobody reads the rows are left, to be counted.
        return _counted(building, lazy)
    return ir.source(building.source(Deferred(lambda: lazy.select(list(wanted)).collect(engine="streaming"), columns)), dtypes.relation(columns))


def _counted(building: Building, lazy: pl.LazyFrame) -> Node:
    """As many rows as a frame has, with a column of our own."""
    columns: dict[str, pl.DataType] = {f"{rows.PREFIX}row": pl.Boolean()}
    read = Deferred(lambda: lazy.select(pl.repeat(True, pl.len()).alias(f"{rows.PREFIX}row")).collect(engine="streaming"), columns)
    return ir.source(building.source(read), dtypes.relation(columns))


def counted_text(building: Building, node: PlanNode) -> Node:
    """How many rows files of text have, where Polars counts them without reading more."""
    paths, scan, name = node.parameters["parameters"]
    if scan[0] not in ("csv", "ndjson") or list(node.schema) != [name]:
        raise Refused(f"the number of rows of files of kind {value_text(scan[0])} is not translated")
    options = json.loads(scan[1])
    if options.get("n_rows") is not None:
        raise Refused("the number of the first rows of files is not translated")
    lazy = lazy_text(scan[0], options, _local(paths))
    columns = dict(node.schema)
    building.read_by_polars.append(Refusal("MapFunction", f"rows of text of kind {scan[0]} are counted by Polars"))
    read = Deferred(lambda: lazy.select(pl.len().alias(name)).collect(engine="streaming"), columns)
    return ir.source(building.source(read), dtypes.relation(columns))


@dataclass(frozen=True)
class InMemory:
    """Columns of a frame in memory, which are handed to the engine when the program runs."""

    frame: pl.DataFrame
    names: tuple[str, ...]

    def table(self) -> Table:
        """Its rows, as the engine takes them."""
        return frame_to_table(self.frame, self.names)


class Sources(Mapping[str, Any]):
    """The data of a program, by the names of its sources. What is handed over or read for it is so when it is asked for."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    def __getitem__(self, name: str) -> Any:
        data = self._given[name]
        return data.table() if isinstance(data, (InMemory, Deferred)) else data

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


@dataclass(frozen=True)
class Deferred:
    """A frame that Polars makes when the program runs."""

    read: Callable[[], pl.DataFrame]
    schema: dict[str, pl.DataType]

    def table(self) -> Table:
        """Its rows, which are read now."""
        try:
            frame = self.read()
        except pl.exceptions.PolarsError as error:
            # Polars runs the query anew, and the error is its own.
            raise ProgramError(f"Polars could not read it: {error}") from error
        if dict(frame.schema) != self.schema:
            raise ProgramError(f"Polars read a frame with the schema {dict(frame.schema)}, expected {self.schema}")
        return frame_to_table(frame)
