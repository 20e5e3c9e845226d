#!/usr/bin/env python3
"""What shared tuning is worth on this machine: goal, reached and verdict of each row.

  bench/store/sharing.py --build build/release [--rows hub,seeds] [--networks squeezenet,resnet-18] [--threads 1,2]
                         [--budget 12m|--hub-trials 30] [--pack FILE] [--logs FILE ...] [--seeded resnet-50] [--trials 2000]

hub: of each network a build with the pack's records alone beside one that was tuned here for --budget, in turns. The
     pack is the one that was built with hone (share/hone/hub.honepack), or --pack. What was tuned here is kept in
     --work, and a later run goes on from there. --hub-trials in place of a time is for a quick look at the rows.
seeds: trials until the network is within 5 % of the best that two runs of --trials reach, with --logs of another tuner
       imported and without.
Exits 1 when a row was missed, and 2 when nothing could be measured. Wants a quiet machine.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

GOAL_OF_TUNED = 98.0
GOAL_OF_TRIALS = 0.5
WITHIN = 1.05


class Rows:
    def __init__(self):
        self.all_met, self.count = True, 0
        print(f"{'what':<72} {'goal':>8} {'reached':>9}  verdict")

    def add(self, what, goal, reached, met):
        self.count += 1
        self.all_met = self.all_met and met
        print(f"{what:<72} {goal:>8} {reached:>9}  {'met' if met else 'MISSED'}", flush=True)


class Hone:
    """The program, without whatever the user has set or stored."""

    def __init__(self, build, work):
        self.program = os.path.join(build, "bin", "hone")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("HONE_")}
        self.environment["XDG_DATA_HOME"] = os.path.join(os.path.abspath(work), "no store")

    def text(self, *words):
        done = subprocess.run([self.program, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=self.environment)
        if done.returncode != 0:
            raise RuntimeError(f"hone {' '.join(map(str, words))}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def json(self, *words):
        return json.loads(self.text(*words, "--json"))

    def lines(self, *words):
        return [json.loads(line) for line in self.text(*words, "--json").splitlines()]


def first_build(rows, hone, asked, network, threads):
    """How much of the tuned speed a build has that found nothing but the pack."""
    model, of = [f"zoo:{network}", "--threads", threads], os.path.join(asked.work, f"{network}-{threads}")
    until = ["--trials", asked.hub_trials] if asked.hub_trials else ["--budget", asked.budget]
    hone.text("tune", *model, *until, "--db", of + ".db")
    built = hone.json("build", *model, "--hub", asked.pack, "-o", of + "-hub.hone")
    hone.text("build", *model, "--hub", "none", "--db", of + ".db", "-o", of + "-tuned.hone")
    hone.text("build", *model, "--no-records", "-o", of + "-default.hone")
    kernels = [row for row in built["dispatch"] if row["workload"]]
    held = sum(1 for row in kernels if row["source"].endswith("hub"))
    timed = hone.json("bench", of + "-tuned.hone", of + "-hub.hone", of + "-default.hone", "--threads", threads)
    hub, default = (100 / verdict["ratio"] for verdict in timed["verdicts"][:2])
    what = f"{network}, {threads} thread{'s' if threads > 1 else ''}: of the tuned speed, with {held} of {len(kernels)} records"
    if held == 0:
        print(f"{what}: the pack holds none for this kind of machine ({default:.1f} % with the defaults)", flush=True)
        return
    rows.add(f"{what} (default {default:.1f} %)", f">= {GOAL_OF_TUNED:g} %", f"{hub:.1f} %", hub >= GOAL_OF_TUNED)


def curve(events):
    """[(task, its best so far in ns, or None)] by trial, and the tasks of the closing report."""
    done = events[-1]
    best, points = {}, []
    for event in events:
        if event["event"] != "trial":
            continue
        if event["min_ns"] > 0:
            best[event["task"]] = min(event["min_ns"], best.get(event["task"], event["min_ns"]))
        points.append((event["task"], best.get(event["task"])))
    return points, {task["task"]: task for task in done["tasks"]}


def network_times(points, tasks):
    """The sum over a network's layers after each trial; None until every task has a time."""
    best, times = {}, []
    for task, ns in points:
        if ns is not None:
            best[task] = ns
        times.append(sum(best[name] * row["uses"] for name, row in tasks.items()) if len(best) == len(tasks) else None)
    return times


