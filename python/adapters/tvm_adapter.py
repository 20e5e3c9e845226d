"""TVM as an adapter (docs/reference/adapter.md). It runs the library that TVM exported as MODEL.tvm.so beside MODEL.onnx,
for example after MetaSchedule, or else compiles the ONNX file with TVM's defaults."""
import os

from serve_adapter import serve


class Tvm:
    name = "TVM"
    settings = {}

    def __init__(self):
        import numpy
        import onnx
        import tvm
        from tvm import relax
        from tvm.relax.frontend.onnx import from_onnx
        from tvm.target.codegen import llvm_get_system_cpu

        self.numpy, self.onnx, self.tvm, self.relax, self.from_onnx = numpy, onnx, tvm, relax, from_onnx
        self.cpu, self.version = llvm_get_system_cpu(), tvm.__version__
        self.main, self.feeds, self.names, self.results = None, [], [], None

    def compiled(self, model, threads, inputs):
        target = self.tvm.target.Target({"kind": "llvm", "mcpu": self.cpu, "num-cores": threads})
        shapes = {name: list(value.shape) for name, value in inputs.items()}
        with target:
            module = self.from_onnx(model, shape_dict=shapes, keep_params_in_input=False)
            return self.tvm.compile(self.relax.get_pipeline("zero")(module), target=target)

    def load(self, model, threads, inputs, settings):
        self.main, self.results = None, None
        os.environ["TVM_NUM_THREADS"] = str(threads)
        read = self.onnx.load(model)
        self.names = [each.name for each in read.graph.output]
        library = os.path.splitext(model)[0] + ".tvm.so"
        exported = os.path.exists(library)
        made = self.tvm.runtime.load_module(library) if exported else self.compiled(read, threads, inputs)
        self.main = self.relax.VirtualMachine(made, self.tvm.cpu())["main"]
        self.feeds = [self.tvm.runtime.tensor(value) for value in inputs.values()]
        return "float32"

    def run(self):
        self.results = self.main(*self.feeds)

    def outputs(self):
        results = [self.results] if hasattr(self.results, "numpy") else self.results
        return zip(self.names, (result.numpy() for result in results))


serve(Tvm, "apache-tvm onnx scipy")
