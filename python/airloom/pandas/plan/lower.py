"""From rows and expressions to a program of the graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from airloom import ir
from airloom._native import Function, Graph, Node, Table, make_function
from airloom.pandas.plan import walk, windows
from airloom.pandas.plan.expression import Call, Expression, Fold, Literal, Over, Ref, Slot
from airloom.pandas.plan.rows import (
    Concatenated,
    DataSlot,
    Derived,
    Distinct,
    Exploded,
    FileScan,
    Filtered,
    Grouped,
    Joined,
    LookupJoin,
    MemoryRows,
    Projected,
    Rows,
    Sliced,
    Sorted,
)

#: A result that is asked for: rows, and columns over them by name.
Output = tuple[Rows, Mapping[str, Expression]]


class Lowered(NamedTuple):
    """A program: a function of no arguments that makes a relation, or a tuple of several; the data of its sources, and the files that they are in."""

    function: Function
    sources: dict[str, Any]
    files: list[Any]


def lower(outputs: Sequence[Output]) -> Lowered:
    """A program that makes these results."""
    lowering = _Lowering(outputs)
    with Graph():
        function = make_function(lowering.build, "pandas", [], None)
    return Lowered(function, lowering.sources, lowering.files)


def missing_slots(rows: Rows, outputs: Sequence[Output]) -> list[Slot]:
    """The slots of rows that these results need, where they do not all stand in memory already. What does is among them: it is kept with what is new."""
    lowering = _Lowering(outputs)
    needed = lowering.needed.get(rows, set())
    return [] if not needed or kept_slots(rows, needed) is not None else _numbered(needed)


def needed_slots(outputs: Sequence[Output]) -> dict[Rows, set[Slot]]:
    """The slots that these results need of each of the rows that they are made of."""
    return _Lowering(outputs).needed


def columns_read(outputs: Sequence[Output]) -> list[DataSlot]:
    """The columns in memory that these results are made of."""
    return [slot for rows, slots in needed_slots(outputs).items() if isinstance(rows, MemoryRows) for slot in slots if isinstance(slot, DataSlot)]


class _Relation:
    """A relation under construction: a node, and the names of its fields."""

    __slots__ = ("fields", "node", "overs", "taken")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.fields: dict[Slot, str] = {}
        self.overs: dict[int, str] = {}
        self.taken: set[str] = set()

    def name(self, hint: str) -> str:
        """A name that no field has."""
        return unused(hint, self.taken)

    def read(self, row: Node) -> Callable[[Expression], Node]:
        """How expressions are emitted in a body that sees one row. What they share is emitted once."""
        return partial(self._emit, row, {})

    def record(self, row: Node, columns: Mapping[str, Expression]) -> dict[str, Node]:
        """Expressions under names, in a body that sees one row."""
        emit = self.read(row)
        return {name: emit(expression) for name, expression in columns.items()}

    def _emit(self, row: Node, memo: dict[Expression, Node], expression: Expression) -> Node:
        # No closure that refers to itself: what a program reads is let go of as soon as it is built, and pandas writes in place again.
        def below(part: Expression) -> tuple[Expression, ...]:
            return part.arguments if type(part) is Call and id(part) not in self.overs else ()

        def visit(part: Expression, arguments: list[Node]) -> Node:
            name = self.overs.get(id(part))
            if name is not None:
                return row[name]
            if type(part) is Call:
                return emit_call(part, arguments)
            if type(part) is Ref:
                return row[self.fields[part.slot]]
            assert type(part) is Literal
            return emit_literal(part)

        return walk.fold(expression, below, visit, memo)


def unused(hint: str, taken: set[str]) -> str:
    """A name that is not taken, and is from now on."""
    name = hint or "column"
    if name in taken:
        # Most names are taken up to some number: it is found by halving, since there may be thousands.
        last, free = 1, 2
        while f"{hint}_{free}" in taken:
            last, free = free, free * 2
        while free - last > 1:
            middle = (last + free) // 2
            last, free = (middle, free) if f"{hint}_{middle}" in taken else (last, middle)
        name = f"{hint}_{free}"
    taken.add(name)
    return name


def emit_literal(literal: Literal) -> Node:
    return ir.null(literal.type) if literal.value is None else ir.const(literal.value, literal.type)


def emit_call(expression: Call, arguments: Sequence[Node]) -> Node:
    made: Node = getattr(ir, expression.op)(*arguments, **expression.attributes)
    return made


def kept_slots(rows: Rows, needed: Iterable[Slot]) -> tuple[MemoryRows, dict[Slot, Slot]] | None:
    """Where these slots stand in memory, if all of them do."""
    if rows.kept is None:
        return None
    space, positions = rows.kept
    # Rows in memory are the same ones in the same order, so that their numbers are the same too.
    found: dict[Slot, Slot] = {slot: space.position if slot is rows._position else positions[slot] for slot in needed if slot is rows._position or slot in positions}
    return (space, found) if len(found) == len(set(needed)) else None


class _Lowering:
    def __init__(self, outputs: Sequence[Output]) -> None:
        self.outputs: list[Output] = list(outputs)
        self.sources: dict[str, Any] = {}
        self.files: list[Any] = []
        self.needed = self._demand()
        self.made: dict[Rows, _Relation] = {}

    def _demand(self) -> dict[Rows, set[Slot]]:
        """Which slots are needed of which rows."""
        needed: dict[Rows, set[Slot]] = {}
        for rows, columns in self.outputs:
            needed.setdefault(rows, set()).update(*(column.slots for column in columns.values()))
        # Whoever reads rows comes before them, so that all that is needed of them is known when their turn comes.
        for rows in reversed(in_order([rows for rows, _ in self.outputs])):
            if rows not in needed:
                continue
            kept = kept_slots(rows, needed[rows])
            if kept is not None:
                needed.setdefault(kept[0], set()).update(kept[1].values())
                continue
            for below, slots in zip(rows.inputs, rows.wants(needed[rows]), strict=True):
                needed.setdefault(below, set()).update(slots)
        return needed

    def build(self) -> Any:
        order = [rows for rows in in_order([rows for rows, _ in self.outputs]) if rows in self.needed]
        self.users = Counter(below for rows in order for below in rows.inputs)
        self.users.update(rows for rows, _ in self.outputs)
        for rows in order:
            if rows not in self.made:
                self.made[rows] = self._relation(rows)
        results = []
        for rows, columns in self.outputs:
            relation = self._with_overs(self.made[rows], columns.values())
            results.append(ir.project(relation.node, partial(relation.record, columns=columns)))
        return results[0] if len(results) == 1 else ir.tuple_(*results)

    def _relation(self, rows: Rows) -> _Relation:
        needed = self.needed[rows]
        kept = kept_slots(rows, needed)
        if kept is not None:
            space, positions = kept
            base = self.made.get(space)
            if base is None:
                base = self.made[space] = self._relation(space)
            relation = _copy(base)
            relation.fields = {slot: base.fields[position] for slot, position in positions.items()}
            return relation
        relation = _BUILDERS[type(rows)](self, rows, needed)
        position = rows._position
        if position is not None and position in needed:
            relation = _copy(relation)
            name = relation.name("position")
            relation.node = ir.number(relation.node, name)
            relation.fields[position] = name
        return relation

    def _space(self, rows: MemoryRows, needed: set[Slot]) -> _Relation:
        slots = [slot for slot in _numbered(needed) if isinstance(slot, DataSlot)]
        relation = _Relation(None)  # type: ignore[arg-type]
        columns = {}
        types = {}
        for slot in slots:
            name = relation.fields[slot] = relation.name(slot.name)
            column = columns[name] = slot.column
            # What nobody need look at for nulls is computed faster.
            types[name] = slot.type.required if slot.type.nullable and not column.null_count else slot.type
        relation.node = self._source(Table.of_columns(columns, rows.count), ir.rel(types))
        return relation

    def _stored(self, rows: FileScan, needed: set[Slot]) -> _Relation:
        relation = _Relation(None)  # type: ignore[arg-type]
        types = {}
        for slot in _numbered(slot for slot in needed if slot in rows.columns):
            name, type = rows.columns[slot]
            types[name] = type
            relation.fields[slot] = name
            relation.taken.add(name)
        self.files.extend(rows.files)
        relation.node = self._source(rows.stored, ir.rel(types))
        return relation

    def _source(self, data: Any, type: ir.Type) -> Node:
        name = f"t{len(self.sources)}"
        self.sources[name] = data
        return ir.source(name, type)

    def _extended(self, rows: Projected, needed: set[Slot]) -> _Relation:
        wanted = {slot: expression for slot, expression in rows.columns.items() if slot in needed}
        relation = self._with_overs(self.made[rows.input], wanted.values())
        passed = {slot: name for slot, name in relation.fields.items() if slot in needed}
        made = _Relation(None)  # type: ignore[arg-type]
        made.fields = dict(passed)
        made.taken = set(passed.values())
        fresh = {slot: made.name(slot.name) for slot in wanted}
        made.fields.update(fresh)

        def body(row: Node) -> dict[str, Node]:
            emit = relation.read(row)
            return {**{name: row[name] for name in passed.values()}, **{name: emit(wanted[slot]) for slot, name in fresh.items()}}

        made.node = ir.project(relation.node, body)
        return made

    def _looked(self, rows: LookupJoin, needed: set[Slot], how: str = "left") -> _Relation:
        wanted = {slot: expression for slot, expression in rows.columns.items() if slot in needed}
        relation = self._with_overs(self.made[rows.input], rows.keys)
        other = self._with_overs(self.made[rows.other], [*rows.other_keys, *wanted.values()])
        made = _copy(relation)
        names = {slot: made.name(slot.name) for slot in wanted}
        mark = made.name("found")
        keys = [made.name("key") for _ in rows.other_keys]

        def body(row: Node) -> dict[str, Node]:
            emit = other.read(row)
            found = {name: emit(key) for name, key in zip(keys, rows.other_keys, strict=True)}
            return {**found, **{names[slot]: emit(e) for slot, e in wanted.items()}, mark: ir.const(True, ir.bool_)}

        right = ir.project(other.node, body)
        if rows.any_of and how == "left":
            right = ir.distinct(right, lambda row: {name: row[name] for name in keys})
        made.node = ir.join(
            relation.node,
            right,
            _keyed(relation, rows.keys),
            lambda row: {f"k{at}": row[name] for at, name in enumerate(keys)},
            lambda *_: True,
            how=how,  # type: ignore[arg-type]
            nulls="equal",
        )
        if how != "left":
            return made
        made.fields.update(names)
        if rows.found in needed:
            passed = {**made.fields}
            found = made.name("is_found")
            below = made.node
            made.node = ir.project(
                below, lambda row: {**{n: row[n] for n in (*passed.values(), *made.overs.values())}, found: ir.not_(ir.is_null(row[mark]))}
            )
            made.fields[rows.found] = found
        return made

    def _filtered(self, rows: Filtered, needed: set[Slot]) -> _Relation:
        below, predicate = rows.input, rows.predicate
        kept = predicate.arguments[0] if type(predicate) is Call and predicate.op == "not_" else predicate
        # Rows that are kept by whether they were found, and for nothing else of what was: a join that only asks.
        if type(below) is LookupJoin and type(kept) is Ref and kept.slot is below.found and not (needed & {below.found, *below.columns}):
            if self.users[below] == 1 and below._position not in self.needed[below] and kept_slots(below, self.needed[below]) is None:
                return self._looked(below, needed, "semi" if kept is predicate else "anti")
        relation = self._with_overs(self.made[rows.input], (rows.predicate,))
        made = _copy(relation)
        made.node = ir.filter(relation.node, lambda row: relation.read(row)(rows.predicate))
        return made

    def _sorted(self, rows: Sorted, needed: set[Slot]) -> _Relation:
        relation = self._with_overs(self.made[rows.input], rows.keys)
        made = _copy(relation)
        keys = _keyed(relation, rows.keys)
        if rows.limit is None:
            made.node = ir.sort(relation.node, keys, rows.by)
        else:
            made.node = ir.top(relation.node, rows.limit, keys, rows.by)
        return made

    def _sliced(self, rows: Sliced, needed: set[Slot]) -> _Relation:
        made = _copy(self.made[rows.input])
        made.node = ir.slice(made.node, rows.offset, ir.null(ir.i64) if rows.length is None else rows.length)
        return made

    def _distinct(self, rows: Distinct, needed: set[Slot]) -> _Relation:
        relation = self._with_overs(self.made[rows.input], rows.keys)
        made = _copy(relation)
        made.node = ir.distinct(relation.node, _keyed(relation, rows.keys), keep=rows.keep)  # type: ignore[arg-type]
        return made

    def _exploded(self, rows: Exploded, needed: set[Slot]) -> _Relation:
        relation = self._with_overs(self.made[rows.input], rows.lists.values())
        made = _Relation(None)  # type: ignore[arg-type]
        made.fields = {slot: name for slot, name in relation.fields.items() if slot in needed}
        passed = list(made.fields.values())
        made.taken = set(passed)
        names = {slot: made.name(slot.name) for slot in rows.lists}

        def body(row: Node) -> dict[str, Node]:
            emit = relation.read(row)
            return {**{name: row[name] for name in passed}, **{name: emit(rows.lists[slot]) for slot, name in names.items()}}

        made.node = ir.explode(ir.project(relation.node, body), columns=tuple(names.values()), empty="null")
        made.fields.update(names)
        return made

    def _grouped(self, rows: Grouped, needed: set[Slot]) -> _Relation:
        aggregates = {slot: fold for slot, fold in rows.aggregates.items() if slot in needed}
        arguments = windows.columns_of_folds(aggregates.values())
        relation = self._computed(self.made[rows.input], [*rows.keys.values(), *arguments])
        made = _Relation(None)  # type: ignore[arg-type]
        keys = {slot: made.name(slot.name) for slot in rows.keys}
        values = {slot: made.name(slot.name) for slot in aggregates}
        made.fields = {**keys, **values}

        def key(row: Node) -> dict[str, Node]:
            emit = relation.read(row)
            return {name: emit(rows.keys[slot]) for slot, name in keys.items()}

        def body(group: Node) -> dict[str, Node]:
            emit = self._folding(relation, group)
            return {name: emit(aggregates[slot]) for slot, name in values.items()}

        made.node = ir.group(relation.node, key, body)
        return made

    def _folding(self, relation: _Relation, group: Node) -> Callable[[Expression], Node]:
        """How expressions over the whole group are emitted."""
        return partial(_emit_fold, relation.read(group), {})

    def _joined(self, rows: Joined, needed: set[Slot]) -> _Relation:
        made = _Relation(None)  # type: ignore[arg-type]
        sides = []
        for below, keys, columns in ((rows.left, rows.left_keys, rows.left_columns), (rows.right, rows.right_keys, rows.right_columns)):
            wanted = {slot: expression for slot, expression in columns.items() if slot in needed}
            relation = self._with_overs(self.made[below], [*keys, *wanted.values()])
            sides.append(self._side(made, relation, keys, wanted))
        (left, left_key), (right, right_key) = sides
        made.node = ir.join(
            left, right, left_key, right_key, lambda *_: True, how=rows.how, nulls=rows.nulls, major=rows.major  # type: ignore[arg-type]
        )
        # What is not read any more is left out at once, so that rules see what a join is for.
        made.node = ir.project(made.node, lambda row: {name: row[name] for name in made.fields.values()})
        return made

    def _side(
        self, made: _Relation, relation: _Relation, keys: Sequence[Expression], wanted: Mapping[Slot, Expression]
    ) -> tuple[Node, Callable[[Node], dict[str, Node]]]:
        """One input of a join: its columns under names of the result's, and its keys."""
        names = {slot: made.name(slot.name) for slot in wanted}
        made.fields.update(names)
        # A key that is a column of the result too is computed once.
        positions = {id(expression): names[slot] for slot, expression in wanted.items()}
        positions.update({_slot(expression): names[slot] for slot, expression in wanted.items() if type(expression) is Ref})
        extra: dict[str, Expression] = {}
        chosen = []
        for key in keys:
            name = positions.get(id(key)) or (positions.get(_slot(key)) if type(key) is Ref else None)
            if name is None:
                name = made.name(key.slot.name if type(key) is Ref else "key")
                extra[name] = key
            chosen.append(name)

        def body(row: Node) -> dict[str, Node]:
            emit = relation.read(row)
            return {**{names[slot]: emit(expression) for slot, expression in wanted.items()}, **{n: emit(e) for n, e in extra.items()}}

        return ir.project(relation.node, body), lambda row: {f"k{at}": row[name] for at, name in enumerate(chosen)}

    def _stacked(self, rows: Concatenated, needed: set[Slot]) -> _Relation:
        made = _Relation(None)  # type: ignore[arg-type]
        made.fields = {slot: made.name(slot.name) for slot in rows.slots if slot in needed}
        nodes = []
        for below, columns in rows.parts:
            relation = self._with_overs(self.made[below], [columns[slot] for slot in made.fields])
            nodes.append(ir.project(relation.node, partial(relation.record, columns={name: columns[slot] for slot, name in made.fields.items()})))
        made.node = ir.concat(*_alike_in_nulls(nodes))
        return made

    def _derived(self, rows: Derived, needed: set[Slot]) -> _Relation:
        nodes = []
        for below, columns in zip(rows.inputs, rows.reads, strict=True):
            relation = self._with_overs(self.made[below], columns.values())
            nodes.append(ir.project(relation.node, partial(relation.record, columns={slot.name: e for slot, e in columns.items()})))
        made = _Relation(rows.make(*nodes))
        made.fields = dict(rows.slots)
        made.taken = set(made.node.type.fields)
        return made

    def _computed(self, relation: _Relation, expressions: Sequence[Expression]) -> _Relation:
        """The relation with these expressions as columns, so that bodies over groups see arrays of them."""
        relation = self._with_overs(relation, expressions)
        fresh = {id(e): e for e in expressions if type(e) is not Ref and id(e) not in relation.overs}
        if not fresh:
            return relation
        made = _copy(relation)
        names = {key: made.name("value") for key in fresh}

        def body(row: Node) -> dict[str, Node]:
            emit = relation.read(row)
            kept = {name: row[name] for name in (*relation.fields.values(), *relation.overs.values())}
            return {**kept, **{names[key]: emit(expression) for key, expression in fresh.items()}}

        made.node = ir.project(relation.node, body)
        made.overs.update(names)
        return made

    def _with_overs(self, relation: _Relation, expressions: Iterable[Expression]) -> _Relation:
        """The relation with a column for each window in these expressions."""
        found = walk.reached((e for e in expressions if e.windowed), windows.looking_at_rows)
        waiting = [e for e in found if type(e) is Over and id(e) not in relation.overs]
        if not waiting:
            return relation
        for group in windows.alike(waiting):
            relation = self._window(relation, group)
        return relation

    def _window(self, relation: _Relation, overs: Sequence[Over]) -> _Relation:
        first = overs[0]
        arguments = [*first.partition, *(key for key, _ in first.order), *windows.columns_of_folds([over.fold for over in overs])]
        relation = self._computed(relation, arguments)
        # Those that others of them look at stand there already.
        overs = [over for over in overs if id(over) not in relation.overs]
        if not overs:
            return relation
        made = _copy(relation)
        names = [made.name("window") for _ in overs]

        def columns(group: Node) -> dict[str, Node]:
            emit = self._folding(relation, group)
            result = {}
            for name, over in zip(names, overs, strict=True):
                value = emit(over.fold)
                if over.fold.reduces:
                    # Any column of the group tells how many rows there are.
                    anchor = group[next(iter(group.type.fields))]
                    value = ir.arr_map(anchor, lambda _, value=value: value)
                result[name] = value
            return result

        made.node = ir.window(
            relation.node,
            _keyed(relation, first.partition, "p"),
            _keyed(relation, [key for key, _ in first.order], "o"),
            columns,
            by=tuple(word for _, word in first.order),
        )
        made.overs.update({id(over): name for over, name in zip(overs, names, strict=True)})
        return made


