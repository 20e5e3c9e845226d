"""Packs cases of ONNX Runtime's own operators into tests/data/onnx_cases/runtime_cases.gz, for tests/onnx_cases.

  python3 -m venv V && V/bin/pip install onnx onnxruntime
  V/bin/python tests/onnx_cases/pack_runtime_cases.py

Each case is one node of the domain com.microsoft, on random inputs, with the outputs that ONNX Runtime's CPU computes.
pack_cases.py tells the format.
"""

import argparse
import gzip
import os

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from pack_cases import FOLDER, Pack, tensor

RANDOM = np.random.default_rng(7)
TYPES = {
    "float32": TensorProto.FLOAT,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "uint8": TensorProto.UINT8,
    "int8": TensorProto.INT8,
    "bool": TensorProto.BOOL,
}


def reals(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def real(value):
    return np.array(value, np.float32)


def unsigned_bytes(*shape):
    return RANDOM.integers(0, 256, shape).astype(np.uint8)


def signed_bytes(*shape):
    """Small enough that no pair of products with unsigned bytes saturates in 16 bits, as some processors' sums do."""
    return RANDOM.integers(-64, 64, shape).astype(np.int8)


def value_info(name, array):
    return helper.make_tensor_value_info(name, TYPES[array.dtype.name], array.shape)


class Cases:
    def __init__(self):
        self.pack = Pack(onnxruntime.__version__)
        self.count = 0

    def add(self, name, op, inputs, outputs=1, domain="com.microsoft", constants=(), **attributes):
        """Runs one node on the arrays (None: left out) and packs it. `constants` are numbers of inputs that are stored
        in the model; `outputs` are names ("": left out) or their number."""
        outputs = [f"y{i}" for i in range(outputs)] if isinstance(outputs, int) else outputs
        names = [f"x{i}" if array is not None else "" for i, array in enumerate(inputs)]
        given = {n: a for i, (n, a) in enumerate(zip(names, inputs)) if a is not None and i not in constants}
        stored = {n: a for i, (n, a) in enumerate(zip(names, inputs)) if a is not None and i in constants}
        node = helper.make_node(op, names, outputs, name="node", domain=domain, **attributes)
        asked = [output for output in outputs if output]
        graph = helper.make_graph(
            [node],
            "g",
            [value_info(*item) for item in given.items()],
            [onnx.ValueInfoProto(name=output) for output in asked],
            [numpy_helper.from_array(array, n) for n, array in stored.items()],
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        results = session.run(None, given)
        del model.graph.output[:]
        model.graph.output.extend(map(value_info, asked, results))
        data = [[list(map(tensor, given.values())), list(map(tensor, results))]]
        self.pack.add("onnxruntime", name, model, data)
        self.count += 1


def activations(cases):
    """Activations with merged biases."""
    cases.add("gelu", "Gelu", [reals(3, 5)])
    cases.add("bias_gelu", "BiasGelu", [reals(2, 3, 8), reals(8)])
    cases.add("fast_gelu", "FastGelu", [reals(2, 8)])
    cases.add("fast_gelu_bias", "FastGelu", [reals(2, 3, 8), reals(8)])
    cases.add("quick_gelu", "QuickGelu", [reals(4, 6)])
    cases.add("quick_gelu_alpha", "QuickGelu", [reals(4, 6)], alpha=0.7)


def normalizations(cases):
    """Normalizations with merged sums and look-ups."""
    cases.add(
        "skip_ln",
        "SkipLayerNormalization",
        [reals(2, 3, 8), reals(2, 3, 8), reals(8), reals(8), reals(8)],
        ["y0", "", "", "y3"],
        epsilon=1e-5,
    )
    cases.add("skip_ln_plain", "SkipLayerNormalization", [reals(2, 3, 8), reals(2, 3, 8), reals(8)])
    cases.add("skip_ln_broadcast", "SkipLayerNormalization", [reals(2, 3, 8), reals(3, 8), reals(8), reals(8)])
    cases.add(
        "skip_ln_broadcast1",
        "SkipLayerNormalization",
        [reals(2, 3, 8), reals(1, 3, 8), reals(8), reals(8), None],
        ["y0", "", "", "y3"],
    )
    cases.add(
        "skip_rms",
        "SkipSimplifiedLayerNormalization",
        [reals(2, 3, 8), reals(2, 3, 8), reals(8)],
        ["y0", "", "", "y3"],
        epsilon=1e-6,
    )
    cases.add(
        "skip_rms_bias", "SkipSimplifiedLayerNormalization", [reals(2, 3, 8), reals(2, 3, 8), reals(8), reals(8)]
    )
    cases.add("rms", "SimplifiedLayerNormalization", [reals(2, 3, 8), reals(8)], domain="", epsilon=1e-6, axis=-1)
    ids = RANDOM.integers(0, 10, (2, 4)).astype(np.int32)
    seg = RANDOM.integers(0, 2, (2, 4)).astype(np.int32)
    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    cases.add(
        "embed",
        "EmbedLayerNormalization",
        [ids, seg, reals(10, 8), reals(6, 8), reals(2, 8), reals(8), reals(8), mask],
        ["y0", "y1"],
    )
    cases.add(
        "embed_sum",
        "EmbedLayerNormalization",
        [ids, seg, reals(10, 8), reals(6, 8), reals(2, 8), reals(8), reals(8)],
        ["y0", "y1", "y2"],
        epsilon=1e-5,
    )
    cases.add(
        "embed_no_segment",
        "EmbedLayerNormalization",
        [ids, None, reals(10, 8), reals(6, 8), None, reals(8), reals(8), mask],
        ["y0", "y1"],
    )
    cases.add(
        "embed_positions",
        "EmbedLayerNormalization",
        [
            ids,
            seg,
            reals(10, 8),
            reals(6, 8),
            reals(2, 8),
            reals(8),
            reals(8),
            mask,
            RANDOM.integers(0, 6, (2, 4)).astype(np.int32),
        ],
        ["y0", "y1"],
    )


def products(cases):
    """Products and convolutions with merged transposes, sums and activations."""
    cases.add("fused_matmul", "FusedMatMul", [reals(2, 3, 4), reals(2, 5, 4)], alpha=0.5, transB=1)
    cases.add("fused_matmul_a", "FusedMatMul", [reals(4, 3), reals(4, 5)], transA=1)
    cases.add("fused_matmul_batch", "FusedMatMul", [reals(3, 2, 4), reals(2, 4, 5)], transBatchA=1)
    cases.add("fused_matmul_batch_b", "FusedMatMul", [reals(2, 3, 4), reals(4, 2, 5)], transBatchB=1, alpha=2.0)
    cases.add(
        "fused_matmul_all",
        "FusedMatMul",
        [reals(4, 2, 6, 3), reals(5, 2, 6, 4)],
        transBatchA=1,
        transA=1,
        transBatchB=1,
        transB=1,
    )
    cases.add("fused_matmul_1d", "FusedMatMul", [reals(4), reals(2, 4, 5)], transA=0)
    cases.add("transpose_matmul", "TransposeMatMul", [reals(4, 3), reals(4, 5)], transA=1)
    for a in (
        "Relu",
        "Sigmoid",
        "Tanh",
        "LeakyRelu",
        "HardSigmoid",
        "Softplus",
        "Softsign",
        "Elu",
        "ThresholdedRelu",
    ):
        k = {}
        if a in ("LeakyRelu", "Elu", "ThresholdedRelu"):
            k = dict(activation_alpha=0.3)
        if a == "HardSigmoid":
            k = dict(activation_alpha=0.3, activation_beta=0.4)
        cases.add(
            "fused_gemm_" + a.lower(),
            "FusedGemm",
            [reals(3, 4), reals(4, 5), reals(5)],
            activation=a,
            alpha=0.8,
            beta=1.2,
            **k,
        )
    cases.add(
        "fused_gemm_t", "FusedGemm", [reals(4, 3), reals(5, 4), reals(3, 1)], activation="Relu", transA=1, transB=1
    )
    cases.add("fused_gemm_no_c", "FusedGemm", [reals(3, 4), reals(4, 5)], activation="Relu")
    for a, k in (
        ("Relu", {}),
        ("Tanh", {}),
        ("Sigmoid", {}),
        ("LeakyRelu", dict(activation_params=[0.2])),
        ("Clip", dict(activation_params=[0.0, 0.5])),
        ("HardSigmoid", dict(activation_params=[0.2, 0.6])),
    ):
        cases.add(
            "fused_conv_" + a.lower(),
            "FusedConv",
            [reals(1, 3, 7, 6), reals(4, 3, 3, 3), reals(4)],
            activation=a,
            pads=[1, 1, 1, 1],
            strides=[2, 1],
            kernel_shape=[3, 3],
            **k,
        )
    cases.add(
        "fused_conv_sum",
        "FusedConv",
        [reals(1, 4, 5, 5), reals(4, 2, 3, 3), reals(4), reals(1, 4, 5, 5)],
        activation="Relu",
        pads=[1, 1, 1, 1],
        group=2,
    )
    cases.add("fused_conv_1d", "FusedConv", [reals(1, 4, 9), reals(4, 4, 3)], activation="Relu")
    cases.add("fused_conv_plain_sum", "FusedConv", [reals(1, 4, 5, 5), reals(4, 4, 1, 1), None, reals(1, 4, 5, 5)])
    cases.add(
        "nhwc_max_pool",
        "NhwcMaxPool",
        [unsigned_bytes(1, 6, 5, 3)],
        kernel_shape=[2, 2],
        strides=[2, 1],
        pads=[0, 1, 0, 0],
    )
    cases.add(
        "nhwc_max_pool_s8",
        "NhwcMaxPool",
        [signed_bytes(1, 6, 5, 3)],
        kernel_shape=[3, 3],
        ceil_mode=1,
        strides=[2, 2],
    )
    cases.add(
        "conv_transpose_pads",
        "ConvTransposeWithDynamicPads",
        [reals(1, 3, 4, 4), reals(3, 2, 3, 3), np.array([1, 0, 1, 2], np.int64)],
        constants=(2,),
        strides=[2, 2],
    )
    cases.add("cdist", "CDist", [reals(4, 6), reals(5, 6)], metric="euclidean")
    cases.add("cdist_sq", "CDist", [reals(4, 6), reals(5, 6)], metric="sqeuclidean")


def attentions(cases):
    """Attentions with every form of mask, past and layout that the CPU has."""
    B, S, H, N = 2, 4, 8, 2
    for nm, mk in (
        ("none", None),
        ("flags", np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)),
        ("ends", np.array([3, 2], np.int32)),
        ("ranges", np.array([4, 3, 1, 0], np.int32)),
        ("per_query", RANDOM.integers(0, 2, (B, S, S)).astype(np.int32) | np.eye(S, dtype=np.int32)),
    ):
        for uni in (0, 1):
            cases.add(
                f"attention_{nm}_{uni}",
                "Attention",
                [reals(B, S, 6), reals(6, 3 * H), reals(3 * H), mk],
                num_heads=N,
                unidirectional=uni,
            )
    cases.add(
        "attention_scale",
        "Attention",
        [reals(B, S, 6), reals(6, 3 * H), reals(3 * H)],
        num_heads=N,
        scale=0.3,
        mask_filter_value=-500.0,
    )
    cases.add(
        "attention_bias",
        "Attention",
        [reals(B, S, 6), reals(6, 3 * H), reals(3 * H), None, None, reals(1, N, S, S)],
        num_heads=N,
    )
    cases.add(
        "attention_past",
        "Attention",
        [reals(B, S, 6), reals(6, 3 * H), reals(3 * H), None, reals(2, B, N, 3, H // N)],
        ["y0", "y1"],
        num_heads=N,
        unidirectional=1,
    )
    cases.add(
        "attention_past_mask",
        "Attention",
        [
            reals(B, S, 6),
            reals(6, 3 * H),
            reals(3 * H),
            np.array([[0, 1, 1, 1, 1, 1, 1], [1] * 7], np.int32),
            reals(2, B, N, 3, H // N),
        ],
        ["y0", "y1"],
        num_heads=N,
        unidirectional=1,
    )
    cases.add(
        "attention_sizes",
        "Attention",
        [reals(B, S, 6), reals(6, 8 + 8 + 12), reals(28)],
        num_heads=N,
        qkv_hidden_sizes=[8, 8, 12],
    )
    cases.add("attention_no_bias", "Attention", [reals(B, S, 6), reals(6, 3 * H)], ["y0", "y1"], num_heads=N)
    cases.add("mha", "MultiHeadAttention", [reals(B, S, H), reals(B, 5, H), reals(B, 5, H)], num_heads=N)
    cases.add(
        "mha_bias", "MultiHeadAttention", [reals(B, S, H), reals(B, 5, H), reals(B, 5, H), reals(3 * H)], num_heads=N
    )
    cases.add(
        "mha_values",
        "MultiHeadAttention",
        [reals(B, S, H), reals(B, 5, H), reals(B, 5, 12), reals(H + H + 12)],
        num_heads=N,
        scale=0.4,
    )
    cases.add(
        "mha_self_uni",
        "MultiHeadAttention",
        [reals(B, S, H), reals(B, S, H), reals(B, S, H)],
        num_heads=N,
        unidirectional=1,
    )
    cases.add(
        "mha_mask",
        "MultiHeadAttention",
        [reals(B, S, H), reals(B, S, H), reals(B, S, H), None, np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)],
        num_heads=N,
    )
    cases.add(
        "mha_mask_lengths",
        "MultiHeadAttention",
        [reals(B, S, H), reals(B, S, H), reals(B, S, H), None, np.array([3, 2], np.int32)],
        num_heads=N,
    )
    cases.add(
        "mha_mask3",
        "MultiHeadAttention",
        [
            reals(B, S, H),
            reals(B, S, H),
            reals(B, S, H),
            None,
            RANDOM.integers(0, 2, (B, S, S)).astype(np.int32) | np.eye(S, dtype=np.int32),
        ],
        num_heads=N,
    )
    cases.add(
        "mha_score_bias",
        "MultiHeadAttention",
        [reals(B, S, H), reals(B, 5, H), reals(B, 5, H), None, None, reals(1, N, S, 5)],
        num_heads=N,
    )
    cases.add(
        "mha_score_bias_b",
        "MultiHeadAttention",
        [reals(B, S, H), reals(B, 5, H), reals(B, 5, H), None, None, reals(B, 1, S, 5)],
        num_heads=N,
    )
    cases.add("mha_cross", "MultiHeadAttention", [reals(B, S, H), reals(B, N, 5, 4), reals(B, N, 5, 4)], num_heads=N)
    cases.add(
        "mha_past",
        "MultiHeadAttention",
        [reals(B, 1, H), reals(B, 1, H), reals(B, 1, H), None, None, None, reals(B, N, 3, 4), reals(B, N, 3, 4)],
        ["y0", "y1", "y2"],
        num_heads=N,
    )
    cases.add(
        "mha_past_uni",
        "MultiHeadAttention",
        [
            reals(B, 2, H),
            reals(B, 2, H),
            reals(B, 2, H),
            reals(3 * H),
            None,
            None,
            reals(B, N, 3, 4),
            reals(B, N, 3, 4),
        ],
        ["y0", "y1", "y2"],
        num_heads=N,
        unidirectional=1,
    )
    cases.add(
        "mha_cross_bias",
        "MultiHeadAttention",
        [reals(B, S, H), reals(B, N, 5, 4), reals(B, N, 5, 4), reals(3 * H)],
        num_heads=N,
    )
    M = 10
    ang = np.outer(np.arange(M), 1 / 10 ** (np.arange(4) / 4))
    cos, sin = np.cos(ang).astype(np.float32), np.sin(ang).astype(np.float32)
    p2 = RANDOM.integers(0, M, (B, S)).astype(np.int64)
    for il in (0, 1):
        cases.add(f"rotary_{il}", "RotaryEmbedding", [reals(B, S, 16), p2, cos, sin], interleaved=il)
        cases.add(
            f"rotary_first_{il}",
            "RotaryEmbedding",
            [reals(B, S, 16), np.array([2], np.int64), cos, sin],
            interleaved=il,
        )
        cases.add(f"rotary_4d_{il}", "RotaryEmbedding", [reals(B, 2, S, 8), p2, cos, sin], interleaved=il)
    cases.add("rotary_part", "RotaryEmbedding", [reals(B, S, 24), p2, cos, sin], num_heads=2, rotary_embedding_dim=8)
    cases.add(
        "qattention",
        "QAttention",
        [
            unsigned_bytes(B, S, 8),
            signed_bytes(8, 3 * H),
            reals(3 * H),
            real(0.02),
            real(0.01),
            None,
            np.array(120, np.uint8),
            np.array(3, np.int8),
        ],
        constants=(1, 2, 3, 4, 6, 7),
        num_heads=N,
    )
    cases.add(
        "qattention_columns",
        "QAttention",
        [
            unsigned_bytes(B, S, 8),
            signed_bytes(8, 3 * H),
            reals(3 * H),
            real(0.02),
            np.abs(reals(3 * H)) * 0.01,
            np.array([3, 2], np.int32),
            np.array(120, np.uint8),
            signed_bytes(3 * H),
        ],
        constants=(1, 2, 3, 4, 6, 7),
        num_heads=N,
        unidirectional=1,
    )


def grouped_attentions(cases):
    """Prompts and later steps, with images of different lengths, of GroupQueryAttention."""
    images, groups, size = 2, 2, 16
    angles = np.outer(np.arange(16), 1 / 100 ** (np.arange(size // 2) / (size // 2)))
    rotary = [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]

    def grouped(name, heads, queries, past, total, lengths, packed=False, rotates=True, **attributes):
        width = (heads + 2 * groups) * size if packed else heads * size
        keys = [None, None] if packed else [reals(images, queries, groups * size) for _ in range(2)]
        cache = [reals(images, groups, past, size) for _ in range(2)] if past else [None, None]
        counts = [np.array(lengths, np.int32) - 1, np.array(total, np.int32)]
        inputs = [reals(images, queries, width), *keys, *cache, *counts, *(rotary if rotates else [])]
        cases.add(
            f"grouped_{name}",
            "GroupQueryAttention",
            inputs,
            3,
            constants=(6, 7, 8),
            num_heads=heads,
            kv_num_heads=groups,
            do_rotary=int(rotates),
            **attributes,
        )

    grouped("prompt", 4, 5, 0, 5, [5, 5])
    grouped("prompt_plain", 2, 5, 0, 5, [5, 5], rotates=False, scale=0.3)
    grouped("step", 4, 1, 6, 7, [7, 7])
    grouped("step_lengths", 4, 1, 6, 7, [7, 5])
    grouped("step_room", 4, 1, 12, 7, [7, 7])
    grouped("step_packed", 4, 1, 6, 7, [7, 7], packed=True)
    grouped("prompt_packed", 6, 4, 0, 4, [4, 4], packed=True)
    grouped("window", 4, 6, 0, 6, [6, 6], local_window_size=3)
    grouped("step_window", 4, 1, 6, 7, [7, 7], local_window_size=3)
    grouped("softcap", 4, 5, 0, 5, [5, 5], softcap=2.0)
    grouped("interleaved", 4, 5, 0, 5, [5, 5], rotary_interleaved=1)


def quantised(cases):
    """Operators on quantised tensors."""
    cases.add(
        "qconv_last",
        "QLinearConv",
        [
            unsigned_bytes(1, 5, 6, 3),
            real(0.03),
            np.array(128, np.uint8),
            signed_bytes(4, 3, 3, 3),
            real([0.01, 0.02, 0.03, 0.01]),
            np.zeros(4, np.int8),
            real(0.1),
            np.array(120, np.uint8),
            RANDOM.integers(-99, 99, 4).astype(np.int32),
        ],
        constants=tuple(range(1, 9)),
        channels_last=1,
        pads=[1, 1, 1, 1],
        strides=[1, 2],
    )
    cases.add(
        "qwhere",
        "QLinearWhere",
        [
            RANDOM.integers(0, 2, (3, 4)).astype(bool),
            unsigned_bytes(3, 4),
            real(0.03),
            np.array(128, np.uint8),
            unsigned_bytes(3, 4),
            real(0.05),
            np.array(100, np.uint8),
            real(0.06),
            np.array(110, np.uint8),
        ],
        constants=(2, 3, 5, 6, 7, 8),
    )


def forms(cases):
    """ONNX's operators under the domain com.microsoft."""
    cases.add("trilu", "Trilu", [reals(2, 4, 4), np.array(1, np.int64)], constants=(1,), upper=1)
    cases.add("gather_nd", "GatherND", [reals(3, 4, 2), np.array([[0, 1], [2, 3]], np.int64)])
    cases.add(
        "grid_sample",
        "GridSample",
        [reals(1, 2, 5, 5), RANDOM.uniform(-1.2, 1.2, (1, 3, 4, 2)).astype(np.float32)],
        mode="bilinear",
        padding_mode="border",
        align_corners=1,
    )
    cases.add(
        "grid_sample_nearest",
        "GridSample",
        [reals(1, 2, 5, 5), RANDOM.uniform(-1.2, 1.2, (1, 3, 4, 2)).astype(np.float32)],
        mode="nearest",
        padding_mode="reflection",
    )
    cases.add("range", "Range", [real(1), real(5), real(1.5)], constants=(0, 1, 2))
    cases.add("range2", "Range", [np.array(2, np.int64), np.array(6, np.int64)], constants=(0, 1))
    cases.add("pad", "Pad", [reals(2, 3), np.array([0, 1, 1, 2], np.int64), real(7)], constants=(1, 2))
    cases.add("pad_reflect", "Pad", [reals(3, 4), np.array([[1, 1, 1, 2]], np.int64)], constants=(1,), mode="reflect")
    cases.add("expand_dims", "ExpandDims", [reals(2, 3), np.array(-1, np.int32)], constants=(1,))
    cases.add("expand_dims1", "ExpandDims", [reals(2, 3), np.array(1, np.int32)], constants=(1,))
    cases.add("unique", "Unique", [np.array([2, 1, 3, 1, 2, 5], np.float32)], 3)


def block_quantised(cases):
    """Weights of 2, 4 and 8 bits."""
    for bits in (2, 4, 8):
        for K, block, zp, bias in ((64, 32, 0, 0), (40, 16, 1, 1), (33, 16, 1, 0), (128, 128, 0, 1), (96, 32, 2, 0)):
            if bits == 8 and zp == 2:
                continue  # its CPU has no real zero points of 8-bit weights
            nb = -(-K // block)
            n = 6
            nbyte = block * bits // 8
            ins = [reals(2, 3, K), unsigned_bytes(n, nb, nbyte), np.abs(reals(n * nb)) * 0.1]
            if zp == 1:
                ins.append(unsigned_bytes(n * (-(-nb * bits // 8))))
            if zp == 2:
                ins.append((reals(n * nb) + 2 ** (bits - 1)).astype(np.float32))
            if bias:
                while len(ins) < 5:
                    ins.append(None)
                ins.append(reals(n))
            cases.add(
                f"matmul_{bits}bits_{K}_{block}_{zp}",
                "MatMulNBits",
                ins,
                constants=tuple(i for i in range(1, 6)),
                K=K,
                N=n,
                bits=bits,
                block_size=block,
            )
    cases.add(
        "gather_block",
        "GatherBlockQuantized",
        [unsigned_bytes(6, 32), np.array([[1, 5], [0, 3]], np.int64), np.abs(reals(6, 4)) * 0.1],
        constants=(0, 2),
        bits=4,
        block_size=16,
        gather_axis=0,
        quantize_axis=1,
    )
    cases.add(
        "gather_block_zero",
        "GatherBlockQuantized",
        [unsigned_bytes(6, 32), np.array([4, 0], np.int64), np.abs(reals(6, 4)) * 0.1, unsigned_bytes(6, 2)],
        constants=(0, 2, 3),
        bits=4,
        block_size=16,
        gather_axis=0,
        quantize_axis=1,
    )
    cases.add(
        "gather_block8",
        "GatherBlockQuantized",
        [unsigned_bytes(6, 32), np.array([4, 0], np.int64), np.abs(reals(6, 2)) * 0.1],
        constants=(0, 2),
        bits=8,
        block_size=16,
        gather_axis=0,
        quantize_axis=1,
    )


def four_bit_tables(cases):
    """Tables of 4-bit types in blocks, whose zero point is 0 unless given, and rows that end in a partial block."""
    for name, kind, low in (("uint4", TensorProto.UINT4, 0), ("int4", TensorProto.INT4, -8)):
        dtype = helper.tensor_dtype_to_np_dtype(kind)

        def integers(*shape):
            return RANDOM.integers(low, low + 16, shape).astype(dtype)

        for columns, zeros in ((32, False), (24, True), (7, False)):
            blocks = -(-columns // 16)
            cases.add(
                f"gather_block_{name}_{columns}",
                "GatherBlockQuantized",
                [integers(6, columns), np.array([4, 0], np.int64), np.abs(reals(6, blocks)) * 0.1]
                + ([integers(6, blocks)] if zeros else []),
                constants=(0, 2, 3),
                block_size=16,
            )
    cases.add(
        "gather_block_partial",
        "GatherBlockQuantized",
        [unsigned_bytes(6, 12), np.array([4, 0], np.int64), np.abs(reals(6, 2)) * 0.1],
        constants=(0, 2),
        bits=4,
        block_size=16,
    )


def further(cases):
    """Compositions of ONNX's operators, over several shapes each."""
    for n, batch in ((1, 1), (2, 3), (5, 2), (9, 1)):
        cases.add(f"inverse_{n}", "Inverse", [reals(batch, n, n)])
    for mode in ("bilinear", "nearest"):
        for images, size in ((1, (3, 5)), (2, (1, 4)), (3, (6, 6))):
            corners = RANDOM.random((4, 4)).astype(np.float32)
            corners[3] = (0.0, 0.0, 1.0, 1.0)
            corners[2, 3] = 1.4
            cases.add(
                f"crop_{mode}_{images}",
                "CropAndResize",
                [reals(images, 2, 6, 7), corners, RANDOM.integers(0, images, 4).astype(np.int32), np.array(size, np.int32)],
                constants=(3,),
                mode=mode,
                extrapolation_value=0.5,
            )
    order = (RANDOM.permutation(64) // 16).astype(np.int32)  # its CPU reads an order for 4 bits alone
    weights = [unsigned_bytes(6, 4, 8), np.abs(reals(24)) * 0.1]
    cases.add("matmul_4bits_ordered", "MatMulNBits", [reals(2, 3, 64), *weights, None, order],
              constants=(1, 2, 3, 4), K=64, N=6, bits=4, block_size=16)
    for mode in ("TF", "IDF", "TFIDF"):
        cases.add(f"ngrams_{mode}", "TfIdfVectorizer", [RANDOM.integers(0, 4, (3, 9)).astype(np.int64)], domain="", mode=mode,
                  min_gram_length=1, max_gram_length=2, max_skip_count=2, ngram_counts=[0, 3], ngram_indexes=[4, 0, 1, 3, 2],
                  pool_int64s=[0, 2, 3, 1, 2, 3, 3], weights=[0.5, 2.0, 3.0, 4.0, 5.0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default=f"{FOLDER}/runtime_cases.gz")
    options = parser.parse_args()
    cases = Cases()
    families = [activations, normalizations, products, attentions, quantised, block_quantised, forms]
    for family in [*families, four_bit_tables, grouped_attentions, further]:
        family(cases)
    with open(options.output, "wb") as file:
        file.write(gzip.compress(b"".join(cases.pack.parts), 9, mtime=0))
    print(f"{cases.count} cases, {os.path.getsize(options.output)} bytes")


if __name__ == "__main__":
    main()
