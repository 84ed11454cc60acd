"""A script about hired bicycles and the weather, of the kind that is written once and run every month: dates taken out of timestamps, two tables merged by them, functions with
branches mapped over columns, and groups of six keys, of which there are nearly as many as there are hires.

`pd` is pandas or a module that stands in for it.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

ROW_GROUP = 1 << 20
STATIONS = 400
KEYS = ["start_station", "end_station", "month", "workday", "weather", "time_of_day"]


def time_of_day(hour):
    """What riders call an hour."""
    if hour in (7, 8, 9):
        part = "to work"
    elif hour in (16, 17, 18):
        part = "to home"
    elif 10 <= hour < 16:
        part = "day"
    elif 19 <= hour < 23:
        part = "evening"
    else:
        part = "night"
    return part


def weather_of(rain):
    """What riders call a day with this much rain."""
    if rain > 8.0:
        return "soaked"
    elif rain > 0.5:
        return "wet"
    return "dry"


def prepared(pd, hires, weather):
    """Each hire with its date, and with what the weather was."""
    weather = weather.rename(columns={"DAY": "date", "RAIN_MM": "rain", "HIGH": "high"})
    weather["date"] = pd.to_datetime(weather["date"]).dt.date
    weather["weather"] = weather["rain"].map(weather_of)

    hires = hires.rename(columns={"started_at": "start", "ended_at": "end"})
    hires["date"] = hires["start"].dt.date
    hires["month"] = hires["start"].dt.month
    hires["hour"] = hires["start"].dt.hour
    hires["workday"] = hires["start"].dt.day_of_week.isin([0, 1, 2, 3, 4])
    hires["minutes"] = (hires["end"] - hires["start"]).dt.total_seconds() / 60
    joined = hires.merge(weather[["date", "weather", "high"]], on="date", how="inner")
    joined["time_of_day"] = joined["hour"].map(time_of_day)
    return joined


def hires(pd, hires, weather):
    """The whole script: the name of each result with its frame or series."""
    joined = prepared(pd, hires, weather)
    routes = joined.groupby(KEYS, as_index=False).agg({"hire": "count", "kilometres": "mean"})
    routes = routes.rename(columns={"hire": "hires", "kilometres": "mean_kilometres"}).sort_values(KEYS)
    members = joined[joined["member"] == "member"]
    return {
        "routes": routes,
        "days": joined.groupby("date", as_index=False).agg(hires=("hire", "count"), minutes=("minutes", "median"), high=("high", "first")).sort_values("date"),
        "weather": joined.groupby(["weather", "time_of_day"])["minutes"].mean().unstack(),
        "members": members.groupby(["month", "workday"], as_index=False)["kilometres"].sum(),
        "longest": joined[["hire", "date", "start_station", "minutes"]].nlargest(25, "minutes"),
        "shares": joined["weather"].value_counts(normalize=True),
    }


def write(folder: Path, rows: int) -> None:
    """Hires of two years and their weather, the same for the same number of rows."""
    random = np.random.default_rng(77)
    days = 730
    start = np.datetime64("2022-01-01T00:00:00.000000") + random.integers(0, days * 86_400, rows).astype("timedelta64[s]")
    minutes = random.gamma(2.0, 8.0, rows) + 1.0
    names = pa.array([f"{number:03} {word}" for number in range(STATIONS // 4) for word in ("Bridge", "Market", "Harbour", "School")], pa.string())

    def station() -> pa.Array:
        # Some stations are far busier than others.
        return names.take(pa.array((STATIONS * random.random(rows) ** 2).astype(np.int64)))

    _write(folder / "hires.parquet", {
        "hire": np.arange(rows, dtype=np.int64),
        "started_at": start,
        "ended_at": start + (minutes * 60).astype("timedelta64[s]"),
        "start_station": station(),
        "end_station": station(),
        "member": pa.array(["member", "casual"], pa.string()).take(pa.array((random.random(rows) < 0.3).astype(np.int64))),
        "kilometres": (minutes * random.uniform(0.15, 0.3, rows)).round(3),
    })
    _write(folder / "weather.parquet", {
        "DAY": np.datetime_as_string(np.datetime64("2022-01-01") + np.arange(days)).astype(object),
        "RAIN_MM": np.where(random.random(days) < 0.5, 0.0, random.exponential(5.0, days)).round(1),
        "HIGH": (14 - 11 * np.cos(np.arange(days) * 2 * np.pi / 365) + random.normal(0.0, 3.0, days)).round(1),
    })


def _write(path: Path, columns: dict[str, pa.Array | np.ndarray]) -> None:
    pyarrow.parquet.write_table(pa.table(columns), path, row_group_size=ROW_GROUP)
