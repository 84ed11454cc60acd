"""Compiling while Python runs: a part that is given little is run by Python until its code is there."""

from __future__ import annotations

import ast
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy

from airloom._options import options
from airloom.functions import extensions
from airloom.functions.dependence import is_range, loops_of
from airloom.functions.syntax import walk

#: How many expressions Python may evaluate in place of waiting for code: some milliseconds.
MOST = 50_000
#: Whether anything is compiled while Python runs.
enabled = True
#: How many seconds Python has before code is begun: both want the interpreter's lock, which the one that computes hands over every few milliseconds alone, and Python has the answer sooner.
HEAD_START = 0.002

_POOL: dict[int, ThreadPoolExecutor] = {}


def start(work: Callable[[], Any]) -> Future[Any]:
    """Does something on a thread of its own. A forked process has none of its parent's."""
    own = os.getpid()
    if own not in _POOL:
        _POOL.clear()
        _POOL[own] = ThreadPoolExecutor(1, thread_name_prefix="airloom-compile")
    return _POOL[own].submit(_begun_later, work)


def _begun_later(work: Callable[[], Any]) -> Any:
    time.sleep(HEAD_START)
    return work()


def may_wait(statements: Sequence[ast.stmt], args: Sequence[Any]) -> bool:
    """Whether Python is done with statements sooner than code would be there for them, for what they are given."""
    # What a user says in place of a function may have other last bits: they are the same in every call.
    if not enabled or options.strict or options.native in ("always", "verify") or extensions.are_there():
        return False
    count = _turns(statements, args)
    return count is not None and count <= MOST


def _turns(statements: Sequence[ast.stmt], args: Sequence[Any]) -> int | None:
    """How many expressions are evaluated, at most; none where that is not known. Each loop goes at most over the largest extent or integer that is there."""
    most = 1
    for arg in args:
        if type(arg) is numpy.ndarray:
            # An operation on a whole array is one expression that takes as long as it has elements, which NumPy goes over a hundred times as fast.
            most = max([most, arg.size // 100, *arg.shape])
        elif type(arg) is int or isinstance(arg, numpy.integer):
            most = max(most, abs(int(arg)))
    total = 0
    depths: dict[int, int] = {}
    for loop, around in loops_of(list(statements)):
        if isinstance(loop, ast.While):
            return None
        depths[id(loop)] = 1 + (depths[id(around)] if around is not None else 0)
        over = loop.iter
        if not isinstance(over, ast.Name) and not (is_range(over) and all(map(_is_plain, over.args))):  # type: ignore[attr-defined]
            return None
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, ast.Constant) and type(node.value) is int:
                most = max(most, abs(node.value))
            if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in _KNOWN) and not (isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)):
                return None
    for loop, _ in loops_of(list(statements)):
        total += len(walk(loop)) * most ** depths[id(loop)]
    return total


_KNOWN = ("abs", "bool", "float", "int", "len", "max", "min", "range", "round")


def _is_plain(node: ast.expr) -> bool:
    """An integer that is given, an extent, or one of them and a constant."""
    match node:
        case ast.Constant(value=int()) | ast.Name():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_plain(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=int())):
            return _is_plain(left)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name()]):
            return True
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape"), slice=ast.Constant()):
            return True
    return False
