"""Grouping: keys, and one row for each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.sorting import sort_key
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import types
from airloom.pandas.groupby.datetimes import particular
from airloom.pandas.internals import materialize
from airloom.pandas.internals.shared_array import SharedLabels
from airloom.pandas.ops.aggregates import aggregate, aggregate_of, present
from airloom.pandas.ops.deferred import Counted, Narrowed
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, RangeLabels, Vector
from airloom.pandas.plan.nullness import may_be_null
from airloom.pandas.plan.rows import Filtered, Grouped, Rows, Sorted
from airloom.pandas.refusals import Refused, value_text


class Coded(Column):
    """A key of which the engine knows only numbers, in the order of the labels that they stand for; null where there is none.

    With `in_full` some row has each of the labels.
    """

    __slots__ = ("in_full", "labels")

    def __init__(self, column: Column, labels: pandas.Index, *, in_full: bool) -> None:
        super().__init__(column.expression, column.dtype)
        self.labels = labels
        self.in_full = in_full

    def at(self, expression: Expression) -> Column:
        return Coded(Column(expression, self.dtype), self.labels, in_full=self.in_full)

    def as_labels(self) -> Column:
        """The labels themselves."""
        position = self.expression if self.dtype == types.INT64 else call("coalesce", self.expression, Literal(-1, ir.i64))
        return Column(position, self.labels.dtype, SharedLabels(self.labels))


class Grouping:
    """A frame, or a vector, with keys: what `groupby` returns, before anything is asked of it."""

    __slots__ = (
        "as_index",
        "dropna",
        "exclusions",
        "frame",
        "group_keys",
        "keys",
        "names",
        "nothing",
        "observed",
        "resampling",
        "selection",
        "sort",
        "spans",
        "time",
        "vector",
        "whole",
        "whole_labels",
    )

    def __init__(self, frame: Frame, keys: Sequence[Column], names: Sequence[Hashable], exclusions: Sequence[int], options: dict[str, Any]) -> None:
        self.frame = frame
        self.keys = tuple(materialize.decided(key) for key in keys)
        self.names = tuple(names)
        #: The positions of columns that are keys.
        self.exclusions = tuple(exclusions)
        self.as_index: bool = options["as_index"]
        self.sort: bool = options["sort"]
        self.dropna: bool = options["dropna"]
        self.observed: bool = options["observed"]
        self.group_keys: bool = options["group_keys"]
        #: The label or labels chosen by `[...]`; none is all columns but the keys.
        self.selection: Any = None
        #: Whether it groups a vector: what is made of it is one too.
        self.vector = False
        #: The labels of spans of time, where keys are their numbers: every one of them is a group.
        self.spans: pandas.Index | None = None
        #: What was asked of `resample`, where spans come from it.
        self.resampling: dict[str, Any] | None = None
        #: Whether spans are of no rows at all: pandas then has the rows themselves for what they come to.
        self.nothing = False
        #: What rows are in the order of, as far as the first and the last of a span go; none where they stand so.
        self.time: Expression | None = None
        for key in self.keys:
            if key.unsupported and not elementwise.are_dates(key):
                raise Refused(f"a key of dtype `{key.dtype}`, which has no native type")
        #: The labels of all groups, as soon as they are known: see `group_whole`.
        self.whole_labels: Any = None
        #: Whether every category is a group, though no row has it; or every span of time between the first and the last of other keys.
        self.whole = not self.observed and any(types.is_category(key.dtype) for key in self.keys)

    def chosen(self, labels: Any) -> Grouping:
        """The same groups with some of the columns."""
        made = Grouping(
            self.frame,
            self.keys,
            self.names,
            self.exclusions,
            {name: getattr(self, name) for name in ("as_index", "sort", "dropna", "observed", "group_keys")},
        )
        made.spans, made.time, made.whole, made.whole_labels = self.spans, self.time, self.whole, self.whole_labels
        made.resampling, made.nothing = self.resampling, self.nothing
        made.selection = labels
        made.vector = not isinstance(labels, list)
        return made

    @property
    def positions(self) -> list[int]:
        """The positions of the columns that are aggregated."""
        if self.vector and len(self.frame.columns) == 1 and not self.exclusions:
            return [0]
        if self.selection is None:
            return [at for at in range(len(self.frame.columns)) if at not in self.exclusions]
        labels = self.selection if isinstance(self.selection, list) else [self.selection]
        return [self.frame.position(label) for label in labels]

    def labels(self) -> pandas.Index | None:
        """The labels of groups, where pandas has made them already."""
        if self.spans is not None:
            return self.spans
        if unobserved.plain_category(self):
            dtype = self.keys[0].dtype
            return pandas.CategoricalIndex(pandas.Categorical.from_codes(np.arange(len(dtype.categories)), dtype=dtype), name=self.names[0])
        if self.whole:
            return unobserved.labels_of(self)[0]
        if len(self.keys) == 1 and isinstance(self.keys[0], Coded) and self.keys[0].in_full:
            return self.keys[0].labels.rename(self.names[0])
        return None

    def rows_with_keys(self) -> Rows:
        """The rows that belong to a group: those whose keys are all there, unless missing is a key too."""
        return self.frame.rows if not self.dropna else _with_keys(self.frame.rows, self.keys)


def _with_keys(rows: Rows, keys: Sequence[Column]) -> Rows:
    """Those of some rows in which no key is missing."""
    predicate: Expression | None = None
    for key in keys:
        if types.is_number(key.dtype) and not types.is_float(key.dtype):
            continue
        there = present(key)
        predicate = there if predicate is None else call("and_", predicate, there)
    return rows if predicate is None else Filtered(rows, predicate)


def aggregated(groups: Grouping, values: Sequence[Column], names: Sequence[str] = ()) -> tuple[Rows, list[Column], list[Column]]:
    """One row for each group: the rows, the keys, and some aggregates over the group's rows. `names` are the aggregates, where groups without rows are asked for."""
    return _aggregated(groups, values, names, with_all=False)[:3]


