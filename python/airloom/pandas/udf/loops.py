"""Functions that no expression of columns says (loops, unpacked tuples, functions of NumPy's): compiled as `@airloom.jit` compiles them, as a loop over the rows."""

from __future__ import annotations

import types as python
import weakref
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import pandas

from airloom.functions import rows as loops
from airloom.functions.driver import Jitted
from airloom.functions.faces import Face, element_at
from airloom.functions.kinds import INT, Known, item
from airloom.functions.kinds import Value as CodeValue
from airloom.functions.refusals import NotCompiled
from airloom.functions.source import Definition
from airloom.functions.syntax import labels_in, statements_of
from airloom.functions.views import extents
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Expression, Over, fold
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import MemoryRows, Rows, space_of
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.udf.source import checked
from airloom.pandas.udf.values import Constant, Operand, Row, Value

_DTYPES = {"int": types.INT64, "float": types.FLOAT64, "bool": types.BOOL}
#: A turn of a loop over the rows of a group costs Python as much less than a call for a row.
_TURNS = 50
#: Integers up to here are floats without being rounded.
_EXACT = 2**53


def unwrapped(function: Any) -> Any:
    """The function that a user has decorated to be compiled, as it was written: here it is compiled for the rows."""
    return function.__wrapped__ if isinstance(function, Jitted) else function


def otherwise(translated: Callable[[], Column], rows: Rows, function: Any, given: Sequence[Operand], named: Mapping[str, Operand]) -> Column:
    """What a function makes of each row by expressions of columns, or else by a loop over the rows."""
    try:
        return translated()
    except Refused as refusal:
        if not isinstance(function, python.FunctionType):
            raise
        try:
            return _computed(rows, function, given, named)
        except NotCompiled as why:
            raise Refused(f"{refusal}; as a loop over rows: {why.reason}" if why.reason else str(refusal)) from refusal


def _computed(rows: Rows, function: python.FunctionType, given: Sequence[Operand], named: Mapping[str, Operand]) -> Column:
    base = space_of(rows)
    count = run.count(rows)
    if not isinstance(base, MemoryRows) or count == 0 or not loops.is_worth(function, count):
        # The reason of the expressions stands.
        raise NotCompiled("")
    found = checked(loops.definition(function))
    bound = loops.parameters(function, found, given, dict(named))
    if not any(isinstance(operand, (Value, Row)) for operand in bound.values()):
        raise NotCompiled("a function of constants")
    labels = labels_in(found)
    while True:
        try:
            return captured_array(base, _of_rows(rows, count, function, found, bound, labels), "value")
        except _Unread as unread:
            # A function that is called reads another column of the row.
            labels.add(unread.label)


def _of_rows(rows: Rows, count: int, function: python.FunctionType, found: Definition, bound: Mapping[str, Any], labels: Set[str]) -> Any:
    """What a function makes of each row, where it reads these columns of it."""
    columns: list[loops.Given | None] = []
    values: dict[str, Any] = {}
    prefix = "column"
    while any(name.startswith(prefix) for name in bound):
        prefix += "_"
    for name, operand in bound.items():
        if isinstance(operand, Row):
            read = {label: value for label, value in operand.values.items() if isinstance(label, str) and label in labels and _reason(value) is None}
            parts = [loops.Given(f"{prefix}{len(values) + at}", _form(value)) for at, value in enumerate(read.values())]
            columns.append(loops.held(name, _OneRow(tuple(read), {label: _reason(value) for label, value in operand.values.items()}), parts))
            values |= {part.name: value for part, value in zip(parts, read.values(), strict=True)}
        elif isinstance(operand, Value):
            columns.append(loops.Given(name, _form(operand)))
            values[name] = operand
        else:
            columns.append(None)
            values[name] = operand.value if isinstance(operand, Constant) else operand
    made = _rows(function, found, tuple(bound), columns).computed(count, _arrays(rows, values))
    column = _column(made)
    has_numpys = any(isinstance(value, Value) and value.numpy for value in values.values())
    if (has_numpys or loops.uses_numpy(function)) and column.dtype.kind == "f" and not np.isfinite(column).all():
        raise NotCompiled("a function for which NumPy may warn")
    return column


class _Unread(NotCompiled):
    """A column of a row that code was not given."""

    def __init__(self, label: str) -> None:
        super().__init__(f"{value_text(label)}, which a function that is called reads")
        self.label = label


