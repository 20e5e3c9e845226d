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
    """Compares a package's outputs with the reference's on the same inputs. Without a package, builds one first.

    model, shapes, dims, device, tracker: as in hone.tune.
    tolerance: the largest max|y-r|/max|r|. The default is 1e-4, or, for a package with chosen precisions per layer, the
        error bound with which it was built.
    options: any other option of `hone verify`, with underscores: fill="ramp", seed=1.

    Returns that of `hone verify --json` (docs/reference/cli.md): {"agrees", "tolerance", "tolerance_from", "outputs":
    [...]}. If outputs differ, "agrees" is False; this is not an exception. Raises hone.Error."""
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