def first_within(times, best):
    return next((i + 1 for i, ns in enumerate(times) if ns is not None and ns <= WITHIN * best), None)


def seeds(rows, hone, asked):
    """Trials to a good network with a foreign log's configs to begin with, and without."""
    times = {}
    with tempfile.TemporaryDirectory(dir=asked.work) as folder:
        for name in ("without", "with"):
            db = os.path.join(folder, name + ".db")
            if name == "with":
                # A line that is refused is an exit code of 65; the others are in all the same.
                subprocess.run([hone.program, "log", "import", *asked.logs, "--db", db], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=hone.environment, check=False)
            points, tasks = curve(hone.lines("tune", f"zoo:{asked.seeded}", "--threads", 1, "--trials", asked.trials,
                                             "--finals", "kernels", "--db", db))
            times[name] = network_times(points, tasks)
            seeded = sum(1 for row in tasks.values() if row["seeded"])
    if seeded == 0:
        print(f"{asked.seeded}: the logs hold none of its tasks", flush=True)
        return
    best = min(ns for each in times.values() for ns in each if ns is not None)
    trials = {name: first_within(each, best) for name, each in times.items()}
    what = f"{asked.seeded}, {seeded} of {len(tasks)} tasks seeded: trials to within 5 %, over those without"
    share = trials["with"] / trials["without"] if trials["with"] and trials["without"] else float("inf")
    if trials["with"] and not trials["without"]:
        share = trials["with"] / len(times["without"])  # at most: the other run did not get there at all
    told = f"{trials['with'] or 'never'} / {trials['without'] or 'never'}"
    rows.add(f"{what} ({told})", f"<= {GOAL_OF_TRIALS:g}", f"{share:.2f}", share <= GOAL_OF_TRIALS)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rows", default="hub,seeds")
    parser.add_argument("--networks", default="squeezenet,resnet-18,mobilenet_v2")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--budget", default="12m", help="of tuning one network")
    parser.add_argument("--hub-trials", type=int, default=0)
    parser.add_argument("--pack", default="")
    parser.add_argument("--logs", nargs="*", default=[], help="of AutoTVM or TopHub")
    parser.add_argument("--seeded", default="resnet-50", help="the network that they are of")
    parser.add_argument("--trials", type=int, default=2000, help="of either run")
    parser.add_argument("--work", default="", help="keeps stores and packages; else a folder that is removed")
    asked = parser.parse_args()
    asked.pack = asked.pack or os.path.join(asked.build, "share", "hone", "hub.honepack")
    unknown = set(asked.rows.split(",")) - {"hub", "seeds"}
    if unknown:
        parser.error(f"--rows {asked.rows}: hub, seeds or both would be right")
    if "seeds" in asked.rows.split(",") and not asked.logs:
        parser.error("the row seeds needs --logs")
    return asked


def main(asked):
    rows, hone = Rows(), Hone(asked.build, asked.work)
    if "hub" in asked.rows.split(","):
        for network in asked.networks.split(","):
            for threads in map(int, asked.threads.split(",")):
                first_build(rows, hone, asked, network, threads)
    if "seeds" in asked.rows.split(","):
        seeds(rows, hone, asked)
    if rows.count == 0:
        return 2
    return 0 if rows.all_met else 1


if __name__ == "__main__":
    given = parse()
    with tempfile.TemporaryDirectory() as scratch:
        given.work = given.work or scratch
        os.makedirs(given.work, exist_ok=True)
        try:
            sys.exit(main(given))
        except RuntimeError as error:
            print(f"sharing.py: {error}", file=sys.stderr)
            sys.exit(2)
