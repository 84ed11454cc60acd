"""Random queries, each the same for its seed. Rows have an order at every step, so that whole frames are compared."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import frames
import polars as pl

#: What a query is made of, beside frames: `f` is the frame so far.
NAMES: dict[str, Any] = {"pl": pl, "c": pl.col, "date": date, "datetime": datetime, "timedelta": timedelta, "NAN": frames.NAN}

Columns = dict[str, str]

#: Columns of the first frame, by kind; floats are such that sums of them are exact.
FIRST: Columns = {"k": "int", "i": "int", "j": "int", "x": "float", "y": "float", "s": "text", "r": "text", "b": "bool", "d": "date"}


def first_frame(draw: random.Random) -> pl.DataFrame:
    """A frame of few rows of awkward values, or of more rows than a batch has."""
    height = draw.choice([0, 1, 2, 8, 8, 30, 30, 200])
    eighths: list[Any] = [None, frames.NAN, frames.INF, -0.0, 0.0, *(draw.randrange(-40, 40) / 8 for _ in range(12))]
    small: list[Any] = [None, *(draw.randrange(-9, 9) for _ in range(8))]
    values = {**frames.VALUES, "k": [None, 0, 1, 2, 3], "j": small, "x": eighths, "y": eighths}
    if draw.random() < 0.5:
        values["i"] = small
    if draw.random() < 0.3:
        values = {name: [value for value in given if value is not None] for name, given in values.items()}
    columns = {name: draw.choices(values[name], k=height) for name in FIRST}
    whole = pl.DataFrame(columns, schema={name: frames.SCHEMA[name] for name in FIRST})
    at = draw.randrange(height + 1)
    return pl.concat([whole.head(at), whole.tail(height - at)], rechunk=False) if draw.random() < 0.3 else whole


class Writer:
    """Writes the steps of a query, each as text over the frame `f` before it."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.columns: Columns = dict(FIRST)
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def of(self, kind: str) -> str | None:
        """A column of a kind, where there is one."""
        found = [name for name, own in self.columns.items() if own == kind]
        return f"c.{self.draw.choice(found)}" if found else None

    def expression(self, kind: str, depth: int = 2) -> str:
        """An expression of one row, of a kind."""
        draw = self.draw
        column = self.of(kind)
        if depth == 0 or draw.random() < 0.25:
            return column if column is not None and draw.random() < 0.8 else self.literal(kind)
        below = depth - 1

        def one(of: str) -> str:
            return self.expression(of, below)

        def by_row(of: str) -> str:
            return self.column_expression(of, below)

        match kind:
            case "int":
                return draw.choice(
                    [
                        lambda: f"({one('int')} {draw.choice('+-*&|')} {one('int')})",
                        lambda: f"({one('int')} {draw.choice(['//', '%'])} {one('int')})",
                        lambda: f"pl.when({one('bool')}).then({one('int')}).otherwise({one('int')})",
                        lambda: f"{one('int')}.fill_null({one('int')})",
                        lambda: f"{one('text')}.str.len_chars().cast(pl.Int64)",
                        lambda: f"{one('date')}.dt.{draw.choice(['year', 'month', 'day', 'weekday', 'quarter'])}().cast(pl.Int64)",
                        lambda: f"{one('bool')}.cast(pl.Int64)",
                        lambda: f"{one('date')}.dt.{draw.choice(['ordinal_day', 'week', 'iso_year', 'days_in_month', 'century'])}().cast(pl.Int64)",
                        lambda: f"({one('date')} - {one('date')}).dt.total_days()",
                        lambda: f"(-{one('int')})",
                        lambda: f"({one('int')} {draw.choice('+-')} {one('int')} * {one('int')})",
                        lambda: f"{one('float')}.cast(pl.Int64, strict=False)",
                        lambda: f"{one('text')}.str.count_matches({draw.choice(['[ab]', 'a|ł', '.'])!r}).cast(pl.Int64)",
                        lambda: f"{one('int')}.clip({draw.randrange(-5, 0)}, {draw.randrange(1, 7)})",
                        lambda: f"pl.{draw.choice(['sum', 'min', 'max'])}_horizontal({one('int')}, {one('int')})",
                        lambda: f"pl.concat_list({one('int')}, {one('int')}).list.{draw.choice(['sum()', 'min()', 'get(0)', 'last()', 'len().cast(pl.Int64)'])}",
                        lambda: f"pl.struct(p={one('int')}, q={one('text')}).struct.field('p')",
                        lambda: f"{one('int')}.cast(pl.String).cast(pl.Int64)",
                        lambda: f"{one('int')}.replace({{{draw.randrange(-3, 3)}: {draw.randrange(9)}, {draw.randrange(3, 9)}: None}})",
                        lambda: f"{by_row('text')}.replace_strict({{'a': 1, '': 2}}, default={one('int')})",
                        lambda: f"{by_row('int')}.clip({by_row('int')}, {by_row('int')})",
                        lambda: f"{one('int')}.bitwise_{draw.choice(['leading', 'trailing'])}_{draw.choice(['zeros', 'ones'])}().cast(pl.Int64)",
                        lambda: f"{one('int')}.pow({draw.randrange(4)})",
                        lambda: f"pl.concat_list({one('int')}, {one('int')}).list.{draw.choice(['shift(1)', 'diff()', 'gather_every(2)'])}.list.last()",
                        lambda: f"pl.concat_list({by_row('int')}, {one('int')}).list.set_{draw.choice(['union', 'intersection', 'symmetric_difference'])}(pl.concat_list({by_row('int')})).list.last()",
                    ]
                )()
            case "float":
                return draw.choice(
                    [
                        lambda: f"({one('float')} {draw.choice('+-')} {one('float')})",
                        lambda: f"({one('float')} * {self.literal('float')})",
                        lambda: f"pl.when({one('bool')}).then({one('float')}).otherwise({one('float')})",
                        lambda: f"{one('float')}.{draw.choice(['abs', 'floor', 'ceil', 'round'])}()",
                        lambda: f"{one('float')}.fill_null({one('float')})",
                        lambda: f"{one('float')}.fill_nan({self.literal('float')})",
                        lambda: f"(-{one('float')})",
                        lambda: f"{one('float')}.round({draw.randrange(3)})",
                        lambda: f"{one('float')}.clip({draw.randrange(-5, 0)}, {draw.randrange(1, 7)})",
                        lambda: f"pl.{draw.choice(['min', 'max'])}_horizontal({one('float')}, {one('float')})",
                        lambda: f"{one('float')}.sign()",
                        lambda: f"({by_row('float')} {draw.choice(['//', '%'])} {draw.choice(['2.0', '0.25', '-4.0'])})",
                    ]
                )()
            case "bool":
                some = draw.choice(["int", "float", "text", "date", "bool"])
                return draw.choice(
                    [
                        lambda: f"({one(some)} {draw.choice(['==', '!=', '<', '<=', '>', '>='])} {one(some)})",
                        lambda: f"({one('bool')} {draw.choice('&|^')} {one('bool')})",
                        lambda: f"(~{one('bool')})",
                        lambda: f"{one(some)}.is_null()",
                        lambda: f"{one('float')}.{draw.choice(['is_nan', 'is_finite', 'is_not_nan'])}()",
                        lambda: f"{one('int')}.is_in([{draw.randrange(-9, 9)}, {draw.randrange(-9, 9)}, None])",
                        lambda: f"{one('text')}.is_in(['a', {draw.choice(['', 'ab', 'ł'])!r}])",
                        lambda: f"{one('int')}.is_between({one('int')}, {one('int')})",
                        lambda: f"{one('text')}.str.{draw.choice(['starts_with', 'ends_with'])}({self.literal('text')})",
                        lambda: f"{one('text')}.str.contains({self.literal('text')}, literal=True)",
                        lambda: f"{one(some)}.eq_missing({one(some)})",
                        lambda: f"({by_row('text')}.cast(pl.Categorical) {draw.choice(['==', '!=', '<', '>='])} {by_row('text')}.cast(pl.Categorical))",
                        lambda: f"({by_row('text')}.cast(pl.Categorical) {draw.choice(['==', '<'])} {self.literal('text')})",
                        lambda: f"{by_row('text')}.cast(pl.Categorical).is_in(['a', 'ab'])",
                        lambda: f"(pl.struct(p={one('int')}, q={one('text')}) == pl.struct(p={one('int')}, q={one('text')}))",
                    ]
                )()
            case "text":
                return draw.choice(
                    [
                        lambda: f"({one('text')} + {one('text')})",
                        lambda: f"{one('text')}.str.slice({draw.randrange(3)}, {draw.randrange(4)})",
                        lambda: f"{one('text')}.str.{draw.choice(['head', 'tail'])}({draw.randrange(4)})",
                        lambda: f"pl.concat_str({one('text')}, {one('text')}, separator='-')",
                        lambda: f"pl.when({one('bool')}).then({one('text')}).otherwise({one('text')})",
                        lambda: f"{one('int')}.cast(pl.String)",
                        lambda: f"{one('text')}.str.replace_all('a', {self.literal('text')}, literal=True)",
                        lambda: f"{one('text')}.str.replace_all({draw.choice(['[ab]', 'b.', 'ł+'])!r}, 'z')",
                        lambda: f"{one('text')}.str.extract({draw.choice(['(a)', '(.)b', 'a(.*)'])!r})",
                        lambda: f"{one('text')}.str.slice({-draw.randrange(1, 4)}, {draw.randrange(4)})",
                        lambda: f"{one('text')}.str.zfill({draw.randrange(5)})",
                        lambda: f"pl.concat_list({one('text')}, {one('text')}).list.join('+')",
                        lambda: f"{one('text')}.str.slice({by_row('int')})",
                        lambda: f"{one('text')}.str.strip_chars({by_row('text')})",
                        lambda: f"{one('text')}.str.split_exact('a', 1).struct.field('field_{draw.randrange(2)}')",
                        lambda: f"{one('text')}.str.splitn('b', 2).struct.field('field_1')",
                        lambda: f"pl.format('<{{}}|{{}}>', {one('text')}, {one('int')})",
                        lambda: f"{one('text')}.replace({{'ab': 'z', 'a': ''}})",
                        lambda: f"{one('text')}.cast(pl.Categorical).cast(pl.String)",
                        lambda: f"{by_row('text')}.cast(pl.Categorical).fill_null({self.literal('text')}).cast(pl.String)",
                        lambda: f"{one('date')}.dt.to_string({draw.choice(['%Y-%m', '%d/%m/%Y', '%j'])!r})",
                    ]
                )()
            case "date":
                return draw.choice(
                    [
                        lambda: f"{one('date')}.dt.truncate({draw.choice(['1mo', '1y', '1w', '3d', '1q'])!r})",
                        lambda: f"{one('date')}.dt.offset_by({draw.choice(['1mo', '-1d', '2w', '1y', '-3mo'])!r})",
                        lambda: f"{one('date')}.dt.{draw.choice(['month_start', 'month_end'])}()",
                        lambda: f"{one('date')}.cast(pl.Datetime('us')).dt.{draw.choice(['date()', 'truncate(' + repr('12h') + ').dt.date()'])}",
                        lambda: f"pl.when({one('bool')}).then({one('date')}).otherwise({one('date')})",
                        lambda: f"pl.{draw.choice(['min', 'max'])}_horizontal({one('date')}, {one('date')})",
                        lambda: f"({by_row('date')} + pl.duration(days={draw.randrange(-40, 40)}))",
                    ]
                )()
        return column if column is not None else self.literal(kind)

    def literal(self, kind: str) -> str:
        draw = self.draw
        match kind:
            case "int":
                return f"pl.lit({draw.choice([0, 1, 2, -1, 7, -3, 2**62])}, dtype=pl.Int64)"
            case "float":
                return f"pl.lit({draw.choice(['0.5', '-0.25', '2.0', '0.0', '-0.0', 'NAN'])}, dtype=pl.Float64)"
            case "text":
                return f"pl.lit({draw.choice(['', 'a', 'ab', 'ł', 'x.'])!r})"
            case "bool":
                return f"pl.lit({draw.choice([True, False])})"
        return f"pl.lit({draw.choice(['date(2020, 2, 29)', 'date(1969, 12, 31)'])})"

    def column_expression(self, kind: str, depth: int = 2) -> str:
        """An expression of a kind that depends on the rows of a column: an operand that no row shares with another alone is not one value for all."""
        for _ in range(20):
            text = self.expression(kind, depth)
            if "c." in text:
                return text
        missing = f"{next(f'c.{name}' for name in self.columns)}.is_null()"
        made = missing if kind == "bool" else f"pl.when({missing}).then({self.literal(kind)}).otherwise({self.literal(kind)})"
        return self.of(kind) or made

    def aggregate(self) -> tuple[str, str] | None:
        """An aggregate, and its kind."""
        draw = self.draw
        kind = draw.choice(["int", "float", "text", "bool", "date"])
        if self.of(kind) is None:
            return None
        operand = self.column_expression(kind)
        if kind == "int" and draw.random() < 0.5:
            return draw.choice([(f"{operand}.sum()", "int"), (f"{operand}.n_unique().cast(pl.Int64)", "int"), (f"{operand}.filter({self.column_expression('bool')}).sum()", "int")])
        if kind == "float" and draw.random() < 0.5:
            return f"{self.of('float')}.sum()", "float"
        if kind == "bool" and draw.random() < 0.6:
            return f"{operand}.{draw.choice(['any', 'all'])}()", "bool"
        return draw.choice(
            [
                (f"{operand}.min()", kind),
                (f"{operand}.max()", kind),
                (f"{operand}.first()", kind),
                (f"{operand}.last()", kind),
                (f"{operand}.count().cast(pl.Int64)", "int"),
                (f"{operand}.n_unique().cast(pl.Int64)", "int"),
                ("pl.len().cast(pl.Int64)", "int"),
                (f"{operand}.{draw.choice(['min', 'max', 'first'])}().{draw.choice(['max', 'last', 'first'])}()", kind),
                (f"{operand}.filter({draw.choice(['pl.lit(True)', 'pl.len() > 2'])}).count().cast(pl.Int64)", "int"),
                (f"{operand}.is_sorted(descending={draw.choice([True, False])}, nulls_last={draw.choice([True, False])})", "bool"),
            ]
        )

    def sequence(self) -> tuple[str, str] | None:
        """A value for each row that depends on the rows around it, and its kind."""
        draw = self.draw
        kind = draw.choice(["int", "float", "text", "bool", "date"])
        if self.of(kind) is None:
            return None
        operand = self.column_expression(kind)
        choices = [
            (f"{operand}.shift({draw.choice([1, -1, 2, 0])})", kind),
            (f"{operand}.fill_null(strategy={draw.choice(['forward', 'backward'])!r})", kind),
            (f"{operand}.rank({draw.choice(['min', 'max', 'dense', 'ordinal'])!r}, descending={draw.choice([True, False])}).cast(pl.Int64)", "int"),
            (f"{operand}.cum_count().cast(pl.Int64)", "int"),
            (f"{operand}.is_first_distinct()", "bool"),
            (f"{operand}.is_duplicated()", "bool"),
        ]
        if kind == "int":
            choices += [(f"{operand}.cum_sum()", "int"), (f"{operand}.cum_max()", "int"), (f"{operand}.diff()", "int")]
            choices += [(f"{operand}.cum_prod()", "int"), (f"{operand}.fill_null(strategy={draw.choice(['min', 'max', 'zero', 'one'])!r})", "int"), (f"{operand}.interpolate()", "float")]
            choices += [(f"{operand}.rolling_{draw.choice(['sum', 'min', 'max'])}({draw.randrange(1, 4)}, min_samples=1, center={draw.choice([True, False])})", "int")]
        choices += [(f"{operand}.rle_id().cast(pl.Int64)", "int")]
        if kind == "float":
            choices += [(f"{operand}.cum_{draw.choice(['min', 'max'])}(reverse={draw.choice([True, False])})", "float"), (f"{operand}.pct_change()", "float")]
        choices += [(f"{operand}.sort(descending={draw.choice([True, False])}, nulls_last={draw.choice([True, False])})", kind)] * (kind != "float")
        return draw.choice(choices)

    def keys(self) -> list[str]:
        found = [name for name, kind in self.columns.items() if kind != "float"]
        return self.draw.sample(found, min(len(found), self.draw.choice([1, 1, 2])))

    def step(self) -> str | None:
        """The next step, or none where the columns do not allow it."""
        return self.draw.choice(STEPS)(self)


