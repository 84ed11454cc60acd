"""Files of text: read at once by the engine, into what pandas would hold. How columns are named, which are labels, and what is to be a date pandas itself says."""

from __future__ import annotations

import csv
import warnings
from collections import defaultdict
from typing import Any

import numpy as np
import pandas
from pandas._libs import parsers
from pandas.api.extensions import no_default
from pandas.core.arrays import Categorical, DatetimeArray
from pandas.core.arrays.string_arrow import ArrowStringArray
from pandas.core.dtypes.dtypes import CategoricalDtype, DatetimeTZDtype
from pandas.io.common import get_handle
from pandas.io.parsers import readers
from pandas.io.parsers.c_parser_wrapper import CParserWrapper

from airloom import _native
from airloom import _report as report
from airloom._options import options
from airloom.errors import RefusedError
from airloom.pandas.dispatch import choice
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.files import streams
from airloom.pandas.files.text_files import PIECE, TextSource, check_encoding, check_text, check_usual
from airloom.pandas.refusals import Refused, Stays, value_text

#: What the engine reads only as pandas does without being told.
_LEFT: dict[str, Any] = {
    "converters": None,
    "skipfooter": 0,
    "skip_blank_lines": True,
    "iterator": False,
    "lineterminator": None,
    "doublequote": True,
    "escapechar": None,
    "dialect": None,
    "on_bad_lines": "error",
    "float_precision": None,
    "storage_options": None,
    "dtype_backend": no_default,
}
#: What a file is read by, by what separates its fields.
_LABELS = {",": "read_csv", "\t": "read_table"}
#: Rows of a small file have about this many bytes.
_ROW = 16


def csv_frame(path: Any, given: dict[str, Any], delimiter: str, threshold: int) -> pandas.DataFrame | CsvPieces:
    """The frame of a file, or what reads it in pieces, as `pandas.read_csv` would have it of these arguments, all of them."""
    pieces = given["chunksize"]
    if any(isinstance(most, int) and most < threshold for most in (given["nrows"], pieces)):
        raise Stays("few rows")
    if pieces is not None and (type(pieces) is not int or pieces < 1):
        raise Refused(f"`chunksize={value_text(pieces)}`")
    source = TextSource(path, given, threshold * _ROW)
    _check(given)
    _check_same_encoding(path, given["encoding"])
    # What pandas is told to be UTF-8 it does not decode as a whole, so that what is not read may be anything.
    is_utf8 = given["encoding"] in (None, "utf-8")

    def opening() -> Any:
        return get_handle(
            path,
            "rb" if is_utf8 else "r",
            encoding=given["encoding"],
            compression=given["compression"],
            memory_map=given["memory_map"],
            is_text=not is_utf8,
            errors=given["encoding_errors"],
        )

    with source.plain_file(is_utf8, opening) as name:
        words = _words(given, delimiter)
        if pieces is not None:
            return CsvPieces(name, label=_LABELS[delimiter], **words)
        with _File(name, **words) as reader:
            frame: pandas.DataFrame = reader.read(given["nrows"])
        return frame


def _words(given: dict[str, Any], delimiter: str) -> dict[str, Any]:
    """The arguments as pandas' reader takes them."""
    words = {word: value for word, value in given.items() if word != "sep"}
    words.update(
        readers._refine_defaults_read(
            given["dialect"],
            given["delimiter"],
            given["engine"],
            given["sep"],
            given["on_bad_lines"],
            given["names"],
            defaults={"delimiter": delimiter},
            dtype_backend=given["dtype_backend"],
            lineterminator=given["lineterminator"],
        )
    )
    readers._validate_bool_kwargs(words)
    if words["parse_dates"] is None:
        words["parse_dates"] = words["date_format"] is not None
    readers._validate_names(words["names"])
    readers.validate_integer("nrows", given["nrows"])
    return words


def _check(given: dict[str, Any]) -> None:
    """Refuses arguments that the engine does not know."""
    check_usual(given, _LEFT)
    check_encoding(given["encoding"], given["encoding_errors"])
    check_text()
    if given["engine"] not in (None, "c"):
        raise Refused(f"`engine={value_text(given['engine'])}`")
    if given["quoting"] not in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONE):
        raise Refused(f"`quoting={value_text(given['quoting'])}`")
    header = given["header"]
    if header is not None and header != "infer" and (type(header) is not int or header < 0):
        raise Refused(f"`header={value_text(header)}`")
    skipped = given["skiprows"]
    if skipped is not None and type(skipped) is not int:
        raise Refused("`skiprows` is not an integer")


