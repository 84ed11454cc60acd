"""Running: data in from any library, answers out to any library, nothing copied that need not be."""

import datetime
import json
import threading
import time
from decimal import Decimal

import airloom
import numpy as np
import pyarrow as pa
import pytest
from airloom import ir

T = ir.rel({"k": ir.optional(ir.str_), "a": ir.optional(ir.i64)})
ADD = ir.function(t=T)(lambda t: ir.project(t, lambda r: {"k": r.k, "b": r.a + 1}))
DATA = {"k": ["x", None, "y"], "a": [1, 2, None]}
ANSWER = [{"k": "x", "b": 2}, {"k": None, "b": 3}, {"k": "y", "b": None}]


def library(name: str):  # type: ignore[no-untyped-def]
    return pytest.importorskip(name, reason=f"{name} is not installed, so its tables are not tried")


def test_tables_of_pyarrow() -> None:
    table = pa.table(DATA)
    assert airloom.run(ADD, table).to_pylist() == ANSWER
    assert airloom.run(ADD, table.to_batches()[0]).to_pylist() == ANSWER
    assert airloom.run(ADD, pa.RecordBatchReader.from_batches(table.schema, table.to_batches())).to_pylist() == ANSWER
    chunked = pa.concat_tables([table, table.slice(1)])
    assert airloom.run(ADD, chunked).num_rows == 5


def test_tables_of_pandas() -> None:
    pd = library("pandas")
    frame = pd.DataFrame({"k": ["x", None, "y"], "a": pd.array([1, 2, None], dtype="Int64")})
    result = airloom.run(ADD, frame)
    assert result.to_pylist() == ANSWER
    assert list(result.to_pandas()["k"].isna()) == [False, True, False]


def test_tables_of_polars() -> None:
    pl = library("polars")
    frame = pl.DataFrame(DATA)
    result = airloom.run(ADD, frame)
    assert result.to_polars().to_dicts() == ANSWER


def test_decimals_are_handed_out_as_wide_as_all_consumers_read_them() -> None:
    pl = library("polars")
    given = pl.DataFrame({"x": [Decimal("1.25"), None]}, schema={"x": pl.Decimal(15, 2)})
    table = airloom.table(given)
    result = airloom.run(ir.function(t=ir.type_of(table))(lambda t: ir.project(t, lambda r: {"x": r.x})), table)
    assert result.to_polars().equals(given)
    assert pl.DataFrame(result).equals(given)
    assert pa.table(result)["x"].to_pylist() == [Decimal("1.25"), None]


def test_tables_of_nanoarrow() -> None:
    na = library("nanoarrow")
    stream = na.ArrayStream(pa.table(DATA))
    result = airloom.run(ADD, stream)
    assert result.to_pylist() == ANSWER
    assert na.ArrayStream(result).schema.field(0).type == na.Type.STRING_VIEW
    # Of nanoarrow's own, views of text cannot be listed; numbers can.
    numbers = ir.function(t=T)(lambda t: ir.project(t, lambda r: {"a": r.a}))
    assert na.ArrayStream(airloom.run(numbers, pa.table(DATA))).read_all().to_pylist() == [{"a": 1}, {"a": 2}, {"a": None}]


def test_results_go_where_arrow_goes() -> None:
    result = airloom.run(ADD, pa.table(DATA))
    assert isinstance(result, airloom.Table)
    assert result.columns == ["k", "b"] and len(result) == result.num_rows == 3
    assert result.to_pyarrow().to_pylist() == ANSWER
    assert result.to_pydict() == {"k": ["x", None, "y"], "b": [2, 3, None]}
    assert airloom.run(ADD, airloom.table(pa.table(DATA))).to_pylist() == ANSWER
    text = repr(result)
    assert "null" in text and text.endswith("3 rows")
    wanted = pa.schema([("k", pa.string()), ("b", pa.float64())])
    assert pa.RecordBatchReader.from_stream(result, schema=wanted).read_all().schema == wanted


def addresses(table: pa.Table) -> list[int]:
    """Where the values of each column are."""
    return [buffer.address for column in table.columns for chunk in column.chunks for buffer in chunk.buffers() if buffer is not None]


def test_tables_share_their_buffers() -> None:
    table = pa.table({"a": np.arange(1000), "s": pa.array([str(i) * 5 for i in range(1000)]), "l": [[1, 2]] * 1000})
    nested = lambda t: [b.address for c in t.columns for ch in c.chunks for b in ch.buffers() if b is not None]  # noqa: E731
    assert nested(airloom.table(table).to_pyarrow()) == nested(table) == addresses(table)


