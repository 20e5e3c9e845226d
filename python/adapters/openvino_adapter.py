"""OpenVINO as an adapter (docs/reference/adapter.md). Its default precision is the machine's: bfloat16 with AMX."""
import sys

from serve_adapter import serve


class OpenVino:
    name = "OpenVINO"
    settings = {"precision": ["float32", "default"]}

    def __init__(self):
        sys.modules["openvino_telemetry"] = None  # it would report each use, by a process that stays behind
        import openvino

        self.module, self.version = openvino, openvino.__version__.split("-")[0]
        self.core = openvino.Core()
        self.model = self.request = None

    def load(self, model, threads, inputs, settings):
        self.model = self.request = None
        properties = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"}
        if settings["precision"] == "float32":
            properties["INFERENCE_PRECISION_HINT"] = "f32"
        read = self.core.read_model(model)
        if read.is_dynamic():
            read.reshape({name: list(value.shape) for name, value in inputs.items()})
        self.model = self.core.compile_model(read, "CPU", properties)
        self.request = self.model.create_infer_request()
        for name, value in inputs.items():
            self.request.set_tensor(name, self.module.Tensor(value.copy()))
        hint = self.model.get_property("INFERENCE_PRECISION_HINT").get_type_name()
        return {"bf16": "bfloat16", "f16": "float16"}.get(hint, "float32")

    def run(self):
        self.request.infer()

    def outputs(self):
        for i, output in enumerate(self.model.outputs):
            yield output.get_any_name(), self.request.get_output_tensor(i).data


serve(OpenVino, "openvino")
