"""The location of the program."""

from pathlib import Path

from hone_runtime._parts import find_part


def program_path() -> str:
    """The program `hone`: HONE_PROGRAM, or the one in this package. Raises NoInputError."""
    return find_part("HONE_PROGRAM", Path(__file__).resolve().parent / "bin" / "hone")
