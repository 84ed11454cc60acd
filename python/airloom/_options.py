"""Options, validated here: set for the process, for a block, or by the environment."""

from __future__ import annotations

import difflib
import math
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from airloom.errors import OptionError

_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def _whole(least: int) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        if isinstance(value, str) and value.strip().lstrip("-").isdigit():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"an integer from {least}")
        return value

    return check


def _truth(value: Any) -> bool:
    words = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    if not isinstance(value, bool):
        raise ValueError("`True` or `False`")
    return value


def _bytes(value: Any) -> int:
    if isinstance(value, str):
        text = value.strip().upper().replace(" ", "").replace("_", "")
        number = text.rstrip("BKMGTI")
        unit = text[len(number) :] or "B"
        unit = unit if unit.endswith("B") else unit + "B"
        try:
            value = int(float(number) * _UNITS[unit])
        except (KeyError, ValueError):
            raise ValueError("a number of bytes, or text such as `2GB` or `512MiB`") from None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError("a number of bytes, or text such as `2GB` or `512MiB`")
    return value


def _optional(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def maybe(value: Any) -> Any:
        return None if value is None or value == "" else check(value)

    return maybe


def _word(*words: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError("one of " + ", ".join(f"`{word}`" for word in words))
        return value

    return check


def _folder(value: Any) -> str:
    folder = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(folder, str) or not os.path.isdir(folder):
        raise ValueError("a folder that exists")
    return folder


def _rules(value: Any) -> tuple[str, ...]:
    names = value.split(",") if isinstance(value, str) else value
    try:
        names = tuple(name.strip() for name in names)
    except (AttributeError, TypeError):
        raise ValueError("names of rules") from None
    from airloom import _native

    known = [rule[0] for rule in _native.list_rules()]
    for name in names:
        if name not in known:
            raise ValueError(f"names of rules: there is no rule `{name}`{_nearest(name, known)}")
    return tuple(name for name in names if name)


def _control_group(name: str) -> str:
    try:
        with open(f"/sys/fs/cgroup/{name}", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return "max"


@cache
def _processors() -> int:
    """How many processors this process may use: of those it is bound to, as much as its control group has."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, _, period = _control_group("cpu.max").partition(" ")
    return max(1, min(bound, math.ceil(int(quota) / int(period)))) if quota.isdigit() and period.isdigit() else bound


@cache
def _memory() -> int:
    """Four fifths of the memory that this process may use."""
    limit = _control_group("memory.max")
    try:
        there_is = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError):
        there_is = 8 * 2**30
    return min(there_is, int(limit) if limit.isdigit() else there_is) * 4 // 5


@dataclass(frozen=True)
class _Option:
    """One option: what it is when nobody says anything, what it may be, and what it is for."""

    default: Any
    check: Callable[[Any], Any]
    doc: str


_OPTIONS: dict[str, _Option] = {
    "threads": _Option(None, _optional(_whole(1)), "How many threads work; all that the process may use, where it is `None`."),
    "memory_limit": _Option(None, _optional(_bytes), "How many bytes rows may take before they are spilled, as a number or as `2GB`."),
    "spill_directory": _Option(None, _optional(_folder), "Where rows are spilled; the system's own folder, where it is `None`."),
    "batch_rows": _Option(8192, _whole(1), "How many rows are worked on at once."),
    "target_partition_size": _Option(None, _optional(_bytes), "About how many bytes of its files a partition of a scan reads; as many partitions as threads, where it is `None`."),
    "strict": _Option(False, _truth, "Whether a part of a program that nothing can compile is an error."),
    "oracle": _Option(False, _truth, "Whether programs run on the oracle, which defines what they mean and is slow."),
    "optimize": _Option(True, _truth, "Whether rules rewrite programs before they run."),
    "fuel": _Option(1_000_000, _whole(0), "How many times rules may fire in one program."),
    "checks": _Option(False, _truth, "Whether every firing of a rule is checked; for those who write rules."),
    "without_rules": _Option((), _rules, "Names of rules that are left out."),
    "native": _Option(
        "auto",
        _word("off", "auto", "always", "verify"),
        "When bodies are compiled: `off`, `auto` (when it pays), and for tests `always` and `verify` (compared with the interpreter).",
    ),
}


def _nearest(name: str, known: Mapping[str, Any] | list[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; hint: `{close[0]}`?" if close else ""


def _checked(name: str, value: Any, where: str = "") -> Any:
    option = _OPTIONS.get(name)
    if option is None:
        raise OptionError(f"there is no option `{name}`{where}{_nearest(name, _OPTIONS)}")
    try:
        return option.check(value)
    except ValueError as error:
        raise OptionError(f"the option `{name}`{where} takes {error}, found {value!r}") from None


class Options:
    """The options of this process. Read and set them as attributes; call them to set some for a block::

        airloom.options.threads = 4
        with airloom.options(optimize=False):
            ...
    """

    __slots__ = ("_blocks", "_environment_read", "_state", "_values")

    threads: int | None
    memory_limit: int | None
    spill_directory: str | None
    batch_rows: int
    target_partition_size: int | None
    strict: bool
    oracle: bool
    optimize: bool
    fuel: int
    checks: bool
    without_rules: tuple[str, ...]
    native: str

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {name: option.default for name, option in _OPTIONS.items()})
        object.__setattr__(self, "_blocks", ContextVar("airloom_options", default=None))
        object.__setattr__(self, "_environment_read", False)
        object.__setattr__(self, "_state", None)

    def _read_environment(self) -> None:
        # Once, and not before it is needed: importing airloom must not fail because of a variable.
        if self._environment_read:
            return
        object.__setattr__(self, "_environment_read", True)
        for variable, value in os.environ.items():
            if variable.startswith("AIRLOOM_") and variable.removeprefix("AIRLOOM_").lower() in _OPTIONS:
                name = variable.removeprefix("AIRLOOM_").lower()
                self._values[name] = _checked(name, value, f" (from the environment, `{variable}`)")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in _OPTIONS:
            raise OptionError(f"there is no option `{name}`{_nearest(name, _OPTIONS)}")
        self._read_environment()
        block = self._blocks.get()
        return block[name] if block and name in block else self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self._read_environment()
        self._values[name] = _checked(name, value)
        object.__setattr__(self, "_state", None)

    def __delattr__(self, name: str) -> None:
        """Sets an option back to what it is when nobody says anything."""
        _checked(name, _OPTIONS[name].default if name in _OPTIONS else None)
        self._values[name] = _OPTIONS[name].default
        object.__setattr__(self, "_state", None)

    def __call__(self, **changes: Any) -> AbstractContextManager[Options]:
        """Sets options for a ``with`` block, in this thread or task."""
        checked = {name: _checked(name, value) for name, value in changes.items()}
        return self._block(checked)

    @contextmanager
    def _block(self, changes: dict[str, Any]) -> Iterator[Options]:
        token = self._blocks.set({**(self._blocks.get() or {}), **changes})
        try:
            yield self
        finally:
            self._blocks.reset(token)

    def as_dict(self) -> dict[str, Any]:
        """All options, by name, as they are now."""
        self._read_environment()
        return {**self._values, **(self._blocks.get() or {})}

    def resolved(self) -> dict[str, Any]:
        """All options, by name, with what the machine has to give where nobody said otherwise."""
        return dict(self.state())

    def state(self) -> Mapping[str, Any]:
        """As `resolved`, for reading: as long as no option is another one, it is the same object."""
        block, folder = self._blocks.get(), tempfile.gettempdir()
        known = self._state
        if known is not None and known[0] is block and known[1] == folder:
            found: Mapping[str, Any] = known[2]
            return found
        values = self.as_dict()
        values["threads"] = values["threads"] or _processors()
        values["memory_limit"] = values["memory_limit"] or _memory()
        values["spill_directory"] = values["spill_directory"] or folder
        made = MappingProxyType(values)
        object.__setattr__(self, "_state", (block, folder, made))
        return made

    def describe(self) -> str:
        """What there is to set, what it is now, and what it is for."""
        width = max(len(name) for name in _OPTIONS)
        lines = [f"{name:<{width}}  {getattr(self, name)!r:<10} {option.doc}" for name, option in _OPTIONS.items()]
        return "\n".join(lines)

    def __dir__(self) -> list[str]:
        return [*_OPTIONS, "as_dict", "describe", "resolved", "state"]

    def __repr__(self) -> str:
        return f"<options {', '.join(f'{name}={value!r}' for name, value in self.as_dict().items())}>"


options = Options()
