"""Files of text that the engine reads at once: which of them, and what is asked of all of them alike."""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas
from pandas._config import using_string_dtype
from pandas.io.common import infer_compression

from airloom.pandas.refusals import Refused, Stays, value_text

#: About how many bytes a thread reads at a time.
PIECE = 1 << 21


def plain_file(path: Any, given: dict[str, Any], small: int) -> str:
    """The name of a plain file that is not small."""
    if isinstance(path, (io.StringIO, io.BytesIO)) and len(path.getvalue()) < small:
        raise Stays("a small buffer")
    if not isinstance(path, (str, os.PathLike)):
        raise Refused(f"a source of type `{type(path).__name__}`, which is no path")
    name = os.fspath(path)
    if not isinstance(name, str) or "://" in name:
        raise Refused("a path that is not a local file")
    name = os.path.expanduser(name)
    if not os.path.exists(name):
        raise Stays("a file that does not exist")
    if not os.path.isfile(name):
        raise Refused("a path that is not a regular file")
    if os.path.getsize(name) < small:
        raise Stays("a small file")
    compression = given["compression"]
    if compression is not None and (compression != "infer" or infer_compression(name, "infer") is not None):
        raise Refused("a compressed file")
    return name


def check_usual(given: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    """Refuses arguments that are not what pandas has for them without being told."""
    for word, value in usual.items():
        found = given[word]
        if found is not value and not (type(found) is type(value) and found == value):
            raise Refused(f"`{word}`")


def check_encoding(encoding: Any) -> None:
    """Refuses text that is not UTF-8."""
    try:
        if encoding is not None and codecs.lookup(encoding).name != "utf-8":
            raise Refused(f"`encoding={value_text(encoding)}`")
    except (LookupError, TypeError):
        raise Refused(f"unknown `encoding={value_text(encoding)}`") from None


def check_text() -> None:
    """Refuses to make columns of text where pandas would not hold them as Arrow does."""
    if not using_string_dtype() or pandas.StringDtype(na_value=np.nan).storage != "pyarrow":
        raise Refused("strings that are not stored by pyarrow: the option `mode.string_storage`")
