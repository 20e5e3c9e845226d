#!/usr/bin/env python3
"""hone's own adapter with a fault: passes requests on to `hone runtime serve`, and spoils what FAULT names."""
import base64
import json
import os
import subprocess
import sys
import time

FAULT, COUNT = os.environ.get("FAULT", ""), {"run": 0, "load": 0}
hone = subprocess.Popen([os.environ["HONE"], "runtime", "serve", "--no-records"], stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE, text=True)


def spoil_first(answer):
    data = bytearray(base64.b64decode(answer["outputs"][0]["data"]))
    data[3] ^= 0x40  # the highest bit of the first float's exponent
    answer["outputs"][0]["data"] = base64.b64encode(data).decode()


def spoil_run(answer, request):
    COUNT["run"] += 1
    slept_ms = float(os.environ.get("SLEEP_MS", "0"))
    time.sleep(slept_ms / 1e3 * request["run"])
    factor = {"tells half": 0.5, "tells double": 2}.get(FAULT, 1)
    answer["ns"] = [int((ns + slept_ms * 1e6) * factor) for ns in answer["ns"]]
    if FAULT == "tells nothing in turns" and request["run"] == 1:
        answer["ns"] = [1000]
    if FAULT == "tells one time too many":
        answer["ns"].append(1000)
    if FAULT == "tells zero":
        answer["ns"] = [0] * request["run"]


def leave_program():
    left = subprocess.Popen(["sleep", "1000"], start_new_session=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(os.environ["PIDS"], "a") as file:
        file.write(f"{left.pid}\n")


def spoil(answer, request):
    if "load" in request:
        COUNT["load"] += 1
    if "run" in request and "error" not in answer:
        spoil_run(answer, request)
    if "outputs" in request:
        if FAULT == "wrong outputs" or (FAULT == "same outputs" and COUNT["load"] == 2):
            spoil_first(answer)
        if FAULT == "huge shape":
            answer["outputs"][0]["shape"] = [1 << 40]
        if FAULT == "no outputs":
            answer["outputs"] = []
    if FAULT == "version 2" and "hello" in request:
        answer["hello"] = 2
    if FAULT == "no name" and "hello" in request:
        del answer["name"]
    if FAULT == "no precision" and "load" in request:
        answer["precision"] = "float13"
    if FAULT == "not installed" and "hello" in request:
        answer = {"error": "No module named 'runtime'", "install": "python3 -m pip install runtime"}
    if FAULT == "accepts all":
        answer.pop("error", None)
        answer.setdefault("precision", "float32")
    return answer


def misbehave(request):
    at = os.environ.get("AT", "run")
    if at not in request:
        return
    if FAULT == "hangs":
        with open(os.environ["PIDS"], "a") as file:
            file.write(f"{os.getpid()}\n")
        time.sleep(1000)
    if FAULT == "crashes":
        print("the runtime meets a strange operator", file=sys.stderr, flush=True)
        os.kill(os.getpid(), 11)
    if FAULT == "crashes later":
        with open(os.environ["PIDS"], "a") as file:
            file.write(f"{os.getpid()}\n")
        with open(os.environ["PIDS"]) as file:
            if len(file.read().split()) == 60:
                os.kill(os.getpid(), 11)
    if FAULT == "ends":
        sys.exit(3)
    if FAULT == "nonsense":
        print("Warning: running\x1b[31m slowly", flush=True)
    if FAULT == "floods":
        while True:
            print("x" * 65536, end="")
    if FAULT == "floods stderr":
        while True:
            print("x" * 65536, file=sys.stderr)


def main():
    if FAULT == "leaves a program":
        leave_program()
    for line in sys.stdin:
        request = json.loads(line)
        misbehave(request)
        hone.stdin.write(line)
        hone.stdin.flush()
        answer = json.loads(hone.stdout.readline())
        unasked = '\n{"ns": [1000]}' if FAULT == "speaks unasked" and "run" in request else ""
        print(json.dumps(spoil(answer, request)) + unasked, flush=True)
        if "bye" in request and FAULT == "does not end":
            time.sleep(1000)


main()
