"""Random functions of numbers, arrays and loops, each the same for its seed, in CPython and compiled.

`python tests/differential/jit/random_functions.py --functions 10000` runs many, and prints how many there were and which differ.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from compare import check, function_of

import airloom
from airloom.functions import parallel, waiting

DTYPES = ("f8", "f8", "f4", "i8", "i8", "i4", "i2", "u1", "u4", "?")


class Writer:
    """Writes one function."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 1
        self.loops = 0
        self.indices: list[str] = []
        self.names = ["x", "y", "k", "n"]
        self.budget = 14
        self.foreign = False

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def write(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def text(self) -> str:
        self.write("s = " + self.pick("0", "0.0", "1", "x", "1.5", "k"))
        self.names.append("s")
        # What is not compiled: then each loop is a part for itself, and so are loops inside of those that are not.
        self.foreign = self.random.random() < 0.3
        if self.foreign:
            self.write("z = [v for v in (1, 2)]")
        for _ in range(self.random.randint(1, 4)):
            self.statement()
        self.loop()
        if self.random.random() < 0.5:
            self.statement()
        self.write("return " + self.pick("s", "s, x", "(s, k, y)", "x", "s"))
        return "def f(a, b, c, x, y, k, n):\n" + "\n".join(self.lines) + "\n"

    def statement(self) -> None:
        self.budget -= 1
        if self.budget < 0 or self.depth > 5:
            self.assignment()
            return
        kind = self.random.random()
        if kind < 0.30:
            self.assignment()
        elif kind < 0.48:
            self.augmented()
        elif kind < 0.62:
            self.store()
        elif kind < 0.78:
            self.conditional()
        elif kind < 0.92:
            self.loop()
        elif self.loops and kind < 0.97:
            self.write(f"if {self.test()}:")
            self.write("    " + self.pick("break", "continue", "continue", f"return {self.pick('s', 'x', '-1')}"))
        else:
            self.write("x, y = " + self.pick("y, x", f"{self.expression(1)}, x"))

    def block(self) -> None:
        self.depth += 1
        if self.foreign and self.random.random() < 0.25:
            self.write("z = [v for v in (1, 2)]")
        for _ in range(self.random.randint(1, 3)):
            self.statement()
        self.depth -= 1

    def assignment(self) -> None:
        name = self.pick("x", "y", "s", "t", "u")
        self.write(f"{name} = {self.expression(2)}")
        if self.depth == 1 and name not in self.names:
            self.names.append(name)

    def augmented(self) -> None:
        self.write(f"{self.pick('s', 's', 'x', 'k')} {self.pick('+', '+', '-', '*')}= {self.expression(1)}")

    def store(self) -> None:
        target = self.pick("a", "b", "c")
        place = f"{target}[{self.index()}]" if target != "c" else self.pick(f"c[{self.index()}, {self.index()}]", f"c[{self.index()}][{self.index()}]")
        self.write(f"{place} {self.pick('=', '=', '+=', '-=')} {self.expression(1)}")

    def conditional(self) -> None:
        self.write(f"if {self.test()}:")
        self.block()
        if self.random.random() < 0.4:
            self.write("else:")
            self.block()

    def loop(self) -> None:
        if self.depth > 4:
            self.assignment()
            return
        self.loops += 1
        if self.random.random() < 0.2:
            counter = f"w{self.loops}"
            self.write(f"{counter} = 0")
            self.write(f"while {counter} < {self.pick('3', '5', 'n')}{self.pick('', ' and ' + self.test())}:")
            self.depth += 1
            self.write(f"{counter} += 1")
            self.depth -= 1
            self.indices.append(counter)
            self.block()
            self.indices.pop()
        else:
            name = self.pick("i", "j", "m") if self.depth < 3 else f"q{self.depth}"
            over = self.pick("range(n)", "range(n)", "range(1, n)", "range(n - 1)", "range(len(a))", "range(n - 1, -1, -1)", "range(0, n, 2)", "range(b.shape[0])", "range(k % 5)", "enumerate(a)", "zip(a, b)", "b")
            if over.startswith(("enumerate", "zip")):
                second = self.pick("e", "v")
                self.write(f"for {name}, {second} in {over}:" if over.startswith("enumerate") else f"for x, {second} in {over}:")
                self.indices.append(name if over.startswith("enumerate") else "0")
                self.names.append(second)
            elif over == "b":
                self.write("for t in b:")
                self.indices.append("1")
            else:
                self.write(f"for {name} in {over}:")
                self.indices.append(name)
            self.block()
            self.indices.pop()
        self.loops -= 1

    def index(self) -> str:
        known = self.pick(*self.indices) if self.indices else "0"
        return self.pick(known, known, known, f"{known} - 1", "0", "-1", f"{known} + 1", f"(k + {known}) % n" if self.random.random() < 0.3 else known, "1")

    def read(self) -> str:
        return self.pick(f"a[{self.index()}]", f"b[{self.index()}]", f"c[{self.index()}, {self.index()}]", f"a[{self.index()}]")

    def expression(self, depth: int) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.2:
            return self.atom()
        if kind < 0.75:
            op = self.pick("+", "+", "-", "-", "*", "*", "/", "//", "%", "+")
            return f"({self.expression(depth - 1)} {op} {self.expression(depth - 1)})"
        if kind < 0.80:
            return f"-({self.expression(depth - 1)})"
        if kind < 0.86:
            return f"{self.pick('min', 'max')}({self.expression(depth - 1)}, {self.expression(depth - 1)})"
        if kind < 0.90:
            return f"abs({self.expression(depth - 1)})"
        if kind < 0.93:
            return f"({self.expression(depth - 1)} if {self.test()} else {self.expression(depth - 1)})"
        if kind < 0.95:
            return f"{self.pick('math.sqrt', 'math.sin', 'math.floor', 'np.sqrt', 'float', 'int')}({self.expression(depth - 1)})"
        if kind < 0.97:
            return f"({self.expression(depth - 1)} ** 2)"
        return f"({self.pick('k', 'n', self.pick(*self.indices) if self.indices else '3')} {self.pick('&', '|', '^', '<<', '>>')} {self.pick('1', '3', 'k')})"

    def atom(self) -> str:
        choices = [*self.names, *self.names, "1", "2", "0.5", "3", "-2", "1.25", self.read(), self.read(), self.read()]
        if self.indices:
            choices += [*self.indices, *self.indices]
        return self.pick(*choices)

    def test(self) -> str:
        left = self.expression(1)
        simple = f"{left} {self.pick('<', '>', '<=', '>=', '==', '!=')} {self.expression(1)}"
        return self.pick(simple, simple, simple, f"{simple} {self.pick('and', 'or')} {self.atom()} > 0", f"not {simple}", self.atom(), f"0 < {self.atom()} <= 3")


def numbers(choice: random.Random, dtype: str, shape: tuple[int, ...]) -> numpy.ndarray[Any, Any]:
    """An array of awkward numbers, of any layout."""
    generator = numpy.random.default_rng(choice.randrange(1 << 30))
    size = int(numpy.prod(shape))
    if dtype[0] == "f":
        made = generator.integers(-40, 40, size) / 4
        for value in (numpy.nan, numpy.inf, -0.0, 1e300):
            if choice.random() < 0.12 and size:
                made[generator.integers(size)] = value if dtype == "f8" or abs(value) < 1e30 or value != value or value == numpy.inf else 1e30
    elif dtype == "?":
        made = generator.integers(0, 2, size)
    else:
        info = numpy.iinfo(dtype)
        made = generator.integers(max(info.min, -9), min(info.max, 9), size, endpoint=True).astype(dtype)
        if choice.random() < 0.2 and size:
            made[generator.integers(size)] = choice.choice((info.min, info.max))
    array = numpy.asarray(made).astype(dtype).reshape(shape)
    if choice.random() < 0.2 and shape:
        wide = numpy.zeros(tuple(2 * extent for extent in shape), dtype)
        wide[tuple(slice(None, None, 2) for _ in shape)] = array
        return wide[tuple(slice(None, None, 2) for _ in shape)]
    if choice.random() < 0.15:
        return numpy.asfortranarray(array)
    if choice.random() < 0.1:
        return array[::-1]
    return array


def arguments(seed: int) -> tuple[Any, ...]:
    choice = random.Random(seed)
    n = choice.choice((0, 1, 2, 3, 5, 8, 8))
    extent = max(0, n + choice.choice((0, 0, 0, 0, -1, 2)))
    scalars = (0, 1, -3, 2.5, -0.0, 1.0, True, numpy.float64(0.75), numpy.float32(1.5), numpy.int64(4), numpy.int32(-7), numpy.uint8(200), float("nan"), 1 << 40)
    arrays = (numbers(choice, choice.choice(DTYPES), (extent,)), numbers(choice, choice.choice(DTYPES), (n,)), numbers(choice, choice.choice(DTYPES), (n, n)))
    return (*arrays, choice.choice(scalars), choice.choice(scalars), choice.choice((0, 1, 2, 3, 7, numpy.int64(3))), n)


class TooLong(BaseException):
    """No error that a function might catch, or be compared by."""


def _too_long(*_: object) -> None:
    raise TooLong


def run(seed: int, *, oracle: bool = False, writer: type[Writer] = Writer) -> tuple[str, bool]:
    """One function for three sets of arguments: what it came to, and whether something was compiled. Every second one has loops on several threads that are found to be independent, however little there is to do."""
    parallel.LEAST = 0 if seed % 2 else 1 << 15
    waiting.enabled = False
    text = writer(seed).text()
    jitted = airloom.jit(function_of(text, "f", seed))
    ends = []
    for call in range(3):
        # Integers of Python's may grow without end.
        signal.signal(signal.SIGALRM, _too_long)
        signal.setitimer(signal.ITIMER_REAL, 3)
        try:
            ends.append(check(jitted, arguments(seed * 3 + call), compiled=False, oracle=oracle))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}\n{text}\n{error}") from error
        except TooLong:
            ends.append("long")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return ends[-1], any(part.compiled for part in jitted.parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="that of the first function")
    parser.add_argument("--oracle", action="store_true", help="also run the graphs on the oracle")
    asked = parser.parse_args()
    ends: Counter[str] = Counter()
    compiled, differ = 0, []
    for seed in range(asked.seed, asked.seed + asked.functions):
        try:
            end, was_compiled = run(seed, oracle=asked.oracle)
            ends[end] += 1
            compiled += was_compiled
        except AssertionError as error:
            differ.append(seed)
            print(error, file=sys.stderr)
    print(f"{asked.functions} functions from seed {asked.seed}: {compiled} compiled; {dict(ends)}; {len(differ)} differ {differ[:20]}")
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()
