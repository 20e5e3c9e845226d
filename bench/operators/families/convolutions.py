"""Convolutions from real networks' layers: dense, grouped, depthwise, dilated, 1-D and 3-D."""

# channels, height, width, filters, kernel, stride
DENSE = [
    (3, 224, 224, 64, 7, 2), (3, 224, 224, 32, 3, 2), (3, 224, 224, 64, 3, 1), (3, 640, 640, 16, 6, 2), (1, 28, 28, 32, 3, 1),
    (64, 56, 56, 64, 3, 1), (64, 56, 56, 64, 1, 1), (64, 56, 56, 256, 1, 1), (256, 56, 56, 128, 1, 1), (128, 56, 56, 128, 3, 2),
    (128, 28, 28, 128, 3, 1), (128, 28, 28, 512, 1, 1), (256, 28, 28, 256, 3, 2), (256, 14, 14, 256, 3, 1), (1024, 14, 14, 256, 1, 1),
    (256, 14, 14, 1024, 1, 1), (512, 7, 7, 512, 3, 1), (512, 7, 7, 2048, 1, 1), (2048, 7, 7, 512, 1, 1), (16, 112, 112, 96, 1, 1),
    (96, 56, 56, 24, 1, 1), (24, 56, 56, 144, 1, 1), (144, 28, 28, 32, 1, 1), (192, 14, 14, 64, 1, 1), (384, 14, 14, 96, 1, 1),
    (960, 7, 7, 320, 1, 1), (320, 7, 7, 1280, 1, 1), (96, 27, 27, 256, 5, 1), (192, 35, 35, 64, 1, 1), (64, 17, 17, 192, 7, 1),
    (32, 149, 149, 32, 3, 1), (288, 35, 35, 384, 3, 2), (33, 30, 30, 65, 3, 1), (17, 40, 40, 17, 1, 1), (5, 64, 64, 7, 5, 1),
    (64, 128, 128, 3, 9, 1), (64, 128, 128, 3, 3, 1), (32, 256, 256, 2, 3, 1), (64, 56, 56, 1, 3, 1), (256, 1, 1, 64, 1, 1),
    (512, 1, 1, 512, 3, 1), (3, 224, 224, 768, 16, 16), (3, 224, 224, 1024, 14, 14), (3, 224, 224, 96, 4, 4), (192, 28, 28, 384, 2, 2),
    (1, 540, 960, 1, 3, 1), (1, 256, 256, 64, 3, 1), (64, 90, 160, 12, 3, 1), (128, 20, 20, 255, 1, 1), (256, 80, 80, 64, 1, 1),
    (512, 20, 20, 512, 3, 1), (128, 40, 40, 128, 3, 1), (64, 80, 80, 64, 3, 1), (4, 64, 64, 320, 3, 1), (320, 32, 32, 320, 3, 1)]
# channels, side, multiplier, kernel, stride
DEPTHWISE = [
    (32, 112, 1, 3, 1), (96, 112, 1, 3, 2), (144, 56, 1, 3, 1), (192, 28, 1, 3, 1), (384, 14, 1, 3, 1), (576, 14, 1, 3, 2),
    (960, 7, 1, 3, 1), (72, 56, 1, 5, 2), (120, 28, 1, 5, 1), (672, 14, 1, 5, 1), (96, 56, 1, 7, 1), (384, 14, 1, 7, 1),
    (128, 28, 1, 31, 1), (64, 56, 1, 9, 1), (33, 56, 3, 3, 1), (16, 56, 2, 3, 1), (7, 33, 1, 3, 1), (64, 14, 1, 13, 1),
    (32, 128, 1, 3, 2), (512, 32, 1, 3, 1), (1152, 7, 1, 5, 1), (240, 20, 1, 3, 1), (3, 128, 1, 21, 1), (1, 128, 4, 5, 1)]
# channels, side, filters, groups, kernel, stride
GROUPED = [
    (128, 56, 128, 32, 3, 1), (256, 28, 256, 32, 3, 1), (512, 14, 512, 32, 3, 1), (1024, 7, 1024, 32, 3, 1), (48, 56, 48, 2, 3, 1),
    (104, 28, 104, 13, 3, 2), (208, 14, 208, 26, 3, 1), (51, 28, 51, 3, 3, 1), (240, 28, 240, 3, 1, 1), (480, 14, 480, 8, 1, 1),
    (96, 27, 256, 2, 5, 1), (144, 28, 144, 3, 3, 2), (20, 40, 30, 5, 3, 1), (64, 56, 64, 16, 3, 1), (256, 14, 512, 4, 1, 1)]
