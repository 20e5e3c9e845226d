"""Compares float models in hone's bfloat16 with OpenVINO at its defaults, in turns in one process. On a CPU that
multiplies bfloat16, OpenVINO's default is bfloat16 too. Both also run in float32. Columns: p10 in ms, hone's lead, and
how far outputs are from ONNX Runtime's in float32. ONNX Runtime is not timed: its threads keep spinning after a run,
which on two cores slows the next system. Exits 1 if hone's bfloat16 is below the goal, or less accurate than both
OpenVINO's and 5e-2.

  cmake --build --preset release --target hone_program hone_shared
  python3 -m venv V && V/bin/pip install -r bench/peers/requirements.txt
  V/bin/python bench/peers/bfloat16.py [--models resnet-50,resnet-18] [--threads 1] [--seconds 25] [--work build/peers/bfloat16]
"""
import argparse
import array
import math
import os
import random
import subprocess

import systems
from quantised import SHAPE, OpenVinoAtItsDefaults, p10

# OpenVINO's time at its defaults over hone's.
GOAL = 1.1
WORST_ERROR = 5e-2


def package(options, path, precision):
    made = path.replace(".onnx", f".{options.threads}.{precision}.hone")
    subprocess.run([f"{options.hone}/bin/hone", "build", path, "-o", made, "--no-records", "--threads", str(options.threads),
                    "--precision", precision], check=True, capture_output=True)
    return f"{options.hone}/lib/libhone.so:{made}"


def loaded(options, name):
    """The systems to be timed, by their names in the table."""
    path = os.path.join(options.work, name + ".onnx")
    if not os.path.exists(path):
        subprocess.run([f"{options.hone}/bin/hone", "zoo", name, "-o", path], check=True, capture_output=True)
    runs = {"hone bfloat16": (systems.Hone(), package(options, path, "bfloat16")),
            "openvino default": (OpenVinoAtItsDefaults(), path),
            "hone float32": (systems.Hone(), package(options, path, "float32")),
            "openvino float32": (systems.OpenVino(), path),
            "onnxruntime float32": (systems.OnnxRuntime(), path)}
    draw = random.Random(1)
    feed = array.array("f", (draw.gauss(0, 1) for _ in range(math.prod(SHAPE))))
    for system, model in runs.values():
        system.load(model, options.threads, feed, SHAPE)
    return {what: system for what, (system, _) in runs.items()}


def error_of(output, reference):
    largest = max(abs(r) for r in reference)
    return max(abs(y - r) for y, r in zip(output, reference)) / largest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hone", default="build/release", help="the folder that hone was built in")
    parser.add_argument("--work", default="build/peers/bfloat16", help="a folder for models and packages")
    parser.add_argument("--models", default="resnet-50,mobilenet_v2,resnet-18")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=25, help="of each model")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    missed = False
    for name in options.models.split(","):
        runs = loaded(options, name)
        times = p10({what: run for what, run in runs.items() if not what.startswith("onnxruntime")}, options.seconds)
        runs["onnxruntime float32"].run()
        reference = runs["onnxruntime float32"].output()
        errors = {what: error_of(runs[what].output(), reference) for what in ("hone bfloat16", "openvino default")}
        lead = times["openvino default"] / times["hone bfloat16"]
        wrong = errors["hone bfloat16"] > max(WORST_ERROR, errors["openvino default"])
        verdict = "outputs differ" if wrong else "reached" if lead >= GOAL else "missed"
        missed = missed or verdict != "reached"
        print(f"{name}, {options.threads} threads: " + ", ".join(f"{what} {ms:.2f} ms" for what, ms in times.items()))
        print(f"  openvino default / hone bfloat16 {lead:.2f} (goal {GOAL}), hone float32 / bfloat16 "
              f"{times['hone float32'] / times['hone bfloat16']:.2f}; off by " +
              ", ".join(f"{what} {error:.1e}" for what, error in errors.items()) + f": {verdict}", flush=True)
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
