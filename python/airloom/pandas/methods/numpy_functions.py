"""NumPy's functions of frames and series, whose result is an array.

NumPy converts each operand by itself. Where several have still to be computed, one program does: it makes the result itself where that is a choice among numbers, and otherwise the operands, of which
NumPy makes the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from airloom import _report as report
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dispatch.attempt import compare
from airloom.pandas.dispatch.choice import from_asserters, from_pandas, settings, within
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dispatch.wrapping import is_ours, plain, plan_of
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run, sharing
from airloom.pandas.internals import state
from airloom.pandas.plan.expression import Expression
from airloom.pandas.plan.frame import Vector, together
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused

#: Functions that make arrays of all their operands first. Others hand the work to a method of an operand, as `np.sum` does to `Series.sum`, which is native or not by itself.
_CONVERTING = frozenset(
    getattr(np, name)
    for name in """where select isin digitize interp percentile quantile median nanpercentile nanquantile nanmedian nanmean nansum nanstd nanvar nanmin nanmax nanprod
    nancumsum nancumprod average histogram histogram2d histogram_bin_edges bincount concatenate stack vstack hstack dstack column_stack array_equal array_equiv
    allclose isclose unique union1d intersect1d setdiff1d setxor1d diff ediff1d gradient trapezoid corrcoef cov correlate convolve dot vdot inner outer lexsort
    nan_to_num polyfit polyval piecewise choose extract flip roll sort partition argpartition tile count_nonzero argwhere flatnonzero unwrap real imag angle
    fmin fmax""".split()
    if hasattr(getattr(np, name, None), "_implementation")
)
#: Functions that make arrays of nothing of ours, but may be given an object to make them like.
_LIKE = frozenset(
    """array asarray asanyarray ascontiguousarray asfortranarray require arange empty zeros ones full eye identity tri frombuffer fromfile fromiter fromstring fromfunction
    loadtxt genfromtxt""".split()
)


def array_function(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """What NumPy asks of an operand before it does anything: pandas' own objects are not asked."""
    if func.__name__ in _LIKE:
        raise TypeError("The `like` argument must be an array-like that implements the `__array_function__` protocol.")
    if any(_has_own_functions(cls) for cls in types):
        # Whoever else is asked is to be asked as beside an object of pandas', which is no part of the question.
        return func(*_replaced(args), **_replaced(kwargs))
    if func in _CONVERTING and not within.depth and not within.asking and not from_pandas(1) and not from_asserters(1):
        tables = list(_tables((args, kwargs)))
        lazy = [one for one in tables if is_ours(one) and state.is_lazy(one)]
        if lazy:
            return _converted(func, args, kwargs, lazy)
    return func._implementation(*args, **kwargs)


def _has_own_functions(cls: Any) -> bool:
    """Whether objects of a class, other than ours and NumPy's, have something to say about NumPy's functions."""
    if issubclass(cls, (BaseDataFrame, BaseSeries)):
        return False
    return cls.__array_function__ is not np.ndarray.__array_function__


def _replaced(value: Any) -> Any:
    """The same arguments, with objects of pandas' own class."""
    if type(value) in (list, tuple):
        return type(value)(map(_replaced, value))
    if type(value) is dict:
        return {key: _replaced(item) for key, item in value.items()}
    return plain(value)


def _tables(value: Any) -> Iterator[Any]:
    """The frames and series among arguments."""
    if isinstance(value, (BaseDataFrame, BaseSeries)):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tables(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tables(item)


def _converted(func: Any, args: Any, kwargs: Any, lazy: Sequence[Any]) -> Any:
    """What a function makes of operands of which some have still to be computed."""
    choose = _CHOICES.get(func)
    if choose is not None:
        sharing.ACTIVE.values.extend(lazy)
        try:
            made = choose(*args, **kwargs)
        except (Refused, TypeError):
            made = None
        except Exception:
            if settings.raise_errors:
                raise
            made = None
        finally:
            del sharing.ACTIVE.values[-len(lazy) :]
        if made is not None:
            report.LOG.add(f"numpy.{func.__name__}", "native")
            compare(f"numpy.{func.__name__}", made, lambda _, *args, **kwargs: func(*_replaced(args), **_replaced(kwargs)), lazy[0], args, kwargs)
            return made
    state.force_together(lazy)
    report.LOG.add(f"numpy.{func.__name__}", "native")
    return func._implementation(*args, **kwargs)


def _where(condition: Any, x: Any, y: Any, /) -> Any:
    # A condition of numbers is one that they are not zero: NumPy is asked.
    return _chosen([condition], [x], y, copies=False)


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    if not isinstance(condlist, (list, tuple)) or not isinstance(choicelist, (list, tuple)) or len(condlist) != len(choicelist) or not condlist:
        raise Refused("conditions and choices that are not lists of one length")
    return _chosen(condlist, choicelist, default, copies=True)


_CHOICES = {np.where: _where, np.select: _select}


def _chosen(conditions: Sequence[Any], choices: Sequence[Any], otherwise: Any, *, copies: bool) -> Any:
    """The choice of the first condition that holds in each row, as an array: all of it by one program, of columns of the same rows. NumPy goes by position, whatever the labels."""
    rows: Rows | None = None
    truths = []
    operands: list[Any] = []
    for one in (*conditions, *choices, otherwise):
        if isinstance(one, BaseSeries):
            plan = plan_of(one)
            assert isinstance(plan, Vector)
            rows = plan.rows if rows is None else together(rows, plan.rows)
            if rows is None:
                raise Refused("Series of different rows")
            operands.append(elementwise.known(plan.column))
        elif type(one) in (int, float, bool):
            operands.append(one)
        else:
            raise Refused(f"a value of type `{type(one).__name__}`")
    assert rows is not None
    for condition in operands[: len(conditions)]:
        if not hasattr(condition, "expression") or not types.is_bool(condition.dtype):
            raise Refused("a condition that is not a boolean Series")
        truths.append(condition.expression)
    chosen = operands[len(conditions) :]
    if not all(types.is_number(one.dtype) for one in chosen if hasattr(one, "expression")):
        raise Refused("choices that are not numbers")
    # NumPy gives Python's numbers no width of their own.
    target = np.result_type(*(one.dtype if hasattr(one, "expression") else one for one in chosen))
    # `select` writes each choice into an array of that dtype, and a number of Python is 64 bits wide by then: beside numbers without a sign it raises.
    if copies and not all(np.can_cast(one.dtype if hasattr(one, "expression") else np.asarray(one).dtype, target, "same_kind") for one in chosen[:-1]):
        raise Refused(f"choices that NumPy does not cast to `{target}`")
    parts = [_part(one, target) for one in chosen]
    made = parts.pop()
    for truth, part in zip(reversed(truths), reversed(parts), strict=True):
        made = elementwise.select(truth, part, made)
    found = run.table(rows, {"value": made}).numpy("value", target.name)
    return found if found.flags.writeable and found.flags.owndata else found.copy()


def _part(value: Any, target: np.dtype[Any]) -> Expression:
    if hasattr(value, "expression"):
        return literals.cast(value.expression, value.dtype, target)
    literal = literals.number(value, target) if type(value) is bool and types.is_bool(target) else elementwise.fits(value, target)
    if literal is None:
        raise Refused(f"a number that does not stand in `{target}`")
    return literal
