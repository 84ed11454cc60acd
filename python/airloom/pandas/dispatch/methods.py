"""Methods and functions that are tried on the engine first."""

from __future__ import annotations

import functools
import inspect
import operator
import sys
import warnings
from collections.abc import Callable
from typing import Any

from pandas.api.extensions import no_default
from pandas.compat import CHAINED_WARNING_DISABLED
from pandas.compat._constants import REF_COUNT_METHOD
from pandas.core import common
from pandas.errors import ChainedAssignmentError, Pandas4Warning
from pandas.errors.cow import _chained_assignment_method_msg
from pandas.util._exceptions import find_stack_level

from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.attempt import attempt, left_to_pandas, written
from airloom.pandas.dispatch.choice import by_itself, from_asserters, from_pandas, is_cell, stays, within, writes_in_place
from airloom.pandas.dispatch.reasons import why
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dispatch.resident import AT_ONCE, REDUCTIONS, by_pandas, is_masked_at_once, is_reduced_sooner, stays_at_once
from airloom.pandas.dispatch.wrapping import is_ours
from airloom.pandas.dtypes import kinds
from airloom.pandas.internals import state
from airloom.pandas.plan.frame import Frame
from airloom.pandas.refusals import Refused, value_text


#: Frames and series have most methods from one class.
_signature = functools.cache(inspect.signature)


def method(owner: str | None, name: str, base: Callable[..., Any], function: Callable[..., Any] | None) -> Callable[..., Any]:
    """A method: the operation, where there is one, and pandas' own otherwise. One that classes share is told by that of the object."""
    known = None if owner is None else f"{owner}.{name}"
    always = name in _ALWAYS_IN_PLACE
    cells = known == "Series.__getitem__"
    reduces = name in REDUCTIONS
    light = name in AT_ONCE
    turned = _TURNED.get(name)

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if turned is not None and args and type(args[0]) in _PLAIN:
            # Of `plain - ours` Python asks the class of the right side first, as it is derived from that of the left one. In pandas the left one answers, by its labels.
            return turned(adopted(args[0].copy(deep=False)), self)
        # Asked here, before more hold the object.
        if (
            (always or (name in _CHANGES and kwargs.get("inplace") is True))
            and not CHAINED_WARNING_DISABLED
            and sys.getrefcount(self) <= REF_COUNT_METHOD
            and not common.is_local_in_caller_frame(self)
        ):
            warnings.warn(_chained_assignment_method_msg, ChainedAssignmentError, stacklevel=2)
        if (stays(self) and not any(is_ours(a) and not stays(a) for a in args)) or not is_ours(self) or from_asserters(1):
            return base(self, *args, **kwargs)
        if (light and stays_at_once(self, args, kwargs)) or (cells and args and is_masked_at_once(self, args[0])) or (reduces and is_reduced_sooner(self, name)):
            return by_pandas(base, name, self, args, kwargs)
        if cells and args and is_cell(self, args[0]) and state.is_read_by_cell(self):
            return base(self, *args, **kwargs)
        # In the middle of something of its own pandas looks at few rows itself.
        if from_pandas(1) and (function is None or writes_in_place(self) or (name == "xs" and not state.is_lazy(self))):
            return by_itself(base, self, *args, **kwargs) if kwargs.get("inplace") is True else base(self, *args, **kwargs)
        label = known or f"{type(self).__name__}.{name}"
        if "out" in kwargs and name in _CALLED_BY_NUMPY:
            # NumPy's function of the name gives what it was not given: `np.clip(s, 0, 1)` calls `s.clip(0, 1, out=None)`.
            kwargs = {key: item for key, item in kwargs.items() if key not in ("out", "dtype") or item is not None}
        if function is None:
            return left_to_pandas(label, why(label), base, self, args, kwargs)
        if always:
            if writes_in_place(self):
                return base(self, *args, **kwargs)
            written(label, self, function, base, args, kwargs)
            return None
        if "inplace" in kwargs:
            return in_place(label, name, self, function, base, args, kwargs)
        return attempt(label, self, function, base, args, kwargs)

    # pandas looks at the parameters of methods that are given by name.
    run.__signature__ = _signature(base)  # type: ignore[attr-defined]
    run.__airloom__ = function is not None  # type: ignore[attr-defined]
    return run


