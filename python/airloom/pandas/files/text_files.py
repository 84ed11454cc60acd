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

from airloom.pandas.refusals import Refused, Stays

#: About how many bytes a thread reads at a time.
PIECE = 1 << 21


def plain_file(path: Any, given: dict[str, Any], small: int) -> str:
    """The name of a plain file that is not small."""
    if isinstance(path, (io.StringIO, io.BytesIO)) and len(path.getvalue()) < small:
        raise Stays("little text")
    if not isinstance(path, (str, os.PathLike)):
        raise Refused("no path")
    name = os.fspath(path)
    if not isinstance(name, str) or "://" in name:
        raise Refused("no path of a file here")
    name = os.path.expanduser(name)
    if not os.path.exists(name):
        raise Stays("no file")
    if not os.path.isfile(name):
        raise Refused("no plain file")
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
            raise Refused("an encoding other than UTF-8")
    except (LookupError, TypeError):
        raise Refused("an encoding that is not known") from None


def check_text() -> None:
    """Refuses to make columns of text where pandas would not hold them as Arrow does."""
    if not using_string_dtype() or pandas.StringDtype(na_value=np.nan).storage != "pyarrow":
        raise Refused("text that is not of Arrow")
