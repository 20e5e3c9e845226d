"""Networks of transformers, diffusers and timm at true structure and small size, with random weights.

`NETWORKS` gives a function for each name. It returns a Network: the module, its example inputs, and the names of the
dimensions that an exporter leaves free.
"""
import dataclasses

import torch

WIDE, HEADS, INSIDE, WORDS = 128, 4, 512, 1000


@dataclasses.dataclass
class Network:
    module: torch.nn.Module
    inputs: dict  # name and example, in the module's order
    free: dict = dataclasses.field(default_factory=dict)  # of an input: {axis: name}
    outputs: tuple = ("output",)


class Picked(torch.nn.Module):
    """Calls a model by names and returns the fields that are asked for."""

    def __init__(self, model, names, fields, **fixed):
        super().__init__()
        self.model, self.names, self.fields, self.fixed = model.eval(), names, fields, fixed

    def forward(self, *values):
        result = self.model(**dict(zip(self.names, values)), **self.fixed)
        return tuple(result[field] for field in self.fields)


def picked(model, inputs, fields, free, **fixed):
    return Network(Picked(model, list(inputs), fields, **fixed), inputs, free, tuple(fields))


def words(*shape):
    return torch.randint(0, WORDS, shape)


def text_free(*names):
    return {name: {0: "batch", 1: "seq"} for name in names}


def encoder(model, *extra):
    inputs = {"input_ids": words(1, 24), "attention_mask": torch.ones(1, 24, dtype=torch.int64)}
    inputs.update({name: torch.zeros(1, 24, dtype=torch.int64) for name in extra})
    return picked(model, inputs, ("last_hidden_state",), text_free(*inputs))


def common(**more):
    return dict(vocab_size=WORDS, hidden_size=WIDE, num_hidden_layers=2, num_attention_heads=HEADS, intermediate_size=INSIDE, **more)


def bert():
    from transformers import BertConfig, BertModel
    return encoder(BertModel(BertConfig(**common()), add_pooling_layer=False), "token_type_ids")


def roberta():
    from transformers import RobertaConfig, RobertaModel
    return encoder(RobertaModel(RobertaConfig(**common()), add_pooling_layer=False))


def distilbert():
    from transformers import DistilBertConfig, DistilBertModel
    return encoder(DistilBertModel(DistilBertConfig(vocab_size=WORDS, dim=WIDE, n_layers=2, n_heads=HEADS, hidden_dim=INSIDE)))


def deberta():
    from transformers import DebertaV2Config, DebertaV2Model
    return encoder(DebertaV2Model(DebertaV2Config(**common(relative_attention=True, pos_att_type=["p2c", "c2p"], position_buckets=32))))


class WithCache(torch.nn.Module):
    """A decoder whose keys and values come and go as flat inputs and outputs, as optimum exports it."""

    def __init__(self, model, layers):
        super().__init__()
        self.model, self.layers = model.eval(), layers

    def forward(self, input_ids, attention_mask, position_ids, *past):
        from transformers import DynamicCache
        cache = DynamicCache()
        for i in range(self.layers):
            cache.update(past[2 * i], past[2 * i + 1], i)
        result = self.model(input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids, past_key_values=cache,
                            use_cache=True)
        present = []
        for layer in result.past_key_values.layers:
            present += [layer.keys, layer.values]
        return (result.logits, *present)


def decoder(model, layers, key_heads, depth):
    past, seq = 16, 4
    inputs = {"input_ids": words(1, seq), "attention_mask": torch.ones(1, past + seq, dtype=torch.int64),
              "position_ids": torch.arange(past, past + seq)[None]}
    free = {**text_free("input_ids", "position_ids"), "attention_mask": {0: "batch", 1: "past + seq"}}
    outputs = ["logits"]
    for i in range(layers):
        for kind in ("key", "value"):
            inputs[f"past_key_values.{i}.{kind}"] = torch.randn(1, key_heads, past, depth)
            free[f"past_key_values.{i}.{kind}"] = {0: "batch", 2: "past"}
            outputs.append(f"present.{i}.{kind}")
    return Network(WithCache(model, layers), inputs, free, tuple(outputs))


