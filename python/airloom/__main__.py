"""Runs a script with pandas made lazy and compiled: `python -m airloom [--report] [--strict] script.py arguments…`."""

from __future__ import annotations

import argparse
import os
import runpy
import sys


def main(arguments: list[str] | None = None) -> None:
    """Reads the command line and runs the script."""
    parser = argparse.ArgumentParser(
        prog="python -m airloom",
        description="Runs a Python program that uses pandas, with pandas' frames and series made lazy and compiled.",
        epilog="What the engine cannot do pandas does, with the same result. Programs that import pandas need no change.",
    )
    parser.add_argument("--report", action="store_true", help="tell on standard error, at the end, what ran where, and why")
    parser.add_argument("--strict", action="store_true", help="make it an error where something would be left to pandas")
    parser.add_argument("-m", dest="module", metavar="MODULE", help="run a module in place of a script")
    parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="script.py arguments…", help="the script and its arguments")
    given = parser.parse_args(arguments)
    if given.module is None and not given.rest:
        parser.error("there is no script to run")
    if given.module is None and not os.path.exists(given.rest[0]):
        parser.error(f"there is no script `{given.rest[0]}`")
    import airloom

    airloom.install()
    if given.strict:
        airloom.options.strict = True
    try:
        if given.module is not None:
            sys.argv = [given.module, *given.rest]
            sys.path.insert(0, os.getcwd())
            runpy.run_module(given.module, run_name="__main__", alter_sys=True)
        else:
            sys.argv = list(given.rest)
            # As Python itself does: modules beside the script are found.
            sys.path[0] = os.path.dirname(os.path.abspath(given.rest[0]))
            runpy.run_path(given.rest[0], run_name="__main__")
    finally:
        if given.report:
            print(airloom.report(), file=sys.stderr)


if __name__ == "__main__":
    main()
