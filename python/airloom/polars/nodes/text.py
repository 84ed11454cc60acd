"""Files of text, as Polars reads them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import polars as pl

from airloom.polars.refusals import Refused, value_text

#: Options of readers of text as they are where nobody says anything; others are not translated.
_CSV_DEFAULT: dict[str, Any] = json.loads(
    '{"schema": null, "schema_overwrite": null, "column_names_overwrite": null, "dtype_overwrite": null, "infer_schema_files": 10, "raise_if_empty": true, "fields_to_cast": [], "columns": null, "projection": null}'
)
_PARSE_DEFAULT: dict[str, Any] = json.loads('{"eol_char": 10, "encoding": "Utf8", "null_values": null, "comment_prefix": null}')
_NDJSON_DEFAULT: dict[str, Any] = json.loads('{"schema": null, "schema_overwrite": null}')
#: Options that are handed on under their own names.
_CSV_SAME = ("has_header", "skip_rows", "skip_lines", "skip_rows_after_header", "infer_schema_length", "ignore_errors")
_PARSE_SAME = ("truncate_ragged_lines", "try_parse_dates", "decimal_comma")


def lazy_text(kind: str, options: dict[str, Any], paths: Sequence[str]) -> pl.LazyFrame:
    """A lazy frame of the rows of files of text, by the options that a plan tells; refused where one of them is not known. How many rows are read, and their numbers, the plan tells besides."""
    if kind == "ndjson":
        _plain_options(kind, options, _NDJSON_DEFAULT)
        if any(mark in path for path in paths for mark in "*?["):
            # Where its reader takes a name for a pattern cannot be turned off.
            raise Refused(f"a scan of kind {value_text(kind)} of files whose names are patterns is not translated")
        return pl.scan_ndjson(list(paths), infer_schema_length=options["infer_schema_length"], ignore_errors=options["ignore_errors"])
    parse = options["parse_options"]
    _plain_options(kind, options, _CSV_DEFAULT)
    _plain_options(kind, parse, _PARSE_DEFAULT)
    quote = parse["quote_char"]
    same = {**{name: options[name] for name in _CSV_SAME}, **{name: parse[name] for name in _PARSE_SAME}}
    return pl.scan_csv(
        list(paths),
        separator=chr(parse["separator"]),
        quote_char=None if quote is None else chr(quote),
        empty_string_is_null=parse["missing_is_null"],
        glob=False,
        **same,
    )


def _plain_options(kind: str, found: dict[str, Any], plain: dict[str, Any]) -> None:
    for option, value in plain.items():
        if option in found and found[option] != value:
            raise Refused(f"a scan of kind {value_text(kind)} with `{option}` {value_text(found[option])} is not translated")
