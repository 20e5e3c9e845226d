"""Times an encoder like BERT-base's (768 wide, 12 heads, 3072 inside, gelu) in every precision of hone, and in ONNX
Runtime and OpenVINO if this Python has them. Runs in turns in one process. Columns: p10 in ms, the ratio to hone's
float32 and to the better peer of the same precision, and the error against hone's float32. Exits 1 on a missed goal.

  cmake --build --preset release --target hone_program hone_shared
  python3 -m venv V && V/bin/pip install -r bench/peers/requirements.txt onnx
  V/bin/python bench/peers/transformer.py [--layers 2] [--tokens 128] [--threads 1] [--seconds 40] [--work build/peers/transformer]

Rows:
- int8 static: the output of `hone quantize` with random calibration inputs. OpenVINO computes the rest in
float32.
- int8 static, bfloat16: both compute the rest in bfloat16, by OpenVINO's defaults and hone's --precision bfloat16.
- int8 attention: the output of ONNX Runtime's quantiser (uint8 data, int8 weights), if installed; attention's products
are of bytes too.
- int8 dynamic: DynamicQuantizeLinear and MatMulInteger replace each product with weights, with one scale per column.
Times do not depend on the values of the weights, which are random.
"""
import argparse
import array
import math
import os
import random
import subprocess

import systems
from quantised import OpenVinoAtItsDefaults, p10

WIDE, HEADS, INSIDE = 768, 12, 3072
# hone's float32 time over hone's in that precision, and the better peer's time in a precision over hone's.
AGAINST_FLOAT32 = {"bfloat16": 1.7, "int8 static": 2.5, "int8 static, bfloat16": 2.5, "int8 attention": 2.5, "int8 dynamic": 2.5}
AGAINST_PEERS = 1.2


