#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of histories finds loss, duplication, difference and hanging, and nothing in a sound history; faults are a
function of seed and index."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import faults
import history
import job
import report


def sound(trainers=2, steps=5):
    return {rank: [history.Line(step, rank, f"digest-{step}-{rank}", 1.0, 10.0 + step) for step in range(steps)]
            for rank in range(trainers)}


def outcome(found, status=0, messages="", injured_at=12.0):
    return job.Outcome(found, status, messages, injured_at)


class CompareTest(unittest.TestCase):
    def setUp(self):
        self.expected = sound()
        self.found = sound()

    def counts(self):
        difference = history.compare(self.expected, self.found)
        return difference.lost, difference.duplicated, difference.different

    def test_equal_histories_differ_in_nothing(self):
        self.assertEqual(history.compare(self.expected, self.found), history.Difference())

    def test_times_do_not_matter(self):
        self.found[0] = [history.Line(line.step, line.replica, line.digest, 7.0, line.seconds + 9)
                         for line in self.found[0]]

        self.assertEqual(self.counts(), (0, 0, 0))

    def test_a_step_left_out_is_lost(self):
        del self.found[1][2]

        self.assertEqual(self.counts(), (1, 0, 0))
        self.assertIn("trainer 1, step 2", history.compare(self.expected, self.found).first)

    def test_steps_that_the_end_is_short_of_are_lost(self):
        del self.found[0][3:]

        self.assertEqual(self.counts(), (2, 0, 0))

    def test_a_trainer_without_a_history_has_lost_all(self):
        del self.found[1]

        self.assertEqual(self.counts(), (5, 0, 0))

    def test_a_step_that_comes_again_is_duplicated(self):
        self.found[0].insert(3, self.found[0][2])

        self.assertEqual(self.counts(), (0, 1, 0))

    def test_a_step_that_comes_again_with_other_bytes_is_duplicated(self):
        self.found[0].append(history.Line(2, 0, "other", 1.0, 99.0))

        self.assertEqual(self.counts(), (0, 1, 0))

    def test_other_bytes_are_different(self):
        self.found[0][2] = history.Line(2, 0, "other", 1.0, 12.0)

        self.assertEqual(self.counts(), (0, 0, 1))

    def test_the_step_of_another_replica_is_different_and_its_own_lost(self):
        self.found[0][2] = self.expected[1][2]

        self.assertEqual(self.counts(), (1, 0, 1))

    def test_steps_in_another_order_are_different(self):
        self.found[0][1], self.found[0][2] = self.found[0][2], self.found[0][1]

        self.assertEqual(self.counts(), (0, 0, 1))

    def test_a_step_past_the_end_is_different(self):
        self.found[0].append(history.Line(5, 0, "digest-5-0", 1.0, 15.0))

        self.assertEqual(self.counts(), (0, 0, 1))


class JoinTest(unittest.TestCase):
    def test_a_run_that_goes_on_joins_to_the_whole(self):
        before = {rank: lines[:4] for rank, lines in sound().items()}  # one step more than was saved
        after = {rank: lines[3:] for rank, lines in sound().items()}

        whole = history.joined(before, after, history.first_step(after))

        self.assertEqual(history.first_step(after), 3)
        self.assertEqual(history.compare(sound(), whole), history.Difference())

    def test_a_run_that_goes_on_too_late_has_lost_steps(self):
        before = {rank: lines[:2] for rank, lines in sound().items()}
        after = {rank: lines[3:] for rank, lines in sound().items()}

        self.assertEqual(history.compare(sound(), history.joined(before, after, 3)).lost, 2)

    def test_a_trainer_that_goes_on_earlier_than_the_others_has_duplicates(self):
        before = {rank: lines[:4] for rank, lines in sound().items()}
        after = {0: sound()[0][2:], 1: sound()[1][3:]}

        self.assertEqual(history.compare(sound(), history.joined(before, after, 3)).duplicated, 1)

    def test_a_run_from_the_beginning_is_the_whole(self):
        self.assertEqual(history.joined({}, sound(), 0), sound())

    def test_lines_that_nobody_expected_are_wrong_and_absent_ones_are_not(self):
        before = {0: sound()[0][:2] + [history.Line(2, 0, "other", 1.0, 1.0)], 1: []}

        self.assertEqual(history.wrong_lines(sound(), before), 1)


