"""A built model, as `hone build` wrote it."""

from __future__ import annotations

import ctypes
import operator
import os
import weakref
from dataclasses import dataclass, replace
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._errors import UsageError
from ._library import CParam, CRange, CTensorInfo, check, library

# By hone_dtype. Those that numpy itself lacks are of ml_dtypes.
_DTYPES = (
    *("float32", "float64", "int32", "int64", "int8", "uint8", "bool", "float16", "bfloat16"),
    *("int16", "uint16", "uint32", "uint64"),
    *("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn"),
    *("int4", "uint4", "int2", "uint2"),
)


class Range(NamedTuple):
    """The extents that an axis of an input may have. Axes of the same name have the same extent in a run."""

    axis: int
    name: str
    least: int
    most: int


@dataclass(frozen=True)
class TensorInfo:
    """The name and type of a package's input or output. Tensors are dense and row-major.

    `shape` is the largest one. Axes of an input in `ranges` may be shorter."""

    name: str
    dtype: np.dtype[Any]
    shape: Tuple[int, ...]
    ranges: Tuple[Range, ...] = ()

    @property
    def size_bytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    @property
    def smallest(self) -> Tuple[int, ...]:
        """The smallest shape in range."""
        least = {of.axis: of.least for of in self.ranges}
        return tuple(least.get(axis, dim) for axis, dim in enumerate(self.shape))

    @property
    def type_text(self) -> str:
        """The type as the program writes it: "int64 1x(seq: 1..512)"."""
        dims = list(map(str, self.shape))
        for of in self.ranges:
            dims[of.axis] = f"({of.name}: {of.least}..{of.most})"
        return f"{self.dtype} {'x'.join(dims) if dims else 'scalar'}"

    def has_fixed_extents(self, shape: Tuple[int, ...]) -> bool:
        """Whether the shape differs at most along ranged axes."""
        free = {of.axis for of in self.ranges}
        return len(shape) == len(self.shape) and all(
            given == own or axis in free for axis, (given, own) in enumerate(zip(shape, self.shape))
        )

    def takes(self, shape: Tuple[int, ...]) -> bool:
        """Whether a run may take an array of this shape."""
        return len(shape) == len(self.shape) and all(
            least <= given <= most for least, given, most in zip(self.smallest, shape, self.shape)
        )

    def __str__(self) -> str:
        return f"{self.name}: {self.type_text}"


def type_text(dtype: np.dtype[Any], shape: Tuple[int, ...]) -> str:
    """The type as the program writes it: "float32 1x3x224x224"."""
    return f"{dtype} {'x'.join(map(str, shape)) if shape else 'scalar'}"


def _numpy_dtype(number: int) -> np.dtype[Any]:
    name = _DTYPES[number]
    try:
        return np.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError:
        raise UsageError(f"the package has a tensor of {name}, which numpy knows with the package ml_dtypes") from None
    dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return dtype


def _param(package: ctypes.c_void_p, name: str, value: Any) -> np.ndarray[Any, Any]:
    """The value for the library. Raises UsageError for another type or shape, whose bytes would be misread."""
    info = CTensorInfo()
    check(library().hone_package_param_info(package, name.encode(), ctypes.byref(info)))
    dtype, shape = _numpy_dtype(info.dtype), tuple(info.shape[axis] for axis in range(info.rank))
    array = np.asarray(value)
    if array.dtype != dtype or array.shape != shape:
        given, right = type_text(array.dtype, array.shape), type_text(dtype, shape)
        raise UsageError(f"parameter '{name}' is {given}; {right} would be right")
    return np.ascontiguousarray(array).reshape(shape)


def _with_params(loaded: ctypes.c_void_p, params: Mapping[str, np.ndarray[Any, Any]]) -> ctypes.c_void_p:
    """Frees the loaded package and returns the handle of the same one with these parameters."""
    try:
        arrays = {name: _param(loaded, name, array) for name, array in params.items()}
        entries = [CParam(name.encode(), array.ctypes.data, array.nbytes) for name, array in arrays.items()]
        replaced = ctypes.c_void_p()
        given = (CParam * len(entries))(*entries)
        check(library().hone_package_with_params(loaded, given, len(entries), ctypes.byref(replaced)))
        return replaced
    finally:
        library().hone_package_free(loaded)