def _emit_fold(column: Callable[[Expression], Node], memo: dict[Expression, Node], expression: Expression) -> Node:
    """An expression over a whole group; `column` emits what folds are of."""

    def visit(part: Expression, made: list[Node]) -> Node:
        if type(part) is Fold:
            folded = iter(made)
            arrays = [next(folded) if argument.folds else column(argument) for argument in part.arguments]
            scalars = [emit_literal(s) if isinstance(s, Literal) else s for s in part.scalars]
            bodies = [] if part.body is None else [part.body]
            node: Node = getattr(ir, part.op)(*arrays, *scalars, *bodies, **part.attributes)
            return node
        if type(part) is Call:
            return emit_call(part, made)
        assert type(part) is Literal
        return emit_literal(part)

    return walk.fold(expression, windows.over_groups, visit, memo)


def _alike_in_nulls(nodes: Sequence[Node]) -> list[Node]:
    """Relations of the same columns, each of which may be null in all of them where it may in one."""
    fields = [node.type.fields for node in nodes]
    nullable = {name for types in fields for name, type in types.items() if type.nullable}
    if all(types[name].nullable for types in fields for name in nullable):
        return list(nodes)

    def widened(types: Mapping[str, ir.Type]) -> Callable[[Node], dict[str, Node]]:
        return lambda row: {
            name: ir.cast(row[name], to=ir.optional(type)) if name in nullable and not type.nullable else row[name] for name, type in types.items()
        }

    return [ir.project(node, widened(types)) for node, types in zip(nodes, fields, strict=True)]


