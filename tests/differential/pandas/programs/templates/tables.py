"""Statements that bring rows together: joins, groups, pieces on top of each other, pivots, counts."""

from __future__ import annotations

import pandas as pd

from programs.templates.making import values
from programs.world import INTEGERS, NUMBERS, PLAIN, Unsuitable, World, family

AGGREGATES = "sum mean min max count size first last nunique std var median prod any all".split()
KEYS = (*INTEGERS, "text", "category", "bool", "boolean", "time", "object")


def merged(world: World) -> str:
    """A join of all kinds: on columns of one name or of two, on labels, with partners and without."""
    left, right = world.simple_frame(), world.simple_frame()
    how = world.one_of(["inner", "left", "right", "outer", "left", "inner", "cross"])
    if how == "cross":
        if len(world.names[left]) * len(world.names[right]) > 4 * world.rows:
            raise Unsuitable
        return f'{world.new("f")} = {left}.merge({right}, how="cross")'
    mine = world.column(left, KEYS)
    alike = world.columns(right, (family(world.value(f"{left}[{mine}]").dtype),))
    both = mine in world.columns(right, KEYS) and world.chance(0.7)
    theirs = mine if both else world.one_of(alike or world.columns(right, KEYS))
    if _pairs(world.value(f"{left}[{mine}]"), world.value(f"{right}[{theirs}]")) > 8 * max(world.rows, 20):
        raise Unsuitable
    if not both:
        return f'{world.new("f")} = {left}.merge({right}, left_on={mine}, right_on={theirs}, how="{how}")'
    shapes = [
        f'{left}.merge({right}, on={mine}, how="{how}")',
        f'{left}.merge({right}, on={mine}, how="{how}", suffixes=("", "_r"), indicator={world.chance(0.3)})',
        f'pd.merge({left}, {right}, on={mine}, how="{how}")',
    ]
    return f"{world.new('f')} = {world.one_of(shapes)}"


def _pairs(left: pd.Series, right: pd.Series) -> float:
    """How many rows a join has, at most."""
    try:
        counts = right.value_counts(dropna=False)
        if left.dtype != right.dtype:
            # Keys of other dtypes may be equal where a look-up does not find them, as True and 1 are.
            return float(len(left)) * float(counts.max() if len(counts) else 1) + len(right)
        return float(left.map(counts.to_dict()).fillna(1).astype("float64").sum()) + len(right)
    except (TypeError, ValueError) as error:
        raise Unsuitable from error


def joined(world: World) -> str:
    """A join on labels."""
    left, right = world.frame(), world.frame()
    first, second = world.names[left].index, world.names[right].index
    if not (first.is_unique or second.is_unique):
        raise Unsuitable
    how = world.one_of(["left", "inner", "outer", "right"])
    return world.one_of(
        [
            f'{world.new("f")} = {left}.join({right}, how="{how}", rsuffix="_r")',
            f'{world.new("f")} = {left}.merge({right}, left_index=True, right_index=True, how="{how}")',
            f"{world.new('f')} = {left}.combine_first({right})",
        ]
    )


def grouped(world: World) -> str:
    frame = world.simple_frame()
    keys = world.some(world.columns(frame, KEYS), 1, 2)
    key = keys[0] if len(keys) == 1 or world.chance(0.6) else f"[{', '.join(keys)}]"
    few = not world.large or world.names[frame][eval(keys[0])].nunique() < 100 and len(keys) == 1
    options = world.one_of(["", "", ", as_index=False", ", sort=False", ", observed=True", ", dropna=False", ", observed=False"])
    base = f"{frame}.groupby({key}{options})"
    column = world.column(frame, PLAIN)
    number = world.columns(frame, NUMBERS)
    chosen = world.one_of(number) if number and world.chance(0.8) else column
    way = world.one_of(AGGREGATES)
    shapes = [
        f"{world.new('f')} = {base}.{way}()",
        f"{world.new('s')} = {base}[{chosen}].{way}()",
        f"{world.new('s')} = {base}[{chosen}].{way}()",
        f"{world.new('s')} = {base}.size()",
        f"{world.new('s')} = {base}[{column}].size()",
        f'{world.new("s")} = {base}[{chosen}].transform("{world.one_of(["sum", "mean", "max", "count", "first", "nunique"])}")',
        f"{world.new('s')} = {base}[{chosen}].{world.one_of(['cumsum', 'cumcount', 'shift', 'rank', 'diff', 'ffill', 'cummax', 'ngroup'] if chosen in number else ['cumcount', 'shift', 'ffill'])}()",
        f'{world.new("f")} = {base}.agg({{{chosen}: ["{way}", "count"]}})',
        f'{world.new("f")} = {base}.agg({{{chosen}: "{way}", {column}: "{world.one_of(["count", "first", "nunique", "max"])}"}})',
        f'{world.new("f")} = {base}.agg(made=({chosen}, "{way}"), other=({column}, "count"))',
        f"{world.new('f')} = {base}[[{chosen}]].{way}()",
        f"{world.new('f')} = {base}.{world.one_of(['head(1)', 'tail(2)', 'nth(0)', 'first()', 'last()'])}",
        f"{world.new('s')} = {base}[{chosen}].{world.one_of(['value_counts()', 'describe()', 'unique()', 'quantile(0.5)', 'idxmax()', 'agg(list)', 'apply(len)'])}",
    ]
    # pandas calls functions, and some methods of its own, for one group after the other.
    return world.one_of(shapes if few else shapes[:-1])


