"""Columns that tables share, and results as NumPy's arrays and pyarrow's text."""

from __future__ import annotations

import gc
import time
from typing import Any

import airloom
import numpy as np
import pyarrow as pa
import pytest
from airloom import Column, ProgramError, Table, ir

NUMBERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
TIMES = [f"{kind}[{unit}]" for kind in ("datetime64", "timedelta64") for unit in ("s", "ms", "us", "ns")]
NAT = np.iinfo("int64").min


def table_of(**columns: Column) -> Table:
    return Table.of_columns(columns, len(next(iter(columns.values()))))


def through(column: Column) -> Table:
    """The column after a program that reads it."""
    return whole(table_of(x=column))


def whole(table: Table) -> Table:
    """The table after a program that reads it."""
    return airloom.run(ir.function()(lambda: ir.source("t", table.type)), sources={"t": table})


def same(found: Any, expected: Any) -> None:
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    assert found.flags.writeable and found.flags.c_contiguous and found.flags.aligned
    assert not np.shares_memory(found, expected)


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 1000])
@pytest.mark.parametrize("dtype", ["bool", *NUMBERS, *TIMES])
def test_arrays_go_in_and_out(dtype: str, rows: int) -> None:
    array = (np.arange(rows) * 37 % 101).astype("int64").astype(dtype)
    column = Column.of_numpy(array)
    assert (len(column), column.null_count, column.type.nullable) == (rows, 0, False)
    same(through(column).numpy("x"), array)
    same(through(column).numpy("x", dtype), array)
    same(table_of(x=column).numpy("x"), array)


@pytest.mark.parametrize("dtype", ["bool", *NUMBERS, *TIMES])
def test_arrays_of_any_layout_are_read(dtype: str) -> None:
    array = (np.arange(300) % 2 if dtype == "bool" else np.arange(300) % 99).astype("int64").astype(dtype)
    for view in (array[::3], array[::-1], np.broadcast_to(array[5:6], 40), np.stack([array, array], axis=1)[:, 1]):
        same(through(Column.of_numpy(view)).numpy("x"), view.copy())
    raw = np.zeros(array.nbytes + 1, "uint8")
    raw[1:] = array.view("uint8")
    same(through(Column.of_numpy(raw[1:].view(dtype))).numpy("x"), array)
    array.flags.writeable = False
    same(through(Column.of_numpy(array)).numpy("x"), array)


