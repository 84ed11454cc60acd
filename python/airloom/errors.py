"""What goes wrong, in kinds that are never mixed."""


class Error(Exception):
    """Whatever airloom raises."""


class ProgramError(Error):
    """The program, or what it was given, is wrong: what was found, what was expected, and where."""


class IllTypedError(ProgramError, TypeError):
    """A node or type was refused when it was made."""


class RaisedError(Error):
    """The program raised while it ran. What a Python function raised is its cause."""


class WorldError(Error):
    """The world failed: a database went away, or a file is not what it says."""


class FileError(WorldError, OSError):
    """A file or a disk failed: it is full, or may not be written to."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class ChangedFileError(FileError):
    """A file was written to in place, or is gone, after it was opened and before all of it was read."""


class MemoryLimitError(Error, MemoryError):
    """More memory was needed than the option ``memory_limit`` allows, where nothing could be spilled."""


class RefusedError(Error):
    """Nothing here can run a part of the program, and the option ``strict`` says that this is an error."""


class DifferenceError(Error, AssertionError):
    """Two results that must be the same are not; raised only where they are compared."""


class RuleError(Error):
    """A rule cannot be one, does not keep its promise, or raised. What it raised is the cause."""


class BrokenError(Error):
    """Airloom is broken. The message names a file with the program that shows it."""


class OptionError(Error, ValueError, AttributeError):
    """There is no such option, or it cannot have this value."""


__all__ = [
    "BrokenError",
    "ChangedFileError",
    "DifferenceError",
    "Error",
    "FileError",
    "IllTypedError",
    "MemoryLimitError",
    "MissingFileError",
    "OptionError",
    "ProgramError",
    "RaisedError",
    "RefusedError",
    "RuleError",
    "WorldError",
]
