"""Awkward frames: the shapes of data on which implementations differ."""

from __future__ import annotations

import numpy as np
import pandas as pd

_ROWS = 12


def mixed(rows: int = _ROWS) -> pd.DataFrame:
    """A column of each common dtype, with what is missing, both zeros, infinities, extreme numbers, text outside ASCII, and keys that repeat."""
    floats = np.resize(np.array([1.5, np.nan, -0.0, 0.0, np.inf, -np.inf, 2.5, -3.25, 1e300, 5e-324, np.nan, 7.0]), rows)
    whole = np.resize(np.array([3, -1, 0, 2**62, -(2**63), 2**63 - 1, 5, 5, -7, 1, 2, 3]), rows)
    text = np.resize(np.array(["b", None, "", "ä", "日本", "a", "B", "a b", "b", "ß", None, " c "], dtype=object), rows)
    days = np.resize(np.array(["2020-02-29", "NaT", "1969-12-31", "2000-01-01T12:30:15", "1677-10-01", "2262-01-01", "2020-02-29", "2021-12-31T23:59:59.999999"], dtype="M8[us]"), rows)
    return pd.DataFrame(
        {
            "i": whole.astype("int64"),
            "small": np.resize(np.array([1, -128, 127, 0, 5], dtype="int8"), rows),
            "unsigned": np.resize(np.array([0, 2**64 - 1, 7], dtype="uint64"), rows),
            "f": floats,
            "g": np.resize(np.array([0.1, 0.2, np.nan, -0.1], dtype="float32"), rows),
            "b": np.resize(np.array([True, False, False]), rows),
            "s": pd.array(text, dtype="str"),
            "t": days,
            "d": np.resize(np.array([1, 86_400_000_000, "NaT", -5], dtype="m8[us]"), rows),
            "c": pd.Categorical(np.resize(np.array(["y", "x", None, "y"], dtype=object), rows), categories=["x", "y", "z"]),
            "k": np.resize(np.array([1, 2, 1, 3, 2]), rows),
        }
    )


def all_missing() -> pd.DataFrame:
    """Columns in which every value is missing."""
    return pd.DataFrame(
        {
            "f": np.full(4, np.nan),
            "s": pd.array([None] * 4, dtype="str"),
            "t": np.full(4, "NaT", dtype="M8[us]"),
            "c": pd.Categorical([None] * 4, categories=["x"]),
            "i": np.arange(4),
            "k": np.array([1, 1, 2, 2]),
            "b": np.array([True] * 4),
            "d": np.full(4, "NaT", dtype="m8[us]"),
            "g": np.full(4, np.nan, dtype="float32"),
            "small": np.zeros(4, dtype="int8"),
            "unsigned": np.zeros(4, dtype="uint64"),
        }
    )


def labelled() -> pd.DataFrame:
    """Labels that are text, unsorted, with duplicates."""
    return mixed().set_axis(pd.Index(["x", "a", "x", "ü", "b", "c", "d", "e", "f", "g", "h", "i"], name="label"))


def dated() -> pd.DataFrame:
    """Labels that are timestamps with a frequency."""
    return mixed().set_axis(pd.date_range("2020-01-01", periods=_ROWS, freq="D", name="day"))


def several() -> pd.DataFrame:
    """Labels of two levels."""
    return mixed().set_index([pd.Index(np.resize(["a", "b", "a"], _ROWS), name="one"), pd.Index(np.resize([1, 2], _ROWS), name="two")])


#: Frames by name, made anew for each test. All have the columns of `mixed`.
FRAMES = {
    "mixed": mixed,
    "empty": lambda: mixed().iloc[:0],
    "one": lambda: mixed().iloc[:1],
    "two": lambda: mixed().iloc[2:4],
    "all-missing": all_missing,
    "labelled": labelled,
    "dated": dated,
    "several": several,
    "shuffled": lambda: mixed().iloc[[3, 1, 11, 0, 5, 2]],
    "range": lambda: mixed().set_axis(pd.RangeIndex(10, 10 + 2 * _ROWS, 2, name="n")),
    "long": lambda: mixed(100),
}
