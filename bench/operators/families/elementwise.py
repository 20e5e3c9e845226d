"""Elementwise operators: activations, arithmetic with broadcasts, comparisons, casts, and formulas that exporters
expand."""

ONE = [("Abs", {}), ("Ceil", {}), ("Floor", {}), ("Round", {}), ("Neg", {}), ("Sign", {}), ("Exp", {}), ("Erf", {}), ("Sin", {}),
       ("Cos", {}), ("Tanh", {}), ("Atan", {}), ("Sinh", {}), ("Relu", {}), ("Sigmoid", {}), ("Softplus", {}), ("Softsign", {}),
       ("Elu", {"alpha": 1.0}), ("Selu", {}), ("Celu", {}), ("LeakyRelu", {"alpha": 0.1}), ("HardSigmoid", {}), ("HardSwish", {}),
       ("ThresholdedRelu", {"alpha": 0.5}), ("Shrink", {"lambd": 0.5})]
POSITIVE = ["Log", "Sqrt", "Reciprocal"]
PLANES, ROWS = (1, 64, 112, 112), (1, 128, 768)
TWO = ["Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu"]
# Shapes of the right operand; the left one is (1, 64, 56, 56).
BROADCASTS = [("same", (1, 64, 56, 56)), ("channel", (64, 1, 1)), ("image", (1, 1, 56, 56)), ("row", (56,)), ("scalar", ())]
COMPARED = ["Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"]
CASTS = [("float32", "float16"), ("float16", "float32"), ("float32", "int32"), ("int32", "float32"), ("float32", "uint8"), ("uint8", "float32"),
         ("int64", "float32"), ("float32", "int64"), ("bool", "float32"), ("float32", "bool"), ("int64", "int32"), ("int32", "int64"),
         ("int8", "float32"), ("uint8", "int32"), ("bool", "int64"), ("float64", "float32")]


def unary(kind, shape, attributes, positive=False):
    def write(net):
        net.result(net.op(kind, net.input(shape, low=0.1, high=3) if positive else net.input(shape), **attributes))
    return write


def binary(kind, right, dtype="float32", stored=False):
    def write(net):
        low = {} if dtype == "float32" and kind != "Div" else {"low": 1, "high": 9}
        data = net.input((1, 64, 56, 56), dtype, **low)
        other = (net.weight if stored else net.input)(right, dtype, **low)
        net.result(net.op(kind, data, other), dtype)
    return write


def compare(kind, dtype):
    return lambda net: net.result(net.op(kind, net.input((1, 64, 56, 56), dtype), net.input((1, 64, 56, 56), dtype)), "bool")


def cast(of, to):
    from net import TYPES
    return lambda net: net.result(net.op("Cast", net.input((1, 64, 56, 56), of), to=TYPES[to]), to)


def power(exponent, shape=ROWS, positive=False):
    def write(net):
        data = net.input(shape, low=0.1, high=2) if positive else net.input(shape)
        net.result(net.op("Pow", data, net.constant(exponent, "float32")))
    return write


def gelu_by_erf(net):
    data = net.input((1, 128, 3072))
    half = net.op("Mul", data, net.constant(0.5, "float32"))
    wave = net.op("Erf", net.op("Div", data, net.constant(2 ** 0.5, "float32")))
    net.result(net.op("Mul", half, net.op("Add", wave, net.constant(1, "float32"))))


def gelu_by_tanh(net):
    data = net.input((1, 128, 3072))
    cube = net.op("Mul", net.op("Pow", data, net.constant(3, "float32")), net.constant(0.044715, "float32"))
    inner = net.op("Mul", net.op("Add", data, cube), net.constant(0.7978845608, "float32"))
    outer = net.op("Add", net.op("Tanh", inner), net.constant(1, "float32"))
    net.result(net.op("Mul", net.op("Mul", data, net.constant(0.5, "float32")), outer))


def swish(net):
    data = net.input((1, 96, 56, 56))
    net.result(net.op("Mul", data, net.op("Sigmoid", data)))


def mish(net):
    data = net.input((1, 96, 56, 56))
    net.result(net.op("Mul", data, net.op("Tanh", net.op("Softplus", data))))


def squared_relu(net):
    net.result(net.op("Pow", net.op("Relu", net.input((1, 128, 3072))), net.constant(2, "float32")))