def test_arrays_are_shared_and_kept_alive() -> None:
    array = np.arange(100_000)
    column = Column.of_numpy(array)
    table = table_of(x=column)
    assert np.shares_memory(np.asarray(table.column("x")), array)
    expected = array.copy()
    del array
    gc.collect()
    np.testing.assert_array_equal(through(column).numpy("x"), expected)


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 300_001])
def test_not_a_time_is_null(rows: int) -> None:
    array = np.arange(rows).astype("datetime64[us]")
    assert Column.of_numpy(array).type == ir.timestamp("us")
    array[rows // 2] = "NaT"
    array[-1] = "NaT"
    column = Column.of_numpy(array)
    assert column.type == ir.optional(ir.timestamp("us"))
    assert column.null_count == np.isnat(array).sum()
    same(through(column).numpy("x"), array)
    same(through(column).numpy("x", "datetime64[us]"), array)
    missing = np.full(rows, "NaT", "timedelta64[ns]")
    assert Column.of_numpy(missing).null_count == rows
    same(through(Column.of_numpy(missing)).numpy("x"), missing)


def test_nan_stays_a_value() -> None:
    array = np.array([1.0, np.nan, -0.0, np.inf])
    column = Column.of_numpy(array)
    assert (column.null_count, column.type) == (0, ir.f64)
    same(through(column).numpy("x"), array)


@pytest.mark.parametrize("rows", [3, 1_100_003])
def test_any_byte_but_zero_is_true(rows: int) -> None:
    raw = (np.arange(rows) * 7 % 256).astype("uint8")
    column = Column.of_numpy(raw.view("bool"))
    same(through(column).numpy("x"), raw != 0)


@pytest.mark.parametrize(
    ("array", "found"),
    [
        (np.array(["a"], "object"), "`object`"),
        (np.array(["a"]), "`<U1`"),
        (np.array([b"a"]), "`|S1`"),
        (np.zeros(2, "f2"), "`float16`"),
        (np.zeros(2, "c16"), "`complex128`"),
        (np.zeros(2, ">i4"), "`>i4`"),
        (np.zeros(2, [("a", "i4")]), "'a'"),
        (np.zeros(2, "M8[D]"), "`datetime64[D]`"),
        (np.zeros(2, "m8"), "`timedelta64`"),
        (np.zeros((2, 2)), "of 2 axes"),
        (np.array(1.0), "of 0 axes"),
        (np.ma.masked_array([1, 2], [True, False]), "masked"),
        ([1, 2], "`list`"),
        (None, "`NoneType`"),
    ],
)
def test_other_arrays_are_refused(array: Any, found: str) -> None:
    with pytest.raises(ProgramError) as raised:
        Column.of_numpy(array)
    assert str(raised.value).startswith("expected a NumPy array of one axis of bool") and found in str(raised.value)


def test_nulls_may_be_said() -> None:
    array = np.arange(3)
    assert Column.of_numpy(array, nullable=True).type == ir.optional(ir.i64)
    assert Column.of_numpy(array, nullable=False).type == ir.i64
    assert Column.of_arrow(pa.array([1, 2]), nullable=True).type == ir.optional(ir.i64)
    with pytest.raises(ProgramError, match="has 1 nulls, but `nullable=False`"):
        Column.of_arrow(pa.array([1, None]), nullable=False)
    column = Column.of_numpy(array, nullable=True)
    same(through(column).numpy("x"), array)
    assert repr(column) == "<column of 3 `i64?`>"


CHUNKED = [
    pa.array(["a", None, "", "ünïcödé — längere Zeichenkette 🧵"]),
    pa.array(["a", "b"], pa.large_string()),
    pa.array(["x" * 40, None], pa.string_view()),
    pa.array([1, 2, 3]),
    pa.array([1.5, None, float("nan")]),
    pa.array([True, None, False]),
    pa.array([None, None], pa.int32()),
    pa.array([], pa.string()),
    pa.chunked_array([], pa.string()),
    pa.chunked_array([[], [1], [], [2, 3], []], pa.int64()),
    pa.chunked_array([["a"], [], [None, "c" * 30]]),
    pa.array(["a", "b", "a"]).dictionary_encode(),
    pa.array([1, 2, 3, 4, 5])[1:3],
    pa.array(["a", None, "b", "c"])[1:3],
]


@pytest.mark.parametrize("array", CHUNKED, ids=str)
def test_arrow_goes_in(array: Any) -> None:
    column = Column.of_arrow(array)
    assert (len(column), column.null_count) == (len(array), array.null_count)
    assert column.type.nullable == (array.null_count > 0)
    assert str(through(column).column("x").to_pylist()) == str(array.to_pylist())
    assert str(table_of(x=column).to_pydict()["x"]) == str(array.to_pylist())
    assert table_of(x=column).null_count("x") == through(column).null_count("x") == array.null_count


def test_arrow_is_shared() -> None:
    array = pa.chunked_array([np.arange(1000), np.arange(500)])
    table = table_of(x=Column.of_arrow(array)).to_pyarrow()
    assert [chunk.buffers()[1].address for chunk in table["x"].chunks] == [chunk.buffers()[1].address for chunk in array.chunks]


def test_what_is_no_column_is_refused() -> None:
    with pytest.raises(ProgramError, match="expected an Arrow array, found `list`"):
        Column.of_arrow([1])
    with pytest.raises(ProgramError, match="expected one column, found a table"):
        Column.of_arrow(pa.table({"a": [1]}))
    with pytest.raises(ProgramError, match="expected one column, found a table"):
        Column.of_arrow(table_of(a=Column.of_numpy(np.arange(2))))
    with pytest.raises(TypeError):
        Column()


def test_columns_cut_at_different_places_stand_side_by_side() -> None:
    rows = 1000
    words = [f"word number {n}" for n in range(rows)]
    columns = {
        "a": Column.of_numpy(np.arange(rows)),
        "b": Column.of_arrow(pa.chunked_array([np.arange(0, 1), np.arange(1, 700), np.arange(700, rows)])),
        "c": Column.of_arrow(pa.chunked_array([words[:300], [], words[300:]])),
        "d": Column.of_arrow(pa.array(words, pa.large_string())),
    }
    table = Table.of_columns(columns, rows)
    assert table.num_rows == len(table) == rows and table.columns == list("abcd")
    made = airloom.run(
        ir.function()(lambda: ir.filter(ir.source("t", table.type), lambda r: ir.and_(r.a == r.b, r.c == r.d))), sources={"t": table}
    )
    assert made.to_pydict() == {"a": list(range(rows)), "b": list(range(rows)), "c": words, "d": words}
    assert table.to_pydict() == made.to_pydict()
    # Each alone, and two others together: the cuts of one table are not those of another.
    for names in (["b"], ["c"], ["b", "c"], ["a", "d"]):
        own = Table.of_columns({name: columns[name] for name in names}, rows)
        assert own.to_pydict() == {name: made.to_pydict()[name] for name in names}
        assert whole(own).to_pydict() == own.to_pydict()


def test_tables_may_have_no_columns() -> None:
    table = Table.of_columns({}, 5)
    assert (table.num_rows, table.columns, repr(table)) == (5, [], "<table of 5 rows and no columns>")
    counted = airloom.run(ir.function()(lambda: ir.rows(ir.source("t", table.type))), sources={"t": table})
    assert counted == 5
    assert Table.of_columns({}, 0).num_rows == 0


def test_lengths_that_differ_name_the_column() -> None:
    columns = {"a": Column.of_numpy(np.arange(3)), "b": Column.of_numpy(np.arange(4))}
    with pytest.raises(ProgramError, match="column `b` has 4 rows where the table has 3"):
        Table.of_columns(columns, 3)
    with pytest.raises(ProgramError, match="column `a`: expected a `Column`, found `ndarray`"):
        Table.of_columns({"a": np.arange(3)}, 3)  # type: ignore[dict-item]


def test_tables_are_made_without_looking_at_data() -> None:
    columns = {f"c{n}": Column.of_numpy(np.arange(1_000_000)) for n in range(16)}
    best = 1.0
    for _ in range(50):
        start = time.perf_counter()
        Table.of_columns(columns, 1_000_000)
        best = min(best, time.perf_counter() - start)
    assert best < 0.001


def test_what_is_known_of_a_column_is_known_to_all_its_tables() -> None:
    """A join looks at its keys once, though each run has a table of its own."""
    rows = 400_000
    left = Column.of_numpy(np.random.default_rng(0).permutation(rows))
    right = Column.of_numpy(np.random.default_rng(1).permutation(rows))

    def run() -> float:
        tables = {"l": table_of(k=left), "r": table_of(j=right)}
        start = time.perf_counter()
        airloom.explain(function, sources=tables)
        return time.perf_counter() - start

    @ir.function()
    def function() -> ir.Node:
        left, right = ir.source("l", ir.rel({"k": ir.i64})), ir.source("r", ir.rel({"j": ir.i64}))
        return ir.join(left, right, lambda l: {"k": l.k}, lambda r: {"k": r.j}, lambda l, r: True)

    first = run()
    assert min(run() for _ in range(5)) < first


def test_nulls_become_nan_or_are_refused() -> None:
    table = table_of(x=Column.of_arrow(pa.chunked_array([[1, None, 3], [], [None, 5]], pa.int32())))
    for made in (table, through(Column.of_arrow(pa.array([1, None, 3, None, 5], pa.int32())))):
        same(made.numpy("x", "float64"), np.array([1, np.nan, 3, np.nan, 5]))
        same(made.numpy("x", np.float64), np.array([1, np.nan, 3, np.nan, 5]))
        with pytest.raises(ProgramError, match="column `x`: it has 2 nulls, which `int32` cannot say; hint: `dtype=\"float64\"`"):
            made.numpy("x")
    floats = table_of(x=Column.of_arrow(pa.array([None, 1.5, None], pa.float32())))
    same(floats.numpy("x"), np.array([np.nan, 1.5, np.nan], "float32"))
    same(floats.numpy("x", "f8"), np.array([np.nan, 1.5, np.nan]))
    truths = table_of(x=Column.of_arrow(pa.array([True, None])))
    with pytest.raises(ProgramError, match="column `x`: it has 1 nulls, which `bool` cannot say"):
        truths.numpy("x")
    with pytest.raises(ProgramError, match="Arrow's `Int32` cannot be `int8` without loss"):
        table.numpy("x", "int8")
    with pytest.raises(ProgramError, match="Arrow's `Utf8` is no type of NumPy's"):
        table_of(x=Column.of_arrow(pa.array(["a"]))).numpy("x")
    with pytest.raises(ProgramError, match="there is no column `y`"):
        table.numpy("y")
    with pytest.raises(TypeError):
        table.numpy("x", "no such type")


def test_times_with_a_zone_and_days_have_arrays() -> None:
    times = pa.array([0, None, 1_700_000_000_000], pa.timestamp("ms", "Europe/Paris"))
    same(table_of(x=Column.of_arrow(times)).numpy("x"), np.array([0, NAT, 1_700_000_000_000]).view("M8[ms]"))
    days = table_of(x=Column.of_arrow(pa.array([0, None, -1], pa.date32())))
    for unit in ("D", "s", "ms"):
        same(days.numpy("x", f"datetime64[{unit}]"), np.array([0, "NaT", -1], "M8[D]").astype(f"M8[{unit}]"))
    same(days.numpy("x"), np.array([0, "NaT", -1], "M8[D]").astype("M8[s]"))


def test_large_arrays_are_put_together_from_their_pieces() -> None:
    rows = 1_234_567
    numbers = np.random.default_rng(3).random(rows)
    truths = numbers > 0.5
    cuts = [0, 1, 1, 100, 65_536, 700_001, rows]
    chunked = pa.chunked_array([numbers[a:b] for a, b in zip(cuts, cuts[1:])])
    marked = pa.chunked_array([pa.array(truths[a:b], mask=numbers[a:b] < 0.01) for a, b in zip(cuts, cuts[1:])])
    counted = pa.chunked_array([pa.array(np.arange(a, b), mask=numbers[a:b] < 0.01) for a, b in zip(cuts, cuts[1:])])
    table = table_of(x=Column.of_arrow(chunked), t=Column.of_numpy(truths), n=Column.of_arrow(counted), m=Column.of_arrow(marked))
    same(table.numpy("x"), numbers)
    same(table.numpy("t"), truths)
    same(table.numpy("n", "float64"), np.where(numbers < 0.01, np.nan, np.arange(rows)))
    kept = airloom.run(ir.function()(lambda: ir.filter(ir.source("t", table.type), lambda r: r.x > 0.25)), sources={"t": table})
    same(kept.numpy("x"), numbers[numbers > 0.25])
    same(kept.numpy("t"), truths[numbers > 0.25])


@pytest.mark.parametrize("array", [a for a in CHUNKED if "string" in str(a.type)], ids=str)
def test_text_becomes_large_strings(array: Any) -> None:
    column = Column.of_arrow(array)
    for table in (table_of(x=column), through(column)):
        made = table.large_strings("x")
        assert made.type == pa.large_string() and made.to_pylist() == array.to_pylist()
        made.validate(full=True)


def test_much_text_becomes_large_strings() -> None:
    words = [None if n % 1000 == 7 else "é" * (n % 23) for n in range(300_000)]
    array = pa.chunked_array([words[:1], words[1:100_000], words[100_000:]])
    column = Column.of_arrow(array)
    made = through(column).large_strings("x")
    made.validate(full=True)
    assert made.null_count == 300 and made.to_pylist() == words
    whole = table_of(x=Column.of_arrow(pa.array(words, pa.string_view()))).large_strings("x")
    whole.validate(full=True)
    assert whole.to_pylist() == words
    with pytest.raises(ProgramError, match="column `x`: it is not text but Arrow's `Int64`"):
        table_of(x=Column.of_numpy(np.arange(2))).large_strings("x")


def test_columns_that_are_not_looked_at_are_as_good() -> None:
    """Floats and text that are only carried along are not looked at; those that decide are, under whatever name."""
    rows = 20_000
    draw = np.random.default_rng(5)
    number = draw.permutation(rows)
    left = Table.of_columns(
        {
            "k": Column.of_arrow(pa.array([f"key number {n}" for n in number])),
            "f": Column.of_numpy(number / 4.0),
            "v": Column.of_numpy(draw.random(rows)),
            "w": Column.of_arrow(pa.array([f"word {n % 7}" for n in number])),
        },
        rows,
    )
    right = Table.of_columns(
        {"j": Column.of_arrow(pa.array([f"key number {n}" for n in range(0, rows, 2)])), "g": Column.of_numpy(np.arange(0, rows, 2) / 4.0)},
        rows // 2,
    )

    def by_text() -> ir.Node:
        renamed = ir.project(ir.source("l", left.type), lambda l: {"a": l.k, "v": l.v, "w": l.w})
        both = ir.join(renamed, ir.source("r", right.type), lambda l: {"x": l.a}, lambda r: {"x": r.j}, lambda l, r: True)
        return ir.sort(ir.group(both, lambda b: {"w": b.w}, lambda c: {"s": ir.sum(c.g), "n": ir.count(c.v)}), lambda r: {"s": r.s}, ["asc.last"])

    def by_float() -> ir.Node:
        both = ir.join(ir.source("l", left.type), ir.source("r", right.type), lambda l: {"x": l.f}, lambda r: {"x": r.g}, lambda l, r: True)
        return ir.distinct(ir.sort(both, lambda b: {"v": b.v}, ["desc.last"]), lambda b: {"w": b.w})

    def whole() -> ir.Node:
        return ir.distinct(ir.concat(ir.source("r", right.type), ir.source("r", right.type)), lambda r: r)

    for program in (by_text, by_float, whole):
        function = ir.function()(program)
        made = airloom.run(function, sources={"l": left, "r": right}).to_pydict()
        with airloom.options(optimize=False):
            assert airloom.run(function, sources={"l": left, "r": right}).to_pydict() == made
        assert made[next(iter(made))]
