"""Times single operators at the sizes of real networks, in hone and in ONNX Runtime in turns, on one thread, with bound
outputs. Prints a table of the cases where hone is behind, with goals and verdicts. Exits 1 on a miss whose bound
bench/results/bounds.md does not name, 77 if this Python lacks onnx.

  cmake --build --preset release --target hone_program hone_shared hone_call
  python3 -m venv V && V/bin/pip install numpy onnx onnxruntime
  V/bin/python bench/operators/sweep.py [--only REGEX] [--seconds 0.25] [--core 1] [--hone build/release] [--work build/operators]

WORK/results.jsonl keeps every measurement, so a run that was stopped continues there. Results of another build of hone
are measured again. --twentieth runs every twentieth case and compares only its values with hone's reference interpreter
(`hone verify`). It needs no ONNX Runtime.
"""
import argparse
import collections
import glob
import hashlib
import importlib.util
import json
import math
import multiprocessing
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "bench", "peers"), os.path.join(ROOT, "python")]

# pylint: disable=wrong-import-position
from bounds import read_bounds  # noqa: E402
from goals import fails, judge  # noqa: E402
from report import machine, number, table  # noqa: E402

# ONNX Runtime's time over hone's: the goal of each case, the floor that no bound excuses, and the goal of the geometric
# mean.
CASE_GOAL, CASE_FLOOR, MEAN_GOAL = 0.9, 0.7, 1.8
# Memory over the bytes of inputs, outputs and weights.
MEMORY_GOAL = 5.0
BUILD_SECONDS = 600
REFUSED = "refused"


def library(hone):
    found = glob.glob(os.path.join(hone, "**", "libhone.so"), recursive=True)
    return next((path for path in sorted(found, key=len) if os.path.exists(path)), "")


def fingerprint(hone):
    """A hash of the programs that made a result."""
    digest = hashlib.sha256()
    for path in (os.path.join(hone, "bin", "hone"), library(hone)):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


class Sweep:
    def __init__(self, options):
        self.options = options
        self.results_path = os.path.join(options.work, "results.jsonl")
        self.mark = "" if options.twentieth else fingerprint(options.hone)

    def known(self):
        """The results of this hone, by name."""
        if not os.path.exists(self.results_path):
            return {}
        rows = []
        with open(self.results_path, encoding="utf-8") as file:
            for line in file:
                try:
                    rows.append(json.loads(line))
                except ValueError:
                    pass  # a run was stopped while it wrote this line
        return {row["name"]: row for row in rows if row["hone"] == self.mark}

    def keep(self, row):
        with open(self.results_path, "a+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            begin = b"" if file.read(1) in (b"", b"\n") else b"\n"
            file.write(begin + json.dumps(row).encode() + b"\n")

    def hone(self, *arguments):
        """The last line of its error output; "" if it succeeded."""
        program = os.path.join(self.options.hone, "bin", "hone")
        try:
            done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=BUILD_SECONDS)
        except subprocess.TimeoutExpired:
            return f"{arguments[0]} takes more than {BUILD_SECONDS} s"
        return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or done.stdout.strip().splitlines() or [f"exit code {done.returncode}"])[-1]

    def write(self, case, folder):
        import onnx
        from cases import written
        net = written(case)
        path = os.path.join(folder, "model.onnx")
        onnx.save(net.model(), path)
        return net, path

    def in_child(self, *arguments):
        """The result of measure, or the reason why the process ended without one."""
        ours, theirs = multiprocessing.Pipe(False)

        def child():
            from measure import measure
            try:
                theirs.send(measure(*arguments))
            except Exception as error:  # pylint: disable=broad-except
                theirs.send({"wrong": " ".join(str(error).split())[:300]})

        process = multiprocessing.get_context("fork").Process(target=child)
        process.start()
        theirs.close()
        try:
            result = ours.recv()
        except EOFError:
            result = {"wrong": "the process ended"}
        process.join()
        return result

    def measured(self, case, folder):
        net, model = self.write(case, folder)
        package = os.path.join(folder, "model.hone")
        row = {"name": case.name, "family": case.family, "hone": self.mark}
        why = self.hone("build", model, "-o", package, "--threads", "1", "--no-records")
        if why:
            return {**row, REFUSED: why}
        self.options.outputs = list(net.outputs)
        return {**row, **self.in_child(model, package, net.feed, net.weight_bytes(), self.options)}

    def each(self, cases, judge_one):
        for case in cases:
            folder = os.path.join(self.options.work, case.name)
            os.makedirs(folder, exist_ok=True)
            yield judge_one(case, folder)
            shutil.rmtree(folder)

    def run(self, cases):
        import hone_runtime  # noqa: F401, for the children, which are forked
        import onnxruntime  # noqa: F401
        known = self.known()
        for row in self.each([case for case in cases if case.name not in known], self.measured):
            self.keep(row)
            known[row["name"]] = row
            print(f"{len(known):5} {line_of(row)}", flush=True)
        return [known[case.name] for case in cases]

    def verified(self, case, folder):
        import numpy
        net, model = self.write(case, folder)
        given = []
        for i, (name, value) in enumerate(net.feed.items()):
            numpy.save(os.path.join(folder, f"{i}.npy"), value)
            given += ["--input", f"{name}={folder}/{i}.npy"]
        return case.name, self.hone("verify", model, "--threads", "1", *given)


