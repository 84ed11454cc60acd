"""`replace` by regular expressions: in columns of text what matches is replaced, and columns of numbers stay as they are."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dtypes import types
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused
from airloom.pandas.strings.methods import only_meant, whole, words
from airloom.pandas.strings.regex import Pattern, plain_pattern, replacement

NO_DEFAULT = pandas.api.extensions.no_default


def by_patterns(plan: Any, to_replace: Any, value: Any, regex: Any) -> Any:
    """A frame or a vector with what matches patterns replaced."""
    if regex is not True:
        if to_replace is not None:
            raise Refused("both `to_replace` and `regex`")
        to_replace = regex
    several = isinstance(to_replace, dict)
    if several and value is NO_DEFAULT:
        pairs = list(to_replace.items())
    elif isinstance(to_replace, list) and isinstance(value, list) and len(to_replace) == len(value):
        pairs, several = list(zip(to_replace, value, strict=True)), True
    else:
        pairs = [(to_replace, value)]
    if not pairs or not all(isinstance(old, (str, re.Pattern)) and (isinstance(new, str) or new is np.nan) for old, new in pairs):
        raise Refused("`regex` with `to_replace` or `value` that are not strings")
    return elementwise.each(plan, lambda column: _replaced(column, plan, pairs, several))


def _replaced(column: Column, plan: Any, pairs: list[tuple[Any, Any]], several: bool) -> Column:
    if types.is_number(column.dtype) or types.is_masked(column.dtype):
        return column
    if not isinstance(column.dtype, pandas.StringDtype):
        raise Refused(f"`regex` with dtype `{column.dtype}`")
    before = text = column.expression
    for old, new in pairs:
        source, ignore_case = plain_pattern(old, 0)
        pattern = Pattern(source, ignore_case=ignore_case)
        if isinstance(new, str) and (pattern.matches_empty or ("\\" in new and pattern.tangled)):
            raise Refused("a pattern that matches the empty string, or with repeated groups")
        text = _one(plan.rows, before, text, (pattern, source, new), several)
    return column.at(text)


def _one(rows: Rows, before: Expression, text: Expression, what: tuple[Pattern, str, Any], several: bool) -> Expression:
    """Text with what one pattern matches replaced. Of several patterns each counts where the text matched it as it was at first."""
    pattern, source, new = what
    for one in (before,) if before is text else (before, text):
        only_meant(rows, one, pattern)
    matches = call("is_true", call("str_matches", before, words(pattern.text), anchor="search"))
    if not isinstance(new, str):
        if several:
            raise Refused("`NaN` beside other values with `regex`")
        return elementwise.select(matches, Literal(None, ir.str_), text)
    made = call("str_replace_regex", text, words(pattern.text), words(replacement(new, source)), whole(-1))
    return elementwise.select(matches, made, text) if several else made
