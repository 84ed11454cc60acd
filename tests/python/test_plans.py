"""Plans are kept for programs that are built anew, and small programs run at once."""

from __future__ import annotations

import threading
from typing import Any

import airloom
import numpy as np
import pyarrow as pa
import pytest
from airloom import Column, Table, _native, ir

ROW = ir.rel({"k": ir.i64, "x": ir.f64})


def counted(work: Any) -> tuple[int, int]:
    """How often a plan was found, and how often not, while something was done."""
    before = _native.plan_cache()
    work()
    after = _native.plan_cache()
    return after["hits"] - before["hits"], after["misses"] - before["misses"]


def table(rows: int, seed: int = 0) -> Table:
    x = np.random.default_rng(seed).random(rows)
    return Table.of_columns({"k": Column.of_numpy(np.arange(rows)), "x": Column.of_numpy(x)}, rows)


def filtered(least: float) -> ir.Function:
    return ir.function()(lambda: ir.filter(ir.source("t", ROW), lambda r: r.x > least))


def joined() -> ir.Function:
    def join() -> ir.Node:
        right = ir.project(ir.source("r", ROW), lambda r: {"j": r.k, "y": r.x})
        return ir.join(ir.source("l", ROW), right, lambda l: {"k": l.k}, lambda r: {"k": r.j}, lambda l, r: True)

    return ir.function()(join)


@pytest.mark.parametrize("rows", [0, 100, 100_000])
def test_the_same_program_is_planned_once(rows: int) -> None:
    data = table(rows)

    def run(least: float) -> None:
        expected = data.numpy("x")
        np.testing.assert_array_equal(airloom.run(filtered(least), sources={"t": data}).numpy("x"), expected[expected > least])

    run(0.125 + rows)
    assert counted(lambda: run(0.125 + rows)) == (1, 0)
    # Another literal has the same plan; zero is one that rules look for.
    assert counted(lambda: run(0.375 + rows)) == (1, 0)
    assert counted(lambda: run(0.7)) == (1, 0)
    if rows == 0:
        assert counted(lambda: run(0.0)) == (0, 1)


def test_joins_are_planned_once_for_data_of_which_the_same_is_known() -> None:
    def run(left: Table, right: Table) -> None:
        assert airloom.run(joined(), sources={"l": left, "r": right}).num_rows == min(len(left), len(right))

    run(table(500), table(600))
    assert counted(lambda: run(table(500), table(600))) == (1, 0)
    assert counted(lambda: run(table(500), table(601))) == (0, 1)
    assert counted(lambda: run(table(500, seed=1), table(600))) == (0, 1)
    # Over a few rows a plan of the engine's depends on the program alone.
    if not airloom.options.oracle:
        run(table(50), table(60))
        assert counted(lambda: run(table(49, seed=2), table(51, seed=3))) == (1, 0)


def test_plans_depend_on_rules_and_options() -> None:
    data = table(10)

    def run() -> None:
        airloom.run(filtered(0.0625), sources={"t": data})

    run()
    with airloom.options(fuel=5):
        assert counted(run) == (0, 1)
    with airloom.options(checks=True):
        assert counted(run) == (0, 1)
    with airloom.options(without_rules=["merge-filters"]):
        assert counted(run) == (0, 1)
        assert counted(run) == (1, 0)
    with airloom.options(optimize=False):
        assert counted(run) == (0, 0)

    @airloom.rule("greater-is-less", stage="simplify", left="gt(?a, ?b)")
    def greater_is_less(m: Any) -> Any:
        """`a > b` → `b < a`."""
        return m.b < m.a

    assert counted(run) == (0, 1)
    airloom.rules.remove("greater-is-less")
    run()
    assert counted(run) == (1, 0)


def test_functions_of_the_same_name_are_not_mixed_up() -> None:
    def program(step: int) -> ir.Function:
        def f(k: int) -> int:
            return k + step

        return ir.function()(
            lambda: ir.project(ir.source("t", ROW), lambda r: {"k": ir.host_call(f, r.k, ty=ir.i64)}),
        )

    data = table(3)
    for step in (1, 10, 100):
        assert airloom.run(program(step), sources={"t": data}).to_pydict() == {"k": [step, step + 1, step + 2]}


