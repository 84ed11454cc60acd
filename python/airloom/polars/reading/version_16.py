"""Plans of version 16, which Polars 2.1 makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
from polars.exceptions import PanicException

from airloom.polars.reading.plan import HIDDEN, AsOf, Dynamic, Expression, PlanNode, Rolling, Span
from airloom.polars.refusals import Refused

#: What a function is of, by the class of the first item of its data; functions without a class have a name.
_FAMILIES = {
    "StringFunction": "string",
    "BooleanFunction": "boolean",
    "TemporalFunction": "temporal",
    "StructFunction": "struct",
    "ListFunction": "list",
    "ArrayFunction": "array",
    "BitwiseFunction": "bitwise",
    "RollingFunction": "rolling",
    "RollingFunctionBy": "rolling_by",
    "RangeFunction": "range",
    "EwmFunction": "ewm",
}

#: Words that Polars gives to several functions, told apart by how many items their data has.
_SEVERAL = {("arg_max", 3): "function.arg_sort"}

#: Scalars and tables that Polars gives for a literal, as it names them.
_SERIES = "PySeries"


def read(traverser: Any) -> PlanNode:
    """The plan that a traverser stands at."""
    root = traverser.get_node()
    made: dict[int, PlanNode] = {}
    stack: list[tuple[int, list[int] | None]] = [(root, None)]
    while stack:
        number, below = stack.pop()
        if number in made:
            continue
        if below is None:
            traverser.set_node(number)
            below = traverser.get_inputs()
            stack.append((number, below))
            stack.extend((child, None) for child in reversed(below))
            continue
        made[number] = _node(traverser, number, tuple(made[child] for child in below))
    traverser.set_node(root)
    return made[root]


def _node(traverser: Any, number: int, inputs: tuple[PlanNode, ...]) -> PlanNode:
    traverser.set_node(number)
    try:
        schema = {name: _one_of(dtype) for name, dtype in traverser.get_schema().items()}
        view = traverser.view_current_node()
        name = type(view).__name__
        reader = _READERS.get(name)
        expressions, parameters = reader(_Reader(traverser, number, inputs), view) if reader else ({}, {})
    except (Exception, PanicException) as error:  # Polars raises errors of several kinds for what it does not show; what is laid out otherwise than here is not read either.
        return PlanNode(number, HIDDEN, inputs, {}, parameters={"reason": str(error)})
    return PlanNode(number, name, inputs, schema, expressions, parameters)


#: Polars makes a dtype anew each time it is asked. Here those without parameters are one object each: comparing two objects is dear.
_PLAIN = (pl.Boolean, pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Float32, pl.Float64, pl.String, pl.Binary, pl.Date, pl.Time)
_DTYPES: dict[type, pl.DataType] = {dtype: dtype() for dtype in _PLAIN}


def _one_of(dtype: pl.DataType) -> pl.DataType:
    return _DTYPES.get(type(dtype), dtype)


_Read = tuple[dict[str, tuple[tuple[str, Expression], ...]], dict[str, Any]]


class _Reader:
    """Reads the expressions of one node. Polars tells the dtype of an expression by the columns of the node that the traverser stands at."""

    def __init__(self, traverser: Any, number: int, inputs: Sequence[PlanNode]) -> None:
        self.traverser = traverser
        self.number = number
        self.inputs = [node.number for node in inputs]

    def over(self, at: int | None, given: Sequence[Any]) -> tuple[tuple[str, Expression], ...]:
        """Expressions over the columns of an input, by its position, or over the node's own where there is none."""
        self.traverser.set_node(self.number if at is None else self.inputs[at])
        return tuple((one.output_name, _expression(self.traverser, one.node)) for one in given)


def _expression(traverser: Any, root: int) -> Expression:
    first = _parts(traverser, root)
    if not first[1]:
        # Most expressions of a plan are columns.
        return Expression(first[0], first[3], (), first[2])
    made: dict[int, Expression] = {}
    stack: list[tuple[int, Any]] = [(root, first), *((child, None) for child in reversed(first[1]))]
    while stack:
        number, parts = stack.pop()
        if number in made:
            continue
        if parts is None:
            parts = _parts(traverser, number)
            stack.append((number, parts))
            stack.extend((child, None) for child in reversed(parts[1]))
            continue
        name, below, parameters, dtype = parts
        made[number] = Expression(name, dtype, tuple(made[child] for child in below), parameters)
    return made[root]


