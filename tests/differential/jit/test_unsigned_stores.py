"""Floats that are stored into unsigned elements: one of Python's own must fit, of one of NumPy's the lower bits are stored."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
import pytest
from compare import check

import airloom

VALUES = [
    0.0, -0.0, 1.5, 255.9, 256.0, -0.5, -0.99, -1.0, -1.5, 300.0, 65535.9, 65536.0, 1e10, 4294967295.5, 4294967296.0, 1e18, 2.0**63, 1e19, 2.0**64 - 2048, 2.0**64,
    -(2.0**31), -(2.0**31) - 1, -1e10, -(2.0**63), -(2.0**63) - 2048, 1e30, -1e30, float("nan"), float("inf"), float("-inf"),
]  # fmt: skip
DTYPES = ["u1", "u2", "u4", "u8"]


def put(a: Any, value: Any) -> None:
    for k in range(a.size):
        a[k] = value


def put_late(a: Any, value: Any) -> None:
    a[0] = 7
    for k in range(1, a.size):
        a[k] = value


def copied(a: Any, b: Any) -> None:
    for k in range(b.size):
        a[k] = b[k]


def moved(a: Any, by: Any) -> None:
    for k in range(a.size):
        a[k] += by


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", [put, put_late], ids=lambda function: function.__name__)
def test_floats_of_pythons_own(function: Any, dtype: str) -> None:
    jitted = airloom.jit(function)
    for value in VALUES:
        assert check(jitted, (np.zeros(4, dtype), value), compiled=False) != "stuck"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="what does not fit is stored as the processor has it")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_floats_of_numpys(kind: Any, dtype: str) -> None:
    jitted = [airloom.jit(function) for function in (put, put_late)]
    for value in VALUES:
        for one in jitted:
            assert check(one, (np.zeros(4, dtype), kind(value))) != "stuck"
    assert check(airloom.jit(copied), (np.zeros(len(VALUES), dtype), np.array(VALUES, kind))) != "stuck"


@pytest.mark.parametrize("dtype", DTYPES)
def test_floats_are_added(dtype: str) -> None:
    for by in (0.5, -0.75, np.float64(1.25)):
        assert check(airloom.jit(moved), (np.arange(1, 9, dtype=dtype), by)) != "stuck"
