"""Data movement: transposes, concatenations, slices, pads, gathers, scatters, resizes, samples."""
import numpy

TRANSPOSES = [((1, 128, 12, 64), (0, 2, 1, 3)), ((1, 12, 128, 64), (0, 2, 1, 3)), ((1, 12, 128, 64), (0, 1, 3, 2)), ((512, 512), (1, 0)),
              ((1, 64, 56, 56), (0, 2, 3, 1)), ((1, 56, 56, 64), (0, 3, 1, 2)), ((1, 3, 224, 224), (0, 2, 3, 1)), ((1, 224, 224, 3), (0, 3, 1, 2)),
              ((1, 4, 8400), (0, 2, 1)), ((1, 8, 7, 8, 7, 96), (0, 1, 3, 2, 4, 5)), ((33, 65), (1, 0)), ((1, 2, 116, 28, 28), (0, 2, 1, 3, 4)),
              ((400, 1, 256), (1, 0, 2))]
CONCATS = [(((1, 64, 56, 56), (1, 64, 56, 56)), 1), (((1, 256, 20, 20),) * 4, 1), (((1, 4, 8400), (1, 80, 8400)), 1),
           (((1, 128, 768), (1, 1, 768)), 1), (((8, 32, 28, 28), (8, 32, 28, 28)), 1), (((1, 12, 127, 64), (1, 12, 1, 64)), 2),
           (((1, 128, 64), (1, 128, 64)), -1), (((128, 3), (128, 5)), -1), (((16,),) * 8, 0)]
SPLITS = [((1, 128, 2304), 2, 3), ((1, 64, 56, 56), 1, 2), ((1, 256), 1, 4), ((1, 144, 8400), 1, 9), ((8, 116, 28, 28), 1, 2), ((1, 8400, 6), 2, 6)]
SLICES = [((1, 64, 56, 56), (2, 3), (0, 0), (56, 56), (2, 2)), ((1, 3, 640, 640), (2, 3), (1, 0), (640, 640), (2, 2)),
          ((1, 197, 768), (1,), (0,), (1,), (1,)), ((1, 128, 768), (2,), (0,), (384,), (1,)), ((1, 58, 56, 56), (1,), (29,), (58,), (1,)),
          ((1, 64, 56, 56), (3,), (55,), (-1000,), (-1,)), ((1, 12, 128, 64), (3,), (0,), (64,), (2,)), ((1, 64, 56, 56), (2, 3), (3, 3), (53, 53), (1, 1))]
PADS = [((1, 64, 56, 56), (0, 0, 1, 1, 0, 0, 1, 1)), ((1, 3, 224, 224), (0, 0, 3, 3, 0, 0, 3, 3)), ((1, 56, 56, 96), (0, 0, 0, 0, 0, 1, 1, 0)),
        ((1, 1, 16000), (0, 0, 256, 0, 0, 256)), ((1, 64, 50, 50), (0, 16, 0, 0, 0, 16, 0, 0))]
GATHERS = [((30522, 768), (1, 128), 0), ((32000, 1024), (1, 1), 0), ((1, 197, 768), (), 1), ((1, 128, 768), (64,), 1), ((1, 64, 56, 56), (32,), 1),
           ((1, 64, 400), (100,), 2), ((169, 3), (2401,), 0), ((1, 8400, 4), (1, 300), 1)]
KINDS = ["uint8", "int8", "int64", "float16", "bool"]


def text(shape):
    return "x".join(map(str, shape)) if shape else "scalar"


def transpose(shape, order, dtype="float32"):
    return lambda net: net.result(net.op("Transpose", net.input(shape, dtype), perm=list(order)), dtype)


def concat(shapes, axis, dtype="float32"):
    return lambda net: net.result(net.op("Concat", *(net.input(shape, dtype) for shape in shapes), axis=axis), dtype)


