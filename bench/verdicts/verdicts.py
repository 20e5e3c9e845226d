#!/usr/bin/env python3
"""Counts how often `hone bench` gives a false alarm, and how often it finds a real slowdown.

A/A: a package against a copy of itself, gate at 2 %. Every "slower" is a false alarm.
A/B: a package against the same network on an image that is a little wider. The width is the one whose time in a long
run is nearest to 3 % more. "slower" is right, anything else is a miss, and misses are counted by kind.
Both are measured in turns (`hone bench old new`), against a kept package (`--save`, then `--baseline NAME`) and against
a stored result (`--baseline FILE --fail-above 2%`).
With --runtime NAME, only A/A is measured: two processes of that runtime in turns on a model of about 1 ms.
With --load N, only A/A is measured, in turns on two threads beside N busy processes. Both "slower" and "faster" are
then false.
With --hog, only the rows of a kept package are measured, beside a process that is busy for half of each half second on
the core where packages run.
--keep FILE appends each result as a line of JSON.

Prints goal, reached and verdict of each. Exits 1 on a missed goal that bench/results/bounds.md does not name. A whole run
takes about 12 minutes of a quiet machine.

  bench/verdicts/verdicts.py --hone build/release/bin/hone
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../peers"))
import goals  # noqa: E402
from bounds import read_bounds  # noqa: E402

PAGE = os.path.join(HERE, "../results/bounds.md")
GATE = "2%"
SLOWER = 1.03
WIDTHS = range(228, 234)  # of an image that is 224 wide; these widths include 3 %
# By row: the goal in percent of the runs, or None if there is none; and whether more is better.
HOG = """
import time
while True:
    until = time.monotonic() + 0.25
    while time.monotonic() < until:
        pass
    time.sleep(0.25)
"""
KEPT = []  # the file to which results are appended, if any
ROWS = {
    "A/A in turns, false alarms": (1.0, False),
    "A/A in turns beside others, called different": (1.0, False),
    "3 % slower in turns, found": (95.0, True),
    "A/A of a runtime, called different": (1.0, False),
    "A/A against a kept package, false alarms": (1.0, False),
    "3 % slower against a kept package, found": (95.0, True),
    "A/A against a kept package beside a hog, false alarms": (1.0, False),
    "3 % slower against a kept package beside a hog, found": (95.0, True),
    "A/A against a baseline, false alarms": (1.0, False),
    "3 % slower against a baseline, found": (None, True),
}


def run(hone, folder, arguments):
    """The output of `hone bench --json`; a failed gate is a valid answer. What it keeps lies in the folder."""
    threads = [] if "--threads" in arguments else ["--threads", "1"]
    done = subprocess.run([hone, "bench", *arguments, *threads, "--any-model", "--json"], cwd=folder, stdout=subprocess.PIPE,
                          env={**os.environ, "XDG_DATA_HOME": folder})
    if done.returncode not in (0, 1):
        raise RuntimeError(f"hone bench {' '.join(arguments)} ended with {done.returncode}")
    result = json.loads(done.stdout)
    for path in KEPT:
        with open(path, "a", encoding="utf-8") as kept:
            kept.write(json.dumps(result) + "\n")
    return done.returncode, result


def build(hone, folder, network, width, name):
    shape = f"3,224,{width}"
    subprocess.run([hone, "build", f"zoo:{network}", "--image-shape", shape, "-o", name, "--no-records", "--threads", "1"],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def slowed(hone, folder, network):
    """Makes slow.hone of the width whose time over base.hone is nearest to SLOWER. Returns that ratio from a long
    run."""
    best = None
    for width in WIDTHS:
        build(hone, folder, network, width, "wide.hone")
        options = ["base.hone", "wide.hone", "--rounds", "30", "--min-time", "3s"]
        ratio = run(hone, folder, options)[1]["verdicts"][0]["ratio"]
        if best is None or abs(ratio - SLOWER) < abs(best - SLOWER):
            best = ratio
            os.replace(os.path.join(folder, "wide.hone"), os.path.join(folder, "slow.hone"))
    return best


def in_turns(hone, folder, package, runs, options):
    """The number of each verdict on the package against base.hone."""
    found = collections.Counter()
    for _ in range(runs):
        arguments = ["base.hone", package, "--fail-above", GATE, *options]
        found[run(hone, folder, arguments)[1]["verdicts"][0]["verdict"]] += 1
    return found


def judged(hone, folder, package, baseline, runs, options):
    """Counts of the verdicts on a package against a baseline."""
    found = collections.Counter()
    for _ in range(runs):
        failed, result = run(hone, folder, [package, "--baseline", baseline, "--fail-above", GATE, *options])
        found["slower" if failed else result["verdicts"][0]["verdict"]] += 1
    return found


def against_baseline(hone, folder, package, runs, options):
    """As in_turns, but against times of base.hone that were stored before the first of these runs; "slower" if the
    gate failed."""
    with open(os.path.join(folder, "base.json"), "w", encoding="utf-8") as stored:
        json.dump(run(hone, folder, ["base.hone", *options])[1], stored)
    return judged(hone, folder, package, "base.json", runs, options)


def against_kept(hone, folder, package, runs, options):
    """As against_baseline, but the package is kept, and is timed again in each run."""
    run(hone, folder, ["base.hone", "--save", "base", *options])
    return judged(hone, folder, package, "base", runs, options)


def of_runtime(hone, folder, runtime, runs, options):
    """Verdicts on two processes of one runtime in turns."""
    subprocess.run([hone, "zoo", "mobilenet", "--image-shape", "3,32,32", "-o", "model.onnx"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    arguments = ["model.onnx", "--no-records", "--runtime", f"{runtime},{runtime}", *options]
    return collections.Counter(run(hone, folder, arguments)[1]["verdicts"][0]["verdict"] for _ in range(runs))


def beside_others(hone, folder, runs, options, load):
    """Verdicts on a package and its copy in turns, on two threads, while `load` other processes are busy."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(load)]
    try:
        return in_turns(hone, folder, "same.hone", runs, [*options, "--threads", "2"])
    finally:
        for other in others:
            other.kill()
            other.wait()


