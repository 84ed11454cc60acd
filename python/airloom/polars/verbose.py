"""What is told on standard error where Polars is verbose: `pl.Config.set_verbose`, or `POLARS_VERBOSE=1` in the environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def tell(what: str, reasons: Sequence[str]) -> None:
    """Tells what became of a query, and why, each reason on a line of its own."""
    if os.environ.get("POLARS_VERBOSE") == "1":
        sys.stderr.write("".join(f"airloom: {line}\n" for line in [what, *(f"  {reason}" for reason in reasons)]))
