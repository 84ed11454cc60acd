"""Bringing two frames together, by columns and by labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check
from frames import FRAMES


def _right() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "k": np.array([2, 1, 2, 9]),
            "s": pd.array(["b", "a", None, "zz"], dtype="str"),
            "v": np.array([10, 20, 30, 40]),
            "w": pd.array(["p", None, "q", "r"], dtype="str"),
            "truth": np.array([True, False, True, True]),
            "small": np.array([1, 5, 7, 8], dtype="int32"),
            "x": np.array([1.0, 2.0, np.nan, 5.0]),
            "c": pd.Categorical(["y", "x", "y", None], categories=["x", "y", "z"]),
        }
    )


def _by_label(labels: Any, name: Any = None) -> pd.DataFrame:
    return pd.DataFrame({"v": np.arange(len(labels)), "w": pd.array(["p"] * len(labels), dtype="str")}, index=pd.Index(labels, name=name))


COLUMNS: dict[str, Any] = {
    "inner": lambda pd, df, r: df.merge(r[["k", "v"]], on="k"),
    "left": lambda pd, df, r: df.merge(r[["k", "v", "w", "truth"]], on="k", how="left"),
    "right": lambda pd, df, r: df.merge(r[["k", "v", "w"]], on="k", how="right"),
    "outer": lambda pd, df, r: df.merge(r[["k", "v", "w"]], on="k", how="outer"),
    "text": lambda pd, df, r: df.merge(r[["s", "v"]], on="s", how="left"),
    "text-outer": lambda pd, df, r: df.merge(r[["s", "v"]], on="s", how="outer"),
    "two-keys": lambda pd, df, r: df.merge(r[["s", "k", "v"]], on=["k", "s"], how="left"),
    "other-names": lambda pd, df, r: df.merge(r[["v", "w", "k"]], left_on="i", right_on="k", how="left"),
    "suffixes": lambda pd, df, r: df.merge(r[["k", "s"]], on="k", suffixes=("_l", None)),
    "sorted": lambda pd, df, r: df.merge(r[["k", "v"]], on="k", sort=True),
    "cross": lambda pd, df, r: df[["f", "s"]].merge(r[["v"]], how="cross"),
    "left-anti": lambda pd, df, r: df.merge(r[["k", "v"]], on="k", how="left_anti"),
    "left-anti-all": lambda pd, df, r: df.merge(r[r["k"] > 1][["k", "v", "w"]], on="k", how="left_anti"),
    "right-anti": lambda pd, df, r: df[["k", "f", "s", "i"]].merge(r[["k", "v"]], on="k", how="right_anti"),
    "indicator": lambda pd, df, r: df.merge(r[["k", "v"]], on="k", how="outer", indicator=True),
    "indicator-left": lambda pd, df, r: df.merge(r[["k", "v"]], on="k", how="left", indicator="where"),
    "indicator-inner": lambda pd, df, r: df.merge(r[["k", "v"]], on="k", indicator=True),
    "category-key": lambda pd, df, r: df.merge(r[["c", "v"]], on="c", how="left"),
    "category-key-inner": lambda pd, df, r: df.merge(r[["c", "v"]], on="c"),
    "widths": lambda pd, df, r: df.merge(r[["small", "v"]], on="small", how="left"),
    "widths-inner": lambda pd, df, r: df[["small", "f"]].merge(r[["small", "v"]], on="small"),
    "validated": lambda pd, df, r: df.merge(r[["v", "w"]], left_on="k", right_on="v", how="left", validate="m:1"),
    "validated-any": lambda pd, df, r: df.merge(r[["k", "w"]], on="k", validate="m:m"),
    "whole-and-float": lambda pd, df, r: df.merge(r[["x", "v"]], left_on="k", right_on="x", how="left"),
    "float-and-whole": lambda pd, df, r: df.merge(r[["k", "v"]].rename(columns={"k": "q"}), left_on="k", right_on="q"),
    "series": lambda pd, df, r: df.merge(r["k"], on="k"),
    "function": lambda pd, df, r: pd.merge(df, r[["k", "v"]], on="k", how="left"),
    "of-mask": lambda pd, df, r: df[df["b"]].merge(r[r["v"] > 10], on="k", suffixes=("", "_r")),
    "on-labels-of-right": lambda pd, df, r: df.merge(r.set_index("k")[["v"]], left_on="k", right_index=True, how="left"),
    "on-labels-of-right-inner": lambda pd, df, r: df.head(5).merge(r.set_index("k")[["v"]], left_on="k", right_index=True),
    "on-labels-of-right-text": lambda pd, df, r: df.merge(r.set_index("s")[["v", "truth"]], left_on="s", right_index=True, how="left"),
    "on-labels-of-left": lambda pd, df, r: r.set_index("k")[["v"]].merge(df, left_index=True, right_on="k", how="right"),
    "on-labels-of-two-levels": lambda pd, df, r: df.merge(r.set_index(["k", "s"])[["v"]], left_on=["k", "s"], right_index=True, how="left"),
    **{f"level-left-{how}": lambda pd, df, r, how=how: df[["k", "f", "i"]].set_index("k").merge(r[["k", "v"]], on="k", how=how) for how in ("inner", "left", "right", "outer")},
    **{f"level-right-{how}": lambda pd, df, r, how=how: df[["f", "k"]].merge(r.set_index("k")[["v"]], on="k", how=how) for how in ("inner", "left", "right", "outer")},
    **{f"level-both-{how}": lambda pd, df, r, how=how: df[["f", "k"]].set_index("k").merge(r.set_index("k")[["v"]], on="k", how=how) for how in ("inner", "left", "right", "outer")},
    "level-and-column": lambda pd, df, r: df[["k", "s", "f"]].set_index("s").merge(r[["s", "k", "v"]], on=["k", "s"]),
    "level-of-several": lambda pd, df, r: df[["k", "s", "f"]].set_index(["s", "k"]).merge(r[["k", "v"]], on="k", how="left"),
    "levels-of-both": lambda pd, df, r: df[["k", "s", "f"]].set_index(["s", "k"]).merge(r[["k", "s", "v"]].set_index(["k", "s"]), on=["k", "s"], how="left"),
    "level-both-keywords": lambda pd, df, r: df[["f", "k"]].set_index("k").merge(r[["k", "v"]], left_on="k", right_on="k", indicator=True, sort=True),
    "join-on": lambda pd, df, r: df.join(r.set_index("k")[["v", "truth"]], on="k"),
    "join-on-series": lambda pd, df, r: df.join(r.set_index("k")["v"], on="k"),
    "join-on-suffixes": lambda pd, df, r: df.join(r.set_index("k")[["s", "v"]], on="k", suffixes=("", "_r")),
    "join-on-suffix-by-keyword": lambda pd, df, r: df.join(r.set_index("k")[["s", "v"]], on="k", rsuffix="_r"),
    "join-on-suffixes-by-keyword": lambda pd, df, r: df.join(r.set_index("k")[["s", "v"]], on="k", lsuffix="_l", rsuffix="_r"),
    "join-on-group": lambda pd, df, r: df.join(df.groupby("k")["i"].max().rename("top"), on="k"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", COLUMNS)
def test_joins_by_columns(program: str, frame: str, configuration: str) -> None:
    native = not (frame == "empty" and "inner" in program) and not (frame == "all-missing" and "category" in program)
    check(COLUMNS[program], FRAMES[frame](), _right(), native=native)


LABELS: dict[str, Any] = {
    "join": lambda pd, df, a, b: df.join(a),
    "join-twice": lambda pd, df, a, b: df.join(b),
    "join-inner": lambda pd, df, a, b: df.join(a, how="inner"),
    "join-right": lambda pd, df, a, b: df.join(a, how="right"),
    "join-outer": lambda pd, df, a, b: df.join(b, how="outer"),
    "join-itself": lambda pd, df, a, b: df[["f"]].join(df[["s"]]),
    "join-mask": lambda pd, df, a, b: df.join(a[a["v"] > 1]),
    "mask-join": lambda pd, df, a, b: df[df["k"] > 1].join(a),
    "computed": lambda pd, df, a, b: df.assign(z=df["k"] * 2)[["z", "s"]].join(a.assign(u=a["v"] + 1)),
    "merge": lambda pd, df, a, b: df.merge(a, left_index=True, right_index=True),
    "merge-left-twice": lambda pd, df, a, b: df.merge(b, left_index=True, right_index=True, how="left"),
    "merge-outer-indicator": lambda pd, df, a, b: df.merge(b, left_index=True, right_index=True, how="outer", indicator=True),
    "merge-anti": lambda pd, df, a, b: df.merge(a, left_index=True, right_index=True, how="left_anti"),
    "series": lambda pd, df, a, b: df.join(a["v"]),
    "validated": lambda pd, df, a, b: df.join(a, validate="m:1"),
    "then": lambda pd, df, a, b: df.join(a)["v"].sum(),
}
#: Labels to join with, for each frame: each once, and some twice.
ASIDE: dict[str, tuple[list[Any], list[Any]]] = {
    "mixed": ([1, 3, 5, 100], [2, 2, 0]),
    "empty": ([1, 3], [2, 2]),
    "one": ([1, 0], [0, 0]),
    "labelled": (["x", "ü", "nothing"], ["a", "a", "x"]),
    "shuffled": ([3, 11, 7], [5, 5, 1]),
    "range": ([12, 14, 16], [10, 10]),
    "dated": (list(pd.date_range("2020-01-03", periods=3)), [pd.Timestamp("2020-01-01")] * 2),
}


@pytest.mark.parametrize("frame", ASIDE)
@pytest.mark.parametrize("program", LABELS)
def test_joins_by_labels(program: str, frame: str, configuration: str) -> None:
    once, twice = ASIDE[frame]
    check(LABELS[program], FRAMES[frame](), _by_label(once), _by_label(twice, "other"))


LEFT: dict[str, Any] = {
    "no-common": lambda pd, df, r: df[["f"]].merge(r[["v"]]),
    "no-column": lambda pd, df, r: df.merge(r, on="nothing"),
    "not-unique": lambda pd, df, r: df.merge(r[["k", "v"]], on="k", validate="1:1"),
    "not-unique-right": lambda pd, df, r: df.merge(r[["k", "v"]], on="k", validate="m:1"),
    "bad-how": lambda pd, df, r: df.merge(r, on="k", how="sideways"),
    "bad-validate": lambda pd, df, r: df.merge(r[["k", "v"]], on="k", validate="x"),
    "overlap": lambda pd, df, r: df.join(r),
    "overlap-on": lambda pd, df, r: df.join(r.set_index("k"), on="k"),
    "on-and-left-on": lambda pd, df, r: df.merge(r, on="k", left_on="k"),
    "text-and-number": lambda pd, df, r: df.merge(r[["s", "v"]], left_on="k", right_on="s"),
    "arrays": lambda pd, df, r: df.merge(r[["v"]], left_on=np.resize([1, 2], len(df)), right_on=np.array([1, 2, 3, 4])),
    "level": lambda pd, df, r: df.rename_axis("level") .merge(r.rename(columns={"k": "level"}), on="level") if df.index.nlevels == 1 else None,
    "float-text": lambda pd, df, r: df.merge(r[["x", "v"]], left_on="f", right_on="v"),
    "float-keys": lambda pd, df, r: df.merge(r[["x", "v"]], left_on="f", right_on="x", how="outer"),
    "right-on-labels": lambda pd, df, r: df.merge(r.set_index("k")[["v"]], left_on="k", right_index=True, how="right"),
    "outer-on-labels": lambda pd, df, r: df.merge(r.set_index("k")[["v"]], left_on="k", right_index=True, how="outer"),
    "several-frames": lambda pd, df, r: df[["f"]].join([r[["v"]], r[["w"]]]) if df.index.is_unique and df.index.nlevels == 1 else None,
    "unnamed": lambda pd, df, r: df.join(r["v"].rename(None)),
    "category-outer": lambda pd, df, r: df.merge(r[["c", "v"]], on="c", how="outer"),
    "category-right": lambda pd, df, r: df.merge(r[["c", "v"]], on="c", how="right"),
    "categories": lambda pd, df, r: df.merge(r.assign(c=r["c"].cat.add_categories("new"))[["c", "v"]], on="c", how="left"),
    "widths-outer": lambda pd, df, r: df.merge(r[["small", "v"]], on="small", how="outer"),
    "columns-twice": lambda pd, df, r: df[["k", "k"]].merge(r, on="k"),
    "indicator-taken": lambda pd, df, r: df.assign(_merge=1).merge(r[["k", "v"]], on="k", indicator=True),
    "labels-of-no-rows": lambda pd, df, r: df.head(0).merge(r.set_index("k")[["v"]], left_on="k", right_index=True),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", LEFT)
def test_joins_that_may_be_left_to_pandas(program: str, frame: str, configuration: str) -> None:
    check(LEFT[program], FRAMES[frame](), _right(), native=False)
