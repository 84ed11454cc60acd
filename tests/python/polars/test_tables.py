"""Tables of frames in memory: kept for a while, told apart by their buffers."""

from __future__ import annotations

import time

import polars as pl
import pytest

from airloom.polars import Engine, tables
from airloom.polars.tables import KEPT

c = pl.col
ROWS = 20_000


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    KEPT.clear()


def frame() -> pl.DataFrame:
    return pl.DataFrame({"i": range(ROWS), "s": ["a", None] * (ROWS // 2), "x": [0.5] * ROWS, "b": [True, False] * (ROWS // 2)})


def test_a_frame_that_is_read_again_has_one_table() -> None:
    made = frame()
    assert KEPT.table(made) is KEPT.table(made)
    assert KEPT.table(made.clone()) is KEPT.table(made)
    assert KEPT.table(made.select("i", "s")) is KEPT.table(made.select("i", "s"))


def test_frames_that_differ_have_tables_of_their_own() -> None:
    made = frame()
    kept = KEPT.table(made)
    others = [
        made.with_columns(c.s + ""),
        made.with_columns(c.i + 0),
        made.with_columns(~c.b),
        made.slice(1),
        made.head(ROWS - 1),
        made.rename({"i": "j"}),
        made.with_columns(c.i.cast(pl.Datetime("us"))),
        made.with_columns(c.s.cast(pl.Binary)),
        made.reverse(),
        made.select("s", "i", "x", "b"),
        pl.concat([made, made], rechunk=False),
    ]
    for other in others:
        assert KEPT.table(other) is not kept
        engine = Engine(raise_on_fail=True)
        assert other.lazy().filter(pl.first().is_not_null()).collect(engine=engine).equals(other.filter(pl.first().is_not_null()))


def test_queries_see_the_frame_they_were_made_of() -> None:
    engine = Engine(raise_on_fail=True)
    for seed in range(20):
        # Memory that was given back may be that of the next frame.
        made = pl.DataFrame({"i": pl.int_range(seed, seed + ROWS, eager=True)})
        assert made.lazy().select(c.i.sum(), m=c.i.min()).collect(engine=engine).rows() == [(sum(range(seed, seed + ROWS)), seed)]


def test_a_frame_that_is_changed_in_place_is_another() -> None:
    made = frame()
    engine = Engine(raise_on_fail=True)
    assert made.lazy().select(c.i.max()).collect(engine=engine).item() == ROWS - 1
    made[0, "i"] = 10 * ROWS
    assert made.lazy().select(c.i.max()).collect(engine=engine).item() == 10 * ROWS
    column = made.get_column("x")
    column[5] = 7.0
    assert column.to_frame().lazy().select(c.x.max()).collect(engine=engine).item() == 7.0


def test_small_and_nested_frames_are_not_kept() -> None:
    KEPT.table(frame().head(10))
    KEPT.table(frame().select(l=pl.concat_list("i", "i")))
    KEPT.table(frame().select(c.s.cast(pl.Categorical)))
    assert len(KEPT) == 0


def test_tables_that_nobody_reads_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "SECONDS", 0.1)
    kept = tables.Kept()
    kept.table(frame())
    assert len(kept) == 1
    ends = time.monotonic() + 20
    while len(kept) and time.monotonic() < ends:
        time.sleep(0.02)
    assert len(kept) == 0


def test_no_more_than_a_few_are_kept() -> None:
    made = [pl.DataFrame({"i": pl.int_range(seed, seed + ROWS, eager=True)}) for seed in range(40)]
    for one in made:
        KEPT.table(one)
    assert len(KEPT) == 32
