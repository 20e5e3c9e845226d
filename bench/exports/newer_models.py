"""More networks for torch_models.NETWORKS: newer architectures, detectors with their tails, and scans."""
import torch

from torch_models import HEADS, INSIDE, WIDE, WORDS, Network, encoder, picked, words

def image(model, fields, side=64, **fixed):
    return picked(model, {"pixel_values": torch.randn(1, 3, side, side)}, fields, {"pixel_values": {0: "batch"}}, **fixed)


def xlnet():
    from transformers import XLNetConfig, XLNetModel
    return encoder(XLNetModel(XLNetConfig(vocab_size=WORDS, d_model=WIDE, n_layer=2, n_head=HEADS, d_inner=INSIDE)))


def siglip():
    from transformers import SiglipVisionConfig, SiglipVisionModel
    model = SiglipVisionModel(SiglipVisionConfig(hidden_size=WIDE, intermediate_size=INSIDE, num_hidden_layers=2, num_attention_heads=HEADS,
                                                 image_size=64, patch_size=16))
    return image(model, ("last_hidden_state", "pooler_output"))


def dinov2():
    from transformers import Dinov2Config, Dinov2Model
    model = Dinov2Model(Dinov2Config(hidden_size=WIDE, num_hidden_layers=2, num_attention_heads=HEADS, image_size=64, patch_size=16))
    return image(model, ("last_hidden_state",))


def dinov3():
    from transformers import DINOv3ViTConfig, DINOv3ViTModel
    model = DINOv3ViTModel(DINOv3ViTConfig(hidden_size=WIDE, intermediate_size=INSIDE, num_hidden_layers=2, num_attention_heads=HEADS,
                                           image_size=64, patch_size=16, num_register_tokens=2))
    return image(model, ("last_hidden_state",))


def depth_anything():
    from transformers import DepthAnythingConfig, DepthAnythingForDepthEstimation, Dinov2Config
    backbone = Dinov2Config(hidden_size=32, num_hidden_layers=4, num_attention_heads=2, image_size=56, patch_size=14,
                            out_features=["stage1", "stage2", "stage3", "stage4"], reshape_hidden_states=False)
    model = DepthAnythingForDepthEstimation(DepthAnythingConfig(backbone_config=backbone, reassemble_hidden_size=32, fusion_hidden_size=16,
                                                                neck_hidden_sizes=[8, 16, 32, 32], head_hidden_size=8))
    return image(model, ("predicted_depth",), 56)


def rtdetr():
    from transformers import RTDetrResNetConfig, RTDetrV2Config, RTDetrV2ForObjectDetection
    backbone = RTDetrResNetConfig(embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], layer_type="basic",
                                  out_features=["stage2", "stage3", "stage4"])
    model = RTDetrV2ForObjectDetection(RTDetrV2Config(
        backbone_config=backbone, encoder_hidden_dim=32, encoder_in_channels=[16, 24, 32], encoder_ffn_dim=64, encoder_attention_heads=2,
        d_model=32, decoder_in_channels=[32, 32, 32], decoder_ffn_dim=64, decoder_attention_heads=2, decoder_layers=2, num_queries=12,
        num_denoising=0, num_labels=5, anchor_image_size=None))
    return image(model, ("logits", "pred_boxes"))


def moonshine():
    from transformers import MoonshineConfig, MoonshineModel
    model = MoonshineModel(MoonshineConfig(vocab_size=WORDS, hidden_size=WIDE, intermediate_size=INSIDE, encoder_num_hidden_layers=2,
                                           decoder_num_hidden_layers=2, encoder_num_attention_heads=HEADS, decoder_num_attention_heads=HEADS))
    return picked(model.encoder, {"input_values": torch.randn(1, 8000)}, ("last_hidden_state",), {"input_values": {0: "batch", 1: "samples"}})


def parakeet():
    from transformers import ParakeetCTCConfig, ParakeetEncoderConfig, ParakeetForCTC
    inside = ParakeetEncoderConfig(hidden_size=WIDE, num_hidden_layers=2, num_attention_heads=HEADS, intermediate_size=INSIDE,
                                   subsampling_conv_channels=16, num_mel_bins=80)
    model = ParakeetForCTC(ParakeetCTCConfig(vocab_size=32, encoder_config=inside.to_dict(), pad_token_id=31))
    inputs = {"input_features": torch.randn(1, 96, 80)}
    return picked(model, inputs, ("logits",), {"input_features": {0: "batch", 1: "frames"}})


