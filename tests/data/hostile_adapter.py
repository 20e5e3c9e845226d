#!/usr/bin/env python3
"""An adapter for a runner's sandbox, which tries what its setting `fault` names. Else it is sound.

Its model is one that gives its first input unchanged. It writes GOT to stderr where it got what it may not have.
"""
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time

FAULT = "none"
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
libc = ctypes.CDLL(None, use_errno=True)
values = []
held = []


def got(what):
    print(f"GOT {what}", file=sys.stderr, flush=True)
    os._exit(9)


def refused(step, what):
    """Runs a step that must fail."""
    try:
        step()
    except OSError as error:
        print(f"refused: {what}: {error}", file=sys.stderr, flush=True)
        os._exit(7)
    got(what)


def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def fork_bomb():
    while True:
        try:
            os.fork()
        except OSError:
            pass


def eat_memory():
    while True:
        held.append(b"x" * (8 << 20))


def eat_by_children():
    for _ in range(40):
        if os.fork() == 0:
            kept = bytearray(b"x" * (40 << 20))
            time.sleep(1000)
            del kept
    time.sleep(1000)


def fill_tmp():
    with open("/tmp/full", "wb") as file:
        while True:
            file.write(b"x" * (1 << 20))


def read_first_process():
    with open("/proc/1/mem", "rb") as memory:
        memory.seek(0x400000)
        memory.read(1)


def read_key():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "secret", "identity")) as key:
        key.read()


def connect():
    with socket.create_connection(("127.0.0.1", 22), 1):
        pass


def vsock():
    socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)


def leave_program():
    held.append(0)
    if len(held) == 1 and os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.environ.clear()
            os.execve("/usr/bin/sleep", ["hone-hostile-sleep", "1000"], {})
        os._exit(0)


# Numbers of system calls are those of x86-64.
STEPS = {
    "write_own": lambda: open(os.path.abspath(__file__), "a"),
    "write_root": lambda: open("/usr/bin/hone-was-here", "w"),
    "write_model": lambda: open(model, "a"),
    "read_key": read_key,
    "read_shadow": lambda: open("/etc/shadow"),
    "read_passwd": lambda: open("/etc/passwd"),
    "read_first_process": read_first_process,
    "connect": connect,
    "vsock": vsock,
    "unshare": lambda: call(272, 0x10000000),
    "mount": lambda: call(165, b"none", b"/tmp", b"tmpfs", 0, None),
    "remount": lambda: call(165, b"none", b"/", None, 0x1020, None),
    "memory_file": lambda: call(319, b"x", 0),
    "keyring": lambda: call(248, b"user", b"x", b"x", 1, -3),
    "become_root": lambda: os.setuid(0),
}
LOOPS = {"fork_bomb": fork_bomb, "eat_memory": eat_memory, "eat_by_children": eat_by_children, "fill_tmp": fill_tmp,
         "never_answer": lambda: time.sleep(1000), "leave_program": leave_program}
OTHERS = ["none", "read_variables", "kill_first", "endless_output", "endless_stderr", "crash", "wrong_outputs",
          "huge_shape", "short_times", "long_times", "turn_times"]


def at_run():
    if FAULT in STEPS:
        refused(STEPS[FAULT], FAULT)
    if FAULT == "read_variables" and "HONE_SECRET" in os.environ:
        got("a variable")
    if FAULT == "read_variables":
        refused(lambda: open("/proc/1/environ").read(), FAULT)
    if FAULT == "kill_first":
        os.kill(1, signal.SIGKILL)
        refused(lambda: (_ for _ in ()).throw(OSError("it lives")), FAULT)
    if FAULT in LOOPS:
        LOOPS[FAULT]()
    while FAULT == "endless_output":
        print("x" * 65536, end="", file=answers)
    while FAULT == "endless_stderr":
        print("x" * 65536, file=sys.stderr)
    if FAULT == "crash":
        os.abort()


def outputs():
    result = dict(values[0], name="output")
    if FAULT == "wrong_outputs":
        result["data"] = "AAAA" + result["data"][4:]
    if FAULT == "huge_shape":
        result["shape"] = [1 << 40]
    return {"outputs": [result]}


def answer(request):
    global values, model, FAULT
    if "hello" in request:
        return {"hello": 1, "name": "Hostile", "version": "1", "settings": {"fault": OTHERS + list(STEPS) + list(LOOPS)}}
    if "load" in request:
        FAULT = request["settings"].get("fault", "none")
        values, model = request["inputs"], request["load"]
        return {"precision": "float32"}
    if "run" in request:
        at_run()
        begin = time.monotonic_ns()
        for _ in range(request["run"]):
            time.sleep(0.002)
        passed = time.monotonic_ns() - begin
        told = {"short_times": passed // 10, "long_times": passed * 3}.get(FAULT, passed)
        if FAULT == "turn_times" and request["run"] < 10:
            told = 1000 * max(1, request["run"])
        return {"ns": [max(1, told // max(1, request["run"]))] * request["run"]}
    if "outputs" in request:
        return outputs()
    if "memory" in request:
        return {"bytes": 0}
    return {}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), file=answers, flush=True)
