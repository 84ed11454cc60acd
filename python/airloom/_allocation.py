"""Memory of arrays that were freed is used again by the next ones: NumPy fills a page sooner than the system hands out a new one."""

from __future__ import annotations

import ctypes
import os
import sys

#: Arrays of up to this many bytes are taken from memory that was freed before; it is the most that the C library allows.
_REUSED = 32 << 20
#: How many freed bytes the process keeps.
_KEPT = 128 << 20

#: The numbers of these settings in the C library.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


def keep_freed_memory() -> bool:
    """Has the C library keep some of what is freed, where it is one that can, and its user has not said how much; whether it does.

    By itself it gives memory back as soon as twice the largest array is free: an expression of three operations then pays for new pages in each of them.
    """
    if sys.platform != "linux" or any(name in os.environ for name in ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_M_MMAP_THRESHOLD, _REUSED)) and bool(mallopt(_M_TRIM_THRESHOLD, _KEPT))
