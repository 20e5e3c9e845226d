"""Runs a package."""

from __future__ import annotations

import ctypes
import operator
import os
import threading
import weakref
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import as_input, as_output, shape_of
from ._calls import Arrays, ByCtypes, Quick, arm, set_shape
from ._errors import BugError, UsageError
from ._generate import Generation, generate
from ._library import CGenerateOptions, CSessionOptions, CTensorInfo, check, library
from ._package import Package, TensorInfo, as_integer, as_shape, need_mapping

_MOST_THREADS = 1024


def _thread_count(threads: Any) -> int:
    try:
        count = operator.index(threads)  # numpy's integers too
    except TypeError:
        count = -1
    if not 0 <= count <= _MOST_THREADS:
        raise UsageError(f"threads is {threads!r}; 0 to {_MOST_THREADS} would be right")
    return count


def _in_order(given: Mapping[str, Any], infos: Sequence[TensorInfo], what: str) -> list[Any]:
    need_mapping(f"what run takes for {what}s", given, "arrays by name")
    names = [info.name for info in infos]
    for name in given:
        if name not in names:
            raise UsageError(f"no {what} '{name}'; the {what}s are: {', '.join(names)}")
    return [given.get(name) for name in names]


def _free(handle: ctypes.c_void_p, process: int) -> None:
    # A forked child has none of the threads that freeing waits for.
    if os.getpid() == process:
        library().hone_session_free(handle)


