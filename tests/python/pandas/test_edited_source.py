"""Functions whose file is not what was imported any more: what runs is what was imported."""

from __future__ import annotations

import importlib
import linecache
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import airloom.pandas as pd
from airloom import _report
from airloom.pandas.refusals import Refused
from airloom.pandas.udf.source import definition

pytestmark = pytest.mark.usefixtures("no_small_frames")

#: A function as it was imported, and as its file says afterwards.
EDITS = {
    "operator": ("def f(x):\n    return x + 1\n", "def f(x):\n    return x - 1\n"),
    "order of operands": ("def f(x):\n    return x - 2 * x\n", "def f(x):\n    return 2 * x - x\n"),
    "comparison": ("def f(x):\n    return 1 if x < 2 else 0\n", "def f(x):\n    return 1 if x > 2 else 0\n"),
    "chained": ("def f(x):\n    return x > 1 and x < 3\n", "def f(x):\n    return x > 1 or x < 3\n"),
    "branches": ("def f(x):\n    if x > 2:\n        return 5\n    return 7\n", "def f(x):\n    if not x > 2:\n        return 5\n    return 7\n"),
    "constant": ("def f(x):\n    return x * 3\n", "def f(x):\n    return x * 4\n"),
    "kind of constant": ("def f(x):\n    return x * 1\n", "def f(x):\n    return x * 1.0\n"),
    "sign of zero": ("def f(x):\n    return x * 0.0\n", "def f(x):\n    return x * -0.0\n"),
    "negated": ("def f(x):\n    return abs(x - 2)\n", "def f(x):\n    return abs(-x)\n"),
    "name": ("def f(x):\n    return abs(x - 2)\n", "def f(x):\n    return int(x - 2)\n"),
    "local": ("def f(x):\n    a = x + 1\n    b = x + 2\n    return a\n", "def f(x):\n    a = x + 1\n    b = x + 2\n    return b\n"),
    "inner lambda": ("def f(x):\n    g = lambda y: y + 1\n    return g(x)\n", "def f(x):\n    g = lambda y: y - 1\n    return g(x)\n"),
    "lambda": ("f = lambda x: x + 5\n", "f = lambda x: x * 5\n"),
    "lambda beside another": ("f, g = lambda x: x + 5, lambda x: x * 5\n", "g, f = lambda x: x + 5, lambda x: x * 5\n"),
    "other function there": ("def f(x):\n    return x + 1\n", "def g(x):\n    return x + 2\n\ndef f(x):\n    return x + 2\n"),
    "no function there": ("def f(x):\n    return x + 1\n", "f = 3\n"),
    "no Python any more": ("def f(x):\n    return x + 1\n", "def f(x:\n"),
    "nothing there": ("def f(x):\n    return x + 1\n", ""),
}


def imported(folder: Path, text: str, name: str = "edited") -> types.ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


def series(pd: Any) -> Any:
    return pd.Series([0, 1, 2, 3, 4])


@pytest.mark.parametrize("looked", [False, True], ids=["fresh", "looked-at-before"])
@pytest.mark.parametrize("edit", EDITS)
def test_the_imported_function_runs(tmp_path: Path, edit: str, looked: bool) -> None:
    before, after = EDITS[edit]
    module = imported(tmp_path, before)
    assert module.__file__ is not None
    linecache.checkcache(module.__file__)
    if looked:
        linecache.getlines(module.__file__)
    (tmp_path / "edited.py").write_text(after)
    ours, theirs = series(pd).map(module.f), series(pandas).map(module.f)
    pandas.testing.assert_series_equal(pandas.Series(ours), theirs)
    assert np.signbit(ours.to_numpy(dtype=float)).tolist() == np.signbit(theirs.to_numpy(dtype=float)).tolist()
    frame = {"a": [1, 2, 3], "b": [3.0, 2.0, 1.0]}
    ours, theirs = pd.DataFrame(frame).groupby("a")["b"].apply(lambda g: module.f(g.sum())), None
    theirs = pandas.DataFrame(frame).groupby("a")["b"].apply(lambda g: module.f(g.sum()))
    pandas.testing.assert_series_equal(pandas.Series(ours), theirs)


@pytest.mark.parametrize("edit", EDITS)
def test_an_unchanged_file_is_read(tmp_path: Path, edit: str) -> None:
    module = imported(tmp_path, "\n\n" + EDITS[edit][0])
    assert definition(module.f).lineno == 3
    found = series(pd).map(module.f)
    pandas.testing.assert_series_equal(pandas.Series(found), series(pandas).map(module.f))
    if edit != "inner lambda":
        assert not [item for item in _report.report() if item.where == "pandas"]


def test_a_reloaded_module_is_read_anew(tmp_path: Path) -> None:
    first = imported(tmp_path, "def f(x):\n    return x + 1\n")
    assert series(pd).map(first.f).tolist() == [1, 2, 3, 4, 5]
    second = imported(tmp_path, "# Longer than before.\n\ndef f(x):\n    return x - 1\n")
    assert definition(second.f).lineno == 3
    assert series(pd).map(second.f).tolist() == [-1, 0, 1, 2, 3]
    assert series(pd).map(first.f).tolist() == [1, 2, 3, 4, 5]


def test_future_imports_and_closures_are_compiled_as_they_were(tmp_path: Path) -> None:
    text = "from __future__ import annotations\n\ndef outer(step):\n    def f(x: int) -> int:\n        return x + step\n    return f\n\nf = outer(7)\n"
    module = imported(tmp_path, text)
    assert definition(module.f).lineno == 4
    assert series(pd).map(module.f).tolist() == [7, 8, 9, 10, 11]


def test_private_names_of_classes_are_left_to_python(tmp_path: Path) -> None:
    text = "__rate = 1\n_C__rate = 100\n\nclass C:\n    f = staticmethod(lambda x: x * __rate)\n\nf = C.f\n"
    module = imported(tmp_path, text)
    assert series(pd).map(module.f).tolist() == [0, 100, 200, 300, 400]
    with pytest.raises(Refused, match="private"):
        definition(module.f)
