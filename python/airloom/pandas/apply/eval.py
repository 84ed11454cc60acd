"""`query` and `eval`: text that is read as Python is, with columns for names."""

from __future__ import annotations

import io
import operator
import re
import sys
import tokenize
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
import pandas
from pandas.core.computation.check import NUMEXPR_INSTALLED
from pandas.core.computation.common import result_type_many

from airloom.functions.reader import Node, Reader, Syntax, sign, word
from airloom.functions.refusals import form_of
from airloom.functions.source import statements_in
from airloom.pandas.dispatch.registry import BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plan_of, wrap
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.indexing.getitem import frame_masked, with_column
from airloom.pandas.plan.frame import Frame, Vector
from airloom.pandas.refusals import Refused, value_text

_ARITHMETIC = frozenset({"add", "sub", "mul", "truediv", "floordiv", "mod", "pow"})
_ORDER = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})


def _plain(options: dict[str, Any]) -> bool:
    """Whether options are known: engines give the same answers, and parsers are told apart when text is read."""
    return not set(options) - {"engine", "parser"} and options.get("engine") in (None, "python") and options.get("parser", "pandas") in ("pandas", "python")


#: Text within an expression.
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def _check_numexpr(frame: Frame, expr: Any, options: dict[str, Any]) -> None:
    """Refuses what numexpr, which pandas evaluates by where it is installed, has other dtypes and other remainders for than NumPy."""
    if not NUMEXPR_INSTALLED or options.get("engine") is not None or not isinstance(expr, str):
        return
    if "%" in expr or "//" in expr or "**" in expr:
        raise Refused("powers and remainders as numexpr computes them")
    computed = re.search("[-+]", _QUOTED.sub("", expr)) is not None
    for label, column in zip(frame.labels, frame.columns, strict=True):
        dtype = column.dtype
        if str(label) in expr and isinstance(dtype, np.dtype) and dtype.kind in "iuf" and (dtype.itemsize < 8 or dtype.kind == "u"):
            raise Refused(f"`{dtype}`, which numexpr computes as another dtype")
        if computed and str(label) in expr and (isinstance(dtype, pandas.StringDtype) or getattr(dtype, "kind", "") in "bmM"):
            raise Refused(f"`{dtype}`, with which numexpr does not compute")


@operation("DataFrame.query")
def query(frame: Frame, expr: Any, *, inplace: bool = False, **kwargs: Any) -> Frame:
    if inplace or not _plain(kwargs) or (kwargs and not frame.labels.is_unique):
        raise Refused("`inplace=True`, or the options `parser`, `engine`, `resolvers` or `target`")
    _check_numexpr(frame, expr, kwargs)
    evaluation = _Evaluation(frame, kwargs.get("parser", "pandas"))
    value = evaluation.read(expr)
    if evaluation.assigned is not None or not isinstance(value, BaseSeries) or not types.is_bool(value.dtype):
        raise Refused("an expression that is not a boolean mask")
    return frame_masked(frame, value)


@operation("DataFrame.eval")
def evaluate(frame: Frame, expr: Any, *, inplace: bool = False, **kwargs: Any) -> Any:
    if inplace or not _plain(kwargs) or not isinstance(expr, str) or (kwargs and not all(types.is_number(column.dtype) for column in frame.columns)):
        raise Refused("`inplace=True`, or the options `parser`, `engine`, `resolvers` or `target`")
    _check_numexpr(frame, expr, kwargs)
    evaluation = _Evaluation(frame, kwargs.get("parser", "pandas"))
    value = evaluation.read(expr)
    if evaluation.assigned is not None:
        return with_column(frame, *evaluation.assigned)
    if not isinstance(value, BaseSeries):
        raise Refused("an expression that is not a column")
    made = plan_of(value)
    assert isinstance(made, Vector)
    return made


