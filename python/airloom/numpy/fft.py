"""NumPy's Fourier transforms on arrays of ours."""

from __future__ import annotations

from typing import Any

import numpy.fft as _numpy

from airloom.numpy import namespace as _namespace
from airloom.numpy.standard import fftfreq, rfftfreq


def __getattr__(name: str) -> Any:
    return globals().setdefault(name, _namespace.found(_numpy, name, "fft."))


def __dir__() -> list[str]:
    return sorted(_numpy.__all__)


__all__ = ["fftfreq", "rfftfreq"]
