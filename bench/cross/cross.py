#!/usr/bin/env python3
"""Measures the costs of boards of other architectures, and whether they compute the right results. Prints goal, reached
and verdict of each row.

Runs the programs of the tests, so build these first. scripts/build_runner.sh builds the runners.
  bench/cross/cross.py --build build/release [--rows sizes,compile,schedules,networks,bench] [--count 10]
Exits 1 if a row missed its goal. The rows have no times of emulated boards, which mean nothing.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

ARCHITECTURES = ("x86_64", "aarch64", "armv7", "riscv64")
COMPILED = ("x86-64-v2", "x86-64-v3", "x86-64-v4", "cortex-a72", "cortex-a76", "cortex-a15", "cortex-a9", "rv64gc", "rv64gcv",
            "rv64gcv_zvl256b", "rv64gcv_zvl512b")
NETWORKS = ("resnet-18", "mobilenet_v2")
BOARDS = ("aarch64", "riscv64")


class Rows:
    def __init__(self):
        self.all_met = True
        print(f"{'what':<64} {'goal':>10} {'reached':>10}  verdict")

    def add(self, what, goal, reached, met):
        self.all_met = self.all_met and met
        print(f"{what:<64} {goal:>10} {reached:>10}  {'met' if met else 'MISSED'}", flush=True)

    def at_most(self, what, goal, reached):
        self.add(what, f"<= {goal:g}", f"{reached:.4g}", reached <= goal)

    def at_least(self, what, goal, reached):
        self.add(what, f">= {goal:g}", f"{reached:.4g}", reached >= goal)


def text_of(line, **options):
    return subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def sizes(rows, asked):
    for arch in ARCHITECTURES:
        runner = os.path.join(asked.runners, arch, "hone-runner")
        what = f"hone-runner for {arch}, one static file, MB"
        if not os.path.exists(runner):
            rows.add(what, "<= 2.5", "no file", False)
            continue
        rows.at_most(what, 2.5, os.path.getsize(runner) / 1e6)
        headers = text_of(["readelf", "--program-headers", "--dynamic", "--wide", runner]).stdout
        rows.at_most(f"  what it needs of {arch}'s libraries and loaders", 0, len(re.findall("NEEDED|INTERP", headers)))


def compile_rates(rows, asked):
    program = os.path.join(asked.build, "bin", "hone_bench_compile_rate")
    for target in COMPILED:
        done = text_of([program, str(asked.candidates), target])
        reached = re.search(r"candidates compiled per second +\S+ +(\S+)", done.stdout)
        rows.at_least(f"candidates compiled per second and core for {target}", 40, float(reached[1]) if reached else 0)


def schedules(rows, asked):
    program = os.path.join(asked.build, "bin", "cross_schedules_test")
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        begin = time.monotonic()
        text_of([program, f"--gtest_output=json:{report}"], env={**os.environ, "HONE_COUNT": str(asked.count)})
        seconds = time.monotonic() - begin
        with open(report) as file:
            suites = json.load(file)["testsuites"]
    for test in (test for suite in suites for test in suite["testsuite"]):
        what, target = test["name"].split("/")[-2:]
        kernels = "kernels of bytes" if what.startswith("OfBytes") else "kernels"
        if test["result"] == "SKIPPED":
            rows.add(f"{kernels} for {target}", "<= 0 wrong", "no qemu", False)
            continue
        checked, wrong = int(test.get("checked", 0)), len(test.get("failures", []))
        rows.add(f"{kernels} for {target}, {checked} against the reference, wrong", "<= 0", str(wrong), wrong == 0 < checked)
    rows.at_most("  seconds that these took, on one core", 900, seconds)


def networks(rows, asked):
    program = os.path.join(asked.build, "bin", "emulated_runner_test")
    for arch in BOARDS:
        for network in NETWORKS:
            what = f"{network} tuned on emulated {arch}, encrypted, max|y-r|/max|r|"
            done = text_of([program, "--gtest_filter=EmulatedSession.TunesChecksAndTimesANetwork"],
                           env={**os.environ, "HONE_RUNNER_ARCH": arch, "HONE_NETWORK": network, "HONE_IMAGE": asked.image})
            errors = re.findall(r"^output\S* +(\d\S+) +\d+ +\w+$", done.stdout, re.MULTILINE)
            passed = done.returncode == 0 and errors and "SKIPPED" not in done.stdout
            rows.add(what, "<= 1e-4", errors[-1] if errors else "none", bool(passed) and float(errors[-1]) <= 1e-4)
            rows.add("  marked emulated, never best, no device of compare", "holds", "holds" if passed else "no", bool(passed))


def minimum_ns(line, folder):
    done = subprocess.run(line, cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return json.loads(done.stdout)["packages"][0]["min_ns"]


def wait_for_board(hone, address):
    for _ in range(600):
        if "here" in text_of([hone, "devices", "--tracker", address]).stdout:
            return
        time.sleep(0.1)


def bench(rows, asked):
    """The package's least time by the device's own bench and as the tracker reports it to the user, in turns."""
    hone = os.path.abspath(os.path.join(asked.build, "bin", "hone"))
    static = os.path.join(asked.runners, "x86_64", "hone-runner")
    runner = static if os.path.exists(static) else os.path.join(asked.build, "bin", "hone-runner")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([hone, "build", "zoo:resnet-18", "--no-records", "--threads", "1", "-o", "p.hone"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = os.path.join(folder, "port")
        tracker = subprocess.Popen([hone, "tracker", "--bind", "tcp://127.0.0.1:*", "--port-file", port], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        board = None
        try:
            while not os.path.exists(port) or not os.path.getsize(port):
                time.sleep(0.05)
            with open(port) as file:
                address = file.read().strip()
            board = subprocess.Popen([os.path.abspath(runner), "--tracker", address, "--key", "here", "--health", "off"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_for_board(hone, address)
            common = [hone, "bench", "p.hone", "--threads", "1", "--runs", str(asked.runs), "--json"]
            there = [*common, "--tracker", address, "--key", "here"]
            least = {"here": [], "there": []}
            for _ in range(asked.turns):
                least["here"].append(minimum_ns(common, folder))
                least["there"].append(minimum_ns(there, folder))
        finally:
            for program in filter(None, (board, tracker)):
                program.terminate()
                program.wait()
    apart = abs(min(least["there"]) / min(least["here"]) - 1)
    rows.at_most("hone bench through a tracker against bench on the device, % apart", 2, 100 * apart)
    for where, times in least.items():
        print(f"  {where}: least of {asked.runs} runs, ms: " + " ".join(f"{ns / 1e6:.3f}" for ns in times))


def main():
    parts = {"sizes": sizes, "compile": compile_rates, "schedules": schedules, "networks": networks, "bench": bench}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--runners", default="build/runners")
    parser.add_argument("--rows", default=",".join(parts))
    parser.add_argument("--candidates", type=int, default=200)
    parser.add_argument("--count", type=int, default=10, help="rounds of random shapes for each schedule and target")
    parser.add_argument("--image", default="3,224,224", help="of the emulated networks")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--turns", type=int, default=5)
    asked = parser.parse_args()
    rows = Rows()
    for name in asked.rows.split(","):
        if name not in parts:
            parser.error(f"--rows {name}: {', '.join(parts)} are right")
        parts[name](rows, asked)
    return 0 if rows.all_met else 1


if __name__ == "__main__":
    sys.exit(main())