def test_rows_go_through_the_engine_without_a_copy() -> None:
    data = pa.table({"a": np.arange(1000), "x": np.arange(1000) * 0.5, "s": pa.array([str(i) * 5 for i in range(1000)])})
    ty = ir.type_of(data)
    read = ir.function()(lambda: ir.source("t", ty))
    chosen = ir.function(t=ty)(lambda t: ir.project(t, lambda r: {"x": r.x, "s": r.s, "twice": r.x * 2}))
    with airloom.options(oracle=False):
        same = pa.table(airloom.run(read, sources={"t": data}))
        part = pa.table(airloom.run(chosen, data))
    place = lambda table, name, buffer: table[name].chunk(0).buffers()[buffer].address  # noqa: E731
    assert [place(same, name, 1) for name in ("a", "x")] == [place(data, name, 1) for name in ("a", "x")]
    assert place(part, "x", 1) == place(data, "x", 1)
    # Text is seen through views: they are made, what they show is not.
    assert place(part, "s", 2) == place(same, "s", 2) == place(data, "s", 2)


def test_arrays_go_through_the_engine_without_a_copy() -> None:
    values = np.arange(1000.0)
    same = ir.function(x=ir.arr(ir.f64, None))(lambda x: x)
    with airloom.options(oracle=False):
        assert np.asarray(airloom.run(same, values)).__array_interface__["data"] == (values.ctypes.data, True)


def test_sessions_look_at_a_table_once() -> None:
    data = pa.table({"k": [1, 2, 3], "v": ["a", "b", "c"]})
    ty = ir.type_of(data)
    session = airloom.Session({"t": data})
    joined = ir.function()(
        lambda: ir.join(
            ir.source("t", ty),
            ir.project(ir.source("t", ty), lambda r: {"j": r.k, "w": r.v}),
            lambda l: {"k": l.k},
            lambda r: {"k": r.j},
            lambda l, r: True,
        )
    )
    first, second = session.run(joined), session.run(joined)
    assert first.to_pylist() == second.to_pylist()
    assert first.to_pydict()["w"] == ["a", "b", "c"]


def test_engines_work_after_a_fork() -> None:
    import os

    before = airloom.run(ADD, pa.table(DATA)).to_pylist()
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if airloom.run(ADD, pa.table(DATA)).to_pylist() == before else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert airloom.run(ADD, pa.table(DATA)).to_pylist() == before


def test_memory_has_a_limit() -> None:
    wide = ir.function(n=ir.i64)(lambda n: ir.rows(ir.sort(ir.pack({"a": ir.iota(n)}), lambda r: {"a": -r.a}, ["asc.last"])))
    with airloom.options(memory_limit="64MB"):
        assert airloom.run(wide, 1000) == 1000
    with pytest.raises(airloom.ProgramError, match="mebibyte"), airloom.options(memory_limit=1000, oracle=False):
        airloom.run(wide, 10)


def test_arrays_share_their_buffers() -> None:
    values = np.arange(12.0).reshape(3, 4)
    same = ir.function(x=ir.arr(ir.f64, None, None))(lambda x: ir.map(x, lambda e: e * 2))
    result = airloom.run(same, values)
    assert result.shape == (3, 4)
    first = np.asarray(result)
    assert first.__array_interface__["data"][0] == np.asarray(result).__array_interface__["data"][0]
    np.testing.assert_array_equal(first, values * 2)
    assert not first.flags.writeable
    column = airloom.table(pa.table({"a": values.ravel()})).column("a")
    assert pa.array(column).buffers()[1].address == np.asarray(column).__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"])
def test_arrays_of_numpy(dtype: str) -> None:
    element = ir.Type.parse(dtype.replace("uint", "u").replace("int", "i").replace("float", "f"))
    same = ir.function(x=ir.arr(element, None))(lambda x: ir.arr_concat(x, x))
    given = np.array([1, 2, 3], dtype=dtype)
    result = np.asarray(airloom.run(same, given))
    assert result.dtype == given.dtype
    np.testing.assert_array_equal(result, np.concatenate([given, given]))
    np.testing.assert_array_equal(np.asarray(airloom.run(same, given[::-1])), np.tile(given[::-1], 2))


