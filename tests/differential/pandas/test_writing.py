"""Text that frames and series are written as: the same to the byte."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check
from frames import FRAMES, mixed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NAMES = ["i", "small", "unsigned", "f", "g", "b", "s", "t", "d", "c", "k"]

PROGRAMS: dict[str, Any] = {
    "plain": lambda pd, df: df.to_csv(),
    "no-index": lambda pd, df: df.to_csv(index=False),
    "no-header": lambda pd, df: df.to_csv(header=False),
    "neither": lambda pd, df: df.to_csv(header=False, index=False),
    "tabs": lambda pd, df: df.to_csv(sep="\t"),
    "semicolon": lambda pd, df: df.to_csv(sep=";", lineterminator="\r\n"),
    "space": lambda pd, df: df.to_csv(sep=" "),
    "colon": lambda pd, df: df.to_csv(sep=":"),
    "missing": lambda pd, df: df.to_csv(na_rep="NA"),
    "missing-quoted": lambda pd, df: df.to_csv(na_rep="n,a"),
    "missing-long": lambda pd, df: df.to_csv(na_rep="missing" * 8),
    "missing-long-all": lambda pd, df: df.to_csv(na_rep="missing" * 8, quoting=csv.QUOTE_ALL),
    "quote-all": lambda pd, df: df.to_csv(quoting=csv.QUOTE_ALL),
    "quote-text": lambda pd, df: df.to_csv(quoting=csv.QUOTE_NONNUMERIC),
    "quote-text-missing": lambda pd, df: df.to_csv(quoting=csv.QUOTE_NONNUMERIC, na_rep="NA", index=False),
    "quote-sign": lambda pd, df: df.to_csv(quotechar="'", sep="|"),
    "quote-b": lambda pd, df: df[["s", "i"]].to_csv(quotechar="'", sep="b", index=False),
    "labels": lambda pd, df: df.to_csv(header=[name.upper() + ", x" for name in df.columns]),
    "index-label": lambda pd, df: df[["i", "s"]].to_csv(index_label="row"),
    "index-label-none": lambda pd, df: df[["i", "s"]].to_csv(index_label=False),
    "columns": lambda pd, df: df.to_csv(columns=["s", "i"]),
    "columns-twice": lambda pd, df: df.to_csv(columns=["s", "i", "s"]),
    "columns-index": lambda pd, df: df.to_csv(columns=pd.Index(["s", "i"])),
    "one-column": lambda pd, df: df.to_csv(columns=["s"], index=False),
    "two-digits": lambda pd, df: df.to_csv(float_format="%.2f"),
    "no-digits": lambda pd, df: df.to_csv(float_format="%.0f", quoting=csv.QUOTE_NONNUMERIC),
    "nine-digits": lambda pd, df: df.to_csv(float_format="%.9f", quoting=csv.QUOTE_ALL),
    "comma": lambda pd, df: df.drop(columns="g").to_csv(decimal=",", sep=";"),
    "comma-digits": lambda pd, df: df.to_csv(decimal=",", sep=";", float_format="%.2f", quoting=csv.QUOTE_NONNUMERIC),
    "comma-quoted": lambda pd, df: df[["f", "i"]].to_csv(decimal=",", sep=";", quoting=csv.QUOTE_NONNUMERIC),
    "chunks": lambda pd, df: df.to_csv(chunksize=5),
    "chunks-of-one": lambda pd, df: df.to_csv(chunksize=1),
    "chunks-of-all": lambda pd, df: df.to_csv(chunksize=1_000_000),
    "days": lambda pd, df: df[["t", "i"]][df["t"] > "1700"].to_csv(date_format="%Y-%m-%d"),
    "seconds": lambda pd, df: df[["t", "i"]].to_csv(date_format="%Y-%m-%d %H:%M:%S"),
    "micros": lambda pd, df: df[["t", "i"]].to_csv(date_format="%Y-%m-%d %H:%M:%S.%f", index=False),
    "other-dates": lambda pd, df: df[["t", "i"]].to_csv(date_format="%d/%m/%y %j %%", quoting=csv.QUOTE_ALL),
    "midnights": lambda pd, df: df.assign(t=df["t"].dt.normalize()).to_csv(),
    "half-days": lambda pd, df: df.assign(t=df["t"].dt.normalize() + pd.Timedelta("12h")).to_csv(),
    "millis": lambda pd, df: df.assign(t=df["t"].dt.normalize() + pd.Timedelta("12ms")).to_csv(na_rep="-"),
    "whole-days": lambda pd, df: df.assign(d=pd.Timedelta("3D")).to_csv(),
    "of-mask": lambda pd, df: df[df["k"] > 1].to_csv(),
    "of-groups": lambda pd, df: df.groupby("k")[["f", "i"]].max().to_csv(),
    "of-several-groups": lambda pd, df: df.groupby(["k", "b"])[["f", "i"]].max().to_csv(),
    "of-sort": lambda pd, df: df.sort_values("k", kind="stable").to_csv(),
    "zones": lambda pd, df: df[["t"]].assign(u=df["t"].dt.tz_localize("UTC"), v=df["t"].dt.tz_localize("UTC").dt.tz_convert("America/New_York")).to_csv(),
    "zones-by": lambda pd, df: df[["t"]].assign(v=df["t"].dt.tz_localize("UTC").dt.tz_convert("Asia/Kolkata")).to_csv(date_format="%H:%M"),
    **{f"unit-{unit}": lambda pd, df, u=unit: df[["t", "d"]].astype({"t": f"M8[{u}]", "d": f"m8[{u}]"}).to_csv() for unit in ("s", "ms", "us")},
    **{f"series-{name}": lambda pd, df, n=name: df[n].to_csv() for name in NAMES},
    **{f"series-{name}-alone": lambda pd, df, n=name: df[n].to_csv(index=False, header=False) for name in NAMES},
    **{f"series-{name}-quoted": lambda pd, df, n=name: df[n].to_csv(quoting=csv.QUOTE_NONNUMERIC) for name in NAMES},
    **{f"label-{name}": lambda pd, df, n=name: df[["k", n]].set_index(n).to_csv() for name in NAMES if name != "k"},
    **{f"label-{name}-quoted": lambda pd, df, n=name: df[["k", n]].set_index(n).to_csv(quoting=csv.QUOTE_NONNUMERIC, na_rep="-") for name in NAMES if name != "k"},
    **{f"levels-{name}": lambda pd, df, n=name: df[["k", "i", n]].set_index([n, "k"]).to_csv() for name in NAMES if name not in "ki"},
    **{
        f"levels-{name}-quoted": lambda pd, df, n=name: df[["k", "i", n]].set_index([n, "k"]).to_csv(quoting=csv.QUOTE_NONNUMERIC, na_rep="-")
        for name in NAMES
        if name not in "ki"
    },
    "unnamed-series": lambda pd, df: df["i"].rename(None).to_csv(),
    "unnamed-labels": lambda pd, df: df["i"].rename_axis(None).to_csv(),
    "numbered-columns": lambda pd, df: df[["i", "f"]].set_axis([0, 1.5], axis=1).to_csv(),
    "columns-of-one-name": lambda pd, df: df[["i", "f"]].set_axis(["x", "x"], axis=1).to_csv(),
    "columns-of-levels": lambda pd, df: df[["i", "f"]].set_axis(pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]), axis=1).to_csv(),
    "no-columns": lambda pd, df: df[[]].to_csv(),
    "nothing": lambda pd, df: df[[]].to_csv(index=False),
}

EITHER: dict[str, Any] = {
    "escape": lambda pd, df: df.to_csv(quoting=csv.QUOTE_NONE, escapechar="\\"),
    "no-quotes": lambda pd, df: df[["i"]].to_csv(quoting=csv.QUOTE_NONE),
    "comma-in-numbers": lambda pd, df: df.to_csv(decimal=","),
    "digit": lambda pd, df: df.to_csv(sep="1"),
    "general": lambda pd, df: df.to_csv(float_format="%.3g"),
    "called": lambda pd, df: df.to_csv(float_format="{:.2f}".format),
    "months": lambda pd, df: df.to_csv(date_format="%d %b %Y"),
    "unknown-column": lambda pd, df: df.to_csv(columns=["nothing"]),
    "few-labels": lambda pd, df: df.to_csv(header=["a"]),
    "long-separator": lambda pd, df: df.to_csv(sep=",,"),
    "no-separator": lambda pd, df: df.to_csv(sep=""),
    "folder": lambda pd, df: df.to_csv("/nothing/at/all.csv"),
    "mode": lambda pd, df: df.to_csv("/nothing/at/all.csv", mode="r"),
    "bytes": lambda pd, df: df.to_csv(7),
    "missing-number": lambda pd, df: df.to_csv(na_rep=0),
    "quoting": lambda pd, df: df.to_csv(quoting=99),
    "chunks-of-none": lambda pd, df: df.to_csv(chunksize=0),
    "separators": lambda pd, df: df.to_csv(sep=[","]),
    "no-quote": lambda pd, df: df.to_csv(quotechar=None),
    "positional": lambda pd, df: df.to_csv(None, ","),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_text(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame]())


@pytest.mark.parametrize("frame", ["mixed", "empty", "several"])
@pytest.mark.parametrize("program", EITHER)
def test_text_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False)


def _kinds() -> dict[str, Any]:
    times = pd.DatetimeIndex(np.array(["2020-01-01", "NaT", "2020-01-01T00:00:00.000000001"], "M8[ns]"))
    return {
        **{name: pd.array([1, None, 3], dtype=name) for name in ("Int8", "UInt64", "Float32", "Float64")},
        "boolean": pd.array([True, None, False], dtype="boolean"),
        "string": pd.array(['a"b', None, "c\rd"], dtype="string"),
        "python-string": pd.array(["a,b", None, "c\nd"], dtype="string[python]"),
        **{f"arrow-{name}": pd.array([1, None, 3], dtype=f"{name}[pyarrow]") for name in ("int64", "uint8")},
        "arrow-bool": pd.array([True, None, False], dtype="bool[pyarrow]"),
        "arrow-text": pd.array(["a", None, ""], dtype="string[pyarrow]"),
        "objects": np.array(["a", None, "b;c"], dtype=object),
        "nan-objects": np.array(["a", np.nan, ""], dtype=object),
        "numbers-as-objects": np.array([1, 2, 3], dtype=object),
        "floats-as-objects": np.array([1.0, 2.5, 1e20], dtype=object),
        "bools-as-objects": np.array([True, False, None], dtype=object),
        "nanoseconds": times,
        "zoned-nanoseconds": times.tz_localize("Europe/Rome"),
        "old": pd.DatetimeIndex(np.array(["1800-01-01", "NaT", "1850-06-01"], "M8[us]")).tz_localize("Europe/Rome"),
        "years": np.array(["0999-01-01", "-0005-03-01", "12020-01-01"], "M8[s]"),
        "durations": np.array([1, -86_400_000_000_001, 5], "m8[ns]"),
        "long-durations": np.array([86_400, -86_400, "NaT"], "m8[s]"),
        "number-categories": pd.Categorical([1.5, None, 2.0]),
        "narrow-categories": pd.Categorical(np.array([0.1, 0.2, 0.1], "float32")),
        "text-categories": pd.Categorical(["a,b", "c", None]),
        "bool-categories": pd.Categorical([True, False, None]),
        "interval-categories": pd.cut(pd.Series([1, 2, 3]), 2).array,
        "narrow": np.array([1e-5, 123456789, 0.1], "float32"),
        "narrow-bounds": np.array([9.9999e-5, 1e-4, 1.0001e-4], "float32"),
        "narrow-large": np.array([999_999, 1e6, 3.5e15], "float32"),
        "unequal-text": np.array(["\0", "\u2028", "\x1c"], dtype=object),
    }


KINDS = _kinds()


@pytest.mark.parametrize("options", [{}, {"quoting": 2}, {"quoting": 1, "na_rep": "?"}, {"na_rep": "NaN", "sep": ";"}, {"float_format": "%.3f"}], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_kinds(kind: str, options: dict[str, Any], configuration: str) -> None:
    check(lambda pd, df: (df.to_csv(**options), df["x"].to_csv(index=False, **options), df[df["n"] > 1].to_csv(**options)), pd.DataFrame({"x": KINDS[kind], "n": [1, 2, 3]}))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("old", "years")])
def test_kinds_of_labels(kind: str, configuration: str) -> None:
    frame = pd.DataFrame({"x": KINDS[kind], "n": [1, 2, 3]}).set_index("x")
    check(lambda pd, df: (df.to_csv(), df.to_csv(quoting=2, na_rep="?"), df.set_index("n", append=True).to_csv()), frame)


LEFT = {
    "complex": np.array([1j, 2, 3]),
    "half": np.array([1, 2, 3], "float16"),
    "lists": np.array([[1], [2, 3], None], dtype=object),
    "mixed-objects": np.array([1, "a", None], dtype=object),
    "periods": pd.period_range("2020", periods=3, freq="M"),
    "timestamp-categories": pd.Categorical(np.array(["2020-01-01", "NaT", "2020-01-02T10:00"], "M8[us]")),
    "sparse": pd.arrays.SparseArray([1.0, np.nan, 2.0]),
    "arrow-floats": pd.array([1.5, None, 2.0], dtype="float64[pyarrow]"),
    "arrow-times": pd.array(pd.to_datetime(["2020-01-01", None, "2020-01-02"]), dtype="timestamp[us][pyarrow]"),
}


@pytest.mark.parametrize("kind", LEFT)
def test_kinds_that_only_pandas_knows(kind: str, configuration: str) -> None:
    check(lambda pd, df: (df.to_csv(), df.to_csv(quoting=2, na_rep="?")), pd.DataFrame({"x": LEFT[kind], "n": [1, 2, 3]}), native=False)


def test_chunks_show_their_own_timestamps(configuration: str) -> None:
    """pandas looks at as many rows together as it writes at a time."""
    times = np.datetime64("2020-01-01", "us") + (np.arange(210_000) % 3000).astype("m8[D]")
    times[150_000] += np.timedelta64(1, "ms")
    times[209_999] += np.timedelta64(1, "us")
    frame = pd.DataFrame({"t": times})
    if configuration in ("plain", "threads"):
        check(lambda pd, df: df.to_csv(), frame)
        check(lambda pd, df: df.assign(u=1).set_index("t").to_csv(chunksize=70_000), frame)


def test_handles(configuration: str) -> None:
    def program(pd: Any, df: Any) -> Any:
        text, binary = io.StringIO(), io.BytesIO()
        text.write("before\n")
        df.to_csv(text)
        df.to_csv(text, header=False)
        df.to_csv(binary, mode="w")
        wrapped = io.BytesIO()
        with io.TextIOWrapper(wrapped, encoding="utf-8", newline="") as handle:
            df.to_csv(handle)
            handle.flush()
            return text.getvalue(), binary.getvalue(), wrapped.getvalue()

    check(program, mixed())


_RANDOM = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@_RANDOM
@given(st.lists(st.floats(width=64), min_size=1, max_size=200), st.lists(st.floats(width=32), min_size=1, max_size=50), st.integers(0, 9))
def test_any_floats(wide: list[float], narrow: list[float], digits: int) -> None:
    frame = pd.DataFrame({"f": np.array(wide), "g": np.resize(np.array(narrow, "float32"), len(wide))})
    check(lambda pd, df: (df.to_csv(), df.to_csv(float_format=f"%.{digits}f"), df.to_csv(quoting=2)), frame)


@_RANDOM
@given(st.lists(st.one_of(st.none(), st.text(st.characters(codec="utf-8"), max_size=8), st.text("a,;\"'\r\n\t |", max_size=6)), min_size=1, max_size=40), st.sampled_from(",;\t| "), st.sampled_from(["\n", "\r\n", "|\n"]), st.sampled_from([0, 1, 2]))
def test_any_text(texts: list[str | None], separator: str, end: str, quoting: int) -> None:
    frame = pd.DataFrame({"s": pd.array(texts, dtype="str"), "n": range(len(texts))})
    check(lambda pd, df: (df.to_csv(sep=separator, lineterminator=end, quoting=quoting), df["s"].to_csv(index=False, quoting=quoting)), frame)


@_RANDOM
@given(st.lists(st.one_of(st.none(), st.integers(-(2**62), 2**62), st.integers(-4, 4)), min_size=1, max_size=30), st.sampled_from(["s", "ms", "us", "ns"]), st.sampled_from([1, 1000, 86_400, 10**6, 10**9]), st.integers(1, 7))
def test_any_timestamps(counts: list[int | None], unit: str, scale: int, chunk: int) -> None:
    limit = 2**61 if unit in ("us", "ns") else 2**36 if unit == "s" else 2**45
    whole = [np.iinfo("int64").min if count is None else count % limit // scale * scale for count in counts]
    frame = pd.DataFrame({"t": np.array(whole, "int64").view(f"M8[{unit}]"), "d": np.array(whole, "int64").view(f"m8[{unit}]"), "n": 1})
    check(lambda pd, df: (df.to_csv(), df.to_csv(chunksize=chunk), df.set_index("t").to_csv(date_format="%Y-%m-%d %H:%M:%S.%f")), frame, native=False)
    check(lambda pd, df: (df.to_csv(), df.to_csv(chunksize=chunk)), frame)
