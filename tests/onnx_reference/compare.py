#!/usr/bin/env python3
"""Compares hone with ONNX's reference implementation on random models of the importer's operators.

    compare.py --bin build/release/bin --work /tmp/drawn --count 1000

`hone verify` and the random graphs compare with hone's own reference, which shares the importer. This program does not.
It needs numpy and an onnx with onnx.reference (1.13 or later; Debian 12's 1.12 has none), here or in --readers. Without
them it prints "skipped: ..." and exits 77. With --onnxruntime it compares with ONNX Runtime instead.
"""
import argparse
import collections
import pathlib
import shutil
import subprocess
import sys

# Results may differ by this fraction of the largest one, for float32's error.
TOLERANCE = 3e-5
# hone's kernels flush denormal float32 to zero, and functions of special values are this accurate.
LEAST, LEAST_SPECIAL = 2e-38, 3e-7


def differs(got, want, special):
    """How two arrays differ, or "". The tolerance is relative to the largest value, or to each value if `special`."""
    if got.shape != want.shape:
        return f"shape {got.shape} instead of {want.shape}"
    if want.dtype.kind != "f":
        off = int((got != want.astype(got.dtype)).sum())
        return f"{off} elements" if off else ""
    got, want = got.astype("f8"), want.astype("f8")
    same = (got == want) | (numpy.isnan(got) & numpy.isnan(want))
    finite = numpy.isfinite(got) & numpy.isfinite(want)
    if not (same | finite).all():
        return "a NaN or an infinity elsewhere"
    if not same.size or same.all():
        return ""
    got, want = (numpy.where(finite, each, 0) for each in (got, want))
    far, size = numpy.abs(got - want), numpy.abs(want)
    allowed = TOLERANCE * size + LEAST_SPECIAL if special else TOLERANCE * size.max() + LEAST
    return f"off by {far.max():.3g}" if (far > allowed).any() else ""


def draw(seed):
    from drawing import Drawn  # beside this file
    import draw_composed, draw_elements, draw_movement, draw_products, draw_windows
    m = Drawn(seed)
    m.special = seed % 4 == 0
    families = {1: draw_movement.ALL, 2: draw_windows.ALL + draw_products.ALL, 3: draw_elements.USUAL + draw_composed.ALL}
    special = draw_elements.SPECIAL + draw_movement.ALL
    m.one_of(special if m.special else families[seed % 4])(m)
    return m


def reference_outputs(model, inputs, runtime):
    if runtime:
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.log_severity_level, options.intra_op_num_threads = 4, 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return session.run(None, inputs)
    from onnx.reference import ReferenceEvaluator
    with numpy.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(None, inputs)


def write(folder, seeds):
    drawn = {}
    for seed in seeds:
        m = draw(seed)
        if not m.inputs:
            m.node("Identity", [m.given(m.values([2]), 0)])
        model = m.model()
        (folder / f"{seed:06}.onnx").write_bytes(model.SerializeToString())
        for name, array in m.inputs.items():
            numpy.save(folder / f"{seed:06}.{name}.npy", array.copy(order="C"))
        drawn[seed] = (m, model)
    return drawn


def judge(folder, seed, m, model, runtime):
    """The kind of result, and its description."""
    refused = folder / f"{seed:06}.refused"
    if refused.exists():
        return "refused", refused.read_text()
    try:
        want = reference_outputs(model, m.inputs, runtime)
    except Exception as error:  # any kind of unsupported model
        return "not run", str(error).splitlines()[0] if str(error) else repr(error)
    for kind in ("folded", "out"):
        for i, expected in enumerate(want):
            path = folder / f"{seed:06}.{kind}{i}.npy"
            if not path.exists():
                if kind == "folded":
                    return "wrong", f"no result {i}"
                continue
            what = differs(numpy.load(path), numpy.asarray(expected), m.special)
            if what:
                return "wrong", f"{kind} {i}: {what}"
    return "right", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="the folder of hone_run_models")
    parser.add_argument("--readers", type=pathlib.Path, help="where pip put onnx, besides Python's own places")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder, which is emptied")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--build-every", type=int, default=4)
    parser.add_argument("--onnxruntime", action="store_true")
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.readers))  # of the pinned versions, whatever this Python has
    try:
        global numpy
        import numpy
        import onnx.reference
    except ImportError as missing:
        print(f"skipped: {missing}")
        return 77
    folder = arguments.work
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    drawn = write(folder, range(arguments.seed, arguments.seed + arguments.count))
    done = subprocess.run([arguments.bin / "hone_run_models", folder, "--build-every", str(arguments.build_every)])
    counts, reasons = collections.Counter(), collections.Counter()
    for seed, (m, model) in drawn.items():
        kind, what = judge(folder, seed, m, model, arguments.onnxruntime)
        counts[kind] += 1
        if kind == "wrong":
            print(f"{seed} {[n.op_type for n in m.nodes]}: {what}")
        elif kind != "right":
            reasons[f"{kind}: {m.nodes[0].op_type}: {what[:150]}"] += 1
    for reason, count in sorted(reasons.items()):
        print(f"{count:4} {reason}")
    print(f"{arguments.count} models: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if counts["wrong"] or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
