"""The location of the program."""

import os
import sys
from pathlib import Path
from typing import Dict

from hone_runtime._parts import find_part


def program_path() -> str:
    """The program `hone`: HONE_PROGRAM, or the one in this package. Raises NoInputError."""
    return find_part("HONE_PROGRAM", Path(__file__).resolve().parent / "bin" / "hone")


def environment() -> Dict[str, str]:
    """The variables for the program: those of this process. `hone bench --against` gets this Python, unless
    HONE_PYTHON names another."""
    return {"HONE_PYTHON": sys.executable or "python3", **os.environ}
