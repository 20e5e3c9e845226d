"""Builds a package from a model."""

from __future__ import annotations

import os
from typing import Mapping, Optional, Sequence, Union

from ._models import Model, model_argument
from ._options import OptionValue, to_arguments
from ._program import Document, document_of


def build(
    model: Model,
    output: Union[str, os.PathLike[str]],
    *,
    target: Optional[str] = None,
    threads: Optional[int] = None,
    shapes: Optional[Mapping[str, Sequence[Union[int, str]]]] = None,
    dims: Optional[Mapping[str, Union[int, str]]] = None,
    db: Optional[str] = None,
    **options: OptionValue,
) -> Document:
    """Builds a package with the best known records and writes it to `output`. Returns the report.

    model, shapes, dims, db: as in hone.tune. A size may be a range: {"data": ("1..32", 3, 224, 224)} is built for a
        batch of 1, 2, 4, 8, 16 and 32, and a session takes arrays of each.
    target, threads: what to build for; by default this machine. After tuning for a device, use those of the report.
    options: any other option of `hone build`, with underscores: math="exact", hub="none", no_records=True.

    The report is that of `hone build --json` (docs/reference/cli.md): "package", "dispatch" (the source of each
    kernel), "memory", "gflop", ... Raises hone.Error; then nothing is written."""
    given = to_arguments(
        {"output": output, "target": target, "threads": threads, "shape": shapes, "dim": dims, "db": db, **options}
    )
    with model_argument(model) as path:
        return document_of(["build", path, *given])
