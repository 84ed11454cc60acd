"""What results have of the `attrs` of what they are made of: a rule for each operation, as pandas has it.

Few programs have `attrs`. Where some are there and no rule says what pandas keeps of them, the operation is left to it. `tests/differential/pandas/test_attrs.py` asks pandas
for every operation.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from pandas.core.generic import NDFrame

#: Where groups and spans keep the `attrs` of what was grouped.
ATTRS = "_attrs"

_ARITHMETIC = "add sub mul truediv floordiv mod pow divmod"
_COMPARISONS = "eq ne lt le gt ge"
_LOGIC = "and or xor"
#: Of both operands the right one counts, and the left one where the right has none.
_RIGHT = frozenset(
    [f"__{prefix}{name}__" for name in f"{_ARITHMETIC} {_LOGIC}".split() for prefix in ("", "r")]
    + [f"__{name}__" for name in _COMPARISONS.split()]
    + [f"{prefix}{name}" for name in _ARITHMETIC.split() for prefix in ("", "r")]
    + f"{_COMPARISONS} div rdiv multiply subtract divide".split()
)
#: Functions of NumPy's that pandas has done by the operators.
_OPERATORS = frozenset(
    "add subtract multiply divide true_divide floor_divide remainder mod power divmod equal not_equal less less_equal greater greater_equal bitwise_and bitwise_or bitwise_xor matmul".split()
)
#: Only what all operands have.
_EQUAL = frozenset(("compare", "join", "merge"))
#: Nothing is kept, of frames, of series, by accessors and functions of the module.
_NONE = {
    "DataFrame": frozenset(("value_counts",)),
    "Series": frozenset(("combine", "explode", "quantile", "value_counts")),
    "str": frozenset(("extractall",)),
    "dt": frozenset(("isocalendar",)),
    "cat": None,
    "pandas": frozenset("qcut cut to_numeric crosstab melt factorize unique".split()),
}
#: Methods of groups that keep what the grouped frame has.
_GROUPS = frozenset(
    "sum prod min max first last mean median std var sem any all head tail nth shift diff unique take value_counts idxmin idxmax"
    " nlargest nsmallest filter skew kurt corr cov sample apply".split()
)
#: Methods of groups that keep nothing.
_BARE_GROUPS = frozenset("count size nunique cumsum cumprod cummin cummax cumcount ngroup pct_change rank ffill bfill ohlc quantile corrwith".split())
#: Methods of spans that keep what the frame has, within groups and without.
_SPANS = frozenset("sum prod min max first last mean median std var sem".split())


class Unknown(Exception):
    """What pandas keeps is not known here."""


def of(value: Any) -> dict[Any, Any]:
    """The `attrs` of an object, or of what it groups; none where it has none."""
    found: dict[Any, Any] = getattr(value, "__dict__", {}).get(ATTRS) or {}
    return found


def are_there(value: Any, args: Iterable[Any]) -> bool:
    """Whether an operand has any."""
    if of(value):
        return True
    return any(isinstance(argument, NDFrame) and argument._attrs for argument in args)


def kept(label: str, value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[Any, Any]:
    """The `attrs` of a result; raises where that is not known."""
    owner, _, name = label.removeprefix("Series.").rpartition(".") if label.count(".") > 1 else label.rpartition(".")
    left = of(value)
    if owner == "Resampler":
        return _of_spans(name, args, left)
    if "GroupBy" in owner:
        return _of_groups(owner, name, args, kwargs, left)
    none = _NONE.get(owner, frozenset())
    if none is None or name in none:
        return {}
    if (owner == "DataFrame" and name in ("idxmax", "idxmin", "duplicated")) or (owner == "Series" and name == "unstack"):
        # Without rows pandas keeps other ones.
        raise Unknown
    if name == "pivot":
        # The columns of chosen values are put together anew.
        return {} if "values" in kwargs else left
    if owner in ("DataFrame", "Series"):
        return _of_method(owner, name, value, args, kwargs, left)
    if owner == "pandas" and name == "get_dummies":
        if value.ndim == 2:
            # A frame in which nothing is encoded is itself.
            raise Unknown
        return {}
    if owner == "pandas" and name == "merge_asof":
        other = args[0] if args else kwargs.get("right")
        if left == of(other):
            # Of no rows on one side pandas keeps none.
            raise Unknown
        return {}
    if owner == "pandas" and name == "concat":
        # It refuses pieces that have some.
        return {}
    if owner == "pandas" and name in ("isna", "isnull", "notna", "notnull") and value.ndim == 1:
        return {}
    return left


def _of_method(owner: str, name: str, value: Any, args: tuple[Any, ...], kwargs: dict[str, Any], left: dict[Any, Any]) -> dict[Any, Any]:
    right = of(args[0] if args else kwargs.get("other"))
    if name == "align" and not args:
        raise Unknown
    if name in _RIGHT:
        return right or left
    if name in _EQUAL:
        other = args[0] if args else kwargs.get("other", kwargs.get("right"))
        if not isinstance(other, NDFrame) or (other.ndim == 2 and not len(other.columns)):
            # Of a frame without columns pandas may return the other one.
            raise Unknown
        if left != of(other) and ((kwargs.get("left_index") and kwargs.get("right_index")) or _is_all_keys(value, other)):
            # So it may of one without rows.
            raise Unknown
        return left if left == of(other) else {}
    if name == "__array_ufunc__":
        function, method, *inputs = args
        if len(inputs) == 2 and method == "__call__" and not kwargs and function.__name__ in _OPERATORS:
            # pandas calls the operator of Python's.
            return of(inputs[1]) or of(inputs[0])
        return left if sum(isinstance(one, NDFrame) for one in args[2:]) == 1 else {}
    if owner == "DataFrame" and name == "corrwith":
        return (right or left) if getattr(args[0] if args else kwargs.get("other"), "ndim", 0) == 2 else left
    if owner == "DataFrame" and name == "isin":
        return left or right
    if name == "between":
        bounds = [*args[:2], *(kwargs[side] for side in ("left", "right") if side in kwargs)]
        if len(bounds) != 2 or any(key not in ("left", "right", "inclusive") for key in kwargs) or "left" in kwargs and len(args) > 0:
            raise Unknown
        return of(bounds[1]) or left or of(bounds[0])
    if name in ("agg", "aggregate"):
        function = args[0] if args else kwargs.get("func")
        if isinstance(function, str):
            return _of_method(owner, function, value, (), {}, left)
        if owner == "DataFrame" and isinstance(function, list):
            return left
        if isinstance(function, list):
            return {}
        raise Unknown
    if name in ("apply", "pipe") and isinstance(args[0] if args else kwargs.get("func"), str):
        return _of_method(owner, args[0] if args else kwargs["func"], value, (), {}, left)
    return left


def _is_all_keys(value: Any, other: NDFrame) -> bool:
    """Whether one of two frames may bring nothing but keys that the other has under the same names."""
    if value.ndim != 2 or other.ndim != 2:
        return False
    first, second = set(value.columns), set(other.columns)
    return first <= second or second <= first


def _of_groups(owner: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], left: dict[Any, Any]) -> dict[Any, Any]:
    series = owner.startswith("Series")
    if name in ("agg", "aggregate"):
        function = args[0] if args else kwargs.get("func")
        if isinstance(function, str):
            return _of_groups(owner, function, (), {}, left)
        if isinstance(function, dict) and all(isinstance(one, str) for one in function.values()):
            # The columns are put together, and keep what all of them have.
            return left if all(_of_groups("SeriesGroupBy", one, (), {}, left) for one in function.values()) else {}
        return {}
    if name == "transform":
        function = args[0] if args else kwargs.get("func")
        if series:
            return {}
        return _of_groups(owner, function, (), {}, left) if isinstance(function, str) else left
    if name == "describe":
        return {} if series else left
    if name in _GROUPS:
        return left
    if name in _BARE_GROUPS:
        return {}
    raise Unknown


def _of_spans(name: str, args: tuple[Any, ...], left: dict[Any, Any]) -> dict[Any, Any]:
    if name in ("agg", "aggregate") and args and isinstance(args[0], str):
        name = args[0]
    if name in _SPANS:
        return left
    raise Unknown


def hands_over(label: str, made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether an operation returns what it was given, or what a function of the user's returned."""
    given = [*args, *kwargs.values()]
    if any(made is one for one in given):
        return True
    return label.rpartition(".")[2] in ("agg", "aggregate", "apply", "pipe") and any(callable(one) for one in given)


def put(label: str, made: Any, attrs: dict[Any, Any], args: tuple[Any, ...]) -> None:
    """Gives a result, or each of several, its own copy of `attrs`."""
    if label.endswith(".align"):
        given(made[0], attrs)
        given(made[1], of(args[0]) if args else {})
        return
    for one in made if isinstance(made, tuple) else (made,):
        given(one, attrs)


def given(made: Any, attrs: dict[Any, Any]) -> Any:
    """The same object with a copy of `attrs`."""
    if isinstance(made, NDFrame):
        made._attrs = copy.deepcopy(attrs)
    return made
