"""The engine as users hold it: collecting in every way Polars has, options, and what is told of what was left to Polars."""

from __future__ import annotations

import asyncio
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import airloom
import airloom.polars
from airloom import ir
from airloom.polars import Engine, PerformanceWarning, translate

c = pl.col
FRAME = pl.DataFrame({"k": [1, 1, 2], "a": [1, 2, 3], "s": ["x", None, "z"]})
TOTALS = FRAME.lazy().group_by("k", maintain_order=True).agg(c.a.sum())
#: Polars hashes by a function of its own.
HASHES = FRAME.lazy().filter(c.a > 1).select("k", h=c.a.hash())


def entries(where: str) -> list[tuple[str, str]]:
    """What ran somewhere, and why."""
    return [(entry.operation, entry.reason) for entry in airloom.report() if entry.where == where]


def test_a_query_runs_on_the_engine() -> None:
    assert_frame_equal(TOTALS.collect(engine=Engine(raise_on_fail=True)), TOTALS.collect())
    assert entries("native") == [("collect", "")]
    assert entries("polars") == []
    (run,) = [entry for entry in airloom.report() if entry.where == "run"]
    assert run.line.rpartition(":")[0] == __file__ and run.seconds > 0


def test_what_is_refused_runs_on_polars() -> None:
    found = FRAME.lazy().select(c.a.hash()).collect(engine=Engine())
    assert_frame_equal(found, FRAME.select(c.a.hash()))
    assert entries("polars") == [("Select", "the expression `function.hash` is not translated")]
    assert entries("native") == []
    assert "1 polars" in str(airloom.report())


def test_parts_of_a_refused_query_run_on_the_engine() -> None:
    query = HASHES.join(TOTALS, on="k", maintain_order="left")
    assert_frame_equal(query.collect(engine=Engine()), query.collect())
    assert entries("polars") == [("Select", "the expression `function.hash` is not translated")]
    # The filter below the hash, and the groups beside it.
    assert sum(entry.times for entry in airloom.report() if entry.where == "native") == 2


def test_every_refusal_is_told_at_once() -> None:
    query = FRAME.lazy().select("k", h=c.a.hash(), e=c.s.str.json_decode(pl.Int64)).sort(c.k.hash())
    with pytest.raises(airloom.RefusedError) as raised:
        query.collect(engine=Engine(raise_on_fail=True))
    for reason in ("Select: the expression `function.hash`", "Select: the expression `string.JsonDecode`", "Sort: the expression `function.hash`"):
        assert reason in str(raised.value)
    with airloom.strict(), pytest.raises(airloom.RefusedError):
        query.collect(engine=Engine())


def test_warnings_are_asked_for() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HASHES.collect(engine=Engine())
    with pytest.warns(PerformanceWarning, match="function.hash") as told:
        HASHES.collect(engine=Engine(warn=True))
    assert told[0].filename == __file__


def test_an_error_of_the_engine_is_one_of_polars() -> None:
    query = FRAME.lazy().select((c.a * 100).cast(pl.Int8))
    with pytest.raises(pl.exceptions.InvalidOperationError):
        query.collect(engine=Engine())
    assert entries("polars") == [("run", "the engine stopped at `200` of `i64` does not convert to `i8`")]
    with pytest.raises(airloom.RaisedError) as raised:
        query.collect(engine=Engine(raise_on_fail=True))
    assert __file__ in str(raised.value), "it names the line that collects"


def test_what_the_engine_leaves_to_polars_when_it_meets_it_has_a_reason() -> None:
    """A reading of text that the engine is not sure of, and rows of which Polars does not say which it takes."""
    frame = pl.DataFrame({"k": [1, 1, 2], "s": ["1", "+2", None], "n": [5, 5, 7]})
    for query, reason in [
        (frame.lazy().select(c.s.cast(pl.Int64)), "the engine stopped at text that is no number"),
        (frame.lazy().group_by("k", maintain_order=True).agg(c.s.max_by("n")), "the engine stopped at several rows that `min_by` or `max_by` could take"),
        (frame.lazy().select(c.s.str.slice(0, c.n - 6)), "the engine stopped at a negative length of text"),
    ]:
        airloom.report(clear=True)
        try:
            expected: Any = query.collect()
        except pl.exceptions.PolarsError as error:
            with pytest.raises(type(error)):
                query.collect(engine=Engine())
        else:
            assert_frame_equal(query.collect(engine=Engine()), expected)
        assert entries("polars") == [("run", reason)]


