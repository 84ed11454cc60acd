"""Functions of Python over windows that move along the rows: `apply`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from airloom import ir
from airloom.functions.refusals import NotCompiled
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import types
from airloom.pandas.groupby.grouping import Grouping
from airloom.pandas.plan import walk
from airloom.pandas.plan.expression import Call, Expression, Fold, Literal, Over, Ref, call
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.udf import loops
from airloom.pandas.udf.group_things import Many, One, Thing
from airloom.pandas.udf.groups import Body
from airloom.pandas.udf.values import Constant
from airloom.pandas.window.bounds import Ahead, Fixed, Partition
from airloom.pandas.window.results import NAN, NARROW
from airloom.pandas.window.rolling import Moving, along

#: Functions of NumPy's of an array, and the methods that they are. Spreads divide by the number of elements.
_OF_ARRAYS: dict[Any, tuple[str, dict[str, Any]]] = {
    np.mean: ("mean", {}),
    np.sum: ("sum", {}),
    np.min: ("min", {}),
    np.max: ("max", {}),
    np.prod: ("prod", {}),
    np.median: ("median", {}),
    np.std: ("std", {"ddof": 0}),
    np.var: ("var", {"ddof": 0}),
    np.nanmean: ("mean", {}),
    np.nansum: ("sum", {}),
    np.nanmin: ("min", {}),
    np.nanmax: ("max", {}),
    np.nanmedian: ("median", {}),
    np.nanstd: ("std", {"ddof": 0}),
    np.nanvar: ("var", {"ddof": 0}),
}
#: What stands for something of every element, or is made of arrays, whatever is missing.
_FOR_ARRAYS = (np.median, np.nanmean, np.nansum, np.nanmin, np.nanmax, np.nanmedian, np.nanstd, np.nanvar)
_ARRAY_METHODS = frozenset({"mean", "sum", "min", "max", "prod", "std", "var"})


class Window(Body):
    """Runs a function with what stands for the elements of a window: a series, or with `raw` an array of NumPy's."""

    def __init__(self, rows: Rows, *, raw: bool) -> None:
        super().__init__(rows, (), ordered=True)
        self.by_position = raw
        #: Whether what is missing in a window makes another result.
        self.whole = raw

    def called(self, function: Any, arguments: list[Thing], keywords: dict[str, Thing]) -> Thing:
        if len(arguments) == 1 and isinstance(arguments[0], Many):
            try:
                known = _OF_ARRAYS.get(function)
            except TypeError as error:
                raise Refused("a call that cannot be looked up") from error
            if known is not None and set(keywords) <= {"ddof"}:
                if function in _FOR_ARRAYS:
                    self.whole = True
                return super().method(arguments[0], known[0], [], {**{name: Constant(value) for name, value in known[1].items()}, **keywords})
        return super().called(function, arguments, keywords)

    def method(self, owner: Thing, name: str, arguments: list[Thing], keywords: dict[str, Thing]) -> Thing:
        if self.by_position and isinstance(owner, Many):
            if name not in _ARRAY_METHODS or arguments or not set(keywords) <= {"ddof"}:
                raise Refused(f"`{name}` of an array")
            if name in ("std", "var"):
                keywords = {"ddof": Constant(0), **keywords}
        return super().method(owner, name, arguments, keywords)

    def lifted(self, value: One) -> Column:
        raise Refused("elements of a window beside a value of the whole window")


