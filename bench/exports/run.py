"""Tries hone on what exporters, optimisers and quantisers write: whether it opens, agrees with ONNX Runtime on the same
file, and is as fast on one thread. Prints a row for each export. Exits 1 if a row misses without a named bound, 77 if
this Python lacks ONNX Runtime.

  cmake --build --preset release --target hone_program hone_shared hone_call
  python3 -m venv V && V/bin/pip install -r bench/exports/requirements.txt
  V/bin/python bench/exports/run.py [--only bert] [--at past=300,seq=1] [--no-times] [--keras K/bin/python]
                                    [--paddle P/bin/python]

The networks are small, with random weights, so that nothing is downloaded. TensorFlow and Paddle want environments of
their own (requirements-keras.txt, requirements-paddle.txt). Exports whose exporter is missing, or fails, are listed
apart. Packages are built with default options and one thread. A time is the least of interleaved rounds from Python, by
the extension of hone_runtime if it was built. --at gives the extents that are timed; by default they are feeds.EXTENTS.
"""
import argparse
import importlib.metadata
import json
import os
import subprocess
import sys

import cases
import feeds

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = ("torch", "transformers", "diffusers", "timm", "onnx", "onnxscript", "onnxruntime", "onnxruntime-genai", "scikit-learn", "skl2onnx",
            "onnxmltools", "tensorflow-cpu", "tf2onnx", "paddlepaddle", "paddle2onnx")
WARNINGS = ("-W", "ignore")


def make(options, chosen):
    pythons = {"keras": options.keras, "paddle": options.paddle}
    for python in dict.fromkeys(pythons.get(case.maker, sys.executable) for case in chosen):
        wanted = [each for each in chosen if pythons.get(each.maker, sys.executable) == python]
        sources = [cases.BY_NAME[each.source] for each in wanted if each.source]
        names = list(dict.fromkeys(each.name for each in (*sources, *wanted)))
        # An export that failed is tried again when its .why is removed.
        missing = [each for each in names if not any(os.path.exists(os.path.join(options.work, each + end)) for end in (".onnx", ".why"))]
        if missing:
            with open(os.path.join(options.work, "make.log"), "ab") as log:
                subprocess.run([python, *WARNINGS, os.path.join(HERE, "make.py"), options.work, *missing], stdout=log, stderr=log, check=False)


def built(options, case, path):
    package = path.replace(".onnx", ".hone")
    done = subprocess.run([f"{options.hone}/bin/hone", "build", path, "-o", package, "--no-records", "--threads", "1", *case.build],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"status {done.returncode}")
    return package


def flat(value):
    """A list of maps, as ZipMap makes it, as the matrix of their values."""
    import numpy
    return numpy.array([list(each.values()) for each in value]) if isinstance(value, list) else numpy.asarray(value)


def error_of(got, wanted):
    import numpy
    got, wanted = flat(got), flat(wanted)
    if got.shape != wanted.shape:
        raise ValueError(f"an output is {got.shape}, not {wanted.shape}")
    if wanted.size == 0:
        return 0.0
    a, b = got.astype("float64"), wanted.astype("float64")
    # A NaN or an infinity must stand at the same place.
    odd = ~numpy.isfinite(b)
    if not numpy.array_equal(a[odd], b[odd], equal_nan=True) or not numpy.isfinite(a[~odd]).all():
        return float("inf")
    if wanted.dtype.kind in "iub":
        return float((a != b).mean())
    return float(numpy.abs(a[~odd] - b[~odd]).max(initial=0) / max(numpy.abs(b[~odd]).max(initial=0), 1e-30))


def worst_error(session, net, case):
    names = [each.name for each in session.get_outputs()]
    tried, worst = [], 0.0
    for extents in case.extents:
        feed = feeds.inputs_of(session, extents)
        shapes = [value.shape for value in feed.values()]
        if shapes in tried:
            continue
        tried.append(shapes)
        got = net.run({info.name: feed[info.name].astype(info.dtype) for info in net.inputs})
        for name, wanted in zip(names, session.run(None, feed)):
            worst = max(worst, error_of(got[name], wanted))
    return worst


def judge(options, case):
    """A dict with what is known of the case."""
    import hone_runtime
    import onnxruntime
    path = os.path.join(options.work, case.name + ".onnx")
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.log_severity_level = 1, 4
    try:
        if case.maker == "quantised":
            # ONNX Runtime's own fusions round elsewhere than the nodes that the quantiser wrote.
            settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
        feed = feeds.inputs_of(session, case.extents[0])
        session.run(None, feed)
    except Exception as why:
        return {"not_run": f"ONNX Runtime: {str(why).splitlines()[0]}"}
    try:
        package = built(options, case, path)
    except RuntimeError as why:
        return {"opens": False, "reason": str(why)}
    try:
        net = hone_runtime.Session(hone_runtime.Package(package), threads=1)
        error = worst_error(session, net, case)
    except Exception as why:
        return {"opens": True, "agrees": False, "reason": str(why)}
    told = {"opens": True, "agrees": error <= case.error, "error": error}
    if not options.no_times:
        if options.at:
            feed = feeds.inputs_of(session, {**case.extents[0], **{name: int(extent) for name, extent in (each.split("=") for each in options.at.split(","))}})
        told["hone_ns"], told["peer_ns"] = timed(options, path, package, feed)
    return told


