"""What groups are made by: all kinds of keys, and categories that no row has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES

OPTIONS = [(observed, sort, dropna) for observed in (False, True) for sort in (False, True) for dropna in (False, True)]
OPS = ["sum", "min", "max", "count", "size", "mean", "first", "nunique", "prod"]


def several_categories(kind: str) -> pandas.DataFrame:
    """Two categories beside a key of numbers: unused ones, missing ones, in an order that is not the alphabet's."""
    frame = pandas.DataFrame(
        {
            "c": pandas.Categorical(["y", "x", None, "y", "x", "y"], categories=["z", "y", "x"]),
            "o": pandas.Categorical([3, 1, 3, None, 1, 3], categories=[1, 2, 3], ordered=True),
            "n": [2, 1, 2, 1, 1, 2],
            "f": [2.0, np.nan, 2.0, 1.0, 1.0, np.nan],
            "v": [1, 2, 3, 4, 5, 6],
            "w": [0.5, np.nan, 1.5, 2.5, np.nan, 3.5],
            "s": pandas.array(["a", "b", None, "a", "", "c"], dtype="str"),
        },
        index=pandas.Index(list("pqrstu"), name="label"),
    )
    # All categories have rows.
    full = frame.assign(c=frame["c"].cat.remove_unused_categories(), o=frame["o"].cat.remove_unused_categories()).dropna(subset=["c", "o"])
    return {"plain": frame, "none": frame.iloc[:0], "one": frame.iloc[1:2], "full": full}[kind]


WHOLE: dict[str, Any] = {
    **{
        f"{op}-{observed}-{sort}-{dropna}-{'-'.join(by)}": lambda pd, df, op=op, o=observed, s=sort, d=dropna, by=by: getattr(df.groupby(by, observed=o, sort=s, dropna=d)[["v", "w"]], op)()
        for op in ("sum", "max", "size")
        for observed, sort, dropna in OPTIONS
        for by in (["c"], ["o"], ["c", "o"], ["n", "c"], ["c", "f"], ["o", "n", "c"])
    },
    **{f"{op}-two": lambda pd, df, op=op: getattr(df.groupby(["c", "o"], observed=False)["v"], op)() for op in OPS},
    **{f"{op}-floats": lambda pd, df, op=op: getattr(df.groupby(["c", "n"], observed=False)["w"], op)() for op in OPS},
    **{f"{op}-text": lambda pd, df, op=op: getattr(df.groupby(["c", "n"], observed=False)["s"], op)() for op in ("min", "first", "count", "nunique")},
    "columns": lambda pd, df: df.groupby(["c", "n"], observed=False, as_index=False)["v"].sum(),
    "columns-one": lambda pd, df: df.groupby("c", observed=False, as_index=False, sort=False)["w"].max(),
    "agg": lambda pd, df: df.groupby(["c", "o"], observed=False).agg(a=("v", "sum"), b=("w", "mean")),
    "agg-list": lambda pd, df: df.groupby(["c", "o"], observed=False)["v"].agg(["sum", "min"]),
    "transform": lambda pd, df: df.groupby(["c", "n"], observed=False, dropna=False)["v"].transform("sum"),
    "ngroup": lambda pd, df: df.groupby(["c", "n"], observed=False).ngroup(),
    "ngroup-falling": lambda pd, df: df.groupby("c", observed=False, sort=False).ngroup(ascending=False),
    "cumcount": lambda pd, df: df.groupby(["c", "o"], observed=False).cumcount(),
    "then-mask": lambda pd, df: df.groupby(["c", "n"], observed=False)["v"].sum().pipe(lambda s: s[s > 2]),
}


@pytest.mark.parametrize("frame", ["plain", "none", "one", "full"])
@pytest.mark.parametrize("program", WHOLE)
def test_categories_without_rows(program: str, frame: str, configuration: str) -> None:
    check(WHOLE[program], several_categories(frame), rtol=1e-12)


