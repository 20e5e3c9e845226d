"""The locations of the parts that are not Python."""

import os
from pathlib import Path

from ._errors import NoInputError


def find_part(variable: str, beside: Path) -> str:
    """The file that the environment's `variable` names, otherwise `beside`, its place in a wheel or a Debian package.

    Raises NoInputError if there is no such file."""
    given = os.environ.get(variable)
    path = Path(given) if given else beside
    if path.is_file():
        return str(path)
    where = f"{variable} names {path}, which is no file" if given else f"there is no {path}"
    raise NoInputError(f"{where}; a wheel of hone brings it, and {variable} names another")


def library_path() -> str:
    """libhone.so: HONE_LIBRARY, or the one in this package. Raises NoInputError."""
    return find_part("HONE_LIBRARY", Path(__file__).resolve().parent / "lib" / "libhone.so")
