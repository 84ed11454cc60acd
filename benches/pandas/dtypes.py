"""Questions over columns of other dtypes than pandas' plain ones: categories, narrow and nullable numbers, and Arrow's own. Ten of groups, eight of joins, sorts and reductions.

`pd` is pandas or a module that stands in for it; `t` has the same rows three times: `narrow` with categories and numbers of few bits, `nullable` with pandas' own missing values,
`arrow` with Arrow's dtypes; and a small table to join with for each. The order of groups is not asked for, so none is paid for.

DuckDB and Polars answer the same questions in their own words, over the columns as the file has them.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

GROUPS = [f"t{number:02}" for number in range(1, 11)]
OTHERS = [f"t{number:02}" for number in range(11, 19)]
QUERIES = [*GROUPS, *OTHERS]
# By what the rows of an answer are told apart, where a question asks for no order.
KEYS = {
    "t01": ["city"], "t02": ["city", "kind"], "t03": ["shop"], "t04": ["name"], "t05": ["name"], "t06": ["shop", "size"], "t07": ["day"], "t08": ["kind", "shop"], "t09": ["open"],
    "t10": ["size"],
}
TABLES = ["narrow", "nullable", "arrow", "cities", "shops_nullable", "names_arrow"]
ROW_GROUP = 1 << 20


def t01(pd, t):
    """Sums of narrow integers by a category."""
    return t["narrow"].groupby("city", as_index=False, sort=False).agg(size=("size", "sum"), count=("count", "sum"))


def t02(pd, t):
    """The extremes of narrow floats by two categories."""
    return t["narrow"].groupby(["city", "kind"], as_index=False, sort=False).agg(least=("weight", "min"), most=("weight", "max"), n=("weight", "count"))


def t03(pd, t):
    """A sum and a mean by a nullable integer."""
    return t["nullable"].groupby("shop", as_index=False, sort=False).agg(count=("count", "sum"), price=("price", "mean"))


def t04(pd, t):
    """How many, and how many different, by a nullable text of many values."""
    return t["nullable"].groupby("name", as_index=False, sort=False).agg(n=("price", "count"), shops=("shop", "nunique"))


def t05(pd, t):
    """A sum and a mean by Arrow's text of many values."""
    return t["arrow"].groupby("name", as_index=False, sort=False).agg(price=("price", "sum"), count=("count", "mean"))


def t06(pd, t):
    """The extremes by two of Arrow's integers."""
    return t["arrow"].groupby(["shop", "size"], as_index=False, sort=False).agg(least=("price", "min"), most=("price", "max"), n=("price", "count"))


def t07(pd, t):
    """A sum by Arrow's dates."""
    return t["arrow"].groupby("day", as_index=False, sort=False).agg(price=("price", "sum"))


def t08(pd, t):
    """The size of groups by a category and an integer of 16 bits."""
    return t["narrow"].groupby(["kind", "shop"], as_index=False, sort=False).size()


def t09(pd, t):
    """The deviation by a nullable boolean."""
    return t["nullable"].groupby("open", as_index=False, sort=False).agg(price=("price", "std"))


def t10(pd, t):
    """The mean and the median by an integer of 8 bits."""
    return t["narrow"].groupby("size", as_index=False, sort=False).agg(mean=("price", "mean"), middle=("price", "median"))


def t11(pd, t):
    """A join by a category, and a sum."""
    joined = t["narrow"].merge(t["cities"], on="city")
    return joined.groupby("zone", as_index=False).agg(price=("price", "sum"), n=("size", "count"))


def t12(pd, t):
    """A left join by a nullable integer, and a mean."""
    joined = t["nullable"].merge(t["shops_nullable"], on="shop", how="left")
    return joined.groupby("area", as_index=False).agg(price=("price", "mean"), n=("price", "count"))


def t13(pd, t):
    """A join by Arrow's text, and a sum."""
    joined = t["arrow"].merge(t["names_arrow"], on="name")
    return joined.groupby("group", as_index=False).agg(price=("price", "sum"), n=("price", "count"))


def t14(pd, t):
    """Sorted by an integer of 8 bits and a narrow float; the first thousand."""
    return t["narrow"][["size", "weight", "id"]].sort_values(["size", "weight", "id"], ascending=[False, True, True]).head(1000)