PROGRAMS: dict[str, Any] = {
    "grouper": lambda pd, df: df.groupby(pd.Grouper(key="k"))["i"].max(),
    "grouper-sorted": lambda pd, df: df.groupby(pd.Grouper(key="k", sort=True))["small"].min(),
    "grouper-missing": lambda pd, df: df.groupby(pd.Grouper(key="s", dropna=False))["small"].max(),
    "grouper-list": lambda pd, df: df.groupby([pd.Grouper(key="k")])["i"].max(),
    "grouper-and-label": lambda pd, df: df.groupby([pd.Grouper(key="k"), "b"])["i"].max(),
    "grouper-size": lambda pd, df: df.groupby(pd.Grouper(key="s")).size(),
    "index": lambda pd, df: df.groupby(pandas.Index(np.arange(len(df)) % 3, name="m"))["i"].max(),
    "index-text": lambda pd, df: df.groupby(pandas.Index(np.resize(["a", "c", "b"], len(df))))["i"].max(),
    "index-objects": lambda pd, df: df.groupby(pandas.Index(np.resize(np.array([1, "a", 2.5], object), len(df)), dtype=object), sort=False)["i"].max(),
    "index-range": lambda pd, df: df.groupby(pandas.RangeIndex(len(df)))["i"].max(),
    "index-dates": lambda pd, df: df.groupby(pandas.date_range("2020", periods=len(df), name="d"))["i"].sum(),
    "index-periods": lambda pd, df: df.groupby(pandas.period_range("2020", periods=len(df), freq="M"))["i"].sum(),
    "intervals": lambda pd, df: df.groupby(pandas.IntervalIndex.from_breaks(range(len(df) + 1)))["i"].sum(),
    "list-of-text": lambda pd, df: df.groupby(["xyz"[at % 3] for at in range(len(df))])["small"].min(),
    "list-of-lists": lambda pd, df: df.groupby([["xyz"[at % 3] for at in range(len(df))], "k"])["small"].min(),
    "objects": lambda pd, df: df.groupby(np.resize(np.array(["b", "a", None], object), len(df)))["small"].min(),
    "objects-missing": lambda pd, df: df.groupby(np.resize(np.array(["b", "a", None], object), len(df)), dropna=False)["small"].min(),
    "objects-and-label": lambda pd, df: df.groupby([np.resize(np.array(["b", "a", None], object), len(df)), "b"])["small"].min(),
    "categorical": lambda pd, df: df.groupby(pandas.Categorical(np.resize(["b", "a"], len(df)), categories=["b", "a", "z"]), observed=False)["i"].max(),
    "array-size": lambda pd, df: df.groupby(np.arange(len(df)) % 2).size(),
    "coded-rows": lambda pd, df: df.groupby(np.resize(np.array(["b", "a", None], object), len(df)))["i"].cumcount(),
    "coded-transform": lambda pd, df: df.groupby(np.resize(np.array(["b", "a", None], object), len(df)))["i"].transform("max"),
    "coded-number": lambda pd, df: df.groupby(np.resize(np.array(["b", "a", None], object), len(df)), sort=False).ngroup(),
}
LEVELS: dict[str, Any] = {
    "level": lambda pd, df: df.groupby(level=0)["i"].max(),
    "level-unsorted": lambda pd, df: df.groupby(level=0, sort=False)["small"].min(),
    "level-and-label": lambda pd, df: df.groupby([pd.Grouper(level=0), "b"])["i"].max(),
    "level-grouper": lambda pd, df: df.groupby(pd.Grouper(level=0))["i"].max(),
    "level-series": lambda pd, df: df["i"].groupby(level=0).min(),
    "level-transform": lambda pd, df: df.groupby(level=0)["i"].transform("max"),
    "function": lambda pd, df: df.groupby(lambda label: str(label)[-1:])["i"].max(),
    "mapping": lambda pd, df: df.groupby({label: at % 2 for at, label in enumerate(df.index)})["i"].max(),
}