def timed(options, path, package, feed):
    sys.path.append(os.path.join(HERE, "..", "operators"))
    import measure
    theirs = measure.OnnxRuntime(path, feed)
    ours = measure.Hone(package, feed, [])
    return measure.times(ours, theirs, options.seconds, options.rounds)


def row(options, case):
    why = os.path.join(options.work, case.name + ".why")
    if not os.path.exists(os.path.join(options.work, case.name + ".onnx")):
        return {"not_run": open(why, encoding="utf-8").read() if os.path.exists(why) else "its exporter is not installed"}
    done = subprocess.run([sys.executable, *WARNINGS, os.path.abspath(__file__), *sys.argv[1:], "--judge", case.name], capture_output=True,
                          text=True, check=False)
    lines = done.stdout.strip().splitlines()
    return json.loads(lines[-1]) if done.returncode == 0 and lines else {"opens": False, "reason": f"status {done.returncode}: {done.stderr[-200:]}"}


def missed(case, told):
    """What the row misses, or "". A bound that is named for it excuses that alone."""
    if not told.get("opens"):
        what = "opens"
    elif not told["agrees"]:
        what = "agrees"
    elif told.get("hone_ns", 0) > told.get("peer_ns", 0):
        what = "ratio"
    else:
        return ""
    return "" if what in cases.BOUNDS.get(case.name, {}) else what


def text(case, told):
    line = f"{case.exporter:16} {case.model:18}"
    if "not_run" in told:
        return f"{line} not tried: {told['not_run']}"
    line += f" {'opens' if told['opens'] else 'REFUSED'}"
    if "agrees" in told:
        line += f" {'agrees' if told['agrees'] else 'DIFFERS'}"
    if "error" in told:
        line += f" {told['error']:.1e}"
    if "hone_ns" in told:
        line += f"  hone {told['hone_ns'] / 1e3:8.1f} us  ONNX Runtime {told['peer_ns'] / 1e3:8.1f} us  {told['peer_ns'] / told['hone_ns']:5.2f}"
    reasons = [*filter(None, [told.get("reason")]), *cases.BOUNDS.get(case.name, {}).values()]
    return "  ".join([line, *reasons])


def versions(options):
    texts = []
    for python in dict.fromkeys((sys.executable, options.keras, options.paddle)):
        code = "import importlib.metadata as m, json, sys; print(json.dumps({d.metadata['Name']: d.version for d in m.distributions()}))"
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
        found = json.loads(done.stdout) if done.returncode == 0 else {}
        texts += [f"{name} {found[name]}" for name in VERSIONS if name in found and f"{name} {found[name]}" not in texts]
    return ", ".join(texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name, MODEL.EXPORTER, holds this text")
    parser.add_argument("--hone", default="build/release")
    parser.add_argument("--work", default="build/exports", help="a folder for models and packages, which are kept")
    parser.add_argument("--keras", default=sys.executable, help="a Python that has tensorflow and tf2onnx")
    parser.add_argument("--paddle", default=sys.executable, help="a Python that has paddle and paddle2onnx")
    parser.add_argument("--at", default="", help="extents to time, as past=300,seq=1")
    parser.add_argument("--seconds", type=float, default=0.6, help="of timing for each export")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--no-times", action="store_true")
    parser.add_argument("--kept", action="store_true", help="try only models that an earlier run made")
    parser.add_argument("--judge", help=argparse.SUPPRESS)
    options = parser.parse_args()
    built_python = os.path.join(options.hone, "python")
    has_extension = os.path.exists(os.path.join(built_python, "hone_runtime", "_call.abi3.so"))
    sys.path.insert(0, built_python if has_extension else os.path.join(HERE, "..", "..", "python"))
    os.environ.setdefault("HONE_LIBRARY", os.path.abspath(f"{options.hone}/lib/libhone.so"))
    if options.judge:
        print(json.dumps(judge(options, cases.BY_NAME[options.judge])))
        return 0
    try:
        print(importlib.metadata.version("onnxruntime") and versions(options), flush=True)
    except importlib.metadata.PackageNotFoundError:
        print("this Python lacks onnxruntime")
        return 77
    os.makedirs(options.work, exist_ok=True)
    chosen = [case for case in cases.CASES if options.only in case.name]
    if options.kept:
        chosen = [case for case in chosen if os.path.exists(os.path.join(options.work, case.name + ".onnx"))]
    make(options, chosen)
    rows = []
    for case in chosen:
        rows.append((case, row(options, case)))
        print(text(*rows[-1]), flush=True)
    tried = [(case, told) for case, told in rows if "not_run" not in told]
    opens, agrees = (sum(bool(told.get(what)) for _, told in tried) for what in ("opens", "agrees"))
    ahead = sum(told.get("hone_ns", 1) <= told.get("peer_ns", 0) for _, told in tried)
    misses = [f"{case.name} ({missed(case, told)})" for case, told in tried if missed(case, told)]
    print(f"{len(tried)} tried, {opens} open, {agrees} agree, {ahead} not slower; {len(rows) - len(tried)} not tried; missed: "
          f"{', '.join(misses) if misses else 'none'}")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
