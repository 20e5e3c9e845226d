"""Writes a decoder of decoder_model.py as a GGUF file for llama.cpp, with the same integers and scales."""
import gguf
import numpy

import decoder_model

KINDS = {8: gguf.GGMLQuantizationType.Q8_0, 4: gguf.GGMLQuantizationType.Q4_0}


def blocks(matrix, bits):
    """MatMulNBits' integers and scales as rows of Q4_0 or Q8_0 blocks: a scale in float16, then the integers."""
    packed, scales = matrix
    if bits == 8:
        values = (packed ^ 128).astype(numpy.uint8)
    else:
        each = numpy.stack([packed & 15, packed >> 4], axis=-1).reshape(*packed.shape[:2], decoder_model.BLOCK)
        half = decoder_model.BLOCK // 2
        values = each[..., :half] | each[..., half:] << 4
    halves = scales.astype(numpy.float16)[..., None].view(numpy.uint8)
    return numpy.concatenate([halves, values], axis=-1).reshape(len(packed), -1)


def pairs_side_by_side(rows, heads):
    """llama.cpp turns neighbours of a head, where ONNX turns element i and i + size / 2."""
    return rows.reshape(heads, 2, len(rows) // heads // 2, -1).swapaxes(1, 2).reshape(rows.shape)


def add_words(writer, vocabulary):
    """A vocabulary without meaning, which the format asks for."""
    words = [b"<unk>", b"<s>", b"</s>"] + [b"<0x%02X>" % i for i in range(256)]
    words += [b"t%d" % i for i in range(vocabulary - len(words))]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(words)
    writer.add_token_scores([0.0] * vocabulary)
    writer.add_token_types([2, 3, 3] + [6] * 256 + [1] * (vocabulary - 259))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)


def write(path, model):
    """`model` is a decoder_model.Writer that has written its own file; its vocabulary has at least 259 words."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(decoder_model.POSITIONS)
    writer.add_embedding_length(model.wide)
    writer.add_block_count(model.layers)
    writer.add_feed_forward_length(model.inside)
    writer.add_head_count(model.heads)
    writer.add_head_count_kv(model.key_heads)
    writer.add_key_length(model.size)
    writer.add_value_length(model.size)
    writer.add_layer_norm_rms_eps(decoder_model.EPSILON)
    writer.add_rope_dimension_count(model.size)
    writer.add_rope_freq_base(decoder_model.BASE)
    writer.add_vocab_size(model.vocabulary)
    add_words(writer, model.vocabulary)
    for name, values in model.vectors.items():
        writer.add_tensor(name + ".weight", values)
    for name, matrix in model.matrices.items():
        rows = numpy.ascontiguousarray(matrix.T) if model.bits == 32 else blocks(matrix, model.bits)
        heads = {"attn_q": model.heads, "attn_k": model.key_heads}.get(name.rsplit(".", 1)[-1])
        rows = pairs_side_by_side(rows, heads) if heads else rows
        writer.add_tensor(name + ".weight", rows, raw_dtype=None if model.bits == 32 else KINDS[model.bits])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
