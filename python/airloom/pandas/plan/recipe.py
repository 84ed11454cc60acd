"""How pandas makes what was planned, should the engine fail when it computes it: the operation, and what it was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Snapshot:
    """A frame or a series as it was when an operation was given it: its plan, or the data that it had."""

    __slots__ = ("manager", "name", "plan")

    def __init__(self, plan: Any, manager: Any = None, name: Any = None) -> None:
        self.plan = plan
        self.manager = manager
        self.name = name


class Recipe:
    """An operation as pandas does it: its own method, which is called with an object and with arguments in which snapshots stand for frames and series.

    With `changes` the method writes to the object, which is the result itself. `record` has what functions of the
    user's came to, which are not called again.
    """

    __slots__ = ("args", "base", "changes", "kwargs", "label", "record", "value")

    def __init__(
        self,
        label: str,
        base: Callable[..., Any],
        value: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        *,
        changes: bool = False,
        record: Any = None,
    ) -> None:
        self.label = label
        self.base = base
        self.value = value
        self.args = args
        self.kwargs = kwargs or {}
        self.changes = changes
        self.record = record


def column_at(frame: Any, position: int) -> Any:
    """One column of a frame, by pandas."""
    return frame.iloc[:, position]
