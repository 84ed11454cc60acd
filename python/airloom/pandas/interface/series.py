"""The Series."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from pandas.core.internals.managers import BlockManager, SingleBlockManager

from airloom.pandas.dispatch.lazy import Lazy, Twin, asks_within, from_manager, takes_over, told_to_caller
from airloom.pandas.dispatch.registry import BaseSeries, classes
from airloom.pandas.interface.frame import DataFrame
from airloom.pandas.internals import materialize, state


class Series(Lazy, BaseSeries, metaclass=Twin):
    """pandas' Series, which computes when somebody looks."""

    _internal_names_set = BaseSeries._internal_names_set | state.NAMES

    def __init__(self, data: Any = None, index: Any = None, dtype: Any = None, name: Any = None, copy: Any = None) -> None:
        if isinstance(data, (BlockManager, SingleBlockManager)):
            with told_to_caller():
                super().__init__(data, index, dtype, name, copy)
        else:
            super().__init__(data, index, dtype, name, copy)
        takes_over(self, data, copy)

    @property
    def array(self) -> Any:
        if not asks_within(1):
            state.hand_out(self)
        return BaseSeries.array.__get__(self)

    @property
    def values(self) -> Any:
        if isinstance(self._mgr.dtype, np.dtype):
            return BaseSeries.values.__get__(self)
        with told_to_caller():
            found = BaseSeries.values.__get__(self)
        if type(found) is not np.ndarray and not asks_within(1):
            state.hand_out(self)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return BaseSeries.values.__get__(self)
        return found

    @property
    def _constructor(self) -> Any:
        return Series

    def _constructor_from_mgr(self, mgr: Any, axes: Any) -> Any:
        made = from_manager(Series, mgr)
        made.__dict__["_name"] = None
        return made if type(self) is Series else self._constructor(made)

    @property
    def _constructor_expanddim(self) -> Any:
        return DataFrame

    def _constructor_expanddim_from_mgr(self, mgr: Any, axes: Any) -> Any:
        made = from_manager(DataFrame, mgr)
        return made if type(self) is Series else self._constructor_expanddim(made)

    @property
    def index(self) -> Any:
        try:
            return self.__dict__["_airloom_manager"].axes[0]
        except KeyError:
            return state.index_of(self)

    @index.setter
    def index(self, labels: Any) -> None:
        BaseSeries.index.__set__(self, labels)

    @property
    def ndim(self) -> int:
        return 1

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)

    @property
    def size(self) -> int:
        return len(self)

    @property
    def empty(self) -> bool:
        return len(self) == 0

    @property
    def dtype(self) -> Any:
        own = self.__dict__
        manager = own.get(state.MANAGER)
        if manager is not None:
            return manager.dtype
        try:
            return materialize.decided(own[state.PLAN].column).dtype
        except Exception:
            # Where the engine cannot tell, the data can.
            return state.force(self).dtype

    @property
    def dtypes(self) -> Any:
        return self.dtype


DataFrame._constructor_sliced = Series
Series.__module__ = "pandas"
Series.__doc__ = BaseSeries.__doc__
state.OURS.add(Series)
classes.Series = Series
