"""The models that the program accepts."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import Any, Iterator, Union

from hone_runtime._errors import UsageError

from ._options import positional

# A path, "zoo:NAME", an onnx.ModelProto, or the result of torch.onnx.export. Any, because onnx is not a dependency.
Model = Union[str, "os.PathLike[str]", Any]


def _bytes_of(model: Any) -> bytes:
    proto = getattr(model, "model_proto", model)  # torch.onnx.ONNXProgram has it
    if not hasattr(proto, "SerializeToString"):
        raise UsageError(
            f"the model is a {type(model).__name__}; a path, 'zoo:NAME' or an onnx.ModelProto would be right"
        )
    try:
        return bytes(proto.SerializeToString())
    # protobuf's exceptions for more than 2 GiB differ between its versions.
    except Exception as error:
        raise UsageError(f"the model cannot be written: {error}; save it with external data and give its path") from None


@contextlib.contextmanager
def model_argument(model: Model) -> Iterator[str]:
    """The model as the program's argument: its path, or that of a file that exists until the context ends.

    Raises UsageError if it is not a model."""
    if isinstance(model, (str, os.PathLike)):
        yield positional(os.fspath(model))
        return
    content = _bytes_of(model)
    with tempfile.TemporaryDirectory(prefix="hone-") as folder:
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(content)
        yield path
