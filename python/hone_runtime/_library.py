"""The C API (runtime/hone.h), declared once. A call releases the GIL until it returns."""

import ctypes
import functools
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint64,
    c_void_p,
)

from ._errors import BadConfigError, error_of
from ._parts import library_path

LEAST_API_VERSION = 12


class CTensorInfo(Structure):
    """hone_tensor_info."""

    _fields_ = [
        ("name", c_char_p),
        ("dtype", c_int),
        ("rank", c_int32),
        ("shape", POINTER(c_int64)),
        ("size_bytes", c_size_t),
    ]


class CRange(Structure):
    """hone_range."""

    _fields_ = [("name", c_char_p), ("least", c_int64), ("most", c_int64)]


class CParam(Structure):
    """hone_param."""

    _fields_ = [("name", c_char_p), ("data", c_void_p), ("size_bytes", c_size_t)]


class CMemory(Structure):
    """hone_memory."""

    _fields_ = [("data", c_void_p), ("size_bytes", c_size_t)]


class CSessionOptions(Structure):
    """hone_session_options."""

    _fields_ = [("struct_bytes", c_size_t), ("threads", c_int32), ("pin", c_int32), ("allocator", c_void_p)]


OnToken = CFUNCTYPE(c_int32, c_void_p, c_int64)


class CGenerateOptions(Structure):
    """hone_generate_options."""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("stop_ids", POINTER(c_int64)),
        ("stop_count", c_int64),
        ("temperature", c_double),
        ("top_k", c_int64),
        ("top_p", c_double),
        ("repetition_penalty", c_double),
        ("seed", c_uint64),
        ("on_token", OnToken),
        ("user", c_void_p),
    ]


class CGeneration(Structure):
    """hone_generation."""

    _fields_ = [("new_tokens", c_int64), ("end", c_int), ("first_ns", c_int64), ("rest_ns", c_int64)]


# Each function that returns a hone_status, with its arguments. Handles are void pointers.
_CHECKED = {
    "hone_package_load": [c_char_p, POINTER(c_void_p)],
    "hone_package_load_for": [c_char_p, POINTER(CTensorInfo), c_int32, POINTER(c_void_p)],
    "hone_package_with_params": [c_void_p, POINTER(CParam), c_int32, POINTER(c_void_p)],
    "hone_package_param_info": [c_void_p, c_char_p, POINTER(CTensorInfo)],
    "hone_package_input_info": [c_void_p, c_int32, POINTER(CTensorInfo)],
    "hone_package_input_range": [c_void_p, c_int32, c_int32, POINTER(CRange)],
    "hone_package_output_info": [c_void_p, c_int32, POINTER(CTensorInfo)],
    "hone_session_create": [c_void_p, c_int32, POINTER(c_void_p)],
    "hone_session_set_input_shape": [c_void_p, c_int32, POINTER(c_int64), c_int32],
    "hone_session_run_with": [c_void_p, POINTER(CMemory), c_int32, POINTER(CMemory), c_int32],
    "hone_session_output_info": [c_void_p, c_int32, POINTER(CTensorInfo)],
    "hone_session_expected_output_info": [c_void_p, c_int32, POINTER(CTensorInfo)],
    "hone_package_state_info": [c_void_p, c_int32, POINTER(CTensorInfo)],
    "hone_session_reset_state": [c_void_p],
    "hone_session_truncate_state": [c_void_p, c_int64],
    "hone_session_save_state": [c_void_p, c_void_p, c_size_t],
    "hone_session_load_state": [c_void_p, c_char_p, c_size_t],
    "hone_session_generate": [
        c_void_p,
        POINTER(c_int64),
        c_int64,
        POINTER(CGenerateOptions),
        POINTER(c_int64),
        c_int64,
        POINTER(CGeneration),
    ],
    "hone_session_fork": [c_void_p, POINTER(CSessionOptions), POINTER(c_void_p)],
}


def check(status: int) -> None:
    """Raises the exception of a status other than HONE_OK, with the calling thread's error text."""
    if status != 0:
        raise error_of(status, library().hone_error_text().decode("utf-8", "replace"))


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, loaded at the first call. Raises NoInputError, and BadConfigError if its version differs."""
    path = library_path()
    try:
        found = ctypes.CDLL(path)
        version = found.hone_api_version()
    except (OSError, AttributeError) as error:
        raise BadConfigError(f"{path} is not the library of hone's C API: {error}") from None
    if version < LEAST_API_VERSION:
        raise BadConfigError(f"{path} has version {version} of hone's C API; {LEAST_API_VERSION} or later would be right")
    found.hone_error_text.restype = c_char_p
    for name in ("hone_package_inputs", "hone_package_outputs", "hone_package_states"):
        getattr(found, name).argtypes = [c_void_p]
        getattr(found, name).restype = c_int32
    found.hone_package_output_is_counted.argtypes = [c_void_p, c_int32]
    found.hone_package_output_is_counted.restype = c_int32
    found.hone_package_state_axis.argtypes = [c_void_p, c_int32]
    found.hone_package_state_axis.restype = c_int32
    for name in ("hone_session_state_length", "hone_session_state_capacity"):
        getattr(found, name).argtypes = [c_void_p]
        getattr(found, name).restype = c_int64
    found.hone_session_state_bytes.argtypes = [c_void_p]
    found.hone_session_state_bytes.restype = c_size_t
    for name in ("hone_package_free", "hone_session_free"):
        getattr(found, name).argtypes = [c_void_p]
        getattr(found, name).restype = None
    for name, arguments in _CHECKED.items():
        getattr(found, name).argtypes = arguments
        getattr(found, name).restype = c_int
    return found
