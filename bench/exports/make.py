"""Writes the models of cases.py: make.py FOLDER CASE... writes FOLDER/CASE.onnx, or FOLDER/CASE.why if that fails."""
import inspect
import logging
import os
import sys
import traceback
import warnings


def forward_arguments(network, by_input):
    """by_input's values, as the module's forward takes them."""
    bound = inspect.signature(network.module.forward).bind(*by_input)
    return dict(bound.arguments)


def script(path, network):
    import torch
    torch.onnx.export(network.module, tuple(network.inputs.values()), path, input_names=list(network.inputs), dynamo=False,
                      output_names=list(network.outputs), dynamic_axes=network.free, opset_version=17)


def dynamo(path, network):
    import torch
    # torch.export makes constants of extents of 1.
    free = [{axis: dim for axis, dim in network.free.get(name, {}).items() if example.shape[axis] > 1}
            for name, example in network.inputs.items()]
    torch.onnx.export(network.module, tuple(network.inputs.values()), path, input_names=list(network.inputs), dynamo=True,
                      output_names=list(network.outputs), dynamic_shapes=forward_arguments(network, free), external_data=False, verbose=False)


def torch_export(path, exporter, name):
    """`exporter` is "script" or "dynamo"."""
    import newer_models
    import torch
    import torch_models
    torch.manual_seed(0)
    with torch.no_grad():
        network = {**torch_models.NETWORKS, **newer_models.NETWORKS}[name]()
        network.module.eval()
        {"script": script, "dynamo": dynamo}[exporter](path, network)


def optimised(path, source, kind, level):
    """Levels 1 to 3 as optimum has them."""
    from onnxruntime.transformers.fusion_options import FusionOptions
    from onnxruntime.transformers.optimizer import optimize_model
    from torch_models import HEADS, WIDE
    options = FusionOptions(kind)
    options.enable_gelu_approximation = level == 3
    # ONNX Runtime has no CPU kernels for these.
    options.enable_nhwc_conv = options.enable_group_norm = options.enable_skip_group_norm = False
    options.enable_bias_splitgelu = options.enable_bias_add = options.enable_packed_qkv = options.enable_packed_kv = False
    made = optimize_model(source, kind, HEADS, WIDE, options, opt_level=min(level, 2), only_onnxruntime=level == 1)
    made.save_model_to_file(path)


def saved(path, source, level):
    """What ONNX Runtime saves of its own optimised graph."""
    import onnxruntime
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    settings.optimized_model_filepath = path
    onnxruntime.InferenceSession(source, settings, providers=["CPUExecutionProvider"])


def calibration(source):
    import feeds
    from onnxruntime.quantization import CalibrationDataReader

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.left = [feeds.inputs_of(source, {}, seed) for seed in range(3)]

        def get_next(self):
            return self.left.pop() if self.left else None

    return Reader()


def quantised(path, source, form):
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_dynamic, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process
    prepared = path + ".prepared.onnx"
    quant_pre_process(source, prepared, skip_symbolic_shape=True)
    if form == "dynamic":
        return quantize_dynamic(prepared, path, weight_type=QuantType.QInt8)
    activations, weights = {"u8s8": (QuantType.QUInt8, QuantType.QInt8), "s8s8": (QuantType.QInt8, QuantType.QInt8),
                            "qoperator": (QuantType.QUInt8, QuantType.QInt8), "a16w8": (QuantType.QUInt16, QuantType.QInt8),
                            "a16w4": (QuantType.QUInt16, QuantType.QInt4)}[form]
    return quantize_static(prepared, path, calibration(prepared), per_channel=form not in ("a16w4",), activation_type=activations,
                           weight_type=weights, quant_format=QuantFormat.QOperator if form == "qoperator" else QuantFormat.QDQ,
                           extra_options={"UseQDQContribOps": form.startswith("a16")})


def blocks(path, source, bits, symmetric, form):
    import onnx
    from onnxruntime.quantization import QuantFormat
    from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
    operators = {"MatMul": 0, "Gather": 1} if form == "gather" else {"MatMul": 0}
    config = DefaultWeightOnlyQuantConfig(block_size=32, is_symmetric=symmetric, accuracy_level=4 if form == "level4" else None, bits=bits,
                                          quant_format=QuantFormat.QDQ if form == "qdq" else QuantFormat.QOperator,
                                          op_types_to_quantize=tuple(operators), quant_axes=tuple(operators.items()))
    made = MatMulNBitsQuantizer(onnx.load(source), algo_config=config)
    made.process()
    made.model.save_model_to_file(path)


def half(path, source, keeps_types):
    import onnx
    from onnxruntime.transformers.float16 import convert_float_to_float16
    onnx.save(convert_float_to_float16(onnx.load(source), keep_io_types=keeps_types), path)


def merged(path):
    import merged_models
    merged_models.merged(path)


def table_model(path, name):
    import table_models
    table_models.write(path, name)


def keras(path, name):
    import keras_models
    keras_models.write(path, name)


def paddle(path, name):
    import paddle_models
    paddle_models.write(path, name)


def genai(path, name):
    import genai_models
    genai_models.write(path, name)


def main():
    import cases
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    folder = sys.argv[1]
    for case in (cases.BY_NAME[name] for name in sys.argv[2:]):
        path = os.path.join(folder, case.name + ".onnx")
        if os.path.exists(path):
            continue
        sources = [os.path.join(folder, case.source + ".onnx")] if case.source else []
        try:
            globals()[case.maker](path, *sources, *case.arguments)
        except Exception as why:
            traceback.print_exc()
            lines = [line for line in f"{type(why).__name__}: {why}".splitlines() if line.strip()]
            with open(path.replace(".onnx", ".why"), "w", encoding="utf-8") as file:
                file.write(" ".join(lines)[:300])


if __name__ == "__main__":
    main()
