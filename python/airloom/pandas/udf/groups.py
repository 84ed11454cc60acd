"""Functions of Python over the rows of a group: what one makes of each group, or of each of its rows."""

from __future__ import annotations

import operator
import types as python
from collections.abc import Mapping
from typing import Any

import numpy as np

from airloom import ir
from airloom.functions.syntax import statements_of
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.ops import arithmetic, cumulative
from airloom.pandas.ops.aggregates import aggregate
from airloom.pandas.plan import walk
from airloom.pandas.plan.expression import Call, Expression, Fold, Literal, Over, call, fold
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.udf.group_things import Many, Method, One, Record, Some, Table, Thing
from airloom.pandas.udf.source import definition
from airloom.pandas.udf.values import Constant, folded


_TURNED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
#: Methods of a series that make one value of it, and the options that they take.
_REDUCTIONS = {
    **{name: frozenset({"skipna", "min_count"}) for name in ("sum", "prod")},
    **{name: frozenset({"skipna"}) for name in ("mean", "min", "max", "median")},
    **{name: frozenset({"skipna", "ddof"}) for name in ("std", "var", "sem")},
    **{name: frozenset[str]() for name in ("count", "nunique", "any", "all")},
    "quantile": frozenset({"q"}),
}
#: Functions of NumPy that call the method of the series. Of a frame they make one value of all its columns.
_METHODS: dict[Any, str] = {np.sum: "sum", np.mean: "mean", np.min: "min", np.max: "max", np.prod: "prod"}
#: Methods of a frame that choose rows.
_CHOOSING = frozenset({"head", "tail", "nlargest", "nsmallest", "sort_values"})
_PLAIN = (types.INT64, types.FLOAT64, types.BOOL)


def over_groups(expression: Expression, partition: tuple[Expression, ...]) -> Expression:
    """What folds make of a group, beside each of its rows."""

    def visit(part: Expression, parts: list[Expression]) -> Expression:
        return Over(part, partition) if isinstance(part, Fold) else walk.rebuilt(part, parts) if isinstance(part, Call) else part

    made: Expression = walk.fold(expression, walk.calls, visit, {})
    return made


