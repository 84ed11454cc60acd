"""Programs of several front ends as one graph: a frame of pandas, one of Polars, an expression of arrays and a compiled loop, in the memory that each has made."""

from __future__ import annotations

import json
from typing import Any

import numpy
import pandas
import polars as pl
import pytest

import airloom
import airloom.numpy as np
import airloom.pandas as pd
import airloom.polars

ROWS = 50_000


@pytest.fixture(autouse=True)
def nothing_is_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airloom.numpy.sizes.SMALL", 0)
    monkeypatch.setattr("airloom.numpy.sizes.CACHED", 0)
    monkeypatch.setattr("airloom.numpy.sizes.WORK", 0)


@airloom.jit
def smoothed(values: Any, keep: float) -> Any:
    made = values.copy()
    level = values[0]
    for i in range(len(values)):
        level = keep * level + (1.0 - keep) * values[i]
        made[i] = level
    return made


def tables() -> tuple[dict[str, Any], dict[str, Any]]:
    choice = numpy.random.default_rng(3)
    return {"item": choice.integers(0, 5, ROWS), "price": choice.random(ROWS) * 100}, {"item": [0, 1, 2, 3], "rate": [0.1, 0.2, 0.3, 0.4]}


def program() -> Any:
    sold, taxes = tables()
    sales, rates = pd.DataFrame(sold), pl.LazyFrame(taxes)
    dear = sales[sales["price"] > 20.0]
    joined = airloom.polars.scan_program(dear).join(rates, on="item", how="left", maintain_order="left")
    net = joined.select(net=pl.col("price") * (1 - pl.col("rate")).fill_null(1.0)).collect(engine=airloom.polars.Engine(raise_on_fail=True))["net"]
    return smoothed(np.sqrt(np.asarray(net)) * 2.0 + 1.0, 0.9)


def expected() -> Any:
    sold, taxes = tables()
    sales = pandas.DataFrame(sold)
    joined = sales[sales["price"] > 20.0].merge(pandas.DataFrame(taxes), on="item", how="left")
    net = (joined["price"] * (1 - joined["rate"]).fillna(1.0)).to_numpy()
    return smoothed.__wrapped__(numpy.sqrt(net) * 2.0 + 1.0, 0.9)


def test_a_program_of_four_front_ends_is_one_graph() -> None:
    found = program()
    assert isinstance(found, np.ndarray) and numpy.asarray(found).tobytes() == expected().tobytes()
    # The oracle makes what it computes of values of its own.
    with airloom.options(oracle=False):
        told = json.loads(airloom.explain(program, format="json"))
        text = airloom.explain(program)
    assert [part["by"] for part in told["parts"]] == ["engine", "tiles", "native code"]
    # The only data from outside are the two frames: whatever a part reads besides, it reads where another has made it.
    graph = told["graph"]
    assert told["shared"] == 2 and graph.count("func @") == 1 and graph.count("= source ") == 2
    assert all(op in graph for op in ("rel.filter", "rel.join", "rel.columns", "par.tabulate", "sqrt", "seq.for", "arr.put"))
    assert text.startswith("3 parts, 2 arrays pass between them without a copy") and "rel.join" in text


def test_the_one_graph_gives_what_its_parts_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    from airloom import _recording

    # A loop that stores is not made for being interpreted: each store makes an array.
    monkeypatch.setattr(f"{__name__}.ROWS", 300)

    parts: list[Any] = []
    _recording.ACTIVE.append(parts)
    try:
        found = numpy.asarray(program())
    finally:
        _recording.ACTIVE.remove(parts)
    joined = _recording.Joined(parts)
    (whole,) = airloom.run(joined.function, sources=joined.sources)
    assert numpy.asarray(whole).tobytes() == found.tobytes()


def test_a_copy_between_two_parts_is_seen() -> None:
    def copied() -> Any:
        values = np.array(numpy.arange(float(ROWS)))
        return smoothed(numpy.asarray(values * 2.0 + 1.0).copy(), 0.5)

    told = json.loads(airloom.explain(copied, format="json"))
    assert told["shared"] == 0 and told["graph"].count("= source ") == 2


def test_arrays_that_are_stored_to_are_new_versions() -> None:
    @airloom.jit
    def doubled(values: Any) -> None:
        for i in range(len(values)):
            values[i] = values[i] * 2.0

    def stores() -> Any:
        values = np.array(numpy.arange(float(ROWS))) + 1.0
        doubled(values)
        return values * 3.0

    assert numpy.asarray(stores()).tolist() == [(i + 1) * 6.0 for i in range(ROWS)]
    told = json.loads(airloom.explain(stores, format="json"))
    assert len(told["parts"]) == 3 and told["shared"] == 2 and told["graph"].count("= source ") == 1


def test_columns_in_pieces_are_read_where_they_are() -> None:
    pieces = [numpy.arange(5.0), numpy.arange(3.0) * 10, numpy.ones(1), numpy.arange(700.0)]
    whole = numpy.concatenate(pieces)
    column = pl.concat([pl.Series(piece) for piece in pieces], rechunk=False)
    assert column.n_chunks() == 4
    array = np.asarray(column)
    assert array.shape == whole.shape and array.dtype == whole.dtype
    for found, wanted in ((np.sqrt(array) + 1, numpy.sqrt(whole) + 1), (array[2:] - array[:-2], whole[2:] - whole[:-2]), (array, whole), (array[3:10], whole[3:10])):
        assert numpy.asarray(found).tobytes() == wanted.tobytes()
    assert array.sum() == whole.sum() and (array * 2).sum() == (whole * 2).sum() and np.asarray(column).max() == whole.max()
    # With nulls it is Polars' to say what they are.
    with_nulls = pl.concat([pl.Series([1.0, None]), pl.Series([2.0])], rechunk=False)
    assert numpy.array_equal(np.asarray(with_nulls), with_nulls.to_numpy(), equal_nan=True)
    changed = np.asarray(column)
    changed[0] = 7.0
    assert column[0] == 0.0 and changed[0] == 7.0


def test_what_a_program_may_be() -> None:
    assert airloom.explain(lambda: 3) == "nothing ran"
    with pytest.raises(TypeError, match="a program"):
        airloom.explain(3)
    with pytest.raises(TypeError, match="no sources"):
        airloom.explain(lambda: 3, sources={"t": 1})
    with pytest.raises(TypeError, match="a frame of airloom.pandas"):
        airloom.polars.scan_program(pandas.DataFrame({"a": [1]}))
