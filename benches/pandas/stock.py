"""Questions of a shop about its stock, whose keys are categories and whose numbers are nullable integers of 32 bits: ten of groups, five of joins.

`pd` is pandas or a module that stands in for it. The tables are made with these dtypes once, when they are loaded; the questions are about what it costs to work with them.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

GROUPS = [f"s{number:02}" for number in range(1, 11)]
JOINS = [f"s{number:02}" for number in range(11, 16)]
QUERIES = [*GROUPS, *JOINS]
TABLES = ["moves", "aisles", "depots", "suppliers", "prices", "counts"]
# By what the rows of an answer are told apart, where a question asks for no order.
KEYS = {
    "s01": ["aisle"], "s02": ["aisle", "depot"], "s03": ["article"], "s04": ["shelf"], "s05": ["bin"], "s06": ["shelf", "week"], "s07": ["article"], "s08": ["bin", "price"],
    "s09": ["depot", "shelf"], "s10": ["aisle", "depot", "article", "shelf", "week", "bin"],
    **dict.fromkeys(JOINS, ["move"]),
}
ROW_GROUP = 1 << 20


def s01(pd, t):
    """A sum of nullable integers by a category."""
    return t["moves"].groupby("aisle", as_index=False, sort=False, observed=True).agg({"units": "sum"})


def s02(pd, t):
    """A sum by two categories."""
    return t["moves"].groupby(["aisle", "depot"], as_index=False, sort=False, observed=True).agg({"units": "sum"})


def s03(pd, t):
    """A sum and a mean by a category of many values."""
    return t["moves"].groupby("article", as_index=False, sort=False, observed=True).agg({"units": "sum", "price": "mean"})


def s04(pd, t):
    """Three means by a nullable integer of few values."""
    return t["moves"].groupby("shelf", as_index=False, sort=False).agg({"units": "mean", "returned": "mean", "price": "mean"})


def s05(pd, t):
    """Three sums by a nullable integer of many values."""
    return t["moves"].groupby("bin", as_index=False, sort=False).agg({"units": "sum", "returned": "sum", "price": "sum"})


def s06(pd, t):
    """The median and the deviation by two nullable integers."""
    return t["moves"].groupby(["shelf", "week"], as_index=False, sort=False).agg(middle=("price", "median"), spread=("price", "std"))


def s07(pd, t):
    """The distance between the most of one column and the least of another, by a function of the groups' frame."""
    bounds = t["moves"].groupby("article", as_index=False, sort=False, observed=True).agg({"units": "max", "returned": "min"})
    return bounds.assign(distance=lambda frame: frame["units"] - frame["returned"])[["article", "distance"]]


def s08(pd, t):
    """The two greatest prices of each bin."""
    return t["moves"][["bin", "price"]].sort_values("price", ascending=False, kind="stable").groupby("bin", as_index=False, sort=False).head(2)


def s09(pd, t):
    """The squared correlation of two columns, from their sums, by a category and an integer."""
    made = t["moves"][["depot", "shelf", "units", "returned"]].dropna().astype({"units": "float64", "returned": "float64"})
    made = made.assign(xx=made["units"] ** 2, xy=made["units"] * made["returned"], yy=made["returned"] ** 2)
    sums = made.groupby(["depot", "shelf"], as_index=False, sort=False, observed=True).agg(
        n=("units", "count"), x=("units", "sum"), y=("returned", "sum"), xx=("xx", "sum"), xy=("xy", "sum"), yy=("yy", "sum")
    )
    sums["r2"] = (sums["n"] * sums["xy"] - sums["x"] * sums["y"]) ** 2 / ((sums["n"] * sums["xx"] - sums["x"] ** 2) * (sums["n"] * sums["yy"] - sums["y"] ** 2))
    return sums[["depot", "shelf", "r2"]]


def s10(pd, t):
    """A sum and a count by six keys of all dtypes: nearly every row is a group."""
    keys = ["aisle", "depot", "article", "shelf", "week", "bin"]
    return t["moves"].groupby(keys, as_index=False, sort=False, observed=True).agg({"price": "sum", "units": "count"})


def s11(pd, t):
    """A join by a category, the same on both sides."""
    return t["moves"].merge(t["aisles"], on="aisle")


