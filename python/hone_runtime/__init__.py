"""Runs hone's packages on numpy arrays, and on any object that supports DLPack, without copies and without the GIL.

    import hone_runtime
    scores = hone_runtime.load("model.hone")(image)

The package ``hone`` writes such files. It has all names of this one too.
"""

from ._errors import (
    AnswerIsNoError,
    BadConfigError,
    BadDataError,
    BugError,
    CannotCreateError,
    Error,
    IoError,
    NoInputError,
    NoRunnerError,
    NotAuthorisedError,
    UsageError,
)
from ._generate import Generation
from ._package import Package, Range, TensorInfo
from ._session import Session, load
from ._version import __version__

__all__ = [
    "AnswerIsNoError",
    "BadConfigError",
    "BadDataError",
    "BugError",
    "CannotCreateError",
    "Error",
    "Generation",
    "IoError",
    "NoInputError",
    "NoRunnerError",
    "NotAuthorisedError",
    "Package",
    "Range",
    "Session",
    "TensorInfo",
    "UsageError",
    "__version__",
    "load",
]
