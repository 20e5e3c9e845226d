"""The version of hone."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("hone-runtime")
except PackageNotFoundError:
    # hone is run from its sources.
    __version__ = "0+unknown"
