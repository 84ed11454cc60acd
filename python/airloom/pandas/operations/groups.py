"""Grouping: keys, and one row for each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas
from pandas.api.types import is_hashable

from airloom.pandas.data import restore, types
from airloom.pandas.data.capture import captured_array
from airloom.pandas.face.dispatch import BaseSeries, operation
from airloom.pandas.operations.aggregates import Narrowed, aggregate, present
from airloom.pandas.operations.alignment import aligned, array_column, vector_of
from airloom.pandas.operations.joins import missing_side
from airloom.pandas.operations.sorting import sort_key
from airloom.pandas.plan import run
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, Frame, Keys, Positions, Refused, Test, Vector, is_data, label_columns, pinned
from airloom.pandas.plan.rows import Filtered, Grouped, Looked, Rows, Sorted, Space, space_of


class Grouping:
    """A frame, or a vector, with keys: what `groupby` returns, before anything is asked of it."""

    __slots__ = ("as_index", "dropna", "exclusions", "frame", "group_keys", "keys", "names", "observed", "selection", "sort", "spans", "time", "vector", "whole")

    def __init__(self, frame: Frame, keys: Sequence[Column], names: Sequence[Hashable], exclusions: Sequence[int], options: dict[str, Any]) -> None:
        self.frame = frame
        self.keys = tuple(restore.decided(key) for key in keys)
        self.names = tuple(names)
        #: The places of columns that are keys.
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
        self.spans: pandas.DatetimeIndex | None = None
        #: What rows are in the order of, as far as the first and the last of a span go; none where they stand so.
        self.time: Expression | None = None
        for key in self.keys:
            if key.opaque:
                raise Refused("keys that only pandas knows")
        #: Whether every category is a group, though no row has it.
        self.whole = not self.observed and any(types.is_category(key.dtype) for key in self.keys)
        if self.whole and (len(self.keys) > 1 or not self.sort or not self.dropna):
            raise Refused("categories that are not observed, among several keys, unsorted, or with what is missing")

    def chosen(self, labels: Any) -> Grouping:
        """The same groups with some of the columns."""
        made = Grouping(
            self.frame,
            self.keys,
            self.names,
            self.exclusions,
            {name: getattr(self, name) for name in ("as_index", "sort", "dropna", "observed", "group_keys")},
        )
        made.spans, made.time = self.spans, self.time
        made.selection = labels
        made.vector = not isinstance(labels, list)
        return made

    @property
    def places(self) -> list[int]:
        """The places of the columns that are aggregated."""
        if self.vector and len(self.frame.columns) == 1 and not self.exclusions:
            return [0]
        if self.selection is None:
            return [at for at in range(len(self.frame.columns)) if at not in self.exclusions]
        labels = self.selection if isinstance(self.selection, list) else [self.selection]
        return [self.frame.place(label) for label in labels]

    def rows_with_keys(self) -> Rows:
        """The rows that belong to a group: those whose keys are all there, unless missing is a key too."""
        rows = self.frame.rows
        if not self.dropna:
            return rows
        predicate: Expression | None = None
        for key in self.keys:
            if types.is_number(key.dtype) and not types.is_float(key.dtype):
                continue
            there = present(key)
            predicate = there if predicate is None else call("and_", predicate, there)
        return rows if predicate is None else Filtered(rows, predicate)


def grouping(frame: Frame, by: Any, level: Any, options: dict[str, Any]) -> Grouping:
    """The groups of a frame."""
    if not all(isinstance(options[name], (bool, np.bool_)) for name in options):
        raise Refused("options that are no truth values")
    if isinstance(frame.labels, pandas.MultiIndex):
        raise Refused("columns of several levels")
    if isinstance(by, pandas.Grouper) or (isinstance(by, list) and len(by) == 1 and isinstance(by[0], pandas.Grouper)):
        from airloom.pandas.operations.bins import grouped_by

        if level is not None:
            raise Refused("keys and a level")
        return grouped_by(frame, by[0] if isinstance(by, list) else by, options)
    named = [name for name in frame.index.names if name is not None]
    if len(set(named)) < len(named):
        raise Refused("levels of one name")
    given = _given(frame, by, level)
    keys, names, exclusions = [], [], []
    rows = frame.rows
    for item in given:
        if isinstance(item, BaseSeries):
            vector = vector_of(item)
            assert vector is not None
            rows, column = aligned(rows, frame.index, vector)
            if vector.name in frame.labels and _is_column(frame, vector):
                exclusions.append(frame.place(vector.name))
            keys.append(column)
            names.append(vector.name)
        elif isinstance(item, np.ndarray):
            keys.append(array_column(rows, item))
            names.append(None)
        elif isinstance(item, _Level):
            if isinstance(frame.index, Positions) or frame.index.ranged or getattr(frame.index.made, "freq", None) is not None:
                raise Refused("labels that are evenly spaced as keys")
            keys.append(label_columns(rows, frame.index)[item.place])
            names.append(frame.index.names[item.place])
        elif isinstance(item, (str, int, np.integer)) and not isinstance(item, bool) and item in frame.labels:
            if item in [name for name in frame.index.names if name is not None]:
                raise Refused("a name that is a column and a level")
            place = frame.place(item)
            keys.append(frame.columns[place])
            names.append(item)
            exclusions.append(place)
        elif callable(item) or isinstance(item, dict):
            keys.append(array_column(rows, _of_labels(frame, item)))
            names.append(frame.index.names[0])
        else:
            raise Refused(f"keys of type `{type(item).__name__}`")
    # Keys are compared after rows are left out, so what looks at other rows is computed before.
    together = [*keys, *frame.columns]
    rows, settled = pinned(rows, together)
    keys, columns = settled[: len(keys)], settled[len(keys) :]
    return Grouping(Frame(rows, columns, frame.labels, frame.index), keys, names, exclusions, options)


def grouping_of(plan: Any, by: Any, level: Any, options: dict[str, Any]) -> Grouping:
    """The groups of a frame or of a vector."""
    if isinstance(plan, Frame):
        return grouping(plan, by, level, options)
    if not options["as_index"]:
        raise Refused("a series with keys as columns")
    name = plan.name
    frame = Frame(plan.rows, (plan.column,), pandas.Index([name], dtype=object), plan.index)
    made = grouping(frame, _not_a_label(frame.with_columns((), pandas.Index([])), by), level, options)
    made.exclusions = ()
    made.selection = name
    made.vector = True
    return made


def _not_a_label(frame: Frame, by: Any) -> Any:
    if isinstance(by, (str, int)):
        raise Refused("a label as a key of a series")
    if isinstance(by, list) and any(isinstance(item, (str, int)) for item in by):
        if not _for_each_row(frame, by):
            raise Refused("a label as a key of a series")
        return _array_of(by)
    return by


def _for_each_row(frame: Frame, by: list[Any]) -> bool:
    """Whether a list is one key with a value for each row: as long as there are rows, and not of labels alone."""
    if len(by) != frame.rows.count or any(callable(item) or isinstance(item, (pandas.Index, BaseSeries, np.ndarray, list, dict, pandas.Grouper)) for item in by):
        return False
    return not all(is_hashable(item) and (item in frame.labels or item in frame.index.names) for item in by)


def _array_of(values: list[Any]) -> Any:
    if not all(isinstance(item, (str, int, float, np.generic)) for item in values):
        raise Refused("a list that is no column")
    found = BaseSeries(values)
    return np.asarray(found) if found.dtype.kind in "biuf" else _refuse()


def _refuse() -> Any:
    raise Refused("a list that is no column of numbers")


class _Level:
    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place


def _given(frame: Frame, by: Any, level: Any) -> list[Any]:
    if level is not None:
        if by is not None:
            raise Refused("keys and a level")
        levels = level if isinstance(level, (list, tuple)) else [level]
        names = list(frame.index.names)
        if len(levels) == 0 or len(levels) > len(names):
            raise Refused("more levels than there are")
        places = []
        for item in levels:
            if isinstance(item, (int, np.integer)) and item not in names:
                if not -len(names) <= item < len(names):
                    raise Refused("a level that is none")
                places.append(int(item) % len(names))
            elif item in names:
                places.append(names.index(item))
            else:
                raise Refused("a level that is none")
        return [_Level(place) for place in places]
    if isinstance(by, list):
        if not by:
            raise Refused("no keys")
        if _for_each_row(frame, by):
            return [_array_of(by)]
        return [_named_level(frame, item) for item in by]
    return [_named_level(frame, by)]


def _named_level(frame: Frame, item: Any) -> Any:
    if isinstance(item, str) and item not in frame.labels and item in frame.index.names:
        return _Level(list(frame.index.names).index(item))
    return item


def _of_labels(frame: Frame, function: Any) -> Any:
    """What a function, or a mapping, makes of the labels of rows in memory."""
    index = frame.index
    if isinstance(index, Keys) and index.made is not None and space_of(frame.rows) is frame.rows:
        labels = index.made
    elif isinstance(index, Positions) and isinstance(space_of(frame.rows), Space):
        labels = pandas.RangeIndex(index.start, index.start + index.step * run.count(frame.rows), index.step)
    else:
        raise Refused("a function of labels that are not computed yet")
    if isinstance(labels, pandas.MultiIndex):
        raise Refused("a function of several levels")
    found = labels.map(function.get if isinstance(function, dict) else function)
    if isinstance(found, pandas.MultiIndex):
        raise Refused("a function that returns tuples")
    return found.array


def _is_column(frame: Frame, vector: Vector) -> bool:
    """Whether a vector is the column of its name: pandas then leaves that column out."""
    column = frame.columns[frame.place(vector.name)]
    if column is vector.column or column.expression is vector.column.expression:
        return True
    if is_data(column) and is_data(vector.column):
        first, second = column.expression.slot, vector.column.expression.slot  # type: ignore[attr-defined]
        return first is second or bool(first.owner.shares(second.owner))
    return False


def aggregated(groups: Grouping, values: Sequence[Column], names: Sequence[str] = ()) -> tuple[Rows, list[Column], list[Column]]:
    """One row for each group: the rows, the keys, and some aggregates over the group's rows. `names` are the aggregates, where groups without rows are asked for."""
    rows = groups.rows_with_keys()
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
    if groups.whole or groups.spans is not None:
        made, keys, found = _every(groups, made, keys[0], found, names)
    found = [Column(value.expression, value.dtype.over(made, value.expression)) if isinstance(value.dtype, Narrowed) else value for value in found]
    if groups.sort and not groups.whole and groups.spans is None:
        made = Sorted(made, [sort_key(key) for key in keys], ["asc.last"] * len(keys))
    return made, keys, found


