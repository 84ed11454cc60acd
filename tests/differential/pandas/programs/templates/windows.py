"""Statements over rows beside each other: windows, decay, spans of time, and what is timed."""

from __future__ import annotations

import pandas as pd

from programs.templates.making import values
from programs.world import INTEGERS, NUMBERS, TIMES, Unsuitable, World, family

RESULTS = "sum mean min max count std var median sum mean".split()
#: What one look at a window may be besides.
OTHERS = ["quantile(0.5)", "skew()", "kurt()", "sem()", "rank()", "agg(['sum', 'max'])", "apply(lambda x: x.sum())", "apply(lambda x: x[0], raw=True)", "agg('mean')"]


def _window(world: World, timed: bool) -> str:
    if timed and world.chance(0.6):
        return f'rolling("{world.one_of(["2D", "36h", "5D"])}"{world.one_of(["", ", closed=" + repr("left"), ", min_periods=2"])})'
    options = world.one_of(["", "", ", min_periods=1", ", center=True", ", closed='left'", ", closed='both'", ", min_periods=0", ", step=2"])
    return world.one_of([f"rolling({world.draw.randint(1, 5)}{options})"] * 3 + ["expanding()", "expanding(2)"])


def _decay(world: World) -> str:
    options = world.one_of(["", "", ", adjust=False", ", ignore_na=True", ", min_periods=2"])
    return f"ewm({world.one_of(['alpha=0.5', 'span=3', 'com=1', 'halflife=2'])}{options})"


def moving(world: World) -> str:
    """A window along a series, a frame or groups."""
    text = world.vector(NUMBERS)
    way = world.one_of([f"{world.one_of(RESULTS)}()"] * 3 + [world.one_of(OTHERS)])
    if world.large and ("apply" in way or "rank" in way):
        raise Unsuitable
    timed = isinstance(world.value(text).index, pd.DatetimeIndex) and world.value(text).index.is_monotonic_increasing
    if world.chance(0.2):
        return f"{world.new('s')} = {text}.{_decay(world)}.{world.one_of(['mean', 'mean', 'std', 'var', 'sum'])}()"
    if world.chance(0.25):
        frame, column = world.framed(NUMBERS)
        key = world.column(frame, (*INTEGERS, "text", "category", "bool"))
        return f"{world.new('s')} = {frame}.groupby({key})[{column}].{_window(world, False)}.{world.one_of(RESULTS)}()"
    if world.chance(0.2):
        frame = world.simple_frame()
        numbers = world.some(world.columns(frame, NUMBERS), 1, 3)
        return f"{world.new('f')} = {frame}[[{', '.join(numbers)}]].{_window(world, False)}.{world.one_of([*RESULTS, 'corr', 'cov'])}()"
    return f"{world.new('f' if '[' in way and 'agg' in way else 's')} = {text}.{_window(world, timed)}.{way}"


def timed(world: World) -> str:
    """A frame or a series with labels that are times, in order or not."""
    name = world.either()
    start, freq = world.one_of(["2020-01-01", "2021-12-30 18:00", "2020-03-28"]), world.one_of(["D", "h", "36h", "MS", "W", "15min", "B"])
    zone = world.one_of(["", "", ', tz="Europe/Berlin"', ', tz="UTC"'])
    return f'{world.new(name[0])} = {name}.set_axis(pd.date_range("{start}", periods=len({name}), freq="{freq}"{zone}))'


