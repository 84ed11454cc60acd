"""Several statements that only together show something: what is written to after it was read."""

from __future__ import annotations

from programs.templates.making import labels, values
from programs.templates.rows import condition
from programs.world import NUMPY, World

#: What pandas always copies, so that nobody sees what is written to the memory afterwards.
COPIES = ["{0} * 2", "{0} + 1", "{0}.cumsum()", "{0}.isna()", "{0}.shift(1)", "{0}[{0} > 1] + 0", "{0}.astype('str')", "{0} == 1", "{0}.copy()", "{0}.abs()", "{0}.rank()", "{0} - 1"]


def shared_memory(world: World) -> str:
    """An array that a series or a frame stands on, something made of that, and a write to the array."""
    array, made = world.new("a"), world.new("s")
    family = world.one_of(["float64", "int64", "float32", "int32"])
    if world.chance(0.7):
        held = world.new("s")
        first = f"{array} = {values(world, family)}\n{held} = pd.Series({array}, copy=False)"
    elif world.chance(0.5):
        frame = world.new("f")
        held = f"{frame}['a']"
        first = f"{array} = {values(world, family)}\n{frame} = pd.DataFrame({{'a': {array}, 'b': np.arange(n)}}, copy=False)"
    else:
        held = world.new("s")
        first = f"{held} = pd.Series({values(world, family)})\n{array} = {held}.array"
    return f"{first}\n{made} = {world.one_of(COPIES).format(held)}\n{array}[:{world.draw.randint(1, 4)}] = 7"


def labels_and_columns(world: World) -> str:
    """A column that was labels for a while, and a write to it."""
    made = world.new("f")
    found = labels(world) or "pd.Index(np.arange(n) * 3)"
    return f"{made} = pd.DataFrame({{'q': np.arange(n)}}, index={found}).reset_index()\n{world.new('v')} = repr({made})\n{made}.iloc[0, 0] = {made}.iloc[-1, 0]"


def file_again(world: World) -> str:
    """A file that is written, read, and written again or removed before anybody looks."""
    frame = world.simple_frame()
    suffix = world.one_of(["parquet", "parquet", "csv", "feather"])
    path = f"again{world.draw.randint(0, 1)}.{suffix}"
    read, made = world.new("f"), world.new("f")
    rest = ", index=False" if suffix == "csv" else ""
    write = f"{frame}.reset_index(drop=True).to_{suffix}('{path}'{rest})"
    after = world.one_of([f"{frame}.reset_index(drop=True).head(2).to_{suffix}('{path}'{rest})", f"os.remove('{path}')"])
    then = world.one_of([f"{read}.head(5)", f"{read}[[{world.column(frame)}]]", f"{read}.drop_duplicates()"])
    return f"{write}\n{read} = pd.read_{suffix}('{path}')\n{made} = {then}\n{after}"


def looked_at_and_written(world: World) -> str:
    """Something that is made of a frame before and after a write to it."""
    frame, column = world.framed(NUMPY)
    way = world.one_of(["{0}[{1}] * 2", "{0}[{1}].cumsum()", "{0}.groupby({1}).size()", "{0}[{1}].sort_values(kind='stable')"]).format(frame, column)
    write = world.one_of([f"{frame}.loc[{condition(world, frame)}, {column}] = 5", f"{frame}.iloc[:2, {list(world.names[frame].columns).index(eval(column))}] = 4", f"{frame}[{column}] = {frame}[{column}] + 1"])
    return f"{world.new('s')} = {way}\n{write}\n{world.new('s')} = {way}"


TEMPLATES = [
    (1.5, shared_memory),
    (0.7, labels_and_columns),
    (0.8, file_again),
    (1.0, looked_at_and_written),
]
