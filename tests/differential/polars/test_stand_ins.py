"""Columns whose dtypes have no type in the graph, alone and inside lists, arrays and structs: what stands for them comes back as it was."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from compare import same
from frames import NAN

c = pl.col


class Tagged(pl.BaseExtension):
    """A dtype of a user's own."""

    def __init__(self) -> None:
        super().__init__("airloom.test.tagged", pl.Int64)

    @classmethod
    def ext_from_params(cls, name: str, storage: Any, metadata: str | None) -> Tagged:
        return cls()


pl.register_extension_type("airloom.test.tagged", Tagged)

ENUM = pl.Enum(["b", "a", "ł"])
PLAIN: dict[str, tuple[Any, list[Any]]] = {
    "enum": (ENUM, ["a", None, "b", "ł", "a"]),
    "categorical": (pl.Categorical, ["a", None, "", "ł", "a"]),
    "nothing": (pl.Null, [None, None, None, None, None]),
    "narrow floats": (pl.Float16, [1.5, None, NAN, -0.0, 2.0]),
    "wide integers": (pl.Int128, [2**100, None, -(2**100), -1, 0]),
    "decimals": (pl.Decimal(20, 3), [Decimal("1.125"), None, Decimal(0), Decimal("-7.5"), Decimal(1)]),
}


def series(name: str) -> dict[str, pl.Series]:
    """Columns that have values of a dtype in them, at several depths."""
    dtype, values = PLAIN[name]
    lists = [values[:2], None, [], values[2:], [None]]
    return {
        "plain": pl.Series(values, dtype=dtype),
        "lists": pl.Series(lists, dtype=pl.List(dtype)),
        "arrays": pl.Series([values[:2], None, values[1:3], [None, None], values[3:]], dtype=pl.Array(dtype, 2)),
        "structs": pl.Series([{"x": value, "y": at} for at, value in enumerate(values[:3])] + [None, {"x": None, "y": None}], dtype=pl.Struct({"x": dtype, "y": pl.Int64})),
        "lists of structs": pl.Series([None if part is None else [{"x": value} for value in part] for part in lists], dtype=pl.List(pl.Struct({"x": dtype}))),
        "lists of lists": pl.Series([[part] for part in lists], dtype=pl.List(pl.List(dtype))),
    }


@pytest.mark.parametrize("name", PLAIN)
def test_columns_move(name: str) -> None:
    for given in series(name).values():
        for cut in (given, given.head(0), given.head(1), given.slice(1, 1)):
            lazy = pl.LazyFrame({"k": pl.Series([at % 2 for at in range(len(cut))], dtype=pl.Int64), "a": cut})
            same(lazy)
            same(lazy.filter(c.k == 0))
            same(pl.concat([lazy, lazy]).select("a", null=c.a.is_null(), before=c.a.shift(1)))
            same(lazy.group_by("k", maintain_order=True).agg(first=c.a.first(), all=c.a))
            same(lazy.join(lazy, on="k", how="left", maintain_order="left_right"))


@pytest.mark.parametrize("name", PLAIN)
def test_values_are_taken_out(name: str) -> None:
    made = series(name)
    same(pl.LazyFrame({"a": made["lists"]}).select(first=c.a.list.first(), n=c.a.list.len(), last=c.a.list.get(-1, null_on_oob=True)))
    same(pl.LazyFrame({"a": made["structs"]}).select(x=c.a.struct.field("x")))
    same(pl.LazyFrame({"a": made["lists"], "k": [1, 2, 3, 4, 5]}).explode("a", empty_as_null=True))
    same(pl.LazyFrame({"a": made["structs"]}).unnest("a"))
    same(pl.LazyFrame({"a": made["plain"], "b": made["plain"].reverse()}).select(both=pl.struct("a", "b"), pair=pl.concat_list("a", "b")))


def test_fields_have_any_names() -> None:
    given = pl.Series([{"schema": "a", "eager": 1, "high": None}, None], dtype=pl.Struct({"schema": ENUM, "eager": pl.Int128, "high": pl.Null}))
    same(pl.LazyFrame({"a": given}))


def test_dtypes_of_users_move() -> None:
    given = pl.Series([3, None, 5, 3], dtype=pl.Int64).ext.to(Tagged())
    lazy = pl.LazyFrame({"k": [1, 2, 1, 3], "a": given})
    same(lazy)
    same(lazy.filter(c.k == 1))
    same(lazy.select(c.a.is_null(), b=pl.when(c.k == 1).then(c.a)))
    same(lazy.join(lazy, on="k", maintain_order="left_right"))