@operation("Rolling.apply")
def apply(
    moving: Moving, func: Any, raw: Any = False, engine: Any = None, engine_kwargs: Any = None, args: Any = None, kwargs: Any = None
) -> Any:
    if engine not in (None, "cython") or engine_kwargs is not None or not isinstance(raw, bool) or moving.minimum < 1:
        raise Refused(f"`engine={value_text(engine)}`, `raw` is not boolean, or `min_periods=0`")
    rows = moving.plan.frame.rows if isinstance(moving.plan, Grouping) else moving.plan.rows

    def make(column: Column, partition: Partition) -> Expression:
        value = call("select", call("is_finite", column.expression), column.expression, NAN)
        try:
            return folded(value, partition)
        except Refused as refusal:
            if partition:
                raise
            try:
                return loops.of_windows(rows, func, value, *moving.bounds.positions(value, ()), moving.minimum, tuple(args or ()), _named(kwargs), raw=raw).expression
            except NotCompiled as why:
                raise Refused(f"{refusal}; as a loop over windows: {why.reason}" if why.reason else str(refusal)) from refusal

    def folded(value: Expression, partition: Partition) -> Expression:
        body = Window(rows, raw=raw)
        result = body.call(func, Many(Column(value, types.FLOAT64)), tuple(args or ()), _named(kwargs))
        if not isinstance(result, One) or result.column.dtype not in (types.FLOAT64, types.INT64, types.BOOL):
            raise Refused("a function that does not return a number of the elements")
        if body.whole and not _is_full(moving) and elementwise.any_row(rows, call("is_nan", value)):
            raise Refused("a function of arrays with missing values")
        return _Made(moving, partition, value).result(rows, body, result.column)

    return along(moving, False, make)


def _named(kwargs: Any) -> Mapping[str, Any]:
    if kwargs is not None and not isinstance(kwargs, dict):
        raise Refused("`kwargs` is not a dict")
    return kwargs or {}


def _is_full(moving: Moving) -> bool:
    """Whether no element of a window with a result is missing: as many are wanted as there are."""
    bounds = moving.bounds
    if isinstance(bounds, Ahead):
        return moving.minimum >= bounds.width
    return isinstance(bounds, Fixed) and moving.minimum >= bounds.width + (bounds.closed == "both")


#: What NaN goes through.
_ARITHMETIC = frozenset(("add", "sub", "mul", "div", "neg", "abs", "sqrt", "null_to_nan", "coalesce"))
_TRUTH = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "not_", "is_nan", "is_null", "is_true", "is_finite", "is_infinite"))
#: The folds that go along with the windows.
_SLIDING = frozenset(("arr_sum", "arr_mean", "arr_min", "arr_max", "arr_var", "arr_std", "arr_median", "arr_quantile", "arr_first", "arr_last", "arr_count"))
_COUNTS = frozenset(("arr_count", "arr_nunique"))


