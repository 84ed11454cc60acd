"""Rows that are handed out while they are computed."""

import os
import signal
import threading
import time
from collections.abc import Iterator

import airloom
import numpy as np
import pyarrow as pa
import pytest
from airloom import ir

T = ir.rel({"a": ir.i64, "s": ir.optional(ir.str_)})
MANY = 400_000
ROWS = pa.table({"a": np.arange(MANY), "s": pa.array([None if n % 7 == 0 else f"{n % 1000:03}" for n in range(MANY)])})
DOUBLE = ir.function(t=T)(lambda t: ir.project(ir.filter(t, lambda r: r.a % 3 != 0), lambda r: {"b": r.a * 2, "s": r.s}))


@pytest.fixture(autouse=True)
def engine() -> Iterator[None]:
    """The oracle makes all rows before it gives the first, and is slow with as many as these."""
    with airloom.options(oracle=False):
        yield


def test_rows_come_in_their_order_and_are_those_of_a_run() -> None:
    tables = list(airloom.stream(DOUBLE, ROWS))
    assert len(tables) > 1, "a result of some size comes in pieces"
    found = pa.concat_tables([pa.table(table) for table in tables])
    assert found.equals(pa.table(airloom.run(DOUBLE, ROWS)).combine_chunks(), check_metadata=False)


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(rows: int) -> None:
    stream = airloom.stream(DOUBLE, ROWS.slice(1, rows))
    assert str(stream.type) == str(DOUBLE.result_type)
    assert [row for table in stream for row in table.to_pylist()] == [{"b": 2, "s": "001"}][:rows]
    assert next(stream, None) is None, "a stream that has ended stays so"


def test_consumers_of_arrow_read_a_stream() -> None:
    whole = pa.table(airloom.run(DOUBLE, ROWS)).combine_chunks()
    reader = pa.RecordBatchReader.from_stream(airloom.stream(DOUBLE, ROWS))
    assert reader.schema.names == ["b", "s"]
    first = reader.read_next_batch()
    assert 0 < first.num_rows < MANY
    assert pa.Table.from_batches([first, *reader]).combine_chunks().equals(whole)
    # What one consumer has taken, another does not see.
    stream = airloom.stream(DOUBLE, ROWS)
    taken = next(stream).num_rows
    assert pa.table(stream).num_rows == whole.num_rows - taken
    assert pa.table(stream).num_rows == 0
    # A schema that is asked for.
    wanted = pa.schema([("b", pa.float64()), ("s", pa.large_string())])
    assert pa.RecordBatchReader.from_stream(airloom.stream(DOUBLE, ROWS), schema=wanted).read_all().equals(whole.cast(wanted))
    # It may be what another program reads.
    count = ir.function(t=DOUBLE.result_type)(lambda t: ir.rows(t))
    assert airloom.run(count, airloom.stream(DOUBLE, ROWS)) == whole.num_rows


def test_a_consumer_of_arrow_hears_what_is_raised() -> None:
    @ir.function(t=T)
    def fails(t):  # type: ignore[no-untyped-def]
        return ir.project(t, lambda r: {"q": 10 // (r.a - (MANY - 1))})

    with pytest.raises(Exception, match="division by zero"):
        pa.table(airloom.stream(fails, ROWS))


def test_sources_of_a_session() -> None:
    @ir.function
    def dear():  # type: ignore[no-untyped-def]
        return ir.filter(ir.source("rows", ROWS), lambda r: r.a > MANY - 3)

    session = airloom.Session({"rows": ROWS}, threads=1)
    assert [row["a"] for table in session.stream(dear) for row in table.to_pylist()] == [MANY - 2, MANY - 1]


def test_all_configurations_of_the_engine() -> None:
    whole = airloom.run(DOUBLE, ROWS.slice(0, 1000)).to_pylist()
    for options in ({"oracle": True}, {"optimize": False}, {"threads": 7, "batch_rows": 1}, {"memory_limit": "2MB", "threads": 1}):
        with airloom.options(**options):
            assert [row for table in airloom.stream(DOUBLE, ROWS.slice(0, 1000)) for row in table.to_pylist()] == whole, options


def test_what_is_raised_comes_after_the_rows_before_it() -> None:
    @ir.function(t=T)
    def fails(t):  # type: ignore[no-untyped-def]
        return ir.project(t, lambda r: {"q": 10 // (r.a - (MANY - 1))})

    stream = airloom.stream(fails, ROWS)
    seen = 0
    with pytest.raises(airloom.RaisedError, match="division by zero"):
        for table in stream:
            seen += table.num_rows
    assert seen < MANY
    assert next(stream, None) is None


def test_only_rows_are_handed_out() -> None:
    with pytest.raises(airloom.ProgramError, match="`i64`, expected a relation"):
        airloom.stream(ir.function(n=ir.i64)(lambda n: n + 1), 1)
    with pytest.raises(airloom.ProgramError, match="there is no source `rows`"):
        airloom.stream(ir.function(lambda: ir.source("rows", T)))


def counted() -> tuple[ir.Function, list[int]]:
    """A program that notes how far it has come."""
    seen: list[int] = []

    def note(a: airloom.Array) -> np.ndarray:
        seen.append(len(a))
        return np.asarray(a)

    return ir.function(t=T)(lambda t: ir.project(t, lambda r: {"a": ir.host_call(note, r.a, ty=ir.i64, vectorized=True)})), seen


def test_a_run_waits_until_its_rows_are_taken() -> None:
    program, seen = counted()
    with airloom.options(threads=1):
        stream = airloom.stream(program, pa.concat_tables([ROWS] * 10))
        next(stream)
        time.sleep(0.5)
        assert 0 < sum(seen) < 5 * MANY
        assert sum(table.num_rows for table in stream) > 0
        assert sum(seen) == 10 * MANY


@pytest.mark.parametrize("how", ["close", "del"])
def test_a_run_ends_where_nobody_takes_its_rows(how: str) -> None:
    program, seen = counted()
    with airloom.options(threads=1):
        stream = airloom.stream(program, pa.concat_tables([ROWS] * 10))
        next(stream)
        if how == "close":
            stream.close()
            assert next(stream, None) is None
        del stream
        before = -1
        for _ in range(100):
            if before == sum(seen):
                break
            before = sum(seen)
            time.sleep(0.1)
        assert before < 10 * MANY
        assert airloom.run(DOUBLE, ROWS).num_rows > 0


def test_a_stream_that_is_waited_for_is_interrupted() -> None:
    endless = ir.function(t=T)(lambda t: ir.project(t, lambda r: {"n": ir.while_(r.a + 1, lambda s: s > 0, lambda s: s + 1 - 1)}))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with airloom.options(optimize=False), pytest.raises(KeyboardInterrupt):
            next(airloom.stream(endless, ROWS.slice(0, 10)))
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)


def test_several_threads_share_a_stream() -> None:
    stream = airloom.stream(DOUBLE, ROWS)
    rows: list[int] = []

    def take() -> None:
        rows.extend(table.num_rows for table in stream)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(rows) == airloom.run(DOUBLE, ROWS).num_rows
