"""Random programs of expressions, views and stores: whoever writes to what, through whichever view, everybody sees what they would see with NumPy."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import compare
import numpy
import values
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import airloom.numpy

SHAPES = ((3, 4), (4,), (3, 1), (12,), (2, 3, 2))
WORDS = ("f8", "f4", "i8", "i2", "u1", "?")
BINARY = (operator.add, operator.sub, operator.mul, operator.truediv, operator.gt, operator.eq, operator.and_)
IN_PLACE = (operator.iadd, operator.isub, operator.imul, operator.ior, operator.itruediv)
KEYS: tuple[Any, ...] = (slice(None), slice(1, None), slice(None, None, -1), slice(None, None, 2), 0, -1, (Ellipsis, 0), (slice(None), None), Ellipsis, slice(5, 2))
NUMBERS = (0, 2, -1, 0.5, 300, float("nan"), True)
REDUCTIONS = ("sum", "min", "max", "any", "mean", "var")

numbers = st.integers(0, 40)
statements = st.lists(st.tuples(st.integers(0, 15), numbers, numbers, numbers), min_size=1, max_size=14)


class Program:
    """The statements of one program, on NumPy or on ours."""

    def __init__(self, np: Any) -> None:
        self.np = np
        self.arrays: list[Any] = [np.array(values.array("f8", 12).reshape(3, 4)), np.array(values.array("i8", 12).reshape(3, 4))]
        #: Arrays of NumPy's that others hold.
        self.outside: list[Any] = []
        self.seen: list[Any] = []

    def pick(self, number: int) -> Any:
        return self.arrays[number % len(self.arrays)]

    def run(self, statement: tuple[int, int, int, int]) -> None:
        try:
            self.step(*statement)
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            self.seen.append((type(error), str(error)))

    def step(self, kind: int, first: int, second: int, third: int) -> None:
        np, x = self.np, self.pick(first)
        match kind:
            case 0:
                shape = SHAPES[second % len(SHAPES)]
                self.arrays.append(np.array(numpy.resize(values.array(WORDS[first % len(WORDS)]), shape)))
            case 1 | 2:
                self.arrays.append(BINARY[third % len(BINARY)](x, self.pick(second)))
            case 3:
                self.arrays.append(BINARY[third % len(BINARY)](x, NUMBERS[second % len(NUMBERS)]))
            case 4:
                self.arrays.append(np.where(x > 0, x, self.pick(second)))
            case 5 | 6:
                self.arrays.append(x[KEYS[second % len(KEYS)]])
            case 7:
                self.arrays.append((x.T, x.reshape(-1), x.ravel(), x.copy(), np.tanh(x), x.sum(axis=-1))[second % 6])
            case 8:
                x[KEYS[second % len(KEYS)]] = NUMBERS[third % len(NUMBERS)]
            case 9:
                x[KEYS[second % len(KEYS)]] = self.pick(third)
            case 10:
                x[x > NUMBERS[second % len(NUMBERS)]] = NUMBERS[third % len(NUMBERS)]
            case 11:
                at = first % len(self.arrays)
                self.arrays[at] = IN_PLACE[third % len(IN_PLACE)](x, self.pick(second) if second % 3 else NUMBERS[second % len(NUMBERS)])
            case 12:
                # Somebody else gets hold of the memory, and keeps it for a while.
                self.outside.append(numpy.asarray(x))
                del self.outside[:-2]
            case 13:
                if self.outside:
                    self.outside[first % len(self.outside)][...] = second
            case 14:
                raw = numpy.arange(12.0).reshape(3, 4)
                self.outside.append(raw)
                self.arrays.append(np.asarray(raw))
            case 15:
                self.seen.append(compare.seen(getattr(x, REDUCTIONS[second % len(REDUCTIONS)])()))

    def everything(self) -> Any:
        return [compare.seen(part) for part in (*self.arrays, *self.outside)], self.seen


def told(np: Any, program: list[tuple[int, int, int, int]]) -> Any:
    run = Program(np)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in program:
            run.run(statement)
        return run.everything()


# An array of ours that has no axes is a scalar of NumPy's after the first operation, and cannot be written to by either.
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(statements)
def test_programs_of_views_and_stores(program: list[tuple[int, int, int, int]]) -> None:
    assert told(airloom.numpy, program) == told(numpy, program)
