"""Backends written in Python."""

from collections.abc import Sequence
from typing import Any

import airloom
import pyarrow as pa
import pytest
from airloom import ir

T = ir.rel({"a": ir.i64, "b": ir.f64})
DATA = pa.table({"a": [3, 1, 2, 3], "b": [1.0, 2.0, 3.0, 4.0]})
PROGRAM = ir.function(t=T)(lambda t: ir.rows(ir.slice(ir.sort(ir.filter(t, lambda r: r.a > 1), lambda r: {"b": r.b}, ["desc.last"]), 0, 2)))


class Sorter:
    """It sorts by plain columns, with pyarrow."""

    name = "sorter"

    def __init__(self) -> None:
        self.ran: list[str] = []

    def supports(self, node: ir.Node) -> bool | str:
        if node.op != "rel.sort":
            return f"it only sorts, and this is `{node.op}`"
        return all(column.op == "get" for column in node.bodies[0].result.args)

    def run(self, fragment: ir.Function, inputs: Sequence[Any]) -> Any:
        self.ran.append(fragment.text())
        node = fragment.result
        columns = [column.attrs["field"] for column in node.bodies[0].result.args]
        order = ["descending" if key.startswith("desc") else "ascending" for key in node.attrs["by"]]
        return inputs[0].to_pyarrow().sort_by(list(zip(columns, order, strict=True)))


def test_a_backend_runs_what_it_supports() -> None:
    sorter = Sorter()
    airloom.backends.register(sorter)
    assert airloom.backends.list() == ["sorter"]
    with airloom.options(optimize=False):
        assert airloom.run(PROGRAM, DATA) == 2
    assert len(sorter.ran) == 1 and "rel.sort" in sorter.ran[0]
    refused = airloom.backends.refusals()
    assert ("rel.filter", "it only sorts, and this is `rel.filter`") in [(r.op, r.reason) for r in refused]
    assert all(r.location and r.location.startswith(__file__) for r in refused)
    airloom.backends.remove("sorter")
    assert airloom.run(PROGRAM, DATA) == 2


def test_neighbours_are_one_fragment() -> None:
    fragments: list[str] = []

    def run(fragment: ir.Function, inputs: Sequence[Any]) -> Any:
        fragments.append(fragment.text())
        # A fragment is a program: without the backend, the engine runs it.
        airloom.backends.remove("two")
        return airloom.run(fragment, *inputs)

    airloom.backends.register("two", supports=lambda node: node.op in ("rel.filter", "rel.sort"), run=run)
    with airloom.options(optimize=False):
        assert airloom.run(PROGRAM, DATA) == 2
    assert len(fragments) == 1 and "rel.filter" in fragments[0] and "rel.sort" in fragments[0]


def test_what_a_backend_raises_names_it() -> None:
    def fail(fragment: ir.Function, inputs: Sequence[Any]) -> Any:
        raise MemoryError("full")

    airloom.backends.register("full", supports=lambda node: node.op == "rel.sort", run=fail)
    with airloom.options(optimize=False), pytest.raises(airloom.RaisedError, match="backend `full`, running: .*full") as caught:
        airloom.run(PROGRAM, DATA)
    assert caught.value.__cause__ is not None


def test_what_a_backend_returns_must_fit() -> None:
    airloom.backends.register("odd", supports=lambda node: node.op == "rel.sort", run=lambda f, i: pa.table({"z": [1]}))
    with airloom.options(optimize=False), pytest.raises(airloom.RaisedError, match="backend `odd`.*no column `a`"):
        airloom.run(PROGRAM, DATA)


def test_backends_have_names_of_their_own() -> None:
    airloom.backends.register("one", supports=lambda node: False, run=lambda f, i: None)
    with pytest.raises(airloom.ProgramError, match="`one` already"):
        airloom.backends.register("one", supports=lambda node: False, run=lambda f, i: None)
    with pytest.raises(airloom.ProgramError, match="`engine` already"):
        airloom.backends.register("engine", supports=lambda node: False, run=lambda f, i: None)
    with pytest.raises(TypeError, match="`supports=`"):
        airloom.backends.register("two")
    with pytest.raises(airloom.ProgramError, match="no backend `two`"):
        airloom.backends.remove("two")


def test_backends_are_given_buffers_not_copies() -> None:
    seen: list[int] = []

    def run(fragment: ir.Function, inputs: Sequence[Any]) -> Any:
        seen.append(pa.table(inputs[0])["a"].chunk(0).buffers()[1].address)
        return inputs[0]

    airloom.backends.register("same", supports=lambda node: node.op == "rel.sort", run=run)
    f = ir.function(t=T)(lambda t: ir.sort(t, lambda r: {"a": r.a}, ["asc.last"]))
    with airloom.options(optimize=False, oracle=False):
        result = pa.table(airloom.run(f, DATA))
    assert seen == [DATA["a"].chunk(0).buffers()[1].address] == [result["a"].chunk(0).buffers()[1].address]


def test_two_backends_share_a_program() -> None:
    ran: list[str] = []

    def taking(name: str, op: str) -> None:
        def run(fragment: ir.Function, inputs: Sequence[Any]) -> Any:
            ran.append(name)
            airloom.backends.remove(name)
            return airloom.run(fragment, *inputs)

        airloom.backends.register(name, supports=lambda node: node.op == op, run=run)

    # Whoever is asked first, the other is offered what is above and below its part.
    for order in (["rel.filter", "rel.sort"], ["rel.sort", "rel.filter"]):
        for op in order:
            taking(f"takes {op}", op)
        ran.clear()
        with airloom.options(optimize=False):
            assert airloom.run(PROGRAM, DATA) == 2
        assert "takes rel.filter" in ran and "takes rel.sort" in ran


def test_explain_tells_who_runs_what() -> None:
    assert "placed:" not in airloom.explain(PROGRAM)
    airloom.backends.register(Sorter())
    with airloom.options(optimize=False):
        text = airloom.explain(PROGRAM)
    assert "on `sorter`:" in text
    assert f"`sorter` does not take `rel.filter`: it only sorts, and this is `rel.filter` ({__file__}:" in text


def test_what_is_raised_when_asked_is_the_cause() -> None:
    def supports(node: ir.Node) -> bool:
        raise LookupError("lost")

    airloom.backends.register("lost", supports=supports, run=lambda f, i: None)
    with pytest.raises(airloom.RaisedError, match="backend `lost`, asked what it supports: .*lost") as caught:
        airloom.run(PROGRAM, DATA)
    assert isinstance(caught.value.__cause__, LookupError)