def split(shape, axis, parts):
    def write(net):
        sizes = net.integers(*[shape[axis] // parts] * parts)
        for each in net.op("Split", net.input(shape), sizes, results=parts, axis=axis):
            net.result(each)
    return write


def cut(shape, axes, starts, ends, steps, dtype="float32"):
    return lambda net: net.result(net.op("Slice", net.input(shape, dtype), *(net.integers(*each) for each in (starts, ends, axes, steps))), dtype)


def pad(shape, amounts, mode, dtype="float32"):
    return lambda net: net.result(net.op("Pad", net.input(shape, dtype), net.integers(*amounts), mode=mode), dtype)


def gather(shape, index_shape, axis, stored, dtype="float32"):
    def write(net):
        data = net.weight(shape) if len(shape) == 2 else net.input(shape, dtype)
        index = (net.weight if stored else net.input)(index_shape, "int64", 0, shape[axis])
        net.result(net.op("Gather", data, index, axis=axis), dtype)
    return write


def gather_elements(shape, length, axis):
    def write(net):
        places = (*shape[:axis], length, *shape[axis + 1:])
        net.result(net.op("GatherElements", net.input(shape), net.input(places, "int64", 0, shape[axis]), axis=axis))
    return write


def gather_nd(shape, count, depth):
    def write(net):
        places = numpy.stack([net.random.integers(0, shape[d], count) for d in range(depth)], -1)
        net.result(net.op("GatherND", net.input(shape), net.given(places)))
    return write


def scatter_elements(shape, length, axis, stored, reduction="none"):
    def write(net):
        places = numpy.argsort(net.random.random(shape), axis)[(slice(None),) * axis + (slice(0, length),)]
        index = net.constant(places, "int64") if stored else net.given(places.astype("int64"))
        net.result(net.op("ScatterElements", net.input(shape), index, net.input(places.shape), axis=axis, reduction=reduction))
    return write


def scatter_nd(shape, count, stored, reduction="none"):
    def write(net):
        places = net.random.permutation(shape[0])[:count].reshape(-1, 1)
        index = net.constant(places, "int64") if stored else net.given(places.astype("int64"))
        net.result(net.op("ScatterND", net.input(shape), index, net.input((count, *shape[1:])), reduction=reduction))
    return write


def resize(shape, sizes, mode, transform, dtype="float32", **more):
    def write(net):
        more_inputs = [net.constant(numpy.zeros(0), "float32"), net.constant(numpy.zeros(0), "float32"), net.integers(*shape[:2], *sizes)]
        net.result(net.op("Resize", net.input(shape, dtype, **({} if dtype == "float32" else {"low": 0, "high": 255})), *more_inputs, mode=mode,
                          coordinate_transformation_mode=transform, **more), dtype)
    return write


def resize_and_add(channels, side):
    def write(net):
        scales = net.constant([1, 1, 2, 2], "float32")
        up = net.op("Resize", net.input((1, channels, side, side)), "", scales, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        net.result(net.op("Add", up, net.input((1, channels, 2 * side, 2 * side))))
    return write


def grid_sample(c, side, count, mode, padding):
    def write(net):
        grid = net.input((1, count, count, 2), low=-1.1, high=1.1)
        net.result(net.op("GridSample", net.input((1, c, side, side)), grid, mode=mode, padding_mode=padding, align_corners=0))
    return write


def roi_align(mode):
    def write(net):
        corners = net.random.uniform(0, 100, (64, 2))
        boxes = net.given(numpy.concatenate([corners, corners + net.random.uniform(10, 90, (64, 2))], 1).astype("float32"))
        batch = net.given(numpy.zeros(64, "int64"))
        net.result(net.op("RoiAlign", net.input((1, 64, 50, 50)), boxes, batch, mode=mode, output_height=7, output_width=7, sampling_ratio=2, spatial_scale=0.25))
    return write


def blocks(kind, shape, size, **more):
    return lambda net: net.result(net.op(kind, net.input(shape), blocksize=size, **more))


def channel_shuffle(c, side, groups):
    def write(net):
        data = net.op("Reshape", net.input((1, c, side, side)), net.integers(1, groups, c // groups, side, side))
        net.result(net.op("Reshape", net.op("Transpose", data, perm=[0, 2, 1, 3, 4]), net.integers(1, c, side, side)))
    return write


def windows(side, size, c):
    def write(net):
        n = side // size
        data = net.op("Reshape", net.input((1, side, side, c)), net.integers(1, n, size, n, size, c))
        net.result(net.op("Reshape", net.op("Transpose", data, perm=[0, 1, 3, 2, 4, 5]), net.integers(n * n, size * size, c)))
    return write


def rolled(side, shift, c):
    def write(net):
        data = net.input((1, side, side, c))
        for axis in (1, 2):
            ends = [(shift, side), (0, shift)]
            data = net.op("Concat", *(net.op("Slice", data, net.integers(a), net.integers(b), net.integers(axis)) for a, b in ends), axis=axis)
        net.result(data)
    return write


def expand(shape, to):
    return lambda net: net.result(net.op("Expand", net.input(shape), net.integers(*to)))


def tile(shape, repeats):
    return lambda net: net.result(net.op("Tile", net.input(shape), net.integers(*repeats)))


def reverse_sequence(net):
    net.result(net.op("ReverseSequence", net.input((100, 8, 256)), net.input((8,), "int64", 1, 100), time_axis=0, batch_axis=1))


def one_hot(net):
    net.result(net.op("OneHot", net.input((1, 128), "int64", 0, 1000), net.integers(1000), net.constant([0, 1], "float32")))


def triangle(upper):
    return lambda net: net.result(net.op("Trilu", net.input((12, 128, 128)), upper=upper))


def eye_like(net):
    net.result(net.op("EyeLike", net.input((512, 512))))


def cases():
    for shape, order in TRANSPOSES:
        yield f"transpose_{text(shape)}_{text(order)}", transpose(shape, order)
    for shape, order in TRANSPOSES[3:6]:
        for dtype in KINDS:
            yield f"transpose_{dtype}_{text(shape)}_{text(order)}", transpose(shape, order, dtype)
    for shapes, axis in CONCATS:
        yield f"concat_{len(shapes)}_{text(shapes[0])}_{text(shapes[1])}_axis{axis}", concat(shapes, axis)
    for dtype in KINDS:
        yield f"concat_{dtype}", concat(((1, 64, 56, 56),) * 2, 1, dtype)
        yield f"slice_{dtype}", cut(*SLICES[7], dtype)
    for dtype in ("uint8", "int8", "int64"):
        yield f"pad_{dtype}", pad((1, 64, 56, 56), (0, 0, 1, 1, 0, 0, 1, 1), "constant", dtype)
    for shape, axis, parts in SPLITS:
        yield f"split_{text(shape)}_axis{axis}_{parts}", split(shape, axis, parts)
    for arguments in SLICES:
        yield f"slice_{text(arguments[0])}_{text(arguments[1])}_{text(arguments[2])}_step{text(arguments[4])}", cut(*arguments)
    for shape, amounts in PADS:
        for mode in ("constant", "reflect", "edge"):
            if mode == "constant" or max(amounts) < 10:
                yield f"pad_{mode}_{text(shape)}_{max(amounts)}", pad(shape, amounts, mode)
    for shape, index_shape, axis in GATHERS:
        for stored in (False, True):
            yield f"gather_{text(shape)}_{text(index_shape)}_axis{axis}{'_stored' if stored else ''}", gather(shape, index_shape, axis, stored)
    for shape, length, axis in [((1, 8400, 80), 300, 1), ((1, 12, 128, 255), 128, 3), ((128, 1000), 1, 1), ((1000, 64), 100, 0)]:
        yield f"gatherelements_{text(shape)}_{length}_axis{axis}", gather_elements(shape, length, axis)
    for shape, count, depth in [((1, 8400, 85), 300, 2), ((64, 56, 56), 1000, 3), ((1000, 256), 100, 1)]:
        yield f"gathernd_{text(shape)}_{count}_{depth}", gather_nd(shape, count, depth)
    for stored in (False, True):
        tail = "_stored" if stored else ""
        for shape, length, axis in [((128, 256), 64, 1), ((1000, 64), 100, 0), ((1, 8, 512, 64), 1, 2)]:
            yield f"scatterelements_{text(shape)}_{length}_axis{axis}{tail}", scatter_elements(shape, length, axis, stored)
        for shape, count in [((1000, 256), 100), ((512, 8, 64), 1), ((8400, 85), 300), ((100000,), 1000)]:
            yield f"scatternd_{text(shape)}_{count}{tail}", scatter_nd(shape, count, stored)
    yield "scatterelements_add", scatter_elements((1000, 64), 100, 0, False, "add")
    yield "scatternd_add", scatter_nd((1000, 256), 100, False, "add")
    for shape, sizes in [((1, 64, 28, 28), (56, 56)), ((1, 256, 20, 20), (40, 40)), ((1, 3, 720, 1280), (224, 224)), ((1, 21, 33, 33), (513, 513)),
                         ((1, 64, 56, 56), (28, 28)), ((1, 32, 17, 23), (40, 31))]:
        for mode, transform, more in [("nearest", "asymmetric", {"nearest_mode": "floor"}), ("linear", "half_pixel", {}), ("linear", "align_corners", {})]:
            yield f"resize_{mode}_{transform}_{text(shape)}_{text(sizes)}", resize(shape, sizes, mode, transform, **more)
    for shape, sizes in [((1, 64, 28, 28), (56, 56)), ((1, 3, 128, 128), (256, 256))]:
        yield f"resize_cubic_{text(shape)}", resize(shape, sizes, "cubic", "half_pixel")
        yield f"resize_nearest_uint8_{text(shape)}", resize(shape, sizes, "nearest", "asymmetric", "uint8", nearest_mode="floor")
        yield f"resize_nearest_half_{text(shape)}", resize(shape, sizes, "nearest", "half_pixel")
    for c, side in [(256, 20), (256, 40), (64, 80)]:
        yield f"resize_and_add_{c}x{side}", resize_and_add(c, side)
    for c, side, count in [(64, 56, 56), (256, 32, 16), (3, 224, 224)]:
        for mode, padding in [("bilinear", "zeros"), ("bilinear", "border"), ("nearest", "zeros")]:
            yield f"gridsample_{c}x{side}_{count}_{mode}_{padding}", grid_sample(c, side, count, mode, padding)
    for mode in ("avg", "max"):
        yield f"roialign_{mode}", roi_align(mode)
    for shape, size in [((1, 256, 28, 28), 2), ((1, 12, 128, 128), 2), ((1, 64, 56, 56), 4)]:
        for mode in ("DCR", "CRD"):
            yield f"depthtospace_{text(shape)}_{size}_{mode}", blocks("DepthToSpace", shape, size, mode=mode)
        yield f"spacetodepth_{text(shape)}_{size}", blocks("SpaceToDepth", shape, size if shape[2] % size == 0 else 1)
    for c, side, groups in [(116, 28, 2), (232, 14, 2), (240, 28, 3)]:
        yield f"channel_shuffle_{c}x{side}_{groups}", channel_shuffle(c, side, groups)
    for side, size, c in [(56, 7, 96), (28, 7, 192), (64, 8, 48)]:
        yield f"windows_{side}_{size}_{c}", windows(side, size, c)
    for side, shift, c in [(56, 3, 96), (28, 3, 192)]:
        yield f"rolled_{side}_{c}", rolled(side, shift, c)
    for shape, to in [((1, 1, 128), (1, 128, 128)), ((1, 64, 1, 1), (1, 64, 56, 56)), ((1, 8, 1, 64, 64), (1, 8, 4, 64, 64)), ((128, 1), (128, 768))]:
        yield f"expand_{text(shape)}_{text(to)}", expand(shape, to)
    for shape, repeats in [((1, 64, 28, 28), (1, 1, 2, 2)), ((1, 128, 64), (1, 1, 8)), ((1, 1, 512), (1, 100, 1))]:
        yield f"tile_{text(shape)}_{text(repeats)}", tile(shape, repeats)
    for write in (reverse_sequence, one_hot, eye_like):
        yield write.__name__, write
    for upper in (0, 1):
        yield f"triangle_{'upper' if upper else 'lower'}", triangle(upper)
