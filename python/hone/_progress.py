"""Shows the progress of a tuning run."""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, Optional, TextIO, Union

Event = Dict[str, Any]
OnEvent = Callable[[Event], None]

_QUIET_NS = 10_000_000_000


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


class _Tally:
    """A summary of the events so far."""

    def __init__(self) -> None:
        self.trials = 0
        self.failed = 0
        self.tasks: set[str] = set()
        self.elapsed_ns = 0

    def add(self, event: Event) -> None:
        self.elapsed_ns = event["elapsed_ns"]
        self.tasks.add(event["task"])
        if event["event"] == "trial":
            self.trials += 1
            self.failed += event["fate"] != "Ok"

    def text(self) -> str:
        rate = self.trials / (self.elapsed_ns / 1e9) if self.elapsed_ns > 0 else 0.0
        trials, tasks = counted(self.trials, "trial"), counted(len(self.tasks), "task")
        return f"{trials}, {self.failed} failed, {rate:.1f} trials/s, {tasks} seen"


def _waiting(event: Event) -> str:
    return f"{event['why']}, waiting" if event["why"] else "a runner is there again"


class PlainLines:
    """Prints a line every 10 seconds, for notebooks and files."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._tally = _Tally()
        self._told_ns = 0

    def __call__(self, event: Event) -> None:
        if event["event"] == "done":
            return
        if event["event"] == "waiting":
            print(_waiting(event), file=self._stream, flush=True)
            return
        self._tally.add(event)
        if self._tally.elapsed_ns - self._told_ns >= _QUIET_NS:
            self._told_ns = self._tally.elapsed_ns
            print(self._tally.text(), file=self._stream, flush=True)


class Bar:
    """Shows tqdm's bar of trials, for terminals."""

    def __init__(self, tqdm: Any, stream: TextIO, trials: Optional[int]) -> None:
        self._tally = _Tally()
        self._bar = tqdm(total=trials, unit=" trials", file=stream, desc="hone tune", leave=True)

    def __call__(self, event: Event) -> None:
        if event["event"] == "done":
            self._bar.close()
            return
        if event["event"] == "waiting":
            self._bar.write(_waiting(event), file=self._bar.fp)
            return
        self._tally.add(event)
        self._bar.set_postfix(failed=self._tally.failed, tasks=len(self._tally.tasks), refresh=False)
        self._bar.update(event["event"] == "trial")


def _shown(stream: TextIO, trials: Optional[int]) -> OnEvent:
    if stream.isatty():
        try:
            from tqdm import tqdm
        except ImportError:
            return PlainLines(stream)
        return Bar(tqdm, stream, trials)
    return PlainLines(stream)


def reader_of(progress: Union[bool, OnEvent], trials: Optional[int]) -> OnEvent:
    """A function that takes each event: the caller's own, or one that shows events on stderr, or one that ignores
    them."""
    if callable(progress):
        return progress
    return _shown(sys.stderr, trials) if progress else lambda event: None
