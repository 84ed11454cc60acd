"""Programs that call Python functions."""

import traceback

import airloom
import numpy as np
import pyarrow as pa
import pytest
from airloom import ir

T = ir.rel({"a": ir.i64, "s": ir.optional(ir.str_)})
DATA = pa.table({"a": [1, 2, 3], "s": ["x", None, "z"]})


def test_a_function_of_one_value() -> None:
    def shout(a: int, s: str | None) -> str | None:
        return None if s is None else s.upper() * a

    f = ir.function(t=T)(lambda t: ir.project(t, lambda r: {"s": ir.host_call(shout, [r.a, r.s], ty=ir.optional(ir.str_))}))
    assert [row["s"] for row in airloom.run(f, DATA).to_pylist()] == ["X", None, "ZZZ"]


def test_a_function_of_whole_columns() -> None:
    seen: list[int] = []

    def double(a: airloom.Array) -> np.ndarray:
        seen.append(len(a))
        return np.asarray(a) * 2

    f = ir.function(t=T)(lambda t: ir.project(t, lambda r: {"d": ir.host_call(double, r.a, ty=ir.i64, vectorized=True)}))
    assert [row["d"] for row in airloom.run(f, DATA).to_pylist()] == [2, 4, 6]
    assert sum(seen) == 3


def test_what_it_raises_is_the_cause() -> None:
    def fail(a: int) -> int:
        raise LookupError(f"no {a}")

    f = ir.function(x=ir.i64)(lambda x: ir.host_call(fail, x, ty=ir.i64))
    with pytest.raises(airloom.RaisedError, match="no 7") as caught:
        airloom.run(f, 7)
    cause = caught.value.__cause__
    assert isinstance(cause, LookupError)
    assert traceback.extract_tb(cause.__traceback__)[-1].name == "fail"
    assert airloom.run(ir.function(x=ir.i64)(lambda x: x), 1) == 1


def test_what_it_returns_must_be_of_its_type() -> None:
    f = ir.function(x=ir.i64)(lambda x: ir.host_call(lambda x: None, x, ty=ir.i64))
    with pytest.raises(airloom.RaisedError, match="returned None, which is not of its type `i64`; hint: `ir.optional`"):
        airloom.run(f, 7)


def test_equal_calls_are_one_node_and_others_are_not() -> None:
    def f(x: int) -> int:
        return x

    with ir.Graph():
        x = ir.const(1)
        assert ir.host_call(f, x, ty=ir.i64).same_as(ir.host_call(f, x, ty=ir.i64))
        assert not ir.host_call(f, x, ty=ir.i64).same_as(ir.host_call(f, x, ty=ir.optional(ir.i64)))
        assert not ir.host_call(f, x, ty=ir.i64).same_as(ir.host_call(lambda x: x, x, ty=ir.i64))


def test_effects_run_once_and_in_order() -> None:
    said: list[str] = []

    def say(word: str) -> bool:
        said.append(word)
        return True

    @ir.function
    def talk() -> None:
        token, first = ir.host_call(say, [ir.token(), "one"], ty=ir.bool_, effect="effectful")
        token, second = ir.host_call(say, [token, "two"], ty=ir.bool_, effect="effectful")
        return (token, first & second)

    assert airloom.run(talk)[1] is True
    assert said == ["one", "two"]


def test_a_program_that_was_read_is_given_its_functions() -> None:
    graph = ir.parse('func @f(x: i64) -> i64 { return host.call{name: "twice", ty: i64, effect: pure}(x) }')
    assert airloom.run(graph["f"], 4, hosts={"twice": lambda x: 2 * x}) == 8
    session = airloom.Session()
    session.register_host("twice", lambda x: 3 * x)
    assert session.run(graph["f"], 4) == 12
    with pytest.raises(airloom.RaisedError, match="hint: `hosts=`"):
        airloom.run(graph["f"], 4)


def test_functions_of_relations() -> None:
    f = ir.function(t=T)(lambda t: ir.host_call(lambda n: n * 10, ir.rows(t), ty=ir.i64))
    assert airloom.run(f, DATA) == 30
