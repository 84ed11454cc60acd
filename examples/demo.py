"""Four TPC-H queries from Parquet files and from memory: their answers, their times beside those of pandas, and how one is run.

    python examples/demo.py [--scale 0.1] [--repeat 3]
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet

import airloom
from airloom import ir

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benches" / "tpch"))

import answers  # noqa: E402
import programs  # noqa: E402

Frames = Mapping[str, pd.DataFrame]

# What each query reads, for pandas: it has to be told.
READS = {
    "q01": {"lineitem": ["l_returnflag", "l_linestatus", "l_quantity", "l_extendedprice", "l_discount", "l_tax", "l_shipdate"]},
    "q03": {
        "customer": ["c_custkey", "c_mktsegment"],
        "orders": ["o_orderkey", "o_custkey", "o_orderdate", "o_shippriority"],
        "lineitem": ["l_orderkey", "l_extendedprice", "l_discount", "l_shipdate"],
    },
    "q06": {"lineitem": ["l_extendedprice", "l_discount", "l_quantity", "l_shipdate"]},
    "q18": {
        "customer": ["c_custkey", "c_name"],
        "orders": ["o_orderkey", "o_custkey", "o_orderdate", "o_totalprice"],
        "lineitem": ["l_orderkey", "l_quantity"],
    },
}


def pandas_q01(t: Frames) -> pd.DataFrame:
    """The pricing summary."""
    lines = t["lineitem"]
    lines = lines[lines.l_shipdate <= pd.Timestamp("1998-09-02")]
    price = lines.l_extendedprice * (1 - lines.l_discount)
    lines = lines.assign(disc_price=price, charge=price * (1 + lines.l_tax))
    return lines.groupby(["l_returnflag", "l_linestatus"], as_index=False).agg(
        sum_qty=("l_quantity", "sum"),
        sum_base_price=("l_extendedprice", "sum"),
        sum_disc_price=("disc_price", "sum"),
        sum_charge=("charge", "sum"),
        avg_qty=("l_quantity", "mean"),
        avg_price=("l_extendedprice", "mean"),
        avg_disc=("l_discount", "mean"),
        count_order=("l_quantity", "size"),
    )


def pandas_q03(t: Frames) -> pd.DataFrame:
    """Orders of great revenue that are not yet shipped."""
    customer, orders, lines = t["customer"], t["orders"], t["lineitem"]
    day = pd.Timestamp("1995-03-15")
    open_orders = customer[customer.c_mktsegment == "BUILDING"].merge(
        orders[orders.o_orderdate < day], left_on="c_custkey", right_on="o_custkey"
    )
    joined = open_orders.merge(lines[lines.l_shipdate > day], left_on="o_orderkey", right_on="l_orderkey")
    joined = joined.assign(revenue=joined.l_extendedprice * (1 - joined.l_discount))
    totals = joined.groupby(["l_orderkey", "o_orderdate", "o_shippriority"], as_index=False)["revenue"].sum()
    totals = totals.sort_values(["revenue", "o_orderdate", "l_orderkey"], ascending=[False, True, True]).head(10)
    return totals[["l_orderkey", "revenue", "o_orderdate", "o_shippriority"]]


def pandas_q06(t: Frames) -> pd.DataFrame:
    """What discounts cost."""
    lines = t["lineitem"]
    lines = lines[
        (lines.l_shipdate >= pd.Timestamp("1994-01-01"))
        & (lines.l_shipdate < pd.Timestamp("1995-01-01"))
        & lines.l_discount.between(0.05, 0.07)
        & (lines.l_quantity < 24)
    ]
    return pd.DataFrame({"revenue": [(lines.l_extendedprice * lines.l_discount).sum()]})


def pandas_q18(t: Frames) -> pd.DataFrame:
    """Large orders."""
    sums = t["lineitem"].groupby("l_orderkey", as_index=False).agg(sum_qty=("l_quantity", "sum"))
    large = t["orders"].merge(sums[sums.sum_qty > 300], left_on="o_orderkey", right_on="l_orderkey")
    found = large.merge(t["customer"], left_on="o_custkey", right_on="c_custkey")
    found = found.sort_values(["o_totalprice", "o_orderdate", "o_orderkey"], ascending=[False, True, True]).head(100)
    return found[["c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice", "sum_qty"]]


PANDAS: dict[str, Callable[[Frames], pd.DataFrame]] = {"q01": pandas_q01, "q03": pandas_q03, "q06": pandas_q06, "q18": pandas_q18}


def frame(table: pa.Table) -> pd.DataFrame:
    """A table for pandas: decimals as floats and days as timestamps, which it computes with; its decimals are Python's own, one by one."""
    fields = []
    for field in table.schema:
        wanted = pa.float64() if pa.types.is_decimal(field.type) else pa.timestamp("ms") if pa.types.is_date(field.type) else field.type
        fields.append(field.with_type(wanted))
    return table.cast(pa.schema(fields)).to_pandas()


