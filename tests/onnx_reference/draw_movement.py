"""Draws operators that move elements, and operators whose results follow from shapes."""
from drawing import FLOAT, INTEGERS, numpy, onnx_type


def any_type(m):
    return m.one_of([FLOAT, FLOAT, *INTEGERS, numpy.bool_])


def reshape(m):
    shape, dtype = m.shape(1), any_type(m)
    data = m.given(m.values(shape, dtype))
    kind = m.between(0, 4)
    if kind == 0:
        wanted = list(shape)
        wanted[m.between(0, len(shape) - 1)] = m.one_of([-1, 0])
        m.node("Reshape", [data, m.known(wanted)])
    elif kind == 1:
        m.node("Flatten", [data], axis=m.between(-len(shape), len(shape)))
    elif kind == 2:
        rank = len(shape) + 2
        axes = m.random.sample(range(rank), 2)
        m.node("Unsqueeze", [data, m.known([a - rank if m.chance(30) else a for a in axes])])
    elif kind == 3:
        ones = [i for i, d in enumerate(shape) if d == 1]
        m.node("Squeeze", [data] + ([m.known(ones)] if ones and m.chance(60) else []))
    else:
        m.node("Transpose", [data], perm=m.one_of([None, m.random.sample(range(len(shape)), len(shape))]))


