"""Loops of Python functions: `@airloom.jit` beside CPython, NumPy where it has words for the program, and Numba where it is installed, in one process.

    python benches/loops/run.py [--repeats 5] [--programs seidel,collatz] [--scale 0.1]

Answers are compared with CPython's to the bit, at a size that CPython can bear, before anything is measured. Then each program runs at its own size, the best of several calls, in turns, by the time of the processor; code is compiled before. CPython's
time is that of the small size, and the column `CPython` tells how many times as long it takes as `@airloom.jit` does there. Numba is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import math
import time
import types
from collections.abc import Callable
from typing import Any

import numpy
from programs import PROGRAMS as LOOPS
from programs import Program
from whole_arrays import ARRAY_PROGRAMS

import airloom


PROGRAMS = LOOPS | ARRAY_PROGRAMS


def by_numba(numba: Any, function: types.FunctionType) -> Callable[..., Any]:
    """A function compiled by Numba, with the functions that it calls."""
    space: dict[str, Any] = {}
    for name, value in function.__globals__.items():
        space[name] = numba.njit(types.FunctionType(value.__code__, space, name, value.__defaults__)) if isinstance(value, types.FunctionType) else value
    found: Callable[..., Any] = space[function.__name__]
    return found


def timed(function: Callable[..., Any], program: Program, size: int) -> float:
    """The processor's time of one call, in milliseconds, its arguments made before: other programs may be running."""
    args = program.arguments(numpy.random.default_rng(1), size)
    started = time.thread_time()
    function(*args)
    return 1000 * (time.thread_time() - started)


def same(first: Any, second: Any) -> bool:
    if isinstance(first, tuple):
        return isinstance(second, tuple) and len(first) == len(second) and all(map(same, first, second))
    x, y = numpy.asarray(first), numpy.asarray(second)
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--programs", default=",".join(PROGRAMS).replace(", ", ";"))
    parser.add_argument("--scale", type=float, default=1.0, help="of the sizes")
    asked = parser.parse_args()
    try:
        numba: Any = importlib.import_module("numba")
    except ImportError:
        numba = None
    print(f"{'program':18} {'size':>10} {'code':>8} {'airloom':>9} {'NumPy':>9} {'Numba':>9}   CPython")
    ratios: dict[str, list[float]] = {"CPython": [], "NumPy": [], "Numba": []}
    for name in (word.replace(";", ", ") for word in asked.programs.split(",")):
        program = PROGRAMS[name]
        ours = airloom.jit(program.function)
        ours.in_background = False
        args = program.arguments(numpy.random.default_rng(1), program.small)
        wanted = program.function(*copy.deepcopy(args))
        started = time.perf_counter()
        first = ours(*copy.deepcopy(args))
        code = 1000 * (time.perf_counter() - started)
        assert same(first, wanted), f"{name}: the answers differ"
        assert any(part.compiled for part in ours.parts), f"{name} is not compiled"
        others = {"airloom": ours}
        if program.numpy is not None:
            others["NumPy"] = program.numpy
        if numba is not None:
            others["Numba"] = by_numba(numba, program.function)
            others["Numba"](*copy.deepcopy(args))
        size = max(8, int(program.size * asked.scale))
        best = dict.fromkeys(others, math.inf)
        for _ in range(asked.repeats):
            for who, call in others.items():
                best[who] = min(best[who], timed(call, program, size))
        slow = timed(program.function, program, program.small) / min(timed(ours, program, program.small) for _ in range(3))
        ratios["CPython"].append(slow)
        for who in ("NumPy", "Numba"):
            if who in best:
                ratios[who].append(best[who] / best["airloom"])
        cells = [f"{best[who]:9.2f}" if who in best else " " * 9 for who in ("airloom", "NumPy", "Numba")]
        print(f"{name:18} {size:10} {code:8.1f} {' '.join(cells)}   {slow:7.0f} times", flush=True)
    for who, found in ratios.items():
        if found:
            print(f"{who}: {math.exp(sum(map(math.log, found)) / len(found)):.2f} times as long, geometric mean of {len(found)}; at least {min(found):.2f}")


if __name__ == "__main__":
    main()
