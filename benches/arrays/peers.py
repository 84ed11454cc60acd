"""The same programs for other compilers of arrays: Numba with threads, in both of its spellings, JAX, and loops in C; and how fast the machine reads and writes memory."""

from __future__ import annotations

import ctypes
import importlib
import inspect
import math
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

#: Programs as loops over the number of an element, for Numba: `out` is written, or a sum is given.
LOOPS: dict[str, str] = {
    "where-sum": "s = a.dtype.type(0)\nfor i in prange(len(a)):\n    s += a[i] * b[i] + (a[i] - b[i] if a[i] > b[i] else 2 * b[i])\nreturn s",
    "polynomial": "out = np.empty_like(a)\nfor i in prange(len(a)):\n    out[i] = ((a[i] * 3 + b[i]) * a[i] - 2 * b[i]) * a[i] + b[i]\nreturn out",
    "count": "s = 0\nfor i in prange(len(a)):\n    s += (a[i] > b[i]) & (a[i] * 2 < b[i] * 3)\nreturn s",
    "distance": "out = np.empty_like(a)\nfor i in prange(len(a)):\n    out[i] = np.sqrt(a[i] * a[i] + b[i] * b[i])\nreturn out",
    "softplus": "out = np.empty_like(a)\nfor i in prange(len(a)):\n    out[i] = np.log1p(np.exp(a[i])) * b[i]\nreturn out",
    "in place": "out = np.empty_like(a)\nfor i in prange(len(a)):\n    out[i] = (a[i] * 2 + b[i]) * a[i]\nreturn out",
}

#: Programs of floats of 64 bits as loops in C.
IN_C: dict[str, tuple[str, bool]] = {
    "where-sum": ("s += a[i] * b[i] + (a[i] > b[i] ? a[i] - b[i] : 2 * b[i]);", True),
    "polynomial": ("out[i] = ((a[i] * 3 + b[i]) * a[i] - 2 * b[i]) * a[i] + b[i];", False),
    "distance": ("out[i] = sqrt(a[i] * a[i] + b[i] * b[i]);", False),
    "softplus": ("out[i] = log1p(exp(a[i])) * b[i];", False),
    "in place": ("out[i] = (a[i] * 2 + b[i]) * a[i];", False),
}


def installed(name: str) -> Any:
    """A module, or none where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def numba_arrays(numba: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The expression itself, compiled by Numba with threads."""
    names: dict[str, Any] = {"np": numpy}
    exec(f"def program(a, b):\n    return {_expression(function)}", names)
    found: Callable[..., Any] = numba.njit(parallel=True)(names["program"])
    return found


def _expression(function: Callable[..., Any]) -> str:
    """The text of a lambda's expression."""
    text = inspect.getsource(function)
    body = text.partition("lambda np, a, b: ")[2]
    depth = 0
    for at, letter in enumerate(body):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if (letter == "," and depth == 0) or depth < 0:
            return body[:at]
    return body.rstrip()


def numba_loops(numba: Any, name: str) -> Callable[..., Any]:
    """The loop over elements, compiled by Numba with threads."""
    names: dict[str, Any] = {"np": numpy, "prange": numba.prange}
    lines = LOOPS[name].replace("\n", "\n    ")
    exec(f"def program(a, b):\n    {lines}", names)
    found: Callable[..., Any] = numba.njit(parallel=True)(names["program"])
    return found


def jax_arrays(jax: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The expression, compiled by JAX; it is waited for."""
    jax.config.update("jax_enable_x64", True)
    made = jax.jit(lambda a, b: function(jax.numpy, a, b))
    return lambda a, b: made(a, b).block_until_ready()


def in_c(names: list[str], threads: int) -> dict[str, Callable[..., Any]]:
    """Loops in C, by the C compiler that there is, for this processor, with threads; none where there is none."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return {}
    text = ["#include <math.h>", "#include <stddef.h>"]
    for at, name in enumerate(names):
        body, is_sum = IN_C[name]
        if is_sum:
            text.append(f"double f{at}(const double *restrict a, const double *restrict b, ptrdiff_t n) {{ double s = 0; _Pragma(\"omp parallel for simd reduction(+:s)\") for (ptrdiff_t i = 0; i < n; i++) {body} return s; }}")
        else:
            text.append(f"void f{at}(const double *restrict a, const double *restrict b, ptrdiff_t n, double *restrict out) {{ _Pragma(\"omp parallel for simd\") for (ptrdiff_t i = 0; i < n; i++) {body} }}")
    folder = Path(tempfile.mkdtemp(prefix="airloom-bench-"))
    try:
        (folder / "loops.c").write_text("\n".join(text))
        command = [compiler, "-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-shared", "-fPIC", "-o", str(folder / "loops.so"), str(folder / "loops.c"), "-lm"]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return {}
        os.environ["OMP_NUM_THREADS"] = str(threads)
        library = ctypes.CDLL(str(folder / "loops.so"))
    finally:
        shutil.rmtree(folder)
    return {name: _called(getattr(library, f"f{at}"), IN_C[name][1]) for at, name in enumerate(names)}


def _called(function: Any, is_sum: bool) -> Callable[..., Any]:
    function.restype = ctypes.c_double if is_sum else None

    def call(a: Any, b: Any) -> Any:
        given = [ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(b.ctypes.data), ctypes.c_ssize_t(len(a))]
        if is_sum:
            return function(*given)
        out = numpy.empty_like(a)
        function(*given, ctypes.c_void_p(out.ctypes.data))
        return out

    return call


def bandwidth(threads: int, repeats: int = 5) -> float:
    """How many bytes a second pass between memory and the cores: three arrays of 128 MB, two read and one written, by as many threads."""
    from concurrent.futures import ThreadPoolExecutor

    count = 16_000_000
    a, b, out = numpy.ones(count), numpy.ones(count), numpy.zeros(count)
    spans = [(at * count // threads, (at + 1) * count // threads) for at in range(threads)]
    best = math.inf
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(repeats):
            started = time.perf_counter()
            list(pool.map(lambda span: numpy.add(a[span[0] : span[1]], b[span[0] : span[1]], out=out[span[0] : span[1]]), spans))
            best = min(best, time.perf_counter() - started)
    return 3 * 8 * count / best
