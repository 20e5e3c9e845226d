"""Converts keyword arguments to the program's options."""

from __future__ import annotations

import datetime
import os
from typing import Any, Iterator, Mapping, Union

from hone_runtime._errors import UsageError

OptionValue = Any
Duration = Union[str, float, int, datetime.timedelta]


def duration(value: Duration) -> str:
    """Passes "90s", "10m" and "2h" on; numbers are seconds. Raises UsageError for anything else."""
    if isinstance(value, str):
        return value
    seconds = value.total_seconds() if isinstance(value, datetime.timedelta) else value
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0.001 <= seconds < 1e9:
        raise UsageError(f"{value!r} is no time; '90s', '10m' or a number of seconds would be right")
    return f"{round(seconds * 1000)}ms"


def _texts(name: str, value: OptionValue) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            dims = each if isinstance(each, (list, tuple)) else [each]
            yield f"{key}={','.join(map(str, dims))}"
    elif isinstance(value, (list, tuple, set, frozenset)):
        for each in value:
            yield from _texts(name, each)
    elif isinstance(value, datetime.timedelta):
        yield duration(value)
    elif isinstance(value, (str, int, float)):
        yield str(value)
    elif isinstance(value, os.PathLike):
        yield os.fspath(value)
    else:
        raise UsageError(f"{name} is a {type(value).__name__}; text, a number, a list or a mapping would be right")


def _filled(name: str, text: str) -> str:
    # Otherwise the program would take the next argument as the value.
    if not text:
        raise UsageError(f"{name} is an empty text; None leaves it out")
    return text


def to_arguments(options: Mapping[str, OptionValue]) -> list[str]:
    """until_gain="1%" becomes --until-gain=1%, True the bare flag; lists repeat the option, and mappings write
    NAME=VALUE. None and False are left out. Raises UsageError for values of other types."""
    arguments = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if name == "help":
            raise UsageError("help is no option here; Python's help() tells of a function")
        if value is True:
            arguments.append(flag)
        else:
            arguments.extend(f"{flag}={_filled(name, text)}" for text in _texts(name, value))
    return arguments


def path_of(what: str, value: Any) -> str:
    """A path as an argument. Raises UsageError for anything else."""
    path = os.fsdecode(value) if isinstance(value, (str, bytes, os.PathLike)) else None
    if path is None:
        raise UsageError(f"{what} is a {type(value).__name__}; a path would be right")
    return positional(path)


def positional(path: str) -> str:
    """A path in a form that the program does not take for an option."""
    return "./" + path if path.startswith("-") else path
