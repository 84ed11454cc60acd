"""How columns go together within groups, and some rows of each group at random."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.data import restore, types
from airloom.pandas.data.held import HeldLabels
from airloom.pandas.face.dispatch import OPERATIONS, BaseSeries, operation
from airloom.pandas.operations import elements
from airloom.pandas.operations.gather import at_places
from airloom.pandas.operations.groups import Coded, Grouping, aggregated
from airloom.pandas.operations.models import asked
from airloom.pandas.operations.pairs import as_floats
from airloom.pandas.operations.places import in_memory
from airloom.pandas.plan import run
from airloom.pandas.plan.expression import Expression, Literal, Over, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, Frame, Keys, Refused, Vector
from airloom.pandas.plan.rows import Rows, Sorted, Stacked

_NAN = Literal(float("nan"), ir.f64)
_NULL = Literal(None, ir.f64)
_ZERO = Literal(0.0, ir.f64)
#: Frames of more columns have too many pairs for one pass.
MOST_COLUMNS = 12


class _Pair:
    """Two columns in the rows of a group in which both have a value."""

    def __init__(self, groups: Grouping, first: Expression, second: Expression) -> None:
        there = elements.both(call("is_finite", first), call("is_finite", second))
        partition = tuple(key.expression for key in groups.keys)
        self.count = call("cast", fold("sum", call("cast", there, to=ir.i64)), to=ir.f64)
        values = [call("select", there, value, _NULL) for value in (first, second)]
        self.constant = [call("eq", fold("min", value, skip="null"), fold("max", value, skip="null")) for value in values]
        apart = [call("sub", value, Over(fold("mean", value, skip="null", reassoc=True), partition)) for value in values]
        self.sums = [
            fold("sum", call("coalesce", call("mul", *pair), _ZERO), reassoc=True) for pair in ((apart[0], apart[0]), (apart[1], apart[1]), (apart[0], apart[1]))
        ]

    def correlation(self, least: int) -> Expression:
        """NaN where one of both does not change."""
        found = call("div", call("div", self.sums[2], call("sqrt", self.sums[0])), call("sqrt", self.sums[1]))
        clipped = call("select", call("gt", found, Literal(1.0, ir.f64)), Literal(1.0, ir.f64), found)
        clipped = call("select", call("lt", clipped, Literal(-1.0, ir.f64)), Literal(-1.0, ir.f64), clipped)
        none = call("is_true", call("or_", *self.constant))
        few = call("lt", self.count, Literal(float(max(least, 2)), ir.f64))
        return call("select", elements.either(none, few), _NAN, clipped)

    def covariance(self, least: int) -> Expression:
        few = call("lt", self.count, Literal(float(max(least, 2)), ir.f64))
        return call("select", few, _NAN, call("div", self.sums[2], call("sub", self.count, Literal(1.0, ir.f64))))


def _least(min_periods: Any) -> int:
    if min_periods is None:
        return 1
    if not isinstance(min_periods, int) or isinstance(min_periods, bool):
        raise Refused("a least number of periods that is none")
    return min_periods


def _columns(groups: Grouping, numeric_only: Any) -> tuple[list[Expression], pandas.Index]:
    """The columns of groups as floats, and their labels."""
    if not isinstance(numeric_only, bool) or groups.vector or not groups.as_index or groups.spans is not None or groups.whole:
        raise Refused("pairs of columns of such groups")
    if groups.selection is None and not groups.exclusions:
        raise Refused("groups by what is no column")
    places = [at for at in groups.places if not numeric_only or types.is_numeric(restore.decided(groups.frame.columns[at]).dtype)]
    labels = groups.frame.labels.take(places)
    if not places or len(places) > MOST_COLUMNS or isinstance(labels, pandas.MultiIndex) or not labels.is_unique:
        raise Refused("no columns, many, or some of several levels")
    if run.count(groups.rows_with_keys()) == 0:
        raise Refused("no groups")
    return [as_floats(groups.frame.columns[at]) for at in places], labels


def _squares(groups: Grouping, pairs: dict[tuple[int, int], Expression], labels: pandas.Index) -> Frame:
    """A square of each group, one below the other."""
    rows, keys, found = aggregated(groups, [Column(pair, types.FLOAT64) for pair in pairs.values()])
    places = dict(zip(pairs, (column.expression for column in found), strict=True))
    size = len(labels)
    key_slots, value_slots = [Slot("key") for _ in keys], [Slot("value") for _ in labels]
    group, number = Slot("group"), Slot("column")
    parts: list[tuple[Rows, list[Expression]]] = []
    for one in range(size):
        values = [places[max(one, two), min(one, two)] for two in range(size)]
        parts.append((rows, [*(key.expression for key in keys), *values, Ref(rows.position), Literal(one, ir.i64)]))
    stacked = Stacked([*key_slots, *value_slots, group, number], parts)
    made = Sorted(stacked, [Ref(group), Ref(number)], ["asc.last", "asc.last"])
    levels = [key.at(Ref(slot)) for key, slot in zip(keys, key_slots, strict=True)]
    names = Column(Ref(number), labels.dtype, HeldLabels(labels))
    index = Keys([*levels, names], [*groups.names, *labels.names], grouped=(bool(groups.sort), bool(groups.dropna)))
    return Frame(made, [Column(Ref(slot), types.FLOAT64) for slot in value_slots], labels, index)


@operation("GroupBy.corr")
def corr(groups: Grouping, method: Any = "pearson", min_periods: Any = 1, numeric_only: Any = False) -> Frame:
    least = _least(min_periods)
    if method != "pearson":
        raise Refused("how columns go together")
    values, labels = _columns(groups, numeric_only)
    pairs = {(one, two): _Pair(groups, values[one], values[two]).correlation(least) for one in range(len(values)) for two in range(one + 1)}
    return _squares(groups, pairs, labels)


@operation("GroupBy.cov")
def cov(groups: Grouping, min_periods: Any = None, ddof: Any = 1, numeric_only: Any = False) -> Frame:
    least = _least(min_periods)
    if ddof != 1 or least > 1:
        raise Refused("degrees of freedom, or a least number of periods")
    values, labels = _columns(groups, numeric_only)
    partition = tuple(key.expression for key in groups.keys)
    alone = call("lt", Over(fold("count", values[0], skip="none"), partition), Literal(2, ir.i64))
    for value in values:
        if elements.anywhere(groups.frame.rows, elements.either(call("is_infinite", value), alone)):
            raise Refused("infinite values, or groups of one row")
    pairs = {(one, two): _Pair(groups, values[one], values[two]).covariance(least) for one in range(len(values)) for two in range(one + 1)}
    return _squares(groups, pairs, labels)


@operation("GroupBy.sample")
def sample(groups: Grouping, n: Any = None, frac: Any = None, replace: Any = False, weights: Any = None, random_state: Any = None) -> Any:
    if weights is not None or groups.spans is not None or groups.whole or any(isinstance(key, Coded) for key in groups.keys):
        raise Refused("weights, or such groups")
    if isinstance(random_state, (np.random.Generator, np.random.RandomState)):
        raise Refused("numbers that are drawn from somewhere else")
    numbers = OPERATIONS["GroupBy"]["ngroup"](groups)
    frame = in_memory(groups.frame)
    codes = run.table(numbers.rows, {"code": call("coalesce", call("cast", numbers.column.expression, to=ir.optional(ir.i64)), Literal(-1, ir.i64))}).numpy("code", "int64")
    places = np.flatnonzero(codes >= 0)
    if not len(places):
        raise Refused("no groups")
    chosen = asked(lambda: BaseSeries(places).groupby(codes[places]).sample(n=n, frac=frac, replace=replace, random_state=random_state)).to_numpy()
    index = restore.restored_index(frame.rows, frame.index).take(chosen)
    if groups.vector:
        place = groups.places[0]
        return at_places(Vector(frame.rows, frame.columns[place], groups.selection, frame.index), chosen, index)
    kept = groups.places if groups.selection is not None else list(range(len(frame.columns)))
    return at_places(frame.with_columns([frame.columns[at] for at in kept], frame.labels.take(kept)), chosen, index)
