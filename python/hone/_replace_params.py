"""Replaces the parameters of a package."""

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
    """Writes to `output` the code of `package` with other parameters, packed as by a build. Compiles nothing.

    model: the model of the package, or one that only differs in values; as in hone.build.
    params: a .safetensors file with values by the model's names (as safetensors.numpy.save_file writes it). Names that
        it lacks keep the model's values. None: all values are the model's.
    shapes, dims: those with which the package was built.

    The report is that of `hone package replace-params --json`: "package", "of", "size_bytes". Raises
    hone.BadDataError if these values need other code, and hone.Error for other faults; then nothing is written."""
    with model_argument(model) as path:
        given = to_arguments(
            {"model": path, "params": params, "output": output, "shape": shapes, "dim": dims, **options}
        )
        return document_of(["package", "replace-params", path_of("the package", package), *given])
