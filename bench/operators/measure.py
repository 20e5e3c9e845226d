"""Runs one case in a process of its own: memory, outputs and times of hone and of ONNX Runtime."""
import os
import time

import numpy

# Memory that a process needs for the library and its threads, with any model.
FREE_BYTES = 8 << 20
LINE_BYTES = 64
# Element types that a package has as float32 in its inputs and outputs.
WIDENED = ("float16", "float64")


def peak_bytes():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def largest(values):
    finite = numpy.abs(values[numpy.isfinite(values)])
    return float(finite.max()) if finite.size else 0.0


def difference(got, wanted):
    """The largest difference over the allowed one. The outputs agree if it is at most 1. Floats may differ by a
    thousandth of the largest value, float16 by a fiftieth. Bytes may differ by one step in a hundredth of the places,
    because roundings differ. Other types must be equal."""
    if got.shape != wanted.shape or (got.dtype != wanted.dtype and wanted.dtype.name not in WIDENED):
        return float("inf")
    if wanted.size == 0:
        return 0.0
    if wanted.dtype.kind == "f":
        a, b = got.astype(numpy.float64), wanted.astype(numpy.float64)
        odd = ~numpy.isfinite(b)
        if not numpy.array_equal(a[odd], b[odd], equal_nan=True) or not numpy.isfinite(a[~odd]).all():
            return float("inf")
        allowed = (0.02 if wanted.dtype == numpy.float16 else 1e-3) * max(largest(b), 1e-6)
        return float(numpy.abs(a[~odd] - b[~odd]).max(initial=0)) / allowed
    if wanted.dtype.itemsize == 1 and wanted.dtype.kind in "iu":
        apart = numpy.abs(got.astype(int) - wanted.astype(int))
        return float("inf") if apart.max() > 1 else float((apart > 0).mean()) * 100
    return 0.0 if numpy.array_equal(got, wanted) else float("inf")


def aligned(shape, dtype):
    """Zeros at the beginning of a cache line, where ONNX Runtime puts its outputs, too."""
    bytes_needed = int(numpy.prod(shape, dtype=numpy.int64)) * numpy.dtype(dtype).itemsize
    memory = numpy.zeros(bytes_needed + LINE_BYTES, numpy.uint8)
    begin = -memory.ctypes.data % LINE_BYTES
    return memory[begin:begin + bytes_needed].view(dtype).reshape(shape)


class Hone:
    def __init__(self, package, feed, outputs):
        import hone_runtime
        before = peak_bytes()
        self.session = hone_runtime.Session(hone_runtime.Package(package), threads=1)
        self.inputs = [numpy.asarray(feed[info.name], info.dtype) for info in self.session.inputs]
        self.places = [aligned(info.shape, info.dtype) for info in self.session.outputs]
        self.names = [info.name for info in self.session.outputs]
        results = self.results()
        self.memory_bytes = peak_bytes() - before
        # An output of dynamic extent is shorter than its buffer.
        self.outputs = {name: numpy.array(results[name]) for name in outputs}

    def results(self):
        values = self.session(*self.inputs, out=self.places)
        return dict(zip(self.names, values if isinstance(values, tuple) else (values,)))

    def run(self):
        self.session(*self.inputs, out=self.places)


class OnnxRuntime:
    def __init__(self, model, feed):
        import onnxruntime
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 1
        settings.log_severity_level = 4
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
        self.outputs = dict(zip([each.name for each in self.session.get_outputs()], self.session.run(None, feed)))
        self.binding = self.session.io_binding()
        for name, value in feed.items():
            self.binding.bind_cpu_input(name, value)
        for name in self.outputs:
            self.binding.bind_output(name)

    def run(self):
        self.session.run_with_iobinding(self.binding)


def least_ns(run, seconds):
    least, until = float("inf"), time.perf_counter_ns() + seconds * 1e9
    while True:
        begin = time.perf_counter_ns()
        run()
        end = time.perf_counter_ns()
        least = min(least, end - begin)
        if end > until:
            return least


def times(ours, theirs, seconds, rounds):
    """The least times of hone and of ONNX Runtime, in rounds that take turns."""
    least = [float("inf")] * 2
    for _ in range(rounds):
        for i, each in enumerate((ours, theirs)):
            least[i] = min(least[i], least_ns(each.run, seconds / rounds / 2))
    return least


def measure(model, package, feed, weight_bytes, options):
    if options.core is not None:
        os.sched_setaffinity(0, {options.core})
    names = options.outputs
    ours = Hone(package, feed, names)
    theirs = OnnxRuntime(model, feed)
    needed = weight_bytes + sum(value.nbytes for value in (*feed.values(), *theirs.outputs.values()))
    hone_ns, peer_ns = times(ours, theirs, options.seconds, 4)
    if peer_ns < options.again_below * hone_ns:
        for _ in range(3):
            again = times(ours, theirs, options.seconds, 4)
            hone_ns, peer_ns = min(hone_ns, again[0]), min(peer_ns, again[1])
    return {"hone_ns": hone_ns, "peer_ns": peer_ns, "needed_bytes": needed, "memory_bytes": max(0, ours.memory_bytes - FREE_BYTES),
            "difference": max(difference(ours.outputs[name], theirs.outputs[name]) for name in names)}
