"""Decoders that ONNX Runtime GenAI's model builder writes, from configurations of transformers with random weights."""
import os

from torch_models import HEADS, common


def model(name):
    import transformers as t
    shared = common(num_key_value_heads=2, max_position_embeddings=512)
    return {"llama": lambda: t.LlamaForCausalLM(t.LlamaConfig(**shared)), "qwen3": lambda: t.Qwen3ForCausalLM(t.Qwen3Config(**shared, head_dim=32)),
            "mistral": lambda: t.MistralForCausalLM(t.MistralConfig(**shared, head_dim=32)),
            "gemma2": lambda: t.Gemma2ForCausalLM(t.Gemma2Config(**shared, head_dim=32, query_pre_attn_scalar=HEADS, sliding_window=8))}[name]()


class NoTokeniser:
    """Random weights have no tokeniser. The builder asks it for nothing that the model depends on."""

    def get_vocab(self):
        return {}

    def __getattr__(self, name):
        return (lambda *_, **__: None) if name.startswith("save") else None


def write(path, name):
    import torch
    import transformers
    transformers.AutoTokenizer.from_pretrained = lambda *_, **__: NoTokeniser()
    from onnxruntime_genai.models import builder
    kind, precision = name.split()
    torch.manual_seed(0)
    source, made = path + ".source", path + ".made"
    model(kind).save_pretrained(source)
    arguments = (None, source, made, precision, "cpu", path + ".cache")
    builder.create_model(*arguments, **builder.parse_extra_options(*arguments, []))
    # The weights lie beside the model under the name that it has for them.
    import onnx
    onnx.save(onnx.load(os.path.join(made, "model.onnx")), path)
