"""Values looked up in mappings of many, by timestamps, and by categories."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check
from frames import FRAMES

DAYS = pd.Series(["2020-02-29", "1969-12-31", "2262-01-01"], dtype="M8[us]")


def _many(start: int = -200, stop: int = 200) -> dict[int, int]:
    return {key: key * 3 for key in range(start, stop)}


def _text(count: int = 300) -> list[str]:
    return [f"w{at}" for at in range(count)]


#: More keys than are written into a program.
MANY: dict[str, Any] = {
    "whole": lambda pd, df: df["k"].map(_many()),
    "some": lambda pd, df: df["k"].map(_many(2, 400)),
    "none": lambda pd, df: df["k"].map(_many(1000, 1400)),
    "narrow": lambda pd, df: df["small"].map(_many(-50, 100)),
    "wide": lambda pd, df: df["i"].map(_many()),
    "floats": lambda pd, df: df["f"].map(_many()),
    "floats-by-floats": lambda pd, df: df["f"].map({key / 2: key for key in range(-200, 200)}),
    "missing-key": lambda pd, df: df["f"].map({**_many(), float("nan"): 5}),
    "missing-key-ignored": lambda pd, df: df["f"].map({**_many(), float("nan"): 5}, na_action="ignore"),
    "to-floats": lambda pd, df: df["k"].map({key: key / 3 for key in range(2, 400)}),
    "to-text": lambda pd, df: df["k"].map({key: f"n{key}" for key in range(2, 400)}),
    "to-truth": lambda pd, df: df["k"].map({key: key % 2 == 0 for key in range(-400, 400)}),
    "to-timestamps": lambda pd, df: df["k"].map(DAYS.reindex(range(300))),
    "text-to-whole": lambda pd, df: df["s"].fillna("").map({key: at for at, key in enumerate(["a", "b", "", *_text()])}),
    "text-to-floats": lambda pd, df: df["s"].map({key: at / 2 for at, key in enumerate(["a", "b", "", *_text()])}),
    "text-to-text": lambda pd, df: df["s"].map({key: key * 2 for key in ["a", "b", "日本", *_text()]}),
    "text-missing": lambda pd, df: df["s"].map(pandas_series([*range(302)], ["a", None, *_text()])),
    "series": lambda pd, df: df["k"].map(pd.Series(np.arange(400.0), index=range(100, 500)[::-1])),
    "frequencies": lambda pd, df: df["k"].map(df["k"].value_counts()),
    "column-of-another": lambda pd, df: df["k"].map(pd.DataFrame({"key": range(400), "value": range(400)}).set_index("key")["value"] * 2),
    "then": lambda pd, df: df.assign(x=df["k"].map(_many()))[lambda d: d["x"] > 3],
    "filtered": lambda pd, df: df[df["k"] > 1]["k"].map(_many()),
    "lazy": lambda pd, df: (df["k"] * 2).map(_many()),
    "by-timestamps": lambda pd, df: df["t"].map(pandas_series([1, 2, 3], DAYS)),
    "by-timestamps-to-text": lambda pd, df: df["t"].map(pandas_series(["a", "b", "c"], DAYS)),
    "by-spans": lambda pd, df: df["d"].map(pandas_series([1.5, 2.5], np.array([1, -5], dtype="m8[us]"))),
}


def pandas_series(values: Any, index: Any) -> Any:
    return pd.Series(values, index=pd.Index(index))


@pytest.mark.parametrize("frame", [name for name in FRAMES if name != "empty"])
@pytest.mark.parametrize("program", MANY)
def test_many(program: str, frame: str, configuration: str) -> None:
    check(MANY[program], FRAMES[frame]())


@pytest.mark.parametrize("program", MANY)
def test_many_of_nothing(program: str) -> None:
    check(MANY[program], FRAMES["empty"](), native=False)


CATEGORIES: dict[str, Any] = {
    "numbers": lambda pd, df: df["c"].map({"x": 1, "y": 2, "z": 3}),
    "some": lambda pd, df: df["c"].map({"x": 1, "y": 2}),
    "same": lambda pd, df: df["c"].map({"x": 1.5, "y": 1.5, "z": 1.5}),
    "text": lambda pd, df: df["c"].map({"x": "a", "y": "b", "z": "c"}),
    "text-same": lambda pd, df: df["c"].map({"x": "a", "y": "a", "z": "b"}),
    "missing-key": lambda pd, df: df["c"].map({"x": 1, "y": 2, "z": 3, np.nan: 7}),
    "missing-ignored": lambda pd, df: df["c"].map({"x": 1, "y": 1, "z": 3, np.nan: 7}, na_action="ignore"),
    "function": lambda pd, df: df["c"].map(str.upper, na_action="ignore"),
    "lambda": lambda pd, df: df["c"].map(lambda value: f"{value}!"),
    "lambda-same": lambda pd, df: df["c"].map(lambda value: 5),
    "keywords": lambda pd, df: df["c"].map(lambda value, by: f"{value}{by}", by=3),
    "series": lambda pd, df: df["c"].map(pd.Series([1, 2, 3], index=["z", "y", "x"])),
    "timestamps": lambda pd, df: df["c"].map({"x": pandas_day(1), "y": pandas_day(2), "z": pandas_day(1)}),
    "ordered": lambda pd, df: df["c"].cat.as_ordered().map({"x": 1, "y": 2, "z": 3}),
    "filtered": lambda pd, df: df[df["k"] > 1]["c"].map({"x": 1, "y": 2, "z": 2}),
    "then": lambda pd, df: df["c"].map({"x": 1, "y": 2, "z": 2}) + 1,
    "apply": lambda pd, df: df["c"].apply(lambda value: f"{value}!"),
    "apply-same": lambda pd, df: df["c"].apply(lambda value: len(str(value))),
    "apply-arguments": lambda pd, df: df["c"].apply(lambda value, by, to: f"{value}{by}{to}", args=("a",), to="b"),
    "apply-raises": lambda pd, df: df["c"].apply(len),
    "of-numbers": lambda pd, df: df["k"].astype("category").map(lambda value: value % 2),
}


def pandas_day(day: int) -> Any:
    return pd.Timestamp(2020, 1, day)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", CATEGORIES)
def test_categories(program: str, frame: str, configuration: str) -> None:
    check(CATEGORIES[program], FRAMES[frame](), native=frame != "empty" or not program.startswith(("apply", "of-numbers")))


LEFT: dict[str, Any] = {
    "labels-twice": lambda pd, df: df["k"].map(pandas_series(range(300), [*range(299), 1])),
    "large-floats": lambda pd, df: df["f"].map({2**60 + key: 1 for key in range(200)}),
    "by-other-unit": lambda pd, df: df["t"].map(pandas_series([1, 2, 3], DAYS.astype("M8[ns]"))),
    "whole-by-floats": lambda pd, df: df["i"].map({key / 2: key for key in range(200)}),
    "text-by-whole": lambda pd, df: df["s"].map(_many()),
    "to-objects": lambda pd, df: df["k"].map({key: (key,) for key in range(200)}),
    "to-mixed": lambda pd, df: df["k"].map({key: key if key % 2 else "a" for key in range(200)}),
    "to-truth-some": lambda pd, df: df["s"].map({key: True for key in ["a", *_text()]}),
    "to-categories": lambda pd, df: df["k"].map(pandas_series(pd.Categorical(["a", "b"] * 100), range(200))),
    "tuples": lambda pd, df: df["k"].map({(key, 1): 1 for key in range(200)}),
    "levels": lambda pd, df: df["k"].map(df.set_index(["k", "i"])["f"]),
    "categories-to-objects": lambda pd, df: df["c"].map({"x": 1, "y": "a", "z": None}),
    "categories-to-tuples": lambda pd, df: df["c"].map(lambda value: (value, 1)),
    "categories-raise": lambda pd, df: df["c"].map(lambda value: {}[value]),
    "categories-missing-raises": lambda pd, df: df["c"].map(str.upper),
    "categories-wrong": lambda pd, df: df["c"].map(3),
    "categories-none": lambda pd, df: df["c"].map(None),
    "categories-list": lambda pd, df: df["c"].apply([str.upper]),
    "categories-name": lambda pd, df: df["c"].apply("count"),
    "categories-series": lambda pd, df: df["c"].apply(lambda value: pd.Series([1, 2])),
}


@pytest.mark.parametrize("frame", ["mixed", "empty", "one", "all-missing", "labelled"])
@pytest.mark.parametrize("program", LEFT)
def test_left_to_pandas(program: str, frame: str) -> None:
    check(LEFT[program], FRAMES[frame](), native=False)


def test_functions_are_asked_once_of_each_category() -> None:
    import airloom.pandas

    asked: list[str] = []

    def note(value: Any) -> Any:
        asked.append(value)
        return len(asked)

    series = airloom.pandas.Series(pd.Categorical(["b", "a", "b", "a"]))
    assert series.map(note).tolist() == [2, 1, 2, 1]
    assert asked == ["a", "b"]
