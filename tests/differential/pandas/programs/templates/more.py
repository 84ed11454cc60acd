"""More of what programs are full of: conditions by NumPy, text that is computed, joins of all kinds, files in pieces, writes through views."""

from __future__ import annotations

import os

import pandas as pd

from programs.templates.rows import condition
from programs.world import ANY, INTEGERS, NUMBERS, NUMPY, PLAIN, Unsuitable, World, family

KEYS = (*INTEGERS, "text", "category", "bool", "boolean", "time", "zone", "period", "arrow")


def chosen_by_numpy(world: World) -> str:
    """One of several values for each row."""
    frame = world.simple_frame()
    first, second = condition(world, frame), condition(world, frame)
    values = [f"{frame}[{world.column(frame, NUMPY)}]", "1", "0.5", f"{frame}[{world.column(frame, NUMPY)}].to_numpy()"]
    one, other = world.one_of(values), world.one_of(values)
    return world.one_of(
        [
            f"{world.new('a')} = np.where({first}, {one}, {other})",
            f"{frame}['w'] = np.where({first}, {one}, {other})",
            f"{world.new('a')} = np.select([{first}, {second}], [{one}, {other}], default={world.one_of(['0', '-1.5'])})",
            f"{world.new('f')} = {frame}.assign(w=np.select([{first}, {second}], ['p', 'q'], default='r'))",
            f"{world.new('s')} = {frame}[{world.column(frame, NUMPY)}].case_when([({first}, {world.one_of(['1', '2.5'])})])",
        ]
    )


def numpy_functions(world: World) -> str:
    left, right = world.vector(NUMPY), world.vector(NUMPY)
    return world.one_of(
        [
            f"{world.new('s')} = np.{world.one_of(['maximum', 'minimum', 'add', 'multiply', 'greater', 'hypot', 'arctan2', 'fmax'])}({left}, {right})",
            f"{world.new('s')} = np.{world.one_of(['log1p', 'expm1', 'cbrt', 'sin', 'cos', 'tanh', 'rint', 'ceil', 'trunc', 'isfinite', 'signbit'])}({left})",
            f"{world.new('v')} = np.{world.one_of(['sum', 'mean', 'max', 'unique', 'median', 'std', 'argmax', 'cumsum', 'diff', 'argsort'])}({left})",
            f"{world.new('a')} = np.{world.one_of(['clip({0}, 0, 2)', 'isin({0}, [1, 2])', 'digitize({0}, [0, 1, 2])', 'nan_to_num({0})', 'round({0}, 1)', 'interp({0}, [0, 1, 3], [0, 10, 20])'])}".format(left),
            f"{world.new('v')} = np.percentile({left}, {world.one_of(['50', '[25, 75]'])})",
        ]
    )


def evaluated(world: World) -> str:
    """Text that is computed, with variables of the program."""
    frame = world.simple_frame()
    names = [name[1:-1] for name in world.columns(frame, NUMBERS) if name.startswith("'") and name[1:-1].isidentifier()]
    one, other = world.one_of(names), world.one_of(names)
    texts = [f"{one} > 1 and {other} <= 3", f"{one} > {other}", f"{one} in [1, 2, 3]", f"not {one} > 1", f"{one} + {other} > 2", "index > 1", f"{one} > @n", f"{one} == {one}", f"1 < {one} <= 5", f"{one} not in [1, 2] or {other} == 2"]
    sums = [f"z = {one} + {other}", f"z = {one} * 2", f"{one} - {other}", f"{one} > {other}", f"z = -{one}", f"w = {one} / 2\\nz = w + {other}", f"{one} * @n"]
    return world.one_of([f'{world.new("f")} = {frame}.query("{world.one_of(texts)}")', f'{world.new("v")} = {frame}.eval("{world.one_of(sums)}")'])


