#!/usr/bin/env python3
"""Compares hone with ONNX's reference implementation, bit by bit, on random graphs that only move float16.

    half_moves.py --bin build/release/bin --work /tmp/moved --count 200

Inputs are random bits: NaNs of every fraction, infinities and denormals among them. Constants are finite, because the
importer reads them as numbers. At -O0 hone moves float32, where a signalling NaN is quiet. Needs what compare.py needs,
and is skipped, too. --onnxruntime compares with ONNX Runtime instead, for which all NaNs are one.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys


class Graph:
    """Matrices of float16 and the nodes that move them. `values` has name and shape of each."""

    def __init__(self, drawn, half):
        self.m, self.half, self.values = drawn, half, []
        for _ in range(drawn.between(2, 3)):
            shape = [drawn.between(2, 20), drawn.between(2, 40)]
            bits = drawn.numpy.integers(0, 1 << 16, shape).astype(numpy.uint16)
            self.add(drawn.given(bits.view(half), 0), shape)

    def add(self, name, shape):
        self.values.append((name, shape))

    def node(self, op, inputs, shape, **attributes):
        self.add(self.m.node(op, inputs, result=False, **attributes), shape)

    def constant(self, shape):
        return self.m.known(self.m.numpy.standard_normal(shape), self.half)

    def step(self):
        m, ((x, (r, c)), axis) = self.m, (self.m.one_of(self.values), self.m.between(0, 1))
        kind = m.between(0, 11)
        if kind == 0:
            self.node("Transpose", [x], [c, r], perm=[1, 0])
        elif kind == 1:
            fits = [(name, shape) for name, shape in self.values if shape[1 - axis] == [r, c][1 - axis]]
            parts = [m.one_of(fits) for _ in range(m.between(1, 3))]
            stored = [r, c]
            stored[axis] = m.between(1, 5)
            total = [r, c]
            total[axis] = sum(shape[axis] for _, shape in parts) + stored[axis]
            self.node("Concat", [name for name, _ in parts] + [self.constant(stored)], total, axis=axis)
        elif kind == 2:
            low, step = m.between(0, min(r, c) - 1), m.one_of([1, 2, -1])
            taken = [r, c]
            span = slice(low, None, step) if step > 0 else slice(None, None, step)
            taken[axis] = len(range(*span.indices(taken[axis])))
            begin, end = (low, 1000) if step > 0 else (1000, -1000)
            self.node("Slice", [x] + [m.known([v]) for v in (begin, end, axis, step)], taken)
        elif kind == 3:
            before, after = m.between(0, 3), m.between(0, 3)
            value = m.known(numpy.asarray(m.one_of([0, -1.5, numpy.inf, 65504])), self.half)
            mode, more = m.one_of([("constant", [value]), ("edge", []), ("reflect", [])])
            pads = [min(before, r - 1), 0, 0, min(after, c - 1)]
            self.node("Pad", [x, m.known(pads)] + more, [r + pads[0], c + pads[3]], mode=mode)
        elif kind == 4:
            places = m.numpy.integers(-[r, c][axis], [r, c][axis], m.between(1, 30))
            index = m.given(places, 50)
            self.node("Gather", [x, index], [len(places), c] if axis == 0 else [r, len(places)], axis=axis)
        elif kind == 5:
            self.node("Tile", [x, m.known([2, 1])], [2 * r, c])
        elif kind == 6:
            chosen = m.given(m.numpy.random([r, c]) < 0.5, 0)
            other = m.one_of([name for name, shape in self.values if shape == [r, c]] + [self.constant([r, c])])
            self.node("Where", [chosen, x, other], [r, c])
        elif kind == 7:
            places = m.random.sample(range(r), m.between(1, r))
            updates = m.given(m.numpy.integers(0, 1 << 16, [len(places), c]).astype(numpy.uint16).view(self.half), 0)
            index = m.given(numpy.asarray(places, numpy.int64).reshape(-1, 1), 50)
            self.node("ScatterND", [x, index, updates], [r, c])
        elif kind == 8 and r > 1:
            first = m.node("Split", [x, m.known([1, r - 1])], 2, result=False, axis=0)
            self.add(first[0], [1, c])
            self.add(first[1], [r - 1, c])
        elif kind == 9:
            wide = m.node("Reshape", [x, m.known([1, 1, r, c])], result=False)
            blocks = m.node("Concat", [wide] * 4, result=False, axis=1)
            deep = m.node("DepthToSpace", [blocks], result=False, blocksize=2)
            self.node("Reshape", [deep, m.known([2 * r, 2 * c])], [2 * r, 2 * c])
        elif kind == 10:
            self.node("Trilu", [x], [r, c], upper=axis)
        else:
            self.node("Identity", [x], [r, c])
        self.values = [(name, shape) for name, shape in self.values if shape[0] * shape[1] < 20_000]

    def finish(self):
        self.m.outputs = [name for name, _ in self.values[-3:]]
        return self.m.model()


def draw(seed):
    from drawing import Drawn  # beside this file
    graph = Graph(Drawn(seed), numpy.float16)
    for _ in range(graph.m.between(2, 9)):
        graph.step()
    return graph.m.inputs, graph.finish()


def bits_of(array, quiet, one_nan):
    bits = numpy.ascontiguousarray(array).view(numpy.uint16).copy()
    nan = (bits & 0x7FFF) > 0x7C00
    bits[nan] |= 0x200 if quiet else 0
    bits[nan & one_nan] = 0x7E00
    return bits


def differs(folder, seed, model, inputs, arguments):
    refused = folder / f"{seed:06}.refused"
    if refused.exists():
        return refused.read_text()
    from compare import reference_outputs
    for i, want in enumerate(reference_outputs(model, inputs, arguments.onnxruntime)):
        got, as_wanted = numpy.load(folder / f"{seed:06}.out{i}.npy"), (arguments.opt_level == 0, arguments.onnxruntime)
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
        off = int((bits_of(got, *as_wanted) != bits_of(want, *as_wanted)).sum())
        if off:
            return f"result {i}: {off} elements have other bits"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="the folder of hone_run_models")
    parser.add_argument("--readers", type=pathlib.Path, default=pathlib.Path(), help="where pip put onnx, besides Python's own places")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder, which is emptied")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--target", default="host")
    parser.add_argument("--opt-level", type=int, default=3)
    parser.add_argument("--onnxruntime", action="store_true")
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.readers))  # of the pinned versions, whatever this Python has
    try:
        global numpy
        import numpy
        import onnx.reference  # noqa: F401
        import compare
        compare.numpy = numpy
    except ImportError as missing:
        print(f"skipped: {missing}")
        return 77
    folder = arguments.work
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    models = {}
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        models[seed] = draw(seed)
        (folder / f"{seed:06}.onnx").write_bytes(models[seed][1].SerializeToString())
        for name, array in models[seed][0].items():
            numpy.save(folder / f"{seed:06}.{name}.npy", array)
    done = subprocess.run([arguments.bin / "hone_run_models", folder, "--build-every", "1", "--target", arguments.target,
                           "--opt-level", str(arguments.opt_level)])
    wrong = 0
    for seed, (inputs, model) in models.items():
        what = differs(folder, seed, model, inputs, arguments)
        if what:
            print(f"{seed} {[n.op_type for n in model.graph.node]}: {what}")
            wrong += 1
    print(f"{arguments.count} models, {wrong} wrong")
    return 1 if wrong or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
