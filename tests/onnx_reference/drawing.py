"""Tools that draw random models: numbers, shapes, and a model of a few nodes under construction."""
import random

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INTEGERS = numpy.float32, (numpy.int8, numpy.uint8, numpy.int32, numpy.int64)

SPECIAL_FLOATS = numpy.array(
    [numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1e-40, -1e-40, 1.17549435e-38, 3.4028235e38, -3.4028235e38, 0.5, -0.5,
     1.5, -1.5, 2.5, -2.5, 1e-5, -1e-5, 1.0, -1.0, 3.0, -3.0, 20.0, -20.0, 88.7, -88.7, 89.3, -89.3, 104.0, -104.0, 1e4, -1e4,
     16777216.0, 2147483648.0, -2147483648.0, 1e10, -1e10, 9.3e18, -9.3e18, 1e30, -1e30], numpy.float32)


def special_integers(dtype):
    info = numpy.iinfo(dtype)
    wide = [0, 1, 2, 3, 7, 100, 2**24 + 1, 2**53 + 1, 2**31, info.max, info.max - 1, info.min, info.min + 1]
    held = [v for v in wide + [-v for v in wide] if info.min <= v <= info.max]
    return numpy.array(sorted(set(held)), dtype)


class Drawn:
    """A model under construction: `Drawn(seed)`, then inputs and nodes, then `model()`."""

    def __init__(self, seed, opset=18):
        self.random = random.Random(seed)
        self.numpy = numpy.random.default_rng(seed)
        self.opset, self.special = opset, False
        self.nodes, self.initializers, self.outputs, self.inputs = [], [], [], {}

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def one_of(self, values):
        return self.random.choice(list(values))

    def between(self, least, most):
        return self.random.randint(least, most)

    def shape(self, least=0, most=4, largest=6):
        return [1 if self.chance(15) else self.between(1, largest) for _ in range(self.between(least, most))]

    def values(self, shape, dtype=FLOAT, scale=1.0):
        """Normally distributed floats, or small integers. Special values if the model asks for them."""
        count = int(numpy.prod(shape))
        if dtype is numpy.bool_:
            return self.numpy.random(shape) < 0.5
        if dtype is FLOAT:
            usual = (scale * self.numpy.standard_normal(shape)).astype(FLOAT)
            special = SPECIAL_FLOATS
        else:
            least = 0 if dtype is numpy.uint8 else -9
            usual, special = self.numpy.integers(least, 10, shape).astype(dtype), special_integers(dtype)
        if not self.special:
            return usual
        return numpy.resize(self.numpy.permutation(numpy.resize(special, max(count, len(special)))), shape).astype(dtype)

    def name(self):
        return f"t{len(self.initializers) + len(self.inputs) + sum(len(n.output) for n in self.nodes)}"

    def known(self, value, dtype=numpy.int64):
        """A constant: a list of integers unless the type says otherwise."""
        name = self.name()
        self.initializers.append(numpy_helper.from_array(numpy.asarray(value, dtype), name))
        return name

    def given(self, array, percent_known=25):
        """An input of the model, or sometimes a constant, so that folding is compared, too."""
        if self.chance(percent_known):
            return self.known(array, array.dtype)
        name = self.name()
        self.inputs[name] = array
        return name

    def node(self, op, inputs, outputs=1, result=True, domain="", **attributes):
        first = self.name()
        names = [first] + [f"{first}_{i}" for i in range(1, outputs)]
        given = {k: v for k, v in attributes.items() if v is not None}
        self.nodes.append(helper.make_node(op, inputs, names, domain=domain, **given))
        if result:
            self.outputs += names
        return names[0] if outputs == 1 else names

    def model(self):
        inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                  for name, array in self.inputs.items()]
        outputs = [helper.make_empty_tensor_value_info(name) for name in self.outputs]
        graph = helper.make_graph(self.nodes, "drawn", inputs, outputs, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        return onnx.shape_inference.infer_shapes(model)


def onnx_type(dtype):
    return helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))


__all__ = ["Drawn", "FLOAT", "INTEGERS", "TensorProto", "numpy", "onnx_type", "special_integers", "SPECIAL_FLOATS"]