def merged(world: World) -> str:
    """Joins on several keys, on labels on one side, with categories that differ, and those that only filter."""
    left, right = world.simple_frame(), world.simple_frame()
    how = world.one_of(["inner", "left", "right", "outer", "left_anti", "right_anti"])
    common = [name for name in world.columns(left, KEYS) if name in world.columns(right, KEYS) and family(world.names[left][eval(name)].dtype) == family(world.names[right][eval(name)].dtype)]
    if len(world.names[left]) * len(world.names[right]) > 40 * max(world.rows, 20):
        raise Unsuitable
    shapes = []
    if len(common) > 1:
        keys = ", ".join(world.some(common, 2, 2))
        shapes += [f'{left}.merge({right}, on=[{keys}], how="{how}")', f'{left}.merge({right}, on=[{keys}], how="{how}", sort=True)']
    if common:
        key = world.one_of(common)
        shapes += [f'{left}.merge({right}, on={key}, how="{how}", validate="m:m")', f"{left}.merge({right}[[{key}]].drop_duplicates(), on={key}, how=\"{how}\")", f'{left}.join({right}.set_index({key}), on={key}, how="{world.one_of(["left", "inner"])}", rsuffix="_r")']
        shapes += [f'{left}.merge({right}, left_on={key}, right_index=True, how="{world.one_of(["left", "inner"])}")', f"pd.merge_ordered({left}, {right}, on={key})"]
    return f"{world.new('f')} = {world.one_of(shapes)}"


def nearest(world: World) -> str:
    """A join with the nearest key before."""
    left, key = world.framed(("integer", "float", "time"))
    right = world.simple_frame()
    if key not in world.columns(right, (family(world.value(f"{left}[{key}]").dtype),)):
        raise Unsuitable
    options = world.one_of(["", ', direction="nearest"', ', direction="forward"', ", allow_exact_matches=False"])
    return f"{world.new('f')} = pd.merge_asof({left}.dropna(subset=[{key}]).sort_values({key}, kind='stable'), {right}.dropna(subset=[{key}]).sort_values({key}, kind='stable'), on={key}{options})"


def stacked(world: World) -> str:
    """Pieces that are not alike, on top of each other or beside."""
    names = world.variables((pd.DataFrame, pd.Series))
    pieces = [world.one_of(names) for _ in range(world.draw.randint(2, 3))]
    if sum(len(world.names[name]) for name in pieces) > 6 * max(world.rows, 20):
        raise Unsuitable
    if len({world.names[name].index.nlevels for name in pieces}) > 1:
        # What pandas makes of labels of several levels beside others depends on which of them are the same object.
        raise Unsuitable
    options = world.one_of(["", ", ignore_index=True", ", sort=True", ", axis=1", ", axis=1, join='inner'", ", names=['p']", ", axis=1, keys=list('xyz')[:" + str(len(pieces)) + "]"])
    if world.chance(0.2):
        return f"{world.new('v')} = pd.concat({{{', '.join(f'{at!r}: {name}' for at, name in zip('pqr', pieces, strict=False))}}})"
    return f"{world.new('v')} = pd.concat([{', '.join(pieces)}]{options})"


def applied(world: World) -> str:
    """Functions over columns and rows of a frame, and several results at once."""
    frame = world.simple_frame()
    numbers = world.some(world.columns(frame, NUMBERS), 1, 2)
    part = f"{frame}[[{', '.join(numbers)}]]"
    if world.large:
        raise Unsuitable
    ways = ["apply(lambda c: c.max() - c.min())", f"apply(lambda row: row[{numbers[0]}] * 2, axis=1)", "apply(np.sum)", "map(lambda x: x + 1)", "agg(['sum', 'min'])", "agg('mean')", "transform(lambda c: c - c.mean())", "apply(lambda c: c + 1)", "sum(axis=1)", "apply(sum, axis=1)", "max(axis=1)", "apply(lambda c: c.value_counts())", "transform('cumsum')", "agg({" + numbers[0] + ": ['sum', 'max']})", "corr()", "idxmax(axis=1)", "quantile([0.25, 0.5])"]
    return f"{world.new('v')} = {part}.{world.one_of(ways)}"


