"""Files of text that the engine reads at once: which of them, and what is asked of all of them alike."""

from __future__ import annotations

import codecs
import contextlib
import os
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas
from pandas._config import using_string_dtype
from pandas.io.common import get_compression_method, infer_compression

from airloom.pandas.files import streams
from airloom.pandas.refusals import Refused, Stays, value_text

#: About how many bytes a thread reads at a time.
PIECE = 1 << 21
#: Text is rarely more than this many times longer than it is compressed.
_SMALLER = 16


class TextSource:
    """Where text is read from: a file, an open one, or a buffer. It is not small, and is there."""

    def __init__(self, source: Any, given: dict[str, Any], small: int) -> None:
        self.small = small
        self.errors = given["encoding_errors"]
        #: Whether pandas stops reading once it has as many rows as it needs.
        self.ends_early = given["nrows"] is not None or given.get("chunksize") is not None
        #: The name of a file that is not compressed.
        self.name: str | None = None
        if streams.is_stream(source):
            size = streams.size(source)
            if size is not None and size < small:
                raise Stays("a small buffer")
            if not streams.can_be_read_again(source):
                raise Refused(f"a source of type `{type(source).__name__}` that cannot be read twice")
            return
        name = _local_name(source)
        compressed = infer_compression(source, get_compression_method(given["compression"])[0]) is not None
        if os.path.getsize(name) < (small // _SMALLER if compressed else small):
            raise Stays("a small file")
        if not compressed:
            self.name = name

    @contextlib.contextmanager
    def plain_file(self, is_utf8: bool, opening: Callable[[], Any]) -> Iterator[str]:
        """The name of a plain file with the text. A file is that itself where it `is_utf8` and not compressed; of others the text is what pandas reads of the
        handles that `opening` gives."""
        if is_utf8 and self.name is not None:
            yield self.name
            return
        if self.ends_early:
            raise Refused("`nrows` or `chunksize` of a source of which pandas reads no more than it needs")
        with streams.in_memory(opening, self.errors) as (name, length):
            if length < self.small:
                raise Stays("a small file")
            yield name


def _local_name(path: Any) -> str:
    """The name of a file that is there."""
    if not isinstance(path, (str, os.PathLike)):
        raise Refused(f"a source of type `{type(path).__name__}`, which is no path")
    name = os.fspath(path)
    if not isinstance(name, str):
        raise Refused("a path that is not a string")
    if name.startswith("file://"):
        request = urllib.request.Request(name)
        if request.host not in (None, "", "localhost"):
            raise Refused("a path that is not a local file")
        name = urllib.request.url2pathname(request.selector)
    elif "://" in name:
        raise Refused("a path that is not a local file")
    else:
        name = os.path.expanduser(name)
    if not os.path.exists(name):
        raise Stays("a file that does not exist")
    if not os.path.isfile(name):
        raise Refused("a path that is not a regular file")
    return name


def check_usual(given: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    """Refuses arguments that are not what pandas has for them without being told."""
    for word, value in usual.items():
        found = given[word]
        if found is not value and not (type(found) is type(value) and found == value):
            raise Refused(f"`{word}`")


def check_encoding(encoding: Any, errors: Any) -> None:
    """Refuses encodings, and ways with what they cannot decode, that Python does not know."""
    try:
        if encoding is not None:
            codecs.lookup(encoding)
    except (LookupError, TypeError):
        raise Refused(f"unknown `encoding={value_text(encoding)}`") from None
    try:
        codecs.lookup_error(errors)
    except (LookupError, TypeError):
        raise Refused(f"unknown `encoding_errors={value_text(errors)}`") from None


def check_text() -> None:
    """Refuses to make columns of text where pandas would not hold them as Arrow does."""
    if not using_string_dtype() or pandas.StringDtype(na_value=np.nan).storage != "pyarrow":
        raise Refused("strings that are not stored by pyarrow: the option `mode.string_storage`")
