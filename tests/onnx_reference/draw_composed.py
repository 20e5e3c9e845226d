"""Draws operators that hone composes of others: deformable convolutions, samples of volumes, determinants, n-grams, bits,
powers of integers, sequences."""
from drawing import FLOAT, INTEGERS, TensorProto, numpy


def deform_conv(m):
    groups, offset_groups = m.one_of([1, 2]), m.one_of([1, 2])
    batch, channels, results = m.between(1, 2), 2 * m.between(1, 2), 2 * m.between(1, 2)
    image, kernel = [m.between(5, 8), m.between(5, 8)], [m.between(1, 3), m.between(1, 3)]
    strides, dilations = [m.between(1, 2), m.between(1, 2)], [m.between(1, 2), m.between(1, 2)]
    pads = [m.between(0, 2) for _ in range(4)]
    # The reference demands that windows end at the edge.
    places = []
    for d in range(2):
        span = image[d] + pads[d] + pads[d + 2] - (kernel[d] - 1) * dilations[d] - 1
        pads[d + 2] += -span % strides[d]
        places.append((span + -span % strides[d]) // strides[d] + 1)
    taps = kernel[0] * kernel[1]
    inputs = [m.given(m.values([batch, channels] + image), 5), m.given(m.values([results, channels // groups] + kernel), 80),
              m.given(m.values([batch, offset_groups * taps * 2] + places), 5)]
    inputs.append(m.given(m.values([results]), 80) if m.chance(50) else "")
    if m.chance(60):
        inputs.append(m.given(m.values([batch, offset_groups * taps] + places), 5))
    m.opset = 22
    m.node("DeformConv", inputs, kernel_shape=kernel, strides=strides, dilations=dilations, pads=pads, group=groups,
           offset_group=offset_groups)


def grid_sample(m):
    axes = m.one_of([2, 2, 3])
    image = [m.between(1, 5) for _ in range(axes)]
    grid = (2.4 * m.numpy.random([2] + [m.between(1, 4) for _ in range(axes)] + [axes]) - 1.2).astype(FLOAT)
    if m.chance(40):  # halfway between pixels, and far outside
        grid = (m.numpy.integers(-16, 17, grid.shape) / 4).astype(FLOAT)
    corners = m.between(0, 1)
    if corners:
        image = [max(2, extent) for extent in image]  # the reference divides by 0 for one pixel
    m.opset = 22
    m.node("GridSample", [m.given(m.values([2, 3] + image)), m.given(grid)], align_corners=corners,
           mode="cubic" if axes == 2 else m.one_of(["linear", "nearest"]),
           padding_mode=m.one_of(["zeros", "border", "reflection"]))


def det(m):
    size = m.between(1, 6)
    matrix = m.values(m.shape(0, 2, 3) + [size, size])
    m.node("Det", [m.given(matrix, 5)])


def bit_cast(m):
    pairs = [(numpy.int8, TensorProto.UINT8), (numpy.uint8, TensorProto.INT8), (numpy.float32, TensorProto.INT32),
             (numpy.int32, TensorProto.FLOAT), (numpy.int32, TensorProto.INT32), (numpy.int64, TensorProto.INT64)]
    dtype, to = m.one_of(pairs)
    array = m.values(m.shape(), dtype)
    if dtype is numpy.int32:
        array = m.values(array.shape).view(numpy.int32)
    m.opset = 26
    m.node("BitCast", [m.given(array)], to=to)


def power(m):
    shape = m.shape()
    dtype, other = m.one_of([numpy.int32, numpy.int64]), m.one_of([numpy.int32, numpy.int64, FLOAT])
    exponents = m.numpy.integers(0, 7, shape).astype(other)
    m.node("Pow", [m.given(m.values(shape, dtype)), m.given(exponents)])


def running(m):
    shape = m.shape(1, 3) if m.chance(70) else [m.between(100, 3000)]
    op, m.opset = m.one_of([("CumSum", 14), ("CumProd", 26)])
    dtype = m.one_of([FLOAT, numpy.int32, numpy.int64]) if op == "CumSum" else m.one_of([numpy.int32, numpy.int64])
    m.node(op, [m.given(m.values(shape, dtype)), m.known(m.between(-len(shape), len(shape) - 1))],
           exclusive=m.between(0, 1), reverse=m.between(0, 1))


def ngrams(m):
    lengths = [m.between(0, 3) for _ in range(m.between(1, 3))]
    if not sum(lengths):
        lengths[0] = 1
    pool, begins = [], []
    for length, count in enumerate(lengths, 1):
        begins.append(len(pool))
        grams = {tuple(m.between(0, 3) for _ in range(length)) for _ in range(count)}
        pool += [word for gram in sorted(grams) for word in gram]
        lengths[length - 1] = len(grams)
    total = sum(lengths)
    columns = m.random.sample(range(total + m.between(0, 2)), total)
    least = m.between(1, len(lengths))
    words = m.numpy.integers(0, 4, [m.between(1, 3), m.between(3, 12)] if m.chance(60) else [m.between(3, 12)])
    m.node("TfIdfVectorizer", [m.given(words.astype(m.one_of([numpy.int32, numpy.int64])))], mode="TF",
           min_gram_length=least, max_gram_length=m.between(least, len(lengths)), max_skip_count=m.between(0, 3),
           ngram_counts=begins, ngram_indexes=columns, pool_int64s=pool)


def mel(m):
    length, rate = m.one_of([16, 64, 256]), m.one_of([8000.0, 16000.0])
    weights = m.node("MelWeightMatrix", [m.known(m.between(1, 12), numpy.int64), m.known(length, numpy.int64),
                                         m.known(int(rate), numpy.int64), m.known(m.one_of([0.0, 64.0]), FLOAT),
                                         m.known(rate / m.one_of([2, 3]), FLOAT)], result=False)
    m.node("MatMul", [m.given(m.values([2, length // 2 + 1]), 5), weights])


def resize_integers(m):
    image = [m.between(1, 6) for _ in range(m.one_of([1, 2, 3]))]
    mode = m.one_of(["linear", "cubic"])
    data = m.numpy.integers(0, 256, [1] + image).astype(numpy.uint8)
    m.opset = 19
    m.node("Resize", [m.given(data, 5), "", "", m.known([1] + [d * m.between(1, 3) for d in image])], mode=mode,
           antialias=m.between(0, 1), coordinate_transformation_mode=m.one_of(["half_pixel", "asymmetric"]))


def norm(m):
    shape = m.shape(1)
    m.node("ReduceL2", [m.given(m.values(shape, m.one_of([FLOAT, numpy.int32]))), m.known([m.between(0, len(shape) - 1)])],
           keepdims=m.between(0, 1))


def sequence(m):
    shape = m.shape(1, 3)
    axis = m.between(0, len(shape) - 1)
    keep = m.between(0, 1)
    parts = m.node("SplitToSequence", [m.given(m.values(shape, m.one_of([FLOAT, *INTEGERS])), 5)], result=False, axis=axis,
                   keepdims=keep)
    first = m.node("SequenceAt", [parts, m.known(m.one_of([0, -1]))])
    longer = m.node("SequenceInsert", [parts, first] + ([m.known(m.between(0, shape[axis]))] if m.chance(60) else []),
                    result=False)
    if m.chance(40):
        longer = m.node("SequenceErase", [longer] + ([m.known(-1)] if m.chance(50) else []), result=False)
    m.node("SequenceLength", [longer])
    if keep or len(shape) > 1:
        m.node("ConcatFromSequence", [longer], axis=0, new_axis=0 if m.chance(50) else 1)


ALL = [deform_conv, grid_sample, grid_sample, det, bit_cast, power, running, ngrams, mel, resize_integers, norm]
