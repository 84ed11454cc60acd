"""Columns of Arrow's own dtypes: every kind of values, with nulls and NaN, in every kind of operation."""

from __future__ import annotations

import datetime
import decimal
import math
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest
from compare import check

D = decimal.Decimal
_DAY = datetime.date(2020, 2, 29)
_NOON = datetime.datetime(2020, 2, 29, 12, 30, 15, 250)


def _column(values: list[Any], kind: pyarrow.DataType) -> Any:
    # Two chunks, as files have them, and NaN as a value, as no constructor of pandas' makes it.
    return pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array([pyarrow.array(values[:3], kind), pyarrow.array(values[3:], kind)]))


def _integers(kind: pyarrow.DataType, least: int, greatest: int) -> Any:
    return _column([3, None, 1, least, greatest, 3, None, 0], kind)


COLUMNS: dict[str, Any] = {
    "int8": _integers(pyarrow.int8(), -128, 127),
    "int32": _integers(pyarrow.int32(), -(2**31), 2**31 - 1),
    "int64": _column([3, None, 1, -(2**53), 2**53, 3, None, 0], pyarrow.int64()),
    "wide": _integers(pyarrow.int64(), -(2**63), 2**63 - 1),
    "uint8": _integers(pyarrow.uint8(), 0, 255),
    "uint64": _integers(pyarrow.uint64(), 0, 2**64 - 1),
    "float": _column([1.5, None, -0.0, 0.0, 2.5, 1.5, None, -3.0], pyarrow.float32()),
    "double": _column([1.5, None, -0.0, 0.0, math.inf, 1.5, None, -3.0], pyarrow.float64()),
    "nan": _column([1.5, None, math.nan, 0.0, -math.inf, math.nan, None, -3.0], pyarrow.float64()),
    "whole": _column([1.0, 2.0, 3.0, 4.0, 4.0, 3.0, 2.0, 1.0], pyarrow.float64()),
    "bool": _column([True, None, False, False, True, True, None, False], pyarrow.bool_()),
    "string": _column(["b", None, "", "É", "a", "b", None, "日本"], pyarrow.string()),
    "large_string": _column(["b", None, "", "x y", "a", "b", None, "B"], pyarrow.large_string()),
    "binary": _column([b"b", None, b"", b"\xff", b"a", b"b", None, b"c"], pyarrow.binary()),
    "date": _column([_DAY, None, datetime.date(1969, 12, 31), datetime.date(2262, 1, 1), datetime.date(1, 1, 1), _DAY, None, datetime.date(2021, 12, 31)], pyarrow.date32()),
    "timestamp": _column([_NOON, None, datetime.datetime(1969, 12, 31), datetime.datetime(2021, 1, 1), datetime.datetime(2020, 12, 31, 23), _NOON, None, datetime.datetime(2020, 3, 1)], pyarrow.timestamp("us")),
    "timestamp_ns": _column([_NOON, None, datetime.datetime(1969, 12, 31), datetime.datetime(2021, 1, 1), datetime.datetime(2020, 12, 31, 23), _NOON, None, datetime.datetime(2020, 3, 1)], pyarrow.timestamp("ns")),
    "zoned": _column([_NOON, None, datetime.datetime(1969, 12, 31), datetime.datetime(2021, 7, 1), datetime.datetime(2020, 12, 31, 23), _NOON, None, datetime.datetime(2020, 3, 1)], pyarrow.timestamp("us", "Europe/Paris")),
    "duration": _column([datetime.timedelta(days=1), None, datetime.timedelta(0), datetime.timedelta(days=-2), datetime.timedelta(seconds=5), datetime.timedelta(days=1), None, datetime.timedelta(microseconds=3)], pyarrow.duration("us")),
    "decimal": _column([D("1.50"), None, D("-0.25"), D("9999999999.99"), D("0.00"), D("1.50"), None, D("3.10")], pyarrow.decimal128(12, 2)),
    "list": _column([[1], None, [], [2, None], [3], [1], None, [4]], pyarrow.list_(pyarrow.int64())),
    "nothing": _column([None] * 8, pyarrow.float64()),
}
SOME: dict[str, Any] = {
    "int8": 3, "int32": 3, "int64": 3, "wide": 3, "uint8": 3, "uint64": 3, "float": 1.5, "double": 1.5, "nan": 1.5, "whole": 3.0, "bool": True, "string": "b", "large_string": "b",
    "binary": b"b", "date": _DAY, "timestamp": _NOON, "timestamp_ns": pandas.Timestamp(_NOON), "zoned": pandas.Timestamp(_NOON, tz="Europe/Paris"), "duration": datetime.timedelta(days=1),
    "decimal": D("1.50"), "list": None, "nothing": 1.5,
}
NUMBERS = ["int8", "int32", "int64", "wide", "uint8", "uint64", "float", "double", "nan", "whole"]

