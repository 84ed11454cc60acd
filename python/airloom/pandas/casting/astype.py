"""Values as other dtypes: of which kind, and whether all of them fit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas
from pandas._config import is_nan_na
from pandas._libs import lib
from pandas.api.types import pandas_dtype
from pandas.core.dtypes.dtypes import CategoricalDtype, DatetimeTZDtype
from pandas.errors import Pandas4Warning

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.prototypes import ask_pandas, one
from airloom.pandas.casting import to_time
from airloom.pandas.categorical import codes
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.ops import cast, masked
from airloom.pandas.plan.expression import Expression, Literal, Ref, call
from airloom.pandas.plan.frame import Column, Frame, ObjectView, Vector
from airloom.pandas.plan.rows import DataSlot, Rows
from airloom.pandas.refusals import Refused, value_text

NO_DEFAULT = pandas.api.extensions.no_default


@operation("Series.astype")
def vector_astype(vector: Vector, dtype: Any, copy: Any = NO_DEFAULT, errors: str = "raise") -> Vector:
    if copy is not NO_DEFAULT:
        raise Refused("the `copy` argument")
    _plain(errors)
    if isinstance(dtype, (dict, BaseSeries)):
        raise Refused("a mapping of dtypes for a Series")
    rows, column = converted(vector.rows, materialize.decided(vector.column), target_of(dtype))
    return Vector(rows, column, vector.name, vector.index)


@operation("DataFrame.astype")
def frame_astype(frame: Frame, dtype: Any, copy: Any = NO_DEFAULT, errors: str = "raise") -> Frame:
    if copy is not NO_DEFAULT:
        raise Refused("the `copy` argument")
    _plain(errors)
    if isinstance(dtype, BaseSeries):
        raise Refused("a Series of dtypes: use a dict")
    rows, columns = frame.rows, list(frame.columns)
    if not isinstance(dtype, dict):
        wanted = dict.fromkeys(range(len(columns)), target_of(dtype))
    elif not frame.labels.is_unique or isinstance(frame.labels, pandas.MultiIndex) or not all(label in frame.labels for label in dtype):
        raise Refused("duplicate column labels, MultiIndex columns, or dtypes for labels that are not columns")
    else:
        wanted = {frame.position(label): target_of(one) for label, one in dtype.items()}
    for position, target in wanted.items():
        rows, columns[position] = converted(rows, materialize.decided(columns[position]), target)
    return frame.with_columns(columns, rows=rows)


def _plain(errors: str) -> None:
    if errors != "raise":
        raise Refused(f"`errors={value_text(errors)}`")


def target_of(dtype: Any) -> Any:
    """The dtype that is meant. The word for categories leaves their order as it is."""
    if isinstance(dtype, str) and dtype == "category":
        return CategoricalDtype(ordered=None)
    try:
        found = pandas_dtype(dtype)
    except (TypeError, ValueError) as error:
        raise Refused("a `dtype` that is not valid") from error
    if found == types.STR:
        found = types.STR
    if types.type_of(found) is None and found != types.OBJECT and not isinstance(found, CategoricalDtype) and not to_time.is_coarse(found):
        raise Refused(f"casting to dtype `{found}`")
    return found


def converted(rows: Rows, column: Column, target: Any) -> tuple[Rows, Column]:
    """A column as another dtype, and the rows in which it can be seen."""
    have = column.dtype
    # As pandas has it: categories that it takes for equal stay in the order in which they stand.
    if kinds.equal(target, have):
        return rows, column
    column = elementwise.understood(column)
    if isinstance(have, pandas.StringDtype) and have.storage == "python" and target == types.OBJECT:
        return rows, _shared(column)
    if column.shown is not None:
        plain = column.shown.dtype
        if getattr(target, "storage", None) == "python":
            raise Refused("casting objects to strings that Python holds")
        if kinds.same(plain, target) or (types.is_text(plain) and isinstance(target, pandas.StringDtype)):
            return rows, Column(column.expression, target)
        if plain in (types.INT64, types.BOOL, types.FLOAT64) and (types.is_number(target) or types.is_masked(target)):
            return converted(rows, column.unwrapped(), target)
        if types.is_text(plain) and isinstance(target, CategoricalDtype):
            rows, made = codes.categorized(rows, column.unwrapped(), target)
            # Without a value pandas does not see that the objects are text.
            nothing = target.categories is None and not len(made.dtype.categories)
            return rows, Column(made.expression, CategoricalDtype(pandas.Index([], dtype=object), made.dtype.ordered)) if nothing else made
        raise Refused(f"casting objects to dtype `{target}`")
    column = elementwise.known(column)
    if target == types.OBJECT:
        if have == types.OBJECT:
            return rows, column
        shown = ObjectView(types.STR, have.na_value) if isinstance(have, pandas.StringDtype) else ObjectView(have)
        return rows, Column(column.expression, target, shown=shown)
    if isinstance(target, CategoricalDtype) and not types.is_category(have):
        return codes.categorized(rows, column, target)
    if types.is_category(have) and not types.is_category(target) and not (types.is_text(target) and types.is_text(have.categories.dtype)):
        if isinstance(target, np.dtype):
            # pandas casts the categories themselves, and so those that no row has.
            ask_pandas(lambda: one(have).astype(target))
        rows, values = codes.values_of(rows, column)
        return converted(rows, values, target)
    if types.is_category(have) and isinstance(target, CategoricalDtype) and target.categories is None and target.ordered is None:
        return rows, column
    if types.is_category(have) and isinstance(target, CategoricalDtype):
        return codes.recoded(rows, column, target)
    if isinstance(target, np.dtype) and target.kind in "mM" and to_time.is_count(column):
        return rows, to_time.counted(column, rows, target)
    if to_time.is_coarse(target):
        raise Refused(f"casting `{have}` to dtype `{target}`")
    if types.is_arrow_number(target) and (types.is_number(have) or types.is_masked(have)):
        # Arrow takes what nullable numbers take, and no rounding.
        if target.numpy_dtype == np.float32 and masked.number_of(have) == np.float64:
            raise Refused(f"casting `{have}` to `{target}`, which may round")
        return rows, Column(nullable(column, rows, masked.nullable(target.numpy_dtype)).expression, target)
    if isinstance(target, DatetimeTZDtype):
        return rows, _zoned(column, rows, target)
    if types.is_masked(target):
        return rows, nullable(column, rows, target)
    if isinstance(target, pandas.StringDtype) and (target != types.STR or isinstance(have, pandas.StringDtype)):
        return rows, Column(_text(column, rows), target)
    if types.is_masked(have):
        return rows, _from_nullable(column, rows, target)
    if types.is_nullable_text(have) and types.is_text(target):
        return rows, Column(column.expression, target)
    return rows, cast.converted(column, rows, target)


def _shared(column: Column) -> Column:
    """Text that pandas holds as objects, as those: the same ones, not copies."""
    slot = column.expression.slot if isinstance(column.expression, Ref) else None
    if not isinstance(slot, DataSlot):
        return Column(column.expression, types.OBJECT, shown=ObjectView(types.STR, column.dtype.na_value))
    if slot.owner is None or not kinds.same(slot.owner.dtype, column.dtype):
        raise Refused("strings that Python holds, which pandas shares")
    held = slot.owner.unwrapped()
    held.beside(slot.space)
    return Column(Ref(slot.space.position), types.OBJECT, held)


def _zoned(column: Column, rows: Rows, target: DatetimeTZDtype) -> Column:
    """Timestamps in another zone, or another unit."""
    have = column.dtype
    if not isinstance(have, DatetimeTZDtype):
        raise Refused(f"casting `{have}` to `{target}`")
    if kinds.same(have, target):
        return column
    if have.unit == target.unit:
        raise Refused("casting to another time zone: use `tz_convert`")
    middle = DatetimeTZDtype(target.unit, have.tz)
    column = Column(cast.in_unit(column, rows, middle), middle)
    return Column(call("dt_to_zone", column.expression, zone=types.zone_name(target.tz)), target)


def _text(column: Column, rows: Rows) -> Expression:
    have = column.dtype
    if isinstance(have, pandas.StringDtype):
        return column.expression
    if types.is_number(have):
        return cast.written(column)
    if types.is_masked(have) and masked.number_of(have).kind in "iu":
        return call("cast", column.expression, to=ir.optional(ir.str_))
    raise Refused(f"casting `{have}` to strings")


def nullable(column: Column, rows: Rows, target: Any) -> Column:
    """Numbers and booleans as nullable ones: refused where any would change."""
    have = column.dtype
    if kinds.same(have, target):
        return column
    if not (types.is_number(have) or types.is_masked(have)):
        raise Refused(f"casting `{have}` to `{target}`")
    if not is_nan_na() and (types.is_float(have) or types.is_masked(have)):
        _refuse(rows, call("is_true", call("is_nan", column.expression)) if masked.number_of(have).kind == "f" else elementwise.FALSE, "NaN beside NA")
    mine, want = masked.number_of(have), target.numpy_dtype
    value = call("nan_to_null", column.expression) if types.is_float(have) else column.expression
    made = _widened(value, mine, want)
    if mine == want:
        return Column(call("cast", value, to=types.type_of(target)), target)
    if want.kind == "b":
        one = elementwise.either(call("eq", value, literals.number(0, mine)), call("eq", value, literals.number(1, mine)))
        _refuse(rows, call("is_true", elementwise.negated(one)), "casting numbers other than 0 and 1 to booleans")
        return Column(call("ne", value, literals.number(0, mine)), target)
    if mine.kind == "b" or (mine.kind == "f" and want.kind == "f"):
        if want == np.float32 and mine == np.float64:
            size = call("abs", value)
            great = elementwise.both(call("gt", size, Literal(float(np.finfo(np.float32).max), ir.f64)), call("lt", size, Literal(np.inf, ir.f64)))
            _refuse(rows, call("is_true", great), f"floats out of bounds of `{target}`, of which NumPy warns")
        return Column(made, target)
    if want.kind == "f":
        if mine.itemsize == 8 or want.itemsize == 4:
            far = 2**53 if want.itemsize == 8 else 2**24
            outside: Expression = call("gt", value, literals.number(far, mine)) if mine.itemsize >= 4 or mine.kind == "i" and mine.itemsize > 2 else elementwise.FALSE
            if mine.kind == "i" and not isinstance(outside, Literal):
                outside = elementwise.either(outside, call("lt", value, literals.number(-far, mine)))
            _refuse(rows, call("is_true", outside) if not isinstance(outside, Literal) else outside, f"casting integers to `{target}`, which rounds some")
        return Column(made, target)
    lossy = call("ne", _widened(made, want, mine), value)
    if mine.kind == "f":
        limits = np.iinfo(want)
        beyond = elementwise.either(call("lt", value, literals.number(float(limits.min), mine)), call("ge", value, literals.number(float(limits.max), mine)))
        _refuse(rows, call("is_true", elementwise.either(beyond, call("ne", call("floor", value), value))), "casting fractions to integers")
        return Column(made, target)
    # The sign is lost in the number itself where one side has none.
    wrong = elementwise.either(lossy, call("ne", _negative(made, want), _negative(value, mine)))
    _refuse(rows, call("is_true", wrong), f"casting numbers out of bounds of `{target}`")
    return Column(made, target)


def _negative(value: Expression, dtype: np.dtype[Any]) -> Expression:
    if dtype.kind == "u":
        return call("ne", value, value)
    return call("lt", value, literals.number(0, dtype))


def _widened(value: Expression, have: np.dtype[Any], want: np.dtype[Any]) -> Expression:
    return masked.cast(value, have, want)


def _refuse(rows: Rows, bad: Expression, reason: str) -> None:
    if elementwise.any_row(rows, bad):
        raise Refused(reason)


def _from_nullable(column: Column, rows: Rows, target: Any) -> Column:
    have = masked.number_of(column.dtype)
    if types.is_text(target):
        return Column(_text(column, rows), target)
    if not types.is_number(target):
        raise Refused(f"casting `{column.dtype}` to `{target}`")
    if types.is_float(target) and have.kind != "b":
        return Column(call("null_to_nan", _widened(column.expression, have, target)), target)
    if elementwise.has_missing(rows, column):
        raise Refused(f"casting missing values to `{target}`: fill them before")
    type = types.type_of(have)
    plain = Column(call("cast", column.expression, to=type, mode="wrap"), have)
    return cast.converted(plain, rows, target)


@operation("Series.convert_dtypes", "DataFrame.convert_dtypes")
def convert_dtypes(
    plan: Any,
    infer_objects: Any = NO_DEFAULT,
    convert_string: Any = NO_DEFAULT,
    convert_integer: Any = NO_DEFAULT,
    convert_boolean: Any = NO_DEFAULT,
    convert_floating: Any = NO_DEFAULT,
    dtype_backend: Any = "numpy_nullable",
) -> Any:
    options = (infer_objects, convert_string, convert_integer, convert_boolean, convert_floating)
    if dtype_backend != "numpy_nullable" or not all(isinstance(one, bool) or one is NO_DEFAULT for one in options):
        raise Refused(f"`dtype_backend={value_text(dtype_backend)}`, or options that are not boolean")
    if isinstance(plan, Frame) and any(one is not NO_DEFAULT for one in options):
        raise Refused("options of `convert_dtypes` for a DataFrame")
    rows, made = plan.rows, []
    for column in plan.columns if isinstance(plan, Frame) else (plan.column,):
        column = materialize.decided(column)
        if not any(one is not False for one in options[1:]) and column.dtype != types.OBJECT:
            made.append(column)
            continue
        column = elementwise.understood(column)
        if column.by_position:
            made.append(_unchanged(column, options))
            continue
        # What becomes of a dtype is pandas' own rule, which asks of the values only whether any are missing, and whether floats are all whole.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Pandas4Warning)
            sample = _sample(column, rows)
            found = BaseSeries(sample, dtype=sample.dtype).convert_dtypes(*options).dtype
        rows, column = converted(rows, column, found)
        made.append(column)
    # What pandas warns of is the arguments alone.
    (BaseDataFrame() if isinstance(plan, Frame) else BaseSeries([], dtype="int64")).convert_dtypes(*options)
    return plan.with_columns(made, rows=rows) if isinstance(plan, Frame) else Vector(rows, made[0], plan.name, plan.index)


def _unchanged(column: Column, options: tuple[Any, ...]) -> Column:
    """A column without a native type, where its dtype is what it stays."""
    array = column.held.array
    if column.dtype == types.OBJECT:
        # Of objects of several kinds nothing better can be made.
        stays = bool(len(array)) and lib.infer_dtype(array, skipna=True) in ("mixed", "mixed-integer")
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Pandas4Warning)
            stays = kinds.same(BaseSeries(array[:0]).convert_dtypes(*options).dtype, column.dtype)
    if not stays:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    return column


def _sample(column: Column, rows: Rows) -> Any:
    """An array for which pandas decides as for all the values."""
    dtype = column.unwrapped().dtype
    if column.shown is not None:
        values: list[Any] = [1]
        if types.is_float(dtype):
            values = list(_sample(column.unwrapped(), rows))
        elif types.is_text(dtype):
            values = ["a"]
        elif dtype == types.BOOL or dtype == masked.BOOLEAN:
            values = [True]
        elif dtype not in (types.INT64, _INT64):
            raise Refused(f"objects of Python as `{dtype}`")
        if not elementwise.any_row(rows, elementwise.negated(elementwise.missing(column))):
            # What is missing alone, or nothing at all, says of no kind that it is one.
            values = []
        if elementwise.has_missing(rows, column):
            values.append(np.nan if column.shown.missing is ... else column.shown.missing)
        made = np.empty(len(values), object)
        for at, value in enumerate(values):
            made[at] = value
        return made
    if column.by_position or dtype == types.OBJECT:
        raise Refused(f"dtype `{dtype}` has no native type")
    if types.is_float(dtype):
        value = call("nan_to_null", column.expression)
        type = types.type_of(dtype)
        assert type is not None
        outside = elementwise.either(call("ge", value, Literal(2.0**63, type)), call("lt", value, Literal(-(2.0**63), type)))
        fraction = elementwise.any_row(rows, call("is_true", elementwise.either(outside, call("ne", call("floor", value), value))))
        return np.array([1.5 if fraction else 1.0], dtype)
    return materialize.empty_like(dtype) if not types.is_bool(dtype) else np.array([True])


_INT64 = pandas.Int64Dtype()


@operation("Series.infer_objects", "DataFrame.infer_objects")
def infer_objects(plan: Any, copy: Any = NO_DEFAULT) -> Any:
    if copy is not NO_DEFAULT:
        raise Refused("the `copy` argument")
    made = []
    for column in plan.columns if isinstance(plan, Frame) else (plan.column,):
        column = materialize.decided(column)
        if column.dtype == types.OBJECT:
            column = elementwise.understood(column).unwrapped()
            if column.unsupported or column.dtype not in (types.INT64, types.FLOAT64, types.BOOL) or not run.count(plan.rows):
                raise Refused(f"dtype `{column.dtype}` has no native type")
        made.append(column)
    return plan.with_columns(made) if isinstance(plan, Frame) else Vector(plan.rows, made[0], plan.name, plan.index)