#: What aggregates make of no rows; of others it is missing.
_OF_NOTHING = {"sum": 0, "prod": 1, "product": 1, "count": 0, "size": 0, "nunique": 0, "any": False, "all": True}


def _every(groups: Grouping, made: Rows, key: Column, values: Sequence[Column], names: Sequence[str]) -> tuple[Rows, list[Column], list[Column]]:
    """A row for every category, or every span of time, in their order, with what its group came to."""
    if len(names) != len(values):
        raise Refused("what groups without rows come to")
    count = len(key.dtype.categories) if groups.spans is None else len(groups.spans)
    space = Space(count)
    if groups.spans is None:
        category = captured_array(space, pandas.Categorical.from_codes(np.arange(count), dtype=key.dtype), "key")
        number = category
    else:
        category = captured_array(space, groups.spans.array, "key")
        number = captured_array(space, pandas.array(np.arange(count), dtype="Int64"), "number")
    slots = [Slot("value") for _ in values]
    found = Slot("found")
    columns = {slot: value.expression for slot, value in zip(slots, values, strict=True)}
    rows = Looked(space, [number.expression], made, [key.expression], columns, found, any_of=False)
    test = Test(rows, call("not_", Ref(found)))
    results = []
    for name, slot, value in zip(names, slots, values, strict=True):
        dtype = value.dtype.wide if isinstance(value.dtype, Narrowed) else value.dtype
        if name in _OF_NOTHING and types.is_number(dtype):
            type = types.type_of(dtype)
            assert type is not None
            nothing = _OF_NOTHING[name]
            results.append(Column(call("coalesce", Ref(slot), Literal(float(nothing) if types.is_float(dtype) else nothing, type)), value.dtype))
        elif types.is_bool(dtype) or name in _OF_NOTHING:
            raise Refused(f"`{name}` of no rows")
        else:
            results.append(missing_side(value, slot, test))
    return rows, [category], results