def t15(pd, t):
    """The thousand greatest of nullable floats."""
    return t["nullable"][["price", "id"]].sort_values(["price", "id"], ascending=[False, True]).head(1000)


def t16(pd, t):
    """The distinct pairs of two of Arrow's columns."""
    return t["arrow"][["shop", "day"]].drop_duplicates().sort_values(["shop", "day"])


def t17(pd, t):
    """Reductions of narrow and nullable columns."""
    narrow, nullable = t["narrow"], t["nullable"]
    found = [
        narrow["size"].sum(), narrow["count"].max(), narrow["weight"].min(), nullable["count"].sum(), nullable["price"].mean(), nullable["price"].max(), nullable["open"].sum(),
    ]
    return pd.DataFrame({"value": [float(value) for value in found]})


def t18(pd, t):
    """Arithmetic over Arrow's columns, filtered and summed."""
    arrow = t["arrow"]
    kept = arrow[(arrow["price"] > 20.0) & (arrow["size"] < 100) & arrow["open"]]
    return pd.DataFrame({"value": [float((kept["price"] * kept["count"] - kept["price"] / 2).sum())]})


def load(pd: Any, folder: Path, name: str) -> Any:
    """A table with the dtypes that its name tells."""
    file, _, kind = name.partition("_")
    if name in ("narrow", "nullable", "arrow"):
        file, kind = "x", name
    path = folder / f"{file}.parquet"
    if kind == "arrow":
        return pd.read_parquet(path, dtype_backend="pyarrow")
    if kind == "nullable":
        return pd.read_parquet(path, dtype_backend="numpy_nullable")
    frame = pd.read_parquet(path)
    return frame.astype({column: pd.CategoricalDtype(WORDS[column]) for column in ("city", "kind") if column in frame.columns})


# The words that a category may be.
WORDS = {"city": [f"city {number}" for number in range(200)], "kind": ["new", "used", "lent", "sold", "lost"]}