#: Classes of pandas' own.
_PLAIN = (BaseDataFrame, BaseSeries)
#: Operators of which the right side is asked, and they themselves.
_TURNED: dict[str, Callable[[Any, Any], Any]] = {
    "__radd__": operator.add,
    "__rsub__": operator.sub,
    "__rmul__": operator.mul,
    "__rtruediv__": operator.truediv,
    "__rfloordiv__": operator.floordiv,
    "__rmod__": operator.mod,
    "__rpow__": operator.pow,
    "__rdivmod__": divmod,
    "__rmatmul__": operator.matmul,
    "__rand__": operator.and_,
    "__ror__": operator.or_,
    "__rxor__": operator.xor,
}
#: Methods that NumPy's functions of the same name call.
_CALLED_BY_NUMPY = frozenset(("clip", "round", "cumsum", "cumprod"))
#: Methods that change an object in place, and return nothing.
_ALWAYS_IN_PLACE = frozenset(("update",))
#: Methods that change an object in place and return it, where they are told to. pandas warns where nobody else holds the object.
_CHANGES = frozenset(("fillna", "replace", "clip", "where", "mask", "ffill", "bfill", "interpolate"))
#: Those of them that write into columns as they are: pandas raises where a value does not fit.
_WRITING = frozenset(("clip", "where", "mask"))
#: Methods whose `inplace` pandas wants to be rid of. They return nothing; the others return the object.
_DEPRECATED_IN_PLACE = frozenset(
    "query eval drop rename rename_axis set_index reset_index dropna drop_duplicates sort_values sort_index".split()
)


def in_place(label: str, name: str, value: Any, function: Callable[..., Any], base: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An operation that makes the object itself its result: who was made of it before goes on from what it was."""
    rest = {key: item for key, item in kwargs.items() if key != "inplace"}
    if not isinstance(kwargs["inplace"], bool):
        return left_to_pandas(label, f"`inplace={value_text(kwargs['inplace'])}` is not boolean", base, value, args, kwargs)
    if kwargs["inplace"] and writes_in_place(value):
        return by_itself(base, value, *args, **kwargs)
    if not kwargs["inplace"]:
        made = attempt(label, value, function, base, args, rest)
        if name in _DEPRECATED_IN_PLACE:
            value._check_inplace_deprecation(False, name)
        return made
    left, answer = written(label, value, _as_typed(function) if name in _WRITING else function, base, args, kwargs, rest)
    if left:
        return answer
    if name in _DEPRECATED_IN_PLACE:
        value._check_inplace_deprecation(True, name)
        return None
    return value


def _as_typed(function: Callable[..., Any]) -> Callable[..., Any]:
    """An operation in place that leaves dtypes as they are."""

    def run(plan: Any, *args: Any, **kwargs: Any) -> Any:
        made = function(plan, *args, **kwargs)
        before, after = (one.columns if isinstance(one, Frame) else (one.column,) for one in (plan, made))
        if not all(new is old or kinds.same(new.dtype, old.dtype) for new, old in zip(after, before, strict=True)):
            raise Refused("`inplace=True` with values of another dtype")
        return made

    return run


def check_inplace_deprecation(self: Any, inplace: Any, method: str) -> Any:
    """pandas' warning, told of the line that asked: there are more calls in between than pandas counts."""
    if inplace is no_default:
        return False
    warnings.warn(
        f"The inplace keyword in {type(self).__name__}.{method} is deprecated and will be removed in a future version (PDEP-8).\n"
        "See https://pandas.pydata.org/docs/dev/whatsnew/v3.1.0.html#deprecation-inplace for more details.",
        Pandas4Warning,
        stacklevel=find_stack_level(),
    )
    return inplace


def accessor_method(
    owner: str, name: str, base: Callable[..., Any], function: Callable[..., Any] | None, *, property: bool
) -> Callable[..., Any]:
    """A method of an accessor, or what a property of one reads; `base` makes pandas' accessor of a series."""
    label = f"Series.{owner}.{name}"

    def original(series: Any, *args: Any, **kwargs: Any) -> Any:
        found = getattr(base(series), name)
        return found if property else found(*args, **kwargs)

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if function is None:
            return left_to_pandas(label, why(label), original, self._data, args, kwargs)
        return attempt(label, self._data, function, original, args, kwargs, self._plan())

    run.__name__ = name
    return run


def module_function(name: str, base: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the module: the operation, where its first argument is ours and does not stay with pandas."""
    label = f"pandas.{name}"

    @functools.wraps(base)
    def run(*args: Any, **kwargs: Any) -> Any:
        if not args or not is_ours(args[0]) or stays(args[0]) or within.depth:
            return adopted(base(*args, **kwargs))
        return attempt(label, args[0], function, base, args[1:], kwargs)

    return run
