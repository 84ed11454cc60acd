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

from airloom.pandas.dispatch import attempt, choice, registry, wrapping
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.indexing import loc
from airloom.pandas.internals import foreign, state


def _read(indexer: Any, key: Any, function: Callable[..., Any], base: Callable[..., Any]) -> Any:
    value = indexer.obj
    # A cell of data that are there is read where it stands: planning takes longer than looking.
    if choice.is_cell(value, key) and (not wrapping.is_ours(value) or state.is_read_by_cell(value)):
        return base(indexer, key)
    if not wrapping.is_ours(value) or choice.stays(value) or choice.from_pandas(2) or getattr(indexer, "axis", None) is not None:
        return base(indexer, key)
    label = f"{type(value).__name__}.{indexer.name}"
    return adopted(attempt.attempt(label, value, function, lambda value, key: base(type(indexer)(indexer.name, value), key), (key,), {}))


def _write(indexer: Any, key: Any, value: Any, function: Callable[..., Any], base: Any) -> None:
    target = indexer.obj
    if not wrapping.is_ours(target) or choice.writes_in_place(target) or choice.from_pandas(2) or indexer.axis is not None or loc.is_in_place(key, state.is_lazy(target)):
        if wrapping.is_ours(target):
            state.forget_plan(target)
        if wrapping.is_ours(value) and isinstance(value, registry.BaseDataFrame) and wrapping.is_ours(target):
            # As pandas has what it computed: a block for each dtype.
            value._consolidate_inplace()
        if wrapping.is_ours(target):
            _unshare(target, key, value)
        base.__setitem__(indexer, key, value)
        return
    name = indexer.name

    def own(value: Any, key: Any, put: Any) -> None:
        state.forget_plan(value)
        _unshare(value, key, put)
        base(name, value)[key] = put

    attempt.written(f"{type(target).__name__}.{name}", target, function, own, (key, value), {})


def _unshare(target: Any, key: Any, value: Any) -> None:
    """Copies a frame of one block that something else refers to, as plans do, where pandas would lose what changes its dtype: it puts that into a copy of the block."""
    manager = target._mgr
    if manager.ndim == 1 or not manager.is_single_block or manager._has_no_reference(0):
        return
    if isinstance(value, (registry.BaseSeries, registry.BaseDataFrame)) or (type(key) is tuple and len(key) == 1) or not can_hold_element(manager.blocks[0].values, value):
        target._mgr = manager.copy(deep=True)


def _warn_if_chained(indexer: Any) -> None:
    """pandas' warning where nobody but the indexer holds the object, told of the line that writes: asked before more hold it."""
    if not CHAINED_WARNING_DISABLED and sys.getrefcount(indexer.obj) <= REF_COUNT_IDX:
        warnings.warn(_chained_assignment_msg, ChainedAssignmentError, stacklevel=3)


def _let_go(target: Any) -> None:
    """Lets go of what is kept of an object that pandas is about to write to; of what it must not write to, all that holds it."""
    manager = target.__dict__.get(state.MANAGER)
    if manager is not None and wrapping.is_ours(target) and foreign.is_read_only(manager):
        state.release(target)
    else:
        state.forget_plan(target)


class Loc(_LocIndexer):
    """By label."""

    def __getitem__(self, key: Any) -> Any:
        return _read(self, key, loc.by_label, _LocIndexer.__getitem__)

    def __setitem__(self, key: Any, value: Any) -> None:
        _warn_if_chained(self)
        # One more holds the object in there, so that pandas does not warn again.
        _write(self, key, value, loc.put_by_label, _LocIndexer)


class ILoc(_iLocIndexer):
    """By position."""

    def __getitem__(self, key: Any) -> Any:
        return _read(self, key, loc.by_position, _iLocIndexer.__getitem__)

    def __setitem__(self, key: Any, value: Any) -> None:
        _warn_if_chained(self)
        _write(self, key, value, loc.put_by_position, _iLocIndexer)


class At(_AtIndexer):
    """One value, by label."""

    def __getitem__(self, key: Any) -> Any:
        if state.MANAGER in self.obj.__dict__:
            return super().__getitem__(key)
        return _read(self, key, loc.one_by_label, _AtIndexer.__getitem__)

    def __setitem__(self, key: Any, value: Any) -> None:
        _warn_if_chained(self)
        # One more holds the object here, so that pandas does not warn again.
        target = self.obj
        _let_go(target)
        super().__setitem__(key, value)


class IAt(_iAtIndexer):
    """One value, by position."""

    def __getitem__(self, key: Any) -> Any:
        if state.MANAGER in self.obj.__dict__:
            return super().__getitem__(key)
        return _read(self, key, loc.one_by_position, _iAtIndexer.__getitem__)

    def __setitem__(self, key: Any, value: Any) -> None:
        _warn_if_chained(self)
        # One more holds the object here, so that pandas does not warn again.
        target = self.obj
        _let_go(target)
        super().__setitem__(key, value)


def attach(cls: type) -> None:
    """Puts the indexers on a class."""
    cls.at = property(lambda self: At("at", self), doc=cls.at.__doc__)  # type: ignore[attr-defined]
    cls.iat = property(lambda self: IAt("iat", self), doc=cls.iat.__doc__)  # type: ignore[attr-defined]
    cls.loc = property(lambda self: Loc("loc", self), doc=cls.loc.__doc__)  # type: ignore[attr-defined]
    cls.iloc = property(lambda self: ILoc("iloc", self), doc=cls.iloc.__doc__)  # type: ignore[attr-defined]

