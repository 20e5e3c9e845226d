"""Which hone this is."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("hone")
except PackageNotFoundError:
    # Run from the sources.
    __version__ = "0+unknown"
