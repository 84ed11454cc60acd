"""The ways in: a command, a module, an installation; what is reported, what strict mode forbids, what is compared; what is shared, and what stays with pandas."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import airloom
import airloom.pandas as pd
from airloom.pandas.internals import state

ROWS = 30_000

SCRIPT = """
import sys
import numpy as np
import pandas as pd

df = pd.DataFrame({"k": np.arange(50_000) % 7, "x": np.arange(50_000) * 0.5})
print(type(df).__module__, sys.argv[1:], __name__)
print(df[df["k"] > 2].groupby("k")["x"].sum().tolist())
if "turn" in sys.argv:
    df.T
"""


def command(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    before = [argument for argument in arguments if argument.startswith("--")]
    after = [argument for argument in arguments if not argument.startswith("--")]
    return subprocess.run([sys.executable, "-m", "airloom", *before, str(script), *after], capture_output=True, text=True, timeout=60, check=False)


def sums() -> list[float]:
    df = pandas.DataFrame({"k": np.arange(50_000) % 7, "x": np.arange(50_000) * 0.5})
    return df[df["k"] > 2].groupby("k")["x"].sum().tolist()


def test_a_script_runs_as_it_is(tmp_path: Path) -> None:
    ran = command(tmp_path, "one", "two")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == ["pandas ['one', 'two'] __main__", str(sums())]


def test_the_command_reports(tmp_path: Path) -> None:
    ran = command(tmp_path, "--report", "turn")
    assert ran.returncode == 0
    assert "pandas  DataFrame.T" in ran.stderr and "native  SeriesGroupBy.sum" in ran.stderr


def test_the_command_is_strict(tmp_path: Path) -> None:
    assert command(tmp_path, "--strict").returncode == 0
    ran = command(tmp_path, "--strict", "turn")
    assert ran.returncode == 1
    assert "`DataFrame.T` is left to pandas" in ran.stderr and "script.py:10" in ran.stderr


def test_installing_and_taking_back() -> None:
    plain = pandas.DataFrame
    airloom.install()
    try:
        assert pandas.DataFrame is pd.DataFrame
        assert type(pandas.concat([pandas.DataFrame({"a": [1]})])) is pd.DataFrame
        assert type(pandas.DataFrame({"a": [1]})["a"]) is pd.Series
        airloom.install()
    finally:
        airloom.uninstall()
    assert pandas.DataFrame is plain and type(pandas.DataFrame({"a": [1]})) is plain


def test_few_rows_stay_with_pandas() -> None:
    small = pd.DataFrame({"k": [1, 2, 1], "x": [1.0, 2.0, 3.0]})
    assert not state.is_lazy(small[small["k"] > 1])
    small.groupby("k").sum()
    assert len(airloom.report()) == 0


def test_what_nobody_looks_at_is_not_computed() -> None:
    frame = pd.DataFrame({"k": np.arange(ROWS) % 7, "x": np.arange(ROWS, dtype="float64")})
    frame["unused"] = frame["x"] ** 3
    made = frame[frame["k"] > 2].groupby("k")["x"].sum()
    # The comparison of a column in memory is pandas' own, at the call; no program ran.
    assert state.is_lazy(made) and not [entry for entry in airloom.report() if entry.where == "run" and not entry.reason]
    assert made.sum() == frame["x"].to_numpy()[frame["k"].to_numpy() > 2].sum()


def runs() -> int:
    return sum(entry.times for entry in airloom.report() if entry.where == "run")


def test_what_is_used_twice_is_computed_once() -> None:
    left = pd.DataFrame({"k": np.arange(ROWS) % 100, "x": np.arange(ROWS, dtype="float64")})
    right = pd.DataFrame({"k": np.arange(ROWS), "y": np.arange(ROWS, dtype="float64")})
    joined = left.merge(right, on="k")
    first = joined["x"].sum()
    kept = joined.__dict__[state.PLAN].rows.kept
    assert kept is not None, "the join is used below, so it is kept"
    second = joined["x"].max()
    assert (first, second) == (left["x"].to_numpy().sum(), ROWS - 1)


def test_groups_that_are_used_again_are_kept_with_all_that_is_known_of_them() -> None:
    frame = pd.DataFrame({"k": np.arange(ROWS) % 100, "x": np.arange(ROWS, dtype="float64"), "y": np.arange(ROWS)})
    groups = frame.groupby("k", as_index=False).agg(x=("x", "sum"), y=("y", "max"))
    most = groups["x"].max()
    kept = groups.__dict__[state.PLAN].rows.kept
    assert kept is not None and len(kept[1]) == 3, "the keys and both aggregates"
    assert groups[groups["x"] == most]["y"].tolist() == [ROWS - 1]


def test_what_is_not_used_again_is_not_kept() -> None:
    left = pd.DataFrame({"k": np.arange(ROWS) % 100, "x": np.arange(ROWS, dtype="float64")})
    right = pd.DataFrame({"k": np.arange(ROWS), "y": np.arange(ROWS, dtype="float64")})
    joined = left.merge(right, on="k")
    rows = joined.__dict__[state.PLAN].rows
    del right
    joined["x"].sum()
    assert rows.kept is None


def test_a_result_is_computed_once() -> None:
    frame = pd.DataFrame({"k": np.arange(ROWS) % 7, "x": np.arange(ROWS, dtype="float64")})
    made = frame[frame["k"] > 2]
    made.to_numpy()
    before = runs()
    made.to_numpy()
    len(made), made.shape, made.index  # noqa: B018
    assert runs() == before


def test_dead_intermediates_are_given_back() -> None:
    import weakref

    frame = pd.DataFrame({"k": np.arange(ROWS) % 7, "x": np.arange(ROWS, dtype="float64")})
    step = frame[frame["k"] > 2]
    rows = weakref.ref(step.__dict__[state.PLAN].rows)
    result = step.groupby("k")["x"].sum()
    del step
    result.to_numpy()
    del result
    gc.collect()
    assert rows() is None


def test_checking_finds_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"x": np.arange(ROWS, dtype="float64")})
    with airloom.check():
        assert (frame["x"] + 1).sum() == ROWS * (ROWS - 1) / 2 + ROWS
    from airloom.pandas.ops import arithmetic

    right = arithmetic.binary

    def wrong(op: str, *arguments: Any, **options: Any) -> Any:
        return right("sub" if op == "add" else op, *arguments, **options)

    monkeypatch.setattr(arithmetic, "binary", wrong)
    with airloom.check(), pytest.raises(airloom.DifferenceError, match="Series.__add__"):
        frame["x"] + 1


def test_strict_mode_ends_with_its_block() -> None:
    frame = pd.DataFrame({"x": np.arange(ROWS, dtype="float64"), "y": 1.0})
    with airloom.strict():
        with pytest.raises(airloom.RefusedError, match="is left to pandas"):
            frame.T
        frame["x"].sum()
    assert frame.T.shape == (2, ROWS)


def test_nothing_warns(recwarn: pytest.WarningsRecorder) -> None:
    frame = pd.DataFrame({"x": np.arange(ROWS, dtype="float64"), "y": 1.0})
    frame.T.sum()
    frame.groupby("y").apply(lambda group: group["x"].sum())
    assert not recwarn.list


def test_importing_waits_for_no_reader() -> None:
    """What only some programs read or write is imported when they do."""
    late = ("pyarrow.parquet", "pyarrow.feather", "sqlite3")
    code = f"import pandas, sys; before = set(sys.modules); import airloom.pandas; print([name for name in {late} if name in set(sys.modules) - before])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=300, text=True).stdout.strip() == "[]"
