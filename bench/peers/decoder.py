"""Times a language model with random weights, prompt and new tokens apart, in hone and in ONNX Runtime on the same file,
in turns. Columns: tokens a second, the ratio, the goal and its verdict. Exits 1 on a missed goal that
bench/results/bounds.md does not name, and if the first greedy tokens differ.

  cmake --build --preset release --target hone_program hone_shared
  python3 -m venv V && V/bin/pip install -r bench/peers/requirements.txt onnx
  V/bin/python bench/peers/decoder.py [--shape smollm2-135m] [--weights int4] [--threads 1] [--work build/peers/decoder]

ONNX Runtime's keys and values stay in its own memory (OrtValue): each step gives the last step's present as the past.
"""
import argparse
import os
import subprocess
import sys
import time

import numpy

import decoder_model
import goals
from bounds import read_bounds

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "../results/bounds.md")
# ONNX Runtime's time over hone's with weights of 4 bits: decode and prompt.
DECODE, PROMPT = {"smollm2-135m": 2.0, "qwen3-0.6b": 1.5, "llama-3.2-1b": 1.5}, 2.5
# Greedy tokens that must be equal. Sums of unlike orders may decide a close race otherwise.
EQUAL = 64


class Hone:
    def __init__(self, program, model, package, asked):
        import hone

        prompt, threads, room = asked.prompt, asked.threads, asked.prompt + asked.new + 1
        subprocess.run([program, "build", model, "-o", package, "--state", "auto", "--dim", f"seq=1..{prompt}", "--dim",
                        f"past=0..{room}", "--dim", f"total=1..{room}", "--threads", str(threads), "--no-records",
                        "--activations", asked.activations], check=True, stdout=subprocess.DEVNULL)
        self.session = hone.load(package, threads=threads)

    def run(self, prompt, new):
        """The new tokens, the seconds until the first, and those of all others."""
        self.session.reset()
        made = self.session.generate(prompt, new)
        return list(made.ids), made.first_token_seconds, (len(made.ids) - 1) / made.tokens_per_second


class OnnxRuntime:
    def __init__(self, model, threads):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.value = onnxruntime.OrtValue.ortvalue_from_numpy
        self.session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
        self.pasts = [each for each in self.session.get_inputs() if each.name.startswith("past")]

    def step(self, ids, length, pasts):
        """The likeliest next token and the presents."""
        binding = self.session.io_binding()
        binding.bind_cpu_input("input_ids", numpy.array([ids], numpy.int64))
        binding.bind_cpu_input("attention_mask", numpy.ones((1, length + len(ids)), numpy.int64))
        for name, past in pasts.items():
            binding.bind_ortvalue_input(name, past)
        for output in self.session.get_outputs():
            binding.bind_output(output.name, "cpu")
        self.session.run_with_iobinding(binding)
        logits, *presents = binding.get_outputs()
        return int(numpy.argmax(logits.numpy()[0, -1])), dict(zip(pasts, presents))

    def run(self, prompt, new):
        heads, size = self.pasts[0].shape[1], self.pasts[0].shape[3]
        pasts = {each.name: self.value(numpy.zeros((1, heads, 0, size), numpy.float32)) for each in self.pasts}
        begin = time.perf_counter()
        token, pasts = self.step(prompt, 0, pasts)
        first = time.perf_counter() - begin
        made = [token]
        for length in range(len(prompt), len(prompt) + new - 1):
            token, pasts = self.step([token], length, pasts)
            made.append(token)
        return made, first, time.perf_counter() - begin - first


def rows_of(asked, times):
    """The rows for goals.judge: prompt and decode."""
    best = {name: [min(seconds) for seconds in zip(*runs)] for name, runs in times.items()}
    ratios = [best["onnxruntime"][i] / best["hone"][i] for i in range(2)]
    tokens = [asked.prompt, asked.new - 1]
    for i, what in enumerate(("prompt", "decode")):
        for name, seconds in best.items():
            print(f"{what:8} {name:12} {tokens[i] / seconds[i]:9.1f} tokens/s")
    packed = asked.weights == "int4"
    goal = {"prompt": PROMPT if packed else None, "decode": DECODE.get(asked.shape) if packed else None}
    return [{"row": f"{what} of {asked.shape}, {asked.weights} by {asked.activations}, {asked.threads} threads", "reached": ratio,
             "goal": goal[what], "more_is_better": True, "floor": 1.0} for what, ratio in zip(goal, ratios)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", default="build/release/bin/hone")
    parser.add_argument("--shape", choices=sorted(decoder_model.SHAPES), default="smollm2-135m")
    parser.add_argument("--weights", choices=["float32", "int4"], default="int4")
    parser.add_argument("--activations", choices=["float32", "int8"],
                        help="rows in layers of 4 bits, in hone alone [default: int8 for int4, as ONNX Runtime has them]")
    parser.add_argument("--prompt", type=int, default=128)
    parser.add_argument("--new", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", default="build/peers/decoder")
    asked = parser.parse_args()
    asked.activations = asked.activations or ("int8" if asked.weights == "int4" else "float32")
    os.makedirs(asked.work, exist_ok=True)
    sys.path.insert(0, os.path.join(HERE, "../../python"))
    os.environ.setdefault("HONE_LIBRARY", os.path.join(os.path.dirname(os.path.abspath(asked.hone)), "../lib/libhone.so"))
    model = os.path.join(asked.work, "decoder.onnx")
    decoder_model.write(model, asked.shape, asked.weights)
    package = os.path.join(asked.work, "decoder.hone")
    systems = {"hone": Hone(os.path.abspath(asked.hone), model, package, asked),
               "onnxruntime": OnnxRuntime(model, asked.threads)}
    prompt = [int(token) for token in numpy.random.default_rng(2).integers(0, 300, asked.prompt)]
    times, tokens = {name: [] for name in systems}, {}
    for _ in range(asked.rounds):
        for name, system in systems.items():
            tokens[name], *seconds = system.run(prompt, asked.new)
            times[name].append(seconds)
    rows, bounds, failed = rows_of(asked, times), read_bounds(PAGE), False
    for row in rows:
        verdict = goals.judge(row, bounds)
        failed = failed or goals.fails(verdict)
        print(f"{row['row']:48} {row['reached']:6.2f}  goal {row['goal']}  {verdict}")
    same = next((i for i, pair in enumerate(zip(*tokens.values())) if pair[0] != pair[1]), asked.new)
    print(f"equal greedy tokens: {same} of {asked.new}")
    return 1 if failed or (asked.weights == "float32" and same < min(EQUAL, asked.new)) else 0


if __name__ == "__main__":
    sys.exit(main())
