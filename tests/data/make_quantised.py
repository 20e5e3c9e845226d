"""Makes tests/data/quantised/*.onnx and *.json: small networks as ONNX Runtime's quantiser writes them, and ONNX
Runtime's outputs for them.

    python3 tests/data/make_quantised.py [NETWORK...]

Needs numpy, onnx and onnxruntime, and a processor that sums bytes without saturating (AVX512-VNNI, AVX-VNNI or NEON).
ONNX Runtime's kernels for other processors do saturate. Each network is run on one input: FillTensor(kNormal, seed 7).
The files hold the version of ONNX Runtime, the step of the last quantisation, and every output with nine digits. The
step is 0 if the result is not quantised.
"""

import json
import pathlib
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from make_logits import INPUT_SEED, normal_fill

OUT = pathlib.Path(__file__).parent / "quantised"


class Maker:
    """Builds a network of float32 node by node."""

    def __init__(self, shape):
        self.shape, self.nodes, self.weights, self.random = shape, [], [], np.random.default_rng(3)

    def node(self, op, inputs, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [f"v{len(self.nodes)}"], f"n{len(self.nodes)}", **attributes))
        return self.nodes[-1].output[0]

    def weight(self, *shape):
        summed = np.prod(shape[1:]) if len(shape) > 1 else 100
        values = (self.random.standard_normal(shape) / np.sqrt(summed)).astype(np.float32)
        self.weights.append(numpy_helper.from_array(values, f"w{len(self.weights)}"))
        return self.weights[-1].name

    def numbers(self, values):
        self.weights.append(numpy_helper.from_array(np.array(values, np.int64), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def conv(self, x, inputs, outputs, kernel, group=1, stride=1):
        return self.node("Conv", [x, self.weight(outputs, inputs // group, kernel, kernel), self.weight(outputs)], group=group,
                         kernel_shape=[kernel] * 2, pads=[kernel // 2] * 4, strides=[stride] * 2)

    def row_conv(self, x, inputs, outputs, kernel, group=1, stride=1, dilation=1):
        return self.node("Conv", [x, self.weight(outputs, inputs // group, kernel), self.weight(outputs)], group=group,
                         kernel_shape=[kernel], pads=[kernel // 2 * dilation] * 2, strides=[stride], dilations=[dilation])

    def model(self, result, shape):
        graph = helper.make_graph(self.nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
                                  [helper.make_tensor_value_info(result, TensorProto.FLOAT, shape)], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def fire():
    """Tails of channels and of rows, a pool, and parts with steps of their own."""
    m = Maker([1, 3, 13, 11])
    squeezed = m.node("Relu", [m.conv("x", 3, 20, 3)])
    pooled = m.node("MaxPool", [squeezed], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    parts = [m.node("Relu", [m.conv(pooled, 20, 18, kernel)]) for kernel in (1, 3)]
    return m.model(m.conv(m.node("Concat", parts, axis=1), 36, 10, 1), [1, 10, 7, 6])


def residual():
    """Depthwise layers, groups, strides, a sum of two, an average and a dense layer."""
    m = Maker([1, 8, 9, 9])
    first = m.node("Relu", [m.conv("x", 8, 24, 1)])
    apart = m.node("Relu", [m.conv(first, 24, 24, 3, group=24)])
    summed = m.node("Relu", [m.node("Add", [m.conv(apart, 24, 24, 3, group=2), first])])
    row = m.node("Flatten", [m.node("GlobalAveragePool", [m.conv(summed, 24, 28, 3, stride=2)])])
    return m.model(m.node("Gemm", [row, m.weight(10, 28), m.weight(10)], transB=1), [1, 10])


def dense():
    """Rows through two matrices."""
    m = Maker([5, 40])
    hidden = m.node("Relu", [m.node("Gemm", ["x", m.weight(33, 40), m.weight(33)], transB=1)])
    return m.model(m.node("MatMul", [hidden, m.weight(33, 12)]), [5, 12])


def attention():
    """Heads that are split and joined, and products of two computed matrices. One sum is over a multiple of four, the
    other is not."""
    m = Maker([1, 13, 24])

    def heads(order):
        reshaped = m.node("Reshape", [m.node("MatMul", ["x", m.weight(24, 24)]), m.numbers([1, 13, 3, 8])])
        return m.node("Transpose", [reshaped], perm=order)

    scores = m.node("MatMul", [heads([0, 2, 1, 3]), heads([0, 2, 3, 1])])
    mixed = m.node("MatMul", [m.node("Softmax", [scores], axis=-1), heads([0, 2, 1, 3])])
    together = m.node("Reshape", [m.node("Transpose", [mixed], perm=[0, 2, 1, 3]), m.numbers([1, 13, 24])])
    return m.model(m.node("MatMul", [together, m.weight(24, 10)]), [1, 13, 10])


def signal():
    """Layers over rows: a long filter of one channel, a pool, a depthwise layer, a sum of two."""
    m = Maker([1, 1, 61])
    first = m.node("Relu", [m.row_conv("x", 1, 20, 9, stride=2)])
    pooled = m.node("MaxPool", [first], kernel_shape=[3], strides=[2], pads=[1, 1])
    apart = m.node("Relu", [m.row_conv(pooled, 20, 20, 3, group=20)])
    summed = m.node("Relu", [m.node("Add", [m.row_conv(apart, 20, 20, 3, dilation=2), pooled])])
    return m.model(m.row_conv(summed, 20, 6, 5), [1, 6, 16])


def stereo():
    """A first layer of two channels, whose taps are taken two at a time."""
    m = Maker([1, 2, 11, 9])
    first = m.node("Relu", [m.conv("x", 2, 18, 5)])
    return m.model(m.conv(first, 18, 6, 3, stride=2), [1, 6, 6, 5])


class Inputs(CalibrationDataReader):
    def __init__(self, shape):
        self.left = [{"x": normal_fill(shape, seed)} for seed in (INPUT_SEED, 8, 9)]

    def get_next(self):
        return self.left.pop() if self.left else None


def static(form, activations):
    def quantise(path, made, shape):
        quantize_static(path, made, Inputs(shape), quant_format=form, activation_type=activations, weight_type=QuantType.QInt8,
                        per_channel=True)
    return quantise


FORMS = {
    "qdq_u8s8": static(QuantFormat.QDQ, QuantType.QUInt8),
    "qdq_s8s8": static(QuantFormat.QDQ, QuantType.QInt8),
    "qoperator": static(QuantFormat.QOperator, QuantType.QUInt8),
    "dynamic": lambda path, made, shape: quantize_dynamic(path, made, weight_type=QuantType.QUInt8),
    "dynamic_s8": lambda path, made, shape: quantize_dynamic(path, made, weight_type=QuantType.QInt8),
}


NETWORKS = {"fire": fire, "residual": residual, "dense": dense, "attention": attention, "signal": signal, "stereo": stereo}


def last_step(model):
    """The scale of the DequantizeLinear at the end of the network."""
    maker = next(node for node in model.graph.node if model.graph.output[0].name in node.output)
    values = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    return float(values[maker.input[1]]) if maker.op_type == "DequantizeLinear" else 0


def make(name, form, folder):
    network, path = NETWORKS[name](), str(folder / "float.onnx")
    onnx.save(network, path)
    quant_pre_process(path, path, skip_symbolic_shape=True)
    made = OUT / f"{name}_{form}.onnx"
    shape = [each.dim_value for each in network.graph.input[0].type.tensor_type.shape.dim]
    FORMS[form](path, str(made), shape)
    got = onnxruntime.InferenceSession(str(made), providers=["CPUExecutionProvider"]).run(None, {"x": normal_fill(shape, INPUT_SEED)})[0]
    text = {"onnxruntime": onnxruntime.__version__, "input_seed": INPUT_SEED, "step": last_step(onnx.load(made)),
            "values": [float(f"{value:.9g}") for value in got.ravel()]}
    made.with_suffix(".json").write_text(json.dumps(text, indent=None) + "\n")


def main():
    OUT.mkdir(exist_ok=True)
    for name in sys.argv[1:] or NETWORKS:
        for form in FORMS:
            # Softmax, products and means of floats have no bits that ONNX defines.
            if form == "dynamic_s8" and name in ("attention", "residual"):
                continue
            with tempfile.TemporaryDirectory() as folder:
                make(name, form, pathlib.Path(folder))


if __name__ == "__main__":
    main()
