"""What hone is asked for: models, packages, and what it says of them."""
import json
import os
import subprocess


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
        """The package of a model, built once: without records, or from records after tuning for so long."""
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


def input_shape(information):
    return information["inputs"][0]["shape"]


def uses_winograd(information):
    return any(call["schedule"] == "conv2d_winograd" for call in information["dispatch"])
