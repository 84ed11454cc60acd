"""Statements that make frames, series and arrays of values, of every dtype and with every sort of labels."""

from __future__ import annotations

from programs.world import World

INTEGERS = ["[3, -1, 0, 7, 5, 5, 2]", "[1, 2, 1, 3, 2]", "[0, 1]", "[9, 4, 4, 1, 8, 100, 3]", "[2, 2, 2]"]
SMALL = ["[1, 2, 1, 3, 2]", "[0, 1, 7]", "[100, 3, 120, 120]"]
FLOATS = ["[1.5, np.nan, -0.0, 0.0, 2.5, -3.25]", "[0.5, 1.0, 2.25]", "[np.nan, 4.0]", "[0.1, 0.2, 0.3, -0.1]", "[np.inf, 1.0, -np.inf, np.nan]", "[1.0, 2.0, 3.0, 2.0]"]
TEXTS = ['["b", None, "", "ä", "a"]', '["a", "b", "c", "a"]', '["x y", "Z,1", "12", "x"]', '["a"]', '["b", "a", "日本"]']
TIMES = [
    '["2020-02-29", "NaT", "2000-01-01T12:30:15", "2020-02-29"]',
    '["2020-01-01", "2020-01-02", "2020-03-01"]',
    '["2021-12-31T23:59:59", "1969-12-31", "2020-01-01"]',
]
OBJECTS = ['[1, "x", None, 2.5]', '["a", "b", None]', "[True, False, None]", "[(1, 2), 3]"]
CATEGORIES = ['["x", "y", "z"]', '["z", "x", "y"]', '["y", "x"]', '["y", "z", "w", "x"]']
#: Arrow's dtypes, with values of each.
ARROW = [
    ("int64[pyarrow]", ["1, None, 3", "2, 2, 5", "7, -1"]),
    ("int32[pyarrow]", ["1, None, 3", "2, 2, 5"]),
    ("int8[pyarrow]", ["1, None, 3", "100, 27, 3"]),
    ("double[pyarrow]", ["1.5, None, 2.0", "0.5, 1.0, 2.25", "0.1, 0.2, None"]),
    ("float[pyarrow]", ["1.5, None, 2.0", "0.5, 1.0"]),
    ("large_string[pyarrow]", ["'a', None, 'b'", "'x y', 'Z,1', '12'"]),
    ("string[pyarrow]", ["'a', None, 'b'", "'a', 'b', 'c'"]),
    ("bool[pyarrow]", ["True, None, False", "True, False"]),
    ("timestamp[us][pyarrow]", ["pd.Timestamp('2020-02-29 12:30'), None", "pd.Timestamp('2020-01-01'), pd.Timestamp('1969-12-31')"]),
    ("uint8[pyarrow]", ["1, None, 200", "2, 2, 5"]),
    ("decimal128(10, 2)[pyarrow]", ["__import__('decimal').Decimal('1.50'), None", "__import__('decimal').Decimal('-2.25'), __import__('decimal').Decimal('3.00')"]),
    ("duration[us][pyarrow]", ["pd.Timedelta('1D'), None", "pd.Timedelta('36h'), pd.Timedelta('-5min')"]),
    ("date32[pyarrow]", ["pd.Timestamp('2020-02-29').date(), None", "pd.Timestamp('2020-01-01').date(), pd.Timestamp('1969-12-31').date()"]),
]
KEYS = ["np.arange(n) % 3", "np.arange(n) % 4", "np.arange(n)", "np.arange(n)[::-1].copy()", "np.arange(n) // 2", "np.roll(np.arange(n), 5)"]


