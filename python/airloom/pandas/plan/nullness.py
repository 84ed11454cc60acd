"""Whether values can be missing at all, as far as that is known without computing them."""

from __future__ import annotations

from airloom.pandas.plan.expression import Call, Expression, Literal, Ref, Slot
from airloom.pandas.plan.rows import DataSlot, Extended, Grouped, Joined, Looked, PositionSlot, Rows, Stacked, StoredRows

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


def may_be_null(rows: Rows, expression: Expression) -> bool:
    """Whether an expression over rows may be null for any of them. It errs on the side of yes."""
    if isinstance(expression, Literal):
        return expression.value is None
    if isinstance(expression, Ref):
        return _slot(rows, expression.slot)
    if not isinstance(expression, Call):
        return True
    if expression.op in _NEVER:
        return False
    if expression.op == "coalesce":
        return all(may_be_null(rows, argument) for argument in expression.arguments)
    strict = expression.op in _STRICT or (expression.op == "cast" and expression.attributes.get("mode", "strict") != "lenient")
    if strict or expression.op == "select":
        return any(may_be_null(rows, argument) for argument in expression.arguments)
    return True


def _slot(rows: Rows, slot: Slot) -> bool:
    if isinstance(slot, PositionSlot):
        return False
    if isinstance(slot, DataSlot):
        return slot.type.nullable and slot.column.null_count > 0
    node: Rows | None = rows
    while node is not None and not node.makes(slot):
        node = node.passes
    if isinstance(node, StoredRows):
        return node.columns[slot][1].nullable
    if isinstance(node, Extended):
        return may_be_null(node.input, node.columns[slot])
    if isinstance(node, Looked):
        return slot is not node.found
    if isinstance(node, Joined):
        weak_left, weak_right = node.how in ("right", "outer"), node.how in ("left", "outer")
        if slot in node.left_columns:
            return weak_left or may_be_null(node.left, node.left_columns[slot])
        return weak_right or may_be_null(node.right, node.right_columns[slot])
    if isinstance(node, Grouped) and slot in node.keys:
        return may_be_null(node.input, node.keys[slot])
    if isinstance(node, Stacked):
        return any(may_be_null(below, columns[slot]) for below, columns in node.parts)
    return True
