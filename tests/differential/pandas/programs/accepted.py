"""Differences from pandas that are no defects, each with its reason."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from programs.differences import Difference
from programs.permuted import ROWS, are_tied, differ_in_signs, differing_columns, is_masked, is_of_arrow, is_permutation, is_regrouped, same_columns, same_groups


@dataclass(frozen=True)
class Accepted:
    """What is accepted: differences of a sort, in what is made by some methods."""

    name: str
    reason: str
    applies: Callable[[Difference, list[ast.stmt]], bool]
    #: The sorts of differences that follow in what is made of the variable; none where it differs by itself alone.
    followed: frozenset[str] = frozenset()
    #: Where they follow only in what some methods have a part in, those.
    by: frozenset[str] | None = None
    #: Methods by which rows in another order come to other values: what they have no part in has the same rows, in another order.
    positional: frozenset[str] | None = None


#: Methods that add floats up, or multiply them, where the order of the terms is the engine's.
SUMS = frozenset(
    "sum mean std var sem prod cumsum cumprod rolling ewm expanding groupby pivot_table describe agg transform resample corr corrwith autocorr cov quantile median skew kurt interpolate pct_change diff crosstab"
    " value_counts exp apply".split()
)


#: Those whose results are hardly ever to the bit the same.
INEXACT = frozenset("std var sem rolling ewm expanding corr cov skew kurt".split())


def of_sums(difference: Difference, statements: list[ast.stmt]) -> bool:
    return difference.sort == "last bits" and difference.variable in made_by(statements, SUMS)


def of_numpy_warnings(difference: Difference, statements: list[ast.stmt]) -> bool:
    if difference.sort != "warnings":
        return False
    found, expected = (Counter(ast.literal_eval(side)) for side in difference.detail.split(" in place of "))
    lost = expected - found
    return not found - expected and all(kind == "RuntimeWarning" and re.match(r"(divide by zero|invalid value|overflow|underflow) encountered in ", text) for kind, text in lost)


def of_repeated_warnings(difference: Difference, statements: list[ast.stmt]) -> bool:
    if difference.sort != "warnings":
        return False
    found, expected = (Counter(ast.literal_eval(side)) for side in difference.detail.split(" in place of "))
    return set(found) == set(expected) and not expected - found and all(kind == "RuntimeWarning" for kind, _ in found - expected)


def of_ranges(difference: Difference, statements: list[ast.stmt]) -> bool:
    return difference.sort in ("index range", "columns range")


def of_names(difference: Difference, statements: list[ast.stmt]) -> bool:
    if difference.sort not in ("name", "index names", "columns names", "columns values"):
        return False
    found, expected = (re.sub(r"'u?int\d*', '(?:np\.u?int\d+\()?(-?\d+)\)?'", r"\1", side) for side in difference.detail.split(" in place of "))
    return found == expected


def of_shared_names(difference: Difference, statements: list[ast.stmt]) -> bool:
    if difference.sort not in ("index names", "columns names"):
        return False
    given = {repr(node.value.value) for node in statements if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and _stores(node, "name")}
    sides = difference.detail.split(" in place of ")
    # The name that was set is on one side, and on the other not.
    return any((name in sides[0]) != (name in sides[1]) for name in given)


def of_memory(difference: Difference, statements: list[ast.stmt]) -> bool:
    return difference.sort == "values" and difference.variable in made_by(statements, frozenset(("memory_usage",)))


def of_zeros_of_levels(difference: Difference, statements: list[ast.stmt]) -> bool:
    levels = frozenset(("set_index", "from_arrays", "groupby", "pivot_table", "stack", "unstack", "concat", "value_counts"))
    zeros = difference.sort == "last bits" and "-0." in difference.detail and difference.variable in made_by(statements, levels)
    return zeros and difference.sides is not None and differ_in_signs(*difference.sides)


def of_written_arrays(difference: Difference, statements: list[ast.stmt]) -> bool:
    """An array of which an object was made, or that is one's, and something that shares memory with it was written to since."""
    if difference.sort != "values" or not (difference.variable.startswith("a") or (difference.variable.startswith("v") and difference.detail.startswith("array("))):
        return False
    sharing = {difference.variable}
    written = False
    for node in statements[: difference.statement + 1]:
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - {"pd", "np", "n"}
        if _writes(node) and names & sharing:
            written = written or not isinstance(node, ast.Assign) or bool(stored(node) & sharing)
        elif names & sharing:
            sharing |= names
    return written


