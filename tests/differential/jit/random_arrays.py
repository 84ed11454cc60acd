"""Random functions of slices, whole arrays, arrays that are made and arrays that change places, in CPython and compiled: as `random_functions`, with more statements.

`python tests/differential/jit/random_arrays.py --count 100000 --state FILE` runs many functions, of both kinds, goes on where the last run stopped, and prints how many there were in all and which differ.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if __name__ in ("__main__", "__mp_main__"):
    # Nobody asks for the code of a random function again: it is not kept on disk, where it would put other code out.
    os.environ.setdefault("AIRLOOM_CODE_CACHE", "")

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[1])]

import counting
import random_functions


class Writer(random_functions.Writer):
    """Writes one function."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        #: Names of arrays that the function makes, of one axis and of `n` elements.
        self.vectors: list[str] = []
        #: How long the arrays of a statement are: all of an axis, one less, or anything.
        self.form = "whole"

    def text(self) -> str:
        for name in self.pick((), ("d",), ("d",), ("d", "e")):
            made = self.pick("np.zeros(n)", "np.ones(n)", "np.zeros(n, dtype=np.int64)", "b.copy()", "np.zeros_like(b)", "np.full(n, 2.5)", "np.arange(n)", "b * 2", "np.empty(n)")
            self.write(f"{name} = {made}")
            if made == "np.empty(n)":
                self.write(f"{name}[:] = {self.pick('0', 'x', '1.5')}")
            self.vectors.append(name)
        text = super().text()
        if self.vectors and self.random.random() < 0.7:
            kept = self.pick(*self.vectors)
            text = text.rstrip().rsplit("\n", 1)[0] + f"\n    return {self.pick(kept, f's, {kept}', f'{kept}[1:], s', f'{kept}, b', f'{kept}.sum(), {kept}')}\n"
        return text

    def statement(self) -> None:
        if self.random.random() > 0.45 or self.budget < 0:
            super().statement()
            return
        self.budget -= 1
        kind = self.random.random()
        self.form = self.pick("whole", "whole", "whole", "less", "less", "less", "any")
        if kind < 0.30:
            name = self.pick("b", "b", *self.vectors, *self.vectors)
            target = self.slice_of(name) if self.form == "any" else self.pick(f"{name}[:]", f"{name}[:]", f"{name}[::-1]") if self.form == "whole" else self.pick(f"{name}[1:]", f"{name}[:-1]")
            self.write(f"{target} {self.pick('=', '=', '+=', '-=', '*=')} {self.pick(self.array(2), self.array(1), self.expression(1))}")
        elif kind < 0.42:
            self.form = "whole"
            self.write(f"{self.pick(f'c[{self.index()}]', f'c[:, {self.index()}]', f'c[{self.index()}, :]', 'c[1:]', 'c[:]')} {self.pick('+=', '=', '*=')} {self.pick(self.array(1), self.array(1), 'c[0]', 'x', '2')}")
        elif kind < 0.55 and len(self.vectors) == 2:
            self.write("d, e = e, d")
        elif kind < 0.70 and self.vectors:
            self.form = "whole"
            self.write(f"{self.pick(*self.vectors)} = {self.array(2)}")
        elif kind < 0.78:
            self.write(f"r = {self.pick(f'c[{self.index()}]', self.slice_of('b'), self.array(1))}")
            self.write(f"s += {self.pick('r.sum()', 'len(r)', 'r[0]', 'r[-1]', 'r.max()')}")
        else:
            self.write(f"{self.pick('s', 'x', 't')} {self.pick('=', '+=')} {self.number()}")

    def bound(self) -> str:
        known = self.pick(*self.indices) if self.indices else "1"
        return self.pick("", "", "1", "2", "-1", "-2", known, f"{known} + 1", "k", "n", "0")

    def slice_of(self, name: str) -> str:
        step = self.pick("", "", "", "", "", ":2", ":-1", ":-2", ":k" if self.random.random() < 0.1 else "")
        return f"{name}[{self.bound()}:{self.bound()}{step}]"

    def vector(self) -> str:
        """An array of one axis: mostly as long as the others of the same statement."""
        if self.form == "whole":
            name = self.pick("b", *self.vectors, *self.vectors)
            return self.pick(name, name, name, f"{name}[::-1]", f"c[{self.index()}]", f"c[:, {self.index()}]", f"{name}[:]", f"{name}[:n]")
        if self.form == "less":
            name = self.pick("b", *self.vectors, *self.vectors)
            return self.pick(f"{name}[1:]", f"{name}[:-1]", f"{name}[1:]", f"{name}[:-1]", f"c[{self.index()}, 1:]", f"c[:-1, {self.index()}]", f"{name}[:0:-1]")
        name = self.pick("a", "b", "b", *self.vectors, *self.vectors)
        return self.pick(name, name, self.slice_of(name), self.slice_of(name), f"c[{self.index()}]", f"c[:, {self.index()}]", f"c[{self.index()}, {self.bound()}:]")

    def array(self, depth: int) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.2:
            return self.vector()
        if kind < 0.75:
            other = self.pick(self.array(depth - 1), self.array(depth - 1), self.atom())
            sides = (self.array(depth - 1), other)
            op = self.pick("+", "+", "-", "*", "*", "/", "//", "%")
            return f"({sides[0]} {op} {sides[1]})" if self.random.random() < 0.8 else f"({sides[1]} {op} {sides[0]})"
        if kind < 0.80:
            return f"{self.pick('np.abs', '-', 'np.sqrt', 'np.floor', 'np.exp', 'np.sin')}({self.array(depth - 1)})"
        if kind < 0.86:
            return f"np.where({self.array(depth - 1)} > {self.atom()}, {self.array(depth - 1)}, {self.pick(self.atom(), self.array(depth - 1))})"
        if kind < 0.92:
            return f"{self.pick('np.minimum', 'np.maximum')}({self.array(depth - 1)}, {self.pick(self.atom(), self.array(depth - 1))})"
        return self.pick("np.zeros(n)", "np.arange(n)", "np.ones(n)", f"{self.vector()}.copy()", f"({self.vector()} ** 2)")

    def number(self) -> str:
        inner = self.pick(self.array(1), self.vector(), self.vector(), "c", "c[1:]")
        return self.pick(
            f"np.sum({inner})", f"{inner}.sum()", f"np.max({inner})", f"np.min({inner})", f"np.mean({inner})", f"np.argmax({inner})", f"{inner}.any()", f"len({self.vector()})",
            f"np.sum({self.array(1)} > {self.atom()})", f"np.dot(b, b)", f"np.sum(c, axis={self.pick('0', '1')})[0]", f"np.std({self.vector()})", f"np.exp({self.atom()})", f"np.prod({self.vector()})",
        )  # fmt: skip


def run(seed: int) -> str:
    return random_functions.run(seed, writer=Writer)


def either(seed: int) -> str:
    """A function of arrays, or one of numbers and loops."""
    return run(seed // 2) if seed % 2 else random_functions.run(seed // 2)


if __name__ == "__main__":
    counting.main(__doc__, {"functions": either, "arrays": run, "numbers": random_functions.run, "oracle": random_functions.on_the_oracle})
