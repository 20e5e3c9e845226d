"""ncnn as an adapter (docs/reference/adapter.md). pnnx, its converter, reads the model, once for each shape."""
import importlib.util
import os
import re
import subprocess
import tempfile

from serve_adapter import serve


class Ncnn:
    name = "ncnn"
    settings = {}

    def __init__(self):
        import ncnn
        import numpy

        pnnx = importlib.util.find_spec("pnnx")
        if pnnx is None:
            raise ImportError("No module named 'pnnx'")
        # The Python package needs torch, but the program inside it does not.
        self.pnnx = os.path.join(os.path.dirname(pnnx.origin), "pnnx")
        self.numpy, self.module, self.version = numpy, ncnn, ncnn.__version__
        self.key, self.files = None, None
        self.net, self.feeds, self.results, self.last = None, [], {}, []

    def converted(self, path, inputs):
        shapes = ",".join(f"[{','.join(map(str, value.shape))}]f32" for value in inputs)
        with tempfile.TemporaryDirectory(prefix="hone-ncnn-") as folder:
            paths = [os.path.join(folder, name) for name in ("m.ncnn.param", "m.ncnn.bin", "m.pnnx.param")]
            words = [f"inputshape={shapes}", "fp16=0"]
            words += [f"{name}={path}" for name, path in zip(("ncnnparam", "ncnnbin", "pnnxparam"), paths)]
            os.symlink(os.path.abspath(path), os.path.join(folder, "m.onnx"))
            done = subprocess.run([self.pnnx, os.path.join(folder, "m.onnx"), *words], cwd=folder,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if not all(map(os.path.exists, paths)):
                raise RuntimeError(f"pnnx fails: {done.stdout.strip()[-200:]}")
            return [open(path, "rb").read() for path in paths]

    def load(self, model, threads, inputs, settings):
        values = list(inputs.values())
        self.net, self.feeds, self.last = None, [], []
        if any(value.dtype != self.numpy.float32 or value.shape[:1] != (1,) for value in values):
            raise ValueError("this adapter takes models whose inputs are float32 with a batch of 1")
        key = (model, [value.shape for value in values])
        if self.key != key:
            self.key, self.files = key, self.converted(model, values)
        self.net = self.module.Net()
        self.net.opt.num_threads = threads
        self.net.opt.use_vulkan_compute = False
        for option in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage"):
            setattr(self.net.opt, option, False)
        with tempfile.TemporaryDirectory(prefix="hone-ncnn-") as folder:
            paths = [os.path.join(folder, name) for name in ("m.param", "m.bin")]
            for path, data in zip(paths, self.files):
                with open(path, "wb") as file:
                    file.write(data)
            if self.net.load_param(paths[0]) != 0 or self.net.load_model(paths[1]) != 0:
                raise RuntimeError("ncnn does not read what pnnx wrote")
        self.feeds = [self.module.Mat(value, batch_index=0).clone() for value in values]
        # ncnn's own arrays do not tell whether they have a batch; pnnx's file has the shapes.
        outputs = re.findall(r"^pnnx\.Output +(out\d+) .*=\(([\d,]+)\)", self.files[2].decode(), re.MULTILINE)
        self.results = {name: [int(side) for side in shape.split(",")] for name, shape in outputs}
        return "float32"

    def run(self):
        extractor = self.net.create_extractor()
        for i, feed in enumerate(self.feeds):
            extractor.input(f"in{i}", feed)
        self.last = []
        for name in self.results:
            status, result = extractor.extract(name)
            if status != 0:
                raise RuntimeError(f"ncnn: extract gives {status}")
            self.last.append(result)

    def outputs(self):
        for (name, shape), result in zip(self.results.items(), self.last):
            yield name, self.numpy.array(result, self.numpy.float32).reshape(shape)


serve(Ncnn, "ncnn && pip install --no-deps pnnx")
