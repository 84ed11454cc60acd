"""Functions made at random, compiled and called: the same results, dtypes and errors."""

from __future__ import annotations

import ast
import importlib.util
import random
from pathlib import Path
from typing import Any

import pandas
import pytest
from compare import check
from decisions import decisions

from airloom.pandas.udf import bytecode, source

NUMBERS = [
    [3, -1, 7, 12, 2, -4],
    [1.5, -0.25, 2.5, 1e3, 0.1],
    [1.0, float("nan"), float("inf"), -0.0],
    [0, 2**62, -(2**63), 5],
    [True, False],
]
TEXTS = [["a", "ab", " b,c", "12", "XyZ"], ["a", None, "b"], ["", "a"]]


class Writer:
    """Writes sources of functions of one argument `x`."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def number(self, depth: int, names: list[str]) -> str:
        if depth == 0 or self.draw.random() < 0.25:
            return self.draw.choice([*names, str(self.draw.randrange(-5, 6)), "0.5", "2.0", "-1.5", "10"])
        a, b = self.number(depth - 1, names), self.number(depth - 1, names)
        shapes = [f"({a} {op} {b})" for op in ("+", "-", "*", "/", "//", "%")]
        shapes += [f"({a} if {self.condition(depth - 1, names)} else {b})", f"abs({a})", f"min({a}, {b})", f"max({a}, {b})", f"int({a})", f"round({a}, 1)", f"float({a})"]
        return self.draw.choice(shapes)

    def condition(self, depth: int, names: list[str]) -> str:
        if depth <= 0 or self.draw.random() < 0.4:
            return f"{self.number(max(depth, 0), names)} {self.draw.choice(['<', '<=', '>', '>=', '==', '!='])} {self.number(0, names)}"
        a, b = self.condition(depth - 1, names), self.condition(depth - 1, names)
        chained = f"{self.number(0, names)} < {self.number(0, names)} <= {self.number(0, names)}"
        return self.draw.choice([f"({a} and {b})", f"({a} or {b})", f"(not {a})", chained])

    def text(self, depth: int) -> str:
        if depth == 0 or self.draw.random() < 0.3:
            return self.draw.choice(["x", "x", "'a'", "'b,'"])
        a, b = self.text(depth - 1), self.text(depth - 1)
        test = self.draw.choice([f"{a} == 'a'", f"'a' in {b}", f"{a}.startswith('b')", f"{b} in ('a', 'ab')", f"len({a}) > 2", f"{a}.isdigit()", a])
        position = self.draw.randrange(-2, 3)
        shapes = [f"{a}.{one}" for one in ("lower()", "upper()", "title()", "strip()", "zfill(4)", "replace('a', 'bb')", "split(',')[0]")]
        shapes += [f"({a} + {b})", f"{a}[{position}:]", f"{a}[:{position}]", f"{a}[{position}]", f"({a} if {test} else {b})", f"str(len({a}))"]
        return self.draw.choice(shapes)

    def function(self, name: str) -> tuple[str, list[list[Any]]]:
        """The source of a function, and the values that it is for."""
        shape = self.draw.randrange(4)
        if shape == 0:
            return f"def {name}(x):\n    return {self.number(3, ['x'])}\n", NUMBERS
        if shape == 1:
            both = ["x", "y"]
            branches = f"    if {self.condition(2, both)}:\n        y = {self.number(2, both)}\n    elif {self.condition(1, ['x'])}:\n        return {self.number(2, both)}\n"
            return f"def {name}(x):\n    y = {self.number(1, ['x'])}\n{branches}    return {self.number(2, both)}\n", NUMBERS
        if shape == 2:
            return f"{name} = lambda x: {self.condition(3, ['x'])}\n", NUMBERS
        return f"def {name}(x):\n    return {self.text(3)}\n", TEXTS


def check_functions(written: list[tuple[str, list[list[Any]]]], path: Path) -> None:
    """Compares what functions `f0`, `f1` … make of values, each with its source and the values that it is for. They are imported from a file, so that they have a text."""
    path.write_text("".join(source for source, _ in written))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for number, (source, columns) in enumerate(written):
        function = getattr(module, f"f{number}")
        for values in columns:
            try:
                check(lambda pd, series, function=function: series.apply(function), pandas.Series(values), native=False)
            except AssertionError as error:
                raise AssertionError(f"{source}\nof {values}") from error


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
def test_random_functions(seed: int, tmp_path: Path) -> None:
    writer = Writer(seed)
    check_functions([writer.function(f"f{number}") for number in range(60)], tmp_path / f"functions_{seed}.py")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(20))
def test_code_and_text_give_the_same_decisions(seed: int) -> None:
    writer = Writer(seed)
    for number in range(60):
        text, _ = writer.function(f"f{number}")
        (statement,) = ast.parse(text).body
        node = statement if isinstance(statement, ast.FunctionDef) else getattr(statement, "value", None)
        assert isinstance(node, (ast.FunctionDef, ast.Lambda))
        assert decisions(bytecode.definition(made(text, f"f{number}").__code__)) == decisions(node), text


def made(text: str, name: str) -> Any:
    """A function whose text nobody finds."""
    names: dict[str, Any] = {}
    exec(compile(text, "<nowhere>", "exec"), names)
    return names[name]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4, 6))
def test_random_functions_without_text(seed: int) -> None:
    writer = Writer(seed)
    for number in range(60):
        text, columns = writer.function(f"f{number}")
        function = made(text, f"f{number}")
        assert isinstance(source.definition(function), ast.FunctionDef)
        for values in columns:
            try:
                check(lambda pd, series, function=function: series.apply(function), pandas.Series(values), native=False)
            except AssertionError as error:
                raise AssertionError(f"{text}\nof {values}") from error
