"""The tables with as many rows as TPC-DS has at a scale: copies of the small ones, each with customers, addresses, items and tickets of its own, and some of its rows left out."""

from __future__ import annotations

import polars as pl
from tpcds.tables import tables

#: How many rows the specification has at scale 1.
ROWS = {
    "store_sales": 2_880_404,
    "store_returns": 287_514,
    "catalog_sales": 1_441_548,
    "catalog_returns": 144_067,
    "web_sales": 719_384,
    "web_returns": 71_763,
    "inventory": 11_745_000,
    "customer": 100_000,
    "customer_address": 50_000,
    "item": 18_000,
}
#: How far apart the keys of two copies of a table are: keys that lead nowhere in one copy lead to none of the next.
APART = 1000
#: The same for tickets and orders.
TICKETS = 10_000
#: What a column is a key of, by how its name ends.
KEYS = {"item_sk": "item", "customer_sk": "customer", "addr_sk": "customer_address", "address_sk": "customer_address"}
#: Returns follow sales, in the same copies; there are as many as these have.
SALES = {"store_returns": "store_sales", "catalog_returns": "catalog_sales", "web_returns": "web_sales"}


def scaled(scale: float) -> dict[str, pl.DataFrame]:
    """All tables by name, the same in every run."""
    small = tables()
    counts = {name: max(1, round(rows * scale / small[name].height)) for name, rows in ROWS.items()}
    counts.update({name: counts[of] for name, of in SALES.items()})
    # Stock is counted in four weeks of each month, of both halves of the items.
    counts["inventory"] = 8 * counts["item"]
    return {name: _copies(name, frame, counts) if name in counts else frame for name, frame in small.items()}


def _copies(name: str, frame: pl.DataFrame, counts: dict[str, int]) -> pl.DataFrame:
    copy, row = pl.col("copy"), pl.col("row")
    whole = frame.with_row_index("row").join(pl.DataFrame({"copy": range(counts[name])}), how="cross")
    facts = name not in ("customer", "customer_address", "item")
    if facts:
        # One row in ten is left out, another one in each copy.
        whole = whole.filter((row.cast(pl.Int64) * 7919 + copy * 104_729) % 10 != 0)
    changed = []
    for column in frame.columns:
        table = next((table for ending, table in KEYS.items() if column.endswith(ending)), None)
        if table is not None:
            changed.append(pl.col(column) + copy % counts[table] * APART)
        elif column.endswith(("_ticket_number", "_order_number")):
            changed.append(pl.col(column) + copy * TICKETS)
        elif isinstance(frame.schema[column], pl.Decimal):
            # Amounts are quarters, whose sums are exact as floats too: Polars' own two engines rank others differently, by the order in which they add.
            changed.append(((pl.col(column).cast(pl.Float64) * 4 + copy % 1009).floor() / 4).cast(frame.schema[column]))
        elif column in ("c_customer_id", "i_item_id", "i_product_name"):
            changed.append(pl.col(column) + "-" + copy.cast(pl.String))
    if name == "inventory":
        turn = copy // counts["item"]
        changed = [pl.col("inv_date_sk") + turn % 4 * 7, pl.col("inv_item_sk") + turn // 4 + copy % counts["item"] * APART]
    return whole.with_columns(changed).select(frame.columns)
