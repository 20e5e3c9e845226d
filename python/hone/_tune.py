"""Searches for the best kernels of a model."""

from __future__ import annotations

from contextlib import closing
from typing import Mapping, Optional, Sequence, Union

from ._models import Model, model_argument
from ._options import Duration, OptionValue, duration, to_arguments
from ._program import Document, lines_of, object_in
from ._progress import OnEvent, reader_of


def tune(
    model: Model,
    *,
    budget: Optional[Duration] = None,
    trials: Optional[int] = None,
    device: Optional[str] = None,
    tracker: Optional[str] = None,
    target: Optional[str] = None,
    threads: Optional[int] = None,
    shapes: Optional[Mapping[str, Sequence[int]]] = None,
    dims: Optional[Mapping[str, int]] = None,
    db: Optional[str] = None,
    progress: Union[bool, OnEvent] = True,
    **options: OptionValue,
) -> Document:
    """Tunes the model's tasks into the store; another run continues where this one stopped. Returns the report.

    model: a path, "zoo:NAME", an onnx.ModelProto, or the result of torch.onnx.export(dynamo=True).
    budget: "10m", seconds, or a timedelta; by default 5 minutes, if `trials` is not given.
    trials: stop after so many, including those of earlier runs.
    device: the key of the runners to tune on, behind the tracker; by default this machine.
    tracker: "tcp://HOST:PORT"; by default HONE_TRACKER.
    shapes, dims: sizes that an ONNX model leaves open: {"data": (1, 3, 224, 224)}, {"batch": 8}.
    db: the store; by default the user's own.
    progress: True shows it on stderr (with tqdm's bar at a terminal if tqdm is installed, otherwise as lines). A
        function is called with each event, an object of `hone tune --json`.
    options: any other option of `hone tune`, with underscores: until_gain="1%", math="exact", precision="bfloat16".

    The report is the last object of `hone tune --json` (docs/reference/cli.md): "tasks", "trials", "target", "threads",
    ... Ctrl-C ends the search in order and raises KeyboardInterrupt; measurements are kept. Raises hone.Error."""
    given = to_arguments(
        {
            "budget": None if budget is None else duration(budget),
            "trials": trials,
            "key": device,
            "tracker": tracker,
            "target": target,
            "threads": threads,
            "shape": shapes,
            "dim": dims,
            "db": db,
            **options,
        }
    )
    on_event = reader_of(progress, trials)
    report: Document = {}
    with model_argument(model) as path, closing(lines_of(["tune", path, *given, "--json"])) as lines:
        for line in lines:
            report = object_in(line, "tune")
            on_event(report)
    return report
