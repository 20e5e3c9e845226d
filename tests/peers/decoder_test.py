"""hone continues a text as ONNX Runtime does: the same greedy tokens from the same file in float32, of a prompt that
hone computes in parts. Exits 77 if ONNX Runtime is missing.
"""
import argparse
import os
import sys
import types

PROMPT, AT_ONCE, NEW = 24, 16, 64


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", required=True, help="the build folder")
    parser.add_argument("--work", required=True)
    asked = parser.parse_args()
    try:
        import numpy
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as error:
        print(f"skipped: {error}")
        return 77
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path += [os.path.join(here, "../../python"), os.path.join(here, "../../bench/peers")]
    os.environ["HONE_LIBRARY"] = os.path.join(asked.hone, "lib/libhone.so")
    import decoder_model
    import decoder_systems

    os.makedirs(asked.work, exist_ok=True)
    path = os.path.join(asked.work, "tiny")
    files = types.SimpleNamespace(path=path, onnx=path + ".onnx", room=PROMPT + NEW)
    decoder_model.write(files.onnx, "tiny", "float32")
    options = types.SimpleNamespace(prompt=AT_ONCE, threads=1)
    hone = decoder_systems.Hone(files, options, os.path.join(asked.hone, "bin/hone"), "float32")
    prompt = [int(token) for token in numpy.random.default_rng(2).integers(0, 300, PROMPT)]
    ours, theirs = hone.run(prompt, NEW)[0], decoder_systems.OnnxRuntime(files, options).run(prompt, NEW)[0]
    print(f"hone:         {ours}\nONNX Runtime: {theirs}")
    return 0 if len(ours) == NEW and ours == theirs else 1


if __name__ == "__main__":
    sys.exit(main())
