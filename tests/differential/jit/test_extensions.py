"""What users say of functions and types: `overload`, `kernel`, `reducer` and `register_type`, beside the same programs in Python."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import airloom
import airloom.numpy as lazy
from airloom.functions import reducers

LIBRARY = ctypes.CDLL(ctypes.util.find_library("m"))


def values(word: str = "f8", count: int = 1000) -> Any:
    return (np.random.default_rng(0).standard_normal(count) * 10).astype(word)


def same(found: Any, wanted: Any) -> None:
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert (found.dtype, found.shape, found.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())


def compiled(function: Any) -> bool:
    return any(part.compiled for part in function.parts) and not any(part.refusals for part in function.parts)


# Overloads.


def area(y: Any, x: Any = None) -> Any:
    """A function that is not compiled: it makes text."""
    f"{y}"
    return float(np.sum((y[1:] + y[:-1]) * 0.5)) if x is None else float(np.sum((y[1:] + y[:-1]) * (x[1:] - x[:-1]) * 0.5))


def area_of_steps(y: Any, x: Any) -> Any:
    total = 0.0
    for i in range(len(y) - 1):
        total += (y[i + 1] + y[i]) * (x[i + 1] - x[i]) * 0.5
    return total


ASKED: list[Any] = []


@airloom.overload(area)
def choose(y: Any, x: Any = None) -> Any:
    ASKED.append((y, x))
    return area_of_steps if x is not None and y.ndim == x.ndim == 1 else None


def areas(y: Any, x: Any, times: int) -> Any:
    total = 0.0
    for _ in range(times):
        total += area(y, x)
    return total


def areas_by_name(y: Any, x: Any, times: int) -> Any:
    total = 0.0
    for _ in range(times):
        total += area(y, x=x)
    return total


def areas_alone(y: Any, times: int) -> Any:
    total = 0.0
    for _ in range(times):
        total += area(y)
    return total


def test_a_function_is_compiled_in_place_of_another() -> None:
    y, x = values(), np.sort(values())
    for function in (areas, areas_by_name):
        made = airloom.jit(function)
        assert made(y, x, 3) == area_of_steps(y, x) * 3 and compiled(made)
    assert ASKED[-1][0].dtype == np.float64 and ASKED[-1][0].ndim == 1 and not ASKED[-1][0].is_python
    # From Python, it is what it was.
    assert area(y, x) == pytest.approx(area_of_steps(y, x))


def test_an_overload_may_decline() -> None:
    y = values()
    made = airloom.jit(areas_alone)
    assert made(y, 2) == areas_alone(y, 2)
    assert not compiled(made)


def test_an_overload_gives_a_function() -> None:
    def helper(x: Any) -> Any:
        raise AssertionError("it is not called")

    airloom.overload(helper)(lambda x: 7)  # type: ignore[arg-type, return-value]
    from airloom.functions import extensions
    from airloom.functions.kinds import FLOAT

    with pytest.raises(TypeError, match="written in Python"):
        extensions.chosen(helper, [FLOAT], {})


# Kernels.

cube_root = airloom.kernel("cube_root", {"float32(float32)": LIBRARY.cbrtf, "float64(float64)": LIBRARY.cbrt})
power = airloom.kernel("add", {"float64(float64, float64)": LIBRARY.pow}, cost=50)


def summed(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += cube_root(x[i]) + power(abs(x[i]), 1.5)
    return total


def test_a_kernel_is_a_function_of_arrays_and_of_compiled_functions() -> None:
    x = values()
    expected = np.array([ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(("cbrt", LIBRARY))(one) for one in x])
    same(cube_root(x), expected)
    same(cube_root(x.reshape(10, 100).T), expected.reshape(10, 100).T.copy())
    assert cube_root(np.float32(27)).dtype == np.float32 and cube_root(8) == 2 and cube_root.types == ["f->f", "d->d"]
    assert cube_root(x[:0]).shape == (0,)
    out = np.zeros_like(x)
    assert cube_root(x, out=out) is out and np.array_equal(out, expected)
    made = airloom.jit(summed)
    assert made(x) == summed(x) and compiled(made)


def test_a_kernel_is_put_off_with_what_is_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.abs(values(count=200_000))
    ours = lazy.array(x)
    for found, wanted in ((cube_root(ours * 2) + 1, cube_root(x * 2) + 1), (power(ours, ours), power(x, x))):
        assert found._expression.value is None
        same(found, wanted)
    # Its name is that of a function that the engine has, and it is not taken for it.
    assert not np.array_equal(power(ours, ours), x + x)


def test_a_kernel_with_state_is_called_at_once_and_by_one_thread() -> None:
    count = [0]

    @ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
    def counted(x: float) -> float:
        count[0] += 1
        return x

    kernel = airloom.kernel("counted", {"float64(float64)": counted}, effect="state", threads="one")
    ours = lazy.array(np.ones(40_000))
    made = kernel(ours)
    assert isinstance(made, lazy.ndarray) and count[0] == 40_000
    pure = airloom.kernel("once", {"float64(float64)": counted}, threads="one")
    later = pure(ours) + 1
    assert count[0] == 40_000
    assert (later == 2).all() and count[0] == 80_000


def test_loops_of_numpys_own_convention() -> None:
    @ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_ssize_t), ctypes.POINTER(ctypes.c_ssize_t), ctypes.c_void_p)
    def dot(args: Any, extents: Any, steps: Any, _data: Any) -> None:
        for at in range(extents[0]):
            x, y, out = (args[k] + at * steps[k] for k in range(3))
            total = 0
            for i in range(extents[1]):
                total += ctypes.c_int64.from_address(x + i * steps[3]).value * ctypes.c_int64.from_address(y + i * steps[4]).value
            ctypes.c_int64.from_address(out).value = total

    kernel = airloom.kernel("dot", {"int64(int64, int64)": dot}, layout="(n),(n)->()", convention="numpy")
    x = np.arange(12).reshape(3, 4)
    same(kernel(x, x[0]), x @ x[0])
    with pytest.raises(ValueError):
        kernel(x, np.arange(3))


def test_what_is_wrong_with_a_kernel() -> None:
    for wrong in ({}, {"float64(float64)": LIBRARY.cbrt, "float64(float64, float64)": LIBRARY.pow}, {"int64(int64)": LIBRARY.cbrt}, {"float64(float64)": 0}):
        with pytest.raises(ValueError):
            airloom.kernel("wrong", wrong)
    for text, pointer in (("float64", LIBRARY.cbrt), ("float64(float64)", "no address")):
        with pytest.raises(TypeError):
            airloom.kernel("wrong", {text: pointer})
    with pytest.raises(ValueError):
        airloom.kernel("wrong", {"float64(float64)": LIBRARY.cbrt}, effect="none")  # type: ignore[arg-type]


# Reducers.


@airloom.reducer(identity=0.0)
def decayed(total: Any, value: Any) -> Any:
    return total * 0.5 + value


@airloom.reducer(identity=0.0, associative=True)
def farthest(first: Any, second: Any) -> Any:
    return first if abs(first) >= abs(second) else second


@airloom.reducer(identity=0.0, associative=True)
def added(first: Any, second: Any) -> Any:
    return first + second


def in_order(function: Any, begin: Any, array: Any) -> Any:
    for value in array:
        begin = function(begin, value)
    return begin


@pytest.mark.parametrize("word", ["f8", "f4", "i8", "i4", "u1", "?"])
@pytest.mark.parametrize("count", [0, 1, 5, 1000])
def test_elements_are_combined_in_their_order(word: str, count: int) -> None:
    x = values("f8", count).astype(word)
    begin = np.result_type(x.dtype, 0.0).type(0.0)
    with np.errstate(all="ignore"):
        for reducer in (decayed, added):
            wanted = in_order(reducer.__wrapped__, begin, x)
            assert reducer(x) == wanted, reducer
    assert decayed(x).dtype == np.asarray(in_order(decayed.__wrapped__, begin, x)).dtype


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_blocks_do_not_depend_on_threads(threads: int) -> None:
    x = values(count=5 * reducers.BLOCK + 17)
    blocks = [in_order(added.__wrapped__, part[0], part[1:]) for part in np.split(x, range(reducers.BLOCK, x.size, reducers.BLOCK))]
    wanted = in_order(added.__wrapped__, np.float64(0), blocks)
    with airloom.options(threads=threads):
        assert added(x) == wanted and added(x[::2]) == added(x[::2].copy())
        assert farthest(x) == x[np.argmax(np.abs(x))]
        assert airloom.jit(of_rows)(x[None, :]) == wanted


def of_rows(table: Any) -> Any:
    total = 0.0
    for i in range(len(table)):
        total += added(table[i])
    return total


def test_reducers_are_compiled_in_functions() -> None:
    table = values(count=600).reshape(20, 30)
    made = airloom.jit(of_rows)
    assert made(table) == of_rows(table) and compiled(made)
    assert made(table[:, :0]) == 0
    narrow = table.astype("f4")
    assert made(narrow) == of_rows(narrow)


def test_axes() -> None:
    table = values(count=600).reshape(20, 30)
    same(added(table, axis=0), np.array([in_order(added.__wrapped__, 0.0, column) for column in table.T]))
    same(farthest(table, axis=-1), np.array([farthest(row) for row in table]))
    assert added(table) == in_order(added.__wrapped__, 0.0, table.ravel())
    assert added(table[:0], axis=0).tolist() == [0.0] * 30 and added(table[:0], axis=1).shape == (0,)


def test_what_was_said_of_a_reducer_is_tried() -> None:
    x = values(count=2 * reducers.BLOCK)
    with pytest.raises(ValueError, match="identity"):
        airloom.reducer(identity=1.0, associative=True)(added.__wrapped__)(x)
    with pytest.raises(ValueError, match="not associative"):
        airloom.reducer(identity=0.0, associative=True)(halved)(x)


def halved(first: Any, second: Any) -> Any:
    return second if first == 0 else (first + second) / 2


# Types of users.


@airloom.register_type
@dataclass(frozen=True)
class Vector:
    x: float
    y: float
    n: int = 0

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.x + other.x, self.y + other.y, self.n + other.n)

    def __rmul__(self, scale: float) -> Vector:
        return Vector(scale * self.x, scale * self.y, self.n + 1)

    def __neg__(self) -> Vector:
        return Vector(-self.x, -self.y, self.n)

    def __lt__(self, other: Vector) -> bool:
        return self.norm() < other.norm()

    def norm(self) -> float:
        return math.sqrt(self.x * self.x + self.y * self.y)

    @property
    def turned(self) -> Vector:
        return Vector(-self.y, self.x, self.n)


class Pair(NamedTuple):
    first: np.float32
    second: np.int16


airloom.register_type(Pair)


@airloom.jit
def walked(position: Any, speed: Any, steps: int) -> Any:
    far = position
    for i in range(steps):
        position = position + 0.5 * speed
        speed = speed.turned if i % 3 == 0 else -speed
        if far < position:
            far = position
        position += Vector(0.25, 1.0, i)
    return position, far, far.norm()


@pytest.mark.parametrize("steps", [0, 1, 2, 17])
def test_objects_of_a_registered_type_are_what_python_makes_of_them(steps: int) -> None:
    given = Vector(1.5, -2.0, 1), Vector(0.25, 3.0, 0)
    found, wanted = walked(*given, steps), walked.__wrapped__(*given, steps)
    assert found == wanted and [type(part) for part in found] == [type(part) for part in wanted]
    assert type(found[0].n) is int and type(found[0].x) is float
    assert compiled(walked)


def test_named_tuples_of_numpys_scalars() -> None:
    @airloom.jit
    def summed(pair: Any, values: Any) -> Any:
        total = pair.first
        for i in range(len(values)):
            total += values[i]
        return Pair(total, pair.second)

    values = np.arange(5, dtype="f4")
    found = summed(Pair(np.float32(0.5), np.int16(3)), values)
    assert found == Pair(np.float32(10.5), np.int16(3)) and type(found.first) is np.float32 and type(found.second) is np.int16
    assert compiled(summed)


def test_numbers_of_other_types_than_was_said_are_left_to_python() -> None:
    @airloom.jit
    def twice(v: Any, n: int) -> Any:
        for _ in range(n):
            v = v + v
        return v

    airloom.report(clear=True)
    assert twice(Vector(1, 2), 2) == Vector(4, 8, 0) and type(twice(Vector(1, 2), 2).x) is int
    assert "of other types than was said" in str(airloom.report())
    assert twice(Vector(1.0, 2.0), 2) == Vector(4.0, 8.0, 0) and compiled(twice)
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        twice(Vector(1.0, 2.0), "many")


def test_a_method_that_is_replaced_is_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    @airloom.jit
    def lengths(v: Any, n: int) -> float:
        total = 0.0
        for _ in range(n):
            total += v.norm()
        return total

    assert lengths(Vector(3.0, 4.0), 2) == 10.0
    monkeypatch.setattr(Vector, "norm", _manhattan)
    assert lengths(Vector(3.0, 4.0), 2) == 14.0
    assert compiled(lengths)


def _manhattan(self: Any) -> float:
    return abs(self.x) + abs(self.y)


def test_what_a_type_may_be() -> None:
    with pytest.raises(TypeError, match="`storage`"):
        airloom.register_type(type("Plain", (), {}))
    with pytest.raises(TypeError, match="no number"):
        airloom.register_type(type("Text", (), {}), storage={"name": str})
    with pytest.raises(TypeError, match="a class"):
        airloom.register_type(3)  # type: ignore[arg-type]


def test_an_overload_sees_the_class() -> None:
    def size(v: Any) -> float:
        return float(f"{v.x}")

    seen = []

    @airloom.overload(size)
    def choose_size(v: Any) -> Any:
        seen.append(v.type)
        return Vector.norm

    @airloom.jit
    def sizes(v: Any, n: int) -> float:
        total = 0.0
        for _ in range(n):
            total += size(v)
        return total

    assert sizes(Vector(3.0, 4.0), 3) == 15.0 and seen and set(seen) == {Vector}
