"""NumPy's linear algebra on arrays of ours."""

from __future__ import annotations

from typing import Any

import numpy.linalg as _numpy

from airloom.numpy import namespace as _namespace


def __getattr__(name: str) -> Any:
    return globals().setdefault(name, _namespace.found(_numpy, name, "linalg."))


def __dir__() -> list[str]:
    return sorted(_numpy.__all__)
