"""Draws operators with windows over images, and operators that resize images."""
from drawing import FLOAT, numpy


def window(m, axes, image, padded=True):
    """The attributes of a window that fits the image, and the kernel's extents."""
    kernel = [m.between(1, min(3, d)) for d in image]
    attributes = {"strides": [m.between(1, 2) for _ in range(axes)] if m.chance(60) else None}
    if m.chance(30):
        attributes["auto_pad"] = m.one_of(["SAME_UPPER", "SAME_LOWER", "VALID"])
    elif padded and m.chance(60):
        attributes["pads"] = [m.between(0, k - 1) for k in kernel] + [m.between(0, k - 1) for k in kernel]
    return attributes, kernel


def image_of(m, axes):
    return [m.between(1, 2), m.between(1, 4)], [m.between(3, 9) for _ in range(axes)]


def conv(m):
    axes = m.one_of([1, 2, 2, 2, 3])
    (batch, channels), image = image_of(m, axes)
    attributes, kernel = window(m, axes, image)
    groups = channels if m.chance(25) else 1
    if m.chance(30) and "auto_pad" not in attributes:
        attributes["dilations"] = [2 if 2 * (k - 1) < d else 1 for k, d in zip(kernel, image)]
    out = groups * m.between(1, 3)
    inputs = [m.given(m.values([batch, channels] + image), 5), m.given(m.values([out, channels // groups] + kernel), 80)]
    if m.chance(50):
        inputs.append(m.given(m.values([out]), 70))
    m.node("Conv", inputs, group=groups, kernel_shape=m.one_of([kernel, None]), **attributes)


def conv_transpose(m):
    axes = m.one_of([1, 2, 2])
    (batch, channels), image = image_of(m, axes)
    kernel, strides = [m.between(1, 3) for _ in image], [m.between(1, 3) for _ in image]
    attributes = {"strides": strides}
    if m.chance(60):
        attributes["pads"] = [m.between(0, k - 1) for k in kernel] * 2
    if m.chance(40):
        attributes["output_padding"] = [m.between(0, s - 1) for s in strides]
    if m.chance(30):
        attributes["dilations"] = [m.between(1, 2) for _ in image]
    # The reference computes one channel of each group, and pads only one group.
    groups = channels if m.chance(30) and axes == 2 and "output_padding" not in attributes else 1
    out = m.between(1, 3) if groups == 1 else 1
    inputs = [m.given(m.values([batch, channels] + image), 5), m.given(m.values([channels, out] + kernel), 80)]
    if m.chance(50):
        inputs.append(m.given(m.values([out * groups]), 70))
    m.node("ConvTranspose", inputs, group=groups, **attributes)


def pool(m):
    axes = m.one_of([1, 2, 2, 3])
    (batch, channels), image = image_of(m, axes)
    op = m.one_of(["MaxPool", "AveragePool", "AveragePool"])
    attributes, kernel = window(m, axes, image)
    # The reference is wrong for padded max pools, for ceil mode with stride 1, and where padding counts.
    if op == "MaxPool":
        attributes = {"strides": attributes["strides"]}
    if "auto_pad" not in attributes and attributes["strides"] and min(attributes["strides"]) > 1:
        attributes["ceil_mode"] = m.between(0, 1)
    m.opset = 22
    if op == "AveragePool" and not attributes.get("ceil_mode"):
        attributes["count_include_pad"] = m.between(0, 1)
    m.node(op, [m.given(m.values([batch, channels] + image), 5)], kernel_shape=kernel, **attributes)


def whole_pool(m):
    axes = m.one_of([1, 2, 3])
    (batch, channels), image = image_of(m, axes)
    op = m.one_of(["GlobalAveragePool", "GlobalMaxPool"]) if axes == 2 else "GlobalAveragePool"
    m.node(op, [m.given(m.values([batch, channels] + image), 5)])


def resize(m):
    (batch, channels), image = image_of(m, m.one_of([1, 2, 2]))
    mode = m.one_of(["nearest", "nearest", "linear", "cubic"])
    attributes = {"mode": mode, "coordinate_transformation_mode": m.one_of(
        ["half_pixel", "pytorch_half_pixel", "asymmetric", "half_pixel_symmetric", "align_corners"])}
    if mode == "nearest":
        attributes["nearest_mode"] = m.one_of(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
    if mode == "cubic":
        attributes["cubic_coeff_a"] = m.one_of([-0.75, -0.5])
        attributes["exclude_outside"] = m.between(0, 1)
    if mode != "nearest" and m.chance(25):
        attributes["antialias"] = 1
    m.opset = 19
    data = m.given(m.values([batch, channels] + image), 5)
    if attributes["coordinate_transformation_mode"] != "align_corners" and m.chance(50):
        scales = [1.0, 1.0] + [m.one_of([2.0, 0.5, 1.5, 3.0, 2.5, 1.25]) for _ in image]
        m.node("Resize", [data, "", m.known(scales, FLOAT)], **attributes)
    else:
        sizes = [batch, channels] + [m.between(1, 2 * d) for d in image]
        m.node("Resize", [data, "", "", m.known(sizes)], **attributes)


def grid_sample(m):
    (batch, channels), image = image_of(m, 2)
    grid = (2.4 * m.numpy.random([batch, m.between(1, 5), m.between(1, 5), 2]) - 1.2).astype(FLOAT)
    if m.chance(40):  # halfway between pixels, and far outside
        grid = (m.numpy.integers(-16, 17, grid.shape) / 4).astype(FLOAT)
    m.opset = 20
    m.node("GridSample", [m.given(m.values([batch, channels] + image)), m.given(grid)],
           mode=m.one_of(["linear", "linear", "nearest"]), padding_mode=m.one_of(["zeros", "border", "reflection"]),
           align_corners=m.between(0, 1))


def normalisation(m):
    (batch, channels), image = image_of(m, m.one_of([1, 2]))
    data = m.given(m.values([batch, channels] + image), 5)
    scale, shift = (m.given(m.values([channels]), 80) for _ in range(2))
    kind = m.between(0, 5)
    if kind == 0:
        spread = m.known(numpy.abs(m.values([channels])) + 0.5, FLOAT)
        m.node("BatchNormalization", [data, scale, shift, m.known(m.values([channels]), FLOAT), spread])
    elif kind == 1:
        m.node("InstanceNormalization", [data, scale, shift], epsilon=0.1)
    elif kind == 2:
        shape = m.shape(2)
        axis = m.between(-len(shape), -1)
        scales = [m.given(m.values(shape[axis:]), 80) for _ in range(m.between(1, 2))]
        m.node("LayerNormalization", [m.given(m.values(shape)), *scales], axis=axis, epsilon=0.1)
    elif kind == 3:
        shape = m.shape(1)
        m.node("LpNormalization", [m.given(m.values(shape))], axis=m.between(-len(shape), -1), p=2)
    elif kind == 4:
        m.opset = 21
        groups = m.one_of([g for g in range(1, channels + 1) if channels % g == 0])
        m.node("GroupNormalization", [data, scale, shift], num_groups=groups, epsilon=0.1)
    else:
        m.opset = 23
        shape = m.shape(2)
        axis = m.between(-len(shape), -1)
        m.node("RMSNormalization", [m.given(m.values(shape)), m.given(m.values(shape[axis:]), 80)], axis=axis, epsilon=0.1)


ALL = [conv, conv, conv_transpose, pool, pool, whole_pool, resize, resize, grid_sample, normalisation, normalisation]
