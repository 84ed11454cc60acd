"""Statements that choose, order and label rows."""

from __future__ import annotations

import pandas as pd

from programs.templates.making import labels
from programs.world import ANY, BOOLEANS, NUMBERS, PLAIN, Unsuitable, World, family


def condition(world: World, frame: str) -> str:
    """A condition on the rows of a frame."""
    column = world.column(frame, PLAIN)
    values = world.value(f"{frame}[{column}]")
    sort = family(values.dtype)
    if sort in BOOLEANS and world.chance(0.5):
        return f"{frame}[{column}]"
    constant = world.constant(values.dtype, values.array)
    if sort == "category" and not values.dtype.ordered or sort in BOOLEANS:
        test = f"({frame}[{column}] {world.one_of(['==', '!='])} {constant})"
    else:
        test = f"({frame}[{column}] {world.one_of(['==', '!=', '>', '<=', '<', '>='])} {constant})"
    if world.chance(0.15):
        test = f"({test} {world.one_of(['&', '|'])} {condition(world, frame)})"
    if world.chance(0.1):
        test = f"{frame}[{column}].{world.one_of(['isna()', 'notna()', f'isin([{constant}])'])}"
    return f"~{test}" if world.chance(0.08) else test


def filtered(world: World) -> str:
    frame = world.simple_frame()
    shape = world.one_of(["{f}[{c}]", "{f}[{c}]", "{f}.loc[{c}]", "{f}[{c}].reset_index(drop=True)", "{f}[{c}].copy()"])
    return f"{world.new('f')} = " + shape.format(f=frame, c=condition(world, frame))


def filtered_series(world: World) -> str:
    frame = world.simple_frame()
    return f"{world.new('s')} = {frame}.loc[{condition(world, frame)}, {world.column(frame)}]"


def queried(world: World) -> str:
    frame, column = world.framed(NUMBERS)
    if not column.startswith("'"):
        raise Unsuitable
    return f'{world.new("f")} = {frame}.query("{column[1:-1]} {world.one_of([">", "<=", "=="])} {world.constant(world.value(f"{frame}[{column}]").dtype)}")'


def cut(world: World) -> str:
    name = world.either()
    piece = world.one_of(["iloc[2:]", "iloc[:-3]", "iloc[1:7]", "iloc[::2]", "iloc[::-1]", "iloc[3:].iloc[1:]", "iloc[5:2]", "head(3)", "tail(4)", "head(-2)", "iloc[[0, 0, 1]]", "iloc[-3:]"])
    return f"{world.new(name[0])} = {name}.{piece}"


def located(world: World) -> str:
    """Rows by their labels."""
    name = world.either()
    index = world.names[name].index
    if not len(index) or index.nlevels > 1:
        raise Unsuitable
    chosen = [index[world.draw.randrange(len(index))] for _ in range(2)]
    if not all(isinstance(one, (str, int)) for one in chosen):
        raise Unsuitable
    return world.one_of([f"{world.new(name[0])} = {name}.loc[{chosen!r}]", f"{world.new(name[0])} = {name}.loc[{chosen[0]!r}:]", f"{world.new('v')} = {name}.loc[{chosen[0]!r}]"])


def chosen_columns(world: World) -> str:
    frame = world.simple_frame()
    columns = world.some(world.columns(frame), 1, 3)
    listed = ", ".join(columns)
    return world.one_of(
        [
            f"{world.new('f')} = {frame}[[{listed}]]",
            f"{world.new('s')} = {frame}[{columns[0]}]",
            f"{world.new('f')} = {frame}.drop(columns=[{columns[0]}])",
            f"{world.new('f')} = {frame}.loc[:, [{listed}]]",
            f"{world.new('f')} = {frame}.select_dtypes({world.one_of([repr('number'), repr('bool'), '[' + repr('int64') + ', ' + repr('str') + ']'])})",
        ]
    )


def sorted_rows(world: World) -> str:
    """Rows in order. Where keys are equal only a stable sort says in which."""
    if world.chance(0.25):
        name = world.either()
        if not (world.names[name].index.is_unique or world.names[name].index.nlevels > 1):
            return f'{world.new(name[0])} = {name}.sort_index(kind="stable")'
        return f"{world.new(name[0])} = {name}.sort_index({world.one_of(['', 'ascending=False', ''])})"
    if world.chance(0.25):
        text = world.vector(PLAIN)
        options = world.one_of(["", ", ascending=False", ', na_position="first"', ", ignore_index=True"])
        return f'{world.new("s")} = {text}.sort_values(kind="stable"{options})'
    frame = world.simple_frame()
    columns = world.some(world.columns(frame, PLAIN), 1, 2)
    options = world.one_of(["", ", ascending=False", ', na_position="first"', ", ignore_index=True"])
    if len(columns) == 1:
        kind = "" if world.names[frame][eval(columns[0])].is_unique and world.chance(0.7) else ', kind="stable"'
        return f"{world.new('f')} = {frame}.sort_values({columns[0]}{options}{kind})"
    return f"{world.new('f')} = {frame}.sort_values([{', '.join(columns)}]{options})"


