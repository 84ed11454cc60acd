"""What a run of Polars' own tests with our engine shows, beside a run without it.

    python tests/polars_suite/summary.py ours.jsonl plain.jsonl

It fails where a test fails that `exceptions.toml` does not name, or where fewer pass, or fewer plans run on the engine alone, than are wanted.

What is counted: the tests are those that Polars passes without the engine. A plan is one lazy query that such a test collected, or one query that Polars made of an operation of a `DataFrame`; one that raised, on the engine and then on Polars, has no result and is not counted.
It is `native` where the engine made its whole frame (rows of CSV and NDJSON files and of generators of Python it gets from Polars or Python), `in part` where Polars went on with frames of the engine's, `refused` where Polars did all of it, and `hidden` where Polars' visitor of plans, the only
way in which an engine that is not Polars' own sees one, raises in place of showing a node or an expression of it. Nobody but Polars can translate a hidden plan, or tell what it would have needed. "Of all" is of these four kinds together, "of those shown" is without the hidden ones.
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
#: What share of the tests that Polars passes must pass with the engine, and what share of all plans it must run alone.
PASSED, NATIVE = 0.995, 0.76
#: What share of the plans that Polars shows to engines whole must run on the engine alone.
NATIVE_OF_SHOWN = 0.92
#: How a reason begins that tells of what Polars shows to no engine but its own.
NOT_SHOWN = "Polars does not show this"
#: What may become of a plan: run by the engine alone, in part, refused; or hidden, where Polars does not show some of it to any engine.
KINDS = ("native", "part", "refused", "hidden")


def exceptions() -> list[tuple[str, str]]:
    """Beginnings of names of tests that may fail, with their reasons."""
    listed = tomllib.loads(EXCEPTIONS.read_text()).get("exception", [])
    return [(test, entry["reason"]) for entry in listed for test in entry["tests"]]


def short(test: str) -> str:
    """A test's name from its directory on."""
    return test.split("unit/")[-1]


def read(path: str) -> dict[str, dict[str, Any]]:
    """The last line for each test."""
    lines = (json.loads(line) for line in Path(path).read_text().splitlines())
    return {line["test"]: line for line in lines}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ours")
    parser.add_argument("plain")
    parser.add_argument("--reasons", type=int, default=0, help="how many of the most frequent reasons to show")
    parser.add_argument("--some", action="store_true", help="only some of the tests were run: shares are told, and not judged")
    asked = parser.parse_args()
    ours, plain = read(asked.ours), read(asked.plain)
    counts: dict[str, Counter[str]] = {}
    reasons: Counter[str] = Counter()
    failed = []
    for test, before in plain.items():
        if before["outcome"] != "passed":
            continue
        count = counts.setdefault(short(test).split("/")[0], Counter())
        count["of"] += 1
        line = ours.get(test, {"outcome": "missing", "plans": {}, "reasons": {}})
        if line["outcome"] != "passed":
            failed.append(test)
        count["passed"] += line["outcome"] == "passed"
        count.update({name: many for name, many in line["plans"].items() if name in KINDS})
        reasons.update(line["reasons"])
    total: Counter[str] = Counter()
    print(f"{'directory':<14}{'tests':>8}{'passed':>9}{'native':>9}{'in part':>9}{'refused':>9}{'hidden':>9}{'natively, of all':>18}{'of those shown':>16}")
    for name, count in [*sorted(counts.items()), ("all", total)]:
        if name != "all":
            total.update(count)
        plans = sum(count[kind] for kind in KINDS)
        share = f"{count['native'] / plans:.1%}" if plans else "-"
        of_shown = f"{count['native'] / (plans - count['hidden']):.1%}" if plans > count["hidden"] else "-"
        print(f"{name:<14}{count['of']:>8}{count['passed'] / max(1, count['of']):>9.2%}{count['native']:>9}{count['part']:>9}{count['refused']:>9}{count['hidden']:>9}{share:>18}{of_shown:>16}")
    known = exceptions()
    listed: Counter[str] = Counter()
    unlisted = []
    for test in failed:
        reason = next((reason for name, reason in known if short(test).startswith(name)), None)
        if reason is None:
            unlisted.append(test)
        else:
            listed[reason] += 1
    for reason, many in listed.items():
        print(f"{many} fail since {reason}")
    for test in unlisted:
        print(f"FAILED {short(test)}")
    hidden = Counter({reason: many for reason, many in reasons.items() if NOT_SHOWN in reason})
    plans = sum(total[kind] for kind in KINDS)
    print(f"of {plans} plans that gave a frame, Polars shows {plans - total['hidden']} whole to engines; the others, {total['hidden']}, have parts for which its visitor of plans raises, as it does for every engine but its own:")
    for reason, many in hidden.most_common(asked.reasons):
        print(f"{many:>7}  {reason}")
    print("reasons for which plans are left to Polars:")
    for reason, many in (reasons - hidden).most_common(asked.reasons):
        print(f"{many:>7}  {reason}")
    wanting = [
        f"{total[what] / max(1, of):.2%} {word}, and at least {least:.1%} are wanted"
        for what, of, least, word in (
            ("passed", total["of"], PASSED, "pass"),
            ("native", plans, NATIVE, "of all plans run natively"),
            ("native", plans - total["hidden"], NATIVE_OF_SHOWN, "of the plans that Polars shows run natively"),
        )
        if total[what] < least * of and not asked.some
    ]
    if unlisted:
        wanting.append(f"{len(unlisted)} tests fail that {EXCEPTIONS.name} does not name")
    if wanting:
        sys.exit("\n".join(wanting))


if __name__ == "__main__":
    main()
