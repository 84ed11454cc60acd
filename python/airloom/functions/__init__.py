"""Functions written in Python, compiled: `@airloom.jit`, `@airloom.vectorize` and `@airloom.guvectorize`; and what users say of other functions."""

from airloom.functions.driver import Jitted, jit
from airloom.functions.extensions import Argument, overload
from airloom.functions.foreign import Kernel, kernel
from airloom.functions.iterate import prange
from airloom.functions.object_mode import objmode
from airloom.functions.randoms import random_bits, random_unit
from airloom.functions.records import register_type
from airloom.functions.reducers import Reducer, reducer
from airloom.functions.ufuncs import Generalized, Vectorized, guvectorize, vectorize

__all__ = ["Argument", "Generalized", "Jitted", "Kernel", "Reducer", "Vectorized", "guvectorize", "jit", "kernel", "objmode", "overload", "prange", "random_bits", "random_unit", "reducer", "register_type", "vectorize"]
