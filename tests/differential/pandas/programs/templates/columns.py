"""Statements that compute columns of columns: arithmetic, comparisons, changes of values and dtypes, accessors."""

from __future__ import annotations

from programs.templates.rows import condition
from programs.world import ANY, BOOLEANS, FLOATS, INTEGERS, NUMBERS, NUMPY, PLAIN, TIMES, World, family

OPERATORS = ["+", "-", "*", "+", "-", "*", "/", "//", "%"]


def arithmetic(world: World) -> str:
    """Two series that are aligned, or shifted, or have nothing in common."""
    left, right = world.vector(NUMBERS), world.vector(NUMBERS)
    if world.chance(0.3):
        right = world.constant(world.value(left).dtype)
    return f"{world.new('s')} = {left} {world.one_of(OPERATORS)} {right}"


def assigned(world: World) -> str:
    """A column of a frame, by what may have other labels."""
    frame = world.simple_frame()
    left = world.vector(NUMBERS)
    shapes = [f"{left} {world.one_of(OPERATORS)} {world.constant(world.value(left).dtype)}", left, world.vector(), f"{left} * 2 + {world.vector(NUMBERS)}"]
    return f"{world.new('f')} = {frame}.assign({world.one_of(['y', 'z', 'a'])}={world.one_of(shapes)})"


#: What moves the labels of a frame away from its rows, or its rows away from their positions.
MOVES = [
    "iloc[2:].reset_index(drop=True)",
    "iloc[1:]",
    "iloc[::2].reset_index(drop=True)",
    "iloc[::-1]",
    "set_axis(pd.RangeIndex(1, len({0}) + 1))",
    "set_axis(pd.RangeIndex(0, 2 * len({0}), 2))",
    "set_axis(range(3, len({0}) + 3))",
    "sort_values({1}, kind='stable')",
    "sort_values({1}, kind='stable', ignore_index=True)",
    "head(4)",
    "shift(1)",
]


def moved_apart(world: World) -> str:
    """A frame and the same with other labels, or in another order, brought together again."""
    frame, column = world.framed(NUMPY)
    way = world.one_of(MOVES).format(frame, column)
    way = way if world.chance(0.7) else f"{way}.{world.one_of(MOVES[:4])}"
    other = f"{frame}.{way}[{column}]"
    return world.one_of(
        [
            f"{world.new('s')} = {frame}[{column}] {world.one_of(['+', '-', '*'])} {other}",
            f"{frame}['y'] = {other}",
            f"{world.new('f')} = {frame}.assign(z={other})",
            f"{world.new('s')} = {frame}[{column}].where({frame}[{column}] > 1, {other})",
            f"{world.new('f')} = pd.concat([{frame}[{column}], {other}], axis=1)",
        ]
    )


def permuted(world: World) -> str:
    """Categories, and the same in another order."""
    frame, column = world.framed(("category",))
    held = list(world.value(f"{frame}[{column}]").dtype.categories)
    order = world.draw.sample(held, len(held))
    first, other = f"{frame}[{column}]", f"{frame}[{column}].cat.{world.one_of(['set', 'reorder'])}_categories({order!r})"
    return world.one_of(
        [
            f"{world.new('s')} = {other}",
            f"{world.new('s')} = pd.concat([{first}, {other}])",
            f"{world.new('s')} = {first}.where({first}.notna(), {other})",
            f"{world.new('s')} = {first} == {other}",
            f"{world.new('f')} = {frame}.assign({world.one_of(['c', 'd', 'y'])}={other})",
            f"{frame}[{column}] = {other}",
            f"{world.new('s')} = {other}.astype({first}.dtype)",
            f"{world.new('f')} = {frame}.merge({frame}.assign(c={other}).head(2), on={column})",
        ]
    )


def frames(world: World) -> str:
    """Arithmetic of whole frames."""
    left, right = world.frame(), world.frame()
    if world.chance(0.4):
        right = world.one_of(["2", "1.5", "1"])
    if world.chance(0.3):
        return f"{world.new('f')} = {left}.{world.one_of(['add', 'sub', 'mul'])}({right}, fill_value=0)"
    return f"{world.new('f')} = {left} {world.one_of(['+', '-', '*', '==', '>', '!='])} {right}"


