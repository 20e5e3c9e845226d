"""Transposed convolutions: decoders, generators, upsamplers."""

# channels, spatial sizes, filters, kernel, stride, padding, output padding, groups, dilation
LAYERS = [
    (256, (16, 16), 128, 4, 2, 1, 0, 1, 1), (128, (32, 32), 64, 4, 2, 1, 0, 1, 1), (64, (64, 64), 3, 4, 2, 1, 0, 1, 1),
    (100, (1, 1), 512, 4, 1, 0, 0, 1, 1), (512, (4, 4), 256, 4, 2, 1, 0, 1, 1), (128, (28, 28), 64, 2, 2, 0, 0, 1, 1),
    (64, (56, 56), 32, 2, 2, 0, 0, 1, 1), (512, (14, 14), 256, 2, 2, 0, 0, 1, 1), (64, (56, 56), 32, 3, 2, 1, 1, 1, 1),
    (64, (56, 56), 32, 3, 2, 1, 0, 1, 1), (64, (56, 56), 32, 3, 2, 0, 0, 1, 1), (128, (28, 28), 64, 3, 2, 1, 1, 1, 1),
    (64, (40, 40), 64, 3, 1, 1, 0, 1, 1), (64, (40, 40), 64, 5, 1, 2, 0, 1, 1), (32, (64, 64), 16, 5, 2, 2, 1, 1, 1),
    (56, (90, 160), 1, 9, 3, 4, 0, 1, 1), (56, (90, 160), 1, 9, 4, 4, 3, 1, 1), (21, (16, 16), 21, 16, 8, 4, 0, 1, 1),
    (21, (28, 28), 21, 4, 2, 1, 0, 21, 1), (21, (32, 32), 21, 64, 32, 16, 0, 1, 1), (64, (28, 28), 64, 3, 2, 1, 1, 64, 1),
    (64, (28, 28), 64, 4, 2, 1, 0, 4, 1), (128, (28, 28), 128, 3, 2, 1, 1, 8, 1), (32, (28, 28), 32, 3, 1, 2, 0, 1, 2),
    (32, (28, 28), 16, 3, 2, 2, 1, 1, 2), (32, (28, 28), 16, 1, 2, 0, 0, 1, 1), (32, (28, 28), 16, 2, 3, 0, 0, 1, 1),
    (32, (28, 28), 16, 2, 4, 0, 0, 1, 1), (33, (17, 19), 7, 3, 2, 1, 1, 1, 1), (256, (20, 20), 256, 2, 2, 0, 0, 1, 1),
    (128, (14, 14), 64, 8, 4, 2, 0, 1, 1), (3, (64, 64), 3, 4, 2, 1, 0, 3, 1), (192, (8, 8), 96, 5, 2, 2, 1, 1, 1),
    (512, (100,), 256, 16, 8, 4, 0, 1, 1), (256, (800,), 128, 16, 8, 4, 0, 1, 1), (128, (6400,), 64, 4, 2, 1, 0, 1, 1),
    (64, (12800,), 32, 4, 2, 1, 0, 1, 1), (64, (1000,), 64, 4, 2, 1, 0, 64, 1), (32, (1000,), 32, 7, 3, 2, 0, 4, 1),
    (32, (500,), 1, 20, 10, 0, 0, 1, 1), (256, (64,), 128, 3, 1, 1, 0, 1, 1), (512, (200,), 1, 512, 128, 0, 0, 1, 1),
    (64, (8, 8, 8), 32, 2, 2, 0, 0, 1, 1), (32, (8, 16, 16), 16, 3, 2, 1, 1, 1, 1), (16, (8, 16, 16), 16, 4, 2, 1, 0, 1, 1),
    (16, (8, 16, 16), 16, 3, 2, 1, 1, 16, 1)]


def transposed(c, sizes, m, k, s, p, more, groups, dilation, then=None, computed=False):
    def write(net):
        rank = len(sizes)
        data = net.input((1, c, *sizes))
        shape = (c, m // groups, *(k,) * rank)
        weight = net.op("Mul", net.input(shape), net.constant(0.1, "float32")) if computed else net.weight(shape)
        value = net.op("ConvTranspose", data, weight, net.weight((m,)), strides=[s] * rank, pads=[p] * 2 * rank, group=groups,
                       output_padding=[more] * rank, dilations=[dilation] * rank, kernel_shape=[k] * rank)
        net.result(net.op(then, value) if then else value)
    return write


def cases():
    for c, sizes, m, k, s, p, more, groups, d in LAYERS:
        name = f"{len(sizes)}d_{c}x{'x'.join(map(str, sizes))}_{m}_k{k}_s{s}_p{p}_o{more}_g{groups}_d{d}"
        yield f"convtranspose_{name}", transposed(c, sizes, m, k, s, p, more, groups, d)
    for k, s, p in [(4, 2, 1), (3, 2, 1), (2, 2, 0)]:
        yield f"convtranspose_relu_64x32_k{k}", transposed(64, (32, 32), 32, k, s, p, 0, 1, 1, "Relu")
        yield f"convtranspose_computed_64x32_k{k}", transposed(64, (32, 32), 32, k, s, p, 0, 1, 1, computed=True)
