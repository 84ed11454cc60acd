"""Columns that have other rows than their frame, one row that is repeated for them, and what else is done with lists and arrays."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from compare import LENIENT, STRICT, assert_same, same
from frames import FRAMES

c = pl.col
PAIRS = pl.concat_list("i", "j")
EXPLODED: dict[str, pl.Expr] = {
    "alone": PAIRS.explode(empty_as_null=True),
    "in arithmetic": PAIRS.explode(empty_as_null=True) % 3 + 1,
    "summed": PAIRS.explode(empty_as_null=True).sum(),
    "of one list": c.s.implode().explode(empty_as_null=True),
    "of empty lists": pl.when(c.b).then(PAIRS).otherwise(pl.lit([], dtype=pl.List(pl.Int64))).explode(empty_as_null=False),
    "of null": pl.when(c.b).then(PAIRS).explode(empty_as_null=True, keep_nulls=False),
    "distinct": PAIRS.explode(empty_as_null=True).unique(maintain_order=True),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", EXPLODED)
def test_lists_become_rows(name: str, frame: str) -> None:
    same(FRAMES[frame].lazy().select(EXPLODED[name]))


@pytest.mark.parametrize("frame", FRAMES)
def test_several_lists_become_rows(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.select(PAIRS.explode(empty_as_null=True), other=pl.concat_list("s", "r").explode(empty_as_null=True)))
    same(lazy.with_columns(again=c.i.implode().explode(empty_as_null=False)))
    same(lazy.group_by("k", maintain_order=True).agg(c.i, c.s).select(c.i.explode(empty_as_null=True), c.s.explode(empty_as_null=True)))


ONE = pl.LazyFrame({"a": [5], "b": ["x"], "l": [[1, 2]]})
SERIES = pl.Series("s", [1, 2, 3])
REPEATED: dict[str, pl.LazyFrame] = {
    "operand": ONE.select(c.a + SERIES),
    "beside": ONE.select("a", "b", z=SERIES * 2),
    "added": ONE.with_columns(z=SERIES),
    "added list": ONE.with_columns(z=c.l.explode(empty_as_null=True)),
    "compared": ONE.select(c.a.eq_missing(SERIES)),
    "with its own list": ONE.select(c.l.explode(empty_as_null=False) + c.a),
    "with a sum": ONE.select(c.a.sum() + SERIES),
    "beside a sum of others": ONE.with_columns(z=pl.lit(SERIES).sum()),
    "for nothing": ONE.with_columns(z=pl.lit(pl.Series([], dtype=pl.Int64))),
    "after a function over its rows": ONE.select(c.a.cum_sum() + SERIES, n=c.a.rank()),
}


@pytest.mark.parametrize("name", REPEATED)
def test_one_row_is_repeated(name: str) -> None:
    same(REPEATED[name])


@pytest.mark.parametrize("dtype", [pl.Int64, pl.UInt32, pl.Int8])
@pytest.mark.parametrize("rows", [[0, 1], [3, 3, 0, -1, -4], [0, None, 2], []])
def test_rows_by_positions_of_their_own(rows: list[Any], dtype: Any) -> None:
    if dtype == pl.UInt32:
        rows = [row for row in rows if row is None or row >= 0]
    wanted = pl.Series(rows, dtype=dtype)
    lazy = pl.LazyFrame({"a": [5, 6, None, 8], "b": ["x", None, "z", "w"]})
    same(lazy.select((c.a * 2).gather(wanted), c.b.gather(wanted)))


def test_rows_by_positions_outside_are_polars_affair() -> None:
    with pytest.raises(pl.exceptions.OutOfBoundsError):
        ONE.select(c.a.gather(pl.Series([9, 1]))).collect(engine=LENIENT)


SETS = ["union", "intersection", "symmetric_difference"]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("word", SETS)
def test_sets(word: str, frame: str) -> None:
    lazy = FRAMES[frame].lazy().select("i", a=pl.concat_list("i", "j", "k"), b=pl.concat_list("k", "j"), s=pl.concat_list("s", "r"), r=pl.concat_list("r", "r"), d=pl.concat_list("d", "d"))
    some = lazy.with_columns(pl.when(c.i > 0).then(c.a).alias("a"), pl.when(c.i < 5).then(c.b).alias("b"))
    for query in (lazy, some):
        same(query.select(getattr(c.a.list, f"set_{word}")("b"), t=getattr(c.s.list, f"set_{word}")("r"), d=getattr(c.d.list, f"set_{word}")("d"), u=getattr(c.b.list, f"set_{word}")("a")))


LISTS = pl.LazyFrame(
    {"a": [[1, 2], None, [], [3, None], None], "b": [[0, 2], [1], [], [3, 0], None], "x": [[1.0, -0.0], None, [], [3.5, None], [2.0]]},
    schema={"a": pl.List(pl.Int32), "b": pl.List(pl.Int32), "x": pl.List(pl.Float64)},
)
ARRAYS = pl.LazyFrame({"a": [[1, 2], None, [3, None], [0, 0]], "b": [[0, 2], [1, 1], [3, 0], None]}, schema={"a": pl.Array(pl.Int32, 2), "b": pl.Array(pl.Int32, 2)})
OPERATIONS: dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "sum": lambda left, right: left + right,
    "difference": lambda left, right: left - right,
    "product": lambda left, right: left * right,
    "quotient": lambda left, right: left / right,
    "whole quotient": lambda left, right: left // right,
    "remainder": lambda left, right: left % right,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_arithmetic_of_lists_and_arrays(name: str) -> None:
    same(LISTS.select(OPERATIONS[name](c.a, c.b)))
    same(ARRAYS.select(OPERATIONS[name](c.a, c.b)))
    if name in ("sum", "difference", "product"):
        same(LISTS.select(OPERATIONS[name](c.x, c.x)))
    with pytest.raises(pl.exceptions.PolarsError):
        LISTS.select(OPERATIONS[name](c.a, c.b.shift(-1))).collect(engine=LENIENT)


def test_arrays_are_put_together_and_cast() -> None:
    same(ARRAYS.select(pl.concat_arr("a", "b"), z=pl.concat_arr("a", pl.lit(1, dtype=pl.Int32))))
    same(ARRAYS.select(c.a.cast(pl.Array(pl.Float64, 2)), z=c.a.cast(pl.List(pl.Int64))))
    same(LISTS.filter(c.b.list.len() == 2).select(c.b.list.to_array(2)))
    same(LISTS.select(c.b.list.to_array(2)))
    floats = ARRAYS.select(c.a.cast(pl.Array(pl.Float64, 2)), c.b.cast(pl.Array(pl.Float64, 2)))
    same(floats.select(c.a.arr.dot("b")))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("nulls_last", [False, True])
def test_columns_that_are_in_order(frame: str, descending: bool, nulls_last: bool) -> None:
    lazy = FRAMES[frame].lazy()
    made = [c(name).is_sorted(descending=descending, nulls_last=nulls_last) for name in "kisxbd"]
    same(lazy.select(made))
    same(lazy.sort("i", descending=descending, nulls_last=nulls_last).select(made))
    same(lazy.group_by("k", maintain_order=True).agg(made[1:]))


@pytest.mark.parametrize("digits", [0, 1, 3, 7, 15, 22])
def test_rounding(digits: int) -> None:
    draw = random.Random(digits)
    values = [draw.choice([1, -1]) * 10 ** draw.uniform(-20, 25) for _ in range(2000)] + [0.5, 2.5, -1.25, 0.125, float("inf"), float("nan"), -0.0, None]
    lazy = pl.LazyFrame({"x": values, "w": pl.Series(values, dtype=pl.Float32)})
    same(lazy.select(c.x.round(digits), c.w.round(digits), y=c.x.round(digits, mode="half_away_from_zero"), z=c.x.truncate(digits), v=c.w.truncate(digits)))


@pytest.mark.parametrize("frame", FRAMES)
def test_functions_of_narrow_floats(frame: str) -> None:
    words = ["exp", "log1p", "sin", "cos", "tan", "arcsin", "arctan", "sinh", "tanh", "cbrt", "degrees", "radians", "cot"]
    same(FRAMES[frame].lazy().select(*(getattr(c.w, word)().alias(word) for word in words), a=c.w.log(), b=c.w.log(3), d=c.w.log(2.5)))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("closed", ["left", "right", "both", "none"])
def test_times_at_equal_distances(frame: str, closed: Any) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.select(a=pl.linear_spaces("t", c.t + timedelta(hours=5), 3, closed=closed), b=pl.linear_spaces("d", c.d.dt.offset_by("1mo"), c.j.clip(0, 4), closed=closed)))
    same(lazy.select(pl.linear_spaces("e", c.e * 2, 2, closed=closed, as_array=True)))


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Warsaw"])
def test_parts_of_times_are_replaced(unit: Any, zone: str | None) -> None:
    times = c.t.dt.cast_time_unit(unit).dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    for frame in FRAMES.values():
        lazy = frame.lazy().filter(c.t.dt.year() > 1950).with_columns(times)
        same(lazy.select(c.t.dt.replace(year=2019, day=3)))
        same(lazy.select(c.t.dt.replace(hour=5, minute=c.k, second=1)))
        same(lazy.select(c.t.dt.replace(month=2, day=30)))
        if unit != "ms":
            same(lazy.select(c.t.dt.replace(microsecond=c.k * 1000)))
        same(lazy.select(c.d.dt.replace(year=2021, day=1), e=c.d.dt.replace(month=c.k)))


def test_values_are_counted_exactly() -> None:
    for frame in FRAMES.values():
        lazy = frame.lazy()
        assert_same(lazy.select(c.s.approx_n_unique(), c.i.approx_n_unique()).collect(engine=STRICT), frame.select(c.s.n_unique(), c.i.n_unique()))


def test_shuffled_rows_are_all_there() -> None:
    frame = pl.DataFrame({"k": [1] * 50 + [2] * 50, "v": [*range(50)] * 2})
    query = frame.lazy().group_by("k", maintain_order=True).agg(c.v.shuffle())
    first, second = query.collect(engine=STRICT)["v"].to_list()
    assert first != second and sorted(first) == sorted(second) == list(range(50))
    found = []
    for _ in range(2):
        pl.set_random_seed(7)
        found.append(frame.lazy().select(c.v.shuffle()).collect(engine=STRICT)["v"].to_list())
    assert found[0] == found[1] != frame["v"].to_list()
    assert "with a `seed`" in str(pl.LazyFrame({"v": [1]}).select(c.v.shuffle(1)).pipe(airloom_translation))


def airloom_translation(lazy: pl.LazyFrame) -> Any:
    from airloom.polars import translate

    return translate(lazy)


@pytest.mark.parametrize("form", ["parquet", "csv", "ndjson"])
def test_rows_of_files_are_numbered_and_counted(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    frame = pl.DataFrame({"a": [1, 2, 3, None], "b": ["x", "y,z", None, 'q"']})
    getattr(frame, f"write_{form}")(path)
    scan = getattr(pl, f"scan_{form}")
    lazy = scan(path)
    for query in (
        lazy.select(pl.len()),
        lazy.head(2).select(pl.len()),
        lazy.with_row_index("n").tail(2),
        lazy.with_row_index("n", offset=5).slice(1, 2),
        lazy.with_row_index("n").filter(c.a > 1),
        lazy.with_row_index("n").slice(1, 2).select("n"),
        scan(path, row_index_name="r").slice(-3, 2),
        scan(path, row_index_name="r", n_rows=2).filter(c.a > 1),
        scan(f"file://{path}").select("b"),
    ):
        same(query)


def test_names_of_files_are_no_patterns(tmp_path: Path) -> None:
    path = tmp_path / "[t].csv"
    pl.DataFrame({"a": [1, 2]}).write_csv(path)
    same(pl.scan_csv(path, glob=False))
    for options in ({"has_header": False}, {"skip_rows": 1}, {"infer_schema_length": 0}, {"empty_string_is_null": False}, {"skip_rows_after_header": 1}):
        same(pl.scan_csv(path, glob=False, **options))  # type: ignore[arg-type]


GROUPS: dict[str, list[pl.Expr]] = {
    "one row for each": [c.i.sum(), c.s.max(), pl.len()],
    "rows": [c.i, c.s, c.i.cum_sum().alias("t")],
    "rows in another order": [c.s.reverse(), c.j.shift(1)],
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("keys", [["k"], ["b", "r"], ["x"]])
def test_groups_one_after_another(name: str, frame: str, keys: list[str]) -> None:
    same(FRAMES[frame].lazy().select(one.over(keys, mapping_strategy="explode") for one in GROUPS[name]))


def test_groups_one_after_another_beside_the_frame() -> None:
    for frame in FRAMES.values():
        same(frame.lazy().with_columns(z=c.i.over("k", mapping_strategy="explode") + c.j))
