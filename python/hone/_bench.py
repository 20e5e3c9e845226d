"""Times packages."""

from __future__ import annotations

import os
from typing import Optional, Union

from ._options import Duration, OptionValue, duration, path_of, to_arguments
from ._program import Document, document_of


def bench(
    *packages: Union[str, os.PathLike[str]],
    min_time: Optional[Duration] = None,
    threads: Optional[int] = None,
    device: Optional[str] = None,
    tracker: Optional[str] = None,
    **options: OptionValue,
) -> Document:
    """Times packages in turns and compares the others with the first. Returns the result.

    min_time: the least time for each, by default 3 seconds.
    device, tracker: as in hone.tune.
    options: any other option of `hone bench`, with underscores: rounds=20, per_op=True, baseline="before.json".

    The result is that of `hone bench --json` (docs/reference/formats.md, Bench result): "packages" with their times in
    ns, "verdicts", ... With fail_above, a slower package is a verdict in it, not an exception. Raises hone.Error."""
    given = to_arguments(
        {
            "min_time": None if min_time is None else duration(min_time),
            "threads": threads,
            "key": device,
            "tracker": tracker,
            **options,
        }
    )
    return document_of(["bench", *(path_of("a package", package) for package in packages), *given])
