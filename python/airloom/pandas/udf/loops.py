"""Functions that no expression of columns says (loops, unpacked tuples, functions of NumPy's): compiled as `@airloom.jit` compiles them, as a loop over the rows."""

from __future__ import annotations

import ast
import copy
import types as python
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas

from airloom.functions import rows as loops
from airloom.functions.driver import Jitted
from airloom.functions.refusals import NotCompiled
from airloom.functions.syntax import statements_of
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Expression
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import MemoryRows, Rows, space_of
from airloom.pandas.refusals import Refused
from airloom.pandas.udf.source import checked
from airloom.pandas.udf.values import Constant, Operand, Row, Value

_DTYPES = {"int": types.INT64, "float": types.FLOAT64, "bool": types.BOOL}
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
    body = statements_of(found)
    values: dict[str, Any] = {}
    for name, operand in bound.items():
        if isinstance(operand, Row):
            body, columns = _by_columns(body, name, operand, set(bound))
            values |= columns
        else:
            values[name] = operand.value if isinstance(operand, Constant) else operand
    if not any(isinstance(value, Value) for value in values.values()):
        raise NotCompiled("a function of constants")
    forms = tuple(_form(value) for value in values.values())
    made = _rows(function, body, tuple(values), forms).computed(count, _arrays(rows, values))
    column = _column(made)
    if (loops.NUMPYS in forms or loops.uses_numpy(function)) and column.dtype.kind == "f" and not np.isfinite(column).all():
        raise NotCompiled("a function for which NumPy may warn")
    return captured_array(base, column, "value")


def of_windows(rows: Rows, function: Any, value: Expression, starts: Expression, ends: Expression, minimum: int, args: tuple[Any, ...], named: Mapping[str, Any]) -> Column:
    """What a function makes of the elements of each window that has enough of them, which it is given as an array."""
    function = unwrapped(function)
    base = space_of(rows)
    if not isinstance(function, python.FunctionType) or not isinstance(base, MemoryRows) or not loops.is_worth(function, base.count):
        raise NotCompiled("")
    found = checked(loops.definition(function))
    bound = loops.parameters(function, found, [None, *args], dict(named))
    body = statements_of(found)
    table = run.table(rows, {"value": value, "start": starts, "end": ends})
    elements = np.array(table.numpy("value", types.FLOAT64))
    # Who writes to a window writes to those of other rows.
    elements.flags.writeable = False
    first, last = (np.clip(table.numpy(name, types.INT64), 0, len(elements)) for name in ("start", "end"))
    there = np.concatenate(([0], np.cumsum(~np.isnan(elements))))
    enough = there[np.maximum(first, last)] - there[first] >= minimum
    names = tuple(bound)
    code = _rows(function, body, names, (loops.WINDOW, *(None for _ in names[1:])))
    made = code.computed(len(elements), {**bound, names[0]: elements, "starts": first, "ends": last, "enough": enough}).values
    if not np.isfinite(made[enough]).all():
        raise NotCompiled("a function for which NumPy may warn")
    return captured_array(base, made, "value")


#: Code for the functions that are there, by their own.
_KNOWN: weakref.WeakKeyDictionary[python.CodeType, dict[Any, loops.Rows]] = weakref.WeakKeyDictionary()


def _rows(function: python.FunctionType, body: Sequence[ast.stmt], names: tuple[str, ...], forms: tuple[str | None, ...]) -> loops.Rows:
    found = _KNOWN.setdefault(function.__code__, {})
    key = (id(function.__globals__), names, forms, "\n".join(map(ast.unparse, body)))
    if key not in found:
        columns = [None if form is None else loops.Given(name, form) for name, form in zip(names, forms, strict=True)]
        found[key] = loops.Rows(function, body, names, columns)
    return found[key]


def _form(value: Any) -> str | None:
    """How a value of a row is written, that is given as pandas gives it."""
    if not isinstance(value, Value):
        return None
    if value.kind not in _DTYPES or value.missing is not None:
        raise NotCompiled(f"a function of {value.kind} values")
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


def _by_columns(body: Sequence[ast.stmt], name: str, row: Row, taken: set[str]) -> tuple[list[ast.stmt], dict[str, Value]]:
    """Statements with a name for each column of a row that they read."""
    reading = _Reading(name, row, taken | {node.id for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name)})
    # What was read of a file is nobody's to change.
    return [reading.visit(copy.deepcopy(statement)) for statement in body], reading.columns


class _Reading(ast.NodeTransformer):
    """Puts a name in the place of `row["label"]` and `row.label`. A row that is used otherwise is pandas' own."""

    def __init__(self, name: str, row: Row, taken: set[str]) -> None:
        self.name, self.row, self.taken = name, row, taken
        self.columns: dict[str, Value] = {}
        self._names: dict[str, str] = {}

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as label), ctx=ast.Load()) if name == self.name:
                return self._named(label, node)
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=label, ctx=ast.Load()) if name == self.name and not hasattr(pandas.Series, label):
                return self._named(label, node)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == self.name:
            raise NotCompiled("a row that is used as a whole")
        return node

    def _named(self, label: str, node: ast.expr) -> ast.expr:
        value = self.row.values.get(label)
        if not isinstance(value, Value):
            raise NotCompiled(value if isinstance(value, str) else f"`{label}` is not a column")
        if label not in self._names:
            name = f"column_{len(self._names)}"
            while name in self.taken:
                name += "_"
            self._names[label] = name
            self.columns[name] = value
        return ast.copy_location(ast.Name(self._names[label], ast.Load()), node)
