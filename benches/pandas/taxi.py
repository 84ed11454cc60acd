"""A notebook about taxi trips and the weather, as one program: raw text is parsed and cleaned, columns are added and changed in place, functions are
applied to values, and the summaries that a report needs are made.

`pd` is pandas or a module that stands in for it.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet

ROW_GROUP = 1 << 20
BOROUGHS = ["Manhattan", "Brooklyn", "Queens", "Bronx", "Staten Island", "Newark"]
PAYMENTS = {"crd": "card", "csh": "cash", "noc": "no charge", "dis": "dispute"}
VENDORS = {"CMT": "Creative Mobile", "VTS": "VeriFone", "DDS": "Digital Dispatch"}


def part_of_day(hour):
    """What people call an hour of the day."""
    if hour < 6:
        return "night"
    if hour < 10:
        return "morning"
    if hour < 16:
        return "midday"
    if hour < 20:
        return "evening"
    return "late"


def surcharge(hour):
    """What a ride costs more at some hours."""
    return 1.0 if 16 <= hour < 20 else 0.5 if hour >= 20 or hour < 6 else 0.0


def cleaned(pd, trips):
    """The trips with dates for text, tidy names, and without those that cannot be."""
    trips = trips.rename(columns={"tpep_pickup": "pickup", "tpep_dropoff": "dropoff", "PULocation": "origin", "DOLocation": "destination"})
    trips = trips.drop(columns=["store_and_forward"])
    trips["pickup"] = pd.to_datetime(trips["pickup"], format="%Y-%m-%d %H:%M:%S")
    trips["dropoff"] = pd.to_datetime(trips["dropoff"], format="%Y-%m-%d %H:%M:%S")
    trips["vendor"] = trips["vendor"].str.strip().str.upper()
    trips["company"] = trips["vendor"].map(VENDORS)
    trips["payment"] = trips["payment"].str.lower().str.slice(0, 3).map(PAYMENTS)
    trips["origin"] = trips["origin"].str.replace("_", " ").str.title()
    trips["destination"] = trips["destination"].str.replace("_", " ").str.title().fillna("Unknown")

    trips["passengers"] = trips["passengers"].fillna(1.0).astype("int64")
    trips.loc[trips["passengers"] == 0, "passengers"] = 1
    trips["tip"] = trips["tip"].fillna(0.0)
    trips.loc[trips["payment"] == "cash", "tip"] = 0.0
    trips.loc[trips["fare"] < 0, "fare"] = -trips["fare"]

    trips["minutes"] = (trips["dropoff"] - trips["pickup"]).dt.total_seconds() / 60
    sensible = (trips["minutes"] > 1) & (trips["minutes"] < 180) & (trips["distance"] > 0) & trips["fare"].between(2.5, 500)
    return trips[sensible].copy()


def enriched(pd, trips, weather):
    """The trips with what is known of their time, their price and their weather."""
    trips["date"] = trips["pickup"].dt.normalize()
    trips["month"] = trips["pickup"].dt.month
    trips["weekday"] = trips["pickup"].dt.day_of_week
    trips["hour"] = trips["pickup"].dt.hour
    trips["weekend"] = trips["weekday"] >= 5
    trips["part_of_day"] = trips["hour"].map(part_of_day)
    trips["speed"] = trips["distance"] / (trips["minutes"] / 60)
    trips["total"] = trips["fare"] + trips["tip"] + trips["hour"].map(surcharge)
    trips["tip_share"] = (trips["tip"] / trips["fare"]).round(2)
    trips["generous"] = trips["tip_share"].apply(lambda share: "yes" if share >= 0.2 else "no")
    trips["length"] = pd.cut(trips["distance"], bins=[0, 1, 2, 5, 10, 100], labels=["hop", "short", "usual", "long", "far"])
    trips.loc[trips["speed"] > 80, "speed"] = np.nan

    weather = weather.copy()
    weather["date"] = pd.to_datetime(weather["date"], format="%Y-%m-%d")
    weather["precipitation"] = weather["precipitation"].fillna(0.0)
    weather["warm"] = (weather["high"] + weather["low"]) / 2 > 15
    weather["wet"] = weather["precipitation"].apply(lambda inches: inches > 0.1)
    joined = trips.merge(weather, on="date", how="left")
    return joined.drop(columns=["high", "low", "station"])


def summaries(pd, trips):
    """What the report shows."""
    monthly = (
        trips.groupby(["month", "weekend", "part_of_day", "wet"], as_index=False)
        .agg(trips=("fare", "size"), distance=("distance", "mean"), fare=("fare", "mean"), longest=("minutes", "max"), passengers=("passengers", "sum"))
        .sort_values(["month", "weekend", "part_of_day", "wet"])
    )
    routes = (
        trips[trips["origin"] != trips["destination"]]
        .groupby(["origin", "destination"])
        .agg({"total": "sum", "speed": "median", "tip_share": "mean"})
        .reset_index()
    )
    routes = routes.sort_values("total", ascending=False).head(10)
    companies = trips.groupby("company")[["fare", "tip", "minutes"]].mean()
    companies["tip_share"] = companies["tip"] / companies["fare"]
    lengths = trips.groupby("length", observed=True).agg(trips=("fare", "count"), fare=("fare", "median"), speed=("speed", "mean"))
    return {
        "monthly": monthly,
        "routes": routes,
        "companies": companies,
        "lengths": lengths,
        "payments": trips["payment"].value_counts(),
        "generous": trips.groupby(["payment", "generous"]).size(),
        "origins": trips["origin"].value_counts(normalize=True),
        "hours": trips.pivot_table(index="weekday", columns="part_of_day", values="total", aggfunc="mean"),
        "rainy": trips[trips["wet"]].groupby("date")["total"].sum().sort_values(ascending=False).head(5),
        "dearest": trips[["pickup", "origin", "destination", "total"]].nlargest(20, "total"),
        "daily": trips.groupby("date", as_index=False)["total"].sum().sort_values("date").reset_index(drop=True),
    }


def taxi(pd, trips, weather):
    """The whole notebook: the name of each result with its frame or series."""
    return summaries(pd, enriched(pd, cleaned(pd, trips), weather))


def write(folder: Path, rows: int) -> None:
    """Trips of a year and its weather, the same for the same number of rows."""
    random = np.random.default_rng(2019)

    def some(missing: float, values: np.ndarray) -> pa.Array:
        return pa.array(values, mask=random.random(len(values)) < missing)

    def one_of(choices: list[str]) -> np.ndarray:
        return np.array(choices, dtype=object)[random.integers(0, len(choices), rows)]

    pickup = np.datetime64("2019-01-01T00:00:00") + random.integers(0, 365 * 86_400, rows).astype("timedelta64[s]")
    distance = random.gamma(1.5, 2.0, rows).round(2)
    minutes = distance * random.uniform(2.0, 8.0, rows) + random.uniform(0.0, 6.0, rows)
    fare = (2.5 + 2.2 * distance + 0.4 * minutes).round(2)
    # A few are broken in the ways that meters break: clocks that run backwards, and fares taken back.
    minutes[random.random(rows) < 0.01] *= -1
    fare[random.random(rows) < 0.01] *= -1
    _write(folder / "trips.parquet", {
        "vendor": one_of(["CMT", "VTS", "DDS", " CMT", "vts ", "Dds"]),
        "tpep_pickup": _texts(pickup),
        "tpep_dropoff": _texts(pickup + (minutes * 60).astype("timedelta64[s]")),
        "passengers": some(0.02, random.integers(0, 7, rows).astype(float)),
        "distance": distance,
        "store_and_forward": one_of(["Y", "N"]),
        "PULocation": one_of([borough.lower().replace(" ", "_") for borough in BOROUGHS]),
        "DOLocation": some(0.01, one_of([borough.upper().replace(" ", "_") for borough in BOROUGHS])),
        "payment": one_of(["CRD", "CSH", "Crd", "csh", "NOC", "DIS", "CRDT"]),
        "fare": fare,
        "tip": some(0.05, np.abs(fare * random.uniform(0.0, 0.35, rows)).round(2)),
    })

    days = np.datetime64("2019-01-01") + np.arange(365)
    high = (15 - 14 * np.cos(np.arange(365) * 2 * np.pi / 365) + random.normal(0.0, 3.0, 365)).round(1)
    _write(folder / "weather.parquet", {
        "date": np.datetime_as_string(days).astype(object),
        "station": np.full(365, "Central Park", dtype=object),
        "precipitation": pa.array(random.exponential(0.1, 365).round(2), mask=random.random(365) < 0.1),
        "high": high,
        "low": (high - random.uniform(3.0, 10.0, 365)).round(1),
    })


def _texts(times: np.ndarray) -> pa.Array:
    return pyarrow.compute.strftime(pa.array(times), format="%Y-%m-%d %H:%M:%S")


def _write(path: Path, columns: dict[str, pa.Array | np.ndarray]) -> None:
    pyarrow.parquet.write_table(pa.table(columns), path, row_group_size=ROW_GROUP)