def line_of(row):
    if REFUSED in row or "wrong" in row:
        return f"{row['name']:50} {row.get(REFUSED) or row['wrong']}"
    return (f"{row['name']:50} hone {row['hone_ns'] / 1e3:10.1f} us  ONNX Runtime {row['peer_ns'] / 1e3:10.1f} us  {row['peer_ns'] / row['hone_ns']:6.2f}"
            f"  memory {row['memory_bytes'] / max(1, row['needed_bytes']):5.2f}  difference {row['difference']:.2g}")


def judged(rows, bounds):
    """Rows with goals and verdicts: the speed and the memory of every case, and the mean."""
    told, ratios = [], []

    def tell(name, reached, goal, floor, more_is_better, row=None, verdict=None):
        entry = {"row": name, "reached": reached, "goal": goal, "floor": floor, "more_is_better": more_is_better, "of": row}
        told.append({**entry, "verdict": verdict or judge(entry, bounds)})

    for row in rows:
        name = f"operators, {row['name']}"
        if REFUSED in row or "wrong" in row:
            why = row.get(REFUSED) or row["wrong"]
            tell(name, 0.0, CASE_GOAL, None, True, row, f"missed, bound: {bounds[name]['what']}" if name in bounds else f"missed: {why}")
            continue
        ratio = row["peer_ns"] / row["hone_ns"]
        ratios.append(ratio)
        tell(name, ratio, CASE_GOAL, CASE_FLOOR, True, row, None if row["difference"] <= 1 else "outputs differ")
        tell(f"{name}, memory", row["memory_bytes"] / max(1, row["needed_bytes"]), MEMORY_GOAL, None, False, row)
    if ratios:
        tell("operators, geometric mean", math.exp(sum(map(math.log, ratios)) / len(ratios)), MEAN_GOAL, None, True)
    return told


def is_miss(verdict):
    return fails(verdict) or verdict.startswith("missed: ")


def why_of(row):
    """Figures that help to find a case's bottleneck: both times in us, and the GB/s at which hone moves its data."""
    if row is None or REFUSED in row or "wrong" in row:
        return ["-", "-", "-"]
    return [f"{row['hone_ns'] / 1e3:.1f}", f"{row['peer_ns'] / 1e3:.1f}", f"{row['needed_bytes'] / row['hone_ns']:.2f}"]


def report(rows, bounds):
    """The page, and whether any row missed its goal without a bound."""
    told = judged(rows, bounds)
    by_family = collections.Counter(each["of"]["family"] for each in told if each["of"] and each["verdict"] != "reached")
    shown = sorted((each for each in told if each["verdict"] != "reached" or each["of"] is None), key=lambda each: (each["of"] or {}).get("family", ""))
    heads = ["row", "family", "hone us", "ONNX Runtime us", "GB/s", "reached", "goal", "verdict"]
    lines = [[each["row"], (each["of"] or {}).get("family", "-"), *why_of(each["of"]), number(each["reached"]), number(each["goal"], 1), each["verdict"]]
             for each in shown]
    ratios = [each["reached"] for each in told if each["goal"] == CASE_GOAL and each["reached"] > 0]
    counts = ", ".join(f"{sum(ratio < limit for ratio in ratios)} under {limit}" for limit in (0.1, 0.3, 0.5, CASE_FLOOR, CASE_GOAL))
    behind = ", ".join(f"{family} {count}" for family, count in by_family.most_common())
    text = f"{machine()}\n\n{len(rows)} cases; {counts}. Not reached: {behind or 'none'}.\n\n{table(heads, lines)}\n"
    return text, any(is_miss(each["verdict"]) for each in told)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose names match")
    parser.add_argument("--seconds", type=float, default=0.25, help="of each case, for both together")
    parser.add_argument("--again-below", type=float, default=0.7, help="measure cases with a lower ratio three times more")
    parser.add_argument("--core", type=int, default=None, help="bind to this CPU")
    parser.add_argument("--hone", default="build/release")
    parser.add_argument("--work", default="build/operators")
    parser.add_argument("--twentieth", action="store_true")
    parser.add_argument("--report", action="store_true", help="only of what was measured")
    options = parser.parse_args()
    needed = ["numpy", "onnx"] + ([] if options.twentieth else ["onnxruntime"])
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        print("this Python lacks", ", ".join(missing))
        return 77
    from cases import all_cases
    os.makedirs(options.work, exist_ok=True)
    os.environ["HONE_LIBRARY"] = library(options.hone)
    # The package with its extension, if that was built: a call through ctypes takes 10 us more.
    sys.path.insert(0, os.path.join(options.hone, "python"))
    sweep = Sweep(options)
    cases = [case for case in all_cases() if re.search(options.only, case.name)]
    if options.twentieth:
        wrong = 0
        for name, why in sweep.each(cases[::20], sweep.verified):
            wrong += bool(why)
            print(f"{name:50} {why or 'right'}", flush=True)
        print(f"{len(cases[::20]) - wrong} of {len(cases[::20])} cases are right")
        return 1 if wrong else 0
    known = sweep.known()
    rows = [known[case.name] for case in cases if case.name in known] if options.report else sweep.run(cases)
    text, missed = report(rows, read_bounds(os.path.join(ROOT, "bench", "results", "bounds.md")))
    with open(os.path.join(options.work, "report.md"), "w", encoding="utf-8") as page:
        page.write(text)
    print(text)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