def of_arrays_of_two(difference: Difference, statements: list[ast.stmt]) -> bool:
    held = [node for node in statements if any(isinstance(part, ast.keyword) and part.arg == "copy" and isinstance(part.value, ast.Constant) and part.value.value is False for part in ast.walk(node))]
    named = [{part.id for part in ast.walk(node) if isinstance(part, ast.Name) and part.id.startswith("a")} for node in held]
    twice = {name for at, names in enumerate(named) for name in names if any(name in others for others in named[:at])}
    return difference.sort == "values" and difference.variable in made_of(statements, twice) and any(map(_writes, statements[: difference.statement + 1]))


def of_stripped_frequencies(difference: Difference, statements: list[ast.stmt]) -> bool:
    """One side has the frequency still, and the other had it when the variable was made: it was taken in place."""
    if difference.sort != "index frequency" or difference.sides is None:
        return False
    now = [side["index frequency"] for side in difference.sides]
    before = [side and side.get("index frequency") for side in difference.made]
    return any(now[at] == "None" and before[at] == now[1 - at] for at in (0, 1)) and _are_brought_together(difference, statements)


def _are_brought_together(difference: Difference, statements: list[ast.stmt]) -> bool:
    """Whether labels were brought together since a variable was made: its own, or those of what shares them."""
    upto = statements[: difference.statement + 1]
    last = max((at for at, node in enumerate(upto) if difference.variable in stored(node)), default=0)
    sharing = {difference.variable}
    for _ in range(2):
        for node in upto:
            names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - {"pd", "np", "n"}
            if names & sharing:
                sharing |= names
    return any(_joins(node) and sharing & {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} for node in upto[last:])


#: Methods that bring the labels of two objects together.
_JOINING = frozenset("align add sub mul truediv floordiv mod pow radd rsub rmul div eq ne lt le gt ge where mask combine combine_first update concat join merge corr corrwith cov assign loc fillna crosstab".split())


def _joins(node: ast.stmt) -> bool:
    """Whether a statement may bring the labels of two objects together."""
    if isinstance(node, (ast.Assign, ast.AugAssign)) and isinstance(node.targets[0] if isinstance(node, ast.Assign) else node.target, ast.Subscript):
        return True
    return any(isinstance(part, (ast.BinOp, ast.Compare, ast.AugAssign)) or (isinstance(part, ast.Attribute) and part.attr in _JOINING) for part in ast.walk(node))


def _writes(node: ast.stmt) -> bool:
    """Whether a statement writes to something in place."""
    if isinstance(node, (ast.AugAssign, ast.Delete)):
        return True
    if isinstance(node, ast.Assign) and any(isinstance(target, (ast.Subscript, ast.Attribute)) for target in node.targets):
        return True
    in_place = any(isinstance(part, ast.keyword) and part.arg == "inplace" for part in ast.walk(node))
    return in_place or any(isinstance(part, ast.Attribute) and part.attr in ("update", "insert", "pop", "sort", "fill") for part in ast.walk(node))


def _stores(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Attribute) and target.attr == name for target in node.targets)



def of_combined_memory(difference: Difference, statements: list[ast.stmt]) -> bool:
    written = any(isinstance(node, ast.Assign) and any(isinstance(target, ast.Subscript) for target in node.targets) for node in statements)
    if difference.sort != "values" or not written or difference.variable not in made_by(statements, frozenset(("combine_first", "combine"))) or difference.sides is None:
        return False
    # Of timestamps alone: those are held as integers.
    return all(isinstance(column, np.ndarray) and column.dtype == np.int64 for column in differing_columns(*difference.sides))


def of_distinct_labels(difference: Difference, statements: list[ast.stmt]) -> bool:
    inner = any(isinstance(part, ast.keyword) and part.arg == "join" and isinstance(part.value, ast.Constant) and part.value.value == "inner" for node in statements for part in ast.walk(node))
    return inner and difference.sort == "index dtype" and "'object'" in difference.detail and difference.variable in made_by(statements, frozenset(("concat",)))


def of_sorted_sums(difference: Difference, statements: list[ast.stmt]) -> bool:
    sorts = frozenset("sort_values argsort value_counts".split())
    by_sums = difference.sort in ROWS and difference.variable in made_by(statements, sorts) & made_by(statements, INEXACT)
    if not by_sums or difference.sides is None or not is_permutation(*difference.sides):
        return False
    # Of what is sorted the keys are not seen in positions alone.
    return are_tied(*difference.sides) or difference.variable in made_by(statements, frozenset(("argsort",)))


