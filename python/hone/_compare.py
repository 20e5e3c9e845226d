"""Compares models across devices."""

from __future__ import annotations

import contextlib
from typing import Optional

from ._models import Model, model_argument
from ._options import OptionValue, to_arguments
from ._program import Document, document_of


def compare(
    *models: Model,
    device: Optional[str] = None,
    tracker: Optional[str] = None,
    db: Optional[str] = None,
    **options: OptionValue,
) -> Document:
    """Compares models across the devices with records in the store. Returns the comparison.

    models: each as in hone.tune.
    device: only devices whose CPU model, host, key, label or short id contains this text.
    options: any other option of `hone compare`, with underscores: layers=True, results=["a.json"], measure=True,
        keys=["pi4", "zen4"], tracker="tcp://lab:9190".

    The comparison is that of `hone compare --json` (docs/reference/formats.md, Comparison). Raises hone.Error;
    AnswerIsNoError if there is nothing to compare."""
    if isinstance(options.get("keys"), (list, tuple)):
        options["keys"] = ",".join(options["keys"])
    given = to_arguments({"device": device, "tracker": tracker, "db": db, **options})
    with contextlib.ExitStack() as stack:
        paths = [stack.enter_context(model_argument(model)) for model in models]
        return document_of(["compare", *paths, *given])
