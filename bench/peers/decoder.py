"""Times language models with random weights in hone and in llama.cpp, ONNX Runtime (with GenAI) and OpenVINO, in turns:
a prompt of 512 tokens, and new tokens behind 128. Prints the goals with verdicts. Exits 1 on a missed goal that
bench/results/bounds.md does not name, and if greedy tokens in float32 differ from ONNX Runtime's.

  cmake --build --preset release --target hone_program hone_shared
  python3 -m venv V && V/bin/pip install -r bench/peers/requirements.txt onnx gguf onnxruntime-genai
  CMAKE_ARGS=-DGGML_NATIVE=ON V/bin/pip install llama-cpp-python
  V/bin/pip install xllamacpp   # llama.cpp prebuilt for AVX2, in place of the line above
  V/bin/python bench/peers/decoder.py [--shape smollm2-135m] [--weights int4] [--threads 1] [--long 4096]

Systems that cannot be imported, or that refuse the model, are named and left out. All have the same integers and
scales. hone and ONNX Runtime quantise rows to 8 bits (MatMulNBits' accuracy_level 4), as llama.cpp does. Shares are of
this machine's read bandwidth and multiply-adds as `hone profile` measures them. VNNI has four products of bytes for
one of float32. A token reads the weights and the filled cache once.
"""
import argparse
import importlib.util
import json
import math
import os
import subprocess
import sys

import numpy

import decoder_model
import goals
from bounds import read_bounds
from decoder_systems import MODULES, SYSTEMS, Hone

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "../results/bounds.md")
# The best peer's time over hone's with weights of 4 bits: decode and prompt.
DECODE, PROMPT = {"smollm2-135m": 2.0, "qwen3-0.6b": 1.5, "llama-3.2-1b": 1.5}, 2.5
# Shares in percent: of the read bandwidth by weights, on two threads; of the dot products' peak.
BANDWIDTH, PEAK = {"int4": 85, "int8": 90, "float32": 90}, 70
LONG = 1.1  # the time at a long text over that of the bytes it reads more
BESIDE = 64  # MiB of memory beside weights and cache
BYTE_PRODUCTS = 4  # in the place of one of float32


class Files:
    """The model of a shape as each system reads it, with room for `room` tokens. Kept from run to run."""

    def __init__(self, asked):
        os.makedirs(asked.work, exist_ok=True)
        self.path = os.path.join(asked.work, f"{asked.shape}-{asked.weights}")
        self.onnx, self.gguf = self.path + ".onnx", self.path + ".gguf"
        self.room = math.ceil((max(asked.prompt, asked.context, asked.long) + asked.new + 1) / 64) * 64
        gguf = importlib.util.find_spec("gguf") is not None and decoder_model.SHAPES[asked.shape][-1] > 300
        if os.path.exists(self.onnx) and (os.path.exists(self.gguf) or not gguf):
            return
        writer = decoder_model.write(self.onnx, asked.shape, asked.weights)
        if gguf:
            import decoder_gguf
            decoder_gguf.write(self.gguf, writer)


def systems_of(asked, files):
    """{name: system}, hone first."""
    systems = {"hone": Hone(files, asked, os.path.abspath(asked.hone), asked.activations)}
    for name in filter(None, asked.systems.split(",")):
        if importlib.util.find_spec(MODULES[name]) is None:
            print(f"{name} is not installed")
            continue
        try:
            system = SYSTEMS[name](files, asked)
            system.run([1, 2, 3], 2)
            systems[name] = system
        except Exception as error:  # a peer's own, of any kind
            print(f"{name} does not run the model: {str(error).strip().splitlines()[0][:200]}")
    return systems


def roofs(asked, package):
    """GFLOP/s of float32 and GB/s of reads on that many threads."""
    command = [asked.hone, "profile", package, "--dim", "seq=1", "--dim", "past=1", "--dim", "total=2", "--threads",
               str(asked.threads), "--runs", "1", "--json"]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    return found["roofs"]["gflops"], found["roofs"]["read_gbps"]


def mebibytes_beside(asked, package):
    """Of a process of its own that continues a prompt, beside the weights and the filled cache."""
    ids = ",".join(["1"] * asked.prompt)
    # A child begins with its parent's largest size, so a small process stands between.
    between = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL);"
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    command = [sys.executable, "-c", between, asked.hone, "generate", package, "--ids", ids, "--new", "8", "--threads", str(asked.threads)]
    kibibytes = int(subprocess.run(command, check=True, capture_output=True).stdout)
    beside = decoder_model.weight_bytes(asked.shape, asked.weights) + decoder_model.cache_bytes(asked.shape, asked.prompt + 8)
    return kibibytes / 1024 - beside / 2**20


