"""Runs ONNX's own cases through hone. Prints how many give the expected numbers, and why the others do not. Exits 1 if
a case gives other numbers or fewer than --at-least are right. Exits 77 if this Python lacks onnx or its cases do not
run.

  cmake --build --preset release --target hone_program
  python3 -m venv V && V/bin/pip install onnx
  V/bin/python bench/peers/onnx_cases.py [--sets node,light] [--only REGEX] [--hone build/release] [--work build/peers/onnx_cases] [--at-least 800]

The sets are node, pytorch-converted, pytorch-operator, simple and light (networks with constant weights). Cases that
repeat another case in smaller operators (`_expanded`) are left out.

Some cases feed as inputs what real models store: axes, sizes, pads, scales. If hone says that it has to know such a
number, the case is tried again with constants and counted apart. The constants are its small integers and the floats
that KNOWN names. Floats of 16 and 64 bits are fed as float32, because hone computes with it.
"""
import argparse
import collections
import concurrent.futures
import glob
import importlib.util
import os
import re
import subprocess
import sys
import warnings

NARROW = {"float16": (2e-2, 2e-3), "bfloat16": (3e-2, 2e-2)}
# Inputs that are floats in some cases but always constants in real models, by operator and position.
KNOWN = {"Resize": (1, 2), "Upsample": (1,), "OneHot": (1,), "Range": (0, 1, 2)}
TO_BE_KNOWN = re.compile("must be known|computed by the model|is not known")


def numbers(value):
    import numpy
    import onnx
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else numpy.asarray(value)


def as_float32(value):
    import numpy
    return value.astype(numpy.float32) if value.dtype.name in ("float16", "bfloat16", "float64") else value


def with_constants(model, inputs):
    """The model with small integers and KNOWN floats as initializers, and the remaining inputs."""
    import onnx
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    stored = {name for node in model.graph.node for place, name in enumerate(node.input) if place in KNOWN.get(node.op_type, ())}
    for name, value in inputs.items():
        if value.size <= 16 and (value.dtype.kind in "iu" or name in stored):
            changed.graph.initializer.append(onnx.numpy_helper.from_array(value, name))
    known = {tensor.name for tensor in changed.graph.initializer}
    kept = [each for each in changed.graph.input if each.name not in known]
    del changed.graph.input[:]
    changed.graph.input.extend(kept)
    return changed, {name: value for name, value in inputs.items() if name not in known}


Case = collections.namedtuple("Case", "set name model data_sets")


def stored(folder, kind):
    """The tensors in files, or None for a file that holds something else."""
    import onnx
    for i in range(len(glob.glob(f"{folder}/{kind}_*.pb"))):
        try:
            yield onnx.load_tensor(f"{folder}/{kind}_{i}.pb")
        except Exception:  # the message of a sequence
            yield None


def input_names(model):
    """The names of the inputs. Old models list their initializers among their inputs."""
    known = {tensor.name for tensor in model.graph.initializer}
    return [each.name for each in model.graph.input if each.name not in known]


def light_case(path):
    """A case whose input is a ramp, as in onnx's own runner."""
    import numpy
    import onnx
    model = onnx.load(path)
    image = next(each for each in model.graph.input if each.name == input_names(model)[0])
    shape = [dim.dim_value for dim in image.type.tensor_type.shape.dim]
    elements = int(numpy.prod(shape))
    ramp = (numpy.arange(elements, dtype=numpy.float32) / elements).reshape(shape)
    expected = onnx.load_tensor(path.replace(".onnx", "_output_0.pb"))
    return Case("light", os.path.basename(path)[:-5], model, [([ramp], [expected])])


def cases_of(kind):
    import onnx
    root = os.path.join(os.path.dirname(onnx.__file__), "backend/test/data")
    if kind == "node":
        from onnx.backend.test.case.node import collect_testcases
        return [Case(kind, case.name, case.model, case.data_sets) for case in collect_testcases(None)
                if case.model is not None and "_expanded" not in case.name]
    if kind == "light":
        return [light_case(path) for path in sorted(glob.glob(f"{root}/light/*.onnx"))]
    return [Case(kind, os.path.basename(folder), onnx.load(f"{folder}/model.onnx"),
                 [(list(stored(each, "input")), list(stored(each, "output"))) for each in sorted(glob.glob(f"{folder}/test_data_set_*"))])
            for folder in sorted(glob.glob(f"{root}/{kind}/*"))]