def gpt2():
    from transformers import GPT2Config, GPT2Model
    model = GPT2Model(GPT2Config(vocab_size=WORDS, n_embd=WIDE, n_layer=2, n_head=HEADS, n_positions=512))
    inputs = {"input_ids": words(1, 24), "attention_mask": torch.ones(1, 24, dtype=torch.int64)}
    return picked(model, inputs, ("last_hidden_state",), text_free(*inputs), use_cache=False)


def gpt2_cache():
    from transformers import GPT2Config, GPT2LMHeadModel
    return decoder(GPT2LMHeadModel(GPT2Config(vocab_size=WORDS, n_embd=WIDE, n_layer=2, n_head=HEADS, n_positions=512)), 2, HEADS, WIDE // HEADS)


def llama_cache():
    from transformers import LlamaConfig, LlamaForCausalLM
    return decoder(LlamaForCausalLM(LlamaConfig(**common(num_key_value_heads=2, max_position_embeddings=512))), 2, 2, WIDE // HEADS)


def qwen2_cache():
    from transformers import Qwen2Config, Qwen2ForCausalLM
    return decoder(Qwen2ForCausalLM(Qwen2Config(**common(num_key_value_heads=2, max_position_embeddings=512))), 2, 2, WIDE // HEADS)


def t5_config():
    from transformers import T5Config
    return T5Config(vocab_size=WORDS, d_model=WIDE, d_kv=WIDE // HEADS, d_ff=INSIDE, num_layers=2, num_heads=HEADS)


def t5_encoder():
    from transformers import T5EncoderModel
    return encoder(T5EncoderModel(t5_config()))


def t5_decoder():
    from transformers import T5ForConditionalGeneration
    model = T5ForConditionalGeneration(t5_config())
    inputs = {"decoder_input_ids": words(1, 12), "encoder_outputs": torch.randn(1, 24, WIDE),
              "attention_mask": torch.ones(1, 24, dtype=torch.int64)}

    class Decoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model.eval()

        def forward(self, decoder_input_ids, encoder_outputs, attention_mask):
            return self.model(decoder_input_ids=decoder_input_ids, encoder_outputs=(encoder_outputs,), attention_mask=attention_mask,
                              use_cache=False).logits

    return Network(Decoder(), inputs, {"decoder_input_ids": {1: "seq"}, "encoder_outputs": {1: "encoded"}, "attention_mask": {1: "encoded"}})


def bart():
    from transformers import BartConfig, BartModel
    model = BartModel(BartConfig(vocab_size=WORDS, d_model=WIDE, encoder_layers=2, decoder_layers=2, encoder_attention_heads=HEADS,
                                 decoder_attention_heads=HEADS, encoder_ffn_dim=INSIDE, decoder_ffn_dim=INSIDE, max_position_embeddings=512))
    inputs = {"input_ids": words(1, 24), "attention_mask": torch.ones(1, 24, dtype=torch.int64), "decoder_input_ids": words(1, 12)}
    return picked(model, inputs, ("last_hidden_state",), {**text_free("input_ids", "attention_mask"), "decoder_input_ids": {1: "target"}},
                  use_cache=False)


def image(model, size, field, free=None, channels=3):
    inputs = {"pixel_values": torch.randn(1, channels, size, size)}
    return picked(model, inputs, (field,), {"pixel_values": {0: "batch", **(free or {})}})


def vit():
    from transformers import ViTConfig, ViTModel
    config = common()
    del config["vocab_size"]
    return image(ViTModel(ViTConfig(**config, image_size=96, patch_size=16), add_pooling_layer=False), 96, "last_hidden_state")


def swin():
    from transformers import SwinConfig, SwinModel
    return image(SwinModel(SwinConfig(image_size=64, patch_size=4, embed_dim=32, depths=[2, 2], num_heads=[2, 4], window_size=4)), 64,
                 "last_hidden_state")


def segformer():
    from transformers import SegformerConfig, SegformerForSemanticSegmentation
    config = SegformerConfig(hidden_sizes=[16, 32, 64, 96], depths=[1, 1, 1, 1], decoder_hidden_size=64)
    return image(SegformerForSemanticSegmentation(config), 96, "logits", {2: "height", 3: "width"})


def detr():
    from transformers import DetrConfig, DetrForObjectDetection, ResNetConfig
    backbone = ResNetConfig(embedding_size=16, hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage4"])
    config = DetrConfig(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=backbone, d_model=64,
                        encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=128,
                        decoder_ffn_dim=128, num_queries=20)
    inputs = {"pixel_values": torch.randn(1, 3, 128, 128)}
    return picked(DetrForObjectDetection(config), inputs, ("logits", "pred_boxes"), {})


def clip():
    from transformers import CLIPConfig, CLIPModel
    text = common(max_position_embeddings=77, eos_token_id=WORDS - 1)
    vision = {**common(image_size=64, patch_size=16)}
    del vision["vocab_size"]
    model = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=64))
    inputs = {"input_ids": words(2, 16), "pixel_values": torch.randn(1, 3, 64, 64), "attention_mask": torch.ones(2, 16, dtype=torch.int64)}
    return picked(model, inputs, ("logits_per_image", "text_embeds", "image_embeds"),
                  {"input_ids": {0: "texts", 1: "seq"}, "attention_mask": {0: "texts", 1: "seq"}, "pixel_values": {0: "batch"}})


def clip_text():
    from transformers import CLIPTextConfig, CLIPTextModel
    model = CLIPTextModel(CLIPTextConfig(**common(max_position_embeddings=77, eos_token_id=WORDS - 1)))
    return picked(model, {"input_ids": words(1, 77)}, ("last_hidden_state",), {"input_ids": {0: "batch"}})


def sam():
    from transformers import SamConfig, SamMaskDecoderConfig, SamModel, SamPromptEncoderConfig, SamVisionConfig
    vision = SamVisionConfig(hidden_size=64, output_channels=32, num_hidden_layers=2, num_attention_heads=4, image_size=128, patch_size=16,
                             window_size=4, global_attn_indexes=[1], mlp_dim=128, num_pos_feats=16)
    prompt = SamPromptEncoderConfig(hidden_size=32, image_size=128, patch_size=16, mask_input_channels=16)
    mask = SamMaskDecoderConfig(hidden_size=32, mlp_dim=64, num_hidden_layers=2, num_attention_heads=4, iou_head_hidden_dim=32)
    model = SamModel(SamConfig(vision_config=vision.to_dict(), prompt_encoder_config=prompt.to_dict(), mask_decoder_config=mask.to_dict()))
    inputs = {"pixel_values": torch.randn(1, 3, 128, 128), "input_points": torch.rand(1, 1, 2, 2) * 128,
              "input_labels": torch.ones(1, 1, 2, dtype=torch.int64)}
    return picked(model, inputs, ("iou_scores", "pred_masks"), {"input_points": {2: "points"}, "input_labels": {2: "points"}})


def whisper_config():
    from transformers import WhisperConfig
    return WhisperConfig(vocab_size=WORDS, d_model=WIDE, encoder_layers=2, decoder_layers=2, encoder_attention_heads=HEADS,
                         decoder_attention_heads=HEADS, encoder_ffn_dim=INSIDE, decoder_ffn_dim=INSIDE, max_source_positions=100,
                         max_target_positions=64, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)


def whisper_encoder():
    from transformers import WhisperModel
    inputs = {"input_features": torch.randn(1, 80, 200)}
    return picked(WhisperModel(whisper_config()).encoder, inputs, ("last_hidden_state",), {"input_features": {0: "batch"}})


def whisper_decoder():
    from transformers import WhisperModel
    inputs = {"input_ids": words(1, 8), "encoder_hidden_states": torch.randn(1, 100, WIDE)}
    return picked(WhisperModel(whisper_config()).decoder, inputs, ("last_hidden_state",),
                  {"input_ids": {0: "batch", 1: "seq"}, "encoder_hidden_states": {0: "batch"}}, use_cache=False)


def wav2vec2():
    from transformers import Wav2Vec2Config, Wav2Vec2Model
    model = Wav2Vec2Model(Wav2Vec2Config(**common(conv_dim=(32,) * 7)))
    return picked(model, {"input_values": torch.randn(1, 8000)}, ("last_hidden_state",), {"input_values": {0: "batch", 1: "samples"}})


def vits():
    from transformers import VitsConfig, VitsModel
    config = VitsConfig(vocab_size=40, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, ffn_dim=64, flow_size=32, spectrogram_bins=33,
                        upsample_initial_channel=32, posterior_encoder_num_wavenet_layers=2, prior_encoder_num_flows=2,
                        prior_encoder_num_wavenet_layers=2, duration_predictor_num_flows=2, depth_separable_num_layers=2, noise_scale=0.0,
                        noise_scale_duration=0.0)
    inputs = {"input_ids": torch.randint(0, 40, (1, 12)), "attention_mask": torch.ones(1, 12, dtype=torch.int64)}
    return picked(VitsModel(config), inputs, ("waveform",), text_free(*inputs))


def unet():
    from diffusers import UNet2DConditionModel
    model = UNet2DConditionModel(sample_size=16, in_channels=4, out_channels=4, block_out_channels=(32, 64), layers_per_block=1,
                                 down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
                                 cross_attention_dim=WIDE, attention_head_dim=8, norm_num_groups=8)

    class Unet(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model.eval()

        def forward(self, sample, timestep, encoder_hidden_states):
            return self.model(sample, timestep, encoder_hidden_states, return_dict=False)[0]

    inputs = {"sample": torch.randn(1, 4, 16, 16), "timestep": torch.tensor([7], dtype=torch.int64),
              "encoder_hidden_states": torch.randn(1, 12, WIDE)}
    return Network(Unet(), inputs, {"sample": {0: "batch", 2: "height", 3: "width"}, "encoder_hidden_states": {0: "batch", 1: "seq"}})


def vae():
    from diffusers import AutoencoderKL
    model = AutoencoderKL(block_out_channels=(16, 32), down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
                          latent_channels=4, norm_num_groups=8, sample_size=32)

    class Decoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model.eval()

        def forward(self, latent_sample):
            return self.model.decode(latent_sample, return_dict=False)[0]

    return Network(Decoder(), {"latent_sample": torch.randn(1, 4, 16, 16)}, {"latent_sample": {0: "batch", 2: "height", 3: "width"}})


def timm_image(name, size=96):
    def made():
        import timm
        model = timm.create_model(name, pretrained=False).eval()
        return Network(model, {"pixel_values": torch.randn(1, 3, size, size)}, {"pixel_values": {0: "batch"}})
    return made


def lstm():
    class Tagger(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(WORDS, WIDE)
            self.layers = torch.nn.LSTM(WIDE, WIDE // 2, num_layers=2, bidirectional=True, batch_first=True)
            self.head = torch.nn.Linear(WIDE, 12)

        def forward(self, input_ids):
            return self.head(self.layers(self.table(input_ids))[0])

    return Network(Tagger().eval(), {"input_ids": words(1, 24)}, {"input_ids": {0: "batch", 1: "seq"}})


NETWORKS = {
    "bert": bert, "roberta": roberta, "distilbert": distilbert, "deberta": deberta, "gpt2": gpt2, "gpt2-cache": gpt2_cache,
    "llama-cache": llama_cache, "qwen2-cache": qwen2_cache, "t5-encoder": t5_encoder, "t5-decoder": t5_decoder, "bart": bart, "vit": vit,
    "swin": swin, "segformer": segformer, "detr": detr, "clip": clip, "clip-text": clip_text, "sam": sam,
    "whisper-encoder": whisper_encoder, "whisper-decoder": whisper_decoder, "wav2vec2": wav2vec2, "vits": vits, "unet": unet, "vae": vae,
    "lstm": lstm, "resnet18": timm_image("resnet18"), "mobilenetv3": timm_image("mobilenetv3_small_100"),
    "efficientnet": timm_image("efficientnet_b0"), "convnext": timm_image("convnext_atto"),
}