def values(world: World, family: str) -> str:
    """An expression of `n` values of a dtype."""
    one_of, chance = world.one_of, world.chance
    if family == "key":
        return one_of(KEYS)
    if family == "int64":
        return one_of([f"np.resize({one_of(INTEGERS)}, n)", one_of(KEYS)])
    if family in ("int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64"):
        return f'np.resize(np.array({one_of(SMALL)}, dtype="{family}"), n)'
    if family in ("float64", "float32"):
        return f'np.resize(np.array({one_of(FLOATS)}, dtype="{family}"), n)' if chance(0.8) else f'np.arange(n, dtype="{family}") * 0.5'
    if family == "bool":
        return one_of(["np.resize([True, False, False], n)", "np.arange(n) % 2 == 0", "np.full(n, True)"])
    if family == "str":
        return f'pd.array(np.resize(np.array({one_of(TEXTS)}, dtype=object), n), dtype="{one_of(["str", "str", "string", "string[python]"])}")'
    if family == "object":
        return f"np.resize(np.array({one_of(OBJECTS)}, dtype=object), n)" if chance(0.9) else 'np.array([f"w{at % 3}" for at in range(n)], dtype=object)'
    if family in ("Int64", "Int32", "Int16", "Int8", "UInt8", "UInt16", "UInt32", "UInt64"):
        return f'pd.array(list(np.resize(np.array([{one_of(["1, None, 3", "2, 2, 5", "None, 7, 1, 1"])}], dtype=object), n)), dtype="{family}")'
    if family in ("Float64", "Float32"):
        return f'pd.array(list(np.resize(np.array([{one_of(["1.5, None, 3.0", "2.0, 2.5", "None, 0.25"])}], dtype=object), n)), dtype="{family}")'
    if family == "boolean":
        return f'pd.array(list(np.resize(np.array([{one_of(["True, None, False", "True, False", "None, True"])}], dtype=object), n)), dtype="boolean")'
    if family == "category":
        if chance(0.15):
            return f"pd.Categorical(np.resize([3, 1, 2], n), categories={one_of(['[1, 2, 3]', '[3, 2, 1]', '[2, 1]'])})"
        held = one_of(['["y", "x", None, "y"]', '["x", "y", "z"]', '["z", "x"]'])
        return f"pd.Categorical(np.resize(np.array({held}, dtype=object), n), categories={one_of(CATEGORIES)}{', ordered=True' if chance(0.3) else ''})"
    if family == "time":
        return f'np.resize(np.array({one_of(TIMES)}, dtype="M8[{one_of(["us", "us", "ns", "s"])}]"), n)'
    if family == "zone":
        return f'pd.DatetimeIndex(np.resize(np.array({one_of(TIMES)}, dtype="M8[us]"), n)).tz_localize("UTC"){one_of(["", ".tz_convert(" + repr("Europe/Berlin") + ")", ".tz_convert(" + repr("America/New_York") + ")", ".tz_convert(" + repr("+05:30") + ")"])}'
    if family == "delta":
        return f'np.resize(np.array({one_of(["[1, 86400000000, -5]", "[3600000000, 7]"])}, dtype="m8[us]"), n)'
    if family == "period":
        return f'pd.period_range("2020-01", periods=n, freq="{one_of(["M", "D", "Y", "M"])}"){one_of(["", "[::-1]", ".where(np.arange(n) % 3 != 1)"])}'
    if family == "interval":
        return one_of(["pd.IntervalIndex.from_breaks(np.arange(n + 1))", "pd.arrays.IntervalArray.from_arrays(np.arange(n) % 3, np.arange(n) % 3 + 1)", "pd.IntervalIndex.from_breaks(np.arange(n + 1) * 0.5, closed='left')"])
    name, held = one_of(ARROW)
    return f'pd.array(list(np.resize(np.array([{one_of(held)}], dtype=object), n)), dtype="{name}")'


FAMILIES = (
    "key key int64 int64 int64 int32 int16 int8 uint8 uint64 float64 float64 float64 float32 bool bool str str str object Int64 Int32 Int8 UInt8 Float64 Float32"
    " boolean category category category time time zone zone delta arrow arrow arrow arrow uint32 Int16 UInt64 period interval"
).split()
NAMES = "a b c d e k".split()


