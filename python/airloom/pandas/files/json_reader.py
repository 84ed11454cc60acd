"""Files of JSON records: read at once by the engine, into what pandas would hold. What is to be a date or a number of another dtype pandas itself says."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
from pandas.api.extensions import no_default
from pandas.core.arrays.string_arrow import ArrowStringArray
from pandas.core.internals.construction import convert_object_array
from pandas.io.common import get_handle
from pandas.io.json._json import FrameParser, JsonReader, _should_convert_dates

from airloom import _native
from airloom import _report as report
from airloom._options import options
from airloom.errors import RefusedError
from airloom.pandas.dispatch import choice
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.registry import BaseDataFrame
from airloom.pandas.dtypes import types
from airloom.pandas.files import streams
from airloom.pandas.files.text_files import PIECE, TextSource, check_encoding, check_text, check_usual
from airloom.pandas.refusals import Refused, Stays, value_text

#: What the engine reads only as pandas does without being told.
_LEFT: dict[str, Any] = {
    "typ": "frame",
    "chunksize": None,
    "nrows": None,
    "storage_options": None,
    "dtype_backend": no_default,
    "engine": "ujson",
}
#: A record of a small file has about this many bytes.
_ROW = 32


def json_frame(path: Any, given: dict[str, Any], threshold: int, base: Callable[..., Any]) -> pandas.DataFrame | JsonPieces:
    """The frame of a file, or what reads it in pieces, as `pandas.read_json`, which is `base`, would have it of these arguments, all of them."""
    if given["chunksize"] is not None and given["lines"] is True:
        return _pieces(path, given, threshold, base)
    source = TextSource(path, given, threshold * _ROW)
    _check(given)
    encoding, errors = given["encoding"], given["encoding_errors"]
    is_utf8 = errors == "strict" and (encoding is None or codecs.lookup(encoding).name == "utf-8")

    def opening() -> Any:
        return get_handle(path, "r", encoding=encoding, compression=given["compression"], errors=errors)

    with source.plain_file(is_utf8, opening) as name:
        return _frame_of_file(name, given, base)


def _pieces(path: Any, given: dict[str, Any], threshold: int, base: Callable[..., Any]) -> JsonPieces:
    size = given["chunksize"]
    if type(size) is not int or size < 1:
        raise Refused(f"`chunksize={value_text(size)}`")
    if size < threshold:
        raise Stays("few rows")
    _check({**given, "chunksize": None, "nrows": None})
    return JsonPieces(path, **{**given, **_words(given, base)})


def _frame_of_file(name: str, given: dict[str, Any], base: Callable[..., Any]) -> pandas.DataFrame:
    frame: pandas.DataFrame = _Parser(name, given["lines"], **_words(given, base)).parse()
    return frame


def _words(given: dict[str, Any], base: Callable[..., Any]) -> dict[str, Any]:
    """What pandas' parser is told."""
    dates = {word: given[word] for word in ("convert_dates", "keep_default_dates") if given[word] is not no_default}
    if dates:
        # pandas warns of these, whatever it reads.
        base(io.StringIO("[]"), **dates)
    dtype, convert_axes = given["dtype"], given["convert_axes"]
    return {
        "orient": given["orient"],
        "dtype": True if dtype is None else dtype,
        "convert_axes": True if convert_axes is None else convert_axes,
        "convert_dates": dates.get("convert_dates", True),
        "keep_default_dates": dates.get("keep_default_dates", True),
        "precise_float": given["precise_float"],
        "date_unit": given["date_unit"],
    }


def _check(given: dict[str, Any]) -> None:
    """Refuses arguments that the engine does not know."""
    check_usual(given, _LEFT)
    check_encoding(given["encoding"], given["encoding_errors"])
    check_text()
    # Of an array of records pandas makes the same whatever it was told that it is.
    if given["orient"] not in (None, "records", "columns", "values"):
        raise Refused(f"`orient={value_text(given['orient'])}`")
    if not isinstance(given["lines"], bool) or not isinstance(given["precise_float"], bool):
        raise Refused("`lines` or `precise_float` is not boolean")


