"""Going through graphs from Python: identity, order, results that are kept, and nodes that are reused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import airloom
from airloom import ir

ROWS = ir.rel({"k": ir.i64, "x": ir.f64})


@ir.function(t=ROWS, limit=ir.f64)
def joined(t: ir.Node, limit: ir.Node) -> ir.Node:
    kept = ir.filter(t, lambda row: row.x > limit)
    totals = ir.group(kept, lambda row: {"k": row.k}, lambda group: {"total": ir.sum(group.x)})
    return ir.join(kept, ir.project(totals, lambda row: {"key": row.k, "total": row.total}), lambda row: {"k": row.k}, lambda row: {"k": row.key}, lambda left, right: ir.const(True), how="inner")


def test_equal_nodes_of_a_graph_have_one_identity() -> None:
    with ir.Graph():
        one, other, third = ir.const(1, ir.i64), ir.const(1, ir.i64), ir.const(2, ir.i64)
        assert one is not other and one.identity == other.identity and hash(one.identity) == hash(other.identity)
        assert one.identity != third.identity and len({one.identity, other.identity, third.identity}) == 2
        assert ir.add(one, third).identity == ir.add(other, third).identity
    with ir.Graph():
        assert ir.const(1, ir.i64).identity != one.identity


def test_every_node_is_walked_once_after_what_it_reads() -> None:
    order = [node.identity for node in ir.walk(joined.result)]
    assert len(order) == len(set(order)) and order[-1] == joined.result.identity
    for node in ir.walk(joined.result):
        assert all(order.index(below.identity) < order.index(node.identity) for below in ir.inputs(node))
    # The filter is read by the join and by the group, and stands there once.
    assert [node.op for node in ir.walk(joined.result)].count("rel.filter") == 1
    assert {node.op for node in ir.walk(joined.result.args[0])} == {"param", "rel.filter"}


def test_a_visitor_keeps_what_it_found_and_has_a_state() -> None:
    def depth(node: ir.Node, below: Sequence[int], seen: list[str]) -> int:
        seen.append(node.op)
        return 1 + max(below, default=0)

    visitor = ir.Visitor(depth, list[str]())
    assert visitor(joined.result.args[0]) == 2
    before = list(visitor.state)
    assert visitor(joined.result) == 5 and visitor(joined.result) == 5
    assert visitor.state[: len(before)] == before and len(visitor.state) == len(visitor) == sum(1 for _ in ir.walk(joined.result))


def test_deep_graphs_are_no_problem() -> None:
    with ir.Graph():
        node = ir.source("x", ir.i64)
        for _ in range(20_000):
            node = node + 1
        assert ir.Visitor(lambda _node, below, _state: 1 + max(below, default=0), None)(node) == 20_001
        assert ir.rewrite(node, lambda _one: None).identity == node.identity


def test_a_node_is_reused_where_nothing_changed() -> None:
    node = joined.result
    assert ir.rebuild(node, ir.inputs(node)) is node
    assert ir.rewrite(node, lambda _one: None).identity == node.identity
    with pytest.raises(ValueError, match=r"`rel.join` reads 2 nodes, found 1"):
        ir.rebuild(node, ir.inputs(node)[:1])


def test_a_graph_is_rewritten() -> None:
    with ir.Graph():
        table = ir.source("t", ROWS)
        limit = ir.source("limit", ir.f64)
        kept = ir.filter(table, lambda row: row.x > limit)
        total = ir.group(kept, lambda row: {"k": row.k}, lambda group: {"total": ir.sum(group.x)})

        def renamed(node: ir.Node) -> ir.Node | None:
            return ir.source("other", node.type) if node.op == "source" and node.attrs["name"] == "t" else None

        changed = ir.rewrite(total, renamed)
        # What does not read the table is the node that it was; bodies and attributes are kept.
        assert {node.attrs["name"] for node in ir.walk(changed) if node.op == "source"} == {"other", "limit"}
        assert limit.identity in {node.identity for node in ir.walk(changed)}
        assert changed.text().replace("other", "t") == total.text()
        function = ir.function()(lambda: changed)
    import pyarrow as pa

    rows = pa.table({"k": pa.array([1, 1, 2], pa.int64()), "x": pa.array([1.0, 5.0, 7.0], pa.float64())}, schema=pa.schema([pa.field("k", pa.int64(), False), pa.field("x", pa.float64(), False)]))
    assert airloom.run(function, sources={"other": rows, "limit": 2.0}).to_pylist() == [{"k": 1, "total": 5.0}, {"k": 2, "total": 7.0}]


def test_other_graphs_are_walked_too() -> None:
    below: dict[str, list[str]] = {"top": ["left", "right"], "left": ["leaf"], "right": ["leaf"], "leaf": []}
    assert list(ir.walk("top", below.__getitem__, str)) == ["leaf", "left", "right", "top"]
    assert ir.Visitor(lambda node, found, _state: node + "".join(found), None, inputs=below.__getitem__, identity=str)("top") == "topleftleafrightleaf"
