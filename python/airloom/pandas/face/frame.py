"""The DataFrame."""

from __future__ import annotations

from typing import Any

import pandas
from pandas.core.generic import NDFrame

from airloom.pandas.face import state
from airloom.pandas.face.dispatch import BaseDataFrame, BaseSeries


class DataFrame(BaseDataFrame):  # type: ignore[misc, valid-type]
    """pandas' DataFrame, which computes when somebody looks."""

    _mgr = property(state.get_manager, state.set_manager)
    _internal_names_set = BaseDataFrame._internal_names_set | {
        state.MANAGER,
        state.PLAN,
        state.WITNESS,
        state.INDEX,
        state.COLUMNS,
    }

    @property
    def _constructor(self) -> Any:
        return DataFrame

    def _constructor_from_mgr(self, mgr: Any, axes: Any) -> Any:
        if type(self) is DataFrame:
            return from_manager(DataFrame, mgr)
        made = from_manager(DataFrame, mgr)
        return self._constructor(made)

    def _constructor_sliced_from_mgr(self, mgr: Any, axes: Any) -> Any:
        from airloom.pandas.face.series import Series

        made = from_manager(Series, mgr)
        made.__dict__["_name"] = None
        return made if type(self) is DataFrame else self._constructor_sliced(made)

    def __reduce__(self) -> Any:
        # Whoever reads it needs no more than pandas.
        return (_plain_frame, (self.__getstate__(),)) if type(self) is DataFrame else super().__reduce__()

    @property
    def index(self) -> Any:
        # Looked up here: pandas asks for labels more often than for anything else.
        try:
            return self.__dict__["_airloom_manager"].axes[1]
        except KeyError:
            return state.index_of(self)

    @index.setter
    def index(self, labels: Any) -> None:
        BaseDataFrame.index.__set__(self, labels)

    @property
    def columns(self) -> Any:
        try:
            return self.__dict__["_airloom_manager"].axes[0]
        except KeyError:
            return state.columns_of(self)

    @columns.setter
    def columns(self, labels: Any) -> None:
        if state.is_lazy(self):
            plan = state.plan_of(self)
            made = pandas.core.indexes.base.ensure_index(labels)
            if len(made) == len(plan.columns):
                state.set_plan(self, plan.with_columns(plan.columns, made))
                return
        BaseDataFrame.columns.__set__(self, labels)

    def __len__(self) -> int:
        count = state.row_count(self)
        return count if count is not None else _count(self)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self.columns)

    @property
    def size(self) -> int:
        return len(self) * len(self.columns)

    @property
    def empty(self) -> bool:
        return len(self.columns) == 0 or len(self) == 0


def _count(object: Any) -> int:
    from airloom.pandas.plan import run

    return run.count(state.plan_of(object).rows)


def from_manager(cls: Any, manager: Any) -> Any:
    """An object of a manager, as pandas makes its own."""
    made = cls.__new__(cls)
    NDFrame.__init__(made, manager)
    return made


def _plain_frame(content: dict[str, Any]) -> Any:
    made = BaseDataFrame.__new__(BaseDataFrame)
    made.__setstate__(content)
    return made


def _plain_series(content: dict[str, Any]) -> Any:
    made = BaseSeries.__new__(BaseSeries)
    made.__setstate__(content)
    return made


DataFrame.__module__ = "pandas"
DataFrame.__doc__ = BaseDataFrame.__doc__
