"""Where the parts that are not Python lie: the runtime library, and the program with its helpers."""

import os
from pathlib import Path

from ._errors import NoInputError

_HERE = Path(__file__).resolve().parent


def _part(variable: str, beside: str) -> str:
    given = os.environ.get(variable)
    path = Path(given) if given else _HERE / beside
    if path.is_file():
        return str(path)
    where = f"{variable} names {path}, which is no file" if given else f"there is no {path}"
    raise NoInputError(f"{where}; a wheel of hone brings it, and {variable} names another")


def library_path() -> str:
    """libhone.so: HONE_LIBRARY, or the one in this package. Raises NoInputError."""
    return _part("HONE_LIBRARY", "lib/libhone.so")


def program_path() -> str:
    """The program `hone`: HONE_PROGRAM, or the one in this package. Raises NoInputError."""
    return _part("HONE_PROGRAM", "bin/hone")
