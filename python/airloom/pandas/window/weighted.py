"""Windows of `n` rows, of which each counts by its position: `rolling` with `win_type`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from airloom import ir
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, call
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.window.bounds import Partition
from airloom.pandas.window.results import NAN, finite
from airloom.pandas.window.rolling import along

#: Each row of a window is a term of its own, so that windows are narrow.
WIDEST = 16
#: Where the functions are that make weights.
KINDS = "scipy.signal.windows"


class Weighted:
    """A frame or a vector, and the windows that move along it."""

    __slots__ = ("centred", "kind", "minimum", "plan", "step", "width")

    #: Windows move from row to row.
    on = times = None
    partition: Partition = ()

    def __init__(self, plan: Any, kind: str, width: int, minimum: int | None, centred: bool, step: int | None) -> None:
        self.plan = plan
        self.kind = kind
        self.width = width
        self.minimum = minimum
        self.centred = centred
        self.step = step

    def over(self, plan: Any) -> Weighted:
        """The same windows along something else."""
        return Weighted(plan, self.kind, self.width, self.minimum, self.centred, self.step)


def weighted(plan: Any, window: Any, min_periods: Any, center: Any, win_type: Any, on: Any, closed: Any, step: Any, method: Any) -> Weighted:
    """What `rolling` is given with `win_type`, checked."""
    whole = isinstance(window, (int, np.integer)) and not isinstance(window, bool)
    if not isinstance(plan, (Frame, Vector)) or not isinstance(win_type, str) or not whole or not 1 <= window <= WIDEST:
        raise Refused(f"`win_type` with groups, or with a window that is not between 1 and {WIDEST} rows")
    if not isinstance(center, bool) or on is not None or closed is not None or method != "single":
        raise Refused("`win_type` with `on`, `closed`, `method` or a `center` that is not boolean")
    for number, least in ((min_periods, 0), (step, 1)):
        if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < least):
            raise Refused("`step` or `min_periods`")
    if min_periods is not None and min_periods > window:
        raise Refused(f"`min_periods={value_text(min_periods)}` above the window")
    try:
        kinds = importlib.import_module(KINDS)
    except ImportError as error:
        raise Refused("`win_type` without SciPy") from error
    if not hasattr(kinds, win_type):
        raise Refused(f"`win_type={value_text(win_type)}`")
    return Weighted(plan, win_type, int(window), min_periods, center, step)


class _Terms:
    """The rows of each window, from the first to the last, with their weights."""

    def __init__(self, windows: Weighted, value: Expression, partition: Partition, options: dict[str, Any]) -> None:
        self.weights = ask_pandas(lambda: np.asarray(getattr(importlib.import_module(KINDS), windows.kind)(windows.width, **options), dtype=np.float64))
        if self.weights.shape != (windows.width,):
            raise Refused("weights of another length")
        ahead = (windows.width - 1) // 2 if windows.centred else 0
        self.values = [_shifted(value, windows.width - 1 - at - ahead, partition) for at in range(windows.width)]

    def total(self, of: Callable[[Expression, float], Expression]) -> Expression:
        """The sum over the rows that have a value."""
        made: Expression = Literal(0.0, ir.f64)
        for value, weight in zip(self.values, self.weights.tolist(), strict=True):
            made = call("add", made, call("coalesce", of(value, weight), Literal(0.0, ir.f64)))
        return made

    @property
    def count(self) -> Expression:
        return self.total(lambda value, _: _where(value, 1.0))

    @property
    def weight(self) -> Expression:
        return self.total(_where)

    @property
    def sum(self) -> Expression:
        return self.total(lambda value, weight: call("mul", value, Literal(weight, ir.f64)))


def _shifted(value: Expression, by: int, partition: Partition) -> Expression:
    return Over(Fold("arr_shift", (value,), (Literal(by, ir.i64), Literal(None, ir.f64))), partition) if by else value


def _where(value: Expression, number: float) -> Expression:
    """A number where a value is there."""
    return call("select", call("is_null", value), Literal(None, ir.f64), Literal(number, ir.f64))


def _register(name: str) -> None:
    @operation(f"Weighted.{name}")
    def run(windows: Weighted, numeric_only: Any = False, **options: Any) -> Any:
        def make(column: Column, partition: Partition) -> Expression:
            terms = _Terms(windows, finite(column.expression), partition, options)
            found = terms.sum
            if name == "mean":
                found = call("select", call("eq", terms.weight, Literal(0.0, ir.f64)), NAN, call("div", found, terms.weight))
            minimum = windows.width if windows.minimum is None else max(1, windows.minimum)
            return call("select", call("ge", terms.count, Literal(float(minimum), ir.f64)), found, NAN)

        return along(windows, numeric_only, make)


_register("sum")
_register("mean")
