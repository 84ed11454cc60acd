"""Whether any or all objects of Python are true, as Python takes them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check


class Odd:
    """Something that is neither true nor false."""

    def __bool__(self) -> bool:
        raise ValueError("neither")


def objects(*items: Any) -> pd.Series:
    made = np.empty(len(items), object)
    made[:] = items
    return pd.Series(made, name="x")


COLUMNS: dict[str, pd.Series] = {
    "mixed": objects(1, "a", 2.5, True),
    "false": objects(0, "", 0.0, False),
    "some": objects(0, "a", (), [1]),
    "times": objects(pd.Timestamp("2020-01-01"), 1, pd.Timedelta(0), pd.Period("2020-01", "M")),
    "integers": objects(3, 0, 2, 1),
    "negative-zeros": objects(-0.0, 0, False, Decimal(0)),
    "none": objects(None, 1, "a", 0),
    "nan": objects(np.nan, 1, "a", 2),
    "NaT": objects(pd.NaT, 0, "", 0.0),
    "NA": objects(pd.NA, 1, "a", 2),
    "missing": objects(None, np.nan, pd.NaT, None),
    "odd": objects(Odd(), 1, 0, "a"),
    "arrays": objects(np.array([1, 2]), 1, 0, "a"),
    "unicode": objects("ß", "", "é", "日"),
    "one": objects((1,)),
    "empty": objects(),
}


@pytest.mark.parametrize("skipna", [True, False])
@pytest.mark.parametrize("method", ["any", "all"])
@pytest.mark.parametrize("column", COLUMNS)
def test_objects(column: str, method: str, skipna: bool) -> None:
    data = COLUMNS[column]
    native = column in ("mixed", "false", "some", "times", "none", "nan", "NaT")
    check(lambda pd, s: getattr(s, method)(skipna=skipna), data, native=native)
    frame = data.to_frame()
    check(lambda pd, df: getattr(df, method)(skipna=skipna), frame, native=native)
    check(lambda pd, df: getattr(df, method)(axis=1, skipna=skipna), frame, native=False)
    check(lambda pd, df: getattr(df, method)(axis=None, skipna=skipna), frame, native=False)
    check(lambda pd, df: getattr(df, method)(bool_only=True, skipna=skipna), frame, native=False)
    check(lambda pd, df: getattr(df, method)(skipna=skipna), frame.assign(y=range(len(data)), z=1.5), native=False)
    check(lambda pd, df: getattr(df.T, method)(skipna=skipna), pd.DataFrame({"a": [1, 0], "b": pd.to_datetime(["2020-01-01", None]).tz_localize("UTC")}), native=False)
    check(lambda pd, df: getattr(df.groupby("k")["x"], method)(skipna=skipna), frame.assign(k=1), native=False)
    check(lambda pd, s: getattr(s[s.index > 1], method)(skipna=skipna), data, native=False)