class _OneRow(Face):
    """A row of a frame: of those labels that are read, the values."""

    noun = "a row"

    def __init__(self, labels: tuple[str, ...], reasons: Mapping[Any, str | None]) -> None:
        self.labels = labels
        #: Why the values of other columns are not known; none where they may be.
        self.reasons = reasons

    def key(self) -> Any:
        return self.labels, tuple(self.reasons.items())

    def attribute(self, t: Any, owner: Any, name: str, node: Any) -> Any:
        if hasattr(pandas.Series, name):
            raise NotCompiled(f"`{name}` of a row", node)
        return self._value(owner, name, node)

    def item(self, t: Any, owner: Any, key: Any, node: Any) -> Any:
        if not isinstance(key.kind, Known) or not isinstance(key.kind.value, str):
            raise NotCompiled("a column label that is computed", node)
        return self._value(owner, key.kind.value, node)

    def _value(self, owner: Any, label: str, node: Any) -> Any:
        if label in self.labels:
            return item(owner, self.labels.index(label))
        if label not in self.reasons:
            raise NotCompiled(f"{value_text(label)} is not a column", node)
        reason = self.reasons[label]
        raise _Unread(label) if reason is None else NotCompiled(reason, node)


def _reason(value: Value | str) -> str | None:
    """Why a value of a row is not given to code."""
    if isinstance(value, str):
        return value
    return f"a function of {value.kind} values" if value.kind not in _DTYPES or value.missing is not None else None


def of_windows(rows: Rows, function: Any, value: Expression, starts: Expression, ends: Expression, minimum: int, args: tuple[Any, ...], named: Mapping[str, Any], *, raw: bool) -> Column:
    """What a function makes of the elements of each window that has enough of them, which it is given as an array, or as a series."""
    function = unwrapped(function)
    base, found = _worth(function, rows)
    table = run.table(rows, {"value": value, "start": starts, "end": ends})
    elements = np.array(table.numpy("value", types.FLOAT64))
    first, last = (np.clip(table.numpy(name, types.INT64), 0, len(elements)) for name in ("start", "end"))
    there = np.concatenate(([0], np.cumsum(~np.isnan(elements))))
    enough = there[np.maximum(first, last)] - there[first] >= minimum
    made = _of_slices(function, found, elements, (first, last, enough), args, named, raw=raw, as_floats=True).values
    if not np.isfinite(made[enough]).all():
        raise NotCompiled("a function for which NumPy may warn")
    return captured_array(base, made, "value")


def of_groups(rows: Rows, function: Any, column: Column, keys: tuple[Expression, ...], without: Expression | None, args: tuple[Any, ...], named: Mapping[str, Any]) -> Column:
    """What a function makes of the values of each group, which it is given as a series: beside each row of the group, and of rows that are in none, nothing that means anything."""
    function = unwrapped(function)
    base, found = _worth(function, rows, _TURNS)
    number = captured_array(base, np.arange(base.count, dtype=np.int64), "number")
    asked = {"group": Over(fold("min", number.expression, skip="null"), keys), "value": column.expression}
    table = run.table(rows, asked if without is None else {**asked, "without": without})
    values = np.array(table.numpy("value", column.dtype))
    inside = np.ones(len(values), bool) if without is None else ~np.asarray(table.numpy("without", types.BOOL))
    groups = np.asarray(table.numpy("group", types.INT64))[inside]
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.concatenate(([True], np.diff(groups[order]) != 0)))
    ends = np.append(starts[1:], len(order))
    made = _column(_of_slices(function, found, values[inside][order], (starts, ends, np.ones(len(starts), bool)), args, named, raw=False))
    if made.dtype.kind == "f" and not np.isfinite(made).all():
        raise NotCompiled("a function for which NumPy may warn")
    beside = np.zeros(len(values), made.dtype)
    beside[np.flatnonzero(inside)[order]] = np.repeat(made, ends - starts)
    return captured_array(base, beside, "value")


