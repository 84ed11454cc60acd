"""Every operator and every method of its name, of frames and of series: with a number, with a column, with a frame, and the other way round."""

from __future__ import annotations

from typing import Any

import pytest
from compare import check
from frames import FRAMES

ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
LOGIC = ["and", "or", "xor"]
ALIASES = ["div", "divide", "rdiv", "multiply", "subtract"]


def _called(name: str, value: Any) -> Any:
    """A program that calls a method with a value, or with what the frame has for it."""

    def of_series(pd: Any, df: Any) -> Any:
        return getattr(df["g"], name)(value(df) if callable(value) else value)

    return of_series


def _on_frame(name: str, value: Any) -> Any:
    def of_frame(pd: Any, df: Any) -> Any:
        return getattr(df[["g", "f"]], name)(value(df) if callable(value) else value)

    return of_frame


NUMBERS = [*(f"__{name}__" for name in ARITHMETIC), *(f"__r{name}__" for name in ARITHMETIC), *ARITHMETIC, *(f"r{name}" for name in ARITHMETIC), *ALIASES]
COMPARED = [*(f"__{name}__" for name in COMPARISONS), *COMPARISONS]
LOGICAL = [*(f"__{name}__" for name in LOGIC), *(f"__r{name}__" for name in LOGIC)]

SERIES: dict[str, Any] = {
    **{f"{name}-number": _called(name, 2.5) for name in NUMBERS},
    **{f"{name}-column": _called(name, lambda df: df["f"]) for name in NUMBERS},
    **{f"{name}-number": _called(name, 0.1) for name in COMPARED},
    **{f"{name}-column": _called(name, lambda df: df["f"]) for name in COMPARED},
    **{f"{name}-column": (lambda pd, df, n=name: getattr(df["b"], n)(df["k"] > 1)) for name in LOGICAL},
    **{f"{name}-truth": (lambda pd, df, n=name: getattr(df["b"], n)(True)) for name in LOGICAL},
}
FRAME: dict[str, Any] = {
    **{f"{name}-number": _on_frame(name, 2.5) for name in NUMBERS},
    **{f"{name}-frame": _on_frame(name, lambda df: df[["g", "f"]]) for name in NUMBERS},
    **{f"{name}-number": _on_frame(name, 0.1) for name in COMPARED},
    **{f"{name}-frame": _on_frame(name, lambda df: df[["g", "f"]]) for name in COMPARED},
    **{f"{name}-frame": (lambda pd, df, n=name: getattr(df[["b", "b"]].set_axis(["x", "y"], axis=1), n)(df[["b", "b"]].set_axis(["x", "y"], axis=1))) for name in LOGICAL},
}
# A power may differ in its last bit from that of NumPy's own, which depends on the machine. A divisor that is zero for some rows is pandas' to handle.
APART = ("pow", "floordiv", "mod")


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", SERIES)
def test_operators_of_series(program: str, frame: str, configuration: str) -> None:
    check(SERIES[program], FRAMES[frame](), native=not any(name in program for name in APART), rtol=1e-15 if "pow" in program else 0.0)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", FRAME)
def test_operators_of_frames(program: str, frame: str, configuration: str) -> None:
    check(FRAME[program], FRAMES[frame](), native=not any(name in program for name in APART), rtol=1e-15 if "pow" in program else 0.0)


ONE: dict[str, Any] = {
    "series-pos": lambda pd, df: +df["f"],
    "series-abs": lambda pd, df: abs(df["f"]),
    "series-abs-method": lambda pd, df: df["f"].abs(),
    "series-neg": lambda pd, df: -df["k"],
    "frame-pos": lambda pd, df: +df[["f", "k"]],
    "frame-neg": lambda pd, df: -df[["f", "k"]],
    "frame-abs": lambda pd, df: abs(df[["f", "k"]]),
    "frame-abs-method": lambda pd, df: df[["f", "small"]].abs(),
    "frame-invert": lambda pd, df: ~df[["b"]],
    "frame-get": lambda pd, df: df.get("f"),
    "frame-copy": lambda pd, df: df.copy(),
    "series-copy": lambda pd, df: df["s"].copy(),
    "frame-isnull": lambda pd, df: df.isnull(),
    "series-notnull": lambda pd, df: df["f"].notnull(),
    "frame-mask": lambda pd, df: df[["f", "g"]].mask(df[["f", "g"]] > 1),
    "frame-cumprod": lambda pd, df: df[["k", "f"]].cumprod(),
    "frame-cummin": lambda pd, df: df[["k", "i"]].cummin(),
    "frame-cummax": lambda pd, df: df[["k", "i"]].cummax(),
    "series-truncate": lambda pd, df: df.reset_index(drop=True)["f"].truncate(1, 3),
    "series-droplevel": lambda pd, df: df.set_index(["k", "s"])["f"].droplevel(0),
    "series-swaplevel": lambda pd, df: df.set_index(["k", "s"])["f"].swaplevel(),
    "frame-reorder-levels": lambda pd, df: df.set_index(["k", "s"]).reorder_levels(["s", "k"]),
    "series-rename-axis": lambda pd, df: df.reset_index(drop=True)["f"].rename_axis("new"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", ONE)
def test_operations_of_one(program: str, frame: str, configuration: str) -> None:
    check(ONE[program], FRAMES[frame](), rtol=1e-12 if "cumprod" in program else 0.0)


SUMMED: dict[str, Any] = {
    **{f"{owner}-{name}": (lambda pd, df, o=owner, n=name: getattr(df[o], n)()) for owner in ("f", "k") for name in ("product", "sem", "median", "skew")},
    **{f"frame-{name}": (lambda pd, df, n=name: getattr(df[["k", "small"]], n)()) for name in ("product", "sem", "median", "skew", "mean", "std", "var")},
    "series-aggregate": lambda pd, df: df["k"].aggregate("max"),
    "frame-aggregate": lambda pd, df: df[["k"]].aggregate("max"),
    "groups-aggregate": lambda pd, df: df.groupby("k")["i"].aggregate("max"),
    "groups-nth": lambda pd, df: df.groupby("k").nth(0),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", SUMMED)
def test_summaries_of_other_names(program: str, frame: str, configuration: str) -> None:
    # Of no rows, and of what is infinite, some of them are pandas' to answer.
    check(SUMMED[program], FRAMES[frame](), native=False, rtol=1e-9)


#: Options that a reduction has not: pandas complains, and nobody may take them silently.
WRONG: dict[str, Any] = {
    "sum-ddof": lambda pd, df: df["f"].sum(ddof=0),
    "mean-min-count": lambda pd, df: df["f"].mean(min_count=1),
    "std-min-count": lambda pd, df: df["f"].std(min_count=1),
    "max-ddof": lambda pd, df: df["f"].max(ddof=1),
    "frame-mean-ddof": lambda pd, df: df[["f", "k"]].mean(ddof=1),
    "frame-sum-ddof": lambda pd, df: df[["f", "k"]].sum(ddof=1),
    "sort-unknown": lambda pd, df: df.sort_values("f", nothing=1),
    "head-text": lambda pd, df: df.head("x"),
}


@pytest.mark.parametrize("program", WRONG)
def test_options_that_are_none(program: str, configuration: str) -> None:
    check(WRONG[program], FRAMES["mixed"](), native=False)
