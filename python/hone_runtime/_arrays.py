"""Arrays from the caller: checked and never copied."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from ._errors import UsageError
from ._package import TensorInfo, type_text


def _as_numpy(what: str, value: Any) -> np.ndarray[Any, Any]:
    try:
        return np.from_dlpack(value) if hasattr(value, "__dlpack__") else np.asarray(value)
    # Exporters have their own exceptions for memory of another device and for tensors with a gradient. Lists may be
    # ragged.
    except Exception as error:
        raise UsageError(f"{what} is a {type(value).__name__} that numpy cannot look into: {error}") from None


def _refuse(what: str, value: np.ndarray[Any, Any], info: TensorInfo) -> UsageError:
    given = type_text(value.dtype, value.shape)
    if value.dtype != info.dtype or not info.has_fixed_extents(value.shape):
        text = f"{what} is {given}; {info.type_text} would be right"
        cast = info.takes(value.shape) and value.dtype.kind in "fiub"
        return UsageError(text + (f", as x.astype(numpy.{info.dtype})" if cast else ""))
    strides = "x".join(map(str, value.strides))
    return UsageError(
        f"{what} is {given} with strides of {strides} bytes; dense and row-major would be right, "
        "as numpy.ascontiguousarray(x)"
    )


def _fits(value: np.ndarray[Any, Any], info: TensorInfo) -> bool:
    return value.dtype == info.dtype and info.has_fixed_extents(value.shape) and value.flags.c_contiguous


def shape_of(value: Any) -> Tuple[int, ...]:
    """The value's shape as an array; a scalar's shape if it is not an array."""
    try:
        return tuple(getattr(value, "shape", None) or np.shape(value))
    except ValueError:
        return ()


def as_input(value: Any, info: TensorInfo) -> np.ndarray[Any, Any]:
    """The value as an array of the type and shape in `info`, in the value's own memory.

    Arrays and objects with `__dlpack__` or numpy's array interface are not copied; lists and numbers are. Raises
    UsageError if type, shape or strides differ, saying what was given and what would be right. A run refuses extents
    out of their range."""
    array = value if isinstance(value, np.ndarray) else _as_numpy(f"input '{info.name}'", value)
    if not _fits(array, info):
        raise _refuse(f"input '{info.name}'", array, info)
    return array


def as_output(value: Any, info: TensorInfo) -> np.ndarray[Any, Any]:
    """`value`, a numpy array to be written, checked as in as_input; a new array for None."""
    if value is None:
        return np.empty(info.shape, info.dtype)
    what = f"the array for output '{info.name}'"
    if not isinstance(value, np.ndarray):
        raise UsageError(f"{what} is a {type(value).__name__}; a numpy.ndarray would be right")
    if not value.flags.writeable:
        raise UsageError(f"{what} is read-only; one that may be written would be right")
    if not _fits(value, info):
        raise _refuse(what, value, info)
    return value
