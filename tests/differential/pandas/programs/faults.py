"""Defects that were there once, or might come, to be put back: the programs must find each. A fault changes the product within this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from airloom import ir
from airloom.pandas.algorithms import sorting
from airloom.pandas.dispatch import attributes, calls
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.files import atomic_write
from airloom.pandas.groupby import grouping
from airloom.pandas.internals import capture, foreign, materialize, shared_array
from airloom.pandas.plan import index
from airloom.pandas.plan.expression import Ref, call
from airloom.pandas.plan.frame import Column, RangeLabels
from airloom.pandas.reductions import reductions
from airloom.pandas.reshape import merge


@dataclass(frozen=True)
class Fault:
    """A defect, how it is put into the product, and the seed of a program that finds it."""

    what: str
    put: Callable[[], None]
    seed: int


#: Faults by name.
FAULTS: dict[str, Fault] = {}


def fault(name: str, what: str, seed: int) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def register(put: Callable[[], None]) -> Callable[[], None]:
        FAULTS[name] = Fault(what, put, seed)
        return put

    return register


class _Instead:
    """A module with something else in the place of some of its names."""

    def __init__(self, module: Any, **names: Any) -> None:
        self.__dict__.update(names)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


@fault("categories-without-order", "categories in another order are taken for the same", 166)
def _categories() -> None:
    before = kinds._same_categories
    kinds._same_categories = lambda first, second: before(first, second) or (first is not None and second is not None and set(first) == set(second))


@fault("labels-by-row", "labels that count are taken by row, wherever they begin", 71)
def _labels_by_row() -> None:
    index._same_count = lambda first, second: first.origin is second.origin
    before = index._same

    def same(first: Any, second: Any) -> bool:
        return before(first, second) or (isinstance(first, RangeLabels) and isinstance(second, RangeLabels))

    index._same = same


@fault("offset-of-equal-ranges", "ranges of labels that are as long are taken for equal", 34)
def _offset() -> None:
    index._equal = lambda first, second: isinstance(first, RangeLabels) and isinstance(second, RangeLabels)


@fault("foreign-memory", "memory that others write to is taken for pandas' own", 9)
def _foreign() -> None:
    foreign.FOREIGN.add = lambda refs: None  # type: ignore[method-assign]


@fault("attrs-lost", "results have no `attrs`", 29)
def _attrs() -> None:
    attributes.put = lambda label, made, attrs, args: None


@fault("attrs-of-the-left", "results of two operands have the `attrs` of the left one", 435)
def _left_attrs() -> None:
    attributes._RIGHT = frozenset()


@fault("called-twice", "what is refused after a function was called calls it again", 38)
def _called_twice() -> None:
    calls.Record.add = lambda self, function, outcome: None  # type: ignore[method-assign]


@fault("columns-share-labels", "a column made of index labels shares their memory", 32)
def _shared_labels() -> None:
    shared_array.IndexArray.block = shared_array.SharedArray.block  # type: ignore[method-assign]
    shared_array.IndexArray.single = shared_array.SharedArray.single  # type: ignore[method-assign]


@fault("size-of-nullable", "sizes of groups of nullable columns are plain integers", 63)
def _size() -> None:
    vars(grouping)["types"] = _Instead(types, is_nullable=lambda dtype: False)


@fault("dtype-beside-no-partner", "integers beside rows without a partner are floats, whether there are such rows or not", 7)
def _outer_dtype() -> None:
    before = merge.missing_side

    def missing_side(column: Any, slot: Any, test: Any) -> Any:
        made = before(column, slot, test)
        return Column(call("null_to_nan", call("cast", Ref(slot), to=ir.optional(ir.f64))), types.FLOAT64) if types.is_integer(column.dtype) else made

    merge.missing_side = missing_side


@fault("stale-plan", "what was kept of data before they were written to is used after", 0)
def _stale() -> None:
    capture.ManagerStamp.agrees = lambda self, manager: True  # type: ignore[method-assign]


@fault("missing-last", "what is missing is sorted last, wherever it is wanted", 223)
def _missing_last() -> None:
    before = sorting.words
    sorting.words = lambda ascending, count, na_position: before(ascending, count, "last")


@fault("ranges-lost", "labels that are evenly spaced after a filter are no range", 1)
def _ranges_lost() -> None:
    materialize._is_even = lambda *given: False


@fault("nullable-is-no-number", "nullable columns are left out where only numbers count", 60)
def _numbers() -> None:
    vars(reductions)["types"] = _Instead(types, is_numeric=types.is_number)


@fault("rewritten-files", "a file that is written to is not read before", 4)
def _files() -> None:
    atomic_write.compute_readers = lambda target: None