ANY: dict[str, Any] = {
    "isna": lambda pd, f, one: f.v.isna(),
    "notna": lambda pd, f, one: f.notna(),
    "dropna": lambda pd, f, one: f.dropna(),
    "filter": lambda pd, f, one: f[f.k > 0],
    "filter-by-nulls": lambda pd, f, one: f[f.v.notna()].v,
    "equal": lambda pd, f, one: f.v == one,
    "not-equal": lambda pd, f, one: f.v != one,
    "less": lambda pd, f, one: f.v < one,
    "at-least": lambda pd, f, one: f.v >= one,
    "same": lambda pd, f, one: f.v == f.v,
    "filter-equal": lambda pd, f, one: f[f.v == one],
    "filter-logic": lambda pd, f, one: f[(f.v == one) | ~(f.v < one) & (f.k > 0)],
    "isin": lambda pd, f, one: f.v.isin([one]),
    "isin-null": lambda pd, f, one: f.v.isin([one, None]),
    "isin-series": lambda pd, f, one: f.v.isin(f.v.iloc[:3]),
    "isin-nothing": lambda pd, f, one: f.v.isin(f.v.iloc[:0]),
    "isin-nullable": lambda pd, f, one: f.nullable.isin(pd.Series([1, 4, 4])),
    "isin-nullable-series": lambda pd, f, one: f.nullable.isin(f.nullable.iloc[:3]),
    "where-nullable": lambda pd, f, one: f[f.k < 3].v.where(f[f.k < 3].nullable > 3),
    "mask-nullable": lambda pd, f, one: f[f.k < 3].real.mask(f[f.k < 3].nullable > 3, 0.5),
    "between": lambda pd, f, one: f.v.between(one, one),
    "fillna": lambda pd, f, one: f.v.fillna(one),
    "where": lambda pd, f, one: f.v.where(f.k > 0),
    "where-other": lambda pd, f, one: f.v.where(f.k > 0, one),
    "mask": lambda pd, f, one: f.v.mask(f.k > 0, one),
    "sort": lambda pd, f, one: f.sort_values("v"),
    "sort-down": lambda pd, f, one: f.sort_values("v", ascending=False),
    "sort-first": lambda pd, f, one: f.sort_values("v", na_position="first"),
    "sort-down-first": lambda pd, f, one: f.sort_values("v", na_position="first", ascending=False),
    "sort-two": lambda pd, f, one: f.sort_values(["v", "k"], ascending=[False, True]),
    "sort-two-first": lambda pd, f, one: f.sort_values(["k", "v"], na_position="first"),
    "sort-series": lambda pd, f, one: f.v.sort_values(),
    "nlargest": lambda pd, f, one: f.nlargest(3, "v"),
    "duplicated": lambda pd, f, one: f.v.duplicated(),
    "distinct": lambda pd, f, one: f.drop_duplicates("v"),
    "unique": lambda pd, f, one: f.v.unique(),
    "nunique": lambda pd, f, one: f.v.nunique(),
    "nunique-nulls": lambda pd, f, one: f.v.nunique(dropna=False),
    "value-counts": lambda pd, f, one: f.v.value_counts(),
    "shift": lambda pd, f, one: f.v.shift(),
    "head": lambda pd, f, one: f.head(3).v,
    "take": lambda pd, f, one: f.iloc[[3, 1, 0]],
    "assign": lambda pd, f, one: f.assign(w=f.v, x=f.v.isna()),
    "concat": lambda pd, f, one: pd.concat([f, f]),
    "keys": lambda pd, f, one: f.groupby("v").k.sum(),
    "keys-nulls": lambda pd, f, one: f.groupby("v", dropna=False).k.sum(),
    "keys-unsorted": lambda pd, f, one: f.groupby("v", sort=False).agg({"k": "max"}),
    "keys-two": lambda pd, f, one: f.groupby(["k", "v"]).size(),
    "keys-as-columns": lambda pd, f, one: f.groupby(["v"], as_index=False).agg(n=("k", "count")),
    "merge": lambda pd, f, one: f.merge(f, on="v"),
    "merge-left": lambda pd, f, one: f.merge(f[f.k > 0], on="v", how="left"),
    "merge-outer": lambda pd, f, one: f.merge(f[f.k > 0], on="v", how="outer"),
    "merge-carried": lambda pd, f, one: f.merge(pd.DataFrame({"k": [0, 1, 5]}), on="k", how="right"),
    "set-index": lambda pd, f, one: f.set_index("v"),
    "index-sorted": lambda pd, f, one: f.set_index("v").sort_index(),
    "astype-str": lambda pd, f, one: f.v.astype("string[pyarrow]"),
    "astype-object": lambda pd, f, one: f.v.astype(object),
    "astype-category": lambda pd, f, one: f.v.astype("category"),
    "to-list": lambda pd, f, one: f.v.tolist(),
    "melt": lambda pd, f, one: f.melt("k"),
    "pivot": lambda pd, f, one: f.pivot_table(index="v", values="k", aggfunc="sum"),
    "apply": lambda pd, f, one: f.v.map(lambda value: value),
    "written": lambda pd, f, one: f.assign(v=f.v).set_index("k").v,
    "replace": lambda pd, f, one: f.v.replace(one, None),
    "first-column": lambda pd, f, one: f.iloc[:, 1],
    "cell": lambda pd, f, one: f.v[0],
    "row": lambda pd, f, one: f.v.iloc[1],
    "ffill": lambda pd, f, one: f.v.ffill(),
    "bool-logic": lambda pd, f, one: (f.v == one) & f.v.isna(),
    "string-of-frame": lambda pd, f, one: f.to_string(),
    "csv": lambda pd, f, one: f.to_csv(),
    "convert": lambda pd, f, one: f.convert_dtypes(),
}
AGGREGATES = "sum prod mean min max first last count size nunique any all std var median sem skew".split()
for _name in AGGREGATES:
    ANY[f"group-{_name}"] = lambda pd, f, one, name=_name: f.groupby("k").agg({"v": name})
    ANY[f"group-method-{_name}"] = lambda pd, f, one, name=_name: getattr(f.groupby("k").v, name)()
    if _name not in ("first", "last", "size"):
        ANY[f"whole-{_name}"] = lambda pd, f, one, name=_name: getattr(f.v, name)()
        ANY[f"frame-{_name}"] = lambda pd, f, one, name=_name: getattr(f[["v"]], name)()
