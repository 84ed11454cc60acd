"""Taking what pandas made as an object of ours."""

from __future__ import annotations

from typing import Any

from pandas.io.json._json import JsonReader
from pandas.io.parsers.readers import TextFileReader

from airloom.pandas.dispatch.lazy import from_manager
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, classes


def adopted(result: Any) -> Any:
    """What pandas made, as an object of ours, sharing its data."""
    if type(result) is BaseDataFrame:
        return from_manager(classes.DataFrame, result._mgr).__finalize__(result)
    if type(result) is BaseSeries:
        made = from_manager(classes.Series, result._mgr)
        made.__dict__["_name"] = result.name
        return made.__finalize__(result)
    if type(result) in _READERS:
        result.__class__ = _READERS[type(result)]
    return result


def adopted_tables(result: Any) -> Any:
    """What a reader made: a table, or the tables of a page, or the sheets of a book."""
    if type(result) is list:
        return [adopted(item) for item in result]
    if type(result) is dict:
        return {key: adopted(item) for key, item in result.items()}
    return adopted(result)


class _TextReader(TextFileReader):
    """A file that is read in pieces."""

    def read(self, nrows: int | None = None) -> Any:
        return adopted(super().read(nrows))


class _JsonReader(JsonReader):
    """A file of JSON that is read in pieces."""

    def read(self) -> Any:
        return adopted(super().read())

    def __next__(self) -> Any:
        return adopted(super().__next__())


_READERS: dict[type, type] = {TextFileReader: _TextReader, JsonReader: _JsonReader}
