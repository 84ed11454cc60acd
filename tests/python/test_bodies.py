"""Bodies: what they capture, and what is refused."""

import pytest

import airloom
from airloom import ir

T = ir.rel({"a": ir.i64, "b": ir.f64})


def test_what_a_body_uses_from_outside_is_captured() -> None:
    f = ir.function(t=T, n=ir.i64)(lambda t, n: ir.filter(t, lambda r: r.a > n * 2))
    assert [c.op for c in f.result.captures] == ["mul"]


def test_nested_bodies_capture_from_every_level() -> None:
    @ir.function(n=ir.i64, m=ir.i64)
    def table(n, m):  # type: ignore[no-untyped-def]
        return ir.tabulate(n, lambda i: ir.reduce(0, m, lambda j: i * j + n, lambda a, b: a + b))

    text = """
    func @table(n: i64, m: i64) -> arr<i64; ?> {
      return par.tabulate(n) [m, n] |i, m, n| {
        return par.reduce(0, m) [i, n] |j, i, n| add(mul(i, j), n) |a, b, i, n| add(a, b)
      }
    }"""
    assert table.same_as(ir.parse(text)["table"]), table.text()
    assert airloom.run(table, 2, 3).to_pylist() == [6, 9]


def test_bodies_of_one_op_share_captures() -> None:
    f = ir.function(x=ir.i64, y=ir.i64)(lambda x, y: ir.if_(x > 0, lambda: x, lambda: y))
    assert len(f.result.captures) == 2
    assert airloom.run(f, -1, 5) == 5


def test_closed_functions_are_bodies() -> None:
    keep = ir.function(r=ir.struct({"a": ir.i64, "b": ir.f64}))(lambda r: r.a > 1)
    f = ir.function(t=T)(lambda t: ir.filter(t, keep))
    assert f.same_as(ir.function(t=T)(lambda t: ir.filter(t, lambda r: r.a > 1)))


def test_a_body_of_a_node_goes_to_another() -> None:
    f = ir.function(t=T, n=ir.i64)(lambda t, n: ir.filter(t, lambda r: r.a > n))

    @ir.function(t=T, n=ir.i64)
    def g(t, n):  # type: ignore[no-untyped-def]
        return ir.filter(ir.concat(t, t), f.result.bodies[0], captures=[n])

    assert g.same_as(ir.function(t=T, n=ir.i64)(lambda t, n: ir.filter(ir.concat(t, t), lambda r: r.a > n)))


def test_functions_are_called_and_written_out() -> None:
    twice = ir.function(x=ir.i64)(lambda x: x * 2)
    called = ir.function(y=ir.i64)(lambda y: ir.call(twice, y) + 1)
    inlined = ir.function(y=ir.i64)(lambda y: ir.inline(twice, y) + 1)
    assert inlined.same_as(ir.function(y=ir.i64)(lambda y: y * 2 + 1))
    assert not called.same_as(inlined)
    assert airloom.run(called, 4) == airloom.run(inlined, 4) == 9


def test_nodes_of_other_graphs_are_brought_in() -> None:
    source = ir.source("t", T)
    f = ir.function(n=ir.i64)(lambda n: ir.filter(source, lambda r: r.a > n))
    assert f.result.args[0].same_as(source)
    with ir.Graph() as graph:
        both = ir.concat(ir.source("u", T), source)
        g = ir.function()(lambda: both)
    assert [function.name for function in graph.functions] == ["f"]
    assert graph["f"].same_as(g)
    with pytest.raises(airloom.ProgramError, match="no function `h` in this graph; there are: `f`"):
        graph["h"]
    with graph, pytest.raises(airloom.ProgramError, match="a function `f` in this graph already"):
        ir.function(lambda: both)


def test_parameters_do_not_leave_their_function() -> None:
    kept: list[ir.Node] = []

    def keep(x: ir.Node) -> ir.Node:
        kept.append(x)
        return x

    ir.function(x=ir.i64)(keep)
    with pytest.raises(TypeError, match="parameter"):
        ir.function(y=ir.i64)(lambda y: y + kept[0])


def test_parameters_do_not_leave_their_body() -> None:
    kept: list[ir.Node] = []

    def predicate(r: ir.Node) -> ir.Node:
        kept.append(r)
        return r.a > 1

    with pytest.raises(TypeError, match="not closed"):
        ir.function(t=T)(lambda t: (ir.filter(t, predicate), kept[0].a)[1])


def test_ill_typed_nodes_are_refused_where_they_are_made() -> None:
    with pytest.raises(TypeError) as caught:
        ir.function(x=ir.i64, s=ir.str_)(lambda x, s: ir.add(x, s))
    message = str(caught.value)
    assert "`add`" in message and "`i64`" in message and "`str`" in message
    assert f"{__file__}:" in message
    assert isinstance(caught.value, airloom.ProgramError)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda t: t.c, "`c`"),
        (lambda t: ir.filter(t, lambda r: r.c), "`c`"),
        (lambda t: ir.filter(t, lambda r: r.a), "must return `bool`"),
        (lambda t: ir.filter(t, 3), "expected a body"),
        (lambda t: ir.filter(t, lambda r: r.a > 1.5), "`i64`"),
        (lambda t: ir.sort(t, lambda r: {"a": r.a}, ["up"]), "sort keys"),
        (lambda t: ir.sort(t, lambda r: {"a": r.a}, "asc.last"), "sort keys"),
        (lambda t: ir.rel_join(t, t, lambda r: {}, lambda r: {}, lambda x, y: True), "`a`"),
        (lambda t: ir.add(t, object()), "expected a node or a value"),
        (lambda t: ir.const(2**200), "128 bits"),
        (lambda t: None, "returned nothing"),
    ],
)
def test_refusals_say_what_was_found(build, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((TypeError, AttributeError), match=message):
        ir.function(t=T)(build)


def test_nodes_are_not_computed_yet() -> None:
    x = ir.const(1)
    with pytest.raises(TypeError, match="`&`"):
        bool(x == 1)
    with pytest.raises(TypeError, match="gone through"):
        list(x)
    with pytest.raises(TypeError):
        {x: 1}


def test_python_errors_in_bodies_stay_what_they_are() -> None:
    with pytest.raises(ZeroDivisionError):
        ir.function(t=T)(lambda t: ir.filter(t, lambda r: 1 // 0))


def test_parameters_by_annotation() -> None:
    @ir.function
    def f(x: ir.i64, y: ir.f64) -> ir.f64:  # type: ignore[valid-type]
        return ir.cast(x, ir.f64) + y

    assert f.params == [ir.i64, ir.f64]
    with pytest.raises(TypeError, match="said to return"):
        ir.function({"x": ir.i64}, returns=ir.str_)(lambda x: x)
    with pytest.raises(TypeError, match="parameters"):
        ir.function(y=ir.i64)(lambda x: x)