def clip(low, high, dtype="float32"):
    def write(net):
        bounds = [net.constant(low, dtype), net.constant(high, dtype)]
        net.result(net.op("Clip", net.input(PLANES, dtype), *bounds), dtype)
    return write


def normalised_image(net):
    data = net.op("Cast", net.input((1, 224, 224, 3), "uint8", 0, 256), to=1)
    data = net.op("Sub", net.op("Div", data, net.constant(255, "float32")), net.constant([0.485, 0.456, 0.406], "float32"))
    net.result(net.op("Transpose", net.op("Div", data, net.constant([0.229, 0.224, 0.225], "float32")), perm=[0, 3, 1, 2]))


def squeezed_and_excited(net):
    data = net.input((1, 96, 28, 28))
    gate = net.op("GlobalAveragePool", data)
    gate = net.op("Relu", net.op("Conv", gate, net.weight((24, 96, 1, 1)), net.weight((24,))))
    net.result(net.op("Mul", data, net.op("Sigmoid", net.op("Conv", gate, net.weight((96, 24, 1, 1)), net.weight((96,))))))


def choose(net):
    net.result(net.op("Where", net.input((1, 64, 56, 56), "bool"), net.input((1, 64, 56, 56)), net.input((1, 64, 56, 56))))


def masked(net):
    hidden = net.op("Where", net.input((1, 1, 128, 128), "bool"), net.constant(-1e9, "float32"), net.input((1, 12, 128, 128)))
    net.result(net.op("Softmax", hidden, axis=-1))


def three(kind):
    return lambda net: net.result(net.op(kind, *(net.input((1, 64, 56, 56)) for _ in range(3))))


def logic(kind, count):
    return lambda net: net.result(net.op(kind, *(net.input((1, 64, 56, 56), "bool") for _ in range(count))), "bool")


def modulo(dtype, fmod):
    return lambda net: net.result(net.op("Mod", net.input(ROWS, dtype, 1, 99), net.input(ROWS, dtype, 1, 9), fmod=fmod), dtype)


def cases():
    for kind, attributes in ONE:
        for name, shape in (("planes", PLANES), ("rows", ROWS)):
            yield f"{kind.lower()}_{name}", unary(kind, shape, attributes)
    for kind in POSITIVE:
        yield f"{kind.lower()}_rows", unary(kind, ROWS, {}, True)
    for kind in TWO:
        for name, right in BROADCASTS:
            if kind != "PRelu" or name in ("same", "channel", "scalar"):
                yield f"{kind.lower()}_{name}", binary(kind, right)
    for kind in ("Add", "Mul", "Sub", "Div"):
        yield f"{kind.lower()}_stored_channel", binary(kind, (64, 1, 1), stored=True)
        for dtype in ("int32", "int64"):
            yield f"{kind.lower()}_{dtype}", binary(kind, (1, 64, 56, 56), dtype)
    for kind in COMPARED:
        for dtype in ("float32", "int64"):
            yield f"{kind.lower()}_{dtype}", compare(kind, dtype)
    for of, to in CASTS:
        yield f"cast_{of}_{to}", cast(of, to)
    for exponent in (2, 3, 4, -1):
        yield f"pow_{exponent}".replace("-", "minus_"), power(exponent, positive=exponent < 0)
    for exponent in (0.5, -0.5, 2.2):
        yield f"pow_{exponent}".replace("-", "minus_").replace(".", "_"), power(exponent, positive=True)
    for write in (gelu_by_erf, gelu_by_tanh, swish, mish, squared_relu, normalised_image, squeezed_and_excited, choose, masked):
        yield write.__name__, write
    yield "clip_0_6", clip(0, 6)
    yield "clip_int64", clip(2, 5, "int64")
    for kind in ("Sum", "Mean", "Max"):
        yield f"{kind.lower()}_of_three", three(kind)
    for kind, count in (("And", 2), ("Or", 2), ("Xor", 2), ("Not", 1)):
        yield f"{kind.lower()}", logic(kind, count)
    yield "mod_int64", modulo("int64", 0)
    yield "mod_float", modulo("float32", 1)
    yield "isnan", lambda net: net.result(net.op("IsNaN", net.input(PLANES)), "bool")