def _parts(traverser: Any, number: int) -> tuple[str, list[int], tuple[Any, ...], pl.DataType]:
    """The name of an expression, the numbers of what it reads, its parameters, and its dtype."""
    try:
        return _shown(traverser.view_expression(number), _one_of(traverser.get_dtype(number)))
    except (Exception, PanicException) as error:  # As for nodes: whatever is raised here, the expression is not shown as it was expected.
        return HIDDEN, [], (str(error),), pl.Null()


def _shown(view: Any, dtype: pl.DataType) -> tuple[str, list[int], tuple[Any, ...], pl.DataType]:
    match type(view).__name__:
        case "Column":
            return "column", [], (view.name,), dtype
        case "Literal" if type(view.value).__name__ == _SERIES:
            return "series", [], (pl.Series._from_pyseries(view.value),), dtype
        case "Literal":
            return "literal", [], (view.value,), view.dtype
        case "Alias":
            return "alias", [view.expr], (), dtype
        case "BinaryExpr":
            return f"binary.{str(view.op).rpartition('.')[2]}", [view.left, view.right], (), dtype
        case "Cast":
            return "cast", [view.expr], (view.options,), dtype
        case "Ternary":
            return "ternary", [view.predicate, view.truthy, view.falsy], (), dtype
        case "Len":
            return "len", [], (), dtype
        case "Agg":
            return f"agg.{view.name}", list(view.arguments), (view.options,), dtype
        case "Filter":
            return "filter", [view.input, view.by], (), dtype
        case "Slice":
            return "slice", [view.input, view.offset, view.length], (), dtype
        case "Sort":
            return "sort", [view.expr], tuple(view.options), dtype
        case "SortBy":
            return "sort_by", [view.expr, *view.by], tuple(view.sort_options), dtype
        case "Gather":
            return "gather", [view.expr, view.idx], (view.scalar,), dtype
        case "Explode":
            return "explode", [view.expr], tuple(view.options), dtype
        case "Rolling":
            return "rolling", [view.function, view.index_column], (Span(*view.period), Span(*view.offset), view.closed_window), dtype
        case "StructEval":
            names = tuple(one.output_name for one in view.evaluation)
            return "structeval", [view.expr, *(one.node for one in view.evaluation)], (names, str(view.variant)), dtype
        case "Window":
            order = [] if view.order_by is None else [view.order_by]
            kind = getattr(view.options, "kind", type(view.options).__name__)
            parameters = (kind, len(view.partition_by), bool(order), view.order_by_descending, view.order_by_nulls_last)
            return "window", [view.function, *view.partition_by, *order], parameters, dtype
        case "Function":
            # A function without parameters may be told as its word alone.
            data = view.function_data if isinstance(view.function_data, tuple) else (view.function_data,)
            family = _FAMILIES.get(type(data[0]).__name__)
            word = str(data[0]).rpartition(".")[2]
            name = f"{family}.{word}" if family else _SEVERAL.get((word, len(data)), f"function.{word}")
            parameters = tuple(data[1:])
            if family in ("rolling_by", "ewm") and isinstance(parameters[0], tuple):
                parameters = (Span(*parameters[0]), *parameters[1:])
            return name, list(view.input), parameters, dtype
        case other:
            return other.lower(), [], (), dtype


def _frame_scan(reader: _Reader, view: Any) -> _Read:
    return {}, {"frame": pl.DataFrame._from_pydf(view.df), "projection": view.projection, "selection": view.selection}


def _scan(reader: _Reader, view: Any) -> _Read:
    options = view.file_options
    predicate = reader.over(None, [view.predicate]) if view.predicate is not None else ()
    parameters = {name: getattr(options, name) for name in dir(options) if not name.startswith("_")}
    parameters.update(paths=list(view.paths), scan_type=view.scan_type, hive_parts=None if view.hive_parts is None else pl.DataFrame._from_pydf(view.hive_parts))
    return {"predicate": predicate}, parameters


def _python_scan(reader: _Reader, view: Any) -> _Read:
    function, with_columns, kind, predicate, n_rows = view.options
    expressions: tuple[tuple[str, Expression], ...] = ()
    if predicate is not None:
        language, number = predicate
        if language != "polars":
            raise Refused(f"the predicate of a scan in the words of `{language}`")
        reader.traverser.set_node(reader.number)
        expressions = (("predicate", _expression(reader.traverser, number)),)
    # What a user's generator is, is known only where it was registered as a source of rows.
    parameters = {"kind": kind, "with_columns": with_columns, "n_rows": n_rows, "source": getattr(function, "io_source", None)}
    return {"predicate": expressions}, parameters


