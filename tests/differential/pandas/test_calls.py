"""Functions of users are called as often as pandas calls them, whatever they return or raise, and whoever does the operation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pandas
import pytest
from compare import check

import airloom.pandas as ours
from airloom.pandas.dispatch import choice

Program = Callable[[Any, Callable[..., Any]], Any]


@pytest.fixture(autouse=True)
def as_users_have_it() -> Iterator[None]:
    """What a function raises is told by pandas, as it is for users."""
    before = choice.settings.raise_errors
    choice.settings.raise_errors = False
    yield
    choice.settings.raise_errors = before


class Broken(Exception):
    """What a function raises."""


def raises(x: Any, *_: Any, **__: Any) -> Any:
    raise Broken("always")


def raises_later() -> Callable[..., Any]:
    times = 0

    def function(x: Any, *_: Any, **__: Any) -> Any:
        nonlocal times
        times += 1
        if times == 2:
            raise Broken("the second time")
        return x

    return function


#: What functions do: each is made anew for each program.
BEHAVIOURS: dict[str, Callable[[], Callable[..., Any]]] = {
    "its argument": lambda: lambda x, *_, **__: x,
    "a list": lambda: lambda x, *_, **__: [1, 2],
    "a number": lambda: lambda x, *_, **__: 3,
    "nothing": lambda: lambda x, *_, **__: None,
    "text": lambda: lambda x, *_, **__: "z",
    "a dict": lambda: lambda x, *_, **__: {"p": 1},
    "a comparison": lambda: lambda x, *_, **__: x > 2,
    "some rows": lambda: lambda x, *_, **__: x.head(2),
    "a wrong item": lambda: lambda x, *_, **__: x["nothing"],
    "an error": lambda: raises,
    "an error later": raises_later,
}


def frame(pd: Any) -> Any:
    return pd.DataFrame({"k": [1, 2, 1, 2, 3], "a": [1.5, 2.5, 3.5, 4.5, 5.5], "b": [5, 4, 3, 2, 1]})


def days(pd: Any) -> Any:
    return pd.Series(range(5), index=pandas.date_range("2020", periods=5))


PROGRAMS: dict[str, Program] = {
    "df.apply": lambda pd, f: frame(pd).apply(f),
    "df.apply1": lambda pd, f: frame(pd).apply(f, axis=1),
    "df.apply_raw": lambda pd, f: frame(pd).apply(f, raw=True),
    "df.apply_expand": lambda pd, f: frame(pd).apply(f, axis=1, result_type="expand"),
    "df.map": lambda pd, f: frame(pd).map(f),
    "df.agg": lambda pd, f: frame(pd).agg(f),
    "df.agg_list": lambda pd, f: frame(pd).agg([f]),
    "df.agg_dict": lambda pd, f: frame(pd).agg({"a": f}),
    "df.agg_mixed": lambda pd, f: frame(pd).agg({"a": ["sum", f]}),
    "df.agg1": lambda pd, f: frame(pd).agg(f, axis=1),
    "df.transform": lambda pd, f: frame(pd).transform(f),
    "df.transform_list": lambda pd, f: frame(pd).transform([f]),
    "df.transform_dict": lambda pd, f: frame(pd).transform({"a": f}),
    "df.pipe": lambda pd, f: frame(pd).pipe(f),
    "df.pipe_kw": lambda pd, f: frame(pd).pipe((lambda x, data: f(data), "data"), 3),
    "df.assign": lambda pd, f: frame(pd).assign(c=f),
    "df.assign2": lambda pd, f: frame(pd).assign(c=lambda d: d["a"] * 2, d=f, e=f),
    "df.getitem": lambda pd, f: frame(pd)[f],
    "df.loc": lambda pd, f: frame(pd).loc[f],
    "df.loc2": lambda pd, f: frame(pd).loc[:, f],
    "df.iloc": lambda pd, f: frame(pd).iloc[f],
    "df.where": lambda pd, f: frame(pd).where(f),
    "df.where_other": lambda pd, f: frame(pd).where(frame(pd) > 2, f),
    "df.mask": lambda pd, f: frame(pd).mask(f, 0),
    "df.rename": lambda pd, f: frame(pd).rename(columns=f),
    "df.rename_index": lambda pd, f: frame(pd).rename(index=f),
    "df.rename_both": lambda pd, f: frame(pd).rename(index=f, columns=f),
    "df.rename_axis": lambda pd, f: frame(pd).rename_axis(f),
    "df.sort_values_key": lambda pd, f: frame(pd).sort_values("a", key=f),
    "df.sort_values_key2": lambda pd, f: frame(pd).sort_values(["a", "k"], key=f),
    "df.sort_index_key": lambda pd, f: frame(pd).sort_index(key=f),
    "df.combine": lambda pd, f: frame(pd).combine(frame(pd), lambda x, y: f(x)),
    "df.groupby_by": lambda pd, f: frame(pd).groupby(f).sum(),
    "s.apply": lambda pd, f: frame(pd)["a"].apply(f),
    "s.apply_false": lambda pd, f: frame(pd)["a"].apply(f, by_row=False),
    "s.apply_args": lambda pd, f: frame(pd)["a"].apply(f, args=(1, )),
    "s.map": lambda pd, f: frame(pd)["a"].map(f),
    "s.map_ignore": lambda pd, f: frame(pd)["a"].map(f, na_action="ignore"),
    "s.agg": lambda pd, f: frame(pd)["a"].agg(f),
    "s.agg_list": lambda pd, f: frame(pd)["a"].agg([f, "sum"]),
    "s.agg_dict": lambda pd, f: frame(pd)["a"].agg({"x": f}),
    "s.transform": lambda pd, f: frame(pd)["a"].transform(f),
    "s.transform_list": lambda pd, f: frame(pd)["a"].transform([f]),
    "s.pipe": lambda pd, f: frame(pd)["a"].pipe(f),
    "s.getitem": lambda pd, f: frame(pd)["a"][f],
    "s.loc": lambda pd, f: frame(pd)["a"].loc[f],
    "s.where": lambda pd, f: frame(pd)["a"].where(f),
    "s.where_other": lambda pd, f: frame(pd)["a"].where(frame(pd)["a"] > 2, f),
    "s.mask": lambda pd, f: frame(pd)["a"].mask(f),
    "s.rename": lambda pd, f: frame(pd)["a"].rename(f),
    "s.case_when": lambda pd, f: frame(pd)["a"].case_when([(f, 1)]),
    "s.case_when2": lambda pd, f: frame(pd)["a"].case_when([(frame(pd)["a"] > 2, f)]),
    "s.combine": lambda pd, f: frame(pd)["a"].combine(frame(pd)["b"], lambda x, y: f(x)),
    "s.sort_values": lambda pd, f: frame(pd)["a"].sort_values(key=f),
    "s.sort_index": lambda pd, f: frame(pd)["a"].sort_index(key=f),
    "s.groupby_by": lambda pd, f: frame(pd)["a"].groupby(f).sum(),
    "s.cat_map": lambda pd, f: frame(pd)["k"].astype("category").map(f),
    "s.cat_apply": lambda pd, f: frame(pd)["k"].astype("category").apply(f),
    "s.str_replace": lambda pd, f: pd.Series(["ab", "cab", "b"]).str.replace("b", f, regex=True),
    "s.cat.rename": lambda pd, f: frame(pd)["k"].astype("category").cat.rename_categories(f),
    "g.apply": lambda pd, f: frame(pd).groupby("k").apply(f),
    "g.s.apply": lambda pd, f: frame(pd).groupby("k")["a"].apply(f),
    "g.agg": lambda pd, f: frame(pd).groupby("k").agg(f),
    "g.s.agg": lambda pd, f: frame(pd).groupby("k")["a"].agg(f),
    "g.s.agg_list": lambda pd, f: frame(pd).groupby("k")["a"].agg(["sum", f]),
    "g.agg_dict": lambda pd, f: frame(pd).groupby("k").agg({"a": f, "b": "sum"}),
    "g.agg_named": lambda pd, f: frame(pd).groupby("k").agg(z=("a", f)),
    "g.transform": lambda pd, f: frame(pd).groupby("k").transform(f),
    "g.s.transform": lambda pd, f: frame(pd).groupby("k")["a"].transform(f),
    "g.filter": lambda pd, f: frame(pd).groupby("k").filter(f),
    "g.s.filter": lambda pd, f: frame(pd).groupby("k")["a"].filter(f),
    "g.pipe": lambda pd, f: frame(pd).groupby("k").pipe(f),
    "r.apply": lambda pd, f: frame(pd)["a"].rolling(2).apply(f),
    "r.apply_raw": lambda pd, f: frame(pd)["a"].rolling(2).apply(f, raw=True),
    "r.agg": lambda pd, f: frame(pd)["a"].rolling(2).agg(f),
    "r.pipe": lambda pd, f: frame(pd)["a"].rolling(2).pipe(f),
    "e.apply": lambda pd, f: frame(pd)["a"].expanding().apply(f),
    "rs.apply": lambda pd, f: days(pd).resample("2D").apply(f),
    "rs.agg": lambda pd, f: days(pd).resample("2D").agg(f),
    "rs.transform": lambda pd, f: days(pd).resample("2D").transform(f),
    "pivot": lambda pd, f: frame(pd).pivot_table(index="k", values="a", aggfunc=f),
    "pivot_list": lambda pd, f: frame(pd).pivot_table(index="k", values="a", aggfunc=[f, "sum"]),
    "crosstab": lambda pd, f: pd.crosstab(frame(pd)["k"], frame(pd)["b"], frame(pd)["a"], aggfunc=f),
    "df.corr": lambda pd, f: frame(pd).corr(method=lambda x, y: f(x)),
    "s.corr": lambda pd, f: frame(pd)["a"].corr(frame(pd)["b"], method=lambda x, y: f(x)),
    "df.filter": lambda pd, f: frame(pd).groupby(["k"]).apply(lambda g: f(g["a"])),
    "df.query": lambda pd, f: frame(pd).query("@f(a) > 2"),
    "df.eval": lambda pd, f: frame(pd).eval("z=@f(a)"),
}


def outcome(program: Program, pd: Any, behaviour: Callable[..., Any]) -> tuple[int, str]:
    """How often a function was called, and what the program came to."""
    calls = []

    def counting(*args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        return behaviour(*args, **kwargs)

    try:
        result = program(pd, counting)
    except Exception as error:
        return len(calls), f"{type(error).__name__}: {error}"
    if not isinstance(result, (pandas.DataFrame, pandas.Series, str, int, float, list, dict, type(None))):
        return len(calls), type(result).__name__
    try:
        return len(calls), repr(result)
    except TypeError as error:
        # pandas does not show labels that are lists.
        return len(calls), f"not shown: {error}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_functions_are_called_as_often_as_in_pandas(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for behaviour, make in BEHAVIOURS.items():
            expected = outcome(PROGRAMS[name], pandas, make())
            found = outcome(PROGRAMS[name], ours, make())
            assert found == expected, f"a function that returns {behaviour}"


@pytest.mark.parametrize("function", [dict, list, tuple, str, len, sum, max, repr, sorted], ids=lambda function: function.__name__)
@pytest.mark.parametrize("name", ["df.apply", "df.agg", "df.agg_dict", "df.assign", "df.pipe", "s.apply", "s.agg", "s.map", "g.s.agg", "g.s.apply", "df.rename", "r.apply"])
def test_what_python_has_is_known_for_what_it_is(name: str, function: Any) -> None:
    def told(pd: Any) -> str:
        try:
            return repr(PROGRAMS[name](pd, function))
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert told(ours) == told(pandas)


def test_what_was_returned_is_told_again_by_identity() -> None:
    made: list[Any] = []

    def function(column: Any) -> Any:
        made.append([len(made)])
        return made[-1]

    found = ours.DataFrame({"a": [1], "b": [2]}).apply(function)
    assert found.loc[0].tolist() == [0, 1]
    assert len(made) == 2


def test_the_error_that_was_raised_is_the_one_that_is_seen() -> None:
    error = Broken("this one")

    def function(table: Any) -> Any:
        raise error

    with pytest.raises(Broken) as caught:
        ours.DataFrame({"a": [1]}).assign(b=function)
    assert caught.value is error
    assert caught.traceback[-1].name == "function"


def test_calls_within_functions_are_their_own() -> None:
    def counted(pd: Any) -> list[str]:
        calls: list[str] = []

        def inner(value: Any) -> Any:
            calls.append("inner")
            return [value]

        def outer(column: Any) -> Any:
            calls.append("outer")
            return [column.map(inner).iloc[0]]

        pd.DataFrame({"a": [1, 2], "b": [3, 4]}).apply(outer)
        return calls

    assert counted(ours) == counted(pandas)


def test_an_interrupt_is_no_outcome() -> None:
    calls = []

    def function(table: Any) -> Any:
        calls.append(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ours.DataFrame({"a": [1]}).assign(b=function)
    assert len(calls) == 1


@pytest.mark.parametrize("kind", ["frame", "series"])
def test_what_pipe_hands_on_is_a_copy(kind: str) -> None:
    def program(pd: Any, f: Any) -> Any:
        value = f if kind == "frame" else f["a"]

        def written(given: Any) -> Any:
            given.iloc[0] = 100
            return given

        made = value.pipe(lambda given: given)
        made.iloc[1] = 50
        return made is value, value.pipe(written), made, value

    check(program, pandas.DataFrame({"a": [1.0, 2.0, 3.0]}), native=False)