def _check_same_encoding(source: Any, encoding: Any) -> None:
    """Refuses an encoding that is not that of an open file, of which pandas complains."""
    own = getattr(source, "encoding", None)
    if own is not None and encoding is not None and own != encoding:
        raise Refused(f"`encoding={value_text(encoding)}` of a file that is open with another")


def _byte(text: Any, what: str) -> int:
    """The one byte of a text."""
    if isinstance(text, str) and len(text) == 1 and 0 < ord(text) < 128 and text not in "\r\n0123456789":
        return ord(text)
    raise Refused(f"{what} is not a single character")


class _File(readers.TextFileReader):
    """pandas' reader of files, over the engine's."""

    def _make_engine(self, f: Any, engine: Any = "c") -> Any:
        if engine != "c":
            raise Refused(f"`engine={value_text(engine)}`")
        self.name = f
        self.handles = get_handle(f, "rb", is_text=False)
        try:
            return _Engine(self.handles.handle, self._path(f), self._pieces(), **self.options)
        except BaseException:
            self.handles.close()
            raise

    def _path(self, name: str) -> str:
        return name

    def _pieces(self) -> CsvPieces | None:
        return None


class CsvPieces(_File):
    """A file that is read in pieces. It is held open, as pandas holds it, so that it may be replaced between two of them."""

    def __init__(self, name: str, *, label: str, **words: Any) -> None:
        #: What the user called, for the report.
        self.label = label
        super().__init__(name, **words)

    def _path(self, name: str) -> str:
        assert self.handles is not None
        return streams.path_of(self.handles.handle.fileno()) or name

    def _pieces(self) -> CsvPieces | None:
        return self

    def read(self, nrows: int | None = None) -> Any:
        try:
            made = adopted(super().read(nrows))
        except StopIteration:
            raise
        except Exception:
            report.LOG.add(self.label, "raised", self._engine.reason or "")
            raise
        reason = self._engine.reason
        report.LOG.add(self.label, "native" if reason is None else "pandas", reason or "")
        return made

    def left(self, reason: str) -> None:
        """Tells that pandas reads on."""
        if not choice.within.depth:
            report.refused(self.label, reason)


class _Engine(CParserWrapper):
    """pandas' ways with names, labels and dates; the values come from the engine."""

    low_memory: Any
    _reader: Any

    def __init__(self, source: Any, path: str, pieces: CsvPieces | None, **words: Any) -> None:
        self.dates: _Dates | None = None
        self.source = source
        self.pieces = pieces
        #: Why pandas reads on, and what it reads with.
        self.reason: str | None = None
        self.theirs: CParserWrapper | None = None
        super().__init__(source, **words)
        chunk = self.low_memory
        # The engine looks at all rows, so there are no parts to put together.
        self.low_memory = False
        self._reader = _Reader(self._reader, path, words, self.dates, chunk)

    def read(self, nrows: int | None = None) -> Any:
        if self.theirs is None:
            try:
                return super().read(nrows)
            except Refused as refusal:
                if self.pieces is None:
                    raise
                # The reader is the user's by now, who may have pieces of it.
                self.reason = str(refusal)
                self.pieces.left(self.reason)
                self.theirs = self._behind(self._reader.rows)
        return self.theirs.read(nrows)

    def _behind(self, rows: int) -> CParserWrapper:
        """pandas' own reader, behind the rows that were read."""
        self.source.seek(0)
        theirs = CParserWrapper(self.source, **self.kwds)
        if rows:
            with warnings.catch_warnings():
                # What there is to say of types in several pieces is not said of each of them.
                warnings.simplefilter("ignore")
                theirs.read(rows)
        return theirs

    def _set_noconvert_columns(self) -> None:
        theirs = self._reader
        self.dates = self._reader = _Dates(theirs.leading_cols)
        super()._set_noconvert_columns()
        self._reader = theirs


