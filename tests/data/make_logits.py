"""Makes tests/data/logits/*.json: ONNX Runtime's outputs for networks of the zoo before their last softmax.

    python3 tests/data/make_logits.py HONE [NETWORK ...]

HONE is the program. Needs numpy, onnx and onnxruntime. Each network is exported at its defaults (batch 1,
3x224x224, 1000 classes, seed 0) and run on one input: FillTensor(kNormal, seed 7), written anew below. The files hold
the version of ONNX Runtime that made them and every logit with nine digits, which gives the same float32 back.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

NETWORKS = ["resnet-18", "resnet-50", "mobilenet", "mobilenet_v2", "squeezenet", "vgg-11"]
INPUT_SEED = 7
GOLDEN = 0x9E3779B97F4A7C15


def mix_bits(x):
    """core/random.h: MixBits, on an array of uint64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def normal_fill(shape, seed):
    """core/tensor.h: FillTensor with Fill::kNormal."""
    count = int(np.prod(shape))
    start = mix_bits(np.array([(seed + GOLDEN) % 2**64], dtype=np.uint64))
    bits = mix_bits(start + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GOLDEN))
    parts = sum(((bits >> np.uint64(16 * i)) & np.uint64(0xFFFF)).astype(np.int32) for i in range(4))
    return ((parts - 2 * 0xFFFF).astype(np.float32) * np.float32(2.6428998e-05)).reshape(shape)


def cut_softmax(path):
    """The model without its last softmax, as bytes."""
    model = onnx.load(path)
    softmax = model.graph.node[-1]
    assert softmax.op_type == "Softmax", softmax.op_type
    model.graph.node.pop()
    model.graph.output[0].name = softmax.input[0]
    return model.SerializeToString()


def logits_of(hone, network, folder):
    path = pathlib.Path(folder) / "network.onnx"
    subprocess.run([hone, "zoo", network, "-o", path], check=True)
    session = onnxruntime.InferenceSession(cut_softmax(path), providers=["CPUExecutionProvider"])
    data = session.get_inputs()[0]
    return session.run(None, {data.name: normal_fill(data.shape, INPUT_SEED)})[0].ravel()


def main():
    out = pathlib.Path(__file__).parent / "logits"
    for network in sys.argv[2:] or NETWORKS:
        with tempfile.TemporaryDirectory() as folder:
            logits = logits_of(sys.argv[1], network, folder)
        values = [float(f"{v:.9g}") for v in logits.tolist()]
        document = {"network": network, "onnxruntime": onnxruntime.__version__, "input_seed": INPUT_SEED, "logits": values}
        (out / f"{network}.json").write_text(json.dumps(document) + "\n")
        print(network, values[:3], flush=True)


if __name__ == "__main__":
    main()
