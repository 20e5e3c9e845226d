"""Builds models with hone and times them against its peers, interleaved. See run.sh."""
import argparse
import json
import os
import platform
import subprocess
import sys

import numpy as np

# ONNX Runtime's time / hone's time that we want: (1 thread, 2 threads).
GOALS = {
    "resnet-50": (1.25, 1.25), "resnet-18": (1.6, 1.6), "vgg-16": (2.2, 2.2), "mobilenet": (1.15, 1.15),
    "mobilenet_v2": (1.30, 1.30), "squeezenet": (1.3, 1.5), "googlenet": (2.2, 2.2), "alexnet": (1.6, 1.6),
    "densenet-121": (1.4, 1.4), "shufflenet": (1.4, 1.4),
}
# A ratio below this is a miss that nothing excuses.
FLOOR = 1.0
PEERS = ("onnxruntime", "openvino")


class Worker:
    def __init__(self, peer, model, threads, feed):
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(os.path.dirname(__file__), "worker.py"), peer, model, str(threads), feed],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.times = []
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{peer} cannot run {model}")

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def run(self, count):
        self.times += [int(t) for t in self.ask(f"run {count}")]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def hone(options, *arguments):
    program = os.path.join(options.hone, "bin", "hone")
    subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL)


def prepare(options, model):
    """Returns (onnx file, hone's name of the model)."""
    if options.onnx:
        path = os.path.join(options.onnx, model + ".onnx")
        return path, path
    path = os.path.join(options.work, model + ".onnx")
    if not os.path.exists(path):
        hone(options, "zoo", model, "-o", path)
    return path, path


def build(options, path, name, threads):
    package = os.path.join(options.work, f"{name}-{threads}.hone")
    arguments = ["build", path, "-o", package, "--threads", str(threads)]
    if options.tune:
        store = os.path.join(options.work, "records.db")
        hone(options, "tune", path, "--threads", str(threads), "--budget", options.tune, "--db", store)
        arguments += ["--db", store]
    else:
        arguments.append("--no-records")
    hone(options, *arguments)
    return package


def input_of(path):
    import onnx

    graph = onnx.load(path, load_external_data=False).graph
    weights = {i.name for i in graph.initializer}
    tensor = [i for i in graph.input if i.name not in weights][0].type.tensor_type
    shape = [d.dim_value or 1 for d in tensor.shape.dim]
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def percentile(times, p):
    return sorted(times)[int(p * (len(times) - 1))]


def time_model(options, name, threads):
    path, model = prepare(options, name)
    feed = os.path.join(options.work, name + ".npy")
    np.save(feed, input_of(path))
    library = os.path.join(options.hone, "lib", "libhone.so")
    workers = {"hone": Worker("hone", f"{library}:{build(options, model, name, threads)}", threads, feed)}
    for peer in options.peers:
        workers[peer] = Worker(peer, path, threads, feed)
    outputs = {}
    for peer, worker in workers.items():
        file = os.path.join(options.work, f"output-{peer}.npy")
        worker.ask(f"output {file}")
        outputs[peer] = np.load(file)
        worker.run(2)
        worker.times.clear()
        worker.run(1)
    # Bursts of about 0.15 s in turn: a slow spell of the machine meets every peer.
    for _ in range(max(3, int(options.seconds / 0.15 / 2))):
        for worker in workers.values():
            worker.run(max(1, int(0.15e9 / min(worker.times))))
    for worker in workers.values():
        worker.close()
    reference = outputs["onnxruntime"].ravel() if "onnxruntime" in outputs else outputs["hone"].ravel()
    error = float(np.abs(outputs["hone"].ravel() - reference).max() / max(np.abs(reference).max(), 1e-30))
    row = {"model": name, "threads": threads, "worst_error": error, "peers": {}}
    for peer, worker in workers.items():
        row["peers"][peer] = {"runs": len(worker.times), "min_ns": min(worker.times), "p10_ns": percentile(worker.times, 0.1),
                              "median_ns": percentile(worker.times, 0.5)}
    return row


def judge(row):
    """Adds ratios, goal and verdict; returns whether the row is good."""
    ours = row["peers"]["hone"]["p10_ns"]
    row["ratios"] = {peer: values["p10_ns"] / ours for peer, values in row["peers"].items() if peer != "hone"}
    row["goal"] = GOALS.get(row["model"], (FLOOR, FLOOR))[0 if row["threads"] == 1 else 1]
    reached = row["ratios"].get("onnxruntime", row["goal"]) >= row["goal"]
    behind = [peer for peer, ratio in row["ratios"].items() if ratio < FLOOR]
    row["verdict"] = "behind " + ", ".join(behind) if behind else ("reached" if reached else "missed")
    if row["worst_error"] > 1e-4:
        row["verdict"] = "outputs differ"
    return row["verdict"] == "reached"


def table(rows, peers):
    lines = ["| model | threads | hone p10 (median) ms | " + " | ".join(f"{p} p10 (median) ms | ratio" for p in peers)
             + " | goal | worst error | verdict |"]
    lines.append("|" + " --- |" * (lines[0].count("|") - 1))
    for row in rows:
        cells = [row["model"], str(row["threads"])]
        for peer in ("hone", *peers):
            values = row["peers"][peer]
            cells.append(f"{values['p10_ns'] / 1e6:.2f} ({values['median_ns'] / 1e6:.2f})")
            if peer != "hone":
                cells.append(f"{row['ratios'][peer]:.2f}")
        cells += [f"{row['goal']:.2f}", f"{row['worst_error']:.1e}", row["verdict"]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def machine():
    with open("/proc/cpuinfo", encoding="ascii") as info:
        model = next((l.split(":")[1].strip() for l in info if l.startswith("model name")), platform.machine())
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hone", default="build/release")
    parser.add_argument("--work", default="build/peers")
    parser.add_argument("--models", default=",".join(GOALS))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--tune", default="", help="tune each model this long first, e.g. 120s")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--onnx", default="", help="take MODEL.onnx from this folder instead of the zoo")
    parser.add_argument("--peers", default=",".join(PEERS))
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    options.peers = [p for p in options.peers.split(",") if p]
    rows, good = [], True
    for name in options.models.split(","):
        for threads in [int(t) for t in options.threads.split(",")]:
            rows.append(time_model(options, name, threads))
            good = judge(rows[-1]) and good
            print(table(rows[-1:], options.peers).splitlines()[-1], flush=True)
    text = f"{machine()}\n\n{table(rows, options.peers)}\n"
    print("\n" + text)
    with open(os.path.join(options.work, "peers.md"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(options.work, "peers.json"), "w", encoding="utf-8") as file:
        json.dump({"machine": machine(), "rows": rows}, file, indent=1)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