def text_methods(world: World) -> str:
    text = world.vector(("text",))
    made = [
        'extract("([a-z])")', 'extract("(?P<p>[a-z])(?P<q>.)?")', 'split(" ", expand=True)', 'rsplit(",", n=1)', 'partition(" ")', "get_dummies(',')", "pad(4)", "center(5, '*')", "ljust(3, '-')", 'match("[ab]")',
        'fullmatch("a|b")', 'findall("[a-z]")', 'rfind("a")', 'endswith("x")', "swapcase()", "casefold()", "capitalize()", 'removeprefix("a")', "repeat(2)", 'slice_replace(0, 1, "_")', "isalpha()", "isupper()",
        "isspace()", 'replace("[ab]", "-", regex=True)', 'contains("^a", regex=True)', 'contains("A", case=False)', "slice(-2)", "slice(None, None, -1)", "rstrip()", 'lstrip("ab")', "isnumeric()", "rjust(3)", "normalize('NFC')",
        'join("-")', "cat(sep='')", "encode('utf8')", "removesuffix('1')", 'extractall("([a-z])")', 'split(",").str[0]', 'split(" ").str.len()', "len() + 1", 'replace("a", "")', "get(-1)", "translate({97: 'X'})",
    ]  # fmt: skip
    return f"{world.new('v')} = {text}.str.{world.one_of(made)}"


def chunked(world: World) -> str:
    """A file that is read in pieces, or as a few of its columns and rows."""
    frame = world.simple_frame()
    path = world.file("csv")
    columns = [name for name in world.columns(frame) if name.startswith("'")]
    first = world.one_of(columns)
    write = f'{frame}.to_csv("{path}", index=False)'
    reads = [
        f'pd.concat(list(pd.read_csv("{path}", chunksize={world.draw.randint(1, 4) * max(1, world.rows // 12)})), ignore_index=True)', f'pd.concat([piece[[{first}]] for piece in pd.read_csv("{path}", chunksize={max(3, world.rows // 4)})])', f'pd.read_csv("{path}", usecols=[{first}])',
        f'pd.read_csv("{path}", nrows=2)', f'pd.read_csv("{path}", dtype={{{first}: "str"}})', f'pd.read_csv("{path}", index_col=0)', f'pd.read_csv("{path}", skiprows=[1])', f'pd.read_csv("{path}", dtype_backend="numpy_nullable")',
        f'pd.read_csv("{path}", dtype_backend="pyarrow")', f'pd.read_csv("{path}", header=None)', f'pd.read_csv("{path}", na_values=["a", "1"])', f'pd.read_csv("{path}", parse_dates=[{first}])',
    ]  # fmt: skip
    return f"{write}\n{world.new('f')} = {world.one_of(reads)}"


def other_files(world: World) -> str:
    """Files of other formats, whole or in part."""
    frame = world.simple_frame()
    path = f"other{world.draw.randint(0, 1)}"
    first = world.one_of([name for name in world.columns(frame) if name.startswith("'")])
    shapes = [
        (f'{frame}.reset_index(drop=True).to_parquet("{path}.parquet")', f'pd.read_parquet("{path}.parquet", columns=[{first}])'),
        (f'{frame}.to_parquet("{path}.parquet")', f'pd.read_parquet("{path}.parquet")'),
        (f'{frame}.reset_index(drop=True).to_parquet("{path}.parquet")', f'pd.read_parquet("{path}.parquet", dtype_backend="{world.one_of(["pyarrow", "numpy_nullable"])}")'),
        (f'{frame}.to_json("{path}.json", orient="records", lines=True)', f'pd.read_json("{path}.json", orient="records", lines=True)'),
        (f'{frame}.to_pickle("{path}.pickle")', f'pd.read_pickle("{path}.pickle")'),
    ]
    write, read = world.one_of(shapes)
    return f"{write}\n{world.new('f')} = {read}" + (f'\nos.remove("{path}.parquet")' if "to_parquet" in write and world.chance(0.2) else "")


