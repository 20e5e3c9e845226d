"""Whisper's decoder as optimum merges it: one file whose If runs the first step, or a later one with a cache.

Both branches share their weights. A later step does not give the keys and values of the encoder again: these outputs are
constants without elements there, and the caller keeps what the first step gave.
"""
import onnx
import torch

from torch_models import HEADS, WIDE, whisper_config, words

LAYERS, SOUND = 2, 100
KINDS = ("decoder.key", "decoder.value", "encoder.key", "encoder.value")


class Step(torch.nn.Module):
    """The decoder with flat caches. The first step takes the encoder's states, a later one the caches."""

    def __init__(self, model, is_first):
        super().__init__()
        self.model, self.is_first = model.eval(), is_first

    def forward(self, input_ids, encoder_hidden_states, *past):
        from transformers.cache_utils import DynamicCache, EncoderDecoderCache
        cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
        for i in range(0 if self.is_first else LAYERS):
            own = past[4 * i:4 * i + 4]
            cache.self_attention_cache.update(own[0], own[1], i)
            cache.cross_attention_cache.update(own[2], own[3], i)
            cache.is_updated[i] = True
        result = self.model.model.decoder(input_ids=input_ids, encoder_hidden_states=encoder_hidden_states, past_key_values=cache, use_cache=True)
        kept = []
        for i in range(LAYERS):
            layer = result.past_key_values.self_attention_cache.layers[i]
            kept += [layer.keys, layer.values]
            if self.is_first:
                layer = result.past_key_values.cross_attention_cache.layers[i]
                kept += [layer.keys, layer.values]
        return (self.model.proj_out(result.last_hidden_state), *kept)


def names(prefix, kinds=KINDS):
    return [f"{prefix}.{i}.{kind}" for i in range(LAYERS) for kind in kinds]


def exported(path, model, is_first):
    inputs = {"input_ids": words(1, 3), "encoder_hidden_states": torch.randn(1, SOUND, WIDE)}
    free = {"input_ids": {0: "batch_size", 1: "decoder_sequence_length"}, "encoder_hidden_states": {0: "batch_size"}}
    if not is_first:
        for name in names("past_key_values"):
            length = 5 if "decoder" in name else SOUND
            inputs[name] = torch.randn(1, HEADS, length, WIDE // HEADS)
            free[name] = {0: "batch_size", **({2: "past_decoder_sequence_length"} if length == 5 else {})}
    outputs = ["logits", *names("present", KINDS if is_first else KINDS[:2])]
    torch.onnx.export(Step(model, is_first), tuple(inputs.values()), path, input_names=list(inputs), output_names=outputs, dynamic_axes=free,
                      opset_version=17, dynamo=False)
    return onnx.load(path)


def branch(graph, outputs):
    """The graph as a branch, which reads what is around it. Outputs that it lacks have no elements."""
    made = [each.name for each in graph.output]
    nodes = list(graph.node)
    for name in outputs:
        if name not in made:
            empty = onnx.helper.make_tensor(name, onnx.TensorProto.FLOAT, [0, HEADS, 1, WIDE // HEADS], [])
            nodes.append(onnx.helper.make_node("Constant", [], [name], value=empty))
    values = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in outputs]
    return onnx.helper.make_graph(nodes, graph.name, [], values)


def renamed(graph, prefix, kept):
    """Names of values within the graph get the prefix, so that both branches may lie in one file."""
    def name_of(name):
        return name if not name or name in kept else prefix + name
    for node in graph.node:
        node.input[:] = [name_of(name) for name in node.input]
        node.output[:] = [name_of(name) for name in node.output]
        node.name = prefix + node.name
    for tensor in graph.initializer:
        tensor.name = name_of(tensor.name)
    return graph


def merged(path):
    from transformers import WhisperForConditionalGeneration
    torch.manual_seed(0)
    model = WhisperForConditionalGeneration(whisper_config())
    with torch.no_grad():
        first, later = exported(path + ".first", model, True), exported(path + ".later", model, False)
    outputs = [each.name for each in first.graph.output]
    inputs = {each.name: each for graph in (first.graph, later.graph) for each in graph.input}
    kept = {*inputs, *outputs}
    graphs = [renamed(each.graph, prefix, kept) for each, prefix in ((first, "first/"), (later, "later/"))]
    bytes_of, weights, same = {}, [], {}
    for tensor in (tensor for graph in graphs for tensor in graph.initializer):
        key = (tuple(tensor.dims), tensor.data_type, tensor.raw_data)
        same[tensor.name] = bytes_of.setdefault(key, tensor.name)
        if same[tensor.name] == tensor.name:
            weights.append(tensor)
    for node in (node for graph in graphs for node in graph.node):
        node.input[:] = [same.get(name, name) for name in node.input]
    use = onnx.helper.make_tensor_value_info("use_cache_branch", onnx.TensorProto.BOOL, [1])
    chosen = onnx.helper.make_node("If", ["use_cache_branch"], outputs, name="optimum::if", then_branch=branch(graphs[1], outputs),
                                   else_branch=branch(graphs[0], outputs))
    values = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in outputs]
    whole = onnx.helper.make_graph([chosen], "merged", [*inputs.values(), use], values, weights)
    onnx.save(onnx.helper.make_model(whole, opset_imports=later.opset_import, ir_version=9), path)
