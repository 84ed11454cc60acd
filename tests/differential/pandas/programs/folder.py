"""A folder for the files of a program, empty when it begins."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


class _Kept:
    """The folder of a process that does nothing but run programs; none in any other."""

    name: str | None = None


def keep_folder() -> None:
    """Has all programs of this process run in one folder, as making and removing one takes longer than many programs do. Who started the process removes it."""
    _Kept.name = tempfile.mkdtemp(prefix="airloom-program-")


@contextmanager
def own_folder() -> Iterator[str]:
    """Within it the current folder is one without files."""
    before = os.getcwd()
    folder = _Kept.name or tempfile.mkdtemp(prefix="airloom-program-")
    os.chdir(folder)
    try:
        yield folder
    finally:
        os.chdir(before)
        if _Kept.name is None:
            shutil.rmtree(folder)
        else:
            _empty(folder)


def _empty(folder: str) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)


def memory() -> str | None:
    """Where files are only in memory, where the system has such a folder: a disk that others write to makes programs wait."""
    return "/dev/shm" if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK) else None
