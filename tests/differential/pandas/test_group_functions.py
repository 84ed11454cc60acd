"""Functions of Python over groups; and aggregates by name with arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES


def numbers(kind: str) -> pandas.DataFrame:
    """Numbers that are neither large nor infinite, by keys with gaps."""
    rows = 11
    frame = pandas.DataFrame(
        {
            "k": np.resize([2, 1, 3, 2], rows),
            "s": pandas.array(np.resize(np.array(["b", None, "a"], object), rows), dtype="str"),
            "i": np.arange(rows) * 3 % 7 - 2,
            "j": np.arange(rows)[::-1].copy(),
            "f": np.where(np.arange(rows) % 4 == 2, np.nan, np.arange(rows) * 0.25 - 1),
            "b": np.arange(rows) % 3 == 0,
            "t": pandas.array(np.resize(np.array(["x", "", None, "yy"], object), rows), dtype="str"),
            "o": pandas.Categorical(np.resize(np.array(["lo", "hi", None], object), rows), categories=["lo", "hi"], ordered=True),
            "c": pandas.Categorical(np.resize(np.array([0, 5, None], object), rows)),
            "d": pandas.to_timedelta(np.resize([1, 0, 7], rows), unit="s"),
            "w": pandas.date_range("2020", periods=rows, freq="7h"),
        }
    )
    return {"plain": frame, "one": frame.iloc[:1], "shuffled": frame.iloc[[5, 1, 9, 0, 7, 2]], "labelled": frame.set_axis(list("abcdefghijk"))}[kind]


def spread(values: Any) -> Any:
    """How far apart values are."""
    most = values.max()
    return most - values.min()


def above(values: Any, bound: float = 0.0) -> Any:
    return (values > bound).sum()


def stepwise(values: Any) -> Any:
    total: float = values.sum()
    pass
    total += 1
    total *= 2 * 3
    return total


def aliased(values: Any) -> Any:
    """Every name for a series sees what is changed in place."""
    kept = values
    values += 1
    return kept.sum()


SERIES: dict[str, Any] = {
    "stepwise": stepwise,
    "spread": lambda s: s.max() - s.min(),
    "named": spread,
    "default": above,
    "sum": lambda s: s.sum(),
    "numpy": lambda s: np.sum(s),
    "count": lambda s: s.count(),
    "length": lambda s: len(s),
    "size": lambda s: s.size,
    "missing": lambda s: s.isna().sum(),
    "share": lambda s: (s > 1).mean(),
    "any": lambda s: (s > 1).any(),
    "constant": lambda s: 1,
    "float": lambda s: 1.5,
    "mean-plus": lambda s: s.mean() + 1,
    "turned": lambda s: 10 - s.max(),
    "half": lambda s: s.sum() / 2,
    "per-row": lambda s: s.sum() / len(s),
    "squares": lambda s: (s * s).sum(),
    "around-mean": lambda s: (s - s.mean()).abs().max(),
    "sample": lambda s: s.std(ddof=0),
    "quantile": lambda s: s.quantile(0.25),
    "median": lambda s: s.median(),
    "compared": lambda s: s.max() > 2,
    "both": lambda s: s.max() > 2 and s.min() < 1,
    "negated": lambda s: not s.max() > 2,
}
ROWS: dict[str, Any] = {
    "centred": lambda s: s - s.mean(),
    "from-least": lambda s: s - s.min(),
    "standard": lambda s: (s - s.mean()) / s.std(),
    "doubled": lambda s: s * 2,
    "running": lambda s: s.cumsum(),
    "beside": lambda s: s.max(),
    "truth": lambda s: s > s.mean(),
}

PROGRAMS: dict[str, Any] = {
    **{f"agg-{name}-{column}": lambda pd, df, f=function, c=column: df.groupby("k")[c].agg(f) for name, function in SERIES.items() for column in ("i", "f")},
    **{f"apply-{name}-{column}": lambda pd, df, f=function, c=column: df.groupby("k")[c].apply(f) for name, function in SERIES.items() for column in ("i", "f")},
    **{f"transform-{name}-{column}": lambda pd, df, f=function, c=column: df.groupby("s")[c].transform(f) for name, function in ROWS.items() for column in ("i", "f")},
    "agg-by-text": lambda pd, df: df.groupby("s")["i"].agg(lambda s: s.max() - s.min()),
    "agg-missing-key": lambda pd, df: df.groupby("s", dropna=False)["i"].agg(lambda s: s.max() - s.min()),
    "agg-two": lambda pd, df: df.groupby(["k", "b"])["i"].agg(lambda s: s.max() - s.min()),
    "agg-frame": lambda pd, df: df.groupby("k")[["i", "f"]].agg(lambda s: s.max() - s.min()),
    "agg-dict": lambda pd, df: df.groupby("k").agg({"i": lambda s: s.max() - s.min(), "f": "mean"}),
    "agg-named": lambda pd, df: df.groupby("k").agg(a=("i", lambda s: s.max() - s.min()), b=("f", "mean")),
    "agg-list": lambda pd, df: df.groupby("k")["i"].agg(["sum", lambda s: s.max() - s.min()]),
    "agg-lambdas": lambda pd, df: df.groupby("k")["i"].agg([lambda s: s.max(), lambda s: s.min(), spread]),
    "agg-argument": lambda pd, df: df.groupby("k")["i"].agg(above, 2),
    "agg-keyword": lambda pd, df: df.groupby("k")["i"].agg(above, bound=2),
    "agg-columns": lambda pd, df: df.groupby("k", as_index=False)["i"].agg(lambda s: s.max() - s.min()),
    "transform-frame": lambda pd, df: df.groupby("k")[["i", "f"]].transform(lambda s: s - s.mean()),
    "apply-frame": lambda pd, df: df.groupby("k")[["i", "j"]].apply(lambda g: g["i"].max() - g["j"].min()),
    "apply-attribute": lambda pd, df: df.groupby("k")[["i", "j"]].apply(lambda g: (g.i * g.j).sum() / (g.j.sum() + 1)),
    "apply-sums": lambda pd, df: df.groupby("k")[["i", "j"]].apply(lambda g: g.sum()),
    "apply-mixed": lambda pd, df: df.groupby("k")[["i", "f"]].apply(lambda g: g.max()),
    "apply-length": lambda pd, df: df.groupby("s")[["i"]].apply(lambda g: len(g)),
    "apply-rows": lambda pd, df: df.groupby("k", group_keys=False)["i"].apply(lambda s: s - s.min()),
    "apply-name": lambda pd, df: df.groupby("k")["i"].apply("sum"),
    "filter": lambda pd, df: df.groupby("k").filter(lambda g: len(g) > 2),
    "filter-column": lambda pd, df: df.groupby("s").filter(lambda g: g["i"].mean() > 0.5),
    "filter-series": lambda pd, df: df.groupby("k")["i"].filter(lambda s: s.max() > 3),
    "filter-key": lambda pd, df: df.groupby("k").filter(lambda g: g["k"].max() == 2),
    "pipe": lambda pd, df: df.groupby("k")["i"].pipe(lambda g: g.max() - g.min()),
    **{f"agg-{name}": lambda pd, df, n=name: df.groupby("k")[["i", "f"]].agg(n) for name in ("cumsum", "shift", "rank", "ffill", "idxmin", "idxmax", "ngroup", "cumcount", "kurt")},
    **{f"transform-{name}": lambda pd, df, n=name: df.groupby("s")["i"].transform(n) for name in ("idxmin", "idxmax", "cumsum", "quantile", "size")},
    "transform-arguments": lambda pd, df: df.groupby("k")["f"].transform("std", ddof=0),
    "transform-truth": lambda pd, df: df.groupby("s")["i"].transform("var"),
    **{f"{op}-{name}": lambda pd, df, op=op, n=name: getattr(df.groupby("k")[n], op)() for op in ("any", "all") for name in ("t", "o", "c", "d", "i", "f")},
    **{f"{op}-ordered": lambda pd, df, op=op: getattr(df.groupby("k")["o"], op)() for op in ("min", "max", "first", "last", "count", "nunique", "rank")},
    **{f"rank-text-{method}": lambda pd, df, m=method: df.groupby("k")["t"].rank(method=m) for method in ("average", "min", "max", "first", "dense")},
    "sum-text": lambda pd, df: df.groupby("k")["t"].sum(),
    "any-missing": lambda pd, df: df.groupby("k")["t"].any(skipna=False),
    "diff-times": lambda pd, df: df.groupby("k")["w"].diff(),
    "diff-lengths": lambda pd, df: df.groupby("k")["d"].diff(),
    **{f"{op}-keeping": lambda pd, df, op=op: getattr(df.groupby("k")["f"], op)(skipna=False) for op in ("sum", "mean", "min", "max", "first", "last", "std", "var", "median", "prod", "sem")},
    **{f"{op}-least": lambda pd, df, op=op: getattr(df.groupby("k")["f"], op)(min_count=3) for op in ("sum", "prod", "min", "max", "first", "last")},
    **{f"{op}-least-whole": lambda pd, df, op=op: getattr(df.groupby("k")["i"], op)(min_count=3) for op in ("sum", "prod", "min", "max", "first", "last")},
    **{f"{op}-least-text": lambda pd, df, op=op: getattr(df.groupby("k")["t"], op)(min_count=2) for op in ("min", "max", "first", "last")},
    "idx-numbers": lambda pd, df: df.groupby("k")[["i", "t", "j"]].idxmax(numeric_only=True),
    "kurt": lambda pd, df: df.groupby("b")["f"].kurt(),
    "skew": lambda pd, df: df.groupby("b")["f"].skew(),
    "kurt-frame": lambda pd, df: df.groupby("b")[["f", "j"]].kurt(),
    "ohlc": lambda pd, df: df.groupby("k")["f"].ohlc(),
    "ohlc-frame": lambda pd, df: df.groupby("k")[["i", "f"]].ohlc(),
}


@pytest.mark.parametrize("frame", ["plain", "one", "shuffled", "labelled"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_functions_of_groups(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], numbers(frame), rtol=1e-9)


EITHER: dict[str, Any] = {
    "changed-in-place": lambda pd, df: df.groupby("k")["i"].agg(aliased),
    "changed-in-place-floats": lambda pd, df: df.groupby("k")["f"].apply(aliased),
    "none": lambda pd, df: df.groupby("k")["i"].apply(lambda s: None),
    "iloc": lambda pd, df: df.groupby("k")["i"].apply(lambda s: s.iloc[0]),
    "divided": lambda pd, df: df.groupby("k")["i"].apply(lambda s: s.sum() / s.min()),
    "narrow": lambda pd, df: df.groupby("k")["small"].agg(lambda s: s.max() - s.min()),
    "text": lambda pd, df: df.groupby("k")["s"].agg(lambda s: s.max()),
    "overflow": lambda pd, df: df.groupby("k")["i"].agg(lambda s: s.max() - s.min()),
    "infinite": lambda pd, df: df.groupby("k")["f"].agg(lambda s: s.max() - s.min()),
    "raises": lambda pd, df: df.groupby("k")["i"].agg(lambda s: s.nothing),
    "filter-number": lambda pd, df: df.groupby("k").filter(lambda g: g["k"].sum()),
    "skew-whole": lambda pd, df: df.groupby("b")["k"].skew(),
    "kurt-whole": lambda pd, df: df.groupby("b")["k"].kurt(),
    "unobserved": lambda pd, df: df.groupby("c", observed=False)["k"].agg(lambda s: s.sum()),
    "keys-of-groups": lambda pd, df: df.groupby("k")["k"].apply(lambda s: s * 2),
    "head": lambda pd, df: df.groupby("k")[["i", "f"]].apply(lambda g: g.head(1)),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_functions_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False, rtol=1e-6)


CHOSEN: dict[str, Any] = {
    "head": lambda pd, df: df.groupby("k")[["i", "f"]].apply(lambda g: g.head(2)),
    "tail": lambda pd, df: df.groupby("s")[["i", "f", "t"]].apply(lambda g: g.tail(1)),
    "largest": lambda pd, df: df.groupby("k")[["i", "j"]].apply(lambda g: g.nlargest(2, "j")),
    "smallest": lambda pd, df: df.groupby(["k", "b"])[["i", "j"]].apply(lambda g: g.nsmallest(1, "j")),
    "sorted": lambda pd, df: df.groupby("k")[["i", "j"]].apply(lambda g: g.sort_values("j", kind="stable")),
    "sorted-head": lambda pd, df: df.groupby("k")[["i", "j"]].apply(lambda g: g.sort_values("j", ascending=False, kind="stable").head(1)),
    "mask": lambda pd, df: df.groupby("k")[["i", "j"]].apply(lambda g: g[g["i"] > g["i"].mean()]),
    "same": lambda pd, df: df.groupby("s")[["i", "j"]].apply(lambda g: g),
    "columns": lambda pd, df: df.groupby("s")[["i", "j", "f"]].apply(lambda g: g[["j", "i"]].head(1)),
    "rows": lambda pd, df: df.groupby("s")["i"].apply(lambda s: s - s.min()),
    "series-largest": lambda pd, df: df.groupby("k")["j"].nlargest(2),
    "series-smallest": lambda pd, df: df.groupby("s")["i"].nsmallest(1),
    "series-floats": lambda pd, df: df.groupby("k")["f"].nlargest(3),
    "position": lambda pd, df: df.groupby("k")["i"].agg(lambda s: s.iloc[-1]),
    "by-attribute": lambda pd, df: df.groupby("k")["f"].apply(lambda s: getattr(s, "sum")(skipna=False)),
    "counts": lambda pd, df: df.groupby("b")[["k", "i"]].value_counts(),
    "counts-series-two": lambda pd, df: df.groupby(["b", "k"])["i"].value_counts(),
    "counts-share": lambda pd, df: df.groupby("b")[["k", "j"]].value_counts(normalize=True),
    "counts-subset": lambda pd, df: df[["b", "k", "j"]].groupby("b").value_counts(subset=["k"]),
    **{f"counts-text-{kind}-{share}": lambda pd, df, kind=kind, share=share: df.assign(word=df["s"].fillna("u").astype(kind)).groupby("b")["word"].value_counts(normalize=share) for kind in ("string[pyarrow]", "string[python]") for share in (True, False)},
    "counts-columns": lambda pd, df: df[["b", "k"]].groupby("b", as_index=False).value_counts(),
    "quantiles-unsorted": lambda pd, df: df.groupby("k", sort=False)["i"].quantile([0.25, 0.75]),
    "quantile-whole": lambda pd, df: df.groupby("k")["f"].quantile(1),
}


@pytest.mark.parametrize("frame", ["plain", "one", "shuffled", "labelled"])
@pytest.mark.parametrize("program", CHOSEN)
def test_rows_chosen_in_groups(program: str, frame: str, configuration: str) -> None:
    check(CHOSEN[program], numbers(frame), rtol=1e-9)


@pytest.mark.parametrize("frame", ["plain", "one", "shuffled", "labelled"])
def test_counts_in_groups_that_are_not_sorted(frame: str, configuration: str) -> None:
    """pandas computes them: their levels have an order of their own, by which it unstacks."""
    counts = lambda pd, df: df.groupby("b", sort=False)["k"].value_counts()  # noqa: E731
    check(counts, numbers(frame), native=False)
    check(lambda pd, df: counts(pd, df).unstack(), numbers(frame), native=False)


WHOLE_QUANTILES: dict[str, Any] = {
    f"{between}-{q}": lambda pd, df, b=between, q=q: df.groupby("k")["i"].quantile(q, interpolation=b) for between in ("lower", "higher", "nearest", "midpoint", "linear") for q in (0, 0.3, 0.5, 1)
}


@pytest.mark.parametrize("program", WHOLE_QUANTILES)
def test_quantiles_of_whole_numbers(program: str, configuration: str) -> None:
    check(WHOLE_QUANTILES[program], numbers("plain"), rtol=1e-12)


def test_records_of_numbers_only(configuration: str) -> None:
    check(lambda pd, df: df.groupby("k")[["i", "j", "t"]].apply(lambda g: g.sum(numeric_only=True)), numbers("plain"))


@pytest.mark.parametrize("op", ["min", "max", "first", "last"])
def test_periods_of_no_rows(op: str, configuration: str) -> None:
    frame = pandas.DataFrame({"k": [1, 2], "p": pandas.period_range("2020", periods=2, freq="D")}).iloc[:0]
    check(lambda pd, df: getattr(df.groupby("k")["p"], op)(), frame)


def times(unit: str) -> pandas.DataFrame:
    """Timestamps and timedeltas that do not divide evenly, before and after 1970, by keys."""
    counts = np.array([0, 1, -1, 3, -4, 7, 10, 11, 12], dtype=f"m8[{unit}]")
    base = np.datetime64("1970-01-01", unit)
    frame = pandas.DataFrame({"k": [1, 1, 2, 2, 2, 3, 3, 3, 4], "t": base + counts, "d": counts, "s": pandas.array(list("aababbacc"), dtype="str")})
    frame.loc[[1, 8], ["t", "d"]] = pandas.NaT
    return frame.assign(z=frame["t"].dt.tz_localize("Europe/Berlin"))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("column", ["t", "d", "z"])
@pytest.mark.parametrize("op", ["mean", "median"])
def test_means_of_times(op: str, column: str, unit: str, configuration: str) -> None:
    check(lambda pd, df: getattr(df.groupby("k")[column], op)(), times(unit))
    check(lambda pd, df: df.groupby("s")[column].transform(op), times(unit))
    check(lambda pd, df: df.groupby("s")[column].agg([op, "min"]), times(unit))


@pytest.mark.parametrize("op", ["mean", "median"])
def test_means_of_times_by_either(op: str, configuration: str) -> None:
    late = times("ns").assign(t=pandas.date_range("2020", periods=9, freq="7h").as_unit("ns"))
    check(lambda pd, df: getattr(df.groupby("k")["t"], op)(), late, native=False)
    check(lambda pd, df: getattr(df.groupby("k")["t"], op)(), late.assign(t=late["t"].dt.as_unit("us")), native=False)


def test_sums_of_time_that_do_not_fit(configuration: str) -> None:
    frame = pandas.DataFrame({"k": [0, 0, 1], "d": [pandas.Timedelta.max, pandas.Timedelta.max, pandas.Timedelta(1)]})
    check(lambda pd, df: df.groupby("k")["d"].sum(), frame, native=False)
    check(lambda pd, df: df[1:].groupby("k")["d"].sum(), frame, native=False)
    check(lambda pd, df: df.groupby("k")["d"].sum(), frame.assign(d=pandas.to_timedelta([1, 2, 3])))


UNOBSERVED: dict[str, Any] = {
    **{f"agg-{name}-{column}": lambda pd, df, f=function, c=column: df.groupby("c", observed=False)[c].agg(f) for name, function in SERIES.items() for column in ("i", "f")},
    **{f"apply-{name}": lambda pd, df, f=function: df.groupby("c", observed=False)["f"].apply(f) for name, function in SERIES.items()},
    "named": lambda pd, df: df.groupby("c", observed=False).agg(a=("i", lambda s: s.sum()), b=("f", lambda s: s.max())),
    "spans": lambda pd, df: df.set_index("w")["i"].resample("5h").apply(lambda s: s.sum()),
    "spans-missing": lambda pd, df: df.set_index("w")["i"].resample("5h").agg(lambda s: s.max()),
    "astype": lambda pd, df: df.groupby("k")["i"].agg(lambda s: s.astype(float).sum()),
    "numbers-only": lambda pd, df: df.groupby("k")["i"].agg(lambda s: s.sum(numeric_only=True)),
}


@pytest.mark.parametrize("frame", ["plain", "shuffled"])
@pytest.mark.parametrize("program", UNOBSERVED)
def test_functions_of_groups_without_rows(program: str, frame: str, configuration: str) -> None:
    numbered = numbers(frame)
    numbered["c"] = numbered["c"].cat.add_categories([9])
    # What is neither a number nor missing is left to pandas.
    check(UNOBSERVED[program], numbered, native=False, rtol=1e-9)


def test_functions_of_groups_without_rows_stay(configuration: str) -> None:
    frame = numbers("plain")
    frame["c"] = frame["c"].cat.add_categories([9])
    for program in ("agg-sum-i", "agg-sum-f", "agg-spread-f", "agg-length-i", "apply-sum", "named", "spans", "astype", "numbers-only"):
        check(UNOBSERVED[program], frame, rtol=1e-9)


def test_levels_in_the_order_of_groups(configuration: str) -> None:
    check(lambda pd, df: df.groupby("k", sort=False)["i"].quantile([0.25, 0.75]).index.levels[0], numbers("plain"))
    check(lambda pd, df: df.groupby(["k", "b"], sort=False)["i"].sum().index.levels[0], numbers("plain"))
    check(lambda pd, df: df.groupby(["s", "b"], dropna=False)["i"].sum().index.levels[0], numbers("plain"))
