"""Packs the test cases of the onnx package into tests/data/onnx_cases/cases.gz, for tests/onnx_cases.

  python3 -m venv V && V/bin/pip install onnx
  V/bin/python tests/onnx_cases/pack_cases.py

The sets are node, pytorch-converted, pytorch-operator and simple. Node cases that repeat another case in smaller
operators (`_expanded`) are left out. Cases of more than 64 KiB of tensors are left out, too, and their
names are printed.

The unpacked file has the line `onnx cases 1 VERSION`, then records:
- `blob BYTES` is followed by so many bytes and a newline. Blobs are numbered from 0.
- `case SET NAME MODEL DATA...` has the number of its model's blob. Each DATA has the numbers of the inputs' and the
  outputs' TensorProtos: `1,2:3`, with `-` for one that is absent. A sequence has those of its elements: `(4+5)`.
A set of data without any tensor of numbers is not packed.
"""
import argparse
import glob
import gzip
import os
import warnings

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/onnx_cases")
LARGEST = 64 << 10


def tensor(value):
    """The bytes of the value as a TensorProto, a list of them for a sequence, or None if it holds no numbers."""
    import numpy
    import onnx
    if isinstance(value, onnx.TensorProto):
        copy = onnx.TensorProto()
        copy.CopyFrom(value)
        copy.ClearField("name")
        return copy.SerializeToString()
    if isinstance(value, list):
        elements = list(map(tensor, value))
        return None if None in elements else elements
    if value is None or isinstance(value, dict):
        return None
    array = numpy.asarray(value)
    return None if array.dtype.kind in "OUS" else onnx.numpy_helper.from_array(array).SerializeToString()


def node_cases():
    from onnx.backend.test.case.node import collect_testcases
    for case in collect_testcases(None):
        if case.model is not None and "_expanded" not in case.name:
            yield "node", case.name, case.model, [[list(map(tensor, part)) for part in data] for data in case.data_sets]


def stored_tensors(folder, kind):
    import onnx
    for i in range(len(glob.glob(f"{folder}/{kind}_*.pb"))):
        path = f"{folder}/{kind}_{i}.pb"
        try:
            yield tensor(onnx.load_tensor(path))
        except Exception:  # the file holds a sequence, which is not a tensor
            sequence = onnx.SequenceProto()
            with open(path, "rb") as file:
                sequence.ParseFromString(file.read())
            yield tensor(onnx.numpy_helper.to_list(sequence))


def stored_cases():
    import onnx
    root = os.path.join(os.path.dirname(onnx.__file__), "backend/test/data")
    for kind in ("pytorch-converted", "pytorch-operator", "simple"):
        for folder in sorted(glob.glob(f"{root}/{kind}/*")):
            data = [[list(stored_tensors(each, part)) for part in ("input", "output")] for each in sorted(glob.glob(f"{folder}/test_data_set_*"))]
            yield kind, os.path.basename(folder), onnx.load(f"{folder}/model.onnx"), data


def size(value):
    return sum(map(size, value)) if isinstance(value, list) else len(value or b"")


class Pack:
    def __init__(self, version):
        self.parts = [f"onnx cases 1 {version}\n".encode()]
        self.numbers = {}

    def blob(self, data):
        if data is None:
            return "-"
        if isinstance(data, list):
            return f"({'+'.join(map(self.blob, data))})"
        if data not in self.numbers:
            self.numbers[data] = len(self.numbers)
            self.parts += [f"blob {len(data)}\n".encode(), data, b"\n"]
        return str(self.numbers[data])

    def add(self, kind, name, model, data):
        model.doc_string = ""
        words = ["case", kind, name, self.blob(model.SerializeToString())]
        words += [":".join(",".join(map(self.blob, part)) for part in each) for each in data]
        self.parts.append((" ".join(words) + "\n").encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default=f"{FOLDER}/cases.gz")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    import onnx
    pack, count = Pack(onnx.__version__), 0
    for kind, name, model, data in [*node_cases(), *stored_cases()]:
        if sum(size(value) for each in data for part in each for value in part) > LARGEST:
            print(f"too large: {kind} {name}")
            continue
        count += 1
        pack.add(kind, name, model, [each for each in data if any(value is not None for part in each for value in part)])
    with open(options.output, "wb") as file:
        file.write(gzip.compress(b"".join(pack.parts), 9, mtime=0))
    print(f"{count} cases, {os.path.getsize(options.output)} bytes")


if __name__ == "__main__":
    main()
