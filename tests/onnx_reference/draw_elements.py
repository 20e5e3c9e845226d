"""Draws elementwise operators and reductions."""
from drawing import FLOAT, INTEGERS, numpy, onnx_type

FLOAT_UNARY = ("Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor HardSigmoid HardSwish LeakyRelu "
               "Log Mish Neg Reciprocal Relu Round Selu Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Tan Tanh "
               "ThresholdedRelu Gelu Swish Shrink IsNaN IsInf Identity").split()
OPSETS = {"Gelu": 20, "Swish": 24}
SLOPES = ("Celu", "Elu", "LeakyRelu", "ThresholdedRelu", "Swish")


# Operators that see denormals; arithmetic flushes them to zero (docs/howto/precision.md).
SEES_DENORMALS = ("Abs Neg Relu Sign Ceil Floor IsNaN IsInf Identity Max Min Equal Less Greater LessOrEqual "
                  "GreaterOrEqual").split()


def known_to_agree(op, values):
    """Replaces the values for which hone's pages say that its results differ from ONNX's."""
    if values.dtype != FLOAT or op in SEES_DENORMALS:
        return values
    values = numpy.where(numpy.abs(values) < 1e-37, FLOAT(0), values)
    if op in ("Sin", "Cos", "Tan"):
        return numpy.where(numpy.abs(values) < 6e9, values, FLOAT(0.75))
    return numpy.where(numpy.isneginf(values), FLOAT(-7), values) if op in ("Gelu", "Mish", "Swish") else values


def unary_attributes(m, op):
    if op in SLOPES and m.chance(60):
        return {"alpha": m.one_of([0.25, 0.01, 1.0, 2.0, 0.5])}
    if op == "HardSigmoid" and m.chance(50):
        return {"alpha": 0.3, "beta": 0.4}
    if op == "Selu" and m.chance(40):
        return {"alpha": 1.5, "gamma": 2.0}
    if op == "Shrink":
        return {"bias": m.one_of([0.0, 0.5, 1.5]), "lambd": m.one_of([0.5, 1.5, 0.0])}
    if op == "Gelu" and m.chance(50):
        return {"approximate": "tanh"}
    if op == "IsInf":
        return {"detect_negative": m.between(0, 1), "detect_positive": m.between(0, 1)}
    return {}


def unary(m):
    op = m.one_of(FLOAT_UNARY)
    m.opset = max(m.opset, OPSETS.get(op, 0))
    m.node(op, [m.given(known_to_agree(op, m.values(m.shape())))], **unary_attributes(m, op))


def unary_of_integers(m):
    dtype = m.one_of(INTEGERS)
    op = m.one_of(["Abs", "Neg", "Sign", "Relu", "BitwiseNot", "Shrink"])
    if op == "Neg" and dtype is numpy.uint8:
        op = "Abs"
    values = m.values(m.shape(), dtype)
    attributes = {}
    if op == "Shrink":
        # Values that fit the type after the bias is added, and that float32 represents.
        values = (values % 50 + 4).astype(dtype)
        attributes = {"bias": m.one_of([1.5, 2.0]), "lambd": m.one_of([6.0, 20.5])}
    m.node(op, [m.given(values)], **attributes)


def broadcast_pair(m, dtype):
    shape = m.shape()
    other = [1 if m.chance(30) else d for d in shape][m.between(0, len(shape)) if m.chance(30) else 0:]
    arrays = [m.values(shape, dtype), m.values(other, dtype)]
    if m.chance(40):
        arrays.reverse()
    return arrays


def binary(m):
    dtype = m.one_of([FLOAT, FLOAT, *INTEGERS])
    op = m.one_of("Add Sub Mul Div Max Min Mod Pow Equal Less Greater LessOrEqual GreaterOrEqual".split())
    a, b = broadcast_pair(m, dtype)
    attributes = {}
    if op == "Mod":
        attributes["fmod"] = 1 if dtype is FLOAT else m.between(0, 1)
    if dtype is not FLOAT and op in ("Div", "Mod"):
        b = numpy.where((b == 0) | (b == -1), numpy.array(3, dtype), b)
    if op == "Pow" and dtype is not FLOAT:
        dtype = numpy.int32 if dtype in (numpy.int8, numpy.uint8) else dtype
        a, b = (a % 5).astype(dtype), numpy.array(m.between(1, 4), dtype)
        m.node(op, [m.given(a), m.known(b, dtype)])
        return
    m.node(op, [m.given(known_to_agree(op, a)), m.given(known_to_agree(op, b))], **attributes)


def truth(m):
    op = m.one_of(["And", "Or", "Xor", "Equal", "Not"])
    a, b = broadcast_pair(m, numpy.bool_)
    m.node(op, [m.given(a)] if op == "Not" else [m.given(a), m.given(b)])


def bits(m):
    op = m.one_of(["BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"])
    dtype = numpy.uint8 if op == "BitShift" else m.one_of(INTEGERS)
    a, b = broadcast_pair(m, dtype)
    if op == "BitShift":
        m.node(op, [m.given(a), m.given((b % 8).astype(dtype))], direction=m.one_of(["LEFT", "RIGHT"]))
    else:
        m.node(op, [m.given(a), m.given(b)])


