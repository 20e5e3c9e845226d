"""ONNX Runtime for `hone bench --against onnxruntime`: docs/reference/protocol.md, "Other runtimes"."""
import json
import os
import tempfile
import time

PROTOCOL = 1


class Peer:
    def __init__(self, folder):
        import numpy
        import onnxruntime

        self.numpy, self.onnxruntime, self.folder = numpy, onnxruntime, folder
        self.session = self.binding = None

    def load(self, request):
        self.session = self.binding = None
        options = self.onnxruntime.SessionOptions()
        options.intra_op_num_threads = request["threads"]
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Its threads spin between the operators of a run, and not in hone's turns.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        self.session = self.onnxruntime.InferenceSession(request["load"], options, providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        for name, path in request["inputs"].items():
            self.binding.bind_cpu_input(name, self.numpy.load(path))
        for output in self.session.get_outputs():
            self.binding.bind_output(output.name)
        return {}

    def run(self, request):
        run, binding, clock = self.session.run_with_iobinding, self.binding, time.perf_counter_ns
        start = clock()
        for _ in range(request["run"]):
            run(binding)
        return {"ns": clock() - start}

    def outputs(self, request):
        paths = []
        for i, value in enumerate(self.binding.copy_outputs_to_cpu()):
            paths.append(os.path.join(request["outputs"], f"output{i}.npy"))
            self.numpy.save(paths[-1], value)
        return {"outputs": paths}


def answer(peer, request):
    try:
        for name in ("load", "run", "outputs"):
            if name in request:
                return getattr(peer, name)(request)
        return {"error": "no such request"}
    except Exception as error:  # of any kind: hone tells it in one line
        return {"error": " ".join(str(error).split())}


def serve(requests, answers):
    def send(message):
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    with tempfile.TemporaryDirectory(prefix="hone-peer-") as folder:
        try:
            peer = Peer(folder)
        except ImportError as error:
            return send({"protocol": PROTOCOL, "error": str(error)})
        send(
            {
                "protocol": PROTOCOL,
                "name": "ONNX Runtime",
                "version": peer.onnxruntime.__version__,
                "folder": folder,
            }
        )
        for line in requests:
            send(answer(peer, json.loads(line)))


if __name__ == "__main__":
    os.dup2(2, 1)  # nothing that the library prints may come among hone's results
    try:
        serve(os.fdopen(os.dup(3), "r"), os.fdopen(3, "w"))
    except ConnectionError:  # hone has ended
        os._exit(0)
