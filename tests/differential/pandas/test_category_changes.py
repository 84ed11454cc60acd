"""The accessor `cat`: categories, their numbers, and other categories in their place."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from compare import check

SERIES: dict[str, Any] = {
    "some": lambda: pandas.Series(pandas.Categorical(["a", "c", None, "a", "c"], categories=["c", "b", "a"]), index=[5, 3, 3, 1, 0], name="x"),
    "ordered": lambda: pandas.Series(pandas.Categorical(["a", "b", "c"], categories=["a", "b", "c"], ordered=True)),
    "empty": lambda: pandas.Series(pandas.Categorical([], categories=["a", "b", "c"])),
    "none": lambda: pandas.Series(pandas.Categorical([None, None])),
    "missing": lambda: pandas.Series(pandas.Categorical([None, None], categories=["a", "b", "c"])),
    "numbers": lambda: pandas.Series(pandas.Categorical([3, 1, 3, None], categories=[3, 2, 1])),
    "many": lambda: pandas.Series(pandas.Categorical.from_codes([0, 199, -1, 127, 128], categories=[f"c{at}" for at in range(200)])),
    "objects": lambda: pandas.Series(pandas.Categorical([1, "a", None], categories=pandas.Index([1, "a"], dtype=object))),
    "timestamps": lambda: pandas.Series(pandas.Categorical(pandas.to_datetime(["2020-01-02", "2020-01-01", None]))),
}

CHANGES: dict[str, Any] = {
    "categories": lambda pd, s: s.cat.categories,
    "ordered": lambda pd, s: s.cat.ordered,
    "codes": lambda pd, s: s.cat.codes,
    "codes-then": lambda pd, s: s.cat.codes + 1,
    "of-mask": lambda pd, s: s[s.notna()].cat.codes,
    "unused": lambda pd, s: s.cat.remove_unused_categories(),
    "unused-of-rows": lambda pd, s: s.iloc[1:].cat.remove_unused_categories(),
    "add": lambda pd, s: s.cat.add_categories(["new", "newer"]),
    "add-until-wider": lambda pd, s: s.cat.add_categories([f"d{at}" for at in range(300)]),
    "set": lambda pd, s: s.cat.set_categories(["c", "a", "z"]),
    "set-ordered": lambda pd, s: s.cat.set_categories(["a", "c"], ordered=True),
    "set-none": lambda pd, s: s.cat.set_categories([]),
    "rename": lambda pd, s: s.cat.rename_categories(lambda label: f"<{label}>"),
    "rename-some": lambda pd, s: s.cat.rename_categories({"a": "z"}),
    "reverse": lambda pd, s: s.cat.reorder_categories(list(s.cat.categories[::-1])),
    "as-ordered": lambda pd, s: s.cat.as_ordered(),
    "as-unordered": lambda pd, s: s.cat.as_unordered(),
    "then": lambda pd, s: s.cat.as_ordered().cat.add_categories("new").cat.codes,
    "remove": lambda pd, s: s.cat.remove_categories("a"),
    "frame": lambda pd, s: s.to_frame("x")["x"].cat.codes,
}


@pytest.mark.parametrize("series", SERIES)
@pytest.mark.parametrize("program", CHANGES)
def test_category_changes(program: str, series: str, configuration: str) -> None:
    check(CHANGES[program], SERIES[series]())


EITHER: dict[str, Any] = {
    "set-renamed": lambda pd, s: s.cat.set_categories(["p", "q"], rename=True),
    "set-nothing": lambda pd, s: s.cat.set_categories(),
    "remove-unknown": lambda pd, s: s.cat.remove_categories("nothing"),
    "add-known": lambda pd, s: s.cat.add_categories(list(s.cat.categories)),
    "rename-few": lambda pd, s: s.cat.rename_categories(["u"]),
    "reorder-wrong": lambda pd, s: s.cat.reorder_categories(["u", "v"]),
    "no-such": lambda pd, s: s.cat.nothing,
    "no-categories": lambda pd, s: s.cat.codes.cat,
}


@pytest.mark.parametrize("series", SERIES)
@pytest.mark.parametrize("program", EITHER)
def test_category_changes_by_either(program: str, series: str, configuration: str) -> None:
    check(EITHER[program], SERIES[series](), native=False)