# channels, side, filters, kernel, dilation
DILATED = [(64, 56, 64, 3, 2), (256, 28, 256, 3, 4), (512, 28, 512, 3, 2), (320, 14, 256, 3, 12), (256, 33, 256, 3, 18), (32, 64, 32, 3, 3)]
# channels, length, filters, kernel, stride, groups, dilation
ROWS = [
    (1, 16000, 64, 80, 4, 1, 1), (64, 4000, 64, 3, 1, 1, 1), (80, 3000, 384, 3, 1, 1, 1), (384, 3000, 384, 3, 2, 1, 1),
    (512, 800, 512, 3, 2, 1, 1), (768, 199, 768, 128, 1, 16, 1), (1, 16000, 1, 101, 1, 1, 1), (256, 200, 256, 15, 1, 256, 1),
    (512, 100, 512, 31, 1, 512, 1), (32, 1000, 32, 2, 1, 1, 8), (64, 1000, 64, 3, 1, 1, 64), (12, 1000, 64, 17, 1, 1, 1),
    (1, 8000, 257, 512, 128, 1, 1), (96, 512, 96, 4, 1, 96, 1), (40, 100, 64, 1, 1, 1, 1), (256, 64, 512, 5, 1, 1, 1)]
# channels, depth, side, filters, kernel, stride, groups
VOLUMES = [
    (3, 8, 112, 64, 3, 2, 1), (64, 8, 28, 64, 3, 1, 1), (128, 4, 14, 128, 3, 1, 1), (1, 32, 64, 16, 3, 1, 1), (16, 32, 32, 16, 3, 1, 1),
    (32, 16, 16, 64, 2, 2, 1), (64, 8, 28, 64, 3, 1, 64), (24, 16, 28, 54, 1, 1, 1), (256, 4, 7, 512, 1, 1, 1), (4, 16, 32, 4, 5, 1, 1)]


def convolve(net, data, filters, kernel, strides, groups=1, dilation=1, bias=True, pads=None):
    channels, rank = net.feed[data].shape[1], len(kernel)
    own = [dilation * (k - 1) // 2 for k in kernel] if pads is None else pads
    weight = net.weight((filters, channels // groups, *kernel))
    return net.op("Conv", data, weight, *([net.weight((filters,))] if bias else []), kernel_shape=list(kernel), strides=list(strides),
                  pads=own * 2, group=groups, dilations=[dilation] * rank)


def layer(shape, filters, kernel, strides, groups=1, dilation=1, then=(), pads=None):
    def write(net):
        value = convolve(net, net.input(shape), filters, kernel, strides, groups, dilation, pads=pads)
        for kind in then:
            value = net.op(kind, value)
        net.result(value)
    return write


def computed_weight(net):
    net.result(net.op("Conv", net.input((1, 32, 28, 28)), net.op("Mul", net.input((64, 32, 3, 3)), net.constant(0.1, "float32"))))


def cases():
    for c, h, w, m, k, s in DENSE:
        pads = [0, 0] if k == s else None
        yield f"conv_{c}x{h}x{w}_{m}_k{k}_s{s}", layer((1, c, h, w), m, (k, k), (s, s), pads=pads)
    for c, h, w, m, k, s in DENSE[5:20]:
        yield f"conv_relu_{c}x{h}x{w}_{m}_k{k}_s{s}", layer((1, c, h, w), m, (k, k), (s, s), then=["Relu"])
        if h < 30:
            yield f"conv_b4_{c}x{h}x{w}_{m}_k{k}_s{s}", layer((4, c, h, w), m, (k, k), (s, s))
    for kernel, pads in [((1, 7), [0, 3]), ((7, 1), [3, 0]), ((3, 1), [1, 0]), ((1, 3), [0, 1]), ((1, 11), [0, 5])]:
        yield f"conv_128x17_128_k{kernel[0]}x{kernel[1]}", layer((1, 128, 17, 17), 128, kernel, (1, 1), pads=pads)
        yield f"conv_dw_128x32_k{kernel[0]}x{kernel[1]}", layer((1, 128, 32, 32), 128, kernel, (1, 1), 128, pads=pads)
    for c, side, times, k, s in DEPTHWISE:
        yield f"conv_dw_{c}x{side}_x{times}_k{k}_s{s}", layer((1, c, side, side), c * times, (k, k), (s, s), c)
    for c, side, m, groups, k, s in GROUPED:
        yield f"conv_grouped_{c}x{side}_{m}_g{groups}_k{k}_s{s}", layer((1, c, side, side), m, (k, k), (s, s), groups)
    for c, side, m, k, d in DILATED:
        yield f"conv_dilated_{c}x{side}_{m}_k{k}_d{d}", layer((1, c, side, side), m, (k, k), (1, 1), dilation=d)
    for c, length, m, k, s, groups, d in ROWS:
        yield f"conv1d_{c}x{length}_{m}_k{k}_s{s}_g{groups}_d{d}", layer((1, c, length), m, (k,), (s,), groups, d)
    for c, depth, side, m, k, s, groups in VOLUMES:
        yield f"conv3d_{c}x{depth}x{side}_{m}_k{k}_s{s}_g{groups}", layer((1, c, depth, side, side), m, (k,) * 3, (s,) * 3, groups)
    for kind in ["Sigmoid", "HardSwish", "LeakyRelu", "Tanh", "Elu", "Softplus"]:
        yield f"conv_then_{kind.lower()}", layer((1, 64, 40, 40), 64, (3, 3), (1, 1), then=[kind])
    yield "conv_computed_weight", computed_weight
