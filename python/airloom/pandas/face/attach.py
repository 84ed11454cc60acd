"""Puts operations on the classes."""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Any

import pandas
from pandas.compat import CHAINED_WARNING_DISABLED
from pandas.compat._constants import REF_COUNT
from pandas.core import common
from pandas.errors import ChainedAssignmentError
from pandas.errors.cow import _chained_assignment_msg

from airloom.pandas.face import accessors, dispatch, state
from airloom.pandas.face.dispatch import BaseDataFrame, BaseSeries, OPERATIONS
from airloom.pandas.face.frame import DataFrame
from airloom.pandas.face.series import Series
from airloom.pandas.plan.frame import Refused

#: The families of operations: each module registers its own.
FAMILIES = ("selection", "arithmetic", "missing", "values", "mapping", "conversion", "ufuncs", "text", "parts", "dates", "reading", "callables")


def attach() -> None:
    """Loads all families, and makes each operation a method."""
    for family in FAMILIES:
        importlib.import_module(f"airloom.pandas.operations.{family}")
    for owner, cls, base in (("DataFrame", DataFrame, BaseDataFrame), ("Series", Series, BaseSeries)):
        for name, function in OPERATIONS[owner].items():
            original = getattr(base, name)
            setattr(cls, name, dispatch.method(owner, name, original, function))
    accessors.attach(Series)


def functions() -> dict[str, Any]:
    """The functions of the module that the engine can do."""
    return {name: dispatch.module_function(name, getattr(pandas, name), function) for name, function in OPERATIONS["pandas"].items()}


def _setitem(self: Any, key: Any, value: Any) -> None:
    # pandas tells a chained assignment by who else holds the object: that is asked here, before more hold it.
    if (
        not CHAINED_WARNING_DISABLED
        and sys.getrefcount(self) <= REF_COUNT
        and not common.is_local_in_caller_frame(self)
        and common.is_setitem_syntax_in_caller_frame()
    ):
        warnings.warn(_chained_assignment_msg, ChainedAssignmentError, stacklevel=2)
    if type(self) is not DataFrame or dispatch.stays(self):
        return BaseDataFrame.__setitem__(self, key, value)
    from airloom.pandas.operations.selection import with_column

    try:
        plan = dispatch.plan_of(self)
        if not isinstance(key, (str, int)) or isinstance(key, bool):
            raise Refused(f"a key of type `{type(key).__name__}`")
        made = with_column(plan, key, value)
    except Refused as refusal:
        dispatch.left_to_pandas("DataFrame.__setitem__", str(refusal), BaseDataFrame.__setitem__, self, (key, value), {})
    else:
        state.set_plan(self, made)


DataFrame.__setitem__ = _setitem  # type: ignore[method-assign]