def compared(world: World) -> str:
    left = world.vector(PLAIN)
    dtype = world.value(left).dtype
    right = world.constant(dtype, world.value(left).array) if world.chance(0.6) else world.vector((family(dtype),))
    return f"{world.new('s')} = {left} {world.one_of(['==', '!=', '<', '<=', '>', '>='])} {right}"


def logic(world: World) -> str:
    left, right = world.vector(BOOLEANS), world.vector(BOOLEANS)
    return world.one_of([f"{world.new('s')} = {left} {world.one_of(['&', '|', '^'])} {right}", f"{world.new('s')} = ~{left}"])


def moved(world: World) -> str:
    text = world.vector((*NUMBERS, *TIMES, "delta", "bool"))
    sort = family(world.value(text).dtype)
    made = ["shift(1)", "shift(-2)", "diff()", "shift(1, fill_value=0)" if sort in NUMBERS else "shift(2)", "cummax()", "cummin()", "rank()", 'rank(method="dense", ascending=False)']
    if sort in NUMBERS:
        made += ["cumsum()", "cumsum()", "pct_change()", "cumprod()", "rolling(3).sum()", "rolling(2, min_periods=1).mean()", "expanding().max()", "ewm(alpha=0.5).mean()"]
    return f"{world.new('s')} = {text}.{world.one_of(made)}"


def filled(world: World) -> str:
    text = world.vector(ANY)
    values = world.value(text)
    constant = world.constant(values.dtype, values.array)
    made = [f"fillna({constant})", "ffill()", "bfill()", "isna()", "notna()", f"isin([{constant}, {world.constant(values.dtype)}])", f"fillna({world.vector((family(values.dtype),))})"]
    if family(values.dtype) in FLOATS:
        made += ["interpolate()", "round(1)", "abs()", "clip(0, 2)", "fillna(0.0)"]
    if family(values.dtype) in INTEGERS:
        made += ["clip(lower=1)", "clip(1, 3)", "abs()", f"between(1, {world.draw.randint(1, 5)})"]
    return f"{world.new('s')} = {text}.{world.one_of(made)}"


def chosen(world: World) -> str:
    frame = world.simple_frame()
    column = world.column(frame, PLAIN)
    values = world.value(f"{frame}[{column}]")
    other = world.one_of([world.constant(values.dtype, values.array), world.vector((family(values.dtype),)), "None"])
    way = world.one_of(["where", "mask"])
    if other == "None":
        return f"{world.new('s')} = {frame}[{column}].{way}({condition(world, frame)})"
    return f"{world.new('s')} = {frame}[{column}].{way}({condition(world, frame)}, {other})"


def replaced(world: World) -> str:
    text = world.vector(PLAIN)
    values = world.value(text)
    old, new = world.constant(values.dtype, values.array), world.constant(values.dtype)
    return world.one_of(
        [
            f"{world.new('s')} = {text}.replace({old}, {new})",
            f"{world.new('s')} = {text}.replace([{old}, {new}], [{new}, {old}])",
            f"{world.new('s')} = {text}.map({{{old}: {new}, {new}: {old}}})",
            f"{world.new('s')} = {text}.map({world.vector()})",
            f"{world.new('s')} = {text}.replace({{{old}: {new}}})",
        ]
    )


def cast(world: World) -> str:
    text = world.vector(ANY)
    sort = family(world.value(text).dtype)
    kinds = ["str", "object", "category", "string"]
    if sort in NUMPY or sort in ("bool", *NUMBERS):
        kinds += ["float64", "int64", "int32", "float32", "Int64", "Int32", "Float64", "bool", "boolean", "int8", "int64[pyarrow]"]
    if sort == "time":
        kinds += ["M8[s]", "M8[ns]", "M8[ns]"]
    if sort == "category":
        categories = world.one_of(['["x", "y", "z"]', '["z", "y", "x"]', '["y", "x"]'])
        return f"{world.new('s')} = {text}.astype(pd.CategoricalDtype({categories}{world.one_of(['', ', ordered=True'])}))"
    if world.chance(0.25):
        frame = world.simple_frame()
        return f'{world.new("f")} = {frame}.astype({{{world.column(frame)}: "{world.one_of(kinds)}"}})' if world.chance(0.7) else f"{world.new('f')} = {frame}.convert_dtypes()"
    return f'{world.new("s")} = {text}.astype("{world.one_of(kinds)}")'


