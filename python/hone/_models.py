"""What may stand where the program takes a model."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import Any, Iterator, Union

from hone_runtime._errors import UsageError

from ._options import positional

# A path, "zoo:NAME", an onnx.ModelProto, or what torch.onnx.export returns. Any: onnx is no dependency.
Model = Union[str, "os.PathLike[str]", Any]


def _bytes_of(model: Any) -> bytes:
    proto = getattr(model, "model_proto", model)  # torch.onnx.ONNXProgram has it
    if not hasattr(proto, "SerializeToString"):
        raise UsageError(
            f"the model is a {type(model).__name__}; a path, 'zoo:NAME' or an onnx.ModelProto would be right"
        )
    try:
        return bytes(proto.SerializeToString())
    # protobuf's own, which differs between its versions, for more than 2 GiB.
    except Exception as error:
        raise UsageError(f"the model cannot be written: {error}; save it with external data and give its path") from None


@contextlib.contextmanager
def model_argument(model: Model) -> Iterator[str]:
    """The model as the program's argument: its path, or that of a file that is there until the context ends.

    Raises UsageError for what is no model."""
    if isinstance(model, (str, os.PathLike)):
        yield positional(os.fspath(model))
        return
    content = _bytes_of(model)
    with tempfile.TemporaryDirectory(prefix="hone-") as folder:
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(content)
        yield path