def s12(pd, t):
    """A left join by categories that have the same values in another order."""
    return t["moves"].merge(t["depots"], on="depot", how="left")


def s13(pd, t):
    """A join by categories of which each side has some that the other has not."""
    return t["moves"].merge(t["suppliers"], on="article")


def s14(pd, t):
    """A join by a nullable integer."""
    return t["moves"].merge(t["prices"], on="bin")


def s15(pd, t):
    """A left join by a category and a nullable integer."""
    return t["moves"].merge(t["counts"], on=["depot", "shelf"], how="left")


AISLES = [f"aisle {number}" for number in range(40)]
DEPOTS = ["north", "east", "south", "west", "harbour", "airport", "returns", "repairs"]


def articles(rows: int) -> list[str]:
    """The articles that there are."""
    return [f"article {number:07}" for number in range(max(rows // 100, 10))]


def load(pd: Any, folder: Path, name: str) -> Any:
    """A table with its dtypes: categories for texts, and nullable integers of 32 bits for integers but the number of a move."""
    frame = pd.read_parquet(folder / f"{name}.parquet")
    known = pd.read_parquet(folder / "articles.parquet")["article"].tolist()
    values = {
        "aisle": AISLES,
        "depot": DEPOTS if name != "depots" else DEPOTS[::-1],
        "article": known if name != "suppliers" else known[len(known) // 4:] + [f"new {number}" for number in range(len(known) // 8)],
    }
    dtypes: dict[str, Any] = {column: pd.CategoricalDtype(values[column]) for column in values if column in frame.columns}
    dtypes |= {column: "Int32" for column in ("shelf", "week", "bin", "units", "returned", "counted") if column in frame.columns}
    return frame.astype(dtypes)


def write(folder: Path, rows: int) -> None:
    """The moves of a stock, and five tables to join with them; the same for the same number of rows."""
    random = np.random.default_rng(31)
    known = articles(rows)
    bins = max(rows // 100, 10)

    def some(words: list[str]) -> pa.Array:
        return pa.array(words, pa.string()).take(pa.array(random.integers(0, len(words), rows)))

    def numbers(most: int, missing: float = 0.0) -> pa.Array:
        return pa.array(random.integers(0, most, rows, dtype=np.int32), mask=random.random(rows) < missing)

    _write(folder / "moves.parquet", {
        "move": np.arange(rows, dtype=np.int64),
        "aisle": some(AISLES),
        "depot": some(DEPOTS),
        "article": some(known),
        "shelf": numbers(100),
        "week": numbers(100),
        "bin": numbers(bins, 0.01),
        "units": numbers(50, 0.03),
        "returned": numbers(15, 0.05),
        "price": random.uniform(0.0, 100.0, rows).round(6),
    })
    _write(folder / "articles.parquet", {"article": pa.array(known, pa.string())})
    _write(folder / "aisles.parquet", {"aisle": pa.array(AISLES[:36], pa.string()), "floor": np.arange(36) % 3})
    _write(folder / "depots.parquet", {"depot": pa.array(DEPOTS[1:], pa.string()), "city": pa.array([f"city {depot[0]}" for depot in DEPOTS[1:]], pa.string())})
    offered = known[len(known) // 4:] + [f"new {number}" for number in range(len(known) // 8)]
    _write(folder / "suppliers.parquet", {"article": pa.array(offered, pa.string()), "supplier": np.arange(len(offered)) % 17})
    _write(folder / "prices.parquet", {"bin": np.arange(bins * 9 // 10, dtype=np.int32), "rent": random.uniform(1.0, 9.0, bins * 9 // 10).round(2)})
    pairs = [(depot, shelf) for depot in DEPOTS[:6] for shelf in range(90)]
    _write(folder / "counts.parquet", {
        "depot": pa.array([depot for depot, _ in pairs], pa.string()),
        "shelf": np.array([shelf for _, shelf in pairs], dtype=np.int32),
        "counted": pa.array(random.integers(0, 1000, len(pairs), dtype=np.int32), mask=random.random(len(pairs)) < 0.1),
    })


def _write(path: Path, columns: dict[str, Any]) -> None:
    pyarrow.parquet.write_table(pa.table(columns), path, row_group_size=ROW_GROUP)
