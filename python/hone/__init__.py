"""hone tunes neural networks for the machine that will run them.

    import hone
    hone.tune("model.onnx", budget="10m")
    hone.build("model.onnx", "model.hone")
    scores = hone.load("model.hone")(image)

Packages run in this process, on numpy arrays and on any object that supports DLPack, without copies and without the
GIL. That is the package ``hone_runtime``, whose names are all here too. Tuning, building, timing and checking are done
by the program ``hone`` in this package, in a process of its own.
"""

from hone_runtime import (
    AnswerIsNoError,
    BadConfigError,
    BadDataError,
    BugError,
    CannotCreateError,
    Error,
    Generation,
    IoError,
    NoInputError,
    NoRunnerError,
    NotAuthorisedError,
    Package,
    Range,
    Session,
    TensorInfo,
    UsageError,
    __version__,
    load,
)

from ._bench import bench
from ._build import build
from ._compare import compare
from ._records import records
from ._replace_params import replace_params
from ._tune import tune
from ._verify import verify

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
    "bench",
    "build",
    "compare",
    "load",
    "records",
    "replace_params",
    "tune",
    "verify",
]

# Shows the classes under this package's name, by which its users know them.
for _class in (Error, *Error.__subclasses__()):
    _class.__module__ = __name__
