"""Compares tree ensembles of scikit-learn, XGBoost and LightGBM in hone and in ONNX Runtime. Labels must be equal and
scores within 1e-5. Times a run at batch 1 and 100. Exits 1 on a missed goal, 77 if this Python lacks a peer.

  cmake --build --preset release --target hone_program
  python3 -m venv V && V/bin/pip install onnxruntime skl2onnx onnxmltools xgboost lightgbm
  V/bin/python bench/peers/tabular.py [--models a.onnx,b.onnx] [--threads 1] [--rounds 10] [--work build/peers/tabular]

Without --models it trains some, of 20 features and 50 to 400 trees. Each model has one float32 matrix as input. A time
is the least of interleaved rounds. ONNX Runtime's is that of a run from Python, of which the call takes about 5 us.
"""
import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time

NEEDED = ("onnxruntime", "onnx")
TRAINERS = ("sklearn", "skl2onnx", "onnxmltools", "xgboost", "lightgbm")


def train(folder):
    import lightgbm
    import numpy
    import onnx
    import xgboost
    from onnxmltools.convert import convert_lightgbm, convert_xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType
    from skl2onnx import to_onnx
    from sklearn import datasets, ensemble
    two, four = (datasets.make_classification(2000, 20, n_informative=10, n_classes=n, random_state=n) for n in (2, 4))
    line = datasets.make_regression(2000, 20, noise=1, random_state=1)
    kind = [("x", FloatTensorType([None, 20]))]
    models = {}
    for name, (x, y) in {"2": two, "4": four, "r": line}.items():
        x, suffix = x.astype(numpy.float32), "Regressor" if name == "r" else "Classifier"
        for short, maker in (("forest", getattr(ensemble, "RandomForest" + suffix)(50, max_depth=8, random_state=0)),
                             ("boosted", getattr(ensemble, "GradientBoosting" + suffix)(n_estimators=50))):
            model = maker.fit(x, y)
            models[short + name] = to_onnx(model, x[:1], options={id(model): {"zipmap": False}} if name != "r" else None)
        models["xgboost" + name] = convert_xgboost(getattr(xgboost, "XGB" + suffix)(n_estimators=100).fit(x, y), initial_types=kind)
        no_maps = {} if name == "r" else {"zipmap": False}
        models["lightgbm" + name] = convert_lightgbm(
            getattr(lightgbm, "LGBM" + suffix)(n_estimators=100, verbose=-1).fit(x, y), initial_types=kind, **no_maps)
    paths = []
    for name, model in models.items():
        paths.append(os.path.join(folder, name + ".onnx"))
        onnx.save(model, paths[-1])
    return paths


class Judge:
    def __init__(self, options):
        self.options = options

    def hone(self, *arguments):
        done = subprocess.run([f"{self.options.hone}/bin/hone", *arguments, "--threads", str(self.options.threads)],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout

    def session(self, path, rows):
        """A session, and the name and shape of its input with the given number of rows."""
        import onnx
        import onnxruntime
        model = onnx.load(path)
        for value in [model.graph.input[0], *model.graph.output]:
            if value.type.tensor_type.shape.dim:
                value.type.tensor_type.shape.dim[0].dim_param = "rows"
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = self.options.threads
        settings.log_severity_level = 3
        path = os.path.join(self.options.work, os.path.basename(path))
        onnx.save(model, path)
        session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
        given = session.get_inputs()[0]
        return path, session, given.name, (rows, given.shape[1])

    def row(self, model, rows):
        import numpy
        path, session, name, shape = self.session(model, rows)
        package, outputs = path + f".{rows}.hone", path + ".outputs"
        x = numpy.random.default_rng(rows).standard_normal(shape).astype(numpy.float32)
        numpy.save(path + ".npy", x)
        given = ["--input", f"{name}={path}.npy"]
        self.hone("build", path, "-o", package, "--no-records", "--shape", f"{name}={shape[0]},{shape[1]}")
        self.hone("run", package, "--output", outputs, *given)
        labels, error = True, 0.0
        for output, wanted in zip(session.get_outputs(), session.run(None, {name: x})):
            got = numpy.load(os.path.join(outputs, output.name + ".npy")).reshape(wanted.shape)
            if wanted.dtype.kind == "i":
                labels = labels and bool((got == wanted).all())
            else:
                error = max(error, float(abs(got - wanted).max() / abs(wanted).max()))
        theirs = ours = float("inf")
        for _ in range(self.options.rounds):
            for _ in range(200):
                begin = time.perf_counter_ns()
                session.run(None, {name: x})
                theirs = min(theirs, time.perf_counter_ns() - begin)
            told = json.loads(self.hone("bench", package, "--rounds", "1", "--runs", "200", "--json", *given))
            ours = min(ours, told["benchmarks"][0]["real_time"])
        print(f"{os.path.basename(model):18} {rows:5} rows  labels {'equal' if labels else 'DIFFER'}  scores {error:.1e}  "
              f"hone {ours / 1e3:9.2f} us  ONNX Runtime {theirs / 1e3:9.2f} us  {theirs / ours:5.2f}", flush=True)
        return labels and error <= 1e-5 and ours <= theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="")
    parser.add_argument("--hone", default="build/release")
    parser.add_argument("--work", default="build/peers/tabular")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    missing = [name for name in NEEDED + (() if options.models else TRAINERS) if importlib.util.find_spec(name) is None]
    if missing:
        print("this Python lacks", ", ".join(missing))
        return 77
    os.makedirs(options.work, exist_ok=True)
    models = options.models.split(",") if options.models else train(options.work)
    judge = Judge(options)
    return 0 if all([judge.row(model, rows) for model in models for rows in (1, 100)]) else 1


if __name__ == "__main__":
    sys.exit(main())