def stacked(world: World) -> str:
    cls = world.one_of([pd.DataFrame, pd.DataFrame, pd.Series])
    names = world.variables(cls)
    pieces = [world.one_of(names) for _ in range(world.draw.randint(2, 3))]
    if sum(len(world.names[name]) for name in pieces) > 6 * max(world.rows, 20):
        raise Unsuitable
    options = world.one_of(["", "", ", ignore_index=True", ', join="inner"', ", keys=['p', 'q', 'r'][:" + str(len(pieces)) + "]", ", axis=1"])
    return f"{world.new('s' if cls is pd.Series and 'axis' not in options else 'f')} = pd.concat([{', '.join(pieces)}]{options})"


def counts(world: World) -> str:
    text = world.vector((*PLAIN, "object"))
    return world.one_of(
        [
            f"{world.new('s')} = {text}.value_counts({world.one_of(['', 'sort=False', 'dropna=False', 'normalize=True'])})",
            f"{world.new('v')} = {text}.nunique()",
            f"{world.new('v')} = {text}.unique()",
            f"{world.new('v')} = pd.factorize({text})",
            f"{world.new('f')} = pd.get_dummies({text})",
            f"{world.new('s')} = {text}.mode()",
        ]
    )


def pivoted(world: World) -> str:
    frame = world.simple_frame()
    if world.large and world.chance(0.8):
        raise Unsuitable
    columns = world.some(world.columns(frame, (*INTEGERS, "text", "category", "bool")), 2, 2)
    number = world.column(frame, NUMBERS)
    if world.names[frame][eval(columns[1])].nunique() > 40:
        raise Unsuitable
    way = world.one_of(["sum", "mean", "count", "max"])
    return world.one_of(
        [
            f'{world.new("f")} = {frame}.pivot_table(index={columns[0]}, columns={columns[1]}, values={number}, aggfunc="{way}")',
            f"{world.new('f')} = {frame}.pivot(index={columns[0]}, columns={columns[1]}, values={number})",
            f"{world.new('f')} = {frame}.melt(id_vars=[{columns[0]}], value_vars=[{number}])",
            f"{world.new('f')} = {frame}.melt(id_vars=[{columns[0]}])",
            f"{world.new('f')} = pd.crosstab({frame}[{columns[0]}], {frame}[{columns[1]}])",
            f"{world.new('f')} = {frame}.groupby([{', '.join(columns)}])[{number}].sum().unstack()",
        ]
    )


def reduced(world: World) -> str:
    """A single value, or one for each column."""
    if world.chance(0.4):
        frame = world.simple_frame()
        return f"{world.new('s')} = {frame}.{world.one_of(['count()', 'nunique()', 'isna().sum()', 'sum(numeric_only=True)', 'max(numeric_only=True)', 'mean(numeric_only=True)', 'dtypes', 'describe()', 'sum(axis=1, numeric_only=True)', 'any(axis=1)'])}"
    text = world.vector(PLAIN)
    sort = family(world.value(text).dtype)
    ways = "min max count first_valid_index idxmax idxmin nunique any all".split() + ("sum mean std var median sum prod sem".split() if sort in NUMBERS else ["mean"])
    return f"{world.new('v')} = {text}.{world.one_of(ways)}()"


def resampled(world: World) -> str:
    found = [name for name in world.variables((pd.DataFrame, pd.Series)) if isinstance(world.names[name].index, pd.DatetimeIndex)]
    name = world.one_of(found)
    return f'{world.new(name[0])} = {name}.resample("{world.one_of(["2D", "MS", "W"])}").{world.one_of(["sum", "count", "max", "first"])}()'


def binned(world: World) -> str:
    text = world.vector(NUMBERS)
    return f"{world.new('s')} = pd.{world.one_of(['cut', 'cut'])}({text}, {world.one_of(['[-10, 0, 2, 100]', '3'])}{world.one_of(['', ', labels=False'])})"


def keyed(world: World) -> str:
    """A small table with a key that is unique, for joins."""
    column = values(world, world.one_of(["int64", "str", "float64", "category", "Int32", "bool", "time"]))
    return f'{world.new("f")} = pd.DataFrame({{"k": np.arange(n), "v": {column}}}).iloc[:{world.one_of(["3", "5", "n // 2"])}]'


TEMPLATES = [
    (4.0, merged),
    (1.5, joined),
    (7.0, grouped),
    (2.5, stacked),
    (1.5, counts),
    (1.5, pivoted),
    (2.5, reduced),
    (0.5, resampled),
    (0.4, binned),
    (1.5, keyed),
]