def of_counted_sums(difference: Difference, statements: list[ast.stmt]) -> bool:
    if difference.variable not in made_by(statements, frozenset(("value_counts",))) & made_by(statements, INEXACT) or difference.sides is None:
        return False
    return difference.sort in ("shape", *ROWS) and is_regrouped(*difference.sides)


def of_shared_masks(difference: Difference, statements: list[ast.stmt]) -> bool:
    cumulative = frozenset(("cummax", "cummin", "cumsum", "cumprod"))
    used = any(words_of(node) & cumulative for node in statements)
    # A result itself differs only where something is written to.
    written = any(isinstance(node, ast.Assign) and any(isinstance(target, ast.Subscript) for target in node.targets) for node in statements)
    apart = written or difference.variable not in made_by(statements, cumulative)
    if not (used and apart) or difference.sort != "values" or difference.sides is None:
        return False
    return all(map(is_masked, differing_columns(*difference.sides)))


def of_arrow_memory(difference: Difference, statements: list[ast.stmt]) -> bool:
    """Numbers of Arrow's that were brought together with others, of which something was written to since."""
    if difference.sort != "values" or difference.sides is None or difference.variable not in made_by(statements, frozenset(("concat", "melt", "stack"))):
        return False
    written = {name for node in statements[: difference.statement + 1] if _writes(node) for name in stored(node)}
    if not any(difference.variable in made_of(statements, {name}) for name in written - {difference.variable}):
        return False
    return all(map(is_of_arrow, differing_columns(*difference.sides)))


def of_shared_levels(difference: Difference, statements: list[ast.stmt]) -> bool:
    written = any(map(_writes, statements[: difference.statement + 1]))
    return written and difference.sort == "index values" and "int8" in difference.detail and difference.variable in made_by(statements, frozenset(("set_index",)))


def of_integer_keys(difference: Difference, statements: list[ast.stmt]) -> bool:
    found, _, expected = difference.detail.partition(" in place of ")
    twice = r"\('int', '(\d+)'\), \('int', '\1'\)"
    # Of levels that are named by integers the name is that of the level at the position, and the labels are those of the level with the name.
    by_level = re.search(twice, found) is not None and difference.variable in made_by(statements, frozenset(("groupby",)))
    return difference.sort == "index names" and (by_level or re.search(twice, expected) is not None)


def of_unfit_errors(difference: Difference, statements: list[ast.stmt]) -> bool:
    expected = difference.detail.partition(" in place of ")[2]
    unfit = ("ArrowNotImplementedError: Unsupported cast from double", "ValueError: assignment destination is read-only", "TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'", "TypeError: '>=' not supported between instances of 'NoneType' and 'int'")
    # Where pandas had got further, it may raise something else.
    further = "NotImplementedError: rmod not implemented." in difference.detail and "NoneType" in expected
    return difference.sort == "exception" and (difference.detail.startswith("None:") or further) and expected.startswith(unfit)


def of_tied_counts(difference: Difference, statements: list[ast.stmt]) -> bool:
    """The counts and the groups are the same, row by row, and the values are the same ones: they are in another order among equal counts of a group."""
    if difference.sort not in ROWS or difference.variable not in made_by(statements, frozenset(("value_counts",))) or difference.sides is None:
        return False
    if difference.sort == "index values" and not same_columns(*difference.sides):
        return False
    # Of a frame, as with `as_index=False`, the labels only number the rows.
    numbered = all(side.get("class") == "DataFrame" and side.get("index class") == "RangeIndex" for side in difference.sides)
    return same_groups(*difference.sides) and is_permutation(*difference.sides, labelled=not numbered)


def of_blocks(difference: Difference, statements: list[ast.stmt]) -> bool:
    if difference.sort == "warnings":
        # Rounding warns once for each block of timestamps.
        found, _, expected = difference.detail.partition(" in place of ")
        return set(ast.literal_eval(found)) == set(ast.literal_eval(expected)) and all("obj.round has no effect" in text for _, text in ast.literal_eval(expected))
    if difference.sort == "exception":
        # The first of two columns that cannot be asked whether any value is true.
        return re.match(r"(TypeError|AttributeError): .*'(any|all)'.* in place of (TypeError|AttributeError): .*'(any|all)'", difference.detail) is not None
    operands = r"unsupported operand type\(s\)|can only concatenate str|not supported for dtype|cannot perform (__|the numpy op)|operation '\w+' not supported|agg function failed|does not support operation"
    if difference.sort == "message" and all(re.search(operands, side) for side in difference.detail.split(" in place of ")) and " in place of " in difference.detail:
        return True
    filled = difference.statement < len(statements) and any(isinstance(part, ast.keyword) and part.arg == "fill_value" for part in ast.walk(statements[difference.statement]))
    return difference.sort == "message" and filled


