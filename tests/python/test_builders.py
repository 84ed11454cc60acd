"""Builders make the same nodes as the text form, for every family of ops."""

import datetime
import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from airloom import ir

ROW = ir.rel({"k": ir.str_, "a": ir.i64, "b": ir.optional(ir.f64), "d": ir.date})
ROW_TEXT = "rel{k: str, a: i64, b: f64?, d: date}"
TS = ir.timestamp("us")
ARR = ir.arr(ir.f64, None)
LIST = ir.list_(ir.i64)

# A family, types of parameters, a builder, and the same in text over x, y, z.
CASES: list[tuple[str, list[ir.Type], Any, str]] = [
    ("core", [ir.i64], lambda x: {"a": x, "b": 1.5}, "{a: x, b: 1.5}"),
    ("core", [ir.i64], lambda x: ir.row({"a name": x}), '{"a name": x}'),
    ("core", [ir.i64], lambda x: (x, "s"), '(x, "s")'),
    ("core", [ir.i64], lambda x: ir.tuple_(x, True)[1], "(x, true).1"),
    ("core", [ir.struct({"a": ir.i64, "b c": ir.str_})], lambda x: x["b c"], 'x."b c"'),
    ("core", [ir.struct({"a": ir.i64})], lambda x: ir.with_(x, {"b": x.a}), "with(x, {b: x.a})"),
    ("core", [ir.struct({"a": ir.i64, "b": ir.i64})], lambda x: ir.pick(x, ["b"]), 'pick{names: ["b"]}(x)'),
    ("core", [ir.struct({"a": ir.i64, "b": ir.i64})], lambda x: ir.without(x, ["b"]), 'without{names: ["b"]}(x)'),
    ("core", [ir.i64], lambda x: ir.rows(ir.source("t", ROW)) + x, f'add(rel.rows(source "t": {ROW_TEXT}), x)'),
    ("number", [ir.i64, ir.i64], lambda x, y: x + y * 2 - 1, "sub(add(x, mul(y, 2)), 1)"),
    ("number", [ir.i32], lambda x: 7 - x, "sub(7: i32, x)"),
    ("number", [ir.i64, ir.i64], lambda x, y: ir.add(x, y, overflow="raise"), "add{overflow: raise}(x, y)"),
    ("number", [ir.i64, ir.i64], lambda x, y: x // y + x % y, "add(floordiv(x, y), floormod(x, y))"),
    ("number", [ir.f32], lambda x: -abs(x) ** 2, "neg(pow(abs(x), 2.0: f32))"),
    ("number", [ir.f64], lambda x: ir.round(x, digits=2), "round{digits: 2}(x)"),
    ("number", [ir.i64], lambda x: x / 2, "div(cast{to: f64}(x), 2.0)"),
    ("number", [ir.i64, ir.i64], lambda x, y: (x & y) | (x ^ 1), "bitor(bitand(x, y), bitxor(x, 1))"),
    ("number", [ir.i64], lambda x: ~x << 2 >> 1, "shr(shl(bitnot(x), 2), 1)"),
    ("logic", [ir.bool_, ir.bool_], lambda x, y: (x & ~y) | (x ^ y), "or(and(x, not(y)), xor(x, y))"),
    ("logic", [ir.f64], lambda x: (x > 1) & (x <= 2) & (x != 3), "and(and(gt(x, 1.0), le(x, 2.0)), ne(x, 3.0))"),
    ("logic", [ir.optional(ir.f64)], lambda x: ir.coalesce(x, 0), "coalesce(x, 0.0)"),
    ("logic", [ir.bool_, ir.f64], lambda x, y: ir.select(x, y, 0), "select(x, y, 0.0)"),
    ("logic", [ir.i64], lambda x: ir.is_in(x, 1, 2, 3), "is_in(x, 1, 2, 3)"),
    ("logic", [ir.i64], lambda x: ir.cast(x, ir.str_), "cast{to: str}(x)"),
    ("logic", [ir.i64], lambda x: ir.cast(x, ir.i8, mode="wrap"), "cast{to: i8, mode: wrap}(x)"),
    ("text", [ir.str_], lambda x: ir.str_case(x + "!", "upper"), 'str.case{to: upper}(str.concat(x, "!"))'),
    ("text", [ir.str_], lambda x: ir.str_slice(x, 1, None), "str.slice(x, 1, null: i64?)"),
    ("temporal", [TS], lambda x: ir.dt_part(x, "year"), "dt.part{part: year}(x)"),
    ("temporal", [TS, TS], lambda x, y: x - y, "dt.since(x, y)"),
    ("temporal", [TS], lambda x: x + datetime.timedelta(hours=1), "dt.add(x, 3600000000: duration(us))"),
    ("temporal", [ir.date], lambda x: x >= datetime.date(2020, 2, 29), 'ge(x, "2020-02-29": date)'),
    ("nested", [LIST], lambda x: ir.list_contains(x, 3), "list.contains(x, 3)"),
    ("nested", [ir.i64], lambda x: [x, 1], "list.of{element: i64}(x, 1)"),
    ("relation", [ROW], lambda x: ir.filter(x, lambda r: r.a > 1), "rel.filter(x) |r| gt(r.a, 1)"),
    ("relation", [ROW], lambda x: ir.project(x, lambda r: {"c": r.a, "n": 0}), "rel.project(x) |r| {c: r.a, n: 0}"),
    (
        "relation",
        [ROW],
        lambda x: ir.group(x, lambda r: {"k": r.k}, lambda g: {"s": ir.sum(g.a)}),
        "rel.group(x) |r| {k: r.k} |g| {s: arr.sum(g.a)}",
    ),
    (
        "relation",
        [ROW, ir.rel({"j": ir.str_, "v": ir.i64})],
        lambda x, y: ir.join(x, y, lambda l: {"k": l.k}, lambda r: {"k": r.j}, lambda l, r: l.a < r.v, how="left"),
        "rel.join{how: left}(x, y) |l| {k: l.k} |r| {k: r.j} |l, r| lt(l.a, r.v)",
    ),
    (
        "relation",
        [ir.rel({"t": ir.i64, "a": ir.i64}), ir.rel({"u": ir.i64, "b": ir.i64})],
        lambda x, y: ir.asof(x, y, None, lambda l: l.t, lambda r: r.u, lambda l: {}, lambda r: {}),
        "rel.asof(x, y, null: i64?) |l| l.t |r| r.u |l| {} |r| {}",
    ),
    (
        "relation",
        [ROW],
        lambda x: ir.sort(x, lambda r: {"a": r.a}, ["desc.first"]),
        "rel.sort{by: [desc.first]}(x) |r| {a: r.a}",
    ),
    ("relation", [ROW], lambda x: ir.slice(x, 0, 10), "rel.slice(x, 0, 10)"),
    ("relation", [ROW, ROW], lambda x, y: ir.concat(x, y), "rel.concat(x, y)"),
    (
        "relation",
        [ROW],
        lambda x: ir.window(x, lambda r: {"k": r.k}, lambda r: {}, lambda g: {"c": ir.cumsum(g.a)}),
        "rel.window(x) |r| {k: r.k} |r| {} |g| {c: arr.cumsum(g.a)}",
    ),
    ("relation", [ROW], lambda x: x.a, "rel.columns(x).a"),
    ("array", [ARR], lambda x: ir.map(x, lambda e: ir.sqrt(e)), "arr.map(x) |e| sqrt(e)"),
    ("array", [ARR, ARR], lambda x, y: ir.map((x, y), lambda a, b: a + b), "arr.map(x, y) |a, b| add(a, b)"),
    ("array", [ARR], lambda x: x[0], "arr.at(x, 0)"),
    ("array", [ARR], lambda x: x[1:], "arr.slice(x, 1, null: i64?, null: i64?)"),
    ("array", [ir.i64], lambda x: ir.fill(0.5, x, 3), "arr.fill(0.5, x, 3)"),
    ("reduce", [ARR], lambda x: ir.quantile(x, 0.5, between="lower"), "arr.quantile{between: lower}(x, 0.5)"),
    ("sequence", [ir.arr(ir.i32, None)], lambda x: ir.shift(x, 1, 0), "arr.shift(x, 1, 0: i32)"),
    ("sequence", [ARR], lambda x: ir.rolling(x, 3, lambda w: ir.sum(w)), "arr.rolling(x, 3) |w| arr.sum(w)"),
    ("control", [ir.i64], lambda x: ir.tabulate((x, 3), lambda i, j: i * j), "par.tabulate(x, 3) |i, j| mul(i, j)"),
    ("control", [ir.i64], lambda x: ir.reduce(0, x, lambda i: i, lambda a, b: a + b), "par.reduce(0, x) |i| i |a, b| add(a, b)"),
    ("control", [ir.i64], lambda x: ir.if_(x > 0, lambda: x, lambda: -x), "seq.if(gt(x, 0)) [x] |x| x |x| neg(x)"),
    (
        "control",
        [ir.i64],
        lambda x: ir.while_((x, 1), lambda s: s[0] > 0, lambda s: (s[0] - 1, s[1] * 2)),
        "seq.while((x, 1)) |s| gt(s.0, 0) |s| (sub(s.0, 1), mul(s.1, 2))",
    ),
]


def text_function(params: list[ir.Type], body: str) -> ir.Function:
    """The function of a body in text, over x, y, z."""
    head = ", ".join(f"{name}: {ty}" for name, ty in zip("xyz", params, strict=False))
    return ir.parse(f"func @f({head}) {{ return {body} }}")["f"]


@pytest.mark.parametrize(("family", "params", "build", "text"), CASES, ids=[f"{c[0]}-{c[3][:40]}" for c in CASES])
def test_builders_say_what_the_text_says(family: str, params: list[ir.Type], build: Any, text: str) -> None:
    built = ir.function(params)(build)
    assert built.same_as(text_function(params, text)), built.text()


def test_every_family_is_covered() -> None:
    from airloom import _native

    assert {op["family"] for op in _native.op_table()} == {case[0] for case in CASES}


def test_every_op_is_a_function_with_its_doc() -> None:
    from airloom import _native
    from airloom.ir._generate import full_name

    missing = {"param", "hole", "lambda"}
    by_hand = {"const": "const", "tuple": "tuple_", "host.call": "host_call", "row": "row", "source": "source"}
    for op in _native.op_table():
        if op["name"] in missing:
            continue
        function = getattr(ir, by_hand.get(op["name"], full_name(op["name"])))
        assert function.__doc__, op["name"]


def test_generated_functions_are_fresh() -> None:
    from airloom.ir import _generate

    written = {path.name: path.read_text(encoding="utf-8") for path in _generate._FOLDER.glob("*.py")}
    assert written == _generate.generate(), "run `python -m airloom.ir._generate`"


CONSTANTS: list[tuple[Any, str]] = [
    (1, "1"),
    (2**63, "9223372036854775808: u64"),
    (True, "true"),
    (1.5, "1.5"),
    (float("nan"), "nan"),
    ("é", '"é"'),
    (b"\x00a", 'b"\\x00a"'),
    (Decimal("1.50"), '"1.50": decimal(3, 2)'),
    (Decimal("-0.01"), '"-0.01": decimal(2, 2)'),
    (datetime.date(2020, 2, 29), '"2020-02-29": date'),
    (datetime.time(12, 30, 0, 500000), '"12:30:00.5": time'),
    (datetime.datetime(2020, 2, 29, 12, 30), '"2020-02-29T12:30:00": timestamp(us)'),
    (datetime.datetime(2020, 2, 29, 12, 30, tzinfo=datetime.timezone.utc), '"2020-02-29T12:30:00Z": timestamp(us, "UTC")'),
    (datetime.timedelta(milliseconds=90), "90000: duration(us)"),
    (np.int8(3), "3: i8"),
    (np.uint64(3), "3: u64"),
    (np.float32(1.5), "1.5: f32"),
    (np.float64(1.5), "1.5"),
    (np.bool_(True), "true"),
    (np.datetime64("2020-02-29"), '"2020-02-29": date'),
    (np.datetime64("2020-02-29T12:30:00", "ns"), '"2020-02-29T12:30:00": timestamp(ns)'),
    (np.timedelta64(90, "s"), "90: duration(s)"),
    ([1, 2], "[1, 2]: list<i64>"),
    ([1, None], "[1, null]: list<i64?>"),
]


@pytest.mark.parametrize(("value", "text"), CONSTANTS, ids=[c[1] for c in CONSTANTS])
def test_values_of_python_are_constants(value: Any, text: str) -> None:
    node = ir.const(value)
    assert node.same_as(text_function([], text).result), node.text()
    back = node.value
    if isinstance(value, np.datetime64 | np.timedelta64):
        back = type(value)(back)
    if isinstance(value, float) and value != value:
        assert back != back
    else:
        assert back == (value.item() if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64) else value)


