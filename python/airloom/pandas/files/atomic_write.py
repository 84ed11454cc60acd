"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from typing import Any

from airloom.errors import RefusedError
from airloom.pandas.execution import sharing
from airloom.pandas.internals import state
from airloom.pandas.plan.rows import FileScan, Rows
from airloom.pandas.refusals import Failed, Refused


def local_path(path: Any) -> str:
    """The name of a file of this machine; refused where it is something else."""
    if not isinstance(path, (str, os.PathLike)):
        raise Refused(f"a target of type `{type(path).__name__}`, which is no path")
    name = os.fspath(path)
    if not isinstance(name, str) or "://" in name:
        raise Refused("a path that is not a local file")
    return os.path.expanduser(name)


@contextlib.contextmanager
def failing() -> Iterator[None]:
    """What goes wrong within is told as it is: where something may have been written already, pandas does not write it again."""
    try:
        yield
    except Refused:
        raise
    except RefusedError as error:
        raise Refused(str(error)) from None
    except Exception as error:
        raise Failed(error) from error


@contextlib.contextmanager
def opened(name: str, mode: str) -> Iterator[int]:
    """A descriptor to write to. A plain file is there once all is written, and until then what was there before; refused where pandas could not open it."""
    there = _status(name)
    if mode == "x" and there is not None:
        raise Refused("a file that exists, with `mode='x'`")
    if there is not None and (stat.S_ISDIR(there.st_mode) or not os.access(name, os.W_OK)):
        raise Refused("a file that may not be written")
    target = os.path.realpath(name)
    folder = os.path.dirname(target)
    if there is None and not (os.path.isdir(folder) and os.access(folder, os.W_OK)):
        raise Refused("a folder that may not be written")
    if mode == "w":
        compute_readers(target)
    with failing():
        if mode == "a":
            writing: Any = _appended(name)
        elif there is not None and (_is_open_elsewhere(name) or not _is_replaceable(target, there)):
            writing = _straight(name)
        else:
            writing = _staged(target, there)
        with writing as descriptor:
            yield descriptor


def _is_open_elsewhere(name: str) -> bool:
    """Whether a name is that of a device or of an open file, such as `/dev/stdout`: who has it open goes on with the very file."""
    seen = 0
    while not os.path.abspath(name).startswith(("/dev/", "/proc/")):
        if not os.path.islink(name) or seen > 40:
            return False
        name = os.path.join(os.path.dirname(name), os.readlink(name))
        seen += 1
    return True


def _status(target: str) -> os.stat_result | None:
    try:
        return os.stat(target)
    except OSError:
        return None


def _is_replaceable(target: str, there: os.stat_result) -> bool:
    """Whether another file can take the place of one, and nobody sees a difference: not for pipes and devices, nor where the file has other names or an owner of its own."""
    plain = stat.S_ISREG(there.st_mode) and there.st_nlink == 1 and there.st_uid == os.geteuid() and there.st_gid == os.getegid()
    if not plain or not os.access(os.path.dirname(target), os.W_OK | os.X_OK):
        return False
    try:
        return not os.listxattr(target)
    except (OSError, AttributeError):
        return False


@contextlib.contextmanager
def _staged(target: str, there: os.stat_result | None) -> Iterator[int]:
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(6)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        try:
            if there is not None:
                os.fchmod(descriptor, stat.S_IMODE(there.st_mode))
            yield descriptor
        finally:
            os.close(descriptor)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


@contextlib.contextmanager
def _straight(target: str) -> Iterator[int]:
    descriptor = os.open(target, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _appended(target: str) -> Iterator[int]:
    """What stood there stays as it was where not all could be put behind it."""
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
    before = os.fstat(descriptor)
    try:
        yield descriptor
    except BaseException:
        if stat.S_ISREG(before.st_mode):
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, before.st_size)
        raise
    finally:
        os.close(descriptor)


def compute_readers(target: str) -> None:
    """Computes what is still to be read of a file that is about to be another."""
    there = _status(target)
    for value in sharing.LAZY:
        plan = value.__dict__.get(state.PLAN)
        if plan is not None and _reads(plan.rows, there):
            state.force(value)


def _reads(rows: Rows, there: os.stat_result | None) -> bool:
    stack, seen = [rows], set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, FileScan) and there is not None and any(file.is_same(there) for file in node.files):
            return True
        stack.extend(node.inputs)
    return False
