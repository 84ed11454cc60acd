"""Nullable dtypes, text of every kind, objects of Python, and the ways from one dtype to another."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check


def _nullable() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "a": pd.array([1, None, 3, 2**62, 5], dtype="Int64"),
            "b": pd.array([1, 2, None, 0, -7], dtype="Int8"),
            "u": pd.array([1, 2, None, 7, 0], dtype="UInt16"),
            "t": pd.array([True, False, None, True, None], dtype="boolean"),
            "f": pd.array([0.5, None, -0.0, 2.5, np.inf], dtype="Float64"),
            "g": pd.array([0.5, None, 0.0, 2.5, 1.0], dtype="Float32"),
            "s": pd.array(["b", None, "", "ä", "b"], dtype="string"),
            "p": pd.array(["b", None, "", "ä", "b"], dtype=pd.StringDtype("python")),
            "n": pd.array(["b", None, "", "ä", "b"], dtype=pd.StringDtype("python", na_value=np.nan)),
            "k": [1, 2, 3, 0, 1],
            "x": [0.5, np.nan, 1.5, 2.0, 0.0],
        }
    )


FRAMES = {"all": _nullable, "none": lambda: _nullable().iloc[:0], "missing": lambda: _nullable().iloc[1:2], "one": lambda: _nullable().iloc[:1]}
NUMBERS = ["a", "b", "u", "f", "g"]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("other", ["a", "b", "f", "k", "x"])
@pytest.mark.parametrize("op", ["add", "sub", "mul", "truediv", "eq", "lt", "ge"])
def test_nullable_numbers_beside_each_other(op: str, other: str, frame: str, configuration: str) -> None:
    for column in ("a", "b", "f"):
        check(lambda pd, df, c=column: getattr(operator, op)(df[c], df[other]), FRAMES[frame]())


@pytest.mark.parametrize("value", [1, 0, 2.5, True, pd.NA], ids=str)
@pytest.mark.parametrize("op", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "eq", "ne", "lt", "ge"])
def test_nullable_numbers_beside_a_value(op: str, value: Any, configuration: str) -> None:
    for column in NUMBERS:
        left = op in ("floordiv", "mod", "pow") and (column == "g" or value is pd.NA)
        check(lambda pd, df, c=column: getattr(operator, op)(df[c], value), _nullable(), native=not left)
        check(lambda pd, df, c=column: getattr(operator, op)(value, df[c]), _nullable(), native=op not in ("floordiv", "mod", "pow"))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "min", "max", "count", "nunique", "any", "all"])
def test_reductions_of_nullable_numbers(name: str, frame: str, configuration: str) -> None:
    for column in NUMBERS:
        # The least of these floats is a zero, of which there are both signs: NumPy's loops choose one.
        of_zeros = name == "min" and frame == "all" and column == "f"
        check(lambda pd, df, c=column: getattr(df[c], name)(), FRAMES[frame](), native=not of_zeros, rtol=1e-12)
    if name in ("sum", "prod"):
        check(lambda pd, df: getattr(df["a"], name)(min_count=2), FRAMES[frame]())
    if name in ("sum", "mean", "min"):
        check(lambda pd, df: getattr(df["f"], name)(skipna=False), FRAMES[frame](), native=name != "min", rtol=1e-12)


ROWS: dict[str, Any] = {
    "isna": lambda df, c: df[c].isna(),
    "notna": lambda df, c: df[c].notna(),
    "dropna": lambda df, c: df[c].dropna(),
    "sorted": lambda df, c: df[c].sort_values(kind="stable"),
    "sorted-down": lambda df, c: df[c].sort_values(ascending=False, na_position="first", kind="stable"),
    "unique": lambda df, c: df[c].unique(),
    "duplicated": lambda df, c: df[c].duplicated(),
    "once": lambda df, c: df[c].drop_duplicates(),
    "counts": lambda df, c: df[c].value_counts(),
    "counts-of-all": lambda df, c: df[c].value_counts(dropna=False),
    "shares": lambda df, c: df[c].value_counts(normalize=True),
    "mode": lambda df, c: df[c].mode(),
    "mode-of-all": lambda df, c: df[c].mode(dropna=False),
    "shift": lambda df, c: df[c].shift(),
    "forward": lambda df, c: df[c].ffill(),
    "backward": lambda df, c: df[c].bfill(limit=1),
    "where": lambda df, c: df[c].where(df["k"] > 1),
    "group": lambda df, c: df.groupby(c)["k"].sum(),
    "first": lambda df, c: df.groupby("k")[c].first(),
    "merge": lambda df, c: df[[c, "k"]].merge(df[[c, "x"]], on=c),
    "masked": lambda df, c: df[df["t"]][c],
    "filtered": lambda df, c: df[df["k"] > 1][c],
    "object": lambda df, c: df[c].astype(object),
    "converted": lambda df, c: df[c].convert_dtypes(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", ROWS)
def test_rows_of_nullable_values(program: str, frame: str, configuration: str) -> None:
    for column in ["a", "b", "f", "t", "s", "p", "n"]:
        left = (column == "s" and program == "shares") or (column != "n" and program in ("counts-of-all", "mode-of-all")) or (column in "pn" and program == "object")
        check(lambda pd, df, c=column: ROWS[program](df, c), FRAMES[frame](), native=not left)


VALUES: dict[str, Any] = {
    "fill": lambda pd, df: df["a"].fillna(7),
    "fill-float": lambda pd, df: df["f"].fillna(0.25),
    "fill-text": lambda pd, df: df["s"].fillna("x"),
    "fill-truth": lambda pd, df: df["t"].fillna(False),
    "fill-by-another": lambda pd, df: df["f"].fillna(df["f"] + 1),
    "clip": lambda pd, df: df["a"].clip(1, 4),
    "isin": lambda pd, df: df["a"].isin([1, 3]),
    "isin-missing": lambda pd, df: df["a"].isin([1, pd.NA]),
    "between": lambda pd, df: df["a"].between(1, 4),
    "replace": lambda pd, df: df["a"].replace(3, 4),
    "where-else": lambda pd, df: df["b"].where(df["k"] > 1, 3),
    "mask": lambda pd, df: df["f"].mask(df["k"] > 1, 1.5),
    "cumsum": lambda pd, df: df["a"].iloc[:3].cumsum(),
    "cummax": lambda pd, df: df["b"].cummax(),
    "rank": lambda pd, df: df["f"].rank(),
    "rank-least": lambda pd, df: df["a"].rank(method="min", ascending=False),
    "rank-text": lambda pd, df: df["s"].rank(),
    "rank-other-text": lambda pd, df: df["n"].rank(pct=True),
    "negative": lambda pd, df: -df["f"],
    "absolute": lambda pd, df: df["b"].abs(),
    "not": lambda pd, df: ~df["t"],
    "or-missing": lambda pd, df: df["t"] | pd.NA,
    "plain-and": lambda pd, df: (df["k"] > 1) & df["t"],
    "text-equal": lambda pd, df: df["s"] == "b",
    "text-compared": lambda pd, df: df["s"] < df["s"].shift(),
    "text-added": lambda pd, df: df["s"] + "!",
    "text-none": lambda pd, df: df["n"] == None,  # noqa: E711
    "mean-of-groups": lambda pd, df: df.groupby("k")["f"].mean(),
    "count-of-groups": lambda pd, df: df.groupby("k")["a"].count(),
    "any-of-groups": lambda pd, df: df.groupby("k")["t"].any(),
    "sum-of-groups": lambda pd, df: df.groupby("k")["a"].sum(),
    "concat": lambda pd, df: pd.concat([df["f"], df["f"]]),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", VALUES)
def test_nullable_values(program: str, frame: str, configuration: str) -> None:
    check(VALUES[program], FRAMES[frame]())


CONVERSIONS = [
    *(("a", to) for to in ("Float64", "float64", "object", "string")),
    *(("b", to) for to in ("Int64", "Int16", "Float64", "Float32", "float32", "string")),
    *(("f", to) for to in ("float64", "object")),
    *(("g", to) for to in ("Float64", "float32")),
    *(("t", to) for to in ("Int64", "Float64", "object")),
    *(("k", to) for to in ("Int64", "Int8", "UInt8", "Float64", "Float32", "string", "object", "category")),
    *(("x", to) for to in ("Float64", "object", "category")),
    *(("s", to) for to in ("str", "object")),
    *(("p", to) for to in ("string[pyarrow]",)),
    *(("n", to) for to in ("string", "str", "category")),
]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(("column", "to"), CONVERSIONS)
def test_conversions(column: str, to: str, frame: str, configuration: str) -> None:
    check(lambda pd, df: df[column].astype(to), FRAMES[frame](), native=(column, to, frame) != ("a", "Float64", "all"))
    check(lambda pd, df: df[[column]].astype({column: to}), FRAMES[frame](), native=(column, to, frame) != ("a", "Float64", "all"))


def _objects() -> pd.DataFrame:
    made = pd.DataFrame(
        {
            "text": np.array(["b", None, "a", "ä", "b"], object),
            "nan": np.array(["b", np.nan, "a", "ä", "b"], object),
            "na": np.array(["b", pd.NA, "a", "ä", "b"], object),
            "whole": np.array([1, 3, 2, 2, 5], object),
            "float": np.array([1.5, np.nan, 2.0, 0.0, 5.0], object),
            "truth": np.array([True, False, True, True, False], object),
            "gaps": np.array([1, None, 2, 2, 5], object),
            "mixed": np.array([1, "a", None, 2.5, np.nan], object),
            "k": [1, 2, 1, 3, 2],
            "t": pd.date_range("2020-01-01", periods=5),
            "c": pd.Categorical(["x", "y", None, "x", "y"]),
        }
    ).astype({name: object for name in ("text", "nan", "na")})
    return made


OBJECTS: dict[str, Any] = {
    "isna": lambda pd, df: df.isna(),
    "notna": lambda pd, df: df["mixed"].notna(),
    "dropna": lambda pd, df: df["mixed"].dropna(),
    "dropna-rows": lambda pd, df: df.dropna(subset=["mixed", "text"]),
    "count": lambda pd, df: df[["mixed", "text", "k"]].count(),
    "module-isna": lambda pd, df: pd.isna(df["text"]),
    "after-filter": lambda pd, df: df[df["k"] > 1]["mixed"].isna(),
    "equal": lambda pd, df: df["text"] == "b",
    "unequal": lambda pd, df: df["nan"] != "b",
    "less": lambda pd, df: df["whole"] < 3,
    "floats-less": lambda pd, df: df["float"] <= 2.0,
    "both": lambda pd, df: df["text"] == df["nan"],
    "filtered": lambda pd, df: df[df["text"] == "b"],
    "sorted": lambda pd, df: df.sort_values("whole", kind="stable"),
    "rows-sorted-by-text": lambda pd, df: df.sort_values("text", kind="stable"),
    "unique": lambda pd, df: df["text"].unique(),
    "duplicated": lambda pd, df: df["text"].duplicated(),
    "once": lambda pd, df: df.drop_duplicates("whole"),
    "as-str": lambda pd, df: df["text"].astype("str"),
    "as-string": lambda pd, df: df["na"].astype("string"),
    "as-whole": lambda pd, df: df["whole"].astype("int64"),
    "as-nullable": lambda pd, df: df["whole"].astype("Int64"),
    "as-float": lambda pd, df: df["float"].astype("float64"),
    "there-and-back": lambda pd, df: df["k"].astype(object).astype("int64"),
    "times": lambda pd, df: df["t"].astype(object),
    "times-compared": lambda pd, df: df["t"].astype(object) > pd.Timestamp("2020-01-02"),
    "times-later": lambda pd, df: df["t"].astype(object) + pd.Timedelta("1D"),
    "categories": lambda pd, df: df["c"].astype(object),
    "all": lambda pd, df: df[["k", "t", "c"]].astype(object),
    "converted": lambda pd, df: df[["text", "nan", "na", "whole", "float", "truth", "gaps", "k", "t", "c"]].convert_dtypes(),
    "inferred-series": lambda pd, df: df["whole"].infer_objects(),
    "inferred": lambda pd, df: df[["whole", "float", "truth", "k"]].infer_objects(),
    "missing-of-shown": lambda pd, df: df["t"].shift().astype(object).isna(),
}


@pytest.mark.parametrize("program", OBJECTS)
def test_objects(program: str, configuration: str) -> None:
    check(OBJECTS[program], _objects())
    check(OBJECTS[program], _objects().iloc[:0], native=False)
    check(OBJECTS[program], _objects().iloc[1:3], native=False)


CATEGORIES: dict[str, Any] = {
    "given": lambda pd, df: df["k"].astype(pd.CategoricalDtype([3, 1, 2, 7])),
    "recoded": lambda pd, df: df["c"].astype(pd.CategoricalDtype(["z", "y", "x"])),
    "with-an-order": lambda pd, df: df["c"].astype(pd.CategoricalDtype(ordered=True)).astype("category"),
    "mode": lambda pd, df: df["t"].shift().mode(dropna=False),
    "ordered": lambda pd, df: df["k"].astype(pd.CategoricalDtype([3, 2, 1], ordered=True)),
    "frame": lambda pd, df: df[["k"]].astype("category"),
    "times": lambda pd, df: df["t"].astype("category"),
    "back": lambda pd, df: df["k"].astype("category").astype("int64"),
    "of-text": lambda pd, df: df["c"].astype("str").astype("category"),
    "equal": lambda pd, df: df["c"] == df["c"],
    "unequal": lambda pd, df: df["c"] != df["c"].shift(),
    "zeros": lambda pd, df: (df["k"] * -0.0).astype("category"),
}


@pytest.mark.filterwarnings("ignore")
def test_categories_that_are_lost(configuration: str) -> None:
    check(lambda pd, df: df["k"].astype(pd.CategoricalDtype([3, 1])), _objects(), native=False)
    check(lambda pd, df: df["c"].astype(pd.CategoricalDtype(["x"])), _objects(), native=False)


@pytest.mark.parametrize("program", CATEGORIES)
def test_categories(program: str, configuration: str) -> None:
    check(CATEGORIES[program], _objects())
    check(CATEGORIES[program], _objects().iloc[:0])


DIVISIONS: dict[str, Any] = {
    "quotient": lambda pd, df: df["k"] // df["z"],
    "remainder": lambda pd, df: df["k"] % df["z"],
    "by-zero": lambda pd, df: df["k"] // 0,
    "remainder-by-zero": lambda pd, df: df["k"] % 0,
    "floats-by-zero": lambda pd, df: df["x"] // 0,
    "narrow-by-zero": lambda pd, df: df["g"] // df["z"],
    "unsigned": lambda pd, df: df["u"] // df["z"].astype("uint8"),
    "zero-by": lambda pd, df: 0 // df["z"],
    "power": lambda pd, df: df["k"] ** abs(df["z"]),
    "zero-dimensional": lambda pd, df: df["k"] / np.array(2),
    "tuple": lambda pd, df: df["z"] + tuple(range(len(df))),
    "tuple-by-name": lambda pd, df: df["z"].add(tuple(range(len(df)))) if len(df) else df["z"],
    "list-of-text": lambda pd, df: df["s"] + ["x"] * len(df) if len(df) else df["s"],
    "text-and-nothing": lambda pd, df: df["s"] + None,
    "compared-none": lambda pd, df: df["k"] == None,  # noqa: E711
    "compared-nan": lambda pd, df: df["x"] < np.nan,
    "compared-text": lambda pd, df: df["k"] != "a",
    "ufunc-turned": lambda pd, df: np.subtract(np.arange(len(df)), df["k"]),
    "ufunc-logic": lambda pd, df: np.logical_and(df["k"] > 0, df["x"] > 0),
    "ufunc-not": lambda pd, df: np.logical_not(df["k"] > 0),
    "ufunc-floor": lambda pd, df: np.floor_divide(df["k"], 2),
    "ufunc-compared": lambda pd, df: np.greater(1, df["k"]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rows", [6, 2, 0])
@pytest.mark.parametrize("program", DIVISIONS)
def test_divisions_and_operands(program: str, rows: int, configuration: str) -> None:
    frame = pd.DataFrame(
        {
            "k": [1, 0, -3, 2**62, -(2**63), 7],
            "z": [0, 0, 2, -3, 0, 5],
            "u": np.array([0, 1, 2, 3, 4, 255], "uint8"),
            "x": [1.5, np.nan, -0.0, 0.0, -np.inf, 7.0],
            "g": np.array([1.5, np.nan, 0.0, 2.0, 1.0, 7.0], "float32"),
            "s": pd.array(["a", None, "", "b", "c", "d"], dtype="str"),
        }
    )
    check(DIVISIONS[program], frame.iloc[:rows])


FRAME_REDUCTIONS: dict[str, Any] = {
    "sum": lambda pd, df: df[["a", "b"]].sum(min_count=2),
    "mean": lambda pd, df: df[["a", "f"]].mean(),
    "least": lambda pd, df: df[["f"]].min(),
    "any": lambda pd, df: df[["t"]].any(),
    "all-with-missing": lambda pd, df: df["t"].all(skipna=False),
    "any-with-missing": lambda pd, df: df["t"].any(skipna=False),
    "any-number-with-missing": lambda pd, df: df["b"].any(skipna=False),
    "numpy-all": lambda pd, df: np.all(df["k"] > 0),
    "intervals": lambda pd, df: pd.Series(pd.interval_range(0, 3)).convert_dtypes(),
    "missing-intervals": lambda pd, df: pd.Series(pd.interval_range(0, 3)).isna(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", FRAME_REDUCTIONS)
def test_reductions_of_nullable_frames(program: str, frame: str, configuration: str) -> None:
    check(FRAME_REDUCTIONS[program], FRAMES[frame](), native=(program, frame) != ("least", "all"), rtol=1e-12)
