"""NumPy's functions of frames and series: of each value, and of whole columns; with what they warn of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check, writes

import airloom.pandas
from airloom import _report as report
from airloom.pandas.internals import state

ROWS = 9


def columns(rows: int = ROWS) -> pandas.DataFrame:
    """A column of each dtype, with zeros of both signs, what is missing, infinities and extreme numbers."""

    def taking(values: Any, dtype: Any) -> Any:
        return np.resize(np.array(values, dtype=dtype), rows)

    floats = [1.5, np.nan, -0.0, 0.0, np.inf, -np.inf, -2.5, 1e300, 5e-324]
    made: dict[str, Any] = {
        **{f"i{width}": taking([1, 0, -1, np.iinfo(f"int{width}").min, np.iinfo(f"int{width}").max], f"int{width}") for width in (8, 16, 32, 64)},
        **{f"u{width}": taking([1, 0, 7, np.iinfo(f"uint{width}").max], f"uint{width}") for width in (8, 16, 32, 64)},
        "f64": taking(floats, float),
        "g64": taking(floats[::-1], float),
        "f32": taking([0.1, np.nan, -0.0, np.inf, -0.5, 1e30, 0.0], "float32"),
        "unit": taking([0.25, 1.0, -0.5, 0.0, np.nan], float),
        "positive": taking([0.25, 1.0, 3.5], float),
        "b": taking([True, False, False], bool),
        "nullable": pandas.array(np.resize(np.array([1, None, 0, -3], dtype=object), rows), dtype="Int64"),
        "nullable_float": pandas.array(np.resize(np.array([1.5, None, 0.0], dtype=object), rows), dtype="Float64"),
        "arrow": pandas.array(np.resize(np.array([1.5, None, 0.0], dtype=object), rows), dtype="double[pyarrow]"),
        "t": taking(["2020-02-29", "NaT", "1969-12-31"], "M8[us]"),
        "d": taking([5, "NaT", -1], "m8[us]"),
        "o": np.resize(np.array([1.5, 2, 0], dtype=object), rows),
        "s": pandas.array(np.resize(np.array(["b", None, "a"], dtype=object), rows), dtype="str"),
        "c": pandas.Categorical(np.resize(np.array(["x", "y", None], dtype=object), rows)),
    }
    return pandas.DataFrame(made)


NUMBERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f64", "f32", "unit", "positive", "b"]
NULLABLE = ["nullable", "nullable_float", "arrow"]
OTHERS = ["t", "d", "o", "s", "c"]
FRAMES: dict[str, Callable[[], pandas.DataFrame]] = {
    "plain": columns,
    "empty": lambda: columns().iloc[:0],
    "one": lambda: columns().iloc[:1],
    "labelled": lambda: columns().set_axis(pandas.Index(list("xaxbcdefg"), name="label")),
    "long": lambda: columns(100),
}

UNARY = """exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt deg2rad rad2deg radians degrees sign rint trunc
floor ceil fabs square reciprocal isnan isfinite isinf signbit logical_not absolute negative positive invert sqrt spacing bitwise_count""".split()
BINARY = """hypot arctan2 power float_power logaddexp logaddexp2 fmod remainder mod maximum minimum fmax fmin copysign floor_divide true_divide divide add subtract
multiply greater greater_equal less less_equal equal not_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor heaviside nextafter gcd lcm ldexp
left_shift right_shift""".split()
SEVERAL = ["modf", "frexp"]
#: What pandas does with its own operators, of which some are left to it, and what NumPy has for no dtype of floats.
OPERATORS = frozenset("power remainder mod floor_divide bitwise_and bitwise_or bitwise_xor true_divide divide add subtract multiply negative invert positive absolute".split())

COMPARISONS = frozenset("greater greater_equal less less_equal equal not_equal".split())


def warned(program: Callable[..., Any]) -> Callable[..., Any]:
    """The same program, which tells what it was warned of as well, once of each: at the call, and not when somebody looks at the result."""

    def run(pd: Any, *frames: Any) -> Any:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            made = program(pd, *frames)
        return _flat(made), [f"{one.category.__name__}: {one.message}" for one in said]

    return run


def _flat(made: Any) -> Any:
    """An array of several dimensions as what is compared: its shape, and its values one after the other."""
    if isinstance(made, np.ndarray) and made.ndim != 1:
        return made.shape, np.array(made).reshape(-1)
    return made


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one(name: str, frame: str, configuration: str) -> None:
    function = getattr(np, name)
    for column in (*NUMBERS, *NULLABLE, *OTHERS) if frame == "plain" else ("f64", "i64", "b", "nullable", "t"):
        native = column in NUMBERS and name not in OPERATORS
        check(warned(lambda pd, df, column=column: function(df[column])), FRAMES[frame](), native=native)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_that_is_computed(name: str, frame: str, configuration: str) -> None:
    function = getattr(np, name)
    for column in ("f64", "f32", "positive") if frame == "plain" else ("f64",):
        check(warned(lambda pd, df, column=column: function(df[column] * 0.5)), FRAMES[frame](), native=name != "invert")
        check(warned(lambda pd, df, column=column: function(df[df["b"]][column])), FRAMES[frame](), native=name != "invert")
    for column in NULLABLE if frame == "plain" else ():
        check(warned(lambda pd, df, column=column: function(df[column] + 1)), FRAMES[frame](), native=False)


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_frame(name: str, configuration: str) -> None:
    function = getattr(np, name)
    for chosen in (["f64", "g64"], ["f32", "positive", "f64"], ["i64", "f64", "i32", "i8"], ["b"], ["u8", "i16"], []):
        native = name not in OPERATORS and bool(chosen)
        for frame in ("plain", "empty") if len(chosen) > 2 else ("plain",):
            check(warned(lambda pd, df, chosen=chosen: function(df[chosen])), FRAMES[frame](), native=native)
            if chosen and chosen != ["b"]:
                check(warned(lambda pd, df, chosen=chosen: function(df[chosen] * 2)), FRAMES[frame](), native=native)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two(name: str, frame: str, configuration: str) -> None:
    function = getattr(np, name)
    pairs = [("f64", "g64"), ("f32", "f64"), ("i64", "f64"), ("i8", "i32"), ("u64", "i64"), ("i64", "i64"), ("b", "b"), ("positive", "unit"), ("nullable", "i64"), ("t", "t"), ("arrow", "f64")]
    for left, right in pairs if frame == "plain" else pairs[:4]:
        native = left in NUMBERS and name not in OPERATORS and not (left == "u64" and name in COMPARISONS)
        check(warned(lambda pd, df, left=left, right=right: function(df[left], df[right])), FRAMES[frame](), native=native)


VALUES: dict[str, Any] = {
    "zero": lambda df: 0,
    "two": lambda df: 2,
    "fraction": lambda df: 0.5,
    "negative": lambda df: -1.5,
    "nan": lambda df: np.nan,
    "bool": lambda df: True,
    "scalar": lambda df: np.float32(0.1),
    "large": lambda df: 2**70,
    "array": lambda df: np.arange(len(df)) * 0.5 - 1,
    "integers": lambda df: np.arange(len(df), dtype="int16"),
    "one-item": lambda df: np.array([2.0]),
    "no-dimensions": lambda df: np.array(2.0),
    "list": lambda df: [0.5] * len(df),
    "tuple": lambda df: (0.5,) * len(df),
    "too-long": lambda df: np.ones(len(df) + 1),
    "matrix": lambda df: np.ones((len(df), len(df))),
    "index": lambda df: pandas.Index(np.arange(len(df)) * 0.5),
    "text": lambda df: "a",
    "none": lambda df: None,
    "pandas": lambda df: pandas.Series(np.arange(len(df)) * 0.5, index=df.index, name="f64"),
    "masked": lambda df: np.ma.masked_array(np.ones(len(df)), mask=np.arange(len(df)) % 2 == 0),
}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_a_column_and_a_value(name: str, value: str, configuration: str) -> None:
    function, other = getattr(np, name), VALUES[value]
    if value == "pandas" and name.startswith("bitwise"):
        # NumPy asks the object of pandas first, whose operators are not the same both ways round.
        return
    for column in ("f64", "i64", "nullable") if name in ("hypot", "maximum", "remainder", "logical_and") else ("f32", "b"):
        check(warned(lambda pd, df, column=column: function(df[column], other(df))), columns(), native=False)
        check(warned(lambda pd, df, column=column: function(other(df), df[column])), columns(), native=False)
    check(warned(lambda pd, df: function(df["f64"], other(df))), FRAMES["one"](), native=False)


@pytest.mark.parametrize("value", ["zero", "fraction", "scalar", "array", "integers", "list"])
def test_functions_of_a_column_and_a_value_are_native(value: str, configuration: str) -> None:
    other = VALUES[value]
    for name in ("hypot", "arctan2", "logaddexp", "fmod", "fmax", "fmin", "copysign", "float_power", "maximum", "minimum"):
        function = getattr(np, name)
        check(warned(lambda pd, df, function=function: function(df["f64"] + 1, other(df))), columns())
        check(warned(lambda pd, df, function=function: function(other(df), df["f64"])), columns())


FRAMES_AND_VALUES: dict[str, Any] = {
    "hypot": lambda pd, df: np.hypot(df[["f64", "unit"]], df[["f64", "unit"]]),
    "maximum": lambda pd, df: np.maximum(df[["f64", "unit"]], 0),
    "maximum-dtypes": lambda pd, df: np.maximum(df[["f64", "i8"]], 0.5),
    "arctan2-computed": lambda pd, df: np.arctan2(df[["f64", "unit"]] * 2, df[["f64", "unit"]] + 1),
    "logaddexp": lambda pd, df: np.logaddexp(df[["f32", "i16"]], 1),
    "power": lambda pd, df: np.power(df[["unit", "positive"]], 1.5),
    "other-order": lambda pd, df: np.hypot(df[["f64", "unit"]], df[["unit", "f64"]]),
    "other-columns": lambda pd, df: np.hypot(df[["f64", "unit"]], df[["f64", "positive"]]),
    "frame-and-series": lambda pd, df: np.hypot(df[["f64", "unit"]], df["f64"]),
    "series-and-frame": lambda pd, df: np.maximum(df["f64"], df[["f64", "unit"]]),
    "frame-and-array": lambda pd, df: np.hypot(df[["f64", "unit"]], np.ones((len(df), 2))),
    "frame-and-row": lambda pd, df: np.fmax(df[["f64", "unit"]], np.array([0.0, 1.0])),
    "modf": lambda pd, df: np.modf(df[["f64", "unit"]]),
    "duplicates": lambda pd, df: np.exp(df[["f64", "f64"]]),
    "levels": lambda pd, df: np.exp(df[["f64", "unit"]].set_axis(pandas.MultiIndex.from_tuples([("a", 1), ("b", 2)]), axis=1)),
    "mixed": lambda pd, df: np.exp(df[["f64", "s"]]),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", FRAMES_AND_VALUES)
def test_functions_of_frames(program: str, frame: str, configuration: str) -> None:
    check(warned(FRAMES_AND_VALUES[program]), FRAMES[frame](), native=program in ("hypot", "maximum", "maximum-dtypes", "arctan2-computed", "logaddexp", "duplicates"))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", SEVERAL)
def test_functions_of_two_results(name: str, frame: str, configuration: str) -> None:
    check(warned(lambda pd, df: getattr(np, name)(df["f64"])), FRAMES[frame]())
    check(warned(lambda pd, df: getattr(np, name)(df["f32"] * 2)), FRAMES[frame]())


@writes
def _out(pd: Any, df: Any) -> Any:
    made = pd.Series(np.zeros(len(df)), name="out")
    return np.exp(df["f64"], out=made), made


@writes
def _out_array(pd: Any, df: Any) -> Any:
    made = np.zeros(len(df))
    return np.exp(df["f64"], out=made) is made, made


CALLS: dict[str, Any] = {
    "out": _out,
    "out-array": _out_array,
    "where": lambda pd, df: np.exp(df["f64"], out=np.zeros(len(df)), where=np.arange(len(df)) % 2 == 0),
    "where-series": lambda pd, df: np.sqrt(df["f64"], out=np.zeros(len(df)), where=df["b"]),
    "dtype": lambda pd, df: np.exp(df["i32"], dtype="float32"),
    "dtype-computed": lambda pd, df: np.exp(df["positive"] * 2, dtype="float32"),
    "casting": lambda pd, df: np.add(df["f64"], 1, casting="no"),
    "wrong-keyword": lambda pd, df: np.exp(df["f64"], wrong=1),
    "reduce": lambda pd, df: np.add.reduce(df["positive"]),
    "reduce-maximum": lambda pd, df: np.maximum.reduce(df["f64"]),
    "accumulate": lambda pd, df: np.maximum.accumulate(df["f64"]),
    "accumulate-computed": lambda pd, df: np.add.accumulate(df["i64"] * 2),
    "accumulate-frame": lambda pd, df: np.maximum.accumulate(df[["f64", "unit"]]),
    "outer": lambda pd, df: np.multiply.outer(df["f64"], df["f64"]),
    "outer-arrays": lambda pd, df: np.multiply.outer(df["positive"].to_numpy(), df["unit"].to_numpy()),
    "at": lambda pd, df: np.add.at(df["f64"].copy(), [0], 1),
    "matmul": lambda pd, df: np.matmul(df["positive"], df["positive"]),
    "misaligned": lambda pd, df: np.hypot(df["f64"], df["f64"].iloc[::-1]),
    "misaligned-shorter": lambda pd, df: np.hypot(df["f64"], df["f64"].iloc[:2]),
    "misaligned-labels": lambda pd, df: np.hypot(df["f64"], df["f64"].set_axis(range(3, 3 + len(df)))),
    "misaligned-maximum": lambda pd, df: np.maximum(df["f64"], df["f64"].iloc[1:]),
    "other-name": lambda pd, df: np.hypot(df["f64"], df["f64"].rename("z")),
    "same-name": lambda pd, df: np.hypot(df["f64"], df["f64"] * 2),
    "name-of-another-type": lambda pd, df: np.hypot(df["f64"].rename(1), df["f64"].rename(1.0)),
    "python-function": lambda pd, df: np.frompyfunc(lambda x: x + 1, 1, 1)(df["f64"]),
    "vectorize": lambda pd, df: np.vectorize(lambda x: x + 1)(df["f64"]),
    "errstate-ignore": lambda pd, df: _with_errors(df, all="ignore"),
    "errstate-raise": lambda pd, df: _with_errors(df, all="raise"),
    "errstate-under": lambda pd, df: _with_errors(df, under="warn"),
    "put-back": lambda pd, df: df.assign(e=np.exp(df["unit"]), w=np.where(df["unit"] > 0, df["f64"], df["unit"])),
    "put-back-filtered": lambda pd, df: (lambda few: few.assign(e=np.exp(few["unit"]) + few["positive"]))(df[df["b"]]),
    "chain": lambda pd, df: np.sin(df["unit"]) ** 2 + np.cos(df["unit"]) * np.cos(df["positive"]),
    "sorted": lambda pd, df: np.exp(df.sort_values("unit", kind="stable")["positive"]),
    "sliced": lambda pd, df: np.exp(df["unit"].iloc[1:4]),
    "grouped": lambda pd, df: np.log(df.groupby("b")["positive"].sum()),
    "square-root-of-squares": lambda pd, df: np.sqrt(df["unit"] ** 2 + df["positive"] * df["positive"]),
    "square-root-of-sizes": lambda pd, df: np.sqrt(df["f64"].abs()),
    "square-root-of-differences": lambda pd, df: np.sqrt(df["unit"] - df["positive"]),
}


def _at(pd: Any, df: Any) -> Any:
    copied = df["f64"].copy()
    np.add.at(copied, [0], 1)
    return copied, df["f64"]


CALLS["at-copy"] = _at


def _with_errors(df: Any, **modes: Any) -> Any:
    with np.errstate(**modes):
        return np.log(df["f64"]), np.deg2rad(df["f64"])


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", CALLS)
def test_calls(program: str, frame: str, configuration: str) -> None:
    ran = CALLS[program] if getattr(CALLS[program], "writes", False) else warned(CALLS[program])
    native = program in ("dtype", "dtype-computed", "accumulate", "accumulate-computed", "put-back", "chain", "sliced", "other-name", "same-name", "errstate-ignore") or program.startswith("square-root")
    check(ran, FRAMES[frame](), native=native)


ARRAYS: dict[str, Any] = {
    "where-scalars": lambda df: np.where(df["f64"] > 0, 1, 0),
    "where-floats": lambda df: np.where(df["f64"] > 0, 1.5, 0),
    "where-bools": lambda df: np.where(df["f64"] > 0, True, False),
    "where-bool-and-number": lambda df: np.where(df["f64"] > 0, True, 2),
    "where-text": lambda df: np.where(df["f64"] > 0, "a", "bcd"),
    "where-none": lambda df: np.where(df["f64"] > 0, None, 1),
    "where-nan": lambda df: np.where(df["f64"] > 0, df["i64"], np.nan),
    "where-columns": lambda df: np.where(df["f64"] > 0, df["f64"] * 2, df["g64"]),
    "where-dtypes": lambda df: np.where(df["unit"] > 0, df["i8"], df["i32"] + 1),
    "where-unsigned": lambda df: np.where(df["unit"] > 0, df["u64"], df["i64"]),
    "where-narrow": lambda df: np.where(df["unit"] > 0, df["f32"], 0.1),
    "where-narrow-integer": lambda df: np.where(df["unit"] > 0, df["f32"], 2**40),
    "where-overflow": lambda df: np.where(df["unit"] > 0, df["i8"], 1000),
    "where-numpy-scalar": lambda df: np.where(df["unit"] > 0, df["f32"], np.float64(0.1)),
    "where-number-condition": lambda df: np.where(df["i64"] * 2, df["f64"], 0),
    "where-held": lambda df: np.where(df["b"], df["f64"], df["g64"]),
    "where-not": lambda df: np.where(~df["b"], df["f64"], -df["g64"]),
    "where-nullable": lambda df: np.where(df["nullable"] > 0, 1, 0),
    "where-nullable-branch": lambda df: np.where(df["unit"] > 0, df["nullable"], 0),
    "where-dates": lambda df: np.where(df["unit"] > 0, df["t"], df["t"] + pandas.Timedelta("1s")),
    "where-date": lambda df: np.where(df["unit"] > 0, df["t"], np.datetime64("2020-01-01")),
    "where-strings": lambda df: np.where(df["unit"] > 0, df["s"], "none"),
    "where-categories": lambda df: np.where(df["unit"] > 0, df["c"], df["s"]),
    "where-objects": lambda df: np.where(df["unit"] > 0, df["o"], 0),
    "where-array": lambda df: np.where(df["unit"] > 0, np.arange(len(df)), df["f64"] + 1),
    "where-list": lambda df: np.where(df["unit"] > 0, [1] * len(df), df["f64"] + 1),
    "where-too-long": lambda df: np.where(df["unit"] > 0, np.arange(len(df) + 2), 0),
    "where-array-condition": lambda df: np.where(np.arange(len(df)) % 2 == 0, df["f64"] * 2, df["g64"] + 1),
    "where-other-labels": lambda df: np.where(df["unit"] > 0, df["f64"] * 2, (df["f64"] + 1).iloc[::-1]),
    "where-reset-labels": lambda df: np.where(df["unit"] > 0, df["f64"] * 2, (df["g64"] + 1).reset_index(drop=True)),
    "where-filtered": lambda df: (lambda few: np.where(few["unit"] > 0, few["f64"] + 1, few["positive"]))(df[df["b"]]),
    "where-frame": lambda df: np.where(df[["f64", "unit"]] > 0, df[["f64", "unit"]] * 2, 0),
    "where-one": lambda df: np.where(df["f64"] > 0),
    "where-two": lambda df: np.where(df["f64"] > 0, 1),
    "where-keyword": lambda df: np.where(df["f64"] > 0, x=1, y=2),
    "where-nested": lambda df: np.where(df["f64"] > 1, 2, np.where(df["unit"] > 0, 1, df["i64"] * 2)),
    "where-pandas": lambda df: np.where(df["unit"] > 0, pandas.Series(np.arange(len(df))), df["f64"] * 2),
    "where-masked": lambda df: np.where(df["unit"] > 0, np.ma.masked_array(np.ones(len(df)), mask=True), df["f64"] * 2),
    "select": lambda df: np.select([df["f64"] > 0, df["unit"] > 0], [df["f64"] * 2, df["i64"]], -1.5),
    "select-default": lambda df: np.select([df["f64"] > 0, df["unit"] > 0], [df["i64"] * 2, df["i32"]]),
    "select-text": lambda df: np.select([df["f64"] > 0, df["unit"] > 0], ["a", "b"], "c"),
    "select-keywords": lambda df: np.select(condlist=[df["f64"] > 0], choicelist=[1], default=np.nan),
    "select-numbers": lambda df: np.select([df["i64"] * 2], [1]),
    "select-lengths": lambda df: np.select([df["f64"] > 0], [1, 2]),
    "select-empty": lambda df: np.select([], [], 0),
    "isin": lambda df: np.isin(df["i64"] * 2, [0, 2]),
    "isin-floats": lambda df: np.isin(df["f64"] * 2, [0, np.nan, 3]),
    "isin-series": lambda df: np.isin(df["i64"] * 2, df["i32"] + 1),
    "isin-invert": lambda df: np.isin(df["s"], ["a"], invert=True),
    "digitize": lambda df: np.digitize(df["positive"] * 2, [0.5, 1.0, 5.0]),
    "digitize-wrong": lambda df: np.digitize(df["positive"] * 2, [0.5, 0.1, 5.0]),
    "interp": lambda df: np.interp(df["unit"] * 2, [0.0, 0.5, 1.0], [1.0, 3.0, -1.0]),
    "interp-series": lambda df: np.interp(df["unit"] * 2, np.arange(len(df)), df["positive"] + 1),
    "percentile": lambda df: np.percentile(df["positive"] * 2, [10, 50, 99]),
    "percentile-nan": lambda df: np.percentile(df["f64"] * 2, 50),
    "quantile": lambda df: np.quantile(df["positive"] * 2, 0.3, method="lower"),
    "median": lambda df: np.median(df["positive"] * 2),
    "nanmedian": lambda df: np.nanmedian(df["unit"] * 2),
    "nanmean": lambda df: np.nanmean(df["unit"] * 2),
    "average": lambda df: np.average(df["positive"] * 2, weights=df["positive"] + 1),
    "histogram": lambda df: np.histogram(df["positive"] * 2, bins=3),
    "concatenate": lambda df: np.concatenate([df["f64"] * 2, df["i64"] + 1]),
    "stack": lambda df: np.stack([df["f64"] * 2, df["i64"] + 1], axis=1),
    "column_stack": lambda df: np.column_stack((df["f64"] * 2, df["i64"] + 1)),
    "array_equal": lambda df: np.array_equal(df["i64"] * 2, df["i64"] + df["i64"]),
    "allclose": lambda df: np.allclose(df["positive"] * 2, df["positive"] + df["positive"]),
    "isclose": lambda df: np.isclose(df["f64"] * 2, df["g64"] + 1, equal_nan=True),
    "unique": lambda df: np.unique(df["i64"] * 2),
    "unique-counts": lambda df: np.unique(df["i64"] * 2, return_counts=True),
    "sort": lambda df: np.sort(df["f64"] * 2),
    "diff": lambda df: np.diff(df["positive"] * 2),
    "corrcoef": lambda df: np.corrcoef(df["positive"] * 2, df["i32"] + 1),
    "polyfit": lambda df: np.polyval([1.0, 2.0], df["positive"] * 2),
    "nan_to_num": lambda df: np.nan_to_num(df["f64"] * 2),
    "count_nonzero": lambda df: np.count_nonzero(df["i64"] * 2),
    "shape": lambda df: (np.shape(df["f64"] * 2), np.ndim(df["f64"]), np.size(df[["f64", "b"]])),
    "dot": lambda df: np.dot(df["positive"] * 2, df["positive"] + 1),
    "trapezoid": lambda df: np.trapezoid(df["positive"] * 2, df["unit"]),
    "asarray": lambda df: np.asarray(df["f64"] * 2),
    "array-of": lambda df: np.array([df["f64"] * 2, df["g64"]]),
    "testing": lambda df: np.testing.assert_array_equal(df["i64"] * 2, df["i64"] + df["i64"]),
    "testing-fails": lambda df: np.testing.assert_array_equal([1], [2]),
    "broadcast": lambda df: np.broadcast_to(df["f64"] * 2, (2, len(df))),
    "full-like": lambda df: np.full_like(df["f64"] * 2, 1),
    "ones-like": lambda df: np.ones_like(df["i32"] * 2),
    "can-cast": lambda df: np.result_type(df["i32"], df["f32"]),
    "like": lambda df: np.asarray([1.0], like=df["f64"]),
    "ones-that-are-like": lambda df: np.ones(3, like=df["f64"]),
    "lexsort": lambda df: np.lexsort((df["unit"] * 2, df["b"])),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", ARRAYS)
def test_functions_that_make_arrays(program: str, frame: str, configuration: str) -> None:
    native = program in ("where-scalars", "where-nan", "where-columns", "where-filtered", "select", "interp", "digitize", "isin", "percentile", "median", "concatenate")
    check(warned(lambda pd, df: ARRAYS[program](df)), FRAMES[frame](), native=native)


METHODS: dict[str, Any] = {
    "sum": lambda df: np.sum(df["i64"] * 2),
    "mean": lambda df: np.mean(df["i32"] * 2),
    "std": lambda df: np.std(df["i32"] * 2),
    "var": lambda df: np.var(df["i32"] * 2, ddof=1),
    "min": lambda df: np.min(df["unit"] * 2),
    "max": lambda df: np.max(df["unit"] * 2),
    "prod": lambda df: np.prod(df["i32"] * 2),
    "any": lambda df: np.any(df["b"]),
    "all": lambda df: np.all(df["b"]),
    "clip": lambda df: np.clip(df["unit"] * 2, 0, 0.5),
    "clip-frame": lambda df: np.clip(df[["unit", "positive"]] * 2, 0, 0.5),
    "round": lambda df: np.round(df["unit"] * 2, 1),
    "cumsum": lambda df: np.cumsum(df["i64"] * 2),
    "cumprod": lambda df: np.cumprod(df["i64"] * 2),
    "cumsum-dtype": lambda df: np.cumsum(df["i64"] * 2, dtype="float64"),
    "clip-out": lambda df: np.clip(df["unit"] * 2, 0, 0.5, out=np.zeros(len(df))),
    "argsort": lambda df: np.argsort(df["unit"] * 2),
    "argmax": lambda df: np.argmax(df["positive"] * 2),
    "ptp": lambda df: np.ptp(df["positive"] * 2),
    "repeat": lambda df: np.repeat(df["positive"] * 2, 2),
    "ravel": lambda df: np.ravel(df["positive"] * 2),
    "squeeze": lambda df: np.squeeze(df["positive"] * 2),
    "transpose": lambda df: np.transpose(df[["unit", "positive"]] * 2),
    "searchsorted": lambda df: np.searchsorted(df["positive"] * 2, 1.0),
    "frame-sum": lambda df: np.sum(df[["i64", "i32"]] * 2, axis=0),
    "frame-sum-all": lambda df: np.sum(df[["i64", "i32"]] * 2),
    "frame-mean": lambda df: np.mean(df[["i64", "i32"]] * 2, axis=1),
    "take": lambda df: np.take(df["unit"] * 2, [0]),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", METHODS)
def test_functions_that_call_methods(program: str, frame: str, configuration: str) -> None:
    native = program in ("sum", "mean", "min", "max", "any", "all", "clip", "clip-frame", "round", "cumsum", "cumprod")
    check(lambda pd, df: METHODS[program](df), FRAMES[frame](), native=native, rtol=1e-12 if program in ("mean", "std", "var", "frame-mean") else 0.0)


def _runs() -> int:
    """How many programs were run."""
    return sum(entry.times for entry in report.LOG.entries.values() if entry.where == "run")


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "sin", "arctan", "isnan"])
def test_nullable_numbers_in_memory_are_native(name: str, configuration: str) -> None:
    for column in NULLABLE:
        check(warned(lambda pd, df, column=column: getattr(np, name)(df[column])), columns().set_axis(range(5, 5 + ROWS)))


def test_operands_are_computed_by_one_program() -> None:
    df = airloom.pandas.DataFrame(columns())
    for function, operands in (
        (np.where, (df["f64"] > 0, df["unit"] * 2, df["positive"] + 1)),
        (np.where, (df["f64"] > 0, df["t"], df["t"] + pandas.Timedelta("1s"))),
        (np.select, ([df["f64"] > 0, df["unit"] > 0], [df["unit"] * 2, df["positive"] + 1])),
        (np.hypot, (df["unit"] * 2, df["positive"] + 1)),
        (np.interp, (df["unit"] * 2, df["positive"] + 1, df["positive"] * 2)),
        (np.concatenate, ([df["unit"] * 2, df["positive"] + 1],)),
        (np.arctan2, (df[["unit", "f64"]] * 2, df[["unit", "f64"]] + 1)),
    ):
        report.LOG.clear()
        function(*operands)  # type: ignore[operator]
        assert _runs() == 1


def test_functions_that_warn_of_nothing_are_not_computed_yet() -> None:
    df = airloom.pandas.DataFrame(columns())
    for made in (np.floor(df["f64"]), np.sign(df["f64"]), np.isnan(df["f64"]), np.sqrt(df["f64"].abs()), np.maximum(df["f64"], 0), np.square(df["i64"]), np.deg2rad(df["f32"])):
        assert state.is_lazy(made)


def test_operands_that_were_computed_stay_so() -> None:
    df = airloom.pandas.DataFrame(columns())
    computed = df["unit"] * 2
    np.exp(computed)
    assert not state.is_lazy(computed)
    report.LOG.clear()
    np.log(computed)
    assert _runs() == 0


def test_arrays_are_the_users_own() -> None:
    df = airloom.pandas.DataFrame(columns())
    made = np.where(df["b"], df["f64"] * 1.0, df["unit"])
    assert type(made) is np.ndarray and made.flags.owndata and made.flags.writeable
    before = df["unit"].copy()
    made[:] = 7
    pandas.testing.assert_series_equal(df["unit"], before)


class Foreign:
    """An array of another library, which has something to say about NumPy's functions."""

    asked: list[Any]

    def __init__(self) -> None:
        self.asked = []

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        self.asked.append(set(types))
        if set(types) != {Foreign}:
            return NotImplemented
        return "foreign", [type(one) for one in args[0]]


@pytest.mark.parametrize("first", [True, False])
def test_arrays_of_other_libraries_are_asked_as_beside_pandas(first: bool) -> None:
    for module in (pandas, airloom.pandas):
        series, foreign = module.Series([1.0, 2.0]) * 2, Foreign()
        assert np.concatenate([series, foreign] if first else [foreign, series])[0] == "foreign"  # type: ignore[call-overload]
        assert foreign.asked[-1] == {Foreign}


def test_subclasses_are_converted_as_those_of_pandas() -> None:
    class Mine(airloom.pandas.Series):  # type: ignore[misc]
        pass

    series = Mine([1.0, -2.0])
    assert np.where(series > 0, series, 0).tolist() == [1.0, 0.0]
    assert np.concatenate([series, series]).tolist() == [1.0, -2.0, 1.0, -2.0]
    assert np.exp(series).tolist() == np.exp(series.to_numpy()).tolist()
