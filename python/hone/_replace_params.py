"""Gives a package other parameters."""

from __future__ import annotations

import os
from typing import Mapping, Optional, Sequence, Union

from ._models import Model, model_argument
from ._options import OptionValue, path_of, to_arguments
from ._program import Document, document_of


def replace_params(
    package: Union[str, os.PathLike[str]],
    output: Union[str, os.PathLike[str]],
    *,
    model: Model,
    params: Optional[Union[str, os.PathLike[str]]] = None,
    shapes: Optional[Mapping[str, Sequence[int]]] = None,
    dims: Optional[Mapping[str, int]] = None,
    **options: OptionValue,
) -> Document:
    """Writes to `output` the code of `package` with other parameters, as a build would pack them. Nothing is compiled.

    model: what the package was built of, or a model that differs in values alone; as hone.build takes it.
    params: a .safetensors file of values by the model's names (safetensors.numpy.save_file writes one); those that it
    leaves out stay the model's. None: all are the model's.
    shapes, dims: as the package was built with.

    The report is that of `hone package replace-params --json`: "package", "of", "size_bytes". Raises hone.BadDataError
    where these values ask for other code, hone.Error for what else is wrong; then nothing is written."""
    with model_argument(model) as path:
        given = to_arguments(
            {"model": path, "params": params, "output": output, "shape": shapes, "dim": dims, **options}
        )
        return document_of(["package", "replace-params", path_of("the package", package), *given])