class Cases:
    def __init__(self, options):
        self.options = options

    def hone(self, *arguments):
        done = subprocess.run([f"{self.options.hone}/bin/hone", *arguments], capture_output=True, text=True)
        told = [line for line in done.stderr.splitlines() if line.startswith("hone:")]
        return "" if done.returncode == 0 else (told or [f"exit code {done.returncode}"])[-1]

    def results(self, kind, name, model, inputs):
        """The reason why there are no results, and the results by name."""
        import numpy
        import onnx
        folder = os.path.join(self.options.work, kind, name)
        os.makedirs(folder, exist_ok=True)
        path, package, outputs = (os.path.join(folder, each) for each in ("model.onnx", "model.hone", "outputs"))
        onnx.save(model, path)
        why = self.hone("build", path, "-o", package, "--no-records", "--threads", "1")
        given = []
        for i, (name, value) in enumerate(inputs.items()):
            numpy.save(os.path.join(folder, f"{i}.npy"), value)
            given += ["--input", f"{name}={folder}/{i}.npy"]
        why = why or self.hone("run", package, "--threads", "1", "--output", outputs, *given)
        names = [each.name for each in model.graph.output]
        return why, {} if why else {each: numpy.load(os.path.join(outputs, each.replace("/", "_") + ".npy")) for each in names}

    def judge(self, case):
        import numpy
        verdict = "right"
        for given, expected in case.data_sets:
            if any(each is None or isinstance(each, list) for each in [*given, *expected]):
                return "a sequence or an optional value"
            inputs = {name: as_float32(numbers(value)) for name, value in zip(input_names(case.model), given)}
            if any(value.dtype.kind in "OUS" for value in inputs.values()):
                return "text"
            why, results = self.results(case.set, case.name, case.model, inputs)
            if TO_BE_KNOWN.search(why):
                model, rest = with_constants(case.model, inputs)
                why, results = self.results(case.set, case.name, model, rest)
                verdict = "right with constants"
            if why:
                return re.sub(r"^hone: \S+: |(node|input) \"[^\"]*\" ?", "", why)
            for value, got in zip(map(numbers, expected), results.values()):
                relative, absolute = NARROW.get(value.dtype.name, (1e-3, 1e-7 if case.set == "light" else 1e-4))
                wanted = as_float32(value).astype(numpy.float64)
                if got.shape != value.shape or not numpy.allclose(got, wanted, relative, absolute, equal_nan=True):
                    return "other numbers"
        return verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="node,pytorch-converted,pytorch-operator,simple,light", help="which, by commas")
    parser.add_argument("--only", default="", help="cases whose names match")
    parser.add_argument("--hone", default="build/release")
    parser.add_argument("--work", default="build/peers/onnx_cases")
    parser.add_argument("--at-least", type=int, default=0)
    options = parser.parse_args()
    if importlib.util.find_spec("onnx") is None:
        print("this Python has no onnx")
        return 77
    warnings.simplefilter("ignore")
    try:
        cases = [case for kind in options.sets.split(",") for case in cases_of(kind) if re.search(options.only, case.name)]
    except AttributeError as error:
        print(f"this Python's onnx and numpy do not fit together: {error}")
        return 77
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = dict(zip([(case.set, case.name) for case in cases], pool.map(Cases(options).judge, cases)))
    for (kind, name), verdict in verdicts.items():
        if not verdict.startswith("right"):
            print(f"{kind} {name}: {verdict}")
    for kind in options.sets.split(","):
        of_kind = [verdict for (its, _), verdict in verdicts.items() if its == kind]
        print(f"{kind}: {sum(verdict.startswith('right') for verdict in of_kind)} of {len(of_kind)} are right")
    counts = collections.Counter(verdicts.values())
    right = counts["right"] + counts["right with constants"]
    print(f"{right} of {len(cases)} cases are right, {counts['right with constants']} of them with constants; "
          f"{counts['other numbers']} give other numbers")
    return 1 if counts["other numbers"] or right < options.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