def join(m):
    shape, dtype = m.shape(1), any_type(m)
    axis = m.between(0, len(shape) - 1)
    if m.chance(50):
        parts = [m.values(shape[:axis] + [m.between(1, 4)] + shape[axis + 1:], dtype) for _ in range(m.between(1, 4))]
        m.node("Concat", [m.given(p) for p in parts], axis=axis - len(shape) if m.chance(40) else axis)
        return
    sizes = [m.between(1, 3) for _ in range(m.between(1, 4))]
    shape[axis] = sum(sizes)
    data = m.given(m.values(shape, dtype))
    if m.chance(40):
        m.node("Split", [data], -(-shape[axis] // -(-shape[axis] // len(sizes))), axis=axis,
               num_outputs=-(-shape[axis] // -(-shape[axis] // len(sizes))))
    else:
        m.node("Split", [data, m.known(sizes)], len(sizes), axis=axis)


def slices(m):
    shape, dtype = m.shape(1), any_type(m)
    axes = m.random.sample(range(len(shape)), m.between(1, len(shape)))
    starts, ends, steps = [], [], []
    for axis in axes:
        d = shape[axis]
        step = m.one_of([1, 1, 2, 3, -1, -2, 2**63 - 1, -(2**63)])
        starts.append(m.one_of([0, -d, d - 1, -1, m.between(-d, d), -1000, 1000]))
        ends.append(m.one_of([d, -d - 1, 1000, -1000, 2**63 - 1, -(2**63), m.between(-d, d)]))
        if len(range(*slice(starts[-1], ends[-1], step).indices(d))) == 0:
            starts[-1], ends[-1] = (0, d) if step > 0 else (d - 1, -d - 1)
        steps.append(step)
    named = [a - len(shape) if m.chance(30) else a for a in axes]
    m.node("Slice", [m.given(m.values(shape, dtype))] + [m.known(v) for v in (starts, ends, named, steps)])


def expand(m):
    shape, dtype = m.shape(1), any_type(m)
    data = m.given(m.values(shape, dtype))
    if m.chance(50):
        wanted = [m.between(2, 4) if d == 1 and m.chance(60) else m.one_of([1, d]) for d in shape]
        m.node("Expand", [data, m.known([m.between(1, 3)] * m.between(0, 1) + wanted)])
    else:
        m.node("Tile", [data, m.known([m.between(1, 3) for _ in shape])])


def pad(m):
    shape, dtype = m.shape(1, 4), m.one_of([FLOAT, FLOAT, *INTEGERS])
    mode = m.one_of(["constant", "constant", "reflect", "edge", "wrap"])
    m.opset = 19 if mode == "wrap" else 18
    most = [3 if mode in ("constant", "edge") else d - 1 for d in shape]
    axes = m.random.sample(range(len(shape)), m.between(1, len(shape))) if m.chance(40) else list(range(len(shape)))
    pads = [m.between(0, most[a]) for a in axes] + [m.between(0, most[a]) for a in axes]
    if mode == "constant" and m.chance(25) and shape[axes[0]] > 1:
        pads[0] = -1
    value = m.known(m.values([1], dtype)[0], dtype) if mode == "constant" and m.chance(60) else ""
    inputs = [m.given(m.values(shape, dtype)), m.known(pads), value]
    if len(axes) < len(shape) or m.chance(20):
        inputs.append(m.known([a - len(shape) if m.chance(30) else a for a in axes]))
    m.node("Pad", inputs, mode=mode)


def space(m):
    size, shape = m.between(1, 3), [m.between(1, 2), m.between(1, 3), m.between(1, 4), m.between(1, 4)]
    if m.chance(50):
        shape[1] *= size * size
        m.node("DepthToSpace", [m.given(m.values(shape))], blocksize=size, mode=m.one_of(["DCR", "CRD"]))
    else:
        shape[2:] = [d * size for d in shape[2:]]
        m.node("SpaceToDepth", [m.given(m.values(shape))], blocksize=size)


def gather(m):
    shape, dtype = m.shape(1), any_type(m)
    axis = m.between(-len(shape), len(shape) - 1)
    d = shape[axis]
    index_type = m.one_of([numpy.int64, numpy.int32])
    data = m.given(m.values(shape, dtype))
    kind = m.between(0, 2)
    if kind == 0:
        indices = m.numpy.integers(-d, d, m.shape(0, 2)).astype(index_type)
        m.node("Gather", [data, m.given(indices, 60)], axis=axis)
    elif kind == 1:
        where = list(shape)
        where[axis] = m.between(1, 5)
        m.node("GatherElements", [data, m.given(m.numpy.integers(-d, d, where).astype(index_type), 50)], axis=axis)
    else:
        batch = m.between(0, len(shape) - 1)
        depth = m.between(1, len(shape) - batch)
        where = shape[:batch] + m.shape(0, 2) + [depth]
        parts = [m.numpy.integers(-shape[batch + i], shape[batch + i], where[:-1]) for i in range(depth)]
        indices = numpy.stack(parts, -1).astype(numpy.int64)
        m.node("GatherND", [data, m.given(indices, 50)], batch_dims=batch)


def scatter(m):
    shape, dtype = m.shape(1), m.one_of([FLOAT, numpy.int32, numpy.int64])
    how = "none" if m.special and dtype is FLOAT else m.one_of(["none", "add", "mul", "max", "min"])
    data = m.given(m.values(shape, dtype))
    axis = m.between(0, len(shape) - 1)
    if m.chance(50):
        where = [m.between(1, d) for d in shape]
        columns = [m.numpy.permutation(shape[axis])[:where[axis]] for _ in range(int(numpy.prod(where)) // where[axis])]
        rest = where[:axis] + where[axis + 1:]
        indices = numpy.moveaxis(numpy.array(columns).reshape(rest + [where[axis]]), -1, axis).astype(numpy.int64)
        if how != "none":
            indices = m.numpy.integers(-shape[axis], shape[axis], where)
        m.node("ScatterElements", [data, m.given(indices, 40), m.given(m.values(where, dtype))], axis=axis, reduction=how)
        return
    depth = m.between(1, len(shape))
    places = int(numpy.prod(shape[:depth]))
    picked = m.random.sample(range(places), m.between(1, min(places, 4)))
    indices = numpy.stack(numpy.unravel_index(picked, shape[:depth]), -1).astype(numpy.int64)
    if how != "none" and m.chance(50):
        indices = numpy.concatenate([indices, indices[:1]])
    updates = m.values([len(indices)] + shape[depth:], dtype)
    m.node("ScatterND", [data, m.given(indices, 40), m.given(updates)], reduction=how)


def patterns(m):
    kind = m.between(0, 8)
    if kind == 0:
        m.node("Trilu", [m.given(m.values(m.shape(2), m.one_of([FLOAT, numpy.int64]))), m.known(m.between(-3, 3))],
               upper=m.between(0, 1))
    elif kind == 1:
        depth = m.between(1, 6)
        indices = m.numpy.integers(-depth - 1, depth + 1, m.shape(1, 3)).astype(m.one_of([numpy.int64, numpy.int32, FLOAT]))
        m.node("OneHot", [m.given(indices), m.known([depth]), m.given(m.values([2], m.one_of([FLOAT, numpy.int64])))],
               axis=m.between(-indices.ndim - 1, indices.ndim))
    elif kind == 2:
        m.node("EyeLike", [m.given(m.values(m.shape(2, 2), m.one_of([FLOAT, numpy.int32])), 0)], k=m.between(-3, 3),
               dtype=onnx_type(m.one_of([FLOAT, numpy.int64, numpy.int32])))
    elif kind == 3:
        dtype = m.one_of([FLOAT, numpy.int32, numpy.int64])
        start, step = m.between(-9, 9), m.one_of([1, 2, -1, -3, 5])
        m.node("Range", [m.known(v, dtype) for v in (start, start + step * m.between(0, 7) + m.between(0, 1), step)])
    elif kind == 4:
        m.node("Shape", [m.given(m.values(m.shape(2)), 0)], start=m.one_of([None, 0, 1, -2]),
               end=m.one_of([None, 2, 9]))
        m.node("Size", [m.given(m.values(m.shape()), 0)])
    elif kind == 5:
        shape = m.shape(2, 3)
        m.node("CenterCropPad", [m.given(m.values(shape)), m.known([m.between(1, 8) for _ in shape])])
    elif kind == 6:
        time, batch = m.between(1, 6), m.between(1, 4)
        axes = m.random.sample([0, 1], 2)
        shape = [time, batch] if axes == [0, 1] else [batch, time]
        lengths = m.numpy.integers(1, time + 1, [batch])
        m.node("ReverseSequence", [m.given(m.values(shape + m.shape(0, 2))), m.given(lengths, 50)], time_axis=axes[0],
               batch_axis=axes[1])
    elif kind == 7:
        shape, axis = m.shape(1, 3), None
        if m.chance(60):
            axis = m.between(0, len(shape) - 1)
        count = int(numpy.prod(shape)) if axis is None else shape[axis]
        keep = m.values([m.between(1, count)], numpy.bool_)
        keep[0] = True
        m.node("Compress", [m.given(m.values(shape)), m.given(keep, 50)], axis=axis)
    else:
        data = m.values(m.shape(1, 3), m.one_of([FLOAT, numpy.int64, numpy.bool_]))
        m.node("NonZero", [m.given(data)])


ALL = [reshape, reshape, join, join, slices, slices, expand, pad, pad, space, gather, gather, scatter, scatter, patterns,
       patterns]
