"""Checks a package against the reference."""

from __future__ import annotations

import os
from typing import List, Mapping, Optional, Sequence, Union

from ._models import Model, model_argument
from ._options import OptionValue, path_of, to_arguments
from ._program import Document, document_of


def verify(
    model: Model,
    package: Union[None, str, os.PathLike[str]] = None,
    *,
    tolerance: Optional[float] = None,
    shapes: Optional[Mapping[str, Sequence[int]]] = None,
    dims: Optional[Mapping[str, int]] = None,
    device: Optional[str] = None,
    tracker: Optional[str] = None,
    **options: OptionValue,
) -> Document:
    """Compares a package's outputs with the reference's on the same inputs; without a package builds one first.

    model, shapes, dims, device, tracker: as hone.tune takes them.
    tolerance: the most that max|y-r|/max|r| may be. By default 1e-4; of a package whose layers have chosen precisions
    the error that it was built within.
    options: any other of `hone verify`, with underscores: fill="ramp", seed=1.

    Returns that of `hone verify --json` (docs/cli.md): {"agrees", "tolerance", "tolerance_from", "outputs": [...]}. Outputs that differ
    are "agrees": False, not an exception. Raises hone.Error."""
    given = to_arguments(
        {
            "tolerance": tolerance,
            "shape": shapes,
            "dim": dims,
            "key": device,
            "tracker": tracker,
            **options,
        }
    )
    packages: List[str] = [] if package is None else [path_of("the package", package)]
    with model_argument(model) as path:
        return document_of(["verify", path, *packages, *given])
