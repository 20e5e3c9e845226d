"""Text from a language model's package."""

from __future__ import annotations

import ctypes
import importlib
from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

from ._errors import NoInputError, UsageError
from ._library import CGenerateOptions, CGeneration, OnToken, check, library
from ._package import as_integer

_ENDS = ("new tokens", "stop id", "caller", "full")


@dataclass(frozen=True)
class Generation:
    """What a session's generate gave."""

    ids: Tuple[int, ...]
    """The new tokens; a stop id is the last one."""
    end: str
    """Why the text ends: "new tokens" (as many as asked for), "stop id", "caller" (on_token) or "full" (the package)."""
    first_token_seconds: float
    """Until the first new token."""
    tokens_per_second: float
    """Of all others; 0 if there is one alone."""
    text: Optional[str] = None
    """The new tokens as text, if a tokenizer was given."""


def _tokenizer(given: Any) -> Any:
    if not isinstance(given, (str, bytes)) and not hasattr(given, "__fspath__"):
        return given
    try:
        tokenizers: Any = importlib.import_module("tokenizers")
    except ImportError:
        raise NoInputError("a tokenizer needs the package tokenizers: pip install tokenizers") from None
    try:
        return tokenizers.Tokenizer.from_file(str(given))
    except Exception as error:  # tokenizers raises Exception itself
        raise NoInputError(f"{given} is no tokenizer.json: {error}") from None


def _prompt_ids(prompt: Union[str, Sequence[int]], tokenizer: Any) -> List[int]:
    if not isinstance(prompt, str):
        return [as_integer("a token id", token) for token in prompt]
    if tokenizer is None:
        raise UsageError("a prompt of text needs tokenizer=, the path of a tokenizer.json; without it give token ids")
    return list(tokenizer.encode(prompt).ids)


def _callback(on_token: Callable[[int], Any], raised: List[BaseException]) -> Any:
    def call(_: Any, token: int) -> int:
        try:
            return 0 if on_token(token) is False else 1
        except BaseException as error:  # raised again once the C function has returned
            raised.append(error)
            return 0

    return OnToken(call)


def generate(
    handle: ctypes.c_void_p,
    prompt: Union[str, Sequence[int]],
    new_tokens: int,
    options: CGenerateOptions,
    stop_ids: Sequence[int],
    on_token: Optional[Callable[[int], Any]],
    tokenizer: Any,
) -> Generation:
    """See Session.generate."""
    tokenizer = None if tokenizer is None else _tokenizer(tokenizer)
    given, stops = _prompt_ids(prompt, tokenizer), [as_integer("a stop id", token) for token in stop_ids]
    room = as_integer("new_tokens", new_tokens)
    if room < 1:
        raise UsageError(f"new_tokens is {room}; 1 is the least")
    raised: List[BaseException] = []
    made, ids = CGeneration(), (ctypes.c_int64 * room)()
    stop_array = (ctypes.c_int64 * len(stops))(*stops)
    options.struct_bytes = ctypes.sizeof(CGenerateOptions)
    options.stop_ids, options.stop_count = stop_array, len(stops)
    if on_token is not None:
        options.on_token = _callback(on_token, raised)
    status = library().hone_session_generate(
        handle, (ctypes.c_int64 * len(given))(*given), len(given), ctypes.byref(options), ids, room, ctypes.byref(made)
    )
    if raised:
        raise raised[0]
    check(status)
    new = tuple(ids[: made.new_tokens])
    rate = (len(new) - 1) * 1e9 / made.rest_ns if len(new) > 1 and made.rest_ns > 0 else 0.0
    text = None if tokenizer is None else tokenizer.decode(list(new))
    return Generation(new, _ENDS[made.end], made.first_ns / 1e9, rate, text)
