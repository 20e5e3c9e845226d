"""Measured records, one by one."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence

from ._models import Model, model_argument
from ._options import OptionValue, to_arguments
from ._program import lines_of, object_in

Row = Dict[str, Any]


def _flat(value: Mapping[str, Any], row: Row, prefix: str = "") -> Row:
    for name, each in value.items():
        if isinstance(each, Mapping):
            _flat(each, row, f"{prefix}{name}.")
        else:
            row[prefix + name] = each
    return row


def _row_of(record: Mapping[str, Any]) -> Row:
    row = _flat(record, {})
    row["min_ns"] = min(row["measurement.samples_ns"], default=None)
    return row


def records(
    models: Sequence[Model] = (),
    *,
    best: bool = False,
    device: Optional[str] = None,
    threads: Optional[int] = None,
    db: Optional[str] = None,
    **options: OptionValue,
) -> Iterator[Row]:
    """The store's records, one at a time in their order: pandas.DataFrame(hone.records()) is a table.

    models: only their tasks, each model as in hone.tune, at `threads`.
    best: only the best one per workload, machine, target CPU, threads and cache mode.
    device: only devices whose CPU model, host, key, label or short id contains this text.
    options: any other option of `hone log export`, with underscores: workload="nn.dense ...", since="90d", fate="Ok".

    A row has the fields of a record in a log (docs/reference/formats.md, Tuning log). Fields of nested objects are
    named like "measurement.fate". "min_ns" is the least sample, or None if nothing was timed. Raises hone.Error at the
    first row; NoInputError if there is no store."""
    given = to_arguments({"best": best, "all": not best, "device": device, "threads": threads, "db": db, **options})
    with ExitStack() as stack:
        paths = [stack.enter_context(model_argument(model)) for model in models]
        named = [f"--model={path}" for path in paths]
        lines = stack.enter_context(closing(lines_of(["log", "export", *named, *given])))
        for line in lines:
            record = object_in(line, "log export")
            # The log's header is not a record.
            if "id" in record:
                yield _row_of(record)
