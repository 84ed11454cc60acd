"""The dtype of every aggregate of every kind of column, grouped or not, however it is asked for."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest

import airloom.pandas
from airloom.pandas.dtypes import kinds

NAMES = "sum prod min max first last mean median std var sem any all count size nunique skew kurt idxmin idxmax quantile".split()
_NUMBERS = [1, 0, 1, 1, 0, 1]
_TEXT = list("abcabc")
COLUMNS = {
    **{name: pandas.array(_NUMBERS, dtype=name) for name in "bool int8 int32 int64 uint8 uint64 float32 float64 boolean Int8 Int32 Int64 UInt64 Float32 Float64 int64[pyarrow] double[pyarrow]".split()},
    "str": pandas.array(_TEXT, dtype="str"),
    "string": pandas.array(_TEXT, dtype="string"),
    "string[python]": pandas.array(_TEXT, dtype=pandas.StringDtype("python")),
    "string[pyarrow]": pandas.array(_TEXT, dtype=pandas.ArrowDtype(pyarrow.string())),
    "category": pandas.Categorical(_TEXT),
    "ordered": pandas.Categorical(_TEXT, ordered=True),
    "M8[s]": pandas.array(np.arange(6).astype("M8[s]")),
    "M8[ns]": pandas.array(np.arange(6).astype("M8[ns]")),
    "m8[us]": pandas.array(np.arange(6).astype("m8[us]")),
    "zoned": pandas.date_range("2020", periods=6, tz="UTC").array,
    "period": pandas.period_range("2020", periods=6, freq="D").array,
    "object": np.array([1, "a", None, 2, 3, 4], dtype=object),
}
FORMS = {
    "series": lambda f, name: getattr(f.v, name)(),
    "frame": lambda f, name: getattr(f[["v"]], name)(),
    "series-agg": lambda f, name: f.v.agg(name),
    "series-list": lambda f, name: f.v.agg([name]),
    "frame-list": lambda f, name: f[["v"]].agg([name]),
    "groups": lambda f, name: getattr(f.groupby("g").v, name)(),
    "groups-of-frame": lambda f, name: getattr(f[["g", "v"]].groupby("g"), name)(),
    "groups-agg": lambda f, name: f.groupby("g").v.agg(name),
    "groups-list": lambda f, name: f.groupby("g").v.agg([name]),
    "groups-dict": lambda f, name: f.groupby("g").agg({"w": "sum", "v": name}),
    "groups-named": lambda f, name: f.groupby("g").agg(x=("v", name), y=("w", "max")),
    "groups-as-columns": lambda f, name: f.groupby("g", as_index=False).agg({"v": name}),
    "transform": lambda f, name: f.groupby("g").v.transform(name),
    "keys": lambda f, name: f.groupby("v").agg({"w": name}),
    "pivot": lambda f, name: f.pivot_table(index="g", values="v", aggfunc=name),
}


def _gaps(array: Any) -> Any:
    return pandas.Series(array).where([True, True, False, True, True, False]).array


def _outcome(module: Any, array: Any, form: Any, name: str) -> list[Any]:
    frame = module.DataFrame({"g": [1, 1, 2, 2, 3, 3], "v": array, "w": np.arange(6, dtype="int32")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = form(frame, name)
        except Exception as error:
            return [type(error)]
    if isinstance(found, pandas.DataFrame):
        return [*found.dtypes, found.index.dtype]
    return [found.dtype, found.index.dtype] if isinstance(found, pandas.Series) else [type(found)]


def _same(found: list[Any], expected: list[Any]) -> bool:
    return len(found) == len(expected) and all(one is other if isinstance(one, type) else kinds.same(one, other) for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_dtypes_of_aggregates(name: str) -> None:
    wrong = []
    for kind, array in COLUMNS.items():
        for gaps in (False, True):
            values = _gaps(array) if gaps else array
            for form, ask in FORMS.items():
                expected = _outcome(pandas, values, ask, name)
                found = _outcome(airloom.pandas, values, ask, name)
                if not _same(found, expected):
                    wrong.append(f"{form} of {kind}{' with gaps' if gaps else ''}: {found} in place of {expected}")
    assert not wrong, "\n".join(wrong)
