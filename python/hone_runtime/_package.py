"""A built model, as `hone build` wrote it."""

from __future__ import annotations

import ctypes
import os
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._errors import UsageError
from ._library import CParam, CTensorInfo, check, library

# By hone_dtype; bfloat16 is none of numpy's own.
_DTYPES = ("float32", "float64", "int32", "int64", "int8", "uint8", "bool", "float16", "bfloat16")


@dataclass(frozen=True)
class TensorInfo:
    """What an input or output of a package is called and holds. Tensors are dense and row-major."""

    name: str
    dtype: np.dtype[Any]
    shape: Tuple[int, ...]

    @property
    def size_bytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def __str__(self) -> str:
        return f"{self.name}: {type_text(self.dtype, self.shape)}"


def type_text(dtype: np.dtype[Any], shape: Tuple[int, ...]) -> str:
    """As the program writes types: "float32 1x3x224x224"."""
    return f"{dtype} {'x'.join(map(str, shape)) if shape else 'scalar'}"


def _numpy_dtype(number: int) -> np.dtype[Any]:
    name = _DTYPES[number]
    if name != "bfloat16":
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        raise UsageError("the package has a tensor of bfloat16, which numpy knows with the package ml_dtypes") from None
    bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return bfloat16


def _with_params(loaded: ctypes.c_void_p, params: Mapping[str, np.ndarray[Any, Any]]) -> ctypes.c_void_p:
    """Frees what was loaded, and returns the handle of the same package with these parameters."""
    try:
        arrays = {name: np.ascontiguousarray(array) for name, array in params.items()}
        entries = [CParam(name.encode(), array.ctypes.data, array.nbytes) for name, array in arrays.items()]
        replaced = ctypes.c_void_p()
        given = (CParam * len(entries))(*entries)
        check(library().hone_package_with_params(loaded, given, len(entries), ctypes.byref(replaced)))
        return replaced
    finally:
        library().hone_package_free(loaded)


def _load(path: bytes, shapes: Mapping[str, Sequence[int]], handle: ctypes.c_void_p) -> int:
    infos = (CTensorInfo * len(shapes))()
    for info, (name, shape) in zip(infos, shapes.items()):
        info.name, info.rank, info.shape = name.encode(), len(shape), (ctypes.c_int64 * len(shape))(*shape)
    return int(library().hone_package_load_for(path, infos, len(shapes), ctypes.byref(handle)))


class Package:
    """A package in memory: immutable, mapped from its file, shared by any number of sessions and threads."""

    def __init__(
        self,
        path: Union[str, os.PathLike[str]],
        params: Optional[Mapping[str, np.ndarray[Any, Any]]] = None,
        shapes: Optional[Mapping[str, Sequence[int]]] = None,
    ) -> None:
        """Loads and checks the file. Raises NoInputError, BadDataError, and BadConfigError for another CPU's package.

        `shapes`: by name those that inputs are to have, where the file was built for several; without, its first.
        Raises UsageError, telling the shapes that there are, when it has none such.

        `params`: arrays in the place of the model's parameters of these names, dense, of their types; they are copied.
        Raises BadConfigError for a package that does not tell its parameters (`hone package open-params` makes one that
        does), and UsageError for a name that is not among them or an array of another size."""
        self.path = os.fspath(path)
        self._params = params
        self._handle = ctypes.c_void_p()
        encoded = os.fsencode(self.path)
        if b"\0" in encoded:
            raise UsageError("the path of a package holds a byte 0; a path without would be right")
        check(_load(encoded, shapes or {}, self._handle))
        if params is not None:
            self._handle = _with_params(self._handle, params)
        weakref.finalize(self, library().hone_package_free, self._handle)
        self.inputs = self._infos(library().hone_package_inputs, library().hone_package_input_info)
        self.outputs = self._infos(library().hone_package_outputs, library().hone_package_output_info)

    def _infos(self, count: Callable[..., int], info: Callable[..., int]) -> Tuple[TensorInfo, ...]:
        found = []
        for index in range(count(self._handle)):
            filled = CTensorInfo()
            check(info(self._handle, index, ctypes.byref(filled)))
            shape = tuple(filled.shape[axis] for axis in range(filled.rank))
            found.append(TensorInfo(filled.name.decode("utf-8", "replace"), _numpy_dtype(filled.dtype), shape))
        return tuple(found)

    def __repr__(self) -> str:
        inputs, outputs = ", ".join(map(str, self.inputs)), ", ".join(map(str, self.outputs))
        return f"Package({self.path!r}: {inputs} -> {outputs})"