def _copy(relation: _Relation) -> _Relation:
    made = _Relation(relation.node)
    made.fields, made.overs, made.taken = dict(relation.fields), dict(relation.overs), set(relation.taken)
    return made


def _slot(expression: Expression) -> Any:
    return expression.slot if type(expression) is Ref else None


def _numbered(slots: Iterable[Slot]) -> list[Slot]:
    """Slots in the order in which they were made: the same program gives the same graph."""
    return sorted(slots, key=lambda slot: slot.number)


def _keyed(relation: _Relation, keys: Sequence[Expression], letter: str = "k") -> Callable[[Node], dict[str, Node]]:
    return partial(relation.record, columns={f"{letter}{at}": key for at, key in enumerate(keys)})


def in_order(roots: Sequence[Rows]) -> list[Rows]:
    """All rows below these, each after what it is made of. Kept rows are among them, before whoever stands for them."""
    order: list[Rows] = []
    seen: set[Rows] = set()
    stack: list[tuple[Rows, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        rows, done = stack.pop()
        if done:
            order.append(rows)
            continue
        if rows in seen:
            continue
        seen.add(rows)
        stack.append((rows, True))
        below = rows.inputs if rows.kept is None else (*rows.inputs, rows.kept[0])
        stack.extend((input, False) for input in below if input not in seen)
    return order


_BUILDERS: dict[type[Rows], Callable[[Any, Any, set[Slot]], _Relation]] = {
    MemoryRows: _Lowering._space,
    FileScan: _Lowering._stored,
    Projected: _Lowering._extended,
    LookupJoin: _Lowering._looked,
    Filtered: _Lowering._filtered,
    Sorted: _Lowering._sorted,
    Sliced: _Lowering._sliced,
    Distinct: _Lowering._distinct,
    Exploded: _Lowering._exploded,
    Grouped: _Lowering._grouped,
    Joined: _Lowering._joined,
    Concatenated: _Lowering._stacked,
    Derived: _Lowering._derived,
}