def group_result(groups: Grouping, values: Sequence[Column], labels: pandas.Index, names: Sequence[str] = (), *, series: bool = False) -> Any:
    """The frame of aggregates, with the keys as labels or as columns."""
    rows, keys, made = aggregated(groups, values, names)
    if groups.as_index:
        index = Keys(keys, groups.names, made=groups.spans)
        if series:
            return Vector(rows, made[0], labels[0], index)
        return Frame(rows, made, labels, index)
    put = list(groups.names)
    if any(name is None or name in labels for name in put) or len(set(put)) < len(put):
        raise Refused("keys that are no new columns")
    for at, name in enumerate(put):
        labels = labels.insert(at, (name, "") if isinstance(labels, pandas.MultiIndex) else name)
    return Frame(rows, [*keys, *made], labels, Positions())


def each_column(groups: Grouping, name: str, numeric_only: bool = False, **options: Any) -> Any:
    """The same aggregate of every column."""
    places = groups.places
    columns = [groups.frame.columns[place] for place in places]
    if numeric_only:
        kept = [at for at, column in enumerate(columns) if types.is_number(restore.decided(column).dtype)]
        places, columns = [places[at] for at in kept], [columns[at] for at in kept]
    if not columns and not groups.vector:
        raise Refused("no columns to aggregate")
    values = [aggregate(name, column, grouped=True, **options) for column in columns]
    narrow = [value.dtype.narrow for value in values if isinstance(value.dtype, Narrowed)]
    if len(set(narrow)) < len(narrow):
        raise Refused("sums of several columns of narrow numbers, which fit or do not fit together")
    return group_result(groups, values, groups.frame.labels.take(places), [name] * len(values), series=groups.vector)


