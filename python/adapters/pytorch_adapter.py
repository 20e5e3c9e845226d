"""PyTorch as an adapter (docs/reference/adapter.md). It runs the program that torch.export saved as MODEL.pt2 beside
MODEL.onnx, or else what onnx2torch makes of the ONNX file."""
import os
import pwd
import tempfile

from serve_adapter import serve


class PyTorch:
    name = "PyTorch"
    settings = {"mode": ["eager", "compiled"]}

    def __init__(self):
        try:
            pwd.getpwuid(os.getuid())
        except KeyError:  # as in a sandbox: torch would name its folder by the user
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp(prefix="hone-inductor-")
        import onnx
        import torch

        self.onnx, self.torch, self.version = onnx, torch, torch.__version__.split("+")[0]
        self.module, self.feeds, self.names, self.results = None, [], [], ()
        torch.set_num_interop_threads(1)

    def converted(self, model):
        import onnx2torch

        # Exporters write equal weights once and name them again by Identity, which onnx2torch takes for no weights.
        weights = {each.name: each for each in model.graph.initializer}
        for node in [each for each in model.graph.node if each.op_type == "Identity" and each.input[0] in weights]:
            named = model.graph.initializer.add()
            named.CopyFrom(weights[node.input[0]])
            named.name = node.output[0]
            model.graph.node.remove(node)
        return onnx2torch.convert(model).eval()

    def load(self, model, threads, inputs, settings):
        self.module, self.results = None, ()
        self.torch.set_num_threads(threads)
        read, saved = self.onnx.load(model), os.path.splitext(model)[0] + ".pt2"
        self.names = [each.name for each in read.graph.output]
        self.feeds = [self.torch.from_numpy(value.copy()) for value in inputs.values()]
        exported = os.path.exists(saved)
        self.module = self.torch.export.load(saved).module() if exported else self.converted(read)
        if settings["mode"] == "compiled":
            self.module = self.torch.compile(self.module)
        self.run()  # it compiles at its first run
        return "float32"

    def run(self):
        with self.torch.inference_mode():
            self.results = self.module(*self.feeds)

    def outputs(self):
        results = self.results if isinstance(self.results, (tuple, list)) else [self.results]
        return zip(self.names, (result.contiguous().numpy() for result in results))


serve(PyTorch, "torch onnx onnx2torch")