#: Methods that tell values from each other, to the bit.
COMPARING = frozenset("idxmin idxmax rank nlargest nsmallest argsort sort_values value_counts drop_duplicates duplicated nunique unique mode cut qcut replace isin Compare".split())
#: Methods for which it matters in which order rows stand.
POSITIONAL = frozenset(
    "head tail iloc iat loc at nth first last shift diff cumsum cumprod cummax cummin cumcount ngroup rolling expanding ewm rank values array to_numpy tolist reset_index drop_duplicates duplicated nlargest nsmallest"
    " idxmin idxmax argsort pct_change ffill bfill interpolate sample take get Slice unique mode factorize where merge_asof concat set_axis set_index unstack".split()
)
#: What differs where rows stand in another order in what something is made of.
OF_ORDER = frozenset(("values", "index values", "columns values", "last bits", "shape", "dtype", "index dtype", "columns dtype"))

#: All that is accepted.
TABLE = [
    Accepted("float-sums", "floats are added up in another order, so that the last bits of sums, and of what is made of them, differ; values that differ so are told from each other by what compares them", of_sums, OF_ORDER, COMPARING),
    Accepted("range-ends", "a plan has the first label, the step and the number of labels: where a range ends that is not full, as in `RangeIndex(0, 5, 2)`, and how an empty one begins, is not kept", of_ranges),
    Accepted("numpy-warnings", "NumPy warns of divisions by zero and the like where its loops run; the engine has the same values, computes them later, and warns of none", of_numpy_warnings),
    Accepted("repeated-warnings", "pandas is asked by what rule it would do something, and asked again where that is left to it: it may warn both times", of_repeated_warnings),
    Accepted("first-block", "where several columns cannot be computed with, pandas names the first block of the frame, or warns of each, and blocks of what was computed stand in another order, or are others", of_blocks),
    Accepted("tied-counts", "pandas sorts counts of values in groups by a sort that is not stable, so that values that occur as often stand in any order", of_tied_counts, OF_ORDER, positional=POSITIONAL),
    Accepted("integer-names", "a name that was a label of integers is Python's integer, where pandas has NumPy's: they are equal, and are found by either", of_names),
    Accepted("shared-names", "some results of pandas have the very labels of what they are made of, so that a name set on them in place is seen in both; plans have views", of_shared_names),
    Accepted("memory-usage", "how many bytes text takes depends on how Arrow's arrays were made, as whether there is a bitmap where nothing is missing", of_memory),
    Accepted("zeros-of-levels", "pandas keeps each level as codes of distinct values, among which 0.0 and -0.0 are one, that which came first; plans keep labels as they were", of_zeros_of_levels),
    Accepted("written-arrays", "whether pandas writes to the very array that a series was made of, or to a copy, depends on who else refers to its block, as plans do", of_written_arrays, frozenset(("values", "last bits"))),
    Accepted("arrays-of-two", "the same where two objects were made of one array: what pandas writes to it by one is seen in the other", of_arrays_of_two),
    Accepted("distinct-labels", "of pieces without a label in common pandas has labels of a dtype that depends on which of the pieces have the very same object for labels", of_distinct_labels),
    Accepted("sorted-sums", "values that are equal but for their last bits, as spreads of windows, stand in another order when they are sorted", of_sorted_sums, OF_ORDER, positional=POSITIONAL),
    Accepted("counted-sums", "values that are equal but for their last bits are counted as one or as several", of_counted_sums, OF_ORDER),
]

#: What pandas itself gets wrong.
PANDAS = [
    Accepted("stripped-frequencies", "in pandas bringing labels together takes the frequency from one of both sides, in place, and so from all that share the labels", of_stripped_frequencies, frozenset(("index frequency",))),
    Accepted("combined-memory", "in pandas timestamps that `combine_first` takes from the other frame share memory with it, so that a write to one is seen in the other", of_combined_memory),
    Accepted("shared-masks", "in pandas cumulative results of nullable columns share the mask with the column, so that a write to one is seen in the other", of_shared_masks, frozenset(("values", "dtype", "index dtype", "shape", "index values"))),
    Accepted("arrow-memory", "in pandas numbers of NumPy's that become Arrow's beside others share memory with the column that they were made of, so that a write to one is seen in the other", of_arrow_memory),
    Accepted("shared-levels", "in pandas a level of categories shares memory with the column that it was made of, so that a write to the column changes the labels", of_shared_levels),
    Accepted("unfit-errors", "pandas cannot cast missing values to some of Arrow's dtypes, find missing labels among Arrow's integers, write to categories that were read from a file, or align Arrow's text with labels that have all of its own and another name", of_unfit_errors),
    Accepted("integer-keys", "in pandas keys of which one is labelled by an integer have names that belong to each other's positions where groups without rows are kept", of_integer_keys),
]

