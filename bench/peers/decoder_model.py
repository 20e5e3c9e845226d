"""Decoders with random weights in the shapes of real ones, as ONNX Runtime GenAI's builder writes them: grouped
attention with a cache, weights in float32 or in blocks of 4 or 8 bits (MatMulNBits), logits of the last token alone."""
import os

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper

# layers, hidden width, heads, heads of keys, size of a head, width inside, vocabulary
SHAPES = {
    "tiny": (2, 64, 4, 2, 16, 128, 300),
    "smollm2-135m": (30, 576, 9, 3, 64, 1536, 49152),
    "qwen3-0.6b": (28, 1024, 16, 8, 128, 3072, 151936),
    "llama-3.2-1b": (16, 2048, 32, 8, 64, 8192, 128256),
}
BLOCK = 32
POSITIONS = 8192
EPSILON, BASE = 1e-5, 10000.0  # of norms; of the angles of positions


class Writer:
    """Writes one model; see write."""

    def __init__(self, shape, weights):
        self.layers, self.wide, self.heads, self.key_heads, self.size, self.inside, self.vocabulary = SHAPES[shape]
        self.bits = {"float32": 32, "int8": 8, "int4": 4}[weights]
        self.random, self.nodes, self.values = numpy.random.default_rng(1), [], []
        # By name: float32 of inputs x outputs, or integers and scales as MatMulNBits has them; norms and the embedding.
        self.matrices, self.vectors = {}, {}

    def node(self, op, *inputs, outputs=None, domain="", **attributes):
        name = f"{op}_{len(self.nodes)}"
        made = onnx.helper.make_node(op, list(inputs), outputs or [name], name=name, domain=domain, **attributes)
        self.nodes.append(made)
        return made.output[0]

    def constant(self, value):
        name = f"c{len(self.values)}"
        self.values.append(onnx.numpy_helper.from_array(numpy.ascontiguousarray(value), name))
        return name

    def numbers(self, *shape, scale):
        return (self.random.standard_normal(shape, dtype=numpy.float32) * scale).astype(numpy.float32)

    def dense(self, x, rows, columns, name):
        """x times a matrix of rows x columns."""
        scale = rows**-0.5
        if self.bits == 32:
            self.matrices[name] = self.numbers(rows, columns, scale=scale)
            return self.node("MatMul", x, self.constant(self.matrices[name]))
        blocks = rows // BLOCK
        packed = self.random.integers(0, 256, (columns, blocks, BLOCK * self.bits // 8), dtype=numpy.uint8)
        scales = numpy.abs(self.numbers(columns, blocks, scale=0.05)) * 4 * scale + 0.1 * scale
        # Numbers that float16 holds, which is what other systems keep.
        scales = (scales / (1 if self.bits == 4 else 16)).astype(numpy.float16).astype(numpy.float32)
        self.matrices[name] = packed, scales
        return self.node("MatMulNBits", x, self.constant(packed), self.constant(scales), domain="com.microsoft", K=rows,
                         N=columns, bits=self.bits, block_size=BLOCK, accuracy_level=4)

    def norm(self, x, name):
        self.vectors[name] = 1 + self.numbers(self.wide, scale=0.1)
        weight = self.constant(self.vectors[name])
        return self.node("SimplifiedLayerNormalization", x, weight, axis=-1, epsilon=EPSILON)

    def attention(self, x, layer, lengths, total):
        past = [f"past_key_values.{layer}.{kind}" for kind in ("key", "value")]
        present = [f"present.{layer}.{kind}" for kind in ("key", "value")]
        heads = {"q": self.heads, "k": self.key_heads, "v": self.key_heads}
        rows = [self.dense(x, self.wide, heads[of] * self.size, f"blk.{layer}.attn_{of}") for of in heads]
        mixed = self.node("GroupQueryAttention", *rows, *past, lengths, total, self.cosines, self.sines,
                          outputs=[f"attention_{layer}", *present], domain="com.microsoft", num_heads=self.heads,
                          kv_num_heads=self.key_heads, do_rotary=1, rotary_interleaved=0)
        return self.dense(mixed, self.heads * self.size, self.wide, f"blk.{layer}.attn_output")

    def feed_forward(self, x, layer):
        gate, up = (self.dense(x, self.wide, self.inside, f"blk.{layer}.ffn_{of}") for of in ("gate", "up"))
        inner = self.node("Mul", self.node("Mul", gate, self.node("Sigmoid", gate)), up)
        return self.dense(inner, self.inside, self.wide, f"blk.{layer}.ffn_down")

    def write(self, path):
        angles = numpy.arange(POSITIONS)[:, None] / BASE ** (numpy.arange(0, self.size, 2) / self.size)
        self.cosines = self.constant(numpy.cos(angles).astype(numpy.float32))
        self.sines = self.constant(numpy.sin(angles).astype(numpy.float32))
        one, last = self.constant(numpy.array([1])), self.constant(numpy.array(1))
        seen = self.node("ReduceSum", "attention_mask", one, keepdims=0)
        lengths = self.node("Cast", self.node("Sub", seen, one), to=onnx.TensorProto.INT32)
        total = self.node("Gather", self.node("Shape", "attention_mask"), last, axis=0)
        total = self.node("Cast", total, to=onnx.TensorProto.INT32)
        self.vectors["token_embd"] = self.numbers(self.vocabulary, self.wide, scale=1)
        x = self.node("Gather", self.constant(self.vectors["token_embd"]), "input_ids", axis=0)
        for layer in range(self.layers):
            x = self.node("Add", x, self.attention(self.norm(x, f"blk.{layer}.attn_norm"), layer, lengths, total))
            x = self.node("Add", x, self.feed_forward(self.norm(x, f"blk.{layer}.ffn_norm"), layer))
        x = self.node("Gather", self.norm(x, "output_norm"), self.constant(numpy.array([-1])), axis=1)
        self.node("Identity", self.dense(x, self.wide, self.vocabulary, "output"), outputs=["logits"])
        self.save(path)

    def save(self, path):
        declare = onnx.helper.make_tensor_value_info
        integers, floats = onnx.TensorProto.INT64, onnx.TensorProto.FLOAT
        inputs = [declare("input_ids", integers, [1, "seq"]), declare("attention_mask", integers, [1, "total"])]
        outputs = [declare("logits", floats, [1, 1, self.vocabulary])]
        for layer in range(self.layers):
            for kind in ("key", "value"):
                heads = [1, self.key_heads]
                inputs.append(declare(f"past_key_values.{layer}.{kind}", floats, [*heads, "past", self.size]))
                outputs.append(declare(f"present.{layer}.{kind}", floats, [*heads, "total", self.size]))
        graph = onnx.helper.make_graph(self.nodes, "decoder", inputs, outputs, self.values)
        opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("com.microsoft", 1)]
        model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=9)
        onnx.save(model, path, save_as_external_data=True, location=os.path.basename(path) + ".data")


def write(path, shape, weights):
    """Writes the model of a shape in SHAPES, with its data beside it, and returns its writer. `weights` is "float32",
    "int8" or "int4"."""
    writer = Writer(shape, weights)
    writer.write(path)
    return writer


def cache_bytes(shape, length):
    """Bytes of keys and values in float32."""
    layers, _, _, heads, size, _, _ = SHAPES[shape]
    return 2 * 4 * layers * heads * size * length


def products(shape):
    """Multiply-adds with weights for one token: all layers, and the logits."""
    layers, wide, heads, key_heads, size, inside, vocabulary = SHAPES[shape]
    return layers * (2 * wide * size * (heads + key_heads) + 3 * wide * inside), wide * vocabulary


def weight_bytes(shape, weights):
    """Bytes of weights that one token reads, with a float32 scale a block."""
    each = {"float32": 4, "int8": 1 + 4 / BLOCK, "int4": 0.5 + 4 / BLOCK}[weights]
    return sum(products(shape)) * each
