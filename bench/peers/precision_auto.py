"""Compares --precision auto with each single precision and OpenVINO's default: p10 in ms, in turns in one process, and
the errors that `hone build` found. Exits 1 on a missed goal.

  cmake --build --preset release --target hone_program hone_shared
  python3 -m venv V && V/bin/pip install -r bench/peers/requirements.txt
  V/bin/python bench/peers/precision_auto.py [--models resnet-18,mobilenet_v2] [--max-error 1e-2] [--threads 1] [--seconds 20]

Goal: auto is at most 2 % slower than the fastest single precision within the error budget. The models are the zoo's,
    with random weights and inputs. Their times are those of trained models of the same shape; their errors are not.
"""
import array
import json
import math
import os
import random
import subprocess

import systems
from quantised import SHAPE, OpenVinoAtItsDefaults, p10, parser_of

MODELS = "squeezenet,resnet-18,resnet-50,mobilenet,mobilenet_v2,densenet-121,vgg-11,googlenet,shufflenet,alexnet"
SLACK = 1.02


def built(options, model, precision):
    """The package's path and the report of `hone build --json`; nothing if the machine lacks the precision."""
    package = os.path.join(options.work, f"{os.path.basename(model)}.{precision}.hone")
    command = [f"{options.hone}/bin/hone", "build", model, "-o", package, "--json", "--no-records", "--threads",
               str(options.threads), "--precision", precision]
    if precision in ("int8", "auto"):
        command += ["--calibrate", "random", "--samples", "10"]
    if precision == "auto":
        command += ["--max-error", str(options.max_error)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"  {precision}: {done.stderr.strip().splitlines()[-1]}")
        return None
    return package, json.loads(done.stdout)


def loaded(options, model):
    """The systems to be timed, by their names in the table, and the report of auto's build."""
    draw = random.Random(1)
    feed = array.array("f", (draw.gauss(0, 1) for _ in range(math.prod(SHAPE))))
    runs, told = {}, {}
    for precision in ("float32", "bfloat16", "int8", "auto"):
        made = built(options, model, precision)
        if made:
            runs[precision] = systems.Hone()
            runs[precision].load(f"{options.hone}/lib/libhone.so:{made[0]}", options.threads, feed, SHAPE)
            told = made[1]
    try:
        runs["openvino"] = OpenVinoAtItsDefaults()
        runs["openvino"].load(model, options.threads, feed, SHAPE)
    except ImportError:
        del runs["openvino"]
    return runs, told["precision"]


def main():
    parser = parser_of(MODELS, 20, "build/peers/precision_auto")
    parser.add_argument("--max-error", type=float, default=1e-2)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    missed, gains, leads = 0, [], []
    for name in options.models.split(","):
        path = os.path.join(options.work, name + ".onnx")
        if not os.path.exists(path):
            subprocess.run([f"{options.hone}/bin/hone", "zoo", name, "-o", path], check=True, capture_output=True)
        runs, chosen = loaded(options, path)
        times = p10(runs, options.seconds)
        errors = {tried["what"]: tried["max_error"] for tried in chosen["tried"]}
        errors["auto"] = chosen["max_error"]
        holding = [what for what in ("float32", "bfloat16", "int8") if what in times and
                   float(errors.get(what, "inf")) <= options.max_error]
        best = min(holding, key=times.get)
        reached = times["auto"] <= SLACK * times[best] and errors["auto"] <= options.max_error
        missed += not reached
        gains.append(times["float32"] / times["auto"])
        if "openvino" in times:
            leads.append(times["openvino"] / times["auto"])
        layers = next(tried["layers"] for tried in chosen["tried"] if tried["taken"])
        print(name, "  ".join(f"{what} {ms:.2f} ms" + (f" (error {float(errors[what]):.1e})" if what in errors else "")
                              for what, ms in times.items()))
        print(f"  auto takes {chosen['name']}:", ", ".join(f"{count} layers of {what}" for what, count in layers.items()) +
              f"; {best} / auto {times[best] / times['auto']:.2f}: {'reached' if reached else 'MISSED'}", flush=True)
    mean = lambda values: math.exp(sum(map(math.log, values)) / len(values))
    print(f"geometric means: float32 / auto {mean(gains):.2f}" +
          (f", openvino's default / auto {mean(leads):.2f}" if leads else ""))
    print(f"goal: on each at least the fastest single precision within {options.max_error}: "
          f"{'reached' if not missed else f'MISSED on {missed}'}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