class Encoder:
    """The ONNX graph; with `dynamic`, its products are of bytes."""

    def __init__(self, tokens, dynamic):
        import numpy
        import onnx.helper

        self.numpy, self.helper, self.tokens, self.dynamic = numpy, onnx.helper, tokens, dynamic
        self.random, self.nodes, self.weights = numpy.random.default_rng(1), [], []

    def node(self, op, *inputs, **attributes):
        made = f"{op}_{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(op, list(inputs), [made], name=made, **attributes))
        return made

    def constant(self, value):
        import onnx.numpy_helper

        name = f"weight_{len(self.weights)}"
        self.weights.append(onnx.numpy_helper.from_array(self.numpy.asarray(value), name))
        return name

    def real(self, value):
        return self.constant(self.numpy.asarray(value, self.numpy.float32))

    def product(self, x, weight):
        if not self.dynamic:
            return self.node("MatMul", x, self.real(weight))
        scale = abs(weight).max(axis=0) / 127
        whole = self.numpy.clip(self.numpy.rint(weight / scale), -127, 127).astype(self.numpy.int8)
        made = [f"{name}_{len(self.nodes)}" for name in ("bytes", "scale", "zero")]
        self.nodes.append(self.helper.make_node("DynamicQuantizeLinear", [x], made, name=made[0]))
        sums = self.node("MatMulInteger", made[0], self.constant(whole), made[2])
        scales = self.node("Mul", made[1], self.real(scale))
        return self.node("Mul", self.node("Cast", sums, to=1), scales)

    def linear(self, x, inputs, outputs):
        weight = self.random.standard_normal((inputs, outputs)) / math.sqrt(inputs)
        return self.node("Add", self.product(x, weight), self.real(self.random.standard_normal(outputs) / 10))

    def heads(self, x, order):
        apart = self.node("Reshape", x, self.constant([1, self.tokens, HEADS, WIDE // HEADS]))
        return self.node("Transpose", apart, perm=order)

    def attention(self, x):
        query, key, value = (self.heads(self.linear(x, WIDE, WIDE), order) for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = self.node("Mul", self.node("MatMul", query, key), self.real(1 / math.sqrt(WIDE // HEADS)))
        mixed = self.node("MatMul", self.node("Softmax", scores, axis=-1), value)
        together = self.node("Transpose", mixed, perm=[0, 2, 1, 3])
        return self.linear(self.node("Reshape", together, self.constant([1, self.tokens, WIDE])), WIDE, WIDE)

    def gelu(self, x):
        error = self.node("Erf", self.node("Div", x, self.real(math.sqrt(2))))
        return self.node("Mul", self.node("Mul", x, self.node("Add", error, self.real(1))), self.real(0.5))

    def plus(self, x, other):
        ones, zeros = self.real(self.numpy.ones(WIDE)), self.real(self.numpy.zeros(WIDE))
        return self.node("LayerNormalization", self.node("Add", other, x), ones, zeros, axis=-1)

    def save(self, layers, path):
        x = "x"
        for _ in range(layers):
            x = self.plus(x, self.attention(x))
            x = self.plus(x, self.linear(self.gelu(self.linear(x, WIDE, INSIDE)), INSIDE, WIDE))
        import onnx

        value = lambda name: self.helper.make_tensor_value_info(name, 1, [1, self.tokens, WIDE])
        graph = self.helper.make_graph(self.nodes, "encoder", [value("x")], [value(x)], self.weights)
        onnx.save(self.helper.make_model(graph, opset_imports=[self.helper.make_opsetid("", 17)], ir_version=8), path)


def hone(options, *arguments):
    subprocess.run([f"{options.hone}/bin/hone", *arguments], check=True, capture_output=True)


def quantised_whole(options, path, made):
    """Writes `made` with ONNX Runtime's quantiser, which quantises every product."""
    import numpy
    from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static

    class Inputs(CalibrationDataReader):
        def __init__(self):
            draw = numpy.random.default_rng(2)
            self.left = [{"x": draw.standard_normal((1, options.tokens, WIDE)).astype(numpy.float32)} for _ in range(3)]

        def get_next(self):
            return self.left.pop() if self.left else None

    quantize_static(path, made, Inputs(), per_channel=True, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)


def models(options):
    """The paths of the models by form; missing ones are made."""
    paths = {form: os.path.join(options.work, f"encoder.{options.layers}.{options.tokens}.{form.replace(' ', '_')}.onnx")
             for form in ("float32", "int8 static", "int8 dynamic")}
    for form in ("float32", "int8 dynamic"):
        if not os.path.exists(paths[form]):
            Encoder(options.tokens, form == "int8 dynamic").save(options.layers, paths[form])
    if not os.path.exists(paths["int8 static"]):
        hone(options, "quantize", paths["float32"], "--calibrate", "random", "-o", paths["int8 static"])
    if not systems.missing_modules("onnxruntime"):
        paths["int8 attention"] = paths["int8 static"].replace("static", "attention")
        if not os.path.exists(paths["int8 attention"]):
            quantised_whole(options, paths["float32"], paths["int8 attention"])
    return paths


def packaged(options, path, precision):
    package = path.replace(".onnx", f".{precision}.{options.threads}.hone")
    hone(options, "build", path, "-o", package, "--no-records", "--threads", str(options.threads), "--precision", precision)
    return systems.Hone(), f"{options.hone}/lib/libhone.so:{package}"


def loaded(options, feed):
    """The systems to be timed, by system and precision."""
    paths = models(options)
    runs = {("hone", precision): packaged(options, paths["float32"], precision) for precision in ("float32", "bfloat16")}
    runs.update({("hone", form): packaged(options, path, "float32") for form, path in paths.items() if form != "float32"})
    runs["hone", "int8 static, bfloat16"] = packaged(options, paths["int8 static"], "bfloat16")
    if not systems.missing_modules("onnxruntime"):
        runs.update({("onnxruntime", form): (systems.OnnxRuntime(), path) for form, path in paths.items()})
    if not systems.missing_modules("openvino"):
        runs.update({("openvino", "float32"): (systems.OpenVino(), paths["float32"]),
                     ("openvino", "bfloat16"): (OpenVinoAtItsDefaults(), paths["float32"]),
                     **{("openvino", form): (systems.OpenVino(), paths[form]) for form in ("int8 static", "int8 attention") if form in paths},
                     ("openvino", "int8 static, bfloat16"): (OpenVinoAtItsDefaults(), paths["int8 static"])})
    for system, model in runs.values():
        system.load(model, options.threads, feed, [1, options.tokens, WIDE])
    return {what: system for what, (system, _) in runs.items()}


def error_of(output, reference):
    largest = max(abs(r) for r in reference)
    return max(abs(y - r) for y, r in zip(output, reference)) / largest


def verdict(lead, goal):
    return f"{lead:.2f} (goal {goal}: {'reached' if lead >= goal else 'MISSED'})"


def row(times, precision):
    """The text of a precision's row, and whether it reached its goals."""
    mine = times["hone", precision]
    peers = {system: ms for (system, of), ms in times.items() if of == precision and system != "hone"}
    text = f"{precision}: hone {mine:.2f} ms" + "".join(f", {system} {ms:.2f}" for system, ms in peers.items())
    reached = True
    if precision in AGAINST_FLOAT32:
        lead = times["hone", "float32"] / mine
        reached = lead >= AGAINST_FLOAT32[precision]
        text += f"; hone float32 / hone {verdict(lead, AGAINST_FLOAT32[precision])}"
    if peers:
        lead = min(peers.values()) / mine
        reached = reached and lead >= AGAINST_PEERS
        text += f"; better peer / hone {verdict(lead, AGAINST_PEERS)}"
    return text, reached


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hone", default="build/release", help="the folder that hone was built in")
    parser.add_argument("--work", default="build/peers/transformer", help="a folder for models and packages")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=40)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    draw = random.Random(1)
    runs = loaded(options, array.array("f", (draw.gauss(0, 1) for _ in range(options.tokens * WIDE))))
    times = p10(runs, options.seconds)
    print(f"{options.layers} layers, {options.tokens} tokens, {options.threads} threads; load {os.getloadavg()[0]:.1f}")
    reference, reached = runs["hone", "float32"].output(), True
    for precision in ("float32", *AGAINST_FLOAT32):
        if ("hone", precision) not in runs:
            continue
        text, good = row(times, precision)
        print(f"{text}; off by {error_of(runs['hone', precision].output(), reference):.1e}")
        reached = reached and good
    return 0 if reached else 1


if __name__ == "__main__":
    raise SystemExit(main())
