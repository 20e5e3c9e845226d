"""How a call fails: the program's one line, as an exception of a class for each exit code."""

import errno
from typing import ClassVar, Dict, Type


class Error(Exception):
    """A call could not go on. Its text says what was given and what would be right, in the words of the program `hone`."""

    exit_code: ClassVar[int] = 70


class AnswerIsNoError(Error):
    """It ran, and the answer is no: no kernel could be measured, nothing to compare."""

    exit_code = 1


class UsageError(Error, ValueError):
    """An argument is not one that the call takes: a tensor of another shape, an option that there is not."""

    exit_code = 2


class BadDataError(Error, ValueError):
    """A model, package, record log or store is damaged or not supported."""

    exit_code = 65


class NoInputError(Error, FileNotFoundError):
    """There is no such file."""

    exit_code = 66


class NoRunnerError(Error, ConnectionError):
    """No runner or tracker answers."""

    exit_code = 69


class BugError(Error, RuntimeError):
    """A bug of hone."""

    exit_code = 70


class CannotCreateError(Error, OSError):
    """A file cannot be created."""

    exit_code = 73


class IoError(Error, OSError):
    """Reading or writing failed."""

    exit_code = 74


class NotAuthorisedError(Error, PermissionError):
    """The tracker does not admit this user's key."""

    exit_code = 77


class BadConfigError(Error, ValueError):
    """A package for another CPU, a target that the machine cannot run, an address that is malformed."""

    exit_code = 78


_CLASSES: Dict[int, Type[Error]] = {
    each.exit_code: each
    for each in (
        AnswerIsNoError,
        UsageError,
        BadDataError,
        NoInputError,
        NoRunnerError,
        BugError,
        CannotCreateError,
        IoError,
        NotAuthorisedError,
        BadConfigError,
    )
}
# Users know them by the package's name.
for _class in (Error, *_CLASSES.values()):
    _class.__module__ = __package__
_NUMBERS = {NoInputError: errno.ENOENT, NotAuthorisedError: errno.EACCES, IoError: errno.EIO}


def error_of(exit_code: int, text: str) -> Error:
    """The exception of an exit code; of a code that is none of hone's, a BugError."""
    error = _CLASSES.get(exit_code, BugError)(text)
    if isinstance(error, OSError):
        error.errno = _NUMBERS.get(type(error))
    return error
