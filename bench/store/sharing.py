#!/usr/bin/env python3
"""Measures the worth of shared tuning on this machine. Prints goal, reached and verdict of each row.

  bench/store/sharing.py --build build/release [--rows hub,seeds] [--networks squeezenet,resnet-18] [--threads 1,2]
                         [--budget 12m|--hub-trials 30] [--pack FILE] [--logs FILE ...] [--seeded resnet-50] [--trials 2000]
                         [--rng-seeds 3]

hub: times two builds of each network in turns: one with only the pack's records, one that was tuned here for --budget.
     The pack is the one that was built with hone (share/hone/hub.honepack), or --pack. Tuned records are kept in
     --work, so a later run continues there. --hub-trials in place of a time is for a quick look at the rows.
seeds: counts trials of each task until it is within 5 % of the best of any run. Compares tuning with --logs of another
       tuner imported and without. Numbers are medians over --rng-seeds runs of --trials. They are of tasks that the
       logs hold and whose default is not within 5 % already.
Exits 1 if a row missed its goal and docs/howto/sharing.md names no bound for it. Exits 2 if nothing could be measured.
Needs a quiet machine.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

GOAL_OF_TUNED = 98.0
GOAL_OF_TRIALS = 0.5
WITHIN = 1.05
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "howto", "sharing.md")


def bounds_of(page):
    """{row: (reached, bound)} of the table | row | reached | bound | under the heading Bounds."""
    bounds, inside = {}, False
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("#"):
            inside = line.strip("# ") == "Bounds"
        if not inside or not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0] == "row" or not cells[0].strip("-: "):
            continue
        try:
            bounds[cells[0].replace("`", "")] = (float(cells[1]), cells[2])
        except (IndexError, ValueError):
            raise RuntimeError(f"line {number}: a row of the bounds is | row | number | bound |") from None
    return bounds


class Rows:
    def __init__(self, bounds):
        self.bounds, self.all_met, self.count = bounds, True, 0
        print(f"{'what':<72} {'goal':>8} {'reached':>9}  verdict")

    def add(self, what, told, goal, reached, met, within):
        """Prints a row. `within` says whether the result is as good as a bound on the page, within a tenth."""
        self.count += 1
        bound = self.bounds.get(what)
        bounded = not met and bound is not None and within(bound[0])
        self.all_met = self.all_met and (met or bounded)
        verdict = "met" if met else f"bounded: {bound[1]}" if bounded else "MISSED"
        print(f"{f'{what} ({told})':<72} {goal:>8} {reached:>9}  {verdict}", flush=True)


class Hone:
    """The program, without the user's settings and store."""

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
    """The share of the tuned speed that a build reaches with only the pack."""
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
    rows.add(what, f"default {default:.1f} %", f">= {GOAL_OF_TUNED:g} %", f"{hub:.1f} %", hub >= GOAL_OF_TUNED,
             lambda bound: hub >= 0.9 * bound)


class Task:
    """A task in one tuning run, trial by trial."""

    def __init__(self):
        self.best, self.default, self.seeded = [], None, False  # best so far in ns, None until there is one

    def add(self, event):
        last = self.best[-1] if self.best else None
        ns = event["min_ns"]
        self.best.append(last if ns <= 0 else ns if last is None else min(ns, last))
        if event["default_ns"] > 0:
            self.default = event["default_ns"]

    def trials_to(self, ns):
        """The number of the task's trials until that time, or of all its trials if it was not reached."""
        return next((i + 1 for i, best in enumerate(self.best) if best is not None and best <= ns), len(self.best))


def tasks_of(events):
    """Tasks by workload, from the event stream of hone tune."""
    tasks = {}
    for event in events:
        if event["event"] == "trial":
            tasks.setdefault(event["task"], Task()).add(event)
    for row in events[-1]["tasks"]:
        if row["task"] in tasks:
            tasks[row["task"]].seeded = row["seeded"] > 0
    return tasks


def runs_of(hone, asked, with_logs):
    """A run for each seed of the tuner, each with a store of its own."""
    runs = []
    for seed in range(1, asked.rng_seeds + 1):
        with tempfile.TemporaryDirectory(dir=asked.work) as folder:
            db = os.path.join(folder, "seeds.db")
            if with_logs:
                # A refused line gives exit code 65; the other lines are imported all the same.
                subprocess.run([hone.program, "log", "import", *asked.logs, "--db", db], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=hone.environment, check=False)
            runs.append(tasks_of(hone.lines("tune", f"zoo:{asked.seeded}", "--threads", 1, "--trials", asked.trials,
                                            "--seed", seed, "--finals", "kernels", "--db", db)))
    return runs


def counts(without, with_logs):
    """(trials without, trials with, tasks counted, tasks whose default is as good as the best). The trials are sums of
    each seeded task's median over the runs."""
    sums, counted, settled = [0, 0], [], []
    for name in sorted(set().union(*with_logs)):
        seen = [[run[name] for run in runs if name in run] for runs in (without, with_logs)]
        every = seen[0] + seen[1]
        best = min((task.best[-1] for task in every if task.best[-1] is not None), default=None)
        default = [task.default for task in every if task.default is not None]
        if best is None or not seen[0] or not any(task.seeded for task in seen[1]):
            continue
        if default and statistics.median(default) <= WITHIN * best:
            settled.append(name)
            continue
        counted.append(name)
        for side in (0, 1):
            sums[side] += statistics.median(task.trials_to(WITHIN * best) for task in seen[side])
    return sums[0], sums[1], counted, settled


def seeds(rows, hone, asked):
    """Trials to good kernels, with and without a foreign log's configs as seeds."""
    without, with_logs, counted, settled = counts(runs_of(hone, asked, False), runs_of(hone, asked, True))
    for name in settled:
        print(f"  its default is within 5 % of the best, so nothing can come sooner: {name}", flush=True)
    if not counted:
        print(f"{asked.seeded}: no task that the logs hold has more to gain than 5 %", flush=True)
        return
    what = f"{asked.seeded}: trials of a task to within 5 %, over those without"
    told = f"{with_logs:g} / {without:g}, {len(counted)} tasks, {asked.rng_seeds} seeds"
    share = with_logs / without
    rows.add(what, told, f"<= {GOAL_OF_TRIALS:g}", f"{share:.2f}", share <= GOAL_OF_TRIALS,
             lambda bound: share <= 1.1 * bound)


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
    parser.add_argument("--trials", type=int, default=2000, help="of each run")
    parser.add_argument("--rng-seeds", type=int, default=3, help="runs of the tuner with logs, and as many without")
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
    with open(PAGE, encoding="utf-8") as page:
        rows = Rows(bounds_of(page.read()))
    hone = Hone(asked.build, asked.work)
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
