"""Memory of arrays that were freed is used again."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import airloom.numpy as np
import numpy

plain = numpy.random.default_rng(0).random((400, 400))
array = np.asarray(plain)

def run():
    return numpy.asarray((array * array * 3 + array) * 2 - 1)

run(), run()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(50):
    run()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 50)
"""


def faults(**variables: str) -> float:
    told = subprocess.run([sys.executable, "-c", PROGRAM], env={**os.environ, **variables}, capture_output=True, text=True, check=True)
    return float(told.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="other C libraries have no such setting")
def test_an_expression_needs_no_new_pages_once_it_has_run() -> None:
    # An array has 313 pages: without the setting, a run needs some hundreds of them.
    assert faults() < 100


@pytest.mark.skipif(sys.platform != "linux", reason="other C libraries have no such setting")
def test_what_the_user_has_set_is_left_alone() -> None:
    assert faults(MALLOC_TRIM_THRESHOLD_="131072", MALLOC_MMAP_THRESHOLD_="131072") > 100
