"""Times models in hone and in other runtimes by `hone bench --runtime`, and holds the times against the goals. See
run.sh."""
import argparse
import json
import os
import sys

import goals
import report
from bounds import read_bounds
from packages import HoneProgram, uses_winograd

REFERENCE = "onnxruntime"
SMOKE_MODELS = "squeezenet,shufflenet"
HERE = os.path.dirname(os.path.abspath(__file__))


def speed_row(name, threads, timed, peers, bounds):
    """`timed` is what HoneProgram.timed returns."""
    ours = timed["hone"].get("p10_ns")
    ratios = {peer: timed[peer]["p10_ns"] / ours for peer in peers if ours and "p10_ns" in timed[peer]}
    judged = REFERENCE in ratios and threads <= 2 and name in goals.SPEED
    row = {"row": f"{name}, {threads} thread{'s' if threads > 1 else ''}", "systems": timed, "ratios": ratios,
           "reached": ratios.get(REFERENCE, min(ratios.values(), default=goals.SPEED_FLOOR)),
           "goal": goals.SPEED[name][threads - 1] if judged else None, "more_is_better": True, "floor": goals.SPEED_FLOOR,
           "worst_error": float(timed["hone"]["error"])}
    row["verdict"] = goals.judge(row, bounds)
    if any(ratio < goals.SPEED_FLOOR for ratio in ratios.values()):
        row["verdict"] = "behind"
    if any(timed[system]["why_not"] for system in ("hone", *peers)):
        row["verdict"] = "not timed"
    if not row["worst_error"] <= goals.WORST_ERROR:
        row["verdict"] = "outputs differ"
    return row


def speed_up_row(name, one, two, bounds):
    row = {"row": f"{name}, speed-up", "one": one, "two": two, "goal": goals.SPEED_UP.get(name), "more_is_better": True,
           "floor": None, "reached": one["p10_ns"] / two["p10_ns"]}
    row["verdict"] = goals.judge(row, bounds)
    return row


def memory_row(name, timed, information, bounds):
    row = {"row": f"{name}, memory", "systems": timed, "more_is_better": False, "floor": None,
           "goal": goals.MEMORY_WINOGRAD if uses_winograd(information) else goals.MEMORY,
           "reached": timed["hone"]["memory_bytes"] / timed[REFERENCE]["memory_bytes"]}
    row["verdict"] = goals.judge(row, bounds)
    return row


def compare_model(options, hone, name, bounds, rows):
    path, ours = hone.model(name, options.onnx), {}
    for threads in options.threads:
        timed = hone.timed(path, threads, options)
        rows["speed"].append(speed_row(name, threads, timed, options.peers, bounds))
        print(report.speed_table(rows["speed"][-1:], options.peers).splitlines()[-1], flush=True)
        for system, why in ((system, timed[system]["why_not"]) for system in timed if timed[system]["why_not"]):
            print(f"{system}: {why}", flush=True)
        if "p10_ns" in timed["hone"]:
            ours[threads] = timed["hone"]
        both = all("memory_bytes" in timed.get(system, {}) for system in ("hone", REFERENCE))
        if both and threads == options.threads[0]:
            information = hone.information(hone.package(path, threads, options.tune))
            rows["memory"].append(memory_row(name, timed, information, bounds))
    if {1, 2} <= set(ours):
        rows["speed_up"].append(speed_up_row(name, ours[1], ours[2], bounds))


def options_from(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hone", default="build/release", help="the folder that hone was built in")
    parser.add_argument("--work", default="build/peers", help="a folder for models, packages and results")
    parser.add_argument("--models", default="", help=f"by default {','.join(goals.SPEED)}")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--tune", default="", help="tune each model this long first, e.g. 120s")
    parser.add_argument("--seconds", type=float, default=3, help="of each system in each row")
    parser.add_argument("--onnx", default="", help="take MODEL.onnx from this folder instead of the zoo")
    parser.add_argument("--peers", default="onnxruntime,openvino,mnn,ncnn",
                        help="what `hone runtime list` names, or paths of adapters; '' compares hone with nobody")
    parser.add_argument("--bounds", default=os.path.join(HERE, "../results/bounds.md"),
                        help="the page whose table under the heading Bounds excuses a miss")
    parser.add_argument("--smoke", action="store_true",
                        help=f"{SMOKE_MODELS} with the peers that this Python has; times are printed, outputs are judged")
    options = parser.parse_args(arguments)
    options.peers = [p for p in options.peers.split(",") if p]
    options.threads = sorted(int(t) for t in options.threads.split(","))
    options.models = options.models or (SMOKE_MODELS if options.smoke else ",".join(goals.SPEED))
    return options


def keep_installed(options, hone):
    """With --smoke, leaves out the peers that do not run here. Else a missing one ends the run: a table must not
    silently lack a column."""
    if not options.smoke:
        return
    why_not = {each["runtime"]: each["error"] for each in hone.runtimes() if "error" in each}
    for peer in [peer for peer in options.peers if peer in why_not]:
        print(f"{peer} is left out: {why_not[peer]}")
        options.peers.remove(peer)


def main():
    options = options_from(sys.argv[1:])
    os.makedirs(options.work, exist_ok=True)
    hone = HoneProgram(options.hone, options.work)
    keep_installed(options, hone)
    bounds = {} if options.smoke else read_bounds(options.bounds)
    rows = {"speed": [], "speed_up": [], "memory": []}
    for name in options.models.split(","):
        compare_model(options, hone, name, bounds, rows)
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