def conformer():
    from transformers import Wav2Vec2ConformerConfig, Wav2Vec2ConformerModel
    model = Wav2Vec2ConformerModel(Wav2Vec2ConformerConfig(
        vocab_size=32, hidden_size=WIDE, num_hidden_layers=2, num_attention_heads=HEADS, intermediate_size=INSIDE, conv_dim=(32, 32),
        conv_stride=(5, 4), conv_kernel=(10, 4), num_feat_extract_layers=2, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4))
    return picked(model, {"input_values": torch.randn(1, 2000)}, ("last_hidden_state",), {"input_values": {0: "batch"}})


def hifigan():
    from transformers import SpeechT5HifiGan, SpeechT5HifiGanConfig
    model = SpeechT5HifiGan(SpeechT5HifiGanConfig(model_in_dim=20, upsample_initial_channel=32, upsample_rates=[4, 4], upsample_kernel_sizes=[8, 8],
                                                  resblock_kernel_sizes=[3], resblock_dilation_sizes=[[1, 3]]))

    class Voice(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model.eval()

        def forward(self, spectrogram):
            return self.model(spectrogram)

    return Network(Voice(), {"spectrogram": torch.randn(1, 30, 20)}, {"spectrogram": {1: "frames"}}, ("waveform",))


def encodec():
    from transformers import EncodecConfig, EncodecModel
    model = EncodecModel(EncodecConfig(num_filters=4, hidden_size=16, num_residual_layers=1, upsampling_ratios=[4, 2], codebook_size=32,
                                       codebook_dim=16, num_lstm_layers=1, normalize=False))

    class Codes(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.quantizer = model.encoder.eval(), model.quantizer.eval()

        def forward(self, sound):
            return self.quantizer.encode(self.encoder(sound), 3.0)

    return Network(Codes(), {"sound": torch.randn(1, 1, 640)}, {}, ("codes",))


class Scan(torch.nn.Module):
    """A selective state space, one step after the other, as the plain form of Mamba's scan."""

    def __init__(self, wide=32, state=8):
        super().__init__()
        self.enter, self.leave = torch.nn.Linear(wide, 2 * wide), torch.nn.Linear(wide, wide)
        self.choose = torch.nn.Linear(wide, 2 * state + 1)
        self.decay = torch.nn.Parameter(torch.rand(wide, state) + 0.5)
        self.state = state

    def forward(self, x):
        value, gate = self.enter(x).chunk(2, -1)
        b, c, step = self.choose(value).split((self.state, self.state, 1), -1)
        step = torch.nn.functional.softplus(step)
        kept = torch.exp(-step[..., None] * self.decay)
        added = (step * value)[..., None] * b[:, :, None, :]
        h, rows = torch.zeros_like(kept[:, 0]), []
        for t in range(x.shape[1]):
            h = kept[:, t] * h + added[:, t]
            rows.append((h * c[:, t, None, :]).sum(-1))
        return self.leave(torch.stack(rows, 1) * torch.nn.functional.silu(gate))


def scan():
    return Network(Scan(), {"x": torch.randn(1, 12, 32)}, {}, ("y",))


def mamba():
    from transformers import MambaConfig, MambaForCausalLM
    model = MambaForCausalLM(MambaConfig(vocab_size=WORDS, hidden_size=64, num_hidden_layers=2, state_size=8))
    return picked(model, {"input_ids": words(1, 12)}, ("logits",), {"input_ids": {0: "batch"}}, use_cache=False)


def rwkv():
    from transformers import RwkvConfig, RwkvForCausalLM
    model = RwkvForCausalLM(RwkvConfig(vocab_size=WORDS, hidden_size=64, num_hidden_layers=2, context_length=64))
    return picked(model, {"input_ids": words(1, 8)}, ("logits",), {"input_ids": {0: "batch"}}, use_cache=False)


class Retention(torch.nn.Module):
    """RetNet's parallel form."""

    def __init__(self, wide=WIDE, heads=HEADS):
        super().__init__()
        self.parts, self.out, self.heads = torch.nn.Linear(wide, 3 * wide), torch.nn.Linear(wide, wide), heads
        self.norm = torch.nn.GroupNorm(heads, wide)
        self.register_buffer("rate", torch.log(1 - 2 ** (-5 - torch.arange(heads, dtype=torch.float32))))

    def forward(self, x):
        batch, length, wide = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.parts(x).chunk(3, -1))
        apart = torch.arange(length, device=x.device)[:, None] - torch.arange(length, device=x.device)[None]
        decay = torch.where(apart >= 0, torch.exp(self.rate[:, None, None] * apart.clamp(min=0)), 0.0)
        y = (q @ k.transpose(-1, -2) * decay / wide ** 0.5) @ v
        y = y.transpose(1, 2).reshape(batch * length, wide)
        return self.out(self.norm(y).view(batch, length, wide))


def retnet():
    return Network(Retention(), {"x": torch.randn(1, 24, WIDE)}, {"x": {0: "batch", 1: "seq"}}, ("y",))


class Sparsemax(torch.nn.Module):
    """TabNet's attention over features: sparsemax masks, ghost batch norms and gated linear units."""

    def __init__(self, features=16, wide=8, steps=2):
        super().__init__()
        self.first = torch.nn.BatchNorm1d(features)
        self.shared, self.out = torch.nn.Linear(features, 4 * wide), torch.nn.Linear(wide, 3)
        self.ask = torch.nn.ModuleList(torch.nn.Linear(wide, features) for _ in range(steps))
        self.wide = wide

    @staticmethod
    def sparsemax(z):
        ordered = torch.sort(z, -1, descending=True).values
        ranks = torch.arange(1, z.shape[-1] + 1, dtype=z.dtype, device=z.device)
        sums = ordered.cumsum(-1) - 1
        support = (ranks * ordered > sums).sum(-1, keepdim=True)
        return torch.relu(z - sums.gather(-1, support - 1) / support.to(z.dtype))

    def forward(self, x):
        x = self.first(x)
        prior, y = torch.ones_like(x), 0.0
        hidden = torch.nn.functional.glu(self.shared(x))[:, self.wide:]
        for ask in self.ask:
            mask = self.sparsemax(prior * ask(hidden))
            prior = prior * (1.3 - mask)
            both = torch.nn.functional.glu(self.shared(mask * x))
            y, hidden = y + torch.relu(both[:, :self.wide]), both[:, self.wide:]
        return self.out(y)


def tabnet():
    return Network(Sparsemax(), {"x": torch.randn(4, 16)}, {"x": {0: "rows"}}, ("y",))


def mask_rcnn():
    import torchvision
    from torchvision.models.detection import MaskRCNN
    from torchvision.models.detection.rpn import AnchorGenerator
    backbone = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3, 4, 1), torch.nn.ReLU(), torch.nn.Conv2d(16, 16, 3, 2, 1), torch.nn.ReLU())
    backbone.out_channels = 16
    pool = torchvision.ops.MultiScaleRoIAlign(["0"], 7, 2)
    masks = torchvision.ops.MultiScaleRoIAlign(["0"], 14, 2)
    model = MaskRCNN(backbone, 4, min_size=64, max_size=64, rpn_anchor_generator=AnchorGenerator(((16, 32),), ((0.5, 1.0, 2.0),)),
                     box_roi_pool=pool, mask_roi_pool=masks, rpn_pre_nms_top_n_test=40, rpn_post_nms_top_n_test=12, box_detections_per_img=6,
                     box_score_thresh=0.2, rpn_score_thresh=0.0)

    class Detector(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model.eval()

        def forward(self, picture):
            found = self.model([picture])[0]
            return found["boxes"], found["labels"], found["scores"], found["masks"]

    return Network(Detector(), {"picture": torch.rand(3, 64, 64)}, {}, ("boxes", "labels", "scores", "masks"))


class DetrTail(torch.nn.Module):
    """What image_processing_detr does behind the network: the boxes that are likely, in pixels."""

    def __init__(self, model):
        super().__init__()
        self.model = model.eval()

    def forward(self, pixel_values, size):
        result = self.model(pixel_values=pixel_values)
        scores, labels = result.logits.softmax(-1)[0, :, :-1].max(-1)
        x, y, w, h = result.pred_boxes[0].unbind(-1)
        boxes = torch.stack((x - w / 2, y - h / 2, x + w / 2, y + h / 2), -1) * size.repeat(2)
        kept = scores > 0.2
        return scores[kept], labels[kept], boxes[kept]


def detr_tail():
    from torch_models import NETWORKS
    whole = NETWORKS["detr"]()
    model = whole.module.model if hasattr(whole.module, "model") else whole.module
    inputs = {"pixel_values": whole.inputs["pixel_values"], "size": torch.tensor([96.0, 96.0])}
    return Network(DetrTail(model), inputs, {}, ("scores", "labels", "boxes"))


NETWORKS = {
    "xlnet": xlnet, "siglip": siglip, "dinov2": dinov2, "dinov3": dinov3, "depth-anything": depth_anything, "rtdetr": rtdetr, "moonshine": moonshine,
    "parakeet": parakeet, "conformer": conformer, "hifigan": hifigan, "encodec": encodec, "scan": scan, "mamba": mamba, "rwkv": rwkv,
    "retnet": retnet, "tabnet": tabnet, "mask-rcnn": mask_rcnn, "detr-tail": detr_tail,
}
