"""How columns go together: the sums of products of the distances from their means."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dtypes import types
from airloom.pandas.ops.cumulative import ranked
from airloom.pandas.plan.expression import Expression, Literal, call, fold
from airloom.pandas.plan.frame import Column, evaluate_windows
from airloom.pandas.plan.rows import Rows
from airloom.pandas.reductions.reductions import reduced
from airloom.pandas.refusals import Refused, value_text

_NULL = Literal(None, ir.f64)
#: Squares below this have lost digits that pandas keeps.
_LEAST = 1e-250


class Pair(NamedTuple):
    """Of the rows in which both columns have a value: how many, and the sums of the products of distances. Those of a column of one value are zero."""

    many: int
    first: float
    second: float
    both: float

    def correlation(self) -> float:
        """How far both go together; NaN where one of them does not change."""
        if self.many < 2 or not self.first or not self.second:
            return float("nan")
        product = self.first * self.second
        # What goes together with itself does so exactly: the root of a square.
        root = np.sqrt(product) if _LEAST < product < 1 / _LEAST else np.sqrt(self.first) * np.sqrt(self.second)
        return float(np.clip(self.both / root, -1.0, 1.0))


def least_of(min_periods: Any) -> int:
    """How many rows there must be."""
    if min_periods is None:
        return 1
    if not isinstance(min_periods, int) or isinstance(min_periods, bool) or min_periods < 1:
        raise Refused(f"`min_periods={value_text(min_periods)}`")
    return min_periods


class _Side(NamedTuple):
    """One column in some rows: null where it is not looked at."""

    value: Expression
    many: int
    mean: float
    constant: bool

    @property
    def apart(self) -> Expression:
        """The distance from the mean."""
        return call("sub", self.value, Literal(self.mean, ir.f64))


def _sides(rows: Rows, values: Sequence[Expression]) -> list[_Side]:
    """What is to be known of columns before they are put together."""
    if not values:
        return []
    folds = []
    for value in values:
        folds.append(Column(fold("count", value, skip="null"), types.INT64))
        for op, options in (("mean", {"reassoc": True}), ("min", {}), ("max", {})):
            folds.append(Column(call("null_to_nan", fold(op, value, skip="null", **options)), types.FLOAT64))
    found = reduced(rows, folds)
    sides = []
    for at, value in enumerate(values):
        count, mean, least, greatest = found[4 * at : 4 * at + 4]
        if count and not all(map(np.isfinite, (mean, least, greatest))):
            raise Refused("infinite values, or overflow")
        sides.append(_Side(value, int(count), float(mean), bool(least == greatest)))
    return sides


def together(
    rows: Rows, values: Sequence[Expression], wanted: Sequence[tuple[int, int]], *, finite: bool = False, ranks: bool = False
) -> tuple[list[Pair], int]:
    """What is known of each two of these columns, which are floats; and how many rows there are.

    With `finite`, infinite values are missing. With `ranks`, the ranks of values are put together.
    """
    if ranks:
        values, wanted = _ranked(rows, values, wanted, finite)
    rows, settled = evaluate_windows(rows, [Column(value, types.FLOAT64) for value in values])
    there = [_is_there(column.expression, finite) for column in settled]
    plain = [column.expression for column in settled]
    found = _at_once(rows, plain, there, wanted, finite)
    if found is not None:
        return found
    return _one_by_one(rows, [call("select", has, value, _NULL) for value, has in zip(plain, there, strict=True)], wanted)


def _is_there(value: Expression, finite: bool) -> Expression:
    return call("is_finite", value) if finite else elementwise.negated(call("is_nan", value))


def _ranked(
    rows: Rows, values: Sequence[Expression], wanted: Sequence[tuple[int, int]], finite: bool
) -> tuple[list[Expression], list[tuple[int, int]]]:
    """The ranks of columns, and those of two among the rows in which both have a value, where one has not always."""
    there = [_is_there(value, finite) for value in values]
    total, *counts = reduced(rows, [Column(fold("count", values[0], skip="none"), types.INT64), *map(_count, there)])
    made = [_ranks(value) for value in values]
    pairs = []
    for one, two in wanted:
        if counts[one] == counts[two] == total:
            pairs.append((one, two))
            continue
        both = elementwise.both(there[one], there[two])
        pairs.append((len(made), len(made) + 1))
        made += [_ranks(call("select", both, values[at], Literal(float("nan"), ir.f64))) for at in (one, two)]
    return made, pairs


#: Where the square of a mean is this many times the variance, sums of squares have lost too many digits, and distances from the mean are summed up instead.
_FAR = 1000.0


def _at_once(
    rows: Rows, values: Sequence[Expression], there: Sequence[Expression], wanted: Sequence[tuple[int, int]], finite: bool
) -> tuple[list[Pair], int] | None:
    """The same by sums of products, in one pass where nothing is missing, and in two otherwise; none where they have too few digits."""
    alone = sorted({at for pair in wanted for at in pair})
    folds = [Column(fold("count", values[at], skip="all"), types.INT64) for at in alone] + [_sum(values[at]) for at in alone]
    folds += [_sum(call("mul", values[one], values[two])) for one, two in [*((at, at) for at in alone), *(pair for pair in wanted if pair[0] != pair[1])]]
    total, *found = reduced(rows, [Column(fold("count", values[alone[0]], skip="none"), types.INT64), *folds])
    size = len(alone)
    counts, sums, squares = (dict(zip(alone, found[at * size : (at + 1) * size], strict=True)) for at in range(3))
    products = iter(found[3 * size :])
    # Infinite values are found by their sum.
    whole = {at for at in alone if counts[at] == total and (not finite or np.isfinite(sums[at]))}
    pairs: dict[tuple[int, int], Pair | None] = {}
    missing = []
    for one, two in wanted:
        product = squares[one] if one == two else next(products)
        if one in whole and two in whole:
            pairs[one, two] = _pair(total, sums[one], sums[two], squares[one], squares[two], product)
        else:
            missing.append((one, two))
    for key, sixfold in zip(missing, _masked(rows, values, there, missing, whole), strict=True):
        pairs[key] = _pair(*sixfold)
    made = [pair for key in wanted if (pair := pairs[key]) is not None]
    return None if len(made) < len(wanted) else (made, int(total))


def _masked(
    rows: Rows, values: Sequence[Expression], there: Sequence[Expression], wanted: Sequence[tuple[int, int]], whole: set[int]
) -> list[list[float]]:
    """The sums of pairs over the rows in which both have a value. What several pairs have in common is summed up once."""
    folds: list[Column] = []
    known: dict[Any, int] = {}
    zero = Literal(0.0, ir.f64)

    def position(key: Any, make: Callable[[], Column]) -> int:
        if key not in known:
            known[key] = len(folds)
            folds.append(make())
        return known[key]

    positions = []
    for pair in wanted:
        gone = frozenset(pair) - whole
        both = functools.reduce(elementwise.both, (there[at] for at in sorted(gone)))
        sides = {at: call("select", both, values[at], zero) for at in pair}
        found = [position(gone, lambda both=both: _count(both))]  # type: ignore[misc]
        found += [position((gone, at), lambda at=at, sides=sides: _sum(sides[at])) for at in pair]  # type: ignore[misc]
        for one, two in ((pair[0], pair[0]), (pair[1], pair[1]), pair):
            found.append(position((gone, one, two), lambda one=one, two=two, sides=sides: _sum(call("mul", sides[one], sides[two]))))  # type: ignore[misc]
        positions.append(found)
    sums = reduced(rows, folds) if folds else []
    return [[sums[at] for at in found] for found in positions]


def _count(there: Expression) -> Column:
    return Column(fold("sum", call("cast", there, to=ir.i64)), types.INT64)


def _sum(value: Expression) -> Column:
    return Column(fold("sum", value, reassoc=True), types.FLOAT64)


def _pair(count: float, first: float, second: float, first_squares: float, second_squares: float, products: float) -> Pair | None:
    if count == 0:
        return Pair(0, 0.0, 0.0, 0.0)
    made = Pair(int(count), first_squares - first * first / count, second_squares - second * second / count, products - first * second / count)
    for square, sum in ((made.first, first), (made.second, second)):
        # Of what is no number, or infinite, nothing is so.
        if not _LEAST < square < 1 / _LEAST or not sum * sum / count < _FAR * square:
            return None
    return made


def _one_by_one(rows: Rows, plain: Sequence[Expression], wanted: Sequence[tuple[int, int]]) -> tuple[list[Pair], int]:
    """The same by distances from means, which are found first."""
    alone = _sides(rows, plain)
    (total,) = reduced(rows, [Column(fold("count", plain[0], skip="none"), types.INT64)])
    pairs: list[tuple[_Side, _Side] | None] = []
    missing: list[Expression] = []
    for one, two in wanted:
        whole = one == two or (alone[one].many == total and alone[two].many == total)
        if whole:
            pairs.append((alone[one], alone[two]))
            continue
        pairs.append(None)
        there = elementwise.negated(elementwise.either(call("is_null", plain[one]), call("is_null", plain[two])))
        missing.extend(call("select", there, value, _NULL) for value in (plain[one], plain[two]))
    found = iter(_sides(rows, missing))
    sided = [(next(found), next(found)) if pair is None else pair for pair in pairs]
    return _summed(rows, sided), int(total)


def _ranks(value: Expression) -> Expression:
    return ranked(Column(value, types.FLOAT64), (), "average", True, "keep", False)


def _summed(rows: Rows, pairs: Sequence[tuple[_Side, _Side]]) -> list[Pair]:
    folds: list[Column] = []
    seen: dict[tuple[int, int], int] = {}
    for one, two in pairs:
        for first, second in ((one, one), (two, two), (one, two)):
            key = (id(first), id(second))
            if key not in seen and not first.constant and not second.constant and first.many:
                seen[key] = len(folds)
                product = call("mul", first.apart, second.apart)
                folds.append(Column(call("null_to_nan", fold("sum", product, skip="null", reassoc=True)), types.FLOAT64))
    sums = [float(value) for value in reduced(rows, folds)] if folds else []
    if not np.isfinite(sums).all():
        raise Refused("overflow")
    made = []
    for one, two in pairs:
        values = [sums[seen[key]] if (key := (id(first), id(second))) in seen else 0.0 for first, second in ((one, one), (two, two), (one, two))]
        if any(0 < value < _LEAST or (value == 0 and not side.constant and side.many) for value, side in zip(values, (one, two), strict=False)):
            raise Refused("values that lie too close together for the same digits")
        made.append(Pair(one.many, *values))
    return made
