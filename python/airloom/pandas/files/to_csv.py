"""Frames and series as text: `to_csv`, byte for byte as pandas writes it."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
from pandas.core.dtypes.dtypes import DatetimeTZDtype
from pandas.core.indexes.base import get_values_for_csv

from airloom import _native
from airloom._native import Table
from airloom._native import Column as NativeColumn
from airloom._options import options
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dispatch.registry import BaseDataFrame, operation
from airloom.pandas.dtypes import types
from airloom.pandas.files.line_style import Style, style_of
from airloom.pandas.files.sink import Destination, Written
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Expression, call
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, RangeLabels, Vector
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused, value_text

#: Cells that pandas writes at a time: for this many it finds out together how much of timestamps is to be shown.
CELLS = 100_000


class Formats:
    """How values are written, by what the caller asked for."""

    __slots__ = ("date_format", "decimal", "digits", "float_format", "na_rep", "style")

    def __init__(self, style: Style, na_rep: Any, float_format: Any, date_format: Any, decimal: Any) -> None:
        if not isinstance(decimal, str) or len(decimal) != 1 or not decimal.isascii() or decimal in style.delimiter + style.quote + style.end:
            raise Refused(f"`decimal={value_text(decimal)}`")
        self.decimal = decimal
        if not isinstance(na_rep, str):
            raise Refused("`na_rep` is not a string")
        if not (date_format is None or isinstance(date_format, str)):
            raise Refused("`date_format` is not a string")
        self.digits = None
        if float_format is not None:
            found = re.fullmatch(r"%\.([0-9])f", float_format) if isinstance(float_format, str) else None
            if found is None:
                raise Refused(f"`float_format={value_text(float_format)}`")
            self.digits = int(found[1])
        self.style = style
        self.na_rep = na_rep
        self.float_format = float_format
        self.date_format = date_format

    @property
    def numbers(self) -> dict[str, Any]:
        """What pandas is told of values."""
        return {
            "na_rep": self.na_rep,
            "float_format": self.float_format,
            "date_format": self.date_format,
            "quoting": self.style.quoting,
            "decimal": self.decimal,
        }


class Fields(Written):
    """The fields of each line, and the columns that they are made of."""

    def __init__(self, formats: Formats) -> None:
        super().__init__()
        self.formats = formats
        self.fields: list[tuple[int, str, bytes, bool, Any]] = []
        #: Fields whose kind depends on the type of what is computed.
        self.open: list[int] = []

    def add(self, column: Column, *, label: bool = False) -> None:
        """Another field; with `label`, one of the index labels."""
        column = elementwise.understood(materialize.decided(column))
        if column.by_position:
            raise Refused(f"dtype `{column.dtype}` has no native type")
        objects = column.shown is not None
        dtype = column.shown.dtype if column.shown is not None else column.dtype
        if types.is_category(dtype) and not objects:
            self._add(column.expression, "words", detail=self._category_words(dtype))
        elif types.is_time(dtype) and not objects:
            self._add_time(column.expression, dtype, label)
        elif types.is_duration(dtype) and not objects:
            self._add(column.expression, "duration", quoted=self._quotes_text)
        elif dtype == types.OBJECT:
            self.open.append(len(self.fields))
            self._add(column.expression, "text", quoted=self._quotes_text)
        elif isinstance(dtype, pandas.StringDtype) or types.is_arrow_text(dtype):
            self._add(column.expression, "text", quoted=self._quotes_text)
        elif types.is_arrow(dtype) and dtype.kind == "f":
            raise Refused(f"dtype `{dtype}`, whose NaN is written apart from what is missing")
        elif types.is_number(dtype) or types.is_masked(dtype) or types.is_arrow_number(dtype):
            self._add_number(column.expression, dtype, objects)
        else:
            raise Refused(f"dtype `{dtype}` as text")

    def add_counts(self, start: int, step: int) -> None:
        self.fields.append((0, "count", b"", self._quotes_all, (start, step)))

    def add_words(self, codes: Any, words: list[bytes]) -> None:
        position = self.take(NativeColumn.of_numpy(np.ascontiguousarray(codes)))
        self.fields.append((position, "words", words[-1], False, words[:-1]))

    @property
    def _quotes_all(self) -> bool:
        return self.formats.style.quoting == csv.QUOTE_ALL

    @property
    def _quotes_text(self) -> bool:
        return self.formats.style.quoting != csv.QUOTE_MINIMAL

    def _add(self, expression: Expression, kind: str, *, quoted: bool = False, detail: Any = None, missing: str | None = None) -> None:
        gone = self.formats.style.field(self.formats.na_rep if missing is None else missing)
        self.fields.append((self.want(expression), kind, gone, quoted, detail))

    def _add_number(self, expression: Expression, dtype: Any, objects: bool) -> None:
        quoting = self.formats.style.quoting
        if objects and dtype == types.FLOAT64 and self.formats.decimal != ".":
            raise Refused("floats of dtype `object` with `decimal`")
        if dtype.kind != "f" or (objects and dtype == types.FLOAT64):
            self._add(expression, "number", quoted=self._quotes_all)
        elif objects:
            raise Refused("narrow floats of dtype `object`")
        elif self.formats.digits is not None:
            self._add(expression, "fixed", quoted=quoting != csv.QUOTE_MINIMAL, detail=self.formats.digits)
        elif self.formats.decimal != "." and dtype == types.FLOAT64:
            # With another point they are text.
            self._add(expression, "number", quoted=quoting != csv.QUOTE_MINIMAL)
        elif self.formats.decimal != ".":
            raise Refused(f"dtype `{dtype}` with `decimal`")
        elif types.is_masked(dtype):
            self._add(expression, "number_or_nan", quoted=self._quotes_all)
        else:
            # NumPy's text of floats has room for so much, and no more.
            missing = self.formats.na_rep if quoting else self.formats.na_rep[:32]
            self._add(expression, "number", quoted=self._quotes_all, missing=missing)

    def _add_time(self, expression: Expression, dtype: Any, label: bool) -> None:
        pattern = self.formats.date_format
        zoned = isinstance(dtype, DatetimeTZDtype)
        if pattern is not None:
            if not pattern.isascii():
                raise Refused("`date_format` with characters other than ASCII")
            value = call("dt_wall", expression) if zoned else expression
            self._add(value, "timestamp_by", quoted=self._quotes_text, detail=pattern, missing="" if label else None)
        elif zoned:
            wall = self.want(call("dt_wall", expression))
            self._add(expression, "zoned", quoted=self._quotes_text, detail=wall)
        else:
            self._add(expression, "timestamp", quoted=self._quotes_text)

    def _category_words(self, dtype: Any) -> list[bytes]:
        if dtype.categories.dtype.kind in "mM" or isinstance(dtype.categories, pandas.PeriodIndex):
            raise Refused("categories that are timestamps")
        positions = np.arange(len(dtype.categories))
        each = pandas.Categorical.from_codes(positions, dtype=dtype, validate=False)
        return self.formats.style.fields(get_values_for_csv(each, **self.formats.numbers))

    def table(self, rows: Rows) -> Table:
        """The columns of the fields, computed."""
        table = super().table(rows)
        for at in self.open:
            position, _, missing, quoted, detail = self.fields[at]
            kind = table.type.fields[f"f{position}"].required
            if str(kind) == "bool":
                self.fields[at] = (position, "number", missing, self._quotes_all, detail)
            elif str(kind) != "str":
                raise Refused("objects that are neither strings nor booleans")
        return table


@operation("DataFrame.to_csv", "Series.to_csv")
def to_csv(
    plan: Any,
    path_or_buf: Any = None,
    *,
    sep: str = ",",
    na_rep: str = "",
    float_format: Any = None,
    columns: Any = None,
    header: Any = True,
    index: bool = True,
    index_label: Any = None,
    mode: str = "w",
    encoding: str | None = None,
    compression: Any = "infer",
    quoting: int | None = None,
    quotechar: str = '"',
    lineterminator: str | None = None,
    chunksize: int | None = None,
    date_format: str | None = None,
    doublequote: bool = True,
    escapechar: str | None = None,
    decimal: str = ".",
    errors: str = "strict",
    storage_options: Any = None,
) -> str | None:
    if quoting not in (None, csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC) or doublequote is not True or escapechar is not None:
        raise Refused("`quoting`, `doublequote` or `escapechar`")
    if mode not in ("w", "a", "x") or errors != "strict" or storage_options is not None:
        raise Refused(f"`mode={value_text(mode)}`, `errors={value_text(errors)}` or `storage_options`")
    if not isinstance(index, (bool, np.bool_, int)) or (chunksize is not None and (not isinstance(chunksize, (int, np.integer)) or chunksize < 1)):
        raise Refused("`index` is not boolean, or `chunksize` is not a positive integer")
    if not all(isinstance(text, str) for text in (sep, quotechar, lineterminator or "")):
        raise Refused("`sep`, `quotechar` or `lineterminator` is not a string")
    style = style_of(sep, quotechar, lineterminator or os.linesep, quoting or csv.QUOTE_MINIMAL)
    formats = Formats(style, na_rep, float_format, date_format, decimal)
    frame = _framed(plan)
    asked: dict[str, Any] = {"sep": sep, "columns": columns, "header": header, "index": index, "index_label": index_label, "quoting": quoting}
    asked |= {"quotechar": quotechar, "lineterminator": lineterminator, "chunksize": chunksize, **formats.numbers}
    top = _header(frame, asked)
    positions = _chosen(frame, columns)
    destination = Destination(path_or_buf, mode, encoding, compression)
    if index and _levels(frame.index) > 1:
        # Labels of several levels are what pandas makes of all of them.
        frame = materialize.restored_frame(frame)[1]
    fields = Fields(formats)
    if index:
        _add_index(fields, frame)
    for position in positions:
        fields.add(frame.columns[position])
    table = fields.table(frame.rows)
    chunk = int(chunksize or 0) or CELLS // (len(positions) or 1) or 1
    told = style.value_text(chunk, decimal)
    return destination.take(lambda descriptor: _native.write_lines(table, fields.fields, told, top.encode(), descriptor, options.resolved()))


def _framed(plan: Any) -> Frame:
    if not isinstance(plan, Vector):
        assert isinstance(plan, Frame)
        return plan
    labels = pandas.RangeIndex(1) if plan.name is None else pandas.Index([plan.name])
    return Frame(plan.rows, (plan.column,), labels, plan.index)


def _levels(index: Any) -> int:
    """How many levels labels have; refused where there is one, but pandas keeps it as several."""
    made = getattr(index, "made", None)
    origin = getattr(index, "origin", None)
    known = made if made is not None else origin[0] if origin is not None else None
    if isinstance(known, pandas.MultiIndex):
        if known.nlevels == 1:
            raise Refused("`index_label` of several levels for an index of one")
        return known.nlevels
    return len(index.columns) if isinstance(index, ColumnLabels) else 1


def _header(frame: Frame, asked: dict[str, Any]) -> str:
    """The first lines, as pandas writes them for a frame without rows."""
    names = list(frame.index.names)
    if _levels(frame.index) > 1:
        empty: pandas.Index = pandas.MultiIndex.from_arrays([[]] * len(names), names=names)
    else:
        empty = pandas.RangeIndex(0, name=names[0])
    try:
        made = BaseDataFrame(np.empty((0, len(frame.labels))), index=empty, columns=frame.labels)
        return made.to_csv(None, **asked)
    except Exception as error:
        raise Refused(f"an argument for which pandas raises: {error}") from None


def _chosen(frame: Frame, columns: Any) -> Sequence[int]:
    """The positions of the columns that are asked for."""
    count = len(frame.labels)
    if columns is None:
        return range(count)
    if isinstance(columns, pandas.Index) and not types.is_text(columns.dtype):
        raise Refused(f"`columns` is an Index of dtype `{columns.dtype}`")
    numbered = BaseDataFrame([range(count)], columns=frame.labels)
    return [int(position) for position in numbered.loc[:, list(columns)].iloc[0]]


def _add_index(fields: Fields, frame: Frame) -> None:
    index = frame.index
    if isinstance(index, RangeLabels):
        fields.add_counts(index.start, index.step)
    elif _levels(index) == 1:
        fields.add(index.columns[0], label=True)
    else:
        made = materialize.restored_index(frame.rows, index)
        assert isinstance(made, pandas.MultiIndex)
        made = made.remove_unused_levels()
        for level, codes in zip(made.levels, made.codes, strict=True):
            fields.add_words(codes, _level_words(fields.formats, level, bool((codes == -1).any())))


def _level_words(formats: Formats, level: pandas.Index, missing: bool) -> list[bytes]:
    """The fields that labels of a level are, and at the end what stands for what is missing."""
    texts = level._get_values_for_csv(**formats.numbers)
    if missing:
        texts = np.append(texts.astype(str), formats.na_rep)
    positions = np.arange(len(texts))
    # What pandas makes of them once they are a level again.
    pairs = pandas.MultiIndex(levels=[texts, ["x"]], codes=[positions, np.zeros(len(texts), int)], verify_integrity=False)._values
    words = formats.style.fields(first for first, _ in pairs)
    return words if missing else [*words, b""]