def _worth(function: Any, rows: Rows, turns: int = 1) -> tuple[MemoryRows, Definition]:
    """Rows in memory, and the text of a function that may be compiled and is worth it where it is called once for a number of them; what was refused before is the reason otherwise."""
    base = space_of(rows)
    if not isinstance(function, python.FunctionType) or not isinstance(base, MemoryRows) or not base.count or not loops.is_worth(function, base.count // turns):
        raise NotCompiled("")
    return base, checked(loops.definition(function))


def _of_slices(function: python.FunctionType, found: Definition, elements: Any, bounds: tuple[Any, Any, Any], args: tuple[Any, ...], named: Mapping[str, Any], *, raw: bool, as_floats: bool = False) -> loops.Made:
    """What a function makes of slices of an array: where each begins and ends, and whether it is asked for."""
    bound = loops.parameters(function, found, [None, *args], dict(named))
    names = tuple(bound)
    if set(names) & {"starts", "ends", "enough"}:
        raise NotCompiled("a function with a name that is taken")
    # Who writes to a window writes to those of other rows.
    elements.flags.writeable = False
    window = loops.Given(names[0], loops.WINDOW)
    column = window if raw else loops.held(names[0], SERIES, [window])
    code = _rows(function, found, names, [column, *(None for _ in names[1:])], as_floats=as_floats)
    first, last, enough = bounds
    return code.computed(len(first), {**bound, names[0]: elements, "starts": first, "ends": last, "enough": enough})


class _Series(Face):
    """A series of numbers, as an array of its values: a loop over it gives numbers of Python's own, its positions those of NumPy's."""

    noun = "a series"
    iterates = True

    def attribute(self, t: Any, owner: Any, name: str, node: Any) -> Any:
        if name == "size":
            return self.given_to(t, len, owner, node)
        if name == "values":
            return item(owner, 0)
        if name in ("iloc", "iat"):
            return _POSITIONS.made([item(owner, 0)])
        raise NotCompiled(f"`{name}` of a series", node)

    def method(self, t: Any, owner: Any, name: str, args: list[Any], named: dict[str, Any], node: Any) -> Any:
        if name == "to_numpy" and not args and not named:
            return item(owner, 0)
        raise NotCompiled(f"`{name}` of a series", node)

    def given_to(self, t: Any, function: Any, owner: Any, node: Any) -> Any:
        if function is not len:
            raise NotCompiled(f"`{getattr(function, '__name__', function)}` of a series", node)
        return CodeValue(INT, (extents(t.writer, item(owner, 0))[0],))


class _Positions(Face):
    """`iloc` and `iat` of a series."""

    noun = "`iloc` of a series"

    def item(self, t: Any, owner: Any, key: Any, node: Any) -> Any:
        return element_at(t, item(owner, 0), key, node)


SERIES, _POSITIONS = _Series(), _Positions()


#: Code for the functions that are there, by their own.
_KNOWN: weakref.WeakKeyDictionary[python.CodeType, dict[Any, loops.Rows]] = weakref.WeakKeyDictionary()


def _rows(function: python.FunctionType, found: Definition, names: tuple[str, ...], columns: Sequence[loops.Given | None], *, as_floats: bool = False) -> loops.Rows:
    known = _KNOWN.setdefault(function.__code__, {})
    key = (id(function.__globals__), names, as_floats, tuple(None if column is None else (column.written(), None if column.face is None else column.face.key()) for column in columns))
    if key not in known:
        known[key] = loops.Rows(function, statements_of(found), names, columns, as_floats=as_floats)
    return known[key]


def _form(value: Value) -> str:
    """How a value of a row is written, that is given as pandas gives it."""
    reason = _reason(value)
    if reason is not None:
        raise NotCompiled(reason)
    return loops.NUMPYS if value.numpy else loops.PLAIN[value.kind]


def _arrays(rows: Rows, values: Mapping[str, Any]) -> dict[str, Any]:
    """The columns in memory, and constants as they are."""
    wanted = {name: value for name, value in values.items() if isinstance(value, Value)}
    table = run.table(rows, {f"given{at}": value.expression for at, value in enumerate(wanted.values())})
    arrays = {name: np.ascontiguousarray(table.numpy(f"given{at}", _DTYPES[value.kind])) for at, (name, value) in enumerate(wanted.items())}
    return {name: arrays.get(name, value) for name, value in values.items()}


def _column(made: loops.Made) -> Any:
    """Results as pandas has them: integers, where none of them is a float."""
    if made.floats is None or made.floats.any():
        return made.values
    if (np.abs(made.values) > _EXACT).any():
        raise NotCompiled("integers that were rounded")
    return made.values.astype(np.int64)
