"""Builders of programs: functions that make nodes, never text.

Every op of the [manual](../reference/ops.md) is a function here, `rel.filter` as `ir.rel_filter` and, where that says enough, as `ir.filter`.
Bodies are functions of Python that are called once, with nodes; what they use from outside becomes a capture.
"""

from airloom._native import Function, Graph, Node
from airloom.ir import _define, _ops, _types, _visit, _write
from airloom.ir._define import *
from airloom.ir._ops import *
from airloom.ir._types import *
from airloom.ir._visit import *
from airloom.ir._write import *

__all__ = ["Function", "Graph", "Node", *_define.__all__, *_types.__all__, *_visit.__all__, *_write.__all__, *_ops.__all__]
