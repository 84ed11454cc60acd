"""The DataFrame."""

from __future__ import annotations

from typing import Any

from pandas.core.indexes.base import ensure_index

from airloom.pandas.dispatch.lazy import Lazy, Twin, from_manager, takes_over
from airloom.pandas.dispatch.registry import BaseDataFrame, classes
from airloom.pandas.internals import state


class DataFrame(Lazy, BaseDataFrame, metaclass=Twin):
    """pandas' DataFrame, which computes when somebody looks."""

    _internal_names_set = BaseDataFrame._internal_names_set | state.NAMES

    def __init__(self, data: Any = None, index: Any = None, columns: Any = None, dtype: Any = None, copy: Any = None) -> None:
        super().__init__(data, index, columns, dtype, copy)
        takes_over(self, data, copy)

    @property
    def _constructor(self) -> Any:
        return DataFrame

    def _constructor_from_mgr(self, mgr: Any, axes: Any) -> Any:
        made = from_manager(DataFrame, mgr)
        return made if type(self) is DataFrame else self._constructor(made)

    def _constructor_sliced_from_mgr(self, mgr: Any, axes: Any) -> Any:
        made = from_manager(classes.Series, mgr)
        made.__dict__["_name"] = None
        return made if type(self) is DataFrame else self._constructor_sliced(made)

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
            made = ensure_index(labels)
            if len(made) == len(plan.columns):
                renamed = plan.with_columns(plan.columns, made)
                renamed.recipe = plan.recipe
                state.set_plan(self, renamed)
                return
        BaseDataFrame.columns.__set__(self, labels)

    @property
    def ndim(self) -> int:
        return 2

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self.columns)

    @property
    def size(self) -> int:
        return len(self) * len(self.columns)

    @property
    def empty(self) -> bool:
        return len(self.columns) == 0 or len(self) == 0


DataFrame.__module__ = "pandas"
DataFrame.__doc__ = BaseDataFrame.__doc__
state.OURS.add(DataFrame)
classes.DataFrame = DataFrame
