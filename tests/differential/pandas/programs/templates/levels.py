"""Statements on labels of several levels, and on tables turned round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from programs.world import INTEGERS, NUMBERS, PLAIN, Unsuitable, World

AGGREGATES = "sum mean min max count first last size nunique".split()


def _several(value: Any) -> bool:
    return isinstance(value.index, pd.MultiIndex) and value.index.nlevels > 1


def _name(world: World) -> str:
    """A frame or a series whose labels have several levels."""
    return world.one_of([name for name in world.variables((pd.DataFrame, pd.Series)) if _several(world.names[name])])


def made(world: World) -> str:
    """Labels of two or three levels, of columns of a frame."""
    frame = world.simple_frame()
    columns = world.some(world.columns(frame, (*INTEGERS, "text", "category", "bool", "time", "boolean")), 2, 3)
    return f"{world.new('f')} = {frame}.set_index([{', '.join(columns)}])"


def looked_up(world: World) -> str:
    """Rows by some of their levels."""
    name = _name(world)
    index = world.names[name].index
    if not len(index):
        raise Unsuitable
    label = tuple(part.item() if isinstance(part, np.generic) else part for part in index[world.draw.randrange(len(index))])
    if not all(isinstance(part, (str, int, bool)) for part in label):
        raise Unsuitable
    ways = [f"xs({label[0]!r})", f"xs({label[1]!r}, level=1)", f"loc[{label[0]!r}]", f"loc[[{label!r}]]", f"loc[{label!r}]", f"xs({label[0]!r}, drop_level=False)"]
    return f"{world.new('v')} = {name}.{world.one_of(ways)}"


def rearranged(world: World) -> str:
    """Levels in another order, without one, or as columns."""
    name = _name(world)
    ways = ["swaplevel()", "reorder_levels([1, 0])", "droplevel(0)", "droplevel(1)", "reset_index(level=0)", "reset_index()", "sort_index(level=1)", "sort_index()", "sort_index(ascending=[False, True])", "rename_axis(['p', 'q'])", "reset_index(drop=True)", "index.get_level_values(0)", "index.names", "index.levels", "index.to_frame()"]
    return f"{world.new('v')} = {name}.{world.one_of(ways)}"


def by_level(world: World) -> str:
    """Groups by a level."""
    name = _name(world)
    level = world.one_of(["level=0", "level=1", "level=[0, 1]"])
    way = world.one_of([*AGGREGATES, "cumcount", "head"])
    return f"{world.new('v')} = {name}.groupby({level}).{way}()"


def turned(world: World) -> str:
    """Rows as columns, and columns as rows."""
    if world.large:
        raise Unsuitable
    if world.chance(0.4):
        return f"{world.new('v')} = {_name(world)}.{world.one_of(['unstack()', 'unstack(0)', 'unstack(fill_value=0)'])}"
    frame = world.simple_frame()
    return f"{world.new('v')} = {frame}.{world.one_of(['stack()', 'T', 'unstack()', 'T.T'])}"


def pivoted(world: World) -> str:
    """Tables of groups, with all that can be asked of them."""
    frame = world.simple_frame()
    keys = world.some(world.columns(frame, (*INTEGERS, "text", "category", "bool")), 2, 3)
    number = world.column(frame, NUMBERS)
    if world.large or any(world.names[frame][eval(key)].nunique() > 40 for key in keys[1:]):
        raise Unsuitable
    way = world.one_of(["'sum'", "'mean'", "'count'", "['sum', 'max']", "'min'", "len"])
    options = world.one_of(["", ", fill_value=0", ", margins=True", ", observed=False", ", dropna=False", ", sort=False"])
    index = f"[{keys[0]}, {keys[2]}]" if len(keys) > 2 and world.chance(0.7) else keys[0]
    return world.one_of(
        [
            f"{world.new('f')} = {frame}.pivot_table(index={index}, columns={keys[1]}, values={number}, aggfunc={way}{options})",
            f"{world.new('f')} = {frame}.pivot_table(index={index}, values={number}, aggfunc={way}{options})",
            f"{world.new('f')} = pd.crosstab({frame}[{keys[0]}], {frame}[{keys[1]}]{world.one_of(['', ', normalize=True', ', margins=True'])})",
            f"{world.new('f')} = {frame}.groupby([{', '.join(keys)}])[{number}].{world.one_of(AGGREGATES)}().unstack()",
            f"{world.new('f')} = {frame}.groupby([{', '.join(keys)}]).size().reset_index(name='n')",
        ]
    )


def melted(world: World) -> str:
    frame = world.simple_frame()
    columns = world.some(world.columns(frame, PLAIN), 1, 3)
    if world.large:
        raise Unsuitable
    ways = [f"melt(id_vars={columns[0]})", f"melt(value_vars=[{', '.join(columns)}])", f"melt({columns[0]}, var_name='what', value_name='how')", "melt(ignore_index=False)"]
    return f"{world.new('f')} = {frame}.{world.one_of(ways)}"


def dummies(world: World) -> str:
    frame = world.simple_frame()
    column = world.column(frame, ("text", "category", "bool"))
    if world.names[frame][eval(column)].nunique() > 40:
        raise Unsuitable
    return f"{world.new('f')} = pd.get_dummies({frame}, columns=[{column}]{world.one_of(['', ', dummy_na=True', ', drop_first=True', ', dtype=float', ', prefix=' + repr('p')])})"


TEMPLATES = [(1.5, made), (1.5, looked_up), (1.5, rearranged), (1.2, by_level), (0.8, turned), (1.5, pivoted), (0.8, melted), (0.4, dummies)]
