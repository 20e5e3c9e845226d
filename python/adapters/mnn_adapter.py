"""MNN as an adapter (docs/reference/adapter.md). Its own converter reads the model, once."""
import os
import subprocess
import sys
import tempfile

from serve_adapter import serve

# The tool's own main reports each use over the network.
CONVERT = "import sys, _tools; _tools.mnnconvert(['mnnconvert', *sys.argv[1:]])"


def converted(path):
    with tempfile.TemporaryDirectory(prefix="hone-mnn-") as folder:
        made = os.path.join(folder, "model.mnn")
        words = ["-f", "ONNX", "--modelFile", os.path.abspath(path), "--MNNModel", made, "--bizCode", "hone"]
        done = subprocess.run([sys.executable, "-c", CONVERT, *words], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if not os.path.exists(made):
            raise RuntimeError(f"MNN's converter fails: {done.stdout.strip()[-200:]}")
        with open(made, "rb") as file:
            return file.read()


class Mnn:
    name = "MNN"
    settings = {}

    def __init__(self):
        import MNN
        import numpy

        self.numpy, self.module, self.version = numpy, MNN, MNN.version()
        self.model = ("", b"")
        self.interpreter = self.session = None

    def tensor(self, values):
        return self.module.Tensor(values.shape, self.module.Halide_Type_Float, values,
                                  self.module.Tensor_DimensionType_Caffe)

    def load(self, model, threads, inputs, settings):
        self.session = self.interpreter = None
        if any(value.dtype != self.numpy.float32 for value in inputs.values()):
            raise ValueError("this adapter takes models whose inputs are float32")
        if self.model[0] != model:
            self.model = (model, converted(model))
        with tempfile.NamedTemporaryFile(suffix=".mnn") as file:
            file.write(self.model[1])
            file.flush()
            self.interpreter = self.module.Interpreter(file.name)
        self.session = self.interpreter.createSession({"numThread": threads, "precision": "high", "backend": "CPU"})
        if len(self.interpreter.getSessionOutputAll(self.session)) != 1:
            raise ValueError("this adapter takes models of one output")
        for name, value in inputs.items():
            tensor = self.interpreter.getSessionInput(self.session, name)
            if tuple(tensor.getShape()) != value.shape:
                self.interpreter.resizeTensor(tensor, value.shape)
        self.interpreter.resizeSession(self.session)
        for name, value in inputs.items():
            self.interpreter.getSessionInput(self.session, name).copyFrom(self.tensor(value.copy()))
        return "float32"

    def run(self):
        self.interpreter.runSession(self.session)

    def outputs(self):
        for name, result in self.interpreter.getSessionOutputAll(self.session).items():
            host = self.tensor(self.numpy.zeros(result.getShape(), self.numpy.float32))
            result.copyToHostTensor(host)
            yield name, self.numpy.array(host.getNumpyData(), self.numpy.float32).reshape(result.getShape())


serve(Mnn, "MNN")