def test_errors_name_the_lines_of_their_own_program() -> None:
    def one() -> ir.Function:
        return ir.function()(lambda: ir.project(ir.source("t", ir.rel({"k": ir.i64})), lambda r: {"q": r.k // 0}))

    def other() -> ir.Function:
        return ir.function()(lambda: ir.project(ir.source("t", ir.rel({"k": ir.i64})), lambda r: {"q": r.k // 0}))

    for program in (one, other):
        with pytest.raises(airloom.RaisedError, match=rf"test_plans.py:{program.__code__.co_firstlineno + 1}\)"):
            airloom.run(program(), sources={"t": table(10)})


def test_the_number_of_plans_is_bounded() -> None:
    data = table(1)

    def run(number: int) -> None:
        airloom.run(ir.function()(lambda: ir.project(ir.source("t", ROW), lambda r: {f"x{number}": r.x})), sources={"t": data})

    for number in range(300):
        run(number)
    assert _native.plan_cache()["kept"] == 256
    assert counted(lambda: run(299)) == (1, 0)
    assert counted(lambda: run(0)) == (0, 1)


def test_plans_are_found_by_many_threads() -> None:
    data = table(100)
    wrong: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            for at in range(50):
                least = (seed + at) % 7 / 8
                x = data.numpy("x")
                np.testing.assert_array_equal(airloom.run(filtered(least), sources={"t": data}).numpy("x"), x[x > least])
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_small_programs_run_inside_python_functions() -> None:
    """A host function that runs programs: on threads of the engine, and where a small program was asked for."""
    inner = filtered(0.5)
    data = table(20)
    expected = int((data.numpy("x") > 0.5).sum())

    def count(k: int) -> int:
        return airloom.run(inner, sources={"t": data}).num_rows + k

    outer = ir.function()(lambda: ir.project(ir.source("t", ROW), lambda r: {"n": ir.host_call(count, r.k, ty=ir.i64)}))
    assert airloom.run(outer, sources={"t": data}).to_pydict()["n"] == [expected + k for k in range(20)]


def test_deep_small_programs_run() -> None:
    def deep() -> ir.Node:
        rows = ir.source("t", ROW)
        for _ in range(100):
            rows = ir.filter(rows, lambda r: r.x >= 0.0)
        return rows

    def long() -> ir.Node:
        def body(r: ir.Node) -> dict[str, Any]:
            k = r.k
            for step in range(180):
                k = k * 3 + step
            return {"k": k}

        return ir.project(ir.source("t", ROW), body)

    data = table(5)
    done: list[int] = []

    def work() -> None:
        for optimize in (True, False):
            with airloom.options(optimize=optimize):
                done.append(airloom.run(ir.function()(deep), sources={"t": data}).num_rows)
                done.append(airloom.run(ir.function()(long), sources={"t": data}).num_rows)

    before = threading.stack_size(1 << 20)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert done == [5, 5, 5, 5]


@pytest.mark.parametrize("rows", [0, 1, 127, 128, 16_384, 16_385])
def test_small_and_large_programs_agree(rows: int) -> None:
    data = table(rows)
    k, x = data.numpy("k"), data.numpy("x")
    grouped = airloom.run(
        ir.function()(lambda: ir.group(ir.source("t", ROW), lambda r: {"g": r.k % 3}, lambda c: {"s": ir.sum(c.k), "n": ir.count(c.x)})),
        sources={"t": data},
    ).to_pydict()
    assert {g: (s, n) for g, s, n in zip(grouped["g"], grouped["s"], grouped["n"])} == {
        g: (int(k[k % 3 == g].sum()), int((k % 3 == g).sum())) for g in sorted({int(g) for g in k % 3})
    }
    top = airloom.run(
        ir.function()(lambda: ir.sort(ir.source("t", ROW), lambda r: {"x": r.x}, ["desc.last"])), sources={"t": data}
    )
    np.testing.assert_array_equal(top.numpy("x"), np.sort(x)[::-1])
    assert airloom.run(joined(), sources={"l": data, "r": data}).num_rows == rows


def test_text_of_small_tables() -> None:
    words = pa.array(["a", None, "ü" * 30, ""])
    data = Table.of_columns({"w": Column.of_arrow(words)}, 4)
    upper = airloom.run(ir.function()(lambda: ir.project(ir.source("t", data.type), lambda r: {"w": r.w})), sources={"t": data})
    assert upper.large_strings("w").to_pylist() == words.to_pylist()