def _aggregated(groups: Grouping, values: Sequence[Column], names: Sequence[str], *, with_all: bool) -> tuple[Rows, list[Column], list[Column], Rows, list[Column]]:
    """The same, and the rows and keys before those were left out that lack a key: `with_all` makes groups of them first."""
    unfiltered = with_all or (groups.whole and not unobserved.plain_category(groups))
    rows = groups.frame.rows if unfiltered else groups.rows_with_keys()
    if groups.time is not None and not {"first", "last"}.isdisjoint(names):
        rows = Sorted(rows, [groups.time], ["asc.first"])
    key_slots = [Slot("key" if name is None else str(name)) for name in groups.names]
    value_slots = [Slot("value") for _ in values]
    made: Rows = Grouped(
        rows,
        {slot: key.expression for slot, key in zip(key_slots, groups.keys, strict=True)},
        {slot: value.expression for slot, value in zip(value_slots, values, strict=True)},
    )
    keys = [key.at(Ref(slot)) for slot, key in zip(key_slots, groups.keys, strict=True)]
    found = [value.at(Ref(slot)) for slot, value in zip(value_slots, values, strict=True)]
    first = made, keys
    if with_all:
        made = _with_keys(made, keys)
    if groups.spans is not None or unobserved.plain_category(groups):
        made, keys, found = unobserved.every_one(groups, made, keys[0], found, names)
    elif groups.whole:
        made, keys, found = unobserved.every_category(groups, made, found, names)
    found = [Column(value.expression, value.dtype.over(made, value.expression)) if isinstance(value.dtype, (Counted, Narrowed)) else value for value in found]
    if groups.sort and not groups.whole and groups.spans is None:
        made = Sorted(made, [sort_key(key) for key in keys], ["asc.last"] * len(keys))
    return made, [key.as_labels() if isinstance(key, Coded) else key for key in keys], found, *first


def group_result(groups: Grouping, values: Sequence[Column], labels: pandas.Index, names: Sequence[str] = (), *, series: bool = False) -> Any:
    """The frame of aggregates, with the keys as labels or as columns."""
    with_all = groups.as_index and _may_lack_one(groups)
    rows, keys, made, first, levels = _aggregated(groups, values, names, with_all=with_all)
    if groups.as_index:
        grouped = (bool(groups.sort), bool(groups.dropna))
        below = (first, ColumnLabels(levels, groups.names, grouped=grouped)) if with_all else None
        index = ColumnLabels(keys, groups.names, made=groups.labels(), grouped=grouped, groups=below)
        if series:
            return Vector(rows, made[0], labels[0], index)
        return Frame(rows, made, labels, index)
    put = list(groups.names)
    if any(name is None or name in labels for name in put) or len(set(put)) < len(put):
        raise Refused("`as_index=False` with keys that have no name or that of a column")
    if len(put) > 1 and any(isinstance(name, (int, np.integer)) for name in put):
        raise Refused("`as_index=False` with keys named by integers, which pandas takes for positions of levels")
    if groups.vector:
        # A column by itself has forgotten what the labels of the others were, and their name.
        labels = labels.rename(None) if isinstance(labels, pandas.MultiIndex) else pandas.Index(list(labels))
    for at, name in enumerate(put):
        labels = labels.insert(at, (name, "") if isinstance(labels, pandas.MultiIndex) else name)
    return Frame(rows, [*keys, *made], labels, RangeLabels())


def _may_lack_one(groups: Grouping) -> bool:
    """Whether some rows may lack one of several keys, and have others: values of those are levels of the result that nothing is in, and decide in which order pandas unstacks."""
    if len(groups.keys) < 2 or not groups.dropna or groups.whole or groups.spans is not None or any(isinstance(key, Coded) or key.unsupported for key in groups.keys):
        return False
    return any(types.is_float(key.dtype) or types.is_category(key.dtype) or may_be_null(groups.frame.rows, key.expression) for key in groups.keys)


