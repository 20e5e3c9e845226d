"""Quantised layers in each form that exporters write, and the operators between them."""
import numpy

# channels, side, filters, kernel, stride, groups
LAYERS = [(3, 224, 32, 3, 2, 1), (64, 56, 64, 3, 1, 1), (64, 56, 256, 1, 1, 1), (128, 28, 128, 3, 1, 1), (256, 14, 1024, 1, 1, 1), (512, 7, 512, 3, 1, 1),
          (96, 56, 96, 3, 1, 96), (192, 28, 192, 3, 2, 192), (576, 14, 96, 1, 1, 1), (33, 30, 17, 3, 1, 1)]
PRODUCTS = [(1, 512, 1000), (16, 256, 256), (128, 768, 768), (128, 768, 3072), (197, 192, 576)]


def steps(net, count=None):
    size = () if count is None else (count,)
    return net.constant(numpy.broadcast_to(0.02, size), "float32")


def zero(net, dtype="uint8", value=128, count=None):
    return net.constant(numpy.broadcast_to(value, () if count is None else (count,)), dtype)


def quantised_conv(c, side, m, k, s, groups):
    def write(net):
        data = net.input((1, c, side, side), "uint8", 0, 255)
        weight = net.weight((m, c // groups, k, k), "int8", -60, 60)
        result = (net.constant(0.5, "float32"), zero(net))
        bias = net.weight((m,), "int32", -500, 500)
        net.result(net.op("QLinearConv", data, steps(net), zero(net), weight, steps(net, m), zero(net, "int8", 0, m), *result, bias,
                          pads=[k // 2] * 4, strides=[s, s], group=groups, kernel_shape=[k, k]), "uint8")
    return write


def as_bytes(net, value, dtype="uint8"):
    """The values as bytes, with their scale and zero point."""
    scale, point = net.constant(0.05, "float32"), zero(net, dtype, 128 if dtype == "uint8" else 0)
    return net.op("QuantizeLinear", value, scale, point), scale, point


def through_bytes(net, value, dtype="uint8"):
    return net.op("DequantizeLinear", *as_bytes(net, value, dtype))


def result_in_bytes(net, value, dtype="uint8"):
    net.result(as_bytes(net, value, dtype)[0], dtype)


def stored_bytes(net, shape):
    return net.op("DequantizeLinear", net.weight(shape, "int8", -60, 60), steps(net), zero(net, "int8", 0))


def layer_between_pairs(c, side, m, k, s, groups, dtype):
    def write(net):
        data = through_bytes(net, net.input((1, c, side, side)), dtype)
        value = net.op("Conv", data, stored_bytes(net, (m, c // groups, k, k)), pads=[k // 2] * 4, strides=[s, s], group=groups, kernel_shape=[k, k])
        result_in_bytes(net, net.op("Relu", value), dtype)
    return write


def integer_conv(c, side, m, k, s, groups):
    def write(net):
        data, weight = net.input((1, c, side, side), "uint8", 0, 255), net.weight((m, c // groups, k, k), "int8", -60, 60)
        net.result(net.op("ConvInteger", data, weight, zero(net), zero(net, "int8", 0), pads=[k // 2] * 4, strides=[s, s], group=groups,
                          kernel_shape=[k, k]), "int32")
    return write


def quantised_product(m, k, n):
    def write(net):
        data, weight = net.input((m, k), "uint8", 0, 255), net.weight((k, n), "int8", -60, 60)
        net.result(net.op("QLinearMatMul", data, steps(net), zero(net), weight, steps(net), zero(net, "int8", 0), net.constant(0.5, "float32"), zero(net)), "uint8")
    return write


def integer_product(m, k, n, stored):
    def write(net):
        weight = (net.weight if stored else net.input)((k, n), "int8", -60, 60)
        net.result(net.op("MatMulInteger", net.input((m, k), "uint8", 0, 255), weight, zero(net)), "int32")
    return write


def dynamic_product(m, k, n):
    def write(net):
        data, scale, point = net.op("DynamicQuantizeLinear", net.input((m, k)), results=3)
        total = net.op("Cast", net.op("MatMulInteger", data, net.weight((k, n), "int8", -60, 60), point), to=1)
        net.result(net.op("Mul", total, net.op("Mul", scale, net.constant(0.02, "float32"))))
    return write


def quantise(shape, dtype):
    return lambda net: net.result(net.op("QuantizeLinear", net.input(shape), steps(net), zero(net, dtype, 0)), dtype)


def dequantise(shape, dtype):
    return lambda net: net.result(net.op("DequantizeLinear", net.input(shape, dtype, 0, 100), steps(net), zero(net, dtype, 0)))


def dynamic(shape):
    def write(net):
        for name, kind in zip(net.op("DynamicQuantizeLinear", net.input(shape), results=3), ("uint8", "float32", "uint8")):
            net.result(name, kind)
    return write


def between_pairs(kind, **more):
    return lambda net: result_in_bytes(net, net.op(kind, through_bytes(net, net.input((1, 64, 56, 56))), **more))


def sum_of_pairs(net):
    parts = [through_bytes(net, net.input((1, 64, 56, 56))) for _ in range(2)]
    result_in_bytes(net, net.op("Add", *parts))


def cases():
    for layer in LAYERS:
        name = "{}x{}_{}_k{}_s{}_g{}".format(*layer)
        yield f"qlinearconv_{name}", quantised_conv(*layer)
        yield f"qdq_u8_conv_{name}", layer_between_pairs(*layer, "uint8")
        yield f"qdq_s8_conv_{name}", layer_between_pairs(*layer, "int8")
        if layer[5] == 1:
            yield f"convinteger_{name}", integer_conv(*layer)
    for m, k, n in PRODUCTS:
        yield f"qlinearmatmul_{m}x{k}x{n}", quantised_product(m, k, n)
        yield f"matmulinteger_{m}x{k}x{n}", integer_product(m, k, n, True)
        yield f"matmulinteger_computed_{m}x{k}x{n}", integer_product(m, k, n, False)
        yield f"dynamic_matmul_{m}x{k}x{n}", dynamic_product(m, k, n)
    for shape in [(1, 64, 56, 56), (1, 128, 768), (1, 1000)]:
        name = "x".join(map(str, shape))
        for dtype in ("uint8", "int8"):
            yield f"quantizelinear_{dtype}_{name}", quantise(shape, dtype)
            yield f"dequantizelinear_{dtype}_{name}", dequantise(shape, dtype)
        yield f"dynamicquantizelinear_{name}", dynamic(shape)
    yield "qdq_averagepool", between_pairs("AveragePool", kernel_shape=[3, 3], strides=[2, 2])
    yield "qdq_maxpool", between_pairs("MaxPool", kernel_shape=[3, 3], strides=[2, 2])
    yield "qdq_global_averagepool", between_pairs("GlobalAveragePool")
    yield "qdq_sigmoid", between_pairs("Sigmoid")
    yield "qdq_transpose", between_pairs("Transpose", perm=[0, 2, 3, 1])
    yield "qdq_add", sum_of_pairs
