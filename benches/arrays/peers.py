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
    "variance": "s = a.dtype.type(0)\nfor i in prange(len(a)):\n    s += a[i]\nmean = s / len(a)\nt = a.dtype.type(0)\nfor i in prange(len(a)):\n    t += (a[i] - mean) * (a[i] - mean)\nreturn t / len(a)",
    "softplus": "out = np.empty_like(a)\nfor i in prange(len(a)):\n    out[i] = np.log1p(np.exp(a[i])) * b[i]\nreturn out",
    "black-scholes": """out = np.empty_like(a)
for i in prange(len(a)):
    first = (np.log((a[i] + 1) / (b[i] + 1)) + 0.12) / 0.2
    second = first - 0.2
    k = 1.0 / (1.0 + 0.2316419 * abs(first))
    tail = 0.3989422804014327 * np.exp(-0.5 * first * first) * (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))))
    left = 1.0 - tail if first > 0 else tail
    k = 1.0 / (1.0 + 0.2316419 * abs(second))
    tail = 0.3989422804014327 * np.exp(-0.5 * second * second) * (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))))
    right = 1.0 - tail if second > 0 else tail
    out[i] = a[i] * left - b[i] * 0.9 * right
return out""",
    "means of rows": """out = np.empty_like(a)
for r in prange(len(a) // 100):
    s = a.dtype.type(0)
    for i in range(100 * r, 100 * r + 100):
        s += a[i]
    mean = s / 100
    t = a.dtype.type(0)
    for i in range(100 * r, 100 * r + 100):
        t += (a[i] - mean) * (a[i] - mean)
    spread = np.sqrt(t + 1)
    for i in range(100 * r, 100 * r + 100):
        out[i] = (a[i] - mean) / spread
return out.reshape(-1, 100)""",
    "stencil": "out = np.empty(len(a) - 2, a.dtype)\nfor i in prange(len(a) - 2):\n    out[i] = b[i + 1] + ((a[i + 2] - a[i + 1]) * 0.5 - (a[i + 1] - a[i]) * 0.5) * 0.1\nreturn out",
    "in place": "out = np.empty_like(a)\nfor i in prange(len(a)):\n    out[i] = (a[i] * 2 + b[i]) * a[i]\nreturn out",
}

#: Programs as expressions for Numba, where they are no single one already.
ARRAYS: dict[str, str] = {
    "variance": "return a.var()",
    "black-scholes": """first = (np.log((a + 1) / (b + 1)) + 0.12) / 0.2
second = first - 0.2
k = 1.0 / (1.0 + 0.2316419 * np.abs(first))
tail = 0.3989422804014327 * np.exp(-0.5 * first * first) * (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))))
left = np.where(first > 0, 1.0 - tail, tail)
k = 1.0 / (1.0 + 0.2316419 * np.abs(second))
tail = 0.3989422804014327 * np.exp(-0.5 * second * second) * (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))))
right = np.where(second > 0, 1.0 - tail, tail)
return a * left - b * 0.9 * right""",
    "means of rows": """rows = a.reshape(-1, 100)
distances = rows - (rows.sum(axis=1) / 100).reshape(-1, 1)
return distances / np.sqrt((distances * distances).sum(axis=1).reshape(-1, 1) + 1)""",
    "stencil": """slopes = (a[1:] - a[:-1]) * 0.5
return b[1:-1] + (slopes[1:] - slopes[:-1]) * 0.1""",
    "in place": "made = a * 2\nmade += b\nmade *= a\nreturn made",
}

_TAIL = "(T)0.3989422804014327 * exp((T)-0.5 * {d} * {d}) * ({k} * ((T)0.31938153 + {k} * ((T)-0.356563782 + {k} * ((T)1.781477937 + {k} * ((T)-1.821255978 + {k} * (T)1.330274429)))))"

