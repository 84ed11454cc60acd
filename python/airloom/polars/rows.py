"""From values to relations: folds are placed as groups, windows and scalars, and the rest is one body for each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airloom import ir
from airloom._native import Node
from airloom.polars.failing import fail_where
from airloom.polars.refusals import Refused
from airloom.polars.values import Fold, Over, Value, by_level, emit, outer_folds


#: What the names of fields of our own begin with.
PREFIX = "airloom:"


class Names:
    """Names of fields that no column has: a program is the same in every run, so they are counted."""

    def __init__(self, prefix: str = PREFIX) -> None:
        self._count = 0
        self._prefix = prefix

    def new(self) -> str:
        """The next name. Columns whose names begin so are refused, so that none is taken."""
        self._count += 1
        return f"{self._prefix}{self._count}"


def project(node: Node, values: Mapping[str, Value], names: Names) -> Node:
    """One row for each row, with these columns."""
    node, placed = add_folds(node, list(values.values()), names)
    return ir.project(node, lambda row: dict(zip(values, emit(values.values(), row, placed), strict=True)))


def project_some(node: Node, predicate: Value, values: Mapping[str, Value], names: Names) -> Node:
    """One row for each row for which a value is true, with these columns, which are computed over all rows."""
    node, placed = add_folds(node, [predicate, *values.values()], names)
    node = ir.filter(node, lambda row: emit([predicate], row, placed)[0])
    return ir.project(node, lambda row: dict(zip(values, emit(values.values(), row, placed), strict=True)))


def extend(node: Node, values: Mapping[str, Value], names: Names) -> Node:
    """The rows with these columns besides; columns of the same name are replaced."""
    below, placed = add_folds(node, list(values.values()), names)
    made = ir.project(below, lambda row: ir.with_(row, dict(zip(values, emit(values.values(), row, placed), strict=True))))
    return made if below is node else pick(made, list(dict.fromkeys([*node.type.fields, *values])))


def keep(node: Node, predicate: Value, names: Names) -> Node:
    """The rows for which a value is true."""
    below, placed = add_folds(node, [predicate], names)
    made = ir.filter(below, lambda row: emit([predicate], row, placed)[0])
    return made if below is node else pick(made, list(node.type.fields))


def pick(node: Node, columns: Sequence[str]) -> Node:
    """The rows with only these columns, in this order."""
    if list(node.type.fields) == list(columns):
        return node
    return ir.project(node, lambda row: ir.pick(row, list(columns)))


def reduce(node: Node, keys: Mapping[str, Value], values: Mapping[str, Value], names: Names) -> Node:
    """One row for each distinct key, in the order in which keys first stand: the keys, then what each value is of its group. Without keys there is one row."""
    folds = outer_folds(list(values.values()))
    operands = {id(value): value for fold in folds for value in fold.operands}
    fields = {number: names.new() for number in operands}
    node, placed = add_folds(node, [*keys.values(), *operands.values()], names)
    wanted = {**keys, **{fields[number]: value for number, value in operands.items()}}
    if not operands:
        # An aggregate counts rows of a column: there must be one, and which does not matter.
        counted = names.new()
        node = ir.project(node, lambda row: {**dict(zip(keys, emit(keys.values(), row, placed), strict=True)), counted: ir.const(True)})
    else:
        node = ir.project(node, lambda row: dict(zip(wanted, emit(wanted.values(), row, placed), strict=True)))
        counted = next(iter(fields.values()))
    results = {fold: names.new() for fold in folds}

    def aggregates(group: Node) -> dict[str, Node]:
        arrays = {number: ir.get(group, field) for number, field in fields.items()}
        some = ir.get(group, counted)
        return {name: fold.make(*([arrays[id(value)] for value in fold.operands] or [some])) for fold, name in results.items()}

    grouped = ir.group(node, lambda row: {name: ir.get(row, name) for name in keys}, aggregates)
    made = dict(results)

    def row_of(row: Node) -> dict[str, Node]:
        own = {name: ir.get(row, name) for name in keys}
        return {**own, **dict(zip(values, emit(values.values(), row, made), strict=True))}

    return ir.project(grouped, row_of)


def add_folds(node: Node, values: Sequence[Value], names: Names) -> tuple[Node, dict[Fold, str | Node]]:
    """The relation with everything that these values need besides its columns, and where that is."""
    placed: dict[Fold, str | Node] = {}
    for folds in by_level(values):
        arrays = {names.new(): fold for fold in folds if fold.beside is not None}
        if arrays:
            node = _beside(node, {name: fold.beside for name, fold in arrays.items()})
            placed.update({fold: name for name, fold in arrays.items()})
            folds = [fold for fold in folds if fold.beside is None]
        scalars = [fold for fold in folds if _is_scalar(fold)]
        if scalars:
            node, made_once = _scalars(node, scalars, placed, names)
            placed.update(made_once)
        by_rows: dict[Over, list[Fold]] = {}
        for fold in folds:
            if not _is_scalar(fold):
                by_rows.setdefault(fold.over, []).append(fold)
        for over, together in by_rows.items():
            node, made = _window(node, over, together, placed, names)
            placed.update(made)
    return node, placed


def _beside(node: Node, arrays: Mapping[str, Node | None]) -> Node:
    """The rows with arrays beside them; the program fails where one is not as long as they are."""
    columns = ir.columns(node)
    return ir.pack({**{name: ir.get(columns, name) for name in node.type.fields}, **arrays})


def _is_scalar(fold: Fold) -> bool:
    """Whether a fold is one value for all rows."""
    return fold.reduces and not fold.over.keys and fold.over.windows is None


def _scalars(node: Node, folds: Sequence[Fold], placed: Mapping[Fold, str | Node], names: Names) -> tuple[Node, Mapping[Fold, str | Node]]:
    """Values over all rows: computed once, and captured by the bodies that use them. Where computing them may raise, bodies would compute them anew for each row: then they
    stand in a row of their own, which is joined to every row.
    """
    operands = {id(value): value for fold in folds for value in fold.operands}
    fields = {number: names.new() for number in operands} or {0: names.new()}
    first = next(iter(fields.values()))
    narrow = ir.project(node, lambda row: dict(zip(fields.values(), emit(operands.values(), row, placed) or [ir.const(True)], strict=True)))
    results = {fold: names.new() for fold in folds}

    def aggregates(group: Node) -> dict[str, Node]:
        return {name: fold.make(*([ir.get(group, fields[id(value)]) for value in fold.operands] or [ir.get(group, first)])) for fold, name in results.items()}

    single = ir.group(narrow, lambda row: {}, aggregates)
    if single.may_raise:
        return ir.join(node, single, lambda row: {}, lambda row: {}, lambda left, right: ir.const(True), how="cross"), dict(results)
    columns = ir.columns(single)
    return node, {fold: ir.at(ir.get(columns, name), 0) for fold, name in results.items()}


def _window(node: Node, over: Over, folds: Sequence[Fold], placed: Mapping[Fold, str | Node], names: Names) -> tuple[Node, dict[Fold, str]]:
    """The rows with what is computed over the partition that each belongs to."""
    index = [] if over.windows is None else [over.windows.index]
    needed = {id(value): value for value in (*index, *over.keys, *over.order, *(operand for fold in folds for operand in fold.operands))}
    fields = {number: names.new() for number in needed}
    before = list(node.type.fields)
    node = ir.project(node, lambda row: ir.with_(row, dict(zip(fields.values(), emit(needed.values(), row, placed), strict=True))))
    if not needed:
        fields = {0: names.new()}
        node = ir.project(node, lambda row: ir.with_(row, {fields[0]: ir.const(True)}))
    first = next(iter(fields.values()))
    results = {fold: names.new() for fold in folds}

    def columns(part: Node) -> dict[str, Node]:
        made = {}
        bounds = None if over.windows is None else over.windows.bounds(ir.get(part, fields[id(over.windows.index)]))
        for fold, name in results.items():
            arrays = [ir.get(part, fields[id(value)]) for value in fold.operands] or [ir.get(part, first)]
            if bounds is not None:
                made[name] = ir.windows(arrays[0], *bounds, fold.make, min_count=0)
                continue
            made[name] = _repeated(fold.make(*arrays), arrays[0]) if fold.reduces else fold.make(*arrays)
        return made

    node = ir.window(
        node,
        lambda row: {fields[id(key)]: ir.get(row, fields[id(key)]) for key in over.keys},
        lambda row: {fields[id(key)]: ir.get(row, fields[id(key)]) for key in over.order},
        columns,
        by=list(over.by),
    )
    return pick(node, [*before, *results.values()]), dict(results)


def _repeated(value: Node, like: Node) -> Node:
    """A value, as often as an array has elements."""
    return ir.map((like,), lambda _element: value)


def exploded(relation: Node, names: Sequence[str], empty_as_null: bool, keep_nulls: bool) -> Node:
    """A row for each element of lists; what becomes of lists that are empty or null is told."""
    if empty_as_null and keep_nulls:
        return ir.explode(relation, names, empty="null")
    if not empty_as_null and not keep_nulls:
        return ir.explode(relation, names, empty="drop")
    if len(names) != 1 and not keep_nulls:
        raise Refused(f"`explode` of {len(names)} columns at once with `empty_as_null` {empty_as_null} and `keep_nulls` {keep_nulls} is not translated")
    name = names[0]
    if keep_nulls:
        # Empty lists go, nulls stay: the graph takes both for the same.
        return ir.explode(ir.filter(relation, lambda row: _has_rows(row, names)), names, empty="null")
    return ir.explode(ir.filter(relation, lambda row: ir.not_(ir.is_null(ir.get(row, name)))), [name], empty="null")


def _has_rows(row: Node, names: Sequence[str]) -> Node:
    """Whether the lists of a row make rows; the program fails where one makes more than another."""
    first, *others = (ir.coalesce(ir.list_len(ir.get(row, name)), ir.const(1)) for name in names)
    found = ir.is_true(ir.gt(first, ir.const(0)))
    for other in others:
        found = fail_where(ir.ne(first, other), found, "lists of one row that are not equally long")
    return found
