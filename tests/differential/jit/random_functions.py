"""Random functions of numbers, arrays and loops, each the same for its seed, in CPython and compiled.

`random_arrays.py` runs many of them.
"""

from __future__ import annotations

import contextlib
import linecache
import random
import signal
from collections.abc import Iterator
from typing import Any

import numpy
from compare import compared, copied, function_of, outcome
from numpy.lib.stride_tricks import as_strided

import airloom
from airloom.functions import parallel, waiting

Array = numpy.ndarray[Any, Any]

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
        #: How many statements there are, mostly few: what a function costs is its code, and most mistakes are in small ones.
        self.budget = self.random.choice((2, 3, 4, 5, 8, 14))
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
        for _ in range(self.random.randint(0, 1 + self.budget // 4)):
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
        for _ in range(self.random.randint(1, 3 if self.budget > 3 else 2)):
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


def numbers(choice: random.Random, dtype: str, shape: tuple[int, ...], layout: float) -> Array:
    """An array of awkward numbers, of any layout: a number below one chooses it."""
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
    if layout < 0.2:
        wide = numpy.zeros(tuple(2 * extent for extent in shape), dtype)
        wide[tuple(slice(None, None, 2) for _ in shape)] = array
        return wide[tuple(slice(None, None, 2) for _ in shape)]
    if layout < 0.32:
        return numpy.asfortranarray(array)
    if layout < 0.4:
        return array[::-1]
    return array


def shared(choice: random.Random, a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """Two arrays of the same extents that share memory with one another, with the third, or with themselves, or may not be written to."""
    n = len(b)
    match choice.randrange(7):
        case 0:
            return b, b
        case 1:
            wide = numbers(choice, a.dtype.str.lstrip('<|').replace('b1', '?'), (len(a) + n + 1,), 1.0)
            first = choice.randint(0, 2)
            return wide[first : first + len(a)], wide[1 : 1 + n]
        case 2:
            return b[::-1], b
        case 3:
            return a, c[0] if n and choice.random() < 0.5 else c[:, -1] if n else b
        case 4:
            return a, as_strided(b, (n,), (0,))
        case 5:
            return numpy.broadcast_to(b[:1], (len(a),)) if n else a, b
    b = b.copy()
    b.flags.writeable = False
    return a, b


SCALARS: tuple[tuple[Any, ...], ...] = (
    (0, 1, -3, 1 << 40),
    (2.5, -0.0, 1.0, float("nan"), -7.25),
    (True, False),
    (numpy.float64(0.75), numpy.float64(-3.0)),
    (numpy.float32(1.5), numpy.float32(-0.25)),
    (numpy.int64(4), numpy.int64(-1)),
    (numpy.int32(-7), numpy.int32(3)),
    (numpy.uint8(200), numpy.uint8(1)),
)


def arguments(seed: int, call: int) -> tuple[Any, ...]:
    """What a function is given: mostly of the kinds that it was given before, for which there is code."""
    kinds = random.Random(seed * 2 + (call == CALLS - 1))
    dtypes = [kinds.choice(DTYPES) for _ in range(3)]
    layouts = [kinds.random() for _ in range(3)]
    x, y = kinds.choice(SCALARS), kinds.choice(SCALARS)
    steps = kinds.choice(((0, 1, 2, 3, 7), (0, 1, 2, 3, 7), (numpy.int64(3), numpy.int64(0))))
    choice = random.Random(f"{seed} {call}")
    n = choice.choice((0, 1, 2, 3, 5, 8, 8))
    extent = max(0, n + choice.choice((0, 0, 0, 0, -1, 2)))
    shapes = ((extent,), (n,), (n, n))
    a, b, c = (numbers(choice, dtype, shape, layout) for dtype, shape, layout in zip(dtypes, shapes, layouts, strict=True))
    if choice.random() < 0.15:
        a, b = shared(choice, a, b, c)
    return (a, b, c, choice.choice(x), choice.choice(y), choice.choice(steps), n)


class TooLong(BaseException):
    """No error that a function might catch, or be compared by."""


def _too_long(*_: object) -> None:
    raise TooLong


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raises `TooLong` where something takes more of the processor's time."""
    signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_IGN)


#: How often each function is called: the last time with arguments of other kinds.
CALLS = 4
#: How long CPython may take for a call, in seconds: a few turns are done in a thousandth of it, but integers of Python's may grow without end. Such a call is not compared.
IN_PYTHON = 0.1
#: How long the same call may take compiled, the making of code included.
COMPILED = 5.0


def run(seed: int, *, oracle: bool = False, writer: type[Writer] = Writer) -> str:
    """One function for several sets of arguments: what the last came to, and whether something was compiled. Every second one has loops on several threads that are found to be independent, however little there is to do."""
    parallel.LEAST = 0 if seed % 2 else 1 << 15
    waiting.enabled = False
    text = writer(seed).text()
    jitted = airloom.jit(function_of(text, "f", seed))
    end = "long"
    try:
        for call in range(CALLS):
            args = arguments(seed, call)
            try:
                with within(IN_PYTHON):
                    wanted = outcome(jitted.__wrapped__, copied(args))
            except TooLong:
                continue
            try:
                with within(COMPILED):
                    end = compared(jitted, args, wanted, compiled=False, oracle=oracle)
            except TooLong:
                raise AssertionError(f"{args}: compiled it takes {COMPILED} s, and in CPython less than {IN_PYTHON} s") from None
    except AssertionError as error:
        raise AssertionError(f"{text}\n{error}") from error
    finally:
        linecache.cache.pop(jitted.__wrapped__.__code__.co_filename, None)
    if seed % 100 == 0:
        airloom.report(clear=True)
    return end if any(part.compiled for part in jitted.parts) else f"{end} in Python"


def on_the_oracle(seed: int) -> str:
    """As `run`, and the graphs of the function on the oracle."""
    return run(seed, oracle=True)
