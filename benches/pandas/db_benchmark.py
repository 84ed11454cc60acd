"""The questions of db-benchmark as a pandas user answers them: ten of groups, five of joins; and data of the same distributions.

`pd` is pandas or a module that stands in for it. The order of groups is not asked for, so none is paid for.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

GROUPS = [f"g{number:02}" for number in range(1, 11)]
# Each question of joins, with the table that it joins.
JOINS = {"j01": "small", "j02": "medium", "j03": "medium", "j04": "medium", "j05": "big"}
ROW_GROUP = 1 << 20


def g01(pd, x):
    """Sum by a text of few values."""
    return x.groupby("id1", as_index=False, sort=False).agg(v1=("v1", "sum"))


def g02(pd, x):
    """Sum by two texts."""
    return x.groupby(["id1", "id2"], as_index=False, sort=False).agg(v1=("v1", "sum"))


def g03(pd, x):
    """Sum and mean by a text of many values."""
    return x.groupby("id3", as_index=False, sort=False).agg(v1=("v1", "sum"), v3=("v3", "mean"))


def g04(pd, x):
    """Three means by a number of few values."""
    return x.groupby("id4", as_index=False, sort=False)[["v1", "v2", "v3"]].mean()


def g05(pd, x):
    """Three sums by a number of many values."""
    return x.groupby("id6", as_index=False, sort=False)[["v1", "v2", "v3"]].sum()


def g06(pd, x):
    """Median and deviation by two numbers."""
    return x.groupby(["id4", "id5"], as_index=False, sort=False).agg(median_v3=("v3", "median"), sd_v3=("v3", "std"))


def g07(pd, x):
    """The range between two columns by a text of many values."""
    bounds = x.groupby("id3", as_index=False, sort=False).agg(greatest=("v1", "max"), least=("v2", "min"))
    bounds["range_v1_v2"] = bounds["greatest"] - bounds["least"]
    return bounds[["id3", "range_v1_v2"]]


def g08(pd, x):
    """The two largest values in each group."""
    return x[["id6", "v3"]].sort_values("v3", ascending=False).groupby("id6", sort=False).head(2)


def g09(pd, x):
    """The squared correlation of two columns in each group, from their sums: a call of `corr` for each group takes minutes."""
    products = x.assign(v11=x["v1"] * x["v1"], v12=x["v1"] * x["v2"], v22=x["v2"] * x["v2"])
    sums = products.groupby(["id2", "id4"], as_index=False, sort=False).agg(
        n=("v1", "count"), v1=("v1", "sum"), v2=("v2", "sum"), v11=("v11", "sum"), v12=("v12", "sum"), v22=("v22", "sum")
    )
    shared = sums["n"] * sums["v12"] - sums["v1"] * sums["v2"]
    first = sums["n"] * sums["v11"] - sums["v1"] ** 2
    second = sums["n"] * sums["v22"] - sums["v2"] ** 2
    sums["r2"] = shared ** 2 / (first * second)
    return sums[["id2", "id4", "r2"]]


def g10(pd, x):
    """Sum and count by six columns: nearly every row is a group."""
    keys = ["id1", "id2", "id3", "id4", "id5", "id6"]
    return x.groupby(keys, as_index=False, sort=False).agg(v3=("v3", "sum"), count=("v1", "size"))


def j01(pd, x, small, medium, big):
    """Few rows, by a number."""
    return x.merge(small, on="id1")


def j02(pd, x, small, medium, big):
    """A thousandth of the rows, by a number."""
    return x.merge(medium, on="id2")


def j03(pd, x, small, medium, big):
    """A thousandth of the rows, by a number, with those that have no partner."""
    return x.merge(medium, how="left", on="id2")


def j04(pd, x, small, medium, big):
    """A thousandth of the rows, by a text."""
    return x.merge(medium, on="id5")


def j05(pd, x, small, medium, big):
    """As many rows as there are, by a number."""
    return x.merge(big, on="id3")


def write_groups(folder: Path, rows: int, groups: int) -> None:
    """The table of the ten questions: `id1`, `id2`, `id4` and `id5` have as many values as there are groups, `id3` and `id6` as many as there are rows to each."""
    random = np.random.default_rng(108)
    many = max(rows // groups, 1)

    def numbers(most: int) -> np.ndarray:
        return random.integers(1, most + 1, rows, dtype=np.int64)

    _write(folder / "x.parquet", {
        "id1": _texts(numbers(groups), groups, "id{:03}"),
        "id2": _texts(numbers(groups), groups, "id{:03}"),
        "id3": _texts(numbers(many), many, "id{:010}"),
        "id4": numbers(groups),
        "id5": numbers(groups),
        "id6": numbers(many),
        "v1": numbers(5),
        "v2": numbers(15),
        "v3": random.uniform(0.0, 100.0, rows).round(6),
    })


def write_joins(folder: Path, rows: int) -> None:
    """The four tables of the five questions. Of the keys of either side, a tenth has no partner on the other."""
    random = np.random.default_rng(108)
    sizes = {"small": max(rows // 1_000_000, 10), "medium": max(rows // 1_000, 100), "big": rows}
    left, right = {}, {}
    for name, size in sizes.items():
        keys = random.permutation(np.arange(1, size + size // 10 + 1, dtype=np.int64))
        shared, alone = size - size // 10, size // 10
        left[name] = keys[:size]
        right[name] = np.concatenate([keys[:shared], keys[shared + alone:]])

    def drawn(keys: np.ndarray, count: int) -> np.ndarray:
        # Every key once, and then by chance: a key that no row has would be no key.
        again = random.choice(keys, count - len(keys)) if count > len(keys) else keys[:0]
        return random.permutation(np.concatenate([keys, again]))

    def columns(keys: dict[str, np.ndarray], names: list[str], count: int, value: str) -> dict[str, pa.Array | np.ndarray]:
        ids = {f"id{at + 1}": drawn(keys[name], count) for at, name in enumerate(names)}
        texts = {f"id{at + 4}": _texts(ids[f"id{at + 1}"], int(keys[name].max()), "id{}") for at, name in enumerate(names)}
        return {**ids, **texts, value: random.uniform(0.0, 100.0, count).round(6)}

    names = list(sizes)
    _write(folder / "x.parquet", columns(left, names, rows, "v1"))
    for at, name in enumerate(names):
        _write(folder / f"{name}.parquet", columns(right, names[: at + 1], sizes[name], "v2"))


def _texts(numbers: np.ndarray, most: int, form: str) -> pa.Array:
    # Each text is made once: making them row by row would take longer than the benchmark.
    return pa.array([form.format(number) for number in range(most + 1)], pa.string()).take(pa.array(numbers))


def _write(path: Path, columns: dict[str, pa.Array | np.ndarray]) -> None:
    pyarrow.parquet.write_table(pa.table(columns), path, row_group_size=ROW_GROUP)
