"""A folder for the files of one run of a program, which goes away with it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def own_folder() -> Iterator[str]:
    """Within it the current folder is a new one, without files."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="airloom-program-") as folder:
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)
