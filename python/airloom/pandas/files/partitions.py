"""Parquet files in folders whose names are keys and values, as in `year=2020/month=1`: which there are, and what pandas makes of the keys."""

from __future__ import annotations

import os
from typing import Any

import pandas
import pyarrow
from pandas.io._util import arrow_table_to_pandas

from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.dtypes import types
from airloom.pandas.refusals import Refused

#: More partitions than this are a program too large to be worth it.
MOST = 256


class Partition:
    """Files with the same keys, one after the other."""

    __slots__ = ("codes", "names")

    def __init__(self, names: list[str], codes: dict[str, int]) -> None:
        self.names = names
        #: For each key the position of its value among all values that it has, and -1 where there is none.
        self.codes = codes


class PartitionedFiles:
    """Files in partitions, in pyarrow's order."""

    __slots__ = ("dtypes", "partitions", "schema", "values")

    def __init__(self, partitions: list[Partition], values: dict[str, list[Any]], dtypes: dict[str, Any], schema: pyarrow.Schema | None) -> None:
        self.partitions = partitions
        #: The columns that pyarrow takes all files to have, where it was asked.
        self.schema = schema
        #: The values of each key.
        self.values = values
        self.dtypes = dtypes

    @property
    def names(self) -> list[str]:
        return [name for partition in self.partitions for name in partition.names]


def partitioned_files(path: Any) -> PartitionedFiles:
    """The files of a path, which is a file, a folder or a list of files."""
    if isinstance(path, list):
        if not path or not all(isinstance(item, str) and "://" not in item and os.path.isfile(item) for item in path):
            raise Refused("a list of other than local files")
        return _discovered(path)
    if not isinstance(path, (str, os.PathLike)) or "://" in os.fspath(path):
        raise Refused("a path that is not a local file")
    name = os.fspath(path)
    if os.path.isfile(name):
        return _without_keys([name])
    if not os.path.isdir(name):
        raise Refused("a path that is not a local file")
    inside = sorted(item for item in os.listdir(name) if not item.startswith(("_", ".")))
    found = [os.path.join(name, item) for item in inside]
    if found and all(item.endswith(".parquet") and os.path.isfile(item) for item in found):
        return _without_keys(found)
    return _discovered(name)


def _without_keys(names: list[str]) -> PartitionedFiles:
    return PartitionedFiles([Partition(names, {})], {}, {}, None)


def _discovered(source: Any) -> PartitionedFiles:
    """The files that pyarrow finds, with their keys."""
    import pyarrow.dataset
    import pyarrow.parquet

    dataset = pyarrow.parquet.ParquetDataset(source)
    fragments = dataset.fragments
    if not fragments:
        raise Refused("a folder without Parquet files")
    own_keys = [pyarrow.dataset.get_partition_keys(fragment.partition_expression) for fragment in fragments]
    keys = [name for name in dataset.schema.names if any(name in own for own in own_keys)]
    dictionaries = dict(zip(dataset.partitioning.schema.names, dataset.partitioning.dictionaries, strict=True)) if keys else {}
    if any(value is None for own in own_keys for value in own.values()):
        raise Refused("keys of partitions without a value")
    if any(dictionaries.get(key) is None for key in keys):
        raise Refused("keys of partitions that are columns of the files too")
    values = {key: dictionaries[key].to_pylist() for key in keys}
    partitions: list[Partition] = []
    for fragment, own in zip(fragments, own_keys, strict=True):
        codes = {key: -1 if own.get(key) is None else values[key].index(own[key]) for key in keys}
        if partitions and partitions[-1].codes == codes:
            partitions[-1].names.append(fragment.path)
        else:
            partitions.append(Partition([fragment.path], codes))
    if len(partitions) > MOST:
        raise Refused(f"more than {MOST} partitions")
    dtypes = _dtypes(dataset.schema, {key: dictionaries[key] for key in keys})
    stored = pyarrow.schema([field for field in dataset.schema if field.name not in keys], dataset.schema.metadata)
    return PartitionedFiles(partitions, values, dtypes, stored)


def _dtypes(schema: pyarrow.Schema, dictionaries: dict[str, pyarrow.Array]) -> dict[str, Any]:
    """The dtypes that pandas gives keys, which depend on what it wrote about them."""
    if not dictionaries:
        return {}

    def empty(field: pyarrow.Field) -> pyarrow.Array:
        if field.name not in dictionaries:
            return pyarrow.array([], field.type)
        return pyarrow.DictionaryArray.from_arrays(pyarrow.array([], field.type.index_type), dictionaries[field.name])

    table = pyarrow.Table.from_arrays([empty(field) for field in schema], schema=schema)
    made: pandas.DataFrame = ask_pandas(lambda: arrow_table_to_pandas(table))
    dtypes = {key: made[key].dtype for key in dictionaries if key in made.columns}
    if len(dtypes) != len(dictionaries) or not all(types.is_category(dtype) for dtype in dtypes.values()):
        raise Refused("keys of partitions that are not categories")
    return dtypes
