"""Frames and series as JSON: `to_json`, byte for byte as pandas writes it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas
from pandas.io.json import ujson_dumps
from pandas.core.dtypes.dtypes import DatetimeTZDtype
from pandas.util._exceptions import find_stack_level

from airloom import _native
from airloom._native import Column as NativeColumn
from airloom._options import options
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dtypes import types
from airloom.pandas.files.sink import Destination, Written
from airloom.pandas.internals import materialize
from airloom.pandas.plan.frame import Column, Frame, RangeLabels, Vector
from airloom.pandas.refusals import Refused, value_text

#: How many of a unit there are to the second.
_UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
#: Types of the engine's whose values are written as they are.
_VALUES = frozenset(("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "str"))

#: What stands before a value, its column, how it is written, and what else there is to say.
Field = tuple[bytes, int, str, Any]
#: What stands before the rows, what between them, the fields of each, and what ends it.
Part = tuple[bytes, bytes, Sequence[Field], bytes]


@operation("DataFrame.to_json", "Series.to_json")
def to_json(
    plan: Any,
    path_or_buf: Any = None,
    *,
    orient: Any = None,
    date_format: Any = None,
    double_precision: Any = 10,
    force_ascii: Any = True,
    date_unit: Any = "ms",
    default_handler: Any = None,
    lines: Any = False,
    compression: Any = "infer",
    index: Any = None,
    indent: Any = None,
    storage_options: Any = None,
    mode: Any = "w",
) -> str | None:
    if default_handler is not None or storage_options is not None:
        raise Refused("`default_handler` or `storage_options`")
    if type(double_precision) is not int or not 0 <= double_precision <= 15 or date_unit not in _UNITS or date_format not in (None, "iso", "epoch"):
        raise Refused("`double_precision`, `date_unit` or `date_format`")
    if not isinstance(force_ascii, bool) or not isinstance(lines, bool) or not (indent is None or type(indent) is int) or mode not in ("w", "a"):
        raise Refused("`force_ascii` or `lines` is not boolean, or `indent` or `mode`")
    series = isinstance(plan, Vector)
    orient = orient or ("index" if series else "columns")
    if orient not in ("records", "values", "split", "index", "columns") or (series and orient == "columns") or (orient == "split" and index is False):
        raise Refused(f"`orient={value_text(orient)}`")
    if lines and (series or indent):
        raise Refused("`lines=True` of a Series, or with `indent`")
    asked = {"orient": orient, "date_format": date_format, "double_precision": double_precision, "force_ascii": force_ascii, "date_unit": date_unit}
    asked |= {"lines": lines, "index": index, "indent": indent, "mode": mode}
    writing = _Writing(plan, asked)
    told = writing.complaints()
    destination = Destination(path_or_buf, mode, None, compression)
    parts, tail = writing.parts()
    table = writing.checked_table()
    for warning in told:
        warnings.warn(warning.message, warning.category, stacklevel=find_stack_level())
    return destination.take(lambda to: _native.write_json(table, parts, tail, double_precision, force_ascii, to, options.resolved()))


class _Writing(Written):
    """A frame or series, laid out as text."""

    def __init__(self, plan: Any, asked: dict[str, Any]) -> None:
        super().__init__()
        self.asked = asked
        self.orient = asked["orient"]
        labelled = self.orient in ("index", "columns", "split")
        if labelled and not isinstance(plan.index, RangeLabels):
            # Labels are looked at as a whole: whether one is a duplicate.
            plan = (materialize.restored_frame if isinstance(plan, Frame) else materialize.restored_vector)(plan)[1]
        self.plan = plan
        columns = plan.columns if isinstance(plan, Frame) else (plan.column,)
        self.columns = [elementwise.understood(materialize.decided(column)) for column in columns]
        if not self.columns:
            raise Refused("no columns")

    def complaints(self) -> list[warnings.WarningMessage]:
        """What pandas warns of, which writes the same without rows; what it complains about is refused."""
        empty = [BaseSeries([], dtype=column.dtype) for column in self.columns]
        index = self.plan.index
        labels = [pandas.Index([], dtype=materialize.decided(column).dtype) for column in getattr(index, "columns", ())] or [pandas.RangeIndex(0)]
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                rows = labels[0] if len(labels) == 1 else pandas.MultiIndex.from_arrays(labels)
                if isinstance(self.plan, Frame):
                    frame = BaseDataFrame(dict(enumerate(empty)), index=rows)
                    frame.columns = self.plan.labels
                    frame.to_json(None, **self.asked)
                else:
                    BaseSeries(empty[0], index=rows).to_json(None, **self.asked)
            except Exception as error:
                raise Refused(f"an argument for which pandas raises: {error}") from None
        return told

    def _space(self, level: int) -> bytes:
        """What stands before something on a line of its own, where lines are indented."""
        return b" " * ((self.asked["indent"] or 0) * level)

    def _line(self, level: int) -> bytes:
        """The end of a line, where lines are indented, and what stands before the next."""
        return b"\n" + self._space(level) if self.asked["indent"] else b""

    def _rows(self, header: bytes, fields: Sequence[Field], close: bytes = b"") -> Part:
        """All rows, each on a line of its own."""
        return header + self._line(0), b"," + self._line(0), fields, close

    def _text(self, label: str) -> bytes:
        return ujson_dumps(label, ensure_ascii=self.asked["force_ascii"]).encode()

    def _label(self, label: Any) -> bytes:
        """A label as a value."""
        if isinstance(label, str):
            return self._text(label)
        if isinstance(label, (int, np.integer)) and not isinstance(label, (bool, np.bool_)):
            return str(int(label)).encode()
        raise Refused("column labels that are neither strings nor integers")

    def _key(self, label: Any) -> bytes:
        """A label as a key, with what stands between that and its value."""
        return (self._label(label) if isinstance(label, str) else b'"' + self._label(label) + b'"') + b":"

    def parts(self) -> tuple[list[Part], bytes]:
        """The document, and what ends it."""
        if not isinstance(self.plan, Frame):
            return self._series_parts()
        keys = [self._key(label) for label in self.plan.labels] if self.orient in ("records", "index", "columns") else [b""] * len(self.columns)
        values = [self._value(column) for column in self.columns]
        if self.orient == "columns":
            label, after = self._row_key(2)
            heads = [b"{" + self._line(1), *([self._line(1) + b"}," + self._line(1)] * (len(keys) - 1))]
            parts = [self._rows(head + key + b"{", [label, (after + b":", *value)]) for head, key, value in zip(heads, keys, values, strict=True)]
            return parts, self._line(1) + b"}" + self._line(0) + b"}"
        if self.orient == "index":
            label, after = self._row_key(1)
            fields = [label, *self._joined(after + b":{", keys, values, 2)]
            return [self._rows(b"{", fields, self._line(1) + b"}")], self._line(0) + b"}"
        if self.orient == "records":
            if self.asked["lines"]:
                return [(b"", b"\n", self._joined(b"{", keys, values, 0), b"}")], b"\n"
            return [self._rows(b"[", self._joined(self._space(1) + b"{", keys, values, 2), self._line(1) + b"}")], self._line(0) + b"]"
        if self.orient == "values":
            return [self._rows(b"[", self._joined(self._space(1) + b"[", keys, values, 2), self._line(1) + b"]")], self._line(0) + b"]"
        names = b",".join(self._line(2) + self._label(label) for label in self.plan.labels)
        return self._split(b'"columns":[' + names + self._line(1) + b"]", self._joined(self._space(2) + b"[", keys, values, 3), self._line(2) + b"]")

    def _series_parts(self) -> tuple[list[Part], bytes]:
        value = self._value(self.columns[0])
        if self.orient == "index":
            label, after = self._row_key(1)
            return [self._rows(b"{", [label, (after + b":", *value)])], self._line(0) + b"}"
        if self.orient == "split":
            name = b"null" if self.plan.name is None else self._label(self.plan.name)
            return self._split(b'"name":' + name, [(self._space(2), *value)], b"")
        return [self._rows(b"[", [(self._space(1), *value)])], self._line(0) + b"]"

    def _split(self, first: bytes, fields: Sequence[Field], close: bytes) -> tuple[list[Part], bytes]:
        """What is first, then the index labels, and then these fields."""
        head = b"{" + self._line(1) + first + b"," + self._line(1) + b'"index":['
        index = self._rows(head, [(self._space(2), *self._row_label()[0])])
        data = self._rows(self._line(1) + b"]," + self._line(1) + b'"data":[', fields, close)
        return [index, data], self._line(1) + b"]" + self._line(0) + b"}"

    def _joined(self, first: bytes, keys: Iterable[bytes], values: Iterable[tuple[int, str, Any]], level: int) -> list[Field]:
        line = self._line(level) if level else b""
        return [((b"," if at else first) + line + key, *value) for at, (key, value) in enumerate(zip(keys, values, strict=True))]

    def _row_label(self) -> tuple[tuple[int, str, Any], bool]:
        """The label of each row as a value, and whether that is text."""
        index = self.plan.index
        if isinstance(index, RangeLabels):
            return (0, "row", (index.start, index.step)), False
        made = materialize.restored_index(self.plan.rows, index)
        if isinstance(made, pandas.MultiIndex) or made.hasnans or not (made.dtype.kind in "iu" or made.dtype == types.STR):
            raise Refused("index labels that are neither strings nor integers")
        if self.orient != "split" and not made.is_unique:
            raise Refused("duplicate index labels")
        text = made.dtype == types.STR
        if text:
            column = NativeColumn.of_arrow(made.array._pa_array.combine_chunks())
        else:
            column = NativeColumn.of_numpy(np.ascontiguousarray(made.to_numpy()))
        return (self.take(column), "value", None), text

    def _row_key(self, level: int) -> tuple[Field, bytes]:
        """The label of each row as a key on a line of its own, and what ends that."""
        label, text = self._row_label()
        quote = b"" if text else b'"'
        return (self._space(level) + quote, *label), quote

    def _value(self, column: Column) -> tuple[int, str, Any]:
        """A column, how it is written, and what else there is to say."""
        if column.by_position:
            raise Refused(f"dtype `{column.dtype}` has no native type")
        dtype = column.shown.dtype if column.shown is not None else column.dtype
        if types.is_category(dtype):
            # Integers are floats where one is missing.
            if column.shown is not None or dtype.categories.dtype != types.STR:
                raise Refused("categories that are not strings")
            return self.want(column.expression), "words", [self._text(label) for label in dtype.categories]
        if types.is_arrow(dtype) and not (types.is_arrow_number(dtype) or types.is_arrow_text(dtype)):
            raise Refused(f"values of `{dtype}`")
        if types.is_time(dtype) or types.is_duration(dtype):
            if column.shown is not None:
                raise Refused("timestamps of dtype `object`")
            return self._time(column, dtype)
        return self.want(column.expression), "value", None

    def _time(self, column: Column, dtype: Any) -> tuple[int, str, Any]:
        per_second = _UNITS[self.asked["date_unit"]]
        if self.asked["date_format"] != "iso":
            return self.want(column.expression), "count", per_second
        if not types.is_time(dtype):
            raise Refused("timedeltas with `date_format='iso'`")
        return self.want(column.expression), "timestamp", (per_second, isinstance(dtype, DatetimeTZDtype))

    def checked_table(self) -> Any:
        """The columns, computed; refused where one has values that are written otherwise."""
        table = self.table(self.plan.rows)
        for name, type in table.type.fields.items():
            word = str(type.required)
            if word not in _VALUES and not word.startswith(("timestamp(", "duration(")):
                raise Refused(f"values of type `{word}`")
        return table
