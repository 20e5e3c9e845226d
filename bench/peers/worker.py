"""One peer in a process of its own: loads a model, then runs it as often as it is told.

worker.py PEER MODEL THREADS INPUT.npy, commands on stdin: "run N" answers N nanoseconds on one line, "output FILE.npy" saves the
first output, end of input ends it.
"""
import ctypes
import sys
import time

import numpy as np


class OnnxRuntime:
    def __init__(self, model, threads, feed):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        self.binding.bind_cpu_input(self.session.get_inputs()[0].name, feed)
        self.binding.bind_output(self.session.get_outputs()[0].name)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def output(self):
        return self.binding.copy_outputs_to_cpu()[0]


class OpenVino:
    def __init__(self, model, threads, feed):
        import openvino

        core = openvino.Core()
        compiled = core.compile_model(core.read_model(model), "CPU", {
            "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"})
        self.request = compiled.create_infer_request()
        self.request.set_input_tensor(openvino.Tensor(feed))

    def run(self):
        self.request.infer()

    def output(self):
        return self.request.get_output_tensor(0).data


class Hone:
    """Through the C API of libhone.so; `model` is "LIBRARY:PACKAGE"."""

    def __init__(self, model, threads, feed):
        library, package = model.split(":", 1)
        self.api = ctypes.CDLL(library)
        self.api.hone_error_text.restype = ctypes.c_char_p
        handle, self.session = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.api.hone_package_load(package.encode(), ctypes.byref(handle)))
        self.check(self.api.hone_session_create(handle, threads, ctypes.byref(self.session)))
        self.check(self.api.hone_session_set_input(
            self.session, 0, feed.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(feed.nbytes)))
        self.package = handle

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.api.hone_error_text().decode())

    def run(self):
        self.check(self.api.hone_session_run(self.session))

    def output(self):
        class Info(ctypes.Structure):
            _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_int32),
                        ("shape", ctypes.POINTER(ctypes.c_int64)), ("size_bytes", ctypes.c_size_t)]

        info = Info()
        self.check(self.api.hone_package_output_info(self.package, 0, ctypes.byref(info)))
        result = np.empty([info.shape[i] for i in range(info.rank)], np.float32)
        self.check(self.api.hone_session_get_output(
            self.session, 0, result.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(result.nbytes)))
        return result


PEERS = {"hone": Hone, "onnxruntime": OnnxRuntime, "openvino": OpenVino}


def main():
    name, model, threads, feed = sys.argv[1:5]
    peer = PEERS[name](model, int(threads), np.load(feed))
    peer.run()
    print("ready", flush=True)
    for line in sys.stdin:
        command, argument = line.split()
        if command == "output":
            peer.run()
            np.save(argument, peer.output())
            print("saved", flush=True)
            continue
        times = []
        for _ in range(int(argument)):
            start = time.perf_counter_ns()
            peer.run()
            times.append(time.perf_counter_ns() - start)
        print(*times, flush=True)


if __name__ == "__main__":
    main()
