"""Programs over text of few values, with codes in the place of the text.

What is asked for is rewritten before it becomes a program: keys of groups, of distinct rows and of sorts are codes, functions of one column of text are computed for each of its values once and
looked up, and what only passes by does so as codes. A slot has codes where its text comes from a column that `encoding` knows, or is one of a few literals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow

from airloom.pandas.plan import rows as nodes
from airloom.pandas.plan import walk
from airloom.pandas.plan.coded_expressions import Evaluate, Made, RecodedOver, is_of_values, substituted
from airloom.pandas.plan.encoding import Code, Encoding
from airloom.pandas.plan.expression import Call, Expression, Fold, Literal, Ref, Slot, call
from airloom.pandas.plan.lower import Output, in_order, kept_slots, needed_slots
from airloom.pandas.plan.rows import DataSlot, MemoryRows, Rows
from airloom.pandas.plan.text_survey import Survey, literal_choice

#: Reductions that give one of the values.
_CHOOSING = frozenset(("arr_min", "arr_max", "arr_first", "arr_last"))
#: A table of more rows than this is not looked up for each value.
_MOST_LOOKED_UP = 4096


def recoded(outputs: Sequence[Output], evaluate: Evaluate, *, in_output: bool) -> tuple[list[Output], list[dict[str, Code]]]:
    """The same results with codes in the place of text where that is less work, and which columns are codes, with `in_output`. `evaluate` computes expressions over rows in memory."""
    order = in_order([rows for rows, _ in outputs])
    looked = Survey(order, outputs, in_output)
    if not looked.worth:
        return list(outputs), [{} for _ in outputs]
    made = _Recoding(looked, needed_slots(outputs), evaluate)
    for rows in order:
        if rows in made.needed and rows not in made.made:
            made.add(rows)
    return made.outputs(outputs, in_output)


def encode_keys(outputs: Sequence[Output]) -> None:
    """Looks at the columns of text that these results are grouped or sorted by, so that rows which are computed for them first have codes already."""
    Survey(in_order([rows for rows, _ in outputs]), outputs, in_output=False)


class _Recoding:
    """Rows made anew, with codes."""

    def __init__(self, survey: Survey, needed: Mapping[Rows, set[Slot]], evaluate: Evaluate) -> None:
        self.survey = survey
        self.needed = needed
        self.evaluate = evaluate
        self.made: dict[Rows, Made] = {}

    def add(self, rows: Rows) -> None:
        needed = self.needed[rows]
        kept = kept_slots(rows, needed)
        if kept is not None:
            # Rows that are in memory already.
            space, stored = kept
            codes = {slot: self.survey.codes[own] for slot, own in stored.items() if isinstance(own, DataSlot) and own in self.survey.codes}
            self.made[rows] = nodes.Projected(space, {slot: Ref(own) for slot, own in stored.items()}), codes, frozenset()
            return
        made = self.made[rows] = _MAKERS[type(rows)](self, rows)
        if made[0] is not rows:
            made[0].count, made[0]._position = rows.count, rows._position

    def _over(self, rows: Rows, expressions: Iterable[Expression], coded: Iterable[Expression] = ()) -> RecodedOver:
        return RecodedOver(self.made[rows], self.evaluate, expressions, coded)

    def outputs(self, outputs: Sequence[Output], in_output: bool) -> tuple[list[Output], list[dict[str, Code]]]:
        made: list[Output] = []
        found: list[dict[str, Code]] = []
        for rows, columns in outputs:
            over = self._over(rows, *((), columns.values()) if in_output else (columns.values(), ()))
            codes = {name: self._code_of(over, column) if in_output else None for name, column in columns.items()}
            made.append((over.rows, {name: over(columns[name]) if code is None else code.expression for name, code in codes.items()}))
            found.append({name: code for name, code in codes.items() if code is not None})
        return made, found

    # Each of these makes rows anew: with the codes of what can be seen there, and the slots that are nothing else.

    def _memory(self, rows: MemoryRows) -> Made:
        return rows, {slot: self.survey.codes[slot] for slot in self.needed[rows] if slot in self.survey.codes}, frozenset()

    def _stored(self, rows: nodes.FileScan) -> Made:
        return rows, {}, frozenset()

    def _passed(self, rows: Any, over: RecodedOver, new: Rows) -> Made:
        return new, self.made[rows.input][1], over.hidden

    def _filtered(self, rows: nodes.Filtered) -> Made:
        over = self._over(rows.input, [rows.predicate])
        return self._passed(rows, over, nodes.Filtered(over.rows, over(rows.predicate), by_mask=rows.by_mask))

    def _sorted(self, rows: nodes.Sorted) -> Made:
        over = self._over(rows.input, (), rows.keys)
        return self._passed(rows, over, nodes.Sorted(over.rows, [over.key(key, ordered=True) for key in rows.keys], rows.by, rows.limit, by_array=rows.by_array))

    def _sliced(self, rows: nodes.Sliced) -> Made:
        over = self._over(rows.input, ())
        return self._passed(rows, over, nodes.Sliced(over.rows, rows.offset, rows.length))

    def _distinct(self, rows: nodes.Distinct) -> Made:
        over = self._over(rows.input, (), rows.keys)
        return self._passed(rows, over, nodes.Distinct(over.rows, [over.key(key) for key in rows.keys], rows.keep, by_mask=rows.by_mask))

    def _exploded(self, rows: nodes.Exploded) -> Made:
        over = self._over(rows.input, rows.lists.values())
        return self._passed(rows, over, nodes.Exploded(over.rows, {slot: over(expression) for slot, expression in rows.lists.items()}))

    def _projected(self, rows: nodes.Projected) -> Made:
        wanted = {slot: expression for slot, expression in rows.columns.items() if slot in self.needed[rows]}
        over = self._over(rows.input, (), wanted.values())
        codes, hidden = dict(self.made[rows.input][1]), set(over.hidden)
        fresh: dict[Slot, Expression] = {}
        for slot, expression in wanted.items():
            code = self._code_of(over, expression)
            if code is None:
                fresh[slot] = over(expression)
                continue
            if type(expression) is Ref:
                codes[slot] = code
            else:
                code_slot = Slot("code")
                fresh[code_slot] = code.expression
                codes[slot] = Code(Ref(code_slot), code.encoding, weak=code.weak)
            if over.has_text(expression):
                fresh[slot] = expression
            else:
                hidden.add(slot)
        return nodes.Projected(over.rows, fresh), codes, frozenset(hidden)

    def _code_of(self, over: RecodedOver, expression: Expression) -> Code | None:
        """The codes of an expression, where it has some: it is text that has, or a choice of literals, or a function of text."""
        if type(expression) is Ref:
            return over.codes.get(expression.slot)
        found = over.derived.get(id(expression))
        if found is not None:
            return found
        return None if literal_choice(expression) is None else self._chosen(over, expression)

    def _chosen(self, over: RecodedOver, expression: Expression) -> Code:
        """The codes of a choice among literals."""
        values = literal_choice(expression)
        assert values is not None
        known = sorted(value for value in values if value is not None)
        encoding = Encoding(pyarrow.array(known, pyarrow.large_string()))
        codes = {value: at for at, value in enumerate(known)} | {None: encoding.missing}

        def visit(part: Expression, made: list[Expression]) -> Expression:
            if type(part) is Literal:
                return encoding.literal(codes[part.value])
            assert type(part) is Call
            return Call("select", (over(part.arguments[0]), *made), part.attributes)

        made = walk.fold(expression, lambda part: part.arguments[1:] if type(part) is Call else (), visit, {})
        return Code(made, encoding, weak=None in values)

    def _looked(self, rows: nodes.LookupJoin) -> Made:
        over = self._looked_up_by_value(rows)
        if over is not None:
            return over
        mine = self._over(rows.input, rows.keys)
        wanted = {slot: expression for slot, expression in rows.columns.items() if slot in self.needed[rows]}
        far = self._over(rows.other, rows.other_keys, wanted.values())
        columns, codes, hidden = self._carried(far, wanted, weak=True)
        made = nodes.LookupJoin(mine.rows, [mine(key) for key in rows.keys], far.rows, [far(key) for key in rows.other_keys], columns, rows.found, any_of=rows.any_of)
        return made, {**self.made[rows.input][1], **codes}, mine.hidden | hidden

    def _carried(self, over: RecodedOver, wanted: Mapping[Slot, Expression], *, weak: bool) -> tuple[dict[Slot, Expression], dict[Slot, Code], set[Slot]]:
        """Columns of one side of a join, the codes of those that are text, and those that are nothing else: a row that is not there has the code of what is missing."""
        columns: dict[Slot, Expression] = {}
        codes: dict[Slot, Code] = {}
        hidden: set[Slot] = set()
        for slot, expression in wanted.items():
            code = self._code_of(over, expression)
            if code is None:
                columns[slot] = over(expression)
                continue
            code_slot = Slot("code")
            columns[code_slot] = code.expression
            there = call("coalesce", Ref(code_slot), code.encoding.literal(code.encoding.missing)) if weak else Ref(code_slot)
            codes[slot] = Code(there, code.encoding, weak=weak or code.weak)
            if over.has_text(expression):
                columns[slot] = expression
            else:
                hidden.add(slot)
        return columns, codes, hidden

    def _looked_up_by_value(self, rows: nodes.LookupJoin) -> Made | None:
        """A look-up by one column of text, done for each of its values once."""
        if len(rows.keys) != 1 or not isinstance(rows.other, MemoryRows) or rows.other.count > _MOST_LOOKED_UP:
            return None
        (key,) = rows.keys
        slots = list(key.slots)
        codes = self.made[rows.input][1]
        if len(slots) != 1 or slots[0] not in codes or not (type(key) is Ref or is_of_values(key)):
            return None
        code = codes[slots[0]]
        wanted = {slot: expression for slot, expression in rows.columns.items() if slot in self.needed[rows]}
        by_value = nodes.LookupJoin(code.encoding.space, [substituted(key, slots[0], code.encoding.text)], rows.other, rows.other_keys, wanted, found := Slot("found"), any_of=rows.any_of)
        values = self.evaluate(by_value, [*map(Ref, wanted), Ref(found)], code.encoding.space)
        if values is None:
            return None
        over = self._over(rows.input, ())
        columns, made = over.look_up(code, values)
        new: dict[Slot, Code] = {}
        fresh: dict[Slot, Expression] = {rows.found: columns[-1]}
        for slot, column, own in zip(wanted, columns, made, strict=False):
            if own is not None:
                new[slot] = own
            else:
                fresh[slot] = column
        return nodes.Projected(over.rows, fresh), {**codes, **new}, over.hidden | new.keys()

    def _grouped(self, rows: nodes.Grouped) -> Made:
        needed = self.needed[rows]
        aggregates = {slot: e for slot, e in rows.aggregates.items() if slot in needed}
        over = self._over(rows.input, aggregates.values(), rows.keys.values())
        codes: dict[Slot, Code] = {}
        keys: dict[Slot, Expression] = {}
        for slot, expression in rows.keys.items():
            code = self._code_of(over, expression)
            if code is None:
                keys[slot] = over(expression)
                continue
            code_slot = Slot(slot.name)
            keys[code_slot] = code.expression
            codes[slot] = Code(Ref(code_slot), code.encoding, weak=code.weak)
        values: dict[Slot, Expression] = {}
        for slot, expression in aggregates.items():
            code = None
            if type(expression) is Fold and expression.op in _CHOOSING and type(expression.arguments[0]) is Ref:
                code = self.made[rows.input][1].get(expression.arguments[0].slot)
            if code is None:
                values[slot] = over(expression)
                continue
            assert isinstance(expression, Fold)
            code_slot = Slot(slot.name)
            values[code_slot] = Fold(expression.op, (code.or_null(),), expression.scalars, expression.body, expression.attributes)
            codes[slot] = Code(call("coalesce", Ref(code_slot), code.encoding.literal(code.encoding.missing)), code.encoding, weak=True)
        return nodes.Grouped(over.rows, keys, values), codes, frozenset(codes)

    def _joined(self, rows: nodes.Joined) -> Made:
        sides = []
        codes: dict[Slot, Code] = {}
        hidden: set[Slot] = set()
        for below, keys, columns, others in ((rows.left, rows.left_keys, rows.left_columns, "right"), (rows.right, rows.right_keys, rows.right_columns, "left")):
            wanted = {slot: expression for slot, expression in columns.items() if slot in self.needed[rows]}
            over = self._over(below, keys, wanted.values())
            carried, own, without = self._carried(over, wanted, weak=rows.how in (others, "outer"))
            codes.update(own)
            hidden |= without
            sides.append((over.rows, [over(key) for key in keys], carried))
        (left, left_keys, left_columns), (right, right_keys, right_columns) = sides
        made = nodes.Joined(left, right, rows.how, left_keys, right_keys, left_columns, right_columns, nulls=rows.nulls, major=rows.major)
        return made, codes, frozenset(hidden)

    def _stacked(self, rows: nodes.Concatenated) -> Made:
        slots = [slot for slot in rows.slots if slot in self.needed[rows]]
        parts = []
        for below, columns in rows.parts:
            over = self._over(below, [columns[slot] for slot in slots])
            parts.append((over.rows, [over(columns[slot]) for slot in slots]))
        return nodes.Concatenated(slots, parts), {}, frozenset()

    def _derived(self, rows: nodes.Derived) -> Made:
        overs = [self._over(below, reads.values()) for below, reads in zip(rows.inputs, rows.reads, strict=True)]
        reads = [{slot: over(e) for slot, e in columns.items()} for over, columns in zip(overs, rows.reads, strict=True)]
        return nodes.Derived([over.rows for over in overs], reads, rows.slots, rows.make), {}, frozenset()


_MAKERS: dict[type[Rows], Any] = {
    MemoryRows: _Recoding._memory,
    nodes.FileScan: _Recoding._stored,
    nodes.Projected: _Recoding._projected,
    nodes.LookupJoin: _Recoding._looked,
    nodes.Filtered: _Recoding._filtered,
    nodes.Sorted: _Recoding._sorted,
    nodes.Sliced: _Recoding._sliced,
    nodes.Distinct: _Recoding._distinct,
    nodes.Exploded: _Recoding._exploded,
    nodes.Grouped: _Recoding._grouped,
    nodes.Joined: _Recoding._joined,
    nodes.Concatenated: _Recoding._stacked,
    nodes.Derived: _Recoding._derived,
}