def test_constants_of_a_type() -> None:
    assert ir.const(1, ir.f32).type == ir.f32
    assert ir.const(None, ir.optional(ir.str_)).value is None
    assert ir.null(ir.date).type == ir.optional(ir.date)
    assert ir.const("b", ir.category(["a", "b"])).value == "b"
    assert ir.const({"a": 1}, ir.struct({"a": ir.i8})).value == {"a": 1}
    with pytest.raises(TypeError, match="not one of `i8`"):
        ir.const(300, ir.i8)


def test_types_are_objects() -> None:
    assert ir.rel({"a": ir.i64}) == ir.rel({"a": ir.i64})
    assert hash(ir.decimal(10, 2)) == hash(ir.Type.parse("decimal(10, 2)"))
    ty = ir.rel({"a": ir.i64, "b": ir.optional(ir.list_(ir.f32))})
    assert str(ty) == "rel{a: i64, b: list<f32>?}"
    assert ty.fields["b"].required.element == ir.f32
    assert ir.arr(ir.f64, "n", 3, None).shape == ("n", 3, None)
    assert ir.timestamp("ns", "Europe/Paris").zone == "Europe/Paris"
    assert ir.decimal(10, 2).digits == (10, 2)
    assert ir.fn([ir.i64], ir.str_).result == ir.str_
    assert ir.tuple_of(ir.i64, ir.str_).parts == [ir.i64, ir.str_]
    assert ir.category(["low", "high"], ordered=True).names == ["low", "high"]
    assert pickle.loads(pickle.dumps(ty)) == ty
    with pytest.raises(TypeError, match="precision"):
        ir.decimal(50, 2)
    with pytest.raises(TypeError, match="no time zone"):
        ir.timestamp("us", "Mars/Olympus")