class _Parser(FrameParser):
    """pandas' ways with dtypes, dates and labels; the values come from the engine."""

    def __init__(self, path: str, lines: bool, **words: Any) -> None:
        super().__init__(path, **words)
        self.lines = lines

    def _parse(self) -> pandas.DataFrame:
        try:
            rows, found = _native.read_json(
                self.json, lines=self.lines, precise=self.precise_float, threads=options.resolved()["threads"], piece=PIECE
            )
        except RefusedError as refusal:
            raise Refused(str(refusal)) from None
        arrays = {at: _array(word, values) for at, (_, word, values) in enumerate(found)}
        # Columns are not put together before they are what they are to be.
        made = BaseDataFrame(arrays, index=pandas.RangeIndex(rows), copy=False)
        made.columns = pandas.Index([name for name, _, _ in found])
        return made

    def _try_convert_types(self, obj: pandas.DataFrame) -> pandas.DataFrame:
        # pandas finds out that text is no number by trying, of which the first one tells as much.
        stays = [self.dtype is True and self._is_text(label, series) for label, series in obj.items()]
        others = super()._try_convert_types(obj.loc[:, [not stay for stay in stays]]) if not all(stays) else None
        rest = iter(()) if others is None else (series.array for _, series in others.items())
        arrays = [series.array if stay else next(rest) for (_, series), stay in zip(obj.items(), stays, strict=True)]
        made: pandas.DataFrame = BaseDataFrame._from_arrays(arrays, obj.columns, obj.index, verify_integrity=False)
        return made

    def _is_text(self, label: Any, series: pandas.Series) -> bool:
        """Whether pandas leaves a column as it is, since it is neither to be dates nor numbers."""
        if series.dtype != types.STR or _should_convert_dates(self.convert_dates, self.keep_default_dates, label):
            return False
        first = series.first_valid_index()
        if first is None:
            return False
        try:
            float(series.array[first])
        except ValueError:
            return True
        return False


#: What is told to the parser of a piece as it was told to the reader.
_TOLD = ("orient", "dtype", "convert_axes", "convert_dates", "keep_default_dates", "precise_float", "date_unit")


class JsonPieces(JsonReader):
    """Lines of JSON that are read in pieces: pandas takes the lines, whatever they come from, and the engine reads each piece of them."""

    def read(self) -> Any:
        return adopted(super().read())

    def __next__(self) -> Any:
        return adopted(super().__next__())

    def _get_object_parser(self, json: str) -> Any:
        try:
            made = self._of_engine(json)
        except Refused as refusal:
            if not choice.within.depth:
                report.refused("read_json", str(refusal))
            made = super()._get_object_parser(json)
            report.LOG.add("read_json", "pandas", str(refusal))
            return made
        report.LOG.add("read_json", "native")
        return made

    def _of_engine(self, json: str) -> pandas.DataFrame:
        with streams.named_memory() as (name, memory):
            try:
                memory.write(json.encode())
            except UnicodeEncodeError:
                raise Refused("text that is not UTF-8") from None
            memory.flush()
            frame: pandas.DataFrame = _Parser(name, False, **{word: getattr(self, word) for word in _TOLD}).parse()
        return frame


#: What stands for booleans among objects: for false, for true, for null, and for a key that a record does not have.
_TRUTHS = np.array([False, True, None, np.nan], object)


def _array(word: str, values: Any) -> Any:
    """A column as pandas holds it."""
    if word == "text":
        return ArrowStringArray(values, dtype=types.STR)
    if word == "truth":
        return values.view(np.bool_)
    if word != "truth or missing":
        return values
    # What pandas makes of objects it makes here too.
    return convert_object_array([_TRUTHS[values]], dtype=None, coerce_float=False)[0]