#: Programs in C, of numbers of the type `T`, with whether they give one number, which is `s`, or write `out`; and how many elements shorter that is than what they are given.
IN_C: dict[str, tuple[str, bool, int]] = {
    "where-sum": ("SUM for (ptrdiff_t i = 0; i < n; i++) s += a[i] * b[i] + (a[i] > b[i] ? a[i] - b[i] : 2 * b[i]);", True, 0),
    "polynomial": ("EACH for (ptrdiff_t i = 0; i < n; i++) out[i] = ((a[i] * 3 + b[i]) * a[i] - 2 * b[i]) * a[i] + b[i];", False, 0),
    "count": ("SUM for (ptrdiff_t i = 0; i < n; i++) s += (a[i] > b[i]) & (a[i] * 2 < b[i] * 3);", True, 0),
    "distance": ("EACH for (ptrdiff_t i = 0; i < n; i++) out[i] = sqrt(a[i] * a[i] + b[i] * b[i]);", False, 0),
    "variance": ("SUM for (ptrdiff_t i = 0; i < n; i++) s += a[i];\nconst T mean = s / n; s = 0;\nSUM for (ptrdiff_t i = 0; i < n; i++) s += (a[i] - mean) * (a[i] - mean);\ns /= n;", True, 0),
    "softplus": ("EACH for (ptrdiff_t i = 0; i < n; i++) out[i] = log1p(exp(a[i])) * b[i];", False, 0),
    "black-scholes": (
        "EACH for (ptrdiff_t i = 0; i < n; i++) {\n"
        "const T first = (log((a[i] + 1) / (b[i] + 1)) + (T)0.12) / (T)0.2, second = first - (T)0.2;\n"
        "const T j = 1 / (1 + (T)0.2316419 * fabs(first)), k = 1 / (1 + (T)0.2316419 * fabs(second));\n"
        f"const T x = {_TAIL.format(d='first', k='j')}, y = {_TAIL.format(d='second', k='k')};\n"
        "out[i] = a[i] * (first > 0 ? 1 - x : x) - b[i] * (T)0.9 * (second > 0 ? 1 - y : y); }",
        False,
        0,
    ),
    "means of rows": (
        "_Pragma(\"omp parallel for\") for (ptrdiff_t r = 0; r < n / 100; r++) {\nconst T *x = a + 100 * r; T s = 0, t = 0;\n"
        "_Pragma(\"omp simd reduction(+:s)\") for (int i = 0; i < 100; i++) s += x[i];\nconst T mean = s / 100;\n"
        "_Pragma(\"omp simd reduction(+:t)\") for (int i = 0; i < 100; i++) t += (x[i] - mean) * (x[i] - mean);\nconst T spread = sqrt(t + 1);\n"
        "for (int i = 0; i < 100; i++) out[100 * r + i] = (x[i] - mean) / spread; }",
        False,
        0,
    ),
    "stencil": ("EACH for (ptrdiff_t i = 0; i < n - 2; i++) out[i] = b[i + 1] + ((a[i + 2] - a[i + 1]) * (T)0.5 - (a[i + 1] - a[i]) * (T)0.5) * (T)0.1;", False, 2),
    "in place": ("EACH for (ptrdiff_t i = 0; i < n; i++) out[i] = (a[i] * 2 + b[i]) * a[i];", False, 0),
}


def installed(name: str) -> Any:
    """A module, or none where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def numba_arrays(numba: Any, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The expression itself, compiled by Numba with threads."""
    return _by_numba(numba, ARRAYS[name] if name in ARRAYS else f"return {_expression(function)}")


def _by_numba(numba: Any, text: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"np": numpy, "prange": numba.prange}
    lines = text.replace("\n", "\n    ")
    exec(f"def program(a, b):\n    {lines}", names)
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
    return _by_numba(numba, LOOPS[name])


def jax_arrays(jax: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The expression, compiled by JAX; it is waited for."""
    jax.config.update("jax_enable_x64", True)
    made = jax.jit(lambda a, b: function(jax.numpy, a, b))
    return lambda a, b: made(a, b).block_until_ready()


#: What `T` is for each dtype, and what a sum of it is.
_TYPES = {"f8": ("double", "double"), "f4": ("float", "float"), "i8": ("long long", "long long")}
_HEAD = """#include <stddef.h>
#include <tgmath.h>
#define EACH _Pragma("omp parallel for simd")
#define SUM _Pragma("omp parallel for simd reduction(+:s)")
"""


def in_c(programs: dict[str, tuple[str, ...]], threads: int) -> dict[tuple[str, str], Callable[..., Any]]:
    """Loops in C, by the C compiler that there is, for this processor, with threads, by program and dtype; none where there is none. `programs` says which dtypes each is run for."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return {}
    names = [(name, word) for name, words in programs.items() for word in words if name in IN_C]
    text = [_HEAD]
    for at, (name, word) in enumerate(names):
        body, is_sum, _ = IN_C[name]
        number, total = _TYPES[word]
        # A count is of integers, whatever is counted.
        total = "long long" if name == "count" else total
        text.append(f"#define T {number}")
        if is_sum:
            text.append(f"{total} f{at}(const T *restrict a, const T *restrict b, ptrdiff_t n) {{ {total} s = 0;\n{body}\nreturn s; }}")
        else:
            text.append(f"void f{at}(const T *restrict a, const T *restrict b, ptrdiff_t n, T *restrict out) {{\n{body}\n}}")
        text.append("#undef T")
    folder = Path(tempfile.mkdtemp(prefix="airloom-bench-"))
    try:
        (folder / "loops.c").write_text("\n".join(text))
        # Not `-ffast-math`: a library that is linked so changes how small floats are computed in all of the process.
        command = [compiler, "-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-fno-trapping-math", "-shared", "-fPIC", "-o", str(folder / "loops.so"), str(folder / "loops.c"), "-lm"]
        made = subprocess.run(command, capture_output=True, check=False, text=True)
        if made.returncode:
            raise SystemExit(f"the loops in C are not compiled:\n{made.stderr}")
        os.environ["OMP_NUM_THREADS"] = str(threads)
        library = ctypes.CDLL(str(folder / "loops.so"))
    finally:
        shutil.rmtree(folder)
    return {(name, word): _called(getattr(library, f"f{at}"), name, word) for at, (name, word) in enumerate(names)}


def _called(function: Any, name: str, word: str) -> Callable[..., Any]:
    _, is_sum, shorter = IN_C[name]
    sums: dict[str, Any] = {"f8": ctypes.c_double, "f4": ctypes.c_float, "i8": ctypes.c_longlong}
    function.restype = None if not is_sum else ctypes.c_longlong if name == "count" else sums[word]

    def call(a: Any, b: Any) -> Any:
        given = [ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(b.ctypes.data), ctypes.c_ssize_t(len(a))]
        if is_sum:
            return function(*given)
        out = numpy.empty(len(a) - shorter, a.dtype)
        function(*given, ctypes.c_void_p(out.ctypes.data))
        return out.reshape(-1, 100) if name == "means of rows" else out

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