def test_arrays_of_other_elements() -> None:
    truth = ir.function(x=ir.arr(ir.bool_, None))(lambda x: ir.map(x, lambda e: ~e))
    assert airloom.run(truth, np.array([True, False])).to_numpy().tolist() == [False, True]
    times = ir.function(x=ir.arr(ir.timestamp("ns"), None))(lambda x: ir.max(x))
    stamps = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]")
    assert airloom.run(times, stamps) == datetime.datetime(2021, 1, 1)
    words = ir.function(x=ir.arr(ir.optional(ir.str_), None))(lambda x: ir.map(x, lambda e: e + "!"))
    assert airloom.run(words, ["a", None]).to_pylist() == ["a!", None]
    assert airloom.run(words, pa.array(["a", None])).to_numpy().tolist() == ["a!", None]
    assert airloom.run(words, pa.chunked_array([["a"], ["b"]])).to_pylist() == ["a!", "b!"]
    with pytest.raises(airloom.ProgramError, match="argument `x`.*astype"):
        airloom.run(truth, np.array([1.0]))
    with pytest.raises(airloom.ProgramError, match="1 axes, found one of 2"):
        airloom.run(truth, np.array([[True]]))


VALUES = [
    (ir.i64, -(2**63)),
    (ir.u64, 2**64 - 1),
    (ir.bool_, True),
    (ir.f64, 1.5),
    (ir.str_, "é\U0001f600"),
    (ir.bytes_, b"\x00\xff"),
    (ir.decimal(38, 10), Decimal("1234567890.0123456789")),
    (ir.date, datetime.date(1969, 12, 31)),
    (ir.time, datetime.time(23, 59, 59, 999999)),
    (ir.timestamp("us"), datetime.datetime(2020, 2, 29, 1, 2, 3, 4)),
    (ir.timestamp("ms", "UTC"), datetime.datetime(2020, 2, 29, tzinfo=datetime.timezone.utc)),
    (ir.timestamp("us", "Europe/Paris"), datetime.datetime(2020, 7, 1, tzinfo=datetime.timezone.utc)),
    (ir.duration("us"), datetime.timedelta(days=-1, microseconds=1)),
    (ir.optional(ir.i64), None),
    (ir.list_(ir.optional(ir.i64)), [1, None]),
    (ir.struct({"a": ir.i64, "b": ir.str_}), {"a": 1, "b": "x"}),
    (ir.category(["a", "b"]), "b"),
    (ir.decimal(10, 2), Decimal("12345.67")),
]


@pytest.mark.parametrize(("ty", "value"), VALUES, ids=[str(v[0]) for v in VALUES])
def test_values_come_back_as_they_went(ty: ir.Type, value: object) -> None:
    same = ir.function([ty])(lambda x: x)
    assert airloom.run(same, value) == value
    both = ir.function([ty])(lambda x: (x, {"x": x}))
    assert airloom.run(both, value) == (value, {"x": value})


@pytest.mark.parametrize(("ty", "value"), VALUES, ids=[str(v[0]) for v in VALUES])
def test_values_in_columns_come_back_as_they_went(ty: ir.Type, value: object) -> None:
    made = ir.function([ty])(lambda x: ir.project(ir.pack({"n": ir.iota(2)}), lambda r: {"x": x, "n": r.n}))
    result = airloom.run(made, value)
    assert [row["x"] for row in result.to_pylist()] == [value, value]
    again = ir.function(t=ir.rel({"x": ty}))(lambda t: ir.slice(t, 1, None))
    assert airloom.run(again, result.to_pyarrow()).to_pylist() == [{"x": value}]


@pytest.mark.parametrize("name", ["pandas", "polars", "nanoarrow", "pyarrow"])
@pytest.mark.parametrize(("ty", "value"), VALUES, ids=[str(v[0]) for v in VALUES])
def test_values_in_columns_go_to_every_library(ty: ir.Type, value: object, name: str) -> None:
    module = library(name)
    made = ir.function([ty])(lambda x: ir.project(ir.pack({"n": ir.iota(2)}), lambda r: {"x": x, "n": r.n}))
    result = airloom.run(made, value)
    if name == "pandas":
        frame = result.to_pandas()
        assert list(frame.columns) == ["x", "n"] and len(frame) == 2
    elif name == "polars":
        assert result.to_polars()["n"].to_list() == [0, 1]
    elif name == "nanoarrow":
        assert len(module.ArrayStream(result).read_all()) == 2
    else:
        assert module.table(result)["n"].to_pylist() == [0, 1]


def test_parts_of_a_result() -> None:
    f = ir.function(t=T)(lambda t: (t, ir.rows(t), ir.columns(t)))
    table, rows, columns = airloom.run(f, pa.table(DATA))
    assert table.num_rows == rows == 3
    assert columns["a"].to_pylist() == [1, 2, None]


