"""Runs hone: models, packages, and its reports on them."""
import importlib.util
import json
import os
import signal
import subprocess
import sys


class HoneProgram:
    def __init__(self, build, work):
        self.program = os.path.join(build, "bin", "hone")
        self.library = os.path.abspath(os.path.join(build, "lib", "libhone.so"))
        self.work = work
        self.built = {}

    def __call__(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"hone {' '.join(map(str, arguments))}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def model(self, name, folder=""):
        """The path of NAME.onnx: in `folder`, or written from the zoo."""
        path = os.path.join(folder or self.work, name + ".onnx")
        if not folder and not os.path.exists(path):
            self("zoo", name, "-o", path)
        return path

    def package(self, path, threads, tune=""):
        """The package of a model, built once: without records, or with records from tuning for the given time."""
        if (path, threads) not in self.built:
            self.built[path, threads] = self.build(path, threads, tune)
        return self.built[path, threads]

    def build(self, path, threads, tune):
        name = os.path.splitext(os.path.basename(path))[0]
        package = os.path.join(self.work, f"{name}-{threads}.hone")
        records = ["--no-records"]
        if tune:
            records = ["--db", os.path.join(self.work, "records.db")]
            self("tune", path, "--threads", threads, "--budget", tune, *records)
        self("build", path, "-o", package, "--threads", threads, *records)
        return package

    def information(self, package):
        return json.loads(self("package", "info", package, "--json"))


def tvm_library(path, threads, work, tune=""):
    """The library that TVM compiles from a model, with its defaults or with MetaSchedule's results. MetaSchedule
    searches for as long as hone tuned."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tvm_library.py")
    stem = os.path.join(work, f"{os.path.splitext(os.path.basename(path))[0]}-{threads}")
    folder, library = stem + ".tvm", stem + ".so"
    with open(stem + ".tvm.log", "w", encoding="utf-8") as log:
        if tune:
            os.makedirs(folder, exist_ok=True)
            search = subprocess.Popen([sys.executable, script, "tune", path, str(threads), folder], stdout=log, stderr=log,
                                      start_new_session=True)
            try:
                search.wait(seconds_of(tune))
            except subprocess.TimeoutExpired:
                os.killpg(search.pid, signal.SIGKILL)
                search.wait()
        subprocess.run([sys.executable, script, "build", path, str(threads), library, *([folder] if tune else [])], stdout=log,
                       stderr=log, check=True)
    return library


def mnn_model(path, work):
    """The file that MNN's own converter writes for a model."""
    return converted(path, work, ".mnn", lambda made: [
        os.path.join(os.path.dirname(sys.executable), "mnnconvert"), "-f", "ONNX", "--modelFile", os.path.abspath(path), "--MNNModel", made,
        "--bizCode", "hone"])


def ncnn_model(path, work, shape):
    """The stem of the files that pnnx, ncnn's converter, writes for a model with one input of that shape. Weights
    stay float32."""
    # pnnx's Python package needs torch, but the program inside it does not.
    program = os.path.join(os.path.dirname(importlib.util.find_spec("pnnx").origin), "pnnx")
    sides = ",".join(map(str, shape))
    made = converted(path, work, ".ncnn.param", lambda made: [program, os.path.abspath(path), f"inputshape=[{sides}]f32", "fp16=0",
                     f"ncnnparam={made}", f"ncnnbin={made[:-len('param')]}bin"])
    return made[:-len(".ncnn.param")]


def converted(path, work, ending, command):
    """The output of `command`, called with its path. It is made once, in its own folder, because converters leave
    other files beside it."""
    name = os.path.splitext(os.path.basename(path))[0]
    folder = os.path.abspath(os.path.join(work, "converted", name))
    made = os.path.join(folder, name + ending)
    if not os.path.exists(made):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "log"), "w", encoding="utf-8") as log:
            subprocess.run(command(made), stdout=log, stderr=log, check=True, cwd=folder)
    return made


def seconds_of(budget):
    """The seconds in "90s", "10m" or "2h", as hone tune takes it."""
    return float(budget[:-1]) * {"s": 1, "m": 60, "h": 3600}[budget[-1]]


def input_shape(information):
    return information["inputs"][0]["shape"]


def uses_winograd(information):
    return any(call["schedule"] == "conv2d_winograd" for call in information["dispatch"])
