"""Random inputs of an ONNX model, at extents that its free dimensions are given by name."""
import re

import numpy

# For free dimensions that a case leaves out.
EXTENTS = {"batch": 1, "texts": 1, "seq": 24, "past": 16, "encoded": 24, "target": 12, "height": 96, "width": 96, "points": 2, "samples": 8000, "frames": 40,
           "rows": 1, "sequence_length": 4, "past_sequence_length": 12, "total_sequence_length": 16,
           "kv_cache_dim": 32}
TYPES = {"float": "float32", "double": "float64"}


def extent(dim, extents):
    if isinstance(dim, int):
        return dim
    known = {**EXTENTS, **extents}
    if dim is None or not re.fullmatch(r"[\w+* -]+", dim):
        return 1
    return int(eval(dim, {}, _Or16(known)))


class _Or16(dict):
    def __missing__(self, name):
        return 1 if name.startswith("unk") or "batch" in name else 16


def value(name, kind, shape, random, extents):
    if name == "use_cache_branch":
        return numpy.full(shape, bool(extents[name]))
    if "mask" in name:
        return numpy.ones(shape, kind)
    if name == "position_ids":
        past = {**EXTENTS, **extents}["past"]
        return numpy.broadcast_to(numpy.arange(past, past + shape[-1]), shape).astype(kind)
    if name in ("token_type_ids", "input_labels"):
        return numpy.zeros(shape, kind)
    if kind.kind in "iu":
        return random.integers(0, 40, shape).astype(kind)
    if kind.kind == "b":
        return random.random(shape) < 0.5
    return random.standard_normal(shape).astype("float32").astype(kind)


def inputs_of(model, extents, seed=0):
    """`model` is a path or a session of ONNX Runtime."""
    import onnxruntime
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]) if isinstance(model, str) else model
    random = numpy.random.default_rng(seed)
    feed = {}
    for given in session.get_inputs():
        kind = numpy.dtype(TYPES.get(given.type[7:-1], given.type[7:-1]))
        feed[given.name] = value(given.name, kind, [extent(dim, extents) for dim in given.shape], random, extents)
    return feed