def resampled(world: World) -> str:
    """Spans of time, of labels or of a column, whole or within groups."""
    way = world.one_of(["sum", "count", "max", "first", "mean", "size", "last", "min", "std", "median", "nunique"])
    rule = world.one_of(["2D", "MS", "W", "D", "12h", "ME", "QS", "2h"])
    options = world.one_of(["", "", ", closed='right'", ", label='right'", ", origin='start'", ", offset='6h'"])
    if world.large and rule.endswith("h"):
        raise Unsuitable
    found = [name for name in world.variables((pd.DataFrame, pd.Series)) if isinstance(world.names[name].index, (pd.DatetimeIndex, pd.TimedeltaIndex, pd.PeriodIndex))]
    if found and world.chance(0.6):
        name = world.one_of(found)
        _not_too_far(world.names[name].index)
        if world.chance(0.25):
            return f'{world.new(name[0])} = {name}.resample("{rule}").{world.one_of(["ffill()", "asfreq()", "bfill()", "agg(" + repr("max") + ")", "interpolate()"])}'
        return f'{world.new(name[0])} = {name}.resample("{rule}"{options}).{way}()'
    frame, column = world.framed(TIMES)
    _not_too_far(world.value(f"{frame}[{column}]"))
    number = world.column(frame, NUMBERS)
    return world.one_of(
        [
            f'{world.new("s")} = {frame}.resample("{rule}", on={column})[{number}].{way}()',
            f'{world.new("s")} = {frame}.groupby(pd.Grouper(key={column}, freq="{rule}"))[{number}].{way}()',
            f"{world.new('s')} = {frame}.groupby({frame}[{column}].dt.{world.one_of(['year', 'month', 'date', 'dayofweek'])})[{number}].{way}()",
        ]
    )


def _not_too_far(times: pd.Series | pd.Index) -> None:
    """Refuses times whose spans would be too many."""
    if len(times) and not isinstance(times, pd.PeriodIndex) and times.max() - times.min() > pd.Timedelta("900D"):
        raise Unsuitable


def shifted_times(world: World) -> str:
    """Times moved by offsets, zones and units."""
    text = world.vector(TIMES)
    sort = family(world.value(text).dtype)
    ways = [
        " + pd.DateOffset(months=1)", " + pd.offsets.MonthEnd()", " - pd.offsets.Day(2)", ".dt.round('h')", ".dt.ceil('D')", ".dt.dayofyear", ".dt.is_leap_year", ".dt.is_quarter_start", ".dt.weekday",
        ".dt.time", ".dt.day_name()", ".dt.as_unit('ns')", ".dt.as_unit('ms')", ".dt.second", ".dt.microsecond", ".dt.to_period('D')", ".dt.unit", ".max()", ".min()", ".dt.minute", ".dt.isocalendar().week",
    ]  # fmt: skip
    ways += [".dt.tz_convert('America/New_York')", ".dt.tz_localize(None)", ".dt.tz_convert('UTC')"] if sort == "zone" else [".dt.tz_localize('UTC')", ".dt.tz_localize('Europe/Berlin', ambiguous='NaT', nonexistent='NaT')"]
    return f"{world.new('s')} = {text}{world.one_of(ways)}"


def periods(world: World) -> str:
    """Periods: their parts, what they are compared with, and timestamps of them."""
    text = world.vector(("period",)) if world.chance(0.5) else f"pd.Series({values(world, 'period')})"
    ways = [".dt.year", ".dt.asfreq('D')", ".dt.to_timestamp()", " + 1", " - 2", ".dt.month", ".diff()", " == pd.Period('2020-02', 'M')", " > pd.Period('2020-02', 'M')", ".sort_values(kind='stable')", ".isna()", ".unique()", ".max()", ".dt.start_time", ".value_counts()", ".astype('str')", ".shift(1)", ".drop_duplicates()"]
    return f"{world.new('v')} = {text}{world.one_of(ways)}"


def intervals(world: World) -> str:
    """Intervals: of bins, and as values."""
    if world.chance(0.5):
        number = world.vector(NUMBERS)
        way = world.one_of([f"pd.cut({number}, [-10, 0, 2, 100])", f"pd.cut({number}, 3, right=False)", f"pd.qcut({number}, 2, duplicates='drop')", f"pd.cut({number}, [-1, 1, 3], labels=['low', 'high'])"])
        return f"{world.new('s')} = {way}"
    text = world.vector(("interval",))
    return f"{world.new('v')} = {text}{world.one_of(['.array.left', '.array.mid', '.isna()', '.unique()', '.astype(object)', '.sort_values(kind=' + repr('stable') + ')', '.value_counts()', '.shift(1)', '.drop_duplicates()', ' == pd.Interval(0, 1)'])}"


TEMPLATES = [(3.0, moving), (0.8, timed), (1.8, resampled), (1.5, shifted_times), (0.8, periods), (0.7, intervals)]
