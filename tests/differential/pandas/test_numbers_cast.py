"""Numbers cast to time, and to the numbers of Arrow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

NUMBERS: dict[str, Any] = {
    "int8": np.array([1, -128, 127, 0], "int8"),
    "uint32": np.array([0, 2**32 - 1], "uint32"),
    "int64": np.array([3, -(10**9), 0, 10**9]),
    "float32": np.array([1.5, -1.5, np.nan, 0], "float32"),
    "float64": np.array([1.75, -1.75, np.nan, -0.0, 1e9]),
    "bool": np.array([True, False]),
    "Int64": pd.array([1, None, -7], dtype="Int64"),
    "Float64": pd.array([1.5, None], dtype="Float64"),
    "UInt8": pd.array([1, None, 255], dtype="UInt8"),
}
TIMES = [f"{kind}8[{unit}]" for kind in "mM" for unit in ("s", "ms", "us", "ns", "m", "h", "D")]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("dtype", TIMES)
def test_numbers_as_time(dtype: str, name: str, configuration: str) -> None:
    series = pd.Series(NUMBERS[name], name="n")
    check(lambda pd, s: s.astype(dtype), series)
    check(lambda pd, s: s.to_frame().astype(dtype), series)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["M8[ns]", "M8[s]", "M8[D]", "m8[h]"])
def test_numbers_that_are_no_time(dtype: str, configuration: str) -> None:
    for values in ([-(2**63), 5], [2**63 - 1], [1e19], [np.inf], [-np.inf], np.array([2**64 - 1], "uint64")):
        check(lambda pd, s: s.astype(dtype), pd.Series(values), native=False)
    check(lambda pd, s: s.astype("M8[us]"), pd.Series([-(2**63), 5]))
    for other in (["2020-01-01"], pd.to_datetime(["2020-01-01"]), pd.to_timedelta(["1D"]), [None]):
        check(lambda pd, s: s.astype(dtype), pd.Series(other), native=False)


ARROW = ["double[pyarrow]", "float[pyarrow]", "int64[pyarrow]", "int8[pyarrow]", "uint64[pyarrow]", "bool[pyarrow]"]
WHOLE: dict[str, Any] = {**NUMBERS, "floats": np.array([1.0, -2.0, np.nan]), "small": np.array([1.0, 0.0]), "big": np.array([2**53 + 1, 1]), "negative": np.array([-1, 1])}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("dtype", ARROW)
def test_numbers_as_those_of_arrow(dtype: str, name: str, configuration: str) -> None:
    check(lambda pd, s: s.astype(dtype), pd.Series(WHOLE[name]), native=False)


def test_numbers_as_those_of_arrow_are_native(configuration: str) -> None:
    check(lambda pd, s: s.astype("double[pyarrow]"), pd.Series([1, 2, 3]))
    check(lambda pd, s: s.astype("double[pyarrow]"), pd.Series([1.5, np.nan]))
    check(lambda pd, s: s.astype("uint64[pyarrow]"), pd.Series([1, 2]))
    check(lambda pd, s: s.astype("int32[pyarrow]") + 1, pd.Series([1.0, np.nan]))
    check(lambda pd, s: s.astype("int64[pyarrow]"), pd.Series([1, None], dtype="Int64"))


def test_a_mask_that_is_nowhere_true(configuration: str) -> None:
    def put(pd: Any, series: Any, value: Any) -> Any:
        made = series + 0
        made[made > 99] = value
        return made

    for value in (np.nan, None, pd.NA, "text", 1.5):
        check(lambda pd, s, value=value: put(pd, s, value), pd.Series([1, 2, 3]))
        check(lambda pd, s, value=value: put(pd, s, value), pd.Series([1, 200]), native=False)


@pytest.mark.parametrize("values", [[1.1, 2.5, None], [0.0, -0.0, 5e-324, 1e-46], [np.inf, -np.inf, np.nan], [3.4028234663852886e38, -3.4028234663852886e38], [16777217.0], []], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "Float64"])
def test_floats_are_rounded_to_nullable_ones_of_32_bits(dtype: str, values: list[Any], configuration: str) -> None:
    check(lambda _, s: s.astype("Float32"), pd.Series(values, dtype=dtype))


@pytest.mark.parametrize("value", [1e39, -1e300, 3.4028235e38])
def test_floats_out_of_bounds_are_left_to_pandas(value: float, configuration: str) -> None:
    with np.errstate(over="ignore"):
        check(lambda _, s: s.astype("Float32"), pd.Series([1.0, value]), native=False)
