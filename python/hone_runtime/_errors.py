"""Errors of calls: the program's one line, as an exception with a class per exit code."""

import errno
from typing import ClassVar, Dict, Type


class Error(Exception):
    """A call that could not be completed. Its text, from the program `hone`, says what was given and what would be
    right."""

    exit_code: ClassVar[int] = 70


class AnswerIsNoError(Error):
    """The call completed with a negative answer: no kernel could be measured, or there is nothing to compare."""

    exit_code = 1


class UsageError(Error, ValueError):
    """An invalid argument, such as a tensor of another shape or an unknown option."""

    exit_code = 2


class BadDataError(Error, ValueError):
    """A model, package, record log or store is damaged or not supported."""

    exit_code = 65


class NoInputError(Error, FileNotFoundError):
    """A file does not exist."""

    exit_code = 66


class NoRunnerError(Error, ConnectionError):
    """No runner or tracker answers."""

    exit_code = 69


class BugError(Error, RuntimeError):
    """A bug in hone."""

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
    """A package for another CPU, a target that the machine cannot run, or a malformed address."""

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
# Shows the classes under the package's name, by which users know them.
for _class in (Error, *_CLASSES.values()):
    _class.__module__ = __package__
_NUMBERS = {NoInputError: errno.ENOENT, NotAuthorisedError: errno.EACCES, IoError: errno.EIO}


def error_of(exit_code: int, text: str) -> Error:
    """The exception of an exit code; a BugError for a code that hone does not use."""
    error = _CLASSES.get(exit_code, BugError)(text)
    if isinstance(error, OSError):
        error.errno = _NUMBERS.get(type(error))
    return error
