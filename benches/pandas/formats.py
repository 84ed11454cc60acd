"""Reading and writing Feather, JSON and SQLite: airloom beside pandas, on the same files and threads.

    python benches/pandas/formats.py [--rows 500000] [--threads 2] [--repeat 3]
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import tempfile
import warnings
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pandas
import pyarrow
import writing

import airloom
import airloom.pandas

Program = Callable[[Any], Any]


def programs(folder: str, connection: sqlite3.Connection, frames: dict[Any, Any]) -> dict[str, Program]:
    """What is measured, by name: each takes pandas, or what stands in its place. All of a result is looked at."""
    lz4, plain, lines, array = (os.path.join(folder, name) for name in ("lz4.feather", "plain.feather", "lines.json", "array.json"))

    def whole(frame: Any) -> Any:
        return frame._mgr

    return {
        "write feather": lambda pd: frames[pd].to_feather(lz4),
        "write feather, uncompressed": lambda pd: frames[pd].to_feather(plain, compression="uncompressed"),
        "write json lines": lambda pd: frames[pd].to_json(lines, orient="records", lines=True),
        "write json records": lambda pd: frames[pd].to_json(array, orient="records"),
        "write json columns": lambda pd: frames[pd].to_json(),
        "read feather": lambda pd: whole(pd.read_feather(lz4)),
        "read feather, uncompressed": lambda pd: whole(pd.read_feather(plain)),
        "read feather, two columns grouped": lambda pd: whole(pd.read_feather(lz4).groupby("name")["price"].mean()),
        "read json lines": lambda pd: whole(pd.read_json(lines, lines=True)),
        "read json records": lambda pd: whole(pd.read_json(array)),
        "read sql": lambda pd: whole(pd.read_sql("select id, count, value, price, name from t", connection)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    pyarrow.set_cpu_count(asked.threads)
    data = writing.frame(asked.rows)
    frames = {pandas: data, airloom.pandas: airloom.pandas.DataFrame(data)}
    with tempfile.TemporaryDirectory() as folder, closing(sqlite3.connect(os.path.join(folder, "t.db"))) as connection, airloom.options(threads=asked.threads):
        data.to_sql("t", connection, index=False)
        for name, program in programs(folder, connection, frames).items():
            theirs, ours = (writing.best(lambda pd=pd, program=program: program(pd), asked.repeat) for pd in (pandas, airloom.pandas))
            print(f"{name:34} airloom {ours * 1e3:7.0f} ms   pandas {theirs * 1e3:7.0f} ms   {theirs / ours:5.1f} times", flush=True)


if __name__ == "__main__":
    main()
