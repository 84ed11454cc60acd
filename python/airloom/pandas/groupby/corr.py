"""How columns go together within groups, and some rows of each group at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.align import aligned
from airloom.pandas.algorithms.elementwise import as_floats
from airloom.pandas.algorithms.prototypes import ask_pandas, heard
from airloom.pandas.algorithms.relocate import in_memory
from airloom.pandas.algorithms.take import at_positions
from airloom.pandas.dispatch.registry import OPERATIONS, BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plan_of
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.groupby.grouping import Coded, Grouping, aggregated
from airloom.pandas.internals import materialize
from airloom.pandas.internals.shared_array import SharedLabels
from airloom.pandas.ops.aggregates import aggregate
from airloom.pandas.plan.expression import Expression, Literal, Over, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, RangeLabels, Vector
from airloom.pandas.plan.rows import Concatenated, Rows, Sorted
from airloom.pandas.reductions.comoments import least_of
from airloom.pandas.refusals import Refused, value_text

_NAN = Literal(float("nan"), ir.f64)
_NULL = Literal(None, ir.f64)
_ZERO = Literal(0.0, ir.f64)
#: Frames of more columns have too many pairs for one pass.
MOST_COLUMNS = 12


class _Pair:
    """Two columns in the rows of a group in which both have a value: how many, sums of products of distances, and whether either is the same everywhere."""

    def __init__(self, count: Expression, sums: Sequence[Expression], constant: Expression) -> None:
        self.count = count
        self.sums = sums
        self.constant = constant

    def correlation(self, least: int) -> Expression:
        """NaN where one of both does not change."""
        product = call("mul", self.sums[0], self.sums[1])
        usual = elementwise.both(call("gt", product, Literal(1e-250, ir.f64)), call("lt", product, Literal(1e250, ir.f64)))
        # What goes together with itself does so exactly: the root of a square.
        root = call("select", usual, call("sqrt", product), call("mul", call("sqrt", self.sums[0]), call("sqrt", self.sums[1])))
        found = call("div", self.sums[2], root)
        clipped = call("select", call("gt", found, Literal(1.0, ir.f64)), Literal(1.0, ir.f64), found)
        clipped = call("select", call("lt", clipped, Literal(-1.0, ir.f64)), Literal(-1.0, ir.f64), clipped)
        few = call("lt", self.count, Literal(float(max(least, 2)), ir.f64))
        return call("select", elementwise.either(self.constant, few), _NAN, clipped)

    def covariance(self, least: int) -> Expression:
        few = call("lt", self.count, Literal(float(max(least, 2)), ir.f64))
        return call("select", few, _NAN, call("div", self.sums[2], call("sub", self.count, Literal(1.0, ir.f64))))


#: Groups in memory, their keys, and each two of their columns.
_Found = tuple[Rows, list[Column], dict[tuple[int, int], _Pair]]


class _Sums:
    """The sums of a group that pairs are made of, each asked for once."""

    def __init__(self) -> None:
        self.folds: list[Column] = []

    def add(self, value: Expression, op: str = "sum", **options: Any) -> int:
        """The position of a sum, or of another fold."""
        self.folds.append(Column(fold(op, value, **options), types.FLOAT64))
        return len(self.folds) - 1


def _in_memory(groups: Grouping, sums: _Sums) -> tuple[Rows, list[Column], list[Expression]]:
    """The sums of each group, and its keys, computed: they are few."""
    rows, keys, found = aggregated(groups, sums.folds)
    made = materialize.restored_frame(Frame(rows, [*keys, *found], pandas.RangeIndex(len(keys) + len(found)), RangeLabels()))[1]
    return made.rows, list(made.columns[: len(keys)]), [column.expression for column in made.columns[len(keys) :]]


#: As many times the variance may the square of a mean be before sums of squares have lost too many digits.
_FAR = Literal(1000.0, ir.f64)


def _at_once(groups: Grouping, values: Sequence[Expression], wanted: Sequence[tuple[int, int]]) -> _Found | None:
    """Pairs by sums of products, in one pass; none where they have too few digits."""
    sums = _Sums()
    positions: dict[tuple[int, int], tuple[int, ...]] = {}
    gone: Expression = elementwise.FALSE
    for value in values:
        gone = elementwise.either(gone, elementwise.negated(call("is_finite", value)))
    if elementwise.any_row(groups.frame.rows, gone):
        for one, two in wanted:
            both = elementwise.both(call("is_finite", values[one]), call("is_finite", values[two]))
            x, y = (call("select", both, values[at], _ZERO) for at in (one, two))
            count = sums.add(call("select", both, Literal(1.0, ir.f64), _ZERO), reassoc=True)
            positions[one, two] = (count, *(sums.add(value, reassoc=True) for value in (x, y, call("mul", x, x), call("mul", y, y), call("mul", x, y))))
    else:
        count = sums.add(call("mul", values[0], _ZERO), "count", skip="none")
        sums.folds[count] = Column(call("cast", sums.folds[count].expression, to=ir.f64), types.FLOAT64)
        alone = [sums.add(value, reassoc=True) for value in values]
        squares = [sums.add(call("mul", value, value), reassoc=True) for value in values]
        for one, two in wanted:
            product = squares[one] if one == two else sums.add(call("mul", values[one], values[two]), reassoc=True)
            positions[one, two] = (count, alone[one], alone[two], squares[one], squares[two], product)
    rows, keys, found = _in_memory(groups, sums)
    pairs = {}
    bad: Expression = elementwise.FALSE
    for key, at in positions.items():
        many, first, second, *products = (found[position] for position in at)
        sides = ((first, first), (second, second), (first, second))
        around = [call("sub", product, call("div", call("mul", *pair), many)) for product, pair in zip(products, sides, strict=True)]
        pairs[key] = _Pair(many, around, elementwise.FALSE)
        for square, sum in zip(around, (first, second), strict=False):
            near = call("lt", call("div", call("mul", sum, sum), many), call("mul", _FAR, square))
            fine = elementwise.both(near, elementwise.both(call("gt", square, Literal(1e-250, ir.f64)), call("lt", square, Literal(1e250, ir.f64))))
            bad = elementwise.either(bad, elementwise.both(call("ge", many, Literal(2.0, ir.f64)), elementwise.negated(call("is_true", fine))))
    return None if elementwise.any_row(rows, bad) else (rows, keys, pairs)


def _one_by_one(groups: Grouping, values: Sequence[Expression], wanted: Sequence[tuple[int, int]]) -> _Found:
    """Pairs by distances from the means of groups."""
    partition = tuple(key.expression for key in groups.keys)
    sums = _Sums()
    positions = {}
    for one, two in wanted:
        there = elementwise.both(call("is_finite", values[one]), call("is_finite", values[two]))
        sides = [call("select", there, values[at], _NULL) for at in (one, two)]
        apart = [call("sub", side, Over(fold("mean", side, skip="null", reassoc=True), partition)) for side in sides]
        count = sums.add(call("select", there, Literal(1.0, ir.f64), _ZERO), reassoc=True)
        products = [call("coalesce", call("mul", *pair), _ZERO) for pair in ((apart[0], apart[0]), (apart[1], apart[1]), (apart[0], apart[1]))]
        ends = [sums.add(side, op, skip="null") for side in sides for op in ("min", "max")]
        for end in ends:
            sums.folds[end] = Column(call("null_to_nan", sums.folds[end].expression), types.FLOAT64)
        positions[one, two] = (count, *(sums.add(product, reassoc=True) for product in products), *ends)
    rows, keys, found = _in_memory(groups, sums)
    pairs = {}
    for key, at in positions.items():
        many, *around, least, greatest, low, high = (found[position] for position in at)
        pairs[key] = _Pair(many, around, elementwise.either(call("eq", least, greatest), call("eq", low, high)))
    return rows, keys, pairs


def _columns(groups: Grouping, numeric_only: Any) -> tuple[list[Expression], pandas.Index]:
    """The columns of groups as floats, and their labels."""
    if not isinstance(numeric_only, bool) or groups.vector or not groups.as_index or groups.spans is not None or groups.whole:
        raise Refused(f"`numeric_only={value_text(numeric_only)}`, a Series, `as_index=False`, unobserved categories, or groups by time")
    if groups.selection is None and not groups.exclusions:
        raise Refused("groups by keys that are not columns")
    positions = [at for at in groups.positions if not numeric_only or types.is_numeric(materialize.decided(groups.frame.columns[at]).dtype)]
    labels = groups.frame.labels.take(positions)
    if not positions or len(positions) > MOST_COLUMNS or isinstance(labels, pandas.MultiIndex) or not labels.is_unique:
        raise Refused(f"no columns, more than {MOST_COLUMNS} of them, duplicate column labels, or MultiIndex columns")
    if run.count(groups.rows_with_keys()) == 0:
        raise Refused("no groups")
    return [as_floats(groups.frame.columns[at]) for at in positions], labels


def _squares(groups: Grouping, values: Sequence[Expression], labels: pandas.Index, make: Callable[[_Pair], Expression]) -> Frame:
    """A square of each group, one below the other."""
    if not groups.group_keys:
        raise Refused("`group_keys=False`")
    wanted = [(one, two) for one in range(len(values)) for two in range(one + 1)]
    rows, keys, pairs = _at_once(groups, values, wanted) or _one_by_one(groups, values, wanted)
    positions = {key: make(pair) for key, pair in pairs.items()}
    size = len(labels)
    key_slots, value_slots = [Slot("key") for _ in keys], [Slot("value") for _ in labels]
    group, number = Slot("group"), Slot("column")
    parts: list[tuple[Rows, list[Expression]]] = []
    for one in range(size):
        values = [positions[max(one, two), min(one, two)] for two in range(size)]
        parts.append((rows, [*(key.expression for key in keys), *values, Ref(rows.position), Literal(one, ir.i64)]))
    stacked = Concatenated([*key_slots, *value_slots, group, number], parts)
    made = Sorted(stacked, [Ref(group), Ref(number)], ["asc.last", "asc.last"])
    levels = [key.at(Ref(slot)) for key, slot in zip(keys, key_slots, strict=True)]
    names = Column(Ref(number), labels.dtype, SharedLabels(labels))
    index = ColumnLabels([*levels, names], [*groups.names, *labels.names], grouped=(bool(groups.sort), bool(groups.dropna)))
    return Frame(made, [Column(Ref(slot), types.FLOAT64) for slot in value_slots], labels, index)


@operation("GroupBy.corr")
def corr(groups: Grouping, method: Any = "pearson", min_periods: Any = 1, numeric_only: Any = False) -> Frame:
    least = least_of(min_periods)
    if not isinstance(method, str) or method != "pearson":
        raise Refused(f"`method={value_text(method)}` of `corr`")
    values, labels = _columns(groups, numeric_only)
    return _squares(groups, values, labels, lambda pair: pair.correlation(least))


@operation("GroupBy.cov")
def cov(groups: Grouping, min_periods: Any = None, ddof: Any = 1, numeric_only: Any = False) -> Frame:
    least = least_of(min_periods)
    if ddof != 1 or least != 1:
        raise Refused(f"`ddof={value_text(ddof)}`, or `min_periods={value_text(min_periods)}`")
    values, labels = _columns(groups, numeric_only)
    rows, _, (count,) = aggregated(groups, [aggregate("size", groups.keys[0], grouped=True)])
    bad: Expression = elementwise.FALSE
    for value in values:
        bad = elementwise.either(bad, call("is_infinite", value))
    if elementwise.any_row(rows, call("lt", count.expression, Literal(2, ir.i64))) or elementwise.any_row(groups.frame.rows, bad):
        raise Refused("infinite values, or groups of one row")
    return _squares(groups, values, labels, lambda pair: pair.covariance(least))


@operation("GroupBy.corrwith")
def corrwith(groups: Grouping, other: Any, drop: Any = False, method: Any = "pearson", numeric_only: Any = False) -> Frame:
    if method != "pearson" or not isinstance(other, BaseSeries) or not isinstance(drop, bool):
        raise Refused(f"`method={value_text(method)}` of `corrwith`, `drop`, or an `other` that is not a Series")
    values, labels = _columns(groups, numeric_only)
    frame = groups.frame
    if any(types.is_masked(materialize.decided(frame.column(label)).dtype) for label in labels):
        raise Refused("`corrwith` of nullable numbers")
    rows, partner = aligned(frame.rows, frame.index, plan_of(other))
    if not materialize.restored_index(rows, frame.index).is_unique:
        raise Refused("duplicate index labels")
    beside = groups.chosen(list(labels))
    beside.frame = frame.with_columns(frame.columns, rows=rows)
    values = [*values, as_floats(partner)]
    wanted = [(len(values) - 1, at) for at in range(len(labels))]
    rows, keys, pairs = _at_once(beside, values, wanted) or _one_by_one(beside, values, wanted)
    for pair in pairs.values():
        if elementwise.any_row(rows, elementwise.both(pair.constant, call("ge", pair.count, Literal(2.0, ir.f64)))):
            raise Refused("a constant column, of which rounding may leave something")
    # pandas warns of this method.
    heard(lambda: BaseDataFrame({"key": [0], "value": [0.0]}).groupby("key").corrwith(BaseSeries([0.0])))
    columns = [Column(pairs[pair].correlation(1), types.FLOAT64) for pair in wanted]
    index = ColumnLabels(keys, groups.names, made=groups.labels(), grouped=(bool(groups.sort), bool(groups.dropna)))
    return Frame(rows, columns, labels, index)


@operation("GroupBy.sample")
def sample(groups: Grouping, n: Any = None, frac: Any = None, replace: Any = False, weights: Any = None, random_state: Any = None) -> Any:
    if weights is not None or groups.spans is not None or groups.whole or any(isinstance(key, Coded) for key in groups.keys):
        raise Refused("`weights`, unobserved categories, or groups by time")
    if isinstance(random_state, (np.random.Generator, np.random.RandomState)):
        raise Refused("`random_state` is a generator: use an integer")
    numbers = OPERATIONS["GroupBy"]["ngroup"](groups)
    frame = in_memory(groups.frame)
    code = call("coalesce", call("cast", numbers.column.expression, to=ir.optional(ir.i64)), Literal(-1, ir.i64))
    codes = run.table(numbers.rows, {"code": code}).numpy("code", "int64")
    positions = np.flatnonzero(codes >= 0)
    if not len(positions):
        raise Refused("no groups")
    chosen = ask_pandas(lambda: BaseSeries(positions).groupby(codes[positions]).sample(n=n, frac=frac, replace=replace, random_state=random_state)).to_numpy()
    index = materialize.restored_index(frame.rows, frame.index).take(chosen)
    if groups.vector:
        position = groups.positions[0]
        return at_positions(Vector(frame.rows, frame.columns[position], groups.selection, frame.index), chosen, index)
    kept = groups.positions if groups.selection is not None else list(range(len(frame.columns)))
    return at_positions(frame.with_columns([frame.columns[at] for at in kept], frame.labels.take(kept)), chosen, index)