class _Evaluation(Reader[Any]):
    """Reads text over the columns of a frame. What it makes are series, computed by the same operators that users write."""

    forms = frozenset({"Assign", "Expr", "Name", "Constant", "List", "Tuple", "BinOp", "BoolOp", "UnaryOp", "Compare"})

    def __init__(self, frame: Frame, parser: str) -> None:
        self.frame = frame
        #: Python's own parser has `&` and `|` bind as Python does, and neither `and`, `or`, `not` and `in`, nor names in backticks or after `@`.
        self.python = parser == "python"
        self.quoted: dict[str, str] = {}
        self.locals: dict[str, str] = {}
        #: What the text comes to, and the label that it assigns with its value.
        self.result: Any = None
        self.assigned: tuple[str, Any] | None = None

    def refusal(self, reason: str, node: Syntax | None = None, hint: str = "") -> Refused:
        return Refused(reason)

    def unread(self, node: Syntax) -> NoReturn:
        raise Refused(f"{form_of(node)} in an expression")

    def read(self, text: Any) -> Any:
        """What a text comes to; nothing, where it assigns."""
        if not isinstance(text, str):
            raise Refused("`expr` is not a string")
        try:
            statements = statements_in(self._plain(text.strip()))
        except (SyntaxError, tokenize.TokenError) as error:
            raise Refused("an expression that is not valid") from error
        if len(statements) != 1:
            raise Refused("an expression of several lines")
        self.block(statements)
        return self.result

    def discarded(self, value: Node) -> None:
        self.result = self.expression(value)

    def bind(self, name: str, value: Any) -> None:
        if self.assigned is not None:
            raise Refused("an assignment to something else than one name")
        if not isinstance(value, (BaseSeries, int, float, str)) or name in self.quoted:
            raise Refused("an assignment of something else than a column or a scalar")
        self.assigned = (name, value)

    def _plain(self, text: str) -> str:
        """The text as Python reads it: `&` and `|` bind as `and` and `or` do, and names in backticks or after `@` are names like others."""
        if "#" in text or "\n" in text:
            raise Refused("an expression of several lines, or with comments")
        if self.python:
            if "`" in text or "@" in text:
                raise Refused("backticks or `@` with `parser='python'`")
            return text
        text = self._unquoted(text)
        made = []
        local = False
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind, value = token.type, token.string
            if kind == tokenize.OP and value == "&":
                kind, value = tokenize.NAME, "and"
            elif kind == tokenize.OP and value == "|":
                kind, value = tokenize.NAME, "or"
            elif kind == tokenize.OP and value == "@":
                local = True
                continue
            elif local:
                if kind != tokenize.NAME:
                    raise Refused("a name after `@` that is not valid")
                self.locals[f"_airloom_local_{value}"] = value
                value = f"_airloom_local_{value}"
                local = False
            made.append((kind, value))
        return tokenize.untokenize(made)

    def _unquoted(self, text: str) -> str:
        parts = text.split("`")
        if len(parts) % 2 == 0 or (len(parts) > 1 and ("'" in text or '"' in text)):
            raise Refused("backticks beside quotes")
        for at in range(1, len(parts), 2):
            name = f"_airloom_quoted_{at}"
            self.quoted[name] = parts[at]
            parts[at] = f" {name} "
        return "".join(parts)

    def constant(self, value: Any, node: Node) -> Any:
        if type(value) not in (int, float, str, bool):
            raise Refused(f"a constant of type `{type(value).__name__}`")
        return value

    def collection(self, kind: type, parts: Sequence[Node], node: Node) -> Any:
        items = [self.expression(part) for part in parts]
        if any(isinstance(item, BaseSeries) for item in items):
            raise Refused("a list of columns")
        return items

    def binary(self, op: Syntax, left: Any, right: Any, node: Syntax) -> Any:
        name = word(op)
        if self.python and name in ("and_", "or_"):
            return _connected(name == "and_", [left, right])
        if name not in _ARITHMETIC:
            raise Refused(f"`{sign(op)}` in an expression")
        if not isinstance(left, BaseSeries) and not isinstance(right, BaseSeries):
            raise Refused("arithmetic of constants")
        _check_common(left, right)
        return getattr(operator, name)(left, right)

    def name(self, name: str, node: Node) -> Any:
        if name in self.locals:
            return _local(self.locals[name])
        label = self.quoted.get(name, name)
        if label not in self.frame.labels or isinstance(self.frame.labels, pandas.MultiIndex) or label in ("inf", "Inf"):
            raise Refused(f"{value_text(label)} is not a column")
        return wrap(self.frame.vector(self.frame.position(label)))

    def connective(self, conjoined: bool, values: Sequence[Node], node: Node) -> Any:
        if self.python:
            raise Refused("`and` or `or` with `parser='python'`")
        return _connected(conjoined, [self.expression(value) for value in values])

    def negation(self, value: Any, node: Node) -> Any:
        if self.python:
            raise Refused("`not` with `parser='python'`")
        return _inverted(value)

    def unary(self, op: Syntax, value: Any, node: Node) -> Any:
        if word(op) == "invert":
            return _inverted(value)
        if word(op) == "neg":
            return -value
        raise Refused("a unary operator")

    def compare(self, op: Syntax, left: Any, right: Any, node: Node) -> Any:
        name = word(op)
        if self.python:
            if name in ("in", "not in") or isinstance(right, list):
                raise Refused("`in` or lists with `parser='python'`")
            if name in ("eq", "ne") and (_is_text(left) or _is_text(right)):
                raise Refused("strings compared with `parser='python'`")
        return _comparison(name, left, right)

    def chained(self, first: Any, middle: Any, others: Callable[[Any], Any], nodes: Sequence[Node], node: Node) -> Any:
        if self.python:
            raise Refused("chained comparisons with `parser='python'`")
        return first & others(middle)