def frames_of(query: str, folder: Path) -> Frames:
    """The columns that a query reads, from the files."""
    return {name: frame(pa.parquet.read_table(folder / f"{name}.parquet", columns=columns)) for name, columns in READS[query].items()}


def best(repeat: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """The shortest of some runs after a first one, in milliseconds, and the result."""
    result = work()
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        result = work()
        times.append((time.perf_counter() - started) * 1e3)
    return min(times), result


def check(query: str, who: str, expected: airloom.Table, found: pa.Table) -> None:
    """Ends the demo where two answers differ."""
    told = answers.difference(answers.encode(expected.to_pyarrow()), answers.encode(found))
    if told is not None:
        raise SystemExit(f"{query}: {who} differs: {told}")


def main() -> None:
    """Runs it all."""
    parser = argparse.ArgumentParser(description="TPC-H queries with airloom, beside pandas.")
    parser.add_argument("--scale", default="0.1", help="of the data (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="how many runs are counted (default: %(default)s)")
    arguments = parser.parse_args()
    folder = programs.data(arguments.scale)

    stored = airloom.Session({name: airloom.scan_parquet(folder / f"{name}.parquet") for name in programs.TABLES})
    tables = {name: pa.parquet.read_table(folder / f"{name}.parquet") for name in programs.TABLES}
    memory = airloom.Session(tables)
    frames = {name: frame(table) for name, table in tables.items()}
    print(f"TPC-H at scale {arguments.scale}: {sum(table.num_rows for table in tables.values()):,} rows in eight tables")

    rows = []
    for query, with_pandas in PANDAS.items():
        program = ir.parse(programs.air(query, arguments.scale))[query]
        title = programs.air(query, arguments.scale).splitlines()[0].removeprefix("; ")
        from_files, found = best(arguments.repeat, lambda: stored.run(program))
        from_memory, also = best(arguments.repeat, lambda: memory.run(program))
        pandas_files, _ = best(arguments.repeat, lambda: with_pandas(frames_of(query, folder)))
        pandas_memory, beside = best(arguments.repeat, lambda: with_pandas(frames))
        check(query, "the answer from memory", found, also.to_pyarrow())
        check(query, "pandas' answer", found, pa.Table.from_pandas(beside, preserve_index=False))
        print(f"\n== {query}: {title}\n\n{found}")
        rows.append((query, from_files, pandas_files, from_memory, pandas_memory))

    print("\n== q03 explained: what each node of its physical plan made, and what that took\n")
    print(stored.explain(ir.parse(programs.air("q03", arguments.scale))["q03"], analyze=True))

    print(f"\n== times in milliseconds, best of {arguments.repeat}; pandas {pd.__version__} computes with floats, airloom with decimals\n")
    print(f"{'':5} {'Parquet':>10} {'pandas':>10} {'faster':>8}   {'memory':>10} {'pandas':>10} {'faster':>8}")
    for query, a, b, c, d in rows:
        print(f"{query:5} {a:10.1f} {b:10.1f} {b / a:7.1f}x   {c:10.1f} {d:10.1f} {d / c:7.1f}x")
    print("\nall answers agree")


if __name__ == "__main__":
    main()