def beside_a_hog(hone, folder, package, runs, options):
    """As against_kept, all on one core with a process that wants half of it."""
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    with subprocess.Popen([sys.executable, "-c", HOG]) as hog:
        try:
            return against_kept(hone, folder, package, runs, options)
        finally:
            hog.kill()


def row_of(name, found):
    """The row for bench/peers/goals.py, from the counted verdicts."""
    goal, more_is_better = ROWS[name]
    wrong = found["slower"] + (found["faster"] if "different" in name else 0)
    reached = 100 * wrong / max(1, sum(found.values()))
    return {"row": name, "reached": reached, "goal": goal, "more_is_better": more_is_better, "floor": None}


def tell(row, found, bounds):
    """Prints the row. Returns whether it fails the run."""
    verdict = goals.judge(row, bounds)
    goal = "-" if row["goal"] is None else f"{'>=' if row['more_is_better'] else '<='} {row['goal']:g} %"
    print(f"{row['row']:54} {sum(found.values()):5} {goal:>8} {row['reached']:8.1f} %  {verdict}  {dict(found)}", flush=True)
    return goals.fails(verdict)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", default="build/release/bin/hone")
    parser.add_argument("--network", default="mobilenet-0.5")
    parser.add_argument("--runs", type=int, default=200, help="in turns of a package against itself; half as many against a baseline")
    parser.add_argument("--slow-runs", type=int, default=100, help="the same of a slower one; 0: none")
    parser.add_argument("--min-time", default="300ms")
    parser.add_argument("--runtime", default="", help="A/A of this runtime of `hone bench --runtime` alone")
    parser.add_argument("--load", type=int, default=0, help="busy processes beside it; 0: none, and all the other rows")
    parser.add_argument("--hog", action="store_true", help="only kept packages, beside a process that is busy half of the time")
    parser.add_argument("--keep", default="", help="a file for the results, a line of JSON each")
    asked = parser.parse_args()
    KEPT.extend([os.path.abspath(asked.keep)] if asked.keep else [])
    hone = os.path.abspath(asked.hone)
    options = ["--rounds", "10", "--min-time", asked.min_time]
    bounds = read_bounds(PAGE)
    with tempfile.TemporaryDirectory() as folder:
        if asked.runtime:
            name = "A/A of a runtime, called different"
            found = of_runtime(hone, folder, asked.runtime, asked.runs, options)
            return 1 if tell(row_of(name, found), found, bounds) else 0
        build(hone, folder, asked.network, 224, "base.hone")
        build(hone, folder, asked.network, 224, "same.hone")
        if asked.load > 0:
            name = "A/A in turns beside others, called different"
            found = beside_others(hone, folder, asked.runs, options, asked.load)
            return 1 if tell(row_of(name, found), found, bounds) else 0
        hogs = [("A/A against a kept package beside a hog, false alarms", beside_a_hog, "same.hone", asked.runs),
                ("3 % slower against a kept package beside a hog, found", beside_a_hog, "slow.hone", asked.slow_runs)]
        plans = [("A/A in turns, false alarms", in_turns, "same.hone", asked.runs),
                 ("A/A against a kept package, false alarms", against_kept, "same.hone", asked.runs // 2),
                 ("A/A against a baseline, false alarms", against_baseline, "same.hone", asked.runs // 2)]
        if asked.slow_runs > 0:
            print(f"the slower package: {100 * (slowed(hone, folder, asked.network) - 1):.2f} % by a long run", flush=True)
            plans += [("3 % slower in turns, found", in_turns, "slow.hone", asked.slow_runs),
                      ("3 % slower against a kept package, found", against_kept, "slow.hone", asked.slow_runs // 2),
                      ("3 % slower against a baseline, found", against_baseline, "slow.hone", asked.slow_runs // 2)]
        plans = hogs if asked.hog else plans
        print(f"{'row':54} {'runs':>5} {'goal':>8} {'reached':>10}  verdict")
        failed = False
        for name, count, package, runs in plans:
            found = count(hone, folder, package, runs, options)
            failed = tell(row_of(name, found), found, bounds) or failed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
