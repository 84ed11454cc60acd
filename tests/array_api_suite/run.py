"""Runs the test suite of the Array API standard with NumPy, then with `airloom.numpy` as users have it, then with nothing left to NumPy for being small, and tells what that shows.

    python tests/array_api_suite/run.py TESTS [--examples 50] [--ours-only] [--disable-deadline]

TESTS is a checkout of github.com/data-apis/array-api-tests, with its submodule `array-api`. It needs `ndindex` and `pytest-json-report` besides our own tests' packages.

It fails where a test fails that `expected.toml` does not name, where one that is named passes or is not there, where a test ends the process, and where more than the bar allows are named.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: The version of the standard.
VERSION = "2025.12"
#: How many tests may fail.
MOST = 20


def run(tests: Path, module: str, options: list[str], asked: argparse.Namespace, log: Path) -> str:
    """One run over the suite; the last line that it printed."""
    log.unlink(missing_ok=True)
    log.touch()
    environment = {
        **os.environ,
        "ARRAY_API_TESTS_MODULE": module,
        "ARRAY_API_TESTS_VERSION": VERSION,
        "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "pytest", "array_api_tests", "-p", "plugin", "-p", "no:cacheprovider", "-q", "--tb=short", "-W", "ignore"]
    command += ["--airloom-log", str(log), "--max-examples", str(asked.examples), "--derandomize", *options]
    command += ["--disable-deadline"] if asked.disable_deadline else []
    ran = subprocess.run(command, env=environment, cwd=tests, capture_output=True, text=True, check=False)
    lines = (ran.stdout.strip() or ran.stderr.strip()).splitlines()
    return lines[-1] if lines else f"exit {ran.returncode}"


def read(log: Path) -> dict[str, dict[str, str]]:
    """The last line for each test."""
    return {line["test"]: line for line in map(json.loads, log.read_text(encoding="utf-8").splitlines())}


def expected() -> tuple[dict[str, str], set[str]]:
    """Tests that fail, with their reasons; and those among them that fail for some examples only."""
    listed = tomllib.loads((HERE / "expected.toml").read_text(encoding="utf-8")).get("failure", [])
    named = {f"array_api_tests/{test}": entry["reason"] for entry in listed for test in entry["tests"]}
    return named, {f"array_api_tests/{test}" for entry in listed if entry.get("sometimes") for test in entry["tests"]}


def judged(plain: dict[str, dict[str, str]], ours: dict[str, dict[str, str]]) -> list[str]:
    """What is told of the two runs, and what is wrong with ours."""
    named, sometimes = expected()
    counts = Counter(line["outcome"] for line in ours.values())
    print(f"{len(ours)} tests: " + ", ".join(f"{many} {outcome}" for outcome, many in sorted(counts.items())))
    failing = [test for test, line in ours.items() if line["outcome"] not in ("passed", "skipped")]
    fails_there = {test for test, line in plain.items() if line["outcome"] not in ("passed", "skipped")}
    for reason in dict.fromkeys(named.values()):
        many = [test for test in failing if named.get(test) == reason]
        print(f"{len(many):>5} fail, {sum(test in fails_there for test in many)} of them with NumPy too: {reason}")
    own = [test for test in failing if test not in fails_there]
    mended = len(fails_there - set(failing))
    print(f"{len(failing)} fail; NumPy fails {len(fails_there)}, of which {mended} pass here; {len(own)} fail here and not with NumPy")
    wrong = [f"{'ended the process' if ours[test]['outcome'] == 'missing' else 'FAILED'} {test}\n{ours[test].get('message', '')}" for test in failing if test not in named]
    wrong += [f"passes, though it is expected to fail: {test}" for test in named if test in ours and test not in failing and test not in sometimes]
    wrong += [f"is not there, though it is expected to fail: {test}" for test in named if test not in ours]
    if len(named) > MOST:
        wrong.append(f"{len(named)} tests are expected to fail, and at most {MOST} may")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", type=Path, help="a checkout of array-api-tests, with its submodule")
    parser.add_argument("--examples", type=int, default=50, help="how many examples each test is tried with (default: %(default)s)")
    parser.add_argument("--disable-deadline", action="store_true", help="do not fail an example that takes longer than 0.8 s: for busy machines")
    parser.add_argument("--ours-only", action="store_true", help="take what NumPy does from the log of an earlier run")
    parser.add_argument("--logs", type=Path, default=None, help="the folder for one line for each test (default: one in the cache)")
    asked = parser.parse_args()
    folder = asked.logs or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "airloom" / "array-api-suite"
    folder.mkdir(parents=True, exist_ok=True)
    plain, ours, large = (folder / f"{name}.jsonl" for name in ("numpy", "airloom", "large"))
    for module, options, log in (("numpy", [], plain), ("airloom.numpy.array_api", [], ours), ("airloom.numpy.array_api", ["--airloom-large"], large)):
        if module == "numpy" and asked.ours_only and log.exists():
            continue
        print(f"{log.stem}: {run(asked.tests.resolve(), module, options, asked, log)}", flush=True)
    if not read(ours):
        sys.exit("no test was collected: is the submodule `array-api` there, and are `ndindex` and `pytest-json-report` installed?")
    wrong = [*judged(read(plain), read(ours)), *judged(read(plain), read(large))]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
