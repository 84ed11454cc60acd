"""`filters` of `read_parquet`: which rows are read, as pyarrow decides it. A comparison with what is null is not true, and neither is one of what is null."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pyarrow

from airloom import ir
from airloom.pandas.algorithms import literals
from airloom.pandas.dtypes import types
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.refusals import Refused, value_text

_OPS: dict[str, str] = {"=": "eq", "==": "eq", "!=": "ne", "<": "lt", ">": "gt", "<=": "le", ">=": "ge"}
#: More values than this are a program too large to be worth it.
_MOST = 64

#: A column, an operator and a value.
Predicate = tuple[str, str, Any]
#: Rows for which all predicates of one of these are true.
Filters = list[list[Predicate]]


def checked(filters: Any) -> Filters:
    """Filters as pyarrow takes them; refused where they are something else, of which it may complain."""
    if not isinstance(filters, list) or not filters:
        raise Refused("`filters` is not a list of tuples")
    several = filters if all(isinstance(part, list) and part for part in filters) else [filters]
    for predicate in (one for part in several for one in part):
        if not isinstance(predicate, tuple) or len(predicate) != 3 or not all(isinstance(word, str) for word in predicate[:2]):
            raise Refused("`filters` is not a list of tuples")
        column, op, value = predicate
        if op in ("in", "not in"):
            if not isinstance(value, (list, tuple, set)) or not 0 < len(value) <= _MOST:
                raise Refused(f"`{op}` in `filters` with other than a few values")
        elif op not in _OPS:
            raise Refused(f"`{op}` in `filters`")
    return several


def names(filters: Filters) -> set[str]:
    """The columns that filters look at."""
    return {column for part in filters for column, _, _ in part}


def may_hold(filters: Filters, codes: dict[str, int], matching: Callable[[Predicate], Collection[int]]) -> bool:
    """Whether a partition with these keys has rows for which filters are true, as far as keys tell."""
    return any(all(codes[one[0]] in matching(one) for one in part if one[0] in codes) for part in filters)


def matching_codes(predicate: Predicate, values: Sequence[Any]) -> Collection[int]:
    """The positions of the values of a key for which a predicate is true; that of none is -1."""
    _, op, value = predicate
    for one in value if op in ("in", "not in") else (value,):
        if any(type(one) is not type(own) for own in values):
            raise Refused(f"a value of type `{type(one).__name__}` in `filters` beside keys of another")
    if op == "in":
        return [at for at, own in enumerate(values) if own in value]
    if op == "not in":
        return [-1, *(at for at, own in enumerate(values) if own not in value)]
    test = getattr(operator, _OPS[op])
    return [at for at, own in enumerate(values) if test(own, value)]


def predicate(filters: Filters, leaf: Callable[[Predicate], Expression]) -> Expression:
    """Filters as one expression: `leaf` makes those of single predicates."""
    parts = [reduce(lambda left, right: call("and_", left, right), map(leaf, part)) for part in filters]
    return reduce(lambda left, right: call("or_", left, right), parts)


def of_codes(code: Expression, width: ir.Type, codes: Collection[int]) -> Expression:
    """Whether a code is one of these."""
    tests = [call("eq", code, Literal(one, width)) for one in codes]
    return reduce(lambda left, right: call("or_", left, right), tests) if tests else Literal(False, ir.bool_)


def of_column(column: Expression, kind: pyarrow.DataType, dtype: Any, asked: Predicate) -> Expression:
    """Whether a predicate is true of a column of Arrow's."""
    _, op, value = asked
    if op not in ("in", "not in"):
        if pyarrow.types.is_boolean(kind) and _OPS[op] not in ("eq", "ne"):
            raise Refused(f"`{op}` of booleans in `filters`")
        return call("is_true", call(_OPS[op], column, _literal(value, kind, dtype)))
    if not (pyarrow.types.is_integer(kind) or types.is_text(dtype)):
        raise Refused(f"`{op}` in `filters` of a column of Arrow's type `{kind}`")
    tests = [call("is_true", call("eq", column, _literal(one, kind, dtype))) for one in value]
    found = reduce(lambda left, right: call("or_", left, right), tests)
    return found if op == "in" else call("not_", found)


def _literal(value: Any, kind: pyarrow.DataType, dtype: Any) -> Literal:
    """A value beside a column of Arrow's, where both are compared as they are: Arrow casts them to a type that they have in common, which may round."""
    test = pyarrow.types
    if test.is_boolean(kind):
        exact = type(value) is bool
    elif test.is_uint64(kind):
        exact = False
    elif test.is_integer(kind):
        exact = type(value) is int and np.iinfo(kind.to_pandas_dtype()).min <= value <= np.iinfo(kind.to_pandas_dtype()).max
    elif test.is_float64(kind):
        exact = (type(value) is float and value == value) or (type(value) is int and abs(value) <= 1 << 53)
    elif test.is_string(kind) or test.is_large_string(kind):
        exact = type(value) is str
    else:
        exact = test.is_timestamp(kind) and pyarrow.scalar(value).type == kind
    if not exact:
        raise Refused(f"`filters` with {value_text(value)} beside a column of Arrow's type `{kind}`")
    return literals.literal(float(value) if test.is_float64(kind) else value, dtype)