def _register(name: str) -> None:
    @operation(f"GroupBy.{name}")
    def of_groups(
        groups: Grouping, numeric_only: bool = False, min_count: int = 0 if name in ("sum", "prod") else -1, engine: Any = None, engine_kwargs: Any = None, skipna: bool = True
    ) -> Any:
        if engine is not None or engine_kwargs is not None or not skipna:
            raise Refused("an engine of its own, or missing values that count")
        return each_column(groups, name, bool(numeric_only), min_count=min_count)


for _name in ("sum", "prod", "min", "max", "first", "last"):
    _register(_name)


@operation("GroupBy.mean")
def mean(groups: Grouping, numeric_only: bool = False, skipna: bool = True, engine: Any = None, engine_kwargs: Any = None) -> Any:
    if engine is not None or not skipna:
        raise Refused("an engine of its own, or missing values that count")
    return each_column(groups, "mean", bool(numeric_only))


@operation("GroupBy.median")
def median(groups: Grouping, numeric_only: bool = False, skipna: bool = True) -> Any:
    if not skipna:
        raise Refused("missing values that count")
    return each_column(groups, "median", bool(numeric_only))


def _register_spread(name: str) -> None:
    @operation(f"GroupBy.{name}")
    def of_groups(groups: Grouping, ddof: int = 1, engine: Any = None, engine_kwargs: Any = None, numeric_only: bool = False, skipna: bool = True) -> Any:
        if engine is not None or not skipna:
            raise Refused("an engine of its own, or missing values that count")
        return each_column(groups, name, bool(numeric_only), ddof=ddof)


for _name in ("std", "var"):
    _register_spread(_name)


@operation("GroupBy.sem")
def sem(groups: Grouping, ddof: int = 1, numeric_only: bool = False, skipna: bool = True) -> Any:
    if not skipna:
        raise Refused("missing values that count")
    return each_column(groups, "sem", bool(numeric_only), ddof=ddof)


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


@operation("GroupBy.skew")
def skew(groups: Grouping, skipna: bool = True, numeric_only: bool = False, **kwargs: Any) -> Any:
    if not skipna or kwargs:
        raise Refused("missing values that count")
    return each_column(groups, "skew", bool(numeric_only))


@operation("GroupBy.size")
def size(groups: Grouping) -> Any:
    if groups.vector:
        column = groups.frame.columns[groups.places[0]]
        if column.opaque or types.is_nullable(column.dtype):
            raise Refused("the sizes of groups of a dtype of its own")
    value = aggregate("size", groups.keys[0], grouped=True)
    if groups.as_index:
        name = groups.selection if groups.vector else None
        return group_result(groups, [value], pandas.Index([name], dtype=object), ["size"], series=True)
    return group_result(groups, [value], pandas.Index(["size"]), ["size"])
