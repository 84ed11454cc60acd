"""`loc` and `iloc`: pandas' own, tried on the engine first."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

from pandas.compat import CHAINED_WARNING_DISABLED
from pandas.compat._constants import REF_COUNT_IDX
from pandas.core.dtypes.cast import can_hold_element
from pandas.core.indexing import _AtIndexer, _iAtIndexer, _iLocIndexer, _LocIndexer
from pandas.errors import ChainedAssignmentError
from pandas.errors.cow import _chained_assignment_msg

from airloom.pandas.face import dispatch, state
from airloom.pandas.face.adopting import adopted
from airloom.pandas.operations import indexing


def _read(indexer: Any, key: Any, function: Callable[..., Any], base: Callable[..., Any]) -> Any:
    value = indexer.obj
    # A cell of data that are there is read where it stands: planning takes longer than looking.
    if dispatch.is_cell(value, key) and (not dispatch.is_ours(value) or state.is_read_by_cell(value)):
        return base(indexer, key)
    if not dispatch.is_ours(value) or dispatch.stays(value) or dispatch.from_pandas(2) or getattr(indexer, "axis", None) is not None:
        return base(indexer, key)
    label = f"{type(value).__name__}.{indexer.name}"
    return adopted(dispatch.attempt(label, value, function, lambda _, key: base(indexer, key), (key,), {}))


def _write(indexer: Any, key: Any, value: Any, function: Callable[..., Any], base: Any) -> None:
    target = indexer.obj
    if not dispatch.is_ours(target) or dispatch.writes_in_place(target) or dispatch.from_pandas(2) or indexer.axis is not None or indexing.is_in_place(key, state.is_lazy(target)):
        if dispatch.is_ours(target):
            state.forget_plan(target)
        if dispatch.is_ours(value) and isinstance(value, dispatch.BaseDataFrame) and dispatch.is_ours(target):
            # As pandas has what it computed: a block for each dtype.
            value._consolidate_inplace()
        if dispatch.is_ours(target):
            _unshare(target, key, value)
        base.__setitem__(indexer, key, value)
        return
    name = indexer.name

    def own(value: Any, key: Any, put: Any) -> None:
        state.forget_plan(value)
        _unshare(value, key, put)
        base(name, value)[key] = put

    dispatch.written(f"{type(target).__name__}.{name}", target, function, own, (key, value), {})


def _unshare(target: Any, key: Any, value: Any) -> None:
    """Copies a frame of one block that something else refers to, as plans do, where pandas would lose what changes its dtype: it puts that into a copy of the block."""
    manager = target._mgr
    if manager.ndim == 1 or not manager.is_single_block or manager._has_no_reference(0):
        return
    if isinstance(value, (dispatch.BaseSeries, dispatch.BaseDataFrame)) or (type(key) is tuple and len(key) == 1) or not can_hold_element(manager.blocks[0].values, value):
        target._mgr = manager.copy(deep=True)


class Loc(_LocIndexer):
    """By label."""

    def __getitem__(self, key: Any) -> Any:
        return _read(self, key, indexing.by_label, _LocIndexer.__getitem__)

    def __setitem__(self, key: Any, value: Any) -> None:
        if not CHAINED_WARNING_DISABLED and sys.getrefcount(self.obj) <= REF_COUNT_IDX:
            warnings.warn(_chained_assignment_msg, ChainedAssignmentError, stacklevel=2)
        # One more holds the object in there, so that pandas does not warn again.
        _write(self, key, value, indexing.put_by_label, _LocIndexer)


class ILoc(_iLocIndexer):
    """By place."""

    def __getitem__(self, key: Any) -> Any:
        return _read(self, key, indexing.by_place, _iLocIndexer.__getitem__)

    def __setitem__(self, key: Any, value: Any) -> None:
        if not CHAINED_WARNING_DISABLED and sys.getrefcount(self.obj) <= REF_COUNT_IDX:
            warnings.warn(_chained_assignment_msg, ChainedAssignmentError, stacklevel=2)
        _write(self, key, value, indexing.put_by_place, _iLocIndexer)


class At(_AtIndexer):
    """One value, by label."""

    def __getitem__(self, key: Any) -> Any:
        if state.MANAGER in self.obj.__dict__:
            return super().__getitem__(key)
        return _read(self, key, indexing.one_by_label, _AtIndexer.__getitem__)

    def __setitem__(self, key: Any, value: Any) -> None:
        state.forget_plan(self.obj)
        super().__setitem__(key, value)


class IAt(_iAtIndexer):
    """One value, by place."""

    def __getitem__(self, key: Any) -> Any:
        if state.MANAGER in self.obj.__dict__:
            return super().__getitem__(key)
        return _read(self, key, indexing.one_by_place, _iAtIndexer.__getitem__)

    def __setitem__(self, key: Any, value: Any) -> None:
        state.forget_plan(self.obj)
        super().__setitem__(key, value)


def attach(cls: type) -> None:
    """Puts the indexers on a class."""
    cls.at = property(lambda self: At("at", self), doc=cls.at.__doc__)  # type: ignore[attr-defined]
    cls.iat = property(lambda self: IAt("iat", self), doc=cls.iat.__doc__)  # type: ignore[attr-defined]
    cls.loc = property(lambda self: Loc("loc", self), doc=cls.loc.__doc__)  # type: ignore[attr-defined]
    cls.iloc = property(lambda self: ILoc("iloc", self), doc=cls.iloc.__doc__)  # type: ignore[attr-defined]

