"""What a run of pandas' own tests through our classes shows, beside a run of plain pandas.

    python tests/pandas_suite/summary.py ours.jsonl [plain.jsonl]
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any


def read(path: str) -> dict[str, dict[str, Any]]:
    """The last line for each test."""
    lines = (json.loads(line) for line in Path(path).read_text().splitlines())
    return {line["test"]: line for line in lines}


def directory(test: str) -> str:
    return test.split("pandas/tests/")[-1].removeprefix("tests/").split("/")[0]


def kind(line: dict[str, Any]) -> str:
    """Who answered: the engine alone, both, pandas alone, or nobody was asked."""
    native, left = bool(line["native"]), bool(line["pandas"])
    return "both" if native and left else "native" if native else "pandas" if left else "neither"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ours")
    parser.add_argument("plain", nargs="?")
    parser.add_argument("--reasons", type=int, default=0, help="how many of the most frequent reasons to show")
    parser.add_argument("--failures", action="store_true", help="name the tests that fail here and pass on plain pandas")
    arguments = parser.parse_args()
    ours = read(arguments.ours)
    plain = read(arguments.plain) if arguments.plain else {}
    counts: dict[str, Counter[str]] = {}
    reasons: Counter[tuple[str, str]] = Counter()
    failed = []
    for test, line in ours.items():
        count = counts.setdefault(directory(test), Counter())
        expected = plain[test]["outcome"] if test in plain else "passed" if line["outcome"] != "skipped" else "skipped"
        if expected != "passed":
            continue
        count["of"] += 1
        if line["outcome"] != "passed":
            failed.append(test)
            continue
        count["passed"] += 1
        count[kind(line)] += 1
        reasons.update({(operation, reason) for operation, reason in line["pandas"]})
    total: Counter[str] = Counter()
    print(f"{'directory':<14}{'tests':>8}{'passed':>9}{'native':>8}{'both':>8}{'pandas':>8}{'neither':>9}{'answered natively':>19}")
    for name, count in [*sorted(counts.items()), ("all", total)]:
        if name != "all":
            total.update(count)
        asked = count["native"] + count["both"] + count["pandas"]
        share = f"{count['native'] / asked:.1%}" if asked else "-"
        passed = f"{count['passed'] / max(1, count['of']):.2%}"
        print(f"{name:<14}{count['of']:>8}{passed:>9}{count['native']:>8}{count['both']:>8}{count['pandas']:>8}{count['neither']:>9}{share:>19}")
    if arguments.failures:
        print("\n".join(failed))
    for (operation, reason), many in reasons.most_common(arguments.reasons):
        print(f"{many:>7}  {operation}: {reason}")


if __name__ == "__main__":
    main()
