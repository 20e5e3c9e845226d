"""Systems that take turns in one process, for benchmarks that time several forms of a model. Each class imports its
library in its constructor and reads the model in load(). `feed` is an array.array of float32 values, `shape` that of
the model's first input.
"""
import array
import ctypes
import importlib.util


class OnnxRuntime:
    def __init__(self, as_written=False):
        """as_written: each operator runs as the file has it, a quantised one in float32. Fused kernels of bytes saturate
        on x86 without VNNI."""
        import numpy
        import onnxruntime

        self.numpy, self.onnxruntime, self.as_written = numpy, onnxruntime, as_written

    def load(self, model, threads, feed, shape):
        options = self.onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        levels = self.onnxruntime.GraphOptimizationLevel
        options.graph_optimization_level = levels.ORT_DISABLE_ALL if self.as_written else levels.ORT_ENABLE_ALL
        options.log_severity_level = 3
        self.session = self.onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        values = self.numpy.frombuffer(feed, self.numpy.float32).reshape(shape)
        self.binding.bind_cpu_input(self.session.get_inputs()[0].name, values)
        self.binding.bind_output(self.session.get_outputs()[0].name)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def output(self):
        return array.array("f", self.binding.copy_outputs_to_cpu()[0].astype(self.numpy.float32).tobytes())


class OpenVino:
    def __init__(self):
        import numpy
        import openvino

        self.numpy, self.openvino = numpy, openvino

    def load(self, model, threads, feed, shape):
        core = self.openvino.Core()
        compiled = core.compile_model(core.read_model(model), "CPU", {
            "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"})
        self.request = compiled.create_infer_request()
        values = self.numpy.frombuffer(feed, self.numpy.float32).reshape(shape)
        self.request.set_input_tensor(self.openvino.Tensor(values.copy()))

    def run(self):
        self.request.infer()

    def output(self):
        return array.array("f", self.request.get_output_tensor(0).data.astype(self.numpy.float32).tobytes())


class HoneTensorInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("size_bytes", ctypes.c_size_t)]


class Hone:
    """Runs through the C API of libhone.so and only needs Python. `model` is "LIBRARY:PACKAGE"."""

    def load(self, model, threads, feed, shape):
        library, package = model.split(":", 1)
        self.api = ctypes.CDLL(library)
        self.api.hone_error_text.restype = ctypes.c_char_p
        self.package, self.session = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.api.hone_package_load(package.encode(), ctypes.byref(self.package)))
        self.check(self.api.hone_session_create(self.package, threads, ctypes.byref(self.session)))
        values = (ctypes.c_float * len(feed)).from_buffer(feed)
        self.check(self.api.hone_session_set_input(self.session, 0, values, ctypes.c_size_t(ctypes.sizeof(values))))

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.api.hone_error_text().decode())

    def run(self):
        self.check(self.api.hone_session_run(self.session))

    def output(self):
        info = HoneTensorInfo()
        self.check(self.api.hone_package_output_info(self.package, 0, ctypes.byref(info)))
        result = array.array("f", bytes(info.size_bytes))
        values = (ctypes.c_float * len(result)).from_buffer(result)
        self.check(self.api.hone_session_get_output(self.session, 0, values, ctypes.c_size_t(info.size_bytes)))
        return result


# The modules that a system imports; hone only needs Python.
MODULES = {"onnxruntime": ("numpy", "onnxruntime"), "openvino": ("numpy", "openvino")}


def missing_modules(system):
    """The modules that `system` needs and this Python lacks."""
    return [module for module in MODULES[system] if importlib.util.find_spec(module) is None]
