"""Margins of tables of groups: pandas puts them in, and the engine makes the groups that they are of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pandas.core.reshape.pivot import _add_margins

from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.choice import within
from airloom.pandas.dispatch.registry import OPERATIONS, BaseSeries
from airloom.pandas.dispatch.wrapping import plain, wrap
from airloom.pandas.indexing.getitem import frame_columns
from airloom.pandas.plan.frame import Frame
from airloom.pandas.refusals import Refused


def margined(frame: Frame, values: list[Any], down: list[Any], across: list[Any], function: Any, given: dict[str, Any]) -> Callable[[Any], Any]:
    """What puts margins into a table. They are of the rows in which nothing is missing."""
    (name,) = given["margins"]
    if not values or not isinstance(name, str):
        raise Refused("`margins=True` without `values`, or `margins_name` is not a string")
    data = _Data(OPERATIONS["DataFrame"]["dropna"](frame))
    return lambda table: ask_pandas(
        lambda: _add_margins(
            adopted(table),
            data,
            values,
            rows=down,
            cols=across,
            aggfunc=function,
            kwargs={},
            observed=True,
            margins_name=name,
            fill_value=given["fill_value"],
            dropna=True,
        )
    )


class _Data:
    """What pandas asks for when it makes margins: columns, and groups of them."""

    _constructor_sliced = BaseSeries

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    def __getitem__(self, labels: list[Any]) -> _Data:
        return _Data(frame_columns(self.frame, labels))

    def items(self) -> Iterator[tuple[Any, _Column]]:
        for at, label in enumerate(self.frame.labels):
            yield label, _Column(wrap(self.frame.vector(at)))

    def groupby(self, keys: list[Any], observed: bool, dropna: bool) -> _Groups:
        return _Groups(self.frame, keys, {"observed": observed, "dropna": dropna})


class _Column:
    """A column whose aggregates the engine makes."""

    def __init__(self, series: Any) -> None:
        self.series = series

    def __getattr__(self, name: str) -> Callable[[], Any]:
        return lambda: _ours(lambda: getattr(self.series, name)())


class _Groups:
    """Groups whose aggregates the engine makes."""

    def __init__(self, frame: Frame, keys: list[Any], options: dict[str, Any]) -> None:
        self.frame = frame
        self.keys = keys
        self.options = options

    def agg(self, function: Any) -> Any:
        return adopted(_ours(lambda: plain(wrap(self.frame).groupby(self.keys, **self.options).agg(function))))


def _ours(work: Callable[[], Any]) -> Any:
    """Does work on the engine, in the middle of a question that pandas is asked."""
    asking, within.asking = within.asking, 0
    try:
        return work()
    finally:
        within.asking = asking