class _Dates:
    """Which columns are to be dates, as pandas tells its reader."""

    def __init__(self, leading: int) -> None:
        self.leading_cols = leading
        self.text: set[int] = set()
        self.timestamps: set[int] = set()

    def set_noconvert(self, position: int) -> None:
        self.text.add(position)

    def set_datetime_convert(self, position: int, alike: bool = True) -> None:
        if alike:
            self.timestamps.add(position)


class _Reader:
    """What stands in the place of pandas' reader of records, once that has seen the header."""

    def __init__(self, theirs: Any, path: str, words: dict[str, Any], dates: Any, chunked: bool) -> None:
        self.path = path
        self.words = words
        self.dates = dates
        self.leading_cols: int = theirs.leading_cols
        self.table_width: int = theirs.table_width
        self.header: Any = theirs.header
        self.unnamed_cols = theirs.unnamed_cols
        self.usecols: Any = theirs.usecols
        self.dtype: Any = theirs.dtype
        self.chunked = chunked
        #: How many rows were read, and where the next one begins.
        self.rows = 0
        self.start: int | None = None
        theirs.close()

    def close(self) -> None:
        """Nothing is open."""

    def _chunk(self) -> int:
        """How many rows pandas looks at together: as many as there are in this many fields, as a power of two."""
        rows = 1
        while rows * 2 < parsers.DEFAULT_BUFFER_HEURISTIC // self.table_width:
            rows *= 2
        return rows

    def _name(self, position: int, used: int) -> Any:
        """What pandas calls a column while it reads."""
        names = self.words["names"]
        if self.usecols is not None and names is not None:
            if not callable(self.usecols) and len(names) == len(self.usecols):
                return names[used]
            return names[position - self.leading_cols]
        if self.header is None:
            return None
        at = position - self.leading_cols
        return self.header[0][at] if at < len(self.header[0]) else str(at)

    def _columns(self) -> list[tuple[int, Any]]:
        """The positions of the columns that are wanted, and their names."""
        found: list[tuple[int, Any]] = []
        used = 0
        chosen = self.usecols
        if chosen is not None and not callable(chosen) and any(isinstance(item, int) and item >= self.table_width for item in chosen):
            raise Refused("`usecols` with positions out of bounds")
        for position in range(self.table_width):
            if position < self.leading_cols:
                found.append((position, position))
                continue
            if chosen and not callable(chosen) and used == len(chosen):
                break
            name = self._name(position, used)
            if chosen is not None and not (chosen(name) if callable(chosen) else position in chosen or name in chosen):
                continue
            used += 1
            found.append((position, name))
        return found

    def _dtype(self, position: int, name: Any) -> Any:
        """The dtype that a column was given."""
        if not isinstance(self.dtype, dict):
            if getattr(self.dtype, "names", None):
                raise Refused("a structured `dtype`")
            return self.dtype
        if name in self.dtype:
            return self.dtype[name]
        if position in self.dtype:
            return self.dtype[position]
        return self.dtype[name] if isinstance(self.dtype, defaultdict) else None

    def _missing(self, position: int, name: Any) -> tuple[frozenset[Any], frozenset[float]] | None:
        """The texts, and the numbers, that stand for what is missing in a column."""
        if not self.words["na_filter"]:
            return None
        texts, numbers = self.words["na_values"], self.words["na_fvalues"]
        if isinstance(texts, dict):
            key = name if name is not None and name in texts else position
            if key not in texts:
                return frozenset(parsers.STR_NA_VALUES if self.words["keep_default_na"] else ()), frozenset()
            texts, numbers = texts[key], numbers[key]
        return frozenset(texts), frozenset(numbers)

    def _kind(self, position: int, dtype: Any) -> str:
        """What the engine reads a column as."""
        if dtype is None:
            return "any" if position not in self.dates.text else "timestamp" if position in self.dates.timestamps else "text"
        if isinstance(dtype, np.dtype) and dtype.kind in "iufb":
            return {"i": "whole", "u": "whole", "f": "float", "b": "truth"}[dtype.kind]
        if isinstance(dtype, pandas.StringDtype) and dtype.storage == "pyarrow":
            return "text"
        if isinstance(dtype, CategoricalDtype):
            return "text"
        raise Refused(f"a column of dtype `{dtype}`")

    def read(self, most: int | None = None) -> dict[int, Any]:
        """The columns, by their positions."""
        words = self.words
        columns = self._columns()
        dtypes = [self._dtype(position, name) for position, name in columns]
        sets: dict[Any, int] = {}
        wanted = []
        for (position, name), dtype in zip(columns, dtypes, strict=True):
            missing = self._missing(position, name)
            wanted.append((position, self._kind(position, dtype), None if missing is None else sets.setdefault(missing, len(sets))))
        header = words["header"]
        named = words["names"] is not None and header is not None
        try:
            rows, end, found = _native.read_csv(
                self.path,
                wanted,
                delimiter=_byte(words.get("delimiter"), "`sep`"),
                quote=None if words["quoting"] == csv.QUOTE_NONE else _byte(words["quotechar"], "`quotechar`"),
                comment=None if words["comment"] is None else _byte(words["comment"], "`comment`"),
                skip_space=bool(words["skipinitialspace"]),
                decimal=_byte(words["decimal"], "`decimal`"),
                thousands=None if words["thousands"] is None else _byte(words["thousands"], "`thousands`"),
                truths=(_encoded(words["true_values"]), _encoded(words["false_values"])),
                missing=[([_bytes(text) for text in texts], list(numbers)) for texts, numbers in sets],
                skipped=sorted(words["skiprows"]),
                header=0 if header is None else header + 1,
                start=self.start,
                width=self.table_width,
                strict=self.usecols is None,
                exact=named,
                most=most,
                chunk=self._chunk() if self.chunked else None,
                threads=options.resolved()["threads"],
                piece=PIECE,
            )
        except RefusedError as refusal:
            raise Refused(str(refusal)) from None
        self.rows, self.start = self.rows + rows, end
        if not rows:
            raise StopIteration
        return {
            position: _array(word, values, dtype, kind, words)
            for (position, kind, _), dtype, (word, values) in zip(wanted, dtypes, found, strict=True)
        }


