"""One value of each row, where extremes stand, and functions of whole columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES

NAMES = "sum prod mean min max std var sem any all median skew".split()


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("columns", [["i", "k"], ["f", "k"], ["f"]], ids="-".join)
@pytest.mark.parametrize("skipna", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_across(name: str, skipna: bool, columns: list[str], frame: str, configuration: str) -> None:
    check(lambda pd, df: getattr(df[columns], name)(axis=1, skipna=skipna), FRAMES[frame](), rtol=1e-9)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("columns", [["k", "b"], ["b", "b"]], ids="-".join)
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "min", "max", "any", "all"])
def test_across_truth(name: str, columns: list[str], frame: str, configuration: str) -> None:
    check(lambda pd, df: getattr(df[columns], name)(axis=1), FRAMES[frame](), rtol=1e-9)


MORE: dict[str, Any] = {
    "least-count": lambda pd, df: df[["f", "k"]].sum(axis=1, min_count=2),
    "least-count-of-more": lambda pd, df: df[["f", "k"]].sum(axis=1, min_count=3),
    "idxmax": lambda pd, df: df[["f", "k", "i"]].idxmax(),
    "idxmin": lambda pd, df: df[["f", "k", "i"]].idxmin(),
    "idxmax-across": lambda pd, df: df[["f", "k", "i"]].idxmax(axis=1),
    "idxmin-across": lambda pd, df: df[["k", "i"]].idxmin(axis=1),
    "idxmax-numbers": lambda pd, df: df[["s", "k", "f"]].idxmax(numeric_only=True),
    "idxmax-timestamps": lambda pd, df: df[["t", "d"]].idxmax(),
    "idxmax-nothing-passed-over": lambda pd, df: df[["k", "i"]].idxmax(skipna=False),
    "idxmax-of-nothing": lambda pd, df: df[[]].idxmax(),
    "all-of-all": lambda pd, df: df[["b", "b"]].all(axis=None),
    "any-of-all": lambda pd, df: df[["b", "k"]].any(axis=None),
    "any-of-truth": lambda pd, df: df[["b", "k", "s"]].any(bool_only=True),
    "numpy-all": lambda pd, df: np.all(df[["b", "k"]]),
    "numpy-any": lambda pd, df: np.any(df["b"]),
    "mode": lambda pd, df: df["f"].mode(dropna=False),
    "cut-edges": lambda pd, df: pd.cut(df["k"], [0, 1, 5], retbins=True, labels=False),
    "apply-name-across": lambda pd, df: df[["k", "f"]].apply("max", axis=1),
    "apply-root": lambda pd, df: df[["k"]].apply(np.sqrt),
    "transform-name": lambda pd, df: df[["k", "f"]].transform("cumsum"),
    "transform-list": lambda pd, df: df[["k", "f"]].transform(["cumsum", "abs"]),
    "transform-dict": lambda pd, df: df[["k", "f"]].transform({"k": "cumsum"}),
    "transform-labelled": lambda pd, df: df[["f", "k"]].transform(pd.Series({"f": "abs"})),
    "max-timestamps": lambda pd, df: df[["t", "t"]].max(),
    "min-of-several-kinds": lambda pd, df: df[["d", "f"]].min(),
    "sum-of-nothing": lambda pd, df: df[[]].sum(),
    "any-of-nothing": lambda pd, df: df[[]].any(axis=1),
    "transform-series": lambda pd, df: df["k"].transform(["cumsum", "abs"]),
    "agg-across": lambda pd, df: df[["k", "f"]].agg("sum", axis=1),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", MORE)
def test_more_across(program: str, frame: str, configuration: str) -> None:
    check(MORE[program], FRAMES[frame](), rtol=1e-9)


WHOLE: dict[str, Any] = {
    "apply": lambda pd, df: df[["k", "f"]].apply(lambda column: column.max() - column.min()),
    "apply-sum": lambda pd, df: df[["k", "i"]].apply(np.sum),
    "apply-column": lambda pd, df: df[["k", "f"]].apply(lambda column: column + 1),
    "apply-name": lambda pd, df: df[["k", "f"]].apply("max"),
    "apply-counts": lambda pd, df: df[["k", "small"]].apply(lambda column: column.value_counts()),
    "apply-arguments": lambda pd, df: df[["k", "f"]].apply(lambda column, n: column * n, args=(3,)),
    "transform": lambda pd, df: df[["k", "f"]].transform(lambda column: column + 1),
    "agg": lambda pd, df: df[["k", "f"]].agg(lambda column: column.max()),
    "agg-series": lambda pd, df: df["k"].agg(lambda column: column.max() - column.min()),
    "apply-series": lambda pd, df: df["k"].apply(lambda column: column - column.min(), by_row=False),
    "apply-series-name": lambda pd, df: df["k"].apply("cumsum"),
    "nunique-across": lambda pd, df: df[["f", "k"]].nunique(axis=1),
}


@pytest.mark.parametrize("frame", [name for name in FRAMES if name != "empty"])
@pytest.mark.parametrize("program", WHOLE)
def test_functions_of_whole_columns(program: str, frame: str, configuration: str) -> None:
    # The greatest of this frame are zeros of both signs: which of them it is depends on NumPy's loops.
    of_zeros = frame == "two" and program in ("agg", "apply", "apply-name")
    check(WHOLE[program], FRAMES[frame](), native=not of_zeros, rtol=1e-9)


@pytest.mark.parametrize("program", WHOLE)
def test_functions_of_no_rows(program: str, configuration: str) -> None:
    check(WHOLE[program], FRAMES["empty"](), native=False)


def nullable(dtype: str) -> Any:
    return pandas.DataFrame({name: pandas.array(values, dtype=dtype) for name, values in (("a", [100, 1, None, 3]), ("b", [100, None, None, 3]), ("c", [1, 0, None, 0]))})


@pytest.mark.parametrize("dtype", ["Int8", "Int64", "UInt8", "UInt64"])
@pytest.mark.parametrize("skipna", [True, False])
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all"])
def test_nullable_across(name: str, skipna: bool, dtype: str, configuration: str) -> None:
    for piece in (slice(None), slice(0, 2), slice(3, 4)):
        check(lambda pd, df, piece=piece: getattr(df.iloc[piece], name)(axis=1, skipna=skipna), nullable(dtype))


@pytest.mark.parametrize("dtype", ["Int8", "Int64", "UInt8", "UInt64"])
@pytest.mark.parametrize("name", ["count", "nunique", "idxmax"])
def test_nullable_counts_across(name: str, dtype: str, configuration: str) -> None:
    check(lambda pd, df: getattr(df, name)(axis=1), nullable(dtype).iloc[:2])


@pytest.mark.parametrize("dtype", ["Int8", "Int64", "UInt8", "UInt64"])
@pytest.mark.parametrize("skipna", [True, False])
@pytest.mark.parametrize("name", ["mean", "var", "std", "sem", "median", "skew"])
def test_nullable_floats_across(name: str, skipna: bool, dtype: str, configuration: str) -> None:
    check(lambda pd, df: getattr(df, name)(axis=1, skipna=skipna), nullable(dtype), native=False, rtol=1e-9)


@pytest.mark.parametrize("skipna", [True, False])
def test_kurtosis_across(skipna: bool, configuration: str) -> None:
    draw = np.random.default_rng(7)
    frame = pandas.DataFrame(draw.normal(size=(9, 6)), columns=list("abcdef"))
    frame.iloc[1, 2] = frame.iloc[2, 0] = np.nan
    frame.iloc[3, 1:4] = np.nan
    frame.iloc[4] = 2.5
    frame.iloc[5] = np.nan
    check(lambda pd, df: df.kurt(axis=1, skipna=skipna), frame, rtol=1e-9)
    check(lambda pd, df: df[["a", "b"]].kurtosis(axis="columns", skipna=skipna), frame)
    check(lambda pd, df: df.round().astype("int64").kurt(axis=1, skipna=skipna), frame.fillna(1), rtol=1e-9)
    check(lambda pd, df: df.astype("Float64").kurt(axis=1, skipna=skipna), frame, rtol=1e-9)
    check(lambda pd, df: df.assign(s="x").kurt(axis=1, skipna=skipna, numeric_only=True), frame, rtol=1e-9)
    check(lambda pd, df: (df + 1e8).kurt(axis=1, skipna=skipna), frame, native=False, rtol=1e-6)
    check(lambda pd, df: (df > 0).kurt(axis=1, skipna=skipna), frame, native=False, rtol=1e-9)


def nullable_beside_plain(rows: int = 5) -> pandas.DataFrame:
    """Nullable columns beside plain ones, with what is missing in some, in all, in none of a row."""
    return pandas.DataFrame(
        {
            "int64": pandas.array([1, None, -3, None, 2**40], dtype="Int64"),
            "int8": pandas.array([None, None, 127, -128, 0], dtype="Int8"),
            "uint8": pandas.array([0, None, 255, 1, 7], dtype="UInt8"),
            "float64": pandas.array([0.5, None, -0.0, 2.5, 1e300], dtype="Float64"),
            "boolean": pandas.array([True, None, False, True, None], dtype="boolean"),
            "i": np.array([3, 0, -1, 2**30, 5]),
            "f": np.array([np.nan, np.nan, 1.5, -np.inf, 2.0]),
            "g": np.array([0.25, np.nan, 1.5, 2.0, -1.0], dtype="float32"),
            "b": np.array([True, False, False, True, True]),
        }
    ).iloc[:rows]


PAIRS = [("int64", "float64"), ("int64", "f"), ("int64", "i"), ("int8", "int64"), ("int8", "uint8"), ("float64", "f"), ("float64", "i"), ("int8", "f", "i"), ("boolean", "b"), ("boolean", "int64"), ("float64", "g")]


@pytest.mark.parametrize("rows", [5, 1, 0])
@pytest.mark.parametrize("columns", PAIRS, ids="-".join)
@pytest.mark.parametrize("skipna", [True, False])
@pytest.mark.parametrize("name", [*NAMES, "count", "nunique", "idxmax"])
def test_across_nullable_beside_others(name: str, skipna: bool, columns: tuple[str, ...], rows: int, configuration: str) -> None:
    options = {} if name in ("count", "nunique") else {"skipna": skipna}
    check(lambda pd, df: getattr(df[list(columns)], name)(axis=1, **options), nullable_beside_plain(rows), native=False, rtol=1e-9)


@pytest.mark.parametrize("columns", [("int64", "float64"), ("int64", "f"), ("int64", "i"), ("int8", "int64"), ("float64", "f"), ("float64", "i"), ("int8", "f", "i")], ids="-".join)
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "min", "max", "any", "all"])
def test_numbers_beside_nullable_ones_are_native(name: str, columns: tuple[str, ...], configuration: str) -> None:
    check(lambda pd, df: getattr(df[list(columns)], name)(axis=1), nullable_beside_plain(), rtol=1e-9)