def need_mapping(what: str, value: Any, right: str) -> None:
    """Raises UsageError if the value is not a mapping by names."""
    if not isinstance(value, Mapping):
        raise UsageError(f"{what} is a {type(value).__name__}; a dict of {right} would be right")
    for name in value:
        if not isinstance(name, str):
            raise UsageError(f"{what} has the name {name!r}; text would be right")


def _encoded(path: Any) -> bytes:
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise UsageError(f"the path of a package is a {type(path).__name__}; text or a path would be right")
    encoded = os.fsencode(path)
    if not encoded:
        raise UsageError("the path of a package is an empty text; that of a file would be right")
    if b"\0" in encoded:
        raise UsageError("the path of a package holds a byte 0; a path without would be right")
    return encoded


def as_integer(what: str, number: Any) -> int:
    """The number as an int, numpy's integers too. Raises UsageError naming `what`."""
    try:
        return operator.index(number)
    except TypeError:
        raise UsageError(f"{what} is {number!r}; an integer would be right") from None


def as_shape(name: str, shape: Any) -> Tuple[int, ...]:
    """The shape that was given for the tensor. Raises UsageError unless all its extents are integers."""
    try:
        return tuple(operator.index(dim) for dim in shape)
    except TypeError:
        raise UsageError(f"the shape of '{name}' is {shape!r}; integers, as (1, 3, 224, 224), would be right") from None


def _c_shape(name: str, shape: Any) -> ctypes.Array[ctypes.c_int64]:
    dims = as_shape(name, shape)
    return (ctypes.c_int64 * len(dims))(*dims)


def _load(path: bytes, shapes: Mapping[str, Sequence[int]], handle: ctypes.c_void_p) -> int:
    need_mapping("shapes", shapes, "shapes by name")
    infos = (CTensorInfo * len(shapes))()
    for info, (name, shape) in zip(infos, shapes.items()):
        dims = _c_shape(name, shape)
        info.name, info.rank, info.shape = name.encode(), len(dims), dims
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

        `shapes`: the wanted shapes of inputs, by name, if the file was built for several; by default its first ones.
        Raises UsageError, listing the available shapes, if it has no such package.

        `params`: arrays that replace the model's parameters of these names, dense and of their types; they are
        copied. Raises BadConfigError for a package that does not list its parameters (`hone package open-params`
        makes one that does). Raises UsageError for an unknown name or an array of another type or shape."""
        encoded = _encoded(path)
        self.path = os.fspath(path)
        self._params, self._shapes = params, shapes
        self._handle = ctypes.c_void_p()
        if params is not None:
            need_mapping("params", params, "arrays by name")
        check(_load(encoded, {} if shapes is None else shapes, self._handle))
        if params is not None:
            self._handle = _with_params(self._handle, params)
        weakref.finalize(self, library().hone_package_free, self._handle)
        inputs = self._infos(library().hone_package_inputs, library().hone_package_input_info)
        self.inputs = tuple(replace(info, ranges=self._ranges(index, info)) for index, info in enumerate(inputs))
        self.outputs = self._infos(library().hone_package_outputs, library().hone_package_output_info)
        # A session keeps these from run to run; none is an input or output.
        self.states = self._infos(library().hone_package_states, library().hone_package_state_info)

    def _ranges(self, index: int, info: TensorInfo) -> Tuple[Range, ...]:
        found, filled = [], CRange()
        for axis in range(len(info.shape)):
            check(library().hone_package_input_range(self._handle, index, axis, ctypes.byref(filled)))
            if filled.name:
                found.append(Range(axis, filled.name.decode("utf-8", "replace"), filled.least, filled.most))
        return tuple(found)

    def _infos(self, count: Callable[..., int], info: Callable[..., int]) -> Tuple[TensorInfo, ...]:
        found = []
        for index in range(count(self._handle)):
            filled = CTensorInfo()
            check(info(self._handle, index, ctypes.byref(filled)))
            shape = tuple(filled.shape[axis] for axis in range(filled.rank))
            found.append(TensorInfo(filled.name.decode("utf-8", "replace"), _numpy_dtype(filled.dtype), shape))
        return tuple(found)

    def __reduce__(self) -> Tuple[Any, ...]:
        # The handle belongs to this object, so copies and unpickled packages load the file again.
        return Package, (self.path, self._params, self._shapes)

    def __repr__(self) -> str:
        inputs, outputs = ", ".join(map(str, self.inputs)), ", ".join(map(str, self.outputs))
        return f"Package({self.path!r}: {inputs} -> {outputs})"
