"""The rules of bench/operators: which rows are misses, which outputs agree, and which results are measured again."""
import argparse
import importlib.util
import json
import os
import sys
import tempfile
import unittest

if importlib.util.find_spec("numpy") is None:
    print("this Python lacks numpy")
    sys.exit(77)

import numpy

import sweep
from cases import all_cases, written
from measure import difference


def row(**more):
    return {"name": "tanh", "family": "elementwise", "hone": "1", "hone_ns": 100, "peer_ns": 200, "needed_bytes": 10, "memory_bytes": 10,
            "difference": 0.0, **more}


def verdicts(one, bounds=None):
    return {each["row"]: each["verdict"] for each in sweep.judged([one], bounds or {})}


class Verdicts(unittest.TestCase):
    def test_a_case_reaches_its_goals(self):
        self.assertEqual(verdicts(row()), {"operators, tanh": "reached", "operators, tanh, memory": "reached", "operators, geometric mean": "reached"})

    def test_a_slow_case_is_missed_unless_a_bound_is_named(self):
        bounds = {"operators, tanh": {"reached": 0.8, "what": "memory"}}
        self.assertEqual(verdicts(row(peer_ns=80))["operators, tanh"], "missed")
        self.assertEqual(verdicts(row(peer_ns=80), bounds)["operators, tanh"], "missed, bound: memory")
        self.assertEqual(verdicts(row(peer_ns=69), bounds)["operators, tanh"], "behind")

    def test_other_outputs_and_much_memory_are_missed(self):
        self.assertEqual(verdicts(row(difference=1.1))["operators, tanh"], "outputs differ")
        self.assertEqual(verdicts(row(memory_bytes=51))["operators, tanh, memory"], "missed")

    def test_a_refusal_fails_the_run(self):
        _, missed = sweep.report([{"name": "tanh", "family": "elementwise", "hone": "1", "refused": "no"}], {})
        self.assertTrue(missed)

    def test_a_run_that_reaches_everything_passes(self):
        text, missed = sweep.report([row()], {})
        self.assertFalse(missed)
        self.assertIn("1 cases", text)


class Differences(unittest.TestCase):
    def test_floats_agree_within_a_thousandth_of_the_largest(self):
        wanted = numpy.array([1.0, 1000.0], "float32")
        self.assertLess(difference(wanted + numpy.float32(0.9), wanted), 1)
        self.assertGreater(difference(wanted + numpy.float32(1.1), wanted), 1)

    def test_what_is_no_number_is_equal(self):
        wanted = numpy.array([numpy.nan, numpy.inf, 1], "float32")
        self.assertEqual(difference(wanted.copy(), wanted), 0)
        self.assertEqual(difference(numpy.array([0, numpy.inf, 1], "float32"), wanted), float("inf"))
        self.assertEqual(difference(numpy.array([numpy.nan, -numpy.inf, 1], "float32"), wanted), float("inf"))

    def test_bytes_may_round_otherwise_in_few_places(self):
        wanted = numpy.zeros(1000, "uint8")
        few, many, far = (wanted.copy() for _ in range(3))
        few[:5], many[:20], far[0] = 1, 1, 2
        self.assertLess(difference(few, wanted), 1)
        self.assertGreater(difference(many, wanted), 1)
        self.assertEqual(difference(far, wanted), float("inf"))

    def test_integers_and_shapes_are_equal(self):
        self.assertEqual(difference(numpy.array([1]), numpy.array([2])), float("inf"))
        self.assertEqual(difference(numpy.zeros((1, 2), "float32"), numpy.zeros(2, "float32")), float("inf"))


class Cases(unittest.TestCase):
    def test_there_are_enough_and_each_is_the_same_every_time(self):
        cases = all_cases()
        self.assertGreaterEqual(len(cases), 800)
        case = next(each for each in cases if each.name == "softmax_49x49_axis-1")
        first, second = written(case), written(case)
        self.assertTrue(all(numpy.array_equal(first.feed[name], second.feed[name]) for name in first.feed))


class Results(unittest.TestCase):
    def test_a_run_goes_on_with_its_own_results_and_drops_a_line_that_was_cut(self):
        with tempfile.TemporaryDirectory() as work:
            one = sweep.Sweep(argparse.Namespace(work=work, twentieth=True, hone=""))
            one.mark = "1"
            with open(os.path.join(work, "results.jsonl"), "w", encoding="utf-8") as file:
                file.write(json.dumps(row()) + "\n" + json.dumps(row(name="other", hone="2")) + "\n" + '{"name": "cut"')
            self.assertEqual(list(one.known()), ["tanh"])
            one.keep(row(name="next"))
            self.assertEqual(list(one.known()), ["tanh", "next"])


if __name__ == "__main__":
    unittest.main()
