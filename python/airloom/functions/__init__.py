"""Functions written in Python, compiled: `@airloom.jit`."""

from airloom.functions.driver import Jitted, jit
from airloom.functions.iterate import prange

__all__ = ["Jitted", "jit", "prange"]
