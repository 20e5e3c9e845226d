"""Builds models with hone and measures them against other systems, interleaved. See run.sh."""
import argparse
import array
import json
import math
import os
import random
import sys

import goals
import report
from bounds import read_bounds
from measure import Worker, interleave, summary, worst_error
from packages import HoneProgram, input_shape, mnn_model, ncnn_model, tvm_library, uses_winograd
from systems import SYSTEMS, missing_modules

REFERENCE = "onnxruntime"
SMOKE_MODELS = "squeezenet,shufflenet"
HERE = os.path.dirname(os.path.abspath(__file__))


def write_feed(path, shape):
    draw = random.Random(0)
    with open(path, "wb") as file:
        array.array("f", (draw.gauss(0, 1) for _ in range(math.prod(shape)))).tofile(file)


def model_for(system, options, path, threads, shape):
    """The model for `system`: the ONNX file, or the output of its own converter."""
    if system == "tvm":
        return tvm_library(path, threads, options.work, options.tune)
    if system == "mnn":
        return mnn_model(path, options.work)
    return ncnn_model(path, options.work, shape) if system == "ncnn" else path


def start_workers(options, hone, name, path, threads, wanted):
    """Workers by name: hone's on `threads` threads, and those of the wanted peers. Also returns hone's information
    on its package."""
    package = hone.package(path, threads, options.tune)
    information = hone.information(package)
    shape, feed = input_shape(information), os.path.join(options.work, name + ".f32")
    write_feed(feed, shape)
    workers = {"hone": Worker("hone", f"{hone.library}:{package}", threads, feed, shape)}
    for system in wanted:
        model = model_for(system, options, path, threads, shape)
        workers[system] = Worker(system, model, threads, feed, shape)
    return workers, information


def outputs_of(options, workers):
    return {system: worker.output(os.path.join(options.work, f"output-{system}.f32")) for system, worker in workers.items()}


def error_against(outputs):
    if len(outputs) == 1:
        return None
    reference = REFERENCE if REFERENCE in outputs else next(system for system in outputs if system != "hone")
    return worst_error(outputs["hone"], outputs[reference])


def speed_row(name, threads, outputs, workers, bounds):
    systems = {system: summary(worker) for system, worker in workers.items()}
    ours = systems["hone"]["p10_ns"]
    ratios = {system: values["p10_ns"] / ours for system, values in systems.items() if system != "hone"}
    judged = REFERENCE in ratios and threads <= 2 and name in goals.SPEED
    row = {"row": f"{name}, {threads} thread{'s' if threads > 1 else ''}", "systems": systems, "ratios": ratios,
           "reached": ratios.get(REFERENCE), "goal": goals.SPEED[name][threads - 1] if judged else None,
           "more_is_better": True, "floor": goals.SPEED_FLOOR, "worst_error": error_against(outputs)}
    if row["reached"] is None:
        row["reached"] = min(ratios.values(), default=goals.SPEED_FLOOR)
    row["verdict"] = goals.judge(row, bounds)
    if any(ratio < goals.SPEED_FLOOR for ratio in ratios.values()):
        row["verdict"] = "behind"
    if row["worst_error"] is not None and row["worst_error"] > goals.WORST_ERROR:
        row["verdict"] = "outputs differ"
    return row


def memory_row(name, systems, information, bounds):
    goal = goals.MEMORY_WINOGRAD if uses_winograd(information) else goals.MEMORY
    row = {"row": f"{name}, memory", "systems": systems, "goal": goal, "more_is_better": False, "floor": None,
           "reached": systems["hone"]["peak_bytes"] / systems[REFERENCE]["peak_bytes"]}
    row["verdict"] = goals.judge(row, bounds)
    return row


def compare_systems(options, hone, name, threads, bounds, rows):
    path = hone.model(name, options.onnx)
    workers, information = start_workers(options, hone, name, path, threads, options.peers)
    memory = {system: worker.memory() for system, worker in workers.items()}
    outputs = outputs_of(options, workers)
    interleave(list(workers.values()), options.seconds)
    for worker in workers.values():
        worker.close()
    rows["speed"].append(speed_row(name, threads, outputs, workers, bounds))
    print(report.speed_table(rows["speed"][-1:], options.peers).splitlines()[-1], flush=True)
    if REFERENCE in memory and threads == options.threads[0]:
        rows["memory"].append(memory_row(name, memory, information, bounds))