class Session:
    """A package with the memory and the threads for its runs.

    It runs every shape in the ranges of `inputs`, and each shape of a file that holds packages for several. If arrays
    do not fit `inputs`, a session of another package in the file runs them. This is made, with its own memory and
    threads, when such arrays first come.

    Runs of one session take turns, so threads that should run at the same time need a session each; these share the
    package. Other Python threads continue during a run. A session does not survive a fork: a child process makes its
    own."""

    def __new__(cls, *given: Any, **named: Any) -> Session:
        return super().__new__(_QuickSession if cls is Session else cls)

    def __init__(self, package: Package, threads: int = 0, _fork_of: Optional[Session] = None) -> None:
        """`threads` 0: the cores that affinity and the cgroup allow. Raises UsageError for other invalid numbers."""
        if not isinstance(package, Package):
            raise UsageError(f"a session is made of a {type(package).__name__}; a Package would be right")
        self.package = package
        self._threads = threads = _thread_count(threads)
        # By the shapes of their inputs; None if the file has no other package.
        self._others: Dict[Tuple[Tuple[int, ...], ...], Optional[Session]] = {}
        self._handle = ctypes.c_void_p()
        self._making = threading.Lock()
        self._asked: Optional[ctypes.c_void_p] = None  # a session that never runs, for questions about shapes
        self._process = os.getpid()
        if _fork_of is None:
            check(library().hone_session_create(package._handle, threads, ctypes.byref(self._handle)))
        else:
            options = CSessionOptions(ctypes.sizeof(CSessionOptions), threads, 0, None)
            check(library().hone_session_fork(_fork_of._handle, ctypes.byref(options), ctypes.byref(self._handle)))
        weakref.finalize(self, _free, self._handle, self._process)
        quick = isinstance(self, _QuickSession) and arm(self, package, self._handle)
        self._by_ctypes = None if quick else ByCtypes(package, self._handle)

    @property
    def inputs(self) -> Tuple[TensorInfo, ...]:
        return self.package.inputs

    @property
    def outputs(self) -> Tuple[TensorInfo, ...]:
        return self.package.outputs

    @property
    def states(self) -> Tuple[TensorInfo, ...]:
        """What the session keeps from run to run, such as a cache of keys. Empty if runs depend on their inputs alone.

        Its other functions of states must not be called while a run of the session goes on."""
        return self.package.states

    @property
    def state_length(self) -> int:
        """The positions that the states hold; 0 if none grows."""
        return int(library().hone_session_state_length(self._handle))

    @property
    def state_capacity(self) -> int:
        """The most positions that the states may hold; 0 if none grows."""
        return int(library().hone_session_state_capacity(self._handle))

    def reset(self) -> None:
        """Empties the states, so that the next run is as the first one."""
        check(library().hone_session_reset_state(self._handle))

    def truncate(self, length: int) -> None:
        """Keeps the first `length` positions, as if later ones had never been added.

        Raises UsageError if there are fewer, and if a state without positions, as of a recurrent layer, would have to
        go back."""
        check(library().hone_session_truncate_state(self._handle, as_integer("length", length)))

    def save_state(self) -> bytes:
        """The states as bytes, for load_state of any session of the model, also on another machine."""
        saved = ctypes.create_string_buffer(library().hone_session_state_bytes(self._handle))
        check(library().hone_session_save_state(self._handle, saved, len(saved)))
        return saved.raw

    def load_state(self, saved: bytes) -> None:
        """Replaces the states by what save_state gave.

        Raises BadDataError, and changes nothing, for damaged bytes, the state of another model, and more positions
        than there is room for."""
        if not isinstance(saved, (bytes, bytearray, memoryview)):
            raise UsageError(f"a saved state is a {type(saved).__name__}; the bytes of save_state would be right")
        given = bytes(saved)
        check(library().hone_session_load_state(self._handle, given, len(given)))

    def fork(self, threads: Optional[int] = None) -> Session:
        """A session of the same package, with threads of its own and a copy of the states."""
        return Session(self.package, self._threads if threads is None else threads, _fork_of=self)

    def output_shapes(self, shapes: Mapping[str, Sequence[int]]) -> Dict[str, Tuple[int, ...]]:
        """The shapes of the outputs, by name, of a run on inputs of these shapes. Nothing runs.

        An input that is not named has its largest shape. An axis that a run counts from data (a detector's boxes) has
        its largest extent.

        Raises UsageError for an unknown name and a wrong rank or fixed extent. Raises BadDataError for an extent out
        of its range, inputs that disagree on a dimension, and extents that no run takes."""
        given = _in_order(shapes, self.inputs, "input")
        with self._making:
            if self._asked is None and self.states:
                self._asked = self._handle  # what follows from a state's length, only this session knows
            if self._asked is None:
                self._asked = ctypes.c_void_p()
                check(library().hone_session_create(self.package._handle, 1, ctypes.byref(self._asked)))
                weakref.finalize(self, _free, self._asked, self._process)
            for index, (shape, info) in enumerate(zip(given, self.inputs)):
                set_shape(self._asked, index, info.shape if shape is None else as_shape(info.name, shape))
            return {info.name: self._expected(index) for index, info in enumerate(self.outputs)}

    def _expected(self, index: int) -> Tuple[int, ...]:
        info = CTensorInfo()
        check(library().hone_session_expected_output_info(self._asked, index, ctypes.byref(info)))
        return tuple(info.shape[axis] for axis in range(info.rank))

    def run(
        self, inputs: Mapping[str, Any], out: Optional[Mapping[str, np.ndarray[Any, Any]]] = None
    ) -> Dict[str, np.ndarray[Any, Any]]:
        """Runs on inputs by name and returns outputs by name. `out`: arrays for outputs; the others are new.

        If an output's extent depends on the inputs' shapes or on the data (a detector's boxes), `outputs` has its
        largest shape, which arrays of `out` must have too. The result is then a view of the valid elements.

        Raises UsageError for an unknown name, a missing input, and a wrong type, shape or order. Raises BadDataError
        for an extent out of its range, and for inputs that disagree on a dimension."""
        given = _in_order(inputs, self.inputs, "input")
        missing = [info.name for info in self.inputs if info.name not in inputs]
        if missing:
            raise UsageError(f"no array for input {', '.join(map(repr, missing))}; run takes one for each")
        results = self._of(given)._run(given, _in_order({} if out is None else out, self.outputs, "output"))
        return {info.name: result for info, result in zip(self.outputs, results)}

    def __call__(
        self, *inputs: Any, out: Union[None, np.ndarray[Any, Any], Sequence[np.ndarray[Any, Any]]] = None
    ) -> Any:
        """Runs on the inputs in the package's order. Returns the output, or a tuple if there are several.

        `out`: the array for the output, or one for each of several. Raises as run does."""
        if len(inputs) != len(self.inputs):
            names = ", ".join(info.name for info in self.inputs)
            raise UsageError(f"{len(inputs)} inputs are given; the {len(self.inputs)} of {names} would be right")
        wanted: Sequence[Any] = [None] * len(self.outputs)
        if out is not None:
            wanted = out if isinstance(out, (list, tuple)) else [out]
        if len(wanted) != len(self.outputs):
            raise UsageError(f"{len(wanted)} arrays are given for {len(self.outputs)} outputs")
        results = self._of(inputs)._run(inputs, wanted)
        return results[0] if len(results) == 1 else results

    def generate(
        self,
        prompt: Union[str, Sequence[int]],
        new_tokens: int = 64,
        *,
        stop_ids: Sequence[int] = (),
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        repetition_penalty: float = 1.0,
        seed: int = 0,
        on_token: Optional[Callable[[int], Any]] = None,
        tokenizer: Any = None,
    ) -> Generation:
        """Continues a text by the prompt's token ids and at most `new_tokens` new ones of a language model.

        A session with states goes on where they end; without states the prompt is the whole text. With a temperature
        of 0 the most likely token is taken. `on_token` is called for each new token and ends the text by returning
        False. `tokenizer`, the path of a tokenizer.json or an object of the package tokenizers, allows a prompt of text
        and gives text back.

        No run of the session may go on meanwhile. Raises UsageError for a package that is no language model, and
        BadDataError for ids outside the vocabulary and for a prompt that the package has no room for."""
        self._require_own_process()
        options = CGenerateOptions(
            temperature=temperature, top_k=top_k, top_p=top_p, repetition_penalty=repetition_penalty, seed=seed
        )
        return generate(self._handle, prompt, new_tokens, options, stop_ids, on_token, tokenizer)

    # The extension calls this if arrays are not as expected.
    _call = __call__

    def _of(self, given: Sequence[Any]) -> Session:
        """The session for arrays of these shapes: this one, or that of another package in the same file."""
        shapes = tuple(shape_of(value) for value in given)
        if all(info.takes(shape) for info, shape in zip(self.inputs, shapes)):
            return self
        with self._making:
            if shapes not in self._others:
                by_name = {info.name: shape for info, shape in zip(self.inputs, shapes)}
                other = Package(self.package.path, self.package._params, by_name)
                self._others[shapes] = Session(other, self._threads) if other.inputs != self.inputs else None
            # If the file has only one package, this session refuses the arrays.
            return self._others[shapes] or self

    def _run(self, given: Sequence[Any], wanted: Sequence[Any]) -> Arrays:
        arrays = [as_input(value, info) for value, info in zip(given, self.inputs)]
        results = [as_output(value, info) for value, info in zip(wanted, self.outputs)]
        for index, (array, info) in enumerate(zip(arrays, self.inputs)):
            if not info.takes(array.shape):
                set_shape(self._handle, index, array.shape)
        self._require_own_process()
        if self._by_ctypes is not None:
            return self._by_ctypes(arrays, results)
        done = self._run_quickly(tuple(arrays), results) if isinstance(self, _QuickSession) else None
        if done is None:
            raise BugError("arrays that fit were not taken")
        return done

    def _require_own_process(self) -> None:
        if os.getpid() != self._process:
            raise UsageError("the session was made before a fork, which took its threads; the child has to load its own")

    def __reduce__(self) -> Tuple[Any, ...]:
        # Copies and unpickled sessions have memory and threads of their own, and copies of the states.
        made = Session, (self.package, self._threads)
        return (*made, self.save_state()) if self.states else made

    def __setstate__(self, saved: bytes) -> None:
        self.load_state(saved)

    def __repr__(self) -> str:
        return f"Session({self.package!r})"


class _QuickSession(Quick, Session):
    """The actual type of a Session. If the extension exists, calls go to its function instead of Session's."""


def load(
    path: Union[str, os.PathLike[str]],
    threads: int = 0,
    params: Optional[Mapping[str, np.ndarray[Any, Any]]] = None,
) -> Session:
    """A session of the package in the file. For several sessions of one package, use Package and Session.

    `threads` 0: the cores that affinity and the cgroup allow. Raises NoInputError, BadDataError, and BadConfigError
    for a package of another CPU. `params`: as in Package."""
    return Session(Package(path, params), threads)