class Body:
    """Runs a function with what stands for the rows of a group."""

    def __init__(self, rows: Rows, partition: tuple[Expression, ...], *, ordered: bool) -> None:
        self.rows = rows
        self.partition = partition
        #: Whether rows stand in the order in which the function sees them.
        self.ordered = ordered
        #: Whether items of a series are its elements by their position, as those of an array are.
        self.by_position = False
        #: What must hold of no group: there Python would warn, or raise.
        self.never: list[Expression] = []

    def call(self, function: Any, subject: Thing, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None) -> Thing:
        """What a function makes of the group."""
        if not isinstance(function, python.FunctionType):
            return self.called(function, [subject, *map(Constant, args)], {name: Constant(value) for name, value in (kwargs or {}).items()})
        node = definition(function)
        run = Run(self, function)
        run.local = run.parameters(function, node, [subject, *map(Constant, args)], {name: Constant(value) for name, value in (kwargs or {}).items()}, Constant)
        run.block(statements_of(node))
        if run.result is None:
            raise Refused("a function that returns nothing")
        return run.result

    def called(self, function: Any, arguments: list[Thing], keywords: dict[str, Thing]) -> Thing:
        """What a function that is not written in Python makes of things."""
        subject = arguments[0] if arguments else None
        if function is getattr and len(arguments) == 2 and not keywords:
            attribute = arguments[1]
            if not isinstance(subject, (Many, Table)) or not isinstance(attribute, Constant) or not isinstance(attribute.value, str):
                raise Refused("an attribute that is computed")
            return Method(subject, attribute.value)
        try:
            name = _METHODS.get(function)
        except TypeError as error:
            raise Refused("a call that cannot be looked up") from error
        if name is not None and isinstance(subject, Many) and len(arguments) == 1:
            return self.method(subject, name, [], keywords)
        if function is len and isinstance(subject, (Many, Table)) and len(arguments) == 1 and not keywords:
            return One(Column(self.size(subject), types.INT64), python=True)
        if function is abs and isinstance(subject, Many) and len(arguments) == 1 and not keywords:
            return self.method(subject, "abs", [], {})
        if function in (sum, min, max) and isinstance(subject, Many) and len(arguments) == 1 and subject.column.dtype == types.INT64:
            return self.method(subject, function.__name__, [], keywords)
        if function is float and isinstance(subject, One) and len(arguments) == 1:
            return One(Column(literals.cast(subject.column.expression, subject.column.dtype, types.FLOAT64), types.FLOAT64), python=True)
        raise Refused("a call of a function without a native version")

    def size(self, subject: Many | Table) -> Expression:
        column = subject.column if isinstance(subject, Many) else next(iter(subject.columns.values()), None)
        if column is None:
            raise Refused("a frame without columns")
        return fold("count", column.expression, skip="none")

    def method(self, owner: Thing, name: str, arguments: list[Thing], keywords: dict[str, Thing]) -> Thing:
        """What a method makes of its owner."""
        given = [*arguments, *keywords.values()]
        if not all(isinstance(item, Constant) for item in given):
            raise Refused(f"arguments of `{name}` that are computed")
        named = {key: item.value for key, item in keywords.items() if isinstance(item, Constant)}
        plain = [item.value for item in arguments if isinstance(item, Constant)]
        if isinstance(owner, (Table, Some)) and name in _CHOOSING:
            return self._chosen(owner, name, plain, named)
        if isinstance(owner, Table) and name in _REDUCTIONS:
            if named.pop("numeric_only", False) is True:
                owner = Table({label: column for label, column in owner.columns.items() if types.is_numeric(column.dtype)})
            if any(column.dtype not in _PLAIN for column in owner.columns.values()):
                raise Refused("columns that are not `int64`, `float64` or `bool`")
            found = {label: self._reduced(Many(column), name, plain, named) for label, column in owner.columns.items()}
            return Record(found)
        if not isinstance(owner, Many):
            raise Refused(f"`{name}` of a value that is not a Series")
        if name in _REDUCTIONS:
            return self._reduced(owner, name, plain, named)
        return self._beside(owner, name, plain, named)

    def _chosen(self, owner: Table | Some, name: str, plain: list[Any], named: dict[str, Any]) -> Some:
        """Some of the rows of a frame, by their position or their order."""
        made = Some(owner.columns)
        if isinstance(owner, Some):
            if owner.count is not None or name != "head" and name != "tail":
                raise Refused("rows that are selected twice")
            made.order, made.predicate = owner.order, owner.predicate
        if name in ("head", "tail"):
            count = named.pop("n", plain[0] if plain else 5)
            if len(plain) > 1 or named or type(count) is not int or count < 0:
                raise Refused(f"arguments of `{name}`")
            made.count, made.from_end = count, name == "tail"
            return made
        if name == "sort_values":
            label, ascending = named.pop("by", plain[0] if plain else None), named.pop("ascending", True)
            stable = named.pop("kind", "stable") in ("stable", "mergesort")
            if len(plain) > 1 or named or not stable or not isinstance(ascending, bool):
                raise Refused("`sort_values` with other arguments, or an unstable `kind`")
            falling = not ascending
        else:
            count, label = named.pop("n", plain[0] if plain else None), named.pop("columns", plain[1] if len(plain) > 1 else None)
            if len(plain) > 2 or named or type(count) is not int or count < 0:
                raise Refused(f"arguments of `{name}`")
            made.count, falling = count, name == "nlargest"
        label = label[0] if isinstance(label, list) and len(label) == 1 else label
        if not isinstance(label, (str, int)) or label not in owner.columns:
            raise Refused(f"{value_text(label)} is not a column")
        made.order = [(owner.columns[label], "desc.last" if falling else "asc.last")]
        return made

    def _reduced(self, owner: Many, name: str, plain: list[Any], named: dict[str, Any]) -> One:
        if types.is_numeric(owner.column.dtype) and isinstance(named.get("numeric_only"), bool):
            named = {key: value for key, value in named.items() if key != "numeric_only"}
        if name == "quantile" and len(plain) == 1:
            plain, named = [], {**named, "q": plain[0]}
        column = owner.column
        if plain or not set(named) <= _REDUCTIONS[name] or not all(isinstance(value, (bool, int, float)) for value in named.values()):
            raise Refused(f"arguments of `{name}`")
        if column.dtype not in _PLAIN and name not in ("count", "nunique"):
            raise Refused(f"`{name}` of `{column.dtype}`")
        if name in ("std", "var", "sem", "median", "quantile") and types.is_bool(column.dtype):
            raise Refused(f"`{name}` of booleans")
        return One(aggregate(name, column, grouped=False, **named))

    def _beside(self, owner: Many, name: str, plain: list[Any], named: dict[str, Any]) -> Many:
        """A method that makes a series of a series."""
        column = owner.column
        if name in ("isna", "isnull", "notna", "notnull") and not plain and not named:
            gone = elementwise.missing(column)
            return Many(Column(gone if name in ("isna", "isnull") else elementwise.negated(gone), types.BOOL))
        if column.dtype not in _PLAIN:
            raise Refused(f"`{name}` of `{column.dtype}`")
        if name == "astype" and len(plain) == 1 and not named:
            return self._converted(column, plain[0])
        if name == "abs" and not plain and not named and not types.is_bool(column.dtype):
            return Many(Column(call("abs", column.expression), column.dtype))
        if name in ("cumsum", "cumprod", "cummin", "cummax") and self.ordered and not plain and not named and not types.is_bool(column.dtype):
            return Many(cumulative.running(name, column, self.partition, True, grouped=False))
        if name == "fillna" and types.is_float(column.dtype) and len(plain) == 1 and not named and literals.is_number(plain[0]):
            value = Literal(float(plain[0]), ir.f64)
            return Many(column.at(elementwise.select(elementwise.missing(column), value, column.expression)))
        raise Refused(f"`{name}` of a series")

    def _converted(self, column: Column, target: Any) -> Many:
        """`astype` among plain numbers, where nothing can be lost."""
        try:
            dtype = np.dtype(target)
        except TypeError as error:
            raise Refused("a `dtype` that is not valid") from error
        if dtype not in _PLAIN or (types.is_float(column.dtype) and not kinds.same(dtype, column.dtype)):
            raise Refused(f"`astype` to `{dtype}`")
        if dtype == types.BOOL and not kinds.same(dtype, column.dtype):
            return Many(Column(call("ne", column.expression, Literal(0, ir.i64)), dtype))
        return Many(Column(literals.cast(column.expression, column.dtype, dtype), dtype))

    def lifted(self, value: One) -> Column:
        """A value of the group beside each of its rows."""
        return value.column.at(over_groups(value.column.expression, self.partition))

    def binary(self, op: str, left: Thing, right: Thing) -> Thing:
        """Two things by an operator."""
        if isinstance(left, Constant) and isinstance(right, Constant):
            return folded(lambda: getattr(operator, op)(left.value, right.value), left, right)
        if not isinstance(left, (Many, One, Constant)) or not isinstance(right, (Many, One, Constant)):
            raise Refused("arithmetic of frames")
        if isinstance(left, Constant):
            assert isinstance(right, (Many, One))
            turned = _TURNED.get(op, f"r{op}")
            return self._with_value(turned, right, left.value)
        if isinstance(right, Constant):
            return self._with_value(op, left, right.value)
        if isinstance(left, One) and isinstance(right, One):
            return self._scalars(op, left, right.column)
        first = self.lifted(left) if isinstance(left, One) else left.column
        second = self.lifted(right) if isinstance(right, One) else right.column
        if first.dtype not in _PLAIN or second.dtype not in _PLAIN:
            raise Refused(f"arithmetic of `{first.dtype}` and `{second.dtype}`")
        return Many(arithmetic.binary(op, first, second, self.rows))

    def _with_value(self, op: str, thing: Many | One, value: Any) -> Thing:
        if not literals.is_number(value):
            if not isinstance(value, str) or not types.is_text(thing.column.dtype) or op not in _TURNED or isinstance(thing, One):
                raise Refused(f"arithmetic with a value of type `{type(value).__name__}`")
            return Many(arithmetic.binary(op, thing.column, value, self.rows))
        if thing.column.dtype not in _PLAIN:
            raise Refused(f"arithmetic of dtype `{thing.column.dtype}`")
        if isinstance(thing, Many):
            return Many(arithmetic.binary(op, thing.column, value, self.rows))
        return self._scalars(op, thing, value)

    def _scalars(self, op: str, left: One, right: Any) -> One:
        """Two scalars: where NumPy would warn, or pandas has other rules, pandas is asked."""
        column = left.column
        dtypes = [column.dtype, *([right.dtype] if isinstance(right, Column) else [])]
        name = op[1:] if op.startswith("r") else op
        if any(dtype not in _PLAIN for dtype in dtypes) or name in ("pow", "mod", "floordiv"):
            raise Refused(f"`{name}` of such values")
        if op not in _TURNED and types.BOOL in dtypes:
            raise Refused("arithmetic of booleans")
        made = arithmetic.binary(op, column, right)
        if op in _TURNED:
            return One(made)
        sides = [column.expression, *([right.expression] if isinstance(right, Column) else [])]
        if name == "truediv":
            divisor = column.expression if op.startswith("r") else right.expression if isinstance(right, Column) else None
            if divisor is not None:
                kind = column.dtype if op.startswith("r") or not isinstance(right, Column) else right.dtype
                self.never.append(call("eq", divisor, literals.number(0, kind)))
            elif right == 0:
                raise Refused("a divisor that is zero")
        if made.dtype == types.INT64:
            bound = 2**31 if name == "mul" else 2**62
            if not isinstance(right, Column) and abs(int(right)) > bound:
                raise Refused(f"an integer beyond {bound}")
            for side in sides:
                self.never.append(call("or_", call("gt", side, Literal(bound, ir.i64)), call("lt", side, Literal(-bound, ir.i64))))
        else:
            for side, dtype in zip([*sides, made.expression], [*dtypes, made.dtype], strict=True):
                if types.is_float(dtype):
                    self.never.append(call("is_infinite", side))
        return One(made)


# Statements are run by what they are a body of.
from airloom.pandas.udf.group_statements import Run
