"""Scans, sorts and outputs of data-dependent size: CumSum, TopK, NonMaxSuppression, NonZero, Unique; and signal
transforms."""
import numpy


def running_sum(shape, axis, dtype="float32", **more):
    return lambda net: net.result(net.op("CumSum", net.input(shape, dtype), net.constant(axis, "int64"), **more), dtype)


def top(shape, count, axis, largest=1):
    def write(net):
        values, places = net.op("TopK", net.input(shape), net.integers(count), results=2, axis=axis, largest=largest)
        net.result(values)
        net.result(places, "int64")
    return write


def suppressed(classes, boxes, most, score):
    def write(net):
        corners = net.random.uniform(0, 600, (1, boxes, 2))
        given = net.given(numpy.concatenate([corners, corners + net.random.uniform(5, 120, (1, boxes, 2))], 2).astype("float32"))
        scores = net.input((1, classes, boxes), low=0, high=1)
        limits = [net.integers(most), net.constant([0.5], "float32"), net.constant([score], "float32")]
        net.result(net.op("NonMaxSuppression", given, scores, *limits), "int64")
    return write


def non_zero(shape):
    return lambda net: net.result(net.op("NonZero", net.input(shape, "bool")), "int64")


def unique(count, results):
    def write(net):
        names = net.op("Unique", net.input((count,), "int64", 0, count // 2), results=results)
        net.result(names if results == 1 else names[0], "int64")
        for each in names[2:] if results > 1 else ():
            net.result(each, "int64")
    return write


def compress(shape, axis):
    def write(net):
        net.result(net.op("Compress", net.input(shape), net.input((shape[axis],), "bool"), axis=axis))
    return write


def transform(length, **more):
    def write(net):
        net.result(net.op("DFT", net.input((1, length, 1)), axis=1, **more))
    return write


def short_transforms(samples, frame, step):
    def write(net):
        window = net.constant(numpy.hanning(frame), "float32")
        net.result(net.op("STFT", net.input((1, samples, 1)), net.constant(step, "int64"), window, net.constant(frame, "int64"), onesided=1))
    return write


def bins(shape):
    def write(net):
        edges = net.constant(numpy.linspace(-2, 2, 16), "float32")
        net.result(net.op("ReduceSum", net.op("Cast", net.op("Greater", net.op("Unsqueeze", net.input(shape), net.integers(-1)), edges), to=6),
                          net.integers(-1), keepdims=0), "int32")
    return write


def cases():
    for shape, axis in [((1, 1000), 1), ((512, 512), 1), ((8, 400, 64), 1), ((1, 128), 1), ((64, 4000), 1), ((1, 1, 56, 56), 2), ((1, 32, 64, 64), 3)]:
        name = f"cumsum_{'x'.join(map(str, shape))}_axis{axis}"
        yield name, running_sum(shape, axis)
        yield name + "_int64", running_sum(shape, axis, "int64")
    yield "cumsum_exclusive", running_sum((512, 512), 1, exclusive=1)
    yield "cumsum_reverse", running_sum((512, 512), 1, reverse=1)
    for shape, count, axis in [((1, 1000), 5, 1), ((1, 8400), 300, 1), ((1, 8400), 1, 1), ((1, 32000), 50, 1), ((128, 64), 8, 1), ((1, 300, 91), 1, 2),
                               ((1, 80, 400), 10, 1), ((8, 2000), 100, 1), ((1, 100), 100, 1), ((1, 64, 56), 2, 1), ((1, 159882), 1000, 1)]:
        yield f"topk_{'x'.join(map(str, shape))}_{count}_axis{axis}", top(shape, count, axis)
    yield "topk_least", top((1, 8400), 100, 1, 0)
    for classes, boxes, most, score in [(1, 8400, 100, 0.25), (80, 8400, 10, 0.9), (1, 1000, 200, 0.05), (20, 1000, 20, 0.5), (80, 100, 100, 0.3), (1, 100, 10, 0.5)]:
        yield f"nms_{classes}x{boxes}_{most}", suppressed(classes, boxes, most, score)
    for shape in [(1000,), (64, 128), (1, 1, 128, 128)]:
        yield f"nonzero_{'x'.join(map(str, shape))}", non_zero(shape)
    for count in (1000, 4000):
        yield f"unique_{count}", unique(count, 1)
        yield f"unique_inverse_{count}", unique(count, 4)
    for shape, axis in [((1000, 64), 0), ((64, 1000), 1)]:
        yield f"compress_{'x'.join(map(str, shape))}_axis{axis}", compress(shape, axis)
    for length in (256, 400, 512, 1000, 1024, 4096):
        yield f"dft_{length}", transform(length)
        yield f"dft_onesided_{length}", transform(length, onesided=1)
    for samples, frame, step in [(16000, 400, 160), (16000, 512, 128), (32000, 1024, 256), (22050, 2048, 512)]:
        yield f"stft_{samples}_{frame}_{step}", short_transforms(samples, frame, step)
    yield "bins_128x64", bins((128, 64))