def compare_threads(options, hone, name, bounds, rows):
    """Compares hone on one thread with hone on two, in turns."""
    path = hone.model(name, options.onnx)
    one, two = (start_workers(options, hone, name, path, threads, [])[0]["hone"] for threads in (1, 2))
    error = worst_error(*(w.output(os.path.join(options.work, "output-hone.f32")) for w in (one, two)))
    interleave([one, two], options.seconds)
    for worker in (one, two):
        worker.close()
    row = {"row": f"{name}, speed-up", "one": summary(one), "two": summary(two), "goal": goals.SPEED_UP.get(name),
           "more_is_better": True, "floor": None, "worst_error": error}
    row["reached"] = row["one"]["p10_ns"] / row["two"]["p10_ns"]
    row["verdict"] = goals.judge(row, bounds) if error <= goals.WORST_ERROR else "outputs differ"
    rows["speed_up"].append(row)
    print(report.speed_up_table([row]).splitlines()[-1], flush=True)


def options_from(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hone", default="build/release", help="the folder that hone was built in")
    parser.add_argument("--work", default="build/peers", help="a folder for models, packages and results")
    parser.add_argument("--models", default="", help=f"by default {','.join(goals.SPEED)}")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--tune", default="", help="tune each model this long first, e.g. 120s")
    parser.add_argument("--seconds", type=float, default=3, help="of each system in each row")
    parser.add_argument("--onnx", default="", help="take MODEL.onnx from this folder instead of the zoo")
    parser.add_argument("--peers", default="onnxruntime,openvino,mnn,ncnn", help="also tvm; '' compares hone with nobody")
    parser.add_argument("--bounds", default=os.path.join(HERE, "../results/bounds.md"),
                        help="the page whose table under the heading Bounds excuses a miss")
    parser.add_argument("--smoke", action="store_true",
                        help=f"{SMOKE_MODELS} with the peers that this Python has; times are printed, outputs are judged")
    options = parser.parse_args(arguments)
    options.peers = [p for p in options.peers.split(",") if p]
    unknown = [p for p in options.peers if p not in SYSTEMS or p == "hone"]
    if unknown:
        parser.error(f"--peers {unknown[0]}: one of {', '.join(s for s in SYSTEMS if s != 'hone')} would be right")
    options.threads = sorted(int(t) for t in options.threads.split(","))
    options.models = options.models or (SMOKE_MODELS if options.smoke else ",".join(goals.SPEED))
    return options


def keep_importable(options):
    """Keeps the peers that can be imported. Without --smoke a missing one is an error: a table must not silently
    lack a column."""
    for peer in list(options.peers):
        missing = missing_modules(peer)
        if missing and not options.smoke:
            raise SystemExit(f"{peer} needs {', '.join(missing)}: pip install -r bench/peers/requirements.txt")
        if missing:
            print(f"{peer} is left out: no module {', '.join(missing)}")
            options.peers.remove(peer)


def main():
    options = options_from(sys.argv[1:])
    keep_importable(options)
    os.makedirs(options.work, exist_ok=True)
    hone = HoneProgram(options.hone, options.work)
    bounds = {} if options.smoke else read_bounds(options.bounds)
    rows = {"speed": [], "speed_up": [], "memory": []}
    for name in options.models.split(","):
        for threads in options.threads:
            compare_systems(options, hone, name, threads, bounds, rows)
        if {1, 2} <= set(options.threads):
            compare_threads(options, hone, name, bounds, rows)
    text = report.text(rows, options.peers)
    print("\n" + text)
    with open(os.path.join(options.work, "peers.md"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(options.work, "peers.json"), "w", encoding="utf-8") as file:
        json.dump({"machine": report.machine(), **rows}, file, indent=1)
    verdicts = [row["verdict"] for kind in rows.values() for row in kind]
    if options.smoke:
        return int("outputs differ" in verdicts)
    return int(any(goals.fails(verdict) for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