@pytest.mark.parametrize("frame", [name for name in FRAMES if name != "empty"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_keys(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame](), rtol=1e-12)


@pytest.mark.parametrize("frame", ["mixed", "labelled", "dated", "range", "one"])
@pytest.mark.parametrize("program", LEVELS)
def test_levels(program: str, frame: str, configuration: str) -> None:
    check(LEVELS[program], FRAMES[frame](), rtol=1e-12)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", [*PROGRAMS, *LEVELS])
def test_keys_by_either(program: str, frame: str, configuration: str) -> None:
    check({**PROGRAMS, **LEVELS}[program], FRAMES[frame](), native=False, rtol=1e-12)


def of_kind(kind: str) -> pandas.DataFrame:
    """Keys without a native type, and no rows."""
    arrays = {
        "objects": np.array(["a", 1], object),
        "periods": pandas.period_range("2020", periods=2, freq="D"),
        "intervals": pandas.IntervalIndex.from_breaks([0, 1, 2]),
    }
    return pandas.DataFrame({"k": arrays[kind], "v": [1, 2], "n": [1, 1]}).iloc[:0]


@pytest.mark.parametrize("kind", ["objects", "periods", "intervals"])
@pytest.mark.parametrize("by", ["k", ["k", "n"]])
def test_no_rows_of_any_key(kind: str, by: Any, configuration: str) -> None:
    check(lambda pd, df: df.groupby(by)[["v"]].sum(), of_kind(kind))


def with_tuples() -> pandas.DataFrame:
    """Columns of several levels, and labels that are tuples."""
    columns = pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x")])
    return pandas.DataFrame([[1, 2, 3], [1, 4, 5], [2, 6, 7]], columns=columns)


def test_columns_of_several_levels(configuration: str) -> None:
    check(lambda pd, df: df.groupby([("a", "x")]).sum(), with_tuples())
    check(lambda pd, df: df.groupby([0, 0, 1]).max(), with_tuples())


#: Keys that are series with other labels: of more rows, of other rows, of a table that is looked up by label.
OF_OTHER_ROWS: dict[str, Any] = {
    "of-all-rows": lambda pd, df: df[df["k"] > 1].groupby(df["small"] % 2)["i"].sum(),
    "of-all-rows-beside": lambda pd, df: df[df["k"] > 1].groupby(["b", df["t"].dt.year])["k"].max(),
    "of-all-rows-text": lambda pd, df: df[df["k"] < 3].groupby(df["s"].str.slice(0, 1), dropna=False).size(),
    "of-all-rows-lazily": lambda pd, df: df[df["k"] > 1][["k", "i"]].groupby((df["k"] + 1).rename("more")).count(),
    "of-some-rows": lambda pd, df: df.groupby(df["k"].iloc[1:] % 2)["k"].sum(),
    "of-filtered-rows": lambda pd, df: df.groupby(df[df["k"] > 1]["small"] + 0)["k"].sum(),
    "of-sorted-rows": lambda pd, df: df.groupby(df["i"].sort_values(kind="stable") % 3)["k"].sum(),
    "of-a-series": lambda pd, df: df["f"][df["k"] > 1].groupby(df["b"]).count(),
    "of-a-window": lambda pd, df: df[df["k"] > 1].groupby(df["k"].cumsum() % 3)["k"].count(),
    "whole-as-columns": lambda pd, df: df[df["k"] > 0].groupby((df["k"] % 2).rename("even"), as_index=False)[["small"]].sum(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", OF_OTHER_ROWS)
def test_keys_of_other_rows(program: str, frame: str, configuration: str) -> None:
    check(OF_OTHER_ROWS[program], FRAMES[frame](), native=False)


def test_keys_of_more_rows_are_native(configuration: str) -> None:
    frame = FRAMES["mixed"]()
    for program in ("of-all-rows", "of-all-rows-beside", "of-all-rows-text", "of-all-rows-lazily", "of-a-series"):
        check(OF_OTHER_ROWS[program], frame)


def test_a_key_that_is_the_column_of_more_rows(configuration: str) -> None:
    frame = FRAMES["mixed"]()
    for program in (
        lambda pd, df: df[df["k"] > 1].groupby(df["k"]).count(),
        lambda pd, df: df[df["k"] > -9].groupby(df["k"]).count(),
        lambda pd, df: df.iloc[1:].groupby(df["k"]).count(),
        lambda pd, df: df.sort_values("i", kind="stable").groupby(df["k"]).count(),
    ):
        check(program, frame, native=False)