#: Defects that wait: a kept program of the same name shows each as long as it is there, and random programs are not stopped by it.
WAITING: list[Accepted] = []


def left(found: list[Difference], statements: list[ast.stmt], waiting: bool) -> list[Difference]:
    """The differences that are not accepted, and do not wait where that is asked for too."""
    reasons = [reason(one, statements, waiting) for one in found]
    # What a statement would have made that is accepted to raise on one side only is there on the other, and so is all that is made of it.
    raised = {name for one, why in zip(found, reasons, strict=True) if why is not None and one.sort == "exception" for name in stored(statements[one.statement])}
    spoiled = made_of(statements, raised) if raised else set()
    accepted = [(one, why) for one, why in zip(found, reasons, strict=True) if why is not None and why.followed]
    return [
        one
        for one, why in zip(found, reasons, strict=True)
        if why is None and one.variable not in spoiled and not any(_follows(one, *other, statements) for other in accepted)
    ]


def _follows(difference: Difference, from_: Difference, why: Accepted, statements: list[ast.stmt]) -> bool:
    """Whether a difference follows from one that is accepted."""
    made = made_of(statements, {from_.variable})
    if difference.sort not in why.followed or difference.variable not in (made if why.by is None else made & made_by(statements, why.by)):
        return False
    if why.positional is None or difference.variable in _moved(from_.variable, why.positional, statements):
        return True
    return difference.sides is not None and is_permutation(*difference.sides)


def _moved(variable: str, positional: frozenset[str], statements: list[ast.stmt]) -> set[str]:
    """The variables that are made of one, or what is made of it, by methods for which it matters in which order rows stand."""
    reached, moved = {variable}, set[str]()
    for node in statements:
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
        if used & moved or (used & reached and words_of(node) & positional):
            moved |= stored(node)
        elif used & reached:
            reached |= stored(node)
    return moved - {"pd", "np", "n"}


def reason(difference: Difference, statements: list[ast.stmt], waiting: bool) -> Accepted | None:
    """Why a difference is accepted, or waits where that is asked for too; nothing where it is new."""
    return next((one for one in (*TABLE, *PANDAS, *(WAITING if waiting else ())) if one.applies(difference, statements)), None)


def made_by(statements: list[ast.stmt], methods: frozenset[str]) -> set[str]:
    """The variables that some methods have a part in, themselves or by other variables."""
    return made_of(statements, set(), methods)


def made_of(statements: list[ast.stmt], names: set[str], methods: frozenset[str] = frozenset()) -> set[str]:
    """The variables that some variables, or some methods, have a part in."""
    found = set(names)
    # Twice, as what shares memory with a variable may be there before it is written to.
    for _ in range(2):
        for node in statements:
            parts = list(ast.walk(node))
            words = words_of(node)
            # What is written to a file is found again under the name of the file.
            files = {word for word in words if re.fullmatch(r"\w+\.\w+", word)}
            used = {part.id for part in parts if isinstance(part, ast.Name)} | files
            if words & methods or used & found:
                found |= stored(node) | (files if any(word.startswith("to_") for word in words) else set())
    return found - {"pd", "np", "n"}


def words_of(node: ast.stmt) -> set[str]:
    """The methods that a statement calls, by their names or given as text, and the sorts of its operators."""
    parts = list(ast.walk(node))
    words = {part.attr for part in parts if isinstance(part, ast.Attribute)} | {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
    return words | {type(part).__name__ for part in parts if isinstance(part, (ast.Compare, ast.Slice))}


def stored(node: ast.stmt) -> set[str]:
    """The variables that a statement gives a value to, or writes to in place."""
    found = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    target = node.targets[0] if isinstance(node, ast.Assign) else node.value if isinstance(node, ast.Expr) else None
    return found | ({part.id for part in ast.walk(target) if isinstance(part, ast.Name)} if target is not None else set())