ANY["sum-null"] = lambda pd, f, one: f.v.sum(skipna=False)
ANY["min-null"] = lambda pd, f, one: f.v.min(skipna=False)
ANY["sum-count"] = lambda pd, f, one: f.v.sum(min_count=20)
ANY["group-min-count"] = lambda pd, f, one: f.groupby("k").v.sum(min_count=2)
for _name in ("cumsum", "cummax", "diff", "rank", "abs"):
    ANY[_name] = lambda pd, f, one, name=_name: getattr(f.v, name)()

ARITHMETIC: dict[str, Any] = {}
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    for _what, _other in {"integer": 2, "negative": -3, "float": 0.5, "zero": 0, "np": np.int32(1), "np-float": np.float32(0.5), "missing": None, "na": pandas.NA, "nan": math.nan}.items():
        ARITHMETIC[f"{_name}-{_what}"] = lambda pd, f, one, name=_name, other=_other: getattr(f.v, f"__{name}__")(other)
        ARITHMETIC[f"r{_name}-{_what}"] = lambda pd, f, one, name=_name, other=_other: getattr(f.v, f"__r{name}__")(other)
    for _what in ("v", "k", "small", "nullable", "real"):
        ARITHMETIC[f"{_name}-column-{_what}"] = lambda pd, f, one, name=_name, other=_what: getattr(f.v, f"__{name}__")(f[other])
        ARITHMETIC[f"{_name}-beside-{_what}"] = lambda pd, f, one, name=_name, other=_what: getattr(f[other], f"__{name}__")(f.v)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    for _what, _other in {"integer": 2, "float": 0.5, "whole": 2.0, "np": np.int8(1), "huge": 2**63, "bool": True, "nan": math.nan, "none": None, "infinite": math.inf}.items():
        ARITHMETIC[f"{_name}-{_what}"] = lambda pd, f, one, name=_name, other=_other: getattr(f.v, f"__{name}__")(other)
    for _what in ("k", "small", "nullable", "real"):
        ARITHMETIC[f"{_name}-column-{_what}"] = lambda pd, f, one, name=_name, other=_what: getattr(f.v, f"__{name}__")(f[other])
        ARITHMETIC[f"{_name}-beside-{_what}"] = lambda pd, f, one, name=_name, other=_what: getattr(f[other], f"__{name}__")(f.v)