def test_a_missing_file_is_told_by_polars(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    FRAME.write_parquet(path)
    query = pl.scan_parquet(path).select(c.a.sum())
    assert query.collect(engine=Engine(raise_on_fail=True)).item() == 6
    path.unlink()
    with pytest.raises(FileNotFoundError):
        query.collect(engine=Engine())


def test_several_queries() -> None:
    first, second, third = pl.collect_all([TOTALS, HASHES, FRAME.lazy().select(c.a.max())], engine=Engine())
    assert_frame_equal(first, TOTALS.collect())
    assert_frame_equal(second, HASHES.collect())
    assert third.item() == 3
    assert len(entries("polars")) == 1


def test_other_threads() -> None:
    async def collected() -> Any:
        return await TOTALS.collect_async(engine=Engine(raise_on_fail=True)), await pl.collect_all_async([TOTALS, TOTALS], engine=Engine(raise_on_fail=True))

    one, (two, three) = asyncio.run(collected())
    for found in (one, two, three):
        assert_frame_equal(found, TOTALS.collect())


def test_the_engine_of_all_queries() -> None:
    with pl.Config(engine_affinity=Engine(raise_on_fail=True)):
        assert TOTALS.collect().to_dicts() == [{"k": 1, "a": 3}, {"k": 2, "a": 3}]
    assert entries("native") == [("collect", "")]
    result = TOTALS.execute(engine=Engine(raise_on_fail=True))
    assert_frame_equal(result.lazy().collect(), TOTALS.collect())
    assert "AGGREGATE" in TOTALS.explain(engine=Engine())


def test_background_queries_are_left_to_polars() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = FRAME.lazy().collect(engine=Engine(), background=True).fetch_blocking()
    assert_frame_equal(found, FRAME)
    assert entries("polars") == [("collect", "`background` is Polars' own way of running")]


def test_options() -> None:
    engine = Engine(threads=2, memory_limit="1GB", raise_on_fail=True)
    assert repr(engine) == "Engine(raise_on_fail=True, threads=2, memory_limit=1000000000)" and engine.device == "cpu"
    assert_frame_equal(TOTALS.collect(engine=engine), TOTALS.collect())
    # The oracle has no limit.
    with airloom.options(oracle=False), pytest.raises(airloom.MemoryLimitError):
        many = pl.LazyFrame({"a": range(100_000)}).with_columns(b=c.a.cast(pl.String) + "x" * 50)
        many.with_columns(n=c.b.rank()).collect(engine=Engine(memory_limit="1MiB", raise_on_fail=True))


@pytest.mark.parametrize(
    "given, told",
    [
        ({"threads": 0}, "the option `threads` of `Engine` takes an integer from 1, found 0"),
        ({"memory_limit": "much"}, "the option `memory_limit` of `Engine` takes a number of bytes"),
        ({"memory_limit": "1KB"}, "the option `memory_limit` of `Engine` takes at least a mebibyte, found '1KB'"),
        ({"raise_on_fail": 1}, "the option `raise_on_fail` of `Engine` takes `True` or `False`, found 1"),
        ({"warn": "yes"}, "the option `warn` of `Engine` takes `True` or `False`, found 'yes'"),
        ({"spill_directory": "no such folder"}, "the option `spill_directory` of `Engine` takes a folder that exists"),
        ({"target_partition_size": 0}, "the option `target_partition_size` of `Engine` takes a number of bytes"),
        ({"device": "gpu"}, "the option `device` of `Engine` takes `cpu`, found 'gpu'"),
    ],
)
def test_options_are_checked(given: dict[str, Any], told: str) -> None:
    with pytest.raises(airloom.OptionError) as raised:
        Engine(**given)
    assert told in str(raised.value)
    with pytest.raises(TypeError):
        Engine(thread=1)  # type: ignore[call-arg]


def test_reasons_are_told_where_polars_is_verbose(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    TOTALS.collect(engine=Engine())
    assert "airloom" not in capfd.readouterr().err
    monkeypatch.setenv("POLARS_VERBOSE", "1")
    TOTALS.collect(engine=Engine())
    assert "airloom: 2 rows in " in capfd.readouterr().err
    HASHES.collect(engine=Engine())
    assert "airloom: left to Polars\nairloom:   Select: the expression `function.hash` is not translated\n" in capfd.readouterr().err


def test_a_program_is_printed_sent_and_run() -> None:
    translation = translate(FRAME.lazy().filter(c.a > 1).select(c.a + 1))
    assert translation.refusals == ()
    assert str(translation) == (
        "func @polars() -> rel{a: i64?} {\n"
        '  source2 = source "t0": rel{a: i64?}\n'
        "  filter = rel.filter(source2) |row| gt{nan: total}(row.a, 1)\n"
        "  return rel.project(filter) |row| {a: add(row.a, 1)}\n"
        "}\n"
    )
    assert translation.run(threads=1).to_dicts() == [{"a": 3}, {"a": 4}]
    assert translation.function is not None
    sent = ir.loads(ir.dumps(translation.function))["polars"]
    assert airloom.run(sent, sources=translation.sources).to_pydict() == {"a": [3, 4]}


def test_there_is_no_program_of_what_is_refused() -> None:
    translation = translate(HASHES)
    assert translation.function is None
    assert str(translation) == "Select: the expression `function.hash` is not translated"
    with pytest.raises(airloom.RefusedError, match="there is no program to run"):
        translation.run()


def test_columns_are_neither_copied_in_nor_out() -> None:
    def buffers(column: pl.Series) -> list[int | None]:
        return [buffer.address if buffer is not None else None for buffer in column.to_arrow(compat_level=pl.CompatLevel.newest()).buffers()]

    frame = pl.DataFrame({"a": range(1000), "s": [f"a text that is longer than a view, {number}" for number in range(1000)]})
    found = frame.lazy().with_columns(b=c.a + 1).collect(engine=Engine(raise_on_fail=True))
    if not airloom.options.oracle:
        assert buffers(found["a"]) == buffers(frame["a"])
        assert buffers(found["s"]) == buffers(frame["s"])
    assert_frame_equal(found, frame.with_columns(b=c.a + 1))