def write(folder: Path, rows: int) -> None:
    """The table of all questions, and the three that are joined with it."""
    random = np.random.default_rng(12)
    many = max(rows // 50, 1)

    def words(column: str) -> pa.Array:
        return pa.array(WORDS[column], pa.string()).take(pa.array(random.integers(0, len(WORDS[column]), rows)))

    def missing(share: float) -> np.ndarray:
        return random.random(rows) < share

    names = pa.array([f"name {number:08}" for number in range(many)], pa.string())
    _write(folder / "x.parquet", {
        "id": pa.array(np.arange(rows)),
        "city": words("city"),
        "kind": words("kind"),
        "name": names.take(pa.array(random.integers(0, many, rows))),
        "size": pa.array(random.integers(-120, 120, rows, dtype=np.int8)),
        "count": pa.array(random.integers(0, 30_000, rows, dtype=np.int32), mask=missing(0.05)),
        "shop": pa.array(random.integers(0, 1000, rows, dtype=np.int16), mask=None),
        "weight": pa.array(random.uniform(0, 10, rows).astype(np.float32)),
        "price": pa.array(random.uniform(0, 100, rows).round(2), mask=missing(0.05)),
        "open": pa.array(random.random(rows) < 0.5, mask=missing(0.02)),
        "day": pa.array(random.integers(10_000, 12_000, rows, dtype=np.int32)).cast(pa.date32()),
    })
    _write(folder / "cities.parquet", {"city": pa.array(WORDS["city"][:150], pa.string()), "zone": pa.array(np.arange(150) % 7)})
    _write(folder / "shops.parquet", {"shop": pa.array(np.arange(900, dtype=np.int16)), "area": pa.array(np.arange(900) % 11)})
    _write(folder / "names.parquet", {"name": names.slice(0, max(many * 9 // 10, 1)), "group": pa.array(np.arange(max(many * 9 // 10, 1)) % 13)})


def _write(path: Path, columns: dict[str, Any]) -> None:
    pyarrow.parquet.write_table(pa.table(columns), path, row_group_size=ROW_GROUP)


# In the words of others.
SQL = {
    "t01": "select city, sum(size) size, sum(count) count from x group by city",
    "t02": "select city, kind, min(weight) least, max(weight) most, count(weight) n from x group by city, kind",
    "t03": "select shop, sum(count) count, avg(price) price from x group by shop",
    "t04": "select name, count(price) n, count(distinct shop) shops from x group by name",
    "t05": "select name, sum(price) price, avg(count) count from x group by name",
    "t06": "select shop, size, min(price) least, max(price) most, count(price) n from x group by shop, size",
    "t07": "select day, sum(price) price from x group by day",
    "t08": "select kind, shop, count(*) size from x group by kind, shop",
    "t09": "select open, stddev(price) price from x where open is not null group by open",
    "t10": "select size, avg(price) mean, median(price) middle from x group by size",
    "t11": "select zone, sum(price) price, count(size) n from x join cities using (city) group by zone order by zone",
    "t12": "select area, avg(price) price, count(price) n from x left join shops using (shop) where area is not null group by area order by area",
    "t13": 'select "group", sum(price) price, count(price) n from x join names using (name) group by "group" order by "group"',
    "t14": "select size, weight, id from x order by size desc, weight, id limit 1000",
    "t15": "select price, id from x order by price desc nulls last, id limit 1000",
    "t16": "select distinct shop, day from x order by shop, day",
    "t17": """select unnest([sum(size), max(count), min(weight), sum(count), avg(price), max(price), sum(open::int)]::double[]) as value from x""",
    "t18": "select sum(price * count - price / 2) as value from x where price > 20 and size < 100 and open",
}


def polars_queries(x: Any, cities: Any, shops: Any, names: Any) -> Mapping[str, Callable[[], Any]]:
    """The questions as Polars has them, over lazy frames."""
    import polars as pl

    c = pl.col
    return {
        "t01": lambda: x.group_by("city").agg(c("size").cast(pl.Int64).sum(), c("count").cast(pl.Int64).sum()),
        "t02": lambda: x.group_by("city", "kind").agg(c("weight").min().alias("least"), c("weight").max().alias("most"), c("weight").count().alias("n")),
        "t03": lambda: x.group_by("shop").agg(c("count").cast(pl.Int64).sum(), c("price").mean()),
        "t04": lambda: x.group_by("name").agg(c("price").count().alias("n"), c("shop").n_unique().alias("shops")),
        "t05": lambda: x.group_by("name").agg(c("price").sum(), c("count").mean()),
        "t06": lambda: x.group_by("shop", "size").agg(c("price").min().alias("least"), c("price").max().alias("most"), c("price").count().alias("n")),
        "t07": lambda: x.group_by("day").agg(c("price").sum()),
        "t08": lambda: x.group_by("kind", "shop").agg(pl.len().alias("size")),
        "t09": lambda: x.filter(c("open").is_not_null()).group_by("open").agg(c("price").std()),
        "t10": lambda: x.group_by("size").agg(c("price").mean().alias("mean"), c("price").median().alias("middle")),
        "t11": lambda: x.join(cities, on="city").group_by("zone").agg(c("price").sum(), c("size").count().alias("n")).sort("zone"),
        "t12": lambda: x.join(shops, on="shop", how="left").drop_nulls("area").group_by("area").agg(c("price").mean(), c("price").count().alias("n")).sort("area"),
        "t13": lambda: x.join(names, on="name").group_by("group").agg(c("price").sum(), c("price").count().alias("n")).sort("group"),
        "t14": lambda: x.select("size", "weight", "id").sort("size", "weight", "id", descending=[True, False, False]).head(1000),
        "t15": lambda: x.select("price", "id").sort("price", "id", descending=[True, False], nulls_last=True).head(1000),
        "t16": lambda: x.select("shop", "day").unique().sort("shop", "day"),
        "t17": lambda: x.select(
            pl.concat_list(
                *(
                    one.cast(pl.Float64)
                    for one in (c("size").cast(pl.Int64).sum(), c("count").max(), c("weight").min(), c("count").cast(pl.Int64).sum(), c("price").mean(), c("price").max(), c("open").sum())
                )
            ).alias("value")
        ).explode("value"),
        "t18": lambda: x.filter((c("price") > 20) & (c("size") < 100) & c("open")).select((c("price") * c("count") - c("price") / 2).sum().alias("value")),
    }
