"""Compares quantised models in hone, ONNX Runtime and OpenVINO, in turns in one process: p10 in ms and hone's lead over
the better peer. Exits 1 on a missed goal.

  cmake --build --preset release --target hone_program hone_shared
  python3 -m venv V && V/bin/pip install -r bench/peers/requirements.txt onnx
  V/bin/python bench/peers/quantised.py [--models resnet-50,resnet-18] [--threads 1] [--seconds 25] [--work build/peers/quantised]

The models are the zoo's, quantised here by ONNX Runtime's quantiser on random inputs: times do not depend on values.
OpenVINO runs at its defaults, which use bfloat16 for float models on CPUs that have it.
"""
import argparse
import array
import math
import os
import random
import subprocess
import time

import systems

SHAPE = [1, 3, 224, 224]
FORMS = ("u8s8", "s8s8", "qoperator")


class OpenVinoAtItsDefaults(systems.OpenVino):
    def load(self, model, threads, feed, shape):
        core = self.openvino.Core()
        compiled = core.compile_model(core.read_model(model), "CPU", {
            "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"})
        self.request = compiled.create_infer_request()
        values = self.numpy.frombuffer(feed, self.numpy.float32).reshape(shape)
        self.request.set_input_tensor(self.openvino.Tensor(values.copy()))


class RandomInputs:
    """A calibration reader for the quantiser."""

    def __init__(self, name):
        import numpy

        generator = numpy.random.default_rng(0)
        self.left = [{name: generator.standard_normal(SHAPE).astype(numpy.float32)} for _ in range(3)]

    def get_next(self):
        return self.left.pop() if self.left else None


def quantised(path, form):
    """The path of the model in that form, which is made if it does not exist."""
    made = path.replace(".onnx", f".{form}.onnx")
    if os.path.exists(made):
        return made
    import onnxruntime
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    prepared = path.replace(".onnx", ".prepared.onnx")
    quant_pre_process(path, prepared, skip_symbolic_shape=True)
    name = onnxruntime.InferenceSession(prepared).get_inputs()[0].name
    quantize_static(prepared, made, RandomInputs(name), per_channel=True, weight_type=QuantType.QInt8,
                    quant_format=QuantFormat.QOperator if form == "qoperator" else QuantFormat.QDQ,
                    activation_type=QuantType.QInt8 if form == "s8s8" else QuantType.QUInt8)
    return made


def hone(options, path):
    package = path.replace(".onnx", f".{options.threads}.hone")
    subprocess.run([f"{options.hone}/bin/hone", "build", path, "-o", package, "--no-records", "--threads",
                    str(options.threads)], check=True, capture_output=True)
    return systems.Hone(), f"{options.hone}/lib/libhone.so:{package}"


def loaded(options, name):
    """The systems to be timed, by their names in the table."""
    path = os.path.join(options.work, name + ".onnx")
    if not os.path.exists(path):
        subprocess.run([f"{options.hone}/bin/hone", "zoo", name, "-o", path], check=True, capture_output=True)
    forms = {form: quantised(path, form) for form in FORMS}
    runs = {"hone float32": hone(options, path)}
    runs.update({f"hone {form}": hone(options, made) for form, made in forms.items()})
    runs.update({f"onnxruntime {form}": (systems.OnnxRuntime(), forms[form]) for form in ("u8s8", "qoperator")})
    runs.update({"openvino u8s8": (OpenVinoAtItsDefaults(), forms["u8s8"]),
                 "openvino float": (OpenVinoAtItsDefaults(), path)})
    draw = random.Random(1)
    feed = array.array("f", (draw.gauss(0, 1) for _ in range(math.prod(SHAPE))))
    for system, model in runs.values():
        system.load(model, options.threads, feed, SHAPE)
    return {what: system for what, (system, _) in runs.items()}


def p10(runs, seconds):
    times = {what: [] for what in runs}
    for system in runs.values():
        for _ in range(5):
            system.run()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for what, system in runs.items():
            for _ in range(3):
                begin = time.perf_counter()
                system.run()
                times[what].append(time.perf_counter() - begin)
    return {what: sorted(samples)[len(samples) // 10] * 1e3 for what, samples in times.items()}


def parser_of(models, seconds, work):
    """A parser with the common options of benches on zoo networks, and their defaults."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", default=models)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=seconds)
    parser.add_argument("--hone", default="build/release")
    parser.add_argument("--work", default=work)
    return parser


def main():
    options = parser_of("resnet-50,resnet-18,mobilenet_v2,squeezenet", 25, "build/peers/quantised").parse_args()
    os.makedirs(options.work, exist_ok=True)
    leads = []
    for name in options.models.split(","):
        times = p10(loaded(options, name), options.seconds)
        peer = min(ms for what, ms in times.items() if what.split()[0] != "hone" and what != "openvino float")
        leads.append(peer / times["hone u8s8"])
        print(name, "  ".join(f"{what} {ms:.2f}" for what, ms in times.items()))
        print(f"  better peer / hone u8s8 {leads[-1]:.2f}, hone float32 / u8s8 {times['hone float32'] / times['hone u8s8']:.2f}",
              flush=True)
    mean = math.exp(sum(map(math.log, leads)) / len(leads))
    print(f"geometric mean {mean:.2f}, goal 1.2: {'reached' if mean >= 1.2 else 'MISSED'}; least {min(leads):.2f}, goal 1.0: "
          f"{'reached' if min(leads) >= 1.0 else 'MISSED'}")
    return 0 if mean >= 1.2 and min(leads) >= 1.0 else 1


if __name__ == "__main__":
    raise SystemExit(main())
