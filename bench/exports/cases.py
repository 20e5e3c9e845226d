"""The exports that are tried: who exports, what, and the lengths at which results are compared."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Case:
    exporter: str
    model: str
    maker: str  # a function of make.py
    arguments: tuple
    source: str = ""  # the case whose file it takes
    needs: tuple = ("torch", "transformers")  # modules of the Python that makes it
    extents: tuple = ({},)  # dimension names and extents, for each comparison
    error: float = 1e-3  # of the largest element
    build: tuple = ()  # options of hone build that the user has to give

    @property
    def name(self):
        return f"{self.model}.{self.exporter}".replace(" ", "_")


LENGTHS = ({}, {"seq": 7, "encoded": 9, "target": 5, "past": 3, "points": 3})
TOTAL = {"sequence_length": 1, "past_sequence_length": 20, "total_sequence_length": 21}
PICTURES = ({}, {"height": 64, "width": 128})
LATENTS = ({"height": 16, "width": 16}, {"height": 8, "width": 16})
EXTENTS = {"segformer": PICTURES, "unet": LATENTS, "vae": LATENTS, "wav2vec2": ({}, {"samples": 4000}), "clip": ({"texts": 2}, {"texts": 1})}


# Without these, wav2vec2 takes at most 512 samples, clip one text, the attention of unet and vae is over 512 x 512
# positions, and nothing bounds what vits says.
SQUARE = ("--dim", "height=8..16", "--dim", "width=8..16")
SIZES = {"wav2vec2": ("--dim", "samples=400..8000"), "unet": SQUARE, "vae": SQUARE, "clip": ("--dim", "texts=1..4"),
         "vits": ("--dim", "seq=1..32", "--max-dim", "512"), "moonshine": ("--dim", "samples=4000..16000")}


def torch_cases():
    both = ("bert", "roberta", "distilbert", "deberta", "gpt2", "gpt2-cache", "llama-cache", "qwen2-cache", "t5-encoder", "t5-decoder", "bart",
            "vit", "swin", "segformer", "detr", "clip", "clip-text", "sam", "whisper-encoder", "whisper-decoder", "wav2vec2", "vits", "unet", "vae",
            "lstm", "resnet18", "mobilenetv3", "efficientnet", "convnext")
    needs = {"unet": ("torch", "diffusers"), "vae": ("torch", "diffusers"), "resnet18": ("torch", "timm"), "mobilenetv3": ("torch", "timm"),
             "efficientnet": ("torch", "timm"), "convnext": ("torch", "timm"), "lstm": ("torch",)}
    for model in both:
        for exporter in ("script", "dynamo"):
            yield Case(exporter, model, "torch_export", (exporter, model), needs=needs.get(model, ("torch", "transformers")),
                       extents=EXTENTS.get(model, LENGTHS), build=SIZES.get(model, ()))


OPTIMISER_KINDS = {"bert": "bert", "gpt2": "gpt2", "t5-encoder": "t5", "vit": "vit", "unet": "unet", "clip-text": "clip", "sam": "sam2",
                   "bart": "bart", "swin": "swin", "vae": "vae"}


def optimiser_cases():
    for model, kind in OPTIMISER_KINDS.items():
        for level in (1, 2, 3):
            yield Case(f"optimizer O{level}", model, "optimised", (kind, level), source=f"{model}.script", needs=("onnxruntime", "torch"),
                       extents=EXTENTS.get(model, LENGTHS), error=2e-2 if level == 3 else 1e-3, build=SIZES.get(model, ()))
    for model in ("bert", "llama-cache", "resnet18", "mobilenetv3", "lstm"):
        for level in ("BASIC", "EXTENDED"):
            yield Case(f"saved {level.lower()}", model, "saved", ("ORT_ENABLE_" + level,), source=f"{model}.script", needs=("onnxruntime",),
                       extents=LENGTHS)


def quantiser_cases():
    forms = {"bert": ("dynamic", "u8s8", "s8s8", "a16w8"), "vit": ("dynamic", "u8s8", "qoperator", "a16w8", "a16w4"),
             "resnet18": ("u8s8", "s8s8", "qoperator", "a16w8", "a16w4"), "mobilenetv3": ("qoperator", "a16w8"),
             "llama-cache": ("dynamic", "a16w8"), "whisper-encoder": ("dynamic",), "lstm": ("dynamic",)}
    for model, names in forms.items():
        for form in names:
            yield Case(form, model, "quantised", (form,), source=f"{model}.script", needs=("onnxruntime",), extents=({},), error=5e-2)
    for name, arguments in {"int4": (4, True, ""), "int4 zero points": (4, False, ""), "int4 level 4": (4, True, "level4"),
                            "int4 qdq": (4, True, "qdq"), "int4 gather": (4, False, "gather"), "int8 blocks": (8, True, "")}.items():
        # The quantiser declares a later opset for these, which the nodes of dynamo's exporter have already.
        source = "llama-cache.dynamo" if name in ("int4 qdq", "int4 gather") else "llama-cache.script"
        yield Case(name, "llama-cache", "blocks", arguments, source=source, needs=("onnxruntime",), extents=LENGTHS,
                   error=5e-2 if name in ("int4 level 4", "int4 qdq") else 5e-3)
    for model in ("bert", "resnet18", "llama-cache"):
        for name, keeps in (("float16", False), ("float16 inside", True)):
            yield Case(name, model, "half", (keeps,), source=f"{model}.script", needs=("onnxruntime",), extents=({},), error=2e-2)


def table_cases():
    for name in ("logistic", "forest", "boosting", "histogram", "mlp", "svc", "svr", "knn", "bayes", "kmeans", "pca pipeline", "columns",
                 "isolation", "linear", "forest zipmap", "gaussian process", "polynomial"):
        yield Case("sklearn", name, "table_model", (name,), needs=("skl2onnx", "sklearn"), extents=({}, {"rows": 1}))
    for name in ("xgboost", "lightgbm"):
        yield Case("onnxmltools", name, "table_model", (name,), needs=("onnxmltools", name))


def other_cases():
    for name in ("dense", "convolutions", "lstm", "attention", "bidirectional gru", "separable"):
        yield Case("tf2onnx", name, "keras", (name,), needs=("tensorflow", "tf2onnx"))
    for name in ("convolutions", "transformer", "gru", "detection"):
        yield Case("paddle2onnx", name, "paddle", (name,), needs=("paddle", "paddle2onnx"))
    for name in ("llama int4", "llama fp32", "qwen3 int4", "mistral int4", "gemma2 int4", "gemma2 fp32"):
        window = {"past_sliding_length": 8} if name.startswith("gemma2") else {}
        yield Case("genai", name, "genai", (name,), needs=("torch", "onnxruntime_genai"), extents=(window, {**TOTAL, **window}), error=2e-2)


# Exporters that write each; the others fail.
NEWER = {
    "script": ("xlnet", "siglip", "dinov2", "dinov3", "depth-anything", "rtdetr", "parakeet", "conformer", "hifigan", "encodec", "scan", "mamba",
               "rwkv", "retnet", "tabnet", "mask-rcnn", "detr-tail"),
    "dynamo": ("siglip", "dinov2", "dinov3", "depth-anything", "moonshine", "parakeet", "conformer", "hifigan", "scan", "mamba", "rwkv", "retnet",
               "tabnet"),
}


def newer_cases():
    for exporter, models in NEWER.items():
        for model in models:
            yield Case(exporter, model, "torch_export", (exporter, model), build=SIZES.get(model, ()))


def merged_cases():
    steps = ({"past_decoder_sequence_length": 20, "decoder_sequence_length": 1, "use_cache_branch": 1},
             {"past_decoder_sequence_length": 0, "decoder_sequence_length": 4, "use_cache_branch": 0})
    yield Case("merged", "whisper-decoder", "merged", (), extents=steps)


CASES = (*torch_cases(), *optimiser_cases(), *quantiser_cases(), *table_cases(), *other_cases(), *merged_cases(), *newer_cases())
BY_NAME = {case.name: case for case in CASES}

# Reasons of misses, by case and by what is missed ("opens", "agrees", "ratio").
BOUNDS = {
    "mask-rcnn.script": {"opens": "a mask is resized to the size of its box, which a run computes"},
    "llama-cache.a16w8": {"opens": "an infinite scale makes the mask NaN: ONNX Runtime's answers do not depend on the cache"},
}
