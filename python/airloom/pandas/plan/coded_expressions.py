"""Expressions over rows whose text is codes: what they are there, and what is looked up for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow

from airloom import ir
from airloom._native import Column
from airloom.pandas.plan import walk
from airloom.pandas.plan.encoding import Code, Encoding, sorted_values
from airloom.pandas.plan.expression import Call, Expression, Fold, Literal, Over, Ref, Slot, call
from airloom.pandas.plan.rows import DataSlot, LookupJoin, MemoryRows, Rows

#: Functions of each value, none of which raises: they may be computed for values that no row has any more.
_OF_VALUES = frozenset(
    """str_len str_case str_is str_strip str_strip_prefix str_strip_suffix str_pad str_zfill str_slice str_find str_find_last str_count str_contains str_starts str_ends
    str_matches str_replace str_replace_regex str_concat str_at str_reverse str_split list_at list_len eq ne lt le gt ge and_ or_ not_ is_null is_true is_in coalesce select add
    """.split()
)
#: Reductions that only tell values apart.
_TELLING = frozenset(("arr_nunique", "arr_count"))
#: The types of what is looked up.
_PLAIN = frozenset(str(one) for one in (ir.bool_, ir.i8, ir.i16, ir.i32, ir.i64, ir.f64, ir.str_))

#: Rows made anew, the codes of slots that can be seen there, and the slots of which there is nothing else.
Made = tuple[Rows, dict[Slot, Code], frozenset[Slot]]
#: What expressions over rows, one for each value of a column, come to; none where that cannot be looked up.
Evaluate = Callable[[Rows, Sequence[Expression], MemoryRows], "list[Values] | None"]


class RecodedOver:
    """Expressions over rows that were made anew: the rows with whatever was looked up for them, and the expressions as they are there."""

    def __init__(self, made: Made, evaluate: Evaluate, expressions: Iterable[Expression], coded: Iterable[Expression] = ()) -> None:
        """`coded` are further expressions, of which codes are enough where there are such."""
        self.rows, self.codes, self.hidden = made
        self.evaluate = evaluate
        #: What stands for parts of expressions, and the codes of those that are text.
        self.instead: dict[int, Expression] = {}
        self.derived: dict[int, Code] = {}
        if not self.codes:
            return
        expressions, coded = list(expressions), list(coded)
        self._look_up_functions([*expressions, *coded])
        shown: set[Slot] = set()
        for expression in (*expressions, *(e for e in coded if type(e) is not Ref and id(e) not in self.derived)):
            shown |= self._text_read(expression)
        self._show(shown & self.hidden)

    def __call__(self, expression: Expression) -> Expression:
        """The expression as it is over these rows."""
        return self._rebuilt(expression) if self.codes else expression

    def has_text(self, expression: Expression) -> bool:
        """Whether this is text that can be seen here as it is."""
        return type(expression) is Ref and expression.slot not in self.hidden

    def key(self, expression: Expression, *, ordered: bool = False) -> Expression:
        """The same for what is only compared with others of its kind."""
        code = self.codes.get(expression.slot) if type(expression) is Ref else self.derived.get(id(expression))
        if code is None:
            return self(expression)
        return code.or_null() if ordered else code.expression

    def look_up(self, code: Code, values: Sequence[Values]) -> tuple[list[Expression], list[Code | None]]:
        """What each value of a column has, as columns of these rows; and codes, where that is text."""
        space = code.encoding.space
        slots = [Slot("value") for _ in values]
        position = call("cast", code.expression, to=ir.i64)
        self.rows = LookupJoin(self.rows, [position], space, [Ref(space.position)], {s: Ref(v.slot) for s, v in zip(slots, values, strict=True)}, Slot("found"), any_of=False)
        made: list[Expression] = [
            Ref(slot) if value.nothing is None else call("coalesce", Ref(slot), value.nothing) for slot, value in zip(slots, values, strict=True)
        ]
        return made, [None if v.encoding is None else Code(e, v.encoding, weak=True) for e, v in zip(made, values, strict=True)]

    def _look_up_functions(self, expressions: Sequence[Expression]) -> None:
        found: dict[Slot, dict[int, Expression]] = {}
        stack, seen = list(expressions), set()
        while stack:
            part = stack.pop()
            if id(part) in seen:
                continue
            seen.add(id(part))
            if type(part) is Call and len(part.slots) == 1 and (slot := next(iter(part.slots))) in self.codes and is_of_values(part):
                simple = self._compared(part, self.codes[slot])
                if simple is not None:
                    self.instead[id(part)] = simple
                else:
                    found.setdefault(slot, {})[id(part)] = part
                continue
            if part.slots & self.codes.keys():
                stack.extend(walk.children(part))
        for slot, parts in found.items():
            code = self.codes[slot]
            values = self.evaluate(code.encoding.space, [substituted(part, slot, code.encoding.text) for part in parts.values()], code.encoding.space)
            if values is None:
                continue
            few = {key: test for key, value in zip(parts, values, strict=True) if (test := _is_one_of(code, value)) is not None}
            self.instead.update(few)
            others = {key: value for key, value in zip(parts, values, strict=True) if key not in few}
            if not others:
                continue
            columns, codes = self.look_up(code, list(others.values()))
            for key, column, own in zip(others, columns, codes, strict=True):
                if own is None:
                    self.instead[key] = column
                else:
                    self.derived[key] = own
    def _compared(self, part: Call, code: Code) -> Expression | None:
        """A comparison with a literal, of codes."""
        if part.op == "is_null" and type(part.arguments[0]) is Ref:
            return code.is_missing()
        if part.op not in ("eq", "ne") or len(part.arguments) != 2:
            return None
        first, second = part.arguments
        value = second if type(first) is Ref else first
        if not (type(first) is Ref or type(second) is Ref) or type(value) is not Literal or type(value.value) is not str:
            return None
        return Call(part.op, (code.or_null(), code.encoding.literal(code.encoding.code_of(value.value))), part.attributes)

    def _text_read(self, expression: Expression) -> set[Slot]:
        """The slots whose text an expression reads still."""
        found: set[Slot] = set()
        for part in walk.reached([expression], self._parts):
            if type(part) is Ref and part.slot in self.codes:
                found.add(part.slot)
            elif id(part) in self.derived and id(part) not in self.instead:
                # Text that a function made, and that something else reads as text.
                (self.instead[id(part)],), _ = self.look_up(self.derived[id(part)], [Values(self.derived[id(part)].encoding.text, None, None)])
        return found

    def _parts(self, expression: Expression) -> tuple[Expression, ...]:
        """What an expression is made of, as far as it is still computed."""
        if id(expression) in self.instead or id(expression) in self.derived or _only_told_apart(expression, self.codes):
            return ()
        if type(expression) is Over:
            return (expression.fold, *(key for key in expression.partition if not self._has_code(key)), *(key for key, _ in expression.order))
        return walk.children(expression)

    def _has_code(self, expression: Expression) -> bool:
        return expression.slot in self.codes if type(expression) is Ref else id(expression) in self.derived

    def _show(self, slots: Iterable[Slot]) -> None:
        """Makes text of codes again, for what reads it."""
        for slot in sorted(slots, key=lambda slot: slot.number):
            code = self.codes[slot]
            space = code.encoding.space
            position = call("cast", code.expression, to=ir.i64)
            self.rows = LookupJoin(self.rows, [position], space, [Ref(space.position)], {slot: Ref(code.encoding.text)}, Slot("found"), any_of=False)
            self.hidden -= {slot}

    def _rebuilt(self, expression: Expression) -> Expression:
        def visit(part: Expression, made: list[Expression]) -> Expression:
            if id(part) in self.instead:
                return self.instead[id(part)]
            if _only_told_apart(part, self.codes):
                assert isinstance(part, Fold) and isinstance(part.arguments[0], Ref)
                code = self.codes[part.arguments[0].slot]
                return Fold(part.op, (code.or_null(),), part.scalars, part.body, part.attributes)
            if type(part) is Over:
                # What a window is by is only told apart.
                folded, *others = made
                keys = iter(others)
                made = [folded, *(self.key(key) if self._has_code(key) else next(keys) for key in part.partition), *keys]
            return walk.rebuilt(part, made) if made else part

        return walk.fold(expression, self._parts, visit, {})


class Values:
    """What each value of a column has: a column beside the values, what stands where it is null but cannot be, and its values where it is text of its own."""

    __slots__ = ("encoding", "nothing", "slot", "truth")

    def __init__(self, slot: Slot, nothing: Literal | None, encoding: Encoding | None, truth: Any = None) -> None:
        self.slot = slot
        self.nothing = nothing
        self.encoding = encoding
        #: The booleans themselves, where they are such and none is missing.
        self.truth = truth


def values_found(table: Any, count: int, space: MemoryRows) -> list[Values] | None:
    """What a table has for each value of a column, in columns that are numbered; none where a type cannot be looked up."""
    found = []
    fields = table.type.fields
    for at in range(count):
        type = fields[f"v{at}"]
        if str(type.required) not in _PLAIN:
            return None
        if type.required == ir.str_:
            encoding, codes = sorted_values(pyarrow.chunked_array(table.large_strings(f"v{at}"), pyarrow.large_string()).combine_chunks())
            slot = DataSlot("code", space, encoding.type, None, partial(Column.of_numpy, codes))
            found.append(Values(slot, encoding.literal(encoding.missing), encoding))
            continue
        slot = DataSlot("value", space, type, None, partial(_column, table, f"v{at}", type.nullable))
        zero = None if type.nullable else Literal(False if type == ir.bool_ else 0.0 if type == ir.f64 else 0, type)
        found.append(Values(slot, zero, None, table.numpy(f"v{at}", "bool") if type.required == ir.bool_ and not table.null_count(f"v{at}") else None))
    return found


#: Booleans that so few values decide are asked of the codes themselves.
_FEW_VALUES = 8


def _is_one_of(code: Code, values: Values) -> Expression | None:
    """A boolean that few values have, or all but few, as a question about codes."""
    if values.truth is None:
        return None
    for wanted in (True, False):
        found = np.flatnonzero(values.truth == wanted).tolist()
        if len(found) <= _FEW_VALUES:
            if not found:
                return Literal(not wanted, ir.bool_)
            literals = [code.encoding.literal(one) for one in found]
            test = call("eq", code.expression, literals[0]) if len(found) == 1 else call("is_in", code.expression, *literals)
            return test if wanted else call("not_", test)
    return None


def _column(table: Any, name: str, nullable: bool) -> Column:
    return Column.of_arrow(pyarrow.array(table.column(name)), nullable=nullable)


def is_of_values(expression: Expression) -> bool:
    """Whether an expression is made of functions of each value alone."""
    return all(type(part) is not Call or part.op in _OF_VALUES for part in walk.reached([expression], walk.children)) and not expression.windowed


def _only_told_apart(expression: Expression, codes: Mapping[Slot, Code]) -> bool:
    """Whether a reduction tells values apart, and asks nothing else of them."""
    return type(expression) is Fold and expression.op in _TELLING and type(expression.arguments[0]) is Ref and expression.arguments[0].slot in codes


def substituted(expression: Expression, slot: Slot, text: DataSlot) -> Expression:
    """The same function of another column."""
    here = Ref(text)

    def visit(part: Expression, made: list[Expression]) -> Expression:
        return here if type(part) is Ref and part.slot is slot else walk.rebuilt(part, made) if made else part

    return walk.fold(expression, walk.children, visit, {})
