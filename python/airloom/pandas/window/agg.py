"""Several results of windows side by side: `agg` by names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas

from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.registry import OPERATIONS, BaseSeries, operation
from airloom.pandas.groupby.grouping import Grouping
from airloom.pandas.groupby.transform_rows import partition_of
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.refusals import Refused
from airloom.pandas.window.ewm import Decaying
from airloom.pandas.window.rolling import by_group, stepped

#: Of a column, by its position, and a name: the column of results.
One = Callable[[int, str], Column]


@operation("Rolling.agg", "Rolling.aggregate", "Decaying.agg", "Decaying.aggregate")
def agg(windows: Any, func: Any = None, *args: Any, **kwargs: Any) -> Any:
    operations = OPERATIONS["Decaying" if isinstance(windows, Decaying) else "Rolling"]
    if callable(func) and "apply" in operations:
        return operations["apply"](windows, func, args=args, kwargs=kwargs)
    if args or kwargs:
        raise Refused("arguments of an aggregate")
    if not isinstance(func, (list, dict)):
        return operations[_name(func, operations)](windows)
    if not func or windows.on is not None:
        raise Refused("no aggregates, or `on`")
    plan = windows.plan
    grouped = isinstance(plan, Grouping)
    frame = plan.frame if grouped else plan.framed(plan.name) if isinstance(plan, Vector) else plan
    positions = plan.positions if grouped else list(range(len(frame.columns)))
    whole, partition = windows.whole(), partition_of(plan) if grouped else ()

    def one(position: int, name: str) -> Column:
        return operations[name](whole.over(frame.vector(position), partition)).column

    if isinstance(plan, Vector) or (grouped and plan.vector):
        columns, labels = _of_vector(positions[0], func, operations, one)
    else:
        columns, labels = _of_frame(frame.labels.take(positions), positions, func, operations, one)
    if grouped:
        return by_group(plan, columns, labels)
    return stepped(Frame(frame.rows, columns, labels, frame.index), windows.step)


def _name(func: Any, operations: dict[str, Any]) -> str:
    if not isinstance(func, str) or func not in operations or func in ("agg", "aggregate", "apply", "corr", "cov", "quantile"):
        raise Refused(f"the aggregate `{func if isinstance(func, str) else getattr(func, '__name__', type(func).__name__)}`")
    return func


def _of_vector(position: int, func: Any, operations: dict[str, Any], one: One) -> tuple[list[Column], pandas.Index]:
    """The results of one column, by their names."""
    if not isinstance(func, list):
        raise Refused("aggregates by column of a Series")
    if len(set(func)) != len(func):
        raise Refused("duplicate aggregates")
    return [one(position, _name(item, operations)) for item in func], ask_pandas(lambda: _beside(func).columns)


def _of_frame(labels: pandas.Index, positions: Sequence[int], func: Any, operations: dict[str, Any], one: One) -> tuple[list[Column], pandas.Index]:
    """The results of each column, or of those that are named."""
    if isinstance(func, list):
        wanted, keys = [(position, func) for position in positions], labels
    else:
        if not labels.is_unique or not all(isinstance(label, str) and label in labels for label in func):
            raise Refused("aggregates by labels that are not columns, or duplicate column labels")
        wanted = [(positions[labels.get_loc(label)], how) for label, how in func.items()]
        keys = pandas.Index(list(func)).set_names(labels.names)
    several = any(isinstance(how, list) for _, how in wanted)
    if not several:
        return [one(position, _name(how, operations)) for position, how in wanted], keys
    parts = [(position, how if isinstance(how, list) else [how]) for position, how in wanted]
    if any(len(set(how)) != len(how) for _, how in parts):
        raise Refused("duplicate aggregates")
    made = [one(position, _name(item, operations)) for position, how in parts for item in how]
    return made, ask_pandas(lambda: pandas.concat([_beside(how) for _, how in parts], axis=1, keys=keys, sort=False).columns)


def _beside(func: Sequence[Any]) -> Any:
    """What pandas makes of results of one column side by side: a model of one row."""
    return pandas.concat([adopted(BaseSeries([0.0])) for _ in func], axis=1, keys=func, sort=False)
