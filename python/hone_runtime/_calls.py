"""Passes arrays to hone_session_run_with: by the extension if it was built, otherwise by ctypes."""

from __future__ import annotations

import ctypes
import math
import threading
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from ._library import CMemory, CTensorInfo, check, library
from ._package import Package, TensorInfo

try:
    from ._call import Quick as Quick
except ImportError:

    class Quick:  # type: ignore[no-redef]
        """A stub: the extension was not built for this machine."""


Arrays = Tuple[np.ndarray[Any, Any], ...]
Told = Tuple[Tuple[int, ...], np.dtype[Any], int, bool, Tuple[int, ...]]


def set_shape(session: ctypes.c_void_p, index: int, shape: Tuple[int, ...]) -> None:
    """Sets the shape of an input for the next run. Raises BadDataError if it is out of range."""
    dims = (ctypes.c_int64 * len(shape))(*shape)
    check(library().hone_session_set_input_shape(session, index, dims, len(shape)))


class ByCtypes:
    """Runs a session on checked arrays: of the package's types and shapes, dense, with writeable outputs.

    Runs of a session take turns."""

    def __init__(self, package: Package, session: ctypes.c_void_p) -> None:
        self._session = session
        self._turn = threading.Lock()
        self._ranged = [index for index, info in enumerate(package.inputs) if info.ranges]
        self._inputs, self._outputs = _memory(package.inputs), _memory(package.outputs)
        self._places = [*self._inputs, *self._outputs]
        self._counted = [_is_counted(package, index) for index in range(len(package.outputs))]

    def __call__(self, inputs: Sequence[np.ndarray[Any, Any]], outputs: Sequence[np.ndarray[Any, Any]]) -> Arrays:
        with self._turn:
            for place, array in zip(self._places, (*inputs, *outputs)):
                # The value of array.ctypes.data, in half the time.
                place.data = array.__array_interface__["data"][0]
            for index in self._ranged:
                set_shape(self._session, index, inputs[index].shape)
                self._inputs[index].size_bytes = inputs[index].nbytes
            check(
                library().hone_session_run_with(
                    self._session, self._inputs, len(self._inputs), self._outputs, len(self._outputs)
                )
            )
            return tuple(self._came(index, array) if self._counted[index] else array for index, array in enumerate(outputs))

    def _came(self, index: int, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The part of the array that the run filled, as a dense array from its beginning."""
        filled = CTensorInfo()
        check(library().hone_session_output_info(self._session, index, ctypes.byref(filled)))
        shape = tuple(filled.shape[axis] for axis in range(filled.rank))
        return array if shape == array.shape else _beginning(array, shape)


def _beginning(array: np.ndarray[Any, Any], shape: Tuple[int, ...]) -> np.ndarray[Any, Any]:
    return array.reshape(-1)[: math.prod(shape)].reshape(shape)


def _memory(infos: Sequence[TensorInfo]) -> ctypes.Array[CMemory]:
    return (CMemory * len(infos))(*(CMemory(None, info.size_bytes) for info in infos))


def _is_counted(package: Package, index: int) -> bool:
    return bool(library().hone_package_output_is_counted(package._handle, index))


def _told(infos: Sequence[TensorInfo], counted: Sequence[bool]) -> Tuple[Told, ...]:
    return tuple(
        (info.shape, info.dtype, info.size_bytes, counts, info.smallest)
        for info, counts in zip(infos, counted)
    )


def _address(function: Any) -> Optional[int]:
    return ctypes.cast(function, ctypes.c_void_p).value


def arm(quick: object, package: Package, session: ctypes.c_void_p) -> bool:
    """Makes calls of `quick` run the session, in turns. Returns False if there is no extension, or there are too
    many tensors."""
    if not hasattr(quick, "_arm"):
        return False
    run, output_info = _address(library().hone_session_run_with), _address(library().hone_session_output_info)
    set_shape = _address(library().hone_session_set_input_shape)
    inputs = _told(package.inputs, [False] * len(package.inputs))
    outputs = _told(package.outputs, [_is_counted(package, index) for index in range(len(package.outputs))])
    return bool(quick._arm(run, output_info, set_shape, session.value, np.ndarray, check, _beginning, inputs, outputs))
