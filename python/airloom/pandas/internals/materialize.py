"""From plans to what pandas holds: managers, and indexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
from pandas.core.arrays.categorical import factorize_from_iterable
from pandas.core.indexes.base import maybe_sequence_to_range
from pandas.core.internals.managers import BlockManager, SingleBlockManager

from airloom import ir
from airloom._native import Table
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import carried, convert
from airloom.pandas.internals.capture import captured_frame, captured_vector
from airloom.pandas.internals.shared_array import SharedArray, SharedLabels, column_block, vector_block
from airloom.pandas.plan.expression import Call, Expression, Literal, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, ColumnLabels, DeferredDtype, Frame, Index, ObjectView, Question, RangeLabels, Vector
from airloom.pandas.plan.lower import Output
from airloom.pandas.plan.nullness import may_be_null
from airloom.pandas.plan.rows import DataSlot, Distinct, Exploded, FileScan, Filtered, MemoryRows, Projected, Rows, Sliced, Sorted, sees, space_of


def restored_frame(frame: Frame) -> tuple[BlockManager, Frame]:
    """The manager of a frame, and the frame over what is now in memory."""
    arrays, index = _computed(frame.rows, frame.columns, frame.index)
    return _frame(frame, arrays, index)


def _frame(frame: Frame, arrays: Sequence[Any], index: pandas.Index) -> tuple[BlockManager, Frame]:
    whole = SharedArray.whole(arrays)
    blocks = [whole] if whole is not None else [a.block(at) if isinstance(a, SharedArray) else column_block(a, at) for at, a in enumerate(arrays)]
    # A view of labels, as pandas takes one: a name set on either is not set on the other.
    manager = BlockManager(tuple(blocks), [frame.labels.view(), index], verify_integrity=False)
    kept = captured_frame(manager)
    _keep(frame.rows, frame.columns, kept.rows, kept.columns)
    return manager, kept


def restored_vector(vector: Vector) -> tuple[SingleBlockManager, Vector]:
    """The manager of a vector, and the vector over what is now in memory."""
    (array,), index = _computed(vector.rows, (vector.column,), vector.index)
    return _vector(vector, array, index)


def _vector(vector: Vector, array: Any, index: pandas.Index) -> tuple[SingleBlockManager, Vector]:
    manager = SingleBlockManager(array.single() if isinstance(array, SharedArray) else vector_block(array), index)
    kept = captured_vector(manager, vector.name)
    _keep(vector.rows, (vector.column,), kept.rows, (kept.column,))
    return manager, kept


def restored_together(rows: Rows, plans: Sequence[Frame | Vector]) -> list[tuple[Any, Any]]:
    """The managers of several frames and vectors with the same labels, and what each is over what is now in memory: computed by one program. All of their columns can be seen in `rows`."""
    columns = [plan.columns if isinstance(plan, Frame) else (plan.column,) for plan in plans]
    arrays, index = _computed(rows, [column for some in columns for column in some], plans[0].index)
    made: list[tuple[Any, Any]] = []
    start = 0
    for plan, some in zip(plans, columns, strict=True):
        own = arrays[start : start + len(some)]
        start += len(some)
        made.append(_frame(plan, own, index.view()) if isinstance(plan, Frame) else _vector(plan, own[0], index.view()))
    return made


def restored_index(rows: Rows, index: Index) -> pandas.Index:
    """The index labels."""
    return _computed(rows, (), index)[1]


def restored_indexes(plans: Sequence[Frame | Vector]) -> list[pandas.Index]:
    """The labels of several plans: those that are one object in pandas are one object. Those that were given other names are not."""
    made: dict[Any, pandas.Index] = {}
    keys = [(plan.index.identity if isinstance(plan.index, RangeLabels) else plan.index, tuple(plan.index.names)) for plan in plans]
    for key, plan in zip(keys, plans, strict=True):
        if key not in made:
            made[key] = restored_index(plan.rows, plan.index)
    return [made[key] for key in keys]


def decided(column: Column) -> Column:
    """A column whose dtype is known: by looking at the data, where it depends on them."""
    dtype = column.dtype
    if not isinstance(dtype, DeferredDtype):
        return column
    if dtype.test.answer is None and not _can_be_true(dtype.test):
        dtype.test.answer = False
    if dtype.test.answer is None:
        dtype.test.answer = bool(run.value(dtype.test.rows, fold("any", dtype.test.expression, skip="null")))
    chosen = dtype.widened if dtype.test.answer else dtype.plain
    expression = column.expression
    if dtype.wide:
        expression = call("cast", expression, to=types.type_of(chosen), mode="wrap") if chosen is dtype.plain else expression
    elif chosen is not dtype.plain and types.is_float(chosen):
        expression = call("null_to_nan", call("cast", expression, to=ir.optional(types.type_of(chosen))))
    shown = ObjectView(types.OBJECT, None) if chosen is not dtype.plain and dtype.missing is None else None
    return Column(expression, chosen, column.held, shown)


def _can_be_true(test: Question) -> bool:
    """Whether a test for what is missing can find anything."""
    asked = test.expression
    return not (isinstance(asked, Call) and asked.op == "is_null" and not may_be_null(test.rows, asked.arguments[0]))


def _computed(rows: Rows, columns: Sequence[Column], index: Index) -> tuple[list[Any], pandas.Index]:
    """The arrays of columns, computed or as they are held, and the labels."""
    base = space_of(rows)
    arrays: list[Any] = [standing(base, column) for column in columns]
    asked = [at for at, array in enumerate(arrays) if array is None]
    moved = carried.carried(rows, columns, asked) if len(asked) >= carried.FEWEST else []
    taken = {at for one in moved for at in one.columns}
    wanted: dict[str, Expression] = {f"c{at}": columns[at].expression for at in asked if at not in taken}
    wanted.update({f"p{at}": one.position for at, one in enumerate(moved)})
    keys: tuple[Column, ...] = ()
    if isinstance(index, ColumnLabels) and index.made is None:
        keys = tuple(decided(key) for key in index.columns)
        if index.origin is not None:
            keys = (Column(index.origin[1], types.INT64),)
        wanted.update({f"k{at}": key.expression for at, key in enumerate(keys)})
    tests: dict[Question, str] = {}
    for column in columns:
        if isinstance(column.dtype, DeferredDtype) and column.dtype.test.answer is None and _can_be_true(column.dtype.test) and space_of(column.dtype.test.rows) is base:
            tests.setdefault(column.dtype.test, f"t{len(tests)}")
    wanted.update({name: test.expression for test, name in tests.items()})
    table: Any = None
    # Rows that are only counted are computed with what else is asked for, or by themselves.
    if wanted or (isinstance(index, RangeLabels) and base.count is None):
        first = _first_labels(index) if keys else None
        table, *found = run.run([(rows, wanted), *([] if first is None else _distinct(*first))], coded=True, below=None if first is None else space_of(first[0]))
        base.count = table.num_rows
        if first is not None:
            first[1].levels = [_level(one, key, first[1].grouped) for one, key in zip(found, first[1].columns, strict=True)]
    for test, name in tests.items():
        assert table is not None
        test.answer = bool(table.numpy(name, "bool").any())
    for at, one in enumerate(moved):
        for number, array in one.taken(carried.positions_of(table, f"p{at}")).items():
            arrays[number] = array
    for at, column in enumerate(columns):
        if arrays[at] is None:
            assert table is not None
            made = decided(column)
            chosen = made.dtype
            stands = column.dtype.widened if isinstance(column.dtype, DeferredDtype) and column.dtype.wide else chosen
            array = convert.objects(table, f"c{at}", made.shown) if made.shown else convert.to_array(table, f"c{at}", stands, column.held)
            arrays[at] = array if stands is chosen else array.astype(chosen)
    if isinstance(index, RangeLabels):
        length = run.count(rows)
        return arrays, pandas.RangeIndex(index.start, index.start + index.step * length, index.step, name=index.name)
    if index.made is None:
        assert table is not None
        index.made = _labels(table, keys, index, rows)
    return arrays, index.made


def is_in_memory(plan: Frame | Vector) -> bool:
    """Whether all of a plan is in memory, so that nothing is computed for it."""
    base = space_of(plan.rows)
    if base.count is None or not (isinstance(plan.index, RangeLabels) or plan.index.made is not None):
        return False
    columns = plan.columns if isinstance(plan, Frame) else (plan.column,)
    return all(standing(base, column) is not None for column in columns)


def standing(base: Rows, column: Column) -> SharedArray | None:
    """What pandas holds of a column, where that is the column, or a piece of it."""
    if isinstance(column.dtype, DeferredDtype) or not isinstance(column.expression, Ref):
        return None
    found = _piece(base)
    if found is None:
        return None
    space, start, stop = found
    slot = column.expression.slot
    if column.held is not None:
        held = column.held if slot is space._position else None
    else:
        owned = isinstance(slot, DataSlot) and slot.space is space and slot.owner is not None and kinds.same(slot.owner.dtype, column.dtype)
        held = slot.owner if owned else None  # type: ignore[attr-defined]
    if held is not None and column.copied:
        held = held.copied()
    if held is None or (start, stop) == (0, space.count):
        return held
    return held.cut(start, stop)


def _piece(rows: Rows) -> tuple[MemoryRows, int, int] | None:
    """The rows in memory that these are, one after the other, where they are."""
    if isinstance(rows, MemoryRows):
        return rows, 0, rows.count
    if not isinstance(rows, Sliced) or rows.offset < 0:
        return None
    below = _piece(space_of(rows.input))
    if below is None:
        return None
    space, start, stop = below
    start = min(start + rows.offset, stop)
    return space, start, stop if rows.length is None else min(stop, start + rows.length)


def _labels(table: Table, keys: Sequence[Column], index: ColumnLabels, rows: Rows) -> pandas.Index:
    arrays = [_array(table, f"k{at}", key) for at, key in enumerate(keys)]
    if index.origin is not None:
        taken = index.origin[0].take(arrays[0]).set_names(list(index.names))
        if isinstance(taken, pandas.PeriodIndex) or getattr(taken, "freq", None) is None:
            return taken
        steps = _Steps(index, keys[0], rows, arrays[0])
        if not _is_even(index, steps, arrays[0]):
            return taken._with_freq(None)
        return _with_frequency(taken, index, steps) if len(taken) < 2 else taken
    if len(arrays) > 1:
        if index.counting is not None and _as_range(arrays[index.counting]) is not None:
            level = arrays[index.counting]
            if _is_even(index, _Steps(index, keys[index.counting], rows, level), level):
                arrays[index.counting] = pandas.RangeIndex(_as_range(level))
        if index.groups is not None:
            return _of_groups(arrays, index)
        if any(isinstance(key.held, SharedLabels) for key in keys) or index.grouped is not None:
            return _with_levels(table, keys, arrays, index)
        return pandas.MultiIndex.from_arrays(arrays, names=index.names)
    (name,) = index.names
    labels = arrays[0]
    if index.ranged and _is_even(index, _Steps(index, keys[0], rows, labels), labels):
        return pandas.RangeIndex(_as_range(labels), name=name)
    return pandas.Index(labels, name=name, dtype=keys[0].dtype, copy=False)


def _first_labels(index: Index) -> tuple[Rows, ColumnLabels] | None:
    """The rows and labels that had several levels first, where those are still to be computed, and each is the values of a column."""
    if not isinstance(index, ColumnLabels) or index.groups is None or index.origin is not None:
        return None
    rows, first = index.groups
    if first.made is not None or first.levels is not None or first.counting is not None:
        return None
    if any(isinstance(key.dtype, DeferredDtype) or key.unsupported or key.held is not None for key in first.columns):
        return None
    return rows, first


def _distinct(rows: Rows, first: ColumnLabels) -> list[Output]:
    """The values of each level, once: there are fewer of them than rows."""
    return [(Distinct(rows, [key.expression], "first"), {"k": key.expression}) for key in first.columns]


def _level(table: Any, key: Column, grouped: tuple[bool, bool] | None) -> pandas.Index:
    """A level of the values that a column has, as pandas makes it."""
    return _factorized(_array(table, "k", key), grouped)[1]


def _array(table: Any, name: str, key: Column) -> Any:
    """The values of a key."""
    return convert.objects(table, name, key.shown) if key.shown else convert.to_array(table, name, key.dtype, key.held)


def _factorized(array: Any, grouped: tuple[bool, bool] | None) -> tuple[Any, pandas.Index]:
    """The codes and the level of labels. Of categories those are labels of groups that some row has."""
    if grouped is None or (grouped == (True, True) and not isinstance(array, pandas.Categorical)):
        code, level = factorize_from_iterable(array)
        return code, level
    sort, dropna = grouped
    code, uniques = pandas.factorize(array, sort=sort, use_na_sentinel=dropna)
    return code, pandas.Index(uniques, copy=False)


def _of_groups(arrays: Sequence[Any], index: ColumnLabels) -> pandas.MultiIndex:
    """Labels that are some of those of others, and have their levels."""
    assert index.groups is not None
    levels = index.groups[1].levels
    if levels is None:
        levels = index.groups[1].levels = restored_index(*index.groups).levels
    codes = [level.get_indexer_for(pandas.Index(array, dtype=level.dtype, copy=False)) for level, array in zip(levels, arrays, strict=True)]
    return pandas.MultiIndex(levels=levels, codes=codes, names=index.names, verify_integrity=False)


def _with_levels(table: Table, keys: Sequence[Column], arrays: Sequence[Any], index: ColumnLabels) -> pandas.MultiIndex:
    """Labels of several levels, of which some are known already."""
    codes, levels = [], []
    for at, (key, array) in enumerate(zip(keys, arrays, strict=True)):
        if isinstance(key.held, SharedLabels):
            code, level = table.numpy(f"k{at}", "int64"), key.held.labels.rename(None)
        else:
            code, level = _factorized(array, index.grouped)
        codes.append(code)
        levels.append(level)
    return pandas.MultiIndex(levels=levels, codes=codes, names=index.names, verify_integrity=False)


#: At most this many labels are computed at once, for several of the rows where pandas looked at them.
MOST_LABELS = 4_000_000


class _Steps:
    """The labels at each of the rows where pandas looked whether they are evenly spaced, in one program for many of them."""

    def __init__(self, index: ColumnLabels, labels: Column, rows: Rows, known: Any) -> None:
        self.index = index
        self.labels = labels
        self.found = {at: known for at, step in enumerate(index.ranged) if space_of(step) is space_of(rows)}
        #: Of filters one above the other: the first of them, the labels below it, and how many filters each of those passes.
        self.passed: tuple[int, Any, Any] | None = None

    def at(self, position: int) -> Any:
        """The labels at one of the rows."""
        if position in self.found:
            return self.found[position]
        if self.passed is None:
            self.passed = self._passed(position)
        if self.passed is not None and position >= self.passed[0]:
            first, labels, passed = self.passed
            return labels[passed > position - first]
        steps = self.index.ranged
        many = max(1, MOST_LABELS // max(1, _at_most(steps[position]) or MOST_LABELS))
        wanted = [at for at in range(max(0, position + 1 - many), position + 1) if at not in self.found]
        tables = run.run([(steps[at], {"k": self.labels.expression}) for at in wanted])
        self.found.update((at, table.numpy("k", "int64")) for at, table in zip(wanted, tables, strict=True))
        return self.found[position]

    def _passed(self, position: int) -> tuple[int, Any, Any] | None:
        """How many of the filters up to one each row passes, where all of them can be asked of the rows below the first."""
        filters: list[Filtered] = []
        node = space_of(self.index.ranged[position])
        for at in reversed(range(position + 1)):
            if not isinstance(node, Filtered) or node is not space_of(self.index.ranged[at]) or node.predicate.windowed:
                break
            filters.append(node)
            node = space_of(node.input)
        filters.reverse()
        asked = [self.labels.expression, *(one.predicate for one in filters)]
        if len(filters) < 2 or not all(sees(node, one.slots) for one in asked) or any(may_be_null(node, one.predicate) for one in filters):
            return None
        rows: Rows = node
        going: Expression | None = None
        count: Expression = Literal(0, ir.i64)
        for one in filters:
            still, number = Slot("still"), Slot("number")
            rows = Projected(rows, {still: one.predicate if going is None else call("and_", going, one.predicate)})
            going = Ref(still)
            rows = Projected(rows, {number: call("add", count, call("select", going, Literal(1, ir.i64), Literal(0, ir.i64)))})
            count = Ref(number)
        table = run.table(rows, {"k": self.labels.expression, "n": count})
        return position + 1 - len(filters), table.numpy("k", "int64"), table.numpy("n", "int64")


def _at_most(rows: Rows) -> int | None:
    """How many rows there are at most, where that is known."""
    node: Rows | None = rows
    while node is not None and node.count is None and not isinstance(node, Exploded):
        node = node.passes
    return None if node is None else node.count


def _with_frequency(taken: Any, index: ColumnLabels, steps: _Steps) -> Any:
    """Labels of which there are too few to tell how far they stand apart: as far as they did when there were more."""
    assert index.origin is not None
    apart = next((int(found[1]) - int(found[0]) for at in reversed(range(len(index.ranged))) if len(found := steps.at(at)) > 1), 1)
    return taken if apart == 1 else taken._with_freq(index.origin[0].freq * apart)


def _is_even(index: ColumnLabels, steps: _Steps, known: Any) -> bool:
    """Whether labels were evenly spaced at all of the rows where pandas looked. The last are asked first: what is uneven there need not be computed anywhere."""
    for at in reversed(range(len(index.ranged))):
        if at not in steps.found and _as_range(known) is None:
            # What a range was cut to is a range.
            return False
        if not _was_even(index, at, steps):
            return False
    return True


def _was_even(index: ColumnLabels, at: int, steps: _Steps) -> bool:
    """Whether labels were evenly spaced at one of the rows where pandas looked."""
    known = steps.at(at)
    filtered = space_of(index.ranged[at])
    by_array = (isinstance(filtered, (Distinct, Filtered)) and filtered.by_mask) or (isinstance(filtered, Sorted) and filtered.by_array)
    if index.origin is not None and by_array and len(known) > 1:
        # A mask leaves a frequency as it is only where it leaves one piece: positions stand as far apart as before.
        before = steps.at(at - 1) if at else range(2)
        return int(known[1]) - int(known[0]) == int(before[1]) - int(before[0]) and _as_range(known) is not None
    if index.numbers and at == 0:
        return isinstance(maybe_sequence_to_range(known), range)
    return _as_range(known) is not None


def _as_range(labels: Any) -> range | None:
    """The range that labels are, by the rule that pandas has for labels taken from a range."""
    found = pandas.RangeIndex(0)._shallow_copy(labels)
    return range(found.start, found.stop, found.step) if isinstance(found, pandas.RangeIndex) else None


def _keep(rows: Rows, columns: Sequence[Column], space: Rows, kept: Sequence[Column]) -> None:
    """Remembers on rows that columns of theirs are in memory, so that what else was planned over them need not compute them again."""
    base = space_of(rows)
    if isinstance(base, MemoryRows) or (isinstance(rows, FileScan) and rows.loaded):
        return
    assert isinstance(space, MemoryRows)
    positions: dict[Slot, DataSlot] = {} if rows.kept is None or rows.kept[0] is not space else dict(rows.kept[1])
    for column, now in zip(columns, kept, strict=True):
        before = column.expression
        if isinstance(before, Ref) and isinstance(now.expression, Ref) and isinstance(now.expression.slot, DataSlot):
            if not isinstance(column.dtype, DeferredDtype):
                positions[before.slot] = now.expression.slot
    if positions and (rows.kept is None or len(positions) >= len(rows.kept[1])):
        rows.kept = (space, positions)


def empty_like(dtype: Any) -> Any:
    """An empty array of a dtype: what pandas' own rules are asked with."""
    return np.empty(0, dtype) if isinstance(dtype, np.dtype) else dtype.construct_array_type()._from_sequence([], dtype=dtype)
