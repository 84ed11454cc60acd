"""What was measured, as tables to read: plain text, or Markdown."""

import math
from typing import Any

# What one system took for a suite in one mode: milliseconds by query, peaks of memory by query, and the peak of the process.
Found = dict[str, Any]


def times(title: str, queries: list[str], systems: dict[str, Found], *, markdown: bool) -> str:
    """Milliseconds by query and system, and how many times as long as the first each of the others takes."""
    first, *others = systems
    rows = [["query", *(f"{system} ms" for system in systems), *(f"x {system}" for system in others)]]
    for query in queries:
        taken = {system: found["ms"].get(query) for system, found in systems.items()}
        ratios = [_ratio(taken[other], taken[first]) for other in others]
        rows.append([query, *(_number(ms) if ms is not None else "failed" for ms in taken.values()), *ratios])
    means = [_number(mean(list(found["ms"].values()))) for found in systems.values()]
    rows.append(["mean", *means, *(_number(times_as_long(systems[other], systems[first])) for other in others)])
    rows.append(["peak GB", *(_gigabytes(found["peak_bytes"]) for found in systems.values()), *("" for _ in others)])
    return _table(title, rows, 2, markdown=markdown)


def memory(title: str, queries: list[str], systems: dict[str, Found], *, markdown: bool) -> str:
    """The most memory that a process had which ran one query only."""
    rows = [["query", *(f"{system} MB" for system in systems)]]
    for query in queries:
        peaks = [found["peaks"].get(query) for found in systems.values()]
        rows.append([query, *(f"{peak / 1e6:.0f}" if peak else "failed" for peak in peaks)])
    return _table(title, rows, 0, markdown=markdown)


def mean(numbers: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else math.nan


def times_as_long(other: Found, first: Found) -> float:
    """How many times as long one system takes as another, in geometric mean over the queries that both can do."""
    return mean([ms / first["ms"][query] for query, ms in other["ms"].items() if query in first["ms"]])


def _ratio(other: float | None, first: float | None) -> str:
    return "-" if other is None or first is None else _number(other / first)


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _gigabytes(value: int | None) -> str:
    return f"{value / 1e9:.1f}" if value else "-"


def _table(title: str, rows: list[list[str]], sums: int, *, markdown: bool) -> str:
    """Rows under a head; the last `sums` of them stand apart."""
    if markdown:
        head, *rest = (f"| {' | '.join(row)} |" for row in rows)
        return "\n".join([f"### {title}", "", head, "|" + "|".join(["---", *("---:" for _ in rows[0][1:])]) + "|", *rest])
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["  ".join(cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(zip(row, widths))) for row in rows]
    rule = "-" * len(lines[0])
    body = len(lines) - sums
    return "\n".join([title, "", lines[0], rule, *lines[1:body], *([rule, *lines[body:]] if sums else [])])
