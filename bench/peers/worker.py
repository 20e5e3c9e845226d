"""One system in a process of its own: loads a model, then runs it on request.

worker.py SYSTEM MODEL THREADS FEED SHAPE: FEED is a file of float32 values, SHAPE is like 1,3,224,224. It first prints
"ready". Then it answers each line on stdin:
- "run N" with N times in nanoseconds;
- "output FILE" with "saved", after it has written the first output's float32 values there;
- "memory" with the bytes by which the process has grown since it read the model, at its peak and at present.
It ends at the end of its input.
"""
import array
import os
import sys
import time

from systems import SYSTEMS

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python", "adapters"))
from serve_adapter import forget_peak, status_bytes  # noqa: E402


def read_floats(path):
    values = array.array("f")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    return values


def timed_runs(system, count):
    times = []
    for _ in range(count):
        start = time.perf_counter_ns()
        system.run()
        times.append(time.perf_counter_ns() - start)
    return times


def answer(system, resident, line):
    command, *arguments = line.split()
    if command == "run":
        return " ".join(map(str, timed_runs(system, int(arguments[0]))))
    if command == "memory":
        return f"{status_bytes('VmHWM') - resident} {status_bytes('VmRSS') - resident}"
    system.run()
    with open(arguments[0], "wb") as file:
        system.output().tofile(file)
    return "saved"


def main():
    name, model, threads, feed_path, shape = sys.argv[1:6]
    # stdout only carries the protocol: what libraries print, also during import, goes to stderr.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    system = SYSTEMS[name]()
    feed = read_floats(feed_path)
    resident = forget_peak()
    system.load(model, int(threads), feed, [int(n) for n in shape.split(",")])
    for _ in range(3):
        system.run()
    print("ready", file=replies, flush=True)
    for line in sys.stdin:
        print(answer(system, resident, line), file=replies, flush=True)


if __name__ == "__main__":
    main()