def text_methods(world: World) -> str:
    made = 'upper() len() strip() contains("a") startswith("x") replace("a","bb") slice(0,1) [0] cat(sep="-") split(",") zfill(3) find("b") isdigit() title() get(0) count("a") lower()'.split()
    way = world.one_of(made)
    if way.startswith("cat"):
        return f"{world.new('v')} = {world.vector(('text',))}.str.{way}"
    dot = "" if way.startswith("[") else "."
    return f"{world.new('s')} = {world.vector(('text',))}.str{dot}{way}" if world.chance(0.85) else f"{world.new('s')} = {world.vector(('text',))} + {world.one_of([repr('!'), world.vector(('text',))])}"


def time_methods(world: World) -> str:
    made = "year month day hour dayofweek date quarter is_month_end days_in_month normalize() floor('D') strftime('%Y-%m') month_name() to_period('M') isocalendar()".split()
    text = world.vector(TIMES)
    if world.chance(0.2):
        return f"{world.new('s')} = {text} {world.one_of(['+', '-'])} pd.Timedelta('{world.one_of(['1D', '90min'])}')"
    if world.chance(0.15):
        return f"{world.new('s')} = {text} - {world.vector((family(world.value(text).dtype),))}"
    way = world.one_of(made)
    return f"{world.new('f' if 'iso' in way else 's')} = {text}.dt.{way}"


def span_methods(world: World) -> str:
    text = world.vector(("delta",))
    return f"{world.new('s')} = {text}{world.one_of(['.dt.days', '.dt.total_seconds()', '.dt.components', ' * 2', ' / pd.Timedelta(' + repr('1h') + ')', '.abs()', '.dt.seconds'])}"


def category_methods(world: World) -> str:
    text = world.vector(("category",))
    held = list(world.value(text).dtype.categories)
    order = world.draw.sample(held, len(held))
    names = ", ".join(f"{one!r}: {f'{one}2'!r}" for one in held if isinstance(one, str))
    swapped = ", ".join(f"{one!r}: {other!r}" for one, other in zip(held, order, strict=True) if isinstance(one, str))
    made = [
        "cat.codes", "cat.as_ordered()", "cat.as_unordered()", "cat.remove_unused_categories()", f"cat.reorder_categories({order!r})", f"cat.set_categories({order!r})",
        f"cat.rename_categories({{{names}}})", "cat.add_categories(['new'])", f"map({{{swapped}}})", "astype(object)", "astype('str')", "value_counts()", "sort_values(kind='stable')",
    ]  # fmt: skip
    return f"{world.new('s')} = {text}.{world.one_of(made)}"


def numpy_functions(world: World) -> str:
    text = world.vector(NUMPY)
    if world.chance(0.3):
        frame = world.simple_frame()
        return f"{world.new('a')} = np.where({condition(world, frame)}, {world.one_of(['1', '0.5', repr('yes')])}, {world.one_of(['0', '2.5', repr('no')])})"
    return f"{world.new('s')} = np.{world.one_of(['abs', 'sqrt', 'floor', 'sign', 'negative', 'square', 'isnan', 'exp'])}({text})"


def whole_frames(world: World) -> str:
    frame = world.simple_frame()
    made = "fillna(0) isna() shift(1) ffill() round(1) cumsum() diff() rank() clip(0,3) abs() infer_objects() T replace(1,9) isin([1,2]) notna() nunique() copy() copy(deep=False) astype(object) stack()".split()
    way = world.one_of(made)
    return f"{world.new('s' if way in ('nunique()', 'stack()') else 'f')} = {frame}.{way}"


TEMPLATES = [
    (4.0, arithmetic),
    (3.0, assigned),
    (1.5, moved_apart),
    (1.0, permuted),
    (1.0, frames),
    (2.0, compared),
    (0.7, logic),
    (2.0, moved),
    (2.0, filled),
    (1.5, chosen),
    (1.5, replaced),
    (2.0, cast),
    (1.5, text_methods),
    (1.0, time_methods),
    (0.5, span_methods),
    (2.0, category_methods),
    (0.7, numpy_functions),
    (1.0, whole_frames),
]