def through_views(world: World) -> str:
    """Writes to what was cut out of something else, and chained ones, which write to nothing."""
    frame = world.simple_frame()
    held = world.names[frame]
    column = world.column(frame, PLAIN)
    series = world.value(f"{frame}[{column}]")
    constant = world.constant(series.dtype, series.array)
    if not len(held):
        raise Unsuitable
    name = world.new("f")
    part = world.new("s")
    return world.one_of(
        [
            f"{name} = {frame}.iloc[1:]\n{name}[{column}] = {constant}",
            f"{name} = {frame}[[{column}]]\n{name}.iloc[0, 0] = {constant}",
            f"{part} = {frame}[{column}]\n{part}.iloc[0] = {constant}",
            f"{frame}[{column}][{frame}[{column}].notna()] = {constant}",
            f"{frame}[{column}].fillna({constant}, inplace=True)",
            f"{frame}.iloc[:2][{column}] = {constant}",
            f"{name} = {frame}.copy(deep=False)\n{name}.loc[{condition(world, frame)}, {column}] = {constant}",
            f"{name} = {frame}[{condition(world, frame)}]\n{name}[{column}] = {constant}",
            f"{name} = {frame}.reset_index(drop=True)\n{name}.iloc[-1, {list(held.columns).index(eval(column))}] = {constant}",
        ]
    )


def in_place(world: World) -> str:
    """Methods and attributes that change an object."""
    name = world.either()
    shapes = [f"{name}.index.name = 'label'", f"{name}.rename_axis('axis', inplace=True)", f"{name}.bfill(inplace=True)", f"{name}.attrs.clear()", f"{name}.index = {name}.index[::-1]"]
    # A series that an operation in place made a frame of keeps its name.
    if name[0] == "s" and isinstance(world.names[name], pd.Series):
        shapes += [f"{name}.name = 'named'", f"{name}.rename('other', inplace=True)", f"{name}.sort_values(kind='stable', inplace=True)", f"{name}.update({world.vector((family(world.names[name].dtype),))})", f"{name}.mask({name}.isna(), inplace=True)"]
    elif name[0] == "f":
        frame, column = world.framed(NUMBERS)
        shapes += [f"{frame}[[{column}]] = {frame}[[{column}]] + 1", f"{frame}.eval({('z = ' + column[1:-1])!r}, inplace=True)" if column.startswith("'") and column[1:-1].isidentifier() else f"{frame}['z'] = 1", f"{frame}[{condition(world, frame)}] = {frame}", f"{frame}.where({frame}[{column}] > 1, inplace=True)", f"{frame}.columns.name = 'names'", f"{frame}.drop(index={frame}.index[:1], inplace=True)", f"{frame}.loc[len({frame})] = {frame}.iloc[0].tolist()"]
    return world.one_of(shapes)


def of_any_dtype(world: World) -> str:
    """What every dtype can do, of those that other statements seldom meet."""
    text = world.vector(ANY)
    values = world.value(text)
    ways = ["shift(1)", "iloc[::-1]", "drop_duplicates()", "isna()", "ffill()", "value_counts(dropna=False)", "astype(object)", "to_frame('one')", "reindex([0, 1, 5])", "repeat(2)", "nunique()", "factorize()", "duplicated()", "sort_values(kind='stable')", "head(2).tolist()", "unique()", "mode()", "argsort(kind='stable')", "rank(method='first')", "memory_usage(index=False)", "convert_dtypes()", "equals(" + text + ".copy())", "groupby(np.arange(len(" + text + ")) % 2).first()", "groupby(np.arange(len(" + text + ")) % 2).count()"]
    return f"{world.new('v')} = {text}.{world.one_of(ways)}" if len(values) else f"{world.new('v')} = {text}.isna()"


def exists(world: World) -> str:
    """Which files are there."""
    return f"{world.new('v')} = sorted(name for name in os.listdir('.') if not name.endswith('.py'))" if os.listdir(".") else f"{world.new('v')} = len({world.either()})"


TEMPLATES = [
    (1.5, chosen_by_numpy), (1.0, numpy_functions), (1.2, evaluated), (2.0, merged), (0.4, nearest), (1.2, stacked), (1.5, applied), (1.8, text_methods),
    (0.6, chunked), (0.8, other_files), (1.2, through_views), (1.2, in_place), (1.5, of_any_dtype), (0.2, exists),
]  # fmt: skip