def _select(reader: _Reader, view: Any) -> _Read:
    return {"columns": reader.over(0, view.expr)}, {}


def _hstack(reader: _Reader, view: Any) -> _Read:
    return {"columns": reader.over(0, view.exprs)}, {"broadcast": view.should_broadcast}


def _filter(reader: _Reader, view: Any) -> _Read:
    return {"predicate": reader.over(0, [view.predicate])}, {}


def _group_by(reader: _Reader, view: Any) -> _Read:
    options = view.options
    parameters = {
        "maintain_order": view.maintain_order,
        "slice": options.slice,
        "dynamic": _dynamic(options.dynamic),
        "rolling": _rolling(options.rolling),
        "function": view.apply or None,
    }
    return {"keys": reader.over(0, view.keys), "aggregates": reader.over(0, view.aggs)}, parameters


def _dynamic(view: Any) -> Dynamic | None:
    if view is None:
        return None
    spans = Span(*view.every), Span(*view.period), Span(*view.offset)
    return Dynamic(view.index_column, *spans, view.label, view.include_boundaries, view.closed_window, view.start_by)


def _rolling(view: Any) -> Rolling | None:
    return None if view is None else Rolling(view.index_column, Span(*view.period), Span(*view.offset), view.closed_window)


def _join(reader: _Reader, view: Any) -> _Read:
    how, nulls_equal, slice_, suffix, coalesce, maintain_order = view.options
    predicate = reader.over(None, [view.predicate]) if view.predicate is not None else ()
    expressions = {"left_on": reader.over(0, view.left_on), "right_on": reader.over(1, view.right_on), "predicate": predicate}
    kind, details = (how[0], how[1:]) if isinstance(how, tuple) else (how, ())
    asof = AsOf(details[0], details[1], details[2], tuple(details[3] or ()), tuple(details[4] or ()), details[5]) if kind == "AsOf" else None
    words = () if asof else tuple(item if isinstance(item, (str, type(None))) else str(item).rpartition(".")[2] for item in details)
    parameters = {
        "how": kind,
        "details": words,
        "asof": asof,
        "nulls_equal": nulls_equal,
        "slice": slice_,
        "suffix": suffix,
        "coalesce": coalesce,
        "maintain_order": maintain_order,
    }
    return expressions, parameters


def _sort(reader: _Reader, view: Any) -> _Read:
    maintain_order, nulls_last, descending = view.sort_options
    # The third part of a slice is the number of a dynamic predicate, a hint that the plan holds elsewhere too.
    slice_ = None if view.slice is None else tuple(view.slice[:2])
    return {"by": reader.over(0, view.by_column)}, {
        "maintain_order": maintain_order,
        "nulls_last": list(nulls_last),
        "descending": list(descending),
        "slice": slice_,
    }


def _slice(reader: _Reader, view: Any) -> _Read:
    return {}, {"offset": view.offset, "length": view.len}


def _distinct(reader: _Reader, view: Any) -> _Read:
    keep, subset, maintain_order, slice_ = view.options
    return {}, {"keep": keep, "subset": subset, "maintain_order": maintain_order, "slice": slice_}


def _union(reader: _Reader, view: Any) -> _Read:
    return {}, {"slice": view.slice}


def _hconcat(reader: _Reader, view: Any) -> _Read:
    _parallel, strict, broadcast = view.options
    return {}, {"strict": strict, "broadcast": broadcast}


def _merge_sorted(reader: _Reader, view: Any) -> _Read:
    return {}, {"keys": list(view.key)}


def _map_function(reader: _Reader, view: Any) -> _Read:
    return {}, {"function": view.function[0], "parameters": tuple(view.function[1:])}


def _nothing(reader: _Reader, view: Any) -> _Read:
    return {}, {}


_READERS: dict[str, Callable[[_Reader, Any], _Read]] = {
    "DataFrameScan": _frame_scan,
    "Scan": _scan,
    "PythonScan": _python_scan,
    "Select": _select,
    "HStack": _hstack,
    "Filter": _filter,
    "GroupBy": _group_by,
    "Join": _join,
    "Sort": _sort,
    "Slice": _slice,
    "Distinct": _distinct,
    "Union": _union,
    "HConcat": _hconcat,
    "MapFunction": _map_function,
    "MergeSorted": _merge_sorted,
    "SimpleProjection": _nothing,
    "Cache": _nothing,
}
