"""Reductions, normalisations and softmaxes over each kind of axis."""
import numpy

KINDS = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"]
SHAPES = [((1, 256, 56, 56), (2, 3)), ((128, 768), (1,)), ((1, 128, 768), (1,)), ((8400, 20), (1,)), ((1, 64, 112, 112), (1,)),
          ((4, 12, 128, 128), (-1,)), ((1, 32, 64, 64), (0, 1, 2, 3))]
SOFTMAXES = [((1, 1000), 1), ((12, 128, 128), -1), ((12, 197, 197), -1), ((1, 21, 128, 128), 1), ((8400, 80), -1), ((8400, 16), -1),
             ((1, 4, 8400, 16), -1), ((1, 16, 4, 2100), 1), ((49, 49), -1), ((3136, 9), -1), ((1000, 25), -1), ((1, 32000), -1),
             ((64, 3, 49, 49), -1), ((1, 64, 56, 56), 1), ((256, 7), -1), ((1000, 2), -1)]


def reduce(kind, shape, axes, keep=1):
    def write(net):
        data = net.input(shape) if kind != "ReduceProd" else net.input(shape, low=0.99, high=1.01)
        if kind == "ReduceSum":
            net.result(net.op(kind, data, net.integers(*axes), keepdims=keep))
        else:
            net.result(net.op(kind, data, axes=list(axes), keepdims=keep))
    return write


def along(kind, shape, axis):
    return lambda net: net.result(net.op(kind, net.input(shape), axis=axis))


def arg(kind, shape, axis):
    return lambda net: net.result(net.op(kind, net.input(shape), axis=axis, keepdims=0), "int64")


def layer_normalization(shape, axis=-1):
    def write(net):
        size = shape[axis:]
        net.result(net.op("LayerNormalization", net.input(shape), net.weight(size, low=0.5, high=1.5), net.weight(size), axis=axis))
    return write


def centred(net, data, axes, epsilon):
    mean = net.op("ReduceMean", data, axes=axes)
    difference = net.op("Sub", data, mean)
    variance = net.op("ReduceMean", net.op("Pow", difference, net.constant(2, "float32")), axes=axes)
    return net.op("Div", difference, net.op("Sqrt", net.op("Add", variance, net.constant(epsilon, "float32"))))


def layer_normalization_in_parts(shape):
    def write(net):
        scaled = net.op("Mul", centred(net, net.input(shape), [-1], 1e-5), net.weight(shape[-1:], low=0.5, high=1.5))
        net.result(net.op("Add", scaled, net.weight(shape[-1:])))
    return write


def rms_normalization_in_parts(shape):
    def write(net):
        data = net.input(shape)
        mean = net.op("ReduceMean", net.op("Pow", data, net.constant(2, "float32")), axes=[-1])
        root = net.op("Sqrt", net.op("Add", mean, net.constant(1e-6, "float32")))
        net.result(net.op("Mul", net.op("Div", data, root), net.weight(shape[-1:], low=0.5, high=1.5)))
    return write


def group_normalization_in_parts(shape, groups):
    def write(net):
        data = net.op("Reshape", net.input(shape), net.integers(0, groups, -1))
        ones, zeros = net.constant(numpy.ones(groups), "float32"), net.constant(numpy.zeros(groups), "float32")
        data = net.op("Reshape", net.op("InstanceNormalization", data, ones, zeros), net.integers(*shape))
        sizes = (shape[1], 1, 1)
        net.result(net.op("Add", net.op("Mul", data, net.weight(sizes, low=0.5, high=1.5)), net.weight(sizes)))
    return write


def instance_normalization(shape):
    def write(net):
        scale, bias = net.weight((shape[1],), low=0.5, high=1.5), net.weight((shape[1],))
        net.result(net.op("InstanceNormalization", net.input(shape), scale, bias))
    return write


def batch_normalization(shape):
    def write(net):
        scale, bias, mean, variance = (net.weight((shape[1],), low=0.5, high=1.5) for _ in range(4))
        net.result(net.op("BatchNormalization", net.input(shape), scale, bias, mean, variance))
    return write


def unit_length(shape, axis):
    def write(net):
        data = net.input(shape)
        length = net.op("Clip", net.op("ReduceL2", data, axes=[axis]), net.constant(1e-12, "float32"))
        net.result(net.op("Div", data, length))
    return write


def text(shape):
    return "x".join(map(str, shape))


def cases():
    for kind in KINDS:
        for shape, axes in SHAPES:
            yield f"{kind.lower()}_{text(shape)}_over_{'_'.join(map(str, axes))}", reduce(kind, shape, axes)
    for shape, axis in SOFTMAXES:
        yield f"softmax_{text(shape)}_axis{axis}", along("Softmax", shape, axis)
    for shape, axis in SOFTMAXES[:6]:
        yield f"logsoftmax_{text(shape)}_axis{axis}", along("LogSoftmax", shape, axis)
    yield "hardmax_8400x80", along("Hardmax", (8400, 80), -1)
    for kind in ("ArgMax", "ArgMin"):
        for shape, axis in [((1, 1000), 1), ((1, 21, 256, 256), 1), ((8400, 80), 1), ((128, 32000), 1), ((1, 19, 65, 65), 1), ((17, 64, 48), 2)]:
            yield f"{kind.lower()}_{text(shape)}_axis{axis}", arg(kind, shape, axis)
    for shape in [(1, 128, 768), (1, 197, 192), (1, 3136, 96), (1, 384, 1024), (1, 1, 768), (1, 50, 33)]:
        yield f"layernorm_{text(shape)}", layer_normalization(shape)
        yield f"layernorm_parts_{text(shape)}", layer_normalization_in_parts(shape)
        yield f"rmsnorm_parts_{text(shape)}", rms_normalization_in_parts(shape)
    yield "layernorm_two_axes_16x32x32", layer_normalization((1, 16, 32, 32), -2)
    for shape in [(1, 64, 56, 56), (1, 128, 64, 64), (1, 512, 14, 14), (1, 3, 224, 224), (1, 64, 400), (1, 16, 8, 28, 28)]:
        yield f"instancenorm_{text(shape)}", instance_normalization(shape)
        yield f"batchnorm_{text(shape)}", batch_normalization(shape)
    for shape, groups in [((1, 320, 32, 32), 32), ((1, 64, 56, 56), 8), ((1, 512, 16, 16), 32)]:
        yield f"groupnorm_parts_{text(shape)}_g{groups}", group_normalization_in_parts(shape, groups)
    for shape, axis in [((1, 512), 1), ((128, 256), 1), ((1, 256, 30, 40), 1)]:
        yield f"unit_length_{text(shape)}_axis{axis}", unit_length(shape, axis)
        yield f"lpnorm_{text(shape)}_axis{axis}", along("LpNormalization", shape, axis)
    for shape in [(1, 96, 55, 55), (1, 64, 28, 28)]:
        yield f"lrn_{text(shape)}", lambda net, s=shape: net.result(net.op("LRN", net.input(s), size=5, alpha=1e-4, beta=0.75, bias=1.0))
    yield "meanvariance_1x16x64x64", lambda net: net.result(net.op("MeanVarianceNormalization", net.input((1, 16, 64, 64)), axes=[0, 2, 3]))
