"""The rules of bench/peers: what a bound may and may not excuse, and the form of the page."""
import collections
import os
import sys
import tempfile
import types
import unittest
import unittest.mock

import goals
import verdicts
from bounds import read_bounds

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/results/bounds.md")


def row(reached, goal, more_is_better=True, floor=None):
    return {"row": "net, 2 threads", "reached": reached, "goal": goal, "more_is_better": more_is_better, "floor": floor}


def bound(reached):
    return {"net, 2 threads": {"reached": reached, "what": "memory"}}


def page_of(text):
    file = tempfile.NamedTemporaryFile("w", suffix=".md", delete=False, encoding="utf-8")
    with file:
        file.write(text)
    return file.name


class Verdicts(unittest.TestCase):
    def test_a_goal_is_reached_or_missed(self):
        self.assertEqual(goals.judge(row(1.3, 1.3), {}), "reached")
        self.assertEqual(goals.judge(row(1.29, 1.3), {}), "missed")
        self.assertEqual(goals.judge(row(1.36, 1.35, more_is_better=False), {}), "missed")
        self.assertEqual(goals.judge(row(1.2, None), {}), "no goal")

    def test_a_bound_excuses_what_it_names_and_no_regression(self):
        self.assertEqual(goals.judge(row(1.28, 1.3), bound(1.29)), "missed, bound: memory")
        self.assertEqual(goals.judge(row(1.1, 1.3), bound(1.29)), "missed")
        self.assertEqual(goals.judge(row(1.4, 1.0, more_is_better=False), bound(1.39)), "missed, bound: memory")
        self.assertEqual(goals.judge(row(1.6, 1.0, more_is_better=False), bound(1.39)), "missed")
        self.assertEqual(goals.judge(row(1.28, 1.3), {"other, 2 threads": bound(1.29)["net, 2 threads"]}), "missed")

    def test_nothing_excuses_being_behind(self):
        self.assertEqual(goals.judge(row(0.99, 1.3, floor=1.0), bound(0.99)), "behind")

    def test_what_fails_a_run(self):
        self.assertTrue(all(map(goals.fails, ("missed", "behind", "not timed", "outputs differ"))))
        self.assertFalse(any(map(goals.fails, ("reached", "no goal", "missed, bound: memory"))))


def operator_cases():
    """The case names of the sweep over single operators. They need no numpy; only the contents of a case do."""
    folder = os.path.join(os.path.dirname(PAGE), "../operators")
    with unittest.mock.patch.object(sys, "path", [folder, *sys.path]), unittest.mock.patch.dict(sys.modules, numpy=types.ModuleType("numpy")):
        import cases
        return [case.name for case in cases.all_cases()]


class Bounds(unittest.TestCase):
    def test_only_the_table_under_the_heading_counts(self):
        path = page_of("## Other\n| a | 1 | x |\n## Bounds\ntext\n| row | reached | what bounds it |\n| --- | --- | --- |\n"
                       "| `net, 1 thread` | 1.2 | memory |\n## After\n| b | 1 | x |\n")
        self.assertEqual(read_bounds(path), {"net, 1 thread": {"reached": 1.2, "what": "memory"}})

    def test_a_row_that_cannot_be_read_is_an_error(self):
        for cells in ("| a | fast | x |", "| a | 1 |", "| a | 1 |  |"):
            with self.assertRaises(ValueError):
                read_bounds(page_of(f"## Bounds\n{cells}\n"))

    def test_the_page_names_rows_that_a_run_prints(self):
        kinds = ("1 thread", "2 threads", "speed-up", "memory")
        printed = {f"{model}, {kind}" for model in goals.SPEED for kind in kinds}
        printed |= {f"{model}, {machine}, {layer}, {weights}" for model in goals.SPEED for machine in ("avx512", "avx2")
                    for layer in ("direct 3x3 s1", "direct 1x1 s1", "depthwise s1", "depthwise s2") for weights in ("hot", "cold")}
        printed |= {f"{model}, avx512, bytes, {layer}, hot" for model in goals.SPEED for layer in ("direct 3x3 s1", "direct 1x1 s1")}
        printed |= set(verdicts.ROWS)
        printed |= {f"operators, {name}" for name in operator_cases()}
        for name in read_bounds(PAGE):
            self.assertIn(name, printed)


class BenchVerdicts(unittest.TestCase):
    def judged(self, name, found, bounds=None):
        return goals.judge(verdicts.row_of(name, collections.Counter(found)), bounds or {})

    def test_false_alarms_are_at_most_one_in_a_hundred(self):
        name = "A/A in turns, false alarms"
        self.assertEqual(self.judged(name, {"equivalent": 198, "slower": 2}), "reached")
        self.assertEqual(self.judged(name, {"cannot tell": 197, "slower": 3}), "missed")
        self.assertEqual(self.judged(name, {"faster": 200}), "reached")

    def test_a_slowdown_is_found_in_nineteen_of_twenty(self):
        name = "3 % slower in turns, found"
        self.assertEqual(self.judged(name, {"slower": 95, "equivalent": 5}), "reached")
        self.assertEqual(self.judged(name, {"slower": 94, "cannot tell": 6}), "missed")

    def test_the_page_may_name_what_bounds_a_row(self):
        name = "A/A against a baseline, false alarms"
        drift = {name: {"reached": 20.0, "what": "a shared machine's speed drifts"}}
        self.assertEqual(self.judged(name, {"slower": 20, "equivalent": 80}, drift), "missed, bound: a shared machine's speed drifts")
        self.assertEqual(self.judged(name, {"slower": 30, "equivalent": 70}, drift), "missed")
        self.assertEqual(self.judged("3 % slower against a baseline, found", {"equivalent": 9}), "no goal")


if __name__ == "__main__":
    unittest.main()
