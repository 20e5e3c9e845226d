#!/usr/bin/env python3
"""How often `hone bench` cries wolf, and how often it finds a slowdown that is there.

A/A: a package against a copy of itself, gate at 2 %; every "slower" is a false alarm (goal: at most 1 %).
A/B: against the same network on an image that is a little wider, chosen so that a long run puts it at 3 % more time;
"slower" is right (goal: 95 %), anything else is a miss, and how it missed is counted.

  bench/verdicts/verdicts.py --hone build/release/bin/hone --runs 200 --slow-runs 100
"""
import argparse
import collections
import json
import os
import subprocess
import tempfile


def bench(hone, folder, packages, options):
    line = [hone, "bench", *packages, "--threads", "1", "--smallest-effect", "2%", "--json", *options]
    done = subprocess.run(line, cwd=folder, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["verdicts"][0]


def build(hone, folder, network, width, name):
    shape = f"3,224,{width}"
    subprocess.run([hone, "build", f"zoo:{network}", "--image-shape", shape, "-o", name, "--no-records", "--threads", "1"],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def slowed(hone, folder, network, wanted):
    """The package whose time over base.hone is nearest to `wanted`, and that ratio by a long run."""
    best = None
    for width in range(225, 236):
        name = f"wide{width}.hone"
        build(hone, folder, network, width, name)
        ratio = bench(hone, folder, ["base.hone", name], ["--rounds", "30", "--min-time", "12s"])["ratio"]
        if best is None or abs(ratio - wanted) < abs(best[1] - wanted):
            best = (name, ratio)
    return best


def count(hone, folder, package, runs, options):
    found = collections.Counter()
    for _ in range(runs):
        found[bench(hone, folder, ["base.hone", package], options)["verdict"]] += 1
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", default="build/release/bin/hone")
    parser.add_argument("--network", default="mobilenet")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--slow-runs", type=int, default=100)
    parser.add_argument("--min-time", default="3s")
    asked = parser.parse_args()
    hone = os.path.abspath(asked.hone)
    options = ["--rounds", "10", "--min-time", asked.min_time]
    with tempfile.TemporaryDirectory() as folder:
        build(hone, folder, asked.network, 224, "base.hone")
        build(hone, folder, asked.network, 224, "same.hone")
        same = count(hone, folder, "same.hone", asked.runs, options)
        print(f"A/A, {asked.runs} runs: {dict(same)}; false alarms {100 * same['slower'] / max(1, asked.runs):.1f} %")
        if asked.slow_runs == 0:
            return
        name, ratio = slowed(hone, folder, asked.network, 1.03)
        slow = count(hone, folder, name, asked.slow_runs, options)
        print(f"A/B, {100 * (ratio - 1):.2f} % slower by a long run, {asked.slow_runs} runs: {dict(slow)}; "
              f"found {100 * slow['slower'] / asked.slow_runs:.1f} %")


if __name__ == "__main__":
    main()
