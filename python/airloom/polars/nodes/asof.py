"""As-of joins: each row of the left meets the nearest row of the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes, rows
from airloom.polars.failing import fail_where
from airloom.polars.nodes.order import sliced
from airloom.polars.nodes.registry import Building
from airloom.polars.reading import AsOf, PlanNode
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Over, Value, column, emit, folded, rowwise

#: What names of fields of the right side begin with while both sides are one row.
_RIGHT = f"{rows.PREFIX}right:"
#: And those of rows after it, where the nearest is looked for on both sides.
_LATER = f"{rows.PREFIX}later:"
_ON = f"{rows.PREFIX}on"


def asof_join(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    """The relation of an as-of join."""
    asof: AsOf = node.parameters["asof"]
    if asof.strategy not in ("backward", "forward", "nearest"):
        raise Refused(f"`join_asof` with `strategy` {value_text(asof.strategy)} is not translated")
    (left_on,), (right_on,) = building.listed(node, "left_on"), building.listed(node, "right_on")
    if left_on.dtype != right_on.dtype or not dtypes.is_of(left_on.dtype, *dtypes.INTEGERS, pl.Float64, pl.Date, pl.Datetime, pl.Duration):
        raise Refused(f"`join_asof` of keys of dtypes {left_on.dtype} and {right_on.dtype} is not translated")
    if left_on.single or right_on.single:
        raise Refused("`join_asof` by a key that is the same for all rows is not translated")
    left_by, right_by = ([column(name, below.schema[name]) for name in names] for names, below in zip((asof.left_by, asof.right_by), node.inputs, strict=True))
    for one, other in zip(left_by, right_by, strict=True):
        if one.dtype != other.dtype or not dtypes.is_of(one.dtype, *dtypes.EQUATED):
            raise Refused(f"`join_asof` with `by` of dtypes {one.dtype} and {other.dtype} is not translated")
    outputs = _outputs(node, asof)
    left = _side(building, node.inputs[0], inputs[0], left_on, left_by, "")
    right = _side(building, node.inputs[1], inputs[1], right_on, right_by, _RIGHT)
    if right_by:
        # A null equals no other here.
        right = ir.filter(right, lambda row: _known([ir.get(row, f"{_RIGHT}{name}") for name in asof.right_by]))
    tolerance = _tolerance(asof, left_on.dtype, dtypes.type_of(left_on.dtype))
    if asof.strategy == "nearest":
        made = _nearest(asof, left, right, tolerance)
    else:
        made = _one_way(asof, left, right, tolerance, _RIGHT, asof.strategy)
    made = ir.project(made, lambda row: {name: make(row) for name, make in outputs.items()})
    return sliced(made, node.parameters["slice"])


def _one_way(asof: AsOf, left: Node, right: Node, tolerance: Node, prefix: str, direction: str) -> Node:
    """Each row of the left with the nearest of the right that is before it, or after it; fields of the right begin with a prefix."""
    return ir.asof(
        left,
        right,
        tolerance,
        lambda row: ir.get(row, _ON),
        lambda row: ir.get(row, f"{prefix}{_ON}"),
        lambda row: {f"k{at}": ir.get(row, name) for at, name in enumerate(asof.left_by)},
        lambda row: {f"k{at}": ir.get(row, f"{prefix}{name}") for at, name in enumerate(asof.right_by)},
        direction=direction,  # type: ignore[arg-type]
        exact=asof.exact,
    )


def _nearest(asof: AsOf, left: Node, right: Node, tolerance: Node) -> Node:
    """Each row of the left with the nearest of the right: of two that are equally near the later, and of several with one key the last."""
    by = [f"{_RIGHT}{name}" for name in (*asof.right_by, _ON)]
    last = ir.distinct(right, lambda row: {name: ir.get(row, name) for name in by}, keep="last")
    names = list(last.type.fields)
    later = {name: f"{_LATER}{name.removeprefix(_RIGHT)}" for name in names}
    renamed = ir.project(last, lambda row: {later[name]: ir.get(row, name) for name in names})
    made = _one_way(asof, _one_way(asof, left, last, tolerance, _RIGHT, "backward"), renamed, tolerance, _LATER, "forward")
    own = list(left.type.fields)

    def row_of(row: Node) -> dict[str, Node]:
        here, before, after = (_number(ir.get(row, name)) for name in (_ON, f"{_RIGHT}{_ON}", f"{_LATER}{_ON}"))
        nearer = ir.le(_apart(after, here), _apart(here, before))
        chosen = ir.and_(ir.not_(ir.is_null(after)), ir.or_(ir.is_null(before), ir.is_true(nearer)))
        return {**{name: ir.get(row, name) for name in own}, **{name: ir.select(chosen, ir.get(row, later[name]), ir.get(row, name)) for name in names}}

    return ir.project(made, row_of)


def _number(node: Node) -> Node:
    return node if node.type.required in (ir.i64, ir.f64) else ir.cast(node, ir.i64)


def _apart(later: Node, earlier: Node) -> Node:
    return ir.sub(later, earlier) if later.type.required == ir.f64 else ir.sub(later, earlier, overflow="raise")


def _side(building: Building, below: PlanNode, relation: Node, on: Value, by: Sequence[Value], prefix: str) -> Node:
    """A side with its key, which must be in order among the rows that are equal in `by`: where it is not, Polars raises, or answers as it likes."""
    over = Over(tuple(by))
    before = folded(on.dtype, over, lambda array: ir.shift(array, 1, ir.null(dtypes.type_of(on.dtype))), on, reduces=False)

    def misplaced(now: Node, last: Node) -> Node:
        falls = ir.or_(ir.is_null(now), ir.is_true(ir.lt(now, last)))
        return ir.or_(falls, ir.is_true(ir.is_nan(now))) if on.dtype == pl.Float64 else falls

    wrong = rowwise(pl.Boolean(), misplaced, on, before)
    key = rowwise(on.dtype, lambda misplaced, node: fail_where(misplaced, node, "a key of `join_asof` that is null, NaN or out of order"), wrong, on)
    values = {**{f"{prefix}{name}": column(name, dtype) for name, dtype in below.schema.items()}, f"{prefix}{_ON}": key}
    relation, placed = rows.add_folds(relation, list(values.values()), building.names)
    return ir.project(relation, lambda row: dict(zip(values, emit(values.values(), row, placed), strict=True)))


def _known(keys: Sequence[Node]) -> Node:
    """Whether no key is null."""
    made = ir.not_(ir.is_null(keys[0]))
    for key in keys[1:]:
        made = ir.and_(made, ir.not_(ir.is_null(key)))
    return made


def _tolerance(asof: AsOf, dtype: pl.DataType, kind: ir.Type) -> Node:
    """How far apart two keys may be."""
    given: Any = asof.tolerance
    if isinstance(dtype, pl.Datetime):
        length = ir.duration(dtype.time_unit)
    elif isinstance(dtype, pl.Duration):
        length = kind
    elif isinstance(dtype, pl.Date):
        length = ir.i64
        if given is not None:
            raise Refused(f"`join_asof` of dates with a `tolerance` {value_text(asof.tolerance_text)} is not translated")
    else:
        length = kind
    if given is None:
        return ir.null(length)
    if isinstance(dtype, pl.Float64):
        if type(given) not in (int, float) or not 0 <= given < float("inf"):
            raise Refused(f"`join_asof` with a `tolerance` {value_text(given)} is not translated")
        return ir.const(float(given))
    if type(given) is not int or given < 0 or (asof.tolerance_text is not None and any(unit in asof.tolerance_text for unit in ("mo", "q", "y"))):
        raise Refused(f"`join_asof` with a `tolerance` {value_text(asof.tolerance_text or given)} is not translated")
    return ir.const(given, length) if length == kind and not isinstance(dtype, pl.Duration) else ir.cast(ir.const(given, ir.i64), length)


def _outputs(node: PlanNode, asof: AsOf) -> dict[str, Callable[[Node], Node]]:
    """How each column of the result is made of a row of both sides."""
    left, right = (list(one.schema) for one in node.inputs)
    key = node.expressions["right_on"][0][1]
    gone = set(asof.right_by)
    if node.parameters["coalesce"] and key.name == "column":
        gone.add(key.parameters[0])
    made: dict[str, Callable[[Node], Node]] = {name: _field(name) for name in left}
    for name in right:
        if name not in gone:
            made[f"{name}{node.parameters['suffix']}" if name in made else name] = _field(f"{_RIGHT}{name}")
    if list(made) != list(node.schema):
        raise Refused(f"`join_asof` whose result has the columns {', '.join(node.schema)} is not translated")
    return made


def _field(name: str) -> Callable[[Node], Node]:
    return lambda row: ir.get(row, name)
