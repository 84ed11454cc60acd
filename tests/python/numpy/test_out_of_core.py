"""Arrays in files of several times the memory limit: answers are right, and what they take stays near the limit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pyarrow
import pyarrow.parquet
import pytest

#: The limit, and how many times as much an array has.
LIMIT, TIMES = 64 << 20, 4
ROWS, COLUMNS = TIMES * LIMIT // 8 // 64, 64

PROGRAM = """
import re, sys
import numpy
import airloom
import airloom.numpy as np
import airloom.pandas as pd

folder, which, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
airloom.options.memory_limit = limit
airloom.options.spill_directory = folder

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) * 1024

def questions(x, table):
    return {
        "elementwise": lambda: np.sqrt(x) * 3.0 + np.where(x > 0.5, x, 1 - x),
        "rows": lambda: (table * 2.0).sum(axis=1),
        "columns": lambda: table.sum(axis=0),
        "total": lambda: (x * x).sum(),
        "least": lambda: x.min(),
        "stencil": lambda: (x[2:] - 2.0 * x[1:-1] + x[:-2]) * 0.25,
        "column": lambda: _stencil(np, np.asarray(pd.read_parquet(f"{folder}/x.parquet")["x"])),
        "twice": lambda: _stencil(np, _stencil(np, table)),
        "sort": lambda: np.sort(x),
        "sort rows": lambda: np.sort(table),
    }

def _stencil(np, u):
    return u[1:-1] + 0.1 * (u[2:] + u[:-2] - 2.0 * u[1:-1])

x = np.load(f"{folder}/x.npy", mmap_mode="r")
table = np.asarray(numpy.load(f"{folder}/x.npy", mmap_mode="r").reshape(-1, 64))
# What is loaded once, and a thread for each core, are no part of an answer.
small = np.array(numpy.ones(100_000))
(np.sqrt(small * 2)[1:] + 1).sum()
pd.read_parquet(f"{folder}/x.parquet")["x"].min()
before = peak()
found = questions(x, table)[which]()
if isinstance(found, np.ndarray):
    np.save(f"{folder}/found.npy", found)
else:
    numpy.save(f"{folder}/found.npy", numpy.asarray(found))
print("peak", peak() - before)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("arrays")
    x = numpy.lib.format.open_memmap(made / "x.npy", "w+", "f8", (ROWS * COLUMNS,))
    generator = numpy.random.default_rng(7)
    for first in range(0, len(x), 1 << 20):
        part = x[first : first + (1 << 20)]
        generator.random(out=part)
    # Values that are there often, and awkward ones.
    x[::3] = 0.25
    x[5::100_003] = numpy.nan
    x[7::200_003] = -numpy.inf
    # Pieces of rows, as Parquet has them: no one of them takes much of the limit.
    with pyarrow.parquet.ParquetWriter(made / "x.parquet", pyarrow.schema({"x": pyarrow.float64()})) as writer:
        for first in range(0, len(x), 1 << 18):
            writer.write_table(pyarrow.table({"x": x[first : first + (1 << 18)]}))
    del x
    return made


def expected(x: numpy.ndarray, which: str) -> numpy.ndarray:
    table = x.reshape(-1, COLUMNS)
    with numpy.errstate(all="ignore"):
        match which:
            case "elementwise":
                return numpy.sqrt(x) * 3.0 + numpy.where(x > 0.5, x, 1 - x)
            case "rows":
                return (table * 2.0).sum(axis=1)
            case "columns":
                return table.sum(axis=0)
            case "total":
                return numpy.asarray((x * x).sum())
            case "least":
                return numpy.asarray(x.min())
            case "stencil":
                return (x[2:] - 2.0 * x[1:-1] + x[:-2]) * 0.25
            case "column":
                return x[1:-1] + 0.1 * (x[2:] + x[:-2] - 2.0 * x[1:-1])
            case "twice":
                once = table[1:-1] + 0.1 * (table[2:] + table[:-2] - 2.0 * table[1:-1])
                return once[1:-1] + 0.1 * (once[2:] + once[:-2] - 2.0 * once[1:-1])
            case "sort":
                return numpy.sort(x)
    return numpy.sort(table)


@pytest.mark.parametrize("which", ["elementwise", "rows", "columns", "total", "least", "stencil", "column", "twice", "sort", "sort rows"])
def test_arrays_of_four_times_the_limit(folder: Path, which: str) -> None:
    # The oracle holds all rows of a column.
    environment = {**os.environ, "AIRLOOM_ORACLE": "0"}
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM, str(folder), which, str(LIMIT)], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found = numpy.load(folder / "found.npy", mmap_mode="r")
    wanted = expected(numpy.load(folder / "x.npy"), which)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    assert numpy.array_equal(found, wanted, equal_nan=True)
    taken = re.search(r"peak (\d+)", ran.stdout)
    assert taken is not None and int(taken[1]) <= 1.2 * LIMIT, f"{int(taken[1]) / LIMIT if taken else None} of the limit"
    # Files without a name leave nothing behind.
    assert sorted(path.name for path in folder.iterdir()) == ["found.npy", "x.npy", "x.parquet"]
