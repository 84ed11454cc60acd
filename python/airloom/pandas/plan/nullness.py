"""Whether values can be missing at all, as far as that is known without computing them."""

from __future__ import annotations

from airloom.pandas.plan import walk
from airloom.pandas.plan.expression import Call, Expression, Literal, Ref, Slot
from airloom.pandas.plan.rows import Concatenated, DataSlot, FileScan, Grouped, Joined, LookupJoin, PositionSlot, Projected, Rows, maker_of

#: Ops that give null only for null.
_STRICT = frozenset(
    """add sub mul div neg abs sign floor ceil trunc round sqrt exp log log2 log10 log1p expm1 pow least greatest
    eq ne lt le gt ge and_ or_ xor not_ bitand bitor bitxor bitnot is_nan is_finite is_infinite
    str_len str_case str_is str_strip str_strip_prefix str_strip_suffix str_pad str_zfill str_slice str_find str_find_last str_count str_contains str_starts str_ends
    str_like str_matches str_replace str_replace_regex str_concat str_repeat str_reverse
    dt_part dt_step dt_add dt_since dt_scale dt_to_zone dt_wall dt_date dt_time dt_format""".split()
)
#: Ops that never give null.
_NEVER = frozenset(("is_null", "is_true", "null_to_nan", "same"))


#: An expression over rows.
Part = tuple[Rows, Expression]


def may_be_null(rows: Rows, expression: Expression) -> bool:
    """Whether an expression over rows may be null for any of them. It errs on the side of yes."""
    return bool(walk.fold((rows, expression), _below, _visit, {}))


def _below(part: Part) -> list[Part]:
    """What decides about a part."""
    rows, expression = part
    if isinstance(expression, Ref):
        return made_of(rows, expression.slot)[1]
    if isinstance(expression, Call) and (_is_strict(expression) or expression.op in ("select", "coalesce")):
        return [(rows, argument) for argument in expression.arguments]
    return []


def _visit(part: Part, below: list[bool]) -> bool:
    rows, expression = part
    if isinstance(expression, Literal):
        return expression.value is None
    if isinstance(expression, Ref):
        return made_of(rows, expression.slot)[0] or any(below)
    if not isinstance(expression, Call):
        return True
    if expression.op == "coalesce":
        return all(below)
    return any(below) if _is_strict(expression) or expression.op == "select" else expression.op not in _NEVER


def _is_strict(expression: Call) -> bool:
    return expression.op in _STRICT or (expression.op == "cast" and expression.attributes.get("mode", "strict") != "lenient")


def made_of(rows: Rows, slot: Slot) -> tuple[bool, list[Part]]:
    """Whether a slot may be null whatever it is made of, and what it is made of."""
    if isinstance(slot, PositionSlot):
        return False, []
    if isinstance(slot, DataSlot):
        return slot.type.nullable and slot.column.null_count > 0, []
    node = maker_of(rows, slot)
    if isinstance(node, FileScan):
        if slot in node.columns:
            return node.columns[slot][1].nullable, []
        assert node.kept is not None
        return made_of(node.kept[0], node.kept[1][slot])
    if isinstance(node, Projected):
        return False, [(node.input, node.columns[slot])]
    if isinstance(node, LookupJoin):
        return slot is not node.found, []
    if isinstance(node, Joined):
        weak_left, weak_right = node.how in ("right", "outer"), node.how in ("left", "outer")
        if slot in node.left_columns:
            return weak_left, [(node.left, node.left_columns[slot])]
        return weak_right, [(node.right, node.right_columns[slot])]
    if isinstance(node, Grouped) and slot in node.keys:
        return False, [(node.input, node.keys[slot])]
    if isinstance(node, Concatenated):
        return False, [(below, columns[slot]) for below, columns in node.parts]
    return True, []
