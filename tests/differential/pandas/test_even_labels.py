"""Labels after many filters: a range only where they were evenly spaced after each of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

#: What is kept by each of several filters, one after the other.
FILTERS = {
    "all": lambda f, i: f.x >= 0,
    "prefixes": lambda f, i: f.x >= i,
    "suffixes": lambda f, i: f.f < 40 - i,
    "holes": lambda f, i: f.x != 7 * i,
    "a-hole-that-is-cut-off": lambda f, i: (f.x != 30) if i == 2 else (f.x < 25) if i == 5 else (f.x >= 0),
    "every-second": lambda f, i: (f.x % 2 == 0) if i == 1 else (f.x >= i),
    "one": lambda f, i: f.x < 12 - 2 * i,
    "none": lambda f, i: f.x < 8 - 4 * i,
    "missing": lambda f, i: f.m > 0,
    "nullable": lambda f, i: f.n > i,
    "windowed": lambda f, i: f.x.shift(1) >= 0,
    "text": lambda f, i: f.s != "c",
}
FRAMES = {
    "counted": lambda f: f,
    "stepped": lambda f: f.set_axis(pd.RangeIndex(5, 5 + 3 * len(f), 3, name="n")),
    "cut": lambda f: f.iloc[4:],
    "downwards": lambda f: f.set_axis(pd.RangeIndex(len(f), 0, -1)),
    "numbers": lambda f: f.set_index("u", drop=False),
    "dated": lambda f: f.set_axis(pd.date_range("2020", periods=len(f), freq="D")),
}


def _frame() -> pd.DataFrame:
    numbers = np.arange(40)
    nullable = pd.array(numbers, dtype="Int64")
    nullable[3] = pd.NA
    return pd.DataFrame({"x": numbers, "u": numbers + 2, "f": numbers * 1.0, "m": np.where(numbers % 9 == 4, np.nan, 1.0), "n": nullable, "s": np.resize(["a", "b", "c"], 40)})


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("keep", FILTERS.values(), ids=FILTERS)
def test_labels_after_filters(keep: Any, frame: Any) -> None:
    def program(p: Any, f: Any, many: int, then: Any) -> Any:
        f = frame(f)
        for i in range(many):
            f = f[keep(f, i)]
        return then(f)

    for many in (1, 2, 8):
        for then in (lambda f: f.index, lambda f: f, lambda f: f.x[f.x > 3], lambda f: f.sort_values("f").index, lambda f: f.iloc[1:].index):
            check(lambda p, f, many=many, then=then: program(p, f, many, then), _frame(), native=False)
