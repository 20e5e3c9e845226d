"""google/benchmark's compare.py reads the output of `hone bench --json`, as docs/howto/comparing.md shows it: one
package timed twice, two packages of one result, and two packages of two results.

Needs Debian's libbenchmark-tools, or HONE_BENCHMARK_COMPARE with the path of a compare.py, and a Python with numpy and
scipy. Exits 77 if one of these is missing.
"""
import json
import os
import subprocess

import found

COMPARE = os.environ.get("HONE_BENCHMARK_COMPARE", "/usr/share/benchmark/compare.py")
ROUNDS = 10


def times_of(hone, file, name):
    """The real_time of the rounds of a package, and of their median, as the file has them."""
    with open(hone.path(file), encoding="utf-8") as stored:
        entries = [entry for entry in json.load(stored)["benchmarks"] if entry["run_name"] == name]
    rounds = [entry["real_time"] for entry in entries if entry["run_type"] == "iteration"]
    return rounds, [entry["real_time"] for entry in entries if entry["run_type"] == "aggregate"]


class Compare:
    def __init__(self, asked, hone):
        if not os.path.exists(COMPARE):
            found.skip(f"no {COMPARE} (Debian package libbenchmark-tools)")
        self.python, self.environment = found.python_with("scipy.stats", asked.readers)
        self.hone = hone

    def report(self, *words):
        """The entries that compare.py dumps as JSON, without the geometric mean."""
        line = [self.python, COMPARE, "--no-color", "--dump_to_json", "diff.json", *words]
        done = subprocess.run(line, cwd=self.hone.work, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0 or "WARNING" in done.stdout:
            raise SystemExit(f"compare.py {' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        with open(self.hone.path("diff.json"), encoding="utf-8") as diff:
            return [entry for entry in json.load(diff) if entry["name"] != "OVERALL_GEOMEAN"]

    def expect(self, words, name, old, new):
        """Checks that rounds and medians of both are compared one by one, and that the U test used all rounds."""
        entries = self.report(*words)
        found.same(f"entries of {words}", [(e["name"], e["run_type"]) for e in entries], [(name, "iteration"), (name + "_median", "aggregate")])
        for entry, old_times, new_times in zip(entries, old, new):
            found.same(f"old times of {entry['name']}", [m["real_time"] for m in entry["measurements"]], old_times)
            found.same(f"new times of {entry['name']}", [m["real_time_other"] for m in entry["measurements"]], new_times)
        test = entries[0]["utest"]
        found.same("rounds of the U test", (test["nr_of_repetitions"], test["nr_of_repetitions_other"]), (ROUNDS, ROUNDS))
        if not 0 <= test["time_pvalue"] <= 1:
            raise SystemExit(f"the U test's p is {test['time_pvalue']}")


def main():
    asked = found.arguments(__doc__)
    hone = found.Hone(asked)
    compare = Compare(asked, hone)
    for name, shape in (("old", "1,14,14"), ("new", "1,28,28")):
        hone("build", "zoo:mlp", "--image-shape", shape, "--no-records", "--threads", "1", "-o", f"{name}.hone")
    for file, packages in (("before", ["old.hone"]), ("after", ["old.hone"]), ("new", ["new.hone"]), ("both", ["old.hone", "new.hone"])):
        hone("bench", *packages, "--any-model", "--threads", "1", "--runs", "200", "--write", f"json={file}.json")
    before, after, new = (times_of(hone, *place) for place in (("before.json", "old.hone"), ("after.json", "old.hone"), ("new.json", "new.hone")))
    compare.expect(["benchmarks", "before.json", "after.json"], "old.hone", before, after)
    renamed = "[old.hone vs. new.hone]"
    compare.expect(["filters", "both.json", "old.hone", "new.hone"], renamed, times_of(hone, "both.json", "old.hone"),
                   times_of(hone, "both.json", "new.hone"))
    compare.expect(["benchmarksfiltered", "before.json", "old.hone", "new.json", "new.hone"], renamed, before, new)
    print(f"compare.py reads {ROUNDS} rounds of each")


if __name__ == "__main__":
    main()