def labels(world: World) -> str:
    """An expression of `n` labels; nothing for those that pandas counts itself."""
    if world.chance(0.45):
        return ""
    name = world.one_of(["", "", ', name="label"'])
    return world.one_of(
        [
            f"pd.RangeIndex(3, 3 + n{name})",
            f"pd.RangeIndex(0, 2 * n, 2{name})",
            f"pd.RangeIndex(n - 1, -1, -1{name})",
            f"pd.RangeIndex(n{name})",
            f"pd.Index(np.resize([4, 1, 1, 3], n){name})",
            f"pd.Index(np.arange(n)[::-1]{name})",
            f'pd.Index(np.resize(np.array(["x", "a", "b", "x"], dtype=object), n), dtype="str"{name})',
            f'pd.Index([f"w{{at}}" for at in range(n)]{name})',
            f'pd.date_range("2020-01-01", periods=n, freq="D"{name})',
            f"pd.Index(np.arange(n) * 0.5{name})",
            'pd.MultiIndex.from_arrays([np.resize(["a", "b", "a"], n), np.arange(n)], names=["one", "two"])',
            'pd.CategoricalIndex(np.resize(["y", "x"], n), categories=["y", "x"])',
            f'pd.date_range("2020-03-28", periods=n, freq="12h", tz="Europe/Berlin"{name})',
            f'pd.timedelta_range("1h", periods=n, freq="90min"{name})',
            f'pd.period_range("2020-01", periods=n, freq="M"{name})',
            f'pd.Index(np.resize([3, 1, 2], n), dtype="Int64"{name})',
            f'pd.Index(np.arange(n), dtype="int64[pyarrow]"{name})',
            f"pd.IntervalIndex.from_breaks(np.arange(n + 1){name})",
            'pd.MultiIndex.from_arrays([np.arange(n) % 2, np.resize(["x", "y", "x"], n), np.arange(n)], names=["p", "q", "r"])',
        ]
    )


def frame(world: World) -> str:
    """A frame of a few columns."""
    names = world.some(NAMES, 1, 5)
    families = [world.one_of(FAMILIES) for _ in names]
    if "k" in names:
        families[names.index("k")] = "key"
    items = ", ".join(f'"{name}": {values(world, family)}' for name, family in zip(names, families, strict=True))
    found = labels(world)
    options = (f", index={found}" if found else "") + (", copy=False" if world.chance(0.05) else "")
    return f"{world.new('f')} = pd.DataFrame({{{items}}}{options})"


def numbers(world: World) -> str:
    """A frame of columns that are all of one dtype."""
    columns = ", ".join(f'"{name}"' for name in world.some(NAMES, 2, 3))
    width = columns.count(",") + 1
    source = world.one_of([f"np.arange({width}.0 * n).reshape(n, {width})", f"np.resize([1, 5, 2, 2, 9], ({'n'}, {width}))"])
    return f"{world.new('f')} = pd.DataFrame({source}, columns=[{columns}])"


def series(world: World) -> str:
    """A series."""
    found = labels(world)
    options = (f", index={found}" if found else "") + world.one_of(["", ', name="a"', ', name="s"'])
    return f"{world.new('s')} = pd.Series({values(world, world.one_of(FAMILIES))}{options})"


def array(world: World) -> str:
    """An array that a frame or a series may stand on."""
    return f"{world.new('a')} = {values(world, world.one_of(['int64', 'float64', 'float64', 'bool', 'int32', 'time', 'object', 'float32']))}"


def taken(world: World) -> str:
    """A series or a frame over an array, without a copy or with one."""
    found = world.array()
    if len(world.names[found]) != world.names["n"]:
        return f"{world.new('s')} = pd.Series({found}, copy=False)"
    return world.one_of(
        [
            f"{world.new('s')} = pd.Series({found}, copy=False)",
            f"{world.new('s')} = pd.Series({found})",
            f'{world.new("f")} = pd.DataFrame({{"a": {found}, "b": {world.one_of(KEYS)}}}, copy=False)',
            f'{world.new("f")} = pd.DataFrame({{"a": {found}, "k": {world.one_of(KEYS)}}})',
        ]
    )


def marked(world: World) -> str:
    """`attrs`, or a flag."""
    if world.chance(0.1):
        name = world.either()
        return f"{world.new(name[0])} = {name}.set_flags(allows_duplicate_labels=False)"
    return f'{world.either()}.attrs["{world.one_of(["unit", "source"])}"] = {world.one_of(["1", "[1, 2]", repr("m")])}'


TEMPLATES = [(6.0, frame), (1.0, numbers), (2.0, series), (1.5, array), (2.5, taken), (1.5, marked)]