class Bench:
    def __init__(self, asked):
        self.asked, self.rows = asked, []
        self.files = Files(asked)
        self.systems = systems_of(asked, self.files)
        self.package = self.systems["hone"].package

    def tokens(self, count):
        vocabulary = decoder_model.SHAPES[self.asked.shape][-1]
        return [int(token) for token in numpy.random.default_rng(2).integers(0, vocabulary, count)]

    def times(self):
        """{name: (least seconds of a prompt, least seconds of a new token)} of rounds in turns, and the tokens."""
        asked, best, made = self.asked, {}, {}
        for _ in range(asked.rounds):
            for name, system in self.systems.items():
                prompt = system.run(self.tokens(asked.prompt), 1)[1]
                made[name], _, rest = system.run(self.tokens(asked.context), asked.new)
                old = best.get(name, (prompt, rest))
                best[name] = min(old[0], prompt), min(old[1], rest)
        return {name: (prompt, rest / (asked.new - 1)) for name, (prompt, rest) in best.items()}, made

    def row(self, name, reached, goal, more=True, floor=None):
        asked = self.asked
        threads = f"{asked.threads} thread{'s' if asked.threads > 1 else ''}"
        self.rows.append({"row": f"{asked.shape}, {asked.weights} by {asked.activations}, {threads}: {name}", "reached": reached,
                          "goal": goal, "more_is_better": more, "floor": floor})

    def token_bytes(self, length):
        return decoder_model.weight_bytes(self.asked.shape, self.asked.weights) + decoder_model.cache_bytes(self.asked.shape, length)

    def measure(self):
        """Fills the rows; returns the tokens by system."""
        asked = self.asked
        times, made = self.times()
        packed = asked.weights == "int4"
        for i, (what, tokens) in enumerate((("prompt", asked.prompt), ("decode", 1))):
            for name, seconds in times.items():
                print(f"{what:8} {name:18} {tokens / seconds[i]:9.1f} tokens/s")
            peers = {name: seconds[i] for name, seconds in times.items() if name != "hone"}
            if peers:
                best = min(peers, key=peers.get)
                goal = (PROMPT, DECODE.get(asked.shape))[i] if packed else None
                self.row(f"{what}, times {best}", peers[best] / times["hone"][i], goal, floor=1.0)
        gflops, gbps = roofs(asked, self.package)
        prompt, token = times["hone"]
        of_byte = BYTE_PRODUCTS if asked.activations == "int8" else 1
        of_layers, of_logits = decoder_model.products(asked.shape)
        done = 2e-9 * (of_layers * asked.prompt + of_logits) / prompt
        self.row("prompt, percent of the products' peak", 100 * done / (gflops * of_byte), PEAK if of_byte > 1 else None)
        read = 1e-9 * self.token_bytes(asked.context + asked.new // 2) / token
        self.row("decode, percent of the read bandwidth", 100 * read / gbps, BANDWIDTH[asked.weights] if asked.threads > 1 else None)
        print(f"roofs: {gflops:.0f} GFLOP/s of float32, {gbps:.1f} GB/s; reached: {done:.0f} GFLOP/s, {read:.1f} GB/s")
        self.row("memory beside weights and cache, MiB", mebibytes_beside(asked, self.package), BESIDE, more=False)
        if asked.long:
            self.long(token)
        return made

    def long(self, token):
        asked, hone = self.asked, self.systems["hone"]
        at_long = min(hone.run(self.tokens(asked.long), asked.new)[2] for _ in range(min(3, asked.rounds))) / (asked.new - 1)
        bytes_more = self.token_bytes(asked.long + asked.new // 2) / self.token_bytes(asked.context + asked.new // 2)
        print(f"decode   behind {asked.long}: {1 / at_long:.1f} tokens/s; its bytes alone: {1 / (token * bytes_more):.1f}")
        self.row(f"decode behind {asked.long}, times its bytes", at_long / (token * bytes_more), LONG, more=False)

    def report(self):
        bounds, failed = read_bounds(PAGE), False
        for row in self.rows:
            verdict = goals.judge(row, bounds)
            failed = failed or goals.fails(verdict)
            goal = "-" if row["goal"] is None else f"{'>=' if row['more_is_better'] else '<='} {row['goal']:g}"
            print(f"{row['row']:76} {row['reached']:8.2f} {goal:>8}  {verdict}")
        return failed


def equal(a, b):
    return next((i for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1]), min(len(a), len(b)))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", default="build/release/bin/hone")
    parser.add_argument("--shape", choices=sorted(decoder_model.SHAPES), default="smollm2-135m")
    parser.add_argument("--weights", choices=["float32", "int8", "int4"], default="int4")
    parser.add_argument("--activations", choices=["float32", "int8"],
                        help="rows in layers of 8 and 4 bits, in hone alone [default: int8, as the others have them]")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="those beside hone")
    parser.add_argument("--prompt", type=int, default=512, help="tokens of the prompt that is timed")
    parser.add_argument("--context", type=int, default=128, help="tokens before the new ones")
    parser.add_argument("--new", type=int, default=64)
    parser.add_argument("--long", type=int, default=0, help="also time hone behind so many tokens; 0: not")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", default="build/peers/decoder")
    asked = parser.parse_args()
    asked.activations = asked.activations or ("float32" if asked.weights == "float32" else "int8")
    return asked


def main():
    asked = parse()
    sys.path.insert(0, os.path.join(HERE, "../../python"))
    os.environ.setdefault("HONE_LIBRARY", os.path.join(os.path.dirname(os.path.abspath(asked.hone)), "../lib/libhone.so"))
    bench = Bench(asked)
    made = bench.measure()
    failed = bench.report()
    for name in made:
        if name != "hone":
            print(f"greedy tokens equal to those of {name}: {equal(made['hone'], made[name])} of {asked.new}")
    same = asked.weights != "float32" or "onnxruntime" not in made or made["hone"] == made["onnxruntime"]
    return 1 if failed or not same else 0


if __name__ == "__main__":
    sys.exit(main())
