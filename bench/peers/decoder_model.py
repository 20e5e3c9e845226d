"""Decoders with random weights in the shapes of real ones, as ONNX Runtime GenAI's builder writes them: grouped
attention with a cache, and weights in float32 or in blocks of 4 bits (MatMulNBits)."""
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


class Writer:
    """Writes one model; see write."""

    def __init__(self, shape, weights):
        self.layers, self.wide, self.heads, self.key_heads, self.size, self.inside, self.vocabulary = SHAPES[shape]
        self.weights = weights
        self.random, self.nodes, self.values = numpy.random.default_rng(1), [], []

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

    def dense(self, x, rows, columns):
        """x times a matrix of rows x columns."""
        scale = rows**-0.5
        if self.weights == "float32":
            return self.node("MatMul", x, self.constant(self.numbers(rows, columns, scale=scale)))
        blocks = rows // BLOCK
        packed = self.random.integers(0, 256, (columns, blocks, BLOCK // 2), dtype=numpy.uint8)
        scales = numpy.abs(self.numbers(columns, blocks, scale=0.05)) * 4 * scale + 0.1 * scale
        return self.node("MatMulNBits", x, self.constant(packed), self.constant(scales.astype(numpy.float32)),
                         domain="com.microsoft", K=rows, N=columns, bits=4, block_size=BLOCK, accuracy_level=4)

    def norm(self, x):
        weight = self.constant(1 + self.numbers(self.wide, scale=0.1))
        return self.node("SimplifiedLayerNormalization", x, weight, axis=-1, epsilon=1e-5)

    def attention(self, x, layer, lengths, total):
        past = [f"past_key_values.{layer}.{kind}" for kind in ("key", "value")]
        present = [f"present.{layer}.{kind}" for kind in ("key", "value")]
        rows = [self.dense(x, self.wide, heads * self.size) for heads in (self.heads, self.key_heads, self.key_heads)]
        mixed = self.node("GroupQueryAttention", *rows, *past, lengths, total, self.cosines, self.sines,
                          outputs=[f"attention_{layer}", *present], domain="com.microsoft", num_heads=self.heads,
                          kv_num_heads=self.key_heads, do_rotary=1, rotary_interleaved=0)
        return self.dense(mixed, self.heads * self.size, self.wide)

    def feed_forward(self, x):
        gate, up = self.dense(x, self.wide, self.inside), self.dense(x, self.wide, self.inside)
        return self.dense(self.node("Mul", self.node("Mul", gate, self.node("Sigmoid", gate)), up), self.inside, self.wide)

    def write(self, path):
        angles = numpy.arange(POSITIONS)[:, None] / 10000 ** (numpy.arange(0, self.size, 2) / self.size)
        self.cosines = self.constant(numpy.cos(angles).astype(numpy.float32))
        self.sines = self.constant(numpy.sin(angles).astype(numpy.float32))
        one, last = self.constant(numpy.array([1])), self.constant(numpy.array(1))
        seen = self.node("ReduceSum", "attention_mask", one, keepdims=0)
        lengths = self.node("Cast", self.node("Sub", seen, one), to=onnx.TensorProto.INT32)
        total = self.node("Gather", self.node("Shape", "attention_mask"), last, axis=0)
        total = self.node("Cast", total, to=onnx.TensorProto.INT32)
        x = self.node("Gather", self.constant(self.numbers(self.vocabulary, self.wide, scale=1)), "input_ids", axis=0)
        for layer in range(self.layers):
            x = self.node("Add", x, self.attention(self.norm(x), layer, lengths, total))
            x = self.node("Add", x, self.feed_forward(self.norm(x)))
        logits = self.dense(self.norm(x), self.wide, self.vocabulary)
        self.node("Identity", logits, outputs=["logits"])
        self.save(path)

    def save(self, path):
        declare = onnx.helper.make_tensor_value_info
        integers, floats = onnx.TensorProto.INT64, onnx.TensorProto.FLOAT
        inputs = [declare("input_ids", integers, [1, "seq"]), declare("attention_mask", integers, [1, "total"])]
        outputs = [declare("logits", floats, [1, "seq", self.vocabulary])]
        for layer in range(self.layers):
            for kind in ("key", "value"):
                heads = [1, self.key_heads]
                inputs.append(declare(f"past_key_values.{layer}.{kind}", floats, [*heads, "past", self.size]))
                outputs.append(declare(f"present.{layer}.{kind}", floats, [*heads, "total", self.size]))
        graph = onnx.helper.make_graph(self.nodes, "decoder", inputs, outputs, self.values)
        opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("com.microsoft", 1)]
        model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=9)
        onnx.save(model, path, save_as_external_data=True, location="decoder.data")


def write(path, shape, weights):
    """Writes the model of a shape in SHAPES, with its data beside it. `weights` is "float32" or "int4"."""
    Writer(shape, weights).write(path)
