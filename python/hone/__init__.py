"""hone tunes neural networks for the machine that will run them.

    import hone
    hone.tune("model.onnx", budget="10m")
    hone.build("model.onnx", "model.hone")
    scores = hone.load("model.hone")(image)

Packages run in this process, on numpy arrays and on whatever speaks DLPack, without copies and without the GIL. Tuning,
building, timing and checking are done by the program ``hone`` that lies in this package, in a process of its own.
"""

from ._build import build
from ._bench import bench
from ._compare import compare
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
from ._package import Package, TensorInfo
from ._records import records
from ._replace_params import replace_params
from ._session import Session, load
from ._tune import tune
from ._verify import verify
from ._version import __version__

__all__ = [
    "AnswerIsNoError",
    "BadConfigError",
    "BadDataError",
    "BugError",
    "CannotCreateError",
    "Error",
    "IoError",
    "NoInputError",
    "NoRunnerError",
    "NotAuthorisedError",
    "Package",
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
