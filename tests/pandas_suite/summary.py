"""What a run of pandas' own tests through our classes shows, beside a run of plain pandas.

    python tests/pandas_suite/summary.py ours.jsonl [plain.jsonl]

It fails where a test fails that `exceptions.toml` does not name, or where fewer pass, or are answered by the engine alone, than are wanted. An operation that pandas
refuses with an exception has no answer, and counts for nobody.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any


EXCEPTIONS = Path(__file__).with_name("exceptions.toml")
#: What share of the tests that plain pandas passes must pass, and what share of those that ask anything the engine must answer alone.
PASSED, NATIVE = 0.999, 0.5


def exceptions() -> list[tuple[str, str]]:
    """Beginnings of names of tests that may fail, with their reasons."""
    listed = tomllib.loads(EXCEPTIONS.read_text())["exception"]
    return [(test, entry["reason"]) for entry in listed for test in entry["tests"]]


def short(test: str) -> str:
    """A test's name from its directory on."""
    return test.split("pandas/tests/")[-1].removeprefix("tests/")


def read(path: str) -> dict[str, dict[str, Any]]:
    """The last line for each test."""
    lines = (json.loads(line) for line in Path(path).read_text().splitlines())
    return {line["test"]: line for line in lines}


def directory(test: str) -> str:
    return short(test).split("/")[0]


def kind(line: dict[str, Any]) -> str:
    """Who answered: the engine alone, both, pandas alone, or nobody was asked."""
    native, left = bool(line["native"]), bool(line["pandas"])
    return "both" if native and left else "native" if native else "pandas" if left else "neither"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ours")
    parser.add_argument("plain", nargs="?")
    parser.add_argument("--reasons", type=int, default=0, help="how many of the most frequent reasons to show")
    parser.add_argument("--some", action="store_true", help="only some of the tests were run: shares are told, and not judged")
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
    known = exceptions()
    listed: Counter[str] = Counter()
    unlisted = []
    for test in failed:
        reason = next((reason for name, reason in known if short(test).startswith(name)), None)
        if reason is None:
            unlisted.append(short(test))
        else:
            listed[reason] += 1
    for reason, many in listed.items():
        print(f"{many} fail since {reason}")
    for test in unlisted:
        print(f"FAILED {test}")
    for (operation, reason), many in reasons.most_common(arguments.reasons):
        print(f"{many:>7}  {operation}: {reason}")
    asked = total["native"] + total["both"] + total["pandas"]
    wanting = [
        f"{total[what] / max(1, of):.2%} {word}, and at least {least:.1%} are wanted"
        for what, of, least, word in (("passed", total["of"], PASSED, "pass"), ("native", asked, NATIVE, "are answered natively"))
        if total[what] < least * of and not arguments.some
    ]
    if unlisted:
        wanting.append(f"{len(unlisted)} tests fail that {EXCEPTIONS.name} does not name")
    if wanting:
        sys.exit("\n".join(wanting))


if __name__ == "__main__":
    main()
