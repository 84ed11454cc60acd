"""Answers of different engines, made comparable: what each says, and where two differ."""

import math
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

# How far two floats may be apart, of their own size.
RELATIVE = 1e-9


def encode(table: pa.Table) -> dict[str, Any]:
    """An answer as JSON can carry it: names of columns, and rows whose decimals and floats are told apart."""
    columns = [[_encode(value) for value in column.to_pylist()] for column in table.columns]
    return {"columns": table.column_names, "rows": [list(row) for row in zip(*columns)]}


def _encode(value: Any) -> Any:
    if isinstance(value, Decimal):
        return {"decimal": format(value, "f")}
    if isinstance(value, float):
        return {"float": repr(value)}
    if isinstance(value, datetime):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else value


def difference(expected: dict[str, Any], found: dict[str, Any]) -> str | None:
    """Where an answer differs from the one expected, in words; `None` where it does not. The order of rows counts."""
    if expected["columns"] != found["columns"]:
        return f"columns {found['columns']}, expected {expected['columns']}"
    if len(expected["rows"]) != len(found["rows"]):
        return f"{len(found['rows'])} rows, expected {len(expected['rows'])}"
    for number, (wanted, own) in enumerate(zip(expected["rows"], found["rows"])):
        for column, a, b in zip(expected["columns"], wanted, own):
            if not same(a, b):
                return f"row {number}, `{column}`: {_plain(b)}, expected {_plain(a)}"
    return None


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same: exactly, but for floats, and for a decimal beside a float.

    An engine that keeps an average as a decimal has rounded it: it may be off by one in its last digit.
    """
    if a is None or b is None:
        return a is b
    kinds = {_kind(a), _kind(b)}
    if "float" not in kinds:
        return _plain(a) == _plain(b) if "decimal" not in kinds else Decimal(str(_plain(a))) == Decimal(str(_plain(b)))
    x, y = float(_plain(a)), float(_plain(b))
    step = max((_step(v) for v in (a, b) if _kind(v) == "decimal"), default=0.0)
    return math.isclose(x, y, rel_tol=RELATIVE, abs_tol=step)


def _kind(value: Any) -> str:
    return next(iter(value)) if isinstance(value, dict) else type(value).__name__


def _plain(value: Any) -> Any:
    return next(iter(value.values())) if isinstance(value, dict) else value


def _step(value: dict[str, str]) -> float:
    exponent = Decimal(value["decimal"]).as_tuple().exponent
    return 10.0 ** exponent if isinstance(exponent, int) else 0.0
