"""Bringing two frames together by keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES, mixed


def other() -> pandas.DataFrame:
    """A second frame: duplicate keys, keys that are only here, and missing keys."""
    return pandas.DataFrame(
        {
            "k": np.array([2, 1, 2, 9]),
            "s": pandas.array(["b", None, "zz", "b"], dtype="str"),
            "f": [1.5, np.nan, -0.0, 3.0],
            "t": np.array(["2020-02-29", "NaT", "1999-01-01", "2020-02-29"], dtype="M8[us]"),
            "b": [True, True, False, True],
            "x": np.arange(4),
            "y": [0.5, np.nan, 1.5, 2.5],
            "small": np.array([1, 2, 3, 1], dtype="int16"),
            "c": pandas.Categorical(["x", "y", "x", None], categories=["x", "y", "z"]),
        }
    )


HOWS = ["inner", "left", "right", "outer"]

PROGRAMS: dict[str, Any] = {
    **{f"{how}-{key}": lambda pd, df, o, h=how, k=key: df.merge(o[list(dict.fromkeys([k, "x", "y", "b"]))], how=h, on=k) for how in HOWS for key in ["k", "s", "f", "t", "b"]},
    **{f"{how}-two": lambda pd, df, o, h=how: df.merge(o[["k", "b", "x"]], how=h, on=["k", "b"]) for how in HOWS},
    **{f"{how}-names": lambda pd, df, o, h=how: df[["k", "i"]].merge(o[["x", "y"]], how=h, left_on="k", right_on="x") for how in HOWS},
    "cross": lambda pd, df, o: df[["k", "s"]].merge(o[["x", "k"]], how="cross"),
    "common": lambda pd, df, o: df[["k", "s", "i"]].merge(o[["k", "s", "x"]]),
    "function": lambda pd, df, o: pd.merge(df, o[["k", "x"]], on="k"),
    "suffixes": lambda pd, df, o: df[["k", "f"]].merge(o[["k", "f"]], on="k", suffixes=("_left", None)),
    "sorted": lambda pd, df, o: df[["k", "i"]].merge(o[["k", "x"]], on="k", sort=True),
    "then-sum": lambda pd, df, o: df[["k", "small"]].merge(o[["k", "x"]], on="k").groupby("k")["x"].sum(),
    "then-mask": lambda pd, df, o: df[["k", "small"]].merge(o[["k", "x"]], on="k", how="left").pipe(lambda d: d[d["x"] > 1]),
    "mask-then": lambda pd, df, o: df[df["k"] > 1][["k", "s"]].merge(o[o["x"] > 0][["k", "y"]], on="k", how="left"),
    "itself": lambda pd, df, o: df[["k", "small"]].merge(df[["k", "b"]], on="k"),
    "no-column": lambda pd, df, o: df.merge(o, on="nothing"),
}

EITHER: dict[str, Any] = {
    **{f"{how}-c": lambda pd, df, o, h=how: df.merge(o[["c", "x"]], how=h, on="c") for how in HOWS},
    **{f"{how}-small": lambda pd, df, o, h=how: df.merge(o[["small", "x"]], how=h, on="small") for how in HOWS},
    "float-and-whole": lambda pd, df, o: df[["k", "i"]].merge(o[["y"]], left_on="k", right_on="y"),
    "text-and-number": lambda pd, df, o: df[["k", "i"]].merge(o[["s"]], left_on="k", right_on="s"),
    "index": lambda pd, df, o: df[["k"]].merge(o[["x"]], left_index=True, right_index=True),
    "indicator": lambda pd, df, o: df[["k"]].merge(o[["k", "x"]], how="outer", indicator=True),
    "validate": lambda pd, df, o: df[["k"]].merge(o[["k", "x"]], validate="1:1"),
    "anti": lambda pd, df, o: df[["k"]].merge(o[["k", "x"]], how="left_anti"),
    "series": lambda pd, df, o: df[["k"]].merge(o["k"]),
    "no-common": lambda pd, df, o: df[["i"]].merge(o[["x"]]),
    "suffixes-clash": lambda pd, df, o: df[["k", "f"]].merge(o[["k", "f"]], on="k", suffixes=(None, None)),
    "wrong-how": lambda pd, df, o: df.merge(o, on="k", how="sideways"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_joins(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame](), other())


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_joins_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), other(), native=False)


@pytest.mark.parametrize("how", HOWS)
def test_join_with_no_rows(how: str, configuration: str) -> None:
    check(lambda pd, df, o: df.merge(o[["k", "x", "y", "b"]], on="k", how=how), mixed(), other().iloc[:0])


#: The categories of two sides: the same, in another order, some of either, others, none in common, ordered, of numbers.
SIDES: dict[str, tuple[Any, Any]] = {
    "same": (["z", "y", "x"], ["z", "y", "x"]),
    "permuted": (["z", "y", "x"], ["y", "x", "z"]),
    "some": (["z", "y", "x"], ["q", "y", "ü"]),
    "fewer": (["z", "y", "x"], ["x"]),
    "none in common": (["z", "y", "x"], ["q", "p"]),
    "ordered": (pandas.CategoricalDtype(["z", "y", "x"], ordered=True), pandas.CategoricalDtype(["x", "y", "z"], ordered=True)),
    "ordered the same": (pandas.CategoricalDtype(["z", "y", "x"], ordered=True), pandas.CategoricalDtype(["z", "y", "x"], ordered=True)),
    "numbers": ([3, 1, 2], [2, 5, 3, -(2**63)]),
}


#: Those that pandas takes for equal.
ALIKE = ("same", "permuted", "ordered the same")


def sided(categories: Any, missing: bool, column: str, rows: int = 7) -> pandas.DataFrame:
    """A frame with a category, each value of which occurs several times, and a number for each row."""
    dtype = categories if isinstance(categories, pandas.CategoricalDtype) else pandas.CategoricalDtype(categories)
    codes = np.resize(np.arange(-1 if missing else 0, len(dtype.categories)), rows)[::-1]
    return pandas.DataFrame({"k": pandas.Categorical.from_codes(codes, dtype=dtype), "n": np.resize([1, 0], rows), column: np.arange(rows)})


CATEGORY_PROGRAMS: dict[str, Any] = {
    **{how: lambda pd, a, b, h=how: a.merge(b.drop(columns="n"), on="k", how=h) for how in HOWS},
    **{f"{how}-two": lambda pd, a, b, h=how: a.merge(b, on=["n", "k"], how=h) for how in HOWS},
    **{f"{how}-names": lambda pd, a, b, h=how: a.merge(b.rename(columns={"k": "j"}), left_on="k", right_on="j", how=h) for how in HOWS},
    "sorted": lambda pd, a, b: a.merge(b, on="k", sort=True),
    "anti": lambda pd, a, b: a.merge(b.drop(columns="n"), on="k", how="left_anti"),
    "indicator": lambda pd, a, b: a.merge(b, on="k", how="left", indicator=True),
    "validated": lambda pd, a, b: a.merge(b.drop_duplicates("k"), on="k", how="left", validate="m:1"),
    "filtered": lambda pd, a, b: a[a["l"] > 1].merge(b[b["r"] < 5], on="k"),
    "grouped": lambda pd, a, b: a.merge(b, on="k").groupby("k", observed=True)["r"].sum(),
}


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("rows", [7, 1, 0])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("program", CATEGORY_PROGRAMS)
def test_joins_by_categories(program: str, side: str, rows: int, missing: bool, configuration: str) -> None:
    left, right = SIDES[side]
    # pandas cannot make integers of missing values, and says so; and the dtype of a right join depends on whether any row has a partner.
    left_to_pandas = (side == "numbers" and (missing or program.startswith("outer"))) or (program in ("right", "right-two") and side not in ALIKE)
    check(CATEGORY_PROGRAMS[program], sided(left, missing, "l"), sided(right, missing, "r", rows), native=rows > 0 and not left_to_pandas)
