"""Short programs over columns in memory, which pandas' own loops do in less time than a run of the engine takes.

An operation is planned, since more may follow that one loop does together with it. Where nothing has followed when somebody looks, there is nothing to fuse: a run has its fixed cost, and
its result is copied once more than that of a loop over the array. What is worth it was measured for each operation, by processor time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from airloom import _report as report
from airloom._options import options
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.choice import settings, within
from airloom.pandas.dispatch.recovery import by_recipes
from airloom.pandas.dtypes import types
from airloom.pandas.internals import materialize, state
from airloom.pandas.plan.frame import DeferredDtype, Frame, Vector
from airloom.pandas.plan.recipe import Recipe, Snapshot

#: What the report says of them.
REASON = "a short program over columns in memory, by pandas' own loops"

_ARITHMETIC = "add sub mul truediv"
_COMPARISONS = "eq ne lt le gt ge"
_LOGIC = "and or xor"
#: Operations of one pass over their operands, whose time is that of reading and writing memory.
LIGHT = frozenset(
    [f"__{prefix}{name}__" for name in _ARITHMETIC.split() for prefix in ("", "r")]
    + [f"{prefix}{name}" for name in _ARITHMETIC.split() for prefix in ("", "r")]
    + [f"__{name}__" for name in f"{_COMPARISONS} {_LOGIC} neg abs invert".split()]
    + f"{_COMPARISONS} abs div rdiv isna isnull notna notnull shift diff astype fillna cumsum cummin cummax cumprod between duplicated".split()
    + "round clip where mask ffill bfill pct_change replace".split()
)
#: Those that stay with pandas where there are not many rows: they take as long as what is light.
AT_ONCE = LIGHT | frozenset("isin sort_values".split())
#: Those of the light ones that only look which values are missing, of whatever dtype.
_MISSING = frozenset(("isna", "isnull", "notna", "notnull"))
#: Reductions of one pass.
_PASSES = frozenset("sum mean min max count any all idxmin idxmax argmin argmax prod product std var sem skew kurt kurtosis".split())
#: Those that pandas' hash tables and partial sorts do sooner, where the column is of numbers.
_TABLES = frozenset(("nunique", "quantile", "describe"))
#: Those that it does sooner only for few rows.
_FEW = frozenset(("median", "unique", "value_counts"))
#: Those of a frame of numbers in memory that its loops over all columns at once do sooner; `stack` and `unstack` are by its labels in any case.
_OF_FRAMES = (_PASSES | _TABLES | frozenset("cov corr stack unstack".split())) - frozenset(("nunique", "std", "var", "sem"))
REDUCTIONS = _PASSES | _TABLES | _FEW | _OF_FRAMES

#: Light operations on arrays of up to this many bytes for each row that stays with pandas anyway stay with it too: they are over before they would be planned.
_BYTES_AT_ONCE = 128
#: Up to how many times as many rows it does other operations sooner.
_TIMES_FEW = 10
#: Up to how many threads it was measured what pandas does in less time than the engine, for however many rows: what more threads would do is not known.
_MEASURED_THREADS = 2
#: With more threads, for up to this many times as many rows.
_TIMES = 120
#: Up to how many times as many rows what a short program makes is reduced by pandas: beyond, the array that is thrown away takes more time than a run.
_TIMES_REDUCED = 250
#: At most this many operations one after the other, of which one makes an array of more than booleans: a second such array is memory that is written and thrown away, which a fused loop
#: does without.
_MOST_OPERATIONS = 3
#: At most this many blocks has a frame whose columns pandas reduces together.
_MOST_BLOCKS = 4
_MOST_WIDE = 1


def stays_at_once(value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether an operation is over before it would be planned: its operands are in memory, numbers or objects, and not many."""
    # What is compared with pandas is what the engine makes.
    if "inplace" in kwargs or settings.check is not None:
        return False
    return _is_small(value) and all(type(one) not in state.OURS or _is_small(one) for one in (*args, *kwargs.values()))


def is_masked_at_once(value: Any, key: Any) -> bool:
    """The same of a series from which a mask chooses."""
    if type(key) not in state.OURS or not stays_at_once(value, (key,), {}):
        return False
    mask = key.__dict__[state.MANAGER]
    return mask.ndim == 1 and mask.blocks[0].dtype.kind == "b"


def _is_small(value: Any) -> bool:
    own = value.__dict__
    manager = own.get(state.MANAGER)
    if manager is None:
        plan = own[state.PLAN]
        # A column of a frame is in memory, though nobody has looked at it yet.
        if not isinstance(plan, Vector) or not _is_of_numbers(plan.column) or not _are_few(plan.rows.count, plan.dtype) or not materialize.is_in_memory(plan):
            return False
        state.force(value)
        return True
    if len(manager.blocks) != 1:
        return False
    dtype = manager.blocks[0].dtype
    return (dtype == types.OBJECT or _is_number(dtype)) and _are_few(manager.blocks[0].values.size, dtype)


def _are_few(count: int | None, dtype: Any) -> bool:
    return count is not None and count * dtype.itemsize < _BYTES_AT_ONCE * settings.threshold


def computed(plan: Any) -> Any:
    """The manager of what a plan stands for, made by pandas, where that takes less time than the engine; else nothing."""
    if not is_short(plan):
        return None
    started = time.perf_counter()
    manager = by_recipes(plan)
    report.LOG.add(plan.recipe.label, "run", REASON, time.perf_counter() - started)
    return manager


