"""Finding the source of a function, or what its code says where there is none."""

from __future__ import annotations

import builtins
import types
from typing import Any

from airloom.functions.source import Definition, written
from airloom.functions.syntax import private_name
from airloom.pandas.refusals import Refused
from airloom.pandas.udf import bytecode


def definition(function: types.FunctionType) -> Definition:
    """The definition of a function in its file, where that is what runs. Where there is none, its code is read instead."""
    found = written(function)
    # What a decorator has made of a function may be another one, which is not known here.
    if found is None or getattr(found, "decorator_list", None):
        return bytecode.definition(function.__code__)
    return checked(found)


def checked(node: Definition) -> Definition:
    """A definition whose names are those that its text says."""
    private = private_name(node)
    if private is not None:
        raise Refused(f"the private name `{private}`")
    return node


def lookup(function: types.FunctionType, name: str) -> Any:
    """What a name that is no local stands for, now."""
    code = function.__code__
    if name in code.co_freevars and function.__closure__ is not None:
        try:
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        except ValueError as error:
            raise Refused(f"`{name}`, which has no value yet") from error
    if name in function.__globals__:
        return function.__globals__[name]
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise Refused(f"`{name}`, which is not known")
