"""Pools over windows and over whole images."""

# channels, height, width, kernel, stride, padding
WINDOWS = [
    (64, 112, 112, 3, 2, 1), (64, 112, 112, 2, 2, 0), (192, 28, 28, 3, 1, 1), (256, 56, 56, 3, 2, 0), (512, 14, 14, 3, 1, 1),
    (512, 20, 20, 5, 1, 2), (256, 20, 20, 9, 1, 4), (256, 20, 20, 13, 1, 6), (64, 56, 56, 5, 1, 2), (64, 56, 56, 7, 1, 3),
    (288, 35, 35, 3, 1, 1), (33, 57, 57, 3, 2, 1), (1, 512, 512, 3, 1, 1), (16, 128, 128, 4, 4, 0), (64, 32, 32, 11, 1, 5),
    (3, 224, 224, 31, 1, 15), (1024, 14, 14, 2, 2, 0), (96, 55, 55, 3, 2, 0)]


def pool(kind, shape, k, s, p, dtype="float32", **more):
    def write(net):
        rank = len(shape) - 2
        low = {} if dtype == "float32" else {"low": 0 if dtype == "uint8" else -100, "high": 100}
        data = net.input(shape, dtype, **low)
        net.result(net.op(kind, data, kernel_shape=[k] * rank, strides=[s] * rank, pads=[p] * 2 * rank, **more), dtype)
    return write


def whole(kind, shape):
    return lambda net: net.result(net.op(kind, net.input(shape)))


def cases():
    for c, h, w, k, s, p in WINDOWS:
        name = f"{c}x{h}x{w}_k{k}_s{s}_p{p}"
        yield f"maxpool_{name}", pool("MaxPool", (1, c, h, w), k, s, p)
        yield f"averagepool_{name}", pool("AveragePool", (1, c, h, w), k, s, p)
        if p:
            yield f"averagepool_included_{name}", pool("AveragePool", (1, c, h, w), k, s, p, count_include_pad=1)
    for k, s, p, d in [(3, 1, 2, 2), (3, 2, 2, 2), (2, 1, 1, 3)]:
        yield f"maxpool_dilated_64x56_k{k}_s{s}_d{d}", pool("MaxPool", (1, 64, 56, 56), k, s, p, dilations=[d, d])
    for k, s in [(3, 2), (2, 2)]:
        yield f"maxpool_ceil_64x57_k{k}", pool("MaxPool", (1, 64, 57, 57), k, s, 0, ceil_mode=1)
        yield f"averagepool_ceil_64x57_k{k}", pool("AveragePool", (1, 64, 57, 57), k, s, 0, ceil_mode=1)
    for dtype in ("uint8", "int8"):
        for k, s, p in [(3, 2, 1), (2, 2, 0), (5, 1, 2)]:
            yield f"maxpool_{dtype}_64x56_k{k}", pool("MaxPool", (1, 64, 56, 56), k, s, p, dtype)
    for c, length, k, s in [(64, 1000, 3, 2), (64, 1000, 25, 1), (1, 16000, 400, 160), (128, 500, 2, 2)]:
        for kind in ("MaxPool", "AveragePool"):
            yield f"{kind.lower()}1d_{c}x{length}_k{k}_s{s}", pool(kind, (1, c, length), k, s, 0)
    for c, d, side, k, s, p in [(64, 8, 28, 2, 2, 0), (64, 8, 28, 3, 2, 1), (16, 16, 32, 3, 1, 1)]:
        for kind in ("MaxPool", "AveragePool"):
            yield f"{kind.lower()}3d_{c}x{d}x{side}_k{k}_s{s}", pool(kind, (1, c, d, side, side), k, s, p)
    for shape in [(1, 512, 7, 7), (1, 2048, 7, 7), (1, 64, 112, 112), (8, 256, 14, 14), (1, 256, 400), (1, 64, 8, 14, 14)]:
        for kind in ("GlobalMaxPool", "GlobalAveragePool"):
            yield f"{kind.lower()}_{'x'.join(map(str, shape))}", whole(kind, shape)
    for k in (2, 3):
        yield f"lppool_64x56_k{k}", pool("LpPool", (1, 64, 56, 56), k, 2, 0)
