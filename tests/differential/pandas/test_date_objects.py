"""Dates of Python, which pandas holds as objects: made by `dt.date`, given as objects, and read from files."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from compare import check

D = datetime.date
DAYS = [D(2020, 2, 29), D(1969, 12, 31), D(2020, 2, 29), D(2021, 1, 1), D(1, 1, 1), D(9999, 12, 31), D(2020, 3, 1), D(2021, 1, 1)]
TIMES = pandas.to_datetime([f"{1970 + 7 * (at % 5)}-0{1 + at % 9}-1{at} 23:59:59" for at in range(8)]).to_numpy()


def _with(values: list[Any], missing: Any) -> Any:
    made = np.empty(len(values), object)
    for at, value in enumerate(values):
        made[at] = missing if at in (1, 6) else value
    return made


COLUMNS: dict[str, Any] = {
    "whole": _with(DAYS, D(2000, 1, 1)),
    "none": _with(DAYS, None),
    "nat": _with(DAYS, pandas.NaT),
    "nan": _with(DAYS, np.nan),
    "two": np.array([None, np.nan, *DAYS[2:]], dtype=object),
    "number": np.array([1.5, np.nan, *DAYS[2:]], dtype=object),
    "times": np.array([datetime.datetime(2020, 1, 1), *DAYS[1:]], dtype=object),
}
PROGRAMS: dict[str, Any] = {
    "groups": lambda pd, f: f.groupby("d").v.sum(),
    "groups-unsorted": lambda pd, f: f.groupby("d", sort=False).agg({"v": ["min", "count"]}),
    "groups-nulls": lambda pd, f: f.groupby("d", dropna=False).v.sum(),
    "groups-two": lambda pd, f: f.groupby(["k", "d"]).v.sum(),
    "groups-as-columns": lambda pd, f: f.groupby(["d", "k"], as_index=False).v.max(),
    "transform": lambda pd, f: f.groupby("d").v.transform("sum"),
    "merge": lambda pd, f: f.merge(f[["d", "k"]].drop_duplicates("d"), on="d"),
    "merge-left": lambda pd, f: f.merge(f[f.k > 0][["d", "v"]], on="d", how="left"),
    "merge-outer": lambda pd, f: f.merge(f[f.k > 0][["d", "v"]], on="d", how="outer"),
    "merge-carried": lambda pd, f: f[["k"]].merge(f[f.k > 0], on="k", how="left"),
    "sort": lambda pd, f: f.sort_values("d"),
    "sort-down": lambda pd, f: f.sort_values(["d", "v"], ascending=False),
    "distinct": lambda pd, f: f.drop_duplicates("d"),
    "equal": lambda pd, f: f[f.d == D(2020, 2, 29)],
    "not-equal": lambda pd, f: f.d != D(2020, 2, 29),
    "less": lambda pd, f: f.d < D(2020, 2, 29),
    "same": lambda pd, f: f.d == f.d,
    "timestamp": lambda pd, f: f.d == pandas.Timestamp(2020, 2, 29),
    "isin": lambda pd, f: f.d.isin([D(2020, 2, 29)]),
    "isna": lambda pd, f: f.d.isna(),
    "fillna": lambda pd, f: f.d.fillna(D(2000, 1, 1)),
    "dropna": lambda pd, f: f.dropna(),
    "shift": lambda pd, f: f.d.shift(),
    "counts": lambda pd, f: f.d.value_counts(),
    "unique": lambda pd, f: f.d.unique(),
    "nunique": lambda pd, f: f.d.nunique(),
    "extremes": lambda pd, f: (f.d.dropna().min(), f.d.dropna().max()),
    "group-first": lambda pd, f: f.groupby("k").d.first(),
    "group-count": lambda pd, f: f.groupby("k").d.count(),
    "group-max": lambda pd, f: f.dropna().groupby("k").d.max(),
    "arrow": lambda pd, f: f.d.astype("date32[pyarrow]"),
    "times": lambda pd, f: pd.to_datetime(f.d),
    "text": lambda pd, f: f.d.astype(str),
    "csv": lambda pd, f: f.to_csv(),
    "json": lambda pd, f: f.to_json(),
    "index": lambda pd, f: f.set_index("d").sort_index(),
    "concat": lambda pd, f: pd.concat([f, f[f.k > 0]]),
    "map": lambda pd, f: f.d.map(lambda day: day if isinstance(day, D) else None),
    "cell": lambda pd, f: f.d.iloc[0],
    "convert": lambda pd, f: f.convert_dtypes(),
    "infer": lambda pd, f: f.infer_objects(),
    "where": lambda pd, f: f.d.where(f.k > 0),
    "pivot": lambda pd, f: f.pivot_table(index="d", columns="k", values="v", aggfunc="sum"),
}
#: What must be computed by the engine where dates are all there is.
NATIVE = {"groups", "groups-two", "groups-as-columns", "merge", "sort", "distinct", "equal", "not-equal", "less", "isna"}


def _frame(days: Any) -> Any:
    return pandas.DataFrame({"d": days, "k": [0, 1, 0, 2, 1, 0, 1, 2], "v": np.arange(8) * 1.5})


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_objects(name: str, kind: str) -> None:
    check(PROGRAMS[name], _frame(COLUMNS[kind]), native=kind == "whole" and name in NATIVE)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("zone", [None, "Europe/Paris"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_dates_of_timestamps(name: str, zone: str | None, gaps: bool) -> None:
    times = pandas.Series(TIMES)
    if gaps:
        times[[1, 6]] = pandas.NaT
    if zone is not None:
        times = times.dt.tz_localize("UTC").dt.tz_convert(zone)

    def program(pd: Any, f: Any) -> Any:
        return PROGRAMS[name](pd, f.assign(d=f.d.dt.date))

    for rows in (slice(None), slice(1), slice(0), slice(1, 2)):
        check(program, _frame(times).iloc[rows], native=not gaps and rows == slice(None) and name in NATIVE)


@pytest.mark.parametrize("backend", [None, "pyarrow", "numpy_nullable"])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_dates_of_files(name: str, gaps: bool, backend: str | None, tmp_path: Path) -> None:
    days = [None if gaps and at in (1, 6) else day for at, day in enumerate(DAYS)]
    table = pyarrow.table({"d": pyarrow.array(days, pyarrow.date32()), "k": [0, 1, 0, 2, 1, 0, 1, 2], "v": np.arange(8) * 1.5})
    pyarrow.parquet.write_table(table, tmp_path / "days.parquet")
    options = {} if backend is None else {"dtype_backend": backend}

    def program(pd: Any) -> Any:
        return PROGRAMS[name](pd, pd.read_parquet(tmp_path / "days.parquet", **options))

    check(program, native=not gaps and backend is None and name in NATIVE)


@pytest.mark.parametrize("backend", [None, "pyarrow", "numpy_nullable"])
def test_every_type_of_a_file(backend: str | None, tmp_path: Path) -> None:
    columns = {
        "bool": pyarrow.array([True, None, False]),
        "whole bool": pyarrow.array([True, True, False]),
        **{str(kind): pyarrow.array([1, None, 3], kind) for kind in (pyarrow.int8(), pyarrow.int64(), pyarrow.uint16(), pyarrow.float32(), pyarrow.float64())},
        **{f"whole {kind}": pyarrow.array([1, 2, 3], kind) for kind in (pyarrow.int8(), pyarrow.int64(), pyarrow.uint16(), pyarrow.float32(), pyarrow.float64())},
        "nan": pyarrow.array([1.0, float("nan"), None]),
        "text": pyarrow.array(["a", None, "ä"]),
        "time": pyarrow.array([datetime.datetime(2020, 1, 1), None, datetime.datetime(1969, 1, 1)]),
        "date": pyarrow.array([D(2020, 1, 1), None, D(1969, 1, 1)]),
        "duration": pyarrow.array([datetime.timedelta(1), None, datetime.timedelta(0)]),
        "nothing": pyarrow.array([None, None, None], pyarrow.date32()),
    }
    options = {} if backend is None else {"dtype_backend": backend}
    for name, column in columns.items():
        pyarrow.parquet.write_table(pyarrow.table({"v": column, "k": [1, 2, 1]}), tmp_path / "one.parquet")
        for program in (
            lambda pd: pd.read_parquet(tmp_path / "one.parquet", **options),
            lambda pd: pd.read_parquet(tmp_path / "one.parquet", **options).v.isna(),
            lambda pd: pd.read_parquet(tmp_path / "one.parquet", **options).groupby("k").v.count(),
            lambda pd: pd.read_parquet(tmp_path / "one.parquet", **options).sort_values("v"),
        ):
            try:
                check(program, native=name != "nothing")
            except AssertionError as error:
                raise AssertionError(f"{name}: {error}") from error