def test_sources() -> None:
    t = ir.source("t", ir.rel({"a": ir.optional(ir.i64)}))
    total = ir.function()(lambda: ir.sum(t.a, skip="null"))
    session = airloom.Session({"t": pa.table({"a": [1, 2], "unused": ["x", "y"]})})
    assert session.run(total) == 3
    session.register("t", pa.table({"a": [5]}))
    assert session.run(total) == 5
    assert session.run(total, sources={"t": pa.table({"a": [7]})}) == 7
    assert airloom.run(total, sources={"t": pa.table({"a": [8]})}) == 8
    with pytest.raises(airloom.ProgramError, match="no source `t`; hint: `sources="):
        airloom.run(total)
    with pytest.raises(airloom.ProgramError, match="source `t`: there is no column `a`; there are: `b`"):
        airloom.run(total, sources={"t": pa.table({"b": [8]})})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (pa.table({"k": ["x"]}), "argument `t`: there is no column `a`"),
        (pa.table({"k": ["x"], "a": [1.5]}), "column `a`: it is Arrow's `Float64`, but its type is `i64\\?`"),
        ({"k": ["x"]}, "expected a table, found `dict`; hint"),
        (3, "expected a table, found `int`"),
    ],
)
def test_wrong_arguments(given: object, message: str) -> None:
    with pytest.raises(airloom.ProgramError, match=message):
        airloom.run(ADD, given)


def test_wrong_values() -> None:
    f = ir.function(x=ir.i8)(lambda x: x)
    with pytest.raises(airloom.ProgramError, match="argument `x`: expected a value of `i8`, found 300"):
        airloom.run(f, 300)
    with pytest.raises(airloom.ProgramError, match="takes 1 arguments, found 2"):
        airloom.run(f, 1, 2)
    strict = ir.function(t=ir.rel({"a": ir.i64}))(lambda t: t)
    with pytest.raises(airloom.ProgramError, match="column `a`: it holds nulls.*`ir.optional`"):
        airloom.run(strict, pa.table({"a": [1, None]}))


def test_what_raises_says_where() -> None:
    f = ir.function(x=ir.i64, y=ir.i64)(lambda x, y: x // y)
    assert airloom.run(f, 7, 2) == 3
    with pytest.raises(airloom.RaisedError, match=f"(?s)zero.*{__file__}"):
        airloom.run(f, 7, 0)


def test_optimising_changes_nothing() -> None:
    f = ir.function(t=T)(lambda t: ir.filter(ir.project(t, lambda r: {"k": r.k, "b": r.a * 1}), lambda r: r.b > 1))
    with airloom.options(optimize=False):
        plain = airloom.run(f, pa.table(DATA)).to_pylist()
    assert airloom.run(f, pa.table(DATA)).to_pylist() == plain == [{"k": None, "b": 2}]
    assert "filter" in airloom.explain(f) and "rules that fired" in airloom.explain(f)
    assert not airloom.optimize(f).same_as(f)


def endless() -> ir.Function:
    return ir.function(n=ir.i64)(lambda n: ir.while_(n, lambda s: s > 0, lambda s: s + 1 - 1))


def test_python_goes_on_while_a_program_runs() -> None:
    long = ir.function(n=ir.i64)(lambda n: ir.reduce(0, n, lambda i: i, lambda a, b: a + b))
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    with airloom.options(oracle=True):  # which takes its time
        assert airloom.run(long, 300_000) == sum(range(300_000))
    done.set()
    thread.join()
    assert ticks > 20


def test_programs_run_side_by_side() -> None:
    f = ir.function(n=ir.i64)(lambda n: ir.reduce(0, n, lambda i: i, lambda a, b: a + b))
    results: dict[int, int] = {}
    threads = [threading.Thread(target=lambda n=n: results.__setitem__(n, airloom.run(f, n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: sum(range(n)) for n in range(8)}


def test_a_plan_is_told_as_text_and_as_json() -> None:
    f = ir.function(t=T)(lambda t: ir.filter(t, lambda r: r.a > 1))
    planned = airloom.explain(f)
    assert planned.index("rules that fired" if "rules that fired" in planned else "no rule") < planned.index("physical plan:")
    told = airloom.explain(f, pa.table(DATA), analyze=True)
    assert told.splitlines()[0].split()[:2] == ["node", "rows"] and "a > 1" in told
    plan = json.loads(airloom.explain(f, pa.table(DATA), analyze=True, format="json"))
    node = plan["parts"][0]
    assert node["op"] == "filter" and node["rows"] == airloom.run(f, pa.table(DATA)).num_rows
    assert node["time_ns"] > 0 and node["places"][0].startswith(__file__)
    assert "rows" not in json.loads(airloom.explain(f, format="json"))["parts"][0]
    with pytest.raises(airloom.ProgramError, match="`format` is `xml`, expected `text` or `json`"):
        airloom.explain(f, format="xml")  # type: ignore[arg-type]
    with pytest.raises(airloom.ProgramError, match="takes 1 arguments, found 0"):
        airloom.explain(f, analyze=True)