class ReadTest(unittest.TestCase):
    def test_a_folder_is_read_by_trainer_without_the_line_that_was_being_written(self):
        with tempfile.TemporaryDirectory(prefix="stowage-test-") as folder:
            path = pathlib.Path(folder)
            (path / "history.0").write_text("0 0 aa 1.500 10.25\n1 0 bb 0.001 11.5\n2 0 cc 0.0")
            (path / "history.3").write_text("")

            found = history.read(folder)

        self.assertEqual(found, {0: [history.Line(0, 0, "aa", 1.5, 10.25), history.Line(1, 0, "bb", 0.001, 11.5)], 3: []})


class ReportTest(unittest.TestCase):
    FAULT = faults.draw(1, 0, 0, faults.Choice())

    def setUp(self):
        quiet = contextlib.redirect_stdout(io.StringIO())
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)

    def line_of(self, *outcomes):
        result = report.Report(verbose=False)
        for index, one in enumerate(outcomes):
            result.add(index, report.Verdict(self.FAULT, history.compare(sound(), one.history), one))
        return result.last_line(), result.good()

    def test_the_last_line_of_good_runs(self):
        waits = sound()
        waits[1][4] = history.Line(4, 1, "digest-4-1", 30.0, 14.0)
        waits[0][0] = history.Line(0, 0, "digest-0-0", 500.0, 10.0)  # before the fault

        self.assertEqual(self.line_of(outcome(sound()), outcome(waits)),
                         ("2 faults: 0 lost, 0 duplicated, 0 different, 0 hung; stall ms median 1.0 p99 30.0 max 30.0",
                          True))

    def test_a_job_that_did_not_end_or_ended_badly_or_had_to_be_ended_hung(self):
        for bad in (outcome(sound(), status=None), outcome(sound(), status=8),
                    outcome(sound(), messages="stowage-run: ending mpirun: loaders did not end after all trainers had")):
            line, good = self.line_of(outcome(sound()), bad)

            self.assertIn(" 0 different, 1 hung;", line)
            self.assertFalse(good)

    def test_a_lost_step_is_counted_and_is_not_good(self):
        short = sound()
        short[0].pop()

        line, good = self.line_of(outcome(short))

        self.assertIn("1 faults: 1 lost, 0 duplicated", line)
        self.assertFalse(good)

    def test_nothing_run_is_not_good(self):
        self.assertFalse(self.line_of()[1])

    def test_a_fault_that_never_happened_is_not_good(self):
        result = report.Report(verbose=False)
        result.add(0, report.Verdict(self.FAULT, history.Difference(), outcome(sound())))
        result.add(1, None)

        self.assertFalse(result.good())


class DrawTest(unittest.TestCase):
    def test_seed_and_index_decide(self):
        choice = faults.Choice()

        self.assertEqual([faults.draw(7, index, 0, choice) for index in range(50)],
                         [faults.draw(7, index, 0, choice) for index in range(50)])
        self.assertNotEqual(faults.draw(7, 0, 0, choice), faults.draw(8, 0, 0, choice))

    def test_a_thousand_faults_hold_every_kind_point_and_layout(self):
        drawn = [faults.draw(1, index, 0, faults.Choice()) for index in range(1000)]

        self.assertEqual({fault.kind for fault in drawn}, set(faults.KINDS))
        self.assertEqual({fault.point for fault in drawn}, {*faults.POINTS, faults.MOMENT})
        self.assertEqual(len({fault.layout for fault in drawn}), 24)
        for fault in drawn:
            self.assertIn(fault.rank, fault.layout.ranks())
            self.assertNotEqual(fault.rank, fault.first_rank)


if __name__ == "__main__":
    unittest.main()
