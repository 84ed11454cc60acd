"""Calls of users' functions: each is made as often as pandas makes it.

An operation that calls a function and is refused afterwards is pandas' to do. What the function returned or raised is kept by then, and pandas is given a function that
tells it again, in the order of the calls, before it calls on.
"""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from airloom.pandas.refusals import Refused


class _Levels(threading.local):
    """The operations that this thread is in, and between them none for each function of a user's that it is in: what that calls is no call of theirs."""

    def __init__(self) -> None:
        self.stack: list[Record | None] = []


_LEVELS = _Levels()


class _Outcome:
    """What a call came to."""

    __slots__ = ("error", "result")

    def __init__(self, result: Any, error: Exception | None) -> None:
        self.result = result
        self.error = error

    def again(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.result


#: What functions of ours are told by, which call a user's.
_MARK = "__airloom_calls__"


class Record:
    """What functions came to in one operation, by function and in the order of the calls."""

    __slots__ = ("_outcomes", "_read", "_wrappers")

    def __init__(self) -> None:
        self._outcomes: dict[int, tuple[Any, list[_Outcome]]] = {}
        #: Iterators that were read, each with what it gave, and what it raised in the end.
        self._read: dict[int, tuple[Any, list[Any], Exception | None]] = {}
        self._wrappers: dict[int, Any] = {}

    def __enter__(self) -> Record:
        _LEVELS.stack.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _LEVELS.stack.pop()

    def add(self, function: Any, outcome: _Outcome) -> None:
        if not _may_do_something(function):
            return
        # The function is held, so that no other has its number.
        self._outcomes.setdefault(id(function), (function, []))[1].append(outcome)

    def keep(self, iterator: Any, items: list[Any], error: Exception | None) -> None:
        """Keeps what an iterator gave. It is held, so that no other has its number."""
        self._read[id(iterator)] = (iterator, items, error)

    def replayed(self, value: Any) -> Any:
        """The same arguments for pandas, with functions that tell what they came to already."""
        if not self._outcomes and not self._read and not _LEVELS.stack:
            return value
        if id(value) in self._read:
            return _again(*self._read[id(value)][1:])
        if type(value) is tuple or type(value) is list:
            return type(value)(map(self.replayed, value))
        if type(value) is dict:
            return {key: self.replayed(item) for key, item in value.items()}
        return self._wrapper(value) if id(value) in self._outcomes or (_is_users(value) and _LEVELS.stack and _LEVELS.stack[-1] is not None) else value

    def replayed_anew(self, value: Any) -> Any:
        """The same for pandas once more: functions tell from their first call on what they came to."""
        again = Record()
        again._outcomes = self._outcomes
        return again.replayed(value)

    def _wrapper(self, function: Any) -> Any:
        known = self._wrappers.get(id(function))
        if known is None:
            _, outcomes = self._outcomes.get(id(function), (function, []))
            known = self._wrappers[id(function)] = _replaying(function, outcomes)
        return known


def _replaying(function: Any, outcomes: list[_Outcome]) -> Callable[..., Any]:
    waiting = iter(outcomes)

    @functools.wraps(function, updated=())
    def replay(*args: Any, **kwargs: Any) -> Any:
        outcome = next(waiting, None)
        if outcome is None:
            outcome = _called(function, args, kwargs)
        else:
            _note(function, outcome)
        return outcome.again()

    setattr(replay, _MARK, True)
    return replay


def _may_do_something(function: Any) -> bool:
    """Whether a call may do more than return a value. Of the others pandas asks which they are: `dict`, or `np.sum`."""
    if isinstance(function, (np.ufunc, types.BuiltinFunctionType, types.MethodDescriptorType)):
        return False
    return _package(function) not in ("numpy", "builtins")


def _is_users(value: Any) -> bool:
    """Whether this is a user's function that nobody has wrapped yet."""
    if not callable(value) or isinstance(value, type) or hasattr(value, _MARK):
        return False
    return _may_do_something(value) and _package(value) != "pandas"


def _package(function: Any) -> str:
    module = getattr(function, "__module__", None)
    return module.partition(".")[0] if isinstance(module, str) else ""


def _note(function: Any, outcome: _Outcome) -> None:
    """Tells all operations whose call this is."""
    for record in reversed(_LEVELS.stack):
        if record is None:
            return
        record.add(function, outcome)


def _called(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Outcome:
    within = getattr(function, _MARK, False)
    if not within:
        _LEVELS.stack.append(None)
    try:
        outcome = _Outcome(function(*args, **kwargs), None)
    except Exception as error:
        outcome = _Outcome(None, error)
    finally:
        if not within:
            _LEVELS.stack.pop()
    # A warning that is an error only since pandas is just asked for a rule is none that the user sees.
    if not isinstance(outcome.error, Warning):
        _note(function, outcome)
    return outcome


def invoke(function: Any, *args: Any, **kwargs: Any) -> Any:
    """What a user's function returns. Where it raises, pandas is to do the operation, and to decide what becomes of it."""
    outcome = _called(function, args, kwargs)
    if outcome.error is not None:
        raise Refused("a function that raises") from outcome.error
    return outcome.result


def items_of(iterator: Iterator[Any]) -> list[Any]:
    """What a user's iterator gives, which it does once: where the operation is refused afterwards, pandas is given another one of the same items."""
    items: list[Any] = []
    failed: Exception | None = None
    try:
        for item in iterator:
            items.append(item)
    except Exception as error:
        failed = error
    for record in reversed(_LEVELS.stack):
        if record is None:
            break
        record.keep(iterator, items, failed)
    if failed is not None:
        raise Refused("an iterator that raises") from failed
    return items


def _again(items: list[Any], error: Exception | None) -> Iterator[Any]:
    yield from items
    if error is not None:
        raise error


def recorded(function: Any) -> Any:
    """A function that is handed on to pandas in the middle of an operation, also where it is one item of a key; anything else stays as it is."""
    if type(function) is tuple:
        return tuple(map(recorded, function))
    if not _is_users(function):
        return function

    @functools.wraps(function, updated=())
    def noting(*args: Any, **kwargs: Any) -> Any:
        return invoke(function, *args, **kwargs)

    setattr(noting, _MARK, True)
    return noting