def _encoded(texts: Any) -> list[bytes]:
    return [] if texts is None else [_bytes(text) for text in texts]


def _bytes(text: Any) -> bytes:
    return text if isinstance(text, bytes) else str(text).encode()


#: What stands for booleans among objects: for false, for true, and for what is missing.
_TRUTHS = np.array([False, True, np.nan], object)


def _array(word: str, values: Any, dtype: Any, kind: str, words: dict[str, Any]) -> Any:
    """A column as pandas holds it."""
    if word == "text":
        if isinstance(dtype, CategoricalDtype):
            return _categories(values, dtype, words)
        if dtype is None and kind != "any":
            # pandas makes dates of objects.
            return ArrowStringArray(values, dtype=types.STR).astype(object)
        return ArrowStringArray(values, dtype=types.STR if dtype is None else dtype)
    if word == "truth":
        values = values.view(np.bool_)
    elif word == "truth or missing":
        return _TRUTHS[np.minimum(values, 2)]
    elif kind == "timestamp":
        unit, _, zone = word.partition(" ")
        timestamps = values.view(f"M8[{unit}]")
        return DatetimeArray._simple_new(timestamps, dtype=DatetimeTZDtype(unit, zone) if zone else timestamps.dtype)
    if dtype is None or kinds.same(dtype, values.dtype):
        return values
    narrow = values.astype(dtype)
    if kind == "whole" and not np.array_equal(narrow, values):
        raise Refused("values out of bounds of the `dtype` that was asked for")
    return narrow


def _categories(values: Any, dtype: CategoricalDtype, words: dict[str, Any]) -> Any:
    """Text as one of a few, in the order in which they first stand."""
    encoded = values.combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy().astype(np.int64)
    names = encoded.dictionary.to_numpy(zero_copy_only=False)
    yes, no = words["true_values"], words["false_values"]
    if dtype.categories is not None:
        return Categorical._from_inferred_categories(names, codes, dtype, true_values=[*(yes or ()), "True", "TRUE", "true"])
    plain = pandas.Index(names, copy=False)
    converted = Categorical._maybe_convert_categories(
        plain,
        true_values=yes,
        false_values=no,
        convert_numeric=words["thousands"] is None and words["decimal"] == ".",
        convert_bool=True,
        bool_case_insensitive=True,
    )
    return Categorical._from_converted_categories(plain if converted is None else converted, codes, ordered=dtype.ordered)
