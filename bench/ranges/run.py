"""One package for a range of lengths beside packages of hone's for single lengths, and beside ONNX Runtime and OpenVINO
with dynamic shapes. Prints a row for each goal, with a verdict. Exits 1 if a goal was missed, 77 if this Python lacks
numpy, onnx or onnxruntime. Without openvino its column is left out.

  cmake --build --preset release --target hone_program hone_shared hone_call
  python3 -m venv V && V/bin/pip install numpy onnx onnxruntime openvino
  V/bin/python bench/ranges/run.py [--rows encoder,batch,pixels] [--layers 12] [--lengths 40] [--seconds 0.3]

The encoder has BERT-base's layers, 768 wide, with random weights and 1 to 512 tokens. The pictures are those of
ResNet-50. Packages have analytic defaults. One thread; the least time of rounds in turns counts. Memory is what a
session says that it holds.
"""
import argparse
import ctypes
import math
import os
import random
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WIDE, HEADS, INSIDE, WORDS, MOST = 768, 12, 3072, 1000, 512
FIRST_RUNS = 20


def encoder(path, layers):
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    draw, nodes, weights = numpy.random.default_rng(0), [], []

    def constant(value):
        weights.append(numpy_helper.from_array(value, f"w{len(weights)}"))
        return weights[-1].name

    def weight(*shape, scale):
        return constant((draw.standard_normal(shape) * scale).astype("float32"))

    def whole(values):
        return constant(numpy.array(values, "int64"))

    def node(op, *inputs, **attributes):
        nodes.append(helper.make_node(op, list(inputs), [f"{op}_{len(nodes)}"], **attributes))
        return nodes[-1].output[0]

    def normal(x):
        return node("LayerNormalization", x, weight(WIDE, scale=1), weight(WIDE, scale=0.1))

    def linear(x, inside, outside):
        return node("Add", node("MatMul", x, weight(inside, outside, scale=inside**-0.5)), weight(outside, scale=0.02))

    def heads(x, order):
        return node("Transpose", node("Reshape", x, whole([0, 0, HEADS, WIDE // HEADS])), perm=order)

    length = node("Shape", "ids", start=1, end=2)
    places = node("Slice", weight(MOST, WIDE, scale=1), whole([0]), length, whole([0]))
    x = normal(node("Add", node("Gather", weight(WORDS, WIDE, scale=1), "ids"), places))
    for _ in range(layers):
        query, key, value = (heads(linear(x, WIDE, WIDE), order) for order in ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3)))
        scores = node("Mul", node("MatMul", query, key), constant(numpy.float32((WIDE // HEADS) ** -0.5).reshape(())))
        mixed = node("Transpose", node("MatMul", node("Softmax", scores), value), perm=(0, 2, 1, 3))
        x = normal(node("Add", x, linear(node("Reshape", mixed, whole([0, 0, WIDE])), WIDE, WIDE)))
        inner = linear(x, WIDE, INSIDE)
        erf = node("Erf", node("Mul", inner, constant(numpy.float32(0.5**0.5).reshape(()))))
        gelu = node("Mul", node("Mul", inner, node("Add", erf, constant(numpy.float32(1).reshape(())))), constant(numpy.float32(0.5).reshape(())))
        x = normal(node("Add", x, linear(gelu, INSIDE, WIDE)))
    node("Identity", x)
    graph = helper.make_graph(nodes, "encoder", [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "seq"])],
                              [helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, [1, "seq", WIDE])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def pictures(hone, path, free):
    """ResNet-50 with free dimensions: by axis, their names."""
    import onnx
    subprocess.run([f"{hone}/bin/hone", "zoo", "resnet-50", "-o", path], check=True, capture_output=True)
    model = onnx.load(path)
    for axis, name in free.items():
        model.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = name
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.shape.dim[0].dim_param = "N"
    onnx.save(model, path)


class Package:
    def __init__(self, hone, model, path, dims):
        import hone_runtime
        begin = time.perf_counter()
        options = [part for name, extent in dims.items() for part in ("--dim", f"{name}={extent}")]
        subprocess.run([f"{hone}/bin/hone", "build", model, "-o", path, "--no-records", "--threads", "1", *options], check=True,
                       capture_output=True)
        self.build_seconds = time.perf_counter() - begin
        self.file_bytes = os.path.getsize(path)
        self.session = hone_runtime.Session(hone_runtime.Package(path), threads=1)
        held = hone_runtime._library.library().hone_session_memory_bytes
        held.restype, held.argtypes = ctypes.c_size_t, [ctypes.c_void_p]
        self.memory_bytes = held(self.session._handle)

    def runner(self, value):
        return lambda: self.session(value)


def peers(model):
    """Functions from an input to a run of it, by name."""
    import onnxruntime
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.log_severity_level = 1, 4
    settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    made = {"ONNX Runtime": lambda value: lambda: session.run(None, {name: value})}
    try:
        import openvino
    except ImportError:
        return made
    core = openvino.Core()
    config = {"INFERENCE_NUM_THREADS": 1, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    request = core.compile_model(core.read_model(model), "CPU", config).create_infer_request()

    def of_openvino(value):
        tensor = openvino.Tensor(value)

        def run():
            request.set_input_tensor(tensor)
            request.infer()
        return run
    return {**made, "OpenVINO": of_openvino}


def least(runs, seconds):
    """The least ns of each, in turns."""
    found = [math.inf] * len(runs)
    for run in runs:
        run()
    until, rounds = time.perf_counter() + seconds * len(runs), 0
    while rounds < 3 or time.perf_counter() < until:
        rounds += 1
        for i, run in enumerate(runs):
            begin = time.perf_counter_ns()
            run()
            found[i] = min(found[i], time.perf_counter_ns() - begin)
    return found


def against_dedicated(options, model, ranged, points, value_of, what):
    """The ranged package's time over that of one for just that point, for each of the points."""
    ratios = []
    for dims in points:
        one = Package(options.hone, model, os.path.join(options.work, "one.hone"), dims)
        value = value_of(dims)
        ours, theirs = least([ranged.runner(value), one.runner(value)], options.seconds)
        ratios.append(ours / theirs)
        print(f"  {what} {', '.join(f'{name}={extent}' for name, extent in dims.items())}: {ours / 1e6:.3f} ms, alone {theirs / 1e6:.3f} ms, "
              f"{ours / theirs:.3f}", flush=True)
        last = one
    return ratios, one


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def encoder_rows(options):
    import numpy
    model = os.path.join(options.work, f"encoder{options.layers}.onnx")
    if not os.path.exists(model):
        encoder(model, options.layers)
    ranged = Package(options.hone, model, os.path.join(options.work, "encoder.hone"), {"seq": f"1..{MOST}"})
    draw = random.Random(1)

    def ids(length):
        return numpy.array([[draw.randrange(WORDS) for _ in range(length)]], "int64")
    ratios, fixed = against_dedicated(options, model, ranged, [{"seq": int(n)} for n in options.alone.split(",")], lambda dims: ids(dims["seq"]), "encoder")
    yield "encoder: slowest length against its own package", max(ratios), 1.05, False
    yield "encoder: median length against its own package", median(ratios), 1.02, False
    yield f"encoder: file against the package of {MOST}", ranged.file_bytes / fixed.file_bytes, 1.1, False
    yield f"encoder: build time against that of {MOST}", ranged.build_seconds / fixed.build_seconds, 2.0, False
    yield f"encoder: session's memory against that of {MOST}", ranged.memory_bytes / fixed.memory_bytes, 1.0, False
    others = peers(model)
    gains = []
    for length in [draw.randint(1, MOST) for _ in range(options.lengths)]:
        value = ids(length)
        times = least([ranged.runner(value), *(make(value) for make in others.values())], options.seconds)
        gains.append(min(times[1:]) / times[0])
        print(f"  encoder seq={length}: {times[0] / 1e6:.3f} ms, " + ", ".join(f"{name} {ns / 1e6:.3f} ms" for name, ns in zip(others, times[1:]))
              + f", {gains[-1]:.3f}", flush=True)
    yield "encoder: better peer over hone, geometric mean", math.exp(sum(map(math.log, gains)) / len(gains)), 1.2, True
    extra = []
    for length in draw.sample(range(1, 65), FIRST_RUNS):
        value, times = ids(length), []
        ranged.runner(ids(64 + length))()
        for _ in range(2):
            begin = time.perf_counter_ns()
            ranged.session(value)
            times.append(time.perf_counter_ns() - begin)
        extra.append((times[0] - times[1]) / 1e3)
    yield "encoder: us of the first run at a length over the second", median(extra), 20.0, False


def picture_rows(options, what, free, points, shape_of):
    import numpy
    model = os.path.join(options.work, f"{what}.onnx")
    if not os.path.exists(model):
        pictures(options.hone, model, {0: "n"} if what == "batch" else {2: "h", 3: "w"})
    ranged = Package(options.hone, model, os.path.join(options.work, f"{what}.hone"), free)
    ratios, _ = against_dedicated(options, model, ranged, points, lambda dims: numpy.random.default_rng(1).standard_normal(shape_of(dims)).astype("float32"),
                                  f"resnet-50, {what},")
    yield f"resnet-50, {what}: slowest against its own package", max(ratios), 1.05, False


def rows(options):
    chosen = options.rows.split(",")
    if "encoder" in chosen:
        yield from encoder_rows(options)
    if "batch" in chosen:
        yield from picture_rows(options, "batch", {"n": "1..32"}, [{"n": n} for n in (1, 2, 3, 5, 8, 16, 32)], lambda dims: (dims["n"], 3, 224, 224))
    if "pixels" in chosen:
        sides = [{"h": side, "w": side} for side in (160, 224, 288, 352, 512)]
        yield from picture_rows(options, "pixels", {"h": "160..512", "w": "160..512"}, sides, lambda dims: (1, 3, dims["h"], dims["w"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="encoder,batch,pixels")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--lengths", type=int, default=40, help="random ones, for the peers")
    parser.add_argument("--alone", default="1,8,24,57,128,200,384,512", help="lengths with a package of their own, the largest one last")
    parser.add_argument("--seconds", type=float, default=0.3, help="of timing for each system at each length")
    parser.add_argument("--hone", default="build/release")
    parser.add_argument("--work", default="build/ranges", help="a folder for models and packages, which are kept")
    options = parser.parse_args()
    sys.path.insert(0, os.path.join(options.hone, "python") if os.path.exists(os.path.join(options.hone, "python/hone_runtime/_call.abi3.so"))
                    else os.path.join(HERE, "../../python"))
    os.environ.setdefault("HONE_LIBRARY", os.path.abspath(f"{options.hone}/lib/libhone.so"))
    try:
        import numpy, onnx, onnxruntime  # noqa: F401, E401
    except ImportError as why:
        print(f"this Python lacks a package: {why}")
        return 77
    os.makedirs(options.work, exist_ok=True)
    missed = 0
    told = []
    for name, reached, goal, more in rows(options):
        met = reached >= goal if more else round(reached, 2) <= goal
        missed += not met
        told.append(f"{name:60} goal {goal:6.2f}  reached {reached:7.3f}  {'reached' if met else 'missed'}")
        print(told[-1], flush=True)
    print(f"\nencoder of {options.layers} layers\n" + "\n".join(told))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
