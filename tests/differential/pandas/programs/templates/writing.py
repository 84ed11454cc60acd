"""Statements that write in position: to frames, series, arrays and their parts; and what shares them."""

from __future__ import annotations

import pandas as pd

from programs.templates.making import values
from programs.templates.rows import condition
from programs.world import ANY, NUMBERS, PLAIN, Unsuitable, World, family


def put_column(world: World) -> str:
    frame = world.simple_frame()
    rows = len(world.names[frame])
    name = world.one_of([repr("y"), repr("z"), world.column(frame)])
    number = world.vector(NUMBERS)
    shapes = [world.vector(), f"{number} * 2", f"{number} + {world.vector(NUMBERS)}", world.constant(world.value(number).dtype), f"{number}.shift(1)", f"{world.vector()}.to_numpy()"]
    if rows == world.names["n"]:
        shapes += [values(world, world.one_of(["int64", "float64", "str", "category", "Int64"]))] * 2
    return f"{frame}[{name}] = {world.one_of(shapes)}"


def _holds_labels(labels: pd.Index, wanted: pd.Index) -> bool:
    """Whether all labels are among others; pandas asks for as many levels."""
    return labels.nlevels == wanted.nlevels and bool(wanted.isin(labels).all())


def put_where(world: World) -> str:
    frame = world.simple_frame()
    column = world.column(frame, PLAIN)
    series = world.value(f"{frame}[{column}]")
    constant = world.constant(series.dtype, series.array)
    value = world.one_of([constant, constant, "None", world.vector((family(series.dtype),))])
    if value not in (constant, "None") and (not len(series) or not _holds_labels(world.value(value).index, series.index)):
        # Without rows pandas complains or not by whether the series has memory of its own; a value that becomes missing, and so another dtype, is lost where a frame shares its only block.
        raise Unsuitable
    return f"{frame}.loc[{condition(world, frame)}, {column}] = {value}"


def put_cell(world: World) -> str:
    frame = world.simple_frame()
    column = world.column(frame)
    held = world.names[frame]
    if not len(held):
        raise Unsuitable
    at = world.draw.randrange(len(held))
    series = world.value(f"{frame}[{column}]")
    constant = world.constant(series.dtype, series.array)
    position = list(held.columns).index(eval(column))
    label = held.index[at] if held.index.nlevels == 1 else None
    shapes = [f"{frame}.iloc[{at}, {position}] = {constant}", f"{frame}.iat[{at}, {position}] = {constant}", f"{frame}.iloc[{at}:, {position}] = {constant}"]
    if isinstance(label, (str, int)):
        shapes += [f"{frame}.at[{label!r}, {column}] = {constant}", f"{frame}.loc[{label!r}, {column}] = {constant}"]
    return world.one_of(shapes)


def put_in_series(world: World) -> str:
    name = world.series()
    series = world.names[name]
    if not len(series):
        raise Unsuitable
    at = world.draw.randrange(len(series))
    constant = world.constant(series.dtype, series.array)
    shapes = [f"{name}.iloc[{at}] = {constant}", f"{name}.iloc[:{at}] = {constant}", f"{name}[{name}.isna()] = {constant}", f"{name}.array[{at}] = {constant}", f"{name}.array[{at}] = {constant}", f"{name}.values[{at}] = {constant}"]
    return world.one_of(shapes)


def put_in_array(world: World) -> str:
    name = world.array()
    array = world.names[name]
    at = world.draw.randrange(len(array))
    return world.one_of([f"{name}[{at}] = {name}[{len(array) - 1}]", f"{name}[:{at + 1}] = {name}[0]"])


def put_in_column_array(world: World) -> str:
    frame, column = world.framed((*NUMBERS, "bool", "category"))
    series = world.value(f"{frame}[{column}]")
    if not len(series):
        raise Unsuitable
    return f"{frame}[{column}].array[{world.draw.randrange(len(series))}] = {world.constant(series.dtype, series.array)}"


def handed_out(world: World) -> str:
    """An array of a series, kept by a name, to be written to later."""
    return f"{world.new('a')} = {world.series()}.{world.one_of(['array', 'values', 'to_numpy()', 'to_numpy(copy=True)'])}"


def in_place(world: World) -> str:
    name = world.either()
    shapes = ["fillna(0, inplace=True)", "reset_index(drop=True, inplace=True)", 'sort_index(kind="stable", inplace=True)', "dropna(inplace=True)", "drop_duplicates(inplace=True)", "replace(1, 2, inplace=True)", "clip(0, 5, inplace=True)", "ffill(inplace=True)"]
    if name[0] == "f":
        column = world.column(name)
        shapes += [f"drop(columns=[{column}], inplace=True)", f'rename(columns={{{column}: "w"}}, inplace=True)', f"set_index({column}, inplace=True)", f"pop({column})", f"insert(0, 'first', {world.one_of(['1', world.vector()])})"]
        shapes += [f'sort_values({column}, kind="stable", inplace=True)', f"update({world.simple_frame()})"]
    return f"{name}.{world.one_of(shapes)}"


def augmented(world: World) -> str:
    if world.chance(0.5):
        frame, column = world.framed(NUMBERS)
        return f"{frame}[{column}] {world.one_of(['+=', '-=', '*='])} {world.one_of(['1', '2', world.vector(NUMBERS)])}"
    return f"{world.either()} {world.one_of(['+=', '*='])} {world.one_of(['1', '2'])}"


def alias(world: World) -> str:
    name = world.either()
    return f"{world.new(name[0])} = {name}{world.one_of(['', '.copy(deep=False)', '.copy()', '[:]', '.iloc[:]', ''])}"


def column_alias(world: World) -> str:
    frame, column = world.framed(ANY)
    return f"{world.new('s')} = {frame}[{column}]"


def deleted(world: World) -> str:
    if world.chance(0.5):
        frame = world.simple_frame()
        return f"del {frame}[{world.column(frame)}]"
    names = [name for name in world.names if name[1:].isdigit() and name[0] in "fsa"]
    if len(names) < 4:
        raise Unsuitable
    return f"del {world.one_of(names)}"


def loops(world: World) -> str:
    """Doubling, and a column after the other."""
    if world.chance(0.5):
        text = world.vector(NUMBERS)
        name = world.new("s")
        return f"{name} = {text}\nfor _ in range({world.draw.randint(2, 6)}):\n    {name} = {name} {world.one_of(['+', '*', '-'])} {name}"
    frame = world.simple_frame()
    column = world.column(frame, NUMBERS)
    return f'for at in range({world.draw.randint(2, 5)}):\n    {frame}[f"n{{at}}"] = {frame}[{column}] * at'


TEMPLATES = [
    (4.0, put_column),
    (2.0, put_where),
    (1.5, put_cell),
    (2.0, put_in_series),
    (2.5, put_in_array),
    (0.5, put_in_column_array),
    (0.7, handed_out),
    (2.0, in_place),
    (0.8, augmented),
    (1.5, alias),
    (1.0, column_alias),
    (0.4, deleted),
    (0.8, loops),
]