def each_column(groups: Grouping, name: str, numeric_only: bool = False, **options: Any) -> Any:
    """The same aggregate of every column."""
    positions = groups.positions
    columns = [groups.frame.columns[position] for position in positions]
    if numeric_only:
        kept = [at for at, column in enumerate(columns) if types.is_numeric(materialize.decided(column).dtype)]
        positions, columns = [positions[at] for at in kept], [columns[at] for at in kept]
    if not columns:
        raise Refused("no columns to aggregate")
    values = [particular(groups, name, column, options) or aggregate_of(groups.frame.rows, name, column, **options) for column in columns]
    # Columns of one dtype of NumPy's are one array with pandas.
    narrow = [value.dtype.narrow for value in values if isinstance(value.dtype, Narrowed) and types.is_number(value.dtype.narrow)]
    if len(set(narrow)) < len(narrow):
        raise Refused("sums of several columns of one narrow integer dtype")
    # Of too few values a sum is missing, and so it is of none.
    names = ["" if name in ("sum", "prod") and options.get("min_count", 0) > 0 else name] * len(values)
    return group_result(groups, values, groups.frame.labels.take(positions), names, series=groups.vector)


def chosen_by(numeric_only: Any) -> bool:
    """Whether only numbers are aggregated."""
    if not isinstance(numeric_only, (bool, np.bool_)):
        raise Refused(f"`numeric_only={value_text(numeric_only)}` is not boolean")
    return bool(numeric_only)


def skipped(skipna: Any) -> bool:
    """Whether what is missing is passed over."""
    if not isinstance(skipna, (bool, np.bool_)):
        raise Refused(f"`skipna={value_text(skipna)}` is not boolean")
    return bool(skipna)


def _register(name: str) -> None:
    @operation(f"GroupBy.{name}")
    def of_groups(
        groups: Grouping, numeric_only: bool = False, min_count: int = 0 if name in ("sum", "prod") else -1, engine: Any = None, engine_kwargs: Any = None, skipna: bool = True
    ) -> Any:
        if engine is not None or engine_kwargs is not None:
            raise Refused(f"`engine={value_text(engine)}` or `engine_kwargs`")
        return each_column(groups, name, chosen_by(numeric_only), min_count=min_count, skipna=skipped(skipna))


for _name in ("sum", "prod", "min", "max", "first", "last"):
    _register(_name)


@operation("GroupBy.mean")
def mean(groups: Grouping, numeric_only: bool = False, skipna: bool = True, engine: Any = None, engine_kwargs: Any = None) -> Any:
    if engine is not None:
        raise Refused(f"`engine={value_text(engine)}`")
    return each_column(groups, "mean", chosen_by(numeric_only), skipna=skipped(skipna))


@operation("GroupBy.median")
def median(groups: Grouping, numeric_only: bool = False, skipna: bool = True) -> Any:
    return each_column(groups, "median", chosen_by(numeric_only), skipna=skipped(skipna))


def _register_spread(name: str) -> None:
    @operation(f"GroupBy.{name}")
    def of_groups(groups: Grouping, ddof: int = 1, engine: Any = None, engine_kwargs: Any = None, numeric_only: bool = False, skipna: bool = True) -> Any:
        if engine is not None:
            raise Refused(f"`engine={value_text(engine)}`")
        return each_column(groups, name, chosen_by(numeric_only), ddof=ddof, skipna=skipped(skipna))


for _name in ("std", "var"):
    _register_spread(_name)


@operation("GroupBy.sem")
def sem(groups: Grouping, ddof: int = 1, numeric_only: bool = False, skipna: bool = True) -> Any:
    return each_column(groups, "sem", chosen_by(numeric_only), ddof=ddof, skipna=skipped(skipna))


@operation("GroupBy.count")
def count(groups: Grouping) -> Any:
    return each_column(groups, "count")


@operation("GroupBy.nunique")
def nunique(groups: Grouping, dropna: bool = True) -> Any:
    return each_column(groups, "nunique", dropna=bool(dropna))


@operation("GroupBy.any")
def any_true(groups: Grouping, skipna: bool = True) -> Any:
    return each_column(groups, "any", skipna=bool(skipna))


@operation("GroupBy.all")
def all_true(groups: Grouping, skipna: bool = True) -> Any:
    return each_column(groups, "all", skipna=bool(skipna))


@operation("GroupBy.size")
def size(groups: Grouping) -> Any:
    if groups.vector:
        column = materialize.decided(groups.frame.columns[groups.positions[0]])
        if column.unsupported or types.is_nullable(column.dtype):
            raise Refused(f"`size` of dtype `{column.dtype}`")
    value = aggregate("size", groups.keys[0], grouped=True)
    if groups.as_index:
        name = groups.selection if groups.vector else None
        return group_result(groups, [value], pandas.Index([name], dtype=object), ["size"], series=True)
    return group_result(groups, [value], pandas.Index(["size"]), ["size"])


# Groups without rows are made of groups, and groups of them.
from airloom.pandas.groupby import unobserved
