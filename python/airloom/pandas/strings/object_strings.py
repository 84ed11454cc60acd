"""Text that pandas holds as objects of Python, or as categories: what the accessor `str` makes of it is objects again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.core.dtypes.dtypes import CategoricalDtype

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.categorical import codes
from airloom.pandas.dtypes import types
from airloom.pandas.internals import convert, materialize, objects
from airloom.pandas.ops import masked
from airloom.pandas.plan.expression import Expression, Literal, Ref, call
from airloom.pandas.plan.frame import Column, ObjectView, Vector
from airloom.pandas.plan.rows import DataSlot, MemoryRows
from airloom.pandas.refusals import Refused

NO_DEFAULT = pandas.api.extensions.no_default


class Mixed(ObjectView):
    """Text among numbers and booleans, of which methods for text make NaN."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(types.STR, np.nan)


class OfCategories(ObjectView):
    """Text that categories are: `of` is their dtype."""

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        super().__init__(types.STR, np.nan)
        self.of = of


def read(vector: Vector) -> Vector | None:
    """A vector of objects or of categories that are all text, as text that is shown as objects; none where it is something else."""
    column = materialize.decided(vector.column)
    if types.is_category(column.dtype):
        return _of_categories(vector, column)
    column = elementwise.understood(column)
    if column.by_position:
        return _mixed(vector, column)
    if column.shown is None or not types.is_text(column.shown.dtype):
        return None
    if not isinstance(vector.rows, MemoryRows) and not elementwise.any_row(vector.rows, elementwise.negated(call("is_null", column.expression))):
        # Of nothing but missing values pandas makes other dtypes.
        return None
    return Vector(vector.rows, column, vector.name, vector.index)


def _mixed(vector: Vector, column: Column) -> Vector | None:
    """Objects of which some are text, as they stand in memory."""
    space = column.held.space
    if column.dtype != types.OBJECT or space is None or not isinstance(column.expression, Ref) or column.expression.slot is not space._position:
        return None
    text = objects.read_text(column.held.array)
    if text is None:
        return None
    slot = DataSlot("value", space, ir.optional(ir.str_), None, lambda: convert.to_column(text, types.STR))
    return Vector(vector.rows, Column(Ref(slot), types.OBJECT, shown=Mixed()), vector.name, vector.index)


def _of_categories(vector: Vector, column: Column) -> Vector | None:
    names = column.dtype.categories
    of = names.dtype
    if not len(names) or column.unsupported or not (types.is_text(of) or of == types.OBJECT):
        return None
    if of == types.OBJECT:
        found = objects.read(np.asarray(names))
        if found is None or found[1] != types.STR:
            return None
        column = Column(column.expression, CategoricalDtype(pandas.Index(found[0])))
    rows, column = codes.values_of(vector.rows, column)
    return Vector(rows, Column(column.expression, types.OBJECT, shown=OfCategories(of)), vector.name, vector.index)


def missing_of(vector: Vector) -> Any:
    """What stands where text is missing."""
    assert vector.column.shown is not None
    missing = vector.column.shown.missing
    return np.nan if missing is ... else missing


def has_missing(vector: Vector) -> bool:
    return elementwise.any_row(vector.rows, call("is_null", vector.expression))


def only_nan(vector: Vector) -> None:
    """Refuses what is missing in another way than the NaN that a result has."""
    if not isinstance(missing_of(vector), float) and has_missing(vector):
        raise Refused("objects of which some are `None` or `NA`")


def text(expression: Expression, missing: Any) -> Column:
    """A column of objects that are text."""
    return Column(expression, types.OBJECT, shown=ObjectView(types.STR, missing))


def truth(vector: Vector, expression: Expression, na: Any) -> Column:
    """Booleans of objects: where text is missing they are, unless it is said what they are then."""
    shown = vector.column.shown
    missing = missing_of(vector)
    if isinstance(shown, OfCategories) and shown.of != types.OBJECT and (na is NO_DEFAULT or literals.is_missing(na)):
        na = False
    if isinstance(na, (bool, np.bool_)):
        return Column(call("coalesce", expression, Literal(bool(na), ir.bool_)), types.BOOL)
    if (na is None or na is pandas.NA) and not isinstance(shown, OfCategories):
        missing = na
    elif na is not NO_DEFAULT and na is not np.nan:
        raise Refused("`na` for objects")
    if isinstance(missing, float):
        return elementwise.nullable(expression, types.BOOL, vector.rows)
    if not elementwise.any_row(vector.rows, call("is_null", expression)):
        return Column(call("is_true", expression), types.BOOL)
    return Column(expression, types.OBJECT, shown=ObjectView(masked.BOOLEAN, missing))


def parts(vector: Vector, columns: list[Expression], *, ragged: bool) -> list[Column]:
    """Columns of what text was taken apart into. With `ragged` some text has fewer parts than others: what is not there is None."""
    shown = vector.column.shown
    if isinstance(shown, OfCategories) and shown.of != types.OBJECT:
        return [Column(column, shown.of) for column in columns]
    missing = missing_of(vector)
    if missing is None or not has_missing(vector):
        missing = None
    elif missing is not np.nan or ragged:
        raise Refused("strings with missing values of several sorts")
    return [text(column, missing) for column in columns]


def of_categories(vector: Vector) -> bool:
    """Whether this is text that categories are."""
    return isinstance(vector.column.shown, OfCategories)


def refuse_mixed(vector: Vector) -> None:
    """Refuses what is not all text, for methods that make something else than NaN of it."""
    if isinstance(vector.column.shown, Mixed):
        raise Refused("strings beside numbers")


def is_shown(vector: Vector) -> bool:
    """Whether this is text that is shown as objects."""
    return vector.column.shown is not None


