"""How lines of text look, as Python's `csv` and NumPy have it: they are asked, so that what they do is what is done."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from airloom.pandas.refusals import Refused

#: The characters of numbers and booleans.
_OF_NUMBERS = frozenset("0123456789.+-einfaTruls")


class Style:
    """What stands between fields and round them."""

    __slots__ = ("delimiter", "end", "quote", "quoting", "special")

    def __init__(self, delimiter: str, quote: str, end: str, quoting: int) -> None:
        self.delimiter = delimiter
        self.quote = quote
        self.end = end
        self.quoting = quoting
        self.special = b"" if quoting == csv.QUOTE_ALL else _special(self)

    def fields(self, values: Iterable[Any]) -> list[bytes]:
        """Each value as a field of a line that has others too."""
        made = []
        tail = len(self._row(0, 0)) - len(self._row(0)) + len(self.end)
        for value in values:
            made.append(self._row(value, 0)[:-tail].encode())
        return made

    def field(self, value: Any) -> bytes:
        return self.fields([value])[0]

    def _row(self, *values: Any) -> str:
        buffer = io.StringIO()
        csv.writer(
            buffer,
            lineterminator=self.end,
            delimiter=self.delimiter,
            quoting=self.quoting,  # type: ignore[arg-type]
            doublequote=True,
            quotechar=self.quote,
        ).writerow(values)
        return buffer.getvalue()

    def value_text(self, chunk: int, decimal: str) -> dict[str, Any]:
        """It as the engine is told."""
        return {
            "delimiter": ord(self.delimiter),
            "quote": ord(self.quote),
            "end": self.end.encode(),
            "special": self.special,
            "decimal": ord(decimal),
            "narrow": narrow_positional(),
            "chunk": chunk,
        }


@lru_cache(maxsize=64)
def style_of(delimiter: str, quote: str, end: str, quoting: int) -> Style:
    """The style of some characters; refused where numbers might need quotes, or Python complains."""
    single = all(isinstance(text, str) and len(text) == 1 for text in (delimiter, quote))
    if not single or not isinstance(end, str) or not (delimiter + quote + end).isascii():
        raise Refused("`sep`, `quotechar` or `lineterminator` is not a single ASCII character")
    if _OF_NUMBERS & set(delimiter + quote + end):
        raise Refused("`sep`, `quotechar` or `lineterminator` contains a character of numbers")
    try:
        return Style(delimiter, quote, end, quoting)
    except (csv.Error, TypeError, ValueError):
        raise Refused("`sep`, `quotechar` or `lineterminator` that the module `csv` does not take") from None


def _special(style: Style) -> bytes:
    """The bytes for which a field has quotes: which they are differs between versions of Python."""
    plain = len(style._row("aa", 0)) + 1
    return bytes(code for code in range(128) if len(style._row(f"a{chr(code)}a", 0)) != plain)


@lru_cache(maxsize=1)
def narrow_positional() -> tuple[float, float]:
    """From which size on, and below which, NumPy writes narrow floats without an exponent: that differs between its versions."""

    def has_exponent(bits: int) -> bool:
        return "e" in str(np.array([bits], np.uint32).view(np.float32).astype(str)[0])

    def first(low: int, high: int, wanted: bool) -> float:
        while low < high:
            middle = (low + high) // 2
            if has_exponent(middle) == wanted:
                high = middle
            else:
                low = middle + 1
        return float(np.array([low], np.uint32).view(np.float32)[0])

    one = int(np.array([1.0], np.float32).view(np.uint32)[0])
    least = int(np.array([1e-10], np.float32).view(np.uint32)[0])
    most = int(np.array([1e30], np.float32).view(np.uint32)[0])
    least_size, beyond = first(least, one, False), first(one, most, True)
    assert math.isfinite(least_size) and math.isfinite(beyond)
    return least_size, beyond
