"""Drop-in pandas: `import airloom.pandas as pd`.

Everything is pandas' own but for frames and series, which are subclasses of pandas' that compute when somebody looks.
"""

from __future__ import annotations

from typing import Any

import pandas as _pandas

from airloom import _allocation
from airloom.pandas.interface.attach import attach as _attach
from airloom.pandas.interface.attach import functions as _functions
from airloom.pandas.interface.frame import DataFrame
from airloom.pandas.interface.functions import FUNCTIONS as _FUNCTIONS
from airloom.pandas.interface.series import Series

# What pandas' own loops make of columns in memory, they make in memory that was freed before.
_allocation.keep_freed_memory()
_attach()
_FUNCTIONS.update(_functions())
globals().update(_FUNCTIONS)


def __getattr__(name: str) -> Any:
    return getattr(_pandas, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_pandas)})


__all__ = ["DataFrame", "Series"]