def most(world: World) -> str:
    frame, column = world.framed(NUMBERS)
    return f"{world.new('f')} = {frame}.{world.one_of(['nlargest', 'nsmallest'])}({world.draw.randint(1, 4)}, {column})"


def counted_anew(world: World) -> str:
    name = world.either()
    return f"{world.new(name[0])} = {name}.reset_index(drop=True)" if world.chance(0.7) else f"{world.new('f')} = {name}.reset_index()"


def indexed(world: World) -> str:
    frame = world.simple_frame()
    columns = world.some(world.columns(frame, (*PLAIN, "object")), 1, 2)
    given = columns[0] if len(columns) == 1 or world.chance(0.6) else f"[{', '.join(columns)}]"
    return f"{world.new('f')} = {frame}.set_index({given}{world.one_of(['', '', ', drop=False', ', append=True'])})"


def relabelled(world: World) -> str:
    name = world.either()
    rows = len(world.names[name])
    if rows == world.names["n"] and world.chance(0.4):
        made = labels(world) or "pd.RangeIndex(n)"
        return f"{world.new(name[0])} = {name}.set_axis({made})"
    made = world.one_of([f"pd.RangeIndex(1, len({name}) + 1)", f"pd.RangeIndex(len({name}))", f"pd.RangeIndex(0, 2 * len({name}), 2)", f"range(2, len({name}) + 2)", f"pd.Index(np.arange(len({name})) % 3)"])
    return world.one_of([f"{world.new(name[0])} = {name}.set_axis({made})", f"{name}.index = {made}"])


def renamed(world: World) -> str:
    if world.chance(0.3):
        return f"{world.new('s')} = {world.vector()}.rename({world.one_of([repr('a'), repr('z'), 'None'])})"
    frame = world.simple_frame()
    column = world.column(frame)
    return world.one_of(
        [
            f'{world.new("f")} = {frame}.rename(columns={{{column}: "{world.one_of(["r", "a", "k"])}"}})',
            f'{world.new("f")} = {frame}.rename_axis("axis")',
            f'{world.new("f")} = {frame}.add_prefix("p_")',
            f"{world.new('f')} = {frame}.rename(index=lambda label: label)",
            f"{frame}.columns = [f\"c{{at}}\" for at in range({frame}.shape[1])]",
        ]
    )


def unique_rows(world: World) -> str:
    frame = world.simple_frame()
    column = world.column(frame, (*PLAIN, "object"))
    keep = world.one_of(["", ', keep="last"', ", keep=False"])
    return world.one_of(
        [
            f"{world.new('f')} = {frame}.drop_duplicates({column}{keep})",
            f"{world.new('f')} = {frame}.drop_duplicates(ignore_index=True)",
            f"{world.new('s')} = {frame}.duplicated({column}{keep})",
            f"{world.new('f')} = {frame}.dropna({world.one_of(['', f'subset=[{column}]', 'how=' + repr('all')])})",
            f"{world.new('s')} = {frame}[{column}].drop_duplicates()",
            f"{world.new('s')} = {frame}[{column}].dropna()",
        ]
    )


def reindexed(world: World) -> str:
    name = world.either()
    value = world.names[name]
    if value.index.nlevels > 1 or not value.index.is_unique:
        raise Unsuitable
    others = [other for other in world.variables((pd.DataFrame, pd.Series)) if world.names[other].index.nlevels == 1]
    target = world.one_of([f"{world.one_of(others)}.index", f"{name}.index[::-1]", f"range({world.draw.randint(0, 3)}, len({name}) + 2)"])
    return f"{world.new(name[0])} = {name}.reindex({target})"


def exploded(world: World) -> str:
    frame, column = world.framed(("text",))
    return f'{world.new("f")} = {frame}.assign(w={frame}[{column}].str.split(" ")).explode("w")'


def sampled(world: World) -> str:
    name = world.either()
    return f"{world.new(name[0])} = {name}.{world.one_of(['sample(frac=0.5, random_state=1)', 'take([0, -1])', 'truncate(1, 3)', 'drop_duplicates()', 'filter(items=[0, 1], axis=0)'])}"


def lookup(world: World) -> str:
    frame, column = world.framed(ANY)
    return f"{world.new('f')} = {frame}[{frame}[{column}].isin({world.vector()})]"


TEMPLATES = [
    (4.0, filtered),
    (1.5, filtered_series),
    (0.7, queried),
    (3.0, cut),
    (1.0, located),
    (2.0, chosen_columns),
    (2.5, sorted_rows),
    (0.7, most),
    (2.5, counted_anew),
    (2.0, indexed),
    (1.5, relabelled),
    (1.5, renamed),
    (1.5, unique_rows),
    (0.8, reindexed),
    (0.4, exploded),
    (0.5, sampled),
    (0.6, lookup),
]
