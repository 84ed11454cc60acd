"""Whether a plan can be computed: all that it reads can be seen in its rows."""

from __future__ import annotations

from typing import Any

from airloom.pandas.plan.expression import Slot, slots_of
from airloom.pandas.plan.frame import ColumnLabels, Vector
from airloom.pandas.plan.rows import maker_of


def unseen(plan: Any) -> list[Slot]:
    """The slots that a plan reads and its rows do not have: a mistake of whoever made it, which would be seen only by who looks at the result."""
    columns = [plan.column] if isinstance(plan, Vector) else plan.columns
    read = slots_of(column.expression for column in columns)
    labels: frozenset[Slot] = frozenset()
    earlier: list[Slot] = []
    if isinstance(plan.index, ColumnLabels) and plan.index.made is None:
        asked = [plan.index.origin[1]] if plan.index.origin is not None else [key.expression for key in plan.index.columns]
        labels = slots_of(asked)
        # Where pandas looked whether they are evenly spaced, labels are computed too.
        counting = labels if plan.index.counting is None else slots_of([asked[plan.index.counting]])
        earlier = [slot for one in plan.index.ranged for slot in counting if maker_of(one, slot) is None]
    return [slot for slot in read | labels if maker_of(plan.rows, slot) is None] + earlier
