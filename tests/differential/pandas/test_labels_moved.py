"""Labels of rows and columns, what is put in place, and queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from airloom.pandas.dispatch import choice
from compare import check, writes
from frames import FRAMES

LABELS: dict[str, Any] = {
    "reset": lambda pd, df: df.reset_index(),
    "reset-drop": lambda pd, df: df.reset_index(drop=True),
    "reset-names": lambda pd, df: df.set_index("k").reset_index(names="new"),
    "reset-level": lambda pd, df: df.set_index(["k", "s"]).reset_index(level="k"),
    "reset-level-number": lambda pd, df: df.set_index(["k", "s"])["f"].reset_index(level=1),
    "reset-level-drop": lambda pd, df: df.set_index(["k", "s"]).reset_index(level=0, drop=True),
    "set": lambda pd, df: df.set_index("s"),
    "set-two": lambda pd, df: df.set_index(["k", "s"]),
    "set-append": lambda pd, df: df.set_index("s").set_index("k", append=True),
    "set-series": lambda pd, df: df.set_index(df["k"] * 2),
    "set-series-and-label": lambda pd, df: df.set_index(["s", df["k"] + 1]),
    "rename-axis": lambda pd, df: df.rename_axis(columns="what"),
    "droplevel": lambda pd, df: df.set_index(["k", "s"]).droplevel("k"),
    "swaplevel": lambda pd, df: df.set_index(["k", "s"]).swaplevel(),
    "reorder-levels": lambda pd, df: df.set_index(["k", "s", "b"])["f"].reorder_levels(["b", "k", "s"]),
    "take": lambda pd, df: df.take(list(range(len(df)))[::-1]),
    "take-columns": lambda pd, df: df.take([1, 0], axis=1),
    "sample": lambda pd, df: df.sample(frac=0.5, random_state=7),
    "sample-again": lambda pd, df: df.sample(frac=1.0, random_state=np.random.RandomState(3), ignore_index=True),
    "sample-series": lambda pd, df: df["s"].sample(frac=0.3, random_state=7),
    "reindex-columns": lambda pd, df: df.reindex(columns=["f", "new", "s"]),
    "set-axis": lambda pd, df: df[["f", "s"]].set_axis(["x", "y"], axis=1),
    "set-axis-rows": lambda pd, df: df.set_axis(np.arange(len(df)) * 2, axis=0),
    "rename-rows": lambda pd, df: df.reset_index(drop=True).rename(index={0: 100}),
    "rename-rows-function": lambda pd, df: df.reset_index(drop=True).rename(lambda label: label * 2),
    "rename-series": lambda pd, df: df.reset_index(drop=True)["f"].rename({0: 5}),
    "squeeze": lambda pd, df: df[["f"]].squeeze(axis=1),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", LABELS)
def test_labels(program: str, frame: str, configuration: str) -> None:
    check(LABELS[program], FRAMES[frame]())


ONCE: dict[str, Any] = {
    "reindex": lambda pd, df: df.reindex(list(df.index[::-1]) + [df.index[0]]),
    "reindex-others": lambda pd, df: df.reindex(df.index[1:3]),
    "reindex-missing": lambda pd, df: df.reindex(index=list(df.index[:2]) + [type(df.index[0])("2030-01-01") if hasattr(df.index[0], "year") else 77]),
    "reindex-series": lambda pd, df: df["i"].reindex(df.index[:3].append(df.index[:1])),
    "reindex-computed": lambda pd, df: (df["k"] + 1).reindex(df.index[::-1]),
    "reindex-both": lambda pd, df: df.reindex(index=df.index[:2], columns=["f", "x"]),
    "drop": lambda pd, df: df.drop(df.index[0]),
    "drop-index": lambda pd, df: df.drop(index=[df.index[0], df.index[-1]]),
    "drop-both": lambda pd, df: df.drop(index=df.index[:1], columns=["f"]),
    "drop-series": lambda pd, df: df["f"].drop(df.index[0]),
    "drop-ignored": lambda pd, df: df.drop(index=["nothing"], errors="ignore"),
    "getitem": lambda pd, df: df["f"][df.index[0]] if not hasattr(df.index[0], "year") else 0,
    "getitem-list": lambda pd, df: df["f"][list(df.index[:2])] if not hasattr(df.index[0], "year") else 0,
    "xs": lambda pd, df: df.xs(df.index[0]) if not hasattr(df.index[0], "year") else 0,
}


@pytest.mark.parametrize("frame", ["mixed", "two", "all-missing", "dated", "range", "long", "shuffled"])
@pytest.mark.parametrize("program", ONCE)
def test_labels_that_stand_once(program: str, frame: str, configuration: str) -> None:
    check(ONCE[program], FRAMES[frame]())


@pytest.mark.parametrize("frame", ["empty", "one", "labelled", "several"])
@pytest.mark.parametrize("program", ONCE)
def test_labels_that_may_be_left_to_pandas(program: str, frame: str, configuration: str) -> None:
    check(ONCE[program], FRAMES[frame](), native=False)


LEFT: dict[str, Any] = {
    "set-append-to-range": lambda pd, df: df.set_index("k", append=True),
    "reset-taken": lambda pd, df: df.assign(level_0=1, index=2).reset_index(),
    "reset-no-level": lambda pd, df: df.reset_index(level="nothing"),
    "set-missing": lambda pd, df: df.set_index("nothing"),
    "set-array": lambda pd, df: df.set_index(np.arange(len(df))),
    "set-too-long": lambda pd, df: df.set_index(np.arange(len(df) + 1)),
    "set-index": lambda pd, df: df.set_index(pd.Index(np.arange(len(df)), name="x")),
    "verify": lambda pd, df: df.set_index("k", verify_integrity=True),
    "rename-axis-function": lambda pd, df: df.rename_axis(index=str.upper),
    "drop-missing": lambda pd, df: df.drop("nothing"),
    "sample-too-many": lambda pd, df: df.sample(1000, random_state=1),
    "sample-weights": lambda pd, df: df.sample(1, weights="k", random_state=1),
    "set-axis-wrong": lambda pd, df: df.set_axis([1, 2], axis=1),
    "take-out": lambda pd, df: df.take([100]),
    "reindex-fill": lambda pd, df: df.reindex(columns=["f", "z"], fill_value=0),
    "reindex-method": lambda pd, df: df["f"].reindex([1, 5], method="ffill"),
    "droplevel-only": lambda pd, df: df.droplevel(0),
    "squeeze-all": lambda pd, df: df.squeeze(),
    "truncate": lambda pd, df: df.truncate(1, 3),
    "transposed": lambda pd, df: df[["f", "k"]].T,
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", LEFT)
def test_labels_left_to_pandas(program: str, frame: str, configuration: str) -> None:
    check(LEFT[program], FRAMES[frame](), native=False)


@writes
def insert(pd: Any, df: Any) -> Any:
    before = df[["f"]]
    df.insert(1, "x", df["k"] * 2)
    df.insert(0, "first", "text")
    return df, before


@writes
def delete(pd: Any, df: Any) -> Any:
    del df["f"]
    popped = df.pop("s")
    return df, popped


@writes
def put_several(pd: Any, df: Any) -> Any:
    df[["x", "y"]] = 1.5
    df[["f", "k"]] = df[["k", "f"]]
    return df


@writes
def put_place(pd: Any, df: Any) -> Any:
    df.isetitem(0, df["f"])
    return df


@writes
def put_masked(pd: Any, df: Any) -> Any:
    some = df[["f", "g"]]
    some[some["f"] > 1] = 0.5
    one = df["f"]
    one[df["k"] > 1] = -1.0
    each = df[["f", "g"]]
    each[each > 0] = 0.0
    return some, one, each


@writes
def reset_in_place(pd: Any, df: Any) -> Any:
    child = df[["f"]]
    df.reset_index(drop=True, inplace=True)
    df.set_index("k", inplace=True)
    return df, child


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", [insert, delete, put_several, put_place, put_masked, reset_in_place])
def test_putting_in_place(program: Any, frame: str, configuration: str) -> None:
    check(program, FRAMES[frame]())


LIMIT = 1
WANTED = ["b", "ä"]
QUERIES: dict[str, Any] = {
    "compared": lambda pd, df: df.query("k > 1"),
    "and": lambda pd, df: df.query("k > 1 and f < 5"),
    "ampersand": lambda pd, df: df.query("k > 1 & f < 5 | b"),
    "not": lambda pd, df: df.query("not b"),
    "tilde": lambda pd, df: df.query("~(k == 1)"),
    "chain": lambda pd, df: df.query("0 < k <= 2"),
    "in": lambda pd, df: df.query("s in ['b', 'a']"),
    "not-in": lambda pd, df: df.query("k not in [1, 2]"),
    "equal-list": lambda pd, df: df.query("k == [1, 3]"),
    "global": lambda pd, df: df.query("k > @LIMIT"),
    "global-list": lambda pd, df: df.query("s in @WANTED"),
    "arithmetic": lambda pd, df: df.query("k * 2 + 1 > f"),
    "backticks": lambda pd, df: df.rename(columns={"k": "the key"}).query("`the key` > 1"),
    "text": lambda pd, df: df.query("s == 'b'"),
    "timestamp": lambda pd, df: df.query("t >= '2000-01-01'"),
    "columns": lambda pd, df: df.query("f > g"),
    "eval": lambda pd, df: df.eval("k * 2 + small"),
    "eval-assigned": lambda pd, df: df.eval("x = f * 2"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", QUERIES)
def test_queries(program: str, frame: str, configuration: str) -> None:
    check(QUERIES[program], FRAMES[frame]())


def with_local(pd: Any, df: Any) -> Any:
    least = 1
    return df.query("k > @least")


def with_local_of_another_kind(pd: Any, df: Any) -> Any:
    other = df
    return df.query("k >= @other.k")


@pytest.mark.parametrize("threshold", [0, 1000])
@pytest.mark.parametrize("program", [with_local, with_local_of_another_kind])
def test_queries_with_variables(program: Any, threshold: int, configuration: str) -> None:
    choice.settings.threshold = threshold
    check(program, FRAMES["mixed"](), native=program is with_local)


QUERIES_LEFT: dict[str, Any] = {
    "no-column": lambda pd, df: df.query("nothing > 1"),
    "no-global": lambda pd, df: df.query("k > @nothing"),
    "syntax": lambda pd, df: df.query("k >"),
    "method": lambda pd, df: df.query("s.str.len() > 1"),
    "index": lambda pd, df: df.query("index == 1"),
    "number": lambda pd, df: df.query("k"),
    "eval-lines": lambda pd, df: df.eval("x = k\ny = x + 1"),
    "eval-semicolon": lambda pd, df: df.eval("x = k; y = 1"),
    "eval-two-names": lambda pd, df: df.eval("x = y = k"),
    "eval-annotated": lambda pd, df: df.eval("x: int = k"),
    "eval-augmented": lambda pd, df: df.eval("k += 1"),
    "eval-unpacked": lambda pd, df: df.eval("x, y = k, f"),
    "eval-constant": lambda pd, df: df.eval("'text'"),
    "query-assigned": lambda pd, df: df.query("b = k > 1"),
    "exclusive-or": lambda pd, df: df.query("(k ^ k) > 1"),
    "function": lambda pd, df: df.query("sin(f) > 0"),
    "category": lambda pd, df: df.query("c == 'x'"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", QUERIES_LEFT)
def test_queries_left_to_pandas(program: str, frame: str, configuration: str) -> None:
    check(QUERIES_LEFT[program], FRAMES[frame](), native=False)