def test_types_from_arrow() -> None:
    pa = pytest.importorskip("pyarrow")
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False), pa.field("s", pa.string())])
    assert ir.type_of(schema) == ir.rel({"a": ir.i64, "s": ir.optional(ir.str_)})
    assert ir.type_of(pa.table({"a": [1]})) == ir.rel({"a": ir.optional(ir.i64)})
    assert ir.type_of(pa.float32()) == ir.f32
    assert ir.source("t", schema).type == ir.type_of(schema)


def test_nodes_tell_what_they_are() -> None:
    f = ir.function(t=ROW, n=ir.i64)(lambda t, n: ir.filter(t, lambda r: r.a > n))
    node = f.result
    assert node.op == "rel.filter"
    assert [a.op for a in node.args] == ["param"]
    assert node.args[0].attrs["number"] == 0
    assert node.bodies[0].name == "predicate"
    assert node.bodies[0].result.op == "gt"
    assert [c.attrs["number"] for c in node.captures] == [1]
    assert node.bodies[0].params == [ir.struct(ROW.fields), ir.i64]
    assert f.params == [ROW, ir.i64]
    assert f.param_names == ["t", "n"]
    assert "gt(r.a, n)" in f.text()
    assert ir.const(3).value == 3
    assert ir.sort(ir.source("t", ROW), lambda r: {"a": r.a}, ["asc.last"]).attrs == {"by": ["asc.last"]}


def test_programs_travel() -> None:
    f = ir.function(x=ir.i64)(lambda x: x + 1)
    assert ir.loads(ir.dumps(f))["f"].same_as(f)
    assert ir.parse(f.graph.text())["f"].same_as(f)
    node = ir.rows(ir.source("t", ROW))
    assert pickle.loads(pickle.dumps(node)).same_as(node)


def test_locations_are_the_users_lines() -> None:
    def build(x: ir.Node) -> ir.Node:
        return ir.sqrt(x)

    f = ir.function(x=ir.f64)(build)
    (place,) = f.result.locations
    assert place == (__file__, build.__code__.co_firstlineno + 1)