class _Made:
    """What folds over the elements of a group make of those of a window."""

    def __init__(self, moving: Moving, partition: Partition, value: Expression) -> None:
        self.moving = moving
        self.partition = partition
        self.value = value
        #: What was made of parts already: results and conditions share them.
        self._known: dict[Expression, Expression] = {}

    def result(self, rows: Rows, body: Window, column: Column) -> Expression:
        made = self._made(column.expression)
        if column.dtype != types.FLOAT64:
            made = call("cast", made, to=ir.f64)
        enough = call("ge", self._count(), Literal(self.moving.minimum, ir.i64))
        if body.never:
            bad = functools.reduce(elementwise.either, map(self._made, body.never))
            if elementwise.any_row(rows, call("is_true", elementwise.both(enough, bad))):
                raise Refused("a function that warns or overflows")
        return made if self._propagates(column.expression) else elementwise.select(enough, made, NAN)

    def _count(self, value: Expression | None = None) -> Expression:
        """How many elements there are, or how many that are not NaN of some."""
        one, none = Literal(1.0, ir.f64), Literal(0.0, ir.f64)
        there = call("select", call("is_nan", self.value if value is None else value), none, one)
        found = self.moving.bounds.over(there, self.partition, lambda window: ir.arr_sum(window, reassoc=True), 0)
        return call("cast", call("coalesce", found, none), to=ir.i64)

    def _propagates(self, expression: Expression) -> bool:
        """Whether this is NaN wherever windows have too few elements."""

        def visit(part: Expression, below: list[bool]) -> bool:
            if isinstance(part, Fold):
                return part.arguments[0] is self.value and part.op not in _COUNTS and self._end(part) is None
            if not isinstance(part, Call) or part.op not in _ARITHMETIC:
                return False
            return any(below) and all(goes or isinstance(argument, Literal) for goes, argument in zip(below, part.arguments, strict=True))

        return bool(walk.fold(expression, walk.calls, visit, {}))

    def _made(self, expression: Expression) -> Expression:
        def visit(part: Expression, parts: list[Expression]) -> Expression:
            if isinstance(part, Fold):
                return self._fold(part)
            if isinstance(part, Call):
                return walk.rebuilt(part, parts)
            if isinstance(part, Literal):
                return part
            raise Refused("single elements of a window")

        made: Expression = walk.fold(expression, walk.calls, visit, self._known)
        return made

    def _end(self, folded: Fold) -> Expression | None:
        """The first or the last element of windows that are full: `n` rows before, or of this very row."""
        bounds = self.moving.bounds
        plain = isinstance(bounds, Fixed) and bounds.closed == "right" and not bounds.centred and self.moving.minimum >= bounds.width
        if not plain or folded.op not in ("arr_first", "arr_last") or folded.attributes.get("skip") != "none" or not _is_float(folded.arguments[0]):
            return None
        (value,) = folded.arguments
        if folded.op == "arr_last":
            return value
        assert isinstance(bounds, Fixed)
        before = Fold("arr_shift", (call("nan_to_null", value),), (Literal(bounds.width - 1, ir.i64), Literal(None, ir.f64)))
        return call("null_to_nan", Over(before, self.partition))

    def _fold(self, folded: Fold) -> Expression:
        (value,) = folded.arguments
        if value.windowed or folded.body is not None:
            raise Refused("windows in windows")
        if folded.op not in _SLIDING and not (isinstance(self.moving.bounds, (Fixed, Ahead)) and self.moving.bounds.width <= NARROW):
            raise Refused(f"an aggregate computed anew for each window, with windows wider than {NARROW}")
        end = self._end(folded)
        if end is not None:
            return end
        attributes, floats = dict(folded.attributes), _is_float(value)
        if folded.op == "arr_count" and floats:
            return self._count(Literal(0.0, ir.f64) if attributes.get("skip", "none") == "none" else value)
        if floats and folded.op not in ("arr_first", "arr_last") and attributes.get("skip", "none") == "none" and folded.op != "arr_count":
            raise Refused("`skipna=False`")
        if attributes.get("skip", "none") != "none":
            attributes["skip"] = "null"
        if folded.op in ("arr_var", "arr_std"):
            attributes["reassoc"] = True
        scalars = [Literal(one, ir.f64) if isinstance(one, float) else one for one in folded.scalars]

        def body(window: Any) -> Any:
            given = [ir.const(one.value, one.type) if isinstance(one, Literal) else one for one in scalars]
            return getattr(ir, folded.op)(window, *given, **attributes)

        counts = folded.op in _COUNTS or not floats
        least = 0 if counts or value is not self.value else self.moving.minimum
        made = self.moving.bounds.over(call("nan_to_null", value) if floats else value, self.partition, body, least)
        return call("coalesce", made, Literal(0, ir.i64)) if counts else call("null_to_nan", made)


def _is_float(expression: Expression) -> bool:
    """Whether elements are floats, of which some may be NaN."""

    def below(part: Expression) -> tuple[Expression, ...]:
        if not isinstance(part, Call) or part.op in _TRUTH or part.op == "cast":
            return ()
        return part.arguments[1:] if part.op == "select" else part.arguments

    def visit(part: Expression, floats: list[bool]) -> bool:
        if isinstance(part, Call):
            return part.attributes["to"] is ir.f64 if part.op == "cast" else any(floats)
        return isinstance(part, Ref) or (isinstance(part, Literal) and isinstance(part.value, float))

    return bool(walk.fold(expression, below, visit, {}))
