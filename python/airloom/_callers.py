"""Whose code asks: the user's, or that of a library which the user's program calls."""

from __future__ import annotations

#: Modules below libraries that are programs all the same, by how their names begin.
programs: tuple[str, ...] = ()


def is_library(module: str, libraries: tuple[str, ...]) -> bool:
    """Whether a module is of one of these libraries, and no program."""
    return module.partition(".")[0] in libraries and not module.startswith(programs)
