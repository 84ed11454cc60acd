"""Statements with functions of the user's, files, and looks at what is there."""

from __future__ import annotations

import os

from programs.world import ANY, BOOLEANS, INTEGERS, NUMBERS, PLAIN, Unsuitable, World

BODIES = [
    "x + 1",
    "x * 2 if x > 1 else 0",
    "x",
    "x * 0.5",
    "x > 2",
    "abs(x) - 1",
    "min(x, 3)",
    "str(x)",
    "-x if x < 2 else x + 0.25",
    "1 / x",
    "x // 2 + x % 3",
    "None if x == 1 else x",
    "int(x)",
]


def defined(world: World) -> str:
    """A function of one value: pure, or one that counts its calls, or one that raises."""
    name = world.new("g")
    body = world.one_of(BODIES)
    way = world.draw.randrange(5)
    if way == 0:
        return f"{name} = lambda x: {body}"
    if way == 1:
        return f'def {name}(x):\n    calls.append("{name}")\n    return {body}'
    if way == 2:
        return f'{name} = eval("lambda x: {body}")'
    if way == 3 and world.chance(0.5):
        return f'def {name}(x):\n    calls.append("{name}")\n    if x == {world.one_of(["1", "2", "3"])}:\n        raise LookupError("no")\n    return {body}'
    return f"def {name}(x):\n    return {body}"


def applied(world: World) -> str:
    function = world.function() if world.chance(0.75) else f"(lambda x: {world.one_of(BODIES)})"
    text = world.vector((*NUMBERS, *BOOLEANS))
    return f"{world.new('s')} = {text}.{world.one_of(['map', 'apply', 'map'])}({function})"


def called_once(world: World) -> str:
    """Functions that are given whole frames, series or groups."""
    frame, column = world.framed(NUMBERS)
    count = 'calls.append("once") or '
    counted = count if world.chance(0.6) else ""
    key = world.column(frame, INTEGERS)
    if world.large and world.names[frame][eval(key)].nunique() > 100:
        # pandas calls a function for one group after the other, which takes it seconds.
        raise Unsuitable
    return world.one_of(
        [
            f"{world.new('f')} = {frame}.assign(y=lambda d: {counted}d[{column}] * 2)",
            f"{world.new('f')} = {frame}.pipe(lambda d: {counted}d[d[{column}] > 1])",
            f"{world.new('f')} = {frame}.loc[lambda d: {counted}d[{column}] > 1]",
            f"{world.new('f')} = {frame}[lambda d: {counted}d[{column}] <= 3]",
            f"{world.new('s')} = {frame}[{column}].where(lambda x: {counted}x > 1, 0)",
            f"{world.new('s')} = {frame}.groupby({key})[{column}].transform(lambda x: {counted}x - x.max())",
            f"{world.new('s')} = {frame}.groupby({key})[{column}].agg(lambda x: {counted}x.sum())",
            f"{world.new('s')} = {frame}.groupby({key})[{column}].apply(lambda x: {counted}x.max())",
            f"{world.new('f')} = {frame}.groupby({key}).filter(lambda d: {counted}len(d) > 1)",
            f"{world.new('s')} = {frame}.apply(lambda row: {counted}row[{column}], axis=1)",
            f"{world.new('f')} = {frame}.apply(lambda c: {counted}c.isna())",
            f"{world.new('f')} = {frame}.sort_values({column}, kind='stable', key=lambda c: {counted}-c)",
            f"{world.new('f')} = {frame}.rename(columns=lambda name: {counted}str(name) + '_x')",
        ]
    )


def written_file(world: World) -> str:
    frame = world.frame()
    suffix = world.one_of(["parquet", "parquet", "csv", "feather"])
    path = world.file(suffix)
    if suffix == "csv":
        return f'{frame}.to_csv("{path}"{world.one_of(["", ", index=False"])})'
    return f'{frame}.to_{suffix}("{path}")' if suffix == "parquet" else f'{frame}.reset_index(drop=True).to_feather("{path}")'


def read_file(world: World) -> str:
    found = sorted(name for name in os.listdir(".") if name.startswith("file"))
    path = world.one_of(found)
    return f'{world.new("f")} = pd.read_{path.partition(".")[2]}("{path}")'


def removed_file(world: World) -> str:
    found = sorted(name for name in os.listdir(".") if name.startswith("file"))
    path = world.one_of(found)
    return f'os.remove("{path}")'


def looked(world: World) -> str:
    name = world.either()
    shapes = [f"len({name})", f"repr({name})", f"{name}.shape", f"{name}.index", f"{name}.copy()", f"list({name})", f"{name}.empty", f"{name}.equals({name}.copy())", f"{name}.memory_usage(index=False)" if name[0] == "s" else f"{name}.dtypes", f"{name}.to_numpy()"]
    if name[0] == "f":
        shapes += [f"{name}.columns", f"{name}.to_dict('list')", f"[tuple(row) for row in {name}.itertuples()]", f"{name}.to_csv()", f"{name}.iloc[0]"]
        frame, column = world.framed(PLAIN)
        shapes += [f"{frame}[{column}].iloc[0]", f"{frame}[{column}].tolist()", f"{frame}[{column}].dtype", f"{frame}[{column}].is_monotonic_increasing"]
    return f"{world.new('v')} = {world.one_of(shapes)}"


def wrong(world: World) -> str:
    """Statements that pandas mostly complains about."""
    frame, column = world.framed(ANY)
    if not len(world.names[frame]):
        raise Unsuitable
    return world.one_of(
        [
            f'{world.new("s")} = {frame}["nowhere"]',
            f'{world.new("f")} = {frame}.sort_values("nowhere")',
            f'{world.new("s")} = {frame}.groupby("nowhere").size()',
            f'{world.new("f")} = {frame}.merge({frame}, on="nowhere")',
            f"{world.new('s')} = {frame}[{column}].astype('int64')",
            f"{world.new('s')} = {frame}[{column}] + 'text'",
            f"{world.new('s')} = {frame}[{column}].sum() + {frame}[{column}].mean()",
            f"{frame}['y'] = [1, 2]",
            f"{world.new('v')} = {frame}.iloc[1000000]",
            f"{world.new('v')} = {frame}.loc['nowhere']",
            f"{world.new('f')} = {frame}.set_axis([1, 2])",
            f"{world.new('v')} = bool({frame}[{column}])",
            f"{world.new('s')} = {frame}[{column}].str.upper()",
            f"{world.new('f')} = {frame}.drop(columns=['nowhere'])",
            f"{world.new('s')} = {frame}[{column}].cat.codes",
        ]
    )


TEMPLATES = [
    (1.8, defined),
    (2.0, applied),
    (2.0, called_once),
    (1.2, written_file),
    (1.5, read_file),
    (0.6, removed_file),
    (2.5, looked),
    (1.2, wrong),
]
