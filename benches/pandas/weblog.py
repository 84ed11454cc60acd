"""Questions of one line over the log of a web server, as they are typed into a notebook: counts, distinct visitors, the most frequent of something, texts that contain something.

`pd` is pandas or a module that stands in for it. A question returns a frame, a series or a value; a value is the only one of a frame in the answers.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

ROW_GROUP = 1 << 20
DAY = "2024-03-10"

Question = Callable[[Any, Any], Any]
QUESTIONS: dict[str, Question] = {
    # How many, and of what size.
    "w01": lambda pd, log: log.shape[0],
    "w02": lambda pd, log: (log["campaign"] != 0).sum(),
    "w03": lambda pd, log: pd.Series([log["campaign"].sum(), log["request"].count(), log["width"].mean()]),
    "w04": lambda pd, log: log["visitor"].mean(),
    "w05": lambda pd, log: log["visitor"].nunique(),
    "w06": lambda pd, log: log["query"].nunique(),
    "w07": lambda pd, log: pd.Series([log["time"].min(), log["time"].max()]),
    "w08": lambda pd, log: log["bytes"].describe(),
    "w09": lambda pd, log: log["bytes"].quantile([0.5, 0.9, 0.99]),
    "w10": lambda pd, log: pd.Series([(log["width"] + more).sum() for more in range(60)]),
    "w11": lambda pd, log: pd.Series([log["bytes"].shift(rows).sum() for rows in range(1, 21)]),
    "w12": lambda pd, log: (log["visitor"] == log["visitor"].shift(1)).sum(),
    "w13": lambda pd, log: log.isna().sum(),
    # The most frequent.
    "w14": lambda pd, log: log[log["campaign"] != 0]["campaign"].value_counts(),
    "w15": lambda pd, log: log.groupby("region")["visitor"].nunique().nlargest(10),
    "w16": lambda pd, log: log.groupby("region").agg({"campaign": "sum", "width": "mean", "visitor": "nunique"}).nlargest(10, "visitor"),
    "w17": lambda pd, log: log[log["device"] != ""].groupby("device")["visitor"].nunique().nlargest(10),
    "w18": lambda pd, log: log[log["device"] != ""].groupby(["system", "device"])["visitor"].nunique().nlargest(10),
    "w19": lambda pd, log: log[log["query"] != ""].groupby("query").size().nlargest(10),
    "w20": lambda pd, log: log[log["query"] != ""].groupby("query")["visitor"].nunique().nlargest(10),
    "w21": lambda pd, log: log[log["query"] != ""].groupby(["engine", "query"]).size().nlargest(10),
    "w22": lambda pd, log: log.groupby("visitor").size().nlargest(10),
    "w23": lambda pd, log: log.groupby(["visitor", "query"]).size().nlargest(10),
    "w24": lambda pd, log: log.groupby(["visitor", log["time"].dt.minute, "query"]).size().nlargest(10),
    "w25": lambda pd, log: log["url"].value_counts().nlargest(10),
    "w26": lambda pd, log: log.groupby(["visitor", "address"]).agg({"refresh": "sum", "width": "mean", "request": "count"}).nlargest(10, ["request", "width"]),
    # Some rows.
    "w27": lambda pd, log: log[log["visitor"] == 4_000_435],
    "w28": lambda pd, log: log["url"].str.contains("search", regex=False).sum(),
    "w29": lambda pd, log: log[log["url"].str.contains("search", regex=False) & (log["query"] != "")].groupby("query").agg(url=("url", "min"), n=("url", "size")).nlargest(10, "n"),
    "w30": lambda pd, log: log[log["title"].str.startswith("Offers")].groupby("query").agg(n=("url", "size"), visitors=("visitor", "nunique")).nlargest(10, "n"),
    "w31": lambda pd, log: log[log["url"].str.contains("search", regex=False)].sort_values(["time", "request"]).head(10),
    "w32": lambda pd, log: log[log["query"] != ""].sort_values(["time", "request"])["query"].head(10),
    "w33": lambda pd, log: log[log["query"] != ""].sort_values("query", kind="stable")["query"].head(10),
    "w34": lambda pd, log: log[log["status"] >= 500].groupby(["status", log["time"].dt.hour]).size(),
    # Made of texts and times.
    "w35": lambda pd, log: log[log["url"] != ""].assign(length=log["url"].str.len()).groupby("region")["length"].mean().nlargest(25),
    "w36": lambda pd, log: log["referrer"].str.split("/").str[2].value_counts().head(5),
    "w37": lambda pd, log: log[log["time"].dt.strftime("%Y-%m-%d") == DAY].groupby("url").size().nlargest(10),
    "w38": lambda pd, log: log.groupby(log["time"].dt.floor("min")).size().nlargest(10),
    "w39": lambda pd, log: log.groupby(log["time"].dt.date)["visitor"].nunique(),
    "w40": lambda pd, log: log.set_index("time")["bytes"].resample("h").sum(),
    "w41": lambda pd, log: log[(log["time"] >= DAY) & (log["refresh"] == 0) & (log["campaign"] == 0)].groupby(["width", "height"]).size().nlargest(10),
    "w42": lambda pd, log: log.pivot_table(index="system", columns="status", values="bytes", aggfunc="mean"),
    "w43": lambda pd, log: log[["visitor", "region"]].drop_duplicates().groupby("region").size().nlargest(10),
}


def ask(question: Question, pd: Any, log: Any) -> Any:
    """The answer to a question as a frame or a series."""
    answer = question(pd, log)
    return answer if hasattr(answer, "ndim") and answer.ndim > 0 else pd.DataFrame({"value": [answer]})


def write(folder: Path, rows: int) -> None:
    """The log of a month, the same for the same number of rows."""
    random = np.random.default_rng(404)
    visitors = max(rows // 12, 10)

    def integers(most: int, dtype: Any = np.int64, skew: float = 1.0) -> np.ndarray:
        return (most * random.random(rows) ** skew).astype(dtype)

    def words(values: list[str], skew: float, absent: float) -> pa.Array:
        # The first is for rows that have nothing to say.
        chosen = np.where(random.random(rows) < absent, 0, 1 + integers(len(values), skew=skew))
        return pa.array(["", *values], pa.string()).take(pa.array(chosen))

    pages = [f"https://shop.example/{kind}/{number}" for number in range(max(rows // 40, 10)) for kind in ("item", "search?text", "news")]
    asked = [f"{first} {second} {number}" for number in range(max(rows // 400, 5)) for first in ("buy", "used", "cheap") for second in ("boots", "tents", "lamps")]
    sites = [f"https://{name}.example/{number}" for number in range(max(rows // 200, 5)) for name in ("maps", "mail", "news", "forum")]
    titles = [f"{kind} no. {number}" for number in range(max(rows // 100, 5)) for kind in ("Offers", "Item", "Reviews")]
    visitor = integers(visitors, skew=2.0)
    _write(folder / "log.parquet", {
        "request": np.arange(rows, dtype=np.int64),
        "time": np.datetime64("2024-03-01T00:00:00.000000") + np.sort(random.integers(0, 31 * 86_400, rows)).astype("timedelta64[s]"),
        "visitor": visitor + 4_000_000,
        "address": (visitor * 7919) % 1_000_003 + integers(2, np.int64),
        "region": integers(2000, np.int32, 3.0),
        "system": integers(30, np.int16, 2.0),
        "device": words([f"phone {number}" for number in range(150)], 2.0, 0.9),
        "engine": integers(40, np.int16, 3.0),
        "query": words(asked, 3.0, 0.87),
        "url": words(pages, 2.5, 0.001),
        "referrer": words(sites, 2.0, 0.4),
        "title": words(titles, 1.5, 0.05),
        "campaign": np.where(random.random(rows) < 0.95, 0, integers(20)).astype(np.int16),
        "refresh": (random.random(rows) < 0.1).astype(np.int16),
        "width": random.choice(np.array([0, 360, 768, 1024, 1366, 1920, 2560], dtype=np.int16), rows),
        "height": random.choice(np.array([0, 640, 768, 1080, 1440], dtype=np.int16), rows),
        "status": random.choice(np.array([200, 200, 200, 200, 301, 304, 404, 500, 503], dtype=np.int16), rows),
        "bytes": pa.array(random.gamma(1.2, 9000.0, rows).astype(np.int64).astype(float), mask=random.random(rows) < 0.02),
    })


def _write(path: Path, columns: dict[str, pa.Array | np.ndarray]) -> None:
    pyarrow.parquet.write_table(pa.table(columns), path, row_group_size=ROW_GROUP)
