"""Runs hone: models, packages, times, and its reports on them."""
import json
import os
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class HoneProgram:
    def __init__(self, build, work):
        self.program, self.work = os.path.abspath(os.path.join(build, "bin", "hone")), work
        self.tuned = set()

    def __call__(self, *arguments, right=(0,)):
        """What it prints; an exit code that is not `right` is an error."""
        done = subprocess.run([self.program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode not in right:
            raise RuntimeError(f"hone {' '.join(map(str, arguments))}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def model(self, name, folder=""):
        """The path of NAME.onnx: a copy of that in `folder`, or written from the zoo."""
        path = os.path.join(self.work, name + ".onnx")
        if folder:
            shutil.copy(os.path.join(folder, name + ".onnx"), path)
        elif not os.path.exists(path):
            self("zoo", name, "-o", path)
        return path

    def records(self, path, threads, tune):
        """The options that choose records: none, or those of tuning for the given time, which is done once."""
        if not tune:
            return ["--no-records"]
        records = ["--db", os.path.join(self.work, "records.db")]
        if (path, threads) not in self.tuned:
            self("tune", path, "--threads", threads, "--budget", tune, *records)
            self.tuned.add((path, threads))
        return records

    def package(self, path, threads, tune=""):
        package = os.path.splitext(path)[0] + f"-{threads}.hone"
        self("build", path, "-o", package, "--threads", threads, *self.records(path, threads, tune))
        return package

    def information(self, package):
        return json.loads(self("package", "info", package, "--json"))

    def runtimes(self):
        return json.loads(self("runtime", "list", "--python", sys.executable, "--json"))["runtimes"]

    def timed(self, path, threads, options):
        """{runtime: its row of `hone bench --runtime --json`}, hone and the peers in turns. One that was not timed has
        the reason in "why_not"."""
        if "tvm" in options.peers:
            tvm_library(path, threads, options.tune)
        words = ["--runtime", ",".join(("hone", *options.peers)), "--python", sys.executable, "--threads", threads,
                 "--min-time", f"{round(1000 * options.seconds)}ms", "--json", *self.records(path, threads, options.tune)]
        words += ["--rounds", 2] if options.smoke else []
        return {row["runtime"]: row for row in json.loads(self("bench", path, *words, right=(0, 1)))["runtimes"]}


def tvm_library(path, threads, tune):
    """Compiles the model once, beside it, where TVM's adapter takes it: after MetaSchedule has searched for as long as
    hone tuned, or with TVM's defaults."""
    script, stem = os.path.join(HERE, "tvm_library.py"), os.path.splitext(path)[0]
    folder = f"{stem}-{threads}.tvm"
    os.makedirs(folder, exist_ok=True)
    with open(f"{stem}.tvm.log", "w", encoding="utf-8") as log:
        if tune:
            search = subprocess.Popen([sys.executable, script, "tune", path, str(threads), folder], stdout=log, stderr=log,
                                      start_new_session=True)
            try:
                search.wait(seconds_of(tune))
            except subprocess.TimeoutExpired:
                os.killpg(search.pid, signal.SIGKILL)
                search.wait()
        found = [folder] if tune else []
        subprocess.run([sys.executable, script, "build", path, str(threads), f"{stem}.tvm.so", *found], stdout=log,
                       stderr=log, check=True)


def seconds_of(budget):
    """The seconds in "90s", "10m" or "2h", as hone tune takes it."""
    return float(budget[:-1]) * {"s": 1, "m": 60, "h": 3600}[budget[-1]]


def uses_winograd(information):
    return any(call["schedule"] == "conv2d_winograd" for call in information["dispatch"])
