"""What the writer of a program knows while it writes: the variables so far, as pandas has them, and how to choose among them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd

Item = TypeVar("Item")


class Unsuitable(Exception):
    """A template that nothing fits that is there."""


INTEGERS = ("integer", "Integer")
FLOATS = ("float", "Float")
NUMBERS = (*INTEGERS, *FLOATS)
NUMPY = ("integer", "float")
BOOLEANS = ("bool", "boolean")
TIMES = ("time", "zone")
PLAIN = (*NUMBERS, *BOOLEANS, "text", *TIMES, "delta", "category")
ANY = (*PLAIN, "object", "arrow", "period", "interval", "other")


def family(dtype: Any) -> str:
    """What sort of dtype this is, in one word."""
    if isinstance(dtype, np.dtype):
        return {"i": "integer", "u": "integer", "f": "float", "b": "bool", "M": "time", "m": "delta", "O": "object"}.get(dtype.kind, "other")
    if isinstance(dtype, pd.CategoricalDtype):
        return "category"
    if isinstance(dtype, pd.DatetimeTZDtype):
        return "zone"
    if isinstance(dtype, pd.StringDtype):
        return "text"
    if isinstance(dtype, (pd.PeriodDtype, pd.IntervalDtype)):
        return "period" if isinstance(dtype, pd.PeriodDtype) else "interval"
    if isinstance(dtype, pd.ArrowDtype):
        sorts = {"i": "Integer", "u": "Integer", "f": "Float", "b": "boolean", "U": "text"}
        return "time" if "timestamp" in str(dtype) else sorts.get(dtype.kind, "arrow") if dtype.kind != "O" else "arrow"
    name = str(dtype)
    if name == "boolean":
        return "boolean"
    return "Integer" if name.startswith(("Int", "UInt")) else "Float" if name.startswith("Float") else "other"


class World:
    """The variables of a program as it is written, and all choices, which a seed decides."""

    def __init__(self, seed: int, rows: int, large: bool) -> None:
        self.draw = random.Random(seed)
        self.rows = rows
        self.large = large
        self.names: dict[str, Any] = {"pd": pd, "np": np}
        self.files: list[str] = []
        self._made = 0

    def one_of(self, items: Sequence[Item]) -> Item:
        if not items:
            raise Unsuitable
        return self.draw.choice(items)

    def chance(self, probability: float) -> bool:
        return self.draw.random() < probability

    def some(self, items: Sequence[Item], least: int = 1, most: int = 4) -> list[Item]:
        """A few different items, in any order."""
        if len(items) < least:
            raise Unsuitable
        return self.draw.sample(list(items), self.draw.randint(least, min(most, len(items))))

    def weighted(self, choices: Sequence[tuple[float, Callable[[World], str]]]) -> Callable[[World], str]:
        return self.draw.choices([made for _, made in choices], [weight for weight, _ in choices])[0]

    def new(self, prefix: str) -> str:
        """The name of what a statement makes: a new one, or now and then one that is there."""
        known = [name for name in self.names if name[0] == prefix and name[1:].isdigit()]
        if known and self.chance(0.12):
            return self.draw.choice(known)
        self._made += 1
        return f"{prefix}{self._made}"

    def file(self, suffix: str) -> str:
        return f"file{self.draw.randint(0, 2)}.{suffix}"

    def variables(self, cls: Any) -> list[str]:
        return [name for name, value in self.names.items() if isinstance(value, cls) and not name.startswith("_")]

    def _recent(self, names: list[str]) -> str:
        """One of some names, more often one of the last."""
        if not names:
            raise Unsuitable
        return names[max(self.draw.randrange(len(names)), self.draw.randrange(len(names)))]

    def frame(self, fits: Callable[[Any], bool] | None = None) -> str:
        return self._recent([name for name in self.variables(pd.DataFrame) if fits is None or fits(self.names[name])])

    def simple_frame(self) -> str:
        """A frame whose columns have names of one level, each once."""
        return self.frame(is_simple)

    def series(self) -> str:
        return self._recent(self.variables(pd.Series))

    def either(self) -> str:
        return self._recent(self.variables((pd.DataFrame, pd.Series)))

    def array(self) -> str:
        return self._recent([name for name in self.variables(np.ndarray) if self.names[name].ndim == 1 and len(self.names[name])])

    def function(self) -> str:
        return self._recent([name for name in self.names if name[0] == "g" and name[1:].isdigit()])

    def columns(self, frame: str, families: Sequence[str] = ANY) -> list[str]:
        """The columns of a frame of these dtypes, as they are written."""
        value = self.names[frame]
        if not is_simple(value):
            raise Unsuitable
        return [repr(label) for label, dtype in zip(value.columns, value.dtypes, strict=True) if isinstance(label, (str, int)) and family(dtype) in families]

    def column(self, frame: str, families: Sequence[str] = ANY) -> str:
        return self.one_of(self.columns(frame, families))

    def framed(self, families: Sequence[str] = ANY) -> tuple[str, str]:
        """A frame, and a column of it of these dtypes."""
        for _ in range(6):
            frame = self.simple_frame()
            found = self.columns(frame, families)
            if found:
                return frame, self.one_of(found)
        raise Unsuitable

    def vector(self, families: Sequence[str] = ANY) -> str:
        """A series of these dtypes: a variable, or a column of a frame."""
        if self.chance(0.35):
            found = [name for name in self.variables(pd.Series) if family(self.names[name].dtype) in families]
            if found:
                return self._recent(found)
        frame, column = self.framed(families)
        return f"{frame}[{column}]"

    def value(self, text: str) -> Any:
        """What an expression is, as pandas has it now."""
        return eval(text, dict(self.names))

    def constant(self, dtype: Any, held: Any = None) -> str:
        """A constant that goes with a dtype; often one that is among the values held."""
        sort = family(dtype)
        if held is not None and len(held) and self.chance(0.6):
            found = held[self.draw.randrange(len(held))]
            if isinstance(found, (str, bool, int, float, np.integer, np.bool_)) or (isinstance(found, np.floating) and np.isfinite(found)):
                return repr(found.item() if isinstance(found, np.generic) else found) if found == found and abs_is_finite(found) else "1.5"
        if sort in INTEGERS:
            return self.one_of(["0", "1", "2", "3", "5", "-1", "7"])
        if sort in FLOATS:
            return self.one_of(["0.0", "1.5", "2.5", "-0.25", "3", "0.1"])
        if sort in BOOLEANS:
            return self.one_of(["True", "False"])
        if sort == "time":
            return self.one_of(['pd.Timestamp("2020-03-01")', 'pd.Timestamp("2021-07-01 12:00")'])
        if sort == "zone":
            return f'pd.Timestamp("2020-03-01 12:00", tz="{dtype.tz}")'
        if sort == "delta":
            return self.one_of(['pd.Timedelta("1D")', 'pd.Timedelta("36h")'])
        if sort == "period":
            return f"pd.Period('2020-02', '{dtype.freq.freqstr}')"
        if sort == "interval":
            return "pd.Interval(0, 1)"
        if sort == "category" and len(dtype.categories):
            found = dtype.categories[self.draw.randrange(len(dtype.categories))]
            return repr(found.item() if isinstance(found, np.generic) else found) if isinstance(found, (str, int, np.integer)) else "'x'"
        return self.one_of(["'a'", "'x'", "'B'", "''"])


def abs_is_finite(value: Any) -> bool:
    return not isinstance(value, float) or np.isfinite(value)


def is_simple(frame: Any) -> bool:
    return bool(frame.columns.nlevels == 1 and frame.columns.is_unique and frame.shape[1] > 0)