def _filter(w: Writer) -> str:
    return f"f.filter({w.column_expression('bool')})"


def _with_columns(w: Writer) -> str:
    kinds = [w.draw.choice(["int", "float", "text", "bool"]) for _ in range(w.draw.randrange(1, 3))]
    made = {w.name(): (w.expression(kind), kind) for kind in kinds}
    w.columns.update({name: kind for name, (_, kind) in made.items()})
    return f"f.with_columns({', '.join(f'{name}={text}' for name, (text, _) in made.items())})"


def _select(w: Writer) -> str:
    kept = w.draw.sample(list(w.columns), max(1, len(w.columns) * 2 // 3))
    w.columns = {name: w.columns[name] for name in kept}
    return f"f.select({', '.join(map(repr, kept))})"


def _window(w: Writer) -> str | None:
    made = w.draw.choice([w.sequence, w.aggregate])()
    keys = w.keys()
    if made is None or not keys or ".filter(" in made[0]:
        return None
    name = w.name()
    w.columns[name] = made[1]
    over = f".over({', '.join(map(repr, keys))})" if w.draw.random() < 0.7 else ""
    return f"f.with_columns({name}=({made[0]}){over})"


def _group_by(w: Writer) -> str | None:
    keys = w.keys()
    found = [one for one in (w.aggregate() for _ in range(3)) if one is not None]
    if not keys or not found:
        return None
    made = {w.name(): one for one in found}
    w.columns = {**{key: w.columns[key] for key in keys}, **{name: kind for name, (_, kind) in made.items()}}
    return f"f.group_by({', '.join(map(repr, keys))}, maintain_order=True).agg({', '.join(f'{name}={text}' for name, (text, _) in made.items())})"


def _sort(w: Writer) -> str:
    keys = w.draw.sample(list(w.columns), min(2, len(w.columns)))
    cut = w.draw.choice(["", "", ".head(5)", ".tail(3)", ".slice(1, 4)"])
    descending = [w.draw.choice([True, False]) for _ in keys]
    return f"f.sort({', '.join(map(repr, keys))}, descending={descending}, nulls_last={w.draw.choice([True, False])}, maintain_order=True){cut}"


def _unique(w: Writer) -> str | None:
    keys = w.keys()
    if not keys:
        return None
    return f"f.unique({keys}, keep={w.draw.choice(['first', 'last', 'none'])!r}, maintain_order=True)"


def _join(w: Writer) -> str | None:
    keys = w.keys()
    if not keys:
        return None
    how = w.draw.choice(["inner", "left", "semi", "anti", "full"])
    nulls = f"nulls_equal={w.draw.choice([True, False])}"
    other = {name: w.name() for name in w.columns if name not in keys and w.draw.random() < 0.3}
    right = f"f.select({', '.join([*map(repr, keys), *(f'{new}={name!r}' for name, new in other.items())])}).head(6)"
    if how in ("semi", "anti"):
        return f"f.join({right}, on={keys}, how={how!r}, maintain_order='left', {nulls})"
    w.columns.update({new: w.columns[name] for name, new in other.items()})
    return f"f.join({right}, on={keys}, how={how!r}, coalesce=True, maintain_order='left_right', {nulls}).head(300)"


def _by_position(w: Writer) -> tuple[str, str] | None:
    """A new column of positions, and aggregates of rows near one another by it, which are then all columns."""
    found = [one for one in (w.aggregate() for _ in range(2)) if one is not None and ".filter(" not in one[0] and "c." in one[0]]
    if not found:
        return None
    made = {w.name(): one for one in found}
    at = w.name()
    w.columns = {at: "int", **{name: kind for name, (_, kind) in made.items()}}
    return at, ", ".join(f"{name}={text}" for name, (text, _) in made.items())


def _rolling(w: Writer) -> str | None:
    of = _by_position(w)
    if of is None:
        return None
    at, aggregates = of
    period, closed = w.draw.choice(["1i", "2i", "5i"]), w.draw.choice(["left", "right", "both", "none"])
    return f"f.with_row_index({at!r}).with_columns(c.{at}.cast(pl.Int64) // 2).rolling({at!r}, period={period!r}, closed={closed!r}).agg({aggregates})"


def _dynamic(w: Writer) -> str | None:
    of = _by_position(w)
    if of is None:
        return None
    at, aggregates = of
    spans = ", ".join(f"{name}={w.draw.choice(given)!r}" for name, given in {"every": ["2i", "3i"], "period": ["1i", "3i", "7i"], "offset": ["0i", "1i", "-2i"], "closed": ["left", "right", "both", "none"]}.items())
    return f"f.with_row_index({at!r}).with_columns(c.{at}.cast(pl.Int64) // 2).group_by_dynamic({at!r}, {spans}).agg({aggregates})"


def _nested_key(w: Writer) -> str | None:
    keys, name = w.keys(), w.name()
    if len(keys) < 2:
        return None
    w.columns = {key: w.columns[key] for key in keys} | {name: "int"}
    return f"f.group_by(key=pl.struct({', '.join(map(repr, keys))}), maintain_order=True).agg({name}=pl.len().cast(pl.Int64)).unnest('key')"


def _lists(w: Writer) -> str | None:
    keys = w.keys()
    column = w.of(w.draw.choice(["int", "text", "date"]))
    if not keys or column is None or column[2:] in keys:
        return None
    name = column[2:]
    w.columns = {**{key: w.columns[key] for key in keys}, name: w.columns[name]}
    return f"f.group_by({', '.join(map(repr, keys))}, maintain_order=True).agg({column}).explode({name!r}, empty_as_null=True)"


def _exploded(w: Writer) -> str | None:
    name = w.name()
    lists = f"pl.concat_list({w.column_expression('int')}, {w.column_expression('int')})"
    w.columns = {name: "int"}
    return f"f.select({name}={lists}.explode(empty_as_null=True){w.draw.choice(['', '.cum_sum()', '.shift(1)', '.sum()', '.fill_null(0) + 1'])})"


def _slice(w: Writer) -> str:
    return f"f.slice({w.draw.choice([0, 1, -5, -100])}, {w.draw.choice([0, 3, 50])})"


def _concat(w: Writer) -> str:
    return f"pl.concat([f, f.filter({w.column_expression('bool')})]).head(400)"


def _row_index(w: Writer) -> str:
    name = w.name()
    w.columns = {name: "int", **w.columns}
    return f"f.with_row_index({name!r}, offset={w.draw.randrange(3)}).with_columns(c.{name}.cast(pl.Int64))"


def _scalars(w: Writer) -> str | None:
    found = [one for one in (w.aggregate() for _ in range(2)) if one is not None]
    if not found:
        return None
    made = {w.name(): one for one in found}
    w.columns.update({name: kind for name, (_, kind) in made.items()})
    return f"f.with_columns({', '.join(f'{name}={text}' for name, (text, _) in made.items())})"


STEPS: list[Callable[[Writer], str | None]] = [
    _filter,
    _filter,
    _with_columns,
    _with_columns,
    _select,
    _window,
    _window,
    _group_by,
    _sort,
    _unique,
    _join,
    _slice,
    _concat,
    _row_index,
    _scalars,
    _rolling,
    _dynamic,
    _nested_key,
    _lists,
    _exploded,
]


def written(seed: int) -> tuple[pl.DataFrame, list[str]]:
    """The frame and the steps of a seed's query."""
    draw = random.Random(seed)
    frame = first_frame(draw)
    writer = Writer(draw)
    steps: list[str] = []
    while len(steps) < 2 + seed % 5:
        step = writer.step()
        if step is not None:
            steps.append(step)
    return frame, steps


def query(frame: pl.DataFrame, steps: list[str]) -> pl.LazyFrame:
    """The query of some steps."""
    lazy = frame.lazy()
    for step in steps:
        lazy = eval(step, {**NAMES, "f": lazy})
    return lazy
