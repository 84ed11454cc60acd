"""What stands for the rows of a group while a function of Python is run over it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airloom.pandas.plan.expression import Expression
from airloom.pandas.plan.frame import Column
from airloom.pandas.udf.values import Constant


class Many:
    """A value for each row of the group: a series, while the function runs."""

    __slots__ = ("column",)

    def __init__(self, column: Column) -> None:
        self.column = column


class One:
    """A value of the whole group: a scalar of NumPy's, or with `python` of Python's."""

    __slots__ = ("column", "python")

    def __init__(self, column: Column, *, python: bool = False) -> None:
        self.column = column
        self.python = python


class Table:
    """The rows of a group with all their columns: a frame, while the function runs."""

    __slots__ = ("columns",)

    def __init__(self, columns: Mapping[Any, Column]) -> None:
        self.columns = columns


class Record:
    """A value of the whole group for each column: a series of what a frame comes to."""

    __slots__ = ("values",)

    def __init__(self, values: Mapping[Any, One]) -> None:
        self.values = values


class Method:
    """A method of something, which is not called yet."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Thing, name: str) -> None:
        self.owner = owner
        self.name = name


class Some:
    """Some of the rows of the group, or all in another order: sorted first, then chosen, then as many as there may be from the start or the end."""

    __slots__ = ("columns", "count", "from_end", "order", "predicate")

    def __init__(self, columns: Mapping[Any, Column]) -> None:
        self.columns = columns
        self.order: list[tuple[Column, str]] = []
        self.predicate: Expression | None = None
        self.count: int | None = None
        self.from_end = False


Thing = Many | One | Table | Record | Constant | Method | Some
