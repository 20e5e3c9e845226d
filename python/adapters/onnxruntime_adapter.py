"""ONNX Runtime as an adapter (docs/reference/adapter.md)."""
from serve_adapter import serve


class OnnxRuntime:
    name = "ONNX Runtime"
    settings = {"optimisation": ["all", "extended", "basic", "none"]}

    def __init__(self):
        import numpy  # ONNX Runtime needs it and names only itself
        import onnxruntime

        assert numpy
        self.module, self.version = onnxruntime, onnxruntime.__version__
        self.session = self.binding = None

    def load(self, model, threads, inputs, settings):
        self.session = self.binding = None
        levels = self.module.GraphOptimizationLevel
        options = self.module.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.graph_optimization_level = {"all": levels.ORT_ENABLE_ALL, "extended": levels.ORT_ENABLE_EXTENDED,
                                            "basic": levels.ORT_ENABLE_BASIC,
                                            "none": levels.ORT_DISABLE_ALL}[settings["optimisation"]]
        # Its threads spin between the operators of a run, and not in another runtime's turn.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        self.session = self.module.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        for name, value in inputs.items():
            self.binding.bind_cpu_input(name, value)
        for output in self.session.get_outputs():
            self.binding.bind_output(output.name)
        return "float32"

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def outputs(self):
        names = [output.name for output in self.session.get_outputs()]
        return zip(names, self.binding.copy_outputs_to_cpu())


serve(OnnxRuntime, "onnxruntime")
