"""Joins: which rows meet, and which columns come out under which names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes, rows
from airloom.polars.expressions.logic import COMPARISONS
from airloom.polars.nodes.asof import asof_join
from airloom.polars.nodes.order import sliced
from airloom.polars.nodes.registry import Building, plan_node
from airloom.polars.reading import Expression, PlanNode
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, emit

_HOWS = {"Inner": "inner", "Left": "left", "Right": "right", "Full": "outer", "Semi": "semi", "Anti": "anti", "Cross": "cross", "IEJoin": "inner"}

#: What the names of fields of the right side begin with while both sides are one row.
_RIGHT = f"{rows.PREFIX}right:"
#: What the names of keys begin with that were no keys in the query.
_MOVED = "__POLARS_JOIN_KEY_"


@plan_node("Join")
def _join(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    how, details = node.parameters["how"], node.parameters["details"]
    if how == "AsOf":
        return asof_join(building, node, inputs)
    if how not in _HOWS:
        raise Refused(f"a join of kind {value_text(how)} is not translated")
    if how == "IEJoin":
        node = _without_physical(node)
    left_keys = building.listed(node, "left_on")
    right_keys = building.listed(node, "right_on")
    predicate = building.value(node, "predicate")
    for one, other in zip(left_keys, right_keys, strict=True):
        decimals = how == "IEJoin" and isinstance(one.dtype, pl.Decimal) and isinstance(other.dtype, pl.Decimal)
        if (one.dtype != other.dtype and not decimals) or not (dtypes.is_of(one.dtype, *dtypes.SORTED) if how == "IEJoin" else dtypes.is_equated(one.dtype)):
            raise Refused(f"a join of keys of dtypes {one.dtype} and {other.dtype} is not translated")
        if one.single or other.single:
            raise Refused("a join by a key that is the same for all rows is not translated")
    if how in ("Semi", "Anti", "Left", "Right", "Full") and (details or predicate is not None):
        raise Refused(f"a join of kind {value_text(how)} with a predicate is not translated")
    # Where no name is on both sides, the rows of both stand beside each other as they are.
    apart = not set(node.inputs[0].schema) & set(node.inputs[1].schema)
    prefix = "" if apart else _RIGHT
    outputs = _outputs(node, prefix)
    left, left_placed = rows.add_folds(inputs[0], left_keys, building.names)
    right, right_placed = rows.add_folds(inputs[1], right_keys, building.names)
    right_on = {f"{_RIGHT}{rows.PREFIX}{at}": key for at, key in enumerate(right_keys)}
    if not apart:
        right_names = {f"{_RIGHT}{name}": Value(dtype, False, column=name) for name, dtype in node.inputs[1].schema.items()}
        named = {**right_names, **right_on}
        right = ir.project(right, lambda row: dict(zip(named, emit(named.values(), row, right_placed), strict=True)))

    def left_body(row: Node) -> dict[str, Node]:
        return {f"k{at}": made for at, made in enumerate(emit(left_keys, row, left_placed))}

    def right_body(row: Node) -> dict[str, Node]:
        if apart:
            return {f"k{at}": made for at, made in enumerate(emit(right_keys, row, right_placed))}
        return {f"k{at}": ir.get(row, name) for at, name in enumerate(right_on)}

    keyed = how not in ("Cross", "IEJoin")
    made = ir.join(
        left,
        right,
        left_body if keyed else lambda row: {},
        right_body if keyed else lambda row: {},
        _inequality(details, left_body, right_body) if how == "IEJoin" else lambda left, right: ir.const(True),
        how=_HOWS[how],  # type: ignore[arg-type]
        nulls="equal" if node.parameters["nulls_equal"] else "never",
        major="right" if node.parameters["maintain_order"] in ("right", "right_left") else "left",
    )
    coalesces = how == "Full" and node.parameters["coalesce"]
    if not apart or coalesces:
        made = ir.project(made, lambda row: {name: make(row) for name, make in outputs.items()})
    elif left is not inputs[0] or right is not inputs[1] or list(outputs) != [*node.inputs[0].schema, *node.inputs[1].schema]:
        made = ir.project(made, lambda row: ir.pick(row, list(outputs)))
    if predicate is not None:
        made = rows.keep(made, predicate, building.names)
    return sliced(made, node.parameters["slice"])


def _without_physical(node: PlanNode) -> PlanNode:
    """The join with its decimal keys as they are. Polars compares their integers, brought to one scale; decimals are ordered as these are."""
    pairs = zip(node.expressions["left_on"], node.expressions["right_on"], strict=True)
    left_on, right_on = [], []
    for left, right in pairs:
        one, other = _decimal_key(left[1]), _decimal_key(right[1])
        same_scale = one is not None and other is not None and one[1] == other[1]
        left_on.append((left[0], one[0]) if one is not None and same_scale else left)
        right_on.append((right[0], other[0]) if other is not None and same_scale else right)
    return replace(node, expressions={**node.expressions, "left_on": tuple(left_on), "right_on": tuple(right_on)})


def _decimal_key(one: Expression) -> tuple[Expression, int] | None:
    """The decimal whose integer a key is, and the scale to which that is brought: it is clipped where it would not fit, and then times a power of ten."""
    scale = 0
    if one.name == "binary.Multiply" and one.arguments[0].name == "function.clip" and one.arguments[1].name == "literal":
        clipped, factor = one.arguments[0], one.arguments[1].parameters[0]
        scale = len(str(factor)) - 1
        bounds = [bound.parameters[0] for bound in clipped.arguments[1:] if bound.name == "literal"]
        if factor != 10**scale or bounds != [-(10 ** (38 - scale)), 10 ** (38 - scale)]:
            return None
        one = clipped.arguments[0]
    if one.name != "function.to_physical" or not isinstance(one.arguments[0].dtype, pl.Decimal):
        return None
    return one.arguments[0], scale + one.arguments[0].dtype.scale


def _inequality(operators: Sequence[str | None], left_body: Callable[[Node], dict[str, Node]], right_body: Callable[[Node], dict[str, Node]]) -> Callable[[Node, Node], Node]:
    """Whether all inequalities hold between a row of the left and one of the right."""
    words = [word for word in operators if word is not None]
    if any(f"binary.{word}" not in COMPARISONS for word in words):
        raise Refused(f"an inequality join by {', '.join(words)} is not translated")

    def holds(left: Node, right: Node) -> Node:
        pairs = zip(words, left_body(left).values(), right_body(right).values(), strict=True)
        found = [COMPARISONS[f"binary.{word}"](*_one_scale(one, other)) for word, one, other in pairs]
        return found[0] if len(found) == 1 else ir.and_(*found)

    return holds


def _one_scale(left: Node, right: Node) -> tuple[Node, Node]:
    """Two keys; decimals of different scales in the wider one."""
    digits = left.type.required.digits, right.type.required.digits
    if digits[0] is None or digits[1] is None or digits[0] == digits[1]:
        return left, right
    kind = ir.decimal(38, max(digits[0][1], digits[1][1]))
    return ir.cast(left, kind), ir.cast(right, kind)


def _outputs(node: PlanNode, prefix: str) -> dict[str, Callable[[Node], Node]]:
    """How each column of the result is made of a row of both sides; fields of the right begin with a prefix."""
    how, coalesce, suffix = node.parameters["how"], node.parameters["coalesce"], node.parameters["suffix"]
    left, right = (list(one.schema) for one in node.inputs)
    if how in ("Semi", "Anti"):
        return {name: _field(name) for name in left}
    # Equalities that Polars moves from a filter into the join are keys under names of its own: they take no column out of the result.
    pairs = [pair for pair in zip(node.expressions["left_on"], node.expressions["right_on"], strict=True) if not any(name.startswith(_MOVED) for name, _ in pair)]
    left_on = [_key_column(one) for (_, one), _ in pairs]
    right_on = [_key_column(one) for _, (_, one) in pairs]
    if coalesce and how != "IEJoin" and (None in left_on or None in right_on):
        raise Refused("a join with `coalesce` by keys that are computed is not translated")
    gone_left = set(left_on) if coalesce and how == "Right" else set()
    gone_right = set(right_on) if coalesce and how in ("Inner", "Left", "Full") else set()
    made: dict[str, Callable[[Node], Node]] = {}
    for name in left:
        if name not in gone_left:
            made[name] = _field(name)
    if coalesce and how == "Full":
        for one, other in zip(left_on, right_on, strict=True):
            assert one is not None and other is not None
            made[one] = _either(one, f"{prefix}{other}")
    for name in right:
        if name not in gone_right:
            made[f"{name}{suffix}" if name in made else name] = _field(f"{prefix}{name}")
    if list(made) != list(node.schema):
        raise Refused(f"a join whose result has the columns {', '.join(node.schema)} is not translated")
    return made


def _key_column(one: Expression) -> str | None:
    """The column that a key is, or that was cast so that both keys have one dtype: it is left out of the result, or stays as it was."""
    plain = one.arguments[0] if one.name == "cast" else one
    return plain.parameters[0] if plain.name == "column" else None


def _field(name: str) -> Callable[[Node], Node]:
    return lambda row: ir.get(row, name)


def _either(left: str, right: str) -> Callable[[Node], Node]:
    return lambda row: ir.coalesce(ir.get(row, left), ir.get(row, right))