def variadic(m):
    shape = m.shape()
    m.node(m.one_of(["Sum", "Mean", "Max", "Min"]), [m.given(m.values(shape)) for _ in range(m.between(1, 4))])


def where(m):
    dtype = m.one_of([FLOAT, *INTEGERS])
    a, b = broadcast_pair(m, dtype)
    m.node("Where", [m.given(m.values(list(a.shape), numpy.bool_)), m.given(a), m.given(b)])


def clip(m):
    dtype = m.one_of([FLOAT, FLOAT, *INTEGERS])
    info = numpy.finfo(FLOAT) if dtype is FLOAT else numpy.iinfo(dtype)
    low = m.one_of([0, 1, info.min, info.min // 2 if dtype is not FLOAT else -2])
    high = m.one_of([3, 5, info.max, info.max // 2 + 1 if dtype is not FLOAT else 2])
    bounds = ["" if m.chance(20) else m.given(numpy.array(v, dtype), 60) for v in (low, high)]
    m.node("Clip", [m.given(m.values(m.shape(), dtype)), *bounds])


def prelu(m):
    shape = m.shape(1)
    slope = [1 if m.chance(40) else d for d in shape][m.between(0, len(shape) - 1):]
    m.node("PRelu", [m.given(known_to_agree("PRelu", m.values(shape))), m.given(numpy.abs(m.numpy.standard_normal(slope)).astype(FLOAT) + 0.1)])


def cast(m):
    source, to = m.one_of([FLOAT, *INTEGERS, numpy.bool_]), m.one_of([FLOAT, *INTEGERS, numpy.bool_])
    values = m.values(m.shape(), source, 5)
    if source is FLOAT and to is not FLOAT and to is not numpy.bool_:
        # ONNX leaves conversions out of the integer's range to each processor.
        held = numpy.isfinite(values) & (numpy.abs(values) < 100)
        values = numpy.abs(numpy.where(held, values, FLOAT(7.5)))
    m.node("Cast", [m.given(values)], to=onnx_type(to))


def reduction(m):
    # Sums of special floats depend on their order, and means of large integers on float64.
    op = m.one_of(["Max", "Min", "Sum"] if m.special else
                  "Mean Sum Prod Max Min L1 L2 SumSquare LogSum LogSumExp".split())
    whole = op in ("Mean", "Sum", "Prod", "Max", "Min", "L1", "SumSquare") and m.chance(40)
    whole = whole or (m.special and op == "Sum")
    shape = m.shape(1)
    data = m.values(shape, m.one_of([numpy.int32, numpy.int64]) if whole else FLOAT)
    if op == "LogSum" and not m.special:
        data = numpy.abs(data)
    axes = m.random.sample(range(-len(shape), len(shape)), m.between(0, 2))
    axes = list({a % len(shape): a for a in axes}.values())
    if op == "Sum":
        m.opset = 13
    elif m.chance(70):
        m.opset = 18
    else:
        m.opset = 13
        m.node("Reduce" + op, [m.given(data)], axes=axes or None, keepdims=m.between(0, 1))
        return
    inputs = [m.given(data)] + ([m.known(axes)] if axes else [])
    noop = m.between(0, 1) if not axes else None
    m.node("Reduce" + op, inputs, keepdims=m.between(0, 1), noop_with_empty_axes=noop)


def search(m):
    shape, dtype = m.shape(1), m.one_of([FLOAT, *INTEGERS])
    axis = m.between(-len(shape), len(shape) - 1)
    data = m.given(m.values(shape, dtype))
    kind = m.between(0, 2)
    if kind == 0:
        m.node(m.one_of(["ArgMax", "ArgMin"]), [data], axis=axis, keepdims=m.between(0, 1),
               select_last_index=m.between(0, 1))
    elif kind == 1:
        order = m.numpy.permutation(int(numpy.prod(shape))).reshape(shape).astype(m.one_of([FLOAT, numpy.int64]))
        m.node("TopK", [m.given(order), m.known([m.between(1, shape[axis])])], 2, axis=axis, largest=m.between(0, 1))
    else:
        data = m.given(m.values(shape, m.one_of([numpy.int64, numpy.int32] if m.special else [FLOAT, numpy.int32])))
        m.node("CumSum", [data, m.known(axis)], exclusive=m.between(0, 1), reverse=m.between(0, 1))


def softmax(m):
    shape = m.shape(1)
    m.opset = m.one_of([13, 18])  # the reference implements the meaning only since 13
    m.node(m.one_of(["Softmax", "LogSoftmax", "Hardmax"]), [m.given(m.values(shape, scale=3))],
           axis=m.between(-len(shape), len(shape) - 1))


SPECIAL = [unary] * 6 + [binary] * 4 + [unary_of_integers, where, clip, prelu, cast, bits, reduction, search]
USUAL = [unary, unary, binary, binary, truth, bits, variadic, where, clip, prelu, cast, unary_of_integers, reduction,
         reduction, search, softmax]
