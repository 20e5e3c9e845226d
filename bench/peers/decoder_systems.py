"""Systems that continue a text with a decoder of decoder_model.py. Each has run(prompt, new): the new tokens (greedy),
the seconds until the first, and those of all others. Each run begins an empty text."""
import json
import os
import re
import shutil
import subprocess
import time

import numpy

import decoder_model


def timed(prompt, new, feed):
    """As run: feed(ids, length) appends the ids to a text of that length and returns the likeliest next one."""
    begin = time.perf_counter()
    made = [feed(prompt, 0)]
    first = time.perf_counter() - begin
    for length in range(len(prompt), len(prompt) + new - 1):
        made.append(feed([made[-1]], length))
    return made, first, time.perf_counter() - begin - first


class Hone:
    def __init__(self, files, asked, program, activations):
        import hone

        dims = {"seq": f"1..{asked.prompt}", "past": f"0..{files.room}", "total": f"1..{files.room}"}
        self.package = files.path + f"-{asked.threads}.hone"
        subprocess.run([program, "build", files.onnx, "-o", self.package, "--state", "auto", "--threads", str(asked.threads),
                        "--no-records", "--activations", activations,
                        *(word for name, range_ in dims.items() for word in ("--dim", f"{name}={range_}"))],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = hone.load(self.package, threads=asked.threads)

    def run(self, prompt, new):
        self.session.reset()
        made = self.session.generate(prompt, new)
        rest = (len(made.ids) - 1) / made.tokens_per_second if new > 1 else 0.0
        return list(made.ids), made.first_token_seconds, rest


class OnnxRuntime:
    """Keys and values stay in its memory (OrtValue): each step gives the last step's present as the past."""

    def __init__(self, files, asked):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = asked.threads
        options.log_severity_level = 3
        self.value = onnxruntime.OrtValue.ortvalue_from_numpy
        self.session = onnxruntime.InferenceSession(files.onnx, options, ["CPUExecutionProvider"])
        self.pasts = [each for each in self.session.get_inputs() if each.name.startswith("past")]

    def run(self, prompt, new):
        heads, size = self.pasts[0].shape[1], self.pasts[0].shape[3]
        pasts = {each.name: self.value(numpy.zeros((1, heads, 0, size), numpy.float32)) for each in self.pasts}

        def feed(ids, length):
            binding = self.session.io_binding()
            binding.bind_cpu_input("input_ids", numpy.array([ids], numpy.int64))
            binding.bind_cpu_input("attention_mask", numpy.ones((1, length + len(ids)), numpy.int64))
            for name, past in pasts.items():
                binding.bind_ortvalue_input(name, past)
            for output in self.session.get_outputs():
                binding.bind_output(output.name, "cpu")
            self.session.run_with_iobinding(binding)
            logits, *presents = binding.get_outputs()
            pasts.update(zip(pasts, presents))
            return int(numpy.argmax(logits.numpy()[0, -1]))

        return timed(prompt, new, feed)


class GenAi:
    """ONNX Runtime GenAI, whose pasts and presents share memory."""

    def __init__(self, files, asked):
        import onnxruntime_genai

        self.genai, self.room = onnxruntime_genai, files.room
        config = os.path.join(os.path.dirname(files.path), "genai-" + os.path.basename(files.path))
        os.makedirs(config, exist_ok=True)
        # It takes files within its folder alone, and hone takes no file that has two names.
        for file in (files.onnx, files.onnx + ".data"):
            if not os.path.exists(os.path.join(config, os.path.basename(file))):
                shutil.copy(file, config)
        with open(os.path.join(config, "genai_config.json"), "w", encoding="utf-8") as out:
            json.dump(self.config(files, asked), out)
        self.model = onnxruntime_genai.Model(config)

    @staticmethod
    def config(files, asked):
        layers, wide, heads, key_heads, size, _, vocabulary = decoder_model.SHAPES[asked.shape]
        inputs = {"input_ids": "input_ids", "attention_mask": "attention_mask", "past_key_names": "past_key_values.%d.key",
                  "past_value_names": "past_key_values.%d.value"}
        outputs = {"logits": "logits", "present_key_names": "present.%d.key", "present_value_names": "present.%d.value"}
        decoder = {"session_options": {"intra_op_num_threads": asked.threads, "log_severity_level": 3, "provider_options": []},
                   "filename": os.path.basename(files.onnx), "head_size": size, "hidden_size": wide, "inputs": inputs, "outputs": outputs,
                   "num_attention_heads": heads, "num_hidden_layers": layers, "num_key_value_heads": key_heads}
        model = {"type": "llama", "bos_token_id": 1, "eos_token_id": vocabulary - 1, "pad_token_id": 0, "context_length": files.room,
                 "vocab_size": vocabulary, "decoder": decoder}
        search = {"do_sample": False, "num_beams": 1, "max_length": files.room, "past_present_share_buffer": True}
        return {"model": model, "search": search}

    def run(self, prompt, new):
        options = self.genai.GeneratorParams(self.model)
        options.set_search_options(do_sample=False, max_length=self.room)
        generator = self.genai.Generator(self.model, options)
        begin = time.perf_counter()
        generator.append_tokens(numpy.array(prompt, numpy.int32))
        generator.generate_next_token()
        first = time.perf_counter() - begin
        for _ in range(new - 1):
            generator.generate_next_token()
        rest = time.perf_counter() - begin - first
        return [int(token) for token in generator.get_sequence(0)[len(prompt):]], first, rest


class LlamaCpp:
    """llama.cpp by llama-cpp-python, built for the machine (CMAKE_ARGS=-DGGML_NATIVE=ON)."""

    def __init__(self, files, asked):
        import llama_cpp

        self.get = llama_cpp.llama_get_logits_ith
        self.model = llama_cpp.Llama(files.gguf, n_ctx=files.room, n_threads=asked.threads, n_threads_batch=asked.threads,
                                     n_batch=asked.prompt, n_ubatch=asked.prompt, flash_attn=True, verbose=False)

    def run(self, prompt, new):
        self.model.reset()

        def feed(ids, _):
            self.model.eval(ids)
            logits = self.get(self.model.ctx, -1)
            return int(numpy.argmax(numpy.ctypeslib.as_array(logits, (self.model.n_vocab(),))))

        return timed(prompt, new, feed)


class PrebuiltLlamaCpp:
    """llama.cpp as the package xllamacpp brings it, prebuilt for AVX2 and FMA with repacked weights. It is a server
    within the process, so its own times count."""

    def __init__(self, files, asked):
        import xllamacpp

        options = xllamacpp.CommonParams()
        options.model.path = files.gguf
        options.n_ctx, options.n_batch, options.n_ubatch, options.n_parallel = files.room, asked.prompt, asked.prompt, 1
        options.cpuparams.n_threads = options.cpuparams_batch.n_threads = asked.threads
        options.warmup, options.verbosity = False, -1
        self.server = xllamacpp.Server(options)
        print(f"xllamacpp: {xllamacpp.get_system_info().strip()}")

    def run(self, prompt, new):
        asked = {"prompt": prompt, "n_predict": new, "samplers": ["top_k"], "top_k": 1, "ignore_eos": True, "cache_prompt": False}
        answer = self.server.handle_completions(asked)
        times = answer["timings"]
        # A word t7 of decoder_gguf.py stands behind 3 special tokens and 256 bytes.
        made = [259 + int(word) for word in re.findall(r"t(\d+)", answer["choices"][0]["text"])]
        return made, times["prompt_ms"] / 1e3, times["predicted_ms"] / 1e3


class OpenVino:
    """OpenVINO on the ONNX file, with its own transformation of pasts and presents to states."""

    def __init__(self, files, asked):
        import openvino
        from openvino._offline_transformations import apply_make_stateful_transformation

        core = openvino.Core()
        model = core.read_model(files.onnx)
        outputs = [output.get_any_name() for output in model.outputs]
        pasts = [name for name in (each.get_any_name() for each in model.inputs) if name.startswith("past")]
        apply_make_stateful_transformation(model, dict(zip(pasts, [name for name in outputs if name.startswith("present")])))
        self.request = core.compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": asked.threads, "PERFORMANCE_HINT": "LATENCY"}).create_infer_request()

    def run(self, prompt, new):
        self.request.reset_state()

        def feed(ids, length):
            self.request.infer({"input_ids": numpy.array([ids], numpy.int64),
                                "attention_mask": numpy.ones((1, length + len(ids)), numpy.int64)})
            return int(numpy.argmax(self.request.get_tensor("logits").data[0, -1]))

        return timed(prompt, new, feed)


SYSTEMS = {"llama.cpp": LlamaCpp, "xllamacpp": PrebuiltLlamaCpp, "onnxruntime": OnnxRuntime, "onnxruntime-genai": GenAi, "openvino": OpenVino}
MODULES = {"llama.cpp": "llama_cpp", "xllamacpp": "xllamacpp", "onnxruntime": "onnxruntime", "onnxruntime-genai": "onnxruntime_genai", "openvino": "openvino"}
