"""Compares the loss of `hone quantize` with that of ONNX Runtime's quantiser, on the same inputs by the same method.
Also checks whether other runtimes read its files alike. Exits 1 on a missed goal, 77 if this Python lacks a peer.

  cmake --build --preset release --target hone_program hone_shared
  python3 -m venv V && V/bin/pip install -r bench/peers/requirements.txt onnx
  V/bin/python bench/peers/post_training.py [--models resnet-18,model.onnx] [--methods min-max,mse] [--work build/peers/post_training]

MODEL is a zoo network or an .onnx file with one float input and one output. Columns are signal-to-noise ratios
against the float model in decibels, all run by ONNX Runtime as written unless another is named. `same file` compares
hone's and ONNX Runtime's results on the file that hone wrote: the effect of different rounding orders.
"""
import argparse
import array
import importlib.util
import math
import os
import subprocess
import sys

import systems

PEER_METHODS = {"min-max": "MinMax", "percentile": "Percentile", "entropy": "Entropy"}


def decibels(got, exact):
    noise = sum((a - b) ** 2 for a, b in zip(got, exact))
    return 200.0 if noise == 0 else 10 * math.log10(sum(b * b for b in exact) / noise)


def quantised_by_peer(path, made, method, name, inputs):
    from onnxruntime.quantization import CalibrationMethod, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Reader:
        left = [{name: each} for each in inputs]

        def get_next(self):
            return self.left.pop() if self.left else None

    prepared = made.replace(".onnx", ".prepared.onnx")
    quant_pre_process(path, prepared, skip_symbolic_shape=True)
    quantize_static(prepared, made, Reader(), per_channel=True, weight_type=QuantType.QInt8, activation_type=QuantType.QUInt8,
                    calibrate_method=getattr(CalibrationMethod, PEER_METHODS[method]))


class Judge:
    def __init__(self, options, model):
        import numpy

        self.options, self.numpy = options, numpy
        self.path = model if model.endswith(".onnx") else os.path.join(options.work, model + ".onnx")
        if self.path != model:
            self.hone("zoo", model, "--image-shape", options.image_shape, "-o", self.path)
        self.name, self.shape = self.input_of(self.path)
        draw = numpy.random.default_rng(0)
        # The first input is for judging, the others for calibration.
        self.inputs = [draw.standard_normal(self.shape).astype(numpy.float32) for _ in range(options.samples + 1)]
        self.folder = os.path.join(options.work, os.path.basename(self.path) + ".inputs")
        os.makedirs(self.folder, exist_ok=True)
        for i, each in enumerate(self.inputs[1:]):
            numpy.save(os.path.join(self.folder, f"{i}.npy"), each)

    def hone(self, *arguments):
        done = subprocess.run([f"{self.options.hone}/bin/hone", *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout

    def input_of(self, path):
        import onnxruntime

        first = onnxruntime.InferenceSession(path).get_inputs()[0]
        return first.name, [each if isinstance(each, int) else 1 for each in first.shape]

    def run(self, system, model):
        system.load(model, 1, array.array("f", self.inputs[0].tobytes()), self.shape)
        system.run()
        return system.output()

    def package(self, path):
        package = path.replace(".onnx", ".hone")
        self.hone("build", path, "-o", package, "--no-records", "--threads", "1")
        return f"{self.options.hone}/lib/libhone.so:{package}"

    def judge(self, method):
        base = os.path.join(self.options.work, os.path.basename(self.path).replace(".onnx", f".{method}"))
        made = base + ".hone.onnx"
        self.hone("quantize", self.path, "--calibrate", self.folder, "--method", method, "-o", made)
        exact = self.run(systems.OnnxRuntime(), self.path)
        by_ort = self.run(systems.OnnxRuntime(as_written=True), made)
        row = {"hone": decibels(by_ort, exact),
               "same file": decibels(self.run(systems.Hone(), self.package(made)), by_ort),
               "openvino": decibels(self.run(systems.OpenVino(), made), exact)}
        if method in PEER_METHODS:
            quantised_by_peer(self.path, base + ".ort.onnx", method, self.name, self.inputs[1:])
            row["onnxruntime"] = decibels(self.run(systems.OnnxRuntime(as_written=True), base + ".ort.onnx"), exact)
        return row


def multiplies_bytes_exactly():
    """Whether peers have instructions for bytes whose sums do not saturate."""
    with open("/proc/cpuinfo") as file:
        text = file.read()
    return "vnni" in text or "asimddp" in text


def misses(row):
    """The results that miss their goals. Half a decibel is allowed, since inputs are a single random draw."""
    missed = []
    if row["hone"] < row.get("onnxruntime", -200) - 0.5:
        missed.append("loses more than onnxruntime's quantiser")
    if row["same file"] < row["hone"] + 6:
        missed.append("hone and onnxruntime differ by half of what quantising costs")
    if row["openvino"] < row["hone"] - 3 and multiplies_bytes_exactly():
        missed.append("openvino reads it otherwise")
    return missed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", default="squeezenet,resnet-18,resnet-50,mobilenet_v2")
    parser.add_argument("--methods", default="min-max,percentile,mse,entropy")
    parser.add_argument("--image-shape", default="3,224,224")
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--hone", default="build/release")
    parser.add_argument("--work", default="build/peers/post_training")
    options = parser.parse_args()
    missing = [each for each in ("numpy", "onnx", "onnxruntime", "openvino") if importlib.util.find_spec(each) is None]
    if missing:
        print("skipped: this Python has no", ", ".join(missing))
        return 77
    os.makedirs(options.work, exist_ok=True)
    reached = True
    for model in options.models.split(","):
        judge = Judge(options, model)
        for method in options.methods.split(","):
            row = judge.judge(method)
            missed = misses(row)
            reached = reached and not missed
            print(model, method, "  ".join(f"{what} {value:.1f}" for what, value in row.items()),
                  "; ".join(missed) if missed else "reached", flush=True)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
