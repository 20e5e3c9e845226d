"""Which hone this is."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("hone-runtime")
except PackageNotFoundError:
    # Run from the sources.
    __version__ = "0+unknown"
