"""Functions written in Python, compiled: `@airloom.jit`, `@airloom.vectorize` and `@airloom.guvectorize`."""

from airloom.functions.driver import Jitted, jit
from airloom.functions.iterate import prange
from airloom.functions.ufuncs import Generalized, Vectorized, guvectorize, vectorize

__all__ = ["Generalized", "Jitted", "Vectorized", "guvectorize", "jit", "prange", "vectorize"]
