"""What a run costs from Python above what it costs from C, the two in turns in one process, on one thread.

    call_overhead.py PACKAGE [ROUNDS]

Each round runs the package 50 times from each side. A package of little arithmetic shows it best: the times of a long
run differ by more than this from one to the next. Needs a C compiler."""

import ctypes
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import numpy as np

import hone_runtime
from hone_runtime._library import check, library

RUNS = 50


def python_ns(session, inputs):
    begin = time.perf_counter_ns()
    for _ in range(RUNS):
        session(*inputs)
    return (time.perf_counter_ns() - begin) / RUNS


@contextmanager
def bound(session, arrays):
    """arrays: (kind, index, array) of every input and output."""
    for kind, index, array in arrays:
        bind = getattr(library(), f"hone_session_bind_{kind}")
        check(bind(session._handle, index, array.ctypes.data, array.nbytes))
    yield
    for kind, index, _ in arrays:
        check(getattr(library(), f"hone_session_bind_{kind}")(session._handle, index, None, 0))


def compiled_loop():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/run_loop.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", Path(__file__).with_name("run_loop.c"), "-o", path], check=True)
        loop = ctypes.CDLL(path).hone_run_loop
    loop.argtypes, loop.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32], ctypes.c_int64
    return loop


def main(package, rounds="200"):
    session, loop = hone_runtime.load(package, threads=1), compiled_loop()
    run = ctypes.cast(library().hone_session_run, ctypes.c_void_p)
    inputs = [np.zeros(info.shape, info.dtype) for info in session.inputs]
    outputs = [np.zeros(info.shape, info.dtype) for info in session.outputs]
    arrays = [("input", i, array) for i, array in enumerate(inputs)] + [("output", i, array) for i, array in enumerate(outputs)]
    times = []
    for _ in range(int(rounds)):
        here = python_ns(session, inputs)
        with bound(session, arrays):
            times.append((here, loop(run, session._handle, RUNS) / RUNS))
    here, there = (median(each) / 1000 for each in zip(*times))
    above = median(python - c for python, c in times) / 1000
    print(f"from Python {here:.1f} us, from C {there:.1f} us; above it {above:.1f} us, median of {rounds} rounds")


if __name__ == "__main__":
    main(*sys.argv[1:])
