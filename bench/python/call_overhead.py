"""Measures the cost that Python adds to a run on a real network, compared with C.

    call_overhead.py PACKAGE [ROUNDS]

Runs of milliseconds vary by more than this cost, and a run leaves none of Python's data in the caches. So the clock is
read where one run ends and where the next begins, by a C function that replaces hone_session_run_with. The time between
them is all that a loop `y = session(x)` adds, including the cost of binding. A round has 20 runs each by the extension,
by ctypes, and by a loop in C whose tensors stay bound. Uses one thread and needs a C compiler. Exits 0 whatever it
finds."""

import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np

import hone_runtime
from hone_runtime import _calls, _session
from hone_runtime._library import check, library

RUNS = 20
GOAL_US = 20


def compiled_clock():
    """The functions of clocked_run.c, which call the library's."""
    here = Path(__file__).resolve()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/clocked_run.so"
        source = here.with_name("clocked_run.c")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{here.parents[2]}", source, "-o", path], check=True)
        clock = ctypes.CDLL(path)
    of_library = (getattr(library(), f"hone_session_{name}") for name in ("bind_input", "bind_output", "run"))
    clock.clock_library(*(ctypes.cast(each, ctypes.c_void_p) for each in of_library))
    clock.clocked_run_with.argtypes = library().hone_session_run_with.argtypes
    clock.clocked_loop.argtypes = [*clock.clocked_run_with.argtypes, ctypes.c_int32]
    return clock


def by_extension(package):
    return hone_runtime.Session(package, threads=1) if hasattr(_calls.Quick, "_arm") else None


def by_ctypes(package):
    kept, _session.arm = _session.arm, lambda *given: False
    try:
        return hone_runtime.Session(package, threads=1)
    finally:
        _session.arm = kept


def python_loop(session, inputs):
    for _ in range(RUNS):
        y = session(*inputs)
    return y


def c_loop(clock, session):
    def run():
        bound = _calls.ByCtypes(session.package, session._handle)
        tensors = [np.zeros(info.shape, info.dtype) for info in session.inputs + session.outputs]
        for place, array in zip(bound._places, tensors):
            place.data = array.ctypes.data
        given = bound._inputs, len(bound._inputs), bound._outputs, len(bound._outputs)
        check(clock.clocked_loop(session._handle, *given, RUNS))

    return run


def gaps_us(clock, run):
    ns = (ctypes.c_int64 * RUNS)()
    clock.clock_into(ns, RUNS)
    run()
    return [each / 1000 for each in ns[: clock.clock_into(ns, 0)]]


def tell(way, us, c_us):
    us.sort()
    middle = median(us)
    told = f"{way:24} {middle:6.1f} us between runs, p10 {us[len(us) // 10]:.1f}, p90 {us[len(us) * 9 // 10]:.1f}"
    if c_us is not None:
        above = middle - c_us
        told += f"; above C {above:.1f} us, goal {GOAL_US}: {'met' if above <= GOAL_US else 'MISSED'}"
    print(told)
    return middle


def main(path, rounds="20"):
    clock, package = compiled_clock(), hone_runtime.Package(path)
    library().hone_session_run_with = clock.clocked_run_with
    inputs = tuple(np.zeros(info.shape, info.dtype) for info in package.inputs)
    sessions = {"Python by the extension": by_extension(package), "Python by ctypes": by_ctypes(package)}
    loops = {way: lambda session=each: python_loop(session, inputs) for way, each in sessions.items() if each}
    loops["C"] = c_loop(clock, sessions["Python by ctypes"])
    times = {way: [] for way in loops}
    for _ in range(int(rounds)):
        for way, loop in loops.items():
            times[way] += gaps_us(clock, loop)
    c_us = tell("C", times.pop("C"), None)
    for way, us in times.items():
        tell(way, us, c_us)


if __name__ == "__main__":
    main(*sys.argv[1:])
