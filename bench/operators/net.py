"""Builds a small ONNX model: inputs with their data, weights, nodes, outputs."""
import zlib

import numpy

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11}


class Net:
    def __init__(self, name, opset=17):
        self.name, self.opset = name, opset
        self.random = numpy.random.default_rng(zlib.crc32(name.encode()))
        self.feed, self.outputs, self.constants, self.nodes = {}, {}, {}, []

    def _name(self):
        return f"v{len(self.feed) + len(self.constants) + sum(len(node[2]) for node in self.nodes)}"

    def values(self, shape, kind="float32", low=None, high=None):
        """Normally distributed floats, or floats and integers in [low, high)."""
        if kind == "bool":
            return self.random.random(shape) > 0.5
        if numpy.dtype(kind).kind == "f":
            values = self.random.standard_normal(shape) if low is None else self.random.uniform(low, high, shape)
            return numpy.asarray(values, kind)
        low, high = (0, 10) if low is None else (low, high)
        return self.random.integers(low, high, shape).astype(kind)

    def input(self, shape, kind="float32", low=None, high=None):
        return self.given(self.values(shape, kind, low, high))

    def given(self, values):
        """An input with these values."""
        name = self._name()
        self.feed[name] = numpy.ascontiguousarray(values)
        return name

    def weight(self, shape, kind="float32", low=None, high=None):
        """Normally distributed weights, so small that sums stay near one."""
        values = self.values(shape, kind, low, high)
        if kind == "float32" and low is None:
            values = values / numpy.float32(max(1, int(numpy.prod(shape[1:]))) ** 0.5)
        return self.constant(values)

    def constant(self, values, kind=None):
        name = self._name()
        self.constants[name] = numpy.asarray(values, kind)
        return name

    def integers(self, *values):
        return self.constant(values, "int64")

    def op(self, kind, *inputs, results=1, domain="", **attributes):
        """Adds a node. Returns the name of its result, or their names."""
        first = self._name()
        names = [first] + [f"{first}_{i}" for i in range(1, results)]
        self.nodes.append((kind, list(inputs), names, attributes, domain))
        return first if results == 1 else names

    def result(self, name, kind="float32"):
        self.outputs[name] = kind

    def model(self):
        from onnx import helper, numpy_helper
        nodes = [helper.make_node(kind, inputs, names, domain=domain, **attributes)
                 for kind, inputs, names, attributes, domain in self.nodes]
        inputs = [helper.make_tensor_value_info(name, TYPES[value.dtype.name], value.shape) for name, value in self.feed.items()]
        outputs = [helper.make_tensor_value_info(name, TYPES[kind], None) for name, kind in self.outputs.items()]
        stored = [numpy_helper.from_array(value, name) for name, value in self.constants.items()]
        graph = helper.make_graph(nodes, "case", inputs, outputs, stored)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 8
        return model

    def weight_bytes(self):
        return sum(value.nbytes for value in self.constants.values())
