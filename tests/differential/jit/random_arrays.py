"""Random functions of slices, whole arrays, arrays that are made and arrays that change places, in CPython and compiled: as `random_functions`, with more statements.

`python tests/differential/jit/random_arrays.py --functions 10000 --state FILE` runs many, goes on where the last run stopped, and prints how many there were in all and which differ.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

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


def run(seed: int, *, oracle: bool = False) -> tuple[str, bool]:
    return random_functions.run(seed, oracle=oracle, writer=Writer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=int, default=1000, help="in all, those of the state included")
    parser.add_argument("--kind", choices=("arrays", "numbers"), default="arrays")
    parser.add_argument("--state", type=Path, help="a file that counts")
    asked = parser.parse_args()
    state: dict[str, Any] = {"next": 0, "compiled": 0, "ends": {}, "differ": []}
    if asked.state is not None and asked.state.exists():
        state = json.loads(asked.state.read_text())
    one = run if asked.kind == "arrays" else random_functions.run
    ends = Counter(state["ends"])
    while state["next"] < asked.functions:
        try:
            end, was_compiled = one(state["next"])
            ends[end] += 1
            state["compiled"] += was_compiled
        except AssertionError as error:
            state["differ"].append(state["next"])
            print(error, file=sys.stderr, flush=True)
        state["next"] += 1
        state["ends"] = dict(ends)
        if asked.state is not None and state["next"] % 20 == 0:
            asked.state.write_text(json.dumps(state))
    if asked.state is not None:
        asked.state.write_text(json.dumps(state))
    print(f"{state['next']} functions of {asked.kind}: {state['compiled']} compiled; {state['ends']}; {len(state['differ'])} differ {state['differ'][:20]}")
    sys.exit(bool(state["differ"]))


if __name__ == "__main__":
    main()
