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
    rows = [plan.rows]
    labels: frozenset[Slot] = frozenset()
    if isinstance(plan.index, ColumnLabels) and plan.index.made is None:
        labels = slots_of([plan.index.origin[1]] if plan.index.origin is not None else [key.expression for key in plan.index.columns])
        # Where pandas looked whether they are evenly spaced, labels are computed too.
        rows.extend(plan.index.ranged)
    found = [slot for slot in read | labels if maker_of(plan.rows, slot) is None]
    return found + [slot for one in rows[1:] for slot in labels if maker_of(one, slot) is None]
