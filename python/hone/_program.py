"""Runs the program `hone` in a process of its own, so that this one never holds LLVM and a crash is an exception
here."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import threading
from typing import IO, Any, Dict, Generator, Sequence

from hone_runtime._errors import BugError, IoError, UsageError, error_of

from ._parts import environment, program_path

_log = logging.getLogger("hone")
_PREFIX = "hone: "
_NEXT = "next: "
Document = Dict[str, Any]


class _Words:
    """Reads the program's stderr: notes go to the logger `hone`, and its error line is kept."""

    def __init__(self, stream: IO[str]) -> None:
        self.error = ""
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            text = line.rstrip("\n")
            if text.startswith(_PREFIX):
                self.error = text[len(_PREFIX) :]
            elif text and not text.startswith(_NEXT):
                _log.warning("%s", text)

    def wait(self) -> None:
        self._thread.join()


def _start(command: Sequence[str]) -> subprocess.Popen[str]:
    try:
        # In its own session, the program does not get Ctrl-C: this process alone gets it and then signals the program.
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            env=environment(),
            start_new_session=True,
        )
    except ValueError:
        raise UsageError(f"an argument of hone {command[1]} holds a byte 0; one without would be right") from None
    except OSError as error:
        raise IoError(f"{command[0]} cannot be started: {error}") from None


def _stop(process: subprocess.Popen[str]) -> None:
    # As at a terminal: the first Ctrl-C lets the program end in order, a second one ends it at once.
    assert process.stdout is not None
    process.send_signal(signal.SIGINT)
    try:
        # A full pipe would block the program.
        for _ in process.stdout:
            pass
        process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        process.wait()
        raise


def _check_end(code: int, error: str, answered: bool, command: str) -> None:
    if code == 0 or (code == 1 and answered and not error):
        return
    if code < 0:
        raise BugError(f"hone {command} was ended by {signal.Signals(-code).name}")
    raise error_of(code, error or f"hone {command} ended with exit code {code} and without a word")


def lines_of(arguments: Sequence[str]) -> Generator[str, None, None]:
    """Runs `hone ARGUMENTS` and yields the lines of its stdout as they come.

    After the last one it raises the exception of the program's exit code, with its error line. A negative answer
    that is printed, with exit code 1, raises nothing. If the iterator is closed, or the user interrupts, the program
    ends in order."""
    answered = False
    with _start([program_path(), *arguments]) as process:
        assert process.stdout is not None and process.stderr is not None
        words = _Words(process.stderr)
        try:
            for line in process.stdout:
                answered = True
                yield line
            process.wait()
        except BaseException:
            _stop(process)
            raise
        finally:
            words.wait()
    _check_end(process.returncode, words.error, answered, arguments[0])


def object_in(text: str, command: str) -> Document:
    """The JSON object that a command printed. Raises BugError for any other text."""
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise BugError(f"hone {command} printed {text[:80]!r} in place of a JSON object")
    return document


def document_of(arguments: Sequence[str]) -> Document:
    """Runs `hone ARGUMENTS --json` and returns the object that it prints. Raises as lines_of does."""
    return object_in("".join(lines_of([*arguments, "--json"])), arguments[0])