ARITHMETIC |= {
    "neg": lambda pd, f, one: -f.v,
    "pos": lambda pd, f, one: +f.v,
    "invert": lambda pd, f, one: ~f.v,
    "round": lambda pd, f, one: f.v.round(1),
    "clip": lambda pd, f, one: f.v.clip(0, 2),
    "astype-float": lambda pd, f, one: f.v.astype("float64"),
    "astype-int": lambda pd, f, one: f.v.astype("int64"),
    "astype-arrow": lambda pd, f, one: f.v.astype("double[pyarrow]"),
    "astype-nullable": lambda pd, f, one: f.v.astype("Float64"),
    "chain": lambda pd, f, one: ((f.v + 1) * 2 - f.v) / 4,
    "filled": lambda pd, f, one: f.v.fillna(0) + 1,
    "np-where": lambda pd, f, one: np.where(f.v.isna(), 0, 1),
    "np-log": lambda pd, f, one: np.log(f.v),
    "describe": lambda pd, f, one: f.v.describe(),
    "quantile": lambda pd, f, one: f.v.quantile(0.25),
    "frame": lambda pd, f, one: f[["v", "k"]] * 2,
    "apply": lambda pd, f, one: f.v.apply(lambda x: x),
}
#: Where pandas itself depends on how a column is cut into chunks, or raises what it should not: two zeros as keys of a sort by several, NaN among nulls as a key, sums of
#: integers beyond what a float holds, products of decimals; the median of a group with NaN, which it sorts as it falls.
OTHERWISE = {
    ("sort-two", "float"), ("sort-two", "double"), ("sort-two-first", "float"), ("sort-two-first", "double"), ("keys-nulls", "nan"), ("whole-mean", "wide"), ("frame-mean", "wide"),
    ("group-method-prod", "decimal"), ("group-prod", "decimal"), ("astype-category", "nan"), ("group-median", "nan"), ("group-method-median", "nan"),
}
#: What must be computed by the engine, for numbers.
NATIVE = set(
    """isna notna dropna filter filter-by-nulls equal not-equal less at-least same filter-equal filter-logic isin sort sort-down sort-two sort-series distinct duplicated head take
    assign concat keys keys-nulls keys-unsorted keys-two keys-as-columns merge merge-left merge-outer merge-carried set-index bool-logic
    group-sum group-min group-max group-first group-last group-count group-mean group-nunique group-method-sum group-method-mean group-method-count whole-sum whole-mean whole-min whole-max
    whole-count""".split()
)


def _frame(kind: str) -> Any:
    return pandas.DataFrame(
        {
            "k": np.array([1, 1, 0, 0, 1, 2, 3, 0]),
            "v": COLUMNS[kind],
            "small": np.arange(8, dtype="int16"),
            "nullable": pandas.array([1, None, 3, 4, 5, None, 7, 8], dtype="Int64"),
            "real": [0.5, math.nan, 1.0, 2.0, 4.0, 8.0, 0.0, -1.0],
        }
    )


@pytest.mark.parametrize("rows", ["all", "none", "one", "null"])
@pytest.mark.parametrize("name", ANY)
def test_operations(name: str, rows: str) -> None:
    wrong = []
    for kind, one in SOME.items():
        if (name, kind) in OTHERWISE:
            continue
        frame = _frame(kind).iloc[{"all": slice(None), "none": slice(0), "one": slice(1), "null": slice(1, 2)}[rows]]
        native = rows == "all" and name in NATIVE and kind in NUMBERS and not (kind in ("float", "double") and name.startswith(("keys", "merge")))
        try:
            check(lambda pd, f, one=one: ANY[name](pd, f, one), frame, native=native, rtol=1e-6)
        except Exception as error:
            wrong.append(f"{kind}: {type(error).__name__}: {error}"[:600])
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic(name: str) -> None:
    wrong = []
    for kind in [*NUMBERS, "bool", "decimal"]:
        for rows in (slice(None), slice(0, 1), slice(0)):
            try:
                check(lambda pd, f: ARITHMETIC[name](pd, f, None), _frame(kind).iloc[rows], native=False, rtol=1e-12)
            except Exception as error:
                wrong.append(f"{kind}: {type(error).__name__}: {error}"[:600])
    assert not wrong, "\n\n".join(wrong)
