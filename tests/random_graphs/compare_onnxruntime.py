#!/usr/bin/env python3
"""Compares hone with ONNX Runtime on the models of random graphs.

    compare_onnxruntime.py --bin build/release/bin --seed 0 --count 200

Needs a Python with numpy and onnxruntime. Without them it prints "skipped: ..." and exits 0. hone_random_graphs
compares with a reference that shares hone's importer. ONNX Runtime does not.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnxruntime
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)


def session_of(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def inputs_of(session, seed):
    generator = numpy.random.default_rng(seed)
    return {i.name: generator.standard_normal(i.shape, dtype=numpy.float32) for i in session.get_inputs()}


def save_all(folder, arrays):
    files = []
    for name, array in arrays:
        files.append(folder / f"{name}.npy")
        numpy.save(files[-1], array)
    return files


def compare(hone, model, folder, tolerance):
    """A text that says what differs, or None."""
    try:
        session = session_of(model)
        inputs = inputs_of(session, int(model.stem))
        outputs = session.run(None, inputs)
    except Exception as error:  # any kind of unsupported model
        return f"ONNX Runtime: {str(error).splitlines()[0]}"
    if any(output.dtype != numpy.float32 for output in outputs):
        return None
    command = [hone, "verify", str(model), "--tolerance", str(tolerance), "--no-records", "--json"]
    for name, file in zip(inputs, save_all(folder, inputs.items())):
        command += ["--input", f"{name}={file}"]
    command += ["--expect", *map(str, save_all(folder, [(f"out{i}", o) for i, o in enumerate(outputs)]))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return None if done.returncode == 0 else f"exit {done.returncode}: {(done.stdout + done.stderr).strip()[:300]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="the folder of hone and hone_random_graphs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    arguments = parser.parse_args()
    differ = refused = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([arguments.bin / "hone_random_graphs", "--write", folder, "--seed", str(arguments.seed),
                        "--count", str(arguments.count)], check=True)
        for model in sorted(folder.glob("*.onnx"), key=lambda path: int(path.stem)):
            what = compare(arguments.bin / "hone", model, folder, arguments.tolerance)
            if what is None:
                continue
            print(f"{model.stem}: {what}")
            refused += what.startswith("ONNX Runtime")
            differ += not what.startswith("ONNX Runtime")
    print(f"{arguments.count} models, {differ} differ, {refused} that ONNX Runtime does not run")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
