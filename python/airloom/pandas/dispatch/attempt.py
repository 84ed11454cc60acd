"""An operation by the engine where it can, else by pandas."""

from __future__ import annotations

import time
from collections.abc import Callable, Sized
from typing import Any

from airloom import _report as report
from airloom.pandas.dispatch import attributes, recovery
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.calls import Record
from airloom.pandas.dispatch.choice import settings, stays, within
from airloom.pandas.dispatch.registry import drives
from airloom.pandas.dispatch.wrapping import is_ours, plan_of, wrap
from airloom.pandas.execution import sharing
from airloom.pandas.internals import state
from airloom.pandas.plan.frame import Frame
from airloom.pandas.refusals import Failed, Refused, Stays


def attempt(
    label: str,
    value: Any,
    function: Callable[..., Any],
    base: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    plan: Any = None,
) -> Any:
    """Does an operation on an object of ours that does not stay with pandas."""
    attrs: dict[Any, Any] | None = None
    if attributes.are_there(value, args):
        try:
            attrs = attributes.kept(label, value, args, kwargs)
        except attributes.Unknown:
            del plan
            return left_to_pandas(label, "`attrs`, of which pandas decides what is kept", base, value, args, kwargs)
    with Record() as record:
        result, reason = planned(value, function, args, kwargs, plan)
    # Nothing of the plan is held any more when pandas does the work: it writes in place where it is the only holder.
    del plan
    if reason is not None:
        args, kwargs = record.replayed(args), record.replayed(kwargs)
        if reason is not STAYS and within.depth == 0 and drives(function, args, kwargs):
            return _driven(label, reason, base, value, args, kwargs)
        return base(value, *args, **kwargs) if reason is STAYS else left_to_pandas(label, reason, base, value, args, kwargs)
    report.LOG.add(label, "native", "")
    result = recovery.remembered(result, label, base, value, args, kwargs, record=record)
    made = wrap(result)
    # What a function of the user's returned is the user's.
    if attrs is not None and (made is not result or not attributes.hands_over(label, made, args, kwargs)):
        attributes.put(label, made, attrs, args)
    compare(label, made, base, value, args, kwargs)
    return made


def compare(label: str, made: Any, base: Callable[..., Any], value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Compares what was made with what pandas makes, where that is wanted."""
    if settings.check is not None and within.depth == 0:
        within.depth += 1
        try:
            settings.check(label, made, base, value, args, kwargs)
        finally:
            within.depth -= 1


#: Why an operation is pandas' by choice.
STAYS = "few rows"


def planned(value: Any, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], plan: Any = None) -> tuple[Any, str | None]:
    """What an operation makes of the plan of an object; or nothing, and why."""
    sharing.ACTIVE.values.append(value)
    try:
        return function(plan_of(value) if plan is None else plan, *args, **kwargs), None
    except Stays:
        return None, STAYS
    except Refused as refusal:
        return None, str(refusal)
    except Failed as failure:
        raise failure.error from None
    except RecursionError:
        raise
    except Exception as error:
        # A wrong call is pandas' to complain about. Anything else is a mistake of ours, which must not be the user's: pandas does the work, and the report tells.
        wrong_call = isinstance(error, TypeError) and error.__traceback__ is not None and error.__traceback__.tb_next is None
        if settings.raise_errors and not wrong_call:
            raise
        return None, recovery.failure(error) or f"{type(error).__name__}: {error}"
    finally:
        sharing.ACTIVE.values.pop()


def left_to_pandas(label: str, reason: str, base: Callable[..., Any], value: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, writes: bool = False) -> Any:
    """Does an operation by pandas' own method; one that `writes` to the object writes to its data in place, as far as nobody else holds them."""
    outermost = within.depth == 0
    told = outermost and not _without_rows(value, (*args, *kwargs.values()))
    if outermost and is_ours(value) and state.is_lazy(value) and (state.row_count(value) or 0) < settings.threshold:
        # What turns out to be small stays with pandas, as all that is small does.
        state.force(value)
        if stays(value):
            return base(value, *args, **kwargs)
    if told:
        report.refused(label, reason)
    copied = bytes_to_compute(value) if told else 0
    started = time.perf_counter()
    if writes:
        state.get_manager(value)
        state.forget_plan(value)
    within.depth += 1
    where = "raised"
    try:
        answer = base(value, *args, **kwargs)
        if outermost:
            answer = adopted(answer)
        where = "pandas"
        return answer
    finally:
        within.depth -= 1
        if told:
            report.LOG.add(label, where, reason, time.perf_counter() - started, copied)


def _driven(label: str, reason: str, base: Callable[..., Any], value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Lets pandas call the functions of an operation that does nothing else: what they do with objects of ours is reported by itself."""
    started = time.perf_counter()
    where = "raised"
    try:
        answer = wrap(base(value, *args, **kwargs))
        where = "host"
        return answer
    finally:
        report.LOG.add(label, where, reason, time.perf_counter() - started)


def _without_rows(value: Any, others: tuple[Any, ...]) -> bool:
    """Whether an object has no rows, and nothing beside it is long: there is nothing to compute, and as with all that is small it matters to nobody who does it."""
    return is_ours(value) and state.row_count(value) == 0 and all(map(_is_short, others))


#: Arguments of at most this many items are no data.
FEW_ITEMS = 16


def _is_short(argument: Any) -> bool:
    if is_ours(argument):
        return state.row_count(argument) == 0
    return isinstance(argument, str) or not isinstance(argument, Sized) or len(argument) <= FEW_ITEMS


def bytes_to_compute(value: Any) -> int:
    """How much of an object is computed only for pandas, as far as that is known."""
    if not is_ours(value) or not state.is_lazy(value):
        return 0
    plan = value.__dict__[state.PLAN]
    columns = len(plan.columns) if isinstance(plan, Frame) else 1
    return (plan.rows.count or 0) * columns * 8


def written(
    label: str,
    value: Any,
    function: Callable[..., Any],
    base: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    own: dict[str, Any] | None = None,
) -> tuple[bool, Any]:
    """Makes an object something else in place: by its plan, or by pandas. Whether it was left to pandas, and what that, or the operation, returned beside the plan.

    `base` writes to the object it is given; `own` are the keywords of the operation, where they are others than pandas'.
    """
    with Record() as record:
        result, reason = planned(value, function, args, kwargs if own is None else own)
    if reason is not None:
        args, kwargs = record.replayed(args), record.replayed(kwargs)
        return True, base(value, *args, **kwargs) if reason is STAYS else left_to_pandas(label, reason, base, value, args, kwargs, writes=True)
    plan, answer = result if isinstance(result, tuple) else (result, None)
    report.LOG.add(label, "native")
    if settings.check is not None:

        def afterwards(before: Any, *args: Any, **kwargs: Any) -> Any:
            copied = before.copy()
            base(copied, *args, **kwargs)
            return copied

        compare(label, wrap(plan), afterwards, value, args, kwargs)
    answer = recovery.remembered(answer, label, base, value, args, kwargs, record=record)
    state.set_plan(value, recovery.remembered(plan, label, base, value, args, kwargs, changes=True, record=record))
    return False, answer