def is_short(plan: Any) -> bool:
    """Whether a plan is one light operation, or a few, on columns in memory."""
    count = plan.rows.count
    if plan.recipe is None or count is None or count >= _most_rows() or settings.check is not None:
        return False
    operations = wide = 0
    waiting = [plan]
    while waiting:
        one = waiting.pop()
        recipe = one.recipe
        owner, _, name = recipe.label.partition(".")
        if owner not in ("Series", "DataFrame") or name not in LIGHT or recipe.changes:
            return False
        if name == "replace" and not all(isinstance(part, (int, float, bool, np.number, Snapshot)) for part in (recipe.value, *recipe.args, *recipe.kwargs.values())):
            # Of many values pandas looks for each in turn.
            return False
        operations += 1
        wide += not _is_narrow(one)
        if operations > _MOST_OPERATIONS or wide > _MOST_WIDE:
            return False
        for part in _objects(recipe):
            if part.manager is not None:
                if name not in _MISSING and not all(_is_number(block.dtype) for block in part.manager.blocks):
                    return False
                continue
            below = part.plan
            if below.rows.count != count or not (name in _MISSING or all(map(_is_of_numbers, _columns(below)))):
                return False
            if not materialize.is_in_memory(below):
                if below.recipe is None:
                    return False
                waiting.append(below)
    return True


def _most_rows() -> int:
    times = sys.maxsize if options.resolved()["threads"] <= _MEASURED_THREADS else _TIMES
    return times * settings.threshold


def _objects(recipe: Recipe) -> Iterator[Snapshot]:
    """The frames and series that an operation is given."""
    for part in (recipe.value, *recipe.args, *recipe.kwargs.values()):
        if isinstance(part, Snapshot):
            yield part


def _columns(plan: Any) -> tuple[Any, ...]:
    return plan.columns if isinstance(plan, Frame) else (plan.column,)


def _is_number(dtype: Any) -> bool:
    return types.is_number(dtype) or types.is_masked(dtype) or types.is_arrow_number(dtype)


def _is_reducible(dtype: Any, name: str) -> bool:
    """Whether pandas makes a reduction of a dtype in one pass over an array."""
    return _is_number(dtype) or (name in ("min", "max", "count") and isinstance(dtype, np.dtype) and dtype.kind in "mM")


def _is_of_numbers(column: Any) -> bool:
    return not isinstance(column.dtype, DeferredDtype) and _is_number(column.dtype)


def _is_of_plain_numbers(column: Any) -> bool:
    return not isinstance(column.dtype, DeferredDtype) and types.is_number(column.dtype)


def _is_narrow(plan: Any) -> bool:
    return all(types.is_number(column.dtype) and column.dtype.kind == "b" for column in _columns(plan))


def is_reduced_sooner(value: Any, name: str) -> bool:
    """Whether a value is a column in memory, or one of a short program over such, of which pandas makes a reduction in less time than the engine. Then its data are there."""
    own = value.__dict__
    manager = own.get(state.MANAGER)
    if manager is not None:
        if manager.ndim == 2:
            return name in _OF_FRAMES and _are_plain_numbers(manager) and len(manager.axes[-1]) < _most_rows()
        return name not in ("cov", "corr") and _is_reducible(manager.blocks[0].dtype, name) and len(manager.axes[-1]) < _most_reduced(name)
    plan = own.get(state.PLAN)
    if isinstance(plan, Frame) and name in _OF_FRAMES and 0 < len(plan.columns) <= _MOST_BLOCKS and all(map(_is_of_plain_numbers, plan.columns)) and materialize.is_in_memory(plan) and (plan.rows.count or 0) < _most_rows():
        state.force(value)
        return True
    if name in ("cov", "corr"):
        return False
    if not (_is_reducible(plan.dtype, name) if isinstance(plan, Vector) else name in _PASSES and isinstance(plan, Frame) and _is_narrow(plan)):
        return False
    count = plan.rows.count
    if count is None or count >= _most_reduced(name):
        return False
    # A column of a frame is in memory, though nobody has looked at it yet.
    if not materialize.is_in_memory(plan) and (count >= _TIMES_REDUCED * settings.threshold or not is_short(plan)):
        return False
    state.force(value)
    return True


def _are_plain_numbers(manager: Any) -> bool:
    """Whether a frame is of NumPy's numbers alone, in blocks of several columns: of columns each by itself pandas makes one pass after the other, as the engine does."""
    blocks = manager.blocks
    return 0 < len(blocks) <= _MOST_BLOCKS and all(types.is_number(block.dtype) for block in blocks)


def by_pandas(base: Callable[..., Any], name: str, value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An operation by pandas' own method, and what that asks of the objects that it makes on its way: a quantile of a series is one of a frame."""
    started = time.perf_counter()
    within.asking += 1
    try:
        return adopted(base(value, *args, **kwargs))
    finally:
        within.asking -= 1
        report.LOG.add(f"{type(value).__name__}.{name}", "run", REASON, time.perf_counter() - started)


def _most_reduced(name: str) -> int:
    """The number of rows below which a reduction is pandas'."""
    return _TIMES_FEW * settings.threshold if name in _FEW else _most_rows()


state.fallback.sooner = computed
