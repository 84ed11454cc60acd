"""Memory of arrays that were freed is used again."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

#: Programs that define `run`, whose arrays have 313 and 2,442 pages: what they need anew without the setting is a multiple of that.
ARRAYS = """
import airloom.numpy as np
import numpy

array = np.asarray(numpy.random.default_rng(0).random((400, 400)))

def run():
    return numpy.asarray((array * array * 3 + array) * 2 - 1)
"""
COLUMNS = """
import airloom.pandas as pd
import numpy

frame = pd.DataFrame({"a": numpy.random.default_rng(0).random(1_250_000)})

def run():
    return [frame["a"].shift(rows).sum() for rows in (1, 2, 3)], frame["a"].isna().sum()
"""
MEASURED = """
import resource

run(), run()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    run()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 20)
"""


def faults(program: str, **variables: str) -> float:
    """How many pages a run of a program is given anew."""
    told = subprocess.run([sys.executable, "-c", program + MEASURED], env={**os.environ, **variables}, capture_output=True, text=True, check=True)
    return float(told.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="other C libraries have no such setting")
@pytest.mark.parametrize("program", [ARRAYS, COLUMNS], ids=["arrays", "columns"])
def test_a_program_needs_no_new_pages_once_it_has_run(program: str) -> None:
    assert faults(program) < 100


@pytest.mark.skipif(sys.platform != "linux", reason="other C libraries have no such setting")
@pytest.mark.parametrize("program", [ARRAYS, COLUMNS], ids=["arrays", "columns"])
def test_what_the_user_has_set_is_left_alone(program: str) -> None:
    assert faults(program, MALLOC_TRIM_THRESHOLD_="131072", MALLOC_MMAP_THRESHOLD_="131072") > 100