def _check_common(left: Any, right: Any) -> None:
    """Refuses operands for which pandas finds no dtype but that of objects: the operator may know what both come to, but an expression must find one dtype for both first."""
    given = [one.dtype if isinstance(one, BaseSeries) else type(one) for one in (left, right)]
    if isinstance(left, BaseSeries) and isinstance(right, BaseSeries) and kinds.same(*given):
        return
    try:
        common = result_type_many(*given)
    except TypeError as error:
        raise Refused("operands for which pandas raises in an expression") from error
    if common == types.OBJECT and any(one != types.OBJECT for one in given):
        raise Refused(" beside ".join(f"`{one.__name__ if isinstance(one, type) else one}`" for one in given) + " in an expression")


def _connected(conjoined: bool, values: Sequence[Any]) -> Any:
    if not all(isinstance(value, BaseSeries) and types.is_bool(value.dtype) for value in values):
        raise Refused("`and` or `or` of values that are not boolean")
    made = values[0]
    for value in values[1:]:
        made = made & value if conjoined else made | value
    return made


def _inverted(value: Any) -> Any:
    if not isinstance(value, BaseSeries) or not types.is_bool(value.dtype):
        raise Refused("`~` or `not` of a value that is not boolean")
    return ~value


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, BaseSeries) and (isinstance(value.dtype, pandas.StringDtype) or value.dtype == types.OBJECT))


def _comparison(op: str, left: Any, right: Any) -> Any:
    if op in ("in", "not in") or (op in ("eq", "ne") and isinstance(right, list)):
        if not isinstance(left, BaseSeries) or not isinstance(right, (list, set, np.ndarray, pandas.Index, BaseSeries)):
            raise Refused("`in` of something else than a column and a list")
        found = left.isin(right)
        return found if op in ("in", "eq") else ~found
    if op not in _ORDER or isinstance(left, list) or isinstance(right, list):
        raise Refused("a comparison by `is`, or of lists")
    if not isinstance(left, BaseSeries) and not isinstance(right, BaseSeries):
        raise Refused("a comparison of constants")
    if op in ("eq", "ne"):
        for value, other in ((left, right), (right, left)):
            if isinstance(value, str) and not _holds_text(other):
                raise Refused(f"`==` of a string and dtype `{other.dtype}`, in which pandas looks the string up as it is")
    return getattr(operator, op)(_as_timestamp(left, right), _as_timestamp(right, left))


def _holds_text(value: Any) -> bool:
    dtype = value.dtype.categories.dtype if types.is_category(value.dtype) else value.dtype
    return types.is_text(dtype) or dtype == types.OBJECT


def _as_timestamp(value: Any, other: Any) -> Any:
    """Text beside timestamps is one."""
    if isinstance(value, str) and isinstance(other, BaseSeries) and types.is_time(other.dtype):
        if not isinstance(other.dtype, np.dtype):
            raise Refused("a string beside tz-aware timestamps")
        made = pandas.Timestamp(value)
        if made.tz is not None:
            raise Refused("a string with a time zone beside timestamps")
        return made
    return value


def _local(name: str) -> Any:
    """A variable of whoever asked: of the first frame outside of ours."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("airloom.pandas", "airloom.functions")):
        frame = frame.f_back
    if frame is None:
        raise Refused("no frame of a caller")
    for space in (frame.f_locals, frame.f_globals):
        if name in space:
            value = space[name]
            if not isinstance(value, (int, float, str, list, set, np.generic, np.ndarray, pandas.Index, pandas.Timestamp, BaseSeries)):
                raise Refused(f"a variable of type `{type(value).__name__}`")
            return value
    raise Refused(f"{value_text(name)} is not a variable of the caller")
