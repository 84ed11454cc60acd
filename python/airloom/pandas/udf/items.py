"""Items and attributes: of rows, dicts, text and timestamps."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.datetimes import accessor
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.udf.values import Constant, Operand, Row, Value, chosen, kind_of, typed, whole, words

if TYPE_CHECKING:
    from airloom.pandas.udf.translate import Translation

END = Literal(2**63 - 1, ir.i64)
#: At most this many entries of a dict are looked up one after the other.
MOST = 100


def attribute(translation: Translation, owner: Operand, name: str) -> Operand:
    """An attribute: a column of a row, a part of a timestamp, or something in a module."""
    if isinstance(owner, Row):
        if hasattr(pandas.Series, name):
            raise Refused(f"`{name}` of a row")
        return _column(owner, name)
    if isinstance(owner, Constant):
        if isinstance(owner.value, (types.ModuleType, type)):
            return Constant(_read(owner.value, name))
        raise Refused(f"an attribute of `{type(owner.value).__name__}`")
    owner = typed(owner)
    parts = {"dayofweek": "weekday", "day_of_week": "weekday", "dayofyear": "day_of_year", "day_of_year": "day_of_year", "microsecond": "micro"}
    if owner.kind == "timestamp" and (name in parts or name in ("year", "month", "day", "hour", "minute", "second", "quarter", "days_in_month")):
        return part(translation, owner, parts.get(name, name))
    raise Refused(f"`{name}` of {owner.kind}")


def _read(owner: Any, name: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError as error:
        raise Refused(f"the attribute `{name}`, which does not exist") from error


def part(translation: Translation, owner: Value, name: str) -> Value:
    value = translation.known(owner)
    found = call("cast", accessor.part(value.expression, name), to=ir.optional(ir.i64))
    return Value("int", call("coalesce", found, whole(0)))


def _column(row: Row, label: Any) -> Operand:
    if label not in row.values:
        raise Refused(f"{value_text(label)} is not a column")
    found: Operand | str = row.values[label]
    if isinstance(found, str):
        raise Refused(found)
    return found


def contained(translation: Translation, left: Operand, right: Operand) -> Expression:
    """Whether a value is in a collection, or a part of text."""
    if isinstance(right, Constant) and isinstance(right.value, (tuple, list, set, frozenset, dict)):
        if isinstance(left, Constant):
            return elementwise.TRUE if left.value in right.value else elementwise.FALSE
        value = typed(left)
        items = [item for item in right.value if kind_of(item) == value.kind]
        if len(items) != len(right.value) or value.kind not in ("int", "str", "float", "bool"):
            raise Refused("`in` a collection of other types")
        if value.kind == "float" and any(item != item for item in items):
            raise Refused("NaN in a collection")
        if value.missing is not None and value.kind != "str":
            value = translation.known(value)
        if not items:
            return elementwise.FALSE
        # What is missing is in no collection of text.
        return call("is_true", call("is_in", value.expression, *(typed(Constant(item)).expression for item in items)))
    first, second = translation.known(left), translation.known(right)
    if first.kind == second.kind == "str":
        return call("str_contains", second.expression, first.expression)
    raise Refused(f"{first.kind} in {second.kind}")


def cut(translation: Translation, container: Operand, bounds: Sequence[Operand | None]) -> Value:
    """A slice of text."""
    value = translation.known(container)
    start, stop, step = bounds
    if value.kind != "str" or step is not None:
        raise Refused(f"a slice of {value.kind}, or with a step")
    positions: list[Expression] = []
    for bound, otherwise in ((start, whole(0)), (stop, END)):
        if bound is None or (isinstance(bound, Constant) and bound.value is None):
            positions.append(otherwise)
            continue
        position = translation.known(bound)
        if position.kind != "int":
            raise Refused("a position that is not an integer")
        positions.append(position.expression)
    return Value("str", call("str_slice", value.expression, *positions))


def item(translation: Translation, container: Operand, key: Operand) -> Operand:
    """An item of a row, of a dict, of text or of its parts."""
    if isinstance(container, Row):
        if not isinstance(key, Constant) or not isinstance(key.value, str):
            raise Refused("a column label that is computed")
        return _column(container, key.value)
    if isinstance(container, Constant) and isinstance(key, Constant):
        if not isinstance(container.value, (dict, tuple, list, str)):
            raise Refused(f"an item of `{type(container.value).__name__}`")
        try:
            return Constant(container.value[key.value])
        except Exception as error:
            raise Refused("an item that does not exist") from error
    if isinstance(container, Constant) and type(container.value) is dict:
        return looked_up(translation, container.value, key, None)
    value = translation.known(container)
    position = translation.known(key)
    if position.kind != "int" or value.kind not in ("str", "list"):
        raise Refused(f"an item of {value.kind}")
    found = call("str_at" if value.kind == "str" else "list_at", value.expression, position.expression)
    translation.never(call("is_null", found))
    return Value("str", call("coalesce", found, words("")))


def looked_up(translation: Translation, mapping: dict[Any, Any], key: Operand, default: Operand | None) -> Operand:
    value = typed(key)
    if len(mapping) > MOST or not mapping or any(kind_of(one) != value.kind for one in mapping) or value.kind not in ("int", "str", "bool"):
        raise Refused(f"a dict of more than {MOST} values, or with keys of another type")
    if value.missing is not None and (value.kind != "str" or default is None):
        value = translation.known(value)
    hits = [(call("is_true", call("eq", value.expression, typed(Constant(one)).expression)), Constant(found)) for one, found in mapping.items()]
    if default is None:
        default = hits[-1][1]
        anywhere: Expression = hits[0][0]
        for hit, _ in hits[1:]:
            anywhere = elementwise.either(anywhere, hit)
        translation.never(elementwise.negated(anywhere))
    result: Operand = default
    for hit, found in reversed(hits):
        result = chosen(hit, found, result)
    return result
